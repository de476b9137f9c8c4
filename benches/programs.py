"""The programs of docs/programs.md: python programs.py numpy|cupy [NAME] [--size N] [--runs COUNT]

Runs the NumPy text of each section, and prints a JSON line each: a name, the milliseconds of the first run and the median
of the others. With CuPy the same text runs with CuPy's module in place of NumPy's. `examples/programs` does the same in Rust.
"""
import json
import pathlib
import re
import statistics
import sys
import time

# The name of each program in examples/programs, in the order of the page, and the text that holds its size.
PROGRAMS = [
    ("heat", "n, steps, c = 64, 100, 0.2", "n, steps, c = {}, 100, 0.2"),
    ("logistic", "n, rate = 4000, 1.0", "n, rate = {}, 1.0"),
    ("mandelbrot", "n, steps = 128, 60", "n, steps = {}, 60"),
    ("option", "= 100_000, 100.0,", "= {}, 100.0,"),
    ("nbody", "n, dt = 50, 1e-3", "n, dt = {}, 1e-3"),
    ("mimo", "batch, n = 50, 4", "batch, n = {}, 4"),
    ("convolution", "standard_normal(1000)", "standard_normal({})"),
    ("life", "zeros((32, 32), bool)", "zeros(({0}, {0}), bool)"),
    ("kmeans", "n, k = 200, 3", "n, k = {}, 3"),
    ("groupby", "n = 10_000", "n = {}"),
    ("diffusion", "n, c = 24, 0.1", "n, c = {}, 0.1"),
    ("pca", "n, columns, k = 300, 8, 2", "n, columns, k = {}, 8, 2"),
]
# What CuPy spells otherwise.
CUPY = [
    ("import numpy as np", "import cupy as np"),
    ('with np.errstate(all="ignore"):', "if True:"),
    ("np.unique_inverse(k)", "np.unique(k, return_inverse=True)"),
    ("[[0, 1, 0], [0, 0, 1], [1, 1, 1]]", "np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], bool)"),
]


def option(name):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else None


def main():
    peer, size, runs = sys.argv[1], option("--size"), option("--runs") or 5
    only = sys.argv[2] if len(sys.argv) > 2 and not sys.argv[2].startswith("--") else None
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "programs.md"
    texts = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    for (name, old, new), text in zip(PROGRAMS, texts, strict=True):
        if only not in (None, name):
            continue
        if old not in text:
            sys.exit(f"{name}: the page has no {old!r}")
        if size is not None:
            text = text.replace(old, new.format(size))
        if peer == "cupy":
            for numpy, cupy in CUPY:
                text = text.replace(numpy, cupy)
        program = compile(text, name, "exec")
        times = []
        try:
            for _ in range(runs):
                start = time.perf_counter()
                exec(program, {})
                times.append((time.perf_counter() - start) * 1e3)
            line = {"w": name, "ms": round(statistics.median(times[1:]), 4), "first": round(times[0], 4)}
            print(json.dumps(line), flush=True)
        except Exception as error:
            print(f"{name}: {error!r}", file=sys.stderr)


main()
