//! Plans Fourier transforms on the project's own kernels.
//!
//! A length of small factors that fits into shared memory is one pass. A longer one is a matrix: its columns, twiddled,
//! then its rows; or a matrix of matrices, in three passes. A length with other factors is a convolution with a chirp,
//! of two transforms of a power of two.

use std::sync::Arc;

use ndany_core::backend::{Transform, Transformation};
use ndany_core::{DType, Error, Result};
use ndany_kernels::fourier::{BLOCK, BlockFourier, Load, Scale, Store, points, radices};

use crate::dft::{Dft, Plan};
use crate::driver::Address;
use crate::graph::{self, LibraryCall};
use crate::job::Job;
use crate::memory::GpuMemory;
use crate::operand::{Arguments, first};
use crate::runtime::Runtime;
use crate::twiddles::{Table, TwiddleCache};

/// Most bytes of what passes hand on; more rows go one lot after the other.
const HANDED_ON: usize = 1 << 28;

/// Most points of a row that a library writes beside others: it takes several kernels for longer ones, of which the last then
/// writes elements that lie apart (256 rows of 65,536 points: 0.70 ms in place of 0.20 and 0.09 for a copy).
pub(crate) const LONGEST_ACROSS: usize = 4096;

/// Blocks that a processor is to have to choose from.
const BLOCKS_EACH: usize = 4;

/// Columns that are read together, if a block has capacity: what memory gives at once.
const NEIGHBOURS: usize = 4;

/// Where the numbers of passes come from, or go.
#[derive(Clone, Copy)]
struct End {
    address: Address,
    /// Elements from a row to the next.
    step: usize,
    /// Elements of a row that are there.
    limit: usize,
    /// What they are multiplied by.
    table: Address,
}

/// A transform of many rows, forward but for what the ends do.
#[derive(Clone, Copy)]
struct RowTransforms {
    count: usize,
    length: usize,
    load: Load,
    store: Store,
    from: End,
    to: End,
    /// Exchanges of parts: 1 before, 2 after, 4 after the table.
    swaps: u32,
    scale: f64,
}

/// Steps to get to a row's first element, and along it.
#[derive(Clone, Copy, Default)]
struct PassMap {
    outer: usize,
    middle: usize,
    inner: usize,
    step: usize,
}

/// One launch.
#[derive(Clone, Copy)]
struct Pass<'p> {
    rows: &'p RowTransforms,
    length: usize,
    /// RowTransforms of the launch: the extents within one of the whole.
    middle: usize,
    inner: usize,
    /// Whether it is the first, and whether it is the last.
    ends: [bool; 2],
    from: Address,
    to: Address,
    load: PassMap,
    store: PassMap,
    /// Length of what the parts make up.
    twiddled: Option<usize>,
}

/// Transforms rows by a library; `false` where it has no plan for them.
pub(crate) fn by_library(
    runtime: &Arc<Runtime>,
    dft: &Arc<dyn Dft>,
    request: &Transform<'_>,
) -> Result<bool> {
    let Transform { kind, part, rows, across, length, .. } = *request;
    let plan = Plan { kind, part, length, rows, across };
    let Some(workspace) = runtime.plan(&**dft, &plan)? else { return Ok(false) };
    let job = Job::begin(runtime, [request.input.memory], [request.output.memory], &[], None)?;
    let [from, to] = ends(request);
    let workspace = job.scratch(workspace)?;
    let [taken, made] = request.extents();
    if kind == Transformation::HalfToReal {
        // What the library may spoil, and what it takes for real, is a copy.
        let parts = rows * taken * 2;
        let copy = job.scratch(parts * part.size())?;
        let last = if length.is_multiple_of(2) { length + 1 } else { parts };
        scale(&job, request, true, [parts, 2 * taken, last], [from, copy.address()])?;
        let (from, workspace) = (copy.address(), workspace.address());
        runtime.library(&LibraryCall::Transform { dft: dft.clone(), plan, from, to, workspace })?;
        return Ok(true);
    }
    let workspace = workspace.address();
    runtime.library(&LibraryCall::Transform { dft: dft.clone(), plan, from, to, workspace })?;
    if request.scale != 1.0 {
        scale(&job, request, false, [rows * made * 2, 1, 0], [to, to])?;
    }
    Ok(true)
}

