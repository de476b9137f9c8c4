//! Matchings of rows and columns.

use std::collections::VecDeque;

use ndany_array::{Array, Result};

use super::Edges;
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
