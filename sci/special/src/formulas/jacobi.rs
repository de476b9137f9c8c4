//! Jacobi's elliptic functions, Carlson's integral of the third kind, Wright's omega.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::elliptic::{
    carlson_series, carlson_tail, elliprc, elliprf, inverse_root, lambda, next_mean, next_operand,
};
use super::support::*;

/// How many means the arithmetic and geometric ones of 1 and a number from 1e-8 to 1 need to meet.
const MEANS: usize = 8;

/// sn, cn, dn and the amplitude of 0 ≤ m ≤ 1: descending Landen transformations, the cotangent of the angle going up through the
/// arithmetic and geometric means (Bulirsch 1965, DLMF 22.20).
pub fn ellipj<A: Algebra>(a: &A, u: A::F, m: A::F) -> [A::F; 4] {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let inside = a.le(zero, m) & a.lt(m, one) & a.lt(a.abs(u), infinity(a));
    let (safe_u, safe_m) = (a.select(inside, u, one), a.select(inside, m, half));
    let (mut mean, mut root) = (one, a.sqrt(one - safe_m));
    let mut means = [(one, root); MEANS];
    for place in &mut means {
        *place = (mean, root);
        (mean, root) = (half * (mean + root), a.sqrt(mean * root));
    }
    let angle = safe_u * mean;
    let (sine, cosine) = (sin(a, angle), a.call(code::Cos, &[angle]));
    let tiny = a.lt(a.abs(angle), a.f(1e-9));
    let mut cotangent = cosine / a.select(tiny, one, sine);
    let mut scaled = mean * cotangent;
    let mut dn = one;
    for (mean, root) in means.into_iter().rev() {
        cotangent = cotangent * scaled;
        scaled = scaled * dn;
        dn = (root + cotangent) / (mean + cotangent);
        cotangent = scaled / mean;
    }
    let size = one / a.sqrt(a.fma(scaled, scaled, one));
    let sn = a.select(a.lt(sine, zero), -size, size);
    let cn = scaled * sn;
    let sn = a.select(tiny, safe_u, sn);
    let cn = a.select(tiny, one, cn);
    let dn = a.select(tiny, one, dn);
    // The amplitude, and the angle on the way to it, are in the same quarter of a turn.
    let amplitude = a.call(code::Atan2, &[sn, cn]);
    let turns = a.rint((angle - amplitude) * a.f(1.0 / std::f64::consts::TAU));
    let whole = a.fma(turns, a.f(2.4492935982947064e-16), amplitude);
    let amplitude = a.fma(turns, a.f(std::f64::consts::TAU), whole);
    let values = [sn, cn, dn, amplitude].map(|value| a.select(inside, value, nan(a)));
    // Of m = 1: hyperbolic functions.
    let at_one = a.eq(m, one) & a.eq(u, u);
    a.branch(
        at_one,
        |a| {
            let secant = a.f(1.0) / a.call(code::Cosh, &[u]);
            let amplitude = a.call(code::Atan, &[a.call(code::Sinh, &[u])]);
            [a.call(code::Tanh, &[u]), secant, secant, amplitude]
        },
        |_| values,
    )
}

/// arctan(√e)/√e of e > −1, which is R_C(1, 1 + e), and 1 + e.
#[inline(always)]
fn unit_rc<A: Algebra>(a: &A, e: A::F, more: A::F) -> A::F {
    let one = a.f(1.0);
    let root = a.sqrt(a.abs(e));
    let [value] = a.branch(
        a.lt(e, a.f(0.0)),
        |a| {
            // Where e is near −1 the inverse hyperbolic tangent by 1 + e.
            let up = a.f(1.0) + root;
            a.branch(
                a.lt(e, a.f(-0.5)),
                |a| [a.f(0.5) * log(a, up * up / more) / root],
                |a| [a.call(code::Atanh, &[root]) / root],
            )
        },
        |a| [a.call(code::Atan, &[root]) / root],
    );
    a.select(a.lt(root, a.f(1e-9)), one, value)
}

/// Carlson's R_J: duplication, then a series (Carlson 1995); of negative p Cauchy's principal value (DLMF 19.20.14).
pub fn elliprj<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F, p: A::F) -> A::F {
    let zero = a.f(0.0);
    // In rising order.
    let [y, x] = ordered(a, x, y);
    let [z, y] = ordered(a, z, y);
    let [y, x] = ordered(a, x, y);
    let negative = a.lt(p, zero);
    let q = a.abs(p);
    let positive = a.select(negative, (z * (x + y + q) - x * y) / (z + q), p);
    let value = elliprj_of_positive(a, [x, y, z, positive]);
    let value = when(a, negative, value, |a| {
        let product = positive * q;
        let sum = a.fma(x, y, product);
        let rest = a.sqrt(x * y * z / sum) * elliprc(a, sum, product) - elliprf(a, x, y, z);
        a.fma(a.f(3.0), rest, (positive - z) * value) / (z + q)
    });
    let value = a.select(a.eq(y, zero), infinity(a), value);
    let endless = a.eq(z, infinity(a)) | a.eq(q, infinity(a));
    let value = a.select(endless, zero, value);
    let known = a.le(zero, x) & a.eq(y, y) & a.eq(z, z) & a.lt(zero, q);
    a.select(known, value, nan(a))
}

