//! What the rest of a program may do to a device, and a device to it: threads that wait, threads that there are not, codes of
//! the driver that pass. Each in a process of its own, on the software GPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::sync::Mutex;
use std::time::Duration;

use ndany_array::{Array, Device, Result};
use rayon::prelude::*;
use support::{Folder, process, task};

const FAIL: &str = "NDANY_SOFTGPU_FAIL";

fn run(task: &str, variables: &[(&str, &str)]) -> String {
    let folder = Folder::of_one_software_gpu("process", &["libcuda.so.1", "libnvrtc.so.13"]);
    process(task, Some(&folder.0), variables)
}

#[test]
fn workers_of_rayon_transfer_while_they_hold_a_lock() {
    let text = run("workers", &[]);
    assert!(text.contains("all workers are done"), "{text}");
}

/// No thread gets a stack of that size.
#[test]
fn a_device_opens_and_computes_where_there_are_no_threads() {
    let variables = [("RUST_MIN_STACK", "70368744177664"), ("NDANY_SOFTGPU_THREADS", "1")];
    let text = run("threads", &variables);
    assert!(text.contains("1048576 values"), "{text}");
}

/// 46 is what a driver says of a device that another process holds at the moment; 700 that a kernel broke the context.
#[test]
fn what_passes_is_no_loss() {
    let text = run("codes", &[(FAIL, "cuMemAlloc_v2:1:46")]);
    assert!(
        text.contains("first: ") && text.contains("(46)") && text.contains("second: 3"),
        "{text}"
    );
    let text = run("codes", &[(FAIL, "cuMemAlloc_v2:1:700")]);
    assert_eq!(text.matches("the device is lost").count(), 2, "{text}");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    match task().as_str() {
        "workers" => workers(),
        "threads" => {
            let device = Device::open("cuda:0").expect("a device");
            let _guard = device.enter();
            let sum = &Array::from(vec![1.0; 1 << 20]) + 1.0;
            println!("{} values", sum.to_vec::<f64>().expect("values").len());
        }
        "codes" => {
            let device = Device::open("cuda:0").expect("a device");
            let _guard = device.enter();
            let sum =
                || -> Result<i64> { (Array::try_from_slice(&[1, 2], (2,))?.sum(..) + 0).item() };
            for what in ["first", "second"] {
                match sum() {
                    Ok(sum) => println!("{what}: {sum}"),
                    Err(error) => println!("{what}: {error}"),
                }
            }
        }
        other => panic!("no task {other}"),
    }
}

fn workers() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(60));
        eprintln!("a worker waits for itself");
        std::process::exit(3);
    });
    let device = Device::open("cuda:0").expect("a device");
    // Beyond what one thread copies by itself.
    let values: Vec<f64> = (0..1 << 20).map(f64::from).collect();
    let shared = Mutex::new(Array::from(values.clone()).to_device(&device).expect("a copy"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    pool.install(|| {
        (0..32).into_par_iter().for_each(|_| {
            let mut array = shared.lock().expect("no thread panics");
            let read = array.to_vec::<f64>().expect("values");
            assert_eq!(read, values);
            *array = Array::from(read).to_device(&device).expect("a copy");
        });
    });
    println!("all workers are done");
}
