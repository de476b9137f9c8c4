//! Numbers in texts: tables with a row a line, and numbers between separators.
//!
//! Reading gives a [`Raw`](super::Raw); nothing here knows arrays. Texts are the host's by nature. Deliberately absent:
//! columns of different types and their names, quoted fields, converters, fields of fixed widths, dates.

mod number;
mod printf;
mod table;

pub(crate) use printf::Format;
pub(crate) use table::{read, read_separated};

use crate::dtype::DType;
use crate::scalar::Scalar;

/// How a table of numbers is written as a text: the options of [`loadtxt`](crate::loadtxt) and
/// [`genfromtxt`](crate::genfromtxt). `..` stands for NumPy's defaults.
///
/// ```
/// use ndany::{Device, loadtxt_str, TableFormat};
/// # let _guard = Device::open("reference")?.enter();
/// let text = "day, rain, sun   # hours\n1, 0.5, 7\n2, 3.25, 1\n";
/// let a = loadtxt_str(text, TableFormat::new().delimiter(",").skip_rows(1).columns(&[0, -1]))?;
/// assert_eq!(a.to_vec::<f64>()?, [1.0, 7.0, 2.0, 1.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableFormat {
    dtype: DType,
    delimiter: Option<String>,
    comments: Vec<String>,
    skip_rows: usize,
    skip_footer: usize,
    columns: Option<Vec<isize>>,
    rows: Option<usize>,
    pub(crate) least_ndim: usize,
    pub(crate) unpack: bool,
    fill: Vec<Scalar>,
    missing: Option<Vec<String>>,
    drop_invalid: bool,
}

impl From<std::ops::RangeFull> for TableFormat {
    fn from(_: std::ops::RangeFull) -> Self {
        TableFormat::new()
    }
}

impl Default for TableFormat {
    fn default() -> Self {
        Self::new()
    }
}

impl TableFormat {
    /// NumPy's defaults.
    pub fn new() -> Self {
        TableFormat {
            dtype: DType::F64,
            delimiter: None,
            comments: vec!["#".to_string()],
            skip_rows: 0,
            skip_footer: 0,
            columns: None,
            rows: None,
            least_ndim: 0,
            unpack: false,
            fill: Vec::new(),
            missing: None,
            drop_invalid: false,
        }
    }

    /// The dtype of the numbers; float64 unless given.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }

    /// What parts fields; any white space unless given.
    pub fn delimiter(mut self, delimiter: &str) -> Self {
        self.delimiter = Some(delimiter.to_string());
        self
    }

    /// What a comment begins with, which ends with the line; `#` unless given, nothing for none.
    pub fn comments(mut self, comments: &[&str]) -> Self {
        self.comments = comments.iter().map(|text| text.to_string()).collect();
        self
    }

    /// Lines to skip first, whatever they hold (NumPy's `skiprows` and `skip_header`).
    pub fn skip_rows(mut self, count: usize) -> Self {
        self.skip_rows = count;
        self
    }

    /// Rows to drop at the end.
    pub fn skip_footer(mut self, count: usize) -> Self {
        self.skip_footer = count;
        self
    }

    /// The columns to take, counted from the end where negative (NumPy's `usecols`).
    pub fn columns(mut self, columns: &[isize]) -> Self {
        self.columns = Some(columns.to_vec());
        self
    }

    /// The most rows to take (NumPy's `max_rows`).
    pub fn rows(mut self, count: usize) -> Self {
        self.rows = Some(count);
        self
    }

    /// The least number of axes, at most 2; axes of extent 1 beyond them go.
    pub fn ndmin(mut self, axes: usize) -> Self {
        self.least_ndim = axes;
        self
    }

    /// Columns become rows.
    pub fn unpack(mut self) -> Self {
        self.unpack = true;
        self
    }

    /// What `genfromtxt` takes for a field that is missing or no number: NaN for floats, -1 for integers and false unless
    /// given.
    pub fn fill(mut self, value: impl Into<Scalar>) -> Self {
        self.fill = vec![value.into()];
        self
    }

    /// [`TableFormat::fill`], a number for each column.
    pub fn fill_columns(mut self, values: &[Scalar]) -> Self {
        self.fill = values.to_vec();
        self
    }

    /// Only these fields, and empty ones, count as missing; others that are no numbers are an error (NumPy's
    /// `missing_values` with `loose=False`).
    pub fn missing(mut self, fields: &[&str]) -> Self {
        self.missing = Some(fields.iter().map(|text| text.to_string()).collect());
        self
    }

    /// `genfromtxt` drops rows that have not as many fields as the first (NumPy's `invalid_raise=False`).
    pub fn drop_invalid(mut self) -> Self {
        self.drop_invalid = true;
        self
    }
}

/// How an array becomes a text: the options of [`Array::savetxt`](crate::Array::savetxt). `..` stands for NumPy's defaults.
#[derive(Clone, Debug)]
pub struct TableLayout {
    pub(crate) formats: Vec<String>,
    pub(crate) delimiter: String,
    pub(crate) newline: String,
    pub(crate) header: String,
    pub(crate) footer: String,
    pub(crate) comments: String,
}

impl From<std::ops::RangeFull> for TableLayout {
    fn from(_: std::ops::RangeFull) -> Self {
        TableLayout::new()
    }
}

impl Default for TableLayout {
    fn default() -> Self {
        Self::new()
    }
}

impl TableLayout {
    /// NumPy's defaults.
    pub fn new() -> Self {
        TableLayout {
            formats: vec!["%.18e".to_string()],
            delimiter: " ".to_string(),
            newline: "\n".to_string(),
            header: String::new(),
            footer: String::new(),
            comments: "# ".to_string(),
        }
    }

    /// A format of C's printf for each number, or for a whole row; `%.18e` unless given.
    pub fn format(mut self, format: &str) -> Self {
        self.formats = vec![format.to_string()];
        self
    }

    /// A format for each column.
    pub fn formats(mut self, formats: &[&str]) -> Self {
        self.formats = formats.iter().map(|text| text.to_string()).collect();
        self
    }

    /// What stands between numbers; a space unless given.
    pub fn delimiter(mut self, delimiter: &str) -> Self {
        self.delimiter = delimiter.to_string();
        self
    }

    /// What ends a line.
    pub fn newline(mut self, newline: &str) -> Self {
        self.newline = newline.to_string();
        self
    }

    /// Lines in front, as comments.
    pub fn header(mut self, header: &str) -> Self {
        self.header = header.to_string();
        self
    }

    /// Lines at the end, as comments.
    pub fn footer(mut self, footer: &str) -> Self {
        self.footer = footer.to_string();
        self
    }

    /// What a comment begins with; `# ` unless given.
    pub fn comments(mut self, comments: &str) -> Self {
        self.comments = comments.to_string();
        self
    }
}
