//! Sparse arrays from their parts, from dense arrays, and from each other.

use std::ops::RangeFull;
use std::sync::Arc;

use ndany_array::extend::expect;
use ndany_array::{Array, DType, Kind, s, stack};

use crate::array::{Format, Sparse, Storage, Structure};
use crate::support::{index_dtype, init, refuse, tail, wide};

/// What a sparse array is made of: a dense array, another sparse one, `(data, indices, indptr)`, or `(data, (rows, columns))`;
/// for diagonals `(data, offsets)`.
#[derive(Clone, Debug)]
pub struct Source(Parts);

#[derive(Clone, Debug)]
enum Parts {
    Dense(Array),
    Sparse(Sparse),
    Compressed([Array; 3]),
    Coordinates([Array; 3]),
    Diagonals(Array, Vec<i64>),
}

impl From<&Array> for Source {
    fn from(dense: &Array) -> Self {
        Source(Parts::Dense(dense.clone()))
    }
}
impl From<Array> for Source {
    fn from(dense: Array) -> Self {
        Source(Parts::Dense(dense))
    }
}
impl From<&Sparse> for Source {
    fn from(sparse: &Sparse) -> Self {
        Source(Parts::Sparse(sparse.clone()))
    }
}
impl From<Sparse> for Source {
    fn from(sparse: Sparse) -> Self {
        Source(Parts::Sparse(sparse))
    }
}
impl<D: AsRef<Array>, I: AsRef<Array>, P: AsRef<Array>> From<(D, I, P)> for Source {
    fn from((data, indices, indptr): (D, I, P)) -> Self {
        let parts = [data.as_ref(), indices.as_ref(), indptr.as_ref()];
        Source(Parts::Compressed(parts.map(Array::clone)))
    }
}
impl<D: AsRef<Array>, R: AsRef<Array>, C: AsRef<Array>> From<(D, (R, C))> for Source {
    fn from((data, (rows, columns)): (D, (R, C))) -> Self {
        let parts = [data.as_ref(), rows.as_ref(), columns.as_ref()];
        Source(Parts::Coordinates(parts.map(Array::clone)))
    }
}
impl<D: AsRef<Array>, const N: usize> From<(D, [i64; N])> for Source {
    fn from((data, offsets): (D, [i64; N])) -> Self {
        Source(Parts::Diagonals(data.as_ref().clone(), offsets.to_vec()))
    }
}
impl<D: AsRef<Array>> From<(D, Vec<i64>)> for Source {
    fn from((data, offsets): (D, Vec<i64>)) -> Self {
        Source(Parts::Diagonals(data.as_ref().clone(), offsets))
    }
}

/// The shape of a sparse array: `(rows, columns)`, one number for both, or `..` for the least that holds all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents(pub(crate) Option<[usize; 2]>);

impl From<RangeFull> for Extents {
    fn from(_: RangeFull) -> Self {
        Extents(None)
    }
}
impl From<usize> for Extents {
    fn from(extent: usize) -> Self {
        Extents(Some([extent; 2]))
    }
}
impl From<(usize, usize)> for Extents {
    fn from((rows, columns): (usize, usize)) -> Self {
        Extents(Some([rows, columns]))
    }
}
impl From<[usize; 2]> for Extents {
    fn from(shape: [usize; 2]) -> Self {
        Extents(Some(shape))
    }
}

impl Extents {
    /// The shape, where one must be given.
    #[track_caller]
    pub(crate) fn given(self, op: &str) -> [usize; 2] {
        self.0.unwrap_or_else(|| refuse(op, "expected a shape, got ..".to_string()))
    }
}

