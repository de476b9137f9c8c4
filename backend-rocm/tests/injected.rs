//! Every call of HIP and of hipRTC that a workload makes fails once.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../gpu/tests/support/injected.rs"]
mod injected;
mod support;

use ndany_rocm::{RocmCompiler, RocmDriver};
use support::{Folder, process, task};

const LIBRARIES: [&str; 2] = ["libamdhip64.so.6", "libhiprtc.so.6"];

#[test]
fn each_call_fails_once() {
    let folder = Folder::of_one_software_gpu("injected", &LIBRARIES);
    // The pools are the same code over both vendors' drivers; those of CUDA's test are both.
    let pools = [injected::CACHING];
    injected::in_processes("hip:0", &folder.0, LIBRARIES[0], &pools, process);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = || injected::device(RocmDriver::open(0), RocmCompiler::open());
    injected::alone("hip:0", &task(), open);
}
