//! The exponential of a sparse array by Padé's approximants and squarings (Al-Mohy & Higham 2009).

use ndany_array::{DType, Error, Result};

use super::inv::{identity, solve_sparse};
use super::{Norm, norm, number, run, splu};
use crate::Sparse;
use crate::array::Format;

/// An approximant: its order, the largest root of the norm of a power for which its backward error is 2⁻⁵³, the reciprocal of the
/// first coefficient of this error (theorem 3.1 and table 2.3 of the paper), and the coefficients of the numerator.
struct Approximant {
    order: u32,
    theta: f64,
    reciprocal: f64,
    coefficients: &'static [f64],
}

const APPROXIMANTS: [Approximant; 5] = [
    Approximant {
        order: 3,
        theta: 1.495_585_217_958_292e-2,
        reciprocal: 100_800.0,
        coefficients: &[120.0, 60.0, 12.0, 1.0],
    },
    Approximant {
        order: 5,
        theta: 2.539_398_330_063_23e-1,
        reciprocal: 10_059_033_600.0,
        coefficients: &[30_240.0, 15_120.0, 3_360.0, 420.0, 30.0, 1.0],
    },
    Approximant {
        order: 7,
        theta: 9.504_178_996_162_932e-1,
        reciprocal: 4_487_938_430_976_000.0,
        coefficients: &[
            17_297_280.0,
            8_648_640.0,
            1_995_840.0,
            277_200.0,
            25_200.0,
            1_512.0,
            56.0,
            1.0,
        ],
    },
    Approximant {
        order: 9,
        theta: 2.097_847_961_257_068,
        reciprocal: 5.914_384_781_877_412e21,
        coefficients: &[
            17_643_225_600.0,
            8_821_612_800.0,
            2_075_673_600.0,
            302_702_400.0,
            30_270_240.0,
            2_162_160.0,
            110_880.0,
            3_960.0,
            90.0,
            1.0,
        ],
    },
    Approximant {
        order: 13,
        theta: 4.25,
        reciprocal: 1.132_507_756_060_211_2e35,
        coefficients: &[
            64_764_752_532_480_000.0,
            32_382_376_266_240_000.0,
            7_771_770_303_897_600.0,
            1_187_353_796_428_800.0,
            129_060_195_264_000.0,
            10_559_470_521_600.0,
            670_442_572_800.0,
            33_522_128_640.0,
            1_323_241_920.0,
            40_840_800.0,
            960_960.0,
            16_380.0,
            182.0,
            1.0,
        ],
    },
];

/// Returns the exponential of an array, as `scipy.sparse.linalg.expm`.
///
/// Powers and squarings are products of sparse arrays on the device, and the denominator is factorized on the host, as by [`splu`].
/// Mostly the exponential is full: for its product with a vector, [`expm_multiply`](fn@super::expm_multiply) is better. All is computed
/// in 64 bits.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: floats and complex numbers; integers become float64.
/// - **Errors**: an array that is not square, without elements, or with a norm whose eighth power is not finite.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[0.0, 2.0], [0.0, 0.0]]), ..);
/// assert_eq!(sparse::linalg::expm(&a)?.to_dense().to_string(), "[[1. 2.]\n [0. 1.]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn expm(a: &Sparse) -> Result<Sparse> {
    const OP: &str = "expm";
    let shape @ [m, n] = a.shape();
    if m != n || n == 0 {
        let expected = "a square array with elements".to_string();
        return Err(Error::Shape { op: OP, expected, got: shape[..].into() });
    }
    let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
    let own = a.astype(DType::promote(dtype, DType::F64)).to_csr();
    let size = number(&norm(&own, Norm::One))?;
    if !size.is_finite() {
        let reason = format!("expected a finite norm, got {size}");
        return Err(Error::ArgumentValue { op: OP.to_string(), reason });
    }
    // Even powers: the identity, A², A⁴ and A⁶, and A⁸ where it is needed.
    let mut powers = vec![identity(&own), product(&own, &own)];
    powers.push(product(&powers[1], &powers[1]));
    powers.push(product(&powers[2], &powers[1]));
    let root = |power: &Sparse, degree: f64| -> Result<f64> {
        match number(&norm(power, Norm::One))? {
            found if found.is_finite() => Ok(libm::pow(found, 1.0 / degree)),
            _ => {
                let reason = format!("expected a norm whose powers are finite, got {size}");
                Err(Error::ArgumentValue { op: OP.to_string(), reason })
            }
        }
    };
    let [fourth, sixth] = [root(&powers[2], 4.0)?, root(&powers[3], 6.0)?];
    let sizes = own.abs();
    let [three, five, seven, nine, thirteen] = &APPROXIMANTS;
    let mut reach = fourth.max(sixth);
    let mut chosen = None;
    for approximant in [three, five, seven, nine] {
        if approximant.order == 7 {
            powers.push(product(&powers[2], &powers[2]));
            reach = sixth.max(root(&powers[4], 8.0)?);
        }
        if reach < approximant.theta && approximant.halvings(&sizes, 0.0)? == 0.0 {
            chosen = Some((approximant, 0.0));
            break;
        }
    }
    let (approximant, halvings) = match chosen {
        Some(chosen) => chosen,
        None => {
            let halvings = libm::ceil(libm::log2(reach / thirteen.theta)).max(0.0);
            (thirteen, halvings + thirteen.halvings(&sizes, halvings)?)
        }
    };
    let mut x = approximant.at(&own, &powers, halvings)?;
    for _ in 0..halvings as usize {
        x = product(&x, &x);
    }
    let x = if a.format() == Format::Csr { x.to_csr() } else { x.to_csc() };
    Ok(x.astype(dtype))
}

