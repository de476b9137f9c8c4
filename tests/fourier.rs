//! Fourier transforms of long rows, and of lengths that devices go about in different ways, against the reference.

use ndany::fft::Norm;
use ndany::{Array, DType, Device, Generator, along, fft, s};
use num_complex::Complex64;

/// Devices that transform by different means.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu cpu:threads=1 cpu:threads=3").split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

/// The greatest difference between the results of two devices, in parts of the row's length as a vector.
fn apart(made: &Array, expected: &Array, given: &Array) -> f64 {
    assert_eq!((made.shape(), made.dtype()), (expected.shape(), expected.dtype()));
    let wide = |array: &Array| match array.dtype().is_complex() {
        true => array.astype(DType::C128),
        false => array.astype(DType::F64),
    };
    let reference = expected.device();
    let made = wide(&made.to_device(reference).expect("a copy"));
    let item = |array: Array| array.item::<f64>().expect("a number");
    let size = item(wide(given).abs().square().sum(..).sqrt());
    item((made - wide(expected)).abs().max(..)) / size
}

fn compare(lengths: &[usize], rows: usize, dtypes: [DType; 2]) {
    let reference = Device::open("reference").expect("the reference");
    let [real, complex] = dtypes;
    let precision = if real == DType::F32 { 6e-8 } else { 1.2e-16 };
    for device in devices() {
        for &n in lengths {
            let _guard = reference.enter();
            let mut rng = Generator::new(n as u64);
            let x = rng.normal(0.0, 1.0, (rows, n)).astype(real);
            let z = &x + rng.normal(0.0, 1.0, (rows, n)).astype(real) * Complex64::I;
            let half = z.i((.., ..n / 2 + 1)).copy();
            type Call = fn(&Array, usize) -> Array;
            let calls: [(&str, &Array, Call); 4] = [
                ("fft", &z, |z, _| fft::fft(z, ..)),
                ("ifft", &z, |z, _| fft::ifft(z, along(1).norm(Norm::Ortho))),
                ("rfft", &x, |x, _| fft::rfft(x, along(1).norm(Norm::Ortho))),
                ("irfft", &half, |half, n| fft::irfft(half, along(1).n(n).norm(Norm::Ortho))),
            ];
            for (name, given, call) in calls {
                let expected = call(given, n);
                let _guard = device.enter();
                let made = call(&given.to_device(&device).expect("a copy"), n);
                let bound = 8.0 * precision * (2.0 + (n as f64).log2());
                let apart = apart(&made, &expected, given);
                assert!(
                    apart < bound,
                    "{name} of {n} {complex} on {device:?}: {apart:e} > {bound:e}"
                );
            }
        }
    }
}

/// In shared memory as a whole, as a matrix, as a chirp, as a chirp that is a matrix.
const LENGTHS: [usize; 9] = [1, 2, 30, 31, 4096, 4099, 5000, 8192, 12289];

#[test]
fn lengths_in_singles() {
    compare(&LENGTHS, 3, [DType::F32, DType::C64]);
}

#[test]
fn lengths_in_doubles() {
    compare(&LENGTHS, 3, [DType::F64, DType::C128]);
}

#[test]
fn many_rows() {
    compare(&[4, 6, 17, 64, 256, 1000], 100, [DType::F32, DType::C64]);
}

/// Rows that lie side by side, or in pieces, are those that a copy has one after the other: to the last bit.
#[test]
fn rows_lie_anyhow() {
    fn bits(array: &Array) -> Vec<u64> {
        let parts = [array.real(), array.imag()].map(|part| part.copy());
        let words = parts.iter().flat_map(|part| {
            part.astype(DType::F64).to_vec::<f64>().expect("computes").into_iter().map(f64::to_bits)
        });
        words.collect()
    }
    type Call = fn(&Array, isize) -> Array;
    let calls: [(&str, Call); 4] = [
        ("fft", |x, axis| fft::fft(x, along(axis))),
        ("ifft", |x, axis| fft::ifft(&(x * Complex64::I), along(axis))),
        ("rfft", |x, axis| fft::rfft(x, along(axis))),
        ("irfft", |x, axis| fft::irfft(x, along(axis).norm(Norm::Ortho))),
    ];
    for device in devices() {
        let _guard = device.enter();
        // Fewer rows than a line of the cache holds, a few lines of them, and more than are brought at a time.
        for shape in
            [[2, 8, 3], [3, 5, 1], [1, 64, 70], [5, 100, 33], [2, 2, 600], [7, 3, 4], [1, 9000, 11]]
        {
            for dtype in [DType::F32, DType::F64] {
                let x = Generator::new(1).normal(0.0, 1.0, shape.as_slice()).astype(dtype);
                let lies = [x.clone(), x.transpose(..), x.moveaxis(0, 1), x.i(s![.., ..;-1, ..])];
                for (axis, (way, x)) in
                    (0..3).flat_map(|axis| lies.iter().enumerate().map(move |of| (axis, of)))
                {
                    for (name, call) in &calls {
                        if *name == "irfft" && x.shape()[axis as usize] < 2 {
                            continue;
                        }
                        let made = call(x, axis);
                        let expected = call(&x.moveaxis(axis, -1).copy(), -1).moveaxis(-1, axis);
                        assert_eq!(made.shape(), expected.shape());
                        let same = bits(&made) == bits(&expected);
                        assert!(
                            same,
                            "{name} along {axis} of {shape:?} {dtype}, {way}, on {device:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "takes a minute: rows that are matrices of matrices"]
fn three_factors() {
    let length = 1 << 23;
    let cpu = Device::open("cpu").expect("the CPU");
    let z = {
        let _guard = cpu.enter();
        let mut rng = Generator::new(7);
        rng.normal(0.0, 1.0, length) + rng.normal(0.0, 1.0, length) * Complex64::I
    };
    for device in devices() {
        let there = z.to_device(&device).expect("a copy");
        let made = fft::fft(&there, along(0).norm(Norm::Ortho)).to_device(&cpu).expect("a copy");
        let apart = (made - fft::fft(&z, along(0).norm(Norm::Ortho))).abs().max(..).item::<f64>();
        assert!(apart.expect("a number") < 1e-13, "{device:?}");
    }
}
