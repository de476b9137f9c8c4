//! Scans whose states are combined by a body: of several registers, of which the outputs are made at each element.
//!
//! A segment has one thread, as in all scans. The states of a chunk lie in shared memory where they take at most
//! 8 bytes an element. Larger ones come in pieces: some neighbours of each segment at a time, of which the thread keeps
//! the state so far. A pass that writes elements then reads the pieces twice, the second time from the cache.

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::plan::{ACCUMULATORS, CHUNK, SEGMENT};
use ndany_core::program::{Combine, Op, Program};

use super::{BLOCK, FOLLOW, Scan};
use crate::lines::{of_element, of_row};
use crate::text::{Code, Field, type_of};

/// Bytes of the states of a piece of one segment, at most.
const PIECE_BYTES: usize = 256;

/// Whether states are combined by a body.
pub(super) fn applies(program: &Program) -> bool {
    matches!(program.reductions[0].combine, Combine::Body(_))
}

/// Elements of a segment that lie in shared memory at a time: a power of two.
fn piece(fields: &[Field]) -> usize {
    let bytes: usize = fields.iter().map(|field| field.ty.size()).sum();
    let fits = |piece: &usize| piece * bytes <= PIECE_BYTES;
    [SEGMENT, SEGMENT / 2, SEGMENT / 4].into_iter().find(fits).unwrap_or(SEGMENT / 8)
}

/// The text of a kernel, in parts.
struct Text<'t> {
    scan: &'t Scan,
    code: &'t Code,
    fields: Vec<Field>,
    piece: usize,
}

impl Text<'_> {
    /// The state at a place of shared memory.
    fn at(&self, place: &str) -> String {
        let part = |field: &Field| format!("all{}[{place}]", field.part);
        let parts: Vec<String> = self.fields.iter().map(part).collect();
        format!("State0{{ {} }}", parts.join(", "))
    }

    /// Statements that put a state there; `all` of it, or what is read of running states.
    fn put(&self, place: &str, value: &str, all: bool) -> String {
        let program = &self.code.program;
        let read = |field: &Field| {
            let running = Op::Running(field.part as u8);
            program.instrs.iter().any(|instr| instr.op == running)
        };
        let kept = |field: &&Field| all || self.scan.writes_states() || read(field);
        let part =
            |field: &Field| format!("all{}[{place}] = {value}.{};\n", field.part, field.name());
        self.fields.iter().filter(kept).map(part).collect()
    }

    fn is_whole(&self) -> bool {
        self.piece == SEGMENT
    }

    /// A loop over the elements of the piece from `q` on, neighbour by neighbour across the threads: element `k` of the chunk is
    /// at `place`.
    fn each_element(&self, unroll: &str, out: &mut String) {
        let (piece, position) = (self.piece, self.scan.row.position());
        let _ = writeln!(
            out,
            "const u32 filled = last > q ? (last - q < {piece} ? last - q : {piece}) : 0;\n\
             {unroll}for (u32 i = lane; i < (segments - 1) * {piece} + filled; i += {BLOCK}) {{\n\
             const u32 k = i / {piece} * SEGMENT + q + i % {piece};\n\
             const u32 place = i / {piece} * {} + i % {piece};\n\
             const {position} p = begin + k;",
            piece + 1
        );
    }

    /// The states of a piece come into shared memory.
    fn load(&self, out: &mut String) {
        out.push_str("{\n");
        self.each_element("#pragma unroll 8\n", out);
        let lifted = self.fields.iter().map(|field| field.lifted);
        of_element(self.code, &self.scan.row, lifted, &BTreeMap::new(), false, out);
        for field in &self.fields {
            let _ = writeln!(out, "all{}[place] = r{};", field.part, field.lifted);
        }
        out.push_str("}\n}\nbarrier();\n");
    }

    /// A loop over pieces, and in it one of a thread over the elements of its segment in the piece, with their place.
    fn pieces(&self, body: &str, out: &mut String) {
        let piece = self.piece;
        let _ = writeln!(out, "for (u32 q = 0; q < SEGMENT; q += {piece}) {{");
        if !self.is_whole() {
            out.push_str("if (q > 0) barrier();\n");
        }
        self.load(out);
        let _ = writeln!(
            out,
            "if (first + q < count) {{\n\
             const u32 own = count - first - q < {piece} ? count - first - q : {piece};\n\
             #pragma unroll 8\n\
             for (u32 k = 0; k < own; k++) {{\n\
             const u32 place = lane * {} + k;\n\
             State0 value = {};\n\
             {body}\
             }}\n}}",
            piece + 1,
            self.at("place"),
        );
    }

    /// Stores what is made of the running states of the piece. Where it is all of the chunk, what comes before a segment is still
    /// to be put in front of them.
    fn store(&self, out: &mut String) {
        out.push_str("{\n");
        self.each_element("#pragma unroll 4\n", out);
        let _ = writeln!(out, "State0 value = {};", self.at("place"));
        if self.is_whole() {
            let _ = writeln!(out, "{FOLLOW}");
        }
        out.push_str("const State0 running = value;\n");
        let program = &self.code.program;
        let array = program.inputs.len();
        let results = program.outputs.iter().flat_map(|output| output.parts);
        of_element(self.code, &self.scan.row, results, &BTreeMap::new(), true, out);
        if self.scan.writes_states() {
            for field in &self.fields {
                let (part, output) = (field.part, array + field.part);
                let _ = writeln!(
                    out,
                    "a.output{part}[outer_at{output} + row_at{output}] = running.{};",
                    field.name()
                );
            }
        }
        for (k, output) in program.outputs.iter().enumerate() {
            let ([real, imaginary], array) = (output.parts, array + k);
            let _ = writeln!(
                out,
                "put(a.output{k}[outer_at{array} + row_at{array}], r{real}, r{imaginary});"
            );
        }
        out.push_str("}\n}\n");
    }
}

