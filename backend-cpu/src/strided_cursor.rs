//! Access to strided memory along a flat index: gathers of a block's elements into a packed slot, and scatters
//! back.

use ndany_core::backend::StridedView;
use ndany_core::shape::contiguous_strides;
use smallvec::SmallVec;

use crate::memory::{ALIGN, address, prefetch};
use crate::transpose::transpose_sized;

/// Longest row of the last axis that is cheaper to copy by columns.
const SHORT_ROW: usize = 16;

/// Minimum number of elements of a block that ends with a packed run.
const MIN_BLOCK: usize = 256;

/// Memory layout of an operand along the flat index of an iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contiguity {
    /// Element `i` of the space is element `i` of the memory.
    Packed,
    /// All elements of the space are one element of memory.
    Constant,
    /// Element `i` of the space is element `2 * i` of the memory: one part of packed complex numbers.
    Interleaved,
    /// Packed within runs of this many elements (the product of the last extents).
    PackedRuns(usize),
    /// Any other strides.
    Strided,
}

/// An operand (a real array, or the real or imaginary part of a complex one) along an iteration space.
#[derive(Clone, Debug)]
pub(crate) struct StridedCursor {
    /// Address of the element at index 0.
    start: *mut u8,
    /// Bytes of a part.
    size: usize,
    shape: SmallVec<[usize; 4]>,
    /// Strides in parts.
    strides: SmallVec<[isize; 4]>,
    pub(crate) contiguity: Contiguity,
}

// SAFETY: a cursor is an address and numbers; each use of the address states why it is allowed.
unsafe impl Send for StridedCursor {}
// SAFETY: as above.
unsafe impl Sync for StridedCursor {}

/// The extents of these axes.
pub(crate) fn permuted(shape: &[usize], axes: &[usize]) -> SmallVec<[usize; 8]> {
    let mut extents = SmallVec::new();
    axes.iter().for_each(|&axis| extents.push(shape[axis]));
    extents
}

impl StridedCursor {
    /// Part `part` of the operand at `place` along these of its axes, whose extents are `shape`.
    pub(crate) fn along(
        place: &StridedView<'_>,
        axes: &[usize],
        shape: &[usize],
        part: usize,
    ) -> Self {
        let parts = if place.dtype.is_complex() { 2 } else { 1 };
        let size = place.dtype.part().size();
        let offset = (place.offset * parts + part) * size;
        // SAFETY: `Checked` places the first element inside the memory.
        let start = unsafe { address(place.memory).add(offset) };
        let mut strides: SmallVec<[isize; 4]> = SmallVec::new();
        axes.iter().for_each(|&axis| strides.push(place.strides[axis] * parts as isize));
        StridedCursor::of(start, size, shape, strides, parts)
    }

    /// Part `part` of the operand at `place`, whose axes are those of `shape`.
    pub(crate) fn new(place: &StridedView<'_>, shape: &[usize], part: usize) -> Self {
        let axes: SmallVec<[usize; 8]> = (0..shape.len()).collect();
        StridedCursor::along(place, &axes, shape, part)
    }

    /// A packed array in a thread's own buffer.
    pub(crate) fn packed(start: *mut u8, size: usize, shape: &[usize]) -> Self {
        let strides = contiguous_strides(shape).iter().copied().collect();
        StridedCursor::of(start, size, shape, strides, 1)
    }

    fn of(
        start: *mut u8,
        size: usize,
        shape: &[usize],
        strides: SmallVec<[isize; 4]>,
        parts: usize,
    ) -> Self {
        let mut run = 1;
        let mut packed_axes = 0;
        for (&extent, &stride) in shape.iter().zip(&strides).rev() {
            if extent != 1 && stride != run as isize {
                break;
            }
            run *= extent;
            packed_axes += 1;
        }
        let contiguity = if packed_axes == shape.len() {
            Contiguity::Packed
        } else if parts == 2 && is_every_second(shape, &strides) {
            Contiguity::Interleaved
        } else if strides.iter().all(|&stride| stride == 0) {
            Contiguity::Constant
        } else if run > 1 {
            Contiguity::PackedRuns(run)
        } else {
            Contiguity::Strided
        };
        Self { start, size, shape: SmallVec::from_slice(shape), strides, contiguity }
    }

