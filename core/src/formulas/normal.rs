//! Normal variates from random words, by Box & Muller ("A note on the generation of random normal deviates", 1958).
//!
//! Two words make two variates: √(−2 log u) times the cosine and the sine of a random angle. The words are uniform, so no
//! argument needs care: the logarithm is of a normal number, and the angle is a part of a turn, whose quadrant are its first
//! two bits.

use super::algebra::Algebra;
use super::format::{Format, polynomial};
use super::log::{LOG32, LOG64, split, tail32, tail64};
use super::trig::{TRIG32, TRIG64};

/// Two normal variates of a width of 32 or 64 bits.
///
/// `unit` is a number in (0, 2^width) for u, times 2^width. `turn` are random bits, `rest` the number that their bits but the
/// first two make, of which the first counts negative: a part of a quadrant between −½ and ½, times 2^width.
#[inline(always)]
pub fn normal_pair<A: Algebra>(a: &A, unit: A::F, turn: A::U, rest: A::F) -> [A::F; 2] {
    let (format, width) = (Format::of(A::WIDTH), A::WIDTH as usize);
    let constants = if A::WIDTH == 32 { &LOG32 } else { &LOG64 };
    let (k, m) = split(a, a.bits(unit), constants);
    let k = k - a.f(width as f64);
    let f = a.float(m) - a.f(1.0);
    let tail = if A::WIDTH == 32 { tail32(a, f) } else { tail64(a, f) };
    let radius = a.fma(k, a.f(-2.0 * std::f64::consts::LN_2), (f + tail) * a.f(-2.0));
    let radius = a.sqrt(radius);

    let r = rest * a.f(std::f64::consts::FRAC_PI_2 * 0.5f64.powi(A::WIDTH as i32));
    let z = r * r;
    let (sine, cosine) = if A::WIDTH == 32 {
        (polynomial(a, z, &TRIG32.sine), polynomial(a, z, &TRIG32.cosine))
    } else {
        (polynomial(a, z, &TRIG64.sine), polynomial(a, z, &TRIG64.cosine))
    };
    let sine = a.fma(z * r, sine, r);
    let cosine = a.fma(z * z, cosine, a.fma(z, a.f(-0.5), a.f(1.0)));
    // To the nearest quadrant: its second bit says whether the waves change places, its first their signs.
    let (eighth, quarter) = (a.u(1 << (width - 3)), a.u(1 << (width - 2)));
    let quadrant = turn + eighth;
    let even = a.eq_u(quadrant & quarter, a.u(0));
    let signed = |x: A::F, quadrant: A::U| a.float(a.bits(x) ^ (quadrant & a.u(format.sign)));
    let cos = signed(a.select(even, cosine, sine), quadrant + quarter);
    let sin = signed(a.select(even, sine, cosine), quadrant);
    [radius * cos, radius * sin]
}
