//! Launches of raw kernels: everything that can be known is compared, then inputs are computed, then the device is called.

#![allow(unsafe_code, reason = "launches are unsafe functions: the text may do anything")]

use ndany_core::backend::{LaunchLimits, Origin, RawArgument, RawArray, RawKernels, RawLaunch};
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{CallSite, DType, Error, Kind as NumberKind, Result};
use smallvec::SmallVec;

use super::arguments::{Argument, Extents, Init, RawArguments};
use super::definition::{Access, ArrayParameter, Declared, Kind, Parameter};
use super::{RawKernel, Source};
use crate::array::{try_full, try_zeros};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::Array;
use crate::graph::node::Node;
use crate::scalar::Scalar;

/// Bytes of arguments that devices take.
const MOST_BYTES: usize = 4096;

const AXES: [&str; 3] = ["x", "y", "z"];

fn refused(op: &'static str, reason: String) -> Error {
    Error::Launch { op, reason }
}

/// Compares a block and its shared memory with what the device has.
pub(super) fn check_block(
    op: &'static str,
    shared: usize,
    block: [u32; 3],
    limits: &LaunchLimits,
) -> Result<()> {
    for (axis, (&asked, &most)) in AXES.iter().zip(block.iter().zip(&limits.block)) {
        if asked == 0 || asked > most {
            let reason =
                format!("a block of {asked} threads along {axis}: expected from 1 to {most}");
            return Err(refused(op, reason));
        }
    }
    let (threads, most) =
        (block.iter().map(|&n| u64::from(n)).product::<u64>(), limits.threads_per_block);
    if threads > u64::from(most) {
        let [x, y, z] = block;
        let reason =
            format!("a block of {x} x {y} x {z} = {threads} threads: expected at most {most}");
        return Err(refused(op, reason));
    }
    if shared > limits.shared {
        let reason = format!("{shared} bytes of shared memory: expected at most {}", limits.shared);
        return Err(refused(op, reason));
    }
    Ok(())
}

/// Compares a launch with what the device has.
pub(in crate::kernel) fn check_extents(
    op: &'static str,
    shared: usize,
    [grid, block]: [[u32; 3]; 2],
    limits: &LaunchLimits,
) -> Result<()> {
    for (axis, (&asked, &most)) in AXES.iter().zip(grid.iter().zip(&limits.grid)) {
        if asked == 0 || asked > most {
            let reason =
                format!("a grid of {asked} blocks along {axis}: expected from 1 to {most}");
            return Err(refused(op, reason));
        }
    }
    check_block(op, shared, block, limits)?;
    for (axis, (&blocks, &threads)) in AXES.iter().zip(grid.iter().zip(&block)) {
        let (threads, most) = (u64::from(blocks) * u64::from(threads), limits.threads);
        if threads > most {
            let reason =
                format!("a launch of {threads} threads along {axis}: expected at most {most}");
            return Err(refused(op, reason));
        }
    }
    Ok(())
}

