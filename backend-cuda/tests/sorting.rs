//! Sorts, searches and selections of the engine on the software GPU against the reference, bit for bit, at the seam: with
//! rows that lie apart or backwards, and with forms of launches that core does not ask for.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::sync::Arc;

use ndany_core::DType;
use ndany_core::backend::{
    Backend, Checked, ContiguousView, Found, Memory, NthElement, Pairs, PartitionThreeWay, Search,
    Select, Sort, SortPairs, Sorted, StridedView,
};
use ndany_core::shape::Strides;
use ndany_cuda::{CudaCompiler, CudaDriver};
use ndany_gpu::GpuBackend;
use ndany_reference::Reference;
use support::{Folder, process, task};

/// Runs a task on a software GPU of one processor, so that few elements are many for it.
fn run(task: &str) {
    let folder = Folder::of_software_gpu(task, &["libcuda.so.1", "libnvrtc.so.13"]);
    let variables = [
        ("NDANY_SOFTGPU_PROCESSORS", "1"),
        ("NDANY_SOFTGPU_SHUFFLE", "7"),
        ("NDANY_POOL", "direct"),
        ("NDANY_POISON", "1"),
    ];
    process(task, Some(&folder.0), &variables);
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    match task().as_str() {
        "short" => short(),
        "long" => long(),
        "pairs" => pairs(),
        "positions" => positions(),
        "divided" => divided(),
        "partitioned" => partitioned(),
        "selected" => selected(),
        other => panic!("no task {other}"),
    }
}

/// The engine and the oracle.
fn both() -> [Box<dyn Backend>; 2] {
    let driver = CudaDriver::open(0).expect("the software GPU");
    let compiler = CudaCompiler::open().expect("its compiler");
    let engine = GpuBackend::new(driver, Ok(Box::new(compiler))).expect("an engine");
    [Box::new(engine), Box::new(Reference::new())]
}

/// What the elements of a test are like.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Any bits.
    Any,
    /// Few values: zeros of both signs, NaNs, infinities, extremes.
    Special,
    /// Small numbers, as integers are in practice.
    Small,
    /// The same number or the next one: of four digits of a key, or eight, one differs at most.
    Two,
    /// Numbers below 2¹²: two digits differ at most.
    Below,
    Rising,
    Falling,
}

const KINDS: [Kind; 5] = [Kind::Any, Kind::Special, Kind::Small, Kind::Rising, Kind::Falling];

fn bytes(dtype: DType, count: usize, kind: Kind) -> Vec<u8> {
    let part = dtype.part();
    let size = part.size();
    let specials: [u64; 7] = match part {
        DType::F16 => [0, 0x8000, 0x7E00, 0xFE01, 0x7C00, 0xFC00, 0x3C00],
        DType::BF16 => [0, 0x8000, 0x7FC0, 0xFFC1, 0x7F80, 0xFF80, 0x3F80],
        DType::F32 => [0, 1 << 31, 0x7FC0 << 16, 0xFFC0_0001, 0x7F80 << 16, 0xFF80 << 16, 1],
        DType::F64 => [0, 1 << 63, 0x7FF8 << 48, 0xFFF8 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 1],
        _ => [0, 1, 2, u64::MAX, 1 << 63, 1 << 31, 0x8080_8080_8080_8080],
    };
    let number = |n: u64| match part {
        DType::F16 => u64::from(half::f16::from_f64(n as f64).to_bits()),
        DType::BF16 => u64::from(half::bf16::from_f64(n as f64).to_bits()),
        DType::F32 => u64::from((n as f32).to_bits()),
        DType::F64 => (n as f64).to_bits(),
        _ => n,
    };
    let parts = count * dtype.size() / size;
    let mut state = 0x9E37_79B9_7F4A_7C15u64 ^ parts as u64;
    let mut all = Vec::with_capacity(parts * size);
    for k in 0..parts as u64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let bits = match kind {
            Kind::Any => state,
            Kind::Special => specials[(state >> 20) as usize % specials.len()],
            Kind::Small => number((state >> 20) % 300),
            Kind::Two => number(256 + (state >> 20) % 2),
            Kind::Below => number((state >> 20) % 4096),
            Kind::Rising => number(k),
            Kind::Falling => number(parts as u64 - k),
        };
        all.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    if dtype == DType::Bool {
        all.iter_mut().for_each(|byte| *byte &= 1);
    }
    all
}

/// Dtypes that stand for the others where all would take long.
const FEW: [DType; 5] = [DType::U8, DType::F16, DType::F32, DType::I64, DType::C128];