fn scale(
    job: &Job<'_>,
    request: &Transform<'_>,
    halves: bool,
    sizes: [usize; 3],
    addresses: [Address; 2],
) -> Result<()> {
    let kernel = Scale { part: request.part, halves };
    let mut arguments = Arguments::default();
    arguments.extend(sizes.map(|size| size as u64));
    arguments.push(word(request.part, request.scale));
    arguments.places(addresses);
    job.launch(&kernel, sizes[0].div_ceil((BLOCK * Scale::EACH) as usize), BLOCK, &arguments)
}

/// A factor as a kernel's word.
fn word(part: DType, factor: f64) -> u64 {
    match part {
        DType::F32 => u64::from((factor as f32).to_bits()),
        _ => factor.to_bits(),
    }
}

/// The first elements of the input and of the output.
fn ends(request: &Transform<'_>) -> [Address; 2] {
    let [from, to] = request.dtypes();
    [first(&request.input, from), first(&request.output, to)]
}

/// A length that has a text of its own: those that people choose for speed.
fn fixed(length: usize) -> Option<u32> {
    (length.is_power_of_two() && length >= 256).then_some(length as u32)
}

/// Transforms rows by own kernels.
pub(crate) fn transform(
    runtime: &Arc<Runtime>,
    tables: &TwiddleCache,
    request: &Transform<'_>,
) -> Result<()> {
    request.one_after_the_other(false, false)?;
    let ([taken, made], [from, to]) = (request.extents(), request.dtypes());
    let n = request.length;
    let smooth = radices(n).is_some();
    let padded = if smooth { n } else { (2 * n - 1).next_power_of_two() };
    let mut planner = Planner { runtime, tables, part: request.part, held: Vec::new() };
    let (chirp, filter) = match smooth {
        true => (0, 0),
        false => (planner.table(Table::Chirp(n))?, planner.table(Table::Filter(n, padded))?),
    };
    planner.prepare(padded)?;
    let own = planner.held.clone();
    if graph::active(runtime) {
        own.iter().for_each(graph::keep);
    }
    let reads = own.iter().map(|table| table.as_ref() as &dyn ndany_core::backend::Memory);
    let reads = reads.chain([request.input.memory]);
    let job = Job::begin(runtime, reads, [request.output.memory], &[], None)?;
    let [input, output] = ends(request);
    let complex = 2 * request.part.size();
    let lot = (HANDED_ON / (padded * complex)).max(1);
    // Row numbers have 31 bits.
    let lot = lot.min((1 << 31) / padded.div_ceil(2).max(1)).max(1);
    let backward = match request.kind {
        Transformation::Forward | Transformation::RealToHalf => 0,
        Transformation::Backward | Transformation::HalfToReal => 1,
    };
    let load = match request.kind {
        Transformation::Forward | Transformation::Backward => Load::Complex,
        Transformation::RealToHalf => Load::Real,
        Transformation::HalfToReal => Load::Half,
    };
    let store =
        if request.kind == Transformation::HalfToReal { Store::Real } else { Store::Complex };
    for first in (0..request.rows).step_by(lot) {
        let count = lot.min(request.rows - first);
        let whole = RowTransforms {
            count,
            length: n,
            load,
            store,
            from: End {
                address: input + (first * taken * from.size()) as u64,
                step: taken,
                limit: n,
                table: chirp,
            },
            to: End {
                address: output + (first * made * to.size()) as u64,
                step: made,
                limit: made,
                table: chirp,
            },
            swaps: backward | backward << 2,
            scale: request.scale,
        };
        if smooth {
            planner.rows(&job, &whole)?;
            continue;
        }
        let between = job.scratch(count * padded * complex)?;
        let there = End { address: between.address(), step: padded, limit: padded, table: filter };
        let filtered = RowTransforms {
            length: padded,
            store: Store::Complex,
            to: there,
            swaps: backward,
            scale: 1.0,
            ..whole
        };
        planner.rows(&job, &filtered)?;
        let back = RowTransforms {
            length: padded,
            load: Load::Complex,
            from: End { table: 0, ..there },
            swaps: 1 | 2 | backward << 2,
            ..whole
        };
        planner.rows(&job, &back)?;
    }
    Ok(())
}

