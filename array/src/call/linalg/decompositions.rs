//! `np.linalg` beyond products and norms, and what SciPy adds.

use crate::array::Array;
use crate::call::bind::Bound;
use crate::call::linalg::norm::order;
use crate::call::support::FACTORED;
use crate::call::{Function, Value};
use crate::linalg::{Cutoff, Eig, Lstsq, Lu, Norm, Qr, Reflections, Slogdet, Svd, Triangle};
use ndany_core::{DType, Result};

/// Functions of one array that give one.
macro_rules! plain {
    ($($name:literal $facts:expr, $method:ident;)+) => {
        &[$(Function {
            name: $name,
            parameters: "a",
            facts: $facts,
            run: |call| call.array("a")?.$method().map(Value::Array),
        }),+]
    };
}

pub(in crate::call) static PLAIN: &[Function] = plain! {
    "np.linalg.inv" FACTORED.waits("always"), try_inv;
    "np.linalg.det" FACTORED, try_det;
    "np.linalg.eigvals" FACTORED.waits("always"), try_eigvals;
    "sp.linalg.expm" FACTORED.waits("always"), try_expm;
    "sp.linalg.inv" FACTORED.waits("always"), try_inv;
    "sp.linalg.det" FACTORED, try_det;
};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.linalg.cholesky",
        parameters: "a * upper?",
        facts: FACTORED.waits("always"),
        run: |call| {
            let a = call.array("a")?;
            let factor = match call.flag("upper", false)? {
                true => a.try_cholesky_upper(),
                false => a.try_cholesky(),
            };
            factor.map(Value::Array)
        },
    },
    Function { name: "np.linalg.qr", parameters: "a mode?", facts: FACTORED, run: qr },
    Function {
        name: "np.linalg.svd",
        parameters: "a full_matrices? compute_uv? hermitian?",
        facts: FACTORED.waits("always"),
        run: svd,
    },
    Function {
        name: "np.linalg.svdvals",
        parameters: "x",
        facts: FACTORED.waits("always"),
        run: |call| call.array("x")?.try_svdvals().map(Value::Array),
    },
    Function {
        name: "np.linalg.eigh",
        parameters: "a UPLO?",
        facts: FACTORED.waits("always"),
        run: |call| {
            let Eig { eigenvalues: values, eigenvectors: vectors } =
                call.array("a")?.try_eigh(triangle(call)?)?;
            Ok(tuple([values, vectors]))
        },
    },
    Function {
        name: "np.linalg.eigvalsh",
        parameters: "a UPLO?",
        facts: FACTORED.waits("always"),
        run: |call| call.array("a")?.try_eigvalsh(triangle(call)?).map(Value::Array),
    },
    Function {
        name: "np.linalg.eig",
        parameters: "a",
        facts: FACTORED.waits("always"),
        run: |call| {
            let Eig { eigenvalues: values, eigenvectors: vectors } = call.array("a")?.try_eig()?;
            Ok(tuple([values, vectors]))
        },
    },
    Function {
        name: "np.linalg.slogdet",
        parameters: "a",
        facts: FACTORED,
        run: |call| {
            let Slogdet { sign, logabsdet } = call.array("a")?.try_slogdet()?;
            Ok(tuple([sign, logabsdet]))
        },
    },
    Function {
        name: "np.linalg.cond",
        parameters: "x p?",
        facts: FACTORED.waits("by singular values"),
        run: |call| {
            let kind = match call.some("p") {
                None => Norm::Default,
                Some(_) => order(call, "p", Norm::Default)?,
            };
            call.array("x")?.try_cond(kind).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.matrix_rank",
        parameters: "A tol? hermitian? * rtol?",
        facts: FACTORED.waits("of matrices"),
        run: |call| {
            let mut options = relative(call, "rtol")?;
            if call.some("tol").is_some() {
                if call.some("rtol").is_some() {
                    return Err(call.value_error("tol and rtol exclude each other"));
                }
                options = options.atol(&call.array("tol")?);
            }
            let options =
                if call.flag("hermitian", false)? { options.hermitian() } else { options };
            call.array("A")?.try_matrix_rank(options).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.pinv",
        parameters: "a rcond? hermitian? * rtol?",
        facts: FACTORED.waits("always"),
        run: |call| {
            let a = call.array("a")?;
            let options = match (call.some("rcond"), call.get("rtol")) {
                (Some(_), Some(_)) => {
                    return Err(call.value_error("rcond and rtol exclude each other"));
                }
                (Some(_), None) => relative(call, "rcond")?,
                (None, Some(Value::None)) => {
                    let roundoff = match a.dtype().part() {
                        DType::F32 => f64::from(f32::EPSILON),
                        _ => f64::EPSILON,
                    };
                    let extents = a.shape().iter().rev().take(2);
                    Cutoff::from(roundoff * extents.copied().max().unwrap_or(1) as f64)
                }
                (None, Some(_)) => relative(call, "rtol")?,
                (None, None) => Cutoff::new(),
            };
            let options =
                if call.flag("hermitian", false)? { options.hermitian() } else { options };
            a.try_pinv(options).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.solve",
        parameters: "a b",
        facts: FACTORED.waits("always"),
        run: |call| call.array("a")?.try_solve(&call.array("b")?).map(Value::Array),
    },
    Function {
        name: "np.linalg.lstsq",
        parameters: "a b rcond?",
        facts: FACTORED.waits("always"),
        run: lstsq,
    },
    Function {
        name: "np.linalg.tensorsolve",
        parameters: "a b axes?",
        facts: FACTORED.waits("always"),
        run: |call| {
            let axes = match call.some("axes") {
                None => Default::default(),
                Some(axes) => call.ints("axes", axes)?,
            };
            call.array("a")?.try_tensorsolve(&call.array("b")?, &axes).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.tensorinv",
        parameters: "a ind?",
        facts: FACTORED.waits("always"),
        run: |call| {
            let first = call.int("ind")?.unwrap_or(2);
            let first =
                usize::try_from(first).map_err(|_| call.value_error("ind must be at least 1"))?;
            call.array("a")?.try_tensorinv(first).map(Value::Array)
        },
    },
    Function {
        name: "sp.linalg.lu",
        parameters: "a permute_l=False overwrite_a=False check_finite=True p_indices?",
        facts: FACTORED.waits("always"),
        run: lu,
    },
];

fn tuple<const N: usize>(arrays: [Array; N]) -> Value {
    Value::Tuple(arrays.into_iter().map(Value::Array).collect())
}

fn triangle(call: &Bound<'_>) -> Result<Triangle> {
    match call.text("UPLO", "L")? {
        "L" | "l" => Ok(Triangle::Lower),
        "U" | "u" => Ok(Triangle::Upper),
        _ => Err(call.value_error("UPLO must be L or U")),
    }
}

/// A part of the largest singular value, one number or one a matrix.
fn relative(call: &Bound<'_>, name: &str) -> Result<Cutoff> {
    Ok(match call.some(name) {
        None => Cutoff::new(),
        Some(_) => Cutoff::new().rtol(&call.array(name)?),
    })
}

fn qr(call: &Bound<'_>) -> Result<Value> {
    let a = call.array("a")?;
    match call.text("mode", "reduced")? {
        // The second is an old name.
        "reduced" | "full" | "f" => a.try_qr().map(|Qr { q, r }| tuple([q, r])),
        "complete" => a.try_qr_complete().map(|Qr { q, r }| tuple([q, r])),
        "r" => a.try_qr_r().map(Value::Array),
        // LAPACK's matrix is one of columns.
        "raw" => {
            let Reflections { packed, factors } = a.try_qr_reflections()?;
            Ok(tuple([packed.try_swapaxes(-1, -2)?, factors]))
        }
        // An old name, of the packed matrix alone.
        "economic" | "e" => {
            a.try_qr_reflections().map(|Reflections { packed, .. }| Value::Array(packed))
        }
        _ => Err(call.value_error("mode must be reduced, complete, r or raw")),
    }
}

fn svd(call: &Bound<'_>) -> Result<Value> {
    let a = call.array("a")?;
    let (full, hermitian) = (call.flag("full_matrices", true)?, call.flag("hermitian", false)?);
    if !call.flag("compute_uv", true)? {
        return match hermitian {
            true => a.try_svd_hermitian().map(|Svd { s, .. }| Value::Array(s)),
            false => a.try_svdvals().map(Value::Array),
        };
    }
    let Svd { u, s, vh } = match (hermitian, full) {
        (true, _) => a.try_svd_hermitian()?,
        (false, true) => a.try_svd()?,
        (false, false) => a.try_svd_thin()?,
    };
    Ok(tuple([u, s, vh]))
}

fn lstsq(call: &Bound<'_>) -> Result<Value> {
    let options = match call.some("rcond") {
        None => Cutoff::new(),
        Some(_) => match call.float("rcond")? {
            Some(part) => Cutoff::from(part),
            None => Cutoff::new(),
        },
    };
    let solved = call.array("a")?.try_lstsq(&call.array("b")?, options)?;
    let Lstsq { x, residuals, rank, s } = solved;
    let _guard = x.device().enter();
    let rank = crate::array::try_full((), rank as i64, DType::I32)?;
    Ok(tuple([x, residuals, rank, s]))
}

fn lu(call: &Bound<'_>) -> Result<Value> {
    let Lu { p: order, l, u } = call.array("a")?.try_lu()?;
    // Where each row of the matrix went: the inverse of where each row of the product comes from.
    let indices = order.try_argsort(-1)?;
    if call.flag("p_indices", false)? {
        return Ok(tuple([indices, l, u]));
    }
    let rows = *order.shape().last().unwrap_or(&0);
    let _guard = order.device().enter();
    let places = crate::array::try_arange((0i64, rows as i64, 1i64))?;
    let p = indices.try_expand_dims(-1)?.try_equal(&places)?.try_astype(l.dtype())?;
    Ok(tuple([p, l, u]))
}
