//! Elementwise operations and their methods, called as NumPy ufuncs.

pub(super) mod methods;

use smallvec::{SmallVec, smallvec};

use super::Value;
use super::bind::Bound;
use super::parameters::{Parameters, Takes};
use crate::array::into::harmless;
use crate::array::{Array, Order, Target};
use crate::elementwise::elementwise;
use crate::extend::{Computed, Function};
use crate::graph::{Operand, elementwise_as, pair, resolve};
use crate::scalar::Scalar;
use ndany_core::ops::{UfuncDef, rows};
use ndany_core::{Casting, DType, Error, Result};

/// The parameters of an operation.
pub(super) fn parameters(arity: usize, results: usize) -> &'static str {
    match (arity, results) {
        (1, 1) => "x1 out? * where? dtype? casting? order? subok~ sig? signature?",
        (2, 1) => "x1 x2 out? * where? dtype? casting? order? subok~ sig? signature?",
        (1, _) => "x1 out1? out2? * out? where? dtype? casting? order? subok~ sig? signature?",
        (2, _) => "x1 x2 out1? out2? * out? where? dtype? casting? order? subok~ sig? signature?",
        _ => "x1 x2 x3",
    }
}

/// The operands of a call that has no other arguments: most calls, for which nothing has to be matched with parameters.
pub(super) fn operands_alone(
    row: &UfuncDef,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Option<SmallVec<[Operand; 3]>> {
    if !kwargs.is_empty() || args.len() != row.arity {
        return None;
    }
    args.iter()
        .map(|value| match value {
            Value::Array(array) => Some(Operand::from(array)),
            Value::Scalar(scalar) => Some(Operand::Scalar(*scalar)),
            Value::Bool(value) => Some(Operand::from(*value)),
            Value::DType(_)
            | Value::Str(_)
            | Value::None
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Slice { .. }
            | Value::NewAxis
            | Value::Ellipsis => None,
        })
        .collect()
}

/// A row, or the two of an operation with two results, called as a NumPy ufunc.
#[track_caller]
pub(super) fn call_ufunc(
    name: &'static str,
    parameters: &Parameters,
    rows: &[&'static UfuncDef],
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let call = Bound::new(name, parameters, args, kwargs)?;
    let arity = rows[0].arity;
    if let Some(unequal) = against_no_number(&call, name)? {
        let options = Options::of(&call, 1)?;
        let delivered = options.delivered(rows[0].name, unequal, options.outs[0].clone());
        return delivered.map(Value::Array);
    }
    let mut operands = ["x1", "x2", "x3"][..arity]
        .iter()
        .map(|name| call.operand(name))
        .collect::<Result<SmallVec<[Operand; 3]>>>()?;
    let mut options = Options::of(&call, rows.len())?;
    options.loops = loops(&call, arity, rows)?;
    if let Some(mask) = &options.mask {
        harmless(rows[0], &mut operands, mask)?;
    }
    let values = match rows {
        [row] => smallvec![options.compute(row, 0, &mut operands)?],
        [first, second] if options.is_plain() => {
            let (first, second) = pair([first, second], &mut operands)?;
            smallvec![first, second]
        }
        several => several
            .iter()
            .enumerate()
            .map(|(result, row)| options.compute(row, result, &mut operands.clone()))
            .collect::<Result<SmallVec<[Array; 2]>>>()?,
    };
    let mut results: SmallVec<[Array; 2]> = SmallVec::new();
    for (row, (value, out)) in rows.iter().zip(values.into_iter().zip(&options.outs)) {
        results.push(options.delivered(row.name, value, out.clone())?);
    }
    Ok(value_of(results))
}

/// A function of another crate, called as a NumPy ufunc.
#[track_caller]
pub(super) fn call_function(
    function: &'static Function,
    parameters: &Parameters,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let call = Bound::new(function.numpy, parameters, args, kwargs)?;
    let arity = function.arity();
    let names = parameters.all.iter().map(|parameter| parameter.name).take(arity);
    let operand = |(position, name): (usize, &str)| match call.get(name) {
        None if position + function.defaults.len() >= arity => {
            Ok(Operand::from(function.defaults[position + function.defaults.len() - arity]))
        }
        _ => call.operand(name),
    };
    let operands = names.enumerate().map(operand).collect::<Result<SmallVec<[Operand; 4]>>>()?;
    let asked = match function.option {
        Some((name, other)) if call.flag(name, false)? => other,
        _ => function,
    };
    Ok(value_of(asked.try_call(operands)?))
}

/// A function of another crate that the host computes of numbers.
#[track_caller]
pub(super) fn call_computed(
    function: &'static Computed,
    parameters: &Parameters,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let call = Bound::new(function.numpy, parameters, args, kwargs)?;
    let required = parameters.all.iter().filter(|parameter| parameter.takes == Takes::Required);
    let names = required.map(|parameter| parameter.name);
    let number = |name| match call.float(name)? {
        Some(value) => Ok(value),
        None => Err(call.type_error(format!("{name} must be a number"))),
    };
    let numbers = names.map(number).collect::<Result<SmallVec<[f64; 4]>>>()?;
    Ok(value_of((function.run)(&numbers)?))
}

/// What a function with these results returns: the result, or all of them as a tuple.
fn value_of(results: impl IntoIterator<Item = Array>) -> Value {
    let mut results: Vec<Value> = results.into_iter().map(Value::Array).collect();
    match results.len() {
        1 => results.remove(0),
        _ => Value::Tuple(results),
    }
}

/// `x == None`, `x != ...`: no number equals them.
fn against_no_number(call: &Bound<'_>, name: &str) -> Result<Option<Array>> {
    let unequal = match name {
        "np.equal" => false,
        "np.not_equal" => true,
        _ => return Ok(None),
    };
    let no_number = |name: &str| matches!(call.get(name), Some(Value::None | Value::Ellipsis));
    let shape = match (no_number("x1"), no_number("x2")) {
        (false, false) => return Ok(None),
        (true, false) => call.array("x2")?.shape().to_vec(),
        (false, true) => call.array("x1")?.shape().to_vec(),
        (true, true) => {
            let same = std::mem::discriminant(call.required("x1"))
                == std::mem::discriminant(call.required("x2"));
            return crate::array::try_full((), same != unequal, DType::Bool).map(Some);
        }
    };
    let _guard = ["x1", "x2"].iter().find_map(|name| match call.get(name) {
        Some(Value::Array(array)) => Some(array.device().enter()),
        _ => None,
    });
    crate::array::try_full(shape.as_slice(), unequal, DType::Bool).map(Some)
}

/// The loop that `sig` or `signature` asks for, by the dtypes of operands and results, some of which may be open.
fn loops(call: &Bound<'_>, arity: usize, rows: &[&'static UfuncDef]) -> Result<Option<Loop>> {
    let given = match (call.get("sig"), call.get("signature")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(call.type_error("sig and signature are the same: give one"));
        }
        (Some(given), None) | (None, Some(given)) => given,
    };
    if call.some("dtype").is_some() {
        return Err(
            call.type_error("a signature has dtypes: expected signature or dtype, got both")
        );
    }
    let count = arity + rows.len();
    let dtypes: Vec<Option<DType>> = match given {
        Value::Str(text) => {
            // A character that is no code is a wrong value here.
            let code = |code: char| match call.dtype_named(&code.to_string()) {
                Err(Error::Arguments { .. }) => {
                    Err(call.value_error(format!("there is no dtype {code:?}")))
                }
                other => other.map(Some),
            };
            let codes = |text: &str| text.chars().map(code).collect::<Result<Vec<_>>>();
            match text.split_once("->") {
                Some((from, to)) if from.len() == arity && to.len() == rows.len() => {
                    codes(from)?.into_iter().chain(codes(to)?).collect()
                }
                _ if text.len() == 1 => {
                    return Err(call.type_error("expected dtype=, got a signature of one dtype"));
                }
                _ => {
                    let form = format!("expected {arity} codes, -> and {} codes", rows.len());
                    return Err(call.value_error(format!("{form}, got {text:?}")));
                }
            }
        }
        Value::Tuple(items) if items.len() == 1 && count != 1 => {
            return Err(call.type_error("expected dtype=, got a signature of one dtype"));
        }
        Value::Tuple(items) if items.len() == count => items
            .iter()
            .map(|item| match item {
                Value::None => Ok(None),
                Value::DType(dtype) => Ok(Some(*dtype)),
                Value::Str(text) => call.dtype_named(text).map(Some),
                _ => Err(call.type_error("a signature holds dtypes and None")),
            })
            .collect::<Result<_>>()?,
        Value::Tuple(items) => {
            let reason = format!("expected a signature of {count} dtypes, got {}", items.len());
            return Err(call.value_error(reason));
        }
        _ => return Err(call.type_error("signature must be a text or a tuple")),
    };
    let (operands, results) = dtypes.split_at(arity);
    Ok(Some(Loop { operands: operands.to_vec(), results: results.to_vec() }))
}

