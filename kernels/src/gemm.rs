//! The pattern `matmul`: batches of matrix products, where no vendor's library does them.
//!
//! A block has a tile of 64 by 64 sums, a thread 4 by 4 of them; slices of both matrices pass through shared memory.
//! Sums go in the order of the inner axis, each step rounded, so that they are those of the reference.
//!
//! Arguments: the extents m, k, n, the tiles of a row of tiles and those of a product (divisors), the index map over
//! the batch (left, right, out), the strides of left along m and k, of right along k and n, of out along m and n, the
//! addresses of left, right, out.

use std::fmt::Write;

use ndany_core::DType;

use crate::layout::IndexMap;
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Rows and columns of a block's tile.
pub const TILE: usize = 64;

/// Steps of the inner axis that lie in shared memory at once.
const DEPTH: usize = 8;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gemm {
    /// Of all three matrices.
    pub dtype: DType,
    /// Left, right and out along the axes of the batch.
    pub batch: IndexMap,
}

impl Kernel for Gemm {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/gemm.h"));
        let element = element_of(self.dtype);
        text.push_str("struct Args {\nu64 m, k, n;\nDivisor across, tiles;\n");
        self.batch.fields(&mut text, "batch");
        let _ = writeln!(
            text,
            "i64 left_m, left_k, right_k, right_n, out_m, out_n;\n\
             const {element}* left;\nconst {element}* right;\n{element}* out;\n}};"
        );
        let position = self.batch.position();
        let _ = writeln!(
            text,
            "typedef {element} T;\n\
             typedef Sum<T>::type S;\n\
             #define TILE {TILE}\n\
             #define DEPTH {DEPTH}\n\
             KERNEL({BLOCK}) gemm(const Args a) {{\n\
             SHARED T lefts[DEPTH][TILE + 1];\n\
             SHARED T rights[DEPTH][TILE + 1];\n\
             const u32 product = divide(block_x(), a.tiles);\n\
             const u32 tile = block_x() - product * extent_of(a.tiles);\n\
             const u32 down = divide(tile, a.across);\n\
             const i64 row = (i64)down * TILE, column = (i64)(tile - down * extent_of(a.across)) * TILE;\n\
             const {position} number = product;"
        );
        self.batch.offsets(&mut text, "batch", "number");
        text.push_str(
            "const T* left = a.left + batch_at0;\n\
             const T* right = a.right + batch_at1;\n\
             T* out = a.out + batch_at2;\n\
             S sums[4][4];\n\
             for (u32 i = 0; i < 4; i++) for (u32 j = 0; j < 4; j++) sums[i][j] = nothing<S>();\n\
             const u32 mine_i = thread() / 16, mine_j = thread() % 16;\n\
             for (u64 begin = 0; begin < a.k; begin += DEPTH) {\n\
             barrier();\n\
             // Neighbouring threads read neighbours: along k where those of left lie close, else along m; and so for right.\n\
             for (u32 at = thread(); at < TILE * DEPTH; at += 256) {\n\
             const bool k_close = a.left_k == 1;\n\
             const u32 i = k_close ? at / DEPTH : at % TILE, k = k_close ? at % DEPTH : at / TILE;\n\
             if (row + i < (i64)a.m && begin + k < a.k) lefts[k][i] = left[(row + i) * a.left_m + (i64)(begin + k) * a.left_k];\n\
             const bool right_close = a.right_k == 1 && a.right_n != 1;\n\
             const u32 j = right_close ? at / DEPTH : at % TILE, q = right_close ? at % DEPTH : at / TILE;\n\
             if (column + j < (i64)a.n && begin + q < a.k) rights[q][j] = right[(i64)(begin + q) * a.right_k + (column + j) * a.right_n];\n\
             }\n\
             barrier();\n\
             const u32 depth = a.k - begin < DEPTH ? (u32)(a.k - begin) : DEPTH;\n\
             for (u32 k = 0; k < depth; k++) {\n\
             S lines[4], columns[4];\n\
             for (u32 i = 0; i < 4; i++) lines[i] = widen(lefts[k][mine_i + 16 * i]);\n\
             for (u32 j = 0; j < 4; j++) columns[j] = widen(rights[k][mine_j + 16 * j]);\n\
             for (u32 i = 0; i < 4; i++) for (u32 j = 0; j < 4; j++) sums[i][j] = gain(sums[i][j], lines[i], columns[j]);\n\
             }\n\
             }\n\
             for (u32 i = 0; i < 4; i++) for (u32 j = 0; j < 4; j++) {\n\
             const i64 r = row + mine_i + 16 * i, c = column + mine_j + 16 * j;\n\
             if (r < (i64)a.m && c < (i64)a.n) put_sum(out[r * a.out_m + c * a.out_n], sums[i][j]);\n\
             }\n\
             }\n",
        );
        Source::new(&text, "gemm")
    }
}
