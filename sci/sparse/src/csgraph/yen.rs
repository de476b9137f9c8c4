//! Several shortest paths between two nodes (Yen 1971).

use std::collections::BTreeSet;

use ndany_array::{Array, Error, Result};

use super::paths::{NOBODY, Paths, Route, Search, Weighted};
use super::{check_node, nodes};
use crate::Sparse;

/// Returns up to `k` shortest paths from a node to another that come twice over no node, as `scipy.sparse.csgraph.yen`; on the host.
///
/// Of equal lengths the path whose nodes come first counts. [`Route::indices`] and [`Route::method`] are not used.
///
/// - **Shapes**: `(n, n) → (found,)`, and `(found, n)` for the node before each on a path, -9999 beside it.
/// - **Dtypes**: real ones; distances are float64, predecessors int32.
/// - **Errors**: an array that is not square, a node out of range, `k` of 0, a cycle of negative length.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), ..);
/// let paths = sparse::csgraph::yen(&graph, 0, 2, 4, ..)?;
/// assert_eq!(paths.distances.to_string(), "[3. 5.]");
/// assert_eq!(paths.predecessors.to_string(), "[[-9999     0     1]\n [-9999 -9999     0]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn yen(
    graph: &Sparse,
    source: usize,
    sink: usize,
    k: usize,
    options: impl Into<Route>,
) -> Result<Paths> {
    const OP: &str = "yen";
    let n = nodes(OP, graph)?;
    check_node(OP, source, n)?;
    check_node(OP, sink, n)?;
    if k == 0 {
        let reason = "expected a number of paths of 1 or more, got 0".to_string();
        return Err(Error::ArgumentValue { op: OP.to_string(), reason });
    }
    let search = Search::new(OP, graph, &options.into().indices([source]))?;
    let found = search.weighted()?;
    let potentials = search.potentials(&found)?;
    let spur = |start: usize, is_allowed: &dyn Fn(usize, usize) -> bool| {
        let (mut distances, mut before) = (vec![f64::INFINITY; n], vec![NOBODY; n]);
        found.nearest(start, &potentials, &mut distances, &mut before, is_allowed);
        distances[sink].is_finite().then(|| {
            let mut path = vec![sink];
            let mut node = sink;
            while node != start {
                node = before[node] as usize;
                path.push(node);
            }
            path.reverse();
            path
        })
    };
    let mut chosen: Vec<(f64, Vec<usize>)> = Vec::new();
    // Paths that leave a chosen one somewhere, the shortest first.
    let mut others: BTreeSet<(Length, Vec<usize>)> = BTreeSet::new();
    if let Some(path) = spur(source, &|_, _| true) {
        others.insert((Length(length(&found, &path)), path));
    }
    while chosen.len() < k {
        let Some((Length(distance), path)) = others.pop_first() else { break };
        for at in 0..path.len() - 1 {
            let root = &path[..=at];
            // Edges by which paths with this beginning go on.
            let taken: Vec<usize> = chosen
                .iter()
                .map(|(_, other)| other)
                .chain([&path])
                .filter(|other| other.len() > at + 1 && other.starts_with(root))
                .map(|other| other[at + 1])
                .collect();
            let start = path[at];
            let is_allowed = |node: usize, target: usize| {
                !root.contains(&target) && (node != start || !taken.contains(&target))
            };
            if let Some(rest) = spur(start, &is_allowed) {
                let whole: Vec<usize> = root[..at].iter().copied().chain(rest).collect();
                others.insert((Length(length(&found, &whole)), whole));
            }
        }
        chosen.push((distance, path));
    }
    let distances: Vec<f64> = chosen.iter().map(|(distance, _)| *distance).collect();
    let mut predecessors = vec![NOBODY; chosen.len() * n];
    for (row, (_, path)) in chosen.iter().enumerate() {
        for pair in path.windows(2) {
            predecessors[row * n + pair[1]] = pair[0] as i32;
        }
    }
    let _guard = graph.device().enter();
    let predecessors = Array::from_slice(&predecessors, (chosen.len(), n));
    Ok(Paths { distances: Array::from_slice(&distances, distances.len()), predecessors })
}

/// A length in the order of all floats.
#[derive(Clone, Copy)]
struct Length(f64);

impl Ord for Length {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Length {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Length {}

/// The sum of weights along a path; of several edges between two nodes the shortest counts.
fn length(found: &Weighted, path: &[usize]) -> f64 {
    path.windows(2).fold(0.0, |sum, pair| {
        let between = found.edges.from(pair[0]);
        let own = between.filter(|&edge| found.edges.targets[edge] == pair[1]);
        sum + own.map(|edge| found.weights[edge]).fold(f64::INFINITY, f64::min)
    })
}
