//! Operands that are read by position.

use ndany_core::ops::lowering::LoweredValue;
use ndany_core::program::{Op, Prim, RegType, SsaValue, WHOLE};
use ndany_core::{DType, Kind};
use smallvec::SmallVec;

use super::scope::{Part, Scope};
use super::val::{KernelOperand, Val};
use crate::graph::kernel::Fact;
use crate::scalar::Scalar;

/// What a kernel reads where an operand has no element; see [`Val::at`]. Positions count from 0: -1 is out of range.
#[derive(Clone, Copy, Debug, Default)]
pub enum OutOfRange<'k> {
    /// It is an error of the launch, which names the operand, the axis and the position.
    #[default]
    Error,
    /// The nearest element along each axis.
    Clamp,
    /// Positions are taken modulo the extent.
    Wrap,
    /// This value, converted to the dtype of the operand.
    Fill(KernelOperand<'k>),
}

impl<'k> OutOfRange<'k> {
    /// Makes [`OutOfRange::Fill`] of a value or number.
    ///
    /// ```
    /// use ndany::{kernel::{OutOfRange, elementwise}, prelude::*};
    /// let next = elementwise("next", |k, [x, all]| [all.at((k.index() + 1, OutOfRange::fill(0))) - x]).whole(1);
    /// let x = array([1, 4, 9]);
    /// assert_eq!(next.call([&x, &x])[0].to_string(), "[ 3  5 -9]");
    /// ```
    pub fn fill(value: impl Into<KernelOperand<'k>>) -> Self {
        Self::Fill(value.into())
    }
}

/// Where an operand is read: one position in C order, or one per axis; what is read elsewhere.
#[derive(Clone, Debug)]
pub struct KernelPositions<'k> {
    positions: SmallVec<[KernelOperand<'k>; 3]>,
    /// Whether there is one for each axis.
    per_axis: bool,
    outside: OutOfRange<'k>,
}

/// What [`Val::at`] takes: a position in C order, an array of one position for each axis, or either with [`OutOfRange`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position",
    label = "expected an integer value, an array of one for each axis, or a pair of either and `OutOfRange`"
)]
pub trait IntoKernelPositions<'k> {
    /// The positions.
    #[doc(hidden)]
    fn into_positions(self) -> KernelPositions<'k>;
}

impl<'k> KernelPositions<'k> {
    /// The positions, if no rule says what is read elsewhere.
    pub(super) fn without_rule(&self) -> Option<&[KernelOperand<'k>]> {
        matches!(self.outside, OutOfRange::Error).then_some(&self.positions)
    }

    fn flat(position: KernelOperand<'k>) -> Self {
        let positions = SmallVec::from_elem(position, 1);
        Self { positions, per_axis: false, outside: OutOfRange::Error }
    }
}

impl<'k> IntoKernelPositions<'k> for Val<'k> {
    fn into_positions(self) -> KernelPositions<'k> {
        KernelPositions::flat(self.into())
    }
}

impl<'k> IntoKernelPositions<'k> for i64 {
    fn into_positions(self) -> KernelPositions<'k> {
        KernelPositions::flat(self.into())
    }
}

impl<'k, T: Into<KernelOperand<'k>>, const N: usize> IntoKernelPositions<'k> for [T; N] {
    fn into_positions(self) -> KernelPositions<'k> {
        let positions = self.into_iter().map(Into::into).collect();
        KernelPositions { positions, per_axis: true, outside: OutOfRange::Error }
    }
}

impl<'k, P: IntoKernelPositions<'k>> IntoKernelPositions<'k> for (P, OutOfRange<'k>) {
    fn into_positions(self) -> KernelPositions<'k> {
        KernelPositions { outside: self.1, ..self.0.into_positions() }
    }
}

impl<'k> Val<'k> {
    /// Reads an element of a whole operand: at a position in C order, or at one for each axis, as `raw` operands of CuPy.
    ///
    /// The operand is declared by [`Elementwise::whole`](super::Elementwise::whole). Positions are integers from 0 on;
    /// [`OutOfRange`] beside them says what is read elsewhere. They may depend on values, also in loops. In a
    /// [`stencil`](fn@super::stencil) they are constants: offsets from the place of the result, one for each axis.
    ///
    /// ```
    /// use ndany::{kernel::{OutOfRange, elementwise}, prelude::*};
    /// // The mean of the neighbours in a row; the edges are repeated.
    /// let smooth = elementwise("smooth", |k, [x, all]| {
    ///     let (i, j) = (k.coordinate(0), k.coordinate(1));
    ///     let near = |step: i64| all.at(([i, j + step], OutOfRange::Clamp));
    ///     [(near(-1) + x + near(1)) / 3]
    /// })
    /// .whole(1);
    /// let x = array([[3.0, 6.0, 0.0]]);
    /// assert_eq!(smooth.call([&x, &x])[0].to_string(), "[[4. 3. 2.]]");
    /// ```
    pub fn at(self, positions: impl IntoKernelPositions<'k>) -> Val<'k> {
        self.scope.read(self, positions.into_positions())
    }
}

impl Scope {
    /// A whole operand of this dtype, which has no value of its own.
    pub(super) fn whole(&self, operand: u8, dtype: DType) -> Val<'_> {
        Val { operand: Some(operand), ..self.placeholder(dtype) }
    }