/// Compares numbers and kinds of arguments with the parameters.
fn check_kinds(declared: &Declared, arguments: &[Argument<'_>]) -> Result<()> {
    let (expected, given) = (declared.parameters.len(), arguments.len());
    if expected != given {
        let names: Vec<_> = declared.parameters.iter().map(|parameter| parameter.name).collect();
        let reason = format!("expected {expected} arguments ({}), got {given}", names.join(", "));
        return Err(declared.arguments(reason));
    }
    for (parameter, argument) in declared.parameters.iter().zip(arguments) {
        let fits = match (&parameter.kind, argument) {
            (Kind::Scalar(_), Argument::Number(_)) => true,
            (Kind::Structure { bytes, .. }, Argument::Structure(given)) => given.len() == *bytes,
            (Kind::Array(array), argument) => matches!(
                (array.access, argument),
                (Access::Input, Argument::Input(_))
                    | (Access::InOut, Argument::InOut(_))
                    | (Access::Output, Argument::Output(..))
            ),
            (Kind::Scalar(_) | Kind::Structure { .. }, _) => false,
        };
        if !fits {
            let (name, expected, got) = (parameter.name, parameter.expected(), argument.what());
            return Err(declared.arguments(format!("{name}: expected {expected}, got {got}")));
        }
    }
    Ok(())
}

/// Compares an array with its parameter and the device.
fn check_array(
    declared: &Declared,
    device: &Device,
    name: &str,
    parameter: &ArrayParameter,
    array: &Array,
) -> Result<()> {
    if array.device() != device {
        let (left, right) = (device.name(), array.device().name());
        return Err(Error::TwoDevices { op: declared.name, left, right });
    }
    check_rank(declared, name, parameter, array.ndim())?;
    let layout = array.layout();
    if parameter.operand.is_strided() && parameter.access == Access::InOut && layout.may_overlap() {
        let reason = format!(
            "{name} has elements at one place (strides {:?} over shape {:?}): copy it before it is written",
            &layout.strides[..],
            array.shape()
        );
        return Err(refused(declared.name, reason));
    }
    // What is copied lies at the start of its memory.
    let copied = !parameter.operand.is_strided() && !layout.is_contiguous();
    let at = layout.offset * array.dtype().size();
    if !copied && !at.is_multiple_of(parameter.operand.alignment()) {
        let (align, got) = (parameter.operand.alignment(), 1usize << at.trailing_zeros());
        let reason = format!(
            "{name} begins at a multiple of {got} bytes: expected {align}: copy the view first"
        );
        return Err(refused(declared.name, reason));
    }
    Ok(())
}

fn check_rank(
    declared: &Declared,
    name: &str,
    parameter: &ArrayParameter,
    ndim: usize,
) -> Result<()> {
    match parameter.operand.rank {
        Some(rank) if rank != ndim => {
            let reason = format!("{name}: expected {rank} axes, got {ndim}");
            Err(declared.arguments(reason))
        }
        Some(_) | None => Ok(()),
    }
}

/// Bytes of all arguments, as the kernel takes them.
fn argument_bytes(declared: &Declared) -> usize {
    let is_body = matches!(declared.source, Source::Body { .. });
    let of = |parameter: &Parameter| match &parameter.kind {
        Kind::Scalar(_) => 16,
        Kind::Structure { bytes, .. } => bytes.next_multiple_of(8),
        Kind::Array(ArrayParameter { operand, .. }) if is_body => {
            16 + 8 * operand.rank.unwrap_or(0) * if operand.is_strided() { 2 } else { 1 }
        }
        Kind::Array(_) => 8,
    };
    declared.parameters.iter().map(of).sum::<usize>() + 16
}

/// The bytes of a number.
fn number_bytes(op: &'static str, scalar: &Scalar, dtype: DType) -> Result<SmallVec<[u8; 16]>> {
    let [re, im] = scalar.bits_as(op, dtype)?;
    let part = match dtype.kind() {
        NumberKind::Complex => dtype.size() / 2,
        _ => dtype.size(),
    };
    let mut bytes = SmallVec::from_slice(&re.to_le_bytes()[..part]);
    if dtype.kind() == NumberKind::Complex {
        bytes.extend_from_slice(&im.to_le_bytes()[..part]);
    }
    Ok(bytes)
}

/// The memory of a new array.
pub(in crate::kernel) fn output(
    op: &'static str,
    device: &Device,
    shape: &[usize],
    dtype: DType,
    init: Init,
) -> Result<Buffer> {
    let _guard = device.enter();
    match init {
        Init::Zeros => try_zeros(shape, dtype)?.buffer(),
        Init::Poison => {
            let value = match dtype.kind() {
                NumberKind::Bool => Scalar::from(true),
                NumberKind::Int => Scalar::typed(DType::I64, -1),
                NumberKind::Float => Scalar::from(f64::NAN),
                NumberKind::Complex => Scalar::weak_complex(f64::NAN, f64::NAN),
            };
            try_full(shape, value, dtype)?.buffer()
        }
        Init::Uninit => {
            let bytes = shape.iter().product::<usize>() * dtype.size();
            Buffer::allocate(op, device.backend(), bytes)
        }
    }
}

/// An array of a launch: its memory, and how it lies there.
pub(in crate::kernel) struct Held {
    pub(in crate::kernel) buffer: Buffer,
    pub(in crate::kernel) layout: Layout,
    pub(in crate::kernel) dtype: DType,
    pub(in crate::kernel) writes: bool,
}

/// What errors of a launch show: the shape and the dtype of the first array that is written.
pub(in crate::kernel) fn shown(held: &[Option<Held>]) -> (&[usize], DType) {
    let first = held.iter().flatten().find(|held| held.writes);
    first.map_or((&[][..], DType::U8), |held| (&held.layout.shape[..], held.dtype))
}

/// The memory of an array that a kernel writes in place: that of no other array. One that has to lie in C order is copied
/// if it does not.
pub(in crate::kernel) fn hold_to_write(
    op: &'static str,
    device: &Device,
    given: &mut Array,
    contiguous: bool,
) -> Result<Held> {
    given.make_sole()?;
    if contiguous && !given.layout().is_contiguous() {
        given.expect_unpinned(op)?;
        *given = given.packed()?;
    }
    let (buffer, layout) = (given.buffer()?, given.layout().clone());
    let (shape, dtype) = (Shape::from_slice(given.shape()), given.dtype());
    // What the graph knows of the old values (that all are equal, say) goes with their node.
    let node = Node::done(op, shape, dtype, device.clone(), Ok(buffer.clone()));
    *given = Array::of_node(node).with_layout(layout.clone());
    Ok(Held { buffer, layout, dtype, writes: true })
}

impl RawKernel {
    /// Launches the kernel on the thread's stream of a device, as calls of `cupy.RawKernel`; returns the new arrays.
    ///
    /// Pending arguments are computed first. Arrays that do not lie in C order are copied, unless they are
    /// [strided](super::RawLayout::Strided). Everything that can be known is compared before the driver is called.
    ///
    /// - **Shapes**: those of the arguments that stand for [new arrays](RawKernel::output).
    /// - **Dtypes**: those that new arrays are declared with.
    /// - **Errors**: number, kinds, dtypes, ranks, devices, layouts and alignments of arguments; extents and shared memory beyond
    ///   what the device or the compiled kernel has; a text that does not compile, with the compiler's words by the body's lines;
    ///   a device that compiles no text; what fails on the device. Faults of the kernel come out later and name it.
    ///
    /// # Safety
    /// With these arguments the text stays within their memory and shared memory, ends, writes no input, writes every element of
    /// a new array that is [`Init::Uninit`], and writes 0 or 1 into arrays of booleans.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("one", "y[0] = 1;").inout("y", F32);
    /// let mut y = zeros(1, F64);
    /// // SAFETY: it is refused.
    /// let error = unsafe { kernel.launch(&Device::current(), 1, 1, (&mut y,)) }.unwrap_err();
    /// assert!(error.is_unsupported() || error.to_string().contains("expected float32, got float64"));
    /// ```
    #[track_caller]
    pub unsafe fn launch<'a>(
        &self,
        device: &Device,
        grid: impl Into<Extents>,
        block: impl Into<Extents>,
        arguments: impl RawArguments<'a>,
    ) -> Result<Vec<Array>> {
        let (grid, block) = (grid.into(), block.into());
        // Lent: they are large.
        let mut arguments = arguments.arguments();
        self.run(device, grid, block, &mut arguments, CallSite::caller())
    }

    fn run(
        &self,
        device: &Device,
        Extents(grid): Extents,
        Extents(block): Extents,
        arguments: &mut SmallVec<[Argument<'_>; 8]>,
        location: CallSite,
    ) -> Result<Vec<Array>> {
        let declared = &self.declared;
        let op = declared.name;
        declared.check()?;
        let raw = device.backend().raw();
        if raw.is_none() && self.twin.is_none() {
            return Err(self.unsupported(device));
        }
        check_kinds(declared, arguments)?;
        let (dtypes, types) = declared.dtypes(arguments)?;
        for ((parameter, argument), dtype) in
            declared.parameters.iter().zip(&*arguments).zip(&dtypes)
        {
            let Kind::Array(array) = &parameter.kind else { continue };
            match argument {
                Argument::Output(shape, _) => {
                    check_rank(declared, parameter.name, array, shape.len())?;
                    shape::checked_size(op, shape, dtype.unwrap_or(DType::U8))?;
                }
                other => {
                    if let Some(given) = other.array() {
                        check_array(declared, device, parameter.name, array, given)?;
                    }
                }
            }
        }
        let bytes = argument_bytes(declared);
        if bytes > MOST_BYTES {
            let reason = format!("{bytes} bytes of arguments: expected at most {MOST_BYTES}");
            return Err(refused(op, reason));
        }
        let Some(raw) = raw else {
            return self.run_twin(device, &dtypes, arguments);
        };
        check_extents(op, declared.shared, [grid, block], raw.limits())?;
        if declared.cooperative && !raw.limits().cooperative {
            let reason = "a cooperative launch: the device has none".to_string();
            return Err(refused(op, reason));
        }
        let mut held = SmallVec::new();
        self.hold(device, &dtypes, arguments, &mut held)?;
        self.submit(device, raw, [grid, block], &types, arguments, &dtypes, &held, location)?;
        // Drained where they lie: they are large.
        let made = held.drain(..).zip(&declared.parameters).filter_map(|(held, parameter)| {
            let Kind::Array(ArrayParameter { access: Access::Output, .. }) = parameter.kind else {
                return None;
            };
            let Held { buffer, layout, dtype, .. } = held?;
            Some(Array::of_node(Node::done(op, layout.shape, dtype, device.clone(), Ok(buffer))))
        });
        Ok(made.collect())
    }

    /// Runs the closure for devices that compile no text.
    fn run_twin(
        &self,
        device: &Device,
        dtypes: &[Option<DType>],
        arguments: &mut SmallVec<[Argument<'_>; 8]>,
    ) -> Result<Vec<Array>> {
        let Some(twin) = &self.twin else { unreachable!("it was looked for") };
        let _guard = device.enter();
        let mut made: Vec<Array> = Vec::new();
        for (argument, dtype) in arguments.iter().zip(dtypes) {
            if let (Argument::Output(shape, _), Some(dtype)) = (argument, dtype) {
                made.push(try_zeros(&shape[..], *dtype)?);
            }
        }
        let mut fresh = made.iter_mut();
        let given = arguments.drain(..).map(|argument| match argument {
            Argument::Output(shape, init) => match fresh.next() {
                Some(array) => Argument::InOut(array),
                None => Argument::Output(shape, init),
            },
            other => other,
        });
        let mut given: SmallVec<[Argument<'_>; 8]> = given.collect();
        twin(&mut given)?;
        drop(given);
        Ok(made)
    }

    /// Computes what is pending, copies what does not lie as the kernel asks, and takes the memory of new arrays. `held` gets what
    /// each argument holds.
    fn hold(
        &self,
        device: &Device,
        dtypes: &[Option<DType>],
        arguments: &mut [Argument<'_>],
        held: &mut SmallVec<[Option<Held>; 8]>,
    ) -> Result<()> {
        let op = self.declared.name;
        // Inputs first: an array may be written that a pending input reads.
        for (parameter, argument) in self.declared.parameters.iter().zip(&*arguments) {
            let (Kind::Array(array), Argument::Input(given)) = (&parameter.kind, argument) else {
                held.push(None);
                continue;
            };
            let copied =
                if array.operand.is_strided() { (*given).clone() } else { given.packed()? };
            let (buffer, layout) = (copied.buffer()?, copied.layout().clone());
            held.push(Some(Held { buffer, layout, dtype: copied.dtype(), writes: false }));
        }
        for (number, (parameter, argument)) in
            self.declared.parameters.iter().zip(arguments).enumerate()
        {
            let Kind::Array(array) = &parameter.kind else { continue };
            match argument {
                Argument::InOut(given) => {
                    held[number] =
                        Some(hold_to_write(op, device, given, !array.operand.is_strided())?);
                }
                Argument::Output(shape, init) => {
                    let dtype = dtypes[number].unwrap_or(DType::U8);
                    let buffer = output(op, device, shape, dtype, *init)?;
                    let layout = Layout::contiguous(shape);
                    held[number] = Some(Held { buffer, layout, dtype, writes: true });
                }
                Argument::Number(_) | Argument::Structure(_) | Argument::Input(_) => {}
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "what a launch is made of")]
    fn submit(
        &self,
        device: &Device,
        raw: &dyn RawKernels,
        [grid, block]: [[u32; 3]; 2],
        types: &[(&'static str, DType)],
        arguments: &[Argument<'_>],
        dtypes: &[Option<DType>],
        held: &[Option<Held>],
        location: CallSite,
    ) -> Result<()> {
        let declared = &self.declared;
        let op = declared.name;
        let code = declared.code(types);
        let mut passed: SmallVec<[RawArgument<'_>; 8]> = SmallVec::new();
        for ((argument, dtype), held) in arguments.iter().zip(dtypes).zip(held) {
            passed.push(match (argument, dtype, held) {
                (Argument::Structure(bytes), ..) => RawArgument::Bytes(SmallVec::from_slice(bytes)),
                (Argument::Number(scalar), Some(dtype), _) => {
                    RawArgument::Bytes(number_bytes(op, scalar, *dtype)?)
                }
                (_, _, Some(Held { buffer, layout, dtype, writes })) => {
                    RawArgument::Array(RawArray {
                        memory: buffer.memory(),
                        dtype: *dtype,
                        offset: layout.offset,
                        shape: &layout.shape,
                        strides: &layout.strides,
                        writes: *writes,
                    })
                }
                (_, _, None) => unreachable!("arrays are held, and numbers have a dtype"),
            });
        }
        let (shape, dtype) = shown(held);
        let _span = crate::spans::launch_of(device.backend(), op, shape);
        raw.launch(&RawLaunch {
            code: &code,
            kernel: op,
            grid,
            block,
            shared: declared.shared,
            cooperative: declared.cooperative,
            arguments: passed,
            origin: Origin { op, shape, dtype, location, meaning: None },
        })
    }
}
