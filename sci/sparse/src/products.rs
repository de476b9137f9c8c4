//! Products: with vectors and dense matrices by runs or by a vendor's library, of sparse arrays by expansion, sort and sums.

use ndany_array::extend::{Ahead, expect, unordered_product};
use ndany_array::{Array, DType, Error, Side, along, concatenate, s, ufunc};

use crate::array::{Format, Sparse, Storage, Structure};
use crate::convert::{compressed_rows, ends_of};
use crate::kernels::{MATMUL, MATVEC, PRODUCTS};
use crate::support::{
    below, first_of_places, index_dtype, last, offsets, order_by, segment_of, tail, wide, zeros_on,
};
use crate::threads;

/// Products of elements that a product of two sparse arrays lists at a time, unless a row has more.
const MOST_PRODUCTS: usize = 1 << 24;

/// What a sparse array is multiplied by: a dense array, which gives a dense one, or a sparse array, which gives a sparse one. A dense array
/// in [`Unordered`] may be multiplied in any order.
pub trait Factor {
    /// The product.
    type Product;
    /// Multiplies.
    #[doc(hidden)]
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Self::Product;
}

impl Factor for &Array {
    type Product = Array;
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Array {
        left.times_dense(self, false)
    }
}
impl Factor for Array {
    type Product = Array;
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Array {
        left.times_dense(&self, false)
    }
}
/// A dense vector or matrix, multiplied in whichever order is fastest, so that bits may differ from device to device and from run to run.
///
/// On a GPU the vendor's library multiplies (cuSPARSE, hipSPARSE) where it is found and takes the operands: float32, float64, complex64
/// and complex128 with indices of int32 or int64. Everywhere else the product is that of [`Sparse::matmul`].
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), ..);
/// let x = array([1.0, 10.0, 100.0]);
/// assert_eq!(a.matmul(sparse::Unordered(&x)).to_string(), "[201.  30.]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unordered<X>(pub X);

impl<X: AsRef<Array>> Factor for Unordered<X> {
    type Product = Array;
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Array {
        left.times_dense(self.0.as_ref(), true)
    }
}
impl Factor for &Sparse {
    type Product = Sparse;
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Sparse {
        left.times_sparse(self)
    }
}
impl Factor for Sparse {
    type Product = Sparse;
    #[track_caller]
    fn multiplied(self, left: &Sparse) -> Sparse {
        left.times_sparse(&self)
    }
}

/// Refuses factors whose extents do not meet.
#[track_caller]
fn meet(left: &[usize], right: &[usize], inner: [usize; 2]) {
    if inner[0] != inner[1] {
        let reason =
            format!("shapes {left:?} and {right:?} do not meet: {} is not {}", inner[0], inner[1]);
        crate::support::refuse::<()>("matmul", reason);
    }
}

impl Sparse {
    /// Multiplies by a dense vector or matrix, or by a sparse array, as `a @ b` of SciPy.
    ///
    /// The entries of a row are added from left to right, as they are stored, in runs of 64 from its beginning, each starting from
    /// zero; sums of several runs are combined by the plan of all reductions. So rows of at most 64 entries have SciPy's bits, and
    /// all have the same bits on every device. A product of two sparse arrays adds in the order of the left one's entries, has
    /// sorted indices, and no zeros, as SciPy's. Of a dense product the first call reads the length of the longest row. Later
    /// ones do not wait: on a GPU a product of floats with int32 indices is launched by the call, all others are lazy. A sparse product
    /// waits for the device, which counts its entries. [`Unordered`] lets a vendor's library multiply.
    ///
    /// - **Shapes**: `(m, n), (n,) → (m,)`, `(m, n), (n, k) → (m, k)`.
    /// - **Dtypes**: any; the result has the dtype to which both promote.
    /// - **Errors**: extents that do not meet, arrays of other axes, two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), ..);
    /// assert_eq!(a.matmul(array([1.0, 10.0, 100.0])).to_string(), "[201.  30.]");
    /// assert_eq!(a.matmul(a.transpose()).to_dense().to_string(), "[[5. 0.]\n [0. 9.]]");
    /// ```
    #[track_caller]
    pub fn matmul<F: Factor>(&self, other: F) -> F::Product {
        other.multiplied(self)
    }

