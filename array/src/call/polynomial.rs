//! Polynomials: `np.poly…`, the highest power first, and `np.polynomial`, the lowest first.

use super::bind::Bound;
use super::support::{COMPOSED, FACTORED, VIEW};
use super::{Function, Value};
use crate::array::Array;
use crate::checked;
use crate::graph::Operand;
use crate::polynomial::powers::{self, Degrees};
use crate::polynomial::{classic, fit};
use crate::scalar::Scalar;
use ndany_core::{DType, Number, Result};

/// Functions of two polynomials that give one.
macro_rules! pairs {
    ($($name:literal $facts:expr, $parameters:literal $first:literal $second:literal $run:expr;)+) => {
        &[$(Function {
            name: $name,
            parameters: $parameters,
            facts: $facts,
            run: |call| ($run)(&call.array($first)?, &call.array($second)?).map(Value::Array),
        }),+]
    };
}

pub(super) static PAIRS: &[Function] = pairs! {
    "np.polyadd" COMPOSED, "a1 a2" "a1" "a2" classic::try_polyadd;
    "np.polysub" COMPOSED, "a1 a2" "a1" "a2" classic::try_polysub;
    "np.polymul" COMPOSED.waits("always"), "a1 a2" "a1" "a2" classic::try_polymul;
    "np.polynomial.polynomial.polyadd" COMPOSED.waits("always"), "c1 c2" "c1" "c2" (|a, b| powers::sum(a, b, false));
    "np.polynomial.polynomial.polysub" COMPOSED.waits("always"), "c1 c2" "c1" "c2" (|a, b| powers::sum(a, b, true));
    "np.polynomial.polynomial.polymul" COMPOSED.waits("always"), "c1 c2" "c1" "c2" powers::product;
};

