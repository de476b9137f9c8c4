//! Kernels of threads and blocks, for GPUs: reads of memory that lie together, and no sorts of all products or places.
//!
//! Kernels of closures give each run of entries, or each entry, to one thread. These kernels do the same sums in the same order, so
//! results have the same bits; a block reads its part of the entries together and keeps them in shared memory. They take float32
//! and float64 with int32 indices, and fewer than 2³¹ entries; what they do not take goes through `kernels`. Kernels of places alone
//! serve all dtypes of values.

use std::sync::LazyLock;

use ndany_array::extend::{expect, guess, sort_pairs};
use ndany_array::kernel::simt::*;
use ndany_array::kernel::{Init, RawArguments};
use ndany_array::{Array, DType, Device, Result, along};

use crate::support::{init, last, offsets, wide};

/// Threads of a block.
const BLOCK: u32 = 128;

/// Entries that a thread stages at a time; their reads do not wait for each other.
const ITEMS: u32 = 8;

/// Entries that a block stages at a time.
const STAGED: u32 = BLOCK * ITEMS;

/// Staged entries between two unused places: rows of 16 entries begin in different banks of shared memory.
const SKEW: u32 = 16;

/// Positions whose segments a block finds, neighbours by each thread.
const FOUND: u32 = BLOCK * ITEMS;

/// Entries of two arrays that a block of [`find_unions`] looks at.
const TILE: u32 = 1024;

/// Most entries of a row that are put in order by counting: the cost grows with the square.
const MOST_OF_ROW: i64 = 1024;

/// No column of a product.
const NONE: u32 = u32::MAX;

/// Threads of a block of [`collect_rows`].
const COLLECTING: u32 = 256;

/// The column of an entry, [`NONE`] beyond the last one.
#[device]
fn column_of(indices: &[i32], entry: u32, entries: u32) -> u32 {
    let mut column = NONE;
    if entry < entries {
        column = indices[entry] as u32;
    }
    column
}

/// An element below `end`, and 0 beyond.
#[device]
fn element_of<T: Real>(x: &[T], at: u32, end: u32) -> T {
    let mut element = T::zero();
    if at < end {
        element = x[at];
    }
    element
}

/// The place of an entry that is staged.
#[device]
fn skewed(place: u32) -> u32 {
    place + place / SKEW
}

/// Sums of runs of products: `sums[r]` is that of the entries from `bounds[r]` to `bounds[r + 1]`.
///
/// The runs of a block lie together. Their products are staged in shared memory, a stretch at a time, by reads of neighbours; then
/// each thread adds those of its own run from left to right.
#[kernel]
fn run_sums<T: Real>(bounds: &[i32], indices: &[i32], data: &[T], x: &[T], sums: &mut [T]) {
    let stage = shared::<T>(STAGED + STAGED / SKEW);
    let (t, first, count) = (thread_x(), block_x() * BLOCK, sums.len());
    let run = first + t;
    let (mut p, mut end) = (0u32, 0u32);
    if run < count {
        (p, end) = (bounds[run] as u32, bounds[run + 1] as u32);
    }
    let stop = bounds[(first + BLOCK).min(count)] as u32;
    let entries = stop.min(indices.len()).min(data.len());
    let mut base = bounds[first] as u32;
    let mut sum = T::zero();
    while base < stop {
        // All columns of a group are read before the first element of `x`, and all products are stored after the last read.
        for group in 0..ITEMS / 4 {
            let place = group * 4 * BLOCK + t;
            let entry = base + place;
            let c0 = column_of(&indices, entry, entries);
            let c1 = column_of(&indices, entry + BLOCK, entries);
            let c2 = column_of(&indices, entry + 2 * BLOCK, entries);
            let c3 = column_of(&indices, entry + 3 * BLOCK, entries);
            let d0 = element_of(&data, entry, entries);
            let d1 = element_of(&data, entry + BLOCK, entries);
            let d2 = element_of(&data, entry + 2 * BLOCK, entries);
            let d3 = element_of(&data, entry + 3 * BLOCK, entries);
            let x0 = element_of(&x, c0, x.len());
            let x1 = element_of(&x, c1, x.len());
            let x2 = element_of(&x, c2, x.len());
            let x3 = element_of(&x, c3, x.len());
            // Places beyond the entries are not read.
            stage[skewed(place)] = d0 * x0;
            stage[skewed(place + BLOCK)] = d1 * x1;
            stage[skewed(place + 2 * BLOCK)] = d2 * x2;
            stage[skewed(place + 3 * BLOCK)] = d3 * x3;
        }
        barrier();
        let until = end.min(base + STAGED);
        while p < until {
            sum += stage[skewed(p - base)];
            p += 1;
        }
        barrier();
        base += STAGED;
    }
    if run < count {
        sums[run] = sum;
    }
}

/// The last position of `low..high` whose element is not above `wanted`; elements rise.
#[device]
pub(crate) fn last_not_above(x: &[i32], wanted: u32, low: u32, high: u32) -> u32 {
    let (mut from, mut to) = (low, high);
    while to - from > 1 {
        let middle = (from + to) / 2;
        if x[middle] as u32 <= wanted {
            from = middle;
        } else {
            to = middle;
        }
    }
    from
}

/// The same by all lanes of a warp together, which read as many places at a time as there are lanes. They all ask for the same.
#[device]
pub(crate) fn last_not_above_by_warp(x: &[i32], wanted: u32, low: u32, high: u32) -> u32 {
    let (mut from, mut to) = (low, high);
    while to - from > 1 {
        let width = ceil_div(to - from, lanes());
        let probe = from + lane() * width;
        let mut is_reached = false;
        if probe < to {
            is_reached = x[probe] as u32 <= wanted;
        }
        from += (ballot(is_reached).count_ones().max(1) - 1) * width;
        to = (from + width).min(to);
    }
    from
}

/// Finds the segments of the positions `start..stop`, at most [`FOUND`]: that of position `p` stands at `skewed(p - start)` of `found`.
///
/// A block searches the segments of its first and last position. A thread searches between those for the first of its positions, and
/// again after the end of each segment.
#[device]
fn find_segments(offsets: &[i32], start: u32, stop: u32, found: &mut [u32]) {
    let count = offsets.len() - 1;
    let first = last_not_above_by_warp(&offsets, start, 0u32, count);
    let last = last_not_above_by_warp(&offsets, stop - 1, first, count);
    let mut p = start + thread_x() * ITEMS;
    let end = stop.min(p + ITEMS);
    let (mut segment, mut next) = (0u32, 0u32);
    while p < end {
        if p >= next {
            segment = last_not_above(&offsets, p, first, last + 1);
            next = offsets[segment + 1] as u32;
        }
        found[skewed(p - start)] = segment;
        p += 1;
    }
    barrier();
}

/// The segment of each position; segment `s` is `offsets[s] .. offsets[s + 1]`.
#[kernel]
fn segments(offsets: &[i32], found: &mut [i32]) {
    let mut own = shared::<u32>(FOUND + FOUND / SKEW);
    let start = block_x() * FOUND;
    let stop = (start + FOUND).min(found.len());
    find_segments(&offsets, start, stop, &mut own);
    for k in 0..ITEMS {
        let place = thread_x() + k * BLOCK;
        if start + place < stop {
            found[start + place] = own[skewed(place)] as i32;
        }
    }
}

/// Notes at position `p`, if it is not above `last`, that a key begins there and that the one before it ends.
#[device]
fn begin_key(p: u32, last: u32, before: u32, own: u32, begins: &mut [i32], ends: &mut [i32]) {
    if p <= last {
        if p == 0 || before != own {
            begins[own + 1] = p as i32;
            if p > 0 {
                ends[before + 1] = p as i32;
            }
        }
        if p == last {
            ends[own + 1] = last as i32 + 1;
        }
    }
}

