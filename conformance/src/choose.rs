//! Which cases run: those that filters match, or some of them, the same in every run.

use crate::manifest::Case;

/// The cases whose id contains one of the filters (all, if there are none), in the order of `all`; with `take` only so
/// many of those that each filter matches, spread evenly over them. A filter that matches nothing comes back.
pub fn choose<'c>(
    all: &'c [Case],
    filters: &[String],
    take: Option<usize>,
) -> Result<Vec<&'c Case>, String> {
    let everything = [String::new()];
    let filters = if filters.is_empty() { &everything } else { filters };
    let mut chosen = vec![false; all.len()];
    for filter in filters {
        let matches = |position: &usize| all[*position].id.contains(filter.as_str());
        let positions: Vec<usize> = (0..all.len()).filter(matches).collect();
        if positions.is_empty() && !all.is_empty() {
            return Err(filter.clone());
        }
        let count = take.unwrap_or(positions.len()).min(positions.len());
        (0..count).for_each(|k| chosen[positions[k * positions.len() / count]] = true);
    }
    Ok(all.iter().zip(chosen).filter_map(|(case, chosen)| chosen.then_some(case)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::parse_case;

    fn cases() -> Vec<Case> {
        let case = |k: usize| {
            let group = if k % 2 == 0 { "even" } else { "odd" };
            let raw = serde_json::json!({
                "id": format!("{group}/{k}"), "family": group, "op": "np.positive", "args": [], "kwargs": {},
                "expected": {"error": ["TypeError"]}, "tolerance": {"kind": "exact"},
            });
            parse_case(&raw, k).expect("a case")
        };
        (0..20).map(case).collect()
    }

    fn ids(filters: &[&str], take: Option<usize>) -> Result<Vec<String>, String> {
        let filters: Vec<String> = filters.iter().map(|filter| filter.to_string()).collect();
        let all = cases();
        let chosen = choose(&all, &filters, take)?;
        Ok(chosen.into_iter().map(|case| case.id.clone()).collect())
    }

    #[test]
    fn some_of_each_filter_in_the_order_of_all() {
        assert_eq!(ids(&[], None).map(|ids| ids.len()), Ok(20));
        assert_eq!(ids(&[], Some(2)), Ok(vec!["even/0".into(), "even/10".into()]));
        let expected = ["odd/1", "even/4", "odd/11", "even/14"].map(String::from).to_vec();
        assert_eq!(ids(&["odd", "4"], Some(2)), Ok(expected));
        assert_eq!(ids(&["odd/3", "odd"], Some(1)), Ok(vec!["odd/1".into(), "odd/3".into()]));
        assert_eq!(ids(&["odd", "prime"], None), Err("prime".to_string()));
        assert_eq!(ids(&["4"], Some(100)), Ok(vec!["even/4".into(), "even/14".into()]));
    }
}
