//! What is evaluated to collect kernels: every row of the tables, each execution pattern over the dtypes and layouts
//! that change its text, and the chains that people fuse.
//!
//! Only the kernels count: the device reads as zeros, so what does not exist for a dtype, or fails on zeros, is passed
//! over. What the device does not do yet is counted. A mask of zeros shows nothing, so kernels that select are written
//! here.

#[path = "../../../tests/simt_random/generate.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod generate;

use std::sync::Arc;

use ndany::call::parameters::{Parameter, Takes};
use ndany::call::{Value, call, resolve};
use ndany::prelude::*;
use ndany::{Generator, Result, Shape, attempt, checked};
use ndany_core::backend::{RawBody, RawKind, RawParameter};
use ndany_core::ops::rows::{BINARY, UNARY};
use ndany_gpu::recording::Kernels;
use ndany_kernels::fourier::Scale;
use ndany_kernels::gather_scatter::moved;
use ndany_kernels::layout::{IndexMap, Stride};
use ndany_kernels::nth_element::NthElement;
use ndany_kernels::pack::{Diagonal, MaxAbs, Pack, Rescale, Scaling, Triangle};
use ndany_kernels::partition_three_way::PartitionThreeWay;
use ndany_kernels::select::{Pass, Select};
use ndany_kernels::simt::SimtKernel;
use ndany_kernels::sort::PairSort;
use ndany_kernels::{Dialect, Kernel};

/// Functions of one array and an axis: those that go over every dtype, then the rest.
const OVER_AN_AXIS: [&str; 15] = [
    "np.sum",
    "np.max",
    "np.argmax",
    "np.cumsum",
    "np.sort",
    "np.argsort",
    "np.prod",
    "np.min",
    "np.any",
    "np.all",
    "np.mean",
    "np.var",
    "np.nanmax",
    "np.cumprod",
    "np.median",
];

/// Evaluates on the current device; with `all`, every row over every dtype. The number of expressions that the device
/// does not do yet.
pub(super) fn evaluate(all: bool) -> usize {
    let mut expressions = Expressions::default();
    let few = [DType::F32, DType::I32, DType::C64, DType::Bool];
    for row in UNARY.iter().chain(BINARY) {
        let args = |dtype| vec![matrix(dtype); row.arity];
        if all {
            DType::ALL.into_iter().for_each(|dtype| expressions.call(row.numpy, args(dtype), &[]));
        } else {
            // The first dtype that the row takes.
            let taken = |dtype: &DType| call(row.numpy, &args(*dtype), &[]).is_ok();
            let dtype = few.into_iter().find(taken);
            dtype.into_iter().for_each(|dtype| expressions.call(row.numpy, args(dtype), &[]));
        }
    }
    let some = [DType::F32, DType::F16, DType::F64, DType::C64, DType::I64, DType::Bool];
    let dtypes = if all { DType::ALL.as_slice() } else { some.as_slice() };
    for &dtype in dtypes {
        let names = if all || dtype == DType::F32 { 15 } else { 6 };
        expressions.of_dtype(dtype, dtypes, &OVER_AN_AXIS[..names]);
    }
    expressions.random();
    expressions.transforms();
    let factored = [DType::F32, DType::F64, DType::C64, DType::C128];
    let factored = if all { factored.as_slice() } else { &[DType::F32, DType::C128] };
    factored.iter().for_each(|&dtype| expressions.factored(dtype));
    expressions.fused();
    expressions.special();
    expressions.wide();
    super::closures::evaluate();
    expressions.missing
}

/// Kernels that select by a mask: each size of elements, and positions; as arrays lie in memory, and along any strides.
pub(super) fn selecting(dialect: &Dialect) -> Kernels {
    let mut kernels = Kernels::new();
    let sizes = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];
    let layouts = [[Stride::One].as_slice(), &[Stride::Any, Stride::Zero]];
    for source in sizes.map(|dtype| Some(moved(dtype))).into_iter().chain([None]) {
        for (layout, wide) in
            layouts.into_iter().flat_map(|layout| [(layout, false), (layout, true)])
        {
            let arrays = 1 + usize::from(source.is_some());
            let steps = (0..arrays).map(|_| layout.iter().copied().collect()).collect();
            let map = IndexMap { axes: layout.len(), steps, wide };
            for pass in [Pass::Count, Pass::Write] {
                let kernel = Select { pass, source, index_map: map.clone() }.source(dialect);
                kernels.insert((kernel.entry.to_string(), kernel.text));
            }
        }
    }
    kernels
}

