//! Under `NDANY_SOFTGPU_CHECK=bytes`: accesses next to allocations, and of bytes that nothing wrote.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::{download, kernel, launch, open_with, synchronize, upload, words_of};
use ndany_softgpu::exports::cuda::memory::*;

fn open(ordinal: i32) {
    let settings = [
        ("NDANY_SOFTGPU_CHECK", "bytes"),
        ("NDANY_SOFTGPU_ORDER", "now"),
        ("NDANY_SOFTGPU_SHUFFLE", "0"),
    ];
    open_with(ordinal, &settings);
}

fn fresh(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: the result is written.
    assert_eq!(unsafe { cuMemAlloc_v2(&mut address, bytes) }, 0);
    address
}

/// Copies a word of any width by one thread.
const MOVE: &str = "
    struct alignas(16) Wide { unsigned words[4]; };
    struct Args { void* to; const void* from; unsigned long long width; };
    extern \"C\" __global__ void move(const Args a) {
        switch (a.width) {
            case 1: *(unsigned char*)a.to = *(const unsigned char*)a.from; break;
            case 2: *(unsigned short*)a.to = *(const unsigned short*)a.from; break;
            case 4: *(unsigned*)a.to = *(const unsigned*)a.from; break;
            case 8: *(unsigned long long*)a.to = *(const unsigned long long*)a.from; break;
            case 16: *(Wide*)a.to = *(const Wide*)a.from; break;
            case 0: atomicAdd((unsigned*)a.to, 1u); break;
        }
    }";

fn said(ordinal: i32) -> (u32, String) {
    let code = synchronize();
    let text = words_of(code);
    // SAFETY: nothing of this context is used any more.
    unsafe {
        assert_eq!(ndany_softgpu::exports::cuda::context::cuDevicePrimaryCtxReset_v2(ordinal), 0);
    }
    (code, text)
}

#[test]
fn reads_of_what_nothing_wrote_are_named_with_kernel_and_argument() {
    open(0);
    for (round, width) in [1u64, 2, 4, 8, 16].into_iter().enumerate() {
        let function = kernel(MOVE, "move");
        let [to, from] = [fresh(64), fresh(64)];
        // All but the last byte.
        // SAFETY: the memory is that long.
        assert_eq!(unsafe { cuMemsetD8Async(from, 7, 16 + width as usize - 1, 0) }, 0);
        assert_eq!(launch(function, [1, 1], 1, 0, &[to, from, width]), 0);
        assert_eq!(synchronize(), 0, "a width of {width}");
        assert_eq!(launch(function, [1, 1], 1, 0, &[to, from + 16, width]), 0);
        let (code, text) = said(0);
        let (byte, serial) = (16 + width - 1, 2 * round + 2);
        let expected = format!(
            "kernel move reads {width} bytes that nothing wrote, at byte {byte} of allocation #{serial} \
             (64 bytes, device 0), to which word 1 of argument 0 points (block [0, 0, 0], thread [0, 0, 0])"
        );
        assert!(code == 719 && text.ends_with(&expected), "{code} {text}");
    }
}

#[test]
fn accesses_next_to_an_allocation_are_found_where_no_page_guards_it() {
    open(1);
    let cases = [(1, 100), (4, 98), (16, 96), (4, -4), (0, 100)];
    for (round, (width, offset)) in cases.into_iter().enumerate() {
        let function = kernel(MOVE, "move");
        let (to, from) = (upload(&[0u8; 100]), upload(&[0u8; 100]));
        let at = to.wrapping_add_signed(offset);
        assert_eq!(launch(function, [1, 1], 1, 0, &[at, from, width]), 0);
        let (code, text) = said(1);
        let verb = if width == 0 { "reads" } else { "writes" };
        let wide = width.max(4 * u64::from(width == 0));
        let expected = format!("kernel move {verb} {wide} bytes, ");
        let serial = 2 * round + 1;
        let whose = format!("of allocation #{serial} (100 bytes, device 1), to which");
        assert!(code == 700 && text.contains(&expected) && text.contains(&whose), "{code} {text}");
    }
}

#[test]
fn what_copies_fills_and_kernels_write_is_written() {
    open(2);
    let function = kernel(MOVE, "move");
    let from = upload(&[1u32, 2, 3, 4]);
    let [middle, to] = [fresh(16), fresh(64)];
    assert_eq!(launch(function, [1, 1], 1, 0, &[middle, from, 16]), 0);
    // SAFETY: the memory is that long.
    unsafe {
        assert_eq!(cuMemcpyDtoDAsync_v2(to, middle, 16, 0), 0);
        assert_eq!(cuMemsetD32Async(to + 16, 9, 1, 0), 0);
    }
    assert_eq!(launch(function, [1, 1], 1, 0, &[to, to, 0]), 0);
    assert_eq!((download::<u32>(to, 5), synchronize()), (vec![2, 2, 3, 4, 9], 0));
    // A copy carries on what is known, and the host sees no unwritten bytes.
    // SAFETY: the memory is that long.
    assert_eq!(unsafe { cuMemcpyDtoDAsync_v2(middle, to + 16, 16, 0) }, 0);
    let mut values = [0u32; 4];
    // SAFETY: the sizes are those of the values.
    assert_eq!(unsafe { cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), middle, 4, 0) }, 0);
    assert_eq!((values[0], synchronize()), (9, 0));
    // SAFETY: as above.
    assert_eq!(unsafe { cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), middle, 16, 0) }, 719);
    let text = words_of(719);
    assert!(
        text.contains("a copy to the host reads what nothing wrote, at byte 4 of allocation #2"),
        "{text}"
    );
}
