//! Graphs of sparse arrays.

use ndany::sparse::csgraph::{self, Connection, Laplacian, Paths, Route};
use pyo3::prelude::*;

use super::{Sparse, made, read, try_run, unknown};
use crate::cell::NdArray;

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_connected_components, module)?)?;
    module.add_function(wrap_pyfunction!(_paths, module)?)?;
    module.add_function(wrap_pyfunction!(_order, module)?)?;
    module.add_function(wrap_pyfunction!(_yen, module)?)?;
    module.add_function(wrap_pyfunction!(_search_tree, module)?)?;
    module.add_function(wrap_pyfunction!(_reconstruct_path, module)?)?;
    module.add_function(wrap_pyfunction!(_construct_dist_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(_csgraph_from_dense, module)?)?;
    module.add_function(wrap_pyfunction!(_csgraph_to_dense, module)?)?;
    module.add_function(wrap_pyfunction!(_full_matching, module)?)?;
    module.add_function(wrap_pyfunction!(_minimum_spanning_tree, module)?)?;
    module.add_function(wrap_pyfunction!(_laplacian, module)?)?;
    module.add_function(wrap_pyfunction!(_of_graph, module)?)?;
    module.add_function(wrap_pyfunction!(_structural_rank, module)?)?;
    module.add_function(wrap_pyfunction!(_maximum_flow, module)?)
}

#[pyfunction]
fn _connected_components(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    is_strong: bool,
) -> PyResult<(usize, NdArray)> {
    let graph = graph.get().matrix()?;
    let connection = if is_strong { Connection::Strong } else { Connection::Weak };
    let (count, labels) = try_run(py, || csgraph::connected_components(graph, connection))?;
    Ok((count, NdArray::own(labels)))
}

/// Distances and predecessors, by the name of a method.
#[pyfunction]
fn _paths(
    py: Python<'_>,
    name: &str,
    graph: &Bound<'_, Sparse>,
    directed: bool,
    unweighted: bool,
    indices: Option<Vec<usize>>,
) -> PyResult<(NdArray, NdArray)> {
    type Search = fn(&ndany::sparse::Sparse, Route) -> ndany::Result<Paths>;
    let search: Search = match name {
        "shortest_path" => csgraph::shortest_path,
        "dijkstra" => csgraph::dijkstra,
        "bellman_ford" => csgraph::bellman_ford,
        "floyd_warshall" => csgraph::floyd_warshall,
        "johnson" => csgraph::johnson,
        _ => return Err(unknown(name)),
    };
    let graph = graph.get().matrix()?;
    let mut route = Route::new().directed(directed).unweighted(unweighted);
    if let Some(indices) = indices {
        route = route.indices(indices);
    }
    let paths = try_run(py, || search(graph, route))?;
    Ok((NdArray::own(paths.distances), NdArray::own(paths.predecessors)))
}

/// Nodes in the order of a search, and the node before each.
#[pyfunction]
fn _order(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    start: usize,
    directed: bool,
    is_depth_first: bool,
) -> PyResult<(NdArray, NdArray)> {
    let graph = graph.get().matrix()?;
    let (order, before) = try_run(py, || match is_depth_first {
        true => csgraph::depth_first_order(graph, start, directed),
        false => csgraph::breadth_first_order(graph, start, directed),
    })?;
    Ok((NdArray::own(order), NdArray::own(before)))
}

/// Lengths of several paths between two nodes, as many as are asked for last, and the node before each.
#[pyfunction]
fn _yen(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    ends: (usize, usize, usize),
    directed: bool,
    unweighted: bool,
) -> PyResult<(NdArray, NdArray)> {
    let (source, sink, k) = ends;
    let graph = graph.get().matrix()?;
    let route = Route::new().directed(directed).unweighted(unweighted);
    let paths = try_run(py, || csgraph::yen(graph, source, sink, k, route))?;
    Ok((NdArray::own(paths.distances), NdArray::own(paths.predecessors)))
}