/// Kernels that partition rows: each dtype of real numbers, into elements and positions.
pub(super) fn dividing(dialect: &Dialect) -> Kernels {
    let mut kernels = Kernels::new();
    for element in DType::ALL.into_iter().filter(|dtype| dtype.is_int() || dtype.is_float()) {
        for (pass, positions) in [(Pass::Count, false), (Pass::Write, false), (Pass::Write, true)] {
            let kernel = PartitionThreeWay { pass, element, positions }.source(dialect);
            kernels.insert((kernel.entry.to_string(), kernel.text));
        }
        for positions in [false, true] {
            let kernel = NthElement { element, positions }.source(dialect);
            kernels.insert((kernel.entry.to_string(), kernel.text));
        }
    }
    kernels
}

/// Kernels that sort keys with their words: each width of words and of counts, the first pass and the others.
pub(super) fn sorting_pairs(dialect: &Dialect) -> Kernels {
    let mut kernels = Kernels::new();
    for wide in [size_of::<u32>(), size_of::<u64>()] {
        for (is_first, word) in [(true, 4), (false, 4), (true, 8), (false, 8)] {
            let kernel = PairSort { wide, is_first, word }.source(dialect);
            kernels.insert((kernel.entry.to_string(), kernel.text));
        }
    }
    kernels
}

/// Raw kernels: every word and accessor, with checks and without.
pub(super) fn raw(dialect: &Dialect) -> Kernels {
    let array = |dtype, rank, strided, writes| RawKind::Array { dtype, rank, strided, writes };
    let parameters = [
        ("a", RawKind::Scalar(DType::F64)),
        ("by", RawKind::Structure { name: "By", bytes: 12 }),
        ("x", array(DType::F32, 2, true, false)),
        ("y", array(DType::F32, 3, false, true)),
        ("h", array(DType::F16, 0, false, true)),
        ("b", array(DType::BF16, 1, false, true)),
        ("c", array(DType::C128, 1, true, true)),
        ("flags", array(DType::Bool, 1, false, false)),
    ];
    let parameters = parameters.map(|(name, kind)| RawParameter { name, kind });
    let body = "
        SHARED T tile[TILE];
        T* more = shared_memory<T>();
        tile[thread_x()] = x(global_y(), global_x()) + x[global_z()];
        more[thread_x()] = by.step[thread_y()];
        barrier();
        const u64 i = global_x();
        if (i < y.size && flags[0]) y[i] = fused(tile[0], more[0], root((f32)a));
        y(block_x(), block_y(), block_z()) += shuffle(y[i], 0) + (f32)ballot(y[0] > 0);
        h[i] = h[i] * 2.0f + (f32)b[i];
        b[i] = (f32)h[i];
        c[i].re += (f64)grid_size() + (f64)c.extent(0) + grid_x() + grid_y() + grid_z();
        if (block_size_x() > 1 && block_size_y() > 1 && thread_z() < block_size_z()) c(i).im = 0;
        grid_barrier();
        y[i] = *y.data;";
    let text = |name, checked, cooperative| {
        let body = RawBody {
            parameters: parameters.to_vec(),
            types: vec![("T", DType::F32)],
            defines: vec![("TILE", "64".to_string())],
            preamble: "struct By { f32 step[3]; };".to_string(),
            body: if cooperative { body.to_string() } else { body.replace("grid_barrier();", "") },
            checked,
            cooperative,
        };
        (String::from(name), ndany_kernels::raw::text(name, &body, dialect))
    };
    let names =
        [("raw", false, false), ("raw_checked", true, false), ("raw_cooperative", true, true)];
    names.into_iter().map(|(name, checked, cooperative)| text(name, checked, cooperative)).collect()
}

