"""Tables of numbers in texts, raw bytes, and numbers and arrays as texts."""

import numpy as np

from inputs import ALL, BF16, BOOL, FLOATS, INTS, specials
from store import EXACT, View

F32, F16, I8 = np.dtype("float32"), np.dtype("float16"), np.dtype("int8")


def cases(store):
    tables(store)
    gaps(store)
    separated(store)
    raw(store)
    arrays(store)
    floats(store)
    digits(store)


def add(store, id, op, args, kwargs=None):
    store.add(id, op, args, kwargs or {})


def tables(store):
    plain = ["1 2 3", "4 5 6"]
    for label, args, kwargs in (
            ("plain", [plain], {}), ("empty", [[]], {}), ("empty/ndmin=1", [["# c"]], {"ndmin": 1}), ("one", [["1"]], {}),
            ("one/ndmin=1", [["1"]], {"ndmin": 1}), ("one/ndmin=2", [["1"]], {"ndmin": 2}), ("column", [["1", "2"]], {}), ("column/ndmin=2", [["1", "2"]], {"ndmin": 2}),
            ("row", [["1 2"]], {}), ("row/ndmin=2", [["1 2"]], {"ndmin": 2}), ("unpack", [plain], {"unpack": True}), ("unpack/column", [["1", "2"]], {"unpack": True, "ndmin": 2}),
            ("ragged", [["1 2", "3"]], {}), ("ragged/usecols", [["1 2 3", "4 5"]], {"usecols": (0, -1)}), ("usecols", [plain], {"usecols": [2, 0]}), ("usecols/one", [plain], {"usecols": 1}),
            ("usecols/beyond", [plain], {"usecols": (3,)}), ("comma", [["1,2", "", "3,4"]], {"delimiter": ","}), ("comma/spaces", [["1, 2 ", "3 ,4"]], {"delimiter": ","}),
            ("comma/missing", [["1,,2"]], {"delimiter": ","}), ("tab", [["1\t2"]], {"delimiter": "\t"}), ("skiprows", [["x y", *plain]], {"skiprows": 1}),
            ("skiprows/all", [plain], {"skiprows": 5}), ("max_rows", [["# c", "1 2", "", "3 4", "5 6"]], {"max_rows": 2}), ("comment_behind", [["1 2 # c", "3 4"]], {}),
            ("comments", [["1 2 # c", "3 4 % d"]], {"comments": ["#", "%"]}), ("comments/none", [["#1"]], {"comments": None}), ("comments/words", [["1 // 2"]], {"comments": "//"}),
            ("no_number", [["1 x"]], {}), ("underscore", [["1_0"]], {}), ("hexadecimal", [["0x10"]], {}), ("specials", [["nan inf -Infinity +1.5e-3 .5 5. -0"]], {}), ("range", [["1e400 1e-400 -1e400"]], {}),
            ("truths", [["1 0 2"]], {"dtype": BOOL}), ("truths/word", [["True"]], {"dtype": BOOL}), ("complex", [["(1+2j) 3j 4 1e3-2e-2j"]], {"dtype": np.dtype("complex128")})):
        add(store, f"loadtxt/{label}", "np.loadtxt", args, kwargs)
    for dtype in [d for d in ALL if d != BF16]:
        add(store, f"loadtxt/dtype/{dtype.name}", "np.loadtxt", [["1 0 100", "7 2 3"]], {"dtype": dtype})
    for dtype in INTS:
        info = np.iinfo(dtype)
        add(store, f"loadtxt/{dtype.name}/limits", "np.loadtxt", [[f"{info.min} {info.max}"]], {"dtype": dtype})
        add(store, f"loadtxt/{dtype.name}/beyond", "np.loadtxt", [[str(info.max + 1)]], {"dtype": dtype})
        add(store, f"loadtxt/{dtype.name}/fraction", "np.loadtxt", [["1.5"]], {"dtype": dtype})
    # Every digit counts, and each dtype rounds once.
    for dtype in (F16, F32, np.dtype("float64")):
        add(store, f"loadtxt/{dtype.name}/rounding", "np.loadtxt", [["0.1 3.14159265358979323846 2049.0000001 1e-45 65519.99 123456789.123456789"]], {"dtype": dtype})


