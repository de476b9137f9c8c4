//! The run-time half as a whole, on the fake device: order, deferred errors, and failures of every call of the driver.
//!
//! The kernels here add one to words: `add_one(from, to, count)`, `may_fail(from, to, deferred error)`.

use ndany_core::backend::{Memory, Priority};

use super::*;
use crate::driver::DriverError;
use crate::fake::{Fake, FakeCompiler, Named};
use crate::job::Job;
use crate::memory::memory_of;
use crate::settings::PoolMode;
use crate::stream::GpuStream;

const WORDS: usize = 100;
const BYTES: usize = 8 * WORDS;

/// A device that knows the kernels of these tests.
fn device() -> Fake {
    let fake = Fake::new(1 << 30);
    let add_one = |space: &mut crate::fake::Space, words: &[u64]| {
        for k in 0..WORDS as u64 {
            let value = space.word(words[0] + 8 * k).wrapping_add(1);
            space.set(words[1] + 8 * k, &value.to_ne_bytes());
        }
    };
    fake.teach("add_one", add_one);
    fake.teach("may_fail", move |space, words| {
        let bad = space.word(words[0]);
        add_one(space, words);
        if bad >= 1000 {
            space.set(words[2], &bad.to_ne_bytes());
        }
    });
    fake
}

fn open(fake: &Fake, settings: Settings) -> Result<Arc<Runtime>> {
    Runtime::with(Box::new(fake.clone()), Ok(Box::new(FakeCompiler::default())), settings)
}

fn runtime(fake: &Fake) -> Arc<Runtime> {
    open(fake, Settings::default()).unwrap()
}

type Array = Arc<GpuMemory>;

fn array(runtime: &Arc<Runtime>, first: u64) -> Result<Array> {
    let memory = runtime.allocate(BYTES)?;
    let bytes: Vec<u8> = (0..WORDS as u64).flat_map(|k| (first + k).to_ne_bytes()).collect();
    runtime.write(&memory, &bytes)?;
    Ok(memory)
}

fn first_of(runtime: &Runtime, array: &Array) -> Result<u64> {
    let mut bytes = [0; BYTES];
    runtime.read(array, 0, &mut bytes)?;
    let word = |k: usize| u64::from_ne_bytes(bytes[8 * k..][..8].try_into().unwrap());
    assert!((0..WORDS).all(|k| word(k) == word(0) + k as u64), "all words are as the first");
    Ok(word(0))
}

fn add_one(runtime: &Arc<Runtime>, from: &Array) -> Result<Array> {
    let to = runtime.allocate(BYTES)?;
    launch(runtime, "add_one", from, &to)?;
    Ok(to)
}

/// Launches a kernel as a job that reads an array and writes one.
fn launch(runtime: &Arc<Runtime>, kernel: &'static str, from: &Array, to: &Array) -> Result<()> {
    let [from, to]: [&dyn Memory; 2] = [&**from, &**to];
    let job = Job::begin(runtime, [from], [to], &[], None)?;
    let places = [from, to].map(|memory| memory_of(memory).address());
    job.launch(&Named(kernel), 1, 128, &Arguments::of_places(places))
}

/// Launches a kernel that is part of no job.
fn launch_alone<const N: usize>(
    runtime: &Runtime,
    kernel: &'static str,
    words: [u64; N],
) -> Result<()> {
    let outcome = || Arc::new(runtime.outcome());
    runtime.launch(&Named(kernel), 1, 128, &Arguments::of_places(words), &outcome)
}

/// The place of an error: an index, which is the first word that a kernel writes.
fn deferred(runtime: &Arc<Runtime>) -> Result<DeferredError> {
    runtime.deferred(|words| Error::Index {
        op: "index",
        index: words[0] as isize,
        axis: 0,
        size: 1000,
    })
}

/// Adds one, and fails where the first word is 1000 or more.
fn may_fail(runtime: &Arc<Runtime>, from: &Array) -> Result<Array> {
    let to = runtime.allocate(BYTES)?;
    let deferred = deferred(runtime)?;
    let words = [from.address(), to.address(), deferred.address()];
    let reads: [&dyn Memory; 1] = [&**from];
    let job = Job::begin(runtime, reads, [&*to as &dyn Memory], &[], Some(deferred))?;
    job.launch(&Named("may_fail"), 1, 128, &Arguments::of_places(words))?;
    drop(job);
    Ok(to)
}

fn index_of(error: Error) -> isize {
    match error {
        Error::Index { index, .. } => index,
        other => panic!("not the deferred: {other}"),
    }
}

mod control;
mod deferred;
mod dry_run;
mod foreign;
mod injected;
mod order;
mod put_off;
mod sources;
