//! Kernels of neighbours at constant offsets, and running results along an axis: heat, the game of life, electromagnetic fields,
//! a linear recurrence; each beside the copy or the sum that moves as many bytes.

use ndany::kernel::{Boundary, Stencil, scan, stencil};
use ndany::prelude::*;

use crate::support::{Outcome, failure};

/// Calls that are timed together.
const CALLS: u32 = 20;

pub(super) fn run(device: &Device, size: usize) -> Outcome {
    heat(device, size)?;
    life(device, size)?;
    fields(device, size)?;
    recurrence(device, size)
}

/// Milliseconds of a call.
fn each(device: &Device, work: impl FnMut() -> ndany::Result<()>) -> Outcome<f64> {
    Ok(crate::support::each(device, CALLS, work)? * 1e3)
}

/// Gigabytes per second of `bytes` in this number of milliseconds.
fn rate(bytes: usize, milliseconds: f64) -> f64 {
    bytes as f64 / milliseconds / 1e6
}

fn heat(device: &Device, size: usize) -> Outcome {
    let step = stencil("heat", |_, [u]| {
        let around = u.at([-1, 0]) + u.at([1, 0]) + u.at([0, -1]) + u.at([0, 1]);
        [u.at([0, 0]) + (around - 4 * u.at([0, 0])) * 0.2]
    });
    let u = Generator::new(3).uniform(0.0, 1.0, (size, size)).astype(F32);
    u.eval()?;
    let padded = u.pad(1, ..);
    let around = padded.i(s![..-2, 1..-1])
        + padded.i(s![2.., 1..-1])
        + padded.i(s![1..-1, ..-2])
        + padded.i(s![1..-1, 2..]);
    if !step.call([&u])[0].array_equal(&u + (around - 4 * &u) * 0.2)? {
        return Err(failure("heat of the stencil is not that of arrays"));
    }
    let bytes = 8 * size * size;
    let kernel = each(device, || step.call([&u])[0].eval())?;
    let copy = each(device, || (&u + 1).eval())?;
    println!(
        "heat in {size}² float32 as a stencil: {kernel:.3} ms, {:.0} GB/s; an addition {copy:.3} ms, {:.0} GB/s",
        rate(bytes, kernel),
        rate(bytes, copy)
    );
    Ok(())
}

/// A generation of the game of life on a torus (Conway 1970).
fn life(device: &Device, size: usize) -> Outcome {
    let step = stencil("life", |_, [board]| {
        let cells = board.window([3, 3]);
        let count = cells.iter().copied().reduce(|sum, cell| sum + cell).unwrap_or(cells[4]);
        // Nine cells: three, or four with the one in the middle.
        [(count.equal(3) | (cells[4].equal(1) & count.equal(4))).astype(U8)]
    })
    .boundary(Boundary::Wrap);
    let board = Generator::new(5).integers(0..2, (size, size)).astype(U8);
    board.eval()?;
    let mut count = zeros((size, size), U8);
    for (di, dj) in (-1..2).flat_map(|di| (-1..2).map(move |dj| (di, dj))) {
        count += board.roll([di, dj], (0, 1));
    }
    let expected = count.equal(3) | (board.equal(1) & count.equal(4));
    if !step.call([&board])[0].array_equal(expected.astype(U8))? {
        return Err(failure("life of the stencil is not that of arrays"));
    }
    let kernel = each(device, || step.call([&board])[0].eval())?;
    let copy = each(device, || (&board + 1).eval())?;
    println!("life on {size}² as a stencil: {kernel:.3} ms; an addition {copy:.3} ms");
    Ok(())
}

/// Electric and magnetic fields along one direction each, in three dimensions (Yee 1966), between conducting walls.
fn fields(device: &Device, size: usize) -> Outcome {
    let edge = (((size * size) as f64).cbrt() as usize / 8 * 8).max(8);
    let curl = |name, sign: i64| -> Stencil<3, 1> {
        stencil(name, move |_, [own, first, second]| {
            let mut along = [0; 3];
            along[1] = sign;
            let mut across = [0; 3];
            across[2] = sign;
            let curl =
                (first.at(along) - first.at([0; 3])) - (second.at(across) - second.at([0; 3]));
            [own.at([0; 3]) + 0.5 * (sign * curl)]
        })
    };
    let (electric, magnetic) = (curl("electric", -1), curl("magnetic", 1));
    let shape = (edge, edge, edge);
    let mut rng = Generator::new(13);
    let mut field = || rng.normal(0.0, 1.0, shape).astype(F32);
    let [e, hy, hz] = [field(), field(), field()];
    for array in [&e, &hy, &hz] {
        array.eval()?;
    }
    let step = || -> ndany::Result<()> {
        let [e] = electric.call([&e, &hz, &hy]);
        let [h] = magnetic.call([&hz, &e, &hy]);
        h.eval()
    };
    let both = each(device, step)?;
    let bytes = 2 * 4 * 4 * edge * edge * edge;
    println!(
        "two fields of {edge}³ float32 as stencils: {both:.3} ms, {:.0} GB/s",
        rate(bytes, both)
    );
    Ok(())
}

/// The linear recurrence y[i] = a[i] · y[i - 1] + b[i].
fn recurrence(device: &Device, size: usize) -> Outcome {
    let kernel = scan(
        "recurrence",
        |_, [a, b]| [a, b],
        |_, [a, b], [c, d]| [a * c, c * b + d],
        |_, [_, y]| [y],
    );
    let count = size * size;
    let mut rng = Generator::new(17);
    for dtype in [F32, F64] {
        let (a, b) = (
            rng.uniform(-0.9, 0.9, count).astype(dtype),
            rng.normal(0.0, 1.0, count).astype(dtype),
        );
        a.eval()?;
        b.eval()?;
        let [y] = kernel.call((&a, &b), 0);
        let error = (&y.i(1..) - (&a.i(1..) * &y.i(..-1) + &b.i(1..))).abs().max(..);
        if error.astype(F64).item::<f64>()? > 1e-4 {
            return Err(failure(format!("the recurrence does not hold: {error}")));
        }
        let own = each(device, || kernel.call((&a, &b), 0)[0].eval())?;
        let sum = each(device, || a.cumsum(0).eval())?;
        let bytes = count * dtype.size();
        println!(
            "a recurrence of {count} {dtype}: {own:.3} ms, {:.0} GB/s; cumsum {sum:.3} ms, {:.0} GB/s",
            rate(3 * bytes, own),
            rate(2 * bytes, sum)
        );
    }
    Ok(())
}
