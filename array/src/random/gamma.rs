//! The gamma distribution: Marsaglia & Tsang, "A simple method for generating gamma variables" (2000).
//!
//! A normal variate x gives v = (1 + c x)³, and d v is taken with a probability that is never below 0.95. Shapes
//! below 1 take a variate of shape + 1 times U^(1/shape), so that a shape of 0 gives 0. The logarithm of a variate
//! is finite where the variate itself vanishes: quotients of variates of tiny shapes are made of it.

use super::philox_ir::Floats;
use super::proposal::Candidate;
use ndany_core::program::SsaValue;

/// Proposals for a shape, each from four words.
pub(super) fn proposals<'b>(
    t: Floats<'b>,
    shape: SsaValue<'b>,
    logarithm: bool,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let (zero, one) = (t.number(0.0), t.number(1.0));
    let small = shape.lt(one);
    let d = small.select(shape + one, shape) - t.number(1.0 / 3.0);
    let c = one / t.sqrt(d * t.number(9.0));
    // NaN, and a shape without end, whose variate it is itself, are not drawn again.
    let certain = !shape.lt(t.number(f64::INFINITY));
    move |words| {
        let [x, _] = t.normals(words[0], words[1]);
        let step = c * x;
        let log = t.log1p(step);
        // x²/2 + d (1 − v + log v), with v − 1 and log v − 3 c x in terms that do not cancel.
        let bound = t.number(0.5) * (x * x)
            + d * (t.number(3.0) * (log - step) - step * step * (t.number(3.0) + step));
        let likely = t.log(t.unit(words[2])).lt(bound);
        let accepted = ((-one).lt(step) & likely) | certain;
        let boost = t.log(t.unit(words[3])) / shape;
        let value = if logarithm {
            t.log(d) + t.number(3.0) * log + small.select(boost, zero)
        } else {
            let root = one + step;
            let value = d * (root * root * root);
            small.select(value * t.exp(boost), value)
        };
        Candidate { value, accepted: Some(accepted) }
    }
}
