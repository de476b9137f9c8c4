//! Parameters of a distribution by data: the largest likelihood, in closed form where there is one, else by Newton's method.
//!
//! The likelihood is a sum over the data, which the device makes of many candidates in one launch; the host reads one number of each and
//! knows nothing else of the data.

use std::ops::RangeFull;

use ndany_array::api::{DType, Error, Result, attempt};
use ndany_array::{Array, Operand};
use smallvec::SmallVec;

use crate::distribution::Distribution;
use crate::newton::{differences, newton};

/// Rounds of the search, two launches each.
const ROUNDS: u32 = 100;
/// Width of differences, of parameters in units of the scale or of themselves.
const WIDTH: f64 = 1e-3;
/// Longest step of the search, in the same units.
const REACH: f64 = 2.0;

/// Which parameters [`Distribution::fit`] keeps as they are: `floc`, `fscale` and `f0` (or `fa`, …) of `scipy.stats`. `..` is none.
///
/// ```
/// use ndany::prelude::*;
/// # let _guard = ndany::Device::open("reference")?.enter();
/// let x = array([1.0, 2.0, 4.0]);
/// let fit = stats::expon().fit(&x, stats::Fixed::new().loc(0.0))?;
/// assert_eq!((fit.loc, fit.converged), (0.0, true));
/// assert!((fit.scale - 7.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    shapes: Vec<(String, f64)>,
    loc: Option<f64>,
    scale: Option<f64>,
}

impl Fixed {
    /// Keeps no parameter.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the location at this number.
    pub fn loc(mut self, loc: f64) -> Self {
        self.loc = Some(loc);
        self
    }

    /// Keeps the scale at this number.
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Keeps the shape parameter of this name at this number.
    pub fn shape(mut self, name: &str, value: f64) -> Self {
        self.shapes.push((name.to_string(), value));
        self
    }
}

impl From<RangeFull> for Fixed {
    fn from(_: RangeFull) -> Self {
        Self::new()
    }
}

/// What [`Distribution::fit`] found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// The distribution with these parameters.
    pub distribution: Distribution,
    /// The shape parameters, in the order of the family.
    pub shapes: Vec<f64>,
    /// The location.
    pub loc: f64,
    /// The scale.
    pub scale: f64,
    /// The logarithm of the likelihood: the sum of `logpdf` over the data.
    pub log_likelihood: f64,
    /// Whether the search ended at a maximum. If not, these are the best parameters that it met: the likelihood may have no
    /// maximum, or its maximum may be where a sample is at the end of the support.
    pub converged: bool,
}

fn wrong(reason: impl Into<String>) -> Error {
    crate::declare::wrong("fit", reason)
}

/// What the function returns, or the first error that a call in it raises.
pub(crate) fn asked<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    attempt(work)?
}

/// A sample, and what is read of it.
struct Sample {
    /// One row of float64.
    row: Array,
    count: f64,
    min: f64,
    max: f64,
    mean: f64,
}

impl Sample {
    fn new(data: &Array) -> Result<Self> {
        if data.dtype().is_complex() {
            return Err(wrong(format!("expected real numbers, got {}", data.dtype())));
        }
        if data.size() == 0 {
            return Err(wrong("there are no data"));
        }
        asked(|| {
            let row = data.astype(DType::F64).reshape((1, -1));
            row.eval()?;
            if !row.isfinite().all(..).item::<bool>()? {
                return Err(wrong("the data have NaN or infinities"));
            }
            let number = |array: Array| array.item::<f64>();
            let (min, max, mean) =
                (number(row.min(..))?, number(row.max(..))?, number(row.mean(..))?);
            Ok(Self { count: row.size() as f64, row, min, max, mean })
        })
    }

    /// The mean of what a function makes of the data.
    fn mean_of(&self, function: impl FnOnce(&Array) -> Array) -> Result<f64> {
        asked(|| function(&self.row).mean(..).item::<f64>())
    }

    /// The mean square distance from a point.
    fn square_about(&self, point: f64) -> Result<f64> {
        self.mean_of(|x| (x - point).square())
    }

    fn quantiles<const N: usize>(&self, levels: [f64; N]) -> Result<[f64; N]> {
        asked(|| {
            let found = self.row.quantile(Array::from(levels), ..).to_vec::<f64>()?;
            Ok(std::array::from_fn(|number| found[number]))
        })
    }
}

/// Parameters: shapes, then location and scale. `None` is free.
struct Problem<'a> {
    own: &'a Distribution,
    sample: Sample,
    fixed: Vec<Option<f64>>,
}

