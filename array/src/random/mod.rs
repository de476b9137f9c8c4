//! Random numbers: counters through Philox4x32-10, the same bits on every device.
//!
//! - `philox`, `philox_ir`: words from counters, floats from words
//! - `samplers`, `draw`: standard distributions, several values of a block of words, in one launch
//! - `proposal`, `rejection`: distributions whose values may be refused and drawn again, an element a block; what they
//!   are made of is in `gamma`, `angle`, `counts` and `tails`
//! - `continuous`, `gamma_family`, `discrete`, `multivariate`, `integers`, `sampling`: what users ask for
//! - `shared`: the generator that all threads share, NumPy's `np.random.seed` and its kin
//!
//! # What can be relied on
//! A value depends on the seed, the stream, how much was drawn before, the distribution with its dtype,
//! and its place in C order; never on the device, the number of threads, or the shape as such. So a
//! program draws the same numbers wherever it runs, and a saved [`Generator::position`] goes on where it
//! was. A draw takes whole blocks (of four values of up to 32 bits, or two of 64; gamma variates and counts take a
//! block each): two draws of 6 are not one of 12, two of 8 are one of 16. The values are ndany's own, not NumPy's
//! streams, and stay the same within a major version.
//!
//! # What waits for the device
//! Values that are refused are drawn again, on the device, until none is; how many are left is read a few times a draw.
//! This concerns gamma variates and what is made of them (beta, χ², F, t, Dirichlet), von Mises angles, Zipf, counts of
//! means from 10 on (Poisson, binomial, negative binomial, hypergeometric, multinomial), and integers of a range that
//! does not divide the words' evenly. Besides, parameters in arrays are looked at, for NumPy's ValueError is due in the
//! call. Uniform, normal and exponential variates and what is made of them by numbers do not wait.

mod angle;
mod continuous;
mod counts;
mod discrete;
mod draw;
mod gamma;
mod gamma_family;
mod integers;
mod multivariate;
mod parameter;
mod philox;
mod philox_ir;
mod proposal;
mod rejection;
mod samplers;
mod sampling;
mod shared;
mod tails;
#[cfg(test)]
mod tests;

pub use integers::Bounds;
pub use sampling::{Choice, Population};
#[cfg(feature = "call")]
pub(crate) use shared::generator as shared_generator;
pub use shared::{Seed, default_rng, get_state, seed, set_state, shared};

/// Draws with errors as values, for [`crate::checked`].
pub(crate) mod checked {
    pub use super::checked_standard::*;
    pub use super::continuous::checked::*;
    pub use super::discrete::checked::*;
    pub use super::gamma_family::checked::*;
    pub use super::integers::checked::*;
    pub use super::multivariate::checked::*;
    pub use super::sampling::checked::*;
}

use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::graph::{Operand, device_of};
use ndany_core::backend::not_capturable;
use ndany_core::program::Philox;
use ndany_core::shape::{Shape, size_of};
use ndany_core::{DType, Error, Result};
use proposal::{Method, Proposal};
use rejection::Parameter;
use samplers::{Counter, Sampler, Variate};

/// A source of random arrays.
///
/// Each draw moves it on, so successive draws differ. [`Generator::stream`] gives independent sources,
/// one for each thread or task.
///
/// ```
/// use ndany::{DType, Device, Generator, Shape};
/// # let _guard = Device::open("reference")?.enter();
/// let mut rng = Generator::new(42);
/// let x = rng.normal(0.0, 1.0, (100, 3));
/// let dice = rng.integers(1..=6, 10);
/// let noise = rng.uniform(-1.0, 1.0, Shape::new(x.shape()).dtype(DType::F32));
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
    /// Children so far.
    spawned: u64,
    /// What floats are drawn in.
    float: DType,
    /// Whether a recorded graph moves its draws on.
    recorded: bool,
}

/// The slot that moves the draws of a recorded generator on.
pub(crate) const SLOT: usize = 0;

/// An attempt that no draw makes: its words are the seeds of children.
const OF_CHILDREN: u32 = u32::MAX;

