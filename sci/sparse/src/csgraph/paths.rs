//! Shortest paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeFull;

use ndany_array::{Array, DType, Error, Result, where_};

use super::{Edges, both_ways, check_node, nodes};
use crate::Sparse;
use crate::kernels::RELAX;
use crate::support::{below, init, tail, wide, zeros_on};

/// No node goes before: SciPy's mark.
pub(super) const NOBODY: i32 = -9999;

/// Rounds between two looks of the host.
const LOOK: usize = 8;

/// Distances and the last but one node of each path.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The distance from each source to each node, infinite where there is no path; `(sources, n)` in float64.
    pub distances: Array,
    /// The node before each node on its path, -9999 where there is none; `(sources, n)` in int32.
    pub predecessors: Array,
}

/// How [`shortest_path`](fn@shortest_path) finds paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Bellman's and Ford's rounds if a weight is negative, Floyd's and Warshall's if all sources are asked for and a quarter of all
    /// edges is there, else Dijkstra's search.
    #[default]
    Auto,
    /// Dijkstra's search, on the host.
    Dijkstra,
    /// Rounds over all edges, on the device.
    BellmanFord,
    /// Rounds over all pairs, on the device.
    FloydWarshall,
    /// Dijkstra's search over weights that potentials make positive, on the host.
    Johnson,
}

/// Options of shortest paths: `..` for those of a directed graph from all nodes.
///
/// ```
/// let _ = ndany::sparse::csgraph::Route::new().directed(false).indices([0]);
/// ```
#[derive(Clone, Debug)]
pub struct Route {
    directed: bool,
    unweighted: bool,
    indices: Option<Vec<usize>>,
    method: Method,
}

impl Default for Route {
    fn default() -> Self {
        Self { directed: true, unweighted: false, indices: None, method: Method::Auto }
    }
}

impl From<RangeFull> for Route {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}

impl Route {
    /// Starts options with SciPy's defaults.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Route::new().unweighted(true);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether edges lead in one direction only, as at first.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Route::new().directed(false);
    /// ```
    pub fn directed(mut self, directed: bool) -> Self {
        self.directed = directed;
        self
    }

    /// Sets whether all edges have length 1.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Route::new().unweighted(true);
    /// ```
    pub fn unweighted(mut self, unweighted: bool) -> Self {
        self.unweighted = unweighted;
        self
    }

    /// Sets the nodes from which paths start, all by default.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Route::new().indices([0, 2]);
    /// ```
    pub fn indices(mut self, indices: impl IntoIterator<Item = usize>) -> Self {
        self.indices = Some(indices.into_iter().collect());
        self
    }

    /// Sets the method of [`shortest_path`](fn@shortest_path).
    ///
    /// ```
    /// use ndany::sparse::csgraph::{Method, Route};
    /// let _ = Route::new().method(Method::BellmanFord);
    /// ```
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }
}

/// Edges with their weights on the host.
pub(super) struct Weighted {
    pub(super) edges: Edges,
    pub(super) weights: Vec<f64>,
}

impl Weighted {
    /// Dijkstra's search: distances from a node, infinite at first, and the node before each, over the edges that are allowed.
    pub(super) fn nearest(
        &self,
        source: usize,
        potentials: &[f64],
        distances: &mut [f64],
        before: &mut [i32],
        is_allowed: impl Fn(usize, usize) -> bool,
    ) {
        // Of the longer edges, by which nodes are in order; distances are sums of weights along paths.
        let mut reached = vec![f64::INFINITY; distances.len()];
        (distances[source], reached[source]) = (0.0, 0.0);
        // Bits of numbers that are not negative have their order.
        let mut queue = BinaryHeap::from([Reverse((0u64, source))]);
        while let Some(Reverse((bits, node))) = queue.pop() {
            if f64::from_bits(bits) > reached[node] {
                continue;
            }
            for edge in self.edges.from(node) {
                let (target, weight) = (self.edges.targets[edge], self.weights[edge]);
                let longer = weight + potentials[node] - potentials[target];
                // Rounding may leave less than nothing.
                let next = reached[node] + if longer < 0.0 { 0.0 } else { longer };
                if next < reached[target] && is_allowed(node, target) {
                    (reached[target], before[target]) = (next, node as i32);
                    distances[target] = distances[node] + weight;
                    queue.push(Reverse((next.abs().to_bits(), target)));
                }
            }
        }
    }
}

/// A graph whose paths are asked for.
pub(super) struct Search {
    op: &'static str,
    n: usize,
    /// Edges from the rows to the columns, both directions of an undirected one.
    graph: Sparse,
    sources: Vec<usize>,
    all: bool,
}

impl Search {
    #[track_caller]
    pub(super) fn new(op: &'static str, graph: &Sparse, options: &Route) -> Result<Self> {
        let n = nodes(op, graph)?;
        let all = options.indices.is_none();
        let sources = options.indices.clone().unwrap_or_else(|| (0..n).collect());
        sources.iter().try_for_each(|&source| check_node(op, source, n))?;
        if graph.dtype().is_complex() {
            let reason = "expected real weights, got complex ones".to_string();
            return Err(Error::ArgumentValue { op: op.to_string(), reason });
        }
        let mut graph = graph.to_csr().sum_duplicates().astype(DType::F64);
        if options.unweighted {
            graph = graph.with_data(graph.data().zeros_like() + 1.0);
        }
        if !options.directed {
            graph = both_ways(&graph);
        }
        Ok(Self { op, n, graph, sources, all })
    }

