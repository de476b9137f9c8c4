//! How arrays lie under a kernel, as far as its text depends on it: which axes there are and where each array's
//! steps are none, one, or any. Extents, strides and addresses are arguments.
//!
//! An index map prints, for a position in an iteration space, the offsets of all arrays. The arguments of an index map
//! over `n` axes are the extents of all axes but the first, innermost first, as divisors, then, array by array and axis
//! by axis from the outermost, the strides that the text asks for ([`Stride::asks`]).

use std::fmt::Write;

use smallvec::SmallVec;

/// How an array steps along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stride {
    /// Not at all: the array does not vary.
    Zero,
    /// From neighbour to neighbour.
    One,
    /// By a stride that is an argument.
    Any,
}

impl Stride {
    /// Whether the stride is an argument.
    pub fn asks(self) -> bool {
        self == Stride::Any
    }

    /// What a stride is to the text of a kernel.
    pub fn of(stride: isize) -> Stride {
        match stride {
            0 => Stride::Zero,
            1 => Stride::One,
            _ => Stride::Any,
        }
    }
}

/// The steps of an array along each axis.
pub type StridePattern = SmallVec<[Stride; 8]>;

/// The steps of the arrays of a kernel through the axes of a space: `steps[array][axis]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexMap {
    /// Number of axes.
    pub axes: usize,
    /// Steps of each array along each axis, outermost first.
    pub steps: SmallVec<[StridePattern; 4]>,
    /// Whether positions and offsets need more than 31 bits.
    pub wide: bool,
}

impl IndexMap {
    /// The fields of the arguments, each a word but for narrow divisors, which are two.
    pub(crate) fn fields(&self, out: &mut String, name: &str) {
        let divisor = if self.wide { "u64" } else { "Divisor" };
        for axis in (1..self.axes).rev() {
            let _ = writeln!(out, "{divisor} {name}_extent{axis};");
        }
        for (array, steps) in self.steps.iter().enumerate() {
            for (axis, step) in steps.iter().enumerate() {
                if step.asks() {
                    let _ = writeln!(out, "i64 {name}_stride{array}_{axis};");
                }
            }
        }
    }

    /// The type of a position.
    pub(crate) fn position(&self) -> &'static str {
        if self.wide { "u64" } else { "u32" }
    }

    /// The type of an offset.
    pub(crate) fn offset(&self) -> &'static str {
        if self.wide { "i64" } else { "i32" }
    }

    /// Lines that define `{name}_at{array}`, the offset of each array at the variable `position`.
    pub(crate) fn offsets(&self, out: &mut String, name: &str, position: &str) {
        let ty = self.position();
        let varies = |axis: usize| self.steps.iter().any(|steps| steps[axis] != Stride::Zero);
        // Coordinates beyond the outermost axis along which some array steps are not needed.
        let outermost = (0..self.axes).find(|&axis| varies(axis)).unwrap_or(self.axes);
        let mut rest = position.to_string();
        for axis in (outermost..self.axes).rev() {
            if axis == 0 {
                let _ = writeln!(out, "const {ty} {name}_x0 = {rest};");
                break;
            }
            let quotient = format!("{name}_q{axis}");
            let extent = format!("a.{name}_extent{axis}");
            let _ = writeln!(out, "const {ty} {quotient} = divide({rest}, {extent});");
            if varies(axis) {
                let _ = writeln!(
                    out,
                    "const {ty} {name}_x{axis} = {rest} - {quotient} * extent_of({extent});"
                );
            }
            rest = quotient;
        }
        let offset = self.offset();
        for (array, steps) in self.steps.iter().enumerate() {
            let terms: Vec<String> = steps
                .iter()
                .enumerate()
                .filter_map(|(axis, step)| match step {
                    Stride::Zero => None,
                    Stride::One => Some(format!("({offset}){name}_x{axis}")),
                    Stride::Any => Some(format!(
                        "({offset}){name}_x{axis} * ({offset})a.{name}_stride{array}_{axis}"
                    )),
                })
                .collect();
            let sum = if terms.is_empty() { "0".to_string() } else { terms.join(" + ") };
            let _ = writeln!(out, "const {offset} {name}_at{array} = {sum};");
        }
    }
}
