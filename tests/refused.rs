//! Every execution pattern refuses an operand that is one element too short, with an error that names the pattern and the
//! sizes; and what else does not fit together. Reads and writes end with the memory.

use std::sync::Arc;

use ndany::{DType, Error, Result};
use ndany_core::backend::{
    Backend, Check, Checked, CombineOrder, ContiguousView, Correlate, Factor, Factoring, FoldLeft,
    Found, FusedRowwise, Gather, Launch, Map, Matmul, Memory, NthElement, Origin, Pairs,
    PartitionThreeWay, Positions, Reduce, Scan, Scatter, Search, SegmentedReduce, Select, Sort,
    SortPairs, Sorted, StridedView, Transform, Transformation,
};
use ndany_core::program::{
    Body, Combine, Domain, Input, Instr, Op, Output, Prim, Program, Reduction, RegType,
};
use ndany_core::shape::Shape;
use ndany_gpu::recording::Recording;
use ndany_reference::Reference;
use smallvec::{SmallVec, smallvec};

use DType::{Bool, C64, F32, I32, I64, U32, U64};

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

/// The request is accepted where each operand has the given number of elements, and refused where any has one fewer.
#[track_caller]
fn each_counts(
    pattern: &str,
    elements: &[(usize, DType)],
    check: impl Fn(&[TestMemory]) -> Result<()>,
) {
    let memories = |short: usize| -> Vec<TestMemory> {
        let all = elements.iter().enumerate();
        all.map(|(number, &(count, dtype))| {
            TestMemory((count - usize::from(number == short)) * dtype.size())
        })
        .collect()
    };
    check(&memories(usize::MAX)).expect("operands of the right sizes");
    for short in 0..elements.len() {
        let memories = memories(short);
        let error = check(&memories).expect_err("an operand is too short");
        assert!(matches!(error, Error::Launch { .. }), "{error}");
        let (text, bytes) = (error.to_string(), memories[short].0);
        assert!(text.starts_with(&format!("[{pattern}] refused: ")), "{text}");
        assert!(text.contains("lies outside its memory"), "{text}");
        assert!(text.ends_with(&format!("got {bytes} bytes")), "operand {short}: {text}");
    }
}

fn view<'a>(memory: &'a TestMemory, dtype: DType, strides: &[isize]) -> StridedView<'a> {
    StridedView { memory, dtype, offset: 0, strides: SmallVec::from_slice(strides) }
}

fn packed(memory: &TestMemory) -> ContiguousView<'_> {
    ContiguousView { memory, offset: 0 }
}

fn origin(dtype: DType) -> Origin<'static> {
    Origin {
        op: "test",
        shape: &[],
        dtype,
        location: ndany_core::CallSite::caller(),
        meaning: None,
    }
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

/// A launch of a program over 3 by 4 elements.
fn launch<'a>(
    program: &'a Program,
    memories: &'a [TestMemory],
    row_axes: usize,
    out: [isize; 2],
) -> Launch<'a> {
    Launch {
        program: Checked::new(program).expect("a program"),
        prepared: None,
        shape: smallvec![3, 4],
        row_axes,
        inputs: smallvec![view(&memories[0], F32, &[4, 1])],
        scalars: SmallVec::new(),
        outputs: smallvec![view(&memories[1], F32, &out)],
        made_of: Vec::new(),
        origin: None,
        slot: None,
    }
}

