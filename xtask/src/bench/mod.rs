//! Times the workloads of `examples/workloads.rs` and the same in a peer, one process each, in turn on
//! this machine, and reports times, ratios and how near each is to the bandwidth of memory.
//!
//! A device may be the peer too: both run in one process then, in turn run by run.
//!
//! What the workloads are is said there and in `benches/`; this file runs them and reads their lines.

mod picture;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Peers that are Python's.
const PYTHON: [&str; 4] = ["numpy", "cupy", "torch", "jax"];

/// What to compare.
#[derive(Debug)]
pub(crate) struct Options {
    device: String,
    peer: String,
    folder: PathBuf,
    /// The built example, where it does not have to be built (or cannot be).
    binary: Option<PathBuf>,
    /// The example that has the workloads, and `benches/numpy_….py` beside it, where the peer is NumPy.
    workloads: String,
    /// Parts of the names of the workloads to time, instead of all.
    only: Option<String>,
    /// A Python that has the peer, where that is not the oracle's.
    python: Option<String>,
}

impl Options {
    /// From `[--device NAME] [--peer NAME] [--workloads NAME] [--only WORDS] [--out FOLDER] [--binary EXAMPLE]
    /// [--python PYTHON]`.
    pub(crate) fn parse(arguments: &[&str]) -> Result<Options, String> {
        let mut options = Options {
            device: "cpu:threads=2".to_string(),
            peer: "numpy".to_string(),
            folder: PathBuf::from("target/bench"),
            binary: None,
            workloads: "workloads".to_string(),
            only: None,
            python: None,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let value = rest.next().ok_or(format!("{argument} needs a value"))?;
            match *argument {
                "--device" => options.device = value.to_string(),
                "--peer" => options.peer = value.to_string(),
                "--out" => options.folder = PathBuf::from(value),
                "--binary" => options.binary = Some(PathBuf::from(value)),
                "--workloads" => options.workloads = value.to_string(),
                "--only" => options.only = Some(value.to_string()),
                "--python" => options.python = Some(value.to_string()),
                other => return Err(format!("unknown argument {other}")),
            }
        }
        if !PYTHON.contains(&options.peer.as_str()) && !options.is_device() {
            let peers = "there are numpy (CPU), cupy, torch, jax and devices such as cuda:0 (GPU)";
            return Err(format!("no peer {:?}; {peers}", options.peer));
        }
        Ok(options)
    }

    /// Whether the peer runs on a GPU.
    fn is_gpu(&self) -> bool {
        self.peer != "numpy"
    }

    /// Whether the peer is another device of ndany.
    fn is_device(&self) -> bool {
        self.peer.contains(':')
    }

    /// Whether it needs the oracle's Python.
    pub(crate) fn needs_python(&self) -> bool {
        self.python.is_none() && !self.is_device()
    }
}

/// A line of one side: a workload, its median time, and the bytes that it must at least move or the operations on floats
/// that it takes (0 where they are not what counts).
#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: String,
    milliseconds: f64,
    bytes: f64,
    flops: f64,
    /// The time of a peer that ran in the same process.
    peer: Option<f64>,
}

/// A workload on both sides.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    ours: f64,
    theirs: Option<f64>,
    /// Of the bandwidth that a copy reaches; `None` where memory is not what counts.
    bandwidth: Option<f64>,
    /// Operations a second, in 10^12, where they are what counts.
    teraflops: Option<f64>,
}

impl Row {
    /// How many times faster than the peer.
    fn ratio(&self) -> Option<f64> {
        self.theirs.map(|theirs| theirs / self.ours)
    }
}

