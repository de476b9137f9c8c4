//! Plans scans.

use ndany_core::backend;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Combine, Domain, Input, Instr, Op, Prim, Program, Reduction, RegType};
use ndany_core::{DType, Result};
use ndany_kernels::scan::{BLOCK, Scan, by_parts, packing, places, words};

use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Arguments, Operand, RowIndexMaps, is_wide, row_index_maps};

/// Rows side by side that threads read together where those are closer than elements: 32 bytes of 4 each.
const NEIGHBOURS: usize = 8;

/// Blocks of short rows for each multiprocessor, at least, before a block takes several rows.
const BLOCKS_EACH: usize = 4;

struct Step<'s> {
    program: &'s Program,
    only: Option<u8>,
    shape: &'s [usize],
    row_axes: usize,
    inputs: &'s [Operand],
    /// The output, or the parts of states.
    outputs: &'s [Operand],
}

pub(crate) fn scan(job: &Job<'_>, request: &backend::Scan<'_>) -> Result<()> {
    let launch = &request.launch;
    let inputs: Vec<Operand> = launch.inputs.iter().map(Operand::new).collect();
    let outputs: Vec<Operand> = launch.outputs.iter().map(Operand::new).collect();
    for (program, only) in by_parts(&launch.program) {
        let step = Step {
            program: &program,
            only,
            shape: &launch.shape,
            row_axes: launch.row_axes,
            inputs: &inputs,
            outputs: &outputs,
        };
        step.scan(job)?;
    }
    Ok(())
}

impl Step<'_> {
    /// Whether neighbouring rows are closer in memory than neighbours in a row, for every operand that has both.
    fn goes_across(&self) -> bool {
        let row = self.shape.len() - 1;
        let Some(outer) = (self.shape.len() - self.row_axes).checked_sub(1) else { return false };
        let steps =
            |operand: &Operand| [outer, row].map(|axis| operand.strides[axis].unsigned_abs());
        let mut operands = self.inputs.iter().chain(self.outputs).map(steps);
        self.shape[outer] >= NEIGHBOURS
            && operands.all(|[outer, row]| outer < row || outer == 0 || row == 0)
            && self.outputs.iter().map(steps).any(|[outer, row]| outer < row)
    }

    fn scan(&self, job: &Job<'_>) -> Result<()> {
        let (outer, row) = self.shape.split_at(self.shape.len() - self.row_axes);
        let (rows, extent) = (outer.iter().product::<usize>(), row.iter().product::<usize>());
        let operands: Vec<Operand> = self.inputs.iter().chain(self.outputs).cloned().collect();
        let wide = is_wide(self.shape, &operands);
        let RowIndexMaps { outer, row, arguments: mapped } =
            row_index_maps(self.shape, &operands, self.row_axes, wide);
        let across = self.goes_across();
        let (chunks, chunked) = (extent.div_ceil(CHUNK), extent > CHUNK);
        let mut arguments = Arguments::default();
        let blocks = if chunked {
            arguments.extend([extent as u64]);
            arguments.divisor(chunks, wide);
            rows * chunks
        } else {
            let (segments, most) = packing(extent);
            let processors = job.runtime.driver().properties().multiprocessors as usize;
            let least = if across { most.min(NEIGHBOURS) } else { 1 };
            let together = rows.div_ceil(processors * BLOCKS_EACH).clamp(least, most);
            arguments.extend([rows as u64]);
            arguments.divisor(together, false);
            arguments.divisor(extent, false);
            arguments.divisor(segments, false);
            rows.div_ceil(together)
        };
        arguments.append(&mapped);
        arguments.addresses(self.inputs);
        arguments.addresses(self.outputs);
        // Given back when the launch is queued.
        let _posted = match chunked {
            true => {
                let (places, word) = (places(chunks), size_of::<u64>());
                let lifted = &self.program.reductions[0].lifted;
                let types = lifted.iter().map(|&reg| self.program.instrs[usize::from(reg)].ty);
                let posted = job.cleared(word + rows * places * words(types) * word)?;
                arguments.push(places as u64);
                arguments.places([posted.address(), posted.address() + word as u64]);
                Some(posted)
            }
            false => None,
        };
        let kernel = Scan {
            program: self.program.clone(),
            outer,
            row,
            chunked,
            across: across && !chunked,
            only: self.only,
        };
        job.run(&kernel, blocks, BLOCK, arguments)
    }
}

/// The running sums of packed I64 numbers, each including its own.
pub(crate) fn running_sums(job: &Job<'_>, numbers: u64, count: usize) -> Result<Scratch> {
    let mut program = Program::default();
    program.inputs.push(Input { dtype: DType::I64, domain: Domain::Element });
    program.instrs.push(Instr {
        op: Op::Load { input: 0, part: 0 },
        ty: RegType::I64,
        args: [0; 3],
    });
    program
        .reductions
        .push(Reduction { lifted: smallvec::smallvec![0], combine: Combine::Prim(Prim::Add) });
    let sums = job.scratch(count * DType::I64.size())?;
    let operand = |address| Operand { address, dtype: DType::I64, strides: smallvec::smallvec![1] };
    let step = Step {
        program: &program,
        only: None,
        shape: &[count],
        row_axes: 1,
        inputs: &[operand(numbers)],
        outputs: &[operand(sums.address())],
    };
    step.scan(job)?;
    Ok(sums)
}
