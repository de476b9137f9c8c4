"""Makes the golden cases of this project: `python generate.py FOLDER [PART ...]`.

A part is a module beside this one that has a function `cases`; it becomes FOLDER/<part>.json. Without
names all parts are made, and what no part names is removed. `cargo run -p xtask -- oracle` runs this in
a folder below `target` and packs what it makes into `conformance/golden`.

Values come from NumPy where NumPy's are defined, from mpmath for elementary functions, and from exact
rational arithmetic for sums and products. Nothing of ndany takes part. The same versions make the
same bytes: no clock, no address, no unseeded random number, no dependence on SIMD variants of
transcendental loops. Where NumPy's own result depends on the platform there is no case.
"""

import importlib
import pathlib
import sys

import mpmath

from store import Store, clear, sweep


def parts():
    here = pathlib.Path(__file__).parent
    return sorted(path.stem for path in here.glob("*.py")
                  if "\ndef cases(store):" in path.read_text())


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: generate.py FOLDER [PART ...]")
    folder, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:] or parts()
    unknown = set(wanted) - set(parts())
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts())}")
    if not sys.argv[2:]:
        clear(folder)
    for part in wanted:
        store = Store(folder, part)
        # A part may set the precision: it has none of another part, so that each part by itself makes the same bytes.
        with mpmath.workdps(15):
            importlib.import_module(part).cases(store)
        store.finish()
    sweep(folder)


main()
