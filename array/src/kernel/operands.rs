//! The operands of a call: a tuple of arrays and numbers, or an array of either.

use crate::graph::Operand;

/// What a kernel of `N` operands is called with: `(&a, 2.0)`, `(&a,)` or `[&a, &b]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the operands of a kernel that takes {N}",
    label = "expected a tuple or an array with as many operands as the closure has",
    note = "one operand is `(&a,)` or `[&a]`"
)]
pub trait Operands<const N: usize> {
    /// The operands in order.
    #[doc(hidden)]
    fn operands(self) -> [Operand; N];
}

impl<T: Into<Operand>, const N: usize> Operands<N> for [T; N] {
    fn operands(self) -> [Operand; N] {
        self.map(Into::into)
    }
}

macro_rules! tuples {
    ($($count:literal: $($operand:ident)+;)+) => {$(
        impl<$($operand: Into<Operand>),+> Operands<$count> for ($($operand,)+) {
            #[allow(non_snake_case)]
            fn operands(self) -> [Operand; $count] {
                let ($($operand,)+) = self;
                [$($operand.into()),+]
            }
        }
    )+};
}
tuples! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
}
