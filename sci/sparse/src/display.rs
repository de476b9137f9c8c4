//! Printed arrays, as SciPy prints them.

use std::fmt;

use ndany_array::{Array, concatenate, s};

use crate::array::{Format, Sparse};

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
        let ([m, n], nnz, dtype) = (self.shape(), self.nnz(), self.dtype());
        writeln!(f, "<{name} sparse array of dtype '{dtype}'")?;
        write!(f, "\twith {nnz} stored elements{more} and shape ({m}, {n})>")?;
        if nnz == 0 {
            return Ok(());
        }
        let entries = match self.format() {
            Format::Csr | Format::Csc | Format::Coo => self.entries(),
            // Zeros of diagonals and blocks are not shown.
            Format::Dia | Format::Bsr => self.to_coo().entries(),
        };
        let count = entries[2].size() as isize;
        let part = |array: &Array| match count > SHOWN {
            true => {
                let (first, last) = (array.i(s![..SHOWN / 2]), array.i(s![count - SHOWN / 2..]));
                concatenate([&first, &last], 0)
            }
            false => array.clone(),
        };
        let [rows, columns, values] = [&entries[0], &entries[1], &entries[2]].map(part);
        let failed = |_| fmt::Error;
        let read = |array: &Array| crate::support::wide(array).to_vec::<i64>().map_err(failed);
        let (rows, columns) = (read(&rows)?, read(&columns)?);
        write!(f, "\n  Coords\tValues")?;
        for (number, (row, column)) in rows.iter().zip(&columns).enumerate() {
            if count > SHOWN && number as isize == SHOWN / 2 {
                write!(f, "\n  :\t:")?;
            }
            write!(f, "\n  ({row}, {column})\t{}", values.i(number))?;
        }
        Ok(())
    }
}
