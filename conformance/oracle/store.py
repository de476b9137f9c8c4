"""Writes cases in the format golden-1: a JSON file for each part, one case a line, and data/*.npy named
by content, shared by all parts. The repository has this packed (`xtask/src/pack.rs`): beside each JSON file an
archive of the arrays that it names.

Also the encoding of arguments, and the calling of NumPy by the names that cases use. What the cases
are is the other modules'.
"""

import hashlib
import io
import json
import pathlib
import re
import shutil
import sys
import warnings

import ml_dtypes
import mpmath
import numpy as np
import scipy
import scipy.fft

warnings.simplefilter("ignore")
np.seterr(all="ignore")

BF16 = np.dtype(ml_dtypes.bfloat16)
NEWAXIS = type("NewAxis", (), {})()
EXACT = {"kind": "exact", "signed_zero": True}
ANY_ZERO = {"kind": "exact", "signed_zero": False}


def ulp(n):
    return {"kind": "ulp", "ulp": n, "signed_zero": True}


def allclose(rtol, atol):
    # Four digits say as much as seventeen, and do not depend on the last bit of a norm.
    return {"kind": "allclose", "rtol": float(f"{rtol:.4g}"), "atol": float(f"{atol:.4g}")}


class View:
    """An array and the steps that make the view to be passed."""

    def __init__(self, array, *steps):
        self.array = np.asarray(array)
        self.steps = steps

    def apply(self):
        a = self.array
        for kind, value in self.steps:
            if kind == "slice":
                a = a[tuple(None if item is NEWAXIS else item for item in value)]
            elif kind == "transpose":
                a = a.transpose(value)
            else:
                a = np.broadcast_to(a, value)
        return a

    def encode(self):
        def item(value):
            if isinstance(value, slice):
                return {"slice": [value.start, value.stop, value.step]}
            if value is NEWAXIS or value is None:
                return {"newaxis": True}
            return {"ellipsis": True} if value is Ellipsis else int(value)

        return [{kind: [item(v) if kind == "slice" else int(v) for v in value]}
                for kind, value in self.steps]


def layouts(base, turned=None):
    """Views of an array with three axes that lie in the ways that loops tell apart, by label."""
    s = slice(None)
    return {
        "strided": View(base, ("slice", [slice(None, None, 2), slice(1, None, 2), slice(0, 5, 3)])),
        "negative": View(base, ("slice", [slice(None, None, -1), s, slice(None, None, -2)])),
        "transposed": View(base if turned is None else turned, ("transpose", [2, 0, 1])),
        "broadcast": View(base[:, :, :1], ("slice", [s, s, 0]), ("broadcast_to", [2, 3, 4])),
    }


def plain(argument):
    """The argument as NumPy takes it."""
    if isinstance(argument, View):
        return argument.apply()
    if argument is NEWAXIS:
        return None
    if isinstance(argument, (tuple, list)):
        return type(argument)(plain(item) for item in argument)
    return argument


def setitem(a, value, *key):
    a = a.copy()
    a[tuple(key)] = value
    return a


def scattered(ufunc):
    """CuPy's scatter functions, which change their first argument."""
    def run(a, slices, value):
        a = a.copy()
        ufunc.at(a, slices, value)
        return a
    return run


def function(op):
    """The NumPy function that a case calls `op`."""
    # Python writes these with brackets, or has them as attributes of an object.
    finfo = ("eps", "epsneg", "max", "min", "smallest_normal", "smallest_subnormal", "resolution", "precision", "bits")
    own = {"np.mgrid": lambda *key: np.mgrid[key if len(key) > 1 else key[0]], "np.r_": lambda *key: np.r_[key],
           "np.ogrid": lambda *key: np.ogrid[key if len(key) > 1 else key[0]], "np.c_": lambda *key: np.c_[key],
           "np.broadcast": lambda *arrays: np.broadcast(*arrays).shape,
           "np.finfo": lambda dtype: [getattr(np.finfo(dtype), name) for name in finfo],
           "np.iinfo": lambda dtype: [np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).bits],
           "cupyx.scatter_add": scattered(np.add), "cupyx.scatter_max": scattered(np.maximum), "cupyx.scatter_min": scattered(np.minimum),
           "cupyx.rsqrt": lambda x: 1 / np.sqrt(x),
           "getitem": lambda a, *key: a[tuple(key)], "setitem": setitem,
           "astype": lambda a, dtype, **options: a.astype(dtype, **options)}
    if op in own:
        return own[op]
    library, *path = op.split(".")
    # SciPy's transforms go by their module.
    found = scipy.fft if library == "fft" else np
    for part in path:
        found = getattr(found, part)
    return found


def error_names(error):
    """What the manifest calls an exception: NumPy's private classes by their public base."""
    if isinstance(error, np.exceptions.AxisError):
        return ["AxisError"]
    if isinstance(error, MemoryError):
        return ["ValueError", "MemoryError"]
    if isinstance(error, np.linalg.LinAlgError):
        return ["LinAlgError"]
    for base in type(error).__mro__:
        if base.__module__ == "builtins":
            return [base.__name__]
    raise error


