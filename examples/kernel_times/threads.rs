//! Kernels of threads and blocks beside the same in C++ text: a tiled product, counts, a launch.

use std::time::Instant;

use ndany::kernel::simt::*;
use ndany::kernel::{Init, RawKernel};
use ndany::prelude::*;

use crate::support::{Outcome, failure};

/// Calls that are timed together.
const CALLS: u32 = 20;

#[kernel]
fn matmul<const TILE: u32>(a: &Matrix<f32>, b: &Matrix<f32>, c: &mut Matrix<f32>) {
    let (x, y) = (shared::<f32>(TILE * TILE), shared::<f32>(TILE * TILE));
    let (i, j, r, s) = (global_y(), global_x(), thread_y(), thread_x());
    let mut sum = 0.0f32;
    for tile in 0..ceil_div(a.columns(), TILE) {
        let (u, v) = (tile * TILE + s, tile * TILE + r);
        x[r * TILE + s] = if i < a.rows() && u < a.columns() { a[(i, u)] } else { 0 };
        y[r * TILE + s] = if v < b.rows() && j < b.columns() { b[(v, j)] } else { 0 };
        barrier();
        for k in 0..TILE {
            sum = x[r * TILE + k].mul_add(y[k * TILE + s], sum);
        }
        barrier();
    }
    if i < c.rows() && j < c.columns() {
        c[(i, j)] = sum;
    }
}

/// The same in C++.
const MATMUL: &str = "
    SHARED f32 x[TILE][TILE];
    SHARED f32 y[TILE][TILE];
    const u32 i = global_y(), j = global_x(), r = thread_y(), s = thread_x();
    const u32 rows = a.extent(0), inner = a.extent(1), columns = b.extent(1);
    f32 sum = 0;
    for (u32 first = 0; first < inner; first += TILE) {
        x[r][s] = i < rows && first + s < inner ? a(i, first + s) : 0.0f;
        y[r][s] = first + r < inner && j < columns ? b(first + r, j) : 0.0f;
        barrier();
        for (u32 k = 0; k < TILE; k++) sum = fused(x[r][k], y[k][s], sum);
        barrier();
    }
    if (i < rows && j < columns) c(i, j) = sum;";

/// Counts of 256 values, in shared memory first.
#[kernel]
fn histogram(x: &[u8], counts: &mut [u32]) {
    let local = shared::<u32>(256);
    for bin in (thread_x()..256).step_by(block_size_x()) {
        local[bin] = 0;
    }
    barrier();
    for i in (global_x()..x.len()).step_by(grid_size()) {
        local.atomic_add(x[i], 1);
    }
    barrier();
    for bin in (thread_x()..256).step_by(block_size_x()) {
        counts.atomic_add(bin, local[bin]);
    }
}

#[kernel]
fn difference(x: &[f32], y: &mut [f32]) {
    let i = global_x();
    if i < y.len() {
        y[i] = x[i] - y[i];
    }
}

pub(super) fn run(device: &Device, size: usize) -> Outcome {
    product(device, size)?;
    counts(device, size)?;
    launches(device)
}

/// Milliseconds of a call.
fn each(device: &Device, calls: u32, work: impl FnMut() -> ndany::Result<()>) -> Outcome<f64> {
    Ok(crate::support::each(device, calls, work)? * 1e3)
}

fn product(device: &Device, size: usize) -> Outcome {
    let mut rng = Generator::new(19);
    let mut matrix = || rng.uniform(-1.0, 1.0, (size, size)).astype(F32);
    let (a, b) = (matrix(), matrix());
    a.eval()?;
    b.eval()?;
    let kernel = matmul::<16>();
    let blocks = (size as u32).div_ceil(16);
    let mut c = zeros((size, size), F32);
    let mut own = || kernel.launch(device, (blocks, blocks), (16, 16), (&a, &b, &mut c)).map(drop);
    let begun = Instant::now();
    own()?;
    device.synchronize()?;
    let first = begun.elapsed().as_secs_f64() * 1e3;
    let calls = if size > 600 { CALLS } else { 1 };
    let own = each(device, calls, own)?;
    let library = each(device, calls, || a.matmul(&b).eval())?;
    let error = (&c - a.matmul(&b)).abs().max(..).astype(F64).item::<f64>()?;
    println!(
        "a product of {size}² float32 by tiles: {own:.3} ms as a kernel ({first:.0} ms at first), {library:.3} ms by the library, \
         largest difference {error:.0e}"
    );
    if error > 1e-6 * size as f64 {
        return Err(failure("the product is not that of the library"));
    }
    let raw = RawKernel::new("matmul", MATMUL)
        .input("a", (F32, 2))
        .input("b", (F32, 2))
        .inout("c", (F32, 2))
        .define("TILE", 16);
    let mut d = zeros((size, size), F32);
    // SAFETY: every index is compared with the extents.
    let mut text =
        || unsafe { raw.launch(device, (blocks, blocks), (16, 16), (&a, &b, &mut d)).map(drop) };
    match text() {
        Ok(()) => {
            let text = each(device, calls, text)?;
            println!("  the same in C++ {text:.3} ms: {:.0} % of its speed", 100.0 * text / own);
            if !c.array_equal(&d)? {
                return Err(failure("the kernel and its text differ"));
            }
        }
        Err(error) if error.is_unsupported() => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn counts(device: &Device, size: usize) -> Outcome {
    let count = 16 * size * size;
    let x = Generator::new(23).integers(0..256, count).astype(U8);
    x.eval()?;
    let kernel = histogram();
    let mut found = zeros(256, U32);
    kernel.launch(device, 528, 256, (&x, &mut found))?;
    if !found.astype(I64).array_equal(x.astype(I64).bincount(..))? {
        return Err(failure("the counts are not those of bincount"));
    }
    let own = each(device, 5, || {
        let made = kernel.launch(device, 528, 256, (&x, ([256], Init::Zeros)));
        made.map(drop)
    })?;
    println!("counts of {count} bytes: {own:.3} ms, {:.0} GB/s", count as f64 / own / 1e6);
    Ok(())
}

fn launches(device: &Device) -> Outcome {
    let (x, mut y) = (ones(1000, F32), ones(1000, F32));
    x.eval()?;
    let kernel = difference();
    let own = each(device, 5000, || kernel.launch(device, 4, 256, (&x, &mut y)).map(drop))?;
    println!("a launch of a kernel of threads, back to back: {:.2} µs", own * 1e3);
    Ok(())
}
