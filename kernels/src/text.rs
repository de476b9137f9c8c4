//! Instructions as C++: one line an instruction, one name a register.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

use ndany_core::DType;
use ndany_core::program::{
    Body, Combine, Domain, Expansion, Fault, Instr, Loop, Op, Prim, Program, Reg, RegType,
};

use crate::branches::{self, Scope};
use crate::functions::Functions;

/// The C++ type of a register.
pub(crate) fn type_of(ty: RegType) -> &'static str {
    match ty {
        RegType::Bool => "bool",
        RegType::I8 => "i8",
        RegType::I16 => "i16",
        RegType::I32 => "i32",
        RegType::I64 => "i64",
        RegType::U8 => "u8",
        RegType::U16 => "u16",
        RegType::U32 => "u32",
        RegType::U64 => "u64",
        RegType::F32 => "f32",
        RegType::F64 => "f64",
    }
}

/// The C++ type of an element in memory.
pub(crate) fn element_of(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "boolean",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::U32 => "u32",
        DType::U64 => "u64",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "c64",
        DType::C128 => "c128",
    }
}

/// The function of a primitive that is no operator.
pub(crate) fn function_of(prim: Prim) -> &'static str {
    match prim {
        Prim::Add => "p_add",
        Prim::Sub => "p_sub",
        Prim::Mul => "p_mul",
        Prim::Div => "p_div",
        Prim::Rem => "p_rem",
        Prim::IntPow => "p_int_pow",
        Prim::Min => "p_min",
        Prim::Max => "p_max",
        Prim::And => "p_and",
        Prim::Or => "p_or",
        Prim::Xor => "p_xor",
        Prim::Shl => "p_shl",
        Prim::Shr => "p_shr",
        Prim::MulHigh => "p_mul_high",
        Prim::Gcd => "p_gcd",
        Prim::Neg => "p_neg",
        Prim::Abs => "p_abs",
        Prim::Not => "p_not",
        Prim::Sqrt => "p_sqrt",
        Prim::Floor => "p_floor",
        Prim::Ceil => "p_ceil",
        Prim::Trunc => "p_trunc",
        Prim::Rint => "p_rint",
        Prim::RoundF16 => "p_round_f16",
        Prim::RoundBf16 => "p_round_bf16",
        Prim::NarrowF16 => "p_narrow_f16",
        Prim::NarrowBf16 => "p_narrow_bf16",
        Prim::Fma => "p_fma",
        Prim::Lt | Prim::Le | Prim::Eq | Prim::Select | Prim::SelectSlowPath => {
            unreachable!("an operator")
        }
    }
}

fn constant(ty: RegType, bits: u64) -> String {
    match ty {
        RegType::Bool => (if bits == 0 { "false" } else { "true" }).to_string(),
        RegType::I8 => format!("(i8){}", bits as i8),
        RegType::I16 => format!("(i16){}", bits as i16),
        RegType::I32 => format!("(i32){}", bits as i32),
        // The literal of the smallest number would be beyond the type.
        RegType::I64 if bits as i64 == i64::MIN => format!("(i64){bits}ull"),
        RegType::I64 => format!("(i64){}ll", bits as i64),
        RegType::U8 => format!("(u8){}", bits as u8),
        RegType::U16 => format!("(u16){}", bits as u16),
        RegType::U32 => format!("{}u", bits as u32),
        RegType::U64 => format!("{bits}ull"),
        // The bits are the value; the number is for readers.
        RegType::F32 => {
            format!("f32_of({:#x}u /* {:?} */)", bits as u32, f32::from_bits(bits as u32))
        }
        RegType::F64 => format!("f64_of({bits:#x}ull /* {:?} */)", f64::from_bits(bits)),
    }
}

