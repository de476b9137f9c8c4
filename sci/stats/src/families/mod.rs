//! The families, by what they are made of.

pub(crate) mod beta;
pub(crate) mod circular;
pub(crate) mod closed;
pub(crate) mod counts;
pub(crate) mod discrete;
pub(crate) mod gamma;
pub(crate) mod normal;
pub(crate) mod positive;
