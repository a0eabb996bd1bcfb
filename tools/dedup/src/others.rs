//! Other indexes and corpora: `--against` and `--merge`.

use crate::args::Args;
use forage_cli::{Input, Io, format_count};
use forage_dedup::{DuplicateIndex, ResemblanceThreshold};
use forage_record::Record;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The first bytes of an SQLite file.
const SQLITE_MARK: &[u8; 16] = b"SQLite format 3\0";

/// Opens an index, or reads records into one in memory, to compare documents with it.
pub(crate) fn open(
    path: &Path,
    args: &Args,
    threshold: ResemblanceThreshold,
    io: &mut Io,
) -> anyhow::Result<DuplicateIndex> {
    let mut mark = [0; SQLITE_MARK.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut mark));
    let is_missing = path != Path::new("-") && !path.exists();
    if is_missing || read.is_ok() && mark == *SQLITE_MARK {
        return Ok(DuplicateIndex::open_read_only(
            path,
            args.comparison.threshold,
        )?);
    }
    let mut index = DuplicateIndex::in_memory(Some(threshold))?;
    let mut has_text = false;
    let input = Input {
        max_line: args.input.max_line,
        ..Input::from_files(vec![path.into()])
    };
    io.for_each_record(&input, |record: Record| {
        has_text |= index.add_record(&record)?;
        Ok(())
    })?;
    anyhow::ensure!(
        has_text,
        "--against {}: is not an index, and has no record with `text`",
        path.display()
    );
    Ok(index)
}

/// Adds the documents of the indexes of --merge.
pub(crate) fn merge(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    // Before the index is created or changed.
    for path in &args.merge {
        let is_same = path.canonicalize().is_ok_and(|found| {
            let index = args.index.as_ref().map(|index| index.canonicalize());
            index.is_some_and(|index| index.is_ok_and(|index| index == found))
        });
        anyhow::ensure!(!is_same, "--merge {}: is the index itself", path.display());
        DuplicateIndex::open_read_only(path, None)?;
    }
    let mut index = crate::open_index(args)?;
    if args.comparison.titles {
        index.compare_titles();
    }
    for path in &args.merge {
        let other = DuplicateIndex::open_read_only(path, None)?;
        let (documents, added) = index.merge(&other)?;
        io.messages.info(format_args!(
            "{}: {added} of {} added",
            path.display(),
            format_count(documents, "document")
        ));
    }
    Ok(index.merge_wal()?)
}
