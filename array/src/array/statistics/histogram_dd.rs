//! Histograms of several variables at once.

use crate::arguments::Arange;
use crate::arguments::{Arrays, list};
use crate::array::Array;
use crate::array::sorting::search::{Side, place_counts};
use crate::array::statistics::bincount::sums_by_number;
use crate::array::statistics::edges::{self, BinCuts, Bins, Outer};
use crate::declare::expect;
use ndany_core::{DType, Error, Result};

const OP: &str = "histogramdd";

/// What [`histogramdd`] takes besides samples and bins.
#[derive(Clone, Debug, Default)]
pub struct HistogramDdOptions {
    /// A weight for each sample.
    pub weights: Option<Array>,
    /// Densities, whose integral is 1, in place of counts.
    pub density: bool,
}

/// Counts points in a grid of bins and returns counts and the edges of each axis, as `np.histogramdd`.
///
/// `samples` has a 1-d array for each variable, `bins` the bins of each (numbers or edges, and their ranges). Waits for the
/// device.
///
/// - **Shapes**: `(n,), (n,) → (b₀, b₁), [(b₀ + 1,), (b₁ + 1,)]`.
/// - **Dtypes**: real numbers; counts are float64.
/// - **Errors**: samples of different lengths, a number of bins that is not that of the samples, edges that do not
///   increase.
///
/// ```
/// use ndany::prelude::*;
/// let (x, y) = (array([0.0, 1.0, 1.0]), array([0.0, 0.0, 1.0]));
/// let (counts, _) = ndany::histogramdd([&x, &y], [2, 2], &Default::default());
/// assert_eq!(counts.to_string(), "[[1. 0.]\n [1. 1.]]");
/// ```
///
/// # Panics
/// Where [`checked::histogramdd`](fn@crate::checked::histogramdd) returns an error.
#[track_caller]
pub fn histogramdd(
    samples: impl IntoIterator<Item: AsRef<Array>>,
    bins: impl IntoIterator<Item: Into<Bins>>,
    options: &HistogramDdOptions,
) -> (Array, Arrays) {
    expect(try_histogramdd(samples, bins, options))
}

/// [`histogramdd`], with no samples, lengths that differ, bins that are none, and complex samples as
/// errors.
#[track_caller]
pub fn try_histogramdd(
    samples: impl IntoIterator<Item: AsRef<Array>>,
    bins: impl IntoIterator<Item: Into<Bins>>,
    options: &HistogramDdOptions,
) -> Result<(Array, Arrays)> {
    list!(samples);
    let bins: Vec<Bins> = bins.into_iter().map(Into::into).collect();
    let first = samples.first().ok_or(Error::NoArrays { op: OP })?;
    let count = first.size();
    if bins.len() != samples.len() {
        return Err(edges::wrong("as many bins are needed as there are variables"));
    }
    for array in samples.iter().copied().chain(&options.weights) {
        if array.shape() != [count] {
            let expected = format!("{count} samples in one dimension");
            return Err(Error::Shape { op: OP, expected, got: array.shape().into() });
        }
        if array.device() != first.device() {
            let (left, right) = (first.device().name(), array.device().name());
            return Err(Error::TwoDevices { op: OP, left, right });
        }
    }
    let _guard = first.device().enter();
    // Samples are columns of one matrix, which has one dtype.
    let dtypes = samples.iter().map(|samples| samples.dtype());
    let dtype = dtypes.reduce(DType::promote).unwrap_or(DType::F64);
    let mut all_edges = Vec::new();
    // The number of each sample's bin in the grid, with a bin more at both ends of each axis.
    let mut numbers = crate::array::try_zeros(count, DType::I64)?;
    let mut extents = Vec::new();
    for (variable, bins) in bins.iter().enumerate() {
        let samples = edges::numeric(&samples[variable].try_astype(dtype)?)?;
        bins.plain(OP)?;
        let edges = match &bins.cuts {
            BinCuts::Count(0) => return Err(edges::wrong("bins must be positive, when a number")),
            BinCuts::Count(count) => Outer::of(&samples, bins.range)?.linspace(*count)?,
            BinCuts::Edges(edges) => edges::given(edges)?,
            BinCuts::Rule(_) => {
                let reason = "rules are for one variable".to_string();
                return Err(Error::Arguments { op: OP.to_string(), reason });
            }
        };
        let place = edges.try_searchsorted(&samples, Side::Right)?;
        let on_edge = samples.try_equal(edges.try_i(-1)?)?.try_astype(DType::I64)?;
        let extent = edges.size() + 1;
        numbers = numbers.try_multiply(extent as i64)?.try_add(place.try_subtract(on_edge)?)?;
        extents.push(extent);
        all_edges.push(edges);
    }
    let total = ndany_core::shape::checked_size(OP, &extents, DType::I64)?;
    let sums = match &options.weights {
        Some(weights) => {
            if weights.dtype().is_complex() {
                let dtypes = format!("weights of {}", weights.dtype());
                return Err(Error::DTypes { op: OP, dtypes, remedy: "use real numbers" });
            }
            sums_by_number(&numbers, &weights.try_astype(DType::F64)?, total)?
        }
        None => {
            let every = crate::array::try_arange(Arange::of(0, total, 1, Some(DType::I64)))?;
            place_counts(OP, &every, &numbers, Side::Right)?.try_i(crate::s![1..])?
        }
    };
    let grid: Vec<isize> = extents.iter().map(|&extent| extent as isize).collect();
    let mut counts = sums.try_astype(DType::F64)?.try_reshape(grid.as_slice())?;
    for (axis, &extent) in grid.iter().enumerate() {
        let axis = axis as isize;
        counts = counts.try_moveaxis(axis, 0)?.try_i(1..extent - 1)?.try_moveaxis(0, axis)?;
    }
    if options.density {
        let total = counts.try_sum(..)?;
        for (axis, edges) in all_edges.iter().enumerate() {
            let widths =
                edges.try_i(crate::s![1..])?.try_subtract(edges.try_i(crate::s![..-1])?)?;
            let mut shape = vec![1; samples.len()];
            shape[axis] = -1isize;
            counts = counts.try_divide(widths.try_reshape(shape.as_slice())?)?;
        }
        counts = counts.try_divide(total)?;
    }
    Ok((counts, all_edges.into()))
}
