//! Makes kernels.

#[path = "../dice.rs"]
mod dice;

use dice::Dice;
use ndany_core::DType;
use ndany_core::formulas::Formula;
use ndany_core::program::{Instr, Op, Prim, Reg, RegType};
use ndany_core::simt::{
    Atomic, Block, Builtin, Exchange, Parameter, ParameterKind, Parts, Place, SharedArray,
    Statement,
};
use smallvec::{SmallVec, smallvec};

/// Blocks of a launch.
pub const BLOCKS: u32 = 3;

/// Elements of an input.
pub const LENGTH: usize = 97;

/// Branches, loops and calls within each other, at most.
const MOST_DEPTH: usize = 4;

/// A kernel, the threads of its blocks, and whether its result depends on the number of lanes.
pub struct Generated {
    pub parts: Parts,
    pub threads: u32,
    pub lanes: bool,
}

impl Dice {
    /// True in one of `of` cases.
    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

const SCALAR_INT: u16 = 0;
const SCALAR_FLOAT: u16 = 1;
const INTS: u16 = 2;
const FLOATS: u16 = 3;
const OUTS: [(u16, RegType); 3] = [(4, RegType::I32), (5, RegType::F32), (6, RegType::U64)];
const COUNTS: u16 = 7;

/// The types of values.
const TYPES: [RegType; 6] =
    [RegType::I32, RegType::U32, RegType::I64, RegType::U64, RegType::F32, RegType::F64];

struct Generator {
    dice: Dice,
    parts: Parts,
    /// The registers that are visible.
    visible: Vec<Reg>,
    threads: u32,
    lanes: bool,
    /// The variables that any statement may write; counters of loops come after them.
    written: usize,
    /// The position of the thread in the grid and in its block, and a zero.
    global: Reg,
    local: Reg,
    /// Statements that may be made.
    left: usize,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Generated {
    let mut dice = Dice(seed);
    let array = |dtype, writes| ParameterKind::Array { dtype, rank: 1, writes };
    let parameters = [
        ("s", ParameterKind::Scalar(DType::I32)),
        ("t", ParameterKind::Scalar(DType::F32)),
        ("ints", array(DType::I32, false)),
        ("floats", array(DType::F32, false)),
        ("out_int", array(DType::I32, true)),
        ("out_float", array(DType::F32, true)),
        ("out_word", array(DType::U64, true)),
        ("counts", array(DType::U32, true)),
    ];
    let parameters = parameters.map(|(name, kind)| Parameter { name, kind }).to_vec();
    let threads = dice.one_of(&[64, 64, 128]);
    let shared = [DType::I32, DType::F32, DType::U64, DType::F64]
        .map(|dtype| SharedArray { dtype, size: threads });
    let variables = [TYPES.as_slice(), &TYPES, &[RegType::Bool, RegType::Bool]].concat();
    let parts = Parts {
        name: "random",
        parameters,
        shared: shared.to_vec(),
        variables,
        ..Parts::default()
    };
    let mut generator = Generator {
        dice,
        parts,
        visible: Vec::new(),
        threads,
        lanes: false,
        written: 0,
        global: 0,
        local: 0,
        left: 60,
    };
    generator.written = generator.parts.variables.len();
    let body = generator.whole();
    generator.parts.body = body;
    Generated { parts: generator.parts, threads, lanes: generator.lanes }
}

impl Generator {
    fn fresh(&mut self, ty: RegType) -> Reg {
        self.parts.registers.push(ty);
        let reg = (self.parts.registers.len() - 1) as Reg;
        self.visible.push(reg);
        reg
    }

    fn ty(&self, reg: Reg) -> RegType {
        self.parts.registers[usize::from(reg)]
    }

    fn step(&mut self, out: &mut Block, op: Op, ty: RegType, args: &[Reg]) -> Reg {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        let result = self.fresh(ty);
        out.push(Statement::Step { result, instr: Instr { op, ty, args: all } });
        result
    }

    fn constant(&mut self, out: &mut Block, ty: RegType, value: u64) -> Reg {
        let bits = match ty {
            RegType::F32 => u64::from((value as f32).to_bits()),
            RegType::F64 => (value as f64).to_bits(),
            _ => value,
        };
        self.step(out, Op::Const(bits), ty, &[])
    }

