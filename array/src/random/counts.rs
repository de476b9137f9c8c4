//! Poisson, binomial and hypergeometric counts.
//!
//! Where the mean is below 10, by inversion: probabilities are added up until they pass a uniform number. Else by
//! rejection: the transformed rejection of Hörmann ("The transformed rejection method for generating Poisson random
//! variables", 1993: PTRS; "The generation of binomial random variates", 1993: BTRS), and for the hypergeometric
//! distribution the ratio of uniforms of Stadlober ("The ratio of uniforms approach for generating discrete random
//! variates", 1990: HRUA).
//!
//! Probabilities come from Stirling's formula at count + 1 against what is expected (after Loader, "Fast and accurate
//! computation of binomial probabilities", 2000), so that large numbers do not cancel: at a mean of 10¹⁵ they are good
//! to eight digits.

use super::philox_ir::Floats;
use super::proposal::{Candidate, Means};
use ndany_core::program::SsaValue;

/// From this mean on counts are proposed and refused.
pub(super) const LARGE: f64 = 10.0;

/// Counts of a mean below [`LARGE`] that are looked at: more come once in 10¹⁸ times.
const SEARCHED: usize = 46;

/// log k! by Stirling's formula at k + 1 lacks this, for k of 0 and on; further on a series is good to 10⁻¹⁰.
const CORRECTIONS: [f64; 4] =
    [0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093];

/// What log k! lacks.
fn correction<'b>(t: Floats<'b>, count: SsaValue<'b>) -> SsaValue<'b> {
    let inverse = t.number(1.0) / (count + t.number(1.0));
    let square = inverse * inverse;
    let series = [1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0]
        .into_iter()
        .map(|coefficient| t.number(coefficient))
        .reduce(|sum, coefficient| sum * square + coefficient);
    let series = series.map_or(inverse, |series| series * inverse);
    CORRECTIONS.iter().enumerate().rev().fold(series, |other, (at, &value)| {
        count.lt(t.number(at as f64 + 0.5)).select(t.number(value), other)
    })
}

/// −log k! against what is expected of the count k: with y = k + 1 and an expectation E, the logarithm of
/// E^(y − ½) e^(−E) / k!, less what is the same for every k. NaN where the count is below 0.
fn weight<'b>(t: Floats<'b>, count: SsaValue<'b>, expected: SsaValue<'b>) -> SsaValue<'b> {
    let y = count + t.number(1.0);
    let far = (expected - y) / y;
    let log = t.log1p(far);
    y * (log - far) - t.number(0.5) * log - correction(t, count)
}

/// Inversion by adding up probabilities: the first, and each by its predecessor.
fn search<'b>(
    t: Floats<'b>,
    word: SsaValue<'b>,
    first: SsaValue<'b>,
    ratio: impl Fn(SsaValue<'b>) -> SsaValue<'b>,
) -> SsaValue<'b> {
    let uniform = (word >> 11).cast(t.ty) * t.number(2f64.powi(-53));
    let (mut each, mut total) = (first, first);
    let mut count = total.le(uniform).cast(t.ty);
    for k in 1..=SEARCHED {
        each = each * ratio(t.number(k as f64));
        total = total + each;
        count = count + total.le(uniform).cast(t.ty);
    }
    count
}

/// The constants of a transformed rejection, as Hörmann names them.
struct Hat<'b> {
    a: SsaValue<'b>,
    b: SsaValue<'b>,
    c: SsaValue<'b>,
    alpha: SsaValue<'b>,
}

impl<'b> Hat<'b> {
    /// A count, and whether it is taken, `log_mass` being the logarithm of its probability; from two words.
    fn propose(
        &self,
        t: Floats<'b>,
        words: &[SsaValue<'b>],
        log_mass: impl Fn(SsaValue<'b>) -> SsaValue<'b>,
    ) -> (SsaValue<'b>, SsaValue<'b>) {
        let (unit, odd) = t.unit_and_flag(words[0]);
        let (half, zero) = (t.number(0.5), t.number(0.0));
        // ½ − |u|, which is fine where it is small.
        let edge = half * unit;
        let u = odd.select(edge - half, half - edge);
        let slope = (self.a + self.a) / edge + self.b;
        let count = t.floor(slope * u + self.c);
        let needed = t.log(t.unit(words[1]) * self.alpha / (self.a / (edge * edge) + self.b));
        (count, zero.le(count) & needed.le(log_mass(count)))
    }
}

/// Both ways, where the mean decides.
fn either<'b>(
    t: Floats<'b>,
    means: Means,
    mean: SsaValue<'b>,
    searched: impl FnOnce() -> SsaValue<'b>,
    proposed: impl FnOnce() -> (SsaValue<'b>, SsaValue<'b>),
) -> Candidate<'b> {
    // NaN stays NaN.
    let searched = || searched() + t.number(0.0) * mean;
    match means {
        Means::Small => Candidate { value: searched(), accepted: None },
        Means::Large => {
            let (value, accepted) = proposed();
            Candidate { value, accepted: Some(accepted) }
        }
        Means::Any => {
            let small = !t.number(LARGE).le(mean);
            let (value, accepted) = proposed();
            let value = t.slow_path(small, searched(), value);
            Candidate { value, accepted: Some(small | accepted) }
        }
    }
}

