//! Checks of results that are right in more than one way: factorizations and their like.
//!
//! A check is a sentence of the manifest, such as `A@V==V@diag(w)`. `A` is the operand, the other
//! names are the results of the operation in NumPy's order (`results_of`), `Vh` is a conjugate
//! transpose, `I` the identity. Everything is computed in complex doubles, matrix by matrix of a
//! stack, with plain loops. An equation with `I` on one side is measured by itself, any other
//! relative to max|A|.

use crate::compare::{Mismatch, same_form};
use crate::host::HostArray;
use crate::matrix::Matrix;

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Two products are equal.
    Equation(Vec<Factor>, Vec<Factor>),
    /// Nothing below (or above) the diagonal.
    Triangular { name: String, upper: bool },
    /// Columns of length 1.
    Unit { name: String },
    /// Values in order.
    Monotone { name: String, ascending: bool },
    /// The named result is the expected array, sorted by real, then imaginary part where said so.
    Expected { name: String, sorted: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Factor {
    Identity,
    Name(String),
    Adjoint(String),
    Diagonal(String),
}

impl Check {
    /// Reads a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let unknown = || format!("tolerance: unknown check {text:?}");
        let words: Vec<&str> = text.split_whitespace().collect();
        let named = |name: &str| {
            let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
            if plain { Ok(name.to_owned()) } else { Err(unknown()) }
        };
        let kind = match words.as_slice() {
            [equation] => {
                let (left, right) = equation.split_once("==").ok_or_else(unknown)?;
                let side = |side: &str| -> Result<Vec<Factor>, String> {
                    side.split('@').map(|text| factor(text).ok_or_else(unknown)).collect()
                };
                Kind::Equation(side(left)?, side(right)?)
            }
            [name, "upper", "triangular"] => Kind::Triangular { name: named(name)?, upper: true },
            [name, "lower", "triangular"] => Kind::Triangular { name: named(name)?, upper: false },
            [name, "of", "unit", "columns"] => Kind::Unit { name: named(name)? },
            [name, "ascending"] => Kind::Monotone { name: named(name)?, ascending: true },
            [name, "descending"] => Kind::Monotone { name: named(name)?, ascending: false },
            [name, "equals", "expected"] => {
                match name.strip_prefix("sorted(").and_then(|rest| rest.strip_suffix(')')) {
                    Some(inner) => Kind::Expected { name: named(inner)?, sorted: true },
                    None => Kind::Expected { name: named(name)?, sorted: false },
                }
            }
            _ => return Err(unknown()),
        };
        Ok(Self { text: text.to_owned(), kind })
    }
}

fn factor(text: &str) -> Option<Factor> {
    let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    if text == "I" {
        return Some(Factor::Identity);
    }
    if let Some(inner) = text.strip_prefix("diag(").and_then(|rest| rest.strip_suffix(')')) {
        return plain(inner).then(|| Factor::Diagonal(inner.to_owned()));
    }
    match text.strip_suffix('h') {
        Some(name) if plain(name) => Some(Factor::Adjoint(name.to_owned())),
        Some(_) | None => plain(text).then(|| Factor::Name(text.to_owned())),
    }
}

/// What the manifest calls the results of an operation.
fn results_of(op: &str) -> &'static [&'static str] {
    match op {
        "np.linalg.eigh" | "np.linalg.eig" => &["w", "V"],
        "np.linalg.qr" => &["Q", "R"],
        "np.linalg.svd" => &["U", "S", "Vh"],
        "np.linalg.cholesky" => &["L"],
        "np.linalg.inv" | "np.linalg.pinv" | "np.linalg.solve" => &["X"],
        _ => &[],
    }
}

/// Applies every check; dtype and shape of expected arrays count besides.
pub(crate) fn judge(
    op: &str,
    operand: Option<&HostArray>,
    got: &[&HostArray],
    expected: &[&HostArray],
    checks: &[Check],
    rtol: f64,
) -> Result<(), Mismatch> {
    let names = results_of(op);
    if got.len() < expected.len() || got.len() != names.len() {
        let expected = names.len().max(expected.len());
        return Err(Mismatch::Count { expected, got: got.len() });
    }
    // Where only part of the results is recorded, it is the first ones: eigenvalues, not vectors.
    for (position, (got, expected)) in got.iter().zip(expected).enumerate() {
        same_form(&format!("result {position}: "), got, expected)?;
    }
    let scope = Scope { operand, names, got, expected, rtol };
    for check in checks {
        scope
            .apply(check)
            .map_err(|reason| Mismatch::Check { check: check.text.clone(), reason })?;
    }
    Ok(())
}

