//! Transposition of planes.
//!
//! Blocks that fit the registers follow bands of the source's rows. Source rows are read contiguously, which
//! hardware prefetching follows, and the copy is written in whole cache lines, two adjacent ones at a time
//! (they are fetched in pairs). Tiles that fit a cache level are no faster, and rows a power of two apart evict
//! each other from it.

/// Rows and columns of a block.
pub(crate) const EDGE: usize = 8;
/// Bytes of a row of the copy that a band writes: two cache lines.
const BAND_BYTES: usize = 128;

/// Rows of the source in a band.
pub(crate) const fn band<T>() -> usize {
    let rows = BAND_BYTES / size_of::<T>();
    // More would exceed the streams that a core prefetches.
    if rows > 32 { 32 } else { rows }
}

/// Writes `to[row * to_step + column] = from[column * from_step + row]`.
///
/// # Safety
/// Every element of both sides is aligned and valid for reads or writes, and no two overlap.
pub(crate) unsafe fn transpose<T: Copy>(
    from: *const T,
    from_step: isize,
    to: *mut T,
    to_step: isize,
    rows: usize,
    columns: usize,
) {
    let mut column = 0;
    while column < columns {
        let width = band::<T>().min(columns - column);
        // SAFETY: the caller upholds this, for the columns of this band.
        unsafe {
            let from = from.offset(column as isize * from_step);
            transpose_band(from, from_step, to.add(column), to_step, rows, width);
        }
        column += width;
    }
}

/// [`transpose`] of a band.
///
/// # Safety
/// As [`transpose`].
unsafe fn transpose_band<T: Copy>(
    from: *const T,
    from_step: isize,
    to: *mut T,
    to_step: isize,
    rows: usize,
    columns: usize,
) {
    let (whole_rows, whole_columns) = (rows / EDGE * EDGE, columns / EDGE * EDGE);
    let element = |row: usize, column: usize| {
        let (row, column) = (row as isize, column as isize);
        (from.wrapping_offset(column * from_step + row), to.wrapping_offset(row * to_step + column))
    };
    for row in (0..whole_rows).step_by(EDGE) {
        for column in (0..whole_columns).step_by(EDGE) {
            let (from, to) = element(row, column);
            // SAFETY: the block is part of the band.
            unsafe { transpose_block(from, from_step, to, to_step) };
        }
    }
    for row in 0..rows {
        let first = if row < whole_rows { whole_columns } else { 0 };
        for column in first..columns {
            let (from, to) = element(row, column);
            // SAFETY: the element is one of the band.
            unsafe { *to = *from };
        }
    }
}

/// [`transpose`] of [`EDGE`] rows and columns.
///
/// # Safety
/// As [`transpose`].
#[inline(always)]
unsafe fn transpose_block<T: Copy>(from: *const T, from_step: isize, to: *mut T, to_step: isize) {
    for row in 0..EDGE as isize {
        for column in 0..EDGE as isize {
            // SAFETY: the caller upholds this.
            unsafe { *to.offset(row * to_step + column) = *from.offset(column * from_step + row) };
        }
    }
}

/// [`transpose`] of elements of `size` bytes.
///
/// # Safety
/// As [`transpose`], for the integer of that size; steps are counted in it.
pub(crate) unsafe fn transpose_sized(
    size: usize,
    [from, to]: [*mut u8; 2],
    [from_step, to_step]: [isize; 2],
    rows: usize,
    columns: usize,
) {
    // SAFETY: the caller upholds this.
    unsafe {
        match size {
            1 => transpose::<u8>(from, from_step, to, to_step, rows, columns),
            2 => transpose::<u16>(from.cast(), from_step, to.cast(), to_step, rows, columns),
            4 => transpose::<u32>(from.cast(), from_step, to.cast(), to_step, rows, columns),
            _ => transpose::<u64>(from.cast(), from_step, to.cast(), to_step, rows, columns),
        }
    }
}
