//! Recording of loops: the instructions that closures record are cut out of the program and become the bodies of a loop.
//!
//! A closure may use any value recorded before it. Such a value is an operand of the loop; a constant is recorded again in
//! the body. What no result is made of is dropped.

use std::sync::Arc;

use smallvec::SmallVec;

use super::builder::{Builder, SsaValue};
use super::{Body, Instr, Loop, Op, Reg};

/// Values of a state.
pub type State<'b> = SmallVec<[SsaValue<'b>; 8]>;

/// A loop has more than [`Loop::MAX_OPERANDS`] operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyOperands(pub usize);

/// Instructions cut out of a program. Registers below `first` are those of the program around them.
struct Region {
    first: usize,
    instrs: Vec<Instr>,
    loops: Vec<Arc<Loop>>,
    /// Number of `loops[0]`.
    first_loop: usize,
    results: SmallVec<[Reg; 4]>,
}

impl Builder {
    /// Records a loop: while `condition` holds of the state, at most `limit` times, `step` makes the next state of it. Returns
    /// the final state.
    ///
    /// # Errors
    /// [`TooManyOperands`].
    ///
    /// # Panics
    /// If a step returns another number of values than the state has, or of other types, or the condition is no Bool.
    pub fn repeat_while<'b>(
        &'b self,
        limit: u32,
        initial: &[SsaValue<'b>],
        condition: impl FnOnce(&[SsaValue<'b>]) -> SsaValue<'b>,
        step: impl FnOnce(&[SsaValue<'b>]) -> State<'b>,
    ) -> Result<State<'b>, TooManyOperands> {
        let types: SmallVec<[_; 8]> = initial.iter().map(|value| value.ty()).collect();
        assert!((1..=Loop::MAX_STATE).contains(&types.len()), "{} registers of state", types.len());
        let condition = self.region(initial, |state| {
            let holds = condition(state);
            assert_eq!(holds.ty(), super::RegType::Bool, "a condition is a boolean");
            SmallVec::from_slice(&[holds])
        });
        let step = self.region(initial, |state| {
            let next = step(state);
            assert!(next.iter().map(|value| value.ty()).eq(types.iter().copied()), "another state");
            next
        });
        let mut operands: SmallVec<[Reg; 8]> = initial.iter().map(|value| value.reg()).collect();
        let condition = self.body_of(condition, types.len(), &mut operands);
        let step = self.body_of(step, types.len(), &mut operands);
        if operands.len() > Loop::MAX_OPERANDS {
            return Err(TooManyOperands(operands.len()));
        }
        let own = Loop { operands, state: types.len() as u8, limit, condition, step };
        let run = self.push_loop(own).reg();
        let states = types.iter().enumerate();
        Ok(states
            .map(|(part, &ty)| self.push(Op::LoopState(part as u8), ty, [run, 0, 0]))
            .collect())
    }

    /// The code that a closure records over values of this builder, as a body whose arguments they are.
    pub(crate) fn body_over<'b>(
        &'b self,
        values: &[SsaValue<'b>],
        record: impl FnOnce(&[SsaValue<'b>]) -> State<'b>,
    ) -> Body {
        let region = self.region(values, record);
        let mut operands: SmallVec<[Reg; 8]> = values.iter().map(|value| value.reg()).collect();
        let body = self.body_of(region, values.len(), &mut operands);
        assert_eq!(operands.len(), values.len(), "the closure uses its values alone");
        body
    }

    /// The instructions that a closure records, with a state of arguments of its own.
    fn region<'b>(
        &'b self,
        initial: &[SsaValue<'b>],
        record: impl FnOnce(&[SsaValue<'b>]) -> State<'b>,
    ) -> Region {
        let (first, first_loop) = (self.len(), self.loop_count());
        let state: State<'b> = initial.iter().map(|value| self.region_argument(*value)).collect();
        let results = record(&state).iter().map(|value| value.reg()).collect();
        let (instrs, loops) = self.cut(first, first_loop);
        Region { first, instrs, loops, first_loop, results }
    }

    /// A region as a body. Values of the program around it that it reads are added to the operands.
    fn body_of(&self, region: Region, state: usize, operands: &mut SmallVec<[Reg; 8]>) -> Body {
        let Region { first, instrs, loops, first_loop, results } = region;
        let own_loop = |number: u16| &loops[usize::from(number) - first_loop];
        let args_of = |instr: &Instr| -> SmallVec<[Reg; 8]> {
            match instr.op {
                Op::Loop(number) => own_loop(number).operands.clone(),
                op => SmallVec::from_slice(&instr.args[..op.arity()]),
            }
        };
        // What results are made of, in the region and around it.
        let mut needed = vec![false; instrs.len()];
        let mut outer: Vec<Reg> = Vec::new();
        let mut need = |needed: &mut [bool], reg: Reg| match usize::from(reg).checked_sub(first) {
            Some(local) => needed[local] = true,
            None if outer.contains(&reg) => {}
            None => outer.push(reg),
        };
        results.iter().for_each(|&reg| need(&mut needed, reg));
        for local in (0..instrs.len()).rev().filter(|&local| local >= state) {
            if needed[local] {
                args_of(&instrs[local]).iter().for_each(|&arg| need(&mut needed, arg));
            }
        }
        outer.sort_unstable();
        let mut body =
            Body { instrs: Vec::new(), loops: Vec::new(), results: SmallVec::new(), known: None };
        let mut moved: Vec<Option<Reg>> = vec![None; first + instrs.len()];
        let mut add = |body: &mut Body, reg: usize, instr: Instr| {
            moved[reg] = Some(body.instrs.len() as Reg);
            body.instrs.push(instr);
        };
        for (position, instr) in instrs.iter().take(state).enumerate() {
            let op = Op::Argument(position as u16);
            add(&mut body, first + position, Instr { op, args: [0; 3], ..*instr });
        }
        for &reg in &outer {
            let own = self.term(reg).instr();
            let instr = match own.op {
                Op::Const(_) => own,
                _ => {
                    let known = operands.iter().skip(state).position(|&operand| operand == reg);
                    let position = known.map_or(operands.len(), |position| state + position);
                    if known.is_none() {
                        operands.push(reg);
                    }
                    Instr { op: Op::Argument(position as u16), ty: own.ty, args: [0; 3] }
                }
            };
            add(&mut body, usize::from(reg), instr);
        }
        for (local, instr) in
            instrs.iter().enumerate().skip(state).filter(|&(local, _)| needed[local])
        {
            let at = |reg: Reg| match moved[usize::from(reg)] {
                Some(moved) => moved,
                None => unreachable!("arguments stand before what is made of them"),
            };
            let mut instr = *instr;
            if let Op::Loop(number) = &mut instr.op {
                let nested = own_loop(*number);
                let operands = nested.operands.iter().map(|&reg| at(reg)).collect();
                *number = body.loops.len() as u16;
                body.loops.push(Arc::new(Loop { operands, ..(**nested).clone() }));
            }
            for position in 0..instr.op.arity() {
                instr.args[position] = at(instr.args[position]);
            }
            moved[first + local] = Some(body.instrs.len() as Reg);
            body.instrs.push(instr);
        }
        let at = |&reg: &Reg| match moved[usize::from(reg)] {
            Some(moved) => moved,
            None => unreachable!("results are needed"),
        };
        body.results = results.iter().map(at).collect();
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Prim, Program, RegType};

    fn recorded(b: &Builder) -> Program {
        let mut program = Program::default();
        b.move_to(&mut program);
        program
    }

    fn numbers<'b>(b: &'b Builder, limit: u32) -> State<'b> {
        let x = b.push(Op::Scalar(0), RegType::F64, [0; 3]);
        let zero = b.int(RegType::I64, 0);
        let state = b.repeat_while(
            limit,
            &[x, zero],
            |state| b.int(RegType::F64, 1).lt(state[0]),
            |state| {
                // Recorded, but no result is made of it.
                let _ = state[0] * state[0];
                SmallVec::from_slice(&[state[0] / (x + x), state[1] + b.int(RegType::I64, 1)])
            },
        );
        match state {
            Ok(state) => state,
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn closures_become_bodies_and_values_around_them_operands() {
        let b = Builder::new();
        let state = numbers(&b, 5);
        assert_eq!(state.len(), 2);
        let Program { instrs, loops, .. } = recorded(&b);
        let [own] = loops.as_slice() else { panic!("{loops:?}") };
        // The state, and `x` once more, which stays as it is.
        assert_eq!(own.operands.as_slice(), [0, 1, 0]);
        assert_eq!((own.limit, own.state), (5, 2));
        let ops = |body: &Body| body.instrs.iter().map(|instr| instr.op).collect::<Vec<_>>();
        let one = 1f64.to_bits();
        assert_eq!(
            ops(&own.condition),
            [Op::Argument(0), Op::Argument(1), Op::Const(one), Op::Prim(Prim::Lt)]
        );
        assert!(!ops(&own.step).contains(&Op::Prim(Prim::Mul)));
        assert!(ops(&own.step).contains(&Op::Argument(2)));
        assert_eq!(instrs.last().map(|instr| instr.op), Some(Op::LoopState(1)));
    }

    #[test]
    fn equal_loops_are_recorded_once() {
        let b = Builder::new();
        let (first, second, other) = (numbers(&b, 5), numbers(&b, 5), numbers(&b, 6));
        assert_eq!(first[1].reg(), second[1].reg());
        assert_ne!(first[0].reg(), other[0].reg());
        assert_eq!(recorded(&b).loops.len(), 2);
    }

    #[test]
    fn loops_within_loops_stand_in_the_body() {
        let b = Builder::new();
        let x = b.push(Op::Scalar(0), RegType::I64, [0; 3]);
        let one = b.int(RegType::I64, 1);
        let state = b.repeat_while(
            3,
            &[x],
            |state| state[0].lt(b.int(RegType::I64, 100)),
            |state| {
                let inner = b.repeat_while(
                    4,
                    &[state[0]],
                    |inner| inner[0].lt(x + one),
                    |inner| SmallVec::from_slice(&[inner[0] + state[0]]),
                );
                inner.unwrap_or_default()
            },
        );
        assert!(state.is_ok());
        let Program { loops, .. } = recorded(&b);
        let [outer] = loops.as_slice() else { panic!("{loops:?}") };
        let [inner] = outer.step.loops.as_slice() else { panic!("{outer:?}") };
        assert_eq!(inner.limit, 4);
        assert!(inner.operands.iter().all(|&reg| usize::from(reg) < outer.step.instrs.len()));
    }
}
