//! Memory in common with other libraries: arrays over theirs, and what is lent to them. `NDANY_PROPERTY_DEVICES` names other
//! devices than the CPU.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../gpu/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndany::kernel::RawKernel;
use ndany::prelude::*;
use ndany::{Graph, Stream};

/// Another library's memory, which is an array's here, and whether it was given back.
struct Owner(#[allow(dead_code, reason = "it is held")] Array, Arc<AtomicBool>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.1.store(true, Ordering::SeqCst);
    }
}

fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu").split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

/// An array over the elements of another from a position on.
fn over(base: &Array, from: usize, shape: (usize, usize)) -> (Array, Arc<AtomicBool>) {
    let address =
        base.lend(&base.device().stream(..).expect("a stream")).expect("a loan").address()
            + (from * base.dtype().size()) as u64;
    let gone = Arc::new(AtomicBool::new(false));
    let owner = Owner(base.clone(), gone.clone());
    // SAFETY: the owner holds the elements, and nothing writes them.
    let array = unsafe { Array::from_device(base.device(), address, shape, base.dtype(), owner) };
    (array.expect("an array"), gone)
}

fn reads(device: &Device) {
    let base = arange(10).astype(F64);
    let (x, gone) = over(&base, 2, (2, 3));
    let expected = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    assert_eq!(x.to_vec::<f64>().expect("values"), expected);
    assert_eq!((&x * 2.0).sum(0).to_vec::<f64>().expect("values"), [14.0, 18.0, 22.0]);
    assert_eq!(x.t().sort(0).i((1, ..)).to_vec::<f64>().expect("values"), [3.0, 6.0]);
    // A write in place is one to a copy, with one handle and with two.
    let mut y = x.clone();
    y += 1.0;
    let mut sole = over(&base, 2, (2, 3)).0;
    sole.set(s![0, 0], -1.0);
    let doubled = sole * 2.0;
    assert_eq!(doubled.i((0, 0)).item::<f64>().expect("a value"), -2.0);
    assert_eq!(x.to_vec::<f64>().expect("values"), expected);
    assert_eq!(base.to_vec::<f64>().expect("values")[2], 2.0);
    // What is pending holds it; so does a graph.
    let pending = &x + 1.0;
    let graph = Graph::capture("foreign", [&y], |_, [y]| [y + &x]).expect("a graph");
    drop(x);
    assert!(!gone.load(Ordering::SeqCst));
    assert_eq!(pending.i((0, 0)).item::<f64>().expect("a value"), 3.0);
    let [sum] = graph.launch([&y]).expect("a launch");
    assert_eq!(sum.i((1, 2)).item::<f64>().expect("a value"), 15.0);
    drop(graph);
    // As an input it is copied where kernels could not read it in pieces.
    let graph = Graph::capture("input", [&y], |_, [x]| [x * 3.0]).expect("a graph");
    let [made] = graph.launch([&over(&base, 3, (2, 3)).0]).expect("a launch");
    assert_eq!(made.i((0, 0)).item::<f64>().expect("a value"), 9.0);
    drop((pending, sum));
    device.synchronize().expect("no error");
    assert!(gone.load(Ordering::SeqCst), "the owner stays on {device}");
}

fn refusals(device: &Device) {
    let refused = |address: u64| {
        // SAFETY: it is refused.
        let array = unsafe { Array::from_device(device, address, 3, DType::F64, ()) };
        array.expect_err("no such address").to_string()
    };
    assert!(refused(0).contains("expected the address of 24 bytes, got 0x0"), "{}", refused(0));
    assert!(refused(0x1001).contains("a multiple of 8 bytes, got 0x1001"), "{}", refused(0x1001));
    // SAFETY: there are no elements.
    let none = unsafe { Array::from_device(device, 0, (0, 3), DType::F64, ()) };
    assert_eq!(none.expect("an array").shape(), [0, 3]);
    let stream = device.stream(..).expect("a stream");
    let recorded =
        Graph::capture("lends", [&zeros(2, ..)], |_, [x]| x.lend(&stream).map(|_| [x.clone()]));
    assert!(recorded.expect_err("a loan").to_string().contains("another library's work"));
    // What failed is an error of the loan.
    let failed = array([2i64]).pow(array([-1i64]));
    assert!(failed.lend(&stream).expect_err("a failed array").to_string().contains("negative"));
}

fn writes(device: &Device) {
    let mut x = arange(4).astype(F32);
    let kept = x.clone();
    if device.native().is_some() {
        // Another library's kernel, which gets an address, in a stream of its own.
        let poke = RawKernel::new("poke", "((f32*)to)[thread_x()] += 10;").scalar("to", U64);
        let own = device.stream(..).expect("a stream");
        let handle = own.native().expect("a handle");
        // SAFETY: the stream lives longer.
        let theirs = unsafe { Stream::external(device, handle) }.expect("a stream");
        let _entered = theirs.enter();
        let lent = x.lend_mut(&theirs).expect("a loan");
        // SAFETY: as many threads as elements.
        unsafe { poke.launch(device, 1, 4, (lent.address(),)) }.expect("a launch");
    } else {
        let stream = device.stream(..).expect("a stream");
        let lent = x.lend_mut(&stream).expect("a loan");
        let first = std::ptr::with_exposed_provenance_mut::<f32>(lent.address() as usize);
        for place in 0..4 {
            // SAFETY: the memory has four elements, and no other user.
            unsafe { *first.add(place) += 10.0 };
        }
    }
    assert_eq!((x + 1.0).to_vec::<f32>().expect("values"), [11.0, 12.0, 13.0, 14.0]);
    assert_eq!(kept.to_vec::<f32>().expect("values"), [0.0, 1.0, 2.0, 3.0]);
    // What lies otherwise is lent in C order.
    let mut turned = arange(6).reshape((2, 3)).t();
    let stream = device.stream(..).expect("a stream");
    assert_ne!(turned.lend_mut(&stream).expect("a loan").address(), 0);
    assert_eq!(turned.strides(), [2, 1]);
    assert_eq!(turned.to_vec::<i64>().expect("values"), [0, 3, 1, 4, 2, 5]);
}

fn all() {
    for device in devices() {
        let _guard = device.enter();
        reads(&device);
        refusals(&device);
        writes(&device);
    }
}

#[test]
fn memory_is_in_common() {
    all();
}

#[test]
fn the_reference_has_none() {
    let device = Device::open("reference").expect("always there");
    let _guard = device.enter();
    let mut x = zeros(2, F64);
    let stream = device.stream(..).expect("a stream");
    assert!(x.lend(&stream).expect_err("none").is_unsupported());
    assert!(x.lend_mut(&stream).expect_err("none").is_unsupported());
    // SAFETY: it is refused.
    let array = unsafe { Array::from_device(&device, 8, 1, DType::F64, ()) };
    assert!(array.expect_err("none").is_unsupported());
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn memory_is_in_common_on_software_gpus() {
    use support::{Folder, LIBRARIES, process_of_all_vendors};
    let folder = Folder::of_software_gpu("foreign", &LIBRARIES);
    let names = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    let names: Vec<&str> =
        names.into_iter().filter(|(_, built)| *built).map(|(name, _)| name).collect();
    let devices = ("NDANY_PROPERTY_DEVICES", &*names.join(" "));
    for order in ["now", "late", "late:5"] {
        let order = ("NDANY_SOFTGPU_ORDER", order);
        process_of_all_vendors(&folder, "all", &[devices, order, ("NDANY_SOFTGPU_CHECK", "bytes")]);
    }
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    all();
}
