"""The examples run, and print what they find."""

import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_example(name):
    done = subprocess.run([sys.executable, FOLDER / f"{name}.py", "cpu"], capture_output=True, text=True, check=True)
    said = done.stdout
    assert said.startswith("on cpu")
    if name == "kmeans":
        centers = re.findall(r"-?\d\.\d, -?\d\.\d", said)
        assert sorted(center.replace("-0", "0") for center in centers) == ["0.0, 0.0", "0.0, 5.0", "5.0, 5.0"]
    elif name == "options":
        exact, simulated = map(float, re.search(r"call: (\S+), simulated: (\S+)", said).groups())
        assert abs(exact - 6.0401) < 0.001 and abs(simulated - exact) < 0.05
    elif name == "gmm":
        found = float(re.search(r"([\d.]+)% of the labels", said).group(1))
        means = [tuple(map(float, pair)) for pair in re.findall(r"mean (\S+), (\S+);", said)]
        assert found > 95 and [tuple(round(one) + 0 for one in mean) for mean in means] == [(-3, 0), (0, 2), (4, -1)]
    else:
        assert float(said.split()[-1]) < 1e-9
