//! The software GPU finds the bugs that `conformance/sanitize.sh` plants for NVIDIA's tools.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../examples/planted/bugs.rs"]
mod bugs;
mod support;

use bugs::{BUGS, Bug, SIZE};
use ndany_cuda::{CudaCompiler, CudaDriver};
use ndany_gpu::driver::{Call, Compiler, Driver, DriverError, DriverResult};
use support::{Folder, process, task};

#[test]
fn planted_bugs_are_found_and_nothing_else_is() {
    let folder = Folder::of_software_gpu("planted", &["libcuda.so.1", "libnvrtc.so.13"]);
    let kept = folder.0.join("kernels").to_string_lossy().into_owned();
    for bug in &BUGS {
        process(bug.name, Some(&folder.0), &[("NDANY_SOFTGPU_CACHE", &kept)]);
    }
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let task = task();
    let bug = BUGS.iter().find(|bug| bug.name == task).expect("a bug");
    let values = |change: fn(u32) -> u32| (0..SIZE as u32).map(change).collect::<Vec<u32>>();
    match (bug.name, run(bug)) {
        ("outside", Err(DriverError::Lost { code, text, .. })) => {
            assert_eq!(code, 700);
            assert!(
                text.contains("kernel planted reads 0 bytes behind the end of allocation"),
                "{text}"
            );
            assert!(text.contains("thread [1023, 0, 0]"), "{text}");
        }
        // Threads run one by one up to a barrier: the neighbour's place is still as it was.
        ("barrier", Ok(got)) => assert_ne!(got, values(|t| (t + 32) % SIZE as u32)),
        ("unwritten", Ok(got)) => assert_eq!(got, vec![u32::MAX.wrapping_mul(3); SIZE]),
        ("right-outside", Ok(got)) => assert_eq!(got, values(|t| (t + 1) % SIZE as u32)),
        ("right-barrier", Ok(got)) => assert_eq!(got, values(|t| (t + 32) % SIZE as u32)),
        ("right-unwritten", Ok(got)) => assert_eq!(got, values(|t| 3 * t)),
        (name, other) => panic!("{name}: {other:?}"),
    }
}

fn run(bug: &Bug) -> DriverResult<Vec<u32>> {
    let driver = CudaDriver::open(0).expect("the software GPU");
    let compiler = CudaCompiler::open().expect("a compiler");
    let image = compiler.compile(&bug.text(), &driver.properties().architecture).expect("an image");
    let bytes = SIZE * size_of::<u32>();
    let values: Vec<u32> = (0..SIZE as u32).collect();
    let mut results = vec![0u32; SIZE];
    let [to, from] = [driver.allocate(bytes)?, driver.allocate(bytes)?];
    let (module, stream) = (driver.load(&image)?, driver.create_stream()?);
    // SAFETY: handles are alive, vectors as long as is said; the software GPU does no access outside of its memory.
    unsafe {
        let function = driver.function(module, "planted")?;
        if bug.written {
            driver.upload(from, values.as_ptr().cast(), bytes, stream)?;
        }
        let call = Call { function, grid: [1, 1], block: SIZE as u32, shared: 0, stream };
        driver.launch(&call, &[from, to])?;
        driver.download(results.as_mut_ptr().cast(), to, bytes, stream)?;
        driver.wait_for_stream(stream)?;
    }
    Ok(results)
}
