//! Raw kernels, each with the same in plain Rust beside it. All results are exact: the operations are rounded one by one, in one
//! order.

use ndany::kernel::{Init, RawKernel, RawLayout, RawModule, Structure};
use ndany::prelude::*;
use ndany::{Error, Result};

/// A kernel: whether its result is that of plain Rust.
pub type Case = fn(&Device) -> Result<bool>;

/// All kernels by their names.
pub const CASES: [(&str, Case); 13] = [
    ("saxpy", saxpy),
    ("tiled matmul", matmul),
    ("FDTD step on a 3-D grid", fdtd),
    ("module constant", constant),
    ("template over dtypes", template),
    ("16-bit floats", narrow),
    ("struct argument", structure),
    ("100 kB of shared memory", shared),
    ("grid barrier", barrier),
    ("3-D grid indices", indices),
    ("strided views", strided),
    ("checks", checks),
    ("values and handles", values),
];

/// Numbers that differ and are exact in sums of a few.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|k| (k * 37 % 101) as f32 / 8.0 - 6.0).collect()
}

fn saxpy(device: &Device) -> Result<bool> {
    let text = "for (u64 i = global_x(); i < y.size; i += grid_size()) y[i] = a * x[i] + y[i];";
    let kernel = RawKernel::new("saxpy", text).scalar("a", F32).input("x", F32).inout("y", F32);
    let (host, a) = (numbers(100_003), 1.1f32);
    let x = Array::try_from_slice(&host, host.len())?;
    // Pending until the launch.
    let mut y = &x * 0.3f32;
    // SAFETY: the loop ends at the size of both.
    unsafe { kernel.launch(device, 40, 256, (a, &x, &mut y))? };
    let expected: Vec<f32> = host.iter().map(|x| a * x + x * 0.3f32).collect();
    let right = y.to_vec::<f32>()? == expected;
    // With contraction a product and a sum may be rounded once.
    let mut z = &x * 0.3f32;
    // SAFETY: as above.
    unsafe { kernel.contract().launch(device, 40, 256, (a, &x, &mut z))? };
    let once = host.iter().map(|x| a.mul_add(*x, x * 0.3f32));
    let either = |((z, twice), once): ((f32, &f32), f32)| z == *twice || z == once;
    Ok(right && z.to_vec::<f32>()?.into_iter().zip(&expected).zip(once).all(either))
}

fn matmul(device: &Device) -> Result<bool> {
    let text = "
        SHARED T tile_a[TILE][TILE];
        SHARED T tile_b[TILE][TILE];
        const u64 row = global_y(), column = global_x(), inner = a.extent(1);
        T sum = 0;
        for (u64 first = 0; first < inner; first += TILE) {
            const u64 i = first + thread_x(), j = first + thread_y();
            tile_a[thread_y()][thread_x()] = row < a.extent(0) && i < inner ? a(row, i) : (T)0;
            tile_b[thread_y()][thread_x()] = j < inner && column < b.extent(1) ? b(j, column) : (T)0;
            barrier();
            for (int k = 0; k < TILE; k++) sum += tile_a[thread_y()][k] * tile_b[k][thread_x()];
            barrier();
        }
        if (row < c.extent(0) && column < c.extent(1)) c(row, column) = sum;";
    let kernel = RawKernel::new("matmul", text)
        .input("a", ("T", 2))
        .input("b", ("T", 2))
        .output("c", ("T", 2))
        .define("TILE", 16);
    let [m, k, n] = [70, 50, 33];
    let (left, right) = (numbers(m * k), numbers(k * n));
    let a = Array::try_from_slice(&left, (m, k))?;
    let b = Array::try_from_slice(&right, (k, n))?;
    let grid = ((n as u32).div_ceil(16), (m as u32).div_ceil(16));
    let output = ([m, n], Init::Poison);
    // SAFETY: every index is compared with the extents.
    let made = unsafe { kernel.launch(device, grid, (16, 16), (&a, &b, output))? };
    let mut expected = vec![0f32; m * n];
    for (at, sum) in expected.iter_mut().enumerate() {
        let (row, column) = (at / n, at % n);
        *sum = (0..k).fold(0.0, |sum, i| sum + left[row * k + i] * right[i * n + column]);
    }
    Ok(made[0].to_vec::<f32>()? == expected)
}

