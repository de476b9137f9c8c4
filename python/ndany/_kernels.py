"""Kernels of CuPy that are written as statements of C: ``ElementwiseKernel`` and ``ReductionKernel``, on every device."""

import re

import numpy

from . import _core
from ._frame import TYPES, Frame, call, converted, known_types
from ._statements import Parser


class _Parameters:
    """A list of parameters, as ``"T x, raw float32 y"``."""

    def __init__(self, text):
        self.all, self.raw = [], []
        for one in filter(None, (part.strip() for part in text.split(","))):
            words = one.split()
            kind, name = ("uint32" if words[-2] == "unsigned" else words[-2]), words[-1]
            self.all.append((kind, name))
            if "raw" in words[:-2]:
                self.raw.append(name)

    @property
    def unknown(self):
        return {kind for kind, _ in self.all if kind not in TYPES}

    def of_elements(self, values):
        """The parameters that are not raw, with their values."""
        return [(kind, name, value) for (kind, name), value in zip(self.all, values) if name not in self.raw]

    def raw_arrays(self, values):
        found = {name: value for (_, name), value in zip(self.all, values) if name in self.raw}
        for name, value in found.items():
            if not isinstance(value, _core.ndarray):
                raise TypeError(f"the raw argument {name}: expected an array of ndany, got {type(value).__name__}")
        return found


def _functions(preamble):
    functions = {}
    Parser(preamble, (), functions=functions).preamble()
    return functions


def _refuse(given, known):
    for name, value in given.items():
        if name not in known and value:
            raise NotImplementedError(f"kernels with {name}")


class ElementwiseKernel:
    """As ``cupy.ElementwiseKernel``: statements for each element, on every device."""

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", no_return=False,
                 return_tuple=False, **kwargs):
        _refuse(kwargs, ("options", "doc"))
        self.name, self.in_params, self.out_params = name, in_params, out_params
        self._in, self._out = _Parameters(in_params), _Parameters(out_params)
        types = self._in.unknown | self._out.unknown
        self._run = Parser(operation, types, self._in.raw + self._out.raw, _functions(preamble)).statements()
        self._return_tuple, self._no_return = return_tuple, no_return
        self.nin, self.nout, self.nargs = len(self._in.all), len(self._out.all), len(self._in.all) + len(self._out.all)

    def __call__(self, *args, size=None, **kwargs):
        _refuse(kwargs, ("stream", "block_size"))
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}: expected {self.nin} or {self.nargs}, got {len(args)}")
        given, outs = args[:self.nin], args[self.nin:]
        if self._out.raw and not outs:
            raise ValueError("Output array size is Undecided: a raw output must be given")
        frame = self._frame(given, outs, size)
        self._run(frame)
        results = [self._result(frame, at, outs) for at in range(self.nout)]
        if self._no_return:
            return None
        return results[0] if len(results) == 1 and not self._return_tuple else tuple(results)

    def _frame(self, given, outs, size):
        """The arguments under their names."""
        types = known_types(self._in.all, given, {})
        types = known_types(self._out.all, outs, types) if outs else types
        inputs, outputs = self._in.of_elements(given), self._out.of_elements(outs)
        arrays = [value for _, _, value in inputs + outputs if isinstance(value, (_core.ndarray, numpy.ndarray))]
        if size is None and not arrays and not outputs and (self._in.raw or self._out.raw):
            raise ValueError("Loop size is undecided: expected size=, or an argument that is not raw")
        shape = (size,) if size is not None else numpy.broadcast_shapes(*(value.shape for value in arrays))
        raw = {**self._in.raw_arrays(given), **self._out.raw_arrays(outs)}
        frame = Frame(types, shape, raw=raw, kinds={name: kind for kind, name in self._in.all + self._out.all})
        for kind, name, value in inputs:
            frame.values[name] = frame.as_kind(value, kind)
        for _, name, out in outputs:
            frame.values[name] = out
        frame.end = frame.enter()
        return frame

    def _result(self, frame, at, outs):
        kind, name = self._out.all[at]
        if name in self._out.raw:
            return outs[at]
        result = converted(frame.values.get(name, 0), frame.dtype(kind))
        if outs:
            outs[at][...] = result
            return outs[at]
        return result if result.shape == frame.shape else call("np.broadcast_to", result, frame.shape).copy()


