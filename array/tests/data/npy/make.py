"""Writes the fixtures beside this file. Made with numpy==2.4.6 and ml_dtypes==0.6.0.

Every array holds the values 0..5 in shape (2, 3) unless its name says otherwise: signed types
hold i - 3, complex ones i + (i + 1)j, bool i % 2. `le_` and `be_` are little- and big-endian,
`f_` is Fortran order. `bad_` files are valid for NumPy and must be refused.
"""

import datetime
import io
import pathlib
import warnings
import zipfile

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

warnings.simplefilter("ignore")  # versions 2.0 and 3.0 are meant
HERE = pathlib.Path(__file__).parent
NAMES = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "c64": np.complex64, "c128": np.complex128,
}


def values(name, shape=(2, 3)):
    i = np.arange(int(np.prod(shape)))
    if name == "bool":
        v = i % 2
    elif name[0] in "ifb":
        v = i - 3
    elif name[0] == "c":
        v = i + 1j * (i + 1)
    else:
        v = i
    return v.astype(NAMES[name]).reshape(shape)


def save(name, array, version=None):
    with open(HERE / f"{name}.npy", "wb") as f:
        npy.write_array(f, array, version=version)


for name in NAMES:
    a = values(name)
    save(f"le_{name}", a)
    if a.dtype.itemsize > 1:
        save(f"be_{name}", a.astype(a.dtype.newbyteorder(">")))

save("f_f32", np.asfortranarray(values("f32", (2, 3, 4))))
save("f_be_c64", np.asfortranarray(values("c64", (2, 3, 4)).astype(">c8")))
save("f_u8", np.asfortranarray(values("u8", (3, 5))))
save("shape_0d_f64", values("f64", ()))
save("shape_empty_i32", values("i32", (0, 3)))
save("shape_1_f32", values("f32", (6,)))
save("shape_64_u8", values("u8", (1,) * 63 + (2,)))
save("shape_100_u8", np.zeros(100, np.uint8))
# The text ends on a 64-byte boundary, where NumPy pads by a whole line more.
save("shape_aligned_u16", values("u16", (1,) * 13 + (100,)))
save("version_2_i16", values("i16"), (2, 0))
save("version_3_i16", values("i16"), (3, 0))

save("bad_object", np.array([1, "a"], dtype=object))
save("bad_structured", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i2", (2,))]))
save("bad_bytes", np.array([b"abc"]))
save("bad_text", np.array(["abc"]))
save("bad_datetime", np.array([datetime.datetime(2000, 1, 1)], dtype="M8[s]"))
save("bad_timedelta", np.array([1], dtype="m8[s]"))
save("bad_void", np.array([b"ab"], dtype="V2"))
save("bad_float8", np.array([1], dtype=ml_dtypes.float8_e4m3fn))
save("bad_longdouble", np.zeros(1, dtype=np.longdouble))
save("bad_long_header", np.zeros(1, dtype=[(f"field_{i}", "<f4") for i in range(4000)]), (2, 0))
# 4,000 fields are 90 kB of header; the first kilobyte shows the refusal.
long = HERE / "bad_long_header.npy"
long.write_bytes(long.read_bytes()[:1024])

arrays = {
    "x": values("f32"), "y/z": values("i64", ()), "../up": values("bool"), "f": np.asfortranarray(values("u16", (3, 4))),
    "half": values("bf16"),
}
np.savez(HERE / "stored.npz", **arrays)
np.savez_compressed(HERE / "deflated.npz", **arrays, zeros=np.zeros((100, 100)))
np.savez(HERE / "empty.npz")


# A pipe cannot seek, so zipfile writes data descriptors and, on request, zip64 fields.
class Pipe(io.RawIOBase):
    def __init__(self):
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, b):
        self.bytes += b
        return len(b)


pipe = Pipe()
with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
    for name in ("a", "b"):
        entry = zipfile.ZipInfo(f"{name}.npy")  # its date is fixed
        entry.compress_type = zipfile.ZIP_DEFLATED
        with z.open(entry, "w", force_zip64=True) as f:
            npy.write_array(f, values("i32"))
    z.writestr(zipfile.ZipInfo("notes.txt"), "not an array")
(HERE / "piped.npz").write_bytes(pipe.bytes)
