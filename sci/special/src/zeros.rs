//! Zeros of Bessel, Airy and Kelvin functions: computed on the host from the functions' own formulas.
//!
//! Steps along the axis that are shorter than the distance of two zeros find where the sign changes, and bisection finds the float.

use ndany_array::Array;
use ndany_array::extend::{Computed, expect};
use ndany_core::Result;
use ndany_core::formulas::algebra::Native;

use crate::formulas::airy::airy;
use crate::formulas::bessel_order::{jv, yv};
use crate::formulas::derivatives::{jvp, yvp};
use crate::formulas::kelvin;
use crate::roots::{count, refused};

type Host = Native<f64, true>;

/// The highest order.
const MOST: usize = 900;

/// The first zeros beyond `start`, where no two are nearer than `step` says.
fn zeros(
    count: usize,
    start: f64,
    step: impl Fn(f64) -> f64,
    value: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut found = Vec::new();
    let (mut left, mut at_left) = (start, value(start));
    while found.len() < count {
        let right = left + step(left);
        let at_right = value(right);
        if (at_left < 0.0) != (at_right < 0.0) {
            found.push(between(left, right, at_left, at_right, &value));
        }
        (left, at_left) = (right, at_right);
    }
    found
}

/// The float of two neighbours, between which the sign changes, where the value is nearer to 0.
fn between(
    mut left: f64,
    mut right: f64,
    mut at_left: f64,
    mut at_right: f64,
    value: impl Fn(f64) -> f64,
) -> f64 {
    loop {
        let middle = 0.5 * (left + right);
        if middle <= left || middle >= right {
            return if at_left.abs() < at_right.abs() { left } else { right };
        }
        let at_middle = value(middle);
        if (at_middle < 0.0) == (at_left < 0.0) {
            (left, at_left) = (middle, at_middle);
        } else {
            (right, at_right) = (middle, at_middle);
        }
    }
}

fn checked(op: &str, n: usize, count: usize) -> Result<()> {
    if count == 0 {
        return refused(op, "expected a number of zeros above 0");
    }
    if n > MOST { refused(op, "expected an order of at most 900") } else { Ok(()) }
}

/// Zeros of a Bessel function of order n, all of which are beyond n.
fn of_bessel(n: usize, count: usize, function: fn(&Host, f64, f64) -> f64) -> Vec<f64> {
    let (order, host) = (n as f64, Host::new());
    zeros(count, if n == 0 { 0.3 } else { order }, |_| 0.75, |x| function(&host, order, x))
}

fn jn(n: usize, count: usize) -> Vec<f64> {
    of_bessel(n, count, jv)
}

fn jnp(n: usize, count: usize) -> Vec<f64> {
    of_bessel(n, count, |host, order, x| jvp(host, order, x, 1.0))
}

fn yn(n: usize, count: usize) -> Vec<f64> {
    of_bessel(n, count, yv)
}

fn ynp(n: usize, count: usize) -> Vec<f64> {
    of_bessel(n, count, |host, order, x| yvp(host, order, x, 1.0))
}

/// Zeros of an Airy function, of its derivative, and what the function and the derivative are at the other's zeros.
fn of_airy(count: usize, first: usize) -> [Vec<f64>; 4] {
    let host = Host::new();
    let value = |part: usize, x: f64| airy(&host, -x)[part];
    let step = |x: f64| 0.5 / (x + 1.0).sqrt();
    let own = zeros(count, 0.5, step, |x| value(first, x));
    let slope = zeros(count, 0.5, step, |x| value(first + 1, x));
    let at_slope = slope.iter().map(|&x| value(first, x)).collect();
    let at_own = own.iter().map(|&x| value(first + 1, x)).collect();
    let left = |points: Vec<f64>| points.into_iter().map(|x| -x).collect();
    [left(own), left(slope), at_slope, at_own]
}

fn of_kelvin(count: usize, function: fn(&Host, f64) -> f64) -> Vec<f64> {
    let host = Host::new();
    zeros(count, 0.3, |_| 0.5, |x| function(&host, x))
}

fn arrays(values: impl IntoIterator<Item = Vec<f64>>) -> Vec<Array> {
    values.into_iter().map(|values| Array::from(values.as_slice())).collect()
}

