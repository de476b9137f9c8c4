//! Fourier transforms of rows that fit into shared memory (Stockham's order), and of the parts of longer ones.
//!
//! A block has some rows. It reads them from wherever they lie, by one step along the row and two to get to it, so that
//! a row may be a column of a matrix; multiplies them with a table, or counts what the table does not reach as zero;
//! transforms them stage after stage; and writes them likewise, turned where a longer row is made of parts. So the same
//! text serves rows as they stand, both halves of a row taken as a matrix (four steps), and both transforms of a
//! convolution with a chirp (Bluestein). Stages are data but where the length is fixed: the powers of two. To go
//! backward is to exchange the parts of numbers, before and after.
//!
//! Arguments: the fields of `Args`, in their order.

use std::fmt::Write;

use ndany_core::DType;

use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// What a row is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Load {
    /// Complex numbers.
    Complex,
    /// Real ones.
    Real,
    /// The first half of a row whose rest are conjugates.
    Half,
}

/// What it is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// Complex numbers.
    Complex,
    /// Their real parts.
    Real,
}

/// A kernel of transforms: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockFourier {
    /// Of a number's parts: F32 or F64.
    pub part: DType,
    /// What rows are read from.
    pub load: Load,
    /// What they are written to.
    pub store: Store,
    /// Whether rows are anything but packed.
    pub strided: bool,
    /// The length, where the text is for it alone.
    pub fixed: Option<u32>,
}

/// The numbers that a block has, at most, with those of 32 bits and of 64.
pub fn points(part: DType) -> usize {
    if part == DType::F64 { 2048 } else { 4096 }
}

/// The radices of a length's stages, largest first; nothing for a length with other factors.
pub fn radices(length: usize) -> Option<Vec<u32>> {
    let (mut rest, mut radices) = (length, Vec::new());
    for radix in [16, 8, 7, 5, 4, 3, 2] {
        while rest.is_multiple_of(radix) {
            rest /= radix;
            radices.push(radix as u32);
        }
    }
    (rest == 1).then_some(radices)
}

impl BlockFourier {
    /// The text of the stages.
    fn stages(&self) -> String {
        let direct = self.fixed.is_some();
        let stage = |radix: &str| {
            format!(
                "stage<{direct}, POINTS, THREADS, {radix}>(tile, a.roots, length, done, rows, transposed, from, to)"
            )
        };
        let Some(length) = self.fixed else {
            // With many radices none has the way to memory in its text, which would take compilers half a minute.
            let each = |transposed: u32, action: &str| {
                format!(
                    "for (u32 at = thread(); at < rows * length; at += THREADS) {{\n\
                     const Butterfly b = butterfly(at, length, rows, transposed & {transposed});\n\
                     P& x = tile[tile_at(b.row * length + b.j)];\n\
                     {action};\n}}\n"
                )
            };
            let mut text = each(1, "x = from(b.row, b.j)");
            text.push_str("barrier();\nfor (u64 left = a.radices; left != 0; left >>= 8) {\n");
            text.push_str("const u32 radix = (u32)left & 255;\nswitch (radix) {\n");
            for radix in [2, 3, 4, 5, 7, 8] {
                let _ = writeln!(text, "case {radix}: {}; break;", stage(&radix.to_string()));
            }
            let _ = writeln!(text, "default: {};\n}}\ndone *= radix;\n}}", stage("16"));
            text.push_str(&each(2, "to(b.row, b.j, x)"));
            return text;
        };
        let mut text = String::new();
        for radix in radices(length as usize).unwrap_or_default() {
            let _ = writeln!(text, "{};\ndone *= {radix};", stage(&radix.to_string()));
        }
        text
    }
}

