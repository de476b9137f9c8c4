//! Kernels whose types are wrong. rustc finds this at the places that `//~` names, with the text after it.

use ndany::kernel::simt::*;
use ndany::{Complex32, Complex64, f16};

#[kernel]
fn two_types(n: u32, x: &[f32], y: &mut [f32]) {
    y[n] = x[n] + n; //~ the operands of this operation are not of one type
}

#[kernel]
fn literal_of_a_type(n: u32, y: &mut [u32]) {
    y[n] = n + 1i64; //~ the operands of this operation are not of one type
}

#[kernel]
fn stored(n: u32, y: &mut [f32]) {
    y[n] = n; //~ is no value of type `f32` in a kernel
}

#[kernel]
fn position(x: &[f32], y: &mut [f32]) {
    y[x[0]] = 1.0; //~ `f32` is no type of integers in a kernel
}

#[kernel]
fn rank(x: &Matrix<f32>, y: &mut [f32]) {
    y[0] = x[3]; //~ is no position in an array of 2 axes
}

#[kernel]
fn condition(n: u32, y: &mut [f32]) {
    if n { //~ mismatched types
        y[0] = 1.0;
    }
}

#[kernel]
fn no_bound<T: Number>(x: &[T], y: &mut [T]) {
    y[0] = x[0] * x[1]; //~ `T` has no arithmetic in a kernel
}

#[kernel]
fn literal_variable(y: &mut [u32]) {
    let mut n = 0; //~ is no variable of a kernel
    y[n] = 1;
}

#[kernel]
fn branches(n: u32, y: &mut [f32]) {
    y[0] = if n > 1 { 1.0f32 } else { 1u32 }; //~ the branches of this `if` have no common value
}

#[kernel]
fn shared_size(n: u32) {
    let _x = shared::<f32>(n); //~ is not known when the kernel is recorded
}

#[device]
fn half(x: f32) -> f32 {
    x / 2.0
}

#[kernel]
fn argument(n: u32, y: &mut [f32]) {
    y[0] = half(n); //~ is no value of type `f32` in a kernel
}

#[kernel]
fn count_of_arguments(y: &mut [f32]) {
    y[0] = half(y[1], y[2]); //~ this function takes 2 arguments but 3 arguments were supplied
}

#[device]
fn returned(x: f32) -> u32 {
    x //~ is no value of type `u32` in a kernel
}

#[device]
fn returned_early(x: f32) -> u32 {
    if x > 1.0 {
        return x; //~ is no value of type `u32` in a kernel
    }
    1
}

#[kernel]
fn no_method(y: &mut [f32]) {
    y[0] = y[1].square_root(); //~ no method named `square_root` found for struct `Value
}

#[kernel]
fn root_of_an_integer(y: &mut [u32]) {
    y[0] = y[1].sqrt(); //~ the method `sqrt` exists for struct `Value<'_, u32>`
}

#[kernel]
fn assigned(y: &mut [f32]) {
    let mut sum = 0.0f32;
    sum = 1u32; //~ is no value of type `f32` in a kernel
    y[0] = sum;
}

#[kernel]
fn negated(c: bool, y: &mut [bool]) {
    y[0] = -c; //~ `bool` has no arithmetic in a kernel
}

#[kernel]
fn shifted(y: &mut [f32]) {
    y[0] = y[1] << 2; //~ `f32` is no type of integers in a kernel
}

#[kernel]
fn smallest(y: &mut [f32]) {
    y.atomic_min(0, 1.0); //~ the method `atomic_min` exists for struct `ViewMut
}

#[kernel]
fn range(n: i64, y: &mut [f32]) {
    for i in 0u32..n { //~ the operands of this operation are not of one type
        y[i] = 0.0;
    }
}

fn of_the_host(n: u32) -> u32 {
    n
}

#[kernel]
fn called(n: u32, y: &mut [u32]) {
    y[0] = of_the_host(n); //~ this function takes 1 argument but 2 arguments were supplied
}

#[device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

#[kernel]
fn number_as_array(y: &mut [f32]) {
    y[0] = first(y[1]); //~ `Value<'_, f32>: IntoView<'_, f32, 1>` is not satisfied
}

#[kernel]
fn result(y: &mut [f32]) {
    y[0] //~ mismatched types
}

#[kernel]
fn annotated(y: &mut [f32]) {
    let n: u32 = y[0]; //~ is no value of type `u32` in a kernel
    y[n] = 1.0;
}

#[kernel]
fn step(n: u32, y: &mut [f32]) {
    for i in (0..n).step_by(y[0]) { //~ mismatched types
        y[i] = 0.0;
    }
}

#[kernel]
fn order(x: &[Complex32], y: &mut [u32]) {
    if x[0] < x[1] { //~ have no order, no bits and no conversion by `as` in a kernel
        y[0] = 1;
    }
}

#[kernel]
fn converted(x: &[Complex32], y: &mut [f32]) {
    y[0] = x[0] as f32; //~ have no order, no bits and no conversion by `as` in a kernel
}

#[kernel]
fn remainder(x: &[Complex64], y: &mut [Complex64]) {
    y[0] = x[0] % x[1]; //~ is no type of real numbers in a kernel
}

#[kernel]
fn inverted(x: &[Complex64], y: &mut [Complex64]) {
    y[0] = !x[0]; //~ have no order, no bits and no conversion by `as` in a kernel
}

#[kernel]
fn atomic_complex(y: &mut [Complex64]) {
    y.atomic_add(0, y[0]); //~ atomic_add
}

#[kernel]
fn complex_and_real(x: &[Complex64], y: &mut [Complex64]) {
    y[0] = x[0] * y[0].re(); //~ the operands of this operation are not of one type
}

#[kernel]
fn parts_of_halves(x: &[f16], y: &mut [f16]) {
    let _z = complex( //~ is no type of the parts of a complex number
        x[0], //~ is no type of the parts of a complex number
        x[1],
    );
    y[0] = x[0];
}

#[kernel]
fn larger(x: &[Complex32], y: &mut [Complex32]) {
    y[0] = x[0].max(x[1]); //~ max
}
