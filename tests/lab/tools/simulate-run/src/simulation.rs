//! A run in memory: the stages of corpus-builder as function calls.

use crate::args::{Args, Limits};
use crate::labeller::Labeller;
use anyhow::Context;
use forage_dedup::DuplicateIndex;
use forage_engines::{
    CallPacer, EngineQuery, EngineSpec, HitCache, HitSelection, Patience, SearchLimits, Searcher,
    reply_records,
};
use forage_query::strategy::{BatchSize, QueryChoice, SampleOptions, Strategy, choose_query};
use forage_query::{Statistics, open_ledger_in_memory};
use forage_record::{ErrorKind, Query, Record, RecordError, field};
use forage_run::{Event, Ledger, Projection};
use gen_query::StrategyArgs;
use std::time::{Duration, SystemTime};

/// The state of a run.
pub struct Simulation {
    targets: Vec<String>,
    limits: Limits,
    /// The number of the next step.
    step: u64,
    strategy_args: StrategyArgs,
    strategy: Box<dyn Strategy>,
    engine: String,
    searcher: Searcher,
    index: DuplicateIndex,
    labeller: Labeller,
    ledger: Ledger,
    statistics: Statistics,
}

impl Simulation {
    /// Creates a run without documents.
    ///
    /// # Errors
    /// Fails if options contradict each other, or the index cannot be read.
    pub fn new(args: &Args) -> anyhow::Result<Self> {
        let limits = args.limits();
        let mut strategy_args = args.strategy_with_defaults()?;
        let spec: EngineSpec = args.engine.parse()?;
        anyhow::ensure!(
            spec.index_folder().is_some(),
            "--engine {}: only an embedded index, index:DIR, can be used in one process",
            args.engine
        );
        strategy_args.engine = vec![args.engine.clone()];
        let ledger = open_ledger_in_memory(args.ascii_folding)?;
        let simulation = Simulation {
            targets: args.targets().map(str::to_owned).collect(),
            limits,
            step: 1,
            strategy: strategy_args.build_strategy(SampleOptions::default())?,
            engine: spec.as_str().into(),
            searcher: new_searcher(&spec, &strategy_args, limits)?,
            index: DuplicateIndex::in_memory(None)?,
            labeller: Labeller::new(args)?,
            statistics: Statistics::from_ledger(&ledger),
            ledger,
            strategy_args,
        };
        simulation.check_classes(args)?;
        Ok(simulation)
    }

    /// Checks that targets and contrast have initial documents.
    fn check_classes(&self, args: &Args) -> anyhow::Result<()> {
        let versus = &self.strategy_args.contrast.versus;
        let contrast = versus.iter().filter(|class| *class != "all");
        for class in self.targets.iter().chain(contrast) {
            anyhow::ensure!(
                args.init.iter().any(|init| init.class == *class),
                "--init {class}=FILE is required: at least one document of each class"
            );
        }
        Ok(())
    }

    /// Counts an initial document, and adds it to the duplicate index and the classifier.
    pub fn add_initial_document(&mut self, record: &Record) -> anyhow::Result<()> {
        self.ledger.apply(record)?;
        let event = Event::from_journal(record)?;
        self.labeller.add_initial_document(&event)?;
        self.index.apply(&event).map_err(anyhow::Error::from_boxed)
    }

