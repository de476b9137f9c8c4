//! The methods of arrays, and the functions that make and join them.
//!
//! Views share their buffer and cost nothing. Values do not: writing through one handle never shows
//! through another (`index` and `operators` write in place when the handle is the only one, and copy
//! otherwise).

mod binary;
mod convert;
pub(crate) mod creation;
mod functional;
pub(crate) mod indexing;
pub(crate) mod into;
pub(crate) mod io;
mod logic;
mod manipulation;
mod math;
pub(crate) mod matrices;
mod memory;
mod names;
mod operators;
pub(crate) mod products;
mod reductions;
mod sets;
mod sorting;
pub(crate) mod statistics;
#[cfg(test)]
mod tests;
pub(crate) mod ufunc;
mod windows;

pub(crate) use convert::complex_of;
pub use ufunc::statics as ufuncs;

pub use binary::{BitOrder, base_repr, binary_repr, try_base_repr, try_binary_repr};
#[cfg(feature = "call")]
pub(crate) use creation::create::Like;
pub use creation::create::{
    Nested, array, empty, eye, full, identity, ones, try_array, try_empty, try_eye, try_full,
    try_ones, try_zeros, zeros,
};
pub use creation::diagonal::{tri, try_tri};
pub use creation::grids::{
    GridAxis, Indexing, fromfunction, indices, meshgrid, mgrid, ogrid, try_fromfunction,
    try_indices, try_meshgrid, try_mgrid, try_ogrid,
};
pub use creation::ranges::{
    Linspace, Logspace, arange, geomspace, linspace, logspace, try_arange, try_geomspace,
    try_linspace, try_logspace,
};
pub use functional::{mask_indices, ndindex, try_mask_indices, try_vectorize, vectorize};
pub use indexing::choose::{select, try_select};
pub use indexing::index::{Ellipsis, Index, IndexList, IntoIndex, NewAxis};
pub use indexing::index_tricks::{
    diag_indices, ix_, ravel_multi_index, tril_indices, triu_indices, try_diag_indices, try_ix_,
    try_ravel_multi_index, try_tril_indices, try_triu_indices,
};
#[cfg(feature = "call")]
pub(crate) use indexing::named::{try_c_, try_r_};
pub(crate) use indexing::put::checked_writes;
pub use into::{Target, try_store};
pub use io::display::{
    Digits, FloatFormat, Printing, Sign, Zeros, format_float_positional, format_float_scientific,
};
#[cfg(feature = "safetensors")]
pub use io::file::load_safetensors;
pub use io::file::{load, load_npz, save, save_npz};
pub use io::foreign::Lent;
pub use io::host_buffer::{HostBuffer, Pending};
pub use logic::Tolerance;
#[cfg(feature = "call")]
pub(crate) use logic::isclose;
pub use manipulation::join::{
    Block, append, block, column_stack, concatenate, dstack, hstack, stack, try_append, try_block,
    try_column_stack, try_concatenate, try_concatenate_as, try_dstack, try_hstack, try_stack,
    try_vstack, vstack,
};
pub use manipulation::manipulate::{broadcast_arrays, try_broadcast_arrays};
pub use manipulation::pad::{Pad, Pairs, Reflection};
pub use manipulation::split::{Cuts, Outer};
pub use manipulation::tile::Repeats;
pub use math::convolve::Overlap;
pub use math::difference::{IntoSpacings, Spacing};
pub use math::interpolate::Interp;
pub use math::limits::{IntoLimit, NonFinite};
pub use memory::{broadcast_shapes, try_broadcast_shapes};
#[cfg(feature = "call")]
pub(crate) use sets::unique::Find;
pub use sets::unique::{UniqueAll, UniqueCounts, UniqueInverse};
pub use sorting::search::Side;
pub use sorting::sort::{lexsort, try_lexsort};
pub use statistics::bincount::Counts;
pub use statistics::covariance::Covariance;
pub use statistics::edges::{BinRule, Bins};
pub use statistics::histogram_dd::{HistogramDdOptions, histogramdd, try_histogramdd};
pub use statistics::quantile::QuantileMethod;
pub(crate) use statistics::summary::squares;

