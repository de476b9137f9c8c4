//! Conversions between formats, sorted places, sums of duplicates: stable sorts, searches and segments, all on the device.

use std::sync::Arc;

use ndany_array::extend::{expect, guess};
use ndany_array::{Array, Side};

use crate::array::{Format, Sparse, Storage, Structure};
use crate::kernels::NEIGHBOURS;
use crate::support::{
    below, first_of_places, has_keys, index_dtype, init, order_by, refuse, tail, wide, zeros_on,
};

/// Entries with sorted places: rows, columns, values.
pub(crate) type Entries = [Array; 3];

impl Sparse {
    #[track_caller]
    pub(crate) fn to_format(&self, format: Format) -> Sparse {
        match format {
            Format::Csr => self.to_csr(),
            Format::Csc => self.to_csc(),
            Format::Coo => self.to_coo(),
            Format::Dia => self.to_dia(),
            Format::Bsr => self.to_bsr((1, 1)),
        }
    }

    /// Converts to compressed rows, as `tocsr` of SciPy.
    ///
    /// Duplicates of coordinates are summed in the order of the entries; those of compressed columns stay.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::coo_array((array([1, 2]), (array([1, 0]), array([0, 1]))), (2, 2)).to_csr();
    /// assert_eq!((a.indices().to_string(), a.indptr().to_string()), ("[1 0]".into(), "[0 1 2]".into()));
    /// ```
    #[track_caller]
    pub fn to_csr(&self) -> Sparse {
        match &self.storage {
            Storage::Compressed { by_columns: false, .. } => self.clone(),
            Storage::Compressed { .. } | Storage::Blocks { .. } => self.along_rows(),
            Storage::Coordinates { .. } => self.canonical_rows(),
            Storage::Diagonals { .. } => self.to_coo().canonical_rows(),
        }
    }

    /// The entries by rows as they stand, duplicates included.
    #[track_caller]
    fn along_rows(&self) -> Sparse {
        let rows = self.rows();
        let dtype = index_dtype(&[&rows.indices], self.nnz().max(self.shape[0]).max(self.shape[1]));
        let indptr = rows.indptr.astype(dtype);
        let parts = [indptr, rows.indices.astype(dtype), self.row_values()];
        let made = Sparse::csr(self.shape, parts, Arc::default());
        match &self.storage {
            // Columns are sorted if entries of compressed columns are, each of which is in its place once.
            Storage::Compressed { .. } => made.canonical_as(self),
            _ => made,
        }
    }

    /// Converts to compressed columns, as `tocsc` of SciPy.
    ///
    /// The order of the entries by column is kept with the structure, as [`Sparse::rmatmul`] says.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5], [7, 0]]), ..).to_csc();
    /// assert_eq!((a.data().to_string(), a.indices().to_string()), ("[7 5]".into(), "[1 0]".into()));
    /// ```
    #[track_caller]
    pub fn to_csc(&self) -> Sparse {
        match &self.storage {
            Storage::Compressed { by_columns: true, .. } => self.clone(),
            Storage::Compressed { .. } | Storage::Coordinates { .. } => {
                self.transpose().to_csr().transpose()
            }
            Storage::Diagonals { .. } | Storage::Blocks { .. } => self.to_coo().to_csc(),
        }
    }

    /// Converts to coordinates, as `tocoo` of SciPy; zeros of diagonals are left out.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (rows, columns) = sparse::csr_array(&array([[0, 5], [7, 0]]), ..).to_coo().coords();
    /// assert_eq!((rows.to_string(), columns.to_string()), ("[0 1]".into(), "[1 0]".into()));
    /// ```
    #[track_caller]
    pub fn to_coo(&self) -> Sparse {
        if let Storage::Coordinates { .. } = &self.storage {
            return self.clone();
        }
        let [mut rows, mut columns] = self.places();
        let mut data = self.flat_values();
        if let Storage::Diagonals { .. } = &self.storage {
            let kept = data.flatnonzero();
            [rows, columns, data] = [&rows, &columns, &data].map(|part| part.take(&kept, ..));
        }
        let dtype = index_dtype(&[], self.shape[0].max(self.shape[1]));
        if let Storage::Diagonals { .. } | Storage::Blocks { .. } = &self.storage {
            [rows, columns] = [rows, columns].map(|part| part.astype(dtype));
        }
        let storage = Storage::Coordinates { rows, columns, data };
        match &self.storage {
            // Entries stay in their order.
            Storage::Compressed { by_columns: false, .. } => {
                let (structure, is_turned) = (self.structure.clone(), self.is_turned);
                Sparse { is_turned, ..Sparse::of(self.shape, storage, structure) }
            }
            _ => Sparse::of(self.shape, storage, Arc::default()),
        }
    }

