//! Histograms of one variable.
//!
//! How many bins there are, and where, is `edges`' matter; counting is a search of all elements among the
//! edges that adds up places. Several variables stand in `histogram_dd`.

use crate::array::Array;
use crate::array::sorting::search::{Side, place_counts};
use crate::array::statistics::bincount::sums_by_number;
use crate::array::statistics::edges::{self, Bins};
use crate::array::statistics::weighted_bincount::WeightedBincount;
use crate::declare::array_functions;
use crate::device::Device;
use crate::extend::{Ahead, StandIn};
use ndany_core::{DType, Error, Kind, Result};
use std::hash::Hasher;

array_functions! {
    checked histograms, free free_histograms;

    /// Counts the elements in bins and returns counts and edges, as `np.histogram`; waits for the device.
    ///
    /// Takes `..` for ten bins, a number of equal ones, an array of edges, a rule such as `BinRule::Auto`, or [`Bins`] with
    /// options. A bin has its left edge, and the last one its right edge too; NaN falls into none.
    ///
    /// - **Shapes**: `(…) → (bins,), (bins + 1,)`.
    /// - **Dtypes**: real numbers; counts are int64, weighted ones have the dtype of the weights, densities are float64.
    /// - **Errors**: no bins, edges that do not increase, a range that is not finite, weights of another shape, complex
    ///   numbers.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (counts, edges) = Array::from([1.0, 2.0, 2.5, 4.0]).histogram(3);
    /// assert_eq!(counts.to_vec::<i64>()?, [1, 2, 1]);
    /// assert_eq!(edges.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    histogram / try_histogram (self, bins: impl Into<Bins>) -> (Array, Array) {
        let bins = bins.into();
        static KERNELS: Ahead = Ahead::new();
        KERNELS.ask(&Inputs { array: self, bins: &bins }, (), |(x, bins), ()| {
            let (counts, edges) = x.try_histogram(bins.clone())?;
            counts.eval().and(edges.eval())
        });
        let array = edges::numeric(self)?;
        check_weights(OP, self, &bins)?;
        let edges = edges::edges(&array, &bins)?;
        let counts = counts(&array, &edges, bins.weights.as_ref())?;
        if !bins.density {
            return Ok((counts, edges));
        }
        let widths = edges.try_i(crate::s![1..])?.try_subtract(edges.try_i(crate::s![..-1])?)?;
        let total = counts.try_sum(..)?;
        Ok((counts.try_divide(widths.try_astype(DType::F64)?)?.try_divide(total)?, edges))
    }

    /// Returns the edges that [`Array::histogram`] would use, as `np.histogram_bin_edges`; waits for the device.
    ///
    /// - **Shapes**: `(…) → (bins + 1,)`.
    /// - **Dtypes**: real numbers; the result is float64, or that of given edges.
    /// - **Errors**: those of [`Array::histogram`], weights beside a rule, densities.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 4.0]).histogram_bin_edges(4).to_string(), "[0. 1. 2. 3. 4.]");
    /// ```
    histogram_bin_edges / try_histogram_bin_edges (self, bins: impl Into<Bins>) -> Array {
        let bins = bins.into();
        check_weights("histogram_bin_edges", self, &bins)?;
        // Edges do not depend on weights, which no rule takes.
        Bins { weights: None, ..bins.clone() }.plain("histogram_bin_edges")?;
        edges::edges(&edges::numeric(self)?, &bins)
    }
}

const OP: &str = "histogram";

/// What a histogram is computed from.
struct Inputs<'a> {
    array: &'a Array,
    bins: &'a Bins,
}

impl StandIn for Inputs<'_> {
    type Made = (Array, Bins);

    fn device(&self) -> &Device {
        self.array.device()
    }

    fn hash_into(&self, state: &mut impl Hasher) {
        self.array.hash_into(state);
        self.bins.hash_into(state);
    }

    fn stand_in(&self) -> Result<(Array, Bins)> {
        Ok((self.array.stand_in()?, self.bins.stand_in()?))
    }
}

/// Refuses weights that have not the shape of the elements.
fn check_weights(op: &'static str, array: &Array, bins: &Bins) -> Result<()> {
    match &bins.weights {
        Some(weights) if weights.shape() != array.shape() => {
            let expected = format!("weights of shape {:?}", array.shape());
            Err(Error::Shape { op, expected, got: weights.shape().into() })
        }
        Some(_) | None => Ok(()),
    }
}

/// The edges of floats, in place of the last what follows it in the order of sorts: the next float, and NaN after the
/// largest.
fn last_behind(edges: &Array) -> Result<Array> {
    let _guard = edges.device().enter();
    let is_last = crate::array::try_arange(edges.size())?.try_equal(edges.size() - 1)?;
    let next = edges.try_nextafter(f64::INFINITY)?;
    let next = crate::elementwise::try_where(edges.try_equal(f64::INFINITY)?, f64::NAN, next)?;
    crate::elementwise::try_where(is_last, next, edges)?.try_astype(edges.dtype())
}

/// What falls between each two edges: how many, or the sum of their weights.
fn counts(array: &Array, edges: &Array, weights: Option<&Array>) -> Result<Array> {
    let bins = edges.size().saturating_sub(1);
    if bins == 0 {
        return crate::array::try_zeros(0, weights.map_or(DType::I64, Array::dtype));
    }
    let dtype = DType::promote(array.dtype(), edges.dtype());
    let (values, edges) = (array.try_ravel()?.try_astype(dtype)?, edges.try_astype(dtype)?);
    // The right edge of the last bin belongs to it.
    if weights.is_none() && matches!(dtype, DType::F32 | DType::F64) {
        let places = place_counts(OP, &last_behind(&edges)?, &values, Side::Right)?;
        return places.try_i(crate::s![1..bins as isize + 1]);
    }
    let on_edge = values.try_equal(edges.try_i(-1)?)?;
    let Some(weights) = weights else {
        let places = place_counts(OP, &edges, &values, Side::Right)?;
        let mut counts = places.try_i(crate::s![1..bins as isize + 1])?.try_copy()?;
        let last = counts.try_i(-1)?.try_add(on_edge.try_sum(..)?)?;
        counts.try_set(-1, last)?;
        return Ok(counts);
    };
    let sum = weights.dtype();
    let places = edges.try_searchsorted(&values, Side::Right)?;
    let places = crate::elementwise::try_where(on_edge, bins as i64, places)?;
    if matches!(weights.dtype().kind(), Kind::Bool | Kind::Int) {
        // Sums of integers wrap, as those of their own dtype do.
        let weights = &weights.try_ravel()?.try_astype(DType::I64)?;
        let weighed = WeightedBincount {
            op: OP,
            numbers: &places,
            weights,
            length: bins + 2,
            bounds_checked: true,
        };
        return weighed.sums()?.try_i(crate::s![1..bins as isize + 1])?.try_astype(sum);
    }
    let sums = |weights: &Array| {
        let weights = weights.try_ravel()?.try_astype(DType::F64)?;
        sums_by_number(&places, &weights, bins + 2)?.try_i(crate::s![1..bins as isize + 1])
    };
    if weights.dtype().is_complex() {
        let [real, imaginary] = [sums(&weights.try_real()?)?, sums(&weights.try_imag()?)?];
        return crate::array::complex_of(&real, &imaginary)?.try_astype(weights.dtype());
    }
    sums(weights)?.try_astype(weights.dtype())
}
