//! What the seam accepts, against lists of every position that is touched: random shapes, strides, offsets and dtypes, and
//! random programs, which the reference runs without a panic once they have been accepted.

mod dice;

use std::sync::Arc;

use dice::Dice;
use ndany::{DType, Error};
use ndany_core::backend::{
    Backend, Check, Checked, ContiguousView, Correlate, FusedRowwise, Gather, Launch, Map, Matmul,
    Memory, Origin, Positions, Scatter, Select, Sort, Sorted, StridedView,
};
use ndany_core::program::{
    Body, Combine, Domain, Input, Instr, Loop, Op, Output, Prim, Program, Reduction, RegType,
};
use ndany_core::shape::{Shape, Strides};
use ndany_reference::Reference;
use smallvec::{SmallVec, smallvec};

/// Memory of this number of bytes that no device has.
#[derive(Debug)]
struct TestMemory(usize);

impl Memory for TestMemory {
    fn bytes(&self) -> usize {
        self.0
    }

    fn of_device(&self) -> &dyn Memory {
        self
    }
}

impl Dice {
    fn dtype(&mut self) -> DType {
        self.one_of(&DType::ALL)
    }

    fn stride(&mut self) -> isize {
        self.below(9) as isize - 4
    }

    /// Now and then, numbers that overflow what is made of them.
    fn extreme(&mut self) -> usize {
        self.one_of(&[0, 1, 1 << 31, 1 << 62, 1 << 63, usize::MAX - 1, usize::MAX])
    }
}

/// Cases of each test.
const CASES: usize = 20_000;

/// Every position of a view, in elements.
fn positions(shape: &[usize], strides: &[isize], offset: usize) -> Vec<i128> {
    let mut all = vec![offset as i128];
    for (&extent, &stride) in shape.iter().zip(strides) {
        let along = |&at: &i128| (0..extent).map(move |step| at + step as i128 * stride as i128);
        all = all.iter().flat_map(along).collect();
    }
    all
}

fn lie_within(positions: &[i128], dtype: DType, bytes: usize) -> bool {
    positions.iter().all(|&at| at >= 0 && (at + 1) * dtype.size() as i128 <= bytes as i128)
}

/// A program that copies its input.
fn copy(dtype: DType) -> Program {
    let ty = RegType::of(dtype);
    let load = |part| Instr { op: Op::Load { input: 0, part }, ty, args: [0; 3] };
    let parts = if dtype.is_complex() { [0, 1] } else { [0, 0] };
    Program {
        inputs: smallvec![Input { dtype, domain: Domain::Element }],
        instrs: (0..=parts[1] as u8).map(load).collect(),
        outputs: smallvec![Output { dtype, parts, domain: Domain::Element }],
        ..Program::default()
    }
}

fn launch<'a>(
    program: Checked<&'a Program>,
    shape: &[usize],
    inputs: SmallVec<[StridedView<'a>; 4]>,
    outputs: SmallVec<[StridedView<'a>; 2]>,
) -> Launch<'a> {
    Launch {
        program,
        prepared: None,
        shape: Shape::from_slice(shape),
        row_axes: 0,
        inputs,
        scalars: SmallVec::new(),
        outputs,
        made_of: Vec::new(),
        origin: None,
        slot: None,
    }
}