    /// Returns the rows and the columns of the entries, as `coords` of SciPy's `coo_array`.
    ///
    /// - **Shapes**: `(nnz,)` each.
    /// - **Dtypes**: int32 or int64.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (rows, _) = sparse::eye_array(2).coords();
    /// assert_eq!(rows.to_string(), "[0 1]");
    /// ```
    #[track_caller]
    pub fn coords(&self) -> (Array, Array) {
        let [rows, columns] = self.places();
        (rows, columns)
    }

    /// Converts to diagonals, as `todia` of SciPy. Waits for the device, which says which diagonals there are.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5], [0, 7]]), ..).to_dia();
    /// assert_eq!(a.data().to_string(), "[[0 7]\n [0 5]]");
    /// ```
    #[track_caller]
    pub fn to_dia(&self) -> Sparse {
        if let Storage::Diagonals { .. } = &self.storage {
            return self.clone();
        }
        let [rows, columns, values] = self.sum_duplicates().entries().map(|part| part.ravel());
        let diagonal = wide(&columns) - wide(&rows);
        let offsets = diagonal.unique(..);
        let width = match values.size() {
            0 => 0,
            _ => expect(wide(&columns).max(..).item::<i64>()) as usize + 1,
        };
        let number = offsets.searchsorted(&diagonal, Side::Left);
        let mut data = zeros_on(offsets.size() * width, values.dtype(), &values);
        data.put(number * width as i64 + wide(&columns), values, ..);
        let offsets: Vec<i64> = expect(offsets.to_vec());
        let data = data.reshape((offsets.len(), width));
        let storage = Storage::Diagonals { offsets: offsets.into(), data };
        Sparse::of(self.shape, storage, Arc::default())
    }

    /// Converts to dense blocks in compressed rows, as `tobsr` of SciPy; duplicates are summed.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: a shape that is not made of whole blocks.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0, 0, 0], [0, 2, 0, 0]]), ..).to_bsr((2, 2));
    /// assert_eq!(a.data().to_string(), "[[[1 0]\n  [0 2]]]");
    /// ```
    #[track_caller]
    pub fn to_bsr(&self, blocksize: (usize, usize)) -> Sparse {
        let ((height, width), [m, n]) = (blocksize, self.shape);
        if let Storage::Blocks { data, .. } = &self.storage
            && data.shape()[1..] == [height, width]
        {
            return self.clone();
        }
        if height == 0 || width == 0 || m % height != 0 || n % width != 0 {
            let reason = format!("expected blocks that divide {m} by {n}, got {height} by {width}");
            return refuse("to_bsr", reason);
        }
        let [rows, columns, values] = self.sum_duplicates().entries();
        let [rows, columns] = [wide(&rows), wide(&columns)];
        let [row, column] = [rows.floor_divide(height as i64), columns.floor_divide(width as i64)];
        let of_blocks = [m / height, n / width];
        let order = order_by(&row, &column, of_blocks);
        let [row, column] = [row.take(&order, ..), column.take(&order, ..)];
        let first = match values.size() {
            0 => below(0, &values),
            _ => first_of_places(&row, &column),
        };
        let count = first.size();
        let block = first.searchsorted(below(values.size(), &values), Side::Right) - 1;
        let within = rows.remainder(height as i64) * width as i64 + columns.remainder(width as i64);
        let mut data = zeros_on(count * height * width, values.dtype(), &values);
        let place = block * (height * width) as i64 + within.take(&order, ..);
        data.put(place, values.take(&order, ..), ..);
        let dtype = index_dtype(&[], m.max(n).max(count));
        let row = row.take(&first, ..);
        let indptr = row.searchsorted(below(of_blocks[0] + 1, &row), Side::Left).astype(dtype);
        let indices = column.take(&first, ..).astype(dtype);
        let data = data.reshape((count, height, width));
        Sparse::of(self.shape, Storage::Blocks { indptr, indices, data }, Arc::default())
    }

