//! Raw kernels on software GPUs: the values of plain Rust, in several orders of threads, with every byte checked; and what a
//! fault says.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../examples/kernels/raw.rs"]
mod kernels;
#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::kernel::{Argument, RawKernel};
use ndany::{Array, DType, Device};
use support::{Folder, LIBRARIES, process_of_all_vendors, task};

fn devices() -> impl Iterator<Item = &'static str> {
    let devices = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    devices.into_iter().filter(|(_, built)| *built).map(|(name, _)| name)
}

#[test]
fn kernels_have_the_values_of_plain_rust() {
    let folder = Folder::of_software_gpu("raw", &LIBRARIES);
    process_of_all_vendors(&folder, "values", &[("NDANY_SOFTGPU_CHECK", "bytes")]);
    let orders = [("NDANY_SOFTGPU_SEEDS", "3"), ("NDANY_SOFTGPU_ORDER", "late")];
    process_of_all_vendors(&folder, "values", &orders);
    process_of_all_vendors(&folder, "values", &[("NDANY_SOFTGPU_LANES", "32")]);
}

#[test]
fn a_fault_names_its_kernel() {
    let folder = Folder::of_software_gpu("raw-faults", &LIBRARIES);
    for device in devices() {
        process_of_all_vendors(&folder, device, &[]);
    }
}

#[test]
fn devices_without_a_compiler_say_so_or_run_the_closure() {
    let kernel = RawKernel::new("twice", "y[global_x()] *= 2;").inout("y", DType::F32);
    let twin = kernel.clone().on_cpu(|arguments| {
        if let [Argument::InOut(y)] = arguments {
            **y = &**y * 2.0f32;
        }
        Ok(())
    });
    for name in ["cpu", "reference"] {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        let mut y = Array::from([1.0f32, 2.0]);
        // SAFETY: as many threads as elements.
        let error = unsafe { kernel.launch(&device, 1, 2, (&mut y,)) }.expect_err("no compiler");
        assert!(error.is_unsupported());
        assert_eq!(
            error.to_string(),
            format!(
                "[twice] is not supported: {name} compiles no text: launch it on a GPU, or give it a closure by on_cpu"
            )
        );
        // SAFETY: as above.
        unsafe { twin.launch(&device, 1, 2, (&mut y,)) }.expect("the closure");
        assert_eq!(y.to_vec::<f32>().expect("values"), [2.0, 4.0]);
        // Arguments are compared as on a GPU.
        let mut wrong = Array::from([1.0f64]);
        // SAFETY: it is refused.
        let error = unsafe { twin.launch(&device, 1, 1, (&mut wrong,)) }.expect_err("a dtype");
        assert_eq!(
            error.to_string(),
            "[twice] bad arguments: dtype of y: expected float32, got float64"
        );
    }
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    match task().as_str() {
        "values" => {
            for name in devices() {
                let device = Device::open(name).expect("a device");
                let _guard = device.enter();
                for (what, case) in kernels::CASES {
                    match case(&device) {
                        Ok(true) => {}
                        Ok(false) => panic!("{what} on {name} differs"),
                        Err(error) => panic!("{what} on {name}: {error}"),
                    }
                }
            }
        }
        name => fault(name),
    }
}

fn fault(name: &str) {
    let device = Device::open(name).expect("a device");
    let _guard = device.enter();
    let kernel = RawKernel::new("far", "y.data[1ull << 40] = 1;").inout("y", DType::F32);
    let mut y = Array::from([1.0f32]);
    // SAFETY: the software GPU catches the access.
    let launched = unsafe { kernel.launch(&device, 1, 1, (&mut y,)) };
    let error = launched.err().or_else(|| y.to_vec::<f32>().err()).expect("a fault").to_string();
    for part in ["the raw kernel that was launched last is far, at ", "raw.rs:"] {
        assert!(error.contains(part), "{error}");
    }
}
