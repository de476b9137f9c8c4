//! Planes turned: what lies side by side in the source lies across the copy.
//!
//! Blocks that fit the registers, along a band of the source's rows: these are read side by side, as a core reads ahead,
//! and of the copy whole lines are written, two neighbours one after the other (they come to the cache in pairs). Tiles
//! that fit a cache instead are no quicker, and where rows are a power of two apart they fall out of it.

/// Rows and columns of a block.
pub(crate) const EDGE: usize = 8;
/// Bytes of a row of the copy that a band writes: two cache lines.
const PAIR: usize = 128;

/// Rows of the source that are turned together.
pub(crate) const fn band<T>() -> usize {
    let rows = PAIR / size_of::<T>();
    // More would be more streams than a core reads ahead.
    if rows > 32 { 32 } else { rows }
}

/// Makes `to[row * to_step + column]` of `from[column * from_step + row]`.
///
/// # Safety
/// Every element of both sides is aligned and theirs to read or write, and no two overlap.
pub(crate) unsafe fn turn<T: Copy>(
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
        // SAFETY: the caller's promise, for the columns of this band.
        unsafe {
            let from = from.offset(column as isize * from_step);
            turn_band(from, from_step, to.add(column), to_step, rows, width);
        }
        column += width;
    }
}

/// [`turn`] of a band.
///
/// # Safety
/// As [`turn`].
unsafe fn turn_band<T: Copy>(
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
            unsafe { turn_block(from, from_step, to, to_step) };
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

/// [`turn`] of [`EDGE`] rows and columns.
///
/// # Safety
/// As [`turn`].
#[inline(always)]
unsafe fn turn_block<T: Copy>(from: *const T, from_step: isize, to: *mut T, to_step: isize) {
    for row in 0..EDGE as isize {
        for column in 0..EDGE as isize {
            // SAFETY: the caller's promise.
            unsafe { *to.offset(row * to_step + column) = *from.offset(column * from_step + row) };
        }
    }
}

/// [`turn`] of elements of `size` bytes.
///
/// # Safety
/// As [`turn`], for the integer of that size; steps are counted in it.
pub(crate) unsafe fn turn_sized(
    size: usize,
    [from, to]: [*mut u8; 2],
    [from_step, to_step]: [isize; 2],
    rows: usize,
    columns: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => turn::<u8>(from, from_step, to, to_step, rows, columns),
            2 => turn::<u16>(from.cast(), from_step, to.cast(), to_step, rows, columns),
            4 => turn::<u32>(from.cast(), from_step, to.cast(), to_step, rows, columns),
            _ => turn::<u64>(from.cast(), from_step, to.cast(), to_step, rows, columns),
        }
    }
}
