//! Functions that are refused, with their messages: line, column, text. The lines are those of the case. A new case stands here
//! with an empty list first; the test then shows what it should be.

/// A function with its attribute, and the messages in the order in which they are found.
pub const CASES: &[(&str, &[&str])] = &[
    (
        r##"#[kernel(fast)] fn f(y: &mut [f32]) {}"##,
        &["1:10 unknown option `fast`: expected `#[kernel]` or `#[kernel(unordered)]`"],
    ),
    (
        r##"#[kernel(unordered, fast)] fn f(y: &mut [f32]) {}"##,
        &["1:10 unknown option `unordered, fast`: expected `#[kernel]` or `#[kernel(unordered)]`"],
    ),
    (
        r##"#[device(unordered)] fn f(x: f32) -> f32 { x }"##,
        &["1:10 unknown option `unordered`: `#[device]` takes none"],
    ),
    (r##"#[kernel] struct S { a: u32 }"##, &["1:11 `#[kernel]` stands before a function"]),
    (
        r##"#[kernel] fn f(y: &mut [f32]) -> f32 { y[0] }"##,
        &["1:31 a kernel returns nothing: write results to a parameter `&mut [T]`"],
    ),
    (
        r##"#[kernel] async fn f(y: &mut [f32]) {}"##,
        &[
            "1:11 a kernel is no `async fn`: remove `async`; a launch returns before the kernel has run",
        ],
    ),
    (
        r##"#[kernel] const fn f(y: &mut [f32]) {}"##,
        &["1:11 a kernel is no `const fn`: remove `const`"],
    ),
    (
        r##"#[kernel] unsafe fn f(y: &mut [f32]) {}"##,
        &["1:11 a kernel is safe, since every access is checked: remove `unsafe`"],
    ),
    (
        r##"#[kernel] extern "C" fn f(y: &mut [f32]) {}"##,
        &["1:11 a kernel is no `extern` function: remove `extern`"],
    ),
    (
        r##"#[kernel] fn f(n: u32, ...) {}"##,
        &["1:24 a kernel has a fixed number of arguments: an array takes many values"],
    ),
    (
        r##"#[kernel] fn f<'a>(y: &'a mut [f32]) {}"##,
        &[
            "1:16 a kernel has no lifetimes: remove the parameter",
            "1:24 arrays of a kernel have no lifetimes: write `&[T]` or `&mut [T]`",
        ],
    ),
    (
        r##"#[kernel] fn f(&self, y: &mut [f32]) {}"##,
        &["1:17 a kernel is a function, not a method: give what it needs of `self` as arguments"],
    ),
    (
        r##"#[kernel] fn f((a, b): (u32, u32)) {}"##,
        &["1:16 a parameter is a name: take the parts by `let` in the body"],
    ),
    (
        r##"#[kernel] fn f(_: u32) {}"##,
        &["1:16 a parameter needs a name: errors of launches show it; write `_x`"],
    ),
    (
        r##"#[kernel] fn f(n: usize) {}"##,
        &[
            "1:19 a kernel has no values of the type `usize`: positions and sizes are `u32`, or `u64` in long arrays",
        ],
    ),
    (
        r##"#[kernel] fn f(x: Vec<f32>) {}"##,
        &[
            "1:19 a kernel has no values of the type `Vec`: expected a number (`f32`, `u32`, `bool`, `T` of the generics, …); arrays are `&[T]`, `&Matrix<T>`, `&Tensor<T, 3>`",
        ],
    ),
    (
        r##"#[kernel] fn f(x: [f32; 4], y: &[f32; 4]) {}"##,
        &[
            "1:19 an array is given by reference: `&[T]`, or `&mut [T]` to write it",
            "1:33 no array of a kernel: expected `[T]`, `Matrix<T>` or `Tensor<T, 3>` after `&`; a number is given by value, and returned by `#[device]` functions",
        ],
    ),
    (
        r##"#[kernel] fn f(x: &f32) {}"##,
        &[
            "1:20 no array of a kernel: expected `[T]`, `Matrix<T>` or `Tensor<T, 3>` after `&`; a number is given by value, and returned by `#[device]` functions",
        ],
    ),
    (
        r##"#[kernel] fn f(x: impl Real) {}"##,
        &[
            "1:19 `impl` is no type of a kernel's parameter: write a generic type, `fn f<T: Real>(x: T)`",
        ],
    ),
    (
        r##"#[kernel] fn f(x: Matrix<f32>) {}"##,
        &["1:19 an array is given by reference: `&Matrix<T>`, or `&mut Matrix<T>` to write it"],
    ),
    (
        r##"#[kernel] fn f(x: &Tensor<f32, 4>) {}"##,
        &["1:32 arrays of a kernel have 1, 2 or 3 axes"],
    ),
    (
        r##"#[kernel] fn f(mut x: &mut [f32]) {}"##,
        &["1:23 an array that is written is `x: &mut [T]`; the name itself does not change"],
    ),
    (
        r##"#[kernel] fn f(#[comptime] mut n: u32) {}"##,
        &[
            "1:28 a `#[comptime]` parameter does not change: write `let mut` in the body for a variable that starts with it",
        ],
    ),
    (
        r##"#[kernel] fn f(#[inline] n: u32) {}"##,
        &["1:16 a parameter takes no attribute but `#[comptime]`"],
    ),
    (r##"#[kernel] fn f(n: u32, n: f32) {}"##, &["1:24 two parameters have the name `n`"]),
    (
        r##"#[device] fn f(x: &[f32]) -> &[f32] { x }"##,
        &[
            "1:30 a `#[device]` function returns numbers, no arrays: give it the array as an argument",
        ],
    ),
    (
        r##"#[device] fn f(x: f32) -> f32 { let y = x; }"##,
        &["1:44 this function has to end in the value that it returns"],
    ),
    (
        r##"#[device] fn f(x: f32) -> f32 { if x > 0.0 { return; } x }"##,
        &["1:46 `return` has to give the value that this function returns"],
    ),
    (
        r##"#[device] fn f(x: f32) { return x; }"##,
        &["1:33 this function returns nothing: declare the type of its result, `-> T`"],
    ),
    (
        r##"#[device] fn f(n: u32) -> u32 { if n == 0 { 1u32 } else { f(n - 1) } }"##,
        &["1:59 `f` calls itself, which a kernel does not do: write a loop"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { return y[0]; }"##,
        &["1:40 a kernel returns nothing: write results to a parameter `&mut [T]`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { y[0] = match y[1] { 0 => 1u32, n => n }; }"##,
        &[
            "1:64 `match` is supported on integers and `bool`, with literals and a last arm `_`: write a chain of `if` and `else`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { y[0] = match y[1] { 0..=3 => 1u32, _ => 2 }; }"##,
        &[
            "1:53 `match` is supported on integers and `bool`, with literals and a last arm `_`: write a chain of `if` and `else`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let g = |x| x + 1; }"##,
        &["1:41 closures are not supported in a kernel: write a `#[device]` function"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { y[0]?; }"##,
        &["1:37 `?` is not supported in a kernel, which has no errors: branch with `if`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { async { 1 }.await; }"##,
        &["1:45 `.await` is not supported in a kernel: remove it"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { unsafe { y[0] = 1; } }"##,
        &["1:33 `unsafe` is not supported in a kernel: every access is checked; remove it"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let s = "text"; let c = 'c'; }"##,
        &[
            "1:41 strings are not supported in a kernel: values are numbers and arrays of numbers",
            "1:57 characters are not supported in a kernel: write a byte, `b'a'`, or a number",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { println!("{}", y[0]); assert!(true); let v = vec![1]; }"##,
        &[
            "1:33 the macro `println!` is not supported in a kernel: write the values to an array and print that",
            "1:55 the macro `assert!` is not supported in a kernel: write to an array what is wrong; positions are checked anyway",
            "1:78 the macro `vec!` is not supported in a kernel: take arrays as parameters, or `shared::<T>(n)`; a kernel has no heap",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let p = Point { x: 1, y: 2 }; y[0] = p.x; }"##,
        &[
            "1:41 structures are not supported in a kernel: use tuples or several variables",
            "1:72 a value of a kernel has no named fields: use tuples, `t.0`, or several arguments",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { self.y[0] = 1; self.run(); }"##,
        &[
            "1:38 a value of a kernel has no named fields: use tuples, `t.0`, or several arguments",
            "1:48 a kernel is a function, not a method: give what it needs of `self` as arguments",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let r = &y; let n = *r; }"##,
        &[
            "1:41 a reference stands only in the arguments of a call: name the value itself",
            "1:53 `*` is not supported in a kernel: there are no references; an element is `x[i]`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { fn g() {} struct S; g(); }"##,
        &[
            "1:33 a function inside a kernel: write it outside, with the attribute `#[device]`",
            "1:43 an item inside a kernel: only `const` and `use` are supported; write it outside",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let z = y[1..2]; let w = y[..]; }"##,
        &[
            "1:44 a part of an array is not supported in a kernel: read one element, `x[first + i]`",
            "1:60 a part of an array is not supported in a kernel: read one element, `x[first + i]`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let Some(x) = y[0] else { return }; }"##,
        &["1:52 `let … else` is not supported in a kernel: values have no variants; write `if`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { if let 1 = y[0] { y[0] = 2; } }"##,
        &[
            "1:36 `let` in a condition is not supported in a kernel: values have no variants; compare with `==`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { while let 1 = y[0] { y[0] = 2; } }"##,
        &[
            "1:39 `let` in a condition is not supported in a kernel: values have no variants; compare with `==`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let v = [0; 4]; let w = [1, 2]; }"##,
        &[
            "1:41 arrays as values are not supported in a kernel: take one as a parameter `&[T]`, or `shared::<T>(n)`",
            "1:57 arrays as values are not supported in a kernel: take one as a parameter `&[T]`, or `shared::<T>(n)`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let mut x; x = y[0]; }"##,
        &[
            "1:37 a variable needs a value: `let mut x = 0.0f32;`",
            "1:44 there is no variable `x` in this kernel",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let x = y[0]; x = 1; x += 2; z = 3; }"##,
        &[
            "1:47 `x` does not change: declare it by `let mut x`, or `mut x` among the parameters",
            "1:54 `x` does not change: declare it by `let mut x`, or `mut x` among the parameters",
            "1:62 there is no variable `z` in this kernel",
        ],
    ),
    (
        r##"#[kernel] fn f(n: u32, y: &mut [u32]) { n -= 1; y = 3; }"##,
        &[
            "1:41 `n` does not change: declare it by `let mut n`, or `mut n` among the parameters",
            "1:49 `y` does not change: declare it by `let mut y`, or `mut y` among the parameters",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { for i in 0..=3 { y[i] = 0; } }"##,
        &["1:43 `..=` is not supported in a kernel: write `a..b + 1`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { for i in (0..3).rev() { y[i] = 0; } }"##,
        &[
            "1:49 `.rev()` is not supported in a kernel: count up, and compute the position, `let i = n - 1 - j;`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { for v in y { } for i in 0.. { } for (i, j) in 0..3 { } }"##,
        &[
            "1:42 a `for` loop goes over a range, `a..b` or `(a..b).step_by(s)`: of an array write `for i in 0..x.len()`, and read `x[i]`",
            "1:58 a range in a kernel has both ends: `a..b`",
            "1:69 the counter of a `for` loop is a name or `_`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { 'outer: loop { loop { break 'outer; } } }"##,
        &[
            "1:33 labels are not supported in a kernel: leave an outer loop by a variable, or put the loops into a `#[device]` function and `return`",
            "1:61 labels are not supported in a kernel: leave an outer loop by a variable, or put the loops into a `#[device]` function and `return`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let x = loop { break 1; }; }"##,
        &["1:54 `break` with a value is not supported in a kernel: set a variable before `break`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { break; if y[0] == 1 { continue; } }"##,
        &["1:33 `break` outside of a loop", "1:55 `continue` outside of a loop"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { #[allow(unused)] let x = 1; #[cold] barrier(); }"##,
        &[
            "1:33 an attribute inside a kernel: only `#[comptime] let` is supported",
            "1:61 an attribute inside a kernel: only `#[comptime] let` is supported",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { let i = thread_x(); #[comptime] let n = i + 1; }"##,
        &[
            "1:73 `i` is known only when the kernel runs: `#[comptime] let` takes constants, `#[comptime]` parameters and what is made of them",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { #[comptime] let mut n = 1; }"##,
        &["1:49 a name of `#[comptime] let` does not change: remove `mut`, or `#[comptime]`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [u32]) { y[0] = y[1] as usize; let z: usize = y[0]; }"##,
        &[
            "1:48 a kernel has no values of the type `usize`: positions and sizes are `u32`, or `u64` in long arrays",
            "1:62 a kernel has no values of the type `usize`: positions and sizes are `u32`, or `u64` in long arrays",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { y[0] = f32::sqrt(y[1]); }"##,
        &[
            "1:40 `f32::sqrt` is a function of Rust's numbers: call the method of the value, `x.sqrt(…)`; a constant is `const { … }`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { let x = Some(y[0]); y[0](1); }"##,
        &[
            "1:41 `Some(…)` is not supported in a kernel: values are numbers, arrays and tuples of these",
            "1:53 only functions with a name are called in a kernel: words as `barrier()`, and `#[device]` functions",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { let ref x = y[0]; let [a, b] = y[0]; }"##,
        &[
            "1:37 a pattern in a kernel is a name, `_`, or a tuple of these: `let (a, mut b) = …`",
            "1:55 a pattern in a kernel is a name, `_`, or a tuple of these: `let (a, mut b) = …`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { let t = (y[0], y[1]); t.0 = 1.0; }"##,
        &["1:55 a part of a tuple does not change: bind the parts, `let (mut a, mut b) = …`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { let x = 0..3; }"##,
        &["1:42 a range is no value of a kernel: it stands in `for i in a..b`"],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { let i = thread_x(); y[0] = TABLE[i]; TABLE[0] = 1.0; }"##,
        &[
            "1:60 a constant array is read at known positions: give it to the kernel as an argument `&[T]`",
            "1:70 a constant array is not written: take an array as a parameter `&mut [T]`",
        ],
    ),
    (
        r##"#[kernel] fn f(y: &mut [f32]) { y[0] = y[1] = 2.0; }"##,
        &["1:45 an assignment has no value: write two statements"],
    ),
    (
        r##"#[kernel] fn f(a: u32, b: u32, c: u32) { if a < b < c { barrier(); } }"##,
        &["1:51 comparison operators cannot be chained"],
    ),
    (
        r##"#[kernel] fn f(x: &'static [f32], s: &str, t: (u32, u32)) {}"##,
        &[
            "1:20 arrays of a kernel have no lifetimes: write `&[T]` or `&mut [T]`",
            "1:39 no array of a kernel: expected `[T]`, `Matrix<T>` or `Tensor<T, 3>` after `&`; a number is given by value, and returned by `#[device]` functions",
            "1:47 no type of a value in a kernel: expected a number (`f32`, `u32`, `bool`, `T` of the generics, …)",
        ],
    ),
    (
        r##"#[kernel]
fn f(a: usize, y: &mut [f32]) {
    let g = |x| x;
    y[0] = "text";
    loop {
        y[1]?;
    }
}"##,
        &[
            "2:9 a kernel has no values of the type `usize`: positions and sizes are `u32`, or `u64` in long arrays",
            "3:13 closures are not supported in a kernel: write a `#[device]` function",
            "4:12 strings are not supported in a kernel: values are numbers and arrays of numbers",
            "6:13 `?` is not supported in a kernel, which has no errors: branch with `if`",
        ],
    ),
    (
        r##"#[kernel] fn f(x: &[u32], m: &Matrix<u32>) { x[0] = 1; m[(0, 1)] += 2; { let x = 1; x = 2; } }"##,
        &[
            "1:46 `x` is only read: declare it as `x: &mut …` to write it",
            "1:56 `m` is only read: declare it as `m: &mut …` to write it",
            "1:85 `x` does not change: declare it by `let mut x`, or `mut x` among the parameters",
        ],
    ),
];
