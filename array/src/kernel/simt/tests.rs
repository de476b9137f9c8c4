//! Kernels recorded by hand, on the reference: what they compute, and what is refused.

use super::recording::{Literal, Recorder};
use super::*;
use crate::api::{Array, Device, array, zeros};
use crate::kernel::Init;
use ndany_core::DType;

fn reference() -> Device {
    Device::open("reference").expect("always there")
}

/// 0, 1, 2, …
fn counting(count: usize, dtype: DType) -> Array {
    crate::api::arange(count).astype(dtype)
}

/// `y = a * x + y`.
fn saxpy() -> Kernel {
    Kernel::record("saxpy", false, |k| {
        let a = k.scalar::<f32>("a");
        let (x, y) = (k.input::<f32, 1>("x"), k.output::<f32, 1>("y"));
        let i = global_x(k);
        k.when(k.lt((i, y.len())), || y.put(i, k.add((k.mul((a, x.at(i))), y.at(i)))));
    })
}

#[test]
fn a_thread_an_element() {
    let device = reference();
    let _guard = device.enter();
    let x = counting(100, DType::F32);
    let mut y = zeros(100, DType::F32);
    let made = saxpy().launch(&device, 4, 32, (2.0f32, &x, &mut y)).expect("it is sound");
    assert!(made.is_empty());
    assert!(y.array_equal(&(&x * 2)).expect("both are there"));
    // A copy keeps its value; a view that is no matrix in C order is copied.
    let (before, matrix) = (y.clone(), counting(20, DType::F32).reshape((4, 5)));
    let column = matrix.t().reshape(20);
    saxpy().launch(&device, 4, 32, (1.0f32, &column, &mut y)).expect_err("they are not as long");
    let mut short = zeros(20, DType::F32);
    saxpy().launch(&device, 1, 32, (1.0f32, &column, &mut short)).expect("it is sound");
    assert!(short.array_equal(&column).expect("both are there"));
    assert!(before.array_equal(&(&x * 2)).expect("both are there"));
}

#[test]
fn new_arrays_are_returned() {
    let device = reference();
    let _guard = device.enter();
    let count = Kernel::record("count", false, |k| {
        let out = k.output::<i32, 2>("out");
        let (i, j) = (global_y(k), global_x(k));
        let inside = k.and(k.lt((i, out.rows())), || k.lt((j, out.columns())));
        k.when(inside, || {
            let value = k.add((k.mul((i, out.columns())), j));
            out.put((i, j), k.cast::<u32, i32>(value));
        });
    });
    let made =
        count.launch(&device, (2, 2), (4, 4), (([5, 6], Init::Poison),)).expect("it is sound");
    assert!(made[0].array_equal(counting(30, DType::I32).reshape((5, 6))).expect("both are there"));
}

#[test]
fn tiles_in_shared_memory() {
    const TILE: u32 = 4;
    let matmul = Kernel::record("matmul", false, |k| {
        let (a, b) = (k.input::<f64, 2>("a"), k.input::<f64, 2>("b"));
        let c = k.output::<f64, 2>("c");
        let (x, y) = (shared::<f64>(k, TILE * TILE), shared::<f64>(k, TILE * TILE));
        let (i, j, r, s) = (global_y(k), global_x(k), thread_y(k), thread_x(k));
        let sum = k.mutable(f64::zero(k));
        let own = k.add((k.mul((r, TILE)), s));
        k.range((Literal::Int(0), ceil_div(k, a.columns(), TILE)), None, true, |tile| {
            let at = |with| k.add((k.mul((tile, TILE)), with));
            x.put(own, a.at((i, at(s))));
            y.put(own, b.at((at(r), j)));
            barrier(k);
            k.range((k.constant(0u32), TILE), None, true, |step| {
                let left = x.at(k.add((k.mul((r, TILE)), step)));
                let right = y.at(k.add((k.mul((step, TILE)), s)));
                sum.set(left.mul_add(right, sum.get()));
            });
            barrier(k);
        });
        c.put((i, j), sum.get());
    });
    let device = reference();
    let _guard = device.enter();
    let (a, b) = (
        counting(64, DType::F64).reshape((8, 8)),
        counting(64, DType::F64).reshape((8, 8)).t() - 7.0,
    );
    let made = matmul.launch(&device, (2, 2), (TILE, TILE), (&a, &b, ([8, 8], Init::Zeros)));
    assert!(made.expect("it is sound")[0].array_equal(a.matmul(&b)).expect("both are there"));
}

