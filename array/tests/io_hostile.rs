//! Hostile array files: each gives an error, never a panic, and never more memory than the file's
//! own size and a constant. A counting allocator proves the latter, thread by thread, so that
//! tests do not count each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Cursor, Write};
use std::path::Path;

use ndany_array::io::{IoError, Raw, npy, npz};
use ndany_core::DType;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(change: isize) {
    // A thread that ends has no counters any more, and nothing to prove.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call goes to `System` with the caller's own arguments, so its contract holds where
// the caller keeps `GlobalAlloc`'s; counting allocates nothing, the counters being constants.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both lie in memory while one is copied to the other.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `f` gives, and the most bytes that it held at once.
fn measured<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = f();
    (result, (PEAK.get() - before) as usize)
}

/// The constant for a plain file: header, shape, error text.
const NPY_CONSTANT: usize = 16 << 10;
/// The constant for an archive: the inflater's window, buffers, index.
const NPZ_CONSTANT: usize = 512 << 10;

/// Decodes, and holds at most the file's size and a constant. The small files of these tests keep
/// the stage of Fortran order below that constant.
#[track_caller]
fn decode(bytes: &[u8]) -> Result<Raw, IoError> {
    let (result, peak) = measured(|| npy::decode(bytes));
    let limit = bytes.len() + NPY_CONSTANT;
    assert!(peak <= limit, "{peak} bytes held for a file of {}", bytes.len());
    result
}

