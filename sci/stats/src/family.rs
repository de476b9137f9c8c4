//! What a family of distributions states, and what follows from it: each method is a formula of the variable, the shape
//! parameters, the location and (of a continuous family) the scale.

use ndany_array::extend::Function;
use ndany_core::formulas::algebra::Algebra;

use crate::words::{exp, infinity, log, log1p, nan};

/// A family of distributions as data.
#[derive(Debug)]
pub struct Family {
    /// Its name, as in `scipy.stats`.
    pub name: &'static str,
    /// The names of its shape parameters.
    pub shapes: &'static [&'static str],
    /// Whether it has probabilities at integers, and no scale.
    pub discrete: bool,
    /// `pdf` (or `pmf`), its logarithm, `cdf`, `sf`, their logarithms, `ppf`, `isf`: of a variable, shapes, location, scale.
    pub methods: [&'static Function; 8],
    /// Mean, variance, skewness, excess kurtosis, entropy, median: of shapes, location, scale.
    pub moments: [&'static Function; 6],
}

/// A continuous family in its standard form: location 0 and scale 1. `p` are the shape parameters.
pub(crate) trait Continuous {
    /// Whether the shape parameters are in their domain.
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        let _ = p;
        a.lt(a.f(0.0), a.f(1.0))
    }
    /// The ends of the support.
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        let _ = p;
        [-infinity(a), infinity(a)]
    }
    /// The logarithm of the density.
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F;
    /// The density.
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logpdf(a, z, p))
    }
    /// The probability of less.
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F;
    /// The probability of more.
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F;
    /// The logarithm of the probability of less.
    fn logcdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log_of_part(a, Self::cdf(a, z, p), Self::sf(a, z, p))
    }
    /// The logarithm of the probability of more.
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log_of_part(a, Self::sf(a, z, p), Self::cdf(a, z, p))
    }
    /// Where the probability of less is `q`, which is between 0 and 1.
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F;
    /// Where the probability of more is `q`.
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F;
    /// Mean, variance, skewness, excess kurtosis.
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4];
    /// The differential entropy.
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F;
}

/// The logarithm of a probability, by the other part where that is the smaller one.
pub(crate) fn log_of_part<A: Algebra>(a: &A, part: A::F, rest: A::F) -> A::F {
    a.select(a.lt(part, a.f(0.5)), log(a, part), log1p(a, -rest))
}

/// Values of a method: `None` of a standard variable that is outside, by what stands there.
struct Place<A: Algebra> {
    z: A::F,
    scale: A::F,
    valid: A::B,
    below: A::B,
    above: A::B,
}

/// Where the variable is. Operands are the variable, shapes, location and scale.
fn place<D: Continuous, A: Algebra>(a: &A, v: &[A::F]) -> Place<A> {
    let (x, p) = (v[0], &v[1..v.len() - 2]);
    let (loc, scale) = (v[v.len() - 2], v[v.len() - 1]);
    let z = (x - loc) / scale;
    let [low, high] = D::support(a, p);
    let number = a.eq(x, x) & a.eq(loc, loc);
    let valid = D::valid(a, p) & a.lt(a.f(0.0), scale) & number;
    Place { z, scale, valid, below: a.lt(z, low), above: a.lt(high, z) }
}

impl<A: Algebra> Place<A> {
    /// `inside` in the support, these below and above it, NaN where a parameter is not valid.
    fn choose(&self, a: &A, inside: A::F, below: f64, above: f64) -> A::F {
        let inside = a.select(self.below, a.f(below), inside);
        let inside = a.select(self.above, a.f(above), inside);
        a.select(self.valid, inside, nan(a))
    }
}

/// The formulas of a continuous family.
pub(crate) struct Methods<D>(std::marker::PhantomData<D>);