    /// Multiplies a dense vector or matrix by this array from the right, as `x @ a` of SciPy.
    ///
    /// The first call sorts the entries by column. Their order and their rows are kept for all arrays of the structure, and the values
    /// in this order for all clones of the array; so an array that is multiplied from both sides takes at least twice its memory.
    ///
    /// - **Shapes**: `(m,), (m, n) → (n,)`, `(k, m), (m, n) → (k, n)`.
    /// - **Dtypes**: as [`Sparse::matmul`].
    /// - **Errors**: as [`Sparse::matmul`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0, 2], [0, 3, 0]]), ..);
    /// assert_eq!(a.rmatmul(array([1, 10])).to_string(), "[ 1 30  2]");
    /// ```
    #[track_caller]
    pub fn rmatmul(&self, x: impl AsRef<Array>) -> Array {
        let x = x.as_ref();
        let transposed = self.transpose();
        match x.ndim() {
            2 => transposed.times_dense(&x.t(), false).t(),
            _ => transposed.times_dense(x, false),
        }
    }

    #[track_caller]
    fn times_dense(&self, x: &Array, is_free: bool) -> Array {
        let [m, n] = self.shape;
        if self.device() != x.device() {
            let (left, right) = (self.device().name(), x.device().name());
            return expect(Err(Error::TwoDevices { op: "matmul", left, right }));
        }
        let columns = match *x.shape() {
            [_] => None,
            [_, columns] => Some(columns),
            _ => {
                let reason = format!("expected a vector or a matrix, got shape {:?}", x.shape());
                return crate::support::refuse("matmul", reason);
            }
        };
        meet(&[m, n], x.shape(), [n, x.shape()[0]]);
        let dtype = DType::promote(self.dtype(), x.dtype());
        if m == 0 || n == 0 || self.nnz() == 0 || columns == Some(0) {
            let zeros = zeros_on(m * columns.unwrap_or(1), dtype, x);
            return columns.map_or(zeros.clone(), |columns| zeros.reshape((m, columns)));
        }
        if is_free && let Some(product) = self.times_by_library(x, dtype) {
            return product;
        }
        if !self.has_runs() {
            static KERNELS: Ahead = Ahead::new();
            KERNELS.ask(&(self, x), (), |(a, x), ()| a.times_dense(x, false).eval());
        }
        let (rows, values) = (self.rows(), self.row_values());
        let runs = rows.runs();
        let sums = match columns {
            None => match expect(threads::matvec(|| runs.bounds(), &rows.indices, &values, x)) {
                Some(sums) => [sums],
                None => MATVEC.call((&runs.begin, &runs.end, &rows.indices, &values, x)),
            },
            Some(columns) => {
                let [begin, end] = [&runs.begin, &runs.end].map(|part| part.reshape((-1, 1)));
                let (column, count) = (below(columns, x), columns as i64);
                MATMUL.call((begin, end, column, count, &rows.indices, &values, x))
            }
        };
        let [sums] = sums;
        match &runs.first {
            None => sums,
            // Of boolean values a sum is `or`.
            Some(first) if dtype == DType::Bool => ufunc::logical_or.reduceat(&sums, first, 0),
            Some(first) => ufunc::add.reduceat(&sums, first, along(0).dtype(dtype)),
        }
    }

    /// The product by a vendor's library, where there is one that takes it.
    #[track_caller]
    fn times_by_library(&self, x: &Array, dtype: DType) -> Option<Array> {
        let rows = self.rows();
        let indptr = || {
            let indptr = match &self.storage {
                // As they were given, in the dtype of the indices.
                Storage::Compressed { by_columns: false, indptr, .. } => indptr,
                _ => &rows.indptr,
            };
            indptr.astype(rows.indices.dtype())
        };
        let checked = || rows.checked(self.shape, indptr);
        let values = self.row_values().astype(dtype);
        expect(unordered_product(checked, &values, &x.astype(dtype)))
    }

