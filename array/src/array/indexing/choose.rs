//! Choosing among several arrays, element by element.
//!
//! Chains of `where`, so all is lazy and fused; only the check that every choice exists reads a flag.

use crate::arguments::{OneOf, list};
use crate::array::Array;
use crate::array::indexing::index::Index;
use crate::array::indexing::take::IndexMode;
use crate::declare::{array_functions, functions};
use crate::device::Device;
use crate::elementwise::try_where;
use crate::graph::node::Node;
use crate::graph::{self, Operand};
use ndany_core::shape::{self, Shape};
use ndany_core::{DType, Error, Kind, Result};

/// Choices that `np.choose` takes: with what chooses, they are 64 arrays.
const MAX_CHOICES: usize = 63;

impl Array {
    /// An array whose computation has failed.
    #[track_caller]
    pub(in crate::array) fn failed(
        op: &'static str,
        shape: Shape,
        dtype: DType,
        device: &Device,
        error: Error,
    ) -> Array {
        Array::of_node(Node::done(op, shape, dtype, device.clone(), Err(error)))
    }
}

fn value_error(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// An operand as an array of a dtype.
#[track_caller]
fn of_dtype(op: &'static str, operand: &Operand, dtype: DType, device: &Device) -> Result<Array> {
    match operand {
        Operand::Array(array) => array.try_astype(dtype),
        Operand::Scalar(scalar) => {
            Ok(graph::filled(Shape::new(), graph::constant(op, scalar, dtype)?, device.clone()))
        }
    }
}

array_functions! {
    checked choose, free free_choose;

    /// Picks, for each element, the element of the choice of this number, as `np.choose`.
    ///
    /// At most 64 choices.
    ///
    /// - **Shapes**: `(…), (…), … → (…)`, broadcast.
    /// - **Dtypes**: integers; the choices promote to one dtype, which is the result's.
    /// - **Errors**: no choices or more than 64, numbers that are no integers, shapes that do not broadcast; a number out of
    ///   range fails the result (ValueError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 1, 0]).choose([array([1, 2, 3]), array([10, 20, 30])], ..).to_string(), "[ 1 20  3]");
    /// ```
    choose / try_choose (self, choices: impl IntoIterator<Item: Into<Operand>>, mode: impl OneOf<IndexMode>) -> Array {
        let mode = mode.or(IndexMode::Raise);
        let mut choices: Vec<Operand> = choices.into_iter().map(Into::into).collect();
        const OP: &str = "choose";
        if choices.is_empty() {
            return Err(value_error(OP, "no choices"));
        }
        graph::promote_scalars(OP, &mut choices)?;
        match self.dtype().kind() {
            Kind::Bool | Kind::Int if self.dtype() != DType::U64 => {}
            Kind::Bool | Kind::Int | Kind::Float | Kind::Complex => {
                let dtypes = format!("choices by {}", self.dtype());
                return Err(Error::DTypes { op: OP, dtypes, remedy: "choose by int64" });
            }
        }
        let count = choices.len();
        if count > MAX_CHOICES {
            return Err(value_error(OP, format!("1 to {MAX_CHOICES} choices, got {count}")));
        }
        let dtype = graph::promote(&choices);
        let mut shape = Shape::from_slice(self.shape());
        for choice in &choices {
            shape = shape::broadcast(OP, &shape, choice.shape())?;
        }
        let index = mode.resolve(&self.try_astype(DType::I64)?, count)?;
        if mode == IndexMode::Raise && self.size() > 0 {
            let outside = index.try_less(0)?.try_logical_or(index.try_greater_equal(count as i64)?)?;
            if outside.try_any(..)?.item::<bool>()? {
                let error = value_error(OP, format!("a number outside the {count} choices"));
                return Ok(Array::failed(OP, shape, dtype, self.device(), error));
            }
        }
        let mut chosen = of_dtype(OP, &choices[count - 1], dtype, self.device())?;
        for (number, choice) in choices.iter().enumerate().take(count - 1).rev() {
            let choice = of_dtype(OP, choice, dtype, self.device())?;
            chosen = try_where(index.try_equal(number as i64)?, &choice, &chosen)?;
        }
        if chosen.shape() == shape.as_slice() { Ok(chosen) } else { chosen.broadcast_view(&shape).try_copy() }
    }

    /// Returns the value of the condition that is true, else zero, as `np.piecewise` with constants.
    ///
    /// With one value more than conditions the last is for places where none is true. Later conditions win over earlier ones.
    ///
    /// - **Shapes**: `(…) → (…)`, conditions of the array's shape.
    /// - **Dtypes**: any; the result has the array's.
    /// - **Errors**: a number of values that is neither that of the conditions nor one more, shapes that do not fit.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = array([-2, 0, 3]);
    /// assert_eq!(x.piecewise([x.less(0), x.greater(0)], [-1, 1]).to_string(), "[-1  0  1]");
    /// ```
    piecewise / try_piecewise (self, conditions: impl IntoIterator<Item: AsRef<Array>>, values: impl IntoIterator<Item: Into<Operand>>) -> Array {
        list!(conditions);
        let values: Vec<Operand> = values.into_iter().map(Into::into).collect();
        const OP: &str = "piecewise";
        let count = conditions.len();
        if values.len() != count && values.len() != count + 1 {
            return Err(value_error(OP, format!("{count} conditions take {count} or one more values, got {}", values.len())));
        }
        let masks: Vec<Array> =
            conditions.iter().map(|condition| condition.try_astype(DType::Bool)).collect::<Result<_>>()?;
        let mut pieces = {
            let _guard = self.device().enter();
            crate::array::try_zeros(self.shape(), self.dtype())?
        };
        let mut set = |mask: &Array, value: &Operand| pieces.try_set(Index::from(mask), value.clone());
        for (mask, value) in masks.iter().zip(&values) {
            set(mask, value)?;
        }
        if values.len() > count {
            let some = masks.iter().cloned().map(Ok).reduce(|left, right| left?.try_logical_or(right?));
            let none = match some {
                Some(some) => some?.try_logical_not()?,
                None => {
                    let _guard = self.device().enter();
                    crate::array::try_full(self.shape(), true, DType::Bool)?
                }
            };
            set(&none, &values[count])?;
        }
        Ok(pieces)
    }
}

functions! {
    /// Picks, at each place, from the first choice whose condition is true there, else a default, as `np.select`.
    ///
    /// - **Shapes**: `(…), …, (…), … → (…)`, broadcast.
    /// - **Dtypes**: bool conditions; the choices promote to one dtype, which is the result's.
    /// - **Errors**: no conditions, another number of choices, conditions that are not bool, shapes that do not broadcast.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = arange(4);
    /// assert_eq!(ndany::select([x.less(1), x.greater(2)], [&x - 10, &x + 10], 0).to_string(), "[-10   0   0  13]");
    /// ```
    select / try_select (conditions: impl IntoIterator<Item: AsRef<Array>>, choices: impl IntoIterator<Item: Into<Operand>>, default: impl Into<Operand>) -> Array {
        list!(conditions);
        let mut choices: Vec<Operand> = choices.into_iter().map(Into::into).collect();
        const OP: &str = "select";
        if conditions.len() != choices.len() {
            return Err(value_error(OP, format!("{} conditions and {} choices", conditions.len(), choices.len())));
        }
        let Some(first) = conditions.first() else {
            return Err(value_error(OP, "no conditions"));
        };
        if let Some(other) = conditions.iter().find(|condition| condition.dtype() != DType::Bool) {
            let dtypes = format!("a condition of {}", other.dtype());
            return Err(Error::DTypes { op: OP, dtypes, remedy: "conditions are bool" });
        }
        choices.push(default.into());
        graph::promote_scalars(OP, &mut choices)?;
        let dtype = graph::promote(&choices);
        let device = first.device();
        let mut chosen = of_dtype(OP, &choices[conditions.len()], dtype, device)?;
        for (condition, choice) in conditions.iter().zip(&choices).rev() {
            chosen = try_where(*condition, &of_dtype(OP, choice, dtype, device)?, &chosen)?;
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Operand, select, where_};

    /// `np.where(mask, a, 300)`, `np.choose` and `np.select` with a of uint8: what the dtype does not hold wraps.
    #[test]
    fn integers_beyond_the_dtype_wrap() {
        let (mask, small) = (Array::from([true, false]), Array::from([1u8, 2]));
        assert_eq!(where_(&mask, &small, 300).to_string(), "[ 1 44]");
        assert_eq!(small.where_(&mask, -1).to_string(), "[  1 255]");
        let choices = [Operand::from(&small), Operand::from(300)];
        assert_eq!(mask.choose(choices, crate::IndexMode::Raise).to_string(), "[44  2]");
        assert_eq!(select([&mask], [&small], 300).to_string(), "[ 1 44]");
    }
}
