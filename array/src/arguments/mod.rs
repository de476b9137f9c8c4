//! Arguments of functions: integers, shapes, axes, and the options that ride on them.
//!
//! A function takes `impl IntoAxes<F>`, `impl IntoAxis<F>` or `impl IntoShape<F>`, where `F` names the set of options that it
//! has; an option outside of the set does not compile. What a function's body gets are plain values: [`AxisOptions`],
//! [`ShapeOptions`].
//!
//! - `integers`: one integer or a list of them
//! - `lists`: lists of arrays
//! - `making`: dtypes, ranges and matrices that are made
//! - `choices`: ways to do the same, which options name
//! - `shape`: shapes
//! - `values`: the plain values of axes with options
//! - `axes`: several axes, and how options are added to them
//! - `axis`: one axis
//! - `options`: the options and the sets of them

mod axes;
mod axis;
pub(crate) mod choices;
mod integers;
mod lists;
mod making;
pub mod options;
mod shape;
#[cfg(test)]
mod tests;
mod values;

pub use axes::{Axes, IntoAxes, over};
pub use axis::{Axis, IntoAxis, along};
pub use choices::OneOf;
pub(crate) use choices::one_of;
pub use integers::{Integer, Integers};
pub use lists::Arrays;
pub(crate) use lists::list;
pub(crate) use making::matrix;
pub use making::{Arange, Creation, Eye};
pub(crate) use shape::extents;
pub use shape::{IntoShape, Shape, ShapeOptions};
pub use values::AxisOptions;