def one_nan(array):
    """NaNs without sign and payload: those depend on the processor, and no case may."""
    if array.dtype.kind == "c":
        array.real, array.imag = one_nan(array.real.copy()), one_nan(array.imag.copy())
    elif array.dtype.kind == "f" or array.dtype == BF16:
        array[array != array] = np.nan
    return array


def clear(folder):
    """Removes all cases."""
    shutil.rmtree(folder / "data", ignore_errors=True)
    for path in folder.glob("*.json"):
        path.unlink()


def sweep(folder):
    """Removes arrays that no part names."""
    named = set()
    for path in folder.glob("*.json"):
        named.update(re.findall(r"data/([0-9a-f]+\.npy)", path.read_text()))
    for path in (folder / "data").iterdir():
        if path.name not in named:
            path.unlink()


class Store:
    def __init__(self, folder, part):
        self.folder = pathlib.Path(folder)
        self.part = part
        (self.folder / "data").mkdir(parents=True, exist_ok=True)
        self.cases = []
        self.ids = set()
        self.files = {}

    def npy(self, array):
        array = one_nan(np.array(array))
        out = io.BytesIO()
        np.lib.format.write_array(out, np.asarray(array, order="C"), version=(1, 0))
        data = out.getvalue()
        name = f"data/{hashlib.sha256(data).hexdigest()[:14]}.npy"
        if self.files.setdefault(name, data) != data:
            raise ValueError(f"two arrays share the name {name}")
        return name

    def encode(self, argument):
        if isinstance(argument, View):
            steps = argument.encode()
            encoded = {"npy": self.npy(argument.array)}
            return {**encoded, "view": steps} if steps else encoded
        if isinstance(argument, np.ndarray):
            return {"npy": self.npy(argument)}
        if isinstance(argument, (np.dtype, type)):
            return {"dtype": np.dtype(argument).name}
        if isinstance(argument, np.generic):
            value = argument.item() if argument.dtype != BF16 else float(argument)
            return {"scalar": number(value), "type": argument.dtype.name}
        if isinstance(argument, bool):
            return {"scalar": argument, "type": "pybool"}
        if isinstance(argument, (int, float, complex)):
            return {"scalar": number(argument), "type": f"py{type(argument).__name__}"}
        if isinstance(argument, str):
            return {"str": argument}
        if argument is None:
            return {"none": True}
        if argument is NEWAXIS:
            return {"newaxis": True}
        if argument is Ellipsis:
            return {"ellipsis": True}
        if isinstance(argument, slice):
            return {"slice": [self.bound(item) for item in (argument.start, argument.stop, argument.step)]}
        if isinstance(argument, (tuple, list)):
            return {type(argument).__name__: [self.encode(item) for item in argument]}
        raise TypeError(f"no encoding for {argument!r}")

    def bound(self, item):
        """A number of a slice: small integers and `None` stand bare."""
        return item if item is None or type(item) is int and abs(item) < 2**53 else self.encode(item)

    def add(self, id, op, args, kwargs=None, expected=None, tolerance=EXACT, note=None):
        """A case. Without `expected`, NumPy is asked; its refusal is the expected error."""
        kwargs = kwargs or {}
        if id in self.ids:
            raise ValueError(f"two cases are called {id}")
        self.ids.add(id)
        if expected is None:
            try:
                expected = function(op)(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()})
            except Exception as error:
                expected = error
        case = {"id": id, "family": id.split("/")[0], "op": op,
                "args": [self.encode(argument) for argument in args],
                "kwargs": {key: self.encode(value) for key, value in kwargs.items()}}
        if isinstance(expected, Exception):
            case["expected"] = {"error": error_names(expected)}
            tolerance = EXACT
        elif isinstance(expected, (tuple, list)):
            case["expected"] = {"list": [{"npy": self.npy(array)} for array in expected]}
        elif isinstance(expected, (str, np.dtype)):
            letters = expected if isinstance(expected, str) else expected.name
            case["expected"] = {"npy": self.npy(np.frombuffer(letters.encode(), np.uint8))}
        else:
            case["expected"] = {"npy": self.npy(expected)}
        case["tolerance"] = tolerance
        if note:
            case["note"] = note
        self.cases.append(case)

    def finish(self):
        for name, data in self.files.items():
            (self.folder / name).write_bytes(data)
        families = {}
        for case in self.cases:
            families[case["family"]] = families.get(case["family"], 0) + 1
        header = {"format": "golden-1", "numpy": np.__version__, "scipy": scipy.__version__,
                  "mpmath": mpmath.__version__, "ml_dtypes": ml_dtypes.__version__,
                  "python": ".".join(map(str, sys.version_info[:2])), "n_cases": len(self.cases),
                  "families": families}
        lines = [json.dumps(case, separators=(",", ":"), allow_nan=False) for case in self.cases]
        text = json.dumps(header, indent=1)[:-2] + ',\n "cases": [\n' + ",\n".join(lines) + "\n]}\n"
        (self.folder / f"{self.part}.json").write_text(text)
        size = len(text) + sum(map(len, self.files.values()))
        print(f"{self.part}: {len(self.cases)} cases, {len(self.files)} arrays, {size / 1e6:.2f} MB")


def number(value):
    """A number as JSON has it: big integers, infinities and NaN as strings, complex as a pair."""
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return value if np.isfinite(value) else str(value)
