//! Matchings of rows and columns.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ndany_array::{Array, DType, Error, Result};

use super::Edges;
use super::paths::Weighted;
use crate::Sparse;

const NONE: usize = usize::MAX;

/// Returns a column for each of as many rows as can be, each column once, as `scipy.sparse.csgraph.maximum_bipartite_matching` with
/// `perm_type="column"`; on the host (Hopcroft & Karp 1973).
///
/// - **Shapes**: `(m, n) → (m,)`.
/// - **Dtypes**: int32; a row without a column has -1.
/// - **Errors**: what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[1, 1, 0], [1, 0, 0], [1, 0, 0]]), ..);
/// assert_eq!(sparse::csgraph::maximum_bipartite_matching(&graph)?.to_string(), "[ 1  0 -1]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn maximum_bipartite_matching(graph: &Sparse) -> Result<Array> {
    let columns = matched(graph)?;
    let columns: Vec<i32> =
        columns.iter().map(|&column| if column == NONE { -1 } else { column as i32 }).collect();
    let _guard = graph.device().enter();
    Ok(Array::from(columns.as_slice()))
}

/// Returns the largest rank that an array of these places can have, as `scipy.sparse.csgraph.structural_rank`; on the host.
///
/// - **Shapes**: `(m, n) → ` a number.
/// - **Errors**: what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[1, 1, 0], [1, 0, 0], [1, 0, 0]]), ..);
/// assert_eq!(sparse::csgraph::structural_rank(&graph)?, 2);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn structural_rank(graph: &Sparse) -> Result<usize> {
    Ok(matched(graph)?.iter().filter(|&&column| column != NONE).count())
}

/// The column of each row.
#[track_caller]
fn matched(graph: &Sparse) -> Result<Vec<usize>> {
    let edges = Edges::of(&graph.to_csr())?;
    let (m, n) = (edges.count(), graph.shape()[1]);
    let (mut column_of, mut row_of) = (vec![NONE; m], vec![NONE; n]);
    loop {
        // Steps from the rows that have no column, along edges and back along matched ones.
        let mut level = vec![NONE; m];
        let mut queue: VecDeque<usize> = (0..m).filter(|&row| column_of[row] == NONE).collect();
        queue.iter().for_each(|&row| level[row] = 0);
        let mut is_reached = false;
        while let Some(row) = queue.pop_front() {
            for &column in edges.targets(row) {
                match row_of[column] {
                    NONE => is_reached = true,
                    next if level[next] == NONE => {
                        level[next] = level[row] + 1;
                        queue.push_back(next);
                    }
                    _ => {}
                }
            }
        }
        if !is_reached {
            return Ok(column_of);
        }
        // Shortest paths that share no row; each edge is looked at once.
        let mut next: Vec<usize> = (0..m).map(|row| edges.from(row).start).collect();
        let starts: Vec<usize> = (0..m).filter(|&row| column_of[row] == NONE).collect();
        for start in starts {
            let mut path = vec![start];
            while let Some(&row) = path.last() {
                if next[row] == edges.from(row).end {
                    path.pop();
                    continue;
                }
                let column = edges.targets[next[row]];
                next[row] += 1;
                match row_of[column] {
                    NONE => {
                        // Each row of the path takes the column that it looked at last.
                        for &row in &path {
                            let column = edges.targets[next[row] - 1];
                            (column_of[row], row_of[column]) = (column, row);
                        }
                        break;
                    }
                    other if level[other] == level[row] + 1 => path.push(other),
                    _ => {}
                }
            }
        }
    }
}

