//! Kernels of threads and blocks: positions, loops, atomics, exchanges, arguments and functions.

use ndany::kernel::Init;
use ndany::kernel::simt::*;
use ndany::{Array, DType, Device, arange, zeros};

use crate::{cases, is_gpu, message, numbers};

cases![
    positions_in_grids_of_one_to_three_axes,
    threads_of_the_grid_are_counted,
    strides_of_the_grid_reach_every_element,
    shapes_come_with_views,
    axes_that_are_none_are_refused,
    the_least_and_the_largest_of_three,
    turns_are_left_out_and_loops_left,
    loops_with_known_ends_and_others,
    atomics_of_integers,
    atomics_return_what_was_there,
    atomic_sums_of_floats,
    lanes_exchange_values,
    lanes_reduce,
    numbers_are_passed_by_value,
    numbers_that_are_not_finite,
    threads_return_early,
    functions_are_called_with_numbers_of_their_own,
    functions_take_effect_once,
];

#[kernel]
fn copy_line(x: &[i64], y: &mut [i64]) {
    let i = global_x();
    if i < x.len() {
        y[i] = x[i];
    }
}

#[kernel]
fn copy_plane(x: &Matrix<i64>, y: &mut Matrix<i64>) {
    let (i, j) = (global_y(), global_x());
    if i < x.rows() && j < x.columns() {
        y[(i, j)] = x[(i, j)];
    }
}

#[kernel]
fn copy_space(x: &Tensor<i64, 3>, y: &mut Tensor<i64, 3>) {
    let (i, j, k) = (global_z(), global_y(), global_x());
    if i < x.extent(0) && j < x.extent(1) && k < x.extent(2) {
        y[(i, j, k)] = x[(i, j, k)];
    }
}

fn positions_in_grids_of_one_to_three_axes(device: &Device) {
    let x = arange(24) * 3 - 7;
    let line = copy_line().launch(device, 3, 10, (&x, ([24], Init::Poison)));
    assert!(line.expect("a launch")[0].array_equal(&x).expect("values"));
    let x = x.reshape((4, 6));
    let plane = copy_plane().launch(device, (2, 3), (4, 2), (&x, ([4, 6], Init::Poison)));
    assert!(plane.expect("a launch")[0].array_equal(&x).expect("values"));
    let x = x.reshape((2, 3, 4));
    let arguments = (&x, ([2, 3, 4], Init::Poison));
    let space = copy_space().launch(device, (2, 2, 1), (2, 2, 2), arguments);
    assert!(space.expect("a launch")[0].array_equal(&x).expect("values"));
}

#[kernel]
fn count_threads(out: &mut [u32]) {
    if global_x() == 0 && global_y() == 0 && global_z() == 0 {
        out[0] = grid_x() * block_size_x();
        out[1] = grid_y() * block_size_y();
        out[2] = grid_z() * block_size_z();
        out[3] = grid_size();
    }
}

fn threads_of_the_grid_are_counted(device: &Device) {
    let mut out = zeros(4, DType::U32);
    for (grid, block, expected) in [
        ([8, 1, 1], [10, 1, 1], [80, 1, 1, 80]),
        ([2, 7, 1], [3, 5, 1], [6, 35, 1, 6]),
        ([2, 7, 4], [3, 5, 11], [6, 35, 44, 6]),
    ] {
        count_threads().launch(device, grid, block, (&mut out,)).expect("a launch");
        assert_eq!(out.to_vec::<u32>().expect("values"), expected);
    }
}

#[kernel]
fn copy_in_steps(x: &[i64], y: &mut [i64]) {
    for i in (global_x()..x.len()).step_by(grid_size()) {
        y[i] = x[i];
    }
}

fn strides_of_the_grid_reach_every_element(device: &Device) {
    let x = numbers(1024, DType::I64);
    let made = copy_in_steps().launch(device, 5, 6, (&x, ([1024], Init::Poison)));
    assert!(made.expect("a launch")[0].array_equal(&x).expect("values"));
}

#[kernel]
fn shape_of(x: &Matrix<i64>, out: &mut [u32]) {
    if global_x() == 0 {
        out[0] = x.rows();
        out[1] = x.columns();
        out[2] = x.extent(1);
        out[3] = x.rows() * x.columns();
    }
}

