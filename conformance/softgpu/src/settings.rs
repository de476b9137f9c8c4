//! What can be set from outside, by variables that are read once.
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NDANY_SOFTGPU_DEVICES` | devices | 1 |
//! | `NDANY_SOFTGPU_MEMORY` | bytes of memory of each | 1 GiB |
//! | `NDANY_SOFTGPU_PROCESSORS` | multiprocessors of each | 4 |
//! | `NDANY_SOFTGPU_LANES` | lanes of a wavefront of HIP's devices: 32 or 64 | 64 |
//! | `NDANY_SOFTGPU_ARCHITECTURE` | what HIP's devices say they are | gfx90a, with 32 lanes gfx1030 |
//! | `NDANY_SOFTGPU_THREADS` | host threads that run a large launch | up to 8 |
//! | `NDANY_SOFTGPU_ORDER` | `now`: work is done when asked for; `late`: when it is waited for; `late:7`: then, with other streams in an order made of the number | `now` |
//! | `NDANY_SOFTGPU_SHUFFLE` | a number: blocks and threads run in an order made of it; 0: as they are numbered | 0 |
//! | `NDANY_SOFTGPU_SEEDS` | how many orders each kernel is run in, on the same memory; other outcomes are a fault | 1 |
//! | `NDANY_SOFTGPU_CHECK` | `bytes`: kernels are compiled with a check of every access, see `states` | nothing |
//! | `NDANY_SOFTGPU_PLACE` | `close`: allocations of a device lie right after each other; `apart`: each ends at a page that nothing may access | `close`, under `NDANY_SOFTGPU_CHECK` `apart` |
//! | `NDANY_SOFTGPU_CACHE` | folder of compiled kernels | `target/softgpu-cache` |
//! | `NDANY_SOFTGPU_FAIL` | faults to inject, see `inject` | none |
//! | `NDANY_SOFTGPU_LEAKS` | when the process exits, `list` what was not given back, or `fail`: list it and end the process with 70 | nothing |
//! | `NDANY_SOFTGPU_TRACE` | print each call that fails (`errors`) or each call with its number (`calls`) | nothing |

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::heap::Placement;
use crate::order::When;

/// Which calls are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLevel {
    /// None.
    Nothing,
    /// Those that fail.
    Errors,
    /// All.
    Calls,
}

/// What is done about leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaks {
    /// Nothing.
    Ignored,
    /// It is listed when the process exits.
    Listed,
    /// And the process ends with a code of its own.
    Fatal,
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
    /// What HIP's devices say they are.
    pub architecture: String,
    /// Host threads that run a large launch.
    pub threads: usize,
    /// When work is done.
    pub order: When,
    /// What the order of blocks and threads is made of.
    pub shuffle: u32,
    /// In how many orders each kernel is run.
    pub seeds: u32,
    /// Whether each byte that a kernel accesses is checked.
    pub bytes: bool,
    /// How allocations of a device lie.
    pub place: Placement,
    /// Where compiled kernels are kept.
    pub cache: PathBuf,
    /// Which calls are printed.
    pub trace: TraceLevel,
    /// What is done about leaks.
    pub leaks: Leaks,
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
            lanes: lanes(),
            architecture: std::env::var("NDANY_SOFTGPU_ARCHITECTURE")
                .unwrap_or_else(|_| if lanes() == 32 { "gfx1030" } else { "gfx90a" }.to_owned()),
            threads: read(
                "NDANY_SOFTGPU_THREADS",
                std::thread::available_parallelism().map_or(1, usize::from).min(8),
            )
            .max(1),
            order: match std::env::var("NDANY_SOFTGPU_ORDER") {
                Ok(text) => order(&text).unwrap_or_else(|| {
                    eprintln!(
                        "softgpu: NDANY_SOFTGPU_ORDER: expected now, late or late:SEED, got {text}"
                    );
                    When::Now
                }),
                Err(_) => When::Now,
            },
            shuffle: read("NDANY_SOFTGPU_SHUFFLE", 0),
            seeds: read("NDANY_SOFTGPU_SEEDS", 1).max(1),
            bytes: bytes(),
            place: place(std::env::var("NDANY_SOFTGPU_PLACE").ok().as_deref()),
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
                Ok("errors") => TraceLevel::Errors,
                Ok("calls") => TraceLevel::Calls,
                _ => TraceLevel::Nothing,
            },
            leaks: match std::env::var("NDANY_SOFTGPU_LEAKS").as_deref() {
                Ok("list") => Leaks::Listed,
                Ok("fail") => Leaks::Fatal,
                _ => Leaks::Ignored,
            },
        })
    }
}

fn lanes() -> u32 {
    if read("NDANY_SOFTGPU_LANES", 64) == 32 { 32 } else { 64 }
}

fn bytes() -> bool {
    match std::env::var("NDANY_SOFTGPU_CHECK").as_deref() {
        Ok("bytes") => true,
        Ok("") | Err(_) => false,
        Ok(other) => {
            eprintln!("softgpu: NDANY_SOFTGPU_CHECK: expected bytes, got {other}");
            false
        }
    }
}

fn place(text: Option<&str>) -> Placement {
    match text {
        Some("close") => return Placement::Close,
        Some("apart") => return Placement::Apart,
        Some("") | None => {}
        Some(other) => {
            eprintln!("softgpu: NDANY_SOFTGPU_PLACE: expected close or apart, got {other}");
        }
    }
    // An access after the end of an allocation would be one of its neighbour, and pass the check.
    if bytes() { Placement::Apart } else { Placement::Close }
}

fn order(text: &str) -> Option<When> {
    match text.split_once(':').unwrap_or((text, "0")) {
        ("now", "0") => Some(When::Now),
        ("late", seed) => seed.parse().ok().map(When::Late),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_seeds() {
        assert_eq!(order("now"), Some(When::Now));
        assert_eq!(order("late"), Some(When::Late(0)));
        assert_eq!(order("late:7"), Some(When::Late(7)));
        assert_eq!([order("later"), order("now:7"), order("late:x")], [None; 3]);
    }
}
