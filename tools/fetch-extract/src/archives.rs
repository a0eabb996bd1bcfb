//! The records of pages that archives keep, ours and others'.

use crate::annotate::Visits;
use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, Speaker};
use forage_record::{Record, field};
use forage_web::warc::{Kept, Reader};
use std::path::{Path, PathBuf};

/// Writes the record of each page, as it was when the page was fetched. What is damaged is told of and left out.
pub fn read(paths: &[PathBuf], args: &Args, jobs: usize, visits: &Visits, io: &mut Io) -> anyhow::Result<()> {
    let mut archives = Archives {
        reader: Reader::new(visits.max_bytes),
        paths: paths.iter(),
        name: String::new(),
        pages: 0,
        damaged: 0,
        strict: args.input.strict,
        say: io.say.clone(),
    };
    io.produce(jobs, || archives.next(), |kept| record(kept, visits))?;
    if archives.damaged > 0 {
        io.fail_check();
    }
    Ok(())
}

/// The record of a page of an archive.
fn record(kept: Kept, visits: &Visits) -> Record {
    let mut record = Record::new();
    record.set(field::URL, &kept.url);
    visits.put_kept(&mut record, kept);
    record
}

/// Archives, one after the other.
struct Archives<'a> {
    reader: Reader,
    paths: std::slice::Iter<'a, PathBuf>,
    /// The one that is read, and its pages so far.
    name: String,
    pages: u64,
    /// Parts of all that could not be read.
    damaged: u64,
    strict: bool,
    say: Speaker,
}

impl Archives<'_> {
    fn next(&mut self) -> anyhow::Result<Option<Kept>> {
        loop {
            let page = self.reader.page();
            self.tell_damage()?;
            if let Some(kept) = page.with_context(|| self.name.clone())? {
                self.pages += 1;
                return Ok(Some(kept));
            }
            self.tell_others();
            let Some(path) = self.paths.next() else { return Ok(None) };
            self.open(path)?;
        }
    }

    fn open(&mut self, path: &Path) -> anyhow::Result<()> {
        self.name = path.display().to_string();
        self.pages = 0;
        self.reader.open(path).with_context(|| self.name.clone())
    }

    fn tell_damage(&mut self) -> anyhow::Result<()> {
        for damage in self.reader.damage() {
            anyhow::ensure!(!self.strict, "{}: {damage}", self.name);
            self.say.warn(format_args!("{}: {damage}", self.name));
            self.damaged += 1;
        }
        Ok(())
    }

    /// Tells what the archive has beside pages. Where it has nothing else, that is not what was expected of it.
    fn tell_others(&self) {
        let others = self.reader.others();
        if let Some(count) = others.get("continuation") {
            let told = "continuation records were passed over; what they go on with is read without them";
            self.say.warn(format_args!("{}: {count} {told}", self.name));
        }
        let list: Vec<String> = others.iter().map(|(name, count)| format!("{count} {name}")).collect();
        if list.is_empty() {
            return;
        }
        let list = list.join(", ");
        if self.pages == 0 {
            self.say.warn(format_args!("{}: no pages, but records of other types: {list}", self.name));
        } else {
            self.say.note(format_args!("{}: {} pages; other records: {list}", self.name, self.pages));
        }
    }
}
