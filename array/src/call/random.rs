//! Random numbers: `np.random.NAME(…)` of the shared generator, `np.random.Generator.NAME(seed, …)` of one of a seed.
//!
//! Values are ndany's own, not NumPy's streams. Where NumPy draws into its argument (`shuffle`), the result is
//! returned. [`draw`] is what a binding calls that has generators as objects.

use super::bind::Bound;
use super::parameters::Parameters;
use super::support::NATIVE;
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::graph::Operand;
use crate::random::{Choice, Draw, Generator, Population, shared_generator};
use crate::scalar::Scalar;
use ndany_core::shape::{Shape, broadcast};
use ndany_core::{DType, Kind, Number, Result};

/// Both forms of each; `legacy` has only the first, `modern` only the second.
macro_rules! draws {
    (both: $($name:literal $facts:expr, $parameters:literal => $run:expr;)+
     legacy: $($old:literal $old_facts:expr, $old_parameters:literal => $old_run:expr;)+
     modern: $($new:literal $new_facts:expr, $new_parameters:literal => $new_run:expr;)+) => {
        pub(super) static FUNCTIONS: &[Function] = &[
            $(
                Function {
                    name: concat!("np.random.", $name),
                    parameters: $parameters,
                facts: $facts,
                    run: |call| run(call, &mut shared_generator(), $run),
                },
                Function {
                    name: concat!("np.random.Generator.", $name),
                    parameters: concat!("seed ", $parameters),
                facts: $facts,
                    run: |call| run(call, &mut seeded(call)?, $run),
                },
            )+
            $(Function {
                name: concat!("np.random.", $old),
                parameters: $old_parameters,
                facts: $old_facts,
                run: |call| run(call, &mut shared_generator(), $old_run),
            },)+
            $(Function {
                name: concat!("np.random.Generator.", $new),
                parameters: concat!("seed ", $new_parameters),
                facts: $new_facts,
                run: |call| run(call, &mut seeded(call)?, $new_run),
            },)+
            Function { name: "np.random.seed", parameters: "seed?", facts: NATIVE, run: begin },
            Function { name: "np.random.get_state", parameters: "legacy=True", facts: NATIVE, run: |_| Ok(state()) },
            Function { name: "np.random.set_state", parameters: "state", facts: NATIVE, run: resume },
        ];

        /// What a generator draws: the name, its parameters, how.
        static DRAWS: &[(&str, &str, Run)] = &[
            $((concat!("np.random.Generator.", $name), $parameters, $run),)+
            $((concat!("np.random.Generator.", $new), $new_parameters, $new_run),)+
        ];
    };
}

type Run = fn(&Bound<'_>, &mut Draw<'_>) -> Result<Array>;

fn run(call: &Bound<'_>, generator: &mut Generator, run: Run) -> Result<Value> {
    let dtype = call.dtype("dtype")?;
    let fits = |dtype: DType| matches!(dtype, DType::F32 | DType::F64);
    if let Some(dtype) = dtype.filter(|&dtype| !fits(dtype))
        && call.op().starts_with("np.random.Generator.")
        && call.op() != "np.random.Generator.integers"
    {
        return Err(call.type_error(format!("drawn are float32 and float64, not {dtype}")));
    }
    run(call, &mut generator.maybe_dtype(dtype)).map(Value::Array)
}

/// Draws from a generator, by the name of a method of `np.random.Generator`.
///
/// - **Errors**: [`Error::Unsupported`](ndany_core::Error::Unsupported) for a name that is not known here; otherwise what the draw
///   reports.
///
/// ```
/// use ndany::call::{Value, draw};
/// use ndany::prelude::*;
/// let mut generator = Generator::new(7);
/// let drawn = draw(&mut generator, "random", &[Value::from(3)], &[])?.into_array().expect("an array");
/// assert!(drawn.array_equal(&Generator::new(7).random(3))?);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn draw(
    generator: &mut Generator,
    name: &str,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let known = |op: &str| op.rsplit_once('.').is_some_and(|(_, own)| own == name);
    let Some(&(op, parameters, draw)) = DRAWS.iter().find(|(op, ..)| known(op)) else {
        return Err(ndany_core::Error::Unsupported {
            op: format!("np.random.Generator.{name}"),
            reason: "generators have no method of this name".to_string(),
        });
    };
    let parameters = Parameters::parse(parameters);
    run(&Bound::new(op, &parameters, args, kwargs)?, generator, draw)
}

