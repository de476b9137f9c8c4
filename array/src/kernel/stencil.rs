//! Stencils made of closures: kernels of an element and its neighbours at constant offsets.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::ops::lowering::LoweredValue;
use ndany_core::program::{Body, Builder, Domain, Input, Op, Prim, Program, RegType, SsaValue};
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::params::{Param, Params};
use super::record::{self, array};
use super::scope::{Part, Scope};
use super::val::KernelOperand;
use super::whole::KernelPositions;
use super::{Operands, Val};
use crate::declare::expect;
use crate::graph::kernel::{Fact, TracedOutput};
use crate::graph::node::{Arg, Constant};
use crate::graph::stencil::{Read, StencilCall, TracedStencil};
use crate::graph::{Array, Operand, constant, device_of};
use crate::scalar::Scalar;
use ndany_core::shape::{self, Shape};

/// Maximum number of different elements that a stencil reads.
const MAX_READS: usize = 512;

/// Words of a launch for the operands of the interior, at most. With more, all results are computed as those at borders are.
const MAX_WORDS: usize = 384;

/// What a stencil reads beyond the edges of an operand, as the modes of [`pad`](crate::Array::pad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// This value, converted to the dtype of the operand; `mode='constant'` of `np.pad` and of `scipy.ndimage`.
    Constant(Scalar),
    /// The nearest element; `mode='edge'` of `np.pad`, `'nearest'` of `scipy.ndimage`.
    Edge,
    /// The array mirrored at its first and last element; `mode='reflect'` of `np.pad`, `'mirror'` of `scipy.ndimage`.
    Reflect,
    /// The array mirrored at its edges, so that the first and last element come twice; `mode='symmetric'` of `np.pad`, `'reflect'` of
    /// `scipy.ndimage`.
    Symmetric,
    /// The array again and again; `mode='wrap'` of both.
    Wrap,
    /// Nothing there is, so a read beyond the edges is an error of the results, which names the kernel, the operand, the axis and the
    /// position, as [`Val::at`] without a rule in an elementwise kernel. Such a read stands in a loop or a branch
    /// ([`repeat_while`](super::Scope::repeat_while)) that elements at the edges do not take: one that an element does not take reads
    /// nothing.
    Error,
    /// Nothing: results are those whose reads are all within the operands, so there are fewer; `mode='valid'` of `np.convolve`.
    Valid,
}

impl Default for Boundary {
    /// Zeros.
    fn default() -> Self {
        Boundary::Constant(Scalar::from(0))
    }
}

type Closure<const N: usize, const M: usize> =
    dyn for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; M] + Send + Sync;

/// What was recorded, by the dtypes of operands and the number of axes.
type Recordings = Mutex<HashMap<(SmallVec<[DType; 4]>, usize), Arc<TracedCode>>>;

/// A stencil of `N` operands and `M` results. Clones share what was recorded.
#[derive(Clone)]
pub struct Stencil<const N: usize, const M: usize> {
    name: &'static str,
    closure: Arc<Closure<N, M>>,
    params: Params,
    boundary: Boundary,
    traced: Arc<Recordings>,
}

/// A stencil as it was recorded, and what it asks of a call.
#[derive(Debug)]
struct TracedCode {
    kernel: TracedStencil,
    facts: SmallVec<[Fact; 2]>,
}

