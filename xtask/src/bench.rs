//! Times the workloads of `examples/workloads.rs` and the same in NumPy, one after the other on this
//! machine, and prints both with their ratio.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Runs both sides and prints the table. `python` is an interpreter that has NumPy.
pub(crate) fn run(device: &str, python: &str) -> Result<(), String> {
    let ours = times(
        Command::new("cargo").args([
            "run",
            "--release",
            "--quiet",
            "--example",
            "workloads",
            "--",
            "--device",
            device,
        ]),
        "ndany",
    )?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/numpy_workloads.py");
    let theirs = times(Command::new(python).arg(script), "numpy")?;
    println!("{:<26} {:>12} {:>12} {:>8}", "workload (ms)", "ndany", "numpy", "ratio");
    for (name, mine) in &ours {
        if let Some(peer) = theirs.get(name) {
            println!("{name:<26} {mine:>12.5} {peer:>12.5} {:>7.2}x", peer / mine);
        }
    }
    Ok(())
}

/// The JSON lines of a command: workload and milliseconds.
fn times(command: &mut Command, who: &str) -> Result<BTreeMap<String, f64>, String> {
    let output = command.output().map_err(|error| format!("{who} does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{who} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| {
            let field = |key: &str| {
                let (_, rest) = line.split_once(&format!("\"{key}\": "))?;
                Some(rest.trim_end_matches('}').split(',').next()?.trim_matches('"').to_string())
            };
            let parsed = field("w").zip(field(who).and_then(|time| time.parse().ok()));
            parsed.ok_or_else(|| format!("{who} printed {line:?}"))
        })
        .collect()
}
