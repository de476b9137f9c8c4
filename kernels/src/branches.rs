//! In which order the registers of an element are printed: what only the slow side of `SelectSlowPath` is made of
//! stands in a branch, which lanes enter together or not at all.
//!
//! Selects with one condition share a branch, since formulas often need two results of their slow path. Deliberately
//! absent: a judgement how often; the primitive states it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use std::sync::Arc;

use ndany_core::program::{Instr, Loop, Op, Prim, Reg};

use crate::text::type_of;

/// Registers that a branch must save, or else all are computed.
const LEAST: usize = 8;

/// What is printed next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A register.
    Register(usize),
    /// Selects of one condition, and what only their slow sides need.
    Branch { condition: Reg, inside: Vec<Line>, selects: Vec<usize> },
}

/// Prints lines, whose registers are called `{prefix}{register}`; `register` prints one register.
pub(crate) fn print(
    lines: &[Line],
    instrs: &[Instr],
    out: &mut String,
    prefix: &str,
    register: &mut impl FnMut(&mut String, usize),
) {
    for line in lines {
        match line {
            Line::Register(reg) => register(out, *reg),
            Line::Branch { condition, inside, selects } => {
                for &select in selects {
                    let (ty, common) = (type_of(instrs[select].ty), instrs[select].args[2]);
                    let _ = writeln!(out, "{ty} {prefix}{select} = {prefix}{common};");
                }
                let _ = writeln!(out, "if ({prefix}{condition}) {{");
                print(inside, instrs, out, prefix, register);
                for &select in selects {
                    let slow = instrs[select].args[1];
                    let _ = writeln!(out, "{prefix}{select} = {prefix}{slow};");
                }
                out.push_str("}\n");
            }
        }
    }
}

/// Which registers are printed.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'i> {
    pub(crate) instrs: &'i [Instr],
    pub(crate) loops: &'i [Arc<Loop>],
    /// These.
    pub(crate) here: &'i [bool],
    /// Those of them whose values are there already.
    pub(crate) found: &'i [bool],
    /// Those of them that are used elsewhere too.
    pub(crate) asked: &'i [bool],
}

/// The registers of a scope in an order in which each can be computed.
pub(crate) fn arrange(scope: Scope<'_>) -> Vec<Line> {
    let arranged = Arrangement::new(scope, true).lines();
    // Branches that wait for each other have one select each.
    let alone = || Arrangement::new(scope, false).lines();
    match arranged.or_else(alone) {
        Some(lines) => lines,
        None => unreachable!("a select alone waits for nothing that waits for it"),
    }
}

struct Arrangement<'i> {
    scope: Scope<'i>,
    /// The select (of several the last) whose branch a register stands in, or is a result of.
    branch: BTreeMap<usize, usize>,
    /// The selects of each branch.
    selects: BTreeMap<usize, Vec<usize>>,
}

