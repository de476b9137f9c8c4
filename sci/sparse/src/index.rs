//! Rows and columns by position: slices, lists and masks.

use std::sync::Arc;

use ndany_array::extend::{expect, guess};
use ndany_array::{Array, DType, Error, Index, IntoIndex, Kind, along, concatenate, s};

use crate::array::{Format, Sparse, Storage};
use crate::kernels::ROW_SPANS;
use crate::merge::Other;
use crate::support::{below, index_dtype, last, refuse, segment_of, wide};

/// Positions along an axis that an index chooses.
struct Positions {
    at: Array,
    /// The first one, of neighbours in ascending order.
    first: Option<usize>,
}

impl Sparse {
    /// Selects rows and columns, as `a[rows, columns]` of SciPy with slices, and `a[rows][:, columns]` with lists or masks.
    ///
    /// Coordinates, diagonals and blocks become compressed rows. Waits for the device, which counts the entries. Neighbouring rows of
    /// compressed rows, and columns of compressed columns, share the memory of the array until one of them is written.
    ///
    /// - **Shapes**: `(m, n) → (k, l)`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: an integer ([`Sparse::get`] reads an element, `i..i + 1` is a row), more than two items, positions out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 2, 0], [0, 3, 4]]), ..);
    /// assert_eq!(a.i(s![1.., ..]).to_dense().to_string(), "[[0 3 4]]");
    /// assert_eq!(a.i(s![.., [2, 1]]).to_dense().to_string(), "[[0 2]\n [4 3]]");
    /// ```
    #[track_caller]
    pub fn i(&self, index: impl IntoIndex) -> Sparse {
        let chosen = self.chosen("i", index);
        let mut own = match self.format() {
            Format::Csr | Format::Csc => self.clone(),
            Format::Coo | Format::Dia | Format::Bsr => self.to_csr(),
        };
        if let Some(rows) = &chosen[0] {
            own = own.to_csr().rows_at(rows);
        }
        if let Some(columns) = &chosen[1] {
            own = own.transpose().to_csr().rows_at(columns).transpose();
        }
        match self.format() {
            Format::Csc => own.to_csc(),
            Format::Csr | Format::Coo | Format::Dia | Format::Bsr => own.to_csr(),
        }
    }

    /// Rows of compressed rows.
    #[track_caller]
    fn rows_at(&self, positions: &Positions) -> Sparse {
        let Storage::Compressed { indptr, indices, data, .. } = &self.storage else {
            return refuse("i", "expected compressed rows".to_string());
        };
        let Positions { at: positions, first } = positions;
        if let (Some(first), true) = (*first, positions.size() > 0) {
            return self.rows_from(first, positions.size(), [indptr, indices, data]);
        }
        let [begin, lengths] = ROW_SPANS.call((positions, indptr));
        expect(lengths.eval());
        let ends = lengths.cumsum(along(0).dtype(DType::I64));
        let count = if positions.size() == 0 { 0 } else { last(&ends, indices.size()) };
        // Rows may come several times.
        let dtype = index_dtype(&[indptr], count);
        let zero = crate::support::zeros_on(1, dtype, &ends);
        let starts = concatenate([&zero, &ends.astype(dtype)], 0);
        expect(starts.eval());
        let shape = [positions.size(), self.shape[1]];
        let copied = crate::threads::copy_rows(&begin, &starts, [indices, data], count);
        let [indices, data] = expect(copied).unwrap_or_else(|| {
            let (starts, begin) = (wide(&starts), wide(&begin));
            let row = segment_of(&starts, count);
            let source = below(count, &starts) - starts.take(&row, ..) + begin.take(&row, ..);
            [indices.take(&source, ..), data.take(&source, ..)]
        });
        let parts = [starts, indices.astype(dtype), data];
        // Each row keeps its order, and comes whole.
        Sparse::csr(shape, parts, Arc::default()).canonical_as(self)
    }

    /// Neighbouring rows of compressed rows, at least one.
    #[track_caller]
    fn rows_from(&self, first: usize, count: usize, parts: [&Array; 3]) -> Sparse {
        let [indptr, indices, data] = parts;
        let bounds = indptr.i(s![first as isize..(first + count) as isize + 1]);
        // Where the first row begins, and the last one ends.
        let ends: Vec<i64> = expect(bounds.i(s![..; count as isize]).astype(DType::I64).to_vec());
        let [begin, end] = [0, 1].map(|which| ends.get(which).copied().unwrap_or(0));
        let [begin, end] = guess([begin, end], [0, indices.size() as i64]);
        let entries = |part: &Array| part.i(s![begin as isize..end as isize]);
        let dtype = index_dtype(&[indptr], (end - begin) as usize);
        let bounds = (bounds - begin).astype(dtype);
        expect(bounds.eval());
        let parts = [bounds, entries(indices).astype(dtype), entries(data)];
        // Each row keeps its order, and comes whole.
        Sparse::csr([count, self.shape[1]], parts, Arc::default()).canonical_as(self)
    }

