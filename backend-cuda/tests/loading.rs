//! Libraries that are missing, broken, empty, too old or without a device: each is an error that says what was tried
//! and how to mend it, and no panic.

#![cfg(target_os = "linux")]

mod support;

use std::time::Instant;

use ndany_core::Device;
use support::{Folder, process, task};

/// In a process of its own: what discovery and opening come to.
#[test]
#[ignore = "run by the others"]
fn alone() {
    let began = Instant::now();
    let all = Device::all();
    println!("discovery took {} us", began.elapsed().as_micros());
    println!("devices {}", all.join(" "));
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
    println!("discovery loads NVRTC: {}", maps.contains("libnvrtc"));
    match Device::open(&task()) {
        Ok(device) => println!("opened {}", device.description()),
        Err(error) => println!("error {error}"),
    }
    // A report must not panic either.
    for report in Device::reports() {
        println!("{report}");
    }
}

/// Is there a driver on this machine that a broken copy in front would not hide?
fn has_driver() -> bool {
    !process("cuda:0", None, &[]).contains("libcuda.so.1: cannot open shared object file")
}

/// Opening fails with these words, unless the machine has a whole driver besides.
fn fails(folder: Option<&std::path::Path>, words: &[&str]) {
    let text = process("cuda:0", folder, &[]);
    if has_driver() {
        return;
    }
    assert!(text.contains("devices reference\n"), "{text}");
    for word in words {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn no_library_at_all() {
    fails(
        None,
        &[
            "error [open] no device \"cuda:0\": the NVIDIA driver (libcuda) is not usable",
            "NDANY_CUDA_LIBRARIES (not set)",
            "the loader's path (libcuda.so.1: cannot open shared object file",
            "install the NVIDIA driver",
        ],
    );
}

#[test]
fn discovery_without_a_library_is_quick() {
    let text = process("cuda:0", None, &[]);
    let took = text.split_once("discovery took ").and_then(|(_, rest)| rest.split_once(" us"));
    let took: u64 = took.and_then(|(number, _)| number.parse().ok()).expect("a time");
    assert!(has_driver() || took < 5_000, "{took} us");
}

#[test]
fn discovery_makes_no_context_and_loads_no_compiler() {
    let folder = Folder::of_software_gpu("discovery", &["libcuda.so.1", "libnvrtc.so.13"]);
    let calls = &[("NDANY_SOFTGPU_TRACE", "calls")];
    let text = process("cuda:9", Some(&folder.0), calls);
    assert!(text.contains("devices cuda:0 reference\n"), "{text}");
    assert!(text.contains("discovery loads NVRTC: false"), "{text}");
    assert!(text.contains("softgpu: cuDeviceGetCount"), "{text}");
    assert!(!text.contains("cuDevicePrimaryCtxRetain"), "{text}");
}

#[test]
fn a_number_is_expected() {
    let text = process("cuda:first", None, &[]);
    assert!(text.contains("the number of a device is expected behind the colon"), "{text}");
}

#[test]
fn an_empty_file() {
    let folder = Folder::new("empty");
    let library = folder.0.join("libcuda.so.1");
    std::fs::write(&library, "").expect("a file of the test");
    fails(Some(&folder.0), &[&format!("{}: ", library.display()), "file too short"]);
}

#[test]
fn a_library_without_functions() {
    let folder = Folder::new("hollow");
    folder.compile("libcuda.so.1", "int unused;");
    fails(Some(&folder.0), &["libcuda.so.1: it has no cuInit"]);
}

#[test]
fn a_library_without_one_function() {
    let folder = Folder::new("old");
    folder.compile("libcuda.so.1", &driver("0", "1").replace("cuLaunchKernel", "cuLaunch"));
    fails(Some(&folder.0), &["libcuda.so.1: it has no cuLaunchKernel"]);
}

/// A driver whose functions all give this, and that says it has so many devices.
fn driver(code: &str, devices: &str) -> String {
    let functions = [
        "cuInit",
        "cuDriverGetVersion",
        "cuDeviceGet",
        "cuDeviceGetName",
        "cuDeviceTotalMem_v2",
        "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain",
        "cuCtxGetCurrent",
        "cuCtxSetCurrent",
        "cuMemAlloc_v2",
        "cuMemFree_v2",
        "cuMemGetInfo_v2",
        "cuMemHostAlloc",
        "cuMemFreeHost",
        "cuMemHostGetDevicePointer_v2",
        "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2",
        "cuMemcpyDtoDAsync_v2",
        "cuMemsetD8Async",
        "cuStreamCreate",
        "cuStreamDestroy_v2",
        "cuStreamSynchronize",
        "cuStreamWaitEvent",
        "cuEventCreate",
        "cuEventDestroy_v2",
        "cuEventRecord",
        "cuEventQuery",
        "cuEventSynchronize",
        "cuModuleLoadData",
        "cuModuleUnload",
        "cuModuleGetFunction",
        "cuLaunchKernel",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    ];
    let bodies = functions.map(|name| format!("int {name}() {{ return {code}; }}\n"));
    format!(
        "int cuDeviceGetCount(int* count) {{ *count = {devices}; return 0; }}\n{}",
        bodies.concat()
    )
}

#[test]
fn drivers_that_do_not_start() {
    // Whole, so nothing behind it is looked for, and without names for its errors.
    for (code, words) in [
        ("34", "this is the toolkit's stub, not the driver"),
        ("100", "the driver sees no GPU"),
        ("803", "restart the machine after an update"),
        ("999", "see whether nvidia-smi works"),
        ("12345", "update the driver"),
    ] {
        let folder = Folder::new(&format!("code-{code}"));
        folder.compile("libcuda.so.1", &driver(code, "1"));
        let text = process("cuda:0", Some(&folder.0), &[]);
        let error = format!("an error that the driver does not name ({code}): {words}");
        assert!(text.contains(&error), "{error} is not in {text}");
        assert!(text.contains("devices reference\n"), "{text}");
    }
}

#[test]
fn drivers_with_too_few_devices() {
    for (devices, count) in [("0", 0), ("2", 2)] {
        let folder = Folder::new(&format!("few-{devices}"));
        folder.compile("libcuda.so.1", &driver("0", devices));
        let text = process("cuda:7", Some(&folder.0), &[]);
        assert!(
            text.contains(&format!("there are {count} CUDA devices, numbered from 0")),
            "{text}"
        );
        let names = ["", "cuda:0 cuda:1 "][count / 2];
        assert!(text.contains(&format!("devices {names}reference\n")), "{text}");
    }
}
