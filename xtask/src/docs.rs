//! Writes `docs/operations.md` from the tables of operations, so that the page is always up to date.

use std::fmt::Write as _;
use std::path::Path;

use ndany::DType;
use ndany_core::ops::signature::{Bools, Ints, Widens};
use ndany_core::ops::{Accuracy, PAIRS, REDUCTIONS, UfuncDef};

/// The page as it should be.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# Operations\n\nMade by `cargo run -p xtask -- docs` from the tables in `core/src/ops`.\n\n\
         Each is a method, a free function in the module `numpy`, and a function that returns a `Result` in the module `checked`. The error is in units in the last place\n\
         of f32 and f64 (0: correctly rounded or exact); 16-bit floats are within 1.\n\n\
         | name | NumPy | operands | dtypes | error f32, f64 | |\n|---|---|---|---|---|---|\n",
    );
    for row in UfuncDef::all() {
        let error = match row.accuracy {
            Accuracy::Exact => "0".to_string(),
            Accuracy::Formula(_) => {
                let ulp = |dtype| row.accuracy.ulp(dtype).unwrap_or(0);
                format!("{}, {}", ulp(DType::F32), ulp(DType::F64))
            }
        };
        // A table written line by line: a String never fails to grow by a write.
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {} | {} | {error} |{}. |",
            row.name.trim_end_matches('_'),
            row.numpy,
            row.arity,
            kinds(row),
            row.doc
        );
    }
    for row in PAIRS {
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {} | {} | 0 |{}. Two results. |",
            row.name,
            row.numpy,
            row.arity,
            kinds(row.rows[0]),
            row.doc
        );
    }
    page.push_str("\n## Reductions\n\n| name | NumPy | |\n|---|---|---|\n");
    for row in REDUCTIONS.iter().map(|row| row.facts()) {
        let _ = writeln!(page, "| `{}` | `{}` | {} |", row.name, row.numpy, row.doc);
    }
    page
}

fn kinds(row: &UfuncDef) -> String {
    let mut kinds = Vec::new();
    match row.signature.bools {
        Bools::Kept => kinds.push("bool"),
        Bools::AsInt8 => kinds.push("bool as int8"),
        Bools::Refused => {}
    }
    match row.signature.ints {
        Ints::Kept => kinds.push("integers"),
        Ints::AsFloat => kinds.push("integers as floats"),
        Ints::AsF64 => kinds.push("integers as float64"),
        Ints::Refused => {}
    }
    if row.signature.floats {
        kinds.push(match row.signature.widens {
            Widens::Nothing => "floats",
            Widens::Half => "floats (f16 as float64)",
            Widens::Everything => "floats as float64",
        });
    }
    if row.signature.complex {
        kinds.push(match row.signature.widens {
            Widens::Nothing | Widens::Half => "complex",
            Widens::Everything => "complex as complex128",
        });
    }
    kinds.join(", ")
}

/// Where the page is committed.
fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations.md")
}

/// Writes the page.
pub(crate) fn write() -> Result<(), String> {
    std::fs::write(path(), page()).map_err(|error| format!("docs/operations.md: {error}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_page_is_what_the_tables_say() {
        let committed = std::fs::read_to_string(super::path()).unwrap_or_default();
        assert_eq!(committed, super::page(), "run `cargo run -p xtask -- docs`");
    }
}
