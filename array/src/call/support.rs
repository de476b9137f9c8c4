//! What is there of the names that CuPy's reference has, and how each is computed: the table of support, as data.
//!
//! `names.txt` beside this file lists the names by page. Rows and reductions are native because their tables say so; what
//! is a view, a vendor's library, of the host, or waits for the device stands in the lists here. Everything else that can
//! be called is composed of those.

use super::{ALIASES, names};
use crate::elementwise::{METHODS, UNARY_METHODS};
use ndany_core::ops::{PAIRS, REDUCTIONS, UfuncDef};

static NAMES: &str = include_str!("names.txt");

/// A name of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The page.
    pub page: &'static str,
    /// The name, as the page has it.
    pub name: &'static str,
    /// What there is of it.
    pub state: State,
}

/// What there is of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// [`call`](super::call()) knows it, under this name.
    Callable(&'static str),
    /// Rust has it, there and by these words.
    Rust(&'static str, &'static str),
    /// It is not there, for this reason.
    Absent(&'static str),
    /// The list says that it is there, and it is not: a mistake of the list, which a test finds.
    Unknown,
}

/// How a function is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By kernels of its own: rows, reductions, scans, sorts, gathers, draws.
    Native,
    /// By a library: cuBLAS or rocBLAS, faer on the CPU; own kernels of the same function where it is missing.
    Library,
    /// By factorizations, a library's or the project's own kernels.
    Factored,
    /// By transforms of Fourier's, which are a library's, where there is one.
    Transformed,
    /// Of functions that are native or a library's.
    Composed,
    /// Another look at the same memory, or nothing but what is known of an array without its values.
    View,
    /// On the host, which it is about: texts and files.
    Host,
}

/// Names under which a page's functions can be called.
fn prefixes(page: &str) -> &'static [&'static str] {
    match page {
        "linalg" => &["np.linalg.", "np."],
        "fft" => &["np.fft."],
        "random" => &["np.random."],
        "ext" => &["cupyx."],
        _ => &["np."],
    }
}

/// Returns every name of CuPy's pages, in their order, with how ndany supports it.
///
/// ```
/// use ndany::prelude::*;
/// assert!(ndany::call::support::entries().iter().any(|entry| entry.name == "exp"));
/// ```
pub fn entries() -> Vec<Entry> {
    let callable: std::collections::HashSet<&'static str> = names().collect();
    let find = |name: &str| callable.get(name).copied();
    let mut page = "";
    let mut all = Vec::new();
    for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(title) = line.strip_prefix('[') {
            page = title.trim_end_matches(']');
            continue;
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let usual = || {
            let mut names = prefixes(page).iter().map(|prefix| find(&format!("{prefix}{name}")));
            names.find_map(|found| found)
        };
        let state = match (rest.split_once(' '), rest) {
            (Some(("=", what)), _) => {
                let (path, words) = what.split_once(" | ").unwrap_or((what, ""));
                State::Rust(path, words)
            }
            (Some(("-", reason)), _) => State::Absent(reason),
            (Some(("?", reason)), _) => usual().map_or(State::Absent(reason), State::Callable),
            (_, "") => usual().map_or(State::Unknown, State::Callable),
            (_, other) => find(other).map_or(State::Unknown, State::Callable),
        };
        all.push(Entry { page, name, state });
    }
    all
}

/// Returns the functions that can be called and that no page has, methods of ufuncs aside.
///
/// ```
/// use ndany::prelude::*;
/// assert!(!ndany::call::support::others().is_empty());
/// ```
pub fn others() -> Vec<&'static str> {
    let paged: std::collections::HashSet<&'static str> = entries()
        .iter()
        .filter_map(|entry| match entry.state {
            State::Callable(name) => Some(name),
            State::Rust(..) | State::Absent(_) | State::Unknown => None,
        })
        .collect();
    let method = |name: &str| METHODS.iter().chain(UNARY_METHODS).any(|method| method.name == name);
    names().filter(|name| !paged.contains(name) && !method(name)).collect()
}

