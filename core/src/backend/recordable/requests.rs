//! Requests of each kind as closures that make them again.

use std::sync::Arc;

use smallvec::SmallVec;

use super::super::*;
use super::recorder::{Memories, Places, Run};
use crate::program::Program;
use crate::shape::{Shape, Strides};

/// A request that can be kept.
pub(super) trait Kept {
    /// What it is, and how it is made again.
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run);
}

fn named(name: &str) -> RecordedStep {
    RecordedStep { name: name.to_string(), grid: [0; 3], block: [0; 3], bytes: 0 }
}

/// A view without its memory.
#[derive(Clone)]
struct View {
    memory: usize,
    dtype: DType,
    offset: usize,
    strides: Strides,
}

impl View {
    fn read(view: &StridedView<'_>, places: &mut Places<'_>) -> Self {
        Self::of(view, places.read(view.memory))
    }

    fn written(view: &StridedView<'_>, places: &mut Places<'_>) -> Self {
        Self::of(view, places.written(view.memory))
    }

    fn of(view: &StridedView<'_>, memory: usize) -> Self {
        let (dtype, offset, strides) = (view.dtype, view.offset, view.strides.clone());
        Self { memory, dtype, offset, strides }
    }

    fn on<'m>(&self, memories: &'m Memories) -> StridedView<'m> {
        let (dtype, offset, strides) = (self.dtype, self.offset, self.strides.clone());
        StridedView { memory: memories.at(self.memory), dtype, offset, strides }
    }
}

/// Pieces without their memory.
#[derive(Clone, Copy)]
struct Pieces {
    memory: usize,
    offset: usize,
}

impl Pieces {
    fn read(view: &ContiguousView<'_>, places: &mut Places<'_>) -> Self {
        Self { memory: places.read(view.memory), offset: view.offset }
    }

    fn written(view: &ContiguousView<'_>, places: &mut Places<'_>) -> Self {
        Self { memory: places.written(view.memory), offset: view.offset }
    }

    fn on<'m>(&self, memories: &'m Memories) -> ContiguousView<'m> {
        ContiguousView { memory: memories.at(self.memory), offset: self.offset }
    }
}

/// An origin with a shape of its own.
struct OwnOrigin {
    op: &'static str,
    shape: Shape,
    dtype: DType,
    location: crate::CallSite,
    meaning: Option<PositionMeaning>,
}

impl OwnOrigin {
    fn of(origin: &Origin<'_>) -> Self {
        let Origin { op, shape, dtype, location, meaning } = *origin;
        Self { op, shape: Shape::from_slice(shape), dtype, location, meaning: meaning.cloned() }
    }

    fn get(&self) -> Origin<'_> {
        let Self { op, ref shape, dtype, location, ref meaning } = *self;
        Origin { op, shape, dtype, location, meaning: meaning.as_ref() }
    }

    /// An error of the request, as the call has told it.
    fn failed(&self, error: crate::error::Error) -> crate::error::Error {
        let error = match error {
            crate::error::Error::Index { index, axis, size, .. } => {
                crate::error::Error::Index { op: self.op, index, axis, size }
            }
            other => other,
        };
        self.get().failed(error)
    }
}

/// A launch without its memories.
struct OwnLaunch {
    program: Checked<Program>,
    shape: Shape,
    row_axes: usize,
    inputs: SmallVec<[View; 4]>,
    scalars: SmallVec<[u64; 4]>,
    outputs: SmallVec<[View; 2]>,
    made_of: Vec<SmallVec<[u16; 8]>>,
    origin: Option<OwnOrigin>,
    slot: Option<usize>,
}

impl OwnLaunch {
    fn of(launch: &Launch<'_>, places: &mut Places<'_>) -> Self {
        places.slot(launch.slot);
        Self {
            program: launch.program.cloned(),
            shape: launch.shape.clone(),
            row_axes: launch.row_axes,
            inputs: launch.inputs.iter().map(|view| View::read(view, places)).collect(),
            scalars: launch.scalars.clone(),
            outputs: launch.outputs.iter().map(|view| View::written(view, places)).collect(),
            made_of: launch.made_of.clone(),
            origin: launch.origin.as_ref().map(OwnOrigin::of),
            slot: launch.slot,
        }
    }

