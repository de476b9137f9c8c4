//! Random programs: expressions with sharing over every row of the table, casts, `where`, reductions,
//! scans, folds, views, joins and writes in place, over leaves of every dtype and layout.
//!
//! A step is kept if the engine takes it: each is tried on shadows, arrays of zeros of the same shapes
//! and dtypes that are never computed. Left out is what the promise of equal bits leaves out: matrix
//! products of floats, and reading the sign of a NaN.

mod folds;
mod streams;

use ndany::call::Value;
use ndany::{Array, DType, Device, Index, Kind, Scalar, zeros};
use ndany_core::ops::rows::{BINARY, UNARY};

use crate::kernels::Kernel;
use crate::program::{Arg, Program, Step, StepSchedule, Then};
use crate::random::Random;
use crate::run::apply;
use crate::values::{self, FLAVOURS};

/// How large the arrays are, and how long the programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A few elements: 0-d, empty, extents of 1, up to four axes.
    Small,
    /// Around a chunk of the canonical plan.
    Medium,
    /// More than 100,000 elements: chunks of chunks, and more than one thread's share.
    Large,
    /// Small arrays, and more steps than a tape may hold.
    Long,
    /// Rows that no block of a GPU holds, and operations that take memory of their own beside each other.
    Streams,
}

/// Dtypes of programs for several streams: their kernels are many, and are not the point there.
const FEW: [DType; 3] = [DType::I32, DType::I64, DType::F32];

struct Generator {
    random: Random,
    /// Where elements come from, if not from there.
    data: Option<Random>,
    size: Size,
    program: Program,
    shadows: Vec<Array>,
    /// Values that are not used any more.
    spent: Vec<usize>,
    theme: DType,
    space: Vec<usize>,
}

/// The program of this seed. Of a number of `structures` it has one, and elements, threads and streams of its own: so
/// many programs need no more kernels than those.
pub fn generate(seed: u64, size: Size, structures: Option<u64>) -> Program {
    let _guard = Device::open("reference").expect("always there").enter();
    let structure = structures.map_or(seed, |structures| seed % structures);
    let mut random = Random::new(structure.wrapping_mul(4) + size as u64);
    let data = structures.map(|_| Random::new(seed ^ 0xD47A));
    let theme = match size {
        Size::Streams => random.choice(&FEW),
        _ => random.choice(&DType::ALL),
    };
    let space = space(&mut random, size);
    let small = matches!(size, Size::Small | Size::Long);
    let program = Program::default();
    let space = if space.iter().product::<usize>() > 3000 && small { vec![3, 5] } else { space };
    let mut generator = Generator {
        random,
        data,
        size,
        program,
        shadows: Vec::new(),
        spent: Vec::new(),
        theme,
        space,
    };
    for _ in 0..1 + generator.random.below(3) {
        generator.some_leaf().expect("leaves fit");
    }
    let (low, high) = match size {
        Size::Small => (2, 14),
        Size::Medium => (2, 8),
        Size::Large => (2, 6),
        Size::Long => (70, 130),
        Size::Streams => (8, 16),
    };
    for _ in 0..generator.random.range(low, high) {
        // Most attempts fit; after ten that do not, the program is just shorter.
        (0..10).find_map(|_| generator.step());
    }
    let mut program = generator.finish();
    schedule(&mut program, structure, seed);
    program
}

/// Draws where steps run: by numbers of their own, so that programs are what they were without. What is started at once
/// decides what is fused, and belongs to the structure.
fn schedule(program: &mut Program, structure: u64, seed: u64) {
    let (mut then, mut random) = (Random::new(!structure), Random::new(seed ^ 0x5CA77E));
    let schedules = program.steps.iter().map(|_| StepSchedule {
        thread: random.below(StepSchedule::THREADS),
        stream: random.below(StepSchedule::STREAMS),
        then: match then.below(10) {
            0..4 => Then::Wait,
            4..9 => Then::Start,
            _ => Then::Read,
        },
    });
    program.schedules = schedules.collect();
}

