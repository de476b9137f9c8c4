//! What can go wrong, one variant a cause, and the NumPy class each belongs to.
//!
//! Text: `[operation] what is wrong: expected X, got Y`, with the remedy where there is one.
//! Error values hold no buffers, so keeping one keeps no memory.

mod io;

use std::sync::Arc;

use crate::call_site::CallSite;
use crate::dtype::DType;
pub use io::IoError;

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Dimensions an array can have.
pub const MAX_NDIM: usize = 64;

/// A shape, or other numbers along axes, as errors and Python print them: `(3, 4)`, `(5,)`, `()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeText<T = usize>(pub Vec<T>);

impl<T: std::fmt::Display> std::fmt::Display for ShapeText<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "({one},)"),
            many => {
                f.write_str("(")?;
                for (position, extent) in many.iter().enumerate() {
                    if position > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{extent}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl From<&[usize]> for ShapeText {
    fn from(shape: &[usize]) -> Self {
        Self(shape.to_vec())
    }
}

/// Where the memory of a device is when it runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// Bytes of arrays and of work under way.
    pub live: usize,
    /// Bytes that the device's pool holds for later, in pieces too small for the request.
    pub cached: usize,
    /// Free bytes.
    pub free: usize,
}

/// The start of a sentence about a matrix of a batch.
fn which(place: &[usize]) -> String {
    match place {
        [] => "the matrix".to_string(),
        place => format!("matrix {place:?} of the batch"),
    }
}

/// Of which axis a position is.
fn axis_of(axis: Option<usize>) -> String {
    axis.map_or_else(String::new, |axis| format!("axis {axis} of "))
}

/// The end of a sentence about memory.
fn out_of(requested: usize, memory: &Option<MemoryState>) -> String {
    let requested = match requested {
        0 => String::new(),
        requested => format!(": {requested} bytes requested"),
    };
    match memory {
        Some(MemoryState { live, cached, free }) => format!(
            "{requested}, {live} live, {cached} cached, {free} free: drop arrays, or work in parts"
        ),
        None => requested,
    }
}

/// Everything that an operation of ndany reports. `{}` and `{:?}` are the same text, so that a `main` that returns an error
/// prints a sentence.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two shapes that do not broadcast together.
    #[error("[{op}] shapes {left} and {right} do not broadcast")]
    Broadcast {
        /// The operation.
        op: &'static str,
        /// The first operand.
        left: ShapeText,
        /// The second operand.
        right: ShapeText,
    },
    /// A shape that differs from the one needed.
    #[error("[{op}] wrong shape: expected {expected}, got {got}")]
    Shape {
        /// The operation.
        op: &'static str,
        /// What the operation needs, in words or as a shape.
        expected: String,
        /// The shape it was given.
        got: ShapeText,
    },
    /// A reshape that changes the number of elements, or an ambiguous one.
    #[error("[{op}] cannot reshape {from} ({size} elements) into {to}")]
    Reshape {
        /// The operation.
        op: &'static str,
        /// The present shape.
        from: ShapeText,
        /// Its number of elements.
        size: usize,
        /// The shape asked for, with `-1` where it was to be inferred.
        to: String,
    },
    /// An axis outside the array.
    #[error("[{op}] axis {axis} is out of bounds for an array of {ndim} dimensions")]
    Axis {
        /// The operation.
        op: &'static str,
        /// The axis asked for.
        axis: isize,
        /// Dimensions of the array.
        ndim: usize,
    },
    /// An axis given twice.
    #[error("[{op}] axis {axis} is given twice")]
    AxisTwice {
        /// The operation.
        op: &'static str,
        /// The axis, counted from the front.
        axis: usize,
    },
    /// More than 64 dimensions.
    #[error("[{op}] {ndim} dimensions: at most {} are supported", MAX_NDIM)]
    TooManyDimensions {
        /// The operation.
        op: &'static str,
        /// Dimensions asked for.
        ndim: usize,
    },
    /// A size that overflows, or that no address space holds.
    #[error("[{op}] an array of shape {shape} and dtype {dtype} is too large to address")]
    TooLarge {
        /// The operation.
        op: &'static str,
        /// The shape asked for.
        shape: ShapeText,
        /// The dtype asked for.
        dtype: DType,
    },
    /// Two lists that should be of one length.
    #[error("[{op}] lists of {left} and {right} items do not go together")]
    Lengths {
        /// The operation.
        op: &'static str,
        /// Items of the first.
        left: usize,
        /// Items of the second.
        right: usize,
    },
    /// Lists of blocks that are not all as deeply nested.
    #[error("[{op}] blocks differ in how many lists are around them")]
    Nesting {
        /// The operation.
        op: &'static str,
    },
    /// A memory order that the operation does not know.
    #[error("[{op}] order must be {allowed}")]
    Order {
        /// The operation.
        op: &'static str,
        /// The orders it knows.
        allowed: &'static str,
    },
    /// A range with no end, no step, or more elements than can be addressed.
    #[error("[{op}] bad range: {reason}")]
    Range {
        /// The operation.
        op: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A dtype that the operation is not defined on.
    #[error("[{op}] is not defined for {dtypes}; {remedy}")]
    DTypes {
        /// The operation.
        op: &'static str,
        /// The dtypes of the operands.
        dtypes: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The element type asked for is not the array's.
    #[error("[{op}] the array holds {got}, not {expected}: convert with astype({expected}) first")]
    ElementType {
        /// The operation.
        op: &'static str,
        /// The type asked for.
        expected: DType,
        /// The dtype of the array.
        got: DType,
    },
    /// A weak integer that the dtype it meets cannot hold.
    #[error("[{op}] integer {value} is out of bounds for {dtype}: use Scalar::typed or astype")]
    WeakOverflow {
        /// The operation.
        op: &'static str,
        /// The integer.
        value: i128,
        /// The dtype it should take.
        dtype: DType,
    },
    /// An index outside its axis.
    #[error("[{op}] index {index} is out of bounds for axis {axis} with size {size}")]
    Index {
        /// The operation.
        op: &'static str,
        /// The index.
        index: isize,
        /// The axis it applies to.
        axis: usize,
        /// Its extent.
        size: usize,
    },
    /// More index items than dimensions, or two ellipses.
    #[error("[{op}] bad index: {reason} (the array has {ndim} dimensions)")]
    IndexForm {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        reason: &'static str,
        /// Dimensions of the array.
        ndim: usize,
    },
    /// A mask that is not shaped like the axes it stands for.
    #[error("[{op}] a mask of shape {mask} does not fit axes {first} and on of shape {shape}")]
    MaskShape {
        /// The operation.
        op: &'static str,
        /// Shape of the mask.
        mask: ShapeText,
        /// The first axis it stands for.
        first: usize,
        /// Shape of the array.
        shape: ShapeText,
    },
    /// Index arrays that do not broadcast together.
    #[error("[{op}] index arrays of shapes {left} and {right} do not broadcast")]
    IndexShapes {
        /// The operation.
        op: &'static str,
        /// Shape of those before.
        left: ShapeText,
        /// Shape of the one that does not fit.
        right: ShapeText,
    },
    /// An index array of neither integers nor booleans.
    #[error("[{op}] an index array of {dtype}: expected integers or bool, convert with astype")]
    IndexDType {
        /// The operation.
        op: &'static str,
        /// Its dtype.
        dtype: DType,
    },
    /// A step of zero.
    #[error("[{op}] a slice step cannot be zero")]
    ZeroStep {
        /// The operation.
        op: &'static str,
    },
    /// A reduction without identity over no elements.
    #[error("[{op}] zero-size reduction of shape {shape} has no identity: give `initial`")]
    EmptyReduction {
        /// The operation.
        op: &'static str,
        /// Shape of the operand.
        shape: ShapeText,
    },
    /// `item` of an array that has not exactly one element, and the like.
    #[error("[{op}] expected one element, got shape {shape}")]
    NotScalar {
        /// The operation.
        op: &'static str,
        /// Shape of the operand.
        shape: ShapeText,
    },
    /// Nothing given where at least one array is needed.
    #[error("[{op}] needs at least one array")]
    NoArrays {
        /// The operation.
        op: &'static str,
    },
    /// No key to sort by.
    #[error("[{op}] needs at least one key")]
    NoKeys {
        /// The operation.
        op: &'static str,
    },
    /// The amount of data does not fit the shape.
    #[error("[{op}] {len} values do not fill shape {shape}")]
    Length {
        /// The operation.
        op: &'static str,
        /// Values given.
        len: usize,
        /// The shape.
        shape: ShapeText,
    },
    /// Matrices that are not such as linear algebra needs.
    #[error("[{op}] wrong matrices: expected {expected}, got {got}")]
    Matrix {
        /// The operation.
        op: &'static str,
        /// What the operation needs.
        expected: &'static str,
        /// The shape it was given.
        got: ShapeText,
    },
    /// A matrix whose factorization fails.
    #[error("[{op}] {} {reason}", which(matrix))]
    Factorization {
        /// The operation.
        op: &'static str,
        /// What is wrong with it.
        reason: &'static str,
        /// Its place in the batch.
        matrix: Vec<usize>,
    },
    /// An iteration that does not converge.
    #[error(
        "[{op}] did not converge in {steps} steps: are there NaN or infinities among the values?"
    )]
    Convergence {
        /// The operation.
        op: &'static str,
        /// Steps taken.
        steps: usize,
    },
    /// Weights that are not one for each observation.
    #[error("[{op}] expected {expected} weights along one axis, got {got}")]
    Observations {
        /// The operation.
        op: &'static str,
        /// Observations.
        expected: usize,
        /// The shape of the weights.
        got: ShapeText,
    },
    /// Random numbers that were refused again and again.
    #[error("[{op}] values were refused in {rounds} rounds: are the parameters out of all bounds?")]
    Refused {
        /// The operation.
        op: &'static str,
        /// Rounds in which some were.
        rounds: usize,
    },
    /// A request to a backend whose operands do not agree, or lie outside their memory. Arrays make none
    /// but launches of raw kernels.
    #[error("[{op}] refused: {reason}")]
    Launch {
        /// The execution pattern.
        op: &'static str,
        /// What was expected, and what was given.
        reason: String,
    },
    /// Subscripts of `einsum` that say nothing, or not what the operands are.
    #[error("[einsum] bad subscripts {subscripts:?}: {reason}")]
    Subscripts {
        /// The subscripts.
        subscripts: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A negative integer exponent of an integer base.
    #[error(
        "[power] integers to negative integer powers are not allowed: convert to a float first"
    )]
    NegativePower,
    /// A kernel reads an operand at a position where it has no element.
    #[error("position {position} is out of bounds for {}operand {operand} with size {size}", axis_of(*axis))]
    Position {
        /// The position.
        position: isize,
        /// Which operand of the kernel.
        operand: usize,
        /// The axis, unless positions count over all axes.
        axis: Option<usize>,
        /// How many positions there are.
        size: usize,
    },
    /// Operands on two devices.
    #[error("[{op}] operands are on {left} and {right}: move one with to_device")]
    TwoDevices {
        /// The operation.
        op: &'static str,
        /// Device of the first operand.
        left: String,
        /// Device of the second operand.
        right: String,
    },
    /// A device name that no compiled-in backend knows, or that is not available here.
    #[error("[open] no device {name:?}: {reason}")]
    NoDevice {
        /// The name asked for.
        name: String,
        /// Why, and how to mend it.
        reason: String,
    },
    /// No memory left on the device.
    #[error("[{op}] out of memory on {device}{}", out_of(*requested, memory))]
    OutOfMemory {
        /// The operation.
        op: &'static str,
        /// The device.
        device: String,
        /// Bytes asked for; 0 where the device asked for itself.
        requested: usize,
        /// Where the memory is, if the device keeps accounts.
        memory: Option<MemoryState>,
    },
    /// An allocator of the program's own has no memory, or gives memory that cannot be used.
    #[error(
        "[{op}] the program's allocator for {device} fails: {requested} bytes requested, {reason}"
    )]
    Allocator {
        /// The operation.
        op: &'static str,
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// What it says, or what is wrong with what it gives.
        reason: String,
    },
    /// Something that ndany, or this device, does not do.
    #[error("[{op}] is not supported: {reason}")]
    Unsupported {
        /// The operation, by the name asked for.
        op: String,
        /// What is missing.
        reason: String,
    },
    /// Something that a graph cannot repeat, in the closure that it records.
    #[error("[{op}] cannot be recorded in a graph: {reason}")]
    NotCapturable {
        /// The operation.
        op: String,
        /// Why, and what to do in its place.
        reason: String,
    },
    /// Arguments that the function does not take.
    #[error("[{op}] bad arguments: {reason}")]
    Arguments {
        /// The operation.
        op: String,
        /// What is wrong.
        reason: String,
    },
    /// A call by name with an argument of the right type and an impossible value.
    #[error("[{op}] bad argument: {reason}")]
    ArgumentValue {
        /// The operation.
        op: String,
        /// What is wrong.
        reason: String,
    },
    /// A call by name that would have to make an integer of an infinity.
    #[error("[{op}] {value} has no value as an integer")]
    ArgumentOverflow {
        /// The operation.
        op: String,
        /// The value.
        value: f64,
    },
    /// A range whose step is the integer 0.
    #[error("[{op}] the step is zero")]
    ZeroDivision {
        /// The operation.
        op: &'static str,
    },
    /// Frequencies of no samples, or of samples at no distance.
    #[error("[{op}] {samples} samples at a distance of {spacing} have no frequencies")]
    NoFrequencies {
        /// The operation.
        op: &'static str,
        /// Number of samples.
        samples: usize,
        /// Distance between them.
        spacing: f64,
    },
    /// A row of nothing but NaN, of which no element has a position.
    #[error("[{op}] a row has nothing but NaN")]
    AllNan {
        /// The operation.
        op: &'static str,
    },
    /// Weights that add up to zero, by which nothing can be divided.
    #[error("[{op}] the weights add up to zero")]
    ZeroWeights {
        /// The operation.
        op: &'static str,
    },
    /// An operation that failed when it ran; every array derived from its result carries the same.
    #[error("{source} (in {op} of shape {shape} and dtype {dtype}, asked for at {origin})")]
    Failed {
        /// The first error.
        source: Arc<Error>,
        /// The operation that was asked for.
        op: &'static str,
        /// Shape of its result.
        shape: ShapeText,
        /// Dtype of its result.
        dtype: DType,
        /// The call that asked for it.
        origin: CallSite,
    },
    /// A text that is no table of numbers.
    #[error("[{op}] line {line}: {reason}")]
    Text {
        /// The operation.
        op: &'static str,
        /// The line, from 1 on.
        line: usize,
        /// What is wrong in it.
        reason: String,
    },
    /// A file that cannot be read or written.
    #[error(transparent)]
    Io(#[from] Arc<IoError>),
    /// A failure of the device itself, reported by its backend.
    #[error("[{op}] device {device} failed: {reason}")]
    Device {
        /// The operation.
        op: &'static str,
        /// The device.
        device: String,
        /// What its driver said.
        reason: String,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The same of another operation, where memory was missing: a device knows its memory, not what it is for.
    #[doc(hidden)]
    pub fn of_memory_for(self, op: &'static str) -> Self {
        match self {
            Error::OutOfMemory { device, requested, memory, .. } => {
                Error::OutOfMemory { op, device, requested, memory }
            }
            Error::Allocator { device, requested, reason, .. } => {
                Error::Allocator { op, device, requested, reason }
            }
            other => other,
        }
    }

    /// Returns the name of NumPy's class for this error.
    ///
    /// ```
    /// use ndany::Error;
    /// let error = Error::Axis { op: "sum", axis: 3, ndim: 2 };
    /// assert_eq!(error.class(), "AxisError");
    /// ```
    pub fn class(&self) -> &'static str {
        match self {
            Error::Broadcast { .. }
            | Error::Shape { .. }
            | Error::Reshape { .. }
            | Error::AxisTwice { .. }
            | Error::TooManyDimensions { .. }
            | Error::TooLarge { .. }
            | Error::Order { .. }
            | Error::Lengths { .. }
            | Error::Nesting { .. }
            | Error::Range { .. }
            | Error::ZeroStep { .. }
            | Error::EmptyReduction { .. }
            | Error::NotScalar { .. }
            | Error::NoArrays { .. }
            | Error::Length { .. }
            | Error::NegativePower
            | Error::AllNan { .. }
            | Error::ArgumentValue { .. }
            | Error::Text { .. }
            | Error::Subscripts { .. }
            | Error::NoDevice { .. }
            | Error::TwoDevices { .. } => "ValueError",
            Error::Axis { .. } => "AxisError",
            Error::Matrix { .. } | Error::Factorization { .. } | Error::Convergence { .. } => {
                "LinAlgError"
            }
            Error::DTypes { .. }
            | Error::ElementType { .. }
            | Error::NoKeys { .. }
            | Error::Arguments { .. } => "TypeError",
            Error::WeakOverflow { .. } | Error::ArgumentOverflow { .. } => "OverflowError",
            Error::ZeroDivision { .. }
            | Error::ZeroWeights { .. }
            | Error::NoFrequencies { .. } => "ZeroDivisionError",
            Error::Index { .. }
            | Error::Position { .. }
            | Error::IndexForm { .. }
            | Error::MaskShape { .. }
            | Error::IndexShapes { .. }
            | Error::IndexDType { .. } => "IndexError",
            Error::OutOfMemory { .. } | Error::Allocator { .. } => "MemoryError",
            Error::Unsupported { .. } => "NotImplementedError",
            Error::Failed { source, .. } => source.class(),
            Error::Io(_) => "OSError",
            Error::Device { .. }
            | Error::NotCapturable { .. }
            | Error::Launch { .. }
            | Error::Refused { .. }
            | Error::Observations { .. } => "RuntimeError",
        }
    }

    /// Tests whether ndany lacks what was asked for, in contrast to a mistake of the caller.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let error = ndany::checked::concatenate([zeros(2, ..), zeros((2, 2), ..)], 0).unwrap_err();
    /// assert!(!error.is_unsupported());
    /// ```
    pub fn is_unsupported(&self) -> bool {
        match self {
            Error::Unsupported { .. } => true,
            Error::Failed { source, .. } => source.is_unsupported(),
            _ => false,
        }
    }
}

