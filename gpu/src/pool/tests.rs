//! The pool on the fake device.

use std::sync::Arc;

use ndany_core::backend::Priority;

use super::*;
use crate::fake::{Fake, FakeCompiler};
use crate::memory::GpuMemory;
use crate::runtime::Runtime;
use crate::stream::GpuStream;

const MIB: usize = 1 << 20;

fn runtime(fake: &Fake, settings: Settings) -> Arc<Runtime> {
    Runtime::with(Box::new(fake.clone()), Ok(Box::new(FakeCompiler::default())), settings).unwrap()
}

fn direct() -> Settings {
    Settings { pool: PoolMode::Direct, ..Settings::default() }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

/// 10,000 steps in which sizes between 512 bytes and 64 MiB come or go, so that what is live follows a wave.
fn waste(seed: u64, wave: impl Fn(f64) -> f64) -> PoolStatistics {
    let fake = Fake::new(80 << 30);
    let runtime = runtime(&fake, Settings::default());
    let mut random = Random(seed);
    let mut live: Vec<(Arc<GpuMemory>, usize)> = Vec::new();
    let mut total = 0usize;
    for step in 0..10_000 {
        let wanted = (wave(f64::from(step) / 10_000.0) * f64::from(1 << 30)) as usize;
        if total < wanted && random.next() < 0.9 || live.is_empty() {
            let bytes = (512.0 * 131072f64.powf(random.next())) as usize;
            live.push((runtime.allocate(bytes).unwrap(), bytes));
            total += bytes;
        } else {
            total -= live.swap_remove(random.below(live.len())).1;
        }
    }
    drop(live);
    let figures = runtime.pool_statistics();
    assert_eq!(figures.live, 0);
    runtime.release().unwrap();
    assert_eq!(runtime.pool_statistics().reserved, 0);
    assert_eq!(fake.violations(), [""; 0]);
    figures
}

#[test]
fn random_steps_waste_little() {
    let waves: [fn(f64) -> f64; 3] =
        [|time| 3.0 + 2.0 * (10.0 * time).sin(), |_| 4.5, |time| 4.5 * time + 0.1];
    for (k, wave) in waves.into_iter().enumerate() {
        for seed in 0..4 {
            let figures = waste(seed, wave);
            let waste = figures.peak_reserved as f64 / figures.peak_live as f64;
            println!("wave {k} seed {seed}: {waste:.3}");
            assert!(figures.peak_live >= 4 << 30, "{figures:?}");
            assert!(waste <= 1.2, "wave {k}, seed {seed}: {waste} {figures:?}");
        }
    }
}

#[test]
fn a_block_is_used_again_at_once_on_its_stream() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let first = runtime.allocate(10 * MIB).unwrap().address();
    let calls = fake.total();
    for _ in 0..10 {
        assert_eq!(runtime.allocate(10 * MIB).unwrap().address(), first);
        assert_eq!(runtime.scratch(9 * MIB).unwrap().address(), first);
    }
    assert_eq!(fake.total(), calls, "nothing was asked of the driver");
}

#[test]
fn what_came_back_a_moment_ago_is_one_for_another_size() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let first = runtime.allocate(10 * MIB).unwrap().address();
    let pieces = [2, 5, 3].map(|mib| runtime.allocate(mib * MIB).unwrap());
    let addresses = pieces.each_ref().map(|piece| piece.address());
    drop(pieces);
    // As they were, in whichever order they are asked for.
    for (mib, address) in [(3, addresses[2]), (2, addresses[0]), (5, addresses[1])] {
        assert_eq!(runtime.allocate(mib * MIB).unwrap().address(), address);
    }
    assert_eq!(runtime.allocate(10 * MIB).unwrap().address(), first);
    drop([1, 1, 1, 1, 1, 1].map(|mib| runtime.allocate(mib * MIB + 512).unwrap()));
    assert_eq!(runtime.allocate(10 * MIB).unwrap().address(), first);
    assert_eq!(fake.calls("allocate"), 1);
}

#[test]
fn small_requests_share_a_segment() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let held: Vec<_> = (0..4096).map(|k| runtime.allocate(k % 512).unwrap()).collect();
    assert_eq!(fake.calls("allocate"), 1);
    assert!(held.iter().all(|memory| memory.address().is_multiple_of(256)));
    let figures = runtime.pool_statistics();
    assert_eq!((figures.live, figures.reserved), (2 * MIB, 2 * MIB));
}

#[test]
fn another_stream_takes_a_block_when_its_work_is_past() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let address = runtime.allocate(10 * MIB).unwrap().address();
    let _guard = stream.enter();
    let second = runtime.allocate(10 * MIB).unwrap();
    assert_ne!(second.address(), address, "the default stream may still use it");
    fake.progress();
    assert_eq!(runtime.allocate(10 * MIB).unwrap().address(), address);
    assert_eq!(runtime.pool_statistics().reserved, 20 * MIB);
}

