//! `--init`: the initial documents, which stand first in the journal, as step 0.

use crate::args::Initial;
use anyhow::Context;
use forage_record::{Record, field};
use forage_run::Ledger;

/// Counts the initial documents, all in one transaction.
pub fn count(all: &[Initial], ledger: &mut Ledger) -> anyhow::Result<()> {
    for initial in all {
        let records = read(initial).with_context(|| initial.file.display().to_string())?;
        for mut record in records {
            let text = record.text().ok().flatten().unwrap_or_default();
            anyhow::ensure!(
                forage_text::terms(&text).iter().next().is_some(),
                "{}: no word in it can be counted; a word has 2 to 40 letters, and blanks or marks around it",
                initial.file.display()
            );
            record.set(field::LABEL, &initial.class);
            // What an earlier run said of it is not true of this one.
            for key in [
                field::STEP,
                field::QUERY,
                field::HIT,
                field::DEDUP,
                field::ERROR,
            ] {
                record.remove(key);
            }
            ledger.apply(&record)?;
        }
    }
    if !all.is_empty() {
        ledger.commit()?;
    }
    Ok(())
}

/// The documents of a file: its records where it is named `.jsonl`, else its text.
fn read(initial: &Initial) -> anyhow::Result<Vec<Record>> {
    let bytes = std::fs::read(&initial.file)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        anyhow::anyhow!("invalid UTF-8 at byte {}", e.utf8_error().valid_up_to() + 1)
    })?;
    if initial
        .file
        .extension()
        .is_some_and(|extension| extension == "jsonl")
    {
        return text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(parse)
            .collect();
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    anyhow::ensure!(!text.is_empty(), "has no text");
    let mut record = Record::new();
    record.set(field::TEXT, &text);
    Ok(vec![record])
}

fn parse(line: &str) -> anyhow::Result<Record> {
    Record::parse(line.into()).map_err(|(why, _)| why.into())
}
