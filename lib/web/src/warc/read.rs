//! Reading: from archives, ours and others', back to visits.
//!
//! A redirect belongs to the answer of its target, where that comes next, as we write them. A revisit gets the payload
//! that it refers to by its digest from where it was met before. Requests, and what is no HTTP, are passed over.

use super::form::{self, field};
use super::record::{self, Raw};
use super::{ArchiveError, http};
use crate::FetchError;
use crate::fetch::session::{is_redirect, location};
use crate::fetch::soft::Soft;
use crate::fetch::visit::{Exchange, Visit};
use forage_record::Warc;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of an HTTP head in a block, beside the body.
const HEAD_ROOM: u64 = 1 << 20;
/// Payloads whose place is remembered, of all archives together; some 100 bytes each.
const REMEMBERED: usize = 1_000_000;

/// A page that an archive keeps.
#[derive(Debug)]
pub struct Kept {
    /// The URL that was asked for.
    pub url: String,
    /// Where the answer is.
    pub place: Warc,
    /// Where the first of its redirects is; where the answer is, if there is none.
    pub(super) start: u64,
    /// What came, or why it can't be given back.
    pub visit: Result<Visit, FetchError>,
}

/// Reads archives, one after the other.
#[derive(Debug)]
pub struct Reader {
    max_bytes: u64,
    /// Archives, read and open.
    files: Vec<PathBuf>,
    open: Option<Counted>,
    /// Where payloads were met: archive and offset, by digest.
    payloads: HashMap<String, (usize, u64)>,
    /// Redirects whose target has not come, and where the first of them is.
    redirects: Vec<Exchange>,
    start: u64,
    asked: Option<String>,
}

impl Reader {
    /// Nothing is open yet. Bodies of more than `max_bytes` are not read.
    pub fn new(max_bytes: u64) -> Reader {
        let (files, payloads) = (Vec::new(), HashMap::new());
        Reader { max_bytes, files, open: None, payloads, redirects: Vec::new(), start: 0, asked: None }
    }

