//! Random numbers: counters through Philox4x32-10, the same bits on every device.
//!
//! - `philox`: words from counters
//! - `recipe`, `draw`: standard distributions from words, in one launch
//! - `continuous`, `integers`, `sampling`: what users ask for
//!
//! # What can be relied on
//! A value depends on the seed, the stream, how much was drawn before, the distribution with its dtype,
//! and its place in C order; never on the device, the number of threads, or the shape as such. So a
//! program draws the same numbers wherever it runs, and a saved [`Generator::position`] goes on where it
//! was. A draw takes whole blocks (of four values of up to 32 bits, or two of 64): two draws of 6 are not
//! one of 12, two of 8 are one of 16. The values are ndany's own, not NumPy's streams, and stay the same
//! within a major version.

mod continuous;
mod draw;
mod integers;
mod philox;
mod recipe;
mod sampling;
#[cfg(test)]
mod tests;

pub use integers::Bounds;
pub use sampling::Choice;

use crate::array::{Array, IntoShape};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::scalar::{Number, Scalar};
use crate::shape::{Shape, size_of};
use recipe::{Counter, Recipe, Variate};

/// A source of random arrays.
///
/// Each draw moves it on, so successive draws differ. [`Generator::stream`] gives independent sources,
/// one for each thread or task.
///
/// ```
/// use ndany::{DType, Device, Generator};
/// # let _guard = Device::open("reference")?.enter();
/// let mut rng = Generator::new(42);
/// let x = rng.normal(0.0, 1.0, (100, 3));
/// let dice = rng.integers(1..=6, 10);
/// let noise = rng.dtype(DType::F32).uniform(-1.0, 1.0, x.shape());
/// assert_eq!(noise.dtype(), DType::F32);
/// assert!(dice.to_vec::<i64>()?.iter().all(|eyes| (1..=6).contains(eyes)));
/// assert!(Generator::new(42).normal(0.0, 1.0, (100, 3)).array_equal(&x)?);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    seed: u64,
    stream: u32,
    position: u64,
}

impl Generator {
    /// The generator of a seed, at the start of stream 0.
    pub const fn new(seed: u64) -> Self {
        Self { seed, stream: 0, position: 0 }
    }

    /// The start of another stream of the same seed: its numbers have nothing to do with this one's.
    pub const fn stream(&self, stream: u32) -> Self {
        Self { seed: self.seed, stream, position: 0 }
    }

    /// Blocks drawn so far: with seed and stream, all there is to save.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// The same stream after so many blocks.
    pub const fn at(&self, position: u64) -> Self {
        Self { seed: self.seed, stream: self.stream, position }
    }

    /// What is drawn next in another dtype than the default (float64, int64).
    pub fn dtype(&mut self, dtype: DType) -> Draw<'_> {
        Draw { generator: self, dtype: Some(dtype) }
    }

    /// What is drawn next in the default dtype.
    fn default_dtype(&mut self) -> Draw<'_> {
        Draw { generator: self, dtype: None }
    }
}

/// A generator that is about to draw in some dtype: see [`Generator::dtype`].
#[derive(Debug)]
pub struct Draw<'g> {
    generator: &'g mut Generator,
    dtype: Option<DType>,
}

impl Draw<'_> {
    /// Draws, and moves on.
    #[track_caller]
    fn draw(
        &mut self,
        op: &'static str,
        recipe: Recipe,
        parameters: &[u64],
        shape: Shape,
    ) -> Result<Array> {
        let Generator { seed, stream, position } = *self.generator;
        let counter = Counter { seed, stream, position, attempt: 0 };
        let size = crate::shape::checked_size(op, &shape, recipe.dtype).map(|_| size_of(&shape))?;
        let drawn = draw::draw(op, recipe, counter, parameters, shape)?;
        self.generator.position = position.wrapping_add(draw::blocks(&recipe, size));
        Ok(drawn)
    }

    /// The float dtype asked for.
    fn float(&self, op: &'static str) -> Result<DType> {
        match self.dtype.unwrap_or(DType::F64) {
            dtype if dtype.is_float() => Ok(dtype),
            dtype => Err(Error::DTypes { op, dtypes: dtype.to_string(), remedy: "draw floats" }),
        }
    }

    /// Standard variates in a dtype of its own.
    #[track_caller]
    fn standard(
        &mut self,
        op: &'static str,
        variate: Variate,
        dtype: DType,
        shape: &Shape,
    ) -> Result<Array> {
        let recipe = Recipe { variate, dtype, scaled: false };
        self.draw(op, recipe, &[], shape.clone())
    }
}