    /// The cursor of the imaginary part, given the real part's.
    pub(crate) fn next_part(&self) -> Self {
        // SAFETY: a complex element's second part follows its first.
        Self { start: unsafe { self.start.add(self.size) }, ..self.clone() }
    }

    /// Whether this operand holds the even elements of a range of memory and `between` the odd ones.
    pub(crate) fn interleaves_with(&self, between: &StridedCursor) -> bool {
        let next = self.start.wrapping_add(self.size);
        (self.size, next) == (between.size, between.start)
            && self.strides == between.strides
            && is_every_second(&self.shape, &self.strides)
    }

    /// Bytes of a part.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Address of element `index` of the space.
    pub(crate) fn at(&self, mut index: usize) -> *mut u8 {
        let position = match self.contiguity {
            Contiguity::Packed => index as isize,
            Contiguity::Interleaved => 2 * index as isize,
            Contiguity::Constant => 0,
            Contiguity::PackedRuns(_) | Contiguity::Strided => {
                let mut position = 0;
                for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
                    position += (index % extent) as isize * stride;
                    index /= extent;
                }
                position
            }
        };
        // SAFETY: `Checked` promises that every element of the space lies in the memory.
        unsafe { self.start.offset(position * self.size as isize) }
    }

    /// The address of `count` elements from `index` on, if they are contiguous.
    pub(crate) fn direct(&self, index: usize, count: usize) -> Option<*mut u8> {
        match self.contiguity {
            Contiguity::Packed => Some(self.at(index)),
            Contiguity::PackedRuns(run) if index % run + count <= run => Some(self.at(index)),
            Contiguity::Interleaved
            | Contiguity::PackedRuns(_)
            | Contiguity::Constant
            | Contiguity::Strided => None,
        }
    }

    /// The number of elements from `index` on for which [`StridedCursor::direct`] is `Some`.
    pub(crate) fn packed_from(&self, index: usize) -> usize {
        match self.contiguity {
            Contiguity::Packed => usize::MAX,
            Contiguity::PackedRuns(run) => run - index % run,
            Contiguity::Interleaved | Contiguity::Constant | Contiguity::Strided => 0,
        }
    }

    /// The best length, at most `count`, of a block from `index` on: it ends with the packed run, unless that
    /// end is near.
    pub(crate) fn cut(&self, index: usize, count: usize) -> usize {
        match self.contiguity {
            Contiguity::PackedRuns(run) if run - index % run >= MIN_BLOCK => {
                count.min(run - index % run)
            }
            Contiguity::PackedRuns(_) | Contiguity::Strided => match self.short_rows() {
                // Whole rows, which are copied by columns.
                Some((_, columns)) if index.is_multiple_of(columns) && count >= columns => {
                    count / columns * columns
                }
                _ => count,
            },
            Contiguity::Packed | Contiguity::Interleaved | Contiguity::Constant => count,
        }
    }

    /// Rows and columns of the last two axes, if rows are so short that copies by columns are faster.
    fn short_rows(&self) -> Option<(usize, usize)> {
        let [.., rows, columns] = *self.shape.as_slice() else { return None };
        (columns <= SHORT_ROW && rows > columns).then_some((rows, columns))
    }

    /// Whether [`StridedCursor::direct`] is `Some` for any part of any row of `row` elements.
    pub(crate) fn is_packed_per_row(&self, row: usize) -> bool {
        match self.contiguity {
            Contiguity::Packed => true,
            Contiguity::PackedRuns(run) => run % row == 0,
            Contiguity::Interleaved | Contiguity::Constant | Contiguity::Strided => false,
        }
    }

    /// Prefetches `count` elements from `index` on if they are contiguous. Without it, access in short runs
    /// waits for memory at the start of each.
    pub(crate) fn prefetch(&self, index: usize, count: usize) {
        if let Some(start) = self.direct(index, count) {
            for line in 0..(count * self.size).div_ceil(ALIGN) {
                prefetch(start.wrapping_add(line * ALIGN));
            }
        }
    }

    /// Calls `run(address, step, first, length)` for each run of `count` elements from `index` on along the
    /// last axis: elements `first..first + length` of the block lie `step` parts apart.
    fn runs(&self, index: usize, count: usize, mut run: impl FnMut(*mut u8, isize, usize, usize)) {
        let Some(last) = self.shape.len().checked_sub(1) else {
            return run(self.start, 0, 0, count);
        };
        let mut coordinates: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.shape.len());
        let mut rest = index;
        for axis in (0..self.shape.len()).rev() {
            coordinates[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
        }
        let mut position: isize =
            coordinates.iter().zip(&self.strides).map(|(&at, &stride)| at as isize * stride).sum();
        let mut done = 0;
        while done < count {
            let length = (self.shape[last] - coordinates[last]).min(count - done);
            // SAFETY: `Checked` promises that every element of the space lies in the memory.
            let address = unsafe { self.start.offset(position * self.size as isize) };
            run(address, self.strides[last], done, length);
            done += length;
            // Next run: the last axis restarts, an outer axis advances.
            position -= coordinates[last] as isize * self.strides[last];
            coordinates[last] = 0;
            for axis in (0..last).rev() {
                coordinates[axis] += 1;
                position += self.strides[axis];
                if coordinates[axis] < self.shape[axis] {
                    break;
                }
                position -= coordinates[axis] as isize * self.strides[axis];
                coordinates[axis] = 0;
            }
        }
    }

    /// Copies of short rows by columns: calls `column(address, step, first, length)` for each column of the
    /// complete short rows among the `count` elements from `index` on, if `index` starts a row. Elements
    /// `first + k * columns` of the block lie `step` apart. Returns the number of elements visited.
    fn columns(
        &self,
        index: usize,
        count: usize,
        mut column: impl FnMut(*mut u8, isize, usize, usize),
    ) -> usize {
        let Some((rows, columns)) =
            self.short_rows().filter(|(_, columns)| index.is_multiple_of(*columns))
        else {
            return 0;
        };
        let [.., down, right] = *self.strides.as_slice() else { return 0 };
        let mut done = 0;
        while count - done >= columns {
            let row = (index + done) / columns % rows;
            let length = (rows - row).min((count - done) / columns);
            let start = self.at(index + done);
            for k in 0..columns {
                // SAFETY: `Checked` promises that every element of the space lies in the memory.
                let address = unsafe { start.offset(k as isize * right * self.size as isize) };
                column(address, down, done + k, length);
            }
            done += length * columns;
        }
        done
    }

    /// Rows and columns of the tile that the elements `index..index + count` form, if its columns are closer
    /// in memory than its rows.
    fn column_major_tile(&self, index: usize, count: usize) -> Option<(usize, usize)> {
        let [.., rows, columns] = *self.shape.as_slice() else { return None };
        let [.., down, right] = *self.strides.as_slice() else { return None };
        let column_major = down != 0 && down.unsigned_abs() < right.unsigned_abs();
        let one = rows * columns == count && index.is_multiple_of(count);
        (column_major && one).then_some((rows, columns))
    }

    /// Copies `count` elements from `index` on into a packed buffer.
    ///
    /// # Safety
    /// `out` is aligned for the part and valid for writes of `count` parts; nothing writes the elements
    /// meanwhile.
    pub(crate) unsafe fn gather(&self, index: usize, count: usize, out: *mut u8) {
        if let Some((rows, columns)) = self.column_major_tile(index, count) {
            let (start, size) = (self.at(index), self.size as isize);
            let steps =
                [self.strides.len() - 2, self.strides.len() - 1].map(|axis| self.strides[axis]);
            if steps[0] == 1 {
                let step = [steps[1], columns as isize];
                // SAFETY: the tile's elements lie in the memory, and its places in the block.
                return unsafe { transpose_sized(self.size, [start, out], step, rows, columns) };
            }
            for column in 0..columns {
                // SAFETY: the tile's elements lie in the memory, and its places in the block.
                unsafe {
                    let from = start.offset(column as isize * steps[1] * size);
                    let to = out.add(column * self.size);
                    copy_sized(self.size, from, steps[0], to, columns as isize, rows);
                }
            }
            return;
        }
        let across = self.shape.last().map_or(1, |&columns| columns as isize);
        let done = self.columns(index, count, |address, step, first, length| {
            // SAFETY: the column lies in the memory, and its places in the block.
            unsafe {
                copy_sized(self.size, address, step, out.add(first * self.size), across, length);
            }
        });
        self.runs(index + done, count - done, |address, step, first, length| {
            // SAFETY: the stretch lies in the memory, `done + first + length` is at most `count`.
            unsafe {
                let to = out.add((done + first) * self.size);
                copy_sized(self.size, address, step, to, 1, length);
            }
        });
    }

    /// Copies `count` packed elements to the operand's elements from `index` on.
    ///
    /// # Safety
    /// `values` is aligned for the part and valid for reads of `count` parts; no other code uses the
    /// elements.
    pub(crate) unsafe fn scatter(&self, index: usize, count: usize, values: *const u8) {
        if let Some((rows, columns)) = self.column_major_tile(index, count) {
            let (start, size) = (self.at(index), self.size as isize);
            let steps =
                [self.strides.len() - 2, self.strides.len() - 1].map(|axis| self.strides[axis]);
            if steps[0] == 1 {
                let (values, step) = (values.cast_mut(), [columns as isize, steps[1]]);
                // SAFETY: the tile's elements lie in the memory, and its values in the block.
                return unsafe { transpose_sized(self.size, [values, start], step, columns, rows) };
            }
            for column in 0..columns {
                // SAFETY: the tile's elements lie in the memory, and its values in the block.
                unsafe {
                    let from = values.add(column * self.size).cast_mut();
                    let to = start.offset(column as isize * steps[1] * size);
                    copy_sized(self.size, from, columns as isize, to, steps[0], rows);
                }
            }
            return;
        }
        self.runs(index, count, |address, step, first, length| {
            // SAFETY: the stretch lies in the memory, `first + length` is at most `count`.
            unsafe {
                let from = values.add(first * self.size).cast_mut();
                copy_sized(self.size, from, 1, address, step, length);
            }
        });
    }
}

