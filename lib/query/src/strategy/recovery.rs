//! The recovery of CorpusBuilder: which ranks are taken when a query brings nothing more
//! (`docs/algorithms.md`, section 1.1).
//!
//! As long as the statistics do not change, a deterministic selection gives the same query again,
//! and its cached hits are used up one by one. When they are exhausted, terms further down the
//! ranking are taken, until a query returns a URL; then the walk begins at the top again.

use super::learned::LearnerSpec;
use crate::query_log::is_probe;
use crate::select::SelectionSpec;
use crate::statistics::Statistics;
use forage_record::{HitOutcome, RecoveryOffsets};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The table of the recovery.
pub(crate) const SCHEMA: &str = "
CREATE TABLE target (            -- where each target's recovery stands
    name TEXT PRIMARY KEY,
    include_offset INTEGER NOT NULL,
    exclude_offset INTEGER NOT NULL,
    shorter INTEGER NOT NULL,    -- by so many inclusion terms
    outcome TEXT NOT NULL        -- of the last query: hit, nothing or unanswered
) WITHOUT ROWID;
";

/// How far the recovery goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryLimits {
    /// How many ranks it goes down on either side: I.
    pub max_offset: u32,
    /// After how many of these ranks in vain the query is made shorter by an inclusion term; `None`
    /// for never.
    pub shorten_after: Option<NonZeroU32>,
}

/// The walk down both rankings: what moves, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub include: SelectionSpec,
    pub exclude: SelectionSpec,
    pub limits: RecoveryLimits,
    /// The learner that drew the two sides, if one did.
    pub learner: Option<LearnerSpec>,
}

impl Walk {
    /// The offsets that a target's next query begins with: none after a hit, those of the last
    /// query where the engine did not answer, the next ones after nothing. `None` where the walk is
    /// at its end.
    pub fn first(
        &self,
        from: &Statistics,
        target: &str,
    ) -> rusqlite::Result<Option<RecoveryOffsets>> {
        Ok(match read_recovery(from, target)? {
            Some((offset, QueryOutcome::Nothing)) => self.after(self.within(offset)),
            Some((offset, QueryOutcome::Unanswered)) => Some(self.within(offset)),
            Some((_, QueryOutcome::Hit)) | None => Some(RecoveryOffsets::default()),
        })
    }

    /// The offsets after these: (0,0), (1,0) … (I,0), (0,1) … (I,I), skipping a side that is drawn
    /// or empty.
    ///
    /// With `shorten`, the first walk down the inclusion terms goes in stretches of so many ranks,
    /// and each stretch is walked with one term less, and again, down to a single one, before the
    /// next: the words of one document that are nowhere else do not lead to another, fewer of them
    /// may.
    ///
    /// With a learner both sides move, whatever was drawn: the next query may be of another method,
    /// which takes up the recovery where this one left it. So a run whose target is spent ends with
    /// any draws.
    pub fn after(&self, offset: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let moves = |side: SelectionSpec| {
            self.learner.is_some() || side.method.is_deterministic() && side.length > 0
        };
        let next = self.after_shorter(offset).filter(|_| moves(self.include));
        let RecoveryOffsets {
            include, exclude, ..
        } = offset;
        if next.is_some() {
            next
        } else if moves(self.include) && include < self.limits.max_offset {
            Some(RecoveryOffsets {
                include: include + 1,
                exclude,
                shorter: 0,
            })
        } else if moves(self.exclude) && exclude < self.limits.max_offset {
            Some(RecoveryOffsets {
                include: 0,
                exclude: exclude + 1,
                shorter: 0,
            })
        } else if moves(self.include) || moves(self.exclude) {
            None
        } else {
            Some(RecoveryOffsets::default())
        }
    }

    /// The next offsets within a stretch that is walked with fewer and fewer terms; `None` at its
    /// end.
    fn after_shorter(&self, offset: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let stretch = self
            .limits
            .shorten_after
            .filter(|_| offset.exclude == 0)?
            .get();
        let RecoveryOffsets {
            include,
            exclude,
            shorter,
        } = offset;
        let is_end = (include + 1).is_multiple_of(stretch) || include >= self.limits.max_offset;
        if !is_end {
            return Some(RecoveryOffsets {
                include: include + 1,
                exclude,
                shorter,
            });
        }
        let is_shortest = shorter + 1 >= self.include.length;
        (!is_shortest).then(|| RecoveryOffsets {
            include: include - include % stretch,
            exclude,
            shorter: shorter + 1,
        })
    }

    /// Why no further query is made.
    pub fn exhaustion_reason(&self) -> String {
        format!(
            "the terms that statistics and --recovery {} allow bring nothing more",
            self.limits.max_offset
        )
    }

    /// RecoveryOffsets as this walk allows them: the last query may have been made by another one.
    fn within(&self, offset: RecoveryOffsets) -> RecoveryOffsets {
        RecoveryOffsets {
            shorter: offset.shorter.min(self.include.length.saturating_sub(1)),
            ..offset
        }
    }
}

/// What the last query of a target brought, as far as the recovery goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueryOutcome {
    /// A URL.
    Hit,
    /// Nothing, or nothing new.
    Nothing,
    /// The engine did not answer.
    Unanswered,
}

