//! The documents of a corpus that is split, on disk until all hosts are known.

use crate::corpus_format::{Document, Part, Split};
use crate::layout::Layout;
use anyhow::Context;
use forage_record::Record;
use forage_text::{comparison_form, document_key};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};
use std::path::PathBuf;

/// Records in a temporary file, which ends with the process.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    file: BufWriter<File>,
    split: Split,
    /// The host of each text, by the key of its comparison form.
    hosts: HashMap<[u8; 16], u64>,
}

impl Spool {
    /// Creates a spool in the folder of the output.
    ///
    /// # Errors
    /// Fails if it cannot be created.
    pub fn new(shares: &[f64], seed: u64, layout: Layout) -> anyhow::Result<Self> {
        let folder = match layout.folder().parent() {
            Some(parent) if parent.is_dir() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let file = tempfile::tempfile_in(&folder).with_context(|| folder.display().to_string())?;
        Ok(Spool {
            folder,
            file: BufWriter::with_capacity(1 << 18, file),
            split: Split::new(shares, seed),
            hosts: HashMap::new(),
        })
    }

    /// Adds a document. Returns `false` if its text was added with another host, which may be in
    /// another part; then it is not added.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn add(&mut self, document: &Document) -> anyhow::Result<bool> {
        let host = Split::host_key(document);
        let key = document_key("", &comparison_form(&document.text));
        if *self.hosts.entry(key).or_insert(host) != host {
            return Ok(false);
        }
        self.split.count(host);
        let mut line = Vec::new();
        document.record.write(&mut line);
        self.file
            .write_all(&line)
            .with_context(|| self.folder.display().to_string())?;
        Ok(true)
    }

    /// Assigns the hosts to parts, and returns the assignment.
    pub fn assign(&mut self) -> Split {
        self.split.assign();
        self.split.clone()
    }

    /// Passes each record with its part to `work`, in the order of the input.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or `work` fails.
    pub fn for_each(
        self,
        mut work: impl FnMut(&Record, Part) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let folder = self.folder.display().to_string();
        let file = self.file.into_inner().map_err(|e| e.into_error());
        let mut file = file.with_context(|| folder.clone())?;
        file.rewind().with_context(|| folder.clone())?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        loop {
            let mut line = Vec::new();
            if reader
                .read_until(b'\n', &mut line)
                .with_context(|| folder.clone())?
                == 0
            {
                return Ok(());
            }
            let record = Record::parse(line).map_err(|(e, _)| anyhow::Error::new(e))?;
            let event = forage_run::Event::from_record(&record);
            let class = event.label.clone().unwrap_or_default();
            let host = Split::host_key(&Document::from_event(&event, &class));
            work(&record, self.split.part_of(host))?;
        }
    }
}
