//! Spanning trees.

use ndany_array::extend::Ahead;
use ndany_array::{Array, DType, Error, Result, ufunc, where_};

use super::{forest, nodes};
use crate::Sparse;
use crate::support::{below, wide, zeros_on};

/// Returns the edges of least weight that join all that edges join, as `scipy.sparse.csgraph.minimum_spanning_tree`.
///
/// An edge goes in both directions. Of equal weights the first entry by row and column counts. In each round on the device every
/// tree takes its lightest edge (Borůvka 1926); the host reads whether there is one.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: real ones; float64.
/// - **Errors**: an array that is not square, complex numbers.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]]), ..);
/// let tree = sparse::csgraph::minimum_spanning_tree(&graph)?;
/// assert_eq!(tree.to_dense().astype(I64).to_string(), "[[0 0 0 3]\n [0 0 2 5]\n [0 0 0 0]\n [0 0 0 0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn minimum_spanning_tree(graph: &Sparse) -> Result<Sparse> {
    const OP: &str = "minimum_spanning_tree";
    let n = nodes(OP, graph)?;
    if graph.dtype().is_complex() {
        let reason = "expected real weights, got complex ones".to_string();
        return Err(Error::ArgumentValue { op: OP.to_string(), reason });
    }
    static KERNELS: Ahead = Ahead::new();
    KERNELS.ask(graph, (), |graph, ()| minimum_spanning_tree(graph)?.data().eval());
    let own = graph.to_csr().sum_duplicates().astype(DType::F64);
    let [rows, columns, weights] = own.entries();
    let order = weights.argsort(..);
    let chosen = match forest::spanning_edges(&order, [&rows, &columns], n)? {
        Some(chosen) => chosen,
        None => spanning_edges(&order, [&wide(&rows), &wide(&columns)], n)?,
    };
    // SciPy's tree has no explicit zeros.
    Ok(own.take_entries(&chosen.logical_and(weights.not_equal(0)).flatnonzero()))
}

/// Which entries are edges of the spanning trees of least weight. `order` sorts the entries by weight, `ends` are the nodes that each
/// joins.
#[track_caller]
fn spanning_edges(order: &Array, [from, to]: [&Array; 2], n: usize) -> Result<Array> {
    let count = order.size();
    // The rank of an edge by weight, then by place: no two are equal.
    let mut rank = zeros_on(count, DType::I64, order);
    if count > 0 {
        rank.put(order, below(count, order), ..);
    }
    rank.eval()?;
    let node = below(n, order);
    let mut tree = node.clone();
    let mut chosen = zeros_on(count, DType::Bool, order);
    // Each round at least halves the trees that edges join; without edges there is none.
    for _ in 0..if count > 0 { n } else { 0 } {
        let [left, right] = [from, to].map(|ends| tree.take(ends, ..));
        let joins = left.not_equal(&right);
        let own_rank = where_(&joins, &rank, count as i64);
        own_rank.eval()?;
        let mut best = zeros_on(n, DType::I64, order) + count as i64;
        ufunc::minimum.at(&mut best, &left, &own_rank);
        ufunc::minimum.at(&mut best, &right, &own_rank);
        let has_edge = best.less(count as i64);
        best.eval()?;
        if !has_edge.any(..).item::<bool>()? {
            break;
        }
        // The edge that a tree takes, and the tree at its other end.
        let edge = order.take(best.minimum(count as i64 - 1), ..);
        let [a, b] = [&left, &right].map(|ends| ends.take(&edge, ..));
        let other = where_(a.equal(&node), b, a);
        let next = where_(&has_edge, other, &node);
        next.eval()?;
        // Two trees that take the same edge: the first one is the root.
        let back = next.take(&next, ..).equal(&node).logical_and(node.less(&next));
        let mut root = where_(back, &node, &next);
        root.eval()?;
        let taken = edge.take(has_edge.flatnonzero(), ..);
        chosen.put(&taken, true, ..);
        chosen.eval()?;
        // Paths to roots are halved until all are there; twice the logarithm of the nodes is enough.
        for _ in 0..usize::BITS - n.leading_zeros() + 1 {
            root = root.take(&root, ..);
            root.eval()?;
        }
        tree = root.take(&tree, ..);
        tree.eval()?;
    }
    Ok(chosen)
}
