//! Arrays as texts and raw bytes, and back: `loadtxt`, `savetxt` and their kin.
//!
//! What a text looks like is `crate::io::text`'s business. All of it reads or writes on the host: what is written waits for
//! the device and is copied from it, what is read goes to the thread's current device.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::RangeFull;
use std::path::Path;

use crate::array::Array;
use crate::array::io::display::scalar_text;
use crate::device::Device;
use crate::io::text::{self, Format, TableFormat, TableLayout};
use crate::io::{IoError, Raw};

use ndany_core::{DType, Error, Number, Result, read_number};

fn value_error(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// A text in memory, where a function would take the path of a file.
///
/// ```
/// use ndany::io::{self, Text};
/// assert_eq!(io::loadtxt(Text("1 2\n3 4"), ..)?.to_string(), "[[1. 2.]\n [3. 4.]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

/// Where a text is: the path of a file, or a [`Text`].
pub trait TextSource {
    /// The text, lent or read.
    #[doc(hidden)]
    fn text(&self) -> Result<Cow<'_, str>>;
}

impl<P: AsRef<Path>> TextSource for P {
    fn text(&self) -> Result<Cow<'_, str>> {
        file_text(self.as_ref()).map(Cow::Owned)
    }
}
impl TextSource for Text<'_> {
    fn text(&self) -> Result<Cow<'_, str>> {
        Ok(Cow::Borrowed(self.0))
    }
}

/// What stands between numbers in a file, and how each is written: `..` for bytes, a separator, or a separator and a format of
/// C's printf, with `%s` for what is printed of a number alone.
#[derive(Clone, Debug, Default)]
pub struct Separated {
    /// Separator and format.
    text: Option<(String, String)>,
}

impl From<RangeFull> for Separated {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}
impl From<&str> for Separated {
    fn from(separator: &str) -> Self {
        (separator, "%s").into()
    }
}
impl From<(&str, &str)> for Separated {
    fn from((separator, format): (&str, &str)) -> Self {
        Self { text: Some((separator.to_string(), format.to_string())) }
    }
}

/// Reads a table of numbers from a text file or a [`Text`], as `np.loadtxt`; axes of extent 1 go.
///
/// Every row has as many fields as the first, and every field is a number.
///
/// - **Shapes**: `rows → (m, n)`, `(n,)` or `()`.
/// - **Dtypes**: float64, or that of the format.
/// - **Errors**: [`Error::Io`]: a file that does not open or is no UTF-8; [`Error::Text`], which names the line: a field
///   that is no number of the dtype, rows of different lengths, a column that is not there.
///
/// ```
/// use ndany::{DType, Device, TableFormat, io::loadtxt};
/// # let _guard = Device::open("reference")?.enter();
/// let path = std::env::temp_dir().join(format!("ndany-loadtxt-{}.csv", std::process::id()));
/// std::fs::write(&path, "# x, y\n1, 2\n3, 4\n").expect("written");
/// let a = loadtxt(&path, TableFormat::new().delimiter(",").dtype(DType::I32))?;
/// assert_eq!(a.to_string(), "[[1 2]\n [3 4]]");
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn loadtxt(source: impl TextSource, format: impl Into<TableFormat>) -> Result<Array> {
    of_table("loadtxt", &source.text()?, &format.into(), false)
}

/// Reads a table with missing numbers from a text file or a [`Text`], as `np.genfromtxt`.
///
/// NaN (or -1, or false, or what is given) stands for what is no number.
///
/// - **Shapes**: `rows → (m, n)`, `(n,)` or `()`.
/// - **Dtypes**: float64, or that of the format.
/// - **Errors**: those of [`loadtxt`], but for fields that are no numbers.
///
/// ```
/// use ndany::{Device, TableFormat, io};
/// # let _guard = Device::open("reference")?.enter();
/// let a = io::genfromtxt(io::Text("1,2,3\n4,,n/a\n"), TableFormat::new().delimiter(",").fill(0.0))?;
/// assert_eq!(a.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn genfromtxt(source: impl TextSource, format: impl Into<TableFormat>) -> Result<Array> {
    of_table("genfromtxt", &source.text()?, &format.into(), true)
}

