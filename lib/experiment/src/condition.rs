//! Comparisons: whether a finding holds in the results, and what beats a setting.

use crate::axis::Axis;
use crate::preference::Preference;
use crate::results::Results;
use crate::value::{Cells, Quantity, Value, mean};
use crate::words::Words;

/// Whether a finding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Confirmed,
    NotConfirmed,
    NotMeasured,
}

impl Verdict {
    pub(crate) fn written(self) -> &'static str {
        match self {
            Verdict::Confirmed => "**confirmed**",
            Verdict::NotConfirmed => "**not confirmed**",
            Verdict::NotMeasured => "**not measured**",
        }
    }
}

/// One side of a comparison: a figure, times a factor, less a margin; or a number.
enum Term {
    Number(f64),
    Value { value: Value, factor: f64, margin: f64 },
}

/// Comparisons `TERM > TERM` or `preferred PARAMETER of SETTING is VALUE`, with `and` between, which all must hold.
///
/// Two figures are compared as means over the targets and seeds that both have.
pub(crate) fn verdict(results: &Results, words: &mut Words) -> Result<Verdict, String> {
    let mut all = Verdict::Confirmed;
    loop {
        let holds = if words.take("preferred") { is_preferred(results, words)? } else { is_greater(results, words)? };
        all = match (all, holds) {
            (Verdict::NotConfirmed, _) | (_, Some(false)) => Verdict::NotConfirmed,
            (Verdict::NotMeasured, _) | (_, None) => Verdict::NotMeasured,
            _ => Verdict::Confirmed,
        };
        if !words.take("and") {
            return Ok(all);
        }
    }
}

/// `PARAMETER of SETTING [in TARGETS] is VALUE`.
fn is_preferred(results: &Results, words: &mut Words) -> Result<Option<bool>, String> {
    let preference = Preference::read(words)?;
    words.expect("is")?;
    Ok(preference.is(words.next("a value")?, results))
}

/// `TERM > TERM`.
fn is_greater(results: &Results, words: &mut Words) -> Result<Option<bool>, String> {
    let left = term(words)?;
    words.expect(">")?;
    let right = term(words)?;
    Ok(compare(results, &left, &right))
}

fn term(words: &mut Words) -> Result<Term, String> {
    if let Some(number) = words.number_if() {
        return Ok(Term::Number(number));
    }
    let value = words.value()?;
    let factor = if words.take("times") { words.number()? } else { 1.0 };
    let margin = if words.take("minus") { words.number()? } else { 0.0 };
    Ok(Term::Value { value, factor, margin })
}

/// Whether the left side is greater; `None` where one is not known.
fn compare(results: &Results, left: &Term, right: &Term) -> Option<bool> {
    let cells = |term: &Term| match term {
        Term::Number(_) => None,
        Term::Value { value, .. } => Some(value.cells(results)),
    };
    let (mut of_left, mut of_right) = (cells(left), cells(right));
    if let (Some(a), Some(b)) = (&mut of_left, &mut of_right) {
        pair(a, b);
    }
    Some(amount(left, of_left.as_ref())? > amount(right, of_right.as_ref())?)
}

fn amount(term: &Term, cells: Option<&Cells>) -> Option<f64> {
    match term {
        Term::Number(number) => Some(*number),
        Term::Value { factor, margin, .. } => Some(mean(cells?)?.mean * factor - margin),
    }
}

/// Leaves the targets and seeds that both have.
fn pair(a: &mut Cells, b: &mut Cells) {
    a.retain(|key, _| b.contains_key(key));
    b.retain(|key, _| a.contains_key(key));
}

/// The mean of one figure by the mean of another, over the targets and seeds that both have.
pub(crate) fn ratio(results: &Results, above: &Value, below: &Value) -> Option<f64> {
    let (mut above, mut below) = (above.cells(results), below.cells(results));
    pair(&mut above, &mut below);
    let below = mean(&below)?.mean;
    (below > 0.0).then_some(mean(&above)?.mean / below)
}

