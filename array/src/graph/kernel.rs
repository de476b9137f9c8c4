//! Kernels made of closures, in the graph: code that is recorded in the program that computes the result.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::node::{
    Arg, Constant, Expr, KernelExpr, KernelReduction, ReduceExpr, ReduceKind, Siblings,
};
use super::{
    Array, Launched, Operand, device_of, in_order, introduce, launched, reduction, submit,
};
use crate::device::Device;
use ndany_core::program::{Body, Builder, Combine, Domain, Op, Output, Reduction, SsaValue};
use ndany_core::shape::{Shape, axis_index};
use ndany_core::{CallSite, DType, Error, Result, ShapeText};

/// What a kernel asks of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The position of the element in the result, or in the row of a reduction: no argument, but an instruction.
    Index,
    /// The number of elements of the result, or of the row of a reduction.
    Size,
    /// The extent of an axis.
    Extent(isize),
    /// How many elements there are for each position along an axis: the product of the extents after it.
    Inner(isize),
    /// The number of elements of an operand that is read by position.
    OperandSize(u8),
    /// The extent of an axis of such an operand, which has `ndim` axes.
    OperandExtent { operand: u8, axis: u8, ndim: u8 },
    /// The number of elements of such an operand, which has some.
    Elements(u8),
}

impl Fact {
    /// Whether it depends on the order of axes.
    fn is_of_axes(self) -> bool {
        match self {
            Fact::Index | Fact::Extent(_) | Fact::Inner(_) => true,
            Fact::Size | Fact::OperandSize(_) | Fact::OperandExtent { .. } | Fact::Elements(_) => {
                false
            }
        }
    }

    /// The argument that it is, of a launch of this shape; none for an index.
    pub(crate) fn argument(
        self,
        op: &'static str,
        shape: &[usize],
        wholes: &[(u8, Array)],
    ) -> Result<Option<Arg>> {
        let whole = |operand: u8| match wholes.iter().find(|(own, _)| *own == operand) {
            Some((_, array)) => array.shape(),
            None => unreachable!("the closure was given operand {operand} as a whole one"),
        };
        let refuse = |reason| Err(Error::Arguments { op: op.to_string(), reason });
        let value = match self {
            Fact::Index => return Ok(None),
            Fact::Size => shape.iter().product(),
            Fact::Extent(axis) => shape[axis_index(op, axis, shape.len())?],
            Fact::Inner(axis) => shape[axis_index(op, axis, shape.len())? + 1..].iter().product(),
            Fact::OperandSize(operand) => whole(operand).iter().product(),
            Fact::OperandExtent { operand, axis, ndim } => {
                let shape = whole(operand);
                if shape.len() != usize::from(ndim) {
                    let got = ShapeText::from(shape);
                    return refuse(format!(
                        "operand {operand} is read at {ndim} positions: expected as many axes, got shape {got}"
                    ));
                }
                shape[usize::from(axis)]
            }
            Fact::Elements(operand) => {
                let own = whole(operand);
                if own.contains(&0) && !shape.contains(&0) {
                    let got = ShapeText::from(own);
                    return refuse(format!("operand {operand} has no elements: shape {got}"));
                }
                own.iter().product()
            }
        };
        let value: usize = value;
        Ok(Some(Arg::Scalar(Constant { dtype: DType::I64, bits: [value as u64, 0] })))
    }
}

/// The code of a kernel for operands of certain dtypes.
#[derive(Debug)]
pub(crate) struct TracedKernel {
    /// Its name, for errors.
    pub(crate) name: &'static str,
    /// The dtypes to which operands, and parameters after them, are converted. Their registers are the arguments of `body`,
    /// two of a complex number.
    pub(crate) operands: SmallVec<[DType; 4]>,
    pub(crate) outputs: SmallVec<[TracedOutput; 2]>,
    pub(crate) body: Body,
    /// What it asks of the launch: arguments after the parameters.
    pub(crate) facts: SmallVec<[Fact; 2]>,
    /// Whether an element may have no result.
    pub(crate) fails: bool,
    /// How many operations it counts as, at most as many as may wait in front of a value.
    pub(crate) steps: u32,
}

