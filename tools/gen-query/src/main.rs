//! gen-query: put the next query together from what was learned.

mod args;

use anyhow::Context;
use args::{Args, Learner, Pruned};
use forage_cli::Io;
use forage_query::auto::{self, Shown};
use forage_query::select::{Prune, Ranked};
use forage_query::{Plan, Side, Statistics, StatisticsError, Terms, compose};
use forage_record::{Record, field};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let length = |side: Option<Side>| side.map_or(0, |side| side.length);
    anyhow::ensure!(
        args.learn.is_some() || length(args.include) + length(args.exclude) > 0,
        "a query needs a term: --include and --exclude can't both have length 0"
    );
    let statistics = Statistics::open_to_read(&args.stats)?;
    let last = args.step.checked_add(args.count).context("--step and -n together are too large")?;
    for step in args.step..last {
        let Some(terms) = args.compose(&statistics, step)? else {
            io.say.warn(format_args!("{}: spent at step {step}: {}", args.target, args.end()));
            break;
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

impl Args {
    /// The query for a step; `None` where the target is spent.
    fn compose(&self, statistics: &Statistics, step: u64) -> Result<Option<Terms>, StatisticsError> {
        let versus = if self.versus == ["all"] { None } else { Some(self.versus.clone()) };
        let (Some(include), Some(exclude)) = (self.include, self.exclude) else {
            let shown = Shown { page_size: self.page_size, pages: self.max_pages };
            return auto::compose(statistics, &self.target, versus.as_deref(), shown, step);
        };
        let (target, seed, recovery, shorten) = (self.target.clone(), self.seed, self.recovery, self.shorten);
        let (common, navigation) = (self.prune.contains(&Pruned::Common), self.prune.contains(&Pruned::Navigation));
        let prune = Prune { common, navigation };
        compose(statistics, &Plan { target, versus, include, exclude, step, seed, recovery, shorten, prune })
    }

    /// Why there is no further query.
    fn end(&self) -> String {
        match self.learn {
            Some(Learner::Auto) => "no region of its documents promises anything new".into(),
            None => {
                format!("the terms that statistics and --recovery {} allow bring nothing more", self.recovery)
            }
        }
    }
}

/// A line a term: sign, rank, term, tf and df in its own classes, df in the others, score.
fn explain(terms: &Terms, io: &mut Io) {
    io.out.line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for Ranked { term, tf, df, df_other, score, rank } in side {
            let unranked = if terms.query.learner.is_some() { "-" } else { "drawn" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.line(&format!("{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"));
        }
    }
}
