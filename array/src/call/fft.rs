//! `np.fft`, and SciPy's functions of the same names.
//!
//! SciPy's differ in what they refuse, and in that they make f32 of 16-bit floats. Deliberately absent: another number of
//! its `workers` than the device has, and a `plan`.

use super::support::{COMPOSED, TRANSFORMED};
use smallvec::SmallVec;

use super::bind::Bound;
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::call::ufunc::methods::{into_out, into_out_by};
use crate::checked::{fftfreq as try_fftfreq, rfftfreq as try_rfftfreq};
use crate::fft::Norm;
use ndany_core::{Casting, DType, Error, Result};

type Transform = fn(&Array, AxisOptions) -> Result<Array>;
type Shift = fn(&Array, &[isize]) -> Result<Array>;

macro_rules! transforms {
    ($($name:literal $kind:ident $method:ident;)+) => {
        pub(super) static NUMPY: &[Function] = &[$(Function {
            name: concat!("np.fft.", $name),
            parameters: concat!("a ", transforms!($kind), " norm? out?"),
            facts: TRANSFORMED,
            run: |call| numpy(call, $kind(call)?, Array::$method),
        },)+];

        pub(super) static SCIPY: &[Function] = &[$(Function {
            name: concat!("fft.", $name),
            parameters: concat!("x ", transforms!($kind), " norm? overwrite_x? workers=None * plan=None"),
            facts: TRANSFORMED,
            run: |call| scipy(call, $kind(call)?, Array::$method),
        },)+];
    };
    (one) => { "n? axis?" };
    (two) => { "s? axes?" };
    (many) => { "s? axes?" };
}

transforms! {
    "fft" one try_fft;
    "ifft" one try_ifft;
    "rfft" one try_rfft;
    "irfft" one try_irfft;
    "hfft" one try_hfft;
    "ihfft" one try_ihfft;
    "fft2" two try_fft2;
    "ifft2" two try_ifft2;
    "rfft2" two try_rfft2;
    "irfft2" two try_irfft2;
    "fftn" many try_fftn;
    "ifftn" many try_ifftn;
    "rfftn" many try_rfftn;
    "irfftn" many try_irfftn;
}

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.fft.fftshift",
        parameters: "x axes?",
        facts: COMPOSED,
        run: |call| shift(call, |x, axes| x.try_fftshift(axes), |x| x.try_fftshift(..)),
    },
    Function {
        name: "np.fft.ifftshift",
        parameters: "x axes?",
        facts: COMPOSED,
        run: |call| shift(call, |x, axes| x.try_ifftshift(axes), |x| x.try_ifftshift(..)),
    },
    Function {
        name: "np.fft.fftfreq",
        parameters: "n d? device=None",
        facts: COMPOSED,
        run: |call| frequencies(call, try_fftfreq, false),
    },
    Function {
        name: "np.fft.rfftfreq",
        parameters: "n d? device=None",
        facts: COMPOSED,
        run: |call| frequencies(call, try_rfftfreq, true),
    },
];

/// The options of a transform along one axis.
fn one(call: &Bound<'_>) -> Result<AxisOptions> {
    let axis = call.int("axis")?.unwrap_or(-1);
    let options = AxisOptions::from(Some(axis));
    Ok(match call.some_int("n")? {
        // -1 would say: as many as there are.
        Some(-1) => return Err(call.value_error("-1 points cannot be transformed")),
        Some(points) => options.n(SmallVec::from_slice(&[points])),
        None => options,
    })
}

/// Those of one along several.
fn many(call: &Bound<'_>) -> Result<AxisOptions> {
    if call.op().starts_with("np.") {
        for name in ["s", "axes"] {
            if matches!(call.some(name), Some(Value::Scalar(_) | Value::Bool(_))) {
                return Err(call.type_error(format!("{name} must be a sequence of integers")));
            }
        }
    }
    let options = AxisOptions::new(call.axes("axes")?);
    Ok(match call.some("s") {
        Some(points) => options.n(lengths(call, points)?),
        None => options,
    })
}

/// As many points as there are, where `None` stands.
fn lengths(call: &Bound<'_>, points: &Value) -> Result<SmallVec<[isize; 4]>> {
    let (Value::Tuple(items) | Value::List(items)) = points else {
        return call.ints("s", points);
    };
    let one = |item: &Value| match item {
        Value::None => Ok(-1),
        item => Ok(call.ints("s", item)?[0]),
    };
    items.iter().map(one).collect()
}

