//! Whole files that users give: their records, their text, or another document, by their content.

use crate::plain_text_check::describe_reading;
use crate::rejected_line::parse_bytes;
use crate::special_file::find_refusal;
use anyhow::Context;
use forage_content::media::decode_plain_text;
use forage_content::{Content, ContentKind, PageFormat, read_text};
use forage_record::Record;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The content of a file that a user gives, decompressed.
#[derive(Debug)]
pub enum GivenFile {
    /// Records, of JSON lines, an array, or objects over several lines, with the numbers of their
    /// lines or elements.
    Records(Vec<(u64, Record)>),
    /// Plain text.
    Text {
        /// The text, without a byte-order mark.
        text: String,
        /// The name of the encoding from which it was decoded.
        charset: &'static str,
    },
    /// A document whose text has to be extracted.
    Document {
        /// The format.
        format: PageFormat,
        /// The bytes of the document.
        body: Vec<u8>,
    },
}

/// Reads a file that a user gives by its content, not by its name; of a text, without the markup of
/// the format of another program. A pipe, device or socket is refused, unless it is open already.
///
/// # Errors
/// Fails if the file cannot be read, is binary data or in a format that is not read, or has a line
/// of records that is none. The message does not name the file.
pub fn read_given_file(path: &Path) -> anyhow::Result<GivenFile> {
    let mut file = read_content(open_given_file(path)?)?;
    if let GivenFile::Text { text, .. } = &mut file {
        *text = read_text(text)?;
    }
    Ok(file)
}

fn read_content(content: Content) -> anyhow::Result<GivenFile> {
    let mut body = Vec::new();
    Ok(match content.kind() {
        ContentKind::Records => {
            content.into_lines().read_to_end(&mut body)?;
            GivenFile::Records(parse_records(&body)?)
        }
        ContentKind::Text => {
            content.into_bytes().read_to_end(&mut body)?;
            let (text, charset) = decode_plain_text(&body);
            GivenFile::Text { text, charset }
        }
        ContentKind::Document(format) => {
            content.into_bytes().read_to_end(&mut body)?;
            GivenFile::Document { format, body }
        }
        ContentKind::Unread(format) => return Err(format.into()),
        ContentKind::Binary => anyhow::bail!("contains binary data (NUL)"),
    })
}

/// Opens a file that a user gives. A pipe, device or socket is refused, unless it is open already.
///
/// # Errors
/// Fails if the file is refused or its beginning cannot be read. The message does not name the
/// file.
pub fn open_given_file(path: &Path) -> io::Result<Content> {
    match find_refusal(path) {
        Some(cause) => Err(io::Error::other(cause)),
        None => open_stream(path),
    }
}

/// Reads a file of plain text, such as a list, in any encoding.
///
/// # Errors
/// Fails if the file cannot be read, or is not plain text. The message names the file.
pub fn read_text_file(path: &Path) -> anyhow::Result<String> {
    let name = path.display().to_string();
    let content = open_stream(path).with_context(|| name.clone())?;
    match read_content(content).with_context(|| name.clone())? {
        GivenFile::Text { text, .. } => Ok(text),
        GivenFile::Records(_) => anyhow::bail!("{name}: has records, not lines of text"),
        GivenFile::Document { format, .. } => anyhow::bail!(
            "{name}: is {}, not plain text; {}",
            format.name(),
            describe_reading(&name, format, Some("jq -r .text"))
        ),
    }
}

/// Opens the content of a file of any kind; `-` is standard input.
pub(crate) fn open_stream(path: &Path) -> io::Result<Content> {
    if path.as_os_str() == "-" {
        Content::open(Box::new(io::stdin()))
    } else {
        Content::open(Box::new(File::open(path)?))
    }
}

/// Parses lines as records.
fn parse_records(lines: &[u8]) -> anyhow::Result<Vec<(u64, Record)>> {
    let lines = lines.split(|byte| *byte == b'\n').zip(1..);
    lines
        .map(|(line, number)| (line.trim_ascii(), number))
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| {
            let record = parse_bytes(line.to_vec());
            let record = record.map_err(|(e, _)| anyhow::anyhow!("line {number}: {e}"))?;
            Ok((number, record))
        })
        .collect()
}
