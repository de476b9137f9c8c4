//! Every call of the driver fails in turn: an error comes out, nothing is lost, and the device goes on, unless it is
//! lost, and then it is called no more.

use ndany_core::backend::{
    Attribute, ForeignMemory, HostMemory as _, MemoryAdvice, MemoryPlace, MemorySource,
    Stream as _, Transfer as _,
};

use super::*;
use crate::event::GpuEvent;
use crate::pinned::{PinnedMemory, PinnedTransfer};

/// What programs steer.
fn steer(runtime: &Arc<Runtime>) -> Result<()> {
    let start = GpuEvent::record(runtime, runtime.stream())?;
    let urgent = GpuStream::new(runtime, Priority::High)?;
    urgent.wait(&start)?;
    let external = GpuStream::external(runtime, urgent.native())?;
    let reached = Arc::new(());
    let held = reached.clone();
    external.then(Box::new(move || drop(held)))?;
    let end = external.record()?;
    assert!(end.elapsed_since(&start)? > 0.0, "what comes out is right");
    assert_eq!(Arc::strong_count(&reached), 1, "what comes out is right");
    assert!(end.is_completed()? && urgent.is_idle()?, "what comes out is right");
    let there = runtime.allocate(BYTES)?;
    let mut host = PinnedMemory::new(runtime, BYTES)?;
    host.bytes_mut().fill(3);
    let sent = PinnedTransfer::upload(runtime, &there, Box::new(host))?;
    let empty = PinnedMemory::new(runtime, BYTES)?;
    let received = PinnedTransfer::download(runtime, &there, 0, Box::new(empty))?;
    let received = Box::new(received).wait()?;
    assert!(received.bytes().iter().all(|&byte| byte == 3), "what comes out is right");
    // Never waited for.
    drop(sent);
    let managed = {
        let device = runtime.streams().device();
        let _guard = runtime.sources().enter(device, MemorySource::Managed);
        array(runtime, 7)?
    };
    runtime.prefetch(&managed, 0, BYTES, MemoryPlace::Host)?;
    runtime.advise(&managed, 0, BYTES, MemoryAdvice::PreferredPlace(None))?;
    assert_eq!(first_of(runtime, &managed)?, 7, "what comes out is right");
    drop(managed);
    let shared = runtime.allocation_for_others(there.address())?;
    let (address, owner) = runtime.open_allocation(&shared.handle)?;
    let address = address + shared.offset as u64;
    let (opened, _) = runtime.foreign(ForeignMemory { address, bytes: BYTES, owner });
    let mut bytes = [0; BYTES];
    runtime.read(&opened, 0, &mut bytes)?;
    assert_eq!(bytes, [3; BYTES], "what comes out is right");
    drop(opened);
    runtime.checked().call("attribute", |driver| driver.attribute(Attribute::WarpSize))?;
    Ok(())
}

/// Something of everything.
fn scenario(fake: &Fake, settings: &Settings) -> Result<()> {
    let runtime = open(fake, settings.clone())?;
    let start = array(&runtime, 1)?;
    let scratch = runtime.scratch(3 << 20)?;
    runtime.fill(scratch.address(), 0, 3 << 20)?;
    let mut values = may_fail(&runtime, &start)?;
    values = add_one(&runtime, &values)?;
    drop(scratch);
    let stream = GpuStream::new(&runtime, Priority::Normal)?;
    let guard = stream.enter();
    values = add_one(&runtime, &values)?;
    let other = runtime.allocate(5 << 19)?;
    runtime.write(&other, &vec![7; 5 << 19])?;
    drop(guard);
    stream.synchronize()?;
    steer(&runtime)?;
    let last = runtime.allocate(5 << 19)?;
    drop(other);
    runtime.synchronize()?;
    let mut bytes = vec![0; 1 << 18];
    runtime.write(&last, &bytes)?;
    runtime.read(&last, 0, &mut bytes)?;
    assert_eq!(bytes, vec![0; 1 << 18], "what comes out is right");
    assert_eq!(first_of(&runtime, &values)?, 4, "what comes out is right");
    runtime.release()
}

/// The same on a device that is open: what fails leaves it in order.
fn goes_on(runtime: &Arc<Runtime>) {
    let start = array(runtime, 10).unwrap();
    let values = add_one(runtime, &may_fail(runtime, &start).unwrap()).unwrap();
    assert_eq!(first_of(runtime, &values).unwrap(), 12);
    runtime.synchronize().unwrap();
}