impl<'i> Arrangement<'i> {
    fn new(scope: Scope<'i>, together: bool) -> Self {
        let mut own = Self { scope, branch: BTreeMap::new(), selects: BTreeMap::new() };
        let Scope { instrs, found, .. } = scope;
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); instrs.len()];
        for reg in own.registers() {
            own.args(reg).iter().for_each(|&arg| users[usize::from(arg)].push(reg));
        }
        let is_slow =
            |&reg: &usize| instrs[reg].op == Op::Prim(Prim::SelectSlowPath) && !found[reg];
        let slow: Vec<usize> = own.registers().filter(is_slow).collect();
        for &last in slow.iter().rev() {
            // One that stands in a branch has its turn when that is arranged.
            if own.branch.contains_key(&last) {
                continue;
            }
            let mut selects = vec![last];
            if together {
                let condition = instrs[last].args[0];
                for &other in slow.iter().rev().filter(|&&other| other < last) {
                    let same = instrs[other].args[0] == condition;
                    if same
                        && !own.branch.contains_key(&other)
                        && !selects.iter().any(|&select| own.depends_on(other, select))
                    {
                        selects.push(other);
                    }
                }
            }
            own.open(last, &selects, &users);
        }
        own
    }

    fn registers(&self) -> impl DoubleEndedIterator<Item = usize> + use<'i> {
        let here = self.scope.here;
        (0..here.len()).filter(move |&reg| here[reg])
    }

    /// What a register is computed from.
    fn args(&self, reg: usize) -> &'i [Reg] {
        let Scope { instrs, loops, found, .. } = self.scope;
        if found[reg] { &[] } else { instrs[reg].args(loops) }
    }

    /// Whether a register is an argument of another, directly or not.
    fn depends_on(&self, reg: usize, of: usize) -> bool {
        let mut needed = vec![false; of + 1];
        needed[of] = true;
        for position in self.registers().rev().filter(|position| (reg..=of).contains(position)) {
            if needed[position] {
                self.args(position).iter().for_each(|&arg| needed[usize::from(arg)] = true);
            }
        }
        needed[reg]
    }

    /// A branch for these selects, if their slow sides alone need enough registers.
    fn open(&mut self, last: usize, selects: &[usize], users: &[Vec<usize>]) {
        let Scope { instrs, here, asked, .. } = self.scope;
        let mut inside = BTreeSet::new();
        for reg in (0..last).rev() {
            let moves = match instrs[reg].op {
                Op::Const(_)
                | Op::Prim(_)
                | Op::Cast { .. }
                | Op::Bitcast { .. }
                | Op::Table(_) => true,
                Op::Load { .. }
                | Op::Scalar(_)
                | Op::Index
                | Op::Call(_)
                | Op::CallOpen(_)
                | Op::CallResult(_)
                | Op::Reduced { .. }
                | Op::Running(_)
                | Op::Argument(_)
                | Op::Gather { .. }
                | Op::BoundsCheck { .. }
                | Op::Loop(_)
                | Op::LoopState(_) => false,
            };
            let only_rare = |&user: &usize| {
                let [condition, _, common] = instrs[user].args;
                inside.contains(&user)
                    || (selects.contains(&user)
                        && usize::from(condition) != reg
                        && usize::from(common) != reg)
            };
            let free = here[reg] && !asked[reg] && !self.branch.contains_key(&reg);
            if moves && free && !users[reg].is_empty() && users[reg].iter().all(only_rare) {
                inside.insert(reg);
            }
        }
        if inside.len() >= LEAST {
            self.branch.extend(inside.iter().chain(selects).map(|&reg| (reg, last)));
            self.selects.insert(last, selects.iter().rev().copied().collect());
        }
    }

    /// In order; `None` if branches wait for each other.
    fn lines(self) -> Option<Vec<Line>> {
        let node = |reg: usize| self.branch.get(&reg).copied().unwrap_or(reg);
        let mut waits: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut wakes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for reg in self.registers() {
            let own = node(reg);
            waits.entry(own).or_default();
            for &arg in self.args(reg) {
                let arg = usize::from(arg);
                if self.scope.here[arg] && node(arg) != own {
                    waits.entry(own).or_default().insert(node(arg));
                    wakes.entry(node(arg)).or_default().insert(own);
                }
            }
        }
        let mut ready: BTreeSet<usize> =
            waits.iter().filter(|(_, waits)| waits.is_empty()).map(|(&node, _)| node).collect();
        let mut lines = Vec::new();
        let all = waits.len();
        while let Some(next) = ready.pop_first() {
            lines.push(self.line(next));
            for &woken in wakes.get(&next).into_iter().flatten() {
                let left = waits.entry(woken).or_default();
                left.remove(&next);
                if left.is_empty() {
                    ready.insert(woken);
                }
            }
        }
        (lines.len() == all).then_some(lines)
    }

    fn line(&self, node: usize) -> Line {
        let Some(selects) = self.selects.get(&node) else { return Line::Register(node) };
        let Scope { instrs, loops, found, .. } = self.scope;
        let (mut here, mut asked) = (vec![false; instrs.len()], vec![false; instrs.len()]);
        for (&reg, &branch) in &self.branch {
            here[reg] = branch == node && !selects.contains(&reg);
        }
        selects.iter().for_each(|&select| asked[usize::from(instrs[select].args[1])] = true);
        Line::Branch {
            condition: instrs[node].args[0],
            inside: arrange(Scope { instrs, loops, here: &here, found, asked: &asked }),
            selects: selects.clone(),
        }
    }
}