def gaps(store):
    op = "np.genfromtxt"
    for label, args, kwargs in (
            ("plain", [["1,2,3", "4,,6"]], {"delimiter": ","}), ("integers", [["1,2,3", "4,,6"]], {"delimiter": ",", "dtype": np.dtype("int64")}),
            ("filled", [["1,x"]], {"delimiter": ",", "filling_values": -9}), ("filled/each", [[",2", "3,"]], {"delimiter": ",", "filling_values": (7, 8)}),
            ("ragged", [["1 2", "3"]], {}), ("ragged/dropped", [["1 2", "3", "4 5"]], {"invalid_raise": False}), ("empty", [[]], {}), ("narrow", [["1.5 2"]], {"dtype": np.dtype("int32")}),
            ("wide", [["1.5 2"]], {"dtype": np.dtype("int64")}), ("bool", [["True false x"]], {"dtype": BOOL}), ("complex", [["1+2j x"]], {"dtype": np.dtype("complex128")}),
            ("header_footer", [["a b", "1 2", "3 4", "end"]], {"skip_header": 1, "skip_footer": 1, "invalid_raise": False}), ("usecols", [["1 2 3", "4 5 6"]], {"usecols": (0, -1)}),
            ("usecols/short", [["1 2 3", "4 5"]], {"usecols": (0, -1)}), ("strict", [["1 N/A 2"]], {"missing_values": "N/A", "loose": False}), ("strict/other", [["1 x"]], {"missing_values": "N/A", "loose": False}),
            ("unpack", [["1 2", "3 4"]], {"unpack": True}), ("max_rows", [["1 2", "3 4"]], {"max_rows": 1}), ("ndmin", [["1"]], {"ndmin": 2}), ("underscore", [["1_0 _1 1_"]], {}),
            ("comments", [["# c", "1 2 # d", "3 4"]], {}), ("both_ends", [["1"]], {"skip_footer": 1, "max_rows": 1}), ("spaces", [["1, 2 ,"]], {"delimiter": ","})):
        add(store, f"genfromtxt/{label}", op, args, kwargs)


def separated(store):
    for label, args, kwargs in (
            ("spaces", ["1 2  3"], {"sep": " "}), ("comma", ["1,2,"], {"sep": ","}), ("comma/spaces", ["1, 2 ,3"], {"sep": ","}), ("wrong", ["1, 2 ,x"], {"sep": ","}), ("empty", [""], {"sep": ","}),
            ("count", ["1 2 3"], {"count": 2, "sep": " "}), ("integers", ["1 -2 3"], {"dtype": np.dtype("int32"), "sep": " "}), ("fraction", ["1.5 2"], {"dtype": np.dtype("int64"), "sep": " "}),
            ("binary", ["12"], {}), ("complex", ["1+2j 2"], {"dtype": np.dtype("complex64"), "sep": " "}), ("lines", ["1\n2\n3"], {"sep": "\n"}), ("padded_separator", ["1,2 , 3"], {"sep": " , "})):
        add(store, f"fromstring/{label}", "np.fromstring", args, kwargs)


def raw(store):
    b = np.array([0, 1, 2, 3, 128, 255, 63, 64, 1, 0, 7, 250, 66, 200, 9, 11], np.uint8)
    for dtype in [d for d in ALL if d not in (BF16, BOOL)]:
        add(store, f"frombuffer/{dtype.name}", "np.frombuffer", [b, dtype])
    for label, kwargs in {"count": {"count": 3}, "offset": {"offset": 4}, "both": {"count": 1, "offset": 7}, "all": {"count": -1}, "too_many": {"count": 20}, "odd": {"offset": 1},
                          "beyond": {"offset": 17}, "at_end": {"offset": 16}}.items():
        add(store, f"frombuffer/{label}", "np.frombuffer", [b], {"dtype": np.dtype("int16"), **kwargs})
    add(store, "frombuffer/empty", "np.frombuffer", [b[:0], np.dtype("uint8")])
    add(store, "frombuffer/default", "np.frombuffer", [b])
    for label, args, kwargs in (("plain", [[1, 2, 3], np.dtype("float32")], {}), ("count", [[1.5, 2.5, 3.5], np.dtype("float64"), 2], {}), ("too_few", [[1.0], np.dtype("float64"), 2], {}),
                                ("empty", [[], np.dtype("int8")], {})):
        add(store, f"fromiter/{label}", "np.fromiter", args, kwargs)


