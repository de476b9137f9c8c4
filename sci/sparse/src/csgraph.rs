//! Graphs whose edges are the entries of a sparse array, as `scipy.sparse.csgraph`.
//!
//! An entry at `(i, j)` is an edge from `i` to `j`, explicit zeros too. What rounds over all edges do runs on the device; what goes
//! edge by edge (Dijkstra's and Tarjan's searches, orderings, matchings, flows) runs on the host, and its page says so.

mod dense;
mod flow;
mod forest;
mod laplacian;
mod levels;
mod matching;
mod order;
mod paths;
mod traversal;
mod tree;
mod yen;

use ndany_array::extend::Ahead;
use ndany_array::{Array, DType, Error, Result, ufunc};

use crate::Sparse;
use crate::kernels::NEAREST;
use crate::support::{below, init, positions, refuse, tail};

pub use dense::{construct_dist_matrix, csgraph_from_dense, csgraph_to_dense};
pub use flow::{Flow, maximum_flow};
pub use laplacian::{Laplacian, laplacian};
pub use matching::{
    maximum_bipartite_matching, min_weight_full_bipartite_matching, structural_rank,
};
pub use order::reverse_cuthill_mckee;
pub use paths::{
    Method, Paths, Route, bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path,
};
pub use traversal::{
    breadth_first_order, breadth_first_tree, depth_first_order, depth_first_tree, reconstruct_path,
};
pub use tree::minimum_spanning_tree;
pub use yen::yen;

/// The number of nodes.
fn nodes(op: &'static str, graph: &Sparse) -> Result<usize> {
    match graph.shape() {
        [m, n] if m == n => Ok(n),
        shape => {
            let expected = "a square array".to_string();
            Err(Error::Shape { op, expected, got: shape[..].into() })
        }
    }
}

/// Refuses a node that there is not.
fn check_node(op: &'static str, node: usize, count: usize) -> Result<()> {
    match node < count {
        true => Ok(()),
        false => {
            let index = isize::try_from(node).unwrap_or(isize::MAX);
            Err(Error::Index { op, index, axis: 0, size: count })
        }
    }
}

/// The edges from each node on the host: where those of a node begin, and where each goes.
struct Edges {
    indptr: Vec<usize>,
    targets: Vec<usize>,
}

impl Edges {
    /// The edges of compressed rows; duplicates stay.
    #[track_caller]
    fn of(graph: &Sparse) -> Result<Self> {
        let rows = graph.rows();
        Ok(Self { indptr: positions(&rows.indptr)?, targets: positions(&rows.indices)? })
    }

    fn count(&self) -> usize {
        self.indptr.len() - 1
    }

    /// The numbers of the edges from a node.
    fn from(&self, node: usize) -> std::ops::Range<usize> {
        self.indptr[node]..self.indptr[node + 1]
    }

    fn targets(&self, node: usize) -> &[usize] {
        &self.targets[self.from(node)]
    }
}

/// The edges of a graph in both directions: those of a node's row, then those of its column.
#[track_caller]
fn both_ways(graph: &Sparse) -> Sparse {
    let [rows, columns, values] = graph.to_csr().entries();
    let join = |a: &Array, b: &Array| ndany_array::concatenate([a, b], 0);
    let storage = crate::array::Storage::Coordinates {
        rows: join(&rows, &columns),
        columns: join(&columns, &rows),
        data: join(&values, &values),
    };
    Sparse::of(graph.shape(), storage, std::sync::Arc::default())
}

/// Which nodes are of one component: `..` for those that edges join in any direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// Those that edges join, whatever their direction.
    #[default]
    Weak,
    /// Those from which paths lead to each other.
    Strong,
}

impl From<std::ops::RangeFull> for Connection {
    fn from(_: std::ops::RangeFull) -> Self {
        Connection::Weak
    }
}

/// Returns the number of connected components and the component of each node, as `scipy.sparse.csgraph.connected_components`.
///
/// Components are numbered by their first node, as SciPy's weak ones are. Of weak ones each round joins the trees of neighbours and
/// halves paths (Shiloach & Vishkin 1982); the host looks at every second round. Strong ones are found on the host (Tarjan 1972).
///
/// - **Shapes**: `(n, n) → (n,)`.
/// - **Dtypes**: any; labels are int32.
/// - **Errors**: an array that is not square, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let edges = (array([1, 1]), (array([0, 3]), array([2, 1])));
/// let (count, labels) = sparse::csgraph::connected_components(&sparse::coo_array(edges, (5, 5)), ..)?;
/// assert_eq!((count, labels.to_string()), (3, "[0 1 0 1 2]".into()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn connected_components(
    graph: &Sparse,
    connection: impl Into<Connection>,
) -> Result<(usize, Array)> {
    let [m, n] = graph.shape;
    if m != n {
        return refuse("connected_components", format!("expected a square array, got {m} by {n}"));
    }
    let own = below(n, graph.values());
    if n == 0 {
        return Ok((0, own.astype(DType::I32)));
    }
    if connection.into() == Connection::Strong {
        return strong(graph);
    }
    static KERNELS: Ahead = Ahead::new();
    KERNELS.ask(graph, (), |graph, ()| connected_components(graph, ..)?.1.eval());
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

/// Strong components by one search, whose stack is on the heap.
#[track_caller]
fn strong(graph: &Sparse) -> Result<(usize, Array)> {
    const NONE: usize = usize::MAX;
    let edges = Edges::of(graph)?;
    let n = edges.count();
    let (mut index, mut low) = (vec![NONE; n], vec![0usize; n]);
    let mut component = vec![NONE; n];
    let (mut stack, mut next, mut count) = (Vec::new(), 0, 0);
    for start in 0..n {
        if index[start] != NONE {
            continue;
        }
        // A node, and the number of its next edge.
        let mut path = vec![(start, edges.from(start).start)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if index[node] == NONE {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if *edge < edges.from(node).end {
                let target = edges.targets[*edge];
                *edge += 1;
                if index[target] == NONE {
                    path.push((target, edges.from(target).start));
                } else if component[target] == NONE {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    // Numbered by their first node.
    let mut number = vec![NONE; count];
    let mut numbered = 0;
    let mut labels = Vec::with_capacity(n);
    for &own in &component {
        if number[own] == NONE {
            number[own] = numbered;
            numbered += 1;
        }
        labels.push(number[own] as i32);
    }
    let _guard = graph.device().enter();
    Ok((count, Array::from(labels.as_slice())))
}
