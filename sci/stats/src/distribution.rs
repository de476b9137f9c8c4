//! A distribution as a value: a family with its parameters.

use ndany_array::extend::{Function, expect, results};
use ndany_array::options::DrawShape;
use ndany_array::{Array, Generator, IntoShape, Operand, Result};
use smallvec::SmallVec;

use crate::declare::wrong;
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

    /// Returns the ends of the support, as `support` of SciPy: of a discrete distribution the first and the last integer that has a
    /// probability.
    ///
    /// - **Shapes**: that of the parameters, broadcast; lazy.
    /// - **Dtypes**: as [`Distribution::ppf`].
    /// - **Errors**: parameters that do not broadcast or are on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let [low, high] = stats::binom(5.0, 0.5).loc(1.0).support();
    /// assert_eq!(format!("{low} {high}"), "1.0 6.0");
    /// ```
    #[track_caller]
    pub fn support(&self) -> [Array; 2] {
        let below = self.ppf(0.0);
        // The quantile of 0 of a discrete distribution is one less.
        [if self.family.discrete { below + 1.0 } else { below }, self.ppf(1.0)]
    }

    /// Returns the mean of the `order`-th power, as `moment` of SciPy; beyond the fourth by [`Distribution::expect`].
    ///
    /// - **Shapes**: that of the parameters, broadcast; lazy, but beyond the fourth of a discrete distribution.
    /// - **Dtypes**: float32 if all parameters are; else float64.
    /// - **Errors**: those of [`Distribution::expect`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(stats::norm().loc(1.0).moment(2).item::<f64>()?, 2.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn moment(&self, order: u32) -> Array {
        let mean = self.mean();
        let third = || self.skew() * self.var() * self.std();
        match order {
            0 => mean.zeros_like() + 1.0,
            1 => mean,
            2 => self.var() + mean.square(),
            3 => third() + 3.0 * &mean * self.var() + mean.pow(3),
            4 => {
                let var = self.var();
                let fourth = (self.kurtosis() + 3.0) * var.square();
                fourth + 4.0 * &mean * third() + 6.0 * mean.square() * var + mean.pow(4)
            }
            _ => self.expect(|x| x.pow(f64::from(order))),
        }
    }

    /// Returns the mean of a function of the variable, as `expect` of SciPy: by the double exponential rule over the probability (of
    /// 200 points), which is exact to some 12 digits where the function is smooth and its mean exists; of a discrete distribution the sum
    /// over all integers whose tails are above 1e-18, for which it waits.
    ///
    /// - **Shapes**: that of the parameters, broadcast; lazy. `function` is given one more axis in front, and acts element by element.
    /// - **Dtypes**: those of [`Distribution::ppf`] and of the function.
    /// - **Errors**: a discrete distribution with more than 2²⁴ integers to add up, or with none. Panics;
    ///   [`attempt`](fn@ndany_array::attempt) returns the error.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mean = stats::gamma(array([2.0, 3.0])).expect(|x| x.log());
    /// assert_eq!(mean.to_string(), "[0.42278434 0.92278434]");
    /// assert_eq!(format!("{:.6}", stats::poisson(2.0).expect(|k| 1.0 / (k + 1.0))), "0.432332");
    /// ```
    #[track_caller]
    pub fn expect(&self, function: impl Fn(&Array) -> Array) -> Array {
        let mut column = vec![1isize; self.mean().ndim() + 1];
        column[0] = -1;
        if self.family.discrete {
            let x = expect(self.integers()).reshape(column.as_slice());
            return (function(&x) * self.pdf(&x)).sum(0);
        }
        // Probabilities are 1/(1 + e^(π sinh t)), of which the tail is known however small it is.
        const WIDTH: f64 = 0.05;
        let mut tails = Vec::with_capacity(100);
        let mut weights = Vec::with_capacity(100);
        for step in 0..100 {
            let t = WIDTH * (f64::from(step) + 0.5);
            let e = libm::exp(-std::f64::consts::PI * libm::sinh(t));
            tails.push(e / (1.0 + e));
            weights
                .push(WIDTH * std::f64::consts::PI * libm::cosh(t) * e / ((1.0 + e) * (1.0 + e)));
        }
        let tails = Array::from(tails).reshape(column.as_slice());
        let weights = Array::from(weights).reshape(column.as_slice());
        let both = function(&self.ppf(&tails)) + function(&self.isf(&tails));
        (both * weights).sum(0)
    }

    /// The integers of which a discrete distribution of any of the parameters has more than rounding.
    fn integers(&self) -> Result<Array> {
        const TAIL: f64 = 1e-18;
        const MOST: f64 = (1 << 24) as f64;
        let [low, high] = crate::fit::asked(|| {
            // A search for a quantile next to 1 ends at a probability that is rounded: twice the way to 1 - 1e-15 is beyond.
            let (first, last) = (self.ppf(TAIL), self.ppf(1.0 - 1e-15));
            let reach = &last + (&last - self.median());
            let last = reach.minimum(self.ppf(1.0));
            Ok([first.min(..).item::<f64>()?, last.max(..).item::<f64>()?])
        })?;
        let count = high - low + 1.0;
        if !(1.0..=MOST).contains(&count) {
            let reason = format!("{} has {count} integers to add up", self.family.name);
            return Err(wrong("expect", reason));
        }
        crate::fit::asked(|| {
            let numbers = ndany_array::api::arange(count as i64);
            Ok(numbers.astype(ndany_array::api::DType::F64) + low)
        })
    }

    /// Draws random variates by the quantiles of uniform numbers, as `rvs` of SciPy, which draws others of the same seed. Of a
    /// von Mises distribution they are angles from −π to π.
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
        let x = self.isf(1.0 - rng.random(shape));
        match self.family.name {
            // Angles from −π on, wherever the location is, as SciPy's.
            "vonmises" => {
                const TURN: f64 = 2.0 * std::f64::consts::PI;
                let turns = ((&x + TURN / 2.0) / TURN).floor();
                x - turns * TURN
            }
            _ => x,
        }
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
