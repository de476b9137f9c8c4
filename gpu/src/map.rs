//! Plans maps: how many neighbours a thread takes, and the arguments.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ndany_core::backend::{ContiguousView, Launch, Memory, StridedView};
use ndany_core::program::{Domain, Input, Instr, NarrowPositions, Op, Output, Program, RegType};
use ndany_core::shape::{Shape, Strides};
use ndany_core::{DType, Result, dry_run};
use ndany_kernels::layout::{IndexMap, Stride};
use ndany_kernels::map::{BLOCK, Map, Shift, Shifts, TILE};
use ndany_kernels::tiles::{self, MOST_BYTES, SIDE, Tiles};

use smallvec::SmallVec;

use crate::job::Job;
use crate::memory::GpuMemory;
use crate::modules::{Lookup, PreparedFunction, Request};
use crate::operand::{Arguments, Operand, WIDE, first, index_map, is_wide};
use crate::runtime::{LoadedMap, Runtime};

/// Most neighbours of a thread: more would cost registers and bring no wider pieces.
const MOST: usize = 8;

/// Bytes that move at once.
const PIECE: usize = 16;

/// Inputs, then outputs.
type Operands = SmallVec<[Operand; 4]>;

pub(crate) fn map(job: &Job<'_>, launch: &Launch<'_>) -> Result<()> {
    let prepared = prepared_number(job, launch);
    if let Some(launched) = prepared.and_then(|number| launch_prepared(job, launch, number)) {
        return launched;
    }
    let places = launch.inputs.iter().chain(&launch.outputs);
    let mut operands = Operands::new();
    for place in places {
        operands.push(Operand::new(place));
    }
    // What a replay adds to a scalar may take positions out of 32 bits.
    let narrow = if launch.slot.is_none() { narrow_positions(launch) } else { None };
    let program: &Program = match &narrow {
        Some(narrow) => narrow.program(),
        None => &launch.program,
    };
    map_operands(job, program, &launch.shape, &operands)?;
    if let (Some(number), None) = (prepared, &narrow) {
        keep_prepared(job, program, &launch.shape, &operands, number);
    }
    Ok(())
}

/// The number of a prepared program whose function depends on nothing but the program: a single axis, along which all operands lie
/// as neighbours from whole pieces on.
fn prepared_number(job: &Job<'_>, launch: &Launch<'_>) -> Option<u64> {
    let prepared = launch.prepared?;
    let &[size] = launch.shape.as_slice() else { return None };
    let mut places = launch.inputs.iter().chain(&launch.outputs);
    let is_plain = |place: &StridedView<'_>| {
        let first =
            first(&ContiguousView { memory: place.memory, offset: place.offset }, place.dtype);
        place.strides.as_slice() == [1] && first.is_multiple_of(PIECE as u64)
    };
    let blocks = size.div_ceil(BLOCK as usize) as u64;
    let at_once = blocks <= job.runtime.most_blocks(BLOCK) && size < WIDE;
    let plain = launch.slot.is_none() && at_once && places.all(is_plain) && !dry_run::is_active();
    plain.then_some(prepared.number())
}

/// Launches a prepared program, if its function is kept and nothing is left over of whole vectors.
fn launch_prepared(job: &Job<'_>, launch: &Launch<'_>, number: u64) -> Option<Result<()>> {
    let PreparedFunction { function, vector } = job.runtime.modules().prepared(number)?;
    let size = launch.shape[0];
    if !size.is_multiple_of(vector) {
        return None;
    }
    let (mut arguments, count) = (Arguments::default(), size / vector);
    arguments.push(0);
    arguments.push(count as u64);
    for &StridedView { memory, offset, dtype, .. } in launch.inputs.iter().chain(&launch.outputs) {
        arguments.address(first(&ContiguousView { memory, offset }, dtype));
    }
    Some(job.run(&LoadedMap(function), count.div_ceil(BLOCK as usize), BLOCK, arguments))
}

