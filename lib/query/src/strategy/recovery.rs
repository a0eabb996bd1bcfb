//! CorpusBuilder's recovery: the ranks from which terms are taken when queries return nothing new
//! (`docs/algorithms.md`, "Query recovery").
//!
//! While the statistics do not change, a deterministic selection gives the same query again, and
//! its cached hits are used up one by one. When they are exhausted, the terms further down the
//! ranking are taken, until a query returns a URL. Then the walk starts again at the top of the
//! ranking.

use super::QueryRequest;
use super::learned::LearnerSpec;
use crate::query_log::is_probe;
use crate::select::SelectionSpec;
use crate::statistics::Statistics;
use forage_record::{Hit, HitOutcome, RecoveryOffsets};
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The table of the recovery.
pub(crate) const SCHEMA: &str = "
CREATE TABLE recovery (              -- the last query of each target
    target TEXT PRIMARY KEY,
    include_offset INTEGER NOT NULL, -- ranks skipped among the inclusion terms
    exclude_offset INTEGER NOT NULL, -- ranks skipped among the exclusion terms
    shorter INTEGER NOT NULL,        -- inclusion terms left out
    outcome TEXT NOT NULL            -- hit, no-result or unanswered
) WITHOUT ROWID;
CREATE TABLE exhausted_query (       -- queries of the walk that return nothing new
    id TEXT PRIMARY KEY
) WITHOUT ROWID;
";

/// Maximum number of ranks that are skipped on either side, unless given. The paper gives no value.
/// Set by judgement, not measured.
const DEFAULT_MAX_OFFSET: u32 = 20;
/// Number of ranks without a result after which a query is shortened, unless given. Set by
/// judgement, not measured.
const DEFAULT_SHORTEN_AFTER: NonZeroU32 = NonZeroU32::new(3).expect("3 is not 0");

/// What is sent after a query that returned nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryMode {
    /// `none`: the same selection again. A deterministic one is exhausted; random terms, methods
    /// and lengths are drawn anew.
    None,
    /// `offsets:I`, CorpusBuilder's recovery: terms further down the rankings, up to I ranks on
    /// either side, in the order (0,0), (1,0) … (I,0), (0,1) … (I,I).
    Offsets(u32),
    /// `shorten:N`: as with `offsets`, and after N ranks without a result the query is made an
    /// inclusion term shorter.
    Shorten(NonZeroU32),
}

impl RecoveryMode {
    /// CorpusBuilder's recovery.
    pub const DEFAULT: RecoveryMode = RecoveryMode::Offsets(DEFAULT_MAX_OFFSET);

    /// Returns the maximum number of ranks that are skipped on either side: I.
    fn max_offset(self) -> u32 {
        match self {
            RecoveryMode::None => 0,
            RecoveryMode::Offsets(max_offset) => max_offset,
            RecoveryMode::Shorten(_) => DEFAULT_MAX_OFFSET,
        }
    }
}

impl FromStr for RecoveryMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mode, number) = text.split_once(':').unzip();
        let mode = mode.unwrap_or(text);
        let max_offset = number.map_or(Some(DEFAULT_MAX_OFFSET), |number| number.parse().ok());
        let shorten_after = number.map_or(Some(DEFAULT_SHORTEN_AFTER), |n| n.parse().ok());
        match (mode, max_offset, shorten_after) {
            ("none", ..) if number.is_none() => Ok(RecoveryMode::None),
            ("offsets", Some(max_offset), _) => Ok(RecoveryMode::Offsets(max_offset)),
            ("shorten", _, Some(shorten_after)) => Ok(RecoveryMode::Shorten(shorten_after)),
            _ => Err(
                "expected offsets, shorten or none, or with a number of ranks, as in \
                      offsets:20 or shorten:3"
                    .into(),
            ),
        }
    }
}

impl fmt::Display for RecoveryMode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            RecoveryMode::None => f.write_str("none"),
            RecoveryMode::Offsets(max_offset) => write!(f, "offsets:{max_offset}"),
            RecoveryMode::Shorten(shorten_after) => write!(f, "shorten:{shorten_after}"),
        }
    }
}

/// The walk down the rankings of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecoveryWalk {
    /// The selection of inclusion terms.
    pub include: SelectionSpec,
    /// The selection of exclusion terms.
    pub exclude: SelectionSpec,
    /// What is sent after a query without a result.
    pub mode: RecoveryMode,
    /// The learner that drew the two selections, if any.
    pub learner: Option<LearnerSpec>,
}

