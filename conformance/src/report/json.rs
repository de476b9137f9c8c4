//! The file for CI: the figures, and every case. The first device stands at the top, the others beside it.

use serde_json::{Value as Json, json};

use super::{Figures, Report, by_family};
use crate::suite::DeviceRun;

/// The whole document.
pub fn render(report: &Report<'_>) -> Json {
    let mut runs = report.runs.iter().map(device);
    let mut document = runs.next().unwrap_or_else(|| json!({}));
    document["format"] = json!("ndany-conformance-1");
    document["cases_from"] = json!(report.folder);
    document["seconds"] = json!(report.seconds);
    document["ok"] = json!(!report.fails());
    document["machine"] = report.machine.iter().map(machine).collect();
    let beside: Vec<Json> = runs.collect();
    if !beside.is_empty() {
        document["compared_with"] = json!(report.with());
        document["beside"] = json!(beside);
    }
    document
}

/// What a backend found.
fn machine(found: &ndany::Report) -> Json {
    let devices = found.devices.iter().map(|device| {
        let facts: serde_json::Map<String, Json> =
            device.facts.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
        json!({ "name": device.name, "facts": facts })
    });
    let libraries = found.libraries.iter().map(|library| match &library.found {
        Ok(found) => {
            json!({ "name": library.name, "version": found.version, "path": found.path })
        }
        Err(missing) => json!({ "name": library.name, "missing": missing.to_string() }),
    });
    json!({
        "family": found.family,
        "devices": devices.collect::<Vec<_>>(),
        "libraries": libraries.collect::<Vec<_>>(),
    })
}

fn device(run: &DeviceRun) -> Json {
    let families: serde_json::Map<String, Json> = by_family(&run.results)
        .into_iter()
        .map(|(family, figures)| (family.to_owned(), json!(figures)))
        .collect();
    let mut document = json!({
        "device": run.device,
        "figures": Figures::of(&run.results),
        "families": families,
        "cases": run.results,
    });
    if let Some(comparison) = &run.comparison {
        document["comparison"] = json!(comparison);
    }
    document
}
