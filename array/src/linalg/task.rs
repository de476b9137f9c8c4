//! How a function asks the device to factor: dtypes and shapes checked, matrices packed, outcomes read.

use std::sync::Arc;

use crate::arguments::over;
use crate::array::Array;
pub(super) use crate::array::matrices::{extents, square};
use crate::buffer::Buffer;
use crate::elementwise::try_where;
use crate::graph::node::Node;
use crate::recording;
use ndany_core::backend::{
    Checked, Factor, Factoring, Launch, Map, Origin, PositionMeaning, StridedView,
};
use ndany_core::ops::reductions as table;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, RegType, WHOLE};
use ndany_core::shape::{Shape, checked_size, size_of};
use ndany_core::{CallSite, DType, Error, Result};
use smallvec::{SmallVec, smallvec};

/// The array in a dtype that linear algebra knows.
#[track_caller]
pub(super) fn inexact(op: &'static str, array: &Array) -> Result<Array> {
    let array = array.as_floats()?;
    if array.dtype().size() == 2 {
        let remedy = "convert to float32 or float64 first";
        return Err(Error::DTypes { op, dtypes: array.dtype().to_string(), remedy });
    }
    Ok(array)
}

/// What a factorization came to: its outputs and, for each matrix, LAPACK's `info`.
pub(super) struct Outcome {
    pub(super) outputs: Vec<Array>,
    outer: Shape,
    status: Array,
}

impl Outcome {
    /// Of matrices without elements: they themselves.
    pub(super) fn empty(matrices: &Array) -> Result<Self> {
        let _guard = matrices.device().enter();
        let outer = Shape::from_slice(&matrices.shape()[..matrices.ndim() - 2]);
        let status = crate::array::try_zeros(size_of(&outer), DType::I32)?;
        Ok(Self { outputs: vec![matrices.clone()], outer, status })
    }

    /// Whether all matrices were factored. Waits for the device, so a graph does not record it.
    pub(super) fn all_succeeded(&self) -> Result<bool> {
        Ok(self.status.to_vec::<i32>()?.iter().all(|&status| status == 0))
    }

    /// Which matrices were factored.
    pub(super) fn succeeded(&self) -> Result<Array> {
        self.status.try_reshape(self.outer.as_slice())?.try_equal(0)
    }

    /// [`kept`](Self::kept), but where a matrix has infinities and no NaN, which LAPACK's iterations take, results are NaN.
    #[track_caller]
    pub(super) fn checked_or_nan(
        mut self,
        op: &'static str,
        reason: &'static str,
        matrices: &Array,
    ) -> Result<Vec<Array>> {
        let recorded = recording::is_active();
        if !recorded && self.all_succeeded()? {
            return Ok(self.outputs);
        }
        let mut taken = is_infinite(matrices)?;
        if recorded {
            taken = taken.try_logical_and(self.status.try_not_equal(0)?.try_any(..)?)?;
        }
        let zero = self.status.try_zeros_like()?;
        self.status = try_where(&taken.try_ravel()?, &zero, &self.status)?;
        let outer = self.outer.len();
        let mut outputs = self.kept(op, reason)?;
        for output in &mut outputs {
            let after: Vec<isize> = (outer..output.ndim()).map(|axis| axis as isize).collect();
            let taken = taken.try_expand_dims(after.as_slice())?;
            *output = try_where(&taken, f64::NAN, &*output)?.try_astype(output.dtype())?;
        }
        Ok(outputs)
    }

    /// The outputs, if all went well; `reason` says what is wrong with a matrix otherwise.
    pub(super) fn checked(self, op: &'static str, reason: &'static str) -> Result<Vec<Array>> {
        match self.failure(op, reason)? {
            None => Ok(self.outputs),
            Some(error) => Err(error),
        }
    }

