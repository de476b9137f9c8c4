//! What is narrowed, when it is not, and that values stay.

use super::super::Output;
use super::*;
use crate::DType;
use crate::program::Domain;

/// The program with narrow positions, where it fits.
fn narrowed(program: &Program, elements: usize, scalars: &[u64]) -> Option<Program> {
    let narrow = program.narrow_positions()?;
    narrow.fit(program, elements, scalars).then_some(narrow.program)
}

/// The integer operations of position arithmetic on bits of a register.
fn step(op: Op, ty: RegType, arg_ty: RegType, args: [u64; 3]) -> u64 {
    let signed = |bits: u64, ty: RegType| match ty {
        RegType::I32 => i128::from(bits as u32 as i32),
        RegType::U32 => i128::from(bits as u32),
        RegType::I64 => i128::from(bits as i64),
        RegType::U16 => i128::from(bits as u16),
        _ => i128::from(bits),
    };
    let bits = |value: i128| match ty.size() {
        4 => u64::from(value as u32),
        _ => value as u64,
    };
    let [a, b, _] = args.map(|bits| signed(bits, arg_ty));
    match op {
        Op::Prim(Prim::Add) => bits(a + b),
        Op::Prim(Prim::Sub) => bits(a - b),
        Op::Prim(Prim::Mul) => bits(a.wrapping_mul(b)),
        Op::Prim(Prim::Div) => bits(if b == 0 { 0 } else { a / b }),
        Op::Prim(Prim::Rem) => bits(if b == 0 { 0 } else { a % b }),
        Op::Prim(Prim::Min) => bits(a.min(b)),
        Op::Prim(Prim::Max) => bits(a.max(b)),
        Op::Prim(Prim::Lt) => u64::from(a < b),
        Op::Prim(Prim::Select | Prim::SelectSlowPath) => match args[0] {
            0 => args[2],
            _ => args[1],
        },
        Op::Cast { .. } => bits(a),
        Op::Bitcast { .. } => args[0],
        other => unreachable!("{other:?} in a test"),
    }
}

/// The output of a program at an index.
fn evaluated(program: &Program, index: u64, scalars: &[u64]) -> u64 {
    let mut registers: Vec<u64> = Vec::new();
    for instr in &program.instrs {
        let args = instr.args.map(|arg| registers.get(usize::from(arg)).copied().unwrap_or(0));
        let arg_ty = program.instrs[usize::from(instr.args[0])].ty;
        registers.push(match instr.op {
            Op::Index => index,
            Op::Scalar(number) => scalars[usize::from(number)],
            Op::Const(bits) => bits,
            op => step(op, instr.ty, arg_ty, args),
        });
    }
    registers[usize::from(program.outputs[0].parts[0])]
}