pub(crate) use crate::graph::order::{AxisOrder, axis_order, common_order};
pub use crate::graph::{Array, order::Order};
pub use indexing::take::{IndexMode, IndexModes, IntoIndices};
pub use indexing::window::{ViewMut, Window};
pub use io::text::{
    Separated, Text, TextSource, frombuffer, fromfile, fromiter, fromstring, genfromtxt, loadtxt,
    savetxt,
};
pub use products::{Contracted, try_multi_dot};

pub use windows::{
    bartlett, blackman, hamming, hanning, kaiser, try_bartlett, try_blackman, try_hamming,
    try_hanning, try_kaiser,
};

/// The methods as functions with errors as values, for [`crate::checked`].
pub(crate) mod checked {
    pub use super::binary::bits::*;
    pub use super::convert::convert::*;
    pub use super::creation::create::likes::*;
    pub use super::creation::diagonal::diagonal::*;
    pub use super::functional::functional::*;
    pub use super::indexing::choose::choose::*;
    pub use super::indexing::index_tricks::places::*;
    pub use super::indexing::take::take::*;
    pub use super::logic::closeness::*;
    pub use super::manipulation::edit::edit::*;
    pub use super::manipulation::manipulate::manipulate::*;
    pub use super::manipulation::order::order::*;
    pub use super::manipulation::pad::pad::*;
    pub use super::manipulation::split::split::*;
    pub use super::manipulation::tile::tile::*;
    pub use super::math::angle::angles::*;
    pub use super::math::convolve::overlaps::*;
    pub use super::math::difference::differences::*;
    pub use super::math::interpolate::interpolation::*;
    pub use super::math::limits::limits::*;
    pub use super::math::unwrap::phases::*;
    pub use super::memory::requirements::*;
    pub use super::products::matmul::matmul::*;
    pub use super::products::{checked_powers::*, inner_products::*, outers::*, tensordots::*};
    pub use super::reductions::nan::nans::*;
    pub use super::reductions::reduce::reductions::*;
    pub use super::reductions::scan::scans::*;
    pub use super::sets::membership::sets::*;
    pub use super::sets::unique::uniques::*;
    pub use super::sorting::partition::partitions::*;
    pub use super::sorting::search::searches::*;
    pub use super::sorting::sort::sorts::*;
    pub use super::statistics::bincount::counting::*;
    pub use super::statistics::covariance::covariances::*;
    pub use super::statistics::histogram::histograms::*;
    pub use super::statistics::quantile::quantiles::*;
    pub use super::statistics::summary::summaries::*;
}

/// The methods in free form, for [`crate::numpy`].
pub(crate) mod free {
    pub use super::binary::free_bits::*;
    pub use super::convert::free_convert::*;
    pub use super::creation::create::free_likes::*;
    pub use super::creation::diagonal::free_diagonal::*;
    pub use super::indexing::choose::free_choose::*;
    pub use super::indexing::index_tricks::free_places::*;
    pub use super::indexing::take::free_take::*;
    pub use super::logic::free_closeness::*;
    pub use super::manipulation::edit::free_edit::*;
    pub use super::manipulation::manipulate::free_manipulate::*;
    pub use super::manipulation::order::free_order::*;
    pub use super::manipulation::pad::free_pad::*;
    pub use super::manipulation::split::free_split::*;
    pub use super::manipulation::tile::free_tile::*;
    pub use super::math::angle::free_angles::*;
    pub use super::math::convolve::free_overlaps::*;
    pub use super::math::difference::free_differences::*;
    pub use super::math::interpolate::free_interpolation::*;
    pub use super::math::limits::free_limits::*;
    pub use super::math::unwrap::free_phases::*;
    pub use super::memory::free_requirements::*;
    pub use super::products::matmul::free_matmul::*;
    pub use super::products::{free_inner_products::*, free_outers::*, free_tensordots::*};
    pub use super::reductions::nan::free_nans::*;
    pub use super::reductions::reduce::free_reductions::*;
    pub use super::reductions::scan::free_scans::*;
    pub use super::sets::membership::free_sets::*;
    pub use super::sets::unique::free_uniques::*;
    pub use super::sorting::partition::free_partitions::*;
    pub use super::sorting::search::free_searches::*;
    pub use super::sorting::sort::free_sorts::*;
    pub use super::statistics::bincount::free_counting::*;
    pub use super::statistics::covariance::free_covariances::*;
    pub use super::statistics::histogram::free_histograms::*;
    pub use super::statistics::quantile::free_quantiles::*;
    pub use super::statistics::summary::free_summaries::*;
}
