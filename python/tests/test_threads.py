"""Threads of Python: with the interpreter's lock they take turns, in a free-threaded interpreter they run at the same time."""

import operator
import subprocess
import sys
import sysconfig
import threading
import traceback

import ndany as np
import numpy
import pytest
from ndany import sparse

THREADS = 8


@pytest.fixture(autouse=True)
def on_the_host():
    with np.cuda.Device("cpu"):
        yield


def together(*works):
    """Runs functions at the same time, each in a thread of its own; their results."""
    barrier = threading.Barrier(len(works))
    results, failed = [None] * len(works), []

    def run(k):
        try:
            barrier.wait()
            with np.cuda.Device("cpu"):
                results[k] = works[k]()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return results


def in_all(work):
    """The results of one function in all threads."""
    return together(*[lambda k=k: work(k) for k in range(THREADS)])


def test_the_package_does_not_bring_the_lock_back():
    text = "import sys, ndany; print(getattr(sys, '_is_gil_enabled', lambda: True)())"
    done = subprocess.run([sys.executable, "-P", "-W", "error::RuntimeWarning", "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert done.stdout.split() == [str(not free)]


def test_names_are_looked_up_for_the_first_time_by_all():
    text = """
import threading
import ndany as np
names = ["sin", "add", "cumsum", "median", "sort", "unique", "einsum", "linalg.svd", "fft.fft", "histogram"]
barrier = threading.Barrier(8)
right = []
def run(k):
    barrier.wait()
    with np.cuda.Device("cpu"):
        a = np.arange(24.0).reshape(2, 12)
        for name in names[k % 3:] + names[:k % 3]:
            f = np
            for part in name.split("."):
                f = getattr(f, part)
        sums = [float(np.sin(a).sum()), float(np.cumsum(a)[-1]), float(np.median(a)), float(np.fft.fft(a).real.sum())]
        right.append(sums)
threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(right) == 8 and all(sums == right[0] for sums in right), right
"""
    done = subprocess.run([sys.executable, "-P", "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_lazy_array_is_read_by_all():
    for seed in range(20):
        plain = numpy.random.default_rng(seed).random((40, 50))
        a = np.asarray(plain)
        lazy = np.sqrt(a * 2 + 1)
        expected = numpy.sqrt(plain * 2 + 1)
        reads = [
            lambda: numpy.asarray(lazy).tolist() == expected.tolist(),
            lambda: lazy[3].tolist() == expected[3].tolist(),
            lambda: (lazy.T - 1).tolist() == (expected.T - 1).tolist(),
            lambda: float(lazy.max()) == expected.max(),
            lambda: [float(x) for x in lazy[:, 0]] == expected[:, 0].tolist(),
            lambda: numpy.sort(lazy, axis=None).tolist() == numpy.sort(expected, axis=None).tolist(),
        ]
        assert all(together(*reads))


def test_each_thread_writes_a_row_through_a_view():
    whole = np.zeros((THREADS, 1000))
    again = whole[:]

    def work(k):
        row = again[k]
        for step in range(50):
            row += k
            row[step] = -1
            again[k, step::100] *= 2
        return row.tolist()

    rows = in_all(work)
    assert whole.tolist() == rows
    plain = numpy.zeros((THREADS, 1000))
    for k in range(THREADS):
        for step in range(50):
            plain[k] += k
            plain[k, step] = -1
            plain[k, step::100] *= 2
    assert rows == plain.tolist()


def test_writes_to_one_element_lose_nothing_but_updates():
    a = np.zeros(3, dtype=int)

    def work(_):
        for _ in range(100):
            operator.iadd(a, 1)
        return True

    assert all(in_all(work))
    assert all(1 <= x <= 100 * THREADS for x in a.tolist())


def test_a_generator_is_shared():
    # Draws of all threads are those of one, in another order: none twice.
    shared = np.random.default_rng(5)
    drawn = in_all(lambda _: [int(shared.integers(0, 2**62)) for _ in range(50)])
    alone = np.random.default_rng(5)
    expected = [int(alone.integers(0, 2**62)) for _ in range(50 * THREADS)]
    assert sorted(x for part in drawn for x in part) == sorted(expected)


def test_errors_belong_to_their_thread():
    def work(k):
        for _ in range(20):
            try:
                np.zeros(k + 2) + np.zeros(k + 3)
            except ValueError as error:
                said = "".join(traceback.format_exception(error))
                if f"({k + 2},)" not in said or f"({k + 3},)" not in said:
                    return said
            else:
                return "no error"
        return None

    assert in_all(work) == [None] * THREADS


def test_states_of_errors_belong_to_their_thread():
    def work(k):
        with numpy.errstate(divide="raise" if k % 2 else "ignore"):
            for _ in range(20):
                try:
                    (np.ones(3) / np.zeros(3)).tolist()
                except FloatingPointError:
                    if k % 2 == 0:
                        return False
        return True

    assert all(in_all(work))


def test_sparse_arrays_are_shared():
    dense = numpy.where(numpy.random.default_rng(1).random((60, 60)) < 0.1, 1.5, 0.0)
    a = sparse.csr_array(np.asarray(dense))

    def work(k):
        x = numpy.full(60, k + 1.0)
        product = numpy.asarray(a @ np.asarray(x)) - dense @ x
        return abs(product).max() < 1e-12 and a.T.sum() == dense.sum() and (a * 2).nnz == a.nnz

    assert all(in_all(work))


def test_memory_is_lent_and_given_back_by_all():
    a = np.arange(1000.0)

    def work(k):
        for _ in range(50):
            b = np.from_dlpack(numpy.asarray(a))
            c = numpy.from_dlpack(a[k:])
            if float(b[k]) != k or c[0] != k:
                return False
        return True

    assert all(in_all(work))
    a += 1
    assert float(a.sum()) == 1000 * 999 / 2 + 1000
