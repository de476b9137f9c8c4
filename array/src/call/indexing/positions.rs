//! Reading and writing at positions and through masks, choosing, and what makes positions.
//!
//! Functions that change an array return the changed one, and the one that was given keeps its values, unless it is to be changed
//! in place ([`Callable::change`](crate::call::Callable::change)).

use crate::arguments::{Arrays, AxisOptions, Shape};
use crate::array;
use crate::array::ufuncs as ufunc;
use crate::array::{Array, IndexMode};
use crate::call::bind::Bound;
use crate::call::creation::create::plain_order;
use crate::call::indexing::index::{assignable, key_of, written};
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value};
use crate::graph::Operand;
use ndany_core::{Casting, DType, Error, Kind, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.take",
        parameters: "a indices axis? out? mode?",
        facts: NATIVE,
        run: |call| {
            let (a, index, axis) =
                (call.array("a")?, indices(call, "indices")?, call.axis("axis")?);
            taken(call, a.try_take(index, AxisOptions::from(axis).mode(mode(call)?))?)
        },
    },
    Function {
        name: "np.take_along_axis",
        parameters: "arr indices axis?",
        facts: NATIVE,
        run: |call| {
            let (a, index) = (call.array("arr")?, call.array("indices")?);
            a.try_take_along_axis(&index, AxisOptions::from(axis(call, Some(-1))?))
                .map(Value::Array)
        },
    },
    Function {
        name: "np.put",
        parameters: "a! ind v mode?",
        facts: NATIVE,
        run: |call| {
            let index = indices(call, "ind")?;
            call.change(|a| a.try_put(index, values(call, "v", a)?, mode(call)?))
        },
    },
    Function {
        name: "np.put_along_axis",
        parameters: "arr! indices values axis",
        facts: NATIVE,
        run: |call| {
            let (index, axis) = (call.array("indices")?, AxisOptions::from(axis(call, None)?));
            call.change(|a| a.try_put_along_axis(&index, values(call, "values", a)?, axis))
        },
    },
    Function {
        name: "np.putmask",
        parameters: "a! mask values",
        facts: NATIVE,
        run: |call| {
            let mask = call.array("mask")?;
            call.change(|a| a.try_putmask(&mask, values(call, "values", a)?))
        },
    },
    Function {
        name: "np.place",
        parameters: "arr! mask vals",
        facts: NATIVE.waits("always"),
        run: |call| {
            let mask = call.array("mask")?;
            call.change(|a| a.try_place(&mask, values(call, "vals", a)?))
        },
    },
    Function {
        name: "np.copyto",
        parameters: "dst! src casting? where?",
        facts: NATIVE,
        run: copyto,
    },
    Function {
        name: "np.fill_diagonal",
        parameters: "a! val wrap?",
        facts: COMPOSED,
        run: |call| {
            let wrap = call.flag("wrap", false)?;
            call.change(|a| a.try_fill_diagonal(values(call, "val", a)?, wrap))
        },
    },
    Function {
        // a[:-1] = a[1:]: as if the source were copied first.
        name: "shift_left",
        parameters: "a!",
        facts: COMPOSED,
        run: |call| {
            call.change(|a| {
                let source = a.try_i(1..)?;
                a.try_set(..-1, source)
            })
        },
    },
    Function {
        name: "np.compress",
        parameters: "condition a axis? out?",
        facts: NATIVE.waits("always"),
        run: |call| {
            let (condition, a) = (call.array("condition")?, call.array("a")?);
            taken(call, a.try_compress(&condition, AxisOptions::from(axis(call, None)?))?)
        },
    },
    Function {
        name: "np.extract",
        parameters: "condition arr",
        facts: NATIVE.waits("always"),
        run: |call| call.array("arr")?.try_extract(&call.array("condition")?).map(Value::Array),
    },
    Function {
        name: "np.nonzero",
        parameters: "a",
        facts: NATIVE.waits("always"),
        run: |call| call.array("a")?.try_nonzero().map(tuple),
    },
    Function {
        name: "np.flatnonzero",
        parameters: "a",
        facts: NATIVE.waits("always"),
        run: |call| call.array("a")?.try_flatnonzero().map(Value::Array),
    },
    Function {
        name: "np.argwhere",
        parameters: "a",
        facts: NATIVE.waits("always"),
        run: |call| call.array("a")?.try_argwhere().map(Value::Array),
    },
    Function {
        name: "np.diag_indices",
        parameters: "n ndim?",
        facts: COMPOSED,
        run: |call| {
            let ndim = call.int("ndim")?.map_or(2, clamped);
            array::try_diag_indices(clamped(some_int(call, "n")?), ndim).map(tuple)
        },
    },
    Function {
        name: "np.diag_indices_from",
        parameters: "arr",
        facts: COMPOSED,
        run: |call| call.array("arr")?.try_diag_indices_from().map(tuple),
    },
    Function {
        name: "np.tril_indices",
        parameters: "n k? m?",
        facts: COMPOSED.waits("always"),
        run: |call| triangle(call, array::try_tril_indices),
    },
    Function {
        name: "np.triu_indices",
        parameters: "n k? m?",
        facts: COMPOSED.waits("always"),
        run: |call| triangle(call, array::try_triu_indices),
    },
    Function {
        name: "np.tril_indices_from",
        parameters: "arr k?",
        facts: COMPOSED.waits("always"),
        run: |call| call.array("arr")?.try_tril_indices_from(call.offset("k")?).map(tuple),
    },
    Function {
        name: "np.triu_indices_from",
        parameters: "arr k?",
        facts: COMPOSED.waits("always"),
        run: |call| call.array("arr")?.try_triu_indices_from(call.offset("k")?).map(tuple),
    },
    Function {
        name: "np.ix_",
        parameters: "...",
        facts: COMPOSED.waits("by a mask"),
        run: |call| {
            let mut sequences = call.rest_arrays()?;
            // A list without items has no dtype of its own.
            for (sequence, value) in sequences.iter_mut().zip(call.rest) {
                if sequence.size() == 0 && !matches!(value, Value::Array(_)) {
                    *sequence = sequence.try_astype(DType::I64)?;
                }
            }
            array::try_ix_(&sequences).map(tuple)
        },
    },
    Function {
        name: "np.unravel_index",
        parameters: "indices shape order?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (index, shape) = (call.array("indices")?, call.shape("shape")?);
            let shape = Shape::new(shape.as_slice()).order(plain_order(call)?);
            index.try_unravel_index(shape).map(tuple)
        },
    },
    Function {
        name: "np.ravel_multi_index",
        parameters: "multi_index dims mode? order?",
        facts: COMPOSED.waits("with coordinates"),
        run: ravel,
    },
    Function {
        name: "cupyx.scatter_add",
        parameters: "a! slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::add.try_at(a, at, values)),
    },
    Function {
        name: "cupyx.scatter_max",
        parameters: "a! slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::maximum.try_at(a, at, values)),
    },
    Function {
        name: "cupyx.scatter_min",
        parameters: "a! slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::minimum.try_at(a, at, values)),
    },
];

