//! Kernels for tests of compilers, and of what runs kernels.

use ndany_core::DType;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, RegType};
use ndany_kernels::layout::{IndexMap, Stride};
use ndany_kernels::map::{Map, Shifts};

/// A map of one input to one output, both contiguous; `meaning` gives the register of the result.
pub fn map_of(from: DType, to: DType, meaning: impl FnOnce(&Builder) -> u16) -> Map {
    let builder = Builder::new();
    let result = meaning(&builder);
    let program = Program {
        inputs: [Input { dtype: from, domain: Domain::Element }].into_iter().collect(),
        outputs: [Output { dtype: to, parts: [result; 2], domain: Domain::Element }]
            .into_iter()
            .collect(),
        instrs: builder.into_parts().0,
        ..Program::default()
    };
    let steps = (0..2).map(|_| [Stride::One].into_iter().collect()).collect();
    let index_map = IndexMap { axes: 1, steps, wide: false };
    Map { program, index_map, vector: 4, apart: 0, shifts: Shifts::new(), stacked: false }
}

/// `max(x, 0) + x * x` of f32.
pub fn map() -> Map {
    map_of(DType::F32, DType::F32, |builder| {
        let x = builder.push(Op::Load { input: 0, part: 0 }, RegType::F32, [0; 3]).reg();
        let zero = builder.push(Op::Const(0), RegType::F32, [0; 3]).reg();
        let most = builder.push(Op::Prim(Prim::Max), RegType::F32, [x, zero, 0]).reg();
        let square = builder.push(Op::Prim(Prim::Mul), RegType::F32, [x, x, 0]).reg();
        builder.push(Op::Prim(Prim::Add), RegType::F32, [most, square, 0]).reg()
    })
}
