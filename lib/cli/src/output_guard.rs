//! Protection of existing files: what an output may replace.
//!
//! A file that is there is replaced only by an output of the same format, as its first bytes tell:
//! JSON lines by JSON lines, a profile by a profile. Anything else needs `--force`. A file that the
//! same command reads is never replaced.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes at the start and the end of a file by which its format is recognised.
const HEAD_BYTES: u64 = 4096;
/// The first bytes of formats that the tools write, besides JSON lines. Outputs in other formats
/// are recognised by their first line.
const OWN_FORMATS: [&[u8]; 5] = [
    b"forage-profile ",
    b"# language: ",
    b"forage\0M",
    b"forage\0m",
    b"<svg ",
];
/// The first bytes of formats that no output replaces, with their names.
const PROTECTED_FORMATS: [(&[u8], &str); 9] = [
    (b"SQLite format 3\0", "a database"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"\x50\x2a\x4d\x18", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ", "a compressed file"),
    (b"PK\x03\x04", "an archive"),
    (b"WARC/", "an archive"),
    (b"%PDF-", "a PDF document"),
];
/// The name of the journal of a run.
const JOURNAL: &str = "journal.jsonl";

/// Checks, before anything is written, that the file at `path` may be replaced. A missing or empty
/// file may; whether others are of the format of the output is checked by
/// [`check_same_format`] when it is complete.
///
/// # Errors
/// Fails if the file is read by this command; and, unless `force` is set, if it is a database, an
/// archive, a PDF document or a journal.
pub(crate) fn check_replaceable(path: &Path, force: bool) -> Result<(), String> {
    let Ok(existing) = fs::metadata(path) else {
        return Ok(());
    };
    if is_input(path, &existing) {
        return Err("is read by this command; name another file".into());
    }
    if force || existing.len() == 0 {
        return Ok(());
    }
    let head = read_part(path, SeekFrom::Start(0)).map_err(|e| e.to_string())?;
    let protected = PROTECTED_FORMATS
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, name)| *name);
    match protected.or_else(|| is_journal(path, &head).then_some("the journal of a run")) {
        Some(name) => Err(format!("is {name}, and is not replaced without --force")),
        None => Ok(()),
    }
}

/// Checks that an existing file at `path` is empty, or has the format of the output that starts
/// with `head`.
///
/// # Errors
/// Fails if it has another format.
pub(crate) fn check_same_format(path: &Path, head: &[u8]) -> Result<(), String> {
    let existing = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > 0 => {
            read_part(path, SeekFrom::Start(0)).map_err(|e| e.to_string())?
        }
        _ => return Ok(()),
    };
    if is_same_format(&existing, head) {
        return Ok(());
    }
    Err(match head.is_empty() {
        true => "is not empty, and is not replaced by an empty file without --force".into(),
        false => "is no earlier output of this kind, and is not replaced without --force".into(),
    })
}

/// Checks that the file at `path` is missing or empty, for an output of any lines.
///
/// # Errors
/// Fails if it has content, or is read by this command.
pub(crate) fn check_unused(path: &Path) -> Result<(), String> {
    check_replaceable(path, true)?;
    match fs::metadata(path) {
        Ok(existing) if existing.is_file() && existing.len() > 0 => {
            Err("exists and is not empty; remove it, or name another file".into())
        }
        _ => Ok(()),
    }
}