/// Makes a stencil of a closure: each result is made of elements at constant offsets from its own place.
///
/// The closure reads its operands by [`Val::at`] with integers, one for each axis: `u.at([0, 0])` is the element at the place of the
/// result, `u.at([-1, 0])` the one before it along axis 0. [`Val::window`] reads all elements around. What is read beyond the edges
/// is said by [`Stencil::boundary`].
///
/// The interior, where no read is beyond an edge, is computed as any elementwise operation of views is, at the speed of memory;
/// the borders are computed by the same code, with reads by position.
///
/// - **Shapes**: `(…), (…) → (…)`, broadcast. It runs when it is called, after its operands.
/// - **Dtypes**: any; results have the dtypes that the closure makes.
/// - **Errors**: those of [`Stencil::call`].
///
/// ```
/// use ndany::{kernel::stencil, prelude::*};
/// // One step of heat in a plate whose edges are held at zero.
/// let heat = stencil("heat", |_, [u]| {
///     let around = u.at([-1, 0]) + u.at([1, 0]) + u.at([0, -1]) + u.at([0, 1]);
///     [u.at([0, 0]) + (around - 4 * u.at([0, 0])) / 5]
/// });
/// let u = array([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]);
/// assert_eq!(heat.call([&u])[0].to_string(), "[[0. 1. 0.]\n [1. 1. 1.]\n [0. 1. 0.]]");
/// ```
pub fn stencil<const N: usize, const M: usize>(
    name: &'static str,
    closure: impl for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; M] + Send + Sync + 'static,
) -> Stencil<N, M> {
    Stencil {
        name,
        closure: Arc::new(closure),
        params: Params::default(),
        boundary: Boundary::default(),
        traced: Arc::default(),
    }
}

impl<const N: usize, const M: usize> Stencil<N, M> {
    /// Declares a parameter, as [`Elementwise::param`](super::Elementwise::param).
    ///
    /// ```
    /// use ndany::{kernel::stencil, prelude::*};
    /// let decay = stencil("decay", |k, [x]| [x.at([0]) + k.param("rate") * x.at([-1])]).param("rate", F64, 0.5);
    /// assert_eq!(decay.call([&array([2.0, 4.0])])[0].to_string(), "[2. 5.]");
    /// ```
    pub fn param(mut self, name: &'static str, dtype: DType, value: impl Into<Scalar>) -> Self {
        self.params.declare(name, dtype, value.into());
        // Other parameters are other kernels.
        self.traced = Arc::default();
        self
    }

    /// Returns the same stencil with another value of a parameter.
    ///
    /// ```
    /// use ndany::{kernel::stencil, prelude::*};
    /// let scaled = stencil("scaled", |k, [x]| [x.at([1]) * k.param("by")]).param("by", F64, 3);
    /// assert_eq!(scaled.with("by", 5).call([&array([1.0, 2.0])])[0].to_string(), "[10.  0.]");
    /// ```
    ///
    /// # Panics
    /// If no parameter has the name.
    #[track_caller]
    pub fn with(&self, name: &str, value: impl Into<Scalar>) -> Self {
        let mut own = self.clone();
        expect(own.params.set(self.name, name, value.into()));
        own
    }

