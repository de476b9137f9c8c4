//! Functions with errors as values, under their short names: for programs that must not unwind, and for bindings.
//!
//! A short form raises the error of the function here: it panics, or leaves the innermost [`attempt`](crate::attempt). What
//! acts on an array takes it first.
//!
//! ```
//! use ndany::{Array, Device, checked};
//! # let _guard = Device::open("reference")?.enter();
//! let (two, three) = (Array::from([1, 2]), Array::from([1, 2, 3]));
//! let error = checked::add(&two, &three).expect_err("2 and 3");
//! assert_eq!(error.to_string(), "[add] shapes (2,) and (3,) do not broadcast");
//! # Ok::<(), ndany::Error>(())
//! ```

pub use crate::array::checked::*;
pub use crate::array::checked_writes::*;
pub use crate::elementwise::checked_binary::*;
pub use crate::elementwise::checked_unary::*;
pub use crate::elementwise::pairs::checked::*;
pub use crate::fft::checked::*;
pub use crate::linalg::checked::*;
pub use crate::special::checked::*;

pub use crate::array::{
    try_append as append, try_arange as arange, try_array as array, try_bartlett as bartlett,
    try_base_repr as base_repr, try_binary_repr as binary_repr, try_blackman as blackman,
    try_block as block, try_broadcast_arrays as broadcast_arrays,
    try_broadcast_shapes as broadcast_shapes, try_column_stack as column_stack,
    try_concatenate as concatenate, try_concatenate_as as concatenate_as,
    try_diag_indices as diag_indices, try_dstack as dstack, try_empty as empty, try_eye as eye,
    try_fromfunction as fromfunction, try_full as full, try_geomspace as geomspace,
    try_hamming as hamming, try_hanning as hanning, try_histogramdd as histogramdd,
    try_hstack as hstack, try_indices as indices, try_ix_ as ix_, try_kaiser as kaiser,
    try_lexsort as lexsort, try_linspace as linspace, try_logspace as logspace,
    try_mask_indices as mask_indices, try_meshgrid as meshgrid, try_mgrid as mgrid,
    try_multi_dot as multi_dot, try_ogrid as ogrid, try_ones as ones,
    try_ravel_multi_index as ravel_multi_index, try_select as select, try_stack as stack,
    try_store as store, try_tri as tri, try_tril_indices as tril_indices,
    try_triu_indices as triu_indices, try_vectorize as vectorize, try_vstack as vstack,
    try_zeros as zeros,
};
pub use crate::einsum::try_einsum as einsum;
pub use crate::elementwise::try_where as where_;
pub use crate::polynomial::classic::{
    try_polyadd as polyadd, try_polyder as polyder, try_polydiv as polydiv, try_polyint as polyint,
    try_polymul as polymul, try_polysub as polysub, try_polyval as polyval,
};
pub use crate::polynomial::fit::{try_poly as poly, try_polyfit as polyfit, try_roots as roots};

/// Polynomials with the lowest power first.
pub mod polynomial {
    pub use crate::polynomial::checked::*;
}

/// Draws of a generator, which comes first.
pub mod random {
    pub use crate::random::checked::*;
}
