//! More memory than there is: an error with figures, and the device goes on as if nothing had been.
//!
//! Asked for at once, little by little, and by a sort that finds no room for its own needs under a limit of the pool.

use ndany::{Array, DType, Device, Error, MemoryState, arange, empty};

use crate::Setting;
use crate::numbers::{ensure, megabytes};
use crate::support::{Outcome, failure};

/// Elements of an array that has to survive, and how many there are.
const KEPT: (i64, i64) = (100_000, 8);

pub fn run(setting: &Setting) -> Outcome<String> {
    let device = &setting.device;
    if let Err(error) = device.memory() {
        return Ok(format!("left out: {error}"));
    }
    device.release_memory()?;
    let before = device.memory()?.live;
    let kept: Vec<Array> = (0..KEPT.1).map(|k| arange(KEPT.0) * 3 + k).collect();
    kept.iter().try_for_each(Array::eval)?;
    let base = device.memory()?.live;
    let free = device.free_memory()?;

    let (requested, state) = refusal("at once", empty(free + (1 << 30), DType::U8).eval())?;
    ensure(requested > free && state.live == base, || format!("{requested} {state:?}"))?;
    works(device, &kept, base)?;

    let block = free / 40;
    let mut filling: Vec<Array> = Vec::new();
    let (_, full) = loop {
        let array = empty(block, DType::U8);
        match array.eval() {
            Ok(()) => filling.push(array),
            error => break refusal("piece by piece", error)?,
        }
        ensure(filling.len() < 1000, || "there is no end of memory".to_string())?;
    };
    ensure(filling.len() >= 30 && full.live >= base + filling.len() * block, || {
        format!("{} blocks of {block} bytes and {full:?}", filling.len())
    })?;
    let blocks = filling.len();
    // One of them makes room for the next result.
    filling.pop();
    correct(&kept)?;
    drop(filling);
    works(device, &kept, base)?;

    let length = setting.size(1i64 << 24, 1 << 18);
    let shuffled = (arange(length) * 40_503).bitwise_and(length - 1);
    device.release_memory()?;
    shuffled.eval()?;
    device.release_memory()?;
    let reserved = device.memory()?.reserved;
    // Room for the result, not for what a sort needs besides.
    device.limit_memory(Some(reserved + 8 * length as usize + (1 << 20)))?;
    let limited = refusal("a sort under a limit", shuffled.sort(0).eval());
    device.limit_memory(None)?;
    let (_, limited) = limited?;
    works(device, &kept, base + 8 * length as usize)?;
    let sorted = shuffled.sort(0);
    let wrong = sorted.not_equal(arange(length)).sum(..).item::<i64>()?;
    ensure(wrong == 0, || format!("{wrong} of {length} elements are not in order"))?;
    drop((shuffled, sorted));
    works(device, &kept, base)?;
    drop(kept);
    device.synchronize()?;
    let live = device.memory()?.live;
    ensure(live == before, || format!("{live} bytes live of {before} before"))?;
    device.release_memory()?;
    Ok(format!(
        "{} at once refused ({} free); {blocks} arrays of {} until {} live, {} cached, {} free; under a limit a sort \
         refused with {} live; all values kept, live {live} after all",
        megabytes(requested),
        megabytes(state.free),
        megabytes(block),
        megabytes(full.live),
        megabytes(full.cached),
        megabytes(full.free),
        megabytes(limited.live),
    ))
}

/// The figures of an error that has to be, which stand in its words.
fn refusal(what: &str, outcome: ndany::Result<()>) -> Outcome<(usize, MemoryState)> {
    let Err(error) = outcome else {
        return Err(failure(format!("{what}: more memory than there is was given")));
    };
    let text = error.to_string();
    let cause = match &error {
        Error::Failed { source, .. } => source,
        other => other,
    };
    let &Error::OutOfMemory { requested, memory: Some(state), .. } = cause else {
        return Err(error.into());
    };
    let MemoryState { live, cached, free } = state;
    let figures = format!("{requested} bytes requested, {live} live, {cached} cached, {free} free");
    ensure(text.contains(&figures), || format!("no {figures:?} in {text:?}"))?;
    Ok((requested, state))
}

/// Arrays have the values they had.
fn correct(kept: &[Array]) -> Outcome {
    for (k, array) in (0..).zip(kept) {
        let sum = array.sum(..).item::<i64>()?;
        let expected = 3 * KEPT.0 * (KEPT.0 - 1) / 2 + k * KEPT.0;
        ensure(sum == expected, || format!("array {k} sums to {sum}, not {expected}"))?;
        let wrong = array.not_equal(arange(KEPT.0) * 3 + k).sum(..).item::<i64>()?;
        ensure(wrong == 0, || format!("{wrong} elements of array {k} have changed"))?;
    }
    Ok(())
}

/// The device computes, arrays have the values they had, and nothing else is live.
fn works(device: &Device, kept: &[Array], live: usize) -> Outcome {
    correct(kept)?;
    device.synchronize()?;
    let now = device.memory()?.live;
    ensure(now == live, || format!("{now} bytes live, not {live}"))
}