impl Distribution {
    /// Finds the parameters of the largest likelihood of data, as `fit` of SciPy's continuous distributions; waits for the device.
    ///
    /// Normal, exponential, uniform, Laplace, half-normal and Pareto distributions, and with a fixed location lognormal and Rayleigh ones,
    /// are in closed form or found along one line; all others by Newton's method, of at most 100 rounds, that starts at moments or quantiles of
    /// the data and, where these say nothing of a shape parameter, at that of the distribution. Each round is two launches over the
    /// data; the host reads a handful of numbers. All dtypes are computed in float64.
    ///
    /// - **Errors**: discrete distributions, complex data, no data, NaN or infinities among them, data outside of the support that
    ///   fixed parameters leave, unknown names of shape parameters, no free parameter.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let _guard = ndany::Device::open("reference")?.enter();
    /// let x = array([0.2, 1.1, 0.7, 2.5, 0.4, 1.9]);
    /// let fit = stats::gamma(1.0).fit(&x, stats::Fixed::new().loc(0.0))?;
    /// assert!((fit.distribution.mean().item::<f64>()? - x.mean(..).item::<f64>()?).abs() < 1e-9);
    /// assert!(fit.converged && fit.log_likelihood > stats::gamma(2.0).logpdf(&x).sum(..).item::<f64>()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn fit(&self, data: &Array, fixed: impl Into<Fixed>) -> Result<Fit> {
        let (family, fixed) = (self.family(), fixed.into());
        if family.discrete {
            return Err(wrong(format!("{} is discrete, and has no fit", family.name)));
        }
        let mut all: Vec<Option<f64>> = vec![None; family.shapes.len()];
        for (name, value) in &fixed.shapes {
            let place = family.shapes.iter().position(|shape| shape == name);
            let place = place.ok_or_else(|| {
                wrong(format!("{} has no shape parameter {name}: {:?}", family.name, family.shapes))
            })?;
            all[place] = Some(*value);
        }
        all.push(fixed.loc);
        // A turn is a turn.
        all.push(fixed.scale.or((family.name == "vonmises").then_some(1.0)));
        if all.iter().all(Option::is_some) {
            return Err(wrong("all parameters are fixed"));
        }
        if all.iter().flatten().any(|value| !value.is_finite())
            || all[all.len() - 1].is_some_and(|scale| scale <= 0.0)
        {
            return Err(wrong("fixed parameters must be finite, and a scale positive"));
        }
        let problem = Problem { own: self, sample: Sample::new(data)?, fixed: all };
        problem.check_support()?;
        match problem.closed()? {
            Some(parameters) => problem.found(parameters, true),
            None => problem.searched(),
        }
    }
}

