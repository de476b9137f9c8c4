//! Polynomials: `np.poly…`, the highest power first, and `np.polynomial`, the lowest first.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::Array;
use crate::dtype::{DType, Kind};
use crate::error::Result;
use crate::graph::Operand;
use crate::polynomial::{self, classic, fit};

/// Functions of two polynomials that give one.
macro_rules! pairs {
    ($($name:literal $parameters:literal $first:literal $second:literal $run:path;)+) => {
        &[$(Function {
            name: $name,
            parameters: $parameters,
            run: |call| $run(&call.array($first)?, &call.array($second)?).map(Value::Array),
        }),+]
    };
}

pub(super) static PAIRS: &[Function] = pairs! {
    "np.polyadd" "a1 a2" "a1" "a2" classic::try_polyadd;
    "np.polysub" "a1 a2" "a1" "a2" classic::try_polysub;
    "np.polymul" "a1 a2" "a1" "a2" classic::try_polymul;
};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.polyval",
        parameters: "p x",
        run: |call| {
            classic::try_polyval(&sequence(call, "p")?, &call.array("x")?).map(Value::Array)
        },
    },
    Function {
        name: "np.poly",
        parameters: "seq_of_zeros",
        run: |call| fit::try_poly(&sequence(call, "seq_of_zeros")?).map(Value::Array),
    },
    Function {
        name: "np.roots",
        parameters: "p",
        run: |call| fit::try_roots(&sequence(call, "p")?).map(Value::Array),
    },
    Function {
        // The coefficients: a polynomial as a value is Rust's `Polynomial`.
        name: "np.poly1d",
        parameters: "c_or_r r? variable=None",
        run: |call| {
            let given = call.array("c_or_r")?;
            let given = match call.flag("r", false)? {
                true => fit::try_poly(&sequence(call, "c_or_r")?)?,
                false => given,
            };
            if given.ndim() > 1 {
                return Err(call.value_error("coefficients have one axis"));
            }
            classic::trimmed(&given.try_atleast_1d()?).map(Value::Array)
        },
    },
    Function {
        name: "np.polydiv",
        parameters: "u v",
        run: |call| {
            let (q, r) = classic::try_polydiv(&call.array("u")?, &call.array("v")?)?;
            Ok(several([q, r]))
        },
    },
    Function {
        name: "np.polyder",
        parameters: "p m?",
        run: |call| classic::try_polyder(&sequence(call, "p")?, times(call)?).map(Value::Array),
    },
    Function {
        name: "np.polyint",
        parameters: "p m? k?",
        run: |call| {
            let constants = match call.some("k") {
                None => Operand::from(0.0),
                Some(_) => call.operand("k")?,
            };
            let times = times(call)?;
            let p = if times == 0 { call.array("p")? } else { sequence(call, "p")? };
            classic::try_polyint(&p, times, constants).map(Value::Array)
        },
    },
    Function { name: "np.polyfit", parameters: "x y deg rcond? full? w? cov?", run: polyfit },
    Function {
        name: "np.polynomial.polynomial.polyval",
        parameters: "x c tensor?",
        run: |call| {
            let c = call.array("c")?;
            let x = places(call, &c)?;
            polynomial::try_polyval(&x, &c, call.flag("tensor", true)?).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyvalfromroots",
        parameters: "x r tensor?",
        run: |call| {
            let r = call.array("r")?;
            let x = places(call, &r)?;
            polynomial::try_polyvalfromroots(&x, &r, call.flag("tensor", true)?).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyvander",
        parameters: "x deg",
        run: |call| {
            let degree = degree(call)?;
            polynomial::try_polyvander(&call.array("x")?, degree).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polycompanion",
        parameters: "c",
        run: |call| polynomial::try_polycompanion(&call.array("c")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polyutils.as_series",
        parameters: "alist trim?",
        run: |call| {
            let arrays =
                polynomial::try_as_series(&call.arrays("alist")?, call.flag("trim", true)?)?;
            Ok(Value::List(arrays.into_iter().map(Value::Array).collect()))
        },
    },
    Function {
        name: "np.polynomial.polyutils.trimseq",
        parameters: "seq",
        run: |call| polynomial::try_trimseq(&sequence(call, "seq")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polyutils.trimcoef",
        parameters: "c tol?",
        run: |call| {
            let tolerance = call.float("tol")?.unwrap_or(0.0);
            polynomial::try_trimcoef(&call.array("c")?, tolerance).map(Value::Array)
        },
    },
];

/// An array of which NumPy asks the length, so that a number is a mistake of its type.
fn sequence(call: &Bound<'_>, name: &str) -> Result<Array> {
    call.sequence(name)?;
    call.array(name)
}

/// Where a polynomial's values are asked for; a plain number takes its coefficients' dtype.
fn places(call: &Bound<'_>, coefficients: &Array) -> Result<Array> {
    match call.operand("x")? {
        Operand::Array(x) => Ok(x),
        Operand::Scalar(x) => {
            let dtype = match coefficients.dtype().kind() {
                Kind::Bool | Kind::Int => DType::F64,
                Kind::Float | Kind::Complex => coefficients.dtype(),
            };
            let _guard = coefficients.device().enter();
            crate::array::try_full((), x, x.promote_with(dtype))
        }
    }
}

fn several<const N: usize>(arrays: [Array; N]) -> Value {
    Value::Tuple(arrays.into_iter().map(Value::Array).collect())
}

/// How often a polynomial is derived or integrated.
fn times(call: &Bound<'_>) -> Result<usize> {
    call.get("m").map_or(Ok(1), |value| call.count("m", value))
}

fn degree(call: &Bound<'_>) -> Result<usize> {
    match call.some("deg") {
        Some(value) => call.count("deg", value),
        None => Err(call.type_error("deg must be an integer")),
    }
}

fn polyfit(call: &Bound<'_>) -> Result<Value> {
    let mut options = fit::fit();
    if let Some(cutoff) = call.float("rcond")? {
        options = options.cutoff(cutoff);
    }
    if call.some("w").is_some() {
        options = options.weights(&call.array("w")?);
    }
    let (x, y) = (call.array("x")?, call.array("y")?);
    let fitted = fit::try_polyfit(&x, &y, degree(call)?, options)?;
    if call.flag("full", false)? {
        let _guard = x.device().enter();
        let rank = crate::array::try_full((), fitted.rank, crate::DType::I32)?;
        let cutoff = crate::array::try_full((), fitted.cutoff, crate::DType::F64)?;
        return Ok(several([
            fitted.coefficients,
            fitted.residuals,
            rank,
            fitted.singular_values,
            cutoff,
        ]));
    }
    let scaled = match call.get("cov") {
        None => return Ok(Value::Array(fitted.coefficients)),
        Some(Value::Str(text)) if text == "unscaled" => false,
        Some(Value::Str(text)) => {
            return Err(call.unsupported(format!("cov as {text:?}")));
        }
        Some(_) if call.flag("cov", false)? => true,
        Some(_) => return Ok(Value::Array(fitted.coefficients)),
    };
    let covariance = fitted.covariance(scaled)?;
    Ok(several([fitted.coefficients, covariance]))
}
