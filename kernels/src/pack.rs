//! Around a vendor's library for factorizations, which goes by columns and promises nothing about numbers near the
//! limits of a dtype: what brings matrices to it and takes results from it.
//!
//! - [`MaxAbs`]: the largest part of each matrix
//! - [`Pack`]: transposes, conjugates, keeps a triangle, divides by a power of two near the largest part, or multiplies
//! - [`Diagonal`]: says which Cholesky factors came to no number, of which libraries say nothing
//! - [`Rescale`]: multiplies singular values or eigenvalues back, and says which matrices were not finite

use std::fmt::Write;

use ndany_core::DType;

use crate::factor::number;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements along each side of a block's square.
pub const SIDE: usize = 32;

/// The largest size of a part of each matrix, of which a NaN is the largest: a maximum over words, from zeros.
///
/// Arguments: parts of a matrix, blocks of a matrix, the matrices, the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaxAbs {
    /// Of a number's parts: F32 or F64.
    pub part: DType,
}

impl MaxAbs {
    /// Parts of a block.
    pub const EACH: usize = 16 * BLOCK as usize;
}

impl Kernel for MaxAbs {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let (part, word) = match self.part {
            DType::F32 => ("f32", "u32"),
            _ => ("f64", "u64"),
        };
        let each = Self::EACH;
        let _ = write!(
            text,
            "struct Args {{\nu64 parts, blocks;\nconst {part}* from;\n{word}* largest;\n}};\n\
             KERNEL({BLOCK}) max_abs(const Args a) {{\n\
             SHARED {word} block_max;\n\
             if (thread() == 0) block_max = 0;\n\
             barrier();\n\
             const u64 number = block_x() / a.blocks, begin = (block_x() - number * a.blocks) * {each};\n\
             const u64 end = begin + {each} < a.parts ? begin + {each} : a.parts;\n\
             {word} most = 0;\n\
             for (u64 i = begin + thread(); i < end; i += {BLOCK}) {{\n\
             const {word} bits = bits_of(p_abs(a.from[number * a.parts + i]));\n\
             most = most < bits ? bits : most;\n\
             }}\n\
             atomic_max(&block_max, most);\n\
             barrier();\n\
             if (thread() == 0) atomic_max(&a.largest[number], block_max);\n\
             }}\n"
        );
        Source::new(&text, "max_abs")
    }
}

/// What of a matrix is kept; the rest becomes zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Triangle {
    /// Everything.
    #[default]
    All,
    /// The diagonal and what is below.
    Lower,
    /// The diagonal and what is above.
    Upper,
    /// Nothing: what is copied is the identity.
    Identity,
}

/// What happens to numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scaling {
    /// Nothing.
    #[default]
    None,
    /// They are divided by the power of two at or below the largest part of their matrix; nothing happens where it is
    /// not finite.
    Down,
    /// The same, but zeros where it is not finite: what iterates would not end.
    DownOrZero,
    /// They are multiplied by it; nothing happens where it is not finite.
    Up,
    /// They all become NaN where there is one in their matrix.
    Spoil,
}

/// Copies matrices.
///
/// Arguments: extents of the copy (rows, columns), elements from a row of the source to the next and from a matrix to
/// the next, the same of the copy, both addresses, that of the largest parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pack {
    /// F32, F64, C64 or C128.
    pub dtype: DType,
    /// Whether the copy is the transpose.
    pub transposed: bool,
    /// Whether it is conjugated.
    pub mirrored: bool,
    /// What of the copy is kept.
    pub keep: Triangle,
    /// What happens to numbers.
    pub scaling: Scaling,
}

impl Pack {
    /// A plain copy.
    pub fn of(dtype: DType) -> Self {
        let (keep, scaling) = (Triangle::All, Scaling::None);
        Self { dtype, transposed: false, mirrored: false, keep, scaling }
    }
}

