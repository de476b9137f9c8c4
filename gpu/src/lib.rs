//! What every GPU backend shares.

pub mod driver;
