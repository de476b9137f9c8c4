//! Arrays of all sizes come and go at random: in the end nothing is live, and the pool never held much more than was.
//!
//! They are filled with zeros, which `empty` means, and never read.

use ndany::{Array, DType, empty};

use crate::Setting;
use crate::numbers::{Random, ensure, megabytes};
use crate::support::Outcome;

/// The most that the pool may hold, as a multiple of the most that was live.
const MOST_WASTE: f64 = 1.2;

pub fn run(setting: &Setting) -> Outcome<String> {
    let device = &setting.device;
    if let Err(error) = device.memory() {
        return Ok(format!("left out: {error}"));
    }
    let steps = setting.size(10_000, 4_000);
    // Sizes between 512 bytes and this; what is live follows a wave between a fifth of `high` and all of it.
    let (largest, high, least): (usize, usize, usize) =
        setting.size((64 << 20, 5 << 30, 4_000_000_000), (4 << 20, 320 << 20, 256_000_000));
    device.release_memory()?;
    let before = device.memory()?;
    let mut random = Random(4);
    let mut live: Vec<(Array, usize)> = Vec::new();
    let (mut total, mut most_live, mut most_reserved) = (0usize, 0, 0);
    for step in 0..steps {
        let time = f64::from(step) / f64::from(steps);
        let wanted = ((0.6 + 0.4 * (10.0 * time).sin()) * high as f64) as usize;
        if live.is_empty() || (total < wanted && random.fraction() < 0.9) {
            let bytes = (512.0 * (largest as f64 / 512.0).powf(random.fraction())) as usize;
            let array = empty(bytes, DType::U8);
            array.eval()?;
            live.push((array, bytes));
            total += bytes;
        } else {
            total -= live.swap_remove(random.below(live.len())).1;
        }
        let now = device.memory()?;
        most_live = most_live.max(now.live - before.live);
        most_reserved = most_reserved.max(now.reserved - before.reserved);
    }
    let count = live.len();
    drop(live);
    device.synchronize()?;
    let after = device.memory()?;
    let reserved = after.reserved - before.reserved;
    let ratio = |bytes: usize| bytes as f64 / most_live as f64;
    ensure(most_live >= least, || format!("only {} were live", megabytes(most_live)))?;
    ensure(after.live == before.live, || {
        format!("{} bytes live of {} before", after.live, before.live)
    })?;
    ensure(ratio(most_reserved) <= MOST_WASTE, || {
        format!(
            "{} reserved for {} live: {:.3} times as much, at most {MOST_WASTE} is right",
            megabytes(most_reserved),
            megabytes(most_live),
            ratio(most_reserved)
        )
    })?;
    device.release_memory()?;
    let left = device.memory()?.reserved;
    ensure(left == before.reserved, || format!("{left} bytes do not go back to the driver"))?;
    Ok(format!(
        "{steps} steps of 512 B to {}, the last {count} arrays dropped: live {}, peak live {}, most reserved {} = {:.3} \
         times as much, reserved at the end {} = {:.3}",
        megabytes(largest),
        after.live - before.live,
        megabytes(most_live),
        megabytes(most_reserved),
        ratio(most_reserved),
        megabytes(reserved),
        ratio(reserved)
    ))
}
