//! Which operands meet first: the order that takes the fewest multiplications, or nearly.
//!
//! Costs count one multiplication for each combination of the letters of both operands (Pfeifer, Haegeman
//! & Verstraete 2014; the exact search is over all subsets, so it is for few operands).

use std::collections::HashMap;

use smallvec::SmallVec;

use super::Optimize;
use super::contract::Factor;
use super::subscripts::Label;
use ndany_core::{Error, Result};

/// Operands for which every order is tried: 3^8 pairs of subsets.
const EXACT: usize = 8;

/// Letters as a set of bits, by their place among all letters.
type Set = u128;

/// The steps to one operand: positions that leave the list, their product joining it at the end.
pub(super) fn path(
    factors: &[Factor],
    output: &[Label],
    extents: &HashMap<Label, usize>,
    optimize: &Optimize,
) -> Result<Vec<Vec<usize>>> {
    let count = factors.len();
    if let Optimize::Path(path) = optimize {
        return checked(path, count);
    }
    if count <= 2 {
        return Ok(if count == 2 { vec![vec![0, 1]] } else { Vec::new() });
    }
    let mut letters: SmallVec<[Label; 16]> = SmallVec::new();
    for factor in factors {
        letters.extend(factor.labels.iter().copied());
    }
    letters.sort_unstable();
    letters.dedup();
    let known = letters.len() <= Set::BITS as usize;
    let set = |labels: &[Label]| -> Set {
        let places = labels.iter().filter_map(|label| letters.binary_search(label).ok());
        places.fold(0, |set, place| set | 1 << place)
    };
    let sizes: SmallVec<[f64; 16]> = letters.iter().map(|label| extents[label] as f64).collect();
    Ok(match optimize {
        Optimize::Best | Optimize::Greedy if known => {
            let sets: Vec<Set> = factors.iter().map(|factor| set(&factor.labels)).collect();
            let problem = Problem { sets, output: set(output), sizes: &sizes };
            match optimize {
                Optimize::Best if count <= EXACT => problem.exact(),
                Optimize::Best | Optimize::Greedy | Optimize::No | Optimize::Path(_) => {
                    problem.greedy()
                }
            }
        }
        // The first two, then the product (at the end of the list) with what is first then.
        Optimize::Best | Optimize::Greedy | Optimize::No | Optimize::Path(_) => (1..count)
            .map(|step| if step == 1 { vec![0, 1] } else { vec![0, count - step] })
            .collect(),
    })
}

/// A path that was given.
fn checked(path: &[Vec<usize>], count: usize) -> Result<Vec<Vec<usize>>> {
    let wrong = |reason: &str| Error::ArgumentValue {
        op: "einsum".to_string(),
        reason: format!("the path {path:?} {reason}"),
    };
    let mut left = count;
    for step in path {
        let distinct = (0..step.len()).all(|place| !step[..place].contains(&step[place]));
        if step.is_empty() || !distinct || step.iter().any(|&position| position >= left) {
            return Err(wrong("names operands that are not there"));
        }
        left = left - step.len() + 1;
    }
    let mut steps = path.to_vec();
    if left > 1 {
        // As NumPy, which lets the last step take what is left.
        steps.push((0..left).collect());
    }
    Ok(steps)
}

struct Problem<'a> {
    sets: Vec<Set>,
    output: Set,
    sizes: &'a [f64],
}

impl Problem<'_> {
    fn size(&self, set: Set) -> f64 {
        let places = (0..self.sizes.len()).filter(|place| set >> place & 1 == 1);
        places.map(|place| self.sizes[place]).product()
    }

    /// Dynamic programming over the subsets of the operands.
    fn exact(&self) -> Vec<Vec<usize>> {
        let count = self.sets.len();
        let all = (1usize << count) - 1;
        let union = |subset: usize| {
            (0..count).filter(|i| subset >> i & 1 == 1).fold(0, |set, i| set | self.sets[i])
        };
        // Letters of a subset's product: those that are needed outside.
        let kept: Vec<Set> =
            (0..=all).map(|subset| union(subset) & (union(all & !subset) | self.output)).collect();
        let mut cost = vec![f64::INFINITY; all + 1];
        let mut split = vec![0usize; all + 1];
        for subset in 1..=all {
            if subset.is_power_of_two() {
                cost[subset] = 0.0;
                continue;
            }
            // Every half that holds the lowest operand, so that no pair is seen twice.
            let lowest = subset & subset.wrapping_neg();
            let mut half = (subset - 1) & subset;
            while half > 0 {
                if half & lowest != 0 {
                    let other = subset & !half;
                    let total = cost[half] + cost[other] + self.size(kept[half] | kept[other]);
                    if total < cost[subset] || split[subset] == 0 {
                        (cost[subset], split[subset]) = (total, half);
                    }
                }
                half = (half - 1) & subset;
            }
        }
        // From the tree to steps: products are made from the leaves on.
        let mut order: Vec<usize> = vec![all];
        let mut next = 0;
        while next < order.len() {
            let subset = order[next];
            next += 1;
            if !subset.is_power_of_two() {
                order.extend([split[subset], subset & !split[subset]]);
            }
        }
        let mut list: Vec<usize> = (0..count).map(|operand| 1 << operand).collect();
        let mut path = Vec::new();
        for &subset in order.iter().rev().filter(|subset| !subset.is_power_of_two()) {
            let place = |part: usize| list.iter().position(|&have| have == part).unwrap_or(0);
            let step = vec![place(split[subset]), place(subset & !split[subset])];
            list.retain(|&have| have != split[subset] && have != subset & !split[subset]);
            list.push(subset);
            path.push(step);
        }
        path
    }

    /// At each step the pair whose product is smallest beside what it replaces.
    fn greedy(&self) -> Vec<Vec<usize>> {
        let mut list = self.sets.clone();
        let mut path = Vec::new();
        while list.len() > 1 {
            let mut best: Option<(f64, f64, usize, usize, Set)> = None;
            for i in 0..list.len() {
                for j in i + 1..list.len() {
                    let others = list.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
                    let needed = others.fold(self.output, |set, (_, other)| set | other);
                    let both = list[i] | list[j];
                    let growth = self.size(both & needed) - self.size(list[i]) - self.size(list[j]);
                    // Products of what shares nothing come last.
                    let apart = if list[i] & list[j] == 0 { f64::MAX } else { growth };
                    let cost = self.size(both);
                    let better = match best {
                        Some((known, known_cost, ..)) => (apart, cost) < (known, known_cost),
                        None => true,
                    };
                    if better {
                        best = Some((apart, cost, i, j, both & needed));
                    }
                }
            }
            let Some((_, _, i, j, set)) = best else { break };
            list.remove(j);
            list.remove(i);
            list.push(set);
            path.push(vec![i, j]);
        }
        path
    }
}