/// Opens an archive and reads all of it, at most 1 MiB an entry; the number of arrays that came.
#[track_caller]
fn read_all(bytes: &[u8], constant: usize) -> usize {
    let (good, peak) = measured(|| {
        let Ok(mut reader) = npz::Reader::new(Cursor::new(bytes)) else { return 0 };
        reader.inflate_limit(1 << 20);
        let names = reader.names().to_vec();
        names.iter().filter(|name| reader.read(name).is_ok()).count()
    });
    let limit = 16 * bytes.len() + constant;
    assert!(peak <= limit, "{peak} bytes held for an archive of {}", bytes.len());
    good
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy");
    std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A file of version 1.0 with this header text and data.
fn npy_file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn shape_file(shape: &str) -> Vec<u8> {
    npy_file(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"), &[0; 8])
}

#[test]
fn hostile_headers() {
    let deep = format!("{{'descr': {}", "[(".repeat(4000));
    let nested = format!("{{'shape': {}", "(".repeat(9000));
    let axes = format!("({})", "1,".repeat(65));
    let zeros = format!("({})", "0,".repeat(4000));
    let digits = format!("({},)", "9".repeat(5000));
    let minus = format!("(-{},)", "9".repeat(5000));
    let text = |header: &str| npy_file(header, &[0; 8]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "truncated"),
        ("short magic", b"\x93NUM".to_vec(), "truncated"),
        ("magic only", b"\x93NUMPY".to_vec(), "truncated"),
        ("another format", b"PK\x03\x04 and more of it".to_vec(), "not an npy file"),
        ("magic in lower case", b"\x93numpy\x01\x00\x02\x00{}".to_vec(), "not an npy file"),
        ("version 0.0", b"\x93NUMPY\x00\x00\x02\x00{}".to_vec(), "got 0.0"),
        ("version 1.1", b"\x93NUMPY\x01\x01\x02\x00{}".to_vec(), "got 1.1"),
        ("version 4.0", b"\x93NUMPY\x04\x00\x02\x00\x00\x00{}".to_vec(), "got 4.0"),
        ("no length", b"\x93NUMPY\x01\x00".to_vec(), "header length is truncated"),
        ("half a length", b"\x93NUMPY\x02\x00\x02\x00\x00".to_vec(), "header length is truncated"),
        ("length of 4 GiB", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "too long"),
        ("length of 64 KiB", b"\x93NUMPY\x01\x00\xff\xff{}".to_vec(), "too long"),
        ("length beyond the end", b"\x93NUMPY\x01\x00\x10\x27{}".to_vec(), "header is truncated"),
        ("no header", b"\x93NUMPY\x01\x00\x00\x00".to_vec(), "malformed"),
        ("empty dict", text("{}"), "no descr"),
        ("no dict", text("['<f4', False, (2,)]"), "malformed"),
        ("only spaces", text("          \n"), "malformed"),
        ("unclosed dict", text("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)"), "or }"),
        ("unclosed string", text("{'descr"), "closing quote"),
        ("unclosed tuple", text("{'shape': (2,"), "a decimal number"),
        ("zero bytes", text("\0\0\0\0\0\0\0\0\0\0"), "malformed"),
        ("zero in a descr", text("{'descr': '<f4\0', }"), "closing quote"),
        ("no shape", text("{'descr': '<f4', 'fortran_order': False, }"), "no shape"),
        ("no order", text("{'descr': '<f4', 'shape': (2,), }"), "no fortran_order"),
        ("a key twice", text("{'descr': '<f4', 'descr': '<f8', }"), "repeats"),
        ("a shape twice", text("{'shape': (2,), 'shape': (3,), }"), "repeats"),
        ("an unknown key", text("{'descr': '<f4', 'x': 1}"), "unknown key"),
        ("a key in capitals", text("{'Shape': (2,)}"), "unknown key"),
        ("a key without quotes", text("{shape: (2,)}"), "malformed"),
        ("a key with an escape", text("{'sh\\x61pe': (2,)}"), "closing quote"),
        ("no comma", text("{'descr': '<f4' 'shape': (2,)}"), ", or }"),
        ("two commas", text("{'descr': '<f4',, 'shape': (2,)}"), "a key in quotes"),
        ("no colon", text("{'descr' '<f4'}"), "expected :"),
        (
            "more after the dict",
            text("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }; import os"),
            "only spaces",
        ),
        ("a call", text("{'descr': __import__('os'), }"), "descr in quotes"),
        ("a sum", text("{'shape': (1+1,), }"), ", as in (3,)"),
        ("order as a number", text("{'fortran_order': 0, }"), "True or False"),
        ("order as None", text("{'fortran_order': None, }"), "True or False"),
        ("order as Falsehood", text("{'fortran_order': Falsehood, }"), ", or }"),
        ("descr empty", text("{'descr': '', }"), "not supported"),
        ("descr of a mark", text("{'descr': '<', }"), "not supported"),
        ("descr of size 0", text("{'descr': '<f0', }"), "not supported"),
        ("descr of a huge size", text("{'descr': '<f99999999999999999999', }"), "not supported"),
        ("descr None", text("{'descr': None, }"), "descr in quotes"),
        ("descr of bytes", text("{'descr': b'<f4', }"), "descr in quotes"),
        ("descr of objects", text("{'descr': '|O', }"), "pickled"),
        ("descr nested deeply", text(&deep), "structured"),
        ("shape nested deeply", text(&nested), "a decimal number"),
        ("shape of a list", shape_file("[2]"), "beginning with ("),
        ("shape of a number", shape_file("2"), "beginning with ("),
        ("shape in brackets", shape_file("(2)"), "a comma"),
        ("shape of a float", shape_file("(2.0,)"), "a comma"),
        ("shape of an exponent", shape_file("(1e9,)"), "a comma"),
        ("shape in hexadecimal", shape_file("(0x2,)"), "a comma"),
        ("shape in octal", shape_file("(02,)"), "a decimal number"),
        ("shape with underscores", shape_file("(1_0,)"), "a comma"),
        ("shape with a plus", shape_file("(+2,)"), "a decimal number"),
        ("shape of a bool", shape_file("(True,)"), "a decimal number"),
        ("shape of None", shape_file("(None,)"), "a decimal number"),
        ("shape of a string", shape_file("('2',)"), "a decimal number"),
        ("shape of commas", shape_file("(,)"), "a decimal number"),
        ("shape of two commas", shape_file("(2,,)"), "a decimal number"),
        ("negative", shape_file("(-1,)"), "negative"),
        ("negative after", shape_file("(2, -2)"), "axis 1"),
        ("negative without end", shape_file(&minus), "negative"),
        ("minus alone", shape_file("(-,)"), "a decimal number"),
        ("65 axes", shape_file(&axes), "too many dimensions"),
        ("4,000 empty axes", shape_file(&zeros), "too many dimensions"),
        ("number beyond u64", shape_file("(18446744073709551616,)"), "fits the address space"),
        ("number without end", shape_file(&digits), "fits the address space"),
        ("bytes beyond isize", shape_file("(4611686018427387904,)"), "too big"),
        ("product beyond u64", shape_file("(4294967296, 4294967296, 4294967296)"), "too big"),
        ("product that wraps to 2", shape_file("(9223372036854775809, 2)"), "too big"),
        ("too big beside empty", shape_file("(0, 4294967296, 4294967296)"), "too big"),
        ("an exabyte", shape_file("(288230376151711744,)"), "data is truncated"),
        ("a gigabyte", shape_file("(268435456,)"), "data is truncated"),
        ("one element too many", shape_file("(3,)"), "data is truncated"),
        ("one element too few", shape_file("(1,)"), "bytes follow"),
        ("data of an empty array", shape_file("(0,)"), "bytes follow"),
        ("data of a 0-d array", shape_file("()"), "bytes follow"),
    ];
    assert!(cases.len() >= 40);
    for (name, bytes, expected) in cases {
        let error = match decode(&bytes) {
            Ok(raw) => panic!("{name}: gave {raw:?}"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(expected), "{name}: {error}");
        assert!(error.len() < 400 && !error.contains(char::is_control), "{name}: {error}");
        assert!(error.starts_with("[load"), "{name}: {error}");
    }
    // The same frame is good when nothing is wrong with it.
    assert_eq!(decode(&shape_file("(2,)")).unwrap().shape, [2]);
    let headerless = b"\x93NUMPY\x03\x00\x02\x00\x00\x00{\xff";
    assert!(decode(headerless).unwrap_err().to_string().contains("malformed"));
}

#[test]
fn a_large_file_is_held_once() {
    let shape = [1000, 2000];
    for order in ["False", "True"] {
        let header =
            format!("{{'descr': '>f4', 'fortran_order': {order}, 'shape': (1000, 2000), }}\n");
        let bytes = npy_file(&header, &vec![1; 8_000_000]);
        let (raw, peak) = measured(|| npy::decode(&bytes).unwrap());
        assert_eq!((raw.data.len(), &raw.shape[..]), (8_000_000, &shape[..]));
        // The stage between file and array is at most 1 MiB.
        assert!(peak <= bytes.len() + (1 << 20) + NPY_CONSTANT, "{order}: {peak}");
    }
}

#[test]
fn truncated_and_extended_files() {
    for name in ["le_c128.npy", "f_f32.npy", "be_bf16.npy", "version_3_i16.npy"] {
        let bytes = fixture(name);
        for length in 0..bytes.len() {
            let error = decode(&bytes[..length]).expect_err("a part is no file");
            assert!(matches!(error, IoError::Truncated { .. }), "{name} of {length}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(decode(&longer), Err(IoError::TrailingBytes { .. })));
        assert!(decode(&bytes).is_ok());
    }
    for name in ["stored.npz", "deflated.npz", "piped.npz"] {
        let bytes = fixture(name);
        for length in 0..bytes.len() {
            assert_eq!(read_all(&bytes[..length], NPZ_CONSTANT), 0, "{name} of {length}");
        }
        assert!(read_all(&bytes, NPZ_CONSTANT) >= 2);
    }
}

#[test]
fn every_flipped_bit() {
    for name in ["le_f64.npy", "f_be_c64.npy", "bad_structured.npy"] {
        let bytes = fixture(name);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let _ = decode(&flipped);
        }
    }
    for name in ["stored.npz", "deflated.npz", "piped.npz"] {
        let bytes = fixture(name);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            read_all(&flipped, NPZ_CONSTANT);
        }
    }
}

#[test]
fn damaged_data_of_an_archive_fails_its_checksum() {
    let mut bytes = fixture("stored.npz");
    // The first entry's data ends before the second entry begins.
    let second = (4..bytes.len()).find(|&i| bytes[i..].starts_with(b"PK\x03\x04")).unwrap();
    bytes[second - 1] ^= 1;
    let mut reader = npz::Reader::new(Cursor::new(bytes)).unwrap();
    let error = reader.read("x").unwrap_err();
    assert!(error.to_string().to_lowercase().contains("checksum"), "{error}");
    assert!(reader.read("half").is_ok());
}

/// Replaces the two sizes of the archive's first entry in the directory.
fn with_sizes(mut bytes: Vec<u8>, packed: Option<u32>, size: Option<u32>) -> Vec<u8> {
    let entry = bytes.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    for (offset, value) in [(20, packed), (24, size)] {
        if let Some(value) = value {
            bytes[entry + offset..][..4].copy_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}

fn archive(compression: npz::Compression, arrays: &[(&str, usize)]) -> Vec<u8> {
    let mut writer = npz::Writer::new(Cursor::new(Vec::new()), compression);
    for &(name, bytes) in arrays {
        writer.add(name, DType::U8, &[bytes], &vec![0; bytes]).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn entries_that_lie_about_their_size() {
    use npz::Compression::{Deflated, Stored};
    let huge = 0xFFFF_0000;
    let cases = [
        ("stored, all sizes huge", Stored, Some(huge), Some(huge), "lies"),
        ("stored, packed huge", Stored, Some(huge), None, "lies"),
        ("stored, size huge", Stored, None, Some(huge), "lies"),
        ("stored, short", Stored, Some(200), Some(200), "truncated"),
        ("stored, long", Stored, Some(1153), Some(1153), "bytes follow"),
        ("stored, empty", Stored, Some(0), Some(0), "truncated"),
        ("deflated, size huge", Deflated, None, Some(huge), "lies"),
        ("deflated, size long", Deflated, None, Some(5000), "bytes follow"),
        ("deflated, size short", Deflated, None, Some(1000), "truncated"),
        ("deflated, packed huge", Deflated, Some(huge), None, "lies"),
        ("deflated, packed short", Deflated, Some(20), None, ""),
        ("deflated, packed empty", Deflated, Some(0), None, "lies"),
    ];
    for (name, compression, packed, size, expected) in cases {
        let bytes = with_sizes(archive(compression, &[("a", 1024), ("b", 8)]), packed, size);
        let (error, peak) = measured(|| {
            let mut reader = npz::Reader::new(Cursor::new(&bytes)).unwrap();
            let error = reader.read("a").expect_err(name).to_string();
            assert!(reader.read("b").is_ok(), "{name}");
            error
        });
        assert!(
            error.starts_with("[load] npz entry a: ") && error.contains(expected),
            "{name}: {error}"
        );
        assert!(peak <= 16 * bytes.len() + NPZ_CONSTANT, "{name}: {peak}");
    }
}

#[test]
fn a_header_inside_that_lies_costs_what_arrives() {
    // 100 MB by the header inside and by the directory, and no more than deflate could do with the
    // 400 kB that come.
    let header = "{'descr': '|u1', 'fortran_order': True, 'shape': (10000, 10000), }\n";
    let mut random = Random(7);
    let noise: Vec<u8> = (0..400_000).map(|_| random.next() as u8).collect();
    let inner = npy_file(header, &noise);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let deflated = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("a.npy", deflated).unwrap();
    writer.write_all(&inner).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let claimed = (inner.len() - noise.len() + 100_000_000) as u32;
    let (error, peak) = measured(|| {
        let lying = Cursor::new(with_sizes(bytes, None, Some(claimed)));
        npz::Reader::new(lying).unwrap().read("a").unwrap_err().to_string()
    });
    assert!(error.contains("expected 100000000 bytes, got 400000"), "{error}");
    assert!(peak < 3 * noise.len() + NPZ_CONSTANT, "{peak}");
}

#[test]
fn a_bomb_is_refused_unopened() {
    let bytes = archive(npz::Compression::Deflated, &[("bomb", 50_000_000)]);
    assert!(bytes.len() < 60_000);
    let (error, peak) = measured(|| {
        let mut reader = npz::Reader::new(Cursor::new(&bytes)).unwrap();
        reader.inflate_limit(10_000_000);
        reader.read("bomb").unwrap_err().to_string()
    });
    assert!(error.contains("too big"), "{error}");
    assert!(peak < NPZ_CONSTANT, "{peak}");
    // An honest array of zeros is read when the limit allows, without a second copy.
    let (raw, peak) = measured(|| npz::Reader::new(Cursor::new(&bytes)).unwrap().read("bomb"));
    assert_eq!(raw.unwrap().data.len(), 50_000_000);
    assert!(peak < 2 * 50_000_000 + NPZ_CONSTANT, "{peak}");
}

#[test]
fn lying_directories() {
    // The end record of an archive, with counts and sizes that nothing backs.
    let end = |entries: u16, size: u32, offset: u32| {
        let mut bytes = b"PK\x05\x06\0\0\0\0".to_vec();
        bytes.extend([entries.to_le_bytes(), entries.to_le_bytes()].concat());
        bytes.extend([size.to_le_bytes(), offset.to_le_bytes()].concat());
        bytes.extend([0, 0]);
        bytes
    };
    // What the crate reserves for a count that it cannot disprove: 65,535 entries of 170 bytes.
    let reserve = 12 << 20;
    for (before, entries, size, offset) in [
        (0, 1, 46, 0),
        (0, 65_535, u32::MAX, u32::MAX),
        (70_000, 65_534, u32::MAX - 1, 69_000),
        (70_000, 65_535, u32::MAX, 69_000),
        (70_000, 0, 0, 0),
    ] {
        let mut bytes = b"PK\x01\x02".repeat(before / 4);
        bytes.extend(end(entries, size, offset));
        assert_eq!(read_all(&bytes, reserve), 0);
    }
    // The 64-bit records: a count of 2^60 and a directory anywhere.
    for (entries, offset) in [(1u64 << 60, 0u64), (1, 1 << 60), (u64::MAX, u64::MAX), (1000, 0)] {
        let mut bytes = vec![0; 4096];
        let at = bytes.len() as u64;
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44u64.to_le_bytes());
        bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for value in [entries, entries, entries.wrapping_mul(46), offset] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(at.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(end(u16::MAX, u32::MAX, u32::MAX));
        assert_eq!(read_all(&bytes, reserve), 0);
    }
}

#[test]
fn repeated_names_are_refused() {
    // Both names are as long, so that one can be made the other: whole, and but for the suffix.
    let bytes = archive(npz::Compression::Stored, &[("aa", 1), ("ab", 1)]);
    let twice: Vec<u8> = replace(&bytes, b"ab.npy", b"aa.npy");
    let error = npz::Reader::new(Cursor::new(twice)).unwrap_err();
    assert!(matches!(error, IoError::RepeatedName { .. }), "{error}");
    let bytes = archive(npz::Compression::Stored, &[("a", 1), ("bbbbb", 1)]);
    let bytes = replace(&bytes, b"bbbbb.npy", b"a.npy.npy");
    assert!(npz::Reader::new(Cursor::new(bytes)).is_ok());
}

fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for i in 0..=bytes.len() - old.len() {
        if bytes[i..].starts_with(old) {
            bytes[i..i + old.len()].copy_from_slice(new);
        }
    }
    bytes
}

/// xorshift64*: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }
}

/// Bytes that mean something to one of the grammars.
const TOKENS: [&[u8]; 16] = [
    b"\x93NUMPY",
    b"\x02\x00",
    b"\xff\xff\xff\xff",
    b"{",
    b"}",
    b"(",
    b"),",
    b"'",
    b"'shape': ",
    b"-1",
    b"99999999999",
    b"True",
    b"|O",
    b"<V2",
    b"PK\x01\x02",
    b"PK\x05\x06",
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
            4 => {
                let token = TOKENS[random.below(TOKENS.len())];
                let end = bytes.len().min(at + token.len());
                bytes[at..end].copy_from_slice(&token[..end - at]);
            }
            _ => {
                let end = at + random.below(bytes.len() - at);
                bytes.drain(at..end);
            }
        }
    }
}

#[test]
fn mutations_of_good_files() {
    let rounds = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
    let plain = ["le_f32.npy", "f_be_c64.npy", "le_bool.npy", "version_2_i16.npy", "be_bf16.npy"]
        .map(fixture);
    let archives = ["stored.npz", "deflated.npz", "piped.npz"].map(fixture);
    let mut random = Random(0x6E64_616E_7921);
    let mut good = 0;
    for round in 0..rounds {
        if round % 4 == 3 {
            let mut bytes = archives[random.below(archives.len())].clone();
            mutate(&mut random, &mut bytes);
            read_all(&bytes, NPZ_CONSTANT);
        } else {
            let mut bytes = plain[random.below(plain.len())].clone();
            mutate(&mut random, &mut bytes);
            if let Ok(raw) = decode(&bytes) {
                // What is accepted is whole, and comes back.
                let mut again = Vec::new();
                npy::encode(&mut again, raw.dtype, &raw.shape, &raw.data).unwrap();
                assert_eq!(npy::decode(&again).unwrap(), raw);
                good += 1;
            }
        }
    }
    assert!(good > rounds / 100, "the mutations are too coarse to test much: {good}");
}
