"""Processes: forks, an interpreter that ends while work runs, owners of memory that would shrink."""

import gc
import mmap
import os
import subprocess
import sys

import ndany as np
import numpy
import pytest

FORK = """
import os, signal
import ndany as np

with np.cuda.Device("cpu"):
    x = np.random.default_rng(1).random(1_000_000)
    m = np.arange(90_000.0).reshape(300, 300)

    def work():
        return [float(x.sum()), float(np.sort(x)[7]), float((m @ m).sum())]

    inverse = float(np.linalg.inv(m + np.eye(300) * 1e6).sum())
    first = work()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        right = work() == first and abs(float(np.linalg.inv(m + np.eye(300) * 1e6).sum()) / inverse - 1) < 1e-9
        os._exit(0 if right else 3)
    assert os.waitpid(child, 0)[1] == 0
    assert work() == first
"""

ENDS = """
import threading, time
import ndany as np

def work():
    with np.cuda.Device("cpu"):
        while True:
            x = np.random.default_rng(1).random(300_000)
            float(np.sort(x).sum())

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""

CALLS_FUNCTIONS = """
import threading, time
import ndany as np
from ndany.sparse.linalg import LinearOperator, cg

def twice(x):
    for _ in range(300):
        pass
    return x * 2

def work():
    with np.cuda.Device("cpu"):
        b = np.ones(50)
        while True:
            cg(LinearOperator((50, 50), matvec=twice, dtype="f8"), b)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""


def run(program):
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_forked_child_computes_on_the_cpu():
    run(FORK)


@pytest.mark.parametrize("program", [ENDS, CALLS_FUNCTIONS])
def test_the_interpreter_may_end_while_work_runs(program):
    for _ in range(3):
        run(program)


NO_DEVICE = """
import ndany as np, ndany.cupy as cp, numpy

makers = [
    lambda: np.zeros(3), lambda: np.asarray([1]), lambda: np.asarray(numpy.ones(2)), lambda: np.add(numpy.ones(2), 1), lambda: np.arange(3),
    lambda: np.random.default_rng(0).normal(size=3), lambda: np.random.rand(3), lambda: np.ndarray(3), lambda: np.linalg.inv([[1.0]]),
    lambda: cp.cuda.Device(), lambda: cp.cuda.Stream(), lambda: cp.cuda.runtime.is_hip, lambda: np.sparse.csr_array((3, 3)),
    lambda: np.sparse.linalg.cg(numpy.eye(3), numpy.ones(3)),
]
for at, make in enumerate(makers):
    try:
        make()
    except ERROR as error:
        assert "SAID" in str(error), error
    else:
        raise AssertionError(f"the maker {at} found a device")
with np.cuda.Device("cpu"):
    a = np.arange(10.0)
    assert float(a.sum()) == 45
a[[0, 1]] = [3, 4]
assert a.device == "cpu" and (a + numpy.ones(10)).tolist()[:2] == [4, 5] and np.ones(3, device="cpu").sum().item() == 3
"""


def test_a_device_that_does_not_open_is_an_exception(monkeypatch):
    # Also where the packages are imported no device is opened.
    for name, said in (("nonsense", "nonsense"), ("cuda:99", "cuda:99")):
        monkeypatch.setenv("NDANY_DEVICE", name)
        run(NO_DEVICE.replace("ERROR", "ValueError").replace("SAID", said))


def test_a_gpu_that_is_lost_is_an_exception(monkeypatch):
    gpus = [name for name in np.devices() if name.startswith(("cuda", "hip"))]
    # Real devices are lost by no command.
    if not gpus or "softgpu" not in np._core.describe(gpus[0]):
        pytest.skip("no software GPU here")
    monkeypatch.setenv("NDANY_DEVICE", gpus[0])
    monkeypatch.setenv("NDANY_SOFTGPU_FAIL", "*:5:lost")
    run(NO_DEVICE.replace("ERROR", "RuntimeError").replace("SAID", "lost"))
    for call in (40, 80, 150):
        monkeypatch.setenv("NDANY_SOFTGPU_FAIL", f"*:{call}:lost")
        run(LOST)


LOST = """
import ndany as np, numpy

a, lost = np.arange(100.0), 0
uses = [
    lambda: float(np.sin(a).sum()), lambda: (a @ a).get(), lambda: np.sort(a).get(), lambda: np.asarray(numpy.ones(5)).get(),
    lambda: a.__dlpack__(), lambda: a.to_device("cpu"), lambda: repr(a), lambda: np.cuda.Device().synchronize(),
    lambda: np.cuda.Stream().synchronize(), lambda: np.random.default_rng(0).random(5).get(),
]
for _ in range(20):
    for use in uses:
        try:
            use()
        except RuntimeError as error:
            assert "lost" in str(error), error
            lost += 1
assert lost > 100
with np.cuda.Device("cpu"):
    assert float(np.arange(10.0).sum()) == 45
"""


@pytest.fixture
def on_the_host():
    with np.cuda.Device("cpu"):
        yield


def test_a_buffer_that_is_seen_does_not_shrink(on_the_host):
    owner = bytearray(80)
    x = np.frombuffer(owner)
    x[0] = 1
    assert owner[:8] == numpy.float64(1).tobytes()
    with pytest.raises(BufferError):
        owner.append(1)
    del x
    gc.collect()
    owner.append(1)
    x = np.ndarray(5, "i8", buffer=owner, offset=8)
    x[0] = 3
    with pytest.raises(BufferError):
        owner.clear()
    assert owner[8] == 3
    del x
    gc.collect()
    owner.clear()
    memory = mmap.mmap(-1, 80)
    x = np.frombuffer(memory, dtype="i4", count=3, offset=4)
    with pytest.raises(BufferError):
        memory.close()
    assert x.shape == (3,) and x.dtype == "i4"
    array = numpy.arange(10.0)
    x = np.from_dlpack(array)
    with pytest.raises(ValueError, match="resize|refer"):
        array.resize(20)
    # A write copies what others may only read.
    fixed = b"\x01\x02"
    copied = np.frombuffer(fixed, dtype="u1")
    copied[0] = 9
    assert copied.tolist() == [9, 2] and fixed == b"\x01\x02"
    with pytest.raises(ValueError, match="buffer"):
        np.frombuffer(b"\x01", dtype="f8")
