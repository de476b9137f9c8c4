//! Flows through networks.

use std::collections::{HashMap, VecDeque};

use ndany_array::{Array, DType, Error, Kind, Result};

use super::{Edges, check_node, nodes};
use crate::Sparse;

/// A flow from one node to another.
#[derive(Clone, Debug)]
pub struct Flow {
    /// How much leaves the source.
    pub value: i64,
    /// The flow of each edge, int64; that of the edge back is its negative.
    pub flow: Sparse,
}

/// An edge, and the number of that back.
struct Arc {
    to: usize,
    left: i64,
    back: usize,
}

/// Two nodes, and the flow from the first to the second.
type Between = ((usize, usize), i64);

/// Returns the largest flow from a source to a sink, as `scipy.sparse.csgraph.maximum_flow`; entries are capacities. On the host (Dinic 1970).
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: integers; int64.
/// - **Errors**: an array that is not square, other dtypes, a negative capacity, nodes out of range or the same.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 3, 2], [0, 0, 5], [0, 0, 0]]), ..);
/// let found = sparse::csgraph::maximum_flow(&graph, 0, 2)?;
/// assert_eq!(found.value, 5);
/// assert_eq!(found.flow.to_dense().to_string(), "[[ 0  3  2]\n [-3  0  3]\n [-2 -3  0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn maximum_flow(graph: &Sparse, source: usize, sink: usize) -> Result<Flow> {
    const OP: &str = "maximum_flow";
    let n = nodes(OP, graph)?;
    [source, sink].into_iter().try_for_each(|node| check_node(OP, node, n))?;
    let wrong = |reason: String| Err(Error::ArgumentValue { op: OP.to_string(), reason });
    if !matches!(graph.dtype().kind(), Kind::Int) {
        return wrong(format!("expected integers, got {}", graph.dtype()));
    }
    if source == sink {
        return wrong(format!("expected two nodes, got {source} twice"));
    }
    let own = graph.to_csr().sum_duplicates();
    let edges = Edges::of(&own)?;
    let capacities: Vec<i64> = own.row_values().astype(DType::I64).to_vec()?;
    if let Some(negative) = capacities.iter().find(|&&capacity| capacity < 0) {
        return wrong(format!("expected capacities of 0 or more, got {negative}"));
    }
    if capacities.iter().try_fold(0i64, |sum, &capacity| sum.checked_add(capacity)).is_none() {
        return wrong("the sum of capacities is more than int64 counts".to_string());
    }
    let mut arcs: Vec<Arc> = Vec::new();
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); n];
    for node in 0..n {
        for edge in edges.from(node) {
            let target = edges.targets[edge];
            let number = arcs.len();
            arcs.push(Arc { to: target, left: capacities[edge], back: number + 1 });
            arcs.push(Arc { to: node, left: 0, back: number });
            of_node[node].push(number);
            of_node[target].push(number + 1);
        }
    }
    let mut value = 0;
    loop {
        let mut level = vec![usize::MAX; n];
        level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &of_node[node] {
                let to = arcs[arc].to;
                if arcs[arc].left > 0 && level[to] == usize::MAX {
                    level[to] = level[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        if level[sink] == usize::MAX {
            break;
        }
        // Paths of the fewest edges, until one is full on each.
        let mut next = vec![0usize; n];
        let mut path: Vec<usize> = Vec::new();
        loop {
            let node = path.last().map_or(source, |&arc| arcs[arc].to);
            if node == sink {
                let most = path.iter().map(|&arc| arcs[arc].left).min().unwrap_or(0);
                for &arc in &path {
                    arcs[arc].left -= most;
                    let back = arcs[arc].back;
                    arcs[back].left += most;
                }
                value += most;
                // On from the first edge that is full.
                let full = path.iter().position(|&arc| arcs[arc].left == 0).unwrap_or(0);
                path.truncate(full);
                continue;
            }
            match of_node[node].get(next[node]) {
                Some(&arc) if arcs[arc].left > 0 && level[arcs[arc].to] == level[node] + 1 => {
                    path.push(arc);
                }
                Some(_) => next[node] += 1,
                None => match path.pop() {
                    // The edge to a node without a way on is looked at no more.
                    Some(arc) => next[arcs[arcs[arc].back].to] += 1,
                    None => break,
                },
            }
        }
    }
    let mut flows: HashMap<(usize, usize), i64> = HashMap::new();
    for pair in arcs.chunks(2) {
        let (from, to, flow) = (pair[1].to, pair[0].to, pair[1].left);
        if from != to {
            *flows.entry((from, to)).or_default() += flow;
            *flows.entry((to, from)).or_default() -= flow;
        }
    }
    let mut flows: Vec<Between> = flows.into_iter().collect();
    flows.sort_unstable();
    let part = |of: &dyn Fn(&Between) -> i64| -> Array {
        let part: Vec<i64> = flows.iter().map(of).collect();
        Array::from_slice(&part, part.len())
    };
    let _guard = graph.device().enter();
    let (rows, columns) = (part(&|edge| edge.0.0 as i64), part(&|edge| edge.0.1 as i64));
    let flow = crate::coo_array((part(&|edge| edge.1), (rows, columns)), [n, n]).to_csr();
    Ok(Flow { value, flow })
}
