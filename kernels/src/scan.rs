//! The pattern `scan`: running combinations along rows by the canonical plan.
//!
//! A block has a chunk of a row. Where a row has several, blocks tell each other the totals of their chunks while they run, so each
//! element is read once (`device/scan.h`).
//!
//! Arguments: the number of items (chunks of all rows), the extent of the row, the chunks of a row (a divisor), the
//! walk over rows, the index map through a row, the inputs, the output, for rows of several chunks what blocks tell each other (how
//! many places a row has, the ticket and the words, which are zero at first), the scalars.

mod states;

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::plan;
use ndany_core::program::{Program, Reg, RegType};

use crate::layout::IndexMap;
use crate::lines::{input_fields, last_fields, of_element, of_row, output_fields};
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = plan::ACCUMULATORS as u32;

/// Puts what comes before element `k` of the chunk in front of its `value`.
const FOLLOW: &str =
    "if (chunk > 0 || k >= SEGMENT) value = combine(totals[k / SEGMENT], value, error);";

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The prologue and the combination.
    pub program: Program,
    /// Inputs, then the output, over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
    /// Whether a row has several chunks.
    pub chunked: bool,
    /// Which part of the output's complex numbers the state, of one register, is; `None` if the state is all of it.
    pub only: Option<u8>,
}

/// Places of what blocks tell each other about a row of so many chunks: levels, as `device/scan.h` has them.
pub fn places(chunks: usize) -> usize {
    let level = |&items: &usize| (items >= plan::CHUNK).then_some(items / plan::CHUNK);
    std::iter::successors(Some(chunks), level)
        .map(|items| items + 2 * (items / plan::SEGMENT))
        .sum()
}

/// Words in which blocks tell each other a state of registers of these types.
pub fn words(types: impl IntoIterator<Item = RegType>) -> usize {
    types.into_iter().map(|ty| ty.size().div_ceil(size_of::<u32>())).sum()
}

/// Parts whose states are too large to scan together: parts that a primitive combines do not depend on each other, so they go
/// one by one.
pub fn by_parts(program: &Program) -> Vec<(Program, Option<u8>)> {
    let lifted = &program.reductions[0].lifted;
    let size = |reg: Reg| program.instrs[usize::from(reg)].ty.size();
    if states::applies(program) || lifted.iter().map(|&reg| size(reg)).sum::<usize>() <= 8 {
        return vec![(program.clone(), None)];
    }
    let part = |(part, &reg): (usize, &Reg)| {
        let mut one = program.clone();
        one.reductions[0].lifted = smallvec::smallvec![reg];
        (one, Some(part as u8))
    };
    lifted.iter().enumerate().map(part).collect()
}

impl Kernel for Scan {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/scan.h"));
        text.push_str(&code.declarations());
        state(&mut text, &code, 0);
        if self.chunked {
            text.push_str(&posted(&code));
        }
        self.arguments(&code, &mut text);
        match states::applies(&self.program) {
            true => self.body_of_states(&code, &mut text),
            false => self.body(&code, &mut text),
        }
        Source::new(&text, "scan")
    }
}

impl Scan {
    /// Whether the scan writes its states as they are, to arrays of their own.
    fn writes_states(&self) -> bool {
        self.program.outputs.is_empty()
    }

    fn arguments(&self, code: &Code, out: &mut String) {
        let divisor = if self.outer.wide { "u64" } else { "Divisor" };
        let _ = writeln!(out, "struct Args {{\nu64 items;\nu64 extent;\n{divisor} chunks;");
        self.outer.fields(out, "outer");
        self.row.fields(out, "row");
        input_fields(code, out);
        output_fields(code, out);
        if self.writes_states() {
            for field in code.state_fields(0) {
                let _ = writeln!(out, "{}* output{};", type_of(field.ty), field.part);
            }
        }
        if self.chunked {
            out.push_str("u64 places;\nu32* ticket;\nPosted posted;\n");
        }
        last_fields(code, out);
        out.push_str("};\n");
    }

