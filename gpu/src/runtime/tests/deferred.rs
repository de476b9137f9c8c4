//! Errors that kernels find: whose they are, when they come out, and what they cost.

use super::*;

/// A device that has done nothing yet, and what runs on it.
fn start() -> (Fake, Arc<Runtime>) {
    let fake = device();
    let runtime = runtime(&fake);
    (fake, runtime)
}

#[test]
fn an_error_is_returned_where_its_array_is_read() {
    let (_, runtime) = start();
    let (good, bad) = (array(&runtime, 1).unwrap(), array(&runtime, 1234).unwrap());
    let (fine, failed) = (may_fail(&runtime, &good).unwrap(), may_fail(&runtime, &bad).unwrap());
    let (from_fine, from_failed) =
        (add_one(&runtime, &fine).unwrap(), add_one(&runtime, &failed).unwrap());
    assert_eq!(index_of(first_of(&runtime, &from_failed).unwrap_err()), 1234);
    assert_eq!(first_of(&runtime, &from_fine).unwrap(), 3);
    assert_eq!(first_of(&runtime, &fine).unwrap(), 2);
    assert_eq!(first_of(&runtime, &bad).unwrap(), 1234, "what was read is none the worse");
    assert_eq!(index_of(first_of(&runtime, &failed).unwrap_err()), 1234, "and it stays");
    let late = add_one(&runtime, &failed).unwrap();
    assert_eq!(index_of(first_of(&runtime, &late).unwrap_err()), 1234, "known before a launch");
}

#[test]
fn the_first_error_counts() {
    let (_, runtime) = start();
    let start = array(&runtime, 2000).unwrap();
    let mut values = may_fail(&runtime, &start).unwrap();
    for _ in 0..5 {
        values = may_fail(&runtime, &values).unwrap();
    }
    assert_eq!(index_of(first_of(&runtime, &values).unwrap_err()), 2000);
}

#[test]
fn synchronize_reports_unread_errors_once() {
    let (_, runtime) = start();
    let bad = array(&runtime, 5000).unwrap();
    runtime.synchronize().unwrap();
    drop(may_fail(&runtime, &bad).unwrap());
    assert_eq!(index_of(runtime.synchronize().unwrap_err()), 5000, "though its array is gone");
    runtime.synchronize().unwrap();
    let failed = may_fail(&runtime, &bad).unwrap();
    assert!(first_of(&runtime, &failed).is_err());
    runtime.synchronize().unwrap();
}

#[test]
fn an_error_of_a_running_kernel_is_not_taken_for_success() {
    let (_, runtime) = start();
    let (from, to) = (array(&runtime, 3000).unwrap(), runtime.allocate(BYTES).unwrap());
    let deferred = deferred(&runtime).unwrap();
    runtime.begin(&[&from], &[&to], &[], Some(&deferred)).unwrap();
    // Another thread waits for the device while this one is between two launches.
    std::thread::scope(|scope| {
        scope.spawn(|| runtime.synchronize().unwrap());
    });
    let words = [from.address(), to.address(), deferred.address()];
    launch_alone(&runtime, "may_fail", words).unwrap();
    drop(deferred);
    assert_eq!(index_of(first_of(&runtime, &to).unwrap_err()), 3000);
}

#[test]
fn a_partial_write_keeps_errors() {
    let (_, runtime) = start();
    let (good, bad) = (array(&runtime, 1).unwrap(), array(&runtime, 1111).unwrap());
    let target = may_fail(&runtime, &bad).unwrap();
    let other = runtime.allocate(BYTES).unwrap();
    runtime.begin(&[&good], &[&target, &other], &[], None).unwrap();
    let words = [good.address(), other.address()];
    launch_alone(&runtime, "add_one", words).unwrap();
    assert_eq!(first_of(&runtime, &other).unwrap(), 2);
    assert_eq!(index_of(first_of(&runtime, &target).unwrap_err()), 1111);
}

#[test]
fn long_chains_of_what_may_fail_are_bounded() {
    let (fake, runtime) = start();
    let mut values = array(&runtime, 0).unwrap();
    for _ in 0..500 {
        values = may_fail(&runtime, &values).unwrap();
        assert!(values.deferred().as_ref().is_none_or(|set| set.len() <= 65));
    }
    assert!(fake.calls("wait_for_event") <= 500 / 32, "few of them waited");
    assert_eq!(first_of(&runtime, &values).unwrap(), 500);
    assert!(!runtime.deferred.any(), "all of them are known to be none");
    for _ in 0..501 {
        values = may_fail(&runtime, &values).unwrap();
    }
    assert_eq!(index_of(first_of(&runtime, &values).unwrap_err()), 1000);
}

