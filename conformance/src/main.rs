//! The runner's command line. It only reads arguments, writes reports and sets the exit code.
//!
//! Exit codes: 0 all well, 1 something failed, 2 nothing could be run.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use ndany_conformance::manifest::{self, ManifestError};
use ndany_conformance::report::{Report, html, json, text};
use ndany_conformance::supervisor::{Limits, RunError, Workers};
use ndany_conformance::worker::{self, Fault};
use ndany_conformance::{choose, command, known, suite};

const USAGE: &str = "\
Replays golden cases on devices of ndany and judges the results.

usage: ndany-conformance [--device NAME]... [--cases DIR] [options]

  --device NAME     device to judge, such as cpu, reference, cuda:0, or all that there are: all
                    (default: cpu); of several, equal bits with the first are demanded
  --against NAME    device whose bits the others must have, in the first one's place
  --cases DIR       folder with manifests (default: the project's own)
  --report FILE     write an HTML page
  --json FILE       write every case as JSON
  --filter TEXT     only cases whose id contains TEXT; may be repeated: one of the texts is enough
  --every N         only every N-th of those that each filter matches, always the same
  --whole TEXT      and besides those whose id contains TEXT, may be repeated
  --jobs N          worker processes (default: one a CPU core for CPUs, else one)
  --program FILE    this runner, built for another CPU: it runs the cases of each --device, and those of --against run here
  --emulator FILE   what that program is started with
  --known FILE      list of known failures (default: the project's own)
  --seconds N       time of one case (default: 60)
  --mebibytes N     memory of one worker (default: 1024)
";

struct Options {
    devices: Vec<String>,
    against: Option<String>,
    cases: PathBuf,
    report: Option<PathBuf>,
    json: Option<PathBuf>,
    filters: Vec<String>,
    every: usize,
    whole: Vec<String>,
    jobs: Option<usize>,
    program: Option<PathBuf>,
    emulator: Option<PathBuf>,
    known: PathBuf,
    limits: Limits,
    /// Hidden: serve cases on standard input.
    worker: bool,
    /// Hidden: misbehave at a case (`crash=ID`), for tests of the runner.
    faults: Vec<(Fault, String)>,
}

#[derive(Debug, thiserror::Error)]
enum MainError {
    #[error("{0}")]
    Arguments(#[from] lexopt::Error),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Known(#[from] known::KnownError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("no case matches the filter {0:?}")]
    NothingMatches(String),
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

fn main() -> ExitCode {
    command::exit(run())
}

fn run() -> Result<bool, MainError> {
    let Some(options) = parse()? else {
        print!("{USAGE}");
        return Ok(true);
    };
    if options.worker {
        let Options { devices, cases: folder, faults, .. } = options;
        let device = devices.into_iter().next().unwrap_or_default();
        worker::serve(&worker::Options { device, folder, faults })?;
        return Ok(true);
    }
    let start = Instant::now();
    let all = manifest::load(&options.cases)?;
    let cases = choose::choose(&all, &options.filters, options.every, &options.whole)
        .map_err(MainError::NothingMatches)?;
    let known = known::load(&options.known)?;
    let this = vec![std::env::current_exe()?];
    let other: Vec<PathBuf> = options.emulator.into_iter().chain(options.program).collect();
    let compared = options.against.is_some();
    let (names, baseline) = devices(options.devices, options.against);
    let workers: Vec<Workers> = names
        .into_iter()
        .enumerate()
        .map(|(position, device)| Workers {
            program: match other.is_empty() || (compared && position == baseline) {
                true => this.clone(),
                false => other.clone(),
            },
            folder: options.cases.clone(),
            jobs: options.jobs.unwrap_or_else(|| jobs_for(&device)),
            device,
            limits: options.limits,
            faults: options.faults.clone(),
        })
        .collect();
    let runs = suite::run_all(&workers, baseline, &cases, &known)?;
    let report = Report {
        folder: &options.cases.display().to_string(),
        runs: &runs,
        baseline,
        seconds: start.elapsed().as_secs_f64(),
        machine: &ndany::Device::reports(),
    };
    let write = |path: &PathBuf, text: String| {
        std::fs::write(path, text).map_err(|source| MainError::Write { path: path.clone(), source })
    };
    if let Some(path) = &options.report {
        write(path, html::render(&report))?;
    }
    if let Some(path) = &options.json {
        write(path, format!("{:#}\n", json::render(&report)))?;
    }
    print!("{}", text::render(&report));
    Ok(!report.fails())
}

/// The devices to run, each once, and which of them the others are compared with.
fn devices(asked: Vec<String>, against: Option<String>) -> (Vec<String>, usize) {
    let mut names: Vec<String> = Vec::new();
    for name in asked {
        let found = if name == "all" { ndany::Device::all() } else { vec![name] };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() {
        names.push("cpu".to_owned());
    }
    // A device against itself runs twice: it must repeat its bits.
    let alone = names.len() == 1;
    let baseline = match against {
        None => 0,
        Some(name) => match names.iter().position(|other| *other == name) {
            Some(position) if !alone => position,
            Some(_) | None => {
                names.push(name);
                names.len() - 1
            }
        },
    };
    (names, baseline)
}

/// Cases of a GPU share its memory, so one worker at a time there.
fn jobs_for(device: &str) -> usize {
    match device.split(':').next() {
        Some("cpu" | "reference") => std::thread::available_parallelism().map_or(1, |n| n.get()),
        Some(_) | None => 1,
    }
}

fn parse() -> Result<Option<Options>, lexopt::Error> {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut options = Options {
        devices: Vec::new(),
        against: None,
        cases: home.join("golden"),
        report: None,
        json: None,
        filters: Vec::new(),
        every: 1,
        whole: Vec::new(),
        jobs: None,
        program: None,
        emulator: None,
        known: home.join("known-failures.json"),
        limits: Limits { time: Duration::from_secs(60), bytes: 1 << 30 },
        worker: false,
        faults: Vec::new(),
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("device") => options.devices.push(parser.value()?.string()?),
            Long("against") => options.against = Some(parser.value()?.string()?),
            Long("cases") => options.cases = parser.value()?.into(),
            Long("report") => options.report = Some(parser.value()?.into()),
            Long("json") => options.json = Some(parser.value()?.into()),
            Long("filter") => options.filters.push(parser.value()?.string()?),
            Long("every") => options.every = command::positive(&mut parser)?,
            Long("whole") => options.whole.push(parser.value()?.string()?),
            Long("jobs") => options.jobs = Some(parser.value()?.parse()?),
            Long("program") => options.program = Some(parser.value()?.into()),
            Long("emulator") => options.emulator = Some(parser.value()?.into()),
            Long("known") => options.known = parser.value()?.into(),
            Long("seconds") => {
                options.limits.time = parser.value()?.parse_with(|text| {
                    let seconds = text.parse().map_err(|_| "not a number of seconds")?;
                    Duration::try_from_secs_f64(seconds).map_err(|_| "not a number of seconds")
                })?;
            }
            Long("mebibytes") => {
                let mebibytes: u32 = parser.value()?.parse()?;
                options.limits.bytes = u64::from(mebibytes) << 20;
            }
            Long("worker") => options.worker = true,
            Long("fault") => {
                let fault = parser.value()?.parse_with(|text| {
                    let (kind, id) = text.split_once('=').ok_or("expected KIND=ID")?;
                    let fault = Fault::from_name(kind).ok_or("unknown kind of fault")?;
                    Ok::<_, &str>((fault, id.to_owned()))
                })?;
                options.faults.push(fault);
            }
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if options.emulator.is_some() && options.program.is_none() {
        return Err("--emulator needs a --program to run".into());
    }
    Ok(Some(options))
}