/// Reads numbers between separators, at most `count` of them, as `np.fromstring`.
///
/// White space in the separator stands for any amount of it.
///
/// - **Shapes**: `text → (n,)`.
/// - **Dtypes**: the given one.
/// - **Errors**: [`Error::Text`]: something between separators that is no number of the dtype; an empty separator.
///
/// ```
/// use ndany::{DType, Device, fromstring};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(fromstring("1, 2,3", ",", DType::I64, None)?.to_vec::<i64>()?, [1, 2, 3]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn fromstring(
    text: &str,
    separator: &str,
    dtype: DType,
    count: Option<usize>,
) -> Result<Array> {
    if separator.is_empty() {
        return Err(value_error("fromstring", "an empty separator: bytes are read by frombuffer"));
    }
    of_raw(&text::read_separated("fromstring", text, separator, dtype, count)?)
}

/// Makes a 1-d array of little-endian bytes, at most `count` elements from an offset on, as `np.frombuffer`.
///
/// The bytes are copied. See [`Array::from_bytes`] for a shape.
///
/// - **Shapes**: `bytes → (n,)`.
/// - **Dtypes**: the given one.
/// - **Errors**: too few bytes for the count or for the last element, an offset beyond them.
///
/// ```
/// use ndany::{DType, Device, frombuffer};
/// # let _guard = Device::open("reference")?.enter();
/// let a = frombuffer(&[0, 1, 0, 2, 0], DType::U16, 1, None)?;
/// assert_eq!(a.to_vec::<u16>()?, [1, 2]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn frombuffer(
    bytes: &[u8],
    dtype: DType,
    offset: usize,
    count: Option<usize>,
) -> Result<Array> {
    const OP: &str = "frombuffer";
    let size = dtype.size();
    if offset > bytes.len() {
        let reason = format!("an offset of {offset} in {} bytes", bytes.len());
        return Err(value_error(OP, reason));
    }
    let bytes = &bytes[offset..];
    let bytes = match count {
        None if !bytes.len().is_multiple_of(size) => {
            return Err(value_error(
                OP,
                format!("{} bytes are no whole number of {dtype}", bytes.len()),
            ));
        }
        None => bytes,
        Some(count) if count.checked_mul(size).is_none_or(|needed| needed > bytes.len()) => {
            return Err(value_error(
                OP,
                format!("{} bytes hold less than {count} {dtype}", bytes.len()),
            ));
        }
        Some(count) => &bytes[..count * size],
    };
    Array::from_bytes(
        dtype,
        &[bytes.len() / size],
        &normalized_bools(dtype, bytes),
        &Device::current(),
    )
}

/// Reads a 1-d array of the little-endian elements of a file, from an offset in bytes on, as `np.fromfile`.
///
/// Without a count it reads as many as there are; what is left over at the end is not read. [`load`](super::file::load) reads files that say
/// what they hold.
///
/// - **Shapes**: `bytes → (n,)`.
/// - **Dtypes**: the given one.
/// - **Errors**: [`Error::Io`]: a file that does not open or cannot be read.
///
/// ```
/// use ndany::prelude::*;
/// let path = std::env::temp_dir().join(format!("ndany-fromfile-{}.bin", std::process::id()));
/// array([1u8, 2, 3]).tofile(&path, ..)?;
/// assert_eq!(io::fromfile(&path, U8, 1, None)?.to_string(), "[2 3]");
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn fromfile(
    path: impl AsRef<Path>,
    dtype: DType,
    offset: u64,
    count: Option<usize>,
) -> Result<Array> {
    let path = path.as_ref();
    let mut file =
        File::open(path).map_err(|source| IoError::Open { path: path.into(), source })?;
    file.seek(SeekFrom::Start(offset)).map_err(IoError::Read)?;
    let most = count.map_or(u64::MAX, |count| (count as u64).saturating_mul(dtype.size() as u64));
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(IoError::Read)?;
    bytes.truncate(bytes.len() / dtype.size() * dtype.size());
    Array::from_bytes(
        dtype,
        &[bytes.len() / dtype.size()],
        &normalized_bools(dtype, &bytes),
        &Device::current(),
    )
}

