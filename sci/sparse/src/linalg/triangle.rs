//! Triangular systems by levels: rows that read only solved ones are solved together.

use std::sync::LazyLock;

use ndany_array::kernel::{Elementwise, elementwise};
use ndany_array::{Array, DType, Result, s};

use super::run;
use crate::Sparse;
use crate::kernels::at;
use crate::support::{below, wide};

/// The rows of a level: `begin, end, column, count, right, indices, data, x`. `x` has `count` columns, and row `j` of it is that of
/// place `j` in the order of the levels.
static SUBSTITUTE: LazyLock<Elementwise<8, 1>> = LazyLock::new(|| {
    let kernel = elementwise(
        "sparse.substitute",
        |k, [begin, end, column, count, right, indices, data, x]| {
            let [sum, _] = k.repeat_while(
                u32::MAX,
                [right.zero(), begin],
                |[_, p]| p.less(end),
                |[sum, p]| {
                    // A number takes the dtype of the arrays beside it.
                    let place = at(indices, p) * count.astype(DType::I64) + column;
                    [sum + at(data, p) * at(x, place), p + 1]
                },
            );
            [right - sum]
        },
    );
    kernel.whole(5).whole(6).whole(7)
});

/// A triangle without its diagonal, in the order of its levels, and the diagonal.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    /// The row at each place, and the place of each row.
    order: Array,
    places: Array,
    indptr: Array,
    indices: Array,
    data: Array,
    /// The diagonal by places, unless it is ones.
    pivots: Option<Array>,
    /// Where each level begins, and the last one ends.
    levels: Vec<usize>,
}

impl Triangle {
    /// Of compressed rows, of which each reads only rows on one side of it. Their structure is read by the host.
    #[track_caller]
    pub(super) fn new(rows: &Sparse, pivots: Option<&Array>, is_upper: bool) -> Result<Self> {
        let n = rows.shape()[0];
        let rows = rows.to_csr();
        let indptr: Vec<i64> = wide(&rows.indptr()).to_vec()?;
        let indices: Vec<i64> = wide(&rows.indices()).to_vec()?;
        let mut level = vec![0usize; n];
        let of_row = |row: usize| &indices[indptr[row] as usize..indptr[row + 1] as usize];
        let mut deepest = 0;
        for step in 0..n {
            let row = if is_upper { n - 1 - step } else { step };
            let own = of_row(row).iter().map(|&column| level[column as usize] + 1).max();
            level[row] = own.unwrap_or(0);
            deepest = deepest.max(level[row]);
        }
        // A counting sort keeps rows of a level in their order.
        let mut levels = vec![0usize; deepest + 2];
        level.iter().for_each(|&level| levels[level + 1] += 1);
        for number in 1..levels.len() {
            levels[number] += levels[number - 1];
        }
        let mut next = levels.clone();
        let mut order = vec![0i64; n];
        let mut places = vec![0i64; n];
        for row in 0..n {
            let place = &mut next[level[row]];
            order[*place] = row as i64;
            places[row] = *place as i64;
            *place += 1;
        }
        let mut sorted_indptr = vec![0i64; n + 1];
        let (mut entries, mut columns) =
            (Vec::with_capacity(indices.len()), Vec::with_capacity(indices.len()));
        for (place, &row) in order.iter().enumerate() {
            let row = row as usize;
            entries.extend(indptr[row]..indptr[row + 1]);
            columns.extend(of_row(row).iter().map(|&column| places[column as usize]));
            sorted_indptr[place + 1] = columns.len() as i64;
        }
        let _guard = rows.device().enter();
        let of = |positions: &[i64]| Array::from_slice(positions, positions.len());
        let order = of(&order);
        let pivots = pivots.map(|pivots| pivots.take(&order, ..));
        let data = rows.data().take(of(&entries), ..);
        let made = Self {
            order,
            places: of(&places),
            indptr: of(&sorted_indptr),
            indices: of(&columns),
            data,
            pivots,
            levels,
        };
        run(&[&made.data])?;
        made.pivots.as_ref().map_or(Ok(()), |pivots| run(&[pivots]))?;
        Ok(made)
    }

    /// Solves for a vector or for the columns of a matrix.
    #[track_caller]
    pub(super) fn solve(&self, b: &Array) -> Result<Array> {
        let n = self.order.size();
        let columns = if b.ndim() == 2 { b.shape()[1] } else { 1 };
        let dtype = DType::promote(self.data.dtype(), b.dtype());
        let right = b.astype(dtype).reshape((n, columns)).take(&self.order, 0);
        let data = self.data.astype(dtype);
        run(&[&right, &data])?;
        let mut x = right.zeros_like();
        let column = below(columns, b);
        for bounds in self.levels.windows(2) {
            let (begin, end) = (bounds[0] as isize, bounds[1] as isize);
            if begin == end {
                continue;
            }
            let part =
                |array: &Array, from: isize| array.i(s![begin + from..end + from]).reshape((-1, 1));
            let (starts, ends) = (part(&self.indptr, 0), part(&self.indptr, 1));
            let own = right.i(s![begin..end, ..]);
            let arguments =
                (starts, ends, &column, columns as i64, own, &self.indices, &data, x.ravel());
            let [rest] = SUBSTITUTE.call(arguments);
            let solved = match &self.pivots {
                Some(pivots) => rest / part(pivots, 0).astype(dtype),
                None => rest,
            };
            run(&[&solved])?;
            x.set(s![begin..end, ..], solved);
        }
        run(&[&x])?;
        Ok(x.take(&self.places, 0).reshape(b.shape()))
    }
}