    fn builtin(&mut self, out: &mut Block, builtin: Builtin) -> Reg {
        let result = self.fresh(builtin.ty());
        out.push(Statement::Builtin { result, builtin });
        result
    }

    /// A visible register of a type; a new constant if there is none.
    fn any(&mut self, out: &mut Block, ty: RegType) -> Reg {
        let fitting: Vec<Reg> =
            self.visible.iter().copied().filter(|&reg| self.ty(reg) == ty).collect();
        if fitting.is_empty() || self.dice.chance(12) {
            let most = if ty == RegType::Bool { 2 } else { 9 };
            let value = self.dice.below(most) as u64;
            return self.constant(out, ty, value);
        }
        // Later ones more often.
        let from = if self.dice.chance(2) { fitting.len() / 2 } else { 0 };
        fitting[from + self.dice.below(fitting.len() - from)]
    }

    fn whole(&mut self) -> Block {
        let mut out = Block::new();
        let thread = self.builtin(&mut out, Builtin::Thread(0));
        let block = self.builtin(&mut out, Builtin::Block(0));
        let size = self.builtin(&mut out, Builtin::BlockSize(0));
        let before = self.step(&mut out, Op::Prim(Prim::Mul), RegType::U32, &[block, size]);
        self.local = thread;
        self.global = self.step(&mut out, Op::Prim(Prim::Add), RegType::U32, &[before, thread]);
        for (parameter, ty) in [(SCALAR_INT, RegType::I32), (SCALAR_FLOAT, RegType::F32)] {
            let result = self.fresh(ty);
            out.push(Statement::Scalar { result, parameter, part: 0 });
        }
        // Variables have values before they are read.
        for variable in 0..self.parts.variables.len() {
            let value = self.any(&mut out, self.parts.variables[variable]);
            out.push(Statement::Set { variable: variable as u16, value });
        }
        self.statements(&mut out, 14, MOST_DEPTH, false);
        for (parameter, ty) in OUTS {
            let value = self.any(&mut out, ty);
            if self.dice.chance(2) {
                out.push(self.store_own(parameter, value));
            }
        }
        // What variables have come to.
        for (parameter, ty) in OUTS {
            let fitting =
                self.parts.variables.iter().position(|&other| other == ty).unwrap_or_default();
            let result = self.fresh(ty);
            out.push(Statement::Get { result, variable: fitting as u16 });
            if self.dice.chance(2) {
                out.push(self.store_own(parameter, result));
            }
        }
        out
    }

    fn store_own(&self, parameter: u16, value: Reg) -> Statement {
        Statement::Store {
            place: Place::Array(parameter),
            part: 0,
            at: smallvec![self.global],
            value,
        }
    }

    fn block(&mut self, count: usize, depth: usize, in_loop: bool) -> Block {
        let visible = self.visible.len();
        let mut out = Block::new();
        self.statements(&mut out, count, depth, in_loop);
        self.visible.truncate(visible);
        out
    }

    fn statements(&mut self, out: &mut Block, count: usize, depth: usize, in_loop: bool) {
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement(out, depth, in_loop);
        }
    }

    fn statement(&mut self, out: &mut Block, depth: usize, in_loop: bool) {
        match self.dice.below(if depth > 0 { 22 } else { 16 }) {
            0..=6 => self.compute(out),
            7 | 8 => {
                let variable = self.dice.below(self.written);
                let value = self.any(out, self.parts.variables[variable]);
                out.push(Statement::Set { variable: variable as u16, value });
            }
            9 | 10 => {
                let variable = self.dice.below(self.parts.variables.len());
                let result = self.fresh(self.parts.variables[variable]);
                out.push(Statement::Get { result, variable: variable as u16 });
            }
            11 => self.load(out),
            12 => {
                let (parameter, ty) = self.dice.one_of(&OUTS);
                let value = self.any(out, ty);
                out.push(self.store_own(parameter, value));
            }
            13 => self.atomic(out),
            // Within branches and loops, most would be refused.
            14 | 15 if depth < MOST_DEPTH && !self.dice.chance(12) => self.compute(out),
            14 => self.rotate(out),
            15 => self.exchange(out),
            16..=18 => {
                let condition = self.condition(out);
                let then = self.leaving(5, depth - 1, in_loop);
                let otherwise = match self.dice.chance(2) {
                    true => self.block(4, depth - 1, in_loop),
                    false => Block::new(),
                };
                out.push(Statement::If { condition, then, otherwise, site: 0 });
            }
            19 | 20 => self.repeat(out, depth),
            _ => {
                let mut body = self.leaving(5, depth - 1, false);
                if self.dice.chance(2) {
                    let condition = self.condition(&mut body);
                    let then = vec![Statement::Return];
                    body.push(Statement::If { condition, then, otherwise: Block::new(), site: 1 });
                    let visible = self.visible.len();
                    self.statements(&mut body, 2, depth - 1, false);
                    self.visible.truncate(visible);
                }
                // What the body defines is not visible after it.
                let defined: Vec<Reg> = defined(&body);
                self.visible.retain(|reg| !defined.contains(reg));
                out.push(Statement::Call { body });
            }
        }
    }