    /// The first lines: the chunk of this block, and its place in the row.
    fn head(&self, out: &mut String) {
        let (item, position) = (self.outer.position(), self.row.position());
        let _ = writeln!(
            out,
            "KERNEL({BLOCK}) scan(const Args a) {{\n\
             u64 error = 0;\n\
             const u32 lane = thread();"
        );
        match self.chunked {
            true => out.push_str(
                "SHARED u32 ticket;\n\
                 if (lane == 0) ticket = atomic_add(a.ticket, (u32)1);\n\
                 barrier();\n",
            ),
            false => out.push_str("const u32 ticket = block_x();\n"),
        }
        let _ = writeln!(
            out,
            "const {item} item = ({item})ticket;\n\
             const {position} extent = ({position})a.extent;\n\
             const {item} number = divide(item, a.chunks);\n\
             const {position} chunk = ({position})(item - number * extent_of(a.chunks));\n\
             const {position} begin = chunk * {};\n\
             const u32 count = extent - begin < {} ? (u32)(extent - begin) : {};",
            plan::CHUNK,
            plan::CHUNK,
            plan::CHUNK
        );
    }

    fn body(&self, code: &Code, out: &mut String) {
        let program = &code.program;
        let position = self.row.position();
        let fields = code.state_fields(0);
        let needed = code.needed();
        self.head(out);
        for field in &fields {
            let _ = writeln!(out, "SHARED {} all{}[PLACES];", type_of(field.ty), field.part);
        }
        out.push_str("SHARED State0 totals[SEGMENTS];\n");
        self.outer.offsets(out, "outer", "number");
        of_row(code, &needed, 0, out);
        // Elements come in neighbour by neighbour across the threads.
        let _ = writeln!(
            out,
            "#pragma unroll 8\nfor (u32 k = lane; k < count; k += {BLOCK}) {{\n\
             const {position} p = begin + k;"
        );
        let lifted = fields.iter().map(|field| field.lifted);
        of_element(code, &self.row, lifted, &BTreeMap::new(), false, out);
        for field in &fields {
            let _ = writeln!(out, "all{}[PLACE(k)] = r{};", field.part, field.lifted);
        }
        let _ = writeln!(out, "}}\nbarrier();");
        let at = |index: &str| -> String {
            let parts: Vec<String> =
                fields.iter().map(|field| format!("all{}[{index}]", field.part)).collect();
            format!("State0{{ {} }}", parts.join(", "))
        };
        let store = |index: &str, value: &str| -> String {
            let parts = fields.iter();
            let part = |field: &crate::text::Field| {
                format!("all{}[{index}] = {value}.{}; ", field.part, field.name())
            };
            parts.map(part).collect()
        };
        let _ = writeln!(
            out,
            "const u32 first = lane * SEGMENT;\n\
             const u32 segments = (count + SEGMENT - 1) / SEGMENT;\n\
             if (first < count) {{\n\
             const u32 own = count - first < SEGMENT ? count - first : SEGMENT;\n\
             State0 fold = {};\n\
             #pragma unroll 8\n\
             for (u32 k = 1; k < own; k++) {{\n\
             fold = combine(fold, {}, error);\n\
             {}\n\
             }}\n\
             totals[lane] = fold;\n\
             }}\n\
             scan_totals(totals, lane, segments, error);",
            at("lane * (SEGMENT + 1)"),
            at("lane * (SEGMENT + 1) + k"),
            store("lane * (SEGMENT + 1) + k", "fold"),
        );
        self.befores(out);
        let _ = writeln!(
            out,
            "#pragma unroll 4\n\
             for (u32 k = lane; k < count; k += {BLOCK}) {{\n\
             const {position} p = begin + k;\n\
             State0 value = {};\n\
             {FOLLOW}",
            at("PLACE(k)"),
        );
        self.row.offsets(out, "row", "p");
        let array = program.inputs.len();
        if self.writes_states() {
            for field in &fields {
                let (part, output) = (field.part, array + field.part);
                let _ = writeln!(
                    out,
                    "a.output{part}[outer_at{output} + row_at{output}] = value.{};",
                    field.name()
                );
            }
        } else if let Some(part) = self.only {
            let _ = writeln!(
                out,
                "a.output0[outer_at{array} + row_at{array}].part[{part}] = value.{};",
                fields[0].name()
            );
        } else {
            let [first, last] = [0, fields.len() - 1].map(|part| fields[part].name());
            let _ = writeln!(
                out,
                "put(a.output0[outer_at{array} + row_at{array}], value.{first}, value.{last});"
            );
        }
        out.push_str("}\n");
        Self::end(code, out);
    }

