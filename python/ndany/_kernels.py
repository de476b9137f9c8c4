"""Kernels of CuPy that are written as statements of C: read once, and made of array operations, which the engine fuses.

What is read: declarations of scalars (``const T d = x - y;``), assignments (also ``+=`` and its kin), the operators of C without
pointers, ``?:``, casts, and the functions of ``math.h`` that the engine has. Loops, branches and ``raw`` arguments are refused.
"""

import re

import numpy

from . import _core

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|(?P<name>[A-Za-z_]\w*(?:::\w+)*)"
    r"|(?P<sign><<=|>>=|&&|\|\||==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-+*/%<>=!~&|^?:(),;]))"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_TYPES = {
    "bool": "bool", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "float": "float32", "double": "float64",
    "unsigned": "uint32", "size_t": "uint64", "ptrdiff_t": "int64", "float16": "float16",
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"{kind}{bits}_t": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("float32", "float64", "complex64", "complex128", "bool_")},
}
_FUNCTIONS = {
    "pow": "power", "fabs": "absolute", "abs": "absolute", "min": "minimum", "max": "maximum", "fmin": "fmin", "fmax": "fmax",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "round": "rint",
    **{name: name for name in (
        "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil",
        "trunc", "rint", "fmod", "hypot", "cbrt", "copysign", "signbit", "ldexp",
    )},
}
_BINARY = {
    "||": (1, "logical_or"), "&&": (2, "logical_and"), "|": (3, "bitwise_or"), "^": (4, "bitwise_xor"), "&": (5, "bitwise_and"),
    "==": (6, "equal"), "!=": (6, "not_equal"), "<": (7, "less"), ">": (7, "greater"), "<=": (7, "less_equal"),
    ">=": (7, "greater_equal"), "<<": (8, "left_shift"), ">>": (8, "right_shift"), "+": (9, "add"), "-": (9, "subtract"),
    "*": (10, "multiply"), "/": (10, "divide"), "%": (10, "fmod"),
}


def _call(name, *values):
    return _core.function("np." + name)(*values)


def _kind(value):
    return value.dtype.kind if hasattr(value, "dtype") else numpy.result_type(type(value)).kind


def _binary(name, left, right):
    if name == "divide" and _kind(left) in "biu" and _kind(right) in "biu":
        # C divides integers towards zero.
        rest = _call("fmod", left, right)
        return _call("floor_divide", _call("subtract", left, rest), right)
    return _call(name, left, right)