    fn has_negative(&self) -> Result<bool> {
        match self.graph.nnz() {
            0 => Ok(false),
            _ => self.graph.data().less(0.0).any(..).item(),
        }
    }

    fn negative_cycle<T>(&self) -> Result<T> {
        let reason = "the graph has a cycle of negative length".to_string();
        Err(Error::ArgumentValue { op: self.op.to_string(), reason })
    }

    /// Distances before the first round, and the predecessors.
    #[track_caller]
    fn start(&self) -> [Array; 2] {
        let (k, n) = (self.sources.len(), self.n);
        let values = self.graph.values();
        let mut distances = zeros_on(k * n, DType::F64, values) + f64::INFINITY;
        if k > 0 {
            let _guard = values.device().enter();
            let places =
                self.sources.iter().enumerate().map(|(row, &source)| (row * n + source) as i64);
            let places: Vec<i64> = places.collect();
            distances.put(Array::from(places.as_slice()), 0.0, ..);
        }
        let predecessors = zeros_on(k * n, DType::I32, values) + NOBODY;
        [distances.reshape((k, n)), predecessors.reshape((k, n))]
    }

    /// From each node in turn the nearest one that is not done.
    #[track_caller]
    fn dijkstra(&self) -> Result<Paths> {
        if self.has_negative()? {
            let reason =
                "expected weights of 0 or more: bellman_ford takes negative ones".to_string();
            return Err(Error::ArgumentValue { op: self.op.to_string(), reason });
        }
        let found = self.weighted()?;
        self.search(&found, &vec![0.0; self.n])
    }

    /// Dijkstra's searches over weights that potentials make positive.
    #[track_caller]
    fn johnson(&self) -> Result<Paths> {
        let found = self.weighted()?;
        let potentials = self.potentials(&found)?;
        self.search(&found, &potentials)
    }

    /// Edges and their weights on the host.
    #[track_caller]
    pub(super) fn weighted(&self) -> Result<Weighted> {
        Ok(Weighted { edges: Edges::of(&self.graph)?, weights: self.graph.row_values().to_vec()? })
    }

    /// A number for each node, so that each edge is at least as long as the number rises along it.
    pub(super) fn potentials(&self, found: &Weighted) -> Result<Vec<f64>> {
        let mut potentials = vec![0.0; self.n];
        if !found.weights.iter().any(|&weight| weight < 0.0) {
            return Ok(potentials);
        }
        // Distances from a node before all others: one round more than there are nodes shows a cycle.
        for _ in 0..=self.n {
            let mut is_changed = false;
            for node in 0..self.n {
                for edge in found.edges.from(node) {
                    let (target, next) =
                        (found.edges.targets[edge], potentials[node] + found.weights[edge]);
                    if next < potentials[target] {
                        (potentials[target], is_changed) = (next, true);
                    }
                }
            }
            if !is_changed {
                return Ok(potentials);
            }
        }
        self.negative_cycle()
    }

    /// A search from each source, whose edges are longer by the fall of potentials.
    #[track_caller]
    fn search(&self, found: &Weighted, potentials: &[f64]) -> Result<Paths> {
        let (k, n) = (self.sources.len(), self.n);
        let mut distances = vec![f64::INFINITY; k * n];
        let mut predecessors = vec![NOBODY; k * n];
        for (row, &source) in self.sources.iter().enumerate() {
            let (own, before) = (&mut distances[row * n..][..n], &mut predecessors[row * n..][..n]);
            found.nearest(source, potentials, own, before, |_, _| true);
        }
        let _guard = self.graph.device().enter();
        let distances = Array::from_slice(&distances, (k, n));
        Ok(Paths { distances, predecessors: Array::from_slice(&predecessors, (k, n)) })
    }

    /// All nodes look at the edges to them, again and again.
    #[track_caller]
    fn bellman_ford(&self) -> Result<Paths> {
        let [mut distances, mut predecessors] = self.start();
        let (k, n) = (self.sources.len(), self.n);
        if self.graph.nnz() == 0 || k == 0 {
            return Ok(Paths { distances, predecessors });
        }
        // The edges to each node.
        let inward = self.graph.transpose();
        let (rows, weights) = (inward.rows(), inward.row_values());
        let (begin, end) = (init(&rows.indptr), tail(&rows.indptr));
        let base = (below(k, &weights) * n as i64).reshape((-1, 1));
        // A path has fewer edges than nodes; one round more shows a cycle.
        for round in 1..=n {
            let before = distances;
            let [next, by] = RELAX.call((
                &begin,
                &end,
                &base,
                &before,
                &predecessors,
                &rows.indices,
                &weights,
                before.ravel(),
            ));
            next.eval()?;
            by.eval()?;
            (distances, predecessors) = (next, by);
            if (round % LOOK == 0 || round == n)
                && !distances.less(&before).any(..).item::<bool>()?
            {
                return Ok(Paths { distances, predecessors });
            }
        }
        self.negative_cycle()
    }

