//! The software GPU finds planted bugs; some of them `conformance/sanitize.sh` plants for NVIDIA's tools.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../gpu/tests/support/planted.rs"]
mod planted;
mod support;

use ndany_cuda::{CudaCompiler, CudaDriver};
use support::{Folder, process, task};

#[test]
fn planted_bugs_are_found_and_nothing_else_is() {
    let folder = Folder::of_software_gpu("planted", &["libcuda.so.1", "libnvrtc.so.13"]);
    let kept = folder.0.join("kernels").to_string_lossy().into_owned();
    let kept = ("NDANY_SOFTGPU_CACHE", kept.as_str());
    planted::each_is_found(
        &["outside", "barrier", "unwritten", "wait", "leak"],
        |name, settings| process(name, Some(&folder.0), &[settings, &[kept]].concat()),
    );
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let driver = CudaDriver::open(0).expect("the software GPU");
    let compiler = CudaCompiler::open().expect("a compiler");
    planted::alone(&task(), &driver, &compiler, "__ballot_sync(~0u, x)");
}