fn work(runtime: &Arc<Runtime>) -> Result<()> {
    let start = array(runtime, 1)?;
    let values = add_one(runtime, &may_fail(runtime, &start)?)?;
    let large = runtime.allocate(5 << 19)?;
    runtime.write(&large, &vec![7; 5 << 19])?;
    let mut bytes = vec![0; 5 << 19];
    runtime.read(&large, 0, &mut bytes)?;
    assert!(bytes == vec![7; 5 << 19]);
    assert_eq!(first_of(runtime, &values)?, 3);
    let more = runtime.allocate(6 << 20)?;
    runtime.synchronize()?;
    drop(more);
    runtime.release()
}

fn modes() -> [Settings; 3] {
    let direct = Settings { pool: PoolMode::Direct, poison: true, ..Settings::default() };
    let ahead = Settings { compile_threads: 2, ..Settings::default() };
    [Settings::default(), direct, ahead]
}

fn refused() -> DriverError {
    DriverError::Call { call: "injected", code: 999, text: "an unknown error".to_string() }
}

fn lost() -> DriverError {
    DriverError::Lost { call: "injected", code: 700, text: "an illegal address".to_string() }
}

/// Runs the scenario with the `nth` call failing, for all calls there are; how many of them came out as errors.
fn each_call(settings: &Settings, error: impl Fn() -> DriverError) -> usize {
    let mut failed = 0;
    for nth in 0.. {
        let fake = device();
        fake.fail(None, nth, error());
        let result = scenario(&fake, settings);
        let reached = !fake.spare();
        failed += usize::from(result.is_err());
        assert!(reached || result.is_ok());
        assert_eq!(fake.violations(), [""; 0], "call {nth}: {result:?}");
        // Threads that copy may be in a call each when another's says that the device is lost.
        assert!(fake.late() <= 8, "call {nth}: {} calls came after", fake.late());
        if !reached {
            break;
        }
    }
    failed
}

#[test]
fn any_call_may_fail() {
    for settings in modes() {
        let failed = each_call(&settings, refused);
        assert!(failed > 30, "only {failed} failures were seen");
    }
}

#[test]
fn any_call_may_run_out_of_memory() {
    for settings in modes() {
        each_call(&settings, || DriverError::OutOfMemory { call: "injected" });
    }
}

#[test]
fn a_device_may_be_lost_at_any_call() {
    for settings in modes() {
        let failed = each_call(&settings, lost);
        assert!(failed > 30, "only {failed} failures were seen");
    }
}

#[test]
fn an_open_device_goes_on_after_any_failure() {
    for settings in modes() {
        for error in [refused(), DriverError::OutOfMemory { call: "injected" }] {
            for nth in 0.. {
                let fake = device();
                let runtime = open(&fake, settings.clone()).unwrap();
                fake.fail(None, nth, error.clone());
                let result = work(&runtime);
                if fake.spare() {
                    assert!(result.is_ok());
                    break;
                }
                goes_on(&runtime);
                assert_eq!(runtime.pool_statistics().live, 0, "call {nth}");
                assert_eq!(fake.violations(), [""; 0], "call {nth}: {result:?}");
            }
        }
    }
}

#[test]
fn a_lost_device_says_so_at_every_call() {
    let fake = device();
    let runtime = runtime(&fake);
    let values = array(&runtime, 1).unwrap();
    let held = runtime.allocate(10 << 20).unwrap();
    fake.fail(Some("launch"), 0, lost());
    let says_so = |error: Error| {
        let text = error.to_string();
        assert!(text.contains("fake:0 failed") && text.contains("an illegal address"), "{text}");
        assert_eq!(error.class(), "RuntimeError");
    };
    says_so(add_one(&runtime, &values).unwrap_err());
    let calls = fake.total();
    says_so(add_one(&runtime, &values).unwrap_err());
    says_so(runtime.read(&values, 0, &mut [0; 8]).unwrap_err());
    says_so(runtime.write(&values, &[0; 8]).unwrap_err());
    says_so(runtime.write(&values, &[0; 3 << 20]).unwrap_err());
    says_so(runtime.synchronize().unwrap_err());
    says_so(runtime.release().unwrap_err());
    says_so(runtime.allocate(1 << 30).unwrap_err());
    drop(held);
    drop(values);
    drop(runtime);
    assert_eq!(fake.total(), calls, "it was called no more");
}

#[test]
fn what_the_pool_keeps_is_given_back_to_the_driver_itself() {
    for call in ["load", "launch", "allocate"] {
        let fake = device();
        let runtime = runtime(&fake);
        let start = array(&runtime, 1).unwrap();
        drop(runtime.allocate(10 << 20).unwrap());
        fake.fail(Some(call), 0, DriverError::OutOfMemory { call });
        let values = may_fail(&runtime, &start).unwrap();
        assert_eq!(first_of(&runtime, &values).unwrap(), 2, "after {call}");
        assert!(runtime.pool_statistics().reserved < 10 << 20, "after {call}");
        assert!(!fake.spare());
    }
}
