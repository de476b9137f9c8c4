//! The order `late`, and threads in a random order: missing synchronization shows.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::ffi::c_void;

use common::{download, kernel, launch_on, open_with, synchronize, upload, words_of};
use ndany_softgpu::exports::cuda::memory::*;
use ndany_softgpu::exports::cuda::order::*;

const UNWRITTEN: u32 = u32::MAX;

fn open(ordinal: i32) {
    let settings = [
        ("NDANY_SOFTGPU_ORDER", "late"),
        ("NDANY_SOFTGPU_SHUFFLE", "7"),
        // What is freed here is less than a page, which stays open while a neighbour lives.
        ("NDANY_SOFTGPU_PLACE", "apart"),
    ];
    open_with(ordinal, &settings);
}

fn stream() -> u64 {
    let mut stream = 0;
    // SAFETY: the result is written.
    assert_eq!(unsafe { cuStreamCreate(&mut stream, 1) }, 0);
    stream
}

fn fresh(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: the result is written.
    assert_eq!(unsafe { cuMemAlloc_v2(&mut address, bytes) }, 0);
    address
}

const COPY: &str = "
    struct Args { const unsigned* from; unsigned* to; };
    extern \"C\" __global__ void copy(const Args a) { a.to[threadIdx.x] = a.from[threadIdx.x]; }";

#[test]
fn a_stream_that_waits_for_no_event_sees_what_was_before() {
    open(0);
    let copy = kernel(COPY, "copy");
    let (one, two) = (stream(), stream());
    for (waits, expected) in [(false, UNWRITTEN), (true, 7)] {
        let [from, middle, to] = [upload(&[7u32; 32]), fresh(128), fresh(128)];
        assert_eq!(launch_on(one, copy, [1, 1], 32, 0, &[from, middle]), 0);
        if waits {
            let mut event = 0;
            // SAFETY: the result is written; handles are alive.
            unsafe {
                assert_eq!(cuEventCreate(&mut event, 2), 0);
                assert_eq!(cuEventRecord(event, one), 0);
                assert_eq!(cuStreamWaitEvent(two, event, 0), 0);
                assert_eq!(cuEventDestroy_v2(event), 0);
            }
        }
        assert_eq!(launch_on(two, copy, [1, 1], 32, 0, &[middle, to]), 0);
        // SAFETY: the stream is alive.
        assert_eq!(unsafe { [cuStreamQuery(two), cuStreamSynchronize(two)] }, [600, 0]);
        assert_eq!(download::<u32>(to, 32), [expected; 32]);
    }
}

#[test]
fn page_locked_memory_is_read_when_its_turn_comes() {
    open(1);
    let (stream, to) = (stream(), fresh(8));
    let mut locked: *mut c_void = std::ptr::null_mut();
    let mut pageable = 1u32;
    // SAFETY: all memory is of the sizes that are said, and alive.
    unsafe {
        assert_eq!(cuMemHostAlloc(&mut locked, 4, 0), 0);
        let locked = locked.cast::<u32>();
        locked.write(1);
        assert_eq!(cuMemcpyHtoDAsync_v2(to, locked.cast(), 4, stream), 0);
        assert_eq!(cuMemcpyHtoDAsync_v2(to + 4, (&raw const pageable).cast(), 4, stream), 0);
        // Too early for the first copy, and not for the second.
        locked.write(2);
        pageable += 1;
        assert_eq!(cuStreamSynchronize(stream), 0);
        // The same on the way back: nothing is there before a wait.
        assert_eq!(cuMemsetD32Async(to, 3, 1, stream), 0);
        assert_eq!(cuMemcpyDtoHAsync_v2(locked.cast(), to, 4, stream), 0);
        assert_eq!(locked.read(), 2);
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!(locked.read(), 3);
        assert_eq!(cuMemFreeHost(locked.cast()), 0);
    }
    assert_eq!((pageable, download::<u32>(to, 2)), (2, vec![3, 1]));
}

#[test]
fn memory_that_is_freed_before_its_turn_is_missed() {
    open(2);
    let copy = kernel(COPY, "copy");
    let (stream, [from, to]) = (stream(), [upload(&[7u32; 32]), fresh(128)]);
    assert_eq!(launch_on(stream, copy, [1, 1], 32, 0, &[from, to]), 0);
    // SAFETY: the memory is this test's; that a kernel still wants it is the point.
    assert_eq!(unsafe { cuMemFree_v2(to) }, 0);
    assert_eq!(synchronize(), 700);
    let text = words_of(700);
    assert!(
        text.contains("kernel copy writes at byte") && text.contains("which was freed"),
        "{text}"
    );
}

#[test]
fn a_missing_barrier_shows() {
    open(3);
    let text = |barrier: &str| {
        format!(
            "struct Args {{ unsigned* to; }};
             extern \"C\" __global__ void before(const Args a) {{
                 __shared__ unsigned all[64];
                 all[threadIdx.x] = threadIdx.x;
                 {barrier}
                 a.to[threadIdx.x] = threadIdx.x ? all[threadIdx.x - 1] : 0;
             }}"
        )
    };
    let expected: Vec<u32> = (0..64u32).map(|k| k.saturating_sub(1)).collect();
    for (barrier, right) in [("__syncthreads();", true), ("", false)] {
        let to = fresh(256);
        assert_eq!(launch_on(0, kernel(&text(barrier), "before"), [1, 1], 64, 0, &[to]), 0);
        assert_eq!(download::<u32>(to, 64) == expected, right);
    }
}
