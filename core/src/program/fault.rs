//! Why elements have no result: one word a launch, in which backends note it.

use super::{Op, Program};
use crate::error::{Error, Result};

/// The axis of a position in C order over all axes.
pub const WHOLE: u8 = u8::MAX;

/// Bits of a position in a word.
const POSITION: u32 = 48;

/// Why an element has no result. Of several faults of a launch the one with the largest word counts, whatever the order in
/// which they are found; a word of 0 says that there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fault(u64);

impl Fault {
    /// No fault.
    pub const NONE: Fault = Fault(0);
    /// An integer to the power of a negative integer.
    pub const NEGATIVE_POWER: Fault = Fault(u64::MAX);

    /// The fault that a device has written; see [`Fault::word`].
    pub fn of_word(word: u64) -> Self {
        Fault(word)
    }

    /// The word of the fault.
    pub fn word(self) -> u64 {
        self.0
    }

    /// What the word of an [`Op::BoundsCheck`] is, but for the position: that is the complement of the low 48 bits, saturated.
    pub fn site(operand: u8, axis: u8) -> u64 {
        !((u64::from(operand) + 1) << 56 | u64::from(axis) << POSITION)
    }

    /// A position that is out of range.
    pub fn position(operand: u8, axis: u8, position: i64) -> Self {
        let most = (1i64 << (POSITION - 1)) - 1;
        let bits = position.clamp(-most - 1, most) as u64 & ((1 << POSITION) - 1);
        Fault(Self::site(operand, axis) ^ bits)
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// The one of both that counts.
    pub fn or(self, other: Fault) -> Fault {
        Fault(self.0.max(other.0))
    }

    /// The outcome of a launch of the program with these scalars.
    ///
    /// # Errors
    /// That of the fault.
    pub fn outcome(self, program: &Program, scalars: &[u64]) -> Result<()> {
        self.error(program, scalars).map_or(Ok(()), Err)
    }

    /// The error of a launch of the program with these scalars.
    pub fn error(self, program: &Program, scalars: &[u64]) -> Option<Error> {
        match self {
            Self::NONE => None,
            Self::NEGATIVE_POWER => Some(Error::NegativePower),
            Fault(_) => {
                let (operand, axis, position) = self.of_position()?;
                let (position, number) = (position as isize, operand as u8);
                let size = program.bound(number, axis, scalars).unwrap_or(0);
                let axis = (axis != WHOLE).then_some(usize::from(axis));
                Some(Error::Position { position, operand, axis, size })
            }
        }
    }

    /// The operand, the axis and the position, if it is one that is out of range.
    pub fn of_position(self) -> Option<(usize, u8, i64)> {
        if self == Self::NONE || self == Self::NEGATIVE_POWER {
            return None;
        }
        let [operand, axis, ..] = (!self.0).to_be_bytes();
        let unused = u64::BITS - POSITION;
        let position = (!self.0 << unused) as i64 >> unused;
        Some((usize::from(operand.wrapping_sub(1)), axis, position))
    }
}

impl Program {
    /// The bound of the checks of this operand and axis: a scalar of the launch.
    fn bound(&self, operand: u8, axis: u8, scalars: &[u64]) -> Option<usize> {
        let mut bound = None;
        self.each_size(&mut |op, size| {
            if op == (Op::BoundsCheck { operand, axis }) && bound.is_none() {
                let scalar = size.and_then(|scalar| scalars.get(usize::from(scalar)));
                bound = scalar.map(|&bits| bits as usize);
            }
        });
        bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Builder, RegType};

    #[test]
    fn words_keep_the_position_and_order_faults() {
        let error = |fault: Fault| fault.error(&Program::default(), &[]);
        assert!(error(Fault::NONE).is_none());
        for position in [0, 1, -1, 12_345_678_901, -(1 << 47), (1 << 47) - 1] {
            let fault = Fault::position(3, 1, position);
            let Some(Error::Position { position: told, operand: 3, axis: Some(1), .. }) =
                error(fault)
            else {
                panic!("{fault:?}")
            };
            assert_eq!(told as i64, position);
        }
        // Positions beyond 48 bits are the farthest that there are.
        assert_eq!(Fault::position(0, 0, i64::MAX), Fault::position(0, 0, (1 << 47) - 1));
        // Powers count before positions, earlier operands before later ones, axes in order, and lower positions first.
        let order = [
            Fault::NEGATIVE_POWER,
            Fault::position(0, 0, 7),
            Fault::position(0, 0, 8),
            Fault::position(0, 0, -8),
            Fault::position(0, 1, 7),
            Fault::position(0, WHOLE, 7),
            Fault::position(1, 0, 7),
            Fault::NONE,
        ];
        for pair in order.windows(2) {
            assert_eq!((pair[0].or(pair[1]), pair[1].or(pair[0])), (pair[0], pair[0]));
        }
    }

    #[test]
    fn bounds_are_found_in_loops_within_loops() {
        let b = Builder::new();
        let extent = b.push(Op::Scalar(1), RegType::I64, [0; 3]);
        let start = b.push(Op::Scalar(0), RegType::I64, [0; 3]);
        let check = Op::BoundsCheck { operand: 2, axis: 0 };
        let state = b.repeat_while(
            3,
            &[start],
            |state| state[0].lt(b.int(RegType::I64, 9)),
            |state| {
                let inner = b.repeat_while(
                    3,
                    &[state[0]],
                    |inner| inner[0].lt(b.int(RegType::I64, 9)),
                    |inner| {
                        let checked = [inner[0].reg(), extent.reg(), 0];
                        smallvec::SmallVec::from_slice(&[b.push(check, RegType::I64, checked)])
                    },
                );
                inner.unwrap_or_default()
            },
        );
        assert!(state.is_ok());
        let mut program = Program {
            scalars: smallvec::SmallVec::from_slice(&[RegType::I64; 2]),
            ..Program::default()
        };
        b.move_to(&mut program);
        assert!(program.fails());
        let error = Fault::position(2, 0, 30).error(&program, &[5, 10]);
        let text = "position 30 is out of bounds for axis 0 of operand 2 with size 10";
        assert_eq!(error.map(|error| error.to_string()), Some(text.to_string()));
    }
}
