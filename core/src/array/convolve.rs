//! Convolution and correlation of sequences: fused reductions over sliding windows.

use super::{Array, over, try_concatenate, try_full};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::twins::twins;

/// How many times as long as the other a sequence is that is taken in parts.
const LONG: usize = 8;

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

impl Overlap {
    /// From NumPy's name.
    pub fn from_name(name: &str) -> Option<Overlap> {
        match name {
            "full" => Some(Overlap::Full),
            "same" => Some(Overlap::Same),
            "valid" => Some(Overlap::Valid),
            _ => None,
        }
    }
}

twins! {
    mod overlaps;

    /// The convolution of two sequences, as `np.convolve`: one fused reduction over windows of the longer
    /// one, in the dtype to which both promote.
    ///
    /// ```
    /// use ndany::{Array, Device, Overlap};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (a, v) = (Array::from([1, 2, 3]), Array::from([0, 1, 5]));
    /// assert_eq!(a.convolve(&v, Overlap::Full).to_vec::<i32>()?, [0, 1, 7, 13, 15]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    convolve / try_convolve (self, other: &Array, overlap: Overlap) -> Array {
        let (long, short) = if other.size() > self.size() { (other, self) } else { (self, other) };
        windows("convolve", &sequence("convolve", long)?, &sequence("convolve", short)?.try_flip(())?, overlap)
    }

    /// The correlation of two sequences, as `np.correlate`: of complex numbers with the conjugate of the
    /// second.
    correlate / try_correlate (self, other: &Array, overlap: Overlap) -> Array {
        const OP: &str = "correlate";
        if let Some(number) = [self, other].into_iter().find(|array| array.ndim() == 0) {
            let expected = "a sequence, not a number".to_string();
            return Err(Error::Shape { op: OP, expected, got: number.shape().into() });
        }
        let (first, second) = (sequence(OP, self)?, sequence(OP, other)?);
        let second = if second.dtype().is_complex() { second.try_conjugate()? } else { second };
        if first.size() < second.size() {
            return windows(OP, &second, &first, overlap)?.try_flip(());
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

/// The sums of products of `short` with the windows of `long`.
#[track_caller]
fn windows(op: &'static str, long: &Array, short: &Array, overlap: Overlap) -> Result<Array> {
    if long.device() != short.device() {
        let (left, right) = (long.device().name(), short.device().name());
        return Err(Error::TwoDevices { op, left, right });
    }
    let _guard = long.device().enter();
    let dtype = DType::promote(long.dtype(), short.dtype());
    let size = short.size();
    let (before, behind) = match overlap {
        Overlap::Full => (size - 1, size - 1),
        Overlap::Same => (size / 2, size - size / 2 - 1),
        Overlap::Valid => (0, 0),
    };
    let short = short.try_astype(dtype)?;
    let (long, sum) = (long.try_astype(dtype)?, over(-1).dtype(dtype));
    let inner =
        || long.try_sliding_window_view(size, ())?.try_multiply(&short)?.try_sum(sum.clone());
    // What lies beside the sequence has no part, not even as zero times infinity.
    let outer = |long: &Array, before: usize, behind: usize| {
        let padded = |middle: &Array, dtype: DType| {
            let zeros = |count: usize| try_full(count, false, dtype);
            try_concatenate(&[&zeros(before)?, middle, &zeros(behind)?], 0)
        };
        let there = padded(&try_full(long.size(), true, DType::Bool)?, DType::Bool)?;
        let there = there.try_sliding_window_view(size, ())?;
        let products =
            padded(long, dtype)?.try_sliding_window_view(size, ())?.try_multiply(&short)?;
        products.try_sum(sum.clone().where_(&there))
    };
    if before + behind == 0 {
        return inner();
    }
    if long.size() < LONG * size {
        return outer(&long, before, behind);
    }
    // Of a long sequence, most windows have nothing beside it: only those at its ends need to ask.
    let ends = size as isize - 1;
    let mut parts = vec![outer(&long.try_i(..ends)?, before, 0)?, inner()?];
    if behind > 0 {
        parts.push(outer(&long.try_i(-ends..)?, 0, behind)?);
    }
    try_concatenate(&parts.iter().collect::<Vec<_>>(), 0)
}
