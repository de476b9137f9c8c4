//! Functions and what the attributes make of them, as files. `NDANY_GOLDEN=write` writes them.

use std::path::Path;

use super::expanded;

const CASES: &[(&str, &str)] = &[
    ("saxpy", "#[kernel] fn saxpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
        let i = global_x();
        if i < y.len() { y[i] = a * x[i] + y[i]; }
    }"),
    ("matmul", "#[kernel] pub fn matmul<T: Real, const TILE: u32>(a: &Matrix<T>, b: &Matrix<T>, c: &mut Matrix<T>) {
        let (x, y) = (shared::<T>(TILE * TILE), shared::<T>(TILE * TILE));
        let (i, j, r, s) = (global_y(), global_x(), thread_y(), thread_x());
        let mut sum = T::zero();
        for t in 0..ceil_div(a.columns(), TILE) {
            let (u, v) = (t * TILE + s, t * TILE + r);
            x[r * TILE + s] = if i < a.rows() && u < a.columns() { a[(i, u)] } else { 0 };
            y[r * TILE + s] = if v < b.rows() && j < b.columns() { b[[v, j]] } else { 0 };
            barrier();
            for k in 0..TILE { sum += x[r * TILE + k] * y[k * TILE + s]; }
            barrier();
        }
        if i < c.rows() && j < c.columns() { c[(i, j)] = sum; }
    }"),
    ("variables", "#[kernel] fn variables(mut n: u32, y: &mut [u32]) {
        let (mut a, b) = (n + 1, 2);
        let mut c: u32 = 7;
        let (d, mut e) = halves(&y, n);
        let n = n * b;
        { let a = 3u32; y[0] = a + n; }
        a += b;
        c <<= { a += 1; a };
        (a, c) = (c, a);
        y[a] += c;
        y[next(&mut y)] = e;
        y[d] = a;
    }"),
    ("known", "#[kernel(unordered)] fn known<const N: u32>(#[comptime] scale: f32, #[comptime] wide: bool, y: &mut [f32]) {
        const STEP: u32 = 2;
        let n = 4;
        let half: u32 = N / 2;
        let part = if N > 8 { 8 } else { N };
        #[comptime] let table = [1.0f32, 2.0];
        let factor = 1.0 / 3.0;
        let i = thread_x() * n + half;
        if wide { y[i] = scale * factor; } else { y[i + part * STEP] = 2.0f32; }
        y[i + 1] = if N == 4 { y[i] } else { 0.5 };
        y[n + 1] = f32::MAX.min(scale);
        y[0] = scale.max(y[0]);
        y[1] = -1.0;
    }"),
    ("loops", "#[kernel] fn loops(x: &Tensor<f32, 3>, y: &mut [u32]) {
        let mut n = 0u32;
        while n < 100 && x[(n, 0, 0)] > 0.0 { n += 1; }
        loop { n -= 1; if n == 3 || n == 5 { break; } else if n == 4 { continue; } }
        for i in 0..16 { y[i] = n; }
        for i in (n..y.len()).step_by(grid_size()) { if y[i] == 0 { break; } }
        for mut d in -1..2 { d += 1; y[d as u32] = 0; }
        for _ in 0u64..4 { y[!n ^ 1] = -(n as i32) as u32; }
        if n == 0 { return; }
        barrier();
    }"),
    ("choice", "#[kernel] fn choice(y: &mut [u32]) {
        let i = thread_x();
        y[i] = match i % 4 { 0 => 10u32, 1 | 2 => { let j = i + 1; j } _ => i };
    }"),
    ("device", "#[device] pub fn norm<T: Float>(x: &[T], mut first: u32, #[comptime] n: u32, y: &mut Matrix<T>) -> T where T: Copy {
        first += n;
        (x[first] * x[first]).sqrt().max(0.0)
    }"),
    ("returns", "#[device] fn search(x: &[i32], wanted: i32) -> (u32, bool) {
        let mut low = 0u32;
        while low < x.len() {
            if x[low] == wanted { return (low, true); }
            low += 1;
        }
        (0, false)
    }"),
    ("branch_that_leaves", "#[device] fn sign(x: f32) -> f32 {
        let y = if x < 0.0 { return -1.0; } else { x };
        if y > 0.0 { return 1.0; } else { return 0.0; }
    }"),
    ("hygiene", "#[kernel] fn hygiene(k: f32, kernel: u32, value: u32, r#type: &mut [f32]) {
        r#type[{ let v = kernel; v }] = k;
        r#type[kernel + value] += k;
    }"),
];

#[test]
fn functions_become_what_the_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/golden");
    let mut wrong = Vec::new();
    for (name, source) in CASES {
        let tokens = expanded(source);
        let file: syn::File =
            syn::parse2(tokens.clone()).unwrap_or_else(|error| panic!("{name}: {error}: {tokens}"));
        let text = prettyplease::unparse(&file).replace("::ndany::kernel::simt::recording::", "");
        assert!(!text.contains("compile_error"), "{name}: {text}");
        let path = folder.join(format!("{name}.txt"));
        if std::env::var("NDANY_GOLDEN").is_ok_and(|how| how == "write") {
            std::fs::write(&path, &text).expect("a file");
        }
        // Line ends are those of the system where the file was checked out.
        let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if text != expected {
            wrong.push(format!("{name}: expected\n{expected}\ngot\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
