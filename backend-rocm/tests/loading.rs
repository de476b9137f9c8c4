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
    match Device::open(&task()) {
        Ok(device) => println!("opened {}", device.description()),
        Err(error) => println!("error {error}"),
    }
    // A report must not panic either.
    for report in Device::reports() {
        println!("{report}");
    }
}

/// Is there a HIP on this machine that a broken copy in front would not hide?
fn has_hip() -> bool {
    !process("hip:0", None, &[]).contains("libamdhip64) is not usable")
}

/// Opening fails with these words, unless the machine has a whole HIP besides, which is found behind.
fn fails(folder: &Folder, words: &[&str]) {
    let text = process("hip:0", Some(&folder.0), &[]);
    if has_hip() {
        assert!(text.contains("hipInit of /") || text.contains("devices hip:0 "), "{text}");
        return;
    }
    assert!(text.contains("devices reference\n"), "{text}");
    for word in words {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn a_machine_without_a_device_says_why() {
    if std::path::Path::new("/dev/kfd").exists() {
        return;
    }
    let text = process("hip:0", None, &[]);
    assert!(text.contains("devices reference\n"), "{text}");
    assert!(text.contains("error [open] no device \"hip:0\": "), "{text}");
    let words: &[&str] = match has_hip() {
        // Debian's, for one: whole, but with nothing to run on.
        true => &["hipInit of /", "HIP sees no AMD GPU: /dev/kfd must be there and open"],
        false => &[
            "AMD's HIP (libamdhip64) is not usable: tried NDANY_ROCM_LIBRARIES (not set)",
            "the loader's path (libamdhip64.so.5: cannot open shared object file",
            "install ROCm 5 or newer",
        ],
    };
    for word in words {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn a_number_is_expected() {
    let text = process("hip:first", None, &[]);
    assert!(text.contains("the number of a device is expected behind the colon"), "{text}");
}

#[test]
fn an_empty_file() {
    let folder = Folder::new("empty");
    let library = folder.0.join("libamdhip64.so.6");
    std::fs::write(&library, "").expect("a file of the test");
    fails(&folder, &[&format!("{}: ", library.display()), "file too short"]);
}

#[test]
fn a_library_without_functions() {
    let folder = Folder::new("hollow");
    folder.compile("libamdhip64.so.6", "int unused;");
    fails(&folder, &["libamdhip64.so.6: it has no hipInit"]);
}

#[test]
fn a_library_without_one_function() {
    let folder = Folder::new("old");
    let text = hip("0", "1", "0").replace("hipModuleLaunchKernel", "hipLaunch");
    folder.compile("libamdhip64.so.6", &text);
    fails(&folder, &["libamdhip64.so.6: it has no hipModuleLaunchKernel"]);
}

/// A HIP whose functions all give this code, that says it has so many devices, each with so many lanes.
fn hip(code: &str, devices: &str, lanes: &str) -> String {
    let functions = [
        "hipInit",
        "hipRuntimeGetVersion",
        "hipDeviceGetName",
        "hipDeviceTotalMem",
        "hipGetDevice",
        "hipSetDevice",
        "hipMalloc",
        "hipFree",
        "hipMemGetInfo",
        "hipHostMalloc",
        "hipHostFree",
        "hipHostGetDevicePointer",
        "hipMemcpyHtoDAsync",
        "hipMemcpyDtoHAsync",
        "hipMemcpyDtoDAsync",
        "hipMemsetD8Async",
        "hipStreamCreateWithFlags",
        "hipStreamDestroy",
        "hipStreamSynchronize",
        "hipStreamWaitEvent",
        "hipEventCreateWithFlags",
        "hipEventDestroy",
        "hipEventRecord",
        "hipEventQuery",
        "hipEventSynchronize",
        "hipEventElapsedTime",
        "hipModuleLoadData",
        "hipModuleUnload",
        "hipModuleGetFunction",
        "hipModuleLaunchKernel",
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
    ];
    let bodies = functions.map(|name| format!("int {name}() {{ return {code}; }}\n"));
    format!(
        "int hipGetDeviceCount(int* count) {{ *count = {devices}; return 0; }}\n\
         int hipDeviceGetAttribute(int* value) {{ *value = {lanes}; return 0; }}\n{}",
        bodies.concat()
    )
}

/// The structure's end with the name of an architecture at this offset.
fn properties(function: &str, offset: usize) -> String {
    format!(
        "int {function}(char* to) {{ __builtin_strcpy(to, \"a gfx card\"); \
         __builtin_strcpy(to + {offset}, \"gfx942:xnack-\"); return 0; }}\n"
    )
}

#[test]
fn hips_that_do_not_start() {
    // Whole, so nothing behind it is looked for, and without names for its errors.
    for (code, words) in [
        ("100", "HIP sees no AMD GPU"),
        ("101", "HIP sees no AMD GPU"),
        ("12345", "see whether rocminfo works"),
    ] {
        let folder = Folder::new(&format!("code-{code}"));
        folder.compile("libamdhip64.so.6", &hip(code, "1", "64"));
        let text = process("hip:0", Some(&folder.0), &[]);
        let error = format!("an error that HIP does not name ({code}): {words}");
        assert!(text.contains(&error), "{error} is not in {text}");
        assert!(text.contains("devices reference\n"), "{text}");
    }
}

#[test]
fn hips_with_too_few_devices() {
    for (devices, count) in [("0", 0), ("2", 2)] {
        let folder = Folder::new(&format!("few-{devices}"));
        folder.compile("libamdhip64.so.6", &hip("0", devices, "64"));
        let text = process("hip:7", Some(&folder.0), &[]);
        assert!(
            text.contains(&format!("there are {count} ROCm devices, numbered from 0")),
            "{text}"
        );
        let names = ["", "hip:0 hip:1 "][count / 2];
        assert!(text.contains(&format!("devices {names}reference\n")), "{text}");
    }
}

#[test]
fn the_architecture_is_asked_for_in_both_ways_and_may_be_missing() {
    let both = [
        properties("hipGetDevicePropertiesR0600", 1160),
        properties("hipGetDeviceProperties", 396).replace("gfx942", "gfx000"),
    ];
    for (functions, words) in [
        (both.concat(), "gfx942"),
        (properties("hipGetDeviceProperties", 396), "gfx942"),
        (String::new(), "the driver has no hipGetDeviceProperties: update it"),
    ] {
        let folder = Folder::new("architecture");
        folder.compile("libamdhip64.so.6", &(functions + &hip("0", "1", "64")));
        let text = process("hip:9", Some(&folder.0), &[]);
        assert!(text.contains(words), "{words} is not in {text}");
    }
}

#[test]
fn a_device_with_other_lanes_is_refused() {
    let folder = Folder::new("lanes");
    let text = properties("hipGetDeviceProperties", 396) + &hip("0", "1", "16");
    folder.compile("libamdhip64.so.5", &text);
    let text = process("hip:0", Some(&folder.0), &[]);
    assert!(text.contains("its wavefronts have 16 lanes: 32 and 64 are known"), "{text}");
}
