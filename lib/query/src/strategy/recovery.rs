//! CorpusBuilder's recovery: the ranks from which terms are taken when queries return nothing new
//! (`docs/algorithms.md`, "Query recovery").
//!
//! While the statistics do not change, a deterministic selection gives the same query again, and
//! its cached hits are used up one by one. When they are exhausted, the terms further down the
//! ranking are taken, until a query returns a URL. Then the walk starts again at the top of the
//! ranking.

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
CREATE TABLE recovery (              -- the last query of each target
    target TEXT PRIMARY KEY,
    include_offset INTEGER NOT NULL, -- ranks skipped among the inclusion terms
    exclude_offset INTEGER NOT NULL, -- ranks skipped among the exclusion terms
    shorter INTEGER NOT NULL,        -- inclusion terms left out
    outcome TEXT NOT NULL            -- hit, no-result or unanswered
) WITHOUT ROWID;
";

/// Limits of the recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryLimits {
    /// Maximum number of ranks that are skipped on either side: I in the walk (0,0) … (I,I).
    pub max_offset: u32,
    /// The number of ranks without a result after which the query is shortened by an inclusion
    /// term; `None` for never.
    pub shorten_after: Option<NonZeroU32>,
}

/// The walk down the rankings of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecoveryWalk {
    /// The selection of inclusion terms.
    pub include: SelectionSpec,
    /// The selection of exclusion terms.
    pub exclude: SelectionSpec,
    /// The limits of the walk.
    pub limits: RecoveryLimits,
    /// The learner that drew the two selections, if any.
    pub learner: Option<LearnerSpec>,
}

impl RecoveryWalk {
    /// Returns the offsets of a target's next query: 0 after a hit, those of the last query if the
    /// engine did not answer it, the next ones if it returned nothing. `None` at the end of the
    /// walk.
    pub fn first_offsets(
        &self,
        statistics: &Statistics,
        target: &str,
    ) -> rusqlite::Result<Option<RecoveryOffsets>> {
        let Some((offsets, outcome)) = read_recovery(statistics, target)? else {
            return Ok(Some(RecoveryOffsets::default()));
        };
        let offsets = self.limit_shortening(offsets);
        Ok(match outcome {
            QueryOutcome::Hit => Some(RecoveryOffsets::default()),
            QueryOutcome::NoResult => self.offsets_after(offsets),
            QueryOutcome::Unanswered => Some(offsets),
        })
    }

    /// Returns the offsets after these in the walk (0,0), (1,0) … (I,0), (0,1) … (I,I), without a
    /// side that is drawn at random or empty. `None` at the end. If neither side moves, the walk
    /// stays at (0,0) and has no end.
    ///
    /// With `shorten_after`, the first pass over the inclusion terms is divided into blocks of
    /// that many ranks. Each block is walked with one term less, and again, down to a single
    /// term, before the next block begins: all terms of a query may come from one document and be
    /// in no other, but fewer of them may be.
    ///
    /// With a learner, both sides move whatever was drawn, because the next query may have another
    /// method, which resumes the recovery at these offsets. So the run ends when the target is
    /// exhausted, whatever is drawn.
    pub fn offsets_after(&self, offsets: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let moves_include = self.moves(self.include);
        let moves_exclude = self.moves(self.exclude);
        let next = self.next_in_block(offsets).filter(|_| moves_include);
        let RecoveryOffsets {
            include, exclude, ..
        } = offsets;
        if next.is_some() {
            next
        } else if moves_include && include < self.limits.max_offset {
            Some(RecoveryOffsets {
                include: include + 1,
                exclude,
                shorter: 0,
            })
        } else if moves_exclude && exclude < self.limits.max_offset {
            Some(RecoveryOffsets {
                include: 0,
                exclude: exclude + 1,
                shorter: 0,
            })
        } else if moves_include || moves_exclude {
            None
        } else {
            Some(RecoveryOffsets::default())
        }
    }

    /// Returns `true` if the offset of a side moves.
    fn moves(&self, side: SelectionSpec) -> bool {
        self.learner.is_some() || side.method.is_deterministic() && side.length > 0
    }

    /// Returns the next offsets within a block that is walked with fewer and fewer terms. `None`
    /// at its end.
    fn next_in_block(&self, offsets: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let block = self
            .limits
            .shorten_after
            .filter(|_| offsets.exclude == 0)?
            .get();
        let RecoveryOffsets {
            include,
            exclude,
            shorter,
        } = offsets;
        let is_end = (include + 1).is_multiple_of(block) || include >= self.limits.max_offset;
        if !is_end {
            return Some(RecoveryOffsets {
                include: include + 1,
                exclude,
                shorter,
            });
        }
        let is_shortest = shorter + 1 >= self.include.length;
        (!is_shortest).then(|| RecoveryOffsets {
            include: include - include % block,
            exclude,
            shorter: shorter + 1,
        })
    }