/// The product of two square arrays. Of filled ones it is dense in between: a sparse one would list more products than there are
/// elements.
#[track_caller]
fn product(a: &Sparse, b: &Sparse) -> Sparse {
    let n = a.shape()[0];
    match a.nnz().saturating_mul(b.nnz()) / n > n.saturating_mul(n) {
        true => crate::csr_array(a.matmul(b.to_dense()), ..),
        false => a.matmul(b),
    }
}

impl Approximant {
    /// Halvings of an array of absolute values, beside these, after which the backward error is 2⁻⁵³ whatever the signs are.
    #[track_caller]
    fn halvings(&self, sizes: &Sparse, before: f64) -> Result<f64> {
        // The logarithm of the 1-norm of a power: products with ones, whose largest element is taken out each time.
        let degree = 2 * self.order + 1;
        let _guard = sizes.device().enter();
        let mut sums = ndany_array::ones(sizes.shape()[0], sizes.dtype());
        let (mut first, mut all) = (0.0, 0.0);
        for step in 0..degree {
            sums = sizes.rmatmul(&sums);
            let largest = number(&sums.max(..))?;
            if largest == 0.0 {
                return Ok(0.0);
            }
            sums /= largest;
            run(&[&sums])?;
            all += libm::log2(largest) - before;
            if step == 0 {
                first = all;
            }
        }
        let excess = all - first - libm::log2(self.reciprocal) + 53.0;
        Ok(libm::ceil(excess / f64::from(2 * self.order)).max(0.0))
    }

    /// The approximant at an array that is halved so many times.
    #[track_caller]
    fn at(&self, a: &Sparse, powers: &[Sparse], halvings: f64) -> Result<Sparse> {
        // Coefficients of the powers of the array itself.
        let scaled: Vec<f64> = self
            .coefficients
            .iter()
            .enumerate()
            .map(|(degree, c)| c * libm::exp2(-halvings * degree as f64))
            .collect();
        let sum = |terms: &[(usize, usize)]| {
            let term = |&(power, degree): &(usize, usize)| &powers[power] * scaled[degree];
            terms[1..].iter().fold(term(&terms[0]), |sum, next| &sum + &term(next))
        };
        // Odd and even terms; of order 13 the highest ones are products with A⁶.
        let [odd, even] = [1, 0].map(|parity| {
            let highest = if self.order == 13 { 6 } else { self.order as usize };
            let low: Vec<_> = (0..=highest / 2)
                .map(|half| (half, 2 * half + parity))
                .filter(|term| term.1 < scaled.len())
                .collect();
            let low = sum(&low);
            match self.order {
                13 => {
                    let high: Vec<_> = (1..=3).map(|half| (half, 6 + 2 * half + parity)).collect();
                    &product(&powers[3], &sum(&high)) + &low
                }
                _ => low,
            }
        });
        let odd = product(a, &odd);
        let lu = splu(&(&even - &odd))?;
        solve_sparse(&lu, &(&even + &odd), Format::Csr)
    }
}