/// Where keys that rise begin and end: those of key `k` are from `begins[k + 1]` to `ends[k + 1]`; both stay as they are where there are
/// none.
#[kernel]
fn begin_keys(keys: &[u32], begins: &mut [i32], ends: &mut [i32]) {
    let (first, last) = (block_x() * BLOCK * 4 + thread_x(), keys.len() - 1);
    let (p1, p2, p3) = (first + BLOCK, first + 2 * BLOCK, first + 3 * BLOCK);
    // All reads are under way before the first of them is waited for.
    let (k0, b0) = (keys[first.min(last)], keys[first.max(1).min(last + 1) - 1]);
    let (k1, b1) = (keys[p1.min(last)], keys[p1.min(last + 1) - 1]);
    let (k2, b2) = (keys[p2.min(last)], keys[p2.min(last + 1) - 1]);
    let (k3, b3) = (keys[p3.min(last)], keys[p3.min(last + 1) - 1]);
    begin_key(first, last, b0, k0, &mut begins, &mut ends);
    begin_key(p1, last, b1, k1, &mut begins, &mut ends);
    begin_key(p2, last, b2, k2, &mut begins, &mut ends);
    begin_key(p3, last, b3, k3, &mut begins, &mut ends);
}

/// Counts keys: how often each comes stands after its place, so that sums up to each place are those of the keys before.
#[kernel]
fn count_keys(keys: &[i32], counts: &mut [i32]) {
    let p = global_x();
    if p < keys.len() {
        counts.atomic_add(keys[p] + 1, 1);
    }
}

/// Sorts the entries of each segment by column, equal ones by position, by counting those that come before; `order` and `columns` are
/// theirs. `twice` becomes 1 where a segment has a column twice.
#[kernel]
fn order_places(
    offsets: &[i32],
    order: &[i32],
    columns: &[i32],
    sorted: &mut [i32],
    indices: &mut [i32],
    twice: &mut [i32],
) {
    let (start, count) = (block_x() * FOUND, offsets.len() - 1);
    let stop = (start + FOUND).min(order.len());
    let first = last_not_above_by_warp(&offsets, start, 0u32, count);
    let last = last_not_above_by_warp(&offsets, stop - 1, first, count);
    let mut p = start + thread_x();
    while p < stop {
        let segment = last_not_above(&offsets, p, first, last + 1);
        let (begin, end) = (offsets[segment] as u32, offsets[segment + 1] as u32);
        let (own, column) = (order[p], columns[p]);
        let (mut rank, mut same, mut i) = (0u32, 0u32, begin);
        while i < end {
            let other = columns[i];
            if other < column {
                rank += 1;
            }
            if other == column {
                same += 1;
                if order[i] < own {
                    rank += 1;
                }
            }
            i += 1;
        }
        sorted[begin + rank] = own;
        indices[begin + rank] = column;
        if same > 1 {
            twice.atomic_max(0, 1);
        }
        p += BLOCK;
    }
}

