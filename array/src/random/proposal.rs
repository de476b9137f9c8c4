//! Programs that propose values and say which of them are refused: one element of their space takes a block of Philox
//! an attempt (two for gamma variates of 64 bits), so that the k-th attempt of an element is the same wherever and
//! whenever it is made.
//!
//! The first program makes one attempt for every element. What it refused goes through the second, which is given the
//! elements' places and makes two. How they follow each other is `rejection`'s business.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use super::philox_ir::{Floats, Scalars, Source, joined};
use super::{angle, counts, gamma, tails};
use crate::array::products::accumulator;
use ndany_core::DType;
use ndany_core::backend::Checked;
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::ops::signature;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, RegType, SsaValue};

/// Attempts that the second program makes.
const AGAIN: u32 = 2;

/// What counts a program can draw, as far as it is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Means {
    /// Of means below [`counts::LARGE`].
    Small,
    /// Of means from there on.
    Large,
    /// Of both.
    Any,
}

impl Means {
    /// Where this is the mean of all.
    pub(super) fn of(mean: f64) -> Self {
        if mean >= counts::LARGE { Means::Large } else { Means::Small }
    }
}

/// A distribution whose values are proposed. Parameters in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Method {
    /// Of a shape; of scale 1.
    Gamma {
        /// Its logarithm instead?
        logarithm: bool,
    },
    /// Of a concentration; about 0.
    VonMises,
    /// Of a mean.
    Poisson(Means),
    /// Of a number of trials and a probability.
    Binomial(Means),
    /// Of how many are good, how many are bad, and how many are drawn.
    Hypergeometric(Means),
    /// Of a probability.
    Logarithmic,
    /// Of an exponent.
    Zipf,
    /// Whole numbers from the second parameter on, as many as the first says; 0 says 2⁶⁴.
    Below,
}

/// A value, and whether it is taken; `None` where it always is.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'b> {
    pub(super) value: SsaValue<'b>,
    pub(super) accepted: Option<SsaValue<'b>>,
}

/// What proposes from the words of an attempt.
type Proposals<'b> = Box<dyn Fn(&[SsaValue<'b>]) -> Candidate<'b> + 'b>;

/// What a program proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Proposal {
    pub(super) method: Method,
    /// Of the values.
    pub(super) dtype: DType,
    /// Which parameters are arrays: bit 0 for the first.
    pub(super) arrays: u8,
    /// For elements that were refused before: their places (I64) are the first input.
    pub(super) again: bool,
}

impl Method {
    fn parameters(self) -> usize {
        match self {
            Method::Gamma { .. } | Method::VonMises | Method::Poisson(_) => 1,
            Method::Logarithmic | Method::Zipf => 1,
            Method::Binomial(_) | Method::Below => 2,
            Method::Hypergeometric(_) => 3,
        }
    }

    /// The dtype of its parameters, and of what it computes in.
    pub(super) fn computes_in(self, dtype: DType) -> DType {
        match self {
            Method::Gamma { .. } => accumulator(dtype),
            Method::Below => DType::U64,
            Method::VonMises
            | Method::Poisson(_)
            | Method::Binomial(_)
            | Method::Hypergeometric(_)
            | Method::Logarithmic
            | Method::Zipf => DType::F64,
        }
    }

