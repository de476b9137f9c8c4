//! NumPy's and CUDA's array interface, version 3, as plain values.

use crate::device::Device;
use crate::exchange::{Export, ForeignArray};
use ndany_core::shape::{Layout, Shape, Strides};
use ndany_core::{DType, Error, Result};

/// What `__array_interface__` and `__cuda_array_interface__` hold, in version 3: where elements lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInterface {
    /// Extents.
    pub shape: Vec<usize>,
    /// Byte order, kind and size of an element, as `"<f8"`.
    pub typestr: String,
    /// The address of the first element, 0 if there is none, and whether the memory is read-only.
    pub data: (u64, bool),
    /// Steps in bytes; `None` in C order.
    pub strides: Option<Vec<isize>>,
    /// Of CUDA: the stream after whose work of now the values are there. 1 is the legacy default stream, 2 that of each thread, `None`
    /// if nothing has to be waited for.
    pub stream: Option<u64>,
}

/// The version that [`ArrayInterface`] follows.
pub(super) const VERSION: u32 = 3;

impl ArrayInterface {
    /// The version of the protocol.
    pub const VERSION: u32 = VERSION;

    /// Describes exported elements, whose values are there: `stream` is `None`.
    ///
    /// - **Errors**: bfloat16, which the protocol does not have.
    ///
    /// ```
    /// use ndany::exchange::{ArrayInterface, Export};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let a = zeros((2, 3), F32).to_device(&device)?.transpose(..);
    /// let interface = ArrayInterface::of(&Export::read(&a, None)?)?;
    /// assert_eq!((interface.typestr.as_str(), interface.strides), ("<f4", Some(vec![4, 12])));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn of(export: &Export) -> Result<ArrayInterface> {
        let (layout, dtype) = (export.layout(), export.dtype());
        let size = dtype.size() as isize;
        let strides = (!layout.is_contiguous())
            .then(|| layout.strides.iter().map(|stride| stride * size).collect());
        Ok(ArrayInterface {
            shape: layout.shape.to_vec(),
            typestr: typestr(dtype)?,
            data: (export.address(), !export.is_writable()),
            strides,
            stream: None,
        })
    }

    /// Returns what it describes as memory of another library on a device, kept by an owner.
    ///
    /// - **Errors**: a type that is no dtype of arrays, or has another byte order than the machine's; steps that are no multiples of the
    ///   element's size.
    ///
    /// ```
    /// use ndany::exchange::ArrayInterface;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let values = vec![1i32, 2, 3];
    /// let interface = ArrayInterface {
    ///     shape: vec![3],
    ///     typestr: "<i4".into(),
    ///     data: (values.as_ptr().expose_provenance() as u64, true),
    ///     strides: None,
    ///     stream: None,
    /// };
    /// // SAFETY: the vector is the owner, and moving it moves no elements.
    /// let a = unsafe { interface.foreign(&device, values)?.into_array() }?;
    /// assert_eq!(a.to_string(), "[1 2 3]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn foreign(&self, device: &Device, owner: impl Send + 'static) -> Result<ForeignArray> {
        const OP: &str = "array_interface";
        let dtype = self.dtype()?;
        let shape = Shape::from_slice(&self.shape);
        ndany_core::shape::checked_size(OP, &shape, dtype)?;
        let size = dtype.size() as isize;
        let strides: Strides = match &self.strides {
            None => Layout::contiguous(&shape).strides,
            Some(strides) if strides.iter().any(|stride| stride % size != 0) => {
                let reason = format!(
                    "expected steps that are multiples of {size} bytes, got {strides:?}: copy the values"
                );
                return Err(Error::ArgumentValue { op: OP.to_string(), reason });
            }
            Some(strides) => strides.iter().map(|stride| stride / size).collect(),
        };
        let (address, is_read_only) = self.data;
        Ok(ForeignArray {
            device: device.clone(),
            address,
            dtype,
            shape,
            strides,
            is_writable: !is_read_only,
            owner: Box::new(owner),
        })
    }

    fn dtype(&self) -> Result<DType> {
        let own = if cfg!(target_endian = "little") { '<' } else { '>' };
        let text = self.typestr.as_str();
        // An element of one byte has no order.
        let known = DType::ALL.iter().copied().find(|&dtype| {
            typestr(dtype).is_ok_and(|known| {
                known == text || (known.starts_with('|') && text.get(1..) == known.get(1..))
            })
        });
        known.ok_or_else(|| Error::Arguments {
            op: "array_interface".to_string(),
            reason: format!("expected a type of numbers in the byte order {own:?}, got {text:?}"),
        })
    }
}

/// The text of a dtype.
fn typestr(dtype: DType) -> Result<String> {
    let kind = match dtype {
        DType::Bool => 'b',
        DType::BF16 => {
            let reason = "array interfaces have no bfloat16: use DLPack".to_string();
            return Err(Error::Unsupported { op: "array_interface".to_string(), reason });
        }
        _ if dtype.is_complex() => 'c',
        _ if dtype.is_unsigned() => 'u',
        _ if dtype.is_int() => 'i',
        _ => 'f',
    };
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "little") => '<',
        _ => '>',
    };
    Ok(format!("{order}{kind}{}", dtype.size()))
}
