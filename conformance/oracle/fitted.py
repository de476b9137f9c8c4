"""Prints the file `sci/stats/tests/fit_cases.in`: samples, and what SciPy's `fit` makes of them.

Samples are quantiles of random probabilities, rounded so that their text is short.
"""

import warnings

import numpy as np
import scipy.stats

#: Family, shapes and location and scale of the sample, options of `fit`.
CASES = [
    ("norm", (1.5, 2.0), {}), ("norm", (1.5, 2.0), {"floc": 1.0}), ("norm", (1.5, 2.0), {"fscale": 3.0}),
    ("expon", (2.0, 3.0), {}), ("expon", (0.0, 3.0), {"floc": 0.0}), ("expon", (2.0, 3.0), {"fscale": 2.5}),
    ("uniform", (-1.0, 4.0), {}), ("uniform", (-1.0, 4.0), {"floc": -1.5}), ("uniform", (-1.0, 4.0), {"fscale": 5.0}),
    ("laplace", (1.0, 2.0), {}), ("laplace", (1.0, 2.0), {"floc": 0.5}), ("laplace", (1.0, 2.0), {"fscale": 1.0}),
    ("lognorm", (0.6, 0.0, 2.0), {"floc": 0.0}), ("lognorm", (0.6, 0.0, 2.0), {"floc": 0.0, "fscale": 1.5}), ("lognorm", (0.6, 0.0, 2.0), {"floc": 0.0, "f0": 0.5}), ("lognorm", (0.4, 1.0, 2.0), {}),
    ("gamma", (2.5, 0.0, 1.5), {"floc": 0.0}), ("gamma", (2.5, 0.0, 1.5), {"floc": 0.0, "fscale": 1.0}), ("gamma", (2.5, 0.0, 1.5), {"floc": 0.0, "f0": 2.0}), ("gamma", (4.0, 1.0, 1.5), {}),
    ("beta", (2.0, 3.0, 0.0, 1.0), {"floc": 0.0, "fscale": 1.0}), ("beta", (2.0, 3.0, 0.0, 1.0), {"floc": 0.0, "fscale": 1.0, "f0": 1.5}), ("beta", (3.0, 4.0, 1.0, 2.0), {}),
    ("weibull_min", (1.8, 0.0, 2.0), {"floc": 0.0}), ("weibull_min", (3.0, 1.0, 2.0), {}),
    ("t", (3.0, 1.0, 2.0), {}), ("t", (3.0, 1.0, 2.0), {"f0": 4.0}), ("logistic", (1.0, 2.0), {}), ("cauchy", (1.0, 2.0), {}),
    ("gumbel_r", (1.0, 2.0), {}), ("gumbel_r", (1.0, 2.0), {"fscale": 1.5}), ("gumbel_l", (1.0, 2.0), {}), ("gumbel_l", (1.0, 2.0), {"floc": 0.5}),
    ("pareto", (3.0, 0.0, 2.0), {"floc": 0.0}), ("pareto", (3.0, 0.0, 2.0), {}), ("pareto", (3.0, 0.0, 2.0), {"floc": 0.0, "f0": 2.0}),
    ("rayleigh", (0.0, 2.0), {"floc": 0.0}), ("rayleigh", (1.0, 2.0), {}), ("halfnorm", (1.0, 2.0), {}), ("invgauss", (0.8, 0.0, 2.0), {"floc": 0.0}),
    ("invgamma", (3.0, 0.0, 2.0), {"floc": 0.0}), ("maxwell", (0.0, 2.0), {"floc": 0.0}), ("chi2", (5.0, 0.0, 1.0), {"floc": 0.0, "fscale": 1.0}), ("vonmises", (2.0, 0.5, 1.0), {"fscale": 1.0}),
]


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(31)
    print("// Made by conformance/oracle/fitted.py.\n#[rustfmt::skip]")
    print('#[allow(clippy::approx_constant, reason = "samples are no constants")]')
    print("const CASES: &[Case] = &[")
    for name, parameters, options in CASES:
        family = getattr(scipy.stats, name)
        data = np.round(family.ppf(rng.random(60), *parameters), 3)
        found = [float(value) for value in family.fit(data, **options)]
        log_likelihood = float(np.sum(family.logpdf(data, *found)))
        fixed = [options.get(key) for key in [*(f"f{n}" for n in range(len(parameters) - 2)), "floc", "fscale"]]
        fixed = ", ".join("NAN" if value is None else repr(value) for value in fixed)
        print(f'    Case {{ family: "{name}", fixed: &[{fixed}], scipy: &{found}, log_likelihood: {log_likelihood!r}, data: &{[float(x) for x in data]} }},')
    print("];")


if __name__ == "__main__":
    main()
