//! Allocations lie right after each other, as a card's driver may place them, and a call that reaches over two is refused.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::{download, kernel, launch, open_with, synchronize, upload};
use ndany_softgpu::exports::cuda::memory::*;
use ndany_softgpu::exports::hip;

/// What is there unless `NDANY_SOFTGPU_PLACE` says otherwise.
fn open(ordinal: i32) {
    open_with(ordinal, &[("NDANY_SOFTGPU_PLACE", ""), ("NDANY_SOFTGPU_CHECK", "")]);
}

#[test]
fn calls_over_two_neighbours_are_refused() {
    open(0);
    let (first, second) = (upload(&[1u32; 1024]), upload(&[2u32; 1024]));
    assert_eq!(second, first + 4096, "no gap");
    let third = upload(&[0u32; 2048]);
    let mut values = [7u32; 2048];
    let host = values.as_mut_ptr();
    // SAFETY: the host's memory is large enough; no allocation of the device holds the ranges, which is found.
    unsafe {
        assert_eq!(cuMemsetD8Async(first, 0, 8192, 0), 1);
        assert_eq!(cuMemsetD8Async(first + 4095, 0, 2, 0), 1);
        assert_eq!(cuMemsetD32Async(first + 4092, 0, 2, 0), 1);
        assert_eq!(cuMemcpyHtoDAsync_v2(first, host.cast(), 8192, 0), 1);
        assert_eq!(cuMemcpyDtoHAsync_v2(host.cast(), first + 2048, 4096, 0), 1);
        assert_eq!(cuMemcpyDtoDAsync_v2(third, first, 8192, 0), 1);
        assert_eq!(cuMemcpyDtoDAsync_v2(first, third, 8192, 0), 1);
        assert_eq!(hip::memory::hipMemsetD8Async(first + 4095, 0, 2, 0), 1);
        // Each by itself is right.
        assert_eq!(cuMemsetD8Async(first + 4092, 3, 4, 0), 0);
        assert_eq!(cuMemsetD8Async(second, 4, 4, 0), 0);
    }
    assert_eq!(synchronize(), 0);
    let ends = |values: Vec<u32>| [values[0], values[1023]];
    assert_eq!(ends(download(first, 1024)), [1, 0x0303_0303]);
    assert_eq!(ends(download(second, 1024)), [0x0404_0404, 2]);
    assert_eq!(values, [7; 2048]);
}

#[test]
fn kernels_beside_neighbours_leave_them_alone() {
    open(1);
    let fill = kernel(
        "struct Args { unsigned* at; unsigned long long value; };
         extern \"C\" __global__ void fill(const Args a) { a.at[threadIdx.x] = unsigned(a.value); }",
        "fill",
    );
    let all = [0u32, 1, 2].map(|value| upload(&[value; 64]));
    assert_eq!([all[1] - all[0], all[2] - all[1]], [256; 2], "no gap");
    assert_eq!(launch(fill, [1, 1], 64, 0, &[all[1], 9]), 0);
    assert_eq!(all.map(|at| download::<u32>(at, 64)), [vec![0; 64], vec![9; 64], vec![2; 64]]);
    // What is given back in between does not take its neighbours along.
    // SAFETY: the memory is this test's.
    assert_eq!(unsafe { cuMemFree_v2(all[1]) }, 0);
    assert_eq!([all[0], all[2]].map(|at| download::<u32>(at, 64)), [vec![0; 64], vec![2; 64]]);
    assert_eq!(synchronize(), 0);
}
