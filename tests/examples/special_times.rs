//! Times of special functions and quantiles over many elements, in milliseconds: the first use, then the median of five runs.
//!
//! `cargo run --release -p ndany-tests --example special_times -- --device cuda:0 --elements 16777216 --only j0,zeta`

use std::time::Instant;

use ndany::prelude::*;

/// A name, and what is timed.
type Row<'a> = (&'static str, Box<dyn Fn() -> Array + 'a>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut device, mut elements, mut only) = (String::from("cpu"), 1 << 24, None);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or("each option has a value")?;
        match argument.as_str() {
            "--device" => device = value,
            "--elements" => elements = value.parse()?,
            "--only" => only = Some(value),
            other => return Err(format!("no option is called {other}").into()),
        }
    }
    let device = Device::open(&device)?;
    let _guard = device.enter();
    let mut rng = random::default_rng(1);
    let x = rng.random(elements) * 50.0 + 0.01;
    let u = rng.random(elements);
    let a = rng.random(elements) * 100.0 + 0.1;
    let s = rng.random(elements) * 2.0 - 1.0;
    for array in [&x, &u, &a, &s] {
        array.eval()?;
    }
    let (x2, s10, x1) = (&x * 2.0, &s * 10.0, &x + 1.1);
    for array in [&x2, &s10, &x1] {
        array.eval()?;
    }
    let rows: Vec<Row<'_>> = vec![
        ("add", Box::new(|| &x + &u)),
        ("gammaln", Box::new(|| special::gammaln(&x))),
        ("digamma", Box::new(|| special::digamma(&x))),
        ("erfinv", Box::new(|| special::erfinv(&s))),
        ("ndtri", Box::new(|| special::ndtri(&u))),
        ("log_ndtr", Box::new(|| special::log_ndtr(&s10))),
        ("j0", Box::new(|| special::j0(&x))),
        ("i0e", Box::new(|| special::i0e(&x))),
        ("k1", Box::new(|| special::k1(&x))),
        ("gammainc", Box::new(|| special::gammainc(&a, &x2))),
        ("gammaincinv", Box::new(|| special::gammaincinv(&a, &u))),
        ("betainc", Box::new(|| special::betainc(&a, &x, &u))),
        ("betaincinv", Box::new(|| special::betaincinv(&a, &x, &u))),
        ("expi", Box::new(|| special::expi(&x))),
        ("expn", Box::new(|| special::expn(3.0, &x))),
        ("zeta", Box::new(|| special::zeta(&x1, 2.0))),
        ("ellipk", Box::new(|| special::ellipk(&u))),
        ("lambertw", Box::new(|| special::lambertw(&x, 0.0))),
        ("norm.ppf", Box::new(|| stats::norm().ppf(&u))),
        ("gamma.ppf", Box::new(|| stats::gamma(&a).ppf(&u))),
    ];
    for (name, work) in rows {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|wanted| wanted == name)) {
            continue;
        }
        let run = || -> ndany::Result<f64> {
            let start = Instant::now();
            work().eval()?;
            device.synchronize()?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        };
        let first = run()?;
        let mut times = (0..5).map(|_| run()).collect::<ndany::Result<Vec<f64>>>()?;
        times.sort_by(f64::total_cmp);
        println!("{name:12} {:10.3} first {first:10.1}", times[2]);
    }
    Ok(())
}
