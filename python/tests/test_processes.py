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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_forked_child_computes_on_the_cpu():
    run(FORK)


@pytest.mark.parametrize("program", [ENDS, CALLS_FUNCTIONS])
def test_the_interpreter_may_end_while_work_runs(program):
    for _ in range(3):
        run(program)


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