    /// Goes on with another archive.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn open(&mut self, path: &Path) -> Result<(), ArchiveError> {
        self.open = Some(Counted::open(path)?);
        self.files.push(path.to_owned());
        self.redirects.clear();
        Ok(())
    }

    /// Goes on with the record at `offset` of the archive that was opened last.
    pub(super) fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.redirects.clear();
        self.open.as_mut().map_or(Ok(()), |open| open.seek(offset))
    }

    /// The next page of the archive that is open.
    ///
    /// # Errors
    /// When it can't be read, or is damaged from here on.
    pub fn page(&mut self) -> Result<Option<Kept>, ArchiveError> {
        while let Some(open) = &mut self.open {
            let offset = open.position;
            let raw = record::read(open, self.max_bytes.saturating_add(HEAD_ROOM));
            let Some(raw) = raw.map_err(|e| damage(offset, e))? else { break };
            if let Some(kept) = self.take(&raw, offset) {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    /// What a record brings; nothing where it is no answer, or one that sends on.
    fn take(&mut self, raw: &Raw, offset: u64) -> Option<Kept> {
        let is_revisit = match raw.field(field::TYPE)? {
            "response" => false,
            "revisit" => true,
            _ => return None,
        };
        let url = raw.field(field::TARGET)?.trim_matches(['<', '>']).to_owned();
        let place = Warc { file: self.files.last()?.to_string_lossy().into_owned(), offset };
        let exchange = match self.exchange(raw, &url, is_revisit, offset) {
            Ok(exchange) => exchange,
            // What is no HTTP, as answers of the DNS, is no page.
            Err(FetchError::BadUrl(_)) => return None,
            Err(e) => {
                let url = raw.field(field::ASKED).unwrap_or(&url).to_owned();
                return Some(Kept { url, place, start: offset, visit: Err(e) });
            }
        };
        let follows = self.redirects.last().and_then(|last| location(last).ok()).is_some_and(|to| to == exchange.url);
        if !follows {
            self.redirects.clear();
            self.start = offset;
            self.asked = Some(raw.field(field::ASKED).map_or(url, str::to_owned));
        }
        if is_redirect(exchange.status) && location(&exchange).is_ok() {
            self.redirects.push(exchange);
            return None;
        }
        let asked = self.asked.take().unwrap_or_default();
        let visit = Visit {
            asked: asked.clone(),
            redirects: std::mem::take(&mut self.redirects),
            last: exchange,
            tdm_file: None,
        };
        Some(Kept { url: asked, place, start: self.start, visit: Ok(visit) })
    }

    fn exchange(&mut self, raw: &Raw, url: &str, is_revisit: bool, offset: u64) -> Result<Exchange, FetchError> {
        let block = raw.block.as_deref().ok_or(FetchError::TooLarge(self.max_bytes))?;
        let mut exchange = http::answer(url, block)?;
        exchange.at = raw.field(field::DATE).unwrap_or_default().to_owned();
        exchange.is_twin = raw.field(field::SOFT) == Some(Soft::SameBody.name());
        exchange.is_unchanged = raw.field(field::UNCHANGED).is_some();
        exchange.failure = form::failure(raw.field(field::TRUNCATED), raw.field(field::FAILURE));
        let Some(digest) = raw.field(field::PAYLOAD_DIGEST) else { return Ok(exchange) };
        if is_revisit {
            exchange.body = self.payload(digest).map_err(|cause| lost(raw, &cause))?;
        } else if self.payloads.len() < REMEMBERED {
            self.payloads.entry(digest.to_owned()).or_insert((self.files.len() - 1, offset));
        }
        Ok(exchange)
    }

    /// A payload that was met before, or why it can't be had.
    fn payload(&self, digest: &str) -> Result<Vec<u8>, String> {
        let place = self.payloads.get(digest).and_then(|(file, offset)| Some((self.files.get(*file)?, *offset)));
        let (path, offset) = place.ok_or_else(|| format!("{digest} did not come before"))?;
        let found = Counted::open(path).and_then(|mut file| {
            file.seek(offset)?;
            record::read(&mut file, self.max_bytes.saturating_add(HEAD_ROOM))
        });
        let raw = found.map_err(|e| e.to_string())?;
        let block = raw.and_then(|raw| raw.block).ok_or("it is too large")?;
        http::answer("http://archive.invalid/", &block).map(|exchange| exchange.body).map_err(|e| e.to_string())
    }
}

/// A revisit without the page that it refers to; it names that, where it can be looked for.
fn lost(revisit: &Raw, cause: &str) -> FetchError {
    let named = [field::REFERS_TO_TARGET, field::REFERS_TO_DATE].map(|name| revisit.field(name));
    let original = match named {
        [Some(url), Some(date)] => format!("; it was kept of {url} at {date}"),
        _ => String::new(),
    };
    let told = format!("the archive lacks the page's body: {cause}{original}");
    FetchError::BadBody(told.replace(char::is_control, " "))
}

pub(super) fn damage(offset: u64, e: io::Error) -> ArchiveError {
    match e.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            ArchiveError::BadRecord { offset, cause: e.to_string() }
        }
        _ => ArchiveError::Io(e),
    }
}

/// A file that knows where it is read.
#[derive(Debug)]
pub(super) struct Counted {
    file: BufReader<File>,
    position: u64,
}

impl Counted {
    pub(super) fn open(path: &Path) -> io::Result<Counted> {
        Ok(Counted { file: BufReader::with_capacity(1 << 16, File::open(path)?), position: 0 })
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn seek(&mut self, position: u64) -> io::Result<()> {
        self.position = self.file.seek(SeekFrom::Start(position))?;
        Ok(())
    }
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.file.consume(bytes);
        self.position += bytes as u64;
    }
}