    /// The outputs. Where a matrix is wrong they hold the error, which `reason` says, and it comes out when they are read.
    #[track_caller]
    pub(super) fn kept(self, op: &'static str, reason: &'static str) -> Result<Vec<Array>> {
        match self.failure(op, reason)? {
            None => Ok(self.outputs),
            Some(error) => {
                Ok(self.outputs.iter().map(|output| output.with_error(op, error.clone())).collect())
            }
        }
    }

    /// What is wrong with the first matrix that did not come off. A graph that is recorded does not wait: there the outputs
    /// carry the error.
    #[track_caller]
    pub(super) fn failure(&self, op: &'static str, reason: &'static str) -> Result<Option<Error>> {
        if recording::is_active() {
            let (outer, location) = (self.outer.clone(), CallSite::caller());
            let error = move |number: usize| failed(op, reason, &outer, number);
            return carry(op, &self.outputs, &self.status, error, location).map(|()| None);
        }
        let status = self.status.to_vec::<i32>()?;
        let number = status.iter().position(|&status| status != 0);
        Ok(number.map(|number| failed(op, reason, &self.outer, number)))
    }
}

/// The error of a matrix of a batch.
fn failed(op: &'static str, reason: &'static str, outer: &[usize], number: usize) -> Error {
    let mut rest = number;
    let mut matrix: Vec<usize> = outer
        .iter()
        .rev()
        .map(|extent| {
            let place = rest % extent;
            rest /= extent;
            place
        })
        .collect();
    matrix.reverse();
    Error::Factorization { op, reason, matrix }
}

/// Has outputs carry an error where the status of a matrix is not 0, without a wait: a launch writes the first element of
/// each matrix over itself, and fails as the status says.
fn carry(
    op: &'static str,
    outputs: &[Array],
    status: &Array,
    error: impl Fn(usize) -> Error + Send + Sync + 'static,
    location: CallSite,
) -> Result<()> {
    let batch = status.size();
    if batch == 0 {
        return Ok(());
    }
    // Positions from 1 on are out of range, and the lowest one counts.
    let meaning = PositionMeaning(Arc::new(move |position| error((position as usize).max(1) - 1)));
    let one: SmallVec<[u64; 4]> = SmallVec::from_slice(&[1]);
    let axes: &[usize] = if batch == 1 { &[] } else { &[batch] };
    let status = status.buffer()?;
    for output in outputs.iter().filter(|output| output.size() > 0) {
        let (dtype, buffer) = (output.dtype(), output.buffer()?);
        let strides = |step: isize| axes.iter().map(|_| step).collect();
        let own = || StridedView {
            memory: buffer.memory(),
            dtype,
            offset: 0,
            strides: strides((output.size() / batch) as isize),
        };
        let of_status = StridedView {
            memory: status.memory(),
            dtype: DType::I32,
            offset: 0,
            strides: strides(1),
        };
        let program = carrying(dtype);
        let launch = Launch {
            program: Checked::new(&program)?,
            prepared: None,
            shape: Shape::from_slice(axes),
            row_axes: 0,
            inputs: smallvec![of_status, own()],
            scalars: one.clone(),
            outputs: smallvec![own()],
            made_of: Vec::new(),
            origin: Some(Origin {
                op,
                shape: output.shape(),
                dtype,
                location,
                meaning: Some(&meaning),
            }),
            slot: None,
        };
        output.device().backend().map(Checked::new(&Map { launch: &launch })?)?;
    }
    Ok(())
}