impl Kernel for BlockFourier {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/fourier.h"));
        let part = element_of(self.part);
        let (source, target) = (
            if self.load == Load::Real { "F" } else { "Pair<F>" },
            if self.store == Store::Real { "F" } else { "Pair<F>" },
        );
        let value = match self.load {
            Load::Complex => "x = from[e];",
            Load::Real => "x = P{ from[e], 0 };",
            // Of a whole row of `whole` numbers; what is its own conjugate is real.
            Load::Half => {
                "const bool beyond = 2 * e > a.whole;\n\
                 x = from[beyond ? a.whole - e : e];\n\
                 x.im = e == 0 || 2 * e == a.whole ? 0 : beyond ? -x.im : x.im;"
            }
        };
        let put = match self.store {
            Store::Complex => "to[e] = x;",
            Store::Real => "to[e] = x.re;",
        };
        let at = |map: &str, place: &str| match self.strided {
            false => format!("const u64 outer = first + row, e = {place};\n"),
            true => format!(
                "const u32 number = (u32)first + row, above = divide(number, a.inner);\n\
                 const u64 outer = divide(above, a.middle);\n\
                 const u64 inner = number - above * extent_of(a.inner);\n\
                 const u64 e = (above - outer * extent_of(a.middle)) * a.{map}.middle \
                 + inner * a.{map}.inner + {place} * a.{map}.step;\n"
            ),
        };
        let (load_at, store_at) = (at("load", "j"), at("store", "k"));
        // A number's place in the whole row says by how much it is turned.
        let by_parts = match self.strided {
            false => "",
            true => {
                "if (a.fine) {\n\
                 const u64 twiddle = inner * k;\n\
                 x = times(x, times(a.coarse[twiddle >> a.shift], a.fine[twiddle & ((1ull << a.shift) - 1)]));\n\
                 }\n"
            }
        };
        let transposed = if self.strided { "a.transposed" } else { "0" };
        let length = match self.fixed {
            Some(length) => format!("{length}u"),
            None => "a.length".to_string(),
        };
        let _ = write!(
            text,
            "typedef {part} F;\n\
             typedef Pair<F> P;\n\
             #define POINTS {}\n\
             #define THREADS {BLOCK}\n\
             struct IndexMap {{ u64 outer, middle, inner, step; }};\n\
             struct Args {{\n\
             u64 count;\n\
             u32 length, together, transposed, swaps;\n\
             u64 radices;\n\
             Divisor inner, middle;\n\
             IndexMap load, store;\n\
             u64 whole, load_limit, store_limit, shift;\n\
             F scale;\n\
             const {source}* from;\n{target}* to;\n\
             const P* roots;\nconst P* load_table;\nconst P* store_table;\nconst P* fine;\nconst P* coarse;\n}};\n\
             KERNEL({BLOCK}) fourier(const Args a) {{\n\
             SHARED P tile[POINTS + POINTS / 16];\n\
             const u32 length = {length};\n\
             const u64 first = (u64)block_x() * a.together;\n\
             const u32 rows = a.count - first < a.together ? (u32)(a.count - first) : a.together;\n\
             const u32 transposed = {transposed};\n\
             const auto from = [&](u32 row, u32 j) -> P {{\n\
             {load_at}\
             P x = P{{ 0, 0 }};\n\
             if (e >= a.load_limit) return x;\n\
             const {source}* from = a.from + outer * a.load.outer;\n\
             {value}\n\
             if (a.swaps & 1) x = swapped(x);\n\
             if (a.load_table) x = times(x, a.load_table[e]);\n\
             return x;\n\
             }};\n\
             const auto to = [&](u32 row, u32 k, P x) {{\n\
             {store_at}\
             if (e >= a.store_limit) return;\n\
             {by_parts}\
             if (a.swaps & 2) x = swapped(x);\n\
             if (a.store_table) x = times(x, a.store_table[e]);\n\
             if (a.swaps & 4) x = swapped(x);\n\
             x = scaled(x, a.scale);\n\
             {target}* to = a.to + outer * a.store.outer;\n\
             {put}\n\
             }};\n\
             u32 done = 1;\n\
             {}\
             }}\n",
            points(self.part),
            self.stages(),
        );
        Source::new(&text, "fourier")
    }
}

/// A pass over numbers before a library's transforms, or after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scale {
    /// Of a number's parts: F32 or F64.
    pub part: DType,
    /// Whether numbers are halves of rows, in which what is its own conjugate counts as real.
    pub halves: bool,
}

impl Scale {
    /// Parts of a thread.
    pub const EACH: u32 = 8;
}

/// Arguments: parts in all, those of a half row, the place of the last that is its own conjugate (of none: as many),
/// the factor, from and to, which may be one.
impl Kernel for Scale {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let part = element_of(self.part);
        let real = match self.halves {
            false => "",
            true => {
                "const u64 place = at % a.half;\n\
                 if (place == 1 || place == a.last) x = 0;\n"
            }
        };
        let _ = write!(
            text,
            "typedef {part} F;\n\
             struct Args {{\nu64 count, half, last;\nF scale;\nconst F* from;\nF* to;\n}};\n\
             KERNEL({BLOCK}) scale(const Args a) {{\n\
             for (u32 k = 0; k < {}; k++) {{\n\
             const u64 at = ((u64)block_x() * {} + k) * {BLOCK} + thread();\n\
             if (at >= a.count) return;\n\
             F x = a.from[at] * a.scale;\n\
             {real}\
             a.to[at] = x;\n\
             }}\n\
             }}\n",
            Self::EACH,
            Self::EACH,
        );
        Source::new(&text, "scale")
    }
}
