//! Kernels of threads and blocks.

#![allow(dead_code, reason = "tests use some of them, and the example others")]

use ndany::kernel::simt::*;

/// Bins of a histogram.
pub const BINS: u32 = 32;

#[kernel]
pub fn saxpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
    let i = global_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// A product of matrices by tiles in shared memory.
#[kernel]
pub fn matmul<T: Real, const TILE: u32>(a: &Matrix<T>, b: &Matrix<T>, c: &mut Matrix<T>) {
    let (x, y) = (shared::<T>(TILE * TILE), shared::<T>(TILE * TILE));
    let (i, j, r, s) = (global_y(), global_x(), thread_y(), thread_x());
    let mut sum = T::zero();
    for tile in 0..ceil_div(a.columns(), TILE) {
        let (u, v) = (tile * TILE + s, tile * TILE + r);
        x[r * TILE + s] = if i < a.rows() && u < a.columns() { a[(i, u)] } else { 0 };
        y[r * TILE + s] = if v < b.rows() && j < b.columns() { b[[v, j]] } else { 0 };
        barrier();
        for k in 0..TILE {
            sum += x[r * TILE + k] * y[k * TILE + s];
        }
        barrier();
    }
    if i < c.rows() && j < c.columns() {
        c[(i, j)] = sum;
    }
}

/// Counts values, in shared memory first.
#[kernel]
pub fn histogram(x: &[u32], counts: &mut [u32]) {
    let local = shared::<u32>(BINS);
    for bin in (thread_x()..BINS).step_by(block_size_x()) {
        local[bin] = 0;
    }
    barrier();
    for i in (global_x()..x.len()).step_by(grid_size()) {
        local.atomic_add(x[i] % BINS, 1);
    }
    barrier();
    for bin in (thread_x()..BINS).step_by(block_size_x()) {
        counts.atomic_add(bin, local[bin]);
    }
}

/// The sum of a warp, in its first lane.
#[device]
fn warp_sum<T: Real>(x: T) -> T {
    let (mut sum, mut step) = (x, lanes() / 2);
    while step > 0 {
        sum += exchange_down(sum, step);
        step /= 2;
    }
    sum
}

/// The sum of each block.
#[kernel]
pub fn block_sums<T: Real>(x: &[T], sums: &mut [T]) {
    let (partial, i) = (shared::<T>(32), global_x());
    let sum = warp_sum(if i < x.len() { x[i] } else { T::zero() });
    if lane() == 0 {
        partial[warp()] = sum;
    }
    barrier();
    if warp() == 0 {
        let mine = if lane() < ceil_div(block_size_x(), lanes()) { partial[lane()] } else { 0 };
        let total = warp_sum(mine);
        if lane() == 0 {
            sums[block_x()] = total;
        }
    }
}

/// Sums of the first elements of each block, by doubling steps between two halves of a buffer.
#[kernel]
pub fn prefix_sums<T: Real>(x: &[T], y: &mut [T]) {
    let (buffer, i, n) = (shared::<T>(2 * 128), thread_x(), block_size_x());
    buffer[i] = x[global_x()];
    barrier();
    let (mut from, mut step) = (0u32, 1u32);
    while step < n {
        let to = n - from;
        let mine = buffer[from + i];
        buffer[to + i] = if i >= step { buffer[from + i - step] + mine } else { mine };
        (from, step) = (to, step * 2);
        barrier();
    }
    y[global_x()] = buffer[from + i];
}

/// Sorts `N` elements a block.
#[kernel]
pub fn bitonic_sort<T: Real, const N: u32>(x: &mut [T]) {
    let (part, i) = (shared::<T>(N), thread_x());
    let at = block_x() * N + i;
    part[i] = x[at];
    barrier();
    let mut size = 2u32;
    while size <= N {
        let mut step = size / 2;
        while step > 0 {
            let other = i ^ step;
            if other > i {
                let (a, b) = (part[i], part[other]);
                if (a > b) == (i & size == 0) {
                    (part[i], part[other]) = (b, a);
                }
            }
            barrier();
            step /= 2;
        }
        size *= 2;
    }
    x[at] = part[i];
}