#[test]
fn a_stream_is_asked_once_for_all_of_its_blocks() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    drop((0..10).map(|_| runtime.allocate(10 * MIB).unwrap()).collect::<Vec<_>>());
    let _guard = stream.enter();
    let _held: Vec<_> = (0..3).map(|_| runtime.allocate(10 * MIB).unwrap()).collect();
    assert_eq!((fake.calls("record"), fake.calls("is_completed")), (1, 2));
}

#[test]
fn out_of_memory_gives_back_what_is_cached() {
    let fake = Fake::new(100 * MIB);
    let runtime = runtime(&fake, Settings::default());
    for mib in [10, 20, 30] {
        drop(runtime.allocate(mib * MIB).unwrap());
    }
    let large = runtime.allocate(96 * MIB).unwrap();
    assert_eq!(runtime.pool_statistics().reserved, 96 * MIB);
    drop(large);
    let held = runtime.allocate(40 * MIB).unwrap();
    let error = runtime.allocate(80 * MIB).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "[allocate] out of memory on fake:0: {} bytes requested, {} live, {} cached, {} free: \
             drop arrays, or work in parts",
            80 * MIB,
            40 * MIB,
            56 * MIB,
            4 * MIB
        )
    );
    assert_eq!(error.class(), "MemoryError");
    drop(held);
    assert!(runtime.allocate(80 * MIB).is_ok(), "the device goes on");
    assert!(runtime.allocate(usize::MAX).is_err());
    assert!(runtime.allocate(usize::MAX - 600).is_err());
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn a_limit_is_kept_even_if_it_is_smaller_than_a_segment() {
    let fake = Fake::new(1 << 30);
    let limit = Some(MIB);
    let runtime = runtime(&fake, Settings { limit, ..Settings::default() });
    let held = runtime.allocate(MIB / 2).unwrap();
    assert_eq!(runtime.pool_statistics().reserved, MIB / 2);
    assert!(matches!(runtime.allocate(MIB), Err(Error::OutOfMemory { requested: MIB, .. })));
    drop(held);
    assert!(runtime.allocate(MIB).is_ok());
    assert_eq!(runtime.pool_statistics().peak_reserved, MIB);
}

#[test]
fn a_limit_may_come_and_go() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, Settings::default());
    let held = runtime.allocate(10 * MIB).unwrap();
    runtime.limit_memory(Some(16 * MIB));
    let error = runtime.allocate(20 * MIB).unwrap_err().to_string();
    let figures = format!("{} live, 0 cached, {} free", 10 * MIB, 6 * MIB);
    assert!(error.contains(&figures), "{error}");
    assert_eq!(runtime.free_memory().unwrap(), 6 * MIB);
    // Below what it has already: that stays, and no more comes.
    runtime.limit_memory(Some(MIB));
    assert!(runtime.allocate(2 * MIB).is_err());
    assert_eq!(runtime.pool_statistics().live, 10 * MIB);
    runtime.limit_memory(None);
    assert!(runtime.allocate(20 * MIB).is_ok());
    drop(held);
    assert_eq!(runtime.pool_statistics().live, 0);
}

#[test]
fn direct_allocations_are_exact_to_the_word_and_freed_when_the_stream_is_past_them() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake, direct());
    let first = runtime.allocate(1000).unwrap();
    assert_eq!(runtime.pool_statistics().reserved, 1000);
    runtime.fill(first.address(), 0, 1000).unwrap();
    drop(first);
    assert_eq!(fake.calls("free"), 0, "the fill is under way");
    fake.progress();
    let second = runtime.allocate(0).unwrap();
    assert_eq!(fake.calls("free"), 1);
    assert_eq!((runtime.pool_statistics().reserved, runtime.pool_statistics().live), (4, 4));
    drop(second);
    runtime.synchronize().unwrap();
    assert_eq!(runtime.pool_statistics().reserved, 0);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn direct_allocations_wait_before_they_give_up() {
    let fake = Fake::new(10_000);
    let runtime = runtime(&fake, direct());
    for _ in 0..10 {
        let memory = runtime.allocate(6_000).unwrap();
        runtime.fill(memory.address(), 0, 6_000).unwrap();
    }
    assert!(matches!(runtime.allocate(12_000), Err(Error::OutOfMemory { .. })));
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn many_threads_share_a_pool() {
    let fake = Fake::new(8 << 30);
    let runtime = runtime(&fake, Settings::default());
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let runtime = &runtime;
            scope.spawn(move || {
                let stream =
                    (seed % 2 == 1).then(|| GpuStream::new(runtime, Priority::Normal).unwrap());
                let _guard = stream.as_ref().map(GpuStream::enter);
                let mut random = Random(seed);
                let mut live = Vec::new();
                for _ in 0..500 {
                    let bytes = random.below(4 * MIB);
                    live.push(runtime.allocate(bytes).unwrap());
                    if live.len() > 20 {
                        live.swap_remove(random.below(live.len()));
                    }
                }
            });
        }
    });
    assert_eq!(runtime.pool_statistics().live, 0);
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}