/// A real parameter.
fn real(op: &'static str, scalar: &Scalar) -> Result<f64> {
    match scalar.number() {
        Number::Bool(value) => Ok(f64::from(u8::from(value))),
        Number::Int(value) => Ok(value as f64),
        Number::Float(value) => Ok(value),
        Number::Complex(..) => {
            let remedy = "give a real number";
            Err(Error::DTypes { op, dtypes: "complex128".to_string(), remedy })
        }
    }
}

fn wrong(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// Methods of [`Draw`] with their panicking twins, and both on [`Generator`] in the default dtype.
macro_rules! draws {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($self:ident $(, $arg:ident : $ty:ty)*) $body:block
    )+) => {
        impl Draw<'_> { $(
            $(#[doc = $doc])+
            ///
            /// # Panics
            #[doc = concat!("Where [`Draw::", stringify!($try_name), "`] errs.")]
            #[track_caller]
            pub fn $name(&mut $self $(, $arg: $ty)*) -> Array {
                crate::twins::expect($self.$try_name($($arg),*))
            }

            #[doc = concat!("[`Draw::", stringify!($name), "`], with errors as values.")]
            #[track_caller]
            pub fn $try_name(&mut $self $(, $arg: $ty)*) -> Result<Array> $body
        )+ }

        impl Generator { $(
            $(#[doc = $doc])+
            ///
            /// # Panics
            #[doc = concat!("Where [`Generator::", stringify!($try_name), "`] errs.")]
            #[track_caller]
            pub fn $name(&mut $self $(, $arg: $ty)*) -> Array {
                crate::twins::expect($self.default_dtype().$try_name($($arg),*))
            }

            #[doc = concat!("[`Generator::", stringify!($name), "`], with errors as values.")]
            #[track_caller]
            pub fn $try_name(&mut $self $(, $arg: $ty)*) -> Result<Array> {
                $self.default_dtype().$try_name($($arg),*)
            }
        )+ }
    };
}
use draws;

draws! {
    /// Uniform from 0 up to, not including, 1, as NumPy's `Generator.random`: multiples of 2^-53 (2^-24 of
    /// float32, 2^-11 of float16, 2^-8 of bfloat16).
    random / try_random (self, shape: impl IntoShape) {
        let dtype = self.float("random")?;
        self.standard("random", Variate::Uniform, dtype, &shape.into_shape())
    }

    /// Normal with mean 0 and variance 1, as NumPy's `Generator.standard_normal`.
    standard_normal / try_standard_normal (self, shape: impl IntoShape) {
        let dtype = self.float("standard_normal")?;
        self.standard("standard_normal", Variate::Normal, dtype, &shape.into_shape())
    }

    /// Exponential with mean 1, as NumPy's `Generator.standard_exponential`.
    standard_exponential / try_standard_exponential (self, shape: impl IntoShape) {
        let dtype = self.float("standard_exponential")?;
        self.standard("standard_exponential", Variate::Exponential, dtype, &shape.into_shape())
    }

    /// Cauchy, as NumPy's `Generator.standard_cauchy`.
    standard_cauchy / try_standard_cauchy (self, shape: impl IntoShape) {
        let dtype = self.float("standard_cauchy")?;
        self.standard("standard_cauchy", Variate::Cauchy, dtype, &shape.into_shape())
    }
}
