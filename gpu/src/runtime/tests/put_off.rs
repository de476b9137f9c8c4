//! Launches that are put off until threads have compiled their kernels.

use std::sync::Condvar;
use std::time::Duration;

use ndany_core::backend::{Origin, SimtArgument, SimtLaunch};
use ndany_core::simt::{self, Parameter, ParameterKind, Parts};
use ndany_core::{CallSite, DType};
use smallvec::smallvec;

use super::*;
use crate::GpuBackend;
use crate::fake::FakeCompilerAfter;

const NAMES: [&str; 3] = ["first", "second", "third"];

/// A device whose kernels add one, each under several names.
fn device_of(names: &[&'static str]) -> Fake {
    let fake = device();
    for name in names {
        fake.teach(name, |space, words| {
            for k in 0..WORDS as u64 {
                let value = space.word(words[0] + 8 * k).wrapping_add(1);
                space.set(words[1] + 8 * k, &value.to_ne_bytes());
            }
        });
    }
    fake
}

fn ahead() -> Settings {
    Settings { compile_threads: 3, ..Settings::default() }
}

/// Counts of texts that are compiled at the same time.
#[derive(Default)]
struct Together {
    compiling: Mutex<usize>,
    changed: Condvar,
    most: Mutex<usize>,
}

/// A compiler that returns once as many texts as [`NAMES`] are compiled at the same time, or after some time.
fn together(counts: &Arc<Together>) -> Box<dyn Compiler> {
    let counts = counts.clone();
    Box::new(FakeCompilerAfter(move |source: &str| {
        assert!(!source.contains("panic"), "a compiler that panics");
        let mut compiling = counts.compiling.lock().unwrap();
        *compiling += 1;
        let mut most = counts.most.lock().unwrap();
        *most = (*most).max(*compiling);
        drop(most);
        counts.changed.notify_all();
        let alone = |compiling: &mut usize| *compiling < NAMES.len();
        let patience = Duration::from_secs(if source.contains("alone") { 0 } else { 20 });
        drop(counts.changed.wait_timeout_while(compiling, patience, alone).unwrap());
    }))
}

fn next(runtime: &Arc<Runtime>, kernel: &'static str, from: &Array) -> Result<Array> {
    let to = runtime.allocate(BYTES)?;
    launch(runtime, kernel, from, &to)?;
    Ok(to)
}

#[test]
fn kernels_of_several_launches_are_compiled_at_once() {
    let (fake, counts) = (device_of(&NAMES), Arc::default());
    let runtime = Runtime::with(Box::new(fake.clone()), Ok(together(&counts)), ahead()).unwrap();
    let mut values = array(&runtime, 1).unwrap();
    for name in NAMES {
        values = next(&runtime, name, &values).unwrap();
    }
    assert!(fake.launched().is_empty(), "no launch waits for its kernel");
    assert_eq!(first_of(&runtime, &values).unwrap(), 4);
    assert_eq!(*counts.most.lock().unwrap(), 3);
    let entries: Vec<String> = fake.launched().iter().map(|one| one.entry.clone()).collect();
    assert_eq!(entries, NAMES, "in the order in which they were asked for");
    // What is compiled is launched at once.
    let more = next(&runtime, "second", &values).unwrap();
    assert_eq!(fake.launched().len(), 4);
    assert_eq!(first_of(&runtime, &more).unwrap(), 5);
    assert!(!runtime.deferred.any(), "outcomes that are known cost nothing");
    assert_eq!(fake.violations(), [""; 0]);
}

/// Launches a kernel of threads and blocks that reads an array and writes a new one.
#[track_caller]
fn next_by_threads(runtime: &Arc<Runtime>, name: &'static str, from: &Array) -> Result<Array> {
    let to = runtime.allocate(BYTES)?;
    let parameter = |name, writes| {
        let kind = ParameterKind::Array { dtype: DType::U64, rank: 1, writes };
        Parameter { name, kind }
    };
    let parameters = vec![parameter("from", false), parameter("to", true)];
    let kernel = simt::Kernel::new(Parts { name, parameters, ..Parts::default() });
    let argument = |memory| SimtArgument::Array { memory, offset: 0, shape: smallvec![WORDS] };
    let (location, dtype) = (CallSite::caller(), DType::U64);
    let launch = SimtLaunch {
        kernel: &Arc::new(kernel.unwrap()),
        grid: [1; 3],
        block: [128, 1, 1],
        arguments: smallvec![argument(&**from), argument(&*to)],
        origin: Origin { op: name, shape: &[WORDS], dtype, location, meaning: None },
    };
    crate::simt::run(runtime, &launch)?;
    drop(launch);
    Ok(to)
}

#[test]
fn kernels_of_threads_are_compiled_beside_others() {
    let fake = Fake::new(1 << 30);
    // The fake device calls a kernel by the end of its text. Each array is an address and an extent.
    fake.teach("}", |space, words| {
        for k in 0..WORDS as u64 {
            let value = space.word(words[0] + 8 * k).wrapping_add(1);
            space.set(words[2] + 8 * k, &value.to_ne_bytes());
        }
    });
    let counts = Arc::default();
    let runtime = Runtime::with(Box::new(fake.clone()), Ok(together(&counts)), ahead()).unwrap();
    let mut values = array(&runtime, 1).unwrap();
    for name in NAMES {
        values = next_by_threads(&runtime, name, &values).unwrap();
    }
    assert!(fake.launched().is_empty(), "no launch waits for its kernel");
    assert_eq!(first_of(&runtime, &values).unwrap(), 4);
    assert_eq!(*counts.most.lock().unwrap(), 3);
    let more = next_by_threads(&runtime, "second", &values).unwrap();
    assert_eq!(fake.launched().len(), 4, "what is compiled is launched at once");
    assert_eq!(first_of(&runtime, &more).unwrap(), 5);
    assert!(!runtime.deferred.any(), "outcomes that are known cost nothing");
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn a_kernel_of_threads_that_is_refused_fails_what_it_writes() {
    let fake = device_of(&NAMES);
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    let refused = next_by_threads(&runtime, "refuse", &start).unwrap();
    let after = next(&runtime, "first", &refused).unwrap();
    for values in [&refused, &after] {
        let error = first_of(&runtime, values).unwrap_err();
        assert!(matches!(&error, Error::Failed { op: "refuse", .. }), "{error:?}");
        assert!(error.to_string().contains("line 1: refused"), "{error}");
    }
    assert!(fake.launched().is_empty(), "nothing runs on what is not there");
    assert_eq!(first_of(&runtime, &next(&runtime, "first", &start).unwrap()).unwrap(), 2);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn memory_is_cleared_in_its_turn() {
    let fake = device_of(&NAMES);
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    let values = runtime.allocate(BYTES).unwrap();
    let memories: [&dyn Memory; 2] = [&*start, &*values];
    let job = Job::begin(&runtime, [memories[0]], [memories[1]], &[], None).unwrap();
    let places = |from: &Array| Arguments::of_places([from.address(), values.address()]);
    job.launch(&Named("first"), 1, 128, &places(&start)).unwrap();
    job.fill(values.address(), 0, BYTES).unwrap();
    drop(job);
    assert!(fake.launched().is_empty());
    let mut bytes = [1; BYTES];
    runtime.read(&values, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0; BYTES]);
}

#[test]
fn a_kernel_that_is_refused_fails_what_depends_on_it() {
    let fake = device_of(&NAMES);
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    let before = next(&runtime, "first", &start).unwrap();
    let refused = next(&runtime, "refuse", &before).unwrap();
    let after = next(&runtime, "second", &refused).unwrap();
    assert_eq!(first_of(&runtime, &before).unwrap(), 2);
    for values in [&refused, &after] {
        let error = first_of(&runtime, values).unwrap_err().to_string();
        assert!(error.contains("[compile] device fake:0 failed"), "{error}");
        assert!(error.contains("line 1: refused"), "{error}");
    }
    assert_eq!(fake.launched().len(), 1, "nothing runs on what is not there");
    runtime.synchronize().unwrap();
    // A failure is not kept.
    let again = next(&runtime, "second", &before).unwrap();
    assert_eq!(first_of(&runtime, &again).unwrap(), 3);
    let inherits = next(&runtime, "first", &refused).unwrap();
    assert!(first_of(&runtime, &inherits).is_err());
    drop((refused, after, inherits));
    assert!(!runtime.deferred.any());
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn an_error_that_nobody_reads_is_told_by_synchronize() {
    let fake = device_of(&[]);
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    drop(next(&runtime, "refuse", &start).unwrap());
    assert!(runtime.synchronize().unwrap_err().to_string().contains("refused"));
    runtime.synchronize().unwrap();
}

#[test]
fn a_compiler_that_panics_on_a_thread_is_asked_again_by_the_caller() {
    let fake = device_of(&["alone panic"]);
    let compiler = together(&Arc::default());
    let runtime = Runtime::with(Box::new(fake), Ok(compiler), ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    let values = next(&runtime, "alone panic", &start).unwrap();
    let read = std::panic::AssertUnwindSafe(|| first_of(&runtime, &values));
    let panic = std::panic::catch_unwind(read).unwrap_err();
    assert!(panic.downcast_ref::<&str>().is_some_and(|text| text.contains("panics")));
}

#[test]
fn a_device_that_others_see_puts_nothing_off() {
    let share: [fn(&Arc<Runtime>); 3] = [
        |runtime| drop(GpuStream::external(runtime, 77).unwrap()),
        |runtime| {
            let stream = GpuStream::new(runtime, Priority::Normal).unwrap();
            ndany_core::backend::Stream::native(&stream);
        },
        |runtime| {
            let (lent, stream_id) = (array(runtime, 1).unwrap(), runtime.streams().current());
            runtime.lend(&lent, stream_id, ndany_core::backend::Access::Read).unwrap();
        },
    ];
    for share in share {
        let fake = device_of(&NAMES);
        let runtime = open(&fake, ahead()).unwrap();
        let start = array(&runtime, 1).unwrap();
        let values = next(&runtime, "first", &start).unwrap();
        assert!(fake.launched().is_empty());
        share(&runtime);
        assert_eq!(fake.launched().len(), 1, "what was put off comes before");
        let values = next(&runtime, "second", &values).unwrap();
        assert_eq!(fake.launched().len(), 2);
        assert_eq!(first_of(&runtime, &values).unwrap(), 3);
    }
}

#[test]
fn what_the_driver_calls_a_device_puts_launches_off_still() {
    let fake = device_of(&NAMES);
    let compiler: Box<dyn Compiler> = Box::new(FakeCompiler::default());
    let backend = GpuBackend::with(Box::new(fake.clone()), Ok(compiler), ahead()).unwrap();
    let runtime = backend.runtime();
    let start = array(runtime, 1).unwrap();
    let values = next(runtime, "first", &start).unwrap();
    ndany_core::backend::Control::native(&backend);
    let values = next(runtime, "second", &values).unwrap();
    assert!(fake.launched().is_empty());
    assert_eq!(first_of(runtime, &values).unwrap(), 3);
}

#[test]
fn a_device_without_room_for_machine_code_puts_nothing_off() {
    let fake = device_of(&NAMES);
    let runtime = open(&fake, ahead()).unwrap();
    let start = array(&runtime, 1).unwrap();
    let _held = runtime.allocate(1000 << 20).unwrap();
    let values = next(&runtime, "first", &start).unwrap();
    assert_eq!(fake.launched().len(), 1);
    assert_eq!(first_of(&runtime, &values).unwrap(), 2);
}

#[test]
fn more_launches_than_are_put_off_are_right() {
    let fake = device_of(&NAMES);
    let runtime = open(&fake, ahead()).unwrap();
    let mut values = array(&runtime, 0).unwrap();
    for k in 0..200 {
        values = next(&runtime, NAMES[k % 3], &values).unwrap();
    }
    assert_eq!(first_of(&runtime, &values).unwrap(), 200);
    assert_eq!(runtime.pool_statistics().live, BYTES.next_multiple_of(512));
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn threads_that_find_a_kernel_on_disk_do_not_wait_for_each_other() {
    let name = format!("ndany-put-off-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let settings = Settings { cache: Some(folder.clone()), ..ahead() };
    for _ in 0..300 {
        let fake = device_of(&NAMES);
        let runtime = open(&fake, settings.clone()).unwrap();
        let start = array(&runtime, 1).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let values = next(&runtime, "first", &start).unwrap();
                    assert_eq!(first_of(&runtime, &values).unwrap(), 2);
                });
            }
        });
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn streams_and_threads_keep_their_order_while_kernels_come() {
    for _ in 0..20 {
        let fake = device_of(&NAMES);
        let runtime = open(&fake, ahead()).unwrap();
        let start = array(&runtime, 1).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (runtime, start) = (&runtime, &start);
                scope.spawn(move || {
                    let stream = GpuStream::new(runtime, Priority::Normal).unwrap();
                    let guard = stream.enter();
                    let values = next(runtime, NAMES[thread], start).unwrap();
                    let values = next(runtime, NAMES[(thread + 1) % 3], &values).unwrap();
                    drop(guard);
                    // Of another stream.
                    let values = next(runtime, NAMES[(thread + 2) % 3], &values).unwrap();
                    assert_eq!(first_of(runtime, &values).unwrap(), 4);
                });
            }
        });
        assert_eq!(fake.violations(), [""; 0]);
    }
}