#[test]
fn patterns_of_programs() {
    let copy = program(&[LOAD], false, Domain::Element);
    each_counts("map", &[(12, F32), (12, F32)], |memories| {
        Map { launch: &launch(&copy, memories, 0, [4, 1]) }.check()
    });
    let sum = program(&[LOAD, SUM], true, Domain::Row);
    each_counts("reduce", &[(12, F32), (3, F32)], |memories| {
        Reduce { launch: &launch(&sum, memories, 1, [1, 0]) }.check()
    });
    let centred = program(&[LOAD, SUM, DIFFERENCE], true, Domain::Element);
    each_counts("fused_rowwise", &[(12, F32), (12, F32)], |memories| {
        FusedRowwise { launch: &launch(&centred, memories, 1, [4, 1]) }.check()
    });
    let scanned = program(&[LOAD], true, Domain::Element);
    each_counts("scan", &[(12, F32), (12, F32)], |memories| {
        Scan { launch: launch(&scanned, memories, 1, [4, 1]) }.check()
    });
    // Running states are read by scans alone, which combine by a body.
    let running = Instr { op: Op::Running(0), ..SUM };
    let mut states = program(&[LOAD, running], true, Domain::Element);
    let argument = |number| Instr { op: Op::Argument(number), ..LOAD };
    states.reductions[0].combine = Combine::Body(Arc::new(Body {
        instrs: vec![argument(0), argument(1), DIFFERENCE],
        loops: Vec::new(),
        results: smallvec![2],
        known: None,
    }));
    each_counts("scan", &[(12, F32), (12, F32)], |memories| {
        Scan { launch: launch(&states, memories, 1, [4, 1]) }.check()
    });
    let by_primitive = program(&[LOAD, running], true, Domain::Element);
    let memories = [TestMemory(48), TestMemory(48)];
    let of_states = |program| launch(program, &memories, 1, [4, 1]);
    assert!(FusedRowwise { launch: &of_states(&states) }.check().is_err());
    assert!(Reduce { launch: &of_states(&states) }.check().is_err());
    let fold =
        FoldLeft { launch: of_states(&states), parts: 1, has_initial: false, store_all: true };
    assert!(fold.check().is_err());
    assert!(Scan { launch: of_states(&by_primitive) }.check().is_err());
    each_counts("fold_left", &[(12, F32), (3, F32)], |memories| {
        let launch = launch(&sum, memories, 1, [1, 0]);
        FoldLeft { launch, parts: 1, has_initial: false, store_all: false }.check()
    });
    each_counts("fold_left", &[(12, F32), (12, F32)], |memories| {
        let launch = launch(&scanned, memories, 1, [4, 1]);
        FoldLeft { launch, parts: 1, has_initial: false, store_all: true }.check()
    });
    // Outputs step from segment to segment, of which there are more than elements of a row.
    each_counts("segmented_reduce", &[(12, F32), (15, F32), (5, I64), (5, I64)], |memories| {
        let reduce = SegmentedReduce {
            launch: launch(&sum, memories, 1, [5, 1]),
            order: CombineOrder::Plan,
            segments: 5,
            starts: view(&memories[2], I64, &[1]),
            ends: view(&memories[3], I64, &[1]),
        };
        reduce.check()
    });
}

#[test]
fn sorts_and_searches() {
    fn rows(memory: &TestMemory, dtype: DType) -> StridedView<'_> {
        view(memory, dtype, &[4, 1])
    }
    each_counts("sort", &[(12, F32), (12, I64)], |memories| {
        let [source, output] = [rows(&memories[0], F32), rows(&memories[1], I64)];
        Sort { rows: 3, length: 4, source, output, write: Sorted::Positions }.check()
    });
    for wide_dtype in [U32, U64] {
        let elements = [U32, U32, wide_dtype, U32, U32, wide_dtype].map(|dtype| (4, dtype));
        each_counts("sort_pairs", &elements, |memories| {
            let at = |number: usize| ContiguousView { memory: &memories[number], offset: 0 };
            let pairs =
                |first| Pairs { keys: at(first), narrow: at(first + 1), wide: at(first + 2) };
            let (source, sorted) = (pairs(0), pairs(3));
            SortPairs { count: 4, bits: 32, wide_dtype, source, sorted }.check()
        });
    }
    each_counts("nth_element", &[(12, F32), (12, F32)], |memories| {
        let [source, output] = [rows(&memories[0], F32), rows(&memories[1], F32)];
        NthElement { rows: 3, length: 4, place: 3, source, output, write: Sorted::Values }.check()
    });
    each_counts("partition_three_way", &[(4, F32), (1, F32), (1, F32), (4, F32)], |memories| {
        let partition = PartitionThreeWay {
            length: 4,
            source: rows(&memories[0], F32),
            low: Some(view(&memories[1], F32, &[])),
            high: Some(view(&memories[2], F32, &[])),
            output: rows(&memories[3], F32),
            write: Sorted::Values,
        };
        partition.check()
    });
    for (write, row) in [(Found::Positions, 2), (Found::Counts, 5)] {
        each_counts("search", &[(12, F32), (6, F32), (3 * row, I64)], |memories| {
            let search = Search {
                rows: 3,
                length: 4,
                count: 2,
                sorted: rows(&memories[0], F32),
                needles: view(&memories[1], F32, &[2, 1]),
                output: view(&memories[2], I64, &[row as isize, 1]),
                after_equal: false,
                write,
            };
            search.check()
        });
    }
}