/// Values of polynomials, and matrices of powers, of several variables.
pub(super) static SEVERAL: &[Function] = &[
    Function {
        name: "np.polynomial.polynomial.polyval2d",
        parameters: "x y c",
        facts: COMPOSED,
        run: |call| values(call, &["x", "y"]),
    },
    Function {
        name: "np.polynomial.polynomial.polyval3d",
        parameters: "x y z c",
        facts: COMPOSED,
        run: |call| values(call, &["x", "y", "z"]),
    },
    Function {
        name: "np.polynomial.polynomial.polygrid2d",
        parameters: "x y c",
        facts: COMPOSED,
        run: |call| grid(call, &["x", "y"]),
    },
    Function {
        name: "np.polynomial.polynomial.polygrid3d",
        parameters: "x y z c",
        facts: COMPOSED,
        run: |call| grid(call, &["x", "y", "z"]),
    },
    Function {
        name: "np.polynomial.polynomial.polyvander2d",
        parameters: "x y deg",
        facts: COMPOSED.waits("where the degrees are an array"),
        run: |call| vander(call, &["x", "y"]),
    },
    Function {
        name: "np.polynomial.polynomial.polyvander3d",
        parameters: "x y z deg",
        facts: COMPOSED.waits("where the degrees are an array"),
        run: |call| vander(call, &["x", "y", "z"]),
    },
];

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.polyval",
        parameters: "p x",
        facts: COMPOSED,
        run: |call| {
            classic::try_polyval(&sequence(call, "p")?, &call.array("x")?).map(Value::Array)
        },
    },
    Function {
        name: "np.poly",
        parameters: "seq_of_zeros",
        facts: COMPOSED.waits("for complex roots"),
        run: |call| fit::try_poly(&sequence(call, "seq_of_zeros")?).map(Value::Array),
    },
    Function {
        name: "np.roots",
        parameters: "p",
        facts: FACTORED.waits("always"),
        run: |call| fit::try_roots(&sequence(call, "p")?).map(Value::Array),
    },
    Function {
        // The coefficients: a polynomial as a value is Rust's `Polynomial`.
        name: "np.poly1d",
        parameters: "c_or_r r? variable=None",
        facts: COMPOSED.waits("always"),
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
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (q, r) = classic::try_polydiv(&call.array("u")?, &call.array("v")?)?;
            Ok(several([q, r]))
        },
    },
    Function {
        name: "np.polyder",
        parameters: "p m?",
        facts: COMPOSED,
        run: |call| classic::try_polyder(&sequence(call, "p")?, times(call)?).map(Value::Array),
    },
    Function {
        name: "np.polyint",
        parameters: "p m? k?",
        facts: COMPOSED,
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
    Function {
        name: "np.polyfit",
        parameters: "x y deg rcond? full? w? cov?",
        facts: FACTORED.waits("always"),
        run: polyfit,
    },
    Function {
        name: "np.polynomial.polynomial.polyval",
        parameters: "x c tensor?",
        facts: COMPOSED,
        run: |call| {
            let c = call.array("c")?;
            let x = points(call, &c)?;
            checked::polynomial::polyval(&x, &c, call.flag("tensor", true)?).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyvalfromroots",
        parameters: "x r tensor?",
        facts: COMPOSED,
        run: |call| {
            let r = call.array("r")?;
            let x = points(call, &r)?;
            checked::polynomial::polyvalfromroots(&x, &r, call.flag("tensor", true)?)
                .map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyvander",
        parameters: "x deg",
        facts: COMPOSED,
        run: |call| {
            let degree = degree(call)?;
            checked::polynomial::polyvander(&call.array("x")?, degree).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyline",
        parameters: "off scl",
        facts: VIEW,
        run: |call| {
            let slope = call.scalar("scl")?;
            let slope = slope.ok_or_else(|| call.type_error("scl must be a number"))?;
            let zero = match slope.number() {
                Number::Bool(value) => !value,
                Number::Int(value) => value == 0,
                Number::Float(value) => value == 0.0,
                Number::Complex(re, im) => re == 0.0 && im == 0.0,
            };
            let mut items = vec![call.required("off").clone()];
            if !zero {
                items.push(call.required("scl").clone());
            }
            call.array_of("off", &Value::List(items)).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyfromroots",
        parameters: "roots",
        facts: COMPOSED,
        run: |call| powers::from_roots(&sequence(call, "roots")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polynomial.polyroots",
        parameters: "c",
        facts: FACTORED.waits("always"),
        run: |call| powers::roots(&call.array("c")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polynomial.polymulx",
        parameters: "c",
        facts: COMPOSED.waits("always"),
        run: |call| powers::times_x(&call.array("c")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polynomial.polydiv",
        parameters: "c1 c2",
        facts: COMPOSED.waits("always"),
        run: |call| powers::divided(&call.array("c1")?, &call.array("c2")?).map(several),
    },
    Function {
        name: "np.polynomial.polynomial.polypow",
        parameters: "c pow maxpower?",
        facts: COMPOSED.waits("always"),
        run: polypow,
    },
    Function {
        name: "np.polynomial.polynomial.polyder",
        parameters: "c m? scl? axis?",
        facts: COMPOSED,
        run: |call| {
            let (c, times) = (call.array("c")?, times(call)?);
            let scale = call.scalar("scl")?.unwrap_or(Scalar::from(1));
            let axis = call.int("axis")?.unwrap_or(0);
            powers::derivative(&c, times, scale, axis).map(Value::Array)
        },
    },
    Function {
        name: "np.polynomial.polynomial.polyint",
        parameters: "c m? k? lbnd? scl? axis?",
        facts: COMPOSED.waits("of a single coefficient"),
        run: polyint,
    },
    Function {
        name: "np.polynomial.polynomial.polyfit",
        parameters: "x y deg rcond? full? w?",
        facts: FACTORED.waits("always"),
        run: polyfit_rising,
    },
    Function {
        name: "np.polynomial.polynomial.polycompanion",
        parameters: "c",
        facts: COMPOSED.waits("always"),
        run: |call| checked::polynomial::polycompanion(&call.array("c")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polyutils.as_series",
        parameters: "alist trim?",
        facts: COMPOSED.waits("where zeros are trimmed"),
        run: |call| {
            let arrays =
                checked::polynomial::as_series(&call.arrays("alist")?, call.flag("trim", true)?)?;
            Ok(Value::List(arrays.into_iter().map(Value::Array).collect()))
        },
    },
    Function {
        name: "np.polynomial.polyutils.trimseq",
        parameters: "seq",
        facts: COMPOSED.waits("always"),
        run: |call| checked::polynomial::trimseq(&sequence(call, "seq")?).map(Value::Array),
    },
    Function {
        name: "np.polynomial.polyutils.trimcoef",
        parameters: "c tol?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let tolerance = match call.scalar("tol")? {
                // A NumPy scalar without an imaginary part compares as its real part.
                Some(scalar) if scalar.dtype().is_some() => match scalar.number() {
                    Number::Complex(re, 0.0) => Some(re),
                    _ => call.float("tol")?,
                },
                Some(scalar) if matches!(scalar.number(), Number::Complex(..)) => {
                    return Err(call.type_error("tol must be a real number"));
                }
                _ => call.float("tol")?,
            };
            let tolerance = tolerance.unwrap_or(0.0);
            checked::polynomial::trimcoef(&call.array("c")?, tolerance).map(Value::Array)
        },
    },
];

/// An array of which NumPy asks the length, so that a number is a mistake of its type.
fn sequence(call: &Bound<'_>, name: &str) -> Result<Array> {
    call.sequence(name)?;
    call.array(name)
}

/// Where a polynomial's values are asked for; a plain number takes its coefficients' dtype.
fn points(call: &Bound<'_>, coefficients: &Array) -> Result<Array> {
    place(call, "x", coefficients)
}

fn place(call: &Bound<'_>, name: &str, coefficients: &Array) -> Result<Array> {
    match call.operand(name)? {
        Operand::Array(x) => Ok(x),
        Operand::Scalar(x) => {
            let _guard = coefficients.device().enter();
            powers::place(x, coefficients.dtype())
        }
    }
}

fn values(call: &Bound<'_>, names: &[&str]) -> Result<Value> {
    let points = names.iter().map(|name| call.array(name)).collect::<Result<Vec<_>>>()?;
    powers::values(&call.array("c")?, &points).map(Value::Array)
}

fn grid(call: &Bound<'_>, names: &[&str]) -> Result<Value> {
    let mut c = call.array("c")?;
    for name in names {
        c = checked::polynomial::polyval(&place(call, name, &c)?, &c, true)?;
    }
    Ok(Value::Array(c))
}

fn vander(call: &Bound<'_>, names: &[&str]) -> Result<Value> {
    let points = names.iter().map(|name| call.array(name)).collect::<Result<Vec<_>>>()?;
    let degrees = match call.some("deg") {
        Some(Value::List(items) | Value::Tuple(items)) => {
            items.iter().map(|item| call.count("deg", item)).collect::<Result<Vec<_>>>()?
        }
        Some(Value::Array(array)) if array.ndim() == 1 => {
            let degrees = call.ints("deg", &Value::Array(array.clone()))?;
            let degree = |&degree: &isize| {
                usize::try_from(degree).map_err(|_| call.value_error("a degree is negative"))
            };
            degrees.iter().map(degree).collect::<Result<Vec<_>>>()?
        }
        _ => return Err(call.type_error("deg must be a sequence of integers")),
    };
    powers::vander(&points, &degrees).map(Value::Array)
}

fn polypow(call: &Bound<'_>) -> Result<Value> {
    let exponent = match call.scalar("pow")? {
        Some(scalar) => match scalar.number() {
            Number::Float(value) if value == value.trunc() && value.is_finite() => value as i128,
            Number::Float(_) => -1,
            _ => call.int_of("pow", &Value::Scalar(scalar))?,
        },
        None => return Err(call.type_error("pow must be an integer")),
    };
    let Ok(exponent) = usize::try_from(exponent) else {
        return Err(call.value_error("the power must be an integer that is not negative"));
    };
    if call.float("maxpower")?.is_some_and(|most| exponent as f64 > most) {
        return Err(call.value_error("the power exceeds maxpower"));
    }
    powers::power(&call.array("c")?, exponent).map(Value::Array)
}

fn polyint(call: &Bound<'_>) -> Result<Value> {
    let (c, times) = (call.array("c")?, times(call)?);
    let constants = match call.some("k") {
        None => Vec::new(),
        Some(Value::Scalar(_) | Value::Bool(_)) => vec![call.array("k")?],
        Some(_) => call.arrays("k")?,
    };
    let single = |name: &str| match call.some(name) {
        Some(Value::Array(array)) if array.ndim() > 0 => {
            Err(call.value_error(format!("{name} must be a number")))
        }
        Some(Value::List(_) | Value::Tuple(_)) => {
            Err(call.value_error(format!("{name} must be a number")))
        }
        _ => Ok(()),
    };
    single("lbnd")?;
    single("scl")?;
    let lower = match call.some("lbnd") {
        None => powers::place(Scalar::from(0), c.dtype())?,
        Some(_) => place(call, "lbnd", &c)?,
    };
    let scale = call.scalar("scl")?.unwrap_or(Scalar::from(1));
    let axis = call.int("axis")?.unwrap_or(0);
    powers::integral(&c, times, &constants, &lower, scale, axis).map(Value::Array)
}

fn polyfit_rising(call: &Bound<'_>) -> Result<Value> {
    let negative = || call.value_error("a degree is negative");
    let chosen: Option<Vec<usize>> = match call.some("deg") {
        Some(Value::List(_) | Value::Tuple(_)) => Some(degrees(call)?),
        Some(Value::Array(array)) if array.ndim() > 0 => Some(degrees(call)?),
        _ => None,
    };
    let degrees = match &chosen {
        Some(chosen) => Degrees::Chosen(chosen),
        None => {
            let degree = call.int_of("deg", call.required("deg"))?;
            Degrees::UpTo(usize::try_from(degree).map_err(|_| negative())?)
        }
    };
    let weights = call.some("w").map(|_| call.array("w")).transpose()?;
    let (x, y) = (call.array("x")?, call.array("y")?);
    let fitted = powers::fitted(&x, &y, degrees, call.float("rcond")?, weights.as_ref())?;
    if !call.flag("full", false)? {
        return Ok(Value::Array(fitted.coefficients));
    }
    let _guard = x.device().enter();
    let rank = crate::array::try_full((), fitted.rank, DType::I32)?;
    let cutoff = crate::array::try_full((), fitted.cutoff, DType::F64)?;
    let rest = [fitted.residuals, rank, fitted.singular_values, cutoff];
    let rest = Value::List(rest.into_iter().map(Value::Array).collect());
    Ok(Value::Tuple(vec![Value::Array(fitted.coefficients), rest]))
}

/// The chosen powers of a fit, in rising order.
fn degrees(call: &Bound<'_>) -> Result<Vec<usize>> {
    let degrees = call.array("deg")?;
    if degrees.ndim() != 1 || degrees.size() == 0 || !degrees.dtype().is_int() {
        return Err(call.type_error("deg must be an integer, or several along one axis"));
    }
    let mut chosen = degrees
        .try_astype(DType::I64)?
        .to_vec::<i64>()?
        .into_iter()
        .map(|degree| usize::try_from(degree).map_err(|_| call.value_error("a degree is negative")))
        .collect::<Result<Vec<_>>>()?;
    chosen.sort_unstable();
    Ok(chosen)
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

/// The same, of numbers the whole part.
fn integer_degree(call: &Bound<'_>) -> Result<usize> {
    match call.some("deg") {
        Some(value) => {
            let degree = call.truncated("deg", value)?;
            usize::try_from(degree).map_err(|_| call.value_error("expected deg >= 0"))
        }
        None => Err(call.type_error("deg must be an integer")),
    }
}

fn polyfit(call: &Bound<'_>) -> Result<Value> {
    let mut options = fit::Fit::new();
    if let Some(cutoff) = call.float("rcond")? {
        options = options.cutoff(cutoff);
    }
    if call.some("w").is_some() {
        options = options.weights(&call.array("w")?);
    }
    let (x, y) = (call.array("x")?, call.array("y")?);
    let fitted = fit::try_polyfit(&x, &y, integer_degree(call)?, options)?;
    if call.flag("full", false)? {
        let _guard = x.device().enter();
        let rank = crate::array::try_full((), fitted.rank, crate::DType::I32)?;
        // By default it is a multiple of the roundoff, in the dtype of that.
        let dtype = match call.some("rcond") {
            None if matches!(x.dtype(), DType::F32 | DType::C64) => DType::F32,
            _ => DType::F64,
        };
        let cutoff = crate::array::try_full((), fitted.cutoff, dtype)?;
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
