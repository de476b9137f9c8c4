//! Fourier transforms of single rows, by rustfft and realfft.
//!
//! A leaf crate, for these take long to build: what calls them here has no generics, so that nothing of theirs is
//! compiled again with the backend. Plans are kept for all threads, up to a number of bytes; the longest unused go first.
//! Deliberately absent: rows and threads, which are the backend's.

mod cache;
mod halves;
mod rows;

pub use cache::{PLAN_BYTES, kept};
pub use rows::{Kind, f32s, f64s};
