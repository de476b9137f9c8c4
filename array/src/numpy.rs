//! NumPy's names, for programs that are ported: `use ndany::numpy as np;`, or `np` from the prelude.
//!
//! - every function of an array in free form (`np::roll(&x, 1, 0)` is `x.roll(1, 0)`), with NumPy's order of arguments;
//! - the elementwise functions in free form, where a number may come first (`np::arctan2(1.0, &x)`);
//! - the functions at the root and the modules;
//! - dtypes (`np::float64`) and constants (`np::pi`).
//!
//! An argument that NumPy has by default is `..` here: `np::sum(&x, ..)`. Rust's keyword `where` is `where_`.
//!
//! ```
//! use ndany::{Array, Device, numpy as np};
//! # let _guard = Device::open("reference")?.enter();
//! let x = np::linspace(0.0, 1.0, 3);
//! let turned = np::arctan2(1.0, &x) - np::exp(x.negative());
//! assert_eq!(np::concatenate(&[&x, &turned], ..).shape(), [6]);
//! assert_eq!(np::cumsum(np::roll(&x, 1, ..), ..).to_string(), "[1.  1.  1.5]");
//! assert_eq!(np::zeros((2, 3), np::float32).dtype(), np::float32);
//! # Ok::<(), ndany::Error>(())
//! ```

use crate::api::{IntoAxes, IntoAxis, IntoIndices, Operand};
use crate::arguments::options::FlatAxis;
use crate::array::Tolerance;
use crate::declare::{acted_on, expect};
use crate::{Array, Casting, DType, IndexMode, Result};

pub use crate::array::free::*;
pub use crate::elementwise::binary::*;
pub use crate::elementwise::pairs::free::*;
pub use crate::elementwise::unary::*;

pub use crate::api::io::{
    fromfile, genfromtxt, load, load_npz, loadtxt, save, save_npz as savez, savetxt,
};
pub use crate::api::{
    NewAxis as newaxis, append, arange, array, bartlett, base_repr, binary_repr, blackman, block,
    broadcast_arrays, broadcast_shapes, column_stack, concatenate, concatenate as concat,
    diag_indices, dstack, einsum, einsum_path, empty, eye, fft, finfo, format_float_positional,
    format_float_scientific, frombuffer, fromfunction, fromiter, fromstring, full, geomspace,
    hamming, hanning, histogramdd, hstack, identity, iinfo, indices, ix_, kaiser, lexsort, linalg,
    linspace, logspace, mask_indices, meshgrid, mgrid, min_scalar_type, ndindex, ogrid, ones, poly,
    polyadd, polyder, polydiv, polyfit, polyint, polymul, polynomial, polysub, polyval, random,
    ravel_multi_index, result_type, roots, s, select, stack, tri, tril_indices, triu_indices,
    ufunc, vectorize, vstack, vstack as row_stack, where_, zeros,
};

// The array API standard's names, which NumPy has too, and NumPy's older ones.
pub use self::{
    absolute as abs, arccos as acos, arccosh as acosh, arcsin as asin, arcsinh as asinh,
    arctan as atan, arctan2 as atan2, arctanh as atanh, asarray as asanyarray, conjugate as conj,
    divide as true_divide, invert as bitwise_invert, invert as bitwise_not,
    left_shift as bitwise_left_shift, max as amax, min as amin, power as pow, remainder as r#mod,
    right_shift as bitwise_right_shift, round as around, transpose as permute_dims,
    unique as unique_values, unwrap_phase as unwrap,
};

/// NumPy's names of dtypes.
#[allow(non_upper_case_globals, reason = "NumPy's names")]
mod dtypes {
    use crate::DType;

    macro_rules! dtypes {
        ($($name:ident $dtype:ident;)+) => {$(
            #[doc = concat!("`np.", stringify!($name), "`.")]
            pub const $name: DType = DType::$dtype;
        )+};
    }
    dtypes! {
        bool_ Bool;
        int8 I8; int16 I16; int32 I32; int64 I64;
        uint8 U8; uint16 U16; uint32 U32; uint64 U64;
        float16 F16; float32 F32; float64 F64;
        complex64 C64; complex128 C128;
        half F16; single F32; double F64; csingle C64; cdouble C128;
        byte I8; ubyte U8; short I16; ushort U16; intc I32; uintc U32;
        int_ I64; uint U64; longlong I64; ulonglong U64; intp I64; uintp U64;
    }
}
pub use dtypes::*;

