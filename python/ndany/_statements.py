"""The statements of CuPy's kernels: C without pointers, read once and run on whole arrays by operations that the engine fuses.

What is read: declarations, assignments (also ``+=`` and its kin, ``++`` and ``--``), ``if``, ``for``, ``while``, ``break``,
``continue``, ``return``, the operators of C, casts, the functions of ``math.h`` that the engine has, elements of ``raw`` arguments
(``x[i]``), ``atomicAdd`` and its kin, and functions of a preamble. A branch runs for the elements whose condition is true: they are the
frame's active ones, and an assignment changes no others. A loop ends when no element is active.
"""

import re

import numpy

from ._frame import OWN, TYPES, UNARY, Frame, any_active, binary, both, call, converted, known_types, negation, truth, usual

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|(?P<name>[A-Za-z_]\w*(?:::\w+)*)"
    r"|(?P<sign><<=|>>=|&&|\|\||\+\+|--|==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-+*/%<>=!~&|^?:(),;{}.]|\[|\]))"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
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
            before, holds = frame.active, truth(test(frame))
            frame.active = both(before, holds)
            if frame.active is not False:
                then(frame)
            if other is not None:
                frame.resume(both(before, negation(holds)))
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
            return lambda frame: call("np.where", chosen(frame), *usual(then(frame), other(frame)))
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
        if sign in UNARY:
            self.take()
            value = self.unary()
            return lambda frame: UNARY[sign](value(frame))
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
            if one in OWN:
                return lambda frame: OWN[one](*(value(frame) for value in values))
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
            inside = frame.active = both(frame.active, truth(test(frame)))
            if not any_active(inside):
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