/// Keeps the function of a prepared program that was launched, if it is compiled and whole vectors were launched. It may be kept
/// already: a launch that leaves elements over does not use it.
fn keep_prepared(
    job: &Job<'_>,
    program: &Program,
    shape: &[usize],
    operands: &[Operand],
    number: u64,
) {
    if job.runtime.modules().prepared(number).is_some() {
        return;
    }
    let pieces = pieces(program, shape, operands);
    if shape[0] < pieces.vector {
        return;
    }
    let index_map = index_map(shape, operands, 0..1, false, &mut Arguments::default());
    let kernel = MapRequest { program, index_map, pieces: &pieces };
    if let Ok(Lookup::Ready(function)) = job.runtime.find(&kernel, true) {
        let function = PreparedFunction { function, vector: pieces.vector };
        job.runtime.modules().keep_prepared(number, function);
    }
}

/// Programs with positions in 32 bits, of those that have any.
type NarrowPrograms = Mutex<HashMap<Program, Option<Arc<NarrowPositions>>>>;

/// Programs that are kept, at most: each is made in some microseconds.
const MOST_NARROW: usize = 1024;

/// The program of a launch with positions in 32 bits, if it has positions and they fit.
fn narrow_positions(launch: &Launch<'_>) -> Option<Arc<NarrowPositions>> {
    static KNOWN: LazyLock<NarrowPrograms> = LazyLock::new(NarrowPrograms::default);
    let program: &Program = &launch.program;
    let positions = |instr: &Instr| matches!(instr.op, Op::Index | Op::Gather { .. });
    if !program.philox.is_empty() || !program.instrs.iter().any(positions) {
        return None;
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let narrow = match known.get(program) {
        Some(narrow) => narrow.clone(),
        None => {
            if known.len() == MOST_NARROW {
                known.clear();
            }
            let narrow = program.narrow_positions().map(Arc::new);
            known.insert(program.clone(), narrow.clone());
            narrow
        }
    };
    drop(known);
    narrow.filter(|narrow| narrow.fit(program, launch.shape.iter().product(), &launch.scalars))
}

/// A byte as it is.
static BYTES: LazyLock<Program> = LazyLock::new(|| {
    let mut program = Program::default();
    program.inputs.push(Input { dtype: DType::U8, domain: Domain::Element });
    program.instrs.push(Instr {
        op: Op::Load { input: 0, part: 0 },
        ty: RegType::of(DType::U8),
        args: [0; 3],
    });
    program.outputs.push(Output { dtype: DType::U8, parts: [0; 2], domain: Domain::Element });
    program
});

/// Copies bytes of one memory to another.
pub(crate) fn copy(
    runtime: &Arc<Runtime>,
    from: &GpuMemory,
    to: &GpuMemory,
    bytes: usize,
) -> Result<()> {
    let job = Job::begin(runtime, [from as &dyn Memory], [to as &dyn Memory], &[], None)?;
    if bytes == 0 {
        return Ok(());
    }
    let operand = |memory: &GpuMemory| Operand {
        address: memory.address(),
        dtype: DType::U8,
        strides: smallvec::smallvec![1],
    };
    map_operands(&job, &BYTES, &[bytes], &[operand(from), operand(to)])
}

/// A map over these axes; operands are inputs, then outputs.
pub(crate) fn map_operands(
    job: &Job<'_>,
    program: &Program,
    shape: &[usize],
    operands: &[Operand],
) -> Result<()> {
    let asks_position = program.instrs.iter().any(|instr| matches!(instr.op, Op::Index));
    // A single axis has one order.
    if asks_position || shape.len() < 2 {
        return in_order(job, &MapPlan { program, shape, operands, asks_position });
    }
    let (shape, operands) = as_outputs_lie(shape, operands);
    in_order(job, &MapPlan { program, shape: &shape, operands: &operands, asks_position })
}

/// The axes in the order in which the (last) output steps through its memory, neighbours of which all operands step
/// alike being one.
fn as_outputs_lie(shape: &[usize], operands: &[Operand]) -> (Shape, Operands) {
    let Some(output) = operands.last() else { unreachable!("a map has an output") };
    let mut order: SmallVec<[usize; 8]> = (0..shape.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(output.strides[axis].unsigned_abs()));
    let mut extents = Shape::new();
    let mut strides: SmallVec<[Strides; 4]> = SmallVec::from_elem(Strides::new(), operands.len());
    for &axis in &order {
        let last = extents.len();
        let one = last > 0
            && strides.iter().zip(operands).all(|(steps, operand)| {
                steps[last - 1] == operand.strides[axis] * shape[axis] as isize
            });
        for (steps, operand) in strides.iter_mut().zip(operands) {
            match one {
                true => steps[last - 1] = operand.strides[axis],
                false => steps.push(operand.strides[axis]),
            }
        }
        match one {
            true => extents[last - 1] *= shape[axis],
            false => extents.push(shape[axis]),
        }
    }
    let along = |(operand, steps): (&Operand, Strides)| Operand { strides: steps, ..*operand };
    (extents, operands.iter().zip(strides).map(along).collect())
}

/// Steps of an element up to which a thread takes several neighbours. More of them compile for twice as long, and gain little: two
/// neighbours make the complete elliptic integral of some 500 steps 8 % faster, the exponential integral of some 900 5 %.
const MOST_STEPS_OF_NEIGHBOURS: usize = 700;

fn in_order(job: &Job<'_>, map: &MapPlan<'_>) -> Result<()> {
    let MapPlan { shape, operands, .. } = *map;
    if let Some(plan) = TransposedInputs::of(map) {
        return tiles(job, map, &plan);
    }
    let size: usize = shape.iter().product();
    let wide = is_wide(shape, operands);
    let pieces = pieces(map.program, shape, operands);
    let (vectors, rest) = (size / pieces.vector, size % pieces.vector);
    if vectors > 0 {
        run(job, map, wide, 0, vectors, &pieces)?;
    }
    // What is left over of a single axis is less than a vector.
    if rest > 0 {
        run(job, map, wide, size - rest, rest, &Pieces::default())?;
    }
    Ok(())
}

/// How the neighbours of a thread move.
fn pieces(program: &Program, shape: &[usize], operands: &[Operand]) -> Pieces {
    // The text of a loop stands once a neighbour, so the compiler's time grows with them, and lanes wait for the slowest:
    // neighbours go to lanes of their own. So do those that read by position, since lanes that read neighbours of each other read
    // together.
    let apart =
        program.repeats() || program.gathers() || program.weight() > MOST_STEPS_OF_NEIGHBOURS;
    match apart {
        true => Pieces::default(),
        false => Pieces::of(shape, operands, program.inputs.len()),
    }
}

fn run(
    job: &Job<'_>,
    map: &MapPlan<'_>,
    wide: bool,
    first: usize,
    count: usize,
    pieces: &Pieces,
) -> Result<()> {
    let mut arguments = Arguments::default();
    arguments.push(first as u64);
    arguments.push(count as u64);
    let mut blocks = count.div_ceil(BLOCK as usize);
    if let (true, [.., extent]) = (pieces.stacked, map.shape) {
        let [tile_columns, tile_rows] = TILE.map(|extent| extent as usize);
        let columns = extent / pieces.vector;
        let tiles = columns.div_ceil(tile_columns);
        arguments.push(columns as u64);
        arguments.divisor(tiles, wide);
        blocks = tiles * (count / columns).div_ceil(tile_rows);
    }
    let axes = 0..map.shape.len();
    let index_map = index_map(map.shape, map.operands, axes, wide, &mut arguments);
    let kernel = MapRequest { program: map.program, index_map, pieces };
    arguments.addresses(map.operands);
    job.run(&kernel, blocks, BLOCK, arguments)
}

/// A [`Map`] whose program is lent.
struct MapRequest<'m> {
    program: &'m Program,
    index_map: IndexMap,
    pieces: &'m Pieces,
}

