//! Graphs as dense arrays, and the distances that predecessors stand for.

use ndany_array::{Array, DType, Error, Result};

use super::{check_node, nodes};
use crate::Sparse;
use crate::support::{index_dtype, refuse, wide, zeros_on};

/// Makes a graph of a dense array, as `scipy.sparse.csgraph.csgraph_from_dense`: `null`, infinities and NaN are no edges.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: real ones; float64.
/// - **Errors**: an array that is not square, complex numbers.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csgraph::csgraph_from_dense(&array([[0.0, f64::INFINITY], [-1.0, 2.0]]), -1.0);
/// assert_eq!((graph.data().to_string(), graph.indices().to_string()), ("[0. 2.]".into(), "[0 1]".into()));
/// ```
#[track_caller]
pub fn csgraph_from_dense(dense: &Array, null: f64) -> Sparse {
    let &[n, columns] = dense.shape() else {
        return refuse("csgraph_from_dense", format!("expected a matrix, got {:?}", dense.shape()));
    };
    if n != columns || dense.dtype().is_complex() {
        let reason = format!("expected a square matrix of real numbers, got {n} by {columns}");
        return refuse("csgraph_from_dense", reason);
    }
    let values = dense.astype(DType::F64).ravel();
    let kept = values.isfinite().logical_and(values.not_equal(null)).flatnonzero();
    let (extent, index) = (n.max(1) as i64, index_dtype(&[], n));
    let [rows, columns] =
        [kept.floor_divide(extent), kept.remainder(extent)].map(|part| part.astype(index));
    crate::coo_array((values.take(&kept, ..), (rows, columns)), (n, n)).to_csr()
}

/// Makes a dense array of a graph, with `null` where there is no edge, as `scipy.sparse.csgraph.csgraph_to_dense`.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: real ones; float64.
/// - **Errors**: an array that is not square, complex numbers.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csgraph::csgraph_from_dense(&array([[0.0, -1.0], [-1.0, 2.0]]), -1.0);
/// assert_eq!(sparse::csgraph::csgraph_to_dense(&graph, 9.0).to_string(), "[[0. 9.]\n [9. 2.]]");
/// ```
#[track_caller]
pub fn csgraph_to_dense(graph: &Sparse, null: f64) -> Array {
    let [n, columns] = graph.shape();
    if n != columns || graph.dtype().is_complex() {
        let reason = format!("expected a square array of real numbers, got {n} by {columns}");
        return refuse("csgraph_to_dense", reason);
    }
    graph.expect_keys("csgraph_to_dense");
    let [rows, columns, values] = graph.sum_duplicates().entries();
    let mut dense = zeros_on(n * n, DType::F64, &values) + null;
    if values.size() > 0 {
        dense.put(wide(&rows) * n as i64 + wide(&columns), values.astype(DType::F64), ..);
    }
    dense.reshape((n, n))
}

/// Returns the lengths of the paths that predecessors say, as `scipy.sparse.csgraph.construct_dist_matrix`; on the host.
///
/// - **Shapes**: `(n, n), (n, n) → (n, n)`.
/// - **Dtypes**: real ones; float64. Predecessors are integers, negative where there is none; without a path the length is `null`.
/// - **Errors**: an array that is not square, other shapes, a node out of range, predecessors that go round in circles.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::csgraph::{construct_dist_matrix, shortest_path};
/// let graph = sparse::csr_array(&array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), ..);
/// let paths = shortest_path(&graph, ..)?;
/// let distances = construct_dist_matrix(&graph, &paths.predecessors, true, f64::INFINITY)?;
/// assert_eq!(distances.to_string(), "[[ 0.  1.  3.]\n [inf  0.  2.]\n [inf inf  0.]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn construct_dist_matrix(
    graph: &Sparse,
    predecessors: &Array,
    directed: bool,
    null: f64,
) -> Result<Array> {
    const OP: &str = "construct_dist_matrix";
    let n = nodes(OP, graph)?;
    if predecessors.shape() != [n, n] {
        let expected = format!("a node before each of {n} by {n} nodes");
        return Err(Error::Shape { op: OP, expected, got: predecessors.shape().into() });
    }
    let mut lengths = csgraph_to_dense(graph, f64::INFINITY);
    if !directed {
        lengths = lengths.minimum(lengths.t());
    }
    let lengths: Vec<f64> = lengths.ravel().to_vec()?;
    let before: Vec<i64> = wide(predecessors).ravel().to_vec()?;
    let mut distances = vec![null; n * n];
    for source in 0..n {
        let (before, own) = (&before[source * n..][..n], &mut distances[source * n..][..n]);
        let mut is_known = vec![false; n];
        (own[source], is_known[source]) = (0.0, true);
        for node in 0..n {
            // Back to a node whose distance is known, or that has none before it.
            let mut path = vec![node];
            while let Some(&last) = path.last() {
                if is_known[last] || before[last] < 0 {
                    break;
                }
                let next = usize::try_from(before[last]).unwrap_or(usize::MAX);
                check_node(OP, next, n)?;
                if path.len() > n {
                    let reason = "expected paths, got predecessors that go round in circles";
                    return Err(Error::ArgumentValue {
                        op: OP.to_string(),
                        reason: reason.to_string(),
                    });
                }
                path.push(next);
            }
            for pair in path.windows(2).rev() {
                let (node, last) = (pair[0], pair[1]);
                if is_known[last] {
                    own[node] = own[last] + lengths[last * n + node];
                    is_known[node] = true;
                }
            }
        }
    }
    let _guard = graph.device().enter();
    Ok(Array::from_slice(&distances, (n, n)))
}