/// The value of an instruction as an expression, its arguments being called `{prefix}{register}`. Loads, indices
/// and results of reductions are the pattern's to print.
pub(crate) fn expression(instr: &Instr, prefix: &str) -> String {
    let arg = |position: usize| format!("{prefix}{}", instr.args[position]);
    match instr.op {
        Op::Const(bits) => constant(instr.ty, bits),
        Op::Scalar(index) => match instr.ty {
            RegType::Bool => format!("a.scalar{index} != 0"),
            RegType::F32 => format!("f32_of((u32)a.scalar{index})"),
            RegType::F64 => format!("f64_of(a.scalar{index})"),
            ty => format!("({})a.scalar{index}", type_of(ty)),
        },
        Op::Prim(prim) => match prim {
            Prim::Lt => format!("{} < {}", arg(0), arg(1)),
            Prim::Le => format!("{} <= {}", arg(0), arg(1)),
            Prim::Eq => format!("{} == {}", arg(0), arg(1)),
            Prim::Select | Prim::SelectSlowPath => format!("{} ? {} : {}", arg(0), arg(1), arg(2)),
            Prim::IntPow => format!("p_int_pow({}, {}, &error)", arg(0), arg(1)),
            _ => {
                let args: Vec<String> = (0..prim.arity()).map(arg).collect();
                format!("{}({})", function_of(prim), args.join(", "))
            }
        },
        Op::Cast { from } => {
            format!("p_cast<{}, {}>({})", type_of(instr.ty), type_of(from), arg(0))
        }
        Op::Bitcast { from } => {
            format!("p_bitcast<{}, {}>({})", type_of(instr.ty), type_of(from), arg(0))
        }
        Op::Table(table) => {
            let last = table.words.len() - 1;
            let index = arg(0);
            format!("{}{}[{index} < {last} ? {index} : {last}]", table.name, 8 * instr.ty.size())
        }
        Op::Gather { input, part } => {
            let ty = type_of(instr.ty);
            format!("gather<{part}, {ty}>(a.input{input}, {}, {})", arg(0), arg(1))
        }
        Op::BoundsCheck { operand, axis } => {
            let site = Fault::site(operand, axis);
            format!("p_bounds_check({}, {}, {site:#x}ull, &error)", arg(0), arg(1))
        }
        Op::Argument(position) => format!("argument{position}"),
        Op::LoopState(part) => format!("{}_{part}", arg(0)),
        Op::Running(part) => format!("running.part0_{part}"),
        Op::Load { .. }
        | Op::Index
        | Op::Call(_)
        | Op::CallOpen(_)
        | Op::CallResult(_)
        | Op::Reduced { .. }
        | Op::Loop(_) => {
            unreachable!("{:?} is printed by the pattern", instr.op)
        }
    }
}

/// Instructions that are printed, the loops that they may run, and how their signs change.
pub(crate) struct Steps<'i> {
    pub(crate) instrs: &'i [Instr],
    loops: &'i [Arc<Loop>],
    /// Floats of changed sign that arithmetic alone reads. There the sign of a NaN does not matter, so they are printed as
    /// operators, which the compiler makes part of the operations that read them.
    of_arithmetic: Vec<bool>,
    /// The loops that are functions.
    functions: Rc<Functions<'i>>,
}

impl<'i> Steps<'i> {
    /// `asked` are the registers that others than these instructions read.
    pub(crate) fn new(
        instrs: &'i [Instr],
        loops: &'i [Arc<Loop>],
        asked: impl IntoIterator<Item = Reg>,
        functions: Rc<Functions<'i>>,
    ) -> Self {
        let changes_sign = |instr: &Instr| {
            let is_float = matches!(instr.ty, RegType::F32 | RegType::F64);
            is_float && matches!(instr.op, Op::Prim(Prim::Neg | Prim::Abs))
        };
        let mut of_arithmetic: Vec<bool> = instrs.iter().map(changes_sign).collect();
        for instr in instrs {
            let is_arithmetic = matches!(
                instr.op,
                Op::Prim(
                    Prim::Add
                        | Prim::Sub
                        | Prim::Mul
                        | Prim::Div
                        | Prim::Fma
                        | Prim::Lt
                        | Prim::Le
                        | Prim::Eq
                )
            );
            if !is_arithmetic {
                instr.args(loops).iter().for_each(|&arg| of_arithmetic[usize::from(arg)] = false);
            }
        }
        asked.into_iter().for_each(|reg| of_arithmetic[usize::from(reg)] = false);
        Self { instrs, loops, of_arithmetic, functions }
    }

