//! Transcendental functions as formulas over the words of [`Algebra`].
//!
//! One line of the table below makes a function a [`Formula`]: the number every backend knows it by,
//! its expansion and its promised bound for both formats, and its name in device text. A bound is the
//! whole number above what was measured; the measured error stands at each function: for f32 against
//! the f64 functions of a C library, for f64 against its 80-bit functions and, at 10^5 points each,
//! against mpmath. Algorithms and sources stand at the head of each file.

use algebra::Algebra;

/// A formula known at compile time, so that a loop can be made for it alone.
pub trait Code {
    /// The formula.
    const FORMULA: Formula;
    /// Writes it out in the words of `a`.
    fn expand<A: Algebra>(a: &A, args: &[A::F]) -> A::F;
}

/// A function that is generic over a formula; see [`Formula::visit`].
pub trait Visitor {
    /// The result.
    type Output;
    /// Makes it for the formula that `C` stands for.
    fn visit<C: Code>(self) -> Self::Output;
}

macro_rules! formulas {
    ($(
        $(#[$doc:meta])*
        $name:ident $text:literal ($($arg:ident),+)
            => 32 ulp $ulp32:literal $f32:ident $(:: $f32_rest:ident)*, 64 ulp $ulp64:literal $f64:ident $(:: $f64_rest:ident)*;
    )+) => {
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

            /// The promised bound of its error in a format of 32 or 64 bits, in units of the last place
            /// of the exact result.
            pub const fn ulp(self, width: u32) -> u32 {
                match self {
                    $(Formula::$name => if width == 32 { $ulp32 } else { $ulp64 },)+
                }
            }

            /// Writes the formula out in the words of `a`.
            #[inline(always)]
            pub fn expand<A: Algebra>(self, a: &A, args: &[A::F]) -> A::F {
                match self {
                    $(Formula::$name => {
                        let &[$($arg),+] = args else { unreachable!("arity of {}", $text) };
                        if A::WIDTH == 32 { $f32 $(:: $f32_rest)* (a, $($arg),+) } else { $f64 $(:: $f64_rest)* (a, $($arg),+) }
                    })+
                }
            }

            /// Calls `visitor` with the type that stands for this formula.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self { $(Formula::$name => visitor.visit::<code::$name>(),)+ }
            }
        }

        pub mod code {
            //! Each formula as a type, for [calls](Algebra::call) of it in another one.
            use super::{Algebra, Code, Formula};
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $name;
                impl Code for $name {
                    const FORMULA: Formula = Formula::$name;
                    #[inline(always)]
                    fn expand<A: Algebra>(a: &A, args: &[A::F]) -> A::F {
                        let &[$($arg),+] = args else { unreachable!("arity of {}", $text) };
                        if A::WIDTH == 32 { super::$f32 $(:: $f32_rest)* (a, $($arg),+) } else { super::$f64 $(:: $f64_rest)* (a, $($arg),+) }
                    }
                }
            )+
        }
    };
}

impl Formula {
    /// Whether it has so many steps that the machine code of its loops costs more than it should. (Then a backend
    /// may compile fewer variants of them.)
    pub const fn is_long(self) -> bool {
        matches!(
            self,
            Formula::LogAddExp
                | Formula::LogAddExp2
                | Formula::Logit
                | Formula::Erf
                | Formula::Erfc
                | Formula::Gamma
                | Formula::Lgamma
                | Formula::I0
        )
    }
}

