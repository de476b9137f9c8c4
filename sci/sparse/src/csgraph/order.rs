//! Orders of nodes that keep entries near the diagonal.

use ndany_array::{Array, Result};

use super::{Edges, nodes};
use crate::Sparse;

/// Returns an order of rows and columns in which entries are near the diagonal, as `scipy.sparse.csgraph.reverse_cuthill_mckee`; on the
/// host.
///
/// The pattern is that of the array and its transpose. A search begins at the node of the fewest entries that is left, the first of
/// several, and goes on by the number of entries; the order is then reversed.
///
/// - **Shapes**: `(n, n) → (n,)`.
/// - **Dtypes**: int32.
/// - **Errors**: an array that is not square.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 1, 1]]), ..);
/// assert_eq!(sparse::csgraph::reverse_cuthill_mckee(&graph)?.to_string(), "[3 2 0 1]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn reverse_cuthill_mckee(graph: &Sparse) -> Result<Array> {
    let n = nodes("reverse_cuthill_mckee", graph)?;
    let ones = graph.to_csr().sum_duplicates();
    let ones = ones.with_data(ones.data().abs().multiply(0) + 1).astype(ndany_array::DType::I32);
    let edges = Edges::of(&(&ones + ones.transpose().to_csr()))?;
    // A node that has itself as a neighbour counts twice, as in SciPy.
    let degree: Vec<usize> = (0..n)
        .map(|node| edges.targets(node).len() + usize::from(edges.targets(node).contains(&node)))
        .collect();
    let mut seeds: Vec<usize> = (0..n).collect();
    seeds.sort_by_key(|&node| degree[node]);
    let mut is_found = vec![false; n];
    let mut order: Vec<usize> = Vec::with_capacity(n);
    for seed in seeds {
        if is_found[seed] {
            continue;
        }
        is_found[seed] = true;
        let mut next = order.len();
        order.push(seed);
        while next < order.len() {
            let begin = order.len();
            for &target in edges.targets(order[next]) {
                if !is_found[target] {
                    is_found[target] = true;
                    order.push(target);
                }
            }
            order[begin..].sort_by_key(|&node| degree[node]);
            next += 1;
        }
    }
    let order: Vec<i32> = order.into_iter().rev().map(|node| node as i32).collect();
    let _guard = graph.device().enter();
    Ok(Array::from(order.as_slice()))
}
