//! Steps of random programs that fold: the methods of rows, with indices where they take some.

use ndany::DType;
use ndany::call::{Value, names};
use ndany_core::ops::UfuncDef;
use ndany_core::ops::rows::{BINARY, UNARY};

use super::{Generator, extents};
use crate::program::{Arg, Step};
use crate::values;

/// The method of a row by its full name.
pub(super) fn method(row: &UfuncDef, name: &str) -> Option<&'static str> {
    let full = format!("{}.{name}", row.numpy);
    names().find(|known| *known == full)
}

impl Generator {
    /// A method of any row of two operands (`at` of one of one, too).
    pub(super) fn fold(&mut self) -> Option<usize> {
        let row = self.random.choice(BINARY);
        // The sign of a NaN is not promised.
        if row.name == "copysign" {
            return None;
        }
        let value = self.value();
        let shape = self.shape(value);
        let mut kwargs: Vec<(&'static str, Arg)> = Vec::new();
        if !shape.is_empty() {
            let axis = self.random.below(shape.len()) as i64;
            kwargs.push(("axis", Arg::Const(Value::from(axis))));
        }
        if self.random.percent(10) {
            let dtype = self.random.choice(&DType::ALL);
            kwargs.push(("dtype", Arg::Const(Value::DType(dtype))));
        }
        let axis = |kwargs: &[(&'static str, Arg)]| match kwargs.first() {
            Some(("axis", Arg::Const(Value::Scalar(axis)))) => match axis.number() {
                ndany::Number::Int(axis) => axis as usize,
                _ => 0,
            },
            _ => 0,
        };
        match self.random.below(10) {
            0..4 => {
                self.reduce_options(value, &shape, &mut kwargs)?;
                self.call(method(row, "reduce")?, vec![Arg::Of(value)], kwargs)
            }
            4..6 => self.call(method(row, "accumulate")?, vec![Arg::Of(value)], kwargs),
            6 => {
                let extent = *shape.get(axis(&kwargs))?;
                let count = 1 + self.random.below(2 * extent.min(20) + 1);
                let indices = self.positions(count, extent, false)?;
                let args = vec![Arg::Of(value), Arg::Of(indices)];
                self.call(method(row, "reduceat")?, args, kwargs)
            }
            7 => {
                let other = self.value();
                let args = vec![Arg::Of(value), Arg::Of(other)];
                self.call(method(row, "outer")?, args, vec![])
            }
            8 => {
                let row = self.random.choice(UNARY);
                let (target, index, _) = self.group_positions(value, &shape)?;
                let signed = row.name == "signbit";
                let target = if signed { self.without_nan(target)? } else { target };
                self.call(method(row, "at")?, vec![Arg::Of(target), Arg::Of(index)], vec![])
            }
            _ => {
                let (target, index, selected) = self.group_positions(value, &shape)?;
                let dtype =
                    if self.random.percent(70) { self.dtype(value) } else { self.some_dtype() };
                let values = self.leaf(dtype, &selected)?;
                let args = vec![Arg::Of(target), Arg::Of(index), Arg::Of(values)];
                self.call(method(row, "at")?, args, vec![])
            }
        }
    }

    fn reduce_options(
        &mut self,
        value: usize,
        shape: &[usize],
        kwargs: &mut Vec<(&'static str, Arg)>,
    ) -> Option<()> {
        if self.random.percent(15) && shape.len() > 1 {
            kwargs.retain(|(name, _)| *name != "axis");
            kwargs.push(("axis", extents(&self.random.shuffled(shape.len())[..2])));
        }
        if self.random.percent(20) {
            kwargs.push(("keepdims", Arg::Const(Value::Bool(true))));
        }
        let masked = self.random.percent(20);
        if masked || self.random.percent(15) {
            let dtype = self.dtype(value);
            let start = match self.random.percent(10) {
                true => Value::None,
                false => Value::Scalar(values::scalar(&mut self.random, dtype)),
            };
            kwargs.push(("initial", Arg::Const(start)));
        }
        if masked {
            let mask = self.leaf(DType::Bool, shape)?;
            kwargs.push(("where", Arg::Of(mask)));
        }
        Some(())
    }

    /// `count` positions along an extent; some negative where they count from the end, and now and then
    /// one that is not there.
    fn positions(&mut self, count: usize, extent: usize, from_end: bool) -> Option<usize> {
        let n = extent.max(1) as isize;
        let low = if from_end { -n } else { 0 };
        let mut bytes = Vec::with_capacity(8 * count);
        for _ in 0..count {
            bytes.extend((self.random.range(low, n - 1) as i64).to_le_bytes());
        }
        if self.random.percent(4) && count > 0 {
            bytes[..8].copy_from_slice(&(n as i64).to_le_bytes());
        }
        self.add(Step::Leaf { dtype: DType::I64, shape: vec![count], bytes })
    }

    /// A target, positions along its first axis (repeated ones, as a rule), and the shape they select.
    fn group_positions(
        &mut self,
        value: usize,
        shape: &[usize],
    ) -> Option<(usize, usize, Vec<usize>)> {
        let (&extent, rest) = shape.split_first()?;
        let inner: usize = rest.iter().product::<usize>().max(1);
        let most = (2 * extent).min(self.limit() / inner) + 1;
        let count = self.random.below(most);
        let index = self.positions(count, extent, true)?;
        let selected = std::iter::once(count).chain(rest.iter().copied()).collect();
        Some((value, index, selected))
    }
}
