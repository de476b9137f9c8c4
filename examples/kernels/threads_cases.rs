//! What runs the kernels of threads and blocks.

use ndany::Result;
use ndany::kernel::Init;
use ndany::prelude::*;

use crate::Case;
use crate::threads::*;

/// The kernels.
pub const CASES: [(&str, &str, Case); 10] = [
    ("saxpy", "#[kernel]", scaled_sum),
    ("tiled matmul", "#[kernel]", product),
    ("n-body", "#[kernel]", bodies),
    ("histogram in shared memory", "#[kernel]", counts),
    ("block sums by exchanges", "#[kernel]", sums),
    ("prefix sums", "#[kernel]", prefixes),
    ("bitonic sort", "#[kernel]", sorted),
    ("sparse product, row a warp", "#[kernel]", sparse),
    ("Mandelbrot", "#[kernel]", fractal),
    ("search with early returns", "#[kernel]", searches),
];

/// Integers that look random, from 0 on.
fn numbers(count: usize, below: u32) -> Array {
    let mix = |k: u32| (k.wrapping_mul(0x9E37_79B1) >> 7) % below;
    Array::from_vec((0..count as u32).map(mix).collect(), count)
}

fn scaled_sum(device: &Device) -> Result<Vec<Array>> {
    let (x, mut y) = (numbers(3000, 999).astype(F32) / 7, numbers(3000, 99).astype(F32));
    saxpy::<f32>().launch(device, 4, 128, (0.3f32, &x, &mut y))?;
    Ok(vec![y])
}

fn product(device: &Device) -> Result<Vec<Array>> {
    let a = numbers(33 * 47, 1000).astype(F32).reshape((33, 47)) / 7;
    let b = numbers(47 * 21, 1000).astype(F32).reshape((47, 21)) / 9;
    matmul::<f32, 8>().launch(device, (3, 5), (8, 8), (&a, &b, ([33, 21], Init::Poison)))
}

fn bodies(device: &Device) -> Result<Vec<Array>> {
    let bodies = numbers(400, 1000).reshape((100, 4)).astype(F32) / 100 + 0.25;
    forces::<32>().launch(device, 4, 32, (0.01f32, &bodies, ([100, 3], Init::Poison)))
}

fn counts(device: &Device) -> Result<Vec<Array>> {
    let (x, mut counts) = (numbers(5000, BINS), zeros(BINS as usize, U32));
    histogram().launch(device, 3, 64, (&x, &mut counts))?;
    let expected = x.astype(I64).bincount(..);
    assert!(counts.astype(I64).array_equal(expected)?, "a histogram is what bincount counts");
    Ok(vec![counts])
}

fn sums(device: &Device) -> Result<Vec<Array>> {
    let x = numbers(500, 3000).astype(I32) - 1500;
    block_sums::<i32>().launch(device, 4, 128, (&x, ([4], Init::Poison)))
}

fn prefixes(device: &Device) -> Result<Vec<Array>> {
    let x = numbers(512, 3000).astype(F32) / 7;
    prefix_sums::<f32>().launch(device, 4, 128, (&x, ([512], Init::Poison)))
}

fn sorted(device: &Device) -> Result<Vec<Array>> {
    let mut x = numbers(512, 3000).astype(F32);
    bitonic_sort::<f32, 128>().launch(device, 4, 128, (&mut x,))?;
    Ok(vec![x])
}

fn sparse(device: &Device) -> Result<Vec<Array>> {
    let lengths = numbers(40, 130).to_vec::<u32>()?;
    let mut starts = vec![0];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length);
    }
    let count = starts[40] as usize;
    let (columns, starts) = (numbers(count, 64), Array::from_vec(starts, 41));
    // Sums of whole numbers do not depend on the number of lanes.
    let (values, x) = (numbers(count, 9).astype(F32) - 4, arange(64).astype(F32));
    let arguments = (&starts, &columns, &values, &x, ([40], Init::Poison));
    sparse_product::<f32>().launch(device, 20, 128, arguments)
}

fn fractal(device: &Device) -> Result<Vec<Array>> {
    let re = numbers(600, 1000).astype(F32) / 400 - 2;
    let im = numbers(600, 777).astype(F32) / 400 - 1;
    mandelbrot::<f32>().launch(device, 10, 64, (200u32, &re, &im, ([600], Init::Poison)))
}

fn searches(device: &Device) -> Result<Vec<Array>> {
    let k = arange(100).astype(I32);
    let (sorted, wanted) = (&k * &k / 9 - 50, numbers(300, 1200).astype(I32) - 80);
    let sorted = sorted.floor().astype(I32);
    search_all().launch(device, 5, 64, (&sorted, &wanted, ([300, 2], Init::Poison)))
}
