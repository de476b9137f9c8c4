//! Files, texts, and numbers as texts.

use super::support::HOST;
use std::path::{Path, PathBuf};

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{
    self, Array, Digits, FloatFormat, Printing, Sign, Text, Zeros, format_float_positional,
    format_float_scientific,
};
use crate::io::Compression;
use crate::io::text::{TableFormat, TableLayout};
use crate::scalar::Scalar;
use ndany_core::read_number;
use ndany_core::{DType, Number, Result, host};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.load",
        parameters: "file mmap_mode=None allow_pickle=False fix_imports=True encoding=ASCII *",
        facts: HOST,
        run: |call| {
            let path = path(call, "file")?;
            if path.extension().is_none_or(|extension| extension != "npz") {
                return array::load(path).map(Value::Array);
            }
            // Names and arrays, in the archive's order.
            let pair = |(name, array)| Value::Tuple(vec![Value::Str(name), Value::Array(array)]);
            Ok(Value::List(array::load_npz(path)?.into_iter().map(pair).collect()))
        },
    },
    Function {
        name: "np.save",
        parameters: "file arr allow_pickle? fix_imports=True",
        facts: HOST.waits("always"),
        run: |call| {
            let path = ending(path(call, "file")?, "npy");
            array::save(path, call.array("arr")?).map(|()| Value::None)
        },
    },
    Function {
        name: "np.savez",
        parameters: "file ...",
        facts: HOST.waits("always"),
        run: |call| archive(call, Compression::Stored),
    },
    Function {
        name: "np.savez_compressed",
        parameters: "file ...",
        facts: HOST.waits("always"),
        run: |call| archive(call, Compression::Deflated),
    },
    Function {
        name: "np.loadtxt",
        parameters: "fname dtype? comments? delimiter? converters=None skiprows? usecols? unpack? ndmin? encoding=None max_rows? * quotechar=None like=None",
        facts: HOST,
        run: |call| {
            let format = table(call, "skiprows")?;
            match source(call)? {
                Source::File(path) => array::loadtxt(path, format),
                Source::Lines(text) => array::loadtxt(Text(&text), format),
            }
            .map(Value::Array)
        },
    },
    Function {
        name: "np.genfromtxt",
        parameters: "fname dtype? comments? delimiter? skip_header? skip_footer? converters=None missing_values? filling_values? usecols? names=None * unpack? usemask=False loose? invalid_raise? max_rows? encoding=None ndmin? like=None",
        facts: HOST,
        run: genfromtxt,
    },
    Function {
        name: "np.savetxt",
        parameters: "fname X fmt? delimiter? newline? header? footer? comments? encoding=None",
        facts: HOST.waits("always"),
        run: |call| {
            let mut layout = TableLayout::new()
                .delimiter(call.text("delimiter", " ")?)
                .newline(call.text("newline", "\n")?)
                .header(call.text("header", "")?)
                .footer(call.text("footer", "")?)
                .comments(call.text("comments", "# ")?);
            layout = match call.get("fmt") {
                Some(Value::List(items) | Value::Tuple(items)) => {
                    let formats = texts(call, "fmt", items)?;
                    layout.formats(&formats)
                }
                _ => layout.format(call.text("fmt", "%.18e")?),
            };
            array::savetxt(path(call, "fname")?, call.array("X")?, layout).map(|()| Value::None)
        },
    },
    Function {
        name: "np.fromstring",
        parameters: "string dtype? count? * sep? like=None",
        facts: HOST,
        run: |call| {
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            let text = call.text("string", "")?;
            array::fromstring(text, call.text("sep", "")?, dtype, count(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.fromfile",
        parameters: "file dtype? count? sep? offset? * like=None",
        facts: HOST,
        run: |call| {
            let (path, dtype) = (path(call, "file")?, call.dtype("dtype")?.unwrap_or(DType::F64));
            let (separator, count) = (call.text("sep", "")?, count(call)?);
            let offset = call.get("offset").map_or(Ok(0), |value| call.count("offset", value))?;
            if separator.is_empty() {
                return array::fromfile(path, dtype, offset as u64, count).map(Value::Array);
            }
            let text = crate::array::io::text::file_text(path)?;
            array::fromstring(&text, separator, dtype, count).map(Value::Array)
        },
    },
    Function {
        // The bytes of an array stand for Python's buffers.
        name: "np.frombuffer",
        parameters: "buffer dtype? count? offset? * like=None",
        facts: HOST.waits("always"),
        run: |call| {
            let bytes = call.array("buffer")?.to_bytes()?;
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            let offset = call.get("offset").map_or(Ok(0), |value| call.count("offset", value))?;
            array::frombuffer(&bytes, dtype, offset, count(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.fromiter",
        parameters: "iter dtype count? * like=None",
        facts: HOST,
        run: |call| {
            let values = call.array("iter")?;
            let dtype = call.dtype("dtype")?.unwrap_or(values.dtype());
            let most = count(call)?.unwrap_or(values.size());
            if values.ndim() != 1 || values.size() < most {
                return Err(call.value_error("too few values, or not along one axis"));
            }
            values.try_i(..most as isize)?.try_astype(dtype).map(Value::Array)
        },
    },
    Function {
        name: "np.ndarray.tofile",
        parameters: "a fid sep? format?",
        facts: HOST.waits("always"),
        run: |call| {
            let (a, path) = (call.array("a")?, path(call, "fid")?);
            match call.text("sep", "")? {
                "" => a.tofile(path, ..),
                separator => a.tofile(path, (separator, call.text("format", "%s")?)),
            }
            .map(|()| Value::None)
        },
    },
    Function {
        name: "np.ndarray.tolist",
        parameters: "a",
        facts: HOST.waits("always"),
        run: |call| {
            let a = call.array("a")?;
            // A value for each element, and those of the axes around them.
            host::ensure_memory("tolist", 2 * (a.size() + 1) * size_of::<Value>())?;
            let (dtype, bytes) = (a.dtype(), a.to_bytes()?);
            Ok(nested(a.shape(), dtype, &bytes))
        },
    },
    Function {
        name: "np.array2string",
        parameters: "a max_line_width? precision? suppress_small? separator? prefix? * formatter=None threshold? edgeitems? sign? floatmode? suffix? legacy?",
        facts: HOST.waits("always"),
        run: |call| call.array("a")?.array2string(printing(call)?).map(Value::Str),
    },
    Function {
        name: "np.array_repr",
        parameters: "arr max_line_width? precision? suppress_small?",
        facts: HOST.waits("always"),
        run: |call| call.array("arr")?.array_repr(printing(call)?).map(Value::Str),
    },
    Function {
        name: "np.array_str",
        parameters: "a max_line_width? precision? suppress_small?",
        facts: HOST.waits("always"),
        run: |call| call.array("a")?.array_str(printing(call)?).map(Value::Str),
    },
    Function {
        name: "np.format_float_positional",
        parameters: "x precision? unique? fractional? trim? sign? pad_left? pad_right? min_digits?",
        facts: HOST,
        run: |call| format_float_positional(float(call)?, float_format(call)?).map(Value::Str),
    },
    Function {
        name: "np.format_float_scientific",
        parameters: "x precision? unique? trim? sign? pad_left? exp_digits? min_digits?",
        facts: HOST,
        run: |call| format_float_scientific(float(call)?, float_format(call)?).map(Value::Str),
    },
];

fn path<'a>(call: &Bound<'a>, name: &str) -> Result<&'a Path> {
    match call.get(name) {
        Some(Value::Str(text)) => Ok(Path::new(text)),
        _ => Err(call.type_error(format!("{name} must be a path"))),
    }
}

/// The path, with the extension that NumPy adds where it is missing.
fn ending(path: &Path, wanted: &str) -> PathBuf {
    match path.extension() {
        Some(extension) if extension == wanted => path.to_path_buf(),
        _ => PathBuf::from(format!("{}.{wanted}", path.display())),
    }
}

fn archive(call: &Bound<'_>, compression: Compression) -> Result<Value> {
    let path = ending(path(call, "file")?, "npz");
    let arrays = call.rest_arrays()?;
    let names: Vec<String> = (0..arrays.len()).map(|k| format!("arr_{k}")).collect();
    let named: Vec<(&str, &Array)> = names.iter().map(String::as_str).zip(&arrays).collect();
    array::save_npz(path, &named, compression).map(|()| Value::None)
}

/// Where a text is.
enum Source<'a> {
    File(&'a Path),
    Lines(String),
}

fn source<'a>(call: &Bound<'a>) -> Result<Source<'a>> {
    match call.get("fname") {
        Some(Value::List(lines) | Value::Tuple(lines)) => {
            Ok(Source::Lines(texts(call, "fname", lines)?.join("\n")))
        }
        _ => path(call, "fname").map(Source::File),
    }
}

fn texts<'a>(call: &Bound<'_>, name: &str, items: &'a [Value]) -> Result<Vec<&'a str>> {
    let text = |item: &'a Value| match item {
        Value::Str(text) => Ok(text.as_str()),
        _ => Err(call.type_error(format!("{name} must hold texts"))),
    };
    items.iter().map(text).collect()
}