/// A step of Maxwell's equations (Yee 1966): the electric field along x from the magnetic one.
fn fdtd(device: &Device) -> Result<bool> {
    let text = "
        const u64 i = global_z(), j = global_y(), k = global_x();
        if (i < ex.extent(0) && j > 0 && j < ex.extent(1) && k > 0 && k < ex.extent(2))
            ex(i, j, k) += c * ((hz(i, j, k) - hz(i, j - 1, k)) - (hy(i, j, k) - hy(i, j, k - 1)));";
    let mut kernel = RawKernel::new("fdtd", text).scalar("c", F64);
    for name in ["hy", "hz"] {
        kernel = kernel.input(name, (F64, 3));
    }
    let kernel = kernel.inout("ex", (F64, 3));
    let [depth, height, width] = [13, 17, 19];
    let size = depth * height * width;
    let field = |shift: usize| -> Vec<f64> {
        (0..size).map(|at| ((at * 31 + shift) % 97) as f64 / 7.0).collect()
    };
    let (hy, hz, mut expected) = (field(1), field(2), field(3));
    let array = |values: &[f64]| Array::try_from_slice(values, (depth, height, width));
    let (hy_array, hz_array, mut ex) = (array(&hy)?, array(&hz)?, array(&expected)?);
    let block = (8, 4, 4);
    let grid =
        ((width as u32).div_ceil(8), (height as u32).div_ceil(4), (depth as u32).div_ceil(4));
    // SAFETY: every index is compared with the extents.
    unsafe { kernel.launch(device, grid, block, (0.5f64, &hy_array, &hz_array, &mut ex))? };
    let at = |i: usize, j: usize, k: usize| (i * height + j) * width + k;
    for i in 0..depth {
        for j in 1..height {
            for k in 1..width {
                let (z, y) =
                    (hz[at(i, j, k)] - hz[at(i, j - 1, k)], hy[at(i, j, k)] - hy[at(i, j, k - 1)]);
                expected[at(i, j, k)] += 0.5 * (z - y);
            }
        }
    }
    Ok(ex.to_vec::<f64>()? == expected)
}

fn constant(device: &Device) -> Result<bool> {
    let text = r#"
        __constant__ float coef[3];
        __device__ int launches = 0;
        extern "C" __global__ void polynomial(const float* x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = (coef[2] * x[i] + coef[1]) * x[i] + coef[0];
            if (i == 0) launches += 1;
        }
        template <typename T, int N> __global__ void add(T* x) { x[threadIdx.x] += N; }"#;
    let module = RawModule::source("polynomials", text)
        .name_expression("add<float, 3>")
        .name_expression("add<double, 4>");
    let polynomial = module.kernel("polynomial").input("x", F32).output("y", F32).scalar("n", I32);
    let host = numbers(1000);
    let x = Array::try_from_slice(&host, 1000)?;
    let mut right = true;
    // Equal modules are one, whose variables stay.
    module.write(device, "launches", &[0i32])?;
    for coef in [[1.0f32, 2.0, 3.0], [0.5, -1.0, 0.25]] {
        module.write(device, "coef", &coef)?;
        right &= module.read::<f32>(device, "coef")? == coef;
        let arguments = (&x, ([1000], Init::Poison), 1000i32);
        // SAFETY: the kernel stays below n.
        let made = unsafe { polynomial.launch(device, 8, 128, arguments)? };
        let [c, b, a] = coef;
        let expected: Vec<f32> = host.iter().map(|x| (a * x + b) * x + c).collect();
        right &= made[0].to_vec::<f32>()? == expected;
    }
    right &= module.read::<i32>(device, "launches")? == [2];
    let (mut singles, mut doubles) = (zeros(32, F32), zeros(32, F64));
    let add = [
        module.kernel("add<float, 3>").inout("x", F32),
        module.kernel("add<double, 4>").inout("x", F64),
    ];
    // SAFETY: as many threads as elements.
    unsafe {
        add[0].launch(device, 1, 32, (&mut singles,))?;
        add[1].launch(device, 1, 32, (&mut doubles,))?;
    }
    Ok(right && singles.to_vec::<f32>()? == [3.0; 32] && doubles.to_vec::<f64>()? == [4.0; 32])
}