class _Parser:
    """Statements as closures over the values of names."""

    def __init__(self, text, types):
        text, self.tokens, at = _COMMENT.sub(" ", text), [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise NotImplementedError(f"a kernel with {text[at:].strip()[:20]!r}, which is no scalar expression")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at, self.types = 0, types

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise SyntaxError(f"a kernel with {token or 'an end'!r}: expected {expected or 'an expression'}")
        self.at += 1
        return token

    def is_type(self, ahead=0):
        token = self.peek(ahead)
        return token in _TYPES or token in self.types or token in ("const", "unsigned", "signed")

    def type(self):
        words = []
        while self.is_type():
            words.append(self.take())
        words = [word for word in words if word not in ("const", "signed")]
        if len(words) > 1:
            words = ["u" + _TYPES.get(words[1], "int32")] if words[0] == "unsigned" else words[-1:]
        return words[0] if words else "int"

    def statements(self):
        run = []
        while self.peek() is not None:
            if self.peek() == ";":
                self.take()
                continue
            if self.peek() in ("for", "while", "if", "do", "switch", "return", "auto"):
                raise NotImplementedError(f"a kernel with {self.peek()!r}: write it with ?: or array operations")
            declared = self.type() if self.is_type() else None
            while True:
                name = self.take()
                sign = self.peek()
                if sign == "=" or (sign and sign.endswith("=") and sign[:-1] in _BINARY):
                    self.take()
                    run.append((name, declared, _BINARY[sign[:-1]][1] if sign != "=" else None, self.expression()))
                elif declared is None:
                    raise NotImplementedError(f"a kernel with the statement {name} {sign or ''}: expected an assignment")
                if self.peek() != "," or declared is None:
                    break
                self.take()
            if self.peek() is not None:
                self.take(";")
        return run

    def expression(self, least=0):
        if least == 0:
            chosen = self.expression(1)
            if self.peek() != "?":
                return chosen
            self.take()
            then = self.expression()
            self.take(":")
            other = self.expression()
            return lambda names: _call("where", chosen(names), then(names), other(names))
        left = self.unary()
        while self.peek() in _BINARY and _BINARY[self.peek()][0] >= least:
            strength, name = _BINARY[self.take()]
            left = self.joined(name, left, self.expression(strength + 1))
        return left

    @staticmethod
    def joined(name, left, right):
        return lambda names: _binary(name, left(names), right(names))

    def unary(self):
        sign = self.peek()
        if sign in ("-", "+", "!", "~"):
            self.take()
            value = self.unary()
            name = {"-": "negative", "+": "positive", "!": "logical_not", "~": "invert"}[sign]
            return lambda names: _call(name, value(names))
        if sign == "(" and self.is_type(1):
            self.take()
            to = self.type()
            self.take(")")
            return self.cast(to, self.unary())
        return self.primary()

    def cast(self, to, value):
        return lambda names: _converted(value(names), _dtype(to, names))

    def primary(self):
        kind, token = self.tokens[self.at] if self.at < len(self.tokens) else (None, None)
        if token == "(":
            self.take()
            value = self.expression()
            self.take(")")
            return value
        self.take()
        if kind == "number":
            digits = token.rstrip("uUlL") if token[:2] in ("0x", "0X") else token.rstrip("fFuUlL")
            number = int(digits, 0) if not re.search(r"[.eE]", digits) or token[:2] in ("0x", "0X") else float(digits)
            return lambda names: number
        if kind != "name":
            raise SyntaxError(f"a kernel with {token!r}: expected an expression")
        if self.peek() == "(":
            self.take()
            values = []
            while self.peek() != ")":
                values.append(self.expression())
                if self.peek() == ",":
                    self.take()
            self.take(")")
            if token in self.types or token in _TYPES:
                return self.cast(token, values[0])
            short = token.rpartition("::")[2]
            name = _FUNCTIONS.get(short) or _FUNCTIONS.get(short.removesuffix("f"))
            if name is None:
                raise NotImplementedError(f"a kernel with the function {token}")
            return lambda names: _call(name, *(value(names) for value in values))
        if token in ("true", "false"):
            return lambda names: token == "true"
        return lambda names: names[token]


def _dtype(name, names):
    found = names["types"].get(name) if name in names["types"] else _TYPES.get(name, name)
    return numpy.dtype(found)


def _converted(value, dtype):
    value = value if isinstance(value, _core.ndarray) else _core.function("np.asarray")(value)
    return value if value.dtype == dtype else value.astype(dtype)


class _Parameters:
    """A list of parameters, as ``"T x, float32 y"``."""

    def __init__(self, text):
        self.all = []
        for one in filter(None, (part.strip() for part in text.split(","))):
            words = one.split()
            if "raw" in words:
                raise NotImplementedError(f"the parameter {one!r}: raw arguments are of kernels in CUDA's language")
            self.all.append((words[-2], words[-1]))

    @property
    def unknown(self):
        return {kind for kind, _ in self.all if kind not in _TYPES}


def _known_types(parameters, values, types):
    """The dtypes that letters stand for, by the arguments; numbers of Python take what arrays say."""
    strong = [(kind, value) for (kind, _), value in zip(parameters, values) if isinstance(value, (_core.ndarray, numpy.generic))]
    weak = [(kind, value) for (kind, _), value in zip(parameters, values) if not isinstance(value, (_core.ndarray, numpy.generic))]
    for kind, value in strong + weak:
        if kind in _TYPES:
            continue
        own = value.dtype if hasattr(value, "dtype") else numpy.result_type(type(value))
        if kind not in types:
            types[kind] = own
        elif hasattr(value, "dtype") and types[kind] != own:
            raise TypeError(f"Type is mismatched. {kind} {own.type} {types[kind].type}")
    return types


class ElementwiseKernel:
    """As ``cupy.ElementwiseKernel``: statements for each element, on every device."""

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", no_return=False,
                 return_tuple=False, **kwargs):
        if preamble.strip():
            raise NotImplementedError("kernels with a preamble")
        self.name, self.in_params, self.out_params = name, in_params, out_params
        self._in, self._out = _Parameters(in_params), _Parameters(out_params)
        types = self._in.unknown | self._out.unknown
        self._run = _Parser(operation, types).statements()
        self._return_tuple, self._no_return = return_tuple, no_return
        self.nin, self.nout, self.nargs = len(self._in.all), len(self._out.all), len(self._in.all) + len(self._out.all)

    def __call__(self, *args, size=None, **kwargs):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}: expected {self.nin} or {self.nargs}, got {len(args)}")
        given, outs = args[:self.nin], args[self.nin:]
        types = _known_types(self._in.all, given, {})
        types = _known_types(self._out.all, outs, types) if outs else types
        names = {"types": types, **{name: value for (_, name), value in zip(self._in.all, given)}}
        for kind, name in self._in.all:
            names[name] = _converted(names[name], _dtype(kind, names))
        shape = numpy.broadcast_shapes(*(names[name].shape for _, name in self._in.all)) if self._in.all else outs[0].shape
        for (_, name), out in zip(self._out.all, outs):
            names[name] = out
        for name, declared, update, value in self._run:
            new = value(names)
            names[name] = new if update is None else _binary(update, names[name], new)
            kind = declared or next((kind for kind, own in self._in.all + self._out.all if own == name), None)
            if kind is not None:
                names[name] = _converted(names[name], _dtype(kind, names))
        results = []
        for at, (_, name) in enumerate(self._out.all):
            result = names[name]
            if outs:
                outs[at][...] = result
                result = outs[at]
            elif result.shape != shape:
                result = _call("broadcast_to", result, shape).copy()
            results.append(result)
        if self._no_return:
            return None
        return results[0] if len(results) == 1 and not self._return_tuple else tuple(results)


