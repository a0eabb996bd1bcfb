//! Putting a query together, and moving on when one brings nothing more.
//!
//! As long as the statistics do not change, a deterministic selection gives the same query again, and its cached hits
//! are used up one by one. When they are spent, terms further down the ranking are taken: the recovery of
//! CorpusBuilder (ALGORITHMS §1.1).

use crate::learn::{self, Spec};
use crate::query_log::is_probe;
use crate::select::{Choice, Direction, Method, Prune, Ranked, Sides, select};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Methods, Offsets, Outcome, Query, QueryStrategy};
use forage_run::{BoxError, Event, Projection, StoredProjection, query_id};
use forage_text::Random;
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The table of the recovery.
pub(crate) const RECOVERY_SCHEMA: &str = "
CREATE TABLE target (            -- where each target's recovery stands
    name TEXT PRIMARY KEY,
    include_offset INTEGER NOT NULL,
    exclude_offset INTEGER NOT NULL,
    shorter INTEGER NOT NULL,    -- by so many inclusion terms
    outcome TEXT NOT NULL        -- of the last query: hit, nothing or unanswered
) WITHOUT ROWID;
";

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "fixed";

/// Longest side of a query.
pub(crate) const MAX_LENGTH: u32 = 10;

/// One side of a query: a method and a length, as in `or:3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// How the terms are selected.
    pub method: Method,
    /// How many: 0 to 10.
    pub length: u32,
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (method, length) = text.split_once(':').ok_or("a method and a length are wanted, as in `or:3`")?;
        let length = length.parse().ok().filter(|&length| length <= MAX_LENGTH);
        let length = length.ok_or(format!("the length is a number from 0 to {MAX_LENGTH}"))?;
        Ok(Side { method: method.parse()?, length })
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.method.flag(), self.length)
    }
}

/// What query is wanted.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The class that is looked for.
    pub target: String,
    /// The classes that it is told from; `None` for all others.
    pub versus: Option<Vec<String>>,
    /// Terms that a document must contain.
    pub include: Side,
    /// Terms that it must not contain.
    pub exclude: Side,
    /// The step that the query is for.
    pub step: u64,
    /// Seed of what is drawn at random, together with the step and the target.
    pub seed: u64,
    /// How many ranks the recovery goes down on either side: I.
    pub recovery: u32,
    /// After how many of these ranks in vain the query is made shorter by an inclusion term; `None` for never.
    pub shorten: Option<NonZeroU32>,
    /// Terms that are not selected.
    pub prune: Prune,
    /// The learner that drew the two sides, if one did.
    pub learner: Option<Spec>,
}

/// A query, and why it has these terms.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The query.
    pub query: Query,
    /// Its inclusion terms.
    pub include: Vec<Ranked>,
    /// Its exclusion terms.
    pub exclude: Vec<Ranked>,
}

impl Terms {
    /// The same as a query of another strategy.
    pub(crate) fn as_strategy(mut self, name: &str) -> Self {
        self.query.strategy.get_or_insert_default().name = name.into();
        self
    }
}

/// Puts the query for a step together; `None` where the recovery has come to its end, or there is no term at all.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(from: &Statistics, plan: &Plan) -> Result<Option<Terms>, StatisticsError> {
    let classes = from.classes()?;
    let side = |direction| {
        let side = Sides::new(from, &classes, &plan.target, plan.versus.as_deref(), direction)?;
        side.pruned(plan.prune, from, &classes)
    };
    let (include, exclude) = (side(Direction::Include)?, side(Direction::Exclude)?);
    let mut next = first_offsets(from, plan)?;
    while let Some(offset) = next {
        let shorter = Side { length: plan.include.length - offset.shorter, ..plan.include };
        let terms = compose_at(from, plan, [(&include, shorter), (&exclude, plan.exclude)], offset)?;
        let is_whole = |side: Side, offset: u32, found: &[Ranked]| {
            offset == 0 || !side.method.is_deterministic() || found.len() == side.length as usize
        };
        if is_whole(shorter, offset.include, &terms.include) && is_whole(plan.exclude, offset.exclude, &terms.exclude) {
            return Ok(Some(terms).filter(|terms| !terms.include.is_empty() || !terms.exclude.is_empty()));
        }
        next = plan.after(offset);
    }
    Ok(None)
}

