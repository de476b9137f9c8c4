//! Programs that make random values from words: one element of their space is a block of Philox, which
//! gives four values of 32 bits or two of 64.
//!
//! Every step is a primitive or a formula, so every device draws the same bits. Uniform numbers have as
//! many bits as the significand; what a logarithm is taken of has 32 (64), so that tails reach 6.6 (9.4)
//! standard deviations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use super::SLOT;
use super::philox_ir::{Floats, Scalars, Source, joined};
use ndany_core::DType;
use ndany_core::backend::Checked;
use ndany_core::float::Format;
use ndany_core::ops::Formula;
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::ops::signature;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, RegType, SsaValue};

/// A standard distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variate {
    /// From 0 up to, not including, 1.
    Uniform,
    /// Mean 1.
    Exponential,
    /// Mean 0, variance 1.
    Normal,
    /// The difference of two exponential variates.
    Laplace,
    /// The logarithm of the odds of a uniform variate.
    Logistic,
    /// Minus the logarithm of an exponential variate.
    Gumbel,
    /// The quotient of two normal variates.
    Cauchy,
    /// Every pattern of bits as likely.
    Bits,
    /// Whole numbers from 0 up to, not including, a bound, by multiplication (Lemire, "Fast random integer
    /// generation in an interval", 2019); says besides which were refused, for they would favour some.
    Below {
        /// 64 bits a value?
        wide: bool,
    },
    /// As `Below`, for the elements that were refused before.
    Again {
        /// 64 bits a value?
        wide: bool,
    },
}

/// What a program draws, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sampler {
    pub(super) variate: Variate,
    pub(super) dtype: DType,
    /// Times a scale, plus a location?
    pub(super) scaled: bool,
}

/// The scalars of every program, in this order; then a scale and a location, or a bound and a threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub(super) seed: u64,
    pub(super) stream: u32,
    pub(super) position: u64,
    pub(super) attempt: u32,
    /// Whether a recorded graph moves the position on.
    pub(super) recorded: bool,
}

impl Counter {
    /// How many scalars it takes.
    pub(super) const SCALARS: usize = 5;

    /// The slot that moves its first scalar on.
    pub(super) fn slot(&self) -> Option<usize> {
        self.recorded.then_some(SLOT)
    }

    /// As register bits.
    pub(super) fn scalars(&self) -> [u64; Self::SCALARS] {
        let (low, high) = (self.seed & 0xFFFF_FFFF, self.seed >> 32);
        [self.position, u64::from(self.stream), u64::from(self.attempt), low, high]
    }
}

impl Sampler {
    /// Bits a value is made from.
    pub(super) fn is_wide(&self) -> bool {
        match self.variate {
            Variate::Below { wide } | Variate::Again { wide } => wide,
            _ => self.dtype.size() == 8,
        }
    }

    /// Values of a block.
    pub(super) fn values_per_block(&self) -> usize {
        if self.is_wide() { 2 } else { 4 }
    }

    /// The program, written once.
    pub(super) fn program(&self) -> Arc<Checked<Program>> {
        type Programs = HashMap<Sampler, Arc<Checked<Program>>>;
        static PROGRAMS: Mutex<Option<Programs>> = Mutex::new(None);
        let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = programs.get_or_insert_default();
        let write = || match Checked::new(self.write()) {
            Ok(program) => Arc::new(program),
            Err(error) => unreachable!("{error}"),
        };
        programs.entry(*self).or_insert_with(write).clone()
    }

