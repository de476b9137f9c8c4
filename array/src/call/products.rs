//! Products: the dot family, `matmul` and its like with their keywords, `einsum` in both of its forms.

use super::support::{COMPOSED, LIBRARY, VIEW};
use smallvec::SmallVec;

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{Array, Contracted, Order, try_multi_dot};
use crate::call::ufunc::methods::{into_out, into_out_broadcast, into_out_by};
use crate::einsum::{self, Optimize, Subscripts, Written};
use ndany_core::{Casting, DType, Error, Kind, Result};

macro_rules! pairs {
    ($($name:literal $facts:expr, $parameters:literal $x:literal $y:literal $method:ident;)+) => {
        &[$(Function {
            name: $name,
            parameters: $parameters,
            facts: $facts,
            run: |call| call.array($x)?.$method(call.array($y)?).map(Value::Array),
        }),+]
    };
}

pub(super) static PAIRS: &[Function] = pairs! {
    "np.vdot" COMPOSED, "a b" "a" "b" try_vdot;
    "np.inner" LIBRARY, "a b" "a" "b" try_inner;
    "np.kron" COMPOSED, "a b" "a" "b" try_kron;
};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.dot",
        parameters: "a b out?",
        facts: LIBRARY,
        run: |call| same_out(call, call.array("a")?.try_dot(call.array("b")?)?),
    },
    Function {
        name: "np.outer",
        parameters: "a b out?",
        facts: COMPOSED,
        run: |call| {
            let product = call.array("a")?.try_outer(call.array("b")?)?;
            into_out_by(call, product, Casting::SameKind).map(Value::Array)
        },
    },
    Function {
        name: "np.matmul",
        parameters: "x1 x2 out? * dtype? casting? order? subok~ axes? axis=None",
        facts: LIBRARY,
        run: |call| generalized(call, [2, 2, 2], |x, y| x.try_matmul(y)),
    },
    Function {
        name: "np.matvec",
        parameters: "x1 x2 out? * dtype? casting? order? subok~ axes? axis=None",
        facts: LIBRARY,
        run: |call| generalized(call, [2, 1, 1], |x, y| x.try_matvec(y)),
    },
    Function {
        name: "np.vecmat",
        parameters: "x1 x2 out? * dtype? casting? order? subok~ axes? axis=None",
        facts: LIBRARY,
        run: |call| generalized(call, [1, 2, 1], |x, y| x.try_vecmat(y)),
    },
    Function {
        name: "np.vecdot",
        parameters: "x1 x2 out? * dtype? casting? order? subok~ axes? axis? keepdims?",
        facts: COMPOSED,
        run: vecdot,
    },
    Function {
        name: "np.linalg.vecdot",
        parameters: "x1 x2 * axis?",
        facts: COMPOSED,
        run: |call| {
            let axis = call.int("axis")?.unwrap_or(-1);
            call.array("x1")?.try_vecdot(call.array("x2")?, axis).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.matmul",
        parameters: "x1 x2",
        facts: LIBRARY,
        run: |call| call.array("x1")?.try_matmul(call.array("x2")?).map(Value::Array),
    },
    Function {
        name: "np.linalg.outer",
        parameters: "x1 x2",
        facts: COMPOSED,
        run: |call| {
            let (x, y) = (call.array("x1")?, call.array("x2")?);
            if x.ndim() != 1 || y.ndim() != 1 {
                return Err(call.value_error("both must be one-dimensional"));
            }
            x.try_outer(y).map(Value::Array)
        },
    },
    Function {
        name: "np.tensordot",
        parameters: "a b axes?",
        facts: LIBRARY,
        run: |call| tensordot(call, "a", "b"),
    },
    Function {
        name: "np.linalg.tensordot",
        parameters: "x1 x2 * axes?",
        facts: LIBRARY,
        run: |call| tensordot(call, "x1", "x2"),
    },
    Function {
        name: "np.cross",
        parameters: "a b axisa? axisb? axisc? axis?",
        facts: COMPOSED,
        run: |call| {
            let axis = |name| call.int(name).map(|axis| axis.unwrap_or(-1));
            let axes = match call.some("axis") {
                Some(_) => [axis("axis")?; 3],
                None => [axis("axisa")?, axis("axisb")?, axis("axisc")?],
            };
            let (x, y) = (call.array("a")?, call.array("b")?);
            x.try_cross_along(y, axes[0], axes[1], axes[2]).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.cross",
        parameters: "x1 x2 * axis?",
        facts: COMPOSED,
        run: |call| {
            let axis = call.int("axis")?.unwrap_or(-1);
            let (x, y) = (call.array("x1")?, call.array("x2")?);
            for array in [&x, &y] {
                let place = ndany_core::shape::axis_index("cross", axis, array.ndim())?;
                if array.shape()[place] != 3 {
                    return Err(call.value_error("both must be vectors of three components"));
                }
            }
            x.try_cross_along(y, axis, axis, axis).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.matrix_power",
        parameters: "a n",
        facts: LIBRARY.waits("for negative powers"),
        run: |call| {
            let exponent = match call.get("n") {
                Some(value @ Value::Scalar(_)) => call.int_of("n", value)?,
                _ => return Err(call.type_error("the exponent must be an integer")),
            };
            crate::array::products::matrix_power(&call.array("a")?, exponent).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.multi_dot",
        parameters: "arrays * out?",
        facts: LIBRARY,
        run: |call| {
            let arrays = call.arrays("arrays")?;
            same_out(call, try_multi_dot(&arrays.iter().collect::<Vec<_>>())?)
        },
    },
    Function {
        name: "np.einsum",
        parameters: "... * out? optimize? dtype? order? casting?",
        facts: LIBRARY.waits("with lists that are arrays").views(),
        run: einsum_call,
    },
    Function {
        // The steps; NumPy adds a text about their costs.
        name: "np.einsum_path",
        parameters: "... * optimize? einsum_call=False",
        facts: VIEW,
        run: |call| {
            let (subscripts, operands) = einsum_operands(call)?;
            let operands: Vec<&Array> = operands.iter().collect();
            let position = |&position: &usize| Value::from(position);
            let steps = einsum::path(&subscripts, &operands, &optimize(call)?)?;
            let step = |step: &Vec<usize>| Value::Tuple(step.iter().map(position).collect());
            Ok(Value::List(steps.iter().map(step).collect()))
        },
    },
];

/// The product in an array that already has its dtype.
fn same_out(call: &Bound<'_>, product: Array) -> Result<Value> {
    match call.some("out") {
        Some(Value::Array(out)) if out.dtype() != product.dtype() || !out.is_c_contiguous() => {
            Err(call.value_error("out must have the dtype of the result, in C order"))
        }
        None | Some(Value::Array(_)) => into_out(call, product).map(Value::Array),
        Some(_) => Err(call.type_error("out must be an array")),
    }
}

/// The product in an array that its dtype may become by the rule of casting, or in the order asked for.
fn finished(call: &Bound<'_>, product: Array, default: &'static str) -> Result<Value> {
    let (order, rule) = (call.order(Order::K)?, call.casting(default)?);
    if call.some("out").is_some() || order == Order::K {
        return into_out_by(call, product, rule).map(Value::Array);
    }
    product.try_copy_in(order).map(Value::Array)
}

/// The same for products of many operands, of which an array that takes them may have more in front: of a result only
/// the last `own` axes are its own.
fn finish_broadcast(call: &Bound<'_>, product: Array, own: usize) -> Result<Value> {
    let rule = call.casting("same_kind")?;
    match call.some("out") {
        Some(_) => into_out_broadcast(call, product, own, rule).map(Value::Array),
        None => finished(call, product, "same_kind"),
    }
}

/// The dtype asked for, where the casting rule lets the operands become it.
fn dtype_of(call: &Bound<'_>, operands: &[&Array], default: &'static str) -> Result<Option<DType>> {
    let rule = call.casting(default)?;
    let Some(dtype) = call.dtype("dtype")? else { return Ok(None) };
    for operand in operands {
        if !operand.dtype().can_cast(dtype, rule) {
            let from = operand.dtype();
            return Err(call.type_error(format!("{from} does not become {dtype} by {rule:?}")));
        }
    }
    Ok(Some(dtype))
}

/// A function of matrices and vectors: `core` says how many axes of each operand and of the result it
/// uses, `axes` may say which.
fn generalized(
    call: &Bound<'_>,
    core: [usize; 3],
    run: fn(&Array, &Array) -> Result<Array>,
) -> Result<Value> {
    let (mut x, mut y) = (call.array("x1")?, call.array("x2")?);
    if let Some(dtype) = dtype_of(call, &[&x, &y], "same_kind")? {
        (x, y) = (x.try_astype(dtype)?, y.try_astype(dtype)?);
    }
    // An operand or result of fewer axes than the function's matrices is a vector there.
    let of_vectors = [core[0].min(x.ndim()), core[1].min(y.ndim())];
    let lost = (core[0] - of_vectors[0]) + (core[1] - of_vectors[1]);
    let result = core[2].saturating_sub(lost);
    let Some(axes) = call.some("axes") else { return finish_broadcast(call, run(&x, &y)?, result) };
    let (Value::List(axes) | Value::Tuple(axes)) = axes else {
        return Err(call.type_error("axes must be a list"));
    };
    let wanted = if result == 0 && axes.len() == 2 { 2 } else { 3 };
    if axes.len() != wanted {
        return Err(call.value_error(format!("axes must have {wanted} entries")));
    }
    let entry = |place: usize, count: usize| -> Result<SmallVec<[isize; 4]>> {
        let Some(entry) = axes.get(place) else { return Ok(SmallVec::new()) };
        let entry = call.ints("axes", entry)?;
        if entry.len() != count {
            // NumPy's class for an entry of another length.
            let axis = entry.last().copied().unwrap_or(0);
            return Err(Error::Axis { op: call.op(), axis, ndim: count });
        }
        Ok(entry)
    };
    let last = |count: usize| -> SmallVec<[isize; 4]> { (-(count as isize)..0).collect() };
    let to_end =
        |array: &Array, axes: &[isize]| array.try_moveaxis(axes, last(axes.len()).as_slice());
    let x = to_end(&x, &entry(0, of_vectors[0])?)?;
    let y = to_end(&y, &entry(1, of_vectors[1])?)?;
    let product = run(&x, &y)?;
    let product = product.try_moveaxis(last(result).as_slice(), entry(2, result)?.as_slice())?;
    finished(call, product, "same_kind")
}

fn vecdot(call: &Bound<'_>) -> Result<Value> {
    if call.some("axes").is_some() {
        if call.some("axis").is_some() {
            return Err(call.type_error("axes and axis are given"));
        }
        if call.flag("keepdims", false)? {
            return Err(call.unsupported("axes with keepdims"));
        }
        return generalized(call, [1, 1, 0], |x, y| x.try_vecdot(y, -1));
    }
    let (mut x, mut y) = (call.array("x1")?, call.array("x2")?);
    if let Some(dtype) = dtype_of(call, &[&x, &y], "same_kind")? {
        (x, y) = (x.try_astype(dtype)?, y.try_astype(dtype)?);
    }
    let axis = call.int("axis")?.unwrap_or(-1);
    let product = x.try_vecdot(y, axis)?;
    let product = match call.flag("keepdims", false)? {
        true => product.try_expand_dims(axis)?,
        false => product,
    };
    finish_broadcast(call, product, 0)
}

fn tensordot(call: &Bound<'_>, x: &str, y: &str) -> Result<Value> {
    let axes = match call.get("axes") {
        None => Contracted::Last(2),
        Some(Value::Tuple(pair) | Value::List(pair)) => match pair.as_slice() {
            [left, right] => Contracted::Pairs(call.ints("axes", left)?, call.ints("axes", right)?),
            _ => return Err(call.value_error("axes must be a number or a pair")),
        },
        Some(value) => Contracted::Last(call.int_of("axes", value)?.clamp(0, 1 << 20) as usize),
    };
    call.array(x)?.try_tensordot(call.array(y)?, axes).map(Value::Array)
}

fn einsum_call(call: &Bound<'_>) -> Result<Value> {
    let (subscripts, operands) = einsum_operands(call)?;
    let operands: Vec<&Array> = operands.iter().collect();
    let dtype = dtype_of(call, &operands, "safe")?;
    let sum = einsum::sum(&subscripts, &operands, dtype, &optimize(call)?)?;
    if !matches!(call.some("out"), None | Some(Value::Array(_))) {
        return Err(call.type_error("out must be an array"));
    }
    finished(call, sum, "safe")
}

/// Subscripts and operands, in either form.
fn einsum_operands(call: &Bound<'_>) -> Result<(Subscripts, Vec<Array>)> {
    match call.rest {
        [Value::Str(text), rest @ ..] => {
            let operands = rest.iter().map(|value| call.array_of("operand", value));
            let operands: Vec<Array> = operands.collect::<Result<_>>()?;
            let ndims: Vec<usize> = operands.iter().map(Array::ndim).collect();
            Ok((Subscripts::parse(text, &ndims)?, operands))
        }
        rest => lists(call, rest),
    }
}

/// The form in which lists of numbers follow the operands.
fn lists(call: &Bound<'_>, rest: &[Value]) -> Result<(Subscripts, Vec<Array>)> {
    if rest.len() < 2 {
        return Err(call.value_error("expected subscripts and at least one operand"));
    }
    let mut operands = Vec::new();
    let mut inputs = Vec::new();
    let mut output = None;
    for pair in rest.chunks(2) {
        match pair {
            [operand, list] => {
                operands.push(call.array_of("operand", operand)?);
                inputs.push(numbered(call, list)?);
            }
            _ => output = Some(numbered(call, &pair[0])?),
        }
    }
    let ndims: Vec<usize> = operands.iter().map(Array::ndim).collect();
    Ok((Subscripts::resolve("[lists]", &inputs, output, &ndims)?, operands))
}

fn numbered(call: &Bound<'_>, list: &Value) -> Result<Written> {
    let integers;
    let items = match list {
        Value::List(items) | Value::Tuple(items) => items,
        Value::Array(array) if array.ndim() == 1 && array.dtype().is_int() => {
            let numbers = array.try_astype(DType::I64)?.to_vec::<i64>()?;
            integers = numbers.into_iter().map(Value::from).collect::<Vec<_>>();
            &integers
        }
        _ => return Err(call.type_error("subscripts must be a text or lists")),
    };
    let mut written = Written::default();
    for item in items {
        if matches!(item, Value::Ellipsis) {
            if written.ellipsis.is_some() {
                return Err(call.value_error("more than one ellipsis"));
            }
            written.ellipsis = Some(written.letters.len());
            continue;
        }
        match call.int_of("subscript", item)? {
            number @ 0..52 => written.letters.push(number as u32),
            other => return Err(call.value_error(format!("subscript {other} is not below 52"))),
        }
    }
    Ok(written)
}

fn optimize(call: &Bound<'_>) -> Result<Optimize> {
    let named = |name: &str| match name {
        "greedy" => Ok(Optimize::Greedy),
        "optimal" => Ok(Optimize::Best),
        _ => Err(call.unsupported(format!("the order {name}"))),
    };
    match call.some("optimize") {
        None => Ok(Optimize::Best),
        Some(Value::Str(name)) => named(name),
        // A name and a limit of memory, which only keeps products apart that need more.
        Some(Value::Tuple(pair) | Value::List(pair)) => match pair.as_slice() {
            [Value::Str(name), Value::Scalar(_)] => named(name),
            [Value::Str(name), steps @ ..] if name == "einsum_path" => {
                let step = |step: &Value| -> Result<Vec<usize>> {
                    call.ints("optimize", step)?
                        .iter()
                        .map(|&place| {
                            usize::try_from(place)
                                .map_err(|_| call.value_error("a path names positions from 0 on"))
                        })
                        .collect()
                };
                steps.iter().map(step).collect::<Result<_>>().map(Optimize::Path)
            }
            _ => Err(call.type_error("the path is not understood")),
        },
        Some(Value::Scalar(number)) if number.kind() != Kind::Bool => {
            Err(call.type_error("optimize is a truth value, a name or a path"))
        }
        // Without an order NumPy sums everything at once; the sums are the same.
        Some(_) => call.flag("optimize", false).map(|_| Optimize::Best),
    }
}
