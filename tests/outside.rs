//! A crate outside of the workspace adds functions, and its own tests pass.

use std::path::Path;
use std::process::Command;

#[test]
fn a_crate_outside_of_the_workspace_adds_functions() {
    // It builds the engine once more.
    if std::env::var_os("NDANY_TEST_LONG").is_none() {
        return;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["test", "--locked", "--manifest-path"])
        .arg(home.join("outside/Cargo.toml"))
        .arg("--target-dir")
        .arg(home.join("../target/outside"))
        .output()
        .expect("cargo runs");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert!(out.contains("4 passed"), "its tests ran: {out}");
}
