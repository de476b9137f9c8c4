//! What programs that draw have in common: words from counters, and floats from words.

use std::cell::RefCell;

use super::philox;
use super::samplers::Counter;
use ndany_core::formulas::normal::normal_pair;
use ndany_core::ops::Formula;
use ndany_core::program::{Builder, Op, Philox, Prim, RegType, SsaValue, Words};
use smallvec::SmallVec;

/// The scalars of a program, in the order in which they are asked for.
pub(super) struct Scalars<'b> {
    builder: &'b Builder,
    pub(super) types: SmallVec<[RegType; 4]>,
}

impl<'b> Scalars<'b> {
    pub(super) fn new(builder: &'b Builder) -> Self {
        Self { builder, types: SmallVec::new() }
    }

    pub(super) fn next(&mut self, ty: RegType) -> SsaValue<'b> {
        self.types.push(ty);
        self.builder.push(Op::Scalar(self.types.len() as u16 - 1), ty, [0; 3])
    }
}

/// Where the words of an element come from: [`Counter::scalars`], and the element's own place.
pub(super) struct Source<'b> {
    builder: &'b Builder,
    block: SsaValue<'b>,
    stream: SsaValue<'b>,
    attempt: SsaValue<'b>,
    key: [SsaValue<'b>; 2],
    known: RefCell<SmallVec<[Philox; 1]>>,
}

impl<'b> Source<'b> {
    /// The source of the block that `place` (I64) counts from the draw's position on.
    pub(super) fn new(
        builder: &'b Builder,
        scalars: &mut Scalars<'b>,
        place: impl FnOnce() -> SsaValue<'b>,
    ) -> Self {
        let position = scalars.next(RegType::U64);
        let [stream, attempt, low, high] =
            [(); Counter::SCALARS - 1].map(|()| scalars.next(RegType::U32));
        let block = place().cast(RegType::U64) + position;
        Self { builder, block, stream, attempt, key: [low, high], known: RefCell::default() }
    }

    /// The four words of an attempt, counted from the launch's own.
    pub(super) fn words(&self, later: u32) -> [SsaValue<'b>; 4] {
        let attempt = match later {
            0 => self.attempt,
            later => self.attempt + self.builder.int(RegType::U32, i64::from(later)),
        };
        let (low, high) = (self.block.cast(RegType::U32), (self.block >> 32).cast(RegType::U32));
        let counter = [low, high, self.stream, attempt];
        let words = philox::in_program(self.builder, counter, self.key);
        let [c0, c1, c2, c3] = counter.map(SsaValue::reg);
        let [k0, k1] = self.key.map(SsaValue::reg);
        let known = Philox { sources: [c0, c1, c2, c3, k0, k1], words: words.map(SsaValue::reg) };
        self.known.borrow_mut().push(known);
        words
    }

    /// Where the words given out stand in the program.
    pub(super) fn known(self) -> SmallVec<[Philox; 1]> {
        self.known.into_inner()
    }
}

/// Words joined in pairs, the first being the low half.
pub(super) fn joined(words: [SsaValue<'_>; 4]) -> [SsaValue<'_>; 2] {
    let [w0, w1, w2, w3] = words;
    [(w0, w1), (w2, w3)].map(|(low, high)| low.cast(RegType::U64) | (high.cast(RegType::U64) << 32))
}

/// Arithmetic of one float format.
#[derive(Clone, Copy)]
pub(super) struct Floats<'b> {
    pub(super) builder: &'b Builder,
    pub(super) ty: RegType,
}

impl<'b> Floats<'b> {
    pub(super) fn number(self, value: f64) -> SsaValue<'b> {
        self.builder.float(self.ty, value)
    }
    pub(super) fn log(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Log, &[x])
    }
    pub(super) fn log1p(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Log1p, &[x])
    }
    pub(super) fn exp(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Exp, &[x])
    }
    pub(super) fn expm1(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Expm1, &[x])
    }
    pub(super) fn sin(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Sin, &[x])
    }
    pub(super) fn cos(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.formula(Formula::Cos, &[x])
    }
    pub(super) fn sqrt(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.prim(Prim::Sqrt, &[x])
    }
    pub(super) fn floor(self, x: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.prim(Prim::Floor, &[x])
    }
    /// The smaller; NaN wins.
    pub(super) fn min(self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.prim(Prim::Min, &[x, y])
    }
    /// The larger; NaN wins.
    pub(super) fn max(self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.prim(Prim::Max, &[x, y])
    }
    /// `condition ? slow : common`, where a device may skip what only `slow` needs.
    pub(super) fn slow_path(
        self,
        condition: SsaValue<'b>,
        slow: SsaValue<'b>,
        common: SsaValue<'b>,
    ) -> SsaValue<'b> {
        self.builder.prim(Prim::SelectSlowPath, &[condition, slow, common])
    }

    /// The lowest `bits` of a word as a number in (0, 1): the smallest are as fine as the word allows, and
    /// rounding up to 1 is cut off.
    pub(super) fn open(self, word: SsaValue<'b>, bits: i32) -> SsaValue<'b> {
        let x = (word.cast(self.ty) + self.number(0.5)) * self.number(2f64.powi(-bits));
        self.min(x, self.number(self.below_one()))
    }

    /// The number before 1.
    fn below_one(self) -> f64 {
        match self.ty {
            RegType::F32 => 1.0 - 2f64.powi(-24),
            _ => 1.0 - 2f64.powi(-53),
        }
    }

    /// A whole word as a number in (0, 1).
    pub(super) fn unit(self, word: SsaValue<'b>) -> SsaValue<'b> {
        self.open(word, word.ty().size() as i32 * 8)
    }

    /// Two normal variates of two words.
    pub(super) fn normals(self, unit: SsaValue<'b>, turn: SsaValue<'b>) -> [SsaValue<'b>; 2] {
        let most = self.below_one() * 2f64.powi(unit.ty().size() as i32 * 8);
        let unit = self.min(unit.cast(self.ty) + self.number(0.5), self.number(most));
        let rest = |signed| (turn << 2).cast(signed).cast(self.ty);
        match self.ty {
            RegType::F32 => normal_pair(&Words::<32>(self.builder), unit, turn, rest(RegType::I32)),
            _ => normal_pair(&Words::<64>(self.builder), unit, turn, rest(RegType::I64)),
        }
    }

    /// A number in (0, 1) of all bits but the last, which is the boolean.
    pub(super) fn unit_and_flag(self, word: SsaValue<'b>) -> (SsaValue<'b>, SsaValue<'b>) {
        let bits = word.ty().size() as i32 * 8 - 1;
        (self.open(word >> 1, bits), (word & word.one()).equals(word.one()))
    }
}
