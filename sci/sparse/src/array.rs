//! The sparse array: a format with its parts, which are ordinary arrays.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use ndany_array::extend::{StandIn, expect, magnitude};
use ndany_array::{Array, DType, Device, Result, Scalar};

use crate::rows::Rows;
use crate::support::refuse;

/// The formats of sparse arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Compressed rows, as `scipy.sparse.csr_array`.
    Csr,
    /// Compressed columns, as `scipy.sparse.csc_array`.
    Csc,
    /// Coordinates, as `scipy.sparse.coo_array`.
    Coo,
    /// Diagonals, as `scipy.sparse.dia_array`.
    Dia,
    /// Compressed rows of dense blocks, as `scipy.sparse.bsr_array`.
    Bsr,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csr => "csr",
            Format::Csc => "csc",
            Format::Coo => "coo",
            Format::Dia => "dia",
            Format::Bsr => "bsr",
        })
    }
}

/// The parts of a sparse array.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// Rows (or columns) `i` are entries `indptr[i] .. indptr[i + 1]`.
    Compressed { by_columns: bool, indptr: Array, indices: Array, data: Array },
    /// Entry `p` is at `(rows[p], columns[p])`.
    Coordinates { rows: Array, columns: Array, data: Array },
    /// `data[k, j]` is at `(j - offsets[k], j)`.
    Diagonals { offsets: Arc<[i64]>, data: Array },
    /// As compressed rows, of blocks `data[p]`.
    Blocks { indptr: Array, indices: Array, data: Array },
}

/// A sparse array of two dimensions, as SciPy's `csr_array`, `csc_array`, `coo_array`, `dia_array` and `bsr_array`.
///
/// The parts are ordinary arrays. [`csr_array`](crate::csr_array) and its kin make one, the operators `+ - *` act on elements, and
/// [`Sparse::matmul`] is the product. Clones share memory. Places are sorted and counted once for all arrays of one structure.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1.0, 0.0], [0.0, 2.0]]), ..);
/// assert_eq!(a.matmul(array([3.0, 4.0])).to_string(), "[3. 8.]");
/// assert_eq!((&a + &a).to_dense().to_string(), "[[2. 0.]\n [0. 4.]]");
/// ```
#[derive(Clone)]
pub struct Sparse {
    pub(crate) shape: [usize; 2],
    pub(crate) storage: Storage,
    /// What is known of the places. An array and its transpose share it.
    pub(crate) structure: Arc<Structure>,
    /// Whether this is the transpose of the array whose axes the structure counts.
    pub(crate) is_turned: bool,
    /// Values in the order of each axis of the structure, where that is another one than that of the entries.
    pub(crate) sorted_values: Arc<[OnceLock<Array>; 2]>,
}

/// What is known of the places of a sparse array, found when it is needed first.
///
/// Pairs have one element for each axis: the first is by rows, the second by columns.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) rows: [OnceLock<Rows>; 2],
    /// The row (or column) of each entry of compressed ones.
    pub(crate) majors: OnceLock<Array>,
    /// Whether entries are sorted by this axis, then by the other one, and no place comes twice.
    canonical: [OnceLock<bool>; 2],
}

impl Structure {
    /// Of places that are sorted by row, then by column, and none of which comes twice.
    pub(crate) fn canonical() -> Arc<Self> {
        Arc::new(Self { canonical: [OnceLock::from(true), OnceLock::new()], ..Self::default() })
    }
}

impl StandIn for Sparse {
    type Made = Sparse;

    fn device(&self) -> &Device {
        self.values().device()
    }

    fn hash_into(&self, state: &mut impl Hasher) {
        self.format().hash(state);
        self.shape.map(magnitude).hash(state);
        self.is_known_canonical().hash(state);
        self.values().hash_into(state);
        if let Storage::Compressed { indices, .. }
        | Storage::Blocks { indices, .. }
        | Storage::Coordinates { columns: indices, .. } = &self.storage
        {
            indices.dtype().hash(state);
        }
    }

    fn stand_in(&self) -> Result<Sparse> {
        let mut storage = self.storage.clone();
        let parts = match &mut storage {
            Storage::Compressed { indptr, indices, data, .. }
            | Storage::Blocks { indptr, indices, data } => vec![indptr, indices, data],
            Storage::Coordinates { rows, columns, data } => vec![rows, columns, data],
            Storage::Diagonals { data, .. } => vec![data],
        };
        for part in parts {
            *part = part.stand_in()?;
        }
        Ok(Sparse::of(self.shape, storage, Arc::default()).canonical_as(self))
    }
}