impl Kernel for Pack {
    fn source(&self, dialect: &Dialect) -> Source {
        let Self { dtype, transposed, mirrored, .. } = *self;
        let mut text = Source::begin(dialect);
        let keep = match self.keep {
            Triangle::All => "ALL",
            Triangle::Lower => "LOWER",
            Triangle::Upper => "UPPER",
            Triangle::Identity => "IDENTITY",
        };
        let scaling = match self.scaling {
            Scaling::None => "NONE",
            Scaling::Down => "DOWN",
            Scaling::DownOrZero => "DOWN_OR_ZERO",
            Scaling::Up => "UP",
            Scaling::Spoil => "SPOIL",
        };
        let _ = writeln!(
            text,
            "#define THREADS {BLOCK}\n\
             enum {{ KEEP_ALL, KEEP_LOWER, KEEP_UPPER, KEEP_IDENTITY }};\n\
             enum {{ SCALING_NONE, SCALING_DOWN, SCALING_DOWN_OR_ZERO, SCALING_UP, SCALING_SPOIL }};\n\
             struct Args {{\n\
             u64 height, width, from_row, from_matrix, to_row, to_matrix;\n\
             const void* from;\nvoid* to;\nconst void* largest;\n\
             }};"
        );
        text.push_str(include_str!("device/numbers.h"));
        text.push_str(include_str!("device/pack.h"));
        let _ = writeln!(
            text,
            "typedef {} T;\n\
             struct Square {{ T at[SIDE][SIDE + 1]; }};\n\
             KERNEL({BLOCK}) pack_matrices(const Args a) {{\n\
             SHARED Square square;\n\
             pack_matrix<T, {transposed}, {mirrored}, KEEP_{keep}, SCALING_{scaling}>(a, square.at);\n\
             }}",
            number(dtype)
        );
        Source::new(&text, "pack_matrices")
    }
}

/// Multiplies values back; one block per matrix.
///
/// Arguments: values of a matrix, the values, the largest parts, the status words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rescale {
    /// F32 or F64.
    pub part: DType,
}

impl Kernel for Rescale {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let part = number(self.part);
        let _ = writeln!(
            text,
            "struct Args {{\nu64 count;\n{part}* values;\nconst {part}* largest;\ni32* status;\n}};"
        );
        text.push_str(include_str!("device/numbers.h"));
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) rescale(const Args a) {{\n\
             const u64 number = block_x();\n\
             const {part} largest = a.largest[number], power = power_of(largest);\n\
             for (u64 i = thread(); i < a.count; i += {BLOCK}) {{\n\
             a.values[number * a.count + i] = a.values[number * a.count + i] * power;\n\
             }}\n\
             if (thread() == 0 && !Limits<{part}>::finite(largest)) a.status[number] = 1;\n\
             }}"
        );
        Source::new(&text, "rescale")
    }
}

/// The first place on the diagonal that holds a NaN, counted from 1, becomes the status of a matrix that has none in
/// front of it; one block per matrix.
///
/// Arguments: rows, the matrices, the status words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagonal {
    /// F32, F64, C64 or C128.
    pub dtype: DType,
}

impl Kernel for Diagonal {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let part = number(self.dtype.part());
        let parts = self.dtype.size() / self.dtype.part().size();
        let _ = writeln!(
            text,
            "struct Args {{\nu64 rows;\nconst {part}* matrices;\ni32* status;\n}};\n\
             KERNEL({BLOCK}) diagonal(const Args a) {{\n\
             SHARED u32 first;\n\
             if (thread() == 0) first = ~0u;\n\
             barrier();\n\
             const {part}* own = a.matrices + (u64)block_x() * a.rows * a.rows * {parts};\n\
             for (u64 i = thread(); i < a.rows; i += {BLOCK}) {{\n\
             const {part} x = own[(i * a.rows + i) * {parts}];\n\
             if (x != x) atomic_min(&first, (u32)i + 1);\n\
             }}\n\
             barrier();\n\
             if (thread() == 0 && first != ~0u) {{\n\
             const i32 status = a.status[block_x()];\n\
             if (status == 0 || (u32)status > first) a.status[block_x()] = (i32)first;\n\
             }}\n}}"
        );
        Source::new(&text, "diagonal")
    }
}
