//! The patterns `segmented_reduce` and `fold_left`: reductions of segments of a row, and folds from left to right.
//!
//! A segment reduced by the canonical plan has a block of one group; what is folded from the left has one thread,
//! beside which those of the other rows and segments run.
//!
//! Arguments: the number of rows, the extent of the row, the number of segments (a divisor; 1 for a fold_left), the
//! index map over rows, the index map through a row (of an output: through the segments, or through the row where every
//! state is kept), the inputs, the outputs, for segments their starts and ends with their strides and the address of
//! the deferred error, the scalars, and, if the program can fail, the address of its error word.

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::backend::CombineOrder;
use ndany_core::plan;
use ndany_core::program::{Combine, Program, Reg};

use crate::layout::IndexMap;
use crate::lines::{input_fields, last_fields, lift, of_element, of_row, output_fields};
use crate::row_cache::RowCache;
use crate::text::{Code, body_of_left_fold, function_of, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block that folds from the left.
pub const BLOCK: u32 = 128;

/// Threads of a block that reduces one segment.
pub const GROUP: u32 = plan::ACCUMULATORS as u32;

/// A kernel of `segmented_reduce`: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// What to compute.
    pub program: Program,
    /// In which order the elements of a segment combine.
    pub left: bool,
    /// Inputs, then outputs, over the axes in front of the row.
    pub outer: IndexMap,
    /// Inputs along the row, of one axis; outputs along the segments.
    pub row: IndexMap,
}

impl Segments {
    /// From the order of the seam.
    pub fn is_left(order: CombineOrder) -> bool {
        match order {
            CombineOrder::Left => true,
            CombineOrder::Plan => false,
        }
    }
}

fn head(code: &Code, outer: &IndexMap, row: &IndexMap, out: &mut String) {
    let divisor = if outer.wide { "u64" } else { "Divisor" };
    let _ = writeln!(out, "struct Args {{\nu64 rows;\nu64 extent;\n{divisor} segments;");
    outer.fields(out, "outer");
    row.fields(out, "row");
    input_fields(code, out);
    output_fields(code, out);
}

impl Kernel for Segments {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        let _ = writeln!(text, "#define AHEAD {}", code.ahead());
        text.push_str(include_str!("device/thread_group.h"));
        text.push_str(&code.declarations());
        state(&mut text, &code, 0);
        head(&code, &self.outer, &self.row, &mut text);
        text.push_str(
            "const i64* starts;\nconst i64* ends;\ni64 start_stride;\ni64 end_stride;\nu64* deferred;\n",
        );
        last_fields(&code, &mut text);
        text.push_str("};\n");
        self.body(&code, &mut text);
        Source::new(&text, "segments")
    }
}

