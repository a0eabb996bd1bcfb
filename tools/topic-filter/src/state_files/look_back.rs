//! Rejected pages whose directory turns out to be relevant: the directory rule as it is printed
//! (Kluev 2000, section 4), by which all documents of a directory are relevant if one is.
//!
//! Their records are kept, and written again by the step that finds the relevant page, marked
//! `retry`, as those of [`crate::state_files::Retries`] are.

use crate::state_files::site_state::{SiteState, key_of};
use forage_record::{Record, Step, field};
use forage_run::Event;
use forage_state::{StateError, sqlite_step};
use forage_topic::profile::Votes;
use forage_web::page_url::directory_of;
use rusqlite::{Row, params};

impl SiteState {
    /// Keeps a page of a step if no metric votes for it. Returns `false` for a page that is written
    /// again, which was counted for its host when it was rejected.
    pub(crate) fn keep_rejected(
        &mut self,
        event: &Event,
        votes: Votes,
        url: &str,
    ) -> Result<bool, StateError> {
        let step = sqlite_step(event.step_number());
        if event.is_retry {
            self.file.begin()?;
            let sql = "UPDATE rejected SET accepted = ? WHERE url = ? AND accepted IS NULL";
            let values = params![step, url];
            self.file.run(|db| db.write_cached(sql, values))?;
            return Ok(false);
        }
        let directory = directory_of(url).filter(|_| !votes.is_recommended());
        if let (Some(directory), Some(own)) = (directory, &event.step) {
            self.file.begin()?;
            let line = stored_line(event.record(), own);
            let sql =
                "INSERT OR IGNORE INTO rejected (url, directory, step, line) VALUES (?, ?, ?, ?)";
            let values = params![url, key_of(directory), step, line];
            self.file.run(|db| db.write_cached(sql, values))?;
        }
        Ok(true)
    }

    /// Returns the rejected pages, of any step so far, in directories that a step has made
    /// relevant, by URL, as records of the step with `retry`.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn look_back(&mut self, step: &Step) -> Result<Vec<Record>, StateError> {
        let sql = "SELECT site FROM site WHERE step = ?";
        let number = sqlite_step(step.number);
        let directories: Vec<[u8; 16]> = self
            .file
            .run(|db| db.read_rows(sql, [number], |row| row.get(0)))?;
        let mut lines: Vec<(String, String)> = Vec::new();
        let sql = "SELECT url, line FROM rejected WHERE directory = ? AND accepted IS NULL";
        for directory in directories {
            if self.reaches_limit(&directory)? {
                let row = |row: &Row| Ok((row.get(0)?, row.get(1)?));
                lines.extend(self.file.run(|db| db.read_rows(sql, [directory], row))?);
            }
        }
        lines.sort_unstable();
        let records = lines.into_iter().filter_map(|(_, line)| {
            let mut record = Record::parse(line.into_bytes()).ok()?;
            record.set(field::STEP, &step.unmarked());
            record.set(field::RETRY, &true);
            Some(record)
        });
        Ok(records.collect())
    }
}

/// Returns the record of a page as it is stored: without white space between fields, so that a
/// record from the filter and one from the journal are stored alike.
fn stored_line(record: &Record, step: &Step) -> String {
    let mut record = record.clone();
    // Replacing a field causes the line to be assembled again.
    record.set(field::STEP, &step.unmarked());
    record.to_json()
}
