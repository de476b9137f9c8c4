"""What a run of a kernel's statements works with: C's arithmetic on whole arrays, and which elements are active."""

import operator

import numpy

from . import _core

TYPES = {
    "bool": "bool", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "float": "float32", "double": "float64",
    "unsigned": "uint32", "size_t": "uint64", "ptrdiff_t": "int64", "float16": "float16",
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"{kind}{bits}_t": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("float32", "float64", "complex64", "complex128", "bool_")},
}
# Operations of two integers of Python stay such: bounds and counters of loops need no device.
_OF_INTEGERS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "equal": operator.eq, "not_equal": operator.ne,
    "less": operator.lt, "greater": operator.gt, "less_equal": operator.le, "greater_equal": operator.ge,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}


def call(name, *values, **options):
    return _core.function(name)(*values, **options)


def converted(value, dtype):
    """An array of a dtype."""
    value = value if isinstance(value, _core.ndarray) else call("np.asarray", value)
    return value if value.dtype == dtype else value.astype(dtype)


# ---- Arithmetic by C's rules ----

def _dtype_of(value):
    return value.dtype if hasattr(value, "dtype") else None


def _promoted(value):
    """Integers shorter than `int` are computed as such."""
    dtype = _dtype_of(value)
    short = dtype is not None and dtype.kind in "biu" and dtype.itemsize < 4
    return converted(value, numpy.dtype("int32")) if short else value


def usual(left, right):
    """Two operands after C's usual conversions, where they differ from NumPy's."""
    left, right = _promoted(left), _promoted(right)
    kinds = [_dtype_of(left), _dtype_of(right)]
    if None in kinds or kinds[0] == kinds[1]:
        return left, right
    narrow, wide = sorted(kinds, key=lambda dtype: (dtype.kind in "fc", dtype.itemsize, dtype.kind == "u"))
    if narrow.kind in "iu" and wide.kind in "iufc":
        return converted(left, wide), converted(right, wide)
    return left, right


def binary(name, left, right):
    """An operator of C by the name of NumPy's function."""
    if type(left) is int and type(right) is int:
        if name in _OF_INTEGERS:
            return _OF_INTEGERS[name](left, right)
        if name in ("divide", "fmod") and right:
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if name == "divide" else left - quotient * right
    if name in ("logical_and", "logical_or"):
        return call("np." + name, left, right)
    left, right = usual(left, right)
    if name == "divide" and _is_integer(left) and _is_integer(right):
        # C divides integers towards zero.
        rest = call("np.fmod", left, right)
        return call("np.floor_divide", call("np.subtract", left, rest), right)
    return call("np." + name, left, right)


def _is_integer(value):
    return value.dtype.kind in "biu" if hasattr(value, "dtype") else isinstance(value, int)


def _negated(value):
    return -value if type(value) is int else call("np.negative", _promoted(value))


UNARY = {
    "-": _negated, "+": _promoted, "!": lambda value: call("np.logical_not", value),
    "~": lambda value: call("np.invert", _promoted(value)),
}


def _rounded(value):
    """C's `round`: halves away from zero."""
    whole = call("np.trunc", value)
    is_far = call("np.greater_equal", call("np.absolute", call("np.subtract", value, whole)), 0.5)
    return call("np.where", is_far, call("np.add", whole, call("np.copysign", 1.0, value)), whole)


OWN = {"round": _rounded, "fma": lambda x, y, z: binary("add", binary("multiply", x, y), z)}


# ---- Which elements are active: True, False, or an array of bool ----

def truth(value):
    if not isinstance(value, _core.ndarray) or value.ndim == 0:
        return bool(value)
    return value if value.dtype.kind == "b" else call("np.not_equal", value, 0)


def both(one, other):
    if one is True or other is False:
        return other
    return one if other is True or one is False else call("np.logical_and", one, other)


def negation(mask):
    return not mask if isinstance(mask, bool) else call("np.logical_not", mask)


def _either(one, other):
    return negation(both(negation(one), negation(other)))


def any_active(mask):
    return mask if isinstance(mask, bool) else bool(mask.any())


