//! Elements: ordinary ones, and those where arithmetic has edges.

use half::{bf16, f16};
use ndany::{DType, Element, Kind, Scalar};
use num_complex::Complex;

use crate::random::Random;

/// How the elements of one array are drawn.
#[derive(Clone, Copy)]
pub enum Flavour {
    /// Mostly ordinary, some edges.
    Mixed,
    /// Small integers, so that equal elements occur.
    Few,
    /// Edges only.
    Edges,
    /// Any bits.
    Bits,
}

pub const FLAVOURS: [Flavour; 5] =
    [Flavour::Mixed, Flavour::Mixed, Flavour::Few, Flavour::Edges, Flavour::Bits];

/// The bytes of `count` elements.
pub fn bytes(random: &mut Random, dtype: DType, count: usize, flavour: Flavour) -> Vec<u8> {
    let mut bytes = vec![0; count * dtype.size()];
    for element in bytes.chunks_exact_mut(dtype.size()) {
        match dtype {
            DType::Bool => (random.percent(50)).write_to(element),
            DType::I8 => (int(random, dtype, flavour) as i8).write_to(element),
            DType::I16 => (int(random, dtype, flavour) as i16).write_to(element),
            DType::I32 => (int(random, dtype, flavour) as i32).write_to(element),
            DType::I64 => (int(random, dtype, flavour) as i64).write_to(element),
            DType::U8 => (int(random, dtype, flavour) as u8).write_to(element),
            DType::U16 => (int(random, dtype, flavour) as u16).write_to(element),
            DType::U32 => (int(random, dtype, flavour) as u32).write_to(element),
            DType::U64 => (int(random, dtype, flavour) as u64).write_to(element),
            DType::F16 => half_float(random, flavour).write_to(element),
            DType::BF16 => brain_float(random, flavour).write_to(element),
            DType::F32 => single(random, flavour).write_to(element),
            DType::F64 => double(random, flavour).write_to(element),
            DType::C64 => {
                Complex::new(single(random, flavour), single(random, flavour)).write_to(element);
            }
            DType::C128 => {
                Complex::new(double(random, flavour), double(random, flavour)).write_to(element);
            }
        }
    }
    bytes
}

trait WriteTo {
    fn write_to(self, element: &mut [u8]);
}
impl<T: Element> WriteTo for T {
    fn write_to(self, element: &mut [u8]) {
        self.write(element);
    }
}

fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype.is_unsigned() {
        true => (0, (1i128 << bits) - 1),
        false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}

fn int(random: &mut Random, dtype: DType, flavour: Flavour) -> i128 {
    let (low, high) = limits(dtype);
    let few = |random: &mut Random| (random.range(-4, 9) as i128).max(low);
    let edge = |random: &mut Random| {
        let edges = [low, low + 1, high, high - 1, 0, 1, high / 2, 1.min(high), (-1).max(low)];
        random.choice(&edges)
    };
    match flavour {
        Flavour::Few => few(random),
        Flavour::Edges => edge(random),
        Flavour::Bits => i128::from(random.bits() as i64),
        Flavour::Mixed if random.percent(15) => edge(random),
        Flavour::Mixed if random.percent(30) => i128::from(random.bits() as i64),
        Flavour::Mixed => few(random),
    }
}

macro_rules! float {
    ($name:ident, $ty:ty, $bits:ty, $from:expr) => {
        fn $name(random: &mut Random, flavour: Flavour) -> $ty {
            let from = $from;
            let edge = |random: &mut Random| {
                let tiny = <$ty>::from_bits(1 + random.below(3) as $bits);
                let small = <$ty>::MIN_POSITIVE;
                let below = <$ty>::from_bits(small.to_bits() - 1);
                let edges = [
                    <$ty>::NAN,
                    <$ty>::INFINITY,
                    <$ty>::MAX,
                    from(0.0),
                    tiny,
                    small,
                    below,
                    from(1.0),
                    from(0.5),
                    from(65504.0),
                    from(2147483648.0),
                    from(1.5),
                ];
                let edge = random.choice(&edges);
                if random.percent(50) { -edge } else { edge }
            };
            match flavour {
                Flavour::Few => from(random.range(-3, 3) as f64),
                Flavour::Edges => edge(random),
                Flavour::Bits => <$ty>::from_bits(random.bits() as $bits),
                Flavour::Mixed if random.percent(10) => edge(random),
                Flavour::Mixed if random.percent(5) => <$ty>::from_bits(random.bits() as $bits),
                Flavour::Mixed => from(20.0 * random.unit() - 10.0),
            }
        }
    };
}
float!(half_float, f16, u16, f16::from_f64);
float!(brain_float, bf16, u16, bf16::from_f64);
float!(single, f32, u32, |value: f64| value as f32);
float!(double, f64, u64, |value: f64| value);

/// A scalar that an operation on `dtype` is likely to take.
pub fn scalar(random: &mut Random, dtype: DType) -> Scalar {
    let float = |random: &mut Random| {
        let values = [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 1e30, f64::INFINITY, f64::NAN, 1e-40];
        random.choice(&values)
    };
    let small = |random: &mut Random| random.range(0, 5) as i128;
    let weak = match random.below(4) {
        0 => Scalar::from(random.percent(50)),
        1 if dtype.kind() >= Kind::Float => Scalar::from(float(random)),
        2 if dtype.is_complex() => Scalar::weak_complex(float(random), float(random)),
        _ => Scalar::weak_int(small(random)),
    };
    if random.percent(80) {
        return weak;
    }
    let strong = random.choice(&DType::ALL);
    match strong.kind() {
        Kind::Bool | Kind::Int => Scalar::typed(strong, random.range(0, 5) as i64),
        Kind::Float | Kind::Complex => Scalar::typed(strong, float(random)),
    }
}