fn template(device: &Device) -> Result<bool> {
    let text = "for (u64 i = global_x(); i < x.size; i += grid_size()) z[i] = a * x[i] + (T)SHIFT;";
    let kernel = RawKernel::new("shifted", text)
        .scalar("a", "T")
        .input("x", "T")
        .output("z", "T")
        .define("SHIFT", 5);
    let mut right = true;
    macro_rules! of {
        ($($ty:ty),+) => {$({
            let host: Vec<$ty> = (0..50u8).map(<$ty>::from).collect();
            let x = Array::try_from_slice(&host, 50)?;
            // SAFETY: the loop ends at the size of both.
            let made = unsafe { kernel.launch(device, 1, 64, (2 as $ty, &x, ([50], Init::Uninit)))? };
            let expected: Vec<$ty> = host.iter().map(|x| 2 as $ty * x + 5 as $ty).collect();
            right &= made[0].to_vec::<$ty>()? == expected;
        })+};
    }
    of!(f32, f64, u8, i16, u16, i32, u32, i64, u64);
    // A type that no argument tells is bound in front.
    let count = RawKernel::new("count", "z[global_x()] = (T)global_x();").output("z", "T");
    let count = count.define("T", F64);
    // SAFETY: as many threads as elements.
    let made = unsafe { count.launch(device, 1, 3, (([3], Init::Zeros),))? };
    Ok(right && made[0].to_vec::<f64>()? == [0.0, 1.0, 2.0])
}

fn narrow(device: &Device) -> Result<bool> {
    let text = "z[global_x()] = x[global_x()] * 3.0f + 1.0f;";
    let kernel = RawKernel::new("narrow", text).input("x", "T").output("z", "T");
    let mut right = true;
    for dtype in [F16, BF16] {
        let x = Array::try_from_slice(&numbers(256), 256)?.astype(dtype);
        // SAFETY: as many threads as elements.
        let made = unsafe { kernel.launch(device, 2, 128, (&x, ([256], Init::Uninit)))? };
        let expected = (x.astype(F32) * 3.0f32 + 1.0f32).astype(dtype);
        right &= made[0].to_bytes()? == expected.to_bytes()?;
    }
    Ok(right)
}

fn structure(device: &Device) -> Result<bool> {
    let kernel =
        RawKernel::new("affine", "x[global_x()] = by.a * x[global_x()] + by.b[global_x() % 3];")
            .preamble("struct Affine { f64 a; f64 b[3]; };")
            .structure::<[f64; 4]>("by", "Affine")
            .inout("x", F64);
    let mut x = arange(64.0);
    // SAFETY: as many threads as elements.
    unsafe { kernel.launch(device, 2, 32, (Structure(&[2.0, 10.0, 20.0, 30.0]), &mut x))? };
    let expected: Vec<f64> = (0..64).map(|k| 2.0 * k as f64 + [10.0, 20.0, 30.0][k % 3]).collect();
    Ok(x.to_vec::<f64>()? == expected)
}

/// Elements of 100 kB.
const STAGED: usize = 25_000;

