//! Programs of many steps, as `fuzz/programs.py` makes them, on several devices: what a program reads is what NumPy has,
//! and the same bits on each device.
//!
//! The format is a line of JSON for each program: its seed, and steps that make, write, drop and read numbered values. A
//! step has its own text, as a person reads it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ndany::call::{Value, call};
use ndany::{Array, Index, Operand, Scalar, checked};
use serde_json::Value as Json;

use crate::argument::Argument;
use crate::compare::{ExpectedValue, Outcome, judge};
use crate::engine::{Engine, dtype_of, host};
use crate::host::{Dtype, HostArray};
use crate::tolerance::Tolerance;

/// A device, and how programs run there.
pub struct Configuration {
    /// Its name, with `eager ` in front if every value is computed at once.
    pub name: String,
    engine: Engine,
    eager: bool,
}

impl Configuration {
    /// Of a device's name, perhaps with `eager ` in front.
    ///
    /// # Errors
    /// No such device here.
    pub fn open(name: &str) -> Result<Self, String> {
        let (eager, device) = match name.strip_prefix("eager ") {
            Some(device) => (true, device),
            None => (false, name),
        };
        Ok(Self { name: name.to_owned(), engine: Engine::open(device)?, eager })
    }
}

/// An argument of a step.
enum Arg {
    Of(usize),
    Many(Vec<Arg>),
    Constant(Argument),
}

enum Step {
    Leaf { to: usize, array: HostArray },
    Call { to: Option<usize>, name: String, args: Vec<Arg>, kwargs: Vec<(String, Arg)> },
    Write { to: usize, op: String, set: bool, index: Vec<Argument>, value: Arg },
    Drop { of: usize },
    Again { to: usize, of: usize },
    Read { of: usize },
}

/// What is known of what a step reads.
enum Known {
    /// Nothing but that all devices agree.
    Agreement,
    Expected(ExpectedValue, Tolerance),
}

/// A program and what NumPy makes of it.
pub struct Program {
    /// Its number.
    pub seed: u64,
    steps: Vec<(Step, Option<Known>)>,
    texts: Vec<String>,
}

/// What a run has read, by the steps that read.
type Reads = BTreeMap<usize, Outcome>;

/// How many of them were compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Reads beside NumPy's values.
    pub judged: u64,
    /// Reads beside the first configuration's.
    pub compared: u64,
}

fn argument(json: &Json) -> Result<Arg, String> {
    if let Some(number) = json.get("var").and_then(Json::as_u64) {
        return Ok(Arg::Of(number as usize));
    }
    match json.get("tuple").or(json.get("list")).and_then(Json::as_array) {
        Some(items) if items.iter().any(|item| item.get("var").is_some()) => {
            Ok(Arg::Many(items.iter().map(argument).collect::<Result<_, _>>()?))
        }
        Some(_) | None => Ok(Arg::Constant(Argument::parse(json)?)),
    }
}

fn array(json: &Json) -> Result<HostArray, String> {
    let name = json["dtype"].as_str().unwrap_or_default();
    let dtype = Dtype::from_name(name).ok_or_else(|| format!("unknown dtype {name:?}"))?;
    let shape = json["shape"].as_array().ok_or("no shape")?;
    let shape = shape.iter().map(|extent| extent.as_u64().unwrap_or(0) as usize).collect();
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let digits = json["hex"].as_str().ok_or("no bytes")?.as_bytes();
    let bytes = digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
    let bytes = bytes.collect::<Option<Vec<u8>>>().ok_or("bytes that are none")?;
    HostArray::new(dtype, shape, bytes).map_err(|error| error.to_string())
}

impl Program {
    /// A program of its line.
    ///
    /// # Errors
    /// It is not one; in words.
    pub fn parse(line: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let seed = json["seed"].as_u64().ok_or("no seed")?;
        let steps = json["steps"].as_array().ok_or("no steps")?;
        let text = |step: &Json| step["text"].as_str().unwrap_or("?").to_owned();
        let texts = steps.iter().map(text).collect();
        let steps = steps.iter().map(step).collect::<Result<_, _>>()?;
        Ok(Self { seed, steps, texts })
    }