/// The bytes with every NaN the same one.
fn canonical(dtype: DType, mut bytes: Vec<u8>) -> Vec<u8> {
    let infinity = match dtype.part() {
        DType::F16 => 0x7C00u64,
        DType::BF16 => 0x7F80,
        DType::F32 => 0x7F80_0000,
        DType::F64 => 0x7FF0 << 48,
        _ => return bytes,
    };
    let size = dtype.part().size();
    for part in bytes.chunks_exact_mut(size) {
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(part);
        if u64::from_le_bytes(bits) & !(1 << (8 * size - 1)) > infinity {
            part.copy_from_slice(&(infinity + 1).to_le_bytes()[..size]);
        }
    }
    bytes
}

fn memory(backend: &dyn Backend, bytes: &[u8]) -> Arc<dyn Memory> {
    let memory = backend.allocate(bytes.len()).expect("memory");
    backend.write(memory.as_ref(), bytes).expect("a copy");
    memory
}

fn place(memory: &dyn Memory, dtype: DType, offset: usize, step: isize) -> StridedView<'_> {
    StridedView { memory, dtype, offset, strides: Strides::from_slice(&[step, 1]) }
}

/// How rows lie in their memory: (elements, offset, step).
fn lie(rows: usize, length: usize, way: usize) -> (usize, usize, isize) {
    let (row, gap) = (length.max(1), 3);
    match way % 4 {
        0 => (rows * row, 0, row as isize),
        1 => (rows * (row + gap) + 5, 5, (row + gap) as isize),
        2 => (rows * row, (rows - 1) * row, -(row as isize)),
        _ => (row + 1, 1, 0),
    }
}

fn check_sort(
    backends: &[Box<dyn Backend>],
    dtype: DType,
    shape: [usize; 2],
    kind: Kind,
    way: usize,
) {
    let [rows, length] = shape;
    let (elements, offset, step) = lie(rows, length, way);
    let data = bytes(dtype, elements, kind);
    for write in [Sorted::Values, Sorted::Positions] {
        let out = if write == Sorted::Values { dtype } else { DType::I64 };
        let results = backends.iter().map(|backend| {
            let source = memory(backend.as_ref(), &data);
            let size = rows * length * out.size();
            let output = backend.allocate(size).expect("memory");
            let sort = Sort {
                rows,
                length,
                source: place(source.as_ref(), dtype, offset, step),
                output: place(output.as_ref(), out, 0, length as isize),
                write,
            };
            backend.sort(Checked::new(&sort).expect("sound")).expect("a sort");
            let mut bytes = vec![0; size];
            backend.read(output.as_ref(), 0, &mut bytes).expect("the results");
            canonical(out, bytes)
        });
        let results: Vec<Vec<u8>> = results.collect();
        assert!(results[0] == results[1], "{write:?} of {dtype}, {shape:?}, {kind:?}, way {way}");
    }
}

#[test]
fn short_rows_sort_as_on_the_reference() {
    run("short");
}

fn short() {
    let backends = both();
    // Each is a kernel to compile, so middle sizes are for a few.
    let shapes =
        [[1, 1], [300, 1], [65, 2], [40, 31], [9, 32], [16, 33], [5, 127], [2, 4095], [1, 4096]];
    for (d, dtype) in DType::ALL.into_iter().enumerate() {
        let more = FEW.contains(&dtype).then_some([2, 1000]);
        for (s, shape) in shapes.into_iter().chain(more).enumerate() {
            for (k, kind) in KINDS.into_iter().enumerate() {
                if shape[1] < 100 || (s + d + k) % KINDS.len() < 2 {
                    check_sort(&backends, dtype, shape, kind, s + d + k);
                }
            }
        }
    }
}

#[test]
fn long_rows_sort_as_on_the_reference() {
    run("long");
}

fn long() {
    let backends = both();
    for (d, dtype) in DType::ALL.into_iter().enumerate() {
        check_sort(&backends, dtype, [2, 4097], Kind::Special, d);
        check_sort(&backends, dtype, [1, 9001], KINDS[d % KINDS.len()], d);
    }
    // Every number of passes, whose last one writes the results: few digits of integers differ.
    for dtype in [DType::U16, DType::I32, DType::I64, DType::F32, DType::C64, DType::C128] {
        check_sort(&backends, dtype, [2, 5000], Kind::Two, 0);
        check_sort(&backends, dtype, [1, 9001], Kind::Below, 1);
        check_sort(&backends, dtype, [1, 9001], Kind::Rising, 2);
    }
    // Several tiles a chunk, several chunks a row.
    for dtype in FEW {
        check_sort(&backends, dtype, [2, 70_001], Kind::Special, 1);
        check_sort(&backends, dtype, [1, 70_001], Kind::Small, 0);
    }
}

