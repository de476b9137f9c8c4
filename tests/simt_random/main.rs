//! Random kernels of threads and blocks: the reference, the CPU and GPUs give the same bits and the same errors.
//!
//! The kernels have no races by construction: a thread writes its own elements, shared memory between barriers, and atomics
//! whose results nothing reads. Barriers stand anywhere, so the check of uniformity refuses some of the kernels; one that it
//! accepts runs to its end.
//!
//! `NDANY_SIMT_KERNELS` says how many accepted ones there are, `NDANY_SIMT_SEED` which is the first, `NDANY_SIMT_DEVICES` on which devices they run;
//! where these have other warps than of 32 lanes, `NDANY_SIMT_LANES` says so, and kernels of lanes are left out.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../gpu/tests/support/mod.rs"]
mod support;

mod generate;

use std::sync::Arc;

use generate::{BLOCKS, DTYPES, Generated, LENGTH};
use ndany::kernel::Argument;
use ndany::kernel::simt::Kernel;
use ndany::{Array, Device, Scalar};
use ndany_core::simt::Invalid;

/// Kernels in a run of all tests.
const USUAL: u64 = 300;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// The bytes that a kernel leaves in its arrays, or its error.
fn outcome(kernel: &Kernel, threads: u32, device: &Device) -> Result<Vec<Vec<u8>>, String> {
    let _guard = device.enter();
    let total = (BLOCKS * threads) as usize;
    let ints: Vec<i32> =
        (0..LENGTH).map(|k| (k as i32).wrapping_mul(0x9E37_79B1_u32 as i32) >> (k % 31)).collect();
    let floats: Vec<f32> = (0..LENGTH).map(|k| (k as f32 * 0.37).sin() * 40.0).collect();
    let (ints, floats) = (Array::from_vec(ints, LENGTH), Array::from_vec(floats, LENGTH));
    let mut outs = [ndany::DType::I32, ndany::DType::F32, ndany::DType::U64]
        .map(|dtype| ndany::zeros(total, dtype));
    let mut counts = ndany::zeros(16, ndany::DType::U32);
    let [a, b, c] = &mut outs;
    let arguments = (7i32, 0.75f32, &ints, &floats, a, b, c, &mut counts);
    let launched = kernel.launch(device, BLOCKS, threads, arguments);
    launched.map_err(|error| error.to_string())?;
    // What a NaN carries is the device's.
    outs[1] = ndany::where_(outs[1].isnan(), f32::NAN, &outs[1]);
    let arrays = outs.iter().chain([&counts]);
    arrays.map(|array| array.to_bytes().map_err(|error| error.to_string())).collect()
}

/// What the kernel of every access leaves in its arrays.
fn accesses(device: &Device) -> Vec<Vec<u8>> {
    let _guard = device.enter();
    let code = ndany_core::simt::Kernel::new(generate::every_access()).expect("it is sound");
    let kernel = Kernel::of_code(Arc::new(code));
    let shape = generate::shape_of;
    let values = |k: usize| ndany::arange(24).reshape(shape(k)) - 7;
    let from: Vec<Array> =
        DTYPES.iter().enumerate().map(|(k, dtype)| values(k).astype(*dtype)).collect();
    let mut to: Vec<Array> =
        DTYPES.iter().enumerate().map(|(k, dtype)| ndany::zeros(shape(k), *dtype)).collect();
    let mut arguments: Vec<Argument<'_>> = Vec::new();
    for ((from, to), dtype) in from.iter().zip(&mut to).zip(DTYPES) {
        arguments.push(Argument::Number(Scalar::typed(dtype, 1)));
        arguments.push(Argument::Input(from));
        arguments.push(Argument::InOut(to));
    }
    kernel.launch(device, 1, 32, arguments).expect("it is sound");
    to.iter().map(|array| array.to_bytes().expect("it is computed")).collect()
}

