//! n-dimensional arrays with NumPy's semantics, lazy and fused, on whatever device the machine has.
//!
//! ```
//! use ndany::prelude::*;
//!
//! // Written once, for any device, dtype and shape.
//! fn softmax(x: &Array, axis: isize) -> Array {
//!     let e = (x - x.max(over(axis).keepdims())).exp();
//!     let total = e.sum(over(axis).keepdims());
//!     e / total
//! }
//!
//! let scores = Array::from([[1.0f32, 2.0, 3.0], [1.0, 1.0, 1.0]]);
//! let p = softmax(&scores, 1);                       // nothing has run yet
//! println!("{p:.3}");                                // one pass over memory, not five
//! assert_eq!(format!("{p:.3}"), "[[0.09  0.245 0.665]\n [0.333 0.333 0.333]]");
//!
//! let best = p.argmax(1);                            // [2 0]
//! let mut board = zeros((2, 3), DType::U8);
//! board.set(s![.., -1], &best);                     // board[:, -1] = best
//! *board.view_mut(s![0, ..]) += 10;                  // board[0] += 10
//! assert_eq!(board.to_string(), "[[10 10 12]\n [ 0  0  0]]");
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! - **Names and rules are NumPy's**: dtypes, promotion (NEP 50), broadcasting, indexing, reductions,
//!   printing, `.npy` and `.npz`. [`Array`] lists what there is; each function names the NumPy function
//!   that it follows.
//! - **Chains run fused.** Elementwise operations wait until a value is needed and then run, together with
//!   the reduction that follows, in one pass over memory. [`Statistics`] counts what that saved.
//! - **The same bits on every device**: elementwise arithmetic, reductions and scans do not depend on the
//!   device, its threads or what was fused. Matrix products are bounded instead.
//! - **Arrays are values.** Cloning is cheap, views cost nothing, and writing through one handle never
//!   shows through another.
//!
//! # Devices
//!
//! Arrays are made on the thread's current device: [`Device::enter`], else the variable `NDANY_DEVICE`,
//! else [`Device::best`]. No signature names a device, and nothing moves between devices by itself
//! ([`Array::to_device`] does).
//!
//! ```
//! use ndany::prelude::*;
//! for name in Device::all() {
//!     let _guard = Device::open(&name)?.enter();
//!     let roots = arange(5).sqrt();
//!     println!("{name}: {roots}");
//! }
//! assert!(Device::open("abacus").is_err());
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! # When a call waits for the device
//!
//! Asking for work returns before it is done: [`Array::eval`] too hands it to the device and goes on. Streams and
//! threads that use each other's arrays are put in order by themselves. These calls wait:
//!
//! - reading: [`Array::to_vec`], [`Array::item`], printing, saving, a copy to another backend's device,
//!   [`Device::synchronize`], and what answers with a `bool`, as [`Array::array_equal`] and [`Array::allclose`] do;
//! - where the data say how large the result is: indexing by a mask, `nonzero` and its kin, `compress`, `extract`,
//!   `unique` and the set operations, `repeat` by an array, `trim_zeros`, `delete` by an array, `bincount`;
//! - where NumPy raises an error over the data in the call itself: bins of `histogram` and `digitize`, `quantile` and
//!   its kin over an array of probabilities, `average` with weights, `nanargmax` and `nanargmin`, `choose`,
//!   `unravel_index` and `ravel_multi_index`, `geomspace`, `gradient` with positions, the sorter of `searchsorted`,
//!   the positions of `at`;
//! - random numbers that may have to be drawn again ([`random`] says which), parameters of distributions in arrays,
//!   and samples by weights.
//!
//! An index array that is read by needs no wait: a position out of range stays with the result as its error.
//!
//! # Errors
//!
//! What the caller could have known (shapes, dtypes, axes) panics, with a message that names the operation, the operands
//! and the remedy. [`attempt`] runs a function and returns the first such error as a value; [`checked`] has each function in
//! the form that returns it. What depends on data, devices or files always returns a [`Result`]:
//! [`Array::to_vec`], [`Array::eval`], [`io::load`]. A failure in between stays with the array and
//! comes out there.
//!
//! ```
//! use ndany::prelude::*;
//! let (a, b) = (zeros((3, 4), DType::F32), zeros(5, DType::F32));
//! let error = ndany::attempt(|| &a * 2 + &b).expect_err("3 by 4 and 5");
//! assert_eq!(error.to_string(), "[add] shapes (3, 4) and (5,) do not broadcast");
//! assert_eq!(error.class(), "ValueError");
//! ```
//!
//! # Where NumPy and ndany differ
//!
//! - Writing never shows through another handle, views included; `a.view_mut(s![1..3])` is the window for
//!   writing into a part.
//! - In an index `..` is one whole axis (NumPy's `:`) and [`Ellipsis`] is NumPy's `...`.
//! - Converting floats to integers truncates and saturates, and NaN gives 0; NumPy leaves that to the
//!   processor.
//! - Complex `expm1` has the array API standard's values at infinities and NaN, where NumPy's have NaN; `digitize`
//!   compares integers as integers, where NumPy compares them in float64.
//! - There is no `==` on arrays: [`Array::equal`] is elementwise, [`Array::array_equal`] one bool.
//! - `array([1, 2])` is int32, Rust's integer; NumPy's is `array([1i64, 2])`.
//! - A generator draws other numbers than NumPy's of the same seed.
//! - `..` is NumPy's default of an argument. An integer by itself is an axis only where NumPy's argument in this place is one:
//!   `fft::rfft(&x, along(-1).n(8))` is `np.fft.rfft(x, 8)`, and `fft::rfft(&x, 8)` does not compile.
//! - [`numpy`], `np` in the [`prelude`], has every function in free form under NumPy's names.
//!
//! # Features
//!
//! - `cpu` (default): the CPU backend.
//! - `cuda` (default): the backend of NVIDIA's GPUs. It needs nothing of CUDA to build, and looks for the driver,
//!   NVRTC, cuBLAS and cuFFT when it runs; [`Device::reports`] says what it finds.
//! - `rocm` (default): the backend of AMD's GPUs, likewise with HIP, hipRTC, rocBLAS and hipFFT. It has not run on one yet.
//! - `linalg` (default): fast matrix products on the CPU, by faer.
//! - `fft` (default): fast Fourier transforms on the CPU, by rustfft.
//! - `npz` (default): archives of arrays, `.npz` (the crate zip). Without it [`io::save_npz`] and [`io::load_npz`] return an error that
//!   names the feature, and `io::npz` is absent.
//! - `safetensors` (default): reading safetensors files.
//! - `dlpack` (default): exchange of arrays with other libraries by DLPack (the crate `ndany-dlpack`).
//! - `ndarray`: conversion from and to the arrays of the crate `ndarray`.
//! - `call`: calling functions by their NumPy names.
//! - `special`: SciPy's special functions beyond those that [`special`] always has (the crate `ndany-special`).
//! - `stats`: distributions, as `scipy.stats` (the crate `ndany-stats`).
//! - `sparse`: sparse arrays, as `scipy.sparse` (the crate `ndany-sparse`).
//! - `macros`: the attributes `kernel` and `device` of [`kernel::simt`], which make kernels of threads and blocks of functions.
//!
//! The slow device `reference` is always there: plain loops that say what is right.

