//! What programs steer, on the CPU and on software GPUs of both vendors: streams, events, transfers, facts.
//!
//! The software GPUs do work as late as they may, so a missing wait shows.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ndany::dlpack;
use ndany::exchange::{
    Allocator, AllocatorError, Export, ForeignArray, IpcHandle, MemoryAdvice, MemoryPlace,
    MemorySource, advise, allocate_from, prefetch,
};
use ndany::profile::benchmark;
use ndany::{
    Array, Attribute, DType, Device, Error, HostBuffer, MemoryEvent, Priority, Stream, arange, s,
    zeros,
};
use support::{Folder, LIBRARIES, process_of_all_vendors};

#[test]
fn devices_are_steered() {
    let folder = Folder::of_software_gpu("control", &LIBRARIES);
    for lanes in ["64", "32"] {
        let variables = [("NDANY_SOFTGPU_LANES", lanes), ("NDANY_SOFTGPU_ORDER", "late")];
        process_of_all_vendors(&folder, "steer", &variables);
    }
}

/// HIP's functions in front of CUDA's.
#[test]
fn devices_are_steered_through_another_vendors_driver() {
    let [cuda, nvrtc, hip, hiprtc] = LIBRARIES;
    let folder = Folder::of_software_gpu("control-forward", &[cuda, nvrtc]);
    let folder = folder.with("libndany_forward.so", &[hip, hiprtc]);
    process_of_all_vendors(&folder, "steer", &[("NDANY_SOFTGPU_ORDER", "late")]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let devices = ["cpu", "reference", "cuda:0", "hip:0"]
        .map(|name| Device::open(name).unwrap_or_else(|error| panic!("{error}")));
    for device in &devices {
        let _guard = device.enter();
        events(device);
        host_functions(device);
        transfers(device);
        facts(device);
        external(device);
        memory(device);
        benchmarks(device);
        foreign(device);
        lent(device);
        shared(device);
        tensors(device);
        managed(device);
        if is_gpu(device) {
            lent_to_the_host(device);
        }
        own_allocator(device);
        handles(device);
    }
    across(&devices);
}

fn is_gpu(device: &Device) -> bool {
    device.native().is_some()
}

/// Compares whether work is done that nothing has waited for. A device without streams has done it, a software GPU that works
/// late has not, and a card may have.
#[track_caller]
fn expect_late(is_done: bool, device: &Device) {
    match (is_gpu(device), std::env::var_os("NDANY_SOFTGPU_ORDER")) {
        (true, None) => {}
        (is_gpu, _) => assert_eq!(is_done, !is_gpu, "{device}"),
    }
}

/// Work that takes a while on a device that works late.
fn work() -> Array {
    let total = (arange(1000).astype(DType::F64) * 2.0).sum(..);
    total.eval().expect("work");
    total
}

fn events(device: &Device) {
    let start = device.record().expect("an event");
    let total = work();
    let end = device.record().expect("an event");
    expect_late(end.is_completed().expect("an answer"), device);
    let seconds = end.elapsed_since(&start).expect("a time");
    assert!((0.0..60.0).contains(&seconds), "{device}: {seconds}");
    assert_eq!(start.elapsed_since(&end).expect("a time"), -seconds);
    assert!(end.is_completed().expect("an answer") && start.is_completed().expect("an answer"));
    assert_eq!(total.item::<f64>().expect("a value"), 999_000.0);

    let [high, normal] =
        [device.stream(Priority::High).expect("a stream"), device.stream(..).expect("a stream")];
    let there = {
        let _guard = high.enter();
        work()
    };
    expect_late(high.is_idle().expect("an answer"), device);
    let event = high.record().expect("an event");
    normal.wait(&event).expect("an order");
    normal.synchronize().expect("work");
    assert!(event.is_completed().expect("an answer"), "{device}: the stream has waited for it");
    high.synchronize().expect("work");
    assert!(high.is_idle().expect("an answer") && normal.is_idle().expect("an answer"));
    assert_eq!(there.item::<f64>().expect("a value"), 999_000.0);
    assert_ne!(high.native(), normal.native().or(Some(0)));
    drop(device.stream(Priority::Low).expect("a stream"));
}

fn host_functions(device: &Device) {
    let stream = device.stream(..).expect("a stream");
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, panicked) = (count.clone(), count.clone());
    {
        let _guard = stream.enter();
        work();
    }
    stream.then(move || counted.store(1, Ordering::SeqCst)).expect("a call");
    expect_late(count.load(Ordering::SeqCst) == 1, device);
    stream
        .then(move || {
            panicked.fetch_add(10, Ordering::SeqCst);
            panic!("a function of a test");
        })
        .expect("a call");
    stream.synchronize().expect("a stream goes on after a panic");
    assert_eq!(count.load(Ordering::SeqCst), 11, "{device}");
    assert_eq!(Arc::strong_count(&count), 1, "{device}: the functions are gone");
}

