//! Devices of all vendors in one process, on the software GPU: each computes, arrays go from any to any, and mixing them
//! is an error that names both.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, Device, Generator};
use support::{Folder, LIBRARIES, process_of_all_vendors};

#[test]
fn devices_of_all_vendors_in_one_process() {
    let folder = Folder::of_software_gpu("vendors", &LIBRARIES);
    for lanes in ["64", "32"] {
        let variables = [("NDANY_SOFTGPU_DEVICES", "2"), ("NDANY_SOFTGPU_LANES", lanes)];
        process_of_all_vendors(&folder, "alone", &variables);
    }
}

/// AMD's devices are NVIDIA's under another name here: contexts are one, and so is memory.
#[test]
fn one_device_under_two_names() {
    let [cuda, nvrtc, hip, hiprtc] = LIBRARIES;
    let folder = Folder::of_software_gpu("forward", &[cuda, nvrtc]);
    let folder = folder.with("libndany_forward.so", &[hip, hiprtc]);
    process_of_all_vendors(&folder, "alone", &[("NDANY_SOFTGPU_DEVICES", "2")]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let names = ["cuda:0", "cuda:1", "hip:0", "hip:1", "cpu", "reference"];
    let all = Device::all();
    assert_eq!(names.map(String::from).to_vec(), all);
    let devices: Vec<Device> =
        all.iter().map(|name| Device::open(name).expect("a device")).collect();
    // A map, a sum along rows, a scan and a sort: the same bits everywhere.
    let computed = |device: &Device| -> Vec<Array> {
        let _guard = device.enter();
        let x = Generator::new(7).normal(0.0, 1.0, (5, 300));
        let sums = (&x * 2.0 + 1.0).exp().sum(1);
        vec![x.cumsum(1), x.sort(1), sums]
    };
    let bits = |array: &Array| -> Vec<u64> {
        array.to_vec::<f64>().expect("values").into_iter().map(f64::to_bits).collect()
    };
    let results: Vec<Vec<Array>> = devices.iter().map(computed).collect();
    let expected: Vec<Vec<u64>> = results[5].iter().map(bits).collect();
    for (device, results) in devices.iter().zip(&results) {
        let got: Vec<Vec<u64>> = results.iter().map(bits).collect();
        assert!(got == expected, "{device:?}");
    }
    // From any to any, whole and in part, lying otherwise too; and back.
    for (from, results) in devices.iter().zip(&results) {
        for to in &devices {
            let column = results[0].i((.., 3));
            let moved = column.to_device(to).expect("a copy");
            assert_eq!(moved.device(), to);
            assert_eq!(bits(&moved), bits(&column), "{from:?} to {to:?}");
            let turned = results[1].transpose(..).to_device(to).expect("a copy");
            let back = (turned + 0.0).transpose(..).to_device(from).expect("a copy");
            assert_eq!(bits(&back), expected[1], "{from:?} to {to:?} and back");
        }
    }
    let error =
        ndany::checked::add(&results[0][2], &results[2][2]).expect_err("two devices").to_string();
    assert!(error.contains("cuda:0") && error.contains("hip:0"), "{error}");
}