/// Kernels of threads and blocks: random ones, and one of every access, with short extents and long ones.
pub(super) fn simt(dialect: &Dialect) -> Kernels {
    let random = (0..40).map(generate::kernel).map(|made| (made.parts, [made.threads, 1, 1]));
    let all = random.chain([(generate::every_access(), [8, 2, 2])]);
    let mut kernels = Kernels::new();
    for (parts, block) in all {
        // Some of the random ones are refused.
        let Ok(kernel) = ndany_core::simt::Kernel::new(parts) else { continue };
        let kernel = Arc::new(kernel);
        for wide in [false, true] {
            let source = SimtKernel { kernel: kernel.clone(), block, wide }.source(dialect);
            kernels.insert((source.entry.to_string(), source.text));
        }
    }
    kernels
}

/// Kernels around transforms and factorizations by a vendor's libraries, which the recording device has not.
pub(super) fn around_libraries(dialect: &Dialect) -> Kernels {
    let mut sources = Vec::new();
    for part in [DType::F32, DType::F64] {
        sources.extend([false, true].map(|halves| Scale { part, halves }.source(dialect)));
        sources.extend([MaxAbs { part }.source(dialect), Rescale { part }.source(dialect)]);
    }
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let plain = Pack::of(dtype);
        let transposed = Pack { transposed: true, ..plain };
        let all = [
            transposed,
            Pack { mirrored: true, ..transposed },
            Pack { mirrored: true, ..plain },
            Pack { scaling: Scaling::Down, ..transposed },
            Pack { keep: Triangle::Upper, scaling: Scaling::Up, ..transposed },
            Pack { keep: Triangle::Lower, ..transposed },
            Pack { keep: Triangle::Lower, ..plain },
            Pack { scaling: Scaling::DownOrZero, ..plain },
            Pack { scaling: Scaling::DownOrZero, ..transposed },
        ];
        sources.extend(all.map(|kernel| kernel.source(dialect)));
        sources.push(Diagonal { dtype }.source(dialect));
    }
    sources.into_iter().map(|source| (source.entry.to_string(), source.text)).collect()
}

fn matrix(dtype: DType) -> Value {
    Value::Array(zeros((40, 64), dtype))
}

#[derive(Default)]
struct Expressions {
    missing: usize,
}

impl Expressions {
    fn run(&mut self, expression: impl FnOnce() -> Result<Array>) {
        self.done(expression().and_then(|array| array.eval()));
    }

    fn call(&mut self, name: &str, args: Vec<Value>, kwargs: &[(&str, Value)]) {
        let kwargs: Vec<_> =
            kwargs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let done = call(name, &args, &kwargs).and_then(|result| match result {
            Value::Array(array) => array.eval(),
            Value::Tuple(parts) | Value::List(parts) => {
                parts.iter().try_for_each(|part| match part {
                    Value::Array(array) => array.eval(),
                    _ => Ok(()),
                })
            }
            _ => Ok(()),
        });
        self.done(done);
    }

    fn done(&mut self, done: Result<()>) {
        let Err(error) = done else { return };
        let reason = error.to_string();
        assert!(!reason.contains("no function of this name"), "{reason}");
        self.missing += usize::from(reason.contains("not on this device yet"));
    }

