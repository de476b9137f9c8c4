//! Nodes in the order in which searches find them.

use ndany_array::extend::{Ahead, expect, is_dry_run};
use ndany_array::{Array, DType, Error, Result, concatenate, ufunc};

use super::paths::NOBODY;
use super::{Edges, both_ways, check_node, levels, nodes};
use crate::Sparse;
use crate::support::{below, last, offsets, segment_of, wide, zeros_on};

/// The graph as a search goes through it.
#[track_caller]
fn searched(op: &'static str, graph: &Sparse, start: usize, directed: bool) -> Result<Sparse> {
    check_node(op, start, nodes(op, graph)?)?;
    Ok(if directed { graph.to_csr() } else { both_ways(graph) })
}

/// Returns the nodes that paths from a node reach, the nearest first, and the node before each, as
/// `scipy.sparse.csgraph.breadth_first_order`.
///
/// A round finds all nodes at one distance on the device: in the order of the nodes before them, and of their entries. The host reads
/// how many there are. On a GPU a search in both directions keeps what [`Sparse::rmatmul`] keeps.
///
/// - **Shapes**: `(n, n) → (found,), (n,)`.
/// - **Dtypes**: int32; the node before one that is not found, and before the first, is -9999.
/// - **Errors**: an array that is not square, a node out of range.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]), ..);
/// let (order, before) = sparse::csgraph::breadth_first_order(&graph, 0, true)?;
/// assert_eq!((order.to_string(), before.to_string()), ("[0 1 2 3]".into(), "[-9999     0     0     1]".into()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn breadth_first_order(graph: &Sparse, start: usize, directed: bool) -> Result<(Array, Array)> {
    check_node("breadth_first_order", start, nodes("breadth_first_order", graph)?)?;
    static KERNELS: Ahead = Ahead::new();
    KERNELS
        .ask(graph, directed, |graph, directed| breadth_first_order(graph, 0, directed)?.0.eval());
    if let Some(found) = levels::breadth_first(graph, start, directed)? {
        return Ok(found);
    }
    let own = searched("breadth_first_order", graph, start, directed)?;
    let n = own.shape()[0];
    let (rows, like) = (own.rows(), own.values());
    let mut level = zeros_on(1, DType::I64, like) + start as i64;
    let mut before = zeros_on(n, DType::I32, like) + NOBODY;
    let mut is_new = zeros_on(n, DType::Bool, like).logical_not();
    is_new.put(&level, false, ..);
    let mut order = vec![level.clone()];
    while level.size() > 0 && own.nnz() > 0 {
        let begin = rows.indptr.take(&level, ..);
        let starts = offsets(&(rows.indptr.take(&level + 1, ..) - &begin));
        let count = last(&starts, rows.indices.size());
        if count == 0 {
            break;
        }
        let parent = segment_of(&starts, count);
        let edge = below(count, like) - starts.take(&parent, ..) + begin.take(&parent, ..);
        let target = wide(&rows.indices.take(edge, ..));
        // The first edge to each node finds it.
        let mut first = zeros_on(n, DType::I64, like) + count as i64;
        let number = below(count, like);
        ufunc::minimum.at(&mut first, &target, &number);
        let finds = first.take(&target, ..).equal(&number);
        let found = finds.logical_and(is_new.take(&target, ..)).flatnonzero();
        let next = target.take(&found, ..);
        if next.size() == 0 {
            break;
        }
        let by = level.take(parent.take(&found, ..), ..).astype(DType::I32);
        before.put(&next, by, ..);
        is_new.put(&next, false, ..);
        expect(before.eval());
        expect(is_new.eval());
        if is_dry_run() {
            break;
        }
        order.push(next.clone());
        level = next;
    }
    let order = concatenate(&order, 0).astype(DType::I32);
    order.eval()?;
    Ok((order, before))
}

/// Returns the edges by which a search finds nodes, the nearest first, as `scipy.sparse.csgraph.breadth_first_tree`.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: that of the array.
/// - **Errors**: as [`breadth_first_order`](fn@breadth_first_order).
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 7, 2], [0, 0, 3], [0, 0, 0]]), ..);
/// let tree = sparse::csgraph::breadth_first_tree(&graph, 0, true)?;
/// assert_eq!(tree.to_dense().to_string(), "[[0 7 2]\n [0 0 0]\n [0 0 0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn breadth_first_tree(graph: &Sparse, start: usize, directed: bool) -> Result<Sparse> {
    let (_, before) = breadth_first_order(graph, start, directed)?;
    reconstruct_path(graph, &before, directed)
}

