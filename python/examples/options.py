"""Prices of options by Black and Scholes, and by simulation, with the names of CuPy: python options.py [DEVICE]."""

import sys

import ndany.cupy as cp

# Statements of C for each element, as CuPy takes them: the engine makes one kernel of them on every device.
black_scholes = cp.ElementwiseKernel(
    "T s, T x, T t, T r, T v",
    "T call, T put",
    """
    const T root = sqrt(t);
    const T d1 = (log(s / x) + (r + v * v / 2) * t) / (v * root);
    const T d2 = d1 - v * root;
    // The distribution of the normal law, by a polynomial of 1 / (1 + 0.2316419 |d|).
    const T k1 = 1 / (1 + 0.2316419 * fabs(d1));
    const T k2 = 1 / (1 + 0.2316419 * fabs(d2));
    const T p1 = k1 * (0.31938153 + k1 * (-0.356563782 + k1 * (1.781477937 + k1 * (-1.821255978 + k1 * 1.330274429))));
    const T p2 = k2 * (0.31938153 + k2 * (-0.356563782 + k2 * (1.781477937 + k2 * (-1.821255978 + k2 * 1.330274429))));
    const T u1 = 0.39894228040143267794 * exp(-d1 * d1 / 2) * p1;
    const T u2 = 0.39894228040143267794 * exp(-d2 * d2 / 2) * p2;
    const T n1 = d1 > 0 ? 1 - u1 : u1;
    const T n2 = d2 > 0 ? 1 - u2 : u2;
    const T discount = x * exp(-r * t);
    call = s * n1 - discount * n2;
    put = discount * (1 - n2) - s * (1 - n1);
    """,
    "black_scholes",
)


def simulated(spot, strike, years, rate, volatility, samples, seed):
    """The price of a call as the mean over random ends."""
    normal = cp.random.default_rng(seed).standard_normal(samples)
    end = spot * cp.exp((rate - volatility**2 / 2) * years + volatility * years**0.5 * normal)
    return float(cp.maximum(end - strike, 0).mean()) * float(cp.exp(cp.asarray(-rate * years)))


def main():
    with cp.cuda.Device(sys.argv[1] if len(sys.argv) > 1 else None) as device:
        generator = cp.random.default_rng(0)
        count = 100_000
        spot, strike = generator.uniform(5, 30, count), generator.uniform(1, 100, count)
        years = generator.uniform(0.25, 10, count)
        call, put = black_scholes(spot, strike, years, 0.02, 0.3)
        print(f"on {device}: calls {float(call.mean()):.4f}, puts {float(put.mean()):.4f}")
        one, _ = black_scholes(cp.asarray([100.0]), 110.0, 1.0, 0.05, 0.2)
        print(f"one call: {float(one):.3f}, simulated: {simulated(100.0, 110.0, 1.0, 0.05, 0.2, 1_000_000, 1):.3f}")


main()