fn shapes_come_with_views(device: &Device) {
    let x = arange(12).reshape((3, 4));
    for (view, expected) in [(x.clone(), [3, 4, 4, 12]), (x.t(), [4, 3, 3, 12])] {
        let made = shape_of().launch(device, 1, 1, (&view, ([4], Init::Poison)));
        assert_eq!(made.expect("a launch")[0].to_vec::<u32>().expect("values"), expected);
        // A view is passed as what it shows.
        let made = copy_plane().launch(device, 1, (4, 4), (&view, (view.shape(), Init::Poison)));
        assert!(made.expect("a launch")[0].array_equal(&view).expect("values"));
    }
}

#[kernel]
fn third_axis(x: &Matrix<i64>, out: &mut [u32]) {
    out[0] = x.extent(2);
}

fn axes_that_are_none_are_refused(device: &Device) {
    let x = arange(12).reshape((3, 4));
    let refused = third_axis().launch(device, 1, 1, (&x, ([1], Init::Poison)));
    let text = message(refused);
    assert!(text.contains("threads.rs:") && text.contains("no axis 2 of an array of 2"), "{text}");
}

#[kernel]
fn extremes(x: &[i64], y: &[i64], z: &[i64], least: &mut [i64], largest: &mut [i64]) {
    let i = global_x();
    least[i] = x[i].min(y[i]).min(z[i]);
    largest[i] = x[i].max(y[i]).max(z[i]);
}

fn the_least_and_the_largest_of_three(device: &Device) {
    let [x, y, z] = [5, 7, 11].map(|by| numbers(512, DType::I64) * by % 29);
    let arguments = (&x, &y, &z, ([512], Init::Poison), ([512], Init::Poison));
    let made = extremes().launch(device, 4, 128, arguments).expect("a launch");
    assert!(made[0].array_equal(x.minimum(&y).minimum(&z)).expect("values"));
    assert!(made[1].array_equal(x.maximum(&y).maximum(&z)).expect("values"));
}

#[kernel]
fn odd_sums(ends: &[i32], sums: &mut [i32]) {
    let i = global_x();
    let mut sum = 0i32;
    for k in 0..ends[i] {
        if k % 2 == 0 {
            continue;
        }
        if k > 20 {
            break;
        }
        sum += k;
    }
    sums[i] = sum;
}

fn turns_are_left_out_and_loops_left(device: &Device) {
    let ends: Vec<i32> = (0..32).collect();
    let expected: Vec<i32> =
        ends.iter().map(|&end| (0..end.min(21)).filter(|k| k % 2 == 1).sum()).collect();
    let arguments = (&Array::from_vec(ends, 32), ([32], Init::Poison));
    let made = odd_sums().launch(device, 1, 32, arguments).expect("a launch");
    assert_eq!(made[0].to_vec::<i32>().expect("values"), expected);
}

#[kernel]
fn loop_sums<const N: i32>(n: i32, sums: &mut [i32]) {
    let (mut known, mut other, mut long) = (0i32, 0i32, 0i32);
    for i in 0..N {
        known += i * i;
    }
    for i in 0..n {
        other += i * i;
    }
    for i in (1i32..200).step_by(3) {
        long += i;
    }
    sums[0] = known;
    sums[1] = other;
    sums[2] = long;
}

fn loops_with_known_ends_and_others(device: &Device) {
    let made = loop_sums::<5>().launch(device, 1, 1, (9i32, ([3], Init::Poison)));
    let sums = made.expect("a launch")[0].to_vec::<i32>().expect("values");
    assert_eq!(sums, [30, 204, (1..200).step_by(3).sum()]);
}

#[kernel]
fn combine<T: Integer>(x: &[T], out: &mut [T]) {
    let i = global_x();
    if i < x.len() {
        out.atomic_add(0, x[i]);
        out.atomic_min(1, x[i]);
        out.atomic_max(2, x[i]);
        out.atomic_and(3, x[i]);
        out.atomic_or(4, x[i]);
        out.atomic_xor(5, x[i]);
    }
}

fn atomics_of_integers(device: &Device) {
    macro_rules! check {
        ($($ty:ty),+) => {$({
            let host: Vec<$ty> = (0..100u8).map(|k| (<$ty>::from(k) * 37 + 11) ^ 5).collect();
            let start = [7 as $ty, <$ty>::MAX, <$ty>::MIN, !0, 0, 0];
            let (x, mut out) = (Array::from_vec(host.clone(), 100), Array::from(start));
            combine::<$ty>().launch(device, 2, 64, (&x, &mut out)).expect("a launch");
            let fold = |start: $ty, with: fn($ty, $ty) -> $ty| host.iter().copied().fold(start, with);
            let expected = [
                fold(7, |a, b| a + b),
                fold(start[1], <$ty>::min),
                fold(start[2], <$ty>::max),
                fold(start[3], |a, b| a & b),
                fold(0, |a, b| a | b),
                fold(0, |a, b| a ^ b),
            ];
            assert_eq!(out.to_vec::<$ty>().expect("values"), expected, stringify!($ty));
        })+};
    }
    check!(i32, u32, i64, u64);
}

