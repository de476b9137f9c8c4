//! Kernels of `ndany-kernels`, with its words and meanings in front.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;
#[allow(dead_code, reason = "tests of compilers have a kernel there that these have no use for")]
#[path = "../../../gpu/tests/support/kernel.rs"]
mod kernels;

use common::*;
use half::f16;
use kernels::map_of;
use ndany_core::DType;
use ndany_core::program::{Builder, Op, Prim, RegType};
use ndany_kernels::map::{BLOCK, Map};
use ndany_kernels::{CUDA, Kernel};

fn run<A: Copy, B: Copy + Default>(map: &Map, from: &[A], nothing: B) -> Vec<B> {
    let source = map.source(&CUDA);
    let function = kernel(&source.text, source.entry);
    let vectors = (from.len() / 4) as u32;
    let (input, output) = (upload(from), upload(&vec![nothing; from.len()]));
    let blocks = vectors.div_ceil(BLOCK);
    assert_eq!(launch(function, [blocks, 1], BLOCK, 0, &[0, vectors.into(), input, output]), 0);
    download(output, from.len())
}

#[test]
fn every_f16_widens_and_narrows() {
    open(0);
    let load = |builder: &Builder| {
        builder.push(Op::Load { input: 0, part: 0 }, RegType::F32, [0; 3]).reg()
    };
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let wide = run(&map_of(DType::F16, DType::F32, load), &all, 0u32);
    for (bits, wide) in all.iter().zip(&wide) {
        let (expected, got) = (f16::from_bits(*bits).to_f32(), f32::from_bits(*wide));
        assert!(
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
            "{bits:#x}: {got}"
        );
    }
    // Halfway between neighbours, and next to that on both sides.
    let between = (0..0x7c00u16).flat_map(|bits| {
        let [low, high] = [bits, bits + 1].map(|bits| f16::from_bits(bits).to_f64());
        let high = if high.is_finite() { high } else { 65536.0 };
        let middle = ((low + high) / 2.0) as f32;
        [middle.next_down(), middle, middle.next_up(), -middle]
    });
    let between: Vec<f32> = between.collect();
    let round = |builder: &Builder| {
        let x = builder.push(Op::Load { input: 0, part: 0 }, RegType::F32, [0; 3]);
        builder.prim(Prim::RoundF16, &[x]).reg()
    };
    let narrow = run(&map_of(DType::F32, DType::F16, round), &between, 0u16);
    for (x, got) in between.iter().zip(narrow) {
        let expected = ndany_core::float::f64_to_f16(f64::from(*x)).to_bits();
        assert_eq!(got, expected, "{x:e}");
    }
}

#[test]
fn a_formula_has_the_bits_of_the_reference() {
    open(1);
    let square = |builder: &Builder| {
        let x = builder.push(Op::Load { input: 0, part: 0 }, RegType::F64, [0; 3]);
        let square = builder.prim(Prim::Mul, &[x, x]);
        let one = builder.float(RegType::F64, 1.0);
        builder.prim(Prim::Sqrt, &[builder.prim(Prim::Add, &[square, one])]).reg()
    };
    let values: Vec<f64> = (0..4096).map(|k| f64::from(k) * 0.37 - 700.0).collect();
    let got = run(&map_of(DType::F64, DType::F64, square), &values, 0f64);
    let expected: Vec<f64> = values.iter().map(|x| (x * x + 1.0).sqrt()).collect();
    assert_eq!(got, expected);
}