    fn of_body(body: &'i Body, functions: Rc<Functions<'i>>) -> Self {
        Self::new(&body.instrs, &body.loops, body.results.iter().copied(), functions)
    }

    /// The lines that compute a register from its arguments alone, all of them being called `{prefix}{register}`.
    pub(crate) fn line(&self, out: &mut String, reg: usize, prefix: &str) {
        let instr = &self.instrs[reg];
        if let Op::Loop(number) = instr.op {
            let (name, own) = (format!("{prefix}{reg}"), &*self.loops[usize::from(number)]);
            match self.functions.number(own) {
                Some(function) => call_lines(out, &name, own, prefix, function),
                None => {
                    let operand = |position: usize| format!("{prefix}{}", own.operands[position]);
                    loop_lines(out, &name, own, operand, &self.functions);
                }
            }
            return;
        }
        let value = match instr.op {
            Op::Prim(Prim::Neg) if self.of_arithmetic[reg] => format!("-{prefix}{}", instr.args[0]),
            Op::Prim(Prim::Abs) if self.of_arithmetic[reg] => {
                format!("fabs_({prefix}{})", instr.args[0])
            }
            _ => expression(instr, prefix),
        };
        let _ = writeln!(out, "const {} {prefix}{reg} = {value};", type_of(instr.ty));
    }
}

/// The lines of the loop `name`, of the operands given. The final state is in `{name}_0`, `{name}_1`, ….
fn loop_lines<'i>(
    out: &mut String,
    name: &str,
    own: &'i Loop,
    operand: impl Fn(usize) -> String,
    functions: &Rc<Functions<'i>>,
) {
    for (part, ty) in state_types(own).iter().enumerate() {
        let _ = writeln!(out, "{ty} {name}_{part} = {};", operand(part));
    }
    let limit = own.limit;
    if limit > 1 && is_long(own) {
        out.push_str("#pragma unroll 1\n");
    }
    let _ = writeln!(out, "for (u32 {name}_n = 0; {name}_n < {limit}u; {name}_n++) {{");
    let argument = |position: usize| match position < usize::from(own.state) {
        true => format!("{name}_{position}"),
        false => operand(position),
    };
    let condition = format!("{name}c");
    loop_body(out, &own.condition, &condition, argument, functions);
    let _ = writeln!(out, "if (!{condition}{}) break;", own.condition.results[0]);
    let step = format!("{name}s");
    loop_body(out, &own.step, &step, argument, functions);
    for (part, reg) in own.step.results.iter().enumerate() {
        let _ = writeln!(out, "{name}_{part} = {step}{reg};");
    }
    out.push_str("}\n");
}

/// Instructions of a step from which on a loop is printed once: copies of it would save little beside the step, and the compiler makes
/// several of its own accord.
const LONG_STEP: usize = 32;

/// Whether a step has many instructions. Divisions and roots of float64 are some twenty each. Of a loop that reads arrays copies are
/// worth their time, since what they read is under way together.
fn is_long(own: &Loop) -> bool {
    let weight = |instr: &Instr| match instr.op {
        Op::Argument(_) | Op::Const(_) | Op::LoopState(_) => 0,
        Op::Prim(Prim::Div | Prim::Sqrt) if instr.ty == RegType::F64 => 20,
        _ => 1,
    };
    let instrs = || [&own.condition, &own.step].into_iter().flat_map(|body| &body.instrs);
    let reads = instrs().any(|instr| matches!(instr.op, Op::Gather { .. }));
    let is_nested = !own.step.loops.is_empty();
    !reads && (is_nested || instrs().map(weight).sum::<usize>() >= LONG_STEP)
}

/// The lines that call the function that the loop `name` is; the final state is named as by [`loop_lines`].
fn call_lines(out: &mut String, name: &str, own: &Loop, prefix: &str, function: usize) {
    let operands: Vec<String> = own.operands.iter().map(|reg| format!("{prefix}{reg}")).collect();
    let operands = operands.join(", ");
    let _ = writeln!(out, "const Loop{function} {name} = loop{function}({operands});");
    for (part, ty) in state_types(own).iter().enumerate() {
        let _ = writeln!(out, "const {ty} {name}_{part} = {name}.part{part};");
    }
}

