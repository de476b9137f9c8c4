"""Random programs with what NumPy makes of them: `python programs.py FIRST COUNT`, a line of JSON each.

A program makes arrays, views of them and windows into them, writes through those, drops handles, and reads. Values are values:
each name has its own, and a write changes one name only. So NumPy copies here wherever it would share memory, while ndany, which runs
the same steps, shares memory and writes in place as far as it can; what it makes of that must not be seen.

A read says what NumPy has: bit for bit where the operation is exact (all NaNs are one), within a bound where it rounds.
What is computed from a rounded value is compared between devices only, and says null. The same numbers make the same programs.

Left out, because NumPy is wrong or the platform decides:
- sorts and sets of float16: NumPy's AVX-512 sort of 300,000 of them is not sorted;
- isin of 64-bit integers among floats or complex numbers: it finds neighbours that round to one value;
- var and std of float16: they overflow where the sums fit a wider type;
- products of floats and of complex numbers: NumPy's BLAS and its compiler decide how they round, and the sign of a one-term zero;
- powers of floats: the power of -inf by 0.5 is NaN for a number and inf for an array of them;
- signs of NaNs (signbit, copysign), which no one promises, and the order of -0.0 and 0.0 in sorts, minima and maxima;
- casts of floats beyond the integers' range, NaN among them, and shifts by negative counts: undefined in C.
"""

import json
import random
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")

DTYPES = [np.dtype(name) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128")]
EXACT_UNARY = ["negative", "positive", "absolute", "square", "sqrt", "floor", "ceil", "trunc", "rint", "isnan", "isinf",
               "isfinite", "logical_not", "invert", "sign", "conjugate", "reciprocal"]
ROUNDED_UNARY = ["exp", "log", "sin", "cos", "tanh", "expm1", "log1p", "cbrt", "arctan"]
EXACT_BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "minimum", "maximum", "fmin", "fmax",
                "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "less", "less_equal", "greater",
                "greater_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_xor", "gcd", "power"]
WRITES = {"bool": ["|=", "&=", "^=", "="], "int": ["+=", "-=", "*=", "|=", "&=", "^=", "="], "float": ["+=", "-=", "*=", "="]}
OPERATORS = {"+=": np.add, "-=": np.subtract, "*=": np.multiply, "|=": np.bitwise_or, "&=": np.bitwise_and, "^=": np.bitwise_xor}


class Missing(Exception):
    """This step does not fit here."""


class Value:
    def __init__(self, array, exact=True):
        self.array, self.exact = np.array(array, order="C"), exact