/// Runs this many accepted kernels on the reference and on other devices; returns how many were accepted, refused, and in error.
fn compare(names: &[&str], first: u64, count: u64) -> [u64; 3] {
    let reference = Device::open("reference").expect("always there");
    let devices: Vec<Device> =
        names.iter().map(|name| Device::open(name).expect("a device")).collect();
    for (name, device) in names.iter().zip(&devices) {
        let pairs = accesses(&reference).into_iter().zip(accesses(device)).zip(DTYPES);
        for ((expected, found), dtype) in pairs {
            assert!(expected == found, "{dtype} on {name}: {expected:?}, got {found:?}");
        }
    }
    let mut counts = [0; 3];
    for seed in first.. {
        if counts[0] == count {
            break;
        }
        let Generated { parts, threads, lanes } = generate::kernel(seed);
        let kernel = match ndany_core::simt::Kernel::new(parts.clone()) {
            Ok(kernel) => Kernel::of_code(Arc::new(kernel)),
            Err(Invalid::Divergence(_)) => {
                counts[1] += 1;
                continue;
            }
            Err(Invalid::Malformed(malformed)) => panic!("kernel {seed}: {malformed:?}"),
        };
        counts[0] += 1;
        let expected = outcome(&kernel, threads, &reference);
        if let Err(error) = &expected {
            assert!(error.contains("is out of bounds for"), "kernel {seed}: {error}");
            counts[2] += 1;
        }
        for (name, device) in names.iter().zip(&devices) {
            // The reference has warps of 32 lanes.
            if lanes && std::env::var("NDANY_SIMT_LANES").is_ok_and(|number| number != "32") {
                continue;
            }
            let found = outcome(&kernel, threads, device);
            // Of a kernel in error the error counts.
            let same = match (&expected, &found) {
                (Err(expected), Err(found)) => tail(expected) == tail(found),
                _ => expected == found,
            };
            assert!(same, "kernel {seed} on {name}: {expected:?}, got {found:?}\n{parts:#?}");
        }
    }
    counts
}

/// An error without what a device says in front of it.
fn tail(error: &str) -> &str {
    error.find("index").map_or(error, |at| error[at..].split(" (").next().unwrap_or(error))
}

#[test]
fn the_cpu_has_the_bits_of_the_reference() {
    let (first, count) = (number("NDANY_SIMT_SEED", 0), number("NDANY_SIMT_KERNELS", USUAL));
    let [accepted, refused, failed] = compare(&["cpu"], first, count);
    println!("{accepted} kernels, {failed} of them out of bounds; {refused} refused");
    // Some of each, or the generator is not what it was.
    assert!(
        accepted == count && refused * 50 > count && refused < 2 * count && failed * 100 > count
    );
}

#[test]
fn named_devices_have_the_bits_of_the_reference() {
    let Ok(names) = std::env::var("NDANY_SIMT_DEVICES") else { return };
    let names: Vec<&str> = names.split_whitespace().collect();
    let (first, count) = (number("NDANY_SIMT_SEED", 0), number("NDANY_SIMT_KERNELS", USUAL));
    let [accepted, refused, failed] = compare(&names, first, count);
    println!("{accepted} kernels, {failed} of them out of bounds; {refused} refused");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn software_gpus_have_the_bits_of_the_reference() {
    let folder = support::Folder::of_software_gpu("simt-random", &support::LIBRARIES);
    for lanes in ["32", "64"] {
        let variables = [("NDANY_SOFTGPU_LANES", lanes), ("NDANY_SIMT_LANES", lanes)];
        support::process_of_all_vendors(&folder, "gpus", &variables);
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "run by the other"]
fn alone() {
    let names: Vec<&str> = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))]
        .into_iter()
        .filter_map(|(name, built)| built.then_some(name))
        .collect();
    // Each is compiled by a C++ compiler.
    let count = number("NDANY_SIMT_KERNELS", USUAL) / 3;
    let [accepted, ..] = compare(&names, number("NDANY_SIMT_SEED", 0), count.max(1));
    assert_eq!(accepted, count.max(1));
}
