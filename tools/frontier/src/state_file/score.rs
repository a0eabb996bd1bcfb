//! Scores as integers, so that adding and undoing them is exact and independent of the order.

use forage_state::read_count;
use rusqlite::{Error, Result, Row};

/// Units of a score of 1.
const UNITS: f64 = 1e9;
/// Greatest absolute value of a score. A sum of nine million scores then fits 64 bits.
const MAX_SCORE: f64 = 1000.0;

/// A score in units of 10⁻⁹, from −1,000 to 1,000; greater ones are clamped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score(pub(crate) i64);

impl Score {
    /// Converts the value of `topic.score`.
    pub(crate) fn from_value(value: f64) -> Score {
        Score((value.clamp(-MAX_SCORE, MAX_SCORE) * UNITS).round() as i64)
    }

    /// Returns the score in a column of a row.
    ///
    /// # Errors
    /// Fails if no score has the value, in a damaged file.
    pub(crate) fn read(row: &Row, column: usize) -> Result<Score> {
        const MAX_UNITS: u64 = (MAX_SCORE * UNITS) as u64;
        let units: i64 = row.get(column)?;
        if units.unsigned_abs() > MAX_UNITS {
            return Err(Error::IntegralValueOutOfRange(column, units));
        }
        Ok(Score(units))
    }

    /// Returns the score as a number.
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }
}

/// The sum of scores, and their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ScoreSum {
    pub(crate) sum: i64,
    pub(crate) count: i64,
}

impl ScoreSum {
    /// Reads a sum from two columns, the number of scores first.
    pub(crate) fn read(row: &Row, first: usize) -> Result<ScoreSum> {
        Ok(ScoreSum {
            count: read_count(row, first)?,
            sum: row.get(first + 1)?,
        })
    }

    /// Returns the sum with a score added.
    pub(crate) fn with(self, score: Score) -> ScoreSum {
        ScoreSum {
            sum: self.sum.saturating_add(score.0),
            count: self.count.saturating_add(1),
        }
    }

    /// Returns the sum with a score removed.
    pub(crate) fn without(self, score: Score) -> ScoreSum {
        ScoreSum {
            sum: self.sum.saturating_sub(score.0),
            count: self.count.saturating_sub(1),
        }
    }

    /// Returns the mean, rounded down to a unit; 0 for no scores.
    pub(crate) fn mean(self) -> Score {
        Score(self.sum.checked_div_euclid(self.count).unwrap_or(0))
    }

    /// Returns the mean of the scores and of `strength` further ones of the value `prior`: an
    /// estimate that rests on the prior as long as there are few scores.
    pub(crate) fn shrunk_mean(self, prior: f64, strength: f64) -> f64 {
        (Score(self.sum).value() + strength * prior) / (self.count as f64 + strength)
    }
}

/// The scores of the parents of a URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ParentScores {
    /// Their sum and number.
    pub(crate) total: ScoreSum,
    /// The greatest of them; 0 if there are none.
    pub(crate) greatest: Score,
}

impl ParentScores {
    /// Returns the scores with that of a further parent.
    pub(crate) fn with(self, score: Score) -> ParentScores {
        ParentScores {
            total: self.total.with(score),
            greatest: match self.total.count {
                0 => score,
                _ => self.greatest.max(score),
            },
        }
    }

    /// Returns the greatest score if a further parent with `score` would raise it: it is then to
    /// be kept for [`ParentScores::without`]. The first parent raises nothing.
    pub(crate) fn raised_by(self, score: Score) -> Option<Score> {
        (self.total.count > 0 && score > self.greatest).then_some(self.greatest)
    }

    /// Returns the scores without the parent that was added last, which had `score`, and raised the
    /// greatest one from `raised`, if at all.
    pub(crate) fn without(self, score: Score, raised: Option<Score>) -> ParentScores {
        let total = self.total.without(score);
        ParentScores {
            total,
            greatest: match total.count {
                0 => Score(0),
                _ => raised.unwrap_or(self.greatest),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ParentScores, Score, ScoreSum};

    #[test]
    fn means_are_exact_to_a_unit_and_scores_can_be_removed() {
        let [a, b] = [1.8, 0.2].map(Score::from_value);
        let sum = ScoreSum::default().with(a).with(b);
        assert_eq!(sum.mean(), Score::from_value(1.0));
        assert_eq!(sum.without(a).mean(), b);
        assert_eq!(sum.without(a).without(b), ScoreSum::default());
        assert_eq!(ScoreSum::default().mean(), Score(0));
        assert_eq!(Score::from_value(1e300), Score::from_value(1000.0));
    }

    #[test]
    fn parents_that_are_removed_in_reverse_order_leave_the_greatest_score_of_the_others() {
        let scores = [-0.5, 0.25, 0.25, 0.125, 0.5, 0.5].map(Score::from_value);
        let mut states = vec![ParentScores::default()];
        let mut raised = Vec::new();
        for score in scores {
            let before = states[states.len() - 1];
            raised.push(before.raised_by(score));
            states.push(before.with(score));
        }
        assert_eq!(raised.iter().flatten().count(), 2);
        let greatest: Vec<f64> = states.iter().map(|state| state.greatest.value()).collect();
        assert_eq!(greatest, [0.0, -0.5, 0.25, 0.25, 0.25, 0.5, 0.5]);
        for (index, score) in scores.iter().enumerate().rev() {
            assert_eq!(
                states[index + 1].without(*score, raised[index]),
                states[index]
            );
        }
    }

    #[test]
    fn few_scores_are_shrunk_to_the_prior() {
        let one = ScoreSum::default().with(Score::from_value(1.0));
        assert_eq!(ScoreSum::default().shrunk_mean(0.5, 3.0), 0.5);
        assert_eq!(one.shrunk_mean(0.0, 3.0), 0.25);
    }
}
