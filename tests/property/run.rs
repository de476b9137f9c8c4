//! Running a program on a device, lazily or step by step.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ndany::call::{Value, call};
use ndany::{Array, DType, Device, Error, Graph, Result, checked};

use crate::composed::composed;
use crate::concurrent;
use crate::program::{Arg, Program, Step};
use crate::target::Target;

/// When values are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All outputs at the end.
    Lazy,
    /// Every value as soon as it is asked for.
    Eager,
    /// Steps in several threads and streams, one after the other.
    InTurn,
    /// Steps in several threads and streams at the same time.
    Beside,
    /// Each output as the result of a graph, which is launched three times; what cannot be recorded, lazily.
    Graph,
}

/// What became of an output.
pub enum Outcome {
    /// Its value number, dtype, shape and bytes.
    Bytes(usize, DType, Vec<usize>, Vec<u8>),
    /// Its value number and the class of its error, or the message of a panic.
    Failed(usize, String),
}

impl Outcome {
    pub fn value(&self) -> usize {
        match self {
            Outcome::Bytes(value, ..) | Outcome::Failed(value, _) => *value,
        }
    }

    pub fn size(&self) -> usize {
        match self {
            Outcome::Bytes(_, _, shape, _) => shape.iter().product(),
            Outcome::Failed(..) => 0,
        }
    }
}

/// A value, or the class of the error that it became when it was asked for.
pub type Slot = Option<Result<Array, String>>;

/// The outcomes of the program's outputs, in order.
pub fn run(program: &Program, target: &Target, mode: Mode) -> Vec<Outcome> {
    let run = || match mode {
        Mode::Lazy | Mode::Eager => outcomes(program, &target.device, mode),
        Mode::Graph => graphs(program, &target.device),
        Mode::InTurn | Mode::Beside => concurrent::outcomes(program, target, mode == Mode::InTurn),
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = message(panic.as_ref());
        let failed = |&value: &usize| Outcome::Failed(value, text.clone());
        program.outputs.iter().map(failed).collect()
    })
}

/// What a panic says.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without words"))
}

/// The outcomes of launches of graphs.
fn graphs(program: &Program, device: &Device) -> Vec<Outcome> {
    let _guard = device.enter();
    let lazily = || outcomes(program, device, Mode::Lazy);
    let mut all = Vec::new();
    for &value in &program.outputs {
        let refused = Cell::new(false);
        let made = Graph::capture("program", [], |_, []| {
            let slots = slots(program, Mode::Lazy, Some(&refused));
            match &slots[value] {
                Some(Ok(array)) => Ok([array.clone()]),
                Some(Err(class)) => {
                    let (op, reason) = ("class".to_string(), class.clone());
                    Err(Error::Arguments { op, reason })
                }
                None => panic!("an output stays"),
            }
        });
        // What reads values on the host computes them lazily.
        if refused.get() {
            return lazily();
        }
        let launched = made.and_then(|graph| {
            graph.launch([])?;
            graph.launch([])?;
            graph.launch([])
        });
        let slot = match launched {
            Ok([array]) => Ok(array),
            Err(Error::Arguments { op, reason }) if op == "class" => Err(reason),
            Err(error) if is_refused(&error) => return lazily(),
            Err(error) => Err(error.class().to_string()),
        };
        all.push(outcome(value, &Some(slot)));
    }
    all
}

/// Whether an error says that something cannot be recorded, or that the device records nothing.
fn is_refused(error: &Error) -> bool {
    match error {
        Error::NotCapturable { .. } => true,
        Error::Unsupported { op, .. } => op == "capture",
        Error::Failed { source, .. } => is_refused(source),
        _ => false,
    }
}

fn outcomes(program: &Program, device: &Device, mode: Mode) -> Vec<Outcome> {
    let _guard = device.enter();
    let slots = slots(program, mode, None);
    program.outputs.iter().map(|&value| outcome(value, &slots[value])).collect()
}