/// Whether the error is one of the seam's, which names the pattern.
#[track_caller]
fn refused<T>(outcome: Result<T, Error>, pattern: &str) {
    match outcome {
        Err(error @ Error::Launch { .. }) => {
            let text = error.to_string();
            assert!(text.starts_with(&format!("[{pattern}] refused: ")), "{text}");
        }
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn a_map_is_accepted_where_every_element_lies_in_memory() {
    let (mut dice, mut seen) = (Dice(1), [0; 2]);
    for _ in 0..CASES {
        let dtype = dice.dtype();
        let axes = dice.below(4);
        let shape: Vec<usize> = (0..axes).map(|_| 1 + dice.below(4)).collect();
        let strides: Vec<isize> = (0..axes).map(|_| dice.stride()).collect();
        let (offset, memory) =
            (dice.below(30), TestMemory(dice.below(60) * dtype.size() + dice.below(3)));
        let other = TestMemory(1 << 20);
        let program = copy(dtype);
        let program = Checked::new(&program).expect("a copy");
        let view =
            StridedView { memory: &memory, dtype, offset, strides: Strides::from_slice(&strides) };
        let wide =
            StridedView { memory: &other, dtype, offset: 0, strides: Strides::from_elem(0, axes) };
        let fits = lie_within(&positions(&shape, &strides, offset), dtype, memory.0);
        // As an input, and as an output.
        for (input, output) in [(view.clone(), wide.clone()), (wide, view)] {
            let launch = launch(program, &shape, smallvec![input], smallvec![output]);
            let accepted = Checked::new(&Map { launch: &launch }).is_ok();
            assert_eq!(accepted, fits, "{launch:?}");
            seen[usize::from(fits)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > CASES / 10), "{seen:?}");
}

#[test]
fn numbers_that_overflow_are_refused() {
    let mut dice = Dice(2);
    for _ in 0..CASES {
        let dtype = dice.dtype();
        let axes = 1 + dice.below(3);
        let extent = |dice: &mut Dice| match dice.below(2) {
            0 => dice.extreme(),
            _ => 1 + dice.below(3),
        };
        let shape: Vec<usize> = (0..axes).map(|_| extent(&mut dice)).collect();
        let strides: Vec<isize> = (0..axes).map(|_| extent(&mut dice) as isize).collect();
        let offset = extent(&mut dice);
        let memory = TestMemory(1 << 16);
        let program = copy(dtype);
        let program = Checked::new(&program).expect("a copy");
        let view =
            StridedView { memory: &memory, dtype, offset, strides: Strides::from_slice(&strides) };
        let launch = launch(program, &shape, smallvec![view.clone()], smallvec![view]);
        let accepted = Checked::new(&Map { launch: &launch }).is_ok();
        // Reaches of axes, exactly: in i128 none of these overflows.
        let size = shape.iter().try_fold(1i128, |size, &extent| size.checked_mul(extent as i128));
        let size = size.filter(|&size| size > 0 && size <= isize::MAX as i128);
        let reach = |positive: bool| -> i128 {
            let axes = shape.iter().zip(&strides).filter(|&(_, &step)| (step > 0) == positive);
            axes.map(|(&extent, &step)| (extent as i128 - 1).saturating_mul(step as i128))
                .fold(0, i128::saturating_add)
        };
        let fits = size.is_some()
            && offset as i128 + reach(false) >= 0
            && (offset as i128).saturating_add(reach(true)).saturating_add(1)
                <= (memory.0 / dtype.size()) as i128;
        assert_eq!(accepted, fits, "{launch:?}");
    }
}

#[test]
fn a_gather_is_accepted_where_it_reads_inside_whatever_the_positions() {
    let mut dice = Dice(3);
    let mut seen = [0; 2];
    for _ in 0..CASES {
        let dtype = dice.dtype();
        let axes = dice.below(3);
        let shape: Vec<usize> = (0..axes).map(|_| 1 + dice.below(3)).collect();
        let strides: Vec<isize> = (0..axes).map(|_| dice.stride()).collect();
        let offset = dice.below(30);
        let memory = TestMemory(dice.below(50) * dtype.size());
        let wide = TestMemory(1 << 16);
        let flat = |dtype| StridedView {
            memory: &wide,
            dtype,
            offset: 0,
            strides: Strides::from_elem(0, axes),
        };
        let walks: SmallVec<[Positions<'_>; 2]> = (0..1 + dice.below(2))
            .map(|axis| Positions {
                place: flat(DType::I64),
                extent: dice.below(4),
                stride: dice.stride(),
                axis,
                bounds_checked: false,
            })
            .collect();
        let mut touched = positions(&shape, &strides, offset);
        for walk in &walks {
            let along = |&at: &i128| {
                (0..walk.extent).map(move |place| at + place as i128 * walk.stride as i128)
            };
            touched = touched.iter().flat_map(along).collect();
        }
        let fits = lie_within(&touched, dtype, memory.0);
        let view =
            StridedView { memory: &memory, dtype, offset, strides: Strides::from_slice(&strides) };
        let origin = Origin {
            op: "test",
            shape: &shape,
            dtype,
            location: ndany_core::CallSite::caller(),
            meaning: None,
        };
        let gather = Gather {
            shape: Shape::from_slice(&shape),
            source: view.clone(),
            positions: walks.clone(),
            out: flat(dtype),
            origin,
        };
        assert_eq!(gather.check().is_ok(), fits, "{gather:?}");
        let scatter = Scatter {
            shape: Shape::from_slice(&shape),
            target: view,
            positions: walks,
            values: flat(dtype),
            combine: None,
            origin,
        };
        assert_eq!(scatter.check().is_ok(), fits, "{scatter:?}");
        seen[usize::from(fits)] += 1;
    }
    assert!(seen.iter().all(|&count| count > CASES / 10), "{seen:?}");
}

#[test]
fn products_sorts_and_correlations_are_accepted_where_they_lie_in_memory() {
    let mut dice = Dice(4);
    for _ in 0..CASES {
        let dtype = dice.one_of(&[DType::I8, DType::F32, DType::C128]);
        let [b, m, k, n] = std::array::from_fn(|_| 1 + dice.below(3));
        let memories = [(); 3].map(|()| TestMemory(dice.below(40) * dtype.size()));
        let mut view = |memory: usize| StridedView {
            memory: &memories[memory],
            dtype,
            offset: dice.below(8),
            strides: (0..3).map(|_| dice.stride()).collect(),
        };
        let (left, right, out) = (view(0), view(1), view(2));
        let fits = [(&left, [b, m, k]), (&right, [b, k, n]), (&out, [b, m, n])]
            .iter()
            .zip(&memories)
            .all(|((view, shape), memory)| {
                lie_within(&positions(shape, &view.strides, view.offset), dtype, memory.0)
            });
        let product = Matmul { batch: smallvec![b], m, k, n, left, right, out };
        assert_eq!(product.check().is_ok(), fits, "{product:?}");

        let [rows, length] = [1 + dice.below(4), 1 + dice.below(4)];
        let (step, offset) = (dice.stride(), dice.below(9));
        let source =
            StridedView { memory: &memories[0], dtype, offset, strides: smallvec![step, 1] };
        let output = StridedView {
            memory: &memories[1],
            dtype,
            offset,
            strides: smallvec![length as isize, 1],
        };
        let places = |view: &StridedView<'_>| positions(&[rows, length], &view.strides, offset);
        let fits = lie_within(&places(&source), dtype, memories[0].0)
            && lie_within(&places(&output), dtype, memories[1].0);
        let sort = Sort { rows, length, source, output, write: Sorted::Values };
        assert_eq!(sort.check().is_ok(), fits, "{sort:?}");

        let [long, short, output] = [0, 1, 2].map(|number: usize| ContiguousView {
            memory: &memories[number],
            offset: dice.below(4),
        });
        let [length, taps, outputs] = [(); 3].map(|()| dice.below(8));
        let before = dice.below(3);
        // Every result has a product.
        let sense = taps > 0
            && taps <= length
            && before < taps
            && outputs > 0
            && (0..outputs)
                .all(|i| (0..taps).any(|k| (before..length + before).contains(&(i + k))));
        let holds = [(long, length), (short, taps), (output, outputs)]
            .iter()
            .zip(&memories)
            .all(|((view, count), memory)| (view.offset + count) * dtype.size() <= memory.0);
        let correlate = Correlate { dtype, length, taps, outputs, before, long, short, output };
        assert_eq!(correlate.check().is_ok(), sense && holds, "{correlate:?}");
    }
}

/// An instruction of any kind, mostly of one type, whose arguments are any of `count` registers or one that is not there.
fn instr(dice: &mut Dice, count: usize, main: RegType) -> Instr {
    use RegType::{Bool, F32, F64, I64};
    // Steps that every type has.
    let prims = [Prim::Add, Prim::Mul, Prim::Min, Prim::Lt, Prim::Eq, Prim::Select];
    let mut args = [(); 3].map(|()| dice.below(count + 1) as u16);
    let ty = dice.one_of(&[main, main, main, main, F32, F64, I64, Bool]);
    let op = match dice.below(12) {
        0..3 => Op::Load { input: dice.below(3) as u16, part: dice.below(2) as u8 },
        3 => Op::Scalar(dice.below(2) as u16),
        4 => Op::Const(dice.one_of(&[0, 1, 2])),
        5 => Op::Index,
        6 => Op::Cast { from: dice.one_of(&[F32, F64, I64]) },
        7 if dice.below(4) == 0 => Op::Running(dice.below(2) as u8),
        7 => Op::Reduced { reduction: dice.below(2) as u16, part: dice.below(2) as u8 },
        8 => Op::Bitcast { from: dice.one_of(&[F64, I64, Bool]) },
        _ => Op::Prim(dice.one_of(&prims)),
    };
    if op.arity() < 3 {
        args[op.arity()..].fill(0);
    }
    Instr { op, ty, args }
}

/// A loop on a register, whose steps add it to itself or to another one, and now and then something that is not well-formed.
fn random_loop(dice: &mut Dice, instrs: &[Instr]) -> Loop {
    let count = instrs.len();
    let mut register = || if count == 0 { 0 } else { dice.below(count) };
    let (first, second) = (register(), register());
    let ty = instrs.get(first).map_or(RegType::F32, |instr| instr.ty);
    let argument = |number| Instr { op: Op::Argument(number), ty, args: [0; 3] };
    let mut of = |op, ty, results: &[u16]| {
        let mut args = [0, dice.below(2) as u16, 0];
        let mut instrs = vec![argument(0), argument(1)];
        let mut results: SmallVec<[u16; 4]> = results.iter().copied().collect();
        match dice.below(12) {
            0 => args[1] = 2,
            1 => results[0] = 3,
            2 => instrs[1] = argument(2),
            _ => {}
        }
        instrs.push(Instr { op: Op::Prim(op), ty, args });
        Body { instrs, loops: Vec::new(), results, known: None }
    };
    let condition = of(Prim::Eq, RegType::Bool, &[2]);
    let step = of(Prim::Max, ty, &[2]);
    let state = 1 + u8::from(dice.below(12) == 0);
    let operands = [first, second].into_iter().map(|reg| reg as u16).collect();
    Loop { operands, state, limit: dice.below(4) as u32, condition, step }
}

/// Bool has no steps of numbers; no backend is asked for them by a program of core.
fn has_steps_of_its_types(instrs: &[Instr], loops: &[Arc<Loop>]) -> bool {
    let own = instrs.iter().all(|instr| match instr.op {
        Op::Prim(Prim::Add | Prim::Mul | Prim::Min | Prim::Max) => instr.ty != RegType::Bool,
        Op::Prim(Prim::Lt) => {
            let first = instrs.get(usize::from(instr.args[0]));
            first.is_some_and(|first| first.ty != RegType::Bool)
        }
        _ => true,
    });
    let mut bodies = loops.iter().flat_map(|own| [&own.condition, &own.step]);
    own && bodies.all(|body| has_steps_of_its_types(&body.instrs, &body.loops))
}

#[test]
fn the_reference_runs_every_program_that_is_accepted() {
    let (mut dice, device) = (Dice(5), Reference::new());
    let memory = device.allocate(1 << 10).expect("memory");
    let (mut accepted, mut looping, mut reading) = (0, 0, 0);
    for case in 0..20 * CASES {
        let dtypes = [DType::F32, DType::F64, DType::I64, DType::C64];
        let main = dice.one_of(&dtypes);
        let mut program = Program { scalars: smallvec![RegType::of(main)], ..Program::default() };
        let domain = |dice: &mut Dice| dice.one_of(&[Domain::Element, Domain::Row]);
        for _ in 0..2 {
            let dtype = dice.one_of(&[main, main, main, DType::I64]);
            let domain = domain(&mut dice);
            program.inputs.push(Input { dtype, domain });
        }
        let count = 1 + dice.below(5);
        for number in 0..count {
            program.instrs.push(instr(&mut dice, number, RegType::of(main)));
        }
        let mut count = count;
        if main == DType::I64 && dice.below(2) == 0 {
            // An element at a position, or a check of one, of as many as the scalar says.
            let ty = RegType::I64;
            let op = match dice.below(3) {
                0 => Op::BoundsCheck { operand: dice.below(2) as u8, axis: 0 },
                _ => Op::Gather { input: dice.below(2) as u16, part: 0 },
            };
            let args =
                [dice.below(count) as u16, (count - usize::from(dice.below(20) == 0)) as u16, 0];
            program.instrs.push(Instr { op: Op::Scalar(0), ty, args: [0; 3] });
            program.instrs.push(Instr { op, ty, args });
            count += 2;
        }
        if dice.below(3) == 0 {
            program.loops.push(Arc::new(random_loop(&mut dice, &program.instrs)));
            let ty = program.loops[0].step.instrs[0].ty;
            let run = Op::Loop(u16::from(dice.below(20) == 0));
            program.instrs.push(Instr { op: run, ty: RegType::Bool, args: [0; 3] });
            let op = Op::LoopState(u8::from(dice.below(20) == 0));
            program.instrs.push(Instr { op, ty, args: [count as u16, 0, 0] });
            count += 2;
        }
        if dice.below(2) == 0 {
            let lifted = (0..dice.below(3)).map(|_| dice.below(count + 1) as u16).collect();
            let combine = Combine::Prim(dice.one_of(&[Prim::Add, Prim::Max, Prim::Sub]));
            program.reductions.push(Reduction { lifted, combine });
        }
        let parts = [(); 2].map(|()| dice.below(count + 1) as u16);
        let (dtype, domain) = (main, domain(&mut dice));
        program.outputs.push(Output { dtype, parts, domain });
        let Ok(checked) = Checked::new(&program) else { continue };
        // A combination of booleans is no addition.
        let bools = program.reductions.iter().flat_map(|reduction| &reduction.lifted);
        let mut bools = bools.map(|&reg| program.instrs[usize::from(reg)].ty);
        if !has_steps_of_its_types(&program.instrs, &program.loops)
            || bools.any(|ty| ty == RegType::Bool)
        {
            continue;
        }
        let view = |dtype, domain| StridedView {
            memory: &*memory,
            dtype,
            offset: 0,
            strides: smallvec![4, if domain == Domain::Row { 0 } else { 1 }],
        };
        let inputs = program.inputs.iter().map(|input| view(input.dtype, input.domain)).collect();
        let outputs = smallvec![view(dtype, domain)];
        let rows = !program.reductions.is_empty();
        let mut launch = launch(checked, &[3, 4], inputs, outputs);
        (launch.row_axes, launch.scalars) = (usize::from(rows), smallvec![1]);
        if program.reads_running_states() {
            // Scans alone take it, if a body combines.
            assert!(Checked::new(&FusedRowwise { launch: &launch }).is_err(), "case {case}");
            continue;
        }
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match rows {
            true => device.fused_rowwise(Checked::new(&FusedRowwise { launch: &launch })?),
            false => device.map(Checked::new(&Map { launch: &launch })?),
        }));
        let position = matches!(ran, Ok(Err(Error::Position { .. })));
        assert!(matches!(ran, Ok(Ok(()))) || position, "case {case}:\n{program}");
        reading += usize::from(program.gathers());
        accepted += 1;
        looping +=
            usize::from(program.instrs.iter().any(|instr| matches!(instr.op, Op::LoopState(_))));
    }
    assert!(accepted > 2000 && looping > 200 && reading > 100, "{accepted}, {looping}, {reading}");
}

#[test]
fn positions_are_read_within_the_memory() {
    let device = Reference::new();
    let memory = device.allocate(80).expect("memory");
    let view = |dtype, offset, strides: &[isize]| StridedView {
        memory: &*memory,
        dtype,
        offset,
        strides: Strides::from_slice(strides),
    };
    let i64s = |op, args| Instr { op, ty: RegType::I64, args };
    // Elements of an array of int64 at positions that it holds, alone or in a loop.
    let program = |looped: bool, size: Op| {
        let input = Input { dtype: DType::I64, domain: Domain::Element };
        let gather = Op::Gather { input: 0, part: 0 };
        let mut program = Program {
            inputs: smallvec![input],
            scalars: smallvec![RegType::I64],
            instrs: vec![i64s(Op::Load { input: 0, part: 0 }, [0; 3]), i64s(size, [0; 3])],
            outputs: smallvec![Output {
                dtype: DType::I64,
                parts: [2; 2],
                domain: Domain::Element
            }],
            ..Program::default()
        };
        if !looped {
            program.instrs.push(i64s(gather, [0, 1, 0]));
            return program;
        }
        let arguments = [0, 1].map(|number| i64s(Op::Argument(number), [0; 3]));
        let body = |last: Instr| Body {
            instrs: arguments.into_iter().chain([last]).collect(),
            loops: Vec::new(),
            results: smallvec![2],
            known: None,
        };
        let less = Instr { op: Op::Prim(Prim::Lt), ty: RegType::Bool, args: [0, 1, 0] };
        let (condition, step) = (body(less), body(i64s(gather, [0, 1, 0])));
        let operands = smallvec![0, 1];
        program.loops.push(Arc::new(Loop { operands, state: 1, limit: 2, condition, step }));
        let run = Instr { op: Op::Loop(0), ty: RegType::Bool, args: [0; 3] };
        program.instrs.extend([run, i64s(Op::LoopState(0), [2, 0, 0])]);
        program.outputs[0].parts = [3; 2];
        program
    };
    for looped in [false, true] {
        refused(Checked::new(&program(looped, Op::Const(1))), "program");
        refused(Checked::new(&program(looped, Op::Index)), "program");
        let program = program(looped, Op::Scalar(0));
        for (offset, size, fits) in [
            (0, 10, true),
            (0, 11, false),
            (4, 6, true),
            (4, 7, false),
            (0, -1i64, false),
            (9, 0, true),
        ] {
            let checked = Checked::new(&program).expect("well-formed");
            let inputs = smallvec![view(DType::I64, offset, &[0])];
            let outputs = smallvec![view(DType::I64, 0, &[1])];
            let mut launch = launch(checked, &[3], inputs, outputs);
            launch.scalars = smallvec![size as u64];
            let map = Map { launch: &launch };
            match (Checked::new(&map), fits) {
                (Ok(map), true) => assert!(device.map(map).is_ok()),
                (outcome, _) => refused(outcome, "map"),
            }
        }
    }
}

#[test]
fn no_memory_passes_for_another() {
    // A memory that says it were longer is not the device's, whatever follows it.
    #[derive(Debug)]
    struct Longer(std::sync::Arc<dyn Memory>);
    impl Memory for Longer {
        fn bytes(&self) -> usize {
            usize::MAX
        }

        fn of_device(&self) -> &dyn Memory {
            self.0.as_ref()
        }
    }
    let device = Reference::new();
    let memory = Longer(device.allocate(4).expect("memory"));
    let mut bytes = [0; 8];
    let read = std::panic::AssertUnwindSafe(|| device.read(&memory, 0, &mut bytes));
    assert!(std::panic::catch_unwind(read).is_err());
    refused(device.read(memory.of_device(), 0, &mut [0; 8]), "read");
}

#[test]
fn a_selection_is_refused_where_the_mask_shows_more() {
    let device = Reference::new();
    let mask = device.allocate(4).expect("memory");
    device.write(&*mask, &[1, 1, 0, 1]).expect("written");
    let out = device.allocate(16).expect("memory");
    let view = |memory, dtype| StridedView { memory, dtype, offset: 0, strides: smallvec![1] };
    let select = Select {
        shape: smallvec![4],
        mask: view(&*mask, DType::Bool),
        source: None,
        count: 2,
        out: view(&*out, DType::I64),
    };
    refused(device.select(Checked::new(&select).expect("it fits")), "select");
}
