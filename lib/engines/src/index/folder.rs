//! The folder of an index: its manifest, and the lock of its writer.
//!
//! The manifest lists the segments, and is replaced at once, so that a writer that is killed leaves
//! the index as of its last commit. A segment's name is never used again: a reader that has read
//! the manifest before a commit finds the segment or none, but not another one.

use super::EmbeddedIndexError;
use super::failure::{IndexResult, at_path, index_error};
use super::segment::{SEGMENT_SUFFIX, Segment};
use forage_text::SEGMENTATION_VERSION;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Version of the format of the files.
const FORMAT: u32 = 1;

/// Name of the manifest.
const MANIFEST: &str = "forage-index.json";

/// Name under which a manifest is written. Hidden, as an index folder with nothing else counts as
/// empty.
const NEW_MANIFEST: &str = ".forage-index.json.new";

/// Name of the file that a writer locks, hidden for the same reason.
const LOCK: &str = ".forage-index.lock";

/// The manifest of an index made by Tantivy, on which earlier versions of Forage were based.
const TANTIVY_MANIFEST: &str = "meta.json";

/// The text by which such a manifest is known as one of Forage: the tokenizer's name starts so.
const TANTIVY_TOKENIZER: &str = "\"forage-terms-";

/// The segments of an index, and the versions of what it has.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// Version of the segmentation of text into terms.
    segmentation: u32,
    /// Number of names that were given to segments.
    names: u64,
    /// Names of the files of the segments.
    segments: Vec<String>,
}

/// Reads the manifest of the index in a folder, whatever the segmentation version of its terms.
pub(super) fn read_manifest(folder: &Path) -> Result<Manifest, EmbeddedIndexError> {
    let path = folder.join(MANIFEST);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(describe_other_folder(folder));
        }
        Err(e) => return Err(index_error(folder, "read")(at_path(&path)(e))),
    };
    let failure = |cause: String| EmbeddedIndexError::Failed(folder.into(), cause);
    let damage = |_| failure(format!("{MANIFEST} is damaged"));
    let manifest: serde_json::Value = serde_json::from_slice(&text).map_err(damage)?;
    match manifest["format"].as_u64() {
        Some(format) if format > FORMAT.into() => Err(failure(format!(
            "is of a later version of Forage (format {format}); use that version"
        ))),
        _ => serde_json::from_value(manifest).map_err(damage),
    }
}

/// Reads the manifest of an index whose terms have this program's segmentation version.
pub(super) fn read_current_manifest(folder: &Path) -> Result<Manifest, EmbeddedIndexError> {
    let manifest = read_manifest(folder)?;
    match manifest.segmentation {
        SEGMENTATION_VERSION => Ok(manifest),
        version => Err(EmbeddedIndexError::OtherSegmentation(
            folder.into(),
            version,
        )),
    }
}

/// Returns why there is no index in a folder that has no manifest.
fn describe_other_folder(folder: &Path) -> EmbeddedIndexError {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => match e.kind() {
            ErrorKind::NotFound => return EmbeddedIndexError::Missing(folder.into()),
            ErrorKind::NotADirectory => return EmbeddedIndexError::Foreign(folder.into()),
            _ => return index_error(folder, "read")(at_path(folder)(e)),
        },
    };
    // A writer that is killed right after its start leaves hidden files.
    let is_hidden = |entry: fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    if entries.flatten().all(is_hidden) {
        return EmbeddedIndexError::Missing(folder.into());
    }
    let other = fs::read_to_string(folder.join(TANTIVY_MANIFEST)).unwrap_or_default();
    match other.contains(TANTIVY_TOKENIZER) {
        true => EmbeddedIndexError::EarlierFormat(folder.into()),
        false => EmbeddedIndexError::Foreign(folder.into()),
    }
}