/// A count of elements, where -1 is all there are.
fn count(call: &Bound<'_>) -> Result<Option<usize>> {
    match call.int("count")? {
        None | Some(-1) => Ok(None),
        Some(count) => match usize::try_from(count) {
            Ok(count) => Ok(Some(count)),
            Err(_) => Err(call.value_error(format!("count is {count}"))),
        },
    }
}

pub(super) fn integer(call: &Bound<'_>, name: &str) -> Result<i64> {
    let value = call.get(name).unwrap_or(&Value::None);
    let value = call.int_of(name, value)?;
    i64::try_from(value).map_err(|_| call.unsupported("an integer of more than 64 bits"))
}

/// What both readers of tables take.
fn table(call: &Bound<'_>, skip: &str) -> Result<TableFormat> {
    let mut format = TableFormat::new();
    if let Some(dtype) = call.dtype("dtype")? {
        format = format.dtype(dtype);
    }
    format = match call.get("comments") {
        None => format,
        Some(Value::None) => format.comments(&[]),
        Some(Value::List(items) | Value::Tuple(items)) => {
            format.comments(&texts(call, "comments", items)?)
        }
        Some(_) => format.comments(&[call.text("comments", "#")?]),
    };
    match call.some("delimiter") {
        None => {}
        Some(Value::Str(text)) => format = format.delimiter(text),
        Some(_) => return Err(call.unsupported("fields of fixed widths")),
    }
    if let Some(count) = call.some_count(skip)? {
        format = format.skip_rows(count);
    }
    if let Some(value) = call.some("usecols") {
        format = format.columns(&call.ints("usecols", value)?);
    }
    if let Some(count) = call.some_count("max_rows")? {
        format = format.rows(count);
    }
    if let Some(axes) = call.some_count("ndmin")? {
        format = format.ndmin(axes);
    }
    let unpack = call.some("unpack").is_some() && call.flag("unpack", false)?;
    Ok(if unpack { format.unpack() } else { format })
}

