//! Memory of another library as arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::Result;
use ndany::exchange::{ArrayInterface, Export, ForeignArray, Shape, Strides};
use ndany::prelude::*;

use crate::{is_pending, on_cpu, seen};

/// Memory that counts how often it is given back.
struct Owner {
    _values: Vec<f64>,
    drops: Arc<AtomicUsize>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// Memory of these values, seen from the element at `first` along the strides.
fn foreign(
    values: Vec<f64>,
    first: usize,
    shape: &[usize],
    strides: &[isize],
    is_writable: bool,
) -> (ForeignArray, Arc<AtomicUsize>, *mut f64) {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut values = values;
    let start = values.as_mut_ptr();
    let address = start.expose_provenance() as u64 + 8 * first as u64;
    let owner = Owner { _values: values, drops: drops.clone() };
    let foreign = ForeignArray {
        device: Device::open("cpu").expect("compiled in"),
        address,
        dtype: F64,
        shape: Shape::from_slice(shape),
        strides: Strides::from_slice(strides),
        is_writable,
        owner: Box::new(owner),
    };
    (foreign, drops, start)
}

fn array_of(foreign: ForeignArray) -> Result<Array> {
    // SAFETY: the owner keeps the values, in which the layouts of these tests lie, or the call errs.
    unsafe { foreign.into_array() }
}

fn six() -> Vec<f64> {
    (0..6).map(f64::from).collect()
}

#[test]
fn every_layout_is_read_and_written_in_place() {
    let _here = on_cpu();
    for (first, shape, strides, values) in [
        (0, &[6][..], &[1][..], "[0. 1. 2. 3. 4. 5.]"),
        (5, &[6], &[-1], "[5. 4. 3. 2. 1. 0.]"),
        (1, &[2, 2], &[3, 1], "[[1. 2.]\n [4. 5.]]"),
        (3, &[2, 3], &[-3, 1], "[[3. 4. 5.]\n [0. 1. 2.]]"),
        (2, &[], &[], "2.0"),
        (4, &[3], &[0], "[4. 4. 4.]"),
        (4, &[2, 0], &[7, 100], "[]"),
        (0, &[3, 2], &[1, 3], "[[0. 3.]\n [1. 4.]\n [2. 5.]]"),
    ] {
        let (foreign, drops, start) = foreign(six(), first, shape, strides, true);
        let a = array_of(foreign).expect("a layout");
        assert_eq!(a.to_string(), values, "{shape:?} {strides:?}");
        if a.size() > 0 {
            // SAFETY: the array's owner keeps the values, and no call uses them now.
            unsafe { start.add(first).write(50.0) };
            assert_eq!(a.ravel().i(0).item::<f64>().expect("read"), 50.0);
            assert_eq!(drops.load(Ordering::SeqCst), 0);
        }
        drop(a);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
    let (foreign, drops, start) = foreign(six(), 5, &[3], &[-2], true);
    let mut a = array_of(foreign).expect("a layout");
    a += 10.0;
    a.set(0, -1.0);
    // SAFETY: the array's owner keeps the values, and no call uses them now.
    let now: Vec<f64> = (0..6).map(|place| unsafe { start.add(place).read() }).collect();
    assert_eq!(now, [0.0, 11.0, 2.0, 13.0, 4.0, -1.0]);
    // An export of it is the memory itself.
    let export = Export::write(&mut a, None).expect("exported");
    assert_eq!(export.address(), start as u64 + 40);
    assert_eq!(seen::<f64>(&export), [-1.0, 13.0, 11.0]);
    drop(a);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(export);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn read_only_memory_is_copied_by_a_write_and_read_at_once() {
    let _here = on_cpu();
    let (foreign, drops, start) = foreign(six(), 0, &[6], &[1], false);
    let mut a = array_of(foreign).expect("a layout");
    let doubled = &a * 2.0;
    assert!(!is_pending(&doubled));
    // SAFETY: the array's owner keeps the values, and no call uses them now.
    unsafe { start.write(100.0) };
    assert_eq!(doubled.to_string(), "[ 0.  2.  4.  6.  8. 10.]");
    assert_eq!(a.i(0).to_string(), "100.0");
    assert!(Export::write(&mut a, None).is_err_and(|error| error.class() == "ValueError"));
    assert!(Export::read(&a, None).is_ok_and(|export| export.address() == start as u64));
    a.set(1, 9.0);
    assert_eq!(a.to_string(), "[100.   9.   2.   3.   4.   5.]");
    // The write went to a copy, and nothing uses the memory any more.
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn owners_are_dropped_on_any_thread_once_nothing_uses_them() {
    let _here = on_cpu();
    let (foreign, drops, _) = foreign(six(), 0, &[2, 3], &[3, 1], true);
    let a = array_of(foreign).expect("a layout");
    let (view, result) = (a.transpose(..), &a + 1.0);
    drop(a);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    assert_eq!(view.to_string(), "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
    std::thread::spawn(move || drop(view)).join().expect("dropped elsewhere");
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert_eq!(result.sum(..).item::<f64>().expect("computed"), 21.0);
}

#[test]
fn two_arrays_over_one_memory_are_written_as_if_the_source_were_copied_first() {
    let _here = on_cpu();
    let (foreign, _drops, start) = foreign(six(), 0, &[6], &[1], true);
    let mut a = array_of(foreign).expect("a layout");
    let (beside, ..) = self::foreign(vec![0.0], 0, &[5], &[1], true);
    let shifted = ForeignArray { address: start as u64, owner: Box::new(()), ..beside };
    let b = array_of(shifted).expect("a layout");
    a.set(s![1..], &b);
    assert_eq!(a.to_string(), "[0. 0. 1. 2. 3. 4.]");
}

#[test]
fn what_is_no_memory_is_an_error_and_gives_its_owner_back() {
    let _here = on_cpu();
    let none = |change: fn(&mut ForeignArray)| {
        let (mut foreign, drops, _) = foreign(six(), 0, &[6], &[1], true);
        change(&mut foreign);
        let error = array_of(foreign).expect_err("no memory");
        assert_eq!(drops.load(Ordering::SeqCst), 1, "{error}");
        error.class()
    };
    assert_eq!(none(|own| own.address = 0), "TypeError");
    assert_eq!(none(|own| own.address += 4), "TypeError");
    assert_eq!(none(|own| own.address = u64::MAX - 7), "TypeError");
    assert_eq!(none(|own| own.strides = Strides::from_slice(&[isize::MAX])), "ValueError");
    assert_eq!(none(|own| own.strides = Strides::from_slice(&[isize::MIN])), "ValueError");
    assert_eq!(none(|own| own.strides = Strides::from_slice(&[-(1 << 62)])), "ValueError");
    assert_eq!(none(|own| own.shape = Shape::from_slice(&[usize::MAX])), "ValueError");
    assert_eq!(none(|own| own.shape = Shape::from_slice(&[2, 3])), "ValueError");
    let reference = |own: &mut ForeignArray| {
        own.device = Device::open("reference").expect("always there");
    };
    assert_eq!(none(reference), "NotImplementedError");
}

#[test]
fn array_interfaces_go_in_and_out() {
    let _here = on_cpu();
    for dtype in DType::ALL {
        let mut a = arange(6).astype(dtype).reshape([2, 3]).transpose(..);
        let export = Export::write(&mut a, None).expect("exported");
        if dtype == BF16 {
            assert!(ArrayInterface::of(&export).is_err_and(|error| error.is_unsupported()));
            continue;
        }
        let interface = ArrayInterface::of(&export).expect("a type of NumPy's");
        let size = dtype.size() as isize;
        assert_eq!(interface.strides, Some(vec![size, 3 * size]), "{dtype}");
        assert_eq!(interface.data, (export.address(), false));
        let device = Device::open("cpu").expect("compiled in");
        let foreign = interface.foreign(&device, export).expect("what was exported");
        // SAFETY: the export is the owner.
        let b = unsafe { foreign.into_array() }.expect("a layout");
        assert_eq!((b.dtype(), b.shape()), (dtype, &[3, 2][..]));
        a.set(s![0, 0], 1);
        assert!(b.array_equal(&a).expect("computed"), "{dtype}");
    }
    let device = Device::open("cpu").expect("compiled in");
    let given = |typestr: &str, strides: Option<Vec<isize>>| {
        let typestr = typestr.to_string();
        let interface =
            ArrayInterface { shape: vec![2], typestr, data: (64, true), strides, stream: None };
        interface.foreign(&device, ()).map(|foreign| foreign.dtype)
    };
    assert_eq!(given("<u2", None).expect("known"), U16);
    assert_eq!(given("<i1", None).expect("no order"), I8);
    for unknown in [">f8", "<V2", "|O", "<U3", "<M8[ns]", "", "f8", "<f16"] {
        assert!(given(unknown, None).is_err_and(|error| error.class() == "TypeError"), "{unknown}");
    }
    assert!(given("<f8", Some(vec![4])).is_err_and(|error| error.class() == "ValueError"));
}
