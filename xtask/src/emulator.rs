//! The emulator of other CPUs, qemu's user mode as Debian packages it, beside the system.

use std::path::PathBuf;

use crate::debian;

/// The last suite whose package is linked statically under this name.
const SUITE: &str = "bookworm";
const PACKAGE: &str = "qemu-user-static";

/// The program that runs those of Linux on this CPU (`aarch64`).
pub(crate) fn of(cpu: &str) -> Result<PathBuf, String> {
    let root = debian::alone(SUITE, "emulator", &[PACKAGE])?;
    let program = root.join(format!("usr/bin/qemu-{cpu}-static"));
    if program.is_file() {
        return Ok(program);
    }
    Err(format!("{PACKAGE} has no emulator of {cpu}: {} is missing", program.display()))
}
