"""Clusters of points by k-means: python kmeans.py [DEVICE]."""

import sys

import ndany as np


def kmeans(points, count, steps, seed=0):
    """The centers of clusters, and the cluster of each point."""
    generator = np.random.default_rng(seed)
    centers = points[generator.choice(points.shape[0], count, replace=False)]
    for _ in range(steps):
        distances = ((points[:, None] - centers) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        chosen = nearest[:, None] == np.arange(count)
        sums = chosen.astype(points.dtype).T @ points
        centers = sums / np.maximum(chosen.sum(axis=0), 1)[:, None]
    return centers, nearest


def main():
    with np.cuda.Device(sys.argv[1] if len(sys.argv) > 1 else None) as device:
        generator = np.random.default_rng(1)
        means = np.asarray([[0.0, 0.0], [5.0, 5.0], [0.0, 5.0]])
        points = means[generator.integers(0, 3, 30_000)] + 0.5 * generator.standard_normal((30_000, 2))
        centers, nearest = kmeans(points, 3, 10, seed=0)
        print(f"on {device}")
        print("centers:", np.round(centers, 1).tolist())
        print("sizes:", np.bincount(nearest, minlength=3).tolist())


main()