    fn on<'m>(&'m self, memories: &'m Memories, slots: &[u64]) -> Launch<'m> {
        let mut scalars = self.scalars.clone();
        if let Some((first, slot)) = scalars.first_mut().zip(self.slot) {
            *first = first.wrapping_add(slots[slot]);
        }
        Launch {
            program: self.program.by_ref(),
            prepared: None,
            shape: self.shape.clone(),
            row_axes: self.row_axes,
            inputs: self.inputs.iter().map(|view| view.on(memories)).collect(),
            scalars,
            outputs: self.outputs.iter().map(|view| view.on(memories)).collect(),
            made_of: self.made_of.clone(),
            origin: self.origin.as_ref().map(OwnOrigin::get),
            slot: self.slot,
        }
    }

    fn worded(&self, done: Result<()>) -> Result<()> {
        done.map_err(|error| match &self.origin {
            Some(origin) => origin.failed(error),
            None => error,
        })
    }
}

/// Requests that are a launch and nothing else.
macro_rules! launches {
    ($($request:ident($($life:lifetime),*) $name:ident;)*) => {
        $(
            impl Kept for $request<$($life),*> {
                fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
                    let own = OwnLaunch::of(&self.launch, places);
                    let run: Run = Box::new(move |device, memories, slots| {
                        let launch = own.on(memories, slots);
                        let done = || device.$name(Checked::new(&launches!(@of $request launch))?);
                        own.worded(done())
                    });
                    (named(stringify!($name)), run)
                }
            }
        )*
    };
    (@of Scan $launch:ident) => { Scan { launch: $launch.clone() } };
    (@of $request:ident $launch:ident) => { $request { launch: &$launch } };
}

launches! {
    Map('_, '_) map;
    Reduce('_, '_) reduce;
    FusedRowwise('_, '_) fused_rowwise;
    Scan('_) scan;
}

impl Kept for SegmentedReduce<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { order, segments, .. } = *self;
        let own = OwnLaunch::of(&self.launch, places);
        let [starts, ends] = [&self.starts, &self.ends].map(|view| View::read(view, places));
        let run: Run = Box::new(move |device, memories, slots| {
            let launch = own.on(memories, slots);
            let (starts, ends) = (starts.on(memories), ends.on(memories));
            let request = SegmentedReduce { launch, order, segments, starts, ends };
            own.worded(Checked::new(&request).and_then(|request| device.segmented_reduce(request)))
        });
        (named("segmented_reduce"), run)
    }
}

impl Kept for FoldLeft<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { parts, has_initial, store_all, .. } = *self;
        let own = OwnLaunch::of(&self.launch, places);
        let run: Run = Box::new(move |device, memories, slots| {
            let launch = own.on(memories, slots);
            let request = FoldLeft { launch, parts, has_initial, store_all };
            own.worded(Checked::new(&request).and_then(|request| device.fold_left(request)))
        });
        (named("fold_left"), run)
    }
}

impl Kept for Sort<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { rows, length, write, .. } = *self;
        let (source, output) =
            (View::read(&self.source, places), View::written(&self.output, places));
        let run: Run = Box::new(move |device, memories, _| {
            let (source, output) = (source.on(memories), output.on(memories));
            device.sort(Checked::new(&Sort { rows, length, source, output, write })?)
        });
        (named("sort"), run)
    }
}

impl Kept for NthElement<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { rows, length, place, write, .. } = *self;
        let (source, output) =
            (View::read(&self.source, places), View::written(&self.output, places));
        let run: Run = Box::new(move |device, memories, _| {
            let (source, output) = (source.on(memories), output.on(memories));
            let request = NthElement { rows, length, place, source, output, write };
            device.nth_element(Checked::new(&request)?)
        });
        (named("nth_element"), run)
    }
}