    /// Commits the statistics, from which the next query is composed.
    pub fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.ledger.commit()?)
    }

    /// Returns `true` if the run has reached none of its limits.
    pub fn is_below_limits(&self) -> bool {
        self.total("steps") < self.limits.steps
            && self.documents() < self.limits.documents
            && self.limits.calls.is_none_or(|calls| self.calls() < calls)
    }

    /// Runs the next step. Returns its records, or `None` if all targets are exhausted, or if the
    /// step needs more calls than are left.
    pub fn run_step(&mut self) -> anyhow::Result<Option<Vec<Record>>> {
        let Some(record) = self.generate_query()? else {
            return Ok(None);
        };
        let mut records = self.search(record)?;
        if records.iter().any(is_over_budget) {
            return Ok(None);
        }
        for record in &mut records {
            self.index.advance_to_record(record);
            if record.should_add(field::DEDUP, false)
                && let Some(document) = self.index.comparer().prepare_record(record, false)?
            {
                self.index.annotate(&[], record, &document)?;
            }
            self.labeller.label_document(record)?;
            self.ledger.apply(record)?;
        }
        self.commit()?;
        self.step += 1;
        Ok(Some(records))
    }

    /// Returns the record with the query of the next step. Targets take turns by the number of the
    /// step; an exhausted target is skipped.
    fn generate_query(&self) -> anyhow::Result<Option<Record>> {
        let first = (self.step - 1) as usize % self.targets.len();
        let turns = self.targets.iter().cycle().skip(first);
        for target in turns.take(self.targets.len()) {
            let request = (self.strategy_args).request(&self.statistics, target, self.step);
            match choose_query(&*self.strategy, &request)? {
                QueryChoice::Query(query) | QueryChoice::Probe { query, .. } => {
                    return Ok(Some(query.to_record(target, self.step)));
                }
                QueryChoice::Exhausted | QueryChoice::CoverageReached => {}
            }
        }
        Ok(None)
    }

    /// Answers the query of a record with the records of its hits.
    fn search(&mut self, record: Record) -> anyhow::Result<Vec<Record>> {
        let query: Query = record.view(field::QUERY)?.context("a record has a query")?;
        let engine_query = EngineQuery::from(&query);
        let missing = self.limits.documents - self.documents();
        // With `auto`, the query is limited further.
        let batch: u64 = match self.strategy_args.queries.batch {
            BatchSize::Fixed(documents) => documents.into(),
            BatchSize::Auto => self.strategy_args.queries.paging.page_size.get().into(),
        };
        let next = usize::try_from(batch.min(missing)).unwrap_or(usize::MAX);
        let next = query.limit.map_or(next, |limit| next.min(limit.get()));
        let selection = if self.strategy.needs().controls_paging {
            HitSelection::OnePage(next)
        } else {
            HitSelection::NextUnseen(next)
        };
        let reply = self
            .searcher
            .answer_query(&engine_query, self.step, selection)?;
        self.searcher.cache.commit()?;
        Ok(reply_records(record, reply, &[&self.engine]))
    }

    fn documents(&self) -> u64 {
        self.total("documents")
    }

    fn calls(&self) -> u64 {
        self.total("calls")
    }

    /// Returns a running count. None is negative.
    fn total(&self, name: &str) -> u64 {
        self.ledger.totals().total(name).unsigned_abs()
    }

    /// Returns the numbers of steps, documents and calls, for a message.
    pub fn summary(&self) -> String {
        format!(
            "{} steps, {} documents, {} relevant, {} calls",
            self.step - 1,
            self.documents(),
            self.total("relevant"),
            self.calls()
        )
    }
}

/// Creates the searcher of an embedded index.
fn new_searcher(
    spec: &EngineSpec,
    strategy: &StrategyArgs,
    limits: Limits,
) -> anyhow::Result<Searcher> {
    let engine = spec.open(
        Box::new(|_| Err("an embedded index needs no HTTP client".into())),
        |_| None,
    )?;
    let mut searcher = Searcher::new(
        HitCache::in_memory()?,
        SearchLimits {
            page_size: strategy.queries.paging.page_size.get(),
            max_pages: strategy.queries.paging.max_pages.get(),
            max_calls: limits.calls,
            max_queries: None,
            max_empty: None,
        },
    );
    let pacer = CallPacer {
        server: spec.server_name(),
        interval: engine.capabilities().call_interval,
        // Never used: an embedded index does not fail for a time.
        patience: Patience {
            throttled: Duration::ZERO,
            down: Duration::ZERO,
        },
        now: Box::new(SystemTime::now),
        sleep: Box::new(std::thread::sleep),
        report_wait: Box::new(|_| {}),
    };
    searcher.add_engine(engine, spec.canonical_name(), pacer);
    Ok(searcher)
}

/// Returns `true` if the record has the error of a query that needs more calls than are left.
fn is_over_budget(record: &Record) -> bool {
    let error = record.view::<RecordError>(field::ERROR);
    matches!(error, Ok(Some(error)) if error.kind == ErrorKind::Budget)
}
