//! placeholder
use super::Algebra;
macro_rules! p { ($($n:ident),*) => {$(pub fn $n<A: Algebra>(_a: &A, z: (A::F, A::F)) -> (A::F, A::F) { z })*} }
p!(exp, expm1, log, log1p, sin, cos, tanh, sqrt);
macro_rules! q { ($($n:ident),*) => {$(pub fn $n<A: Algebra>(_a: &A, z: (A::F, A::F), _w: (A::F, A::F)) -> (A::F, A::F) { z })*} }
q!(mul, div, power);
pub fn abs<A: Algebra>(_a: &A, z: (A::F, A::F)) -> A::F {
    z.0
}
