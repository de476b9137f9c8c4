//! A program as data: steps over numbered values, and a listing of it that a person can read.

use std::fmt;

use ndany::call::Value;
use ndany::{DType, Index, Scalar};

use crate::kernels::Kernel;

/// What a step takes.
#[derive(Clone)]
pub enum Arg {
    /// An earlier value.
    Of(usize),
    /// Several earlier values, as one argument.
    Many(Vec<usize>),
    /// Anything else.
    Const(Value),
}

/// A value made of several calls, whose bits are the same however those round: integers that rounding cannot miss,
/// or elements that are taken as they are. It has the shape of its first operand unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// The elements that are not zero, followed by all of them, as many as there are elements.
    Selected,
    /// The values without repetitions, followed by all of them, as many as there are elements.
    Unique,
    /// The first operand at positions made of the second one, flat.
    Gathered,
    /// The first operand with its elements added to it at positions made of the second one, flat: each position once.
    Scattered,
    /// `x` of `a x = a y` for integers `y`, where the diagonal of `a` dominates.
    Solved,
    /// The factor of the product of a lower triangular matrix of integers and its transpose.
    Cholesky,
    /// The product of Q and R.
    Qr,
    /// There and back by Fourier transforms.
    Fourier,
}

/// Where and when a step runs if programs are distributed over threads and streams. It goes with its step when a program
/// is cut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSchedule {
    /// The thread, of [`StepSchedule::THREADS`].
    pub thread: usize,
    /// The stream: 0 is the default one, of [`StepSchedule::STREAMS`].
    pub stream: usize,
    /// What happens to its value at once.
    pub then: Then,
}

impl StepSchedule {
    pub const THREADS: usize = 3;
    pub const STREAMS: usize = 4;
}

/// What happens to a value as soon as there is a handle on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing: it is computed with what needs it.
    Wait,
    /// It is asked for.
    Start,
    /// It is copied to the host.
    Read,
}

/// One value of a program.
#[derive(Clone)]
pub enum Step {
    /// Several calls.
    Composed { what: Composed, args: Vec<usize> },
    /// A kernel made of closures, over elements or along axes.
    Kernel { kernel: Kernel, args: Vec<usize>, axes: Vec<isize> },
    /// An array from these bytes.
    Leaf { dtype: DType, shape: Vec<usize>, bytes: Vec<u8> },
    /// A function, by NumPy name.
    Call { name: &'static str, args: Vec<Arg>, kwargs: Vec<(&'static str, Arg)> },
    /// The target after `target[index] = value`.
    Set { target: usize, index: Vec<Index>, value: Arg },
    /// The target after `target[index] op= value`, through a window.
    Update { target: usize, index: Vec<Index>, op: &'static str, value: Arg },
}

impl Step {
    /// The values it takes.
    pub fn uses(&self) -> Vec<usize> {
        let of = |arg: &Arg| match arg {
            Arg::Of(value) => vec![*value],
            Arg::Many(values) => values.clone(),
            Arg::Const(_) => Vec::new(),
        };
        match self {
            Step::Leaf { .. } => Vec::new(),
            Step::Composed { args, .. } | Step::Kernel { args, .. } => args.clone(),
            Step::Call { args, kwargs, .. } => {
                args.iter().chain(kwargs.iter().map(|(_, arg)| arg)).flat_map(of).collect()
            }
            Step::Set { target, value, .. } | Step::Update { target, value, .. } => {
                std::iter::once(*target).chain(of(value)).collect()
            }
        }
    }
}

/// Steps, and what happens to their values.
#[derive(Clone, Default)]
pub struct Program {
    pub steps: Vec<Step>,
    /// Where each step runs.
    pub schedules: Vec<StepSchedule>,
    /// Values that stay and are compared, in the order of their evaluation. Others are dropped after
    /// their last use, so that fusion and donation get to work.
    pub outputs: Vec<usize>,
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Of(value) => write!(f, "%{value}"),
            Arg::Many(values) => write!(f, "{values:?}"),
            Arg::Const(Value::Scalar(scalar)) => match scalar.dtype() {
                Some(dtype) => write!(f, "{dtype}({:?})", scalar.number()),
                None => write!(f, "{:?}", scalar.number()),
            },
            Arg::Const(Value::Slice { start, stop, step }) => {
                let bound = |bound: &Option<Scalar>| {
                    bound.map_or(String::new(), |bound| format!("{:?}", bound.number()))
                };
                write!(f, "{}:{}:{}", bound(start), bound(stop), bound(step))
            }
            Arg::Const(Value::Tuple(items)) => {
                f.write_str("(")?;
                for item in items {
                    write!(f, "{},", Arg::Const(item.clone()))?;
                }
                f.write_str(")")
            }
            Arg::Const(value) => write!(f, "{value:?}"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Leaf { dtype, shape, bytes } => {
                write!(f, "{dtype} {shape:?}")?;
                let part = dtype.part().size();
                for (position, element) in bytes.chunks_exact(part).enumerate() {
                    if position == 32 {
                        return write!(f, " … ({} parts)", bytes.len() / part);
                    }
                    let bits = element.iter().rev().map(|byte| format!("{byte:02x}"));
                    write!(f, " {}", bits.collect::<String>())?;
                }
                Ok(())
            }
            Step::Composed { what, args } => write!(f, "{what:?} {args:?}"),
            Step::Kernel { kernel, args, axes } => write!(f, "{kernel:?} {args:?} over {axes:?}"),
            Step::Call { name, args, kwargs } => {
                write!(f, "{name}")?;
                args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
                kwargs.iter().try_for_each(|(name, arg)| write!(f, " {name}={arg}"))
            }
            Step::Set { target, index, value } => write!(f, "%{target}[{index:?}] = {value}"),
            Step::Update { target, index, op, value } => {
                write!(f, "%{target}[{index:?}] {op} {value}")
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (step, schedule)) in self.steps.iter().zip(&self.schedules).enumerate() {
            let StepSchedule { thread, stream, then } = schedule;
            writeln!(f, "  %{number} = {step}   (thread {thread}, stream {stream}, {then:?})")?;
        }
        writeln!(f, "  evaluated, in this order: {:?}", self.outputs)
    }
}