/// Returns the first of a function's several names, under which it stands in tables and golden cases.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::first_name("np.abs"), "np.absolute");
/// ```
pub fn first_name(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, known)| known)
}

/// Returns how a function that can be called is computed.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::means("np.exp"), ndany::call::support::Means::Native);
/// ```
pub fn means(name: &str) -> Means {
    let known = first_name(name);
    let bare = known.rsplit('.').next().unwrap_or(known);
    let within = |list: &[&str]| list.contains(&bare);
    let row = UfuncDef::by_numpy_name(known).is_some()
        || PAIRS.iter().any(|row| row.numpy == known)
        || REDUCTIONS.iter().any(|row| row.numpy == known);
    if known.starts_with("np.random.") {
        return Means::Native;
    }
    // NumPy's names and SciPy's.
    if (known.starts_with("np.fft.") || known.starts_with("fft."))
        && !bare.ends_with("freq")
        && !bare.ends_with("shift")
    {
        return Means::Transformed;
    }
    if within(FACTORED) && (known.contains(".linalg.") || within(FITS)) {
        return Means::Factored;
    }
    match () {
        () if row || within(NATIVE) => Means::Native,
        () if within(LIBRARY) => Means::Library,
        () if within(VIEWS) => Means::View,
        () if within(HOST) => Means::Host,
        () => Means::Composed,
    }
}

/// Says when a call waits for the device; `None` if it never does.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::synchronizes("np.exp"), None);
/// ```
pub fn synchronizes(name: &str) -> Option<&'static str> {
    let known = first_name(name);
    let bare = known.rsplit('.').next().unwrap_or(known);
    let waiting = match () {
        () if known.starts_with("np.random.") => DRAWS,
        () if known.starts_with("np.polynomial.polynomial.") => SERIES,
        () => WAITING,
    };
    let own = waiting.iter().find(|(waiting, _)| *waiting == bare).map(|(_, when)| *when);
    own.or_else(|| matches!(means(name), Means::Host | Means::Factored).then_some("always"))
        .filter(|when| *when != "never")
}

/// The functions themselves, which lists must not misspell.
#[cfg(test)]
pub(super) fn listed() -> impl Iterator<Item = &'static str> {
    let lists = [NATIVE, LIBRARY, FACTORED, FITS, VIEWS, HOST];
    let waiting = WAITING.iter().chain(SERIES).chain(DRAWS).map(|(name, _)| *name);
    lists.into_iter().flatten().copied().chain(waiting)
}

/// Is it the last part of a name that can be called?
#[cfg(test)]
pub(super) fn is_known(bare: &str) -> bool {
    let ends = |name: &str| name.rsplit('.').next() == Some(bare);
    names().any(ends)
}

static NATIVE: &[&str] = &[
    "where",
    "cumsum",
    "cumprod",
    "nancumsum",
    "nancumprod",
    "cumulative_sum",
    "cumulative_prod",
    "count_nonzero",
    "sort",
    "argsort",
    "partition",
    "argpartition",
    "msort",
    "searchsorted",
    "digitize",
    "take",
    "take_along_axis",
    "put",
    "put_along_axis",
    "putmask",
    "place",
    "copyto",
    "compress",
    "extract",
    "getitem",
    "setitem",
    "astype",
    "copy",
    "zeros",
    "ones",
    "empty",
    "full",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "arange",
    "concatenate",
    "nonzero",
    "flatnonzero",
    "argwhere",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "nansum",
    "nanprod",
    "nanmin",
    "nanmax",
    "clip",
    "round",
    "nan_to_num",
    "choose",
    "convolve",
    "correlate",
];

static LIBRARY: &[&str] = &[
    "matmul",
    "dot",
    "inner",
    "tensordot",
    "einsum",
    "multi_dot",
    "matrix_power",
    "matvec",
    "vecmat",
];