#[test]
fn pending_errors_are_bounded() {
    let (fake, runtime) = start();
    let good = array(&runtime, 1).unwrap();
    let bad = array(&runtime, 7777).unwrap();
    drop(may_fail(&runtime, &bad).unwrap());
    for _ in 0..10_000 {
        drop(may_fail(&runtime, &good).unwrap());
    }
    let pages = fake.leaks()[0] - runtime.pool_statistics().reserved;
    assert!(pages <= 5000 * size_of::<ErrorWords>(), "{pages} bytes of words");
    assert_eq!(index_of(runtime.synchronize().unwrap_err()), 7777, "and none is forgotten");
}

#[test]
fn places_of_words_are_used_again_as_zeros() {
    let (fake, runtime) = start();
    let (good, bad) = (array(&runtime, 1).unwrap(), array(&runtime, 1234).unwrap());
    for _ in 0..300 {
        let failed = may_fail(&runtime, &bad).unwrap();
        assert!(first_of(&runtime, &failed).is_err());
        drop(failed);
        let fine = may_fail(&runtime, &good).unwrap();
        assert_eq!(first_of(&runtime, &fine).unwrap(), 2);
    }
    let pages = fake.leaks()[0] - runtime.pool_statistics().reserved;
    assert!(pages <= 8 * PAGE_BYTES, "{pages} bytes of words");
}

#[test]
fn errors_cross_streams() {
    let (_, runtime) = start();
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let bad = array(&runtime, 4321).unwrap();
    let failed = {
        let _guard = stream.enter();
        may_fail(&runtime, &bad).unwrap()
    };
    let derived = add_one(&runtime, &failed).unwrap();
    assert_eq!(index_of(first_of(&runtime, &derived).unwrap_err()), 4321);
}

/// Reads two arrays; what comes out is one more than the first.
fn of_both(runtime: &Arc<Runtime>, first: &Array, second: &Array) -> Result<Array> {
    let to = runtime.allocate(BYTES)?;
    runtime.begin(&[first, second], &[&to], &[], None)?;
    launch_alone(runtime, "add_one", [first.address(), to.address()])?;
    Ok(to)
}

#[test]
fn a_set_with_resolved_errors_is_not_taken_for_the_union() {
    let (_, runtime) = start();
    let (good, bad) = (array(&runtime, 1).unwrap(), array(&runtime, 1234).unwrap());
    let (first, second) = (may_fail(&runtime, &good).unwrap(), may_fail(&runtime, &good).unwrap());
    let sum = of_both(&runtime, &first, &second).unwrap();
    assert_eq!(first_of(&runtime, &first).unwrap(), 2, "settles one of the sum's two deferred");
    let failed = may_fail(&runtime, &bad).unwrap();
    let (one, other) =
        (of_both(&runtime, &sum, &failed).unwrap(), of_both(&runtime, &failed, &sum).unwrap());
    assert_eq!(index_of(first_of(&runtime, &one).unwrap_err()), 1234);
    assert_eq!(index_of(first_of(&runtime, &other).unwrap_err()), 1234);
    assert_eq!(first_of(&runtime, &sum).unwrap(), 3);
}

/// A launch of two outputs: the first is made of both arrays and may fail by the first one's value, the second is made
/// of the second array alone.
fn side_by_side(runtime: &Arc<Runtime>, from: &Array, other: &Array) -> Result<[Array; 2]> {
    let to = [runtime.allocate(BYTES)?, runtime.allocate(BYTES)?];
    let deferred = deferred(runtime)?;
    let made_of = [SmallVec::from_slice(&[0, 1]), SmallVec::from_slice(&[1])];
    runtime.begin(&[from, other], &[&to[0], &to[1]], &made_of, Some(&deferred))?;
    let words = [from.address(), to[0].address(), deferred.address()];
    launch_alone(runtime, "may_fail", words)?;
    launch_alone(runtime, "add_one", [other.address(), to[1].address()])?;
    Ok(to)
}

#[test]
fn an_output_beside_a_failing_one_is_none_the_worse() {
    let (_, runtime) = start();
    let (good, bad) = (array(&runtime, 1).unwrap(), array(&runtime, 1234).unwrap());
    // The launch fails by itself.
    let [first, second] = side_by_side(&runtime, &bad, &good).unwrap();
    assert_eq!(index_of(first_of(&runtime, &first).unwrap_err()), 1234);
    assert_eq!(first_of(&runtime, &second).unwrap(), 2);
    // What only one output reads has failed, before and after it is reported.
    let failed = may_fail(&runtime, &bad).unwrap();
    for _ in 0..2 {
        let [first, second] = side_by_side(&runtime, &failed, &good).unwrap();
        assert_eq!(index_of(first_of(&runtime, &first).unwrap_err()), 1234);
        assert_eq!(first_of(&runtime, &second).unwrap(), 2);
        let [first, second] = side_by_side(&runtime, &good, &failed).unwrap();
        assert_eq!(index_of(first_of(&runtime, &first).unwrap_err()), 1234);
        assert_eq!(index_of(first_of(&runtime, &second).unwrap_err()), 1234);
    }
}