fn shared(device: &Device) -> Result<bool> {
    let text = "
        f32* all = shared_memory<f32>();
        const u64 first = (u64)block_x() * COUNT;
        for (u32 i = thread_x(); i < COUNT; i += block_size_x()) all[i] = x[first + i];
        barrier();
        for (u32 i = thread_x(); i < COUNT; i += block_size_x()) z[first + i] = all[COUNT - 1 - i];";
    let kernel = RawKernel::new("reversed", text)
        .input("x", F32)
        .output("z", F32)
        .define("COUNT", STAGED as i64)
        .shared(4 * STAGED);
    let host = numbers(2 * STAGED);
    let x = Array::try_from_slice(&host, host.len())?;
    // SAFETY: two blocks of COUNT elements each.
    let made = unsafe { kernel.launch(device, 2, 256, (&x, ([2 * STAGED], Init::Poison)))? };
    let expected: Vec<f32> =
        host.chunks(STAGED).flat_map(|part| part.iter().rev().copied()).collect();
    Ok(made[0].to_vec::<f32>()? == expected)
}

fn barrier(device: &Device) -> Result<bool> {
    let text = "
        for (int step = 0; step < STEPS; step++) {
            f32* from = step % 2 == 0 ? u.data : v.data;
            f32* to = step % 2 == 0 ? v.data : u.data;
            for (u64 i = global_x(); i < u.size; i += grid_size()) {
                const f32 left = from[i == 0 ? u.size - 1 : i - 1], right = from[i + 1 == u.size ? 0 : i + 1];
                to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
            }
            grid_barrier();
        }";
    let kernel = RawKernel::new("diffusion", text)
        .inout("u", F32)
        .inout("v", F32)
        .define("STEPS", 20)
        .cooperative();
    let mut expected = numbers(2000);
    let mut u = Array::try_from_slice(&expected, 2000)?;
    let mut v = zeros(2000, F32);
    // SAFETY: the loop ends at the size of both, and the barrier keeps the steps apart.
    unsafe { kernel.launch(device, 8, 64, (&mut u, &mut v))? };
    for _ in 0..20 {
        let from = expected.clone();
        for (i, to) in expected.iter_mut().enumerate() {
            let (left, right) = (from[(i + 1999) % 2000], from[(i + 1) % 2000]);
            *to = 0.25 * left + 0.5 * from[i] + 0.25 * right;
        }
    }
    let right = u.to_vec::<f32>()? == expected;
    // More blocks than run at the same time are an error, not a hang.
    // SAFETY: it is refused.
    let refused = unsafe { kernel.launch(device, 1 << 20, 64, (&mut u, &mut v)) };
    let said = refused.err().map(|error| error.to_string()).unwrap_or_default();
    Ok(right && said.contains("a cooperative grid of 1048576 blocks: expected at most"))
}

fn indices(device: &Device) -> Result<bool> {
    let text = "
        z(global_z(), global_y(), global_x()) =
            (i64)(((block_z() * 100 + block_y()) * 100 + block_x()) * 1000
                + (thread_z() * block_size_y() + thread_y()) * block_size_x() + thread_x());
        if (grid_x() != 3 || grid_y() != 2 || grid_z() != 4 || block_size_z() != 2) z(0, 0, 0) = -1;";
    let kernel = RawKernel::new("indices", text).output("z", (I64, 3));
    let shape = [4 * 2, 2 * 3, 3 * 5];
    // SAFETY: as many threads as elements along each axis.
    let made = unsafe { kernel.launch(device, (3, 2, 4), (5, 3, 2), ((shape, Init::Zeros),))? };
    let mut expected = Vec::new();
    for z in 0..shape[0] {
        for y in 0..shape[1] {
            for x in 0..shape[2] {
                let block = (z / 2 * 100 + y / 3) * 100 + x / 5;
                expected.push((block * 1000 + (z % 2 * 3 + y % 3) * 5 + x % 5) as i64);
            }
        }
    }
    Ok(made[0].to_vec::<i64>()? == expected)
}

