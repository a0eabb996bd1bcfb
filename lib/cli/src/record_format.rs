//! The format in which records are written: JSON lines, or with `--tsv` tab-separated values.

use crate::results::{ResultCounts, ToolFields};
use crate::tsv::{is_formula, push_escaped};
use forage_record::{FieldPath, Record, field};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Arguments of a tool that writes records.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RecordOutput {
    /// Write these fields instead of records, separated by tabs
    ///
    /// Fields are separated by commas; langid.code is the field code of langid. The first line has
    /// their names. A missing field is empty; one that all records lack is named in a warning. See
    /// TABLES in forage-records(5).
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub tsv: Vec<FieldPath>,

    /// With --tsv, put an apostrophe before values that a spreadsheet may run as formulas
    ///
    /// These begin with =, +, -, @ or ", and are not numbers.
    #[arg(long, requires = "tsv")]
    pub defuse_formulas: bool,

    /// Exit with 1 if more than this share of the records, from 0 to 1, has no result
    ///
    /// These are the records with an error, and those without a field that the tool needs. All are
    /// written nevertheless.
    #[arg(long, value_name = "SHARE", value_parser = parse_share_or_zero)]
    pub fail_above: Option<f64>,
}

/// Parses a share from 0, with which no record may fail, to 1.
fn parse_share_or_zero(text: &str) -> Result<f64, &'static str> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("not a number from 0 to 1")
}

/// The format of records, which also counts those without a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordFormat {
    /// The columns; JSON lines if there is no table.
    table: Option<Arc<TableFormat>>,
    results: Arc<ResultCounts>,
}

/// The columns of a table.
#[derive(Debug)]
struct TableFormat {
    columns: Vec<TableColumn>,
    /// True if formulas get an apostrophe.
    defuses: bool,
    /// Number of formulas that did not.
    formulas: AtomicU64,
}

#[derive(Debug)]
struct TableColumn {
    field: FieldPath,
    /// True if a record had the field.
    is_present: AtomicBool,
}

impl RecordFormat {
    pub(crate) fn new(output: Option<&RecordOutput>, fields: ToolFields) -> RecordFormat {
        let results = Arc::new(ResultCounts::new(fields));
        let Some(output) = output else {
            return RecordFormat {
                table: None,
                results,
            };
        };
        let columns = output.tsv.iter().map(|field| TableColumn {
            field: field.clone(),
            is_present: AtomicBool::new(false),
        });
        let table = (!output.tsv.is_empty()).then(|| {
            Arc::new(TableFormat {
                columns: columns.collect(),
                defuses: output.defuse_formulas,
                formulas: AtomicU64::new(0),
            })
        });
        RecordFormat { table, results }
    }

    /// The records without a result.
    pub(crate) fn results(&self) -> &ResultCounts {
        &self.results
    }

    /// Appends the line with the names of the fields, if the format has one.
    pub(crate) fn write_header(&self, out: &mut Vec<u8>) {
        if let Some(table) = &self.table {
            table.write_line(out, |column| column.field.to_string().into());
        }
    }

    /// Returns `true` for tab-separated values.
    pub(crate) fn is_table(&self) -> bool {
        self.table.is_some()
    }

    /// Appends a record and its line feed.
    pub(crate) fn write_record(&self, record: &Record, out: &mut Vec<u8>) {
        self.results.count_record(record);
        match &self.table {
            None => record.write(out),
            Some(table) => table.write_line(out, |column| column.read_text(record)),
        }
    }

    /// Returns the number of cells that a spreadsheet would read as formulas.
    pub(crate) fn formulas(&self) -> u64 {
        let table = self.table.iter();
        table
            .map(|table| table.formulas.load(Ordering::Relaxed))
            .sum()
    }

    /// Returns the fields of a table that no record had, such as misspelt ones. `error`, which is
    /// absent if nothing failed, is not one of them.
    pub(crate) fn missing_fields(&self) -> Vec<String> {
        let columns = self.table.iter().flat_map(|table| &table.columns);
        columns
            .filter(|column| !column.is_present.load(Ordering::Relaxed))
            .filter(|column| column.field.top_level_name() != field::ERROR)
            .map(|column| column.field.to_string())
            .collect()
    }
}

impl TableColumn {
    /// Returns the value of the field in a record, and notes that it is present.
    fn read_text<'a>(&self, record: &'a Record) -> Cow<'a, str> {
        let text = self.field.read_text(record);
        // Most records have the field. A store would invalidate the cache of other threads.
        if text.is_some() && !self.is_present.load(Ordering::Relaxed) {
            self.is_present.store(true, Ordering::Relaxed);
        }
        text.unwrap_or_default()
    }
}

impl TableFormat {
    /// Appends a line with the text of each column.
    fn write_line<'a>(&self, out: &mut Vec<u8>, text: impl Fn(&TableColumn) -> Cow<'a, str>) {
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                out.push(b'\t');
            }
            let text = text(column);
            if is_formula(&text) {
                match self.defuses {
                    true => out.push(b'\''),
                    false => drop(self.formulas.fetch_add(1, Ordering::Relaxed)),
                }
            }
            push_escaped(out, text.as_bytes());
        }
        out.push(b'\n');
    }
}