/// The first position of `low..high` whose element is not below `wanted`, `high` where there is none; elements rise.
#[device]
fn first_not_below(x: &[i32], wanted: i32, low: u32, high: u32) -> u32 {
    let (mut from, mut to) = (low, high);
    while from < to {
        let middle = (from + to) / 2;
        if x[middle] < wanted {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// The number of entries of each row, after a zero, with one on the diagonal; columns rise in each row.
#[kernel]
fn lengths_with_diagonal(indptr: &[i32], indices: &[i32], lengths: &mut [i32]) {
    let row = global_x();
    if row < indptr.len() - 1 {
        let (begin, end) = (indptr[row] as u32, indptr[row + 1] as u32);
        let at = first_not_below(&indices, row as i32, begin, end);
        let mut length = (end - begin + 1) as i32;
        if at < end {
            if indices[at] == row as i32 {
                length -= 1;
            }
        }
        lengths[row + 1] = length;
        if row == 0 {
            lengths[0] = 0;
        }
    }
}

/// Enters a diagonal among the entries of each row, or in place of that which is there: `columns` are those of the result, whose rows
/// begin at `begins`, and `from` which entry each is, or `-1 - row` on the diagonal. A thread has an entry and a row.
#[kernel]
fn enter_diagonal(
    indptr: &[i32],
    indices: &[i32],
    begins: &[i32],
    columns: &mut [i32],
    from: &mut [i32],
) {
    let (start, count) = (block_x() * FOUND, indptr.len() - 1);
    let mut row = start + thread_x();
    while row < (start + FOUND).min(count) {
        let begin = indptr[row] as u32;
        let at = first_not_below(&indices, row as i32, begin, indptr[row + 1] as u32);
        let place = begins[row] as u32 + (at - begin);
        columns[place] = row as i32;
        from[place] = -1 - row as i32;
        row += BLOCK;
    }
    let stop = (start + FOUND).min(indices.len());
    if start < stop {
        let first = last_not_above_by_warp(&indptr, start, 0u32, count);
        let last = last_not_above_by_warp(&indptr, stop - 1, first, count);
        let mut p = start + thread_x();
        while p < stop {
            let own = last_not_above(&indptr, p, first, last + 1);
            let (column, begin) = (indices[p], indptr[own]);
            let length = indptr[own + 1] - begin;
            let mut place = begins[own] + (p as i32 - begin);
            if column > own as i32 {
                // One more than entries, unless there is one on the diagonal.
                place += begins[own + 1] - begins[own] - length;
            }
            if column != own as i32 {
                columns[place] = column;
                from[place] = p as i32;
            }
            p += BLOCK;
        }
    }
}

/// Divides the entries of two arrays of as many rows into tiles.
///
/// The entries of both stand in the order of their rows and columns, which rise in each row; of two at one place the left one is first.
/// A tile is `TILE` entries in this order. It begins in row `rows[t]`, with the entry `lefts[t]` of the left array.
#[kernel]
fn divide_unions(
    left_offsets: &[i32],
    left: &[i32],
    right_offsets: &[i32],
    right: &[i32],
    rows: &mut [i32],
    lefts: &mut [i32],
) {
    let t = global_x();
    if t < rows.len() {
        let start = (t * TILE).min(left.len() + right.len());
        // The last row that does not begin after the start of the tile.
        let (mut row, mut to) = (0u32, left_offsets.len() - 1);
        while to - row > 1 {
            let middle = (row + to) / 2;
            if (left_offsets[middle] + right_offsets[middle]) as u32 <= start {
                row = middle;
            } else {
                to = middle;
            }
        }
        let (p, end) = (left_offsets[row] as u32, left_offsets[row + 1] as u32);
        let (q, right_end) = (right_offsets[row] as u32, right_offsets[row + 1] as u32);
        // Entries of the row before the tile, and how many of them are of the left array.
        let before = start - p - q;
        let mut least = 0u32;
        if before > right_end - q {
            least = before - (right_end - q);
        }
        let mut most = before.min(end - p);
        while least < most {
            let middle = (least + most) / 2;
            if left[p + middle] <= right[q + (before - 1 - middle)] {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        rows[t] = row as i32;
        lefts[t] = (p + least) as i32;
    }
}

/// Says for each entry in the order of [`divide_unions`], as bits of words, whether it is of the left array (`is_left`), and whether it is of
/// the right array at the place of a left one (`meets`). `before` is how many entries of the left array precede each word, `counts` how
/// many bits of `meets` it has.
#[kernel]
fn find_unions(
    left_offsets: &[i32],
    left: &[i32],
    right_offsets: &[i32],
    right: &[i32],
    rows: &[i32],
    lefts: &[i32],
    is_left: &mut [u32],
    meets: &mut [u32],
    before: &mut [i32],
    counts: &mut [i32],
) {
    let (own_left, own_meets) = (shared::<u32>(TILE / 32), shared::<u32>(TILE / 32));
    let (t, tile) = (thread_x(), block_x());
    let start = tile * TILE;
    let (row, last_row) = (rows[tile] as u32, rows[tile + 1] as u32);
    let (begin, stop) = (lefts[tile] as u32, lefts[tile + 1] as u32);
    let (right_begin, right_stop) =
        (start - begin, (start + TILE).min(left.len() + right.len()) - stop);
    if t < TILE / 32 {
        own_left[t] = 0;
        own_meets[t] = 0;
    }
    barrier();
    // The last entry of the left array before the tile may be at the place of the first one in it.
    let mut p = begin + t;
    if begin > left_offsets[row] as u32 {
        p -= 1;
    }
    while p < stop {
        let own = last_not_above(&left_offsets, p, row, last_row + 1);
        let end = right_offsets[own + 1] as u32;
        let from = (right_offsets[own] as u32).max(right_begin);
        let q = first_not_below(&right, left[p], from, end.min(right_stop));
        let place = p + q;
        if p >= begin {
            own_left.atomic_or((place - start) / 32, 1u32 << ((place - start) % 32));
        }
        let mut is_met = false;
        if q < end {
            is_met = right[q] == left[p];
        }
        let next = place + 1 - start;
        if is_met && next < TILE {
            own_meets.atomic_or(next / 32, 1u32 << (next % 32));
        }
        p += BLOCK;
    }
    barrier();
    let word = tile * (TILE / 32) + t;
    if t < TILE / 32 && word < counts.len() {
        let (mut ahead, mut i) = (begin, 0u32);
        while i < t {
            ahead += own_left[i].count_ones();
            i += 1;
        }
        is_left[word] = own_left[t];
        meets[word] = own_meets[t];
        before[word] = ahead as i32;
        counts[word] = own_meets[t].count_ones() as i32;
    }
}

/// The bits of a word below one of its places.
#[device]
fn below_place(word: u32, place: u32) -> u32 {
    word & ((1u32 << (place % 32)) - 1)
}

/// How many of the first `place` entries in the order of [`divide_unions`] are at the place of the entry before them; `met` are the running
/// sums of the words' counts.
#[device]
fn met_before(place: u32, meets: &[u32], met: &[i32]) -> u32 {
    let word = meets[place / 32];
    met[place / 32] as u32 - word.count_ones() + below_place(word, place).count_ones()
}

/// Where each row of the union of two arrays begins.
#[kernel]
fn begin_unions(
    left_offsets: &[i32],
    right_offsets: &[i32],
    meets: &[u32],
    met: &[i32],
    begins: &mut [i32],
) {
    let row = global_x();
    if row < begins.len() {
        let place = (left_offsets[row] + right_offsets[row]) as u32;
        begins[row] = (place - met_before(place, &meets, &met)) as i32;
    }
}

/// Writes the union of two arrays: its columns, and the entry of each array at a place, else -1.
#[kernel]
fn unite_places(
    left: &[i32],
    right: &[i32],
    is_left: &[u32],
    meets: &[u32],
    before: &[i32],
    met: &[i32],
    columns: &mut [i32],
    at_left: &mut [i32],
    at_right: &mut [i32],
) {
    let k = global_x();
    let all = left.len() + right.len();
    if k < all && (meets[k / 32] >> (k % 32)) & 1 == 0 {
        let word = is_left[k / 32];
        let p = before[k / 32] as u32 + below_place(word, k).count_ones();
        let place = k - met_before(k, &meets, &met);
        if (word >> (k % 32)) & 1 == 1 {
            let mut partner = -1i32;
            if (meets[(k + 1) / 32] >> ((k + 1) % 32)) & 1 == 1 {
                partner = (k - p) as i32;
            }
            columns[place] = left[p];
            at_left[place] = p as i32;
            at_right[place] = partner;
        } else {
            columns[place] = right[k - p];
            at_left[place] = -1;
            at_right[place] = (k - p) as i32;
        }
    }
}

/// The product of a row of one array with another array, of at most four products a thread.
///
/// The products are staged with their columns. The first one of a column adds all of it, in their order, and its place is the number
/// of smaller columns whose sum is not zero. Results lie at the row's first product; `counts` says how many there are.
#[kernel]
fn multiply_rows<T: Real, const THREADS: u32>(
    firsts: &[i32],
    left_indptr: &[i32],
    left_indices: &[i32],
    left: &[T],
    right_indptr: &[i32],
    right_indices: &[i32],
    right: &[T],
    columns: &mut [i32],
    values: &mut [T],
    counts: &mut [i32],
) {
    let (own, kept) = (shared::<u32>(4 * THREADS), shared::<u32>(4 * THREADS));
    let (ranks, left_out) = (shared::<u32>(4 * THREADS), shared::<u32>(1));
    let (terms, sums) = (shared::<T>(4 * THREADS), shared::<T>(4 * THREADS));
    let (row, t) = (block_x(), thread_x());
    let (entry, entries) = (left_indptr[row] as u32, left_indptr[row + 1] as u32);
    let begin = firsts[entry] as u32;
    let count = firsts[entries] as u32 - begin;
    let groups = (count + 3) / 4;
    if t == 0 {
        left_out[0] = 0;
    }
    for j in (t..4 * groups).step_by(THREADS) {
        let mut column = NONE;
        if j < count {
            let at = last_not_above(&firsts, begin + j, entry, entries);
            let partner = right_indptr[left_indices[at]] as u32 + (begin + j - firsts[at] as u32);
            column = right_indices[partner] as u32;
            terms[j] = left[at] * right[partner];
        }
        own[j] = column;
    }
    barrier();
    for j in (t..count).step_by(THREADS) {
        let column = own[j];
        let (mut rank, mut same, mut group) = (0u32, 0u32, 0u32);
        while group < groups {
            // By the mask, which changes nothing, the compiler knows that the places are within bounds.
            let i = (4 * group) & (4 * THREADS - 4);
            let (a, b, c, d) = (own[i], own[i + 1], own[i + 2], own[i + 3]);
            rank += (a < column) as u32 + (b < column) as u32;
            rank += (c < column) as u32 + (d < column) as u32;
            same += (a == column) as u32 + (b == column) as u32;
            same += (c == column) as u32 + (d == column) as u32;
            group += 1;
        }
        let (mut sum, mut earlier) = (T::zero(), 0u32);
        if same == 1 {
            sum += terms[j];
        } else {
            let mut next = 0u32;
            while next < count {
                let i = next & (4 * THREADS - 1);
                if own[i] == column {
                    sum += terms[i];
                    if i < j {
                        earlier += 1;
                    }
                }
                next += 1;
            }
        }
        sums[j] = sum;
        ranks[j] = rank;
        let is_kept = earlier == 0 && sum != 0;
        kept[j] = if is_kept { column } else { NONE };
        if !is_kept {
            left_out.atomic_max(0, 1);
        }
    }
    barrier();
    // The rank among all is that among those kept if all are.
    let is_whole = left_out[0] == 0;
    for j in (t..count).step_by(THREADS) {
        let column = kept[j];
        let (mut rank, mut size, mut i) = (ranks[j], count, 0u32);
        if !is_whole {
            (rank, size) = (0u32, 0u32);
            while i < count {
                if kept[i] < column {
                    rank += 1;
                }
                if kept[i] != NONE {
                    size += 1;
                }
                i += 1;
            }
        }
        if column != NONE {
            columns[begin + rank] = column as i32;
            values[begin + rank] = sums[j];
        }
        if j == 0 {
            counts[row] = size as i32;
        }
    }
}

/// Brings rows together: that of a row begins at `begin[row]`, and goes to `indptr[row]`. A row has `LANES` neighbouring threads.
#[kernel]
fn collect_rows<T: Real, const LANES: u32>(
    begin: &[i32],
    indptr: &[i32],
    columns: &[i32],
    values: &[T],
    indices: &mut [i32],
    data: &mut [T],
) {
    let row = block_x() * (COLLECTING / LANES) + thread_x() / LANES;
    let t = thread_x() % LANES;
    if row < indptr.len() - 1 {
        let from = begin[row] as u32;
        let (to, end) = (indptr[row] as u32, indptr[row + 1] as u32);
        for j in (t..end - to).step_by(LANES) {
            indices[to + j] = columns[from + j];
            data[to + j] = values[from + j];
        }
    }
}

/// Elements of a chunk of the plan of reductions, each of whose [`BLOCK`] accumulators adds every [`BLOCK`]th of them.
const CHUNK: u32 = ndany_core::plan::CHUNK as u32;
const _: () = assert!(ndany_core::plan::ACCUMULATORS == BLOCK as usize);

/// Rows of a basis that a block of [`inner_chunks`] multiplies at a time.
const ROWS: u32 = 4;

/// Threads that add up the accumulators of a row.
const GROUP: u32 = BLOCK / (2 * ROWS);

/// The sum of the accumulators of a chunk of `held` elements, which begin at `first`, in the order of the plan of reductions: each with
/// the one half the number of accumulators further, then a quarter, and so on. A thread of a group has every [`GROUP`]th of them, so that
/// the first steps are its own. The sum is that of lane 0.
#[device]
fn sum_of_chunk<T: Real>(stage: &[T], first: u32, lane: u32, held: u32) -> T {
    let at = first + lane;
    let (mut a, mut b) = (stage[at], stage[at + GROUP]);
    let (mut c, mut d) = (stage[at + 2 * GROUP], stage[at + 3 * GROUP]);
    if lane + 4 * GROUP < held {
        a += stage[at + 4 * GROUP];
    }
    if lane + 5 * GROUP < held {
        b += stage[at + 5 * GROUP];
    }
    if lane + 6 * GROUP < held {
        c += stage[at + 6 * GROUP];
    }
    if lane + 7 * GROUP < held {
        d += stage[at + 7 * GROUP];
    }
    if lane + 2 * GROUP < held {
        a += c;
    }
    if lane + 3 * GROUP < held {
        b += d;
    }
    if lane + GROUP < held {
        a += b;
    }
    let mut step = GROUP / 2;
    while step > 0 {
        let other = exchange_down(a, step);
        if lane < step && lane + step < held {
            a += other;
        }
        step /= 2;
    }
    a
}

/// The sums of a chunk of each row of a basis times two vectors: those times `x` in the first rows of `sums`, those times `y` in the
/// others. A block reads its part of both vectors once for [`ROWS`] rows; the next blocks, which take the other rows, find that part in
/// the cache.
#[kernel]
fn inner_chunks<T: Real>(basis: &Matrix<T>, x: &[T], y: &[T], sums: &mut Matrix<T>) {
    let stage = shared::<T>(2 * ROWS * BLOCK);
    let groups = (basis.rows() + ROWS - 1) / ROWS;
    let (t, chunk, first) = (thread_x(), block_x() / groups, block_x() % groups * ROWS);
    let (begin, end) = (chunk * CHUNK, basis.rows() - 1);
    let stop = basis.columns().min(x.len()).min(y.len()).min(begin + CHUNK);
    // Rows that are not there are the last one again.
    let (r, s) = (first.min(end), (first + 1).min(end));
    let (u, v) = ((first + 2).min(end), (first + 3).min(end));
    let (mut rx, mut sx, mut ux, mut vx) = (T::zero(), T::zero(), T::zero(), T::zero());
    let (mut ry, mut sy, mut uy, mut vy) = (T::zero(), T::zero(), T::zero(), T::zero());
    let mut p = begin + t;
    if p < stop {
        let (a, b) = (x[p], y[p]);
        let (f, g) = (basis[(r, p)], basis[(s, p)]);
        let (h, i) = (basis[(u, p)], basis[(v, p)]);
        (rx, sx, ux, vx) = (f * a, g * a, h * a, i * a);
        (ry, sy, uy, vy) = (f * b, g * b, h * b, i * b);
    }
    p += BLOCK;
    while p < stop {
        let (a, b) = (x[p], y[p]);
        let (f, g) = (basis[(r, p)], basis[(s, p)]);
        let (h, i) = (basis[(u, p)], basis[(v, p)]);
        rx += f * a;
        sx += g * a;
        ux += h * a;
        vx += i * a;
        ry += f * b;
        sy += g * b;
        uy += h * b;
        vy += i * b;
        p += BLOCK;
    }
    stage[t] = rx;
    stage[BLOCK + t] = sx;
    stage[2 * BLOCK + t] = ux;
    stage[3 * BLOCK + t] = vx;
    stage[4 * BLOCK + t] = ry;
    stage[5 * BLOCK + t] = sy;
    stage[6 * BLOCK + t] = uy;
    stage[7 * BLOCK + t] = vy;
    barrier();
    // Sixteen neighbouring threads have a row.
    let (row, lane) = (t / GROUP, t % GROUP);
    let sum = sum_of_chunk(&stage, row * BLOCK, lane, stop - begin);
    let (own, which) = (first + row % ROWS, row / ROWS);
    if lane == 0 && own <= end {
        sums[(which * (end + 1) + own, chunk)] = sum;
    }
}

/// Most vectors of a basis that [`project`] takes.
const MOST_VECTORS: u32 = 32;

/// Adds `count` terms, at most [`MOST_VECTORS`], in the order of the plan of reductions; the sum replaces the first one. A thread has the
/// term `number`, which is at `at`; they are `apart` from each other. All threads of the block come here.
#[device]
fn halve<T: Real>(terms: &mut [T], at: u32, number: u32, apart: u32, count: u32) {
    barrier();
    for k in 1..6 {
        let step = MOST_VECTORS >> k;
        if number < step && number + step < count {
            terms[at] += terms[at + step * apart];
        }
        barrier();
    }
}

/// The coefficients along the vectors of a basis, as `gmres::Projection` has them, of the products of each vector with what is projected
/// and with the newest vector, one after the other. The newest row of the inverse is made first. A block has a thread for each number of
/// the inverse.
#[kernel]
fn project<T: Real>(products: &[T], inverse: &mut Matrix<T>, h: &mut [T]) {
    let (mut newest, mut terms) =
        (shared::<T>(MOST_VECTORS * MOST_VECTORS), shared::<T>(MOST_VECTORS * MOST_VECTORS));
    let (row, column) = (thread_x() / MOST_VECTORS, thread_x() % MOST_VECTORS);
    let (at, count) = (thread_x(), h.len().min(MOST_VECTORS));
    let last = count - 1;
    let (mut own, mut product) = (T::zero(), T::zero());
    if row < count && column < inverse.columns() {
        own = inverse[(row, column)];
    }
    if column < count {
        product = products[column];
    }
    if row < last {
        newest[at] = products[count + row] * own;
    }
    halve(&mut newest, at, row, MOST_VECTORS, last);
    if row == last && last > 0 && column < inverse.columns() {
        own -= newest[column];
        inverse[(last, column)] = own;
    }
    // Other rows have no terms.
    let mut held = 0u32;
    if row < count {
        held = count;
        terms[at] = own * product;
    }
    halve(&mut terms, at, column, 1u32, held);
    if row < count && column == 0 {
        h[row] = terms[at];
    }
}

/// The sum of every fourth of `count` rows of a basis times a number each, at most half of [`MOST_VECTORS`], from `first` on, at a column,
/// in the order of the plan of reductions: each with the one 8 further, then 4. A row that is not there is the last one again. All are
/// read before one is multiplied, since a product waits for what it reads.
#[device]
fn every_fourth_of_few<T: Real>(
    basis: &Matrix<T>,
    numbers: &[T],
    first: u32,
    p: u32,
    count: u32,
) -> T {
    let last = count - 1;
    let (i, j) = (first.min(last), (first + 8).min(last));
    let (k, l) = ((first + 4).min(last), (first + 12).min(last));
    let (u, v, x, y) = (basis[(i, p)], basis[(j, p)], basis[(k, p)], basis[(l, p)]);
    let (m, n, q, r) = (numbers[i], numbers[j], numbers[k], numbers[l]);
    let (mut a, b, mut c, d) = (u * m, v * n, x * q, y * r);
    if first + 8 < count {
        a += b;
    }
    if first + 12 < count {
        c += d;
    }
    if first + 4 < count {
        a += c;
    }
    a
}

/// The same of at most [`MOST_VECTORS`] rows: each with the one 16 further first.
#[device]
fn every_fourth<T: Real>(basis: &Matrix<T>, numbers: &[T], first: u32, p: u32, count: u32) -> T {
    let last = count - 1;
    let (i, i16) = (first.min(last), (first + 16).min(last));
    let (j, j16) = ((first + 8).min(last), (first + 24).min(last));
    let (k, k16) = ((first + 4).min(last), (first + 20).min(last));
    let (l, l16) = ((first + 12).min(last), (first + 28).min(last));
    let (u, u16) = (basis[(i, p)], basis[(i16, p)]);
    let (v, v16) = (basis[(j, p)], basis[(j16, p)]);
    let (x, x16) = (basis[(k, p)], basis[(k16, p)]);
    let (y, y16) = (basis[(l, p)], basis[(l16, p)]);
    let (m, m16) = (numbers[i], numbers[i16]);
    let (n, n16) = (numbers[j], numbers[j16]);
    let (q, q16) = (numbers[k], numbers[k16]);
    let (r, r16) = (numbers[l], numbers[l16]);
    let (mut a, mut b, mut c, mut d) = (u * m, v * n, x * q, y * r);
    if first + 16 < count {
        a += u16 * m16;
    }
    if first + 24 < count {
        b += v16 * n16;
    }
    if first + 20 < count {
        c += x16 * q16;
    }
    if first + 28 < count {
        d += y16 * r16;
    }
    if first + 8 < count {
        a += b;
    }
    if first + 12 < count {
        c += d;
    }
    if first + 4 < count {
        a += c;
    }
    a
}

/// The sum of `count` rows of a basis, from 1 to [`MOST_VECTORS`], times a number each, at a column, in the order of the plan of reductions.
#[device]
fn sum_of_rows<T: Real>(basis: &Matrix<T>, numbers: &[T], p: u32, count: u32) -> T {
    let mut sum = T::zero();
    if count <= MOST_VECTORS / 2 {
        sum = every_fourth_of_few(&basis, &numbers, 0u32, p, count);
        if 2 < count {
            sum += every_fourth_of_few(&basis, &numbers, 2u32, p, count);
        }
        if 1 < count {
            let mut other = every_fourth_of_few(&basis, &numbers, 1u32, p, count);
            if 3 < count {
                other += every_fourth_of_few(&basis, &numbers, 3u32, p, count);
            }
            sum += other;
        }
    } else {
        // There are at least four.
        sum = every_fourth(&basis, &numbers, 0u32, p, count);
        sum += every_fourth(&basis, &numbers, 2u32, p, count);
        let mut other = every_fourth(&basis, &numbers, 1u32, p, count);
        other += every_fourth(&basis, &numbers, 3u32, p, count);
        sum += other;
    }
    sum
}

/// `w` less the sum of the rows of a basis times a number each. A thread has a column.
#[kernel]
fn subtract_rows<T: Real>(basis: &Matrix<T>, numbers: &[T], w: &[T], rest: &mut [T]) {
    let p = global_x();
    let count = numbers.len().min(basis.rows()).min(MOST_VECTORS);
    if p < rest.len() && p < w.len() && p < basis.columns() {
        rest[p] = w[p] - sum_of_rows(&basis, &numbers, p, count);
    }
}

/// What is taken from `w` along each vector of a basis, as `kernels::LANCZOS_PARTS` says, and `w` less that. There are two vectors
/// or more. A thread has a column, and the first ones of each block have a vector each.
#[kernel]
fn lanczos_rest<T: Real>(
    basis: &Matrix<T>,
    products: &[T],
    newest: &[T],
    before: &[T],
    w: &[T],
    along: &mut [T],
    rest: &mut [T],
) {
    let mut numbers = shared::<T>(MOST_VECTORS);
    let (t, p) = (thread_x(), global_x());
    let count = along.len().min(basis.rows()).min(MOST_VECTORS);
    let j = count - 1;
    if t < count {
        let (mut own, mut other) = (newest[t], newest[j - 1]);
        if t == j {
            own -= T::one();
        } else {
            other = before[t];
        }
        if t == j - 1 {
            other -= T::one();
        }
        let part = products[t] - products[j] * own - products[j - 1] * other;
        numbers[t] = part;
        if block_x() == 0 {
            along[t] = part;
        }
    }
    barrier();
    if p < rest.len() && p < w.len() && p < basis.columns() {
        rest[p] = w[p] - sum_of_rows(&basis, &numbers, p, count);
    }
}

/// The next vector of a basis, `w` over its length, in the row after `row`; and in a row of `columns` what was taken along the vector in
/// `row`, and the length. A thread has a column.
#[kernel]
fn lanczos_next<T: Float>(
    w: &[T],
    square: &[T],
    along: &[T],
    row: u32,
    step: u32,
    basis: &mut Matrix<T>,
    columns: &mut Matrix<T>,
) {
    let p = global_x();
    let size = square[0].sqrt();
    if p < w.len() && p < basis.columns() && row + 1 < basis.rows() {
        basis[(row + 1, p)] = w[p] / size;
    }
    if p == 0 && step < columns.rows() && row < along.len() {
        columns[(step, 0)] = along[row];
        columns[(step, 1)] = size;
    }
}

/// A kernel of two dtypes, recorded once.
type OfFloats = LazyLock<[Kernel; 2]>;

static RUN_SUMS: OfFloats = LazyLock::new(|| [run_sums::<f32>(), run_sums::<f64>()]);
static MULTIPLY: OfFloats =
    LazyLock::new(|| [multiply_rows::<f32, 64>(), multiply_rows::<f64, 64>()]);
static MULTIPLY_LONG: OfFloats =
    LazyLock::new(|| [multiply_rows::<f32, 256>(), multiply_rows::<f64, 256>()]);
static COLLECT_SHORT: OfFloats =
    LazyLock::new(|| [collect_rows::<f32, 8>(), collect_rows::<f64, 8>()]);
static COLLECT_MIDDLE: OfFloats =
    LazyLock::new(|| [collect_rows::<f32, 16>(), collect_rows::<f64, 16>()]);
static COLLECT_LONG: OfFloats =
    LazyLock::new(|| [collect_rows::<f32, 32>(), collect_rows::<f64, 32>()]);
static INNER_CHUNKS: OfFloats = LazyLock::new(|| [inner_chunks::<f32>(), inner_chunks::<f64>()]);
static PROJECT: OfFloats = LazyLock::new(|| [project::<f32>(), project::<f64>()]);
static SUBTRACT_ROWS: OfFloats = LazyLock::new(|| [subtract_rows::<f32>(), subtract_rows::<f64>()]);
static LANCZOS_REST: OfFloats = LazyLock::new(|| [lanczos_rest::<f32>(), lanczos_rest::<f64>()]);
static LANCZOS_NEXT: OfFloats = LazyLock::new(|| [lanczos_next::<f32>(), lanczos_next::<f64>()]);
static SEGMENTS: LazyLock<Kernel> = LazyLock::new(segments);
static BEGIN_KEYS: LazyLock<Kernel> = LazyLock::new(begin_keys);
static COUNT_KEYS: LazyLock<Kernel> = LazyLock::new(count_keys);
static ORDER_PLACES: LazyLock<Kernel> = LazyLock::new(order_places);
static LENGTHS_WITH_DIAGONAL: LazyLock<Kernel> = LazyLock::new(lengths_with_diagonal);
static ENTER_DIAGONAL: LazyLock<Kernel> = LazyLock::new(enter_diagonal);
static DIVIDE_UNIONS: LazyLock<Kernel> = LazyLock::new(divide_unions);
static FIND_UNIONS: LazyLock<Kernel> = LazyLock::new(find_unions);
static BEGIN_UNIONS: LazyLock<Kernel> = LazyLock::new(begin_unions);
static UNITE_PLACES: LazyLock<Kernel> = LazyLock::new(unite_places);

fn of_dtype(kernels: &'static OfFloats, dtype: DType) -> Option<&'static Kernel> {
    match dtype {
        DType::F32 => Some(&kernels[0]),
        DType::F64 => Some(&kernels[1]),
        _ => None,
    }
}

/// Whether an array is on a GPU, and positions in it fit 31 bits.
pub(crate) fn suits(array: &Array) -> bool {
    array.device().native().is_some() && i32::try_from(array.size()).is_ok()
}

/// As the kernels take positions.
pub(crate) fn narrow(positions: &Array) -> Array {
    positions.astype(DType::I32)
}

#[track_caller]
pub(crate) fn launch<'a>(
    kernel: &Kernel,
    device: &Device,
    blocks: usize,
    threads: u32,
    arguments: impl RawArguments<'a>,
) -> Result<Vec<Array>> {
    kernel.launch(device, blocks as u32, threads, arguments)
}

/// The sums of runs of a product with a vector, where these kernels take them; `bounds` are where runs begin and the last one ends.
#[track_caller]
pub(crate) fn matvec(
    bounds: impl FnOnce() -> Array,
    indices: &Array,
    data: &Array,
    x: &Array,
) -> Result<Option<Array>> {
    let Some(kernel) = of_dtype(&RUN_SUMS, data.dtype()) else { return Ok(None) };
    // Kernels of closures convert operands as they read them.
    let is_same = data.dtype() == x.dtype();
    if !is_same || indices.dtype() != DType::I32 || !suits(data) || !suits(x) {
        return Ok(None);
    }
    let bounds = bounds();
    let count = bounds.size() - 1;
    let blocks = count.div_ceil(BLOCK as usize);
    let arguments = (&bounds, indices, data, x, ([count], Init::Uninit));
    Ok(launch(kernel, data.device(), blocks, BLOCK, arguments)?.pop())
}

/// The products of the vectors of a basis with `x`, then those with `y`, where these kernels take them.
#[track_caller]
pub(crate) fn inner_of_two(basis: &Array, x: &Array, y: &Array) -> Result<Option<Array>> {
    let Some(kernel) = of_dtype(&INNER_CHUNKS, basis.dtype()) else { return Ok(None) };
    let (rows, n) = (basis.shape()[0], x.size());
    let is_same = [x.dtype(), y.dtype()] == [basis.dtype(); 2];
    if !is_same || !suits(basis) || n == 0 {
        return Ok(None);
    }
    let chunks = n.div_ceil(CHUNK as usize);
    let blocks = chunks * rows.div_ceil(ROWS as usize);
    let arguments = (basis, x, y, ([2 * rows, chunks], Init::Uninit));
    let sums = launch(kernel, basis.device(), blocks, BLOCK, arguments)?.pop();
    // Sums of chunks are a row of their own, which the plan of reductions adds.
    Ok(sums.map(|sums| sums.sum(1)))
}

/// The coefficients of `w` along the vectors of a basis, the rows of `basis`, of which the last one is new, where these kernels take them;
/// `inverse` gets a row. As `gmres::Projection` says.
#[track_caller]
pub(crate) fn coefficients(basis: &Array, w: &Array, inverse: &mut Array) -> Result<Option<Array>> {
    let Some(kernel) = of_dtype(&PROJECT, basis.dtype()) else { return Ok(None) };
    let (rows, most) = (basis.shape()[0], inverse.shape()[0]);
    if inverse.dtype() != basis.dtype() || most > MOST_VECTORS as usize {
        return Ok(None);
    }
    let (device, newest) = (basis.device(), basis.i(ndany_array::s![rows - 1, ..]));
    let Some(products) = inner_of_two(basis, w, &newest)? else { return Ok(None) };
    let arguments = (&products, inverse, ([rows], Init::Uninit));
    Ok(launch(kernel, device, 1, MOST_VECTORS * MOST_VECTORS, arguments)?.pop())
}

/// `w` less the sum of the rows of a basis times a number each, where these kernels take it.
#[track_caller]
pub(crate) fn subtract(w: &Array, numbers: &Array, basis: &Array) -> Result<Option<Array>> {
    let Some(kernel) = of_dtype(&SUBTRACT_ROWS, basis.dtype()) else { return Ok(None) };
    let is_same = [w.dtype(), numbers.dtype()] == [basis.dtype(); 2];
    let count = basis.shape()[0];
    if !is_same || !suits(basis) || count == 0 || w.size() == 0 || count > MOST_VECTORS as usize {
        return Ok(None);
    }
    let blocks = w.size().div_ceil(BLOCK as usize);
    let arguments = (basis, numbers, w, ([w.size()], Init::Uninit));
    Ok(launch(kernel, basis.device(), blocks, BLOCK, arguments)?.pop())
}

/// What is taken from `w` along each vector of a basis of two or more, and `w` less that, where these kernels take it; the products are
/// those of `kernels::LANCZOS_PARTS`.
#[track_caller]
pub(crate) fn lanczos_rest_of(
    basis: &Array,
    w: &Array,
    [products, newest, before]: [&Array; 3],
) -> Result<Option<[Array; 2]>> {
    let Some(kernel) = of_dtype(&LANCZOS_REST, basis.dtype()) else { return Ok(None) };
    let count = basis.shape()[0];
    let is_same = [w, products, newest, before].iter().all(|part| part.dtype() == basis.dtype());
    if !is_same || !suits(basis) || !(2..=MOST_VECTORS as usize).contains(&count) {
        return Ok(None);
    }
    let blocks = w.size().div_ceil(BLOCK as usize);
    let outputs = (([count], Init::Uninit), ([w.size()], Init::Uninit));
    let arguments = (basis, products, newest, before, w, outputs.0, outputs.1);
    let made = launch(kernel, basis.device(), blocks, BLOCK, arguments)?;
    Ok(<[Array; 2]>::try_from(made).ok())
}

/// Writes the next vector of a basis after `row`, `w` over the root of `square`, and row `step` of `columns`, where these kernels take it;
/// `false` elsewhere.
#[track_caller]
pub(crate) fn lanczos_next_of(
    basis: &mut Array,
    columns: &mut Array,
    [w, square, along]: [&Array; 3],
    [row, step]: [usize; 2],
) -> Result<bool> {
    let Some(kernel) = of_dtype(&LANCZOS_NEXT, basis.dtype()) else { return Ok(false) };
    let is_same = [w, square, along, columns].iter().all(|part| part.dtype() == basis.dtype());
    if !is_same || !suits(basis) {
        return Ok(false);
    }
    let (device, blocks) = (basis.device().clone(), w.size().div_ceil(BLOCK as usize));
    let square = square.reshape(1);
    let arguments = (w, &square, along, row as u32, step as u32, basis, columns);
    launch(kernel, &device, blocks, BLOCK, arguments)?;
    Ok(true)
}

/// The bounds of runs as [`matvec`] takes them.
#[track_caller]
pub(crate) fn bounds_of(begin: &Array, end: &Array) -> Array {
    let last = end.i(ndany_array::s![-1..]);
    let bounds = narrow(&ndany_array::concatenate([begin, &last], 0));
    expect(bounds.eval());
    bounds
}

/// The segment of each of `count` positions as int64, where these kernels find it.
#[track_caller]
pub(crate) fn segment_of(offsets: &Array, count: usize) -> Result<Option<Array>> {
    Ok(narrow_segment_of(offsets, count)?.map(|found| wide(&found)))
}

/// The same as int32.
#[track_caller]
pub(crate) fn narrow_segment_of(offsets: &Array, count: usize) -> Result<Option<Array>> {
    if count == 0 || offsets.size() < 2 || !suits(offsets) || i32::try_from(count).is_err() {
        return Ok(None);
    }
    let blocks = count.div_ceil(FOUND as usize);
    let arguments = (&narrow(offsets), ([count], Init::Uninit));
    Ok(launch(&SEGMENTS, offsets.device(), blocks, BLOCK, arguments)?.pop())
}

/// How often each key below `extent` comes, after a zero, where these kernels take the keys.
#[track_caller]
fn counted(keys: &Array, extent: usize) -> Result<Option<Array>> {
    let count = keys.size();
    let fits = i32::try_from(extent).is_ok_and(|extent| extent < i32::MAX);
    if keys.dtype() != DType::I32 || count == 0 || !suits(keys) || !fits {
        return Ok(None);
    }
    let blocks = count.div_ceil(BLOCK as usize);
    let arguments = (keys, ([extent + 1], Init::Zeros));
    Ok(launch(&COUNT_KEYS, keys.device(), blocks, BLOCK, arguments)?.pop())
}

/// The order that sorts keys below `extent`, equal ones as they are. A radix sort has a pass for each byte of a key, so few keys are
/// sorted in few bytes.
#[track_caller]
fn order_below(keys: &Array, extent: usize) -> Array {
    match extent {
        0..=0x100 => keys.astype(DType::U8).argsort(..),
        0x101..=0x1_0000 => keys.astype(DType::U16).argsort(..),
        _ => keys.argsort(..),
    }
}

/// The order that sorts keys below `extent`, equal ones as they are, and where each key begins and the last one ends, as int32.
#[track_caller]
pub(crate) fn order_of_keys(keys: &Array, extent: usize) -> Result<Option<[Array; 2]>> {
    let counts = counted(keys, extent)?;
    Ok(counts.map(|counts| [narrow_order(keys, extent), sums(&counts)]))
}

/// The order that sorts keys below `extent`, equal ones as they are, as int32. It is kept: four bytes an entry are half the memory.
#[track_caller]
pub(crate) fn narrow_order(keys: &Array, extent: usize) -> Array {
    let order = narrow(&order_below(keys, extent));
    expect(order.eval());
    order
}

/// Entries by their indices.
pub(crate) struct Turned {
    /// Where the entries of each index begin and those of the last one end.
    pub(crate) indptr: Array,
    /// The row or column of each.
    pub(crate) majors: Array,
    pub(crate) values: Array,
}

/// The entries of compressed rows or columns by their indices, which are below `extent`, equal ones as they are, where these kernels take
/// them: nothing is read at random.
#[track_caller]
pub(crate) fn turn(
    [indptr, indices, values]: [&Array; 3],
    extent: usize,
) -> Result<Option<Turned>> {
    let count = indices.size();
    let fits = count <= (u32::MAX / 4) as usize && i32::try_from(extent + 1).is_ok();
    let narrow = [indptr, indices].iter().all(|part| part.dtype() == DType::I32 && suits(part));
    let word = match values.dtype().size() {
        4 => DType::U32,
        8 => DType::U64,
        _ => return Ok(None),
    };
    if !fits || !narrow || count == 0 || values.size() != count {
        return Ok(None);
    }
    let Some(majors) = narrow_segment_of(indptr, count)? else { return Ok(None) };
    let [keys, majors] = [indices, &majors].map(|part| part.view(DType::U32));
    let words = values.ravel().view(word);
    let Some(pairs) = sort_pairs(&keys, extent, [&majors, &words])? else { return Ok(None) };
    let of_indices = ([extent + 1], Init::Zeros);
    let arguments = (&pairs.keys, of_indices, of_indices);
    let blocks = count.div_ceil(4 * BLOCK as usize);
    let made = launch(&BEGIN_KEYS, indices.device(), blocks, BLOCK, arguments)?;
    let Ok([begins, ends]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
    let indptr = sums(&(ends - begins));
    let (majors, values) = (pairs.narrow.view(DType::I32), pairs.wide.view(values.dtype()));
    Ok(Some(Turned { indptr, majors, values }))
}

/// Sums up to each element, as int32.
#[track_caller]
fn sums(counts: &Array) -> Array {
    let sums = counts.cumsum(along(0).dtype(DType::I32));
    expect(sums.eval());
    sums
}

/// Places that are sorted by row, then by column, equal ones as they are.
pub(crate) struct Sorted {
    /// The position of each among those that were given.
    pub(crate) order: Array,
    /// Where each row begins and the last one ends.
    pub(crate) indptr: Array,
    pub(crate) columns: Array,
    /// Whether a place comes twice.
    pub(crate) twice: bool,
}

/// Sorts places of so many rows, where these kernels take them.
#[track_caller]
pub(crate) fn sort_places(rows: &Array, columns: &Array, extent: usize) -> Result<Option<Sorted>> {
    if columns.dtype() != DType::I32 {
        return Ok(None);
    }
    let Some(counts) = counted(rows, extent)? else { return Ok(None) };
    if counts.max(..).item::<i32>()? as i64 > MOST_OF_ROW {
        return Ok(None);
    }
    let (count, device) = (rows.size(), rows.device());
    let (bounds, order) = (sums(&counts), narrow(&order_below(rows, extent)));
    let own = columns.take(&order, ..);
    let arguments = (
        &bounds,
        &order,
        &own,
        ([count], Init::Uninit),
        ([count], Init::Uninit),
        ([1], Init::Zeros),
    );
    let made = launch(&ORDER_PLACES, device, count.div_ceil(FOUND as usize), BLOCK, arguments)?;
    let Ok([order, columns, twice]) = <[Array; 3]>::try_from(made) else { return Ok(None) };
    let twice = twice.i(0).item::<i32>()? > 0;
    Ok(Some(Sorted { order, indptr: bounds, columns, twice }))
}

/// The places of an array of compressed rows with the whole diagonal.
pub(crate) struct WithDiagonal {
    pub(crate) indptr: Array,
    pub(crate) columns: Array,
    /// The entry at a place, `-1 - row` on the diagonal.
    pub(crate) from: Array,
}

/// The places with the whole diagonal of a square array, whose columns rise in each row, where these kernels find them.
#[track_caller]
pub(crate) fn with_diagonal(indptr: &Array, indices: &Array) -> Result<Option<WithDiagonal>> {
    let (rows, count) = (indptr.size() - 1, indices.size());
    let suit = indices.dtype() == DType::I32 && suits(indices);
    if !suit || count == 0 || i32::try_from(count + rows).is_err() {
        return Ok(None);
    }
    let (device, indptr) = (indices.device(), narrow(indptr));
    let blocks = |threads: usize, each: u32| threads.div_ceil(each as usize);
    let arguments = (&indptr, indices, ([rows + 1], Init::Uninit));
    let made = launch(&LENGTHS_WITH_DIAGONAL, device, blocks(rows, BLOCK), BLOCK, arguments)?;
    let Ok([lengths]) = <[Array; 1]>::try_from(made) else { return Ok(None) };
    let begins = sums(&lengths);
    let all: i32 = begins.i(-1).item()?;
    let of_places = ([guess(all as usize, count + rows)], Init::Uninit);
    let arguments = (&indptr, indices, &begins, of_places, of_places);
    let made = launch(&ENTER_DIAGONAL, device, blocks(rows.max(count), FOUND), BLOCK, arguments)?;
    let Ok([columns, from]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
    Ok(Some(WithDiagonal { indptr: begins, columns, from }))
}

/// The places of two arrays of compressed rows, each once.
pub(crate) struct Union {
    pub(crate) indptr: Array,
    pub(crate) columns: Array,
    /// The entry of each array at a place, -1 where it has none.
    pub(crate) entries: [Array; 2],
}

/// The union of the places of two arrays, of which `indptr` and `indices` are given, where these kernels make it. Columns fit 31 bits;
/// they rise in each row.
#[track_caller]
pub(crate) fn unite(left: [&Array; 2], right: [&Array; 2]) -> Result<Option<Union>> {
    let counts = [left[1].size(), right[1].size()];
    let suit = left.into_iter().chain(right).all(suits)
        && left[1].device() == right[1].device()
        && i32::try_from(counts[0].saturating_add(counts[1])).is_ok();
    if !suit || counts.contains(&0) {
        return Ok(None);
    }
    let device = left[1].device();
    let ([left_offsets, left], [right_offsets, right]) = (left.map(narrow), right.map(narrow));
    let blocks = |threads: usize| threads.div_ceil(BLOCK as usize);
    let (all, rows) = (counts[0] + counts[1], left_offsets.size());
    // The last row ends after all entries, and the last entry has a next one there.
    let tiles = all / TILE as usize + 1;
    let of_tiles = ([tiles + 1], Init::Uninit);
    let arguments = (&left_offsets, &left, &right_offsets, &right, of_tiles, of_tiles);
    let made = launch(&DIVIDE_UNIONS, device, blocks(tiles + 1), BLOCK, arguments)?;
    let Ok([tile_rows, tile_lefts]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
    let of_words = ([all / 32 + 1], Init::Uninit);
    let arguments = (
        &left_offsets,
        &left,
        &right_offsets,
        &right,
        &tile_rows,
        &tile_lefts,
        of_words,
        of_words,
        of_words,
        of_words,
    );
    let made = launch(&FIND_UNIONS, device, tiles, BLOCK, arguments)?;
    let Ok([is_left, meets, before, met]) = <[Array; 4]>::try_from(made) else { return Ok(None) };
    let met = met.cumsum(along(0).dtype(DType::I32));
    expect(met.eval());
    let arguments = (&left_offsets, &right_offsets, &meets, &met, ([rows], Init::Uninit));
    let begins = launch(&BEGIN_UNIONS, device, blocks(rows), BLOCK, arguments)?;
    let Ok([indptr]) = <[Array; 1]>::try_from(begins) else { return Ok(None) };
    let of_places = ([all - met.i(-1).item::<i32>()? as usize], Init::Uninit);
    let arguments =
        (&left, &right, &is_left, &meets, &before, &met, of_places, of_places, of_places);
    let made = launch(&UNITE_PLACES, device, blocks(all), BLOCK, arguments)?;
    let Ok([columns, at_left, at_right]) = <[Array; 3]>::try_from(made) else {
        return Ok(None);
    };
    Ok(Some(Union { indptr, columns, entries: [at_left, at_right] }))
}

/// What a product of two sparse arrays is made of: `indptr`, `indices` and values of both, and where the products of each entry of the
/// left one begin and the last ones end.
pub(crate) struct Product<'a> {
    pub(crate) left: [&'a Array; 3],
    pub(crate) right: [&'a Array; 3],
    pub(crate) firsts: &'a Array,
    pub(crate) count: usize,
}

impl Product<'_> {
    /// `indptr`, `indices` and values of the product, where these kernels take it.
    #[track_caller]
    pub(crate) fn multiply(&self) -> Result<Option<[Array; 3]>> {
        let ([left_indptr, left_indices, left], [right_indptr, right_indices, right]) =
            (self.left, self.right);
        let dtype = DType::promote(left.dtype(), right.dtype());
        let suit = [left, right, left_indptr, right_indptr].into_iter().all(suits)
            && [left_indices, right_indices].iter().all(|part| part.dtype() == DType::I32)
            && i32::try_from(self.count).is_ok();
        if !suit || of_dtype(&COLLECT_LONG, dtype).is_none() {
            return Ok(None);
        }
        let firsts = narrow(self.firsts);
        // Where the products of each row begin, and the last ones end.
        let of_rows = firsts.take(left_indptr, ..);
        let most = (crate::support::tail(&of_rows) - init(&of_rows)).max(..).item::<i32>()?;
        let (kernels, threads) = match most {
            ..=256 => (&MULTIPLY, 64),
            257..=1024 => (&MULTIPLY_LONG, 256),
            _ => return Ok(None),
        };
        let Some(multiply) = of_dtype(kernels, dtype) else { return Ok(None) };
        let [left, right] = [left, right].map(|operand| operand.astype(dtype));
        let [left_indptr, right_indptr] = [left_indptr, right_indptr].map(narrow);
        let (device, rows, count) = (left.device(), left_indptr.size() - 1, self.count);
        let arguments = (
            &firsts,
            &left_indptr,
            left_indices,
            &left,
            &right_indptr,
            right_indices,
            &right,
            ([count], Init::Uninit),
            ([count], Init::Uninit),
            ([rows], Init::Zeros),
        );
        let made = launch(multiply, device, rows, threads, arguments)?;
        let Ok([columns, values, counts]) = <[Array; 3]>::try_from(made) else { return Ok(None) };
        let indptr = offsets(&wide(&counts));
        let entries = last(&indptr, count);
        let indptr = narrow(&indptr);
        let parts = collect_in([&of_rows, &indptr], [&columns, &values], entries)?;
        Ok(parts.map(|[indices, data]| [indptr, indices, data]))
    }
}

/// Columns and values of rows that begin at `begin`, brought to where `indptr` says by [`collect_rows`].
#[track_caller]
fn collect_in(
    [begin, indptr]: [&Array; 2],
    [columns, values]: [&Array; 2],
    entries: usize,
) -> Result<Option<[Array; 2]>> {
    let rows = indptr.size() - 1;
    // Lanes without an entry wait for those with one, so rows of a few entries share a warp.
    let (kernels, lanes) = match entries / rows {
        0..=8 => (&COLLECT_SHORT, 8),
        9..=16 => (&COLLECT_MIDDLE, 16),
        _ => (&COLLECT_LONG, 32),
    };
    let Some(collect) = of_dtype(kernels, values.dtype()) else { return Ok(None) };
    let blocks = rows.div_ceil((COLLECTING / lanes) as usize);
    let arguments =
        (begin, indptr, columns, values, ([entries], Init::Uninit), ([entries], Init::Uninit));
    let made = launch(collect, values.device(), blocks, COLLECTING, arguments)?;
    Ok(<[Array; 2]>::try_from(made).ok())
}

/// The columns and values of rows that begin at these entries, where these kernels take them; `indptr` is where they go to.
#[track_caller]
pub(crate) fn copy_rows(
    begin: &Array,
    indptr: &Array,
    [columns, values]: [&Array; 2],
    entries: usize,
) -> Result<Option<[Array; 2]>> {
    let suit = columns.dtype() == DType::I32 && suits(values) && i32::try_from(entries).is_ok();
    if !suit || entries == 0 {
        return Ok(None);
    }
    collect_in([&narrow(begin), &narrow(indptr)], [columns, values], entries)
}
