//! Fourier transforms of long rows, and of lengths that devices go about in different ways, against the reference.

use ndany::fft::{Norm, along};
use ndany::{Array, DType, Device, Generator};
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
    let size = item(wide(given).absolute().square().sum(..).sqrt());
    item((made - wide(expected)).absolute().max(..)) / size
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
                ("fft", &z, |z, _| z.fft(..)),
                ("ifft", &z, |z, _| z.ifft(along(1).norm(Norm::Ortho))),
                ("rfft", &x, |x, _| x.rfft(along(1).norm(Norm::Ortho))),
                ("irfft", &half, |half, n| half.irfft(along(1).length(n).norm(Norm::Ortho))),
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

/// Whole near a processor, as a matrix, as a chirp, as a chirp that is a matrix.
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
        let made = there.fft(along(0).norm(Norm::Ortho)).to_device(&cpu).expect("a copy");
        let apart = (made - z.fft(along(0).norm(Norm::Ortho))).absolute().max(..).item::<f64>();
        assert!(apart.expect("a number") < 1e-13, "{device:?}");
    }
}