/// Makes a 1-d array of the values of an iterator, at most `count` of them, as `np.fromiter`.
///
/// Without a count it is what `collect` does.
///
/// - **Shapes**: `values → (n,)`.
/// - **Dtypes**: that of the Rust type.
/// - **Errors**: fewer values than the count, no memory on the device.
///
/// ```
/// use ndany::{Array, Device, fromiter};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(fromiter((1..).map(|k| k * k), Some(4))?.to_vec::<i32>()?, [1, 4, 9, 16]);
/// let all: Array = (0..3).collect();
/// assert_eq!(all.size(), 3);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn fromiter<T: crate::Element>(
    values: impl IntoIterator<Item = T>,
    count: Option<usize>,
) -> Result<Array> {
    let values: Vec<T> = values.into_iter().take(count.unwrap_or(usize::MAX)).collect();
    if let Some(count) = count.filter(|&count| count > values.len()) {
        return Err(value_error("fromiter", format!("{} values, and not {count}", values.len())));
    }
    let len = values.len();
    Array::try_from_vec(values, len)
}

/// Writes the numbers as lines of a text file, a row a line, as `np.savetxt`.
///
/// A 1-d array is written as a number a line.
///
/// - **Errors**: those of [`Array::to_txt`], a file that cannot be made or written.
///
/// ```
/// use ndany::prelude::*;
/// let path = std::env::temp_dir().join(format!("ndany-savetxt-{}.txt", std::process::id()));
/// io::savetxt(&path, array([1, 2]), TableLayout::new().format("%d"))?;
/// assert_eq!(std::fs::read_to_string(&path).expect("just written"), "1\n2\n");
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn savetxt(
    path: impl AsRef<Path>,
    array: impl AsRef<Array>,
    layout: impl Into<TableLayout>,
) -> Result<()> {
    let text = table_text(array.as_ref(), &layout.into())?;
    write(path.as_ref(), text.as_bytes())
}

impl Array {
    /// Returns the text that [`savetxt`] writes, as `np.savetxt` into a buffer.
    ///
    /// - **Errors**: neither one nor two axes, a format that is none, or not for these numbers, what failed on the way to the
    ///   values.
    ///
    /// ```
    /// use ndany::{Array, Device, TableLayout};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, 2.5], [-3.0, 0.125]]);
    /// let text = a.to_txt(TableLayout::new().format("%.2f").delimiter(", ").header("x, y"))?;
    /// assert_eq!(text, "# x, y\n1.00, 2.50\n-3.00, 0.12\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_txt(&self, layout: impl Into<TableLayout>) -> Result<String> {
        table_text(self, &layout.into())
    }

    /// Writes the elements in C order as little-endian bytes, or as text with separators, as `np.ndarray.tofile`.
    ///
    /// `..` is bytes, which [`fromfile`] reads where dtype and shape are known ([`save`](super::file::save) writes both); a separator,
    /// or `(separator, format)` with a format of C's printf, is text.
    ///
    /// - **Errors**: what failed on the way to the values, a format that is none, or not for these numbers, a file that cannot be
    ///   made or written.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let path = std::env::temp_dir().join(format!("ndany-tofile-{}.bin", std::process::id()));
    /// array([1u8, 2]).tofile(&path, ..)?;
    /// assert_eq!(std::fs::read(&path).expect("just written"), [1, 2]);
    /// array([1, 2]).tofile(&path, (", ", "%d"))?;
    /// assert_eq!(std::fs::read_to_string(&path).expect("just written"), "1, 2");
    /// # std::fs::remove_file(&path).expect("just written");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn tofile(&self, path: impl AsRef<Path>, separated: impl Into<Separated>) -> Result<()> {
        let bytes = self.to_bytes()?;
        match separated.into().text {
            None => write(path.as_ref(), &bytes),
            Some((separator, format)) => {
                write(path.as_ref(), joined(self.dtype(), &bytes, &separator, &format)?.as_bytes())
            }
        }
    }
}

/// Numbers as texts between separators.
fn joined(dtype: DType, bytes: &[u8], separator: &str, format: &str) -> Result<String> {
    const OP: &str = "tofile";
    let format = parsed(OP, format)?;
    let words = bytes.chunks_exact(dtype.size()).map(|bytes| {
        let number = read_number(dtype, bytes);
        // As Python's own number of the same value, which is a double.
        let word = |_| match number {
            Number::Float(value) => scalar_text(DType::F64, &value.to_le_bytes()),
            Number::Complex(re, im) => {
                scalar_text(DType::C128, &[re.to_le_bytes(), im.to_le_bytes()].concat())
            }
            Number::Bool(_) | Number::Int(_) => scalar_text(dtype, bytes),
        };
        written(OP, &format, &[number], word)
    });
    Ok(words.collect::<Result<Vec<_>>>()?.join(separator))
}

