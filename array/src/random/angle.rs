//! The von Mises distribution about 0: Best & Fisher, "Efficient simulation of the von Mises distribution" (1979).
//!
//! Their wrapped Cauchy envelope has the parameter s = (1 + √(1 + 4κ²)) / 2κ. Everything is said in s − 1, so that no
//! concentration is too large; below 10⁻⁸ the distribution is uniform to rounding.

use super::philox_ir::Floats;
use super::proposal::Candidate;
use ndany_core::ops::Formula;
use ndany_core::program::SsaValue;

/// Proposals for a concentration, each from two words.
pub(super) fn proposals<'b>(
    t: Floats<'b>,
    concentration: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let (one, two, zero) = (t.number(1.0), t.number(2.0), t.number(0.0));
    let kappa = t.min(t.max(concentration, t.number(1e-8)), t.number(1e150));
    let twice = two * kappa;
    let root = t.sqrt(one + twice * twice);
    // s − 1.
    let excess = (one + one / (root + twice)) / twice;
    move |words| {
        let (u, odd) = t.unit_and_flag(words[0]);
        let half = u * t.number(std::f64::consts::FRAC_PI_2);
        let (sine, cosine) = (t.sin(half), t.cos(half));
        // s + cos πu.
        let below = excess + two * (cosine * cosine);
        let y = kappa * excess * (excess + two) / below;
        let refused = (t.log(y) - t.log(t.unit(words[1])) + one - y).lt(zero);
        // cos of the angle is (1 + s cos πu) / (s + cos πu).
        let sine = t.min(sine * t.sqrt(excess / below), one);
        let angle = two * t.builder.formula(Formula::Asin, &[sine]);
        Candidate { value: odd.select(-angle, angle), accepted: Some(!refused) }
    }
}
