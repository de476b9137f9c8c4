"""Graphs whose edges are the entries of sparse arrays: the names of ``scipy.sparse.csgraph``. Entries that are stored zeros are edges."""

import operator as _operator

import ndany as _nd
from ndany import _core

from ._base import _wrap, sparray as _sparray
from ._parts import _as_sparse, _dense, _indices, _is_foreign, _Sparse


def _graph(csgraph):
    """The value of a graph. Of a dense array zeros, infinities and NaN are no edges, as in SciPy."""
    if isinstance(csgraph, _sparray) or _is_foreign(csgraph):
        return _as_sparse(csgraph)
    dense = _nd.asarray(csgraph)
    if dense.ndim != 2:
        raise ValueError(f"[csgraph] expected two axes, got shape {dense.shape}")
    if dense.dtype.kind in "fc":
        dense = _nd.where(_nd.isfinite(dense), dense, _nd.zeros((), dense.dtype))
    return _Sparse.of_dense("csr", dense)


def _node(value):
    """The number of a node."""
    node = _operator.index(value)
    if node < 0:
        raise IndexError(f"[csgraph] expected a node of 0 or more, got {node}")
    return node


def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """The number of connected components, and for each node that of its own, as ``scipy.sparse.csgraph.connected_components``."""
    if connection.lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    count, labels = _core._connected_components(_graph(csgraph), directed and connection.lower() == "strong")
    return (count, labels) if return_labels else count


def _paths(name, csgraph, directed, unweighted, indices, return_predecessors, limit=float("inf")):
    graph = _graph(csgraph)
    sources, shape = None, None
    if indices is not None:
        is_list = hasattr(indices, "__len__") or hasattr(indices, "__array__")
        listed = _indices(indices) if is_list else _nd.asarray(_operator.index(indices))
        if listed.ndim > 1 or listed.dtype.kind not in "iu":
            raise ValueError(f"[{name}] indices: expected a node or a list of them")
        n, shape = graph.shape[0], listed.shape
        sources = [node + n if node < 0 else node for node in listed.reshape(-1).tolist()]
        if any(not 0 <= node < n for node in sources):
            raise ValueError("indices out of range 0...N")
    distances, before = _core._paths(name, graph, directed, unweighted, sources)
    if limit != float("inf"):
        beyond = distances > limit
        distances = _nd.where(beyond, float("inf"), distances)
        before = _nd.where(beyond, _nd.asarray(-9999, "int32", device=before.device), before)
    if shape == ():
        distances, before = distances[0], before[0]
    return (distances, before) if return_predecessors else distances


def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False, unweighted=False, overwrite=False, indices=None):
    """Lengths of shortest paths, as ``scipy.sparse.csgraph.shortest_path``; the methods are auto, D, BF, FW and J."""
    names = {"auto": "shortest_path", "D": "dijkstra", "BF": "bellman_ford", "FW": "floyd_warshall", "J": "johnson"}
    if method not in names:
        raise ValueError(f"unrecognized method '{method}'")
    return _paths(names[method], csgraph, directed, unweighted, indices, return_predecessors)


def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, limit=float("inf")):
    """Lengths of shortest paths by Dijkstra's search on the host, as ``scipy.sparse.csgraph.dijkstra``."""
    if limit < 0:
        raise ValueError("limit must be >= 0")
    return _paths("dijkstra", csgraph, directed, unweighted, indices, return_predecessors, limit)


def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Lengths of shortest paths by rounds over all edges, as ``scipy.sparse.csgraph.bellman_ford``; weights may be negative."""
    return _paths("bellman_ford", csgraph, directed, unweighted, indices, return_predecessors)


def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False, overwrite=False):
    """Lengths of shortest paths of all pairs, as ``scipy.sparse.csgraph.floyd_warshall``."""
    return _paths("floyd_warshall", csgraph, directed, unweighted, None, return_predecessors)


def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Lengths of shortest paths by Dijkstra's search on the host, as ``scipy.sparse.csgraph.johnson``; weights may be negative."""
    return _paths("johnson", csgraph, directed, unweighted, indices, return_predecessors)


def yen(csgraph, source, sink, K, *, directed=True, return_predecessors=False, unweighted=False):
    """Lengths of up to `K` shortest paths between two nodes, on the host, as ``scipy.sparse.csgraph.yen``."""
    ends = _node(source), _node(sink), _operator.index(K)
    if ends[2] <= 0:
        raise ValueError("[yen] K: expected 1 or more")
    distances, before = _core._yen(_graph(csgraph), ends, directed, unweighted)
    return (distances, before) if return_predecessors else distances


def _order(csgraph, i_start, directed, return_predecessors, is_depth_first):
    order, before = _core._order(_graph(csgraph), _node(i_start), directed, is_depth_first)
    return (order, before) if return_predecessors else order


def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Nodes that are reached from one, the nearest first, and the node before each."""
    return _order(csgraph, i_start, directed, return_predecessors, False)


def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Nodes that are reached from one, each before those found from it, and the node before each."""
    return _order(csgraph, i_start, directed, return_predecessors, True)