/// A result of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedOutput {
    pub(crate) dtype: DType,
    /// Which result of the body is its (real) part.
    pub(crate) first: usize,
}

impl TracedOutput {
    /// The output of a program that it is, of these results of the body.
    pub(crate) fn written(&self, results: &[SsaValue<'_>], domain: Domain) -> Output {
        let last = self.first + usize::from(self.dtype.is_complex());
        let parts = [results[self.first].reg(), results[last].reg()];
        Output { dtype: self.dtype, parts, domain }
    }
}

impl TracedKernel {
    /// Asks for the results. The operands are taken out of the slice.
    ///
    /// # Errors
    /// Shapes that do not broadcast, operands on two devices, a number that its dtype does not hold.
    #[track_caller]
    pub(crate) fn ask(
        self: &Arc<Self>,
        operands: &mut [Operand],
        mut wholes: SmallVec<[(u8, Array); 1]>,
    ) -> Result<SmallVec<[Array; 2]>> {
        let largest = largest(&self.outputs);
        // Positions count along the axes as they are.
        let wholes_device = match wholes.as_slice() {
            [] => None,
            wholes => Some(one_device(self.name, operands, wholes)?),
        };
        let Launched { shape, device, mut args, axes } =
            match self.facts.iter().any(|fact| fact.is_of_axes()) {
                true => in_order(self.name, operands, &self.operands, largest)?,
                false => launched(self.name, operands, &self.operands, largest)?,
            };
        // Where no other operand is an array, those that are read by position say where it is computed.
        let device = wholes_device.unwrap_or(device);
        for fact in &self.facts {
            args.extend(fact.argument(self.name, &shape, &wholes)?);
        }
        let origin = CallSite::caller();
        for (_, array) in wholes.iter_mut().filter(|(_, array)| array.size() == 0) {
            // An operand has memory. Of this element nothing is read, as its number of elements is a fact by now.
            let zero = Constant { dtype: array.dtype(), bits: [0; 2] };
            let (shape, expr) = (Shape::from_slice(&[1]), Expr::Fill(zero.into()));
            *array = submit(shape, zero.dtype, device.clone(), origin, expr);
        }
        if let [only] = self.outputs.as_slice() {
            let (kernel, output, siblings) = (self.clone(), 0, None);
            let expr = KernelExpr { kernel, args, wholes, output, siblings };
            let expr = Expr::Kernel(Box::new(expr));
            let result = submit(shape, only.dtype, device, origin, expr);
            return Ok(smallvec![result.unordered(axes.as_deref())]);
        }
        let siblings = Arc::new(Siblings::new());
        let results: SmallVec<[Array; 2]> = (0..self.outputs.len())
            .map(|output| {
                let wholes = wholes.clone();
                let (kernel, args, siblings) = (self.clone(), args.clone(), siblings.clone());
                let siblings = Some(siblings);
                let own = KernelExpr { kernel, args, wholes, output, siblings };
                let expr = Expr::Kernel(Box::new(own));
                submit(shape.clone(), self.outputs[output].dtype, device.clone(), origin, expr)
            })
            .collect();
        introduce(&siblings, &results.iter().collect::<SmallVec<[_; 2]>>());
        Ok(results.into_iter().map(|result| result.unordered(axes.as_deref())).collect())
    }