/// Where to start: at the top after a hit, where it was after an engine's failure, one further after nothing.
fn first_offsets(from: &Statistics, plan: &Plan) -> Result<Option<Offsets>, StatisticsError> {
    Ok(match read_recovery(from, &plan.target).map_err(|e| from.named(e))? {
        Some((offset, QueryOutcome::Nothing)) => plan.after(plan.within(offset)),
        Some((offset, QueryOutcome::Unanswered)) => Some(plan.within(offset)),
        Some((_, QueryOutcome::Hit)) | None => Some(Offsets::default()),
    })
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
    const ALL: [(QueryOutcome, &str); 3] =
        [(QueryOutcome::Hit, "hit"), (QueryOutcome::Nothing, "nothing"), (QueryOutcome::Unanswered, "unanswered")];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// One that is not known tells nothing of where the recovery is: it begins anew, as after a hit.
    fn from_name(name: &str) -> QueryOutcome {
        Self::ALL.iter().find(|(_, known)| *known == name).map_or(QueryOutcome::Hit, |(outcome, _)| *outcome)
    }
}

/// Where the recovery of a target is: the last query's offsets, and what it brought.
fn read_recovery(from: &Statistics, target: &str) -> rusqlite::Result<Option<(Offsets, QueryOutcome)>> {
    let sql = "SELECT include_offset, exclude_offset, shorter, outcome FROM target WHERE name = ?1";
    let read = |row: &rusqlite::Row| {
        let offsets = Offsets { include: row.get(0)?, exclude: row.get(1)?, shorter: row.get(2)? };
        Ok((offsets, QueryOutcome::from_name(row.get_ref(3)?.as_str()?)))
    };
    from.db.prepare_cached(sql)?.query_row([target], read).optional()
}

/// Where each target's recovery is, as a projection.
#[derive(Debug)]
pub(crate) struct Recovery {
    store: Statistics,
    pending: BTreeMap<String, (Offsets, QueryOutcome)>,
}

impl Recovery {
    pub(crate) fn new(store: Statistics) -> Self {
        Recovery { store, pending: BTreeMap::new() }
    }
}

impl Projection for Recovery {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(query) = &event.query else { return Ok(()) };
        // A probe is no part of the walk down a ranking.
        if event.step.is_none() || is_probe(query) {
            return Ok(());
        }
        let outcome = match event.outcome() {
            // A query that did not select from a ranking says nothing of where that is.
            _ if query.like.is_some() => QueryOutcome::Hit,
            Some(Outcome::Empty | Outcome::Exhausted) => QueryOutcome::Nothing,
            _ if event.is_unanswered() => QueryOutcome::Unanswered,
            _ => QueryOutcome::Hit,
        };
        let offset = query.strategy.as_ref().and_then(|strategy| strategy.offset).unwrap_or_default();
        self.pending.insert(event.target().into(), (offset, outcome));
        Ok(())
    }
}

impl StoredProjection for Recovery {
    fn write(&mut self) -> Result<(), BoxError> {
        let sql = "INSERT OR REPLACE INTO target VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut put = self.store.db.prepare_cached(sql)?;
        for (target, (Offsets { include, exclude, shorter }, outcome)) in std::mem::take(&mut self.pending) {
            put.execute((target, include, exclude, shorter, outcome.name()))?;
        }
        Ok(())
    }

    fn discard(&mut self) {
        self.pending.clear();
    }
}

impl Plan {
    /// The offsets after these: (0,0), (1,0) … (I,0), (0,1) … (I,I), skipping a side that is drawn or empty.
    ///
    /// With `shorten`, the first walk down the inclusion terms goes in stretches of so many ranks, and each stretch is
    /// walked with one term less, and again, down to a single one, before the next: the words of one document that are
    /// nowhere else do not lead to another, fewer of them may.
    ///
    /// With a learner both sides move, whatever was drawn: the next query may be of another method, which takes up
    /// the recovery where this one left it. So a run whose target is spent ends with any draws.
    fn after(&self, offset: Offsets) -> Option<Offsets> {
        let moves = |side: Side| self.learner.is_some() || side.method.is_deterministic() && side.length > 0;
        let next = self.after_shorter(offset).filter(|_| moves(self.include));
        let Offsets { include, exclude, .. } = offset;
        if next.is_some() {
            next
        } else if moves(self.include) && include < self.recovery {
            Some(Offsets { include: include + 1, exclude, shorter: 0 })
        } else if moves(self.exclude) && exclude < self.recovery {
            Some(Offsets { include: 0, exclude: exclude + 1, shorter: 0 })
        } else if moves(self.include) || moves(self.exclude) {
            None
        } else {
            Some(Offsets::default())
        }
    }

    /// The next offsets within a stretch that is walked with fewer and fewer terms; `None` at its end.
    fn after_shorter(&self, offset: Offsets) -> Option<Offsets> {
        let stretch = self.shorten.filter(|_| offset.exclude == 0)?.get();
        let Offsets { include, exclude, shorter } = offset;
        let is_end = (include + 1).is_multiple_of(stretch) || include >= self.recovery;
        if !is_end {
            return Some(Offsets { include: include + 1, exclude, shorter });
        }
        let is_shortest = shorter + 1 >= self.include.length;
        (!is_shortest).then(|| Offsets { include: include - include % stretch, exclude, shorter: shorter + 1 })
    }

