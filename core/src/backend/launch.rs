//! The patterns of a program: `map`, `reduce` and `fused_rowwise`; and what every launch of a program is checked for.

use super::checked::{Check, Refusal, counted};
use super::{Launch, Scan};
use crate::error::{Error, Result};
use crate::program::{Combine, Domain, Instr, Op, Program, Reduction, RegType};

/// A program without reductions, over every element. The launch has no row.
#[derive(Clone, Copy, Debug)]
pub struct Map<'l, 'a> {
    /// The program and its operands.
    pub launch: &'l Launch<'a>,
}

/// A program whose outputs are all of domain `Row`, with reductions that do not need each other's results.
#[derive(Clone, Copy, Debug)]
pub struct Reduce<'l, 'a> {
    /// The program and its operands.
    pub launch: &'l Launch<'a>,
}

/// A program with reductions whose results return to the elements of the same row.
#[derive(Clone, Copy, Debug)]
pub struct FusedRowwise<'l, 'a> {
    /// The program and its operands.
    pub launch: &'l Launch<'a>,
}

impl Launch<'_> {
    /// Whether operands and program agree, and all elements lie in their memories. `outputs` is the shape along which
    /// outputs step.
    #[inline]
    fn is_sound(&self, outputs: &[usize]) -> bool {
        let (program, shape) = (&*self.program, self.shape.as_slice());
        let inputs = (self.inputs.as_slice(), program.inputs.as_slice());
        let written = (self.outputs.as_slice(), program.outputs.as_slice());
        if counted(shape).is_none()
            || self.row_axes > shape.len()
            || inputs.0.len() != inputs.1.len()
            || written.0.len() != written.1.len()
            || self.scalars.len() != program.scalars.len()
            || !self.is_of_its_program()
        {
            return false;
        }
        for (view, input) in inputs.0.iter().zip(inputs.1) {
            if view.dtype != input.dtype || !view.fits(shape) {
                return false;
            }
        }
        for (view, output) in written.0.iter().zip(written.1) {
            if view.dtype != output.dtype || !view.fits(outputs) {
                return false;
            }
        }
        (self.scalars.is_empty() || self.bools_are_bits())
            && (self.made_of.is_empty() || self.names_its_sources())
            && self.gathered_outside().is_none()
    }

    /// Whether what is prepared is the very program.
    #[inline]
    fn is_of_its_program(&self) -> bool {
        self.prepared.is_none_or(|own| std::ptr::eq::<Program>(*own.program(), *self.program))
    }

    /// The first input that may be read at positions outside of its memory.
    #[inline]
    fn gathered_outside(&self) -> Option<u16> {
        if !self.program.gathers() {
            return None;
        }
        let mut outside = None;
        self.program.each_size(&mut |op, size| {
            let Op::Gather { input, .. } = op else { return };
            let size = size.and_then(|scalar| self.scalars.get(usize::from(scalar)));
            let view = &self.inputs[usize::from(input)];
            let elements = view.memory.bytes() / view.dtype.size();
            let end = size.and_then(|&size| view.offset.checked_add(usize::try_from(size).ok()?));
            if outside.is_none() && end.is_none_or(|end| end > elements) {
                outside = Some(input);
            }
        });
        outside
    }

    /// Bools given with the launch are 0 or 1.
    #[inline]
    fn bools_are_bits(&self) -> bool {
        let mut scalars = self.program.scalars.iter().zip(&self.scalars);
        scalars.all(|(&ty, &bits)| ty != RegType::Bool || bits < 2)
    }

    #[inline]
    fn names_its_sources(&self) -> bool {
        let sources = || self.made_of.iter().flatten();
        self.made_of.len() == self.outputs.len()
            && sources().all(|&source| usize::from(source) < self.inputs.len())
    }

    /// Returns the error of a launch that is not sound.
    #[inline]
    pub(super) fn check(&self, op: &'static str, outputs: &[usize]) -> Result<()> {
        if self.is_sound(outputs) { Ok(()) } else { Err(self.refusal(op, outputs)) }
    }

    #[cold]
    #[inline(never)]
    fn refusal(&self, op: &'static str, outputs: &[usize]) -> Error {
        let refusal = Refusal(op);
        let found = || -> Result<()> {
            let Launch { program, ref shape, row_axes, .. } = *self;
            refusal.shape(shape)?;
            refusal.unless(self.is_of_its_program(), || {
                "the prepared program is another one than that of the launch".to_string()
            })?;
            refusal.unless(row_axes <= shape.len(), || {
                format!("{row_axes} axes of a row: expected {} at most", shape.len())
            })?;
            for (what, wanted, got) in [
                ("inputs", program.inputs.len(), self.inputs.len()),
                ("outputs", program.outputs.len(), self.outputs.len()),
                ("scalars", program.scalars.len(), self.scalars.len()),
            ] {
                refusal
                    .unless(wanted == got, || format!("{what}: expected {wanted}, got {got}"))?;
            }
            for (number, (view, input)) in self.inputs.iter().zip(&program.inputs).enumerate() {
                let what = format!("input {number}");
                refusal.dtype(&what, view, input.dtype)?;
                refusal.view(&what, view, shape)?;
            }
            for (number, (view, output)) in self.outputs.iter().zip(&program.outputs).enumerate() {
                let what = format!("output {number}");
                refusal.dtype(&what, view, output.dtype)?;
                refusal.view(&what, view, outputs)?;
            }
            refusal.unless(self.gathered_outside().is_none(), || {
                let input = self.gathered_outside().unwrap_or_default();
                format!(
                    "input {input} is read by position: expected its elements within its memory"
                )
            })?;
            refusal.unless(self.bools_are_bits(), || "a truth value: expected 0 or 1".into())
        };
        match found() {
            Err(error) => error,
            Ok(()) => refusal.because("made_of: expected inputs for every output"),
        }
    }

    /// A row, and reductions of it.
    #[inline]
    pub(super) fn has_rows(&self) -> bool {
        self.row_axes > 0 && !self.program.reductions.is_empty()
    }

    /// Whether every reduction combines two states to one, so that it may be applied by the plan.
    #[inline]
    fn joins(&self) -> bool {
        self.program.reductions.iter().all(|reduction| match &reduction.combine {
            Combine::Body(body) => body.results.len() == reduction.lifted.len(),
            Combine::Prim(_) => true,
        })
    }

    /// Whether reductions may be applied by the plan, each to one state of the row.
    #[inline]
    pub(super) fn joins_states(&self) -> bool {
        self.joins() && !self.program.reads_running_states()
    }

    /// One reduction and one output, which no running state makes: what scans and folds from the left have.
    pub(super) fn has_one_fold(&self) -> bool {
        self.has_rows()
            && self.program.reductions.len() == 1
            && self.program.outputs.len() == 1
            && !self.program.reads_running_states()
    }

    /// One reduction of two states to one, and outputs of elements, made of its running states.
    fn has_running_states(&self) -> bool {
        let program = &*self.program;
        let combines = |reduction: &Reduction| match &reduction.combine {
            Combine::Body(body) => !body.fails(),
            Combine::Prim(_) => false,
        };
        let reduced = |instr: &Instr| matches!(instr.op, Op::Reduced { .. });
        self.has_rows()
            && self.joins()
            && program.reductions.len() == 1
            && combines(&program.reductions[0])
            && !program.outputs.is_empty()
            && program.outputs.iter().all(|output| output.domain == Domain::Element)
            && !program.instrs.iter().any(reduced)
    }
}

