//! The passes of a block over its elements.
//!
//! A segment has one thread. The states of a block lie in shared memory where they take at most 8 bytes an element. Larger ones
//! come in pieces: some neighbours of each segment at a time, of which the thread keeps the state so far. The last piece is still there
//! when its elements are written, so it comes first then; the others are read again, from the cache.

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::plan::{ACCUMULATORS, CHUNK, SEGMENT};
use ndany_core::program::Op;

use super::{BLOCK, Scan, combines_by_body};
use crate::lines::{of_element, of_row};
use crate::text::{Code, Field, type_of};

/// Bytes of the states of a piece of one segment, at most.
const PIECE_BYTES: usize = 256;

/// Elements that a thread loads at the same time.
const LOADS: u32 = 8;

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

    /// Whether neighbouring threads take neighbouring rows.
    fn goes_across(&self) -> bool {
        self.scan.across && self.is_whole() && !self.scan.chunked
    }

    /// How many elements or places of the piece the block has, or would have with all rows.
    fn bound(&self) -> String {
        match (self.is_whole(), self.goes_across()) {
            (true, true) => "together * length".into(),
            (true, false) => "count".into(),
            (false, _) => format!("segments * {}", self.piece),
        }
    }

    /// Lines about the `i`-th of them: element `k` of the row or the chunk, at position `p` of the row, which lies in segment `g`
    /// of the block at `place`. Where there is none, `k` or the row is the last one.
    fn element(&self, out: &mut String) {
        let (piece, chunked) = (self.piece, self.scan.chunked);
        out.push_str(&match (self.is_whole(), chunked) {
            (true, true) => "const u32 k = i;\nconst u32 g = k / SEGMENT;\n".into(),
            (true, false) if self.goes_across() => "const u32 k = divide(i, a.together);\n\
                 const u32 row = i - k * together;\n\
                 const u32 r = row < rows ? row : rows - 1;\n\
                 const u32 g = r * each + k / SEGMENT;\n"
                .to_string(),
            (true, false) => "const u32 r = divide(i, a.extent);\n\
                 const u32 k = i - r * length;\n\
                 const u32 g = r * each + k / SEGMENT;\n"
                .to_string(),
            (false, true) => format!(
                "const u32 g = i / {piece};\nconst u32 at = g * SEGMENT + q + i % {piece};\n"
            ),
            (false, false) => format!(
                "const u32 g = i / {piece};\n\
                 const u32 r = divide(g, a.segments);\n\
                 const u32 at = (g - r * each) * SEGMENT + q + i % {piece};\n"
            ),
        });
        if !self.is_whole() {
            out.push_str("const u32 k = at < length ? at : length - 1;\n");
        }
        let position = self.scan.row.position();
        let _ = writeln!(out, "const u32 place = g * {} + {} % {piece};", piece + 1, self.number());
        if chunked {
            let _ = writeln!(out, "const {position} p = begin + k;");
        } else {
            let item = self.scan.outer.position();
            let _ = writeln!(
                out,
                "const {position} p = ({position})k;\nconst {item} number = begin + r;"
            );
            self.of_row(out);
        }
    }

    /// The number by which the place in the segment goes.
    fn number(&self) -> &'static str {
        if self.is_whole() { "k" } else { "i" }
    }

    /// Whether there is such an element, if that depends on it.
    fn exists(&self) -> Option<&'static str> {
        match self.is_whole() {
            true => self.goes_across().then_some("row < rows"),
            false => Some("at < length"),
        }
    }

    /// What has one value per row.
    fn of_row(&self, out: &mut String) {
        self.scan.outer.offsets(out, "outer", "number");
        of_row(self.code, &self.code.needed(), 0, out);
    }

    /// The states of a piece come into shared memory. Neighbouring threads load neighbours, several each at the same time: a thread
    /// without an element loads the last one, because what is loaded on a condition waits for it.
    fn load(&self, out: &mut String) {
        let bound = self.bound();
        // A piece of few elements comes at once.
        let loads = if self.is_whole() { LOADS } else { self.piece as u32 };
        let _ = writeln!(
            out,
            "for (u32 from = 0; from < {bound}; from += {}) {{\n\
             #pragma unroll\n\
             for (u32 load = 0; load < {loads}; load++) {{\n\
             const u32 asked = from + load * {BLOCK} + lane;\n\
             const u32 i = asked < {bound} ? asked : {bound} - 1;",
            BLOCK * loads
        );
        self.element(out);
        let lifted = self.fields.iter().map(|field| field.lifted);
        of_element(self.code, &self.scan.row, lifted, &BTreeMap::new(), false, out);
        let exists = self.exists().map(|exists| format!(" && {exists}")).unwrap_or_default();
        let _ = writeln!(out, "if (asked < {bound}{exists}) {{");
        for field in &self.fields {
            let _ = writeln!(out, "all{}[place] = r{};", field.part, field.lifted);
        }
        out.push_str("}\n}\n}\nbarrier();\n");
    }

    /// A loop over the pieces that begin before `end`; each comes into shared memory, `body` follows.
    fn pieces(&self, end: &str, body: &str, out: &mut String) {
        if !self.is_whole() {
            let _ = writeln!(out, "for (u32 q = 0; q < {end}; q += {}) {{\nbarrier();", self.piece);
        }
        self.load(out);
        out.push_str(body);
        if !self.is_whole() {
            out.push_str("}\n");
        }
    }

    /// A loop of a thread over the elements of its segment in the piece, whose running states are in `fold`, with their place.
    fn segment(&self, body: &str) -> String {
        let (piece, q) = (self.piece, if self.is_whole() { "" } else { " + q" });
        format!(
            "if (lane < segments && first{q} < length) {{\n\
             const u32 rest = length - (first{q});\n\
             const u32 own = rest < {piece} ? rest : {piece};\n\
             #pragma unroll 8\n\
             for (u32 k = 0; k < own; k++) {{\n\
             const u32 place = lane * {} + k;\n\
             State0 value = {};\n\
             if (k{q} > 0) value = combine(fold, value, error);\n\
             fold = value;\n\
             {body}\
             }}\n}}\n",
            piece + 1,
            self.at("place"),
        )
    }

    /// Stores what is made of the running states of the piece. Where it is all that the block has, what comes before a segment is
    /// still to be put in front of them.
    fn store(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "#pragma unroll 4\nfor (u32 i = lane; i < {}; i += {BLOCK}) {{",
            self.bound()
        );
        self.element(out);
        if let Some(exists) = self.exists() {
            let _ = writeln!(out, "if (!({exists})) continue;");
        }
        let _ = writeln!(out, "State0 running = {};", self.at("place"));
        if self.is_whole() {
            let preceded = if self.scan.chunked { "chunk > 0 || " } else { "" };
            let _ = writeln!(
                out,
                "if ({preceded}k >= SEGMENT) running = combine(totals[g], running, error);"
            );
        }
        let program = &self.code.program;
        let array = program.inputs.len();
        let by_body = combines_by_body(program);
        match by_body {
            true => {
                let results = program.outputs.iter().flat_map(|output| output.parts);
                of_element(self.code, &self.scan.row, results, &BTreeMap::new(), true, out);
            }
            false => self.scan.row.offsets(out, "row", "p"),
        }
        let store = |out: &mut String, k: usize, rest: &str| {
            let array = array + k;
            let _ = writeln!(out, "a.output{k}[outer_at{array} + row_at{array}]{rest};");
        };
        if self.scan.writes_states() {
            for field in &self.fields {
                store(out, field.part, &format!(" = running.{}", field.name()));
            }
        } else if let Some(part) = self.scan.only {
            store(out, 0, &format!(".part[{part}] = running.{}", self.fields[0].name()));
        } else {
            for (k, output) in program.outputs.iter().enumerate() {
                let [real, imaginary] = match by_body {
                    true => output.parts.map(|reg| format!("r{reg}")),
                    false => [0, self.fields.len() - 1]
                        .map(|part| format!("running.{}", self.fields[part].name())),
                };
                let array = array + k;
                let _ = writeln!(
                    out,
                    "put(a.output{k}[outer_at{array} + row_at{array}], {real}, {imaginary});"
                );
            }
        }
        out.push_str("}\n");
    }
}