struct Scope<'a> {
    operand: Option<&'a HostArray>,
    names: &'static [&'static str],
    got: &'a [&'a HostArray],
    expected: &'a [&'a HostArray],
    rtol: f64,
}

impl Scope<'_> {
    fn array(&self, name: &str) -> Result<&HostArray, String> {
        if name == "A" {
            return self.operand.ok_or_else(|| "there is no operand A".to_owned());
        }
        let position = self.names.iter().position(|&known| known == name);
        let position = position.ok_or_else(|| format!("no result is called {name:?}"))?;
        Ok(self.got[position])
    }

    fn has(&self, name: &str) -> bool {
        name == "A" || self.names.contains(&name)
    }

    /// max|A|, or 1 where there is no operand to compare with.
    fn scale(&self) -> f64 {
        let largest = |array: &HostArray| {
            array.complex_values().iter().fold(0.0, |most: f64, v| most.max(v.0.hypot(v.1)))
        };
        self.operand.map_or(1.0, largest)
    }

    fn apply(&self, check: &Check) -> Result<(), String> {
        match &check.kind {
            Kind::Equation(left, right) => {
                let (left_value, right_value) = (self.product(left)?, self.product(right)?);
                let by_itself = left == &[Factor::Identity] || right == &[Factor::Identity];
                let bound = self.rtol * if by_itself { 1.0 } else { self.scale() };
                let pairs = matching(&left_value, &right_value)?;
                for (left, right) in pairs {
                    let far = left.distance(&right)?;
                    if exceeds(far, bound) {
                        return Err(format!("the sides are {far:e} apart, allowed {bound:e}"));
                    }
                }
                Ok(())
            }
            Kind::Triangular { name, upper } => {
                let bound = self.rtol * self.scale();
                for matrix in Matrix::stack(self.array(name)?)? {
                    let outside = matrix.largest_outside(*upper);
                    if exceeds(outside, bound) {
                        return Err(format!("{outside:e} outside the triangle, allowed {bound:e}"));
                    }
                }
                Ok(())
            }
            Kind::Unit { name } => {
                for matrix in Matrix::stack(self.array(name)?)? {
                    for (column, length) in matrix.lengths().into_iter().enumerate() {
                        if exceeds((length - 1.0).abs(), self.rtol) {
                            return Err(format!("column {column} is {length:e} long"));
                        }
                    }
                }
                Ok(())
            }
            Kind::Monotone { name, ascending } => {
                let array = self.array(name)?;
                let values = array.complex_values();
                let row = array.shape().last().copied().unwrap_or(1).max(1);
                let ordered = values.chunks(row).all(|row| {
                    row.windows(2).all(|pair| {
                        if *ascending { pair[0].0 <= pair[1].0 } else { pair[0].0 >= pair[1].0 }
                    })
                });
                if ordered { Ok(()) } else { Err(format!("not in order: {}", array.preview(16))) }
            }
            Kind::Expected { name, sorted } => self.equals_expected(name, *sorted),
        }
    }

    fn equals_expected(&self, name: &str, sorted: bool) -> Result<(), String> {
        let array = self.array(name)?;
        let expected = self.expected.first().ok_or("nothing is recorded")?;
        let order = |array: &HostArray| {
            let mut values = array.complex_values();
            if sorted {
                values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            }
            values
        };
        let (got, wanted) = (order(array), order(expected));
        if got.len() != wanted.len() {
            return Err(format!("{} values, expected {}", got.len(), wanted.len()));
        }
        let bound = self.rtol * self.scale();
        for (got, wanted) in got.iter().zip(&wanted) {
            let far = (got.0 - wanted.0).hypot(got.1 - wanted.1);
            if exceeds(far, bound) {
                return Err(format!("expected {wanted:?}, got {got:?}, allowed {bound:e}"));
            }
        }
        Ok(())
    }

    /// A product, one matrix for each of a stack; `None` is the identity, of whatever size is needed.
    fn product(&self, factors: &[Factor]) -> Result<Option<Vec<Matrix>>, String> {
        let mut product: Option<Vec<Matrix>> = None;
        for factor in factors {
            let next = match factor {
                Factor::Identity => continue,
                // `Vh` may itself be a result, as of svd.
                Factor::Adjoint(name) if !self.has(name) => {
                    Matrix::stack(self.array(&format!("{name}h"))?)?
                }
                Factor::Adjoint(name) => {
                    Matrix::stack(self.array(name)?)?.iter().map(Matrix::adjoint).collect()
                }
                Factor::Name(name) => Matrix::stack(self.array(name)?)?,
                Factor::Diagonal(name) => Matrix::diagonals(self.array(name)?)?,
            };
            product = Some(match product {
                None => next,
                Some(before) if before.len() == next.len() => {
                    let pairs = before.iter().zip(&next);
                    pairs.map(|(a, b)| a.times(b)).collect::<Result<_, _>>()?
                }
                Some(before) => {
                    return Err(format!("stacks of {} and {} matrices", before.len(), next.len()));
                }
            });
        }
        Ok(product)
    }
}