/// Sorts keys of which so many bits decide, and their words, as the host does.
fn check_pairs(engine: &dyn Backend, count: usize, kind: Kind, bits: u32, wide_dtype: DType) {
    let size = wide_dtype.size();
    let keys = bytes(DType::U32, count, kind);
    let narrow = bytes(DType::U32, count, Kind::Any);
    let wide = bytes(wide_dtype, count, Kind::Any);
    let key = |at: usize| {
        let word = keys[4 * at..4 * at + 4].try_into().expect("four bytes");
        u64::from(u32::from_le_bytes(word)) & ((1 << bits) - 1)
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&at| key(at));
    let in_order = |data: &[u8], size: usize| -> Vec<u8> {
        order.iter().flat_map(|&at| data[at * size..][..size].iter().copied()).collect()
    };
    let given = [&keys, &narrow, &wide].map(|data| memory(engine, data));
    let sizes = [4 * count, 4 * count, size * count];
    let made = sizes.map(|bytes| engine.allocate(bytes).expect("memory"));
    fn pairs(memories: &[Arc<dyn Memory>; 3]) -> Pairs<'_> {
        let [keys, narrow, wide] =
            memories.each_ref().map(|memory| ContiguousView { memory: memory.as_ref(), offset: 0 });
        Pairs { keys, narrow, wide }
    }
    let (source, sorted) = (pairs(&given), pairs(&made));
    let request = SortPairs { count, bits, wide_dtype, source, sorted };
    let is_sorted = engine.sort_pairs(Checked::new(&request).expect("sound")).expect("a sort");
    assert!(is_sorted, "the engine sorts pairs");
    let expected = [in_order(&keys, 4), in_order(&narrow, 4), in_order(&wide, size)];
    for (number, (made, expected)) in made.iter().zip(&expected).enumerate() {
        let mut found = vec![0; expected.len()];
        engine.read(made.as_ref(), 0, &mut found).expect("the results");
        assert!(
            &found == expected,
            "result {number} of {count}, {kind:?}, {bits} bits, {wide_dtype}"
        );
    }
}

#[test]
fn pairs_sort_as_on_the_host() {
    run("pairs");
}

fn pairs() {
    let [engine, _] = both();
    for dtype in [DType::U32, DType::U64] {
        // At the edges of tiles of 2,816.
        for count in [1, 2, 255, 2815, 2816, 2817, 5632, 9001] {
            for (k, kind) in KINDS.into_iter().chain([Kind::Two, Kind::Below]).enumerate() {
                // Bits above those that decide may be any; a digit that does not differ has a pass that does nothing.
                let bits = [8, 16, 24, 32][(count + k) % 4];
                check_pairs(engine.as_ref(), count, kind, bits, dtype);
            }
        }
        check_pairs(engine.as_ref(), 70_001, Kind::Small, 32, dtype);
        check_pairs(engine.as_ref(), 70_001, Kind::Any, 24, dtype);
    }
}

fn check_search(
    backends: &[Box<dyn Backend>],
    dtype: DType,
    [rows, length, count]: [usize; 3],
    kind: Kind,
    way: usize,
) {
    let (elements, offset, step) = lie(rows, length, way);
    let (needles_elements, needles_offset, needles_step) = lie(rows, count, way / 2);
    let needles = bytes(dtype, needles_elements, kind);
    // Any order will do to make sorted rows; the reference makes it.
    let sorted = {
        let oracle = backends[1].as_ref();
        let source = memory(oracle, &bytes(dtype, elements, kind));
        let output = oracle.allocate(elements * dtype.size()).expect("memory");
        let whole = step.unsigned_abs();
        let (rows, length) = if way.is_multiple_of(4) { (rows, whole) } else { (1, elements) };
        let sort = Sort {
            rows,
            length,
            source: place(source.as_ref(), dtype, 0, length as isize),
            output: place(output.as_ref(), dtype, 0, length as isize),
            write: Sorted::Values,
        };
        oracle.sort(Checked::new(&sort).expect("sound")).expect("a sort");
        let mut bytes = vec![0; elements * dtype.size()];
        oracle.read(output.as_ref(), 0, &mut bytes).expect("the results");
        bytes
    };
    for (write, after_equal) in [
        (Found::Positions, false),
        (Found::Positions, true),
        (Found::Counts, way.is_multiple_of(2)),
    ] {
        let results = backends.iter().map(|backend| {
            let row = if write == Found::Positions { count } else { length + 1 };
            let sorted = memory(backend.as_ref(), &sorted);
            let needles = memory(backend.as_ref(), &needles);
            let size = rows * row * DType::I64.size();
            let output = backend.allocate(size).expect("memory");
            let search = Search {
                rows,
                length,
                count,
                sorted: place(sorted.as_ref(), dtype, offset, step),
                needles: place(needles.as_ref(), dtype, needles_offset, needles_step),
                output: place(output.as_ref(), DType::I64, 0, row as isize),
                after_equal,
                write,
            };
            backend.search(Checked::new(&search).expect("sound")).expect("a search");
            let mut bytes = vec![0; size];
            backend.read(output.as_ref(), 0, &mut bytes).expect("the results");
            bytes
        });
        let results: Vec<Vec<u8>> = results.collect();
        assert!(
            results[0] == results[1],
            "{write:?} of {dtype}, {rows} rows of {length}, {count} needles, {kind:?}, way {way}, \
             after equal: {after_equal}"
        );
    }
}

