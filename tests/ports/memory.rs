//! Memory of devices: what pools hold, their limits, page-locked buffers.

use std::sync::{Arc, Mutex};

use ndany::kernel::elementwise;
use ndany::{Array, DType, Device, Error, HostBuffer, MemoryEvent, arange, zeros};

use crate::{cases, is_gpu, message, numbers};

cases![
    memory_that_is_given_back_is_taken_again,
    what_is_held_counts,
    a_limit_is_kept_and_taken_away,
    released_memory_leaves_what_lives,
    arrays_without_elements_take_no_memory,
    threads_and_streams_share_the_pool,
    hooks_see_what_a_function_takes,
    devices_without_a_pool_say_so,
    copies_to_and_from_a_device_keep_values,
    buffers_begin_with_zeros,
    buffers_carry_shapes,
    buffers_that_are_too_large_are_errors,
];

/// Bytes of the arrays of these tests: large enough to have memory of their own.
const BYTES: usize = 8 << 20;

fn large() -> Array {
    let x = Array::from_vec(vec![1.5f32; BYTES / 4], BYTES / 4);
    x.eval().expect("memory");
    x
}

fn memory_that_is_given_back_is_taken_again(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    device.synchronize().expect("work");
    drop(large());
    device.synchronize().expect("work");
    let before = device.memory().expect("a pool");
    for _ in 0..10 {
        drop(large());
        device.synchronize().expect("work");
    }
    let after = device.memory().expect("a pool");
    assert_eq!((after.reserved, after.live), (before.reserved, before.live), "{device}");
}

fn what_is_held_counts(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    device.synchronize().expect("work");
    let live = || device.memory().expect("a pool").live;
    let before = live();
    let x = large();
    let one = live() - before;
    assert!((BYTES..BYTES + (4 << 20)).contains(&one), "{device}: {one}");
    let y = large();
    assert_eq!(live() - before, 2 * one);
    drop(x);
    device.synchronize().expect("work");
    assert_eq!(live() - before, one);
    drop(y);
    device.synchronize().expect("work");
    let after = device.memory().expect("a pool");
    assert_eq!(after.live, before);
    assert!(after.peak_live >= before + 2 * one && after.peak_reserved >= after.reserved);
}

fn a_limit_is_kept_and_taken_away(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    device.release_memory().expect("memory");
    let held = device.memory().expect("a pool").reserved;
    device.limit_memory(Some(held + BYTES / 2)).expect("a pool");
    let refused = Array::try_from_slice(&vec![1.0f32; BYTES / 4], BYTES / 4);
    let refused = refused.and_then(|x| x.eval());
    device.limit_memory(Some(held + 4 * BYTES)).expect("a pool");
    let kept = large();
    assert!(device.free_memory().expect("a pool") <= 4 * BYTES);
    device.limit_memory(None).expect("a pool");
    assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
    assert_eq!(kept.sum(..).item::<f32>().expect("a value"), 1.5 * (BYTES / 4) as f32);
    assert!(device.free_memory().expect("a pool") > 4 * BYTES);
}

fn released_memory_leaves_what_lives(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    device.release_memory().expect("memory");
    let before = device.memory().expect("a pool");
    let (x, y) = (large(), large());
    drop(y);
    device.release_memory().expect("memory");
    let with_one = device.memory().expect("a pool");
    assert!(with_one.reserved >= before.reserved + BYTES, "{with_one:?} after {before:?}");
    assert!(with_one.reserved < before.reserved + 2 * BYTES, "{with_one:?} after {before:?}");
    assert_eq!((&x * 2).max(..).item::<f32>().expect("a value"), 3.0);
    drop(x);
    device.release_memory().expect("memory");
    // Again, with nothing to release.
    device.release_memory().expect("memory");
    let after = device.memory().expect("a pool");
    assert!(after.reserved <= with_one.reserved - BYTES, "{after:?} after {with_one:?}");
}

fn arrays_without_elements_take_no_memory(device: &Device) {
    let x = zeros((0, 3), DType::F64);
    x.eval().expect("an array");
    assert!(x.to_vec::<f64>().expect("values").is_empty());
    if is_gpu(device) {
        device.synchronize().expect("work");
        let before = device.memory().expect("a pool").live;
        let arrays: Vec<Array> = (0..100).map(|k| zeros((k, 0), DType::F64)).collect();
        for x in &arrays {
            (x + 1).eval().expect("an array");
        }
        assert_eq!(device.memory().expect("a pool").live, before);
    }
}

