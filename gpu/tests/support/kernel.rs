//! A kernel for tests of compilers.

use ndany_core::DType;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, Ty};
use ndany_kernels::layout::{Step, Walk};
use ndany_kernels::map::Map;

/// `max(x, 0) + x * x` of f32.
pub fn map() -> Map {
    let builder = Builder::new();
    let x = builder.push(Op::Load { input: 0, part: 0 }, Ty::F32, [0; 3]).reg();
    let zero = builder.push(Op::Const(0), Ty::F32, [0; 3]).reg();
    let most = builder.push(Op::Prim(Prim::Max), Ty::F32, [x, zero, 0]).reg();
    let square = builder.push(Op::Prim(Prim::Mul), Ty::F32, [x, x, 0]).reg();
    let sum = builder.push(Op::Prim(Prim::Add), Ty::F32, [most, square, 0]).reg();
    let program = Program {
        inputs: [Input { dtype: DType::F32, domain: Domain::Element }].into_iter().collect(),
        outputs: [Output { dtype: DType::F32, parts: [sum; 2], domain: Domain::Element }]
            .into_iter()
            .collect(),
        instrs: builder.into_instrs(),
        ..Program::default()
    };
    let steps = (0..2).map(|_| [Step::One].into_iter().collect()).collect();
    let walk = Walk { axes: 1, steps, wide: false };
    Map { program, walk, vector: 4 }
}
