//! Dry runs: kernels are compiled, and nothing else happens on the device.

use std::sync::Condvar;
use std::time::Duration;

use ndany_core::dry_run::DryRun;

use super::*;
use crate::fake::FakeCompilerAfter;

fn ahead() -> Settings {
    Settings { compile_threads: 2, ..Settings::default() }
}

/// How many texts were compiled.
#[derive(Default)]
struct Compiled {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Compiled {
    fn compiler(self: &Arc<Self>) -> Box<dyn Compiler> {
        let counts = self.clone();
        Box::new(FakeCompilerAfter(move |_: &str| {
            *counts.count.lock().unwrap() += 1;
            counts.changed.notify_all();
        }))
    }

    /// Waits until so many were.
    fn wait_for(&self, count: usize) {
        let fewer = |own: &mut usize| *own < count;
        let waited = self.changed.wait_timeout_while(
            self.count.lock().unwrap(),
            Duration::from_secs(20),
            fewer,
        );
        assert_eq!(*waited.unwrap().0, count);
    }
}

#[test]
fn a_dry_run_compiles_and_makes_no_call() {
    let (fake, compiled) = (device(), Arc::<Compiled>::default());
    let opened = Runtime::with(Box::new(fake.clone()), Ok(compiled.compiler()), ahead());
    let runtime = opened.unwrap();
    assert!(runtime.compiles_ahead());
    let (live, calls) = (runtime.pool_statistics(), fake.total());
    {
        let _run = DryRun::begin().unwrap();
        let values = array(&runtime, 1).unwrap();
        let values = add_one(&runtime, &values).unwrap();
        let memories: [&dyn Memory; 1] = [&*values];
        let job = Job::begin(&runtime, memories, [], &[], None).unwrap();
        let scratch = job.cleared(BYTES).unwrap();
        assert_ne!(scratch.address(), values.address());
        let mut bytes = [7; BYTES];
        runtime.read(&values, 0, &mut bytes).unwrap();
        assert_eq!(bytes, [0; BYTES], "there are no elements");
        assert!(runtime.deferred_if_launched(|_| unreachable!()).unwrap().is_none());
        runtime.synchronize().unwrap();
        // What it does not ask for is refused.
        let error = runtime.checked().call("record", |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("a dry run makes no call"), "{error}");
    }
    compiled.wait_for(1);
    assert!(fake.launched().is_empty());
    // The driver may have been asked how much memory there is.
    assert!(fake.total() <= calls + 1, "{} calls", fake.total() - calls);
    assert_eq!(runtime.pool_statistics(), live);
    // A launch takes what was asked for.
    let values = add_one(&runtime, &array(&runtime, 1).unwrap()).unwrap();
    assert_eq!(first_of(&runtime, &values).unwrap(), 2);
    compiled.wait_for(1);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn memory_of_a_dry_run_is_refused_after_it() {
    let fake = device();
    let runtime = open(&fake, ahead()).unwrap();
    let (kept, made) = {
        let _run = DryRun::begin().unwrap();
        let kept = runtime.allocate(BYTES).unwrap();
        let made = add_one(&runtime, &kept).unwrap();
        (kept, made)
    };
    for memory in [&kept, &made] {
        let refused = [
            add_one(&runtime, memory).map(drop),
            runtime.read(memory, 0, &mut [0; BYTES]),
            launch(&runtime, "add_one", &array(&runtime, 1).unwrap(), memory),
        ];
        for error in refused {
            let error = error.unwrap_err().to_string();
            assert!(error.contains("an array of a dry run has no elements"), "{error}");
        }
    }
    assert!(fake.launched().is_empty());
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn a_dry_run_leaves_what_is_put_off() {
    let (fake, compiled) = (device(), Arc::<Compiled>::default());
    fake.teach("other", |_, _| {});
    let opened = Runtime::with(Box::new(fake.clone()), Ok(compiled.compiler()), ahead());
    let runtime = opened.unwrap();
    let start = array(&runtime, 1).unwrap();
    let values = add_one(&runtime, &start).unwrap();
    {
        let _run = DryRun::begin().unwrap();
        let from = runtime.allocate(BYTES).unwrap();
        launch(&runtime, "other", &from, &runtime.allocate(BYTES).unwrap()).unwrap();
        runtime.read(&from, 0, &mut [0; BYTES]).unwrap();
    }
    compiled.wait_for(2);
    assert!(fake.launched().is_empty(), "nobody has read yet");
    assert_eq!(first_of(&runtime, &values).unwrap(), 2);
    assert_eq!(fake.launched().len(), 1);
}

#[test]
fn an_error_of_a_kernel_that_was_asked_for_is_that_of_its_launch() {
    let fake = device();
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    {
        let _run = DryRun::begin().unwrap();
        let to = runtime.allocate(BYTES).unwrap();
        launch(&runtime, "refuse", &to, &to).unwrap();
    }
    runtime.synchronize().unwrap();
    for _ in 0..2 {
        let to = runtime.allocate(BYTES).unwrap();
        launch(&runtime, "refuse", &start, &to).unwrap();
        let error = first_of(&runtime, &to).unwrap_err().to_string();
        assert!(error.contains("line 1: refused"), "{error}");
    }
    assert_eq!(first_of(&runtime, &add_one(&runtime, &start).unwrap()).unwrap(), 2);
}

#[test]
fn a_device_without_threads_that_compile_has_no_dry_runs() {
    assert!(!runtime(&device()).compiles_ahead());
}
