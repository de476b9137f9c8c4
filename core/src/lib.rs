//! The core of ndany: arrays, dtypes, the table of operations, the lazy graph and its fusion, and the
//! seam to devices. Applications use the crate `ndany`, which adds the backends.
//!
//! Start at [`Array`]. What applications see is [`api`], all of which the crate `ndany` has at its root. The other public
//! modules are for backends, bindings and tests: a backend starts at [`backend`], an operation at [`ops`].

#![deny(unsafe_code)]

mod arguments;
mod array;
mod attempt;
pub mod backend;
#[cfg(feature = "call")]
pub mod call;
pub mod checked;
mod declare;
mod device;
mod dtype;
mod einsum;
mod error;
pub mod fft;
mod graph;
pub mod host;
pub mod io;
mod launch_counts;
pub mod linalg;
pub mod numpy;
pub mod ops;
pub mod plan;
pub mod polynomial;
pub mod program;
pub mod random;
pub mod reference;
mod report;
mod scalar;
pub mod shape;
mod spans;
pub mod special;
mod stream;

pub use api::*;

/// What applications use; the crate `ndany` exports this and no other part of the core.
pub mod api {
    pub use crate::arguments::{
        Arange, Arrays, Axes, Axis, Creation, Eye, Integer, Integers, IntoAxes, IntoAxis,
        IntoShape, Shape, along, options, over,
    };
    pub use crate::attempt::attempt;
    #[cfg(feature = "call")]
    pub use crate::call;
    pub use crate::{checked, fft, io, linalg, numpy, polynomial, random, s, special};
    /// The types of elements that Rust itself does not have.
    pub use half::{bf16, f16};
    pub use num_complex::{Complex32, Complex64};

    #[cfg(feature = "safetensors")]
    pub use crate::array::load_safetensors;
    pub use crate::array::{
        Array, BinRule, Bins, Counts, Ellipsis, HistogramDdOptions, Index, IndexList, IndexMode,
        IndexModes, IntoIndex, IntoIndices, NewAxis, QuantileMethod, Side, UniqueAll, UniqueCounts,
        UniqueInverse, ViewMut, Window, arange, concatenate, eye, full, histogramdd, identity,
        lexsort, linspace, load_npz, ones, save_npz, stack, zeros,
    };
    pub use crate::array::{
        BitOrder, Covariance, Interp, Overlap, Repeats, Spacing, base_repr, binary_repr,
    };
    pub use crate::array::{
        Block, Cuts, Order, Outer, Pad, Pairs, Reflection, append, block, broadcast_arrays,
        column_stack, dstack, hstack, tri, vstack,
    };
    pub use crate::array::{Contracted, multi_dot};
    pub use crate::array::{
        Digits, FloatFormat, Printing, Sign, Zeros, broadcast_shapes, format_float_positional,
        format_float_scientific, frombuffer, fromfile, fromiter, fromstring, genfromtxt,
        genfromtxt_str, loadtxt, loadtxt_str, mask_indices, ndindex, vectorize,
    };
    pub use crate::array::{
        GridAxis, Indexing, bartlett, blackman, fromfunction, hamming, hanning, indices, kaiser,
        meshgrid, mgrid, ogrid, open_indices, open_meshgrid,
    };
    pub use crate::array::{IntoLimit, NonFinite, Target, Tolerance};
    pub use crate::array::{Linspace, geomspace, logspace};
    pub use crate::array::{Nested, array, empty};
    pub use crate::array::{
        diag_indices, ix_, ravel_multi_index, select, tril_indices, triu_indices,
    };
    pub use crate::backend::PoolStatistics;
    pub use crate::device::{Device, DeviceGuard, Provider};
    pub use crate::dtype::{Bytes, Casting, DType, Element, Kind};
    pub use crate::dtype::{FInfo, IInfo, finfo, iinfo, min_scalar_type, result_type};
    pub use crate::einsum::{Einsum, Optimize, einsum, einsum_path};
    pub use crate::error::{Error, MemoryState, Result, ShapeText};
    pub use crate::graph::{MAX_INPUTS, MAX_REDUCTIONS, MAX_STEPS, Operand};
    pub use crate::io::Compression;
    pub use crate::io::text::{TableFormat, TableLayout};
    pub use crate::launch_counts::Statistics;
    pub use crate::ops::rows::ufunc;
    pub use crate::ops::rows::where_;
    pub use crate::polynomial::classic::{
        polyadd, polyder, polydiv, polyint, polymul, polysub, polyval,
    };
    pub use crate::polynomial::fit::{poly, polyfit, roots};
    pub use crate::random::{Bounds, Choice, Generator};
    pub use crate::report::{DeviceReport, FoundLibrary, LibraryError, LibraryReport, Report};
    pub use crate::scalar::{Number, Scalar};
    pub use crate::stream::{Stream, StreamGuard};

    /// What most programs use: `use ndany::prelude::*`.
    ///
    /// Functions that act on arrays are methods; those that make or join arrays come as functions, those of NumPy's submodules
    /// with their module.
    pub mod prelude {
        pub use super::{
            Array, Complex64, Compression, DType, Device, Ellipsis, Generator, NewAxis, Scalar,
            Shape, Statistics, along, arange, array, concatenate, einsum, eye, fft, full, identity,
            io, linalg, linspace, load_npz, meshgrid, ones, over, random, s, save_npz, special,
            stack, ufunc, where_, zeros,
        };
        // The dtypes by their names.
        pub use super::DType::*;
    }
}
