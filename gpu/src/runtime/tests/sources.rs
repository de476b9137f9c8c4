//! Memory that does not come from the device's pool: managed memory, allocators of the program's own, other processes'.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndany_core::Error;
use ndany_core::backend::{
    Allocator, AllocatorError, ForeignMemory, MemoryAdvice, MemoryPlace, MemorySource,
};

use super::*;
use crate::sources::SourceGuard;

/// An allocator over the fake's memory, which does with every piece what a test says.
struct Own {
    fake: Fake,
    /// Bytes that it may have given at a time.
    limit: usize,
    used: AtomicUsize,
    given: AtomicUsize,
    taken: AtomicUsize,
    /// What it adds to an address.
    off: u64,
}

impl Own {
    fn new(fake: &Fake, limit: usize, off: u64) -> Arc<Self> {
        let [used, given, taken] = <[AtomicUsize; 3]>::default();
        Arc::new(Self { fake: fake.clone(), limit, used, given, taken, off })
    }

    fn counts(&self) -> [usize; 2] {
        [&self.given, &self.taken].map(|count| count.load(Ordering::SeqCst))
    }
}

impl Allocator for Own {
    fn allocate(&self, bytes: usize, stream: u64) -> Result<u64, AllocatorError> {
        assert!(stream != 0 && bytes.is_multiple_of(512), "{bytes} bytes for stream {stream}");
        if self.used.load(Ordering::SeqCst) + bytes > self.limit {
            return Err("it has no more".into());
        }
        self.used.fetch_add(bytes, Ordering::SeqCst);
        self.given.fetch_add(1, Ordering::SeqCst);
        Ok(self.fake.allocate(bytes)? + self.off)
    }

    fn free(&self, address: u64, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::SeqCst);
        self.taken.fetch_add(1, Ordering::SeqCst);
        // SAFETY: it was given, and the fake says whether work still uses it.
        unsafe { self.fake.free(address - self.off) }.expect("memory of the fake");
    }
}

fn enter(runtime: &Arc<Runtime>, source: MemorySource) -> SourceGuard {
    runtime.sources().enter(runtime.streams().device(), source)
}

fn closed(fake: &Fake, runtime: Arc<Runtime>) {
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.opened(), 0);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn memory_goes_back_to_its_allocator_after_the_work_on_it() {
    let fake = device();
    let runtime = runtime(&fake);
    let [own, other] = [(); 2].map(|()| Own::new(&fake, 1 << 30, 0));
    let guard = enter(&runtime, MemorySource::Allocator(own.clone()));
    let values = array(&runtime, 1).unwrap();
    assert_eq!(own.counts(), [1, 0]);
    let inner = enter(&runtime, MemorySource::Allocator(other.clone()));
    let sum = add_one(&runtime, &values).unwrap();
    assert_eq!((own.counts(), other.counts()), ([1, 0], [1, 0]));
    let pool = enter(&runtime, MemorySource::Pool);
    let third = add_one(&runtime, &sum).unwrap();
    // What is said on one thread, and of one device, holds there.
    let elsewhere = super::runtime(&device());
    drop(elsewhere.allocate(8).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| drop(runtime.allocate(8).unwrap()));
    });
    assert_eq!((own.counts(), other.counts()), ([1, 0], [1, 0]));
    // Guards may go in any order.
    drop(inner);
    drop(pool);
    drop(runtime.scratch(3 << 20).unwrap());
    assert_eq!(own.counts()[0], 2, "memory of launches, too");
    // What the device keeps for itself is not the program's.
    let paused = runtime.sources().leave(runtime.streams().device());
    drop(runtime.allocate(8).unwrap());
    drop(paused);
    assert_eq!(own.counts()[0], 2);
    drop(guard);
    drop(runtime.allocate(8).unwrap());
    assert_eq!((own.counts()[0], other.counts()[0]), (2, 1));
    // The sources are left, and the work is under way.
    drop((values, sum));
    assert_eq!((own.counts()[1], other.counts()[1]), (0, 0), "work is to read them yet");
    runtime.synchronize().unwrap();
    assert_eq!((own.counts(), other.counts()), ([2, 2], [1, 1]));
    assert_eq!(first_of(&runtime, &third).unwrap(), 3);
    drop(third);
    closed(&fake, runtime);
}

#[test]
fn memory_goes_back_when_the_device_closes_or_stays_if_it_is_lost() {
    for is_lost in [false, true] {
        let fake = device();
        let runtime = runtime(&fake);
        let own = Own::new(&fake, 1 << 30, 0);
        let guard = enter(&runtime, MemorySource::Allocator(own.clone()));
        let values = array(&runtime, 1).unwrap();
        drop(add_one(&runtime, &values).unwrap());
        drop((values, guard));
        if is_lost {
            let call = "an illegal address".to_string();
            let lost = DriverError::Lost { call: "injected", code: 700, text: call };
            fake.fail(None, 0, lost);
        }
        drop(runtime);
        // A device that is lost may still use it.
        assert_eq!(own.counts(), [2, if is_lost { 0 } else { 2 }]);
        assert_eq!(fake.violations(), [""; 0]);
    }
}

