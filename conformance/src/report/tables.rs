//! The tables of the page that count: operation × dtype, and families. Devices stand side by side in a cell.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::html::escape;
use super::{Figures, Report, by_family, column};
use crate::host::Dtype;

/// The figures of an operation and a dtype, device by device.
type Cells<'a> = BTreeMap<(&'a str, &'a str), Vec<Figures>>;

/// What is the worst of these cases, as a class of the page's style.
fn class(figures: &Figures) -> &'static str {
    if figures.failed > figures.known {
        "failed"
    } else if figures.failed > 0 {
        "known"
    } else if figures.passed > 0 && figures.unsupported > 0 {
        "partly"
    } else if figures.unsupported > 0 {
        "unsupported"
    } else {
        "passed"
    }
}

/// Whether devices have equal results here. Times do not count.
fn alike(devices: &[Figures]) -> bool {
    let counts = |figures: &Figures| (figures.passed, figures.failed, figures.unsupported);
    devices.iter().all(|figures| counts(figures) == counts(&devices[0]))
}

/// Operation × dtype, each cell coloured by its worst case: one cell where all devices fare alike, else one a device,
/// and operations of which there are such cells first.
pub(super) fn matrix(out: &mut String, report: &Report<'_>) {
    let devices = report.devices();
    let mut cells: Cells<'_> = BTreeMap::new();
    for (device, run) in report.runs.iter().enumerate() {
        for result in &run.results {
            let cell = cells.entry((&result.op, column(result)));
            let figures = cell.or_insert_with(|| vec![Figures::default(); devices.len()]);
            figures[device].add(result);
        }
    }
    let mut operations: Vec<(bool, &str)> = Vec::new();
    for (&(op, _), figures) in &cells {
        match operations.last_mut() {
            Some((same, last)) if *last == op => *same &= alike(figures),
            Some(_) | None => operations.push((alike(figures), op)),
        }
    }
    operations.sort();
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
    for (_, op) in operations {
        let _ = write!(out, "<tr class=\"row\"><th><code>{}</code>", escape(op));
        for column in &columns {
            let Some(figures) = cells.get(&(op, *column)) else {
                out.push_str("<td>");
                continue;
            };
            if alike(figures) {
                let title = format!("{op} {column}");
                let (class, title, text) = cell(&title, &figures[0]);
                let _ = write!(out, "<td class=\"{class}\" title=\"{title}\">{text}");
            } else {
                out.push_str("<td>");
                for (device, figures) in devices.iter().zip(figures) {
                    let title = format!("{device}: {op} {column}");
                    let (class, title, text) = cell(&title, figures);
                    let _ = write!(
                        out,
                        "<div class=\"{class}\" title=\"{title}\">{}&nbsp;{text}</div>",
                        escape(device)
                    );
                }
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div></section>\n");
}

/// Class, title and text of a cell.
fn cell(name: &str, figures: &Figures) -> (&'static str, String, String) {
    let text = if figures.passed == figures.total() {
        figures.total().to_string()
    } else {
        format!("{}/{}", figures.passed, figures.total())
    };
    let title = format!(
        "{}: {} passed, {} failed, {} unsupported",
        escape(name),
        figures.passed,
        figures.failed,
        figures.unsupported
    );
    (class(figures), title, text)
}

/// Families, a group of columns a device.
pub(super) fn families(out: &mut String, report: &Report<'_>) {
    out.push_str(
        "<section><h2>Families</h2><div class=\"wide\"><table class=\"families\"><tr><th>",
    );
    for device in report.devices() {
        let _ = write!(out, "<th colspan=\"4\">{}", escape(device));
    }
    out.push_str("</tr>\n<tr><th>family");
    for _ in report.runs {
        out.push_str("<th>passed<th>failed<th>unsupported<th>ms");
    }
    out.push_str("</tr>\n");
    // Every device has the same cases, so the same families in the same order.
    let by_device: Vec<_> = report.runs.iter().map(|run| by_family(&run.results)).collect();
    let mark = |count: usize, class: &str| {
        if count == 0 { String::new() } else { format!(" class=\"{class}\"") }
    };
    for (row, (name, _)) in by_device.first().into_iter().flatten().enumerate() {
        let _ = write!(out, "<tr class=\"row\"><td>{}", escape(name));
        for families in &by_device {
            let (_, figures) = families[row];
            let _ = write!(
                out,
                "<td{}>{}<td{}>{}<td{}>{}<td>{:.1}",
                mark(figures.passed, "passed"),
                figures.passed,
                mark(figures.failed, "failed"),
                figures.failed,
                mark(figures.unsupported, "unsupported"),
                figures.unsupported,
                figures.ms
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div></section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{CaseResult, DeviceRun};
    use crate::worker::Status;

    fn run(device: &str, statuses: [Status; 2]) -> DeviceRun {
        let results = statuses
            .into_iter()
            .zip(["np.add", "np.sin"])
            .map(|(status, op)| CaseResult::of_test(op, "f", status));
        DeviceRun { device: device.to_owned(), results: results.collect(), comparison: None }
    }

    #[test]
    fn devices_stand_side_by_side_and_what_differs_first() {
        let runs = [
            run("cpu", [Status::Passed, Status::Passed]),
            run("cuda:0", [Status::Passed, Status::Failed]),
        ];
        let report = Report { folder: "", runs: &runs, baseline: 0, seconds: 0.0, machine: &[] };
        let mut page = String::new();
        matrix(&mut page, &report);
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} in {page}"));
        assert!(at("np.sin") < at("np.add"));
        assert!(
            at("<div class=\"passed\" title=\"cpu: np.sin")
                < at("<div class=\"failed\" title=\"cuda:0: np.sin")
        );
        assert!(page.contains("<td class=\"passed\" title=\"np.add"), "{page}");
        page.clear();
        families(&mut page, &report);
        assert!(page.contains("<td>f<td class=\"passed\">2"), "{page}");
        assert!(page.contains("<td class=\"passed\">1<td class=\"failed\">1"), "{page}");
    }
}
