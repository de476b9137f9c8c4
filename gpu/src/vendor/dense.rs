//! What libraries for factorizations have for each dtype, by the names of LAPACK's functions.

use super::table::functions;

functions! {
    /// The functions of one dtype. Those that end in `workspace` say how many elements the others work in.
    pub struct Functions {
        fn potrf_workspace(handle: u64, half: u32, n: i32, a: u64, a_leading: i32, elements: *mut i32);
        fn potrf(handle: u64, half: u32, n: i32, a: u64, a_leading: i32, work: u64, elements: i32, info: u64);
        fn getrf_workspace(handle: u64, m: i32, n: i32, a: u64, a_leading: i32, elements: *mut i32);
        fn getrf(handle: u64, m: i32, n: i32, a: u64, a_leading: i32, work: u64, exchanges: u64, info: u64);
        fn getrs(
            handle: u64, operation: u32, n: i32, right: i32, a: u64, a_leading: i32, exchanges: u64,
            b: u64, b_leading: i32, info: u64,
        );
        fn geqrf_workspace(handle: u64, m: i32, n: i32, a: u64, a_leading: i32, elements: *mut i32);
        fn geqrf(
            handle: u64, m: i32, n: i32, a: u64, a_leading: i32, factors: u64, work: u64, elements: i32, info: u64,
        );
        fn orgqr_workspace(
            handle: u64, m: i32, n: i32, count: i32, a: u64, a_leading: i32, factors: u64, elements: *mut i32,
        );
        fn orgqr(
            handle: u64, m: i32, n: i32, count: i32, a: u64, a_leading: i32, factors: u64,
            work: u64, elements: i32, info: u64,
        );
        fn syevd_workspace(
            handle: u64, vectors: u32, half: u32, n: i32, a: u64, a_leading: i32, values: u64, elements: *mut i32,
        );
        fn syevd(
            handle: u64, vectors: u32, half: u32, n: i32, a: u64, a_leading: i32, values: u64,
            work: u64, elements: i32, info: u64,
        );
        fn gesvd_workspace(handle: u64, m: i32, n: i32, elements: *mut i32);
        fn gesvd(
            handle: u64, left: i8, right: i8, m: i32, n: i32, a: u64, a_leading: i32, values: u64,
            u: u64, u_leading: i32, v: u64, v_leading: i32, work: u64, elements: i32, real_work: u64, info: u64,
        );
    }
}
