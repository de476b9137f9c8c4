//! Products, quotients, conjugates and absolute values of packed complex numbers, in one loop over memory.
//!
//! Other operations on complex numbers run on registers of real and imaginary parts. A product takes ten
//! instructions that way and a quotient thirty, and most of the time goes into writing and reading registers;
//! conjugates and absolute values spend it on deinterleaving. These four are the most common complex
//! operations. A map that fuses them with others, broadcasts, or writes over its own operand runs instruction
//! by instruction.

use std::sync::OnceLock;

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::formulas::complex;
use ndany_core::ops::Formula;
use ndany_core::program::{Builder, Domain, Instr, Op, Prim, Program, Reg, RegType, Words};
use ndany_core::shape::size_of;

use crate::interpreter::BLOCK;
use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::strided_cursor::{Contiguity, StridedCursor};
use crate::threads::Threads;

/// An input and its part (0 is real, 1 is imaginary).
type Part = (u16, u8);

/// The operations with a loop of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComplexOp {
    Product,
    Quotient,
    Conjugate,
    Abs,
}

/// A map that is exactly one product or quotient of two packed inputs, or one conjugate or absolute value of
/// a packed input.
pub(crate) struct PackedComplex {
    pub(crate) op: ComplexOp,
    out: StridedCursor,
    inputs: [StridedCursor; 2],
    size: usize,
    run: LoopFn,
}

impl PackedComplex {
    /// Recognizes such a map.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Option<Self> {
        let place = launch.outputs.first()?;
        let part = place.dtype.part().size();
        let (op, inputs, run) = if let Some(operands) = product_operands(launch) {
            (ComplexOp::Product, operands, level.complex_product(part))
        } else if let Some(operands) = quotient_operands(&launch.program) {
            (ComplexOp::Quotient, operands, level.complex_quotient(part))
        } else if let Some(input) = conjugate(launch) {
            (ComplexOp::Conjugate, [input; 2], level.conjugate(part))
        } else {
            (ComplexOp::Abs, [modulus(launch)?; 2], level.complex_abs(part))
        };
        let contiguity = match op {
            ComplexOp::Product | ComplexOp::Quotient | ComplexOp::Conjugate => {
                Contiguity::Interleaved
            }
            ComplexOp::Abs => Contiguity::Packed,
        };
        let apart =
            |input: u16| address(launch.inputs[usize::from(input)].memory) != address(place.memory);
        let cursor =
            |input: u16| StridedCursor::new(&launch.inputs[usize::from(input)], &launch.shape, 0);
        let (out, cursors) = (StridedCursor::new(place, &launch.shape, 0), inputs.map(cursor));
        let packed = out.contiguity == contiguity
            && cursors.iter().all(|cursor| cursor.contiguity == Contiguity::Interleaved);
        (packed && inputs.into_iter().all(apart)).then(|| Self {
            op,
            out,
            inputs: cursors,
            size: size_of(&launch.shape),
            run,
        })
    }

    /// Runs the map.
    pub(crate) fn run(&self, threads: &Threads) -> Result<()> {
        threads.split(self.size, BLOCK, self.size, |begin, end| {
            let [x, y] = [0, 1].map(|k| self.inputs[k].at(begin).cast_const());
            // SAFETY: the inputs are packed and hold `size` complex numbers; the output holds `size` complex
            // numbers or `size` absolute values. Core gives no other code access to the output, whose memory
            // is none of the inputs'.
            unsafe { (self.run)(self.out.at(begin), [x, y, std::ptr::null()], end - begin) };
            Ok(())
        })
    }
}

/// The input, if the only output is its conjugate.
fn conjugate(launch: &Launch<'_>) -> Option<u16> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let [re, im] = [0, 1].map(|part| program.instrs[usize::from(output.parts[part])]);
    let negated = program.instrs[usize::from(im.args[0])].op;
    match (re.op, im.op, negated) {
        (Op::Load { input, part: 0 }, Op::Prim(Prim::Neg), Op::Load { input: same, part: 1 })
            if input == same && output.dtype.is_complex() =>
        {
            Some(input)
        }
        _ => None,
    }
}

