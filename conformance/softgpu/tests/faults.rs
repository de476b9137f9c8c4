//! Kernels and programs with errors, and the reports about them.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::{download, kernel, launch, open_with, synchronize, upload, words_of};
use ndany_softgpu::exports::control::{
    ndany_softgpu_allocations, ndany_softgpu_calls, ndany_softgpu_fail,
};
use ndany_softgpu::exports::cuda::context::*;
use ndany_softgpu::exports::cuda::memory::*;
use ndany_softgpu::exports::cuda::order::*;
use ndany_softgpu::exports::nvrtc::nvrtcCreateProgram;

/// The report depends on the order of threads, and on what follows an allocation.
fn open(ordinal: i32) {
    let settings = [
        ("NDANY_SOFTGPU_SHUFFLE", "0"),
        ("NDANY_SOFTGPU_ORDER", "now"),
        ("NDANY_SOFTGPU_PLACE", "apart"),
    ];
    open_with(ordinal, &settings);
}

/// Reads or writes one word at an address.
const TOUCH: &str = "
    struct Args { unsigned* at; unsigned long long write; };
    extern \"C\" __global__ void touch(const Args args) {
        if (threadIdx.x != 5) return;
        if (args.write) args.at[0] = 1; else args.at[0] |= args.at[0] + 1;
    }";

/// Launches, and gives what the next call returns with its text; the context is whole afterwards.
fn fault(ordinal: i32, function: u64, block: u32, shared: u32, words: &[u64]) -> (u32, String) {
    // The launch itself is asynchronous: it does not know yet.
    assert_eq!(launch(function, [3, 1], block, shared, words), 0);
    let code = synchronize();
    let text = words_of(code);
    let mut address = 0;
    // SAFETY: the result is written; a context that suffers refuses everything.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut address, 8), code);
        assert_eq!(cuDevicePrimaryCtxReset_v2(ordinal), 0);
        assert_eq!(cuMemAlloc_v2(&mut address, 8), 0);
    }
    (code, text)
}

#[test]
fn memory_beyond_an_allocation_is_named() {
    open(0);
    for (offset, write, expected) in [
        (
            1024,
            true,
            "kernel touch writes 0 bytes past the end of allocation #1 (1024 bytes, device 0)",
        ),
        (
            1040,
            false,
            "kernel touch reads 16 bytes past the end of allocation #3 (1024 bytes, device 0)",
        ),
        (1 << 40, false, "which is no memory of a device"),
    ] {
        // SAFETY: nothing of this context is used any more.
        assert_eq!(unsafe { cuDevicePrimaryCtxReset_v2(0) }, 0);
        let touch = kernel(TOUCH, "touch");
        let memory = upload(&[0u32; 256]);
        let (code, text) = fault(0, touch, 32, 0, &[memory + offset, write.into()]);
        let start = "an illegal memory access was encountered: ";
        assert!(code == 700 && text.starts_with(start) && text.contains(expected), "{code} {text}");
        assert!(text.ends_with("(block [0, 0, 0], thread [5, 0, 0])"), "{text}");
    }
}

#[test]
fn memory_that_was_freed_is_named() {
    open(1);
    let touch = kernel(TOUCH, "touch");
    let memory = upload(&[0u32; 4]);
    // SAFETY: the memory is this test's.
    unsafe {
        assert_eq!(cuMemFree_v2(memory), 0);
        assert_eq!(cuMemFree_v2(memory), 1);
    }
    let (code, text) = fault(1, touch, 32, 0, &[memory + 4, 1]);
    let expected = "writes at byte 4 of allocation #1 (16 bytes, device 1), which was freed";
    assert!(code == 700 && text.contains(expected), "{code} {text}");
}

#[test]
fn what_is_written_where_no_page_guards_is_found_when_it_is_freed() {
    open(2);
    let touch = kernel(TOUCH, "touch");
    let memory = upload(&[0u8; 100]);
    assert_eq!(launch(touch, [1, 1], 32, 0, &[memory + 100, 1]), 0);
    // SAFETY: the memory is this test's.
    let freed = unsafe { [synchronize(), cuMemFree_v2(memory), synchronize()] };
    assert_eq!(freed, [0, 700, 700]);
    assert!(words_of(700).contains("something wrote after allocation #1 of 100 bytes"));
}

