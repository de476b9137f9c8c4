"""Cases of `scipy.sparse.csgraph`: components, paths, searches, trees, Laplacians, orders, matchings and flows.

Operations and their arguments are written as in `sparse`. Weights differ, so that paths and trees are the only ones.
"""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as cs

from inputs import rng
from sparse import F64, I32
from store import EXACT, allclose

GRAPHS = {"none": (4, 0), "one": (1, 0), "few": (12, 8), "some": (30, 45), "loose": (12, 20), "many": (25, 220)}


def own(a):
    return [a.data, a.indices.astype(I32), a.indptr.astype(I32), tuple(int(n) for n in a.shape)]


def graph(name, nodes, edges, least=0.5):
    g = rng(f"sparse_graphs {name}")
    places = g.permutation(nodes * nodes)[:edges]
    # Sums of these are exact, in any order.
    weights = g.permutation(edges) * 1.0 + least + np.rint(g.random(edges) * 32) / 64
    a = sp.coo_array((weights, (places // nodes, places % nodes)), shape=(nodes, nodes)).tocsr()
    a.sum_duplicates()
    return a


def narrow(a):
    """With indices of 32 bits, which `yen` needs."""
    return sp.csr_array((a.data, a.indices.astype(I32), a.indptr.astype(I32)), shape=a.shape)


def csr_parts(a):
    return [np.asarray(a.data, F64), a.indices.astype(I32), a.indptr.astype(I32)]


def matchings(store):
    for label, m, n, density in (("square", 12, 12, 0.5), ("wide", 6, 20, 0.3), ("tall", 15, 7, 0.4), ("full", 9, 9, 1.0), ("one", 1, 1, 1.0)):
        g = rng(f"sparse_graphs matching {label}")
        # A matching of all is there; weights differ, and may be negative.
        places = g.random((m, n)) < density
        np.fill_diagonal(places, True)
        weights = (g.permutation(m * n).reshape(m, n) - 20) + np.rint(g.random((m, n)) * 62 + 1) / 64
        a = sp.csr_array(np.where(places, weights, 0))
        rows, columns = cs.min_weight_full_bipartite_matching(a)
        store.add(f"sparse_graphs/{label}/min_weight", "csr.min_weight_full_bipartite_matching", own(a), expected=[rows.astype(I32), columns.astype(I32)],
                  tolerance=EXACT)


def cases(store):
    matchings(store)
    for label, (nodes, edges) in GRAPHS.items():
        a = graph(label, nodes, edges)

        def add(name, more, expected, tolerance=EXACT):
            store.add(f"sparse_graphs/{label}/{name}", f"csr.{name.split('/')[0]}", [*own(a), *more], expected=expected, tolerance=tolerance)

        count, labels = cs.connected_components(a, directed=True, connection="weak")
        add("components", [], [np.asarray(count), labels.astype(I32)])
        add("strong_components", [], int(cs.connected_components(a, directed=True, connection="strong")[0]))
        for directed in (1, 0):
            for unweighted in (0, 1):
                for method in ("dijkstra", "bellman_ford", "floyd_warshall"):
                    if unweighted and method != "bellman_ford":
                        continue
                    distances, before = getattr(cs, method)(a, directed=bool(directed), return_predecessors=True, unweighted=bool(unweighted))
                    if unweighted:
                        # Several paths have one length: only the distances are certain.
                        if nodes > 2:
                            add(f"shortest_path/{directed}", [directed, 1], distances[[0, 2]])
                        continue
                    add(f"{method}/{directed}", [directed, 0], [distances, before.astype(I32)], allclose(1e-15, 0))
            for start in sorted({0, nodes // 2}):
                order, before = cs.breadth_first_order(a, start, directed=bool(directed), return_predecessors=True)
                add(f"breadth_first_order/{start}/{directed}", [start, directed], [order.astype(I32), before.astype(I32)])
                order, before = cs.depth_first_order(a, start, directed=bool(directed), return_predecessors=True)
                add(f"depth_first_order/{start}/{directed}", [start, directed], [order.astype(I32), before.astype(I32)])
                tree = cs.depth_first_tree(a, start, directed=bool(directed))
                add(f"depth_first_tree/{start}/{directed}", [start, directed], tree.toarray())
                tree = cs.breadth_first_tree(a, start, directed=bool(directed))
                add(f"breadth_first_tree/{start}/{directed}", [start, directed], tree.toarray())
            distances, before = cs.johnson(a, directed=bool(directed), return_predecessors=True)
            add(f"johnson/{directed}", [directed, 0], [distances, before.astype(I32)], allclose(1e-15, 0))
            lengths = cs.construct_dist_matrix(a, before, directed=bool(directed), null_value=-1.0)
            add(f"construct_dist_matrix/{directed}", [directed, 0], lengths, allclose(1e-15, 0))
            if edges:
                for source, sink in ((0, nodes - 1), (nodes - 1, 1), (1, 1)):
                    lengths, before = cs.yen(narrow(a), source, sink, 6, directed=bool(directed), return_predecessors=True)
                    # SciPy's last path may be one of several of its length.
                    if len(set(lengths)) == len(lengths):
                        add(f"yen/{source}/{sink}/{directed}", [source, sink, 6, directed], [lengths, before.astype(I32)], allclose(1e-15, 0))
        add("csgraph_to_dense", [], cs.csgraph_to_dense(a, null_value=np.inf))
        add("csgraph_from_dense/0", [0], csr_parts(cs.csgraph_from_dense(a.toarray())))
        null = float(a.data[0]) if len(a.data) and a.data[0] == int(a.data[0]) else 1.0
        add("csgraph_from_dense/other", [int(null)], csr_parts(cs.csgraph_from_dense(a.toarray(), null_value=null)))
        add("minimum_spanning_tree", [], cs.minimum_spanning_tree(a).toarray())
        for normed in (0, 1):
            for out, symmetrized in ((0, 0), (1, 0), (0, 1)):
                made, diagonal = cs.laplacian(a, normed=bool(normed), return_diag=True, use_out_degree=bool(out), symmetrized=bool(symmetrized))
                bound = 1e-13 * max(1.0, float(abs(diagonal).max(initial=0)))
                add(f"laplacian/{normed}{out}{symmetrized}", [normed, out, symmetrized], [made.toarray(), diagonal], allclose(1e-14, bound))
        add("structural_rank", [], int(cs.structural_rank(a)))
        matched = cs.maximum_bipartite_matching(a, perm_type="column")
        add("matched_rows", [], np.asarray((matched >= 0).sum(), np.int64))
        both = sp.csr_array(a + a.T)
        degrees = (np.diff(both.indptr) + (both.diagonal() != 0)).astype(I32)
        # NumPy's sort of equal degrees has no certain order.
        if np.array_equal(np.argsort(degrees), np.argsort(degrees, kind="stable")):
            add("reverse_cuthill_mckee", [], cs.reverse_cuthill_mckee(a).astype(I32))
        if nodes > 1:
            capacities = sp.csr_array((np.rint(a.data).astype(I32), a.indices.astype(I32), a.indptr.astype(I32)), shape=a.shape)
            value = int(cs.maximum_flow(capacities, 0, nodes - 1).flow_value)
            store.add(f"sparse_graphs/{label}/maximum_flow", "csr.maximum_flow", [*own(capacities), 0, nodes - 1], expected=value, tolerance=EXACT)
    a = graph("negative", 14, 40)
    # Potentials make weights negative, and no cycle of negative length; sums of these are exact.
    potential = np.rint(rng("sparse_graphs potential").uniform(0, 30, 14) * 64) / 64
    rows = np.repeat(np.arange(14), np.diff(a.indptr))
    a.data = a.data + potential[rows] - potential[a.indices]
    distances, before = cs.bellman_ford(a, return_predecessors=True)
    store.add("sparse_graphs/negative/bellman_ford", "csr.bellman_ford", [*own(a), 1, 0], expected=[distances, before.astype(I32)],
              tolerance=allclose(1e-13, 1e-12))
    distances, before = cs.johnson(a, return_predecessors=True)
    store.add("sparse_graphs/negative/johnson", "csr.johnson", [*own(a), 1, 0], expected=[distances, before.astype(I32)],
              tolerance=allclose(1e-13, 1e-12))
    lengths, before = cs.yen(narrow(a), 0, 9, 4, return_predecessors=True)
    store.add("sparse_graphs/negative/yen", "csr.yen", [*own(a), 0, 9, 4, 1], expected=[lengths, before.astype(I32)],
              tolerance=allclose(1e-13, 1e-12))
    cycle = sp.csr_array(np.array([[0.0, -1.0], [0.5, 0.0]]))

    def wrong(case, name, a, *more, error=ValueError):
        store.add(f"sparse_graphs/errors/{case}", f"csr.{name}", [*own(a), *more], expected=error("refused"))

    wrong("negative cycle", "bellman_ford", cycle, 1, 0)
    wrong("negative cycle of pairs", "floyd_warshall", cycle, 1, 0)
    wrong("negative cycle of potentials", "johnson", cycle, 1, 0)
    wrong("negative cycle of several paths", "yen", cycle, 0, 1, 2, 1)
    wrong("no paths", "yen", sp.csr_array(np.eye(2)), 0, 1, 0, 1)
    wrong("sink beyond", "yen", cycle, 0, 2, 1, 1, error=IndexError)
    wrong("no full matching", "min_weight_full_bipartite_matching", sp.csr_array(np.array([[1.0, 2.0], [0.0, 0.0]])))
    wrong("infinite weight", "min_weight_full_bipartite_matching", sp.csr_array(np.array([[1.0, np.inf]])))
    wrong("negative weight", "dijkstra", cycle, 1, 0)
    wrong("not square", "components", sp.csr_array(np.ones((2, 3))))
    wrong("node beyond", "breadth_first_order", cycle, 5, 1, error=IndexError)
    wrong("floats of a flow", "maximum_flow", cycle, 0, 1)