#[kernel]
fn first_of_all(words: &mut [u32], counts: &mut [u32]) {
    if words.atomic_compare_exchange(0, 0, 7) == 0 {
        counts.atomic_add(0, 1);
    }
    if words.atomic_exchange(1, 9) == 0 {
        counts.atomic_add(1, 1);
    }
    // Each thread gets a number of its own.
    let ticket = words.atomic_add(2, 1);
    counts.atomic_add(2 + ticket, 1);
}

fn atomics_return_what_was_there(device: &Device) {
    let (mut words, mut counts) = (zeros(3, DType::U32), zeros(130, DType::U32));
    first_of_all().launch(device, 2, 64, (&mut words, &mut counts)).expect("a launch");
    assert_eq!(words.to_vec::<u32>().expect("values"), [7, 9, 128]);
    assert_eq!(counts.to_vec::<u32>().expect("values"), [1; 130]);
}

#[kernel(unordered)]
fn float_sums<T: Float>(x: &[T], out: &mut [T]) {
    out.atomic_add(0, x[global_x()]);
}

/// Sums of small whole numbers are exact in every order.
fn atomic_sums_of_floats(device: &Device) {
    let x = numbers(128, DType::F32);
    let mut out = zeros(1, DType::F32);
    float_sums::<f32>().launch(device, 2, 64, (&x, &mut out)).expect("a launch");
    assert!(out.array_equal(x.sum(0).reshape(1)).expect("values"));
    let (x, mut out) = (x.astype(DType::F64), zeros(1, DType::F64));
    float_sums::<f64>().launch(device, 2, 64, (&x, &mut out)).expect("a launch");
    assert!(out.array_equal(x.sum(0).reshape(1)).expect("values"));
}

#[kernel]
fn exchanges<T: Real>(x: &[T], out: &mut Matrix<T>, places: &mut Matrix<u32>) {
    let i = global_x();
    out[(0, i)] = exchange(x[i], 5);
    out[(1, i)] = exchange_down(x[i], 2);
    out[(2, i)] = exchange_up(x[i], 3);
    out[(3, i)] = exchange_xor(x[i], 1);
    // Within eight lanes.
    out[(4, i)] = exchange(x[i], lane() / 8 * 8 + 3);
    places[(0, i)] = lane();
    places[(1, i)] = warp();
    places[(2, i)] = lanes();
}

fn lanes_exchange_values(device: &Device) {
    macro_rules! check {
        ($($ty:ty),+) => {$({
            let host: Vec<$ty> = (0..128u8).map(|k| (k % 100) as $ty + 1 as $ty).collect();
            let arguments = (&Array::from_vec(host.clone(), 128), ([5, 128], Init::Poison), ([3, 128], Init::Poison));
            let made = exchanges::<$ty>().launch(device, 1, 128, arguments).expect("a launch");
            let (found, places) =
                (made[0].to_vec::<$ty>().expect("values"), made[1].to_vec::<u32>().expect("values"));
            let lanes = places[2 * 128] as usize;
            assert!(lanes == 32 || lanes == 64, "{lanes} lanes");
            for i in 0..128 {
                let (lane, first) = (i % lanes, i - i % lanes);
                let place = [places[i], places[128 + i], places[2 * 128 + i]];
                assert_eq!(place, [lane as u32, (i / lanes) as u32, lanes as u32]);
                assert_eq!(found[i], host[first + 5], "lane 5 at {i}");
                if lane + 2 < lanes {
                    assert_eq!(found[128 + i], host[i + 2], "two lanes down at {i}");
                }
                if lane >= 3 {
                    assert_eq!(found[2 * 128 + i], host[i - 3], "three lanes up at {i}");
                }
                assert_eq!(found[3 * 128 + i], host[i ^ 1], "the neighbour at {i}");
                assert_eq!(found[4 * 128 + i], host[i / 8 * 8 + 3], "of eight lanes at {i}");
            }
        })+};
    }
    check!(i32, f64);
    if !is_gpu(device) {
        check!(u32, i64, u64, f32, i8, u16);
    }
}

