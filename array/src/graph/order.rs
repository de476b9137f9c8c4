//! Memory order: how the elements of a result lie, as NumPy keeps it.
//!
//! A node of the graph is always C-ordered over its own axes. An array that lies otherwise (in Fortran
//! order, or as a permuted operand does) is a view of such a node with its axes permuted, so neither
//! traces nor backends know of orders, and bits cannot depend on them.

use smallvec::SmallVec;

use super::Array;
use ndany_core::shape::Layout;

/// The order in which elements lie in memory, or are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The last axis runs fastest.
    #[default]
    C,
    /// The first axis runs fastest.
    F,
    /// As [`Order::F`] for arrays that lie in Fortran order and not in C order, else as [`Order::C`].
    A,
    /// As near to how the array lies as can be.
    K,
}

impl Order {
    /// The order that NumPy calls `name`, in either case.
    pub(crate) fn from_name(name: &str) -> Option<Order> {
        match name {
            "C" | "c" => Some(Order::C),
            "F" | "f" => Some(Order::F),
            "A" | "a" => Some(Order::A),
            "K" | "k" => Some(Order::K),
            _ => None,
        }
    }
}

/// Axes from the one that runs slowest to the one that runs fastest.
pub(crate) type AxisOrder = SmallVec<[usize; 4]>;

/// The axis order of an array of this layout that is copied in `order`; `None` for C order.
pub(crate) fn axis_order(layout: &Layout, order: Order) -> Option<AxisOrder> {
    match order {
        Order::C => None,
        Order::F if layout.shape.len() < 2 => None,
        Order::F => Some((0..layout.shape.len()).rev().collect()),
        Order::A if layout.is_fortran() && !layout.is_contiguous() => axis_order(layout, Order::F),
        Order::A => None,
        Order::K => {
            let step = |axis: usize| layout.strides[axis].unsigned_abs();
            let sorted =
                |axes: &[usize]| axes.windows(2).all(|pair| step(pair[0]) >= step(pair[1]));
            let mut axes: AxisOrder = (0..layout.shape.len()).collect();
            if sorted(&axes) {
                return None;
            }
            axes.sort_by_key(|&axis| std::cmp::Reverse(step(axis)));
            Some(axes)
        }
    }
}

/// The axis order of a result made of operands of one shape, as NumPy's iterator finds it; `None` for C
/// order. An axis that an operand does not step along has no say, and where operands disagree C order
/// wins.
pub(crate) fn common_order<'a>(
    ndim: usize,
    operands: impl Iterator<Item = &'a Layout> + Clone,
) -> Option<AxisOrder> {
    if ndim < 2 || operands.clone().all(runs_down) {
        return None;
    }
    let step = |layout: &Layout, axis: usize| match layout.shape[axis] {
        1 => 0,
        _ => layout.strides[axis].unsigned_abs(),
    };
    // From the fastest axis to the slowest; inserted one by one, as NumPy does.
    let mut order: AxisOrder = SmallVec::new();
    for axis in (0..ndim).rev() {
        let mut place = order.len();
        for position in (0..order.len()).rev() {
            let faster = order[position];
            let (mut decided, mut swaps) = (false, false);
            for layout in operands.clone() {
                let (own, other) = (step(layout, axis), step(layout, faster));
                if own != 0 && other != 0 {
                    swaps = if other <= own { false } else { swaps || !decided };
                    decided = true;
                }
            }
            match (decided, swaps) {
                (true, true) => place = position,
                (true, false) => break,
                (false, _) => {}
            }
        }
        order.insert(place, axis);
    }
    order.reverse();
    (!order.iter().copied().eq(0..ndim)).then_some(order)
}

/// Whether the strides shrink from axis to axis, so that the operand lies in C order.
fn runs_down(layout: &Layout) -> bool {
    let mut least = usize::MAX;
    for (&extent, &stride) in layout.shape.iter().zip(&layout.strides) {
        let step = stride.unsigned_abs();
        if extent != 1 && step != 0 {
            if step > least {
                return false;
            }
            least = step;
        }
    }
    true
}

/// The axis order that undoes another.
pub(crate) fn inverse(order: &[usize]) -> AxisOrder {
    let mut inverse: AxisOrder = SmallVec::from_elem(0, order.len());
    for (position, &axis) in order.iter().enumerate() {
        inverse[axis] = position;
    }
    inverse
}

impl Array {
    /// The array whose axes, in this order, are those of `self`.
    pub(crate) fn unordered(self, order: Option<&[usize]>) -> Array {
        match order {
            Some(order) => self.with_layout(self.layout().permute(&inverse(order))),
            None => self,
        }
    }
}