fn genfromtxt(call: &Bound<'_>) -> Result<Value> {
    let mut format = table(call, "skip_header")?;
    if let Some(count) = call.some_count("skip_footer")? {
        if call.some("max_rows").is_some() && count > 0 {
            return Err(call.value_error("skip_footer and max_rows exclude each other"));
        }
        format = format.skip_footer(count);
    }
    if !call.flag("loose", true)? {
        let missing = match call.some("missing_values") {
            None => Vec::new(),
            Some(Value::Str(text)) => text.split(',').collect(),
            Some(_) => return Err(call.unsupported("missing values by column")),
        };
        format = format.missing(&missing);
    }
    format = match call.some("filling_values") {
        None => format,
        Some(Value::List(items) | Value::Tuple(items)) => {
            let number = |item: &Value| match item {
                Value::Scalar(scalar) => Ok(*scalar),
                Value::Bool(value) => Ok(Scalar::from(*value)),
                _ => Err(call.type_error("filling_values must hold numbers")),
            };
            format.fill_columns(&items.iter().map(number).collect::<Result<Vec<_>>>()?)
        }
        Some(_) => match call.scalar("filling_values")? {
            Some(value) => format.fill(value),
            None => format,
        },
    };
    if !call.flag("invalid_raise", true)? {
        format = format.drop_invalid();
    }
    match source(call)? {
        Source::File(path) => array::genfromtxt(path, format),
        Source::Lines(text) => array::genfromtxt(Text(&text), format),
    }
    .map(Value::Array)
}

