//! How long a process takes from its start to its first result, with an empty cache of machine code and a filled one,
//! beside one that only opens the driver's context; and the first compilation of a fused kernel.
//!
//! The processes are this program again, each with a cache folder that this one gives it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ndany::{Arange, Array, DType, Device, checked};
use ndany_cuda::CudaDriver;

use crate::Setting;
use crate::numbers::ensure;
use crate::support::{Outcome, failure};

/// What makes a process one of these: followed by what it is to do and the device.
const CHILD: &str = "--start-child";

/// What such a process says when its result is there.
const DONE: &str = "done";

/// Processes of a kind, of which the fastest counts: what is in between is the machine's.
const RUNS: usize = 5;

/// Whether this process is one of these.
pub fn is_child(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|first| first == CHILD)
}

/// A folder that goes with it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is in the folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a child: seconds until it said that it has a result, and the figures that it gave.
fn time(device: &str, kind: &str, cache: &Path) -> Outcome<(f64, Vec<f64>)> {
    let program = std::env::current_exe()?;
    let began = Instant::now();
    let mut child = Command::new(program)
        .args([CHILD, kind, device])
        .env("NDANY_CACHE_DIR", cache)
        // A driver may keep machine code of its own.
        .env("CUDA_CACHE_DISABLE", "1")
        .stdout(Stdio::piped())
        .spawn()?;
    let Some(out) = child.stdout.take() else { return Err(failure("a child without a pipe")) };
    let mut lines = BufReader::new(out).lines();
    let first = lines.next().transpose()?;
    let seconds = began.elapsed().as_secs_f64();
    let rest = lines.collect::<std::io::Result<Vec<String>>>()?;
    let status = child.wait()?;
    if first.as_deref() != Some(DONE) || !status.success() {
        return Err(failure(format!("a process of kind {kind} ended with {status}")));
    }
    let figures = rest.iter().map(|line| line.parse());
    Ok((seconds, figures.collect::<Result<Vec<f64>, _>>()?))
}

/// The least of several processes' times, and the figures of that one.
fn least(mut one: impl FnMut() -> Outcome<(f64, Vec<f64>)>) -> Outcome<(f64, Vec<f64>)> {
    let mut best = one()?;
    for _ in 1..RUNS {
        let next = one()?;
        if next.0 < best.0 {
            best = next;
        }
    }
    Ok(best)
}

pub fn run(setting: &Setting) -> Outcome<String> {
    let device = setting.device.name();
    let mut number = 0;
    let mut fresh = || {
        number += 1;
        let name = format!("ndany-endurance-{}-{number}", std::process::id());
        Folder(std::env::temp_dir().join(name))
    };
    let bare = match device.starts_with("cuda:") {
        true => Some(least(|| time(&device, "bare", &fresh().0))?.0),
        false => None,
    };
    let (empty, figures) = least(|| {
        let folder = fresh();
        time(&device, "first", &folder.0)
    })?;
    let kept = fresh();
    time(&device, "first", &kept.0)?;
    let (filled, _) = least(|| time(&device, "first", &kept.0))?;
    let bare = bare.map_or("no bare context here".to_string(), |bare| {
        format!("bare context {bare:.3} s, so {:+.3} s and {:+.3} s", empty - bare, filled - bare)
    });
    let [open, compile, chain, again] = figures[..] else {
        return Err(failure(format!("figures are missing: {figures:?}")));
    };
    Ok(format!(
        "process start to first result {empty:.3} s with an empty cache, {filled:.3} s with a filled one; {bare}; with \
         the empty one the device opens in {open:.1} ms, the first fused f32 kernel compiles and runs in {compile:.1} ms, \
         another in {chain:.1} ms, and again in {again:.3} ms"
    ))
}

/// What the processes do.
pub fn child(arguments: &[String]) -> Outcome {
    let [_, kind, device] = arguments else { return Err(failure("a kind and a device")) };
    match kind.as_str() {
        "bare" => bare(device),
        "first" => first(device),
        other => Err(failure(format!("no kind {other}"))),
    }
}

/// Nothing but the driver and a context.
fn bare(device: &str) -> Outcome {
    let ordinal = device.trim_start_matches("cuda:").parse()?;
    let _driver = CudaDriver::open(ordinal)?;
    println!("{DONE}");
    Ok(())
}

/// A result as soon as may be; then, in milliseconds, what came to it, and two kernels more.
fn first(device: &str) -> Outcome {
    let began = Instant::now();
    let device = Device::open(device)?;
    let _guard = device.enter();
    let open = began.elapsed();
    // A map and a sum, fused: one kernel.
    let x = checked::arange(Arange::new((0, 10, 1)).dtype(DType::F32))?;
    let began = Instant::now();
    let total = (&x * &x + 1.0).sum(..).item::<f32>()?;
    let compile = began.elapsed();
    println!("{DONE}");
    ensure(total == 295.0, || format!("the first result is {total}"))?;
    let x = Array::from(vec![0.5f32; 1 << 20]);
    let chain = |x: &Array| x.maximum(0) + (-x.abs()).exp().log1p();
    let mut times = vec![open, compile];
    for _ in 0..2 {
        device.synchronize()?;
        let began = Instant::now();
        chain(&x).eval()?;
        device.synchronize()?;
        times.push(began.elapsed());
    }
    for time in times {
        println!("{}", time.as_secs_f64() * 1e3);
    }
    Ok(())
}