    /// Reads an element of a whole operand.
    fn read<'k>(&'k self, whole: Val<'k>, wanted: KernelPositions<'k>) -> Val<'k> {
        if self.part == Part::Stencil {
            return self.read_at_offset(whole, wanted);
        }
        let dtype = whole.dtype;
        if !self.only_in(&[Part::Elementwise], "operands read by position", "read in a kernel") {
            return self.placeholder(dtype);
        }
        let Some(operand) = whole.operand else {
            let remedy = "declare the operand with whole, then read it at positions";
            self.refuse(format!("a value of one element is read at a position: {remedy}"));
            return self.placeholder(dtype);
        };
        let KernelPositions { positions, per_axis, outside } = wanted;
        let ndim = positions.len();
        if ndim == 0 || ndim >= usize::from(WHOLE) {
            self.refuse(format!(
                "operand {operand} is read at {ndim} positions: expected one or more"
            ));
            return self.placeholder(dtype);
        }
        // Of no elements, none is near.
        let size = match outside {
            OutOfRange::Clamp | OutOfRange::Wrap => Fact::Elements(operand),
            OutOfRange::Error | OutOfRange::Fill(_) => Fact::OperandSize(operand),
        };
        let size = self.fact(size).value.real();
        let mut flat: Option<SsaValue<'k>> = None;
        let mut inside: Option<SsaValue<'k>> = None;
        for (axis, position) in positions.into_iter().enumerate() {
            let (axis, extent) = match per_axis {
                true => {
                    let (axis, ndim) = (axis as u8, ndim as u8);
                    (axis, self.fact(Fact::OperandExtent { operand, axis, ndim }).value.real())
                }
                false => (WHOLE, size),
            };
            let position = self.position(operand, position);
            let position = match outside {
                OutOfRange::Error => {
                    let args = [position.reg(), extent.reg(), 0];
                    self.builder.push(Op::BoundsCheck { operand, axis }, RegType::I64, args)
                }
                OutOfRange::Clamp => {
                    let (zero, one) = (position.zero(), self.builder.int(RegType::I64, 1));
                    let low = self.builder.prim(Prim::Max, &[position, zero]);
                    self.builder.prim(Prim::Min, &[low, extent - one])
                }
                OutOfRange::Wrap => {
                    let inside = position.bitcast(RegType::U64).lt(extent.bitcast(RegType::U64));
                    let rest = position % extent;
                    let below = rest.lt(rest.zero());
                    let wrapped = below.select(rest + extent, rest);
                    // Most positions are within, and a remainder takes longer than all else.
                    self.builder.prim(Prim::SelectSlowPath, &[!inside, wrapped, position])
                }
                OutOfRange::Fill(_) => {
                    // Negative positions are the largest of all without a sign.
                    let own = position.bitcast(RegType::U64).lt(extent.bitcast(RegType::U64));
                    inside = Some(inside.map_or(own, |inside| inside & own));
                    position
                }
            };
            flat = Some(flat.map_or(position, |flat| flat * extent + position));
        }
        let Some(flat) = flat else { unreachable!("there is a position") };
        let part = |part| {
            let op = Op::Gather { input: u16::from(operand), part };
            self.builder.push(op, RegType::of(dtype), [flat.reg(), size.reg(), 0])
        };
        let value = match dtype.is_complex() {
            true => LoweredValue::Complex(part(0), part(1)),
            false => LoweredValue::Real(part(0).mark(dtype)),
        };
        let value = self.val(value, dtype);
        match (outside, inside) {
            (OutOfRange::Fill(fill), Some(inside)) => {
                let fill = match fill {
                    KernelOperand::Val(fill) => self.convert(fill, dtype),
                    KernelOperand::Scalar(number) => self.number(&number, dtype),
                };
                let inside = self.val(LoweredValue::Real(inside), DType::Bool);
                self.choose(inside, value.into(), fill.into())
            }
            _ => value,
        }
    }

    /// A position as an int64.
    fn position<'k>(&'k self, operand: u8, position: KernelOperand<'k>) -> SsaValue<'k> {
        match position {
            KernelOperand::Scalar(number) => self.number(&number, DType::I64).value.real(),
            KernelOperand::Val(value) if value.dtype.kind() == Kind::Int => {
                self.convert(value, DType::I64).value.real()
            }
            KernelOperand::Val(value) => {
                let got = value.dtype;
                self.refuse(format!(
                    "operand {operand} is read at a position of {got}: expected an integer, convert with astype"
                ));
                self.number(&Scalar::from(0), DType::I64).value.real()
            }
        }
    }
}

#[cfg(test)]
mod tests;
