//! Regions of stencils: each element is computed once, and the interior reads nothing beyond the edges.

use super::*;

/// The elements of a region, each by its positions.
fn elements(region: &Region) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for range in region {
        let positions = (0..range.extent)
            .map(|k| range.origin + k + if k >= range.split { range.jump } else { 0 });
        let positions: Vec<usize> = positions.collect();
        all = all
            .into_iter()
            .flat_map(|before| {
                positions.iter().map(move |&position| [before.as_slice(), &[position]].concat())
            })
            .collect();
    }
    all
}

#[test]
fn regions_cover_each_element_once() {
    let extents = [1, 2, 3, 7, 16, 33, 64];
    for (before, after) in [(0, 0), (1, 0), (0, 2), (1, 1), (3, 1), (2, 5)] {
        for (m, n) in extents.iter().flat_map(|&m| extents.iter().map(move |&n| (m, n))) {
            for piece in [1, 4] {
                let shape = [m, n];
                let halo: Margins = smallvec::smallvec![(after, before), (before, after)];
                let margins = margins(&halo, &shape, piece);
                let (interior, borders) = regions(&margins, &shape);
                let mut all: Vec<Vec<usize>> =
                    interior.iter().chain(&borders).flat_map(elements).collect();
                all.sort();
                let expected = (0..m).flat_map(|i| (0..n).map(move |j| vec![i, j]));
                assert_eq!(all, expected.collect::<Vec<_>>(), "{shape:?} {halo:?} {piece}");
                for element in interior.iter().flat_map(elements) {
                    for ((&position, &(before, after)), &extent) in
                        element.iter().zip(&halo).zip(&shape)
                    {
                        assert!(position >= before && position + after < extent);
                    }
                }
                // Both sides of a border are as wide as each other, so that they are one view.
                for range in borders.iter().flatten().filter(|range| range.split < range.extent) {
                    assert_eq!(range.extent, 2 * range.split);
                }
            }
        }
    }
}

#[test]
fn rows_of_the_interior_begin_and_end_at_pieces() {
    let halo: Margins = smallvec::smallvec![(1, 1), (1, 1)];
    assert_eq!(margins(&halo, &[64, 64], 4).as_slice(), [(1, 1), (4, 4)]);
    // Rows that are not whole pieces, and short ones, are cut as the halo says.
    assert_eq!(margins(&halo, &[64, 66], 4).as_slice(), [(1, 1), (1, 1)]);
    assert_eq!(margins(&halo, &[64, 16], 4).as_slice(), [(1, 1), (1, 1)]);
    let ahead: Margins = smallvec::smallvec![(0, 0), (0, 1)];
    assert_eq!(margins(&ahead, &[8, 9], 4).as_slice(), [(0, 0), (0, 1)]);
}