_REDUCTIONS = {
    "a+b": "sum", "b+a": "sum", "a*b": "prod", "b*a": "prod", "max(a,b)": "max", "min(a,b)": "min", "fmax(a,b)": "nanmax",
    "fmin(a,b)": "nanmin", "a&&b": "all", "a||b": "any", "a>b?a:b": "max", "a<b?a:b": "min",
}


class ReductionKernel:
    """As ``cupy.ReductionKernel``: a reduction of mapped elements by an expression of ``a`` and ``b``, on every device."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel",
                 reduce_type=None, reduce_dims=True, preamble="", options=()):
        self.name, self.identity, self.reduce_type = name, identity, reduce_type
        self._named = _REDUCTIONS.get(re.sub(r"\s|std::", "", reduce_expr))
        self._in, self._out = _Parameters(in_params), _Parameters(out_params)
        types, functions = self._in.unknown | self._out.unknown, _functions(preamble)
        if reduce_type is not None and reduce_type not in types | set(TYPES):
            raise NotImplementedError(f"a reduction of the type {reduce_type!r}: expected a type of numbers")
        self._map = Parser(map_expr, types, self._in.raw, functions).expression()
        self._reduce = Parser(reduce_expr, types, (), functions).expression()
        self._post = Parser(post_map_expr, types, self._in.raw, functions).statements()

    def __call__(self, *args, axis=None, out=None, keepdims=False, **kwargs):
        _refuse(kwargs, ("stream",))
        if len(args) == len(self._in.all) + len(self._out.all):
            args, out = args[:-1], args[-1]
        types = known_types(self._in.all, args, {})
        inputs = self._in.of_elements(args)
        shape = numpy.broadcast_shapes(*(getattr(value, "shape", ()) for _, _, value in inputs))
        kind, result = self._out.all[0]
        if kind not in TYPES and kind not in types:
            types[kind] = out.dtype if out is not None else next(iter(types.values()))
        frame = Frame(types, shape, raw=self._in.raw_arrays(args))
        frame.values.update((name, frame.as_kind(value, own)) for own, name, value in inputs)
        mapped = converted(self._map(frame), frame.dtype(self.reduce_type or kind))
        mapped = mapped if mapped.shape == shape else call("np.broadcast_to", mapped, shape)

        reduced = self._reduced(frame, mapped, axis, keepdims)
        numbers = {name: frame.values[name] for _, name, value in inputs if getattr(value, "ndim", 0) == 0}
        values = {**numbers, "a": reduced, "_in_ind.size": frame.size}
        after = Frame(types, reduced.shape, values, {result: kind}, frame.raw)
        self._post(after)
        final = converted(after.values[result], after.dtype(kind))
        if out is None:
            return final
        out[...] = final
        return out

    def _reduced(self, frame, mapped, axis, keepdims):
        """The elements along the axes in one, by NumPy's reduction where the expression is one."""
        if self._named and (mapped.size or self.identity in (None, "", "0", "1")):
            return call("np." + self._named, mapped, axis=axis, keepdims=keepdims)
        ndim = mapped.ndim
        axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = [one + ndim if one < 0 else one for one in axes]
        kept = [one for one in range(ndim) if one not in axes]
        shape = [1 if one in axes else mapped.shape[one] for one in range(ndim)]
        extents = [mapped.shape[one] for one in kept]
        rest = mapped.transpose(*kept, *axes).reshape(*extents, -1) if mapped.size else call("np.empty", (*extents, 0), mapped.dtype)
        if rest.shape[-1] == 0:
            if self.identity in (None, ""):
                raise ValueError("zero-size array to reduction operation which has no identity")
            value = Parser(str(self.identity), ()).expression()(frame)
            rest = call("np.full", (*rest.shape[:-1], 1), value, dtype=mapped.dtype)
        while rest.shape[-1] > 1:
            half = rest.shape[-1] // 2
            pair = Frame(frame.types, (), {"a": rest[..., :half], "b": rest[..., half:2 * half]})
            joined = converted(self._reduce(pair), mapped.dtype)
            rest = call("np.concatenate", [joined, rest[..., 2 * half:]], axis=-1) if rest.shape[-1] % 2 else joined
        return rest[..., 0].reshape(shape if keepdims else extents)
