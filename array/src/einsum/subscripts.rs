//! What subscripts say: letters of each operand and of the result, with every ellipsis spelled out.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::array::Array;
use ndany_core::{Error, Result};

/// An axis by name: the code of a letter, or [`ELLIPSIS`] plus the place of a broadcast axis counted from
/// the last one.
pub(crate) type Label = u32;

/// Above every letter and every number of a sublist.
const ELLIPSIS: Label = 1 << 16;

/// The axes of one operand.
pub(crate) type Labels = SmallVec<[Label; 6]>;

/// What one operand says: letters, and where its ellipsis stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    pub(crate) letters: Labels,
    pub(crate) ellipsis: Option<usize>,
}

/// The axes of all operands and of the result, by name.
#[derive(Clone, Debug)]
pub(crate) struct Subscripts {
    text: String,
    /// One for each operand; a label may repeat.
    pub(crate) inputs: Vec<Labels>,
    /// No label repeats.
    pub(crate) output: Labels,
}

impl Subscripts {
    /// Reads the text, for operands of these ranks.
    pub(crate) fn parse(text: &str, ndims: &[usize]) -> Result<Self> {
        let wrong = |reason: String| Error::Subscripts { subscripts: text.to_string(), reason };
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(written(output).map_err(wrong)?)),
            None => (text, None),
        };
        let inputs: Vec<Written> =
            inputs.split(',').map(written).collect::<Result<_, String>>().map_err(wrong)?;
        Self::resolve(text, &inputs, output, ndims)
    }

    /// Spells the ellipses out and finds the axes of the result.
    pub(crate) fn resolve(
        text: &str,
        inputs: &[Written],
        output: Option<Written>,
        ndims: &[usize],
    ) -> Result<Self> {
        let wrong = |reason: String| Error::Subscripts { subscripts: text.to_string(), reason };
        if inputs.len() != ndims.len() {
            return Err(wrong(format!("{} operands for {}", ndims.len(), inputs.len())));
        }
        let mut broadcast = 0;
        let mut resolved: Vec<Labels> = Vec::new();
        for (position, (written, &ndim)) in inputs.iter().zip(ndims).enumerate() {
            let count = written.letters.len();
            let missing = ndim.checked_sub(count).ok_or_else(|| {
                wrong(format!("{count} letters for the {ndim} axes of operand {position}"))
            })?;
            if missing > 0 && written.ellipsis.is_none() {
                let reason = format!("operand {position} has {missing} axes more, and no ellipsis");
                return Err(wrong(reason));
            }
            broadcast = broadcast.max(missing);
            resolved.push(spelled(written, missing));
        }
        let output = match output {
            Some(output) => {
                if broadcast > 0 && output.ellipsis.is_none() {
                    return Err(wrong(
                        "the result needs an ellipsis for the axes that broadcast".into(),
                    ));
                }
                spelled(&output, broadcast)
            }
            None => {
                let mut letters: Labels = resolved.iter().flatten().copied().collect();
                letters.sort_unstable();
                let once = |label: &Label| {
                    *label < ELLIPSIS && letters.iter().filter(|&other| other == label).count() == 1
                };
                let once = letters.iter().copied().filter(once).collect();
                spelled(&Written { letters: once, ellipsis: Some(0) }, broadcast)
            }
        };
        for (position, label) in output.iter().enumerate() {
            if output[..position].contains(label) {
                return Err(wrong(format!("{} occurs twice in the result", name(*label))));
            }
            if *label < ELLIPSIS && !resolved.iter().any(|labels| labels.contains(label)) {
                return Err(wrong(format!("{} occurs in no operand", name(*label))));
            }
        }
        Ok(Self { text: text.to_string(), inputs: resolved, output })
    }

    /// The extent of each label; 1 where every operand has 1, and broadcasts otherwise.
    pub(crate) fn extents(&self, operands: &[&Array]) -> Result<HashMap<Label, usize>> {
        let wrong = |reason: String| Error::Subscripts { subscripts: self.text.clone(), reason };
        let mut extents: HashMap<Label, usize> = HashMap::new();
        for (operand, labels) in operands.iter().zip(&self.inputs) {
            for (axis, (&label, &extent)) in labels.iter().zip(operand.shape()).enumerate() {
                // Within one operand nothing broadcasts.
                let first = labels.iter().position(|other| *other == label).unwrap_or(axis);
                if operand.shape()[first] != extent {
                    let (one, name) = (operand.shape()[first], name(label));
                    return Err(wrong(format!(
                        "{name} stands for {one} and {extent} in one operand"
                    )));
                }
                let known = extents.entry(label).or_insert(extent);
                match (*known, extent) {
                    (1, _) => *known = extent,
                    (_, 1) => {}
                    (known, extent) if known == extent => {}
                    (known, extent) => {
                        let name = name(label);
                        return Err(wrong(format!("{name} stands for {known} and for {extent}")));
                    }
                }
            }
        }
        // An ellipsis of the result that no operand fills.
        self.output.iter().for_each(|&label| {
            extents.entry(label).or_insert(1);
        });
        Ok(extents)
    }
}

fn name(label: Label) -> String {
    match char::from_u32(label) {
        Some(letter) if letter.is_ascii_alphabetic() => format!("{letter:?}"),
        _ if label >= ELLIPSIS => "an axis of the ellipsis".to_string(),
        _ => format!("label {label}"),
    }
}

/// The labels with `broadcast` axes where the ellipsis stands.
fn spelled(written: &Written, broadcast: usize) -> Labels {
    let Some(place) = written.ellipsis else { return written.letters.clone() };
    let axes = (0..broadcast as Label).rev().map(|axis| ELLIPSIS + axis);
    let (before, after) = written.letters.split_at(place);
    before.iter().copied().chain(axes).chain(after.iter().copied()).collect()
}

fn written(text: &str) -> Result<Written, String> {
    let mut written = Written::default();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_alphabetic() {
            written.letters.push(Label::from(first));
            rest = &rest[1..];
        } else if rest.starts_with("...") && written.ellipsis.is_none() {
            written.ellipsis = Some(written.letters.len());
            rest = &rest[3..];
        } else if first == '.' {
            return Err("a period that is not part of the one ellipsis".to_string());
        } else {
            return Err(format!("{first:?} is no letter"));
        }
        rest = rest.trim_start();
    }
    Ok(written)
}
