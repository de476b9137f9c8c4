# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

from ndany.sparse.csgraph import MaximumFlowResult as MaximumFlowResult
from ndany.sparse.csgraph import bellman_ford as bellman_ford
from ndany.sparse.csgraph import breadth_first_order as breadth_first_order
from ndany.sparse.csgraph import breadth_first_tree as breadth_first_tree
from ndany.sparse.csgraph import connected_components as connected_components
from ndany.sparse.csgraph import construct_dist_matrix as construct_dist_matrix
from ndany.sparse.csgraph import csgraph_from_dense as csgraph_from_dense
from ndany.sparse.csgraph import csgraph_to_dense as csgraph_to_dense
from ndany.sparse.csgraph import depth_first_order as depth_first_order
from ndany.sparse.csgraph import depth_first_tree as depth_first_tree
from ndany.sparse.csgraph import dijkstra as dijkstra
from ndany.sparse.csgraph import floyd_warshall as floyd_warshall
from ndany.sparse.csgraph import johnson as johnson
from ndany.sparse.csgraph import laplacian as laplacian
from ndany.sparse.csgraph import maximum_bipartite_matching as maximum_bipartite_matching
from ndany.sparse.csgraph import maximum_flow as maximum_flow
from ndany.sparse.csgraph import min_weight_full_bipartite_matching as min_weight_full_bipartite_matching
from ndany.sparse.csgraph import minimum_spanning_tree as minimum_spanning_tree
from ndany.sparse.csgraph import reconstruct_path as reconstruct_path
from ndany.sparse.csgraph import reverse_cuthill_mckee as reverse_cuthill_mckee
from ndany.sparse.csgraph import shortest_path as shortest_path
from ndany.sparse.csgraph import structural_rank as structural_rank
from ndany.sparse.csgraph import yen as yen
