//! Copies between page-locked memory and a device: how fast they are, and whether work goes on beside them.
//!
//!     cargo run --release --example transfers [-- --device NAME] [--mebibytes N]

#[path = "support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;

use ndany::prelude::*;
use ndany::{HostBuffer, Priority};
use support::{Outcome, failure};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("transfers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let mebibytes = match support::option(&mut arguments, "--mebibytes")? {
        Some(size) => {
            size.parse().map_err(|_| failure(format!("--mebibytes {size}: no number")))?
        }
        None => 64,
    };
    support::expect_no_more(&arguments, "transfers [--device NAME] [--mebibytes N]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let len = mebibytes * (1 << 20) / size_of::<f32>();
    let mut buffer = HostBuffer::<f32>::new(&device, len)?;
    for (k, value) in buffer.iter_mut().enumerate() {
        *value = (k % 1000) as f32;
    }
    let bytes = (len * size_of::<f32>()) as f64;
    let speed = |seconds: f64| bytes / seconds / 1e9;

    // There and back, the best of some.
    let (mut up, mut down) = (f64::INFINITY, f64::INFINITY);
    let mut sum = 0.0;
    for _ in 0..5 {
        device.synchronize()?;
        let start = Instant::now();
        let (array, sent) = buffer.upload(len)?;
        buffer = sent.wait()?;
        up = up.min(start.elapsed().as_secs_f64());
        sum = array.sum(..).item::<f32>()?;
        device.synchronize()?;
        let start = Instant::now();
        buffer = array.download(buffer)?.wait()?;
        down = down.min(start.elapsed().as_secs_f64());
    }
    println!("{mebibytes} MiB to the device: {:.1} GB/s, back: {:.1} GB/s", speed(up), speed(down));

    // Work in one stream, a copy in another.
    let (work, copies) = (device.stream(..)?, device.stream(Priority::High)?);
    let x = (arange(len) % 1000).astype(F32);
    x.eval()?;
    let compute = || -> ndany::Result<()> {
        let _guard = work.enter();
        (0..8).try_for_each(|_| (&x / 1000).sin().exp().sqrt().sum(..).eval())
    };
    // The best of some: in the first, memory of a stream is new.
    let [mut alone, mut copied, mut both] = [f64::INFINITY; 3];
    for _ in 0..5 {
        device.synchronize()?;
        let start = Instant::now();
        compute()?;
        device.synchronize()?;
        alone = alone.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        compute()?;
        let (array, sent) = {
            let _guard = copies.enter();
            buffer.upload(len)?
        };
        buffer = sent.wait()?;
        copied = copied.min(start.elapsed().as_secs_f64());
        device.synchronize()?;
        both = both.min(start.elapsed().as_secs_f64());
        if array.sum(..).item::<f32>()? != sum || buffer.len() != len {
            return Err(failure("a copy has other values"));
        }
    }
    println!(
        "work alone {:.2} ms; beside a copy {:.2} ms, which is there after {:.2} ms ({:.1} GB/s, {:.0} % of a copy alone)",
        alone * 1e3,
        both * 1e3,
        copied * 1e3,
        speed(copied),
        up / copied * 100.0
    );
    Ok(())
}
