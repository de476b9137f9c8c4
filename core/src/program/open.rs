//! Formulas that other crates declare: the engine knows them as data alone.
//!
//! An [`OpenFormula`] is a function over [`Algebra`](crate::formulas::algebra::Algebra) with a name. A program holds a call of it whole
//! ([`Op::CallOpen`]); its steps are recorded once, when they are first needed.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::{Body, Builder, Instr, Loop, Op, RegType, SsaValue, State};

/// Records a formula: takes the values of its operands and returns those of its results, all of one float type.
pub type RecordFn = for<'b> fn(&'b Builder, &[SsaValue<'b>]) -> State<'b>;

/// Code of a formula over blocks of float64: takes the blocks of its operands and those of its results, all of one length.
///
/// # Safety
/// On x86-64 the CPU has AVX2, FMA, BMI1, BMI2 and LZCNT.
pub type BlockFn = unsafe fn(&[&[f64]], &mut [&mut [f64]]);

/// A formula of another crate.
#[derive(Debug)]
pub struct OpenFormula {
    /// Its name in printed programs and device text.
    pub name: &'static str,
    /// How many floats it takes. Of more than [`OpenFormula::MAX_WHOLE`] it is written out where it is called.
    pub arity: usize,
    /// How many it returns, at most [`OpenFormula::MAX_RESULTS`].
    pub results: usize,
    /// Its steps in float64.
    pub wide: RecordFn,
    /// Its steps in float32, if it has such: else values of float32 are computed in float64 and rounded once.
    pub narrow: Option<RecordFn>,
    /// The promised bound of its error, in units of the last place, in formats of 32 and 64 bits.
    pub ulp: [u32; 2],
    /// Code that the compiler made of it for float64, for formulas that are used much: the CPU runs it in place of the steps.
    pub code: Option<BlockFn>,
    bodies: [OnceLock<Body>; 2],
    repeats: [OnceLock<bool>; 2],
    weights: [OnceLock<usize>; 2],
}

impl PartialEq for OpenFormula {
    /// Each is a static of its own.
    fn eq(&self, other: &OpenFormula) -> bool {
        std::ptr::eq(self, other)
    }
}
impl Eq for OpenFormula {}
impl Hash for OpenFormula {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}

/// Most steps of a loop that compilers of kernels write out one after the other.
const WRITTEN_OUT: u32 = 8;

impl OpenFormula {
    /// Maximum number of operands of a formula that a program holds whole.
    pub const MAX_WHOLE: usize = 3;
    /// Maximum number of results.
    pub const MAX_RESULTS: usize = 8;

    /// A formula of these steps. A static is made of it.
    pub const fn new(
        name: &'static str,
        arity: usize,
        results: usize,
        wide: RecordFn,
        narrow: Option<RecordFn>,
        ulp: [u32; 2],
    ) -> Self {
        assert!(arity >= 1, "operands of an open formula");
        assert!(results >= 1 && results <= Self::MAX_RESULTS, "results of an open formula");
        let bodies = [OnceLock::new(), OnceLock::new()];
        let repeats = [OnceLock::new(), OnceLock::new()];
        let weights = [OnceLock::new(), OnceLock::new()];
        Self { name, arity, results, wide, narrow, ulp, code: None, bodies, repeats, weights }
    }

    /// The same with [code](crate::block_code) of its own for blocks of float64.
    pub const fn with_code(mut self, code: BlockFn) -> Self {
        self.code = Some(code);
        self
    }

    /// Whether it has steps in this type.
    pub fn is_defined_in(&self, ty: RegType) -> bool {
        ty == RegType::F64 || (ty == RegType::F32 && self.narrow.is_some())
    }

    /// Its steps in a type in which it [is defined](OpenFormula::is_defined_in): arguments are the operands. Formulas that it
    /// calls are whole.
    pub fn body(&self, ty: RegType) -> &Body {
        let record = match ty {
            RegType::F32 => self.narrow.unwrap_or(self.wide),
            _ => self.wide,
        };
        self.bodies[usize::from(ty == RegType::F64)].get_or_init(|| {
            let builder = Builder::new();
            let operands: State<'_> = (0..self.arity)
                .map(|number| builder.push(Op::Argument(number as u16), ty, [0; 3]))
                .collect();
            builder.body_over(&operands, |operands| record(&builder, operands))
        })
    }

    /// Whether its steps, or those of a formula that it calls, repeat more often than a compiler writes them out. A branch, which takes
    /// one step at most, does not.
    pub fn repeats(&self, ty: RegType) -> bool {
        fn of(body: &Body) -> bool {
            let calls = |instr: &Instr| match instr.op {
                Op::CallOpen(formula) => formula.repeats(instr.ty),
                _ => false,
            };
            let loops = |own: &Loop| own.limit > WRITTEN_OUT || of(&own.condition) || of(&own.step);
            body.instrs.iter().any(calls) || body.loops.iter().any(|own| loops(own))
        }
        *self.repeats[usize::from(ty == RegType::F64)].get_or_init(|| of(self.body(ty)))
    }

    /// About how many steps it has, those of formulas that it calls included; a loop counts once.
    pub fn weight(&self, ty: RegType) -> usize {
        *self.weights[usize::from(ty == RegType::F64)].get_or_init(|| self.body(ty).weight())
    }
}

/// Declares the code of a formula over blocks of float64, for [`OpenFormula::with_code`]:
/// `block_code! { NAME, FLAT, [x, y], 1, formula }` declares the function `NAME` over two operands and one result, where
/// `formula(a, args)` returns an array of results. `FLAT` says that the formula has no loops and is computed without branches.
///
/// Everything that the formula calls has `#[inline(always)]`: what is not inlined has no fused multiplication.
#[macro_export]
macro_rules! block_code {
    ($name:ident, $flat:literal, [$($operand:ident),+], $results:literal, $formula:path) => {
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt"))]
        fn $name(operands: &[&[f64]], results: &mut [&mut [f64]]) {
            #[inline(always)]
            fn over<A: $crate::formulas::algebra::Algebra<F = f64>>(
                a: &A,
                operands: &[&[f64]],
                results: &mut [&mut [f64]],
            ) {
                let &[$($operand),+] = operands else { unreachable!("operands of a formula") };
                let Ok(results) = <&mut [&mut [f64]; $results]>::try_from(results) else {
                    unreachable!("results of a formula")
                };
                let count = results[0].len();
                $(let $operand = &$operand[..count];)+
                let mut results = results.each_mut().map(|result| &mut result[..count]);
                for number in 0..count {
                    let values: [f64; $results] = $formula(a, &[$($operand[number]),+]);
                    for (result, value) in results.iter_mut().zip(values) {
                        result[number] = value;
                    }
                }
            }
            use $crate::formulas::algebra::Native;
            if $flat {
                let usual = Native::<f64, false, true>::new();
                over(&usual, operands, results);
                if !usual.flagged() {
                    return;
                }
            }
            over(&Native::<f64, true>::new(), operands, results);
        }
    };
}