impl Kept for Search<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { rows, length, count, after_equal, write, .. } = *self;
        let [sorted, needles] = [&self.sorted, &self.needles].map(|view| View::read(view, places));
        let output = View::written(&self.output, places);
        let run: Run = Box::new(move |device, memories, _| {
            let [sorted, needles, output] =
                [&sorted, &needles, &output].map(|view| view.on(memories));
            let request =
                Search { rows, length, count, sorted, needles, output, after_equal, write };
            device.search(Checked::new(&request)?)
        });
        (named("search"), run)
    }
}

impl Kept for Matmul<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let (Self { m, k, n, .. }, batch) = (self, self.batch.clone());
        let (m, k, n) = (*m, *k, *n);
        let [left, right] = [&self.left, &self.right].map(|view| View::read(view, places));
        let out = View::written(&self.out, places);
        let run: Run = Box::new(move |device, memories, _| {
            let [left, right, out] = [&left, &right, &out].map(|view| view.on(memories));
            let request = Matmul { batch: batch.clone(), m, k, n, left, right, out };
            device.matmul(Checked::new(&request)?)
        });
        (named("matmul"), run)
    }
}

impl Kept for Correlate<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { dtype, length, taps, outputs, before, .. } = *self;
        let [long, short] = [&self.long, &self.short].map(|view| Pieces::read(view, places));
        let output = Pieces::written(&self.output, places);
        let run: Run = Box::new(move |device, memories, _| {
            let [long, short, output] = [long, short, output].map(|pieces| pieces.on(memories));
            let request = Correlate { dtype, length, taps, outputs, before, long, short, output };
            device.correlate(Checked::new(&request)?)
        });
        (named("correlate"), run)
    }
}

/// Positions without their memory.
struct OwnPositions {
    place: View,
    extent: usize,
    stride: isize,
    axis: usize,
    bounds_checked: bool,
}

impl OwnPositions {
    fn of(positions: &Positions<'_>, places: &mut Places<'_>) -> Self {
        let Positions { extent, stride, axis, bounds_checked, .. } = *positions;
        Self { place: View::read(&positions.place, places), extent, stride, axis, bounds_checked }
    }

    fn on<'m>(&self, memories: &'m Memories) -> Positions<'m> {
        let Self { extent, stride, axis, bounds_checked, .. } = *self;
        Positions { place: self.place.on(memories), extent, stride, axis, bounds_checked }
    }
}

impl Kept for Gather<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let (shape, source) = (self.shape.clone(), View::read(&self.source, places));
        let positions: Vec<OwnPositions> =
            self.positions.iter().map(|own| OwnPositions::of(own, places)).collect();
        let (out, origin) = (View::written(&self.out, places), OwnOrigin::of(&self.origin));
        let run: Run = Box::new(move |device, memories, _| {
            let request = Gather {
                shape: shape.clone(),
                source: source.on(memories),
                positions: positions.iter().map(|own| own.on(memories)).collect(),
                out: out.on(memories),
                origin: origin.get(),
            };
            let done = Checked::new(&request).and_then(|request| device.gather(request));
            done.map_err(|error| origin.failed(error))
        });
        (named("gather"), run)
    }
}

impl Kept for Scatter<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let (shape, combine) = (self.shape.clone(), self.combine);
        let (target, values) =
            (View::written(&self.target, places), View::read(&self.values, places));
        let positions: Vec<OwnPositions> =
            self.positions.iter().map(|own| OwnPositions::of(own, places)).collect();
        let origin = OwnOrigin::of(&self.origin);
        let run: Run = Box::new(move |device, memories, _| {
            let request = Scatter {
                shape: shape.clone(),
                target: target.on(memories),
                positions: positions.iter().map(|own| own.on(memories)).collect(),
                values: values.on(memories),
                combine,
                origin: origin.get(),
            };
            let done = Checked::new(&request).and_then(|request| device.scatter(request));
            done.map_err(|error| origin.failed(error))
        });
        (named("scatter"), run)
    }
}

impl Kept for Select<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let (shape, count) = (self.shape.clone(), self.count);
        let mask = View::read(&self.mask, places);
        let source = self.source.as_ref().map(|view| View::read(view, places));
        let out = View::written(&self.out, places);
        let run: Run = Box::new(move |device, memories, _| {
            let source = source.as_ref().map(|view| view.on(memories));
            let (shape, mask, out) = (shape.clone(), mask.on(memories), out.on(memories));
            device.select(Checked::new(&Select { shape, mask, source, count, out })?)
        });
        (named("select"), run)
    }
}

