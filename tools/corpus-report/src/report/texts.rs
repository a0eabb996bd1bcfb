//! The texts of the documents, in files beside the page.
//!
//! A page that is opened from a folder may load scripts from there, but no other files. So each
//! file is a script that hands over its texts: a JSON array, compressed and in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of the texts, beside the page.
pub const TEXTS_FOLDER: &str = "report-texts";

/// Bytes of text per file. Set by judgement: a file loads at once.
const FILE_BYTES: usize = 512 << 10;
/// Longest part of a text in bytes that the page shows.
const MAX_TEXT_BYTES: usize = 200_000;

/// A file and the number of the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// The number of the file.
    pub file: u32,
    /// The number of the text in the file.
    pub index: u32,
}

/// The files, which replace those of an earlier page at [`TextFolder::commit`].
#[derive(Debug)]
pub struct TextFolder {
    folder: PathBuf,
    new: PathBuf,
    buffer: String,
    place: TextPlace,
}

impl TextFolder {
    /// Starts the folder beside a page in the folder `beside`.
    ///
    /// # Errors
    /// Fails if it cannot be created.
    pub fn create(beside: &Path) -> io::Result<Self> {
        let new = beside.join(format!("{TEXTS_FOLDER}.new"));
        remove(&new)?;
        fs::create_dir(&new)?;
        Ok(TextFolder {
            folder: beside.join(TEXTS_FOLDER),
            new,
            buffer: String::new(),
            place: TextPlace { file: 0, index: 0 },
        })
    }

    /// Adds a text, of which only the beginning is kept if it is very long, and returns its place.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn add(&mut self, text: &str) -> io::Result<TextPlace> {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        self.buffer
            .push(if self.buffer.is_empty() { '[' } else { ',' });
        self.buffer += &serde_json::to_string(text)?;
        let place = self.place;
        self.place.index += 1;
        if self.buffer.len() > FILE_BYTES {
            self.write_file()?;
        }
        Ok(place)
    }

    fn write_file(&mut self) -> io::Result<()> {
        self.buffer.push(']');
        let number = self.place.file;
        let texts = compress(self.buffer.as_bytes(), Compression::fast());
        let script = format!("forageTexts({number},\"{texts}\")\n");
        fs::write(self.new.join(format!("{number}.js")), script)?;
        self.buffer.clear();
        self.place = TextPlace {
            file: number + 1,
            index: 0,
        };
        Ok(())
    }

    /// Writes the last file, and puts the folder in place.
    ///
    /// # Errors
    /// Fails if it cannot be written or renamed.
    pub fn commit(mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.write_file()?;
        }
        remove(&self.folder)?;
        fs::rename(&self.new, &self.folder)
    }
}

impl Drop for TextFolder {
    fn drop(&mut self) {
        // After a failure; what is left does no harm.
        let _ = remove(&self.new);
    }
}

/// Removes a folder, if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Compresses bytes by gzip, in base64.
pub(crate) fn compress(bytes: &[u8], level: Compression) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    STANDARD.encode(encoder.finish().unwrap_or_default())
}
