//! Kernels that do what they should.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::*;

#[test]
fn vectors_are_added() {
    open(0);
    let add = kernel(
        "struct Args { const float* a; const float* b; float* sum; unsigned long long count; };
         extern \"C\" __global__ void __launch_bounds__(128) add(const Args args) {
             unsigned long long k = blockIdx.x * 128ull + threadIdx.x;
             if (k < args.count) args.sum[k] = args.a[k] + args.b[k];
         }",
        "add",
    );
    // Large enough for several threads of the host.
    let count = 100_000u32;
    let a: Vec<f32> = (0..count).map(|k| k as f32).collect();
    let [x, sum] = [upload(&a), upload(&a)];
    assert_eq!(launch(add, [count.div_ceil(128), 1], 128, 0, &[x, x, sum, count.into()]), 0);
    assert_eq!(synchronize(), 0);
    let expected: Vec<f32> = a.iter().map(|x| x + x).collect();
    assert_eq!(download::<f32>(sum, a.len()), expected);
    assert_eq!(launch(add, [1, 1], 129, 0, &[x, x, sum, 1]), 701);
}

#[test]
fn blocks_reduce_by_barriers_and_shuffles() {
    open(1);
    let sum = kernel(
        "#define KERNEL(threads) extern \"C\" __global__ void __launch_bounds__(threads)
         struct Args { const unsigned* from; unsigned* to; };
         KERNEL(256) sum(const Args args) {
             __shared__ unsigned parts[8];
             unsigned x = args.from[blockIdx.y * gridDim.x * 256 + blockIdx.x * 256 + threadIdx.x];
             for (unsigned step = 16; step; step >>= 1) x += __shfl_down_sync(0xffffffffu, x, step);
             if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
             __syncthreads();
             if (threadIdx.x >= 8) return;
             x = parts[threadIdx.x];
             for (unsigned step = 4; step; step >>= 1) x += __shfl_xor_sync(0xffu, x, step);
             if (threadIdx.x == 0) args.to[blockIdx.y * gridDim.x + blockIdx.x] = x;
         }",
        "sum",
    );
    let values: Vec<u32> = (0..256 * 96).map(|k: u32| k.wrapping_mul(2_654_435_761)).collect();
    let (from, to) = (upload(&values), upload(&[0u32; 96]));
    assert_eq!(launch(sum, [32, 3], 256, 0, &[from, to]), 0);
    let add = |block: &[u32]| block.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let expected: Vec<u32> = values.chunks(256).map(add).collect();
    assert_eq!(download::<u32>(to, 96), expected);
}

#[test]
fn lanes_exchange_as_cuda_documents() {
    open(2);
    let lanes = kernel(
        "struct Args { unsigned* to; };
         extern \"C\" __global__ void lanes(const Args args) {
             unsigned lane = threadIdx.x, *to = args.to + lane;
             unsigned long long wide = (unsigned long long)lane << 40;
             to[0] = __shfl_sync(~0u, lane, 3);
             to[32] = __shfl_sync(~0u, lane, 3, 8);
             to[64] = __shfl_up_sync(~0u, lane, 2, 16);
             to[96] = __shfl_down_sync(~0u, lane, 5, 8);
             to[128] = __shfl_xor_sync(~0u, lane, 1);
             to[160] = (unsigned)(__shfl_sync(~0u, wide, 31 - lane) >> 40);
             to[192] = __ballot_sync(~0u, lane % 3 == 0);
             to[224] = __any_sync(~0u, lane == 31) * 2 + __all_sync(~0u, lane < 31);
             // Parts of a warp go their own ways.
             if (lane < 16) to[256] = __shfl_sync(0xffffu, lane, 15);
             else to[256] = __ballot_sync(0xffff0000u, 1);
             to[288] = __syncthreads_count(lane < 7);
             __syncwarp();
             to[320] = __float_as_uint(__shfl_down_sync(~0u, (float)lane, 1));
         }",
        "lanes",
    );
    let to = upload(&[0u32; 352]);
    assert_eq!(launch(lanes, [1, 1], 32, 0, &[to]), 0);
    let got = download::<u32>(to, 352);
    let check = |at: usize, expected: &dyn Fn(u32) -> u32| {
        let expected: Vec<u32> = (0..32).map(expected).collect();
        assert_eq!(got[at..at + 32], expected, "at {at}");
    };
    check(0, &|_| 3);
    check(32, &|lane| lane / 8 * 8 + 3);
    check(64, &|lane| if lane % 16 < 2 { lane } else { lane - 2 });
    check(96, &|lane| if lane % 8 > 2 { lane } else { lane + 5 });
    check(128, &|lane| lane ^ 1);
    check(160, &|lane| 31 - lane);
    check(192, &|_| (0..32).filter(|k| k % 3 == 0).map(|k| 1u32 << k).sum());
    check(224, &|_| 2);
    check(256, &|lane| if lane < 16 { 15 } else { 0xffff_0000 });
    check(288, &|_| 7);
    check(320, &|lane| ((lane + 1).min(31) as f32).to_bits());
}