    /// Whether it asks for positions in the result.
    pub(crate) fn asks_position(&self) -> bool {
        self.facts.contains(&Fact::Index)
    }
}

/// The device of all operands, those that are read by position among them.
fn one_device(op: &'static str, operands: &[Operand], wholes: &[(u8, Array)]) -> Result<Device> {
    let mut all: SmallVec<[Operand; 4]> = operands.iter().cloned().collect();
    all.extend(wholes.iter().map(|(_, array)| Operand::from(array)));
    device_of(op, &all)
}

/// The largest dtype of the results.
fn largest(outputs: &[TracedOutput]) -> DType {
    let dtypes = outputs.iter().map(|output| output.dtype);
    dtypes.max_by_key(|dtype| dtype.size()).unwrap_or(DType::Bool)
}

/// The code of a reduction for operands of certain dtypes.
#[derive(Debug)]
pub(crate) struct TracedReduction {
    /// Its name, for errors.
    pub(crate) name: &'static str,
    /// As in [`TracedKernel`].
    pub(crate) operands: SmallVec<[DType; 4]>,
    pub(crate) outputs: SmallVec<[TracedOutput; 2]>,
    /// From the operands, and numbers after them, to the state of an element.
    pub(crate) lift: Body,
    pub(crate) combine: Combine,
    /// From the state of a row, and numbers after it, to the results.
    pub(crate) finish: Body,
    /// Which argument of `lift` is the first number: a parameter, or what is asked of the launch.
    pub(crate) numbers: usize,
    pub(crate) facts: SmallVec<[Fact; 2]>,
    /// Whether an element, or a row, may have no result.
    pub(crate) fails: bool,
    pub(crate) steps: u32,
}

impl TracedReduction {
    /// Records the code as reduction `number` of a program, of these arguments: what is reduced, and the results.
    pub(super) fn inline<'b>(
        &self,
        builder: &'b Builder,
        arguments: &[SsaValue<'b>],
        number: usize,
    ) -> (Reduction, SmallVec<[SsaValue<'b>; 4]>) {
        let state = |part| Op::Reduced { reduction: number as u16, part };
        self.inline_with(builder, arguments, state)
    }

    /// Records the code as the scan of a program, whose results are made of the running states.
    pub(super) fn inline_scan<'b>(
        &self,
        builder: &'b Builder,
        arguments: &[SsaValue<'b>],
    ) -> (Reduction, SmallVec<[SsaValue<'b>; 4]>) {
        self.inline_with(builder, arguments, Op::Running)
    }

    /// Records the code, where `state` reads a part of the combined states.
    fn inline_with<'b>(
        &self,
        builder: &'b Builder,
        arguments: &[SsaValue<'b>],
        state: impl Fn(u8) -> Op,
    ) -> (Reduction, SmallVec<[SsaValue<'b>; 4]>) {
        let lifted = builder.inline(&self.lift, arguments);
        let states = lifted.iter().enumerate();
        let states = states.map(|(part, term)| builder.push(state(part as u8), term.ty(), [0; 3]));
        let mut finished: SmallVec<[SsaValue<'b>; 8]> = states.collect();
        // Numbers follow the operands, and the state.
        finished.extend_from_slice(&arguments[self.numbers..]);
        let results = builder.inline(&self.finish, &finished);
        let lifted = lifted.iter().map(|term| term.reg()).collect();
        (Reduction { lifted, combine: self.combine.clone() }, results)
    }

    /// The operands together, which are taken out of the slice.
    ///
    /// # Errors
    /// Shapes that do not broadcast, operands on two devices, a number that its dtype does not hold.
    pub(crate) fn together(&self, operands: &mut [Operand]) -> Result<Launched> {
        in_order(self.name, operands, &self.operands, largest(&self.outputs))
    }

    /// Asks for the results over these axes, which are sorted and valid; empty rows have been dealt with.
    ///
    /// # Errors
    /// None but those of facts about axes.
    #[track_caller]
    pub(crate) fn ask(
        self: &Arc<Self>,
        together: Launched,
        axes: &[usize],
    ) -> Result<SmallVec<[Array; 2]>> {
        let Launched { shape, device, args, .. } = together;
        let mut args: SmallVec<[Arg; 2]> = args.into_iter().collect();
        let row: SmallVec<[usize; 4]> = axes.iter().map(|&axis| shape[axis]).collect();
        for fact in &self.facts {
            args.extend(fact.argument(self.name, &row, &[])?);
        }
        let siblings = (self.outputs.len() > 1).then(|| Arc::new(Siblings::new()));
        let origin = CallSite::caller();
        let results: SmallVec<[Array; 2]> = (0..self.outputs.len())
            .map(|output| {
                let (kernel, siblings) = (self.clone(), siblings.clone());
                let kind = ReduceKind::Kernel(KernelReduction { kernel, output, siblings });
                let expr = ReduceExpr { kind, args: args.clone(), axes: axes.into() };
                reduction(expr, self.outputs[output].dtype, device.clone(), origin)
            })
            .collect();
        if let Some(siblings) = siblings {
            introduce(&siblings, &results.iter().collect::<SmallVec<[_; 2]>>());
        }
        Ok(results)
    }
}