#[test]
fn products_and_libraries() {
    each_counts("matmul", &[(24, F32), (40, F32), (30, F32)], |memories| {
        let product = Matmul {
            batch: smallvec![2],
            m: 3,
            k: 4,
            n: 5,
            left: view(&memories[0], F32, &[12, 4, 1]),
            right: view(&memories[1], F32, &[20, 5, 1]),
            out: view(&memories[2], F32, &[15, 5, 1]),
        };
        product.check()
    });
    each_counts("correlate", &[(9, F32), (4, F32), (12, F32)], |memories| {
        let [long, short, output] = [0, 1, 2].map(|number: usize| packed(&memories[number]));
        let (length, taps, outputs, before) = (9, 4, 12, 3);
        Correlate { dtype: F32, length, taps, outputs, before, long, short, output }.check()
    });
    // L and U, the exchanges, and what went wrong.
    each_counts("factor", &[(24, C64), (24, C64), (6, I32), (2, I32)], |memories| {
        let factor = Factor {
            task: Factoring::Lu,
            dtype: C64,
            batch: 2,
            rows: 4,
            columns: 3,
            inputs: &[packed(&memories[0])],
            outputs: &[packed(&memories[1]), packed(&memories[2])],
            status: packed(&memories[3]),
        };
        factor.check()
    });
    each_counts("transform", &[(14, F32), (8, C64)], |memories| {
        let transform = Transform {
            kind: Transformation::RealToHalf,
            part: F32,
            rows: 2,
            beside: 1,
            across: false,
            length: 7,
            scale: 1.0,
            input: packed(&memories[0]),
            output: packed(&memories[1]),
        };
        transform.check()
    });
}

#[test]
fn patterns_that_move() {
    let shape: Shape = smallvec![3, 4];
    /// Rows of 6 by 4 elements.
    fn positions(memories: &[TestMemory]) -> SmallVec<[Positions<'_>; 2]> {
        let place = view(&memories[1], I64, &[1, 0]);
        smallvec![Positions { place, extent: 6, stride: 4, axis: 0, bounds_checked: false }]
    }
    fn walked(memories: &[TestMemory]) -> (StridedView<'_>, StridedView<'_>) {
        (view(&memories[0], F32, &[0, 1]), view(&memories[2], F32, &[4, 1]))
    }
    let sizes = [(24, F32), (3, I64), (12, F32)];
    each_counts("gather", &sizes, |memories| {
        let (source, out) = walked(memories);
        let (shape, positions, origin) = (shape.clone(), positions(memories), origin(F32));
        Gather { shape, source, positions, out, origin }.check()
    });
    // All positions of a gather are of int32 or of int64, those of a scatter of int64.
    let memories = sizes.map(|(count, dtype)| TestMemory(count * dtype.size()));
    let refusal = |dtypes: &[DType], writes: bool| {
        let (source, out) = walked(&memories);
        let own = |&dtype: &DType| {
            let place = view(&memories[1], dtype, &[1, 0]);
            Positions { place, extent: 3, stride: 4, axis: 0, bounds_checked: false }
        };
        let (shape, origin) = (shape.clone(), origin(F32));
        let positions = dtypes.iter().map(own).collect();
        let outcome = match writes {
            true => {
                Scatter { shape, target: source, positions, values: out, combine: None, origin }
                    .check()
            }
            false => Gather { shape, source, positions, out, origin }.check(),
        };
        outcome.err().map(|error| error.to_string())
    };
    assert_eq!(refusal(&[I32, I32], false), None);
    assert_eq!(
        refusal(&[F32], false).as_deref(),
        Some("[gather] refused: expected positions of int32 or int64, got float32")
    );
    assert_eq!(
        refusal(&[I32, I64], false).as_deref(),
        Some("[gather] refused: dtype of positions 1: expected int32, got int64")
    );
    assert_eq!(
        refusal(&[I32], true).as_deref(),
        Some("[scatter] refused: dtype of positions 0: expected int64, got int32")
    );
    each_counts("scatter", &sizes, |memories| {
        let (target, values) = walked(memories);
        let (shape, positions, origin) = (shape.clone(), positions(memories), origin(F32));
        Scatter { shape, target, positions, values, combine: None, origin }.check()
    });
    each_counts("select", &[(12, Bool), (12, F32), (7, F32)], |memories| {
        let select = Select {
            shape: shape.clone(),
            mask: view(&memories[0], Bool, &[4, 1]),
            source: Some(view(&memories[1], F32, &[4, 1])),
            count: 7,
            out: view(&memories[2], F32, &[1]),
        };
        select.check()
    });
}

