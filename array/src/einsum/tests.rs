//! Orders: the cheapest is found, every one gives the same sums.

use super::*;
use crate::{Device, arange};

fn numbers(shape: &[usize]) -> Array {
    let count: usize = shape.iter().product();
    (arange(count) % 7 - 3)
        .reshape(shape.iter().map(|&extent| extent as i64).collect::<Vec<_>>().as_slice())
}

#[test]
fn every_order_gives_the_same_integers() {
    let _guard = Device::open("reference").expect("always there").enter();
    let (a, b, c, d) = (numbers(&[2, 3]), numbers(&[3, 4]), numbers(&[4, 5, 2]), numbers(&[5]));
    let operands = [&a, &b, &c, &d];
    let expected = a.matmul(&b).matmul(c.reshape([4, 10])).reshape([2, 5, 2]);
    let expected = (expected * d.reshape([1, 5, 1])).sum(1);
    let paths = [
        Optimize::Best,
        Optimize::No,
        Optimize::Greedy,
        Optimize::Path(vec![vec![0, 1, 2, 3]]),
        Optimize::Path(vec![vec![3, 2], vec![0, 2, 1]]),
        Optimize::Path(vec![vec![1, 3]]),
    ];
    for path in paths {
        let sum = Einsum::new("ij,jk,klm,l->im").optimize(path.clone()).of(&operands);
        let sum = sum.expect("shapes fit");
        assert!(sum.array_equal(&expected).expect("one device"), "{path:?}");
    }
    for path in [vec![vec![0, 4]], vec![vec![1, 1]], vec![vec![]]] {
        let sum = Einsum::new("ij,jk,klm,l->im").optimize(Optimize::Path(path)).of(&operands);
        assert_eq!(sum.map(|_| ()).expect_err("no such operands").class(), "ValueError");
    }
}

#[test]
fn the_cheapest_order_is_found() {
    let text = "ij,jk,kl,lm->im";
    let subscripts = Subscripts::parse(text, &[2; 4]).expect("letters");
    let _guard = Device::open("reference").expect("always there").enter();
    let shapes = [[10, 100], [100, 5], [5, 50], [50, 2]];
    let arrays: Vec<Array> = shapes.iter().map(|shape| numbers(shape)).collect();
    let arrays: Vec<&Array> = arrays.iter().collect();
    let extents = subscripts.extents(&arrays).expect("they fit");
    let factors: Vec<Factor> = arrays
        .iter()
        .zip(&subscripts.inputs)
        .map(|(array, labels)| Factor::new(array, labels, DType::I64))
        .collect();
    let path =
        order::path(&factors, &subscripts.output, &extents, &Optimize::Best).expect("a path");
    // From the right: 5·50·2 + 100·5·2 + 10·100·2.
    assert_eq!(path, [vec![2, 3], vec![1, 2], vec![0, 1]]);
}

#[test]
fn many_operands_and_many_letters() {
    let _guard = Device::open("reference").expect("always there").enter();
    let matrix = Array::from([[1i64, 1], [1, 0]]);
    let letters: Vec<char> = ('a'..='z').collect();
    let text: Vec<String> = letters.windows(2).map(|pair| pair.iter().collect()).collect();
    let text = text.join(",");
    let operands = vec![&matrix; 25];
    let product = einsum(&format!("{text}->az"), &operands);
    assert_eq!(product.to_vec::<i64>().expect("computed"), [121393, 75025, 75025, 46368]);
}
