"""Random numbers: ``default_rng`` and ``Generator``, and the functions of ``numpy.random``. The bits are Philox's, the same on every device."""

import operator as _operator
from collections.abc import MutableSequence as _MutableSequence

import numpy as _numpy

from . import _core, _namespace

_namespace.fill(globals(), "np.random.")

_shuffled, _permutation = shuffle, permutation  # noqa: F821


def shuffle(x, axis=0):
    """Permutes an array or a list along an axis, in place."""
    if isinstance(x, _core.ndarray):
        x._put(_shuffled(x, axis) if axis else _shuffled(x))
    else:
        _reorder(x, axis, _permutation)


def _reorder(x, axis, permutation):
    """Permutes an array of NumPy's, or a list."""
    if isinstance(x, _numpy.ndarray):
        x[...] = x.take(permutation(x.shape[axis]).get(), axis)
    elif isinstance(x, _MutableSequence):
        x[:] = [x[place] for place in permutation(len(x)).tolist()]
    else:
        raise TypeError(f"only arrays and lists are shuffled in place, not {type(x).__name__}")


def _mixed(words):
    """One seed of several words."""
    mixed = 0xCBF29CE484222325
    for word in words:
        mixed = ((mixed ^ _operator.index(word)) * 0x100000001B3) % 2**64
    return mixed


def _seed_of(sequence):
    """The seed that a sequence gives: its number, or of a child what it makes of that."""
    if sequence.spawn_key or not isinstance(sequence.entropy, int):
        return int(sequence.generate_state(1, "uint64")[0])
    return sequence.entropy


class Generator(_core._Generator):
    """A generator of random numbers, as ``numpy.random.Generator``. Each draw moves it on."""

    def __new__(cls, seed=None):
        if isinstance(seed, cls):
            return seed
        sequence = seed if hasattr(seed, "generate_state") else None
        if sequence is not None:
            seed = _seed_of(sequence)
        elif seed is not None:
            seed = _mixed(seed) if hasattr(seed, "__iter__") else _operator.index(seed)
        if seed is not None and not 0 <= seed < 2**64:
            if seed < 0:
                raise ValueError("expected non-negative integer")
            seed = _mixed([seed >> 64 * word & 2**64 - 1 for word in range(-(-seed.bit_length() // 64))])
        made = super().__new__(cls, seed)
        made._sequence = sequence
        return made

    @property
    def seed_seq(self):
        """The sequence of seeds, of NumPy's class, whose children seed generators of their own."""
        if self._sequence is None:
            self._sequence = __getattr__("SeedSequence")(self._state[0])
        return self._sequence

    _seed_seq = seed_seq

    def random(self, size=None, dtype=float, out=None):
        """Uniform numbers from 0 to 1."""
        return self._into(out, "random", size, dtype)

    def standard_normal(self, size=None, dtype=float, out=None):
        """Numbers of the standard normal distribution."""
        return self._into(out, "standard_normal", size, dtype)

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None):
        """Numbers of the standard exponential distribution."""
        return self._into(out, "standard_exponential", size, dtype)

    def _into(self, out, name, size, dtype):
        if out is None:
            return self._draw(name, size, dtype=dtype)
        if size is not None and size != out.shape:
            raise ValueError("size must match out.shape when used together")
        out[...] = self._draw(name, out.shape, dtype=dtype)
        return out

    def shuffle(self, x, axis=0):
        """Permutes an array or a list along an axis, in place."""
        if isinstance(x, _core.ndarray):
            x._put(self._draw("shuffle", x, axis))
        else:
            _reorder(x, axis, self.permutation)

    def permuted(self, x, *, axis=None, out=None):
        """Shuffles each slice along an axis by itself."""
        result = self._draw("permuted", x, axis=axis)
        if out is None:
            return result
        out[...] = result
        return out

    def spawn(self, n_children):
        """Generators of streams of their own."""
        children = []
        for child in self._spawn(n_children):
            one = Generator(0)
            one._set_state(child._state)
            children.append(one)
        return children

    @property
    def bit_generator(self):
        return self

    @property
    def state(self):
        """Seed, stream and position."""
        seed, stream, position = self._state
        return {"bit_generator": "Philox4x32", "seed": seed, "stream": stream, "position": position}

    @state.setter
    def state(self, state):
        self._set_state((state["seed"], state["stream"], state["position"]))

    def __reduce__(self):
        return _restored, (self._state,)

    def __repr__(self):
        return "Generator(Philox4x32)"


def _restored(state):
    generator = Generator(0)
    generator._set_state(state)
    return generator


class _Described:
    """The signature of a method of NumPy's generator, whose module takes time to import."""

    def __init__(self, name):
        self._name = name

    def __call__(self):
        """Only functions have signatures."""

    @property
    def __signature__(self):
        import inspect

        import numpy.random

        return inspect.signature(getattr(numpy.random.Generator, self._name))


def _method(name):
    def draw(self, *args, **kwargs):
        return self._draw(name, *args, **kwargs)

    draw.__name__ = draw.__qualname__ = name
    draw.__wrapped__ = _Described(name)
    draw.__doc__ = f"As ``numpy.random.Generator.{name}``."
    return draw


for _name in _core.names():
    if _name.startswith("np.random.Generator."):
        _name = _name.rsplit(".", 1)[-1]
        if _name not in Generator.__dict__:
            setattr(Generator, _name, _method(_name))


def __dir__():
    return [*globals(), "SeedSequence"]


def __getattr__(name):
    # NumPy's module takes time to import.
    if name == "SeedSequence":
        import numpy.random

        return numpy.random.SeedSequence
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def default_rng(seed=None):
    """A generator of a seed, or of the system's randomness."""
    return Generator(seed)


# The algorithm is one, whatever name a program asks it by.
Philox = Philox4x3210 = XORWOW = MRG32k3a = PCG64 = PCG64DXSM = MT19937 = SFC64 = BitGenerator = Generator


class RandomState(Generator):
    """The functions of ``numpy.random`` with a state of their own, as ``numpy.random.RandomState``."""

    def seed(self, seed=None):
        """Begins anew."""
        self._set_state(Generator(seed)._state)

    def rand(self, *size):
        """Uniform numbers from 0 to 1."""
        return self._draw("random", size)

    def randn(self, *size):
        """Numbers of the standard normal distribution."""
        return self._draw("standard_normal", size)

    def random_sample(self, size=None):
        """Uniform numbers from 0 to 1."""
        return self._draw("random", size)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from ``low`` on, below ``high``."""
        return self._draw("integers", low, high, size, dtype=dtype)

    def random_integers(self, low, high=None, size=None):
        """Integers from ``low`` to ``high``, or from 1 to ``low``."""
        low, high = (1, low) if high is None else (low, high)
        return self._draw("integers", low, high, size, endpoint=True)

    def tomaxint(self, size=None):
        """Integers from 0 to the largest of int64."""
        return self._draw("integers", 0, 2**63 - 1, size, endpoint=True)

    def get_state(self, legacy=True):
        """Algorithm, seed, stream and position; with ``legacy=False`` as a dictionary."""
        return tuple(self.state.values()) if legacy else self.state

    def set_state(self, state):
        """Takes what `get_state` has returned."""
        self.state = state if isinstance(state, dict) else dict(zip(self.state, state, strict=True))
