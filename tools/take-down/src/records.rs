//! The records of a run: the documents that a request means, and files without them.

use anyhow::Context;
use forage_record::{Dedup, DedupStatus, Record, field};
use forage_run::{Event, TakenDown, TakenDownList, describe_taken_down, tombstone};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// Documents that were found.
#[derive(Debug, Default, Clone, Copy)]
pub struct Found {
    /// Their number.
    pub documents: u64,
    /// Of these, duplicates of one of them.
    pub duplicates: u64,
}

/// Adds the documents of a journal that `request` means to the list of a run, and what `request`
/// names.
///
/// # Errors
/// Fails if the journal cannot be read. The message names the file.
pub fn resolve(
    journal: &Path,
    list: &mut TakenDownList,
    request: &TakenDownList,
) -> anyhow::Result<Found> {
    let mut sought = TakenDownList::default();
    for entry in list.entries().iter().chain(request.entries()) {
        sought.add(entry.clone());
    }
    let mut found = Found::default();
    let mut is_complete = false;
    // A document may be known by a text that follows it.
    while !is_complete {
        (is_complete, found) = (true, Found::default());
        let from = File::open(journal).with_context(|| journal.display().to_string())?;
        let read = for_each_line(BufReader::new(from), |line| {
            let Line::Record(record) = line else {
                return Ok(());
            };
            let event = Event::from_record(&record);
            let Some((entry, is_duplicate)) = find(&event, &sought) else {
                return Ok(());
            };
            found.documents += u64::from(event.has_text);
            found.duplicates += u64::from(event.has_text && is_duplicate);
            let entry = describe_taken_down(&event, &entry);
            let redirected = TakenDown {
                url: event.final_url().map(Into::into),
                ..entry.clone()
            };
            for entry in [entry, redirected] {
                list.add(entry.clone());
                is_complete &= !sought.add(entry);
            }
            Ok(())
        });
        read.with_context(|| journal.display().to_string())?;
    }
    for entry in request.entries() {
        list.add(entry.clone());
    }
    Ok(found)
}

/// Returns the entry of a record, or of the document that it is a duplicate of; and whether it is
/// one.
fn find(event: &Event, list: &TakenDownList) -> Option<(TakenDown, bool)> {
    if event.record().has_field(field::TAKEN_DOWN) {
        return None;
    }
    if let Some(entry) = list.find(event) {
        return Some((entry.clone(), false));
    }
    let dedup: Dedup = event.record().view(field::DEDUP).ok().flatten()?;
    let has_text_of_other = matches!(dedup.status, DedupStatus::Exact | DedupStatus::Near);
    let entry = list.find_id(&dedup.of.filter(|_| has_text_of_other)?)?;
    Some((entry.clone(), true))
}

/// Copies a journal with tombstones in place of documents of the list. Returns their number.
///
/// # Errors
/// Fails if a file cannot be read or written, or a line is no record.
pub fn copy_journal(
    from: impl BufRead,
    to: &mut impl Write,
    list: &TakenDownList,
) -> anyhow::Result<u64> {
    let (mut replaced, mut buffer) = (0, Vec::new());
    for_each_line(from, |line| {
        buffer.clear();
        match line {
            Line::Record(record) => {
                let event = Event::from_record(&record);
                match list.find(&event) {
                    Some(entry) if !record.has_field(field::TAKEN_DOWN) => {
                        tombstone(&event, entry).write(&mut buffer);
                        replaced += 1;
                    }
                    _ => record.write(&mut buffer),
                }
            }
            // Cut short by a kill: it is cut off when the run is resumed.
            Line::Other(_, true) => replaced += 1,
            Line::Other(line, false) if line.trim_ascii().is_empty() => {
                buffer.extend_from_slice(&line);
            }
            Line::Other(..) => anyhow::bail!("a line is no record; repair the file"),
        }
        Ok(to.write_all(&buffer)?)
    })?;
    Ok(replaced)
}

/// Copies a file of records without documents of the list. Returns their number.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_records(
    from: impl BufRead,
    to: &mut impl Write,
    list: &TakenDownList,
) -> anyhow::Result<u64> {
    let (mut removed, mut buffer) = (0, Vec::new());
    for_each_line(from, |line| {
        buffer.clear();
        match line {
            Line::Record(record) if list.find(&Event::from_record(&record)).is_some() => {
                removed += 1;
            }
            Line::Record(record) => record.write(&mut buffer),
            Line::Other(line, _) => buffer.extend_from_slice(&line),
        }
        Ok(to.write_all(&buffer)?)
    })?;
    Ok(removed)
}

/// A line of a file.
enum Line {
    Record(Record),
    /// Bytes that are no record, with their line feed; and whether they have none.
    Other(Vec<u8>, bool),
}

fn for_each_line(
    mut from: impl BufRead,
    mut work: impl FnMut(Line) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    loop {
        let mut line = Vec::new();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let is_complete = line.pop_if(|byte| *byte == b'\n').is_some();
        work(match Record::parse(line) {
            Ok(record) => Line::Record(record),
            Err((_, mut line)) => {
                line.extend(is_complete.then_some(b'\n'));
                Line::Other(line, !is_complete)
            }
        })?;
    }
}
