//! Rows and columns by position: slices, lists and masks.

use std::sync::Arc;

use ndany_array::extend::expect;
use ndany_array::{Array, Error, Index, IntoIndex};

use crate::array::{Format, Sparse, Storage};
use crate::support::{below, last, offsets, refuse, segment_of, wide};

impl Sparse {
    /// Selects rows and columns, as `a[rows, columns]` of SciPy with slices, and `a[rows][:, columns]` with lists or masks.
    ///
    /// Coordinates, diagonals and blocks become compressed rows. Waits for the device, which counts the entries.
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
        const OP: &str = "i";
        let items = index.into_index();
        let form = |reason| expect(Err(Error::IndexForm { op: OP, reason, ndim: 2 }));
        let mut chosen: [Option<Array>; 2] = [None, None];
        let (mut axis, mut seen) = (0, false);
        for (position, item) in items.iter().enumerate() {
            match item {
                Index::Ellipsis if !seen => {
                    seen = true;
                    axis = 2 - (items.len() - position - 1).min(2);
                    continue;
                }
                Index::At(_) => {
                    return form("an integer leaves one axis: use get, or a slice of one");
                }
                Index::NewAxis | Index::Bool(_) => return form("a sparse array has two axes"),
                Index::Ellipsis => return form("two ellipses"),
                Index::Slice { .. } | Index::Array(_) | Index::List(_) => {}
            }
            if axis == 2 {
                return form("more than two items");
            }
            let whole = matches!(item, Index::Slice { start: None | Some(0), stop: None, step: 1 });
            if !whole {
                let positions = below(self.shape[axis], self.values()).i(item.clone());
                if positions.ndim() != 1 {
                    return form("expected one axis of positions");
                }
                chosen[axis] = Some(positions);
            }
            axis += 1;
        }
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
    fn rows_at(&self, positions: &Array) -> Sparse {
        let Storage::Compressed { indptr, indices, data, .. } = &self.storage else {
            return refuse("i", "expected compressed rows".to_string());
        };
        let dtype = indptr.dtype();
        let indptr = wide(indptr);
        let begin = indptr.take(positions, ..);
        let starts = offsets(&(indptr.take(positions + 1, ..) - &begin));
        let count = last(&starts);
        let row = segment_of(&starts, count);
        let source = below(count, &starts) - starts.take(&row, ..) + begin.take(&row, ..);
        let shape = [positions.size(), self.shape[1]];
        let parts = [starts.astype(dtype), indices.take(&source, ..), data.take(&source, ..)];
        // Each row keeps its order, and comes whole.
        let known = self.structure.canonical.get() == Some(&true);
        let structure = if known { crate::array::Structure::canonical() } else { Arc::default() };
        Sparse::csr(shape, parts, structure)
    }
}
