//! Operations of sparse arrays, which cases call `FORMAT.NAME` and give as parts: `data, indices, indptr` (of coordinates `data,
//! row, column`), the shape, then operands. A second sparse operand is parts and a shape of the same format. Sparse results are
//! made dense, those of conversions are their parts.

use ndany::call::Value;
use ndany::sparse::csgraph::{self, Connection, Laplacian, Route};
use ndany::sparse::linalg::{self, Iteration, Norm, Spectrum, Which};
use ndany::sparse::{self, Other, Sparse, SparseNd};
use ndany::{Array, Error, Result, Scalar, attempt};

/// The format and the name of an operation, if it is one of sparse arrays.
pub(crate) fn parts(op: &str) -> Option<(&str, &str)> {
    op.split_once('.').filter(|(format, _)| matches!(*format, "csr" | "csc" | "coo"))
}

/// Runs an operation of sparse arrays, if it is one.
pub(crate) fn call(op: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    parts(op).map(|(format, name)| {
        let run = || {
            let a = array_of(format, args)?;
            let rest = args.get(4..).unwrap_or(&[]);
            let fallible =
                || solved(name, &a, rest).transpose().or_else(|| graph(name, &a, rest).transpose());
            operation(format, name, &a, rest).map(Ok).or_else(fallible)
        };
        attempt(run).and_then(|made| made.unwrap_or_else(|| Err(unknown(op))))
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
    let compared = |f: fn(&Sparse, Other) -> Sparse| {
        let other = match rest {
            [Value::Scalar(number)] => Other::Number(*number),
            [Value::Array(array)] => Other::Dense(array.clone()),
            _ => Other::Sparse(other()?),
        };
        dense(f(a, other).to_dense())
    };
    let axis = || match rest {
        [Value::None] => Some(sparse::Along::from(..)),
        [axis] => Some(sparse::Along::from(integer(axis)? as isize)),
        _ => None,
    };
    if name.starts_with("nd_") {
        return of_many_axes(name, a, rest);
    }
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
        "equal" => compared(|a, b| a.equal(b)),
        "not_equal" => compared(|a, b| a.not_equal(b)),
        "less" => compared(|a, b| a.less(b)),
        "less_equal" => compared(|a, b| a.less_equal(b)),
        "greater" => compared(|a, b| a.greater(b)),
        "greater_equal" => compared(|a, b| a.greater_equal(b)),
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
        "nanmin" => dense(a.nanmin(axis()?)),
        "nanmax" => dense(a.nanmax(axis()?)),
        "min" => dense(a.min(axis()?)),
        "max" => dense(a.max(axis()?)),
        "argmin" => dense(a.argmin(axis()?)),
        "argmax" => dense(a.argmax(axis()?)),
        "kron" => merged(|a, b| sparse::kron(a, b)),
        "kronsum" => merged(|a, b| sparse::kronsum(a, b)),
        "imag" => dense(a.imag().to_dense()),
        "reshape" => match rest {
            [m, n] => dense(a.reshape([integer(m)? as usize, integer(n)? as usize]).to_dense()),
            _ => None,
        },
        "setdiag" => match rest {
            [Value::Array(values), k] => {
                let mut own = a.clone();
                own.setdiag(values, integer(k)? as isize);
                dense(own.to_dense())
            }
            _ => None,
        },
        "hstack" => merged(|a, b| sparse::hstack([a, b])),
        "vstack" => merged(|a, b| sparse::vstack([a, b])),
        "block_diag" => merged(|a, b| sparse::block_diag([a, b])),
        "tril" => dense(sparse::tril(a, integer(rest.first()?)? as isize).to_dense()),
        "triu" => dense(sparse::triu(a, integer(rest.first()?)? as isize).to_dense()),
        "find" => {
            let (rows, columns, values) = sparse::find(a);
            Some(Value::List([rows, columns, values].map(Value::Array).into()))
        }
        "at" => match rest {
            [Value::Array(rows), Value::Array(columns)] => dense(a.at(rows, columns)),
            _ => None,
        },
        "set" => match rest {
            [Value::Array(rows), Value::Array(columns), value] => {
                let mut own = a.clone();
                match value {
                    Value::Scalar(number) => own.set((rows, columns), *number),
                    Value::Array(value) => own.set((rows, columns), value),
                    _ => return None,
                }
                dense(own.to_dense())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Operations of arrays of any number of axes, whose elements are one row. The shape comes first, then lists of axes, or what is
/// multiplied and its axes.
fn of_many_axes(name: &str, a: &Sparse, rest: &[Value]) -> Option<Value> {
    let list = |value: Option<&Value>| -> Option<Vec<isize>> {
        let Value::Tuple(items) = value? else { return None };
        items.iter().map(|item| integer(item)?.try_into().ok()).collect()
    };
    let extents = |value: Option<&Value>| -> Option<Vec<usize>> {
        list(value)?.into_iter().map(|extent| extent.try_into().ok()).collect()
    };
    let a = SparseNd::from(a).reshape(extents(rest.first())?);
    let dense = |made: Array| Some(Value::Array(made));
    match (name, rest.get(1)) {
        ("nd_toarray", None) => dense(a.to_dense()),
        ("nd_sum", Some(Value::None)) => dense(a.sum(..)),
        ("nd_sum", axes) => dense(a.sum(&list(axes)?[..])),
        ("nd_transpose", Some(Value::None)) => dense(a.transpose(..).to_dense()),
        ("nd_transpose", axes) => dense(a.transpose(&list(axes)?[..]).to_dense()),
        ("nd_reshape", shape) => dense(a.reshape(extents(shape)?).to_dense()),
        ("nd_coords", None) => {
            Some(Value::List(a.coords().into_iter().map(Value::Array).collect()))
        }
        ("nd_tensordot", Some(Value::Array(other))) => {
            let (own, others) = (list(rest.get(2))?, list(rest.get(3))?);
            dense(a.tensordot(other, &own[..], &others[..]))
        }
        ("nd_tensordot_sparse", Some(Value::Array(other))) => {
            let (own, others) = (list(rest.get(2))?, list(rest.get(3))?);
            dense(a.tensordot(&SparseNd::from(other), &own[..], &others[..]).to_dense())
        }
        ("nd_arithmetic", Some(Value::Array(other))) => {
            let other = SparseNd::from(other);
            let made = [&a + &other, &a - &other, &a * &other, &a * 2, -&a];
            Some(Value::List(made.map(|made| Value::Array(made.to_dense())).into()))
        }
        _ => None,
    }
}

/// A solver of equations or of least squares.
type Solver = fn(&Sparse, &Array, Iteration) -> Result<linalg::Solution>;

const SOLVERS: [(&str, Solver); 12] = [
    ("cg", |a, b, options| linalg::cg(a, b, options)),
    ("cgs", |a, b, options| linalg::cgs(a, b, options)),
    ("bicg", |a, b, options| linalg::bicg(a, b, options)),
    ("bicgstab", |a, b, options| linalg::bicgstab(a, b, options)),
    ("gmres", |a, b, options| linalg::gmres(a, b, options)),
    ("lgmres", |a, b, options| linalg::lgmres(a, b, options)),
    ("gcrotmk", |a, b, options| linalg::gcrotmk(a, b, options)),
    ("minres", |a, b, options| linalg::minres(a, b, options)),
    ("qmr", |a, b, options| linalg::qmr(a, b, options)),
    ("tfqmr", |a, b, options| linalg::tfqmr(a, b, options)),
    ("lsqr", |a, b, options| linalg::lsqr(a, b, options)),
    ("lsmr", |a, b, options| linalg::lsmr(a, b, options)),
];

/// Operations of `scipy.sparse.linalg`.
fn solved(name: &str, a: &Sparse, rest: &[Value]) -> Result<Option<Value>> {
    let array = |number: usize| match rest.get(number) {
        Some(Value::Array(array)) => Some(array),
        _ => None,
    };
    let count = |number: usize| integer(rest.get(number)?)?.try_into().ok();
    if let Some((_, solve)) = SOLVERS.iter().find(|(own, _)| *own == name) {
        let Some(b) = array(0) else { return Ok(None) };
        let options = Iteration::new().rtol(1e-11).maxiter(2000);
        return Ok(Some(Value::Array(solve(a, b, options)?.x)));
    }
    let made = match (name, array(0), count(0)) {
        ("spsolve", Some(b), _) => linalg::spsolve(a, b)?,
        ("splu_adjoint", Some(b), _) => linalg::splu(a)?.solve_adjoint(b)?,
        ("spsolve_triangular", Some(b), _) => linalg::spsolve_triangular(a, b, ..)?,
        ("expm_multiply", Some(b), _) => linalg::expm_multiply(a, b, 1.0)?,
        ("lobpcg", Some(x), _) => linalg::lobpcg(a, x, Iteration::new().rtol(1e-9).maxiter(500))?.0,
        ("eigsh_largest", None, Some(k)) => {
            linalg::eigsh(a, k, Spectrum::new().which(Which::Largest))?.0
        }
        ("eigsh_magnitude", None, Some(k)) => linalg::eigsh(a, k, ..)?.0,
        ("eigsh_inverse", None, Some(k)) => {
            linalg::eigsh(a, k, Spectrum::new().sigma(0.0, &linalg::splu(a)?))?.0
        }
        ("inv", ..) => linalg::inv(a)?.to_dense(),
        ("expm", ..) => linalg::expm(a)?.to_dense(),
        ("eigs_inverse", None, Some(k)) => {
            linalg::eigs(a, k, Spectrum::new().sigma(0.0, &linalg::splu(a)?))?.0
        }
        (name, None, Some(k)) if name.starts_with("eigs_") => {
            let which = match name {
                "eigs_LM" => Which::LargestMagnitude,
                "eigs_SM" => Which::SmallestMagnitude,
                "eigs_LR" => Which::Largest,
                "eigs_SR" => Which::Smallest,
                "eigs_LI" => Which::LargestImaginary,
                "eigs_SI" => Which::SmallestImaginary,
                _ => return Ok(None),
            };
            linalg::eigs(a, k, Spectrum::new().which(which))?.0
        }
        ("svds", None, Some(k)) => linalg::svds(a, k, ..)?.1,
        ("onenormest", ..) => Array::from([linalg::onenormest(a)?]).i(0),
        ("norm_1", ..) => linalg::norm(a, Norm::One),
        ("norm_inf", ..) => linalg::norm(a, Norm::Infinity),
        ("norm_fro", ..) => linalg::norm(a, Norm::Frobenius),
        _ => return Ok(None),
    };
    Ok(Some(Value::Array(made)))
}

/// Operations of `scipy.sparse.csgraph`.
fn graph(name: &str, a: &Sparse, rest: &[Value]) -> Result<Option<Value>> {
    let list =
        |arrays: Vec<Array>| Some(Value::List(arrays.into_iter().map(Value::Array).collect()));
    let number = |number: i64| Some(Value::Scalar(Scalar::from(number)));
    let flag = |place: usize| rest.get(place).and_then(integer).unwrap_or(0);
    let node = flag(0) as usize;
    let route = || Route::new().directed(flag(0) != 0).unweighted(flag(1) != 0);
    let paths = |paths: csgraph::Paths| list(vec![paths.distances, paths.predecessors]);
    Ok(match name {
        "components" => {
            let (count, labels) = csgraph::connected_components(a, ..)?;
            list(vec![Array::from([count as i64]).i(0), labels])
        }
        "strong_components" => {
            number(csgraph::connected_components(a, Connection::Strong)?.0 as i64)
        }
        "dijkstra" => paths(csgraph::dijkstra(a, route())?),
        "bellman_ford" => paths(csgraph::bellman_ford(a, route())?),
        "floyd_warshall" => paths(csgraph::floyd_warshall(a, route())?),
        "johnson" => paths(csgraph::johnson(a, route())?),
        "yen" => {
            let route = Route::new().directed(flag(3) != 0);
            paths(csgraph::yen(a, node, flag(1) as usize, flag(2) as usize, route)?)
        }
        "depth_first_tree" => {
            Some(Value::Array(csgraph::depth_first_tree(a, node, flag(1) != 0)?.to_dense()))
        }
        "construct_dist_matrix" => {
            let paths = csgraph::dijkstra(a, route())?;
            let directed = flag(0) != 0;
            Some(Value::Array(csgraph::construct_dist_matrix(
                a,
                &paths.predecessors,
                directed,
                -1.0,
            )?))
        }
        "csgraph_to_dense" => Some(Value::Array(csgraph::csgraph_to_dense(a, f64::INFINITY))),
        "csgraph_from_dense" => {
            let dense = a.to_dense();
            let made = csgraph::csgraph_from_dense(&dense, node as f64);
            list(vec![made.data(), made.indices(), made.indptr()])
        }
        "min_weight_full_bipartite_matching" => {
            let (rows, columns) = csgraph::min_weight_full_bipartite_matching(a)?;
            list(vec![rows, columns])
        }
        "spbandwidth" => {
            let (below, above) = linalg::spbandwidth(a)?;
            list(vec![Array::from([below as i64, above as i64])])
        }
        "shortest_path" => {
            Some(Value::Array(csgraph::shortest_path(a, route().indices([0, 2]))?.distances))
        }
        "breadth_first_order" => {
            let (order, before) = csgraph::breadth_first_order(a, node, flag(1) != 0)?;
            list(vec![order, before])
        }
        "breadth_first_tree" => {
            Some(Value::Array(csgraph::breadth_first_tree(a, node, flag(1) != 0)?.to_dense()))
        }
        "depth_first_order" => {
            let (order, before) = csgraph::depth_first_order(a, node, flag(1) != 0)?;
            list(vec![order, before])
        }
        "minimum_spanning_tree" => {
            Some(Value::Array(csgraph::minimum_spanning_tree(a)?.to_dense()))
        }
        "laplacian" => {
            let options = Laplacian::new()
                .normed(flag(0) != 0)
                .use_out_degree(flag(1) != 0)
                .symmetrized(flag(2) != 0);
            let (made, diagonal) = csgraph::laplacian(a, options)?;
            list(vec![made.to_dense(), diagonal])
        }
        "reverse_cuthill_mckee" => Some(Value::Array(csgraph::reverse_cuthill_mckee(a)?)),
        "structural_rank" => number(csgraph::structural_rank(a)? as i64),
        "matched_rows" => {
            let columns = csgraph::maximum_bipartite_matching(a)?;
            Some(Value::Array(columns.greater_equal(0).sum(..)))
        }
        "maximum_flow" => number(csgraph::maximum_flow(a, node, flag(1) as usize)?.value),
        _ => None,
    })
}