/// Returns the rows and the columns of pairs of the least sum of weights, one for each row or each column, whichever are fewer, as
/// `scipy.sparse.csgraph.min_weight_full_bipartite_matching`; on the host, by shortest augmenting paths (Jonker & Volgenant 1987).
///
/// Stored zeros are no pairs. The largest sum is that of `-&graph`.
///
/// - **Shapes**: `(m, n) → (min(m, n),), (min(m, n),)`, the rows in their order.
/// - **Dtypes**: real weights; int32.
/// - **Errors**: complex numbers, weights that are not finite, no matching of all rows or columns.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[1.0, 3.0], [1.0, 5.0], [2.0, 9.0]]), ..);
/// let (rows, columns) = sparse::csgraph::min_weight_full_bipartite_matching(&graph)?;
/// assert_eq!((rows.to_string(), columns.to_string()), ("[0 1]".into(), "[1 0]".into()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn min_weight_full_bipartite_matching(graph: &Sparse) -> Result<(Array, Array)> {
    const OP: &str = "min_weight_full_bipartite_matching";
    let wrong =
        |reason: &str| Err(Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() });
    if graph.dtype().is_complex() {
        return wrong("expected real weights, got complex ones");
    }
    let [m, n] = graph.shape();
    // Fewer rows than columns.
    let is_turned = m > n;
    let own = if is_turned { graph.transpose() } else { graph.clone() };
    let own = own.to_csr().sum_duplicates().eliminate_zeros().astype(DType::F64);
    let weights: Vec<f64> = own.row_values().to_vec()?;
    if weights.iter().any(|weight| !weight.is_finite()) {
        return wrong("expected finite weights");
    }
    let Some(columns) = lightest(&Weighted { edges: Edges::of(&own)?, weights }, m.max(n)) else {
        return wrong("there is no matching of all rows or of all columns");
    };
    let mut pairs: Vec<(i32, i32)> = columns
        .iter()
        .enumerate()
        .map(|(row, &column)| (row as i32, column as i32))
        .map(|(row, column)| if is_turned { (column, row) } else { (row, column) })
        .collect();
    pairs.sort_unstable();
    let _guard = graph.device().enter();
    let part = |of: fn(&(i32, i32)) -> i32| {
        let part: Vec<i32> = pairs.iter().map(of).collect();
        Array::from_slice(&part, part.len())
    };
    Ok((part(|pair| pair.0), part(|pair| pair.1)))
}

/// The column of each row in a matching of the least sum, if all rows can have one.
fn lightest(found: &Weighted, columns: usize) -> Option<Vec<usize>> {
    let rows = found.edges.count();
    let (mut column_of, mut row_of) = (vec![NONE; rows], vec![NONE; columns]);
    // No edge is shorter than the sum of the prices of its ends, and those of pairs are as long.
    let (mut row_price, mut column_price) = (vec![0.0; rows], vec![0.0; columns]);
    for (row, price) in row_price.iter_mut().enumerate() {
        let own = found.edges.from(row).map(|edge| found.weights[edge]);
        *price = own.fold(f64::INFINITY, f64::min);
    }
    for start in 0..rows {
        // The nearest column without a row, along edges and back along pairs.
        let mut distance = vec![f64::INFINITY; columns];
        let mut before = vec![NONE; columns];
        let mut done: Vec<usize> = Vec::new();
        let mut is_done = vec![false; columns];
        let mut queue: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let (mut row, mut reached) = (start, 0.0);
        let end = loop {
            for edge in found.edges.from(row) {
                let (column, weight) = (found.edges.targets[edge], found.weights[edge]);
                let apart = weight - row_price[row] - column_price[column];
                // Rounding may leave less than nothing.
                let next = reached + if apart > 0.0 { apart } else { 0.0 };
                if !is_done[column] && next < distance[column] {
                    (distance[column], before[column]) = (next, row);
                    // Bits of numbers that are not negative have their order.
                    queue.push(Reverse((next.to_bits(), column)));
                }
            }
            // A column may wait several times; the first one counts.
            let column = loop {
                let Reverse((_, column)) = queue.pop()?;
                if !is_done[column] {
                    break column;
                }
            };
            is_done[column] = true;
            done.push(column);
            reached = distance[column];
            if row_of[column] == NONE {
                break column;
            }
            row = row_of[column];
        };
        // Prices move so that the path's edges are as long as those of its ends.
        row_price[start] += reached;
        for &column in &done {
            let by = reached - distance[column];
            column_price[column] -= by;
            if row_of[column] != NONE {
                row_price[row_of[column]] += by;
            }
        }
        let mut column = end;
        loop {
            let row = before[column];
            row_of[column] = row;
            let next = std::mem::replace(&mut column_of[row], column);
            if row == start {
                break;
            }
            column = next;
        }
    }
    Some(column_of)
}
