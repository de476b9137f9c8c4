"""The public names of NumPy: which are here, with which signatures, and which are not."""

import inspect

import ndany as np
import numpy
import pytest

# What works with dtypes that ndany lacks, or belongs to NumPy's own building, testing and classes of arrays.
ABSENT = {
    "numpy": """
        busday_count busday_offset busdaycalendar char core ctypeslib datetime_as_string datetime_data f2py frompyfunc fromregex
        get_include getbufsize geterrcall info is_busday isnat ma matrix asmatrix bmat memmap nditer nested_iters rec recarray record
        setbufsize seterrcall show_runtime strings test float128 complex256
    """,
    "numpy.linalg": "test",
    "numpy.fft": "test",
    "numpy.random": "bit_generator get_bit_generator mtrand set_bit_generator test",
    "numpy.lib": "Arrayterator NumpyVersion add_docstring add_newdoc format introspect mixins npyio test tracemalloc_domain",
    "numpy.lib.stride_tricks": "",
    "numpy.polynomial": "chebyshev hermite hermite_e laguerre legendre set_default_printstyle test",
    "numpy.testing": "",
}


def of(path, root):
    for part in path.split(".")[1:]:
        root = getattr(root, part)
    return root


def public(space):
    return [name for name in dir(space) if not name.startswith("_")]


@pytest.mark.parametrize("path", ABSENT)
def test_every_name_is_here_or_known_to_be_absent(path):
    own = of(path, np)
    absent = {name for name in public(of(path, numpy)) if not hasattr(own, name)}
    assert absent <= set(ABSENT[path].split())


@pytest.mark.parametrize("kind", ["Generator", "RandomState", "SeedSequence"])
def test_classes_of_random_numbers_have_numpy_s_methods(kind):
    missing = [name for name in public(getattr(numpy.random, kind)) if not hasattr(getattr(np.random, kind), name)]
    assert not missing


def test_arrays_have_numpy_s_attributes():
    missing = {name for name in public(numpy.ndarray) if not hasattr(np.ndarray, name)}
    # Of records; and an array's device is a name.
    assert missing <= {"getfield", "setfield"}


def signatures(theirs, ours):
    """The signatures of functions that both have, by name."""
    for name in public(theirs):
        one, other = getattr(theirs, name), getattr(ours, name, None)
        if callable(one) and callable(other) and one is not other and not isinstance(one, type):
            try:
                yield name, inspect.signature(one), inspect.signature(other)
            except ValueError:
                # NumPy does not tell.
                continue


SPACES = {
    "numpy": (numpy, np),
    "numpy.linalg": (numpy.linalg, np.linalg),
    "numpy.fft": (numpy.fft, np.fft),
    "numpy.random": (numpy.random, np.random),
    "Generator": (numpy.random.Generator, np.random.Generator),
    "RandomState": (numpy.random.RandomState, np.random.RandomState),
    "ndarray": (numpy.ndarray, np.ndarray),
}
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# The array API's names and order; arrays of one axis of objects.
OWN = {("numpy", "arange"), ("numpy", "array"), ("numpy", "clip"), ("ndarray", "view")}


@pytest.mark.parametrize("space", SPACES)
def test_signatures_take_what_numpy_s_take(space):
    for name, theirs, ours in signatures(*SPACES[space]):
        if (space, name) in OWN:
            continue
        theirs, ours = theirs.parameters, ours.parameters
        kinds = [one.kind for one in ours.values()]
        named = {key for key, one in ours.items() if one.kind not in POSITIONAL[:1]}
        for key, one in theirs.items():
            is_named = one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
            assert not is_named or key in named, f"{space}.{name}: {key}"
            assert one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) or one.kind in kinds or ours, name
        order = [key for key, one in theirs.items() if one.kind in POSITIONAL]
        assert [key for key, one in ours.items() if one.kind in POSITIONAL][:len(order)] == order, f"{space}.{name}"


