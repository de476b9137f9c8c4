# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

from ndany.sparse import block_array as block_array
from ndany.sparse import block_diag as block_diag
from ndany.sparse import bsr_array as bsr_array
from ndany.sparse import coo_array as coo_array
from ndany.sparse import csc_array as csc_array
from ndany.sparse import csgraph as csgraph
from ndany.sparse import csr_array as csr_array
from ndany.sparse import dia_array as dia_array
from ndany.sparse import diags_array as diags_array
from ndany.sparse import expand_dims as expand_dims
from ndany.sparse import eye_array as eye_array
from ndany.sparse import find as find
from ndany.sparse import hstack as hstack
from ndany.sparse import identity as identity
from ndany.sparse import issparse as issparse
from ndany.sparse import kron as kron
from ndany.sparse import kronsum as kronsum
from ndany.sparse import linalg as linalg
from ndany.sparse import load_npz as load_npz
from ndany.sparse import permute_dims as permute_dims
from ndany.sparse import random_array as random_array
from ndany.sparse import save_npz as save_npz
from ndany.sparse import sparray as sparray
from ndany.sparse import swapaxes as swapaxes
from ndany.sparse import tril as tril
from ndany.sparse import triu as triu
from ndany.sparse import vstack as vstack