#[test]
fn branches_loops_and_functions() {
    // Steps of the Collatz sequence, at most 50; -1 where there are more.
    let collatz = Kernel::record("collatz", false, |k| {
        let (x, out) = (k.input::<i64, 1>("x"), k.output::<i32, 1>("out"));
        let i = global_x(k);
        let steps = k.mutable(k.constant(-1i32));
        k.call(|| {
            let n = k.mutable(x.at(i));
            k.range((Literal::Int(0), k.constant(51i32)), None, false, |step| {
                k.when(k.le((n.get(), Literal::Int(1))), || {
                    steps.set(step);
                    k.leave();
                });
                let odd = k.eq((k.rem((n.get(), Literal::Int(2))), Literal::Int(1)));
                let next = k.either(
                    odd,
                    || k.add((k.mul((Literal::Int(3), n.get())), Literal::Int(1))),
                    || k.div((n.get(), Literal::Int(2))),
                );
                n.set(next);
            });
        });
        out.put(i, steps.get());
    });
    let device = reference();
    let _guard = device.enter();
    let x = array([1i64, 2, 7, 27, 97, 1 << 40]);
    let made = collatz.launch(&device, 1, 6, (&x, ([6], Init::Zeros))).expect("it is sound");
    assert_eq!(made[0].to_string(), "[ 0  1 16 -1 -1 40]");
}

#[test]
fn lanes_exchange_and_words_count() {
    let sums = Kernel::record("sums", false, |k| {
        let (x, out) = (k.input::<i32, 1>("x"), k.output::<i32, 1>("out"));
        let flags = k.output::<u64, 1>("flags");
        let sum = k.mutable(x.at(global_x(k)));
        let step = k.mutable(k.div((lanes(k), Literal::Int(2))));
        k.repeat(
            || k.gt((step.get(), Literal::Int(0))),
            || {
                sum.set(k.add((sum.get(), exchange_down(k, sum.get(), step.get()))));
                step.set(k.div((step.get(), Literal::Int(2))));
            },
        );
        let even = ballot(k, k.eq((k.rem((x.at(global_x(k)), Literal::Int(2))), Literal::Int(0))));
        k.when(k.eq((lane(k), Literal::Int(0))), || {
            out.atomic_add(Literal::Int(0), sum.get());
            flags.atomic_or(Literal::Int(0), even);
        });
    });
    let device = reference();
    let _guard = device.enter();
    let x = counting(64, DType::I32);
    let arguments = (&x, ([1], Init::Zeros), ([1], Init::Zeros));
    let made = sums.launch(&device, 1, 64, arguments).expect("it is sound");
    assert_eq!(made[0].to_string(), "[2016]");
    assert_eq!(made[1].to_string(), "[1431655765]");
    let error = sums.launch(&device, 1, 48, (&x, ([1], Init::Zeros), ([1], Init::Zeros)));
    assert!(error.is_ok(), "the reference takes blocks of any size");
}

/// The error of a launch over a block of 64 threads.
fn error(kernel: &Kernel, x: &Array, y: &mut Array) -> String {
    let device = reference();
    kernel.launch(&device, 2, 64, (x, y)).expect_err("it is refused").to_string()
}

#[test]
fn what_the_reference_finds() {
    let device = reference();
    let _guard = device.enter();
    let (x, mut y) = (counting(128, DType::F32), zeros(128, DType::F32));
    type Body<'b> = &'b dyn for<'k> Fn(&'k Recorder, View<'k, f32, 1>, ViewMut<'k, f32, 1>);
    let of = |name, body: Body<'_>| {
        Kernel::record(name, false, |k| {
            let (x, y) = (k.input::<f32, 1>("x"), k.output::<f32, 1>("y"));
            body(k, x, y);
        })
    };
    let race = of("race", &|k, x, y| y.put(thread_x(k), x.at(global_x(k))));
    let found = error(&race, &x, &mut y);
    assert!(found.contains("race for element 0 of y"), "{found}");
    let race = of("neighbours", &|k, x, y| {
        let words = shared::<f32>(k, 64);
        words.put(thread_x(k), x.at(global_x(k)));
        y.put(global_x(k), words.at(k.bitxor((thread_x(k), Literal::Int(1)))));
    });
    let found = error(&race, &x, &mut y);
    assert!(found.contains("shared array 0"), "{found}");
    let unwritten = of("unwritten", &|k, _, y| {
        let words = shared::<f32>(k, 64);
        y.put(global_x(k), words.at(thread_x(k)));
    });
    let found = error(&unwritten, &x, &mut y);
    assert!(found.contains("which no thread has written"), "{found}");
    let outside = of("outside", &|k, x, y| {
        y.put(global_x(k), x.at(k.add((global_x(k), Literal::Int(1)))));
    });
    let found = error(&outside, &x, &mut y);
    assert_eq!(found, "[outside] refused: index 128 of x is out of bounds for 128");
    let negative = of("negative", &|k, x, y| {
        let i = k.sub((k.cast::<u32, i32>(global_x(k)), Literal::Int(3)));
        y.put(i, x.at(global_x(k)));
    });
    // Of several positions the lowest counts.
    let found = error(&negative, &x, &mut y);
    assert_eq!(found, "[negative] refused: index -3 of y is out of bounds for 128");
}