fn tuple(arrays: Arrays) -> Value {
    Value::Tuple(arrays.into_iter().map(Value::Array).collect())
}

fn some_int(call: &Bound<'_>, name: &str) -> Result<isize> {
    call.int(name)?.ok_or_else(|| call.type_error(format!("{name} is missing")))
}

/// A negative number of elements is none.
fn clamped(count: isize) -> usize {
    usize::try_from(count).unwrap_or(0)
}

/// The axis; `None` stands for all, in C order.
pub(in crate::call) fn axis(call: &Bound<'_>, default: Option<isize>) -> Result<Option<isize>> {
    match call.get("axis") {
        None => Ok(default),
        Some(_) => call.some_int("axis"),
    }
}

/// Elements that were taken, in the array given as `out`. NumPy asks whether that array could become one of the elements'
/// dtype without loss, and converts the elements to its dtype by no rule.
fn taken(call: &Bound<'_>, elements: Array) -> Result<Value> {
    let Some(out) = call.out()? else { return Ok(Value::Array(elements)) };
    if out.shape() != elements.shape() {
        return Err(call.value_error(call.other_shape(&elements, &out)));
    }
    if !out.dtype().can_cast(elements.dtype(), Casting::Safe) {
        let dtypes = format!("elements of {} in an array of {}", elements.dtype(), out.dtype());
        return Err(Error::DTypes { op: call.op(), dtypes, remedy: "take another array as out" });
    }
    elements.try_astype(out.dtype()).map(Value::Array)
}

