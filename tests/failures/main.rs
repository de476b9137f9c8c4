//! What went wrong for users of other engines, and does not here.
//!
//! `row_N` in a test's name is row N of the collection of such threads that the project keeps: sums
//! past 2^32 elements, poisoned handles, leaks after an out-of-memory, strided views that read the
//! wrong element. `mock` is a device made outside the engine: it counts, refuses and poisons.

mod aliases;
mod fusion;
mod graph;
mod layouts;
mod limits;
mod memory;
mod mock;
mod numbers;
mod positions;
mod row_positions;
mod second_reads;
mod sizes;
mod threads;

use ndany::{Array, Device};

/// Devices on which every test of values runs.
fn devices() -> Vec<Device> {
    let names = ["reference", "cpu:threads=1", "cpu:threads=8", "cpu:level=v1", "cpu:level=v3"];
    // A CPU without a level has one device less.
    names.iter().filter_map(|name| Device::open(name).ok()).collect()
}

/// The bytes of an array in which every NaN is the same NaN.
fn canonical(array: &Array) -> Vec<u8> {
    let bytes = array.to_bytes().expect("a value");
    let part = array.dtype().part();
    let mut canonical = bytes;
    for element in canonical.chunks_exact_mut(part.size()) {
        let word = element.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
        let is_nan = match part {
            ndany::DType::F16 => half::f16::from_bits(word as u16).is_nan(),
            ndany::DType::BF16 => half::bf16::from_bits(word as u16).is_nan(),
            ndany::DType::F32 => f32::from_bits(word as u32).is_nan(),
            ndany::DType::F64 => f64::from_bits(word).is_nan(),
            _ => false,
        };
        if is_nan {
            element.fill(0xFF);
        }
    }
    canonical
}
