//! Every call of the driver and of NVRTC that a workload makes fails once.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../gpu/tests/support/injected.rs"]
mod injected;
mod support;

use ndany_cuda::{CudaCompiler, CudaDriver};
use support::{Folder, process, task};

const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libnvrtc.so.13"];

#[test]
fn each_call_fails_once() {
    let folder = Folder::of_one_software_gpu("injected", &LIBRARIES);
    let pools = [injected::CACHING, injected::DIRECT];
    injected::in_processes("cuda:0", &folder.0, LIBRARIES[0], &pools, process);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = || injected::device(CudaDriver::open(0), CudaCompiler::open());
    injected::alone("cuda:0", &task(), open);
}
