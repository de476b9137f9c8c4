//! The codecs against bytes that NumPy wrote (`array/tests/data/npy`, made by its `make.py`), and
//! against themselves. What hostile files do is in `core/tests/io_hostile.rs`.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use half::{bf16, f16};

use super::Compression;
use super::DType::*;
use super::*;

const DTYPES: [(DType, &str); 15] = [
    (Bool, "bool"),
    (I8, "i8"),
    (I16, "i16"),
    (I32, "i32"),
    (I64, "i64"),
    (U8, "u8"),
    (U16, "u16"),
    (U32, "u32"),
    (U64, "u64"),
    (F16, "f16"),
    (BF16, "bf16"),
    (F32, "f32"),
    (F64, "f64"),
    (C64, "c64"),
    (C128, "c128"),
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(name)
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The values that `make.py` writes, computed here by other means.
fn values(dtype: DType, count: usize) -> Vec<u8> {
    let element = |i: usize| -> Vec<u8> {
        let (u, s) = (i as u64, i as i64 - 3);
        match dtype {
            Bool => vec![(i % 2) as u8],
            I8 => (s as i8).to_le_bytes().into(),
            I16 => (s as i16).to_le_bytes().into(),
            I32 => (s as i32).to_le_bytes().into(),
            I64 => s.to_le_bytes().into(),
            U8 => vec![u as u8],
            U16 => (u as u16).to_le_bytes().into(),
            U32 => (u as u32).to_le_bytes().into(),
            U64 => u.to_le_bytes().into(),
            F16 => f16::from_f32(s as f32).to_le_bytes().into(),
            BF16 => bf16::from_f32(s as f32).to_le_bytes().into(),
            F32 => (s as f32).to_le_bytes().into(),
            F64 => (s as f64).to_le_bytes().into(),
            C64 => [(i as f32).to_le_bytes(), (i as f32 + 1.0).to_le_bytes()].concat(),
            C128 => [(i as f64).to_le_bytes(), (i as f64 + 1.0).to_le_bytes()].concat(),
        }
    };
    (0..count).flat_map(element).collect()
}

#[track_caller]
fn check(name: &str, dtype: DType, shape: &[usize]) {
    let raw = npy::decode(&file(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let data = values(dtype, shape.iter().product());
    assert_eq!(raw, Raw { dtype, shape: shape.to_vec(), data }, "{name}");
}

#[test]
fn reads_what_numpy_wrote() {
    for (dtype, name) in DTYPES {
        check(&format!("le_{name}.npy"), dtype, &[2, 3]);
        if dtype.size() > 1 {
            check(&format!("be_{name}.npy"), dtype, &[2, 3]);
        }
    }
    check("f_f32.npy", F32, &[2, 3, 4]);
    check("f_be_c64.npy", C64, &[2, 3, 4]);
    check("f_u8.npy", U8, &[3, 5]);
    check("version_2_i16.npy", I16, &[2, 3]);
    check("version_3_i16.npy", I16, &[2, 3]);
}

/// Little-endian, C order, version 1.0: what both sides write.
const SAME: [(&str, DType, &[usize]); 6] = [
    ("shape_0d_f64.npy", F64, &[]),
    ("shape_empty_i32.npy", I32, &[0, 3]),
    ("shape_1_f32.npy", F32, &[6]),
    (
        "shape_64_u8.npy",
        U8,
        &[
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 2,
        ],
    ),
    ("shape_aligned_u16.npy", U16, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100]),
    ("le_u32.npy", U32, &[2, 3]),
];

#[test]
fn writes_what_numpy_writes() {
    for (dtype, name) in DTYPES {
        let mut bytes = Vec::new();
        npy::encode(&mut bytes, dtype, &[2, 3], &values(dtype, 6)).unwrap();
        assert!(bytes == file(&format!("le_{name}.npy")), "{name}");
    }
    for (name, dtype, shape) in SAME {
        check(name, dtype, shape);
        let mut bytes = Vec::new();
        npy::encode(&mut bytes, dtype, shape, &values(dtype, shape.iter().product())).unwrap();
        assert!(bytes == file(name), "{name}");
    }
    let mut bytes = Vec::new();
    npy::encode(&mut bytes, U8, &[100], &[0; 100]).unwrap();
    assert!(bytes == file("shape_100_u8.npy"));
}

#[test]
fn refuses_what_numpy_wrote_for_other_dtypes() {
    for (name, descr) in [
        ("bad_object.npy", "'|O'"),
        ("bad_structured.npy", "[('a', '<f4'), ('b', '<i2', (2,))]"),
        ("bad_bytes.npy", "'|S3'"),
        ("bad_text.npy", "'<U3'"),
        ("bad_datetime.npy", "'<M8[s]'"),
        ("bad_timedelta.npy", "'<m8[s]'"),
        ("bad_void.npy", "'|V2'"),
        ("bad_float8.npy", "'<V1'"),
        ("bad_longdouble.npy", "'<f16'"),
    ] {
        let error = npy::decode(&file(name)).unwrap_err();
        assert!(matches!(error, IoError::UnsupportedDescr { .. }), "{name}: {error}");
        assert!(error.to_string().contains(descr), "{name}: {error}");
    }
    let error = npy::decode(&file("bad_long_header.npy")).unwrap_err();
    assert!(matches!(error, IoError::HeaderTooLong { .. }), "{error}");
}

#[test]
fn any_byte_but_zero_is_true() {
    let mut bytes = file("le_bool.npy");
    let start = bytes.len() - 6;
    bytes[start..].copy_from_slice(&[0, 1, 2, 0x80, 0xFF, 0]);
    assert_eq!(npy::decode(&bytes).unwrap().data, [0, 1, 1, 1, 1, 0]);
}

#[test]
fn round_trips() {
    let shapes: [&[usize]; 9] =
        [&[], &[0], &[1], &[7], &[0, 5], &[3, 0, 2], &[2, 3, 4], &[1, 1, 1], &[300, 17]];
    for (dtype, _) in DTYPES {
        for shape in shapes {
            let data = values(dtype, shape.iter().product());
            let mut bytes = Vec::new();
            npy::encode(&mut bytes, dtype, shape, &data).unwrap();
            let raw = npy::decode(&bytes).unwrap();
            assert_eq!(raw, Raw { dtype, shape: shape.to_vec(), data });
        }
    }
}

#[test]
fn wrong_lengths_are_refused_before_writing() {
    let mut bytes = Vec::new();
    let error = npy::encode(&mut bytes, F32, &[2, 2], &[0; 15]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[load/save] the buffer does not fit the array: expected 16 bytes, got 15"
    );
    assert!(npy::encode(&mut bytes, U8, &[1; 65], &[0]).is_err());
    assert!(bytes.is_empty());
    let reader = npy::Reader::new(Cursor::new(file("le_f32.npy"))).unwrap();
    assert_eq!(reader.header().shape, [2, 3]);
    assert!(matches!(reader.read_into(&mut [0; 23]), Err(IoError::DataLength { .. })));
}

#[test]
fn loads_from_a_path_and_from_where_the_source_stands() {
    assert_eq!(npy::load_stored(&path("le_f64.npy")).unwrap().0.data, values(F64, 6));
    let error = npy::load_stored(&path("nowhere.npy")).unwrap_err();
    assert!(error.to_string().contains("nowhere.npy"), "{error}");
    let mut source = Cursor::new([b"before".to_vec(), file("le_i8.npy")].concat());
    source.set_position(6);
    assert_eq!(npy::Reader::new(&mut source).unwrap().read().unwrap().data, values(I8, 6));
}

const NAMES: [&str; 5] = ["x", "y/z", "../up", "f", "half"];

#[test]
fn reads_archives_that_numpy_wrote() {
    for (name, more) in [("stored.npz", 0), ("deflated.npz", 1)] {
        let mut reader = npz::Reader::open(&path(name)).unwrap();
        assert_eq!(reader.names()[..5], NAMES);
        assert_eq!(reader.names().len(), 5 + more);
        let mut get = |name: &str| reader.read(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(get("half").data, values(BF16, 6));
        assert_eq!(get("x").data, values(F32, 6));
        assert_eq!(get("x.npy").data, values(F32, 6));
        assert_eq!(get("../up").data, values(Bool, 6));
        assert_eq!(get("f"), Raw { dtype: U16, shape: vec![3, 4], data: values(U16, 12) });
        assert_eq!(get("y/z"), Raw { dtype: I64, shape: vec![], data: values(I64, 1) });
        if more == 1 {
            assert_eq!(get("zeros").data, [0; 80_000]);
        }
        let error = reader.read("w").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "[load] the npz archive has no such array: expected one of {}, got w",
                reader.names().join(", ")
            )
        );
    }
    assert!(npz::Reader::open(&path("empty.npz")).unwrap().names().is_empty());
    let mut reader = npz::Reader::open(&path("piped.npz")).unwrap();
    assert_eq!(reader.names(), ["a", "b", "notes.txt"]);
    assert_eq!(reader.read("b").unwrap().data, values(I32, 6));
    let error = reader.read("notes.txt").unwrap_err();
    assert_eq!(
        error.to_string(),
        "[load] npz entry notes.txt: this is not an npy file: expected it to begin \
         with \\x93NUMPY, got not an"
    );
    assert_eq!(reader.read("a").unwrap().data, values(I32, 6));
}

#[test]
fn archives_round_trip() {
    for compression in [Compression::Stored, Compression::Deflated] {
        let mut writer = npz::Writer::new(Cursor::new(Vec::new()), compression);
        for (dtype, name) in DTYPES {
            writer.add(name, dtype, &[50, 3], &values(dtype, 150)).unwrap();
        }
        for odd in ["", "/etc/passwd", "a\\b", "..", "ä €.npy.npy", "dir/", "C:\\x"] {
            writer.add(odd, U8, &[], &[9]).unwrap();
        }
        let repeated = writer.add("f32.npy", U8, &[], &[9]).unwrap_err();
        assert!(matches!(repeated, IoError::RepeatedName { .. }));
        let mut reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
        for (dtype, name) in DTYPES.into_iter().rev() {
            assert_eq!(reader.read(name).unwrap().data, values(dtype, 150));
        }
        for odd in ["", "/etc/passwd", "a\\b", "..", "ä €.npy.npy", "dir/", "C:\\x"] {
            assert_eq!(reader.read(odd).unwrap().data, [9], "{odd}");
        }
    }
}

#[test]
fn a_compressed_entry_above_the_limit_is_refused() {
    let mut reader = npz::Reader::open(&path("deflated.npz")).unwrap();
    reader.inflate_limit(80_000);
    let error = reader.read("zeros").unwrap_err();
    assert!(error.to_string().contains("npz::Reader::inflate_limit"), "{error}");
    assert!(reader.read("x").is_ok());
    reader.inflate_limit(80_128);
    assert!(reader.read("zeros").is_ok());
}
