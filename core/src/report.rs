//! What backends find on this machine, for users who ask why a device is missing.
//!
//! A report opens no device. What it says is the backend's; here are its form and its words.

use std::fmt;
use std::path::PathBuf;

/// What a backend finds on this machine: what `Device::reports` returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The part of a device name before the colon.
    pub family: &'static str,
    /// Devices that can be opened, or would be if nothing else were missing.
    pub devices: Vec<DeviceReport>,
    /// Libraries that the backend looks for when it runs.
    pub libraries: Vec<LibraryReport>,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name in `Device::open`.
    pub name: String,
    /// Its properties by name: memory, threads, …
    pub facts: Vec<(&'static str, String)>,
}

/// A library that a backend looks for when it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryReport {
    /// Product name.
    pub name: &'static str,
    /// Purpose.
    pub purpose: &'static str,
    /// Consequence if it is missing.
    pub without: &'static str,
    /// What was found, or what was tried and how to mend it.
    pub found: Result<FoundLibrary, LibraryError>,
}

/// Why a library serves for nothing: what was tried, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct LibraryError {
    reason: String,
}

impl LibraryError {
    /// Makes the error of a library that was not found, with the reasons.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(ndany::LibraryError::new("not installed").to_string().contains("not installed"));
    /// ```
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// A library that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLibrary {
    /// Its version.
    pub version: String,
    /// Its file, where known.
    pub path: Option<PathBuf>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.family)?;
        if self.devices.is_empty() {
            writeln!(f, "  no device")?;
        }
        for device in &self.devices {
            let facts: Vec<String> =
                device.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
            writeln!(f, "  {}: {}", device.name, facts.join(", "))?;
        }
        for library in &self.libraries {
            match &library.found {
                Ok(found) => {
                    let path = found.path.as_ref();
                    let path =
                        path.map_or("by the loader".into(), |path| path.display().to_string());
                    writeln!(
                        f,
                        "  {} {} ({}): {path}",
                        library.name, found.version, library.purpose
                    )?;
                }
                Err(reason) => {
                    writeln!(f, "  {} ({}): missing", library.name, library.purpose)?;
                    writeln!(f, "    without it: {}", library.without)?;
                    writeln!(f, "    {reason}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_what_is_there_and_what_is_not() {
        let library = |found| LibraryReport {
            name: "libabacus",
            purpose: "counting",
            without: "fingers count",
            found,
        };
        let report = Report {
            family: "abacus",
            devices: vec![DeviceReport {
                name: "abacus:0".into(),
                facts: vec![("beads", "100".into()), ("rods", "10".into())],
            }],
            libraries: vec![
                library(Ok(FoundLibrary { version: "1.2".into(), path: Some("/lib/a.so".into()) })),
                library(Err(LibraryError::new("tried /lib; install it"))),
            ],
        };
        assert_eq!(
            report.to_string(),
            "abacus\n  abacus:0: beads 100, rods 10\n  libabacus 1.2 (counting): /lib/a.so\n  \
             libabacus (counting): missing\n    without it: fingers count\n    tried /lib; install it\n"
        );
        let nothing = Report { family: "abacus", ..Report::default() };
        assert_eq!(nothing.to_string(), "abacus\n  no device\n");
    }
}
