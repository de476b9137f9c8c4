//! What programs read by position: which inputs, and how many elements the launch says that they have.

use std::sync::Arc;

use super::{Body, Instr, Loop, Op, Program, Reg};

impl Program {
    /// Whether an input is read by position.
    pub fn gathers(&self) -> bool {
        any_gather(&self.instrs, &self.loops)
    }

    /// Calls `f` for each [`Op::Gather`], those of loops included, with the input and the scalar that is its number of elements,
    /// if it is one.
    pub(crate) fn each_gather(&self, f: &mut dyn FnMut(u16, Option<u16>)) {
        let scalar = |reg: Reg| match self.instrs[usize::from(reg)].op {
            Op::Scalar(number) => Some(number),
            _ => None,
        };
        each_gather(&self.instrs, &self.loops, &scalar, f);
    }
}

fn any_gather(instrs: &[Instr], loops: &[Arc<Loop>]) -> bool {
    instrs.iter().any(|instr| matches!(instr.op, Op::Gather { .. }))
        || loops.iter().any(|own| own.condition.gathers() || own.step.gathers())
}

fn each_gather(
    instrs: &[Instr],
    loops: &[Arc<Loop>],
    scalar: &dyn Fn(Reg) -> Option<u16>,
    f: &mut dyn FnMut(u16, Option<u16>),
) {
    for instr in instrs {
        if let Op::Gather { input, .. } = instr.op {
            f(input, scalar(instr.args[1]));
        }
    }
    for own in loops {
        for body in [&own.condition, &own.step] {
            // What a step does not change is a value around the loop.
            let state = usize::from(own.state);
            let inner = |reg: Reg| match body.instrs[usize::from(reg)].op {
                Op::Argument(number) if usize::from(number) >= state => {
                    own.operands.get(usize::from(number)).and_then(|&reg| scalar(reg))
                }
                _ => None,
            };
            each_gather(&body.instrs, &body.loops, &inner, f);
        }
    }
}

impl Body {
    /// Whether an input is read by position.
    pub fn gathers(&self) -> bool {
        any_gather(&self.instrs, &self.loops)
    }

    /// The same code, where inputs that are read by position have these numbers.
    pub fn with_inputs(&self, number: &dyn Fn(u16) -> u16) -> Body {
        let mut body = self.clone();
        for instr in &mut body.instrs {
            if let Op::Gather { input, .. } = &mut instr.op {
                *input = number(*input);
            }
        }
        for own in &mut body.loops {
            if own.gathers() {
                *own = Arc::new(own.with_inputs(number));
            }
        }
        body
    }
}

impl Loop {
    /// Whether an input is read by position.
    pub fn gathers(&self) -> bool {
        self.condition.gathers() || self.step.gathers()
    }

    /// The same loop, where inputs that are read by position have these numbers.
    pub fn with_inputs(&self, number: &dyn Fn(u16) -> u16) -> Loop {
        let (condition, step) = (self.condition.with_inputs(number), self.step.with_inputs(number));
        Loop { operands: self.operands.clone(), condition, step, ..*self }
    }
}
