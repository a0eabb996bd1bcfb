//! `--init`: initial documents. They are the first records of the journal, as step 0.

use anyhow::Context;
use forage_cli::GivenFile;
use forage_record::{Fetch, Record, field};
use forage_run::Ledger;
use forage_text::Random;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// An argument of `--init`: the class and path of a file of initial documents, or of a word list.
#[derive(Debug, Clone)]
pub struct InitialFile {
    /// The class of its documents.
    pub class: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl FromStr for InitialFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((class, path)) if !class.is_empty() && !path.is_empty() => Ok(InitialFile {
                class: class.into(),
                path: path.into(),
            }),
            _ => Err("expected a class and a file, as in `slv=seed.txt`".into()),
        }
    }
}

/// The rounds in which initial documents are counted.
#[derive(Debug, Clone, Copy)]
pub struct SeedRounds {
    /// Documents of each class per round.
    pub seeds_per_round: u64,
    /// Steps per round.
    pub steps: u64,
    /// Seed of the draw.
    pub seed: u64,
}

/// Counts initial documents in one transaction; with `--seeds-per-round`, those of the first round.
///
/// # Errors
/// Fails if the documents cannot be counted.
pub fn count_initial_documents(documents: &[Record], ledger: &mut Ledger) -> anyhow::Result<()> {
    for record in documents {
        ledger.apply(record)?;
    }
    if !documents.is_empty() {
        ledger.commit()?;
    }
    Ok(())
}

/// Reads the initial documents of all files, with their classes as labels, and with `from_step` if
/// they are counted in a later round.
///
/// # Errors
/// Fails if a file cannot be read, has a line that is not a record, or a text without words.
pub fn read_initial_documents(
    files: &[InitialFile],
    rounds: Option<SeedRounds>,
) -> anyhow::Result<Vec<Record>> {
    let mut documents = Vec::new();
    for file in files {
        documents.extend(read_documents(file).with_context(|| file.path.display().to_string())?);
    }
    if let Some(rounds) = rounds {
        set_rounds(&mut documents, rounds);
    }
    Ok(documents.into_iter().map(|(_, record)| record).collect())
}

/// The cause for a file without a document.
const NO_TEXT: &str = "has no text";

/// Reads the documents of a file, with their class.
fn read_documents(file: &InitialFile) -> anyhow::Result<Vec<(&str, Record)>> {
    let mut documents = Vec::new();
    for mut record in read_records(file)? {
        let text = record.text().ok().flatten().unwrap_or_default();
        anyhow::ensure!(!text.contains('\0'), "contains binary data (NUL)");
        if text.trim().is_empty() {
            let name = record.longest_text_field().context(NO_TEXT)?;
            anyhow::bail!("{NO_TEXT}; if it is in `{name}`, use --text-field {name}");
        }
        anyhow::ensure!(
            forage_text::terms(&text).iter().next().is_some(),
            "has no word that can be counted; a word has a letter and at most 40 characters, at \
             least 2 where a single letter is no word",
        );
        record.set(field::LABEL, &file.class);
        // Fields of an earlier run do not apply to this one.
        for key in [
            field::STEP,
            field::QUERY,
            field::HIT,
            field::DEDUP,
            field::FROM_STEP,
            field::ERROR,
        ] {
            record.remove(key);
        }
        documents.push((&*file.class, record));
    }
    Ok(documents)
}

/// Draws the documents of each round, without replacement, and sets `from_step` of those of later
/// rounds.
fn set_rounds(documents: &mut [(&str, Record)], rounds: SeedRounds) {
    let mut by_class = BTreeMap::<&str, Vec<&mut Record>>::new();
    for (class, record) in documents {
        by_class.entry(class).or_default().push(record);
    }
    for (class, mut records) in by_class {
        let mut random = Random::for_purpose(rounds.seed, &["initial documents", class]);
        for drawn in 0u64.. {
            if records.is_empty() {
                break;
            }
            let record = records.swap_remove(random.next_below(records.len() as u64) as usize);
            let round = drawn / rounds.seeds_per_round;
            if round > 0 {
                let from_step = round.saturating_mul(rounds.steps).saturating_add(1);
                record.set(field::FROM_STEP, &from_step);
            }
        }
    }
}

/// Reads the documents of a file by its content: its records, or else its text as one document. A
/// file that is not plain text is read as a page is.
fn read_records(file: &InitialFile) -> anyhow::Result<Vec<Record>> {
    let mut record = Record::new();
    match forage_cli::read_given_file(&file.path)? {
        GivenFile::Records(records) => {
            return Ok(records.into_iter().map(|(_, record)| record).collect());
        }
        GivenFile::Text { text, charset } => set_plain_text(&text, charset, &mut record)?,
        GivenFile::Document { body, .. } => read_page(&body, &mut record)?,
    }
    Ok(vec![record])
}

/// Sets the text of a plain text, and its encoding as `fetch` if that is not UTF-8.
fn set_plain_text(text: &str, charset: &str, record: &mut Record) -> anyhow::Result<()> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    anyhow::ensure!(!trimmed.is_empty(), NO_TEXT);
    record.set(field::TEXT, &trimmed);
    if charset != "UTF-8" {
        set_format(record, "text/plain", Some(charset));
    }
    Ok(())
}

/// Sets `fetch` to the format and the encoding in which a file was read.
fn set_format(record: &mut Record, media_type: &str, charset: Option<&str>) {
    let fetch = Fetch {
        media_type: Some(media_type.into()),
        charset: charset.map(str::to_owned),
        ..Fetch::default()
    };
    record.set(field::FETCH, &fetch);
}

/// Sets the text of a page or a PDF, and its format and encoding as `fetch`.
#[cfg(feature = "pages")]
fn read_page(bytes: &[u8], record: &mut Record) -> anyhow::Result<()> {
    let document = forage_page::from_bytes(bytes, None, None, &Default::default())?;
    record.set(field::TEXT, &document.text);
    let media_type = document.fetch.media_type.unwrap_or_default();
    set_format(record, &media_type, document.fetch.charset.as_deref());
    Ok(())
}

#[cfg(not(feature = "pages"))]
fn read_page(_: &[u8], _: &mut Record) -> anyhow::Result<()> {
    anyhow::bail!(
        "is not plain text; this update-stats was built without the reader of pages; build it with \
         `make`"
    )
}
