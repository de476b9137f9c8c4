"""The statements of CuPy's kernels: C without pointers, read once and run on whole arrays by operations that the engine fuses.

What is read: declarations, assignments (also ``+=`` and its kin, ``++`` and ``--``), ``if``, ``for``, ``while``, ``break``,
``continue``, ``return``, the operators of C, casts, the functions of ``math.h`` that the engine has, elements of ``raw`` arguments
(``x[i]``), ``atomicAdd`` and its kin, and functions of a preamble. A branch runs for the elements whose condition is true: they are the
frame's active ones, and an assignment changes no others. A loop ends when no element is active.
"""

import operator
import re

import numpy

from . import _core

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|(?P<name>[A-Za-z_]\w*(?:::\w+)*)"
    r"|(?P<sign><<=|>>=|&&|\|\||\+\+|--|==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-+*/%<>=!~&|^?:(),;{}.]|\[|\]))"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TYPES = {
    "bool": "bool", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "float": "float32", "double": "float64",
    "unsigned": "uint32", "size_t": "uint64", "ptrdiff_t": "int64", "float16": "float16",
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"{kind}{bits}_t": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("float32", "float64", "complex64", "complex128", "bool_")},
}
_FUNCTIONS = {
    "pow": "np.power", "fabs": "np.absolute", "abs": "np.absolute", "min": "np.fmin", "max": "np.fmax", "fmin": "np.fmin",
    "fmax": "np.fmax", "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "atan2": "np.arctan2", "asinh": "np.arcsinh",
    "acosh": "np.arccosh", "atanh": "np.arctanh", "conj": "np.conjugate", "real": "np.real", "imag": "np.imag", "arg": "np.angle",
    "erf": "sp.special.erf", "erfc": "sp.special.erfc", "lgamma": "sp.special.gammaln", "tgamma": "sp.special.gamma",
    "rsqrt": "cupyx.rsqrt",
    **{name: "np." + name for name in (
        "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil",
        "trunc", "rint", "fmod", "hypot", "cbrt", "copysign", "signbit", "ldexp", "isnan", "isinf", "isfinite", "nextafter",
    )},
}
_BINARY = {
    "||": (1, "logical_or"), "&&": (2, "logical_and"), "|": (3, "bitwise_or"), "^": (4, "bitwise_xor"), "&": (5, "bitwise_and"),
    "==": (6, "equal"), "!=": (6, "not_equal"), "<": (7, "less"), ">": (7, "greater"), "<=": (7, "less_equal"),
    ">=": (7, "greater_equal"), "<<": (8, "left_shift"), ">>": (8, "right_shift"), "+": (9, "add"), "-": (9, "subtract"),
    "*": (10, "multiply"), "/": (10, "divide"), "%": (10, "fmod"),
}
# Operations of two integers of Python stay such: bounds and counters of loops need no device.
_OF_INTEGERS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "equal": operator.eq, "not_equal": operator.ne,
    "less": operator.lt, "greater": operator.gt, "less_equal": operator.le, "greater_equal": operator.ge,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}
_CONSTANTS = {
    "true": True, "false": False, "M_PI": numpy.pi, "M_PI_2": numpy.pi / 2, "M_PI_4": numpy.pi / 4, "M_E": numpy.e,
    "M_SQRT2": 2**0.5, "M_LN2": 0.6931471805599453, "INFINITY": numpy.inf, "NAN": numpy.nan,
    "FLT_MAX": float(numpy.finfo("f4").max), "FLT_MIN": float(numpy.finfo("f4").tiny), "FLT_EPSILON": float(numpy.finfo("f4").eps),
    "DBL_MAX": float(numpy.finfo("f8").max), "DBL_MIN": float(numpy.finfo("f8").tiny), "DBL_EPSILON": float(numpy.finfo("f8").eps),
    "INT_MAX": 2**31 - 1, "INT_MIN": -(2**31),
}
_ATOMICS = {"atomicAdd": "np.add.at", "atomicSub": "np.subtract.at", "atomicMax": "np.maximum.at", "atomicMin": "np.minimum.at"}
_COMPLEX = ("complex", "std::complex", "thrust::complex")
_QUALIFIERS = ("__device__", "__host__", "__forceinline__", "__inline__", "inline", "static", "constexpr")


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


def _usual(left, right):
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
    left, right = _usual(left, right)
    if name == "divide" and _is_integer(left) and _is_integer(right):
        # C divides integers towards zero.
        rest = call("np.fmod", left, right)
        return call("np.floor_divide", call("np.subtract", left, rest), right)
    return call("np." + name, left, right)