/// A program of these scalars, whose output is an I64.
fn program(
    scalars: usize,
    output: impl for<'b> FnOnce(&'b Builder, &[SsaValue<'b>]) -> SsaValue<'b>,
) -> Program {
    let builder = Builder::new();
    let mut program = Program::default();
    let mut given = vec![builder.push(Op::Index, RegType::I64, [0; 3])];
    for number in 0..scalars {
        program.scalars.push(RegType::I64);
        given.push(builder.push(Op::Scalar(number as u16), RegType::I64, [0; 3]));
    }
    let reg = output(&builder, &given).reg();
    program.outputs.push(Output { dtype: DType::I64, parts: [reg; 2], domain: Domain::Element });
    builder.move_to(&mut program);
    program
}

/// The place in the row below, wrapped around, as kernels of closures record it.
fn wrapped<'b>(builder: &'b Builder, given: &[SsaValue<'b>]) -> SsaValue<'b> {
    let [index, rows, columns] = [given[0], given[1], given[2]];
    let unsigned = [index, rows, columns].map(|value| value.bitcast(RegType::U64));
    let i = (unsigned[0] / unsigned[2] % unsigned[1]).bitcast(RegType::I64);
    let j = (unsigned[0] % unsigned[2]).bitcast(RegType::I64);
    let below = i + builder.int(RegType::I64, 1);
    let rest = below % rows;
    let wrapped = rest.lt(rest.zero()).select(rest + rows, rest);
    let inside = below.bitcast(RegType::U64).lt(unsigned[1]);
    let row = builder.prim(Prim::Select, &[inside, below, wrapped]);
    row * columns + j
}

#[test]
fn positions_are_narrow_where_they_fit() {
    let program = program(2, |builder, given| {
        let inside = given[0].lt(given[1]);
        inside.select(wrapped(builder, given), given[0])
    });
    let [rows, columns] = [300u64, 70];
    let narrow = narrowed(&program, 21_000, &[rows, columns]).expect("it fits");
    let wide_steps = |program: &Program| {
        let prims = program.instrs.iter().filter(|instr| matches!(instr.op, Op::Prim(_)));
        prims.filter(|instr| is_wide_integer(instr.ty)).count()
    };
    assert!(wide_steps(&program) > 5);
    assert_eq!(wide_steps(&narrow), 0, "{narrow}");
    for index in (0..21_000).step_by(7) {
        let expected = evaluated(&program, index, &[rows, columns]);
        assert_eq!(evaluated(&narrow, index, &[rows, columns]), expected, "{index}");
    }
    // The same text for other sizes, none where they do not fit.
    assert_eq!(narrowed(&program, 1 << 20, &[1 << 10, 1 << 10]), Some(narrow));
    assert_eq!(narrowed(&program, 1 << 31 | 1, &[1 << 16, 1 << 15]), None);
    assert_eq!(narrowed(&program, 100, &[1 << 31, 10]), None);
    assert_eq!(narrowed(&program, 100, &[-5i64 as u64, 10]), None, "divides without sign");
}

#[test]
fn products_of_two_positions_and_sums_of_short_values_stay_wide() {
    let square = program(1, |_, given| given[0] * given[0] / given[1]);
    let narrow = narrowed(&square, 1 << 20, &[3]);
    // The product is no position, so nothing that divides is.
    assert_eq!(narrow, None);
    let short = program(1, |builder, given| {
        let loaded = (given[0] / given[1]).cast(RegType::I32).cast(RegType::I64);
        loaded + builder.int(RegType::I64, 1)
    });
    let narrow = narrowed(&short, 1 << 20, &[3]).expect("a quotient");
    let last = narrow.instrs[usize::from(narrow.outputs[0].parts[0])];
    assert_eq!((last.op, last.ty), (Op::Prim(Prim::Add), RegType::I64));
    for index in [0, 5, 99_999] {
        assert_eq!(evaluated(&narrow, index, &[3]), evaluated(&short, index, &[3]));
    }
}

#[test]
fn additions_alone_keep_their_text() {
    let plain = program(1, |_, given| given[0] + given[1]);
    assert_eq!(narrowed(&plain, 100, &[1]), None);
}

#[test]
fn random_arithmetic_of_positions_keeps_its_values() {
    let mut state = 12345u64;
    let mut dice = |sides: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let mut fitting = 0;
    for _ in 0..3000 {
        let choices: Vec<[u64; 4]> =
            (0..8).map(|_| [dice(9), dice(64), dice(64), dice(64)]).collect();
        let program = program(2, |builder, given| {
            let mut values = given.to_vec();
            values.extend([-1, 0, 1, 7].map(|value| builder.int(RegType::I64, value)));
            for [op, a, b, c] in &choices {
                let pick = |number: &u64| values[*number as usize % values.len()];
                let (a, b, c) = (pick(a), pick(b), pick(c));
                let unsigned = |value: SsaValue<'_>| value.bitcast(RegType::U64).reg();
                values.push(match op {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    4 => a % b,
                    5 => builder.prim(Prim::Min, &[a, b]),
                    6 => builder.prim(Prim::Max, &[a, b]),
                    7 => {
                        let [a, b] = [unsigned(a), unsigned(b)].map(|reg| builder.term(reg));
                        a.lt(b).select(c, given[0])
                    }
                    _ => {
                        let [a, b] = [unsigned(a), unsigned(b)].map(|reg| builder.term(reg));
                        (a / b).bitcast(RegType::I64)
                    }
                });
            }
            values[values.len() - 1]
        });
        let [bits, more] = [dice(31), dice(31)];
        let elements = 1 + dice(1 << bits) as usize;
        let scalars = [dice(1 << more), (dice(2000) as i64 - 1000) as u64];
        let Some(narrow) = narrowed(&program, elements, &scalars) else { continue };
        fitting += 1;
        for index in [0, 1, elements as u64 / 2, elements as u64 - 1] {
            let index = index.min(elements as u64 - 1);
            let expected = evaluated(&program, index, &scalars);
            assert_eq!(evaluated(&narrow, index, &scalars), expected, "{program}\n{narrow}");
        }
    }
    assert!(fitting > 200, "{fitting}");
}
