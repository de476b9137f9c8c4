//! Maps that change an array in its memory where a mask is true: what the mask leaves alone is neither read nor written.

use std::slice;

use ndany_core::DType;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Op, Prim};

use crate::memory::address;
use crate::strided_cursor::StridedCursor;

/// Elements of the mask that are looked at together.
const CHUNK: usize = 64;

/// A map whose one output is an input where a mask, another input, is false: the input that lies where the output does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Masked {
    /// The input that is the mask.
    mask: u16,
}

impl Masked {
    /// Recognizes such a map.
    pub(crate) fn of(launch: &Launch<'_>) -> Option<Self> {
        let program = launch.program;
        let [output] = program.outputs.as_slice() else { return None };
        let to = launch.outputs.first()?;
        let op = |reg| program.instrs[usize::from(reg)].op;
        let mask_of = |part: usize| {
            let reg = output.parts[part];
            let (Op::Prim(Prim::Select), &[mask, _, old]) = (op(reg), program.args(reg)) else {
                return None;
            };
            let Op::Load { input: mask, part: 0 } = op(mask) else { return None };
            let Op::Load { input: old, part: of_old } = op(old) else { return None };
            let (old, shown) =
                (&launch.inputs[usize::from(old)], &launch.inputs[usize::from(mask)]);
            let stays = usize::from(of_old) == part
                && old.dtype == to.dtype
                && address(old.memory) == address(to.memory)
                && old.offset == to.offset
                && old.strides == to.strides;
            (stays && shown.dtype == DType::Bool).then_some(mask)
        };
        let mask = mask_of(0)?;
        let all = !to.dtype.is_complex() || mask_of(1) == Some(mask);
        // An element that is left out has no error of its own.
        let plain = output.domain == Domain::Element && program.reductions.is_empty();
        (all && plain && !program.fails()).then_some(Self { mask })
    }

    /// The part of a block of `count` elements from `index` on that has all true elements of the mask: its first element, and how
    /// many elements it has, which may be none.
    pub(crate) fn part(
        self,
        inputs: &[StridedCursor],
        index: usize,
        count: usize,
    ) -> (usize, usize) {
        let Some(mask) = inputs[usize::from(self.mask)].direct(index, count) else {
            return (index, count);
        };
        // SAFETY: `count` elements of the mask, a byte each, are contiguous from this address on and lie in its memory, as `Checked`
        // promises of every element of the space. If the mask is the array that is changed, other threads write other blocks, and
        // this one writes after the slice's end of life.
        let mask = unsafe { slice::from_raw_parts(mask.cast_const(), count) };
        let any = |chunk: &[u8]| chunk.iter().fold(0, |all, &one| all | one) != 0;
        let Some(first) = mask.chunks(CHUNK).position(any) else { return (index, 0) };
        let last = mask.chunks(CHUNK).rposition(any).unwrap_or(first);
        (index + first * CHUNK, count.min((last + 1) * CHUNK) - first * CHUNK)
    }
}