/// What an error says of the result that an operation failed to make: [`Error::Failed`] around the cause.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The operation that was asked for.
    pub op: &'static str,
    /// Shape of its result.
    pub shape: &'a [usize],
    /// Dtype of its result.
    pub dtype: DType,
    /// The call that asked for it.
    pub location: CallSite,
    /// What a position out of range stands for, in place of [`Error::Position`].
    pub meaning: Option<&'a PositionMeaning>,
}

/// The error that a position out of range stands for.
#[derive(Clone)]
pub struct PositionMeaning(pub Arc<dyn Fn(isize) -> Error + Send + Sync>);

impl std::fmt::Debug for PositionMeaning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PositionMeaning")
    }
}

impl Origin<'_> {
    /// The error of the result. A cause that has an origin, of an operand, keeps that one.
    pub fn failed(&self, cause: Error) -> Error {
        let Origin { op, shape, dtype, location, meaning } = *self;
        let cause = match (cause, meaning) {
            (Error::Position { position, .. }, Some(PositionMeaning(error))) => error(position),
            (cause, _) => cause,
        };
        match cause {
            carried @ Error::Failed { .. } => carried,
            first => Error::Failed {
                source: Arc::new(first),
                op,
                shape: shape.into(),
                dtype,
                origin: location,
            },
        }
    }

    /// [`Origin::failed`], for errors that turn up after the call has returned.
    pub fn keep(self) -> impl Fn(Error) -> Error + Send + Sync + use<> {
        let Origin { op, shape, dtype, location, meaning } = self;
        let (shape, meaning) = (shape.to_vec(), meaning.cloned());
        move |cause| {
            let meaning = meaning.as_ref();
            Origin { op, shape: &shape, dtype, location, meaning }.failed(cause)
        }
    }
}

impl From<IoError> for Error {
    fn from(error: IoError) -> Self {
        Error::Io(Arc::new(error))
    }
}