#[test]
fn copies_outside_allocations_are_refused() {
    open(3);
    let memory = upload(&[0u32; 4]);
    let mut values = [0u32; 5];
    // SAFETY: the host's memory is large enough; the device's is not, which is found.
    unsafe {
        assert_eq!(cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), memory, 20, 0), 1);
        assert_eq!(cuMemcpyHtoDAsync_v2(memory + 4, values.as_ptr().cast(), 16, 0), 1);
        assert_eq!(cuMemcpyDtoDAsync_v2(memory, memory + 8, 12, 0), 1);
        assert_eq!(cuMemsetD8Async(memory, 0, 17, 0), 1);
        assert_eq!(cuMemsetD32Async(memory + 2, 0, 1, 0), 1);
        assert_eq!(cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), memory, 16, 77), 400);
    }
    assert_eq!(synchronize(), 0);
}

#[test]
fn threads_that_wait_for_ever_are_a_deadlock() {
    open(4);
    let stuck = kernel(
        "struct Args { unsigned* at; };
         extern \"C\" __global__ void stuck(const Args args) {
             if (threadIdx.x == 40) __shfl_down_sync(0xff00u, 1u, 1);
             __syncthreads();
         }",
        "stuck",
    );
    let memory = upload(&[0u32]);
    let (code, text) = fault(4, stuck, 64, 0, &[memory]);
    let expected = "kernel stuck is in a deadlock: 63 threads (the first: 0) wait at a barrier, \
                    1 threads (the first: 40) wait for lanes of their masks";
    assert!(code == 719 && text.contains(expected), "{code} {text}");
    let outside = kernel(
        "struct Args { unsigned* at; };
         extern \"C\" __global__ void outside(const Args args) { args.at[0] = __shfl_sync(1u, threadIdx.x, 0); }",
        "outside",
    );
    let (code, text) = fault(4, outside, 32, 0, &[upload(&[0u32])]);
    let expected = "exchanges in lane 1 under the mask 0x1, which does not name it";
    assert!(code == 719 && text.contains(expected), "{code} {text}");
}

#[test]
fn threads_that_have_exited_block_no_others() {
    open(5);
    let early = kernel(
        "struct Args { unsigned* at; };
         extern \"C\" __global__ void early(const Args args) {
             if (threadIdx.x >= 20) return;
             __syncthreads();
             unsigned sum = __ballot_sync(~0u, 1);
             if (threadIdx.x == 0) args.at[blockIdx.x] = sum;
         }",
        "early",
    );
    let memory = upload(&[0u32; 3]);
    assert_eq!(launch(early, [3, 1], 64, 0, &[memory]), 0);
    assert_eq!(download::<u32>(memory, 3), [(1 << 20) - 1; 3]);
}

#[test]
fn other_ends_are_named() {
    open(6);
    let texts = [
        ("__trap();", 719, "kernel bad traps"),
        ("args.at[0] = 7 / args.at[1];", 719, "kernel bad divides an integer by zero"),
        (
            "unsigned char large[1 << 20]; for (unsigned k = 0; k < sizeof(large); k += 64) \
             *(volatile unsigned char*)&large[k] = 1; args.at[0] = large[args.at[0]];",
            719,
            "kernel bad overruns its stack",
        ),
        (
            "extern __shared__ unsigned loose[]; loose[threadIdx.x * 8] = 1; args.at[0] = loose[3];",
            700,
            "kernel bad writes 0 bytes past the end of its 256 bytes of dynamic shared memory",
        ),
    ];
    for (body, expected, words) in texts {
        let text = format!(
            "struct Args {{ unsigned* at; }}; extern \"C\" __global__ void bad(const Args args) {{ {body} }}"
        );
        let bad = kernel(&text, "bad");
        let (code, text) = fault(6, bad, 32, 256, &[upload(&[0u32; 2])]);
        assert!(code == expected && text.contains(words), "{code} {text}");
    }
}

