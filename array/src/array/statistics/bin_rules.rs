//! How many bins a rule finds right for the data: NumPy's estimators of the width of a bin.
//!
//! What they need of the data (extent, deviation, quartiles, skewness) the device computes; the few numbers
//! left are the host's.

use crate::array::sorting::search::{Side, place_counts};
use crate::array::statistics::edges::{BinRule, Outer};
use crate::array::{Array, indexing::gather};
use ndany_core::{DType, Result, float};

/// The number of bins between the outer edges; `ranged` if those were asked for.
pub(in crate::array) fn count(
    array: &Array,
    rule: BinRule,
    outer: &Outer,
    ranged: bool,
) -> Result<usize> {
    let (first, last) = outer.values;
    let flat = array.try_ravel()?;
    let flat = if ranged {
        let inside = flat.try_greater_equal(first)?.try_logical_and(flat.try_less_equal(last)?)?;
        gather::select(&flat, &inside)?
    } else {
        flat
    };
    if flat.size() == 0 {
        return Ok(1);
    }
    let data = Data::of(&flat)?;
    let width = match rule {
        BinRule::Auto => data.fd()?.max(data.sqrt() / 2.0).min(data.sturges()),
        BinRule::Fd => data.fd()?,
        BinRule::Doane => data.doane()?,
        BinRule::Scott => data.scott()?,
        BinRule::Stone => data.stone(outer)?,
        BinRule::Rice => data.rice(),
        BinRule::Sturges => data.sturges(),
        BinRule::Sqrt => data.sqrt(),
    };
    // Bins of integers are at least 1 wide.
    let width = if array.dtype().is_int() && width > 0.0 { width.max(1.0) } else { width };
    // Edges that were asked for are plain numbers.
    let extent = if ranged { last - first } else { outer.extent()? };
    // These widths are of the data's dtype, and so is what is divided by them.
    let count = match rule {
        BinRule::Rice | BinRule::Scott | BinRule::Stone => data.rounded(extent / width),
        BinRule::Auto | BinRule::Fd | BinRule::Doane | BinRule::Sturges | BinRule::Sqrt => {
            extent / width
        }
    };
    Ok(if width > 0.0 { count.ceil() as usize } else { 1 })
}

struct Data {
    /// In its own dtype, 1-d and not empty.
    values: Array,
    size: f64,
    /// From the smallest to the largest.
    extent: f64,
}

impl Data {
    fn of(values: &Array) -> Result<Self> {
        let (most, least) = (values.try_max(..)?, values.try_min(..)?);
        let extent = match values.dtype().is_float() {
            true => number(&most.try_subtract(least)?)?,
            false => number(&most)? - number(&least)?,
        };
        Ok(Self { values: values.clone(), size: values.size() as f64, extent })
    }

    /// What a plain number makes of the extent is of its dtype.
    fn rounded(&self, x: f64) -> f64 {
        float::rounded(self.values.dtype(), x)
    }

    fn sqrt(&self) -> f64 {
        self.extent / self.size.sqrt()
    }

    fn sturges(&self) -> f64 {
        self.extent / (libm::log2(self.size) + 1.0)
    }

    fn rice(&self) -> f64 {
        self.rounded(self.extent / (2.0 * libm::pow(self.size, 1.0 / 3.0)))
    }

    fn scott(&self) -> Result<f64> {
        let deviation = number(&self.values.try_std(..)?)?;
        let factor = libm::pow(24.0 * std::f64::consts::PI.sqrt() / self.size, 1.0 / 3.0);
        Ok(self.rounded(self.rounded(factor) * deviation))
    }

    fn fd(&self) -> Result<f64> {
        let sorted = self.values.try_sort(0)?;
        let quartile = |part: f64| -> Result<f64> {
            let place = part * (self.size - 1.0);
            let (below, share) = (place.floor(), place.fract());
            let at = |place: f64| number(&sorted.try_i(place as isize)?);
            let (low, high) = (at(below)?, at((below + 1.0).min(self.size - 1.0))?);
            Ok(low + (high - low) * share)
        };
        Ok(2.0 * (quartile(0.75)? - quartile(0.25)?) * libm::pow(self.size, -1.0 / 3.0))
    }

    fn doane(&self) -> Result<f64> {
        let n = self.size;
        let deviation = number(&self.values.try_std(..)?)?;
        if n <= 2.0 || deviation == 0.0 {
            return Ok(0.0);
        }
        let spread = (6.0 * (n - 2.0) / ((n + 1.0) * (n + 3.0))).sqrt();
        let values = self.values.try_astype(DType::F64)?;
        let scaled = values.try_subtract(values.try_mean(..)?)?.try_divide(deviation)?;
        let cubes = scaled.try_multiply(&scaled)?.try_multiply(&scaled)?;
        let skewness = number(&cubes.try_mean(..)?)?;
        Ok(self.extent / (1.0 + libm::log2(n) + libm::log2(1.0 + skewness.abs() / spread)))
    }

    /// Tries every number of bins up to a hundred, or the square root of the size.
    fn stone(&self, outer: &Outer) -> Result<f64> {
        if self.size <= 1.0 || self.extent == 0.0 {
            return Ok(0.0);
        }
        let (mut best, mut least) = (1, f64::INFINITY);
        for bins in 1..=(self.size.sqrt() as usize).max(100) {
            let edges = outer.spaced(bins)?;
            let dtype = DType::promote(edges.dtype(), self.values.dtype());
            let (edges, values) = (edges.try_astype(dtype)?, self.values.try_astype(dtype)?);
            let counts =
                place_counts("histogram", &edges, &values, Side::Right)?.to_vec::<i64>()?;
            let mut squares = 0.0;
            for (bin, &count) in counts[1..=bins].iter().enumerate() {
                // What lies on the last edge belongs to the last bin.
                let on_edge = if bin + 1 == bins { counts[bins + 1] } else { 0 };
                squares += ((count + on_edge) as f64 / self.size).powi(2);
            }
            let loss =
                (2.0 - (self.size + 1.0) * squares) / self.rounded(self.extent / bins as f64);
            if loss < least {
                (best, least) = (bins, loss);
            }
        }
        Ok(self.rounded(self.extent / best as f64))
    }
}

fn number(array: &Array) -> Result<f64> {
    array.try_astype(DType::F64)?.item::<f64>()
}