/// NumPy's constants.
#[allow(non_upper_case_globals, reason = "NumPy's names")]
mod constants {
    /// `np.pi`.
    pub const pi: f64 = std::f64::consts::PI;
    /// `np.e`.
    pub const e: f64 = std::f64::consts::E;
    /// `np.euler_gamma`.
    pub const euler_gamma: f64 = 0.577_215_664_901_532_9;
    /// `np.inf`.
    pub const inf: f64 = f64::INFINITY;
    /// `np.nan`.
    pub const nan: f64 = f64::NAN;
}
pub use constants::*;

/// [`Array::shape`], as a list.
pub fn shape(a: impl Into<Operand>) -> Vec<usize> {
    acted_on(a).shape().to_vec()
}

/// [`Array::ndim`].
pub fn ndim(a: impl Into<Operand>) -> usize {
    acted_on(a).ndim()
}

/// [`Array::size`].
pub fn size(a: impl Into<Operand>) -> usize {
    acted_on(a).size()
}

/// An array of what is given: an array itself, a number or a list of numbers.
#[track_caller]
pub fn asarray(a: impl Into<Operand>) -> Array {
    acted_on(a)
}

/// Does the array lie in Fortran order, and not in C order as well?
pub fn isfortran(a: impl Into<Operand>) -> bool {
    let a = acted_on(a);
    a.is_f_contiguous() && !a.is_c_contiguous()
}

/// [`histogramdd`] of two variables.
#[track_caller]
pub fn histogram2d(
    x: impl Into<Operand>,
    y: impl Into<Operand>,
    bins: impl Into<crate::Bins> + Clone,
    options: &crate::HistogramDdOptions,
) -> (Array, crate::Arrays) {
    crate::histogramdd([acted_on(x), acted_on(y)], [bins.clone(), bins], options)
}

/// The dtype that holds the numbers of all arrays as floats, as [`DType::common_type`].
#[track_caller]
pub fn common_type(arrays: impl IntoIterator<Item: AsRef<Array>>) -> DType {
    let dtypes: Vec<DType> = arrays.into_iter().map(|array| array.as_ref().dtype()).collect();
    expect(DType::common_type(&dtypes))
}

/// Is the dtype one of complex numbers?
pub fn iscomplexobj(a: impl Into<Operand>) -> bool {
    acted_on(a).dtype().is_complex()
}

/// Is the dtype none of complex numbers?
pub fn isrealobj(a: impl Into<Operand>) -> bool {
    !iscomplexobj(a)
}

/// [`DType::promote`].
pub fn promote_types(first: DType, second: DType) -> DType {
    DType::promote(first, second)
}

/// [`DType::can_cast`].
pub fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    DType::can_cast(from, to, casting)
}

/// [`Array::array2string`].
///
/// # Errors
/// Those of the method.
pub fn array2string(a: impl Into<Operand>, options: impl Into<crate::Printing>) -> Result<String> {
    acted_on(a).array2string(options)
}

/// [`Array::compress`], the condition first.
#[track_caller]
pub fn compress(condition: &Array, a: impl Into<Operand>, axis: impl IntoAxis<FlatAxis>) -> Array {
    expect(acted_on(a).try_compress(condition, axis))
}

/// [`Array::extract`], the condition first.
#[track_caller]
pub fn extract(condition: &Array, a: impl Into<Operand>) -> Array {
    expect(acted_on(a).try_extract(condition))
}

/// [`Array::apply_along_axis`], the function first.
#[track_caller]
pub fn apply_along_axis(
    function: impl FnMut(&Array) -> Array,
    axis: impl IntoAxis,
    a: impl Into<Operand>,
) -> Array {
    expect(acted_on(a).try_apply_along_axis(axis, function))
}

/// [`Array::apply_over_axes`], the function first.
#[track_caller]
pub fn apply_over_axes(
    function: impl FnMut(&Array, isize) -> Array,
    a: impl Into<Operand>,
    axes: impl IntoAxes,
) -> Array {
    expect(acted_on(a).try_apply_over_axes(axes, function))
}

/// [`Array::put`].
#[track_caller]
pub fn put(
    a: &mut Array,
    indices: impl IntoIndices,
    values: impl Into<Operand>,
    mode: impl Into<IndexMode>,
) {
    a.put(indices, values, mode);
}

/// [`Array::put_along_axis`].
#[track_caller]
pub fn put_along_axis(
    a: &mut Array,
    indices: &Array,
    values: impl Into<Operand>,
    axis: impl IntoAxis<FlatAxis>,
) {
    a.put_along_axis(indices, values, axis);
}