    /// A block that may leave what it is in at its end.
    fn leaving(&mut self, count: usize, depth: usize, in_loop: bool) -> Block {
        let mut block = self.block(count, depth, in_loop);
        if in_loop && self.dice.chance(3) {
            block.push(if self.dice.chance(2) { Statement::Break } else { Statement::Continue });
        }
        block
    }

    /// A boolean: of the thread, of its block, or of the launch.
    fn condition(&mut self, out: &mut Block) -> Reg {
        match self.dice.below(4) {
            0 => self.any(out, RegType::Bool),
            1 => {
                let block = self.builtin(out, Builtin::Block(0));
                let other = self.constant(out, RegType::U32, 1);
                self.step(out, Op::Prim(Prim::Lt), RegType::Bool, &[block, other])
            }
            2 => {
                let bits = self.dice.below(64) as u64;
                let other = self.constant(out, RegType::U32, bits);
                let local = self.local;
                self.step(out, Op::Prim(Prim::Lt), RegType::Bool, &[local, other])
            }
            _ => {
                let ty = self.dice.one_of(&TYPES);
                let args = [self.any(out, ty), self.any(out, ty)];
                let prim = self.dice.one_of(&[Prim::Lt, Prim::Le, Prim::Eq]);
                self.step(out, Op::Prim(prim), RegType::Bool, &args)
            }
        }
    }

    fn compute(&mut self, out: &mut Block) {
        let ty = self.dice.one_of(&TYPES);
        match self.dice.below(10) {
            0..=4 => {
                let prims: &[Prim] = match ty.is_float() {
                    true => &[
                        Prim::Add,
                        Prim::Sub,
                        Prim::Mul,
                        Prim::Div,
                        Prim::Min,
                        Prim::Max,
                        Prim::Rem,
                    ],
                    false => &[
                        Prim::Add,
                        Prim::Sub,
                        Prim::Mul,
                        Prim::Div,
                        Prim::Rem,
                        Prim::Min,
                        Prim::Max,
                        Prim::And,
                        Prim::Or,
                        Prim::Xor,
                        Prim::Shl,
                        Prim::Shr,
                    ],
                };
                let prim = self.dice.one_of(prims);
                let args = [self.any(out, ty), self.any(out, ty)];
                self.step(out, Op::Prim(prim), ty, &args);
            }
            5 => {
                let prims: &[Prim] = match ty.is_float() {
                    true => &[Prim::Neg, Prim::Abs, Prim::Sqrt, Prim::Floor, Prim::Rint],
                    false if ty.is_signed() => &[Prim::Neg, Prim::Abs, Prim::Not],
                    false => &[Prim::Neg, Prim::Not],
                };
                let prim = self.dice.one_of(prims);
                let args = [self.any(out, ty)];
                self.step(out, Op::Prim(prim), ty, &args);
            }
            6 => {
                let from = self.dice.one_of(&TYPES);
                let args = [self.any(out, from)];
                self.step(out, Op::Cast { from }, ty, &args);
            }
            7 => {
                let condition = self.condition(out);
                let args = [condition, self.any(out, ty), self.any(out, ty)];
                self.step(out, Op::Prim(Prim::Select), ty, &args);
            }
            8 => {
                let ty = self.dice.one_of(&[RegType::F32, RegType::F64]);
                let args = [self.any(out, ty), self.any(out, ty), self.any(out, ty)];
                self.step(out, Op::Prim(Prim::Fma), ty, &args);
            }
            _ => {
                let ty = self.dice.one_of(&[RegType::F32, RegType::F64]);
                let formula = self.dice.one_of(&[Formula::Exp, Formula::Sin, Formula::Log]);
                let args = [self.any(out, ty)];
                self.step(out, Op::Call(formula), ty, &args);
            }
        }
    }

