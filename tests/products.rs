//! Matrix products of integers, booleans and 16-bit floats on the CPU: every way through blocks, rows
//! and layouts against the reference.

use ndany::{Array, DType, Device, Generator, Shape};

/// Matrices of small numbers, so that 16-bit floats and their sums in f32 are exact; no zeros, so that no
/// sum of one product has a sign that depends on how sums begin.
fn numbers(seed: u64, dtype: DType, shape: &[usize]) -> Array {
    let mut rng = Generator::new(seed);
    match dtype {
        DType::Bool => rng.integers(0..2, Shape::new(shape).dtype(DType::Bool)),
        // Products and sums that wrap.
        dtype if dtype.is_int() => rng.integers(.., Shape::new(shape).dtype(dtype)),
        dtype => (rng.integers(0..4, Shape::new(shape).dtype(DType::I32)) * 2 - 3).astype(dtype),
    }
}

fn product(device: &str, dtype: DType, [m, k, n]: [usize; 3], turned: [bool; 2]) -> Vec<u8> {
    let _guard = Device::open(device).expect("compiled in").enter();
    let matrix = |seed, rows: usize, columns: usize, turned: bool| match turned {
        true => numbers(seed, dtype, &[2, columns, rows]).swapaxes(-1, -2),
        false => numbers(seed, dtype, &[2, rows, columns]),
    };
    let (left, right) = (matrix(1, m, k, turned[0]), matrix(2, k, n, turned[1]));
    left.matmul(&right).to_bytes().expect("computed")
}

const DTYPES: [DType; 7] =
    [DType::Bool, DType::I8, DType::U16, DType::I32, DType::U64, DType::F16, DType::BF16];

#[test]
fn every_way_gives_the_exact_product() {
    // Inside one block, over its edges in each direction, few rows, few columns, one of each.
    let sizes = [
        [5, 3, 7],
        [70, 37, 9],
        [9, 66, 140],
        [66, 5, 300],
        [1, 33, 600],
        [600, 33, 1],
        [3, 40, 200],
        [17, 1, 17],
        [1, 50, 1],
        [2, 2, 2],
    ];
    for dtype in DTYPES {
        for size in sizes {
            for turned in [[false, false], [true, false], [false, true], [true, true]] {
                let expected = product("reference", dtype, size, turned);
                for device in ["cpu:threads=1", "cpu:threads=3", "cpu:threads=2,level=v1"] {
                    let drawn = product(device, dtype, size, turned);
                    assert!(drawn == expected, "{dtype} {size:?} {turned:?} on {device}");
                }
            }
        }
    }
}

#[test]
fn batches_broadcast_in_16_bits() {
    let of = |device: &str| {
        let _guard = Device::open(device).expect("compiled in").enter();
        let left = numbers(3, DType::F16, &[3, 1, 4, 5]);
        let right = numbers(4, DType::F16, &[2, 5, 6]);
        left.matmul(&right).to_bytes().expect("computed")
    };
    assert!(of("cpu") == of("reference"));
}