def arrays(store):
    x = np.array([[0.5, 1 / 3, -2.0], [100.0, np.nan, np.inf]])
    long = np.arange(3000).reshape(3, 1000)
    for label, args, kwargs in (
            ("plain", [x], {}), ("precision", [x], {"precision": 3}), ("separator", [x], {"separator": ", "}), ("comma", [x], {"separator": ","}), ("prefix", [np.arange(40)], {"prefix": "values = "}),
            ("width", [np.arange(40), 30], {}), ("width/2d", [np.arange(60).reshape(2, 30), 40], {"separator": ", "}), ("suffix", [np.arange(12), 30], {"suffix": "1234567"}), ("fixed", [x], {"floatmode": "fixed", "precision": 4}),
            ("unique", [x], {"floatmode": "unique", "precision": 1}), ("maxprec_equal", [x], {"floatmode": "maxprec_equal", "precision": 5}), ("sign", [x], {"sign": "+"}), ("small", [np.array([1e-5, 1.0])], {}),
            ("suppressed", [np.array([1e-5, 1.0])], {"suppress_small": True}), ("threshold", [np.arange(20)], {"threshold": 5}), ("edgeitems", [np.arange(20)], {"threshold": 5, "edgeitems": 1}), ("long", [long], {}),
            ("empty", [x[:0]], {}), ("zero_d", [np.array(1 / 3)], {}), ("complex", [x[0] + 1j], {"precision": 3}), ("complex/fixed", [x[0] + 1j], {"precision": 2, "floatmode": "fixed"}), ("bool", [x > 0], {}),
            ("float32", [np.array([0.1, 1e10], F32)], {}), ("float16", [np.array([0.1, 2.0], F16)], {"floatmode": "unique"}), ("exponents/fixed", [np.array([1e-10, 1.0])], {"floatmode": "fixed", "precision": 2}),
            ("view", [View(x, ("transpose", [1, 0]))], {}), ("3d", [np.arange(8).reshape(2, 2, 2)], {"separator": "; "})):
        add(store, f"array2string/{label}", "np.array2string", args, kwargs)
    for name, array in {"float64": x, "float32": x.astype(F32), "int64": np.arange(3), "int8": np.arange(3, dtype=I8), "bool": x > 0, "complex128": x + 1j, "complex64": np.array([1j], np.complex64),
                        "empty": x[:0], "flat_empty": np.zeros(0), "zero_d": np.array(2.5), "zero_d/int": np.array(3, np.int32), "long_line": np.arange(19, dtype=np.int16) * 100, "long": long, "many_lines": np.arange(60, dtype=F32)}.items():
        add(store, f"array_repr/{name}", "np.array_repr", [array])
        add(store, f"array_str/{name}", "np.array_str", [array])
    add(store, "array_repr/options", "np.array_repr", [x, 30, 2, True])
    add(store, "array_str/options", "np.array_str", [x, 20, 2, True])


def floats(store):
    values = {"1.5": 1.5, "1": 1.0, "0.1": 0.1, "large": 123456.789, "tiny": 1e-7, "huge": 1e20, "nan": float("nan"), "-inf": -float("inf"), "inf": float("inf"), "0": 0.0, "-0": -0.0, "third": -1 / 3, "nines": 9.9996, "float32": F32.type(0.1), "float16": F16.type(2.1), "integer": np.float64(2**60)}
    positional = {"default": {}, "precision": {"precision": 3}, "exact": {"precision": 3, "unique": False}, "exact/0": {"precision": 0, "unique": False}, "digits": {"precision": 3, "fractional": False}, "trim=0": {"trim": "0"}, "trim=-": {"trim": "-"}, "trim=.": {"trim": ".", "precision": 2, "unique": False},
                  "padded": {"pad_left": 5, "pad_right": 5, "sign": True}, "min_digits": {"min_digits": 4}, "cut": {"precision": 2, "unique": False, "trim": "-"}}
    scientific = {"default": {}, "precision": {"precision": 2}, "exact": {"precision": 3, "unique": False}, "exp_digits": {"exp_digits": 4, "trim": "-", "sign": True, "pad_left": 4}, "min_digits": {"min_digits": 3}, "trim=0": {"trim": "0"}}
    for op, options in (("positional", positional), ("scientific", scientific)):
        for value_name, value in values.items():
            for name, kwargs in options.items():
                add(store, f"format_float_{op}/{value_name}/{name}", f"np.format_float_{op}", [value], kwargs)
        add(store, f"format_float_{op}/no_precision", f"np.format_float_{op}", [1.5], {"unique": False})
        add(store, f"format_float_{op}/least_over_most", f"np.format_float_{op}", [1.5], {"precision": 2, "min_digits": 3})


def digits(store):
    for number in (0, 1, 5, -1, -3, -4, 255, -128, 2**40):
        add(store, f"binary_repr/{number}", "np.binary_repr", [number])
        for width in (0, 1, 3, 8, 50):
            add(store, f"binary_repr/{number}/width={width}", "np.binary_repr", [number, width])
        for base in (2, 3, 16, 36):
            add(store, f"base_repr/{number}/{base}", "np.base_repr", [number, base])
        add(store, f"base_repr/{number}/padding", "np.base_repr", [number, 5, 3])
    for base in (1, 37, 0):
        add(store, f"base_repr/wrong/{base}", "np.base_repr", [3, base])
