"""The stubs: they are what the modules hold, and type checkers take programs with them."""

import pathlib
import subprocess
import sys

import ndany as np
import numpy
import pytest

HERE = pathlib.Path(np.__file__).resolve().parent

PROGRAM = """
import ndany as np
import ndany.cupy as cp
from ndany import emath, sparse, special
from ndany.cupyx.profiler import benchmark
from ndany.polynomial import Polynomial
from ndany.sparse.linalg import cg
from ndany.typing import ArrayLike, NDArray

a: np.ndarray = np.arange(6, dtype=np.float32).reshape(2, 3)
a += 1
b = np.add.reduce(a @ a.T, axis=0, keepdims=True, where=a[:, :2] > 1, initial=0)
norm: float = float(np.linalg.norm(a[0])) + float(special.erf(b).sum())
rng: np.random.Generator = np.random.default_rng(np.random.SeedSequence(3))
print(np.fft.rfft(rng.normal(size=8)), np.finfo(a.dtype).eps, np.poly1d([1, 2])(3), np.r_[0:3], Polynomial([1, 2])(a), emath.sqrt(-1))

def doubled(x: NDArray[np.float64], y: ArrayLike, z: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> np.typing.NDArray[np.float64]:
    x *= 2
    return x

with a.device:
    print(a.device.id + 1, a.device.startswith("cpu"))
print(doubled(a, [1, 2], a).shape)
m = sparse.csr_array((3, 3))
print((m @ m).nnz, cg(m, np.ones(3))[0])
x = cp.asarray([1, 2]) + cp.random.rand(2, dtype=cp.float32)
kernel = cp.ElementwiseKernel("T x", "T y", "y = x * 2", "twice")
with cp.cuda.Device(0), cp.cuda.Stream() as stream:
    print(kernel(x), cp.asnumpy(x), cp.get_array_module(x), cp.get_default_memory_pool().used_bytes())
    stream.synchronize()
    print(benchmark(cp.sin, (x,), n_repeat=3))
"""
WRONG = [
    "np.no_such_function(3)",
    "np.linalg.no_such_function(3)",
    "cp.no_such_function(3)",
    "cp.cuda.no_such_function(3)",
    "np.zeros(3).no_such_method()",
    "number: int = np.zeros(3)",
]


def test_stubs_are_what_the_modules_hold():
    writer = HERE.parent / "stubs"
    if not writer.is_file():
        pytest.skip("an installed package has no writer of stubs")
    version = ".".join(numpy.__version__.split(".")[:2])
    if not (HERE / "__init__.pyi").read_text().partition("\n")[0].endswith(f"NumPy {version}."):
        pytest.skip("the stubs have the signatures of another version of NumPy")
    # Names of NumPy's that warn are asked for, too.
    done = subprocess.run([sys.executable, "-W", "ignore", writer, "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_type_checker_takes_programs_and_finds_mistakes(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(PROGRAM)
    wrong = "\n".join(["import ndany as np", "import ndany.cupy as cp", *WRONG])
    (tmp_path / "wrong.py").write_text(wrong)
    command = [sys.executable, "-P", "-m", "mypy", "--no-error-summary", "--hide-error-context", "--cache-dir", tmp_path / "cache"]
    # An installed package is found without it, and mypy refuses the folder of installed ones.
    is_installed = HERE.parent.name in ("site-packages", "dist-packages")
    environment = {"PATH": ""} if is_installed else {"PATH": "", "MYPYPATH": str(HERE.parent)}

    def check(*arguments):
        done = subprocess.run([*command, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
        # Mistakes that are found are 1.
        assert done.returncode < 2, done.stdout + done.stderr
        return done.stdout

    for strictness in ([], ["--strict"]):
        said = check(*strictness, "right.py")
        assert not [line for line in said.splitlines() if line.startswith("right.py")], said
    said = check("wrong.py")
    lines = {int(line.split(":")[1]) for line in said.splitlines() if line.startswith("wrong.py") and ": error:" in line}
    assert lines == set(range(3, 3 + len(WRONG))), said
    said = check("-p", "ndany")
    assert not [line for line in said.splitlines() if ".pyi:" in line and ": error:" in line], said
