//! Triangular systems by levels: rows that read only solved ones are solved together.

use std::sync::LazyLock;

use ndany_array::kernel::{Elementwise, elementwise};
use ndany_array::{Array, DType, Result, s};

use super::run;
use crate::Sparse;
use crate::kernels::at;
use crate::support::{below, positions};

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

/// The order in which the rows of a triangle are solved, on the host: level by level. The place of a row is its number in it.
pub(super) struct Levels {
    /// The row at each place, and the place of each row.
    order: Vec<usize>,
    places: Vec<usize>,
    /// The triangle in this order: where each row begins, the places of its columns, and which entry of the given ones each is.
    indptr: Vec<usize>,
    indices: Vec<usize>,
    entries: Vec<usize>,
    /// The place at which each level begins, and the last one ends.
    begins: Vec<usize>,
}

impl Levels {
    /// Of compressed rows, of which each reads only rows on one side of it.
    pub(super) fn of(indptr: &[usize], indices: &[usize], is_upper: bool) -> Self {
        let n = indptr.len() - 1;
        let mut level = vec![0usize; n];
        let of_row = |row: usize| &indices[indptr[row]..indptr[row + 1]];
        let mut deepest = 0;
        for step in 0..n {
            let row = if is_upper { n - 1 - step } else { step };
            let own = of_row(row).iter().map(|&column| level[column] + 1).max();
            level[row] = own.unwrap_or(0);
            deepest = deepest.max(level[row]);
        }
        // A counting sort keeps rows of a level in their order.
        let mut begins = vec![0usize; deepest + 2];
        level.iter().for_each(|&level| begins[level + 1] += 1);
        for number in 1..begins.len() {
            begins[number] += begins[number - 1];
        }
        let mut next = begins.clone();
        let (mut order, mut places) = (vec![0; n], vec![0; n]);
        for row in 0..n {
            let place = &mut next[level[row]];
            (order[*place], places[row]) = (row, *place);
            *place += 1;
        }
        let mut own_indptr = Vec::with_capacity(n + 1);
        own_indptr.push(0);
        let (mut entries, mut columns) =
            (Vec::with_capacity(indices.len()), Vec::with_capacity(indices.len()));
        for &row in &order {
            entries.extend(indptr[row]..indptr[row + 1]);
            columns.extend(of_row(row).iter().map(|&column| places[column]));
            own_indptr.push(columns.len());
        }
        Self { order, places, indptr: own_indptr, indices: columns, entries, begins }
    }

    /// Values of the rows, by places.
    pub(super) fn rows<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.order.iter().map(|&row| values[row]).collect()
    }

    /// Values of the entries, in the order of the triangle.
    pub(super) fn entries<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.entries.iter().map(|&entry| values[entry]).collect()
    }
}

/// Positions on the device that is entered.
fn sent(positions: &[usize]) -> Array {
    let wide: Vec<i64> = positions.iter().map(|&position| position as i64).collect();
    Array::from(wide)
}

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
        let rows = rows.to_csr();
        let _guard = rows.device().enter();
        let (indptr, indices) = (positions(&rows.indptr())?, positions(&rows.indices())?);
        let levels = Levels::of(&indptr, &indices, is_upper);
        let data = rows.data().take(sent(&levels.entries), ..);
        let mut made = Self::of(levels, data, None)?;
        made.pivots = pivots.map(|pivots| pivots.take(&made.order, ..));
        made.pivots.as_ref().map_or(Ok(()), |pivots| run(&[pivots]))?;
        Ok(made)
    }

    /// Of entries in the order of the levels, and pivots by places.
    #[track_caller]
    pub(super) fn of(levels: Levels, data: Array, pivots: Option<Array>) -> Result<Self> {
        let _guard = data.device().enter();
        run(&[&data])?;
        pivots.as_ref().map_or(Ok(()), |pivots| run(&[pivots]))?;
        Ok(Self {
            order: sent(&levels.order),
            places: sent(&levels.places),
            indptr: sent(&levels.indptr),
            indices: sent(&levels.indices),
            data,
            pivots,
            levels: levels.begins,
        })
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
