//! What a small operation costs the host: microseconds and allocations of each, where the work itself is next to
//! nothing.
//!
//!     cargo run --release --example overhead [-- --device NAME] [--only WORDS] [--calls N]
//!
//! `--device null` (what is taken when nothing is said) is a GPU that runs nothing: what is left is this library's
//! own time, from the call to the driver's launch. On `cuda:0` the same loops add what the driver takes for a launch.
//! The loops of the first two and of the last are those of `gpu_workloads`.

#[path = "support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::LazyLock;
use std::time::Instant;

use ndany::kernel::simt::*;
use ndany::kernel::{Elementwise, Init, RawKernel, Reduction, elementwise, reduction};
use ndany::{Array, DType, Device};
use ndany_gpu::recording::Recording;
use ndany_kernels::CUDA;
use support::Outcome;

/// The system's allocator, which counts for each thread how often it was asked.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is the system allocator's doing; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's.
        unsafe { System.realloc(memory, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A difference as a closure.
static CLOSURE: LazyLock<Elementwise<2, 1>> =
    LazyLock::new(|| elementwise("difference", |_, [x, y]| [x - y]));

/// A sum by closures.
static SUM: LazyLock<Reduction<1, 1>> =
    LazyLock::new(|| reduction("sum", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state));

/// A difference as text.
static RAW: LazyLock<RawKernel> = LazyLock::new(|| {
    let text = "if (global_x() < z.size) z[global_x()] = x[global_x()] - y[global_x()];";
    RawKernel::new("difference", text)
        .input("x", DType::F32)
        .input("y", DType::F32)
        .output("z", DType::F32)
});

#[kernel]
fn difference(x: &[f32], y: &[f32], z: &mut [f32]) {
    let i = global_x();
    if i < z.len() {
        z[i] = x[i] - y[i];
    }
}

#[kernel]
fn gathered(x: &[f32], y: &[f32], z: &mut [f32]) {
    let i = global_x();
    if i < z.len() {
        z[i] = x[y[i] as u32];
    }
}

/// A difference as a function of threads.
static THREADS: LazyLock<Kernel> = LazyLock::new(difference);

/// Reads at positions that only the device knows.
static GATHERED: LazyLock<Kernel> = LazyLock::new(gathered);

const NEW: ([usize; 1], Init) = ([1000], Init::Uninit);

/// A name, and what is timed, of two arrays of 1,000 and a matrix of 20×50.
type Loop = (&'static str, fn(&Array, &Array, &Array) -> Outcome);

const LOOPS: &[Loop] = &[
    ("add", |x, y, _| eval(x + y)),
    ("chain20", |x, y, _| {
        let mut a = x.clone();
        for _ in 0..10 {
            a = a * y + 0.5;
        }
        eval(a)
    }),
    ("scalar", |x, _, _| eval(x * 2.0)),
    ("view", |x, _, _| eval(x.i(100..200) + 1.0)),
    ("columns", |_, _, m| eval(m.transpose(..) + 1.0)),
    ("exp", |x, _, _| eval(x.exp())),
    ("cast", |x, _, _| eval(x.astype(DType::F64))),
    ("sum", |x, _, _| eval(x.sum(..))),
    ("rows", |_, _, m| eval(m.sum(1))),
    ("softmax", |_, _, m| {
        let e = (m - m.max(ndany::over(1).keepdims())).exp();
        let total = e.sum(ndany::over(1).keepdims());
        eval(e / total)
    }),
    ("closure", |x, y, _| {
        let [made] = CLOSURE.call([x, y]);
        eval(made)
    }),
    ("reduction", |x, _, _| {
        let [made] = SUM.call([x], 0);
        eval(made)
    }),
    ("raw", |x, y, _| {
        // SAFETY: a thread stays below the size of the arrays, which is the same.
        drop(unsafe { RAW.launch(x.device(), 4, 256, (x, y, NEW)) }?);
        Ok(())
    }),
    ("threads", |x, y, _| {
        drop(THREADS.launch(x.device(), 4, 256, (x, y, NEW))?);
        Ok(())
    }),
    ("positions", |x, y, _| {
        drop(GATHERED.launch(x.device(), 4, 256, (x, y, NEW))?);
        Ok(())
    }),
    ("allocate", |_, _, _| eval(ndany::empty(1 << 20, DType::F32))),
];

fn eval(array: Array) -> Outcome {
    Ok(array.eval()?)
}

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = support::option(&mut arguments, "--device")?.unwrap_or("null".to_string());
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    let calls =
        support::option(&mut arguments, "--calls")?.map_or(Ok(1000), |text| text.parse())?;
    support::expect_no_more(&arguments, "overhead [--device NAME] [--only WORDS] [--calls N]")?;
    let device = match name.as_str() {
        "null" => {
            let (backend, recording) = Recording::device("sm_90", &CUDA)?;
            recording.count_only();
            Device::custom(backend)
        }
        name => Device::open(name)?,
    };
    let _guard = device.enter();
    let x = ndany::full(1000, 0.5, DType::F32).copy();
    let y = ndany::full(1000, 0.75, DType::F32).copy();
    let m = ndany::full((20, 50), 0.25, DType::F32).copy();
    for array in [&x, &y, &m] {
        array.eval()?;
    }
    println!("{name:<12} µs a call  allocations");
    let chosen = |name: &str| only.split(',').any(|word| name.contains(word));
    for &(name, work) in LOOPS.iter().filter(|(name, _)| chosen(name)) {
        let (microseconds, allocations) = measure(&device, calls, || work(&x, &y, &m))?;
        println!("{name:<12} {microseconds:>9.3}  {allocations:>11.1}");
    }
    Ok(())
}

/// The least time of several runs, since whatever disturbs one makes it longer; and the allocations of a call.
fn measure(device: &Device, calls: u32, mut work: impl FnMut() -> Outcome) -> Outcome<(f64, f64)> {
    const RUNS: usize = 25;
    for _ in 0..10 {
        work()?;
    }
    let mut best = f64::INFINITY;
    let mut allocations = 0;
    for _ in 0..RUNS {
        device.synchronize()?;
        let (start, before) = (Instant::now(), ALLOCATIONS.get());
        for _ in 0..calls {
            work()?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
        allocations = ALLOCATIONS.get() - before;
    }
    Ok((best, allocations as f64 / f64::from(calls)))
}
