//! The game of life on a torus.
//!
//! ```python
//! n = sum(np.roll(b, (i, j), (0, 1)).astype(int) for i, j in neighbours)
//! b = (n == 3) | (b & (n == 2))
//! ```
//!
//! The size is the number of cells on one side.
use ndany::prelude::*;

fn step(b: &Array) -> Array {
    let cells = b.astype(I64);
    let mut n = cells.zeros_like();
    for i in -1..=1 {
        for j in -1..=1 {
            if (i, j) != (0, 0) {
                n += cells.roll((i, j), (0, 1));
            }
        }
    }
    n.equal(3) | (b & n.equal(2))
}

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let side = size.unwrap_or(32);
    let glider = Array::from([[false, true, false], [false, false, true], [true, true, true]]);

    let mut start = zeros((side, side), Bool);
    start.set(s![1..4, 1..4], &glider);

    let mut b = start.copy();
    for _ in 0..4 * 10 {
        b = step(&b);
    }

    // A glider moves by one row and one column in four steps.
    let shifted = start.roll((10, 10), (0, 1));
    assert!(b.array_equal(&shifted)?);
    assert_eq!(b.sum(..).item::<i64>()?, 5);
    Ok(())
}