macro_rules! zeros_of_order {
    ($($(#[doc = $doc:literal])+ $name:ident = $numpy:literal, $body:path, $shown:literal;)+) => {
        $(
            #[doc = concat!($($doc),+, ", as `scipy.special.", stringify!($name), "`.")]
            ///
            /// Computed on the host, and copied to the current device.
            ///
            /// - **Shapes**: `(count)`.
            /// - **Dtypes**: float64.
            /// - **Errors**: refuses orders above 900, and no zeros. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
            ///
            /// ```
            /// use ndany::prelude::*;
            #[doc = concat!("assert_eq!(special::", stringify!($name), "(1, 2).to_string(), \"", $shown, "\");")]
            /// ```
            #[doc(alias = $numpy)]
            #[track_caller]
            pub fn $name(n: usize, count: usize) -> Array {
                expect(checked(stringify!($name), n, count));
                Array::from($body(n, count).as_slice())
            }

            #[allow(non_snake_case)]
            mod $name {
                use super::*;
                pub(super) static COMPUTED: Computed = Computed {
                    numpy: $numpy,
                    parameters: "n nt",
                    run: |values| {
                        let (n, nt) = (count($numpy, values[0].abs())?, count($numpy, values[1])?);
                        checked(stringify!($name), n, nt)?;
                        Ok(arrays([$body(n, nt)]))
                    },
                };
            }
        )+
        pub(crate) static OF_ORDER: &[&Computed] = &[$(&$name::COMPUTED),+];
    };
}

macro_rules! zeros_of_kelvin {
    ($($(#[doc = $doc:literal])+ $name:ident = $numpy:literal, $body:path, $shown:literal;)+) => {
        $(
            #[doc = concat!($($doc),+, ", as `scipy.special.", stringify!($name), "`.")]
            ///
            /// Computed on the host, and copied to the current device.
            ///
            /// - **Shapes**: `(count)`.
            /// - **Dtypes**: float64.
            /// - **Errors**: refuses no zeros. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
            ///
            /// ```
            /// use ndany::prelude::*;
            #[doc = concat!("assert_eq!(special::", stringify!($name), "(2).to_string(), \"", $shown, "\");")]
            /// ```
            #[doc(alias = $numpy)]
            #[track_caller]
            pub fn $name(count: usize) -> Array {
                expect(checked(stringify!($name), 0, count));
                Array::from(of_kelvin(count, |host, x| $body(host, x)).as_slice())
            }

            #[allow(non_snake_case)]
            mod $name {
                use super::*;
                pub(super) static COMPUTED: Computed = Computed {
                    numpy: $numpy,
                    parameters: "nt",
                    run: |values| {
                        let nt = count($numpy, values[0])?;
                        checked(stringify!($name), 0, nt)?;
                        Ok(arrays([of_kelvin(nt, |host, x| $body(host, x))]))
                    },
                };
            }
        )+
        pub(crate) static OF_KELVIN: &[&Computed] = &[$(&$name::COMPUTED),+];
    };
}

zeros_of_order! {
    /// Returns the first `count` positive zeros of the Bessel function of the first kind of order `n`
    jn_zeros = "sp.special.jn_zeros", jn, "[3.83170597 7.01558667]";
    /// Returns the first `count` positive zeros of the derivative of the Bessel function of the first kind of order `n`
    jnp_zeros = "sp.special.jnp_zeros", jnp, "[1.84118378 5.33144277]";
    /// Returns the first `count` positive zeros of the Bessel function of the second kind of order `n`
    yn_zeros = "sp.special.yn_zeros", yn, "[2.19714133 5.42968104]";
    /// Returns the first `count` positive zeros of the derivative of the Bessel function of the second kind of order `n`
    ynp_zeros = "sp.special.ynp_zeros", ynp, "[3.68302286 6.94149995]";
}

zeros_of_kelvin! {
    /// Returns the first `count` positive zeros of the Kelvin function ber
    ber_zeros = "sp.special.ber_zeros", kelvin::ber, "[2.84891782 7.23882945]";
    /// Returns the first `count` positive zeros of the Kelvin function bei
    bei_zeros = "sp.special.bei_zeros", kelvin::bei, "[5.02622395 9.4554063 ]";
    /// Returns the first `count` positive zeros of the Kelvin function ker
    ker_zeros = "sp.special.ker_zeros", kelvin::ker, "[1.71854296 6.12727913]";
    /// Returns the first `count` positive zeros of the Kelvin function kei
    kei_zeros = "sp.special.kei_zeros", kelvin::kei, "[3.91466761 8.34422506]";
    /// Returns the first `count` positive zeros of the derivative of the Kelvin function ber
    berp_zeros = "sp.special.berp_zeros", kelvin::berp, "[ 6.03871081 10.51364251]";
    /// Returns the first `count` positive zeros of the derivative of the Kelvin function bei
    beip_zeros = "sp.special.beip_zeros", kelvin::beip, "[3.7726733  8.28098785]";
    /// Returns the first `count` positive zeros of the derivative of the Kelvin function ker
    kerp_zeros = "sp.special.kerp_zeros", kelvin::kerp, "[2.66583979 7.17212212]";
    /// Returns the first `count` positive zeros of the derivative of the Kelvin function kei
    keip_zeros = "sp.special.keip_zeros", kelvin::keip, "[4.93181194 9.40405458]";
}

/// Returns the first `count` zeros of Ai and of Ai′, the values of Ai at the latter and of Ai′ at the former, as `scipy.special.ai_zeros`.
///
/// Computed on the host, and copied to the current device.
///
/// - **Shapes**: `(count)` each.
/// - **Dtypes**: float64.
/// - **Errors**: refuses no zeros. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let [a, a_slope, _, _] = special::ai_zeros(2);
/// assert_eq!([a.to_string(), a_slope.to_string()], ["[-2.33810741 -4.08794944]", "[-1.01879297 -3.24819758]"]);
/// ```
#[doc(alias = "sp.special.ai_zeros")]
#[track_caller]
pub fn ai_zeros(count: usize) -> [Array; 4] {
    expect(checked("ai_zeros", 0, count));
    of_airy(count, 0).map(|values| Array::from(values.as_slice()))
}

/// Returns the first `count` negative zeros of Bi and of Bi′, the values of Bi at the latter and of Bi′ at the former, as `scipy.special.bi_zeros`.
///
/// Computed on the host, and copied to the current device.
///
/// - **Shapes**: `(count)` each.
/// - **Dtypes**: float64.
/// - **Errors**: refuses no zeros. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let [b, b_slope, _, _] = special::bi_zeros(2);
/// assert_eq!([b.to_string(), b_slope.to_string()], ["[-1.17371322 -3.2710933 ]", "[-2.29443968 -4.07315509]"]);
/// ```
#[doc(alias = "sp.special.bi_zeros")]
#[track_caller]
pub fn bi_zeros(count: usize) -> [Array; 4] {
    expect(checked("bi_zeros", 0, count));
    of_airy(count, 2).map(|values| Array::from(values.as_slice()))
}

/// Returns the first `count` zeros of J, J′, Y and Y′ of order `n`, as `scipy.special.jnyn_zeros`.
///
/// Computed on the host, and copied to the current device.
///
/// - **Shapes**: `(count)` each.
/// - **Dtypes**: float64.
/// - **Errors**: refuses orders above 900, and no zeros. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let [j, ..] = special::jnyn_zeros(1, 2);
/// assert_eq!(j.to_string(), "[3.83170597 7.01558667]");
/// ```
#[doc(alias = "sp.special.jnyn_zeros")]
#[track_caller]
pub fn jnyn_zeros(n: usize, count: usize) -> [Array; 4] {
    expect(checked("jnyn_zeros", n, count));
    [jn(n, count), jnp(n, count), yn(n, count), ynp(n, count)]
        .map(|values| Array::from(values.as_slice()))
}

static AI: Computed = Computed {
    numpy: "sp.special.ai_zeros",
    parameters: "nt",
    run: |values| {
        let nt = count("ai_zeros", values[0])?;
        checked("ai_zeros", 0, nt)?;
        Ok(arrays(of_airy(nt, 0)))
    },
};

static BI: Computed = Computed {
    numpy: "sp.special.bi_zeros",
    parameters: "nt",
    run: |values| {
        let nt = count("bi_zeros", values[0])?;
        checked("bi_zeros", 0, nt)?;
        Ok(arrays(of_airy(nt, 2)))
    },
};

static ALL: Computed = Computed {
    numpy: "sp.special.jnyn_zeros",
    parameters: "n nt",
    run: |values| {
        let op = "jnyn_zeros";
        let (n, nt) = (count(op, values[0].abs())?, count(op, values[1])?);
        checked(op, n, nt)?;
        Ok(arrays([jn(n, nt), jnp(n, nt), yn(n, nt), ynp(n, nt)]))
    },
};

/// The others for calls by name.
pub(crate) static OTHERS: &[&Computed] = &[&AI, &BI, &ALL];
