//! The tolerances of golden cases, as data, and the check that each of them can fail.
//!
//! How a tolerance is applied is `compare`'s and `property`'s.

use serde_json::Value as Json;

use crate::distribution::Distribution;
use crate::host::Dtype;
use crate::property::Check;

/// How near a result must be to the expected one. dtype and shape must match always.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerance {
    /// Equal bits, all NaNs being one value.
    Exact {
        /// Must -0.0 stay apart from 0.0?
        signed_zero: bool,
    },
    /// At most this number of representable numbers apart, each part of a complex number by itself.
    Ulp {
        /// Steps.
        ulp: u64,
        /// Must -0.0 stay apart from 0.0?
        signed_zero: bool,
    },
    /// `|a - e| <= atol + rtol * |e|`, NaN positions equal, infinities equal.
    Allclose {
        /// Relative to the expected element.
        rtol: f64,
        /// Absolute.
        atol: f64,
    },
    /// Properties of the results, with `rtol` relative to the largest element of the operand.
    Property {
        /// What must hold.
        checks: Vec<Check>,
        /// Relative to max|A|.
        rtol: f64,
    },
    /// A sample of the distribution whose table is expected.
    Distribution(Distribution),
    /// The expected values, in whatever order.
    Reordered,
}

impl Tolerance {
    /// A tolerance from its JSON.
    pub fn parse(json: &Json) -> Result<Self, String> {
        let kind = json.get("kind").and_then(Json::as_str).ok_or("tolerance has no kind")?;
        let signed_zero = match json.get("signed_zero") {
            None => true,
            Some(flag) => flag.as_bool().ok_or("tolerance: signed_zero is not a bool")?,
        };
        // A bound that is infinite, or as large as the value itself, would accept anything.
        let bound = |key: &str, limit: f64| -> Result<f64, String> {
            let value = json.get(key).and_then(Json::as_f64);
            value
                .filter(|&value| (0.0..limit).contains(&value))
                .ok_or_else(|| format!("tolerance: {key} is not a number in [0, {limit:e})"))
        };
        match kind {
            "exact" => Ok(Tolerance::Exact { signed_zero }),
            "ulp" => {
                let ulp = json.get("ulp").and_then(Json::as_u64).filter(|&ulp| ulp < 1 << 20);
                Ok(Tolerance::Ulp {
                    ulp: ulp.ok_or("tolerance: ulp is not a number")?,
                    signed_zero,
                })
            }
            "allclose" => Ok(Tolerance::Allclose {
                rtol: bound("rtol", 1.0)?,
                atol: bound("atol", f64::INFINITY)?,
            }),
            "property" => {
                let checks = json.get("checks").and_then(Json::as_array);
                let checks: Vec<Check> = checks
                    .ok_or("tolerance: no list of checks")?
                    .iter()
                    .map(|check| {
                        Check::parse(check.as_str().ok_or("tolerance: a check is no text")?)
                    })
                    .collect::<Result<_, String>>()?;
                if checks.is_empty() {
                    return Err("tolerance: a property without checks cannot fail".to_owned());
                }
                Ok(Tolerance::Property { checks, rtol: bound("rtol", 1.0)? })
            }
            "distribution" => {
                let dtype = json.get("dtype").and_then(Json::as_str).and_then(Dtype::from_name);
                let shape =
                    json.get("shape").and_then(Json::as_array).ok_or("tolerance: no shape")?;
                let extents =
                    shape.iter().map(|extent| extent.as_u64().map(|extent| extent as usize));
                let shape: Option<Vec<usize>> = extents.collect();
                let column =
                    json.get("column").and_then(Json::as_u64).map(|column| column as usize);
                Ok(Tolerance::Distribution(Distribution {
                    dtype: dtype.ok_or("tolerance: no dtype")?,
                    shape: shape.ok_or("tolerance: a shape of what is no extent")?,
                    column,
                }))
            }
            "reordered" => Ok(Tolerance::Reordered),
            other => Err(format!("unknown kind of tolerance {other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_that_cannot_fail_are_refused() {
        let bad = |json| Tolerance::parse(&json).expect_err("refused");
        assert_eq!(
            bad(json!({"kind": "close enough"})),
            "unknown kind of tolerance \"close enough\""
        );
        bad(json!({}));
        bad(json!({"kind": "ulp"}));
        bad(json!({"kind": "ulp", "ulp": -1}));
        bad(json!({"kind": "ulp", "ulp": 1u64 << 60}));
        bad(json!({"kind": "allclose", "rtol": 1e-6}));
        bad(json!({"kind": "allclose", "rtol": 1.0, "atol": 0}));
        bad(json!({"kind": "allclose", "rtol": -1e-6, "atol": 0}));
        bad(json!({"kind": "allclose", "rtol": "nan", "atol": 0}));
        bad(json!({"kind": "exact", "signed_zero": "yes"}));
        bad(json!({"kind": "property", "checks": [], "rtol": 1e-6}));
        bad(json!({"kind": "property", "checks": ["looks fine"], "rtol": 1e-6}));
        assert_eq!(
            Tolerance::parse(&json!({"kind": "allclose", "rtol": 0, "atol": 1e-12})),
            Ok(Tolerance::Allclose { rtol: 0.0, atol: 1e-12 })
        );
    }
}