    fn of_dtype(&mut self, dtype: DType, others: &[DType], over_an_axis: &[&str]) {
        let x = zeros((40, 64), dtype);
        let y = zeros((40, 64), dtype);
        let operands =
            |x: &Array, y: &Array| vec![Value::Array(x.clone()), Value::Array(y.clone())];
        // Layouts: a row for all, shifted by one, stepped, transposed, one of both transposed, one value for all.
        self.call("np.add", operands(&x, &zeros(64, dtype)), &[]);
        self.call("np.add", operands(&x.i((.., 1..)), &y.i((.., ..63))), &[]);
        self.call("np.add", operands(&x.i(s![.., ..;2]), &y.i(s![.., ..;2])), &[]);
        self.call("np.add", operands(&x.transpose(..), &y.transpose(..)), &[]);
        self.call("np.add", operands(&x.transpose(..), &zeros((64, 40), dtype)), &[]);
        self.call("np.add", operands(&x, &zeros((), dtype)), &[]);
        self.run(|| Ok(x.transpose(..).copy()));
        for &to in others {
            self.run(|| Ok(x.astype(to)));
        }
        // A long row and a short one, along either axis, and over everything.
        let long = zeros((3, 10_000), dtype);
        for name in over_an_axis {
            for (array, axis) in [(&x, 0), (&x, 1), (&long, 1)] {
                let axis = Value::Scalar(Scalar::from(axis as i64));
                self.call(name, vec![Value::Array(array.clone())], &[("axis", axis)]);
            }
            self.call(name, vec![Value::Array(long.clone())], &[("axis", Value::None)]);
        }
        // Positions.
        let positions = zeros(100, DType::I64);
        let mask = zeros((40, 64), DType::Bool);
        let array = Value::Array;
        self.call("np.take", vec![array(x.clone()), array(positions.clone())], &[]);
        self.run(|| x.try_i((&positions, &positions)));
        self.run(|| x.try_i(&mask));
        self.call("np.nonzero", vec![array(x.clone())], &[]);
        self.call("np.where", vec![array(mask), array(x.clone()), array(y.clone())], &[]);
        self.call("np.searchsorted", vec![array(zeros(64, dtype)), array(x.clone())], &[]);
        self.call("np.unique", vec![array(x.clone())], &[]);
        self.call(
            "np.concatenate",
            vec![Value::List(vec![array(x.clone()), array(y.clone())])],
            &[],
        );
        self.run(|| {
            let mut written = x.copy();
            written.set((&positions, &positions), zeros(100, dtype));
            Ok(written)
        });
        // Folds from the left and of segments, and elements that meet.
        self.run(|| attempt(|| ufunc::subtract.accumulate(&x, 1)));
        self.run(|| attempt(|| ufunc::add.reduceat(&x, &arange((0, 60, 7)), 1)));
        self.run(|| {
            let mut sums = x.copy();
            ufunc::add.at(&mut sums, zeros(100, DType::I64), zeros((100, 64), dtype));
            Ok(sums)
        });
        // Products and counts.
        self.call("np.matmul", vec![array(x.clone()), array(y.transpose(..))], &[]);
        self.call(
            "np.matmul",
            vec![array(zeros((3, 4, 5), dtype)), array(zeros((3, 5, 6), dtype))],
            &[],
        );
        // Few results, and enough that threads have several of them.
        for length in [3000, 1 << 20] {
            let (long, taps) = (array(zeros(length, dtype)), array(zeros(65, dtype)));
            self.call("np.convolve", vec![long, taps], &[]);
        }
        self.call("np.bincount", vec![array(zeros(100, dtype))], &[]);
        self.call("np.histogram", vec![array(x.clone())], &[]);
    }

    /// In shared memory as a whole, of a length with a text of its own, as a matrix, as a chirp.
    fn transforms(&mut self) {
        for (real, complex) in [(DType::F32, DType::C64), (DType::F64, DType::C128)] {
            for length in [30, 31, 256, 512, 1024, 2048, 4096, 6000, 1 << 14] {
                self.call("np.fft.fft", vec![Value::Array(zeros((3, length), complex))], &[]);
                self.call("np.fft.rfft", vec![Value::Array(zeros((3, length), real))], &[]);
                self.call(
                    "np.fft.irfft",
                    vec![Value::Array(zeros((3, length / 2 + 1), complex))],
                    &[],
                );
            }
        }
    }

    /// Matrices in shared memory, by a block of few threads, and larger ones.
    fn factored(&mut self, dtype: DType) {
        for n in [8, 200] {
            let array = || Value::Array(zeros((3, n, n), dtype));
            self.call("np.linalg.solve", vec![array(), array()], &[]);
            for name in ["det", "cholesky", "qr", "svd", "svdvals", "eigh", "eig"] {
                self.call(&format!("np.linalg.{name}"), vec![array()], &[]);
            }
        }
    }

    /// The functions of SciPy. Those whose arguments are no arrays have no kernels.
    fn special(&mut self) {
        let names: Vec<&str> = ndany::call::names()
            .filter(|name| {
                // Methods of ufuncs have further names.
                let of = name.strip_prefix("sp.special.");
                of.is_some_and(|of| !of.contains('.'))
            })
            .collect();
        assert!(names.len() > 200, "{} special functions have a name", names.len());
        for name in names {
            let parameters = resolve(name).map_or(&[][..], |found| found.parameters());
            let own = |one: &&Parameter| one.takes == Takes::Required;
            let arguments = parameters.iter().filter(own).map(|_| matrix(DType::F64)).collect();
            self.call(name, arguments, &[]);
        }
    }

