//! Sorts and searches of every dtype, length and CPU level against the reference, bit for bit.

use ndany::{Array, DType, Device, Side, Statistics, arange};

/// Devices that sort by different means.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let cpu = "cpu cpu:threads=1 cpu:threads=3 cpu:level=v1 cpu:threads=1,level=v3";
    let names = asked.as_deref().unwrap_or(cpu).split_whitespace();
    // A level that this CPU lacks cannot be tried.
    names.filter_map(|name| Device::open(name).ok()).collect()
}

/// Xorshift numbers from a seed.
fn numbers(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(|_| next()).collect()
}

/// Bytes of elements: any bits, few different ones, or ones that agree in their upper bits.
fn bytes(dtype: DType, count: usize, kind: u64) -> Vec<u8> {
    let size = dtype.part().size();
    let parts = count * dtype.size() / size;
    let specials: [u64; 6] = match dtype.part() {
        DType::F16 => [0, 0x8000, 0x7E00, 0xFE01, 0x7C00, 0x3C00],
        DType::BF16 => [0, 0x8000, 0x7FC0, 0xFFC1, 0xFF80, 0x3F80],
        DType::F32 => [0, 0x8000_0000, 0x7FC0_0000, 0xFFC0_0001, 0xFF80_0000, 0x3F80_0000],
        DType::F64 => [0, 1 << 63, 0x7FF8 << 48, 0xFFF8 << 48, 0xFFF0 << 48, 0x3FF0 << 48],
        _ => [0, 1, 2, u64::MAX, 1 << 63, 1 << 31],
    };
    let value = |bits: u64| match kind {
        0 => bits,
        1 => specials[(bits >> 20) as usize % 6],
        2 if bits.is_multiple_of(3) => bits,
        // Many agree in all but their lowest bits.
        _ => ((bits % 7) << (8 * size - 4)) | ((bits >> 33) % 97),
    };
    let all = numbers(parts, kind + parts as u64).into_iter();
    all.flat_map(|bits| value(bits).to_le_bytes()[..size].to_vec())
        .map(|byte| if dtype == DType::Bool { byte & 1 } else { byte })
        .collect()
}

/// The bytes with every NaN the same one.
fn canonical(array: &Array) -> Vec<u8> {
    let part = array.dtype().part();
    let bytes = array.to_bytes().expect("computes");
    if !part.is_float() {
        return bytes;
    }
    let size = part.size();
    let infinity = match part {
        DType::F16 => 0x7C00u64,
        DType::BF16 => 0x7F80,
        DType::F32 => 0x7F80_0000,
        _ => 0x7FF0 << 48,
    };
    let sign = 1u64 << (8 * size - 1);
    let value = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(bytes);
        u64::from_le_bytes(bits)
    };
    let one = |bits: u64| if bits & !sign > infinity { infinity + 1 } else { bits };
    bytes
        .chunks_exact(size)
        .flat_map(|part| one(value(part)).to_le_bytes()[..size].to_vec())
        .collect()
}

/// Rows and their lengths: those of vectors, of networks of 128 and 256 numbers, and of what is divided for them.
const LENGTHS: [(usize, usize); 17] = [
    (1, 1),
    (5, 2),
    (3, 9),
    (4, 33),
    (3, 64),
    (3, 127),
    (3, 128),
    (3, 129),
    (3, 140),
    (3, 257),
    (3, 340),
    (2, 700),
    (1, 5000),
    // About the tiles of GPUs.
    (2, 8192),
    (2, 8193),
    (3, 14_337),
    (1, 70_000),
];

#[test]
fn every_level_sorts_as_the_reference() {
    let reference = Device::open("reference").expect("always there");
    for dtype in DType::ALL {
        for (rows, length) in LENGTHS {
            // Long rows take their time where nothing is optimized: two kinds of numbers will do.
            for kind in (0..4).filter(|&kind| length < 10_000 || kind % 3 == 0) {
                let data = bytes(dtype, rows * length, kind);
                let make = |device: &Device| {
                    Array::from_bytes(dtype, &[rows, length], &data, device).expect("has memory")
                };
                let array = make(&reference);
                let (values, positions) = (array.sort(1), array.argsort(1));
                let (values, positions) = (canonical(&values), canonical(&positions));
                for device in devices() {
                    let array = make(&device);
                    let what = format!("{dtype} {rows}x{length} kind {kind} on {device:?}");
                    assert!(canonical(&array.sort(1)) == values, "sort of {what}");
                    let order = array.argsort(1);
                    assert!(canonical(&order) == positions, "argsort of {what}");
                    let taken = array.take_along_axis(&order, 1);
                    assert!(canonical(&taken) == values, "elements in order of {what}");
                }
            }
        }
    }
}

#[test]
fn every_level_searches_as_the_reference() {
    let reference = Device::open("reference").expect("always there");
    for dtype in DType::ALL {
        for length in [0, 1, 2, 7, 64, 1000] {
            let data = bytes(dtype, length + 3000, 1 + length as u64 % 3);
            let (row, needles) = data.split_at(length * dtype.size());
            let count = needles.len() / dtype.size();
            let places = |device: &Device, side: Side| {
                let row = Array::from_bytes(dtype, &[length], row, device).expect("has memory");
                let needles =
                    Array::from_bytes(dtype, &[count], needles, device).expect("has memory");
                row.sort(0).searchsorted(&needles, side).to_vec::<i64>().expect("computes")
            };
            for side in [Side::Left, Side::Right] {
                let expected = places(&reference, side);
                for device in devices() {
                    assert_eq!(
                        places(&device, side),
                        expected,
                        "{dtype} {length} {side:?} on {device:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn integers_over_a_wide_range_are_sorted_where_a_table_would_leave_the_cache() {
    let device = Device::open("cpu:threads=2").expect("the CPU");
    let _guard = device.enter();
    // Every third number below an extent, four times.
    let sorts = |extent: i64, dtype: DType| {
        let half = arange((0, extent, 3)).astype(dtype);
        let all = ndany::concatenate([&half, &half], 0);
        let all = ndany::concatenate([&all, &all], 0).flip(..);
        all.eval().expect("numbers");
        let before = Statistics::now();
        let values = all.unique(..);
        let sorts = Statistics::now().since(&before).sorts;
        assert!(values.array_equal(&half).expect("values"), "{extent} numbers as {dtype}");
        sorts
    };
    assert_eq!(sorts(2_000_000, DType::I32), 0);
    assert_eq!(sorts(3_000_000, DType::I32), 1);
    assert_eq!(sorts(3_000_000, DType::I64), 0);
}