    /// Sets what is read beyond the edges of operands: zeros, unless this says something else.
    ///
    /// ```
    /// use ndany::{kernel::{Boundary, stencil}, prelude::*};
    /// let next = stencil("next", |_, [x]| [x.at([1])]);
    /// let x = array([1, 2, 3]);
    /// assert_eq!(next.call([&x])[0].to_string(), "[2 3 0]");
    /// assert_eq!(next.clone().boundary(Boundary::Wrap).call([&x])[0].to_string(), "[2 3 1]");
    /// assert_eq!(next.boundary(Boundary::Valid).call([&x])[0].to_string(), "[2 3]");
    /// ```
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self.traced = Arc::default();
        self
    }

    /// Returns the results of the stencil over arrays, which broadcast to each other before they are read.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast; with [`Boundary::Valid`] less what is read beyond each element.
    /// - **Dtypes**: any.
    /// - **Errors**: shapes that do not broadcast, operands on two devices, a number as an operand, and what the closure asks for in
    ///   vain: offsets that are not constant, or of another number of axes, positions, operations that dtypes refuse. With
    ///   [`Boundary::Error`] a read beyond the edges is an error of the results.
    ///
    /// ```
    /// use ndany::{kernel::{Boundary, stencil}, prelude::*};
    /// let slope = stencil("slope", |_, [x, h]| [(x.at([1]) - x.at([-1])) / (2 * h.at([0]))]).boundary(Boundary::Edge);
    /// let [s] = slope.call([&array([1.0, 3.0, 7.0]), &array([0.5])]);
    /// assert_eq!(s.to_string(), "[2. 6. 4.]");
    /// ```
    ///
    /// # Panics
    /// Where [`Stencil::try_call`] returns an error.
    #[track_caller]
    pub fn call(&self, operands: impl Operands<N>) -> [Array; M] {
        expect(self.try_call(operands))
    }

    /// [`Stencil::call`], with errors as values.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast.
    /// - **Dtypes**: as [`Stencil::call`].
    /// - **Errors**: as [`Stencil::call`].
    ///
    /// ```
    /// use ndany::{kernel::stencil, prelude::*};
    /// let next = stencil("next", |_, [x]| [x.at([1])]);
    /// assert!(next.try_call([&zeros((2, 2), ..)]).is_err());
    /// ```
    #[track_caller]
    pub fn try_call(&self, operands: impl Operands<N>) -> Result<[Array; M]> {
        let operands = operands.operands();
        let device = device_of(self.name, &operands)?;
        let mut arrays: SmallVec<[Array; 4]> = SmallVec::new();
        for (number, operand) in operands.into_iter().enumerate() {
            match operand {
                Operand::Array(array) => arrays.push(array),
                Operand::Scalar(_) => {
                    return self.refuse(format!(
                        "operand {number}: expected an array, got a number: make it a parameter"
                    ));
                }
            }
        }
        let mut shape = Shape::new();
        for array in &arrays {
            shape = shape::broadcast(self.name, &shape, array.shape())?;
        }
        let dtypes: SmallVec<[DType; 4]> = arrays.iter().map(Array::dtype).collect();
        let code = self.traced(dtypes, shape.len())?;
        for array in &mut arrays {
            // Positions count upwards.
            if array.layout().strides.iter().any(|&stride| stride < 0) {
                *array = array.try_copy()?;
            }
            *array = array.broadcast_view(&shape);
        }
        let mut numbers: SmallVec<[Constant; 4]> = SmallVec::new();
        for (param, operand) in self.params.as_slice().iter().zip(self.params.operands()) {
            let Operand::Scalar(value) = operand else { unreachable!("parameters are numbers") };
            numbers.push(constant(self.name, &value, param.dtype)?);
        }
        for fact in &code.facts {
            if let Some(Arg::Scalar(value)) = fact.argument(self.name, &shape, &[])? {
                numbers.push(value);
            }
        }
        let kernel = &code.kernel;
        let fits = kernel.reads.len() * (shape.len() + 1) <= MAX_WORDS;
        if self.boundary == Boundary::Valid && !fits {
            let got = kernel.reads.len();
            return self.refuse(format!("{got} elements are read: too many without a boundary"));
        }
        let call = StencilCall {
            kernel,
            operands: &arrays,
            numbers: &numbers,
            shape: &shape,
            device: &device,
        };
        Ok(record::results(call.run(fits)))
    }

    fn refuse<T>(&self, reason: String) -> Result<T> {
        Err(Error::Arguments { op: self.name.to_string(), reason })
    }

    /// The kernel for these dtypes, recorded once.
    fn traced(&self, dtypes: SmallVec<[DType; 4]>, ndim: usize) -> Result<Arc<TracedCode>> {
        let known = || self.traced.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (dtypes, ndim);
        if let Some(kernel) = known().get(&key) {
            return Ok(kernel.clone());
        }
        // The lock is not held while the closure runs, which may call kernels.
        let kernel = Arc::new(self.record(&key.0, ndim)?);
        Ok(known().entry(key).or_insert(kernel).clone())
    }

    /// Runs the closure until nothing is asked for that was not known, then writes the programs.
    fn record(&self, dtypes: &[DType], ndim: usize) -> Result<TracedCode> {
        let mut facts: SmallVec<[Fact; 2]> = SmallVec::new();
        let mut reads: Vec<Read> = Vec::new();
        let recording = |place, facts: &[Fact], reads: &[Read]| {
            let recording = Recording {
                name: self.name,
                dtypes,
                ndim,
                params: self.params.as_slice(),
                facts,
                reads,
                place,
            };
            recording.run(|scope, values| (self.closure)(scope, array(values)))
        };
        let (interior, outputs) = loop {
            let recorded = recording(Place::Interior, &facts, &reads)?;
            if recorded.asked.is_empty() && recorded.wanted.is_empty() {
                break (recorded.body, recorded.outputs);
            }
            facts.extend(recorded.asked);
            reads.extend(recorded.wanted);
            if reads.len() > MAX_READS {
                return self.refuse(format!("expected {MAX_READS} elements read at most"));
            }
        };
        record::steps(self.name, &[&interior])?;
        let border = match self.boundary {
            Boundary::Valid => None,
            boundary => Some(recording(Place::Border(boundary), &facts, &reads)?.body),
        };
        let numbers = self.params.as_slice().iter().map(|param| param.dtype);
        let numbers: SmallVec<[DType; 4]> =
            numbers.chain(facts.iter().map(|_| DType::I64)).collect();
        let inputs = reads.iter().map(|read| dtypes[usize::from(read.operand)]);
        let interior = program(&interior, inputs.collect(), true, &numbers, &outputs);
        let border = border.map(|body| {
            let words = ndim * AXIS_WORDS + dtypes.len() * (ndim + 1);
            let numbers: SmallVec<[DType; 4]> =
                numbers.iter().copied().chain((0..words).map(|_| DType::I64)).collect();
            program(&body, dtypes.iter().copied().collect(), false, &numbers, &outputs)
        });
        let outputs = outputs.iter().map(|output| output.dtype).collect();
        let kernel = TracedStencil { name: self.name, outputs, reads, interior, border };
        Ok(TracedCode { kernel, facts })
    }
}

