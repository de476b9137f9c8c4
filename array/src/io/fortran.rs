//! From Fortran order to C order while reading, so that the array is held once.
//!
//! A Fortran-ordered file is a sequence of columns: runs along axis 0, which are strided in C
//! order. A batch of columns goes through a small buffer, and leaves it row by row: in C order the
//! columns of a batch lie side by side where axis 1 is the last one, so that the writes of a row
//! are neighbours, while the strided reads stay inside a buffer that fits the cache.

use std::io::Read;

use super::Result;
use super::npy::{read_exactly, try_zeroed};

/// Bytes of the buffer between file and array.
const STAGE: usize = 1 << 20;
/// Columns of a batch: beyond this the rows are long enough, and their offsets stay small.
const COLUMNS: usize = 4096;

/// Whether Fortran order and C order differ for this shape: with fewer than two axes longer than
/// one, or without elements, they are the same sequence.
pub(super) fn orders_differ(shape: &[usize]) -> bool {
    !shape.contains(&0) && shape.iter().filter(|&&n| n > 1).count() > 1
}

/// Fills `out`, in C order, with the Fortran-ordered elements that `reader` gives.
///
/// `out` holds exactly the elements of `shape`, `size` bytes each, and `orders_differ(shape)`.
pub(super) fn read_transposed(
    reader: &mut dyn Read,
    shape: &[usize],
    size: usize,
    out: &mut [u8],
) -> Result<()> {
    match size {
        1 => by_columns::<1>(reader, shape, out),
        2 => by_columns::<2>(reader, shape, out),
        4 => by_columns::<4>(reader, shape, out),
        8 => by_columns::<8>(reader, shape, out),
        16 => by_columns::<16>(reader, shape, out),
        _ => unreachable!("no dtype has {size} bytes"),
    }
}

fn by_columns<const N: usize>(
    mut reader: &mut dyn Read,
    shape: &[usize],
    out: &mut [u8],
) -> Result<()> {
    let total = out.len() as u64;
    let axes: Vec<usize> = shape.iter().copied().filter(|&n| n > 1).collect();
    // Strides in C order, in elements: the product of the axes after it.
    let strides: Vec<usize> = (0..axes.len()).map(|i| axes[i + 1..].iter().product()).collect();
    let rows = axes[0];
    let columns = out.len() / N / rows;

    // Either whole columns fit, as many as possible, or one column goes in pieces.
    let piece = rows.min(STAGE / N);
    let batch = if piece < rows { 1 } else { (STAGE / N / rows).clamp(1, COLUMNS).min(columns) };
    let mut stage = try_zeroed(batch * piece * N)?;
    let mut starts = Vec::with_capacity(batch);
    let mut column =
        Columns { axes: &axes[1..], strides: &strides[1..], index: vec![0; axes.len() - 1] };
    let (out, _) = out.as_chunks_mut::<N>();

    let mut read = 0;
    let mut done = 0;
    while done < columns {
        starts.clear();
        starts.extend(column.by_ref().take(batch.min(columns - done)));
        let mut first = 0;
        while first < rows {
            let count = piece.min(rows - first);
            let stage = &mut stage[..starts.len() * count * N];
            read_exactly(&mut reader, stage, read, total)?;
            read += stage.len() as u64;
            let (stage, _) = stage.as_chunks::<N>();
            for row in 0..count {
                let target = (first + row) * strides[0];
                for (column, start) in starts.iter().enumerate() {
                    out[start + target] = stage[column * count + row];
                }
            }
            first += count;
        }
        done += starts.len();
    }
    Ok(())
}

/// The offset in C order at which each column begins, in the order of the file.
struct Columns<'a> {
    axes: &'a [usize],
    strides: &'a [usize],
    index: Vec<usize>,
}

impl Iterator for Columns<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let start = self.index.iter().zip(self.strides).map(|(i, stride)| i * stride).sum();
        for (i, &n) in self.index.iter_mut().zip(self.axes) {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain meaning: walk the file and compute each element's place from its index.
    fn naive(shape: &[usize], size: usize, file: &[u8]) -> Vec<u8> {
        let mut out = vec![0; file.len()];
        for (k, element) in file.chunks_exact(size).enumerate() {
            let (mut rest, mut place) = (k, 0);
            for (axis, &n) in shape.iter().enumerate() {
                place += rest % n * shape[axis + 1..].iter().product::<usize>();
                rest /= n;
            }
            out[place * size..][..size].copy_from_slice(element);
        }
        out
    }

    #[test]
    fn agrees_with_the_plain_meaning() {
        let shapes: [&[usize]; 9] = [
            &[2, 3],
            &[3, 2, 4],
            &[1, 5, 1, 4],
            &[2, 2, 2, 2, 2],
            &[7, 5000],
            &[5000, 7],
            &[3, 4, 1000],
            &[2, STAGE / 16 + 3],
            &[STAGE / 16 + 3, 2],
        ];
        for shape in shapes {
            for size in [1, 2, 4, 8, 16] {
                let length = shape.iter().product::<usize>() * size;
                let file: Vec<u8> = (0..length).map(|i| (i * 31 + i / 251) as u8).collect();
                let mut out = vec![0; length];
                read_transposed(&mut &file[..], shape, size, &mut out).unwrap();
                assert!(out == naive(shape, size, &file), "{shape:?} of {size} bytes");
            }
        }
    }

    #[test]
    fn a_column_longer_than_the_stage_goes_in_pieces() {
        let shape = [STAGE + 5, 3];
        let file: Vec<u8> = (0..shape[0] * 3).map(|i| (i * 7 + i / 65_521) as u8).collect();
        let mut out = vec![0; file.len()];
        read_transposed(&mut &file[..], &shape, 1, &mut out).unwrap();
        assert!(out == naive(&shape, 1, &file));
    }

    #[test]
    fn same_order() {
        for shape in [&[][..], &[5], &[1, 5], &[5, 1, 1], &[0, 3], &[2, 0, 2]] {
            assert!(!orders_differ(shape), "{shape:?}");
        }
        assert!(orders_differ(&[2, 1, 2]));
    }
}