/// One parameter, two, or three, and a size.
type One = fn(&mut Draw<'_>, Operand, &[usize]) -> Result<Array>;
type Two = fn(&mut Draw<'_>, Operand, Operand, &[usize]) -> Result<Array>;
type Three = fn(&mut Draw<'_>, Operand, Operand, Operand, &[usize]) -> Result<Array>;

fn one(call: &Bound<'_>, draw: &mut Draw<'_>, names: [(&str, f64); 1], run: One) -> Result<Array> {
    let ([a], shape) = given(call, names)?;
    run(draw, a, &shape)
}

fn two(call: &Bound<'_>, draw: &mut Draw<'_>, names: [(&str, f64); 2], run: Two) -> Result<Array> {
    let ([a, b], shape) = given(call, names)?;
    run(draw, a, b, &shape)
}

fn three(
    call: &Bound<'_>,
    draw: &mut Draw<'_>,
    names: [(&str, f64); 3],
    run: Three,
) -> Result<Array> {
    let ([a, b, c], shape) = given(call, names)?;
    run(draw, a, b, c, &shape)
}

/// Parameters by name, or what they are where they are not given, and the shape: `size`, or what they broadcast to.
fn given<const N: usize>(
    call: &Bound<'_>,
    names: [(&str, f64); N],
) -> Result<([Operand; N], Shape)> {
    let mut operands = Vec::with_capacity(N);
    for (name, default) in names {
        operands.push(match call.get(name) {
            Some(value) => call.operand_of(name, value)?,
            None => Operand::from(default),
        });
    }
    let shapes: Vec<&[usize]> = operands.iter().map(Operand::shape).collect();
    let shape = sized(call, &shapes)?;
    match operands.try_into() {
        Ok(operands) => Ok((operands, shape)),
        Err(_) => unreachable!("as many as names"),
    }
}

fn sized(call: &Bound<'_>, shapes: &[&[usize]]) -> Result<Shape> {
    match call.some("size") {
        Some(_) => call.shape("size"),
        None => {
            shapes.iter().try_fold(Shape::new(), |all, shape| broadcast(call.op(), &all, shape))
        }
    }
}

draws! {
    both:
    "beta" NATIVE.waits("always"), "a b size?" =>
        |call, draw| two(call, draw, [("a", 0.0), ("b", 0.0)], |d, a, b, s| d.try_beta(a, b, s));
    "binomial" NATIVE.waits("where values may be refused"), "n p size?" =>
        |call, draw| two(call, draw, [("n", 0.0), ("p", 0.0)], |d, n, p, s| d.try_binomial(n, p, s));
    "bytes" NATIVE, "length" => |call, draw| draw.try_bytes(count(call, "length")?);
    "chisquare" NATIVE.waits("always"), "df size?" =>
        |call, draw| one(call, draw, [("df", 0.0)], |d, df, s| d.try_chisquare(df, s));
    "choice" NATIVE.waits("with replacement, and for few of many"), "a size? replace? p? axis? shuffle?" => choice;
    "dirichlet" NATIVE.waits("always"), "alpha size?" => |call, draw| {
        let alpha = call.array("alpha")?;
        if alpha.ndim() > 1 {
            return Err(call.value_error("alpha has one axis"));
        }
        let lead = &alpha.shape()[..alpha.ndim().saturating_sub(1)];
        draw.try_dirichlet(&alpha, sized(call, &[lead])?.as_slice())
    };
    "exponential" NATIVE.waits("for arrays"), "scale? size?" =>
        |call, draw| one(call, draw, [("scale", 1.0)], |d, scale, s| d.try_exponential(scale, s));
    "f" NATIVE.waits("always"), "dfnum dfden size?" =>
        |call, draw| two(call, draw, [("dfnum", 0.0), ("dfden", 0.0)], |d, n, m, s| d.try_f(n, m, s));
    "gamma" NATIVE.waits("always"), "shape scale? size?" => |call, draw| {
        two(call, draw, [("shape", 0.0), ("scale", 1.0)], |d, k, scale, s| d.try_gamma(k, scale, s))
    };
    "geometric" NATIVE.waits("for arrays"), "p size?" =>
        |call, draw| one(call, draw, [("p", 0.0)], |d, p, s| d.try_geometric(p, s));
    "gumbel" NATIVE.waits("for arrays"), "loc? scale? size?" =>
        |call, draw| two(call, draw, PLACE, |d, loc, scale, s| d.try_gumbel(loc, scale, s));
    "hypergeometric" NATIVE.waits("where values may be refused"), "ngood nbad nsample size?" => |call, draw| {
        let names = [("ngood", 0.0), ("nbad", 0.0), ("nsample", 0.0)];
        three(call, draw, names, |d, good, bad, sample, s| {
            d.try_hypergeometric(good, bad, sample, s)
        })
    };
    "laplace" NATIVE.waits("for arrays"), "loc? scale? size?" =>
        |call, draw| two(call, draw, PLACE, |d, loc, scale, s| d.try_laplace(loc, scale, s));
    "logistic" NATIVE.waits("for arrays"), "loc? scale? size?" =>
        |call, draw| two(call, draw, PLACE, |d, loc, scale, s| d.try_logistic(loc, scale, s));
    "lognormal" NATIVE.waits("for arrays"), "mean? sigma? size?" => |call, draw| {
        two(call, draw, [("mean", 0.0), ("sigma", 1.0)], |d, mean, sigma, s| {
            d.try_lognormal(mean, sigma, s)
        })
    };
    "logseries" NATIVE.waits("for arrays"), "p size?" =>
        |call, draw| one(call, draw, [("p", 0.0)], |d, p, s| d.try_logseries(p, s));
    "multinomial" NATIVE.waits("always"), "n pvals size?" => |call, draw| {
        let (n, p) = (call.operand("n")?, call.array("pvals")?);
        if p.ndim() > 1 && call.op() == "np.random.multinomial" {
            return Err(call.value_error("pvals has one axis"));
        }
        let lead = &p.shape()[..p.ndim().saturating_sub(1)];
        let shape = sized(call, &[n.shape(), lead])?;
        draw.try_multinomial(n, &p, shape.as_slice())
    };
    "multivariate_normal" NATIVE.waits("always"), "mean cov size? check_valid? tol=1e-08 * method?" => |call, draw| {
        if !["warn", "raise"].contains(&call.text("check_valid", "raise")?) {
            return Err(call.unsupported("check_valid other than warn, which raises, and raise"));
        }
        if !["svd", "eigh", "cholesky"].contains(&call.text("method", "cholesky")?) {
            return Err(call.value_error("method must be svd, eigh or cholesky"));
        }
        let (mean, covariance) = (call.array("mean")?, call.array("cov")?);
        draw.try_multivariate_normal(&mean, &covariance, sized(call, &[])?.as_slice())
    };
    "negative_binomial" NATIVE.waits("always"), "n p size?" => |call, draw| {
        two(call, draw, [("n", 0.0), ("p", 0.0)], |d, n, p, s| d.try_negative_binomial(n, p, s))
    };
    "noncentral_chisquare" NATIVE.waits("always"), "df nonc size?" => |call, draw| {
        two(call, draw, [("df", 0.0), ("nonc", 0.0)], |d, df, nonc, s| {
            d.try_noncentral_chisquare(df, nonc, s)
        })
    };
    "noncentral_f" NATIVE.waits("always"), "dfnum dfden nonc size?" => |call, draw| {
        let names = [("dfnum", 0.0), ("dfden", 0.0), ("nonc", 0.0)];
        three(call, draw, names, |d, n, m, nonc, s| d.try_noncentral_f(n, m, nonc, s))
    };
    "normal" NATIVE.waits("for arrays"), "loc? scale? size?" =>
        |call, draw| two(call, draw, PLACE, |d, loc, scale, s| d.try_normal(loc, scale, s));
    "pareto" NATIVE.waits("for arrays"), "a size?" => |call, draw| one(call, draw, [("a", 0.0)], |d, a, s| d.try_pareto(a, s));
    "permutation" NATIVE, "x axis?" => |call, draw| match call.get("x") {
        Some(Value::Scalar(_)) => draw.try_permutation(count(call, "x")?),
        _ => draw.try_shuffled(&call.array("x")?, call.int("axis")?.unwrap_or(0)),
    };
    "poisson" NATIVE.waits("where values may be refused"), "lam? size?" =>
        |call, draw| one(call, draw, [("lam", 1.0)], |d, mean, s| d.try_poisson(mean, s));
    "power" NATIVE.waits("for arrays"), "a size?" => |call, draw| one(call, draw, [("a", 0.0)], |d, a, s| d.try_power(a, s));
    "random" NATIVE, "size? dtype? out=None" => |call, draw| draw.try_random(sized(call, &[])?.as_slice());
    "rayleigh" NATIVE.waits("for arrays"), "scale? size?" =>
        |call, draw| one(call, draw, [("scale", 1.0)], |d, scale, s| d.try_rayleigh(scale, s));
    "shuffle" NATIVE, "x axis?" =>
        |call, draw| draw.try_shuffled(&call.array("x")?, call.int("axis")?.unwrap_or(0));
    "standard_cauchy" NATIVE, "size? dtype?" =>
        |call, draw| draw.try_standard_cauchy(sized(call, &[])?.as_slice());
    "standard_exponential" NATIVE, "size? dtype? method? out=None" => |call, draw| {
        if !["zig", "inv"].contains(&call.text("method", "inv")?) {
            return Err(call.value_error("method must be zig or inv"));
        }
        draw.try_standard_exponential(sized(call, &[])?.as_slice())
    };
    "standard_gamma" NATIVE.waits("always"), "shape size? dtype? out=None" =>
        |call, draw| one(call, draw, [("shape", 0.0)], |d, k, s| d.try_standard_gamma(k, s));
    "standard_normal" NATIVE, "size? dtype? out=None" =>
        |call, draw| draw.try_standard_normal(sized(call, &[])?.as_slice());
    "standard_t" NATIVE.waits("always"), "df size?" =>
        |call, draw| one(call, draw, [("df", 0.0)], |d, df, s| d.try_standard_t(df, s));
    "triangular" NATIVE.waits("for arrays"), "left mode right size?" => |call, draw| {
        let names = [("left", 0.0), ("mode", 0.0), ("right", 0.0)];
        three(call, draw, names, |d, left, mode, right, s| d.try_triangular(left, mode, right, s))
    };
    "uniform" NATIVE.waits("for arrays"), "low? high? size?" => |call, draw| {
        two(call, draw, [("low", 0.0), ("high", 1.0)], |d, low, high, s| d.try_uniform(low, high, s))
    };
    "vonmises" NATIVE.waits("always"), "mu kappa size?" => |call, draw| {
        two(call, draw, [("mu", 0.0), ("kappa", 0.0)], |d, mu, kappa, s| d.try_vonmises(mu, kappa, s))
    };
    "wald" NATIVE.waits("for arrays"), "mean scale size?" => |call, draw| {
        two(call, draw, [("mean", 0.0), ("scale", 0.0)], |d, mean, scale, s| {
            d.try_wald(mean, scale, s)
        })
    };
    "weibull" NATIVE.waits("for arrays"), "a size?" =>
        |call, draw| one(call, draw, [("a", 0.0)], |d, a, s| d.try_weibull(a, s));
    "zipf" NATIVE.waits("always"), "a size?" => |call, draw| one(call, draw, [("a", 0.0)], |d, a, s| d.try_zipf(a, s));

    legacy:
    "rand" NATIVE, "..." => |call, draw| draw.try_random(dimensions(call)?.as_slice());
    "randn" NATIVE, "..." => |call, draw| draw.try_standard_normal(dimensions(call)?.as_slice());
    "randint" NATIVE.waits("always"), "low high? size? dtype?" => |call, draw| integers(call, draw, 0, false);
    "random_integers" NATIVE.waits("always"), "low high? size?" => |call, draw| integers(call, draw, 1, true);
    "random_sample" NATIVE, "size?" => |call, draw| draw.try_random(sized(call, &[])?.as_slice());
    "ranf" NATIVE, "size?" => |call, draw| draw.try_random(sized(call, &[])?.as_slice());
    "sample" NATIVE, "size?" => |call, draw| draw.try_random(sized(call, &[])?.as_slice());

    modern:
    "integers" NATIVE.waits("always"), "low high? size? dtype? endpoint?" => |call, draw| {
        let closed = call.flag("endpoint", false)?;
        integers(call, draw, 0, closed)
    };
    "multivariate_hypergeometric" NATIVE.waits("always"), "colors nsample size? method?" => |call, draw| {
        if !["marginals", "count"].contains(&call.text("method", "marginals")?) {
            return Err(call.value_error("method must be marginals or count"));
        }
        let (colors, sample) = (call.array("colors")?, call.operand("nsample")?);
        let lead = &colors.shape()[..colors.ndim().saturating_sub(1)];
        let shape = sized(call, &[sample.shape(), lead])?;
        draw.try_multivariate_hypergeometric(&colors, sample, shape.as_slice())
    };
    "permuted" NATIVE, "x * axis? out=None" => |call, draw| {
        draw.try_permuted(&call.array("x")?, AxisOptions::from(call.some_int("axis")?))
    };
}

const PLACE: [(&str, f64); 2] = [("loc", 0.0), ("scale", 1.0)];

fn count(call: &Bound<'_>, name: &str) -> Result<usize> {
    match call.some(name) {
        Some(value) => call.count(name, value),
        None => Err(call.type_error(format!("{name} must be an integer"))),
    }
}

/// Extents given one by one.
fn dimensions(call: &Bound<'_>) -> Result<Shape> {
    call.rest.iter().map(|value| call.count("an extent", value)).collect()
}

/// `integers(high)`, `integers(low, high)`: of numbers, or of arrays.
fn integers(call: &Bound<'_>, draw: &mut Draw<'_>, first: i64, closed: bool) -> Result<Array> {
    let low = call.operand("low")?;
    let (low, high) = match call.some("high") {
        Some(high) => (low, call.operand_of("high", high)?),
        None => (Operand::from(first), low),
    };
    let shape = sized(call, &[low.shape(), high.shape()])?;
    match closed {
        true => draw.try_integers(low..=high, shape.as_slice()),
        false => draw.try_integers(low..high, shape.as_slice()),
    }
}

fn choice(call: &Bound<'_>, draw: &mut Draw<'_>) -> Result<Array> {
    let from: Population = match call.get("a") {
        Some(Value::Scalar(number)) if matches!(number.kind(), Kind::Float | Kind::Complex) => {
            return Err(call.value_error("a is a number of elements, or an array"));
        }
        Some(Value::Scalar(_)) => count(call, "a")?.into(),
        _ => {
            let a = call.array("a")?;
            if a.ndim() > 1 && call.op() == "np.random.choice" {
                return Err(call.value_error("a has one axis"));
            }
            a.into()
        }
    };
    // Any order is allowed, since none was requested.
    call.flag("shuffle", true)?;
    let mut choice = Choice::new().replace(call.flag("replace", true)?);
    if call.some("p").is_some() {
        let p = call.array("p")?.try_astype(DType::F64)?;
        let total = p.try_sum(..)?.item::<f64>()?;
        // As near to 1 as NumPy asks for.
        if (total - 1.0).abs() > f64::EPSILON.sqrt() {
            return Err(call.value_error(format!("p adds up to {total}, not to 1")));
        }
        choice = choice.p(&p);
    }
    let choice = choice.axis(call.int("axis")?.unwrap_or(0));
    draw.try_choice(from, sized(call, &[])?.as_slice(), choice)
}

fn seed_of(call: &Bound<'_>) -> Result<Option<u64>> {
    let Some(value) = call.some("seed") else { return Ok(None) };
    let seed = call.int_of("seed", value)?;
    match u64::try_from(seed) {
        Ok(seed) => Ok(Some(seed)),
        Err(_) => Err(call.value_error(format!("seed is {seed}, not from 0 to 2^64 - 1"))),
    }
}

/// The generator that a call's first argument names.
fn seeded(call: &Bound<'_>) -> Result<Generator> {
    Ok(crate::random::default_rng(seed_of(call)?))
}

fn begin(call: &Bound<'_>) -> Result<Value> {
    let seed = seed_of(call)?;
    if seed.is_some_and(|seed| u32::try_from(seed).is_err()) {
        return Err(call.value_error("seed is not from 0 to 2^32 - 1"));
    }
    *shared_generator() = crate::random::default_rng(seed);
    Ok(Value::None)
}

/// Name, seed, stream and position.
fn state() -> Value {
    let generator = shared_generator();
    let number = |value: u64| Value::Scalar(Scalar::weak_int(i128::from(value)));
    Value::Tuple(vec![
        Value::from("Philox4x32"),
        number(generator.seed()),
        number(u64::from(generator.stream_number())),
        number(generator.position()),
    ])
}

fn resume(call: &Bound<'_>) -> Result<Value> {
    let Some(Value::Tuple(items) | Value::List(items)) = call.get("state") else {
        return Err(call.type_error("state must be what get_state gave"));
    };
    let number = |value: &Value| match value {
        Value::Scalar(scalar) => match scalar.number() {
            Number::Int(value) => u64::try_from(value).ok(),
            Number::Bool(_) | Number::Float(_) | Number::Complex(..) => None,
        },
        _ => None,
    };
    let numbers: Option<Vec<u64>> = items.iter().skip(1).map(number).collect();
    let made = match (items.first(), numbers.as_deref()) {
        (Some(Value::Str(name)), Some(&[seed, stream, position])) if name == "Philox4x32" => {
            u32::try_from(stream)
                .ok()
                .map(|stream| Generator::new(seed).stream(stream).at(position))
        }
        _ => None,
    };
    let Some(made) = made else {
        return Err(call.value_error("state is not what get_state gave"));
    };
    *shared_generator() = made;
    Ok(Value::None)
}
