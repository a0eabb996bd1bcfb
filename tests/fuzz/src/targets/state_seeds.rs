//! State files that are whole: those of the journals among the seeds.

use super::state_files::{remove_database, with_file};
use super::states::{KEYPHRASES_MEASURE, labels};
use forage_dedup::{DedupDocument, DuplicateIndex};
use forage_engines::{
    CallPacer, Engine, EngineCapabilities, EngineError, EngineHit, EngineQuery, HitCache, HitPage,
    HitSelection, Patience, SearchLimits, Searcher,
};
use forage_query::open_ledger;
use forage_record::Record;
use forage_run::{Event, ProjectionFile};
use frontier::state_file::{CrawlScope, Frontier};
use langid::state_file::ClassProfiles;
use std::path::Path;
use std::time::{Duration, SystemTime};
use topic_filter::state_files::{FeedbackState, SiteState, TopicState};

/// Returns the records of each journal among the seeds.
fn journals() -> Vec<Vec<Record>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/journal");
    let files = crate::corpus::read_folder(&folder).expect("the seeds can be read");
    let records = |file: Vec<u8>| {
        let lines = file.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        let records = lines.map(|line| Record::parse(line.to_vec()).expect("a seed has records"));
        records.collect()
    };
    files.into_iter().map(records).collect()
}

/// Returns the file that `make` creates of each journal.
fn files_of_journals(make: impl Fn(&Path, &[Record])) -> Vec<Vec<u8>> {
    let make_file = |records: &Vec<Record>| {
        with_file(b"", "seed.db", |path| {
            remove_database(path);
            make(path, records);
            std::fs::read(path).expect("the seed was written")
        })
    };
    journals().iter().map(make_file).collect()
}

/// Applies the events of a journal to a projection, and saves it.
fn apply_all(mut projection: impl ProjectionFile, records: &[Record]) {
    for record in records {
        let event = Event::from_record(record);
        // Fails for the labels of other classifiers than langid in `profiles.db`.
        let _ = projection.apply(&event);
    }
    projection.save().expect("the state is saved");
}

/// `stats.db`.
pub(super) fn statistics() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let mut ledger = open_ledger(path, None, None).expect("a new file");
        for record in records {
            ledger.apply(record).expect("the record is counted");
        }
        ledger.commit().expect("the file is written");
        ledger.merge_wal().expect("the file is written");
    })
}

/// `seen.db`, in half of the files with titles.
pub(super) fn duplicate_indexes() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let mut index = DuplicateIndex::open(path, None).expect("a new file");
        if records.len() % 2 == 0 {
            index.compare_titles();
        }
        for record in records {
            let event = Event::from_record(record);
            let (text, id, title) = (event.text(), event.id(), event.title());
            let document = DedupDocument {
                text: &text,
                id: id.as_deref(),
                title: title.as_deref(),
                step: event.step_number(),
            };
            index
                .check_and_add(document)
                .expect("the document is added");
        }
        index.advance_to(3);
        index.commit().expect("the file is written");
        index.merge_wal().expect("the file is written");
    })
}

/// `frontier.db`.
pub(super) fn frontiers() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let frontier = Frontier::open(path, CrawlScope::default()).expect("a new file");
        apply_all(frontier, records);
    })
}

/// `profiles.db`.
pub(super) fn class_profiles() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        apply_all(ClassProfiles::open(path, 0.0).expect("a new file"), records);
    })
}

/// `topic.db` with samples.
pub(super) fn topics() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let state = TopicState::open(path, KEYPHRASES_MEASURE, labels());
        apply_all(state.expect("a new file"), records);
    })
}

/// `topic.db` with the words of articles.
pub(super) fn feedback() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let state = FeedbackState::open(path, &labels().accepted);
        apply_all(state.expect("a new file"), records);
    })
}

/// `sites.db`.
pub(super) fn sites() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        apply_all(SiteState::open(path, 3).expect("a new file"), records);
    })
}

/// `hits.db`.
pub(super) fn hit_caches() -> Vec<Vec<u8>> {
    files_of_journals(|path, records| {
        let mut searcher = new_searcher(HitCache::open(path).expect("a new file"));
        for (step, record) in (1..).zip(records) {
            let event = Event::from_record(record);
            let Some(query) = &event.query else { continue };
            let query = EngineQuery::new(&query.include, &query.exclude);
            let reply = searcher.answer_query(&query, step, HitSelection::NextUnseen(2));
            reply.expect("the cache can be written");
        }
        searcher.cache.save().expect("the cache is saved");
    })
}

/// Returns a searcher for an engine that has a page of hits, and fails on the next one.
pub(super) fn new_searcher(cache: HitCache) -> Searcher {
    let limits = SearchLimits {
        page_size: 2,
        max_pages: 3,
        max_calls: Some(50),
        max_queries: None,
        max_empty: Some(20),
    };
    let pacer = CallPacer {
        server: "http://e.test".into(),
        interval: Duration::ZERO,
        patience: Patience {
            throttled: Duration::ZERO,
            down: Duration::ZERO,
        },
        now: Box::new(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000)),
        sleep: Box::new(|_| ()),
        report_wait: Box::new(|_| ()),
    };
    let mut searcher = Searcher::new(cache, limits);
    searcher.add_engine(Box::new(TwoPages), "fake:".into(), pacer);
    searcher
}

/// An engine of two pages.
struct TwoPages;

impl Engine for TwoPages {
    fn capabilities(&self) -> EngineCapabilities {
        EngineCapabilities::COMMON
    }

    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        _size: u32,
    ) -> Result<HitPage, EngineError> {
        if number > 2 {
            return Err(EngineError::Down("no such page".into()));
        }
        let hit = |n: u32| EngineHit {
            url: format!("http://{}.test/{number}/{n}", query.include().len()),
            title: Some("Voda".into()),
            ..EngineHit::default()
        };
        Ok(HitPage {
            hits: vec![hit(1), hit(2)],
            has_more: number < 2,
            ..HitPage::default()
        })
    }
}