impl<D: Continuous> Methods<D> {
    pub(crate) fn pdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        // Nothing is at infinity.
        let inside = D::pdf(a, place.z, shapes(v)) / place.scale;
        let inside = a.select(a.eq(a.abs(place.z), infinity(a)), a.f(0.0), inside);
        place.choose(a, inside, 0.0, 0.0)
    }
    pub(crate) fn logpdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        let inside = D::logpdf(a, place.z, shapes(v)) - log(a, place.scale);
        let inside = a.select(a.eq(a.abs(place.z), infinity(a)), -infinity(a), inside);
        place.choose(a, inside, f64::NEG_INFINITY, f64::NEG_INFINITY)
    }
    pub(crate) fn cdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        place.choose(a, D::cdf(a, place.z, shapes(v)), 0.0, 1.0)
    }
    pub(crate) fn sf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        place.choose(a, D::sf(a, place.z, shapes(v)), 1.0, 0.0)
    }
    pub(crate) fn logcdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        place.choose(a, D::logcdf(a, place.z, shapes(v)), f64::NEG_INFINITY, 0.0)
    }
    pub(crate) fn logsf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let place = place::<D, A>(a, v);
        place.choose(a, D::logsf(a, place.z, shapes(v)), 0.0, f64::NEG_INFINITY)
    }
    pub(crate) fn ppf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        quantile(a, v, D::valid(a, shapes(v)), D::support(a, shapes(v)), D::ppf(a, v[0], shapes(v)))
    }
    pub(crate) fn isf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let [low, high] = D::support(a, shapes(v));
        quantile(a, v, D::valid(a, shapes(v)), [high, low], D::isf(a, v[0], shapes(v)))
    }
    pub(crate) fn mean<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, loc, scale) = split(v);
        Self::of_valid(a, v, loc + scale * D::moments(a, p)[0])
    }
    pub(crate) fn var<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, _, scale) = split(v);
        Self::of_valid(a, v, scale * scale * D::moments(a, p)[1])
    }
    pub(crate) fn skew<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        Self::of_valid(a, v, D::moments(a, split(v).0)[2])
    }
    pub(crate) fn kurtosis<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        Self::of_valid(a, v, D::moments(a, split(v).0)[3])
    }
    pub(crate) fn entropy<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, _, scale) = split(v);
        Self::of_valid(a, v, D::entropy(a, p) + log(a, scale))
    }
    pub(crate) fn median<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, loc, scale) = split(v);
        Self::of_valid(a, v, loc + scale * D::ppf(a, a.f(0.5), p))
    }
    fn of_valid<A: Algebra>(a: &A, v: &[A::F], value: A::F) -> A::F {
        let (p, loc, scale) = split(v);
        let valid = D::valid(a, p) & a.lt(a.f(0.0), scale) & a.eq(loc, loc);
        a.select(valid, value, nan(a))
    }
}

/// The shape parameters of a method of the variable.
fn shapes<F>(v: &[F]) -> &[F] {
    &v[1..v.len() - 2]
}

/// Shapes, location and scale of a moment.
fn split<F: Copy>(v: &[F]) -> (&[F], F, F) {
    (&v[..v.len() - 2], v[v.len() - 2], v[v.len() - 1])
}

/// A quantile: the ends of the support at 0 and 1, NaN outside of these.
fn quantile<A: Algebra>(a: &A, v: &[A::F], valid: A::B, ends: [A::F; 2], inside: A::F) -> A::F {
    let (q, loc, scale) = (v[0], v[v.len() - 2], v[v.len() - 1]);
    let z = a.select(a.eq(q, a.f(0.0)), ends[0], inside);
    let z = a.select(a.eq(q, a.f(1.0)), ends[1], z);
    let valid = valid & a.lt(a.f(0.0), scale) & a.le(a.f(0.0), q) & a.le(q, a.f(1.0));
    a.select(valid, loc + scale * z, nan(a))
}

/// A discrete family at location 0. `p` are the shape parameters.
pub(crate) trait Discrete {
    /// Whether the shape parameters are in their domain.
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B;
    /// The first and the last integer that has a probability.
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2];
    /// The logarithm of the probability of an integer.
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F;
    /// The probability of an integer.
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logpmf(a, k, p))
    }
    /// The probability of at most this integer.
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F;
    /// The probability of more than this integer.
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F;
    /// The probabilities of at most this integer and of more, each of which has its digits where it is the smaller one.
    fn parts<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> [A::F; 2] {
        [Self::cdf(a, k, p), Self::sf(a, k, p)]
    }
    /// The logarithm of the probability of more.
    fn logsf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let [below, above] = Self::parts(a, k, p);
        log_of_part(a, above, below)
    }
    /// A number near the quantile, from which the search begins.
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F;
    /// The integer from which a search for the quantile starts: none below it is one.
    fn first<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let _ = q;
        Self::support(a, p)[0]
    }
    /// Mean, variance, skewness, excess kurtosis.
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4];
    /// The entropy.
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F;
}

