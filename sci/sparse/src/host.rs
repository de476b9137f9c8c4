//! Sorts and products on the CPU, where memory is written in any order at the cost of a read: keys are sorted by counting them, and a
//! product of two sparse arrays adds into a row that is as long as the right one's. Sums are in the order of all devices.

use ndany_array::{Array, DType, Device, Element, Result};

use crate::kernels::RUN;
use crate::support::positions;
use crate::threads::Sorted;

/// Whether a device is the CPU, whose memory is the host's, and tables of so many numbers are not much larger than `count` entries.
fn suits(device: &Device, table: usize, count: usize) -> bool {
    let is_host = device.native().is_none() && device.name() == "cpu";
    is_host && table <= count.saturating_mul(8).max(1 << 16)
}

fn array_of<T: Element>(values: Vec<T>, device: &Device) -> Array {
    let _guard = device.enter();
    Array::from(values)
}

/// The order that sorts keys below `extent`, equal ones as they are, and where each key begins and the last one ends.
fn counted(keys: &[usize], extent: usize) -> [Vec<i64>; 2] {
    let mut begins = vec![0i64; extent + 1];
    for &key in keys {
        begins[key + 1] += 1;
    }
    for key in 0..extent {
        begins[key + 1] += begins[key];
    }
    let mut next = begins.clone();
    let mut order = vec![0i64; keys.len()];
    for (position, &key) in keys.iter().enumerate() {
        order[next[key] as usize] = position as i64;
        next[key] += 1;
    }
    [order, begins]
}

/// The order that sorts keys below `extent`, equal ones as they are, and where each key begins and the last one ends, as int64; on
/// the CPU.
#[track_caller]
pub(crate) fn order_of_keys(keys: &Array, extent: usize) -> Result<Option<[Array; 2]>> {
    let device = keys.device();
    if !suits(device, extent, keys.size()) {
        return Ok(None);
    }
    Ok(Some(counted(&positions(keys)?, extent).map(|part| array_of(part, device))))
}

/// Places that are sorted by row, then by column, equal ones as they are; on the CPU.
#[track_caller]
pub(crate) fn sort_places(rows: &Array, columns: &Array, extent: usize) -> Result<Option<Sorted>> {
    let device = rows.device();
    if !suits(device, extent, rows.size()) {
        return Ok(None);
    }
    let (keys, places) = (positions(rows)?, positions(columns)?);
    let [mut order, begins] = counted(&keys, extent);
    let mut twice = false;
    for row in begins.windows(2) {
        let row = &mut order[row[0] as usize..row[1] as usize];
        if !row.is_sorted_by_key(|&entry| places[entry as usize]) {
            row.sort_by_key(|&entry| places[entry as usize]);
        }
        twice |= row.windows(2).any(|pair| places[pair[0] as usize] == places[pair[1] as usize]);
    }
    let [order, indptr] = [order, begins].map(|part| array_of(part, device));
    let columns = columns.take(&order, ..);
    Ok(Some(Sorted { order, indptr, columns, twice }))
}

/// The sums of runs of the values of each key below `extent`, in their order, as [`RUN`] says; every key has at least one run.
pub(crate) struct Runs {
    pub(crate) sums: Array,
    /// The first run of each key, unless each key has one.
    pub(crate) first: Option<Array>,
}

/// The sums of runs of the values of each key, on the CPU, of float32, float64 and int64.
#[track_caller]
pub(crate) fn run_sums(keys: &Array, values: &Array, extent: usize) -> Result<Option<Runs>> {
    if !suits(keys.device(), extent, keys.size()) || u32::try_from(keys.size()).is_err() {
        return Ok(None);
    }
    match values.dtype() {
        DType::F32 => sums_of(keys, values, extent, 0f32, |x, y| x + y),
        DType::F64 => sums_of(keys, values, extent, 0f64, |x, y| x + y),
        DType::I64 => sums_of(keys, values, extent, 0i64, i64::wrapping_add),
        _ => Ok(None),
    }
}