/// Dtypes of a ufunc's operands and results, as far as they are asked for.
struct Loop {
    operands: Vec<Option<DType>>,
    results: Vec<Option<DType>>,
}

impl Loop {
    /// The dtypes in which a row is computed for its result number `result`, if the row has such a loop.
    fn resolve(&self, row: &'static UfuncDef, result: usize) -> Result<Option<(DType, DType)>> {
        let refused = || {
            let named =
                |dtype: &Option<DType>| dtype.map_or("None".to_string(), |dtype| dtype.to_string());
            let all = self.operands.iter().chain(&self.results).map(named).collect::<Vec<_>>();
            let remedy = "there is no loop of this signature";
            Error::DTypes { op: row.name, dtypes: all.join(", "), remedy }
        };
        let mut asked = self.operands.iter().flatten();
        let Some(&dtype) = asked.next() else {
            // The loop is the one that returns this dtype.
            return match self.results[result] {
                None => Ok(None),
                Some(dtype) => match row.signature.resolve(row.name, dtype)? {
                    found if found.1 == dtype => Ok(Some(found)),
                    _ => Err(refused()),
                },
            };
        };
        let (compute, returned) = row.signature.resolve(row.name, dtype)?;
        let fits = asked.all(|&other| other == dtype)
            && compute == dtype
            && self.results[result].is_none_or(|wanted| wanted == returned);
        if fits { Ok(Some((compute, returned))) } else { Err(refused()) }
    }
}

