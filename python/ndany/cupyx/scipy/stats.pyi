# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

from ndany.stats import bernoulli as bernoulli
from ndany.stats import beta as beta
from ndany.stats import betabinom as betabinom
from ndany.stats import binom as binom
from ndany.stats import boltzmann as boltzmann
from ndany.stats import cauchy as cauchy
from ndany.stats import chi as chi
from ndany.stats import chi2 as chi2
from ndany.stats import dgamma as dgamma
from ndany.stats import dlaplace as dlaplace
from ndany.stats import expon as expon
from ndany.stats import exponnorm as exponnorm
from ndany.stats import f as f
from ndany.stats import gamma as gamma
from ndany.stats import gennorm as gennorm
from ndany.stats import geom as geom
from ndany.stats import gumbel_l as gumbel_l
from ndany.stats import gumbel_r as gumbel_r
from ndany.stats import halfcauchy as halfcauchy
from ndany.stats import halfnorm as halfnorm
from ndany.stats import hypergeom as hypergeom
from ndany.stats import invgamma as invgamma
from ndany.stats import invgauss as invgauss
from ndany.stats import laplace as laplace
from ndany.stats import levy as levy
from ndany.stats import logistic as logistic
from ndany.stats import lognorm as lognorm
from ndany.stats import logser as logser
from ndany.stats import loguniform as loguniform
from ndany.stats import maxwell as maxwell
from ndany.stats import nbinom as nbinom
from ndany.stats import norm as norm
from ndany.stats import pareto as pareto
from ndany.stats import planck as planck
from ndany.stats import poisson as poisson
from ndany.stats import randint as randint
from ndany.stats import rayleigh as rayleigh
from ndany.stats import skewnorm as skewnorm
from ndany.stats import t as t
from ndany.stats import triang as triang
from ndany.stats import truncnorm as truncnorm
from ndany.stats import uniform as uniform
from ndany.stats import vonmises as vonmises
from ndany.stats import weibull_min as weibull_min
from ndany.stats import zipf as zipf
