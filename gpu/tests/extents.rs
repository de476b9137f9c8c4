//! Launches over more than 2^31 elements, as a device would get them: every element belongs to a thread, positions have
//! 64 bits, and no grid is larger than one may be. Values on such arrays: `examples/endurance`, on a device.

use std::ops::Range;

use ndany_array::{Array, DType, Device, arange, full, s};
use ndany_gpu::recording::{Launched, Recording};
use ndany_kernels::scan::places;
use ndany_kernels::{Dialect, HIP_32, HIP_64};

ndany_core::providers![];

const SIZE: usize = (1 << 31) + 12_293;

/// The launches of `work` on an array of `count` elements.
fn launches(dtype: DType, work: impl FnOnce(&Array) -> Array) -> Vec<Launched> {
    let launches = launches_on(&ndany_kernels::CUDA, SIZE, dtype, work);
    for one in &launches {
        assert!(one.grid < 1 << 31, "{:?}", one.grid);
    }
    launches
}

fn launches_on(
    dialect: &'static Dialect,
    size: usize,
    dtype: DType,
    work: impl FnOnce(&Array) -> Array,
) -> Vec<Launched> {
    let (backend, recording) = Recording::device("an architecture", dialect).expect("a device");
    let _guard = Device::custom(backend).enter();
    let x = full(size, 1, dtype);
    x.eval().expect("a launch");
    recording.take_launches();
    work(&x).eval().expect("launches");
    recording.take_launches()
}

/// Those of kernels with this name, of which there are some.
fn named<'l>(launches: &'l [Launched], name: &str) -> Vec<&'l Launched> {
    let found: Vec<&Launched> = launches.iter().filter(|one| one.entry == name).collect();
    assert!(!found.is_empty(), "no {name} among {:?}", names(launches));
    found
}

fn names(launches: &[Launched]) -> Vec<&str> {
    launches.iter().map(|one| one.entry.as_str()).collect()
}

/// The number between two pieces of a text.
fn number(text: &str, before: &str, after: &str) -> u64 {
    let (_, rest) = text.split_once(before).expect(before);
    rest.split_once(after).expect(after).0.parse().expect("a number")
}

/// The elements that a map's threads have.
fn mapped(one: &Launched) -> Range<u64> {
    assert!(one.text.contains("const u64 vector = (u64)block_x() * 256 + thread();"));
    let vector = number(&one.text, "const u64 first = (u64)a.first + vector * ", ";");
    let [first, count] = [one.words[0], one.words[1]];
    let threads = u64::from(one.grid) * u64::from(one.block);
    assert!(threads >= count && threads - count < u64::from(one.block), "{threads} for {count}");
    first..first + count * vector
}

#[test]
fn maps_have_every_element_once() {
    let works: [fn(&Array) -> Array; 3] =
        [|x| x + x, |x| x.i(s![..;-1]).copy(), |x| arange(SIZE as i64).astype(x.dtype()) + x];
    for dtype in [DType::U8, DType::F32] {
        for work in works {
            let launches = launches(dtype, work);
            let mut next = 0;
            for range in named(&launches, "map").into_iter().map(mapped) {
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!((next, launches.len()), (SIZE as u64, named(&launches, "map").len()));
        }
    }
}

#[test]
fn reductions_and_scans_have_every_chunk() {
    let chunks = SIZE.div_ceil(4096) as u64;
    for dtype in [DType::U8, DType::F32] {
        let sum = launches(dtype, |x| x.sum(..));
        let first = named(&sum, "rows")[0];
        assert_eq!(first.words[..2], [chunks, SIZE as u64]);
        assert_eq!(u64::from(first.grid), chunks);
        assert!(
            first
                .text
                .contains("const u64 begin = (u64)(item - number * extent_of(a.chunks)) * 4096;")
        );
        let scan = launches(dtype, |x| x.cumsum(0));
        let scans = named(&scan, "scan");
        // One launch, whose blocks post the totals of their chunks.
        let [one] = scans[..] else { panic!("{} launches", scans.len()) };
        assert_eq!((one.words[0], one.words[1]), (SIZE as u64, chunks));
        assert_eq!(u64::from(one.grid), chunks);
        assert!(one.text.contains("const u64 begin = chunk * 4096;"));
        assert!(one.words.contains(&(places(chunks as usize) as u64)), "{:?}", one.words);
    }
}

#[test]
fn sorts_have_every_element_and_room_for_its_place() {
    for dtype in [DType::U8, DType::F32] {
        let works: [fn(&Array) -> Array; 2] = [|x| x.sort(0), |x| x.argsort(0)];
        for work in works {
            let launches = launches(dtype, work);
            let counts = named(&launches, "sort_count");
            let [length, chunks, chunk] = [0, 1, 2].map(|word| counts[0].words[word]);
            assert_eq!((counts.len(), length), (1, SIZE as u64));
            assert!((chunks - 1) * chunk < length && length <= chunks * chunk);
            assert_eq!(u64::from(counts[0].grid), chunks);
            for (pass, one) in named(&launches, "sort_radix").into_iter().enumerate() {
                assert_eq!((one.words[0], one.words[4]), (length, pass as u64));
                let tile = 256 * number(&one.text, "move_items<Own, u64, ", ">");
                assert_eq!(
                    (one.words[3], u64::from(one.grid)),
                    (length.div_ceil(tile), one.words[3])
                );
            }
        }
    }
}

#[test]
fn elements_are_taken_from_anywhere() {
    for dtype in [DType::U8, DType::F32] {
        let launches = launches(dtype, |x| x.take([SIZE as i64 - 1, -1, 1 << 31], 0));
        let gather = named(&launches, "gather_scatter")[0];
        assert!(gather.words.contains(&(SIZE as u64)), "the extent: {:?}", gather.words);
        assert!(gather.text.contains("i64 at[4];"));
        assert!(gather.text.contains("at[k] = map_at0;"));
        assert!(gather.text.contains("at[k] += position0 * a.stride0;"));
    }
}

/// HIP takes fewer than 2^32 threads in a launch: longer ones come in parts that follow each other without gaps.
#[test]
fn launches_on_hip_are_cut() {
    const LONG: usize = (1 << 32) + 12_293;
    let works: [fn(&Array) -> Array; 4] = [
        |x| x.i(s![..;-1]).copy(),
        |x| x.i(s![1..]).copy() + 1,
        |x| x.reshape((LONG / 3, 3)).sum(1),
        |x| x.take(arange(1 << 10), 0),
    ];
    let mut cuts = 0;
    for dialect in [&HIP_32, &HIP_64] {
        for (dtype, work) in
            [DType::U8, DType::C128].into_iter().flat_map(|dtype| works.map(|work| (dtype, work)))
        {
            let mut next = 0;
            for one in launches_on(dialect, LONG, dtype, work) {
                let threads = u64::from(one.grid) * u64::from(one.block);
                assert!(threads < 1 << 32, "{threads} threads of {}", one.entry);
                if !one.text.contains("u64 first_block, blocks_in_all;") {
                    assert_eq!(next, 0, "a launch between two parts");
                    continue;
                }
                let [first, blocks] = [one.words[0], one.words[1]];
                assert_eq!(first, next);
                assert!(blocks * u64::from(one.block) >= 1 << 32, "it fits as it is");
                next = first + u64::from(one.grid);
                cuts += usize::from(next == blocks);
                next %= blocks;
            }
            assert_eq!(next, 0, "a part is missing");
        }
    }
    assert!(cuts > 4, "{cuts} launches were cut");
}
