//! Printed arrays, as SciPy prints them.

use std::fmt;

use ndany_array::{Array, DType, concatenate, s};
use ndany_core::ShapeText;

use crate::array::{Format, Sparse};
use crate::tensor::SparseNd;

/// Entries that are printed; of more the first and the last ones.
const SHOWN: isize = 50;

impl fmt::Display for Sparse {
    /// Writes what `print(a)` writes in SciPy: a headline, then places and values, 50 at most.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, more) = match self.format() {
            Format::Csr => ("Compressed Sparse Row", String::new()),
            Format::Csc => ("Compressed Sparse Column", String::new()),
            Format::Coo => ("COOrdinate", String::new()),
            Format::Dia => {
                let diagonals = self.values().shape()[0];
                ("DIAgonal", format!(" ({diagonals} diagonals)"))
            }
            Format::Bsr => {
                let shape = self.values().shape();
                ("Block Sparse Row", format!(" (blocksize={}x{})", shape[1], shape[2]))
            }
        };
        let entries = match self.format() {
            Format::Csr | Format::Csc | Format::Coo => self.entries(),
            // Zeros of diagonals and blocks are not shown.
            Format::Dia | Format::Bsr => self.to_coo().entries(),
        };
        let [rows, columns, values] = entries;
        let ([m, n], dtype) = (self.shape(), self.dtype());
        let headline = Headline { name, dtype, nnz: self.nnz(), more };
        write(f, headline, &[m, n], &[rows, columns], &values)
    }
}

impl fmt::Display for SparseNd {
    /// Writes what `print(a)` writes in SciPy, as for [`Sparse`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = Headline {
            name: "COOrdinate",
            dtype: self.dtype(),
            nnz: self.nnz(),
            more: String::new(),
        };
        write(f, headline, self.shape(), &self.coords(), &self.data())
    }
}

struct Headline {
    name: &'static str,
    dtype: DType,
    nnz: usize,
    more: String,
}

/// Writes a headline, and places and values where any are stored.
fn write(
    f: &mut fmt::Formatter<'_>,
    Headline { name, dtype, nnz, more }: Headline,
    shape: &[usize],
    coords: &[Array],
    values: &Array,
) -> fmt::Result {
    writeln!(f, "<{name} sparse array of dtype '{dtype}'")?;
    write!(f, "\twith {nnz} stored elements{more} and shape {}>", ShapeText(shape.to_vec()))?;
    if nnz == 0 {
        return Ok(());
    }
    let count = values.size() as isize;
    let part = |array: &Array| match count > SHOWN {
        true => {
            let (first, last) = (array.i(s![..SHOWN / 2]), array.i(s![count - SHOWN / 2..]));
            concatenate([&first, &last], 0)
        }
        false => array.clone(),
    };
    let values = part(values);
    let read = |array: &Array| crate::support::wide(&part(array)).to_vec::<i64>();
    let coords = coords.iter().map(read).collect::<Result<Vec<_>, _>>().map_err(|_| fmt::Error)?;
    write!(f, "\n  Coords\tValues")?;
    for number in 0..values.size() {
        if count > SHOWN && number as isize == SHOWN / 2 {
            write!(f, "\n  :\t:")?;
        }
        let own: Vec<i64> = coords.iter().map(|part| part[number]).collect();
        write!(f, "\n  {}\t{}", ShapeText(own), values.i(number))?;
    }
    Ok(())
}
