//! A kernel in several orders of its blocks and threads, on the same memory each time: what it leaves must be the same.
//!
//! What is compared, and given back in between, is the memory of devices to which words of the arguments point. An
//! outcome that depends on the order is a fault: a barrier that is missing, two threads that write one place, a sum of
//! floats by atomics. One thing may depend on it: places that are handed out by compare-and-swap or exchange, as in a
//! table of hashes. In a launch that does so, words that integers' atomics touch are not compared; what is computed from
//! them by later kernels is, but from one order's table. Whole runs under other seeds (`NDANY_SOFTGPU_SHUFFLE`) show
//! whether that is right for all.

use std::sync::{Mutex, PoisonError};

use crate::device::Machine;
use crate::failure::{Failure, Result};
use crate::run::{How, Launch, Noted, Watch};
use crate::settings::Settings;

/// Memory as it was: bytes, and what is known of them.
struct Snapshot {
    address: u64,
    bytes: Vec<u8>,
    states: Option<Vec<u8>>,
}

impl Snapshot {
    fn of(machine: &Machine, (address, bytes): (u64, u64)) -> Self {
        let states = machine.states().iter().find_map(|states| states.get(address, bytes));
        // SAFETY: a live allocation, and this thread alone runs.
        let values = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
        Self { address, bytes: values.to_vec(), states: states.map(<[u8]>::to_vec) }
    }

    fn restore(&self, machine: &Machine) {
        // SAFETY: a live allocation that covers the range, and this thread alone runs.
        unsafe {
            let to = self.address as *mut u8;
            to.copy_from_nonoverlapping(self.bytes.as_ptr(), self.bytes.len());
        }
        if let Some(known) = &self.states {
            machine.states().iter().for_each(|states| states.put(self.address, known));
        }
    }

    /// Where memory is not as it was, but for what was noted.
    fn difference(&self, noted: &Noted) -> Option<u64> {
        let mut at = 0;
        // Most of it is the same.
        for part in self.bytes.chunks(4096) {
            let from = self.address + at;
            // SAFETY: a part of a live allocation, and this thread alone runs.
            let now = unsafe { std::slice::from_raw_parts(from as *const u8, part.len()) };
            if part != now {
                let differs = |k: &usize| part[*k] != now[*k] && !noted.excuses(from + *k as u64);
                if let Some(k) = (0..part.len()).find(differs) {
                    return Some(from + k as u64);
                }
            }
            at += part.len() as u64;
        }
        None
    }
}

/// While several orders are tried, work is done one by one: what one launch gives back is no other's.
pub(crate) fn turn() -> Option<impl Drop> {
    static TURN: Mutex<()> = Mutex::new(());
    let several = Settings::get().seeds > 1;
    several.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs a launch in as many orders as the settings ask for.
pub(crate) fn run(machine: &Machine, launch: &Launch) -> Result<()> {
    let settings = Settings::get();
    let locate = |address| machine.locate_for(launch, address);
    let first = u64::from(settings.shuffle);
    // Blocks of a cooperative launch have no order of their own.
    if settings.seeds < 2 || launch.cooperative {
        return launch.run(&How { seed: first, ..How::default() }, &locate);
    }
    let _turn = turn();
    let alone = |seed| How { seed, alone: true, ..How::default() };
    let snapshots = || -> Vec<Snapshot> {
        machine.named(launch).into_iter().map(|memory| Snapshot::of(machine, memory)).collect()
    };
    let before = snapshots();
    let (done, mut noted) = Noted::during(|| launch.run(&alone(first), &locate));
    done?;
    let after = snapshots();
    for seed in first + 1..first + u64::from(settings.seeds) {
        before.iter().for_each(|memory| memory.restore(machine));
        let (done, more) = Noted::during(|| launch.run(&alone(seed), &locate));
        done?;
        noted.join(more);
        let Some(address) = after.iter().find_map(|memory| memory.difference(&noted)) else {
            continue;
        };
        let writer = |seed| -> Result<String> {
            before.iter().for_each(|memory| memory.restore(machine));
            let watch = Watch::new(address);
            launch.run(&How { watch: Some(&watch), ..alone(seed) }, &locate)?;
            // SAFETY: a byte of a live allocation, and this thread alone runs.
            let value = unsafe { (address as *const u8).read() };
            Ok(match watch.found() {
                Some(block) => format!("{value:#04x} by block {block:?}"),
                None => format!("{value:#04x}, as it was,"),
            })
        };
        let [one, other] = [writer(first)?, writer(seed)?];
        return Err(Failure::LaunchFailed(format!(
            "kernel {} depends on the order of its threads: {}: {one} under seed {first}, {other} under seed {seed}",
            launch.kernel.name,
            locate(address)
        )));
    }
    after.iter().for_each(|memory| memory.restore(machine));
    Ok(())
}