impl Sparse {
    /// Of parts that go together.
    pub(crate) fn of(shape: [usize; 2], storage: Storage, structure: Arc<Structure>) -> Self {
        Self { shape, storage, structure, is_turned: false, sorted_values: Arc::default() }
    }

    /// The axis of the structure that the rows of this array are.
    pub(crate) fn axis_of_rows(&self) -> usize {
        usize::from(self.is_turned)
    }

    /// Whether entries are sorted as the format has them and no place comes twice, once it is known.
    pub(crate) fn canonical(&self) -> &OnceLock<bool> {
        let by_columns = matches!(self.storage, Storage::Compressed { by_columns: true, .. });
        &self.structure.canonical[usize::from(self.is_turned != by_columns)]
    }

    /// Whether it is known that entries are sorted and no place comes twice.
    pub(crate) fn is_known_canonical(&self) -> bool {
        self.canonical().get() == Some(&true)
    }

    /// The same places and format, which are sorted if those of another array are known to be.
    pub(crate) fn canonical_as(self, other: &Sparse) -> Sparse {
        if other.is_known_canonical() {
            // A cell that is set has the same value.
            let _ = self.canonical().set(true);
        }
        self
    }

    /// Of compressed rows that go together.
    pub(crate) fn csr(
        shape: [usize; 2],
        [indptr, indices, data]: [Array; 3],
        structure: Arc<Structure>,
    ) -> Self {
        let storage = Storage::Compressed { by_columns: false, indptr, indices, data };
        Self::of(shape, storage, structure)
    }

    /// Returns the numbers of rows and columns, as `shape` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array((2, 3)).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Returns the format, as `format` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(3).format().to_string(), "dia");
    /// ```
    pub fn format(&self) -> Format {
        match self.storage {
            Storage::Compressed { by_columns: false, .. } => Format::Csr,
            Storage::Compressed { by_columns: true, .. } => Format::Csc,
            Storage::Coordinates { .. } => Format::Coo,
            Storage::Diagonals { .. } => Format::Dia,
            Storage::Blocks { .. } => Format::Bsr,
        }
    }

    /// Returns the dtype of the values, as `dtype` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(3).dtype(), F64);
    /// ```
    pub fn dtype(&self) -> DType {
        self.values().dtype()
    }

