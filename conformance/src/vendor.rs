//! Which operations are calls of a vendor's library, and so carry a bound instead of promised bits.
//!
//! The only such list: comparisons of two devices leave these out, and nothing else.

const NAMES: &[&str] = &[
    "np.matmul",
    "np.dot",
    "np.vdot",
    "np.inner",
    "np.vecdot",
    "np.matvec",
    "np.vecmat",
    "np.tensordot",
    "np.einsum",
];

const PREFIXES: &[&str] =
    &["np.linalg.", "np.fft.", "fft.", "sp.linalg.", "signal.", "csr.", "csc.", "coo."];

/// May two devices differ in the bits of this operation?
pub fn is_vendor_call(op: &str) -> bool {
    NAMES.contains(&op) || PREFIXES.iter().any(|prefix| op.starts_with(prefix))
}