#[track_caller]
fn sums_of<T: Element>(
    keys: &Array,
    values: &Array,
    extent: usize,
    zero: T,
    add: impl Fn(T, T) -> T,
) -> Result<Option<Runs>> {
    let device = keys.device();
    let (keys, values) = (positions(keys)?, values.to_vec::<T>()?);
    let mut counts = vec![0u32; extent];
    let mut most = 0;
    for &key in &keys {
        counts[key] += 1;
        most = most.max(counts[key]);
    }
    if most <= RUN {
        let mut sums = vec![zero; extent];
        for (&key, &value) in keys.iter().zip(&values) {
            sums[key] = add(sums[key], value);
        }
        return Ok(Some(Runs { sums: array_of(sums, device), first: None }));
    }
    // The run of the next value of each key, and the values that it has.
    let mut runs = 0usize;
    let mut next = Vec::with_capacity(extent);
    for &count in &counts {
        next.push((runs, 0));
        runs += count.div_ceil(RUN).max(1) as usize;
    }
    let first = next.iter().map(|&(first, _)| first as i64).collect();
    let mut sums = vec![zero; runs];
    for (&key, &value) in keys.iter().zip(&values) {
        let (run, count) = &mut next[key];
        sums[*run] = add(sums[*run], value);
        *count += 1;
        if *count == RUN {
            (*run, *count) = (*run + 1, 0);
        }
    }
    Ok(Some(Runs { sums: array_of(sums, device), first: Some(array_of(first, device)) }))
}

/// The product of two arrays of compressed rows, of which `indptr`, `indices` and values are given, and the right one has so many columns:
/// `indptr`, `indices` and values, on the CPU, of float32 and float64.
#[track_caller]
pub(crate) fn multiply(
    left: [&Array; 3],
    right: [&Array; 3],
    columns: usize,
) -> Result<Option<[Array; 3]>> {
    match DType::promote(left[2].dtype(), right[2].dtype()) {
        DType::F32 => product::<f32>(left, right, columns),
        DType::F64 => product::<f64>(left, right, columns),
        _ => Ok(None),
    }
}

#[track_caller]
fn product<T>(left: [&Array; 3], right: [&Array; 3], columns: usize) -> Result<Option<[Array; 3]>>
where
    T: Element + Default + PartialEq + std::ops::Mul<Output = T> + std::ops::AddAssign,
{
    let device = left[2].device();
    if !suits(device, 0, 0) {
        return Ok(None);
    }
    let [left_begins, inner] = [positions(left[0])?, positions(left[1])?];
    let [right_begins, right_columns] = [positions(right[0])?, positions(right[1])?];
    let count: usize = inner.iter().map(|&row| right_begins[row + 1] - right_begins[row]).sum();
    if !suits(device, columns, count) {
        return Ok(None);
    }
    let a: Vec<T> = left[2].astype(T::DTYPE).to_vec()?;
    let b: Vec<T> = right[2].astype(T::DTYPE).to_vec()?;
    let mut sums = vec![T::default(); columns];
    // The row in which a column was met last, counted from 1.
    let mut met = vec![0usize; columns];
    let mut own = Vec::new();
    let (mut indptr, mut indices, mut values) = (vec![0i64], Vec::new(), Vec::new());
    for (row, bounds) in left_begins.windows(2).enumerate() {
        own.clear();
        for entry in bounds[0]..bounds[1] {
            let factor = a[entry];
            for partner in right_begins[inner[entry]]..right_begins[inner[entry] + 1] {
                let column = right_columns[partner];
                if met[column] != row + 1 {
                    met[column] = row + 1;
                    sums[column] = T::default();
                    own.push(column);
                }
                sums[column] += factor * b[partner];
            }
        }
        let mut keep = |column: usize| {
            if sums[column] != T::default() {
                indices.push(column as i64);
                values.push(sums[column]);
            }
        };
        // Columns of a row that is nearly full are found in order faster than they are sorted.
        if own.len() > columns / 8 {
            (0..columns).filter(|&column| met[column] == row + 1).for_each(&mut keep);
        } else {
            own.sort_unstable();
            own.iter().copied().for_each(&mut keep);
        }
        indptr.push(indices.len() as i64);
    }
    Ok(Some([array_of(indptr, device), array_of(indices, device), array_of(values, device)]))
}