    /// Paths that lead over one node after the other.
    #[track_caller]
    fn floyd_warshall(&self) -> Result<Paths> {
        let n = self.n;
        let everything =
            Self { sources: (0..n).collect(), graph: self.graph.clone(), all: true, ..*self };
        let [distances, predecessors] = everything.start();
        let (mut distances, mut predecessors) = (distances, predecessors);
        // The shortest of several edges, which are not longer than staying.
        let [rows, columns, weights] = self.graph.entries();
        if weights.size() > 0 {
            let places = wide(&rows) * n as i64 + wide(&columns);
            let mut edges = zeros_on(n * n, DType::F64, &weights) + f64::INFINITY;
            ndany_array::ufunc::minimum.at(&mut edges, &places, &weights);
            let edges = edges.reshape((n, n));
            let own = below(n, &weights).astype(DType::I32).reshape((-1, 1));
            let shorter = edges.less(&distances);
            predecessors = where_(&shorter, own, &predecessors);
            distances = where_(&shorter, edges, &distances);
            predecessors.eval()?;
            distances.eval()?;
            for over in 0..n {
                let (to, from) = (
                    distances.i(ndany_array::s![.., over]).reshape((-1, 1)),
                    distances.i(ndany_array::s![over, ..]),
                );
                let through = to + from;
                let shorter = through.less(&distances);
                let last = predecessors.i(ndany_array::s![over, ..]);
                predecessors = where_(&shorter, last, &predecessors);
                distances = where_(&shorter, through, &distances);
                predecessors.eval()?;
                distances.eval()?;
            }
            if distances.diagonal(0, ..).less(0.0).any(..).item()? {
                return self.negative_cycle();
            }
        }
        if !self.all {
            let _guard = distances.device().enter();
            let sources: Vec<i64> = self.sources.iter().map(|&source| source as i64).collect();
            let sources = Array::from_slice(&sources, sources.len());
            distances = distances.take(&sources, 0);
            predecessors = predecessors.take(&sources, 0);
        }
        Ok(Paths { distances, predecessors })
    }
}

/// Finds shortest paths, as `scipy.sparse.csgraph.shortest_path`; the method says where.
///
/// - **Shapes**: `(n, n) → (sources, n)`.
/// - **Dtypes**: real ones; distances are float64, predecessors int32.
/// - **Errors**: an array that is not square, a node out of range, a cycle of negative length.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::csgraph::{Route, shortest_path};
/// let graph = sparse::csr_array(&array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), ..);
/// let paths = shortest_path(&graph, Route::new().indices([0]))?;
/// assert_eq!(paths.distances.to_string(), "[[0. 1. 3.]]");
/// assert_eq!(paths.predecessors.to_string(), "[[-9999     0     1]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn shortest_path(graph: &Sparse, options: impl Into<Route>) -> Result<Paths> {
    let options = options.into();
    let search = Search::new("shortest_path", graph, &options)?;
    let method = match options.method {
        Method::Auto if search.has_negative()? => Method::BellmanFord,
        Method::Auto if search.all && graph.nnz() >= search.n * search.n / 4 => {
            Method::FloydWarshall
        }
        Method::Auto => Method::Dijkstra,
        method => method,
    };
    match method {
        Method::BellmanFord => search.bellman_ford(),
        Method::FloydWarshall => search.floyd_warshall(),
        Method::Johnson => search.johnson(),
        Method::Dijkstra | Method::Auto => search.dijkstra(),
    }
}

macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// - **Shapes**: `(n, n) → (sources, n)`.
        /// - **Dtypes**: real ones; distances are float64, predecessors int32.
        /// - **Errors**: as [`shortest_path`](fn@shortest_path).
        ///
        /// ```
        /// use ndany::prelude::*;
        /// let graph = sparse::csr_array(&array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), ..);
        #[doc = concat!("let paths = sparse::csgraph::", stringify!($name), "(&graph, ..)?;")]
        /// assert_eq!(paths.distances.to_string(), "[[ 0.  1.  3.]\n [inf  0.  2.]\n [inf inf  0.]]");
        /// # Ok::<(), ndany::Error>(())
        /// ```
        #[track_caller]
        pub fn $name(graph: &Sparse, options: impl Into<Route>) -> Result<Paths> {
            Search::new(stringify!($name), graph, &options.into())?.$name()
        }
    )+};
}
methods! {
    /// Finds shortest paths by Dijkstra's search on the host, as `scipy.sparse.csgraph.dijkstra`; weights are not negative.
    dijkstra;
    /// Finds shortest paths by rounds over all edges on the device, as `scipy.sparse.csgraph.bellman_ford`.
    bellman_ford;
    /// Finds shortest paths by rounds over all pairs on the device, as `scipy.sparse.csgraph.floyd_warshall`.
    floyd_warshall;
    /// Finds shortest paths by Dijkstra's search on the host, as `scipy.sparse.csgraph.johnson`; weights may be negative.
    johnson;
}