fn strided(device: &Device) -> Result<bool> {
    let text = "
        for (u64 i = global_x(); i < x.size; i += grid_size()) {
            const u64 row = i / x.extent(1), column = i % x.extent(1);
            y(row, column) = x[i] + x(row, column);
        }";
    let kernel = RawKernel::new("views", text);
    let [copied, passed] = [RawLayout::Contiguous, RawLayout::Strided]
        .map(|layout| kernel.clone().input("x", (F32, 2, layout)).inout("y", (F32, 2, layout)));
    let host = numbers(12 * 10);
    let all = Array::try_from_slice(&host, (12, 10))?;
    let view = all.i(s![..;-2, 1..]).t();
    let expected = (&view * 2.0f32).to_vec::<f32>()?;
    let mut right = true;
    for kernel in [copied, passed] {
        let mut y = zeros((6, 9), F32).t().copy();
        // SAFETY: the loop ends at the size of both.
        unsafe { kernel.launch(device, 1, 32, (&view, &mut y))? };
        right &= y.to_vec::<f32>()? == expected;
    }
    Ok(right && all.to_vec::<f32>()? == host)
}

fn checks(device: &Device) -> Result<bool> {
    let text = "if (global_x() < 20) y[global_x()] = x[global_x() + 1] + 1.0f;";
    let kernel = RawKernel::new("beyond", text).input("x", F32).inout("y", F32).with_checks();
    let (long, short) = (ones(21, F32), ones(20, F32));
    let (mut y, mut z) = (zeros(20, F32), zeros(20, F32));
    // SAFETY: an access beyond the end is caught.
    unsafe {
        kernel.launch(device, 1, 32, (&long, &mut y))?;
        kernel.launch(device, 1, 32, (&short, &mut z))?;
    }
    let caught = match z.to_vec::<f32>() {
        Err(error @ Error::Failed { op: "beyond", .. }) => {
            let text = error.to_string();
            text.contains("[beyond] refused: index 20 of x is out of bounds for 20")
                && text.contains("raw.rs")
        }
        Ok(_) | Err(_) => false,
    };
    // What is made of other arrays has no error.
    Ok(caught && y.to_vec::<f32>()? == [2.0; 20])
}

fn values(device: &Device) -> Result<bool> {
    let kernel = RawKernel::new("increment", "y[global_x()] += 1;").inout("y", I32);
    let mut y = zeros(64, I32);
    // Other handles, and what waits for the old values, keep them.
    let (other, pending) = (y.clone(), &y + 10);
    // SAFETY: as many threads as elements.
    unsafe {
        kernel.launch(device, 1, 64, (&mut y,))?;
        kernel.launch(device, 1, 64, (&mut y,))?;
    }
    let kept = other.to_vec::<i32>()? == [0; 64] && pending.to_vec::<i32>()? == [10; 64];
    // What is made of it now has the new ones.
    let after = (&y * 3 + y.sum(..).astype(I32)).to_vec::<i32>()? == [6 + 128; 64];
    let attributes = kernel.attributes(device, 64)?;
    let known = attributes.max_threads_per_block >= 64
        && attributes.registers > 0
        && attributes.blocks_per_multiprocessor > 0
        && attributes.multiprocessors > 0;
    let wrong = RawKernel::new("wrong", "int fine = 1;\nint x = undeclared;").inout("y", I32);
    // SAFETY: it does not compile.
    let refused = unsafe { wrong.launch(device, 1, 1, (&mut y,)) };
    let said = refused.err().map(|error| error.to_string()).unwrap_or_default();
    let lines = said.starts_with("[wrong] bad arguments: the text does not compile")
        && (said.contains("wrong(2)") || said.contains("wrong:2"))
        && said.contains("undeclared");
    Ok(kept && after && known && lines)
}