#[test]
fn an_allocator_without_memory_is_asked_again_after_the_work() {
    let fake = device();
    let runtime = runtime(&fake);
    let own = Own::new(&fake, 3 * BYTES, 0);
    let _guard = enter(&runtime, MemorySource::Allocator(own.clone()));
    for _ in 0..5 {
        // Both are dropped while work is to use them.
        let values = array(&runtime, 1).unwrap();
        drop(add_one(&runtime, &values).unwrap());
    }
    assert_eq!(own.counts()[0], 10);
    let error = runtime.allocate(4 * BYTES).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "[allocate] the program's allocator for fake:0 fails: {} bytes requested, it has no more",
            4 * BYTES
        )
    );
    assert_eq!(error.class(), "MemoryError");
    assert!(runtime.allocate(BYTES).is_ok(), "the device goes on");
    drop(_guard);
    closed(&fake, runtime);
}

/// An allocator that gives nothing to work with.
struct Wrong(fn() -> u64);

impl Allocator for Wrong {
    fn allocate(&self, _: usize, _: u64) -> Result<u64, AllocatorError> {
        Ok(self.0())
    }

    fn free(&self, _: u64, _: usize) {
        panic!("a test's");
    }
}

#[test]
fn what_an_allocator_gives_is_looked_at() {
    let fake = device();
    let runtime = runtime(&fake);
    let text = |allocator: Arc<dyn Allocator>, bytes: usize| {
        let _guard = enter(&runtime, MemorySource::Allocator(allocator));
        match runtime.allocate(bytes) {
            Ok(_) => "no error".to_string(),
            Err(error @ Error::Allocator { .. }) => error.to_string(),
            Err(error) => panic!("{error}"),
        }
    };
    let null = text(Arc::new(Wrong(|| 0)), 8);
    assert!(null.ends_with("8 bytes requested, expected an address, got 0"), "{null}");
    let panics = text(Arc::new(Wrong(|| panic!("a test's"))), 8);
    assert!(panics.ends_with("it panicked"), "{panics}");
    let own = Own::new(&fake, 1 << 30, 8);
    let misaligned = text(own.clone(), 8);
    assert!(misaligned.contains("expected an address that is a multiple of 256"), "{misaligned}");
    assert_eq!(own.counts(), [1, 1], "it got back what it gave");
    assert!(text(own.clone(), usize::MAX).contains("expected fewer bytes"));
    assert_eq!(own.counts(), [1, 1], "it was not asked");
    // A panic in `free` is nobody's error.
    assert!(text(Arc::new(Wrong(|| 8)), 8).contains("multiple of 256"));
    assert!(runtime.allocate(8).is_ok(), "the device goes on");
    closed(&fake, runtime);
}

#[test]
fn managed_memory_has_a_pool_without_a_limit() {
    let fake = device();
    let runtime = open(&fake, Settings { limit: Some(32 << 20), ..Settings::default() }).unwrap();
    let events = Arc::new(AtomicUsize::new(0));
    let counted = events.clone();
    runtime.add_memory_hook(Arc::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    }));
    let guard = enter(&runtime, MemorySource::Managed);
    let large = runtime.allocate(3 << 30).unwrap();
    assert_eq!((fake.calls("allocate_managed"), events.load(Ordering::SeqCst)), (1, 2));
    let address = large.address();
    drop(large);
    assert_eq!(runtime.allocate(3 << 30).unwrap().address(), address, "it is kept for later");
    assert_eq!((fake.calls("allocate_managed"), runtime.pool_statistics().reserved), (1, 0));
    let values = array(&runtime, 1).unwrap();
    drop(guard);
    assert!(runtime.allocate(48 << 20).is_err(), "the limit holds for the device's own");
    runtime.prefetch(&values, 0, BYTES, MemoryPlace::Device).unwrap();
    runtime.prefetch(&values, 8, 8, MemoryPlace::Host).unwrap();
    runtime.advise(&values, 0, BYTES, MemoryAdvice::ReadMostly(true)).unwrap();
    assert_eq!(fake.hints(), ["Device", "Host", "ReadMostly(true)"]);
    let sum = add_one(&runtime, &values).unwrap();
    assert_eq!(first_of(&runtime, &sum).unwrap(), 2);
    for error in [
        runtime.prefetch(&sum, 0, 8, MemoryPlace::Host).unwrap_err(),
        runtime.advise(&sum, 0, 8, MemoryAdvice::PreferredPlace(None)).unwrap_err(),
    ] {
        assert!(error.to_string().contains("expected managed memory"), "{error}");
    }
    drop((values, sum));
    runtime.release().unwrap();
    assert_eq!(fake.leaks()[0], 0, "all of it is given back");
    closed(&fake, runtime);
}

#[test]
fn memory_of_another_process_is_closed_after_the_work_on_it() {
    for late in [false, true] {
        let fake = device();
        let runtime = runtime(&fake);
        let _first = runtime.allocate(1000).unwrap();
        let values = array(&runtime, 5).unwrap();
        runtime.synchronize().unwrap();
        let shared = runtime.allocation_for_others(values.address()).unwrap();
        let (address, owner) = runtime.open_allocation(&shared.handle).unwrap();
        assert_eq!(address + shared.offset as u64, values.address());
        assert!(shared.offset + BYTES <= shared.bytes);
        assert_eq!(fake.opened(), 1);
        let address = address + shared.offset as u64;
        let (there, _) = runtime.foreign(ForeignMemory { address, bytes: BYTES, owner });
        let sum = add_one(&runtime, &there).unwrap();
        drop(there);
        assert_eq!(fake.opened(), 1, "work is to read it yet");
        if !late {
            assert_eq!(first_of(&runtime, &sum).unwrap(), 6);
            runtime.synchronize().unwrap();
            assert_eq!(fake.opened(), 0);
        }
        // What is never used is closed as well.
        drop(runtime.open_allocation(&shared.handle).unwrap());
        drop((values, sum, _first));
        closed(&fake, runtime);
    }
}
