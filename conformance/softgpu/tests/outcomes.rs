//! Under `NDANY_SOFTGPU_SEEDS=3`: what depends on the order of threads is reported, and what may depend on it is not.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::{download, kernel, launch, open_with, synchronize, upload, words_of};

fn open(ordinal: i32) {
    let settings = [
        ("NDANY_SOFTGPU_SEEDS", "3"),
        ("NDANY_SOFTGPU_ORDER", "now"),
        ("NDANY_SOFTGPU_SHUFFLE", "0"),
    ];
    open_with(ordinal, &settings);
}

fn text(body: &str) -> String {
    format!(
        "struct Args {{ unsigned* to; unsigned* table; float* real; }};
         extern \"C\" __global__ void tried(const Args a) {{
             __shared__ unsigned room[64];
             unsigned t = threadIdx.x, b = blockIdx.x;
             {body}
         }}"
    )
}

/// Runs a kernel of two blocks of 64 threads; what is said, or what it leaves.
fn run(ordinal: i32, body: &str) -> Result<(Vec<u32>, Vec<u32>, f32), String> {
    open(ordinal);
    let function = kernel(&text(body), "tried");
    let to = upload(&(0..128).collect::<Vec<u32>>());
    let (table, real) = (upload(&[0u32; 64]), upload(&[0f32]));
    assert_eq!(launch(function, [2, 1], 64, 0, &[to, table, real]), 0);
    match synchronize() {
        0 => Ok((download(to, 128), download(table, 64), download::<f32>(real, 1)[0])),
        code => {
            assert_eq!(code, 719);
            Err(words_of(code))
        }
    }
}

#[test]
fn a_missing_barrier_is_reported_with_kernel_argument_offset_and_blocks() {
    let text = run(0, "room[t] = t; a.to[64 * b + t] = room[63 - t];").unwrap_err();
    let start = "kernel tried depends on the order of its threads: at byte ";
    assert!(text.contains(start), "{text}");
    let whose = "of allocation #1 (512 bytes, device 0), to which word 0 of argument 0 points: ";
    assert!(text.contains(whose) && text.contains("under seed 0"), "{text}");
    assert!(
        text.contains("by block [0, 0, 0] under seed ")
            || text.contains("by block [1, 0, 0] under seed "),
        "{text}"
    );
    let right = "room[t] = t; __syncthreads(); a.to[64 * b + t] = room[63 - t];";
    let expected: Vec<u32> = (0..128).map(|k| 63 - k % 64).collect();
    assert_eq!(run(1, right).unwrap().0, expected);
}

#[test]
fn what_a_kernel_reads_and_writes_is_as_it_was_in_each_order() {
    // Added once, though the kernel ran three times.
    let expected: Vec<u32> = (0..128).map(|k| k + 5).collect();
    assert_eq!(run(2, "a.to[64 * b + t] += 5;").unwrap().0, expected);
}

#[test]
fn two_threads_that_write_one_place_are_reported() {
    let text = run(3, "a.to[t / 2] = t;").unwrap_err();
    assert!(text.contains("depends on the order of its threads"), "{text}");
}

#[test]
fn sums_of_integers_by_atomics_are_right_and_of_floats_are_reported() {
    let (_, table, _) =
        run(4, "atomicAdd(a.table + t % 3, t); atomicMax(a.table + 4, t);").unwrap();
    assert_eq!((table[0] + table[1] + table[2], table[4]), (64 * 63, 63));
    let text = run(4, "atomicAdd(a.real, t % 7 == 3 ? 1e8f : 0.37f * t);").unwrap_err();
    assert!(text.contains("to which word 2 of argument 0 points"), "{text}");
}

#[test]
fn places_that_are_handed_out_are_excused_and_what_is_computed_of_them_otherwise_is_not() {
    let place = "unsigned at = 0; while (atomicCAS(a.table + at, 0u, 1 + 64 * b + t) != 0u && at < 63) at++;";
    let (_, table, _) = run(5, place).unwrap();
    assert!(table.iter().all(|&owner| owner != 0));
    let text = run(5, &format!("{place} a.to[64 * b + t] = at;")).unwrap_err();
    assert!(text.contains("to which word 0 of argument 0 points"), "{text}");
}