    /// The reason why there is no further query, for a message.
    pub fn exhaustion_reason(&self) -> String {
        format!(
            "the terms within --recovery {} return no new hits",
            self.limits.max_offset
        )
    }

    /// Leaves at least one inclusion term, as the last query may have been longer than this walk's.
    fn limit_shortening(&self, offsets: RecoveryOffsets) -> RecoveryOffsets {
        RecoveryOffsets {
            shorter: offsets.shorter.min(self.include.length.saturating_sub(1)),
            ..offsets
        }
    }
}

/// The outcome of a target's last query, as far as the recovery depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueryOutcome {
    /// A URL.
    Hit,
    /// No hit, or no unseen one.
    NoResult,
    /// The engine did not answer.
    Unanswered,
}

impl QueryOutcome {
    const ALL: [(QueryOutcome, &str); 3] = [
        (QueryOutcome::Hit, "hit"),
        (QueryOutcome::NoResult, "no-result"),
        (QueryOutcome::Unanswered, "unanswered"),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Parses a name. An unknown one counts as a hit, so that the recovery starts again.
    fn from_name(name: &str) -> QueryOutcome {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map_or(QueryOutcome::Hit, |(outcome, _)| *outcome)
    }
}

/// Reads the offsets and the outcome of a target's last query.
fn read_recovery(
    statistics: &Statistics,
    target: &str,
) -> rusqlite::Result<Option<(RecoveryOffsets, QueryOutcome)>> {
    let sql =
        "SELECT include_offset, exclude_offset, shorter, outcome FROM recovery WHERE target = ?1";
    let parse = |row: &rusqlite::Row| {
        let offsets = RecoveryOffsets {
            include: row.get(0)?,
            exclude: row.get(1)?,
            shorter: row.get(2)?,
        };
        Ok((offsets, QueryOutcome::from_name(row.get_ref(3)?.as_str()?)))
    };
    statistics
        .db
        .prepare_cached(sql)?
        .query_row([target], parse)
        .optional()
}

/// The recovery of each target, as a projection.
#[derive(Debug, Default)]
pub(crate) struct RecoveryProjection {
    /// Targets that changed since the last write.
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
            // Neither is a query for documents like one: the walk starts again after it.
            _ if query.like.is_some() => QueryOutcome::Hit,
            Some(HitOutcome::Empty | HitOutcome::Exhausted) => QueryOutcome::NoResult,
            _ if event.is_unanswered() => QueryOutcome::Unanswered,
            _ => QueryOutcome::Hit,
        };
        let offsets = query
            .strategy
            .as_ref()
            .and_then(|strategy| strategy.offset)
            .unwrap_or_default();
        self.changed
            .insert(event.target().into(), (offsets, outcome));
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert =
            store.prepare_cached("INSERT OR REPLACE INTO recovery VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (target, (offsets, outcome)) in std::mem::take(&mut self.changed) {
            insert.execute((
                target,
                offsets.include,
                offsets.exclude,
                offsets.shorter,
                outcome.name(),
            ))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{RecoveryLimits, RecoveryWalk};
    use crate::select::SelectionSpec;
    use forage_record::RecoveryOffsets;

    fn walk(include: &str, exclude: &str, max_offset: u32) -> RecoveryWalk {
        let spec = |text: &str| text.parse::<SelectionSpec>().unwrap();
        RecoveryWalk {
            include: spec(include),
            exclude: spec(exclude),
            limits: RecoveryLimits {
                max_offset,
                shorten_after: None,
            },
            learner: None,
        }
    }

    /// The first twenty offsets of a walk: inclusion, exclusion, shorter.
    fn shortened_offsets(walk: &RecoveryWalk) -> Vec<(u32, u32, u32)> {
        let all = std::iter::successors(Some(RecoveryOffsets::default()), |offsets| {
            walk.offsets_after(*offsets)
        });
        all.take(20)
            .map(|offsets| (offsets.include, offsets.exclude, offsets.shorter))
            .collect()
    }

    fn offsets(walk: &RecoveryWalk) -> Vec<(u32, u32)> {
        shortened_offsets(walk)
            .into_iter()
            .map(|(include, exclude, _)| (include, exclude))
            .collect()
    }

    #[test]
    fn walks_down_the_inclusion_terms_first() {
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
    fn walks_each_block_with_fewer_and_fewer_terms() {
        let limits = RecoveryLimits {
            max_offset: 2,
            shorten_after: std::num::NonZeroU32::new(2),
        };
        let all = shortened_offsets(&RecoveryWalk {
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
    fn with_a_learner_both_sides_move_and_the_walk_ends() {
        let drawn = RecoveryWalk {
            learner: "ltm".parse().ok(),
            ..walk("por:3", "tf:0", 1)
        };
        assert_eq!(offsets(&drawn), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }
}