impl Request for MapRequest<'_> {
    type Kernel = Map;

    fn hash_into<H: Hasher>(&self, state: &mut H) {
        // Steps of two bits; where there are many, those of the first axes are left to equality.
        let steps = self.index_map.steps.iter().flatten();
        let steps =
            steps.fold(u64::from(self.index_map.wide), |word, step| word << 2 | *step as u64);
        self.program.hash(state);
        state.write_u64(steps);
        // Which inputs lie beside which others, and whether rows are stacked, is left to equality.
        state.write_u64(self.pieces.vector as u64 | self.pieces.apart << 8);
    }

    fn is(&self, kernel: &Map) -> bool {
        let Map { program, index_map, vector, apart, shifts, stacked } = kernel;
        *vector as usize == self.pieces.vector
            && *apart == self.pieces.apart
            && *shifts == self.pieces.shifts
            && *stacked == self.pieces.stacked
            && *index_map == self.index_map
            && program == self.program
    }

    fn kernel(&self) -> Map {
        Map {
            program: self.program.clone(),
            index_map: self.index_map.clone(),
            vector: self.pieces.vector as u32,
            apart: self.pieces.apart,
            shifts: self.pieces.shifts.clone(),
            stacked: self.pieces.stacked,
        }
    }
}

/// How the neighbours of a thread move.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pieces {
    /// How many neighbours along the innermost axis a thread takes.
    vector: usize,
    /// Inputs that do not lie where pieces may, as bits: their elements move one by one.
    apart: u64,
    /// Which of those lie beside other inputs.
    shifts: Shifts,
    /// Whether a block takes several rows.
    stacked: bool,
}

