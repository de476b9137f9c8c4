//! Graphs: what a closure does with arrays, recorded once and done again with one call.
//!
//! The closure runs once, on a device that records; what it asks of the device is the graph. `launch` has the device do it again
//! on other inputs. Values stay values: each launch makes new arrays.

mod inputs;
mod outputs;

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::array::Array;
use crate::attempt::attempt;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use crate::random::{Generator, SLOT};
use crate::recording::{self, Tracking};
use crate::scalar::Scalar;
use ndany_core::backend::{
    Checked, Graphs, Interface, Launch, Map, Memory, Recorded, StridedView, refusals,
};
use ndany_core::program::{Domain, Instr, Op, Output, Program, RegType};
use ndany_core::shape::{Shape, Strides};
use ndany_core::{DType, Error, Result};

pub use inputs::GraphInputs;
use inputs::{Checks, Given};
pub use outputs::GraphOutputs;
use outputs::{Made, Outputs};

/// What a closure did with `I` arrays to make `O` arrays, to be done again with one call, as `cupy.cuda.Graph`.
///
/// A launch skips what the host does for each operation: shapes, fusion, plans. Products of matrices, Fourier transforms,
/// factorizations, sorts, random numbers and kernels of a user are part of it like all else. The k-th launch has the bits of the
/// k-th call of the closure.
///
/// ```
/// use ndany::{Graph, prelude::*};
/// let blur = Graph::capture("blur", [&zeros(6, F32)], |_, [u]| {
///     [0.25 * u.roll(1, ..) + 0.5 * &u + 0.25 * u.roll(-1, ..)]
/// })?;
/// let mut u = array([0.0f32, 0.0, 16.0, 0.0, 0.0, 0.0]);
/// for _ in 0..2 {
///     [u] = blur.launch([&u])?;
/// }
/// assert_eq!(u.to_vec::<f32>()?, [1.0, 4.0, 6.0, 4.0, 1.0, 0.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone)]
pub struct Graph<const I: usize, const O: usize> {
    body: Arc<Body>,
    /// The bits of the parameters.
    params: SmallVec<[u64; 2]>,
}

/// What all handles of a graph share.
struct Body {
    name: &'static str,
    device: Device,
    recorded: Box<dyn Recorded>,
    inputs: Vec<Checks>,
    outputs: Outputs,
    params: Vec<Param>,
    generator: Option<Drawn>,
}

/// A number that changes from launch to launch.
#[derive(Clone, Copy, Debug)]
struct Param {
    name: &'static str,
    dtype: DType,
    /// Its bits when it was recorded.
    bits: u64,
}

/// What was drawn of the generator.
struct Drawn {
    /// As it was when the recording began.
    before: Generator,
    /// By how much a launch moves it on.
    blocks: u64,
}

/// What a closure records in: its parameters and its generator.
pub struct Capture {
    device: Device,
    params: Vec<Param>,
    generator: Option<Generator>,
    error: Option<Error>,
}