/// Runs both sides, prints the table, writes `NAME.json` and `NAME.svg`. `python` has NumPy.
pub(crate) fn run(options: &Options, python: &str) -> Result<(), String> {
    let (example, script) = match options.is_gpu() {
        true => ("gpu_workloads", "gpu_workloads.py".to_string()),
        false => (options.workloads.as_str(), format!("numpy_{}.py", options.workloads)),
    };
    let mut ours = match &options.binary {
        Some(binary) => Command::new(binary),
        None => {
            let mut cargo = Command::new("cargo");
            cargo.args(["run", "--profile", "bench", "--quiet", "--example", example, "--"]);
            cargo
        }
    };
    ours.args(["--device", &options.device]);
    if options.is_device() {
        ours.args(["--peer", &options.peer]);
    }
    if let Some(words) = &options.only {
        // Memory's speed is measured by the copy.
        ours.args(["--only", &format!("{COPY},{words}")]);
    }
    let ours = lines(&mut ours, "ndany")?;
    let theirs = match options.is_device() {
        true => in_the_same_run(&ours),
        false => {
            let script = Path::new("benches").join(script);
            let mut theirs = Command::new(options.python.as_deref().unwrap_or(python));
            theirs.arg(script).args(options.is_gpu().then_some(&options.peer));
            lines(&mut theirs, &options.peer)?
        }
    };
    let rows = rows(&ours, &theirs)?;
    print(&rows, &options.peer);
    std::fs::create_dir_all(&options.folder).map_err(|error| error.to_string())?;
    let workloads = match options.workloads.as_str() {
        "workloads" => String::new(),
        other => format!("-{other}"),
    };
    let name =
        format!("{}-{}{workloads}", options.device, options.peer).replace([':', '=', ','], "-");
    for (suffix, text) in [
        ("json", json(&rows, &options.device, &options.peer)),
        ("svg", picture::draw(&rows, &options.device, &options.peer)),
    ] {
        let path = options.folder.join(format!("{name}.{suffix}"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// A peer's lines, from those of the run that timed it too.
fn in_the_same_run(ours: &[Line]) -> Vec<Line> {
    let timed = ours.iter().filter_map(|line| Some((line, line.peer?)));
    timed.map(|(line, milliseconds)| Line { milliseconds, ..line.clone() }).collect()
}

fn rows(ours: &[Line], theirs: &[Line]) -> Result<Vec<Row>, String> {
    let copy = ours.iter().find(|line| line.name.starts_with(COPY));
    if copy.is_none() && ours.iter().any(|line| line.bytes > 0.0) {
        return Err("ndany did not time a copy".to_string());
    }
    let bandwidth = copy.map_or(1.0, |copy| copy.bytes / copy.milliseconds);
    Ok(ours
        .iter()
        .map(|line| Row {
            name: line.name.clone(),
            ours: line.milliseconds,
            theirs: theirs.iter().find(|peer| peer.name == line.name).map(|peer| peer.milliseconds),
            bandwidth: (line.bytes > 0.0).then(|| line.bytes / line.milliseconds / bandwidth),
            teraflops: (line.flops > 0.0).then(|| line.flops / line.milliseconds / 1e9),
        })
        .collect())
}

/// The workload that says what memory can do.
const COPY: &str = "copy_f32";

fn print(rows: &[Row], peer: &str) {
    println!(
        "{:<28} {:>11} {peer:>11} {:>8} {:>12}",
        "workload (ms)", "ndany", "ratio", "bandwidth"
    );
    for row in rows {
        let theirs = row.theirs.map_or("-".to_string(), |time| format!("{time:.5}"));
        let ratio = row.ratio().map_or("-".to_string(), |ratio| format!("{ratio:.2}x"));
        let rate = match (row.bandwidth, row.teraflops) {
            (Some(part), _) => format!("{:.0} %", part * 100.0),
            (None, Some(rate)) => format!("{rate:.1} Tflop/s"),
            (None, None) => "-".to_string(),
        };
        println!("{:<28} {:>11.5} {theirs:>11} {ratio:>8} {rate:>12}", row.name, row.ours);
    }
    println!("geometric mean of the ratios: {:.2}x", geometric_mean(rows));
    let slower = rows.iter().filter(|row| row.ratio().is_some_and(|ratio| ratio < 0.95));
    let slower: Vec<&str> = slower.map(|row| row.name.as_str()).collect();
    match slower.as_slice() {
        [] => println!("none below 0.95x"),
        some => println!("below 0.95x: {}", some.join(", ")),
    }
}

/// Of all ratios but those of the smallest arrays, which show overhead and stand for themselves.
fn geometric_mean(rows: &[Row]) -> f64 {
    let large = rows.iter().filter(|row| !row.name.starts_with("tiny"));
    let logarithms: Vec<f64> = large.filter_map(Row::ratio).map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

fn json(rows: &[Row], device: &str, peer: &str) -> String {
    let number =
        |value: Option<f64>| value.map_or("null".to_string(), |value| format!("{value:.5}"));
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "  {{\"workload\": \"{}\", \"ndany_ms\": {:.5}, \"{peer}_ms\": {}, \"ratio\": {}, \"bandwidth\": {}, \"teraflops\": {}}}",
                row.name,
                row.ours,
                number(row.theirs),
                number(row.ratio()),
                number(row.bandwidth),
                number(row.teraflops)
            )
        })
        .collect();
    format!(
        "{{\"device\": \"{device}\", \"peer\": \"{peer}\", \"geometric_mean\": {:.4}, \"rows\": [\n{}\n]}}\n",
        geometric_mean(rows),
        lines.join(",\n")
    )
}

/// The JSON lines that a side prints: `{"w": name, "ms": time, "bytes": count}`, or `"flops"`, or neither.
fn lines(command: &mut Command, who: &str) -> Result<Vec<Line>, String> {
    let output = command.output().map_err(|error| format!("{who} does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{who} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| parse(line).ok_or_else(|| format!("{who} printed {line:?}"))).collect()
}

fn parse(line: &str) -> Option<Line> {
    let field = |key: &str| {
        let (_, rest) = line.split_once(&format!("\"{key}\": "))?;
        Some(rest.trim_end_matches('}').split(',').next()?.trim().trim_matches('"').to_string())
    };
    let count = |key: &str| field(key).map_or(Some(0.0), |count| count.parse().ok());
    Some(Line {
        name: field("w")?,
        milliseconds: field("ms")?.parse().ok()?,
        bytes: count("bytes")?,
        flops: count("flops")?,
        peer: field("peer_ms").and_then(|time| time.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_paired() {
        let ours = [
            parse("{\"w\": \"copy_f32_16M\", \"ms\": 2.0, \"bytes\": 100}").expect("a line"),
            parse("{\"w\": \"sum\", \"ms\": 1.0, \"bytes\": 50}").expect("a line"),
            parse("{\"w\": \"tiny_add\", \"ms\": 0.001}").expect("a line"),
            parse("{\"w\": \"matmul\", \"ms\": 2.0, \"flops\": 4e9}").expect("a line"),
        ];
        let theirs = [parse("{\"w\": \"sum\", \"ms\": 4.0}").expect("a line")];
        let rows = rows(&ours, &theirs).expect("there is a copy");
        assert_eq!(rows[1].ratio(), Some(4.0));
        assert_eq!(rows[1].bandwidth, Some(1.0));
        assert_eq!((rows[2].ratio(), rows[2].bandwidth), (None, None));
        assert_eq!((rows[3].bandwidth, rows[3].teraflops), (None, Some(2.0)));
        assert_eq!(geometric_mean(&rows), 4.0);
        assert!(parse("nonsense").is_none());
        assert!(picture::draw(&rows, "cpu", "numpy").contains("sum"));
    }

    #[test]
    fn a_device_is_timed_in_the_same_run() {
        let ours = [parse("{\"w\": \"copy_f32\", \"ms\": 2.0, \"peer_ms\": 1.0, \"bytes\": 100}")
            .expect("a line")];
        let rows = rows(&ours, &in_the_same_run(&ours)).expect("there is a copy");
        assert_eq!((rows[0].ours, rows[0].ratio()), (2.0, Some(0.5)));
    }

    #[test]
    fn unknown_arguments_are_refused() {
        assert!(Options::parse(&["--device", "cpu"]).is_ok());
        assert!(Options::parse(&["--device", "hip:0", "--peer", "cuda:0"]).is_ok());
        assert!(Options::parse(&["--peer", "abacus"]).is_err());
        assert!(Options::parse(&["--device"]).is_err());
        assert!(Options::parse(&["--speed", "9"]).is_err());
    }
}
