//! Values made of several calls whose bits are the same on every device.

use ndany::call::{Value, call};
use ndany::{Array, DType, Index, Result, checked, eye};

use crate::program::Composed;

fn np(name: &str, args: &[Value]) -> Result<Array> {
    Ok(call(name, args, &[])?.into_array().expect("an array"))
}

/// Of a matrix of integers: small ones of either sign.
fn small(x: &Array) -> Result<Array> {
    checked::astype(&np("np.remainder", &[x.into(), 3.into()])?, DType::F64)
}

/// The same with a diagonal that dominates.
fn dominated(x: &Array) -> Result<Array> {
    let n = x.shape()[x.ndim() - 1];
    Ok(small(x)? + eye(n) * (3 * n) as f64)
}

/// Floats that are integers but for rounding.
fn rounded(x: &Array) -> Result<Array> {
    checked::astype(&np("np.rint", &[x.into()])?, DType::I64)
}

/// `first`, followed by as much of `flat` as is missing.
fn filled(first: Array, flat: &Array) -> Result<Array> {
    let both = Value::Tuple(vec![first.into(), flat.into()]);
    np("np.concatenate", &[both])?.try_i(..flat.size() as isize)
}

/// Each position of `x`, in an order that it makes.
fn positions(x: &Array) -> Result<Array> {
    let flat = checked::reshape(x, -1)?;
    let kind = ("kind".to_string(), Value::from("stable"));
    Ok(call("np.argsort", &[flat.into()], &[kind])?.into_array().expect("an array"))
}

pub fn composed(what: Composed, args: &[Array]) -> Result<Array> {
    let first = &args[0];
    let flat = || checked::reshape(first, -1);
    match what {
        Composed::Selected => {
            let flat = flat()?;
            filled(np("np.extract", &[(&flat).into(), (&flat).into()])?, &flat)
        }
        Composed::Unique => {
            let flat = flat()?;
            filled(np("np.unique", &[(&flat).into()])?, &flat)
        }
        Composed::Gathered => {
            let count = Value::from(first.size().max(1) as i64);
            let positions = np("np.remainder", &[positions(&args[1])?.into(), count])?;
            np("np.take", &[flat()?.into(), positions.into()])
        }
        Composed::Scattered => {
            let mut flat = flat()?;
            let positions = positions(&args[1])?;
            let moved = flat.try_i(..positions.size() as isize)?;
            checked::set(&mut flat, &[Index::Array(Box::new(positions))][..], moved)?;
            Ok(flat)
        }
        Composed::Solved => {
            let a = dominated(first)?;
            let wanted = small(&first.swapaxes(-1, -2))?;
            let right = np("np.matmul", &[(&a).into(), wanted.into()])?;
            rounded(&np("np.linalg.solve", &[a.into(), right.into()])?)
        }
        Composed::Cholesky => {
            let lower = np("np.tril", &[dominated(first)?.into()])?;
            let product = np("np.matmul", &[(&lower).into(), lower.swapaxes(-1, -2).into()])?;
            rounded(&np("np.linalg.cholesky", &[product.into()])?)
        }
        Composed::Qr => match call("np.linalg.qr", &[dominated(first)?.into()], &[])? {
            Value::Tuple(factors) => rounded(&np("np.matmul", &factors)?),
            other => panic!("qr gives two factors, not {other:?}"),
        },
        Composed::Fourier => {
            let there = np("np.fft.fft", &[small(first)?.into()])?;
            let back = np("np.fft.ifft", &[there.into()])?;
            rounded(&np("np.real", &[back.into()])?)
        }
    }
}
