//! The software GPU finds planted bugs, one among them that CUDA's warps cannot have: 32 lanes where there are 64.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../gpu/tests/support/planted.rs"]
mod planted;
mod support;

use ndany_rocm::{RocmCompiler, RocmDriver};
use support::{Folder, process, task};

#[test]
fn planted_bugs_are_found_and_nothing_else_is() {
    let folder = Folder::of_software_gpu("planted", &["libamdhip64.so.6", "libhiprtc.so.6"]);
    let kept = folder.0.join("kernels").to_string_lossy().into_owned();
    let kept = ("NDANY_SOFTGPU_CACHE", kept.as_str());
    let bugs = ["lanes", "outside", "barrier", "unwritten", "wait", "leak"];
    planted::each_is_found(&bugs, |name, settings| {
        process(name, Some(&folder.0), &[settings, &[kept]].concat())
    });
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let driver = RocmDriver::open(0).expect("the software GPU");
    let compiler = RocmCompiler::open().expect("a compiler");
    planted::alone(&task(), &driver, &compiler, "__ballot(x)");
}
