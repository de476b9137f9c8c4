# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

from ndany.sparse.linalg import LaplacianNd as LaplacianNd
from ndany.sparse.linalg import LinearOperator as LinearOperator
from ndany.sparse.linalg import SuperLU as SuperLU
from ndany.sparse.linalg import aslinearoperator as aslinearoperator
from ndany.sparse.linalg import bicg as bicg
from ndany.sparse.linalg import bicgstab as bicgstab
from ndany.sparse.linalg import cg as cg
from ndany.sparse.linalg import cgs as cgs
from ndany.sparse.linalg import eigs as eigs
from ndany.sparse.linalg import eigsh as eigsh
from ndany.sparse.linalg import expm as expm
from ndany.sparse.linalg import expm_multiply as expm_multiply
from ndany.sparse.linalg import factorized as factorized
from ndany.sparse.linalg import gcrotmk as gcrotmk
from ndany.sparse.linalg import gmres as gmres
from ndany.sparse.linalg import ic0 as ic0
from ndany.sparse.linalg import inv as inv
from ndany.sparse.linalg import is_sptriangular as is_sptriangular
from ndany.sparse.linalg import jacobi as jacobi
from ndany.sparse.linalg import lgmres as lgmres
from ndany.sparse.linalg import lobpcg as lobpcg
from ndany.sparse.linalg import lsmr as lsmr
from ndany.sparse.linalg import lsqr as lsqr
from ndany.sparse.linalg import matrix_power as matrix_power
from ndany.sparse.linalg import minres as minres
from ndany.sparse.linalg import norm as norm
from ndany.sparse.linalg import onenormest as onenormest
from ndany.sparse.linalg import qmr as qmr
from ndany.sparse.linalg import spbandwidth as spbandwidth
from ndany.sparse.linalg import spilu as spilu
from ndany.sparse.linalg import splu as splu
from ndany.sparse.linalg import spsolve as spsolve
from ndany.sparse.linalg import spsolve_triangular as spsolve_triangular
from ndany.sparse.linalg import svds as svds
from ndany.sparse.linalg import tfqmr as tfqmr