fn transfers(device: &Device) {
    let values: Vec<f32> = (0..5000).map(|k| k as f32).collect();
    let mut buffer = HostBuffer::<f32>::new(device, 5000).expect("memory");
    assert!(buffer.iter().all(|&value| value == 0.0), "{device}");
    buffer.copy_from_slice(&values);
    let (x, sent) = buffer.upload((50, 100)).expect("a copy");
    expect_late(sent.is_completed().expect("an answer"), device);
    // A view that does not lie in C order, made of work under way, in another stream.
    let stream = device.stream(..).expect("a stream");
    let guard = stream.enter();
    let y = (&x + 1.0).t();
    let received = y.download(HostBuffer::<f32>::new(device, 5000).expect("memory"));
    drop(guard);
    let received = received.expect("a copy").wait().expect("values");
    assert_eq!(received[..3], [1.0, 101.0, 201.0], "{device}");
    assert_eq!(received[4999], 5000.0);
    let buffer = sent.wait().expect("the buffer");
    assert_eq!(buffer[..], values[..]);
    // What is never waited for is kept until its copy is done; the array that it makes is whole.
    let (again, sent) = buffer.upload(5000).expect("a copy");
    drop(sent);
    assert_eq!(again.to_vec::<f32>().expect("values"), values, "{device}");

    // Truths, which are checked as they are read.
    let truths = (arange(9) % 2).equal(1);
    let pending = truths.download(HostBuffer::<bool>::new(device, 9).expect("memory"));
    let pending = pending.expect("a copy").wait().expect("values");
    assert_eq!(pending.iter().filter(|&&truth| truth).count(), 4, "{device}");
    let (back, sent) = pending.upload(9).expect("a copy");
    drop(sent);
    assert!(back.array_equal(&truths).expect("an answer"), "{device}");
    let (none, sent) =
        HostBuffer::<i64>::new(device, 0).expect("memory").upload((0, 3)).expect("a copy");
    assert_eq!(none.shape(), [0, 3]);
    let none = none.download(sent.wait().expect("the buffer")).expect("a copy");
    assert!(none.wait().expect("values").is_empty());

    // Errors of the call, and of the work that makes the values.
    let buffer = || HostBuffer::<f32>::new(device, 4).expect("memory");
    let x = arange(4).astype(DType::F32);
    let error =
        x.download(HostBuffer::<i32>::new(device, 4).expect("memory")).expect_err("a dtype");
    assert!(matches!(error, Error::ElementType { .. }), "{error}");
    let error = arange(5).astype(DType::F32).download(buffer()).expect_err("a size");
    assert_eq!(error.to_string(), "[download] 4 values do not fill shape (5,)");
    let error = buffer().upload((2, 3)).expect_err("a shape");
    assert_eq!(error.to_string(), "[upload] 4 values do not fill shape (2, 3)");
    let places = Array::from([0i64, 9, 1, 2]);
    let failing = ndany::checked::take(&x, &places, 0).expect("found out later");
    let failed = failing.download(buffer()).and_then(|pending| pending.wait());
    let error = failed.expect_err("an index out of range");
    assert_eq!(error.class(), "IndexError", "{device}: {error}");
}

