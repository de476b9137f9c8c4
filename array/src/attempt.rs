//! Errors of calls: raised as panics, or caught by [`attempt`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ndany_core::{Error, Result};

thread_local! {
    /// How many scopes of [`attempt`] this thread is in.
    static SCOPES: Cell<u32> = const { Cell::new(0) };
}

/// Leaves the innermost scope of [`attempt`] with the error, or panics with it where there is none.
///
/// The short forms of functions raise in one place only, after the form with errors as values has returned: no lock is
/// held, and nothing is half written.
#[track_caller]
#[cold]
pub(crate) fn raise(error: Error) -> ! {
    // Where a panic aborts nothing can be caught, and the message must not be lost.
    if cfg!(panic = "unwind") && SCOPES.get() > 0 {
        // No message and no backtrace: the error is a value for the caller of the scope.
        resume_unwind(Box::new(error))
    }
    panic!("{error}")
}

/// Runs a function and returns the first error that a call of this crate raises in it on this thread.
///
/// It is what `?` after each call would do, operators included. A program that is built with `panic = "abort"` uses
/// [`checked`](crate::checked) in its place.
///
/// - **Errors**: what a call in `work` raises; any other panic goes on.
///
/// ```
/// use ndany::{Array, Device, attempt};
/// # let _guard = Device::open("reference")?.enter();
/// let mean_of_product = |a: &Array, b: &Array| attempt(|| a.matmul(b).mean(..));
/// let (a, b) = (Array::from([[1.0, 2.0]]), Array::from([3.0, 4.0]));
/// assert_eq!(mean_of_product(&a, &b)?.item::<f64>()?, 11.0);
/// let error = mean_of_product(&b, &a).expect_err("2 rows are needed, not 1");
/// assert_eq!(error.class(), "ValueError");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T> {
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            SCOPES.set(SCOPES.get() - 1);
        }
    }
    SCOPES.set(SCOPES.get() + 1);
    let scope = Scope;
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(scope);
    outcome.or_else(|payload| match payload.downcast::<Error>() {
        Ok(error) => Err(*error),
        Err(other) => resume_unwind(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Device};

    #[test]
    fn the_innermost_scope_gets_the_first_error() -> Result<()> {
        let _guard = Device::open("reference")?.enter();
        let (two, three) = (Array::from([1, 2]), Array::from([1, 2, 3]));
        let reached = Cell::new("nothing");
        let outcome = attempt(|| {
            let inner = attempt(|| &two + &three);
            assert_eq!(inner.expect_err("2 and 3").class(), "ValueError");
            reached.set("the first");
            let _ = two.reshape([5]);
            reached.set("the second");
        });
        assert_eq!(outcome.expect_err("2 into 5").class(), "ValueError");
        assert_eq!(reached.get(), "the first");
        assert_eq!(SCOPES.get(), 0);
        assert_eq!(attempt(|| &two + 1)?.to_vec::<i32>()?, [2, 3]);
        Ok(())
    }

    #[test]
    fn a_panic_of_another_kind_goes_on() {
        let outcome = catch_unwind(|| attempt(|| panic!("no error of a call")));
        let payload = outcome.expect_err("it panicked");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"no error of a call"));
        assert_eq!(SCOPES.get(), 0);
        // Outside of scopes an error of a call is a panic with its message.
        let outcome = catch_unwind(|| {
            let _guard = Device::open("reference").expect("always there").enter();
            Array::from([1, 2]).reshape([5])
        });
        let payload = outcome.expect_err("it panicked");
        assert!(payload.downcast_ref::<String>().is_some_and(|text| text.starts_with("[reshape]")));
    }
}
