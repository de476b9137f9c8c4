//! Kernels of threads and blocks (`ndany_core::simt`) as text.
//!
//! Statements are printed as they stand; a register is a constant, a variable a variable. How many threads a block has
//! is part of the text, so that the compiler knows how far positions go. Extents are 32-bit numbers where all of them
//! are below 2^31.
//!
//! Arguments: for each parameter its register bits, those of both parts if it is complex, or an address and the extents; then the address of the error word.
//! Shared arrays beyond [`STATIC_SHARED`] bytes are dynamic shared memory.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ndany_core::program::{Fault, Reg, RegType};
use ndany_core::simt::{
    Atomic, Builtin, Exchange, Kernel as Simt, ParameterKind, Place, Statement, each_statement,
};

use crate::text::{element_of, expression, tables, type_of};
use crate::{Dialect, Kernel, Source};

/// Bytes of shared memory that every device gives a block without being asked.
pub const STATIC_SHARED: usize = 48 << 10;

/// A kernel: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimtKernel {
    /// What it does.
    pub kernel: Arc<Simt>,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Whether some extent has more than 31 bits.
    pub wide: bool,
}

/// The name of a kernel in its text: apart from all words.
fn entry(name: &'static str) -> &'static str {
    static KNOWN: OnceLock<Mutex<HashMap<&'static str, &'static str>>> = OnceLock::new();
    let mut known =
        KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(name).or_insert_with(|| Box::leak(format!("ndany_{name}").into_boxed_str()))
}

impl Kernel for SimtKernel {
    fn source(&self, dialect: &Dialect) -> Source {
        let kernel = self.kernel.expand();
        let entry = entry(kernel.name());
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/simt.h"));
        let mut instrs = Vec::new();
        each_statement(kernel.body(), &mut |statement| {
            if let Statement::Step { instr, .. } = statement {
                instrs.push(instr);
            }
        });
        text.push_str(&tables(instrs.into_iter()));
        let [x, y, z] = self.block;
        let threads = x * y * z;
        let _ = writeln!(text, "#define SIMT_X {x}u\n#define SIMT_Y {y}u\n#define SIMT_Z {z}u");
        text.push_str("struct Args {\n");
        for (number, parameter) in kernel.parameters().iter().enumerate() {
            let name = parameter.name;
            let _ = match parameter.kind {
                ParameterKind::Scalar(dtype) if dtype.is_complex() => {
                    writeln!(text, "u64 scalar{number}[2]; // {name}")
                }
                ParameterKind::Scalar(_) => writeln!(text, "u64 scalar{number}; // {name}"),
                ParameterKind::Array { rank, .. } => {
                    writeln!(text, "u64 array{number}, extent{number}[{rank}]; // {name}")
                }
            };
        }
        text.push_str("u64 error;\n};\n");
        let _ = writeln!(text, "KERNEL({threads}) {entry}(const Args a) {{");
        for (axis, extent) in ["x", "y", "z"].into_iter().zip(self.block) {
            let _ = writeln!(text, "SIMT_ASSUME(threadIdx.{axis} < {extent}u);");
        }
        text.push_str("u64 error = 0;\n");
        let mut printer = Printer {
            kernel: &kernel,
            labels: 0,
            leave: Vec::new(),
            next: Vec::new(),
            returns: false,
        };
        printer.declarations(&mut text, self.wide);
        // A jump may not pass a definition, so the body is a block of its own.
        text.push_str("{\n");
        printer.block(&mut text, kernel.body());
        text.push_str("}\n");
        if printer.returns {
            text.push_str("done:;\n");
        }
        text.push_str("if (error != 0) atomic_max((u64*)a.error, error);\n}\n");
        Source::new(&text, entry)
    }
}

struct Printer<'k> {
    kernel: &'k Simt,
    labels: usize,
    /// The label after each call around, and whether something goes there.
    leave: Vec<(usize, bool)>,
    /// The label in front of what follows the body of each loop around, if anything does.
    next: Vec<Option<(usize, bool)>>,
    /// Whether the kernel ends somewhere before its last statement.
    returns: bool,
}