/// What a ufunc takes besides its operands.
pub(super) struct Options {
    loops: Option<Loop>,
    order: Order,
    casting: Casting,
    pub(super) dtype: Option<DType>,
    mask: Option<Array>,
    pub(super) outs: SmallVec<[Option<Array>; 2]>,
}

impl Options {
    pub(super) fn of(call: &Bound<'_>, results: usize) -> Result<Self> {
        let (order, casting) = (call.order(Order::K)?, call.casting("same_kind")?);
        let (dtype, mask, outs) = (call.dtype("dtype")?, call.mask("where")?, outs(call, results)?);
        Ok(Self { loops: None, order, casting, dtype, mask, outs })
    }

    /// What the caller gets: the result where the mask holds, in the array to write into or in the order asked for.
    #[track_caller]
    pub(super) fn delivered(
        &self,
        op: &'static str,
        value: Array,
        out: Option<Array>,
    ) -> Result<Array> {
        match (out, &self.mask) {
            // The changed array is the result; the one that was given keeps its values.
            (Some(mut out), mask) => {
                let target = Target::from(&mut out).casting(self.casting).with_mask(mask.clone());
                target.put(op, value)?;
                Ok(out)
            }
            // NumPy leaves the other elements as they happen to be; here they are zero.
            (None, Some(mask)) => {
                let zero = Scalar::typed(value.dtype(), false);
                elementwise(&rows::WHERE, &mut [mask.into(), value.into(), zero.into()])
            }
            (None, None) if self.order == Order::K => Ok(value),
            (None, None) => value.try_copy_in(self.order),
        }
    }

    /// Nothing but what is done anyway?
    fn is_plain(&self) -> bool {
        self.dtype.is_none() && self.loops.is_none() && self.casting == Casting::SameKind
    }