/// The shape from which those of the leaves come.
fn space(random: &mut Random, size: Size) -> Vec<usize> {
    let around = |random: &mut Random, center: usize| center - 2 + random.below(80);
    match size {
        Size::Small | Size::Long => {
            let kind = random.below(100);
            let mut shape: Vec<usize> = (0..random.below(5)).map(|_| 1 + random.below(6)).collect();
            match kind {
                0..8 => shape.clear(),
                8..16 if !shape.is_empty() => {
                    let axis = random.below(shape.len());
                    shape[axis] = 0;
                }
                16..26 if !shape.is_empty() => {
                    let axis = random.below(shape.len());
                    shape[axis] = 100 + random.below(200);
                }
                26..34 => shape.iter_mut().for_each(|extent| *extent = 1),
                _ => {}
            }
            shape
        }
        Size::Medium => match random.below(6) {
            0 => vec![around(random, 4096)],
            1 => vec![around(random, 2 * 4096)],
            2 => vec![2 + random.below(5), 300 + random.below(500)],
            3 => vec![300 + random.below(500), 2 + random.below(5)],
            4 => vec![7, 2 + random.below(4), 60 + random.below(100)],
            _ => vec![1000 + random.below(3000)],
        },
        Size::Streams => match random.below(4) {
            0 | 1 => vec![4100 + random.below(3000)],
            2 => vec![2, 4097 + random.below(500)],
            _ => vec![2200 + random.below(500), 3],
        },
        Size::Large => match random.below(5) {
            0 => vec![100_000 + random.below(5000)],
            1 => vec![25 + random.below(3), around(random, 4096)],
            2 => vec![around(random, 4096), 25 + random.below(3)],
            3 => vec![3, 41, 827 + random.below(20)],
            _ => vec![26 * 4096 - 1 + random.below(3)],
        },
    }
}

impl Generator {
    fn limit(&self) -> usize {
        match self.size {
            Size::Small | Size::Long => 3000,
            Size::Medium | Size::Streams => 20_000,
            Size::Large => 130_000,
        }
    }

    /// Adds a step, if the engine takes it and the result is not too large.
    fn add(&mut self, step: Step) -> Option<usize> {
        let mut slots: Vec<_> =
            self.shadows.iter().map(|shadow| Some(Ok(shadow.clone()))).collect();
        let result = match &step {
            // Its bytes need not be copied to know what it looks like.
            Step::Leaf { dtype, shape, .. } => zeros(shape.as_slice(), *dtype),
            _ => apply(&step, &mut slots, |_| false).ok()?,
        };
        // The base of a strided leaf is larger than the leaf.
        let slack = if matches!(step, Step::Leaf { .. }) { 8 } else { 1 };
        if result.size() > slack * self.limit() || result.ndim() > 6 {
            return None;
        }
        self.shadows.push(zeros(result.shape(), result.dtype()));
        self.program.steps.push(step);
        Some(self.shadows.len() - 1)
    }

