//! Axes and options as plain values.

use smallvec::SmallVec;

use super::choices::linalg::Norm;
use super::choices::{IndexMode, QuantileMethod, fft};
use crate::graph::Array;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::shape::{axis_index, axis_indices};
use ndany_core::{DType, Error, Result};

/// Axes and options as plain values: what the body of a function gets.
#[derive(Clone, Debug, Default)]
pub struct AxisOptions {
    /// As they were given, counted from either end; `None` for `..`.
    pub(crate) axes: Option<SmallVec<[isize; 4]>>,
    pub(crate) keepdims: bool,
    pub(crate) dtype: Option<DType>,
    pub(crate) initial: Option<Scalar>,
    pub(crate) from_first: bool,
    pub(crate) mask: Option<Array>,
    pub(crate) ddof: Option<f64>,
    /// The options of few functions. They have memory of their own, so that the others are moved quickly.
    rest: Option<Box<Rest>>,
}

#[derive(Clone, Debug, Default)]
struct Rest {
    mean: Option<Operand>,
    method: Option<QuantileMethod>,
    weights: Option<Array>,
    ord: Option<Norm>,
    n: Option<SmallVec<[isize; 4]>>,
    norm: Option<fft::Norm>,
    edge_order: Option<usize>,
    prepend: Option<Operand>,
    append: Option<Operand>,
    include_initial: bool,
    descending: bool,
    mode: Option<IndexMode>,
    equal_nan: Option<bool>,
    discont: Option<f64>,
    period: Option<Scalar>,
}

fn needs_axis(op: &str) -> Error {
    Error::Arguments { op: op.to_string(), reason: "an axis is needed".to_string() }
}

/// Methods that set an option of `Rest`, and those that read it.
macro_rules! rest {
    ($($field:ident / $get:ident: $ty:ty;)+) => { impl AxisOptions { $(
        pub(crate) fn $field(mut self, value: $ty) -> Self {
            self.rest.get_or_insert_default().$field = Some(value);
            self
        }

        pub(crate) fn $get(&self) -> Option<$ty> {
            self.rest.as_ref()?.$field.clone()
        }
    )+ } };
}
rest! {
    mean / given_mean: Operand;
    method / given_method: QuantileMethod;
    ord / given_ord: Norm;
    n / given_n: SmallVec<[isize; 4]>;
    norm / given_norm: fft::Norm;
    edge_order / given_edge_order: usize;
    prepend / given_prepend: Operand;
    append / given_append: Operand;
    mode / given_mode: IndexMode;
    equal_nan / given_equal_nan: bool;
    discont / given_discont: f64;
    period / given_period: Scalar;
}

impl AxisOptions {
    /// These axes (`None` for `..`), without options.
    pub(crate) fn new(axes: Option<SmallVec<[isize; 4]>>) -> Self {
        Self { axes, ..Self::default() }
    }

    /// The same with this axis, if none was given.
    pub(crate) fn or_axis(self, axis: Option<isize>) -> Self {
        match (&self.axes, axis) {
            (None, Some(axis)) => Self { axes: Some(SmallVec::from_slice(&[axis])), ..self },
            _ => self,
        }
    }

    pub(crate) fn keepdims(self) -> Self {
        Self { keepdims: true, ..self }
    }

    pub(crate) fn dtype(self, dtype: DType) -> Self {
        Self { dtype: Some(dtype), ..self }
    }

    pub(crate) fn initial(self, value: Scalar) -> Self {
        Self { initial: Some(value), ..self }
    }

    /// NumPy's `initial=None`.
    pub(crate) fn initial_none(self) -> Self {
        Self { from_first: true, ..self }
    }

    pub(crate) fn where_(self, mask: &Array) -> Self {
        Self { mask: Some(mask.clone()), ..self }
    }

    pub(crate) fn ddof(self, ddof: f64) -> Self {
        Self { ddof: Some(ddof), ..self }
    }

    pub(crate) fn weights(mut self, weights: &Array) -> Self {
        self.rest.get_or_insert_default().weights = Some(weights.clone());
        self
    }

    pub(crate) fn include_initial(mut self) -> Self {
        self.rest.get_or_insert_default().include_initial = true;
        self
    }

    pub(crate) fn descending(mut self, descending: bool) -> Self {
        if descending {
            self.rest.get_or_insert_default().descending = true;
        }
        self
    }

    pub(crate) fn descends(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.descending)
    }

    pub(crate) fn given_weights(&self) -> Option<&Array> {
        self.rest.as_ref()?.weights.as_ref()
    }

    pub(crate) fn includes_initial(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.include_initial)
    }

    /// Axes and whether they stay, without the other options.
    pub(crate) fn geometry(&self) -> Self {
        Self { axes: self.axes.clone(), keepdims: self.keepdims, ..Self::default() }
    }

    /// The same with this dtype, or with none.
    pub(crate) fn dtype_or_default(self, dtype: Option<DType>) -> Self {
        Self { dtype, ..self }
    }

    /// The same without a dtype.
    pub(crate) fn without_dtype(self) -> Self {
        self.dtype_or_default(None)
    }

    /// The axes as they were given, counted from the front; `None` for `..`.
    pub(crate) fn axes_in_order(
        &self,
        op: &'static str,
        ndim: usize,
    ) -> Result<Option<SmallVec<[usize; 4]>>> {
        self.axes.as_ref().map(|axes| axis_indices(op, axes, ndim)).transpose()
    }

    /// The one axis as it was given, `None` for `..`.
    pub(crate) fn axis(&self, op: &str) -> Result<Option<isize>> {
        match self.axes.as_deref() {
            None => Ok(None),
            Some(&[axis]) => Ok(Some(axis)),
            Some(axes) => Err(Error::Arguments {
                op: op.to_string(),
                reason: format!("expected one axis, got {}", axes.len()),
            }),
        }
    }

    /// The one axis of a function that has no default.
    pub(crate) fn one(&self, op: &str) -> Result<isize> {
        self.axis(op)?.ok_or_else(|| needs_axis(op))
    }

    /// The axes of a function that has no default.
    pub(crate) fn listed(&self, op: &str) -> Result<&[isize]> {
        self.axes.as_deref().ok_or_else(|| needs_axis(op))
    }

    /// The one axis, counted from the front; `None` for `..`.
    pub(crate) fn axis_index(&self, op: &'static str, ndim: usize) -> Result<Option<usize>> {
        self.axis(op)?.map(|axis| axis_index(op, axis, ndim)).transpose()
    }
}

impl From<Option<isize>> for AxisOptions {
    fn from(axis: Option<isize>) -> Self {
        Self::new(axis.map(|axis| SmallVec::from_slice(&[axis])))
    }
}
