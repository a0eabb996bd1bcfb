//! What a step asks for: a probe where one is due, else what the chooser asks, until nothing is left or enough is
//! collected.
//!
//! The order matters with `--learn auto`: its pure regions first, regions drawn at random when these are spent (they
//! show what it did not know of), and mixed regions last, which cost more calls a document.

use crate::args::{Args, Chooser, Pruned};
use forage_cli::Io;
use forage_query::auto::{self, Regions, Shown, Wanted};
use forage_query::coverage::{self, Coverage, Share, Turn};
use forage_query::learn::{self, Attempt, Spec};
use forage_query::select::Prune;
use forage_query::{Plan, Side, Statistics, StatisticsError, Terms, compose, like, seedfinder};

/// What a step is for.
pub enum Next {
    Query(Box<Terms>),
    /// A region drawn at random; vain when the engine shows again none of what is known to be there.
    Probe {
        terms: Box<Terms>,
        is_vain: bool,
    },
    /// Nothing is left to ask for.
    Spent,
    /// As much is collected as was wanted.
    Covered,
}

/// How often a learner draws for a step before the target counts as spent.
const DRAWS: u32 = 50;

/// What is said when probes bring anything but what is known.
pub const NO_REPEATS: &str = "the engine shows none of the documents again that are known to match a probe; how much is \
    covered can't be estimated, and --until-coverage does not end the run (--docs, --queries and --calls do)";

impl Args {
    /// What is next: a probe where one is due, else the query that the chooser asks.
    pub fn next(&self, chooser: Chooser, statistics: &Statistics, step: u64) -> Result<Next, StatisticsError> {
        let turn = |is_spent| {
            // Where auto has nothing more to ask, a random region may show it what it did not know of.
            let until = self.until_coverage;
            if until.is_none() && chooser != Chooser::Auto {
                return Ok(Turn::Query);
            }
            let versus = self.versus();
            let of = self.wanted(versus.as_deref(), step);
            coverage::turn(statistics, Share { of, until, seed: self.seed }, is_spent)
        };
        let next = |turn| match turn {
            Turn::Probe { terms, is_vain } => Some(Next::Probe { terms, is_vain }),
            Turn::Done(_) => Some(Next::Covered),
            Turn::Query => None,
        };
        if let Some(next) = next(turn(false)?) {
            return Ok(next);
        }
        let query = |terms| Next::Query(Box::new(terms));
        if let Some(terms) = self.compose(chooser, statistics, Regions::Pure, step)? {
            return Ok(query(terms));
        }
        if let Some(next) = next(turn(true)?) {
            return Ok(next);
        }
        let mixed = match chooser {
            Chooser::Auto => self.compose(chooser, statistics, Regions::Mixed, step)?,
            _ => None,
        };
        Ok(mixed.map_or(Next::Spent, query))
    }

    /// Says how much is covered, where that is wanted and known.
    pub fn tell_coverage(&self, statistics: &Statistics, io: &Io) -> Result<(), StatisticsError> {
        if self.until_coverage.is_none() {
            return Ok(());
        }
        match coverage::coverage(statistics, &self.target)? {
            None if coverage::is_vain(statistics, &self.target)? => {
                io.say.warn(format_args!("{}: {NO_REPEATS}", self.target));
            }
            None => io.say.info(format_args!("{}: too little was probed to say how much is covered", self.target)),
            Some(Coverage { collected, population, share, .. }) => io.say.info(format_args!(
                "{}: covers {:.2} ({:.2} to {:.2}): {collected} of an estimated {:.0} documents ({:.0} to {:.0})",
                self.target, share.value, share.low, share.high, population.value, population.low, population.high
            )),
        }
        Ok(())
    }

    /// The query for a step, by auto for such regions; `None` where nothing is left to ask for.
    fn compose(
        &self,
        chooser: Chooser,
        statistics: &Statistics,
        regions: Regions,
        step: u64,
    ) -> Result<Option<Terms>, StatisticsError> {
        match chooser {
            Chooser::Auto => {
                let versus = self.versus();
                auto::compose(statistics, self.wanted(versus.as_deref(), step), regions)
            }
            Chooser::Fixed(include, exclude) => compose(statistics, &self.plan((include, exclude), None, step)),
            Chooser::Like => like::compose(statistics, &self.plan((like::FIRST, like::FIRST), None, step)),
            Chooser::SeedFinder => seedfinder::compose(statistics, &self.plan(seedfinder::FIRST, None, step)),
            Chooser::Learner(learner) => self.compose_as_learned(learner, statistics, step),
        }
    }

    /// The query for a step, by what a learner draws: other methods and lengths where these bring nothing more.
    fn compose_as_learned(
        &self,
        learner: Spec,
        statistics: &Statistics,
        step: u64,
    ) -> Result<Option<Terms>, StatisticsError> {
        for before in 0..DRAWS {
            let attempt = Attempt { before, needs_inclusion: self.needs_inclusion };
            let sides = learn::sides(statistics, learner, &self.target, self.seed, step, attempt)?;
            if let Some(terms) = compose(statistics, &self.plan(sides, Some(learner), step))? {
                return Ok(Some(terms));
            }
        }
        Ok(None)
    }

    fn plan(&self, (include, exclude): (Side, Side), learner: Option<Spec>, step: u64) -> Plan {
        Plan {
            target: self.target.clone(),
            versus: self.versus(),
            include,
            exclude,
            step,
            seed: self.seed,
            recovery: self.recovery,
            shorten: self.shorten.filter(|_| learner.is_none()),
            prune: self.pruned(),
            learner,
        }
    }

    /// The classes that the target is told from; `None` for all others.
    fn versus(&self) -> Option<Vec<String>> {
        (self.versus != ["all"]).then(|| self.versus.clone())
    }

    /// What auto and probes are asked for.
    fn wanted<'a>(&'a self, versus: Option<&'a [String]>, step: u64) -> Wanted<'a> {
        let shown = Shown { page_size: self.page_size, pages: self.max_pages };
        Wanted { target: &self.target, versus, step, shown, prune: self.pruned() }
    }

    fn pruned(&self) -> Prune {
        let has = |words| self.prune.contains(&words);
        Prune { common: has(Pruned::Common), navigation: has(Pruned::Navigation) }
    }

    /// Why there is no further query.
    pub fn end(&self, chooser: Chooser) -> String {
        match chooser {
            Chooser::Auto => "no region of its documents promises anything new".into(),
            Chooser::Learner(_) => {
                format!("none of {DRAWS} draws of methods and lengths selects terms that bring more")
            }
            Chooser::SeedFinder => "no term is left that speaks for it and was not used".into(),
            _ => format!("the terms that statistics and --recovery {} allow bring nothing more", self.recovery),
        }
    }
}
