//! Operands as they meet: axes with names, diagonals, sums, and two made into one.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::subscripts::{Label, Labels};
use crate::arguments::over;
use crate::array::Array;
use crate::array::products::sum_of_products;
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Result};

/// An array whose axes have names. No name occurs twice, and no axis has extent 1: what has one element
/// along an axis does not vary along it, and broadcasts by itself.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    array: Array,
    pub(super) labels: Labels,
}

impl Factor {
    /// An operand in the dtype computed in, seen along its diagonals.
    #[track_caller]
    pub(super) fn new(array: &Array, labels: &[Label], dtype: DType) -> Self {
        let layout = array.layout();
        let mut seen = Layout { shape: Shape::new(), ..layout.clone() };
        seen.strides.clear();
        let mut names = Labels::new();
        for (axis, &label) in labels.iter().enumerate() {
            if layout.shape[axis] == 1 {
                continue;
            }
            match names.iter().position(|&name| name == label) {
                Some(position) => seen.strides[position] += layout.strides[axis],
                None => {
                    names.push(label);
                    seen.shape.push(layout.shape[axis]);
                    seen.strides.push(layout.strides[axis]);
                }
            }
        }
        Self { array: array.with_layout(seen).astype(dtype), labels: names }
    }

    /// Sums over some of its axes.
    #[track_caller]
    pub(super) fn sum(&mut self, labels: &[Label]) -> Result<()> {
        let axes: SmallVec<[isize; 4]> =
            self.positions_of(labels).map(|axis| axis as isize).collect();
        if !axes.is_empty() {
            self.array = self.array.try_sum(over(axes.as_slice()).dtype(self.array.dtype()))?;
            self.labels.retain(|label| !labels.contains(label));
        }
        Ok(())
    }

    fn positions_of<'a>(&'a self, labels: &'a [Label]) -> impl Iterator<Item = usize> + 'a {
        labels.iter().filter_map(|label| self.labels.iter().position(|own| own == label))
    }

    /// The array with these labels as its axes, of extent 1 where it does not vary.
    #[track_caller]
    fn along(&self, labels: &[Label]) -> Array {
        let layout = self.array.layout();
        let mut along = Layout { shape: Shape::new(), ..layout.clone() };
        along.strides.clear();
        for label in labels {
            let axis = self.labels.iter().position(|own| own == label);
            along.shape.push(axis.map_or(1, |axis| layout.shape[axis]));
            along.strides.push(axis.map_or(0, |axis| layout.strides[axis]));
        }
        self.array.with_layout(along)
    }

    /// The result: these axes in this order, of the extents given.
    #[track_caller]
    pub(super) fn arranged(
        &self,
        output: &[Label],
        extents: &HashMap<Label, usize>,
    ) -> Result<Array> {
        let shape: Shape = output.iter().map(|label| extents[label]).collect();
        self.along(output).try_broadcast_to(shape.as_slice())
    }
}

/// The product of two, summed over the letters that nothing needs any more.
///
/// Letters of both that are needed are the batch of a matrix product, those of one alone its rows or
/// columns, and those summed its inner axis. Without rows and columns, or without a sum, the product is
/// elementwise and waits to be fused with what follows.
#[track_caller]
pub(super) fn pair(left: Factor, right: Factor, needed: impl Fn(Label) -> bool) -> Result<Factor> {
    let (mut batch, mut inner, mut rows) = (Labels::new(), Labels::new(), Labels::new());
    for &label in &left.labels {
        match (right.labels.contains(&label), needed(label)) {
            (true, true) => batch.push(label),
            (true, false) => inner.push(label),
            (false, _) => rows.push(label),
        }
    }
    let columns: Labels =
        right.labels.iter().copied().filter(|label| !left.labels.contains(label)).collect();
    let joined =
        |lists: [&[Label]; 3]| -> Labels { lists.into_iter().flatten().copied().collect() };
    let labels = joined([&batch, &rows, &columns]);
    if inner.is_empty() {
        let array = left.along(&labels).try_multiply(right.along(&labels))?;
        return Ok(Factor { array, labels });
    }
    if rows.is_empty() && columns.is_empty() {
        let all = joined([&batch, &inner, &[]]);
        let axes: SmallVec<[isize; 4]> =
            (batch.len()..all.len()).map(|axis| axis as isize).collect();
        let (left, right) = (left.along(&all), right.along(&all));
        let dtype = left.dtype();
        let array = sum_of_products(&left, &right, axes.as_slice(), dtype)?;
        return Ok(Factor { array, labels });
    }
    let extents = |factor: &Factor, labels: &[Label]| -> Shape {
        factor.positions_of(labels).map(|axis| factor.array.shape()[axis]).collect()
    };
    let size = |shape: &Shape| shape.iter().product::<usize>();
    let (stack, between) = (extents(&left, &batch), extents(&left, &inner));
    let (row, column) = (extents(&left, &rows), extents(&right, &columns));
    let shaped = |factor: &Factor, order: [&[Label]; 3], last: [usize; 2]| {
        let shape: Shape = stack.iter().copied().chain(last).collect();
        factor.along(&joined(order)).try_reshape(shape.as_slice())
    };
    let matrix = shaped(&left, [&batch, &rows, &inner], [size(&row), size(&between)])?;
    let other = shaped(&right, [&batch, &inner, &columns], [size(&between), size(&column)])?;
    let shape: Shape = [&stack, &row, &column].into_iter().flatten().copied().collect();
    let array = matrix.try_matmul(&other)?.try_reshape(shape.as_slice())?;
    Ok(Factor { array, labels })
}
