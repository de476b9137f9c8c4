"""Arrays on a GPU: memory stays there, is shared there, and comes to the host where it is asked for."""

import ndany as np
import numpy
import pytest

GPUS = [name for name in np.devices() if name.partition(":")[0] in ("cuda", "hip")]
pytestmark = pytest.mark.skipif(not GPUS, reason="no GPU here")


@pytest.fixture(params=GPUS[:2])
def gpu(request):
    with np.cuda.Device(request.param):
        yield request.param


def test_arrays_stay_on_their_device(gpu):
    a = np.arange(6.0).reshape(2, 3)
    assert a.device == (a.T @ a).device == np.sin(a).device == gpu
    assert a.to_device("cpu").device == "cpu" and np.asarray([1], device="cpu").device == "cpu"
    with pytest.raises(TypeError, match="get"):
        numpy.asarray(a)
    with pytest.raises((AttributeError, BufferError, TypeError)):
        memoryview(a)
    with pytest.raises(ValueError):
        a + np.zeros(3, device="cpu")
    numpy.testing.assert_array_equal(a.get(), np.asnumpy(a))


def test_views_alias(gpu):
    a = np.arange(12).reshape(3, 4)
    b = a[1:, ::2]
    b += 100
    a.T[0] = -1
    a[[0, 2], 3] = 7
    assert a.tolist() == [[-1, 1, 2, 7], [-1, 5, 106, 7], [-1, 9, 110, 7]]


def test_exchange(gpu):
    a = np.arange(4.0)
    b = np.from_dlpack(a)
    b[0] = 9
    a[1] = 8
    assert a.tolist() == b.tolist() == [9, 8, 2, 3]
    plain = numpy.from_dlpack(a, device="cpu")
    assert plain.tolist() == [9, 8, 2, 3]
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(1, 0), copy=False)
    kind, number = a.__dlpack_device__()
    assert kind == (2 if gpu.startswith("cuda") else 10) and number == int(gpu.partition(":")[2])
    if kind == 2:
        interface = a.__cuda_array_interface__

        class Foreign:
            __cuda_array_interface__ = interface

        shared = np.asarray(Foreign())
        shared[2] = 5
        assert a[2] == 5 and shared.device == gpu
        assert interface["version"] == 3 and interface["shape"] == (4,) and interface["typestr"] == "<f8"


def test_errors_come_with_the_value(gpu):
    with pytest.raises(IndexError):
        np.take(np.arange(3), np.asarray([5])).get()
    with pytest.raises(ValueError):
        (np.asarray([1, 2]) ** np.asarray([-1, 1])).get()


def test_copies_keep_the_device(gpu):
    import copy
    import pickle

    a = np.arange(3)
    for other in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert other.device == gpu and other.tolist() == [0, 1, 2]
