//! Waiting for work on other threads without taking up any other work meanwhile.

/// Runs `work` on a thread of its own and waits for it; `false`, and `work` has not run, where the system gives no
/// thread.
///
/// For backends that hand work to a pool of rayon. A caller that is itself a worker of rayon would take up its own
/// pool's other jobs while it waits for the pool's answer. Such a job may need a lock that the caller holds, or the
/// very array that it is computing, and then it waits for itself. A thread that is no worker just sleeps.
///
/// A panic of `work` goes on in the caller.
pub fn apart(work: &mut (dyn FnMut() + Send)) -> bool {
    std::thread::scope(|scope| {
        let Ok(thread) = std::thread::Builder::new().spawn_scoped(scope, work) else {
            return false;
        };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_elsewhere_and_panics_come_back() {
        let (here, mut there) = (std::thread::current().id(), None);
        assert!(apart(&mut || there = Some(std::thread::current().id())));
        assert!(there.is_some_and(|there| there != here));
        let panic =
            std::panic::catch_unwind(|| apart(&mut || std::panic::resume_unwind(Box::new(7))));
        assert_eq!(panic.expect_err("it panics").downcast_ref(), Some(&7));
    }
}
