//! How AMD's libraries may be missing or broken.

#![cfg(target_os = "linux")]

#[path = "../../gpu/tests/support/loading.rs"]
mod loading;
mod support;

use loading::{Libraries, loading_tests};
use ndany_rocm::Amd;
use support::{Folder, process};

const LIBRARIES: Libraries = Libraries {
    file: "libamdhip64.so.6",
    absent: &[
        "AMD's HIP (libamdhip64) is not usable: tried NDANY_ROCM_LIBRARIES (not set)",
        "the loader's path (libamdhip64.so.5: cannot open shared object file",
        "install ROCm 5 or newer",
    ],
    devices: "int hipGetDeviceCount(int* count) { *count = DEVICES; return 0; }\n\
              int hipDeviceGetAttribute(int* value) { *value = 64; return 0; }",
    others: &["libhiprtc.so.7", "librocblas.so.5", "libhipfft.so.0", "libhipsolver.so.1"],
    wheel: "_rocm_sdk_core/lib",
    besides: &[],
    refusals: &[
        ("100", "HIP sees no AMD GPU"),
        ("101", "HIP sees no AMD GPU"),
        ("12345", "see whether rocminfo works"),
    ],
};

loading_tests! {
    Amd, LIBRARIES;
    no_library_at_all, number_is_expected, empty_file, no_functions, one_function_less, refusals, too_few_devices,
    nothing_of_the_working_directory, a_child_forked_while_a_device_opens
}

#[test]
fn a_machine_without_a_device_says_why() {
    if std::path::Path::new("/dev/kfd").exists() {
        return;
    }
    let text = process("hip", None, &[]);
    assert!(text.contains("devices reference\n"), "{text}");
    assert!(text.contains("error [open] no device \"hip:"), "{text}");
    // Debian's, for one, is whole, but with nothing to run on.
    if !text.contains(LIBRARIES.absent[0]) {
        assert!(text.contains("hipInit of /"), "{text}");
        assert!(text.contains("HIP sees no AMD GPU: /dev/kfd must be there and open"), "{text}");
    }
}

/// The structure's end with the name of an architecture at this offset.
fn properties(function: &str, offset: usize) -> String {
    format!(
        "int {function}(char* to) {{ __builtin_strcpy(to, \"a gfx card\"); \
         __builtin_strcpy(to + {offset}, \"gfx942:xnack-\"); return 0; }}\n"
    )
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
        folder.compile("libamdhip64.so.6", &(functions + &LIBRARIES.driver::<Amd>("0", "1")));
        let text = process("hip:9", Some(&folder.0), &[]);
        assert!(text.contains(words), "{words} is not in {text}");
    }
}

#[test]
fn a_device_with_other_lanes_is_refused() {
    let folder = Folder::new("lanes");
    let text = properties("hipGetDeviceProperties", 396)
        + &LIBRARIES.driver::<Amd>("0", "1").replace("= 64", "= 16");
    folder.compile("libamdhip64.so.5", &text);
    let text = process("hip:0", Some(&folder.0), &[]);
    let words = "kernels need wavefronts of 32 or 64 threads, and the device has wavefronts of 16";
    assert!(text.contains(words), "{text}");
}