impl Generator {
    /// Makes the generator of a seed, at the start of stream 0, as `np.random.Generator(Philox(seed))`.
    ///
    /// [`default_rng`] makes one of the system's own randomness.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Generator::new(7).random(3).array_equal(&Generator::new(7).random(3))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub const fn new(seed: u64) -> Self {
        Self { seed, stream: 0, position: 0, spawned: 0, float: DType::F64, recorded: false }
    }

    /// Returns the start of another stream of the same seed, whose numbers are independent of this one's.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let rng = Generator::new(7);
    /// assert!(!rng.stream(1).random(3).array_equal(&rng.stream(2).random(3))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub const fn stream(&self, stream: u32) -> Self {
        Self { stream, float: self.float, ..Self::new(self.seed) }
    }

    /// Makes independent generators, as NumPy's `Generator.spawn`.
    ///
    /// Each call gives others, and their children are others again. Draws do not change what is spawned.
    ///
    /// ```
    /// use ndany::{Device, Generator};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut rng = Generator::new(42);
    /// let [mut a, mut b] = rng.spawn(2).try_into().expect("two");
    /// assert!(!a.random(8).array_equal(&b.random(8))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn spawn(&mut self, count: usize) -> Vec<Generator> {
        (0..count).map(|_| self.child()).collect()
    }

    /// The next child.
    fn child(&mut self) -> Generator {
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        let counter = [self.spawned as u32, (self.spawned >> 32) as u32, self.stream, OF_CHILDREN];
        self.spawned += 1;
        let [low, high, stream, _] = philox::words(counter, key, Philox::ROUNDS);
        let seed = u64::from(low) | u64::from(high) << 32;
        Self { float: self.float, ..Self::new(seed).stream(stream) }
    }

    /// Returns the number of blocks drawn so far; with seed and stream it is the state of the draws.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut rng = Generator::new(7);
    /// assert_eq!(rng.position(), 0);
    /// rng.random(100).eval()?;
    /// assert!(rng.position() > 0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the seed.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).seed(), 7);
    /// ```
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the number of the stream of the seed.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).stream(3).stream_number(), 3);
    /// ```
    pub const fn stream_number(&self) -> u32 {
        self.stream
    }

    /// Returns the same stream after `position` blocks, as `advance` of NumPy's `Philox`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).at(5).position(), 5);
    /// ```
    pub const fn at(&self, position: u64) -> Self {
        Self { position, recorded: false, ..*self }
    }

    /// Returns the same generator, which draws floats in this dtype where the shape names no other; float64 is the default.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).dtype(F32).random(3).dtype(), F32);
    /// ```
    ///
    /// # Panics
    /// The dtype is not one of real floats.
    #[track_caller]
    pub const fn dtype(self, dtype: DType) -> Self {
        assert!(dtype.is_float(), "[Generator::dtype] expected a dtype of floats");
        Self { float: dtype, ..self }
    }

    /// Where the next draw begins.
    fn counter(&self) -> Counter {
        let Self { seed, stream, position, recorded, .. } = *self;
        Counter { seed, stream, position, attempt: 0, recorded }
    }

    /// The same generator, whose draws a graph moves on that is recorded.
    pub(crate) fn recorded(&self) -> Self {
        Self { recorded: true, ..self.clone() }
    }

    /// How many blocks were drawn by `after`, which was recorded from this generator on.
    pub(crate) fn drawn_until(&self, after: &Self) -> Result<u64> {
        let same = Self { position: after.position, ..self.recorded() };
        match same == *after {
            true => Ok(after.position.wrapping_sub(self.position)),
            false => Err(not_capturable(
                "generator",
                "the closure does more with its generator than to draw: spawn or move it before",
            )),
        }
    }

    /// How many blocks this generator is after another one; none if it is not the same but for its place.
    pub(crate) fn distance_from(&self, other: &Self) -> Option<u64> {
        let same = self.seed == other.seed && self.stream == other.stream;
        let same = same && self.float == other.float;
        same.then(|| self.position.wrapping_sub(other.position))
    }

    /// The generator after this many blocks more.
    pub(crate) fn moved(&self, blocks: u64) -> Self {
        Self { position: self.position.wrapping_add(blocks), ..self.clone() }
    }

    /// What is drawn next in a dtype, or the default one.
    #[cfg(feature = "call")]
    pub(crate) fn maybe_dtype(&mut self, dtype: Option<DType>) -> Draw<'_> {
        Draw { generator: self, dtype }
    }

    /// What is drawn next in the default dtype.
    fn default_dtype(&mut self) -> Draw<'_> {
        Draw { generator: self, dtype: None }
    }
}

/// A generator that is about to draw, in the dtype that was asked for or in the default one.
#[derive(Debug)]
pub(crate) struct Draw<'g> {
    generator: &'g mut Generator,
    dtype: Option<DType>,
}