#[test]
fn dtypes_and_numbers_of_operands_are_the_programs() {
    let (copy, memories) =
        (program(&[LOAD], false, Domain::Element), [TestMemory(48), TestMemory(48)]);
    let sound = || launch(&copy, &memories, 0, [4, 1]);
    let refusal =
        |launch: Launch<'_>| Map { launch: &launch }.check().expect_err("refused").to_string();
    let changed = |change: fn(&mut Launch<'_>)| {
        let mut launch = sound();
        change(&mut launch);
        refusal(launch)
    };
    Map { launch: &sound() }.check().expect("a sound launch");
    let text = changed(|launch| launch.inputs[0].dtype = I32);
    assert_eq!(text, "[map] refused: dtype of input 0: expected float32, got int32");
    let text = changed(|launch| launch.inputs.clear());
    assert_eq!(text, "[map] refused: inputs: expected 1, got 0");
    let text = changed(|launch| launch.scalars.push(1));
    assert_eq!(text, "[map] refused: scalars: expected 0, got 1");
    let text = changed(|launch| launch.shape[1] = 0);
    assert!(text.starts_with("[map] refused: shape [3, 0]: expected extents from 1"), "{text}");
    let text = changed(|launch| launch.outputs[0].strides.truncate(1));
    assert!(text.starts_with("[map] refused: output 0 lies outside its memory"), "{text}");
    assert!(changed(|launch| launch.row_axes = 1).contains("neither rows nor reductions"));
    assert!(changed(|launch| launch.made_of = vec![smallvec![1]]).contains("made_of"));
}

#[test]
fn programs_name_what_is_there() {
    let copy = || program(&[LOAD], false, Domain::Element);
    let refused = |change: fn(&mut Program)| {
        let mut program = copy();
        change(&mut program);
        let text = Checked::new(program).expect_err("refused").to_string();
        assert!(text.starts_with("[program] refused: "), "{text}");
    };
    Checked::new(copy()).expect("a program");
    refused(|program| program.inputs.clear());
    refused(|program| program.inputs[0].dtype = DType::F64);
    refused(|program| program.instrs[0].op = Op::Load { input: 0, part: 1 });
    refused(|program| program.instrs[0].op = Op::Scalar(0));
    refused(|program| program.instrs.push(SUM));
    refused(|program| program.instrs.push(DIFFERENCE));
    refused(|program| program.outputs[0].parts = [0, 1]);
    refused(|program| program.outputs[0].dtype = I32);
    // A reduction that is not complete, and one whose state is not there.
    refused(|program| *program = self::program(&[SUM, LOAD], true, Domain::Element));
    refused(|program| {
        program.reductions =
            vec![Reduction { lifted: smallvec![7], combine: Combine::Prim(Prim::Add) }];
    });
    // An element's value is none of the row.
    refused(|program| *program = self::program(&[LOAD], true, Domain::Row));
}

#[test]
fn reads_and_writes_end_with_the_memory() {
    let recording = Recording::device("sm_90", &ndany_kernels::CUDA).expect("a device").0;
    // SAFETY: nothing is launched, and this thread alone writes and reads.
    let cpu = unsafe { (ndany_cpu::PROVIDER.open)("threads=1") }.expect("the CPU");
    let reference: std::sync::Arc<dyn Backend> = std::sync::Arc::new(Reference::new());
    for device in [reference, cpu, recording] {
        let memory = device.allocate(40).expect("memory");
        device.write(&*memory, &[7; 40]).expect("it fits");
        device.read(&*memory, 36, &mut [0; 4]).expect("it is there");
        let refused = |outcome: Result<()>, expected: &str| {
            assert_eq!(outcome.expect_err("refused").to_string(), expected, "{}", device.name());
        };
        refused(
            device.write(&*memory, &[0; 44]),
            "[write] refused: 44 bytes from byte 0 on: expected 40 at most",
        );
        refused(
            device.read(&*memory, 36, &mut [0; 8]),
            "[read] refused: 8 bytes from byte 36 on: expected 40 at most",
        );
        for offset in [41, 1 << 40, usize::MAX] {
            device.read(&*memory, offset, &mut [0; 1]).expect_err("refused");
        }
    }
}
