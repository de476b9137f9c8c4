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
    // Made of products and factorizations.
    "np.cov",
    "np.corrcoef",
    "np.poly",
    "np.polyfit",
    "np.roots",
    "np.polynomial.polynomial.polyfit",
    "np.polynomial.polynomial.polyroots",
    "np.random.multivariate_normal",
    "np.random.Generator.multivariate_normal",
    // By factors of a sparse array.
    "csr.spsolve",
    "csr.splu_adjoint",
    "csr.eigsh_inverse",
    "csr.eigs_inverse",
    "csr.inv",
    "csr.expm",
];

const PREFIXES: &[&str] = &["np.linalg.", "np.fft.", "fft.", "sp.linalg.", "signal."];

/// Named like those, and yet made of the engine's own launches: maps, reductions, Jacobi's rotations.
const OWN: &[&str] = &[
    "np.linalg.norm",
    "np.linalg.vector_norm",
    "np.linalg.matrix_norm",
    "np.linalg.cross",
    "np.linalg.outer",
    "np.linalg.diagonal",
    "np.linalg.trace",
    "np.linalg.matrix_transpose",
];

/// Whether two devices may differ in the bits of this operation.
pub fn is_vendor_call(op: &str) -> bool {
    let listed = NAMES.contains(&op) || PREFIXES.iter().any(|prefix| op.starts_with(prefix));
    listed && !OWN.contains(&op)
}

#[cfg(test)]
mod tests {
    use super::is_vendor_call;

    #[test]
    fn norms_promise_their_bits_and_factorizations_do_not() {
        assert!(!is_vendor_call("np.linalg.norm") && !is_vendor_call("np.linalg.cross"));
        assert!(is_vendor_call("np.linalg.svd") && is_vendor_call("np.linalg.matrix_power"));
        assert!(is_vendor_call("np.matmul") && !is_vendor_call("np.add"));
        assert!(!is_vendor_call("csr.matvec") && !is_vendor_call("coo.matmul_sparse"));
        assert!(is_vendor_call("np.polyfit") && !is_vendor_call("np.polyval"));
    }
}
