//! Transfers on the fake device, which copies as late as it may.

use std::sync::Arc;

use super::*;
use crate::fake::{Fake, FakeCompiler};
use crate::runtime::Runtime;
use crate::settings::Settings;

fn runtime(fake: &Fake) -> Arc<Runtime> {
    Runtime::with(
        Box::new(fake.clone()),
        Ok(Box::new(FakeCompiler::default())),
        Settings::default(),
    )
    .unwrap()
}

/// Bytes of which no two neighbouring chunks have the same.
fn values(count: usize, seed: usize) -> Vec<u8> {
    (0..count).map(|k| (k.wrapping_mul(0x9E37_79B9) >> 13).wrapping_add(seed) as u8).collect()
}

#[test]
fn transfers_of_every_size_are_right() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake);
    let around = |size: usize| [size - 1, size, size + 1];
    let edges = [SMALL, LARGE / 8, LARGE, 2 * LARGE].into_iter().flat_map(around);
    for size in [0, 1, 7, 4096].into_iter().chain(edges).chain([5 * LARGE + 12345]) {
        let memory = runtime.allocate(size).unwrap();
        let sent = values(size, size);
        runtime.write(&memory, &sent).unwrap();
        let mut received = vec![0; size];
        runtime.read(&memory, 0, &mut received).unwrap();
        assert!(sent == received, "{size} bytes");
        let offset = size / 3;
        let mut part = vec![0; (size - offset) / 2];
        runtime.read(&memory, offset, &mut part).unwrap();
        assert!(part == sent[offset..offset + part.len()], "{size} bytes, from {offset}");
    }
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn an_upload_returns_before_the_device_has_copied_and_chunks_wait_for_it() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake);
    let count = 3 * MOST_SMALL;
    let memories: Vec<_> = (0..count).map(|_| runtime.allocate(SMALL).unwrap()).collect();
    for (seed, memory) in memories.iter().enumerate() {
        runtime.write(memory, &values(SMALL, seed)).unwrap();
    }
    assert_eq!(fake.calls("allocate_host"), MOST_SMALL, "chunks are used again");
    for (seed, memory) in memories.iter().enumerate() {
        let mut received = vec![0; SMALL];
        runtime.read(memory, 0, &mut received).unwrap();
        assert!(received == values(SMALL, seed), "memory {seed}");
    }
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn many_threads_copy_at_once() {
    let fake = Fake::new(1 << 30);
    let runtime = runtime(&fake);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let runtime = &runtime;
            scope.spawn(move || {
                for round in 0..6 {
                    let size = (1 << (10 + 2 * round)) + 17 * seed;
                    let memory = runtime.allocate(size).unwrap();
                    let sent = values(size, seed);
                    runtime.write(&memory, &sent).unwrap();
                    let mut received = vec![0; size];
                    runtime.read(&memory, 0, &mut received).unwrap();
                    assert!(sent == received, "{size} bytes");
                }
            });
        }
    });
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
}
