//! Launches of kernels of threads and blocks.

use ndany_core::backend::{Checked, Origin, SimtArgument, SimtKernels, SimtLaunch};
use ndany_core::shape::{self, Layout};
use ndany_core::simt::{Parameter, ParameterKind};
use ndany_core::{CallSite, DType, Error, Result};
use smallvec::SmallVec;

use super::Kernel;
use super::recorder::register_bits;
use crate::device::Device;
use crate::graph::Array;
use crate::kernel::raw::launch::{Held, check_extents, shown};
use crate::kernel::{Argument, Extents, RawArguments};

fn refused(op: &'static str, reason: String) -> Error {
    Error::Arguments { op: op.to_string(), reason }
}

/// Compares arguments with the parameters and the device.
fn check(
    op: &'static str,
    device: &Device,
    parameters: &[Parameter],
    arguments: &[Argument<'_>],
) -> Result<()> {
    let (expected, given) = (parameters.len(), arguments.len());
    if expected != given {
        let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
        let reason = format!("expected {expected} arguments ({}), got {given}", names.join(", "));
        return Err(refused(op, reason));
    }
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let name = parameter.name;
        let dtype_is = |expected: DType, got: DType| match expected == got {
            true => Ok(()),
            false => Err(refused(op, format!("dtype of {name}: expected {expected}, got {got}"))),
        };
        let rank_is = |expected: u8, got: usize| match usize::from(expected) == got {
            true => Ok(()),
            false => Err(refused(op, format!("{name}: expected {expected} axes, got {got}"))),
        };
        match (parameter.kind, argument) {
            (ParameterKind::Scalar(dtype), Argument::Number(scalar)) => {
                dtype_is(dtype, scalar.natural_dtype())?;
            }
            (ParameterKind::Array { dtype, rank, writes: true }, Argument::Output(shape, _)) => {
                rank_is(rank, shape.len())?;
                shape::checked_size(op, shape, dtype)?;
            }
            (ParameterKind::Array { dtype, rank, writes }, argument)
                if matches!(
                    (writes, argument),
                    (false, Argument::Input(_)) | (true, Argument::InOut(_))
                ) =>
            {
                let Some(array) = argument.array() else { unreachable!("it is an array") };
                dtype_is(dtype, array.dtype())?;
                rank_is(rank, array.ndim())?;
                if array.device() != device {
                    let (left, right) = (device.name(), array.device().name());
                    return Err(Error::TwoDevices { op, left, right });
                }
            }
            (kind, argument) => {
                let expected = match kind {
                    ParameterKind::Scalar(_) => "a number",
                    ParameterKind::Array { writes: false, .. } => "an array to read (&x)",
                    ParameterKind::Array { writes: true, .. } => {
                        "an array to write (&mut x) or the shape of a new array"
                    }
                };
                let got = argument.what();
                return Err(refused(op, format!("{name}: expected {expected}, got {got}")));
            }
        }
    }
    Ok(())
}

