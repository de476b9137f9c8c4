//! Padding in all of NumPy's modes.
//!
//! Modes that only repeat elements (`edge`, `reflect`, `symmetric`, `wrap`) and `constant` write the
//! result once: every axis is cut into segments along which the source runs evenly, and each combination
//! of segments is one strided copy. Modes that compute (ramps, statistics, odd reflections) go axis by
//! axis, as NumPy does, since later axes are computed from what earlier ones added. Deliberately absent:
//! a function of the caller as a mode.

use smallvec::SmallVec;

use crate::Order;
use crate::arguments::{OneOf, one_of, over};
use crate::array::manipulation::join::Assembly;
use crate::array::{Array, Linspace, axis_order, try_concatenate_as, try_linspace};
use crate::declare::array_functions;
use crate::graph;
use crate::scalar::Scalar;
use ndany_core::shape::{self, Layout, Shape, size_of};
use ndany_core::{Casting, Error, Kind, Result};

const OP: &str = "pad";

/// A value before and one after each axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Pairs<T> {
    /// The same on all sides.
    All(T),
    /// Before and after every axis.
    Both(T, T),
    /// A pair for each axis, or one value for each axis where both are the same.
    Each(Vec<(T, T)>),
}

impl<T> From<T> for Pairs<T> {
    fn from(value: T) -> Self {
        Pairs::All(value)
    }
}
impl<T> From<(T, T)> for Pairs<T> {
    fn from((before, after): (T, T)) -> Self {
        Pairs::Both(before, after)
    }
}
impl<T, const N: usize> From<[(T, T); N]> for Pairs<T> {
    fn from(pairs: [(T, T); N]) -> Self {
        Pairs::Each(pairs.into())
    }
}
impl<T> From<((T, T), (T, T))> for Pairs<T> {
    fn from((first, second): ((T, T), (T, T))) -> Self {
        Pairs::Each(vec![first, second])
    }
}
impl<T> From<Vec<(T, T)>> for Pairs<T> {
    fn from(pairs: Vec<(T, T)>) -> Self {
        Pairs::Each(pairs)
    }
}

impl<T: Copy> Pairs<T> {
    /// One pair for each axis.
    fn each(&self, ndim: usize) -> Result<SmallVec<[(T, T); 4]>> {
        match self {
            Pairs::All(value) => Ok(SmallVec::from_elem((*value, *value), ndim)),
            Pairs::Both(before, after) => Ok(SmallVec::from_elem((*before, *after), ndim)),
            Pairs::Each(pairs) => match pairs.as_slice() {
                [one] => Ok(SmallVec::from_elem(*one, ndim)),
                many if many.len() == ndim => Ok(SmallVec::from_slice(many)),
                many => Err(Error::Lengths { op: OP, left: many.len(), right: ndim }),
            },
        }
    }
}

/// How a reflection continues the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reflection {
    /// By the mirrored values.
    #[default]
    Even,
    /// By twice the edge minus the mirrored values.
    Odd,
}

/// What an array is padded with, as the modes of `np.pad`.
#[derive(Clone, Debug, PartialEq)]
pub enum Pad {
    /// These values.
    Constant(Pairs<Scalar>),
    /// The edges.
    Edge,
    /// A ramp from the edge to these values.
    LinearRamp(Pairs<Scalar>),
    /// The largest of this number of elements from the edge on, `None` for all.
    Maximum(Pairs<Option<usize>>),
    /// The mean of this number of elements from the edge on.
    Mean(Pairs<Option<usize>>),
    /// The median of this number of elements from the edge on.
    Median(Pairs<Option<usize>>),
    /// The smallest of this number of elements from the edge on.
    Minimum(Pairs<Option<usize>>),
    /// The array mirrored at its first and last element.
    Reflect(Reflection),
    /// The array mirrored at its edges, so that the first and last element come twice.
    Symmetric(Reflection),
    /// The array again and again.
    Wrap,
    /// Nothing in particular: zeros, since memory is never shown as it was.
    Empty,
}

