//! Complex numbers in kernels: the bits that operations of arrays have, on every device.

use ndany::kernel::Init;
use ndany::kernel::simt::*;
use ndany::{Array, Complex32, Complex64, DType, Device, Element, Scalar, zeros};

use crate::Results;

/// The bits of all numbers, in 64 bits a part. A NaN is one, whatever its bits are: those are a device's own.
fn bytes(array: &Array) -> Vec<u8> {
    let values: Vec<Complex64> = array.astype(DType::C128).to_vec().expect("values");
    let parts = values.into_iter().flat_map(|value| [value.re, value.im]);
    let bits = parts.map(|part| if part.is_nan() { f64::NAN } else { part }.to_bits());
    bits.flat_map(u64::to_le_bytes).collect()
}

/// Rows of `z`: the operators, a variable in a loop, a branch.
#[kernel]
fn arithmetic<T: Arithmetic>(a: T, x: &[T], y: &[T], z: &mut Matrix<T>) {
    let i = global_x();
    if i < x.len() {
        z[(0, i)] = x[i] + y[i] * a;
        z[(1, i)] = x[i] - y[i];
        z[(2, i)] = x[i] * y[i];
        z[(3, i)] = x[i] / y[i];
        z[(4, i)] = -x[i];
        let mut sum = T::zero();
        let mut k = 0u32;
        while k < 3 {
            sum += x[i] * y[i];
            k += 1;
        }
        z[(5, i)] = if x[i] == y[i] { sum } else { sum + 1 };
    }
}

macro_rules! of_parts {
    ($name:ident, $complex:ty, $part:ty) => {
        /// What is of complex numbers alone, with shared memory and exchanges.
        #[kernel]
        fn $name(
            x: &[$complex],
            re: &mut [$part],
            im: &mut [$part],
            modulus: &mut [$part],
            conjugate: &mut [$complex],
            turned: &mut [$complex],
        ) {
            let (i, t) = (global_x(), thread_x());
            let mut tile = shared::<$complex>(64);
            tile[t] = x[i];
            barrier();
            re[i] = x[i].re();
            im[i] = x[i].im();
            modulus[i] = x[i].abs();
            conjugate[i] = x[i].conj();
            let other = exchange_xor(tile[63 - t], 1);
            turned[i] = (t < 20).select((complex(x[i].im(), 1.5), other));
        }
    };
}
of_parts!(parts32, Complex32, f32);
of_parts!(parts64, Complex64, f64);

#[kernel]
fn swapped(x: &Matrix<Complex64>, y: &mut Tensor<Complex64, 3>) {
    let (i, j) = (global_y(), global_x());
    y[(0, j, i)] = x[(i, j)];
    y[(1, j, i)] = complex(x[(i, j)].im(), x[(i, j)].re());
}

const COUNT: usize = 128;

/// Numbers of all kinds, in pairs.
fn numbers(dtype: DType, seed: usize) -> Array {
    let special = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, 3e-39];
    let number = |k: usize| match k % 5 {
        0 => special[k / 5 % special.len()],
        _ => ((k * 7919 + seed * 31) % 2003) as f64 / 64.0 - 15.0,
    };
    let values: Vec<Complex64> =
        (0..COUNT).map(|k| Complex64::new(number(k + seed), number(3 * k + 2 * seed))).collect();
    Array::from_vec(values, COUNT).astype(dtype)
}

fn of_type<T: Element + Arithmetic>(device: &Device, a: T) -> (Array, [Array; 2]) {
    let operands = [1, 4].map(|seed| numbers(T::DTYPE, seed));
    let [x, y] = &operands;
    let output = ([6, COUNT], Init::Zeros);
    let made = arithmetic::<T>().launch(device, 4, 32, (a, x, y, output)).expect("a launch");
    (made[0].clone(), operands)
}

/// What the kernels make on a device.
pub fn results(device: &Device, made: &mut Results) {
    let a = Complex64::new(0.5, -2.0);
    made.push(("complex 64", bytes(&of_type(device, Complex32::new(0.5, -2.0)).0)));
    made.push(("complex 128", bytes(&of_type(device, a).0)));
    made.push(("arithmetic of floats", {
        let x = numbers(DType::C64, 2).real();
        let arguments = (0.5f32, &x, &x, ([6, COUNT], Init::Zeros));
        let z = arithmetic::<f32>().launch(device, 4, 32, arguments).expect("a launch");
        bytes(&z[0])
    }));
    for array in parts(device, DType::C64).into_iter().chain(parts(device, DType::C128)) {
        made.push(("parts", bytes(&array)));
    }
    let x = numbers(DType::C128, 3).reshape((8, 16));
    let made_of = swapped().launch(device, (2, 2), (8, 4), (&x, ([2, 16, 8], Init::Zeros)));
    made.push(("swapped", bytes(&made_of.expect("a launch")[0])));
}