/// The settings that beat one at a point: more PosCalls, and PosDocs above its own less `margin`, as means over the
/// targets and seeds that both have.
pub(crate) fn beaten_by<'a>(results: &'a Results, setting: &str, at: (Axis, u64), margin: f64) -> Vec<&'a str> {
    let cells = |axis, setting: &str| {
        let quantity = Quantity::share(axis);
        Value { quantity, setting: setting.into(), at, targets: Vec::new() }.cells(results)
    };
    let difference = |axis, other: &str| {
        let (mut ours, mut theirs) = (cells(axis, setting), cells(axis, other));
        pair(&mut ours, &mut theirs);
        Some(mean(&theirs)?.mean - mean(&ours)?.mean)
    };
    let is_better = |other: &&str| {
        difference(Axis::Calls, other).is_some_and(|more| more > 0.0)
            && difference(Axis::Documents, other).is_some_and(|more| more > -margin)
    };
    results.settings().into_iter().filter(|other| *other != setting).filter(is_better).collect()
}

#[cfg(test)]
mod tests {
    use super::{Axis, Preference, Verdict, Words, beaten_by, verdict};
    use crate::results::tests::{results, run};
    use crate::run::{Learned, Run};

    fn check(text: &str, expected: Verdict) {
        assert_eq!(verdict(&results(), &mut Words::of(text)), Ok(expected), "{text}");
    }

    #[test]
    fn figures_are_compared_over_the_runs_that_both_have() {
        // b lacks one run: of those that both have, a's mean is 5.67, and of all of its own 5.5.
        check("PosCalls a at calls=100 > PosCalls b at calls=100 times 2.8", Verdict::Confirmed);
        check("PosCalls a at calls=100 > PosCalls b at calls=100 times 2.9", Verdict::NotConfirmed);
    }

    #[test]
    fn all_comparisons_must_hold_and_be_measured() {
        check("PosCalls a at calls=100 > 5.4 and 5.6 > PosCalls a at calls=100", Verdict::Confirmed);
        check("PosCalls a at calls=100 > 5.4 and PosCalls a at calls=100 > 6", Verdict::NotConfirmed);
        check("PosCalls a at calls=100 > PosCalls c at calls=100", Verdict::NotMeasured);
        check("PosCalls c at calls=100 > 1 and PosCalls a at calls=100 > 6", Verdict::NotConfirmed);
    }

    #[test]
    fn a_preference_is_for_the_most_probable_value() {
        let values = [("or".to_owned(), vec![250, 400]), ("tf".to_owned(), vec![750, 600])].into();
        let learned = Learned { steps: vec![10, 20], thousandths: [("include-method".to_owned(), values)].into() };
        let learned = [("ltm/ii".to_owned(), learned)].into();
        let mut results = results();
        results.push(Run { learned, ..run("ltm", "slv", 1, 1, 1) }).unwrap();
        let judge = |text: &str| verdict(&results, &mut Words::of(text)).unwrap();
        assert_eq!(judge("preferred include-method of ltm is tf"), Verdict::Confirmed);
        assert_eq!(judge("preferred include-method of ltm is or and 2 > 1"), Verdict::NotConfirmed);
        assert_eq!(judge("preferred include-method of a is or"), Verdict::NotMeasured);
        let written = Preference::read(&mut Words::of("include-method of ltm")).unwrap().written(&results);
        assert_eq!(written, "`tf` 0.600, `or` 0.400 after 20 steps");
    }

    #[test]
    fn what_is_misspelt_is_told() {
        let told = |text: &str| verdict(&results(), &mut Words::of(text)).unwrap_err();
        assert!(told("PosCalls a at calls=100").contains("`>` is missing"));
        assert!(told("PosCalls a calls=100 > 1").contains("`at` is wanted where `calls=100` stands"));
        assert!(told("PosCalls a at calls=x > 1").contains("`x` is no whole number"));
        assert!(told("PosCalls a at calls > 1").contains("should be as calls=300"));
    }

    #[test]
    fn a_setting_is_beaten_by_what_brings_more_at_no_less_precision() {
        assert_eq!(beaten_by(&results(), "b", (Axis::Calls, 100), 0.01), ["a"]);
        assert!(beaten_by(&results(), "a", (Axis::Calls, 100), 0.01).is_empty());
    }
}