/// Elements as nested lists.
fn nested(shape: &[usize], dtype: DType, bytes: &[u8]) -> Value {
    let Some((&extent, inner)) = shape.split_first() else {
        return match read_number(dtype, bytes) {
            Number::Bool(value) => Value::Bool(value),
            other => Value::Scalar(other.into()),
        };
    };
    let size = bytes.len().checked_div(extent).unwrap_or(0);
    let items = (0..extent).map(|k| nested(inner, dtype, &bytes[k * size..(k + 1) * size]));
    Value::List(items.collect())
}

fn printing(call: &Bound<'_>) -> Result<Printing> {
    let defaults = Printing::default();
    let small = call.some("suppress_small").is_some() && call.flag("suppress_small", false)?;
    let digits = match call.some("floatmode") {
        None => Digits::AtMost,
        Some(_) => {
            let name = call.text("floatmode", "")?;
            Digits::from_name(name)
                .ok_or_else(|| call.value_error(format!("there is no floatmode {name:?}")))?
        }
    };
    let sign = match call.some("sign") {
        None => Sign::Nothing,
        Some(_) => {
            let name = call.text("sign", "-")?;
            Sign::from_name(name)
                .ok_or_else(|| call.value_error(format!("sign is {name:?}, not -, + or a space")))?
        }
    };
    let legacy = match call.some("legacy") {
        None => false,
        Some(Value::Str(_)) => true,
        Some(_) => call.flag("legacy", false)?,
    };
    if legacy {
        return Err(call.unsupported("legacy: arrays are printed as by the latest NumPy only"));
    }
    Ok(Printing {
        precision: call.count_or("precision", defaults.precision)?,
        digits,
        suppress_small: small,
        sign,
        line_width: call.count_or("max_line_width", defaults.line_width)?,
        separator: call.text("separator", " ")?.to_string(),
        threshold: call.count_or("threshold", defaults.threshold)?,
        edge_items: call.count_or("edgeitems", defaults.edge_items)?,
        prefix: call.text("prefix", "")?.chars().count(),
        suffix: call.text("suffix", "")?.chars().count(),
    })
}

/// A number, a 0-d array too.
fn float(call: &Bound<'_>) -> Result<Scalar> {
    match call.get("x") {
        Some(Value::Array(array)) if array.ndim() == 0 => {
            Ok(Scalar::typed(array.dtype(), read_number(array.dtype(), &array.to_bytes()?)))
        }
        _ => call.scalar("x")?.ok_or_else(|| call.type_error("x must be a number")),
    }
}

fn float_format(call: &Bound<'_>) -> Result<FloatFormat> {
    let trim = call.text("trim", "k")?;
    Ok(FloatFormat {
        precision: call.some_count("precision")?,
        unique: call.flag("unique", true)?,
        fractional: call.flag("fractional", true)?,
        zeros: Zeros::from_name(trim)
            .ok_or_else(|| call.value_error(format!("there is no trim {trim:?}")))?,
        sign: call.flag("sign", false)?,
        pad_left: call.count_or("pad_left", 0)?,
        pad_right: call.count_or("pad_right", 0)?,
        min_digits: call.some_count("min_digits")?,
        exponent_digits: call.count_or("exp_digits", 2)?,
    })
}
