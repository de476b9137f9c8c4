//! How a function asks the device to transform along an axis: dtypes, lengths, rows.

use crate::array::{Array, AxisOrder, Order, Pad, Pairs, axis_order, try_zeros};
use crate::buffer::Buffer;
use crate::graph::node::Node;
use ndany_core::backend::{Checked, Fourier, Transform, Transformation};
use ndany_core::shape::{Shape, checked_size, size_of};
use ndany_core::{DType, Error, Kind, Result};

/// The floats in which an array of this dtype is transformed.
pub(super) fn part(dtype: DType) -> DType {
    match (dtype.kind(), dtype.part().size()) {
        (Kind::Float | Kind::Complex, 2 | 4) => DType::F32,
        (Kind::Float | Kind::Complex | Kind::Bool | Kind::Int, _) => DType::F64,
    }
}

/// The array with `count` elements along an axis: truncated, or padded with zeros.
#[track_caller]
fn fitted(array: &Array, axis: usize, wanted: usize) -> Result<Array> {
    let extent = array.shape()[axis];
    if extent < wanted {
        let none = (0..array.ndim()).map(|_| (0, 0));
        let mut widths: Vec<(usize, usize)> = none.collect();
        widths[axis].1 = wanted - extent;
        return array.try_pad(Pairs::Each(widths), Pad::default());
    }
    let mut layout = array.layout().clone();
    layout.shape[axis] = wanted;
    Ok(array.with_layout(layout))
}

/// A transform of `count` points along an axis. What is transformed next along the axis `next`, if it is, lies well for that.
#[track_caller]
pub(super) fn transform(
    op: &'static str,
    kind: Transformation,
    array: &Array,
    (axis, points): (usize, isize),
    scale: f64,
    next: Option<usize>,
) -> Result<Array> {
    let Some(length) = usize::try_from(points).ok().filter(|&points| points > 0) else {
        let expected = format!("at least one point along axis {axis}, not {points}");
        return Err(Error::Shape { op, expected, got: array.shape().into() });
    };
    if kind == Transformation::RealToHalf && array.dtype().is_complex() {
        let remedy = "take the real part, or use fft";
        return Err(Error::DTypes { op, dtypes: array.dtype().to_string(), remedy });
    }
    let device = array.device().clone();
    let _guard = device.enter();
    let Some(fourier) = device.backend().fourier() else {
        let reason = format!("{} has no Fourier transforms", device.name());
        return Err(Error::Unsupported { op: op.to_string(), reason });
    };
    let part = part(array.dtype());
    let ([taken, made], [from, to]) = (kind.extents(length), kind.dtypes(part));
    // What would not fit is refused before it is padded.
    let mut shape = Shape::from_slice(array.shape());
    for (extent, dtype) in [(taken, from), (made, to)] {
        shape[axis] = extent;
        checked_size(op, &shape, dtype)?;
    }
    let FourierRows { given, mut axes, at } =
        FourierRows::of(&fitted(array, axis, taken)?.try_astype(from)?, axis, fourier)?;
    let beside = size_of(&given.shape()[at + 1..]);
    let mut shape = Shape::from_slice(given.shape());
    shape.remove(at);
    let rows = size_of(&shape);
    axes.remove(at);
    let across = rows > 0
        && beside == 1
        && next.is_some_and(|next| axes.last() == Some(&next))
        && fourier.writes_rows_side_by_side(kind, part, length, rows);
    let place = if across { 0 } else { axes.len() };
    shape.insert(place, made);
    axes.insert(place, axis);
    let result = match rows {
        0 => try_zeros(shape.as_slice(), to)?,
        rows => {
            let input = given.buffer()?;
            let output = Buffer::allocate(op, device.backend(), size_of(&shape) * to.size())?;
            let transform = Transform {
                kind,
                part,
                rows,
                beside,
                across,
                length,
                scale,
                input: input.packed(given.layout().offset),
                output: output.packed(0),
            };
            let transformed =
                Checked::new(&transform).and_then(|transform| fourier.transform(transform));
            transformed.map_err(|error| error.of_memory_for(op))?;
            Array::of_node(Node::done(op, shape, to, device.clone(), Ok(output)))
        }
    };
    // Each axis back to its place.
    let mut back = axes.clone();
    axes.iter().zip(0..).for_each(|(&axis, place)| back[axis] = place);
    Ok(result.with_layout(result.layout().permute(&back)))
}

/// An array whose rows along an axis a device takes.
struct FourierRows {
    /// Packed, its axes in the order in which they lie.
    given: Array,
    /// Which these are.
    axes: AxisOrder,
    /// The place of the rows' axis among them.
    at: usize,
}

impl FourierRows {
    /// The array as it lies, or a copy where that is in pieces or the device wants rows one after the other.
    #[track_caller]
    fn of(array: &Array, axis: usize, fourier: &dyn Fourier) -> Result<Self> {
        let last = array.ndim() - 1;
        let lying = |axes: &[usize]| array.with_layout(array.layout().permute(axes));
        let axes = axis_order(array.layout(), Order::K);
        let axes = axes.unwrap_or_else(|| (0..=last).collect());
        let at = axes.iter().position(|&other| other == axis).unwrap_or(last);
        let given = lying(&axes);
        if given.layout().is_contiguous() && (at == last || fourier.takes_rows_side_by_side()) {
            return Ok(Self { given, axes, at });
        }
        let axes: AxisOrder = (0..=last).filter(|&other| other != axis).chain([axis]).collect();
        Ok(Self { given: lying(&axes).packed()?, axes, at: last })
    }
}