    fn load(&mut self, out: &mut Block) {
        let (parameter, ty) = self.dice.one_of(&[(INTS, RegType::I32), (FLOATS, RegType::F32)]);
        let at = match self.dice.below(10) {
            // Mostly out of bounds.
            0 => {
                let ty = self.dice.one_of(&TYPES[..4]);
                self.any(out, ty)
            }
            _ => {
                let ty = self.dice.one_of(&[RegType::U32, RegType::U64]);
                let (value, most) = (self.any(out, ty), self.constant(out, ty, LENGTH as u64));
                self.step(out, Op::Prim(Prim::Rem), ty, &[value, most])
            }
        };
        let result = self.fresh(ty);
        out.push(Statement::Load {
            result,
            place: Place::Array(parameter),
            part: 0,
            at: smallvec![at],
        });
    }

    /// A count whose order does not matter.
    fn atomic(&mut self, out: &mut Block) {
        let (value, most) = (self.any(out, RegType::U32), self.constant(out, RegType::U32, 4));
        let within = self.step(out, Op::Prim(Prim::Rem), RegType::U32, &[value, most]);
        let (op, first) = self.dice.one_of(&[
            (Atomic::Add, 0),
            (Atomic::Max, 4),
            (Atomic::Xor, 8),
            (Atomic::Or, 12),
        ]);
        let first = self.constant(out, RegType::U32, first);
        let at = self.step(out, Op::Prim(Prim::Add), RegType::U32, &[within, first]);
        let value = self.any(out, RegType::U32);
        // What was there depends on the order, so nothing may read it.
        let result = self.fresh(RegType::U32);
        self.visible.pop();
        let place = Place::Array(COUNTS);
        out.push(Statement::Atomic {
            result,
            op,
            place,
            at: smallvec![at],
            value,
            expected: value,
        });
    }

    /// Threads read what others have written to shared memory, between barriers.
    fn rotate(&mut self, out: &mut Block) {
        let number = self.dice.below(self.parts.shared.len());
        let ty = RegType::of(self.parts.shared[number].dtype);
        let place = Place::Shared(number as u16);
        let value = self.any(out, ty);
        let own: SmallVec<[Reg; 3]> = smallvec![self.local];
        out.push(Statement::Store { place, part: 0, at: own, value });
        out.push(Statement::Barrier { site: 2 });
        let by = self.dice.below(self.threads as usize) as u64;
        let (by, size) = (
            self.constant(out, RegType::U32, by),
            self.constant(out, RegType::U32, u64::from(self.threads)),
        );
        let local = self.local;
        let sum = self.step(out, Op::Prim(Prim::Add), RegType::U32, &[local, by]);
        let at = self.step(out, Op::Prim(Prim::Rem), RegType::U32, &[sum, size]);
        let result = self.fresh(ty);
        out.push(Statement::Load { result, place, part: 0, at: smallvec![at] });
        out.push(Statement::Barrier { site: 3 });
        self.show(out, result);
    }

    fn exchange(&mut self, out: &mut Block) {
        self.lanes = true;
        if self.dice.chance(5) {
            let value = self.condition(out);
            let result = self.fresh(RegType::U64);
            out.push(Statement::Exchange {
                result,
                op: Exchange::Ballot,
                value,
                operand: value,
                site: 4,
            });
            return self.show(out, result);
        }
        let ty = self.dice.one_of(&TYPES);
        let value = self.any(out, ty);
        let operand = match self.dice.chance(3) {
            true => self.any(out, RegType::U32),
            false => {
                let by = self.dice.one_of(&[1, 2, 4, 8, 16, 31, 32, 33]);
                self.constant(out, RegType::U32, by)
            }
        };
        let op = self.dice.one_of(&[Exchange::Down, Exchange::Up, Exchange::Xor, Exchange::Lane]);
        let result = self.fresh(ty);
        out.push(Statement::Exchange { result, op, value, operand, site: 5 });
        self.show(out, result);
    }