impl Draw<'_> {
    /// Draws, and moves on.
    #[track_caller]
    fn draw(
        &mut self,
        op: &'static str,
        sampler: Sampler,
        parameters: &[u64],
        shape: Shape,
    ) -> Result<Array> {
        let (counter, position) = (self.generator.counter(), self.generator.position);
        let size =
            ndany_core::shape::checked_size(op, &shape, sampler.dtype).map(|_| size_of(&shape))?;
        let drawn = draw::draw(op, sampler, counter, parameters, shape)?;
        self.generator.position = position.wrapping_add(draw::blocks(&sampler, size));
        Ok(drawn)
    }

    /// Draws what may be refused, and moves on by a block an element. Parameters have been checked.
    #[track_caller]
    fn propose(
        &mut self,
        op: &'static str,
        method: Method,
        dtype: DType,
        parameters: &[Operand],
        shape: &Shape,
    ) -> Result<Array> {
        let _guard = device_of(op, parameters)?.enter();
        let own = method.computes_in(dtype);
        let mut proposal = Proposal { method, dtype, arrays: 0, again: false };
        let mut given = Vec::with_capacity(parameters.len());
        for (position, parameter) in parameters.iter().enumerate() {
            given.push(match parameter {
                Operand::Scalar(scalar) => Parameter::Bits(parameter::bits(op, scalar, own)?),
                Operand::Array(array) => {
                    proposal.arrays |= 1 << position;
                    Parameter::Array(parameter::broadcast_parameter(
                        op,
                        &array.try_astype(own)?,
                        shape,
                    )?)
                }
            });
        }
        let drawn = rejection::draw(op, proposal, self.generator.counter(), given, shape)?;
        let generator = &mut *self.generator;
        generator.position = generator.position.wrapping_add(size_of(shape) as u64);
        Ok(drawn)
    }

    /// The same generator with another dtype.
    fn like(&mut self, dtype: DType) -> Draw<'_> {
        Draw { generator: &mut *self.generator, dtype: Some(dtype) }
    }

    /// The shape asked for. A dtype that it names is that of the draw.
    fn shape(&mut self, op: &'static str, shape: impl IntoShape<DrawShape>) -> Result<Shape> {
        let options = shape.into_shape();
        self.dtype = options.dtype.or(self.dtype);
        options.extents(op)
    }

    /// The float dtype asked for.
    fn float(&self, op: &'static str) -> Result<DType> {
        match self.dtype.unwrap_or(self.generator.float) {
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
        let sampler = Sampler { variate, dtype, scaled: false };
        self.draw(op, sampler, &[], shape.clone())
    }
}

fn wrong(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// Declares draws: methods of [`Generator`], and functions with errors as values.
macro_rules! draws {
    (mod $checked:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($self:ident $(, $arg:ident : $ty:ty)*) $body:block
    )+) => {
        impl Draw<'_> { $(
            #[track_caller]
            pub(crate) fn $try_name(&mut $self $(, $arg: $ty)*) -> Result<Array> $body
        )+ }

        impl Generator { $(
            $(#[doc = $doc])+
            ///
            /// # Panics
            #[doc = concat!("Where [`checked::random::", stringify!($name), "`](fn@crate::checked::random::", stringify!($name), ") returns an error.")]
            #[track_caller]
            pub fn $name(&mut $self $(, $arg: $ty)*) -> Array {
                crate::declare::expect($self.default_dtype().$try_name($($arg),*))
            }

            #[track_caller]
            pub(crate) fn $try_name(&mut $self $(, $arg: $ty)*) -> Result<Array> {
                $self.default_dtype().$try_name($($arg),*)
            }
        )+ }

        /// The same with errors as values.
        pub(crate) mod $checked {
            use super::*;
            $(
                #[doc = concat!("[`Generator::", stringify!($name), "`], with errors as values.")]
                #[track_caller]
                pub fn $name(generator: &mut Generator $(, $arg: $ty)*) -> Result<Array> {
                    generator.$try_name($($arg),*)
                }
            )+
        }
    };
}
use draws;

draws! {
    mod checked_standard;

    /// Draws uniformly from 0 up to, not including, 1, as NumPy's `Generator.random`.
    ///
    /// The numbers are multiples of 2^-53 (2^-24 of float32, 2^-11 of float16, 2^-8 of bfloat16).
    ///
    /// - **Shapes**: `shape → shape`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: a shape that is too large or negative, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).random(1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.5).abs() < 0.05);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    random / try_random (self, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("random", shape)?;
        let dtype = self.float("random")?;
        self.standard("random", Variate::Uniform, dtype, &shape)
    }

    /// Draws from the normal distribution with mean 0 and variance 1, as NumPy's `Generator.standard_normal`.
    ///
    /// - **Shapes**: `shape → shape`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: a shape that is too large or negative, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).standard_normal(1000);
    /// assert!((x.std(..).item::<f64>()? - 1.0).abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    standard_normal / try_standard_normal (self, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("standard_normal", shape)?;
        let dtype = self.float("standard_normal")?;
        self.standard("standard_normal", Variate::Normal, dtype, &shape)
    }

    /// Draws from the exponential distribution with mean 1, as NumPy's `Generator.standard_exponential`.
    ///
    /// - **Shapes**: `shape → shape`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: a shape that is too large or negative, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).standard_exponential(1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    standard_exponential / try_standard_exponential (self, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("standard_exponential", shape)?;
        let dtype = self.float("standard_exponential")?;
        self.standard("standard_exponential", Variate::Exponential, dtype, &shape)
    }

    /// Draws from the Cauchy distribution, as NumPy's `Generator.standard_cauchy`.
    ///
    /// - **Shapes**: `shape → shape`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: a shape that is too large or negative, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).standard_cauchy(1001);
    /// assert!(x.median(..).item::<f64>()?.abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    standard_cauchy / try_standard_cauchy (self, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("standard_cauchy", shape)?;
        let dtype = self.float("standard_cauchy")?;
        self.standard("standard_cauchy", Variate::Cauchy, dtype, &shape)
    }
}