/// Those of one along two by default: `None` stands for all, as in NumPy.
fn two(call: &Bound<'_>) -> Result<AxisOptions> {
    let options = many(call)?;
    Ok(match (call.get("axes"), call.some("s")) {
        (Some(Value::None), None) => {
            AxisOptions::new(Some((0..operand(call)?.ndim() as isize).collect()))
        }
        _ => options,
    })
}

fn operand(call: &Bound<'_>) -> Result<Array> {
    call.array(if call.get("a").is_some() { "a" } else { "x" })
}

fn norm(call: &Bound<'_>, options: AxisOptions) -> Result<AxisOptions> {
    let norm = match call.some("norm") {
        None => Norm::Backward,
        Some(_) => match call.text("norm", "")? {
            "backward" => Norm::Backward,
            "ortho" => Norm::Ortho,
            "forward" => Norm::Forward,
            other => {
                let reason = format!("norm is {other:?}, not backward, ortho or forward");
                return Err(call.value_error(reason));
            }
        },
    };
    Ok(options.norm(norm))
}

fn numpy(call: &Bound<'_>, options: AxisOptions, transform: Transform) -> Result<Value> {
    let result = transform(&call.array("a")?, norm(call, options)?)?;
    if !matches!(call.some("out"), None | Some(Value::Array(_))) {
        return Err(call.type_error("out must be an array"));
    }
    match call.some("out") {
        // A shape that does not fit is said before a dtype that does not.
        Some(Value::Array(out)) if out.shape() != result.shape() => into_out(call, result),
        _ => into_out_by(call, result, Casting::SameKind),
    }
    .map(Value::Array)
}

fn scipy(call: &Bound<'_>, options: AxisOptions, transform: Transform) -> Result<Value> {
    // It may be overwritten, and never is.
    call.flag("overwrite_x", false)?;
    let x = call.array("x")?;
    let mut axes = call.axes("axes")?.unwrap_or_default();
    for axis in &mut axes {
        *axis = ndany_core::shape::axis_index(call.op(), *axis, x.ndim())? as isize;
    }
    axes.sort_unstable();
    if axes.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(call.value_error("all axes must be unique"));
    }
    let narrow = ndany_core::float::is_narrow(x.dtype());
    let x = if narrow { x.try_astype(DType::F32)? } else { x };
    transform(&x, norm(call, options)?).map(Value::Array)
}

fn shift(call: &Bound<'_>, some: Shift, all: fn(&Array) -> Result<Array>) -> Result<Value> {
    let x = call.array("x")?;
    match call.axes("axes")? {
        Some(axes) => some(&x, &axes).map(Value::Array),
        None => all(&x).map(Value::Array),
    }
}

/// Frequencies where a number is of a dtype: the duration of all samples is rounded to it, and its reciprocal, which may be
/// infinite.
fn rounded(call: &Bound<'_>, samples: usize, half: bool) -> Result<Option<Array>> {
    let own = |name| call.scalar(name).map(|number| number.and_then(|number| number.dtype()));
    // The number of samples may stand in an array.
    let dtypes = [own("n").unwrap_or(None), own("d")?];
    let Some(dtype) = dtypes.into_iter().flatten().reduce(DType::promote) else { return Ok(None) };
    let round: fn(f64) -> f64 = match dtype {
        DType::F16 => |x| half::f16::from_f64(x).to_f64(),
        DType::F32 => |x| f64::from(x as f32),
        _ => |x| x,
    };
    let duration = round(samples as f64 * call.float("d")?.unwrap_or(1.0));
    crate::fft::waves(samples, half)?.try_multiply(round(1.0 / duration)).map(Some)
}

fn frequencies(
    call: &Bound<'_>,
    frequencies: fn(usize, f64) -> Result<Array>,
    half: bool,
) -> Result<Value> {
    let samples = match call.int("n") {
        Ok(Some(samples)) => samples,
        // NumPy's class for what is no integer.
        Err(Error::Arguments { .. }) => return Err(call.value_error("n must be an integer")),
        other => other?.unwrap_or(0),
    };
    match usize::try_from(samples) {
        Ok(samples) => match rounded(call, samples, half)? {
            Some(rounded) => Ok(Value::Array(rounded)),
            None => frequencies(samples, call.float("d")?.unwrap_or(1.0)).map(Value::Array),
        },
        // Half of less than nothing is nothing, as NumPy counts.
        Err(_) if half => crate::array::try_zeros(0, DType::F64).map(Value::Array),
        Err(_) => Err(call.value_error(format!("{samples} samples have no frequencies"))),
    }
}
