//! The pattern `scan`: running combinations along rows by the canonical plan.
//!
//! A block has several short rows, or a chunk of a long one. Where a row has several chunks, blocks post the totals of their chunks
//! while they run, so each element is read once (`device/scan.h`).
//!
//! Arguments: of short rows, their number, how many a block has, and the extent and the segments of each (divisors); of long rows the
//! extent and the chunks of each (a divisor). Then the walk over rows, the index map through a row, the inputs, the output, for
//! long rows what blocks post (how many places a row has, the ticket and the words, which are zero at first), the scalars.

mod body;

use std::fmt::Write;

use ndany_core::plan;
use ndany_core::program::{Combine, Program, Reg, RegType};

use crate::layout::IndexMap;
use crate::lines::{input_fields, last_fields, output_fields};
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = plan::ACCUMULATORS as u32;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The prologue and the combination.
    pub program: Program,
    /// Inputs, then the output, over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
    /// Whether a row has several chunks, or a block several rows.
    pub chunked: bool,
    /// Whether neighbouring rows of a block are closer in memory than neighbours in a row.
    pub across: bool,
    /// Which part of the output's complex numbers the state, of one register, is; `None` if the state is all of it.
    pub only: Option<u8>,
}

/// Segments of a row of one chunk, and how many such rows a block can take: a thread has a segment.
pub fn packing(extent: usize) -> (usize, usize) {
    let segments = extent.div_ceil(plan::SEGMENT);
    (segments, plan::ACCUMULATORS / segments)
}

/// Places of what blocks post about a row of so many chunks: levels, as `device/scan.h` has them.
pub fn places(chunks: usize) -> usize {
    let level = |&items: &usize| (items >= plan::CHUNK).then_some(items / plan::CHUNK);
    std::iter::successors(Some(chunks), level)
        .map(|items| items + 2 * (items / plan::SEGMENT))
        .sum()
}

/// Words in which blocks post a state of registers of these types.
pub fn words(types: impl IntoIterator<Item = RegType>) -> usize {
    types.into_iter().map(|ty| ty.size().div_ceil(size_of::<u32>())).sum()
}

/// Parts whose states are too large to scan together: parts that a primitive combines do not depend on each other, so they go
/// one by one.
pub fn by_parts(program: &Program) -> Vec<(Program, Option<u8>)> {
    let lifted = &program.reductions[0].lifted;
    let size = |reg: Reg| program.instrs[usize::from(reg)].ty.size();
    if combines_by_body(program) || lifted.iter().map(|&reg| size(reg)).sum::<usize>() <= 8 {
        return vec![(program.clone(), None)];
    }
    let part = |(part, &reg): (usize, &Reg)| {
        let mut one = program.clone();
        one.reductions[0].lifted = smallvec::smallvec![reg];
        (one, Some(part as u8))
    };
    lifted.iter().enumerate().map(part).collect()
}

/// Whether states are combined by a body, and outputs are made of them at each element.
fn combines_by_body(program: &Program) -> bool {
    matches!(program.reductions[0].combine, Combine::Body(_))
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
        self.body(&code, &mut text);
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
        let _ = match self.chunked {
            true => writeln!(out, "struct Args {{\nu64 extent;\n{divisor} chunks;"),
            false => writeln!(
                out,
                "struct Args {{\nu64 rows;\nDivisor together;\nDivisor extent;\nDivisor segments;"
            ),
        };
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

    /// The first lines: how many elements and segments this block has, and the `length` of which a thread has a segment that begins
    /// at `first`.
    fn head(&self, out: &mut String) {
        let (item, position) = (self.outer.position(), self.row.position());
        let _ = writeln!(
            out,
            "KERNEL({BLOCK}) scan(const Args a) {{\n\
             u64 error = 0;\n\
             const u32 lane = thread();"
        );
        let chunk = plan::CHUNK;
        let _ = match self.chunked {
            true => writeln!(
                out,
                "SHARED u32 ticket;\n\
                 if (lane == 0) ticket = atomic_add(a.ticket, (u32)1);\n\
                 barrier();\n\
                 const {item} item = ({item})ticket;\n\
                 const {position} extent = ({position})a.extent;\n\
                 const {item} number = divide(item, a.chunks);\n\
                 const {position} chunk = ({position})(item - number * extent_of(a.chunks));\n\
                 const {position} begin = chunk * {chunk};\n\
                 const u32 count = extent - begin < {chunk} ? (u32)(extent - begin) : {chunk};\n\
                 const u32 segments = (count + SEGMENT - 1) / SEGMENT;\n\
                 const u32 length = count;\n\
                 const u32 segment = lane;"
            ),
            false => writeln!(
                out,
                "const u32 together = extent_of(a.together);\n\
                 const {item} begin = ({item})block_x() * together;\n\
                 const {item} left = ({item})a.rows - begin;\n\
                 const u32 rows = left < together ? (u32)left : together;\n\
                 const u32 length = extent_of(a.extent);\n\
                 const u32 each = extent_of(a.segments);\n\
                 const u32 count = rows * length;\n\
                 const u32 segments = rows * each;\n\
                 const u32 segment = lane - divide(lane, a.segments) * each;"
            ),
        };
        out.push_str("const u32 first = segment * SEGMENT;\n");
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
            "bool preceded = segment > 0;\n\
             State0 before = totals[segment > 0 ? lane - 1 : 0];\n",
        );
        if self.chunked {
            out.push_str(
                "SHARED State0 taken[SEGMENTS];\n\
                 const u64 chunks = extent_of(a.chunks);\n\
                 const Level level = { number * a.places, chunks };\n\
                 if (chunk + 1 < chunks) post_total(a.posted, level, chunk, totals[segments - 1], taken, error);\n\
                 if (chunk > 0) {\n\
                 const State0 ahead = scanned_total<State0>(a.posted, level, chunk - 1, taken, error);\n\
                 before = segment > 0 ? combine(ahead, before, error) : ahead;\n\
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

/// What blocks post: each 32 bits of a state in a word whose upper half says that they are there. All words are read at the same time,
/// until all are there.
fn posted(code: &Code) -> String {
    let fields = code.state_fields(0);
    let count = words(fields.iter().map(|field| field.ty));
    let (mut posts, mut parts, mut number) = (String::new(), Vec::new(), 0);
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
        let mut word = |bits: &str| {
            let _ = writeln!(posts, "post_word(here + {number}, (u32){bits});");
            number += 1;
            number - 1
        };
        let low = word(&format!("({bits})"));
        parts.push(match field.ty.size() {
            8 => {
                let high = word(&format!("((u64){bits} >> 32)"));
                of_bits(format!("taken[{high}] << 32 | (u32)taken[{low}]"))
            }
            _ => of_bits(format!("(u32)taken[{low}]")),
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
         u64 taken[{count}];\n\
         take_words(words + at * {count}, taken);\n\
         return State0{{ {} }};\n\
         }}\n\
         }};\n",
        parts.join(", ")
    )
}