impl Default for Pieces {
    /// Each element by itself.
    fn default() -> Self {
        Self { vector: 1, apart: 0, shifts: Shifts::new(), stacked: false }
    }
}

impl Pieces {
    /// As many neighbours as outputs can take in pieces of memory. Inputs are fewer bytes of the traffic where they are views of
    /// each other, as in stencils, whose elements come from the cache.
    fn of(shape: &[usize], operands: &[Operand], inputs: usize) -> Self {
        let Some(last) = shape.len().checked_sub(1) else { return Self::default() };
        let moving = || operands.iter().filter(|operand| operand.strides[last] != 0);
        if moving().any(|operand| Stride::of(operand.strides[last]) != Stride::One) {
            return Self::default();
        }
        let largest = moving().map(|operand| operand.dtype.size()).max().unwrap_or(PIECE);
        let mut vector = (PIECE / largest).clamp(1, MOST);
        let aligned = |operand: &Operand, vector: usize| {
            let piece = (operand.dtype.size() * vector).min(PIECE);
            let steps = operand.strides[..last].iter();
            operand.strides[last] == 0
                || operand.address.is_multiple_of(piece as u64)
                    && steps.clone().all(|&stride| {
                        (stride.unsigned_abs() * operand.dtype.size()).is_multiple_of(piece)
                    })
        };
        while last > 0 && !shape[last].is_multiple_of(vector) {
            vector /= 2;
        }
        let fits = |operands: &[Operand]| {
            let mut fits = vector;
            while !operands.iter().all(|operand| aligned(operand, fits)) {
                fits /= 2;
            }
            fits
        };
        let (all, vector) = (fits(operands), fits(&operands[inputs..]));
        let mut apart = 0;
        for (input, operand) in operands[..inputs].iter().enumerate() {
            match (aligned(operand, vector), input) {
                (true, _) => {}
                (false, 0..56) => apart |= 1 << input,
                (false, _) => return Self::default(),
            }
        }
        let shifts = shifts(&operands[..inputs], vector, apart);
        // Pieces half as wide are as good where all elements of all inputs are loaded.
        let (vector, apart) = match 2 * all >= vector && shifts.is_empty() {
            true => (all, 0),
            false => (vector, apart),
        };
        let stacked = reads_rows(shape, &operands[..inputs], vector);
        Pieces { vector, apart, shifts, stacked }
    }
}

/// Inputs that are loaded one by one and lie less than a vector beside another input: the views of an array that a stencil reads.
fn shifts(inputs: &[Operand], vector: usize, apart: u64) -> Shifts {
    let is_apart = |input: usize| input < 64 && apart >> input & 1 == 1;
    let mut shifts = Shifts::new();
    for (input, operand) in inputs.iter().enumerate().filter(|(input, _)| is_apart(*input)) {
        let size = operand.dtype.size() as i64;
        let beside = |of: usize| {
            let other = &inputs[of];
            let bytes = operand.address.wrapping_sub(other.address) as i64;
            let alike = other.dtype == operand.dtype && other.strides == operand.strides;
            let by = bytes / size;
            let near = bytes % size == 0 && by != 0 && by.unsigned_abs() < vector as u64;
            // What is loaded in pieces comes first, then these in their order.
            let before = !is_apart(of) || of < input;
            (alike && near && before).then_some(Shift {
                input: input as u8,
                of: of as u16,
                by: by as i8,
            })
        };
        shifts.extend(
            (0..inputs.len()).filter_map(beside).min_by_key(|shift| shift.by.unsigned_abs()),
        );
    }
    shifts
}

/// Rows that views may lie apart, and be in the cache together.
const MOST_ROWS_APART: usize = 4;

/// Columns for one that tiles have beyond the end of rows.
const MOST_COLUMNS_IDLE: usize = 8;

