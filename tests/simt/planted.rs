//! Kernels with one mistake each: races that the reference finds, and barriers and exchanges that not all threads reach, which are
//! refused before anything runs.

use ndany::kernel::simt::*;

/// A kernel over arrays of 128 numbers in two blocks of 64 threads, and what is said of it.
pub type Planted = (fn() -> Kernel, &'static str);

pub const PLANTED: [Planted; 14] = [
    (two_writers, "race for element 0 of y"),
    (two_blocks, "race for element 0 of y"),
    (no_barrier, "race for element"),
    (barrier_once, "race for element"),
    (other_block, "race for element"),
    (atomic_and_plain, "race for element 0 of y"),
    (writes_while_read, "race for element"),
    (unwritten, "which no thread has written"),
    (in_branch, "a barrier at"),
    (in_loop, "a barrier at"),
    (after_return, "a barrier at"),
    (after_break, "a barrier at"),
    (by_a_variable, "a barrier at"),
    (exchange_in_branch, "an exchange at"),
];

#[kernel]
fn two_writers(x: &[u32], y: &mut [u32]) {
    y[thread_x() / 2] = x[global_x()];
}

#[kernel]
fn two_blocks(x: &[u32], y: &mut [u32]) {
    y[thread_x()] = x[global_x()];
}

/// A neighbour's value is read before or after it is there.
#[kernel]
fn no_barrier(x: &[u32], y: &mut [u32]) {
    let words = shared::<u32>(64);
    words[thread_x()] = 0;
    barrier();
    words[thread_x()] = x[global_x()];
    y[global_x()] = words[thread_x() ^ 1];
}

/// The next tile is written while some threads still read this one.
#[kernel]
fn barrier_once(x: &[u32], y: &mut [u32]) {
    let (words, mut sum) = (shared::<u32>(64), 0u32);
    for turn in 0..2 {
        words[thread_x()] = x[thread_x() + 64 * turn];
        barrier();
        sum += words[63 - thread_x()];
    }
    y[global_x()] = sum;
}

/// What another block writes is read, in whatever order they run.
#[kernel]
fn other_block(x: &[u32], y: &mut [u32]) {
    y[global_x()] = x[global_x()];
    barrier();
    let other = y[127 - global_x()];
    barrier();
    y[global_x()] = other;
}

#[kernel]
fn atomic_and_plain(x: &[u32], y: &mut [u32]) {
    y.atomic_add(0, x[global_x()]);
    if thread_x() == 5 {
        y[1] = y[0];
    }
}

/// Elements are moved by one, in place.
#[kernel]
fn writes_while_read(x: &[u32], y: &mut [u32]) {
    let i = thread_x();
    if block_x() == 0 && i < 63 {
        y[i] = y[i + 1] + x[i];
    }
}

#[kernel]
fn unwritten(x: &[u32], y: &mut [u32]) {
    let words = shared::<u32>(64);
    if thread_x() < 32 {
        words[thread_x()] = x[thread_x()];
    }
    barrier();
    y[global_x()] = words[63 - thread_x()];
}

#[kernel]
fn in_branch(x: &[u32], y: &mut [u32]) {
    if x[global_x()] > 3 {
        barrier();
    }
    y[global_x()] = 1;
}

#[kernel]
fn in_loop(x: &[u32], y: &mut [u32]) {
    let mut turn = 0u32;
    while turn < x[thread_x()] {
        barrier();
        turn += 1;
    }
    y[global_x()] = turn;
}

#[kernel]
fn after_return(x: &[u32], y: &mut [u32]) {
    if global_x() >= 100 {
        return;
    }
    y[global_x()] = x[global_x()];
    barrier();
}

#[kernel]
fn after_break(x: &[u32], y: &mut [u32]) {
    let mut turn = 0u32;
    while turn < 5 {
        barrier();
        if lane() == turn {
            break;
        }
        turn += 1;
    }
    y[global_x()] = x[turn];
}

/// The same number of turns for all threads, but for those that change it.
#[kernel]
fn by_a_variable(x: &[u32], y: &mut [u32]) {
    let mut turns = 2u32;
    if thread_x() == 7 {
        turns = 3;
    }
    let mut turn = 0u32;
    while turn < turns {
        barrier();
        turn += 1;
    }
    y[global_x()] = x[turn];
}

#[kernel]
fn exchange_in_branch(x: &[u32], y: &mut [u32]) {
    let mut value = x[global_x()];
    if lane() < 16 {
        value += exchange_down(value, 16);
    }
    y[global_x()] = value;
}