/// The program of such a launch: a status and an element give the element, or a fault at the matrix's number, from 1 on.
fn carrying(dtype: DType) -> Program {
    let b = Builder::new();
    let mut program = Program::default();
    for dtype in [DType::I32, dtype] {
        program.inputs.push(Input { dtype, domain: Domain::Element });
    }
    program.scalars.push(RegType::I64);
    let status = b.push(Op::Load { input: 0, part: 0 }, RegType::I32, [0; 3]);
    let bound = b.push(Op::Scalar(0), RegType::I64, [0; 3]);
    let number = b.push(Op::Index, RegType::I64, [0; 3]) + b.int(RegType::I64, 1);
    let fine = b.prim(Prim::Eq, &[status, b.int(RegType::I32, 0)]);
    let position = fine.select(b.int(RegType::I64, 0), number);
    let check = Op::BoundsCheck { operand: 0, axis: WHOLE };
    let position = b.push(check, RegType::I64, [position.reg(), bound.reg(), 0]);
    let first = position.lt(bound);
    let ty = RegType::of(dtype);
    let value = |part: u8| {
        let value = b.push(Op::Load { input: 1, part }, ty, [0; 3]);
        first.select(value, value).reg()
    };
    let real = value(0);
    let parts = [real, if dtype.is_complex() { value(1) } else { real }];
    program.outputs.push(Output { dtype, parts, domain: Domain::Element });
    b.move_to(&mut program);
    program
}

/// Which matrices hold infinities, but no NaN.
pub(super) fn is_infinite(matrices: &Array) -> Result<Array> {
    let some = |found: Array| found.reduce(&table::ANY, over([-2isize, -1]));
    let nan = some(matrices.try_isnan()?)?;
    some(matrices.try_isinf()?)?.try_logical_and(nan.try_logical_not()?)
}

/// Factors a batch; each input has the same extents in front. `tails` are the shapes of outputs after those. No matrix
/// is empty, but the batch may be.
#[track_caller]
pub(super) fn factor(
    op: &'static str,
    task: Factoring,
    inputs: &[&Array],
    tails: &[&[usize]],
) -> Result<Outcome> {
    let a = inputs[0];
    let (outer, [rows, columns]) = extents(op, a)?;
    let device = a.device().clone();
    let capable = device.backend().linear_algebra().filter(|algebra| algebra.can(task));
    let Some(algebra) = capable else {
        let reason = format!("{} has no such factorization", device.name());
        return Err(Error::Unsupported { op: op.to_string(), reason });
    };
    let batch = size_of(outer);
    let packed: Vec<Array> = inputs.iter().map(|input| input.packed()).collect::<Result<_>>()?;
    let buffers: Vec<Buffer> = packed.iter().map(Array::buffer).collect::<Result<_>>()?;
    let outer = Shape::from_slice(outer);
    let shapes: Vec<Shape> =
        tails.iter().map(|tail| outer.iter().chain(*tail).copied().collect()).collect();
    let dtypes = task.output_dtypes(a.dtype());
    let made: Vec<Buffer> = shapes
        .iter()
        .zip(&dtypes)
        .map(|(shape, &dtype)| {
            checked_size(op, shape, dtype)?;
            Buffer::allocate(op, device.backend(), size_of(shape) * dtype.size())
        })
        .collect::<Result<_>>()?;
    let status = Buffer::allocate(op, device.backend(), batch * 4)?;
    if batch > 0 {
        let given = buffers.iter().zip(&packed);
        let given: Vec<_> =
            given.map(|(buffer, array)| buffer.packed(array.layout().offset)).collect();
        let outputs: Vec<_> = made.iter().map(|buffer| buffer.packed(0)).collect();
        let factor = Factor {
            task,
            dtype: a.dtype(),
            batch,
            rows,
            columns,
            inputs: &given,
            outputs: &outputs,
            status: status.packed(0),
        };
        let factored = Checked::new(&factor).and_then(|factor| algebra.factor(factor));
        factored.map_err(|error| error.of_memory_for(op))?;
    }
    let array = |shape: Shape, dtype: DType, buffer: Buffer| {
        Array::of_node(Node::done(op, shape, dtype, device.clone(), Ok(buffer)))
    };
    let status = array(Shape::from_slice(&[batch]), DType::I32, status);
    let outputs = shapes.into_iter().zip(dtypes).zip(made);
    let outputs = outputs.map(|((shape, dtype), buffer)| array(shape, dtype, buffer)).collect();
    Ok(Outcome { outputs, outer, status })
}
