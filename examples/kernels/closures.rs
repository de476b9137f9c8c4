//! Kernels of closures: functions of elements, reductions, scans and stencils.

use ndany::Result;
use ndany::kernel::{Boundary, Val, elementwise, reduction, scan, stencil};
use ndany::prelude::*;

use crate::Case;

/// The kernels, with the layer that each is of.
pub const CASES: [(&str, &str, Case); 11] = [
    ("Black-Scholes", "closure", black_scholes),
    ("Mandelbrot", "closure", mandelbrot),
    ("pi by Monte Carlo", "closure", pi),
    ("largest, and where", "reduction", largest),
    ("log of a sum of exponentials", "reduction", log_sum_exp),
    ("Welford's moments", "reduction", welford),
    ("linear recurrence", "scan", recurrence),
    ("sums of segments", "scan", segments),
    ("heat, five points", "stencil", heat),
    ("game of life", "stencil", life),
    ("fields in three dimensions", "stencil", fields),
];

/// Numbers that look random, from -8 to 8.
fn numbers<const N: usize>(shape: [usize; N]) -> Array {
    let size = shape.iter().product::<usize>();
    let mixed = (arange(size) * 7919 + 12_345) % 4096;
    mixed.reshape(shape) / 256 - 8
}

fn normal(x: Val<'_>) -> Val<'_> {
    (1 + (x / std::f64::consts::SQRT_2).erf()) / 2
}

/// A number in [0, 1) of the upper bits.
fn draw(state: Val<'_>) -> Val<'_> {
    (state >> Scalar::typed(U64, 40)).astype(F64) / (1u32 << 24) as f64
}

fn shifted(state: Val<'_>, by: u64) -> Val<'_> {
    state ^ (state << Scalar::typed(U64, by))
}

fn black_scholes(_: &Device) -> Result<Vec<Array>> {
    // The price of a call option (Black & Scholes 1973), and how it changes with the volatility.
    let kernel = elementwise("black_scholes", |_, [spot, strike, years, sigma]| {
        let spread = sigma * years.sqrt();
        let d = ((spot / strike).log() + sigma * sigma * years / 2) / spread;
        let price = spot * normal(d) - strike * normal(d - spread);
        [price, spot * years.sqrt() * (-d * d / 2).exp() / (2.0 * std::f64::consts::PI).sqrt()]
    });
    let (strike, years) = (100 + numbers([2000]), 1 + numbers([3, 1]).abs());
    Ok(kernel.call((100.0, &strike, &years, 0.3)).to_vec())
}

fn mandelbrot(_: &Device) -> Result<Vec<Array>> {
    let kernel = elementwise("mandelbrot", |k, [re, im]| {
        let [.., steps] = k.repeat_while(
            100,
            [re.zero(), im.zero(), k.value(Scalar::typed(I32, 0))],
            |[x, y, _]| (x * x + y * y).less_equal(4),
            |[x, y, n]| [x * x - y * y + re, 2 * x * y + im, n + 1],
        );
        [steps]
    });
    let (across, down) = (linspace(-2.0, 0.6, 60), linspace(-1.2, 1.2, 40).reshape((40, 1)));
    Ok(kernel.call((&across, &down)).to_vec())
}

fn pi(_: &Device) -> Result<Vec<Array>> {
    // Points of a square that lie in the circle, by xorshift64 (Marsaglia 2003), seeded by the position.
    let kernel = elementwise("pi", |k, [seed]| {
        let word = |number: u64| Scalar::typed(U64, number);
        let start = (k.index().astype(U64) + seed) * word(0x9E37_79B9_7F4A_7C15);
        let [_, hits, _] = k.repeat_while(
            32,
            [start | word(1), k.value(0), k.value(0)],
            |[_, _, n]| n.less(32),
            |[state, hits, n]| {
                let turned = shifted(state, 13);
                let state = turned ^ (turned >> word(7));
                let state = shifted(state, 17);
                let (x, y) = (draw(state), draw(state << word(24)));
                [state, hits + (x * x + y * y).less(1), n + 1]
            },
        );
        [hits]
    });
    let [hits] = kernel.call([&(zeros(1000, U64) + Scalar::typed(U64, 1))]);
    Ok(vec![hits.sum(..)])
}

fn largest(_: &Device) -> Result<Vec<Array>> {
    let kernel = reduction(
        "largest",
        |k, [x]| [x, k.index()],
        |_, [v, i], [w, j]| {
            let left = v.greater(w) | (v.equal(w) & i.less(j));
            [left.select(v, w), left.select(i, j)]
        },
        |_, state| state,
    );
    Ok([kernel.call([&numbers([30, 700])], 1), kernel.call([&numbers([30, 700])], 0)].concat())
}

fn log_sum_exp(_: &Device) -> Result<Vec<Array>> {
    let kernel = reduction(
        "log_sum_exp",
        |_, [x]| [x, x.one()],
        |_, [a, s], [b, t]| {
            let most = a.maximum(b);
            [most, s * (a - most).exp() + t * (b - most).exp()]
        },
        |_, [most, sum]| [most + sum.log()],
    );
    Ok(kernel.call([&(numbers([20, 500]) * 40)], 1).to_vec())
}

fn welford(_: &Device) -> Result<Vec<Array>> {
    // Mean and variance in one pass (Welford 1962), joined as by Chan, Golub and LeVeque (1979).
    let kernel = reduction(
        "welford",
        |_, [x]| [x.one(), x, x.zero()],
        |_, [n, a, v], [m, b, w]| {
            let (count, apart) = (n + m, b - a);
            [count, a + apart * m / count, v + w + apart * apart * n * m / count]
        },
        |_, [n, mean, squares]| [mean, squares / n],
    );
    Ok(kernel.call([&numbers([20, 500])], 1).to_vec())
}

fn recurrence(_: &Device) -> Result<Vec<Array>> {
    // y[i] = a[i] · y[i - 1] + b[i].
    let kernel = scan(
        "recurrence",
        |_, [a, b]| [a, b],
        |_, [a, b], [c, d]| [a * c, c * b + d],
        |_, [_, y]| [y],
    );
    let (a, b) = (numbers([4, 3000]) / 9, numbers([4, 3000]));
    Ok([kernel.call((&a, &b), 1), kernel.call((&a, &b), 0)].concat())
}

fn segments(_: &Device) -> Result<Vec<Array>> {
    // Running sums that begin anew where a segment begins.
    let kernel = scan(
        "segments",
        |_, [begins, x]| [begins, x],
        |_, [f, a], [g, b]| [f | g, g.select(b, a + b)],
        |_, [_, sum]| [sum],
    );
    let (x, begins) = (numbers([5000]), (arange(5000) % 37).equal(0));
    Ok(kernel.call((&begins, &x), 0).to_vec())
}

fn heat(_: &Device) -> Result<Vec<Array>> {
    let u = numbers([70, 90]).astype(F32);
    let mut made = Vec::new();
    for boundary in
        [Boundary::Wrap, Boundary::Edge, Boundary::Reflect, Boundary::Constant(0.into())]
    {
        let kernel = stencil("heat", |_, [u]| {
            let around = u.at([-1, 0]) + u.at([1, 0]) + u.at([0, -1]) + u.at([0, 1]);
            [u.at([0, 0]) + (around - 4 * u.at([0, 0])) * 0.2]
        });
        made.extend(kernel.boundary(boundary).call([&u]));
    }
    Ok(made)
}

fn life(_: &Device) -> Result<Vec<Array>> {
    let kernel = stencil("life", |_, [board]| {
        let cells = board.window([3, 3]);
        let count = cells.iter().copied().reduce(|sum, cell| sum + cell).unwrap_or(cells[4]);
        // Nine cells: three, or four with the one in the middle.
        [(count.equal(3) | (cells[4].equal(1) & count.equal(4))).astype(U8)]
    });
    let kernel = kernel.boundary(Boundary::Wrap);
    let mut board = numbers([60, 80]).greater(3).astype(U8);
    for _ in 0..5 {
        [board] = kernel.call([&board]);
    }
    Ok(vec![board])
}

fn fields(_: &Device) -> Result<Vec<Array>> {
    // Electric and magnetic fields along one direction each (Yee 1966), between conducting walls.
    let curl = |name, sign: i64| {
        stencil(name, move |_, [own, first, second]| {
            let (along, across) = ([0, sign, 0], [0, 0, sign]);
            let curl =
                (first.at(along) - first.at([0; 3])) - (second.at(across) - second.at([0; 3]));
            [own.at([0; 3]) + 0.5 * (sign * curl)]
        })
    };
    let shape = [13, 17, 19];
    let [mut e, hy, mut hz] = [numbers(shape), numbers(shape) + 1, numbers(shape) / 2];
    for _ in 0..3 {
        [e] = curl("electric", -1).call([&e, &hz, &hy]);
        [hz] = curl("magnetic", 1).call([&hz, &e, &hy]);
    }
    Ok(vec![e, hz])
}
