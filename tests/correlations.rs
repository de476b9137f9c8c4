//! Correlations of every dtype on every CPU level, at the lengths around runs of taps and tiles of results, against the
//! reference, bit for bit; and the promised order of additions against loops over plain numbers.

use ndany::{Array, DType, Device, Overlap, s};

/// Devices that correlate by different means.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let cpu = "cpu cpu:threads=1 cpu:threads=3 cpu:level=v1 cpu:threads=1,level=v3";
    let names = asked.as_deref().unwrap_or(cpu).split_whitespace();
    // A level that this CPU lacks cannot be tried.
    names.filter_map(|name| Device::open(name).ok()).collect()
}

const OVERLAPS: [Overlap; 3] = [Overlap::Full, Overlap::Same, Overlap::Valid];

/// Numbers of a generator (SplitMix64).
fn numbers(count: usize, seed: u64) -> impl Iterator<Item = u64> {
    (0..count as u64).map(move |k| {
        let mut x = (seed << 32 | k).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    })
}

/// Numbers between -1 and 1, of which some are zeros of both signs, and with `specials` a few infinities and NaNs.
fn values(count: usize, seed: u64, specials: bool) -> Vec<f64> {
    let value = |bits: u64| match bits % 64 {
        0..4 => 0.0,
        4..8 => -0.0,
        8 if specials && bits >> 60 == 0 => f64::INFINITY,
        9 if specials && bits >> 60 == 0 => f64::NAN,
        _ => (bits as i64 >> 11) as f64 / (1u64 << 52) as f64,
    };
    numbers(count, seed).map(value).collect()
}

fn array(dtype: DType, count: usize, seed: u64, specials: bool) -> Array {
    match dtype {
        DType::Bool => {
            Array::from(numbers(count, seed).map(|bits| bits % 8 == 0).collect::<Vec<_>>())
        }
        _ if dtype.is_int() => Array::from(numbers(count, seed).collect::<Vec<_>>()).astype(dtype),
        _ if dtype.is_complex() => {
            let [real, imaginary] =
                [0, 1].map(|part| Array::from(values(count, 2 * seed + part, specials)));
            (real + imaginary * num_complex::Complex64::i()).astype(dtype)
        }
        _ => Array::from(values(count, seed, specials)).astype(dtype),
    }
}

/// The bytes, with every NaN the same one.
fn bytes(array: &Array) -> Vec<u8> {
    let part = match array.dtype() {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        dtype => dtype,
    };
    let mut bytes = array.to_bytes().expect("computes");
    match part {
        DType::F16 | DType::BF16 => canonical(&mut bytes, |x: [u8; 2]| {
            let infinity = if part == DType::F16 { 0x7C00 } else { 0x7F80 };
            u16::from_le_bytes(x) & 0x7FFF > infinity
        }),
        DType::F32 => canonical(&mut bytes, |x: [u8; 4]| f32::from_le_bytes(x).is_nan()),
        DType::F64 => canonical(&mut bytes, |x: [u8; 8]| f64::from_le_bytes(x).is_nan()),
        _ => {}
    }
    bytes
}

fn canonical<const SIZE: usize>(bytes: &mut [u8], is_nan: impl Fn([u8; SIZE]) -> bool) {
    for one in bytes.chunks_exact_mut(SIZE) {
        if is_nan(one.try_into().expect("the size of an element")) {
            one.fill(0xFF);
        }
    }
}

#[track_caller]
fn compare(dtype: DType, length: usize, taps: usize, specials: bool) {
    let reference = Device::open("reference").expect("always there");
    let run = |device: &Device| -> Vec<Vec<u8>> {
        let _guard = device.enter();
        let seed = (length + taps) as u64;
        let (a, v) = (array(dtype, length, seed, specials), array(dtype, taps, seed + 1, specials));
        OVERLAPS.iter().map(|&overlap| bytes(&a.correlate(&v, overlap))).collect()
    };
    let expected = run(&reference);
    for device in devices() {
        let found = run(&device);
        assert!(found == expected, "{} differs for {length} by {taps} of {dtype}", device.name());
    }
}