impl Printer<'_> {
    fn declarations(&self, text: &mut String, wide: bool) {
        let extent_type = if wide { "u64" } else { "u32" };
        for (number, parameter) in self.kernel.parameters().iter().enumerate() {
            if let ParameterKind::Array { dtype, rank, writes } = parameter.kind {
                let element = element_of(dtype);
                // Nothing writes what is only read. What is written other threads may have changed at a barrier, which
                // `__restrict__` would hide from the compiler.
                let pointer = match writes {
                    true => format!("{element}* const"),
                    false => format!("const {element}* const __restrict__"),
                };
                let cast = pointer.trim_end_matches(" __restrict__").trim_end_matches(" const");
                let _ = writeln!(text, "{pointer} x{number} = ({cast})a.array{number};");
                for axis in 0..rank {
                    let _ = writeln!(
                        text,
                        "const {extent_type} x{number}e{axis} = ({extent_type})a.extent{number}[{axis}];"
                    );
                }
            }
        }
        let dynamic = self.kernel.shared_bytes() > STATIC_SHARED;
        if dynamic {
            text.push_str("extern SHARED Sixteen simt_shared[];\n");
        }
        let mut offset = 0;
        for (number, array) in self.kernel.shared().iter().enumerate() {
            let (element, size) = (element_of(array.dtype), array.size);
            let _ = match dynamic {
                true => writeln!(
                    text,
                    "{element}* const s{number} = ({element}*)((u8*)simt_shared + {offset});"
                ),
                false => writeln!(text, "SHARED {element} s{number}[{size}];"),
            };
            offset += (size as usize * array.dtype.size()).next_multiple_of(8);
        }
        for (number, ty) in self.kernel.variables().iter().enumerate() {
            let _ = writeln!(text, "{} v{number} = 0;", type_of(*ty));
        }
    }

    fn ty(&self, reg: Reg) -> RegType {
        self.kernel.registers()[usize::from(reg)]
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn block(&mut self, out: &mut String, block: &[Statement]) {
        for statement in block {
            self.statement(out, statement);
        }
    }

    /// The name of a place, the conditions under which a position is in it, and the element.
    fn element(&self, place: Place, at: &[Reg]) -> (String, String) {
        let (array, extents): (String, Vec<String>) = match place {
            Place::Array(number) => {
                let extent = |axis| format!("x{number}e{axis}");
                (format!("x{number}"), (0..at.len()).map(extent).collect())
            }
            Place::Shared(number) => {
                let size = self.kernel.shared()[usize::from(number)].size;
                (format!("s{number}"), vec![format!("{size}u")])
            }
        };
        let mut within = String::new();
        let mut position = String::new();
        for (axis, (reg, extent)) in at.iter().zip(&extents).enumerate() {
            let site = Fault::site(self.kernel.site_of(place), self.kernel.axis_of(place, axis));
            let separator = if axis == 0 { "" } else { " && " };
            let _ =
                write!(within, "{separator}simt_within(r{reg}, {extent}, {site:#x}ull, &error)");
            position = match axis {
                0 if at.len() == 1 => format!("r{reg}"),
                0 => format!("(u64)r{reg}"),
                _ => format!("({position} * {extent} + (u64)r{reg})"),
            };
        }
        (within, format!("{array}[{position}]"))
    }

    fn constant(&self, out: &mut String, result: Reg, value: &str) {
        let _ = writeln!(out, "const {} r{result} = {value};", type_of(self.ty(result)));
    }

    fn statement(&mut self, out: &mut String, statement: &Statement) {
        match statement {
            Statement::Step { result, instr } => {
                self.constant(out, *result, &expression(instr, "r"))
            }
            Statement::Scalar { result, parameter, part } => {
                let kind = self.kernel.parameters()[usize::from(*parameter)].kind;
                let bits = match kind {
                    ParameterKind::Scalar(dtype) if dtype.is_complex() => {
                        format!("a.scalar{parameter}[{part}]")
                    }
                    _ => format!("a.scalar{parameter}"),
                };
                let value = match self.ty(*result) {
                    RegType::Bool => format!("{bits} != 0"),
                    RegType::F32 => format!("f32_of((u32){bits})"),
                    RegType::F64 => format!("f64_of({bits})"),
                    ty => format!("({}){bits}", type_of(ty)),
                };
                self.constant(out, *result, &value);
            }
            Statement::Builtin { result, builtin } => {
                let axis = |axis: u8| ["x", "y", "z"][usize::from(axis)];
                let value = match *builtin {
                    Builtin::Thread(along) => format!("threadIdx.{}", axis(along)),
                    Builtin::Block(along) => format!("blockIdx.{}", axis(along)),
                    Builtin::BlockSize(along) => {
                        ["SIMT_X", "SIMT_Y", "SIMT_Z"][usize::from(along)].to_string()
                    }
                    Builtin::GridSize(along) => format!("gridDim.{}", axis(along)),
                    Builtin::Lanes => "LANES".to_string(),
                    Builtin::Lane => "SIMT_THREAD % LANES".to_string(),
                    Builtin::Warp => "SIMT_THREAD / LANES".to_string(),
                    Builtin::Extent { parameter, axis } => format!("(i64)x{parameter}e{axis}"),
                };
                self.constant(out, *result, &value);
            }
            Statement::Get { result, variable } => {
                self.constant(out, *result, &format!("v{variable}"));
            }
            Statement::Set { variable, value } => {
                let _ = writeln!(out, "v{variable} = r{value};");
            }
            Statement::Load { result, place, part, at } => {
                let (within, element) = self.element(*place, at);
                let ty = type_of(self.ty(*result));
                self.constant(
                    out,
                    *result,
                    &format!("{within} ? get<{part}>({element}) : ({ty})0"),
                );
            }
            Statement::Store { place, part, at, value } => {
                let (within, element) = self.element(*place, at);
                let _ = match self.kernel.dtype(*place).is_complex() {
                    true => writeln!(out, "if ({within}) {element}.part[{part}] = r{value};"),
                    false => writeln!(out, "if ({within}) put({element}, r{value}, r{value});"),
                };
            }
            Statement::Atomic { result, op, place, at, value, expected } => {
                let (within, element) = self.element(*place, at);
                let ty = type_of(self.ty(*result));
                let change = match op {
                    Atomic::Add => format!("simt_atomic_add(&{element}, r{value})"),
                    Atomic::Min => format!("simt_atomic_min(&{element}, r{value})"),
                    Atomic::Max => format!("simt_atomic_max(&{element}, r{value})"),
                    Atomic::And => format!("simt_atomic_and(&{element}, r{value})"),
                    Atomic::Or => format!("simt_atomic_or(&{element}, r{value})"),
                    Atomic::Xor => format!("simt_atomic_xor(&{element}, r{value})"),
                    Atomic::Exchange => format!("simt_atomic_exchange(&{element}, r{value})"),
                    Atomic::CompareExchange => {
                        format!("simt_atomic_swap_if(&{element}, r{expected}, r{value})")
                    }
                };
                self.constant(out, *result, &format!("{within} ? {change} : ({ty})0"));
            }
            Statement::Exchange { result, op, value, operand, .. } => {
                let value = match op {
                    Exchange::Down => format!("simt_down(r{value}, r{operand})"),
                    Exchange::Up => format!("simt_up(r{value}, r{operand})"),
                    Exchange::Xor => {
                        format!("simt_xor(r{value}, SIMT_THREAD % LANES, r{operand})")
                    }
                    Exchange::Lane => format!("shuffle(r{value}, r{operand} % LANES)"),
                    Exchange::Ballot => format!("(u64)ballot(r{value})"),
                };
                self.constant(out, *result, &value);
            }
            Statement::If { condition, then, otherwise, .. } => {
                let _ = writeln!(out, "if (r{condition}) {{");
                self.block(out, then);
                if !otherwise.is_empty() {
                    out.push_str("} else {\n");
                    self.block(out, otherwise);
                }
                out.push_str("}\n");
            }
            Statement::Loop { head, condition, body, next, .. } => {
                out.push_str("for (;;) {\n");
                self.block(out, head);
                let _ = writeln!(out, "if (!r{condition}) break;");
                let label = (!next.is_empty()).then(|| self.label());
                self.next.push(label.map(|label| (label, false)));
                // A jump may not pass a definition, so the body is a block of its own.
                out.push_str("{\n");
                self.block(out, body);
                out.push_str("}\n");
                if let Some(Some((label, true))) = self.next.pop() {
                    let _ = writeln!(out, "next{label}:;");
                }
                self.block(out, next);
                out.push_str("}\n");
            }
            Statement::Call { body } => {
                let label = self.label();
                self.leave.push((label, false));
                let around = std::mem::take(&mut self.next);
                out.push_str("{\n");
                self.block(out, body);
                out.push_str("}\n");
                self.next = around;
                if let Some((label, true)) = self.leave.pop() {
                    let _ = writeln!(out, "leave{label}:;");
                }
            }
            Statement::Break => out.push_str("break;\n"),
            Statement::Continue => match self.next.last_mut() {
                Some(Some((label, used))) => {
                    *used = true;
                    let _ = writeln!(out, "goto next{label};");
                }
                _ => out.push_str("continue;\n"),
            },
            Statement::Return => match self.leave.last_mut() {
                Some((label, used)) => {
                    *used = true;
                    let _ = writeln!(out, "goto leave{label};");
                }
                None => {
                    self.returns = true;
                    out.push_str("goto done;\n");
                }
            },
            Statement::Barrier { .. } => out.push_str("barrier();\n"),
        }
    }
}
