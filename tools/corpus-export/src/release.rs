//! A numbered release of a corpus: a folder with the documents, what programs read of them, what
//! has changed since an earlier release, and digests of all files and documents.
//!
//! The folder appears under its name when it is complete, so that no part of a release is taken for
//! one. Nothing in it depends on its place or on the time.

use crate::args::Args;
use crate::corpus_format::{DataCard, DataFile, Document, ReleasedFile};
use crate::new_folder::NewFolder;
use anyhow::Context;
use forage_cli::{PendingFile, escape_tsv, format_count, replace_file};
use forage_web::page_url::url_key;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The digests of all files, as `sha256sum --check` reads them; BagIt (RFC 8493) has this name.
const MANIFEST: &str = "manifest-sha256.txt";
/// The table of the documents with the digests of their texts.
const DOCUMENTS: &str = "documents.tsv";
const DOCUMENTS_HEADER: &str = "url\tid\tlabel\tsha256\n";
/// What becomes of a document.
const CHANGES: [&str; 3] = ["added", "changed", "removed"];

/// A release that is being written.
#[derive(Debug)]
pub struct Release {
    /// Its number or name.
    pub name: String,
    folder: NewFolder,
    documents: PendingFile,
    /// The table of changes: in the order of the documents, then those that were removed.
    changes: PendingFile,
    /// The table of the documents of the earlier release.
    earlier: Option<PathBuf>,
    /// For the name of each document of the earlier release, a key of its digest, and why it is
    /// left out; no reason if this release has it.
    known: HashMap<u128, (u64, Option<String>)>,
    /// The numbers of documents by [`CHANGES`].
    counts: [u64; 3],
}

impl Release {
    /// Starts the release that the arguments ask for.
    ///
    /// # Errors
    /// Fails if there is something else at its path, or the earlier release is none.
    pub fn create(name: &str, args: &Args) -> anyhow::Result<Self> {
        let is_output = args.out == Path::new("-");
        anyhow::ensure!(!is_output, "--out -: a release is a folder");
        let is_release = |folder: &Path| folder.join(MANIFEST).exists();
        let folder = NewFolder::create(&args.out, args.force, is_release)?;
        let create = |name: &str, header: &str| {
            let mut file = PendingFile::create(&folder.temporary.path().join(name), false)?;
            file.append(header.as_bytes()).map(|()| file)
        };
        let mut release = Release {
            name: name.into(),
            documents: create(DOCUMENTS, DOCUMENTS_HEADER)?,
            changes: create("changes.tsv", "change\turl\treason\n")?,
            earlier: args
                .release
                .previous
                .as_ref()
                .map(|folder| folder.join(DOCUMENTS)),
            known: HashMap::new(),
            counts: [0; 3],
            folder,
        };
        for_each_document(release.earlier.as_deref(), |name, digest| {
            let state = (
                xxh3_64(digest.as_bytes()),
                Some("no longer in the corpus".into()),
            );
            release.known.insert(key_of(name), state);
            Ok(())
        })?;
        Ok(release)
    }

    /// Returns the folder of the files until the release is complete.
    pub fn content(&self) -> &Path {
        self.folder.temporary.path()
    }