class _Exit:
    """The elements that have left a loop, an iteration or a function."""

    def __init__(self):
        self.left = False

    def leave(self, frame):
        """The active elements leave."""
        self.left = _either(self.left, frame.active)
        frame.active = False


class Frame:
    """What a run of statements knows: the values of names, their dtypes, and which elements are active."""

    def __init__(self, types, shape, values=None, kinds=None, raw=None):
        self.types, self.shape, self.active = types, shape, True
        self.values, self.kinds, self.raw = values or {}, kinds or {}, raw or {}
        self.size = int(numpy.prod(shape, dtype=object))
        self.exits, self.loops, self.scopes, self.end, self.result = [], [], [], None, None

    def dtype(self, kind):
        """The dtype of a type's name, None of ``auto``."""
        if kind is None or kind == "auto":
            return None
        return numpy.dtype(self.types[kind] if kind in self.types else TYPES.get(kind, kind))

    def as_kind(self, value, kind):
        dtype = self.dtype(kind)
        if dtype is None or type(value) is int and dtype.kind in "iu":
            return value
        return converted(value, dtype)

    def enter(self):
        """A place that elements may leave."""
        self.exits.append(_Exit())
        return self.exits[-1]

    def resume(self, mask):
        """Makes those of a mask active that have not left."""
        for one in self.exits:
            mask = both(mask, negation(one.left))
        self.active = mask

    def chosen(self, new, old):
        """New values of the active elements, old ones of the others."""
        return new if self.active is True else call("np.where", self.active, new, old)

    def lookup(self, name):
        if name in self.values:
            return self.values[name]
        if name in ("i", "_i"):
            self.values[name] = call("np.reshape", call("np.arange", self.size), self.shape)
            return self.values[name]
        if name in ("n", "_n"):
            return self.size
        raise NameError(f"a kernel with the name {name!r}, which has no value")

    def declare(self, name, kind):
        """A name of the innermost block, which hides one from outside."""
        if self.scopes and name not in self.scopes[-1]:
            self.scopes[-1][name] = self.values.pop(name, None), self.kinds.get(name)
        self.kinds[name] = kind

    def close(self):
        """Ends a block: names from outside have their values again."""
        for name, (value, kind) in self.scopes.pop().items():
            self.values.pop(name, None)
            if value is not None:
                self.values[name] = value
            self.kinds[name] = kind

    def assign(self, name, value):
        value = self.as_kind(value, self.kinds.get(name))
        self.values[name] = self.chosen(value, self.values.get(name, 0))

    def read(self, name, at):
        # An element that is not active may name a place outside.
        return call("np.take", self.raw[name], converted(at, numpy.dtype("int64")), mode="clip")

    def places(self, name, at, value):
        """Places and values that the active elements write, as sequences."""
        at = call("np.broadcast_to", converted(at, numpy.dtype("int64")), self.shape)
        value = call("np.broadcast_to", converted(value, self.raw[name].dtype), self.shape)
        if self.active is not True:
            where = call("np.broadcast_to", self.active, self.shape)
            at, value = at[where], value[where]
        return at.reshape(-1), value.reshape(-1)

    def write(self, name, at, value):
        if self.active is not False:
            call("np.put", self.raw[name], *self.places(name, at, value))

    def update(self, function, name, at, value):
        """An atomic operation."""
        if self.active is not False:
            at, value = self.places(name, at, value)
            call(function, self.raw[name], tuple(call("np.unravel_index", at, self.raw[name].shape)), value)


def known_types(parameters, values, types):
    """The dtypes that letters stand for, by the arguments; numbers of Python take what arrays say."""
    strong = [(kind, value) for (kind, _), value in zip(parameters, values) if isinstance(value, (_core.ndarray, numpy.generic))]
    weak = [(kind, value) for (kind, _), value in zip(parameters, values) if not isinstance(value, (_core.ndarray, numpy.generic))]
    for kind, value in strong + weak:
        if kind in TYPES or kind == "auto":
            continue
        own = value.dtype if hasattr(value, "dtype") else numpy.result_type(type(value))
        if kind not in types:
            types[kind] = own
        elif hasattr(value, "dtype") and types[kind] != own:
            raise TypeError(f"Type is mismatched. {kind} {own.type} {types[kind].type}")
    return types
