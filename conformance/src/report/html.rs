//! The page for a person: one file without outside assets, readable in light and dark.
//!
//! Order of the page: what matters most first. The verdict and its figures, then where devices differ, then the
//! failures with what was expected and what came, then operation × dtype, then families, then what is
//! unsupported. Devices stand side by side throughout.

use std::fmt::Write;

use super::{Figures, Report, tables};
use crate::suite::CaseResult;
use crate::worker::Status;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
pub fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    let verdict = if report.fails() { "failed" } else { "passed" };
    let devices = report.devices().join(", ");
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>ndany on {devices}: {verdict}</title>\n<style>\n{STYLE}</style></head>\n<body>\n\
         <header><h1>ndany conformance <span class=\"verdict {verdict}\">{verdict}</span></h1>\n\
         <p>On <b>{devices}</b>, cases of <code>{folder}</code>, {seconds:.1} s. Every case ran \
         twice, in two orders, on poisoned memory.</p></header>\n",
        devices = escape(&devices),
        folder = escape(report.folder),
        seconds = report.seconds,
    );
    out.push_str("<div class=\"devices\">\n");
    for run in report.runs {
        summary(&mut out, &run.device, Figures::of(&run.results));
    }
    out.push_str("</div>\n");
    differences(&mut out, report);
    out.push_str(
        "<p class=\"filter\"><label>Filter <input id=\"filter\" type=\"search\" \
         placeholder=\"operation, dtype, id, words of a message\"></label> \
         <span id=\"count\"></span></p>\n",
    );
    let failed = |result: &CaseResult| result.status == Status::Failed && result.known.is_none();
    cases(&mut out, report, "Failures", true, failed);
    tables::matrix(&mut out, report);
    tables::families(&mut out, report);
    let known = |result: &CaseResult| result.status == Status::Failed && result.known.is_some();
    cases(&mut out, report, "Known failures", false, known);
    let unsupported = |result: &CaseResult| result.status == Status::Unsupported;
    cases(&mut out, report, "Unsupported", false, unsupported);
    machine(&mut out, report);
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body></html>\n");
    out
}

fn summary(out: &mut String, device: &str, figures: Figures) {
    let total = figures.total().max(1) as f64;
    let parts = [
        ("passed", figures.passed),
        ("failed", figures.failed),
        ("unsupported", figures.unsupported),
    ];
    let _ = write!(out, "<section><h2>{}</h2><div class=\"figures\">", escape(device));
    for (name, count) in parts {
        let _ = write!(
            out,
            "<div class=\"figure {name}\"><b>{count}</b><span>{name}</span><i>{:.1} %</i></div>",
            100.0 * count as f64 / total
        );
    }
    out.push_str("</div>\n<div class=\"bar\">");
    for (name, count) in parts {
        let _ = write!(out, "<i class=\"{name}\" style=\"flex:{count}\"></i>");
    }
    out.push_str("</div>\n");
    if figures.known > 0 {
        let _ = writeln!(out, "<p>{} of the failures are known.</p>", figures.known);
    }
    out.push_str("</section>\n");
}

/// What each backend found: a device that a reader misses is missing for a reason that stands here.
fn machine(out: &mut String, report: &Report<'_>) {
    out.push_str("<details><summary>What the machine has</summary>\n");
    for found in report.machine {
        let _ = writeln!(out, "<pre>{}</pre>", escape(&found.to_string()));
    }
    out.push_str("</details>\n");
}

/// Where the bits of devices differ.
fn differences(out: &mut String, report: &Report<'_>) {
    if report.runs.len() < 2 {
        return;
    }
    let _ = writeln!(out, "<section><h2>Bits compared with {}</h2>", escape(report.with()));
    for (device, comparison) in report.comparisons() {
        let _ = writeln!(
            out,
            "<p>{}: {} cases compared (any NaN equals any NaN), <b>{} differ</b>; {} without a result \
             on both, {} vendor-library calls left out.</p>",
            escape(device),
            comparison.compared,
            comparison.differing.len(),
            comparison.without_result,
            comparison.excluded,
        );
    }
    if report.comparisons().any(|(_, comparison)| !comparison.differing.is_empty()) {
        out.push_str("<table class=\"cases\"><tr><th>case<th>first difference</tr>\n");
        for (device, comparison) in report.comparisons() {
            for (id, text) in &comparison.differing {
                let _ = writeln!(
                    out,
                    "<tr class=\"row\"><td><code>{}</code><span class=\"tags\">{}</span><td>{}</tr>",
                    escape(id),
                    escape(device),
                    escape(text)
                );
            }
        }
        out.push_str("</table>\n");
    }
    out.push_str("</section>\n");
}

/// The cases of which this holds on some device, a column a device; open when they are what the reader came for.
fn cases(
    out: &mut String,
    report: &Report<'_>,
    title: &str,
    open: bool,
    holds: impl Fn(&CaseResult) -> bool,
) {
    let found: Vec<_> =
        report.cases().filter(|case| case.iter().any(|result| holds(result))).collect();
    if found.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<details{}><summary><h2>{title} ({})</h2></summary>\n\
         <table class=\"cases\"><tr><th>case",
        if open { " open" } else { "" },
        found.len()
    );
    for device in report.devices() {
        let _ = write!(out, "<th>{}", escape(device));
    }
    out.push_str("</tr>\n");
    for case in found {
        let _ = write!(
            out,
            "<tr class=\"row\"><td><code>{}</code><span class=\"tags\">{} {}</span>",
            escape(&case[0].id),
            escape(&case[0].op),
            escape(&case[0].dtypes.join(", ")),
        );
        for result in case {
            let known = result.known.as_deref();
            let known = known.map(|why| format!("<p class=\"why\">{}</p>", escape(why)));
            let text = match result.status {
                Status::Passed => "passed".to_owned(),
                Status::Failed | Status::Unsupported => message(&result.message),
            };
            let _ = write!(out, "<td>{text}{}", known.unwrap_or_default());
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></details>\n");
}

/// Expected and got on lines of their own, where the message has them.
fn message(text: &str) -> String {
    let Some((before, rest)) = text.split_once("expected ") else { return escape(text) };
    let Some((expected, got)) = rest.split_once(", got ") else { return escape(text) };
    format!(
        "{}<dl><dt>expected<dd>{}<dt>got<dd>{}</dl>",
        escape(before.trim_end_matches(": ")),
        escape(expected),
        escape(got)
    )
}

/// Text as the page may hold it.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cannot_break_the_page() {
        let text = message("<b>: expected \"1\", got <script>");
        assert_eq!(
            text,
            "&lt;b&gt;<dl><dt>expected<dd>&quot;1&quot;<dt>got<dd>&lt;script&gt;</dl>"
        );
    }
}