impl Check for Map<'_, '_> {
    #[inline]
    fn check(&self) -> Result<()> {
        let Launch { program, row_axes, ref shape, .. } = *self.launch;
        if row_axes != 0 || !program.reductions.is_empty() {
            return Err(Refusal("map").because("a map has neither rows nor reductions"));
        }
        self.launch.check("map", shape)
    }
}

impl Check for Reduce<'_, '_> {
    fn check(&self) -> Result<()> {
        let Launch { program, ref shape, .. } = *self.launch;
        let of_rows = program.outputs.iter().all(|output| output.domain == Domain::Row);
        let joins = self.launch.has_rows() && self.launch.joins_states();
        if !joins || !of_rows || program.is_staged() {
            let reason = "expected rows, outputs of rows, and reductions apart from each other";
            return Err(Refusal("reduce").because(reason));
        }
        self.launch.check("reduce", shape)
    }
}

impl Check for FusedRowwise<'_, '_> {
    fn check(&self) -> Result<()> {
        if !self.launch.has_rows() || !self.launch.joins_states() {
            return Err(Refusal("fused_rowwise").because("expected rows and reductions of them"));
        }
        self.launch.check("fused_rowwise", &self.launch.shape)
    }
}

impl Check for Scan<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("scan");
        let launch = &self.launch;
        if launch.program.reads_running_states() {
            refusal.unless(launch.has_running_states(), || {
                "expected rows, one reduction of two states to one, outputs of elements".into()
            })?;
            return launch.check("scan", &launch.shape);
        }
        refusal.unless(launch.has_one_fold(), || {
            "expected rows, one reduction and one output".into()
        })?;
        let program = &*launch.program;
        let (reduction, output) = (&program.reductions[0], &program.outputs[0]);
        let parts = if output.dtype.is_complex() { 2 } else { 1 };
        let types = reduction.lifted.iter().map(|&reg| program.instrs[usize::from(reg)].ty);
        let fits = matches!(reduction.combine, Combine::Prim(_))
            && reduction.lifted.len() == parts
            && types.eq(std::iter::repeat_n(RegType::of(output.dtype), parts));
        refusal.unless(fits, || {
            format!("expected a reduction by a primitive, of {parts} parts of {}", output.dtype)
        })?;
        launch.check("scan", &launch.shape)
    }
}
