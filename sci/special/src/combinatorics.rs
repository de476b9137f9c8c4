//! Factorials, combinations, permutations.

use crate::formulas::combinatorics;

special! { TABLE;
    /// Returns the factorial `Γ(n + 1)`, 0 of negative numbers
    factorial(n) = "sp.special.factorial", combinatorics::factorial, 8, by "n exact=False extend=zero" [], [array([0.0, 5.0])] => "[  1. 120.]";
    /// Returns the double factorial `n (n - 2) …` of whole numbers, 0 of negative ones
    factorial2(n) = "sp.special.factorial2", combinatorics::factorial2, 2, by "n exact=False extend=zero" [], [array([5.0, 8.0])] => "[ 15. 384.]";
    /// Returns the product `n (n - k) (n - 2k) …` of whole numbers, 0 of negative `n`
    factorialk(n, k) = "sp.special.factorialk", combinatorics::factorialk, 2, by "n k exact=False extend=zero" [], [array([5.0, 8.0]), 3.0] => "[10. 80.]";
    /// Returns the number of ways to choose `k` of `n` things, which is 0 unless `0 ≤ k ≤ n`
    comb(n, k) = "sp.special.comb", combinatorics::comb, 64, by "N k * exact=False repetition?" [], or "repetition" comb_with_repetition, [5.0, array([2.0, 6.0])] => "[10.  0.]";
    /// Returns the number of ordered choices of `k` of `n` things, which is 0 unless `0 ≤ k ≤ n`
    perm(n, k) = "sp.special.perm", combinatorics::perm, 864, by "N k exact=False" [], [5.0, array([2.0, 6.0])] => "[20.  0.]";
    /// Returns the nearest whole number, of two the even one
    round(x) = "sp.special.round", combinatorics::round, 0, [array([0.5, 1.5, -2.3])] => "[ 0.  2. -2.]";
}

// What `comb` calls where `repetition` is true.
special! { REPEATED;
    /// Returns the number of ways to choose `k` of `n` things, each of which may be chosen again
    comb_with_repetition(n, k) = "sp.special.comb" as "`scipy.special.comb` with `repetition=True`", combinatorics::comb_with_repetition, 64, [5.0, array([2.0, 3.0])] => "[15. 35.]";
}
