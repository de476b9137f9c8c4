//! Memory of other libraries, and memory lent to them.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndany_core::backend::{Access, ForeignMemory};

use super::*;

/// Another library's memory of the fake, given back when it is dropped.
struct Foreign {
    fake: Fake,
    address: Address,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: the memory has no other owner; the fake says whether work still uses it.
        unsafe { self.fake.free(self.address) }.unwrap();
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Memory of another library that a stream of its own fills, and how many owners were dropped.
fn foreign(fake: &Fake, byte: u8) -> (Foreign, Arc<AtomicUsize>) {
    let address = fake.allocate(BYTES).unwrap();
    let stream = fake.create_stream().unwrap();
    // SAFETY: fresh memory, and a stream that is waited for.
    unsafe {
        fake.fill(address, byte, BYTES, stream).unwrap();
        fake.wait_for_stream(stream).unwrap();
        fake.destroy_stream(stream).unwrap();
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    (Foreign { fake: fake.clone(), address, dropped: dropped.clone() }, dropped)
}

/// The same as memory of the device.
fn taken(runtime: &Arc<Runtime>, owner: Foreign) -> Array {
    let (address, bytes) = (owner.address, BYTES);
    let (memory, before) =
        runtime.foreign(ForeignMemory { address, bytes, owner: Box::new(owner) });
    assert_eq!((memory.address(), before), (address, 0));
    memory
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);

#[test]
fn an_owner_goes_after_all_work_on_its_memory() {
    let fake = device();
    let runtime = runtime(&fake);
    let (owner, dropped) = foreign(&fake, 1);
    let memory = taken(&runtime, owner);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let here = add_one(&runtime, &memory).unwrap();
    let there = {
        let _guard = stream.enter();
        add_one(&runtime, &memory).unwrap()
    };
    drop(memory);
    assert_eq!(dropped.load(Ordering::SeqCst), 0, "both streams are still to read it");
    runtime.synchronize().unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    for values in [&here, &there] {
        assert_eq!(fake.peek(values.address(), 8), (ONES + 1).to_ne_bytes());
    }
    drop((here, there, stream));
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn an_owner_goes_with_a_later_allocation_or_with_the_device() {
    let fake = device();
    let runtime = runtime(&fake);
    let (owner, dropped) = foreign(&fake, 1);
    let sum = add_one(&runtime, &taken(&runtime, owner)).unwrap();
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    fake.progress();
    drop(runtime.allocate(BYTES).unwrap());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    let (owner, dropped) = foreign(&fake, 1);
    drop(add_one(&runtime, &taken(&runtime, owner)).unwrap());
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(sum);
    drop(runtime);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn memory_begins_at_a_multiple_of_256_bytes() {
    let fake = device();
    let runtime = runtime(&fake);
    let (owner, dropped) = foreign(&fake, 1);
    let start = owner.address;
    let owner = Box::new(owner);
    let (memory, before) = runtime.foreign(ForeignMemory { address: start + 24, bytes: 16, owner });
    assert_eq!((memory.address(), before), (start, 24));
    let mut words = [0; 16];
    runtime.read(&memory, before, &mut words).unwrap();
    assert_eq!(words, [1; 16]);
    drop(memory);
    fake.progress();
    runtime.owners().sweep(runtime.checked(), runtime.streams());
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "what reads it has been waited for");
}

/// Each call of the driver that a use of foreign memory makes fails once: no owner goes too early, none twice, and none is
/// kept but where the streams cannot be waited for.
#[test]
fn failing_calls_free_nothing_too_early() {
    for call in ["create_event", "record", "is_completed", "wait_for_stream"] {
        for nth in 0..3 {
            let fake = device();
            let runtime = runtime(&fake);
            let (owner, dropped) = foreign(&fake, 1);
            let memory = taken(&runtime, owner);
            let sum = add_one(&runtime, &memory).unwrap();
            let text = "unknown".to_string();
            fake.fail(Some(call), nth, DriverError::Call { call: "x", code: 999, text });
            drop(memory);
            let _ = runtime.synchronize();
            fake.spare();
            runtime.synchronize().unwrap();
            assert_eq!(dropped.load(Ordering::SeqCst), 1, "{call} {nth}");
            drop(sum);
            drop(runtime);
            assert_eq!(fake.violations(), [""; 0], "{call} {nth}");
            assert_eq!(fake.leaks(), [0; 5], "{call} {nth}");
        }
    }
}

#[test]
fn memory_of_a_lost_device_is_kept() {
    let fake = device();
    let runtime = runtime(&fake);
    let (owner, dropped) = foreign(&fake, 1);
    let memory = taken(&runtime, owner);
    let call = "x";
    let text = "an illegal address".to_string();
    fake.fail(Some("create_event"), 0, DriverError::Lost { call, code: 700, text });
    drop(memory);
    drop(runtime);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn foreign_work_on_lent_memory_is_in_order() {
    let fake = device();
    let runtime = runtime(&fake);
    let handle = Driver::create_stream(&fake).unwrap();
    let external = GpuStream::external(&runtime, handle.0).unwrap();
    let id = GpuStream::id_on(&external, &runtime);
    let start = add_one(&runtime, &array(&runtime, 5).unwrap()).unwrap();

    // Written in the foreign stream: after the default one's reads, and before its next ones.
    let before = add_one(&runtime, &start).unwrap();
    let address = runtime.lend(&start, id, Access::Write).unwrap();
    assert_eq!(address, start.address());
    // SAFETY: lent memory of as many bytes.
    unsafe { fake.fill(address, 1, BYTES, handle) }.unwrap();
    let after = add_one(&runtime, &start).unwrap();
    assert_eq!(first_of(&runtime, &before).unwrap(), 7);
    assert_eq!(fake.peek(start.address(), 8), [1; 8]);
    runtime.synchronize().unwrap();
    assert_eq!(fake.peek(after.address(), 8), (ONES + 1).to_ne_bytes());

    // Read in it: its memory is given back in its order.
    let lent = add_one(&runtime, &before).unwrap();
    let target = fake.allocate(BYTES).unwrap();
    let address = runtime.lend(&lent, id, Access::Read).unwrap();
    let words = [address, target];
    let function = runtime.kernel_function(&Named("add_one")).unwrap();
    let launch = KernelLaunch::linear(function, 1, 128, handle);
    // SAFETY: as the kernel's text asks, about memory that lives until the stream has been waited for.
    unsafe { fake.launch(&launch, &words) }.unwrap();
    drop(lent);
    let other = runtime.allocate(BYTES).unwrap();
    runtime.write(&other, &[9; BYTES]).unwrap();
    runtime.synchronize().unwrap();
    assert_eq!(fake.peek(target, 8), 9u64.to_ne_bytes(), "5 + 1 + 1 + 1 + 1");
    external.synchronize().unwrap();
    drop(external);
    // SAFETY: nothing uses them any more.
    unsafe {
        fake.free(target).unwrap();
        fake.destroy_stream(handle).unwrap();
    }
    drop((start, before, after, other));
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn lending_reports_what_failed_and_leaves_the_order_that_was() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let id = GpuStream::id_on(&stream, &runtime);
    let bad = may_fail(&runtime, &array(&runtime, 1234).unwrap()).unwrap();
    assert_eq!(index_of(runtime.lend(&bad, id, Access::Read).unwrap_err()), 1234);
    let good = add_one(&runtime, &array(&runtime, 1).unwrap()).unwrap();
    for call in ["record", "stream_waits"] {
        let text = "unknown".to_string();
        fake.fail(Some(call), 0, DriverError::Call { call: "x", code: 999, text });
        assert!(runtime.lend(&good, id, Access::Write).is_err(), "{call}");
    }
    runtime.lend(&good, id, Access::Write).unwrap();
    assert_eq!(first_of(&runtime, &good).unwrap(), 2);
    assert_eq!(fake.violations(), [""; 0]);
}
