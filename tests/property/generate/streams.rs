//! Steps of programs that are spread over streams: what takes memory of a launch's own (sorts, scans, selections,
//! factorizations, transforms of rows that no block holds), and what moves elements.

use ndany::call::Value;
use ndany::{DType, Index, Kind};
use ndany_core::ops::rows::BINARY;

use super::{Generator, folds};
use crate::program::{Arg, Composed, Step};

impl Generator {
    pub(super) fn streams_step(&mut self) -> Option<usize> {
        let value = self.value();
        let ndim = self.shape(value).len();
        let along = |generator: &mut Self| {
            let axis = match generator.random.below(ndim.max(1)) {
                axis if ndim > 0 => Value::from(axis as i64),
                _ => Value::from(-1),
            };
            ("axis", Arg::Const(axis))
        };
        match self.random.below(100) {
            0..12 => {
                let axis = along(self);
                self.call("np.sort", vec![Arg::Of(value)], vec![axis])
            }
            12..20 => {
                let kind = ("kind", Arg::Const(Value::from("stable")));
                let axis = along(self);
                self.call("np.argsort", vec![Arg::Of(value)], vec![axis, kind])
            }
            20..28 => {
                let axis = along(self);
                let name = self.random.choice(&["np.cumsum", "np.cumprod"]);
                self.call(name, vec![Arg::Of(value)], vec![axis])
            }
            28..34 => {
                let names = ["maximum", "minimum", "subtract", "bitwise_xor", "divide"];
                let name = self.random.choice(&names);
                let row = BINARY.iter().find(|row| row.name == name)?;
                let axis = along(self);
                self.call(folds::method(row, "accumulate")?, vec![Arg::Of(value)], vec![axis])
            }
            34..40 => self.composed(Composed::Selected, vec![value]),
            40..45 => self.composed(Composed::Unique, vec![value]),
            45..52 => {
                let by = self.value();
                self.composed(Composed::Gathered, vec![value, by])
            }
            52..58 => {
                let by = self.value();
                match self.shadows[by].size() <= self.shadows[value].size() {
                    true => self.composed(Composed::Scattered, vec![value, by]),
                    false => self.composed(Composed::Scattered, vec![by, value]),
                }
            }
            58..62 => {
                let axis = along(self);
                self.call("np.median", vec![Arg::Of(value)], vec![axis])
            }
            62..65 => {
                let sorted = self.call("np.sort", vec![Arg::Of(value)], vec![])?;
                let sought = self.value();
                let same = ndim == 1 && self.dtype(sought) == self.dtype(value);
                let sought = if same { sought } else { value };
                self.call("np.searchsorted", vec![Arg::Of(sorted), Arg::Of(sought)], vec![])
            }
            65..68 => {
                let integers = matches!(self.dtype(value).kind(), Kind::Int);
                let of = Arg::Of(if integers { value } else { return None });
                let few = vec![of, Arg::Const(Value::from(63))];
                let few = self.call("np.bitwise_and", few, vec![])?;
                let few = vec![Arg::Of(few), Arg::Const(Value::from(-1))];
                let few = self.call("np.reshape", few, vec![])?;
                let least = ("minlength", Arg::Const(Value::from(64)));
                self.call("np.bincount", vec![Arg::Of(few)], vec![least])
            }
            68..74 => self.factors(),
            74..77 => {
                let integers = matches!(self.dtype(value).kind(), Kind::Bool | Kind::Int);
                match integers && ndim > 0 {
                    true => self.composed(Composed::Fourier, vec![value]),
                    false => None,
                }
            }
            77..85 => self.overwritten(value),
            _ => self.usual_step(),
        }
    }

    fn composed(&mut self, what: Composed, args: Vec<usize>) -> Option<usize> {
        let filled = args.iter().all(|&arg| self.shadows[arg].size() > 0);
        if filled { self.add(Step::Composed { what, args }) } else { None }
    }

    /// A value that is sorted, or gathered, and then written in place by its last user: in another stream, as a rule.
    fn overwritten(&mut self, value: usize) -> Option<usize> {
        let dtype = self.dtype(value);
        if !matches!(dtype.kind(), Kind::Int | Kind::Float) || self.shadows[value].size() == 0 {
            return None;
        }
        let copy = self.call("np.add", vec![Arg::Of(value), Arg::Const(Value::from(1))], vec![])?;
        let read = match self.random.percent(50) {
            true => self.call("np.sort", vec![Arg::Of(copy)], vec![])?,
            false => self.composed(Composed::Gathered, vec![copy, copy])?,
        };
        let three = Arg::Const(Value::from(3));
        let index = vec![Index::Ellipsis];
        self.add(Step::Update { target: copy, index, op: "*=", value: three })?;
        self.spent.push(copy);
        Some(read)
    }

    /// Factors of matrices that one block holds, and of ones that it does not.
    fn factors(&mut self) -> Option<usize> {
        let shape = self.random.choice(&[[3, 12, 12], [2, 40, 40], [1, 90, 90]]);
        let count = shape.iter().product::<usize>();
        let bytes = (0..count).flat_map(|_| (self.random.range(-9, 9) as i64).to_le_bytes());
        let bytes = bytes.collect();
        let leaf = self.add(Step::Leaf { dtype: DType::I64, shape: shape.to_vec(), bytes })?;
        let what = self.random.choice(&[Composed::Solved, Composed::Cholesky, Composed::Qr]);
        self.composed(what, vec![leaf])
    }
}
