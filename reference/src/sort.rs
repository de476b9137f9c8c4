//! Sorting and searching by comparison, one element after the other. The order is made of the `<` and
//! `==` of the dtype's parts, not of rearranged bits, so that it checks the backends that do rearrange them.

use std::cmp::Ordering;

use super::{combine_prim, read_lock, scalar, write_elements};
use ndany_core::DType;
use ndany_core::backend::{
    Found, NthElement, PartSizes, PartitionThreeWay, Search, Sort, Sorted, StridedView,
};
use ndany_core::program::{Prim, RegType};

/// An element as the bits of its registers, and its bytes.
type Element<'m> = ([u64; 2], &'m [u8]);

pub(super) fn sort(sort: &Sort<'_>) {
    let dtype = sort.source.dtype;
    let bytes = read_lock(sort.source.memory);
    for row in 0..sort.rows {
        let elements = row_of(&sort.source, &bytes, row, sort.length);
        let mut order: Vec<usize> = (0..sort.length).collect();
        order.sort_by(|&a, &b| compare(dtype, elements[a].0, elements[b].0));
        put(&elements, order, &sort.output, row * sort.length, sort.write);
    }
}

pub(super) fn nth_element(nth_element: &NthElement<'_>) {
    let (dtype, length) = (nth_element.source.dtype, nth_element.length);
    let bytes = read_lock(nth_element.source.memory);
    for row in 0..nth_element.rows {
        let elements = row_of(&nth_element.source, &bytes, row, length);
        let mut order: Vec<usize> = (0..length).collect();
        order.sort_by(|&a, &b| compare(dtype, elements[a].0, elements[b].0));
        let middle = elements[order[nth_element.place]].0;
        // By parts, and in each by where elements stand.
        order.sort_by_key(|&position| (compare(dtype, elements[position].0, middle), position));
        put(&elements, order, &nth_element.output, row * length, nth_element.write);
    }
}

pub(super) fn partition_three_way(partition: &PartitionThreeWay<'_>) -> Option<PartSizes> {
    let dtype = partition.source.dtype;
    let bytes = read_lock(partition.source.memory);
    let elements = row_of(&partition.source, &bytes, 0, partition.length);
    let limit = |place: &Option<StridedView<'_>>| {
        let place = place.as_ref()?;
        let bytes = read_lock(place.memory);
        Some(scalar::load(dtype, &bytes[place.offset * dtype.size()..][..dtype.size()], 0))
    };
    let (low, high) = (limit(&partition.low), limit(&partition.high));
    let part = |position: usize| {
        let against =
            |limit: Option<u64>| Some(compare(dtype, [elements[position].0[0], 0], [limit?, 0]));
        match (against(low), against(high)) {
            (Some(Ordering::Less), _) => 0,
            (_, Some(Ordering::Greater)) => 2,
            _ => 1,
        }
    };
    let nan = |element: &Element<'_>| {
        combine_prim(Prim::Eq, RegType::of(dtype), element.0[0], element.0[0]) == 0
    };
    if elements.iter().any(nan) {
        return None;
    }
    let [below, inside, above] = [0, 1, 2].map(|which| {
        (0..partition.length).filter(|&position| part(position) == which).collect::<Vec<_>>()
    });
    let sizes = PartSizes { below: below.len(), inside: inside.len() };
    put(&elements, [below, inside, above].concat(), &partition.output, 0, partition.write);
    Some(sizes)
}

/// Writes elements in this order, or their positions, from the output's `first` on.
fn put(
    elements: &[Element<'_>],
    order: Vec<usize>,
    output: &StridedView<'_>,
    first: usize,
    write: Sorted,
) {
    let first = output.offset + first;
    match write {
        Sorted::Values => {
            // The very bytes: a register would do for the values, but -0.0 is to come back as -0.0.
            let bytes: Vec<u8> =
                order.iter().flat_map(|&position| elements[position].1).copied().collect();
            let mut output_bytes = super::bytes_of(output.memory)
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            output_bytes[first * output.dtype.size()..][..bytes.len()].copy_from_slice(&bytes);
        }
        Sorted::Positions => {
            let values = order.into_iter().enumerate();
            let values: Vec<_> =
                values.map(|(k, position)| (first + k, [position as u64, 0])).collect();
            write_elements(output, DType::I64, values);
        }
    }
}

pub(super) fn search(search: &Search<'_>) {
    let dtype = search.sorted.dtype;
    let mut values = Vec::new();
    {
        let bytes = read_lock(search.sorted.memory);
        let needle_bytes = read_lock(search.needles.memory);
        for row in 0..search.rows {
            let sorted = row_of(&search.sorted, &bytes, row, search.length);
            let needles = row_of(&search.needles, &needle_bytes, row, search.count);
            let mut counts = vec![0; search.length + 1];
            for (k, needle) in needles.iter().enumerate() {
                let before = |element: &Element<'_>| match compare(dtype, element.0, needle.0) {
                    Ordering::Less => true,
                    Ordering::Equal => search.after_equal,
                    Ordering::Greater => false,
                };
                let place = sorted.partition_point(before);
                counts[place] += 1;
                if search.write == Found::Positions {
                    values.push((search.output.offset + row * search.count + k, [place as u64, 0]));
                }
            }
            if search.write == Found::Counts {
                let first = search.output.offset + row * counts.len();
                values.extend(counts.iter().enumerate().map(|(k, &n)| (first + k, [n, 0])));
            }
        }
    }
    write_elements(&search.output, DType::I64, values);
}

/// The elements of a row.
fn row_of<'m>(
    place: &StridedView<'_>,
    bytes: &'m [u8],
    row: usize,
    length: usize,
) -> Vec<Element<'m>> {
    let size = place.dtype.size();
    let first = place.offset as isize + row as isize * place.strides[0];
    let parts = [0, if place.dtype.is_complex() { 1 } else { 0 }];
    (0..length)
        .map(|k| {
            let element = &bytes[(first as usize + k) * size..][..size];
            (parts.map(|part| scalar::load(place.dtype, element, part)), element)
        })
        .collect()
}

/// The order of the pattern.
fn compare(dtype: DType, a: [u64; 2], b: [u64; 2]) -> Ordering {
    let ty = RegType::of(dtype);
    let is = |prim, a, b| combine_prim(prim, ty, a, b) != 0;
    let nan = |part: u64| !is(Prim::Eq, part, part);
    let real = |a: u64, b: u64| match (nan(a), nan(b)) {
        (false, false) if is(Prim::Lt, a, b) => Ordering::Less,
        (false, false) if is(Prim::Lt, b, a) => Ordering::Greater,
        (a, b) => a.cmp(&b),
    };
    if !dtype.is_complex() {
        return real(a[0], b[0]);
    }
    let group = |value: [u64; 2]| (nan(value[0]), nan(value[1]));
    group(a).cmp(&group(b)).then(real(a[0], b[0])).then(real(a[1], b[1]))
}
