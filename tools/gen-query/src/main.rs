//! gen-query: put the next query together from what was learned.

mod args;

use anyhow::Context;
use args::{Args, Chooser, Pruned};
use forage_cli::Io;
use forage_query::auto::{self, Regions, Shown};
use forage_query::coverage::{self, Coverage, Turn, Wanted};
use forage_query::select::{Prune, Ranked};
use forage_query::{Plan, Statistics, StatisticsError, Terms, compose};
use forage_query::{learn, like, seedfinder};
use forage_record::{Record, field};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let chooser = args.chooser()?;
    let statistics = Statistics::open_to_read(&args.stats)?;
    let last = args.step.checked_add(args.count).context("--step and -n together are too large")?;
    for step in args.step..last {
        let terms = match args.next(chooser, &statistics, step)? {
            Next::Query(terms) => *terms,
            Next::Probe { terms, is_vain } => {
                if is_vain {
                    io.say.warn(format_args!("{}: {NO_REPEATS}", args.target));
                }
                *terms
            }
            Next::Spent => {
                io.say.warn(format_args!("{}: spent at step {step}: {}", args.target, args.end(chooser)));
                args.tell_coverage(&statistics, io)?;
                break;
            }
            Next::Covered => {
                io.say.warn(format_args!("{}: done at step {step}", args.target));
                args.tell_coverage(&statistics, io)?;
                break;
            }
        };
        if args.explain {
            explain(&terms, io);
        } else {
            let mut record = Record::new();
            record.set(field::QUERY, &terms.query);
            io.out.record(&record);
        }
        io.out.spill()?;
    }
    Ok(())
}

/// What a step is for.
enum Next {
    Query(Box<Terms>),
    Probe {
        terms: Box<Terms>,
        is_vain: bool,
    },
    /// Nothing is left to ask for.
    Spent,
    /// As much is collected as was wanted.
    Covered,
}

/// What is said when probes bring anything but what is known.
const NO_REPEATS: &str = "the engine shows none of the documents again that are known to match a probe; how much is \
    covered can't be estimated, and --until-coverage does not end the run";

impl Args {
    /// What is next: a probe where one is due, else the query that the chooser asks.
    fn next(&self, chooser: Chooser, statistics: &Statistics, step: u64) -> Result<Next, StatisticsError> {
        let turn = |is_spent| {
            // Where auto has nothing more to ask, a random region may show it what it did not know of.
            let until = self.until_coverage;
            if until.is_none() && chooser != Chooser::Auto {
                return Ok(Turn::Query);
            }
            let versus = self.versus();
            let (target, shown) = (self.target.as_str(), self.shown());
            let wanted = Wanted { target, until, seed: self.seed, step, versus: versus.as_deref(), shown };
            coverage::turn(statistics, wanted, is_spent)
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
    fn tell_coverage(&self, statistics: &Statistics, io: &Io) -> Result<(), StatisticsError> {
        if self.until_coverage.is_none() {
            return Ok(());
        }
        match coverage::coverage(statistics, &self.target)? {
            None => io.say.warn(format_args!("{}: too little was probed to say how much is covered", self.target)),
            Some(Coverage { collected, population, share, .. }) => io.say.warn(format_args!(
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
        let versus = self.versus();
        let (target, seed) = (self.target.clone(), self.seed);
        let (include, exclude, learner) = match chooser {
            Chooser::Auto => {
                return auto::compose(statistics, &target, versus.as_deref(), self.shown(), regions, step);
            }
            Chooser::Fixed(include, exclude) => (include, exclude, None),
            Chooser::Like => (like::FIRST, like::FIRST, None),
            Chooser::SeedFinder => (seedfinder::FIRST.0, seedfinder::FIRST.1, None),
            Chooser::Learner(learner) => {
                let (include, exclude) = learn::sides(statistics, learner, &target, seed, step)?;
                (include, exclude, Some(learner))
            }
        };
        let (recovery, shorten) = (self.recovery, self.shorten.filter(|_| learner.is_none()));
        let (common, navigation) = (self.prune.contains(&Pruned::Common), self.prune.contains(&Pruned::Navigation));
        let prune = Prune { common, navigation };
        let plan = Plan { target, versus, include, exclude, step, seed, recovery, shorten, prune, learner };
        match chooser {
            Chooser::Like => like::compose(statistics, &plan),
            Chooser::SeedFinder => seedfinder::compose(statistics, &plan),
            _ => compose(statistics, &plan),
        }
    }

    /// The classes that the target is told from; `None` for all others.
    fn versus(&self) -> Option<Vec<String>> {
        (self.versus != ["all"]).then(|| self.versus.clone())
    }

    fn shown(&self) -> Shown {
        Shown { page_size: self.page_size, pages: self.max_pages }
    }

    /// Why there is no further query.
    fn end(&self, chooser: Chooser) -> String {
        match chooser {
            Chooser::Auto => "no region of its documents promises anything new".into(),
            Chooser::SeedFinder => "no term is left that speaks for it and was not used".into(),
            _ => format!("the terms that statistics and --recovery {} allow bring nothing more", self.recovery),
        }
    }
}

/// A line a term: sign, rank, term, tf and df in its own classes, df in the others, score; one for a document to be like.
fn explain(terms: &Terms, io: &mut Io) {
    io.out.line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    if let Some(url) = &terms.query.like {
        io.out.line(&format!("~\t-\t{url}\t-\t-\t-\t-"));
    }
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for Ranked { term, tf, df, df_other, score, rank } in side {
            let unranked = if terms.query.method.is_none() { "-" } else { "drawn" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.line(&format!("{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"));
        }
    }
}