    /// The result of a row, which is the call's result of this number, in the dtype asked for.
    #[track_caller]
    fn compute(
        &self,
        row: &'static UfuncDef,
        result: usize,
        operands: &mut [Operand],
    ) -> Result<Array> {
        if self.is_plain() {
            return elementwise(row, operands);
        }
        if let Some(loops) = &self.loops
            && let Some((compute, returned)) = loops.resolve(row, result)?
        {
            if let Some(operand) = operands.iter().find(|operand| !self.admits(operand, compute)) {
                let from = match operand {
                    Operand::Array(array) => array.dtype(),
                    Operand::Scalar(scalar) => scalar.natural_dtype(),
                };
                let dtypes = format!("{from} becoming {compute} by the rule {:?}", self.casting);
                let remedy = "ask for another rule of casting";
                return Err(Error::DTypes { op: row.name, dtypes, remedy });
            }
            let dtypes = SmallVec::from_elem(compute, operands.len());
            return elementwise_as(row, operands, dtypes, returned, None);
        }
        let (mut dtypes, mut output) = match (resolve(row, operands), self.dtype) {
            // For the dtype asked for there may be a loop where there is none for the operands' own.
            (Err(Error::DTypes { .. }), Some(dtype)) if !row.signature.exponent => {
                let (compute, returned) = row.signature.resolve(row.name, dtype)?;
                (SmallVec::from_elem(compute, operands.len()), returned)
            }
            (resolved, _) => resolved?,
        };
        let refused = |remedy| {
            let dtypes = self.dtype.map_or("the operands".to_string(), |dtype| dtype.to_string());
            Error::DTypes { op: row.name, dtypes, remedy }
        };
        if let Some(dtype) = self.dtype.filter(|&dtype| dtype != output) {
            // The loop is the one that returns this dtype; an exponent goes its own way.
            let (compute, returned) = row.signature.resolve(row.name, dtype)?;
            if returned != dtype || compute.kind() != dtype.kind() {
                return Err(refused("there is no loop that returns this dtype"));
            }
            let promoted = dtypes.len() - usize::from(row.signature.exponent);
            dtypes[..promoted].fill(compute);
            output = dtype;
        }
        for (operand, &to) in operands.iter().zip(&dtypes) {
            if !self.admits(operand, to) {
                return Err(refused("ask for another rule of casting"));
            }
        }
        elementwise_as(row, operands, dtypes, output, None)
    }

    /// Whether the rule of casting allows an operand to become this dtype.
    pub(super) fn admits(&self, operand: &Operand, to: DType) -> bool {
        match operand {
            Operand::Array(array) => array.dtype().can_cast(to, self.casting),
            Operand::Scalar(scalar) => match scalar.dtype() {
                Some(from) => from.can_cast(to, self.casting),
                None => scalar.kind() <= to.kind() || self.casting == Casting::Unsafe,
            },
        }
    }
}

/// The arrays to write into, one for each result.
fn outs(call: &Bound<'_>, count: usize) -> Result<SmallVec<[Option<Array>; 2]>> {
    let one = |value: Option<&Value>| match value {
        None | Some(Value::None) => Ok(None),
        Some(Value::Array(array)) => Ok(Some(array.clone())),
        Some(_) => Err(call.type_error("out must be an array")),
    };
    match (call.get("out"), count) {
        (Some(Value::Tuple(outs)), _) if outs.len() == count => {
            outs.iter().map(|out| one(Some(out))).collect()
        }
        (Some(Value::Tuple(_)), _) => {
            Err(call.value_error("out must have exactly one entry for each result"))
        }
        // NumPy gives arrays in place of numbers then, which all results are here.
        (Some(Value::Ellipsis), _) if call.op() != "np.round" => Ok(smallvec![None; count]),
        (out, 1) => Ok(smallvec![one(out)?]),
        (None | Some(Value::None), _) => {
            ["out1", "out2"].map(|name| one(call.get(name))).into_iter().collect()
        }
        (Some(_), _) => Err(call.type_error("out must be a tuple of arrays")),
    }
}