    fn write(&self) -> Program {
        let b = Builder::new();
        let mut program = Program::default();
        let mut scalars = Scalars::new(&b);
        let source = Source::new(&b, &mut scalars, || b.push(Op::Index, RegType::I64, [0; 3]));
        let mut scalar = |ty: RegType| scalars.next(ty);
        let words = source.words(0);
        let words: SmallVec<[SsaValue<'_>; 4]> = match self.is_wide() {
            true => joined(words).into_iter().collect(),
            false => words.into_iter().collect(),
        };
        // Parameters: floats in the type computed in, a bound in the type of the words, a lowest value in
        // the type of the result.
        let word = words[0].ty();
        let result = RegType::of(if self.dtype == DType::Bool { DType::U8 } else { self.dtype });
        let mut parts: SmallVec<[(SsaValue<'_>, DType); 8]> = SmallVec::new();
        match self.variate {
            Variate::Bits => {
                parts.extend(words.iter().map(|word| (word.cast(result), self.dtype)));
            }
            Variate::Below { .. } | Variate::Again { .. } => {
                let (bound, threshold, low) = (scalar(word), scalar(word), scalar(result));
                let again = matches!(self.variate, Variate::Again { .. });
                let mut refused: SmallVec<[(SsaValue<'_>, DType); 4]> = SmallVec::new();
                for (lane, &word) in words.iter().enumerate() {
                    let value = b.prim(Prim::MulHigh, &[word, bound]).cast(result) + low;
                    let value =
                        if self.dtype == DType::Bool { value.cast(RegType::Bool) } else { value };
                    let refuse = (word * bound).lt(threshold);
                    if again {
                        let load = |input: usize, ty| {
                            b.push(Op::Load { input: input as u16, part: 0 }, ty, [0; 3])
                        };
                        let (old, wanted) =
                            (load(lane, value.ty()), load(lane + words.len(), RegType::Bool));
                        parts.push((wanted.select(value, old), self.dtype));
                        refused.push((wanted & refuse, DType::Bool));
                    } else {
                        parts.push((value, self.dtype));
                        refused.push((refuse, DType::Bool));
                    }
                }
                parts.extend(refused);
                if again {
                    program.inputs = parts
                        .iter()
                        .map(|&(_, dtype)| Input { dtype, domain: Domain::Element })
                        .collect();
                }
            }
            Variate::Uniform
            | Variate::Exponential
            | Variate::Normal
            | Variate::Laplace
            | Variate::Logistic
            | Variate::Gumbel
            | Variate::Cauchy => {
                let float = RegType::of(self.dtype);
                let values = self.floats(&b, &words, float);
                let place = self.scaled.then(|| (scalar(float), scalar(float)));
                parts.extend(values.into_iter().map(|value| {
                    let value = match place {
                        Some((scale, location)) => value * scale + location,
                        None => value,
                    };
                    (value, self.dtype)
                }));
            }
        }
        program.outputs = parts
            .into_iter()
            .map(|(value, dtype)| {
                let own = if value.ty() == RegType::F32 { DType::F32 } else { DType::F64 };
                let value = match value.ty().is_float() {
                    true => signature::cast(LoweredValue::Real(value), own, dtype).real(),
                    false => value,
                };
                Output { dtype, parts: [value.reg(); 2], domain: Domain::Element }
            })
            .collect();
        program.scalars = scalars.types;
        program.philox = source.known();
        b.move_to(&mut program);
        program
    }

    /// Standard variates from words.
    fn floats<'b>(
        &self,
        b: &'b Builder,
        words: &[SsaValue<'b>],
        float: RegType,
    ) -> SmallVec<[SsaValue<'b>; 4]> {
        let width = words[0].ty().size() as i32 * 8;
        let floats = Floats { builder: b, ty: float };
        let number = |value: f64| floats.number(value);
        let log = |x| floats.log(x);
        let open = |word: SsaValue<'b>| floats.unit(word);
        // A magnitude in (0, 1) and a sign, from one word.
        let signed = |word: SsaValue<'b>, f: &dyn Fn(SsaValue<'b>) -> SsaValue<'b>| {
            let (x, odd) = floats.unit_and_flag(word);
            let size = f(x);
            odd.select(-size, size)
        };
        let each =
            |f: &dyn Fn(SsaValue<'b>) -> SsaValue<'b>| words.iter().map(|&word| f(word)).collect();
        match self.variate {
            Variate::Uniform => {
                let format = Format::of(self.dtype).or(Format::of(DType::F64));
                let bits = format.map_or(0, |format| format.fraction as i32 + 1);
                let scale = number(2f64.powi(-bits));
                each(&|word| (word >> (width - bits) as usize).cast(float) * scale)
            }
            Variate::Exponential => each(&|word| -log(open(word))),
            Variate::Normal => {
                words.chunks_exact(2).flat_map(|pair| floats.normals(pair[0], pair[1])).collect()
            }
            Variate::Laplace => each(&|word| signed(word, &|x| -log(x))),
            Variate::Logistic => each(&|word| {
                signed(word, &|x| {
                    let half = x * number(0.5);
                    b.formula(Formula::Log1p, &[-half]) - log(half)
                })
            }),
            // The long tail is where the exponential variate is small, which is where x is fine.
            Variate::Gumbel => each(&|word| -log(-b.formula(Formula::Log1p, &[-open(word)]))),
            Variate::Cauchy => each(&|word| {
                signed(word, &|x| {
                    let angle = x * number(std::f64::consts::FRAC_PI_2);
                    b.formula(Formula::Cos, &[angle]) / b.formula(Formula::Sin, &[angle])
                })
            }),
            Variate::Bits | Variate::Below { .. } | Variate::Again { .. } => {
                unreachable!("no floats")
            }
        }
    }
}
