//! The reduction of one row whose values come block by block.

use ndany_core::Result;
use ndany_core::plan::CHUNK;

use super::{MAX_PARTS, Reducer};
use crate::loops::ACCUMULATORS;
use crate::memory::{ALIGN, Scratch};

/// A reduction of one row, fed with blocks of its values.
#[derive(Debug)]
pub(crate) struct Streaming<'r> {
    reducer: &'r Reducer,
    /// Owns the memory of the pointers below.
    _scratch: Scratch,
    accumulators: [*mut u8; MAX_PARTS],
    chunks: [*mut u8; MAX_PARTS],
    temporary: *mut u8,
    /// Accumulators that hold a value; values of the current chunk; completed chunks.
    filled: usize,
    values: usize,
    complete: usize,
}

impl<'r> Streaming<'r> {
    /// For rows of up to `row` values.
    pub(crate) fn new(reducer: &'r Reducer, row: usize) -> Result<Self> {
        let chunk_bytes = (row.div_ceil(CHUNK) * 8).next_multiple_of(ALIGN);
        let part_bytes = ACCUMULATORS * 8 + chunk_bytes;
        let scratch =
            Scratch::new(reducer.parts() * part_bytes + reducer.temporaries(ACCUMULATORS))?;
        let start = scratch.address();
        let mut accumulators = [std::ptr::null_mut(); MAX_PARTS];
        let mut chunks = accumulators;
        for part in 0..reducer.parts() {
            accumulators[part] = start.wrapping_add(part * part_bytes);
            chunks[part] = accumulators[part].wrapping_add(ACCUMULATORS * 8);
        }
        let temporary = start.wrapping_add(reducer.parts() * part_bytes);
        Ok(Self {
            reducer,
            _scratch: scratch,
            accumulators,
            chunks,
            temporary,
            filled: 0,
            values: 0,
            complete: 0,
        })
    }

    /// The address of the result after [`Streaming::finish`].
    pub(crate) fn result(&self) -> [*mut u8; MAX_PARTS] {
        self.chunks
    }

    /// Takes the next `count` values of each part. The length of every block of a row but the last is a
    /// multiple of ACCUMULATORS and a divisor of the chunk.
    ///
    /// # Safety
    /// Each pointer of a part is aligned and valid for reads of `count` values of its type.
    pub(crate) unsafe fn feed(&mut self, values: &[*mut u8; MAX_PARTS], count: usize) {
        // SAFETY: the caller upholds this; lanes and temporaries are this value's own.
        self.filled = unsafe {
            self.reducer.fold(&self.accumulators, values, count, self.filled, self.temporary)
        };
        self.values += count;
        if self.values == CHUNK {
            self.close();
        }
    }

    /// Completes a chunk.
    fn close(&mut self) {
        let state = self.reducer.offset(&self.chunks, self.complete);
        // SAFETY: this value owns all memory, laid out in `new`.
        unsafe {
            self.reducer.gather(&self.accumulators, self.filled, 1, self.temporary);
            self.reducer.copy(&self.accumulators, &state, 1);
        }
        (self.filled, self.values) = (0, 0);
        self.complete += 1;
    }

    /// Completes the row and prepares for the next.
    pub(crate) fn finish(&mut self) {
        if self.values > 0 {
            self.close();
        }
        let count = self.complete;
        self.complete = 0;
        // SAFETY: as in `close`.
        unsafe {
            self.reducer.reduce_states(&self.chunks, count, &self.accumulators, self.temporary)
        };
    }
}