#[test]
fn positions_are_found_as_on_the_reference() {
    run("positions");
}

fn positions() {
    let backends = both();
    for (d, dtype) in DType::ALL.into_iter().enumerate() {
        let more = [[1, 0, 50], [1, 1, 300], [3, 250, 2000], [1, 3000, 1500], [1, 9000, 3000]];
        let more = more.into_iter().filter(|_| FEW.contains(&dtype));
        for (s, shape) in [[40, 7, 33], [1, 257, 20_000]].into_iter().chain(more).enumerate() {
            for (k, kind) in KINDS.into_iter().enumerate() {
                if shape[2] < 100 || (s + d + k) % KINDS.len() < 2 {
                    check_search(&backends, dtype, shape, kind, s + d + k);
                }
            }
        }
    }
}

#[test]
fn rows_are_divided_as_on_the_reference() {
    run("divided");
}

fn divided() {
    let backends = both();
    for (d, dtype) in DType::ALL.into_iter().enumerate() {
        if !(dtype.is_int() || dtype.is_float()) {
            continue;
        }
        for (s, length) in [1, 31, 4096, 4097, 20_000].into_iter().enumerate() {
            for (k, kind) in KINDS.into_iter().enumerate() {
                if length < 100 || FEW.contains(&dtype) || (s + d + k) % KINDS.len() == 0 {
                    check_partition_three_way(&backends, dtype, length, kind);
                }
            }
        }
    }
}

/// Divides a row between two of its elements, in order, and open to either side.
fn check_partition_three_way(
    backends: &[Box<dyn Backend>],
    dtype: DType,
    length: usize,
    kind: Kind,
) {
    let data = bytes(dtype, length + 3, kind);
    let sorted = {
        let [_, reference] = backends else { unreachable!("two backends") };
        let [source, output] = [&data, &data].map(|data| memory(reference.as_ref(), data));
        let sort = Sort {
            rows: 1,
            length,
            source: place(source.as_ref(), dtype, 3, 0),
            output: place(output.as_ref(), dtype, 0, 0),
            write: Sorted::Values,
        };
        reference.sort(Checked::new(&sort).expect("sound")).expect("a sort");
        let mut bytes = vec![0; length * dtype.size()];
        reference.read(output.as_ref(), 0, &mut bytes).expect("the results");
        bytes
    };
    let limits =
        [(Some(length / 3), Some(length / 2)), (None, Some(length / 4)), (Some(length / 4), None)];
    for (low, high) in limits {
        for write in [Sorted::Values, Sorted::Positions] {
            let out = if write == Sorted::Values { dtype } else { DType::I64 };
            let results = backends.iter().map(|backend| {
                let [source, limits] = [&data, &sorted].map(|data| memory(backend.as_ref(), data));
                let output = backend.allocate(length * out.size()).expect("memory");
                let limit = |at: Option<usize>| Some(place(limits.as_ref(), dtype, at?, 0));
                let partition = PartitionThreeWay {
                    length,
                    source: place(source.as_ref(), dtype, 3, 0),
                    low: limit(low),
                    high: limit(high),
                    output: place(output.as_ref(), out, 0, 0),
                    write,
                };
                let divided = backend
                    .partition_three_way(Checked::new(&partition).expect("sound"))
                    .expect("no fault");
                let mut bytes = vec![0; length * out.size()];
                if divided.is_some() {
                    backend.read(output.as_ref(), 0, &mut bytes).expect("the results");
                }
                (divided, bytes)
            });
            let results: Vec<_> = results.collect();
            let what =
                format!("{write:?} of {length} of {dtype}, {kind:?}, between {low:?} and {high:?}");
            assert_eq!(results[0].0, results[1].0, "{what}");
            assert!(results[0].1 == results[1].1, "{what}");
        }
    }
}

