//! Many threads on one device: small arrays that are handed on, and streams that use each other's arrays.

use std::sync::mpsc;
use std::sync::{Barrier, Mutex, PoisonError};

use ndany::{Array, DType, Device, arange};

use crate::Setting;
use crate::numbers::{Random, ensure};
use crate::support::{Outcome, failure};

const THREADS: usize = 8;

/// Runs each thread's part on the device; the first error that is not the end of another thread.
fn in_threads(device: &Device, part: impl Fn(usize) -> Result<(), String> + Sync) -> Outcome {
    let outcomes: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let run = |number: usize| {
            let (part, device) = (&part, device.clone());
            scope.spawn(move || {
                let _guard = device.enter();
                part(number)
            })
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|outcome| outcome.unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    outcomes.into_iter().collect::<Result<(), String>>().map_err(failure)
}

/// An array on its way: what makes its values, and itself.
type Parcel = (i64, i64, Array);

fn made(length: i64, add: i64) -> Array {
    (arange(length) * 5 + add).astype(DType::I32)
}

/// Its values are right, read and reduced.
fn check((length, add, array): &Parcel) -> Result<(), String> {
    let words = |error: ndany::Error| error.to_string();
    let values = array.to_vec::<i32>().map_err(words)?;
    let expected = (0..*length).map(|k| (5 * k + add) as i32);
    let sum = (array * 2 - 1).sum(..).item::<i64>().map_err(words)?;
    let right = 5 * length * (length - 1) + 2 * add * length - length;
    match values.into_iter().eq(expected) && sum == right {
        true => Ok(()),
        false => {
            Err(format!("an array of {length} elements: wrong values, or sum {sum} for {right}"))
        }
    }
}

/// Each thread makes arrays, keeps some, hands some to the next thread, as they are or not yet computed, and drops what
/// it was handed.
pub fn arrays(setting: &Setting) -> Outcome<String> {
    let device = &setting.device;
    let live = device.memory().ok().map(|memory| memory.live);
    let each = setting.size(1000, 125);
    type Ends = (Mutex<Option<mpsc::Sender<Parcel>>>, Mutex<mpsc::Receiver<Parcel>>);
    let mut ends: Vec<(Option<mpsc::Sender<Parcel>>, mpsc::Receiver<Parcel>)> =
        (0..THREADS).map(|_| mpsc::channel()).map(|(to, from)| (Some(to), from)).collect();
    // Thread k sends to thread k + 1.
    let mut senders: Vec<_> = ends.iter_mut().map(|(to, _)| to.take()).collect();
    senders.rotate_left(1);
    let ends: Vec<Ends> = senders
        .into_iter()
        .zip(ends)
        .map(|(to, (_, from))| (Mutex::new(to), Mutex::new(from)))
        .collect();
    in_threads(device, |number| {
        let to = ends[number].0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let to = to.ok_or("a thread runs once")?;
        let from = ends[number].1.lock().unwrap_or_else(PoisonError::into_inner);
        let mut random = Random(number as u64);
        let mut own: Vec<Parcel> = Vec::new();
        for k in 0..each {
            let (length, add) = (1 + random.below(300) as i64, k + 1000 * number as i64);
            let parcel = (length, add, made(length, add));
            match k % 3 {
                0 => own.push(parcel),
                1 => to.send(parcel).map_err(|_| "the next thread has ended")?,
                _ => {
                    parcel.2.eval().map_err(|error| error.to_string())?;
                    to.send(parcel).map_err(|_| "the next thread has ended")?;
                }
            }
            if let Ok(parcel) = from.try_recv() {
                check(&parcel)?;
            }
            if own.len() > 20 {
                check(&own.swap_remove(random.below(own.len())))?;
            }
        }
        drop(to);
        own.iter().try_for_each(check)?;
        from.iter().try_for_each(|parcel| check(&parcel))
    })?;
    device.synchronize()?;
    let after = device.memory().ok().map(|memory| memory.live);
    ensure(after == live, || format!("{after:?} bytes live of {live:?} before"))?;
    let live = after.map_or(String::new(), |bytes| format!(", live {bytes} after all"));
    Ok(format!(
        "{} arrays in {THREADS} threads, two thirds handed on, all values right{live}",
        each * THREADS as i64
    ))
}

/// Round by round each thread makes, in a stream of its own, an array of its last one and its neighbour's; the device is
/// not waited for in between.
pub fn streams(setting: &Setting) -> Outcome<String> {
    let device = &setting.device;
    let (size, rounds) = (setting.size(1usize << 22, 1 << 12), setting.size(200, 30));
    let first = |number: usize| (arange(size as i64) + number as i64).bitwise_and(1023);
    let board: Vec<Mutex<Array>> = (0..THREADS).map(|number| Mutex::new(first(number))).collect();
    let held = |k: usize| board[k % THREADS].lock().unwrap_or_else(PoisonError::into_inner);
    let meeting = Barrier::new(THREADS);
    let streams = (0..THREADS).map(|_| device.stream(..)).collect::<ndany::Result<Vec<_>>>()?;
    in_threads(device, |number| {
        let _guard = streams[number].enter();
        let mut outcome = Ok(());
        // A thread that fails still goes to the barriers, which the others wait at.
        for _ in 0..rounds {
            let (own, neighbour) = (held(number).clone(), held(number + 1).clone());
            meeting.wait();
            let next = (own * 3 + neighbour + 1).bitwise_and(0xffff);
            outcome = outcome.and(next.eval());
            *held(number) = next;
            meeting.wait();
        }
        outcome.map_err(|error| error.to_string())
    })?;
    // The same for a few elements, on the host.
    let mut random = Random(9);
    let places: Vec<usize> = (0..64).map(|_| random.below(size)).chain([0, size - 1]).collect();
    for &place in &places {
        let mut values: Vec<i64> = (0..THREADS).map(|k| ((place + k) & 1023) as i64).collect();
        for _ in 0..rounds {
            let next = |k: usize| (values[k] * 3 + values[(k + 1) % THREADS] + 1) & 0xffff;
            values = (0..THREADS).map(next).collect();
        }
        for (k, expected) in values.into_iter().enumerate() {
            let got = held(k).i(place..place + 1).to_vec::<i64>()?[0];
            ensure(got == expected, || {
                format!("element {place} of thread {k}: {got}, not {expected}")
            })?;
        }
    }
    Ok(format!(
        "{THREADS} streams, {rounds} rounds over {size} elements of each other, {} values read: right",
        places.len() * THREADS
    ))
}