    /// Notes a document that was written.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn add(&mut self, document: &Document) -> anyhow::Result<()> {
        let digest = hex(Sha256::digest(document.text.as_bytes()));
        let [url, id, label] = [&document.url, &*document.id, document.label].map(escape_tsv);
        let row = format!("{url}\t{id}\t{label}\t{digest}\n");
        self.documents.append(row.as_bytes())?;
        let name = name_of(&url, &id);
        match self.known.get_mut(&key_of(name)) {
            None => return self.write_change(0, name, ""),
            Some((known, reason)) => {
                *reason = None;
                if *known == xxh3_64(digest.as_bytes()) {
                    return Ok(());
                }
            }
        }
        self.write_change(1, name, "")
    }

    /// Notes why a document is left out, unless the release has another version of it.
    pub fn leave_out(&mut self, document: &Document, reason: &str) {
        let [url, id] = [&document.url, &*document.id].map(escape_tsv);
        if let Some((_, Some(known))) = self.known.get_mut(&key_of(name_of(&url, &id))) {
            *known = reason.to_owned();
        }
    }

    /// Completes the table of changes. Returns their numbers for the user, if the release is
    /// compared with another.
    ///
    /// # Errors
    /// Fails if the earlier release cannot be read, or the table not be written.
    pub fn compare(&mut self) -> anyhow::Result<Option<String>> {
        let earlier = self.earlier.take();
        for_each_document(earlier.as_deref(), |name, _| {
            let state = self.known.get_mut(&key_of(name));
            match state.and_then(|(_, reason)| reason.take()) {
                Some(reason) => self.write_change(2, name, &reason),
                None => Ok(()),
            }
        })?;
        let [added, changed, removed] = self.counts;
        let added = format_count(added, "document");
        Ok(earlier.map(|_| {
            format!(
                "since the earlier release: {added} added, {changed} changed, {removed} removed"
            )
        }))
    }

    /// Writes a line of the table of changes; `change` is an index of [`CHANGES`].
    fn write_change(&mut self, change: usize, name: &str, reason: &str) -> anyhow::Result<()> {
        self.counts[change] += 1;
        let line = format!("{}\t{name}\t{}\n", CHANGES[change], escape_tsv(reason));
        self.changes.append(line.as_bytes())
    }

    /// Writes what describes the release, with the data files in its folder, and makes it appear.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written.
    pub fn finish(self, card: &DataCard, files: &[DataFile]) -> anyhow::Result<()> {
        self.documents.commit()?;
        self.changes.commit()?;
        let folder = self.folder.temporary.path();
        let write = |name: &str, content: String| {
            replace_file(&folder.join(name), content.as_bytes(), false)
        };
        write("CITATION.cff", card.citation(&self.name))?;
        let paths = fs::read_dir(folder)?.map(|entry| describe_file(&entry?.path()));
        let mut released: Vec<ReleasedFile> = paths.collect::<io::Result<_>>()?;
        released.sort();
        write(
            "croissant.json",
            card.croissant(&self.name, files, &released),
        )?;
        released.push(describe_file(&folder.join("croissant.json"))?);
        let lines = released
            .iter()
            .map(|(name, _, sha256)| format!("{sha256}  {name}\n"));
        write(MANIFEST, lines.collect())?;
        self.folder.commit()
    }
}

/// Returns what a document is known by in tables of documents: its URL, or its id if it has none.
fn name_of<'a>(url: &'a str, id: &'a str) -> &'a str {
    if url.is_empty() { id } else { url }
}

/// Returns the key of a name as it is in tables.
fn key_of(name: &str) -> u128 {
    xxh3_128(url_key(name).as_bytes())
}

/// Passes the name and the digest of each document of an earlier release to `work`.
fn for_each_document(
    table: Option<&Path>,
    mut work: impl FnMut(&str, &str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(table) = table else {
        return Ok(());
    };
    let shown = table.display();
    let file = File::open(table).with_context(|| format!("--previous: {shown}"))?;
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| shown.to_string())?;
        match line.split('\t').collect::<Vec<_>>()[..] {
            _ if index == 0 && line == DOCUMENTS_HEADER.trim_end() => {}
            [url, id, _, digest] if index > 0 => work(name_of(url, id), digest)?,
            _ => anyhow::bail!("{shown}:{}: is no line of a table of documents", index + 1),
        }
    }
    Ok(())
}

/// Returns the name of a file, its size and its digest.
fn describe_file(path: &Path) -> io::Result<ReleasedFile> {
    let (mut file, mut digest) = (File::open(path)?, Sha256::new());
    let (mut buffer, mut bytes) = (vec![0; 1 << 16], 0);
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok((name.into(), bytes, hex(digest.finalize())));
        }
        digest.update(&buffer[..length]);
        bytes += length as u64;
    }
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    let digits = digest.as_ref().iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}