    /// Proposals, each from as many words as an attempt has.
    fn proposals<'b>(self, builder: &'b Builder, parameters: &[SsaValue<'b>]) -> Proposals<'b> {
        let floats = Floats { builder, ty: parameters[0].ty() };
        match (self, parameters) {
            (Method::Gamma { logarithm }, &[shape]) => {
                Box::new(gamma::proposals(floats, shape, logarithm))
            }
            (Method::VonMises, &[concentration]) => {
                Box::new(angle::proposals(floats, concentration))
            }
            (Method::Poisson(means), &[mean]) => Box::new(counts::poisson(floats, means, mean)),
            (Method::Binomial(means), &[trials, probability]) => {
                Box::new(counts::binomial(floats, means, trials, probability))
            }
            (Method::Hypergeometric(means), &[good, bad, sample]) => {
                Box::new(counts::hypergeometric(floats, means, [good, bad, sample]))
            }
            (Method::Logarithmic, &[probability]) => {
                Box::new(tails::logarithmic(floats, probability))
            }
            (Method::Zipf, &[exponent]) => Box::new(tails::zipf(floats, exponent)),
            (Method::Below, &[count, low]) => Box::new(below(builder, count, low)),
            _ => unreachable!("{self:?} of {} parameters", parameters.len()),
        }
    }
}

/// Whole numbers by multiplication (Lemire, 2019), each proposal from two words, which are tried one after the other.
fn below<'b>(
    builder: &'b Builder,
    count: SsaValue<'b>,
    low: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let zero = count.zero();
    let every = count.equals(zero);
    let threshold = (zero - count) % count;
    move |words| {
        let found = [words[0], words[1]].map(|word| {
            let value = builder.prim(Prim::MulHigh, &[word, count]);
            (every.select(word, value), threshold.le(word * count))
        });
        let [(first, accepted), (second, other)] = found;
        Candidate { value: accepted.select(first, second) + low, accepted: Some(accepted | other) }
    }
}

impl Proposal {
    /// Attempts that its program makes.
    pub(super) fn tries(&self) -> u32 {
        if self.again { AGAIN } else { 1 }
    }

    /// Attempts of Philox that one of its own takes.
    pub(super) fn blocks(&self) -> u32 {
        match self.method {
            Method::Gamma { .. } if accumulator(self.dtype) == DType::F64 => 2,
            _ => 1,
        }
    }

    /// Whether this parameter is an array.
    pub(super) fn is_array(&self, parameter: usize) -> bool {
        self.arrays >> parameter & 1 == 1
    }

    /// The program, written once.
    pub(super) fn program(&self) -> Arc<Checked<Program>> {
        type Programs = HashMap<Proposal, Arc<Checked<Program>>>;
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
        let mut inputs: SmallVec<[Input; 4]> = SmallVec::new();
        let mut load = |dtype: DType| {
            inputs.push(Input { dtype, domain: Domain::Element });
            b.push(Op::Load { input: inputs.len() as u16 - 1, part: 0 }, RegType::of(dtype), [0; 3])
        };
        let mut scalars = Scalars::new(&b);
        let source = Source::new(&b, &mut scalars, || match self.again {
            true => load(DType::I64),
            false => b.push(Op::Index, RegType::I64, [0; 3]),
        });
        let own = self.method.computes_in(self.dtype);
        let parameters: SmallVec<[SsaValue<'_>; 3]> = (0..self.method.parameters())
            .map(|parameter| match self.is_array(parameter) {
                true => load(own),
                false => scalars.next(RegType::of(own)),
            })
            .collect();
        let propose = self.method.proposals(&b, &parameters);
        let attempt = |number: u32| {
            let first = number * self.blocks();
            let words = (first..first + self.blocks()).map(|later| source.words(later));
            let words: SmallVec<[SsaValue<'_>; 4]> = match own.size() {
                8 => words.flat_map(joined).collect(),
                _ => words.flatten().collect(),
            };
            propose(&words)
        };
        let Candidate { mut value, mut accepted } = attempt(0);
        for number in 1..self.tries() {
            let next = attempt(number);
            if let (Some(before), Some(now)) = (accepted, next.accepted) {
                value = before.select(value, next.value);
                accepted = Some(before | now);
            }
        }
        let value = match own {
            DType::U64 => value.cast(RegType::of(self.dtype)),
            _ => signature::cast(LoweredValue::Real(value), own, self.dtype).real(),
        };
        let output = |term: SsaValue<'_>, dtype| Output {
            dtype,
            parts: [term.reg(); 2],
            domain: Domain::Element,
        };
        let mut outputs: SmallVec<[Output; 2]> = SmallVec::new();
        outputs.push(output(value, self.dtype));
        outputs.extend(accepted.map(|accepted| output(!accepted, DType::Bool)));
        let mut program = Program { inputs, scalars: scalars.types, outputs, ..Program::default() };
        program.philox = source.known();
        b.move_to(&mut program);
        program
    }
}
