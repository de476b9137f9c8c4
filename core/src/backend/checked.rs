//! The proof that a request has been checked, and the checks that all requests share.
//!
//! Requests (launches, sorts, products, …) are plain data. A backend receives them as [`Checked`], which only
//! [`Checked::new`] makes, once per launch. So unsafe code of a backend may rely on what [`Check`] promises, whatever
//! code made the request, and on nothing else.
//!
//! A check that passes allocates nothing and formats nothing. What is wrong is found and worded on a second, cold path.

use std::ops::Deref;

use super::{ContiguousView, Memory, StridedView};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::program::Program;

/// Requests that can be checked before a backend runs them.
pub trait Check {
    /// Returns an error unless this holds:
    ///
    /// - every element that is read or written, whatever the arrays hold, lies in its memory, but for the positions of
    ///   a gather or scatter that are [`bounds_checked`](super::Positions::bounds_checked) and not read;
    /// - dtypes, numbers of operands and extents agree with each other and with the program;
    /// - no extent is 0 where the pattern says so, and no product of extents overflows.
    fn check(&self) -> Result<()>;
}

impl Check for Program {
    #[inline]
    fn check(&self) -> Result<()> {
        self.well_formed()
    }
}

impl<T: Check> Check for &T {
    fn check(&self) -> Result<()> {
        (**self).check()
    }
}

/// A request, or a program, whose [`Check`] has passed. It cannot be changed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked<T>(T);

impl<T: Check> Checked<T> {
    /// Checks the request.
    ///
    /// # Errors
    /// [`Error::Launch`]: what [`Check`] says does not hold.
    #[inline]
    pub fn new(request: T) -> Result<Self> {
        request.check()?;
        Ok(Self(request))
    }
}

impl<T> Checked<T> {
    /// The same request, borrowed.
    #[inline]
    pub fn by_ref(&self) -> Checked<&T> {
        Checked(&self.0)
    }
}

impl<T: Clone> Checked<&T> {
    /// The same request, with an owner of its own.
    pub fn cloned(&self) -> Checked<T> {
        Checked(self.0.clone())
    }
}

impl<T> Deref for Checked<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl StridedView<'_> {
    /// Whether its elements over this shape, of which no extent is 0, lie in its memory.
    #[inline(always)]
    pub(crate) fn fits(&self, shape: &[usize]) -> bool {
        self.reaches(shape, 0, 0)
    }

    /// The same, where elements lie up to `below` in front of those that the strides reach, and up to `above` after
    /// them.
    #[inline(always)]
    pub(crate) fn reaches(&self, shape: &[usize], below: usize, above: usize) -> bool {
        let strides = self.strides.as_slice();
        if strides.len() != shape.len() {
            return false;
        }
        let (mut low, mut high) = (below, above);
        for (&extent, &stride) in shape.iter().zip(strides) {
            let Some(reach) = extent.wrapping_sub(1).checked_mul(stride.unsigned_abs()) else {
                return false;
            };
            if stride < 0 {
                low = low.saturating_add(reach);
            } else {
                high = high.saturating_add(reach);
            }
        }
        let elements = self.memory.bytes() >> self.dtype.size().trailing_zeros();
        low <= self.offset && self.offset < elements && high < elements - self.offset
    }
}

impl ContiguousView<'_> {
    /// Whether `pieces` pieces of `elements` elements each lie in its memory.
    pub(crate) fn holds(&self, pieces: usize, elements: usize, dtype: DType) -> bool {
        let count = pieces.checked_mul(elements);
        within(self.memory, count.and_then(|count| count.checked_add(self.offset)), dtype)
    }
}

/// Whether this number of elements lies in a memory.
#[inline]
fn within(memory: &dyn Memory, elements: Option<usize>, dtype: DType) -> bool {
    let bytes = elements.and_then(|elements| elements.checked_mul(dtype.size()));
    bytes.is_some_and(|bytes| bytes <= memory.bytes())
}

/// Returns an error unless `bytes` bytes from `offset` on lie in a memory: for [`Backend::read`](super::Backend::read)
/// and [`Backend::write`](super::Backend::write).
///
/// # Errors
/// [`Error::Launch`].
#[inline]
pub fn check_bytes(
    op: &'static str,
    memory: &dyn Memory,
    offset: usize,
    bytes: usize,
) -> Result<()> {
    let end = offset.checked_add(bytes);
    if end.is_some_and(|end| end <= memory.bytes()) {
        return Ok(());
    }
    Err(outside_bytes(op, memory, offset, bytes))
}

#[cold]
fn outside_bytes(op: &'static str, memory: &dyn Memory, offset: usize, bytes: usize) -> Error {
    let all = memory.bytes();
    Error::Launch {
        op,
        reason: format!("{bytes} bytes from byte {offset} on: expected {all} at most"),
    }
}

/// Number of elements of a shape without an extent of 0, if it can be counted.
#[inline]
pub(crate) fn counted(shape: &[usize]) -> Option<usize> {
    let mut size = 1usize;
    for &extent in shape {
        size = size.checked_mul(extent)?;
    }
    (size != 0 && size <= isize::MAX as usize).then_some(size)
}

/// The description of a failed check.
pub(crate) struct Refusal(pub(crate) &'static str);

impl Refusal {
    /// The error, unless the condition holds.
    pub(crate) fn unless(&self, holds: bool, reason: impl FnOnce() -> String) -> Result<()> {
        if holds { Ok(()) } else { Err(self.because(reason())) }
    }

    #[cold]
    pub(crate) fn because(&self, reason: impl Into<String>) -> Error {
        Error::Launch { op: self.0, reason: reason.into() }
    }

    /// No extent of a shape is 0, and its elements can be counted.
    pub(crate) fn shape(&self, shape: &[usize]) -> Result<()> {
        self.unless(counted(shape).is_some(), || {
            format!("shape {shape:?}: expected extents from 1 whose product is a size")
        })
    }

    /// The view's elements over a shape lie in its memory.
    pub(crate) fn view(&self, what: &str, view: &StridedView<'_>, shape: &[usize]) -> Result<()> {
        self.view_around(what, view, shape, 0, 0)
    }

    /// The same, of [`StridedView::reaches`].
    pub(crate) fn view_around(
        &self,
        what: &str,
        view: &StridedView<'_>,
        shape: &[usize],
        below: usize,
        above: usize,
    ) -> Result<()> {
        self.unless(view.reaches(shape, below, above), || outside(what, view, shape))
    }

    /// The pieces lie in their memory.
    pub(crate) fn pieces(
        &self,
        what: &str,
        view: &ContiguousView<'_>,
        [pieces, elements]: [usize; 2],
        dtype: DType,
    ) -> Result<()> {
        self.unless(view.holds(pieces, elements, dtype), || {
            let (offset, bytes) = (view.offset, view.memory.bytes());
            format!(
                "{what} lies outside its memory: expected {pieces} pieces of {elements} elements of {dtype} from element \
                 {offset} on, got {bytes} bytes"
            )
        })
    }

    /// The view's elements are of a dtype.
    pub(crate) fn dtype(&self, what: &str, view: &StridedView<'_>, dtype: DType) -> Result<()> {
        self.unless(view.dtype == dtype, || {
            format!("dtype of {what}: expected {dtype}, got {}", view.dtype)
        })
    }
}

fn outside(what: &str, view: &StridedView<'_>, shape: &[usize]) -> String {
    let StridedView { memory, dtype, offset, strides } = view;
    format!(
        "{what} lies outside its memory: shape {shape:?} by strides {strides:?} from element {offset} of {dtype} on, got {} bytes",
        memory.bytes()
    )
}