    /// Writes a value to an output, so that it counts.
    fn show(&mut self, out: &mut Block, value: Reg) {
        let (parameter, ty) = self.dice.one_of(&OUTS);
        let from = self.ty(value);
        let shown = match from == ty {
            true => value,
            false => self.step(out, Op::Cast { from }, ty, &[value]),
        };
        out.push(self.store_own(parameter, shown));
    }

    /// A loop of few turns: a counter goes up in front of the body, so that `Continue` does not skip it.
    fn repeat(&mut self, out: &mut Block, depth: usize) {
        let counter = self.parts.variables.len() as u16;
        self.parts.variables.push(RegType::U32);
        let zero = self.constant(out, RegType::U32, 0);
        out.push(Statement::Set { variable: counter, value: zero });
        let visible = self.visible.len();
        let mut head = Block::new();
        let turn = self.fresh(RegType::U32);
        head.push(Statement::Get { result: turn, variable: counter });
        let turns = match self.dice.chance(3) {
            // As many as the thread says.
            true => {
                let (value, most) =
                    (self.any(&mut head, RegType::U32), self.constant(&mut head, RegType::U32, 5));
                self.step(&mut head, Op::Prim(Prim::Rem), RegType::U32, &[value, most])
            }
            false => {
                let turns = 1 + self.dice.below(4) as u64;
                self.constant(&mut head, RegType::U32, turns)
            }
        };
        let condition = self.step(&mut head, Op::Prim(Prim::Lt), RegType::Bool, &[turn, turns]);
        let one = self.constant(&mut head, RegType::U32, 1);
        let more = self.step(&mut head, Op::Prim(Prim::Add), RegType::U32, &[turn, one]);
        // Either in front of the body, or after it.
        let update = Statement::Set { variable: counter, value: more };
        let mut body = Block::new();
        let after = self.dice.chance(2);
        if !after {
            body.push(update.clone());
        }
        body.extend(self.block(6, depth - 1, true));
        if self.dice.chance(3) {
            let condition = self.condition(&mut body);
            let then =
                vec![if self.dice.chance(2) { Statement::Break } else { Statement::Continue }];
            body.push(Statement::If { condition, then, otherwise: Block::new(), site: 6 });
            body.extend(self.block(2, depth - 1, true));
        }
        let next = if after { vec![update] } else { Block::new() };
        self.visible.truncate(visible);
        out.push(Statement::Loop { head, condition, body, next, site: 7 });
    }
}

/// The registers that statements of a block define, but not those within others.
fn defined(block: &[Statement]) -> Vec<Reg> {
    let result = |statement: &Statement| match *statement {
        Statement::Step { result, .. }
        | Statement::Scalar { result, .. }
        | Statement::Builtin { result, .. }
        | Statement::Get { result, .. }
        | Statement::Load { result, .. }
        | Statement::Atomic { result, .. }
        | Statement::Exchange { result, .. } => Some(result),
        _ => None,
    };
    block.iter().filter_map(result).collect()
}

/// The dtypes of elements.
pub const DTYPES: [DType; 13] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
];

/// The shape of the arrays of a dtype in [`every_access`]: 24 elements.
pub fn shape_of(number: usize) -> &'static [usize] {
    [[24].as_slice(), &[4, 6], &[2, 3, 4]][number % 3]
}