    /// The positions along each axis that an index chooses, `None` for all.
    #[track_caller]
    fn chosen(&self, op: &'static str, index: impl IntoIndex) -> [Option<Positions>; 2] {
        let items = index.into_index();
        let form = |reason| expect(Err(Error::IndexForm { op, reason, ndim: 2 }));
        let mut chosen: [Option<Positions>; 2] = [None, None];
        let (mut axis, mut seen) = (0, false);
        for (position, item) in items.iter().enumerate() {
            match item {
                Index::Ellipsis if !seen => {
                    seen = true;
                    axis = 2 - (items.len() - position - 1).min(2);
                    continue;
                }
                Index::At(_) if op == "i" => {
                    return form("an integer leaves one axis: use get, or a slice of one");
                }
                Index::NewAxis | Index::Bool(_) => return form("a sparse array has two axes"),
                Index::Ellipsis => return form("two ellipses"),
                Index::At(_) | Index::Slice { .. } | Index::Array(_) | Index::List(_) => {}
            }
            if axis == 2 {
                return form("more than two items");
            }
            let whole = matches!(item, Index::Slice { start: None | Some(0), stop: None, step: 1 });
            if !whole {
                let positions = self.positions(axis, item);
                if positions.at.ndim() != 1 {
                    return form("expected one axis of positions");
                }
                chosen[axis] = Some(positions);
            }
            axis += 1;
        }
        chosen
    }

    /// The positions along an axis that an item chooses.
    #[track_caller]
    fn positions(&self, axis: usize, item: &Index) -> Positions {
        let extent = self.shape[axis];
        let chosen = below(extent, self.values()).i(item.clone());
        let Index::Slice { start, step, .. } = *item else {
            let is_one = matches!(item, Index::At(_));
            let at = if is_one { chosen.reshape(1) } else { chosen };
            return Positions { at, first: None };
        };
        // Made where they are read: the numbers of all rows would be made first.
        let first = match start {
            None if step > 0 => 0,
            None => extent as isize - 1,
            Some(start) => {
                let start = if start < 0 { start.saturating_add_unsigned(extent) } else { start };
                start.clamp(if step > 0 { 0 } else { -1 }, extent as isize - isize::from(step < 0))
            }
        };
        let at = below(chosen.size(), self.values()) * step as i64 + first as i64;
        Positions { at, first: usize::try_from(first).ok().filter(|_| step == 1) }
    }

    /// Returns the elements at pairs of rows and columns, as `a[rows, columns]` of SciPy with two lists of integers.
    ///
    /// Negative positions count from the end. Those where a mask is true are `mask.nonzero()`.
    ///
    /// - **Shapes**: `(k,), (k,) → (k,)`; dense.
    /// - **Dtypes**: integers; that of the array.
    /// - **Errors**: positions out of range, lists of two lengths.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 2, 0], [0, 3, 4]]), ..);
    /// assert_eq!(a.at(array([0, 1, 1]), array([1, 0, -1])).to_string(), "[2 0 4]");
    /// ```
    #[track_caller]
    pub fn at(&self, rows: impl AsRef<Array>, columns: impl AsRef<Array>) -> Array {
        let positions = |list: &Array, axis: usize| {
            let (shape, size) = (list.shape(), self.shape[axis]);
            if list.ndim() != 1 || list.dtype().kind() != Kind::Int {
                let reason =
                    format!("expected lists of integers, got {} of {shape:?}", list.dtype());
                return refuse("at", reason);
            }
            if list.size() == 0 {
                return wide(list);
            }
            let list = wide(list);
            let ends = ndany_array::stack([&list.min(..), &list.max(..)], 0);
            let ends: Vec<i64> = expect(ends.to_vec());
            let outside = |end: &&i64| !(-(size as i64)..size as i64).contains(*end);
            if let Some(&end) = ends.iter().find(outside) {
                let error = Error::Index { op: "at", index: end as isize, axis, size };
                return expect(Err(error));
            }
            ndany_array::where_(list.less(0), &list + size as i64, &list)
        };
        let (row, column) = (positions(rows.as_ref(), 0), positions(columns.as_ref(), 1));
        if row.size() != column.size() {
            let reason = format!("lists of {} and {} positions", row.size(), column.size());
            return refuse("at", reason);
        }
        if row.size() == 0 || self.nnz() == 0 {
            return crate::support::zeros_on(row.size(), self.dtype(), self.values());
        }
        let own = self.rows();
        let (begin, end) = (own.indptr.take(&row, ..), own.indptr.take(&row + 1, ..));
        own.entries(&begin, &end, &column, &self.row_values())
    }