impl Scan {
    /// The kernel of a scan by a body.
    pub(super) fn body_of_states(&self, code: &Code, out: &mut String) {
        let fields = code.state_fields(0);
        let piece = piece(&fields);
        let text = Text { scan: self, code, fields, piece };
        self.head(out);
        for field in &text.fields {
            let (ty, places) = (type_of(field.ty), ACCUMULATORS * (piece + 1));
            let _ = writeln!(out, "SHARED {ty} all{}[{places}];", field.part);
        }
        out.push_str("SHARED State0 totals[SEGMENTS];\n");
        self.outer.offsets(out, "outer", "number");
        of_row(code, &code.needed(), 0, out);
        let _ = writeln!(
            out,
            "const u32 first = lane * SEGMENT;\n\
             const u32 segments = (count + SEGMENT - 1) / SEGMENT;\n\
             const u32 last = count - (segments - 1) * SEGMENT;\n\
             State0 fold = {{}};"
        );
        let running = "if (q + k > 0) value = combine(fold, value, error);\nfold = value;\n";
        let keep = match text.is_whole() {
            true => text.put("place", "value", true),
            false => String::new(),
        };
        text.pieces(&format!("{running}{keep}"), out);
        out.push_str("}\nif (first < count) totals[lane] = fold;\nscan_totals(totals, lane, segments, error);\n");
        if text.is_whole() {
            self.befores(out);
            out.push_str("const u32 q = 0;\n");
            text.store(out);
        } else {
            self.before(out);
            let combined = format!(
                "{running}if (preceded) value = combine(before, value, error);\n{}",
                text.put("place", "value", false)
            );
            text.pieces(&combined, out);
            out.push_str("barrier();\n");
            text.store(out);
            out.push_str("}\n");
        }
        Self::end(code, out);
    }
}

const _: () = assert!(CHUNK == ACCUMULATORS * SEGMENT);
