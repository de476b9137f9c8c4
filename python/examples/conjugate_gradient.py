"""A linear system by conjugate gradients: python conjugate_gradient.py [DEVICE]. Nothing but the stopping test waits for the device."""

import sys

import ndany as np


def solve(a, b, tolerance=1e-10, steps=1000):
    """The solution of `a @ x = b` for a symmetric positive matrix, and the number of steps."""
    x, residual = np.zeros_like(b), b.copy()
    direction, square = residual, residual @ residual
    for step in range(1, steps + 1):
        image = a @ direction
        length = square / (direction @ image)
        x += length * direction
        residual = residual - length * image
        following = residual @ residual
        if step % 10 == 0 and float(following) < tolerance**2:
            break
        direction = residual + following / square * direction
        square = following
    return x, step


def main():
    with np.cuda.Device(sys.argv[1] if len(sys.argv) > 1 else None) as device:
        generator = np.random.default_rng(3)
        size = 500
        half = generator.standard_normal((size, size))
        a, expected = half @ half.T / size + np.eye(size), generator.random(size)
        x, steps = solve(a, a @ expected)
        print(f"on {device}: {steps} steps, largest difference {float(np.abs(x - expected).max()):.1e}")


main()