/// What [`linalg`](crate::linalg) factors.
static FACTORED: &[&str] = &[
    "cholesky",
    "qr",
    "svd",
    "svdvals",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "cond",
    "det",
    "matrix_rank",
    "slogdet",
    "solve",
    "tensorsolve",
    "lstsq",
    "inv",
    "pinv",
    "tensorinv",
    "expm",
    "lu",
    "roots",
    "polyroots",
    "polyfit",
];

/// What does so elsewhere.
static FITS: &[&str] = &["roots", "polyroots", "polyfit"];

static VIEWS: &[&str] = &[
    "reshape",
    "ravel",
    "transpose",
    "moveaxis",
    "rollaxis",
    "swapaxes",
    "matrix_transpose",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_to",
    "broadcast_arrays",
    "expand_dims",
    "squeeze",
    "flip",
    "fliplr",
    "flipud",
    "rot90",
    "split",
    "array_split",
    "dsplit",
    "hsplit",
    "vsplit",
    "unstack",
    "diagonal",
    "sliding_window_view",
    "as_strided",
    "meshgrid",
    "asarray",
    "polyline",
    "ndim",
    "shape",
    "size",
    "broadcast",
    "broadcast_shapes",
    "isfortran",
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "iterable",
    "shares_memory",
    "may_share_memory",
    "byte_bounds",
    "can_cast",
    "promote_types",
    "result_type",
    "min_scalar_type",
    "common_type",
    "finfo",
    "iinfo",
    "einsum_path",
    "show_config",
];

static HOST: &[&str] = &[
    "load",
    "save",
    "savez",
    "savez_compressed",
    "loadtxt",
    "genfromtxt",
    "savetxt",
    "fromstring",
    "fromfile",
    "frombuffer",
    "fromiter",
    "tofile",
    "tolist",
    "array2string",
    "array_repr",
    "array_str",
    "format_float_positional",
    "format_float_scientific",
    "binary_repr",
    "base_repr",
];

static WAITING: &[(&str, &str)] = &[
    ("nonzero", "always"),
    ("flatnonzero", "always"),
    ("argwhere", "always"),
    ("where", "with one operand"),
    ("compress", "always"),
    ("extract", "always"),
    ("in1d", "among many integers"),
    ("isin", "among many integers"),
    ("unique", "always"),
    ("unique_all", "always"),
    ("unique_counts", "always"),
    ("unique_inverse", "always"),
    ("unique_values", "always"),
    ("intersect1d", "always"),
    ("setdiff1d", "always"),
    ("setxor1d", "always"),
    ("union1d", "always"),
    ("trim_zeros", "always"),
    ("at", "by an array"),
    ("scatter_add", "by an array"),
    ("scatter_max", "by an array"),
    ("scatter_min", "by an array"),
    ("place", "always"),
    ("piecewise", "where values are arrays"),
    ("setitem", "by a mask"),
    ("insert", "by an array"),
    ("ix_", "by a mask"),
    ("split", "at an array"),
    ("array_split", "at an array"),
    ("pad", "by an array"),
    ("roll", "by an array"),
    ("arange", "between arrays"),
    ("zeros", "where the shape is an array"),
    ("ones", "where the shape is an array"),
    ("full", "where the shape is an array"),
    ("reshape", "where the shape is an array"),
    ("resize", "where the shape is an array"),
    ("broadcast_to", "where the shape is an array"),
    ("indices", "where the shape is an array"),
    ("argpartition", "of a long row, and where kth is an array"),
    ("partition", "of a long row, and where kth is an array"),
    ("searchsorted", "with a sorter"),
    ("tril_indices", "always"),
    ("tril_indices_from", "always"),
    ("triu_indices", "always"),
    ("triu_indices_from", "always"),
    ("bincount", "always"),
    ("repeat", "by an array"),
    ("delete", "by an array"),
    ("getitem", "by a mask"),
    ("histogram", "always"),
    ("histogram2d", "always"),
    ("histogramdd", "always"),
    ("histogram_bin_edges", "always"),
    ("digitize", "between two edges and more"),
    ("percentile", "always"),
    ("quantile", "always"),
    ("nanpercentile", "always"),
    ("nanquantile", "always"),
    ("average", "with weights"),
    ("cov", "with weights"),
    ("nanargmax", "for floats"),
    ("nanargmin", "for floats"),
    ("choose", "where mode is raise"),
    ("unravel_index", "always"),
    ("ravel_multi_index", "with coordinates"),
    ("geomspace", "always"),
    ("gradient", "with positions"),
    ("array_equal", "where shapes are alike"),
    ("array_equiv", "where shapes go together"),
    ("allclose", "always"),
    ("real_if_close", "for complex numbers"),
    ("asarray_chkfinite", "for floats"),
    ("poly", "for complex roots"),
    ("poly1d", "always"),
    ("polymul", "always"),
    ("polydiv", "always"),
    ("trimseq", "always"),
    ("trimcoef", "always"),
    ("as_series", "where zeros are trimmed"),
    ("einsum", "with lists that are arrays"),
    ("norm", "by singular values"),
    ("matrix_norm", "by singular values"),
    ("cond", "by singular values"),
    ("matrix_power", "for negative powers"),
    ("matrix_rank", "of matrices"),
    ("det", "never"),
    ("slogdet", "never"),
    ("qr", "never"),
    ("show_config", "never"),
    ("format_float_positional", "never"),
    ("format_float_scientific", "never"),
    ("binary_repr", "never"),
    ("base_repr", "never"),
    ("load", "never"),
    ("loadtxt", "never"),
    ("genfromtxt", "never"),
    ("fromstring", "never"),
    ("fromfile", "never"),
    ("fromiter", "never"),
];

