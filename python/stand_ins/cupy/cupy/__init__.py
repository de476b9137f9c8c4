"""`ndany.cupy` under the name that CuPy's own tests import. What they look for inside of CuPy is a mock."""

import importlib.util
import math
import os
import sys
import types
from unittest import mock

import ndany
import ndany.cupy as _cp
import numpy

for _name in dir(ndany):
    if not _name.startswith("__"):
        globals()[_name] = getattr(ndany, _name)
for _name in dir(_cp):
    if not _name.startswith("__"):
        globals()[_name] = getattr(_cp, _name)

__version__ = "15.0.0"
# `cupy.testing` is that of the checkout.
__path__.append(os.path.join(os.environ["CUPY_SOURCE"], "cupy"))
globals().pop("testing", None)


class _Module(types.ModuleType):
    """A module of which everything is a mock."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return mock.MagicMock()


class _Finder:
    INNER = ("cupy._core", "cupy.cuda.", "cupy_backends", "cupyx.cusolver", "cupy._util", "cupy._environment", "cupy.cublas",
             "cupy._indexing", "cupy.fft.", "cupy.random.", "cupy.linalg.", "cupy.lib", "cupyx.scipy", "cupyx.cutensor", "cupyx.jit")

    def find_spec(self, name, path=None, target=None):
        if name.startswith(self.INNER):
            return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def _module(name, **values):
    module = _Module(name)
    for key, value in values.items():
        setattr(module, key, value)
    sys.modules[name] = module
    return module


sys.meta_path.append(_Finder())
exceptions = _module("cupy.exceptions", **{name: getattr(numpy.exceptions, name) for name in numpy.exceptions.__all__})
linalg = sys.modules["cupy.linalg"] = ndany.linalg
fft = sys.modules["cupy.fft"] = ndany.fft
random = sys.modules["cupy.random"] = _cp.random
random._generator = _module("cupy.random._generator")
random.reset_states = lambda: None
linalg._util = _module("cupy.linalg._util")
fft.config = fft._fft = _module("cupy.fft.config")
lib = _module("cupy.lib", stride_tricks=ndany.lib.stride_tricks)
_util = _module("cupy._util", PerformanceWarning=type("PerformanceWarning", (RuntimeWarning,), {}), ENABLE_SLICE_COPY=False)
_internal = _module("cupy._core.internal", prod=math.prod, is_in=lambda args, a: a in args)
_accelerator = _module(
    "cupy._core._accelerator", ACCELERATOR_CUB=1,
    **{f"get_{kind}_accelerators": lambda: [] for kind in ("reduction", "routine", "elementwise")},
    **{f"set_{kind}_accelerators": lambda _: None for kind in ("reduction", "routine", "elementwise")},
)
_core = _module("cupy._core", ndarray=ndany.ndarray, internal=_internal, _accelerator=_accelerator)
runtime = _module("cupy.cuda.runtime", is_hip=False, getDeviceCount=lambda: 1, runtimeGetVersion=lambda: 12060)
cuda = _module(
    "cupy.cuda", runtime=runtime, Device=ndany.cuda.Device, Stream=ndany.cuda.Stream, Event=ndany.cuda.Event,
    driver=_module("cupy.cuda.driver", get_build_version=lambda: 12060), is_available=lambda: True,
    get_current_stream=ndany.cuda.get_current_stream, cub=mock.MagicMock(available=False),
)
ndany.cuda.Stream.null = ndany.cuda.Stream()
float_ = numpy.float64
is_available = lambda: True  # noqa: E731
