//! NumPy's names, for programs that are ported: `use ndany::numpy as np;`.
//!
//! All functions at the root, the modules, and besides the elementwise functions in free form, since there a number may come
//! first.
//!
//! ```
//! use ndany::{Array, Device, numpy as np};
//! # let _guard = Device::open("reference")?.enter();
//! let x = np::linspace(0.0, 1.0, 3);
//! let turned = np::arctan2(1.0, &x) - np::exp(x.negative());
//! assert_eq!(np::concatenate(&[&x, &turned], 0).shape(), [6]);
//! # Ok::<(), ndany::Error>(())
//! ```

pub use crate::elementwise::binary::*;
pub use crate::elementwise::pairs::free::*;
pub use crate::elementwise::unary::*;

pub use crate::api::{
    append, arange, array, bartlett, base_repr, binary_repr, blackman, block, broadcast_arrays,
    broadcast_shapes, column_stack, concatenate, diag_indices, dstack, einsum, einsum_path, empty,
    eye, fft, finfo, format_float_positional, format_float_scientific, frombuffer, fromfile,
    fromiter, fromstring, full, genfromtxt, geomspace, hamming, hanning, histogramdd, hstack,
    identity, iinfo, indices, ix_, kaiser, lexsort, linalg, linspace, load_npz, loadtxt, logspace,
    mask_indices, meshgrid, mgrid, min_scalar_type, ndindex, ogrid, ones, poly, polyadd, polyder,
    polydiv, polyfit, polyint, polymul, polynomial, polysub, polyval, random, ravel_multi_index,
    result_type, roots, s, select, stack, tri, tril_indices, triu_indices, ufunc, vectorize,
    vstack, where_, zeros,
};
