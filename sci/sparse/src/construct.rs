//! Arrays that are made of a rule, of random numbers, or of other sparse arrays.

use std::sync::Arc;

use ndany_array::{Array, Choice, DType, Device, Generator, concatenate, zeros};

use crate::array::{Format, Sparse, Storage, Structure};
use crate::create::{Extents, Source, dia_array};
use crate::support::{below, index_dtype, refuse, wide};

/// Makes an array of ones on the main diagonal, as `scipy.sparse.eye_array`, in diagonals.
///
/// - **Shapes**: `(m, n)`, one number for both.
/// - **Dtypes**: float64.
/// - **Errors**: `..` in place of a shape.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(sparse::eye_array((2, 3)).to_dense().to_string(), "[[1. 0. 0.]\n [0. 1. 0.]]");
/// ```
#[track_caller]
pub fn eye_array(shape: impl Into<Extents>) -> Sparse {
    let [m, n] = shape.into().given("eye_array");
    let data = zeros((1, n.min(m)), DType::F64) + 1.0;
    dia_array((data, [0i64]), [m, n])
}

/// Makes an array of diagonals, as `scipy.sparse.diags_array`: each has the elements of one diagonal, from its first one on.
///
/// - **Shapes**: `(length,)` each; `..` is the least square array that holds them.
/// - **Dtypes**: the one to which all promote.
/// - **Errors**: a diagonal that is not as long as its place, an offset that comes twice.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::diags_array([&array([1, 2]), &array([5])], [0i64, 1], ..);
/// assert_eq!(a.to_dense().to_string(), "[[1 5]\n [0 2]]");
/// ```
#[track_caller]
pub fn diags_array(
    diagonals: impl IntoIterator<Item: AsRef<Array>>,
    offsets: impl IntoIterator<Item = i64>,
    shape: impl Into<Extents>,
) -> Sparse {
    const OP: &str = "diags_array";
    let diagonals: Vec<Array> = diagonals.into_iter().map(|item| item.as_ref().clone()).collect();
    let offsets: Vec<i64> = offsets.into_iter().collect();
    let Some(first) = diagonals.first().filter(|_| diagonals.len() == offsets.len()) else {
        let (left, right) = (diagonals.len(), offsets.len());
        return refuse(
            OP,
            format!("expected an offset for each of some diagonals, got {left} and {right}"),
        );
    };
    let [m, n] = shape.into().0.unwrap_or_else(|| {
        let extent = first.size() + offsets[0].unsigned_abs() as usize;
        [extent, extent]
    });
    let dtype = diagonals.iter().map(Array::dtype).reduce(DType::promote).unwrap_or(DType::F64);
    let _guard = first.device().enter();
    let mut rows = Vec::new();
    for (diagonal, &offset) in diagonals.iter().zip(&offsets) {
        let column = offset.max(0) as usize;
        let row = (-offset).max(0) as usize;
        let length = m.saturating_sub(row).min(n.saturating_sub(column));
        let Some(broadcast) = of_diagonal(diagonal, length) else {
            let got = diagonal.shape();
            let reason =
                format!("diagonal {offset}: expected {length} elements, got shape {got:?}");
            return refuse(OP, reason);
        };
        let after = n - column.min(n) - length;
        let parts = [zeros(column.min(n), dtype), broadcast.astype(dtype), zeros(after, dtype)];
        rows.push(concatenate(&parts, 0));
    }
    dia_array((ndany_array::stack(&rows, 0), offsets), [m, n])
}