def _is_integer(value):
    return value.dtype.kind in "biu" if hasattr(value, "dtype") else isinstance(value, int)


def _negated(value):
    return -value if type(value) is int else call("np.negative", _promoted(value))


_UNARY = {
    "-": _negated, "+": _promoted, "!": lambda value: call("np.logical_not", value),
    "~": lambda value: call("np.invert", _promoted(value)),
}


def _rounded(value):
    """C's `round`: halves away from zero."""
    whole = call("np.trunc", value)
    is_far = call("np.greater_equal", call("np.absolute", call("np.subtract", value, whole)), 0.5)
    return call("np.where", is_far, call("np.add", whole, call("np.copysign", 1.0, value)), whole)


_OWN = {"round": _rounded, "fma": lambda x, y, z: binary("add", binary("multiply", x, y), z)}


# ---- Which elements are active: True, False, or an array of bool ----

def _truth(value):
    if not isinstance(value, _core.ndarray) or value.ndim == 0:
        return bool(value)
    return value if value.dtype.kind == "b" else call("np.not_equal", value, 0)


def _both(one, other):
    if one is True or other is False:
        return other
    return one if other is True or one is False else call("np.logical_and", one, other)


def _not(mask):
    return not mask if isinstance(mask, bool) else call("np.logical_not", mask)


def _any(mask):
    return mask if isinstance(mask, bool) else bool(mask.any())


class _Exit:
    """The elements that have left a loop, an iteration or a function."""

    def __init__(self):
        self.left = False

    def leave(self, frame):
        """The active elements leave."""
        self.left = _not(_both(_not(self.left), _not(frame.active)))
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
            mask = _both(mask, _not(one.left))
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


# ---- The grammar: each rule gives a closure over a frame ----