    /// Returns the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(sparse::eye_array(3).device().name(), "reference");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.values().device()
    }

    /// Returns the number of stored entries, explicit zeros and duplicates included, as `nnz` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array((3, 2)).nnz(), 2);
    /// ```
    pub fn nnz(&self) -> usize {
        match &self.storage {
            Storage::Compressed { data, .. }
            | Storage::Coordinates { data, .. }
            | Storage::Blocks { data, .. } => data.size(),
            Storage::Diagonals { offsets, data } => {
                let inside = |&offset: &i64| {
                    let [first, end] = self.diagonal_columns(offset, data.shape()[1]);
                    end - first
                };
                offsets.iter().map(inside).sum()
            }
        }
    }

    /// The columns of a diagonal that are in the array and in its data.
    pub(crate) fn diagonal_columns(&self, offset: i64, columns: usize) -> [usize; 2] {
        let [m, n] = self.shape.map(|extent| extent as i64);
        let (first, end) = (offset.max(0), n.min(m + offset).min(columns as i64));
        [first as usize, end.max(first) as usize]
    }

    /// Returns the stored values, as `data` of SciPy.
    ///
    /// - **Shapes**: `(nnz,)`; of diagonals `(diagonals, columns)`, of blocks `(blocks, rows, columns)`.
    /// - **Dtypes**: that of the array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5], [7, 0]]), ..);
    /// assert_eq!(a.data().to_string(), "[5 7]");
    /// ```
    pub fn data(&self) -> Array {
        self.values().clone()
    }

    pub(crate) fn values(&self) -> &Array {
        match &self.storage {
            Storage::Compressed { data, .. }
            | Storage::Coordinates { data, .. }
            | Storage::Diagonals { data, .. }
            | Storage::Blocks { data, .. } => data,
        }
    }

    /// Returns the column of each entry of compressed rows (the row, of compressed columns), as `indices` of SciPy.
    ///
    /// - **Shapes**: `(nnz,)`; of blocks `(blocks,)`.
    /// - **Dtypes**: int32 or int64.
    /// - **Errors**: coordinates and diagonals have none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::csr_array(&array([[0, 5], [7, 0]]), ..).indices().to_string(), "[1 0]");
    /// ```
    #[track_caller]
    pub fn indices(&self) -> Array {
        match &self.storage {
            Storage::Compressed { indices, .. } | Storage::Blocks { indices, .. } => {
                indices.clone()
            }
            Storage::Coordinates { .. } | Storage::Diagonals { .. } => self.has_no("indices"),
        }
    }

    /// Returns where each row (or column, or row of blocks) begins and, last, where all end, as `indptr` of SciPy.
    ///
    /// - **Shapes**: `(rows + 1,)`.
    /// - **Dtypes**: int32 or int64.
    /// - **Errors**: coordinates and diagonals have none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::csr_array(&array([[0, 5], [7, 0]]), ..).indptr().to_string(), "[0 1 2]");
    /// ```
    #[track_caller]
    pub fn indptr(&self) -> Array {
        match &self.storage {
            Storage::Compressed { indptr, .. } | Storage::Blocks { indptr, .. } => indptr.clone(),
            Storage::Coordinates { .. } | Storage::Diagonals { .. } => self.has_no("indptr"),
        }
    }

    /// Returns the offset of each diagonal, as `offsets` of SciPy.
    ///
    /// - **Errors**: formats other than diagonals have none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(3).offsets(), [0]);
    /// ```
    #[track_caller]
    pub fn offsets(&self) -> Vec<i64> {
        match &self.storage {
            Storage::Diagonals { offsets, .. } => offsets.to_vec(),
            Storage::Compressed { .. } | Storage::Coordinates { .. } | Storage::Blocks { .. } => {
                let format = self.format();
                refuse("offsets", format!("expected dia, got {format}: convert with to_dia first"))
            }
        }
    }

    #[track_caller]
    fn has_no(&self, part: &str) -> Array {
        let format = self.format();
        refuse(part, format!("expected csr, csc or bsr, got {format}: convert with to_csr first"))
    }

    /// Returns an array of the same places with other values, which may be pending.
    ///
    /// Elementwise functions of the values stay lazy and fuse: `a.with_data(a.data().exp())`.
    ///
    /// - **Shapes**: that of [`Sparse::data`].
    /// - **Dtypes**: any.
    /// - **Errors**: values of another shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0.0, 5.0], [7.0, 0.0]]), ..);
    /// assert_eq!(a.with_data(a.data() + 1).to_dense().to_string(), "[[0. 6.]\n [8. 0.]]");
    /// ```
    #[track_caller]
    pub fn with_data(&self, values: impl AsRef<Array>) -> Sparse {
        let values = values.as_ref().clone();
        if values.shape() != self.values().shape() {
            let (expected, got) = (self.values().shape(), values.shape());
            refuse::<()>(
                "with_data",
                format!("expected values of shape {expected:?}, got {got:?}"),
            );
        }
        let mut storage = self.storage.clone();
        match &mut storage {
            Storage::Compressed { data, .. }
            | Storage::Coordinates { data, .. }
            | Storage::Diagonals { data, .. }
            | Storage::Blocks { data, .. } => *data = values,
        }
        let (structure, is_turned) = (self.structure.clone(), self.is_turned);
        Sparse { is_turned, ..Self::of(self.shape, storage, structure) }
    }

    /// Converts the values to another dtype, as `astype` of SciPy; lazy.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: any.
    /// - **Errors**: those of [`Array::astype`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(2).astype(I32).dtype(), I32);
    /// ```
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Sparse {
        match dtype == self.dtype() {
            // Values that are sorted already stay so.
            true => self.clone(),
            false => self.with_data(self.values().astype(dtype)),
        }
    }

    /// Returns the element at a row and a column, the sum of its entries, as `a[i, j]` of SciPy; negative ones count from the end.
    ///
    /// - **Shapes**: `()`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: a position out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5], [7, 0]]), ..);
    /// assert_eq!((a.get(0, -1).item::<i32>()?, a.get(0, 0).item::<i32>()?), (5, 0));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, i: isize, j: isize) -> Array {
        let inside = |index: isize, axis: usize| {
            let size = self.shape[axis];
            let place = if index < 0 { index + size as isize } else { index };
            match (0..size as isize).contains(&place) {
                true => place,
                false => {
                    let error = ndany_array::Error::Index { op: "get", index, axis, size };
                    expect(Err(error))
                }
            }
        };
        let (i, j) = (inside(i, 0), inside(j, 1));
        let rows = self.rows();
        rows.entries(
            &rows.indptr.i(i),
            &rows.indptr.i(i + 1),
            Scalar::from(j as i64),
            &self.row_values(),
        )
    }
}

impl fmt::Debug for Sparse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([m, n], nnz) = (self.shape, self.nnz());
        write!(f, "Sparse({}, {m} by {n}, {} entries of {})", self.format(), nnz, self.dtype())
    }
}

impl AsRef<Sparse> for Sparse {
    fn as_ref(&self) -> &Sparse {
        self
    }
}