impl QueryOutcome {
    const ALL: [(QueryOutcome, &str); 3] = [
        (QueryOutcome::Hit, "hit"),
        (QueryOutcome::Nothing, "nothing"),
        (QueryOutcome::Unanswered, "unanswered"),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// One that is not known tells nothing of where the recovery is: it begins anew, as after a
    /// hit.
    fn from_name(name: &str) -> QueryOutcome {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map_or(QueryOutcome::Hit, |(outcome, _)| *outcome)
    }
}

/// Where the recovery of a target is: the last query's offsets, and what it brought.
fn read_recovery(
    from: &Statistics,
    target: &str,
) -> rusqlite::Result<Option<(RecoveryOffsets, QueryOutcome)>> {
    let sql = "SELECT include_offset, exclude_offset, shorter, outcome FROM target WHERE name = ?1";
    let read = |row: &rusqlite::Row| {
        let offsets = RecoveryOffsets {
            include: row.get(0)?,
            exclude: row.get(1)?,
            shorter: row.get(2)?,
        };
        Ok((offsets, QueryOutcome::from_name(row.get_ref(3)?.as_str()?)))
    };
    from.db
        .prepare_cached(sql)?
        .query_row([target], read)
        .optional()
}

/// Where each target's recovery is, as a projection.
#[derive(Debug, Default)]
pub(crate) struct RecoveryProjection {
    /// Those that changed since the last write.
    changed: BTreeMap<String, (RecoveryOffsets, QueryOutcome)>,
}

impl StoredProjection for RecoveryProjection {
    fn apply(&mut self, _: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let Some(query) = &event.query else {
            return Ok(());
        };
        // A probe is no part of the walk down a ranking.
        if event.step.is_none() || is_probe(query) {
            return Ok(());
        }
        let outcome = match event.outcome() {
            // A query that did not select from a ranking says nothing of where that is.
            _ if query.like.is_some() => QueryOutcome::Hit,
            Some(HitOutcome::Empty | HitOutcome::Exhausted) => QueryOutcome::Nothing,
            _ if event.is_unanswered() => QueryOutcome::Unanswered,
            _ => QueryOutcome::Hit,
        };
        let offset = query
            .strategy
            .as_ref()
            .and_then(|strategy| strategy.offset)
            .unwrap_or_default();
        self.changed
            .insert(event.target().into(), (offset, outcome));
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO target VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut put = store.prepare_cached(sql)?;
        for (
            target,
            (
                RecoveryOffsets {
                    include,
                    exclude,
                    shorter,
                },
                outcome,
            ),
        ) in std::mem::take(&mut self.changed)
        {
            put.execute((target, include, exclude, shorter, outcome.name()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{RecoveryLimits, Walk};
    use crate::select::SelectionSpec;
    use forage_record::RecoveryOffsets;

    fn walk(include: &str, exclude: &str, ranks: u32) -> Walk {
        let side = |text: &str| text.parse::<SelectionSpec>().unwrap();
        let (include, exclude) = (side(include), side(exclude));
        Walk {
            include,
            exclude,
            limits: RecoveryLimits {
                max_offset: ranks,
                shorten_after: None,
            },
            learner: None,
        }
    }

    fn walked(walk: &Walk) -> Vec<(u32, u32, u32)> {
        let all = std::iter::successors(Some(RecoveryOffsets::default()), |offset| {
            walk.after(*offset)
        });
        all.take(20)
            .map(|offset| (offset.include, offset.exclude, offset.shorter))
            .collect()
    }

    fn offsets(walk: &Walk) -> Vec<(u32, u32)> {
        walked(walk)
            .into_iter()
            .map(|(include, exclude, _)| (include, exclude))
            .collect()
    }

    #[test]
    fn the_recovery_goes_down_the_inclusion_terms_first() {
        let all = offsets(&walk("or:3", "tf:2", 2));
        assert_eq!(
            all,
            [
                (0, 0),
                (1, 0),
                (2, 0),
                (0, 1),
                (1, 1),
                (2, 1),
                (0, 2),
                (1, 2),
                (2, 2)
            ]
        );
    }

    #[test]
    fn a_query_that_is_shortened_is_walked_in_stretches() {
        let limits = RecoveryLimits {
            max_offset: 2,
            shorten_after: std::num::NonZeroU32::new(2),
        };
        let all = walked(&Walk {
            limits,
            ..walk("or:3", "or:1", 2)
        });
        let first = [
            (0, 0, 0),
            (1, 0, 0),
            (0, 0, 1),
            (1, 0, 1),
            (0, 0, 2),
            (1, 0, 2),
            (2, 0, 0),
            (2, 0, 1),
            (2, 0, 2),
        ];
        assert_eq!(all[..9], first);
        assert_eq!(
            all[9..],
            [
                (0, 1, 0),
                (1, 1, 0),
                (2, 1, 0),
                (0, 2, 0),
                (1, 2, 0),
                (2, 2, 0)
            ]
        );
    }

    #[test]
    fn a_side_that_is_drawn_or_empty_does_not_move() {
        assert_eq!(offsets(&walk("or:3", "por:2", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&walk("ptf:3", "or:2", 1)), [(0, 0), (0, 1)]);
        assert_eq!(offsets(&walk("or:3", "or:0", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&walk("un:3", "ptf:2", 1)).len(), 20);
    }

    #[test]
    fn with_a_learner_both_sides_move_and_come_to_an_end() {
        let drawn = Walk {
            learner: "ltm".parse().ok(),
            ..walk("por:3", "tf:0", 1)
        };
        assert_eq!(offsets(&drawn), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }
}