#[kernel]
fn reduce_lanes<T: Integer>(x: &[T], sums: &mut [T], largest: &mut [T]) {
    let i = global_x();
    let (mut sum, mut most, mut step) = (x[i], x[i], lanes() / 2);
    while step > 0 {
        sum += exchange_down(sum, step);
        most = most.max(exchange_xor(most, step));
        step /= 2;
    }
    if lane() == 0 {
        sums.atomic_max(block_x(), sum);
    }
    largest[i] = most;
}

fn lanes_reduce(device: &Device) {
    // All elements of a block are in one warp, or in two with the same values.
    let x = numbers(32, DType::I32).abs().tile(2);
    let arguments = (&x, ([1], Init::Zeros), ([64], Init::Poison));
    let made = reduce_lanes::<i32>().launch(device, 1, 64, arguments).expect("a launch");
    let total = x.sum(0).item::<i64>().expect("a value") as i32;
    let sum = made[0].to_vec::<i32>().expect("values")[0];
    assert!(sum == total || 2 * sum == total, "{sum} of {total}");
    let most = x.max(0).item::<i32>().expect("a value");
    assert_eq!(made[1].to_vec::<i32>().expect("values"), [most; 64]);
}

#[kernel]
fn keep<T: Number>(a: T, out: &mut [T]) {
    out[0] = a;
}

fn numbers_are_passed_by_value(device: &Device) {
    macro_rules! check {
        ($($ty:ty: $value:expr),+ $(,)?) => {$(
            let value: $ty = $value;
            let made = keep::<$ty>().launch(device, 1, 1, (value, ([1], Init::Poison)));
            let found = made.expect("a launch")[0].to_vec::<$ty>().expect("values");
            assert_eq!(found, [value], stringify!($ty));
        )+};
    }
    check!(bool: true, i8: -128, u64: u64::MAX, f32: f32::INFINITY, f64: -0.1);
    if !is_gpu(device) {
        check!(bool: false, i16: -300, i32: i32::MIN, i64: i64::MIN, u8: 255, u16: 65_535, u32: u32::MAX);
        check!(ndany::f16: ndany::f16::MAX, ndany::bf16: ndany::bf16::MIN_POSITIVE, f64: f64::NEG_INFINITY);
    }
}

#[kernel]
fn not_finite(out: &mut [f32]) {
    out[0] = f32::INFINITY;
    out[1] = -f32::INFINITY;
    out[2] = f32::NAN;
}

fn numbers_that_are_not_finite(device: &Device) {
    let made = not_finite().launch(device, 1, 1, (([3], Init::Poison),)).expect("a launch");
    let found = made[0].to_vec::<f32>().expect("values");
    assert_eq!(found[..2], [f32::INFINITY, f32::NEG_INFINITY]);
    assert!(found[2].is_nan());
}

#[kernel]
fn copy_positive(x: &[i64], y: &mut [i64]) {
    let i = global_x();
    if i >= x.len() {
        return;
    }
    if x[i] < 0 {
        return;
    }
    y[i] = x[i];
}

fn threads_return_early(device: &Device) {
    let x = numbers(50, DType::I64);
    let made = copy_positive().launch(device, 1, 64, (&x, ([50], Init::Zeros))).expect("a launch");
    assert!(made[0].array_equal(x.maximum(0)).expect("values"));
}

#[device]
fn shifted<const BY: i32>(x: i32, y: i32) -> i32 {
    let (mut x, mut y) = (x, y);
    x += 1;
    y += BY;
    x + y
}

#[kernel]
fn shifts(x: &[i32], y: &[i32], z: &mut [i32]) {
    let i = thread_x();
    z[i] = shifted::<10>(x[i], y[i]) + x[i];
    z[i] += shifted::<20>(x[i], y[i]);
    z[i] += shifted::<30>(x[i], y[i]);
}

fn functions_are_called_with_numbers_of_their_own(device: &Device) {
    let (x, y) = (numbers(30, DType::I32), numbers(30, DType::I32) * 3);
    let made = shifts().launch(device, 1, 30, (&x, &y, ([30], Init::Poison))).expect("a launch");
    assert!(made[0].array_equal(&x * 4 + &y * 3 + 63).expect("values"));
}

#[device]
fn count_up(x: &mut [i64]) -> u32 {
    x[0] += 1;
    1u32
}

#[kernel]
fn count_twice(x: &mut [i64]) {
    let at = count_up(&mut x);
    x[at] += 1;
}

fn functions_take_effect_once(device: &Device) {
    let mut x = zeros(2, DType::I64);
    count_twice().launch(device, 1, 1, (&mut x,)).expect("a launch");
    assert_eq!(x.to_vec::<i64>().expect("values"), [1, 1]);
}