    /// The program up to a step, as a person reads it.
    fn listing(&self, last: usize) -> String {
        self.texts[..=last].iter().fold(String::new(), |mut all, text| {
            let _ = writeln!(all, "    {text}");
            all
        })
    }

    /// Runs it on each configuration; the first thing that is wrong, with the program in front of it.
    ///
    /// # Errors
    /// A value that is not NumPy's, or not that of the first configuration.
    pub fn check(&self, all: &[Configuration]) -> Result<Counts, String> {
        let mut counts = Counts::default();
        let mut first: Option<(&str, Reads)> = None;
        for configuration in all {
            let reads = self.run(configuration);
            for (&step, outcome) in &reads {
                let wrong = |what: String| {
                    let (seed, listing) = (self.seed, self.listing(step));
                    format!("program {seed} on {}: {what}\n{listing}", configuration.name)
                };
                match (&self.steps[step].1, outcome) {
                    (Some(Known::Expected(wanted, tolerance)), _) => {
                        counts.judged += 1;
                        judge("read", None, outcome, wanted, tolerance)
                            .map_err(|error| wrong(format!("NumPy differs: {error}")))?;
                    }
                    (Some(Known::Agreement), Outcome::Array(_)) => {}
                    (Some(Known::Agreement) | None, other) => {
                        return Err(wrong(format!("NumPy has a value here: got {other:?}")));
                    }
                }
                if let Some((name, first)) = &first {
                    counts.compared += 1;
                    same(first.get(&step), outcome)
                        .map_err(|error| wrong(format!("{name} differs: {error}")))?;
                }
            }
            first.get_or_insert((&configuration.name, reads));
        }
        Ok(counts)
    }

    /// What it reads; after a panic nothing.
    fn run(&self, configuration: &Configuration) -> Reads {
        let mut reads = Reads::new();
        let mut values = BTreeMap::new();
        let _guard = configuration.engine.device().enter();
        for (number, (step, known)) in self.steps.iter().enumerate() {
            let done = catch_unwind(AssertUnwindSafe(|| {
                let made = apply(step, &mut values, configuration)?;
                match (step, made) {
                    (Step::Read { .. } | Step::Call { to: None, .. }, Some(array)) => {
                        host(&array).map(|array| Some(Outcome::Array(array)))
                    }
                    _ => Ok(None),
                }
            }));
            let outcome = match done {
                Ok(Ok(None)) => continue,
                Ok(Ok(Some(outcome))) => outcome,
                Ok(Err(error)) => {
                    Outcome::Error { class: error.class().to_owned(), message: error.to_string() }
                }
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or(panic.downcast_ref::<&str>().copied());
                    let message = text.unwrap_or("without words").to_owned();
                    Outcome::Error { class: "panic".to_owned(), message }
                }
            };
            let goes_on = known.is_some();
            reads.insert(number, outcome);
            if !goes_on {
                // A step that should have worked.
                break;
            }
        }
        reads
    }
}

