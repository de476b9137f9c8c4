//! The child: opens a device once, then runs and judges one case a line, until its input ends.
//!
//! Requests and replies are JSON lines; replies carry a marker, so that whatever else is printed on
//! the same stream is passed over. A panic is caught and costs one case; a crash is the parent's to
//! notice. Nothing is retried here.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::arrays::Arrays;
use crate::compare::{Mismatch, Outcome, judge};
use crate::digest::digest;
use crate::engine::{self, Engine};
use crate::host::{Dtype, HostArray};
use crate::manifest::{Case, parse_case};

/// What a reply begins with.
pub const MARK: &str = "\u{1}ndany-reply ";

/// The three figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As expected, twice.
    Passed,
    /// Not as expected, or not repeatable.
    Failed,
    /// The engine says that it does not do this.
    Unsupported,
}

/// A request: one case, as the manifest has it.
#[derive(Serialize, Deserialize)]
pub struct Request {
    /// The case.
    pub case: serde_json::Value,
    /// The archive in the folder of the cases that holds its arrays; files do if there is none.
    pub archive: Option<String>,
    /// Send the arrays back too?
    pub keep: bool,
}

/// What the child says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// The device is open.
    Ready,
    /// It is not, and why.
    Closed(String),
    /// A case has run.
    Done(Run),
}

/// One run of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Judgement.
    pub status: Status,
    /// What is wrong or missing; empty when passed.
    pub message: String,
    /// Fingerprint of the outcome, where there is one.
    pub digest: Option<String>,
    /// Time of the call, without judging.
    pub ms: f64,
    /// The arrays, if they were asked for.
    pub kept: Vec<Kept>,
}

/// An array on its way to the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    dtype: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Kept {
    /// Back to an array.
    pub fn array(self) -> Option<HostArray> {
        HostArray::new(Dtype::from_name(&self.dtype)?, self.shape, self.bytes).ok()
    }
}

impl From<&HostArray> for Kept {
    fn from(array: &HostArray) -> Self {
        Self {
            dtype: array.dtype().name().to_owned(),
            shape: array.shape().to_vec(),
            bytes: array.bytes().to_vec(),
        }
    }
}

impl Run {
    /// A run that came to nothing.
    pub fn failed(message: String) -> Self {
        Self { status: Status::Failed, message, digest: None, ms: 0.0, kept: Vec::new() }
    }
}

/// Misbehaviour on demand, so that the parent's answers to it can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Abort the process.
    Crash,
    /// Never answer.
    Hang,
    /// Take memory without end.
    Grow,
    /// Panic.
    Panic,
    /// Give another result in every process.
    Flaky,
}

impl Fault {
    /// The fault of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "crash" => Fault::Crash,
            "hang" => Fault::Hang,
            "grow" => Fault::Grow,
            "panic" => Fault::Panic,
            "flaky" => Fault::Flaky,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Crash => "crash",
            Fault::Hang => "hang",
            Fault::Grow => "grow",
            Fault::Panic => "panic",
            Fault::Flaky => "flaky",
        }
    }
}

/// What a child is started with.
pub struct Options {
    /// Device to open.
    pub device: String,
    /// Folder of the cases.
    pub folder: PathBuf,
    /// Faults by case id.
    pub faults: Vec<(Fault, String)>,
}

/// Answers requests until the input ends.
pub fn serve(options: &Options) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let mut say = |reply: &Reply| -> std::io::Result<()> {
        let text = serde_json::to_string(reply).map_err(std::io::Error::other)?;
        // One write: what the engine prints cannot come in between.
        out.write_all(format!("\n{MARK}{text}\n").as_bytes())?;
        out.flush()
    };
    let engine = match Engine::open(&options.device) {
        Ok(engine) => engine,
        Err(reason) => return say(&Reply::Closed(reason)),
    };
    say(&Reply::Ready)?;
    let mut opened = Opened::new();
    for line in std::io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?).map_err(std::io::Error::other)?;
        say(&Reply::Done(answer(&engine, options, &mut opened, &request)))?;
    }
    Ok(())
}

/// The arrays of the folder, by the name of their archive: each is opened once, by the first case that needs it.
type Opened = HashMap<Option<String>, Arc<Arrays>>;

fn answer(engine: &Engine, options: &Options, opened: &mut Opened, request: &Request) -> Run {
    let arrays = match opened.entry(request.archive.clone()) {
        Entry::Occupied(arrays) => Arc::clone(arrays.get()),
        Entry::Vacant(place) => match Arrays::open(&options.folder, request.archive.as_deref()) {
            Ok(arrays) => Arc::clone(place.insert(Arc::new(arrays))),
            Err(error) => return Run::failed(error.to_string()),
        },
    };
    let case = match parse_case(&request.case, 0, &arrays) {
        Ok(case) => case,
        Err(error) => return Run::failed(error.to_string()),
    };
    let fault = options.faults.iter().find(|(_, id)| *id == case.id).map(|&(fault, _)| fault);
    // Unwind safety: a case that panicked leaves nothing but the engine, which must
    // withstand panics of its callers anyway.
    let work = AssertUnwindSafe(|| {
        misbehave(fault);
        run(engine, &case, request.keep)
    });
    let mut run = catch_unwind(work).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Run::failed(format!("panicked: {}", text.unwrap_or_default()))
    });
    if fault == Some(Fault::Flaky) {
        run.digest = run.digest.map(|digest| format!("{digest}-{}", std::process::id()));
    }
    run
}

fn run(engine: &Engine, case: &Case, keep: bool) -> Run {
    let start = Instant::now();
    let outcome = match engine.run(case) {
        Ok(outcome) => outcome,
        Err(error) => return Run::failed(error.to_string()),
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let judged = engine::wanted(case).and_then(|wanted| {
        let operand = engine::operand(case)?;
        Ok(judge(&case.op, operand.as_ref(), &outcome, &wanted, &case.tolerance))
    });
    let (status, message) = match judged {
        Ok(Ok(())) => match &outcome {
            // Asked for where two devices differ.
            Outcome::Error { message, .. } if keep => (Status::Passed, message.clone()),
            Outcome::Array(_)
            | Outcome::List(_)
            | Outcome::Error { .. }
            | Outcome::Unsupported(_) => (Status::Passed, String::new()),
        },
        Ok(Err(Mismatch::Unsupported(reason))) => (Status::Unsupported, reason),
        Ok(Err(mismatch)) => (Status::Failed, mismatch.to_string()),
        Err(error) => (Status::Failed, error.to_string()),
    };
    let kept = match &outcome {
        Outcome::Array(array) if keep => vec![array.into()],
        Outcome::List(arrays) if keep => arrays.iter().map(Kept::from).collect(),
        Outcome::Array(_) | Outcome::List(_) => Vec::new(),
        Outcome::Error { .. } | Outcome::Unsupported(_) => Vec::new(),
    };
    Run { status, message, digest: Some(digest(&outcome)), ms, kept }
}

fn misbehave(fault: Option<Fault>) {
    match fault {
        Some(Fault::Crash) => {
            eprintln!("asked to crash");
            std::process::abort();
        }
        Some(Fault::Hang) => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Some(Fault::Grow) => {
            let mut taken = Vec::new();
            loop {
                taken.push(vec![1u8; 1 << 20]);
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Some(Fault::Panic) => panic!("asked to panic"),
        Some(Fault::Flaky) | None => {}
    }
}
