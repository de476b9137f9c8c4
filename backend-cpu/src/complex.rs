//! Products of packed complex numbers, in one loop over memory.
//!
//! Other operations of complex numbers run on registers of their parts. A product has ten steps that way, most of whose
//! time goes into writing and reading registers; it is the one operation of many steps that people write most. What is
//! fused with it, broadcast or written over its own operand runs step by step.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Op, Prim, Reg};
use ndany_core::shape::size_of;

use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::threads::Threads;
use crate::walk::{Lie, Walk};
use crate::worker::BLOCK;

/// A part of an input.
type Part = (u16, u8);

/// A map that is nothing but the product of two packed inputs.
pub(crate) struct Product {
    out: Walk,
    factors: [Walk; 2],
    size: usize,
    multiply: LoopFn,
}

impl Product {
    /// The product that this map is, if it is one.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Option<Self> {
        let factors = factors(launch)?;
        let place = launch.outputs.first()?;
        let apart =
            |input: u16| address(launch.inputs[usize::from(input)].memory) != address(place.memory);
        let out = Walk::new(place, &launch.shape, 0);
        let inputs =
            factors.map(|input| Walk::new(&launch.inputs[usize::from(input)], &launch.shape, 0));
        let packed = [&out, &inputs[0], &inputs[1]].iter().all(|walk| walk.lie == Lie::Halves);
        (packed && factors.into_iter().all(apart)).then(|| Self {
            out,
            factors: inputs,
            size: size_of(&launch.shape),
            multiply: level.complex_product(place.dtype.part().size()),
        })
    }

    /// Runs it.
    pub(crate) fn run(&self, threads: &Threads) -> Result<()> {
        threads.split(self.size, BLOCK, self.size * 8, |begin, end| {
            let [x, y] = [0, 1].map(|k| self.factors[k].at(begin).cast_const());
            // SAFETY: all three are packed and hold `size` complex numbers; core lets nobody else use the output, which
            // is another memory than the factors'.
            unsafe { (self.multiply)(self.out.at(begin), [x, y, std::ptr::null()], end - begin) };
            Ok(())
        })
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
