//! The driver on a HIP of the host, written here in C: memory, copies and their order of arguments, the thread's
//! current device, images of modules, peers. It compiles nothing and runs no kernel: that is the software GPU's part.

#![cfg(target_os = "linux")]

mod support;

use ndany_array::{Array, Device};
use ndany_gpu::driver::{Driver, DriverError, KernelLaunch};
use ndany_rocm::RocmDriver;
use support::{Folder, process};

/// Two devices, with memory that is never used again. A call about a device's memory fails with 1 where another is
/// current.
const HIP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long long u64;
static _Thread_local int current = 0;
static int past = 0;
static char memory[2][1 << 28] __attribute__((aligned(256)));
static size_t used[2];
static int elsewhere(void* at) { return (char*)at < memory[current] || (char*)at >= memory[current] + (1 << 28); }
static const char* kept;
int hipInit(unsigned flags) { return 0; }
int hipRuntimeGetVersion(int* version) { *version = 60443484; return 0; }
int hipGetDeviceCount(int* count) { *count = 2; return 0; }
int hipDeviceGetName(char* name, int length, int device) { snprintf(name, length, "host %d", device); return 0; }
int hipDeviceTotalMem(size_t* bytes, int device) { *bytes = 1u << 30; return 0; }
int hipDeviceGetAttribute(int* value, int attribute, int device) {
    switch (attribute) {
        case 87: *value = 64; return 0;
        case 63: *value = 4; return 0;
        case 56: *value = 1024; return 0;
        case 29: *value = 0x7fffffff; return 0;
        case 30: case 31: *value = 65535; return 0;
        case 26: case 27: *value = 1024; return 0;
        case 28: *value = 64; return 0;
        case 74: case 83: *value = 65536; return 0;
        case 10: *value = 1; return 0;
    }
    return 1;
}
int hipGetDevicePropertiesR0600(char* to, int device) { strcpy(to + 1160, "gfx90a:sramecc+:xnack-"); return 0; }
int hipGetDevice(int* device) { *device = current; return 0; }
int hipSetDevice(int device) { current = device; return 0; }
int hipMalloc(void** to, size_t bytes) {
    bytes = (bytes + 255) / 256 * 256;
    if (bytes > (1 << 28) - used[current]) return 2;
    *to = memory[current] + used[current];
    used[current] += bytes;
    return 0;
}
int hipFree(void* at) { return elsewhere(at); }
int hipMemGetInfo(size_t* free, size_t* total) { *free = 1 << 29; *total = 1u << 30; return 0; }
int hipHostMalloc(void** to, size_t bytes, unsigned flags) { *to = malloc(bytes); return flags == 1 ? 0 : 1; }
int hipHostFree(void* at) { free(at); return 0; }
int hipMemcpyHtoDAsync(void* to, void* from, size_t bytes, void* stream) { memcpy(to, from, bytes); return elsewhere(to); }
int hipMemcpyDtoHAsync(void* to, void* from, size_t bytes, void* stream) { memcpy(to, from, bytes); return elsewhere(from); }
int hipMemcpyPeerAsync(void* to, int device, void* from, int peer, size_t bytes, void* stream) {
    memcpy(to, from, bytes);
    return !(device == 1 && peer == 0) || elsewhere(to) || !elsewhere(from);
}
int hipMemsetD8Async(void* to, unsigned char byte, size_t bytes, void* stream) {
    if (elsewhere(to)) return 1;
    memset(to, byte, bytes);
    return 0;
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) { *stream = malloc(1); return flags != 1; }
int hipStreamDestroy(void* stream) { free(stream); return 0; }
int hipStreamSynchronize(void* stream) { return 0; }
int hipStreamWaitEvent(void* stream, void* event, unsigned flags) { return flags; }
int hipEventCreateWithFlags(unsigned** event, unsigned flags) { *event = malloc(4); **event = flags; return flags != 2; }
int hipEventDestroy(void* event) { free(event); return 0; }
int hipEventRecord(void* event, void* stream) { return 0; }
int hipEventQuery(void* event) { return past++ % 2 ? 0 : 600; }
int hipEventSynchronize(void* event) { return 0; }
int hipModuleLoadData(void** module, const char* image) { kept = image; *module = (void*)7; return 0; }
int hipModuleUnload(void* module) { return module != (void*)7 || memcmp(kept, "image", 5); }
int hipModuleGetFunction(void** function, void* module, const char* name) {
    *function = (void*)9;
    return strcmp(name, "a_kernel") || memcmp(kept, "image", 5);
}
int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                          unsigned shared, void* stream, void** parameters, void** extra) {
    u64* words = parameters[0];
    if (function != (void*)9 || gx != 5 || gy * gz * y * z != 1 || x != 256 || shared != 0 || extra) return 1;
    return words[0] == 11 && words[1] == 22 ? 719 : 1;
}
"#;

