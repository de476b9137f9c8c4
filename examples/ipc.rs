//! Two processes that use one array in the memory of a GPU: the first makes it and starts the second, which reads it in its place,
//! and writes a second array that the first reads then. A software GPU shares copies: what the second process writes does not show
//! there, which is an error here.
//!
//!     cargo run --release --example ipc [-- --device cuda:0]

#[path = "support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};

use ndany::exchange::{Export, IpcHandle, Layout};
use ndany::prelude::*;
use support::{Outcome, failure};

/// Elements of each array.
const SIZE: usize = 1 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ipc: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let _guard = device.enter();
    if arguments == ["second"] {
        return second(&device);
    }
    support::expect_no_more(&arguments, "ipc [--device NAME]")?;
    println!("device {device}: {}", device.description());
    let read = (arange(SIZE as i64).astype(F32) * 0.5).reshape([SIZE / 64, 64]);
    // A view that lies in no order of its own.
    let view = read.i(s![..;-1, 3..]).t();
    let mut written = zeros(SIZE, F32) + 0.0;
    let export = Export::read(&view, None)?;
    let to_write = Export::write(&mut written, None)?;
    let handles = [IpcHandle::of(&export)?, IpcHandle::of(&to_write)?];
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--device", &device.name(), "second"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or_else(|| failure("no pipe"))?;
    for handle in handles {
        let bytes = handle.to_bytes();
        input.write_all(&(bytes.len() as u64).to_le_bytes())?;
        input.write_all(&bytes)?;
        println!("a handle of {} bytes", bytes.len());
    }
    drop(input);
    let status = child.wait()?;
    if !status.success() {
        return Err(failure(format!("the second process ended with {status}")));
    }
    let Layout { shape, .. } = export.layout();
    let sum = written.sum(..).item::<f32>()?;
    println!("the second process wrote {sum} in all, and read {shape:?} elements as they are");
    if sum != SIZE as f32 {
        return Err(failure(format!(
            "expected {SIZE}, got {sum}: its writes do not show here, as on a software GPU"
        )));
    }
    println!("both processes have used the memory of both arrays");
    Ok(())
}

fn second(device: &Device) -> Outcome {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let mut rest = &bytes[..];
    let mut next = || {
        let (size, after) =
            rest.split_first_chunk::<8>().ok_or_else(|| failure("the handles are cut"))?;
        let (handle, after) = after
            .split_at_checked(u64::from_le_bytes(*size) as usize)
            .ok_or_else(|| failure("the handles are cut"))?;
        rest = after;
        let foreign = IpcHandle::from_bytes(handle)?.open(device)?;
        // SAFETY: the first process waits for this one, and leaves both arrays alone meanwhile.
        Ok::<Array, Box<dyn std::error::Error>>(unsafe { foreign.into_array() }?)
    };
    let (read, mut written) = (next()?, next()?);
    let expected = (arange(SIZE as i64).astype(F32) * 0.5).reshape([SIZE / 64, 64]);
    if !read.array_equal(expected.i(s![..;-1, 3..]).t())? {
        return Err(failure("the values of the first process are others here"));
    }
    written += 1.0f32;
    device.synchronize()?;
    Ok(())
}
