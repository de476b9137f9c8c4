//! The owner of a tensor that is handed over.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use ndany_core::{Error, Result};

use crate::abi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, READ_ONLY, VERSION,
};

/// A tensor that is handed over: dropping it calls the deleter, once, on the thread that drops it.
pub struct Tensor(Managed);

#[derive(Clone, Copy)]
enum Managed {
    Legacy(NonNull<DLManagedTensor>),
    Versioned(NonNull<DLManagedTensorVersioned>),
}

// SAFETY: the owner of a tensor is one thread at a time, and DLPack lets any thread call the deleter.
unsafe impl Send for Tensor {}
// SAFETY: a shared tensor is only read, and nothing writes it before its deleter is called.
unsafe impl Sync for Tensor {}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("version", &self.version())
            .field("tensor", self.tensor())
            .finish()
    }
}

impl Tensor {
    /// Takes over a tensor of version 1.0 or later.
    ///
    /// - **Errors**: a null pointer, another major version, whose deleter is called.
    ///
    /// # Safety
    /// The pointer is null, or to a `DLManagedTensorVersioned` of which the caller is the only owner, as of a capsule that has not
    /// been consumed. Its pointers are as the header says.
    ///
    /// ```
    /// use ndany::dlpack::Tensor;
    /// // SAFETY: null is allowed.
    /// assert!(unsafe { Tensor::from_versioned(std::ptr::null_mut()) }.is_err());
    /// ```
    pub unsafe fn from_versioned(tensor: *mut DLManagedTensorVersioned) -> Result<Tensor> {
        let tensor = NonNull::new(tensor).ok_or_else(consumed)?;
        // The deleter is called on both ways.
        let tensor = Tensor(Managed::Versioned(tensor));
        match tensor.version() {
            Some(DLPackVersion { major, .. }) if major != VERSION.major => {
                Err(Error::Unsupported {
                    op: "from_dlpack".to_string(),
                    reason: format!(
                        "version {major} of DLPack: expected version {}",
                        VERSION.major
                    ),
                })
            }
            Some(_) | None => Ok(tensor),
        }
    }

    /// Takes over a tensor of a version before 1.0.
    ///
    /// - **Errors**: a null pointer.
    ///
    /// # Safety
    /// As [`Tensor::from_versioned`], for a `DLManagedTensor`.
    ///
    /// ```
    /// use ndany::dlpack::Tensor;
    /// // SAFETY: null is allowed.
    /// assert!(unsafe { Tensor::from_legacy(std::ptr::null_mut()) }.is_err());
    /// ```
    pub unsafe fn from_legacy(tensor: *mut DLManagedTensor) -> Result<Tensor> {
        NonNull::new(tensor).map(|tensor| Tensor(Managed::Legacy(tensor))).ok_or_else(consumed)
    }

    /// Hands a tensor of version 1.0 or later over: the receiver calls the deleter. `Err` has back one of a version before.
    ///
    /// ```
    /// use ndany::dlpack::{Export, Tensor, export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let tensor = export(&mut zeros(3, F32).to_device(&device)?, Export::default())?;
    /// let pointer = tensor.into_versioned().expect("versions are the default");
    /// // SAFETY: the pointer was just handed over.
    /// drop(unsafe { Tensor::from_versioned(pointer) }?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn into_versioned(self) -> Result<*mut DLManagedTensorVersioned, Tensor> {
        match self.0 {
            Managed::Versioned(tensor) => {
                let _ = ManuallyDrop::new(self);
                Ok(tensor.as_ptr())
            }
            Managed::Legacy(_) => Err(self),
        }
    }

    /// Hands a tensor of a version before 1.0 over: the receiver calls the deleter. `Err` has back one of a later version.
    ///
    /// ```
    /// use ndany::dlpack::{Export, Tensor, export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let options = Export { max_version: None, ..Export::default() };
    /// let tensor = export(&mut zeros(3, F32).to_device(&device)?, options)?;
    /// let pointer = tensor.into_legacy().expect("no version was asked for");
    /// // SAFETY: the pointer was just handed over.
    /// drop(unsafe { Tensor::from_legacy(pointer) }?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn into_legacy(self) -> Result<*mut DLManagedTensor, Tensor> {
        match self.0 {
            Managed::Legacy(tensor) => {
                let _ = ManuallyDrop::new(self);
                Ok(tensor.as_ptr())
            }
            Managed::Versioned(_) => Err(self),
        }
    }

    /// Returns the version, if the tensor has one.
    ///
    /// ```
    /// use ndany::dlpack::{Export, abi::VERSION, export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let tensor = export(&mut zeros(3, F32).to_device(&device)?, Export::default())?;
    /// assert_eq!(tensor.version(), Some(VERSION));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn version(&self) -> Option<DLPackVersion> {
        match self.0 {
            Managed::Legacy(_) => None,
            // SAFETY: the owner's pointer is to a live tensor, which begins with its version.
            Managed::Versioned(tensor) => Some(unsafe { (*tensor.as_ptr()).version }),
        }
    }

    /// Returns the tensor's description.
    ///
    /// ```
    /// use ndany::dlpack::{Export, export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let tensor = export(&mut zeros((3, 4), F32).to_device(&device)?, Export::default())?;
    /// assert_eq!(tensor.tensor().ndim, 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn tensor(&self) -> &DLTensor {
        match self.0 {
            // SAFETY: the owner's pointer is to a live tensor, which nothing writes.
            Managed::Legacy(tensor) => unsafe { &(*tensor.as_ptr()).dl_tensor },
            // SAFETY: as above; a tensor of another major version does not get out of `from_versioned`.
            Managed::Versioned(tensor) => unsafe { &(*tensor.as_ptr()).dl_tensor },
        }
    }

    /// Returns the [flags](crate::abi::READ_ONLY); a tensor without a version has none.
    ///
    /// ```
    /// use ndany::dlpack::{Export, abi, export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let mut repeated = zeros(1, F32).to_device(&device)?.broadcast_to([3]);
    /// assert_eq!(export(&mut repeated, Export::default())?.flags(), abi::READ_ONLY);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn flags(&self) -> u64 {
        match self.0 {
            Managed::Legacy(_) => 0,
            // SAFETY: as in `tensor`.
            Managed::Versioned(tensor) => unsafe { (*tensor.as_ptr()).flags },
        }
    }

    /// Whether nobody may write through it.
    pub(crate) fn is_read_only(&self) -> bool {
        self.flags() & READ_ONLY != 0
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        match self.0 {
            Managed::Legacy(tensor) => {
                // SAFETY: the owner's pointer is to a live tensor, and this is the one call of its deleter.
                unsafe {
                    if let Some(deleter) = (*tensor.as_ptr()).deleter {
                        deleter(tensor.as_ptr());
                    }
                }
            }
            Managed::Versioned(tensor) => {
                // SAFETY: as above; the place of the deleter is the same in every major version.
                unsafe {
                    if let Some(deleter) = (*tensor.as_ptr()).deleter {
                        deleter(tensor.as_ptr());
                    }
                }
            }
        }
    }
}

fn consumed() -> Error {
    Error::ArgumentValue {
        op: "from_dlpack".to_string(),
        reason: "expected a tensor, got none: it has been consumed".to_string(),
    }
}
