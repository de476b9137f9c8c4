//! Kernels that a function will need, compiled while it runs.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ndany_core::dry_run::{self, DryRun};
use ndany_core::shape::Shape;
use ndany_core::{Error, Result};

use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::Array;
use crate::graph::node::Node;
use crate::launch_counts;

/// Asks for the kernels of a function before its first launch. A static is made of it.
///
/// A function that reads a number on the host, and decides by it what comes next, has its kernels compiled in turn: those before the
/// number, then those after it. [`Ahead::ask`] at its beginning calls it once more on stand-ins, arrays of the same dtypes and shapes
/// without elements: the device compiles what they need on several threads and launches nothing. Numbers that are read are zeros
/// then, or what [`guess`] says; a wrong guess costs time and changes no result.
///
/// It is done once for each device, dtypes and magnitude of the sizes. Otherwise, and on devices that compile nothing, a call
/// costs a look at a word.
///
/// ```
/// use ndany_array::extend::{Ahead, guess};
/// use ndany_array::{Array, DType};
/// # use ndany::Device; let _guard = Device::open("reference")?.enter();
///
/// fn above_the_mean(x: &Array) -> Array {
///     static KERNELS: Ahead = Ahead::new();
///     KERNELS.ask(x, (), |x, ()| above_the_mean(x).eval());
///     let above = x.greater(x.mean(..));
///     let count = above.astype(DType::I64).sum(..).item::<i64>();
///     // Most arrays have some.
///     match guess(count.unwrap_or(0), 1) {
///         0 => x.clone(),
///         _ => x.take(above.flatnonzero(), ..),
///     }
/// }
/// assert_eq!(above_the_mean(&Array::from([1.0, 2.0, 6.0])).to_string(), "[6.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Ahead {
    /// Of what was asked for last.
    last: AtomicU64,
    asked: Mutex<Vec<u64>>,
}

impl Ahead {
    /// Nothing is asked for yet.
    pub const fn new() -> Self {
        Self { last: AtomicU64::new(0), asked: Mutex::new(Vec::new()) }
    }

    /// Calls `run` on stand-ins of the inputs, unless it has done so for such inputs and options.
    ///
    /// It is a function without captured values, so no array but the stand-ins gets there. What it computes it should evaluate, since
    /// pending values ask for no kernel. Its error means nothing. It may write to no array but those that it makes, since launches
    /// are left out; a stand-in that it keeps is refused by the device later.
    #[inline]
    pub fn ask<I: StandIn, O: Copy + Hash + 'static>(
        &self,
        inputs: &I,
        options: O,
        run: fn(&I::Made, O) -> Result<()>,
    ) {
        let device = inputs.device();
        if !device.backend().compiles_ahead() || dry_run::is_active() {
            return;
        }
        let mut key = Key::default();
        inputs.hash_into(&mut key);
        options.hash(&mut key);
        (std::ptr::from_ref(device.backend()).cast::<()>() as usize).hash(&mut key);
        let key = key.finish();
        if self.last.load(Ordering::Relaxed) != key {
            self.ask_first(device, key, || run(&inputs.stand_in()?, options));
        }
    }
}

impl Ahead {
    #[cold]
    fn ask_first(&self, device: &Device, key: u64, run: impl FnOnce() -> Result<()>) {
        {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            self.last.store(key, Ordering::Relaxed);
            if asked.contains(&key) {
                return;
            }
            asked.push(key);
        }
        let counts = launch_counts::Statistics::now();
        let Some(dry_run) = DryRun::begin() else { return };
        let _span = tracing::debug_span!("dry_run", device = device.name()).entered();
        // Whatever is wrong shows where it is meant.
        let outcome = catch_unwind(AssertUnwindSafe(run));
        drop(dry_run);
        launch_counts::set(counts);
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a dry run ended early"),
            Err(_) => tracing::debug!("a dry run panicked"),
        }
    }
}

/// What an [`Ahead`] takes the kernels for: dtypes and sizes, of which there can be another one without elements.
pub trait StandIn {
    /// What stands in for it.
    type Made;

    /// The device whose kernels are wanted.
    fn device(&self) -> &Device;

    /// Hashes what kernels may depend on: dtypes, formats, and [`magnitude`]s of sizes.
    fn hash_into(&self, state: &mut impl Hasher);

    /// One like it, in a dry run.
    fn stand_in(&self) -> Result<Self::Made>;
}

/// The magnitude of a size, by which other kernels may be chosen.
pub fn magnitude(size: usize) -> u32 {
    (usize::BITS - size.leading_zeros()) / 4
}

impl<T: StandIn> StandIn for &T {
    type Made = T::Made;

    fn device(&self) -> &Device {
        T::device(self)
    }

    fn hash_into(&self, state: &mut impl Hasher) {
        T::hash_into(self, state);
    }

    fn stand_in(&self) -> Result<T::Made> {
        T::stand_in(self)
    }
}

impl StandIn for Array {
    type Made = Array;

    fn device(&self) -> &Device {
        self.device()
    }

    fn hash_into(&self, state: &mut impl Hasher) {
        self.dtype().hash(state);
        self.ndim().hash(state);
        magnitude(self.size()).hash(state);
    }

    fn stand_in(&self) -> Result<Self> {
        let (shape, dtype, device) = (self.shape(), self.dtype(), self.device().clone());
        let bytes = self.size() * dtype.size();
        let buffer = match dry_run::is_active() {
            true => Buffer::allocate("stand_in", device.backend(), bytes),
            false => {
                let reason = "there are stand-ins in dry runs alone".to_string();
                Err(Error::Unsupported { op: "stand_in".to_string(), reason })
            }
        };
        Ok(Array::of_node(Node::done(
            "stand_in",
            Shape::from_slice(shape),
            dtype,
            device,
            Ok(buffer?),
        )))
    }
}

impl<A: StandIn, B: StandIn> StandIn for (A, B) {
    type Made = (A::Made, B::Made);

    fn device(&self) -> &Device {
        self.0.device()
    }

    fn hash_into(&self, state: &mut impl Hasher) {
        self.0.hash_into(state);
        self.1.hash_into(state);
    }

    fn stand_in(&self) -> Result<Self::Made> {
        Ok((self.0.stand_in()?, self.1.stand_in()?))
    }
}

/// What was read, or in a dry run a guess of it: then reads give zeros.
pub fn guess<T>(read: T, guess: T) -> T {
    match dry_run::is_active() {
        true => guess,
        false => read,
    }
}

/// Whether this thread is in a dry run: a loop that reads whether it goes on should then end.
#[inline]
pub fn is_dry_run() -> bool {
    dry_run::is_active()
}

/// A hash of few words.
#[derive(Default)]
struct Key(u64);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        // Nothing is asked for with zero.
        self.0 | 1
    }
}