fn elliprj_of_positive<A: Algebra>(a: &A, [x, y, z, p]: [A::F; 4]) -> A::F {
    let one = a.f(1.0);
    let mean = (x + y + z + p + p) * a.f(0.2);
    let distances = [x, y, z, p].map(|operand| a.abs(mean - operand));
    let [spread, _] = ordered(a, distances[0], distances[1]);
    let [other, _] = ordered(a, distances[2], distances[3]);
    let [spread, _] = ordered(a, spread, other);
    let product = (p - x) * (p - y) * (p - z);
    let spread = spread * a.f(64.0);
    // The distances fall as the scale, their product as its third power.
    let zero = a.f(0.0);
    let state = [x, y, z, p, mean, zero, zero, one];
    let goes_on = |a: &A, state: [A::F; 8]| a.lt(state[4], spread * state[7]);
    let [x, y, z, _, mean, mean_low, sum, scale] =
        a.repeat_while(40, state, goes_on, |a, [x, y, z, p, mean, mean_low, sum, scale]| {
            let roots = [x, y, z].map(|operand| a.sqrt(operand));
            let [rx, ry, rz] = roots;
            let rp = a.sqrt(p);
            let lambda = lambda(a, roots);
            let next = [x, y, z, p].map(|operand| next_operand(a, operand, lambda));
            let (mean, mean_low) = next_mean(a, mean, mean_low, lambda);
            let d = (rp + rx) * (rp + ry) * (rp + rz);
            let e = product * (scale * scale * scale) / d / d;
            // 1 + e is 2 √p (p + λ)/d.
            let more = a.f(8.0) * rp * (next[3] / d);
            let sum = a.fma(scale / d, unit_rc(a, e, more), sum);
            let [x, y, z, p] = next;
            [x, y, z, p, mean, mean_low, sum, scale * a.f(0.25)]
        });
    let (root, rest) = inverse_root(a, (mean, mean_low));
    let [dx, dy, dz] = [x, y, z].map(|operand| (mean - operand) / mean);
    let dp = -(dx + dy + dz) * a.f(0.5);
    let pp = dp * dp;
    let e2 = dx * dy + dx * dz + dy * dz - a.f(3.0) * pp;
    let xyz = dx * dy * dz;
    let e3 = xyz + a.f(2.0) * e2 * dp + a.f(4.0) * pp * dp;
    let e4 = (a.f(2.0) * xyz + e2 * dp + a.f(3.0) * pp * dp) * dp;
    let e5 = xyz * pp;
    let series = carlson_series(a, [e2, e3, e4, e5]);
    a.fma(a.f(6.0), sum, carlson_tail(a, scale, root, a.fma(a.f(3.0), rest, series)))
}

/// ω + log ω = x: steps of the fourth order from e^x or x − log x (Fritsch, Shafer & Crowley 1973). Below 1 the residue is a logarithm
/// of a quotient, which does not cancel.
pub fn wrightomega<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let small = a.lt(x, one);
    let limited = a.select(small, x, one);
    let power = exp(a, limited);
    let large = a.select(small, one, x);
    let by_log = large - log(a, large);
    let middle = exp(a, (limited - one) * a.f(2.0 / 3.0));
    let start = a.select(small, a.select(a.lt(x, a.f(-2.0)), power, middle), by_log);
    let goes_on = |a: &A, [w, step]: [A::F; 2]| {
        a.lt(a.f(1e-5), a.abs(step)) & a.lt(a.f(1e-300), w) & a.lt(w, a.f(1e18))
    };
    let [w, _] = a.repeat_while(4, [start, one], goes_on, |a, [w, _]| {
        let one = a.f(1.0);
        let logarithm = log(a, a.select(small, power / w, w));
        let residue = a.select(small, logarithm - w, (x - w) - logarithm);
        let up = one + w;
        let t = up * a.fma(residue, a.f(2.0 / 3.0), up);
        let step = residue / up * (t - a.f(0.5) * residue) / (t - residue);
        [a.fma(w, step, w), step]
    });
    let w = a.select(a.le(a.f(1e18), x), x, w);
    let w = a.select(a.eq(x, -infinity(a)), zero, w);
    a.select(a.eq(x, x), w, x)
}