/// Opens the segments of the index in a folder. Begins again if a writer has replaced some
/// meanwhile.
pub(super) fn open_segments(
    folder: &Path,
    read: fn(&Path) -> Result<Manifest, EmbeddedIndexError>,
) -> IndexResult<Vec<Segment>> {
    let mut manifest = read(folder)?;
    loop {
        let segments = manifest
            .segments
            .iter()
            .map(|name| Segment::open(folder, name));
        let segments = segments.collect::<IndexResult<_>>();
        let newer = match segments {
            Err(_) => read(folder)?,
            segments => return segments,
        };
        if newer == manifest {
            return segments;
        }
        manifest = newer;
    }
}

/// An index that no other process can write.
pub(super) struct LockedFolder {
    pub path: PathBuf,
    pub segments: Vec<Segment>,
    manifest: Manifest,
    _lock: File,
}

impl LockedFolder {
    /// Locks the index in a folder. Creates folder and index if they do not exist, and removes
    /// files that a killed writer has left.
    ///
    /// # Errors
    /// Fails if the folder holds something else or an index with terms of another segmentation
    /// version, another writer has the index open, or the folder cannot be written.
    pub fn open(path: &Path) -> Result<LockedFolder, EmbeddedIndexError> {
        // Nothing is created in the folder of something else.
        read_own_manifest(path)?;
        LockedFolder::lock(path).map_err(index_error(path, "written"))
    }

    fn lock(path: &Path) -> IndexResult<LockedFolder> {
        fs::create_dir_all(path).map_err(at_path(path))?;
        let mut options = OpenOptions::new();
        let lock_path = path.join(LOCK);
        let lock = options
            .create(true)
            .write(true)
            .truncate(false)
            .open(&lock_path);
        let lock = lock.map_err(at_path(&lock_path))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(EmbeddedIndexError::Busy(path.into()))?,
            Err(TryLockError::Error(e)) => Err(at_path(&lock_path)(e))?,
            Ok(()) => {}
        }
        // Another process may have written it before the lock.
        let manifest = read_own_manifest(path)?;
        let is_new = manifest.is_none();
        let mut folder = LockedFolder {
            path: path.into(),
            segments: Vec::new(),
            manifest: manifest.unwrap_or(Manifest {
                format: FORMAT,
                segmentation: SEGMENTATION_VERSION,
                names: 0,
                segments: Vec::new(),
            }),
            _lock: lock,
        };
        if is_new {
            folder.write_manifest()?;
        }
        folder.segments = open_segments(path, read_current_manifest)?;
        folder.remove_unlisted_segments()?;
        Ok(folder)
    }

    /// Returns the name of a new segment.
    pub fn new_segment_name(&mut self) -> String {
        self.manifest.names += 1;
        format!("{}{SEGMENT_SUFFIX}", self.manifest.names)
    }

    /// Makes the index consist of segments, whose files are in the folder.
    pub fn replace_segments(&mut self, names: Vec<String>) -> IndexResult<()> {
        self.manifest.segments = names;
        self.write_manifest()?;
        self.segments = open_segments(&self.path, read_current_manifest)?;
        self.remove_unlisted_segments()
    }

    fn write_manifest(&self) -> IndexResult<()> {
        let new = self.path.join(NEW_MANIFEST);
        let json = serde_json::to_vec(&self.manifest)?;
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(&json)?;
            file.sync_all()?;
            fs::rename(&new, self.path.join(MANIFEST))?;
            // The names of the segments, too.
            File::open(&self.path)?.sync_all()
        };
        Ok(write().map_err(at_path(&new))?)
    }

    fn remove_unlisted_segments(&self) -> IndexResult<()> {
        for entry in fs::read_dir(&self.path)
            .map_err(at_path(&self.path))?
            .flatten()
        {
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            // Those that a killed writer has not completed have a longer name.
            if name.contains(SEGMENT_SUFFIX) && !self.manifest.segments.iter().any(|s| s == name) {
                fs::remove_file(entry.path()).map_err(at_path(&entry.path()))?;
            }
        }
        Ok(())
    }
}

/// Reads the manifest of an index; returns `None` if there is none yet.
fn read_own_manifest(path: &Path) -> Result<Option<Manifest>, EmbeddedIndexError> {
    match read_current_manifest(path) {
        Err(EmbeddedIndexError::Missing(_)) => Ok(None),
        result => result.map(Some),
    }
}
