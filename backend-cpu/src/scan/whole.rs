//! Running sums of integers: they wrap, so their order changes no bit, and one pass carries the sum along.
//!
//! Several threads add up their pieces first. Other combinations, and floats, follow the canonical plan.

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::host::gathered;
use ndany_core::program::{Combine, Domain, Prim, Ty};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::code::Code;
use crate::loops::Level;
use crate::memory::lack;
use crate::threads::Threads;
use crate::walk::Walk;
use crate::worker::{BLOCK, Phase, Positions, Space, Worker};

/// Elements of a row that one thread sums.
const PIECE: usize = 1 << 15;

/// Runs a scan that adds integers. False, and nothing done, of any other.
pub(super) fn scanned(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<bool> {
    let program = scan.launch.program;
    let reduction = &program.reductions[0];
    let (&Combine::Prim(Prim::Add), [part]) = (&reduction.combine, &*reduction.lifted) else {
        return Ok(false);
    };
    match program.instrs[usize::from(*part)].ty {
        Ty::I8 | Ty::U8 => sums::<u8>(scan, level, threads)?,
        Ty::I16 | Ty::U16 => sums::<u16>(scan, level, threads)?,
        Ty::I32 | Ty::U32 => sums::<u32>(scan, level, threads)?,
        Ty::I64 | Ty::U64 => sums::<u64>(scan, level, threads)?,
        Ty::Bool | Ty::F32 | Ty::F64 => return Ok(false),
    }
    Ok(true)
}

/// An integer without a sign, as which one with a sign is added too.
trait Whole: Copy + Default + Into<u64> {
    fn plus(self, other: Self) -> Self;
    /// The low bits of a sum.
    fn low(sum: u64) -> Self;
}

macro_rules! wholes {
    ($($ty:ty),+) => {$(
        impl Whole for $ty {
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn low(sum: u64) -> Self { sum as $ty }
        }
    )+};
}
wholes!(u8, u16, u32, u64);

fn sums<T: Whole>(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let launch = &scan.launch;
    let lifted = launch.program.reductions[0].lifted[0];
    let code = Code::new(launch.program, level);
    let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
    let (rows, row) = (launch.rows(), launch.row_size());
    let pieces = row.div_ceil(PIECE);
    let space =
        Space::new(launch, &code, &launch.scalars, &axes, level, Positions::Along(row), &[]);
    let once = code.closure([lifted], Domain::Row, |_| false);
    let regs = code.closure([lifted], Domain::Element, |_| false);
    let effort = rows * row * (regs.len() + 1);
    let phase = Phase::new(&code, regs, &[lifted], |_| false);
    // The blocks of a piece: where each begins, its values, and how many they are.
    let blocks = |worker: &mut Worker<'_>,
                  item: usize,
                  visit: &mut dyn FnMut(&Worker<'_>, usize, *const T, usize)| {
        let (number, piece) = (item / pieces, item % pieces);
        let first = number * row + piece * PIECE;
        let count = PIECE.min(row - piece * PIECE);
        worker.once(&once, first, BLOCK.min(row));
        for done in (0..count).step_by(BLOCK) {
            let block = BLOCK.min(count - done);
            worker.run(&phase, first + done, block);
            let values = worker.registers[usize::from(lifted)].cast_const().cast();
            visit(worker, first + done, values, block);
        }
    };
    // What comes before each piece; one thread has it at hand.
    let shared = threads.worth(effort) && pieces > 1;
    let many = if shared { rows * pieces } else { 0 };
    let before = gathered(many, (0..many).map(|_| AtomicU64::new(0))).map_err(lack)?;
    if shared {
        threads.split(rows * pieces, 1, effort, |begin, end| {
            let mut worker = Worker::new(&space, phase.slots(), 0)?;
            for (item, before) in before.iter().enumerate().take(end).skip(begin) {
                let mut sum = T::default();
                blocks(&mut worker, item, &mut |_, _, values, count| {
                    // SAFETY: the register holds a block.
                    let values = unsafe { std::slice::from_raw_parts(values, count) };
                    sum = values.iter().fold(sum, |sum, &value| sum.plus(value));
                });
                before.store(sum.into(), Ordering::Relaxed);
            }
            worker.finish()
        })?;
        for row in before.chunks(pieces) {
            row.iter()
                .fold(0_u64, |sum, before| sum.wrapping_add(before.swap(sum, Ordering::Relaxed)));
        }
    }
    let walk = Walk::new(&launch.outputs[0], &launch.shape, 0);
    threads.split(rows * pieces, 1, effort, |begin, end| {
        let mut worker = Worker::new(&space, phase.slots(), BLOCK * size_of::<T>())?;
        let mut sum = T::default();
        for item in begin..end {
            match before.get(item) {
                Some(before) => sum = T::low(before.load(Ordering::Relaxed)),
                None if item % pieces == 0 => sum = T::default(),
                None => {}
            }
            blocks(&mut worker, item, &mut |worker, first, values, count| {
                let direct = walk.direct(first, count);
                let to = direct.unwrap_or_else(|| worker.extra(0)).cast::<T>();
                // SAFETY: the register holds a block, for which there is room in the output or beside; pieces of
                // different threads are disjoint in the output, which core lets nobody else use.
                unsafe {
                    for at in 0..count {
                        sum = sum.plus(values.add(at).read());
                        to.add(at).write(sum);
                    }
                    if direct.is_none() {
                        walk.scatter(first, count, to.cast_const().cast());
                    }
                }
            });
        }
        worker.finish()
    })
}
