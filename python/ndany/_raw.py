"""Kernels of CUDA's or HIP's C++ under CuPy's names: ``RawModule`` and ``RawKernel``."""

import operator
import re

import numpy

from . import _core
from ._frame import TYPES as _TYPES
from ._statements import COMMENT as _COMMENT


def _extents(what, given):
    """One to three numbers as three."""
    try:
        numbers = [operator.index(given)] if hasattr(given, "__index__") else [operator.index(one) for one in given]
    except TypeError:
        raise TypeError(f"{what}: expected one to three integers, got {given!r}") from None
    if not 1 <= len(numbers) <= 3 or any(not 0 <= one < 2**32 for one in numbers):
        raise ValueError(f"{what}: expected one to three numbers of 32 bits, got {given!r}")
    return numbers + [1] * (3 - len(numbers))


def _dtypes_of(code, name):
    """The dtypes of a kernel's parameters by its text, where they are numbers of a known type; else None."""
    if not isinstance(code, str):
        return []
    text = _COMMENT.sub(" ", code)
    found = re.search(r"__global__[^;{]*?\b" + re.escape(name.partition("<")[0]) + r"\s*\(([^)]*)\)", text)
    if found is None:
        return []
    dtypes = []
    for parameter in found.group(1).split(","):
        words = [word for word in re.findall(r"\w+|\*", parameter) if word not in ("const", "signed")]
        is_unsigned = "unsigned" in words
        words = [word for word in words if word != "unsigned"]
        # The last word is the parameter's name; `unsigned` alone is a type.
        kind = words[:-1] or (["int"] if is_unsigned else words)
        if kind == ["long", "long"]:
            kind = ["long"]
        dtype = _TYPES.get(kind[0]) if len(kind) == 1 else None
        if dtype is not None and is_unsigned and dtype.startswith("int"):
            dtype = "u" + dtype
        dtypes.append(dtype)
    return dtypes


def _expect_compiler():
    device = _core.current_device()
    if not device.startswith(("cuda", "hip")):
        raise NotImplementedError(f"{device} compiles no text: launch it on a GPU")


class RawModule:
    """A module of C++ text, or of machine code in a file, as ``cupy.RawModule``: kernels by ``get_function``.

    ``path`` names a file of text (``.cu``, ``.hip``, ``.cpp``) or of machine code (a cubin, PTX, or code object). Instances of
    templates are asked for by ``name_expressions``. The device's compiler takes the text when a kernel is used first.
    """

    def __init__(
        self, *, code=None, path=None, options=(), backend="nvrtc", translate_cucomplex=False, enable_cooperative_groups=False,
        name_expressions=None, jitify=False,
    ):
        if (code is None) == (path is None):
            raise TypeError("exactly one of code and path must be given")
        if translate_cucomplex or jitify:
            raise NotImplementedError("the text is compiled as it is: translate_cucomplex and jitify must be False")
        if backend not in ("nvrtc", "nvcc"):
            raise ValueError(f"backend: expected nvrtc or nvcc, got {backend!r}")
        if isinstance(options, str) or not all(isinstance(one, str) for one in options):
            raise TypeError("options: expected a tuple of str")
        if path is not None:
            with open(path, "rb") as file:
                image = file.read()
            code = image.decode() if str(path).endswith((".cu", ".hip", ".cpp", ".cc")) else image
        self.code, self.file_path, self.backend = code, path, backend
        self.options, self.name_expressions = tuple(options), tuple(name_expressions or ())
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self._module = _core._RawModule("RawModule", code, list(self.options), list(self.name_expressions))

    def get_function(self, name):
        """A kernel of the module by its name, or by one of ``name_expressions``."""
        return RawKernel._of(self, name)

    def compile(self, log_stream=None):
        """Nothing but a check that the current device compiles text: it does so where a kernel is used first, and keeps the result."""
        _expect_compiler()

    def write(self, variable, value):
        """Writes a variable (``__constant__`` or ``__device__``) on the current device: an array or a number of its dtype."""
        data = numpy.ascontiguousarray(value.get() if hasattr(value, "get") else value)
        self._module.write(_core.current_device(), variable, data.tobytes())

    def read(self, variable, dtype):
        """The elements of a variable on the current device, as an array of NumPy."""
        return numpy.frombuffer(self._module.read(_core.current_device(), variable), dtype).copy()


class RawKernel:
    """A kernel of C++ text, as ``cupy.RawKernel``: ``kernel(grid, block, args)``.

    Arrays are passed as the address of their first element and may be read and written; they lie in C order, and no two share
    memory. NumPy's scalars have their dtype. Python's numbers have the type of the parameter where the text names one, else int64,
    float64 and complex128. Only GPUs compile text.
    """

    def __init__(
        self, code, name, options=(), backend="nvrtc", *, translate_cucomplex=False, enable_cooperative_groups=False, jitify=False,
    ):
        expressions = (name,) if "<" in name else None
        module = RawModule(
            code=code, options=options, backend=backend, translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups, name_expressions=expressions, jitify=jitify,
        )
        self._begin(module, name)

    @classmethod
    def _of(cls, module, name):
        kernel = object.__new__(cls)
        kernel._begin(module, name)
        return kernel

    def _begin(self, module, name):
        self._module, self.name = module, name
        self.code, self.options, self.backend = module.code, module.options, module.backend
        self.file_path, self.enable_cooperative_groups = module.file_path, module.enable_cooperative_groups
        self._dtypes = _dtypes_of(module.code, name)

    def compile(self, log_stream=None):
        """Compiles the text for the current device."""
        _expect_compiler()
        self.attributes

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        if stream is not None:
            with stream:
                return self(grid, block, args, shared_mem=shared_mem)
        device = next((str(one.device) for one in args if isinstance(one, _core.ndarray)), None) or _core.current_device()
        dtypes = self._dtypes if len(self._dtypes) == len(args) else [None] * len(args)
        self._module._module.launch(
            self.name, device, _extents("grid", grid), _extents("block", block), operator.index(shared_mem),
            self.enable_cooperative_groups, list(zip(args, dtypes)),
        )

    @property
    def attributes(self):
        """What the compiler made of the kernel on the current device, by CuPy's names."""
        names = ("max_threads_per_block", "num_regs", "shared_size_bytes", "const_size_bytes", "local_size_bytes")
        found = self._module._module.attributes(self.name, _core.current_device(), self.enable_cooperative_groups)
        return dict(zip(names, found))

    def __getattr__(self, name):
        if name in ("max_threads_per_block", "num_regs", "shared_size_bytes", "const_size_bytes", "local_size_bytes"):
            return self.attributes[name]
        raise AttributeError(f"'RawKernel' object has no attribute {name!r}")

    def __repr__(self):
        return f"<RawKernel {self.name}>"
