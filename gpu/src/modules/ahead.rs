//! Compilation on threads of its own, while the caller goes on.
//!
//! A thread is started when there is something to compile and ends when there was nothing for a while, so that a process which
//! has compiled what it needs has none of them. Compilers that lock (NVRTC) serve one thread each: all but the first thread have
//! a copy of their own.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ndany_kernels::Source;

use crate::driver::{CompileError, Compiler};
use crate::process::{self, Busy};

/// Machine code that a thread is compiling, or has compiled.
#[derive(Debug, Default)]
pub(super) struct Image {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug, Default)]
enum State {
    /// No thread compiles it.
    #[default]
    None,
    Compiling(Arc<Source>),
    Compiled(Arc<Source>, Result<Arc<[u8]>, CompileError>),
}

/// The promise to compile a text: dropped unfulfilled, nobody waits for it any longer.
pub(super) struct Promise {
    image: Arc<Image>,
    source: Arc<Source>,
}

impl Image {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text that is being compiled, or is.
    pub(super) fn source(&self) -> Option<Arc<Source>> {
        match &*self.state() {
            State::None => None,
            State::Compiling(source) | State::Compiled(source, _) => Some(source.clone()),
        }
    }

    /// Begins a compilation, unless it has begun.
    pub(super) fn begin(self: &Arc<Self>, source: &Arc<Source>) -> Option<Promise> {
        let mut state = self.state();
        if !matches!(*state, State::None) {
            return None;
        }
        *state = State::Compiling(source.clone());
        Some(Promise { image: self.clone(), source: source.clone() })
    }

    /// Waits for the compilation that has begun, if one has.
    pub(super) fn wait(&self) -> Option<Result<Arc<[u8]>, CompileError>> {
        let compiling = |state: &mut State| matches!(state, State::Compiling(_));
        let state = self.done.wait_while(self.state(), compiling);
        match &*state.unwrap_or_else(PoisonError::into_inner) {
            State::Compiled(_, image) => Some(image.clone()),
            _ => None,
        }
    }

    /// Forgets the machine code: it is loaded, or no good.
    pub(super) fn forget(&self) {
        *self.state() = State::None;
    }

    fn set(&self, state: State) {
        *self.state() = state;
        self.done.notify_all();
    }
}

impl Promise {
    /// Compiles.
    pub(super) fn fulfil(self, compile: impl FnOnce(&Source) -> Result<Vec<u8>, CompileError>) {
        let image = compile(&self.source).map(Arc::from);
        self.image.set(State::Compiled(self.source.clone(), image));
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let compiling = matches!(*self.image.state(), State::Compiling(_));
        if compiling {
            self.image.set(State::None);
        }
    }
}

/// Something to compile.
struct Task {
    /// Bytes of the text. Those with most of them take longest, so they begin first: what begins last should be short.
    bytes: usize,
    /// Tasks before it. Of equal ones the first begins first.
    number: Reverse<u64>,
    run: Box<Compile>,
}

/// Compiles with a thread's compiler.
type Compile = dyn FnOnce(&dyn Compiler) + Send;

impl Task {
    fn rank(&self) -> (usize, Reverse<u64>) {
        (self.bytes, self.number)
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Task {}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// How long a thread waits for more to compile; then it gives the memory of its compiler back.
const LINGER: Duration = Duration::from_secs(2);

/// Threads that compile.
#[derive(Default)]
pub(super) struct Threads {
    /// How many there may be.
    limit: usize,
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<Tasks>,
    added: Condvar,
}

#[derive(Default)]
struct Tasks {
    waiting: BinaryHeap<Task>,
    /// Tasks that there have been.
    count: u64,
    threads: usize,
}

impl Queue {
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles what there is.
    fn work(&self, compiler: &dyn Compiler, linger: Duration) {
        loop {
            let none = |tasks: &mut Tasks| tasks.waiting.is_empty();
            let waited = self.added.wait_timeout_while(self.tasks(), linger, none);
            let (mut tasks, _) = waited.unwrap_or_else(PoisonError::into_inner);
            // While the process ends, libraries are taken down.
            let busy = Busy::begin();
            let Some((task, _busy)) = tasks.waiting.pop().zip(busy) else {
                tasks.waiting.clear();
                tasks.threads -= 1;
                return;
            };
            drop(tasks);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (task.run)(compiler)));
        }
    }
}

impl Threads {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, queue: Arc::default() }
    }

    /// Whether several texts can be compiled at once.
    pub(super) fn are_several(&self) -> bool {
        self.limit > 1
    }

    /// Compiles a text of `bytes` bytes on a thread as soon as one is free. A thread beside others is started when two texts wait, because it may have to
    /// open a compiler first.
    pub(super) fn submit(
        &self,
        compiler: &Arc<dyn Compiler>,
        bytes: usize,
        task: impl FnOnce(&dyn Compiler) + Send + 'static,
    ) {
        let mut tasks = self.queue.tasks();
        let number = Reverse(tasks.count);
        tasks.count += 1;
        tasks.waiting.push(Task { bytes, number, run: Box::new(task) });
        self.queue.added.notify_one();
        let first = tasks.threads == 0;
        if !first && (tasks.waiting.len() < 2 || tasks.threads >= self.limit) {
            return;
        }
        tasks.threads += 1;
        drop(tasks);
        let (queue, shared) = (self.queue.clone(), compiler.clone());
        let work = move || {
            let own = Busy::begin().filter(|_| !first).and_then(|_busy| shared.another());
            // The library is open by now.
            process::wait_at_exit();
            queue.work(own.as_deref().unwrap_or(&*shared), LINGER);
        };
        let named = std::thread::Builder::new().name("ndany-compile".to_string());
        if named.spawn(work).is_err() {
            // The caller is the thread.
            self.queue.work(&**compiler, Duration::ZERO);
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.queue.tasks().waiting.clear();
    }
}