/// A kernel of a block of 32 threads that reads and writes elements of every dtype, in arrays of one to three axes and in
/// shared memory, and changes them by every atomic operation. Its parameters are of each dtype a number, an array that it
/// reads, and one that it writes.
pub fn every_access() -> Parts {
    let mut parameters = Vec::new();
    for (number, dtype) in DTYPES.into_iter().enumerate() {
        let rank = shape_of(number).len() as u8;
        let names: [&'static str; 3] = [dtype.name(), "from", "to"];
        let kinds = [
            ParameterKind::Scalar(dtype),
            ParameterKind::Array { dtype, rank, writes: false },
            ParameterKind::Array { dtype, rank, writes: true },
        ];
        parameters
            .extend(names.into_iter().zip(kinds).map(|(name, kind)| Parameter { name, kind }));
    }
    let shared = DTYPES.map(|dtype| SharedArray { dtype, size: 32 }).to_vec();
    let parts = Parts { name: "every_access", parameters, shared, ..Parts::default() };
    let mut g = Generator {
        dice: Dice(0),
        parts,
        visible: Vec::new(),
        threads: 32,
        lanes: false,
        written: 0,
        global: 0,
        local: 0,
        left: 0,
    };
    let mut out = Block::new();
    g.local = g.builtin(&mut out, Builtin::Thread(0));
    let (local, mut within) = (g.local, Block::new());
    let most = g.constant(&mut out, RegType::U32, 24);
    let inside = g.step(&mut out, Op::Prim(Prim::Lt), RegType::Bool, &[local, most]);
    let zero = g.constant(&mut out, RegType::U32, 0);
    let alone = g.step(&mut out, Op::Prim(Prim::Eq), RegType::Bool, &[local, zero]);
    let positions =
        [RegType::U32, RegType::I32, RegType::U64, RegType::I64, RegType::I16, RegType::U8];
    for (number, dtype) in DTYPES.into_iter().enumerate() {
        let ty = RegType::of(dtype);
        let [scalar, from, to] = [0, 1, 2].map(|which| (3 * number + which) as u16);
        let block = &mut within;
        let at: SmallVec<[Reg; 3]> = {
            // The coordinates, each of a type of its own.
            let shape = shape_of(number);
            let mut inner = 1;
            let mut reversed: Vec<Reg> = Vec::new();
            for (axis, &extent) in shape.iter().enumerate().rev() {
                let divisor = g.constant(block, RegType::U32, inner);
                let over = g.step(block, Op::Prim(Prim::Div), RegType::U32, &[local, divisor]);
                let extent_register = g.constant(block, RegType::U32, extent as u64);
                let along =
                    g.step(block, Op::Prim(Prim::Rem), RegType::U32, &[over, extent_register]);
                let ty = positions[(number + axis) % positions.len()];
                let cast = Op::Cast { from: RegType::U32 };
                reversed.push(match ty {
                    RegType::U32 => along,
                    _ => g.step(block, cast, ty, &[along]),
                });
                inner *= extent as u64;
            }
            reversed.into_iter().rev().collect()
        };
        let given = g.fresh(ty);
        block.push(Statement::Scalar { result: given, parameter: scalar, part: 0 });
        let read = g.fresh(ty);
        block.push(Statement::Load {
            result: read,
            place: Place::Array(from),
            part: 0,
            at: at.clone(),
        });
        let odd = g.step(block, Op::Cast { from: RegType::U32 }, RegType::Bool, &[local]);
        let value = g.step(block, Op::Prim(Prim::Select), ty, &[odd, read, given]);
        block.push(Statement::Store { place: Place::Array(to), part: 0, at, value });
        let place = Place::Shared(number as u16);
        block.push(Statement::Store { place, part: 0, at: smallvec![local], value });
    }
    out.push(Statement::If { condition: inside, then: within, otherwise: Block::new(), site: 0 });
    out.push(Statement::Barrier { site: 1 });
    // One thread changes elements of shared memory, and writes what it found.
    let mut changes = Block::new();
    for (number, dtype) in DTYPES.into_iter().enumerate() {
        let block = &mut changes;
        let (ty, place) = (RegType::of(dtype), Place::Shared(number as u16));
        let position = g.constant(block, RegType::U32, 1);
        let read = g.fresh(ty);
        block.push(Statement::Load { result: read, place, part: 0, at: smallvec![position] });
        let all = [
            Atomic::Add,
            Atomic::Min,
            Atomic::Max,
            Atomic::And,
            Atomic::Or,
            Atomic::Xor,
            Atomic::Exchange,
            Atomic::CompareExchange,
        ];
        let mut last = read;
        for op in all.into_iter().filter(|op| op.takes(dtype)) {
            let value = g.constant(block, ty, 3);
            let value = g.step(block, Op::Prim(Prim::Add), ty, &[value, last]);
            for place in [place, Place::Shared(number as u16)] {
                let result = g.fresh(ty);
                let at = smallvec![position];
                block.push(Statement::Atomic { result, op, place, at, value, expected: last });
                last = result;
            }
        }
        let to = Place::Array((3 * number + 2) as u16);
        let at = std::iter::repeat_n(zero, shape_of(number).len()).collect();
        block.push(Statement::Store { place: to, part: 0, at, value: last });
    }
    out.push(Statement::If { condition: alone, then: changes, otherwise: Block::new(), site: 2 });
    g.parts.body = out;
    g.parts
}
