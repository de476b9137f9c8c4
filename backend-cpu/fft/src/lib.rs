//! Fourier transforms of single rows, by rustfft and realfft.
//!
//! A leaf crate, since these take long to build: its functions have no generic parameters, so the libraries'
//! code is not compiled again with the backend. Plans are cached for all threads, up to a number of bytes; the
//! least recently used are dropped first. Deliberately absent: batches of rows and threads, which the backend
//! provides.

mod cache;
mod real;
mod rows;

pub use cache::{PLAN_BYTES, kept};
pub use rows::{Kind, f32s, f64s};