/// A program that computes a body: of these inputs, loaded or read by position, then of numbers.
fn program(
    body: &Body,
    inputs: SmallVec<[DType; 4]>,
    loads: bool,
    numbers: &[DType],
    outputs: &[TracedOutput],
) -> Program {
    let (builder, mut program) = (Builder::new(), Program::default());
    let mut arguments: SmallVec<[SsaValue<'_>; 8]> = SmallVec::new();
    for (number, &dtype) in inputs.iter().enumerate() {
        program.inputs.push(Input { dtype, domain: Domain::Element });
        for part in (0..=u8::from(dtype.is_complex())).filter(|_| loads) {
            let op = Op::Load { input: number as u16, part };
            arguments.push(builder.push(op, RegType::of(dtype), [0; 3]).mark(dtype));
        }
    }
    for dtype in numbers {
        let ty = RegType::of(*dtype);
        for _ in 0..=u8::from(dtype.is_complex()) {
            let number = program.scalars.len() as u16;
            program.scalars.push(ty);
            arguments.push(builder.push(Op::Scalar(number), ty, [0; 3]).mark(*dtype));
        }
    }
    let results = builder.inline(body, &arguments);
    let written = outputs.iter().map(|output| output.written(&results, Domain::Element));
    program.outputs.extend(written);
    builder.move_to(&mut program);
    program
}

/// Where results are computed.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// All reads are within the operands: they are arguments, before the numbers.
    Interior,
    /// Reads are by position, which come from numbers after the others.
    Border(Boundary),
}

/// Numbers of an axis at a border: how many elements of the region there are for each position, the extent of the region, its
/// origin, from where on it jumps, how far, and the extent of the axis.
const AXIS_WORDS: usize = 6;

/// What is recorded, and as what.
struct Recording<'a> {
    name: &'static str,
    dtypes: &'a [DType],
    ndim: usize,
    params: &'a [Param],
    facts: &'a [Fact],
    reads: &'a [Read],
    place: Place,
}

/// A body that was recorded, and what was not known that it would ask for.
struct Recorded {
    body: Body,
    outputs: SmallVec<[TracedOutput; 2]>,
    asked: SmallVec<[Fact; 2]>,
    wanted: Vec<Read>,
}

