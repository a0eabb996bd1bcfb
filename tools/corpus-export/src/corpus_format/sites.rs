//! A table of hosts, for lists of the web's languages: a row per host and language.

use crate::corpus_format::document::Document;
use crate::corpus_format::table::write_row;
use crate::corpus_format::writer::CorpusWriter;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Counts the documents of hosts, and writes them at the end, sorted by host and language.
#[derive(Debug, Default)]
pub(crate) struct SiteWriter {
    /// The documents by host, language, and licence.
    hosts: BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>>,
}

impl CorpusWriter for SiteWriter {
    fn add(&mut self, document: &Document, _: &mut dyn Write) -> io::Result<()> {
        if !document.host.is_empty() {
            let languages = self.hosts.entry(document.host.clone()).or_default();
            let licences = languages.entry(document.language().into()).or_default();
            *licences.entry(document.licence().into()).or_default() += 1;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write_row(
            b'\t',
            ["host", "documents", "language", "share", "licence"],
            out,
        )?;
        for (host, languages) in &self.hosts {
            let all: u64 = languages.values().flat_map(BTreeMap::values).sum();
            for (language, licences) in languages {
                let documents: u64 = licences.values().sum();
                let share = (documents as f64 / all as f64 * 1e4).round() / 1e4;
                let licence = licences
                    .iter()
                    .rev()
                    .max_by_key(|(_, documents)| **documents);
                let licence = licence.map_or("", |(licence, _)| licence);
                let [documents, share] = [documents.to_string(), share.to_string()];
                write_row(b'\t', [host, &documents, language, &share, licence], out)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SiteWriter;
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use serde_json::json;

    #[test]
    fn a_host_has_a_row_for_each_language_of_its_documents() {
        let (mut writer, mut out) = (SiteWriter::default(), Vec::new());
        let record = |url: &str, langid, licence: &str| json!({"url": url, "text": "a", "langid": langid, "fetch": {"licence": licence}});
        let of = |code: &str| json!({"code": code, "score": 1, "margin": 1});
        for record in [
            record("http://b.test/", of("slv"), "CC0"),
            record("http://a.test/1", of("eng"), ""),
            record("http://a.test/2", of("slv"), "CC-BY"),
            record("http://a.test/3", of("slv"), "CC-BY"),
            record("http://a.test/4", of("slv"), ""),
            json!({"id": "own.txt", "text": "a"}),
        ] {
            with_document(&record.to_string(), |document| {
                writer.add(document, &mut out).unwrap()
            });
        }
        writer.finish(&mut out).unwrap();
        let expected = "host\tdocuments\tlanguage\tshare\tlicence\na.test\t1\teng\t0.25\t\n\
            a.test\t3\tslv\t0.75\tCC-BY\nb.test\t1\tslv\t1\tCC0\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