/// The loops that are functions: each returns the final state as a structure.
fn function_lines<'i>(out: &mut String, functions: &Rc<Functions<'i>>) {
    for (number, own) in functions.iter() {
        let types = state_types(own);
        let parts: String =
            types.iter().enumerate().map(|(part, ty)| format!("{ty} part{part}; ")).collect();
        let _ = writeln!(out, "struct Loop{number} {{ {parts}}};");
        let parameters: Vec<String> = operand_types(own)
            .iter()
            .enumerate()
            .map(|(position, ty)| format!("const {ty} given{position}"))
            .collect();
        let parameters = parameters.join(", ");
        let _ = writeln!(out, "APART Loop{number} loop{number}({parameters}) {{");
        loop_lines(out, "r", own, |position| format!("given{position}"), functions);
        let state: Vec<String> = (0..types.len()).map(|part| format!("r_{part}")).collect();
        let _ = writeln!(out, "return Loop{number}{{ {} }};\n}}", state.join(", "));
    }
}

fn loop_body<'i>(
    out: &mut String,
    body: &'i Body,
    prefix: &str,
    argument: impl Fn(usize) -> String,
    functions: &Rc<Functions<'i>>,
) {
    let Body { instrs, loops, results, .. } = body;
    let steps = Steps::of_body(body, functions.clone());
    let (here, found) = (vec![true; instrs.len()], vec![false; instrs.len()]);
    let mut asked = found.clone();
    results.iter().for_each(|&reg| asked[usize::from(reg)] = true);
    let scope = Scope { instrs, loops, here: &here, found: &found, asked: &asked };
    branches::print(&branches::arrange(scope), instrs, out, prefix, &mut |out, reg| {
        let instr = &instrs[reg];
        match instr.op {
            Op::Argument(position) => {
                let value = argument(usize::from(position));
                let _ = writeln!(out, "const {} {prefix}{reg} = {value};", type_of(instr.ty));
            }
            _ => steps.line(out, reg, prefix),
        }
    });
}

/// The types of the state of a loop: those of the results of its steps.
fn state_types(own: &Loop) -> Vec<&'static str> {
    let result = |&reg: &Reg| type_of(own.step.instrs[usize::from(reg)].ty);
    own.step.results.iter().map(result).collect()
}

/// The types of the operands of a loop, which its bodies read as arguments; of those that neither reads, some type.
fn operand_types(own: &Loop) -> Vec<&'static str> {
    let mut types = vec![type_of(RegType::Bool); own.operands.len()];
    for instr in own.condition.instrs.iter().chain(&own.step.instrs) {
        if let Op::Argument(position) = instr.op {
            types[usize::from(position)] = type_of(instr.ty);
        }
    }
    types.iter_mut().zip(state_types(own)).for_each(|(ty, of_state)| *ty = of_state);
    types
}

/// Calls `f` with each instruction, those of loops included.
fn each_instr<'i>(instrs: &'i [Instr], loops: &'i [Arc<Loop>], f: &mut impl FnMut(&'i Instr)) {
    instrs.iter().for_each(&mut *f);
    for body in loops.iter().flat_map(|own| [&own.condition, &own.step]) {
        each_instr(&body.instrs, &body.loops, f);
    }
}

/// Instructions of an element that may stand in a kernel eight times over.
const FEW: usize = 32;

/// A program, expanded, with what printing it needs to know of each register.
pub(crate) struct Code {
    pub(crate) program: Program,
    pub(crate) domains: Vec<Domain>,
    /// Length of the longest chain of reductions that this register depends on.
    pub(crate) stages: Vec<u32>,
    /// The formulas that were written out, by their first registers.
    formulas: Vec<Expansion>,
}

impl Code {
    pub(crate) fn new(program: &Program) -> Self {
        let mut formulas = Vec::new();
        let program = program.expand_with(|formula| formulas.push(formula));
        Self { formulas, ..Self::of(program) }
    }

    /// The same of a program that is cut, not printed: its formulas stay whole.
    pub(crate) fn uncut(program: &Program) -> Self {
        Self::of(program.clone())
    }

