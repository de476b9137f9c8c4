//! Loops that add products of elements read by position: `sum + a[p] * x[i[p]]` while `p` is below an end, as products of sparse
//! arrays are.
//!
//! The steps of such a loop are known, so a loop of the processor takes the place of steps over blocks. It adds the same products in
//! the same order: the bits are those of the steps.

use ndany_core::DType;
use ndany_core::program::{Body, Loop, Op, Prim, Reg, RegType};

use crate::gathered::GatheredInput;

/// Elements of a row of a matrix that are summed together.
const TOGETHER: usize = 32;

/// A loop of this kind. Arguments are numbered as those of the bodies are: the sum, the position, then what stays as it is.
#[derive(Debug)]
pub(crate) struct SumOfProducts {
    end: u16,
    limit: u32,
    /// `a`: its input, and the argument that says its size.
    factor: Read,
    /// `i`.
    index: Read,
    /// `x`.
    other: Read,
    /// Arguments that an index is multiplied by, and that are added to it: rows of a matrix.
    row: Option<[u16; 2]>,
    ty: RegType,
}

/// An input that is read by position.
#[derive(Clone, Copy, Debug)]
struct Read {
    input: u16,
    size: u16,
}

/// A read, and the register of its position.
type Found = (Read, Reg);

/// A body, whose registers are looked at.
struct Steps<'b>(&'b Body);

impl Steps<'_> {
    fn op(&self, reg: Reg) -> Op {
        self.0.instrs[usize::from(reg)].op
    }

    fn ty(&self, reg: Reg) -> RegType {
        self.0.instrs[usize::from(reg)].ty
    }

    /// The two arguments of a primitive.
    fn prim(&self, reg: Reg, prim: Prim) -> Option<[Reg; 2]> {
        let instr = &self.0.instrs[usize::from(reg)];
        (instr.op == Op::Prim(prim)).then_some([instr.args[0], instr.args[1]])
    }

    fn argument(&self, reg: Reg) -> Option<u16> {
        match self.op(reg) {
            Op::Argument(number) => Some(number),
            _ => None,
        }
    }

    /// An int64 under the type of the same width without a sign.
    fn unsigned(&self, reg: Reg) -> Option<Reg> {
        let instr = &self.0.instrs[usize::from(reg)];
        (instr.op == Op::Bitcast { from: RegType::I64 } && instr.ty == RegType::U64)
            .then_some(instr.args[0])
    }

    /// A read whose positions out of range give zero.
    fn read(&self, reg: Reg) -> Option<Found> {
        let instr = &self.0.instrs[usize::from(reg)];
        match instr.op {
            Op::Gather { input, part: 0 } => {
                let [position, size, _] = instr.args;
                Some((Read { input, size: self.argument(size)? }, position))
            }
            // The same zero, chosen once more.
            Op::Prim(Prim::Select) => {
                let [inside, value, outside] = instr.args;
                let (read, position) = self.read(value)?;
                let [low, high] = self.prim(inside, Prim::Lt)?;
                let is_own = self.unsigned(low)? == position
                    && self.argument(self.unsigned(high)?)? == read.size
                    && self.op(outside) == Op::Const(0);
                is_own.then_some((read, position))
            }
            _ => None,
        }
    }
}

impl SumOfProducts {
    /// The loop, if it is of this kind; `types` are those of its operands.
    pub(crate) fn of(own: &Loop, types: &[RegType]) -> Option<Self> {
        let ty = types[0];
        let is_sum = own.state == 2
            && matches!(ty, RegType::F32 | RegType::F64)
            && types[1] == RegType::I64
            && own.condition.loops.is_empty()
            && own.step.loops.is_empty();
        if !is_sum {
            return None;
        }
        let condition = Steps(&own.condition);
        let [position, end] = condition.prim(*own.condition.results.first()?, Prim::Lt)?;
        let end = condition.argument(end).filter(|&end| end >= 2)?;
        let step = Steps(&own.step);
        let &[sum, next] = own.step.results.as_slice() else { return None };
        let [before, one] = step.prim(next, Prim::Add)?;
        let goes_on = condition.argument(position)? == 1
            && step.argument(before)? == 1
            && step.op(one) == Op::Const(1)
            && types[usize::from(end)] == RegType::I64;
        let [before, product] = step.prim(sum, Prim::Add)?;
        if !goes_on || step.argument(before)? != 0 {
            return None;
        }
        let [factor, other] = step.prim(product, Prim::Mul)?;
        let (factor, at) = step.read(factor)?;
        let (other, mut place) = step.read(other)?;
        if step.argument(at)? != 1 || step.ty(product) != ty {
            return None;
        }
        let mut row = None;
        if let Some([first, column]) = step.prim(place, Prim::Add) {
            let [index, count] = step.prim(first, Prim::Mul)?;
            row = Some([step.argument(count)?, step.argument(column)?]);
            place = index;
        }
        if let Op::Cast { from: RegType::I32 } = step.op(place) {
            place = own.step.instrs[usize::from(place)].args[0];
        }
        let (index, at) = step.read(place)?;
        let stay =
            [factor.size, index.size, other.size].into_iter().chain(row.into_iter().flatten());
        let whole = stay
            .into_iter()
            .all(|number| number >= 2 && types.get(usize::from(number)) == Some(&RegType::I64));
        let is_own = step.argument(at)? == 1 && whole;
        is_own.then_some(Self { end, limit: own.limit, factor, index, other, row, ty })
    }

