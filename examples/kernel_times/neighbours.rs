//! Kernels that read an operand by position: heat in a plate, the game of life, and a sparse matrix times a vector.

use ndany::kernel::{OutOfRange, elementwise};
use ndany::prelude::*;

use crate::support::{Outcome, failure};
use crate::{milliseconds, timed};

pub(super) fn run(device: &Device, size: usize) -> Outcome {
    heat(device, size)?;
    life(device, size)?;
    sparse(device, size * size / 16)
}

/// One step of the heat equation by five points, the edges being held at zero.
fn heat(device: &Device, size: usize) -> Outcome {
    let step = elementwise("heat", |k, [u, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        let at = |i, j| all.at(([i, j], OutOfRange::fill(0)));
        [u + (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * u) * 0.2]
    })
    .whole(1);
    let u = Generator::new(3).uniform(0.0, 1.0, (size, size)).astype(F32);
    u.eval()?;
    let (next, with_kernel) = timed(device, || {
        let [next] = step.call([&u, &u]);
        next.eval()?;
        Ok(next)
    })?;
    let (expected, with_arrays) = timed(device, || {
        let padded = u.pad(1, ..);
        let around = padded.i(s![..-2, 1..-1])
            + padded.i(s![2.., 1..-1])
            + padded.i(s![1..-1, ..-2])
            + padded.i(s![1..-1, 2..]);
        let next = &u + (around - 4 * &u) * 0.2;
        next.eval()?;
        Ok(next)
    })?;
    println!(
        "heat in {size}² float32: {:.2} ms as a kernel, {:.2} ms as arrays; 8 bytes a point take {:.0} GB/s",
        milliseconds(with_kernel),
        milliseconds(with_arrays),
        8.0 * (size * size) as f64 / with_kernel.as_secs_f64() / 1e9
    );
    expect_equal("heat", &next, &expected)
}

/// A generation of the game of life on a torus (Conway 1970).
fn life(device: &Device, size: usize) -> Outcome {
    let step = elementwise("life", |k, [alive, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        let mut count = alive.zero();
        for (di, dj) in AROUND {
            count = count + all.at(([i + di, j + dj], OutOfRange::Wrap));
        }
        [(count.equal(3) | (alive.equal(1) & count.equal(2))).astype(U8)]
    })
    .whole(1);
    let board = Generator::new(5).integers(0..2, (size, size)).astype(U8);
    board.eval()?;
    let (next, with_kernel) = timed(device, || {
        let [next] = step.call([&board, &board]);
        next.eval()?;
        Ok(next)
    })?;
    let (expected, with_arrays) = timed(device, || {
        let rolled = AROUND.map(|(di, dj)| board.roll([-di as isize, -dj as isize], (0, 1)));
        let count = rolled.into_iter().fold(zeros((size, size), U8), |sum, one| sum + one);
        let next = (count.equal(3) | (board.equal(1) & count.equal(2))).astype(U8);
        next.eval()?;
        Ok(next)
    })?;
    println!(
        "life on {size}²: {:.2} ms as a kernel, {:.2} ms as arrays",
        milliseconds(with_kernel),
        milliseconds(with_arrays)
    );
    expect_equal("life", &next, &expected)
}

const AROUND: [(i64, i64); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// A sparse matrix by rows, of up to 31 entries each, times a vector: one element a row, which walks through its entries.
fn sparse(device: &Device, rows: usize) -> Outcome {
    let product = elementwise("sparse", |k, [begin, end, values, columns, x]| {
        let [sum, _] = k.repeat_while(
            u32::MAX,
            [values.at(0).zero(), begin],
            |[_, p]| p.less(end),
            |[sum, p]| [sum + values.at(p) * x.at(columns.at(p)), p + 1],
        );
        [sum]
    });
    let product = product.whole(2).whole(3).whole(4);
    let mut rng = Generator::new(9);
    let lengths = rng.integers(1..32, rows);
    let ends = lengths.cumsum(..);
    let begins = &ends - &lengths;
    let entries = ends.i(-1).item::<i64>()? as usize;
    let columns = rng.integers(0..rows as i64, entries);
    let (values, x) = (rng.uniform(-1.0, 1.0, entries), rng.uniform(-1.0, 1.0, rows));
    for array in [&begins, &ends, &columns, &values, &x] {
        array.eval()?;
    }
    let (y, with_kernel) = timed(device, || {
        let [y] = product.call([&begins, &ends, &values, &columns, &x]);
        y.eval()?;
        Ok(y)
    })?;
    let (expected, with_arrays) = timed(device, || {
        let y = np_add_reduceat(&(&values * x.take(&columns, ..)), &begins);
        y.eval()?;
        Ok(y)
    })?;
    println!(
        "a sparse matrix of {rows} rows and {entries} entries times a vector: {:.2} ms as a kernel, {:.2} ms as arrays",
        milliseconds(with_kernel),
        milliseconds(with_arrays)
    );
    let error = (y - expected).abs().max(..).item::<f64>()?;
    // Sums of at most 31 products below 1, in two orders.
    match error <= 31.0 * 31.0 * f64::EPSILON {
        true => Ok(()),
        false => Err(failure(format!("the sparse products differ by {error}"))),
    }
}

/// Sums of segments that begin at these positions.
fn np_add_reduceat(array: &Array, begins: &Array) -> Array {
    ndany::ufunc::add.reduceat(array, begins, 0)
}

fn expect_equal(what: &str, found: &Array, expected: &Array) -> Outcome {
    match found.array_equal(expected)? {
        true => Ok(()),
        false => Err(failure(format!("{what} of the kernel is not that of arrays"))),
    }
}
