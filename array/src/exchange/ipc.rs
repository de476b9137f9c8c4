//! Arrays of one process in another, without a copy.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use super::foreign::{ForeignArray, extent};
use super::lent::Export;
use crate::device::Device;
use ndany_core::backend::{IPC_BYTES, Pool, SharedMemory};
use ndany_core::shape::{self, Layout, Shape, Strides};
use ndany_core::{DType, Error, Result};

const OP: &str = "ipc";

/// What each sequence of bytes begins with; the last is the version.
const MAGIC: [u8; 8] = *b"ndanyIP\x01";

/// Bytes of a name: of a dtype, of a family of devices.
const NAME: usize = 16;

/// An array's elements in the memory of a GPU as another process of the same machine can use them: the vendor's handle of the
/// memory, where the elements lie in it, dtype, shape and strides. As `cupy.cuda.runtime.ipcGetMemHandle`.
///
/// The exporting process makes it of an [`Export`], whose values are there, and keeps the export until the other process has
/// dropped what it made of the handle. No event is needed: [`Export::read`] without a stream has waited, and what is exported for
/// reading changes no more. Of an [`Export::write`] both processes write the memory, and agree on when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpcHandle {
    /// The process that has the memory.
    process: [u64; 2],
    /// The name of a device before the colon.
    family: String,
    memory: SharedMemory,
    dtype: DType,
    shape: Shape,
    strides: Strides,
    is_writable: bool,
}

impl IpcHandle {
    /// Describes exported elements for other processes.
    ///
    /// - **Errors**: a device without a driver (the CPU), memory that the driver does not share (managed memory, that of some
    ///   allocators), a driver without such handles.
    ///
    /// ```
    /// use ndany::exchange::{Export, IpcHandle};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let a = zeros(3, F32).to_device(&device)?;
    /// // The CPU's memory is of its process alone; on a GPU the bytes go to another process.
    /// match IpcHandle::of(&Export::read(&a, None)?) {
    ///     Ok(handle) => assert_eq!(IpcHandle::from_bytes(&handle.to_bytes())?, handle),
    ///     Err(error) => assert!(error.is_unsupported()),
    /// }
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn of(export: &Export) -> Result<IpcHandle> {
        let device = export.device();
        let pool = pool_of(device)?;
        let Layout { shape, strides, .. } = export.layout().clone();
        let memory = match export.address() {
            // There are no elements, so no memory is looked at.
            0 => SharedMemory { handle: [0; IPC_BYTES], offset: 0, bytes: 0 },
            address => pool.share(address)?,
        };
        Ok(IpcHandle {
            process: this_process(),
            family: family_of(device),
            memory,
            dtype: export.dtype(),
            shape,
            strides,
            is_writable: export.is_writable(),
        })
    }

    /// Returns the bytes to send to the other process, some hundreds.
    ///
    /// They are of the version of the library that made them.
    ///
    /// ```
    /// use ndany::exchange::{Export, IpcHandle};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cuda:0") else { return Ok(()) };
    /// let a = arange(10).to_device(&device)?;
    /// let export = Export::read(&a, None)?; // kept until the other process is done
    /// assert!(IpcHandle::of(&export)?.to_bytes().len() < 1000);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { process, family, memory, dtype, shape, strides, is_writable } = self;
        let name = |text: &str| {
            let mut name = [0; NAME];
            name[..text.len()].copy_from_slice(text.as_bytes());
            name
        };
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(name(family));
        bytes.extend(name(dtype.name()));
        bytes.extend(memory.handle);
        let sizes = [memory.offset, memory.bytes, usize::from(*is_writable), shape.len()];
        let words = process.iter().copied().chain(sizes.map(|size| size as u64));
        let words = words
            .chain(shape.iter().map(|&extent| extent as u64))
            .chain(strides.iter().map(|&stride| stride as u64));
        bytes.extend(words.flat_map(u64::to_le_bytes));
        bytes
    }

    /// Reads what [`IpcHandle::to_bytes`] has made in another process.
    ///
    /// - **Errors**: other bytes, or those of another version; elements that do not lie in the memory.
    ///
    /// ```
    /// use ndany::exchange::IpcHandle;
    /// assert!(IpcHandle::from_bytes(b"something else").is_err());
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<IpcHandle> {
        Self::parse(bytes)
            .ok_or_else(|| refused("expected the bytes of an IpcHandle of this version"))
            .and_then(Self::checked)
    }

    fn parse(bytes: &[u8]) -> Option<IpcHandle> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let name = |bytes: &[u8]| {
            let text = bytes.split(|&byte| byte == 0).next()?;
            std::str::from_utf8(text).ok().map(String::from)
        };
        let (family, rest) = rest.split_at_checked(NAME)?;
        let (dtype, rest) = rest.split_at_checked(NAME)?;
        let (handle, rest) = rest.split_first_chunk::<IPC_BYTES>()?;
        let dtype = name(dtype)?;
        let dtype = DType::ALL.iter().copied().find(|known| known.name() == dtype)?;
        let (words, rest) = rest.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let ([first, second, offset, size, is_writable, ndim], layout) =
            words.split_first_chunk::<6>()?;
        let ndim = usize::try_from(*ndim).ok().filter(|&ndim| ndim <= layout.len())?;
        if !rest.is_empty() || layout.len() != 2 * ndim || *is_writable > 1 {
            return None;
        }
        let (shape, strides) = layout.split_at(ndim);
        let whole = |&word: &u64| usize::try_from(word).ok();
        Some(IpcHandle {
            process: [*first, *second],
            family: name(family)?,
            memory: SharedMemory { handle: *handle, offset: whole(offset)?, bytes: whole(size)? },
            dtype,
            shape: shape.iter().map(whole).collect::<Option<_>>()?,
            strides: strides.iter().map(|&stride| stride as isize).collect(),
            is_writable: *is_writable == 1,
        })
    }

    /// Checks that the elements lie in the memory.
    fn checked(self) -> Result<IpcHandle> {
        let size = shape::checked_size(OP, &self.shape, self.dtype)?;
        if size == 0 {
            return Ok(self);
        }
        let (low, span) = extent(OP, &self.shape, &self.strides)?;
        let width = self.dtype.size();
        let before = low.unsigned_abs().checked_mul(width);
        let first = before.and_then(|before| self.memory.offset.checked_sub(before));
        let end = first.and_then(|first| first.checked_add(span.checked_mul(width)?));
        match end {
            Some(end) if end <= self.memory.bytes => Ok(self),
            _ => Err(refused("expected elements that lie in the memory of the handle")),
        }
    }

    /// Opens the memory on the same GPU in this process, as `cupy.cuda.runtime.ipcOpenMemHandle`.
    ///
    /// It is memory of another library, which [`into_array`](ForeignArray::into_array) makes an array, and is closed when the last
    /// array over it goes.
    ///
    /// - **Errors**: a device of another vendor, the process that made the handle (which has the array), a handle whose memory
    ///   is gone, another GPU than that of the memory where it cannot be reached.
    ///
    /// ```
    /// use ndany::exchange::IpcHandle;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cuda:0") else { return Ok(()) };
    /// # let Ok(bytes) = std::fs::read("handle") else { return Ok(()) };
    /// // The bytes come from the other process, which keeps its export until this one is done.
    /// let foreign = IpcHandle::from_bytes(&bytes)?.open(&device)?;
    /// // SAFETY: so the memory is there, and nothing writes it.
    /// let a = unsafe { foreign.into_array() }?;
    /// println!("{}", a.sum(..));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn open(&self, device: &Device) -> Result<ForeignArray> {
        let pool = pool_of(device)?;
        let family = family_of(device);
        if family != self.family {
            let reason = format!("expected a device of {}, got {device}", self.family);
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
        if self.process == this_process() {
            return Err(refused("expected a handle of another process: this one has the array"));
        }
        let (address, owner) = match shape::size_of(&self.shape) {
            0 => (0, Box::new(()) as ndany_core::backend::Owner),
            _ => {
                let (first, owner) = pool.open(&self.memory.handle)?;
                (first + self.memory.offset as u64, owner)
            }
        };
        Ok(ForeignArray {
            device: device.clone(),
            address,
            dtype: self.dtype,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            is_writable: self.is_writable,
            owner,
        })
    }
}