fn step(json: &Json) -> Result<(Step, Option<Known>), String> {
    let number = |key: &str| {
        let number = json[key].as_u64().map(|number| number as usize);
        number.ok_or_else(|| format!("no number {key} in {}", json["text"]))
    };
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    let what = json["do"].as_str().unwrap_or_default();
    let step = match what {
        "leaf" => Step::Leaf { to: number("to")?, array: array(json)? },
        "call" | "fails" => Step::Call {
            to: if what == "call" { Some(number("to")?) } else { None },
            name: json["name"].as_str().ok_or("no name")?.to_owned(),
            args: list("args").iter().map(argument).collect::<Result<_, _>>()?,
            kwargs: {
                let kwargs = json["kwargs"].as_object().ok_or("no keywords")?;
                let one = |(key, value): (&String, &Json)| Ok((key.clone(), argument(value)?));
                kwargs.iter().map(one).collect::<Result<_, String>>()?
            },
        },
        "write" => Step::Write {
            to: number("to")?,
            op: json["op"].as_str().ok_or("no operator")?.to_owned(),
            set: json["set"].as_bool().unwrap_or(false),
            index: list("index").iter().map(Argument::parse).collect::<Result<_, _>>()?,
            value: argument(&json["value"])?,
        },
        "drop" => Step::Drop { of: number("var")? },
        "again" => Step::Again { to: number("to")?, of: number("var")? },
        "read" => Step::Read { of: number("var")? },
        other => return Err(format!("unknown step {other:?}")),
    };
    let known = match what {
        "fails" => {
            let class = json["error"].as_str().ok_or("no class")?.to_owned();
            let exact = Tolerance::Exact { signed_zero: true };
            Some(Known::Expected(ExpectedValue::Error(vec![class]), exact))
        }
        "read" if json["want"].is_null() => Some(Known::Agreement),
        "read" => {
            let tolerance = match json.get("near") {
                Some(near) => Tolerance::parse(near)?,
                None => Tolerance::Exact { signed_zero: true },
            };
            Some(Known::Expected(ExpectedValue::Array(array(&json["want"])?), tolerance))
        }
        _ => None,
    };
    Ok((step, known))
}

type Values = BTreeMap<usize, Array>;

fn value(arg: &Arg, values: &Values, engine: &Engine) -> Value {
    match arg {
        Arg::Of(number) => Value::Array(values[number].clone()),
        Arg::Many(items) => {
            Value::Tuple(items.iter().map(|item| value(item, values, engine)).collect())
        }
        Arg::Constant(argument) => engine.constant(argument).expect("no array"),
    }
}

fn index(item: &Argument, engine: &Engine) -> Index {
    let bound = |bound: Option<Scalar>| {
        bound.map(|bound| match bound.number() {
            ndany::Number::Int(position) => position as isize,
            other => panic!("no index: {other:?}"),
        })
    };
    match engine.constant(item).expect("no array") {
        Value::Slice { start, stop, step } => {
            Index::Slice { start: bound(start), stop: bound(stop), step: bound(step).unwrap_or(1) }
        }
        Value::Ellipsis => Index::Ellipsis,
        Value::NewAxis => Index::NewAxis,
        Value::Scalar(scalar) => match scalar.number() {
            ndany::Number::Int(position) => Index::At(position as isize),
            other => panic!("no index: {other:?}"),
        },
        other => panic!("no index: {other:?}"),
    }
}

