//! What programs steer: events with times, priorities, external streams, functions of the host.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndany_core::backend::{
    Attribute, Event as _, HostMemory as _, MemoryAdvice, MemoryPlace, Stream as _, Transfer as _,
};

use super::*;
use crate::control::ControlDriver;
use crate::driver::Event;
use crate::event::GpuEvent;
use crate::pinned::{PinnedMemory, PinnedTransfer};

/// Records an event in the thread's current stream.
fn record(runtime: &Arc<Runtime>) -> GpuEvent {
    GpuEvent::record(runtime, runtime.stream()).unwrap()
}

#[test]
fn an_event_completes_when_its_stream_has_come_to_it() {
    let fake = device();
    let runtime = runtime(&fake);
    let values = add_one(&runtime, &array(&runtime, 1).unwrap()).unwrap();
    let event = record(&runtime);
    assert!(!event.is_completed().unwrap());
    event.synchronize().unwrap();
    assert!(event.is_completed().unwrap());
    assert_eq!(fake.peek(values.address(), 8), 2u64.to_ne_bytes(), "the work before it is done");
    drop((event, values));
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn times_are_seconds_between_completed_events() {
    let fake = device();
    let runtime = runtime(&fake);
    let (start, between, end) = (record(&runtime), record(&runtime), record(&runtime));
    // The fake's clock goes on by a millisecond at each event.
    assert_eq!(end.elapsed_since(&start).unwrap(), 0.002);
    assert_eq!(start.elapsed_since(&end).unwrap(), -0.002);
    assert_eq!(between.elapsed_since(&between).unwrap(), 0.0);
    let other = super::runtime(&device());
    let error = record(&other).elapsed_since(&start).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[elapsed_since] bad arguments: expected two events of one device, got events of fake:0 and fake:0"
    );
}

#[test]
fn events_are_used_again() {
    let fake = device();
    let runtime = runtime(&fake);
    for _ in 0..20 {
        drop(record(&runtime));
    }
    assert_eq!(fake.calls("create_timed_event"), 1);
    let held: Vec<_> = (0..3).map(|_| record(&runtime)).collect();
    assert_eq!(fake.calls("create_timed_event"), 3);
    // One that was recorded anew while the old record was ahead is not completed by that one.
    fake.progress();
    drop(held);
    let again = record(&runtime);
    assert!(!again.is_completed().unwrap());
}

#[test]
fn a_stream_waits_for_an_event_of_any_device() {
    let fake = device();
    let runtime = runtime(&fake);
    let [one, two] = [(); 2].map(|()| GpuStream::new(&runtime, Priority::Normal).unwrap());
    let (early, late) = (one.record().unwrap(), two.record().unwrap());
    assert!(one.wait(late.as_ref()).unwrap());
    assert!(!one.is_idle().unwrap());
    one.synchronize().unwrap();
    assert!(one.is_idle().unwrap() && late.is_completed().unwrap(), "its wait is over");
    assert!(early.is_completed().unwrap());
    let elsewhere = super::runtime(&device());
    let foreign = record(&elsewhere);
    assert!(one.wait(&foreign).unwrap(), "a driver knows the events of all of its devices");
}

#[test]
fn priorities_are_the_ends_of_the_drivers_range() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = |priority| GpuStream::new(&runtime, priority).unwrap();
    let all = [Priority::High, Priority::Normal, Priority::Low].map(stream);
    let found = all.each_ref().map(|stream| fake.priority(stream.native()));
    assert_eq!(found, [Some(-2), None, Some(1)]);
    // A stream without a holder is for the next of its priority only.
    let handles = all.each_ref().map(|stream| stream.native());
    drop(all);
    let again = [Priority::Low, Priority::Normal, Priority::High].map(stream);
    let mut reused = again.each_ref().map(|stream| stream.native());
    reused.reverse();
    assert_eq!(handles, reused);
    drop(again);
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
}

