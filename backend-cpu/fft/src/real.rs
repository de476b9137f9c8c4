//! The transform of a real row of even length from that of its pairs as complex numbers. The library's own
//! version copies the row, overwrites it, and spends a fifth of its time on the steps below.
//!
//! Let z be the transform of the m pairs. The sum of z[k] and the conjugate of z[m - k] is twice the transform
//! of the even elements, and their difference is 2i times that of the odd ones. The row's transform is the even
//! elements' plus the root times the odd elements'.

macro_rules! precision {
    ($name:ident $real:ident) => {
        pub(crate) mod $name {
            use num_complex::Complex;

            type Number = Complex<$real>;

            /// The factors of the differences: -i / 2 times the roots of unity.
            pub(crate) fn roots(length: usize) -> Vec<Number> {
                let turn = std::f64::consts::TAU / length as f64;
                let root = |k| {
                    let (sine, cosine) = (k as f64 * turn).sin_cos();
                    Number::new((-0.5 * sine) as $real, (-0.5 * cosine) as $real)
                };
                (1..length.div_ceil(4)).map(root).collect()
            }

            /// A row as complex pairs.
            pub(crate) fn pairs(row: &[$real]) -> &[Number] {
                // SAFETY: a complex number is its two parts in order, with a part's alignment, and the row
                // holds half as many.
                unsafe { std::slice::from_raw_parts(row.as_ptr().cast(), row.len() / 2) }
            }

            /// The first half of a row's transform, from that of its pairs, in the widest vectors, as in the
            /// library's own steps.
            pub(crate) fn part(pairs: &[Number], row: &mut [Number], roots: &[Number]) {
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    #[target_feature(enable = "avx2,fma")]
                    fn wide(pairs: &[Number], row: &mut [Number], roots: &[Number]) {
                        apart(pairs, row, roots);
                    }
                    // SAFETY: the processor has the features that the function is compiled for.
                    return unsafe { wide(pairs, row, roots) };
                }
                apart(pairs, row, roots);
            }

            #[inline(always)]
            fn apart(pairs: &[Number], row: &mut [Number], roots: &[Number]) {
                let ([whole, pairs @ ..], [first, inner @ .., last]) = (pairs, row) else {
                    unreachable!("a row has pairs, and its transform one number more")
                };
                *first = Number::new(whole.re + whole.im, 0.0);
                *last = Number::new(whole.re - whole.im, 0.0);
                // From both ends at once; the middle element is separate.
                let (count, ends) = (pairs.len(), pairs.len() / 2);
                if count % 2 == 1 {
                    inner[ends] = pairs[ends].conj();
                }
                let (near, far) = inner.split_at_mut(count - ends);
                let (near, far) = (&mut near[..ends], far);
                let (x, y) = (&pairs[..ends], &pairs[count - ends..]);
                // Whole blocks from either end, as vectors take them.
                let (x_blocks, x_rest) = x.as_chunks::<WIDTH>();
                let (y_rest, y_blocks) = y.as_rchunks::<WIDTH>();
                let (root_blocks, root_rest) = roots[..ends].as_chunks::<WIDTH>();
                let (near_blocks, near_rest) = near.as_chunks_mut::<WIDTH>();
                let (far_rest, far_blocks) = far.as_rchunks_mut::<WIDTH>();
                let given = x_blocks.iter().zip(y_blocks.iter().rev()).zip(root_blocks);
                let made = near_blocks.iter_mut().zip(far_blocks.iter_mut().rev());
                for (((x, y), roots), (near, far)) in given.zip(made) {
                    for i in 0..WIDTH {
                        let mirrored = WIDTH - 1 - i;
                        (near[i], far[mirrored]) = both(x[i], y[mirrored], roots[i]);
                    }
                }
                let rest = x_rest.len();
                for i in 0..rest {
                    let mirrored = rest - 1 - i;
                    (near_rest[i], far_rest[mirrored]) =
                        both(x_rest[i], y_rest[mirrored], root_rest[i]);
                }
            }

            /// Numbers of a block.
            const WIDTH: usize = 32 / size_of::<$real>();

            /// The elements at both ends.
            #[inline(always)]
            fn both(x: Number, y: Number, root: Number) -> (Number, Number) {
                let even = Number::new(0.5 * (x.re + y.re), 0.5 * (x.im - y.im));
                let odd = Number::new(x.re - y.re, x.im + y.im) * root;
                (even + odd, (even - odd).conj())
            }
        }
    };
}

precision!(f32s f32);
precision!(f64s f64);