    /// Assigns to rows and columns, as `a[rows, columns] = value` of SciPy; integers stand for slices of one.
    ///
    /// The array becomes compressed rows (columns stay columns) with sorted places; zeros that are assigned are not stored.
    ///
    /// - **Shapes**: a number, a dense array that broadcasts to the part, or a sparse one of its shape.
    /// - **Dtypes**: that of the array stays.
    /// - **Errors**: as [`Sparse::i`], values of another shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = sparse::csr_array(&array([[1, 2, 0], [0, 3, 4]]), ..);
    /// a.set(s![.., 1..], array([7, 0]));
    /// a.set(s![1, 0], 5);
    /// assert_eq!(a.to_dense().to_string(), "[[1 7 0]\n [5 7 0]]");
    /// ```
    #[track_caller]
    pub fn set(&mut self, index: impl IntoIndex, value: impl Into<Other>) {
        const OP: &str = "set";
        if !crate::support::has_keys(self.shape) {
            let [m, n] = self.shape;
            return refuse(OP, format!("{m} by {n} elements are more than int64 counts"));
        }
        let [rows, columns] = self.chosen(OP, index);
        let like = self.values().clone();
        let all = |axis: usize| below(self.shape[axis], &like);
        let or_all = |chosen: Option<Positions>, axis: usize| {
            chosen.map_or_else(|| all(axis), |positions| positions.at)
        };
        let (rows, columns) = (or_all(rows, 0), or_all(columns, 1));
        let part = [rows.size(), columns.size()];
        let dtype = self.dtype();
        // What is assigned, at its places within the part.
        let given = match value.into() {
            Other::Sparse(sparse) if sparse.shape() == part => sparse.to_coo(),
            Other::Sparse(sparse) => {
                return refuse(OP, format!("expected shape {part:?}, got {:?}", sparse.shape()));
            }
            Other::Dense(dense) if dense.ndim() <= 2 => {
                crate::coo_array(dense.broadcast_to(part), ..)
            }
            Other::Dense(dense) => {
                return refuse(OP, format!("expected shape {part:?}, got {:?}", dense.shape()));
            }
            Other::Number(number) => {
                let value = crate::support::zeros_on(1, dtype, &like) + number;
                crate::coo_array(value.astype(dtype).broadcast_to(part), ..)
            }
        };
        let format = if self.format() == Format::Csc { Format::Csc } else { Format::Csr };
        // Entries outside of the part stay.
        let is_chosen = |positions: &Array, axis: usize| {
            let mut is_chosen = crate::support::zeros_on(self.shape[axis], DType::Bool, &like);
            if positions.size() > 0 {
                is_chosen.put(positions, true, ..);
            }
            is_chosen
        };
        let (in_rows, in_columns) = (is_chosen(&rows, 0), is_chosen(&columns, 1));
        let own = self.to_csr().sum_duplicates();
        let [own_rows, own_columns, own_values] = own.entries();
        let within = in_rows.take(&own_rows, ..).logical_and(in_columns.take(&own_columns, ..));
        let kept = within.logical_not().flatnonzero();
        let [given_rows, given_columns, given_values] = given.sum_duplicates().entries();
        // Of a place that comes several times the last value counts.
        let places = |row: Array, column: Array| wide(&row) * self.shape[1] as i64 + wide(&column);
        let at = places(rows.take(given_rows, ..), columns.take(given_columns, ..));
        let kept_at = places(own_rows.take(&kept, ..), own_columns.take(&kept, ..));
        let at = ndany_array::concatenate([&kept_at, &at], 0);
        let kept_values = own_values.take(&kept, ..);
        let values = ndany_array::concatenate([&kept_values, &given_values.astype(dtype)], 0);
        let order = at.argsort(..);
        let at = at.take(&order, ..);
        let end = match at.size() {
            0 => below(0, &at),
            count => crate::convert::ends_of(&crate::support::first_of_groups(&at), count) - 1,
        };
        let (at, values) = (at.take(&end, ..), values.take(order.take(&end, ..), ..));
        let width = self.shape[1].max(1) as i64;
        let coordinates = (at.floor_divide(width), at.remainder(width));
        *self = crate::coo_array((values, coordinates), self.shape).to_format(format);
    }
}