    #[track_caller]
    fn times_sparse(&self, other: &Sparse) -> Sparse {
        meet(&self.shape, &other.shape, [self.shape[1], other.shape[0]]);
        let shape = [self.shape[0], other.shape[1]];
        let format = match self.format() {
            Format::Csc => Format::Csc,
            _ => Format::Csr,
        };
        let dtype = DType::promote(self.dtype(), other.dtype());
        let nothing = || crate::create::empty(shape, dtype, self.values()).to_format(format);
        if self.nnz() == 0 || other.nnz() == 0 {
            return nothing();
        }
        static KERNELS: Ahead = Ahead::new();
        KERNELS.ask(&(self, other), (), |(a, b), ()| a.times_sparse(b).data().eval());
        // As SciPy, which sums duplicates of coordinates first.
        let [a, b] = [self.to_csr(), other.to_csr()];
        if let Some(product) = a.times_on_host(&b) {
            return product.to_format(format);
        }
        let meetings = a.meetings(&b);
        let of_row = b.nnz().div_ceil(b.shape[0]);
        let count = last(&meetings[1], a.nnz().saturating_mul(of_row).min(MOST_PRODUCTS));
        if count == 0 {
            return nothing();
        }
        if count <= MOST_PRODUCTS {
            return a.times_rows(&b, dtype, meetings, count).to_format(format);
        }
        let product = |part: &Sparse| {
            let meetings = part.meetings(&b);
            let count = last(&meetings[1], MOST_PRODUCTS);
            part.times_rows(&b, dtype, meetings, count)
        };
        let parts: Vec<Sparse> = a.in_parts(&meetings[1], count).iter().map(product).collect();
        one_above_the_other(&parts, shape).to_format(format)
    }

    /// The product of two arrays of compressed rows on the CPU, of dtypes that its loop takes.
    #[track_caller]
    fn times_on_host(&self, other: &Sparse) -> Option<Sparse> {
        let shape = [self.shape[0], other.shape[1]];
        let [left, right] = [self.rows(), other.rows()];
        let [a, b] = [self.row_values(), other.row_values()];
        let (left_parts, right_parts) =
            ([&left.indptr, &left.indices, &a], [&right.indptr, &right.indices, &b]);
        let parts = expect(crate::host::multiply(left_parts, right_parts, shape[1]))?;
        let [indptr, indices, values] = parts;
        let largest = shape[0].max(shape[1]).max(values.size());
        let dtype = index_dtype(&[&left.indices, &right.indices], largest);
        let parts = [indptr.astype(dtype), indices.astype(dtype), values];
        Some(Sparse::csr(shape, parts, Structure::canonical()))
    }

    /// Where the row of the right array begins that each entry of this one meets, and where the products of each entry begin and the
    /// last ones end.
    #[track_caller]
    fn meetings(&self, right: &Sparse) -> [Array; 2] {
        let (inner, indptr) = (&self.rows().indices, &right.rows().indptr);
        let begin = indptr.take(inner, ..);
        let lengths = indptr.take(wide(inner) + 1, ..) - &begin;
        let firsts = offsets(&lengths);
        [begin, firsts]
    }

    /// This array of compressed rows cut into parts of so many products that they are in memory at once.
    #[track_caller]
    fn in_parts(&self, firsts: &Array, count: usize) -> Vec<Sparse> {
        let of_rows = firsts.take(&self.rows().indptr, ..);
        let wanted = (below(count.div_ceil(MOST_PRODUCTS) - 1, firsts) + 1) * MOST_PRODUCTS as i64;
        let rows = self.shape[0] as i64;
        let cuts: Vec<i64> =
            expect(of_rows.searchsorted(wanted, Side::Right).minimum(rows).to_vec());
        let ends: Vec<i64> = cuts.into_iter().chain([rows]).collect();
        let mut begin = 0;
        let mut parts = Vec::new();
        for end in ends {
            if begin < end {
                parts.push(self.i(s![begin as isize..end as isize, ..]));
                begin = end;
            }
        }
        parts
    }