    fn of(program: Program) -> Self {
        let domains = program.domains();
        let mut stages: Vec<u32> = Vec::with_capacity(program.instrs.len());
        for instr in &program.instrs {
            let stage = match instr.op {
                Op::Reduced { reduction, .. } => {
                    1 + reduction_stage(&program, &stages, usize::from(reduction))
                }
                _ => {
                    let args = instr.args(&program.loops).iter();
                    args.map(|&arg| stages[usize::from(arg)]).max().unwrap_or(0)
                }
            };
            stages.push(stage);
        }
        Self { program, domains, stages, formulas: Vec::new() }
    }

    /// The instructions for printing.
    pub(crate) fn steps(&self) -> Steps<'_> {
        let Program { instrs, loops, outputs, reductions, .. } = &self.program;
        let lifted = reductions.iter().flat_map(|reduction| reduction.lifted.iter().copied());
        let asked = outputs.iter().flat_map(|output| output.parts).chain(lifted);
        Steps::new(instrs, loops, asked, Rc::new(Functions::of(&self.program)))
    }

    /// The stage in which a reduction runs.
    pub(crate) fn stage_of(&self, reduction: usize) -> u32 {
        reduction_stage(&self.program, &self.stages, reduction)
    }

    /// Number of stages with reductions.
    pub(crate) fn stage_count(&self) -> u32 {
        (0..self.program.reductions.len())
            .map(|number| self.stage_of(number) + 1)
            .max()
            .unwrap_or(0)
    }

    /// The reductions of a stage.
    pub(crate) fn reductions_of(&self, stage: u32) -> impl Iterator<Item = usize> + '_ {
        let all = 0..self.program.reductions.len();
        all.filter(move |&number| self.stage_of(number) == stage)
    }

    /// How many elements a lane of the plan reads together before it combines them: many where that takes few registers
    /// and few lines.
    pub(crate) fn ahead(&self) -> u32 {
        let needed = self.needed();
        let elements = (0..needed.len())
            .filter(|&reg| needed[reg] && self.domains[reg] == Domain::Element)
            .count();
        let bodies = self.program.reductions.iter().map(|reduction| match &reduction.combine {
            Combine::Body(body) => body.instrs.len(),
            Combine::Prim(_) => 1,
        });
        let bytes = |stage: u32| -> usize {
            self.state_fields(stage).iter().map(|field| field.ty.size()).sum()
        };
        let largest = (0..self.stage_count()).map(bytes).max().unwrap_or(0);
        let loops = !self.program.loops.is_empty();
        match (elements + bodies.sum::<usize>(), largest) {
            (..=FEW, ..=8) if !loops => 8,
            _ => 4,
        }
    }

    /// The parts of the states of a stage's reductions.
    pub(crate) fn state_fields(&self, stage: u32) -> Vec<Field> {
        let fields = self.reductions_of(stage).flat_map(|number| {
            let lifted = self.program.reductions[number].lifted.iter().enumerate();
            lifted.map(move |(part, &reg)| {
                let ty = self.program.instrs[usize::from(reg)].ty;
                Field { number, part, ty, lifted: reg }
            })
        });
        fields.collect()
    }

    /// Whether the program can fail for some element.
    pub(crate) fn fails(&self) -> bool {
        let bodies =
            self.program.reductions.iter().filter_map(|reduction| match &reduction.combine {
                Combine::Body(body) => Some(body),
                Combine::Prim(_) => None,
            });
        self.program.fails() || bodies.into_iter().any(|body| body.fails())
    }

    /// Which registers the given ones are made of, themselves included.
    pub(crate) fn dependencies(&self, roots: impl IntoIterator<Item = Reg>) -> Vec<bool> {
        self.dependencies_except(roots, |_| false)
    }

    /// The same, looking no further than at registers that are there already.
    pub(crate) fn dependencies_except(
        &self,
        roots: impl IntoIterator<Item = Reg>,
        there: impl Fn(Reg) -> bool,
    ) -> Vec<bool> {
        let mut needed = vec![false; self.program.instrs.len()];
        roots.into_iter().for_each(|reg| needed[usize::from(reg)] = true);
        for position in (0..needed.len()).rev() {
            if needed[position] && !there(position as Reg) {
                let args = self.program.args(position as Reg);
                args.iter().for_each(|&arg| needed[usize::from(arg)] = true);
            }
        }
        needed
    }

    /// All that outputs and reductions are made of. What is not is left out of a kernel.
    pub(crate) fn needed(&self) -> Vec<bool> {
        let outputs = self.program.outputs.iter().flat_map(|output| output.parts);
        let lifted =
            self.program.reductions.iter().flat_map(|reduction| reduction.lifted.iter().copied());
        let mut needed = self.dependencies(outputs.chain(lifted));
        // Results of reductions stand for all of the state.
        for (position, instr) in self.program.instrs.iter().enumerate() {
            needed[position] &= !matches!(instr.op, Op::Argument(_));
        }
        needed
    }

    /// A printer of registers that puts a comment in front of the first register of each formula: `// r9 = exp(r2)`. Of
    /// a row's registers alone, it names formulas with one value per row, and not those whose constants it prints.
    pub(crate) fn naming<'c>(
        &'c self,
        of_row: bool,
        mut register: impl FnMut(&mut String, usize) + 'c,
    ) -> impl FnMut(&mut String, usize) + 'c {
        let mut named = vec![false; self.formulas.len()];
        move |out, reg| {
            let number = self.formulas.partition_point(|formula| formula.registers.end <= reg);
            if let Some(Expansion { name, registers, args, results }) = self.formulas.get(number)
                && registers.contains(&reg)
                && (!of_row || self.domains[usize::from(results[0])] == Domain::Row)
                && !std::mem::replace(&mut named[number], true)
            {
                let names = |regs: &[Reg]| {
                    let names: Vec<String> = regs.iter().map(|reg| format!("r{reg}")).collect();
                    names.join(", ")
                };
                let _ = writeln!(out, "// {} = {name}({})", names(results), names(args));
            }
            register(out, reg);
        }
    }

    /// Prints the registers named, of which outputs are used elsewhere, by `register`.
    pub(crate) fn lines(
        &self,
        here: &[bool],
        out: &mut String,
        register: impl FnMut(&mut String, usize),
    ) {
        let Program { instrs, loops, .. } = &self.program;
        let found = vec![false; here.len()];
        let mut asked = vec![false; here.len()];
        let outputs = self.program.outputs.iter().flat_map(|output| output.parts);
        outputs.for_each(|reg| asked[usize::from(reg)] = true);
        let scope = Scope { instrs, loops, here, found: &found, asked: &asked };
        let lines = branches::arrange(scope);
        branches::print(&lines, instrs, out, "r", &mut self.naming(false, register));
    }

    /// What stands before the kernel: the tables that the program and its combinations read, and loops that are functions.
    pub(crate) fn declarations(&self) -> String {
        let bodies =
            self.program.reductions.iter().filter_map(|reduction| match &reduction.combine {
                Combine::Body(body) => Some(body),
                Combine::Prim(_) => None,
            });
        let mut all: Vec<&Instr> = Vec::new();
        let mut add = |instr| all.push(instr);
        bodies.for_each(|body| each_instr(&body.instrs, &body.loops, &mut add));
        each_instr(&self.program.instrs, &self.program.loops, &mut add);
        let mut text = tables(all.into_iter());
        function_lines(&mut text, &Rc::new(Functions::of(&self.program)));
        text
    }
}

