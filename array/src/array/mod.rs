//! The methods of arrays, and the functions that make and join them.
//!
//! Views share their buffer and cost nothing. Values do not: writing through one handle never shows
//! through another (`index` and `operators` write in place when the handle is the only one, and copy
//! otherwise).

mod angle;
pub(crate) mod at;
mod bin_rules;
mod bincount;
mod bits;
mod choose;
mod close;
mod convert;
pub(crate) use convert::complex_of;
mod advanced_index;
mod convolve;
mod covariance;
mod create;
mod diagonal;
mod difference;
mod display;
mod edges;
mod edit;
mod fancy;
mod file;
mod functional;
pub(crate) mod gather;
mod grids;
mod histogram;
mod histogram_dd;
mod index;
mod index_tricks;
mod integer_table;
#[cfg(feature = "ndarray")]
mod interchange;
mod interpolate;
pub(crate) mod into;
mod join;
mod limits;
mod manipulate;
mod matmul;
pub(crate) mod matrices;
mod memory;
#[cfg(feature = "call")]
mod named;
mod names;
mod nan;
mod operators;
mod order;
mod pad;
mod partition;
pub(crate) mod products;
mod put;
mod quantile;
mod quantile_method;
mod quantile_weights;
pub(crate) mod ranges;
mod reduce;
mod sample_select;
mod scan;
mod search;
mod sets;
mod sort;
mod split;
pub(crate) mod summary;
mod take;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod tile;
pub(crate) mod ufunc;
pub mod ufuncs;
mod unique;
mod unwrap;
mod weighted_bincount;
mod window;

pub use bincount::Counts;
pub use bits::{BitOrder, base_repr, binary_repr, try_base_repr, try_binary_repr};
pub use choose::{select, try_select};
pub use close::Tolerance;
#[cfg(feature = "call")]
pub(crate) use close::isclose;
pub use convolve::Overlap;
pub use covariance::Covariance;
#[cfg(feature = "call")]
pub(crate) use create::Like;
pub use create::{
    Nested, array, empty, eye, full, identity, ones, try_array, try_empty, try_eye, try_full,
    try_ones, try_zeros, zeros,
};
pub use diagonal::{tri, try_tri};
pub use difference::Spacing;
pub use display::{
    Digits, FloatFormat, Printing, Sign, Zeros, format_float_positional, format_float_scientific,
};
pub(crate) use edges::BinCuts;
pub use edges::{BinRule, Bins};
#[cfg(feature = "safetensors")]
pub use file::load_safetensors;
pub use file::{load_npz, save_npz};
pub use functional::{mask_indices, ndindex, try_mask_indices, try_vectorize, vectorize};
pub use grids::{
    GridAxis, Indexing, bartlett, blackman, fromfunction, hamming, hanning, indices, kaiser,
    meshgrid, mgrid, ogrid, open_indices, open_meshgrid, try_bartlett, try_blackman,
    try_fromfunction, try_hamming, try_hanning, try_indices, try_kaiser, try_meshgrid, try_mgrid,
    try_ogrid, try_open_indices, try_open_meshgrid,
};
pub use histogram_dd::{HistogramDdOptions, histogramdd, try_histogramdd};
pub use index::{Ellipsis, Index, IndexList, IntoIndex, NewAxis};
pub use index_tricks::{
    diag_indices, ix_, ravel_multi_index, tril_indices, triu_indices, try_diag_indices, try_ix_,
    try_ravel_multi_index, try_tril_indices, try_triu_indices,
};
pub use interpolate::Interp;
pub use into::{Target, try_store};
pub use join::{
    Block, append, block, column_stack, concatenate, dstack, hstack, stack, try_append, try_block,
    try_column_stack, try_concatenate, try_concatenate_as, try_dstack, try_hstack, try_stack,
    try_vstack, vstack,
};
pub use limits::{IntoLimit, NonFinite};
pub use manipulate::{broadcast_arrays, try_broadcast_arrays};
pub use memory::{broadcast_shapes, try_broadcast_shapes};
#[cfg(feature = "call")]
pub(crate) use named::{try_c_, try_r_};
pub use pad::{Pad, Pairs, Reflection};
pub use quantile::QuantileMethod;
pub use ranges::{
    Linspace, arange, geomspace, linspace, logspace, try_arange, try_geomspace, try_linspace,
    try_logspace,
};
pub use search::Side;
pub use sort::{lexsort, try_lexsort};
pub use split::{Cuts, Outer};
pub(crate) use summary::squares;
pub use tile::Repeats;
#[cfg(feature = "call")]
pub(crate) use unique::Find;
pub use unique::{UniqueAll, UniqueCounts, UniqueInverse};

pub(crate) use crate::graph::order::{AxisOrder, axis_order, common_order};
pub use crate::graph::{Array, order::Order};
pub use products::{Contracted, multi_dot, try_multi_dot};
pub use take::{IndexMode, IndexModes, IntoIndices};
pub use text::{
    frombuffer, fromfile, fromiter, fromstring, genfromtxt, genfromtxt_str, loadtxt, loadtxt_str,
};
pub use window::{ViewMut, Window};

/// The methods as functions with errors as values, for [`crate::checked`].
pub(crate) mod checked {
    pub use super::angle::angles::*;
    pub use super::bincount::counting::*;
    pub use super::bits::bits::*;
    pub use super::choose::choose::*;
    pub use super::close::closeness::*;
    pub use super::convert::convert::*;
    pub use super::convolve::overlaps::*;
    pub use super::covariance::covariances::*;
    pub use super::create::likes::*;
    pub use super::diagonal::diagonal::*;
    pub use super::difference::differences::*;
    pub use super::edit::edit::*;
    pub use super::functional::functional::*;
    pub use super::histogram::histograms::*;
    pub use super::index_tricks::places::*;
    pub use super::interpolate::interpolation::*;
    pub use super::limits::limits::*;
    pub use super::manipulate::manipulate::*;
    pub use super::matmul::matmul::*;
    pub use super::memory::requirements::*;
    pub use super::nan::nans::*;
    pub use super::order::order::*;
    pub use super::pad::pad::*;
    pub use super::partition::partitions::*;
    pub use super::products::{inner_products::*, outers::*, powers::*, tensordots::*};
    pub use super::quantile::quantiles::*;
    pub use super::reduce::reductions::*;
    pub use super::scan::scans::*;
    pub use super::search::searches::*;
    pub use super::sets::sets::*;
    pub use super::sort::sorts::*;
    pub use super::split::split::*;
    pub use super::summary::summaries::*;
    pub use super::take::take::*;
    pub use super::tile::tile::*;
    pub use super::unique::uniques::*;
    pub use super::unwrap::phases::*;
}
