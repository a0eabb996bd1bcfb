//! What a learner came to prefer: the values of a parameter that are most probable when its runs end.

use crate::curve::shares;
use crate::results::Results;
use crate::words::Words;

/// A parameter of a learner's runs.
pub(crate) struct Preference {
    parameter: String,
    setting: String,
    targets: Vec<String>,
}

impl Preference {
    /// Reads `PARAMETER of SETTING [in TARGETS]`.
    pub(crate) fn read(words: &mut Words) -> Result<Self, String> {
        let parameter = words.next("a parameter")?.to_owned();
        words.expect("of")?;
        Ok(Preference { parameter, setting: words.next("a setting")?.to_owned(), targets: words.names_after("in")? })
    }

    /// The values and their probabilities, the most probable first, and the last step that all runs reached.
    fn ranking(&self, results: &Results) -> Vec<(String, f64, f64)> {
        let curves = shares(results, &self.setting, &self.parameter, &self.targets).into_iter();
        let ends = curves.filter_map(|curve| {
            let (step, mean) = *curve.points.last()?;
            Some((curve.name, mean.mean, step))
        });
        let mut ends: Vec<(String, f64, f64)> = ends.collect();
        ends.sort_by(|a, b| b.1.total_cmp(&a.1));
        ends
    }

    /// The most probable values with their probabilities: `or` 0.41, `ptf` 0.25 after 200 steps.
    pub(crate) fn written(&self, results: &Results) -> String {
        /// Values that are named.
        const NAMED: usize = 3;
        let ranking = self.ranking(results);
        let Some((_, _, step)) = ranking.first() else { return "–".into() };
        let named = ranking.iter().take(NAMED).map(|(value, probability, _)| format!("`{value}` {probability:.3}"));
        format!("{} after {step} steps", named.collect::<Vec<_>>().join(", "))
    }

    /// Whether a value is the most probable one; `None` where that was not measured.
    pub(crate) fn is(&self, value: &str, results: &Results) -> Option<bool> {
        Some(self.ranking(results).first()?.0 == value)
    }
}