def breadth_first_tree(csgraph, i_start, directed=True):
    """The edges by which a search finds nodes, the nearest first."""
    return _wrap(_core._search_tree(_graph(csgraph), _node(i_start), directed, False))


def depth_first_tree(csgraph, i_start, directed=True):
    """The edges by which a search goes deeper."""
    return _wrap(_core._search_tree(_graph(csgraph), _node(i_start), directed, True))


def reconstruct_path(csgraph, predecessors, directed=True):
    """The edges from the node before each node to the node, as ``scipy.sparse.csgraph.reconstruct_path``."""
    graph = _graph(csgraph)
    return _wrap(_core._reconstruct_path(graph, _dense(predecessors, graph.device), directed))


def construct_dist_matrix(graph, predecessors, directed=True, null_value=float("inf")):
    """Lengths of the paths that predecessors say, on the host, as ``scipy.sparse.csgraph.construct_dist_matrix``."""
    graph = _graph(graph)
    return _core._construct_dist_matrix(graph, _dense(predecessors, graph.device), directed, float(null_value))


def csgraph_from_dense(graph, null_value=0, nan_null=True, infinity_null=True):
    """A graph of a dense array; `null_value`, infinities and NaN are no edges, as in ``scipy.sparse.csgraph.csgraph_from_dense``."""
    if not nan_null or not infinity_null:
        raise ValueError("[csgraph_from_dense] expected nan_null and infinity_null to be true")
    return _wrap(_core._csgraph_from_dense(_nd.asarray(graph), float("nan" if null_value is None else null_value)))


def csgraph_to_dense(csgraph, null_value=0):
    """A dense array of a graph, with `null_value` where there is no edge, as ``scipy.sparse.csgraph.csgraph_to_dense``."""
    return _core._csgraph_to_dense(_as_sparse(csgraph), float("nan" if null_value is None else null_value))


def minimum_spanning_tree(csgraph, overwrite=False):
    """The edges of least weight that join all that edges join."""
    return _wrap(_core._minimum_spanning_tree(_graph(csgraph))).tocsr()


def laplacian(csgraph, normed=False, return_diag=False, use_out_degree=False, *, copy=True, dtype=None, symmetrized=False):
    """The Laplacian of a graph, dense of a dense one, and with `return_diag` its diagonal."""
    is_sparse = isinstance(csgraph, _sparray) or _is_foreign(csgraph)
    # All elements of a dense array count, infinite ones too.
    graph = _as_sparse(csgraph) if is_sparse else _Sparse.of_dense("csr", _nd.asarray(csgraph))
    made, diagonal = _core._laplacian(graph, normed, use_out_degree, symmetrized)
    made = _wrap(made) if is_sparse else made.to_dense()
    if dtype is not None:
        made, diagonal = made.astype(dtype), diagonal.astype(dtype)
    return (made, diagonal) if return_diag else made


def reverse_cuthill_mckee(graph, symmetric_mode=False):
    """An order of nodes that keeps edges near the diagonal, on the host."""
    return _core._of_graph("reverse_cuthill_mckee", _graph(graph))


def maximum_bipartite_matching(graph, perm_type="row"):
    """The row of each column (with ``"column"`` the column of each row) of as many pairs as can be, -1 without one; on the host."""
    if perm_type not in ("row", "column"):
        raise ValueError("perm_type must be 'row' or 'column'")
    graph = _graph(graph)
    columns = _core._of_graph("maximum_bipartite_matching", graph)
    if perm_type == "column":
        return columns
    rows = _nd.full(graph.shape[1], -1, dtype="int32", device=columns.device)
    matched = _nd.flatnonzero(columns >= 0)
    rows[columns[matched]] = matched.astype("int32")
    return rows


def min_weight_full_bipartite_matching(biadjacency, maximize=False):
    """Rows and columns of pairs of the least sum of weights, or of the largest, on the host, as ``scipy.sparse.csgraph``'s."""
    return _core._full_matching(_as_sparse(biadjacency), bool(maximize))


def structural_rank(graph):
    """The largest rank that an array of these places can have; on the host."""
    return _core._structural_rank(_graph(graph))


class MaximumFlowResult:
    """A flow from one node to another: its value, and how much goes along each edge."""

    flow_value: int
    flow: _sparray

    def __init__(self, flow_value, flow):
        self.flow_value, self.flow = flow_value, flow

    def __repr__(self):
        return f"MaximumFlowResult with value of {self.flow_value}"


def maximum_flow(csgraph, source, sink):
    """The largest flow between two nodes, of which entries are the capacities; on the host, by Dinic's algorithm."""
    graph = _graph(csgraph)
    for name, node in (("source", source), ("sink", sink)):
        if not 0 <= _operator.index(node) < graph.shape[0]:
            raise ValueError(f"{name} value ({node}) must be between 0 and {graph.shape[0] - 1}")
    value, flow = _core._maximum_flow(graph, source, sink)
    return MaximumFlowResult(value, _wrap(flow))