/// Those of `np.polynomial.polynomial`, which drop zeros at the end.
static SERIES: &[(&str, &str)] = &[
    ("polyadd", "always"),
    ("polysub", "always"),
    ("polymul", "always"),
    ("polymulx", "always"),
    ("polydiv", "always"),
    ("polypow", "always"),
    ("polycompanion", "always"),
    ("polyint", "of a single coefficient"),
    ("polyvander2d", "where the degrees are an array"),
    ("polyvander3d", "where the degrees are an array"),
];

/// Those of [`random`](crate::random). What draws until no value is refused looks whether one was.
static DRAWS: &[(&str, &str)] = &[
    ("beta", "always"),
    ("chisquare", "always"),
    ("dirichlet", "always"),
    ("f", "always"),
    ("gamma", "always"),
    ("integers", "always"),
    ("multinomial", "always"),
    ("multivariate_hypergeometric", "always"),
    ("multivariate_normal", "always"),
    ("negative_binomial", "always"),
    ("noncentral_chisquare", "always"),
    ("noncentral_f", "always"),
    ("randint", "always"),
    ("random_integers", "always"),
    ("standard_gamma", "always"),
    ("standard_t", "always"),
    ("vonmises", "always"),
    ("zipf", "always"),
    ("binomial", "where values may be refused"),
    ("hypergeometric", "where values may be refused"),
    ("poisson", "where values may be refused"),
    ("choice", "with replacement, and for few of many"),
    ("exponential", "for arrays"),
    ("geometric", "for arrays"),
    ("gumbel", "for arrays"),
    ("laplace", "for arrays"),
    ("logistic", "for arrays"),
    ("lognormal", "for arrays"),
    ("logseries", "for arrays"),
    ("normal", "for arrays"),
    ("pareto", "for arrays"),
    ("power", "for arrays"),
    ("rayleigh", "for arrays"),
    ("triangular", "for arrays"),
    ("uniform", "for arrays"),
    ("wald", "for arrays"),
    ("weibull", "for arrays"),
];