/// [`Array::putmask`].
#[track_caller]
pub fn putmask(a: &mut Array, mask: &Array, values: impl Into<Operand>) {
    a.putmask(mask, values);
}

/// [`Array::place`].
#[track_caller]
pub fn place(a: &mut Array, mask: &Array, values: impl Into<Operand>) {
    a.place(mask, values);
}

/// [`Array::copyto`], everywhere and by the rule `SameKind`.
#[track_caller]
pub fn copyto(a: &mut Array, source: impl Into<Operand>) {
    a.copyto(source, Casting::SameKind, None);
}

/// [`Array::fill_diagonal`].
#[track_caller]
pub fn fill_diagonal(a: &mut Array, values: impl Into<Operand>, wrap: bool) {
    a.fill_diagonal(values, wrap);
}

/// [`Array::allclose`].
///
/// # Errors
/// Those of the method.
#[track_caller]
pub fn allclose(
    a: impl Into<Operand>,
    b: impl Into<Operand>,
    within: impl Into<Tolerance>,
) -> Result<bool> {
    acted_on(a).allclose(b, within)
}

/// [`Array::array_equal`].
///
/// # Errors
/// Those of the method.
#[track_caller]
pub fn array_equal(a: impl Into<Operand>, b: impl Into<Operand>) -> Result<bool> {
    acted_on(a).array_equal(b)
}

/// [`Array::array_equiv`].
///
/// # Errors
/// Those of the method.
#[track_caller]
pub fn array_equiv(a: impl Into<Operand>, b: impl Into<Operand>) -> Result<bool> {
    acted_on(a).array_equiv(b)
}

/// [`Array::real_if_close`].
///
/// # Errors
/// Those of the method.
#[track_caller]
pub fn real_if_close(a: impl Into<Operand>, tolerance: f64) -> Result<Array> {
    acted_on(a).real_if_close(tolerance)
}

#[cfg(test)]
mod tests {
    use crate::{Array, Device, Result, numpy as np};

    #[test]
    fn arguments_have_numpys_order() -> Result<()> {
        let _guard = Device::open("reference")?.enter();
        let x = np::array([1i64, 2, 3, 4]);
        let odd = np::equal(np::remainder(&x, 2), 1);
        assert_eq!(np::compress(&odd, &x, ..).to_vec::<i64>()?, [1, 3]);
        assert_eq!(np::extract(&odd, &x).to_vec::<i64>()?, [1, 3]);
        let table = np::reshape(&x, (2, 2));
        let sums = np::apply_along_axis(|row| row.sum(..), 1, &table);
        assert_eq!(sums.to_vec::<i64>()?, [3, 7]);
        let kept = np::apply_over_axes(|a, axis| a.sum(axis), &table, (0, 1));
        assert_eq!((kept.shape(), kept.item::<i64>()?), ([1, 1].as_slice(), 10));
        Ok(())
    }

    #[test]
    fn numbers_and_lists_are_arrays() -> Result<()> {
        let _guard = Device::open("reference")?.enter();
        assert_eq!(np::cumsum([1i64, 2, 3], ..).to_vec::<i64>()?, [1, 3, 6]);
        assert_eq!(np::clip(7, 0, 5).item::<i64>()?, 5);
        assert_eq!(np::shape([[1, 2, 3], [4, 5, 6]]), [2, 3]);
        assert!(np::array_equal(np::roll([1, 2, 3], 1, ..), [3, 1, 2])?);
        assert_eq!(np::promote_types(np::int32, np::float32), np::float64);
        Ok(())
    }

    #[test]
    fn writes_change_their_first_argument() -> Result<()> {
        let _guard = Device::open("reference")?.enter();
        let mut a = np::zeros((2, 2), np::int64);
        np::fill_diagonal(&mut a, 5, false);
        np::put(&mut a, [1], 7, ..);
        assert_eq!(a.to_vec::<i64>()?, [5, 7, 0, 5]);
        np::place(&mut a, &np::equal(Array::from([[5, 7], [0, 5]]), 5), [1i64, 2]);
        assert_eq!(a.to_vec::<i64>()?, [1, 7, 0, 2]);
        np::copyto(&mut a, [3i64, 4]);
        assert_eq!(a.to_vec::<i64>()?, [3, 4, 3, 4]);
        Ok(())
    }
}
