//! The parent: starts children, hands out cases one at a time, and outlives what they do.
//!
//! A child that dies, hangs or outgrows its memory costs the case it was at and nothing else: another
//! child takes the rest. Memory is watched by the kernel's high-water mark, not by an address-space
//! limit, because GPU runtimes reserve far more addresses than they use.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::manifest::Case;
use crate::worker::{Fault, MARK, Reply, Request, Run};

/// What one case may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time of one case.
    pub time: Duration,
    /// Memory of the process that runs it.
    pub bytes: u64,
}

/// How children are started.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The binary, normally the one that is running; one for another CPU follows its emulator.
    pub program: Vec<PathBuf>,
    /// Device to open.
    pub device: String,
    /// Folder of the cases.
    pub folder: PathBuf,
    /// Children at a time.
    pub jobs: usize,
    /// Limits of a case.
    pub limits: Limits,
    /// Faults for tests.
    pub faults: Vec<(Fault, String)>,
}

/// Why nothing can be run at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The device did not open.
    #[error("device {device} does not open: {reason}")]
    Device {
        /// Its name.
        device: String,
        /// The engine's words.
        reason: String,
    },
    /// The process did not start, or died before it was ready.
    #[error("a worker for {device} does not start: {reason}")]
    Start {
        /// The device.
        device: String,
        /// What happened.
        reason: String,
    },
}

/// Runs the cases in this order; the result has one entry a case, in the order of `cases`.
pub fn run(
    workers: &Workers,
    cases: &[&Case],
    order: &[usize],
    keep: bool,
) -> Result<Vec<Option<Run>>, RunError> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Run>>> = Mutex::new(vec![None; cases.len()]);
    let fatal: Mutex<Option<RunError>> = Mutex::new(None);
    // A poisoned lock means a panic in another thread of ours; the data is whole all the same.
    std::thread::scope(|scope| {
        for _ in 0..workers.jobs.clamp(1, order.len().max(1)) {
            scope.spawn(|| {
                let mut worker = None;
                while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(workers, &mut worker, cases[index], keep) {
                        Ok(run) => {
                            done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(run);
                        }
                        Err(error) => {
                            next.store(order.len(), Ordering::Relaxed);
                            *fatal.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    }
                }
            });
        }
    });
    match fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Starts a worker and ends it: whether the device opens.
pub fn try_to_start(workers: &Workers) -> Result<(), RunError> {
    Worker::start(workers).map(drop)
}

fn one(
    workers: &Workers,
    slot: &mut Option<Worker>,
    case: &Case,
    keep: bool,
) -> Result<Run, RunError> {
    let mut worker = match slot.take() {
        Some(worker) => worker,
        None => Worker::start(workers)?,
    };
    match worker.ask(case, keep, workers.limits) {
        Ok(run) => {
            // Memory that the engine keeps for later must not be charged to the next case.
            if worker.memory("VmRSS:").is_none_or(|bytes| bytes < workers.limits.bytes / 2) {
                *slot = Some(worker);
            }
            Ok(run)
        }
        Err(lost) => Ok(Run::failed(worker.obituary(&lost))),
    }
}

/// How a child was lost.
enum Lost {
    Died,
    TimeOut(Duration),
    Memory(u64),
}

struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    replies: Receiver<Reply>,
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    fn start(workers: &Workers) -> Result<Self, RunError> {
        let failed = |reason: String| RunError::Start { device: workers.device.clone(), reason };
        let Some((program, of_emulator)) = workers.program.split_first() else {
            return Err(failed("there is no program".to_owned()));
        };
        let mut command = Command::new(program);
        command.args(of_emulator);
        command.arg("--worker").arg("--device").arg(&workers.device);
        command.arg("--cases").arg(&workers.folder);
        for (fault, id) in &workers.faults {
            command.arg("--fault").arg(format!("{}={id}", fault.name()));
        }
        // Fresh memory full of NaNs: a result that reads uninitialized memory cannot look right. A user who sets it otherwise has
        // a tool that knows what was written.
        if std::env::var_os("NDANY_POISON").is_none() {
            command.env("NDANY_POISON", "1");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("its streams are not piped".to_owned()));
        };
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let reply =
                    line.strip_prefix(MARK).and_then(|text| serde_json::from_str(text).ok());
                if let Some(reply) = reply
                    && sender.send(reply).is_err()
                {
                    break;
                }
            }
        });
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&last_words);
        std::thread::spawn(move || listen(errors, &heard));
        let mut worker = Self { child, input: Some(input), replies, last_words };
        match worker.replies.recv_timeout(Duration::from_secs(120)) {
            Ok(Reply::Ready) => Ok(worker),
            Ok(Reply::Closed(reason)) => {
                Err(RunError::Device { device: workers.device.clone(), reason })
            }
            Ok(Reply::Done(_)) => Err(failed("it answered before it was asked".to_owned())),
            Err(_) => Err(failed(worker.obituary(&Lost::Died))),
        }
    }

    fn ask(&mut self, case: &Case, keep: bool, limits: Limits) -> Result<Run, Lost> {
        let archive = case.arrays.archive().map(str::to_owned);
        let request = Request { case: case.raw.clone(), archive, keep };
        let mut text = serde_json::to_string(&request).map_err(|_| Lost::Died)?;
        text.push('\n');
        let input = self.input.as_mut().ok_or(Lost::Died)?;
        input.write_all(text.as_bytes()).map_err(|_| Lost::Died)?;
        let start = Instant::now();
        loop {
            let reply = self.replies.recv_timeout(Duration::from_millis(10));
            // The high-water mark never falls, and was below the limit before this case.
            if let Some(bytes) = self.memory("VmHWM:").filter(|&bytes| bytes > limits.bytes) {
                return Err(Lost::Memory(bytes));
            }
            match reply {
                Ok(Reply::Done(run)) => return Ok(run),
                Ok(Reply::Ready | Reply::Closed(_)) => {}
                Err(RecvTimeoutError::Timeout) if start.elapsed() > limits.time => {
                    return Err(Lost::TimeOut(limits.time));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Lost::Died),
            }
        }
    }

    /// A line of the kernel's account of the process, in bytes; `None` where there is no such account.
    fn memory(&self, line: &str) -> Option<u64> {
        let status = Path::new("/proc").join(self.child.id().to_string()).join("status");
        let text = std::fs::read_to_string(status).ok()?;
        let rest = text.lines().find_map(|found| found.strip_prefix(line))?;
        Some(rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
    }

    /// Ends the child and says what became of it.
    fn obituary(&mut self, lost: &Lost) -> String {
        if !matches!(lost, Lost::Died) {
            let _ = self.child.kill();
        }
        let status = self.child.wait();
        let fate = match (lost, status) {
            (Lost::Died, Ok(status)) => format!("the process crashed: {status}"),
            (Lost::Died, Err(error)) => format!("the process crashed: {error}"),
            (Lost::TimeOut(time), _) => format!("no answer in {} s", time.as_secs_f64()),
            (Lost::Memory(bytes), _) => format!("outgrew its memory: {} MiB", bytes >> 20),
        };
        // Its stream is read by another thread, which may lag.
        std::thread::sleep(Duration::from_millis(20));
        let heard = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&heard);
        match words.trim() {
            "" => fate,
            words => format!("{fate}; it said: {words}"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An end of input is its sign to leave; the wait has an end, because it may not see it. A tool that the child
        // runs under may need seconds for its last words.
        drop(self.input.take());
        for _ in 0..2000 {
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => return,
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps the end of what a child says on its error stream.
fn listen(mut errors: impl Read, heard: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(&buffer[..count]);
        let surplus = heard.len().saturating_sub(1000);
        heard.drain(..surplus);
    }
}
