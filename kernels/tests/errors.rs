//! A kernel of a program that may fail writes its error word, in every pattern: an error that is found and not said is a
//! wrong value. Which patterns meet such programs is core's to decide, and may change.

use ndany_core::DType;
use ndany_core::program::{
    Combine, Domain, Input, Instr, Op, Output, Prim, Program, Reduction, RegType,
};
use ndany_kernels::columns::Columns;
use ndany_kernels::folds::Segments;
use ndany_kernels::layout::{IndexMap, Stride};
use ndany_kernels::map::{Map, Shifts};
use ndany_kernels::rows::{Part, Rows};
use ndany_kernels::scan::Scan;
use ndany_kernels::tiles::Tiles;
use ndany_kernels::{CUDA, HIP_32, HIP_64, Kernel};

/// A power of two arrays of integers; its sums, if it is reduced, or its running ones.
fn power(reduced: Option<Domain>) -> Program {
    let load = |input| Instr { op: Op::Load { input, part: 0 }, ty: RegType::I64, args: [0; 3] };
    let power = Instr { op: Op::Prim(Prim::IntPow), ty: RegType::I64, args: [0, 1, 0] };
    let mut instrs = vec![load(0), load(1), power];
    let mut reductions = Vec::new();
    if reduced.is_some() {
        let lifted = std::iter::once(2).collect();
        reductions.push(Reduction { lifted, combine: Combine::Prim(Prim::Add) });
    }
    if reduced == Some(Domain::Row) {
        let op = Op::Reduced { reduction: 0, part: 0 };
        instrs.push(Instr { op, ty: RegType::I64, args: [0; 3] });
    }
    let last = instrs.len() as u16 - 1;
    let domain = reduced.unwrap_or(Domain::Element);
    let input = Input { dtype: DType::I64, domain: Domain::Element };
    let output = Output { dtype: DType::I64, parts: [last; 2], domain };
    Program {
        inputs: [input; 2].into_iter().collect(),
        instrs,
        reductions,
        outputs: std::iter::once(output).collect(),
        ..Program::default()
    }
}

/// Three arrays over one axis; the last one, along a row of its own, not at all.
fn index_map(last: Stride) -> IndexMap {
    let steps = [Stride::One, Stride::One, last].map(|step| std::iter::once(step).collect());
    IndexMap { axes: 1, steps: steps.into_iter().collect(), wide: false }
}

fn writes(kernel: &impl Kernel) {
    for dialect in [&CUDA, &HIP_32, &HIP_64] {
        let text = kernel.source(dialect).text;
        assert!(text.contains("atomic_max(a.error, error);"), "{kernel:?} says nothing:\n{text}");
    }
}

#[test]
fn every_pattern_writes_its_error_word() {
    let (outer, along, alone) =
        (index_map(Stride::One), index_map(Stride::One), index_map(Stride::Zero));
    writes(&Map {
        program: power(None),
        index_map: along.clone(),
        vector: 1,
        apart: 0,
        shifts: Shifts::new(),
        stacked: false,
    });
    writes(&Tiles { program: power(None), outer: outer.clone(), transposed: vec![true, false] });
    let sum = || power(Some(Domain::Row));
    for (lanes, down, states) in
        [(4, 1, false), (16, 1, false), (32, 2, false), (128, 1, false), (128, 8, true)]
    {
        let (program, outer, row) = (sum(), outer.clone(), alone.clone());
        writes(&Columns { program, outer, row, lanes, down, states });
    }
    for part in [Part::Chunk, Part::Chunks, Part::State] {
        let (program, outer, row) = (sum(), outer.clone(), alone.clone());
        writes(&Rows { program, outer, row, group: 128, each: 1, pack: 1, part, capacity: 128 });
    }
    for chunked in [false, true] {
        let (outer, row) = (outer.clone(), along.clone());
        writes(&Scan {
            program: power(Some(Domain::Element)),
            outer,
            row,
            chunked,
            across: false,
            only: None,
        });
    }
    for left in [false, true] {
        let (program, outer, row) = (sum(), outer.clone(), along.clone());
        writes(&Segments { program, left, outer, row });
    }
}
