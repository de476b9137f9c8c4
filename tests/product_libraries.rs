//! Products by a vendor's library asked for by several threads: each on its own stream. A library of the same shape in C
//! stands for it, on the software GPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{DType, Device, ones};
use support::{Folder, SearchVariables, process_among, task};

const CUDA: SearchVariables =
    SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "CUDA_HOME"] };

/// Products that each of the threads asks for.
const PRODUCTS: usize = 20;
const THREADS: usize = 4;

#[test]
fn products_of_threads_stay_on_their_streams() {
    let folder = Folder::of_one_software_gpu("products", &["libcuda.so.1", "libnvrtc.so.13"]);
    folder.compile("libcublas.so.13", include_str!("product_libraries.c"));
    let text = process_among(&CUDA, "cuda:0", Some(&folder.0), &[]);
    assert_eq!(text.matches("own stream").count(), PRODUCTS * THREADS, "{text}");
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let device = Device::open(&task()).expect("a device");
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let _guard = device.enter();
                let a = ones((64, 64), DType::F64);
                a.eval().expect("made");
                for _ in 0..PRODUCTS {
                    a.matmul(&a).eval().expect("asked for");
                }
            });
        }
    });
}
