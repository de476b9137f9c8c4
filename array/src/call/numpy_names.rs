//! Every function of NumPy's main namespace that can be called by name is in the module `numpy`, or Rust has it in another way.

use super::names;

/// Names that the module `numpy` has not, with what stands in their place.
const ELSEWHERE: &[(&str, &str)] = &[
    ("array_repr", "`array2string`, `{:?}`"),
    ("array_str", "`array2string`, `{}`"),
    ("asarray_chkfinite", "`isfinite().all(..)`"),
    ("asfarray", "`astype`"),
    ("broadcast", "`broadcast_shapes`"),
    ("byte_bounds", "values have no addresses"),
    ("c_", "`column_stack`, `concatenate`"),
    ("in1d", "`isin`, as in NumPy 2"),
    ("isscalar", "the type says it"),
    ("iterable", "the type says it"),
    ("may_share_memory", "values do not alias"),
    ("msort", "`sort(0)`, as in NumPy 2"),
    ("poly1d", "`polynomial::Polynomial`"),
    ("r_", "`concatenate`"),
    ("require", "`ascontiguousarray`, `asfortranarray`"),
    ("rollaxis", "`moveaxis`"),
    ("savez_compressed", "`savez` with `Compression::Deflated`"),
    ("shares_memory", "values do not alias"),
    ("show_config", "`Device::reports`"),
    ("where", "`where_`: `where` is a word of Rust"),
];

/// Takes each name from the module `numpy`, so that a missing one does not compile, and lists them.
macro_rules! found {
    ($($name:ident)+) => {
        $(
            const _: () = {
                #[allow(unused_imports)]
                use crate::numpy::$name;
            };
        )+
        const FOUND: &[&str] = &[$(stringify!($name)),+];
    };
}

found! {
    abs absolute acos acosh add all allclose amax amin angle any append arange arccos arccosh
    arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around
    array array2string array_equal array_equiv array_split asanyarray asarray ascontiguousarray
    asfortranarray asin asinh astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average
    bartlett base_repr binary_repr bincount bitwise_and bitwise_count bitwise_invert
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block
    broadcast_arrays broadcast_shapes broadcast_to can_cast cbrt ceil choose clip column_stack
    common_type compress concat concatenate conj conjugate convolve copy copysign copyto
    corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum cumulative_prod
    cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal
    diff digitize divide divmod dot dsplit dstack ediff1d einsum einsum_path empty empty_like
    equal exp exp2 expand_dims expm1 extract eye fabs fill_diagonal finfo fix flatnonzero flip
    fliplr flipud float_power floor floor_divide fmax fmin fmod format_float_positional
    format_float_scientific frexp frombuffer fromfile fromiter fromstring full full_like gcd
    genfromtxt geomspace gradient greater greater_equal hamming hanning heaviside histogram
    histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag
    indices inner insert interp intersect1d invert isclose iscomplex iscomplexobj isfinite
    isfortran isin isinf isnan isneginf isposinf isreal isrealobj ix_ kaiser kron lcm ldexp
    left_shift less less_equal lexsort linspace load loadtxt log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul matrix_transpose
    matvec max maximum mean median meshgrid mgrid min min_scalar_type minimum r#mod modf
    moveaxis multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean
    nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndim negative
    nextafter nonzero not_equal ogrid ones ones_like outer packbits pad partition percentile
    permute_dims piecewise place poly polyadd polyder polydiv polyfit polyint polymul polysub
    polyval positive pow power prod promote_types ptp put put_along_axis putmask quantile
    rad2deg radians ravel ravel_multi_index real real_if_close reciprocal remainder repeat
    reshape resize result_type right_shift rint roll roots rot90 round row_stack save savetxt
    savez searchsorted select setdiff1d setxor1d shape sign signbit sin sinc sinh size sort
    sort_complex spacing split sqrt square squeeze stack std subtract sum swapaxes take
    take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices
    tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc union1d
    unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index
    unstack unwrap vander var vdot vecdot vecmat vsplit vstack zeros zeros_like
}

#[test]
fn numpys_names_are_in_the_module_numpy() {
    let ours = |name: &str| {
        let own = FOUND.iter().map(|found| found.trim_start_matches("r#"));
        let elsewhere = ELSEWHERE.iter().map(|(elsewhere, _)| *elsewhere);
        own.chain(elsewhere).any(|known| known == name)
    };
    let main =
        names().filter_map(|name| name.strip_prefix("np.").filter(|name| !name.contains('.')));
    let missing: Vec<&str> = main.filter(|name| !ours(name)).collect();
    assert!(missing.is_empty(), "in neither list: {missing:?}");
    // What stands elsewhere is a name that can be called, and not there.
    for (name, _) in ELSEWHERE {
        assert!(!FOUND.contains(name), "{name} is in both lists");
    }
}
