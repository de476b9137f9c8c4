//! Recordings of the reference: each kind of request, replayed on other inputs, has the bits of calls made anew.

use std::sync::Arc;

use ndany_core::backend::{
    Backend, Checked, CombineOrder, ContiguousView, Correlate, Factor, Factoring, FoldLeft, Found,
    FusedRowwise, Gather, Graphs, Interface, Launch, Map, Matmul, Memory, NthElement, Origin,
    Positions, Recordable, Recorded, Reduce, Scan, Scatter, Search, SegmentedReduce, Select,
    SimtArgument, SimtLaunch, Sort, Sorted, StridedView, Transform, Transformation,
};
use ndany_core::program::{
    Combine, Domain, Input, Instr, Op, Output, Prim, Program, Reduction, RegType,
};
use ndany_core::simt::{Builtin, Kernel, Parameter, ParameterKind, Parts, Place, Statement};
use ndany_core::{CallSite, DType, Error, Result};
use smallvec::{SmallVec, smallvec};

use super::Reference;
use DType::{Bool, C64, F32, I32, I64};

type Shared = Arc<dyn Memory>;

fn view<'a>(memory: &'a Shared, dtype: DType, strides: &[isize]) -> StridedView<'a> {
    StridedView {
        memory: memory.as_ref(),
        dtype,
        offset: 0,
        strides: SmallVec::from_slice(strides),
    }
}

fn packed(memory: &Shared) -> ContiguousView<'_> {
    ContiguousView { memory: memory.as_ref(), offset: 0 }
}

fn origin(dtype: DType) -> Origin<'static> {
    Origin { op: "test", shape: &[3, 4], dtype, location: CallSite::caller(), meaning: None }
}

const LOAD: Instr = Instr { op: Op::Load { input: 0, part: 0 }, ty: RegType::F32, args: [0; 3] };
const SUM: Instr =
    Instr { op: Op::Reduced { reduction: 0, part: 0 }, ty: RegType::F32, args: [0; 3] };
const DIFFERENCE: Instr = Instr { op: Op::Prim(Prim::Sub), ty: RegType::F32, args: [0, 1, 0] };

/// Of one F32 array, with or without a sum of each row, whose last register comes out.
fn program(instrs: &[Instr], sums: bool, domain: Domain) -> Program {
    let last = instrs.len() as u16 - 1;
    let sum = Reduction { lifted: smallvec![0], combine: Combine::Prim(Prim::Add) };
    Program {
        inputs: smallvec![Input { dtype: F32, domain: Domain::Element }],
        instrs: instrs.to_vec(),
        reductions: if sums { vec![sum] } else { Vec::new() },
        outputs: smallvec![Output { dtype: F32, parts: [last; 2], domain }],
        ..Program::default()
    }
}

/// A launch over 3 by 4 elements.
fn launch<'a>(
    program: &'a Program,
    [input, output]: [&'a Shared; 2],
    row_axes: usize,
    strides: [isize; 2],
) -> Launch<'a> {
    Launch {
        program: Checked::new(program).expect("a program"),
        prepared: None,
        shape: smallvec![3, 4],
        row_axes,
        inputs: smallvec![view(input, F32, &[4, 1])],
        scalars: SmallVec::new(),
        outputs: smallvec![view(output, F32, &strides)],
        made_of: Vec::new(),
        origin: Some(origin(F32)),
        slot: None,
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_ne_bytes).collect()
}

fn longs(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    values.into_iter().flat_map(i64::to_ne_bytes).collect()
}

fn upload(device: &dyn Backend, bytes: &[u8]) -> Shared {
    let memory = device.allocate(bytes.len()).expect("memory");
    device.write(memory.as_ref(), bytes).expect("a write");
    memory
}

fn download(device: &dyn Backend, memory: &Shared) -> Vec<u8> {
    let mut bytes = vec![0; memory.bytes()];
    device.read(memory.as_ref(), 0, &mut bytes).expect("a read");
    bytes
}

/// Makes one request, of inputs and outputs.
type Work = fn(&dyn Backend, &[Shared], &[Shared]) -> Result<()>;