pub(in crate::call) fn mode(call: &Bound<'_>) -> Result<IndexMode> {
    named_mode(call, call.text("mode", "raise")?)
}

fn named_mode(call: &Bound<'_>, name: &str) -> Result<IndexMode> {
    match name {
        "raise" => Ok(IndexMode::Raise),
        "wrap" => Ok(IndexMode::Wrap),
        "clip" => Ok(IndexMode::Clip),
        _ => Err(call.value_error(format!("mode is raise, wrap or clip, got {name:?}"))),
    }
}

/// Positions: numbers and lists of them become integers whatever they are, an array must be of integers.
#[track_caller]
fn indices(call: &Bound<'_>, name: &str) -> Result<Array> {
    let array = call.array(name)?;
    match call.get(name) {
        Some(Value::List(_) | Value::Tuple(_) | Value::Scalar(_))
            if array.dtype().kind() == Kind::Float =>
        {
            array.try_astype(DType::I64)
        }
        _ => Ok(array),
    }
}

/// Values to be written: lists and NumPy's scalars are converted, arrays are not.
#[track_caller]
pub(in crate::call) fn values(call: &Bound<'_>, name: &str, target: &Array) -> Result<Operand> {
    let operand = written(call, name, target.dtype())?;
    if let Operand::Scalar(scalar) = &operand
        && scalar.dtype().is_none()
    {
        assignable(call, scalar, target.dtype())?;
    }
    Ok(operand)
}

/// The items of a sequence, weak numbers among them.
#[track_caller]
pub(in crate::call) fn operands(call: &Bound<'_>, name: &'static str) -> Result<Vec<Operand>> {
    match call.get(name) {
        Some(Value::Tuple(items) | Value::List(items)) => {
            items.iter().map(|item| call.operand_of(name, item)).collect()
        }
        _ => Ok(call.arrays(name)?.into_iter().map(Operand::Array).collect()),
    }
}

#[track_caller]
fn copyto(call: &Bound<'_>) -> Result<Value> {
    let casting = call.casting("same_kind")?;
    call.change(|a| {
        let mask = {
            let _guard = a.device().enter();
            call.mask("where")?
        };
        a.try_copyto(call.operand("src")?, casting, mask.as_ref())
    })
}

#[track_caller]
fn triangle(call: &Bound<'_>, make: fn([usize; 2], isize) -> Result<Arrays>) -> Result<Value> {
    for name in ["n", "k", "m"] {
        if let Some(Value::Array(array)) = call.get(name)
            && array.size() > 1
        {
            return Err(call.value_error(format!("{name} is an array: expected one number")));
        }
    }
    let rows = clamped(call.offset("n")?);
    let columns = if call.some("m").is_some() { clamped(call.offset("m")?) } else { rows };
    make([rows, columns], call.offset("k")?).map(tuple)
}

#[track_caller]
fn ravel(call: &Bound<'_>) -> Result<Value> {
    let (coordinates, shape) = (call.arrays("multi_index")?, call.shape("dims")?);
    let modes: Vec<IndexMode> = match call.get("mode") {
        Some(Value::Tuple(modes) | Value::List(modes)) => {
            let mode = |mode: &Value| match mode {
                Value::Str(name) => named_mode(call, name),
                _ => Err(call.type_error("mode is a text or several")),
            };
            modes.iter().map(mode).collect::<Result<_>>()?
        }
        _ => vec![mode(call)?; shape.len()],
    };
    let order = plain_order(call)?;
    let shape = Shape::new(shape.as_slice()).order(order);
    array::try_ravel_multi_index(&coordinates, shape, modes.as_slice()).map(Value::Array)
}

/// Changes elements at an index.
fn scattered(
    call: &Bound<'_>,
    run: impl Fn(&mut Array, &[crate::Index], Operand) -> Result<()>,
) -> Result<Value> {
    let at = key_of(call, call.get("slices").unwrap_or(&Value::None))?;
    call.change(|a| run(a, at.as_slice(), call.operand("value")?))
}
