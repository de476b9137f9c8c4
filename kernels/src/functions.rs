//! Large loops that stand several times in a program: each is printed once, as a function, and compiled once.
//!
//! Formulas take others in by writing them out, branches included. So an inverse that is found by steps has the formula that it
//! inverts several times, and the compiler's time grows with the text. A loop reads its operands alone, so equal ones, whatever
//! registers they are given, are one function.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ndany_core::program::{Body, Instr, Loop, Op, Prim, Program};

/// Instructions of a loop, those of loops in it included, that are worth a call.
const LEAST: usize = 100;

/// A loop without the registers that it is given.
#[derive(Debug)]
struct Text<'i>(&'i Loop);

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (own, other) = (self.0, other.0);
        own.operands.len() == other.operands.len()
            && (own.state, own.limit) == (other.state, other.limit)
            && own.condition == other.condition
            && own.step == other.step
    }
}
impl Eq for Text<'_> {}
impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let own = self.0;
        (own.operands.len(), own.state, own.limit).hash(hasher);
        own.condition.hash(hasher);
        own.step.hash(hasher);
    }
}

/// The loops of a program that are functions.
#[derive(Debug, Default)]
pub(crate) struct Functions<'i> {
    numbers: HashMap<Text<'i>, usize>,
    /// Those that others call stand before them.
    all: Vec<&'i Loop>,
}

impl<'i> Functions<'i> {
    pub(crate) fn of(program: &'i Program) -> Self {
        let mut seen = Seen::default();
        program.loops.iter().for_each(|own| seen.visit(own));
        let mut functions = Self::default();
        for own in seen.order {
            let worth = weight(own) >= LEAST || always_runs_once(own);
            if seen.counts[&Text(own)] > 1 && worth && reads_operands_alone(own) {
                functions.numbers.insert(Text(own), functions.all.len());
                functions.all.push(own);
            }
        }
        functions
    }

    /// The number of the function that a loop is.
    pub(crate) fn number(&self, own: &Loop) -> Option<usize> {
        if self.numbers.is_empty() {
            return None;
        }
        self.numbers.get(&Text(own)).copied()
    }

    /// In an order in which they can be declared.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &'i Loop)> {
        self.all.iter().copied().enumerate()
    }
}

#[derive(Default)]
struct Seen<'i> {
    counts: HashMap<Text<'i>, usize>,
    order: Vec<&'i Loop>,
}

impl<'i> Seen<'i> {
    /// Counts a loop. What stands in equal ones counts once, since it is printed once.
    fn visit(&mut self, own: &'i Arc<Loop>) {
        let count = self.counts.entry(Text(own)).or_default();
        *count += 1;
        if *count == 1 {
            bodies(own).flat_map(|body| &body.loops).for_each(|inner| self.visit(inner));
            self.order.push(own);
        }
    }
}

fn bodies(own: &Loop) -> impl Iterator<Item = &Body> {
    [&own.condition, &own.step].into_iter()
}

fn weight(own: &Loop) -> usize {
    let of = |body: &Body| {
        body.instrs.len() + body.loops.iter().map(|inner| weight(inner)).sum::<usize>()
    };
    bodies(own).map(of).sum()
}

/// Whether it takes one step whatever its operands are. Formulas say so what they mean as a function: it is one where it stands twice.
fn always_runs_once(own: &Loop) -> bool {
    let Body { instrs, results, .. } = &own.condition;
    let mut needed = vec![false; instrs.len()];
    results.iter().for_each(|&reg| needed[usize::from(reg)] = true);
    for (position, instr) in instrs.iter().enumerate().rev().filter(|_| own.limit == 1) {
        if needed[position] {
            instr
                .args(&own.condition.loops)
                .iter()
                .for_each(|&arg| needed[usize::from(arg)] = true);
        }
    }
    let asks = |(instr, needed): (&Instr, bool)| needed && matches!(instr.op, Op::Argument(_));
    own.limit == 1 && !instrs.iter().zip(needed).any(asks)
}

/// Whether nothing of the kernel is read or written: neither its arguments nor its error word.
fn reads_operands_alone(own: &Loop) -> bool {
    let is_apart = |instr: &Instr| {
        !matches!(
            instr.op,
            Op::Scalar(_) | Op::Gather { .. } | Op::BoundsCheck { .. } | Op::Prim(Prim::IntPow)
        )
    };
    bodies(own).all(|body| {
        body.instrs.iter().all(is_apart)
            && body.loops.iter().all(|inner| reads_operands_alone(inner))
    })
}
