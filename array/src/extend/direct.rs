//! Factorizations of sparse arrays by a vendor's library, for the crate of sparse arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ndany_core::backend::{self, Checked, SparseMatrix, SparseSystem};
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

use super::sparse::{CheckedRows, Packed};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::Array;
use crate::graph::node::Node;

/// A square sparse array that a library of its device has analyzed, with values. Those of an array share the analysis, and the library
/// keeps the factors of the values that were used last: others are factorized again.
#[derive(Clone, Debug)]
pub struct SparseFactor {
    factor: Arc<dyn backend::SparseFactor>,
    rows: CheckedRows,
    values: Array,
    /// Tells values apart.
    number: u64,
}

/// A number that no other values have.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl SparseFactor {
    /// Whether the device has such a library, which may be asked now.
    ///
    /// - **Errors**: no memory in which the library can start.
    #[track_caller]
    pub fn is_there(device: &Device) -> Result<bool> {
        device.backend().direct_solver().map_or(Ok(false), |solver| solver.is_there())
    }

    /// Analyzes the places; nothing where the device has no library, or where it refuses the array. Pending values are computed first.
    ///
    /// - **Shapes**: `(n, n)`, with a value for each entry; `n` and the number of entries are not 0.
    /// - **Dtypes**: float64 or complex128.
    /// - **Errors**: columns that do not rise in a row, and what fails on the device.
    #[track_caller]
    pub fn new(rows: CheckedRows, values: &Array) -> Result<Option<Self>> {
        let device = values.device();
        let suits = matches!(values.dtype(), DType::F64 | DType::C128) && values.size() > 0;
        let Some(solver) = device.backend().direct_solver().filter(|_| suits) else {
            return Ok(None);
        };
        let [count, columns] = rows.shape;
        let meet = rows.indices.device() == device && values.shape() == rows.indices.shape();
        if !meet || count != columns || count == 0 {
            return Ok(None);
        }
        if !rows.rise()? {
            let reason = "the columns of a row rise".to_string();
            return Err(Error::ArgumentValue { op: "splu".to_string(), reason });
        }
        let places = Places::of(&rows, values)?;
        let matrix = places.matrix();
        let span = crate::spans::launch_of(device.backend(), "splu", &[count, values.size()]);
        let factor = Checked::new(&matrix).and_then(|matrix| solver.analyze(matrix));
        drop(span);
        let factor = factor.map_err(|error| error.of_memory_for("splu"))?;
        let values = values.clone();
        Ok(factor.map(|factor| Self { factor, rows, values, number: number() }))
    }

    /// The same places with other values.
    ///
    /// - **Shapes**: a value for each entry.
    /// - **Dtypes**: as the values before.
    /// - **Errors**: another shape or dtype, or another device.
    #[track_caller]
    pub fn with_values(&self, values: &Array) -> Result<Self> {
        let own = &self.values;
        if (values.shape(), values.dtype(), values.device())
            != (own.shape(), own.dtype(), own.device())
        {
            let reason = format!(
                "expected {} values of {} on {}, got {:?} of {} on {}",
                own.size(),
                own.dtype(),
                own.device(),
                values.shape(),
                values.dtype(),
                values.device(),
            );
            return Err(Error::ArgumentValue { op: "refactor".to_string(), reason });
        }
        Ok(Self { values: values.clone(), number: number(), ..self.clone() })
    }

    /// Solves systems, each a row of `right`; factorizes first where other values were used before. Nothing where the library refuses, or
    /// had to replace a pivot. Pending operands are computed first.
    ///
    /// - **Shapes**: `(k, n) → (k, n)`.
    /// - **Dtypes**: that of the values.
    /// - **Errors**: another shape, dtype or device, and what fails on the device.
    #[track_caller]
    pub fn solve(&self, right: &Array, is_adjoint: bool) -> Result<Option<Array>> {
        const OP: &str = "solve";
        let (n, dtype, device) = (self.rows.shape[0], self.values.dtype(), self.values.device());
        let &[columns, extent] = right.shape() else {
            let expected = format!("a matrix of rows of {n} elements");
            return Err(Error::Shape { op: OP, expected, got: right.shape().into() });
        };
        if extent != n || right.dtype() != dtype || right.device() != device {
            let expected = format!("rows of {n} elements of {dtype} on {device}");
            return Err(Error::Shape { op: OP, expected, got: right.shape().into() });
        }
        let shape = Shape::from_slice(&[columns, n]);
        if columns == 0 {
            return Ok(Some(right.clone()));
        }
        let places = Places::of(&self.rows, &self.values)?;
        let sides = Packed::of(right)?;
        let size = ndany_core::shape::checked_size(OP, &shape, dtype)?;
        let out = Buffer::allocate(OP, device.backend(), size * dtype.size())?;
        let system = SparseSystem {
            matrix: places.matrix(),
            values: self.number,
            is_adjoint,
            columns,
            right: sides.view(),
            out: out.packed(0),
        };
        let span = crate::spans::launch_of(device.backend(), OP, &[columns, n]);
        let solved = Checked::new(&system).and_then(|system| self.factor.solve(system));
        drop(span);
        if !solved.map_err(|error| error.of_memory_for(OP))? {
            return Ok(None);
        }
        let layout = Layout::contiguous(&shape);
        Ok(Some(Array::of_node(Node::done(OP, layout.shape, dtype, device.clone(), Ok(out)))))
    }
}

/// The memory of an array's places and values.
struct Places {
    dtype: DType,
    index_dtype: DType,
    rows: usize,
    entries: usize,
    indptr: Packed,
    indices: Packed,
    values: Packed,
}

impl Places {
    fn of(rows: &CheckedRows, values: &Array) -> Result<Self> {
        Ok(Self {
            dtype: values.dtype(),
            index_dtype: rows.indices.dtype(),
            rows: rows.shape[0],
            entries: values.size(),
            indptr: Packed::of(&rows.indptr)?,
            indices: Packed::of(&rows.indices)?,
            values: Packed::of(values)?,
        })
    }

    fn matrix(&self) -> SparseMatrix<'_> {
        let Self { dtype, index_dtype, rows, entries, .. } = *self;
        SparseMatrix {
            dtype,
            index_dtype,
            rows,
            entries,
            indptr: self.indptr.view(),
            indices: self.indices.view(),
            values: self.values.view(),
        }
    }
}
