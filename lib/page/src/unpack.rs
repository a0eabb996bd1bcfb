//! Unpacking of gzip, zstd and zip within limits.

use crate::PageError;
use forage_content::Content;
use std::io::{Cursor, ErrorKind, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Maximum number of bytes to unpack from an archive, all members together.
const MAX_UNPACKED_BYTES: u64 = 64 << 20;
/// Maximum number of members to read from an archive. Set by judgement: illustrated books have
/// thousands.
const MAX_MEMBERS: usize = 10_000;

/// Returns the file that is compressed in a gzip or zstd, and `true` if that is cut or damaged, so
/// that the file may be incomplete.
///
/// # Errors
/// Fails if nothing of it can be unpacked, or it is larger than the limit.
pub(crate) fn decompress(body: &[u8]) -> Result<(Vec<u8>, bool), PageError> {
    let content =
        Content::open(Box::new(Cursor::new(body.to_vec()))).map_err(|e| match e.kind() {
            ErrorKind::Unsupported => PageError::UnsupportedType(format!("application/zstd: {e}")),
            _ => PageError::BadBody(e.to_string()),
        })?;
    let mut file = Vec::new();
    let read = content
        .into_bytes()
        .take(MAX_UNPACKED_BYTES + 1)
        .read_to_end(&mut file);
    match read {
        Err(e) if e.kind() == ErrorKind::Unsupported => {
            Err(PageError::UnsupportedType(format!("application/zstd: {e}")))
        }
        Err(e) if file.is_empty() => Err(PageError::BadBody(e.to_string())),
        _ if file.len() as u64 > MAX_UNPACKED_BYTES => Err(PageError::TooLarge(MAX_UNPACKED_BYTES)),
        read => Ok((file, read.is_err())),
    }
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// The path in the archive.
    pub name: String,
    pub body: Vec<u8>,
}

/// The files of a zip.
#[derive(Debug)]
pub(crate) struct Unzipped {
    /// The files, in the order of the zip. What can be read of a damaged one is used.
    pub members: Vec<Member>,
    /// The number of files that are missing or damaged: encrypted ones, those with an unsupported
    /// compression method, and those above the limit.
    pub unread: usize,
}

/// Returns the files of a zip.
///
/// # Errors
/// Fails if it is damaged, none of its files can be read, or the unpacked files are larger than the
/// limit.
pub(crate) fn unzip(body: &[u8]) -> Result<Unzipped, PageError> {
    let unreadable = |e: ZipError| PageError::BadBody(format!("the zip cannot be read: {e}"));
    let mut archive = ZipArchive::new(Cursor::new(body)).map_err(unreadable)?;
    let mut remaining = MAX_UNPACKED_BYTES;
    let mut members = Vec::new();
    let mut unread = archive.len().saturating_sub(MAX_MEMBERS);
    let mut failure = None;
    for number in 0..archive.len().min(MAX_MEMBERS) {
        let file = match archive.by_index(number) {
            Ok(file) if file.is_file() => file,
            Ok(_) => continue,
            Err(e) => {
                unread += 1;
                failure = failure.or(Some(e));
                continue;
            }
        };
        let name = file.name().unwrap_or_default().into_owned();
        let mut body = Vec::new();
        let read = file.take(remaining + 1).read_to_end(&mut body);
        remaining = remaining
            .checked_sub(body.len() as u64)
            .ok_or(PageError::TooLarge(MAX_UNPACKED_BYTES))?;
        let is_read = read.is_ok() || !body.is_empty();
        if let Err(e) = read {
            unread += 1;
            failure = failure.or(Some(e.into()));
        }
        if is_read {
            members.push(Member { name, body });
        }
    }
    match failure {
        Some(e) if members.is_empty() => Err(unreadable(e)),
        _ => Ok(Unzipped { members, unread }),
    }
}

#[cfg(test)]
mod tests {
    use super::{decompress, unzip};
    use crate::pdf::extract_text;
    use crate::{ExtractedPage, PageError};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{Cursor, Write};
    use zip::write::{SimpleFileOptions, ZipWriter};

    fn from_bytes(body: &[u8], content_type: Option<&str>) -> Result<ExtractedPage, PageError> {
        crate::from_bytes(body, content_type, None, &Default::default())
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, body) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(body).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn reads_texts_in_gzip_and_zip() {
        let document = from_bytes(&gzip("Šola".as_bytes()), Some("application/gzip")).unwrap();
        assert_eq!(document.text, "Šola");
        let archive = zip(&[
            ("a.html", b"<p>ena"),
            ("b.bin", b"\0\x01\0"),
            ("b.css", b"p { color: red }"),
            ("c.txt", b"dve"),
        ]);
        assert_eq!(from_bytes(&archive, None).unwrap().text, "ena\ndve");
    }

    #[test]
    fn what_can_be_read_of_a_cut_gzip_is_used() {
        let text = "Šola je daleč. ".repeat(99);
        let mut cut = gzip(text.as_bytes());
        let whole = from_bytes(&cut, None).unwrap();
        cut.truncate(cut.len() - 3);
        let document = from_bytes(&cut, None).unwrap();
        assert_eq!(document.text, text.trim());
        assert!(document.fetch.truncated && !whole.fetch.truncated);
    }

    #[test]
    fn a_zip_of_which_no_member_can_be_unpacked_says_why() {
        let mut archive = zip(&[("a.txt", b"dve")]);
        // The method is bzip2 in the header of the member and in the directory.
        for (signature, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
            let header = archive.windows(4).position(|four| four == signature);
            archive[header.unwrap() + at] = 12;
        }
        let e = from_bytes(&archive, None).unwrap_err();
        assert!(e.to_string().contains("method"), "{e}");
    }

    #[test]
    fn reads_books_and_text_documents() {
        let word = zip(&[
            ("[Content_Types].xml", b"<?xml version='1.0'?><Types/>"),
            (
                "word/document.xml",
                b"<w:document><w:p><w:t>ena</w:t></w:p><w:p><w:t>dve</w:t></w:p></w:document>",
            ),
            ("word/styles.xml", b"<w:styles>Slog</w:styles>"),
        ]);
        let media = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
        for media in [Some(media), None] {
            assert_eq!(from_bytes(&word, media).unwrap().text, "ena\ndve");
        }
        let book = zip(&[
            ("mimetype", b"application/epub+zip"),
            ("META-INF/container.xml", b"<container/>"),
            ("p/style.css", b"p { color: red }"),
            (
                "p/2.xhtml",
                b"<html><head><title/><meta name='robots' content='noai'/>\
                  <meta name='tdm-reservation' content='1'/></head><body><p>dve</p></body></html>",
            ),
            (
                "p/1.xhtml",
                b"<html><head><script src='x'/></head><body><p>ena</p></body></html>",
            ),
            (
                "p/content.opf",
                b"<package><dc:title>Potok</dc:title><item id='b' href='2.xhtml'/>\
                  <item id='a' href='1.xhtml'/><itemref idref='a'/><itemref idref='b'/></package>",
            ),
        ]);
        let page = from_bytes(&book, Some("application/epub+zip")).unwrap();
        assert_eq!(
            (page.text.as_str(), page.title.as_deref()),
            ("ena\ndve", Some("Potok"))
        );
        // What a chapter reserves, the book does.
        assert_eq!(page.tdm_reservation, Some(true));
        assert_eq!(page.robots, ["noai"]);
    }

    #[test]
    fn a_book_is_read_whole_by_the_package_that_its_container_names() {
        let glossary = "<html><body><nav hidden=''><a href='a'>x</a></nav><dl><dt><a href='#a'>mlin</a></dt>\
             <dd>hiša</dd></dl><p style='display: none'>x</p><ul><li><a href='b'>potok</a></li></ul></body></html>";
        let package = "<package><item id='a' href='1.xhtml'/><itemref idref='a'/></package>";
        let mut files = vec![
            (
                "old/book.opf",
                "<package><item id='a' href='0.xhtml'/><itemref idref='a'/></package>",
            ),
            ("old/0.xhtml", "<html><body><p>osnutek</p></body></html>"),
            (
                "META-INF/container.xml",
                "<container><rootfiles><rootfile full-path='a%20b/c.opf'/></rootfiles></container>",
            ),
            ("a b/c.opf", package),
            ("a b/1.xhtml", glossary),
        ];
        let read = |files: &[(&str, &str)]| {
            let files: Vec<_> = files
                .iter()
                .map(|(name, file)| (*name, file.as_bytes()))
                .collect();
            from_bytes(&zip(&files), None)
        };
        let page = read(&files).unwrap();
        assert_eq!(page.text, "mlin\nhiša\npotok");
        assert!(!page.fetch.truncated);
        let with_missing = package.replace(
            "<itemref",
            "<item id='b' href='2.xhtml'/><itemref idref='b'/><itemref",
        );
        files[3].1 = &with_missing;
        assert!(read(&files).unwrap().fetch.truncated);
    }

    #[test]
    fn files_of_a_zip_that_cannot_be_read_make_it_truncated() {
        let archive = zip(&[
            ("a.txt", b"ena ena ena ena ena"),
            ("b.txt", b"dve"),
            ("c.png", b"\x89PNG\0"),
        ]);
        assert!(!from_bytes(&archive, None).unwrap().fetch.truncated);
        // The method of the first file, and its encryption, in the central directory.
        let entry = archive
            .windows(4)
            .position(|bytes| bytes == b"PK\x01\x02")
            .unwrap();
        let set = |at: usize, byte: u8| {
            let mut archive = archive.clone();
            archive[entry + at] = byte;
            archive
        };
        for unread in [set(10, 12), set(8, 1)] {
            let page = from_bytes(&unread, None).unwrap();
            assert_eq!(page.text, "dve");
            assert!(page.fetch.truncated);
        }
        // Its checksum.
        let page = from_bytes(&set(16, archive[entry + 16] ^ 1), None).unwrap();
        assert_eq!(page.text, "ena ena ena ena ena\ndve");
        assert!(page.fetch.truncated);
        let alone = zip(&[("a.txt", b"ena")]);
        let entry = alone
            .windows(4)
            .position(|bytes| bytes == b"PK\x01\x02")
            .unwrap();
        let encrypted = [&alone[..entry + 8], &[1], &alone[entry + 9..]].concat();
        let error = from_bytes(&encrypted, None).unwrap_err();
        assert!(
            error.to_string().contains("the zip cannot be read: "),
            "{error}"
        );
    }

    #[test]
    fn stops_unpacking_a_bomb_at_the_limit() {
        let bomb = gzip(&vec![b'a'; 65 << 20]);
        assert!(matches!(decompress(&bomb), Err(PageError::TooLarge(_))));
        let part = vec![b'a'; 40 << 20];
        assert!(matches!(
            unzip(&zip(&[("a", &part), ("b", &part)])),
            Err(PageError::TooLarge(_))
        ));
    }

    /// `zstd --long=31` (1.5) declares a window of 2 GiB.
    #[test]
    fn a_large_window_of_zstd_is_refused_by_name() {
        let frame = b"\x28\xb5\x2f\xfd\x04\xa8\x01\x00\x00";
        let error = from_bytes(frame, None).unwrap_err();
        assert!(matches!(error, PageError::UnsupportedType(_)), "{error}");
        assert!(error.to_string().contains("2048 MiB"), "{error}");
    }

    #[test]
    fn rejects_deeply_nested_archives() {
        let nested = (0..5).fold(b"dno".to_vec(), |inner, _| gzip(&inner));
        assert!(matches!(
            from_bytes(&nested, None),
            Err(PageError::UnsupportedType(_))
        ));
    }

    #[test]
    fn a_zip_of_other_files_is_refused_by_name() {
        for (name, file, cause) in [
            (
                "a.png",
                &b"\x89PNG\r\n\x1a\n\0"[..],
                "application/zip, of application/octet",
            ),
            (
                "a.jsonl",
                b"{\"text\":\"a\"}\n",
                "application/zip, of application/x-ndjson",
            ),
            ("[Content_Types].xml", b"<Types/>", "docx and odt"),
        ] {
            let error = from_bytes(&zip(&[(name, file)]), None).unwrap_err();
            assert!(error.to_string().contains(cause), "{error}");
        }
    }

    #[test]
    fn reports_damaged_bodies() {
        assert!(matches!(
            extract_text(b"%PDF-1.7\n"),
            Err(PageError::BadBody(_) | PageError::Internal(_))
        ));
        assert!(matches!(unzip(b"PK\x03\x04"), Err(PageError::BadBody(_))));
        assert!(matches!(
            decompress(&[0x1F, 0x8B, 8, 0]),
            Err(PageError::BadBody(_))
        ));
    }
}