/// Makes an array of random places with numbers from 0 to 1, as `scipy.sparse.random_array`, in coordinates.
///
/// As many elements are stored as `density` says, rounded; no place comes twice.
///
/// - **Shapes**: `(m, n)`.
/// - **Dtypes**: float64.
/// - **Errors**: a density outside of 0 to 1, `..` in place of a shape.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::random_array(&mut Generator::new(7), (10, 20), 0.1);
/// assert_eq!((a.nnz(), a.shape()), (20, [10, 20]));
/// ```
#[track_caller]
pub fn random_array(rng: &mut Generator, shape: impl Into<Extents>, density: f64) -> Sparse {
    let [m, n] = shape.into().given("random_array");
    if !(0.0..=1.0).contains(&density) {
        return refuse("random_array", format!("expected a density from 0 to 1, got {density}"));
    }
    let count = (density * m as f64 * n as f64).round() as usize;
    if count == 0 {
        return crate::create::empty([m, n], DType::F64, &zeros(0, DType::F64));
    }
    let places = rng.choice(m * n, count, Choice::new().replace(false)).sort(..);
    let data = rng.random(count);
    let dtype = index_dtype(&[], m.max(n));
    let rows = places.floor_divide(n as i64).astype(dtype);
    let columns = places.remainder(n as i64).astype(dtype);
    Sparse::of([m, n], Storage::Coordinates { rows, columns, data }, Structure::canonical())
}

/// Returns the Kronecker product of two arrays, as `scipy.sparse.kron`, in coordinates.
///
/// - **Shapes**: `(m, n), (p, q) → (m p, n q)`.
/// - **Dtypes**: the one to which both promote.
/// - **Errors**: two devices.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::kron(&sparse::eye_array(2), &sparse::csr_array(&array([[1.0, 2.0]]), ..));
/// assert_eq!(a.to_dense().to_string(), "[[1. 2. 0. 0.]\n [0. 0. 1. 2.]]");
/// ```
#[track_caller]
pub fn kron(a: impl Into<Source>, b: impl Into<Source>) -> Sparse {
    let [a, b] = [crate::coo_array(a, ..), crate::coo_array(b, ..)];
    let shape = [a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]];
    let [x, y] = [a.entries(), b.entries()];
    let index = index_dtype(&[], shape[0].max(shape[1]));
    let pair = |of: usize| {
        let outer = wide(&x[of]).reshape((-1, 1)) * b.shape[of] as i64 + wide(&y[of]);
        outer.ravel().astype(index)
    };
    let data = (x[2].reshape((-1, 1)) * &y[2]).ravel();
    let storage = Storage::Coordinates { rows: pair(0), columns: pair(1), data };
    Sparse::of(shape, storage, Arc::default())
}

/// Returns the Kronecker sum of two square arrays, as `scipy.sparse.kronsum`: `kron(I, a) + kron(b, I)`, in compressed rows.
///
/// - **Shapes**: `(m, m), (n, n) → (m n, m n)`.
/// - **Dtypes**: the one to which both promote.
/// - **Errors**: arrays that are not square, two devices.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2], [3, 4]]), ..);
/// let sum = sparse::kronsum(&a, &sparse::csr_array(&array([[10]]), ..));
/// assert_eq!(sum.to_dense().to_string(), "[[11  2]\n [ 3 14]]");
/// ```
#[track_caller]
pub fn kronsum(a: impl Into<Source>, b: impl Into<Source>) -> Sparse {
    let [a, b] = [crate::coo_array(a, ..), crate::coo_array(b, ..)];
    for (name, array) in [("first", &a), ("second", &b)] {
        let [m, n] = array.shape;
        if m != n {
            let reason = format!("expected square arrays, got {m} by {n} as the {name} one");
            return refuse("kronsum", reason);
        }
    }
    let dtype = DType::promote(a.dtype(), b.dtype());
    let one = |of: &Sparse| {
        let _guard = of.device().enter();
        eye_array(of.shape).astype(dtype)
    };
    kron(one(&b), &a).to_csr() + kron(&b, one(&a)).to_csr()
}

/// Joins arrays side by side, as `scipy.sparse.hstack`, in coordinates.
///
/// - **Shapes**: `(m, n), (m, k) → (m, n + k)`.
/// - **Dtypes**: the one to which all promote.
/// - **Errors**: no arrays, other numbers of rows.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::eye_array(2);
/// assert_eq!(sparse::hstack([&a, &a]).to_dense().to_string(), "[[1. 0. 1. 0.]\n [0. 1. 0. 1.]]");
/// ```
#[track_caller]
pub fn hstack(arrays: impl IntoIterator<Item: AsRef<Sparse>>) -> Sparse {
    let row: Vec<Option<Sparse>> = arrays.into_iter().map(|a| Some(a.as_ref().clone())).collect();
    join("hstack", &[row])
}

