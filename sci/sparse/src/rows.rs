//! Entries by rows: the form in which products, sums and reads of elements go through an array, whatever its format.
//!
//! Entries of a row stand in the order in which SciPy's product of the format adds them: as stored in compressed rows and in
//! coordinates, by column in compressed columns, by diagonal in diagonals, by block in blocks. Duplicates stay.

use std::sync::OnceLock;

use ndany_array::extend::{CheckedRows, expect};
use ndany_array::{Array, DType, Operand, Result, Side};

use crate::array::{Sparse, Storage};
use crate::kernels::{ENTRIES, RUN};
use crate::support::{below, init, last, offsets, segment_of, tail, wide};

/// The places of entries by rows.
#[derive(Debug)]
pub(crate) struct Rows {
    /// Where each row begins and, last, where all end; int64.
    pub(crate) indptr: Array,
    /// The same as int32, where it is there.
    narrow: Option<Array>,
    /// The column of each entry.
    pub(crate) indices: Array,
    /// The position of each entry among the values, unless it is its own; found when it is asked for.
    order: Option<OnceLock<Array>>,
    runs: OnceLock<Runs>,
    /// The places as a library takes them.
    checked: OnceLock<CheckedRows>,
}

/// Runs of at most [`RUN`] entries of one row, which are counted from its beginning. Every row has at least one.
#[derive(Debug)]
pub(crate) struct Runs {
    /// Where each begins; int64.
    pub(crate) begin: Array,
    /// Where each ends.
    pub(crate) end: Array,
    /// The first run of each row, unless each row is one.
    pub(crate) first: Option<Array>,
    bounds: OnceLock<Array>,
}

impl Runs {
    fn new([begin, end]: [Array; 2], first: Option<Array>, bounds: Option<Array>) -> Self {
        Self { begin, end, first, bounds: bounds.map_or_else(OnceLock::new, OnceLock::from) }
    }

    /// Where each begins and the last one ends, as `threads` takes it.
    #[track_caller]
    pub(crate) fn bounds(&self) -> Array {
        self.bounds.get_or_init(|| crate::threads::bounds_of(&self.begin, &self.end)).clone()
    }
}

impl Rows {
    /// The places as a library takes them, of an array of this shape; `indptr` is that of these rows, in the dtype of the indices. They
    /// are checked when it is called first.
    #[track_caller]
    pub(crate) fn checked(
        &self,
        shape: [usize; 2],
        indptr: impl FnOnce() -> Array,
    ) -> Result<&CheckedRows> {
        if let Some(known) = self.checked.get() {
            return Ok(known);
        }
        let indptr = indptr();
        indptr.eval()?;
        let checked = CheckedRows::new(shape, &indptr, &self.indices)?;
        Ok(self.checked.get_or_init(|| checked))
    }

    /// Where each row begins and, last, where all end, as int32.
    #[track_caller]
    pub(crate) fn narrow_indptr(&self) -> Array {
        self.narrow.clone().unwrap_or_else(|| crate::threads::narrow(&self.indptr))
    }

    pub(crate) fn count(&self) -> usize {
        self.indptr.size() - 1
    }

    /// The runs. Reads the length of the longest row, when it is called first, and how many runs there are if rows have several.
    #[track_caller]
    pub(crate) fn runs(&self) -> &Runs {
        self.runs.get_or_init(|| {
            let (begin, end) = (init(&self.indptr), tail(&self.indptr));
            let run = i64::from(RUN);
            let longest = || expect((&end - &begin).max(..).item::<i64>());
            if self.count() == 0 || longest() <= run {
                return Runs::new([begin, end], None, self.narrow.clone());
            }
            // A row of no entries is a run, too.
            let counts = (&end - &begin + (run - 1)).floor_divide(run).maximum(1);
            let firsts = offsets(&counts);
            let count = last(&firsts, self.count());
            let row = segment_of(&firsts, count);
            let number = below(count, &firsts) - firsts.take(&row, ..);
            let first = begin.take(&row, ..) + number * run;
            let end = (&first + run).minimum(end.take(&row, ..));
            for array in [&first, &end] {
                // Computed once, not again in each product.
                expect(array.eval());
            }
            Runs::new([first, end], Some(init(&firsts)), None)
        })
    }

    /// The sums of the entries from `begin` to `end` that are in a column.
    #[track_caller]
    pub(crate) fn entries(
        &self,
        begin: &Array,
        end: &Array,
        column: impl Into<Operand>,
        values: &Array,
    ) -> Array {
        let [sums] = ENTRIES.call((begin, end, column, &self.indices, values));
        sums
    }
}

impl Sparse {
    /// Whether the runs of its rows are known.
    pub(crate) fn has_runs(&self) -> bool {
        let rows = self.structure.rows[self.axis_of_rows()].get();
        rows.is_some_and(|rows| rows.runs.get().is_some())
    }