impl Default for Pad {
    fn default() -> Self {
        Pad::Constant(Pairs::All(Scalar::from(0)))
    }
}

one_of!(Pad);

/// Numbers of elements before and after each axis.
type Widths = SmallVec<[(usize, usize); 4]>;

array_functions! {
    checked pad, free free_pad;

    /// Adds elements before and after the ends of the axes, as `np.pad`.
    ///
    /// - **Shapes**: `(n,) → (before + n + after,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: widths that do not fit the axes, an empty axis for modes that read its elements.
    ///
    /// ```
    /// use ndany::{Array, Device, Pad, Reflection};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1, 2, 3]);
    /// assert_eq!(a.pad((1, 2), ..).to_vec::<i32>()?, [0, 1, 2, 3, 0, 0]);
    /// assert_eq!(a.pad(2, Pad::Reflect(Reflection::Even)).to_vec::<i32>()?, [3, 2, 1, 2, 3, 2, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pad / try_pad (self, widths: impl Into<Pairs<usize>>, mode: impl OneOf<Pad>) -> Array {
        let mode = mode.or(Pad::default());
        let widths: Widths = widths.into().each(self.ndim())?;
        let sides = self.shape().iter().zip(&widths);
        let shape: Shape = sides.map(|(&extent, &(before, after))| extent.saturating_add(before).saturating_add(after)).collect();
        shape::checked_size(OP, &shape, self.dtype())?;
        // A value that is computed once for all the copies to come; a failure comes out of those.
        let _ = self.eval();
        let zero = Pairs::All(Scalar::from(0));
        let fills = matches!(mode, Pad::Constant(_) | Pad::Empty);
        let grown = (0..self.ndim()).find(|&axis| self.shape()[axis] == 0 && widths[axis] != (0, 0));
        if let Some(axis) = grown.filter(|_| !fills) {
            let expected = format!("elements along axis {axis} to pad with");
            return Err(Error::Shape { op: OP, expected, got: self.shape().into() });
        }
        let computed = !fills && self.size() == 0;
        match mode {
            Pad::Constant(values) => constant(self, &widths, &shape, &values),
            Pad::Empty => constant(self, &widths, &shape, &zero),
            _ if computed => constant(self, &widths, &shape, &zero),
            Pad::Edge => by_segments(self, &widths, Pattern::Edge),
            Pad::Reflect(Reflection::Even) => by_segments(self, &widths, Pattern::Reflect),
            Pad::Symmetric(Reflection::Even) => by_segments(self, &widths, Pattern::Symmetric),
            Pad::Wrap => by_segments(self, &widths, Pattern::Wrap),
            Pad::Reflect(Reflection::Odd) => odd(self, &widths, false),
            Pad::Symmetric(Reflection::Odd) => odd(self, &widths, true),
            Pad::LinearRamp(ends) => ramps(self, &widths, &ends),
            Pad::Maximum(lengths) => statistics(self, &widths, &lengths, Statistic::Maximum),
            Pad::Minimum(lengths) => statistics(self, &widths, &lengths, Statistic::Minimum),
            Pad::Mean(lengths) => statistics(self, &widths, &lengths, Statistic::Mean),
            Pad::Median(lengths) => statistics(self, &widths, &lengths, Statistic::Median),
        }
    }
}

/// A result of this shape that lies as NumPy lays it: in Fortran order only where the array does.
fn assembly(array: &Array, shape: &[usize]) -> Result<Assembly> {
    let order = axis_order(array.layout(), Order::A);
    Assembly::new(OP, shape, array.dtype(), array.device(), order)
}