fn parts(device: &Device, dtype: DType) -> Vec<Array> {
    let x = numbers(dtype, 5);
    let new = || ([COUNT], Init::Zeros);
    let arguments = (&x, new(), new(), new(), new(), new());
    let kernel = if dtype == DType::C64 { parts32() } else { parts64() };
    kernel.launch(device, 2, 64, arguments).expect("a launch")
}

/// The results are those of operations of arrays, to the bit.
#[test]
fn complex_numbers_are_those_of_arrays() {
    fn check<T: Element + Arithmetic>(device: &Device, a: T)
    where
        Scalar: From<T>,
    {
        let (z, [x, y]) = of_type(device, a);
        let a = Array::from_vec(vec![a], 1);
        // As the kernel does it, step by step: arrays that are computed do not fuse.
        let done = |array: Array| {
            array.eval().expect("a device");
            array
        };
        let product = done(&x * &y);
        let twice = done(&product + zeros(COUNT, T::DTYPE));
        let sum = done(done(&twice + &product) + &product);
        let wanted = [
            &x + done(&y * &a),
            &x - &y,
            product,
            &x / &y,
            -&x,
            ndany::where_(x.equal(&y), &sum, &sum + 1),
        ];
        for (row, wanted) in wanted.iter().enumerate() {
            let (got, expected) = (bytes(&z.i((row, ..))), bytes(wanted));
            for (k, (got, expected)) in got.chunks(16).zip(expected.chunks(16)).enumerate() {
                assert_eq!(got, expected, "{device}: row {row} at {k} of {x} and {y}");
            }
        }
    }
    for device in crate::devices().into_iter().chain([crate::reference()]) {
        let _guard = device.enter();
        check(&device, Complex32::new(0.5, -2.0));
        check(&device, Complex64::new(0.5, -2.0));
        for dtype in [DType::C64, DType::C128] {
            let x = numbers(dtype, 5);
            let made = parts(&device, dtype);
            let wanted = [x.real(), x.imag(), x.abs(), x.conj()];
            for (got, wanted) in made.iter().zip(&wanted) {
                assert_eq!(got.dtype(), wanted.dtype());
                assert_eq!(bytes(got), bytes(wanted), "{device}: {wanted}");
            }
            let [x, turned] = [&x, &made[4]].map(|array| array.to_vec_of(dtype));
            for i in 0..COUNT {
                let (block, t) = (i / 64 * 64, i % 64);
                let wanted = match t {
                    0..20 => Complex64::new(x[i].im, 1.5),
                    _ => x[block + 63 - (t ^ 1)],
                };
                let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
                let got = turned[i];
                assert!(same(got.re, wanted.re) && same(got.im, wanted.im), "{i}: {got} {wanted}");
            }
        }
    }
}

/// The values of a complex array.
trait ToVecOf {
    fn to_vec_of(&self, dtype: DType) -> Vec<Complex64>;
}

impl ToVecOf for Array {
    fn to_vec_of(&self, dtype: DType) -> Vec<Complex64> {
        assert_eq!(self.dtype(), dtype);
        self.astype(DType::C128).to_vec().expect("values")
    }
}

#[kernel]
fn beyond(x: &[Complex64], y: &mut [Complex64]) {
    y[global_x()] = x[global_x() + 1];
}

#[test]
fn positions_of_complex_elements_are_told_as_they_are() {
    for device in crate::devices().into_iter().chain([crate::reference()]) {
        let _guard = device.enter();
        let x = numbers(DType::C128, 1);
        let mut y = zeros(COUNT, DType::C128);
        let launched = beyond().launch(&device, 1, COUNT as u32, (&x, &mut y)).map(|_| ());
        let error =
            launched.and_then(|()| y.to_vec::<Complex64>().map(|_| ())).expect_err("beyond");
        let text = error.to_string();
        assert!(text.contains("index 128 of x is out of bounds for 128"), "{device}: {text}");
        let real = zeros(COUNT, DType::F64);
        let error = beyond().launch(&device, 1, 1, (&real, &mut zeros(1, DType::C128)));
        let text = error.expect_err("another dtype").to_string();
        assert!(text.contains("dtype of x: expected complex128, got float64"), "{text}");
    }
}
