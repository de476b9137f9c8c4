//! Graphs whose edges are the entries of a sparse array, as `scipy.sparse.csgraph`.

use ndany_array::{Array, DType, Result, ufunc};

use crate::Sparse;
use crate::kernels::NEAREST;
use crate::support::{below, init, refuse, tail};

/// Returns the number of connected components and the component of each node, as `scipy.sparse.csgraph.connected_components` of an
/// undirected graph (or of a directed one with `connection="weak"`).
///
/// An entry at `(i, j)` joins `i` and `j`, explicit zeros too. Components are numbered by their first node, as SciPy's are. Each
/// round joins the trees of neighbours and halves paths (Shiloach & Vishkin 1982); the host looks at every second round.
///
/// - **Shapes**: `(n, n) → (n,)`.
/// - **Dtypes**: any; labels are int32.
/// - **Errors**: an array that is not square, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let edges = (array([1, 1]), (array([0, 3]), array([2, 1])));
/// let (count, labels) = sparse::csgraph::connected_components(&sparse::coo_array(edges, (5, 5)))?;
/// assert_eq!((count, labels.to_string()), (3, "[0 1 0 1 2]".into()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn connected_components(graph: &Sparse) -> Result<(usize, Array)> {
    let [m, n] = graph.shape;
    if m != n {
        return refuse("connected_components", format!("expected a square array, got {m} by {n}"));
    }
    let own = below(n, graph.values());
    if n == 0 {
        return Ok((0, own.astype(DType::I32)));
    }
    let mut parent = own.clone();
    if graph.nnz() > 0 {
        // Entries of the transposed array lead back.
        let directions = [graph.clone(), graph.transpose()];
        let rows = directions.each_ref().map(|direction| direction.rows());
        for round in 0.. {
            let before = parent.clone();
            // The least parent of all neighbours.
            let mut least = parent.clone();
            for rows in rows {
                let ends = (init(&rows.indptr), tail(&rows.indptr));
                [least] = NEAREST.call((ends.0, ends.1, &least, &rows.indices, &parent));
            }
            least.eval()?;
            // The root of a node's tree takes it, if it is less.
            let mut next = least.minimum(&parent);
            ufunc::minimum.at(&mut next, &parent, &least);
            for _ in 0..2 {
                next.eval()?;
                next = next.take(&next, ..);
            }
            next.eval()?;
            parent = next;
            if round % 2 == 1 && !parent.not_equal(&before).any(..).item::<bool>()? {
                break;
            }
        }
    }
    let is_first = parent.equal(&own);
    let number = is_first.astype(DType::I64).cumsum(..) - 1;
    let labels = number.take(&parent, ..).astype(DType::I32);
    let count: i64 = number.i(-1).item()?;
    Ok((count as usize + 1, labels))
}
