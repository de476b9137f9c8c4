//! What can be set from outside, by variables that are read once.
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NDANY_SOFTGPU_DEVICES` | devices | 1 |
//! | `NDANY_SOFTGPU_MEMORY` | bytes of memory of each | 1 GiB |
//! | `NDANY_SOFTGPU_PROCESSORS` | multiprocessors of each | 4 |
//! | `NDANY_SOFTGPU_LANES` | lanes of a wavefront of HIP's devices: 32 or 64 | 64 |
//! | `NDANY_SOFTGPU_THREADS` | host threads that run a large launch | up to 8 |
//! | `NDANY_SOFTGPU_ORDER` | `now`: work is done when asked for; `late`: when somebody waits for it | `now` |
//! | `NDANY_SOFTGPU_SHUFFLE` | a number: blocks and threads run in an order made of it; 0: as they are numbered | 0 |
//! | `NDANY_SOFTGPU_CACHE` | folder of compiled kernels | `target/softgpu-cache` |
//! | `NDANY_SOFTGPU_FAIL` | faults to inject, see `inject` | none |
//! | `NDANY_SOFTGPU_TRACE` | print each call that fails (`errors`) or each call (`calls`) | nothing |

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::order::When;

/// Which calls are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// None.
    Nothing,
    /// Those that fail.
    Errors,
    /// All.
    Calls,
}

/// All settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Devices.
    pub devices: usize,
    /// Bytes of memory of each.
    pub memory: u64,
    /// Multiprocessors of each.
    pub processors: u32,
    /// Lanes of a wavefront of HIP's devices. CUDA's have 32.
    pub lanes: u32,
    /// Host threads that run a large launch.
    pub threads: usize,
    /// When work is done.
    pub order: When,
    /// What the order of blocks and threads is made of.
    pub shuffle: u32,
    /// Where compiled kernels are kept.
    pub cache: PathBuf,
    /// Which calls are printed.
    pub trace: Trace,
}

fn read<T: FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.trim().parse().unwrap_or_else(|_| {
            eprintln!("softgpu: {name}={text} is not understood and ignored");
            default
        }),
        Err(_) => default,
    }
}

impl Settings {
    /// The settings of this process.
    pub fn get() -> &'static Self {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(|| Self {
            devices: read("NDANY_SOFTGPU_DEVICES", 1),
            memory: read("NDANY_SOFTGPU_MEMORY", 1 << 30),
            processors: read("NDANY_SOFTGPU_PROCESSORS", 4).max(1),
            lanes: if read("NDANY_SOFTGPU_LANES", 64) == 32 { 32 } else { 64 },
            threads: read(
                "NDANY_SOFTGPU_THREADS",
                std::thread::available_parallelism().map_or(1, usize::from).min(8),
            )
            .max(1),
            order: match std::env::var("NDANY_SOFTGPU_ORDER").as_deref() {
                Ok("late") => When::Late,
                Ok("now") | Err(_) => When::Now,
                Ok(other) => {
                    eprintln!("softgpu: NDANY_SOFTGPU_ORDER: expected now or late, got {other}");
                    When::Now
                }
            },
            shuffle: read("NDANY_SOFTGPU_SHUFFLE", 0),
            cache: std::env::var_os("NDANY_SOFTGPU_CACHE").map_or_else(
                || {
                    PathBuf::from(concat!(
                        env!("CARGO_MANIFEST_DIR"),
                        "/../../target/softgpu-cache"
                    ))
                },
                PathBuf::from,
            ),
            trace: match std::env::var("NDANY_SOFTGPU_TRACE").as_deref() {
                Ok("errors") => Trace::Errors,
                Ok("calls") => Trace::Calls,
                _ => Trace::Nothing,
            },
        })
    }
}