#[test]
fn every_dtype_has_the_bits_of_the_reference() {
    for dtype in DType::ALL {
        // The last has more results than a block of any device, for those that go about few in another way.
        for (length, taps) in [(1, 1), (3, 7), (300, 9), (300, 130), (2500, 70)] {
            compare(dtype, length, taps, false);
        }
    }
}

#[test]
fn lengths_around_runs_and_blocks_have_the_bits_of_the_reference() {
    // Blocks of the CPU have 2048 results of f32 and 512 of c128, of a GPU 2048 and 1024, or 128.
    for (dtype, block) in [(DType::F32, 2048), (DType::C128, 512)] {
        for taps in [7, 8, 9, 63, 64, 65, 127, 128, 200] {
            for length in [taps, taps + 1, 127, 128, 129, 257] {
                compare(dtype, length, taps, true);
            }
        }
        for length in [block - 1, block, block + 1, block + 100] {
            compare(dtype, length, 65, true);
        }
    }
    compare(DType::F32, 9000, 1000, false);
    compare(DType::BF16, 5000, 70, true);
}

/// A number of results at which every processor of a large GPU has blocks to go round between.
#[test]
fn many_results_have_the_bits_of_the_reference() {
    compare(DType::F32, 600_000, 3, true);
    compare(DType::C64, 300_000, 3, true);
}

/// Results so few that they are reductions.
#[test]
fn few_results_of_many_taps_have_the_bits_of_the_reference() {
    for dtype in [DType::F16, DType::F32, DType::I32] {
        compare(dtype, 5010, 5000, false);
    }
}

/// The promise of the pattern, of numbers whose sum depends on the order.
#[test]
fn sums_are_made_in_the_promised_order() {
    let (length, taps) = (150, 140);
    let (long, short) = (values(length, 1, false), values(taps, 2, false));
    let before = taps / 2;
    let expected: Vec<f64> = (0..length)
        .map(|i| {
            let mut runs = Vec::new();
            for first in (0..taps).step_by(64) {
                let there = (first..taps.min(first + 64))
                    .filter(|k| (before..length + before).contains(&(i + k)));
                runs.extend(there.map(|k| long[i + k - before] * short[k]).reduce(|a, b| a + b));
            }
            runs.into_iter().reduce(|a, b| a + b).expect("every result has a product")
        })
        .collect();
    for device in devices().into_iter().chain(Device::open("reference")) {
        let _guard = device.enter();
        let (a, v) = (Array::from(long.clone()), Array::from(short.clone()));
        let found = a.correlate(&v, Overlap::Same).to_vec::<f64>().expect("computes");
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected), "{}", device.name());
    }
}

/// Zero times infinity is NaN, but not where there is nothing to multiply; a sum of nothing but -0.0 is that.
#[test]
fn what_lies_beside_a_sequence_has_no_part() {
    for device in devices().into_iter().chain(Device::open("reference")) {
        let _guard = device.enter();
        let a = Array::from([f32::INFINITY, 1.0, 1.0, f32::INFINITY]);
        let v = Array::from([1.0f32, 2.0, -1.0]);
        let found = a.convolve(&v, Overlap::Full).to_vec::<f32>().expect("computes");
        assert_eq!(found[..2], [f32::INFINITY; 2], "{}", device.name());
        assert_eq!(found[4..], [f32::INFINITY, f32::NEG_INFINITY], "{}", device.name());
        let zeros = Array::from([-0.0f32, -0.0]).convolve(&Array::from([1.0f32]), Overlap::Full);
        let zeros = zeros.to_vec::<f32>().expect("computes");
        assert!(zeros.iter().all(|zero| zero.is_sign_negative()), "{}", device.name());
    }
}

#[test]
fn views_are_sequences_as_others() {
    for device in devices().into_iter().chain(Device::open("reference")) {
        let _guard = device.enter();
        let (a, v) = (array(DType::I32, 400, 3, false), array(DType::I32, 90, 4, false));
        let (a, v) = (a.i(s![..;-2]), v.i(s![3..;3]));
        let plain = a.copy().convolve(&v.copy(), Overlap::Same);
        let found = a.convolve(&v, Overlap::Same);
        assert_eq!(bytes(&found), bytes(&plain), "{}", device.name());
    }
}
