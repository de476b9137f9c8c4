//! The words of a kernel: where a thread is, shared memory, barriers, exchanges between lanes.

use std::panic::Location;

use ndany_core::program::RegType;
use ndany_core::simt::{Builtin, Exchange};

use super::places::ViewMut;
use super::recorder::Recorder;
use super::value::{IntoConstant, IntoValue, Number, Pair, Part, Value};

macro_rules! builtins {
    ($($(#[doc = $doc:literal])+ $name:ident $builtin:expr;)+) => {$(
        $(#[doc = $doc])+
        pub fn $name(k: &Recorder) -> Value<'_, u32> {
            k.builtin($builtin)
        }
    )+};
}
builtins! {
    /// The position of the thread in its block along x.
    thread_x Builtin::Thread(0);
    /// The position of the thread in its block along y.
    thread_y Builtin::Thread(1);
    /// The position of the thread in its block along z.
    thread_z Builtin::Thread(2);
    /// The position of the block in the grid along x.
    block_x Builtin::Block(0);
    /// The position of the block in the grid along y.
    block_y Builtin::Block(1);
    /// The position of the block in the grid along z.
    block_z Builtin::Block(2);
    /// The number of threads of a block along x.
    block_size_x Builtin::BlockSize(0);
    /// The number of threads of a block along y.
    block_size_y Builtin::BlockSize(1);
    /// The number of threads of a block along z.
    block_size_z Builtin::BlockSize(2);
    /// The number of blocks of the grid along x.
    grid_x Builtin::GridSize(0);
    /// The number of blocks of the grid along y.
    grid_y Builtin::GridSize(1);
    /// The number of blocks of the grid along z.
    grid_z Builtin::GridSize(2);
    /// The number of lanes of a warp: 32, or 64 on some AMD devices.
    lanes Builtin::Lanes;
    /// The position of the thread in its warp. Threads of a block are counted along x, then y, then z.
    lane Builtin::Lane;
    /// The position of the warp in its block.
    warp Builtin::Warp;
}

macro_rules! global {
    ($($(#[doc = $doc:literal])+ $name:ident $block:ident $size:ident $thread:ident;)+) => {$(
        $(#[doc = $doc])+
        pub fn $name(k: &Recorder) -> Value<'_, u32> {
            k.add((k.mul(($block(k), $size(k))), $thread(k)))
        }
    )+};
}
global! {
    /// The position of the thread in the grid along x.
    global_x block_x block_size_x thread_x;
    /// The position of the thread in the grid along y.
    global_y block_y block_size_y thread_y;
    /// The position of the thread in the grid along z.
    global_z block_z block_size_z thread_z;
}

/// The number of threads of the grid along x: the step of a loop over elements.
pub fn grid_size(k: &Recorder) -> Value<'_, u32> {
    k.mul((grid_x(k), block_size_x(k)))
}

/// An array in the shared memory of the block, not initialized. `size` is known when the kernel is compiled.
#[track_caller]
pub fn shared<T: Number>(k: &Recorder, size: impl IntoConstant<u32>) -> ViewMut<'_, T, 1> {
    k.shared_array(size.into_constant(k), Location::caller())
}

/// Waits until all threads of the block are here. What they wrote before is seen after it.
#[track_caller]
pub fn barrier(k: &Recorder) {
    k.barrier_at(Location::caller());
}

/// The complex number of a real and an imaginary part, which are values of one type.
#[track_caller]
pub fn complex<'k, A, B>(
    k: &'k Recorder,
    re: A,
    im: B,
) -> Value<'k, <<(A, B) as Pair<'k>>::Number as Part>::Complex>
where
    (A, B): Pair<'k, Number: Part>,
{
    let [re, im] = (re, im).pair(k);
    Value::of_parts(k, [re.reg, im.reg])
}

/// `a` divided by `b`, rounded up.
#[track_caller]
pub fn ceil_div<'k, A, B>(k: &'k Recorder, a: A, b: B) -> Value<'k, <(A, B) as Pair<'k>>::Number>
where
    (A, B): Pair<'k, Number: super::value::Integer>,
{
    let [a, b] = (a, b).pair(k);
    let one = <(A, B) as Pair<'k>>::Number::one(k);
    k.div((k.sub((k.add((a, b)), one)), b))
}

macro_rules! exchanges {
    ($($(#[doc = $doc:literal])+ $name:ident $op:ident;)+) => {$(
        $(#[doc = $doc])+
        #[track_caller]
        pub fn $name<'k, T: Number>(
            k: &'k Recorder,
            value: Value<'k, T>,
            operand: impl IntoValue<'k, u32>,
        ) -> Value<'k, T> {
            let operand = operand.into_value(k);
            let (ty, at) = (RegType::of(T::DTYPE), Location::caller());
            k.of_each_part(|part| {
                k.exchanged(Exchange::$op, ty, value.parts()[part], operand.reg, at)
            })
        }
    )+};
}
exchanges! {
    /// The value of the lane `operand` further down (with a higher number); the lane's own where there is none.
    exchange_down Down;
    /// The value of the lane `operand` further up; the lane's own where there is none.
    exchange_up Up;
    /// The value of the lane whose number is the own one, exclusive or the operand; the lane's own where there is none.
    exchange_xor Xor;
    /// The value of a lane, whose number is taken modulo the lanes.
    exchange Lane;
}

/// The lanes of the warp whose value is true, as bits.
#[track_caller]
pub fn ballot<'k>(k: &'k Recorder, value: Value<'k, bool>) -> Value<'k, u64> {
    let result =
        k.exchanged(Exchange::Ballot, RegType::U64, value.reg, value.reg, Location::caller());
    Value::of(k, result)
}
