//! Cumulative sums of integers. They wrap, so their order changes no bit, and one pass carries the sum along.
//!
//! With several threads, a first pass sums the pieces. Other combinations, and floats, follow the canonical
//! plan.

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::host::gathered;
use ndany_core::program::{Combine, Domain, Prim, RegType};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Space};
use crate::loops::Level;
use crate::memory::lack;
use crate::program_cache;
use crate::strided_cursor::StridedCursor;
use crate::threads::Threads;

/// Elements of a row that one task sums.
const PIECE: usize = 1 << 15;

/// Whether a scan adds integers.
pub(super) fn applies(scan: &Scan<'_>) -> bool {
    let program = scan.launch.program;
    let reduction = &program.reductions[0];
    match (&reduction.combine, &*reduction.lifted) {
        (Combine::Prim(Prim::Add), [part]) => match program.instrs[usize::from(*part)].ty {
            RegType::Bool | RegType::F32 | RegType::F64 => false,
            RegType::I8
            | RegType::U8
            | RegType::I16
            | RegType::U16
            | RegType::I32
            | RegType::U32
            | RegType::I64
            | RegType::U64 => true,
        },
        _ => false,
    }
}

/// Runs a scan for which [`applies`] holds.
pub(super) fn scan(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let program = scan.launch.program;
    let lifted = program.reductions[0].lifted[0];
    match program.instrs[usize::from(lifted)].ty {
        RegType::I8 | RegType::U8 => sums::<u8>(scan, level, threads),
        RegType::I16 | RegType::U16 => sums::<u16>(scan, level, threads),
        RegType::I32 | RegType::U32 => sums::<u32>(scan, level, threads),
        RegType::I64 | RegType::U64 => sums::<u64>(scan, level, threads),
        RegType::Bool | RegType::F32 | RegType::F64 => unreachable!("`applies` takes integers"),
    }
}

/// An unsigned integer; signed integers are added as unsigned.
trait WrappingInt: Copy + Default + Into<u64> {
    fn plus(self, other: Self) -> Self;
    /// The low bits of a sum.
    fn low(sum: u64) -> Self;
}

macro_rules! wrapping_ints {
    ($($ty:ty),+) => {$(
        impl WrappingInt for $ty {
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn low(sum: u64) -> Self { sum as $ty }
        }
    )+};
}
wrapping_ints!(u8, u16, u32, u64);

fn sums<T: WrappingInt>(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let launch = &scan.launch;
    let lifted = launch.program.reductions[0].lifted[0];
    let code = program_cache::compiled(&launch.program, level);
    let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
    let (rows, row) = (launch.rows(), launch.row_size());
    let pieces = row.div_ceil(PIECE);
    let space =
        Space::new(launch, &code, &launch.scalars, &axes, level, Positions::Along(row), &[]);
    let once = code.closure([lifted], Domain::Row, |_| false);
    let regs = code.closure([lifted], Domain::Element, |_| false);
    let cost = rows * row * (regs.len() + 1);
    let phase = Phase::new(&code, regs, &[lifted], |_| false);
    // Visits the blocks of a piece: the index of the first element, its values, and their number.
    let blocks =
        |interpreter: &mut BlockInterpreter<'_>,
         item: usize,
         visit: &mut dyn FnMut(&BlockInterpreter<'_>, usize, *const T, usize)| {
            let (number, piece) = (item / pieces, item % pieces);
            let first = number * row + piece * PIECE;
            let count = PIECE.min(row - piece * PIECE);
            interpreter.run_uniform(&once, first, BLOCK.min(row));
            for done in (0..count).step_by(BLOCK) {
                let block = BLOCK.min(count - done);
                interpreter.run(&phase, first + done, block);
                let values = interpreter.registers[usize::from(lifted)].cast_const().cast();
                visit(interpreter, first + done, values, block);
            }
        };
    // The sum before each piece; a single thread carries it along.
    let shared = threads.is_parallel(cost) && pieces > 1;
    let many = if shared { rows * pieces } else { 0 };
    let before = gathered(many, (0..many).map(|_| AtomicU64::new(0))).map_err(lack)?;
    if shared {
        threads.split(rows * pieces, 1, cost, |begin, end| {
            let mut interpreter = BlockInterpreter::new(&space, phase.slots(), 0)?;
            for (item, before) in before.iter().enumerate().take(end).skip(begin) {
                let mut sum = T::default();
                blocks(&mut interpreter, item, &mut |_, _, values, count| {
                    // SAFETY: the register holds a block.
                    let values = unsafe { std::slice::from_raw_parts(values, count) };
                    sum = values.iter().fold(sum, |sum, &value| sum.plus(value));
                });
                before.store(sum.into(), Ordering::Relaxed);
            }
            interpreter.finish();
            Ok(())
        })?;
        for row in before.chunks(pieces) {
            row.iter()
                .fold(0_u64, |sum, before| sum.wrapping_add(before.swap(sum, Ordering::Relaxed)));
        }
    }
    let cursor = StridedCursor::new(&launch.outputs[0], &launch.shape, 0);
    threads.split(rows * pieces, 1, cost, |begin, end| {
        let mut interpreter = BlockInterpreter::new(&space, phase.slots(), BLOCK * size_of::<T>())?;
        let mut sum = T::default();
        for item in begin..end {
            match before.get(item) {
                Some(before) => sum = T::low(before.load(Ordering::Relaxed)),
                None if item % pieces == 0 => sum = T::default(),
                None => {}
            }
            blocks(&mut interpreter, item, &mut |interpreter, first, values, count| {
                let direct = cursor.direct(first, count);
                let to = direct.unwrap_or_else(|| interpreter.extra(0)).cast::<T>();
                // SAFETY: the register holds a block, for which there is room in the output or in the extra
                // bytes; pieces of different threads are disjoint in the output, to which core gives no other
                // code access.
                unsafe {
                    for at in 0..count {
                        sum = sum.plus(values.add(at).read());
                        to.add(at).write(sum);
                    }
                    if direct.is_none() {
                        cursor.scatter(first, count, to.cast_const().cast());
                    }
                }
            });
        }
        interpreter.finish();
        Ok(())
    })?;
    space.outcome(launch)
}