impl Recording<'_> {
    fn run<const M: usize>(
        &self,
        closure: impl for<'k> FnOnce(&'k Scope, &[Val<'k>]) -> [Val<'k>; M],
    ) -> Result<Recorded> {
        let scope = Scope::new(self.name, Part::Stencil, self.params);
        let operands: SmallVec<[Val<'_>; 8]> =
            (0..).zip(self.dtypes).map(|(operand, &dtype)| scope.whole(operand, dtype)).collect();
        let mut first = 0;
        match self.place {
            Place::Interior => {
                for read in self.reads {
                    let dtype = self.dtypes[usize::from(read.operand)];
                    let value = scope.argument(&mut first, dtype).value;
                    scope.give_read(read.clone(), value);
                }
                scope.give_numbers(&mut first, self.facts);
            }
            Place::Border(boundary) => {
                scope.give_numbers(&mut first, self.facts);
                self.border(&scope, boundary, first);
            }
        }
        scope.set_axes(self.ndim);
        let results = closure(&scope, &operands).map(|value| scope.usable(value));
        if let Some(error) = scope.take_error() {
            return Err(error);
        }
        let (outputs, results) = record::results_of(&results);
        let (asked, wanted) = (scope.take_asked(), scope.take_wanted());
        let mut program = Program::default();
        scope.builder.move_to(&mut program);
        let body = Body { instrs: program.instrs, loops: program.loops, results, known: None };
        Ok(Recorded { body, outputs, asked, wanted })
    }

    /// Reads all elements by position, from arguments that begin at `first`.
    fn border<'k>(&self, scope: &'k Scope, boundary: Boundary, first: u16) {
        let builder = &scope.builder;
        let number = |position: usize| {
            builder.push(Op::Argument(first + position as u16), RegType::I64, [0; 3])
        };
        let index = builder.push(Op::Index, RegType::I64, [0; 3]).bitcast(RegType::U64);
        let axes: SmallVec<[AxisPlace<'k>; 4]> = (0..self.ndim)
            .map(|axis| {
                let word = |word: usize| number(axis * AXIS_WORDS + word);
                let [inner, own, origin, split, jump, extent] = [0, 1, 2, 3, 4, 5].map(word);
                let place = index / inner.bitcast(RegType::U64);
                let place = match axis {
                    0 => place,
                    _ => place % own.bitcast(RegType::U64),
                };
                let place = place.bitcast(RegType::I64);
                let beyond = split.le(place);
                AxisPlace { own: place + origin + beyond.select(jump, jump.zero()), extent }
            })
            .collect();
        let words = |operand: usize| self.ndim * AXIS_WORDS + operand * (self.ndim + 1);
        if boundary == Boundary::Error {
            // What is read where an element does not come to it must not be looked at: each read stands where the closure has it,
            // and finds around it what it is made of.
            let operands = (0..self.dtypes.len()).map(|operand| {
                (0..=self.ndim).map(|word| number(words(operand) + word).reg()).collect()
            });
            scope.check_reads(CheckedReads {
                axes: axes.iter().map(|axis| [axis.own.reg(), axis.extent.reg()]).collect(),
                operands: operands.collect(),
            });
            return;
        }
        for read in self.reads {
            let operand = usize::from(read.operand);
            let size = number(words(operand) + self.ndim);
            let step = |axis: usize| number(words(operand) + axis);
            let dtype = self.dtypes[operand];
            let value = scope.read_by_position(read, dtype, boundary, &axes, size, step);
            scope.give_read(read.clone(), value);
        }
    }
}

/// The place of a result along an axis of the operands, and the extent of the axis.
#[derive(Clone, Copy, Debug)]
struct AxisPlace<'k> {
    own: SsaValue<'k>,
    extent: SsaValue<'k>,
}

/// The registers of which reads are made that are checked where they stand.
#[derive(Debug)]
pub(super) struct CheckedReads {
    /// The place and the extent along each axis.
    axes: SmallVec<[[u16; 2]; 4]>,
    /// The steps along each axis, and the number of elements, of each operand.
    operands: SmallVec<[SmallVec<[u16; 5]>; 4]>,
}

