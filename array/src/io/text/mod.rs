//! Numbers in texts: tables with a row a line, and numbers between separators.
//!
//! Reading gives a [`Raw`](super::Raw); nothing here knows arrays. Texts are the host's by nature. Deliberately absent:
//! columns of different types and their names, quoted fields, converters, fields of fixed widths, dates.

mod number;
mod printf;
mod table;

pub(crate) use printf::Format;
pub(crate) use table::{read, read_separated};

use crate::scalar::Scalar;

use ndany_core::DType;

/// How a table of numbers is written as a text: the options of [`loadtxt`](crate::api::io::loadtxt) and
/// [`genfromtxt`](crate::api::io::genfromtxt). `..` stands for NumPy's defaults.
///
/// ```
/// use ndany::{Device, TableFormat, io};
/// # let _guard = Device::open("reference")?.enter();
/// let text = "day, rain, sun   # hours\n1, 0.5, 7\n2, 3.25, 1\n";
/// let a = io::loadtxt(io::Text(text), TableFormat::new().delimiter(",").skip_rows(1).columns(&[0, -1]))?;
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
    /// Starts the options of [`loadtxt`](crate::api::io::loadtxt) and `genfromtxt` with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2"), ndany::TableFormat::new())?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Sets the dtype of the numbers, float64 unless given, as `dtype=` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2"), ndany::TableFormat::new().dtype(I32))?.to_string(), "[1 2]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }

    /// Sets what separates fields, white space unless given, as `delimiter=` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1,2"), ndany::TableFormat::new().delimiter(","))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn delimiter(mut self, delimiter: &str) -> Self {
        self.delimiter = Some(delimiter.to_string());
        self
    }

    /// Sets what a comment begins with, `#` unless given, as `comments=` of `np.loadtxt`; no texts for no comments.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2 % two"), ndany::TableFormat::new().comments(&["%"]))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn comments(mut self, comments: &[&str]) -> Self {
        self.comments = comments.iter().map(|text| text.to_string()).collect();
        self
    }

    /// Skips lines at the beginning, as `skiprows=` of `np.loadtxt` and `skip_header=` of `np.genfromtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("head\n1 2"), ndany::TableFormat::new().skip_rows(1))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn skip_rows(mut self, count: usize) -> Self {
        self.skip_rows = count;
        self
    }

    /// Drops rows at the end, as `skip_footer=` of `np.genfromtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::genfromtxt(ndany::io::Text("1 2\n3 4"), ndany::TableFormat::new().skip_footer(1))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn skip_footer(mut self, count: usize) -> Self {
        self.skip_footer = count;
        self
    }

    /// Selects the columns to read, counted from the end where negative, as `usecols=` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2 3"), ndany::TableFormat::new().columns(&[0, -1]))?.to_string(), "[1. 3.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn columns(mut self, columns: &[isize]) -> Self {
        self.columns = Some(columns.to_vec());
        self
    }

    /// Sets the most rows to read, as `max_rows=` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2\n3 4"), ndany::TableFormat::new().rows(1))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn rows(mut self, count: usize) -> Self {
        self.rows = Some(count);
        self
    }

    /// Sets the least number of axes, at most 2, as `ndmin=` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2"), ndany::TableFormat::new().ndmin(2))?.to_string(), "[[1. 2.]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn ndmin(mut self, axes: usize) -> Self {
        self.least_ndim = axes;
        self
    }

    /// Returns columns as rows, as `unpack=True` of `np.loadtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::loadtxt(ndany::io::Text("1 2\n3 4"), ndany::TableFormat::new().unpack())?.to_string(), "[[1. 3.]\n [2. 4.]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn unpack(mut self) -> Self {
        self.unpack = true;
        self
    }

    /// Sets the number for a field that is missing or no number, as `filling_values=` of `np.genfromtxt`.
    ///
    /// The default is NaN for floats, -1 for integers and false for bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::genfromtxt(ndany::io::Text("1,,3"), ndany::TableFormat::new().delimiter(",").fill(0))?.to_string(), "[1. 0. 3.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn fill(mut self, value: impl Into<Scalar>) -> Self {
        self.fill = vec![value.into()];
        self
    }

    /// Sets the number for a missing field for each column, as `filling_values=` of `np.genfromtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let format = ndany::TableFormat::new().delimiter(",").fill_columns(&[0.into(), 7.into()]);
    /// assert_eq!(ndany::io::genfromtxt(ndany::io::Text("1,"), format)?.to_string(), "[1. 7.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn fill_columns(mut self, values: &[Scalar]) -> Self {
        self.fill = values.to_vec();
        self
    }

    /// Counts only these fields and empty ones as missing, as `missing_values=` and `loose=False` of `np.genfromtxt`.
    ///
    /// Other fields that are no numbers are an error.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::genfromtxt(ndany::io::Text("1 x 3"), ndany::TableFormat::new().missing(&["x"]))?.to_string(), "[ 1. nan  3.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn missing(mut self, fields: &[&str]) -> Self {
        self.missing = Some(fields.iter().map(|text| text.to_string()).collect());
        self
    }

    /// Drops rows that have not as many fields as the first, as `invalid_raise=False` of `np.genfromtxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::io::genfromtxt(ndany::io::Text("1 2\n3\n5 6"), ndany::TableFormat::new().drop_invalid())?.to_string(), "[[1. 2.]\n [5. 6.]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn drop_invalid(mut self) -> Self {
        self.drop_invalid = true;
        self
    }
}

/// How an array becomes a text: the options of [`savetxt`](crate::api::io::savetxt). `..` stands for NumPy's defaults.
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
    /// Starts the options of [`savetxt`](crate::api::io::savetxt) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5]).to_txt(ndany::TableLayout::new())?, "1.500000000000000000e+00\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Sets a format of C's printf for each number, or for a whole row, as `fmt=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).to_txt(ndany::TableLayout::new().format("%d"))?, "1\n2\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn format(mut self, format: &str) -> Self {
        self.formats = vec![format.to_string()];
        self
    }

    /// Sets a format for each column, as a list `fmt=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2]]).to_txt(ndany::TableLayout::new().formats(&["%d", "%.1f"]))?, "1 2.0\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn formats(mut self, formats: &[&str]) -> Self {
        self.formats = formats.iter().map(|text| text.to_string()).collect();
        self
    }

    /// Sets what stands between numbers, a space unless given, as `delimiter=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2]]).to_txt(ndany::TableLayout::new().format("%d").delimiter(","))?, "1,2\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn delimiter(mut self, delimiter: &str) -> Self {
        self.delimiter = delimiter.to_string();
        self
    }

    /// Sets what ends a line, as `newline=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).to_txt(ndany::TableLayout::new().format("%d").newline(";"))?, "1;2;");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn newline(mut self, newline: &str) -> Self {
        self.newline = newline.to_string();
        self
    }

    /// Sets lines at the beginning, which become comments, as `header=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1]).to_txt(ndany::TableLayout::new().format("%d").header("x"))?, "# x\n1\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn header(mut self, header: &str) -> Self {
        self.header = header.to_string();
        self
    }

    /// Sets lines at the end, which become comments, as `footer=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1]).to_txt(ndany::TableLayout::new().format("%d").footer("x"))?, "1\n# x\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn footer(mut self, footer: &str) -> Self {
        self.footer = footer.to_string();
        self
    }

    /// Sets what a comment begins with, `# ` unless given, as `comments=` of `np.savetxt`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1]).to_txt(ndany::TableLayout::new().format("%d").header("x").comments("% "))?, "% x\n1\n");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn comments(mut self, comments: &str) -> Self {
        self.comments = comments.to_string();
        self
    }
}
