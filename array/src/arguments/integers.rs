//! Integers: axes, extents, shifts.

use smallvec::SmallVec;

/// An integer that may stand for an axis, an extent or a shift.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no axis, extent or shift",
    label = "expected an integer: `i32`, `i64`, `isize`, `u32`, `u64` or `usize`"
)]
pub trait Integer: Copy {
    /// The integer. One that no `isize` holds becomes the nearest that one holds, which no axis and no extent is.
    #[doc(hidden)]
    fn integer(self) -> isize;
}

/// One integer or several: `0`, `[0, 1]`, `(n, -1)`, a slice, a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer or a list of integers",
    label = "expected `0`, `[0, 1]`, `(0, 1)`, a slice or a `Vec`"
)]
pub trait Integers {
    /// The integers.
    #[doc(hidden)]
    fn integers(&self) -> SmallVec<[isize; 4]>;
}

/// Calls a macro with every type that is a list of integers, as `[generic parameters] type;`. Traits of arguments that take
/// such a list and more are implemented for each of them. `()` is not among them: a shape without axes is one, but no axes at
/// all are mostly a mistake for `..`.
macro_rules! for_integers {
    ($then:ident) => {
        $then! {
            [] i32; [] i64; [] isize; [] u32; [] u64; [] usize;
            [T: Integer, const N: usize] [T; N];
            [T: Integer, const N: usize] &[T; N];
            [T: Integer] &[T];
            [T: Integer] Vec<T>;
            [T: Integer] &Vec<T>;
            [A: Integer] (A,);
            [A: Integer, B: Integer] (A, B);
            [A: Integer, B: Integer, C: Integer] (A, B, C);
            [A: Integer, B: Integer, C: Integer, D: Integer] (A, B, C, D);
            [A: Integer, B: Integer, C: Integer, D: Integer, E: Integer] (A, B, C, D, E);
            [A: Integer, B: Integer, C: Integer, D: Integer, E: Integer, G: Integer] (A, B, C, D, E, G);
        }
    };
}
pub(super) use for_integers;

macro_rules! integers {
    ($($int:ty),+) => {$(
        impl Integer for $int {
            fn integer(self) -> isize {
                // Only unsigned ones and i64 can lie outside, where isize is smaller.
                isize::try_from(self).unwrap_or(if (self as i128) < 0 { isize::MIN } else { isize::MAX })
            }
        }
        impl Integers for $int {
            fn integers(&self) -> SmallVec<[isize; 4]> { SmallVec::from_slice(&[self.integer()]) }
        }
    )+};
}
integers!(i32, i64, isize, u32, u64, usize);

impl<T: Integer> Integers for [T] {
    fn integers(&self) -> SmallVec<[isize; 4]> {
        self.iter().map(|value| value.integer()).collect()
    }
}
impl<T: Integer, const N: usize> Integers for [T; N] {
    fn integers(&self) -> SmallVec<[isize; 4]> {
        self.as_slice().integers()
    }
}
impl<T: Integer> Integers for Vec<T> {
    fn integers(&self) -> SmallVec<[isize; 4]> {
        self.as_slice().integers()
    }
}
impl<T: Integers + ?Sized> Integers for &T {
    fn integers(&self) -> SmallVec<[isize; 4]> {
        (**self).integers()
    }
}
impl Integers for () {
    fn integers(&self) -> SmallVec<[isize; 4]> {
        SmallVec::new()
    }
}

macro_rules! tuples {
    ($(($($t:ident $v:ident),+))+) => {$(
        impl<$($t: Integer),+> Integers for ($($t,)+) {
            fn integers(&self) -> SmallVec<[isize; 4]> {
                let ($($v,)+) = *self;
                SmallVec::from_slice(&[$($v.integer()),+])
            }
        }
    )+};
}
tuples! {
    (A a) (A a, B b) (A a, B b, C c) (A a, B b, C c, D d) (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
}
