//! Products, quotients, conjugates and lengths of packed complex numbers, in one loop over memory.
//!
//! Other operations of complex numbers run on registers of their parts. A product has ten steps that way and a quotient
//! three times as many, most of whose time goes into writing and reading registers, and the others wait for memory while
//! they take numbers apart; they are what people write most. What is fused with them, broadcast or written over its own
//! operand runs step by step.

use std::sync::OnceLock;

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::ops::Formula;
use ndany_core::ops::derived::complex;
use ndany_core::program::{Builder, Domain, Instr, Op, Prim, Program, Reg, Ty, Words};
use ndany_core::shape::size_of;

use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::threads::Threads;
use crate::walk::{Lie, Walk};
use crate::worker::BLOCK;

/// A part of an input.
type Part = (u16, u8);

/// A map that is nothing but the product or the quotient of two packed inputs, or the conjugate or the length of one.
pub(crate) struct Pairs {
    out: Walk,
    inputs: [Walk; 2],
    size: usize,
    run: LoopFn,
}

impl Pairs {
    /// What this map is of that, if anything.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Option<Self> {
        let place = launch.outputs.first()?;
        let part = place.dtype.part().size();
        let (inputs, lie, run) = if let Some(factors) = factors(launch) {
            (factors, Lie::Halves, level.complex_product(part))
        } else if let Some(terms) = terms(launch.program) {
            (terms, Lie::Halves, level.complex_quotient(part))
        } else if let Some(input) = conjugate(launch) {
            ([input; 2], Lie::Halves, level.conjugate(part))
        } else {
            ([length(launch)?; 2], Lie::Packed, level.length(part))
        };
        let apart =
            |input: u16| address(launch.inputs[usize::from(input)].memory) != address(place.memory);
        let walk = |input: u16| Walk::new(&launch.inputs[usize::from(input)], &launch.shape, 0);
        let (out, walks) = (Walk::new(place, &launch.shape, 0), inputs.map(walk));
        let packed = out.lie == lie && walks.iter().all(|walk| walk.lie == Lie::Halves);
        (packed && inputs.into_iter().all(apart)).then(|| Self {
            out,
            inputs: walks,
            size: size_of(&launch.shape),
            run,
        })
    }

    /// Runs it.
    pub(crate) fn run(&self, threads: &Threads) -> Result<()> {
        threads.split(self.size, BLOCK, self.size, |begin, end| {
            let [x, y] = [0, 1].map(|k| self.inputs[k].at(begin).cast_const());
            // SAFETY: the inputs are packed and hold `size` complex numbers, the output as many or as many lengths; core
            // lets nobody else use the output, which is another memory than the inputs'.
            unsafe { (self.run)(self.out.at(begin), [x, y, std::ptr::null()], end - begin) };
            Ok(())
        })
    }
}

/// The input whose conjugate is the only output.
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

/// The input whose length is the only output.
fn length(launch: &Launch<'_>) -> Option<u16> {
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

/// The inputs whose product is the only output.
fn factors(launch: &Launch<'_>) -> Option<[u16; 2]> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let &[re, im] = output.parts.as_slice() else { return None };
    let parts = |reg: Reg, prim: Prim| {
        let instr = program.instrs[usize::from(reg)];
        (instr.op == Op::Prim(prim)).then_some([instr.args[0], instr.args[1]])
    };
    // The two parts that are multiplied, in order.
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

/// The inputs whose quotient is the only output, the dividend first.
fn terms(program: &Program) -> Option<[u16; 2]> {
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

/// What the quotient of two inputs is made of.
struct Quotient {
    instrs: Vec<Instr>,
    parts: [Reg; 2],
}

impl Quotient {
    /// That of numbers with parts of this type.
    fn of(ty: Ty) -> Option<&'static Self> {
        static KNOWN: [OnceLock<Quotient>; 2] = [const { OnceLock::new() }; 2];
        let known = match ty {
            Ty::F32 => &KNOWN[0],
            Ty::F64 => &KNOWN[1],
            _ => return None,
        };
        Some(known.get_or_init(|| {
            let builder = Builder::new();
            let load = |input, part| builder.push(Op::Load { input, part }, ty, [0; 3]);
            let [x, y] = [0, 1].map(|input| (load(input, 0), load(input, 1)));
            let (re, im) = match ty {
                Ty::F32 => complex::div(&Words::<32>(&builder), x, y),
                _ => complex::div(&Words::<64>(&builder), x, y),
            };
            let parts = [re.reg(), im.reg()];
            Self { instrs: builder.into_instrs(), parts }
        }))
    }

    /// Is a register of a program made as one here is? Says which inputs stand for those of the quotient.
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
                let mut args = known.args().iter().zip(instr.args());
                op == same && args.all(|(&known, &reg)| self.is(known, program, reg, inputs))
            }
        }
    }
}
