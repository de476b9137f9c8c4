//! Arrays, the lazy graph and its fusion, and NumPy's functions over them. Applications use the crate `ndany`, which adds the
//! backends; what backends need is in the crate `ndany-core`.
//!
//! Start at [`Array`]. What applications see is [`api`], all of which the crate `ndany` has at its root.

#![deny(unsafe_code)]

mod arguments;
mod array;
mod attempt;
mod buffer;
#[cfg(feature = "call")]
pub mod call;
mod capture;
pub mod checked;
mod declare;
mod device;
mod dtypes;
mod einsum;
mod element;
mod elementwise;
pub mod exchange;
pub mod extend;
pub mod fft;
mod graph;
pub mod io;
pub mod kernel;
mod launch_counts;
pub mod linalg;
pub mod numpy;
pub mod polynomial;
pub mod profile;
pub mod random;
mod recording;
mod scalar;
mod spans;
pub mod special;

pub use api::*;

/// What applications use; the crate `ndany` exports this and no other part of the engine.
pub mod api {
    pub use crate::arguments::{
        Arange, Arrays, Axes, Axis, Creation, Eye, Integer, Integers, IntoAxes, IntoAxis,
        IntoShape, OneOf, Shape, along, options, over,
    };
    pub use crate::attempt::attempt;
    #[cfg(feature = "call")]
    pub use crate::call;
    pub use crate::{
        checked, exchange, fft, kernel, linalg, numpy, polynomial, profile, random, range, s,
        special,
    };
    pub use ndany_core::backend::{Attribute, MemoryEvent, NativeDevice, PoolStatistics, Priority};
    pub use ndany_core::{
        Bytes, Casting, Complex32, Complex64, DType, DeviceReport, Error, FInfo, FoundLibrary,
        IInfo, Kind, LibraryError, LibraryReport, MemoryState, Number, Provider, Report, Result,
        ShapeText, bf16, f16, finfo, iinfo,
    };

    pub use crate::array::ufuncs as ufunc;
    pub use crate::array::{
        BinRule, Bins, Counts, Ellipsis, HistogramDdOptions, Index, IndexList, IndexMode,
        IndexModes, IntoIndex, IntoIndices, NewAxis, QuantileMethod, Side, UniqueAll, UniqueCounts,
        UniqueInverse, ViewMut, Window, arange, concatenate, eye, full, histogramdd, identity,
        lexsort, linspace, ones, stack, zeros,
    };
    pub use crate::array::{
        BitOrder, Covariance, Interp, IntoSpacings, Overlap, Repeats, Spacing, base_repr,
        binary_repr,
    };
    pub use crate::array::{
        Block, Cuts, Outer, Pad, Pairs, Reflection, append, block, broadcast_arrays, column_stack,
        dstack, hstack, tri, vstack,
    };
    pub use crate::array::{Contracted, HostBuffer, Lent, Pending};
    pub use crate::array::{
        Digits, FloatFormat, Printing, Sign, Zeros, broadcast_shapes, format_float_positional,
        format_float_scientific, frombuffer, fromiter, fromstring, mask_indices, ndindex,
        vectorize,
    };
    pub use crate::array::{
        GridAxis, Indexing, bartlett, blackman, fromfunction, hamming, hanning, indices, kaiser,
        meshgrid, mgrid, ogrid,
    };
    pub use crate::array::{IntoLimit, NonFinite, Target, Tolerance};
    pub use crate::array::{Linspace, Logspace, geomspace, logspace};
    pub use crate::array::{Nested, array, empty};
    pub use crate::array::{
        diag_indices, ix_, ravel_multi_index, select, tril_indices, triu_indices,
    };
    pub use crate::capture::{Capture, Graph, GraphInputs, GraphOutputs};
    pub use crate::device::{Device, DeviceGuard, Event, MemoryHookGuard, Stream, StreamGuard};
    pub use crate::dtypes::{min_scalar_type, result_type};
    pub use crate::einsum::{Einsum, Optimize, einsum, einsum_path};
    pub use crate::element::Element;
    pub use crate::elementwise::where_;
    pub use crate::graph::evaluate::eval_all;
    pub use crate::graph::order::Order;
    pub use crate::graph::{Array, MAX_INPUTS, MAX_REDUCTIONS, MAX_STEPS, Operand};
    pub use crate::io::Compression;
    pub use crate::io::text::{TableFormat, TableLayout};
    pub use crate::launch_counts::Statistics;
    pub use crate::polynomial::classic::{
        polyadd, polyder, polydiv, polyint, polymul, polysub, polyval,
    };
    pub use crate::polynomial::fit::{poly, polyfit, roots};
    pub use crate::random::{Bounds, Choice, Generator, Population};
    pub use crate::scalar::Scalar;

    /// Files: arrays as NumPy stores them, tables of numbers as text, raw bytes; and the formats by themselves.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let path = std::env::temp_dir().join(format!("ndany-io-{}.npy", std::process::id()));
    /// io::save(&path, arange(3))?;
    /// assert_eq!(io::load(&path)?.to_string(), "[0 1 2]");
    /// # std::fs::remove_file(&path).expect("just written");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub mod io {
        #[cfg(feature = "safetensors")]
        pub use crate::array::load_safetensors;
        pub use crate::array::{
            Separated, Text, TextSource, fromfile, genfromtxt, load, load_npz, loadtxt, save,
            save_npz, savetxt,
        };
        pub use crate::io::*;
    }

    /// What most programs use: `use ndany::prelude::*`.
    ///
    /// Functions that act on arrays are methods; those that make or join arrays come as functions, those of NumPy's submodules
    /// with their module, options with their types. `np` is the module [`numpy`], which has every function in free
    /// form.
    pub mod prelude {
        pub use super::numpy as np;
        pub use super::{
            Array, Complex64, Compression, DType, Device, Ellipsis, Generator, NewAxis, Scalar,
            Shape, Statistics, along, append, arange, array, attempt, broadcast_arrays,
            column_stack, concatenate, dstack, einsum, empty, eye, fft, full, geomspace, hstack,
            identity, indices, io, linalg, linspace, logspace, meshgrid, ones, over, polyfit,
            polynomial, polyval, random, s, special, stack, tri, tril_indices, triu_indices, ufunc,
            vstack, where_, zeros,
        };
        // The options of functions.
        pub use super::{
            Arange, BinRule, Bins, BitOrder, Casting, Choice, Counts, Covariance, Einsum, Eye,
            FloatFormat, GridAxis, IndexMode, Indexing, Interp, Linspace, Logspace, NonFinite,
            Order, Overlap, Pad, Printing, QuantileMethod, Reflection, Side, Spacing, TableFormat,
            TableLayout, Tolerance,
        };
        // The dtypes by their names.
        pub use super::DType::*;
    }
}