/// The formulas of a discrete family. Operands are the variable, shapes, location and a scale that is 1.
pub(crate) struct Counts<D>(std::marker::PhantomData<D>);

impl<D: Discrete> Counts<D> {
    fn place<A: Algebra>(a: &A, v: &[A::F]) -> (A::F, Place<A>) {
        let (loc, scale) = (v[v.len() - 2], v[v.len() - 1]);
        let x = v[0] - loc;
        let z = a.floor(x);
        let [low, high] = D::support(a, shapes(v));
        let valid = D::valid(a, shapes(v)) & a.eq(x, x);
        let place = Place { z, scale, valid, below: a.lt(z, low), above: a.lt(high, z) };
        (x, place)
    }
    pub(crate) fn pdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (x, place) = Self::place(a, v);
        let inside = a.select(a.eq(x, place.z), D::pmf(a, place.z, shapes(v)), a.f(0.0));
        place.choose(a, inside, 0.0, 0.0)
    }
    pub(crate) fn logpdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (x, place) = Self::place(a, v);
        let none = -infinity(a);
        let inside = a.select(a.eq(x, place.z), D::logpmf(a, place.z, shapes(v)), none);
        place.choose(a, inside, f64::NEG_INFINITY, f64::NEG_INFINITY)
    }
    pub(crate) fn cdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (_, place) = Self::place(a, v);
        place.choose(a, D::cdf(a, place.z, shapes(v)), 0.0, 1.0)
    }
    pub(crate) fn sf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (_, place) = Self::place(a, v);
        place.choose(a, D::sf(a, place.z, shapes(v)), 1.0, 0.0)
    }
    pub(crate) fn logcdf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (_, place) = Self::place(a, v);
        let [part, rest] = D::parts(a, place.z, shapes(v));
        place.choose(a, log_of_part(a, part, rest), f64::NEG_INFINITY, 0.0)
    }
    pub(crate) fn logsf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (_, place) = Self::place(a, v);
        place.choose(a, D::logsf(a, place.z, shapes(v)), 0.0, f64::NEG_INFINITY)
    }
    pub(crate) fn ppf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (q, p) = (v[0], shapes(v));
        let [low, high] = D::support(a, p);
        let valid = D::valid(a, p);
        // Nothing is searched where nothing can be found.
        let inside = valid & a.lt(a.f(0.0), q) & a.lt(q, a.f(1.0));
        let q = a.select(inside, q, a.f(0.5));
        let safe: Vec<A::F> = p.to_vec();
        let first = D::first(a, q, &safe);
        let found = crate::search::integer(a, q, first, D::guess(a, q, &safe), |a, k| {
            let cdf = D::cdf(a, k, &safe);
            let cdf = a.select(a.lt(k, low), a.f(0.0), cdf);
            // What is no number ends the search.
            let cdf = a.select(a.eq(cdf, cdf), cdf, a.f(1.0));
            a.select(a.le(high, k) | !inside, a.f(1.0), cdf)
        });
        quantile(a, v, valid, [low - a.f(1.0), high], found)
    }
    pub(crate) fn isf<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let mut operands = v.to_vec();
        operands[0] = a.f(1.0) - v[0];
        Self::ppf(a, &operands)
    }
    pub(crate) fn mean<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, loc, _) = split(v);
        a.select(D::valid(a, p), loc + D::moments(a, p)[0], nan(a))
    }
    pub(crate) fn var<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        Self::moment(a, v, 1)
    }
    pub(crate) fn skew<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        Self::moment(a, v, 2)
    }
    pub(crate) fn kurtosis<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        Self::moment(a, v, 3)
    }
    fn moment<A: Algebra>(a: &A, v: &[A::F], number: usize) -> A::F {
        let (p, ..) = split(v);
        a.select(D::valid(a, p), D::moments(a, p)[number], nan(a))
    }
    pub(crate) fn entropy<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let (p, ..) = split(v);
        a.select(D::valid(a, p), D::entropy(a, p), nan(a))
    }
    pub(crate) fn median<A: Algebra>(a: &A, v: &[A::F]) -> A::F {
        let mut operands = vec![a.f(0.5)];
        operands.extend_from_slice(v);
        Self::ppf(a, &operands)
    }
}
