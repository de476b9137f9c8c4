"""A mixture of normal distributions by expectation and maximization, with the names of CuPy: python gmm.py [DEVICE]."""

import sys

import ndany.cupy as cp


@cp.fuse(kernel_name="log_normal")
def log_normal(x, mean, deviation):
    """The logarithm of a normal distribution's density."""
    distance = (x - mean) / deviation
    return -0.5 * distance * distance - cp.log(deviation) - 0.9189385332046727


def expected(points, means, deviations, weights):
    """How likely each point (a row) is of each component (a column), and the mean logarithm of the likelihood."""
    logs = log_normal(points[:, None], means, deviations).sum(axis=2) + cp.log(weights)
    highest = logs.max(axis=1, keepdims=True)
    parts = cp.exp(logs - highest)
    total = parts.sum(axis=1, keepdims=True)
    return parts / total, (cp.log(total) + highest).mean()


def maximized(points, shares):
    """Means, deviations along each axis and weights of the components that make the points most likely."""
    counts = shares.sum(axis=0)
    means = shares.T @ points / counts[:, None]
    squares = shares.T @ (points * points) / counts[:, None]
    return means, cp.sqrt(cp.maximum(squares - means * means, 1e-12)), counts / points.shape[0]


def fit(points, count, steps=200, tolerance=1e-7):
    """The components, and the number of steps until the likelihood stays."""
    order = cp.argsort(points[:, 0])
    means = points[order[cp.linspace(0, points.shape[0] - 1, count + 2).astype(int)[1:-1]]]
    deviations, weights = cp.ones_like(means) * points.std(), cp.full(count, 1 / count)
    before = -float("inf")
    for step in range(1, steps + 1):
        shares, likelihood = expected(points, means, deviations, weights)
        means, deviations, weights = maximized(points, shares)
        # One number a step comes to the host.
        if float(likelihood) - before < tolerance:
            break
        before = float(likelihood)
    return means, deviations, weights, step


def main():
    with cp.cuda.Device(sys.argv[1] if len(sys.argv) > 1 else None) as device:
        generator = cp.random.default_rng(5)
        size = 20_000
        centers, spreads = cp.asarray([[-3.0, 0.0], [0.0, 2.0], [4.0, -1.0]]), cp.asarray([[0.5, 1.0], [1.0, 0.5], [0.8, 0.8]])
        labels = generator.integers(0, 3, size)
        points = centers[labels] + spreads[labels] * generator.standard_normal((size, 2))
        means, deviations, weights, steps = fit(points, 3)
        shares, _ = expected(points, means, deviations, weights)
        order = cp.argsort(means[:, 0])
        found = cp.argsort(order)[shares.argmax(axis=1)]
        print(f"on {device}: {steps} steps, {float((found == labels).mean()):.1%} of the labels found")
        for mean, deviation, weight in zip(means[order].tolist(), deviations[order].tolist(), weights[order].tolist()):
            shown = [", ".join(f"{one:.1f}" for one in pair) for pair in (mean, deviation)]
            print(f"mean {shown[0]}; deviation {shown[1]}; weight {weight:.2f}")


main()
