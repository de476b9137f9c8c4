"""Norms of many vectors on several streams, reduced on one of them, with the names of CuPy: python streams.py [DEVICE].

Each stream's work is independent until the last sum, which waits for the others by events. On the CPU streams change nothing.
"""

import sys

import ndany.cupy as cp
from ndany.cupyx.profiler import time_range


def parts(vectors, streams):
    """The square norm of each vector, on the streams in turn, and an event after each."""
    squares, events = [], []
    for number, vector in enumerate(vectors):
        stream = streams[number % len(streams)]
        with stream, time_range(f"part {number}"):
            y = cp.sin(vector) ** 2 + cp.cos(vector) ** 2
            squares.append((y * vector) @ vector)
            squares[-1]._eval()
            events.append(stream.record())
    return squares, events


def main():
    with cp.cuda.Device(sys.argv[1] if len(sys.argv) > 1 else None) as device:
        generator = cp.random.default_rng(2)
        vectors = [generator.standard_normal(200_000) for _ in range(8)]
        streams = [cp.cuda.Stream(non_blocking=True) for _ in range(4)]
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        squares, events = parts(vectors, streams)
        last = streams[0]
        for event in events:
            last.wait_event(event)
        with last:
            total = cp.sqrt(cp.stack(squares).sum())
            stop.record()
        stop.synchronize()
        expected = sum(float(vector @ vector) for vector in vectors) ** 0.5
        print(f"on {device}: {len(vectors)} parts on {len(streams)} streams in {cp.cuda.get_elapsed_time(start, stop):.1f} ms")
        print(f"norm {float(total):.3f}, largest difference {abs(float(total) - expected):.1e}")


main()
