//! Plans sorts: rows that fit a block in one kernel, longer ones pass by pass.
//!
//! Nothing waits for the device: passes that turn out to be needless do nothing there. Keys and places go back and
//! forth between two pieces of memory each.

use std::sync::Arc;

use ndany_core::backend::{self, Sorted};
use ndany_core::{DType, Result};
use ndany_kernels::sort::{
    BLOCK, BlockSort, From, Pass, PositionWidth, RadixSort, To, ZeroPass, Zeros, digits, has_zeros,
    parts,
};

use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;
use crate::scan::running_sums;

/// Blocks that a processor is to have to choose from.
const BLOCKS_EACH: usize = 16;

/// Most tiles of a chunk.
const MOST_TILES: usize = 16;

pub(crate) fn sort(runtime: &Arc<Runtime>, request: &backend::Sort<'_>) -> Result<()> {
    let job = Job::begin(runtime, [request.source.memory], [request.output.memory], &[], None)?;
    let blocks = runtime.driver().properties().multiprocessors as usize * BLOCKS_EACH;
    match request.length <= BlockSort::LONGEST {
        true => block_sort(&job, request, blocks),
        false => radix_sort(&job, request, blocks),
    }
}

fn block_sort(job: &Job<'_>, request: &backend::Sort<'_>, blocks: usize) -> Result<()> {
    let backend::Sort { rows, length, .. } = *request;
    let [source, output] = [&request.source, &request.output].map(Operand::new);
    let positions = request.write == Sorted::Positions;
    let (kernel, together) = BlockSort::new(source.dtype, positions, rows, length, blocks);
    let mut arguments = Arguments::default();
    arguments.extend([rows, length, together].map(|word| word as u64));
    arguments.push(source.strides[0] as i64 as u64);
    arguments.divisor(length, false);
    arguments.places([source.address, output.address]);
    job.launch(&kernel, rows.div_ceil(together), BLOCK, &arguments)
}

/// The partition of rows into chunks.
#[derive(Clone, Copy)]
struct Cut {
    rows: usize,
    length: usize,
    chunks: usize,
    chunk: usize,
}

impl Cut {
    fn new(rows: usize, length: usize, tile: usize, blocks: usize) -> Self {
        let tiles = length.div_ceil(tile);
        let chunk = tile * (rows.saturating_mul(tiles) / blocks).clamp(1, MOST_TILES);
        Self { rows, length, chunks: length.div_ceil(chunk), chunk }
    }

    fn blocks(&self) -> usize {
        self.rows * self.chunks
    }

    fn arguments(&self) -> [u64; 3] {
        [self.length, self.chunks, self.chunk].map(|word| word as u64)
    }
}

fn radix_sort(job: &Job<'_>, request: &backend::Sort<'_>, blocks: usize) -> Result<()> {
    let backend::Sort { rows, length, .. } = *request;
    let [source, output] = [&request.source, &request.output].map(Operand::new);
    let element = source.dtype;
    let (places, results) = match request.write {
        Sorted::Values if element.is_complex() => (width_of(length), To::Elements),
        Sorted::Values => (PositionWidth::None, To::Words),
        Sorted::Positions => (width_of(length), To::Positions),
    };
    let cut = Cut::new(rows, length, RadixSort::tile(element, places), blocks);
    let (parts, digits) = (parts(element), digits(element));
    let sort = FarSort {
        job,
        cut,
        source: &source,
        places,
        digits,
        keys: Pair::new(job, digits - 1, rows * length * element.size().min(size_of::<u64>()))?,
        carried: Pair::new(job, digits - 1, rows * length * places.size())?,
        counts: job.scratch(cut.blocks() * BLOCK as usize * DType::I64.size())?,
    };
    let mut order: Option<Scratch> = None;
    for part in 0..parts {
        let next = match part + 1 < parts {
            true => Some(job.scratch(rows * length * places.size())?),
            false => None,
        };
        let (to, out) = match &next {
            Some(next) => (To::Places, next.address()),
            None => (results, output.address),
        };
        sort.part(part, order.as_ref().map(Scratch::address), to, out)?;
        order = next;
    }
    if results == To::Words && has_zeros(element) {
        zeros(job, cut, &source, &output)?;
    }
    Ok(())
}

