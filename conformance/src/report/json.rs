//! The file for CI: the figures, and every case.

use serde_json::{Value as Json, json};

use super::{Figures, Report, by_family};
use crate::suite::CaseResult;

/// The whole document.
pub fn render(report: &Report<'_>) -> Json {
    let mut document = device(report.device, report.results);
    document["format"] = json!("ndany-conformance-1");
    document["cases_from"] = json!(report.folder);
    document["seconds"] = json!(report.seconds);
    document["ok"] = json!(!report.fails());
    if let Some((name, results, comparison)) = report.against {
        document["against"] = device(name, results);
        document["comparison"] = json!(comparison);
    }
    document
}

fn device(name: &str, results: &[CaseResult]) -> Json {
    let families: serde_json::Map<String, Json> = by_family(results)
        .into_iter()
        .map(|(family, figures)| (family.to_owned(), json!(figures)))
        .collect();
    json!({
        "device": name,
        "figures": Figures::of(results),
        "families": families,
        "cases": results,
    })
}