/// Whether inputs are views of one array some rows apart, as in a stencil, that move in whole pieces over rows that tiles fill. Rows
/// of a block each then come from memory once for every view: on an H200 five points of 8192² float32 took 79 % of the speed of an
/// addition, and take 89 % in tiles.
fn reads_rows(shape: &[usize], inputs: &[Operand], vector: usize) -> bool {
    let [.., extent] = *shape else { return false };
    let rows = shape[..shape.len() - 1].iter().product::<usize>();
    let [tile_columns, tile_rows] = TILE.map(|extent| extent as usize);
    let columns = extent / vector;
    let idle = columns.next_multiple_of(tile_columns) - columns;
    if shape.len() < 2 || rows < tile_rows || MOST_COLUMNS_IDLE * idle > columns {
        return false;
    }
    let are_rows_apart = |one: &Operand, other: &Operand| {
        let step = one.strides[shape.len() - 2].unsigned_abs() * one.dtype.size();
        let apart = (one.address.wrapping_sub(other.address) as i64).unsigned_abs() as usize;
        let near = step.saturating_sub(PIECE)..=MOST_ROWS_APART * step + PIECE;
        let along = one.strides[shape.len() - 1] != 0 && step > 2 * PIECE;
        let whole = one.dtype.size() * vector >= PIECE;
        along
            && whole
            && one.dtype == other.dtype
            && one.strides == other.strides
            && near.contains(&apart)
    };
    inputs
        .iter()
        .enumerate()
        .any(|(number, one)| inputs[..number].iter().any(|other| are_rows_apart(one, other)))
}

/// What is to be mapped.
struct MapPlan<'m> {
    program: &'m Program,
    shape: &'m [usize],
    operands: &'m [Operand],
    asks_position: bool,
}

/// Extents from which on it pays to transpose inputs.
const LONG: usize = 16;

/// A map some of whose inputs are transposed against its outputs.
struct TransposedInputs {
    /// The axis along which these inputs have neighbours.
    axis: usize,
    inputs: Vec<bool>,
}

impl TransposedInputs {
    fn of(map: &MapPlan<'_>) -> Option<Self> {
        let last = map.shape.len().checked_sub(1)?;
        let (inputs, outputs) = map.operands.split_at(map.program.inputs.len());
        let long = |axis: usize| map.shape[axis] >= LONG;
        if map.asks_position
            || !long(last)
            || outputs.iter().any(|output| output.strides[last] != 1)
        {
            return None;
        }
        // An input that steps along x anyhow, and along some other axis from neighbour to neighbour.
        let axis_of = |input: &Operand| match input.strides[last] {
            0 | 1 => None,
            _ => (0..last).find(|&axis| input.strides[axis] == 1 && long(axis)),
        };
        let axis = inputs.iter().find_map(axis_of)?;
        let mut bytes = 0;
        let mut transposes = |input: &Operand| {
            let fits = axis_of(input) == Some(axis) && bytes + input.dtype.size() <= MOST_BYTES;
            bytes += if fits { input.dtype.size() } else { 0 };
            fits
        };
        Some(Self { axis, inputs: inputs.iter().map(&mut transposes).collect() })
    }
}

fn tiles(job: &Job<'_>, map: &MapPlan<'_>, plan: &TransposedInputs) -> Result<()> {
    let MapPlan { program, shape: extents, operands, .. } = *map;
    let last = extents.len() - 1;
    let others: Vec<usize> = (0..last).filter(|&axis| axis != plan.axis).collect();
    let wide = is_wide(extents, operands);
    let shape: Vec<usize> = others.iter().map(|&axis| extents[axis]).collect();
    let along = |operand: &Operand| {
        let strides: Vec<isize> = others.iter().map(|&axis| operand.strides[axis]).collect();
        operand.along(&strides)
    };
    let over_others: Vec<Operand> = operands.iter().map(along).collect();
    let mut strides = Arguments::default();
    let outer = index_map(&shape, &over_others, 0..shape.len(), wide, &mut strides);
    let kernel = Tiles { program: program.clone(), outer, transposed: plan.inputs.clone() };
    let [x, y] = [last, plan.axis].map(|axis| extents[axis]);
    let [tiles_x, tiles_y] = [x, y].map(|extent| extent.div_ceil(SIDE));
    let mut arguments = Arguments::default();
    arguments.extend([x as u64, y as u64]);
    arguments.divisor(tiles_x, wide);
    arguments.divisor(tiles_y, wide);
    arguments.append(&strides);
    for operand in operands {
        arguments.extend([last, plan.axis].map(|axis| operand.strides[axis] as i64 as u64));
    }
    arguments.addresses(operands);
    let blocks = tiles_x * tiles_y * shape.iter().product::<usize>();
    job.run(&kernel, blocks, tiles::BLOCK, arguments)
}