fn facts(device: &Device) {
    let Some(native) = device.native() else {
        for error in [
            device.attribute(Attribute::WarpSize).expect_err("no driver"),
            device.pci_bus_id().map(|_| 0).expect_err("no driver"),
        ] {
            assert!(error.is_unsupported(), "{error}");
        }
        return;
    };
    let fact = |attribute| device.attribute(attribute).expect("a fact");
    assert_eq!(native.device, 0);
    assert_eq!(native.context.is_some(), device.name().starts_with("cuda"));
    assert!([32, 64].contains(&fact(Attribute::WarpSize)), "{device}");
    assert_eq!(fact(Attribute::MaxThreadsPerBlock), 1024);
    assert!(fact(Attribute::MultiprocessorCount) > 0);
    assert!(fact(Attribute::ComputeCapabilityMajor) >= 9);
    let place = device.pci_bus_id().expect("a place");
    match std::env::var_os("NDANY_SOFTGPU_ORDER") {
        Some(_) => assert_eq!(place, "0000:01:00.0"),
        None => assert!(place.len() == 12 && place.ends_with(".0"), "{place}"),
    }
}

fn external(device: &Device) {
    if !is_gpu(device) {
        // SAFETY: there are no streams, so the handle is not used.
        let error = unsafe { Stream::external(device, 0) }.expect_err("no streams");
        assert!(error.is_unsupported(), "{error}");
        return;
    }
    let owner = device.stream(..).expect("a stream");
    let handle = owner.native().expect("a handle");
    // SAFETY: the stream lives as long as its owner, which is dropped last.
    let lent = unsafe { Stream::external(device, handle) }.expect("a stream");
    assert_eq!(lent.native(), Some(handle));
    let there = {
        let _guard = lent.enter();
        work()
    };
    assert_eq!((there + 1.0).item::<f64>().expect("a value"), 999_001.0, "after it");
    drop(lent);
    assert!(owner.is_idle().expect("an answer"), "dropped, it has been waited for");
    drop(owner);
    // SAFETY: it is refused.
    let error = unsafe { Stream::external(device, 2) }.expect_err("one of each thread");
    assert_eq!(error.class(), "TypeError", "{error}");
}

fn memory(device: &Device) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let events = told.clone();
    let hook = device.on_memory(move |event| {
        events.lock().expect("no panic in front").push(event);
        // What a hook uses itself calls no hook.
        assert_eq!(arange(3).sum(..).item::<i64>().expect("a value"), 3);
        panic!("a hook of a test");
    });
    if !is_gpu(device) {
        assert!(hook.expect_err("no pool").is_unsupported());
        return;
    }
    let hook = hook.expect("a pool");
    device.release_memory().expect("memory");
    let array = Array::from_vec(vec![1.0f32; 1 << 22], 1 << 22);
    drop(array);
    device.release_memory().expect("memory");
    drop(hook);
    drop(Array::from_vec(vec![1.0f32; 1 << 22], 1 << 22));
    let told = std::mem::take(&mut *told.lock().expect("no panic in front"));
    let bytes = 4usize << 22;
    let count = |wanted: fn(&MemoryEvent) -> Option<usize>| {
        told.iter().filter_map(wanted).filter(|&told| told >= bytes).count()
    };
    let counts = [
        count(|event| match event {
            MemoryEvent::Take { bytes } => Some(*bytes),
            _ => None,
        }),
        count(|event| match event {
            MemoryEvent::Give { bytes } => Some(*bytes),
            _ => None,
        }),
        count(|event| match event {
            MemoryEvent::Reserve { bytes } => Some(*bytes),
            _ => None,
        }),
        count(|event| match event {
            MemoryEvent::Release { bytes } => Some(*bytes),
            _ => None,
        }),
    ];
    assert_eq!(counts, [1; 4], "{device}: {told:?}");
}

