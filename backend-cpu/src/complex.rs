//! Products, conjugates and lengths of packed complex numbers, in one loop over memory.
//!
//! Other operations of complex numbers run on registers of their parts. A product has ten steps that way, most of whose
//! time goes into writing and reading registers, and the others wait for memory while they take numbers apart; they are what
//! people write most. What is fused with them, broadcast or written over its own operand runs step by step.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::ops::Formula;
use ndany_core::program::{Domain, Op, Prim, Reg};
use ndany_core::shape::size_of;

use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::threads::Threads;
use crate::walk::{Lie, Walk};
use crate::worker::BLOCK;

/// A part of an input.
type Part = (u16, u8);

/// A map that is nothing but the product of two packed inputs, or the conjugate or the length of one.
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