def test_signatures_of_methods_of_generators_and_arrays():
    rng = np.random.default_rng(0)
    assert str(inspect.signature(rng.normal)) == "(loc=0.0, scale=1.0, size=None)"
    assert list(inspect.signature(np.zeros(3).sum).parameters)[:3] == ["axis", "dtype", "out"]


def test_bounds_of_clip_by_all_their_names():
    a = np.arange(6)
    for clipped in (np.clip(a, 1, 3), np.clip(a=a, a_min=1, a_max=3), np.clip(a, min=1, max=3), np.clip(a, 1, max=3), np.clip(a, 1, a_max=3)):
        assert clipped.tolist() == [1, 1, 2, 3, 3, 3]
    assert np.clip(a, None, 3).tolist() == np.clip(a, max=3).tolist() == [0, 1, 2, 3, 3, 3]
    with pytest.raises(ValueError, match="forbidden"):
        np.clip(a, 1, 3, a_min=2)


def test_states_of_random_states():
    state = np.random.RandomState(5)
    state.normal(size=3)
    for kept in (state.get_state(), state.get_state(legacy=False)):
        first = state.random_integers(1, 6, 20).tolist()
        state.set_state(kept)
        assert state.random_integers(1, 6, 20).tolist() == first
        assert min(first) >= 1 and max(first) <= 6
        state.set_state(kept)
    assert state.tomaxint(5).dtype == "int64" and int(state.tomaxint(5).min()) >= 0
    with pytest.raises(ValueError):
        state.set_state(("Philox4x32", 1))


def test_dtypes_that_no_array_has_can_be_asked_for():
    assert not np.issubdtype(np.zeros(1).dtype, np.character) and not np.issubdtype(np.int8, np.datetime64)
    for kind in (np.object_, np.str_, np.bytes_, np.datetime64, np.timedelta64, np.void, np.longdouble):
        with pytest.raises(TypeError, match="dtype"):
            np.zeros(3, kind)


@pytest.mark.parametrize("dtype", ["int8", "int32", "float16", "float32", "float64", "complex64"])
def test_real_numbers_outside_of_a_domain_become_complex(dtype):
    values = numpy.array([-2, 0, 3]).astype(dtype)
    with numpy.errstate(all="ignore"):
        for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"):
            theirs, ours = getattr(numpy.emath, name)(values), getattr(np.emath, name)(np.asarray(values))
            assert ours.dtype == theirs.dtype, name
            numpy.testing.assert_allclose(ours.get(), theirs, rtol=1e-2 if dtype == "float16" else 1e-5, err_msg=name)
    assert np.emath.sqrt([1.0, 4.0]).dtype == "float64" and np.emath.power([2, 4], -2).tolist() == [0.25, 0.0625]
    numpy.testing.assert_allclose(np.emath.logn(2, [-4.0, 8.0]).get(), numpy.emath.logn(2, [-4.0, 8.0]), rtol=1e-14)
    assert np.lib.scimath is np.emath


@pytest.mark.parametrize("name", ["Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre"])
def test_classes_of_polynomials(name):
    theirs, ours = getattr(numpy.polynomial, name), getattr(np.polynomial, name)
    x = numpy.linspace(0, 4, 7)
    for one, other in (
        (theirs([1, 2, 3], domain=[0, 4]), ours(np.asarray([1, 2, 3]), domain=[0, 4])),
        (theirs.fit(x, x**3, 3), ours.fit(np.asarray(x), np.asarray(x) ** 3, 3)),
        (theirs.fromroots([1, 2]), ours.fromroots(np.asarray([1, 2]))),
        ((theirs([1, 2]) * theirs([0, 1, 1])).deriv(), (ours([1, 2]) * ours([0, 1, 1])).deriv()),
    ):
        assert type(other) is ours
        value = other(np.asarray(x))
        assert isinstance(value, np.ndarray)
        numpy.testing.assert_allclose(value.get(), one(x), rtol=1e-12, atol=1e-12)
        assert other(0.5) == one(0.5)