fn refused(reason: &str) -> Error {
    Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() }
}

fn pool_of(device: &Device) -> Result<&dyn Pool> {
    device.backend().pool().ok_or_else(|| Error::Unsupported {
        op: OP.to_string(),
        reason: format!("the memory of {device} is of its process alone"),
    })
}

/// The name of a device before the colon.
fn family_of(device: &Device) -> String {
    let name = device.name();
    name.split(':').next().unwrap_or(&name).chars().take(NAME).collect()
}

/// What no other process has: drivers do not open a handle in the process that made it, and a number of a process may be another
/// one's elsewhere.
fn this_process() -> [u64; 2] {
    static TOKEN: OnceLock<u64> = OnceLock::new();
    let token = *TOKEN.get_or_init(|| RandomState::new().build_hasher().finish());
    [u64::from(std::process::id()), token]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle() -> IpcHandle {
        IpcHandle {
            process: [7, 1 << 63],
            family: "cuda".to_string(),
            memory: SharedMemory { handle: [9; IPC_BYTES], offset: 512, bytes: 2 << 20 },
            dtype: DType::C128,
            shape: Shape::from_slice(&[3, 5]),
            strides: Strides::from_slice(&[-5, 1]),
            is_writable: true,
        }
    }

    #[test]
    fn bytes_come_back() {
        let handle = handle();
        let bytes = handle.to_bytes();
        assert_eq!(IpcHandle::from_bytes(&bytes).expect("a handle"), handle);
        for end in 0..bytes.len() {
            assert!(IpcHandle::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
        assert!(IpcHandle::from_bytes(&[&*bytes, &[0]].concat()).is_err());
    }

    #[test]
    fn damaged_bytes_are_refused_or_lie_in_the_memory() {
        let bytes = handle().to_bytes();
        let mut refused = 0;
        for (place, change) in (0..bytes.len()).flat_map(|place| [(place, 1), (place, 0x80)]) {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            match IpcHandle::from_bytes(&damaged) {
                Err(_) => refused += 1,
                Ok(handle) => {
                    let (low, span) =
                        extent(OP, &handle.shape, &handle.strides).expect("an extent");
                    let first = handle.memory.offset - low.unsigned_abs() * handle.dtype.size();
                    assert!(first + span * handle.dtype.size() <= handle.memory.bytes);
                }
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn elements_outside_are_refused() {
        let refused = |change: fn(&mut IpcHandle)| {
            let mut other = handle();
            change(&mut other);
            IpcHandle::from_bytes(&other.to_bytes()).expect_err("no such memory").to_string()
        };
        let words = "expected elements that lie in the memory of the handle";
        assert!(refused(|handle| handle.memory.offset = 144).contains(words));
        assert!(refused(|handle| handle.memory.bytes = 512 + 79).contains(words));
        assert!(refused(|handle| handle.strides[0] = isize::MIN).contains("steps that leave"));
        assert!(refused(|handle| handle.shape[1] = usize::MAX).contains("too large"));
        let mut empty = handle();
        (empty.shape[0], empty.memory.bytes) = (0, 0);
        assert!(IpcHandle::from_bytes(&empty.to_bytes()).is_ok());
    }
}
