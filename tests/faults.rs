//! Errors that turn up while work runs: they come out of each value that depends on what failed, and of no other, on
//! GPUs (the software GPU) as on the reference.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, Device};
use support::{Folder, Places, process_among, task};

const LIBRARIES: [&str; 4] =
    ["libcuda.so.1", "libnvrtc.so.13", "libamdhip64.so.6", "libhiprtc.so.6"];

const PLACES: Places =
    Places { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "ROCM_PATH"] };

const DEVICES: [&str; 4] = ["reference", "cpu", "cuda:0", "hip:0"];

/// Runs a task of `alone` on software GPUs, in a process of its own.
fn on_devices(task: &str) {
    let folder = Folder::of_software_gpu(task, &LIBRARIES);
    let rocm = folder.0.to_string_lossy().into_owned();
    process_among(&PLACES, task, Some(&folder.0), &[("NDANY_ROCM_LIBRARIES", &*rocm)]);
}

#[test]
fn an_error_is_not_lost_beside_settled_ones() {
    on_devices("settled");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let test = match task().as_str() {
        "settled" => settled,
        other => panic!("no task {other}"),
    };
    for name in DEVICES {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        test(name);
    }
}

/// A sum whose operands may have failed, of which one was read meanwhile, meets an array that has failed.
fn settled(device: &str) {
    let table = Array::from((0..100).map(|k| i64::from(k)).collect::<Vec<_>>());
    let at = |positions: [i64; 3]| table.take(Array::from(positions.to_vec()), 0);
    let (first, second) = (at([1, 2, 3]), at([4, 5, 6]));
    let sum = &first + &second;
    sum.eval().expect("nothing is out of range");
    assert_eq!(first.to_vec::<i64>().expect("values"), [1, 2, 3], "on {device}");
    let bad = at([7, 8, 1000]);
    for meeting in [&sum + &bad, &bad + &sum] {
        let error = meeting.to_vec::<i64>().expect_err(device);
        assert_eq!(error.class(), "IndexError", "{error} on {device}");
    }
    assert_eq!(sum.to_vec::<i64>().expect("values"), [5, 7, 9], "on {device}");
}