#[cfg(test)]
mod tests {
    use ndany_core::DType;

    use super::*;

    /// The pieces of a map of 8 rows of 64 F32, from arrays at these addresses to one at the last.
    fn pieces(addresses: &[u64]) -> Pieces {
        let operand = |&address: &u64| Operand {
            address,
            dtype: DType::F32,
            strides: smallvec::smallvec![64, 1],
        };
        let operands: Vec<Operand> = addresses.iter().map(operand).collect();
        Pieces::of(&[8, 64], &operands, operands.len() - 1)
    }

    fn shift(input: u8, of: u16, by: i8) -> Shift {
        Shift { input, of, by }
    }

    fn in_pieces(vector: usize, apart: u64, shifts: &[Shift]) -> Pieces {
        Pieces { vector, apart, shifts: shifts.into(), stacked: false }
    }

    #[test]
    fn inputs_beside_pieces_move_by_elements() {
        assert_eq!(pieces(&[256, 512, 1024]), in_pieces(4, 0, &[]));
        // One lies an element further than a piece.
        assert_eq!(pieces(&[256, 516, 1024]), in_pieces(4, 0b10, &[]));
        // Half a piece is as good, for all.
        assert_eq!(pieces(&[256, 520, 1024]), in_pieces(2, 0, &[]));
        // Outputs decide.
        assert_eq!(pieces(&[256, 512, 1028]), Pieces::default());
        assert_eq!(pieces(&[256, 516, 1032]), Pieces::default());
        assert_eq!(pieces(&[256, 260, 1032]), in_pieces(2, 0b10, &[shift(1, 0, 1)]));
    }

    #[test]
    fn views_of_one_array_share_what_is_loaded() {
        // As in a stencil: an element after another input, and one before it.
        let around = [shift(1, 0, 1), shift(2, 0, -1)];
        assert_eq!(pieces(&[256, 260, 252, 1024]), in_pieces(4, 0b110, &around));
        // The nearest counts, in front of it or after it.
        assert_eq!(pieces(&[268, 256, 1024]), in_pieces(4, 0b1, &[shift(0, 1, 3)]));
        assert_eq!(pieces(&[256, 268, 272, 1024]), in_pieces(4, 0b10, &[shift(1, 2, -1)]));
        // Where none is loaded in pieces, the first is loaded by elements.
        assert_eq!(pieces(&[260, 264, 1024]), in_pieces(4, 0b11, &[shift(1, 0, 1)]));
        // A vector further nothing is shared.
        assert_eq!(pieces(&[256, 276, 1024]), in_pieces(4, 0b10, &[]));
        // More inputs than bits.
        let many: Vec<u64> = [260].into_iter().chain((2..90).map(|k| 128 * k)).collect();
        assert_eq!(pieces(&many), in_pieces(4, 0b1, &[shift(0, 1, 1)]));
    }

    #[test]
    fn rows_that_are_read_several_times_are_stacked() {
        // Rows of 256 elements, and inputs that begin this number of bytes after each other.
        let is_stacked = |rows: usize, columns: usize, beside: u64| {
            let strides: Strides = smallvec::smallvec![256, 1];
            let operand =
                |address| Operand { address, dtype: DType::F32, strides: strides.clone() };
            let inputs = [operand(1 << 20), operand((1 << 20) + beside)];
            reads_rows(&[rows, columns], &inputs, 4)
        };
        for beside in [1024, 1028, 1020, 4096] {
            assert!(is_stacked(8, 128, beside), "{beside}");
        }
        // One array, a row's neighbours, other arrays.
        for beside in [0, 4, 512, 8192] {
            assert!(!is_stacked(8, 128, beside), "{beside}");
        }
        // Too few rows; tiles that are not filled.
        assert!(!is_stacked(7, 128, 1024));
        for (columns, stacked) in [(128, true), (124, true), (112, false), (136, false)] {
            assert_eq!(is_stacked(8, columns, 1024), stacked, "{columns}");
        }
    }
}