/// The memory of the arrays of a launch. Inputs come first: an array may be written that a pending input reads.
fn hold(
    op: &'static str,
    device: &Device,
    parameters: &[Parameter],
    arguments: &mut [Argument<'_>],
    held: &mut SmallVec<[Option<Held>; 8]>,
) -> Result<()> {
    for argument in &*arguments {
        held.push(match argument {
            Argument::Input(given) => Some(Held::to_read(given, true)?),
            _ => None,
        });
    }
    for ((held, parameter), argument) in held.iter_mut().zip(parameters).zip(arguments) {
        match (parameter.kind, argument) {
            (_, Argument::InOut(given)) => *held = Some(Held::to_write(op, device, given, true)?),
            (ParameterKind::Array { dtype, .. }, Argument::Output(shape, init)) => {
                *held = Some(Held::new(op, device, shape, dtype, *init)?);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Kernel {
    /// Launches the kernel on the thread's stream of a device, as calls of `cupyx.jit.rawkernel`; returns the new arrays.
    ///
    /// The arguments are a tuple: numbers of the Rust types of the function, `&x` for arrays that it reads, `&mut x` for those that
    /// it writes, or `([n, m], Init::Zeros)` for a new one. Pending arguments are computed first, and arrays that do not lie in C
    /// order are copied.
    ///
    /// - **Shapes**: those of the arguments that stand for new arrays.
    /// - **Dtypes**: those of the function's parameters.
    /// - **Errors**: what the function says that a kernel cannot be, with its place; number, kinds, dtypes, ranks and devices of
    ///   arguments; extents and shared memory beyond what the device has. An access out of bounds reads zero or writes nothing,
    ///   and is an error of the launch, or where the device finds it later, of the arrays that are written.
    ///
    /// ```
    /// use ndany::{kernel::{Init, simt::*}, prelude::*};
    /// # let _guard = Device::open("reference")?.enter();
    /// #[kernel]
    /// fn squares(x: &[f32], y: &mut [f32]) {
    ///     let i = global_x();
    ///     if i < y.len() {
    ///         y[i] = x[i] * x[i];
    ///     }
    /// }
    /// let x = array([1.0f32, 2.0, 3.0]);
    /// let made = squares().launch(&Device::current(), 1, 32, (&x, ([3], Init::Zeros)))?;
    /// assert_eq!(made[0].to_string(), "[1. 4. 9.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn launch<'a>(
        &self,
        device: &Device,
        grid: impl Into<Extents>,
        block: impl Into<Extents>,
        arguments: impl RawArguments<'a>,
    ) -> Result<Vec<Array>> {
        let (Extents(grid), Extents(block)) = (grid.into(), block.into());
        // Lent: they are large.
        let mut arguments = arguments.arguments();
        self.run(device, [grid, block], &mut arguments, CallSite::caller())
    }

    fn run(
        &self,
        device: &Device,
        [grid, block]: [[u32; 3]; 2],
        arguments: &mut [Argument<'_>],
        location: CallSite,
    ) -> Result<Vec<Array>> {
        let (op, code) = (self.name, self.code.as_ref().map_err(Error::clone)?);
        let parameters = code.parameters();
        let Some(simt) = device.backend().simt() else {
            let reason =
                format!("the device {} runs no kernels of threads and blocks", device.name());
            return Err(Error::Unsupported { op: op.to_string(), reason });
        };
        check(op, device, parameters, arguments)?;
        check_extents(op, code.shared_bytes(), [grid, block], simt.limits())?;
        let mut held = SmallVec::new();
        hold(op, device, parameters, arguments, &mut held)?;
        self.submit(device, simt, [grid, block], arguments, &held, location)?;
        let mut made = Vec::new();
        for (held, argument) in held.into_iter().zip(&*arguments) {
            if let (Some(held), Argument::Output(..)) = (held, argument) {
                made.push(held.into_array());
            }
        }
        Ok(made)
    }

    fn submit(
        &self,
        device: &Device,
        simt: &dyn SimtKernels,
        [grid, block]: [[u32; 3]; 2],
        arguments: &[Argument<'_>],
        held: &[Option<Held>],
        location: CallSite,
    ) -> Result<()> {
        let (op, code) = (self.name, self.code.as_ref().map_err(Error::clone)?);
        let mut passed: SmallVec<[SimtArgument<'_>; 8]> = SmallVec::new();
        for ((argument, parameter), held) in arguments.iter().zip(code.parameters()).zip(held) {
            passed.push(match (argument, parameter.kind, held) {
                (Argument::Number(scalar), ParameterKind::Scalar(dtype), _)
                    if dtype.is_complex() =>
                {
                    SimtArgument::Complex(scalar.bits_as(op, dtype)?)
                }
                (Argument::Number(scalar), ParameterKind::Scalar(dtype), _) => {
                    SimtArgument::Scalar(register_bits(dtype, scalar.bits_as(op, dtype)?[0]))
                }
                (_, _, Some(held)) => {
                    let Layout { offset, shape, .. } = held.layout();
                    let (memory, shape) = (held.memory(), shape.clone());
                    SimtArgument::Array { memory, offset: *offset, shape }
                }
                _ => unreachable!("arrays are held, and numbers have a dtype"),
            });
        }
        let (shape, dtype) = shown(held);
        let _span = crate::spans::launch_of(device.backend(), op, shape);
        let origin = Origin { op, shape, dtype, location, meaning: None };
        let launch = SimtLaunch { kernel: code, grid, block, arguments: passed, origin };
        simt.launch(Checked::new(&launch)?)
    }
}
