//! Arrays of more than 2^31 elements: add, sum, cumsum, sort, slice and take, with values that are known beforehand.
//!
//! Patterns have periods that do not divide 2^31, so a position that lost its upper bits has another value. Results are
//! compared with the pattern on the device, all of them, and read to the host in positions: the start, both sides of 2^31,
//! the end. The sort of F32 needs the most memory: the array, its result and two more of the size, 35 GB.

use ndany::{Array, DType, Device, Element, arange, s};

use crate::Setting;
use crate::numbers::{Random, ensure};
use crate::support::Outcome;

/// Elements, and an odd number of them after those.
const FULL: i64 = (1 << 31) + TAIL;
const SMALL: i64 = (1 << 17) + TAIL;
const TAIL: i64 = 3 * 4096 + 5;

/// What can be done with the values of a dtype.
struct Kind {
    dtype: DType,
    /// Of `x` and `y` for the sum of two arrays: primes, so that sums are exact.
    periods: [i64; 2],
    /// How many values are sorted, a power of two.
    values: i64,
}

pub fn bytes(setting: &Setting) -> Outcome<String> {
    let kind = Kind { dtype: DType::U8, periods: [127, 101], values: 256 };
    all::<u8>(setting, &kind, i64::from)
}

pub fn floats(setting: &Setting) -> Outcome<String> {
    let values = setting.size(1 << 24, 1 << 12);
    let kind = Kind { dtype: DType::F32, periods: [8_388_593, 1021], values };
    all::<f32>(setting, &kind, |x| x as i64)
}

fn all<T: Element>(setting: &Setting, kind: &Kind, number: fn(T) -> i64) -> Outcome<String> {
    let device = &setting.device;
    let size = setting.size(FULL, SMALL);
    let large = Large { device, size, kind, number };
    add_and_slice(&large)?;
    large.release()?;
    take(&large)?;
    large.release()?;
    sum_and_cumsum(&large)?;
    large.release()?;
    sort(&large)?;
    let peak = match device.memory() {
        Ok(memory) if !setting.small => {
            format!(", most memory {:.1} GB", memory.peak_live as f64 / 1e9)
        }
        Ok(_) | Err(_) => String::new(),
    };
    large.release()?;
    Ok(format!(
        "add, slice, take, sum, cumsum, sort of {size} elements of {}: right{peak}",
        kind.dtype
    ))
}

struct Large<'s, T> {
    device: &'s Device,
    size: i64,
    kind: &'s Kind,
    number: fn(T) -> i64,
}

/// 0, 1, 2, …: part of whatever is made of it, never an array of its own.
fn iota(size: i64) -> Array {
    arange(size)
}

impl<T: Element> Large<'_, T> {
    /// `i % period`.
    fn periodic(&self, period: i64) -> Outcome<Array> {
        let array = (iota(self.size) % period).astype(self.kind.dtype);
        array.eval()?;
        Ok(array)
    }

    /// Gives memory back to the driver, so that the next part finds it in one piece.
    fn release(&self) -> Outcome {
        self.device.synchronize()?;
        if self.device.memory().is_ok() {
            self.device.release_memory()?;
        }
        Ok(())
    }

    /// Stretches that are read: the start, both sides of 2^31, the end, and some in between.
    fn positions(&self) -> Vec<i64> {
        let mut random = Random(31);
        let middle = (self.size - TAIL) / 4096 * 4096;
        let mut positions = vec![0, middle - 40, middle, middle + 4090, self.size - LOOK];
        positions.extend((0..200).map(|_| random.below((self.size - LOOK) as usize) as i64));
        positions
    }

    /// Reads such stretches.
    fn look<V: Element>(
        &self,
        what: &str,
        array: &Array,
        number: fn(V) -> i64,
        expected: impl Fn(i64) -> i64,
    ) -> Outcome {
        for begin in self.positions() {
            let values = array.i(begin as usize..(begin + LOOK) as usize).to_vec::<V>()?;
            for (k, value) in (begin..).zip(values) {
                let (got, right) = (number(value), expected(k));
                ensure(got == right, || {
                    format!("{what} of {}: element {k} is {got}, not {right}", self.kind.dtype)
                })?;
            }
        }
        Ok(())
    }

    /// No element differs from what a pattern says.
    fn same(&self, what: &str, array: &Array, expected: Array) -> Outcome {
        let wrong = array.not_equal(expected).sum(..).item::<i64>()?;
        ensure(wrong == 0, || {
            format!("{what} of {}: {wrong} of {} elements are wrong", self.kind.dtype, array.size())
        })
    }
}

/// Elements of a stretch.
const LOOK: i64 = 80;

