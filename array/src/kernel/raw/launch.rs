//! Launches of raw kernels: everything that can be known is compared, then inputs are computed, then the device is called.

#![allow(unsafe_code, reason = "launches are unsafe functions: the text may do anything")]

use ndany_core::backend::{
    LaunchLimits, Memory, Origin, RawArgument, RawArray, RawKernels, RawLaunch,
};
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

/// An array of a launch, whose memory is there.
pub(in crate::kernel) struct Held {
    array: Array,
    writes: bool,
}

impl Held {
    /// An array that a kernel reads, or a copy of it where it has to lie in C order and does not.
    #[track_caller]
    pub(in crate::kernel) fn to_read(given: &Array, contiguous: bool) -> Result<Self> {
        let array = match contiguous && !given.layout().is_contiguous() {
            true => given.try_copy()?,
            false => given.clone(),
        };
        array.buffer()?;
        Ok(Self { array, writes: false })
    }

    /// An array that a kernel writes in place: its memory is that of no other array. One that has to lie in C order is copied if
    /// it does not.
    pub(in crate::kernel) fn to_write(
        op: &'static str,
        device: &Device,
        given: &mut Array,
        contiguous: bool,
    ) -> Result<Self> {
        given.make_sole()?;
        if contiguous && !given.layout().is_contiguous() {
            given.expect_unpinned(op)?;
            *given = given.packed()?;
        }
        let (buffer, layout) = (given.buffer()?, given.layout().clone());
        let (shape, dtype) = (Shape::from_slice(given.shape()), given.dtype());
        // What the graph knows of the old values (that all are equal, say) goes with their node.
        let node = Node::done(op, shape, dtype, device.clone(), Ok(buffer));
        *given = Array::of_node(node).with_layout(layout);
        Ok(Self { array: given.clone(), writes: true })
    }

    /// A new array.
    pub(in crate::kernel) fn new(
        op: &'static str,
        device: &Device,
        shape: &[usize],
        dtype: DType,
        init: Init,
    ) -> Result<Self> {
        // Constants are made on the current device.
        let computed = |make: &dyn Fn() -> Result<Array>| {
            let _guard = device.enter();
            make()?.buffer()
        };
        let poison = || match dtype.kind() {
            NumberKind::Bool => Scalar::from(true),
            NumberKind::Int => Scalar::typed(DType::I64, -1),
            NumberKind::Float => Scalar::from(f64::NAN),
            NumberKind::Complex => Scalar::weak_complex(f64::NAN, f64::NAN),
        };
        let buffer = match init {
            Init::Zeros => computed(&|| try_zeros(shape, dtype)),
            Init::Poison => computed(&|| try_full(shape, poison(), dtype)),
            Init::Uninit => {
                let bytes = shape.iter().product::<usize>() * dtype.size();
                Buffer::allocate(op, device.backend(), bytes)
            }
        }?;
        let shape = Shape::from_slice(shape);
        let node = Node::done(op, shape, dtype, device.clone(), Ok(buffer));
        Ok(Self { array: Array::of_node(node), writes: true })
    }

    /// Its memory.
    pub(in crate::kernel) fn memory(&self) -> &dyn Memory {
        match self.array.node().outcome() {
            Some(Ok(buffer)) => buffer.memory(),
            Some(Err(_)) | None => unreachable!("it was computed"),
        }
    }

    /// How it lies there.
    pub(in crate::kernel) fn layout(&self) -> &Layout {
        self.array.layout()
    }

    /// The array.
    pub(in crate::kernel) fn into_array(self) -> Array {
        self.array
    }
}

/// What errors of a launch show: the shape and the dtype of the first array that is written.
pub(in crate::kernel) fn shown(held: &[Option<Held>]) -> (&[usize], DType) {
    let first = held.iter().flatten().find(|held| held.writes);
    first.map_or((&[][..], DType::U8), |held| (held.array.shape(), held.array.dtype()))
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
        let mut made = Vec::new();
        for (held, parameter) in held.into_iter().zip(&declared.parameters) {
            if let (Some(held), Kind::Array(array)) = (held, &parameter.kind)
                && array.access == Access::Output
            {
                made.push(held.into_array());
            }
        }
        Ok(made)
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
            held.push(match (&parameter.kind, argument) {
                (Kind::Array(array), Argument::Input(given)) => {
                    Some(Held::to_read(given, !array.operand.is_strided())?)
                }
                _ => None,
            });
        }
        for (number, (parameter, argument)) in
            self.declared.parameters.iter().zip(arguments).enumerate()
        {
            let Kind::Array(array) = &parameter.kind else { continue };
            match argument {
                Argument::InOut(given) => {
                    let contiguous = !array.operand.is_strided();
                    held[number] = Some(Held::to_write(op, device, given, contiguous)?);
                }
                Argument::Output(shape, init) => {
                    let dtype = dtypes[number].unwrap_or(DType::U8);
                    held[number] = Some(Held::new(op, device, shape, dtype, *init)?);
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
                (_, _, Some(held)) => {
                    let Layout { offset, shape, strides } = held.layout();
                    RawArgument::Array(RawArray {
                        memory: held.memory(),
                        dtype: held.array.dtype(),
                        offset: *offset,
                        shape,
                        strides,
                        writes: held.writes,
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
