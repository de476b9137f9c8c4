//! Segments of rows, and folds from left to right: the plain loops of `ndany_core::backend::fold`.

use std::cell::Cell;

use super::{FoldOrder, element, evaluate, failed, read_lock, states, write_elements};
use ndany_core::backend::{CombineOrder, FoldLeft, SegmentedReduce, StridedView};
use ndany_core::program::Fault;
use ndany_core::{DType, Error, Result};

/// The offsets of segments.
fn offsets(place: &StridedView<'_>, count: usize) -> Vec<i64> {
    let bytes = read_lock(place.memory);
    let read = |index| {
        let position = element(place, &[count], index);
        let one = &bytes[position * DType::I64.size()..][..DType::I64.size()];
        i64::from_le_bytes(one.try_into().expect("eight bytes"))
    };
    (0..count).map(read).collect()
}

pub(super) fn segmented_reduce(reduce: &SegmentedReduce<'_>) -> Result<()> {
    let launch = &reduce.launch;
    let program = launch.program.expand();
    let row_size = launch.row_size();
    let starts = offsets(&reduce.starts, reduce.segments);
    let ends = offsets(&reduce.ends, reduce.segments);
    let outside = |offset: i64| Error::Index {
        op: "segmented_reduce",
        index: offset as isize,
        axis: 0,
        size: row_size,
    };
    for (&start, &end) in starts.iter().zip(&ends) {
        if start < 0 || start as usize >= row_size {
            return Err(outside(start));
        }
        if end <= start || end as usize > row_size {
            return Err(outside(end));
        }
    }
    let parts = program.reductions[0].lifted.len();
    let fold = FoldOrder { order: reduce.order, parts, has_initial: false };
    // What outputs step through: rows, then segments.
    let mut space = launch.shape.clone();
    if let Some(last) = space.last_mut() {
        *last = reduce.segments;
    }
    let mut results: Vec<Vec<(usize, [u64; 2])>> = vec![Vec::new(); program.outputs.len()];
    let fault = Cell::new(Fault::NONE);
    for row in 0..launch.rows() {
        for (segment, (&start, &end)) in starts.iter().zip(&ends).enumerate() {
            let (start, count) = (start as usize, (end - start) as usize);
            let first = row * row_size + start;
            let registers = evaluate(&program, launch, first, count, start, fold, &fault);
            for (position, output) in program.outputs.iter().enumerate() {
                let parts = output.parts.map(|reg| registers[usize::from(reg)][0]);
                let place = &launch.outputs[position];
                let target = element(place, &space, row * reduce.segments + segment);
                results[position].push((target, parts));
            }
        }
    }
    failed(&fault, launch)?;
    for ((output, place), values) in program.outputs.iter().zip(&launch.outputs).zip(results) {
        write_elements(place, output.dtype, values);
    }
    Ok(())
}

pub(super) fn fold_left(fold_left: &FoldLeft<'_>) -> Result<()> {
    let launch = &fold_left.launch;
    let program = launch.program.expand();
    let (reduction, place) = (&program.reductions[0], &launch.outputs[0]);
    let (row_size, output) = (launch.row_size(), program.outputs[0]);
    let fold = FoldOrder {
        order: CombineOrder::Left,
        parts: fold_left.parts,
        has_initial: fold_left.has_initial,
    };
    let (mut values, fault) = (Vec::new(), Cell::new(Fault::NONE));
    for row in 0..launch.rows() {
        let first = row * row_size;
        let registers = evaluate(&program, launch, first, row_size, 0, fold, &fault);
        if fold_left.store_all {
            let elements = states(reduction, &registers, row_size);
            for (k, state) in fold.left(reduction, &program, &elements, &fault).iter().enumerate() {
                let parts = [state[0], state[state.len() - 1]];
                values.push((element(place, &launch.shape, first + k), parts));
            }
        } else {
            let parts = output.parts.map(|reg| registers[usize::from(reg)][0]);
            values.push((element(place, &launch.shape, first), parts));
        }
    }
    failed(&fault, launch)?;
    write_elements(place, output.dtype, values);
    Ok(())
}
