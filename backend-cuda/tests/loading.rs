//! How NVIDIA's libraries may be missing or broken.

#![cfg(target_os = "linux")]

#[path = "../../gpu/tests/support/loading.rs"]
mod loading;
mod support;

use loading::{Libraries, loading_tests};
use ndany_cuda::Nvidia;
use support::{Folder, process};

const LIBRARIES: Libraries = Libraries {
    file: "libcuda.so.1",
    absent: &[
        "the NVIDIA driver (libcuda) is not usable: tried NDANY_CUDA_LIBRARIES (not set)",
        "the loader's path (libcuda.so.1: cannot open shared object file",
        "install the NVIDIA driver",
    ],
    devices: "int cuDeviceGetCount(int* count) { *count = DEVICES; return 0; }",
    others: &["libnvrtc.so.13", "libcublas.so.13", "libcufft.so.12", "libcusolver.so.12"],
    wheel: "nvidia/cu13/lib",
    besides: &["cuDeviceGet", "cuDevicePrimaryCtxRetain"],
    refusals: &[
        ("34", "this is the toolkit's stub, not the driver"),
        ("100", "the driver sees no GPU"),
        ("803", "restart the machine after an update"),
        ("999", "see whether nvidia-smi works"),
        ("12345", "update the driver"),
    ],
};

loading_tests! {
    Nvidia, LIBRARIES;
    no_library_at_all, number_is_expected, empty_file, no_functions, one_function_less, refusals, too_few_devices,
    nothing_of_the_working_directory, a_child_forked_while_a_device_opens
}

#[test]
fn discovery_makes_no_context_and_loads_no_compiler() {
    let folder = Folder::of_software_gpu("discovery", &["libcuda.so.1", "libnvrtc.so.13"]);
    let calls = &[("NDANY_SOFTGPU_TRACE", "calls")];
    let text = process("cuda:9", Some(&folder.0), calls);
    assert!(text.contains("devices cuda:0 reference\n"), "{text}");
    assert!(text.contains("discovery loads a compiler: false"), "{text}");
    assert!(text.contains("softgpu: cuDeviceGetCount"), "{text}");
    assert!(!text.contains("cuDevicePrimaryCtxRetain"), "{text}");
}