impl Scan {
    /// The kernel.
    pub(super) fn body(&self, code: &Code, out: &mut String) {
        let fields = code.state_fields(0);
        let piece = piece(&fields);
        let text = Text { scan: self, code, fields, piece };
        self.head(out);
        for field in &text.fields {
            let (ty, places) = (type_of(field.ty), ACCUMULATORS * (piece + 1));
            let _ = writeln!(out, "SHARED {ty} all{}[{places}];", field.part);
        }
        out.push_str("SHARED State0 totals[SEGMENTS];\n");
        if self.chunked {
            text.of_row(out);
        }
        out.push_str("State0 fold = {};\n");
        let totals = format!(
            "if (lane < segments) totals[lane] = fold;\n\
             scan_totals(totals, lane, segment, segments, {}, error);\n",
            if self.chunked { "SEGMENTS" } else { "each" }
        );
        if text.is_whole() {
            text.pieces("", &text.segment(&text.put("place", "value", true)), out);
            out.push_str(&totals);
            self.befores(out);
            text.store(out);
        } else {
            // What comes before the last piece is kept: that piece stays in shared memory, and is the first that is written.
            let keep = format!("prior = fold;\n{}", text.segment(""));
            out.push_str("State0 prior = {};\n");
            text.pieces("SEGMENT", &keep, out);
            out.push_str(&totals);
            self.before(out);
            let combined = format!(
                "if (preceded) value = combine(before, value, error);\n{}",
                text.put("place", "value", false)
            );
            let mut write = text.segment(&combined);
            write.push_str("barrier();\n");
            text.store(&mut write);
            let last = format!("SEGMENT - {piece}");
            let _ = writeln!(out, "{{\nconst u32 q = {last};\nfold = prior;\n{write}}}");
            text.pieces(&last, &write, out);
        }
        Self::end(code, out);
    }
}

const _: () = assert!(CHUNK == ACCUMULATORS * SEGMENT);
