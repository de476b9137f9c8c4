//! The core of ndany: arrays, dtypes, the table of operations, the lazy graph and its fusion, and the
//! seam to devices. Applications use the crate `ndany`, which adds the backends.
//!
//! Start at [`Array`]. What applications see is [`api`], all of which the crate `ndany` has at its root. The other public
//! modules are for backends, bindings and tests: a backend starts at [`backend`], an operation at [`ops`].

#![deny(unsafe_code)]

mod array;
pub mod backend;
#[cfg(feature = "call")]
pub mod call;
mod device;
mod dtype;
mod einsum;
mod error;
pub mod fft;
mod graph;
pub mod host;
pub mod io;
pub mod linalg;
pub mod ops;
pub mod plan;
pub mod polynomial;
pub mod program;
pub mod random;
pub mod reference;
mod report;
mod scalar;
pub mod shape;
mod statistics;
mod stream;
mod twins;

pub use api::*;

/// What applications use; the crate `ndany` exports this and no other part of the core.
pub mod api {
    #[cfg(feature = "call")]
    pub use crate::call;
    pub use crate::{fft, io, linalg, polynomial, random, s};

    pub use crate::array::free::*;
    #[cfg(feature = "safetensors")]
    pub use crate::array::load_safetensors;
    pub use crate::array::{
        Array, Axes, BinRule, Bins, Ellipsis, HistogramDdOptions, HistogramOptions, Index,
        IndexList, IndexMode, Intersection, IntoAxis, IntoIndex, IntoIndices, IntoShape, NewAxis,
        Over, QuantileMethod, Side, Unique, UniqueOptions, ViewMut, Window, arange, concatenate,
        eye, full, histogramdd, identity, lexsort, linspace, load_npz, ones, over, save_npz, stack,
        try_arange, try_concatenate, try_eye, try_full, try_histogramdd, try_lexsort, try_linspace,
        try_ones, try_stack, try_zeros, zeros,
    };
    pub use crate::array::{
        Beyond, BitOrder, Covariance, Overlap, Spacing, Unwrap, base_repr, beyond, binary_repr,
        covariance, try_base_repr, try_binary_repr,
    };
    pub use crate::array::{
        Block, Cuts, IntoAxes, IntoReshape, IntoShifts, Order, Outer, Pad, Pairs, Reflection,
        append, block, broadcast_arrays, column_stack, dstack, hstack, tri, try_append, try_block,
        try_broadcast_arrays, try_column_stack, try_concatenate_as, try_dstack, try_hstack,
        try_tri, try_vstack, vstack,
    };
    pub use crate::array::{Contracted, multi_dot, try_multi_dot};
    pub use crate::array::{
        Digits, FloatFormat, Printing, Sign, Zeros, broadcast_shapes, c_, format_float_positional,
        format_float_scientific, frombuffer, fromfile, fromiter, fromstring, genfromtxt,
        genfromtxt_str, loadtxt, loadtxt_str, mask_indices, ndindex, r_, try_broadcast_shapes,
        try_c_, try_mask_indices, try_r_, try_vectorize, vectorize,
    };
    pub use crate::array::{
        GridAxis, Indexing, bartlett, blackman, from_function, hamming, hanning, indices, kaiser,
        meshgrid, mgrid, ogrid, open_indices, open_meshgrid, try_bartlett, try_blackman,
        try_from_function, try_hamming, try_hanning, try_indices, try_kaiser, try_meshgrid,
        try_mgrid, try_ogrid, try_open_indices, try_open_meshgrid,
    };
    pub use crate::array::{IntoLimit, NonFinite, Norm, Target, Tolerance, non_finite, tolerance};
    pub use crate::array::{
        Like, Nested, array, empty, full_in, try_array, try_empty, try_full_in,
    };
    pub use crate::array::{
        Linspace, geomspace, linspace_of, linspace_step, logspace, try_geomspace, try_linspace_of,
        try_linspace_step, try_logspace,
    };
    pub use crate::array::{
        diag_indices, ix_, ravel_multi_index, select, tril_indices, triu_indices, try_diag_indices,
        try_ix_, try_ravel_multi_index, try_select, try_tril_indices, try_triu_indices,
    };
    pub use crate::backend::PoolStatistics;
    pub use crate::device::{Device, DeviceGuard, Provider};
    pub use crate::dtype::{Bytes, Casting, DType, Element, Kind};
    pub use crate::dtype::{FInfo, IInfo, finfo, iinfo, min_scalar_type, result_type};
    pub use crate::einsum::{Einsum, Optimize, einsum, einsum_path, try_einsum};
    pub use crate::error::{Error, MemoryState, Result, ShapeText};
    pub use crate::graph::{MAX_INPUTS, MAX_REDUCTIONS, MAX_STEPS, Operand};
    pub use crate::io::npz::Compression;
    pub use crate::io::text::{TableFormat, TableLayout, table_format, table_layout};
    pub use crate::ops::pairs::free::*;
    pub use crate::ops::rows::binary::*;
    pub use crate::ops::rows::ufunc;
    pub use crate::ops::rows::unary::*;
    pub use crate::ops::rows::{try_where, where_};
    pub use crate::polynomial::classic::{
        polyadd, polyder, polydiv, polyint, polymul, polysub, polyval, try_polyadd, try_polyder,
        try_polydiv, try_polyint, try_polymul, try_polysub, try_polyval,
    };
    pub use crate::polynomial::fit::{poly, polyfit, roots, try_poly, try_polyfit, try_roots};
    pub use crate::random::{Bounds, Choice, Draw, Generator};
    pub use crate::report::{DeviceReport, FoundLibrary, LibraryError, LibraryReport, Report};
    pub use crate::scalar::{Number, Scalar};
    pub use crate::statistics::Statistics;
    pub use crate::stream::{Stream, StreamGuard};
}
