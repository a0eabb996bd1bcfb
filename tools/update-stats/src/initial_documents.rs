//! `--init`: initial documents. They are the first records of the journal, as step 0.

use crate::args::InitialFile;
use anyhow::Context;
use forage_record::{Record, field};
use forage_run::Ledger;

/// Counts the initial documents of all files in one transaction.
///
/// # Errors
/// Fails as [`read_initial_documents`], or if the documents cannot be counted.
pub fn count_initial_documents(files: &[InitialFile], ledger: &mut Ledger) -> anyhow::Result<()> {
    for record in read_initial_documents(files)? {
        ledger.apply(&record)?;
    }
    if !files.is_empty() {
        ledger.commit()?;
    }
    Ok(())
}

/// Reads the initial documents of all files, with their classes as labels.
///
/// # Errors
/// Fails if a file cannot be read, has a line that is not a record, or a text without words.
pub fn read_initial_documents(files: &[InitialFile]) -> anyhow::Result<Vec<Record>> {
    let mut all = Vec::new();
    for file in files {
        let records = read_records(file).with_context(|| file.path.display().to_string())?;
        for mut record in records {
            let text = record.text().ok().flatten().unwrap_or_default();
            anyhow::ensure!(
                forage_text::terms(&text).iter().next().is_some(),
                "{}: has no word that can be counted; a word has a letter and at most 40 \
                 characters, at least 2 where a single letter is no word",
                file.path.display()
            );
            record.set(field::LABEL, &file.class);
            // Fields of an earlier run do not apply to this one.
            for key in [
                field::STEP,
                field::QUERY,
                field::HIT,
                field::DEDUP,
                field::ERROR,
            ] {
                record.remove(key);
            }
            all.push(record);
        }
    }
    Ok(all)
}

/// Reads the documents of a file: its records if its extension is `jsonl`, else its text as one
/// document.
fn read_records(file: &InitialFile) -> anyhow::Result<Vec<Record>> {
    let bytes = std::fs::read(&file.path)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        anyhow::anyhow!("invalid UTF-8 at byte {}", e.utf8_error().valid_up_to() + 1)
    })?;
    if file
        .path
        .extension()
        .is_some_and(|extension| extension == "jsonl")
    {
        return text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(parse_record)
            .collect();
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    anyhow::ensure!(!text.is_empty(), "has no text");
    let mut record = Record::new();
    record.set(field::TEXT, &text);
    Ok(vec![record])
}

fn parse_record(line: &str) -> anyhow::Result<Record> {
    Record::parse(line.into()).map_err(|(error, _)| error.into())
}
