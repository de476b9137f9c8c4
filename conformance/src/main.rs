//! The runner's command line. It only reads arguments, writes reports and sets the exit code.
//!
//! Exit codes: 0 all well, 1 something failed, 2 nothing could be run.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use ndany_conformance::manifest::{self, Case, ManifestError};
use ndany_conformance::report::{Report, html, json, text};
use ndany_conformance::supervisor::{Limits, RunError, Workers};
use ndany_conformance::worker::{self, Fault};
use ndany_conformance::{choose, known, suite};

const USAGE: &str = "\
Replays golden cases on a device of ndany and judges the results.

usage: ndany-conformance [--device NAME] [--cases DIR] [options]

  --device NAME     device to judge, such as cpu, reference, cuda:0 (default: cpu)
  --against NAME    second device: demand equal bits of both
  --cases DIR       folder with manifests (default: the project's own)
  --report FILE     write an HTML page
  --json FILE       write every case as JSON
  --filter TEXT     only cases whose id contains TEXT; if given several times, one of the texts is enough
  --take N          only N of the cases that each filter matches, spread evenly over them
  --jobs N          worker processes (default: one a CPU core for CPUs, else one)
  --known FILE      list of known failures (default: the project's own)
  --seconds N       time of one case (default: 60)
  --mebibytes N     memory of one worker (default: 1024)
";

struct Options {
    device: String,
    against: Option<String>,
    cases: PathBuf,
    report: Option<PathBuf>,
    json: Option<PathBuf>,
    filters: Vec<String>,
    take: Option<usize>,
    jobs: Option<usize>,
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
    #[error("no case matches {0}")]
    NothingMatches(String),
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, MainError> {
    let Some(options) = parse()? else {
        print!("{USAGE}");
        return Ok(true);
    };
    if options.worker {
        let Options { device, cases: folder, faults, .. } = options;
        worker::serve(&worker::Options { device, folder, faults })?;
        return Ok(true);
    }
    let start = Instant::now();
    let all = manifest::load(&options.cases)?;
    let cases: Vec<&Case> = choose::choose(&all, &options.filters, options.take)
        .map_err(|filter| MainError::NothingMatches(format!("the filter {filter:?}")))?;
    if cases.is_empty() {
        return Err(MainError::NothingMatches("anything: there are none".to_owned()));
    }
    let known = known::load(&options.known)?;
    let program = std::env::current_exe()?;
    let workers = |device: &str| Workers {
        program: program.clone(),
        device: device.to_owned(),
        folder: options.cases.clone(),
        jobs: options.jobs.unwrap_or_else(|| jobs_for(device)),
        limits: options.limits,
        faults: options.faults.clone(),
    };
    let first = workers(&options.device);
    let results = suite::run(&first, &cases, &known)?;
    let against = match &options.against {
        None => None,
        Some(device) => {
            let second = workers(device);
            let others = suite::run(&second, &cases, &known)?;
            let comparison = suite::compare([&first, &second], &cases, [&results, &others])?;
            Some((device.as_str(), others, comparison))
        }
    };
    let folder = options.cases.display().to_string();
    let report = Report {
        device: &options.device,
        folder: &folder,
        results: &results,
        against: against
            .as_ref()
            .map(|(device, others, comparison)| (*device, others.as_slice(), comparison)),
        seconds: start.elapsed().as_secs_f64(),
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
        device: "cpu".to_owned(),
        against: None,
        cases: home.join("golden"),
        report: None,
        json: None,
        filters: Vec::new(),
        take: None,
        jobs: None,
        known: home.join("known-failures.json"),
        limits: Limits { time: Duration::from_secs(60), bytes: 1 << 30 },
        worker: false,
        faults: Vec::new(),
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("device") => options.device = parser.value()?.string()?,
            Long("against") => options.against = Some(parser.value()?.string()?),
            Long("cases") => options.cases = parser.value()?.into(),
            Long("report") => options.report = Some(parser.value()?.into()),
            Long("json") => options.json = Some(parser.value()?.into()),
            Long("filter") => options.filters.push(parser.value()?.string()?),
            Long("take") => options.take = Some(parser.value()?.parse()?),
            Long("jobs") => options.jobs = Some(parser.value()?.parse()?),
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
    Ok(Some(options))
}