/// What one stream gives back while it works on it is not written early by another.
fn threads_and_streams_share_the_pool(device: &Device) {
    std::thread::scope(|scope| {
        for k in 0..4u8 {
            scope.spawn(move || {
                let _device = device.enter();
                let stream = device.stream(..).expect("a stream");
                let _guard = stream.enter();
                for turn in 0..10u8 {
                    let value = f64::from(k) * 100.0 + f64::from(turn);
                    let x = zeros(10_000, DType::F64) + value;
                    x.eval().expect("work");
                    let y = &x * 2;
                    y.eval().expect("work");
                    drop(x);
                    assert_eq!(y.min(..).item::<f64>().expect("a value"), 2.0 * value);
                }
            });
        }
    });
}

fn hooks_see_what_a_function_takes(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    device.release_memory().expect("memory");
    let told = Arc::new([Mutex::new(Vec::new()), Mutex::new(Vec::new())]);
    let hook = |which: usize| {
        let told = told.clone();
        let tell = move |event: MemoryEvent| told[which].lock().expect("no panic").push(event);
        device.on_memory(tell).expect("a pool")
    };
    let outer = hook(0);
    drop(large());
    let inner = hook(1);
    drop(large());
    drop(inner);
    drop(large());
    drop(outer);
    drop(large());
    let takes = |which: usize| {
        let told = told[which].lock().expect("no panic");
        let large =
            |event: &&MemoryEvent| matches!(event, MemoryEvent::Take { bytes } if *bytes >= BYTES);
        told.iter().filter(large).count()
    };
    assert_eq!([takes(0), takes(1)], [3, 1]);
}

fn devices_without_a_pool_say_so(device: &Device) {
    if is_gpu(device) {
        return;
    }
    for error in [
        device.memory().map(|_| ()).expect_err("no pool"),
        device.free_memory().map(|_| ()).expect_err("no pool"),
        device.limit_memory(Some(1)).expect_err("no pool"),
        device.release_memory().expect_err("no pool"),
    ] {
        assert!(error.is_unsupported(), "{error}");
    }
}

fn copies_to_and_from_a_device_keep_values(device: &Device) {
    let reference = Device::open("reference").expect("always there");
    let x = numbers(1000, DType::I32);
    let there = x.to_device(&reference).expect("a copy");
    let back = (there * 3).to_device(device).expect("a copy");
    assert!(back.array_equal(&x * 3).expect("values"));
    // A copy on the device has memory of its own.
    let (mut copy, filled) = (x.copy(), zeros(100, DType::U8) + 1);
    copy.set(0, 77);
    assert_eq!(x.to_vec::<i32>().expect("values")[0], -4);
    assert_eq!(copy.to_vec::<i32>().expect("values")[0], 77);
    assert_eq!(filled.to_vec::<u8>().expect("values"), [1; 100]);
}

fn buffers_begin_with_zeros(device: &Device) {
    macro_rules! check {
        ($($ty:ty),+) => {$(
            for len in [0, 1, 4, 1000] {
                let mut buffer = HostBuffer::<$ty>::new(device, len).expect("memory");
                assert_eq!(buffer.len(), len);
                assert!(buffer.iter().all(|value| *value == <$ty>::default()), stringify!($ty));
                // It is a slice that is aligned for its elements.
                assert_eq!(buffer.as_ptr() as usize % align_of::<$ty>(), 0);
                buffer.reverse();
            }
        )+};
    }
    check!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
    check!(ndany::f16, ndany::bf16, num_complex::Complex32, num_complex::Complex64);
}

fn buffers_carry_shapes(device: &Device) {
    for shape in [vec![], vec![24], vec![4, 6], vec![2, 3, 4], vec![1, 24, 1, 1], vec![0, 3]] {
        let size = shape.iter().product();
        let mut buffer = HostBuffer::<i64>::new(device, size).expect("memory");
        buffer.iter_mut().zip(0..).for_each(|(place, k)| *place = k * 3);
        let (x, sent) = buffer.upload(&shape[..]).expect("a copy");
        assert_eq!(x.shape(), shape);
        assert!(
            x.array_equal((arange(size) * 3).reshape(&shape[..])).expect("values"),
            "{shape:?}"
        );
        // In the order of what the view shows, of work that is pending.
        let [next] = elementwise("next", |_, [x]| [x + 1]).call([&x.t()]);
        let received = next.download(sent.wait().expect("the buffer")).expect("a copy");
        assert_eq!(received.wait().expect("values")[..], next.to_vec::<i64>().expect("values"));
    }
}

fn buffers_that_are_too_large_are_errors(device: &Device) {
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 4] {
        let text = message(HostBuffer::<f64>::new(device, len).map(|_| ()));
        assert!(!text.is_empty(), "{text}");
    }
}