#[test]
fn an_external_stream_takes_part_in_the_order_and_is_never_destroyed() {
    let fake = device();
    let runtime = runtime(&fake);
    let foreign = Driver::create_stream(&fake).unwrap();
    let external = GpuStream::external(&runtime, foreign.0).unwrap();
    assert_eq!(external.native(), foreign.0);
    let start = array(&runtime, 5).unwrap();
    let there = {
        let _guard = external.enter();
        add_one(&runtime, &start).unwrap()
    };
    let here = add_one(&runtime, &there).unwrap();
    assert_eq!(first_of(&runtime, &here).unwrap(), 7, "each stream waits for the other");
    // What is given back while the stream still works on it is not used elsewhere.
    let kept = {
        let _guard = external.enter();
        add_one(&runtime, &here).unwrap()
    };
    let address = kept.address();
    drop(kept);
    let next = runtime.allocate(BYTES).unwrap();
    assert_ne!(next.address(), address);
    // Dropped, it has been waited for; its owner may destroy it, and no call names it any more.
    drop(external);
    // SAFETY: a stream of the fake, which nothing uses.
    let (is_idle, destroyed) = unsafe { (fake.is_idle(foreign), fake.destroy_stream(foreign)) };
    assert!(is_idle.unwrap());
    destroyed.unwrap();
    runtime.synchronize().unwrap();
    let last = add_one(&runtime, &here).unwrap();
    assert_eq!(first_of(&runtime, &last).unwrap(), 8);
    // Its number is another stream's then.
    let another = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let guard = another.enter();
    assert_eq!(first_of(&runtime, &add_one(&runtime, &last).unwrap()).unwrap(), 9);
    drop(guard);
    drop((another, start, there, here, next, last));
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn the_stream_of_each_thread_is_refused() {
    let fake = device();
    let runtime = runtime(&fake);
    let calls = fake.total();
    let error = GpuStream::external(&runtime, 2).unwrap_err().to_string();
    assert!(error.starts_with("[external] bad arguments: expected a stream"), "{error}");
    assert_eq!(fake.total(), calls);
}

#[test]
fn a_host_function_runs_once_in_the_order_of_the_stream() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let guard = stream.enter();
    let values = add_one(&runtime, &array(&runtime, 1).unwrap()).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, panicked) = (count.clone(), count.clone());
    stream.then(Box::new(move || counted.store(1, Ordering::SeqCst))).unwrap();
    stream
        .then(Box::new(move || {
            panicked.fetch_add(10, Ordering::SeqCst);
            panic!("a function of a test");
        }))
        .unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0, "the stream is not there yet");
    stream.synchronize().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 11);
    assert_eq!(Arc::strong_count(&count), 1, "both are gone");
    // The stream goes on.
    assert_eq!(first_of(&runtime, &add_one(&runtime, &values).unwrap()).unwrap(), 3);
    // One that the driver does not take is dropped.
    let held = count.clone();
    fake.fail(Some("call_host"), 0, DriverError::Missing { call: "cuLaunchHostFunc" });
    let error = stream.then(Box::new(move || drop(held))).unwrap_err().to_string();
    assert_eq!(error, "[then] device fake:0 failed: the driver has no cuLaunchHostFunc: update it");
    assert_eq!(Arc::strong_count(&count), 1);
    drop(guard);
}

/// Page-locked memory with these bytes.
fn filled(runtime: &Arc<Runtime>, byte: u8) -> Box<PinnedMemory> {
    let mut host = Box::new(PinnedMemory::new(runtime, BYTES).unwrap());
    assert!(host.bytes().iter().all(|&byte| byte == 0));
    host.bytes_mut().fill(byte);
    host
}

#[test]
fn a_copy_owns_its_memory_until_it_is_done() {
    let fake = device();
    let runtime = runtime(&fake);
    let there = runtime.allocate(BYTES).unwrap();
    let sent = PinnedTransfer::upload(&runtime, &there, filled(&runtime, 5)).unwrap();
    assert!(!sent.is_completed().unwrap(), "the call does not wait");
    let received = PinnedTransfer::download(&runtime, &there, 8, {
        Box::new(PinnedMemory::new(&runtime, 16).unwrap())
    });
    // Dropped, each waits: the fake says whether memory is freed under work.
    drop(sent);
    assert_eq!(fake.calls("free_host"), 1);
    let received = Box::new(received.unwrap()).wait().unwrap();
    assert_eq!(received.bytes(), [5; 16]);
    drop(PinnedTransfer::download(&runtime, &there, 0, filled(&runtime, 1)).unwrap());
    // The memory of the device may go first.
    let last = PinnedTransfer::download(&runtime, &there, 0, filled(&runtime, 1)).unwrap();
    drop(there);
    drop(runtime.allocate(BYTES).unwrap());
    assert_eq!(Box::new(last).wait().unwrap().bytes(), [5; BYTES]);
    drop(received);
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn copies_are_in_the_order_of_the_streams() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let there = runtime.allocate(BYTES).unwrap();
    let sent = {
        let _guard = stream.enter();
        PinnedTransfer::upload(&runtime, &there, filled(&runtime, 1)).unwrap()
    };
    let sum = add_one(&runtime, &there).unwrap();
    let back = {
        let _guard = stream.enter();
        let empty = Box::new(PinnedMemory::new(&runtime, 8).unwrap());
        PinnedTransfer::download(&runtime, &sum, 0, empty).unwrap()
    };
    let expected = u64::from_ne_bytes([1; 8]) + 1;
    assert_eq!(Box::new(back).wait().unwrap().bytes(), expected.to_ne_bytes());
    assert_eq!(Box::new(sent).wait().unwrap().bytes(), [1; BYTES]);
}

