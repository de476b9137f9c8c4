//! Which cases run: those that filters match, or some of them, the same in every run.

use crate::manifest::Case;

/// The cases whose id contains one of the filters (all, if there are none), in the order of `all`: of those that each
/// filter matches the first and every nth after it, and besides the ones whose id contains a text of `whole`. A
/// filter that matches nothing comes back.
pub fn choose<'c>(
    all: &'c [Case],
    filters: &[String],
    every: usize,
    whole: &[String],
) -> Result<Vec<&'c Case>, String> {
    let everything = [String::new()];
    let filters = if filters.is_empty() { &everything } else { filters };
    let mut chosen = vec![false; all.len()];
    for filter in filters {
        let matching = || all.iter().zip(0..).filter(|(case, _)| case.id.contains(filter));
        if matching().next().is_none() {
            return Err(filter.clone());
        }
        for (number, (case, position)) in matching().enumerate() {
            let wholly = || whole.iter().any(|text| case.id.contains(text));
            chosen[position] |= number % every == 0 || wholly();
        }
    }
    Ok(all.iter().zip(chosen).filter_map(|(case, chosen)| chosen.then_some(case)).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::arrays::Arrays;
    use crate::manifest::parse_case;

    fn cases() -> Vec<Case> {
        let arrays = Arrays::open(Path::new(""), None).expect("a folder is not opened");
        let arrays = Arc::new(arrays);
        let case = |k: usize| {
            let group = if k.is_multiple_of(2) { "even" } else { "odd" };
            let raw = serde_json::json!({
                "id": format!("{group}/{k}"), "family": group, "op": "np.positive", "args": [], "kwargs": {},
                "expected": {"error": ["TypeError"]}, "tolerance": {"kind": "exact"},
            });
            parse_case(&raw, k, &arrays).expect("a case")
        };
        (0..20).map(case).collect()
    }

    fn ids(filters: &[&str], every: usize, whole: &[&str]) -> Result<Vec<String>, String> {
        let [filters, whole]: [Vec<String>; 2] =
            [filters, whole].map(|texts| texts.iter().map(|text| text.to_string()).collect());
        let all = cases();
        let chosen = choose(&all, &filters, every, &whole)?;
        Ok(chosen.into_iter().map(|case| case.id.clone()).collect())
    }

    fn named(ids: &[&str]) -> Result<Vec<String>, String> {
        Ok(ids.iter().map(|id| id.to_string()).collect())
    }

    #[test]
    fn some_of_each_filter_in_the_order_of_all() {
        assert_eq!(ids(&[], 1, &[]).map(|ids| ids.len()), Ok(20));
        assert_eq!(ids(&[], 10, &[]), named(&["even/0", "even/10"]));
        assert_eq!(ids(&[], 10, &["17"]), named(&["even/0", "even/10", "odd/17"]));
        assert_eq!(ids(&["odd", "4"], 5, &[]), named(&["odd/1", "even/4", "odd/11"]));
        assert_eq!(
            ids(&["odd/3", "odd"], 100, &["even", "odd/5"]),
            named(&["odd/1", "odd/3", "odd/5"])
        );
        assert_eq!(ids(&["odd", "prime"], 1, &[]), Err("prime".to_string()));
    }
}
