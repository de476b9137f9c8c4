//! Plans sorts: rows that fit a block in one kernel, longer ones pass by pass.
//!
//! Nothing waits for the device: passes that turn out to be needless do nothing there, and the one before them writes the
//! results. Keys and places go back and forth between two pieces of memory each, and so do the words by which blocks tell
//! each other of their tiles.

use std::sync::Arc;

use ndany_core::backend::{self, Sorted};
use ndany_core::{DType, Result};
use ndany_kernels::sort::{
    BLOCK, BlockSort, DigitCounts, From, PairSort, PositionWidth, RECORD, RadixSort, To, Zeros,
    digits, has_zeros, parts, word,
};

use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Arguments, Operand, first};
use crate::runtime::Runtime;

/// Blocks that a processor is to have to choose from.
const BLOCKS_EACH: usize = 16;

/// Blocks of a processor that count digits, and the fewest elements of one: each adds all its counts to the row's.
const COUNTING_EACH: usize = 8;
const LEAST_COUNTED: usize = 1 << 13;

pub(crate) fn sort(runtime: &Arc<Runtime>, request: &backend::Sort<'_>) -> Result<()> {
    let job = Job::begin(runtime, [request.source.memory], [request.output.memory], &[], None)?;
    let blocks = runtime.driver().properties().multiprocessors as usize * BLOCKS_EACH;
    match request.length <= BlockSort::LONGEST {
        true => block_sort(&job, request, blocks),
        false => radix_sort(&job, request),
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

fn radix_sort(job: &Job<'_>, request: &backend::Sort<'_>) -> Result<()> {
    let backend::Sort { rows, length, .. } = *request;
    let [source, output] = [&request.source, &request.output].map(Operand::new);
    let element = source.dtype;
    let (places, results) = match request.write {
        Sorted::Values if element.is_complex() => (width_of(length), To::Elements),
        Sorted::Values => (PositionWidth::None, To::Words),
        Sorted::Positions => (width_of(length), To::Positions),
    };
    let (parts, digits) = (parts(element), digits(element));
    let least = job.runtime.driver().properties().multiprocessors as usize * 2 / 3;
    let sort = FarSort {
        job,
        rows,
        length,
        chunk: counted(job, rows, length),
        each: RadixSort::each(element, places, [rows, length], least),
        source: &source,
        digits,
        keys: Pair::new(job, digits - 1, rows * length * element.size().min(size_of::<u64>()))?,
        carried: Pair::new(job, digits - 1, rows * length * places.size())?,
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
        let words = sort.part(part, places, order.as_ref().map(Scratch::address), (to, out))?;
        if results == To::Words && has_zeros(element) {
            sort.zeros(&words, &output)?;
        }
        order = next;
    }
    Ok(())
}

/// Sorts keys with what goes along: a pass for each digit, between which it stands beside the keys.
pub(crate) fn sort_pairs(runtime: &Arc<Runtime>, request: &backend::SortPairs<'_>) -> Result<()> {
    let backend::SortPairs { count, bits, wide_dtype, source, sorted } = *request;
    let [reads, writes] = [source, sorted]
        .map(|pairs| [pairs.keys, pairs.narrow, pairs.wide].map(|view| view.memory));
    let [[keys, narrow, wide], [out, to_narrow, to_wide]] = [source, sorted].map(|pairs| {
        let [keys, narrow] = [pairs.keys, pairs.narrow].map(|view| first(&view, DType::U32));
        [keys, narrow, first(&pairs.wide, wide_dtype)]
    });
    let job = Job::begin(runtime, reads, writes, &[], None)?;
    let source = Operand::of_row(keys, DType::U32, count);
    let digits = digits(DType::U32);
    let passes = PairSort::passes(bits);
    let sort = FarSort {
        job: &job,
        rows: 1,
        length: count,
        chunk: counted(&job, 1, count),
        each: PairSort::EACH,
        source: &source,
        digits,
        keys: Pair(None, None),
        carried: Pair::new(&job, passes - 1, count * RECORD)?,
    };
    let (words, word) = (sort.words()?, word(count));
    sort.count(&words, DigitCounts { element: DType::U32, part: 0, carries: true, word })?;
    for pass in 0..passes {
        let mut arguments = sort.arguments(&words, pass, None, out);
        arguments.push(passes as u64);
        arguments.places([narrow, wide, to_narrow, to_wide]);
        let kernel = PairSort { wide: wide_dtype.size(), is_first: pass == 0, word };
        job.launch(&kernel, sort.tiles(), BLOCK, &arguments)?;
    }
    Ok(())
}

/// Elements of a chunk whose digits a block counts.
fn counted(job: &Job<'_>, rows: usize, length: usize) -> usize {
    let blocks = job.runtime.driver().properties().multiprocessors as usize * COUNTING_EACH;
    let chunks = blocks.div_ceil(rows).min(length.div_ceil(LEAST_COUNTED));
    length.div_ceil(chunks)
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

/// What blocks tell each other, in one piece of memory of which all but the end is of zeros at first.
struct Words {
    /// Given back when the launches are queued.
    _memory: Scratch,
    range: u64,
    tickets: u64,
    zeros: u64,
    zero_tickets: u64,
    zeros_posted: u64,
    counts: u64,
    posted: [u64; 2],
}

struct FarSort<'f, 'l> {
    job: &'f Job<'l>,
    rows: usize,
    length: usize,
    /// Elements of a chunk whose digits, or zeros, a block counts.
    chunk: usize,
    /// Elements of a thread that moves.
    each: usize,
    source: &'f Operand,
    digits: usize,
    keys: Pair,
    carried: Pair,
}

impl FarSort<'_, '_> {
    fn tiles(&self) -> usize {
        self.length.div_ceil(RadixSort::tile(self.each))
    }

    fn chunks(&self) -> usize {
        self.length.div_ceil(self.chunk)
    }

    fn words(&self) -> Result<Words> {
        let (rows, word, digit) = (self.rows, word(self.length), BLOCK as usize);
        let mut bytes = 0;
        let mut place = |size: usize| {
            let begin = bytes;
            bytes += size.next_multiple_of(size_of::<u64>());
            begin as u64
        };
        let posted = rows * self.tiles() * digit * word;
        let range = place(2 * size_of::<u64>());
        let tickets = place(self.digits * size_of::<u32>());
        let zeros = place(rows * 2 * size_of::<u32>());
        let zero_tickets = place(rows * size_of::<u32>());
        let zeros_posted = place(rows * self.chunks() * word);
        let counts = place(rows * self.digits * digit * word);
        let even = place(posted);
        let odd = place(if self.digits > 1 { posted } else { 0 });
        let memory = self.job.scratch(bytes)?;
        self.job.fill(memory.address(), 0, odd as usize)?;
        let at = |place: u64| memory.address() + place;
        Ok(Words {
            range: at(range),
            tickets: at(tickets),
            zeros: at(zeros),
            zero_tickets: at(zero_tickets),
            zeros_posted: at(zeros_posted),
            counts: at(counts),
            posted: [at(even), at(odd)],
            _memory: memory,
        })
    }

    /// The arguments of both kernels in a pass.
    fn arguments(&self, words: &Words, pass: usize, order: Option<u64>, out: u64) -> Arguments {
        let mut arguments = Arguments::default();
        let extents = [self.length, self.chunks(), self.chunk, self.tiles(), pass];
        arguments.extend(extents.map(|extent| extent as u64));
        arguments.push(self.source.strides[0] as i64 as u64);
        arguments.places([self.source.address, order.unwrap_or(0)]);
        arguments.places(self.keys.addresses());
        arguments.places(self.carried.addresses());
        arguments.places([out, words.counts]);
        arguments.places(words.posted);
        arguments.places([words.range, words.tickets, words.zeros]);
        arguments
    }

    /// Counts the digits of all keys.
    fn count(&self, words: &Words, kernel: DigitCounts) -> Result<()> {
        let arguments = self.arguments(words, 0, None, 0);
        self.job.launch(&kernel, self.rows * self.chunks(), BLOCK, &arguments)
    }

    /// Sorts by a part of the keys what `order` puts in order, or the source as it stands.
    fn part(
        &self,
        part: usize,
        places: PositionWidth,
        order: Option<u64>,
        (to, out): (To, u64),
    ) -> Result<Words> {
        let (element, word) = (self.source.dtype, word(self.length));
        let (each, words) = (self.each, self.words()?);
        let carries = places != PositionWidth::None;
        self.count(&words, DigitCounts { element, part, carries, word })?;
        for pass in 0..self.digits {
            let from = match (pass, order) {
                (0, None) => From::Source,
                (0, Some(_)) => From::Taken,
                _ => From::Keys,
            };
            let kernel = RadixSort { element, part, places, from, to, word, each };
            let arguments = self.arguments(&words, pass, order, out);
            self.job.launch(&kernel, self.rows * self.tiles(), BLOCK, &arguments)?;
        }
        Ok(words)
    }

    /// Puts the zeros of sorted rows into the order in which the source has them.
    fn zeros(&self, words: &Words, output: &Operand) -> Result<()> {
        let kernel = Zeros { element: self.source.dtype, word: word(self.length) };
        let mut arguments = Arguments::default();
        arguments.extend([self.length, self.chunks(), self.chunk].map(|extent| extent as u64));
        arguments.push(self.source.strides[0] as i64 as u64);
        arguments.places([self.source.address, output.address]);
        arguments.places([words.zeros, words.zero_tickets, words.zeros_posted]);
        self.job.launch(&kernel, self.rows * self.chunks(), BLOCK, &arguments)
    }
}
