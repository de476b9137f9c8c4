//! Sums of packed complex numbers. Real and imaginary parts alternate in the accumulators as they do in memory,
//! so nothing is deinterleaved first.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Combine, Op, Prim, Reg, RegType};

use crate::loops::{ACCUMULATORS, Level, LoopFn, Loops};
use crate::memory::{Address, Scratch, address};
use crate::strided_cursor::{Contiguity, StridedCursor};
use crate::threads::Threads;

/// A reduction that adds one row of packed complex numbers.
pub(crate) struct ComplexSum {
    /// Adds parts to parts.
    add: LoopFn,
    /// Bytes of a complex number.
    size: usize,
    /// The first number of the row.
    row: Address<u8>,
}

impl ComplexSum {
    /// Recognizes such a reduction.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Option<Self> {
        let program = launch.program;
        let ([input], [output], [real, imaginary]) =
            (&*launch.inputs, &*launch.outputs, program.reductions.as_slice())
        else {
            return None;
        };
        // A sum of -0.0 only is +0.0, as in NumPy, where sums start at +0.0.
        let (load, reduced) = (
            |part| (Op::Load { input: 0, part }, [0; 3]),
            |reduction| (Op::Reduced { reduction, part: 0 }, [0; 3]),
        );
        let plus = |args| (Op::Prim(Prim::Add), args);
        let zero = (Op::Const(0), [0; 3]);
        let steps =
            [load(0), load(1), reduced(0), reduced(1), zero, plus([2, 4, 0]), plus([3, 4, 0])];
        let one_row = launch.rows() == 1 && launch.shape.len() == launch.row_axes;
        let adds = [real, imaginary].into_iter().enumerate().all(|(part, reduction)| {
            reduction.combine == Combine::Prim(Prim::Add) && *reduction.lifted == [part as Reg]
        });
        let applies = program.instrs.iter().map(|instr| (instr.op, instr.args)).eq(steps)
            && program.outputs[0].parts == [5, 6]
            && one_row
            && adds
            && output.dtype.is_complex()
            && output.dtype == input.dtype;
        if !applies {
            return None;
        }
        let cursor = StridedCursor::new(input, &launch.shape, 0);
        (cursor.contiguity == Contiguity::Interleaved).then(|| Self {
            add: level.accumulate(Prim::Add, RegType::of(input.dtype)),
            size: input.dtype.size(),
            row: Address(cursor.at(0)),
        })
    }

    /// Runs the reduction.
    pub(crate) fn run(&self, launch: &Launch<'_>, threads: &Threads) -> Result<()> {
        let output = &launch.outputs[0];
        let mut count = launch.row_size();
        let mut row = Address(self.row.at(0));
        // The sums of a row's chunks form the next row.
        let mut sums: Vec<Scratch> = Vec::new();
        while sums.is_empty() || count > 1 {
            let chunks = count.div_ceil(CHUNK);
            let next = Scratch::new(chunks * self.size)?;
            let to = Address(next.address());
            threads.split(chunks, 1, 2 * count, |begin, end| {
                let accumulators = Scratch::new(ACCUMULATORS * self.size)?;
                for chunk in begin..end {
                    let (first, last) = (chunk * CHUNK, ((chunk + 1) * CHUNK).min(count));
                    // SAFETY: `Checked` places the row's numbers in the input's memory, and later rows lie in a
                    // scratch buffer; each chunk writes its own sum.
                    unsafe {
                        self.chunk(row.at(first * self.size), last - first, accumulators.address());
                        let place = to.at(chunk * self.size);
                        std::ptr::copy_nonoverlapping(accumulators.address(), place, self.size);
                    }
                }
                Ok(())
            })?;
            (row, count) = (to, chunks);
            sums.push(next);
        }
        let place = address(output.memory).wrapping_add(output.offset * self.size);
        // SAFETY: `Checked` places the one result there, and no other code uses it meanwhile.
        unsafe {
            std::ptr::copy_nonoverlapping(row.at(0), place, self.size);
            (self.add)(place, [[0u64; 2].as_ptr().cast(); 3], 2);
        }
        Ok(())
    }

    /// Adds at most a chunk of numbers into the first of [`ACCUMULATORS`].
    ///
    /// # Safety
    /// `count` numbers are valid for reads, and ACCUMULATORS numbers for writes by this call alone.
    unsafe fn chunk(&self, numbers: *const u8, count: usize, accumulators: *mut u8) {
        let add = |to: *mut u8, from: *const u8, count: usize| {
            // SAFETY: the caller upholds this, for twice as many parts as numbers; the CPU has the level's
            // features.
            unsafe { (self.add)(to, [from; 3], 2 * count) };
        };
        let filled = count.min(ACCUMULATORS);
        // SAFETY: the caller upholds this.
        unsafe { std::ptr::copy_nonoverlapping(numbers, accumulators, filled * self.size) };
        for first in (ACCUMULATORS..count).step_by(ACCUMULATORS) {
            add(
                accumulators,
                numbers.wrapping_add(first * self.size),
                ACCUMULATORS.min(count - first),
            );
        }
        let mut step = ACCUMULATORS / 2;
        while step > 0 {
            let partners = step.min(filled.saturating_sub(step));
            add(accumulators, accumulators.wrapping_add(step * self.size), partners);
            step /= 2;
        }
    }
}