_REDUCTIONS = {
    "a+b": "sum", "b+a": "sum", "a*b": "prod", "b*a": "prod", "max(a,b)": "max", "min(a,b)": "min", "fmax(a,b)": "nanmax",
    "fmin(a,b)": "nanmin", "a&&b": "all", "a||b": "any", "a>b?a:b": "max", "a<b?a:b": "min",
}


class ReductionKernel:
    """As ``cupy.ReductionKernel``, for sums, products, extrema and truth of mapped elements."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel",
                 reduce_type=None, reduce_dims=True, preamble="", options=()):
        if preamble.strip():
            raise NotImplementedError("kernels with a preamble")
        self.name = name
        self._reduce = _REDUCTIONS.get(re.sub(r"\s|std::", "", reduce_expr))
        if self._reduce is None:
            raise NotImplementedError(f"a reduction by {reduce_expr!r}: expected a sum, a product, an extremum or a truth value")
        self._in, self._out = _Parameters(in_params), _Parameters(out_params)
        types = self._in.unknown | self._out.unknown
        self._map, self._post = _Parser(map_expr, types).expression(), _Parser(post_map_expr, types).statements()

    def __call__(self, *args, axis=None, out=None, keepdims=False, **kwargs):
        if len(args) == len(self._in.all) + len(self._out.all):
            args, out = args[:-1], args[-1]
        types = _known_types(self._in.all, args, {})
        names = {"types": types, **{name: value for (_, name), value in zip(self._in.all, args)}}
        for kind, name in self._in.all:
            names[name] = _converted(names[name], _dtype(kind, names))
        kind, result = self._out.all[0]
        if kind not in _TYPES and kind not in types:
            types[kind] = out.dtype if out is not None else names[self._in.all[0][1]].dtype
        names["a"] = _core.function("np." + self._reduce)(self._map(names), axis=axis, keepdims=keepdims)
        for name, _, update, value in self._post:
            new = value(names)
            names[name] = new if update is None else _binary(update, names[name], new)
        final = _converted(names[result], _dtype(kind, names))
        if out is None:
            return final
        out[...] = final
        return out