/// The values of a program's steps, of which outputs stay; `refused` is set where a step cannot be recorded.
fn slots(program: &Program, mode: Mode, refused: Option<&Cell<bool>>) -> Vec<Slot> {
    let mut last_use = vec![0; program.steps.len()];
    for (number, step) in program.steps.iter().enumerate() {
        step.uses().iter().for_each(|&used| last_use[used] = number);
        last_use[number] = number;
    }
    let mut slots: Vec<Slot> = Vec::new();
    for (number, step) in program.steps.iter().enumerate() {
        let goes = |value: usize| last_use[value] == number && !program.outputs.contains(&value);
        let slot = match step.uses().iter().find_map(|&used| failure(&slots[used])) {
            Some(class) => Err(class),
            None => apply(step, &mut slots, goes).map_err(|error| {
                if let (true, Some(refused)) = (is_refused(&error), refused) {
                    refused.set(true);
                }
                error.class().to_string()
            }),
        };
        if let (Mode::Eager, Ok(array)) = (mode, &slot) {
            // A failure stays on the array.
            let _ = array.eval();
        }
        slots.push(Some(slot));
        let used: Vec<usize> = step.uses().into_iter().chain([number]).collect();
        used.into_iter().filter(|&value| goes(value)).for_each(|value| slots[value] = None);
    }
    slots
}

/// What became of a value that stays.
pub fn outcome(value: usize, slot: &Slot) -> Outcome {
    match slot.as_ref().expect("an output stays") {
        Ok(array) => match array.to_bytes() {
            Ok(bytes) => Outcome::Bytes(value, array.dtype(), array.shape().to_vec(), bytes),
            Err(error) => Outcome::Failed(value, error.class().to_string()),
        },
        Err(class) => Outcome::Failed(value, class.clone()),
    }
}

/// The class of the error that a value became.
pub fn failure(slot: &Slot) -> Option<String> {
    slot.as_ref().and_then(|slot| slot.as_ref().err().cloned())
}

/// The array of a step. Values that go after this step lend their handles to in-place writes.
pub fn apply(
    step: &Step,
    slots: &mut [Slot],
    goes: impl Fn(usize) -> bool,
) -> ndany::Result<Array> {
    let array = |slots: &[Slot], value: usize| match &slots[value] {
        Some(Ok(array)) => array.clone(),
        Some(Err(_)) | None => panic!("%{value} is gone"),
    };
    let value = |slots: &[Slot], arg: &Arg| match arg {
        Arg::Of(value) => Value::Array(array(slots, *value)),
        Arg::Many(values) => {
            Value::Tuple(values.iter().map(|&value| Value::Array(array(slots, value))).collect())
        }
        Arg::Const(value) => value.clone(),
    };
    let operand = |slots: &[Slot], arg: &Arg| match value(slots, arg) {
        Value::Array(array) => ndany::Operand::from(array),
        Value::Scalar(scalar) => ndany::Operand::Scalar(scalar),
        other => panic!("{other:?} is not written into arrays"),
    };
    match step {
        Step::Leaf { dtype, shape, bytes } => {
            Array::from_bytes(*dtype, shape, bytes, &Device::current())
        }
        Step::Composed { what, args } => {
            let args: Vec<Array> = args.iter().map(|&arg| array(slots, arg)).collect();
            composed(*what, &args)
        }
        Step::Kernel { kernel, args, axes } => {
            let args: Vec<Array> = args.iter().map(|&arg| array(slots, arg)).collect();
            kernel.call(&args, axes)
        }
        Step::Call { name, args, kwargs } => {
            let args: Vec<Value> = args.iter().map(|arg| value(slots, arg)).collect();
            let kwargs: Vec<(String, Value)> =
                kwargs.iter().map(|(name, arg)| (name.to_string(), value(slots, arg))).collect();
            call(name, &args, &kwargs).map(|value| value.into_array().expect("calls give arrays"))
        }
        Step::Set { target, index, value } => {
            let value = operand(slots, value);
            let mut array = take(slots, *target, goes(*target));
            checked::set(&mut array, index.as_slice(), value)?;
            Ok(array)
        }
        Step::Update { target, index, op, value } => {
            let value = operand(slots, value);
            let mut array = take(slots, *target, goes(*target));
            // Errors of operators are panics, and would hide the class.
            array.eval()?;
            if let ndany::Operand::Array(value) = &value {
                value.eval()?;
            }
            {
                let mut view = array.view_mut(index.as_slice());
                match *op {
                    "+=" => *view += value,
                    "-=" => *view -= value,
                    "*=" => *view *= value,
                    "|=" => *view |= value,
                    "^=" => *view ^= value,
                    other => panic!("no operator {other}"),
                }
            }
            Ok(array)
        }
    }
}

/// The array of a slot: the handle itself where it is not needed any more.
fn take(slots: &mut [Slot], value: usize, goes: bool) -> Array {
    let slot = if goes { slots[value].take() } else { slots[value].clone() };
    match slot {
        Some(Ok(array)) => array,
        Some(Err(_)) | None => panic!("%{value} is gone"),
    }
}
