//! Relations of findings, and the verdict of an interval.

use crate::bootstrap::Interval;
use std::fmt;

/// A relation of the left side of a finding to the right one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relation {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// Equal up to a tolerance, which is a share of the right side.
    Within(f64),
}

/// The verdict on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The relation holds nowhere in the interval.
    Contradicted,
    /// The relation holds in a part of the interval, or there are too few pairs for an interval.
    Undecided,
    /// The relation holds in the whole interval.
    Confirmed,
    /// There is no pair.
    NotTested,
}

impl Verdict {
    /// All verdicts, in the order of the summary.
    pub(crate) const ALL: [Verdict; 4] = [
        Verdict::Confirmed,
        Verdict::Contradicted,
        Verdict::Undecided,
        Verdict::NotTested,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Contradicted => "contradicted",
            Verdict::Undecided => "undecided",
            Verdict::NotTested => "not tested",
        })
    }
}

impl Relation {
    /// Parses `>`, `>=`, `<`, `<=`, or `~` with its tolerance, as in `~ 5%`.
    pub(crate) fn parse(text: &str) -> Result<Relation, String> {
        if let Some(tolerance) = text.strip_prefix('~') {
            return parse_percentage(tolerance)
                .map(Relation::Within)
                .ok_or_else(|| format!("`{text}`: expected ~ and a tolerance, as in ~ 5%"));
        }
        match text {
            ">" => Ok(Relation::Greater),
            ">=" => Ok(Relation::GreaterOrEqual),
            "<" => Ok(Relation::Less),
            "<=" => Ok(Relation::LessOrEqual),
            _ => Err(format!(
                "`{text}` is not a relation; use one of >, >=, <, <=, ~ 5%, prefers, is below"
            )),
        }
    }

    /// Returns `true` if the relation holds for two numbers.
    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Relation::Greater => left > right,
            Relation::GreaterOrEqual => left >= right,
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
            Relation::Within(tolerance) => (left - right).abs() <= tolerance * right.abs(),
        }
    }

    /// Returns the verdict of an interval of the difference of the sides. `tolerance` has the
    /// least and the greatest difference that `~` allows.
    pub(crate) fn verdict(self, interval: Interval, tolerance: Interval) -> Verdict {
        let Interval { low, high } = interval;
        let (holds_everywhere, holds_nowhere) = match self {
            Relation::Greater => (low > 0.0, high <= 0.0),
            Relation::GreaterOrEqual => (low >= 0.0, high < 0.0),
            Relation::Less => (high < 0.0, low >= 0.0),
            Relation::LessOrEqual => (high <= 0.0, low > 0.0),
            Relation::Within(_) => (
                tolerance.low <= low && high <= tolerance.high,
                high < tolerance.low || tolerance.high < low,
            ),
        };
        match (holds_everywhere, holds_nowhere) {
            (true, _) => Verdict::Confirmed,
            (_, true) => Verdict::Contradicted,
            _ => Verdict::Undecided,
        }
    }

    /// Returns a number that is greater, the more a difference of the sides supports the relation.
    pub(crate) fn support(self, difference: f64) -> f64 {
        match self {
            Relation::Greater | Relation::GreaterOrEqual => difference,
            Relation::Less | Relation::LessOrEqual => -difference,
            Relation::Within(_) => -difference.abs(),
        }
    }
}

/// Parses a percentage below 100, such as `5%`. Returns the share.
fn parse_percentage(text: &str) -> Option<f64> {
    let number: f64 = text.trim().strip_suffix('%')?.trim_end().parse().ok()?;
    (0.0..100.0).contains(&number).then_some(number / 100.0)
}

#[cfg(test)]
mod tests {
    use super::{Interval, Relation, Verdict};

    fn verdict(relation: &str, low: f64, high: f64) -> Verdict {
        let tolerance = Interval {
            low: -0.05,
            high: 0.05,
        };
        Relation::parse(relation)
            .unwrap()
            .verdict(Interval { low, high }, tolerance)
    }

    #[test]
    fn a_finding_is_confirmed_if_its_relation_holds_in_the_whole_interval() {
        use Verdict::{Confirmed, Contradicted, Undecided};
        assert_eq!(verdict(">", 0.1, 0.2), Confirmed);
        assert_eq!(verdict(">", -0.1, 0.2), Undecided);
        assert_eq!(verdict(">", -0.2, -0.1), Contradicted);
        assert_eq!(verdict("<", -0.2, -0.1), Confirmed);
        assert_eq!(verdict("<", 0.1, 0.2), Contradicted);
        assert_eq!(verdict("~ 5%", -0.04, 0.05), Confirmed);
        assert_eq!(verdict("~ 5%", -0.06, 0.05), Undecided);
        assert_eq!(verdict("~ 5%", 0.06, 0.07), Contradicted);
    }

    #[test]
    fn equal_sides_confirm_only_the_relations_that_include_equality() {
        let verdicts = [">", ">=", "<", "<=", "~0%"].map(|relation| verdict(relation, 0.0, 0.0));
        let expected = [
            "contradicted",
            "confirmed",
            "contradicted",
            "confirmed",
            "confirmed",
        ];
        assert_eq!(verdicts.map(|verdict| verdict.to_string()), expected);
    }

    #[test]
    fn a_tolerance_is_part_of_the_relation() {
        assert_eq!(Relation::parse("~ 5%"), Ok(Relation::Within(0.05)));
        assert_eq!(Relation::parse("~2.5 %"), Ok(Relation::Within(0.025)));
        for text in ["~", "~ 5", "~ -1%", "~ 100%", "~ NaN%"] {
            assert!(Relation::parse(text).unwrap_err().contains("as in ~ 5%"));
        }
        assert!(
            Relation::parse("=")
                .unwrap_err()
                .contains("is not a relation")
        );
        assert!(Relation::Within(0.05).holds(5.0, 5.2) && !Relation::Within(0.05).holds(5.0, 6.0));
    }
}