    /// Offsets as this plan allows them: the last query may have been made by another one.
    fn within(&self, offset: Offsets) -> Offsets {
        Offsets { shorter: offset.shorter.min(self.include.length.saturating_sub(1)), ..offset }
    }
}

fn compose_at(
    from: &Statistics,
    plan: &Plan,
    [(include, included), (exclude, excluded)]: [(&Sides, Side); 2],
    offset: Offsets,
) -> Result<Terms, StatisticsError> {
    let random = |side: &str| Random::for_purpose(plan.seed, &[&plan.step.to_string(), &plan.target, side]);
    let choice = |side: Side, offset| Choice { method: side.method, length: side.length, offset };
    let wanted = select(from, include, choice(included, offset.include), &[], &mut random("include"))?;
    // Two sides of one query never share a term: the exclusion passes over what is included.
    let unwanted = select(from, exclude, choice(excluded, offset.exclude), &wanted, &mut random("exclude"))?;
    let names = |terms: &[Ranked]| terms.iter().map(|ranked| ranked.term.clone()).collect::<Vec<_>>();
    let strategy = QueryStrategy {
        name: if plan.learner.is_some() { learn::NAME } else { NAME }.into(),
        method: Some(Methods { include: plan.include.to_string(), exclude: plan.exclude.to_string() }),
        offset: Some(offset),
        learner: plan.learner.map(|learner| learner.to_string()),
        ..QueryStrategy::default()
    };
    let (include, exclude) = (names(&wanted), names(&unwanted));
    let id = query_id(&include, &exclude);
    let query = Query { id, include, exclude, like: None, strategy: Some(strategy) };
    Ok(Terms { query, include: wanted, exclude: unwanted })
}

#[cfg(test)]
mod tests {
    use super::{Plan, Side};
    use crate::select::Prune;
    use forage_record::Offsets;

    fn plan(include: &str, exclude: &str, recovery: u32) -> Plan {
        let side = |text: &str| text.parse::<Side>().unwrap();
        let (include, exclude) = (side(include), side(exclude));
        Plan {
            target: "slv".into(),
            versus: None,
            include,
            exclude,
            step: 1,
            seed: 0,
            recovery,
            shorten: None,
            prune: Prune::default(),
            learner: None,
        }
    }

    fn offsets(plan: &Plan) -> Vec<(u32, u32)> {
        let mut next = Some(Offsets::default());
        let mut all = Vec::new();
        while let Some(offset) = next.filter(|_| all.len() < 20) {
            all.push((offset.include, offset.exclude));
            next = plan.after(offset);
        }
        all
    }

    #[test]
    fn the_recovery_goes_down_the_inclusion_terms_first() {
        let all = offsets(&plan("or:3", "tf:2", 2));
        assert_eq!(all, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]);
    }

    #[test]
    fn a_query_that_is_shortened_is_walked_in_stretches() {
        let plan = Plan { shorten: std::num::NonZeroU32::new(2), ..plan("or:3", "or:1", 2) };
        let mut next = Some(Offsets::default());
        let mut all = Vec::new();
        while let Some(offset) = next.filter(|_| all.len() < 20) {
            all.push((offset.include, offset.exclude, offset.shorter));
            next = plan.after(offset);
        }
        let first = [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1), (0, 0, 2), (1, 0, 2), (2, 0, 0), (2, 0, 1), (2, 0, 2)];
        assert_eq!(all[..9], first);
        assert_eq!(all[9..], [(0, 1, 0), (1, 1, 0), (2, 1, 0), (0, 2, 0), (1, 2, 0), (2, 2, 0)]);
    }

    #[test]
    fn a_side_that_is_drawn_or_empty_does_not_move() {
        assert_eq!(offsets(&plan("or:3", "por:2", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&plan("ptf:3", "or:2", 1)), [(0, 0), (0, 1)]);
        assert_eq!(offsets(&plan("or:3", "or:0", 1)), [(0, 0), (1, 0)]);
        assert_eq!(offsets(&plan("un:3", "ptf:2", 1)).len(), 20);
    }

    #[test]
    fn with_a_learner_both_sides_move_and_come_to_an_end() {
        let drawn = Plan { learner: "ltm".parse().ok(), ..plan("por:3", "tf:0", 1) };
        assert_eq!(offsets(&drawn), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn a_side_is_a_method_and_a_length() {
        assert_eq!("rtfidf:10".parse::<Side>().unwrap().to_string(), "rtfidf:10");
        assert!("or".parse::<Side>().is_err() && "or:11".parse::<Side>().is_err() && "xx:1".parse::<Side>().is_err());
    }
}