impl RecoveryWalk {
    /// Returns the offsets of a target's next query: 0 after a hit, those of the last query if the
    /// engine did not answer it, the next ones if it returned nothing. `None` at the end of the
    /// walk.
    pub fn first_offsets(
        &self,
        request: &QueryRequest,
    ) -> rusqlite::Result<Option<RecoveryOffsets>> {
        Ok(match read_recovery(request)? {
            Some((offsets, QueryOutcome::NoResult)) => self.offsets_after(offsets),
            Some((offsets, QueryOutcome::Unanswered)) => Some(offsets),
            Some((_, QueryOutcome::Hit)) | None => Some(RecoveryOffsets::default()),
        })
    }

    /// Returns the offsets after these in the walk (0,0), (1,0) … (I,0), (0,1) … (I,I), without a
    /// side that is drawn at random or empty. `None` at the end. If neither side moves, the walk
    /// stays at (0,0) and has no end.
    ///
    /// With [`RecoveryMode::Shorten`], the first pass over the inclusion terms is divided into
    /// blocks of that many ranks. Each block is walked with one term less, and again, down to a
    /// single term, before the next block begins: all terms of a query may come from one document
    /// and be in no other, but fewer of them may be.
    ///
    /// With a learner, both sides move whatever was drawn, because the next query may have another
    /// method, which resumes the recovery at these offsets. So the run ends when the target is
    /// exhausted, whatever is drawn. A drawn query that is no longer than the terms that are left
    /// out has one term, and ends its block.
    pub fn offsets_after(&self, offsets: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let moves_include = self.moves(self.include);
        let moves_exclude = self.moves(self.exclude);
        let next = self.next_in_block(offsets).filter(|_| moves_include);
        let mut whole = RecoveryOffsets {
            shorter: 0,
            ..offsets
        };
        if next.is_some() {
            return next;
        } else if moves_include && whole.include < self.mode.max_offset() {
            whole.include += 1;
        } else if moves_exclude && whole.exclude < self.mode.max_offset() {
            (whole.include, whole.exclude) = (0, whole.exclude + 1);
        } else if moves_include || moves_exclude {
            return None;
        } else {
            whole = RecoveryOffsets::default();
        }
        Some(whole)
    }

    /// Returns `true` if the walk moves, so that it ends after a number of queries without a URL,
    /// which are attempts.
    pub fn has_end(&self) -> bool {
        self.mode != RecoveryMode::None && (self.moves(self.include) || self.moves(self.exclude))
    }

    /// Returns `true` if the offset of a side moves.
    fn moves(&self, side: SelectionSpec) -> bool {
        match self.learner {
            Some(_) => self.mode != RecoveryMode::None,
            None => side.method.is_deterministic() && side.length > 0,
        }
    }

    /// Returns the next offsets within a block that is walked with fewer and fewer terms. `None`
    /// at its end.
    fn next_in_block(&self, offsets: RecoveryOffsets) -> Option<RecoveryOffsets> {
        let RecoveryMode::Shorten(block) = self.mode else {
            return None;
        };
        let (mut next, max_offset) = (offsets, self.mode.max_offset());
        next.include = offsets.include.saturating_add(1);
        let ends_pass = next.include.is_multiple_of(block.get()) || next.include > max_offset;
        if ends_pass {
            next.include = offsets.include - offsets.include % block.get();
            next.shorter = offsets.shorter.saturating_add(1);
        }
        let ends_block = ends_pass && next.shorter >= self.include.length;
        Some(next).filter(|_| offsets.exclude == 0 && !ends_block)
    }

    /// The reason why there is no further query, for a message.
    pub fn exhaustion_reason(&self) -> String {
        let mode = self.mode;
        format!("the terms within --recovery {mode} return no new hits")
    }

    /// Returns the selection of inclusion terms at these offsets. At least one term is left, if
    /// the selection has any: the last query may have been longer than this walk's.
    pub fn include_at(&self, offsets: RecoveryOffsets) -> SelectionSpec {
        let length = self.include.length;
        SelectionSpec {
            length: length.saturating_sub(offsets.shorter).max(length.min(1)),
            ..self.include
        }
    }
}

/// Returns `true` if a query is known to return nothing new.
pub(super) fn is_exhausted(statistics: &Statistics, id: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM exhausted_query WHERE id = ?1";
    statistics.db.has_row(sql, [id])
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
    request: &QueryRequest,
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
    request.statistics.db.find_row(sql, [request.target], parse)
}