#[test]
fn what_cannot_be_a_kernel() {
    type Body = for<'k> fn(&'k Recorder, View<'k, f32, 1>, ViewMut<'k, f32, 1>);
    let cases: [(&str, Body); 7] = [
        ("all threads of the block", |k, x, y| {
            k.when(k.lt((thread_x(k), Literal::Int(3))), || barrier(k));
            y.put(global_x(k), x.at(global_x(k)));
        }),
        ("all lanes of the warp", |k, x, y| {
            k.when(k.lt((thread_x(k), Literal::Int(3))), || {
                y.put(global_x(k), exchange_up(k, x.at(global_x(k)), Literal::Int(1)));
            });
        }),
        ("a float literal meets a value of uint32", |k, x, y| {
            y.put(k.add((global_x(k), Literal::Float(0.5))), x.at(Literal::Int(0)));
        }),
        ("depends on the order of the threads", |k, x, y| {
            y.atomic_add(Literal::Int(0), x.at(global_x(k)));
        }),
        ("a bitwise operation of floats", |k, x, y| {
            let value = x.at(global_x(k));
            y.put(global_x(k), k.bitand((value, value)));
        }),
        ("a shared array without elements", |k, x, y| {
            y.put(shared::<u32>(k, 0).at(Literal::Int(0)), x.at(global_x(k)));
        }),
        ("a range by a step that is not positive", |k, x, y| {
            let (first, step) = (k.constant(0i32), k.constant(-1i32));
            k.range((first, Literal::Int(4)), Some(step), true, |i| y.put(i, x.at(i)));
        }),
    ];
    let device = reference();
    let _guard = device.enter();
    let (x, mut y) = (counting(128, DType::F32), zeros(128, DType::F32));
    for (what, body) in cases {
        let kernel = Kernel::record("wrong", false, |k| {
            let (x, y) = (k.input::<f32, 1>("x"), k.output::<f32, 1>("y"));
            body(k, x, y);
        });
        let found = error(&kernel, &x, &mut y);
        assert!(found.contains(what) && found.contains("tests.rs:"), "{what}: {found}");
    }
}

#[test]
fn arguments_are_those_of_the_function() {
    let device = reference();
    let _guard = device.enter();
    let (x, mut y) = (counting(8, DType::F32), zeros(8, DType::F32));
    let kernel = saxpy();
    let refused = |what: &str, result: ndany_core::Result<Vec<Array>>| {
        let found = result.expect_err("it is refused").to_string();
        assert!(found.contains(what), "{what}: {found}");
    };
    refused("expected 3 arguments (a, x, y), got 1", kernel.launch(&device, 1, 8, (2.0f32,)));
    refused(
        "dtype of a: expected float32, got float64",
        kernel.launch(&device, 1, 8, (2.0, &x, &mut y)),
    );
    refused("a: expected a number, got an array", kernel.launch(&device, 1, 8, (&x, &x, &mut y)));
    refused("x: expected an array to read", kernel.launch(&device, 1, 8, (2.0f32, 1.0f32, &mut y)));
    refused("y: expected an array to write", kernel.launch(&device, 1, 8, (2.0f32, &x, &x)));
    let (other, matrix) = (zeros(8, DType::F64), zeros((2, 4), DType::F32));
    refused("dtype of x: expected float32", kernel.launch(&device, 1, 8, (2.0f32, &other, &mut y)));
    refused("x: expected 1 axes, got 2", kernel.launch(&device, 1, 8, (2.0f32, &matrix, &mut y)));
    refused("a block of 0 threads along x", kernel.launch(&device, 1, 0, (2.0f32, &x, &mut y)));
    refused("a grid of 0 blocks along y", kernel.launch(&device, (1, 0), 8, (2.0f32, &x, &mut y)));
    refused("2048", kernel.launch(&device, 1, (1024, 2), (2.0f32, &x, &mut y)));
    refused("threads along z", kernel.launch(&device, 1, (1, 1, 65), (2.0f32, &x, &mut y)));
    let much = Kernel::record("much", false, |k| {
        let y = k.output::<f32, 1>("y");
        let words = shared::<f64>(k, 30_000);
        words.put(thread_x(k), f64::zero(k));
        y.put(thread_x(k), f32::zero(k));
    });
    refused("240000 bytes of shared memory", much.launch(&device, 1, 8, (&mut y,)));
    assert_eq!(y.dtype(), DType::F32);
    let (flags, mut counts) = (zeros(8, DType::Bool), zeros(8, DType::U32));
    let count = Kernel::record("flags", false, |k| {
        let (flags, counts) = (k.input::<bool, 1>("flags"), k.output::<u32, 1>("counts"));
        let i = thread_x(k);
        counts.put(i, k.not(flags.at(i)).select((k.constant(5u32), Literal::Int(6))));
    });
    count.launch(&device, 1, 8, (&flags, &mut counts)).expect("it is sound");
    assert_eq!(counts.to_string(), "[5 5 5 5 5 5 5 5]");
}
