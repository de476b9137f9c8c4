//! Compiled programs that each thread keeps: most launches repeat the program of an earlier one.
//!
//! A launch finds its program by the hash and compares all of it, which takes a small part of the time of compiling it. Threads
//! share nothing here, so no launch waits for another.

use std::cell::RefCell;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::thread::LocalKey;

use ndany_core::program::{Domain, Program};

use crate::compiled::CompiledProgram;
use crate::loops::Level;
use crate::map::MapCode;
use crate::reduce::ReduceCode;

/// Programs that a thread keeps: those that repeat in a loop of an application, at most half a megabyte of them.
const KEPT: usize = 64;

/// Programs of more instructions are compiled each time: they take long to compare, and their work takes longer than compiling.
const MOST_INSTRS: usize = 256;

struct Entry<T> {
    hash: u64,
    level: Discriminant<Level>,
    program: Program,
    compiled: Arc<T>,
}

/// What is made of programs, each in the place that its hash gives; there are no places before the first one.
struct ProgramCache<T>(Vec<Option<Entry<T>>>);

impl<T> ProgramCache<T> {
    const fn new() -> Self {
        Self(Vec::new())
    }

    fn find(&self, hash: u64, level: Level, program: &Program) -> Option<Arc<T>> {
        let entry = self.0.get(place(hash))?.as_ref()?;
        let same =
            entry.hash == hash && entry.level == discriminant(&level) && entry.program == *program;
        same.then(|| entry.compiled.clone())
    }

    /// Keeps an entry, and returns the one whose place it takes.
    fn keep(&mut self, entry: Entry<T>) -> Option<Entry<T>> {
        if self.0.is_empty() {
            self.0.resize_with(KEPT, || None);
        }
        self.0[place(entry.hash)].replace(entry)
    }
}

fn place(hash: u64) -> usize {
    (hash >> 32) as usize % KEPT
}

thread_local! {
    static CODES: RefCell<ProgramCache<CompiledProgram>> = const { RefCell::new(ProgramCache::new()) };
    static REDUCTIONS: RefCell<ProgramCache<ReduceCode>> = const { RefCell::new(ProgramCache::new()) };
    static MAPS: RefCell<ProgramCache<MapCode>> = const { RefCell::new(ProgramCache::new()) };
}

/// What `cache` has of this program, or what `make` makes of it, which is kept. `form` distinguishes what is made of one program.
fn cached<T>(
    cache: &'static LocalKey<RefCell<ProgramCache<T>>>,
    program: &Program,
    form: u64,
    level: Level,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    if program.instrs.len() > MOST_INSTRS {
        return Arc::new(make());
    }
    let hash = (program.fingerprint() ^ form).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // A thread that is ending has no cache any more.
    let found = cache.try_with(|cache| cache.borrow().find(hash, level, program));
    if let Ok(Some(compiled)) = found {
        return compiled;
    }
    let compiled = Arc::new(make());
    let entry = Entry {
        hash,
        level: discriminant(&level),
        program: program.clone(),
        compiled: compiled.clone(),
    };
    let before = cache.try_with(|cache| cache.borrow_mut().keep(entry));
    drop(before);
    compiled
}

/// The code of a launch whose reductions run one row at a time, or across rows.
pub(crate) fn reduce_code(program: &Program, level: Level) -> Arc<ReduceCode> {
    cached(&REDUCTIONS, program, 0, level, || ReduceCode::new(program, level))
}

/// The instructions of a program for launches that reduce or scan.
pub(crate) fn compiled(program: &Program, level: Level) -> Arc<CompiledProgram> {
    cached(&CODES, program, 0, level, || CompiledProgram::new(program, level))
}

/// The code of a map, of the outputs of `domain`. `in_place` has a bit for each output whose memory may hold its register.
pub(crate) fn map_code(
    program: &Program,
    domain: Domain,
    in_place: u64,
    level: Level,
) -> Arc<MapCode> {
    // The form and the hash are the key, so the form is mixed: it is not compared.
    let form = in_place.rotate_left(8) ^ (1 + domain as u64);
    cached(&MAPS, program, form, level, || MapCode::new(program, domain, in_place, level))
}

#[cfg(test)]
mod tests {
    use ndany_core::DType;
    use ndany_core::program::{Builder, Input, Op, Output, RegType};

    use super::*;

    /// A map that adds a number to an array.
    fn sum(number: f64) -> Program {
        let builder = Builder::new();
        let x = builder.push(Op::Load { input: 0, part: 0 }, RegType::F64, [0; 3]);
        let y = builder.push(Op::Const(number.to_bits()), RegType::F64, [0; 3]);
        let parts = [(x + y).reg(); 2];
        let mut program = Program::default();
        program.inputs.push(Input { dtype: DType::F64, domain: Domain::Element });
        program.outputs.push(Output { dtype: DType::F64, parts, domain: Domain::Element });
        builder.move_to(&mut program);
        program
    }

    #[test]
    fn a_program_is_compiled_once_for_each_form_and_level() {
        let (level, domain) = (Level::detect(), Domain::Element);
        let first = map_code(&sum(1.0), domain, 1, level);
        assert!(Arc::ptr_eq(&first, &map_code(&sum(1.0), domain, 1, level)));
        assert!(!Arc::ptr_eq(&first, &map_code(&sum(1.0), domain, 0, level)));
        let lowest = Level::named("v1").expect("every CPU has it");
        let same = discriminant(&lowest) == discriminant(&level);
        assert_eq!(
            same,
            Arc::ptr_eq(
                &map_code(&sum(2.0), domain, 1, level),
                &map_code(&sum(2.0), domain, 1, lowest)
            )
        );
    }

    #[test]
    fn programs_that_share_a_place_replace_each_other() {
        let level = Level::detect();
        let kept = compiled(&sum(0.0), level);
        for number in 1..4 * KEPT as u32 {
            let number = f64::from(number);
            let code = compiled(&sum(number), level);
            let constant = crate::compiled::Kind::Const(number.to_bits());
            assert!(format!("{code:?}").contains(&format!("{constant:?}")));
        }
        assert!(!Arc::ptr_eq(&kept, &compiled(&sum(0.0), level)));
    }
}