fn table_text(array: &Array, layout: &TableLayout) -> Result<String> {
    const OP: &str = "savetxt";
    let columns = match *array.shape() {
        [_] => 1,
        [_, columns] => columns,
        _ => {
            let expected = "one axis or two".to_string();
            return Err(Error::Shape { op: OP, expected, got: array.shape().into() });
        }
    };
    let dtype = array.dtype();
    let complex = dtype.is_complex();
    let row = match layout.formats.as_slice() {
        [one] if parsed(OP, one)?.count() == 1 => {
            let one = if complex { format!(" ({one}+{one}j)") } else { one.clone() };
            vec![one; columns].join(&layout.delimiter)
        }
        [whole] => whole.clone(),
        each if each.len() == columns => each.join(&layout.delimiter),
        each => {
            return Err(value_error(OP, format!("{} formats for {columns} columns", each.len())));
        }
    };
    let row = parsed(OP, &row)?;
    let needed = if complex { 2 * columns } else { columns };
    if row.count() != needed {
        return Err(value_error(OP, format!("a format of {} numbers for {needed}", row.count())));
    }
    let mut text = String::new();
    let comment = |text: &mut String, lines: &str| {
        if !lines.is_empty() {
            *text += &layout.comments;
            *text += &lines.replace('\n', &format!("\n{}", layout.comments));
            *text += &layout.newline;
        }
    };
    comment(&mut text, &layout.header);
    let bytes = array.to_bytes()?;
    let size = dtype.size();
    // A row without columns is a line all the same.
    for index in 0..array.shape()[0] {
        let bytes = &bytes[index * columns * size..(index + 1) * columns * size];
        let numbers: Vec<Number> = bytes
            .chunks_exact(size)
            .flat_map(|bytes| match read_number(dtype, bytes) {
                Number::Complex(re, im) => vec![Number::Float(re), Number::Float(im)],
                real => vec![real],
            })
            .collect();
        let (part, width) = (dtype.part(), dtype.part().size());
        let word = |at: usize| scalar_text(part, &bytes[at * width..(at + 1) * width]);
        let line = written(OP, &row, &numbers, word)?;
        text += &if complex { line.replace("+-", "-") } else { line };
        text += &layout.newline;
    }
    comment(&mut text, &layout.footer);
    Ok(text)
}

fn parsed(op: &'static str, format: &str) -> Result<Format> {
    Format::parse(format).map_err(|reason| value_error(op, reason))
}

fn written(
    op: &'static str,
    format: &Format,
    numbers: &[Number],
    word: impl Fn(usize) -> String,
) -> Result<String> {
    format.write(numbers, word).map_err(|reason| Error::Arguments { op: op.to_string(), reason })
}

/// Bytes that are elements: of booleans each is 0 or 1, whatever was read.
fn normalized_bools(dtype: DType, bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match dtype {
        DType::Bool => bytes.iter().map(|&byte| u8::from(byte != 0)).collect::<Vec<u8>>().into(),
        _ => bytes.into(),
    }
}

fn of_raw(raw: &Raw) -> Result<Array> {
    Array::from_bytes(raw.dtype, &raw.shape, &raw.data, &Device::current())
}

fn of_table(op: &'static str, text: &str, format: &TableFormat, lenient: bool) -> Result<Array> {
    if format.least_ndim > 2 {
        return Err(value_error(op, format!("ndmin is {}, not 0, 1 or 2", format.least_ndim)));
    }
    let raw = text::read(op, text, format, lenient)?;
    let empty = raw.data.is_empty();
    let table = of_raw(&raw)?;
    let array = match (format.least_ndim, empty) {
        (2, _) => table,
        // Without numbers there is no saying which axis would stay.
        (_, true) => table.try_reshape(0isize)?,
        (least, false) => {
            let array = table.try_squeeze(..)?;
            if least == 1 { array.try_atleast_1d()? } else { array }
        }
    };
    if format.unpack { array.try_transpose(..) } else { Ok(array) }
}

pub(crate) fn file_text(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(|source| IoError::Open { path: path.into(), source })?;
    Ok(std::io::read_to_string(file).map_err(IoError::Read)?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file =
        File::create(path).map_err(|source| IoError::Create { path: path.into(), source })?;
    Ok(file.write_all(bytes).map_err(IoError::Write)?)
}