/// The recovery of each target, as a projection.
#[derive(Debug, Default)]
pub(crate) struct RecoveryProjection {
    /// Targets that changed since the last write.
    changed: BTreeMap<String, (RecoveryOffsets, QueryOutcome)>,
    /// Ids of the queries that were exhausted since the last write.
    exhausted: BTreeSet<String>,
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
        let offsets = query.strategy.as_ref().and_then(|strategy| strategy.offset);
        let is_exhausted = event.ends_step()
            && event.outcome().is_some()
            && !event.is_unanswered()
            && event.hit.as_ref().is_some_and(Hit::is_exhausted);
        if is_exhausted && offsets.is_some() {
            self.exhausted.extend(event.query_id());
        }
        let row = (offsets.unwrap_or_default(), outcome);
        self.changed.insert(event.target().into(), row);
        Ok(())
    }

    fn forget_queries(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        store.execute_batch("DELETE FROM recovery; DELETE FROM exhausted_query;")
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert =
            store.prepare_cached("INSERT OR REPLACE INTO recovery VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (target, (offsets, outcome)) in std::mem::take(&mut self.changed) {
            let (include, exclude) = (offsets.include, offsets.exclude);
            insert.execute((target, include, exclude, offsets.shorter, outcome.name()))?;
        }
        let mut insert =
            store.prepare_cached("INSERT OR IGNORE INTO exhausted_query VALUES (?1)")?;
        for id in std::mem::take(&mut self.exhausted) {
            insert.execute([id])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{RecoveryMode, RecoveryWalk};
    use crate::select::SelectionSpec;
    use forage_record::RecoveryOffsets;

    fn walk(include: &str, exclude: &str, max_offset: u32) -> RecoveryWalk {
        let spec = |text: &str| text.parse::<SelectionSpec>().unwrap();
        RecoveryWalk {
            include: spec(include),
            exclude: spec(exclude),
            mode: RecoveryMode::Offsets(max_offset),
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
        let shortened = |include: &str| {
            shortened_offsets(&RecoveryWalk {
                mode: "shorten:2".parse().unwrap(),
                ..walk(include, "or:1", 0)
            })
        };
        let first = [
            (0, 0, 0),
            (1, 0, 0),
            (0, 0, 1),
            (1, 0, 1),
            (0, 0, 2),
            (1, 0, 2),
            (2, 0, 0),
            (3, 0, 0),
            (2, 0, 1),
        ];
        assert_eq!(shortened("or:3")[..9], first);
        // The last block has one rank, 20. Exclusion terms are walked without blocks.
        let all = shortened("or:1");
        assert_eq!(all[18..], [(18, 0, 0), (19, 0, 0)]);
    }

    #[test]
    fn a_shortened_query_keeps_a_term() {
        let include_at = |include, shorter| {
            let offsets = RecoveryOffsets {
                shorter,
                ..RecoveryOffsets::default()
            };
            walk(include, "or:1", 2).include_at(offsets).length
        };
        assert_eq!(include_at("or:3", 1), 2);
        assert_eq!(include_at("or:3", 7), 1);
        assert_eq!(include_at("or:0", 7), 0);
    }

    #[test]
    fn without_recovery_a_ranking_is_exhausted_and_a_draw_is_repeated() {
        let without = |walk: RecoveryWalk| {
            offsets(&RecoveryWalk {
                mode: RecoveryMode::None,
                ..walk
            })
        };
        assert_eq!(without(walk("or:3", "tf:2", 2)), [(0, 0)]);
        assert_eq!(without(walk("ptf:3", "por:2", 2)), [(0, 0); 20]);
        let drawn = RecoveryWalk {
            learner: "ltm".parse().ok(),
            ..walk("or:3", "tf:2", 2)
        };
        assert_eq!(without(drawn), [(0, 0); 20]);
    }

    #[test]
    fn modes_are_parsed() {
        let parse = |text: &str| text.parse::<RecoveryMode>().map(|mode| mode.to_string());
        assert_eq!(parse("offsets").unwrap(), "offsets:20");
        assert_eq!(parse("offsets:0").unwrap(), "offsets:0");
        assert_eq!(parse("shorten").unwrap(), "shorten:3");
        assert_eq!(parse("shorten:5").unwrap(), "shorten:5");
        assert_eq!(parse("none").unwrap(), "none");
        for text in ["20", "none:1", "shorten:0", "offsets:x", "offsets:", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_side_that_is_drawn_or_empty_does_not_move() {
        assert_eq!(offsets(&walk("or:3", "por:2", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&walk("ptf:3", "or:2", 1)), [(0, 0), (0, 1)]);
        assert_eq!(offsets(&walk("or:3", "or:0", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&walk("un:3", "ptf:2", 1)).len(), 20);
    }

    #[test]
    fn a_walk_ends_unless_its_terms_are_drawn_or_it_has_no_recovery() {
        assert!(walk("or:3", "por:2", 1).has_end());
        assert!(!walk("ptf:3", "por:2", 1).has_end());
        for mode in [RecoveryMode::None, RecoveryMode::Offsets(1)] {
            let drawn = RecoveryWalk {
                mode,
                learner: "ltm".parse().ok(),
                ..walk("ptf:3", "por:2", 1)
            };
            assert_eq!(drawn.has_end(), mode != RecoveryMode::None);
        }
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
