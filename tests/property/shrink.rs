//! Making a failing program small: what the failing value does not need goes, and steps whose value
//! may as well be a constant become one.

use crate::compare::{Difference, difference};
use crate::program::{Arg, Program, Step};
use crate::run::{Mode, Outcome, run};
use crate::target::Target;

/// The smallest program found that still differs, and how.
pub fn shrink(
    program: &Program,
    value: usize,
    [reference, device]: [&Target; 2],
    how: (Mode, u64),
    found: Difference,
) -> (Program, Difference) {
    let mut best = (program.clone(), found);
    let attempt = |candidate: Program, best: &mut (Program, Difference)| {
        if let Some(found) = differs(&candidate, reference, device, how) {
            *best = (candidate, found);
            return true;
        }
        false
    };
    let alone = Program { outputs: vec![value], ..program.clone() };
    attempt(prune(&alone), &mut best);
    // The first value that differs by itself.
    for number in 0..best.0.steps.len() {
        let earlier = Program { outputs: vec![number], ..best.0.clone() };
        if attempt(prune(&earlier), &mut best) {
            break;
        }
    }
    // A lucky change makes others possible.
    for _ in 0..2 {
        for position in (0..best.0.outputs.len()).rev() {
            let mut fewer = best.0.clone();
            if best.0.outputs.len() > 1 {
                fewer.outputs.remove(position);
                attempt(prune(&fewer), &mut best);
            }
        }
        for number in (0..best.0.steps.len()).rev() {
            if number < best.0.steps.len()
                && let Some(cut) = cut(&best.0, reference, number)
            {
                attempt(prune(&cut), &mut best);
            }
        }
    }
    best
}

fn differs(
    program: &Program,
    reference: &Target,
    device: &Target,
    (mode, seed): (Mode, u64),
) -> Option<Difference> {
    let expected = run(program, reference, Mode::Eager);
    // What depends on an order does not show in each of them.
    let times = if matches!(mode, Mode::InTurn | Mode::Beside) { 5 } else { 1 };
    (0..times).find_map(|time| {
        if !device.begin(seed + (time << 32)) {
            return None;
        }
        let got = run(program, device, mode);
        expected.iter().zip(&got).find_map(|(want, have)| difference(want, have))
    })
}

/// Without the steps that no output needs.
fn prune(program: &Program) -> Program {
    let mut needed = vec![false; program.steps.len()];
    program.outputs.iter().for_each(|&output| needed[output] = true);
    for number in (0..program.steps.len()).rev() {
        if needed[number] {
            program.steps[number].uses().iter().for_each(|&used| needed[used] = true);
        }
    }
    let mut number = 0;
    let numbers: Vec<usize> = needed
        .iter()
        .map(|&needed| {
            number += usize::from(needed);
            number.saturating_sub(1)
        })
        .collect();
    let steps = program.steps.iter().zip(&needed).filter(|(_, needed)| **needed);
    let schedules = program.schedules.iter().zip(&needed).filter(|(_, needed)| **needed);
    Program {
        steps: steps.map(|(step, _)| renumber(step, &numbers)).collect(),
        schedules: schedules.map(|(schedule, _)| *schedule).collect(),
        outputs: program.outputs.iter().map(|&output| numbers[output]).collect(),
    }
}

fn renumber(step: &Step, numbers: &[usize]) -> Step {
    let of = |arg: &Arg| match arg {
        Arg::Of(value) => Arg::Of(numbers[*value]),
        Arg::Many(values) => Arg::Many(values.iter().map(|&value| numbers[value]).collect()),
        Arg::Const(value) => Arg::Const(value.clone()),
    };
    match step {
        Step::Leaf { .. } => step.clone(),
        Step::Composed { what, args } => {
            Step::Composed { what: *what, args: args.iter().map(|&arg| numbers[arg]).collect() }
        }
        Step::Kernel { kernel, args, axes } => Step::Kernel {
            kernel: *kernel,
            args: args.iter().map(|&arg| numbers[arg]).collect(),
            axes: axes.clone(),
        },
        Step::Call { name, args, kwargs } => Step::Call {
            name,
            args: args.iter().map(of).collect(),
            kwargs: kwargs.iter().map(|(name, arg)| (*name, of(arg))).collect(),
        },
        Step::Set { target, index, value } => {
            Step::Set { target: numbers[*target], index: index.clone(), value: of(value) }
        }
        Step::Update { target, index, op, value } => {
            Step::Update { target: numbers[*target], index: index.clone(), op, value: of(value) }
        }
    }
}

/// The program with the value of one step as a constant.
fn cut(program: &Program, reference: &Target, number: usize) -> Option<Program> {
    if matches!(program.steps[number], Step::Leaf { .. }) {
        return None;
    }
    let alone = Program { outputs: vec![number], ..program.clone() };
    match run(&alone, reference, Mode::Eager).pop()? {
        Outcome::Bytes(_, dtype, shape, bytes) => {
            let mut cut = program.clone();
            cut.steps[number] = Step::Leaf { dtype, shape, bytes };
            Some(cut)
        }
        Outcome::Failed(..) => None,
    }
}
