//! The format in which records are written: JSON lines, or with `--tsv` tab-separated values.

use crate::tsv::push_escaped;
use forage_record::{FieldPath, Record};
use std::sync::Arc;

/// Arguments of a tool that writes records.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RecordOutput {
    /// Write these fields instead of records, separated by tabs
    ///
    /// Fields are separated by commas; langid.code is the field code of langid. The first line has
    /// their names. A missing field is empty. See TABLES in forage-records(5).
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub tsv: Vec<FieldPath>,
}

/// The format of records; JSON lines if there are no fields.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordFormat(Option<Arc<[FieldPath]>>);

impl RecordFormat {
    pub(crate) fn new(output: &RecordOutput) -> RecordFormat {
        RecordFormat((!output.tsv.is_empty()).then(|| output.tsv.clone().into()))
    }

    /// Appends the line with the names of the fields, if the format has one.
    pub(crate) fn write_header(&self, out: &mut Vec<u8>) {
        if let Some(fields) = &self.0 {
            write_fields(out, fields, |field| field.to_string().into());
        }
    }

    /// Returns `true` for tab-separated values.
    pub(crate) fn is_table(&self) -> bool {
        self.0.is_some()
    }

    /// Appends a record and its line feed.
    pub(crate) fn write_record(&self, record: &Record, out: &mut Vec<u8>) {
        match &self.0 {
            None => record.write(out),
            Some(fields) => write_fields(out, fields, |field| field.read_text(record)),
        }
    }
}

fn write_fields<'a>(
    out: &mut Vec<u8>,
    fields: &[FieldPath],
    text: impl Fn(&FieldPath) -> std::borrow::Cow<'a, str>,
) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        push_escaped(out, text(field).as_bytes());
    }
    out.push(b'\n');
}