/// A position brought into the extent, by a rule that reads elements.
fn within<'k>(
    builder: &'k Builder,
    position: SsaValue<'k>,
    extent: SsaValue<'k>,
    boundary: Boundary,
) -> SsaValue<'k> {
    let (zero, one) = (position.zero(), position.one());
    let modulo = |period: SsaValue<'k>| {
        let rest = position % period;
        rest.lt(zero).select(rest + period, rest)
    };
    match boundary {
        Boundary::Edge => {
            let low = builder.prim(Prim::Max, &[position, zero]);
            builder.prim(Prim::Min, &[low, extent - one])
        }
        Boundary::Wrap => modulo(extent),
        Boundary::Reflect => {
            // Of one element all are that one: a remainder of 0 is 0.
            let period = (extent - one) + (extent - one);
            let place = modulo(period);
            builder.prim(Prim::Min, &[place, period - place])
        }
        Boundary::Symmetric => {
            let period = extent + extent;
            let place = modulo(period);
            builder.prim(Prim::Min, &[place, period - one - place])
        }
        Boundary::Constant(_) | Boundary::Error | Boundary::Valid => position,
    }
}

impl<const N: usize, const M: usize> fmt::Debug for Stencil<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stencil({}: {N} operands, {M} results)", self.name)
    }
}

impl<'k> Val<'k> {
    /// Reads all elements of a window around the place of the result, in C order: in [stencils](fn@stencil), of these extents.
    ///
    /// A window of 3 elements is those at -1, 0 and 1; of 4, those at -2 to 1, as in `scipy.ndimage`.
    ///
    /// ```
    /// use ndany::{kernel::{Boundary, stencil}, prelude::*};
    /// let largest = stencil("largest", |_, [x]| [x.window([3]).into_iter().reduce(|a, b| a.maximum(b)).unwrap()]);
    /// let largest = largest.boundary(Boundary::Edge);
    /// assert_eq!(largest.call([&array([1, 5, 2, 0])])[0].to_string(), "[5 5 5 2]");
    /// ```
    pub fn window<const D: usize>(self, extents: [usize; D]) -> Vec<Val<'k>> {
        let count: usize = extents.iter().fold(1, |count, &extent| count.saturating_mul(extent));
        if count > MAX_READS {
            self.scope
                .refuse(format!("a window of {count} elements: expected {MAX_READS} at most"));
            // The error is told when the closure is done.
            return vec![self.scope.placeholder(self.dtype); count.min(1 << 16)];
        }
        let element = |mut element: usize| {
            let mut offsets = [0i64; D];
            for (offset, &extent) in offsets.iter_mut().zip(&extents).rev() {
                *offset = (element % extent) as i64 - (extent / 2) as i64;
                element /= extent;
            }
            self.at(offsets)
        };
        (0..count).map(element).collect()
    }
}