struct Planner<'p> {
    runtime: &'p Arc<Runtime>,
    tables: &'p TwiddleCache,
    part: DType,
    held: Vec<Arc<GpuMemory>>,
}

/// Factors of a length, each of which fits into shared memory: one, two or three.
fn factors(length: usize, most: usize) -> Option<Vec<usize>> {
    if length <= most {
        return Some(vec![length]);
    }
    let divisors = (2..=most).filter(|divisor| length.is_multiple_of(*divisor));
    let rest = |divisor: &usize| length / divisor;
    // As square as can be, else the largest there is.
    let square = divisors.clone().filter(|divisor| rest(divisor) <= most);
    match square.min_by_key(|divisor| divisor.abs_diff(rest(divisor))) {
        Some(divisor) => Some(vec![divisor, length / divisor]),
        None => {
            let first = divisors.max()?;
            let others = factors(length / first, most)?;
            (others.len() <= 2).then(|| [vec![first], others].concat())
        }
    }
}

/// Bits of an index into the table of fine twiddles of a circle of `length` parts.
pub(crate) fn shift(length: usize) -> u32 {
    length.next_power_of_two().ilog2() / 2
}

impl Planner<'_> {
    fn table(&mut self, table: Table) -> Result<Address> {
        let memory = self.tables.table(self.runtime, table, self.part)?;
        let address = memory.address();
        if !self.held.iter().any(|held| Arc::ptr_eq(held, &memory)) {
            self.held.push(memory);
        }
        Ok(address)
    }

    /// The factors of a length that passes go by.
    fn split(&self, length: usize) -> Result<Vec<usize>> {
        factors(length, points(self.part)).ok_or_else(|| Error::Unsupported {
            op: "fft".to_string(),
            reason: format!("{length} points: no three factors of it fit into shared memory"),
        })
    }

    /// Has all tables made before the work is put in order.
    fn prepare(&mut self, length: usize) -> Result<()> {
        let factors = self.split(length)?;
        for (number, &factor) in factors.iter().enumerate() {
            self.table(Table::Roots(factor))?;
            if number + 1 < factors.len() {
                let left = factors[number..].iter().product();
                self.table(Table::Fine(left))?;
                self.table(Table::Coarse(left))?;
            }
        }
        Ok(())
    }

    fn rows(&mut self, job: &Job<'_>, rows: &RowTransforms) -> Result<()> {
        let n = rows.length;
        let (from, to) = (rows.from.address, rows.to.address);
        let plain = Pass {
            rows,
            length: n,
            middle: 1,
            inner: 1,
            ends: [true, true],
            from,
            to,
            load: PassMap { outer: rows.from.step, step: 1, ..PassMap::default() },
            store: PassMap { outer: rows.to.step, step: 1, ..PassMap::default() },
            twiddled: None,
        };
        let factors = self.split(n)?;
        let [a, ref others @ ..] = *factors else { unreachable!("a length has a factor") };
        if others.is_empty() {
            return self.pass(job, &plain);
        }
        let rest = n / a;
        let bytes = rows.count * n * 2 * self.part.size();
        let first = job.scratch(bytes)?;
        let columns = PassMap { outer: n, middle: 0, inner: 1, step: rest };
        self.pass(
            job,
            &Pass {
                length: a,
                inner: rest,
                ends: [true, false],
                to: first.address(),
                load: PassMap { outer: rows.from.step, ..columns },
                store: columns,
                twiddled: Some(n),
                ..plain
            },
        )?;
        let last = Pass { ends: [false, true], from: first.address(), ..plain };
        match *others {
            [b, c] => {
                let second = job.scratch(bytes)?;
                let columns = PassMap { outer: n, middle: b * c, inner: 1, step: c };
                self.pass(
                    job,
                    &Pass {
                        length: b,
                        middle: a,
                        inner: c,
                        ends: [false, false],
                        from: first.address(),
                        to: second.address(),
                        load: columns,
                        store: columns,
                        twiddled: Some(b * c),
                        ..plain
                    },
                )?;
                self.pass(
                    job,
                    &Pass {
                        length: c,
                        middle: a,
                        inner: b,
                        from: second.address(),
                        load: PassMap { outer: n, middle: b * c, inner: c, step: 1 },
                        store: PassMap { outer: rows.to.step, middle: 1, inner: a, step: a * b },
                        ..last
                    },
                )
            }
            _ => self.pass(
                job,
                &Pass {
                    length: rest,
                    inner: a,
                    load: PassMap { outer: n, middle: 0, inner: rest, step: 1 },
                    store: PassMap { outer: rows.to.step, middle: 0, inner: 1, step: a },
                    ..last
                },
            ),
        }
    }

    fn pass(&mut self, job: &Job<'_>, pass: &Pass<'_>) -> Result<()> {
        let Pass { rows, length, middle, inner, ends: [begins, ends], .. } = *pass;
        let count = rows.count * middle * inner;
        let strided = middle * inner > 1;
        let kernel = BlockFourier {
            part: self.part,
            load: if begins { rows.load } else { Load::Complex },
            store: if ends { rows.store } else { Store::Complex },
            strided,
            fixed: fixed(length),
        };
        let processors = self.runtime.driver().properties().multiprocessors as usize;
        let capacity = points(self.part) / length;
        let least = if strided { NEIGHBOURS.min(capacity) } else { 1 };
        let together = (count / (processors * BLOCKS_EACH)).clamp(least, capacity);
        let transposed = |map: &PassMap| strided && map.inner < map.step;
        let stages = radices(length).unwrap_or_default();
        let radices = stages.iter().rev().fold(0, |word, radix| word << 8 | u64::from(*radix));
        let swaps = rows.swaps & if begins { 7 } else { 6 } & if ends { 7 } else { 1 };
        let mut arguments = Arguments::default();
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        arguments.extend([
            count as u64,
            pair(length, together),
            pair(
                usize::from(transposed(&pass.load)) | usize::from(transposed(&pass.store)) << 1,
                swaps as usize,
            ),
            radices,
        ]);
        arguments.divisor(inner, false);
        arguments.divisor(middle, false);
        for map in [&pass.load, &pass.store] {
            arguments.extend([map.outer, map.middle, map.inner, map.step].map(|step| step as u64));
        }
        let all = u64::MAX;
        let scale = if ends { rows.scale } else { 1.0 };
        arguments.extend([
            rows.from.limit as u64,
            if begins { rows.from.limit as u64 } else { all },
            if ends { rows.to.limit as u64 } else { all },
            pass.twiddled.map_or(0, |twiddled| u64::from(shift(twiddled))),
            word(self.part, scale),
        ]);
        arguments.places([
            pass.from,
            pass.to,
            self.table(Table::Roots(length))?,
            if begins { rows.from.table } else { 0 },
            if ends { rows.to.table } else { 0 },
        ]);
        match pass.twiddled {
            Some(twiddled) => {
                arguments.places([
                    self.table(Table::Fine(twiddled))?,
                    self.table(Table::Coarse(twiddled))?,
                ]);
            }
            None => arguments.places([0, 0]),
        }
        job.launch(&kernel, count.div_ceil(together), BLOCK, &arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_factors_that_fit() {
        for length in
            [1, 2, 4096, 4097 * 3, 1 << 13, 1 << 20, 3 * 5 * 7 * 4096, 1 << 24, 1 << 25, 1 << 30]
        {
            let found = factors(length, 4096);
            if let Some(found) = &found {
                assert_eq!(found.iter().product::<usize>(), length);
                assert!(found.iter().all(|&factor| factor <= 4096), "{found:?}");
            }
            // A prime of 4099 does not fit.
            assert_eq!(
                found.is_some(),
                radices(length).is_some() || length == 4097 * 3,
                "{length}"
            );
        }
        assert_eq!(factors(1 << 20, 4096), Some(vec![1024, 1024]));
        assert_eq!(factors(1 << 25, 4096).map(|factors| factors.len()), Some(3));
    }
}