#[test]
fn of_two_errors_the_first_operand_s_counts() {
    let (_, runtime) = start();
    let (one, two) = (array(&runtime, 1111).unwrap(), array(&runtime, 2222).unwrap());
    for read_first in [None, Some(0), Some(1)] {
        let failed = [may_fail(&runtime, &one).unwrap(), may_fail(&runtime, &two).unwrap()];
        if let Some(number) = read_first {
            assert!(first_of(&runtime, &failed[number]).is_err());
        }
        let forth = of_both(&runtime, &failed[0], &failed[1]).unwrap();
        let back = of_both(&runtime, &failed[1], &failed[0]).unwrap();
        assert_eq!(index_of(first_of(&runtime, &forth).unwrap_err()), 1111);
        assert_eq!(index_of(first_of(&runtime, &back).unwrap_err()), 2222);
        let both = of_both(&runtime, &back, &forth).unwrap();
        assert_eq!(index_of(first_of(&runtime, &both).unwrap_err()), 2222);
    }
}

#[test]
fn what_fails_over_failed_arrays_is_no_error_of_its_own() {
    let (_, runtime) = start();
    let bad = array(&runtime, 1111).unwrap();
    let failed = may_fail(&runtime, &bad).unwrap();
    // Fails too: its operand's words are not those of a result.
    drop(may_fail(&runtime, &failed).unwrap());
    assert_eq!(index_of(first_of(&runtime, &failed).unwrap_err()), 1111);
    drop(may_fail(&runtime, &failed).unwrap());
    runtime.synchronize().expect("its only error was reported");
}

/// Waits, and looks at all deferred errors, as a launch does where too many are pending.
fn resolve(runtime: &Arc<Runtime>) {
    let (pending, stream_id) = (runtime.deferred.pending(), runtime.streams.current());
    runtime.pool.wait(&runtime.checked, &runtime.streams).unwrap();
    let poll = |page, words: &mut _| runtime.poll(stream_id, page, words);
    runtime.deferred.resolve_all(pending, poll).unwrap();
}

/// Calls of the driver, of all kinds, and deferred errors that are kept.
fn calls_of_good_launches(runtime: &Arc<Runtime>, fake: &Fake) -> (usize, usize) {
    let good = array(runtime, 1).unwrap();
    let before = fake.total();
    for _ in 0..100 {
        let fine = may_fail(runtime, &good).unwrap();
        assert_eq!(first_of(runtime, &fine).unwrap(), 2);
    }
    (fake.total() - before, runtime.deferred.kept())
}

#[test]
fn unread_errors_cost_later_launches_nothing() {
    let (fake, runtime) = start();
    let bad = array(&runtime, 7777).unwrap();
    drop(may_fail(&runtime, &bad).unwrap());
    resolve(&runtime);
    calls_of_good_launches(&runtime, &fake);
    let (before, _) = calls_of_good_launches(&runtime, &fake);
    for _ in 0..20_000 {
        drop(may_fail(&runtime, &bad).unwrap());
    }
    resolve(&runtime);
    // The places of errors are cleared together, once.
    calls_of_good_launches(&runtime, &fake);
    let (calls, kept) = calls_of_good_launches(&runtime, &fake);
    assert_eq!(calls, before);
    assert!(kept <= 16, "{kept} errors and deferred are kept");
    assert_eq!(index_of(runtime.synchronize().unwrap_err()), 7777);
    runtime.synchronize().expect("one of them is reported, once");
    // Pages may lie directly one after the other; one call clears places of one page alone.
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn an_error_launched_after_the_wait_is_not_polled() {
    let (_, runtime) = start();
    let (from, to) = (array(&runtime, 3000).unwrap(), runtime.allocate(BYTES).unwrap());
    let deferred = deferred(&runtime).unwrap();
    runtime.begin(&[&from], &[&to], &[], Some(&deferred)).unwrap();
    let words = [from.address(), to.address(), deferred.address()];
    // A synchronize, step by step; another thread launches between its wait and its look.
    let pending = runtime.deferred.pending();
    runtime.pool.wait(&runtime.checked, &runtime.streams).unwrap();
    let stream_id = runtime.streams.current();
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    {
        let _guard = stream.enter();
        launch_alone(&runtime, "may_fail", words).unwrap();
    }
    drop(deferred);
    runtime
        .deferred
        .check_all(pending, |page, words| runtime.poll(stream_id, page, words))
        .expect("nothing was pending when it began to wait");
    runtime.pool.wait(&runtime.checked, &runtime.streams).unwrap();
    assert_eq!(index_of(first_of(&runtime, &to).unwrap_err()), 3000);
}