#[test]
fn a_copy_reports_the_deferred_errors_of_its_values() {
    let fake = device();
    let runtime = runtime(&fake);
    let bad = may_fail(&runtime, &array(&runtime, 1234).unwrap()).unwrap();
    let copy = PinnedTransfer::download(&runtime, &bad, 0, filled(&runtime, 0)).unwrap();
    assert_eq!(index_of(Box::new(copy).wait().unwrap_err()), 1234);
    assert_eq!(fake.calls("free_host"), 1, "the memory is given back");
}

#[test]
fn memory_is_freed_after_a_wait_only() {
    let fake = device();
    let runtime = runtime(&fake);
    let there = runtime.allocate(BYTES).unwrap();
    let refused = || DriverError::Call { call: "x", code: 999, text: "unknown".to_string() };
    let sent = PinnedTransfer::upload(&runtime, &there, filled(&runtime, 1)).unwrap();
    fake.fail(Some("wait_for_event"), 0, refused());
    assert!(Box::new(sent).wait().is_err());
    assert_eq!(fake.calls("free_host"), 1, "the second wait was for this");
    let sent = PinnedTransfer::upload(&runtime, &there, filled(&runtime, 1)).unwrap();
    fake.fail(Some("wait_for_event"), 0, refused());
    drop(sent);
    assert_eq!(fake.calls("free_host"), 2);
    // An event that is not recorded: the stream is waited for, and then the memory is free.
    fake.fail(Some("record"), 0, refused());
    assert!(PinnedTransfer::upload(&runtime, &there, filled(&runtime, 1)).is_err());
    assert_eq!(fake.calls("free_host"), 3);
    // A device that is lost may still use it.
    let sent = PinnedTransfer::upload(&runtime, &there, filled(&runtime, 1)).unwrap();
    fake.fail(Some("wait_for_event"), 0, lost());
    let error = Box::new(sent).wait().unwrap_err();
    assert!(error.to_string().starts_with("[upload] device fake:0 failed"), "{error}");
    assert_eq!(fake.calls("free_host"), 3);
    drop(there);
    assert_eq!(Arc::strong_count(&runtime), 1, "what is kept does not keep the device");
    assert_eq!(fake.violations(), [""; 0]);
}

fn lost() -> DriverError {
    DriverError::Lost { call: "x", code: 700, text: "an illegal address".to_string() }
}

/// A driver that has none of it.
struct Old;

impl ControlDriver for Old {}

impl crate::driver::GraphDriver for Old {}

#[test]
fn an_old_driver_names_what_it_lacks() {
    let (stream, event) = (Stream(0), Event(0));
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    // SAFETY: it looks at no handle, and calls nothing.
    let answers = unsafe {
        [
            Old.create_timed_event().map(drop),
            Old.elapsed(event, event).map(drop),
            Old.is_idle(stream).map(drop),
            Old.priorities().map(drop),
            Old.create_stream_with_priority(0).map(drop),
            Old.call_host(stream, nothing, std::ptr::null_mut()),
            Old.attribute(Attribute::WarpSize).map(drop),
            Old.allocate_managed(1).map(drop),
            Old.prefetch(0, 1, MemoryPlace::Host, stream),
            Old.advise(0, 1, MemoryAdvice::ReadMostly(true)),
            Old.allocation_of(0).map(drop),
            Old.ipc_handle(0).map(drop),
            Old.open_ipc(&[0; 64]).map(drop),
            Old.close_ipc(0),
        ]
    };
    for answer in answers {
        assert!(matches!(answer, Err(DriverError::Missing { .. })), "{answer:?}");
    }
}