#[test]
fn arrays_and_the_driver_on_a_hip_of_the_host() {
    let folder = Folder::new("host");
    folder.compile("libamdhip64.so.6", HIP);
    let text = process("host", Some(&folder.0), &[]);
    assert!(text.contains("the host's HIP was used"), "{text}");
}

#[test]
#[ignore = "run by the other, with a library that it makes"]
fn alone() {
    let name = Device::open("hip:1").expect("a device").description();
    assert!(name.contains("host 1"), "{name}");
    assert_eq!(Device::all(), ["hip:0", "hip:1", "reference"]);
    assert!(Device::open("hip:2").expect_err("two are there").to_string().contains("there are 2"));

    let device = Device::open("hip:1").expect("a device");
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let there = Array::from(values.clone()).to_device(&device).expect("a copy");
    assert_eq!(there.to_vec::<f32>().expect("a copy"), values);

    let [first, second] = [0, 1].map(|ordinal| RocmDriver::open(ordinal).expect("a device"));
    let properties = second.properties();
    let capabilities = properties.capabilities;
    assert_eq!((properties.architecture.as_str(), capabilities.warp_size), ("gfx90a", 64));
    assert_eq!((properties.multiprocessors, properties.memory), (4, 1 << 30));
    assert_eq!(
        (capabilities.max_threads_per_block, capabilities.max_blocks),
        (1024, (1 << 31) - 1)
    );
    assert_eq!(properties.driver_version, "HIP 6.4.43484");
    assert_eq!((second.dialect().warp_size, second.name()), (64, "hip:1"));
    let full = second.allocate(2 << 30);
    assert_eq!(full, Err(DriverError::OutOfMemory { call: "hipMalloc" }));

    // SAFETY: the library is the host's memory; everything is alive, as long as it is said to be, and given back once.
    unsafe {
        let [from, to] = [first.allocate(8), second.allocate(8)].map(|at| at.expect("memory"));
        let stream = second.create_stream().expect("a stream");
        let page = second.allocate_host(8).expect("memory");
        first.fill(from, 0x5a, 8, stream).expect("on the first device");
        second.copy_from_peer(to, from, &first, 8, stream).expect("from the first device");
        second.download(page, to, 8, stream).expect("on the second device");
        assert_eq!(std::slice::from_raw_parts(page, 8), [0x5a; 8]);
        // The library does see whose memory it is.
        let error = second.fill(from, 0, 8, stream).expect_err("the first device's memory");
        assert!(matches!(error, DriverError::Call { call: "hipMemsetD8Async", code: 1, .. }));

        let event = second.create_event().expect("an event");
        second.record(event, stream).expect("an event");
        assert_eq!([second.is_completed(event), second.is_completed(event)], [Ok(false), Ok(true)]);
        second.stream_waits(stream, event).expect("no flags");

        let mut image = b"image".to_vec();
        let module = second.load(&image).expect("a module");
        image.fill(0);
        let function = second.function(module, "a_kernel").expect("the image is kept");
        let launch = KernelLaunch::linear(function, 5, 256, stream);
        let lost = second.launch(&launch, &[11, 22]).expect_err("that is what it gives");
        assert!(matches!(lost, DriverError::Lost { code: 719, .. }), "{lost}");
        second.unload(module).expect("the image is kept until then");

        second.destroy_event(event).expect("an event");
        second.free_host(page).expect("memory");
        second.destroy_stream(stream).expect("a stream");
        first.free(from).expect("memory");
        second.free(to).expect("memory");
    }
    println!("the host's HIP was used");
}