/// Returns the edges by which a search goes deeper, as `scipy.sparse.csgraph.depth_first_tree`; on the host.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: that of the array.
/// - **Errors**: as [`depth_first_order`](fn@depth_first_order).
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 7, 2], [0, 0, 3], [0, 0, 0]]), ..);
/// let tree = sparse::csgraph::depth_first_tree(&graph, 0, true)?;
/// assert_eq!(tree.to_dense().to_string(), "[[0 7 0]\n [0 0 3]\n [0 0 0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn depth_first_tree(graph: &Sparse, start: usize, directed: bool) -> Result<Sparse> {
    let (_, before) = depth_first_order(graph, start, directed)?;
    reconstruct_path(graph, &before, directed)
}

/// Returns the edges from the node before each node to the node, as `scipy.sparse.csgraph.reconstruct_path`.
///
/// - **Shapes**: `(n, n), (n,) → (n, n)`.
/// - **Dtypes**: that of the array; nodes before others are integers, negative where there is none.
/// - **Errors**: an array that is not square, other shapes, a node out of range.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 7, 2], [0, 0, 3], [0, 0, 0]]), ..);
/// let tree = sparse::csgraph::reconstruct_path(&graph, &array([-9999, 0, 1]), true)?;
/// assert_eq!(tree.to_dense().to_string(), "[[0 7 0]\n [0 0 3]\n [0 0 0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn reconstruct_path(graph: &Sparse, predecessors: &Array, directed: bool) -> Result<Sparse> {
    const OP: &str = "reconstruct_path";
    let n = nodes(OP, graph)?;
    if predecessors.shape() != [n] {
        let expected = format!("a node before each of {n} nodes");
        return Err(Error::Shape { op: OP, expected, got: predecessors.shape().into() });
    }
    let columns = predecessors.greater_equal(0).flatnonzero();
    let rows = wide(&predecessors.take(&columns, ..));
    let own = graph.to_csr().sum_duplicates();
    let mut values = own.at(&rows, &columns);
    if !directed {
        // The smaller of two weights, where both directions have one.
        let other = own.at(&columns, &rows);
        let (no_own, no_other) = (values.equal(0), other.equal(0));
        let least = values.minimum(&other);
        let one = ndany_array::where_(&no_other, &values, least);
        values = ndany_array::where_(&no_own, other, one);
    }
    Ok(crate::coo_array((values, (rows, columns)), own.shape()).to_csr())
}

/// Returns the nodes that paths from a node reach, each before those that are found from it, and the node before each, as
/// `scipy.sparse.csgraph.depth_first_order`; on the host.
///
/// - **Shapes**: `(n, n) → (found,), (n,)`.
/// - **Dtypes**: int32; the node before one that is not found, and before the first, is -9999.
/// - **Errors**: an array that is not square, a node out of range.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]), ..);
/// let (order, before) = sparse::csgraph::depth_first_order(&graph, 0, true)?;
/// assert_eq!((order.to_string(), before.to_string()), ("[0 1 3 2]".into(), "[-9999     0     0     1]".into()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn depth_first_order(graph: &Sparse, start: usize, directed: bool) -> Result<(Array, Array)> {
    let own = searched("depth_first_order", graph, start, directed)?;
    let edges = Edges::of(&own)?;
    let n = edges.count();
    let mut before = vec![NOBODY; n];
    let mut is_found = vec![false; n];
    is_found[start] = true;
    let mut order = vec![start as i32];
    let mut path = vec![(start, edges.from(start))];
    while let Some((node, left)) = path.last_mut() {
        let node = *node;
        match left.find(|&edge| !is_found[edges.targets[edge]]) {
            None => {
                path.pop();
            }
            Some(edge) => {
                let target = edges.targets[edge];
                is_found[target] = true;
                before[target] = node as i32;
                order.push(target as i32);
                path.push((target, edges.from(target)));
            }
        }
    }
    let _guard = graph.device().enter();
    Ok((Array::from(order.as_slice()), Array::from(before.as_slice())))
}