formulas! {
    /// e^x.
    Exp "exp" (x) => 32 ulp 1 exp::exp32, 64 ulp 1 exp::exp64;
    /// 2^x.
    Exp2 "exp2" (x) => 32 ulp 1 exp::exp2_32, 64 ulp 1 exp::exp2_64;
    /// e^x − 1.
    Expm1 "expm1" (x) => 32 ulp 1 exp::expm1_32, 64 ulp 1 exp::expm1_64;
    /// log x.
    Log "log" (x) => 32 ulp 1 log::log32, 64 ulp 1 log::log64;
    /// log(1 + x).
    Log1p "log1p" (x) => 32 ulp 1 log::log1p_32, 64 ulp 1 log::log1p_64;
    /// sin x.
    Sin "sin" (x) => 32 ulp 1 trig::sin32, 64 ulp 1 trig::sin64;
    /// cos x.
    Cos "cos" (x) => 32 ulp 1 trig::cos32, 64 ulp 1 trig::cos64;
    /// tanh x.
    Tanh "tanh" (x) => 32 ulp 1 hyperbolic::tanh32, 64 ulp 1 hyperbolic::tanh64;
    /// sinh x.
    Sinh "sinh" (x) => 32 ulp 1 hyperbolic::sinh32, 64 ulp 1 hyperbolic::sinh64;
    /// cosh x.
    Cosh "cosh" (x) => 32 ulp 1 hyperbolic::cosh32, 64 ulp 1 hyperbolic::cosh64;
    /// x^y.
    Pow "pow" (x, y) => 32 ulp 1 power::pow32, 64 ulp 1 power::pow64;
    /// √(x² + y²).
    Hypot "hypot" (x, y) => 32 ulp 1 polar::hypot32, 64 ulp 1 polar::hypot64;
    /// The angle of the point (x, y), from −π to π; y comes first.
    Atan2 "atan2" (y, x) => 32 ulp 1 polar::atan2_32, 64 ulp 1 polar::atan2_64;
    /// log₂ x.
    Log2 "log2" (x) => 32 ulp 1 log::log2_32, 64 ulp 1 log::log2_64;
    /// log₁₀ x.
    Log10 "log10" (x) => 32 ulp 1 log::log10_32, 64 ulp 1 log::log10_64;
    /// tan x.
    Tan "tan" (x) => 32 ulp 1 trig::tan32, 64 ulp 1 trig::tan64;
    /// arcsin x.
    Asin "asin" (x) => 32 ulp 1 arc::asin32, 64 ulp 1 arc::asin64;
    /// arccos x.
    Acos "acos" (x) => 32 ulp 1 arc::acos32, 64 ulp 1 arc::acos64;
    /// arctan x.
    Atan "atan" (x) => 32 ulp 1 polar::atan32, 64 ulp 1 polar::atan64;
    /// arsinh x.
    Asinh "asinh" (x) => 32 ulp 1 area::asinh, 64 ulp 1 area::asinh;
    /// arcosh x.
    Acosh "acosh" (x) => 32 ulp 1 area::acosh, 64 ulp 1 area::acosh;
    /// artanh x.
    Atanh "atanh" (x) => 32 ulp 1 area::atanh, 64 ulp 1 area::atanh;
    /// ∛x.
    Cbrt "cbrt" (x) => 32 ulp 1 root::cbrt32, 64 ulp 1 root::cbrt64;
    /// sin πx / πx.
    Sinc "sinc" (x) => 32 ulp 1 trig::sinc32, 64 ulp 1 trig::sinc64;
    /// log(e^x + e^y); where it is nearer to zero than x and y, in units of the larger of these.
    LogAddExp "logaddexp" (x, y) => 32 ulp 2 logsum::logaddexp, 64 ulp 2 logsum::logaddexp;
    /// log₂(2^x + 2^y); where it is nearer to zero than x and y, in units of the larger of these.
    LogAddExp2 "logaddexp2" (x, y) => 32 ulp 2 logsum::logaddexp2, 64 ulp 2 logsum::logaddexp2;
    /// 1 / (1 + e^−x).
    Expit "expit" (x) => 32 ulp 1 logistic::expit, 64 ulp 1 logistic::expit;
    /// log(x / (1 − x)).
    Logit "logit" (x) => 32 ulp 2 logistic::logit, 64 ulp 2 logistic::logit;
    /// x log y.
    Xlogy "xlogy" (x, y) => 32 ulp 3 logistic::xlogy, 64 ulp 3 logistic::xlogy;
    /// x log(1 + y).
    Xlog1py "xlog1py" (x, y) => 32 ulp 3 logistic::xlog1py, 64 ulp 3 logistic::xlog1py;
    /// erf x.
    Erf "erf" (x) => 32 ulp 1 error::erf32, 64 ulp 1 error::erf64;
    /// 1 − erf x.
    Erfc "erfc" (x) => 32 ulp 2 error::erfc32, 64 ulp 2 error::erfc64;
    /// Γ(x).
    Gamma "gamma" (x) => 32 ulp 2 gamma::gamma32, 64 ulp 2 gamma::gamma64;
    /// log |Γ(x)|; of negative x, where it is nearer to zero than 1, in units of the last place of 1.
    Lgamma "lgamma" (x) => 32 ulp 3 gamma::lgamma32, 64 ulp 3 gamma::lgamma64;
    /// I₀(x).
    I0 "i0" (x) => 32 ulp 3 bessel::i0_32, 64 ulp 4 bessel::i0_64;
}

pub mod algebra;
pub mod arc;
pub mod area;
pub mod bessel;
pub mod complex;
pub mod complex_inverse;
pub mod error;
pub mod exp;
mod format;
pub mod gamma;
pub mod hyperbolic;
pub mod log;
pub mod logistic;
pub mod logsum;
pub mod normal;
pub mod polar;
pub mod power;
pub mod root;
pub mod trig;