    fn random(&mut self) {
        for dtype in [DType::F16, DType::F32, DType::F64] {
            self.run(|| {
                attempt(|| Generator::new(1).uniform(0.0, 1.0, Shape::new(1000).dtype(dtype)))
            });
            self.run(|| {
                attempt(|| Generator::new(1).normal(0.0, 1.0, Shape::new(1000).dtype(dtype)))
            });
            self.run(|| {
                attempt(|| Generator::new(1).exponential(1.0, Shape::new(1000).dtype(dtype)))
            });
        }
        for dtype in [DType::I32, DType::U64] {
            self.run(|| {
                attempt(|| Generator::new(1).integers(0..10, Shape::new(1000).dtype(dtype)))
            });
        }
        for dtype in [DType::F32, DType::F64] {
            self.run(|| {
                attempt(|| Generator::new(1).standard_gamma(2.0, Shape::new(1000).dtype(dtype)))
            });
        }
        let means = full((4, 1), 20.0, DType::F64);
        self.run(|| checked::random::poisson(&mut Generator::new(1), &means, (4, 250)));
        self.run(|| checked::random::binomial(&mut Generator::new(1), 1000, 0.3, 1000));
        self.run(|| checked::random::hypergeometric(&mut Generator::new(1), 300, 500, 200, 1000));
        self.run(|| checked::random::vonmises(&mut Generator::new(1), 0.0, 1.0, 1000));
        self.run(|| checked::random::zipf(&mut Generator::new(1), 2.0, 1000));
    }

    fn fused(&mut self) {
        for dtype in [DType::F16, DType::F32, DType::F64] {
            let x = zeros((40, 64), dtype);
            let y = zeros((40, 64), dtype);
            let long = zeros((4, 200_000), dtype);
            self.run(|| Ok((&x * &y + &x) * (&y - &x) / (&x * &x + &y * &y + 1.0)));
            self.run(|| Ok(x.maximum(0.0) + (-x.abs()).exp().log1p()));
            self.run(|| Ok((&x * &x).sum(..).sqrt()));
            for rows in [&x, &long] {
                let axis = || over(1).keepdims();
                self.run(|| {
                    let e = (rows - rows.max(axis())).exp();
                    let total = e.sum(axis());
                    Ok(e / total)
                });
                self.run(|| Ok((rows - rows.mean(axis())) / rows.std(axis())));
                self.run(|| {
                    Ok((rows - rows.mean(over(0).keepdims())) / rows.std(over(0).keepdims()))
                });
            }
        }
    }

    /// More elements than 32 bits count. Nothing of them is there: a device that runs nothing has memory enough.
    fn wide(&mut self) {
        let [x, y] = [(); 2].map(|()| zeros((1 << 16, 1 << 17), DType::F32));
        let flat = zeros(1usize << 33, DType::F32);
        self.run(|| Ok(&x + &y));
        self.run(|| Ok(&x + &y.i(0)));
        self.run(|| Ok(x.transpose(..).copy()));
        self.run(|| Ok(&x.i(s![.., ..;2]) + &y.i(s![.., ..;2])));
        for array in [&x, &flat] {
            for name in ["np.sum", "np.argmax", "np.cumsum", "np.sort", "np.argsort"] {
                self.call(
                    name,
                    vec![Value::Array(array.clone())],
                    &[("axis", Value::Scalar(Scalar::from(0i64)))],
                );
            }
        }
        let positions = zeros(100, DType::I64);
        self.run(|| flat.try_i(&positions));
        self.run(|| {
            let mut written = flat.copy();
            written.set(&positions, zeros(100, DType::F32));
            Ok(written)
        });
        self.call(
            "np.searchsorted",
            vec![Value::Array(flat.clone()), Value::Array(positions)],
            &[],
        );
        self.call("np.matmul", vec![Value::Array(x.clone()), Value::Array(y.transpose(..))], &[]);
    }
}
