//! The generator that all threads share.
//!
//! A program that wants the same numbers every time keeps a [`Generator`] of its own: which draw of which thread comes
//! first is not settled here.

use std::hash::{BuildHasher, Hasher};
use std::ops::RangeFull;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::Generator;
use crate::attempt::raise;
use crate::recording;

fn state() -> &'static Mutex<Generator> {
    static SHARED: OnceLock<Mutex<Generator>> = OnceLock::new();
    SHARED.get_or_init(|| Mutex::new(default_rng(..)))
}

/// The generator that all threads share.
pub(crate) fn generator() -> MutexGuard<'static, Generator> {
    // A draw that panics moved nothing on.
    state().lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the generator of a seed, or (`..`) of the system's randomness, as `np.random.default_rng`.
///
/// ```
/// use ndany::random::default_rng;
/// assert_eq!(default_rng(7), ndany::Generator::new(7));
/// assert_ne!(default_rng(..), default_rng(..));
/// ```
pub fn default_rng(seed: impl Into<Seed>) -> Generator {
    Generator::new(seed.into().0.unwrap_or_else(|| {
        // The keys of the standard library's hash maps come from the system.
        let word = || std::hash::RandomState::new().build_hasher().finish();
        word() ^ word().rotate_left(32)
    }))
}

/// The seed of a generator: a number, or `..` for one of the system's randomness.
#[derive(Clone, Copy, Debug)]
pub struct Seed(Option<u64>);

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self(Some(seed))
    }
}
impl From<Option<u64>> for Seed {
    fn from(seed: Option<u64>) -> Self {
        Self(seed)
    }
}
impl From<RangeFull> for Seed {
    fn from(_: RangeFull) -> Self {
        Self(None)
    }
}

/// Restarts the shared generator from a seed, as `np.random.seed`.
///
/// ```
/// use ndany::{Device, random};
/// # let _guard = Device::open("reference")?.enter();
/// random::seed(42);
/// let before = random::get_state();
/// let x = random::shared().normal(0.0, 1.0, (2, 3)) + random::shared().random(3);
/// random::set_state(before);
/// assert!((random::shared().normal(0.0, 1.0, (2, 3)) + random::shared().random(3)).array_equal(&x)?);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn seed(seed: u64) {
    *generator() = Generator::new(seed);
}

/// Returns the state of the shared generator, as `np.random.get_state`.
///
/// ```
/// use ndany::prelude::*;
/// let state = random::get_state();
/// random::set_state(state);
/// ```
pub fn get_state() -> Generator {
    generator().clone()
}

/// Sets the state of the shared generator, as `np.random.set_state`.
///
/// ```
/// use ndany::prelude::*;
/// random::set_state(Generator::new(7));
/// ```
pub fn set_state(state: Generator) {
    *generator() = state;
}

/// Makes a generator that is independent of all others, the next child of the shared one that [`seed`] sets.
///
/// It serves programs that carry no generator along, as the functions of `np.random`; one that is drawn from often is kept.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(random::shared().random(3).shape(), [3]);
/// ```
pub fn shared() -> Generator {
    let reason = "the shared generator is another one each time: give a generator with the inputs";
    if let Err(error) = recording::refuse("shared", reason) {
        raise(error);
    }
    generator().child()
}