    /// Converts to a dense array, as `toarray` of SciPy; duplicates are summed.
    ///
    /// - **Shapes**: `(rows, columns)`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array((2, 3)).to_dense().to_string(), "[[1. 0. 0.]\n [0. 1. 0.]]");
    /// ```
    #[track_caller]
    pub fn to_dense(&self) -> Array {
        let [m, n] = self.shape;
        let [rows, columns, values] = match &self.storage {
            Storage::Diagonals { .. } => {
                let [rows, columns] = self.places();
                [rows, columns, self.flat_values()]
            }
            _ => self.sum_duplicates().entries(),
        };
        let mut dense = zeros_on(m * n, values.dtype(), &values);
        if values.size() > 0 {
            // A sum from zero, which has no negative zero.
            let sums = match values.dtype().is_float() || values.dtype().is_complex() {
                true => &values + 0,
                false => values,
            };
            dense.put(wide(&rows) * n as i64 + wide(&columns), sums, ..);
        }
        dense.reshape((m, n))
    }

    /// Exchanges rows and columns, as `transpose` of SciPy; nothing is moved, but in diagonals and blocks.
    ///
    /// Of compressed arrays and coordinates the result shares what is kept of the places: [`Sparse::rmatmul`] says what that is.
    ///
    /// - **Shapes**: `(m, n) → (n, m)`.
    /// - **Dtypes**: that of the array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0, 5], [0, 7]]), ..).transpose();
    /// assert_eq!((a.format(), a.to_dense().to_string()), (sparse::Format::Csc, "[[0 0]\n [5 7]]".into()));
    /// ```
    #[track_caller]
    pub fn transpose(&self) -> Sparse {
        match self.storage.clone() {
            Storage::Compressed { by_columns, indptr, indices, data } => {
                let storage =
                    Storage::Compressed { by_columns: !by_columns, indptr, indices, data };
                self.turned(storage)
            }
            Storage::Coordinates { rows, columns, data } => {
                self.turned(Storage::Coordinates { rows: columns, columns: rows, data })
            }
            // Their places are those of coordinates, which are exchanged.
            Storage::Diagonals { .. } => self.to_coo().transpose().to_dia(),
            Storage::Blocks { data, .. } => {
                let blocksize = (data.shape()[2], data.shape()[1]);
                self.to_coo().transpose().to_bsr(blocksize)
            }
        }
    }

    /// The transpose, of the same entries in the same order.
    fn turned(&self, storage: Storage) -> Sparse {
        let shape = [self.shape[1], self.shape[0]];
        Sparse { shape, storage, is_turned: !self.is_turned, ..self.clone() }
    }

    /// Rows, columns and values of all entries as they are stored.
    #[track_caller]
    pub(crate) fn entries(&self) -> Entries {
        let [rows, columns] = self.places();
        [rows, columns, self.flat_values()]
    }

    /// Whether places are sorted and none comes twice, as `has_canonical_format` of SciPy. Waits for the device where it is not known.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(sparse::csr_array(&array([[0, 5], [7, 0]]), ..).has_canonical_format());
    /// ```
    #[track_caller]
    pub fn has_canonical_format(&self) -> bool {
        *self.canonical().get_or_init(|| {
            let [mut major, mut minor] = self.places();
            if let Storage::Compressed { by_columns: true, .. } = &self.storage {
                [major, minor] = [minor, major];
            }
            if major.size() < 2 {
                return true;
            }
            let rises = init(&minor).less(tail(&minor));
            let same = init(&major).equal(tail(&major));
            let later = init(&major).less(tail(&major));
            // Those that are made for a function mostly are.
            let rise = later.logical_or(same.logical_and(rises));
            guess(expect(rise.all(..).item::<bool>()), true)
        })
    }

