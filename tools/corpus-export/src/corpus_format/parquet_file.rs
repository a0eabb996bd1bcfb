//! Apache Parquet: a row per document, compressed by zstd, in row groups of bounded size.

use crate::corpus_format::document::Document;
use crate::corpus_format::writer::CorpusWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::sync::Arc;

/// The columns. `optout` has the reservations against text and data mining, separated by commas.
const SCHEMA: &str = "message document {
    required binary id (STRING);
    optional binary url (STRING);
    optional binary title (STRING);
    optional binary text (STRING);
    optional binary label (STRING);
    optional binary date (STRING);
    optional binary licence (STRING);
    optional binary host (STRING);
    optional binary query (STRING);
    optional binary language (STRING);
    optional binary retrieved (STRING);
    optional binary optout (STRING);
    optional double score;
    optional double margin;
}";
/// The number of columns of strings in [`SCHEMA`]; those of numbers follow.
const STRINGS: usize = 12;
const NUMBERS: usize = 2;

/// Bytes of strings in a row group. Set by judgement: readers of columns want large groups, and a
/// group is in memory before it is written.
const GROUP_BYTES: usize = 64 << 20;
/// Rows in a row group.
const GROUP_ROWS: usize = 100_000;

/// Writes Parquet.
#[derive(Default)]
pub(crate) struct ParquetWriter {
    /// `None` before the first row group.
    file: Option<SerializedFileWriter<Vec<u8>>>,
    rows: Rows,
}

/// The rows of a group, by column.
#[derive(Debug, Default)]
struct Rows {
    strings: [Vec<Option<ByteArray>>; STRINGS],
    numbers: [Vec<Option<f64>>; NUMBERS],
    bytes: usize,
}

impl std::fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetWriter").finish_non_exhaustive()
    }
}

impl CorpusWriter for ParquetWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        self.rows.push(document);
        let is_full = self.rows.bytes >= GROUP_BYTES || self.rows.numbers[0].len() >= GROUP_ROWS;
        match is_full {
            true => self.write_group(out),
            false => Ok(()),
        }
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_group(out)?;
        if let Some(file) = self.file.take() {
            out.write_all(&file.into_inner().map_err(to_io_error)?)?;
        }
        Ok(())
    }
}

impl ParquetWriter {
    /// Writes the rows so far as a group.
    fn write_group(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => open().map_err(to_io_error)?,
        };
        let file = self.file.insert(file);
        let rows = std::mem::take(&mut self.rows);
        if !rows.numbers[0].is_empty() {
            write_rows(file, &rows).map_err(to_io_error)?;
        }
        // What was written so far; the file goes on counting its bytes.
        file.flush()?;
        out.write_all(&std::mem::take(file.inner_mut()))
    }
}

fn to_io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

fn open() -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("forage version ", env!("CARGO_PKG_VERSION")).into())
        .build();
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))
}

fn write_rows(file: &mut SerializedFileWriter<Vec<u8>>, rows: &Rows) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for (index, values) in rows.strings.iter().enumerate() {
        let Some(mut column) = group.next_column()? else {
            break;
        };
        let present: Vec<ByteArray> = values.iter().flatten().cloned().collect();
        // The first column is required, and has no levels.
        let levels = (index > 0).then(|| levels(values));
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&present, levels.as_deref(), None)?;
        column.close()?;
    }
    for values in &rows.numbers {
        let Some(mut column) = group.next_column()? else {
            break;
        };
        let present: Vec<f64> = values.iter().flatten().copied().collect();
        let typed = column.typed::<DoubleType>();
        typed.write_batch(&present, Some(&levels(values)), None)?;
        column.close()?;
    }
    group.close().map(drop)
}

/// Returns 1 for each value that is there, and 0 for a null.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect()
}

impl Rows {
    fn push(&mut self, document: &Document) {
        let columns = document.columns();
        let column = |name: &str| {
            let found = columns.iter().find(|(column, _)| *column == name);
            found.map_or("", |(_, value)| value)
        };
        let optout = document.fetch.optout.join(",");
        let retrieved = document.fetch.at.as_deref().unwrap_or_default();
        let values: [&str; STRINGS] = [
            &document.id,
            column("url"),
            column("title"),
            &document.text,
            column("label"),
            column("date"),
            column("licence"),
            column("host"),
            column("query"),
            document.language(),
            retrieved,
            &optout,
        ];
        for (index, (column, value)) in self.strings.iter_mut().zip(values).enumerate() {
            self.bytes += value.len();
            let is_there = index == 0 || !value.is_empty();
            column.push(is_there.then(|| ByteArray::from(value.as_bytes().to_vec())));
        }
        self.numbers[0].push(document.score);
        self.numbers[1].push(document.margin);
    }
}

#[cfg(test)]
mod tests {
    use super::ParquetWriter;
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let (mut writer, mut out) = (ParquetWriter::default(), Vec::new());
        for json in [
            r#"{"id":"x","url":"http://a.test/","text":"ČŠ","langid":{"code":"slv","score":0.5,"margin":0.25,"top":[]}}"#,
            r#"{"text":"b"}"#,
        ] {
            with_document(json, |document| writer.add(document, &mut out).unwrap());
            writer.write_group(&mut out).unwrap();
        }
        writer.finish(&mut out).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(out)).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get_string(3).unwrap(), "ČŠ");
        assert_eq!(rows[0].get_double(13).unwrap(), 0.25);
        assert_eq!(rows[1].get_string(0).unwrap().len(), 64);
        assert!(rows[1].get_string(1).is_err());
    }

    #[test]
    fn a_corpus_without_documents_is_a_file_without_rows() {
        let (mut writer, mut out) = (ParquetWriter::default(), Vec::new());
        writer.finish(&mut out).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(out)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