/// Joins arrays one below the other, as `scipy.sparse.vstack`, in coordinates.
///
/// - **Shapes**: `(m, n), (k, n) → (m + k, n)`.
/// - **Dtypes**: the one to which all promote.
/// - **Errors**: no arrays, other numbers of columns.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2]]), ..);
/// assert_eq!(sparse::vstack([&a, &a]).to_dense().to_string(), "[[1 2]\n [1 2]]");
/// ```
#[track_caller]
pub fn vstack(arrays: impl IntoIterator<Item: AsRef<Sparse>>) -> Sparse {
    let rows: Vec<Vec<Option<Sparse>>> =
        arrays.into_iter().map(|array| vec![Some(array.as_ref().clone())]).collect();
    join("vstack", &rows)
}

/// Joins blocks, as `scipy.sparse.block_array`, in coordinates; `None` is a block of zeros.
///
/// - **Shapes**: blocks of one row have the same number of rows, those of one column that of columns.
/// - **Dtypes**: the one to which all promote.
/// - **Errors**: no blocks, rows of other lengths, extents that differ, a row or column without a block.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2]]), ..);
/// let blocks = sparse::block_array([[Some(&a), None], [None, Some(&a)]]);
/// assert_eq!(blocks.to_dense().to_string(), "[[1 2 0 0]\n [0 0 1 2]]");
/// ```
#[track_caller]
pub fn block_array<'a, R: IntoIterator<Item = Option<&'a Sparse>>>(
    blocks: impl IntoIterator<Item = R>,
) -> Sparse {
    let rows: Vec<Vec<Option<Sparse>>> = blocks
        .into_iter()
        .map(|row| row.into_iter().map(Option::<&Sparse>::cloned).collect())
        .collect();
    join("block_array", &rows)
}

/// Joins arrays along the diagonal, as `scipy.sparse.block_diag`, in coordinates.
///
/// - **Shapes**: `(m, n), (p, q) → (m + p, n + q)`.
/// - **Dtypes**: the one to which all promote.
/// - **Errors**: no arrays.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2]]), ..);
/// assert_eq!(sparse::block_diag([&a, &a]).to_dense().to_string(), "[[1 2 0 0]\n [0 0 1 2]]");
/// ```
#[track_caller]
pub fn block_diag(arrays: impl IntoIterator<Item: AsRef<Sparse>>) -> Sparse {
    let own: Vec<Sparse> = arrays.into_iter().map(|array| array.as_ref().clone()).collect();
    let place = |i: usize, j: usize| (i == j).then(|| own[j].clone());
    let row = |i: usize| (0..own.len()).map(|j| place(i, j)).collect();
    let blocks: Vec<Vec<Option<Sparse>>> = (0..own.len()).map(row).collect();
    join("block_diag", &blocks)
}

#[track_caller]
fn join(op: &str, blocks: &[Vec<Option<Sparse>>]) -> Sparse {
    let columns = blocks.first().map_or(0, Vec::len);
    if columns == 0 || blocks.iter().any(|row| row.len() != columns) {
        return refuse(op, "expected rows of one number of blocks, at least one".to_string());
    }
    let extent = |axis: usize, blocks: Vec<&Option<Sparse>>, number: usize| {
        let mut extents = blocks.into_iter().flatten().map(|block| block.shape[axis]);
        let Some(first) = extents.next() else {
            let name = ["row", "column"][axis];
            return refuse(op, format!("{name} {number} has no block that says its extent"));
        };
        match extents.find(|&extent| extent != first) {
            Some(other) => refuse(
                op,
                format!("expected blocks of one extent along axis {axis}, got {first} and {other}"),
            ),
            None => first,
        }
    };
    let heights: Vec<usize> =
        blocks.iter().enumerate().map(|(i, row)| extent(0, row.iter().collect(), i)).collect();
    let widths: Vec<usize> =
        (0..columns).map(|j| extent(1, blocks.iter().map(|row| &row[j]).collect(), j)).collect();
    let shape = [heights.iter().sum(), widths.iter().sum()];
    let index = index_dtype(&[], usize::max(shape[0], shape[1]));
    let mut parts: [Vec<Array>; 3] = Default::default();
    let mut top = 0;
    for (row, height) in blocks.iter().zip(&heights) {
        let mut left = 0;
        for (block, width) in row.iter().zip(&widths) {
            if let Some(block) = block {
                let [rows, columns, data] = block.to_coo().entries();
                parts[0].push(rows.astype(index) + top as i64);
                parts[1].push(columns.astype(index) + left as i64);
                parts[2].push(data);
            }
            left += width;
        }
        top += height;
    }
    let [rows, columns, data] = parts.map(|part| concatenate(&part, 0));
    Sparse::of(shape, Storage::Coordinates { rows, columns, data }, Arc::default())
}

