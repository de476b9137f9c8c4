//! Kernels whose launches are cut into parts, because a device limits the threads or blocks of a launch.
//!
//! Every pattern's kernel has its arguments in `struct Args a` and asks for its block by `block_x()` and for their
//! number by `grid_x()`. In front of the arguments come two words: the number of the part's first block, and the number
//! of blocks of the whole. Patterns know nothing of this.

use crate::{Dialect, Kernel, Source};

/// Words in front of a kernel's arguments.
pub const WORDS: usize = 2;

/// A kernel that runs in parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cut<K>(pub K);

/// Where a kernel's arguments begin.
const ARGUMENTS: &str = "struct Args {";

/// The same with the two words. A macro's own name inside of it is the dialect's function.
const OWN_ARGUMENTS: &str = "#define block_x() (block_x() + (u32)a.first_block)\n\
                             #define grid_x() ((u32)a.blocks_in_all)\n\
                             struct Args {\n    u64 first_block, blocks_in_all;\n";

impl<K: Kernel> Kernel for Cut<K> {
    fn source(&self, dialect: &Dialect) -> Source {
        let Source { text, entry } = self.0.source(dialect);
        debug_assert_eq!(text.matches(ARGUMENTS).count(), 1, "{entry}");
        Source { text: text.replacen(ARGUMENTS, OWN_ARGUMENTS, 1), entry }
    }
}