/// A part of a state.
pub(crate) struct Field {
    pub(crate) number: usize,
    pub(crate) part: usize,
    pub(crate) ty: RegType,
    /// What it is of one element.
    pub(crate) lifted: Reg,
}

impl Field {
    pub(crate) fn name(&self) -> String {
        format!("part{}_{}", self.number, self.part)
    }
}

fn reduction_stage(program: &Program, stages: &[u32], reduction: usize) -> u32 {
    let lifted = &program.reductions[reduction].lifted;
    lifted.iter().map(|&reg| stages[usize::from(reg)]).max().unwrap_or(0)
}

/// Tables as text.
pub(crate) fn tables<'i>(instrs: impl Iterator<Item = &'i Instr>) -> String {
    let mut texts = BTreeMap::new();
    for instr in instrs {
        if let Op::Table(table) = instr.op {
            let bits = 8 * instr.ty.size();
            let suffix = if bits == 64 { "ull" } else { "u" };
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let words: Vec<String> =
                table.words.iter().map(|word| format!("{:#x}{suffix}", word & mask)).collect();
            let text = format!(
                "TABLE {} {}{bits}[{}] = {{ {} }};\n",
                type_of(instr.ty),
                table.name,
                words.len(),
                words.join(", ")
            );
            texts.insert((table.name, bits), text);
        }
    }
    texts.into_values().collect()
}

