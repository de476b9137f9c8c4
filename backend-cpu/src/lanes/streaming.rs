//! The reduction of one row whose values come block by block.

use ndany_core::Result;
use ndany_core::plan::CHUNK;

use super::{MAX_PARTS, Reducer};
use crate::loops::LANES;
use crate::memory::{ALIGN, Scratch};

/// The reduction of one row whose values come block by block.
#[derive(Debug)]
pub(crate) struct Streaming<'r> {
    reducer: &'r Reducer,
    /// Holds what the pointers below point to.
    _scratch: Scratch,
    lanes: [*mut u8; MAX_PARTS],
    chunks: [*mut u8; MAX_PARTS],
    temporary: *mut u8,
    /// Lanes that hold something, values of the chunk so far, chunks complete.
    filled: usize,
    values: usize,
    complete: usize,
}

impl<'r> Streaming<'r> {
    /// For rows of up to `row` values.
    pub(crate) fn new(reducer: &'r Reducer, row: usize) -> Result<Self> {
        let chunk_bytes = (row.div_ceil(CHUNK) * 8).next_multiple_of(ALIGN);
        let part_bytes = LANES * 8 + chunk_bytes;
        let scratch = Scratch::new(reducer.parts() * part_bytes + reducer.temporaries(LANES))?;
        let start = scratch.address();
        let mut lanes = [std::ptr::null_mut(); MAX_PARTS];
        let mut chunks = lanes;
        for part in 0..reducer.parts() {
            lanes[part] = start.wrapping_add(part * part_bytes);
            chunks[part] = lanes[part].wrapping_add(LANES * 8);
        }
        let temporary = start.wrapping_add(reducer.parts() * part_bytes);
        Ok(Self {
            reducer,
            _scratch: scratch,
            lanes,
            chunks,
            temporary,
            filled: 0,
            values: 0,
            complete: 0,
        })
    }

    /// Where the result is after [`Streaming::finish`].
    pub(crate) fn result(&self) -> [*mut u8; MAX_PARTS] {
        self.chunks
    }

    /// Takes the next `count` values of each part; all blocks of a row but the last are multiples of
    /// LANES and divide a chunk.
    ///
    /// # Safety
    /// Each pointer of a part is aligned and good for `count` values of its type.
    pub(crate) unsafe fn feed(&mut self, values: &[*mut u8; MAX_PARTS], count: usize) {
        // SAFETY: the caller's promise; lanes and temporaries are this value's own.
        self.filled =
            unsafe { self.reducer.fold(&self.lanes, values, count, self.filled, self.temporary) };
        self.values += count;
        if self.values == CHUNK {
            self.close();
        }
    }

    /// Completes a chunk.
    fn close(&mut self) {
        let state = self.reducer.offset(&self.chunks, self.complete);
        // SAFETY: all memory is this value's own, laid out in `new`.
        unsafe {
            self.reducer.gather(&self.lanes, self.filled, 1, self.temporary);
            self.reducer.copy(&self.lanes, &state, 1);
        }
        (self.filled, self.values) = (0, 0);
        self.complete += 1;
    }

    /// Completes the row and makes ready for the next.
    pub(crate) fn finish(&mut self) {
        if self.values > 0 {
            self.close();
        }
        let count = self.complete;
        self.complete = 0;
        // SAFETY: as in `close`.
        unsafe { self.reducer.reduce_states(&self.chunks, count, &self.lanes, self.temporary) };
    }
}
