//! The capability of Fourier transforms: many rows at a time.
//!
//! A device may lack it. Rows lie packed, and a transform goes along each: element after element, one row after the
//! other, or where a device takes them so, several rows side by side, as columns lie. What lies otherwise, lengths that
//! differ from the array's and transforms over several axes are core's. Results carry a bound, not promised bits.
//!
//! Deliberately absent: 16-bit floats, and transforms in place.

use std::fmt::Debug;

use super::checked::{Check, Refusal};
use super::{Checked, ContiguousView};
use crate::dtype::DType;
use crate::error::{Error, Result};

/// What becomes of a row of n elements. `w` is `exp(2πi/n)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transformation {
    /// n complex numbers → n: `y[k] = Σ x[j] w^(-jk)`.
    Forward,
    /// n complex numbers → n: `y[k] = Σ x[j] w^(jk)`.
    Backward,
    /// n real numbers → the first n/2 + 1 of `Forward`.
    RealToHalf,
    /// The first n/2 + 1 of n complex numbers, of which number n - j is the conjugate of number j → n real ones, as
    /// `Backward`. The imaginary part of the first, and of number n/2 where n is even, counts as zero.
    HalfToReal,
}

impl Transformation {
    /// Elements of a row of the input and of the output, where n is `length`.
    pub fn extents(self, length: usize) -> [usize; 2] {
        let half = length / 2 + 1;
        match self {
            Transformation::Forward | Transformation::Backward => [length; 2],
            Transformation::RealToHalf => [length, half],
            Transformation::HalfToReal => [half, length],
        }
    }

    /// Dtypes of the input and of the output, where real numbers are of `part`.
    pub fn dtypes(self, part: DType) -> [DType; 2] {
        let complex = if part == DType::F32 { DType::C64 } else { DType::C128 };
        match self {
            Transformation::Forward | Transformation::Backward => [complex; 2],
            Transformation::RealToHalf => [part, complex],
            Transformation::HalfToReal => [complex, part],
        }
    }
}

/// Rows to transform.
#[derive(Clone, Debug)]
pub struct Transform<'a> {
    /// What to do.
    pub kind: Transformation,
    /// Of a real number, or of a complex one's parts: F32 or F64.
    pub part: DType,
    /// Number of rows, not 0.
    pub rows: usize,
    /// How many rows of the input lie side by side: the first elements of all, then the second ones; 1 where one row is
    /// after the other. Divides the number of rows.
    pub beside: usize,
    /// Whether rows of the output lie side by side, as the columns of a matrix: the first elements of all, then the second ones. Only
    /// where the device [writes them so](Fourier::writes_rows_side_by_side).
    pub across: bool,
    /// n, not 0.
    pub length: usize,
    /// What results are multiplied by.
    pub scale: f64,
    /// Not changed.
    pub input: ContiguousView<'a>,
    /// Not the input.
    pub output: ContiguousView<'a>,
}

impl Transform<'_> {
    /// Elements of a row of the input and of the output.
    pub fn extents(&self) -> [usize; 2] {
        self.kind.extents(self.length)
    }

    /// Dtypes of the input and of the output.
    pub fn dtypes(&self) -> [DType; 2] {
        self.kind.dtypes(self.part)
    }

    /// An error for a device that takes, or writes, no rows that lie side by side, where the transform has some.
    pub fn one_after_the_other(&self, takes: bool, writes: bool) -> Result<()> {
        if (takes || self.beside == 1) && (writes || !self.across) {
            return Ok(());
        }
        let reason = "this device has no transforms of rows that lie side by side".to_string();
        Err(Error::Unsupported { op: "transform".to_string(), reason })
    }
}

/// A device that transforms.
pub trait Fourier: Debug {
    /// Whether it takes rows that lie side by side. Core copies them otherwise.
    fn takes_rows_side_by_side(&self) -> bool {
        false
    }

    /// Whether it can write this many rows side by side, and is the quicker for it: transforms along several axes then need no copies
    /// in between.
    fn writes_rows_side_by_side(
        &self,
        _kind: Transformation,
        _part: DType,
        _length: usize,
        _rows: usize,
    ) -> bool {
        false
    }

    /// Transforms rows, of any length.
    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()>;
}

impl Check for Transform<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("transform");
        let Self { part, rows, beside, length, .. } = *self;
        refusal.shape(&[rows, length])?;
        refusal.unless(matches!(part, DType::F32 | DType::F64), || {
            format!("dtype of parts: expected f32 or f64, got {part}")
        })?;
        refusal.unless(beside > 0 && rows.is_multiple_of(beside), || {
            format!("{beside} rows side by side: expected a divisor of {rows}")
        })?;
        let ([taken, made], [from, to]) = (self.extents(), self.dtypes());
        refusal.pieces("input", &self.input, [rows, taken], from)?;
        refusal.pieces("output", &self.output, [rows, made], to)
    }
}