/// Boxes around the array, one before and one after each axis: as long as the whole along the axes
/// before, as the array along those after.
fn constant(
    array: &Array,
    widths: &Widths,
    shape: &Shape,
    values: &Pairs<Scalar>,
) -> Result<Array> {
    let values = values.each(array.ndim())?;
    let mut padded = assembly(array, shape)?;
    let inner: Shape = widths.iter().map(|(before, _)| *before).collect();
    padded.put(&padded.window(&inner, array.shape()), array);
    for axis in 0..array.ndim() {
        let mut extents: Shape = SmallVec::from_slice(&shape[..axis]);
        extents.extend_from_slice(&array.shape()[axis..]);
        let mut start: Shape = SmallVec::from_elem(0, axis);
        start.extend_from_slice(&inner[axis..]);
        let (before, after) = widths[axis];
        for (at, width, value) in
            [(0, before, values[axis].0), (shape[axis] - after, after, values[axis].1)]
        {
            (start[axis], extents[axis]) = (at, width);
            if size_of(&extents) > 0 {
                let value = graph::constant(OP, &value, array.dtype())?;
                padded.fill(&padded.window(&start, &extents), value);
            }
        }
    }
    Ok(padded.finish())
}

/// Which element of an axis stands at each place of the padded one.
#[derive(Clone, Copy)]
enum Pattern {
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

/// Places along a padded axis and the elements there: `repeats` runs, `period` places apart, each the
/// `length` elements from `from` on by `step`.
#[derive(Clone, Copy)]
struct Segment {
    at: usize,
    repeats: usize,
    period: usize,
    length: usize,
    from: usize,
    step: isize,
}

impl Pattern {
    /// The segments of an axis of `size` elements.
    fn segments(self, size: usize, (before, after): (usize, usize)) -> Vec<Segment> {
        let run =
            |at, length, from, step| Segment { at, repeats: 1, period: 0, length, from, step };
        let total = before + size + after;
        // Runs that make up one period, which begins at the first element.
        let runs: SmallVec<[(usize, usize, isize); 2]> = match self {
            _ if before == 0 && after == 0 => return vec![run(0, size, 0, 1)],
            Pattern::Reflect | Pattern::Symmetric if size == 1 => return vec![run(0, total, 0, 0)],
            Pattern::Edge => {
                let mut segments = vec![run(before, size, 0, 1)];
                segments.extend((before > 0).then(|| run(0, before, 0, 0)));
                segments.extend((after > 0).then(|| run(before + size, after, size - 1, 0)));
                return segments;
            }
            Pattern::Wrap => smallvec::smallvec![(size, 0, 1)],
            Pattern::Symmetric => smallvec::smallvec![(size, 0, 1), (size, size - 1, -1)],
            Pattern::Reflect => smallvec::smallvec![(size - 1, 0, 1), (size - 1, size - 1, -1)],
        };
        let period: usize = runs.iter().map(|run| run.0).sum();
        let mut segments = Vec::new();
        let mut offset = 0;
        for &(length, from, step) in &runs {
            // Where this run begins, one period before the first that could be seen.
            let mut at = ((before + offset) % period) as isize - period as isize;
            let element = |skipped: usize| (from as isize + skipped as isize * step) as usize;
            while at < total as isize {
                let skipped = (-at).max(0) as usize;
                let end = (at + length as isize).min(total as isize);
                let whole = skipped == 0 && end - at == length as isize;
                if whole {
                    let repeats = (total - at as usize - length) / period + 1;
                    let at_first = at as usize;
                    segments.push(Segment { at: at_first, repeats, period, length, from, step });
                    at += (repeats * period) as isize;
                } else {
                    if skipped < length && end > 0 {
                        let (start, seen) = (at + skipped as isize, end - at - skipped as isize);
                        segments.push(run(start as usize, seen as usize, element(skipped), step));
                    }
                    at += period as isize;
                }
            }
            offset += length;
        }
        segments
    }
}

/// Combinations of segments that one pass may have; more axes go in passes of their own.
const MAX_CELLS: usize = 256;

fn by_segments(array: &Array, widths: &Widths, pattern: Pattern) -> Result<Array> {
    let mut padded = array.clone();
    let mut axis = 0;
    while axis < array.ndim() {
        let none = (0, 0);
        let mut segments: Vec<Vec<Segment>> =
            padded.shape().iter().map(|&size| pattern.segments(size, none)).collect();
        let mut cells = 1;
        while axis < array.ndim() {
            let own = pattern.segments(array.shape()[axis], widths[axis]);
            if cells > 1 && cells * own.len() > MAX_CELLS {
                break;
            }
            cells *= own.len();
            segments[axis] = own;
            axis += 1;
        }
        padded = copy_segments(&padded, &segments)?;
    }
    match array.ndim() {
        0 => array.try_copy(),
        _ => Ok(padded),
    }
}

/// One pass: a strided copy for each combination of segments.
fn copy_segments(array: &Array, segments: &[Vec<Segment>]) -> Result<Array> {
    let extent = |segments: &Vec<Segment>| -> usize {
        segments.iter().map(|segment| segment.repeats * segment.length).sum()
    };
    let shape: Shape = segments.iter().map(extent).collect();
    let mut padded = assembly(array, &shape)?;
    let source = array.layout();
    let mut choice = vec![0; segments.len()];
    loop {
        let empty = || Layout { shape: Shape::new(), strides: Default::default(), offset: 0 };
        let (mut from, mut to) = (empty(), empty());
        let (mut first, mut target) = (source.offset as isize, padded.layout().offset as isize);
        for (axis, &chosen) in choice.iter().enumerate() {
            let Segment { at, repeats, period, length, from: element, step } =
                segments[axis][chosen];
            let (own, stride) = (source.strides[axis], padded.layout().strides[axis]);
            if repeats > 1 {
                from.shape.push(repeats);
                from.strides.push(0);
                to.shape.push(repeats);
                to.strides.push(period as isize * stride);
            }
            from.shape.push(length);
            from.strides.push(step * own);
            to.shape.push(length);
            to.strides.push(stride);
            first += element as isize * own;
            target += at as isize * stride;
        }
        (from.offset, to.offset) = (first as usize, target as usize);
        padded.put(&to, &array.with_layout(from));
        // The next combination, the last axis fastest.
        let Some(axis) =
            (0..segments.len()).rev().find(|&axis| choice[axis] + 1 < segments[axis].len())
        else {
            return Ok(padded.finish());
        };
        choice[axis] += 1;
        choice[axis + 1..].fill(0);
    }
}

/// The part of an array from `start` up to `end` of an axis.
fn part(array: &Array, axis: usize, start: usize, end: usize) -> Array {
    let mut layout = array.layout().clone();
    layout.shape[axis] = end - start;
    layout.offset = (layout.offset as isize + start as isize * layout.strides[axis]) as usize;
    array.with_layout(layout)
}

/// The array between what comes before it and after it along an axis, in its own dtype.
fn between(before: &Array, array: &Array, after: &Array, axis: usize) -> Result<Array> {
    let parts = [before, array, after];
    try_concatenate_as(&parts, Some(axis as isize), Some(array.dtype()), Casting::Unsafe)
}

/// Repeated along an axis of extent 1.
fn widen(array: &Array, axis: usize, width: usize) -> Array {
    let mut shape = Shape::from_slice(array.shape());
    shape[axis] = width;
    array.broadcast_view(&shape)
}

/// Reflections that subtract from twice the edge, as far at once as there is something to mirror.
fn odd(array: &Array, widths: &Widths, symmetric: bool) -> Result<Array> {
    let mut padded = array.clone();
    for (axis, &(mut before, mut after)) in widths.iter().enumerate() {
        let original = array.shape()[axis];
        if original == 1 && (before, after) != (0, 0) {
            let edges = [before, after].map(|width| widen(&padded, axis, width));
            padded = between(&edges[0], &padded, &edges[1], axis)?;
            continue;
        }
        while before > 0 || after > 0 {
            let size = padded.shape()[axis];
            let (most, skipped) = match symmetric {
                true => (size / original * original, 0),
                false => ((size - 1) / (original - 1) * (original - 1), 1),
            };
            let mirrored = |edge: usize, start: usize, length: usize| -> Result<Array> {
                let mirrored =
                    part(&padded, axis, start, start + length).try_flip(axis as isize)?;
                let edge = part(&padded, axis, edge, edge + 1);
                edge.try_multiply(2)?.try_subtract(&mirrored)
            };
            let (left, right) = (most.min(before), most.min(after));
            let first = mirrored(0, skipped, left)?;
            let last = mirrored(size - 1, size - skipped - right, right)?;
            padded = between(&first, &padded, &last, axis)?;
            (before, after) = (before - left, after - right);
        }
    }
    Ok(padded)
}

fn ramps(array: &Array, widths: &Widths, ends: &Pairs<Scalar>) -> Result<Array> {
    let ends = ends.each(array.ndim())?;
    let mut padded = array.clone();
    for (axis, &(before, after)) in widths.iter().enumerate() {
        let ramp = |end: Scalar, edge: usize, count: usize| {
            let edge = part(&padded, axis, edge, edge + 1).try_squeeze(axis as isize)?;
            let dtype = Some(array.dtype());
            let spacing = Linspace { count, endpoint: false, dtype, axis: axis as isize };
            try_linspace(end, &edge, spacing)
        };
        let (first, last) = (ends[axis].0, ends[axis].1);
        let left = ramp(first, 0, before)?;
        let right = ramp(last, padded.shape()[axis] - 1, after)?.try_flip(axis as isize)?;
        padded = between(&left, &padded, &right, axis)?;
    }
    Ok(padded)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Statistic {
    Maximum,
    Mean,
    Median,
    Minimum,
}

fn statistics(
    array: &Array,
    widths: &Widths,
    lengths: &Pairs<Option<usize>>,
    statistic: Statistic,
) -> Result<Array> {
    let lengths = lengths.each(array.ndim())?;
    let mut padded = array.clone();
    for (axis, &(before, after)) in widths.iter().enumerate() {
        let size = array.shape()[axis];
        let [left, right] =
            [lengths[axis].0, lengths[axis].1].map(|length| length.unwrap_or(size).min(size));
        let extremum = matches!(statistic, Statistic::Maximum | Statistic::Minimum);
        if extremum && (left == 0 || right == 0) {
            return Err(Error::Range { op: OP, reason: "a stat_length of 0 yields no value" });
        }
        let value = |start: usize, end: usize| -> Result<Array> {
            let chunk = part(&padded, axis, start, end);
            let along = over(axis as isize).keepdims();
            let value = match statistic {
                Statistic::Maximum => chunk.try_max(along)?,
                Statistic::Minimum => chunk.try_min(along)?,
                Statistic::Mean => chunk.try_mean(along)?,
                Statistic::Median => median(&chunk, axis)?,
            };
            let rounds = array.dtype().is_int() && value.dtype().kind() > Kind::Int;
            if rounds { value.try_rint() } else { Ok(value) }
        };
        let first = value(0, left)?;
        let last =
            if left == size && right == size { first.clone() } else { value(size - right, size)? };
        let (first, last) = (widen(&first, axis, before), widen(&last, axis, after));
        padded = between(&first, &padded, &last, axis)?;
    }
    Ok(padded)
}

/// The median along an axis, which stays with extent 1.
fn median(chunk: &Array, axis: usize) -> Result<Array> {
    let size = chunk.shape()[axis];
    let sorted = chunk.try_sort(axis as isize)?;
    let middle = part(&sorted, axis, size.saturating_sub(1) / 2, size / 2 + size.min(1));
    let value = middle.try_mean(over(axis as isize).keepdims())?;
    if size == 0 || !chunk.dtype().is_float() && !chunk.dtype().is_complex() {
        return Ok(value);
    }
    // NaNs come last, and one is enough.
    let last = part(&sorted, axis, size - 1, size);
    crate::elementwise::try_where(last.try_isnan()?, &last, value)
}