/// A NaN exceeds every bound.
fn exceeds(distance: f64, bound: f64) -> bool {
    distance.is_nan() || distance > bound
}

fn matching(
    left: &Option<Vec<Matrix>>,
    right: &Option<Vec<Matrix>>,
) -> Result<Vec<(Matrix, Matrix)>, String> {
    match (left, right) {
        (Some(left), Some(right)) if left.len() == right.len() => {
            Ok(left.iter().cloned().zip(right.iter().cloned()).collect())
        }
        (Some(left), Some(right)) => {
            Err(format!("stacks of {} and {} matrices", left.len(), right.len()))
        }
        (Some(some), None) | (None, Some(some)) => {
            Ok(some.iter().map(|matrix| (matrix.clone(), matrix.identity_alike())).collect())
        }
        (None, None) => Err("a check of the identity alone cannot fail".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Dtype;

    fn array(shape: &[usize], values: &[f64]) -> HostArray {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        HostArray::new(Dtype::Float64, shape.to_vec(), bytes).expect("fills")
    }

    fn holds(
        op: &str,
        a: &HostArray,
        got: &[&HostArray],
        expected: &HostArray,
        checks: &[&str],
    ) -> bool {
        let checks: Vec<Check> =
            checks.iter().map(|text| Check::parse(text).expect("a check")).collect();
        judge(op, Some(a), got, &[expected], &checks, 1e-10).is_ok()
    }

    #[test]
    fn eigenvalues_and_vectors() {
        let a = array(&[2, 2], &[2.0, 1.0, 1.0, 2.0]);
        let half = 0.5f64.sqrt();
        let w = array(&[2], &[1.0, 3.0]);
        let v = array(&[2, 2], &[half, half, -half, half]);
        let checks = ["A@V==V@diag(w)", "Vh@V==I", "w equals expected", "w ascending"];
        let op = "np.linalg.eigh";
        assert!(holds(op, &a, &[&w, &v], &w, &checks));
        let swapped = array(&[2], &[3.0, 1.0]);
        for check in &checks[..1] {
            assert!(!holds(op, &a, &[&swapped, &v], &w, &[check]), "{check}");
        }
        assert!(!holds(op, &a, &[&swapped, &v], &w, &["w ascending"]));
        assert!(!holds(op, &a, &[&swapped, &v], &w, &["w equals expected"]));
        assert!(holds(op, &a, &[&swapped, &v], &w, &["sorted(w) equals expected"]));
        let long = array(&[2, 2], &[1.0, 1.0, -1.0, 1.0]);
        assert!(!holds(op, &a, &[&w, &long], &w, &["Vh@V==I"]));
        assert!(holds(op, &a, &[&w, &v], &w, &["V of unit columns"]));
        assert!(!holds(op, &a, &[&w, &long], &w, &["V of unit columns"]));
        let nan = array(&[2, 2], &[f64::NAN; 4]);
        assert!(!holds(op, &a, &[&w, &nan], &w, &["V of unit columns"]));
        for check in &checks[..2] {
            assert!(!holds(op, &a, &[&w, &nan], &w, &[check]), "{check}");
        }
        assert!(!holds(op, &a, &[&w], &w, &checks), "a result is missing");
    }

    #[test]
    fn triangles() {
        let a = array(&[2, 3], &[1.0, 2.0, 3.0, 0.0, 4.0, 5.0]);
        let q = array(&[2, 2], &[1.0, 0.0, 0.0, 1.0]);
        let checks = ["Q@R==A", "Qh@Q==I", "R upper triangular"];
        assert!(holds("np.linalg.qr", &a, &[&q, &a], &q, &checks));
        let full = array(&[2, 3], &[1.0, 2.0, 3.0, 1e-3, 4.0, 5.0]);
        assert!(!holds("np.linalg.qr", &a, &[&q, &full], &q, &["R upper triangular"]));
        assert!(!holds("np.linalg.qr", &a, &[&q, &full], &q, &["Q@R==A"]));
    }

    #[test]
    fn sentences_that_say_nothing_are_refused() {
        for text in ["", "fine", "A==", "A@@B==I", "w is small", "diag(==A", "a-b ascending"] {
            assert!(Check::parse(text).is_err(), "{text}");
        }
    }
}
