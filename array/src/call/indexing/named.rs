//! `np.r_` and `np.c_`.

use crate::array::{self, Array};
use crate::call::bind::Bound;
use crate::call::creation::grids::range;
use crate::call::indexing::index::assignable;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use crate::dtypes::result_type;
use crate::graph::{self, Operand};
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.r_",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            if let Some(Value::Str(text)) = call.get("first") {
                return directed(call, text, Directive { axis: 0, ndmin: 1, place: -1 });
            }
            let parts = concatenated(call)?;
            array::try_r_(&parts.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    Function {
        name: "np.c_",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            if let Some(Value::Str(text)) = call.get("first") {
                return directed(call, text, Directive { axis: -1, ndmin: 2, place: 0 });
            }
            let parts = concatenated(call)?;
            array::try_c_(&parts.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
];

/// Arrays, numbers, and ranges as slices. Numbers take the dtype of the arrays, where it holds them.
fn concatenated(call: &Bound<'_>) -> Result<Vec<Array>> {
    let part = |value: &Value| match value {
        Value::Slice { start, stop, step } => range(call, *start, *stop, *step).map(Operand::Array),
        Value::Str(_) => Err(call.value_error("a directive stands in front of all parts")),
        Value::Scalar(_) | Value::Bool(_) => call.operand_of("an item", value),
        value => call.array_of("an item", value).map(Operand::Array),
    };
    let parts = call.get("first").into_iter().chain(call.rest).map(part);
    let parts: Vec<Operand> = parts.collect::<Result<_>>()?;
    let dtype = graph::promote(&parts);
    let array = |part| match part {
        Operand::Array(array) => Ok(array),
        Operand::Scalar(number) => {
            assignable(call, &number, dtype)?;
            array::try_full((), number, dtype)
        }
    };
    parts.into_iter().map(array).collect()
}

/// Where `np.r_` and `np.c_` join: the text `axis`, `axis,ndmin` or `axis,ndmin,place` in front of the parts.
struct Directive {
    axis: isize,
    /// Parts of fewer axes get axes of one element.
    ndmin: usize,
    /// Where a part's own axes stand among these; -1 is after them.
    place: isize,
}

impl Directive {
    /// This directive with what a text says.
    fn with(mut self, call: &Bound<'_>, text: &str) -> Result<Self> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let unknown = || call.value_error(format!("unknown directive {text:?}"));
        let number = |word: &str| word.parse::<isize>().map_err(|_| unknown());
        if let &[axis, ref rest @ ..] = words.as_slice() {
            self.axis = number(axis)?;
            if let [ndmin, ..] = rest {
                self.ndmin = usize::try_from(number(ndmin)?).unwrap_or(0);
            }
            // NumPy reads a third number only where there are no more.
            if let [_, place] = rest {
                self.place = number(place)?;
            }
        }
        if self.ndmin > ndany_core::shape::MAX_NDIM {
            return Err(call.value_error(format!("no array has {} axes", self.ndmin)));
        }
        Ok(self)
    }

    /// An array with axes of one element in front.
    fn widened(&self, mut array: Array) -> Result<Array> {
        while array.ndim() < self.ndmin {
            array = array.try_expand_dims(0)?;
        }
        Ok(array)
    }

    /// The same with its own axes at their place.
    fn placed(&self, array: Array) -> Result<Array> {
        let (own, all) = (array.ndim(), self.ndmin);
        let array = self.widened(array)?;
        if self.place == -1 || own >= all {
            return Ok(array);
        }
        let missing = all - own;
        let start = if self.place < 0 { self.place + missing as isize + 1 } else { self.place };
        let start = usize::try_from(start).unwrap_or(0).min(missing);
        let axes = (0..start).chain(missing..all).chain(start..missing);
        let axes: Vec<isize> = axes.map(|axis| axis as isize).collect();
        array.try_transpose(axes.as_slice())
    }

    /// A range, which NumPy transposes by an exchange of axes.
    fn transposed(&self, range: Array) -> Result<Array> {
        let range = self.widened(range)?;
        match self.place {
            -1 => Ok(range),
            _ if self.ndmin <= 1 => Ok(range),
            place => range.try_swapaxes(-1, place),
        }
    }
}

/// `np.r_` and `np.c_` with a directive in front of the parts.
fn directed(call: &Bound<'_>, text: &str, default: Directive) -> Result<Value> {
    // NumPy makes its class of matrices then. Here it is an array of two axes.
    let matrix = matches!(text, "r" | "c");
    let directive = if matrix { default } else { default.with(call, text)? };
    let part = |value: &Value| match value {
        Value::Slice { start, stop, step } => {
            directive.transposed(range(call, *start, *stop, *step)?).map(Operand::Array)
        }
        Value::Str(_) => Err(call.value_error("a directive stands in front of all parts")),
        Value::Scalar(_) | Value::Bool(_) => call.operand_of("an item", value),
        value => directive.placed(call.array_of("an item", value)?).map(Operand::Array),
    };
    let parts = call.rest.iter().map(part).collect::<Result<Vec<Operand>>>()?;
    if parts.is_empty() {
        return Err(call.value_error("expected parts, got a directive alone"));
    }
    let dtype = result_type(&parts)?;
    let array = |part| match part {
        Operand::Array(array) => array.try_astype(dtype),
        Operand::Scalar(number) => {
            assignable(call, &number, dtype)?;
            directive.widened(array::try_full((), number, dtype)?)
        }
    };
    let parts = parts.into_iter().map(array).collect::<Result<Vec<Array>>>()?;
    let joined = array::try_concatenate(&parts.iter().collect::<Vec<_>>(), directive.axis)?;
    match (matrix, joined.ndim()) {
        (false, _) | (true, 2) => Ok(joined),
        (true, 0 | 1) => joined.try_expand_dims(if text == "c" { 1 } else { 0 }),
        (true, ndim) => Err(call.value_error(format!("a matrix has two axes, not {ndim}"))),
    }
    .map(Value::Array)
}
