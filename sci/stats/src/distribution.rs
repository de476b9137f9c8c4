//! A distribution as a value: a family with its parameters.

use ndany_array::extend::{Function, expect, results};
use ndany_array::options::DrawShape;
use ndany_array::{Array, Generator, IntoShape, Operand, Result};
use smallvec::SmallVec;

use crate::family::Family;

/// A distribution: a family, its shape parameters, a location and a scale, each a number or an array.
///
/// Every method is one elementwise function of the variable and all parameters, which broadcast: lazy, fused with the operations
/// around it, with the same bits on every device. A parameter out of its domain gives NaN, as in SciPy.
#[derive(Clone, Debug)]
pub struct Distribution {
    family: &'static Family,
    shapes: SmallVec<[Operand; 3]>,
    loc: Operand,
    scale: Operand,
}

macro_rules! of_variable {
    ($($(#[doc = $doc:literal])+ $name:ident $number:literal;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// - **Shapes**: `(…) → (…)`, broadcast with the parameters, element by element; lazy.
        /// - **Dtypes**: every real dtype is taken; float32 stays, all others give float64.
        /// - **Errors**: refuses complex numbers, shapes that do not broadcast, and operands on two devices. Panics;
        ///   [`attempt`](fn@ndany_array::attempt) returns the error.
        #[track_caller]
        pub fn $name(&self, x: impl Into<Operand>) -> Array {
            self.ask(self.family.methods[$number], Some(x.into()))
        }
    )+};
}

macro_rules! of_parameters {
    ($($(#[doc = $doc:literal])+ $name:ident $number:literal;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// - **Shapes**: that of the parameters, broadcast; lazy.
        /// - **Dtypes**: float32 if all parameters are; else float64.
        /// - **Errors**: parameters that do not broadcast or are on two devices.
        #[track_caller]
        pub fn $name(&self) -> Array {
            self.ask(self.family.moments[$number], None)
        }
    )+};
}

impl Distribution {
    pub(crate) fn new(family: &'static Family, shapes: SmallVec<[Operand; 3]>) -> Self {
        Self { family, shapes, loc: Operand::from(0.0), scale: Operand::from(1.0) }
    }

    /// Moves the distribution: `x` takes the place of `x - loc`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(stats::uniform().loc(2.0).mean().item::<f64>()?, 2.5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn loc(mut self, loc: impl Into<Operand>) -> Self {
        self.loc = loc.into();
        self
    }

    /// Stretches the distribution: `x` takes the place of `x / scale`. A discrete distribution has no scale.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(stats::norm().scale(3.0).std().item::<f64>()?, 3.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the distribution is discrete.
    #[track_caller]
    pub fn scale(mut self, scale: impl Into<Operand>) -> Self {
        assert!(
            !self.family.discrete,
            "[{}] a discrete distribution has no scale",
            self.family.name
        );
        self.scale = scale.into();
        self
    }

    of_variable! {
        /// Returns the density, as `pdf` of SciPy; of a discrete distribution the probability of an integer, as `pmf`.
        pdf 0;
        /// Returns the logarithm of the density, as `logpdf` (or `logpmf`) of SciPy.
        logpdf 1;
        /// Returns the probability of at most `x`, as `cdf` of SciPy.
        cdf 2;
        /// Returns the probability of more than `x`, exact in the tail, as `sf` of SciPy.
        sf 3;
        /// Returns the logarithm of `cdf`, as `logcdf` of SciPy.
        logcdf 4;
        /// Returns the logarithm of `sf`, as `logsf` of SciPy.
        logsf 5;
        /// Returns the quantile: where `cdf` is `x`, as `ppf` of SciPy; NaN outside of 0 to 1.
        ppf 6;
        /// Returns where `sf` is `x`, exact in the tail, as `isf` of SciPy.
        isf 7;
    }

    of_parameters! {
        /// Returns the mean, as `mean` of SciPy.
        mean 0;
        /// Returns the variance, as `var` of SciPy.
        var 1;
        /// Returns the skewness, the third of SciPy's `stats`.
        skew 2;
        /// Returns the excess kurtosis, the fourth of SciPy's `stats`.
        kurtosis 3;
        /// Returns the entropy in nats (of a continuous distribution the differential entropy), as `entropy` of SciPy.
        entropy 4;
        /// Returns the median, as `median` of SciPy.
        median 5;
    }

    /// Returns the standard deviation, as `std` of SciPy.
    ///
    /// - **Shapes**: that of the parameters, broadcast; lazy.
    /// - **Dtypes**: float32 if all parameters are; else float64.
    /// - **Errors**: parameters that do not broadcast or are on two devices.
    #[track_caller]
    pub fn std(&self) -> Array {
        self.var().sqrt()
    }

    /// Returns the ends between which a variable is with this probability, with equal parts outside, as `interval` of SciPy.
    ///
    /// - **Shapes**: that of the probability and the parameters, broadcast; lazy.
    /// - **Dtypes**: as [`Distribution::ppf`].
    /// - **Errors**: as [`Distribution::ppf`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let [low, high] = stats::norm().interval(0.95);
    /// assert_eq!(format!("{low:.4} {high:.4}"), "-1.96 1.96");
    /// ```
    #[track_caller]
    pub fn interval(&self, confidence: impl Into<Operand>) -> [Array; 2] {
        let outside = ndany_array::numpy::subtract(1.0, confidence) / 2.0;
        [self.ppf(&outside), self.isf(&outside)]
    }

    /// Draws random variates by the quantiles of uniform numbers, as `rvs` of SciPy, which draws others of the same seed.
    ///
    /// - **Shapes**: `shape`, broadcast with the parameters.
    /// - **Dtypes**: float64.
    /// - **Errors**: a shape with which the parameters do not broadcast.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut rng = random::default_rng(7);
    /// let x = stats::gumbel_r().loc(2.0).rvs(&mut rng, 1000);
    /// assert_eq!(x.shape(), [1000]);
    /// assert!((x.mean(..).item::<f64>()? - 2.577).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn rvs(&self, rng: &mut Generator, shape: impl IntoShape<DrawShape>) -> Array {
        // 1 − u is above 0, where a quantile may be infinite.
        self.isf(1.0 - rng.random(shape))
    }

    pub(crate) fn family(&self) -> &'static Family {
        self.family
    }

    /// The same family with these parameters.
    pub(crate) fn with_parameters(&self, shapes: &[f64], loc: f64, scale: f64) -> Self {
        let shapes = shapes.iter().map(|&shape| Operand::from(shape)).collect();
        Self { family: self.family, shapes, loc: loc.into(), scale: scale.into() }
    }

    /// The shape parameters, each of which must be one number.
    pub(crate) fn shape_numbers(&self) -> Result<Vec<f64>> {
        let number = |shape: &Operand| ndany_array::checked::add(shape.clone(), 0.0)?.item::<f64>();
        self.shapes.iter().map(number).collect()
    }

    /// `logpdf` with other parameters: shapes, location, scale.
    pub(crate) fn log_density(
        &self,
        variable: &Array,
        parameters: SmallVec<[Operand; 6]>,
    ) -> Result<Array> {
        let operands = std::iter::once(Operand::from(variable)).chain(parameters);
        let [density] = results(self.family.methods[1].try_call(operands)?);
        Ok(density)
    }

    #[track_caller]
    fn ask(&self, function: &'static Function, variable: Option<Operand>) -> Array {
        let mut operands: SmallVec<[Operand; 6]> = variable.into_iter().collect();
        operands.extend(self.shapes.iter().cloned());
        operands.push(self.loc.clone());
        if !self.family.discrete {
            operands.push(self.scale.clone());
        }
        let [result] = results(expect(function.try_call(operands)));
        result
    }
}
