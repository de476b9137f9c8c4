//! The page for a person: one file without outside assets, readable in light and dark.
//!
//! Order of the page: what matters most first. The verdict and its figures, then the failures with
//! what was expected and what came, then operation × dtype, then families, then what is unsupported.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Figures, Report, by_family, column};
use crate::host::Dtype;
use crate::suite::CaseResult;
use crate::worker::Status;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
pub fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    let verdict = if report.fails() { "failed" } else { "passed" };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>ndany on {device}: {verdict}</title>\n<style>\n{STYLE}</style></head>\n<body>\n\
         <header><h1>ndany conformance <span class=\"verdict {verdict}\">{verdict}</span></h1>\n\
         <p>Device <b>{device}</b>, cases of <code>{folder}</code>, {seconds:.1} s. Every case ran \
         twice, in two orders, on poisoned memory.</p></header>\n",
        device = escape(report.device),
        folder = escape(report.folder),
        seconds = report.seconds,
    );
    summary(&mut out, Figures::of(report.results));
    if let Some((device, results, comparison)) = report.against {
        let _ = writeln!(
            out,
            "<section><h2>Against {}</h2><p>{} cases compared bit for bit (any NaN equals any NaN), \
             <b>{} differ</b>; {} without a result on both, {} vendor-library calls left out.</p>",
            escape(device),
            comparison.compared,
            comparison.differing.len(),
            comparison.without_result,
            comparison.excluded,
        );
        if !comparison.differing.is_empty() {
            out.push_str("<table class=\"cases\"><tr><th>case<th>first difference</tr>\n");
            for (id, text) in &comparison.differing {
                let _ = writeln!(
                    out,
                    "<tr class=\"row\"><td><code>{}</code><td>{}</tr>",
                    escape(id),
                    escape(text)
                );
            }
            out.push_str("</table>\n");
        }
        let theirs = Figures::of(results);
        let _ = writeln!(
            out,
            "<p>{} alone: {} passed, {} failed, {} unsupported.</p></section>",
            escape(device),
            theirs.passed,
            theirs.failed,
            theirs.unsupported
        );
    }
    out.push_str(
        "<p class=\"filter\"><label>Filter <input id=\"filter\" type=\"search\" \
         placeholder=\"operation, dtype, id, words of a message\"></label> \
         <span id=\"count\"></span></p>\n",
    );
    let (known, new): (Vec<_>, Vec<_>) = report
        .results
        .iter()
        .filter(|result| result.status == Status::Failed)
        .partition(|result| result.known.is_some());
    cases(&mut out, "Failures", &new, true);
    matrix(&mut out, report.results);
    families(&mut out, report.results);
    cases(&mut out, "Known failures", &known, false);
    let unsupported: Vec<_> =
        report.results.iter().filter(|result| result.status == Status::Unsupported).collect();
    cases(&mut out, "Unsupported", &unsupported, false);
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body></html>\n");
    out
}

fn summary(out: &mut String, figures: Figures) {
    let total = figures.total().max(1) as f64;
    out.push_str("<section class=\"figures\">");
    for (name, count) in [
        ("passed", figures.passed),
        ("failed", figures.failed),
        ("unsupported", figures.unsupported),
    ] {
        let _ = write!(
            out,
            "<div class=\"figure {name}\"><b>{count}</b><span>{name}</span><i>{:.1} %</i></div>",
            100.0 * count as f64 / total
        );
    }
    out.push_str("</section>\n<div class=\"bar\">");
    for (name, count) in [
        ("passed", figures.passed),
        ("failed", figures.failed),
        ("unsupported", figures.unsupported),
    ] {
        let _ = write!(out, "<i class=\"{name}\" style=\"flex:{count}\"></i>");
    }
    out.push_str("</div>\n");
    if figures.known > 0 {
        let _ = writeln!(out, "<p>{} of the failures are known.</p>", figures.known);
    }
}

/// A list of cases; open when it is what the reader came for.
fn cases(out: &mut String, title: &str, results: &[&CaseResult], open: bool) {
    if results.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<details{}><summary><h2>{title} ({})</h2></summary>\n\
         <table class=\"cases\"><tr><th>case<th>what is wrong</tr>\n",
        if open { " open" } else { "" },
        results.len()
    );
    for result in results {
        let known =
            result.known.as_deref().map(|why| format!("<p class=\"why\">{}</p>", escape(why)));
        let _ = writeln!(
            out,
            "<tr class=\"row\"><td><code>{}</code><span class=\"tags\">{} {}</span><td>{}{}</tr>",
            escape(&result.id),
            escape(&result.op),
            escape(&result.dtypes.join(", ")),
            message(&result.message),
            known.unwrap_or_default(),
        );
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

/// Operation × dtype, each cell coloured by its worst case.
fn matrix(out: &mut String, results: &[CaseResult]) {
    let mut cells: BTreeMap<(&str, &str), Figures> = BTreeMap::new();
    for result in results {
        cells.entry((&result.op, column(result))).or_default().add(result);
    }
    let operations: BTreeSet<&str> = cells.keys().map(|&(op, _)| op).collect();
    let columns: Vec<&str> = Dtype::ALL
        .iter()
        .map(|dtype| dtype.name())
        .chain(["mixed", "none"])
        .filter(|name| cells.keys().any(|(_, column)| column == name))
        .collect();
    out.push_str(
        "<section><h2>Operation × dtype</h2><div class=\"wide\"><table class=\"matrix\"><tr><th>",
    );
    for name in &columns {
        let _ = write!(out, "<th><span>{name}</span>");
    }
    out.push_str("</tr>\n");
    for op in operations {
        let _ = write!(out, "<tr class=\"row\"><th><code>{}</code>", escape(op));
        for column in &columns {
            match cells.get(&(op, *column)) {
                None => out.push_str("<td>"),
                Some(figures) => {
                    let class = if figures.failed > figures.known {
                        "failed"
                    } else if figures.failed > 0 {
                        "known"
                    } else if figures.passed > 0 && figures.unsupported > 0 {
                        "partly"
                    } else if figures.unsupported > 0 {
                        "unsupported"
                    } else {
                        "passed"
                    };
                    let text = if figures.passed == figures.total() {
                        figures.total().to_string()
                    } else {
                        format!("{}/{}", figures.passed, figures.total())
                    };
                    let _ = write!(
                        out,
                        "<td class=\"{class}\" title=\"{} {column}: {} passed, {} failed, {} \
                         unsupported\">{text}",
                        escape(op),
                        figures.passed,
                        figures.failed,
                        figures.unsupported
                    );
                }
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div></section>\n");
}

fn families(out: &mut String, results: &[CaseResult]) {
    out.push_str(
        "<section><h2>Families</h2><table class=\"families\"><tr><th>family<th>passed<th>failed\
         <th>unsupported<th>ms</tr>\n",
    );
    for (name, figures) in by_family(results) {
        let mark = |count: usize, class: &str| {
            if count == 0 { String::new() } else { format!(" class=\"{class}\"") }
        };
        let _ = writeln!(
            out,
            "<tr class=\"row\"><td>{}<td{}>{}<td{}>{}<td{}>{}<td>{:.1}</tr>",
            escape(name),
            mark(figures.passed, "passed"),
            figures.passed,
            mark(figures.failed, "failed"),
            figures.failed,
            mark(figures.unsupported, "unsupported"),
            figures.unsupported,
            figures.ms
        );
    }
    out.push_str("</table></section>\n");
}

fn escape(text: &str) -> String {
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