/// Newton's forces between bodies: rows of (x, y, z, mass).
#[kernel]
pub fn forces<const BLOCK: u32>(softening: f32, bodies: &Matrix<f32>, force: &mut Matrix<f32>) {
    let (sx, sy) = (shared::<f32>(BLOCK), shared::<f32>(BLOCK));
    let (sz, mass) = (shared::<f32>(BLOCK), shared::<f32>(BLOCK));
    let (i, t, n) = (global_x(), thread_x(), bodies.rows());
    let (x, y, z) = if i < n {
        (bodies[(i, 0)], bodies[(i, 1)], bodies[(i, 2)])
    } else {
        (0.0f32, 0.0f32, 0.0f32)
    };
    let (mut fx, mut fy, mut fz) = (0.0f32, 0.0f32, 0.0f32);
    for tile in 0..ceil_div(n, BLOCK) {
        let j = tile * BLOCK + t;
        if j < n {
            (sx[t], sy[t]) = (bodies[(j, 0)], bodies[(j, 1)]);
            (sz[t], mass[t]) = (bodies[(j, 2)], bodies[(j, 3)]);
        } else {
            (sx[t], sy[t], sz[t], mass[t]) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
        }
        barrier();
        for k in 0..BLOCK {
            let (dx, dy, dz) = (sx[k] - x, sy[k] - y, sz[k] - z);
            let r2 = dx * dx + dy * dy + dz * dz + softening;
            let f = mass[k] / (r2 * r2.sqrt());
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
        }
        barrier();
    }
    if i < n {
        (force[(i, 0)], force[(i, 1)], force[(i, 2)]) = (fx, fy, fz);
    }
}

/// A sparse matrix in compressed rows times a vector: a warp a row, whose lanes take the products in turn.
#[kernel]
pub fn sparse_product<T: Real>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    y: &mut [T],
) {
    let row = block_x() * (block_size_x() / lanes()) + warp();
    if row < y.len() {
        let mut sum = T::zero();
        for at in (starts[row] + lane()..starts[row + 1]).step_by(lanes()) {
            sum += values[at] * x[columns[at]];
        }
        let total = warp_sum(sum);
        if lane() == 0 {
            y[row] = total;
        }
    }
}

/// Steps until a point leaves the circle of radius 2.
#[kernel]
pub fn mandelbrot<T: Float>(limit: u32, re: &[T], im: &[T], steps: &mut [u32]) {
    let i = global_x();
    if i >= steps.len() {
        return;
    }
    let (mut x, mut y, mut n) = (T::zero(), T::zero(), 0u32);
    while n < limit {
        let (x2, y2) = (x * x, y * y);
        if x2 + y2 > 4.0 {
            break;
        }
        y = 2.0 * x * y + im[i];
        x = x2 - y2 + re[i];
        n += 1;
    }
    steps[i] = n;
}

/// The position of a number among sorted ones, or where it would be; and whether it is there.
#[device]
fn search(x: &[i32], wanted: i32) -> (u32, bool) {
    let (mut low, mut high) = (0u32, x.len());
    while low < high {
        let middle = (low + high) / 2;
        if x[middle] == wanted {
            return (middle, true);
        }
        if x[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low, false)
}

#[kernel]
pub fn search_all(x: &[i32], wanted: &[i32], places: &mut Matrix<u32>) {
    let i = global_x();
    if i < places.rows() {
        let (place, found) = search(&x, wanted[i]);
        places[(i, 0)] = place;
        places[(i, 1)] = match found as u32 {
            0 => 0u32,
            _ => 1,
        };
    }
}

/// Numbers that are known when the kernel is recorded.
#[kernel(unordered)]
pub fn known<const N: u32>(#[comptime] factor: f32, #[comptime] twice: bool, y: &mut [f32]) {
    const STEP: u32 = 2;
    let n = 4;
    #[comptime]
    let last = [N, STEP][1];
    let i = thread_x();
    let scale = if twice { 2.0 * factor } else { factor };
    if i < N && N > n {
        y.atomic_add(i % n, scale);
        if twice {
            y.atomic_add(last + n, 0.5);
        }
    }
}

/// All threads of a block write one element.
#[kernel]
pub fn race(y: &mut [u32]) {
    y[block_x()] = thread_x();
}

/// This file.
pub const FILE: &str = file!();

/// The first line of `divergent`.
pub const DIVERGENT: u32 = line!() + 1;
#[kernel]
pub fn divergent(y: &mut [u32]) {
    let i = thread_x();
    if i < 3 {
        y[i] = 1;
        barrier();
    }
}

/// Reads and writes one element beyond the last.
#[kernel]
pub fn beyond(x: &[u32], y: &mut [u32]) {
    let i = global_x();
    y[i + 1] = x[i];
}

/// A size that no array has.
#[kernel]
pub fn negative_size(y: &mut [f32]) {
    let part = shared::<f32>(-16);
    y[0] = part[0];
}

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

/// Functions that call each other.
#[kernel]
pub fn circle(y: &mut [bool]) {
    y[0] = even(7u32);
}
