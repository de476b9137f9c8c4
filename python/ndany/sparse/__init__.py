"""Sparse arrays on CPUs and GPUs: the names of ``scipy.sparse``, with the same bits on every device.

The parts of an array are arrays of ndany. Constructors take sparse arrays of SciPy and CuPy, which are copied (with ``copy=False`` the
values are shared where they can be), and ``a.get()`` is an array of SciPy.
"""

from ._base import issparse, sparray  # noqa: F401
from ._array import bsr_array, coo_array, csc_array, csr_array, dia_array  # noqa: F401
from ._construct import (  # noqa: F401
    block_array, block_diag, diags_array, expand_dims, eye_array, find, hstack, identity, kron, kronsum, load_npz, permute_dims,
    random_array, save_npz, swapaxes, tril, triu, vstack,
)
from . import csgraph, linalg  # noqa: F401