def kind(dtype):
    return {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[dtype.kind]


def two_zeros(array):
    """Has it a zero whose sign decides which of two equal elements comes first?"""
    if array.dtype.kind == "c":
        return two_zeros(array.real) or two_zeros(array.imag)
    return array.dtype.kind == "f" and bool(np.any((array == 0) & np.signbit(array)))


def hexed(array):
    array = np.asarray(array, order="C")
    return {"dtype": array.dtype.name, "shape": list(np.shape(array)), "hex": array.tobytes().hex()}


def number(value):
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return value if np.isfinite(value) else str(value)


class Name(int):
    """A name of the program, as an argument."""


def encode(argument):
    if isinstance(argument, Name):
        return {"var": int(argument)}
    if isinstance(argument, np.dtype):
        return {"dtype": argument.name}
    if isinstance(argument, bool):
        return {"bool": argument}
    if isinstance(argument, (int, float, complex)):
        return {"scalar": number(argument), "type": f"py{type(argument).__name__}"}
    if isinstance(argument, str):
        return {"str": argument}
    if argument is None:
        return {"none": True}
    if argument is Ellipsis:
        return {"ellipsis": True}
    if isinstance(argument, slice):
        return {"slice": [argument.start, argument.stop, argument.step]}
    return {type(argument).__name__: [encode(item) for item in argument]}


def listed(argument):
    """The argument as it stands in a listing."""
    if isinstance(argument, Name):
        return f"v{int(argument)}"
    if isinstance(argument, np.dtype):
        return f"np.{argument.name}"
    if isinstance(argument, slice):
        ends = [argument.start, argument.stop, argument.step]
        return ":".join("" if end is None else str(end) for end in ends)
    if isinstance(argument, tuple):
        return "(" + ", ".join(map(listed, argument)) + ",)"
    if isinstance(argument, list):
        return "[" + ", ".join(map(listed, argument)) + "]"
    return repr(argument)


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.values = {}
        self.names = 0
        self.steps = []
        self.theme = self.random.choice(DTYPES)
        chance = self.random.random()
        self.most = 300_000 if chance < 0.01 else 6000 if chance < 0.1 else 200
        self.shape = self.some_shape()

    def percent(self, chance):
        return self.random.random() * 100 < chance

    def some_shape(self):
        if self.most > 1000:
            extent = self.random.randint(self.most // 2, self.most)
            return self.random.choice([(extent,), (extent // 7, 7), (5, extent // 5)])
        shape = tuple(self.random.choice([1, 2, 3, 4, 5, 7]) for _ in range(self.random.randint(1, 3)))
        if self.percent(4):
            shape = shape[1:] + (0,)
        if self.percent(5):
            shape = ()
        return shape if self.percent(80) else (self.random.randint(1, 150),)

    def do(self, text, **step):
        self.steps.append({**step, "text": text})

    def name(self, array, exact=True):
        if np.size(array) > (self.most if self.most > 10_000 else 4 * self.most) or np.ndim(array) > 6:
            raise Missing
        name = Name(self.names)
        self.names += 1
        self.values[name] = Value(array, exact)
        return name

    def pick(self):
        if not self.values:
            raise Missing
        names = list(self.values)
        # A late one rather than an early one.
        return names[max(self.random.randrange(len(names)), self.random.randrange(len(names)))]

    def array(self, name):
        return self.values[name].array

    def exact(self, *names):
        return all(self.values[name].exact for name in names)

    # What the program is made of.

    def elements(self, dtype, shape):
        count = int(np.prod(shape, dtype=np.int64))
        small = self.numbers.integers(-9, 10, count)
        flavour = self.random.randrange(4)
        if dtype == bool:
            values = small > 0
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            if flavour == 0:
                values = self.numbers.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
            elif flavour == 1:
                values = self.numbers.choice(np.array([info.min, info.max, 0, 1, info.max - 1], dtype), count)
            else:
                values = np.abs(small) if dtype.kind == "u" else small
        else:
            def part():
                if flavour == 0:
                    return self.numbers.normal(0, 10, count)
                if flavour == 1:
                    return self.numbers.choice([np.inf, -np.inf, np.nan, 1e-3, 65504.0, 0.5, 1.0], count)
                return small / 4
            values = part() + 1j * part() if dtype.kind == "c" else part()
            values = values + 0  # No -0.0.
        return np.asarray(values).astype(dtype).reshape(shape)

    def leaf(self, shape=None, dtype=None):
        if shape is None:
            shape = self.shape
            if self.percent(25):
                shape = tuple(1 if self.percent(30) else extent for extent in shape)
            if self.percent(15):
                shape = shape[self.random.randint(0, len(shape)):]
        dtype = dtype or (self.theme if self.percent(60) else self.random.choice(DTYPES))
        array = self.elements(dtype, shape)
        name = self.name(array)
        shown = np.array2string(array, threshold=60, separator=",").replace("\n", "")
        self.do(f"v{name} = np.array({shown}, np.{dtype.name})   # {array.shape}", do="leaf", to=name, **hexed(array))
        return name

    def call(self, function, *args, exact=True, **kwargs):
        """A call; NumPy's refusal is the expected one."""
        def plain(argument):
            if isinstance(argument, Name):
                return self.array(argument)
            if isinstance(argument, (tuple, list)):
                return type(argument)(map(plain, argument))
            return argument

        def used(argument):
            if isinstance(argument, Name):
                return [argument]
            return [name for item in argument for name in used(item)] if isinstance(argument, (tuple, list)) else []
        if function == "getitem":
            run, text = lambda a, *key: a[key], f"{listed(args[0])}[{', '.join(map(listed, args[1:]))}]"
        elif function == "astype":
            run, text = lambda a, dtype: a.astype(dtype), f"{listed(args[0])}.astype({listed(args[1])})"
        else:
            run = np
            for part in function.split(".")[1:]:
                run = getattr(run, part)
            shown = [*map(listed, args), *(f"{key}={listed(value)}" for key, value in kwargs.items())]
            text = f"{function}({', '.join(shown)})"
        step = {"name": function, "args": [encode(argument) for argument in args],
                "kwargs": {key: encode(value) for key, value in kwargs.items()}}
        names = used(list(args) + list(kwargs.values()))
        known = self.exact(*names)
        try:
            made = run(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})
        except (ValueError, IndexError) as error:
            # Values that rounded decide about nothing. Refusals of dtypes and shapes are no program's point.
            if not known or "broadcast" in str(error) or not self.percent(30):
                raise Missing from error
            found = "AxisError" if isinstance(error, np.exceptions.AxisError) else type(error).__name__
            self.do(f"{text}   # {found}", do="fails", error=found, **step)
            return None
        except (TypeError, OverflowError, MemoryError, np.linalg.LinAlgError) as error:
            raise Missing from error
        if isinstance(made, tuple):
            raise Missing
        made = np.asarray(made)
        if made.dtype not in DTYPES:
            raise Missing
        name = self.name(made, exact is True and known)
        self.do(f"v{name} = {text}", do="call", to=name, **step)
        # Its own bound holds for what the call itself rounds, of operands that are what they should be.
        if exact is not True and known:
            self.read(name, exact)
        return name

    def unary(self):
        of = self.pick()
        if self.percent(15):
            if kind(self.array(of).dtype) == "complex":
                raise Missing
            return self.call(f"np.{self.random.choice(ROUNDED_UNARY)}", of, exact="elementary")
        name = self.random.choice(EXACT_UNARY)
        # NumPy's compiler decides how these round.
        if kind(self.array(of).dtype) == "complex" and name in ("absolute", "square", "sqrt", "sign", "reciprocal"):
            raise Missing
        if name == "reciprocal" and kind(self.array(of).dtype) != "float":
            raise Missing
        return self.call(f"np.{name}", of)

    def scalar(self, dtype):
        if kind(dtype) in ("float", "complex") and self.percent(60):
            return self.random.choice([0.5, 2.0, -1.5, 3.25, 0.0, 100.0])
        return self.random.randint(0, 5)

    def binary(self):
        left = self.pick()
        name = self.random.choice(EXACT_BINARY)
        dtype = self.array(left).dtype
        right = self.scalar(dtype) if self.percent(30) else self.leaf(self.array(left).shape, dtype) if self.percent(20) else self.pick()
        other = self.array(right) if isinstance(right, Name) else np.asarray(right)
        kinds = {kind(dtype), kind(other.dtype)}
        if "complex" in kinds and name in ("multiply", "divide", "power", "minimum", "maximum", "fmin", "fmax"):
            raise Missing
        if name in ("left_shift", "right_shift") and np.any(other < 0):
            raise Missing
        if name in ("minimum", "maximum", "fmin", "fmax") and (two_zeros(self.array(left)) or two_zeros(other)):
            raise Missing
        if name == "power" and np.result_type(dtype, other).kind in "bf":
            raise Missing
        return self.call(f"np.{name}", left, right)

    def cast(self):
        of = self.pick()
        array, dtype = self.array(of), self.random.choice(DTYPES)
        if kind(array.dtype) == "complex" and kind(dtype) != "complex":
            raise Missing
        if kind(array.dtype) == "float" and dtype.kind in "iu":
            info = np.iinfo(dtype)
            inside = np.isfinite(array) & (array > max(info.min, -2.0**52)) & (array < min(info.max, 2.0**52))
            if not np.all(inside):
                raise Missing
        return self.call("astype", of, dtype)

    def reduce(self):
        of = self.pick()
        array = self.array(of)
        kwargs = {}
        if array.ndim and self.percent(75):
            kwargs["axis"] = self.random.randint(-array.ndim, array.ndim - 1)
        if self.percent(25):
            kwargs["keepdims"] = True
        name = self.random.choice(["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "cumsum", "cumprod",
                                   "ptp", "count_nonzero", "median", "nansum", "nanmax"])
        exact = True
        rounds = kind(array.dtype) in ("float", "complex")
        if name in ("min", "max", "argmin", "argmax", "ptp", "median", "nanmax") and (
                two_zeros(array) or kind(array.dtype) == "complex"):
            raise Missing
        if name in ("cumsum", "cumprod", "argmin", "argmax", "nansum", "nanmax", "ptp", "count_nonzero", "median"):
            if name in ("cumsum", "cumprod", "median", "nansum", "nanmax", "ptp", "count_nonzero"):
                kwargs.pop("keepdims", None)
        if name in ("mean", "var") or (rounds and name in ("sum", "prod", "cumsum", "cumprod", "nansum", "median")):
            exact = "sum"
        if array.dtype == np.float16 and name in ("var", "median", "mean"):
            raise Missing
        if name == "median" and array.size == 0:
            raise Missing
        return self.call(f"np.{name}", of, exact=exact, **kwargs)

    def order(self):
        of = self.pick()
        array = self.array(of)
        if array.dtype == np.float16 or two_zeros(array) or array.ndim == 0:
            raise Missing
        axis = self.random.randint(-array.ndim, array.ndim - 1)
        chance = self.random.randrange(6)
        if chance == 0:
            return self.call("np.argsort", of, axis=axis, kind="stable")
        if chance == 1:
            # Equal NaNs are one in both; of complex numbers only those that are equal in both parts.
            if array.dtype.kind == "c":
                raise Missing
            return self.call("np.unique", of) if self.exact(of) else None
        if chance == 2 and array.ndim == 1 and array.dtype.kind in "iub":
            ordered = self.call("np.sort", of)
            return self.call("np.searchsorted", ordered, of, side=self.random.choice(["left", "right"]))
        if chance == 3 and array.dtype.kind in "iu":
            other = self.pick()
            if self.array(other).dtype != array.dtype:
                raise Missing
            return self.call("np.isin", of, other)
        return self.call("np.sort", of, axis=axis)

    def key(self, array):
        items = []
        for extent in array.shape:
            chance = self.random.randrange(8)
            if chance == 0 and extent:
                items.append(self.random.randint(-extent, extent - 1))
            elif chance < 3:
                items.append(slice(None))
            elif chance == 3:
                items.append(slice(None, None, -1))
            elif chance == 4:
                items.append(slice(None, None, self.random.choice([2, 3, -2])))
            else:
                start = self.random.randint(-extent, extent)
                items.append(slice(start, self.random.randint(0, extent) if self.percent(70) else None))
        if items and self.percent(20):
            items = items[:self.random.randrange(len(items))] + [Ellipsis]
        return items or [Ellipsis]

    def view(self):
        of = self.pick()
        array = self.array(of)
        chance = self.random.randrange(9)
        if chance < 3:
            return self.call("getitem", of, *self.key(array))
        if chance == 3:
            axes = list(range(array.ndim))
            self.random.shuffle(axes)
            return self.call("np.transpose", of, tuple(axes))
        if chance == 4:
            size = array.size
            factor = next((factor for factor in (2, 3, 5, 7) if size and size % factor == 0), 1)
            return self.call("np.reshape", of, (factor, size // factor) if self.percent(50) else (size,))
        if chance == 5:
            shape = tuple(self.random.choice([2, 3]) if extent == 1 else extent for extent in array.shape)
            return self.call("np.broadcast_to", of, (2, *shape) if self.percent(30) else shape)
        if chance == 6:
            return self.call("np.flip", of, axis=self.random.randrange(array.ndim)) if array.ndim else None
        if chance == 7:
            return self.call("np.expand_dims", of, self.random.randint(0, array.ndim))
        return self.call("np.diagonal", of) if array.ndim >= 2 else None

    def window(self):
        """A view whose elements lie in several places of it; its base goes, as a rule."""
        of = self.pick()
        array = self.array(of)
        if array.ndim == 0 or array.size == 0 or array.size > 3000:
            raise Missing
        if self.percent(60):
            axis = self.random.randrange(array.ndim)
            width = self.random.randint(1, min(array.shape[axis], 5))
            base = of if self.percent(50) else self.call("np.copy", of)
            made = self.call("np.lib.stride_tricks.sliding_window_view", base, width, axis=axis)
        else:
            flat = self.call("np.reshape", of, (array.size,))
            base = self.call("np.copy", flat)
            steps = [self.random.randint(0, 3) for _ in range(self.random.randint(1, 3))]
            shape, left = [], array.size - 1
            for step in steps:
                extent = self.random.randint(1, min(5, left // step + 1)) if step else self.random.randint(1, 3)
                left -= step * (extent - 1)
                shape.append(extent)
            size = array.dtype.itemsize
            made = self.call("np.lib.stride_tricks.as_strided", base, tuple(shape), tuple(step * size for step in steps))
        if made is not None and base is not None and self.percent(60):
            self.drop(base)
        if made is not None and self.percent(60):
            self.write(made)
        return made

    def fancy(self):
        of = self.pick()
        array = self.array(of)
        if array.ndim == 0 or array.shape[0] == 0:
            raise Missing
        chance = self.random.randrange(6)
        extent = array.shape[0]
        places = self.numbers.integers(-extent, extent, self.random.randint(0, min(2 * extent, 200)))
        if self.percent(4) and len(places):
            places[0] = extent
        if chance < 3:
            name = self.name(places)
            self.do(f"v{name} = np.array({places.tolist()})", do="leaf", to=name, **hexed(places))
            return self.call("np.take", of, name, axis=0) if chance else self.call("getitem", of, name)
        mask = self.leaf(array.shape[:1], np.dtype(bool))
        if chance == 3:
            return self.call("getitem", of, mask)
        if chance == 4:
            return self.call("np.compress", mask, of, axis=0)
        return self.call("np.flatnonzero", mask)

    def choice(self):
        left, right = self.pick(), self.pick()
        condition = self.leaf(self.array(left).shape, np.dtype(bool))
        return self.call("np.where", condition, left, right)

    def join(self):
        of = self.pick()
        parts = [of, *(name for name in (self.pick(), self.pick()) if self.array(name).shape == self.array(of).shape)]
        if self.array(of).ndim and self.percent(70):
            return self.call("np.concatenate", tuple(parts), axis=self.random.randrange(self.array(of).ndim))
        return self.call("np.stack", tuple(parts), axis=0)

    def move(self):
        of = self.pick()
        array = self.array(of)
        if array.ndim == 0:
            raise Missing
        axis = self.random.randrange(array.ndim)
        name = self.random.choice(["roll", "repeat", "tile", "diff", "pad"])
        if name == "roll":
            return self.call("np.roll", of, self.random.randint(-5, 5), axis=axis)
        if name == "repeat":
            return self.call("np.repeat", of, self.random.randint(0, 3), axis=axis)
        if name == "tile":
            return self.call("np.tile", of, self.random.randint(1, 3))
        if name == "pad":
            return self.call("np.pad", of, self.random.randint(0, 2), mode=self.random.choice(["constant", "edge", "wrap", "reflect"]))
        return self.call("np.diff", of, axis=axis)

    def write(self, target=None):
        """A write through an index: of a number, of an array, or of the target's own elements."""
        target = self.pick() if target is None else target
        value = self.values[target]
        array = value.array
        key = self.key(array)
        part = array[tuple(key)]
        op = self.random.choice(WRITES[{"complex": "float"}.get(kind(array.dtype), kind(array.dtype))])
        if op == "*=" and kind(array.dtype) == "complex":
            op = "+="
        chance = self.random.randrange(4)
        if chance == 0:
            other = self.random.randint(0, 5) if array.dtype != bool else True
        elif chance == 1 and op == "=":
            other = self.pick()
            if kind(self.array(other).dtype) > kind(array.dtype) or self.array(other).dtype != array.dtype:
                raise Missing
        else:
            other = self.leaf(part.shape, array.dtype)
        if np.ndim(part) == 0 and isinstance(other, Name) and self.array(other).ndim:
            # NumPy writes an array with axes into one element for some dtypes only, and warns that it will not.
            raise Missing
        plain = self.array(other) if isinstance(other, Name) else np.asarray(other).astype(array.dtype)
        try:
            made = array.copy()
            if op == "=":
                made[tuple(key)] = plain
            else:
                made[tuple(key)] = OPERATORS[op](part, plain, dtype=array.dtype if array.dtype != bool else None)
        except ValueError as error:
            raise Missing from error
        exact = value.exact and (not isinstance(other, Name) or self.exact(other))
        self.values[target] = Value(made, exact)
        self.do(f"v{target}[{', '.join(map(listed, key))}] {op} {listed(other)}", do="write", to=target, op=op,
                index=[encode(item) for item in key], value=encode(other), set=op == "=" and self.percent(50))
        return target

    def drop(self, name=None):
        name = self.pick() if name is None else name
        if len(self.values) > 1:
            del self.values[name]
            self.do(f"del v{name}", do="drop", var=name)
        return name

    def again(self):
        of = self.pick()
        name = self.name(self.array(of), self.exact(of))
        self.do(f"v{name} = v{of}   # another handle", do="again", to=name, var=of)
        return name

    def read(self, name=None, bound=None):
        name = self.pick() if name is None else name
        value = self.values[name]
        if bound is not None:
            near = self.bound(value.array, bound)
            if near is None:
                self.do(f"read v{name}", do="read", var=name, want=None)
                return name
            self.do(f"read v{name}   # within {near}", do="read", var=name, want=hexed(value.array), near=near)
            return name
        exact = value.exact
        self.do(f"read v{name}" + ("" if exact else "   # rounded before: only between devices"), do="read", var=name,
                want=hexed(value.array) if exact else None)
        return name

    def bound(self, array, what):
        """How far a rounded value may be from NumPy's, which rounds, too; null where overflow is a matter of the order."""
        if array.dtype.kind not in "fc":
            return {"kind": "exact", "signed_zero": False}
        if not np.all(np.isfinite(array)) or array.size == 0:
            return None
        eps = float(np.finfo(array.dtype).eps)
        if what == "elementary":
            return {"kind": "allclose", "rtol": 8 * eps, "atol": float(np.finfo(array.dtype).tiny)}
        # What a sum rounds is beside the sizes of its terms, which may cancel.
        largest = max((float(np.max(np.abs(v.array[np.isfinite(v.array)]), initial=0)) for v in self.values.values()
                       if v.array.dtype.kind in "fciu"), default=1.0)
        terms = max(v.array.size for v in self.values.values())
        atol = eps * (terms + 8) * max(largest, 1.0)
        rtol = min(0.5, 64 * eps * (terms + 8))
        return {"kind": "allclose", "rtol": rtol, "atol": atol} if np.isfinite(atol) else None

    def step(self):
        chances = [(self.binary, 20), (self.unary, 10), (self.cast, 7), (self.reduce, 13), (self.order, 7), (self.view, 13),
                   (self.window, 6), (self.fancy, 7), (self.choice, 3), (self.join, 3), (self.move, 4), (self.write, 12),
                   (self.drop, 6), (self.again, 4), (self.read, 8), (self.leaf, 4)]
        step = self.random.choices([step for step, _ in chances], [weight for _, weight in chances])[0]
        kept = len(self.steps), self.names, dict(self.values)
        try:
            step()
        except Missing:
            # As if it had not been tried.
            del self.steps[kept[0]:]
            self.names, self.values = kept[1], kept[2]
            return False
        return True


def program(seed):
    made = Program(seed)
    for _ in range(made.random.randint(1, 3)):
        made.leaf()
    left = made.random.randint(5, 40)
    for _ in range(10 * left):
        left -= made.step()
        if left == 0:
            break
    names = list(made.values)
    for name in names if made.most < 10_000 else made.random.sample(names, min(3, len(names))):
        made.read(name)
    return {"seed": seed, "steps": made.steps}


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        print(json.dumps(program(seed), separators=(",", ":"), allow_nan=False))


if __name__ == "__main__":
    main()