/// The states of all reductions of a stage as one structure, with what kernels do to it: combine, exchange between
/// lanes.
pub(crate) fn state(out: &mut String, code: &Code, stage: u32) {
    let fields = code.state_fields(stage);
    let name = format!("State{stage}");
    let declared: String =
        fields.iter().map(|field| format!("{} {}; ", type_of(field.ty), field.name())).collect();
    let _ = writeln!(out, "struct {name} {{ {declared}}};");
    for exchange in ["shuffle_down", "shuffle_up", "shuffle"] {
        let parts: Vec<String> =
            fields.iter().map(|field| format!("{exchange}(x.{}, step)", field.name())).collect();
        let _ = writeln!(
            out,
            "DEVICE {name} {exchange}(const {name}& x, u32 step) {{ return {name}{{ {} }}; }}",
            parts.join(", ")
        );
    }
    let _ = writeln!(
        out,
        "DEVICE {name} combine(const {name}& left, const {name}& right, u64& error) {{\n{name} both;"
    );
    for number in code.reductions_of(stage) {
        let reduction = &code.program.reductions[number];
        match &reduction.combine {
            Combine::Prim(prim) => {
                let function = function_of(*prim);
                for k in 0..reduction.lifted.len() {
                    let part = format!("part{number}_{k}");
                    let _ = writeln!(out, "both.{part} = {function}(left.{part}, right.{part});");
                }
            }
            Combine::Body(body) => {
                out.push_str("{\n");
                body_lines(out, body, number, reduction.lifted.len());
                for (k, reg) in body.results.iter().enumerate() {
                    let _ = writeln!(out, "both.part{number}_{k} = r{reg};");
                }
                out.push_str("}\n");
            }
        }
    }
    out.push_str("return both;\n}\n");
}

/// The lines of a combination, of the parts of reduction `number` on the left and on the right.
fn body_lines(out: &mut String, body: &Body, number: usize, parts: usize) {
    let steps = Steps::of_body(body, Rc::default());
    for (reg, instr) in body.instrs.iter().enumerate() {
        match instr.op {
            Op::Argument(position) => {
                let position = usize::from(position);
                let (side, part) = match position < parts {
                    true => ("left", position),
                    false => ("right", position - parts),
                };
                let ty = type_of(instr.ty);
                let _ = writeln!(out, "const {ty} r{reg} = {side}.part{number}_{part};");
            }
            _ => steps.line(out, reg, "r"),
        }
    }
}

/// The lines of a fold from the left: of `stateK`, and then of what an element gives; results are called `bN`.
pub(crate) fn body_of_left_fold(out: &mut String, body: &Body, parts: usize, given: &[Reg]) {
    let steps = Steps::of_body(body, Rc::default());
    for (reg, instr) in body.instrs.iter().enumerate() {
        match instr.op {
            Op::Argument(position) => {
                let position = usize::from(position);
                let value = match position < parts {
                    true => format!("state{position}"),
                    false => format!("r{}", given[position - parts]),
                };
                let _ = writeln!(out, "const {} b{reg} = {value};", type_of(instr.ty));
            }
            _ => steps.line(out, reg, "b"),
        }
    }
}

/// A function `joined` that combines two elements of a real dtype by a primitive.
pub(crate) fn combine_elements(out: &mut String, prim: Prim, dtype: DType) {
    let (element, register) = (element_of(dtype), type_of(RegType::of(dtype)));
    let _ = writeln!(
        out,
        "DEVICE {element} joined({element} old, {element} value) {{\n\
         const {register} result = {}<{register}>(get<0>(old), get<0>(value));\n\
         {element} both;\n\
         put(both, result, result);\n\
         return both;\n\
         }}",
        function_of(prim)
    );
}