fn add_and_slice<T: Element>(large: &Large<'_, T>) -> Outcome {
    let ([p, q], dtype, size) = (large.kind.periods, large.kind.dtype, large.size);
    let sum = large.periodic(p)? + large.periodic(q)?;
    sum.eval()?;
    let right = |k: i64| k % p + k % q;
    large.look("add", &sum, large.number, right)?;
    large.same("add", &sum, (iota(size) % p + iota(size) % q).astype(dtype))?;
    // The far end; steps over the whole; all of it backwards.
    let read = |part: &Array| -> Outcome<Vec<i64>> {
        Ok(part.to_vec::<T>()?.into_iter().map(large.number).collect())
    };
    let far = size - TAIL - 5..size - 2;
    let values = read(&(sum.i(far.start as usize..far.end as usize) * 1))?;
    ensure(values.into_iter().eq(far.map(right)), || "slice: the far end is wrong".to_string())?;
    let step = size / 37 + 1;
    let values = read(&sum.i(s![..;step as isize]))?;
    let steps = (0..size).step_by(step as usize).map(right);
    ensure(values.into_iter().eq(steps), || "slice: steps are wrong".to_string())?;
    let backwards = sum.i(s![..;-1]).copy();
    drop(sum);
    backwards.eval()?;
    large.look("slice", &backwards, large.number, |k| right(size - 1 - k))?;
    let index = || iota(size) * -1 + (size - 1);
    large.same("slice", &backwards, (index() % p + index() % q).astype(dtype))
}

fn take<T: Element>(large: &Large<'_, T>) -> Outcome {
    let (period, size) = (large.kind.periods[0], large.size);
    let array = large.periodic(period)?;
    let mut random = Random(5);
    let middle = size - TAIL;
    let mut index = vec![0, -1, size - 1, -size, middle - 1, middle, middle + 1];
    let count = if size == FULL { 1 << 20 } else { 1 << 12 };
    index.extend((0..count).map(|_| random.below(2 * size as usize) as i64 - size));
    let taken = array.take(Array::from(index.as_slice()), 0).to_vec::<T>()?;
    for (&at, value) in index.iter().zip(taken) {
        let (got, right) = ((large.number)(value), at.rem_euclid(size) % period);
        ensure(got == right, || format!("take: element {at} is {got}, not {right}"))?;
    }
    let outside = array.take(Array::from([0, size]), 0).to_vec::<T>();
    ensure(outside.is_err(), || format!("take: there is no element {size}"))
}

/// Of every 1024 elements the first are 3, 2, 1, the others 0: sums stay below 2^24, where F32 has every integer.
fn sparse(size: i64) -> Array {
    (iota(size).bitwise_and(1023) * -1 + 3).maximum(0)
}

fn sum_and_cumsum<T: Element>(large: &Large<'_, T>) -> Outcome {
    let (dtype, size) = (large.kind.dtype, large.size);
    // Of the first k + 1 elements.
    let running = |k: i64| (k >> 10) * 6 + [3, 5, 6][(k & 1023).min(2) as usize];
    let array = sparse(size).astype(dtype);
    array.eval()?;
    let total = array.sum(..).astype(DType::I64).item::<i64>()?;
    let right = running(size - 1);
    ensure(total == right, || format!("sum of {dtype}: {total}, not {right}"))?;
    let sums = array.cumsum(0);
    sums.eval()?;
    drop(array);
    match sums.dtype() {
        DType::U64 => large.look::<u64>("cumsum", &sums, |x| x as i64, running)?,
        _ => large.look::<f32>("cumsum", &sums, |x| x as i64, running)?,
    }
    let (block, rest) = (iota(size).bitwise_right_shift(10) * 6, || iota(size).bitwise_and(1023));
    let expected = block + rest().minimum(1) * 2 + (rest() - 1).maximum(0).minimum(1) + 3;
    large.same("cumsum", &sums, expected.astype(sums.dtype()))
}

/// Each value stands in the array equally often, but for those of the tail, at the positions of a permutation.
fn sort<T: Element>(large: &Large<'_, T>) -> Outcome {
    let (dtype, values, size) = (large.kind.dtype, large.kind.values, large.size);
    let value = |k: i64| (k * 40_503) & (values - 1);
    let array = (iota(size) * 40_503).bitwise_and(values - 1).astype(dtype);
    array.eval()?;
    large.look("sort (its source)", &array, large.number, value)?;
    let sorted = array.sort(0);
    sorted.eval()?;
    drop(array);
    let whole = (size - TAIL) / values;
    let mut tail: Vec<i64> = (size - TAIL..size).map(value).collect();
    tail.sort_unstable();
    // Elements below a value.
    let below = |value: i64| value * whole + tail.partition_point(|&other| other < value) as i64;
    let right = |k: i64| {
        let (mut least, mut most) = (0, values);
        while most - least > 1 {
            let middle = (least + most) / 2;
            if below(middle) <= k { least = middle } else { most = middle }
        }
        least
    };
    large.look("sort", &sorted, large.number, right)?;
    let [before, after] = [sorted.i(..size as usize - 1), sorted.i(1..)];
    let falls = before.greater(after).sum(..).item::<i64>()?;
    ensure(falls == 0, || format!("sort of {dtype}: {falls} neighbours are out of order"))?;
    let sum = sorted.astype(DType::I64).sum(..).item::<i64>()?;
    let expected = whole * (values * (values - 1) / 2) + tail.iter().sum::<i64>();
    ensure(sum == expected, || format!("sort of {dtype}: elements sum to {sum}, not {expected}"))
}
