//! Protection of existing files: what an output may replace.
//!
//! A file that is there is replaced only if it seems to be an earlier version of the output: its
//! first line is the same, or both are profiles, for example. Anything else needs `--force`. A file
//! that the same command reads, or that a run is continued from, is never replaced.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes at the start of a file by which its format is recognised.
const HEAD_BYTES: u64 = 4096;
/// The first bytes of formats whose versions may differ from the first line on.
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
/// Options whose values are outputs.
const OUTPUT_OPTIONS: [&str; 3] = ["--out", "--rejects", "--tables"];
/// The name of the journal of a run.
const JOURNAL: &str = "journal.jsonl";
/// The files of a run besides its journal, databases and archives.
const RUN_FILES: [&str; 3] = [JOURNAL, "run.conf", "lock"];

/// Checks, before anything is written, that the file at `path` may be replaced. A missing or empty
/// file may; whether another is an earlier version of the output is checked by
/// [`check_earlier_version`] when it is complete.
///
/// # Errors
/// Fails if the file is read by this command, or a run is continued from it; and, unless `force` is
/// set, if it is a database, an archive, a PDF document or a journal.
pub(crate) fn check_replaceable(path: &Path, force: bool) -> Result<(), String> {
    let Ok(existing) = fs::metadata(path) else {
        return Ok(());
    };
    if is_input(&existing) {
        return Err("is read by this command; name another file".into());
    }
    // To read a pipe could wait without end.
    let head = match existing.is_file() {
        true => read_head(path).map_err(|e| e.to_string())?,
        false => Vec::new(),
    };
    let protected = PROTECTED_FORMATS
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, name)| *name);
    if is_in_run(path) && (protected.is_some() || RUN_FILES.iter().any(|name| path.ends_with(name)))
    {
        return Err("is a file of a run; name another file".into());
    }
    if force || existing.len() == 0 {
        return Ok(());
    }
    match protected.or_else(|| path.ends_with(JOURNAL).then_some("the journal of a run")) {
        Some(name) => Err(format!("is {name}, and is not replaced without --force")),
        None => Ok(()),
    }
}

/// Checks that an existing file at `path` is empty, or an earlier version of the output that starts
/// with `head`.
///
/// # Errors
/// Fails if it seems to be something else.
pub(crate) fn check_earlier_version(path: &Path, head: &[u8]) -> Result<(), String> {
    let existing = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > 0 => read_head(path).map_err(|e| e.to_string())?,
        _ => return Ok(()),
    };
    if is_earlier_version(&existing, head) {
        return Ok(());
    }
    Err(match head.is_empty() {
        true => "is not empty, and is not replaced by an empty file without --force".into(),
        false => {
            "begins with something else than the output, and is not replaced without --force".into()
        }
    })
}

/// Checks that the file at `path` is missing or empty, for an output of any lines.
///
/// # Errors
/// Fails if it has content, or is read by this command.
pub(crate) fn check_unused(path: &Path) -> Result<(), String> {
    check_replaceable(path, true)?;
    match fs::metadata(path) {
        Ok(existing) if is_stdout(&existing) => {
            Err("is standard output, too; name another file".into())
        }
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

/// Returns `true` if `path` is `file`, under any path or link.
pub(crate) fn is_path_of(path: &Path, file: &Metadata) -> bool {
    fs::metadata(path).is_ok_and(|existing| is_same(&existing, file))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns the first [`HEAD_BYTES`] of a file.
fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns `true` if an argument of this command other than the output itself names the file, or it
/// is standard input. An argument may be the value of an option, as in `--init slv=FILE`, or the
/// folder of a run.
fn is_input(existing: &Metadata) -> bool {
    let names_file = |argument: &Path| {
        [argument.to_path_buf(), argument.join(JOURNAL)]
            .iter()
            .any(|path| fs::metadata(path).is_ok_and(|file| is_same(&file, existing)))
    };
    let mut arguments = std::env::args_os().skip(1);
    let mut reads = false;
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy();
        let (option, has_value) = match argument.split_once('=') {
            Some((option, _)) => (option, true),
            None => (&*argument, false),
        };
        if !OUTPUT_OPTIONS.contains(&option) {
            let values = argument
                .match_indices('=')
                .map(|(at, _)| &argument[at + 1..]);
            reads |= values
                .chain([&*argument])
                .any(|path| names_file(Path::new(path)));
        } else if !has_value {
            arguments.next();
        }
    }
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let stdin = stdin.and_then(|stdin| File::from(stdin).metadata());
    reads || existing.is_file() && stdin.is_ok_and(|stdin| is_same(&stdin, existing))
}

fn is_earlier_version(existing: &[u8], new: &[u8]) -> bool {
    let first_line = |head: &[u8]| head.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let share = |magic: &&[u8]| existing.starts_with(magic) && new.starts_with(magic);
    OWN_FORMATS.iter().any(share) || !new.is_empty() && first_line(existing) == first_line(new)
}

/// Returns `true` if the file is in the folder of a run.
fn is_in_run(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new(".")).join(JOURNAL).exists()
}

#[cfg(test)]
mod tests {
    use super::{check_earlier_version, check_replaceable, check_unused, is_earlier_version};
    use std::fs;

    #[test]
    fn an_output_replaces_only_an_earlier_version() {
        for (existing, new, expected) in [
            ("{\"a\":1}\n{}", "{\"a\":1}\n", true),
            ("{\"a\":1}\n", "{\"b\":2}\n", false),
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
                is_earlier_version(existing.as_bytes(), new.as_bytes()),
                expected,
                "{existing:?} {new:?}"
            );
        }
    }

    #[test]
    fn databases_and_archives_need_force() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        for content in ["SQLite format 3\0...", "%PDF-1.4", "WARC/1.1"] {
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
    }

    #[test]
    fn files_of_a_run_are_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name| dir.path().join(name);
        for (name, content) in [
            ("journal.jsonl", "{\"text\":\"a\"}\n"),
            ("run.conf", "a=b\n"),
            ("stats.db", "SQLite format 3\0..."),
        ] {
            fs::write(path(name), content).unwrap();
            fs::write(path("journal.jsonl"), "{}\n").unwrap();
            assert!(check_replaceable(&path(name), true).is_err(), "{name}");
        }
        fs::write(path("texts.txt"), "a\n").unwrap();
        assert!(check_replaceable(&path("texts.txt"), true).is_ok());
    }

    #[test]
    fn a_missing_or_empty_file_is_unused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert!(check_unused(&path).is_ok() && check_earlier_version(&path, b"x").is_ok());
        fs::write(&path, "").unwrap();
        assert!(check_unused(&path).is_ok() && check_earlier_version(&path, b"x").is_ok());
        fs::write(&path, "notes").unwrap();
        assert!(check_unused(&path).is_err() && check_earlier_version(&path, b"x").is_err());
    }
}