    /// What comes before each segment stands in `totals`: the chunks before, then the segments before in this one. The first segment
    /// of a row has nothing before it.
    fn befores(&self, out: &mut String) {
        self.before(out);
        out.push_str("barrier();\nif (preceded) totals[lane] = before;\nbarrier();\n");
    }

    /// What comes before a segment, if it is `preceded`: the chunks before, then the segments before in this one.
    fn before(&self, out: &mut String) {
        out.push_str(
            "bool preceded = lane > 0;\n\
             State0 before = totals[lane > 0 ? lane - 1 : 0];\n",
        );
        if self.chunked {
            out.push_str(
                "SHARED State0 told[SEGMENTS];\n\
                 const u64 chunks = extent_of(a.chunks);\n\
                 const Level level = { number * a.places, chunks };\n\
                 if (chunk + 1 < chunks) post_total(a.posted, level, chunk, totals[segments - 1], told, error);\n\
                 if (chunk > 0) {\n\
                 const State0 ahead = scanned_total<State0>(a.posted, level, chunk - 1, told, error);\n\
                 before = lane > 0 ? combine(ahead, before, error) : ahead;\n\
                 preceded = true;\n\
                 }\n",
            );
        }
    }

    /// What was wrong is said, and the kernel ends.
    fn end(code: &Code, out: &mut String) {
        if code.fails() {
            out.push_str("if (error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}

/// What blocks tell each other: each 32 bits of a state in a word whose upper half says that they are there, so that neither
/// has to wait for the other.
fn posted(code: &Code) -> String {
    let fields = code.state_fields(0);
    let count = words(fields.iter().map(|field| field.ty));
    let (mut posts, mut takes, mut parts, mut number) =
        (String::new(), String::new(), Vec::new(), 0);
    for field in &fields {
        let (ty, name) = (type_of(field.ty), field.name());
        let bits = if field.ty.is_float() {
            format!("bits_of(state.{name})")
        } else {
            format!("state.{name}")
        };
        let of_bits = |bits: String| match field.ty {
            RegType::F32 => format!("f32_of({bits})"),
            RegType::F64 => format!("f64_of({bits})"),
            _ => format!("({ty})({bits})"),
        };
        let mut tell = |bits: &str| {
            let _ = writeln!(posts, "tell(here + {number}, (u32){bits});");
            let _ = writeln!(takes, "const u32 bits{number} = told(here + {number});");
            number += 1;
            number - 1
        };
        let low = tell(&format!("({bits})"));
        parts.push(match field.ty.size() {
            8 => {
                let high = tell(&format!("((u64){bits} >> 32)"));
                of_bits(format!("(u64)bits{high} << 32 | bits{low}"))
            }
            _ => of_bits(format!("bits{low}")),
        });
    }
    format!(
        "struct Posted {{\n\
         u64* words;\n\
         DEVICE void post(u64 at, const State0& state) const {{\n\
         u64* here = words + at * {count};\n\
         {posts}\
         }}\n\
         DEVICE State0 take(u64 at) const {{\n\
         const u64* here = words + at * {count};\n\
         {takes}\
         return State0{{ {} }};\n\
         }}\n\
         }};\n",
        parts.join(", ")
    )
}