impl Capture {
    /// Returns a number that may be another one in each launch, as an array without axes; [`Graph::with`] sets it.
    ///
    /// - **Shapes**: `→ ()`.
    /// - **Dtypes**: `dtype`, one of real numbers.
    /// - **Errors** of the capture: a dtype of complex numbers, a value that the dtype does not hold.
    ///
    /// ```
    /// use ndany::{Graph, prelude::*};
    /// let x = array([1.0f32, 2.0]);
    /// let scaled = Graph::capture("scaled", [&x], |k, [x]| [x * k.param("by", F32, 10)])?;
    /// let [ten] = scaled.launch([&x])?;
    /// let [half] = scaled.with("by", 0.5).launch([&x])?;
    /// assert_eq!((ten.to_string(), half.to_string()), ("[10. 20.]".into(), "[0.5 1. ]".into()));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn param(&mut self, name: &'static str, dtype: DType, value: impl Into<Scalar>) -> Array {
        let number = self.params.len();
        match self.declare(name, dtype, value.into()) {
            Ok(()) => {}
            Err(error) => {
                self.error.get_or_insert(error);
                return crate::array::zeros((), dtype);
            }
        }
        // The first slot is the generator's.
        let slot = SLOT + 1 + number;
        let made = filled(&self.device, dtype, self.params[number].bits, slot);
        let shape = Shape::new();
        Array::of_node(Node::done("param", shape, dtype, self.device.clone(), made))
    }

    fn declare(&mut self, name: &'static str, dtype: DType, value: Scalar) -> Result<()> {
        let refused = |reason: String| Error::Arguments { op: "param".to_string(), reason };
        if dtype.is_complex() {
            return Err(refused(format!("parameter {name:?} of {dtype}: expected a real dtype")));
        }
        if self.params.iter().any(|param| param.name == name) {
            return Err(refused(format!("parameter {name:?} is declared twice")));
        }
        let bits = bits_of(dtype, value)?;
        self.params.push(Param { name, dtype, bits });
        Ok(())
    }

    /// Returns the generator that was given with the inputs.
    ///
    /// ```
    /// use ndany::{Generator, Graph, prelude::*};
    /// let (mut rng, mut same) = (Generator::new(7), Generator::new(7));
    /// let noise = Graph::capture("noise", (&rng, []), |k, []| [k.generator().random(4)])?;
    /// for _ in 0..3 {
    ///     let [drawn] = noise.launch((&mut rng, []))?;
    ///     assert!(drawn.array_equal(&same.random(4))?);
    /// }
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// If none was given.
    #[track_caller]
    pub fn generator(&mut self) -> &mut Generator {
        match &mut self.generator {
            Some(generator) => generator,
            None => crate::attempt::raise(Error::Arguments {
                op: "generator".to_string(),
                reason: "no generator was given: capture with (&generator, [inputs])".to_string(),
            }),
        }
    }
}

/// The register bits of a number in a dtype.
fn bits_of(dtype: DType, value: Scalar) -> Result<u64> {
    use crate::graph::node::Constant;
    let bits = Scalar::typed(dtype, value).bits_as("param", dtype)?;
    Ok(Constant::from_element_bits(dtype, bits).bits[0])
}

/// Memory with one number, which a slot moves.
fn filled(device: &Device, dtype: DType, bits: u64, slot: usize) -> Result<Buffer> {
    let ty = RegType::of(dtype);
    let mut program = Program::default();
    program.scalars.push(ty);
    program.instrs.push(Instr { op: Op::Scalar(0), ty, args: [0; 3] });
    program.outputs.push(Output { dtype, parts: [0; 2], domain: Domain::Element });
    let program = Checked::new(&program)?;
    let out = Buffer::allocate("param", device.backend(), dtype.size())?;
    let (shape, strides) = (Shape::new(), Strides::new());
    let output = StridedView { memory: out.memory(), dtype, offset: 0, strides };
    let launch = Launch {
        program,
        prepared: None,
        shape,
        row_axes: 0,
        inputs: SmallVec::new(),
        scalars: smallvec::smallvec![bits],
        outputs: smallvec::smallvec![output],
        made_of: Vec::new(),
        origin: None,
        slot: Some(slot),
    };
    device.backend().map(Checked::new(&Map { launch: &launch })?)?;
    drop(launch);
    Ok(out)
}

/// A recording under way, which ends with it.
struct Recording<'d> {
    graphs: &'d dyn Graphs,
}

impl<'d> Recording<'d> {
    fn begin(device: &'d Device) -> Result<Self> {
        let graphs = device.backend().graphs().ok_or_else(|| Error::Unsupported {
            op: "capture".to_string(),
            reason: format!("{device} records no graphs"),
        })?;
        graphs.begin()?;
        Ok(Self { graphs })
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        self.graphs.cancel();
    }
}

