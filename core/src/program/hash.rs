//! Hashing of instructions and programs: every launch does both, to find equal instructions and its kernel.
//!
//! A program is a few words, mixed by a rotation and a multiplication each, so there is no state to set up and
//! nothing to buffer. Deliberately absent: protection against chosen collisions; programs are not made by strangers, and
//! equality decides.

use std::hash::{Hash, Hasher};

use super::{Instr, Op, Program};

/// A hash of small numbers, of which the upper bits are good.
#[derive(Debug, Default)]
pub(super) struct Mix(u64);

impl Mix {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.add(u64::from_ne_bytes(*word)));
        rest.iter().for_each(|&byte| self.add(u64::from(byte)));
    }
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }
    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }
}

impl Hash for Instr {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (op, detail) = match self.op {
            Op::Load { input, part } => (0, u64::from(input) << 8 | u64::from(part)),
            Op::Scalar(number) => (1, u64::from(number)),
            Op::Const(bits) => (2, bits),
            Op::Index => (3, 0),
            Op::Argument(number) => (4, u64::from(number)),
            Op::Prim(prim) => (5, prim as u64),
            Op::Cast { from } => (6, from as u64),
            Op::Bitcast { from } => (7, from as u64),
            // Equal tables are equally long.
            Op::Table(table) => (8, table.words.len() as u64),
            Op::Call(formula) => (9, formula as u64),
            Op::CallOpen(formula) => (16, std::ptr::from_ref(formula).addr() as u64),
            Op::CallResult(result) => (17, u64::from(result)),
            Op::Reduced { reduction, part } => (10, u64::from(reduction) << 8 | u64::from(part)),
            Op::Running(part) => (15, u64::from(part)),
            Op::Loop(number) => (11, u64::from(number)),
            Op::LoopState(part) => (12, u64::from(part)),
            Op::Gather { input, part } => (13, u64::from(input) << 8 | u64::from(part)),
            Op::BoundsCheck { operand, axis } => (14, u64::from(operand) << 8 | u64::from(axis)),
        };
        let [a, b, c] = self.args.map(u64::from);
        state.write_u64(op << 56 | (self.ty as u64) << 48 | a << 32 | b << 16 | c);
        state.write_u64(detail);
    }
}

impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint());
    }
}

impl Program {
    /// Its hash, of which the upper bits are good. It is the same within a process.
    pub fn fingerprint(&self) -> u64 {
        // What Philox is among the instructions follows from them.
        let Program { inputs, scalars, instrs, loops, reductions, outputs, philox: _ } = self;
        let mut mix = Mix::default();
        instrs.iter().for_each(|instr| instr.hash(&mut mix));
        loops.iter().for_each(|own| own.hash(&mut mix));
        inputs.iter().for_each(|input| mix.add((input.dtype as u64) << 8 | input.domain as u64));
        scalars.iter().for_each(|ty| mix.add(*ty as u64));
        for output in outputs {
            let [real, imaginary] = output.parts.map(u64::from);
            mix.add(
                real << 32 | imaginary << 16 | (output.dtype as u64) << 8 | output.domain as u64,
            );
        }
        reductions.hash(&mut mix);
        mix.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Prim, RegType};

    /// The hash of something.
    fn mixed(value: &impl Hash) -> u64 {
        let mut mix = Mix::default();
        value.hash(&mut mix);
        mix.finish()
    }

    #[test]
    fn instructions_of_a_program_fill_the_upper_bits() {
        let mut buckets = [0; 64];
        for (position, prim) in (0u16..).zip(Prim::ALL) {
            for ty in [RegType::F32, RegType::F64, RegType::I64] {
                let instr = Instr { op: Op::Prim(prim), ty, args: [position, position + 1, 0] };
                buckets[(mixed(&instr) >> 58) as usize] += 1;
            }
        }
        assert!(buckets.iter().all(|&count| count <= 6), "{buckets:?}");
    }

    #[test]
    fn programs_differ_by_each_of_their_parts() {
        let load = Instr { op: Op::Load { input: 0, part: 0 }, ty: RegType::F32, args: [0; 3] };
        let program = |instrs: &[Instr], scalars: &[RegType]| Program {
            instrs: instrs.to_vec(),
            scalars: scalars.iter().copied().collect(),
            ..Program::default()
        };
        let all = [
            program(&[], &[]),
            program(&[load], &[]),
            program(&[load, load], &[]),
            program(&[load], &[RegType::F32]),
            program(&[load], &[RegType::F64]),
            program(&[Instr { ty: RegType::F64, ..load }], &[]),
        ];
        for (k, one) in all.iter().enumerate() {
            assert_eq!(mixed(one), mixed(&one.clone()));
            assert!(all[..k].iter().all(|other| mixed(other) != mixed(one)));
        }
    }
}
