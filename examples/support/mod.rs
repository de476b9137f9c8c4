//! What the examples share: `--device NAME` on the command line, timing a step together with what fusion made of it, and timing
//! calls back to back.

#![allow(dead_code)]

use std::error::Error;
use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use ndany::{Device, Statistics};

/// What an example's `main` returns.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// An error of the example itself, in words.
pub fn failure(text: impl Into<String>) -> Box<dyn Error> {
    text.into().into()
}

/// The value of `--name VALUE` or `--name=VALUE`, taken out of the arguments.
pub fn option(arguments: &mut Vec<String>, name: &str) -> Outcome<Option<String>> {
    let prefix = format!("{name}=");
    let Some(position) =
        arguments.iter().position(|given| given == name || given.starts_with(&prefix))
    else {
        return Ok(None);
    };
    let given = arguments.remove(position);
    match given.strip_prefix(&prefix) {
        Some(value) => Ok(Some(value.to_string())),
        None if position < arguments.len() => Ok(Some(arguments.remove(position))),
        None => Err(failure(format!("{name} needs a value"))),
    }
}

/// The device that `--device NAME` asks for, else the thread's current one.
pub fn device(arguments: &mut Vec<String>) -> Outcome<Device> {
    match option(arguments, "--device")? {
        Some(name) => Ok(Device::open(&name)?),
        None => Ok(Device::current()),
    }
}

/// Reports arguments that were not used.
pub fn expect_no_more(arguments: &[String], usage: &str) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(other) => Err(failure(format!(
            "unknown argument {other}\nusage: {usage}\ndevices here: {}",
            Device::all().join(", ")
        ))),
    }
}

/// How long a step took and how often it went over memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub time: Duration,
    pub statistics: Statistics,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.time += other.time;
        self.statistics += other.statistics;
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operations, passes) = (self.statistics.operations, self.statistics.launches());
        let time = self.time.as_secs_f64() * 1e3;
        let plural = if passes == 1 { "" } else { "es" };
        write!(f, "{time:>9.2} ms  {operations:>4} operations in {passes:>3} pass{plural}")
    }
}

/// Runs a step to its end on the device.
pub fn timed<T>(device: &Device, step: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Cost)> {
    let (start, before) = (Instant::now(), Statistics::now());
    let value = step()?;
    device.synchronize()?;
    Ok((value, Cost { time: start.elapsed(), statistics: Statistics::now().since(&before) }))
}

/// Seconds of a call, the best mean of several calls back to back, until the device is done.
pub fn each(
    device: &Device,
    calls: u32,
    mut work: impl FnMut() -> ndany::Result<()>,
) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        device.synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            work()?;
        }
        device.synchronize()?;
        best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
    }
    Ok(best)
}
