//! Holds the form that the documentation of every public function has (CONTRIBUTING.md, "Documentation of a function").
//!
//! The rules follow from the signature alone, so that no list of exceptions is kept:
//!
//! | what | which functions |
//! |---|---|
//! | a summary of one sentence, at most [`SUMMARY`] characters | all |
//! | an example that names the crate `ndany` and no other crate of the workspace | all |
//! | `**Shapes**`, `**Dtypes**` | what returns arrays |
//! | `**Errors**` | what returns arrays or a `Result`, and what takes arrays beside `self` |
//!
//! An example cannot name what the crate does not export: a function that takes a type of the seam to devices needs none.
//! Methods that take `self` by value and return it set an option; the function that takes the options says what it refuses,
//! so they need a summary and an example only.

use serde_json::Value;

use super::{Crate, children};

/// The most characters of a summary.
const SUMMARY: usize = 120;
/// Types of parameters that stand for arrays.
const ARRAYS: [&str; 3] = ["Array", "Arrays", "Operand"];
/// Types of the seam to devices, which `ndany` does not export.
const SEAM: [&str; 1] = ["Backend"];

/// What is missing in the documentation of a function.
pub(super) fn faults(krate: &Crate, item: &Value) -> Vec<String> {
    let docs = item["docs"].as_str().unwrap_or_default();
    let signature = &item["inner"]["function"]["sig"];
    let generics = &item["inner"]["function"]["generics"];
    let mut faults = Vec::new();

    let summary = summary(docs);
    let length = summary.chars().count();
    if summary.is_empty() {
        faults.push("no summary".to_string());
    } else if length > SUMMARY {
        faults.push(format!("a summary of {length} characters"));
    } else if !summary.ends_with(['.', ':']) {
        faults.push("a summary that is no sentence".to_string());
    }
    let inputs = signature["inputs"].as_array().map_or(&[][..], Vec::as_slice);
    match example(docs) {
        None if inputs.iter().any(|input| names(&input[1], &SEAM)) => {}
        None => faults.push("no example".to_string()),
        Some(example) if example.contains("ndany_") => {
            faults.push("an example that names a crate other than ndany".to_string());
        }
        Some(example) if !example.contains("ndany::") => {
            faults.push("an example that does not name ndany".to_string());
        }
        Some(_) => {}
    }

    let output = &signature["output"];
    let own = |input: &Value| input[0] == "self";
    let by_value = inputs.iter().any(|input| own(input) && input[1]["generic"] == "Self");
    let sets = by_value && (output["generic"] == "Self" || names_self(krate, item, output));
    let returns = !sets && krate.holds_arrays(output, 0);
    let takes = !sets
        && (names(generics, &ARRAYS)
            || inputs.iter().any(|input| !own(input) && names(&input[1], &ARRAYS)));
    let fails = names(output, &["Result"]);
    let has = |section: &str| docs.contains(&format!("**{section}**"));
    for section in ["Shapes", "Dtypes"] {
        if returns && !has(section) {
            faults.push(format!("no **{section}**"));
        }
    }
    if (returns || takes || fails) && !has("Errors") {
        faults.push("no **Errors**".to_string());
    }
    faults
}

/// The first paragraph, in one line.
fn summary(docs: &str) -> String {
    let lines = docs.lines().take_while(|line| !line.trim().is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The text of the blocks of Rust; none if there is no such block.
fn example(docs: &str) -> Option<String> {
    let mut text = None;
    let mut rust = None;
    for line in docs.lines() {
        match (line.trim_start().strip_prefix("```"), rust) {
            (Some(language), None) => {
                let runs = ["", "rust", "should_panic"].contains(&language.trim());
                rust = Some(runs);
                if runs {
                    text.get_or_insert_with(String::new);
                }
            }
            (Some(_), Some(_)) => rust = None,
            (None, Some(true)) => {
                let text = text.get_or_insert_with(String::new);
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    text
}

/// Whether a type, or a list of bounds, names one of these types.
fn names(value: &Value, types: &[&str]) -> bool {
    match value {
        Value::Array(values) => values.iter().any(|value| names(value, types)),
        Value::Object(fields) => fields.iter().any(|(field, value)| match value.as_str() {
            Some(path) if field == "path" => {
                types.contains(&path.rsplit("::").next().unwrap_or(path))
            }
            _ => names(value, types),
        }),
        _ => false,
    }
}

/// Whether the type is that of the `impl` of the method.
fn names_self(krate: &Crate, method: &Value, output: &Value) -> bool {
    let id = &output["resolved_path"]["id"];
    ["struct", "enum"].iter().any(|kind| {
        let Some(owner) = krate.item(id) else { return false };
        let impls = owner["inner"][kind]["impls"].as_array();
        impls.into_iter().flatten().filter_map(|block| krate.item(block)).any(|block| {
            block["inner"]["impl"]["trait"].is_null()
                && children(block, "impl").any(|child| *child == method["id"])
        })
    })
}

impl Crate {
    /// Whether a value of this type is an array, or has arrays in public fields.
    fn holds_arrays(&self, value: &Value, depth: usize) -> bool {
        if depth > 4 {
            return false;
        }
        if names(value, &["Array"]) {
            return true;
        }
        match value {
            Value::Array(values) => values.iter().any(|value| self.holds_arrays(value, depth)),
            Value::Object(fields) => fields.iter().any(|(field, inner)| {
                if field != "resolved_path" {
                    return self.holds_arrays(inner, depth);
                }
                let public =
                    self.item(&inner["id"]).is_some_and(|item| {
                        let fields = item["inner"]["struct"]["kind"]["plain"]["fields"].as_array();
                        fields.into_iter().flatten().filter_map(|id| self.item(id)).any(|field| {
                            self.holds_arrays(&field["inner"]["struct_field"], depth + 1)
                        })
                    });
                public || self.holds_arrays(&inner["args"], depth)
            }),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{example, summary};

    #[test]
    fn a_summary_is_the_first_paragraph_in_one_line() {
        assert_eq!(summary("Sums\nelements.\n\nMore."), "Sums elements.");
        assert_eq!(summary(""), "");
    }

    #[test]
    fn examples_are_blocks_of_rust() {
        assert_eq!(example("No block."), None);
        assert_eq!(example("```text\nndany::x\n```"), None);
        let docs = "Two.\n```text\nno\n```\n```\nuse ndany::Array;\n```\n";
        assert_eq!(example(docs).as_deref(), Some("use ndany::Array;\n"));
    }
}