#[test]
fn injected_failures_occur() {
    open(7);
    let mut address = 0;
    let name = c"cuStreamCreate".as_ptr();
    // SAFETY: results are written.
    unsafe {
        let before = ndany_softgpu_calls(name);
        ndany_softgpu_fail(name, 2, 2);
        let codes = [0; 3].map(|_: u32| cuStreamCreate(&mut address, 1));
        assert_eq!(codes, [0, 2, 0]);
        assert_eq!(ndany_softgpu_calls(name), before + 3);
    }
    assert_eq!(synchronize(), 0);
}

#[test]
fn a_lost_device_answers_nothing_until_it_is_reset() {
    // A device of its own, but all of them are lost: so in a process of its own.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "loses", "--ignored", "--nocapture"])
        .env("NDANY_SOFTGPU_FAIL", "*:5:lost")
        .env("NDANY_SOFTGPU_LEAKS", "fail")
        .env("NDANY_SOFTGPU_TRACE", "calls")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{text}");
    let lines = [
        "softgpu: cuMemAlloc_v2 (4)\n",
        "softgpu: cuMemAlloc_v2 (5): the device is lost\n",
        "softgpu: cuStreamCreate (6): the device is lost\n",
        "softgpu: leak: 24 bytes of device 0 (allocation #2), made by call 8, cuMemAlloc_v2\n",
        "softgpu: leak: a stream of device 0, made by call 9, cuStreamCreate\n",
        "softgpu: leak: an event of device 0, made by call 10, cuEventCreate\n",
        "softgpu: leak: a program of the compiler, made by call 11, nvrtcCreateProgram\n",
        "softgpu: 4 not given back\n",
    ];
    let mut rest = &*text;
    for line in lines {
        rest = rest.split_once(line).unwrap_or_else(|| panic!("no {line} in {text}")).1;
    }
}

#[test]
#[ignore = "run by the other"]
fn loses() {
    open(0);
    let (mut address, mut stream, mut event, mut program) = (0, 0, 0, 0);
    // SAFETY: results are written; texts are C strings.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut address, 8), 0);
        assert_eq!([cuMemAlloc_v2(&mut address, 16), cuStreamCreate(&mut stream, 1)], [719; 2]);
        assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
        assert_eq!(cuMemAlloc_v2(&mut address, 24), 0);
        assert_eq!(cuStreamCreate(&mut stream, 1), 0);
        assert_eq!(cuEventCreate(&mut event, 2), 0);
        let (text, none) = (c"".as_ptr(), std::ptr::null());
        assert_eq!(nvrtcCreateProgram(&mut program, text, text, 0, none, none), 0);
    }
}

#[test]
fn memory_ends() {
    open(8);
    let mut address = 0;
    let (mut free, mut total) = (0, 0);
    // SAFETY: results are written.
    unsafe {
        assert_eq!(cuMemGetInfo_v2(&mut free, &mut total), 0);
        assert_eq!((free, total), (1 << 30, 1 << 30));
        assert_eq!(cuMemAlloc_v2(&mut address, total + 1), 2);
        assert_eq!(cuMemAlloc_v2(&mut address, 0), 1);
        assert_eq!(cuMemAlloc_v2(&mut address, 1 << 20), 0);
        assert_eq!(ndany_softgpu_allocations(8), 1);
        assert_eq!(cuMemFree_v2(address), 0);
    }
    assert_eq!((synchronize(), ndany_softgpu_allocations(8)), (0, 0));
}

#[test]
fn without_a_context_nothing_goes() {
    open(9);
    let mut address = 0;
    // SAFETY: results are written.
    unsafe {
        assert_eq!(cuCtxSetCurrent(0), 0);
        assert_eq!(cuMemAlloc_v2(&mut address, 8), 201);
        assert_eq!(cuCtxSetCurrent(12345), 201);
    }
}