#[test]
fn rows_are_partitioned_as_on_the_reference() {
    run("partitioned");
}

fn partitioned() {
    let backends = both();
    for (d, dtype) in DType::ALL.into_iter().enumerate() {
        if !(dtype.is_int() || dtype.is_float()) {
            continue;
        }
        for (s, shape) in [[5, 1], [9, 33], [3, 2048], [2, 7001]].into_iter().enumerate() {
            for (k, kind) in KINDS.into_iter().enumerate() {
                if shape[1] < 100 || FEW.contains(&dtype) || (s + d + k) % KINDS.len() == 0 {
                    check_partition(&backends, dtype, shape, kind, s + d + k);
                }
            }
        }
    }
}

fn check_partition(
    backends: &[Box<dyn Backend>],
    dtype: DType,
    [rows, length]: [usize; 2],
    kind: Kind,
    way: usize,
) {
    let (count, offset, step) = lie(rows, length, way);
    let data = bytes(dtype, count, kind);
    for at in [0, length / 3, length - 1] {
        for write in [Sorted::Values, Sorted::Positions] {
            let out = if write == Sorted::Values { dtype } else { DType::I64 };
            let results = backends.iter().map(|backend| {
                let source = memory(backend.as_ref(), &data);
                let mut bytes = vec![0; rows * length * out.size()];
                let output = backend.allocate(bytes.len()).expect("memory");
                let partition = NthElement {
                    rows,
                    length,
                    place: at,
                    source: place(source.as_ref(), dtype, offset, step),
                    output: place(output.as_ref(), out, 0, length as isize),
                    write,
                };
                backend.nth_element(Checked::new(&partition).expect("sound")).expect("no fault");
                backend.read(output.as_ref(), 0, &mut bytes).expect("the results");
                bytes
            });
            let results: Vec<_> = results.collect();
            let what =
                format!("{write:?} of {rows} rows of {length} {dtype}, {kind:?}, about {at}");
            assert!(results[0] == results[1], "{what}");
        }
    }
}

#[test]
fn a_selection_writes_no_more_than_it_has_room_for() {
    run("selected");
}

/// A selection of the positions that a mask shows.
fn indices<'a>(
    length: usize,
    count: usize,
    mask: &'a dyn Memory,
    output: &'a dyn Memory,
) -> Select<'a> {
    let view = |memory, dtype| StridedView {
        memory,
        dtype,
        offset: 0,
        strides: Strides::from_slice(&[1]),
    };
    let (mask, out) = (view(mask, DType::Bool), view(output, DType::I64));
    Select { shape: [length].into_iter().collect(), mask, source: None, count, out }
}

fn selected() {
    let [engine, reference] = both();
    let shown = [vec![1u8; 5000], vec![0; 3000]].concat();
    for (count, room) in [(5000, 5000), (4999, 5001), (7, 5000)] {
        let mask = memory(engine.as_ref(), &shown);
        let output = memory(engine.as_ref(), &vec![0xA5; room * 8]);
        let select = indices(shown.len(), count, mask.as_ref(), output.as_ref());
        engine.select(Checked::new(&select).expect("sound")).expect("a selection");
        let mut bytes = vec![0; room * 8];
        engine.read(output.as_ref(), 0, &mut bytes).expect("the results");
        let expected = (0..count as i64).flat_map(i64::to_le_bytes);
        let expected = expected.chain(std::iter::repeat_n(0xA5, (room - count) * 8));
        assert!(bytes.into_iter().eq(expected), "{count} in the room of {room}");
    }
    // One element too few is refused before anything is launched, and the reference counts.
    let [mask, output] =
        [&shown, &vec![0; 4999 * 8]].map(|bytes| memory(reference.as_ref(), bytes));
    let select = |count| indices(shown.len(), count, mask.as_ref(), output.as_ref());
    assert!(Checked::new(&select(5000)).is_err());
    let fewer = select(4999);
    assert!(reference.select(Checked::new(&fewer).expect("sound")).is_err());
}