    /// The product of two arrays of compressed rows, of so many products of elements.
    #[track_caller]
    fn times_rows(
        &self,
        other: &Sparse,
        dtype: DType,
        [begin, firsts]: [Array; 2],
        count: usize,
    ) -> Sparse {
        let (a, b) = (self, other);
        let shape = [a.shape[0], b.shape[1]];
        if count == 0 {
            return crate::create::empty(shape, dtype, a.values()).to_csr();
        }
        let (left, right) = (a.rows(), b.rows());
        let inner = &left.indices;
        let product = threads::Product {
            left: [&left.indptr, inner, &a.row_values()],
            right: [&right.indptr, &right.indices, &b.row_values()],
            firsts: &firsts,
            count,
        };
        if let Some(parts) = expect(product.multiply()) {
            return Sparse::csr(shape, parts, Structure::canonical());
        }
        let entry = segment_of(&firsts, count);
        let partner = below(count, &entry) - firsts.take(&entry, ..) + begin.take(&entry, ..);
        let row = segment_of(&left.indptr, inner.size()).take(&entry, ..);
        let column = wide(&right.indices).take(&partner, ..);
        let order = order_by(&row, &column, shape);
        let (row, column) = (row.take(&order, ..), column.take(&order, ..));
        let first = first_of_places(&row, &column);
        let end = ends_of(&first, count);
        let [sums] =
            PRODUCTS.call((&first, &end, &order, &entry, &partner, a.row_values(), b.row_values()));
        let kept = sums.flatnonzero();
        let places = first.take(&kept, ..);
        let parts = [row.take(&places, ..), column.take(&places, ..), sums.take(&kept, ..)];
        let dtype = index_dtype(&[inner, &right.indices], shape[0].max(shape[1]).max(kept.size()));
        let [row, column, sums] = parts;
        compressed_rows(shape, [row, column.astype(dtype), sums])
    }

    /// Multiplies by a power of itself, as `scipy.sparse.linalg.matrix_power`.
    ///
    /// - **Shapes**: `(n, n) → (n, n)`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: an array that is not square.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 1], [0, 1]]), ..);
    /// assert_eq!(a.matrix_power(5).to_dense().to_string(), "[[1 5]\n [0 1]]");
    /// ```
    #[track_caller]
    pub fn matrix_power(&self, power: u32) -> Sparse {
        let [m, n] = self.shape;
        if m != n {
            let reason = format!("expected a square array, got {m} by {n}");
            return crate::support::refuse("matrix_power", reason);
        }
        // By squares, from the highest bit on.
        let mut result: Option<Sparse> = None;
        for bit in (0..u32::BITS - power.leading_zeros()).rev() {
            result = result.map(|half| half.times_sparse(&half));
            if power >> bit & 1 == 1 {
                result = Some(result.map_or_else(|| self.clone(), |half| half.times_sparse(self)));
            }
        }
        result.unwrap_or_else(|| {
            let _guard = self.device().enter();
            crate::construct::eye_array((n, n)).astype(self.dtype()).to_format(self.format())
        })
    }
}

/// Arrays of compressed rows, one above the other.
#[track_caller]
fn one_above_the_other(parts: &[Sparse], shape: [usize; 2]) -> Sparse {
    let (mut begin, mut indptr) = (0, Vec::new());
    for part in parts {
        let own = &part.rows().indptr;
        indptr.push(if indptr.is_empty() { own.clone() } else { tail(own) + begin });
        begin += part.nnz() as i64;
    }
    let indices: Vec<Array> = parts.iter().map(|part| part.rows().indices.clone()).collect();
    let values: Vec<Array> = parts.iter().map(Sparse::row_values).collect();
    let largest = shape[0].max(shape[1]).max(begin as usize);
    let dtype = index_dtype(&indices.iter().collect::<Vec<_>>(), largest);
    let indptr = concatenate(&indptr, 0).astype(dtype);
    let parts = [indptr, concatenate(&indices, 0).astype(dtype), concatenate(&values, 0)];
    Sparse::csr(shape, parts, Structure::canonical())
}
