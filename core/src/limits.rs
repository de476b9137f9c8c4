//! What numbers a dtype has, and which dtype holds numbers of several: NumPy's `finfo`, `iinfo`,
//! `common_type`.

use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::float::Format;

/// The properties of a float dtype, as `np.finfo`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FInfo {
    /// The dtype, of complex ones that of the parts.
    pub dtype: DType,
    /// Bits of one number.
    pub bits: u32,
    /// Fraction bits of the mantissa.
    pub nmant: u32,
    /// From 1 to the next larger number.
    pub eps: f64,
    /// From the next smaller number to 1.
    pub epsneg: f64,
    /// The largest number.
    pub max: f64,
    /// The smallest number, which is `-max`.
    pub min: f64,
    /// The smallest positive number with a whole mantissa.
    pub smallest_normal: f64,
    /// The smallest positive number.
    pub smallest_subnormal: f64,
    /// Decimal digits that every number is good for.
    pub precision: u32,
    /// 10 to the power of minus that.
    pub resolution: f64,
}

/// Returns the limits of a float dtype, as `np.finfo`; complex dtypes stand for their parts.
///
/// - **Errors**: a dtype that is neither float nor complex.
///
/// ```
/// use ndany::{DType, finfo, iinfo};
/// assert_eq!(finfo(DType::F32)?.eps, f64::from(f32::EPSILON));
/// assert_eq!(finfo(DType::C128)?.max, f64::MAX);
/// assert_eq!(iinfo(DType::U8)?.max, 255);
/// assert!(finfo(DType::I32).is_err());
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn finfo(dtype: DType) -> Result<FInfo> {
    let part = dtype.part();
    let Some(format) = Format::of(part) else {
        let dtypes = part.to_string();
        return Err(Error::DTypes { op: "finfo", dtypes, remedy: "ask iinfo of integers" });
    };
    let (eps, max) = (format.epsilon(), format.largest());
    let precision = (-eps.log10()) as u32;
    Ok(FInfo {
        dtype: part,
        bits: 8 * part.size() as u32,
        nmant: format.fraction,
        eps,
        epsneg: eps / 2.0,
        max,
        min: -max,
        smallest_normal: 2f64.powi(1 - format.bias),
        smallest_subnormal: format.smallest(),
        precision,
        resolution: format!("1e-{precision}").parse().unwrap_or(eps),
    })
}

/// The range of an integer dtype, as `np.iinfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IInfo {
    /// The dtype.
    pub dtype: DType,
    /// Bits of one number.
    pub bits: u32,
    /// The smallest.
    pub min: i128,
    /// The largest.
    pub max: i128,
}

/// Returns the limits of an integer dtype, as `np.iinfo`.
///
/// - **Errors**: a dtype that is no integer.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::iinfo(I8)?.max, 127);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn iinfo(dtype: DType) -> Result<IInfo> {
    if !dtype.is_int() {
        let dtypes = dtype.to_string();
        return Err(Error::DTypes { op: "iinfo", dtypes, remedy: "ask finfo of floats" });
    }
    let (min, max) = dtype.int_range();
    Ok(IInfo { dtype, bits: 8 * dtype.size() as u32, min, max })
}

impl DType {
    /// Returns the float or complex dtype that holds numbers of all these, as `np.common_type`.
    ///
    /// Integers count as float64.
    ///
    /// - **Errors**: bool among them, or no dtypes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(DType::common_type(&[F32, I32])?, F64);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn common_type(dtypes: &[DType]) -> Result<DType> {
        const OP: &str = "common_type";
        let float = |dtype: &DType| match dtype.kind() {
            Kind::Bool => {
                let dtypes = dtype.to_string();
                Err(Error::DTypes { op: OP, dtypes, remedy: "convert with astype" })
            }
            Kind::Int => Ok(DType::F64),
            Kind::Float | Kind::Complex => Ok(*dtype),
        };
        let floats = dtypes.iter().map(float).collect::<Result<Vec<_>>>()?;
        DType::promote_all(floats).ok_or(Error::NoArrays { op: OP })
    }
}