/// Whether element `i` of such a space is element `2 * i` of the memory.
fn is_every_second(shape: &[usize], strides: &[isize]) -> bool {
    let mut step = 2;
    shape.iter().zip(strides).rev().all(|(&extent, &stride)| {
        let fits = extent == 1 || stride == step;
        step *= extent as isize;
        fits
    })
}

/// Copies `length` values between two strided sequences.
///
/// # Safety
/// Both sides are aligned for `T` and valid for `length` elements at their steps, without overlap.
unsafe fn copy<T: Copy>(
    from: *mut u8,
    from_step: isize,
    to: *mut u8,
    to_step: isize,
    length: usize,
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: the caller upholds this for every address below.
    unsafe {
        match (from_step, to_step) {
            (1, 1) => std::ptr::copy_nonoverlapping(from, to, length),
            (0, 1) => std::slice::from_raw_parts_mut(to, length).fill(*from),
            (1, _) => {
                for k in 0..length as isize {
                    *to.offset(k * to_step) = *from.offset(k);
                }
            }
            _ => {
                for k in 0..length as isize {
                    *to.offset(k * to_step) = *from.offset(k * from_step);
                }
            }
        }
    }
}

/// [`copy`] of values of `size` bytes.
///
/// # Safety
/// As [`copy`], for the integer of that size.
unsafe fn copy_sized(
    size: usize,
    from: *mut u8,
    from_step: isize,
    to: *mut u8,
    to_step: isize,
    length: usize,
) {
    // SAFETY: the caller upholds this.
    unsafe {
        match size {
            1 => copy::<u8>(from, from_step, to, to_step, length),
            2 => copy::<u16>(from, from_step, to, to_step, length),
            4 => copy::<u32>(from, from_step, to, to_step, length),
            _ => copy::<u64>(from, from_step, to, to_step, length),
        }
    }
}

/// Fills `count` values of `size` bytes with one value's bits.
///
/// # Safety
/// `out` is aligned for the size and good for `count` values.
pub(crate) unsafe fn splat(out: *mut u8, size: usize, bits: u64, count: usize) {
    // SAFETY: the caller upholds this.
    unsafe {
        match size {
            1 => std::slice::from_raw_parts_mut(out, count).fill(bits as u8),
            2 => std::slice::from_raw_parts_mut(out.cast::<u16>(), count).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(out.cast::<u32>(), count).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(out.cast::<u64>(), count).fill(bits),
        }
    }
}

/// The bits of one value of `size` bytes.
///
/// # Safety
/// `value` is aligned for the size and good for reading.
pub(crate) unsafe fn bits(value: *const u8, size: usize) -> u64 {
    // SAFETY: the caller upholds this.
    unsafe {
        match size {
            1 => u64::from(*value),
            2 => u64::from(*value.cast::<u16>()),
            4 => u64::from(*value.cast::<u32>()),
            _ => *value.cast::<u64>(),
        }
    }
}
