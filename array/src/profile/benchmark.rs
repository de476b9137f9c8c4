//! Times of a function, on the host and on the device.

use std::fmt;
use std::time::Instant;

use crate::device::Device;
use crate::graph::Array;
use ndany_core::{Error, Result};

/// Runs that are not measured: they compile kernels and fill pools.
const WARM_UP: usize = 10;

/// Runs that are measured unless [`Benchmark::repeat`] says otherwise.
const REPEAT: usize = 100;

/// A function to be measured; see [`benchmark`].
#[derive(Debug)]
pub struct Benchmark<F> {
    name: String,
    function: F,
    repeat: usize,
}

/// Prepares to measure a function on a device, as `cupyx.profiler.benchmark`.
///
/// Arrays that the function returns are evaluated, since they would be pending otherwise; [`Outcome`] lists what it may return.
///
/// ```
/// use ndany::{prelude::*, profile::benchmark};
/// let a = arange(1000);
/// let times = benchmark("sum of squares", || (&a * &a).sum(..)).repeat(20).run(&Device::current())?;
/// assert!(times.cpu.min <= times.cpu.median && times.cpu.median <= times.cpu.max);
/// println!("{times}");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn benchmark<F: FnMut() -> R, R: Outcome>(
    name: impl Into<String>,
    function: F,
) -> Benchmark<F> {
    Benchmark { name: name.into(), function, repeat: REPEAT }
}

impl<F: FnMut() -> R, R: Outcome> Benchmark<F> {
    /// Sets how often the function is measured, as `n_repeat` of `cupyx.profiler.benchmark`; it is 100 otherwise.
    ///
    /// ```
    /// use ndany::{prelude::*, profile::benchmark};
    /// let times = benchmark("nothing", || ()).repeat(7).run(&Device::current())?;
    /// assert_eq!(times.cpu.all.len(), 7);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[must_use]
    pub fn repeat(self, repeat: usize) -> Self {
        Self { repeat, ..self }
    }

    /// Runs the function on a device and returns its times, as `cupyx.profiler.benchmark`.
    ///
    /// The device is the thread's current one meanwhile. Up to ten runs come first and are not measured. Before each measured run
    /// the device has no work left.
    ///
    /// - **Errors**: no repetition, what the function returns or its arrays fail with, what fails on the device.
    ///
    /// ```
    /// use ndany::{prelude::*, profile::benchmark};
    /// let times = benchmark("sort", || arange(100).sort(-1)).repeat(3).run(&Device::current())?;
    /// assert!(times.to_string().starts_with("sort on "));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn run(mut self, device: &Device) -> Result<Timings> {
        if self.repeat == 0 {
            let reason = "expected at least one repetition, got 0".to_string();
            return Err(Error::Arguments { op: "benchmark".to_string(), reason });
        }
        let _guard = device.enter();
        for _ in 0..self.repeat.min(WARM_UP) {
            (self.function)().evaluate()?;
        }
        device.synchronize()?;
        let (mut cpu, mut gpu) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat {
            let start = device.record()?;
            let begun = Instant::now();
            let outcome = (self.function)();
            outcome.evaluate()?;
            cpu.push(begun.elapsed().as_secs_f64());
            let end = device.record()?;
            gpu.push(end.elapsed_since(&start)?);
            device.synchronize()?;
            // Dropped here: giving memory back is not measured.
            drop(outcome);
        }
        let gpu = device.native().map(|_| Times::of(gpu));
        Ok(Timings { name: self.name, device: device.name(), cpu: Times::of(cpu), gpu })
    }
}

/// What a measured function may return: nothing, arrays (alone, in tuples, arrays and vectors), and results of these.
pub trait Outcome {
    /// Evaluates the arrays.
    #[doc(hidden)]
    fn evaluate(&self) -> Result<()>;
}

impl Outcome for () {
    fn evaluate(&self) -> Result<()> {
        Ok(())
    }
}

impl Outcome for Array {
    fn evaluate(&self) -> Result<()> {
        self.eval()
    }
}

impl<T: Outcome> Outcome for Result<T> {
    fn evaluate(&self) -> Result<()> {
        self.as_ref().map_err(Clone::clone)?.evaluate()
    }
}

impl<T: Outcome> Outcome for Vec<T> {
    fn evaluate(&self) -> Result<()> {
        self.iter().try_for_each(Outcome::evaluate)
    }
}

impl<T: Outcome, const N: usize> Outcome for [T; N] {
    fn evaluate(&self) -> Result<()> {
        self.iter().try_for_each(Outcome::evaluate)
    }
}

