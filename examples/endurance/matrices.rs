//! Factorizations of matrices large enough for a vendor's library, in all dtypes and shapes, and of ones it finds hard:
//! what they promise is computed on the device and compared.

use ndany::linalg::{EigenHermitian, Qr, Svd, Triangle};
use ndany::{Array, DType, Generator, eye, zeros};

use crate::Setting;
use crate::support::{Outcome, failure};

/// Roundings that a promise may be off by, for each row or column.
const ROUNDINGS: f64 = 8.0;

/// The worst promise so far.
struct Checks {
    roundoff: f64,
    count: usize,
    worst: f64,
}

impl Checks {
    /// Is the difference small beside the size of `whole`?
    fn near(&mut self, words: &str, made: &Array, whole: &Array) -> Outcome {
        let extent = whole.shape().iter().copied().max().unwrap_or(1) as f64;
        let largest = |x: Array| x.absolute().max(..).astype(DType::F64).item::<f64>();
        let size = largest(whole.clone())?.max(f64::MIN_POSITIVE);
        let off = largest(made - whole)?;
        let share = off / (size * self.roundoff * extent * ROUNDINGS);
        self.count += 1;
        self.worst = self.worst.max(share);
        // A NaN is no number to be below.
        if share.is_nan() || share > 1.0 {
            let shape = whole.shape();
            return Err(failure(format!("{words} of {shape:?} {}: off by {off:e}", whole.dtype())));
        }
        Ok(())
    }

    /// Are the columns orthogonal and of length 1?
    fn orthonormal(&mut self, words: &str, columns: &Array) -> Outcome {
        let n = columns.shape()[columns.ndim() - 1];
        let product = adjoint(columns).matmul(columns);
        self.near(
            words,
            &product,
            &(eye(n, n, 0, columns.dtype()) + zeros(product.shape(), columns.dtype())),
        )
    }
}

fn adjoint(matrix: &Array) -> Array {
    matrix.conjugate().swapaxes(-1, -2)
}

fn random(shape: &[usize], dtype: DType) -> Array {
    let mut generator = Generator::new(shape.iter().sum::<usize>() as u64);
    let part = dtype.part();
    let real = generator.dtype(part).standard_normal(shape);
    if !dtype.is_complex() {
        return real;
    }
    let imaginary = generator.dtype(part).standard_normal(shape);
    (real + imaginary * num_complex::Complex64::I).astype(dtype)
}

/// Factors, and puts together again.
pub fn run(setting: &Setting) -> Outcome<String> {
    let extents = setting.size([(300, 200), (200, 300), (260, 260)], [(20, 12), (12, 20), (9, 9)]);
    let (mut count, mut worst) = (0, 0.0f64);
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let roundoff =
            if dtype.part() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let mut checks = Checks { roundoff, count: 0, worst: 0.0 };
        for (m, n) in extents {
            rectangular(&mut checks, &random(&[2, m, n], dtype))?;
        }
        let n = extents[2].0;
        square(&mut checks, &random(&[2, n, n], dtype))?;
        // One that is all zeros, one of rank 1, and sizes at which squares overflow.
        rectangular(&mut checks, &zeros((n, n), dtype))?;
        let column = random(&[n, 1], dtype);
        rectangular(&mut checks, &column.matmul(adjoint(&column)))?;
        let large = if dtype.part() == DType::F32 { 1e30 } else { 1e290 };
        rectangular(&mut checks, &(random(&[n, n], dtype) * large))?;
        refused(n, dtype)?;
        count += checks.count;
        worst = worst.max(checks.worst);
    }
    Ok(format!("{count} promises kept, the worst by {worst:.2} of what is allowed"))
}

fn rectangular(checks: &mut Checks, a: &Array) -> Outcome {
    let Svd { u, s, vh } = a.svd();
    let s = s.expand_dims(-2);
    checks.near("u s vh", &(&u * &s).matmul(&vh), a)?;
    checks.orthonormal("u", &u)?;
    checks.orthonormal("v", &adjoint(&vh))?;
    checks.near("singular values", &a.svdvals().expand_dims(-2), &s)?;
    let full = a.svd_full();
    checks.orthonormal("all of u", &full.u)?;
    checks.orthonormal("all of v", &adjoint(&full.vh))?;
    for Qr { q, r } in [a.qr(), a.qr_complete()] {
        checks.near("q r", &q.matmul(&r), a)?;
        checks.near("r below its diagonal", &r.triu(0), &r)?;
        checks.orthonormal("q", &q)?;
    }
    let lu = a.lu();
    let order = lu.order.expand_dims(-1).broadcast_to(a.shape());
    checks.near("l u", &lu.l.matmul(&lu.u), &a.take_along_axis(&order, -2))
}

fn square(checks: &mut Checks, a: &Array) -> Outcome {
    let n = a.shape()[a.ndim() - 1];
    // Far from singular, so that little is lost.
    let whole = a + eye(n, n, 0, a.dtype()) * (4.0 * (n as f64).sqrt());
    let b = a.i((.., .., ..3));
    checks.near("a x", &whole.matmul(whole.solve(&b)), &b.copy())?;
    let one = eye(n, n, 0, a.dtype()) + zeros(a.shape(), a.dtype());
    checks.near("a times its inverse", &whole.matmul(whole.inv()), &one)?;
    let hermitian = a + adjoint(a);
    let EigenHermitian { values, vectors } = hermitian.eigh(Triangle::Lower);
    checks.near("a v", &hermitian.matmul(&vectors), &(&vectors * values.expand_dims(-2)))?;
    checks.orthonormal("eigenvectors", &vectors)?;
    checks.near("eigenvalues", &hermitian.eigvalsh(Triangle::Upper), &values)?;
    let positive = a.matmul(adjoint(a)) + eye(n, n, 0, a.dtype()) * n as f64;
    let l = positive.cholesky();
    checks.near("l times its adjoint", &l.matmul(adjoint(&l)), &positive)?;
    checks.near("l above its diagonal", &l.tril(0), &l)
}

/// Matrices that have no answer are errors.
fn refused(n: usize, dtype: DType) -> Outcome {
    let zero = zeros((n, n), dtype);
    let spoiled = eye(n, n, 0, dtype) * f64::NAN;
    let expect = |words: &str, refused: bool| match refused {
        true => Ok(()),
        false => Err(failure(format!("{words} of {n} rows, {dtype}, is no error"))),
    };
    expect("the inverse of zero", zero.try_inv().is_err())?;
    expect("the Cholesky factor of zero", zero.try_cholesky().is_err())?;
    expect("the Cholesky factor of NaN", spoiled.try_cholesky().is_err())?;
    expect("singular values of NaN", spoiled.try_svd().is_err())?;
    expect("eigenvalues of NaN", spoiled.try_eigh(Triangle::Lower).is_err())
}