#[test]
fn atomics_meet_across_blocks() {
    open(3);
    let count = kernel(
        "struct Args { unsigned* words; unsigned long long* wide; float* real; };
         extern \"C\" __global__ void count(const Args args) {
             unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
             atomicAdd(args.words, 1u);
             atomicMax(args.words + 1, k);
             atomicMin(args.words + 2, k);
             atomicOr(args.words + 3, 1u << k % 32);
             atomicAdd(args.wide, (unsigned long long)k);
             atomicAdd(args.real, 1.0f);
             unsigned was = args.words[4];
             while (true) {
                 unsigned now = atomicCAS(args.words + 4, was, was + 2);
                 if (now == was) break;
                 was = now;
             }
         }",
        "count",
    );
    let (words, wide, real) =
        (upload(&[0u32, 0, u32::MAX, 0, 0]), upload(&[0u64]), upload(&[0f32]));
    assert_eq!(launch(count, [200, 1], 256, 0, &[words, wide, real]), 0);
    let n = 200 * 256;
    assert_eq!(download::<u32>(words, 5), [n, n - 1, 0, u32::MAX, 2 * n]);
    assert_eq!(download::<u64>(wide, 1), [u64::from(n) * u64::from(n - 1) / 2]);
    assert_eq!(download::<f32>(real, 1), [n as f32]);
}

#[test]
fn shared_memory_is_fresh_in_each_block_and_may_be_dynamic() {
    open(4);
    let shared = kernel(
        "struct Args { unsigned* to; };
         extern \"C\" __global__ void shared(const Args args) {
             __shared__ unsigned fixed[64];
             extern __shared__ unsigned loose[];
             unsigned *to = args.to + blockIdx.x * 4, last = blockDim.x - 1;
             if (threadIdx.x == 0) { to[0] = fixed[63]; to[1] = loose[last]; }
             __syncthreads();
             fixed[threadIdx.x] = threadIdx.x;
             loose[threadIdx.x] = 2 * threadIdx.x;
             __syncthreads();
             if (threadIdx.x == 0) { to[2] = fixed[last]; to[3] = loose[last]; }
         }",
        "shared",
    );
    let to = upload(&[0u32; 12]);
    assert_eq!(launch(shared, [3, 1], 64, 256, &[to]), 0);
    let expected = [u32::MAX, u32::MAX, 63, 126].repeat(3);
    assert_eq!(download::<u32>(to, 12), expected);
    // More than a block may have, unasked.
    assert_eq!(launch(shared, [1, 1], 64, 49 << 10, &[to]), 1);
}

#[test]
fn what_is_not_promised_to_contract_does_not() {
    open(5);
    let round = kernel(
        "struct Args { const float* x; float* to; };
         extern \"C\" __global__ void rounding(const Args a) {
             a.to[0] = a.x[0] * a.x[0] - a.x[1];
             a.to[1] = __fmaf_rn(a.x[0], a.x[0], -a.x[1]);
         }",
        "rounding",
    );
    let x = 1.0f32 + f32::EPSILON;
    let (from, to) = (upload(&[x, x * x]), upload(&[7f32; 2]));
    assert_eq!(launch(round, [1, 1], 1, 0, &[from, to]), 0);
    assert_eq!(download::<f32>(to, 2), [0.0, x.mul_add(x, -(x * x))]);
}
