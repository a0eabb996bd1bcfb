//! gen-query: put the next query together from what was learned.

mod args;

use anyhow::Context;
use args::{Args, Chooser, Pruned};
use forage_cli::Io;
use forage_query::auto::{self, Shown};
use forage_query::learn;
use forage_query::select::{Prune, Ranked};
use forage_query::{Plan, Statistics, StatisticsError, Terms, compose};
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
        let Some(terms) = args.compose(chooser, &statistics, step)? else {
            io.say.warn(format_args!("{}: spent at step {step}: {}", args.target, args.end(chooser)));
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
    fn compose(&self, chooser: Chooser, statistics: &Statistics, step: u64) -> Result<Option<Terms>, StatisticsError> {
        let versus = if self.versus == ["all"] { None } else { Some(self.versus.clone()) };
        let (target, seed) = (self.target.clone(), self.seed);
        let (include, exclude, learner) = match chooser {
            Chooser::Auto => {
                let shown = Shown { page_size: self.page_size, pages: self.max_pages };
                return auto::compose(statistics, &target, versus.as_deref(), shown, step);
            }
            Chooser::Fixed(include, exclude) => (include, exclude, None),
            Chooser::Learner(learner) => {
                let (include, exclude) = learn::sides(statistics, learner, &target, seed, step)?;
                (include, exclude, Some(learner))
            }
        };
        let (recovery, shorten) = (self.recovery, self.shorten.filter(|_| learner.is_none()));
        let (common, navigation) = (self.prune.contains(&Pruned::Common), self.prune.contains(&Pruned::Navigation));
        let prune = Prune { common, navigation };
        let plan = Plan { target, versus, include, exclude, step, seed, recovery, shorten, prune, learner };
        compose(statistics, &plan)
    }

    /// Why there is no further query.
    fn end(&self, chooser: Chooser) -> String {
        match chooser {
            Chooser::Auto => "no region of its documents promises anything new".into(),
            _ => format!("the terms that statistics and --recovery {} allow bring nothing more", self.recovery),
        }
    }
}

/// A line a term: sign, rank, term, tf and df in its own classes, df in the others, score.
fn explain(terms: &Terms, io: &mut Io) {
    io.out.line("side\trank\tterm\ttf\tdf\tdf_other\tscore");
    for (sign, side) in [('+', &terms.include), ('-', &terms.exclude)] {
        for Ranked { term, tf, df, df_other, score, rank } in side {
            let unranked = if terms.query.method.is_none() { "-" } else { "drawn" };
            let rank = rank.map_or(unranked.into(), |rank| rank.to_string());
            io.out.line(&format!("{sign}\t{rank}\t{term}\t{tf}\t{df}\t{df_other}\t{score:.4}"));
        }
    }
}
