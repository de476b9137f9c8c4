//! What CuPy's tests of kernels, streams, memory and profiling promise, tested here in own words and with own data. The file
//! `cupy.txt` has a line for each of CuPy's tests, and the test `table` reads it. Each case runs on the reference, the CPU and
//! the software GPU of both vendors.

mod elementwise;
mod loops;
mod memory;
mod profiling;
mod raw;
mod reductions;
mod streams;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../gpu/tests/support/mod.rs"]
mod support;
mod table;
mod threads;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ndany::{Array, DType, Device, Result, arange};

/// A test on a device, which is the current one.
type Case = (&'static str, fn(&Device));

/// Cases under the names of their functions.
macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        /// The tests of this file.
        pub const CASES: &[crate::Case] = &[$((stringify!($case), $case)),+];
    };
}
pub(crate) use cases;

/// The cases of each file.
const FILES: [(&str, &[Case]); 8] = [
    ("elementwise", elementwise::CASES),
    ("loops", loops::CASES),
    ("reductions", reductions::CASES),
    ("threads", threads::CASES),
    ("raw", raw::CASES),
    ("streams", streams::CASES),
    ("memory", memory::CASES),
    ("profiling", profiling::CASES),
];

/// Runs the cases of a file, or of all files, on a device, and fails with the names of those that failed.
fn run(device: &Device, file: Option<&str>) {
    let mut failed = Vec::new();
    for (name, cases) in FILES.iter().filter(|(name, _)| file.is_none_or(|file| file == *name)) {
        for (case, function) in *cases {
            let _guard = device.enter();
            if catch_unwind(AssertUnwindSafe(|| function(device))).is_err() {
                failed.push(format!("{name}::{case}"));
            }
        }
    }
    assert!(failed.is_empty(), "on {device}: {failed:?}");
}

#[test]
fn cases_hold_on_the_reference() {
    run(&Device::open("reference").expect("always there"), None);
}

#[test]
fn cases_hold_on_the_cpu() {
    run(&Device::open("cpu").expect("always there"), None);
}

/// A process for the cases of each file. Kernels of threads run with both numbers of lanes.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn cases_hold_on_software_gpus() {
    let folder = support::Folder::of_software_gpu("ports", &support::LIBRARIES);
    let late = [("NDANY_SOFTGPU_ORDER", "late")];
    for (name, _) in FILES {
        support::process_of_all_vendors(&folder, name, &late);
    }
    support::process_of_all_vendors(&folder, "threads", &[("NDANY_SOFTGPU_LANES", "32")]);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "run by the other"]
fn alone() {
    for name in gpus() {
        run(&Device::open(name).expect("a device"), Some(&support::task()));
    }
}

/// The GPUs whose backends are compiled in.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn gpus() -> impl Iterator<Item = &'static str> {
    let devices = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    devices.into_iter().filter(|(_, built)| *built).map(|(name, _)| name)
}

/// Whether a device has a driver.
fn is_gpu(device: &Device) -> bool {
    device.native().is_some()
}

/// All dtypes.
const ALL: [DType; 15] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

/// All dtypes; on a GPU, which compiles a text for each, one integer and one float.
fn dtypes(device: &Device) -> &'static [DType] {
    if is_gpu(device) { &[DType::I64, DType::F32] } else { &ALL }
}

/// Small numbers of both signs in no order, `count` of them.
fn numbers(count: usize, dtype: DType) -> Array {
    ((arange(count) * 37 + 5) % 23 - 9).astype(dtype)
}

/// Dtype, shape and bytes of an array, or the class of its error.
fn content(
    array: Result<Array>,
) -> std::result::Result<(DType, Vec<usize>, Vec<u8>), &'static str> {
    let read = |array: Array| Ok((array.dtype(), array.shape().to_vec(), array.to_bytes()?));
    array.and_then(read).map_err(|error| error.class())
}

/// Compares two arrays, or their errors, to the last bit.
#[track_caller]
fn same(found: Result<Array>, expected: Result<Array>, what: &str) {
    let (found, expected) = (content(found), content(expected));
    assert!(found == expected, "{what}: expected {expected:?}, got {found:?}");
}

/// The text of an error.
#[track_caller]
fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    }
}
