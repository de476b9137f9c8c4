//! What programs read by position: which inputs, and the scalars that say how many elements there are.

use std::sync::Arc;

use super::{Body, Instr, Loop, Op, Program, Reg};

impl Program {
    /// Whether an input is read by position, or a position is checked.
    #[inline]
    pub fn gathers(&self) -> bool {
        gathers(&self.instrs, &self.loops)
    }

    /// Calls `f` for each [`Op::Gather`] and [`Op::BoundsCheck`], those of loops included, with the scalar that is its number of
    /// elements; with `None` if that is no scalar.
    pub(crate) fn each_size(&self, f: &mut dyn FnMut(Op, Option<u16>)) {
        let scalar = |reg: Reg| match self.instrs[usize::from(reg)].op {
            Op::Scalar(number) => Some(number),
            _ => None,
        };
        each_size(&self.instrs, &self.loops, &scalar, f);
    }
}

/// Small launches ask this several times.
#[inline]
fn gathers(instrs: &[Instr], loops: &[Arc<Loop>]) -> bool {
    instrs.iter().any(|instr| matches!(instr.op, Op::Gather { .. } | Op::BoundsCheck { .. }))
        || !loops.is_empty() && loops.iter().any(|own| own.gathers())
}

fn each_size(
    instrs: &[Instr],
    loops: &[Arc<Loop>],
    scalar: &dyn Fn(Reg) -> Option<u16>,
    f: &mut dyn FnMut(Op, Option<u16>),
) {
    for instr in instrs {
        if let Op::Gather { .. } | Op::BoundsCheck { .. } = instr.op {
            f(instr.op, scalar(instr.args[1]));
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
            each_size(&body.instrs, &body.loops, &inner, f);
        }
    }
}

impl Body {
    /// Whether an input is read by position, or a position is checked.
    pub fn gathers(&self) -> bool {
        gathers(&self.instrs, &self.loops)
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
    /// Whether an input is read by position, or a position is checked.
    pub fn gathers(&self) -> bool {
        self.condition.gathers() || self.step.gathers()
    }

    /// The same loop, where inputs that are read by position have these numbers.
    pub fn with_inputs(&self, number: &dyn Fn(u16) -> u16) -> Loop {
        let (condition, step) = (self.condition.with_inputs(number), self.step.with_inputs(number));
        Loop { operands: self.operands.clone(), condition, step, ..*self }
    }
}
