//! Transcendental functions as formulas over the words of [`Algebra`].
//!
//! One line of the table below makes a function a [`Formula`]: the number every backend knows it by,
//! its expansion for both formats, and its name in device text. Each formula states its algorithm,
//! its source and its error bound where it stands.

use super::algebra::Algebra;

macro_rules! formulas {
    ($($(#[$doc:meta])* $name:ident $text:literal ($($arg:ident),+) => $f32:path, $f64:path;)+) => {
        /// A function of floats that is written as a formula.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Formula { $($(#[$doc])* $name,)+ }

        impl Formula {
            /// Every formula, in the order of the table.
            pub const ALL: &'static [Formula] = &[$(Formula::$name,)+];

            /// Its name in printed programs and device text.
            pub const fn name(self) -> &'static str {
                match self { $(Formula::$name => $text,)+ }
            }

            /// How many floats it takes.
            pub const fn arity(self) -> usize {
                match self { $(Formula::$name => [$(stringify!($arg)),+].len(),)+ }
            }

            /// Writes the formula out in the words of `a`.
            #[inline(always)]
            pub fn expand<A: Algebra>(self, a: &A, args: &[A::F]) -> A::F {
                match self {
                    $(Formula::$name => {
                        let &[$($arg),+] = args else { unreachable!("arity of {}", $text) };
                        if A::WIDTH == 32 { $f32(a, $($arg),+) } else { $f64(a, $($arg),+) }
                    })+
                }
            }
        }
    };
}

formulas! {
    /// e^x.
    Exp "exp" (x) => exp::exp32, exp::exp64;
}

pub mod exp;
