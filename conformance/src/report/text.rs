//! The tables in the terminal: a device after the other, one line a family, then the first failures; then how the
//! devices compare.
//!
//! Plain characters only; colour belongs to the page.

use std::fmt::Write;

use super::{Figures, Report, by_family};
use crate::suite::CaseResult;

const SHOWN: usize = 40;

/// The whole text.
pub fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    for (number, run) in report.runs.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        table(&mut out, &run.device, &run.results);
    }
    for (device, comparison) in report.comparisons() {
        let _ = writeln!(
            out,
            "\n{device} against {}: {} cases compared bit for bit, {} differ, {} without a result on \
             both, {} vendor calls left out",
            report.with(),
            comparison.compared,
            comparison.differing.len(),
            comparison.without_result,
            comparison.excluded,
        );
        for (id, text) in comparison.differing.iter().take(SHOWN) {
            let _ = writeln!(out, "  {id}\n      {text}");
        }
        more(&mut out, comparison.differing.len());
    }
    let verdict = if report.fails() { "FAILED" } else { "ok" };
    let _ = writeln!(out, "\n{verdict} in {:.1} s", report.seconds);
    out
}

fn table(out: &mut String, device: &str, results: &[CaseResult]) {
    let families = by_family(results);
    let width = families.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(device.len());
    let _ = writeln!(
        out,
        "{device:<width$}  {:>7} {:>7} {:>11} {:>9}",
        "passed", "failed", "unsupported", "ms"
    );
    let mut line = |name: &str, figures: Figures| {
        let _ = writeln!(
            out,
            "{name:<width$}  {:>7} {:>7} {:>11} {:>9.1}",
            figures.passed, figures.failed, figures.unsupported, figures.ms
        );
    };
    families.iter().for_each(|&(name, figures)| line(name, figures));
    let total = Figures::of(results);
    line("total", total);
    if total.known > 0 {
        let _ = writeln!(out, "{} of the failures are known", total.known);
    }
    let failures: Vec<&CaseResult> = results.iter().filter(|r| r.fails_the_run()).collect();
    for result in failures.iter().take(SHOWN) {
        let _ = writeln!(out, "  {}\n      {}", result.id, result.message);
    }
    more(out, failures.len());
}

fn more(out: &mut String, count: usize) {
    if count > SHOWN {
        let _ = writeln!(out, "  … and {} more: see the report", count - SHOWN);
    }
}
