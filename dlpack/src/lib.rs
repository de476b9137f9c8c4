//! Exchange of arrays by [DLPack](https://dmlc.github.io/dlpack/latest/), versioned and legacy, in and out, without a copy where the
//! rules allow it. A binding to Python wraps the pointers in capsules; nothing here knows of Python.
//!
//! `abi` has the structures of the header. [`Tensor`] owns one that is handed over, whichever side made it: its deleter is called once.
//! [`export`] makes a tensor of an array, [`import`] an array of a tensor. What may not be exchanged is an error of these calls, and
//! Python's `BufferError`.
//!
//! ```
//! use ndany::dlpack::{Export, Import, export, import};
//! use ndany::prelude::*;
//! # let Ok(device) = Device::open("cpu") else { return Ok(()) };
//! # let _here = device.enter();
//! let mut a = arange(6).reshape([2, 3]);
//! let tensor = export(&mut a, Export::default())?;
//! // SAFETY: the tensor is one of this library's.
//! let b = unsafe { import(tensor, Import::default()) }?;
//! a.set(s![0, 0], 9);
//! assert_eq!(b.to_string(), "[[9 1 2]\n [3 4 5]]");
//! # Ok::<(), ndany::Error>(())
//! ```

pub mod abi;
mod consume;
mod produce;
mod tensor;

pub use consume::{Import, allocate, import};
pub use produce::{Export, device_of, export, is_accessible_from, stream_of};
pub use tensor::Tensor;