/// Returns `true` if standard output is a regular file, and the same as `file`: what is written
/// would be read again.
pub(crate) fn is_stdout(file: &Metadata) -> bool {
    let stdout = io::stdout().as_fd().try_clone_to_owned();
    let stdout = stdout.and_then(|stdout| File::from(stdout).metadata());
    file.is_file() && stdout.is_ok_and(|stdout| is_same(&stdout, file))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns the first or last [`HEAD_BYTES`] of a file, from `start` on.
fn read_part(path: &Path, start: SeekFrom) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(start)?;
    let mut bytes = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns `true` if an argument of this command other than the output itself names the file, or it
/// is standard input. An argument may be the value of an option, as in `--init slv=FILE`, or the
/// folder of a run.
fn is_input(path: &Path, existing: &Metadata) -> bool {
    let names_file = |argument: &Path| {
        [argument.to_path_buf(), argument.join(JOURNAL)]
            .iter()
            .any(|path| fs::metadata(path).is_ok_and(|file| is_same(&file, existing)))
    };
    let arguments: Vec<PathBuf> = std::env::args_os()
        .skip(1)
        .flat_map(|argument| {
            let argument = argument.to_string_lossy().into_owned();
            let values = argument
                .match_indices('=')
                .map(|(at, _)| argument[at + 1..].into());
            let values: Vec<PathBuf> = values.collect();
            std::iter::once(PathBuf::from(argument)).chain(values)
        })
        .filter(|argument| names_file(argument))
        .collect();
    // The value of the option that names the output is one of them.
    let is_output = arguments.iter().any(|argument| argument == path);
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let stdin = stdin.and_then(|stdin| File::from(stdin).metadata());
    arguments.len() > usize::from(is_output)
        || existing.is_file() && stdin.is_ok_and(|stdin| is_same(&stdin, existing))
}

/// Returns `true` if JSON lines are the journal of a run: in the folder of a run, or with initial
/// documents first and steps last, which no export has.
fn is_journal(path: &Path, head: &[u8]) -> bool {
    if path.file_name().is_some_and(|name| name == JOURNAL) {
        return true;
    }
    let has_step = |line: &[u8]| memchr::memmem::find(line, b"\"step\":{").is_some();
    let first = head.split(|byte| *byte == b'\n').next();
    if !is_json_lines(head) || first.is_some_and(has_step) {
        return false;
    }
    let length = fs::metadata(path).map_or(0, |file| file.len());
    let end = read_part(path, SeekFrom::Start(length.saturating_sub(HEAD_BYTES)));
    end.is_ok_and(|end| has_step(&end))
}

fn is_json_lines(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut bytes = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    bytes.next() == Some(&b'{') && matches!(bytes.next(), Some(b'"' | b'}'))
}

fn is_same_format(existing: &[u8], new: &[u8]) -> bool {
    let first_line = |head: &[u8]| head.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let share = |magic: &&[u8]| existing.starts_with(magic) && new.starts_with(magic);
    is_json_lines(existing) && is_json_lines(new)
        || OWN_FORMATS.iter().any(share)
        || !new.is_empty() && first_line(existing) == first_line(new)
}

#[cfg(test)]
mod tests {
    use super::{check_replaceable, check_same_format, check_unused, is_same_format};
    use std::fs;

    #[test]
    fn an_output_replaces_only_one_of_the_same_format() {
        for (existing, new, expected) in [
            ("{\"a\":1}\n", "{\"b\":2}\n", true),
            ("{\"a\":1}\n", "text\n", false),
            ("{x}", "{\"b\":2}\n", false),
            ("forage-profile 2\nx", "forage-profile 3\ny", true),
            ("# language: slv\n", "# language: eng\n", true),
            ("# notes\n", "# language: eng\n", false),
            ("notes\nmore\n", "notes\nother\n", true),
            ("notes\nmore\n", "text\n", false),
            ("notes\n", "", false),
            ("{\"a\":1}\n", "", false),
        ] {
            assert_eq!(
                is_same_format(existing.as_bytes(), new.as_bytes()),
                expected,
                "{existing:?} {new:?}"
            );
        }
    }

    #[test]
    fn databases_archives_and_journals_need_force() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let journal = "{\"text\":\"a\"}\n{\"step\":{\"number\":1}}\n";
        for content in ["SQLite format 3\0...", "%PDF-1.4", "WARC/1.1", journal] {
            fs::write(&path, content).unwrap();
            assert!(check_replaceable(&path, false).is_err(), "{content}");
            assert!(check_replaceable(&path, true).is_ok(), "{content}");
        }
        for content in [
            "",
            "{\"text\":\"a\"}\n",
            "{\"step\":{\"number\":1}}\n",
            "notes",
        ] {
            fs::write(&path, content).unwrap();
            assert!(check_replaceable(&path, false).is_ok(), "{content}");
        }
        let named = dir.path().join("journal.jsonl");
        fs::write(&named, "{\"text\":\"a\"}\n").unwrap();
        assert!(check_replaceable(&named, false).is_err());
    }

    #[test]
    fn a_missing_or_empty_file_is_unused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert!(check_unused(&path).is_ok() && check_same_format(&path, b"x").is_ok());
        fs::write(&path, "").unwrap();
        assert!(check_unused(&path).is_ok() && check_same_format(&path, b"x").is_ok());
        fs::write(&path, "notes").unwrap();
        assert!(check_unused(&path).is_err() && check_same_format(&path, b"x").is_err());
    }
}
