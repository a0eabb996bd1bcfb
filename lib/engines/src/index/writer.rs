//! Adding documents to the embedded index.
//!
//! Indexing threads collect documents in memory, and write a segment whenever they have many. The
//! segments become part of the index with a commit. The URL determines the thread, so that of two
//! documents with the same URL the later one replaces the earlier one.

use super::EmbeddedIndexError;
use super::batch::DocumentBatch;
use super::commit::commit_segments;
use super::failure::{IndexResult, index_error};
use super::folder::LockedFolder;
use super::segment::{Segment, count_documents};
use crate::EngineDocument;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Number of documents after which the writer commits, even if more follow.
const DOCUMENTS_PER_COMMIT: u64 = 50_000;

/// Bytes of texts and links that an indexing thread collects before it writes a segment. Their
/// lists take as much memory meanwhile.
const BYTES_PER_SEGMENT: usize = 32 << 20;

/// Maximum number of indexing threads. With more, reading the records is the bottleneck.
const MAX_THREADS: usize = 4;

/// Documents that wait for an indexing thread.
const QUEUE_LENGTH: usize = 16;

/// Why a thread ended early, if it does not say so itself.
const THREAD_FAILURE: &str = "an indexing thread has failed";

/// Longest URL in bytes that can be a key. No page has a longer one.
const MAX_URL_BYTES: usize = 60_000;

/// Returns `true` if a document with this URL can be added to the index.
pub fn is_indexable_url(url: &str) -> bool {
    !url.is_empty() && url.len() <= MAX_URL_BYTES
}

/// Adds documents to an index.
pub struct EmbeddedIndexWriter {
    folder: LockedFolder,
    threads: Vec<IndexingThread>,
    uncommitted: u64,
}

impl EmbeddedIndexWriter {
    /// Opens the index in `folder` for writing, and creates folder and index if they do not exist.
    /// Needs about 64 MB of memory per thread, for up to four threads.
    ///
    /// # Errors
    /// Fails if the folder holds something else or an index with terms of another segmentation
    /// version, another writer has the index open, or the disk cannot be written.
    pub fn open(folder: &Path) -> Result<EmbeddedIndexWriter, EmbeddedIndexError> {
        Ok(EmbeddedIndexWriter {
            folder: LockedFolder::open(folder)?,
            threads: Vec::new(),
            uncommitted: 0,
        })
    }

    /// Adds a document with the pages that it links to (`link_targets`), or replaces the one with
    /// the same URL. `url` must satisfy [`is_indexable_url`].
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn add(
        &mut self,
        url: &str,
        document: &EngineDocument,
        links: &[String],
    ) -> Result<(), EmbeddedIndexError> {
        let added = AddedDocument {
            url: url.into(),
            document: document.clone(),
            links: links.into(),
        };
        self.send(added)
            .and_then(|()| match self.uncommitted < DOCUMENTS_PER_COMMIT {
                true => Ok(()),
                false => self.commit(),
            })
            .map_err(index_error(&self.folder.path, "written"))
    }

    /// Passes a document to the indexing thread of its URL.
    fn send(&mut self, added: AddedDocument) -> IndexResult<()> {
        if self.threads.is_empty() {
            let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
            for _ in 0..threads.min(MAX_THREADS) {
                self.threads.push(IndexingThread::start(&mut self.folder));
            }
        }
        let hash = FixedState::default().hash_one(&added.url) as usize;
        let thread = &self.threads[hash % self.threads.len()];
        self.uncommitted += 1;
        match thread.queue.send(Some(added)) {
            Ok(()) => Ok(()),
            // The thread has failed; its error is the one to report.
            Err(_) => self.commit().and_then(|()| Err(THREAD_FAILURE.into())),
        }
    }

    /// Makes the added documents durable and visible, and merges segments.
    pub(super) fn commit(&mut self) -> IndexResult<()> {
        self.uncommitted = 0;
        let mut added = Vec::new();
        for thread in self.threads.drain(..) {
            // The later segments of a thread replace documents of the earlier ones.
            for name in thread.finish()? {
                added.push(Segment::open(&self.folder.path, &name)?);
            }
        }
        commit_segments(&mut self.folder, &added)
    }

    /// Commits and closes the index. Returns the number of its documents.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn finish(mut self) -> Result<u64, EmbeddedIndexError> {
        self.commit()
            .map_err(index_error(&self.folder.path, "written"))?;
        Ok(count_documents(&self.folder.segments))
    }
}

/// A document to add.
struct AddedDocument {
    url: String,
    document: EngineDocument,
    links: Vec<String>,
}

/// A thread that writes documents to segments.
struct IndexingThread {
    /// `None` ends the thread after it has written all documents. It writes nothing if the queue is
    /// closed without it.
    queue: SyncSender<Option<AddedDocument>>,
    handle: JoinHandle<IndexResult<Vec<String>>>,
}

impl IndexingThread {
    fn start(folder: &mut LockedFolder) -> IndexingThread {
        let (queue, documents) = sync_channel(QUEUE_LENGTH);
        let (path, name) = (folder.path.clone(), folder.new_segment_name());
        let handle = std::thread::spawn(move || write_batches(&documents, &path, &name));
        IndexingThread { queue, handle }
    }

    /// Ends the thread, and returns the names of the segments that it has written.
    fn finish(self) -> IndexResult<Vec<String>> {
        // Fails if the thread has failed.
        let _ = self.queue.send(None);
        let result = self.handle.join();
        result.unwrap_or_else(|_| Err(THREAD_FAILURE.into()))
    }
}

/// Writes documents to segments whose names end with `name`.
fn write_batches(
    documents: &Receiver<Option<AddedDocument>>,
    folder: &Path,
    name: &str,
) -> IndexResult<Vec<String>> {
    let mut names = Vec::new();
    let mut batch = DocumentBatch::default();
    while let Ok(added) = documents.recv() {
        let is_last = added.is_none();
        if let Some(AddedDocument {
            url,
            document,
            links,
        }) = added
        {
            batch.add(url, document, links);
        }
        if batch.bytes >= BYTES_PER_SEGMENT || is_last && !batch.is_empty() {
            names.push(format!("{}-{name}", names.len()));
            std::mem::take(&mut batch).write(folder, &names[names.len() - 1])?;
        }
        if is_last {
            break;
        }
    }
    Ok(names)
}