impl Segments {
    fn body(&self, code: &Code, out: &mut String) {
        let (item, position) = (self.outer.position(), self.row.position());
        let needed = code.needed();
        let (block, own) = match self.left {
            true => (BLOCK, format!("({item})block_x() * {BLOCK} + thread()")),
            false => (GROUP, format!("({item})block_x()")),
        };
        let _ = writeln!(
            out,
            "KERNEL({block}) segments(const Args a) {{\n\
             if (a.deferred[0] != 0) return;\n\
             u64 error = 0;\n\
             const {item} item = {own};\n\
             const {item} number = divide(item, a.segments);\n\
             const {item} segment = item - number * extent_of(a.segments);\n\
             if (number >= a.rows) return;\n\
             const {position} begin = ({position})a.starts[(i64)segment * a.start_stride];\n\
             const {position} end = ({position})a.ends[(i64)segment * a.end_stride];"
        );
        self.outer.offsets(out, "outer", "number");
        of_row(code, &needed, 0, out);
        lift(code, &self.row, 0, &RowCache::nothing(1), out);
        if self.left {
            out.push_str(
                "State0 result0 = lift0(begin, true, error);\n\
                 for (auto p = begin + 1; p < end; p++) result0 = combine(result0, lift0(p, true, error), error);\n\
                 {\n",
            );
        } else {
            let _ = writeln!(
                out,
                "SHARED GroupShared<State0, 128> shared;\n\
                 SHARED Levels<State0> levels;\n\
                 const State0 result0 = reduce_row<State0, {position}>(lift0, begin, end, thread(), shared, levels, error);\n\
                 if (thread() == 0) {{"
            );
        }
        of_row(code, &needed, 1, out);
        let _ = writeln!(out, "const {position} p = ({position})segment;");
        self.row.offsets(out, "row", "p");
        let inputs = code.program.inputs.len();
        for (k, output) in code.program.outputs.iter().enumerate() {
            let [real, imaginary] = output.parts;
            let array = inputs + k;
            let _ = writeln!(
                out,
                "put(a.output{k}[outer_at{array} + row_at{array}], r{real}, r{imaginary});"
            );
        }
        out.push_str("}\n");
        if code.fails() {
            out.push_str("if (error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}

/// Looks at the offsets of segments: the first that is outside goes into the deferred error (the complement of twice
/// the number of the segment, plus one for its end), and then a thread, with [`CheckSegments::report`], puts the offset
/// beside it. Arguments: the number of segments, the extent of the row, starts, ends, their strides, the deferred
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckSegments {
    /// Whether one thread writes the offset to the deferred error (otherwise all check).
    pub report: bool,
}

impl Kernel for CheckSegments {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let _ = writeln!(
            text,
            "struct Args {{ u64 segments; i64 extent; const i64* starts; const i64* ends; i64 start_stride; \
             i64 end_stride; u64* deferred; }};\n\
             KERNEL({BLOCK}) check(const Args a) {{"
        );
        text.push_str(match self.report {
            true => {
                "if (thread() != 0 || block_x() != 0 || a.deferred[0] == 0) return;\n\
                 const u64 rank = ~a.deferred[0];\n\
                 const i64 segment = (i64)(rank / 2);\n\
                 a.deferred[1] = (u64)(rank % 2 == 0 ? a.starts[segment * a.start_stride] : a.ends[segment * a.end_stride]);\n\
                 }\n"
            }
            false => {
                "const u64 segment = (u64)block_x() * 128 + thread();\n\
                 if (segment >= a.segments) return;\n\
                 const i64 start = a.starts[(i64)segment * a.start_stride];\n\
                 const i64 end = a.ends[(i64)segment * a.end_stride];\n\
                 if (start < 0 || start >= a.extent) atomic_max(&a.deferred[0], ~(2 * segment));\n\
                 else if (end <= start || end > a.extent) atomic_max(&a.deferred[0], ~(2 * segment + 1));\n\
                 }\n"
            }
        });
        Source::new(&text, "check")
    }
}

/// A kernel of `fold_left`: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FoldLeft {
    /// What to compute.
    pub program: Program,
    /// Registers of the state.
    pub parts: usize,
    /// Whether the state starts from the last `parts` of what is lifted.
    pub has_initial: bool,
    /// Whether every state is stored.
    pub store_all: bool,
    /// Inputs, then the output, over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
}

impl Kernel for FoldLeft {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(&code.declarations());
        head(&code, &self.outer, &self.row, &mut text);
        last_fields(&code, &mut text);
        text.push_str("};\n");
        self.body(&code, &mut text);
        Source::new(&text, "fold_left")
    }
}

impl FoldLeft {
    fn body(&self, code: &Code, out: &mut String) {
        let (item, position) = (self.outer.position(), self.row.position());
        let reduction = &code.program.reductions[0];
        let lifted = &reduction.lifted;
        let (given, start): (&[Reg], &[Reg]) = match self.has_initial {
            true => lifted.split_at(lifted.len() - self.parts),
            false => (lifted, &lifted[..self.parts]),
        };
        let ty = |reg: Reg| type_of(code.program.instrs[usize::from(reg)].ty);
        let needed = code.needed();
        let _ = writeln!(
            out,
            "KERNEL({BLOCK}) fold_left(const Args a) {{\n\
             u64 error = 0;\n\
             const {item} number = ({item})block_x() * {BLOCK} + thread();\n\
             if (number >= a.rows) return;\n\
             const {position} extent = ({position})a.extent;"
        );
        self.outer.offsets(out, "outer", "number");
        of_row(code, &needed, 0, out);
        for (k, &reg) in start.iter().enumerate() {
            let value = if self.has_initial { format!("r{reg}") } else { "0".to_string() };
            let _ = writeln!(out, "{} state{k} = {value};", ty(reg));
        }
        let _ = writeln!(out, "for ({position} p = 0; p < extent; p++) {{");
        let array = code.program.inputs.len();
        of_element(code, &self.row, given.iter().copied(), &BTreeMap::new(), self.store_all, out);
        let first = match self.has_initial {
            true => "{\n".to_string(),
            false => {
                let own = given.iter().enumerate();
                let own: String = own.map(|(k, reg)| format!("state{k} = r{reg}; ")).collect();
                format!("if (p == 0) {{ {own}}} else {{\n")
            }
        };
        out.push_str(&first);
        match &reduction.combine {
            Combine::Prim(prim) => {
                for (k, reg) in given.iter().enumerate() {
                    let _ = writeln!(out, "state{k} = {}(state{k}, r{reg});", function_of(*prim));
                }
            }
            Combine::Body(body) => {
                body_of_left_fold(out, body, self.parts, given);
                for (k, reg) in body.results.iter().enumerate() {
                    let _ = writeln!(out, "state{k} = b{reg};");
                }
            }
        }
        out.push_str("}\n");
        let last = self.parts - 1;
        if self.store_all {
            let _ = writeln!(
                out,
                "put(a.output0[outer_at{array} + row_at{array}], state0, state{last});"
            );
        }
        out.push_str("}\n");
        if !self.store_all {
            let fields: String =
                (0..self.parts).map(|k| format!("{} part0_{k}; ", ty(start[k]))).collect();
            let values: Vec<String> = (0..self.parts).map(|k| format!("state{k}")).collect();
            let _ =
                writeln!(out, "const struct {{ {fields}}} result0 = {{ {} }};", values.join(", "));
            of_row(code, &needed, 1, out);
            let [real, imaginary] = code.program.outputs[0].parts;
            let _ = writeln!(out, "put(a.output0[outer_at{array}], r{real}, r{imaginary});");
        }
        if code.fails() {
            out.push_str("if (error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}
