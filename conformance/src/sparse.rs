//! Operations of sparse arrays, which cases call `FORMAT.NAME` and give as parts: `data, indices, indptr` (of coordinates `data,
//! row, column`), the shape, then operands. A second sparse operand is parts and a shape of the same format. Sparse results are
//! made dense, those of conversions are their parts.

use ndany::call::Value;
use ndany::sparse::{self, Sparse};
use ndany::{Array, Error, attempt};

/// The format and the name of an operation, if it is one of sparse arrays.
pub(crate) fn parts(op: &str) -> Option<(&str, &str)> {
    op.split_once('.').filter(|(format, _)| matches!(*format, "csr" | "csc" | "coo"))
}

/// Runs an operation of sparse arrays, if it is one.
pub(crate) fn call(op: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    parts(op).map(|(format, name)| {
        let run = || {
            let a = array_of(format, args)?;
            operation(format, name, &a, args.get(4..).unwrap_or(&[]))
        };
        attempt(run).and_then(|made| made.ok_or_else(|| unknown(op)))
    })
}

fn unknown(op: &str) -> Error {
    let reason =
        "there is no such operation of sparse arrays, or not of these arguments".to_string();
    Error::Unsupported { op: op.to_string(), reason }
}

/// A sparse array of its first four arguments.
fn array_of(format: &str, args: &[Value]) -> Option<Sparse> {
    let [Value::Array(data), Value::Array(first), Value::Array(second), Value::Tuple(shape), ..] =
        args
    else {
        return None;
    };
    let extents: Vec<usize> =
        shape.iter().filter_map(|extent| integer(extent)?.try_into().ok()).collect();
    let shape = <[usize; 2]>::try_from(extents).ok()?;
    Some(match format {
        "csr" => sparse::csr_array((data, first, second), shape),
        "csc" => sparse::csc_array((data, first, second), shape),
        _ => sparse::coo_array((data, (first, second)), shape),
    })
}

fn integer(value: &Value) -> Option<i64> {
    let Value::Scalar(scalar) = value else { return None };
    match scalar.number() {
        ndany::Number::Int(value) => i64::try_from(value).ok(),
        _ => None,
    }
}

fn operation(format: &str, name: &str, a: &Sparse, rest: &[Value]) -> Option<Value> {
    let dense = |array: Array| Some(Value::Array(array));
    let parts = |made: Sparse| {
        let (rows, columns) = made.coords();
        let parts = match made.format() {
            sparse::Format::Coo => [made.data(), rows, columns],
            _ => [made.data(), made.indices(), made.indptr()],
        };
        Some(Value::List(parts.map(Value::Array).into()))
    };
    let other = || array_of(format, rest);
    let merged = |f: fn(&Sparse, &Sparse) -> Sparse| dense(f(a, &other()?).to_dense());
    let axis = || match rest {
        [Value::None] => Some(sparse::Along::from(..)),
        [axis] => Some(sparse::Along::from(integer(axis)? as isize)),
        _ => None,
    };
    match name {
        "matvec" | "matmul_dense" => match rest {
            [Value::Array(x)] => dense(a.matmul(x)),
            _ => None,
        },
        "rmatvec" => match rest {
            [Value::Array(x)] => dense(a.rmatmul(x)),
            _ => None,
        },
        "matmul_sparse" => merged(|a, b| a.matmul(b)),
        "add" => merged(|a, b| a + b),
        "subtract" => merged(|a, b| a - b),
        "multiply" => merged(|a, b| a * b),
        "maximum" => merged(Sparse::maximum),
        "minimum" => merged(Sparse::minimum),
        "not_equal" => merged(Sparse::not_equal),
        "less" => merged(Sparse::less),
        "greater" => merged(Sparse::greater),
        "toarray" => dense(a.to_dense()),
        "transpose" => dense(a.transpose().to_dense()),
        "tocsr" => parts(a.to_csr()),
        "tocsc" => parts(a.to_csc()),
        "tocoo" => parts(a.to_coo()),
        "sum_duplicates" => parts(a.sum_duplicates()),
        "sort_indices" => parts(a.sort_indices()),
        "eliminate_zeros" => parts(a.eliminate_zeros()),
        "diagonal" => match rest {
            [] => dense(a.diagonal(0)),
            [k] => dense(a.diagonal(integer(k)? as isize)),
            _ => None,
        },
        "sum" => dense(a.sum(axis()?)),
        "mean" => dense(a.mean(axis()?)),
        "min" => dense(a.min(axis()?)),
        "max" => dense(a.max(axis()?)),
        _ => None,
    }
}