    fn call(
        &mut self,
        name: &'static str,
        args: Vec<Arg>,
        kwargs: Vec<(&'static str, Arg)>,
    ) -> Option<usize> {
        self.add(Step::Call { name, args, kwargs })
    }

    fn shape(&self, value: usize) -> Vec<usize> {
        self.shadows[value].shape().to_vec()
    }

    fn dtype(&self, value: usize) -> DType {
        self.shadows[value].dtype()
    }

    /// A value so far, a late one rather than an early one.
    fn value(&mut self) -> usize {
        let count = self.shadows.len();
        let value = self.random.below(count);
        if self.size != Size::Streams {
            return value.max(self.random.below(count));
        }
        // Chains of their own for several streams.
        let others: Vec<usize> = (0..count).filter(|value| !self.spent.contains(value)).collect();
        if others.is_empty() { value } else { self.random.choice(&others) }
    }

    fn some_dtype(&mut self) -> DType {
        if self.size == Size::Streams {
            return if self.random.percent(80) { self.theme } else { self.random.choice(&FEW) };
        }
        if self.random.percent(50) { self.theme } else { self.random.choice(&DType::ALL) }
    }

    /// A leaf whose shape broadcasts with the space.
    fn some_leaf(&mut self) -> Option<usize> {
        let mut shape = self.space.clone();
        if self.random.percent(25) && !shape.is_empty() {
            let axis = self.random.below(shape.len());
            shape[axis] = 1;
        }
        if self.random.percent(20) {
            shape.drain(..self.random.below(shape.len() + 1));
        }
        let dtype = self.some_dtype();
        self.leaf(dtype, &shape)
    }

    /// An array of this shape in one of the layouts.
    fn leaf(&mut self, dtype: DType, shape: &[usize]) -> Option<usize> {
        let flavour = self.random.choice(&FLAVOURS);
        let plain = |generator: &mut Self, shape: Vec<usize>| {
            let count = shape.iter().product();
            let random = generator.data.as_mut().unwrap_or(&mut generator.random);
            let bytes = values::bytes(random, dtype, count, flavour);
            generator.add(Step::Leaf { dtype, shape, bytes })
        };
        if shape.is_empty() {
            if self.random.percent(50) {
                return plain(self, vec![]);
            }
            let base = plain(self, vec![3])?;
            let at = Arg::Const(Value::from(self.random.range(-3, 2) as i64));
            return self.call("getitem", vec![Arg::Of(base), at], vec![]);
        }
        let axis = self.random.below(shape.len());
        let mut base = shape.to_vec();
        match self.random.below(8) {
            0..3 => plain(self, base),
            layout @ 3..6 => {
                let step = match layout {
                    3 => 2 + self.random.below(2),
                    _ => 1 + self.random.below(2),
                };
                let before = self.random.below(3);
                let extent = base[axis];
                base[axis] = before + extent * step + self.random.below(2);
                let (first, past) = (before as i64, (before + extent * step) as i64);
                let slice = match layout {
                    // From the last element of the window down to its first.
                    5 if extent > 0 => Value::Slice {
                        start: Some((past - 1).into()),
                        stop: (first > 0).then_some((first - 1).into()),
                        step: Some((-(step as i64)).into()),
                    },
                    _ => Value::Slice {
                        start: Some(first.into()),
                        stop: Some(past.into()),
                        step: Some(step.into()),
                    },
                };
                let base = plain(self, base)?;
                let whole = Value::Slice { start: None, stop: None, step: None };
                let items = (0..axis).map(|_| whole.clone()).chain([slice]).map(Arg::Const);
                let args = std::iter::once(Arg::Of(base)).chain(items).collect();
                self.call("getitem", args, vec![])
            }
            6 => {
                base[axis] = 1;
                if axis == 0 && self.random.percent(50) {
                    base.remove(0);
                }
                let base = plain(self, base)?;
                let args = vec![Arg::Of(base), extents(shape)];
                self.call("np.broadcast_to", args, vec![])
            }
            _ => {
                let order = self.random.shuffled(shape.len());
                let mut base = vec![0; shape.len()];
                order.iter().zip(shape).for_each(|(&from, &extent)| base[from] = extent);
                let base = plain(self, base)?;
                let args = vec![Arg::Of(base), extents(&order)];
                self.call("np.transpose", args, vec![])
            }
        }
    }

    fn step(&mut self) -> Option<usize> {
        match self.size {
            Size::Streams => self.streams_step(),
            Size::Small | Size::Medium | Size::Large | Size::Long => self.usual_step(),
        }
    }

    fn usual_step(&mut self) -> Option<usize> {
        match self.random.below(100) {
            0..17 => self.unary(),
            17..20 => self.kernel(),
            20..45 => self.binary(),
            45..51 => self.choice(),
            51..59 => {
                let dtype = self.some_dtype();
                let value = self.value();
                self.call("astype", vec![Arg::Of(value), Arg::Const(Value::DType(dtype))], vec![])
            }
            59..70 => {
                let value = self.value();
                self.reduction(value, None)
            }
            70..77 => self.around_a_reduction(),
            77..79 => self.scan(),
            79..83 => self.fold(),
            83..91 => {
                let value = self.value();
                self.view(value)
            }
            91..95 => self.write(),
            95..97 => self.join(),
            97 => self.product(),
            98 => self.perhaps_failing(),
            _ => self.some_leaf(),
        }
    }

    fn unary(&mut self) -> Option<usize> {
        let row = self.random.choice(UNARY);
        let value = self.value();
        let value = if row.name == "signbit" { self.without_nan(value)? } else { value };
        self.call(row.numpy, vec![Arg::Of(value)], vec![])
    }

    /// A kernel made of closures, over elements or along axes.
    fn kernel(&mut self) -> Option<usize> {
        let value = self.value();
        if self.random.percent(50) {
            let kernel = self.random.choice(&Kernel::ELEMENTWISE);
            let args = (0..kernel.operands()).map(|k| if k == 0 { value } else { self.value() });
            let args = args.collect();
            return self.add(Step::Kernel { kernel, args, axes: Vec::new() });
        }
        let ndim = self.shape(value).len();
        if self.random.percent(20) {
            let axis = self.random.below(ndim.max(1)) as isize;
            let kernel = Kernel::Smoothed;
            return self.add(Step::Kernel { kernel, args: vec![value], axes: vec![axis] });
        }
        let count = self.random.below(ndim + 1);
        let axes: Vec<usize> = self.random.shuffled(ndim)[..count].to_vec();
        self.kernel_reduction(value, &axes)
    }

    /// A reduction made of closures, whose axes stay.
    fn kernel_reduction(&mut self, value: usize, axes: &[usize]) -> Option<usize> {
        let kernel = self.random.choice(&Kernel::REDUCTIONS);
        let mut args = vec![value];
        if kernel.operands() == 2 {
            // Of another shape it would broadcast, and axes would be others.
            let same = |other: &usize| self.shape(*other) == self.shape(value);
            let others: Vec<usize> = (0..self.shadows.len()).filter(same).collect();
            args.push(self.random.choice(&others));
        }
        let axes = axes.iter().map(|&axis| axis as isize).collect();
        self.add(Step::Kernel { kernel, args, axes })
    }

    /// The value with 1 for NaN, for operations that read a sign: that of a NaN is not promised.
    fn without_nan(&mut self, value: usize) -> Option<usize> {
        if self.dtype(value).kind() != Kind::Float {
            return Some(value);
        }
        let mask = self.call("np.isnan", vec![Arg::Of(value)], vec![])?;
        let one = Arg::Const(Value::from(1));
        self.call("np.where", vec![Arg::Of(mask), one, Arg::Of(value)], vec![])
    }

    fn binary(&mut self) -> Option<usize> {
        let row = self.random.choice(BINARY);
        let left = self.value();
        let right = match self.random.below(10) {
            0..3 => {
                let dtype = self.dtype(left);
                Arg::Const(Value::Scalar(values::scalar(&mut self.random, dtype)))
            }
            3 => {
                let (dtype, shape) = (self.dtype(left), self.shape(left));
                Arg::Of(self.leaf(dtype, &shape)?)
            }
            _ => Arg::Of(self.value()),
        };
        // Integer powers with negative exponents are an error: now and then, not always.
        let right = match right {
            Arg::Of(value)
                if row.name == "power"
                    && self.dtype(value).is_int()
                    && !self.dtype(value).is_unsigned()
                    && self.random.percent(60) =>
            {
                let seven = Arg::Const(Value::from(7));
                Arg::Of(self.call("np.bitwise_and", vec![Arg::Of(value), seven], vec![])?)
            }
            other => other,
        };
        let mut args = match self.random.percent(80) {
            true => vec![Arg::Of(left), right],
            false => vec![right, Arg::Of(left)],
        };
        if let (true, Arg::Of(value)) = (row.name == "copysign", &args[1]) {
            args[1] = Arg::Of(self.without_nan(*value)?);
        }
        self.call(row.numpy, args, vec![])
    }

    /// An integer power of itself: an error wherever an element is negative.
    fn perhaps_failing(&mut self) -> Option<usize> {
        let value = self.value();
        let dtype = self.dtype(value);
        let signed = dtype.is_int() && !dtype.is_unsigned();
        let power = || vec![Arg::Of(value), Arg::Of(value)];
        if signed { self.call("np.power", power(), vec![]) } else { None }
    }

    fn choice(&mut self) -> Option<usize> {
        let (condition, left) = (self.value(), self.value());
        let right = match self.random.percent(30) {
            true => {
                let dtype = self.dtype(left);
                Arg::Const(Value::Scalar(values::scalar(&mut self.random, dtype)))
            }
            false => Arg::Of(self.value()),
        };
        self.call("np.where", vec![Arg::Of(condition), Arg::Of(left), right], vec![])
    }

    /// A reduction with options; `axes` and `keepdims` are given where the result goes back.
    fn reduction(&mut self, value: usize, back: Option<&[usize]>) -> Option<usize> {
        let name = self.random.choice(&[
            "np.sum",
            "np.prod",
            "np.min",
            "np.max",
            "np.any",
            "np.all",
            "np.argmin",
            "np.argmax",
            "np.mean",
            "np.var",
            "np.std",
            "sp.special.logsumexp",
        ]);
        let (shape, dtype) = (self.shape(value), self.dtype(value));
        let mut kwargs: Vec<(&'static str, Arg)> = Vec::new();
        match back {
            Some(axes) if !name.contains("arg") => kwargs.push(("axis", extents(axes))),
            Some(axes) => kwargs.push(("axis", Arg::Const(Value::from(*axes.first()? as i64)))),
            None if self.random.percent(25) || shape.is_empty() => {}
            None => {
                let axis = self.random.below(shape.len());
                let count = 1 + self.random.below(shape.len());
                let axes = &self.random.shuffled(shape.len())[..count];
                kwargs.push(match self.random.percent(60) || name.contains("arg") {
                    true => ("axis", Arg::Const(Value::from(axis as i64 - shape.len() as i64))),
                    false => ("axis", extents(axes)),
                });
            }
        }
        if back.is_some() || self.random.percent(25) {
            kwargs.push(("keepdims", Arg::Const(Value::Bool(true))));
        }
        let ordered = name == "np.min" || name == "np.max";
        let folds = name == "np.sum" || name == "np.prod";
        if self.random.percent(15) && (folds || ordered) {
            let scalar = values::scalar(&mut self.random, dtype);
            kwargs.push(("initial", Arg::Const(Value::Scalar(scalar))));
        }
        if self.random.percent(12) && !name.contains("arg") && !name.starts_with("sp.") {
            let mut mask_shape = shape.clone();
            if self.random.percent(30) && !mask_shape.is_empty() {
                let axis = self.random.below(mask_shape.len());
                mask_shape[axis] = 1;
            }
            let mask = self.leaf(DType::Bool, &mask_shape)?;
            kwargs.push(("where", Arg::Of(mask)));
        }
        if self.random.percent(10) && (folds || ["np.mean", "np.var", "np.std"].contains(&name)) {
            let dtype = self.random.choice(&DType::ALL);
            kwargs.push(("dtype", Arg::Const(Value::DType(dtype))));
        }
        if (name == "np.var" || name == "np.std") && self.random.percent(30) {
            let ddof = self.random.range(0, 3) as i64;
            kwargs.push(("ddof", Arg::Const(Value::from(ddof))));
        }
        self.call(name, vec![Arg::Of(value)], kwargs)
    }

    /// `x op reduce(x)`, up to three times over the same axes: what one pass over rows is for.
    fn around_a_reduction(&mut self) -> Option<usize> {
        let mut value = self.value();
        let shape = self.shape(value);
        if shape.is_empty() {
            return None;
        }
        let count = 1 + self.random.below(2.min(shape.len()));
        let axes: Vec<usize> = self.random.shuffled(shape.len())[..count].to_vec();
        for _ in 0..1 + self.random.below(3) {
            let reduced = match self.random.percent(10) {
                true => self.kernel_reduction(value, &axes)?,
                false => self.reduction(value, Some(&axes))?,
            };
            let row = self.random.choice(BINARY);
            if row.name == "copysign" {
                continue;
            }
            value = match self.call(row.numpy, vec![Arg::Of(value), Arg::Of(reduced)], vec![]) {
                Some(value) => value,
                None => return Some(reduced),
            };
            if self.random.percent(40) {
                let row = self.random.choice(UNARY);
                if row.name != "signbit" {
                    value = self.call(row.numpy, vec![Arg::Of(value)], vec![]).unwrap_or(value);
                }
            }
        }
        Some(value)
    }

    fn scan(&mut self) -> Option<usize> {
        let value = self.value();
        let ndim = self.shape(value).len();
        let mut kwargs = Vec::new();
        if ndim > 0 && self.random.percent(80) {
            kwargs.push(("axis", Arg::Const(Value::from(self.random.below(ndim) as i64))));
        }
        if self.random.percent(10) {
            kwargs.push(("dtype", Arg::Const(Value::DType(self.random.choice(&DType::ALL)))));
        }
        self.call("np.cumsum", vec![Arg::Of(value)], kwargs)
    }

    /// An index into a shape, of integers and slices.
    fn index(&mut self, shape: &[usize]) -> Vec<Index> {
        let random = &mut self.random;
        let mut items = Vec::new();
        for &extent in shape {
            let n = extent as isize;
            items.push(match random.below(8) {
                0 if n > 0 => Index::At(random.range(-n, n - 1)),
                0..4 => Index::from(..),
                4 => Index::from(..).step_by(-1),
                5 => {
                    let step = random.choice(&[2, 3, -2]);
                    Index::from(..).step_by(step)
                }
                _ => {
                    let start = random.range(-n, n);
                    Index::from(start..random.range(start.min(n), n))
                }
            });
            if random.percent(5) {
                items.push(Index::NewAxis);
            }
        }
        if random.percent(20) && !items.is_empty() {
            let kept = random.below(items.len());
            items.truncate(kept);
            items.push(Index::Ellipsis);
        }
        items
    }

    fn view(&mut self, value: usize) -> Option<usize> {
        let shape = self.shape(value);
        let ndim = shape.len();
        let of = Arg::Of(value);
        let axis = |generator: &mut Self, ndim: usize| {
            Arg::Const(Value::from(generator.random.below(ndim) as i64))
        };
        match self.random.below(8) {
            0 | 1 => {
                let items = self.index(&shape);
                let items = items.iter().map(key_item);
                self.call("getitem", std::iter::once(of).chain(items).collect(), vec![])
            }
            2 => {
                let order = extents(&self.random.shuffled(ndim));
                self.call("np.transpose", vec![of, order], vec![])
            }
            3 => {
                let size: usize = shape.iter().product();
                let factor = (2..8).find(|factor| size.is_multiple_of(*factor) && size > 0);
                let shape = match (factor, self.random.percent(50)) {
                    (Some(factor), true) => vec![factor, size / factor],
                    _ => vec![size],
                };
                self.call("np.reshape", vec![of, extents(&shape)], vec![])
            }
            4 => {
                let mut wide = shape.clone();
                wide.iter_mut().for_each(|extent| *extent = if *extent == 1 { 3 } else { *extent });
                if wide == shape || self.random.percent(20) {
                    wide.insert(0, 2);
                }
                self.call("np.broadcast_to", vec![of, extents(&wide)], vec![])
            }
            5 if ndim > 0 => {
                let axis = axis(self, ndim);
                self.call("np.flip", vec![of, axis], vec![])
            }
            6 if ndim > 0 => {
                let (first, second) = (axis(self, ndim), axis(self, ndim));
                let name = self.random.choice(&["np.swapaxes", "np.moveaxis"]);
                self.call(name, vec![of, first, second], vec![])
            }
            _ => {
                let axis = axis(self, ndim + 1);
                self.call("np.expand_dims", vec![of, axis], vec![])
            }
        }
    }

    /// A write in place: a scalar, an array, or the target's own elements in another order.
    fn write(&mut self) -> Option<usize> {
        let target = self.value();
        let (shape, dtype) = (self.shape(target), self.dtype(target));
        let index = self.index(&shape);
        let window = self.shadows[target].try_i(index.as_slice()).ok()?.shape().to_vec();
        if self.random.percent(35) {
            let op = match dtype.kind() {
                Kind::Bool => self.random.choice(&["|=", "^="]),
                Kind::Int => self.random.choice(&["+=", "-=", "*=", "|=", "^="]),
                Kind::Float | Kind::Complex => self.random.choice(&["+=", "-=", "*="]),
            };
            let value = match self.random.percent(50) {
                true if dtype == DType::Bool => Arg::Const(Value::from(true)),
                true => Arg::Const(Value::from(self.random.range(0, 5) as i64)),
                false => Arg::Of(self.leaf(dtype, &window)?),
            };
            return self.add(Step::Update { target, index, op, value });
        }
        let value = match self.random.below(4) {
            0 => Arg::Const(Value::Scalar(values::scalar(&mut self.random, dtype))),
            1 => {
                let dtype = self.some_dtype();
                Arg::Of(self.leaf(dtype, &window)?)
            }
            2 => {
                let key = index.iter().map(key_item);
                let args = std::iter::once(Arg::Of(target)).chain(key).collect();
                let view = self.call("getitem", args, vec![])?;
                Arg::Of(self.call("np.flip", vec![Arg::Of(view)], vec![])?)
            }
            _ => Arg::Of(self.value()),
        };
        self.add(Step::Set { target, index, value })
    }

    fn join(&mut self) -> Option<usize> {
        let first = self.value();
        let count = 1 + self.random.below(3);
        let mut parts = vec![first];
        for _ in 0..count {
            let value = self.value();
            parts.push(if self.shape(value) == self.shape(first) { value } else { first });
        }
        let ndim = self.shape(first).len();
        match ndim == 0 || self.random.percent(40) {
            true => {
                let axis = Arg::Const(Value::from(self.random.below(ndim + 1) as i64));
                self.call("np.stack", vec![Arg::Many(parts)], vec![("axis", axis)])
            }
            false => {
                let axis = Arg::Const(Value::from(self.random.below(ndim) as i64));
                self.call("np.concatenate", vec![Arg::Many(parts)], vec![("axis", axis)])
            }
        }
    }

    /// A matrix product of integers; with the operand's own transpose, so that it fits.
    fn product(&mut self) -> Option<usize> {
        let value = self.value();
        let (shape, dtype) = (self.shape(value), self.dtype(value));
        if !matches!(dtype.kind(), Kind::Bool | Kind::Int) || shape.is_empty() {
            return None;
        }
        let work: usize = shape.iter().product::<usize>() * shape.last().copied().unwrap_or(1);
        if work > 100_000 {
            return None;
        }
        let other = match shape.len() {
            1 => value,
            ndim => {
                let axes = [ndim - 2, ndim - 1].map(|axis| Arg::Const(Value::from(axis as i64)));
                let [first, second] = axes;
                self.call("np.swapaxes", vec![Arg::Of(value), first, second], vec![])?
            }
        };
        self.call("np.matmul", vec![Arg::Of(other), Arg::Of(value)], vec![])
    }

    /// Says which values stay: the last one, and some others.
    fn finish(mut self) -> Program {
        let count = self.program.steps.len();
        let order = self.random.shuffled(count);
        self.program.outputs = order
            .into_iter()
            .filter(|&value| {
                let leaf = matches!(self.program.steps[value], Step::Leaf { .. });
                let kept = !self.spent.contains(&value);
                kept && (value + 1 == count || self.random.percent(if leaf { 10 } else { 25 }))
            })
            .collect();
        self.program
    }
}

fn extents(extents: &[usize]) -> Arg {
    Arg::Const(Value::Tuple(extents.iter().map(|&extent| Value::from(extent)).collect()))
}

fn key_item(item: &Index) -> Arg {
    Arg::Const(match item {
        Index::At(position) => Value::from(*position),
        Index::Slice { start, stop, step } => Value::Slice {
            start: start.map(Scalar::from),
            stop: stop.map(Scalar::from),
            step: Some(Scalar::from(*step)),
        },
        Index::NewAxis => Value::NewAxis,
        Index::Ellipsis => Value::Ellipsis,
        Index::Bool(truth) => Value::Bool(*truth),
        Index::Array(_) | Index::List(_) => unreachable!("made of integers and slices"),
    })
}
