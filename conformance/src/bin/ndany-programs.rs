//! Runs the programs of `conformance/fuzz/programs.py` on devices: `programs.py 0 1000 | ndany-programs --device cpu`.
//!
//! Exit codes: 0 all well, 1 something failed, 2 nothing could be run.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Instant;

use lexopt::prelude::*;
use ndany_conformance::command;
use ndany_conformance::programs::{Configuration, Program};

const USAGE: &str = "\
Runs random programs, a line of JSON each on standard input, and compares what they read with NumPy's values
and between devices.

usage: programs.py FIRST COUNT | ndany-programs [--device NAME]... [--most N]

  --device NAME     a device, or `eager ` and a device, where every value is computed at once
                    (default: reference, cpu, cpu:threads=1, cpu:threads=8, cpu:level=v1, eager cpu)
  --most N          programs that fail before it ends (default: 3)
";

const DEVICES: [&str; 6] =
    ["reference", "cpu", "cpu:threads=1", "cpu:threads=8", "cpu:level=v1", "eager cpu"];

fn main() -> ExitCode {
    command::exit(run())
}

/// The devices and how many programs may fail; nothing if help is wanted.
fn parse() -> Result<Option<(Vec<String>, u64)>, lexopt::Error> {
    let (mut names, mut most) = (Vec::new(), 3);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("device") => names.push(parser.value()?.string()?),
            Long("most") => most = command::positive(&mut parser)? as u64,
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some((names, most)))
}

fn run() -> Result<bool, String> {
    let Some((mut names, most)) = parse().map_err(|error| error.to_string())? else {
        print!("{USAGE}");
        return Ok(true);
    };
    if names.is_empty() {
        names = DEVICES.map(str::to_owned).to_vec();
    }
    let all: Vec<Configuration> =
        names.iter().map(|name| Configuration::open(name)).collect::<Result<_, _>>()?;
    // A panic is an outcome, and is reported with its program.
    std::panic::set_hook(Box::new(|_| {}));
    let began = Instant::now();
    let mut sums = BTreeMap::from([("programs", 0), ("failed", 0), ("judged", 0), ("compared", 0)]);
    for line in std::io::stdin().lock().lines() {
        let program = Program::parse(&line.map_err(|error| error.to_string())?)?;
        let mut add = |what: &'static str, count: u64| *sums.entry(what).or_default() += count;
        add("programs", 1);
        match program.check(&all) {
            Ok(counts) => {
                add("judged", counts.judged);
                add("compared", counts.compared);
            }
            Err(report) => {
                add("failed", 1);
                eprintln!("{report}");
            }
        }
        if sums["failed"] >= most {
            eprintln!("{most} programs have failed: this ends here");
            break;
        }
    }
    if sums["programs"] == 0 {
        return Err("no programs on standard input".to_owned());
    }
    println!(
        "{} programs on {} configurations in {:.1} s: {} reads judged by NumPy's values, {} compared between configurations, \
         {} programs failed",
        sums["programs"],
        all.len(),
        began.elapsed().as_secs_f64(),
        sums["judged"],
        sums["compared"],
        sums["failed"]
    );
    Ok(sums["failed"] == 0)
}