macro_rules! constructors {
    ($($(#[doc = $doc:literal])+ $name:ident $format:ident;)+) => {$(
        $(#[doc = $doc])+
        #[track_caller]
        pub fn $name(source: impl Into<Source>, shape: impl Into<Extents>) -> Sparse {
            make(stringify!($name), source.into(), shape.into(), Format::$format)
        }
    )+};
}

constructors! {
    /// Makes a sparse array of compressed rows, as `scipy.sparse.csr_array`.
    ///
    /// Row `i` has the entries `indptr[i] .. indptr[i + 1]` of `data` and `indices`, which are taken as they are. Entries of a row
    /// may stand in any order, and several of one place are a sum. What the parts must be is read from the device.
    ///
    /// - **Shapes**: `(nnz,), (nnz,), (rows + 1,) → (rows, columns)`, or `(rows, columns)` dense.
    /// - **Dtypes**: values of any; indices of integers become int32, or int64 where they are or a number needs it.
    /// - **Errors**: parts of other lengths, an index out of range, an `indptr` that does not start at 0, decreases or goes beyond
    ///   the entries. They panic; [`attempt`](fn@ndany_array::attempt) returns them.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (data, indices, indptr) = (array([1.0, 2.0, 3.0]), array([0, 2, 1]), array([0, 2, 3]));
    /// let a = sparse::csr_array((&data, &indices, &indptr), (2, 3));
    /// assert_eq!(a.to_dense().to_string(), "[[1. 0. 2.]\n [0. 3. 0.]]");
    /// let wrong = attempt(|| sparse::csr_array((&data, &indices, &indptr), (2, 2)));
    /// assert_eq!(wrong.unwrap_err().to_string(), "[csr_array] bad argument: indices: expected 0 to 1, got 2");
    /// ```
    csr_array Csr;
    /// Makes a sparse array of compressed columns, as `scipy.sparse.csc_array`.
    ///
    /// - **Shapes**: `(nnz,), (nnz,), (columns + 1,) → (rows, columns)`, or `(rows, columns)` dense.
    /// - **Dtypes**: as [`csr_array`].
    /// - **Errors**: as [`csr_array`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csc_array((array([1, 2]), array([1, 0]), array([0, 1, 2])), (2, 2));
    /// assert_eq!(a.to_dense().to_string(), "[[0 2]\n [1 0]]");
    /// ```
    csc_array Csc;
    /// Makes a sparse array of coordinates, as `scipy.sparse.coo_array`.
    ///
    /// - **Shapes**: `(nnz,), ((nnz,), (nnz,)) → (rows, columns)`, or `(rows, columns)` dense.
    /// - **Dtypes**: as [`csr_array`].
    /// - **Errors**: parts of other lengths, a row or column out of range; without a shape, no entries.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::coo_array((array([1, 2, 3]), (array([0, 1, 1]), array([0, 1, 1]))), (2, 2));
    /// assert_eq!(a.to_dense().to_string(), "[[1 0]\n [0 5]]");
    /// ```
    coo_array Coo;
    /// Makes a sparse array of diagonals, as `scipy.sparse.dia_array`: element `data[k, j]` is at `(j - offsets[k], j)`.
    ///
    /// - **Shapes**: `(diagonals, width), [diagonals] → (rows, columns)`, or `(rows, columns)` dense.
    /// - **Dtypes**: values of any.
    /// - **Errors**: data of other axes, an offset that comes twice, no shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::dia_array((array([[1, 2, 3], [4, 5, 6]]), [0i64, 1]), (3, 3));
    /// assert_eq!(a.to_dense().to_string(), "[[1 5 0]\n [0 2 6]\n [0 0 3]]");
    /// ```
    dia_array Dia;
    /// Makes a sparse array of dense blocks in compressed rows, as `scipy.sparse.bsr_array`.
    ///
    /// - **Shapes**: `(blocks, r, c), (blocks,), (rows / r + 1,) → (rows, columns)`; dense `(rows, columns)` in blocks of one element.
    /// - **Dtypes**: as [`csr_array`].
    /// - **Errors**: as [`csr_array`], and a shape that is not made of whole blocks.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::bsr_array((array([[[1, 2], [3, 4]]]), array([1]), array([0, 1])), (2, 4));
    /// assert_eq!(a.to_dense().to_string(), "[[0 0 1 2]\n [0 0 3 4]]");
    /// ```
    bsr_array Bsr;
}

#[track_caller]
fn make(op: &str, source: Source, shape: Extents, format: Format) -> Sparse {
    let made = match (source.0, format) {
        (Parts::Dense(dense), _) => of_dense(op, &dense),
        (Parts::Sparse(sparse), _) => sparse,
        (Parts::Compressed(parts), Format::Csr | Format::Csc) => {
            compressed(op, parts, shape, format == Format::Csc)
        }
        (Parts::Compressed(parts), Format::Bsr) => blocks(op, parts, shape),
        (Parts::Compressed(_), Format::Coo | Format::Dia) => {
            refuse(op, "expected (data, (rows, columns)), got (data, indices, indptr)".to_string())
        }
        (Parts::Coordinates(parts), _) => coordinates(op, parts, shape),
        (Parts::Diagonals(data, offsets), _) => diagonals(op, data, offsets, shape),
    };
    if let Some(shape) = shape.0.filter(|&shape| shape != made.shape) {
        refuse::<()>(op, format!("expected shape {shape:?}, got {:?}", made.shape));
    }
    made.to_format(format)
}

/// Coordinates of the elements of a dense array that are not zero.
#[track_caller]
fn of_dense(op: &str, dense: &Array) -> Sparse {
    let &[rows, columns] = dense.shape() else {
        return refuse(op, format!("expected two axes, got shape {:?}", dense.shape()));
    };
    let flat = dense.ravel();
    let positions = flat.flatnonzero();
    let dtype = index_dtype(&[], rows.max(columns));
    let width = columns.max(1) as i64;
    let storage = Storage::Coordinates {
        rows: positions.floor_divide(width).astype(dtype),
        columns: positions.remainder(width).astype(dtype),
        data: flat.take(&positions, ..),
    };
    Sparse::of([rows, columns], storage, Structure::canonical())
}

/// Refuses parts that are not sequences of integers, and converts them to one dtype of indices.
#[track_caller]
pub(crate) fn as_indices<const N: usize>(
    op: &str,
    parts: [(&str, &Array); N],
    largest: usize,
) -> [Array; N] {
    for (name, part) in parts {
        if !matches!(part.dtype().kind(), Kind::Int) || part.ndim() != 1 {
            let (dtype, shape) = (part.dtype(), part.shape());
            refuse::<()>(
                op,
                format!("{name}: expected integers along one axis, got {dtype} of shape {shape:?}"),
            );
        }
    }
    let dtype = index_dtype(&parts.map(|(_, part)| part), largest);
    parts.map(|(_, part)| part.astype(dtype))
}

/// Refuses indices beyond their range, given the least and the largest one.
#[track_caller]
pub(crate) fn in_range(op: &str, name: &str, least: i64, largest: i64, count: usize) {
    let worst = if least < 0 { least } else { largest };
    if least < 0 || largest >= count as i64 {
        let end = count as i64 - 1;
        refuse::<()>(op, format!("{name}: expected 0 to {end}, got {worst}"));
    }
}

#[track_caller]
pub(crate) fn same_length(op: &str, name: &str, expected: usize, got: usize) {
    if expected != got {
        refuse::<()>(op, format!("{name}: expected as many as values, {expected}, got {got}"));
    }
}

/// Checks `indices` and `indptr` of `majors` rows with one read; returns the largest index.
#[track_caller]
fn check(op: &str, indices: &Array, indptr: &Array, majors: Option<usize>) -> i64 {
    if indptr.size() == 0 || majors.is_some_and(|majors| majors + 1 != indptr.size()) {
        let expected = majors.map_or("at least 1".to_string(), |majors| (majors + 1).to_string());
        refuse::<()>(op, format!("indptr: expected {expected} elements, got {}", indptr.size()));
    }
    let mut facts = vec![wide(&indptr.i(s![0])), wide(&indptr.i(s![-1]))];
    if indptr.size() > 1 {
        facts.push((wide(&tail(indptr)) - wide(&init(indptr))).min(..));
    }
    if indices.size() > 0 {
        // As a number without a sign, an index below 0 is above all others: one reduction finds both.
        let unsigned = if indices.dtype() == DType::I32 { DType::U32 } else { DType::U64 };
        facts.push(wide(&indices.view(unsigned).max(..)));
    }
    let facts: Vec<i64> = expect(stack(&facts, 0).to_vec());
    let (first, end, rest) = (facts[0], facts[1], &facts[2..]);
    if first != 0 {
        refuse::<()>(op, format!("indptr: expected 0 first, got {first}"));
    }
    let (step, rest) = if indptr.size() > 1 { (rest[0], &rest[1..]) } else { (0, rest) };
    if step < 0 {
        refuse::<()>(
            op,
            format!("indptr: expected a sequence that does not decrease, got a step of {step}"),
        );
    }
    if end != indices.size() as i64 {
        let size = indices.size();
        refuse::<()>(
            op,
            format!("indptr: expected the number of entries, {size}, last, got {end}"),
        );
    }
    match *rest {
        [largest] => {
            let is_narrow = indices.dtype() == DType::I32;
            if largest < 0 || is_narrow && largest > i64::from(i32::MAX) {
                let least: i64 = expect(wide(&indices.min(..)).item());
                refuse::<()>(op, format!("indices: expected 0 or more, got {least}"));
            }
            largest
        }
        _ => -1,
    }
}

#[track_caller]
fn compressed(
    op: &str,
    [data, indices, indptr]: [Array; 3],
    shape: Extents,
    by_columns: bool,
) -> Sparse {
    if data.ndim() != 1 {
        refuse::<()>(op, format!("data: expected one axis, got shape {:?}", data.shape()));
    }
    let largest = shape.0.map_or(0, |[m, n]| m.max(n));
    let [indices, indptr] = as_indices(op, [("indices", &indices), ("indptr", &indptr)], largest);
    same_length(op, "indices", data.size(), indices.size());
    let along = |[m, n]: [usize; 2]| if by_columns { [n, m] } else { [m, n] };
    let given = shape.0.map(along);
    let largest = check(op, &indices, &indptr, given.map(|[majors, _]| majors));
    let [majors, minors] = given.unwrap_or([indptr.size() - 1, (largest + 1) as usize]);
    in_range(op, "indices", 0, largest, minors);
    let storage = Storage::Compressed { by_columns, indptr, indices, data };
    Sparse::of(along([majors, minors]), storage, Arc::default())
}

#[track_caller]
fn blocks(op: &str, [data, indices, indptr]: [Array; 3], shape: Extents) -> Sparse {
    let &[count, height, width] = data.shape() else {
        return refuse(op, format!("data: expected three axes, got shape {:?}", data.shape()));
    };
    if height == 0 || width == 0 {
        refuse::<()>(
            op,
            format!("data: expected blocks with elements, got shape {:?}", data.shape()),
        );
    }
    let largest = shape.0.map_or(0, |[m, n]| m.max(n));
    let [indices, indptr] = as_indices(op, [("indices", &indices), ("indptr", &indptr)], largest);
    same_length(op, "indices", count, indices.size());
    if let Some([m, n]) = shape.0.filter(|[m, n]| m % height != 0 || n % width != 0) {
        refuse::<()>(
            op,
            format!("expected a shape of whole blocks of {height} by {width}, got {m} by {n}"),
        );
    }
    let given = shape.0.map(|[m, n]| [m / height, n / width]);
    let largest = check(op, &indices, &indptr, given.map(|[rows, _]| rows));
    let [rows, columns] = given.unwrap_or([indptr.size() - 1, (largest + 1) as usize]);
    in_range(op, "indices", 0, largest, columns);
    let storage = Storage::Blocks { indptr, indices, data };
    Sparse::of([rows * height, columns * width], storage, Arc::default())
}

#[track_caller]
fn coordinates(op: &str, [data, rows, columns]: [Array; 3], shape: Extents) -> Sparse {
    if data.ndim() != 1 {
        refuse::<()>(op, format!("data: expected one axis, got shape {:?}", data.shape()));
    }
    let largest = shape.0.map_or(0, |[m, n]| m.max(n));
    let [rows, columns] = as_indices(op, [("rows", &rows), ("columns", &columns)], largest);
    same_length(op, "rows", data.size(), rows.size());
    same_length(op, "columns", data.size(), columns.size());
    let facts = match data.size() {
        0 => vec![0, -1, 0, -1],
        _ => {
            let facts = [rows.min(..), rows.max(..), columns.min(..), columns.max(..)];
            expect(wide(&stack(&facts, 0)).to_vec())
        }
    };
    let least = |largest: i64| (largest + 1) as usize;
    let shape = match shape.0 {
        Some(shape) => shape,
        None if data.size() == 0 => refuse(op, "no entries say a shape: expected one".to_string()),
        None => [least(facts[1]), least(facts[3])],
    };
    in_range(op, "rows", facts[0], facts[1], shape[0]);
    in_range(op, "columns", facts[2], facts[3], shape[1]);
    Sparse::of(shape, Storage::Coordinates { rows, columns, data }, Arc::default())
}

#[track_caller]
fn diagonals(op: &str, data: Array, offsets: Vec<i64>, shape: Extents) -> Sparse {
    let shape = shape.given(op);
    if data.ndim() != 2 || data.shape()[0] != offsets.len() {
        let (count, got) = (offsets.len(), data.shape());
        refuse::<()>(
            op,
            format!("data: expected a row for each of {count} offsets, got shape {got:?}"),
        );
    }
    let mut sorted = offsets.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        refuse::<()>(op, format!("offsets: expected different ones, got {} twice", twice[0]));
    }
    let storage = Storage::Diagonals { offsets: offsets.into(), data };
    Sparse::of(shape, storage, Arc::default())
}

/// An array without entries.
#[track_caller]
pub(crate) fn empty(shape: [usize; 2], dtype: DType, like: &Array) -> Sparse {
    let index = index_dtype(&[], shape[0].max(shape[1]));
    let [rows, columns] = [0, 0].map(|count| crate::support::zeros_on(count, index, like));
    let data = crate::support::zeros_on(0, dtype, like);
    Sparse::of(shape, Storage::Coordinates { rows, columns, data }, Structure::canonical())
}
