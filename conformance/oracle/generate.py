"""Makes the golden cases of this project: `python generate.py FOLDER`.

Values come from NumPy where NumPy's are defined, from mpmath for elementary functions, and from exact
rational arithmetic for sums and products. Nothing of ndany takes part. The same versions make the
same bytes: no clock, no address, no unseeded random number, no dependence on SIMD variants of
transcendental loops. Where NumPy's own result depends on the platform there is no case.
"""

import sys

import casts
import creation
import elementwise
import errors
import indexing
import linear
import long
import manipulation
import promotion
import reductions
from store import Store


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: generate.py FOLDER")
    store = Store(sys.argv[1])
    for module in (elementwise, promotion, casts, reductions, long, linear, indexing, manipulation,
                   creation, errors):
        module.cases(store)
    store.finish()


main()