class Parser:
    """Reads statements, expressions and functions."""

    def __init__(self, text, types, raw=(), functions=None):
        text, self.tokens, at = COMMENT.sub(" ", text), [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise NotImplementedError(f"a kernel with {text[at:].strip()[:20]!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at, self.types, self.raw, self.functions = 0, set(types), set(raw), functions if functions is not None else {}

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise SyntaxError(f"a kernel with {token or 'an end'!r}: expected {expected or 'an expression'}")
        self.at += 1
        return token

    def taken(self, token):
        """Whether a token is next, which is taken then."""
        is_next = self.peek() == token
        self.at += is_next
        return is_next

    def is_type(self, ahead=0):
        token = self.peek(ahead)
        if token in _COMPLEX:
            return self.peek(ahead + 1) == "<"
        return token in TYPES or token in self.types or token in ("const", "unsigned", "signed", "auto")

    def type(self):
        words = []
        while self.is_type():
            words.append(self.take())
            if words[-1] in _COMPLEX:
                self.take("<")
                words[-1] = "complex64" if TYPES.get(self.type()) == "float32" else "complex128"
                self.take(">")
        words = [word for word in words if word not in ("const", "signed")]
        if len(words) > 1:
            words = ["u" + TYPES.get(words[1], "int32")] if words[0] == "unsigned" else words[-1:]
        return words[0] if words else "int"

    # Statements.

    def statements(self, end=None):
        run = []
        while self.peek() != end:
            run.append(self.statement())
        return _sequence(run)

    def statement(self):
        if self.taken(";"):
            return _sequence([])
        if self.taken("{"):
            run = self.statements("}")
            self.take("}")
            return _block(run)
        word = self.peek()
        if word in ("if", "for", "while"):
            self.take()
            return getattr(self, "_" + word)()
        if word in ("break", "continue", "return"):
            self.take()
            return self._leaving(word)
        if word in ("do", "switch", "goto", "struct", "typedef", "__shared__", "template"):
            raise NotImplementedError(f"a kernel with {word!r}: a RawKernel takes all of C++")
        run = self.simple()
        if self.peek() is not None:
            self.take(";")
        return run

    def simple(self):
        """Declarations, or an assignment."""
        if not self.is_type():
            return self.assignment(None)
        kind, run = self.type(), []
        while True:
            run.append(self.assignment(kind))
            if not self.taken(","):
                return _sequence(run)

    def assignment(self, kind):
        step = self.peek() if self.peek() in ("++", "--") else None
        if step:
            self.take()
        name = self.take()
        if name in _ATOMICS and self.peek() == "(":
            return self._atomic(_ATOMICS[name])
        at = None
        if kind is None and name in self.raw and self.taken("["):
            at = self.expression()
            self.take("]")
        sign = self.peek()
        if step or sign in ("++", "--"):
            step = step or self.take()
            return _store(name, at, kind, "add" if step == "++" else "subtract", lambda frame: 1)
        if sign == "=" or (sign and sign.endswith("=") and sign[:-1] in _BINARY):
            self.take()
            return _store(name, at, kind, None if sign == "=" else _BINARY[sign[:-1]][1], self.expression())
        if kind is None or sign not in (",", ";", None):
            raise NotImplementedError(f"a kernel with the statement {name} {sign or ''}: expected an assignment")
        return lambda frame: frame.declare(name, kind)

    def _atomic(self, function):
        self.take("(")
        self.take("&")
        name, at = self.take(), lambda frame: 0
        if name not in self.raw:
            raise NotImplementedError(f"a kernel with the address of {name!r}: expected an element of a raw argument")
        if self.taken("["):
            at = self.expression()
            self.take("]")
        self.take(",")
        value = self.expression()
        self.take(")")
        return lambda frame: frame.update(function, name, at(frame), value(frame))

    def _if(self):
        self.take("(")
        test = self.expression()
        self.take(")")
        then = self.statement()
        other = self.statement() if self.taken("else") else None

        def run(frame):
            before, holds = frame.active, _truth(test(frame))
            frame.active = _both(before, holds)
            if frame.active is not False:
                then(frame)
            if other is not None:
                frame.resume(_both(before, _not(holds)))
                if frame.active is not False:
                    other(frame)
            frame.resume(before)

        return run

    def _while(self):
        self.take("(")
        test = self.expression()
        self.take(")")
        return _loop(_sequence([]), test, _sequence([]), self.statement())

    def _for(self):
        self.take("(")
        start = self.simple() if self.peek() != ";" else _sequence([])
        self.take(";")
        test = self.expression() if self.peek() != ";" else lambda frame: True
        self.take(";")
        steps = []
        while self.peek() != ")":
            steps.append(self.assignment(None))
            self.taken(",")
        self.take(")")
        return _block(_loop(start, test, _sequence(steps), self.statement()))

    def _leaving(self, word):
        value = self.expression() if word == "return" and self.peek() != ";" else None

        def run(frame):
            if value is not None:
                frame.result = frame.chosen(value(frame), 0 if frame.result is None else frame.result)
            (frame.end if word == "return" else frame.loops[-1][word == "continue"]).leave(frame)

        return run

    # Expressions.

    def expression(self, least=0):
        if least == 0:
            chosen = self.expression(1)
            if not self.taken("?"):
                return chosen
            then = self.expression()
            self.take(":")
            other = self.expression()
            return lambda frame: call("np.where", chosen(frame), *_usual(then(frame), other(frame)))
        left = self.unary()
        while self.peek() in _BINARY and _BINARY[self.peek()][0] >= least:
            strength, name = _BINARY[self.take()]
            left = self.joined(name, left, self.expression(strength + 1))
        return left

    @staticmethod
    def joined(name, left, right):
        return lambda frame: binary(name, left(frame), right(frame))

    def unary(self):
        sign = self.peek()
        if sign in _UNARY:
            self.take()
            value = self.unary()
            return lambda frame: _UNARY[sign](value(frame))
        if sign == "(" and self.is_type(1):
            self.take()
            to = self.type()
            self.take(")")
            return self.cast(to, self.unary())
        return self.member(self.primary())

    def member(self, value):
        """The parts of complex numbers, ``z.real()``."""
        while self.taken("."):
            name = self.take()
            if name not in ("real", "imag"):
                raise NotImplementedError(f"a kernel with the member {name!r}")
            self.take("(")
            self.take(")")
            value = self.applied("np." + name, [value])
        return value

    @staticmethod
    def cast(to, value):
        return lambda frame: converted(value(frame), frame.dtype(to))

    @staticmethod
    def applied(name, values):
        return lambda frame: call(name, *(value(frame) for value in values))

    def primary(self):
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else None
        if self.taken("("):
            value = self.expression()
            self.take(")")
            return value
        token = self.take()
        if kind == "number":
            number = _number(token)
            return lambda frame: number
        if kind != "name":
            raise SyntaxError(f"a kernel with {token!r}: expected an expression")
        if token == "static_cast":
            self.take("<")
            token = self.type()
            self.take(">")
        if token in _COMPLEX and self.peek() == "<":
            self.at -= 1
            token = self.type()
        if self.peek() == "(":
            return self.called(token)
        if token in self.raw and self.taken("["):
            at = self.expression()
            self.take("]")
            return lambda frame: frame.read(token, at(frame))
        if self.peek() == "." and (token in self.raw or token in ("_ind", "_in_ind", "_out_ind")):
            return self.extent(token)
        if token in _CONSTANTS:
            return lambda frame: _CONSTANTS[token]
        return lambda frame: frame.lookup(token)

    def extent(self, name):
        """``x.size()`` and ``x.shape()[axis]`` of a raw argument, or of all elements."""
        self.take(".")
        word = self.take()
        self.take("(")
        self.take(")")
        if word == "size":
            return lambda frame: frame.raw[name].size if name in frame.raw else frame.values.get(name + ".size", frame.size)
        if word != "shape" or name not in self.raw:
            raise NotImplementedError(f"a kernel with {name}.{word}()")
        self.take("[")
        axis = self.expression()
        self.take("]")
        return lambda frame: frame.raw[name].shape[int(axis(frame))]

    def called(self, token):
        self.take("(")
        values = []
        while self.peek() != ")":
            values.append(self.expression())
            self.taken(",")
        self.take(")")
        if token in self.types or token in TYPES:
            to_complex = token.startswith("complex") and len(values) == 2
            return self.cast(token, self.joined("add", values[0], _turned(values[1])) if to_complex else values[0])
        if token in self.functions:
            function = self.functions[token]
            return lambda frame: function(frame, [value(frame) for value in values])
        short = token.rpartition("::")[2]
        for one in (short, short.removesuffix("f")):
            if one in _OWN:
                return lambda frame: _OWN[one](*(value(frame) for value in values))
            if one in _FUNCTIONS:
                return self.applied(_FUNCTIONS[one], values)
        raise NotImplementedError(f"a kernel with the function {token}")

    # Functions of a preamble.

    def preamble(self):
        """Reads functions into `functions`."""
        while self.peek() is not None:
            letters = []
            if self.taken("template"):
                self.take("<")
                while not self.taken(">"):
                    if self.take() not in ("typename", "class"):
                        raise NotImplementedError("a preamble with parameters of a template that are no types")
                    letters.append(self.take())
                    self.taken(",")
            outer, self.types = self.types, self.types | set(letters)
            while self.peek() in _QUALIFIERS:
                self.take()
            if not self.is_type():
                raise NotImplementedError(f"a preamble with {self.peek()!r}: expected functions of numbers")
            result, name = self.type(), self.take()
            self.functions[name] = self.function(result)
            self.types = outer

    def function(self, result):
        self.take("(")
        parameters = []
        while not self.taken(")"):
            parameters.append((self.type(), self.take()))
            self.taken(",")
        self.take("{")
        run = self.statements("}")
        self.take("}")

        def called(outer, values):
            types = known_types(parameters, values, {})
            frame = Frame({**outer.types, **types}, outer.shape, raw=outer.raw)
            frame.kinds, frame.active = {name: kind for kind, name in parameters}, outer.active
            frame.values = {name: frame.as_kind(value, kind) for (kind, name), value in zip(parameters, values, strict=True)}
            frame.end = frame.enter()
            run(frame)
            return frame.as_kind(frame.result, result)

        return called


def _number(token):
    is_hex = token[:2] in ("0x", "0X")
    digits = token.rstrip("uUlL") if is_hex else token.rstrip("fFuUlL")
    return float(digits) if not is_hex and re.search(r"[.eE]", digits) else int(digits, 0 if is_hex else 10)


def _turned(value):
    """A value as the imaginary part."""
    return lambda frame: call("np.multiply", value(frame), 1j)


def _sequence(run):
    def run_all(frame):
        for one in run:
            if frame.active is False:
                return
            one(frame)

    return run[0] if len(run) == 1 else run_all


def _block(run):
    def run_block(frame):
        frame.scopes.append({})
        run(frame)
        frame.close()

    return run_block


def _store(name, at, kind, update, value):
    """An assignment to a name, or to a place of a raw argument."""
    if at is not None:
        def run(frame):
            place, new = at(frame), value(frame)
            frame.write(name, place, new if update is None else binary(update, frame.read(name, place), new))
    else:
        def run(frame):
            new = value(frame)
            if kind is not None:
                frame.declare(name, kind)
            frame.assign(name, new if update is None else binary(update, frame.lookup(name), new))
    return run


def _loop(start, test, step, body):
    def run(frame):
        before = frame.active
        start(frame)
        frame.loops.append((frame.enter(), frame.enter()))
        while True:
            inside = frame.active = _both(frame.active, _truth(test(frame)))
            if not _any(inside):
                break
            body(frame)
            frame.exits[-1].left = False
            frame.resume(inside)
            if frame.active is not False:
                step(frame)
        frame.loops.pop()
        del frame.exits[-2:]
        frame.resume(before)

    return run


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