/// What a step makes or reads.
fn apply(
    step: &Step,
    values: &mut Values,
    configuration: &Configuration,
) -> ndany::Result<Option<Array>> {
    let Configuration { engine, eager, .. } = configuration;
    let (to, made) = match step {
        Step::Leaf { to, array } => {
            let dtype = dtype_of(array.dtype());
            let made = Array::from_bytes(dtype, array.shape(), array.bytes(), engine.device())?;
            (Some(*to), made)
        }
        Step::Call { to, name, args, kwargs } => {
            let args: Vec<Value> = args.iter().map(|arg| value(arg, values, engine)).collect();
            let kwargs: Vec<(String, Value)> =
                kwargs.iter().map(|(key, arg)| (key.clone(), value(arg, values, engine))).collect();
            let made = match call(name, &args, &kwargs)? {
                Value::Array(array) => array,
                Value::Scalar(scalar) => ndany::checked::full((), scalar, scalar.natural_dtype())?,
                other => panic!("{name} gives {other:?}"),
            };
            (*to, made)
        }
        Step::Write { to, op, set, index: items, value: by } => {
            let by: Operand = match value(by, values, engine) {
                Value::Array(array) => array.into(),
                Value::Scalar(scalar) => Operand::Scalar(scalar),
                Value::Bool(flag) => Operand::Scalar(flag.into()),
                other => panic!("{other:?} is not written"),
            };
            let items: Vec<Index> = items.iter().map(|item| index(item, engine)).collect();
            // The only handle, if there is no other.
            let mut target = values.remove(to).expect("a value");
            if op == "=" && *set {
                checked::set(&mut target, items.as_slice(), by)?;
            } else {
                let mut view = target.view_mut(items.as_slice());
                match op.as_str() {
                    "=" => checked::assign(&mut view, by)?,
                    "+=" => *view += by,
                    "-=" => *view -= by,
                    "*=" => *view *= by,
                    "|=" => *view |= by,
                    "&=" => *view &= by,
                    "^=" => *view ^= by,
                    other => panic!("no operator {other}"),
                }
            }
            (Some(*to), target)
        }
        Step::Drop { of } => {
            values.remove(of);
            return Ok(None);
        }
        Step::Again { to, of } => (Some(*to), values[of].clone()),
        Step::Read { of } => return Ok(Some(values[of].clone())),
    };
    if *eager {
        // What fails says so where it is read.
        let _ = made.eval();
    }
    match to {
        Some(to) => {
            values.insert(to, made);
            Ok(None)
        }
        None => Ok(Some(made)),
    }
}

/// Whether two outcomes are equal, where all NaNs are one value.
fn same(first: Option<&Outcome>, other: &Outcome) -> Result<(), String> {
    let exact = Tolerance::Exact { signed_zero: true };
    let wanted = match first {
        Some(Outcome::Array(array)) => ExpectedValue::Array(array.clone()),
        Some(Outcome::Error { class, .. }) => ExpectedValue::Error(vec![class.clone()]),
        Some(Outcome::List(_) | Outcome::Unsupported(_)) | None => {
            return Err("it has no such value".to_owned());
        }
    };
    judge("read", None, other, &wanted, &exact).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"seed":7,"steps":[
        {"do":"leaf","to":0,"dtype":"int16","shape":[3],"hex":"010002000300","text":"v0 = ..."},
        {"do":"call","to":1,"name":"np.add","args":[{"var":0},{"scalar":1,"type":"pyint"}],"kwargs":{},"text":"v1 = v0 + 1"},
        {"do":"drop","var":0,"text":"del v0"},
        {"do":"write","to":1,"op":"+=","index":[{"slice":[0,2,null]}],"value":{"scalar":5,"type":"pyint"},"text":"v1[0:2] += 5"},
        {"do":"fails","name":"np.power","args":[{"var":1},{"scalar":-1,"type":"pyint"}],"kwargs":{},"error":"ValueError","text":"v1 ** -1"},
        {"do":"read","var":1,"want":{"dtype":"int16","shape":[3],"hex":"WANTED"},"text":"read v1"}]}"#;

    fn checked(wanted: &str) -> Result<Counts, String> {
        let line = LINE.replace("WANTED", wanted).replace('\n', " ");
        let all =
            ["reference", "cpu", "eager cpu"].map(|name| Configuration::open(name).expect("here"));
        Program::parse(&line).expect("a program").check(&all)
    }

    #[test]
    fn programs_run_and_are_judged() {
        let counts = checked("070008000400").expect("right");
        assert_eq!((counts.judged, counts.compared), (6, 4));
        let wrong = checked("070008000500").expect_err("another value");
        assert!(wrong.contains("program 7 on reference: NumPy differs"), "{wrong}");
        assert!(wrong.contains("    v1[0:2] += 5\n"), "{wrong}");
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let bad = ["", "{}", "{\"seed\":1}", "{\"seed\":1,\"steps\":[{\"do\":\"dance\"}]}"];
        assert!(bad.iter().all(|line| Program::parse(line).is_err()));
        assert!(Program::parse(&LINE.replace("WANTED", "0")).is_err());
    }
}
