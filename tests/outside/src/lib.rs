//! Functions that a crate outside of the workspace adds: one with a loop, one of two results, one with code for blocks.

#![forbid(unsafe_code)]

use ndany_array::extend::{Function, Table, expect, results};
use ndany_array::{Array, Operand};
use ndany_core::formulas::algebra::{Algebra, Native};
use ndany_core::formulas::code;
use ndany_core::program::{OpenFormula, State, Words};

/// How often z ← z² + c stays within a distance of 2 of zero, at most 50 times, of c = x + iy.
fn escape_steps<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let stays = |a: &A, [re, im, _]: [A::F; 3]| a.le(a.fma(re, re, im * im), a.f(4.0));
    let step = |a: &A, [re, im, count]: [A::F; 3]| {
        [a.fma(re, re, x - im * im), a.fma(re + re, im, y), count + a.f(1.0)]
    };
    a.repeat_while(50, [a.f(0.0), a.f(0.0), a.f(0.0)], stays, step)[2]
}

/// The distance of (x, y) from zero, and its angle.
fn to_polar<A: Algebra>(a: &A, x: A::F, y: A::F) -> [A::F; 2] {
    [a.call(code::Hypot, &[x, y]), a.call(code::Atan2, &[y, x])]
}

/// x / (1 + |x|), of infinities ±1.
#[inline(always)]
fn softsign<A: Algebra>(a: &A, args: &[A::F]) -> [A::F; 1] {
    let (x, size) = (args[0], a.abs(args[0]));
    let value = x / (a.f(1.0) + size);
    let end = a.select(a.lt(x, a.f(0.0)), a.f(-1.0), a.f(1.0));
    [a.select(a.eq(size, a.f(f64::INFINITY)), end, value)]
}

ndany_core::block_code! { softsign_of_blocks, true, [x], 1, softsign }

static ESCAPE: OpenFormula = OpenFormula::new(
    "escape_steps",
    2,
    1,
    |b, v| State::from_slice(&[escape_steps(&Words::<64>(b), v[0], v[1])]),
    None,
    [0, 0],
);
static POLAR: OpenFormula = OpenFormula::new(
    "to_polar",
    2,
    2,
    |b, v| State::from_slice(&to_polar(&Words::<64>(b), v[0], v[1])),
    None,
    [1, 4],
);
static SOFTSIGN: OpenFormula = OpenFormula::new(
    "softsign",
    1,
    1,
    |b, v| State::from_slice(&softsign(&Words::<64>(b), v)),
    None,
    [1, 1],
)
.with_code(softsign_of_blocks);

/// [`escape_steps`] as a function of arrays.
pub static ESCAPE_STEPS: Function =
    Function::new("escape_steps", "outside.escape_steps", "x y", &ESCAPE, |v, results| {
        results[0] = escape_steps(&Native::<f64, true>::new(), v[0], v[1]);
    });
/// [`to_polar`] as a function of arrays. By name, `y` may be left out.
pub static TO_POLAR: Function =
    Function::new("to_polar", "outside.to_polar", "x y?", &POLAR, |v, results| {
        results.copy_from_slice(&to_polar(&Native::<f64, true>::new(), v[0], v[1]));
    })
    .with_defaults(&[0.0]);
/// [`softsign`] as a function of arrays.
pub static SOFT_SIGN: Function =
    Function::new("softsign", "outside.softsign", "x", &SOFTSIGN, |v, results| {
        results.copy_from_slice(&softsign(&Native::<f64, true>::new(), v));
    });

/// What calls by name find.
pub static TABLE: Table = Table {
    functions: &[&[&ESCAPE_STEPS, &TO_POLAR], &[&SOFT_SIGN]],
    complex_rows: &[],
    computed: &[],
};
/// A table with a name that the engine has.
pub static TAKEN: Table = Table { functions: &[&[&ADDITION]], complex_rows: &[], computed: &[] };
static ADDITION: Function = Function::new("add", "np.add", "x", &SOFTSIGN, |v, results| {
    results.copy_from_slice(&softsign(&Native::<f64, true>::new(), v));
});

/// The function over arrays, as a crate writes it for its users.
#[track_caller]
pub fn polar(x: impl Into<Operand>, y: impl Into<Operand>) -> [Array; 2] {
    results(expect(TO_POLAR.try_call([x.into(), y.into()])))
}