impl<T: Outcome, U: Outcome> Outcome for (T, U) {
    fn evaluate(&self) -> Result<()> {
        self.0.evaluate()?;
        self.1.evaluate()
    }
}

impl<T: Outcome, U: Outcome, V: Outcome> Outcome for (T, U, V) {
    fn evaluate(&self) -> Result<()> {
        self.0.evaluate()?;
        self.1.evaluate()?;
        self.2.evaluate()
    }
}

/// The times of a function; [`Benchmark::run`] makes them. It prints as a line for the host and one for the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    /// The function's name.
    pub name: String,
    /// The device's.
    pub device: String,
    /// From the call to its return, on the host.
    pub cpu: Times,
    /// From the first to the last work of a run on the device, by events. None of a device without a driver: there a call returns
    /// when its work is done.
    pub gpu: Option<Times>,
}

/// The times of all runs, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Of each run, in order.
    pub all: Vec<f64>,
    /// The middle one; of an even number of runs the mean of the middle two.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Times {
    /// The summary of some times, of which there is one at least.
    fn of(all: Vec<f64>) -> Self {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        let mean = all.iter().sum::<f64>() / count as f64;
        Self { median, min: sorted[0], max: sorted[count - 1], mean, all }
    }
}

/// Seconds with a unit in which they have one to three digits before the point.
struct Seconds(f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(seconds) = *self;
        let (value, unit) = match seconds.abs() {
            1.0.. => (seconds, "s"),
            1e-3.. => (seconds * 1e3, "ms"),
            1e-6.. => (seconds * 1e6, "µs"),
            _ => (seconds * 1e9, "ns"),
        };
        write!(f, "{value:.1} {unit}")
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, min, max, mean, .. } = self;
        let [median, min, max, mean] = [median, min, max, mean].map(|&seconds| Seconds(seconds));
        write!(f, "median {median}, min {min}, max {max}, mean {mean}")
    }
}

impl fmt::Display for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, device, cpu, gpu } = self;
        write!(f, "{name} on {device}, {} runs\n  cpu: {cpu}", cpu.all.len())?;
        gpu.iter().try_for_each(|gpu| write!(f, "\n  gpu: {gpu}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up_and_printed_with_units() {
        let times = Times::of(vec![4e-6, 1e-6, 2e-6, 5e-3]);
        let Times { median, min, max, mean, ref all } = times;
        assert_eq!((median, min, max, all.len()), (3e-6, 1e-6, 5e-3, 4));
        assert!((mean - 1.25175e-3).abs() < 1e-9);
        assert_eq!(times.to_string(), "median 3.0 µs, min 1.0 µs, max 5.0 ms, mean 1.3 ms");
        assert_eq!(
            Times::of(vec![2.0]).to_string(),
            "median 2.0 s, min 2.0 s, max 2.0 s, mean 2.0 s"
        );
        let (name, device) = ("f".to_string(), "gpu:0".to_string());
        let cpu = Times::of(vec![5e-8, 5e-8]);
        let timings = Timings { name, device, cpu: cpu.clone(), gpu: Some(cpu) };
        let line = "median 50.0 ns, min 50.0 ns, max 50.0 ns, mean 50.0 ns";
        assert_eq!(
            timings.to_string(),
            format!("f on gpu:0, 2 runs\n  cpu: {line}\n  gpu: {line}")
        );
    }

    #[test]
    fn each_run_is_measured_and_its_arrays_are_evaluated() {
        let device = Device::open("reference").expect("always there");
        let mut calls = 0;
        let before = crate::launch_counts::Statistics::now();
        let times = benchmark("map", || {
            calls += 1;
            let x = crate::arange(3);
            (Ok::<Array, Error>(&x + 1), vec![&x * 2], ())
        });
        let times = times.repeat(4).run(&device).expect("times");
        assert_eq!((times.cpu.all.len(), times.gpu, calls), (4, None, 8));
        let during = crate::launch_counts::Statistics::now().since(&before);
        assert_eq!(during.maps, 16);
        let error = benchmark("none", || ()).repeat(0).run(&device).expect_err("no run");
        assert_eq!(
            error.to_string(),
            "[benchmark] bad arguments: expected at least one repetition, got 0"
        );
        let failing = || Err::<(), _>(Error::NegativePower);
        assert_eq!(
            benchmark("fails", failing).run(&device).expect_err("its error").class(),
            "ValueError"
        );
    }
}