/// The input, if the only output is its absolute value.
fn modulus(launch: &Launch<'_>) -> Option<u16> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let instr = program.instrs[usize::from(output.parts[0])];
    let load = |reg: Reg| program.instrs[usize::from(reg)].op;
    match (instr.op, load(instr.args[0]), load(instr.args[1])) {
        (
            Op::Call(Formula::Hypot),
            Op::Load { input, part: 0 },
            Op::Load { input: same, part: 1 },
        ) if input == same && !output.dtype.is_complex() => Some(input),
        _ => None,
    }
}

/// The inputs, if the only output is their product.
fn product_operands(launch: &Launch<'_>) -> Option<[u16; 2]> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let &[re, im] = output.parts.as_slice() else { return None };
    let parts = |reg: Reg, prim: Prim| {
        let instr = program.instrs[usize::from(reg)];
        (instr.op == Op::Prim(prim)).then_some([instr.args[0], instr.args[1]])
    };
    // The two loads that are multiplied, sorted.
    let product = |reg: Reg| -> Option<[Part; 2]> {
        let [x, y] = parts(reg, Prim::Mul)?;
        let load = |reg: Reg| match program.instrs[usize::from(reg)].op {
            Op::Load { input, part } => Some((input, part)),
            _ => None,
        };
        let mut product = [load(x)?, load(y)?];
        product.sort_unstable();
        Some(product)
    };
    let (difference, sum) = (parts(re, Prim::Sub)?, parts(im, Prim::Add)?);
    let [(x, 0), (y, 0)] = product(difference[0])? else { return None };
    let mixed = [[(x, 0), (y, 1)], [(x, 1), (y, 0)]].map(|mut product| {
        product.sort_unstable();
        product
    });
    let cross = [product(sum[0])?, product(sum[1])?];
    let known = product(difference[1])? == [(x, 1), (y, 1)]
        && (cross == mixed || cross == [mixed[1], mixed[0]]);
    (known && output.domain == Domain::Element && program.reductions.is_empty()).then_some([x, y])
}

/// The inputs, if the only output is their quotient; the dividend comes first.
fn quotient_operands(program: &Program) -> Option<[u16; 2]> {
    let [output] = program.outputs.as_slice() else { return None };
    let &[re, im] = output.parts.as_slice() else { return None };
    let quotient = Quotient::of(program.instrs[usize::from(re)].ty)?;
    let mut inputs = [None; 2];
    let known = quotient.is(quotient.parts[0], program, re, &mut inputs)
        && quotient.is(quotient.parts[1], program, im, &mut inputs);
    let alone = output.domain == Domain::Element && program.reductions.is_empty();
    match inputs {
        [Some(x), Some(y)] if known && alone => Some([x, y]),
        _ => None,
    }
}

/// The instructions of a quotient of two inputs.
struct Quotient {
    instrs: Vec<Instr>,
    parts: [Reg; 2],
}

impl Quotient {
    /// The quotient of numbers with parts of this type.
    fn of(ty: RegType) -> Option<&'static Self> {
        static KNOWN: [OnceLock<Quotient>; 2] = [const { OnceLock::new() }; 2];
        let known = match ty {
            RegType::F32 => &KNOWN[0],
            RegType::F64 => &KNOWN[1],
            _ => return None,
        };
        Some(known.get_or_init(|| {
            let builder = Builder::new();
            let load = |input, part| builder.push(Op::Load { input, part }, ty, [0; 3]);
            let [x, y] = [0, 1].map(|input| (load(input, 0), load(input, 1)));
            let (re, im) = match ty {
                RegType::F32 => complex::div(&Words::<32>(&builder), x, y),
                _ => complex::div(&Words::<64>(&builder), x, y),
            };
            let parts = [re.reg(), im.reg()];
            Self { instrs: builder.into_parts().0, parts }
        }))
    }

    /// Whether a register of a program is computed as `known` is here. Records which inputs take the place of
    /// the quotient's.
    fn is(&self, known: Reg, program: &Program, reg: Reg, inputs: &mut [Option<u16>; 2]) -> bool {
        let (known, instr) = (&self.instrs[usize::from(known)], &program.instrs[usize::from(reg)]);
        if known.ty != instr.ty {
            return false;
        }
        match (known.op, instr.op) {
            (Op::Load { input, part }, Op::Load { input: found, part: same }) => {
                part == same && *inputs[usize::from(input)].get_or_insert(found) == found
            }
            (op, same) => {
                let mut args = known.args(&[]).iter().zip(program.args(reg));
                op == same && args.all(|(&known, &reg)| self.is(known, program, reg, inputs))
            }
        }
    }
}
