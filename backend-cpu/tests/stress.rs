//! Threads that share lazy arrays: one writes in place where another has just read and dropped its handle.
//!
//! Every array holds consecutive integers, from any first one, and each step keeps that, so a write that races
//! with a read shows as a wrong value. `NDANY_STRESS_SECONDS` sets the duration; `.ci/tsan` runs it under
//! ThreadSanitizer, which reports races that caused no wrong value.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ndany_array::{Array, Device, arange, s};

ndany_core::providers![ndany_cpu::PROVIDER];

const THREADS: u64 = 6;
/// Below, at, and above the sizes that one thread computes and that the pool keeps.
const LENGTHS: [usize; 4] = [40, 700, 5_000, 70_000];
/// Slots of the board: few, so that threads meet.
const PLACES: usize = 5;

/// A generator of numbers that is random enough to choose steps.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Arrays that all threads take and replace. A lock is held to move handles and never to compute.
struct Board(Vec<Mutex<Array>>);

impl Board {
    fn new(length: usize) -> Self {
        Self((0..PLACES).map(|place| Mutex::new(fresh(length, place as i64))).collect())
    }

    fn look(&self, place: usize) -> Array {
        self.0[place].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn swap(&self, place: usize, array: Array) -> Array {
        let mut held = self.0[place].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, array)
    }
}

fn fresh(length: usize, first: i64) -> Array {
    arange((first, first + length as i64))
}

/// One step of a thread.
fn step(board: &Board, length: usize, dice: &mut Dice) {
    let [from, to] = [dice.below(PLACES), dice.below(PLACES)];
    let number = dice.below(100) as i64 - 50;
    match dice.below(12) {
        // Read and drop the handle: a writer may reuse the memory at once.
        0 => check(&board.look(from), length),
        1 => drop(board.look(from).eval()),
        // Pending, for whichever thread evaluates it first.
        2 => drop(board.swap(to, board.look(from) + number)),
        3 => {
            let (a, b) = (board.look(from), board.look(to));
            drop(board.swap(to, (&a + &b) - (&b + number)));
        }
        // Taken off the board: perhaps now the only handle.
        4 | 5 => {
            let mut mine = board.swap(from, fresh(length, number));
            mine += number;
            mine.eval().expect("there is memory");
            drop(board.swap(to, mine));
        }
        6 => {
            let mut mine = board.swap(from, fresh(length, number));
            *mine.view_mut(s![..20]) += number;
            *mine.view_mut(s![20..]) += number;
            drop(board.swap(to, mine));
        }
        7 => {
            let mut mine = board.swap(from, board.look(to));
            mine.set(s![..], fresh(length, number));
            check(&mine, length);
            drop(board.swap(to, mine));
        }
        8 => {
            let (mut mine, other) = (board.swap(from, fresh(length, number)), board.look(to));
            mine.eval().expect("there is memory");
            (&other + number).store(&mut mine);
            drop(board.swap(to, mine));
        }
        9 => {
            let mut mine = board.swap(from, fresh(length, number));
            let places = arange(length as i64).flip(..);
            mine.put(&places, fresh(length, number).flip(..), ..);
            drop(board.swap(to, mine));
        }
        // Views keep the memory alive, not the handle.
        10 => {
            let mine = board.swap(from, fresh(length, number));
            let turned = mine.flip(..);
            drop(mine);
            drop(board.swap(to, (turned + number).flip(..)));
        }
        _ => {
            let mine = board.swap(from, fresh(length, number)) ^ 0;
            let sum = mine.sum(..);
            drop(board.swap(to, mine));
            drop(sum.item::<i64>());
        }
    }
}

fn check(array: &Array, length: usize) {
    let values = array.to_vec::<i64>().expect("a value");
    assert_eq!(values.len(), length);
    let first = values[0];
    for (position, &value) in values.iter().enumerate() {
        assert_eq!(value, first + position as i64, "element {position} of {length}");
    }
}

#[test]
fn threads_that_share_arrays_see_whole_values() {
    let asked = std::env::var("NDANY_STRESS_SECONDS").ok();
    let seconds = asked.map_or(2, |asked| asked.parse().expect("seconds"));
    let steps = AtomicUsize::new(0);
    for name in ["cpu:threads=1", "cpu:threads=3"] {
        let device = Device::open(name).expect("the CPU is there");
        let _guard = device.enter();
        for length in LENGTHS {
            let board = Arc::new(Board::new(length));
            let over = AtomicBool::new(false);
            let until = Instant::now() + Duration::from_secs(seconds) / 8;
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (board, device, over, steps) = (&board, &device, &over, &steps);
                    scope.spawn(move || {
                        let _guard = device.enter();
                        let mut dice = Dice(thread * 1000 + length as u64);
                        while !over.load(Ordering::Relaxed) {
                            step(board, length, &mut dice);
                            steps.fetch_add(1, Ordering::Relaxed);
                            over.fetch_or(Instant::now() > until, Ordering::Relaxed);
                        }
                    });
                }
            });
            for place in 0..PLACES {
                check(&board.look(place), length);
            }
        }
    }
    let steps = steps.into_inner();
    println!("{steps} steps");
    assert!(steps > 100, "{steps} steps");
}
