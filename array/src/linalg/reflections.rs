//! QR as LAPACK leaves it: Householder's reflections, from the factors that devices give.
//!
//! `q` is a product of reflections `H_1 · … · H_k` with `H_j = I - tau_j · v_j · v_jʰ`. One after the other they are read
//! off the columns of `q`: without the reflections before it, column `j` is `e_j - tau_j · v_j`. Taking one away is a step
//! of Gaussian elimination, whose pivots `tau_j` have a real part of 1 at least (Ballard et al., "Reconstructing
//! Householder vectors from tall-skinny QR", 2014). Devices differ in the phase of each column; LAPACK's diagonal of `r`
//! is real, of the sign that the matrix's element had not.

use super::factors::Qr;
use super::task::{extents, inexact};
use crate::array::{Array, try_arange, try_concatenate, try_zeros};
use crate::declare::array_functions;
use crate::elementwise::try_where;
use ndany_core::shape::Shape;
use ndany_core::{DType, Result};

/// `a = q · r` as LAPACK's `geqrf` packs it.
#[derive(Clone, Debug)]
pub struct Reflections {
    /// Of the matrix's shape: on and above the diagonal `r`, below it the vectors of the reflections, a column each,
    /// without the 1 that each has on the diagonal.
    pub packed: Array,
    /// The factor of each reflection (LAPACK's `tau`).
    pub factors: Array,
}

array_functions! {
    mod reflections, checked;

    /// Returns the QR factorization as LAPACK leaves it, as `np.linalg.qr(mode="raw")`.
    ///
    /// NumPy's first result is the transpose of `packed`. It is computed from [`qr`](crate::linalg::qr), in as many steps as there
    /// are reflections.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n), (…, min(m, n))`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::linalg::{self, Reflections};
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3.0, 5.0], [4.0, 10.0]]);
    /// let Reflections { packed, factors } = linalg::qr_reflections(&a);
    /// assert!(packed.allclose(&Array::from([[-5.0, -11.0], [0.5, 2.0]]), ..)?);
    /// assert!(factors.allclose(&Array::from([1.6, 0.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    qr_reflections / try_qr_reflections (self) -> Reflections {
        const OP: &str = "qr";
        let a = inexact(OP, self)?;
        let (outer, [m, n]) = extents(OP, &a)?;
        let k = m.min(n);
        let _guard = a.device().enter();
        let zeros = |tail: &[usize]| {
            let shape: Shape = outer.iter().chain(tail).copied().collect();
            try_zeros(shape.as_slice(), a.dtype())
        };
        if k == 0 {
            return Ok(Reflections { packed: zeros(&[m, n])?, factors: zeros(&[0])? });
        }
        let Qr { q, r } = a.try_qr()?;
        let rows = try_arange((0i64, m as i64, 1i64))?.try_expand_dims(-1)?;
        let (mut left, mut vectors, mut factors, mut phases) = (q, vec![], vec![], vec![]);
        for j in 0..k as isize {
            let column = left.try_i((crate::Ellipsis, j..j + 1))?;
            let step = Step::new(&column, &r, &rows, j)?;
            let row = left.try_i((crate::Ellipsis, j..j + 1, ..))?;
            left = left.try_subtract(&step.vector.try_multiply(&row)?)?;
            vectors.push(step.vector);
            factors.push(step.factor.try_squeeze(-1)?);
            phases.push(step.phase);
        }
        let join = |parts: &[Array], axis| try_concatenate(&parts.iter().collect::<Vec<_>>(), axis);
        let phases = join(&phases, -2)?;
        let conjugated = if a.dtype().is_complex() { phases.try_conjugate()? } else { phases };
        let mut upper = r.try_multiply(conjugated)?.try_triu(0)?;
        let mut lower = join(&vectors, -1)?;
        if m > n {
            upper = join(&[upper, zeros(&[m - n, n])?], -2)?;
        }
        if n > m {
            lower = join(&[lower, zeros(&[m, n - m])?], -1)?;
        }
        Ok(Reflections { packed: upper.try_add(lower)?, factors: join(&factors, -1)? })
    }
}

/// One reflection of each matrix.
struct Step {
    /// Zero on and above the diagonal.
    vector: Array,
    factor: Array,
    /// What the device's column of `q` is to be multiplied by.
    phase: Array,
}

impl Step {
    /// Of column `j` of `q` without the reflections before it.
    fn new(column: &Array, r: &Array, rows: &Array, j: isize) -> Result<Self> {
        let single = column.dtype().part() == DType::F32;
        let near = 64.0 * if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let at = (crate::Ellipsis, j..j + 1, j..j + 1);
        let top = column.try_i((crate::Ellipsis, j..j + 1, ..))?;
        let diagonal = r.try_i(at)?;
        // A column of zeros has no length to go by; that of q has one all the same.
        let diagonal = try_where(diagonal.try_equal(0)?, 1.0, &diagonal)?.try_astype(r.dtype())?;
        let (head, length) = (diagonal.try_multiply(&top)?, diagonal.try_absolute()?);
        // A head that is zero but for roundings counts as a positive one, as LAPACK's zero does.
        let part = head.try_real()?;
        let negative = part.try_less(length.try_multiply(-near)?)?;
        let turned = try_where(negative, &length, length.try_negative()?)?;
        let phase = diagonal.try_divide(&turned)?;
        // A column that was zero below the diagonal already, and its head real, is not reflected.
        let below = rows.try_greater(j as i64)?;
        let tail = try_where(&below, column.try_absolute()?, 0.0)?.try_max(-2)?;
        let still = tail.try_expand_dims(-2)?.try_less(near)?;
        let still = still.try_logical_and(top.try_real()?.try_greater(0.5)?)?;
        let aside = head.try_imag()?.try_absolute()?;
        let still = still.try_logical_and(aside.try_less_equal(length.try_multiply(near)?)?)?;
        let factor = phase.try_multiply(&top)?.try_negative()?.try_add(1.0)?;
        let vector = column.try_multiply(&phase)?.try_divide(factor.try_negative()?)?;
        let zero = still.try_logical_or(below.try_logical_not()?)?;
        Ok(Self {
            vector: try_where(zero, 0.0, vector)?.try_astype(r.dtype())?,
            factor: try_where(&still, 0.0, factor)?.try_astype(r.dtype())?,
            phase: try_where(&still, 1.0, phase)?.try_astype(r.dtype())?,
        })
    }
}