/// The edges by which a search finds nodes.
#[pyfunction]
fn _search_tree(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    start: usize,
    directed: bool,
    is_depth_first: bool,
) -> PyResult<Sparse> {
    let graph = graph.get().matrix()?;
    let tree = try_run(py, || match is_depth_first {
        true => csgraph::depth_first_tree(graph, start, directed),
        false => csgraph::breadth_first_tree(graph, start, directed),
    });
    tree.map(made)
}

#[pyfunction]
fn _reconstruct_path(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    predecessors: &Bound<'_, NdArray>,
    directed: bool,
) -> PyResult<Sparse> {
    let (graph, before) = (graph.get().matrix()?, read(py, predecessors)?);
    try_run(py, || csgraph::reconstruct_path(graph, &before, directed)).map(made)
}

#[pyfunction]
fn _construct_dist_matrix(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    predecessors: &Bound<'_, NdArray>,
    directed: bool,
    null: f64,
) -> PyResult<NdArray> {
    let (graph, before) = (graph.get().matrix()?, read(py, predecessors)?);
    let made = || csgraph::construct_dist_matrix(graph, &before, directed, null);
    try_run(py, made).map(NdArray::own)
}

#[pyfunction]
fn _csgraph_from_dense(py: Python<'_>, dense: &Bound<'_, NdArray>, null: f64) -> PyResult<Sparse> {
    let dense = read(py, dense)?;
    try_run(py, || Ok(csgraph::csgraph_from_dense(&dense, null))).map(made)
}

#[pyfunction]
fn _csgraph_to_dense(py: Python<'_>, graph: &Bound<'_, Sparse>, null: f64) -> PyResult<NdArray> {
    let graph = graph.get().matrix()?;
    try_run(py, || Ok(csgraph::csgraph_to_dense(graph, null))).map(NdArray::own)
}

/// Rows and columns of a matching of the least sum of weights, or of the largest.
#[pyfunction]
fn _full_matching(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    maximize: bool,
) -> PyResult<(NdArray, NdArray)> {
    let graph = graph.get().matrix()?;
    let (rows, columns) = try_run(py, || match maximize {
        true => csgraph::min_weight_full_bipartite_matching(&-graph),
        false => csgraph::min_weight_full_bipartite_matching(graph),
    })?;
    Ok((NdArray::own(rows), NdArray::own(columns)))
}

#[pyfunction]
fn _minimum_spanning_tree(py: Python<'_>, graph: &Bound<'_, Sparse>) -> PyResult<Sparse> {
    let graph = graph.get().matrix()?;
    try_run(py, || csgraph::minimum_spanning_tree(graph)).map(made)
}

#[pyfunction]
fn _laplacian(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    normed: bool,
    use_out_degree: bool,
    symmetrized: bool,
) -> PyResult<(Sparse, NdArray)> {
    let graph = graph.get().matrix()?;
    let options =
        Laplacian::new().normed(normed).use_out_degree(use_out_degree).symmetrized(symmetrized);
    let (laplacian, diagonal) = try_run(py, || csgraph::laplacian(graph, options))?;
    Ok((made(laplacian), NdArray::own(diagonal)))
}

/// A function that gives an array of nodes, by its name.
#[pyfunction]
fn _of_graph(py: Python<'_>, name: &str, graph: &Bound<'_, Sparse>) -> PyResult<NdArray> {
    let graph = graph.get().matrix()?;
    let found = match name {
        "reverse_cuthill_mckee" => try_run(py, || csgraph::reverse_cuthill_mckee(graph)),
        "maximum_bipartite_matching" => try_run(py, || csgraph::maximum_bipartite_matching(graph)),
        _ => Err(unknown(name)),
    };
    found.map(NdArray::own)
}

#[pyfunction]
fn _structural_rank(py: Python<'_>, graph: &Bound<'_, Sparse>) -> PyResult<usize> {
    let graph = graph.get().matrix()?;
    try_run(py, || csgraph::structural_rank(graph))
}

#[pyfunction]
fn _maximum_flow(
    py: Python<'_>,
    graph: &Bound<'_, Sparse>,
    source: usize,
    sink: usize,
) -> PyResult<(i64, Sparse)> {
    let graph = graph.get().matrix()?;
    let found = try_run(py, || csgraph::maximum_flow(graph, source, sink))?;
    Ok((found.value, made(found.flow)))
}
