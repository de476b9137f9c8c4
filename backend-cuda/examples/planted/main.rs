//! Launches a kernel with a planted bug, for `conformance/sanitize.sh`: a tool that does not find it finds nothing.
//!
//!     planted BUG        (a name of `bugs.rs`)
//!
//! What the driver says is printed and is no failure: finding the bug is the tool's job.

mod bugs;

use std::process::ExitCode;

use bugs::{BUGS, Bug, SIZE};
use ndany_cuda::{CudaCompiler, CudaDriver};
use ndany_gpu::driver::{Call, Compiler, Driver, DriverResult};

/// Compiles, runs and reads: the sum of what came out.
fn run(driver: &CudaDriver, image: &[u8], bug: &Bug) -> DriverResult<u64> {
    let bytes = SIZE * size_of::<u32>();
    let values: Vec<u32> = (0..SIZE as u32).collect();
    let mut results = vec![0u32; SIZE];
    // Exact allocations of the driver, as in the pool's direct mode; behind the last one there is nothing.
    let [to, from] = [driver.allocate(bytes)?, driver.allocate(bytes)?];
    let module = driver.load(image)?;
    let stream = driver.create_stream()?;
    // SAFETY: module, stream and memory are alive; vectors are as long as is said, and waited for. What the kernel does
    // beyond its memory is the point, and touches nobody's: the process has nothing else on the device.
    unsafe {
        let function = driver.function(module, "planted")?;
        if bug.written {
            driver.upload(from, values.as_ptr().cast(), bytes, stream)?;
        }
        let call = Call { function, grid: [1, 1], block: SIZE as u32, shared: 0, stream };
        driver.launch(&call, &[from, to])?;
        driver.download(results.as_mut_ptr().cast(), to, bytes, stream)?;
        driver.wait_for_stream(stream)?;
        driver.free(from)?;
        driver.free(to)?;
    }
    Ok(results.iter().map(|&value| u64::from(value)).sum())
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(bug) = BUGS.iter().find(|bug| bug.name == name) else {
        let names: Vec<&str> = BUGS.iter().map(|bug| bug.name).collect();
        eprintln!("usage: planted BUG, one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let driver = match CudaDriver::open(0) {
        Ok(driver) => driver,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let compiled = CudaCompiler::open()
        .and_then(|compiler| compiler.compile(&bug.text(), &driver.properties().architecture));
    let image = match compiled {
        Ok(image) => image,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match run(&driver, &image, bug) {
        Ok(sum) => println!("{name}: the sum is {sum}"),
        Err(error) => println!("{name}: the driver says: {error}"),
    }
    ExitCode::SUCCESS
}