impl Problem<'_> {
    fn name(&self) -> &'static str {
        self.own.family().name
    }

    fn shapes(&self) -> usize {
        self.fixed.len() - 2
    }

    fn loc(&self) -> Option<f64> {
        self.fixed[self.shapes()]
    }

    fn scale(&self) -> Option<f64> {
        self.fixed[self.shapes() + 1]
    }

    /// The ends of the standard support of these shape parameters.
    fn support(&self, shapes: &[f64]) -> Result<[f64; 2]> {
        let standard = self.own.with_parameters(shapes, 0.0, 1.0);
        asked(|| Ok([standard.ppf(0.0).item::<f64>()?, standard.ppf(1.0).item::<f64>()?]))
    }

    /// Refuses data that are outside of the support whatever the free parameters are.
    fn check_support(&self) -> Result<()> {
        let fixed: Option<Vec<f64>> = self.fixed[..self.shapes()].iter().copied().collect();
        let shapes = match fixed {
            Some(shapes) => shapes,
            None if matches!(self.name(), "truncnorm" | "loguniform") => return Ok(()),
            None => self.own.shape_numbers()?,
        };
        let Some(loc) = self.loc() else { return Ok(()) };
        let [low, high] = self.support(&shapes)?;
        let (below, above) = match self.scale() {
            Some(scale) => {
                (self.sample.min < loc + scale * low, self.sample.max > loc + scale * high)
            }
            // A free scale moves an end on its side of the location.
            None => {
                let (min, max) = (self.sample.min, self.sample.max);
                let below = (low >= 0.0 && min < loc) || (low > 0.0 && min <= loc);
                (below, (high <= 0.0 && max > loc) || (high < 0.0 && max >= loc))
            }
        };
        match below || above {
            true => Err(wrong(format!(
                "data from {} to {} are not in the support of {} with these fixed parameters",
                self.sample.min,
                self.sample.max,
                self.name()
            ))),
            false => Ok(()),
        }
    }

    /// The parameters, where they have a closed form.
    fn closed(&self) -> Result<Option<Vec<f64>>> {
        let sample = &self.sample;
        let (loc, scale) = (self.loc(), self.scale());
        Ok(Some(match self.name() {
            "norm" => {
                let loc = loc.unwrap_or(sample.mean);
                vec![loc, scale.map_or_else(|| sample.square_about(loc).map(f64::sqrt), Ok)?]
            }
            "expon" => {
                let loc = loc.unwrap_or(sample.min);
                vec![loc, scale.unwrap_or(sample.mean - loc)]
            }
            "uniform" => match (loc, scale) {
                (Some(loc), _) => vec![loc, sample.max - loc],
                (None, Some(scale)) => {
                    let extent = sample.max - sample.min;
                    if extent > scale {
                        return Err(wrong(format!(
                            "data of an extent of {extent} do not fit in a scale of {scale}"
                        )));
                    }
                    vec![sample.min - 0.5 * (scale - extent), scale]
                }
                (None, None) => vec![sample.min, sample.max - sample.min],
            },
            "laplace" => {
                let loc = loc.map_or_else(|| sample.quantiles([0.5]).map(|[median]| median), Ok)?;
                vec![loc, scale.map_or_else(|| sample.mean_of(|x| (x - loc).abs()), Ok)?]
            }
            "halfnorm" => {
                let loc = loc.unwrap_or(sample.min);
                vec![loc, scale.map_or_else(|| sample.square_about(loc).map(f64::sqrt), Ok)?]
            }
            "rayleigh" if loc.is_some() => {
                let loc = loc.unwrap_or(0.0);
                vec![loc, (0.5 * sample.square_about(loc)?).sqrt()]
            }
            "lognorm" if loc.is_some() => {
                let loc = loc.unwrap_or(0.0);
                if sample.min <= loc {
                    return Err(wrong(format!("data from {} on are not above {loc}", sample.min)));
                }
                let log_scale = match scale {
                    Some(scale) => libm::log(scale),
                    None => sample.mean_of(|x| (x - loc).log())?,
                };
                let s = match self.fixed[0] {
                    Some(s) => s,
                    None => sample.mean_of(|x| ((x - loc).log() - log_scale).square())?.sqrt(),
                };
                vec![s, loc, libm::exp(log_scale)]
            }
            "pareto" => return self.pareto(),
            _ => return Ok(None),
        }))
    }

    /// Of Pareto's distribution the least of the data is the end of the support, unless the scale and the location are fixed; and
    /// the exponent is then a mean of logarithms.
    fn pareto(&self) -> Result<Option<Vec<f64>>> {
        let sample = &self.sample;
        let end = sample.min;
        let exponent = |scale: f64, loc: f64| -> Result<f64> {
            match self.fixed[0] {
                Some(b) => Ok(b),
                None => Ok(1.0 / sample.mean_of(|x| ((x - loc) / scale).log())?),
            }
        };
        match (self.loc(), self.scale()) {
            (Some(loc), scale) => {
                let scale = scale.unwrap_or(end - loc);
                Ok(Some(vec![exponent(scale, loc)?, loc, scale]))
            }
            (None, Some(scale)) => {
                let loc = end - scale;
                Ok(Some(vec![exponent(scale, loc)?, loc, scale]))
            }
            // Along the line of locations and scales whose sum is the least of the data.
            (None, None) => Ok(None),
        }
    }

    /// Where the search begins.
    fn start(&self) -> Result<Vec<f64>> {
        let sample = &self.sample;
        let var = sample.square_about(sample.mean)?;
        let deviation = var.sqrt();
        if deviation == 0.0 {
            return Err(wrong("all data are equal"));
        }
        let extent = sample.max - sample.min;
        let (fixed_loc, fixed_scale) = (self.loc(), self.scale());
        // A location below the least of the data, and the mean above it.
        let below = |distance: f64| fixed_loc.unwrap_or(sample.min - distance * extent);
        let quartiles = || sample.quantiles([0.25, 0.5, 0.75]);
        let mut start = match self.name() {
            "gamma" => {
                let loc = match fixed_loc {
                    Some(loc) => loc,
                    None => {
                        let third = sample.mean_of(|x| (x - sample.mean).pow(3))?;
                        let skew = (third / (var * deviation)).max(0.05);
                        (sample.mean - 2.0 * deviation / skew).min(sample.min - 0.02 * extent)
                    }
                };
                let mean = sample.mean - loc;
                let scale = fixed_scale.unwrap_or(var / mean);
                vec![mean / scale, loc, scale]
            }
            "weibull_min" => {
                let loc = below(0.05);
                let mean = sample.mean - loc;
                vec![libm::pow(mean / deviation, 1.086), loc, fixed_scale.unwrap_or(1.1 * mean)]
            }
            "lognorm" => {
                let loc = below(0.05);
                let mean = sample.mean - loc;
                let spread = 1.0 + var / (mean * mean);
                vec![libm::log(spread).sqrt(), loc, fixed_scale.unwrap_or(mean / spread.sqrt())]
            }
            "beta" => {
                let loc = below(0.02);
                let scale = fixed_scale.unwrap_or(sample.max - loc + 0.02 * extent);
                let mean = ((sample.mean - loc) / scale).clamp(1e-3, 1.0 - 1e-3);
                let total = (mean * (1.0 - mean) * scale * scale / var - 1.0).max(0.1);
                vec![mean * total, (1.0 - mean) * total, loc, scale]
            }
            "t" => {
                let [low, middle, high] = quartiles()?;
                vec![5.0, fixed_loc.unwrap_or(middle), fixed_scale.unwrap_or((high - low) / 1.45)]
            }
            "cauchy" => {
                let [low, middle, high] = quartiles()?;
                vec![fixed_loc.unwrap_or(middle), fixed_scale.unwrap_or((high - low) / 2.0)]
            }
            "vonmises" => {
                let [sine, cosine] = [sample.mean_of(|x| x.sin())?, sample.mean_of(|x| x.cos())?];
                let length = libm::hypot(sine, cosine).min(1.0 - 1e-9);
                let kappa = length * (2.0 - length * length) / (1.0 - length * length);
                vec![kappa, fixed_loc.unwrap_or(libm::atan2(sine, cosine)), 1.0]
            }
            "pareto" => vec![3.0, 0.0, 3.0 * (sample.mean - sample.min)],
            _ => self.start_by_moments(deviation)?,
        };
        for (value, fixed) in start.iter_mut().zip(&self.fixed) {
            *value = fixed.unwrap_or(*value);
        }
        if self.name() != "pareto" {
            self.cover(&mut start, extent)?;
        }
        let scale = start.len() - 1;
        match start[scale] > 0.0 {
            true => Ok(start),
            false => Err(wrong("the data say nothing of the scale")),
        }
    }

    /// The shape parameters of the distribution, with a location and a scale that give the mean and the variance of the data, or if it
    /// has none, their quartiles.
    fn start_by_moments(&self, deviation: f64) -> Result<Vec<f64>> {
        let mut shapes = self.own.shape_numbers()?;
        for (value, fixed) in shapes.iter_mut().zip(&self.fixed) {
            *value = fixed.unwrap_or(*value);
        }
        let standard = self.own.with_parameters(&shapes, 0.0, 1.0);
        let [mean, var] =
            asked(|| Ok([standard.mean().item::<f64>()?, standard.var().item::<f64>()?]))?;
        let (loc, scale) = if mean.is_finite() && var.is_finite() && var > 0.0 {
            let scale = self.scale().unwrap_or(deviation / var.sqrt());
            (self.sample.mean - scale * mean, scale)
        } else {
            let own = asked(|| standard.ppf(Array::from([0.25, 0.5, 0.75])).to_vec::<f64>())?;
            let [low, middle, high] = self.sample.quantiles([0.25, 0.5, 0.75])?;
            let scale = self.scale().unwrap_or((high - low) / (own[2] - own[0]));
            (middle - scale * own[1], scale)
        };
        shapes.extend([loc, scale]);
        Ok(shapes)
    }

    /// Moves the location and the scale so that the support has all data.
    fn cover(&self, start: &mut [f64], extent: f64) -> Result<()> {
        let shapes = start.len() - 2;
        let [low, high] = self.support(&start[..shapes])?;
        let (min, max) = (self.sample.min, self.sample.max);
        let is_covered = |start: &[f64]| {
            let (loc, scale) = (start[shapes], start[shapes + 1]);
            loc + scale * low < min && max < loc + scale * high
        };
        if is_covered(start) {
            return Ok(());
        }
        let margin = 0.05 * extent;
        let free = |number: usize| self.fixed[shapes + number].is_none();
        if free(1) && low.is_finite() && high.is_finite() {
            start[shapes + 1] = match free(0) {
                true => (extent + 2.0 * margin) / (high - low),
                // From where the location is to what is farthest.
                false if high > 0.0 => 1.1 * (max - start[shapes]) / high,
                false => 1.1 * (min - start[shapes]) / low,
            };
        }
        if free(0) {
            let scale = start[shapes + 1];
            start[shapes] = match low.is_finite() {
                true => min - margin - scale * low,
                false => max + margin - scale * high,
            };
        }
        Ok(())
    }

    /// The mean of −log of the density at each of the parameters; infinite where that is no number.
    fn losses(&self, rows: &[Vec<f64>]) -> Result<Vec<f64>> {
        let column = |number: usize| -> Operand {
            let values: Vec<f64> = rows.iter().map(|row| row[number]).collect();
            Operand::from(&Array::from(values).reshape((-1, 1)))
        };
        let parameters: SmallVec<[Operand; 6]> = (0..self.fixed.len()).map(column).collect();
        let values = self.own.log_density(&self.sample.row, parameters)?;
        let losses = asked(|| values.sum(-1).to_vec::<f64>())?;
        let loss = |sum: f64| match (-sum / self.sample.count).is_finite() {
            true => -sum / self.sample.count,
            false => f64::INFINITY,
        };
        Ok(losses.into_iter().map(loss).collect())
    }

    /// Parameters that are a step away: the location in units of the scale, what is positive in logarithms.
    fn moved(&self, from: &[f64], free: &[usize], step: &[f64]) -> Vec<f64> {
        let mut to = from.to_vec();
        let shapes = self.shapes();
        let is_signed = matches!(self.name(), "skewnorm" | "truncnorm" | "triang");
        for (&number, &step) in free.iter().zip(step) {
            to[number] = if number == shapes {
                from[number] + from[shapes + 1] * step
            } else if number < shapes && (is_signed || from[number] <= 0.0) {
                from[number] + step * from[number].abs().max(1.0)
            } else {
                from[number] * libm::exp(step)
            };
        }
        if self.is_tied() {
            to[shapes] = self.sample.min - to[shapes + 1];
        }
        to
    }

    /// Whether the location follows the scale.
    fn is_tied(&self) -> bool {
        self.name() == "pareto" && self.loc().is_none() && self.scale().is_none()
    }

    fn searched(&self) -> Result<Fit> {
        if self.is_tied() {
            return self.searched_along_a_line();
        }
        let mut at = self.start()?;
        let free: Vec<usize> =
            (0..self.fixed.len()).filter(|&number| self.fixed[number].is_none()).collect();
        let k = free.len();
        let rows = 1 + 4 * k + k * (k - 1);
        let mut width = WIDTH;
        let mut settled = 0;
        for _ in 0..ROUNDS {
            // The value, four values along each parameter, two of each pair of parameters.
            let mut offsets = vec![vec![0.0; k]];
            for i in 0..k {
                for factor in [1.0, -1.0, 2.0, -2.0] {
                    offsets.push(vec![0.0; k]);
                    offsets.last_mut().expect("just pushed")[i] = factor * width;
                }
            }
            for i in 0..k {
                for j in 0..i {
                    for sign in [1.0, -1.0] {
                        let mut offset = vec![0.0; k];
                        (offset[i], offset[j]) = (sign * width, sign * width);
                        offsets.push(offset);
                    }
                }
            }
            let points: Vec<Vec<f64>> =
                offsets.iter().map(|offset| self.moved(&at, &free, offset)).collect();
            let losses = self.losses(&points)?;
            if losses.iter().any(|loss| !loss.is_finite()) {
                if losses[0].is_infinite() || width < 1e-8 {
                    return self.found(at, false);
                }
                width *= 0.1;
                continue;
            }
            let (slope, curvature) = differences(&losses, k, width);
            let (step, is_convex) = newton(&slope, &curvature);
            let size = step.iter().fold(0f64, |size, step| size.max(step.abs()));
            let gain: f64 =
                -0.5 * slope.iter().zip(&step).map(|(slope, step)| slope * step).sum::<f64>();
            if is_convex && size < 1e-2 && gain < 1e-13 * (1.0 + losses[0].abs()) {
                // What is left is below the rounding of the sum, but not of its slope.
                let next = self.moved(&at, &free, &step);
                let mut pair = vec![at.clone(); rows];
                pair[1] = next;
                let losses = self.losses(&pair)?;
                if losses[1] <= losses[0] + 1e-13 * (1.0 + losses[0].abs()) {
                    at = pair.swap_remove(1);
                }
                settled += 1;
                if settled == 2 || size < 1e-10 {
                    return self.found(at, true);
                }
                continue;
            }
            settled = 0;
            let shortened = (REACH / size).min(1.0);
            let candidates: Vec<Vec<f64>> = (0..rows)
                .map(|number| {
                    let part = shortened * 2f64.powi(1 - number as i32);
                    let step: Vec<f64> = step.iter().map(|step| part * step).collect();
                    self.moved(&at, &free, &step)
                })
                .collect();
            let tried = self.losses(&candidates)?;
            let best = (0..rows).min_by(|&i, &j| tried[i].total_cmp(&tried[j])).unwrap_or(0);
            if tried[best] < losses[0] {
                at.clone_from(&candidates[best]);
                width = WIDTH.max(width);
            } else if width > 1e-7 {
                width *= 0.1;
            } else {
                return self.found(at, false);
            }
        }
        self.found(at, false)
    }

    /// The largest likelihood where one number, a scale, says all others: by ever finer grids.
    fn searched_along_a_line(&self) -> Result<Fit> {
        const POINTS: usize = 33;
        let sample = &self.sample;
        let extent = sample.max - sample.min;
        if extent == 0.0 {
            return Err(wrong("all data are equal"));
        }
        // The exponent and the loss, by the mean of log(1 + (x − min)/scale).
        let of = |scale: f64, mean: f64| {
            let exponent = self.fixed[0].unwrap_or(1.0 / mean);
            (exponent, libm::log(scale) - libm::log(exponent) + (exponent + 1.0) * mean)
        };
        let (mut low, mut high) = (libm::log(extent * 1e-12), libm::log(extent * 1e6));
        let (first, last) = (low, high);
        let mut best = (f64::INFINITY, 0.0, 0.0);
        for _ in 0..12 {
            let step = (high - low) / (POINTS - 1) as f64;
            let logs: Vec<f64> = (0..POINTS).map(|k| low + step * k as f64).collect();
            let scales: Vec<f64> = logs.iter().map(|&log| libm::exp(log)).collect();
            let means = asked(|| {
                let column = Array::from(scales.clone()).reshape((-1, 1));
                ((&sample.row - sample.min) / column).log1p().mean(along_last()).to_vec::<f64>()
            })?;
            let losses: Vec<(f64, f64)> =
                scales.iter().zip(&means).map(|(&scale, &mean)| of(scale, mean)).collect();
            let least =
                (0..POINTS).min_by(|&i, &j| losses[i].1.total_cmp(&losses[j].1)).unwrap_or(0);
            if losses[least].1 < best.0 {
                best = (losses[least].1, logs[least], losses[least].0);
            }
            (low, high) = (logs[least.saturating_sub(1)], logs[(least + 1).min(POINTS - 1)]);
        }
        let converged = best.1 > first + 1e-6 && best.1 < last - 1e-6;
        let scale = libm::exp(best.1);
        self.found(vec![best.2, sample.min - scale, scale], converged)
    }

    /// The answer: the location of a support that begins at the least of the data has it in it.
    fn found(&self, mut parameters: Vec<f64>, converged: bool) -> Result<Fit> {
        let shapes = self.shapes();
        if self.name() == "pareto" && self.loc().is_none() {
            let (loc, scale) = (parameters[shapes], parameters[shapes + 1]);
            // The difference is rounded once, which a step or two make good.
            let mut steps = std::iter::successors(Some(loc), |loc| Some(loc.next_down())).take(4);
            let is_inside = |loc: &f64| (self.sample.min - loc) / scale >= 1.0;
            parameters[shapes] = steps.find(is_inside).unwrap_or(loc);
        }
        let loss = self.losses(&[parameters.clone()])?[0];
        let (loc, scale) = (parameters[shapes], parameters[shapes + 1]);
        parameters.truncate(shapes);
        Ok(Fit {
            distribution: self.own.with_parameters(&parameters, loc, scale),
            shapes: parameters,
            loc,
            scale,
            log_likelihood: -loss * self.sample.count,
            converged: converged && loss.is_finite(),
        })
    }
}

fn along_last() -> impl ndany_array::IntoAxes<ndany_array::options::MeanOptions> {
    -1
}