impl Scope {
    /// An element at a constant offset.
    pub(super) fn read_at_offset<'k>(
        &'k self,
        whole: Val<'k>,
        wanted: KernelPositions<'k>,
    ) -> Val<'k> {
        let dtype = whole.dtype;
        let Some(operand) = whole.operand else {
            self.refuse("a value of one element is read at an offset: read an operand".to_string());
            return self.placeholder(dtype);
        };
        let Some(offsets) = wanted.offsets() else {
            let expected = "expected an array of constant integers of at most 32 bits, one for each axis, and no rule";
            self.refuse(format!("operand {operand} is read at offsets: {expected}"));
            return self.placeholder(dtype);
        };
        let ndim = self.axes.get();
        if offsets.len() != ndim {
            let got = offsets.len();
            self.refuse(format!("operand {operand} is read at {got} offsets: expected {ndim}"));
            return self.placeholder(dtype);
        }
        let read = Read { operand, offsets };
        if let Some(checked) = &*self.checked_reads.borrow() {
            let term = |reg: u16| self.builder.term(reg);
            let axes: SmallVec<[AxisPlace<'k>; 4]> = checked
                .axes
                .iter()
                .map(|&[own, extent]| AxisPlace { own: term(own), extent: term(extent) })
                .collect();
            let numbers = &checked.operands[usize::from(operand)];
            let (size, step) = (term(numbers[ndim]), |axis: usize| term(numbers[axis]));
            let value = self.read_by_position(&read, dtype, Boundary::Error, &axes, size, step);
            return self.val(value, dtype);
        }
        let known = self.reads.borrow().iter().find(|known| known.0 == read).map(|known| known.1);
        match known {
            Some(parts) => self.given_value(parts, dtype),
            None => {
                let mut wanted = self.wanted.borrow_mut();
                if !wanted.contains(&read) {
                    wanted.push(read);
                }
                Val { region: 0, ..self.placeholder(dtype) }
            }
        }
    }

    /// Reads an element at an offset by its position.
    fn read_by_position<'k>(
        &'k self,
        read: &Read,
        dtype: DType,
        boundary: Boundary,
        axes: &[AxisPlace<'k>],
        size: SsaValue<'k>,
        step: impl Fn(usize) -> SsaValue<'k>,
    ) -> LoweredValue<'k> {
        let (builder, operand) = (&self.builder, read.operand);
        let mut flat = size.zero();
        let mut inside: Option<SsaValue<'k>> = None;
        for (axis, &offset) in read.offsets.iter().enumerate() {
            let AxisPlace { own, extent } = axes[axis];
            let position = own + builder.int(RegType::I64, i64::from(offset));
            let position = match (offset, boundary) {
                (0, _) | (_, Boundary::Valid) => position,
                (_, Boundary::Constant(_)) => {
                    // Negative positions are the largest of all without a sign.
                    let own = position.bitcast(RegType::U64).lt(extent.bitcast(RegType::U64));
                    inside = Some(inside.map_or(own, |inside| inside & own));
                    position
                }
                (_, Boundary::Error) => {
                    let op = Op::BoundsCheck { operand, axis: axis as u8 };
                    builder.push(op, RegType::I64, [position.reg(), extent.reg(), 0])
                }
                (_, boundary) => within(builder, position, extent, boundary),
            };
            flat = flat + position * step(axis);
        }
        let part = |part| {
            let op = Op::Gather { input: u16::from(operand), part };
            builder.push(op, RegType::of(dtype), [flat.reg(), size.reg(), 0])
        };
        let value = match dtype.is_complex() {
            true => LoweredValue::Complex(part(0), part(1)),
            false => LoweredValue::Real(part(0).mark(dtype)),
        };
        match (inside, boundary) {
            (Some(inside), Boundary::Constant(fill)) => {
                let inside = self.val(LoweredValue::Real(inside), DType::Bool);
                let fill = self.number(&fill, dtype);
                self.choose(inside, self.val(value, dtype).into(), fill.into()).value
            }
            _ => value,
        }
    }

    /// Has every read checked where it stands.
    fn check_reads(&self, checked: CheckedReads) {
        *self.checked_reads.borrow_mut() = Some(checked);
    }

    /// Gives the value of an element that is read.
    pub(super) fn give_read(&self, read: Read, value: LoweredValue<'_>) {
        self.reads.borrow_mut().push((read, value.registers()));
    }

    /// The number of axes of a stencil.
    fn set_axes(&self, ndim: usize) {
        self.axes.set(ndim);
    }

    fn take_wanted(&self) -> Vec<Read> {
        self.wanted.take()
    }
}

impl<'k> KernelPositions<'k> {
    /// The positions as constant offsets.
    fn offsets(&self) -> Option<SmallVec<[i32; 4]>> {
        let offset = |position: &KernelOperand<'k>| match position {
            KernelOperand::Scalar(number) => i32::try_from(number.as_int()?).ok(),
            KernelOperand::Val(_) => None,
        };
        self.without_rule()?.iter().map(offset).collect()
    }
}