impl Kept for Factor<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { task, dtype, batch, rows, columns, .. } = *self;
        let inputs: Vec<Pieces> =
            self.inputs.iter().map(|view| Pieces::read(view, places)).collect();
        let outputs: Vec<Pieces> =
            self.outputs.iter().map(|view| Pieces::written(view, places)).collect();
        let status = Pieces::written(&self.status, places);
        let run: Run = Box::new(move |device, memories, _| {
            let [inputs, outputs] = [&inputs, &outputs].map(|all| -> Vec<ContiguousView<'_>> {
                all.iter().map(|pieces| pieces.on(memories)).collect()
            });
            let (inputs, outputs, status) = (&inputs[..], &outputs[..], status.on(memories));
            let request = Factor { task, dtype, batch, rows, columns, inputs, outputs, status };
            super::has(device.linear_algebra()).factor(Checked::new(&request)?)
        });
        (named("factor"), run)
    }
}

impl Kept for Transform<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { kind, part, rows, beside, across, length, scale, .. } = *self;
        let (input, output) =
            (Pieces::read(&self.input, places), Pieces::written(&self.output, places));
        let run: Run = Box::new(move |device, memories, _| {
            let (input, output) = (input.on(memories), output.on(memories));
            let request =
                Transform { kind, part, rows, beside, across, length, scale, input, output };
            super::has(device.fourier()).transform(Checked::new(&request)?)
        });
        (named("transform"), run)
    }
}

/// An argument of a kernel without its memory.
enum OwnArgument {
    Scalar(u64),
    Complex([u64; 2]),
    Array { memory: usize, offset: usize, shape: Shape },
}

impl Kept for SimtLaunch<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let Self { grid, block, .. } = *self;
        let (kernel, origin) = (Arc::clone(self.kernel), OwnOrigin::of(&self.origin));
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for (argument, parameter) in self.arguments.iter().zip(kernel.parameters()) {
            arguments.push(match argument {
                SimtArgument::Scalar(bits) => OwnArgument::Scalar(*bits),
                SimtArgument::Complex(bits) => OwnArgument::Complex(*bits),
                SimtArgument::Array { memory, offset, shape } => {
                    let writes = matches!(
                        parameter.kind,
                        crate::simt::ParameterKind::Array { writes: true, .. }
                    );
                    let memory =
                        if writes { places.written(*memory) } else { places.read(*memory) };
                    OwnArgument::Array { memory, offset: *offset, shape: shape.clone() }
                }
            });
        }
        let name = RecordedStep { name: kernel.name().to_string(), grid, block, bytes: 0 };
        let run: Run = Box::new(move |device, memories, _| {
            let argument = |own: &OwnArgument| match own {
                OwnArgument::Scalar(bits) => SimtArgument::Scalar(*bits),
                OwnArgument::Complex(bits) => SimtArgument::Complex(*bits),
                OwnArgument::Array { memory, offset, shape } => SimtArgument::Array {
                    memory: memories.at(*memory),
                    offset: *offset,
                    shape: shape.clone(),
                },
            };
            let arguments = arguments.iter().map(argument).collect();
            let request =
                SimtLaunch { kernel: &kernel, grid, block, arguments, origin: origin.get() };
            let launched = Checked::new(&request)
                .and_then(|request| super::has(device.simt()).launch(request));
            launched.map_err(|error| origin.failed(error))
        });
        (name, run)
    }
}

/// Bytes that come from the host.
pub(super) struct Written<'a> {
    pub(super) memory: &'a dyn Memory,
    pub(super) bytes: &'a [u8],
}

impl Kept for Written<'_> {
    fn keep(&self, places: &mut Places<'_>) -> (RecordedStep, Run) {
        let (memory, bytes) = (places.written(self.memory), self.bytes.to_vec());
        let name = RecordedStep { bytes: bytes.len(), ..named("write") };
        (name, Box::new(move |device, memories, _| device.write(memories.at(memory), &bytes)))
    }
}