/// Counts when it is dropped, and keeps an array.
struct Owner(#[expect(dead_code, reason = "it is kept alive")] Array, Arc<AtomicUsize>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

/// Arrays over memory of another library: here that of another array, which is lent.
fn foreign(device: &Device) {
    let stream = device.stream(..).expect("a stream");
    let there = arange(12).astype(DType::F32);
    let dropped = Arc::new(AtomicUsize::new(0));
    // SAFETY: it is refused, or keeps the array that it is over.
    let over = |address: u64, shape: &[usize], dtype| unsafe {
        let owner = Owner(there.clone(), dropped.clone());
        Array::from_device(device, address, shape, dtype, owner)
    };
    let lent = match there.lend(&stream) {
        Ok(lent) => lent,
        Err(error) => {
            assert_eq!(device.name(), "reference");
            assert!(error.is_unsupported(), "{error}");
            assert!(over(256, &[1], DType::F32).expect_err("no addresses").is_unsupported());
            assert_eq!(dropped.swap(0, Ordering::SeqCst), 1, "a refused owner is dropped");
            return;
        }
    };
    let address = lent.address();
    // The values are there for the stream that they are lent to.
    let guard = stream.enter();
    let mut a = over(address + 4, &[2, 4], DType::F32).expect("an array");
    // A layout of its own: each second element from the first on.
    let all = over(address, &[12], DType::F32).expect("an array");
    let strided = all.as_strided(&[3, 2], &[4, 2]);
    let kept = a.clone();
    let sum = (&a + &strided.sum(..)).sum(1);
    assert_eq!(sum.to_vec::<f32>().expect("values"), [10.0 + 4.0 * 30.0, 26.0 + 4.0 * 30.0]);
    // What writes copies first, and nothing is donated.
    a += 1.0;
    a.eval().expect("a value");
    *a.view_mut(0) *= 0.0;
    assert_eq!(a.to_vec::<f32>().expect("values")[3..5], [0.0, 6.0], "{device}");
    let mut written = over(address, &[12], DType::F32).expect("an array");
    *written.view_mut(1) *= 5.0;
    assert_eq!(written.to_vec::<f32>().expect("values")[..3], [0.0, 5.0, 2.0], "{device}");
    let donated = over(address, &[12], DType::F32).expect("an array") * 3.0;
    assert_eq!(donated.to_vec::<f32>().expect("values")[..3], [0.0, 3.0, 6.0], "{device}");
    let doubled = kept * 2.0;
    assert_eq!(doubled.to_vec::<f32>().expect("values")[0], 2.0);
    drop((all, strided, sum, doubled, donated, written, lent, a));
    drop(guard);
    device.synchronize().expect("work");
    assert_eq!(dropped.swap(0, Ordering::SeqCst), 4, "{device}");
    assert_eq!(there.to_vec::<f32>().expect("values")[..3], [0.0, 1.0, 2.0], "{device}");

    // What cannot be.
    for (address, shape, dtype) in
        [(0, 1, DType::U8), (u64::MAX, 3, DType::U8), (258, 1, DType::F32)]
    {
        let error = over(address, &[shape], dtype).expect_err("an address");
        let text = error.to_string();
        assert!(text.starts_with("[from_device] bad arguments: expected"), "{text}");
    }
    let error = over(256, &[usize::MAX, 3], DType::F32).expect_err("a shape");
    assert!(error.to_string().starts_with("[from_device]"), "{error}");
    assert_eq!(over(0, &[0, 3], DType::F32).expect("an array").size(), 0);
    assert_eq!(dropped.load(Ordering::SeqCst), 5);
}

/// Memory that is lent to write is no other array's.
fn lent(device: &Device) {
    let stream = device.stream(..).expect("a stream");
    let mut a = arange(6).reshape((2, 3));
    if device.name() == "reference" {
        assert!(a.lend_mut(&stream).expect_err("no addresses").is_unsupported());
        return;
    }
    let (other, read) = (a.clone(), a.lend(&stream).expect("an address").address());
    let lent = a.lend_mut(&stream).expect("an address");
    assert_ne!(lent.address(), read, "{device}: another handle has the values");
    let address = lent.address();
    drop(lent);
    assert_eq!(a.lend_mut(&stream).expect("an address").address(), address, "it is sole");
    a = a.t();
    let turned = a.lend(&stream).expect("an address").address();
    assert_ne!(turned, address, "in C order");
    drop(a.lend_mut(&stream).expect("an address"));
    assert_eq!(a.to_vec::<i64>().expect("values"), [0, 3, 1, 4, 2, 5], "{device}");
    assert_eq!(other.to_vec::<i64>().expect("values"), [0, 1, 2, 3, 4, 5], "{device}");
    // Work in another stream waits for the stream, whose foreign work may go on.
    let total = (&a + 1).sum(..);
    assert_eq!(total.item::<i64>().expect("a value"), 21);
    let elsewhere = Device::open(if device.name() == "cpu" { "cuda:0" } else { "cpu" });
    let elsewhere = elsewhere.expect("a device").stream(..).expect("a stream");
    let error = a.lend(&elsewhere).expect_err("two devices").to_string();
    assert!(error.starts_with("[lend] operands are on"), "{error}");
}

/// Memory that arrays and others write: here the others are arrays over the memory that was exported.
fn shared(device: &Device) {
    let stream = device.stream(..).expect("a stream");
    let mut a = arange(12).astype(DType::F32).reshape([3, 4]);
    let export = match Export::write(&mut a, Some(&stream)) {
        Ok(export) => export,
        Err(error) => {
            assert_eq!(device.name(), "reference");
            assert!(error.is_unsupported(), "{error}");
            return;
        }
    };
    let guard = stream.enter();
    let layout = export.layout().clone();
    let foreign = ForeignArray {
        device: device.clone(),
        address: export.address() + 4 * 11,
        dtype: DType::F32,
        shape: layout.shape.clone(),
        strides: layout.strides.iter().map(|step| -step).collect(),
        is_writable: true,
        owner: Box::new(export),
    };
    // SAFETY: the export is the owner.
    let mut turned = unsafe { foreign.into_array() }.expect("a layout");
    let before = &a + 0.0;
    turned += 100.0;
    turned.set(ndany::s![0, 0], -1.0);
    drop(guard);
    // Work of both on the memory is submitted in this order; the streams meet as a consumer's and a producer's do.
    stream.synchronize().expect("work");
    a.set(ndany::s![0, 0], 7.0);
    let row = a.i(ndany::s![2, ..]).to_vec::<f32>().expect("values");
    assert_eq!(row, [108.0, 109.0, 110.0, -1.0], "{device}");
    assert_eq!(before.to_vec::<f32>().expect("values")[..2], [0.0, 1.0], "{device}");
    device.synchronize().expect("work");
    let last = turned.i(ndany::s![2, 3]).item::<f32>().expect("a value");
    assert_eq!(last, 7.0, "{device}");
    drop(turned);
    device.synchronize().expect("work");
    drop(&a + 1.0);
    // Nobody else writes it any more: values again.
    let held = a.clone();
    a.set(ndany::s![0, 0], 0.0);
    assert_eq!(held.i(ndany::s![0, 0]).item::<f32>().expect("a value"), 7.0, "{device}");
}

/// DLPack's tensors of a device.
fn tensors(device: &Device) {
    if device.name() == "reference" {
        assert!(dlpack::device_of(device).is_err_and(|error| error.is_unsupported()));
        return;
    }
    let mut a = arange(12).reshape([3, 4]);
    let mut part = a.i(ndany::s![1.., ..;-1]);
    let own = dlpack::device_of(device).expect("known");
    let tensor = dlpack::export(&mut part, dlpack::Export::default()).expect("exported");
    assert_eq!(tensor.tensor().device, own);
    // SAFETY: the tensor is one of this library's, whose values are there.
    let b = unsafe { dlpack::import(tensor, dlpack::Import::default()) }.expect("shared");
    assert_eq!(b.device(), device);
    part.set(ndany::s![0, 0], 50);
    device.synchronize().expect("work");
    assert_eq!(b.to_vec::<i64>().expect("values"), [50, 6, 5, 4, 11, 10, 9, 8], "{device}");
    // The part got memory of its own, since the whole has another handle.
    assert_eq!(a.to_vec::<i64>().expect("values")[7], 7, "{device}");
    // To the host and back.
    let cpu = Device::open("cpu").expect("compiled in");
    let host = dlpack::device_of(&cpu).expect("known");
    let options = dlpack::Export { device: Some(host), ..Default::default() };
    let tensor = dlpack::export(&mut a, options).expect("copied");
    assert_eq!(tensor.tensor().device, host);
    let options = dlpack::Import { device: Some(device.clone()), copy: None };
    // SAFETY: as above.
    let back = unsafe { dlpack::import(tensor, options) }.expect("moved");
    assert_eq!((back.device(), back.to_vec::<i64>().expect("values")[11]), (device, 11));
    // The numbers of streams.
    // SAFETY: these are no handles, or those of the driver's own streams.
    let stream = |number| unsafe { dlpack::stream_of(device, number) };
    let given = |number| match stream(number) {
        Ok(stream) => {
            if stream.is_some() {
                "a stream"
            } else {
                "wait"
            }
        }
        Err(error) => error.class(),
    };
    let numbers = [None, Some(-1), Some(0), Some(1), Some(2), Some(-2)];
    let expected = match device.name().split(':').next() {
        Some("cuda") => ["a stream", "wait", "a stream", "a stream", "wait", "ValueError"],
        Some("hip") => ["a stream", "wait", "a stream", "ValueError", "ValueError", "ValueError"],
        _ => ["wait", "ValueError", "ValueError", "ValueError", "ValueError", "ValueError"],
    };
    assert_eq!(numbers.map(given), expected, "{device}");
    if let Some(stream) = stream(None).ok().flatten() {
        let options = dlpack::Export { stream: Some(&stream), ..Default::default() };
        let tensor = dlpack::export(&mut a, options).expect("exported");
        stream.synchronize().expect("work");
        // SAFETY: as above.
        let same = unsafe { dlpack::import(tensor, dlpack::Import::default()) }.expect("shared");
        assert_eq!(same.to_vec::<i64>().expect("values")[11], 11, "{device}");
    }
}

fn benchmarks(device: &Device) {
    let x = arange(1000).astype(DType::F32);
    let times = benchmark("a sum", || (&x * 2.0).sum(..)).repeat(5).run(device).expect("times");
    assert_eq!(times.cpu.all.len(), 5);
    assert_eq!(times.gpu.as_ref().map(|gpu| gpu.all.len()), is_gpu(device).then_some(5));
    let text = times.to_string();
    assert!(text.starts_with(&format!("a sum on {device}, 5 runs\n  cpu: median ")), "{text}");
    assert_eq!(text.contains("\n  gpu: median "), is_gpu(device));
}

/// Events of one device and streams of another.
fn across(devices: &[Device; 4]) {
    for device in devices {
        let event = {
            let _guard = device.enter();
            work();
            device.record().expect("an event")
        };
        for other in devices {
            let stream = other.stream(..).expect("a stream");
            stream.wait(&event).expect("an order");
            stream.synchronize().expect("work");
            assert!(event.is_completed().expect("an answer"), "{device} in {other}");
            let times = other.record().expect("an event").elapsed_since(&event);
            assert_eq!(times.is_ok(), device == other, "{device} and {other}");
        }
    }
    let buffer = HostBuffer::<f64>::new(&devices[0], 1).expect("memory");
    let _guard = devices[1].enter();
    let error = Array::from([1.0]).download(buffer).expect_err("two devices");
    assert_eq!(
        error.to_string(),
        "[download] operands are on reference and cpu: move one with to_device"
    );
}

/// Managed memory is computed with as any other, may be more than there is of the device's, and is read by the host in its place.
fn managed(device: &Device) {
    let pending = arange(1000) * 3;
    let a = {
        let _managed = allocate_from(device, MemorySource::Managed).expect("a source");
        let pool = device.memory().map(|memory| memory.live);
        let a = pending + 1;
        a.eval().expect("work");
        if let Ok(live) = pool {
            assert!(device.memory().expect("a pool").live <= live, "{device}: none is the pool's");
        }
        a
    };
    prefetch(&a, MemoryPlace::Device).expect("a hint");
    for advice in [
        MemoryAdvice::ReadMostly(true),
        MemoryAdvice::ReadMostly(false),
        MemoryAdvice::PreferredPlace(Some(MemoryPlace::Host)),
        MemoryAdvice::PreferredPlace(None),
        MemoryAdvice::AccessedBy(MemoryPlace::Device, true),
        MemoryAdvice::AccessedBy(MemoryPlace::Host, false),
    ] {
        advise(&a.i(s![10..20;-3]), advice).unwrap_or_else(|error| panic!("{device}: {error}"));
    }
    prefetch(&a, MemoryPlace::Host).expect("a hint");
    prefetch(&zeros(0, DType::F32), MemoryPlace::Host).expect("nothing to do");
    assert_eq!(a.sum(..).item::<i64>().expect("a value"), 1_499_500, "{device}");
    if device.name() != "reference" {
        let export = Export::read(&a, None).expect("an export");
        let third =
            std::ptr::with_exposed_provenance::<i64>(export.address() as usize).wrapping_add(2);
        // SAFETY: the array has this element, the memory is the host's, too, and the export has waited.
        assert_eq!(unsafe { third.read() }, 7, "{device}");
    }
    if is_gpu(device) {
        let own = arange(10) + 1;
        let error = prefetch(&own, MemoryPlace::Host).expect_err("memory of the pool").to_string();
        assert!(
            error.contains("[prefetch]") && error.contains("expected managed memory"),
            "{error}"
        );
        let (free, limited) = (device.free_memory().expect("bytes"), device.memory());
        let _managed = allocate_from(device, MemorySource::Managed).expect("a source");
        device
            .limit_memory(Some(limited.expect("a pool").reserved + free / 1024))
            .expect("a limit");
        let large = zeros(free / 512, DType::U8);
        large.eval().expect("more than the pool may have");
        device.limit_memory(None).expect("a limit");
        assert_eq!(large.sum(..).item::<u64>().expect("a value"), 0);
    }
}

/// A tensor on the CPU shares the managed memory of a GPU, whose work is late; memory of the pool has to be copied.
fn lent_to_the_host(device: &Device) {
    let cpu = dlpack::abi::DLDevice { device_type: dlpack::abi::CPU, device_id: 0 };
    let never = dlpack::Export { device: Some(cpu), copy: Some(false), ..Default::default() };
    let mut own = arange(6) * 2;
    let error = dlpack::export(&mut own, never).expect_err("memory of the pool");
    assert!(error.to_string().contains("another device needs a copy"), "{error}");
    let default = dlpack::Export { device: Some(cpu), ..Default::default() };
    let tensor = dlpack::export(&mut own, default).expect("a copy");
    assert_eq!(tensor.flags(), dlpack::abi::IS_COPIED, "{device}");

    assert!(device.attribute(Attribute::ConcurrentManagedAccess).is_ok_and(|value| value == 1));
    let _managed = allocate_from(device, MemorySource::Managed).expect("a source");
    let mut a = arange(6) * 2;
    let copy = dlpack::Export { copy: Some(true), ..default };
    let tensor = dlpack::export(&mut a, copy).expect("a copy");
    assert_eq!(tensor.flags(), dlpack::abi::IS_COPIED, "{device}");
    let tensor = dlpack::export(&mut a, never).expect("a tensor");
    assert_eq!((tensor.tensor().device, tensor.flags()), (cpu, 0), "{device}");
    // SAFETY: the tensor is one of this library's.
    let shared = unsafe { dlpack::import(tensor, dlpack::Import::default()) };
    let mut shared = shared.expect("an array of the CPU");
    assert_eq!(
        (shared.device().name(), shared.to_string()),
        ("cpu".into(), "[ 0  2  4  6  8 10]".into())
    );
    shared.set(1, 50);
    assert_eq!(a.sum(..).item::<i64>().expect("a value"), 78, "{device}: what the host wrote");
    a.set(0, 7);
    device.synchronize().expect("no failure");
    assert_eq!(shared.to_string(), "[ 7 50  4  6  8 10]", "{device}: what the device wrote");
}

/// An allocator over page-locked memory, which a GPU reads and writes.
#[derive(Default)]
struct OfTheHost {
    given: Mutex<Vec<(u64, HostBuffer<u64>)>>,
    taken: AtomicUsize,
    device: Mutex<Option<Device>>,
}

// SAFETY: page-locked memory of the host is the device's as well, at the same address on software GPUs.
unsafe impl Allocator for OfTheHost {
    fn allocate(&self, bytes: usize, stream: u64) -> Result<u64, AllocatorError> {
        assert_ne!(stream, 0);
        let device = self.device.lock().expect("no panic").clone().ok_or("it is closed")?;
        // Some more, of which 256 bytes are aligned.
        let buffer = HostBuffer::<u64>::new(&device, bytes / 8 + 32)?;
        let address = (buffer.as_ptr().expose_provenance() as u64).next_multiple_of(256);
        self.given.lock().expect("no panic").push((address, buffer));
        Ok(address)
    }

    unsafe fn free(&self, address: u64, _: usize) {
        let mut given = self.given.lock().expect("no panic");
        let place = given.iter().position(|(first, _)| *first == address).expect("its memory");
        given.remove(place);
        self.taken.fetch_add(1, Ordering::SeqCst);
    }
}

fn own_allocator(device: &Device) {
    let own = Arc::new(OfTheHost::default());
    let entered = allocate_from(device, MemorySource::Allocator(own.clone()));
    if !is_gpu(device) {
        let error = entered.expect_err("no allocator").to_string();
        return assert!(error.contains("global_allocator"), "{error}");
    }
    // Without memory, and with some.
    let guard = entered.expect("a source");
    let error = (arange(5) + 1).eval().expect_err("no memory");
    assert_eq!(error.class(), "MemoryError", "{error}");
    assert!(error.to_string().contains("it is closed"), "{error}");
    *own.device.lock().expect("no panic") = Some(device.clone());
    let x = arange(5000).astype(DType::F64);
    let sorted = (-&x).sort(0);
    let total = (sorted * 2.0).sum(..);
    assert_eq!(total.item::<f64>().expect("a value"), -24_995_000.0, "{device}");
    drop(guard);
    let held = own.given.lock().expect("no panic").len();
    assert!(held > 0);
    // It is used where no source is entered, and goes back where it comes from.
    assert_eq!((x + 1.0).sum(..).item::<f64>().expect("a value"), 12_502_500.0);
    drop(total);
    device.synchronize().expect("work");
    assert!(own.given.lock().expect("no panic").is_empty(), "{device}");
    assert!(own.taken.load(Ordering::SeqCst) >= held);
    *own.device.lock().expect("no panic") = None;
}

/// The values that the process which opens a handle finds: in C order, and of a view that goes backwards.
const SHARED: usize = 3000;

fn to_share(device: &Device) -> [Array; 3] {
    let _guard = device.enter();
    let a = (arange(SHARED).astype(DType::F32) * 0.5).reshape((30, 100));
    [a.i(s![..;-2, 3..]).t(), a, zeros((0, 3), DType::I16)]
}

/// Handles of arrays for another process, which this program starts.
fn handles(device: &Device) {
    let arrays = to_share(device);
    if !is_gpu(device) {
        let error = match Export::read(&arrays[0], None) {
            Ok(export) => IpcHandle::of(&export).expect_err("no handle"),
            Err(error) => error,
        };
        return assert!(error.is_unsupported(), "{error}");
    }
    let exports = arrays.each_ref().map(|a| Export::read(a, None).expect("an export"));
    let handles = exports.each_ref().map(|export| IpcHandle::of(export).expect("a handle"));
    let error = handles[0].open(device).expect_err("this process").to_string();
    assert!(error.contains("expected a handle of another process"), "{error}");
    let cpu = handles[0].open(&Device::open("cpu").expect("a device"));
    assert!(cpu.expect_err("no GPU").is_unsupported());
    let folder = std::env::temp_dir().join(format!("ndany-ipc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (number, handle) in handles.iter().enumerate() {
        std::fs::write(folder.join(number.to_string()), handle.to_bytes()).expect("a file");
    }
    let mut other = std::process::Command::new(std::env::current_exe().expect("this program"));
    other.args(["--exact", "other_process", "--ignored", "--nocapture"]);
    other.env("NDANY_TEST_IPC", &folder).env("NDANY_TEST_IPC_DEVICE", device.name());
    let output = other.output().expect("this program again");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{device}: {text}\n{errors}");
}

#[test]
#[ignore = "run by the other"]
fn other_process() {
    let folder = std::env::var_os("NDANY_TEST_IPC").expect("a folder");
    let device = std::env::var("NDANY_TEST_IPC_DEVICE").expect("a device");
    let device = Device::open(&device).expect("a device");
    let expected = to_share(&Device::open("cpu").expect("a device"));
    for (number, expected) in expected.iter().enumerate() {
        let bytes = std::fs::read(std::path::Path::new(&folder).join(number.to_string()));
        let handle = IpcHandle::from_bytes(&bytes.expect("a file")).expect("a handle");
        let foreign = handle.open(&device).expect("memory");
        // SAFETY: the process that has the memory waits for this one.
        let mut a = unsafe { foreign.into_array() }.expect("an array");
        assert_eq!((a.shape(), a.dtype()), (expected.shape(), expected.dtype()));
        assert!(
            a.to_device(expected.device())
                .expect("values")
                .array_equal(expected)
                .expect("one answer")
        );
        // A write is one to a copy.
        a += a.clone();
        let doubled = expected + expected;
        assert!(
            a.to_device(expected.device())
                .expect("values")
                .array_equal(&doubled)
                .expect("one answer")
        );
    }
    device.synchronize().expect("work");
}