/// Positions in rows of this length.
fn width_of(length: usize) -> PositionWidth {
    if u32::try_from(length).is_ok() { PositionWidth::Narrow } else { PositionWidth::Wide }
}

/// The buffers that even and odd passes write.
struct Pair(Option<Scratch>, Option<Scratch>);

impl Pair {
    /// For this many passes; the results of the last one go elsewhere.
    fn new(job: &Job<'_>, passes: usize, bytes: usize) -> Result<Self> {
        let scratch = |needed: bool| match needed && bytes > 0 {
            true => job.scratch(bytes).map(Some),
            false => Ok(None),
        };
        Ok(Self(scratch(passes > 0)?, scratch(passes > 1)?))
    }

    fn addresses(&self) -> [u64; 2] {
        [&self.0, &self.1].map(|scratch| scratch.as_ref().map_or(0, Scratch::address))
    }
}

struct FarSort<'f, 'l> {
    job: &'f Job<'l>,
    cut: Cut,
    source: &'f Operand,
    places: PositionWidth,
    digits: usize,
    keys: Pair,
    carried: Pair,
    counts: Scratch,
}

impl FarSort<'_, '_> {
    /// Sorts by a part of the keys what `order` puts in order, or the source as it stands.
    fn part(&self, part: usize, order: Option<u64>, results: To, out: u64) -> Result<()> {
        let range = self.job.cleared(2 * size_of::<u64>())?;
        for pass in 0..self.digits {
            let from = match (pass, order) {
                (0, None) => From::Source,
                (0, Some(_)) => From::Taken,
                _ => From::Keys,
            };
            let to = if pass + 1 < self.digits { To::Keys } else { results };
            let run = |step: Pass, counts: u64| {
                let (element, places) = (self.source.dtype, self.places);
                let kernel = RadixSort { element, part, places, from, to, pass: step };
                let mut arguments = Arguments::default();
                arguments.extend(self.cut.arguments());
                arguments.extend([pass as u64, self.source.strides[0] as i64 as u64]);
                arguments.places([self.source.address, order.unwrap_or(0)]);
                arguments.places(self.keys.addresses());
                arguments.places(self.carried.addresses());
                arguments.places([out, counts, range.address()]);
                self.job.launch(&kernel, self.cut.blocks(), BLOCK, &arguments)
            };
            run(Pass::Count, self.counts.address())?;
            let count = self.cut.blocks() * BLOCK as usize;
            let sums = running_sums(self.job, self.counts.address(), count)?;
            run(Pass::Move, sums.address())?;
        }
        Ok(())
    }
}

/// The zeros of sorted rows in the order in which the source has them.
fn zeros(job: &Job<'_>, cut: Cut, source: &Operand, output: &Operand) -> Result<()> {
    let begins = job.scratch(cut.rows * DType::I64.size())?;
    let counts = job.scratch(cut.blocks() * DType::I64.size())?;
    let run = |pass: ZeroPass, blocks: usize, counts: u64| {
        let kernel = Zeros { element: source.dtype, pass };
        let mut arguments = Arguments::default();
        arguments.extend(cut.arguments());
        arguments.push(source.strides[0] as i64 as u64);
        arguments.places([source.address, output.address, begins.address(), counts]);
        job.launch(&kernel, blocks, BLOCK, &arguments)
    };
    run(ZeroPass::Look, cut.rows, 0)?;
    run(ZeroPass::Count, cut.blocks(), counts.address())?;
    let sums = running_sums(job, counts.address(), cut.blocks())?;
    run(ZeroPass::Write, cut.blocks(), sums.address())
}
