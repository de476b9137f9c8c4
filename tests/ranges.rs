//! Ranges in profilers' libraries, of which stand-ins are compiled here: each writes what it is told into a file.

#![cfg(all(target_os = "linux", target_arch = "x86_64", feature = "cuda", feature = "rocm"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::profile::{range, status};
use support::{Folder, process_of_all_vendors, task};

/// Writes a line into the file that a variable names.
const WRITE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int say(const char *what, const char *name) {
    FILE *file = fopen(getenv("NDANY_TEST_RANGES"), "a");
    fprintf(file, "%s%s\n", what, name);
    fclose(file);
    return 0;
}
"#;

/// What NVTX 3 asks of a profiler's library, by NVIDIA's documentation of its tables.
const NVTX_3: &str = r#"
static int push(const char *name) { return say("nvtx push ", name); }
static int pop(void) { return say("nvtx pop", ""); }
struct callbacks { size_t bytes; int (*module)(int, void ***(*), unsigned *); };
int InitializeInjectionNvtx2(const void *(*export)(unsigned)) {
    const struct callbacks *callbacks = export(1);
    void ***table = 0;
    unsigned count = 0;
    if (!callbacks || callbacks->bytes < sizeof *callbacks) return 0;
    if (!callbacks->module(5, &table, &count) || count < 16) return 0;
    if (!callbacks->module(1, &table, &count) || count <= 11) return 0;
    *table[9] = (void *)push;
    *table[11] = (void *)pop;
    return 1;
}
"#;

const NVTX_2: &str = r#"
int nvtxRangePushA(const char *name) { return say("nvtx push ", name); }
int nvtxRangePop(void) { return say("nvtx pop", ""); }
"#;

const ROCTX: &str = r#"
int roctxRangePushA(const char *name) { return say("roctx push ", name); }
int roctxRangePop(void) { return say("roctx pop", ""); }
"#;

/// Runs a task of the child in front of these libraries, with a profiler's library named if there is one; what was written.
fn written(task: &str, libraries: &[(&str, &str)], named: Option<&str>) -> String {
    let folder = Folder::new("ranges");
    for (name, text) in libraries {
        folder.compile(name, &format!("{WRITE}{text}"));
    }
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let file = path(folder.0.join("written"));
    let named = named.map(|name| path(folder.0.join(name)));
    let mut variables = vec![("NDANY_TEST_RANGES", file.as_str())];
    variables.extend(named.as_deref().map(|named| ("NVTX_INJECTION64_PATH", named)));
    process_of_all_vendors(&folder, task, &variables);
    std::fs::read_to_string(Path::new(&file)).unwrap_or_default()
}

const LINES: &str = "T push outer\nT push step 7\nT pop\nT push late\nT pop\nT pop\n";

#[test]
fn ranges_go_to_the_profiler_that_is_named() {
    let both = [("tool.so", NVTX_3), ("libnvToolsExt.so.1", NVTX_2)];
    assert_eq!(written("nvtx", &both, Some("tool.so")), LINES.replace('T', "nvtx"));
    assert_eq!(written("nvtx", &both, None), LINES.replace('T', "nvtx"));
}

#[test]
fn ranges_go_to_amds_profilers() {
    for name in ["librocprofiler-sdk-roctx.so.1", "libroctx64.so.4"] {
        assert_eq!(written("roctx", &[(name, ROCTX)], None), LINES.replace('T', "roctx"));
    }
}

#[test]
fn without_a_profiler_a_range_is_silent_and_the_reason_is_known() {
    assert_eq!(written("none", &[], None), "");
    assert_eq!(written("none", &[("tool.so", NVTX_2)], Some("tool.so")), "");
    assert_eq!(written("none", &[], Some("nowhere.so")), "");
    let refuses = "int InitializeInjectionNvtx2(void *export) { return 0; }";
    assert_eq!(written("none", &[("tool.so", refuses)], Some("tool.so")), "");
}

/// A name that counts how often it is formatted.
struct Counted<'c>(&'c AtomicUsize);

impl std::fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fetch_add(1, Ordering::Relaxed);
        f.write_str("late")
    }
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let formatted = AtomicUsize::new(0);
    {
        let _outer = range("outer");
        let step = 7;
        drop(ndany::range!("step {step}"));
        drop(range(Counted(&formatted)));
    }
    let found = |name| {
        let report = status().into_iter().find(|report| report.name == name);
        report.expect("a report of each vendor").found.map_err(|reason| reason.to_string())
    };
    let (nvtx, roctx) = (found("NVTX"), found("rocTX"));
    match task().as_str() {
        "nvtx" => {
            assert!(nvtx.expect("a library").path.is_some_and(|path| path.is_absolute()));
            assert!(roctx.expect_err("no library").contains("libroctx64"));
        }
        "roctx" => {
            assert!(roctx.is_ok(), "{roctx:?}");
            let reason = nvtx.expect_err("no library");
            assert!(reason.contains("NVTX_INJECTION64_PATH is not set"), "{reason}");
        }
        "none" => {
            let reason = nvtx.expect_err("no library");
            assert!(reason.contains("NVTX_INJECTION64_PATH"), "{reason}");
            assert!(roctx.is_err());
        }
        other => panic!("no task {other}"),
    }
    // Without a profiler no name is formatted.
    assert_eq!(formatted.load(Ordering::Relaxed), usize::from(task() != "none"));
}
