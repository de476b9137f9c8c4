//! Convolution and correlation of sequences: the shorter one laid along the longer one, or, where there are few results
//! of many products each, fused reductions over windows.

use crate::arguments::{OneOf, one_of, over};
use crate::array::Array;
use crate::buffer::Buffer;
use crate::declare::array_functions;
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{Checked, Correlate};
use ndany_core::shape::{Shape, checked_size};
use ndany_core::{DType, Error, Result};

/// Which places of two sequences laid across each other a product has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// All where they touch.
    #[default]
    Full,
    /// As many as the longer one has, from the middle.
    Same,
    /// Those where the shorter one lies within the longer one.
    Valid,
}

one_of!(Overlap);

impl Overlap {
    /// From NumPy's name.
    pub(crate) fn from_name(name: &str) -> Option<Overlap> {
        match name {
            "full" => Some(Overlap::Full),
            "same" => Some(Overlap::Same),
            "valid" => Some(Overlap::Valid),
            _ => None,
        }
    }
}

array_functions! {
    checked overlaps, free free_overlaps;

    /// Convolves two sequences, as `np.convolve`.
    ///
    /// 16-bit floats are multiplied and added up in float32. Only products of elements that exist are added.
    ///
    /// - **Shapes**: `(m,), (n,) → (m + n - 1,)`, or as the overlap says.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands that are not 1-d or empty, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, Overlap};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (a, v) = (Array::from([1, 2, 3]), Array::from([0, 1, 5]));
    /// assert_eq!(a.convolve(&v, ..).to_vec::<i32>()?, [0, 1, 7, 13, 15]);
    /// assert_eq!(a.convolve(&v, Overlap::Same).to_vec::<i32>()?, [1, 7, 13]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    convolve / try_convolve (self, other: &Array, overlap: impl OneOf<Overlap>) -> Array {
        let (long, short) = if other.size() > self.size() { (other, self) } else { (self, other) };
        windows("convolve", &sequence("convolve", long)?, &sequence("convolve", short)?.try_flip(..)?, overlap.or(Overlap::Full))
    }

    /// Correlates two sequences, the second conjugated, as `np.correlate`.
    ///
    /// `..` is [`Overlap::Valid`] here, and [`Overlap::Full`] in `convolve`, as in NumPy.
    ///
    /// - **Shapes**: `(m,), (n,) → (m - n + 1,)`, or as the overlap says.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands that are not 1-d or empty, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).correlate(&array([0, 1]), ..).to_string(), "[2 3]");
    /// ```
    correlate / try_correlate (self, other: &Array, overlap: impl OneOf<Overlap>) -> Array {
        const OP: &str = "correlate";
        let overlap = overlap.or(Overlap::Valid);
        if let Some(number) = [self, other].into_iter().find(|array| array.ndim() == 0) {
            let expected = "a sequence, not a number".to_string();
            return Err(Error::Shape { op: OP, expected, got: number.shape().into() });
        }
        let (first, second) = (sequence(OP, self)?, sequence(OP, other)?);
        let second = if second.dtype().is_complex() { second.try_conjugate()? } else { second };
        if first.size() < second.size() {
            return windows(OP, &second, &first, overlap)?.try_flip(..)?.try_copy();
        }
        windows(OP, &first, &second, overlap)
    }
}

/// One dimension, or a number, with elements.
fn sequence(op: &'static str, array: &Array) -> Result<Array> {
    if array.ndim() > 1 || array.size() == 0 {
        let expected = "a sequence of at least one element".to_string();
        return Err(Error::Shape { op, expected, got: array.shape().into() });
    }
    array.try_ravel()
}

/// At most this number of results, of more than [`MANY_TAPS`] taps each, are reductions: laid along, they would leave most of a
/// device without work.
const FEW_RESULTS: usize = 256;

/// Number of taps from which on they are laid along in any case.
const MANY_TAPS: usize = 4096;

/// The sums of products of `short`, which is not the longer one, with the windows of `long`.
#[track_caller]
fn windows(op: &'static str, long: &Array, short: &Array, overlap: Overlap) -> Result<Array> {
    if long.device() != short.device() {
        let (left, right) = (long.device().name(), short.device().name());
        return Err(Error::TwoDevices { op, left, right });
    }
    let device = long.device().clone();
    let _guard = device.enter();
    let dtype = DType::promote(long.dtype(), short.dtype());
    let (length, taps) = (long.size(), short.size());
    let (before, after) = match overlap {
        Overlap::Full => (taps - 1, taps - 1),
        Overlap::Same => (taps / 2, taps - taps / 2 - 1),
        Overlap::Valid => (0, 0),
    };
    let outputs = length - taps + 1 + before + after;
    // By sizes alone, so that every device adds up in the same order.
    if outputs <= FEW_RESULTS && taps > MANY_TAPS {
        return reductions(long, short, dtype);
    }
    let shape = Shape::from_slice(&[outputs]);
    checked_size(op, &shape, dtype)?;
    let (long, short) = (long.try_astype(dtype)?, short.try_astype(dtype)?);
    launch_counts::count(|counts| &mut counts.operations);
    let outcome = (|| {
        let (long, short) = (long.packed()?, short.packed()?);
        let (inputs, backend) = ([long.buffer()?, short.buffer()?], device.backend());
        let output = Buffer::allocate(op, backend, outputs * dtype.size())?;
        launch_counts::count(|counts| &mut counts.products);
        let correlate = Correlate {
            dtype,
            length,
            taps,
            outputs,
            before,
            long: inputs[0].packed(long.layout().offset),
            short: inputs[1].packed(short.layout().offset),
            output: output.packed(0),
        };
        backend.correlate(Checked::new(&correlate)?)?;
        Ok(output)
    })();
    Ok(Array::of_node(Node::done(op, shape, dtype, device.clone(), outcome)))
}

/// The same where the short sequence lies within the long one, by the canonical reduction: floats of 16 bits are
/// multiplied and added up in 32.
#[track_caller]
fn reductions(long: &Array, short: &Array, dtype: DType) -> Result<Array> {
    let wide = if dtype.is_float() && dtype.size() == 2 { DType::F32 } else { dtype };
    let (long, short) = (long.try_astype(dtype)?, short.try_astype(dtype)?);
    let windows = long.try_astype(wide)?.try_sliding_window_view(short.size(), ..)?;
    let products = windows.try_multiply(short.try_astype(wide)?)?;
    products.try_sum(over(-1).dtype(wide))?.try_astype(dtype)
}
