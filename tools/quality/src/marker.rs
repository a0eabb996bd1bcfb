//! Annotation of records with `quality`.

use crate::host_lines::HostLines;
use crate::language::{FrequentWords, language_of_label};
use crate::measures::Measures;
use crate::rules::Quality;
use crate::usual::UsualShares;
use forage_cli::{Output, Stage};
use forage_langid::LanguageCode;
use forage_record::{BadField, ErrorKind, Record, field};
use forage_web::page_url::host_of;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    static WORDS: RefCell<FrequentWords> = RefCell::default();
}

/// What was measured of a record.
#[derive(Debug)]
pub struct Measured {
    measures: Measures,
    /// The language by whose words it was measured; `None` if it is unknown.
    language: Option<LanguageCode>,
}

/// Measures the text of a record; `None` if there is nothing to do.
pub fn measure(record: &Record, is_forced: bool) -> Option<Result<Measured, BadField>> {
    if !record.should_add(field::QUALITY, is_forced) {
        return None;
    }
    let text = match record.text() {
        Ok(text) => text?,
        Err(e) => return Some(Err(e)),
    };
    Some(Ok(WORDS.with_borrow_mut(|words| {
        let language = words.set_language_of(record, &text);
        let measures = Measures::new(&text, |word| words.is_frequent(word));
        Measured { measures, language }
    })))
}

/// Marks records in order.
#[derive(Debug, Default)]
pub struct Marker {
    host_lines: HostLines,
    usual: UsualShares,
}

impl Marker {
    /// Adds the quality to a record, or an error.
    pub fn mark(
        &mut self,
        mut record: Record,
        measured: Option<Result<Measured, BadField>>,
    ) -> Record {
        match measured {
            Some(Ok(Measured { measures, language })) => {
                let host_lines = self.host_share(&record, &measures);
                let usual =
                    language.and_then(|code| self.usual.median_and_add(code.as_str(), &measures));
                let other_languages = share_of_other_languages(&record);
                let quality = Quality::new(measures.figures, usual, other_languages, host_lines);
                record.set(field::QUALITY, &quality);
            }
            Some(Err(e)) => record.set_error("quality", ErrorKind::BadField, e),
            None => {}
        }
        record
    }

    /// Returns the share of a text in lines that recur over its host; `None` without a host.
    fn host_share(&mut self, record: &Record, measures: &Measures) -> Option<f64> {
        let url = record.string(field::URL).ok().flatten()?;
        let host = host_of(&url)?;
        Some(measures.share_of_lines(&self.host_lines.find_recurring(&host, measures)))
    }
}

/// Returns the share of a text in other languages than its own, which is that of its label if there
/// is one, by `langid --paragraphs`.
fn share_of_other_languages(record: &Record) -> Option<f64> {
    #[derive(Deserialize)]
    struct RecordedShares {
        code: String,
        share: HashMap<String, f64>,
    }
    let recorded = record
        .view::<RecordedShares>(field::LANGID)
        .ok()
        .flatten()?;
    let own = language_of_label(record).map_or(recorded.code, |label| label.as_str().to_owned());
    let own = recorded.share.get(&own).copied();
    Some((1.0 - own.unwrap_or_default()).clamp(0.0, 1.0))
}

impl Stage for Marker {
    fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()> {
        let measured = measure(&record, false);
        out.write_record(&self.mark(record, measured));
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
