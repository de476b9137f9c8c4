//! European options priced by the formula of Black & Scholes (1973), with their sensitivities, and the
//! volatilities found back from the prices by Newton's method.
//!
//!     cargo run --release --example black_scholes [-- --device NAME] [--options N]
//!
//! Checks itself: put–call parity, and the volatilities that went in.

#[path = "support/mod.rs"]
mod support;

use std::process::ExitCode;

use ndany::Generator;
use ndany::prelude::*;
use support::{Outcome, timed};

const RATE: f64 = 0.03;
const NEWTON_STEPS: usize = 12;

/// A market of options: today's price, strike, years to run, and volatility a year, each of shape (n,).
struct Market {
    spot: Array,
    strike: Array,
    years: Array,
    volatility: Array,
}

impl Market {
    /// Options near the money, which have a price worth inverting.
    fn draw(rng: &mut Generator, options: usize) -> Market {
        let spot = rng.uniform(20.0, 200.0, options);
        let moneyness = rng.uniform(0.9, 1.1, options);
        Market {
            strike: &spot * moneyness,
            spot,
            years: rng.uniform(0.1, 2.0, options),
            volatility: rng.uniform(0.1, 0.6, options),
        }
    }
}

/// The probability that a standard normal variable is at most `x`.
fn normal_distribution(x: &Array) -> Array {
    special::erfc(x / -std::f64::consts::SQRT_2) * 0.5
}

/// The density of a standard normal variable.
fn normal_density(x: &Array) -> Array {
    (x.square() * -0.5).exp() * (0.5 / std::f64::consts::PI).sqrt()
}

/// What the formula says of a market at some volatility.
struct Prices {
    call: Array,
    put: Array,
    delta: Array,
    gamma: Array,
    vega: Array,
}

fn price(market: &Market, volatility: &Array) -> Prices {
    let Market { spot, strike, years, .. } = market;
    let root = years.sqrt();
    let spread = volatility * &root;
    let d1 = ((spot / strike).log() + (volatility.square() * 0.5 + RATE) * years) / &spread;
    let d2 = &d1 - &spread;
    let discounted = strike * (years * -RATE).exp();
    let delta = normal_distribution(&d1);
    let density = normal_density(&d1);
    Prices {
        call: spot * &delta - &discounted * normal_distribution(&d2),
        put: &discounted * normal_distribution(&-&d2) - spot * normal_distribution(&-&d1),
        gamma: &density / (spot * &spread),
        vega: spot * &density * &root,
        delta,
    }
}

/// The volatility at which calls cost what they do, from where the price bends (Manaster & Koehler 1982): from
/// there Newton's method does not leap past the answer.
fn implied_volatility(market: &Market, calls: &Array) -> ndany::Result<Array> {
    let Market { spot, strike, years, .. } = market;
    let forward = (spot / strike).log() + years * RATE;
    let mut volatility = (forward.abs() * 2.0 / years).sqrt().maximum(0.05);
    for _ in 0..NEWTON_STEPS {
        let Prices { call, vega, .. } = price(market, &volatility);
        volatility = (&volatility - (call - calls) / vega.maximum(1e-8)).maximum(1e-3);
        volatility.eval()?;
    }
    Ok(volatility)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("black_scholes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let options =
        support::option(&mut arguments, "--options")?.map_or(Ok(1_000_000), |n| n.parse())?;
    support::expect_no_more(&arguments, "black_scholes [--device NAME] [--options N]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let market = Market::draw(&mut Generator::new(1973), options);
    for array in [&market.spot, &market.strike, &market.years, &market.volatility] {
        array.eval()?;
    }
    println!("{options} options");

    let (prices, cost) = timed(&device, || {
        let prices = price(&market, &market.volatility);
        let Prices { call, put, delta, gamma, vega } = &prices;
        for array in [call, put, delta, gamma, vega] {
            array.eval()?;
        }
        Ok(prices)
    })?;
    println!("  prices      {cost}");
    let (implied, cost) = timed(&device, || Ok(implied_volatility(&market, &prices.call)?))?;
    println!("  volatility  {cost}\n");

    let Prices { call, put, delta, gamma, vega } = &prices;
    println!("{:<14}{:>12}{:>12}{:>12}", "", "mean", "smallest", "largest");
    for (name, values) in
        [("call", call), ("put", put), ("delta", delta), ("gamma", gamma), ("vega", vega)]
    {
        let figure = |value: Array| -> Outcome<f64> { Ok(value.item::<f64>()?) };
        let (mean, low, high) =
            (figure(values.mean(..))?, figure(values.min(..))?, figure(values.max(..))?);
        println!("{name:<14}{mean:>12.4}{low:>12.4}{high:>12.4}");
    }
    let forward = &market.spot - &market.strike * (&market.years * -RATE).exp();
    let parity = (call - put - forward).abs().max(..).item::<f64>()?;
    let distance = (implied - &market.volatility).abs().max(..).item::<f64>()?;
    println!("\nput-call parity holds within {parity:.1e}");
    println!("the volatilities come back within {distance:.1e}");
    match parity < 1e-9 && distance < 1e-6 {
        true => Ok(()),
        false => Err(support::failure("that is too far")),
    }
}