    /// The places by rows.
    #[track_caller]
    pub(crate) fn rows(&self) -> &Rows {
        self.structure.rows[self.axis_of_rows()].get_or_init(|| {
            let (runs, checked) = (OnceLock::new(), OnceLock::new());
            if let Storage::Compressed { by_columns: false, indptr, indices, .. } = &self.storage {
                let narrow = Some(indptr.clone()).filter(|own| own.dtype() == DType::I32);
                let (indptr, indices) = (wide(indptr), indices.clone());
                // Computed once, not again in each product.
                expect(indptr.eval());
                return Rows { indptr, narrow, indices, order: None, runs, checked };
            }
            if let Some(rows) = self.turned_rows() {
                return rows;
            }
            let [rows, columns] = self.places();
            if let Some([order, indptr]) =
                expect(crate::threads::order_of_keys(&rows, self.shape[0]))
            {
                let indices = columns.take(&order, ..);
                expect(indices.eval());
                let (narrow, indptr, order) =
                    (Some(indptr.clone()), wide(&indptr), Some(order.into()));
                expect(indptr.eval());
                return Rows { indptr, narrow, indices, order, runs, checked };
            }
            let narrow = None;
            if let Some([order, indptr]) = expect(crate::host::order_of_keys(&rows, self.shape[0]))
            {
                let indices = columns.take(&order, ..);
                expect(indices.eval());
                return Rows { indptr, narrow, indices, order: Some(order.into()), runs, checked };
            }
            let order = rows.argsort(..);
            let sorted = wide(&rows.take(&order, ..));
            let indptr = sorted.searchsorted(below(self.shape[0] + 1, &sorted), Side::Left);
            let indices = columns.take(&order, ..);
            expect(indices.eval());
            Rows { indptr, narrow, indices, order: Some(order.into()), runs, checked }
        })
    }

    /// The places of compressed columns by rows, and with them the values.
    #[track_caller]
    fn turned_rows(&self) -> Option<Rows> {
        let Storage::Compressed { by_columns: true, indptr, indices, data } = &self.storage else {
            return None;
        };
        let turned = expect(crate::threads::turn([indptr, indices, data], self.shape[0]))?;
        // They are there already if another thread made them.
        let _ = self.sorted_values[self.axis_of_rows()].set(turned.values);
        let (runs, checked) = (OnceLock::new(), OnceLock::new());
        let (narrow, indptr) = (Some(turned.indptr.clone()), wide(&turned.indptr));
        expect(indptr.eval());
        Some(Rows {
            indptr,
            narrow,
            indices: turned.majors,
            order: Some(OnceLock::new()),
            runs,
            checked,
        })
    }

    /// The order of the entries by rows, equal ones as they are.
    #[track_caller]
    fn order_of_rows(&self) -> Array {
        let rows = match &self.storage {
            // Their columns are not asked for.
            Storage::Compressed { by_columns: true, indices, .. } => indices.clone(),
            // Coordinates share what is known of the places of the array that they were made from.
            _ => {
                let [rows, _] = self.places();
                rows
            }
        };
        crate::threads::narrow_order(&rows, self.shape[0])
    }

    /// The values by rows.
    #[track_caller]
    pub(crate) fn row_values(&self) -> Array {
        match &self.rows().order {
            None => self.values().ravel(),
            Some(order) => {
                let sorted = &self.sorted_values[self.axis_of_rows()];
                let order = || order.get_or_init(|| self.order_of_rows());
                sorted.get_or_init(|| self.flat_values().take(order(), ..)).clone()
            }
        }
    }

    /// The values of the places, in the order of [`Sparse::places`].
    #[track_caller]
    pub(crate) fn flat_values(&self) -> Array {
        match &self.storage {
            Storage::Diagonals { data, .. } => data.ravel().take(self.diagonal_positions(), ..),
            Storage::Compressed { data, .. }
            | Storage::Coordinates { data, .. }
            | Storage::Blocks { data, .. } => data.ravel(),
        }
    }

    /// The rows and the columns of all entries, as they are stored.
    #[track_caller]
    pub(crate) fn places(&self) -> [Array; 2] {
        match &self.storage {
            Storage::Compressed { by_columns, indptr, indices, .. } => {
                let major = self.structure.majors.get_or_init(|| {
                    let (count, dtype) = (indices.size(), indices.dtype());
                    let found = match dtype {
                        DType::I32 => expect(crate::threads::narrow_segment_of(indptr, count)),
                        _ => None,
                    };
                    let major = || segment_of(&wide(indptr), count).astype(dtype);
                    let major = found.unwrap_or_else(major);
                    expect(major.eval());
                    major
                });
                let major = major.clone();
                match by_columns {
                    true => [indices.clone(), major],
                    false => [major, indices.clone()],
                }
            }
            Storage::Coordinates { rows, columns, .. } => [rows.clone(), columns.clone()],
            Storage::Diagonals { offsets, data } => {
                let positions = self.diagonal_positions();
                let width = data.shape()[1].max(1) as i64;
                let offsets = {
                    let _guard = data.device().enter();
                    Array::from_slice(offsets, offsets.len())
                };
                let columns = positions.remainder(width);
                let diagonal = positions.floor_divide(width);
                [&columns - offsets.take(diagonal, ..), columns]
            }
            Storage::Blocks { indptr, indices, data } => {
                let &[blocks, height, width] = data.shape() else { unreachable!("blocks") };
                let row = segment_of(&wide(indptr), blocks) * height as i64;
                let column = wide(indices) * width as i64;
                let shape = (blocks, height, width);
                let spread = |first: Array, within: Array| {
                    (first.reshape((-1, 1, 1)) + within).broadcast_to(shape).ravel()
                };
                let rows = spread(row, below(height, data).reshape((-1, 1)));
                [rows, spread(column, below(width, data))]
            }
        }
    }

    /// The positions in the data of diagonals whose places are in the array, diagonal by diagonal.
    #[track_caller]
    fn diagonal_positions(&self) -> Array {
        let Storage::Diagonals { offsets, data } = &self.storage else { unreachable!("diagonals") };
        let width = data.shape()[1];
        let parts: Vec<Array> = offsets
            .iter()
            .enumerate()
            .map(|(number, &offset)| {
                let [first, end] = self.diagonal_columns(offset, width);
                below(end - first, data) + (number * width + first) as i64
            })
            .collect();
        match parts.is_empty() {
            true => below(0, data),
            false => ndany_array::concatenate(&parts, 0),
        }
    }
}