/// Returns the elements on and below a diagonal, as `scipy.sparse.tril`, in coordinates.
///
/// - **Shapes**: `(m, n) → (m, n)`.
/// - **Dtypes**: that of the array.
/// - **Errors**: what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2], [3, 4]]), ..);
/// assert_eq!(sparse::tril(&a, 0).to_dense().to_string(), "[[1 0]\n [3 4]]");
/// ```
#[track_caller]
pub fn tril(a: &Sparse, k: isize) -> Sparse {
    part(a, |diagonal| diagonal.less_equal(k as i64))
}

/// Returns the elements on and above a diagonal, as `scipy.sparse.triu`, in coordinates.
///
/// - **Shapes**: `(m, n) → (m, n)`.
/// - **Dtypes**: that of the array.
/// - **Errors**: what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1, 2], [3, 4]]), ..);
/// assert_eq!(sparse::triu(&a, 1).to_dense().to_string(), "[[0 2]\n [0 0]]");
/// ```
#[track_caller]
pub fn triu(a: &Sparse, k: isize) -> Sparse {
    part(a, |diagonal| diagonal.greater_equal(k as i64))
}

/// The entries of the diagonals that are kept, in coordinates.
#[track_caller]
fn part(a: &Sparse, is_kept: impl Fn(Array) -> Array) -> Sparse {
    let a = a.to_coo();
    let [rows, columns, data] = a.entries();
    let kept = is_kept(wide(&columns) - wide(&rows)).flatnonzero();
    let [rows, columns, data] = [rows, columns, data].map(|part| part.take(&kept, ..));
    Sparse::of(a.shape, Storage::Coordinates { rows, columns, data }, Arc::default())
        .canonical_as(&a)
}

/// Returns rows, columns and values of the elements that are not zero, as `scipy.sparse.find`; duplicates are summed.
///
/// - **Shapes**: `(count,)` each, by rows, then by columns.
/// - **Dtypes**: int32 or int64, and that of the array.
///
/// ```
/// use ndany::prelude::*;
/// let (rows, columns, values) = sparse::find(&sparse::csr_array(&array([[0, 5], [7, 0]]), ..));
/// assert_eq!(format!("{rows} {columns} {values}"), "[0 1] [1 0] [5 7]");
/// ```
#[track_caller]
pub fn find(a: &Sparse) -> (Array, Array, Array) {
    let own = a.to_coo().sum_duplicates().eliminate_zeros();
    let [rows, columns, values] = own.entries();
    (rows, columns, values)
}