impl<const I: usize, const O: usize> Graph<I, O> {
    /// Records what a closure does with arrays like these, as `begin_capture` and `end_capture` of `cupy.cuda.Stream`.
    ///
    /// The closure runs once; the arrays that it returns are computed, and dropped. Launches take arrays of the same shapes and
    /// dtypes, on the same device. What the closure captures, and what it computes on the host, are constants of the graph. A
    /// [`Generator`] is given with the inputs: `(&generator, [&x])`.
    ///
    /// - **Errors**: what the closure raises; arrays on two devices; [`Error::NotCapturable`], if it waits for the device or reads
    ///   values on the host (`to_vec`, boolean masks, `nonzero`, `unique`, variates that are refused and drawn again).
    ///
    /// ```
    /// use ndany::{Graph, prelude::*};
    /// let (a, b) = (array([[1.0, 2.0], [3.0, 4.0]]), array([5.0, 6.0]));
    /// let solve = Graph::capture("solve", [&a, &b], |_, [a, b]| {
    ///     let x = linalg::solve(&a, &b);
    ///     let residual = (a.matmul(&x) - b).abs().max(..);
    ///     [x, residual]
    /// })?;
    /// let [x, residual] = solve.launch([&a, &(b * 2.0)])?;
    /// assert!(x.shape() == [2] && residual.item::<f64>()? < 1e-12);
    /// let reads = Graph::capture("reads", [&a], |_, [a]| Ok([&a * a.sum(..).item::<f64>()?]));
    /// assert_eq!(reads.unwrap_err().class(), "RuntimeError");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn capture<R: GraphOutputs<O>>(
        name: &'static str,
        inputs: impl GraphInputs<I>,
        closure: impl Fn(&mut Capture, [Array; I]) -> R,
    ) -> Result<Self> {
        let (arrays, before) = (inputs.arrays(), inputs.generator().cloned());
        let device = inputs::device_of(name, &arrays)?;
        let given = Given::all(name, &device, &arrays)?;
        let _guard = device.enter();
        let recording = Recording::begin(&device)?;
        let tracking = Tracking::begin();
        let generator = before.as_ref().map(|generator| generator.recorded());
        let mut capture =
            Capture { device: device.clone(), params: Vec::new(), generator, error: None };
        let handles = given.each_ref().map(|given| given.array.clone());
        let made = attempt(|| closure(&mut capture, handles).outputs())??;
        if let Some(error) = capture.error.take() {
            return Err(error);
        }
        let made = Made::all(name, made, &device, &given)?;
        let (outputs, memories) = Outputs::of(made, &tracking);
        let generator = match (before, &capture.generator) {
            (Some(before), Some(after)) => {
                Some(Drawn { blocks: before.drawn_until(after)?, before })
            }
            _ => None,
        };
        let interface = Interface {
            inputs: given.iter().map(|given| given.buffer.handle().clone()).collect(),
            outputs: memories.clone(),
            outside: tracking.end(),
        };
        let recorded = recording.graphs.end(interface)?;
        drop(recording);
        // The recorded run was made for its own sake: what failed in it fails here.
        for memory in memories {
            device.backend().read(memory.of_device(), 0, &mut [])?;
        }
        let inputs = given.into_iter().map(|given| given.checks).collect();
        let params = capture.params;
        let bits = params.iter().map(|param| param.bits).collect();
        let body = Body { name, device, recorded, inputs, outputs, params, generator };
        Ok(Self { body: Arc::new(body), params: bits })
    }

    /// Does again what was recorded, on these arrays, and returns its results, as `cupy.cuda.Graph.launch`.
    ///
    /// It runs in the thread's current stream and waits for nothing. A graph that was captured with a generator is launched with
    /// one of the same seed and stream, `(&mut generator, [&x])`, and moves it on.
    ///
    /// - **Shapes**: those of the recorded inputs and results.
    /// - **Dtypes**: likewise.
    /// - **Errors**: shapes, dtypes or a device other than those recorded, no memory left, what failed in the inputs.
    ///
    /// ```
    /// use ndany::{Graph, prelude::*};
    /// let mean = Graph::capture("mean", [&zeros((2, 3), ..)], |_, [x]| [x.mean(0)])?;
    /// let [rows] = mean.launch([&arange(6).reshape((2, 3)).astype(F64)])?;
    /// assert_eq!(rows.to_string(), "[1.5 2.5 3.5]");
    /// let error = mean.launch([&zeros((3, 2), ..)]).unwrap_err();
    /// assert_eq!(error.to_string(), "[mean] wrong shape: expected input 0 of (2, 3), got (3, 2)");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn launch(&self, inputs: impl GraphInputs<I>) -> Result<[Array; O]> {
        let Body { name, ref device, ref recorded, ref outputs, .. } = *self.body;
        recording::refuse(name, refusals::NESTED)?;
        let mut inputs = inputs;
        let slots = self.slots(&inputs)?;
        let arrays = inputs.arrays();
        let mut bound: SmallVec<[Array; 4]> = SmallVec::new();
        let mut memories: SmallVec<[Arc<dyn Memory>; 4]> = SmallVec::new();
        for (number, (array, checks)) in arrays.iter().zip(&self.body.inputs).enumerate() {
            let array = checks.bind(name, number, array, device)?;
            memories.push(array.buffer()?.handle().clone());
            bound.push(array);
        }
        let made = recorded.replay(&memories, &slots)?;
        if let (Some(generator), Some(drawn)) = (inputs.generator_mut(), &self.body.generator) {
            *generator = generator.moved(drawn.blocks);
        }
        Ok(outputs.arrays(name, device, &bound, made))
    }

    /// What is added to the first scalars of launches with slots.
    fn slots(&self, inputs: &impl GraphInputs<I>) -> Result<SmallVec<[u64; 4]>> {
        let Body { name, params, generator, .. } = &*self.body;
        let refused = |reason: String| Error::Arguments { op: name.to_string(), reason };
        let moved = match (generator, inputs.generator()) {
            (None, None) => 0,
            (Some(drawn), Some(given)) => match given.distance_from(&drawn.before) {
                Some(moved) => moved,
                None => {
                    let (seed, stream) = (drawn.before.seed(), drawn.before.stream_number());
                    let reason = format!(
                        "expected a generator of seed {seed} and stream {stream}, as recorded, got seed {} and stream {}",
                        given.seed(),
                        given.stream_number()
                    );
                    return Err(refused(reason));
                }
            },
            (Some(_), None) => {
                return Err(refused(
                    "expected a generator: launch with (&mut generator, [inputs])".to_string(),
                ));
            }
            (None, Some(_)) => {
                return Err(refused(
                    "it was captured without a generator: launch with [inputs]".to_string(),
                ));
            }
        };
        let of_params = self.params.iter().zip(params);
        let of_params = of_params.map(|(bits, param)| bits.wrapping_sub(param.bits));
        Ok(std::iter::once(moved).chain(of_params).collect())
    }

    /// Returns the same graph with another value of a parameter, as [`Capture::param`] names it.
    ///
    /// ```
    /// use ndany::{Graph, prelude::*};
    /// let x = arange(3);
    /// let power = Graph::capture("power", [&x], |k, [x]| [x.pow(k.param("n", I64, 2))])?;
    /// let [cubes] = power.with("n", 3).launch([&x])?;
    /// assert_eq!(cubes.to_string(), "[0 1 8]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// If no parameter has the name, or its dtype does not hold the value.
    #[track_caller]
    pub fn with(&self, name: &str, value: impl Into<Scalar>) -> Self {
        let Body { name: op, params, .. } = &*self.body;
        let set = || -> Result<Self> {
            let number = params.iter().position(|param| param.name == name).ok_or_else(|| {
                let reason = format!("there is no parameter {name:?}");
                Error::Arguments { op: op.to_string(), reason }
            })?;
            let mut own = self.clone();
            own.params[number] = bits_of(params[number].dtype, value.into())?;
            Ok(own)
        };
        match set() {
            Ok(graph) => graph,
            Err(error) => crate::attempt::raise(error),
        }
    }

    /// Returns how many bytes of device memory the graph keeps between launches.
    ///
    /// Arrays that its closure has captured do not count.
    ///
    /// ```
    /// use ndany::{Graph, prelude::*};
    /// let graph = Graph::capture("shifted", [&zeros(3, ..)], |_, [x]| [x + array([1.0, 2.0, 3.0])])?;
    /// assert!(graph.bytes() >= 3 * 8);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        self.body.recorded.bytes()
    }
}

/// The steps of the graph, a line each: the kernel or the call, its blocks and its threads.
impl<const I: usize, const O: usize> fmt::Display for Graph<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {}: {I} inputs, {O} outputs", self.body.name, self.body.device)?;
        for step in self.body.recorded.steps() {
            match step.grid {
                [0, ..] => writeln!(f, "  {}", step.name)?,
                grid => writeln!(f, "  {} {grid:?} {:?}", step.name, step.block)?,
            }
        }
        Ok(())
    }
}

impl<const I: usize, const O: usize> fmt::Debug for Graph<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.body.name)
            .field("recorded", &self.body.recorded)
            .finish_non_exhaustive()
    }
}
