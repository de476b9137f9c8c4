//! Machine code as a module, on a device without a compiler.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::sync::Arc;

use ndany_array::kernel::RawModule;
use ndany_array::{Array, DType, Device};
use ndany_cuda::{CudaCompiler, CudaDriver};
use ndany_gpu::GpuBackend;
use ndany_gpu::driver::{CompileError, Compiler, Driver};
use support::{Folder, process};

const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libnvrtc.so.13"];

#[test]
fn machine_code_needs_no_compiler() {
    let folder = Folder::of_software_gpu("raw-binary", &LIBRARIES);
    process("binary", Some(&folder.0), &[]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let driver = CudaDriver::open(0).expect("a device");
    let compiler = CudaCompiler::open().expect("a compiler");
    let text = "__device__ float by = 2;
        extern \"C\" __global__ void scale(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= by; }";
    let image = compiler.compile(text, &driver.properties().architecture).expect("machine code");
    let absent = CompileError::Absent { reason: "the test has none".to_string() };
    let backend = GpuBackend::new(driver, Err(absent)).expect("a backend");
    let device = Device::custom(Arc::new(backend));
    let _guard = device.enter();
    let module = RawModule::binary("scales", image);
    let kernel = module.kernel("scale").inout("x", DType::F32).scalar("n", DType::I32);
    let mut x = Array::from([1.0f32, 2.0, 3.0]);
    // SAFETY: the kernel stays below n.
    let mut launch = || unsafe { kernel.launch(&device, 1, 32, (&mut x, 3i32)) };
    launch().expect("a launch");
    module.write(&device, "by", &[10.0f32]).expect("a variable");
    launch().expect("a launch");
    assert_eq!(x.to_vec::<f32>().expect("values"), [20.0, 40.0, 60.0]);
    // The parameters that the driver knows are compared with those declared.
    let wrong = module.kernel("scale").inout("x", DType::F32).scalar("n", DType::I64);
    // SAFETY: it is refused.
    let error = unsafe { wrong.launch(&device, 1, 32, (&mut x, 3i64)) }.expect_err("8 bytes");
    assert_eq!(
        error.to_string(),
        "[scale] refused: parameter 1 is declared with 8 bytes: the kernel takes 4 bytes"
    );
}
