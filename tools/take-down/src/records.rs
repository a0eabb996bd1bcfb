//! The records of a run: the documents that a request means, and files without them.

use anyhow::{Context, Result};
use forage_record::{Dedup, DedupStatus, Record, field};
use forage_run::{Event, TakenDownList, taken_down_entry, tombstone};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// Adds the documents of a journal that `request` means to the list of a run, and what `request`
/// names. Returns the number of documents.
///
/// # Errors
/// Fails if the journal cannot be read. The message names the file.
pub fn resolve(journal: &Path, list: &mut TakenDownList, request: &TakenDownList) -> Result<u64> {
    let mut sought = TakenDownList::default();
    for entry in list.entries().iter().chain(request.entries()) {
        sought.add(entry.clone());
    }
    let (mut documents, mut is_complete) = (0, false);
    // A document may be known by a text that follows it.
    while !is_complete {
        (documents, is_complete) = (0, true);
        let from = File::open(journal).with_context(|| journal.display().to_string())?;
        for_each_line(BufReader::new(from), |record, _| {
            let Some(record) = record else { return Ok(()) };
            let event = Event::from_record(&record);
            let Some(mut entry) = find(&event, &sought) else {
                return Ok(());
            };
            documents += u64::from(event.has_text);
            for url in [event.url(), event.final_url()] {
                url.into_iter().for_each(|url| entry.set(field::URL, &url));
                list.add(entry.clone());
                is_complete &= !sought.add(entry.clone());
            }
            Ok(())
        })?;
    }
    for entry in request.entries() {
        list.add(entry.clone());
    }
    Ok(documents)
}

/// Returns the entry for a record that the list means, or that is a duplicate of one.
fn find(event: &Event, list: &TakenDownList) -> Option<Record> {
    if event.record().has_field(field::TAKEN_DOWN) {
        return None;
    }
    let of_original = || {
        let dedup: Dedup = event.record().view(field::DEDUP).ok()??;
        let has_its_text = matches!(dedup.status, DedupStatus::Exact | DedupStatus::Near);
        list.find_id(&dedup.of.filter(|_| has_its_text)?)
    };
    let entry = list.find(event).or_else(of_original)?;
    Some(taken_down_entry(event, entry))
}

/// Copies a file of records without documents of the list; a journal gets tombstones in their
/// places, and loses a last line that a kill has cut short. Returns whether the copy differs.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_records(
    from: impl BufRead,
    to: &mut impl Write,
    list: &TakenDownList,
    is_journal: bool,
) -> Result<bool> {
    let mut is_changed = false;
    for_each_line(from, |record, line| {
        let mut kept = line.to_vec();
        if let Some(record) = record.filter(|record| !record.has_field(field::TAKEN_DOWN)) {
            let event = Event::from_record(&record);
            if let Some(entry) = list.find(&event) {
                kept.clear();
                if is_journal {
                    tombstone(&event, entry).write(&mut kept);
                }
                is_changed = true;
            }
        } else if is_journal && !line.ends_with(b"\n") {
            kept.clear();
            is_changed = true;
        }
        Ok(to.write_all(&kept)?)
    })?;
    Ok(is_changed)
}

/// Calls `work` with each line, and its record, if it is one.
fn for_each_line(
    mut from: impl BufRead,
    mut work: impl FnMut(Option<Record>, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        work(Record::parse(line.trim_ascii_end().to_vec()).ok(), &line)?;
        line.clear();
    }
    Ok(())
}
