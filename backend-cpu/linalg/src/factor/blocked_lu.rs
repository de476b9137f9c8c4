//! LU and its solutions on several threads: panels of columns are factored one after the other, and all other columns are
//! updated in stripes, each by one thread.
//!
//! The library divides every product of its recursion among the threads, and waits for them each time: on 16 cores it needs
//! three times as long for a matrix of 1000 rows. Here the threads meet once a panel, and the next panel is factored
//! beside the updates of the other columns (LAPACK's right-looking variant with a look-ahead of one panel).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor as lu;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::IntoConst;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::scale::Number;

/// Columns of a panel.
const PANEL: usize = 64;

/// Minimum columns of a stripe: narrower ones have slower products.
const LEAST: usize = 16;

/// Whether a matrix of these rows and columns is factored by panels.
pub(super) fn is_worthwhile(m: usize, n: usize, threads: usize) -> bool {
    threads > 1 && m.min(n) >= 4 * PANEL
}

/// The rows that a panel's exchanges move, relative to its first: where each goes, and where it comes from.
type Moves = Vec<(usize, usize)>;

/// Columns of a stripe, if this many are divided among the threads.
fn stripe(columns: usize, threads: usize) -> usize {
    columns.div_ceil(threads).max(LEAST)
}

/// LU of a panel in place.
fn factor_panel<T: Number>(panel: MatMut<'_, T>) -> Moves {
    let (m, n) = panel.shape();
    let (mut order, mut back) = (vec![0usize; m], vec![0usize; m]);
    let need = lu::lu_in_place_scratch::<usize, T>(m, n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    lu::lu_in_place(panel, &mut order, &mut back, Par::Seq, stack, Default::default());
    order.into_iter().enumerate().filter(|(to, from)| to != from).collect()
}

/// Moves the rows of some columns, of which the first row is the panel's.
fn move_rows<T: Number>(mut columns: MatMut<'_, T>, moves: &Moves, held: &mut Vec<T>) {
    for mut column in columns.as_mut().col_iter_mut() {
        held.clear();
        held.extend(moves.iter().map(|&(_, from)| column[from]));
        for (&(to, _), &value) in moves.iter().zip(&*held) {
            column[to] = value;
        }
    }
}

/// What a panel does to columns on its right, from the panel's first row on.
fn update<T: Number>(panel: MatRef<'_, T>, moves: &Moves, mut columns: MatMut<'_, T>) {
    move_rows(columns.as_mut(), moves, &mut Vec::new());
    let (above, below) = panel.split_at_row(panel.ncols());
    let (mut top, rest) = columns.split_at_row_mut(panel.ncols());
    solve_unit_lower_triangular_in_place(above, top.as_mut(), Par::Seq);
    if rest.nrows() > 0 {
        let minus_one = T::zero_impl() - T::one_impl();
        matmul(rest, Accum::Add, below, top.as_ref(), minus_one, Par::Seq);
    }
}

/// LU in place; `order[i]` is the row that became row `i`.
pub(super) fn factor<T: Number>(a: &mut Mat<T>, threads: usize) -> Vec<usize> {
    let (m, n) = a.shape();
    let least = m.min(n);
    let panels = least.div_ceil(PANEL);
    let width = |panel: usize| PANEL.min(least - panel * PANEL);
    let mut all: Vec<Moves> = Vec::with_capacity(panels);
    all.push(factor_panel(a.as_mut().subcols_mut(0, width(0))));
    for panel in 0..panels {
        let (first, columns) = (panel * PANEL, width(panel));
        let (left, right) = a.as_mut().split_at_col_mut(first + columns);
        let own = left.into_const().submatrix(first, first, m - first, columns);
        let right = right.subrows_mut(first, m - first);
        let moves = &all[panel];
        let next = if panel + 1 < panels { width(panel + 1) } else { 0 };
        let (mut ahead, rest) = right.split_at_col_mut(next);
        let stripes = stripe(rest.ncols(), threads);
        let mut found = None;
        rayon::scope(|scope| {
            scope.spawn(|_| {
                rest.par_col_chunks_mut(stripes).for_each(|columns| update(own, moves, columns));
            });
            if next > 0 {
                update(own, moves, ahead.as_mut());
                let below = m - first - columns;
                found = Some(factor_panel(ahead.as_mut().submatrix_mut(columns, 0, below, next)));
            }
        });
        all.extend(found);
    }
    // Exchanges of later panels move the rows of earlier ones.
    a.as_mut().subcols_mut(0, least).par_col_chunks_mut(PANEL).enumerate().for_each(
        |(panel, mut columns)| {
            let mut held = Vec::new();
            for (later, moves) in all.iter().enumerate().skip(panel + 1) {
                let first = later * PANEL;
                let below = columns.as_mut().subrows_mut(first, m - first);
                move_rows(below, moves, &mut held);
            }
        },
    );
    let mut order: Vec<usize> = (0..m).collect();
    for (panel, moves) in all.iter().enumerate() {
        let rows = &mut order[panel * PANEL..];
        let held: Vec<usize> = moves.iter().map(|&(_, from)| rows[from]).collect();
        moves.iter().zip(held).for_each(|(&(to, _), row)| rows[to] = row);
    }
    order
}

/// Whether so many right sides of a matrix of `n` rows are solved in stripes.
pub(super) fn has_stripes(n: usize, right: usize, threads: usize) -> bool {
    is_worthwhile(n, n, threads) && right >= threads * LEAST / 2
}

/// The solutions for right sides in place, whose rows are not in order yet.
pub(super) fn solve<T: Number>(
    factors: MatRef<'_, T>,
    order: &[usize],
    solved: MatMut<'_, T>,
    threads: usize,
) {
    let stripes = stripe(solved.ncols(), threads);
    solved.par_col_chunks_mut(stripes).for_each(|mut columns| {
        let mut held = Vec::new();
        for mut column in columns.as_mut().col_iter_mut() {
            held.clear();
            held.extend(order.iter().map(|&from| column[from]));
            held.iter().enumerate().for_each(|(row, &value)| column[row] = value);
        }
        solve_unit_lower_triangular_in_place(factors, columns.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(factors, columns, Par::Seq);
    });
}