    /// Sorts places and sums those that come several times, as `sum_duplicates` of SciPy; explicit zeros stay.
    ///
    /// Entries of one place are added from the first to the last, in the order in which they are stored.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::coo_array((array([1, 2, 3]), (array([1, 0, 1]), array([0, 0, 0]))), (2, 1));
    /// assert_eq!(a.sum_duplicates().data().to_string(), "[2 4]");
    /// ```
    #[track_caller]
    pub fn sum_duplicates(&self) -> Sparse {
        match &self.storage {
            Storage::Compressed { by_columns: true, .. } => {
                self.transpose().sum_duplicates().transpose()
            }
            _ if self.has_canonical_format() => self.clone(),
            Storage::Compressed { .. } => self.canonical_rows(),
            // Diagonals have no place twice.
            Storage::Diagonals { .. } => self.clone(),
            Storage::Coordinates { .. } => self.canonical_rows().to_coo(),
            Storage::Blocks { data, .. } => {
                let blocksize = (data.shape()[1], data.shape()[2]);
                self.to_coo().to_bsr(blocksize)
            }
        }
    }

    /// Compressed rows with sorted columns and no place twice.
    #[track_caller]
    pub(crate) fn canonical_rows(&self) -> Sparse {
        if let Storage::Compressed { by_columns: false, .. } = &self.storage
            && self.has_canonical_format()
        {
            return self.clone();
        }
        let [rows, columns, values] = self.entries();
        let sorted = expect(crate::threads::sort_places(&rows, &columns, self.shape[0]));
        let on_host = || expect(crate::host::sort_places(&rows, &columns, self.shape[0]));
        let sorted = match sorted.or_else(on_host) {
            Some(sorted) if sorted.twice => {
                [rows.take(&sorted.order, ..), sorted.columns, values.take(&sorted.order, ..)]
            }
            Some(sorted) => {
                let largest = self.shape[0].max(self.shape[1]).max(values.size());
                let dtype = index_dtype(&[&columns], largest);
                let indptr = sorted.indptr.astype(dtype);
                let parts = [indptr, sorted.columns.astype(dtype), values.take(&sorted.order, ..)];
                return Sparse::csr(self.shape, parts, Structure::canonical());
            }
            None => {
                let order = order_by(&rows, &columns, self.shape);
                [&rows, &columns, &values].map(|part| part.take(&order, ..))
            }
        };
        self.of_sorted(sorted, |values, begin, end| {
            let [sums] = NEIGHBOURS.call((begin, end, values));
            sums
        })
    }

    /// Compressed rows of sorted entries; `sum` adds values from `begin` to `end`.
    #[track_caller]
    fn of_sorted(
        &self,
        [mut rows, mut columns, mut values]: Entries,
        sum: impl Fn(&Array, &Array, &Array) -> Array,
    ) -> Sparse {
        if values.size() > 1 && !self.is_known_canonical() {
            let first = first_of_places(&rows, &columns);
            if first.size() < values.size() {
                let end = ends_of(&first, values.size());
                values = sum(&values, &first, &end);
                [rows, columns] = [rows.take(&first, ..), columns.take(&first, ..)];
            }
        }
        compressed_rows(self.shape, [rows, columns, values])
    }

    /// Sorts the entries of each row (or column) by their indices, as `sort_indices` of SciPy; duplicates keep their order.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array((array([1, 2]), array([1, 0]), array([0, 2])), (1, 2));
    /// assert_eq!(a.sort_indices().data().to_string(), "[2 1]");
    /// ```
    #[track_caller]
    pub fn sort_indices(&self) -> Sparse {
        let Storage::Compressed { by_columns, indptr, indices, data } = &self.storage else {
            return self.clone();
        };
        if self.is_known_canonical() {
            return self.clone();
        }
        let [rows, columns] = self.places();
        let order = match by_columns {
            false => order_by(&rows, &columns, self.shape),
            true => order_by(&columns, &rows, [self.shape[1], self.shape[0]]),
        };
        let storage = Storage::Compressed {
            by_columns: *by_columns,
            indptr: indptr.clone(),
            indices: indices.take(&order, ..),
            data: data.take(&order, ..),
        };
        Sparse::of(self.shape, storage, Arc::default())
    }

