//! Numbers of every kind, as values.

/// The value of a scalar, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// Any 64-bit integer, signed or unsigned.
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}