    /// Runs the loop for `width` elements, unless the inputs have other dtypes than it knows: then nothing is done.
    ///
    /// # Safety
    /// Operands are good for reads of `width` values of their types, results for writes of as many; they do not overlap. As many
    /// elements of the inputs as their sizes say are in memory that nothing writes meanwhile.
    pub(crate) unsafe fn run(
        &self,
        inputs: &[GatheredInput],
        operands: &[*const u8],
        results: &[*mut u8],
        width: usize,
    ) -> bool {
        let [factor, index, other] =
            [self.factor, self.index, self.other].map(|read| inputs[usize::from(read.input)]);
        // SAFETY: the caller upholds this; the dtypes are those of the pointers.
        unsafe {
            match (self.ty, factor.dtype(), other.dtype(), index.dtype()) {
                (RegType::F64, DType::F64, DType::F64, DType::I32) => {
                    self.add::<f64, i32>([factor, index, other], operands, results, width);
                }
                (RegType::F64, DType::F64, DType::F64, DType::I64) => {
                    self.add::<f64, i64>([factor, index, other], operands, results, width);
                }
                (RegType::F32, DType::F32, DType::F32, DType::I32) => {
                    self.add::<f32, i32>([factor, index, other], operands, results, width);
                }
                (RegType::F32, DType::F32, DType::F32, DType::I64) => {
                    self.add::<f32, i64>([factor, index, other], operands, results, width);
                }
                _ => return false,
            }
        }
        true
    }

    /// # Safety
    /// As [`SumOfProducts::run`]; the inputs have elements of these types.
    unsafe fn add<T, I>(
        &self,
        [factor, index, other]: [GatheredInput; 3],
        operands: &[*const u8],
        results: &[*mut u8],
        width: usize,
    ) where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<Output = T>,
        I: Copy + Default + Into<i64>,
    {
        let operand = |number: u16, lane: usize| {
            let values = operands[usize::from(number)].cast::<i64>();
            // SAFETY: there are `width` values of the operand, which is an int64.
            unsafe { values.add(lane).read() }
        };
        // A size is the same for all.
        let size = |read: Read| u64::try_from(operand(read.size, 0)).unwrap_or(0);
        let [factor_size, index_size, other_size] = [self.factor, self.index, self.other].map(size);
        // Whether a lane walks through the same entries as the one before it, and reads the next column.
        let follows = |lane: usize| {
            let same = |number: u16| operand(number, lane) == operand(number, lane - 1);
            self.row.is_some_and(|[count, column]| {
                same(1)
                    && same(self.end)
                    && same(count)
                    && operand(column, lane) == operand(column, lane - 1).wrapping_add(1)
            })
        };
        let bounds = |lane: usize| {
            let (first, end) = (operand(1, lane), operand(self.end, lane));
            (first, end.min(first.saturating_add(i64::from(self.limit))))
        };
        let mut begin = 0;
        while begin < width {
            let mut lanes = 1;
            while lanes < TOGETHER && begin + lanes < width && follows(begin + lanes) {
                lanes += 1;
            }
            let (mut p, last) = bounds(begin);
            let row = self.row.map(|row| row.map(|number| operand(number, begin)));
            let [count, column] = row.unwrap_or([1, 0]);
            if lanes == 1 {
                // SAFETY: as above; the sum is a `T`, and the sizes are those of the inputs.
                unsafe {
                    let mut sum = operands[0].cast::<T>().add(begin).read();
                    while p < last {
                        let a: T = factor.element(p as u64, factor_size);
                        let i: I = index.element(p as u64, index_size);
                        let place = i.into().wrapping_mul(count).wrapping_add(column);
                        sum = sum + a * other.element::<T>(place as u64, other_size);
                        p += 1;
                    }
                    results[0].cast::<T>().add(begin).write(sum);
                    results[1].cast::<i64>().add(begin).write(p);
                }
                begin += 1;
                continue;
            }
            let mut sums = [T::default(); TOGETHER];
            for (lane, sum) in sums[..lanes].iter_mut().enumerate() {
                // SAFETY: as above; the sum is a `T`.
                *sum = unsafe { operands[0].cast::<T>().add(begin + lane).read() };
            }
            while p < last {
                // SAFETY: the sizes are those of the inputs.
                unsafe {
                    let a: T = factor.element(p as u64, factor_size);
                    let i: I = index.element(p as u64, index_size);
                    let place = i.into().wrapping_mul(count).wrapping_add(column) as u64;
                    let row = other.elements::<T>(place, lanes, other_size);
                    match row {
                        Some(row) => {
                            for (sum, &x) in sums.iter_mut().zip(row) {
                                *sum = *sum + a * x;
                            }
                        }
                        None => {
                            for (lane, sum) in sums[..lanes].iter_mut().enumerate() {
                                let place = place.wrapping_add(lane as u64);
                                *sum = *sum + a * other.element::<T>(place, other_size);
                            }
                        }
                    }
                }
                p += 1;
            }
            for (lane, &sum) in sums[..lanes].iter().enumerate() {
                // SAFETY: there are `width` results of each type.
                unsafe {
                    results[0].cast::<T>().add(begin + lane).write(sum);
                    results[1].cast::<i64>().add(begin + lane).write(p);
                }
            }
            begin += lanes;
        }
    }
}
