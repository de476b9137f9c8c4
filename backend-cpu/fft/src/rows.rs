//! The transform of one row by a plan, with the same names in two precisions.

/// The kind of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Complex, with negative exponents.
    Forward,
    /// Complex, with positive exponents.
    Backward,
    /// Real to the first half of the spectrum.
    RealToHalf,
    /// The first half of the spectrum to real; the second half follows from symmetry.
    HalfToReal,
}

/// Whether a length has small prime factors only, so that no step is a convolution.
fn is_smooth(length: usize) -> bool {
    let mut rest = length.max(1);
    for prime in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31] {
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    rest == 1
}

/// Memory for `count` values, or the number of bytes that could not be allocated.
fn reserved<T>(count: usize) -> Result<Vec<T>, usize> {
    let mut values = Vec::new();
    match values.try_reserve_exact(count) {
        // Otherwise the compiler removes an allocation that is not used.
        Ok(()) => Ok(std::hint::black_box(values)),
        Err(_) => Err(count.saturating_mul(size_of::<T>())),
    }
}

/// `count` copies of a value.
fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>, usize> {
    let mut values = reserved(count)?;
    values.resize(count, value);
    Ok(values)
}

macro_rules! precision {
    ($(#[$doc:meta])+ $name:ident $real:ident) => {
        $(#[$doc])+
        pub mod $name {
            use std::sync::Arc;

            use num_complex::Complex;
            use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
            use rustfft::{Fft, FftDirection, FftPlanner};

            use super::{Kind, filled, is_smooth, reserved};
            use crate::cache;
            use crate::real::$name as real;

            /// A real number.
            pub type Real = $real;

            #[derive(Clone)]
            enum Plan {
                Complex(Arc<dyn Fft<Real>>),
                /// For an even length: pairs as complex numbers, and the roots that split their transform.
                PairsToHalf(Arc<dyn Fft<Real>>, Arc<[Complex<Real>]>),
                ToHalf(Arc<dyn RealToComplex<Real>>),
                ToReal(Arc<dyn ComplexToReal<Real>>),
            }

            /// A plan with the buffers of one thread.
            pub struct RowTransform {
                plan: Plan,
                scratch: Vec<Complex<Real>>,
                reals: Vec<Real>,
                half_spectrum: Vec<Complex<Real>>,
            }

            fn plan(kind: Kind, length: usize) -> Result<Plan, usize> {
                // Twiddle factors take about the row's own size; Bluestein's algorithm takes four times that,
                // at most eight.
                let bytes = 4 * length * size_of::<Complex<Real>>() + 1024;
                let key = (size_of::<Real>(), kind, length);
                let made = cache::try_plan::<Plan, usize>(key, bytes, || {
                    // A convolution's plan is for a longer row, plus two rows of that length. The planners
                    // allocate their tables by themselves and abort the process if there is no memory. They
                    // accept no buffers, so this is only a bound: another thread may take the memory that is
                    // found here.
                    drop(reserved::<u8>(if is_smooth(length) { bytes } else { 4 * bytes })?);
                    // Planners keep everything that they made, so none outlives its plan.
                    let complex = |length, direction| FftPlanner::new().plan_fft(length, direction);
                    Ok(match kind {
                        Kind::Forward => Plan::Complex(complex(length, FftDirection::Forward)),
                        Kind::Backward => Plan::Complex(complex(length, FftDirection::Inverse)),
                        Kind::RealToHalf if length % 2 == 0 => {
                            let pairs = complex(length / 2, FftDirection::Forward);
                            Plan::PairsToHalf(pairs, real::roots(length).into())
                        }
                        Kind::RealToHalf => Plan::ToHalf(RealFftPlanner::new().plan_fft_forward(length)),
                        Kind::HalfToReal => Plan::ToReal(RealFftPlanner::new().plan_fft_inverse(length)),
                    })
                })?;
                Ok(Plan::clone(&made))
            }

            impl RowTransform {
                /// For rows of this length, which is not 0.
                ///
                /// # Errors
                /// The number of bytes that could not be allocated.
                pub fn new(kind: Kind, length: usize) -> Result<Self, usize> {
                    let plan = plan(kind, length)?;
                    let (scratch, reals, half_spectrum) = match &plan {
                        Plan::Complex(fft) => (fft.get_immutable_scratch_len(), 0, 0),
                        Plan::PairsToHalf(fft, _) => (fft.get_immutable_scratch_len(), 0, length / 2),
                        Plan::ToHalf(fft) => (fft.get_scratch_len(), length, 0),
                        Plan::ToReal(fft) => (fft.get_scratch_len(), 0, length / 2 + 1),
                    };
                    let zero = Complex::new(0.0, 0.0);
                    Ok(Self {
                        plan,
                        scratch: filled(zero, scratch)?,
                        reals: filled(0.0, reals)?,
                        half_spectrum: filled(zero, half_spectrum)?,
                    })
                }

                /// Transforms a row of complex numbers.
                pub fn complex(&mut self, from: &[Complex<Real>], to: &mut [Complex<Real>], scale: Real) {
                    let Plan::Complex(fft) = &self.plan else { unreachable!("a plan for complex rows") };
                    fft.process_immutable_with_scratch(from, to, &mut self.scratch);
                    if scale != 1.0 {
                        to.iter_mut().for_each(|value| *value *= scale);
                    }
                }

                /// Transforms a row of real numbers.
                pub fn to_half(&mut self, from: &[Real], to: &mut [Complex<Real>], scale: Real) {
                    match &self.plan {
                        Plan::PairsToHalf(fft, roots) => {
                            let (pairs, made) = (real::pairs(from), &mut self.half_spectrum);
                            fft.process_immutable_with_scratch(pairs, made, &mut self.scratch);
                            real::part(made, to, roots);
                        }
                        Plan::ToHalf(fft) => {
                            // The library overwrites its input.
                            self.reals.copy_from_slice(from);
                            if fft.process_with_scratch(&mut self.reals, to, &mut self.scratch).is_err() {
                                unreachable!("rows are of the plan's length");
                            }
                        }
                        Plan::Complex(_) | Plan::ToReal(_) => unreachable!("a plan for real rows"),
                    }
                    if scale != 1.0 {
                        to.iter_mut().for_each(|value| *value *= scale);
                    }
                }

                /// Transforms half a spectrum to real numbers. Imaginary parts that are zero in the spectrum
                /// of a real row are ignored.
                pub fn to_real(&mut self, from: &[Complex<Real>], to: &mut [Real], scale: Real) {
                    let Plan::ToReal(fft) = &self.plan else { unreachable!("a plan to real rows") };
                    self.half_spectrum.copy_from_slice(from);
                    self.half_spectrum[0].im = 0.0;
                    if to.len() % 2 == 0
                        && let Some(last) = self.half_spectrum.last_mut()
                    {
                        last.im = 0.0;
                    }
                    if fft.process_with_scratch(&mut self.half_spectrum, to, &mut self.scratch).is_err() {
                        unreachable!("rows are of the plan's length");
                    }
                    if scale != 1.0 {
                        to.iter_mut().for_each(|value| *value *= scale);
                    }
                }
            }
        }
    };
}

precision! {
    /// Rows of 32-bit floats.
    f32s f32
}
precision! {
    /// Rows of 64-bit floats.
    f64s f64
}