    /// Leaves out entries whose value is zero, as `eliminate_zeros` of SciPy. Waits for the device, which counts them.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as they are.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array((array([0, 2]), array([0, 1]), array([0, 2])), (1, 2));
    /// assert_eq!(a.eliminate_zeros().nnz(), 1);
    /// ```
    #[track_caller]
    pub fn eliminate_zeros(&self) -> Sparse {
        match &self.storage {
            Storage::Compressed { .. } | Storage::Coordinates { .. } => {
                self.take_entries(&self.values().flatnonzero())
            }
            Storage::Diagonals { .. } => self.to_coo().to_dia(),
            Storage::Blocks { data, .. } => {
                let blocksize = (data.shape()[1], data.shape()[2]);
                self.to_coo().eliminate_zeros().to_bsr(blocksize)
            }
        }
    }

    /// The entries at these positions, which rise, of an array of compressed rows or columns or of coordinates.
    #[track_caller]
    pub(crate) fn take_entries(&self, kept: &Array) -> Sparse {
        let storage = match &self.storage {
            Storage::Compressed { by_columns, indptr, indices, data } => Storage::Compressed {
                by_columns: *by_columns,
                indptr: kept.searchsorted(wide(indptr), Side::Left).astype(indptr.dtype()),
                indices: indices.take(kept, ..),
                data: data.take(kept, ..),
            },
            Storage::Coordinates { rows, columns, data } => {
                let [rows, columns, data] = [rows, columns, data].map(|part| part.take(kept, ..));
                Storage::Coordinates { rows, columns, data }
            }
            Storage::Diagonals { .. } | Storage::Blocks { .. } => {
                return self.to_coo().take_entries(kept);
            }
        };
        Sparse::of(self.shape, storage, Arc::default()).canonical_as(self)
    }

    /// Refuses an array of so many places that int64 does not count them.
    #[track_caller]
    pub(crate) fn expect_keys(&self, op: &str) {
        if !has_keys(self.shape) {
            let [m, n] = self.shape;
            refuse::<()>(op, format!("{m} by {n} elements are more than int64 counts"));
        }
    }

    /// The number of each place in C order.
    #[track_caller]
    pub(crate) fn keys(&self) -> Array {
        let [rows, columns] = self.places();
        wide(&rows) * self.shape[1] as i64 + wide(&columns)
    }

    /// The number of each place in C order, in the dtype of the indices of one row of all elements.
    #[track_caller]
    pub(crate) fn places_in_row(&self) -> Array {
        let ([rows, columns], [m, n]) = (self.places(), self.shape);
        let dtype = index_dtype(&[], m * n);
        match m {
            0 | 1 => columns.astype(dtype),
            _ => rows.astype(dtype) * n as i64 + columns.astype(dtype),
        }
    }
}

/// Where groups end that begin at these positions of `count`.
#[track_caller]
pub(crate) fn ends_of(first: &Array, count: usize) -> Array {
    let end = zeros_on(1, first.dtype(), first) + count as i64;
    ndany_array::concatenate([&tail(first), &end], 0)
}

/// Compressed rows of entries with sorted places, of which none comes twice.
#[track_caller]
pub(crate) fn compressed_rows(shape: [usize; 2], [rows, columns, values]: Entries) -> Sparse {
    let dtype = index_dtype(&[&columns], shape[0].max(shape[1]).max(values.size()));
    let rows = wide(&rows);
    let indptr = rows.searchsorted(below(shape[0] + 1, &rows), Side::Left).astype(dtype);
    Sparse::csr(shape, [indptr, columns.astype(dtype), values], Structure::canonical())
}
