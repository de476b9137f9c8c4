# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

bernoulli: Any
beta: Any
betabinom: Any
binom: Any
boltzmann: Any
cauchy: Any
chi: Any
chi2: Any
dgamma: Any
dlaplace: Any
expon: Any
exponnorm: Any
f: Any
gamma: Any
gennorm: Any
geom: Any
gumbel_l: Any
gumbel_r: Any
halfcauchy: Any
halfnorm: Any
hypergeom: Any
invgamma: Any
invgauss: Any
laplace: Any
levy: Any
logistic: Any
lognorm: Any
logser: Any
loguniform: Any
maxwell: Any
nbinom: Any
norm: Any
pareto: Any
planck: Any
poisson: Any
randint: Any
rayleigh: Any
skewnorm: Any
t: Any
triang: Any
truncnorm: Any
uniform: Any
vonmises: Any
weibull_min: Any
zipf: Any