impl Sparse {
    /// Changes the shape, as `reshape` of SciPy: elements keep their order by rows, then by columns. The result is in coordinates.
    ///
    /// - **Shapes**: another one of as many elements.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: another number of elements, more than fit 64 bits, `..` in place of a shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5, 0], [7, 0, 0]]), ..).reshape((3, 2));
    /// assert_eq!(a.to_dense().to_string(), "[[0 5]\n [0 7]\n [0 0]]");
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl Into<Extents>) -> Sparse {
        let [m, n] = shape.into().given("reshape");
        self.expect_keys("reshape");
        let [rows, columns] = self.shape;
        if m.checked_mul(n) != Some(rows * columns) {
            let reason = format!("expected a shape of {} elements, got {m} by {n}", rows * columns);
            return refuse("reshape", reason);
        }
        let own = self.to_coo();
        if own.shape == [m, n] {
            return own;
        }
        let place = own.places_in_row();
        let data = own.data();
        let dtype = index_dtype(&[], m.max(n));
        let [rows, columns] = match m {
            0 | 1 => [place.zeros_like(), place],
            // Without elements no place is divided.
            _ => [place.floor_divide(n.max(1) as i64), place.remainder(n.max(1) as i64)],
        };
        let [rows, columns] = [rows, columns].map(|part| part.astype(dtype));
        Sparse::of([m, n], Storage::Coordinates { rows, columns, data }, Arc::default())
            .canonical_as(&own)
    }

    /// Sets the elements of a diagonal, as `setdiag` of SciPy; `k` above 0 is above the main one.
    ///
    /// - **Shapes**: `(min(m, n),)` for the main one, or one element for all.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: another number of elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = sparse::csr_array(&array([[1, 5], [2, 3]]), ..);
    /// a.setdiag(array([8, 9]), 0);
    /// assert_eq!((a.format(), a.to_dense().to_string()), (sparse::Format::Csr, "[[8 5]\n [2 9]]".into()));
    /// ```
    #[track_caller]
    pub fn setdiag(&mut self, values: impl AsRef<Array>, k: isize) {
        let (values, [m, n]) = (values.as_ref(), self.shape);
        let (row, column) = (k.min(0).unsigned_abs(), k.max(0) as usize);
        let count = m.saturating_sub(row).min(n.saturating_sub(column));
        let Some(values) = of_diagonal(values, count) else {
            let got = values.shape();
            return refuse("setdiag", format!("expected {count} elements, got shape {got:?}"));
        };
        let others = part(self, |diagonal| diagonal.not_equal(k as i64));
        let [rows, columns, data] = others.entries();
        let own = below(count, &data);
        let join = |left: &Array, right: Array| concatenate([left, &right.astype(left.dtype())], 0);
        let storage = Storage::Coordinates {
            rows: join(&rows, &own + row as i64),
            columns: join(&columns, own + column as i64),
            data: join(&data, values),
        };
        *self = Sparse::of(self.shape, storage, Arc::default()).to_format(self.format());
    }

    /// Copies to a device, as [`Array::to_device`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let device = Device::open("reference")?;
    /// assert_eq!(sparse::eye_array(3).to_device(&device).device().name(), "reference");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Sparse {
        let there = |array: &Array| ndany_array::extend::expect(array.to_device(device));
        let storage = match &self.storage {
            Storage::Compressed { by_columns, indptr, indices, data } => Storage::Compressed {
                by_columns: *by_columns,
                indptr: there(indptr),
                indices: there(indices),
                data: there(data),
            },
            Storage::Coordinates { rows, columns, data } => Storage::Coordinates {
                rows: there(rows),
                columns: there(columns),
                data: there(data),
            },
            Storage::Diagonals { offsets, data } => {
                Storage::Diagonals { offsets: offsets.clone(), data: there(data) }
            }
            Storage::Blocks { indptr, indices, data } => Storage::Blocks {
                indptr: there(indptr),
                indices: there(indices),
                data: there(data),
            },
        };
        Sparse::of(self.shape, storage, Arc::default()).canonical_as(self)
    }

    /// Converts to a format, as `asformat` of SciPy; blocks have one element.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(3).asformat(sparse::Format::Csr).nnz(), 3);
    /// ```
    #[track_caller]
    pub fn asformat(&self, format: Format) -> Sparse {
        self.to_format(format)
    }
}

/// The elements of a diagonal of this length: as many, or one for all.
#[track_caller]
fn of_diagonal(values: &Array, length: usize) -> Option<Array> {
    match values.size() {
        1 => Some(values.ravel().broadcast_to(length)),
        size if size == length && values.ndim() == 1 => Some(values.clone()),
        _ => None,
    }
}