pub use ndany_array::api::*;

/// Special functions, as `scipy.special`. The feature `special` adds those of the crate `ndany-special`.
#[cfg(feature = "special")]
pub mod special {
    pub use ndany_array::special::*;
    pub use ndany_special::*;
}

/// Distributions, as `scipy.stats`: the crate `ndany-stats`.
#[cfg(feature = "stats")]
pub use ndany_stats as stats;

/// Exchange of arrays by DLPack: the crate `ndany-dlpack`.
#[cfg(feature = "dlpack")]
pub use ndany_dlpack as dlpack;
/// Sparse arrays, as `scipy.sparse`: the crate `ndany-sparse`.
#[cfg(feature = "sparse")]
pub use ndany_sparse as sparse;

/// What most programs use: `use ndany::prelude::*`.
#[cfg(any(feature = "sparse", feature = "special", feature = "stats"))]
pub mod prelude {
    #[cfg(feature = "sparse")]
    pub use super::sparse;
    #[cfg(feature = "special")]
    pub use super::special;
    #[cfg(feature = "stats")]
    pub use super::stats;
    pub use ndany_array::prelude::*;
}

ndany_core::providers![
    // The best first: `Device::best` takes the first device that is there.
    #[cfg(all(feature = "cuda", any(unix, windows)))]
    ndany_cuda::PROVIDER,
    #[cfg(all(feature = "rocm", any(unix, windows)))]
    ndany_rocm::PROVIDER,
    #[cfg(feature = "cpu")]
    ndany_cpu::PROVIDER;
    #[cfg(feature = "special")]
    &ndany_special::TABLE,
    #[cfg(feature = "stats")]
    &ndany_stats::TABLE,
];

/// The code of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The code of the cheat sheet, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/cupy.md")]
struct CheatSheet;

/// The code of the page about kernels, too.
#[cfg(all(doctest, feature = "macros"))]
#[doc = include_str!("../docs/kernels.md")]
struct Kernels;

/// The code of the page about sparse arrays, too.
#[cfg(all(doctest, feature = "sparse"))]
#[doc = include_str!("../docs/sparse.md")]
struct SparseArrays;

/// The code of the page about graphs, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/graphs.md")]
struct Graphs;

/// The code of the page about streams, events, transfers and times, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/control.md")]
struct Control;
