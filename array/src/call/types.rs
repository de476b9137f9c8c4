//! What is known of arrays without their values: dtypes, shapes, memory; and what is made of indices.

use super::bind::Bound;
use super::create::array_as;
use super::index::{assignable, key_of};
use super::support::{COMPOSED, NATIVE, VIEW};
use super::{Function, Value};
use crate::array::ufuncs as ufunc;
use crate::array::{self, Array, Order};
use crate::dtypes::{min_scalar_type, result_type};
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Number, Result, finfo, iinfo};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.can_cast",
        parameters: "from_ to casting?",
        facts: VIEW,
        run: |call| {
            let from = match call.get("from_") {
                Some(Value::Array(array)) => array.dtype(),
                // Of a NumPy scalar; Python's numbers have no dtype of their own.
                _ => dtype(call, "from_")?,
            };
            let casting = call.casting("safe")?;
            Ok(Value::Bool(from.can_cast(dtype(call, "to")?, casting)))
        },
    },
    Function {
        name: "np.promote_types",
        parameters: "type1 type2",
        facts: VIEW,
        run: |call| Ok(Value::DType(DType::promote(dtype(call, "type1")?, dtype(call, "type2")?))),
    },
    Function {
        name: "np.result_type",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            // As strong as any number of the dtype.
            let strong = |dtype| Ok(Operand::Scalar(Scalar::typed(dtype, 0)));
            let operand = |value: &Value| match value {
                Value::DType(dtype) => strong(*dtype),
                Value::Str(text) => strong(call.dtype_named(text)?),
                // As a dtype, None is the default one.
                Value::None => strong(DType::F64),
                Value::Tuple(_) | Value::List(_) => {
                    Err(call.type_error("expected arrays, numbers and dtypes, got a sequence"))
                }
                value => call.operand_of("an operand", value),
            };
            let operands = call.rest.iter().map(operand).collect::<Result<Vec<Operand>>>()?;
            if operands.is_empty() {
                return Err(call.value_error("expected at least one array or dtype, got none"));
            }
            result_type(&operands).map(Value::DType)
        },
    },
    Function {
        name: "np.min_scalar_type",
        parameters: "a",
        facts: VIEW,
        run: |call| match call.get("a") {
            Some(Value::Array(array)) => Ok(Value::DType(array.dtype())),
            _ => {
                let number = call.scalar("a")?.ok_or_else(|| call.type_error("a is no number"))?;
                Ok(Value::DType(min_scalar_type(number)))
            }
        },
    },
    Function {
        name: "np.common_type",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            let arrays = call.rest.iter();
            let dtypes = arrays.map(|value| Ok(call.array_of("an array", value)?.dtype()));
            let dtypes = dtypes.collect::<Result<Vec<_>>>()?;
            if dtypes.is_empty() {
                // Where NumPy begins to promote.
                return Ok(Value::DType(DType::F16));
            }
            DType::common_type(&dtypes).map(Value::DType)
        },
    },
    Function {
        // NumPy's attributes eps, epsneg, max, min, smallest_normal, smallest_subnormal, resolution, precision, bits.
        name: "np.finfo",
        parameters: "dtype",
        facts: VIEW,
        run: |call| {
            let info = finfo(limits_of(call, "dtype")?)
                .map_err(|error| call.value_error(error.to_string()))?;
            let float = |value: f64| Value::Scalar(Scalar::typed(info.dtype, value));
            let floats = [
                info.eps,
                info.epsneg,
                info.max,
                info.min,
                info.smallest_normal,
                info.smallest_subnormal,
                info.resolution,
            ];
            let counts =
                [info.precision, info.bits].map(|count| Value::Scalar(Scalar::from(count)));
            Ok(Value::Tuple(floats.into_iter().map(float).chain(counts).collect()))
        },
    },
    Function {
        // NumPy's attributes min, max, bits.
        name: "np.iinfo",
        parameters: "type",
        facts: VIEW,
        run: |call| {
            let info = iinfo(limits_of(call, "type")?)
                .map_err(|error| call.value_error(error.to_string()))?;
            let values = [info.min, info.max, i128::from(info.bits)].map(Scalar::weak_int);
            Ok(Value::Tuple(values.map(Value::Scalar).into()))
        },
    },
    Function {
        name: "np.ndim",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(count(shape_of(call)?.len())),
    },
    Function {
        name: "np.shape",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(extents(&shape_of(call)?)),
    },
    Function {
        name: "np.size",
        parameters: "a axis?",
        facts: VIEW,
        run: |call| {
            let shape = shape_of(call)?;
            match call.axes("axis")? {
                None => Ok(count(shape.iter().product())),
                Some(axes) => {
                    let axes = ndany_core::shape::axis_indices("size", &axes, shape.len())?;
                    Ok(count(axes.iter().map(|&axis| shape[axis]).product()))
                }
            }
        },
    },
    Function {
        name: "np.broadcast_shapes",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            let shapes = call.rest.iter().map(|value| {
                let items = call.ints("a shape", value)?;
                let extent = |&item: &isize| {
                    usize::try_from(item).map_err(|_| call.value_error("a negative extent"))
                };
                items.iter().map(extent).collect::<Result<Vec<usize>>>()
            });
            let shapes = shapes.collect::<Result<Vec<_>>>()?;
            let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
            Ok(extents(&array::try_broadcast_shapes(&shapes)?))
        },
    },
    Function {
        // The shape, which is what a broadcast object knows.
        name: "np.broadcast",
        parameters: "first ...",
        facts: VIEW,
        run: |call| {
            let arrays = call.get("first").into_iter().chain(call.rest);
            let arrays = arrays.map(|value| call.array_of("an array", value));
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let shapes: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
            Ok(extents(&array::try_broadcast_shapes(&shapes)?))
        },
    },
    Function {
        name: "np.isfortran",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.isfortran())),
    },
    Function {
        name: "np.iscomplexobj",
        parameters: "x",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("x")?.dtype().is_complex())),
    },
    Function {
        name: "np.isrealobj",
        parameters: "x",
        facts: VIEW,
        run: |call| Ok(Value::Bool(!call.array("x")?.dtype().is_complex())),
    },
    Function {
        name: "np.isscalar",
        parameters: "element",
        facts: VIEW,
        run: |call| {
            let number = matches!(
                call.get("element"),
                Some(Value::Scalar(_) | Value::Bool(_) | Value::Str(_))
            );
            Ok(Value::Bool(number))
        },
    },
    Function {
        name: "np.iterable",
        parameters: "y",
        facts: VIEW,
        run: |call| {
            Ok(Value::Bool(match call.get("y") {
                Some(Value::Array(array)) => array.ndim() > 0,
                Some(Value::List(_) | Value::Tuple(_) | Value::Str(_)) => true,
                _ => false,
            }))
        },
    },
    Function {
        name: "np.asarray_chkfinite",
        parameters: "a dtype? order?",
        facts: COMPOSED.waits("for floats"),
        run: |call| {
            // As np.asarray: of a sequence each number must have a value in the dtype.
            let a = array_as(call, "a", call.dtype("dtype")?)?;
            let a = a.try_astype_in(a.dtype(), call.order(Order::K)?)?;
            a.asarray_chkfinite().map(Value::Array)
        },
    },
    Function {
        name: "np.require",
        parameters: "a dtype? requirements? * like=None",
        facts: COMPOSED,
        run: require,
    },
    Function {
        name: "np.shares_memory",
        parameters: "a b max_work=None",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.shares_memory(&call.array("b")?))),
    },
    Function {
        name: "np.may_share_memory",
        parameters: "a b max_work=None",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.may_share_memory(&call.array("b")?))),
    },
    Function {
        name: "np.lib.array_utils.byte_bounds",
        parameters: "a",
        facts: VIEW,
        run: |call| {
            let (low, high) = call.array("a")?.byte_bounds();
            Ok(extents(&[low, high]))
        },
    },
    Function {
        name: "np.show_config",
        parameters: "mode=stdout",
        facts: VIEW,
        run: |_| {
            let reports = crate::Device::reports();
            let version = env!("CARGO_PKG_VERSION");
            let text: String = reports.iter().map(ToString::to_string).collect();
            Ok(Value::Str(format!("ndany {version}\n{text}")))
        },
    },
    Function {
        name: "np.lib.stride_tricks.as_strided",
        parameters: "x shape? strides? subok~ writeable~",
        facts: VIEW,
        run: |call| {
            let x = call.array("x")?;
            let shape = match call.some("shape") {
                Some(_) => call.shape("shape")?,
                None => x.shape().into(),
            };
            let size = x.dtype().size() as isize;
            let empty = shape.contains(&0);
            let strides = match call.some("strides") {
                None => x.strides().to_vec(),
                // NumPy counts bytes. An axis of one element makes no step, and none is made
                // where there are no elements.
                Some(value) => call
                    .ints("strides", value)?
                    .iter()
                    .enumerate()
                    .map(|(axis, &bytes)| match bytes % size {
                        0 => Ok(bytes / size),
                        _ if empty || shape.get(axis) == Some(&1) => Ok(0),
                        _ => Err(call.unsupported(format!(
                            "strides are whole elements: expected a multiple of {size} bytes, got {bytes}"
                        ))),
                    })
                    .collect::<Result<_>>()?,
            };
            x.try_as_strided(&shape, &strides).map(Value::Array)
        },
    },
    Function {
        name: "np.mgrid",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| match grid_axes(call)?.as_slice() {
            [axis] => line(axis).map(Value::Array),
            axes => array::try_mgrid(axes).map(Value::Array),
        },
    },
    Function {
        name: "np.ogrid",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            Ok(match grid_axes(call)?.as_slice() {
                [axis] => Value::Array(line(axis)?),
                axes => {
                    Value::Tuple(array::try_ogrid(axes)?.into_iter().map(Value::Array).collect())
                }
            })
        },
    },
    Function {
        name: "np.r_",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            if let Some(Value::Str(text)) = call.get("first") {
                return directed(call, text, Directive { axis: 0, ndmin: 1, place: -1 });
            }
            let parts = concatenated(call)?;
            array::try_r_(&parts.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    Function {
        name: "np.c_",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            if let Some(Value::Str(text)) = call.get("first") {
                return directed(call, text, Directive { axis: -1, ndmin: 2, place: 0 });
            }
            let parts = concatenated(call)?;
            array::try_c_(&parts.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    Function {
        name: "cupyx.rsqrt",
        parameters: "x",
        facts: COMPOSED,
        run: |call| call.array("x")?.try_rsqrt().map(Value::Array),
    },
    Function {
        name: "cupyx.scatter_add",
        parameters: "a slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::add.at(a, at, values)),
    },
    Function {
        name: "cupyx.scatter_max",
        parameters: "a slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::maximum.at(a, at, values)),
    },
    Function {
        name: "cupyx.scatter_min",
        parameters: "a slices value",
        facts: NATIVE.waits("by an array"),
        run: |call| scattered(call, |a, at, values| ufunc::minimum.at(a, at, values)),
    },
];

/// The shape of the argument; one object, such as `None`, has no axes.
fn shape_of(call: &Bound<'_>) -> Result<Vec<usize>> {
    match call.get("a") {
        Some(Value::None) => Ok(Vec::new()),
        _ => Ok(call.array("a")?.shape().to_vec()),
    }
}

fn count(count: usize) -> Value {
    Value::Scalar(Scalar::from(count))
}

fn extents(shape: &[usize]) -> Value {
    Value::Tuple(shape.iter().map(|&extent| count(extent)).collect())
}

fn dtype(call: &Bound<'_>, name: &str) -> Result<DType> {
    call.dtype(name)?.ok_or_else(|| call.type_error(format!("{name} must be a dtype")))
}

/// The dtype of which limits are asked: a number stands for its own, and what is no dtype has a wrong value.
fn limits_of(call: &Bound<'_>, name: &str) -> Result<DType> {
    match call.get(name) {
        Some(Value::Scalar(scalar)) => Ok(scalar.natural_dtype()),
        Some(Value::Bool(_)) => Ok(DType::Bool),
        _ => dtype(call, name).map_err(|error| match error {
            Error::Arguments { .. } => {
                call.value_error(format!("{name} must be a dtype of numbers"))
            }
            other => other,
        }),
    }
}

fn require(call: &Bound<'_>) -> Result<Value> {
    let named = |item: &Value| match item {
        Value::Str(text) => Ok(text.to_ascii_uppercase()),
        _ => Err(call.type_error("requirements must be texts")),
    };
    let named: Vec<String> = match call.some("requirements") {
        None => Vec::new(),
        Some(Value::List(items) | Value::Tuple(items)) => {
            items.iter().map(named).collect::<Result<_>>()?
        }
        // A text is a sequence of letters.
        Some(text) => named(text)?.chars().map(String::from).collect(),
    };
    let mut order = Order::A;
    for name in &named {
        let wanted = match name.as_str() {
            "C" | "C_CONTIGUOUS" | "CONTIGUOUS" => Order::C,
            "F" | "F_CONTIGUOUS" | "FORTRAN" => Order::F,
            // Arrays are values: they own what they hold, and may be written.
            "A" | "ALIGNED" | "W" | "WRITEABLE" | "O" | "OWNDATA" | "E" | "ENSUREARRAY" => continue,
            other => return Err(call.value_error(format!("there is no requirement {other:?}"))),
        };
        if order != Order::A && order != wanted {
            return Err(call.value_error("C and F order exclude each other"));
        }
        order = wanted;
    }
    let order = if order == Order::A { Order::K } else { order };
    call.array("a")?.try_require(call.dtype("dtype")?, order).map(Value::Array)
}

/// Slices as axes of a grid: a complex step is a count of points, both ends included.
fn grid_axes(call: &Bound<'_>) -> Result<Vec<array::GridAxis>> {
    let axis = |value: &Value| {
        let Value::Slice { start, stop, step } = *value else {
            return Err(call.type_error("expected slices"));
        };
        // NumPy hands the beginning of a single slice to `arange` then, which takes it for the end.
        let (start, stop) = match stop {
            None if call.rest.is_empty() => (Scalar::from(0), start.unwrap_or(Scalar::from(0))),
            None => return Err(call.type_error("a slice must have an end")),
            Some(stop) => (start.unwrap_or(Scalar::from(0)), stop),
        };
        let step = step.unwrap_or(Scalar::from(1));
        Ok(match points(call, step)? {
            // A count of its own dtype takes part in the grid's.
            Some(count) => array::GridAxis::Count(
                match step.dtype() {
                    Some(dtype) => {
                        let numbers = [start, Scalar::typed(dtype.part(), 0)];
                        Scalar::typed(result_type(&numbers.map(Operand::Scalar))?, start)
                    }
                    None => start,
                },
                stop,
                count,
            ),
            None => array::GridAxis::Step(start, stop, step),
        })
    };
    call.get("first").into_iter().chain(call.rest).map(axis).collect()
}

/// One slice makes a range, not a grid.
fn line(axis: &array::GridAxis) -> Result<Array> {
    match *axis {
        array::GridAxis::Step(start, stop, step) => array::try_arange((start, stop, step)),
        array::GridAxis::Count(..) => Ok(array::try_ogrid(&[*axis])?[0].clone()),
    }
}

/// The number of points that a complex step stands for: the whole part of its absolute value.
fn points(call: &Bound<'_>, step: Scalar) -> Result<Option<usize>> {
    let Number::Complex(re, im) = step.number() else { return Ok(None) };
    let count = re.hypot(im);
    match count.is_nan() {
        true => Err(call.value_error("a step of NaN is no number of points")),
        false => Ok(Some(count as usize)),
    }
}

/// A slice among what `np.r_` and `np.c_` join: a range, or points between two ends.
fn range(
    call: &Bound<'_>,
    start: Option<Scalar>,
    stop: Option<Scalar>,
    step: Option<Scalar>,
) -> Result<Array> {
    let (zero, step) = (Scalar::from(0), step.unwrap_or(Scalar::from(1)));
    match (points(call, step)?, stop) {
        (Some(count), Some(stop)) => {
            array::try_linspace(start.unwrap_or(zero), stop, array::Linspace::new(count))
        }
        (Some(_), None) => Err(call.type_error("a slice of points must have an end")),
        (None, Some(stop)) => array::try_arange((start.unwrap_or(zero), stop, step)),
        // As of a range of one number, which is its end.
        (None, None) => array::try_arange((zero, start.unwrap_or(zero), step)),
    }
}

/// Arrays, numbers, and ranges as slices. Numbers take the dtype of the arrays, where it holds them.
fn concatenated(call: &Bound<'_>) -> Result<Vec<Array>> {
    let part = |value: &Value| match value {
        Value::Slice { start, stop, step } => range(call, *start, *stop, *step).map(Operand::Array),
        Value::Str(_) => Err(call.value_error("a directive stands in front of all parts")),
        Value::Scalar(_) | Value::Bool(_) => call.operand_of("an item", value),
        value => call.array_of("an item", value).map(Operand::Array),
    };
    let parts = call.get("first").into_iter().chain(call.rest).map(part);
    let parts: Vec<Operand> = parts.collect::<Result<_>>()?;
    let dtype = graph::promote(&parts);
    let array = |part| match part {
        Operand::Array(array) => Ok(array),
        Operand::Scalar(number) => {
            assignable(call, &number, dtype)?;
            array::try_full((), number, dtype)
        }
    };
    parts.into_iter().map(array).collect()
}

/// The changed array is the result; the one that was given keeps its values.
fn scattered(
    call: &Bound<'_>,
    run: impl Fn(&mut Array, &[crate::Index], Operand) -> Result<()>,
) -> Result<Value> {
    let mut a = call.target("a")?;
    let at = key_of(call, call.get("slices").unwrap_or(&Value::None))?;
    run(&mut a, at.as_slice(), call.operand("value")?)?;
    Ok(Value::Array(a))
}

/// Where `np.r_` and `np.c_` join: the text `axis`, `axis,ndmin` or `axis,ndmin,place` in front of the parts.
struct Directive {
    axis: isize,
    /// Parts of fewer axes get axes of one element.
    ndmin: usize,
    /// Where a part's own axes stand among these; -1 is behind them.
    place: isize,
}

impl Directive {
    /// This directive with what a text says.
    fn with(mut self, call: &Bound<'_>, text: &str) -> Result<Self> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let unknown = || call.value_error(format!("unknown directive {text:?}"));
        let number = |word: &str| word.parse::<isize>().map_err(|_| unknown());
        if let &[axis, ref rest @ ..] = words.as_slice() {
            self.axis = number(axis)?;
            if let [ndmin, ..] = rest {
                self.ndmin = usize::try_from(number(ndmin)?).unwrap_or(0);
            }
            // NumPy reads a third number only where there are no more.
            if let [_, place] = rest {
                self.place = number(place)?;
            }
        }
        if self.ndmin > ndany_core::shape::MAX_NDIM {
            return Err(call.value_error(format!("no array has {} axes", self.ndmin)));
        }
        Ok(self)
    }

    /// An array with axes of one element in front.
    fn widened(&self, mut array: Array) -> Result<Array> {
        while array.ndim() < self.ndmin {
            array = array.try_expand_dims(0)?;
        }
        Ok(array)
    }

    /// The same with its own axes at their place.
    fn placed(&self, array: Array) -> Result<Array> {
        let (own, all) = (array.ndim(), self.ndmin);
        let array = self.widened(array)?;
        if self.place == -1 || own >= all {
            return Ok(array);
        }
        let missing = all - own;
        let start = if self.place < 0 { self.place + missing as isize + 1 } else { self.place };
        let start = usize::try_from(start).unwrap_or(0).min(missing);
        let axes = (0..start).chain(missing..all).chain(start..missing);
        let axes: Vec<isize> = axes.map(|axis| axis as isize).collect();
        array.try_transpose(axes.as_slice())
    }

    /// A range, which NumPy turns by an exchange of axes.
    fn turned(&self, range: Array) -> Result<Array> {
        let range = self.widened(range)?;
        match self.place {
            -1 => Ok(range),
            _ if self.ndmin <= 1 => Ok(range),
            place => range.try_swapaxes(-1, place),
        }
    }
}

/// `np.r_` and `np.c_` with a directive in front of the parts.
fn directed(call: &Bound<'_>, text: &str, default: Directive) -> Result<Value> {
    // NumPy makes its class of matrices then. Here it is an array of two axes.
    let matrix = matches!(text, "r" | "c");
    let directive = if matrix { default } else { default.with(call, text)? };
    let part = |value: &Value| match value {
        Value::Slice { start, stop, step } => {
            directive.turned(range(call, *start, *stop, *step)?).map(Operand::Array)
        }
        Value::Str(_) => Err(call.value_error("a directive stands in front of all parts")),
        Value::Scalar(_) | Value::Bool(_) => call.operand_of("an item", value),
        value => directive.placed(call.array_of("an item", value)?).map(Operand::Array),
    };
    let parts = call.rest.iter().map(part).collect::<Result<Vec<Operand>>>()?;
    if parts.is_empty() {
        return Err(call.value_error("expected parts, got a directive alone"));
    }
    let dtype = result_type(&parts)?;
    let array = |part| match part {
        Operand::Array(array) => array.try_astype(dtype),
        Operand::Scalar(number) => {
            assignable(call, &number, dtype)?;
            directive.widened(array::try_full((), number, dtype)?)
        }
    };
    let parts = parts.into_iter().map(array).collect::<Result<Vec<Array>>>()?;
    let joined = array::try_concatenate(&parts.iter().collect::<Vec<_>>(), directive.axis)?;
    match (matrix, joined.ndim()) {
        (false, _) | (true, 2) => Ok(joined),
        (true, 0 | 1) => joined.try_expand_dims(if text == "c" { 1 } else { 0 }),
        (true, ndim) => Err(call.value_error(format!("a matrix has two axes, not {ndim}"))),
    }
    .map(Value::Array)
}