/// Memories of zeros, of these sizes.
fn outputs(device: &dyn Backend, sizes: &[usize]) -> Vec<Shared> {
    sizes.iter().map(|&bytes| upload(device, &vec![0; bytes])).collect()
}

/// Its name, the inputs to record with and others, the sizes of its outputs, the work.
type Kind = (&'static str, [Vec<Vec<u8>>; 2], Vec<usize>, Work);

fn kinds() -> Vec<Kind> {
    let twelve = |seed: usize| floats((0..12).map(|i| ((i * 7 + seed) % 11) as f32 - 3.5));
    let one = || [vec![twelve(0)], vec![twelve(5)]];
    let walked = || [0, 5].map(|seed| vec![twelve(seed), longs([seed as i64 % 3, -1, 1])]);
    vec![
        ("map", one(), vec![48], |device, inputs, outputs| {
            let double = Instr { op: Op::Prim(Prim::Add), ..LOAD };
            let program = program(&[LOAD, double], false, Domain::Element);
            let launch = launch(&program, [&inputs[0], &outputs[0]], 0, [4, 1]);
            device.map(Checked::new(&Map { launch: &launch })?)
        }),
        ("reduce", one(), vec![12], |device, inputs, outputs| {
            let program = program(&[LOAD, SUM], true, Domain::Row);
            let launch = launch(&program, [&inputs[0], &outputs[0]], 1, [1, 0]);
            device.reduce(Checked::new(&Reduce { launch: &launch })?)
        }),
        ("fused_rowwise", one(), vec![48], |device, inputs, outputs| {
            let program = program(&[LOAD, SUM, DIFFERENCE], true, Domain::Element);
            let launch = launch(&program, [&inputs[0], &outputs[0]], 1, [4, 1]);
            device.fused_rowwise(Checked::new(&FusedRowwise { launch: &launch })?)
        }),
        ("scan", one(), vec![48], |device, inputs, outputs| {
            let program = program(&[LOAD], true, Domain::Element);
            let launch = launch(&program, [&inputs[0], &outputs[0]], 1, [4, 1]);
            device.scan(Checked::new(&Scan { launch })?)
        }),
        ("fold_left", one(), vec![12], |device, inputs, outputs| {
            let program = program(&[LOAD, SUM], true, Domain::Row);
            let launch = launch(&program, [&inputs[0], &outputs[0]], 1, [1, 0]);
            let request = FoldLeft { launch, parts: 1, has_initial: false, store_all: false };
            device.fold_left(Checked::new(&request)?)
        }),
        (
            "segmented_reduce",
            [0, 5].map(|seed| vec![twelve(seed), longs([0, 1]), longs([2, 4])]),
            vec![24],
            |device, inputs, outputs| {
                let program = program(&[LOAD, SUM], true, Domain::Row);
                let request = SegmentedReduce {
                    launch: launch(&program, [&inputs[0], &outputs[0]], 1, [2, 1]),
                    order: CombineOrder::Plan,
                    segments: 2,
                    starts: view(&inputs[1], I64, &[1]),
                    ends: view(&inputs[2], I64, &[1]),
                };
                device.segmented_reduce(Checked::new(&request)?)
            },
        ),
        ("sort", one(), vec![96], |device, inputs, outputs| {
            let (source, output) =
                (view(&inputs[0], F32, &[4, 1]), view(&outputs[0], I64, &[4, 1]));
            let write = Sorted::Positions;
            device.sort(Checked::new(&Sort { rows: 3, length: 4, source, output, write })?)
        }),
        ("nth_element", one(), vec![48], |device, inputs, outputs| {
            let (source, output) =
                (view(&inputs[0], F32, &[4, 1]), view(&outputs[0], F32, &[4, 1]));
            let (rows, length, place, write) = (3, 4, 2, Sorted::Values);
            let request = NthElement { rows, length, place, source, output, write };
            device.nth_element(Checked::new(&request)?)
        }),
        (
            "search",
            [0, 5].map(|seed| vec![floats((0..4).map(|i| (i * 2) as f32)), twelve(seed)]),
            vec![96],
            |device, inputs, outputs| {
                let request = Search {
                    rows: 1,
                    length: 4,
                    count: 12,
                    sorted: view(&inputs[0], F32, &[0, 1]),
                    needles: view(&inputs[1], F32, &[12, 1]),
                    output: view(&outputs[0], I64, &[12, 1]),
                    after_equal: true,
                    write: Found::Positions,
                };
                device.search(Checked::new(&request)?)
            },
        ),
        ("matmul", one(), vec![36], |device, inputs, outputs| {
            let (left, right) = (view(&inputs[0], F32, &[4, 1]), view(&inputs[0], F32, &[1, 4]));
            let (m, k, n, out) = (3, 4, 3, view(&outputs[0], F32, &[3, 1]));
            let batch = SmallVec::new();
            device.matmul(Checked::new(&Matmul { batch, m, k, n, left, right, out })?)
        }),
        ("correlate", one(), vec![48], |device, inputs, outputs| {
            let (long, short, output) =
                (packed(&inputs[0]), packed(&inputs[0]), packed(&outputs[0]));
            let (length, taps, outputs, before) = (12, 4, 12, 2);
            let dtype = F32;
            device.correlate(Checked::new(&Correlate {
                dtype,
                length,
                taps,
                outputs,
                before,
                long,
                short,
                output,
            })?)
        }),
        ("gather", walked(), vec![48], gather),
        ("scatter", walked(), vec![48], |device, inputs, outputs| {
            let place = view(&inputs[1], I64, &[1, 0]);
            let position =
                Positions { place, extent: 3, stride: 4, axis: 0, bounds_checked: false };
            let request = Scatter {
                shape: smallvec![3, 4],
                target: view(&outputs[0], F32, &[0, 1]),
                positions: smallvec![position],
                values: view(&inputs[0], F32, &[4, 1]),
                combine: None,
                origin: origin(F32),
            };
            device.scatter(Checked::new(&request)?)
        }),
        (
            "select",
            [[1, 0, 1], [0, 1, 1]].map(|mask| vec![mask.to_vec(), floats([1.0, 2.0, 3.0])]),
            vec![8],
            |device, inputs, outputs| {
                let request = Select {
                    shape: smallvec![3],
                    mask: view(&inputs[0], Bool, &[1]),
                    source: Some(view(&inputs[1], F32, &[1])),
                    count: 2,
                    out: view(&outputs[0], F32, &[1]),
                };
                device.select(Checked::new(&request)?)
            },
        ),
        ("factor", one(), vec![48, 12, 4], |device, inputs, outputs| {
            let request = Factor {
                task: Factoring::Lu,
                dtype: F32,
                batch: 1,
                rows: 3,
                columns: 4,
                inputs: &[packed(&inputs[0])],
                outputs: &[packed(&outputs[0]), packed(&outputs[1])],
                status: packed(&outputs[2]),
            };
            assert_eq!(request.output_dtypes(), [F32, I32]);
            device.linear_algebra().expect("factors").factor(Checked::new(&request)?)
        }),
        ("copy", one(), vec![48], |device, inputs, outputs| {
            let array = |name, writes| Parameter {
                name,
                kind: ParameterKind::Array { dtype: F32, rank: 1, writes },
            };
            let position =
                Instr { op: Op::Cast { from: RegType::U32 }, ty: RegType::I64, args: [0; 3] };
            let kernel = Kernel::new(Parts {
                name: "copy",
                parameters: vec![array("from", false), array("to", true)],
                registers: vec![RegType::U32, RegType::I64, RegType::F32],
                body: vec![
                    Statement::Builtin { result: 0, builtin: Builtin::Thread(0) },
                    Statement::Step { result: 1, instr: position },
                    Statement::Load {
                        result: 2,
                        place: Place::Array(0),
                        part: 0,
                        at: smallvec![1],
                    },
                    Statement::Store {
                        place: Place::Array(1),
                        part: 0,
                        at: smallvec![1],
                        value: 2,
                    },
                ],
                ..Parts::default()
            });
            let kernel = Arc::new(kernel.expect("a kernel"));
            let argument = |memory| SimtArgument::Array { memory, offset: 0, shape: smallvec![12] };
            let request = SimtLaunch {
                kernel: &kernel,
                grid: [1, 1, 1],
                block: [12, 1, 1],
                arguments: smallvec![argument(inputs[0].as_ref()), argument(outputs[0].as_ref())],
                origin: origin(F32),
            };
            device.simt().expect("kernels").launch(Checked::new(&request)?)
        }),
        ("transform", one(), vec![56], |device, inputs, outputs| {
            let request = Transform {
                kind: Transformation::RealToHalf,
                part: F32,
                rows: 1,
                beside: 1,
                across: false,
                length: 12,
                scale: 0.5,
                input: packed(&inputs[0]),
                output: packed(&outputs[0]),
            };
            assert_eq!(request.dtypes(), [F32, C64]);
            device.fourier().expect("transforms").transform(Checked::new(&request)?)
        }),
    ]
}

fn gather(device: &dyn Backend, inputs: &[Shared], outputs: &[Shared]) -> Result<()> {
    let place = view(&inputs[1], I64, &[1, 0]);
    let position = Positions { place, extent: 3, stride: 4, axis: 0, bounds_checked: false };
    let request = Gather {
        shape: smallvec![3, 4],
        source: view(&inputs[0], F32, &[0, 1]),
        positions: smallvec![position],
        out: view(&outputs[0], F32, &[4, 1]),
        origin: origin(F32),
    };
    device.gather(Checked::new(&request)?)
}

/// The work on these inputs, recorded.
fn record(
    device: &Recordable<Reference>,
    inputs: &[Shared],
    sizes: &[usize],
    work: Work,
) -> Result<Box<dyn Recorded>> {
    device.begin()?;
    let made = outputs(device, sizes);
    work(device, inputs, &made)?;
    device.end(Interface { inputs: inputs.to_vec(), outputs: made, outside: Vec::new() })
}

#[test]
fn every_kind_of_request_is_replayed() {
    let device = Recordable::new(Reference::new());
    for (name, [first, second], sizes, work) in kinds() {
        let upload_all =
            |all: &[Vec<u8>]| all.iter().map(|bytes| upload(&device, bytes)).collect::<Vec<_>>();
        let recorded = record(&device, &upload_all(&first), &sizes, work).expect(name);
        assert_eq!(recorded.steps().last().map(|step| step.name.as_str()), Some(name));
        assert_eq!(recorded.bytes(), sizes.iter().sum::<usize>(), "{name}");
        for values in [&second, &first] {
            let inputs = upload_all(values);
            let anew = outputs(&device, &sizes);
            work(&device, &inputs, &anew).expect(name);
            let replayed = recorded.replay(&inputs, &[]).expect(name);
            let bytes =
                |all: &[Shared]| all.iter().map(|one| download(&device, one)).collect::<Vec<_>>();
            assert_eq!(bytes(&replayed), bytes(&anew), "{name}");
        }
    }
}

#[test]
fn what_a_replay_cannot_repeat_is_refused_and_not_done() {
    let device = Recordable::new(Reference::new());
    let outside = upload(&device, &[1, 2, 3, 4]);
    let refused = |result: Result<()>, op: &str| match result {
        Err(Error::NotCapturable { op: refused, .. }) => assert_eq!(refused, op),
        other => panic!("{op}: {other:?}"),
    };
    device.begin().expect("a recording");
    refused(device.write(outside.as_ref(), &[9; 4]), "write");
    refused(device.read(outside.as_ref(), 0, &mut [0; 4]), "read");
    refused(device.synchronize(), "synchronize");
    refused(device.begin(), "capture");
    refused(Recordable::new(Reference::new()).begin(), "capture");
    // The recording goes on, until it is forgotten.
    device.cancel();
    assert_eq!(download(&device, &outside), [1, 2, 3, 4]);
    refused(device.end(Interface::default()).map(drop), "capture");
    device.begin().expect("a recording after another one");
    let outputs = vec![outside];
    let interface = Interface { outputs, ..Interface::default() };
    refused(device.end(interface).map(drop), "capture");
}

#[test]
fn errors_of_a_replay_are_those_of_calls_made_anew() {
    let device = Recordable::new(Reference::new());
    let source = upload(&device, &[0; 48]);
    let good = [source.clone(), upload(&device, &longs([0, 1, 2]))];
    let bad = [source, upload(&device, &longs([0, 7, 2]))];
    let recorded = record(&device, &good, &[48], gather).expect("a recording");
    let error = recorded.replay(&bad, &[]).expect_err("a position out of range");
    let Error::Failed { source, op: "test", .. } = &error else { panic!("{error:?}") };
    let Error::Index { op: "test", index: 7, axis: 0, size: 3 } = **source else {
        panic!("{error:?}")
    };
    for inputs in [&good[..1], &[good[1].clone(), good[1].clone()]] {
        let error = recorded.replay(inputs, &[]).expect_err("other inputs");
        assert!(matches!(error, Error::Launch { op: "replay", .. }), "{error}");
    }
    recorded.replay(&good, &[]).expect("a replay after errors");
}

#[test]
fn threads_record_and_replay_at_once_and_memory_is_given_back() {
    let device = Recordable::new(Reference::new());
    let kinds = kinds();
    std::thread::scope(|scope| {
        for (name, [first, second], sizes, work) in &kinds {
            let device = &device;
            scope.spawn(move || {
                let memories = |all: &[Vec<u8>]| {
                    all.iter().map(|bytes| upload(device, bytes)).collect::<Vec<_>>()
                };
                let inputs = memories(first);
                device.begin().expect("a recording");
                // Memory that is freed does not lend its address to what comes after it.
                for _ in 0..8 {
                    let made = outputs(device, sizes);
                    work(device, &inputs, &made).expect(name);
                    let given_back = Arc::downgrade(&made[0]);
                    drop(made);
                    assert!(given_back.upgrade().is_none(), "{name}");
                }
                let made = outputs(device, sizes);
                work(device, &inputs, &made).expect(name);
                let interface = Interface { inputs, outputs: made, outside: Vec::new() };
                let recorded = device.end(interface).expect("recorded");
                let inputs = memories(second);
                let replayed = recorded.replay(&inputs, &[]).expect(name);
                let anew = outputs(device, sizes);
                work(device, &inputs, &anew).expect(name);
                for (one, other) in replayed.iter().zip(&anew) {
                    assert_eq!(download(device, one), download(device, other), "{name}");
                }
            });
        }
    });
}

#[test]
fn a_slot_moves_the_first_scalar() {
    let device = Recordable::new(Reference::new());
    let scalar = Instr { op: Op::Scalar(0), ty: RegType::I64, args: [0; 3] };
    let program = Program {
        instrs: vec![scalar],
        scalars: smallvec![RegType::I64],
        outputs: smallvec![Output { dtype: I64, parts: [0; 2], domain: Domain::Element }],
        ..Program::default()
    };
    device.begin().expect("a recording");
    let made = device.allocate(32).expect("memory");
    let launch = Launch {
        program: Checked::new(&program).expect("a program"),
        prepared: None,
        shape: smallvec![4],
        row_axes: 0,
        inputs: SmallVec::new(),
        scalars: smallvec![40],
        outputs: smallvec![view(&made, I64, &[1])],
        made_of: Vec::new(),
        origin: None,
        slot: Some(1),
    };
    device.map(Checked::new(&Map { launch: &launch }).expect("a map")).expect("it runs");
    let interface = Interface { outputs: vec![made.clone()], ..Interface::default() };
    let recorded = device.end(interface).expect("recorded");
    assert_eq!(download(&device, &made), longs([40; 4]));
    let replayed = recorded.replay(&[], &[100, 2]).expect("a replay");
    assert_eq!(download(&device, &replayed[0]), longs([42; 4]));
    assert!(matches!(recorded.replay(&[], &[1]), Err(Error::Launch { op: "replay", .. })));
}
