//! Whole numbers with heavy tails: the Zipf and the logarithmic series distribution.

use super::philox_ir::Floats;
use super::proposal::Candidate;
use ndany_core::program::SsaValue;

/// Zipf's distribution of an exponent above 1, each proposal from two words: Devroye, "Non-uniform random variate
/// generation" (1986), chapter X.6, among the numbers below 2⁶³.
pub(super) fn zipf<'b>(
    t: Floats<'b>,
    exponent: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let (zero, one) = (t.number(0.0), t.number(1.0));
    let less = exponent - one;
    // 1 − 2^(1−a), and 1 − the probability of what is not below 2^63 (negative both).
    let at_one = t.expm1(less * t.number(-std::f64::consts::LN_2));
    let reach = t.expm1(less * t.number(-63.0 * std::f64::consts::LN_2));
    move |words| {
        let x = t.floor(t.exp(-t.log1p(t.unit(words[0]) * reach) / less));
        let x = t.max(x, one);
        // (T − 1) / T for T = (1 + 1/x)^(a−1).
        let at_x = t.expm1(-(less * t.log1p(one / x)));
        let refused = (t.unit(words[1]) * x * at_x).lt(at_one);
        Candidate { value: x + zero * at_one, accepted: Some(!refused) }
    }
}

/// The logarithmic series of a probability below 1 from two words: a geometric variate whose own parameter is random
/// (Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981).
pub(super) fn logarithmic<'b>(
    t: Floats<'b>,
    probability: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let (half, one) = (t.number(0.5), t.number(1.0));
    let rate = t.log1p(-probability);
    move |words| {
        let power = rate * t.unit(words[0]);
        let rest = t.exp(power);
        // log (1 − rest), which keeps its digits on both sides.
        let log = rest.lt(half).select(t.log1p(-rest), t.log(-t.expm1(power)));
        let value = t.floor(one + t.log(t.unit(words[1])) / log);
        Candidate { value, accepted: None }
    }
}