/// Poisson counts of a mean, from two words.
pub(super) fn poisson<'b>(
    t: Floats<'b>,
    means: Means,
    mean: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let n = move |value| t.number(value);
    move |words| {
        let searched = || search(t, words[0], t.exp(-mean), |k| mean / k);
        let proposed = || {
            let b = n(0.931) + n(2.53) * t.sqrt(mean);
            let hat = Hat {
                a: n(-0.059) + n(0.02483) * b,
                b,
                c: mean + n(0.43),
                alpha: n(1.1239) + n(1.1328) / (b - n(3.4)),
            };
            let scale = n(0.5) * t.log(mean * n(std::f64::consts::TAU));
            hat.propose(t, words, |count| weight(t, count, mean) - scale)
        };
        either(t, means, mean, searched, proposed)
    }
}

/// Binomial counts of a number of trials and a probability, from two words.
pub(super) fn binomial<'b>(
    t: Floats<'b>,
    means: Means,
    trials: SsaValue<'b>,
    probability: SsaValue<'b>,
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let n = move |value| t.number(value);
    let one = n(1.0);
    let mirrored = n(0.5).lt(probability);
    let p = mirrored.select(one - probability, probability);
    let q = one - p;
    let mean = trials * p;
    let more = trials + one;
    move |words| {
        let searched = || {
            let (first, odds) = (t.exp(trials * t.log1p(-p)), p / q);
            t.min(search(t, words[0], first, |k| (more / k - one) * odds), trials)
        };
        let proposed = || {
            let deviation = t.sqrt(mean * q);
            let b = n(1.15) + n(2.53) * deviation;
            let hat = Hat {
                a: n(-0.0873) + n(0.0248) * b + n(0.01) * p,
                b,
                c: mean + n(0.5),
                alpha: (n(2.83) + n(5.1) / b) * deviation,
            };
            let log_mass = |count: SsaValue<'b>| {
                weight(t, count, more * p) + weight(t, trials - count, more * q)
            };
            let most = log_mass(t.floor(more * p));
            hat.propose(t, words, |count| log_mass(count) - most)
        };
        let found = either(t, means, mean, searched, proposed);
        Candidate { value: mirrored.select(trials - found.value, found.value), ..found }
    }
}

/// Good ones in a sample, from two words.
pub(super) fn hypergeometric<'b>(
    t: Floats<'b>,
    means: Means,
    [good, bad, sample]: [SsaValue<'b>; 3],
) -> impl Fn(&[SsaValue<'b>]) -> Candidate<'b> {
    let n = move |value| t.number(value);
    let (half, one) = (n(0.5), n(1.0));
    let all = good + bad;
    // Of what is rarer, in the smaller of the sample and what it leaves.
    let (rare, common) = (t.min(good, bad), t.max(good, bad));
    let drawn = t.min(sample, all - sample);
    let left = all - drawn;
    let mean = drawn * rare / t.max(all, one);
    move |words| {
        let searched = || {
            // The probability of none, (common! left!) / ((common − drawn)! all!), by Stirling's formula.
            let more = all + one;
            let part =
                |count: SsaValue<'b>, less: SsaValue<'b>| (count + half) * t.log1p(-less / more);
            let log = part(common, rare) + part(left, drawn) - part(common - drawn, rare + drawn)
                + (correction(t, common) + correction(t, left))
                - (correction(t, common - drawn) + correction(t, all));
            let ratio = |k: SsaValue<'b>| {
                let before = k - one;
                (rare - before) * (drawn - before) / (k * (common - drawn + k))
            };
            t.min(search(t, words[0], t.exp(log), ratio), t.min(rare, drawn))
        };
        let proposed = || {
            let share = common / all;
            let variance = mean * share * left / (all - one);
            let centre = mean + half;
            // 2 √(2/e) and 3 − 2 √(3/e).
            let height = n(1.7155277699214135) * t.sqrt(variance + half) + n(0.8989161620588988);
            let log_mass = |count: SsaValue<'b>| {
                let cells = [
                    (count, mean),
                    (rare - count, rare * left / all),
                    (drawn - count, drawn * share),
                    (common - drawn + count, common * left / all),
                ];
                let [first, second, third, fourth] =
                    cells.map(|(count, expected)| weight(t, count, expected));
                (first + second) + (third + fourth)
            };
            let most = log_mass(t.floor((drawn + one) * (rare + one) / (all + n(2.0))));
            let u = t.unit(words[0]);
            let count = t.floor(centre + height * (t.unit(words[1]) - half) / u);
            let needed = n(2.0) * t.log(u);
            let taken = n(0.0).le(count) & needed.le(log_mass(count) - most);
            (count, taken)
        };
        let found = either(t, means, mean, searched, proposed);
        // Back to the good ones, in the sample.
        let value = bad.lt(good).select(drawn - found.value, found.value);
        let value = drawn.lt(sample).select(good - value, value);
        Candidate { value, ..found }
    }
}
