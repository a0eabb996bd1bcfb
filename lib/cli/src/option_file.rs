//! `@FILE` on the command line: the options in a file, one per line.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Returns the arguments with those in FILE instead of each `@FILE`. Arguments after `--` stay as
/// they are; so do those in a file that begin with `@`.
///
/// # Errors
/// Fails if a file cannot be read. The message names it.
pub(crate) fn expand_option_files(args: &[OsString]) -> Result<Vec<OsString>, String> {
    let end = args.iter().position(|arg| arg == "--");
    let (options, rest) = args.split_at(end.unwrap_or(args.len()));
    let mut expanded = Vec::new();
    for (index, arg) in options.iter().enumerate() {
        match arg.as_bytes().strip_prefix(b"@") {
            Some(name) if index > 0 && !name.is_empty() => {
                let file = OsString::from_vec(name.to_vec());
                expanded.extend(read_options(Path::new(&file))?);
            }
            _ => expanded.push(arg.clone()),
        }
    }
    expanded.extend_from_slice(rest);
    Ok(expanded)
}

/// Largest file of options, in bytes; a larger one is some other file.
const MAX_BYTES: u64 = 1 << 20;

fn read_options(file: &Path) -> Result<Vec<OsString>, String> {
    let fail = |cause: &dyn std::fmt::Display| {
        let name = file.display();
        format!(
            "@{name}: {cause}; @FILE stands for the options in a file, unless it comes after --"
        )
    };
    let mut text = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(MAX_BYTES).read_to_end(&mut text))
        .map_err(|e| fail(&e))?;
    if text.contains(&0) || text.len() as u64 == MAX_BYTES {
        return Err(fail(&"is no text of at most 1 MB"));
    }
    Ok(text
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(&text)
        .split(|byte| *byte == b'\n')
        .flat_map(parse_line)
        .map(|arg| OsString::from_vec(arg.to_vec()))
        .collect())
}

/// Returns the arguments of a line: an option and its value, which may contain blanks, or else one
/// argument. Blank lines and those that begin with `#` have none.
fn parse_line(line: &[u8]) -> Vec<&[u8]> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return Vec::new();
    }
    let blank = line.iter().position(u8::is_ascii_whitespace);
    match blank.filter(|_| line.starts_with(b"-")) {
        Some(blank) if !line[..blank].contains(&b'=') => {
            vec![&line[..blank], line[blank..].trim_ascii_start()]
        }
        _ => vec![line],
    }
}

#[cfg(test)]
mod tests {
    use super::{expand_option_files, parse_line};
    use std::ffi::OsString;

    #[test]
    fn a_line_has_an_option_or_an_argument() {
        let parse = |line: &str| -> Vec<String> {
            let args = parse_line(line.as_bytes()).into_iter();
            args.map(|arg| String::from_utf8_lossy(arg).into_owned())
                .collect()
        };
        for (line, args) in [
            ("--engine index:my web\r", &["--engine", "index:my web"][..]),
            ("  --engine=index:my web ", &["--engine=index:my web"]),
            ("-j 4", &["-j", "4"]),
            ("--quiet", &["--quiet"]),
            ("my file.jsonl", &["my file.jsonl"]),
            ("# --quiet", &[]),
            (" ", &[]),
        ] {
            assert_eq!(parse(line), args, "{line}");
        }
    }

    #[test]
    fn a_file_is_replaced_by_its_options_before_the_end_of_options() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("my options");
        std::fs::write(&file, "--delay 2\n\n@other\n").unwrap();
        let at = format!("@{}", file.display());
        let expand = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            expand_option_files(&args)
        };
        assert_eq!(
            expand(&["@tool", "a", &at, "@", "--", &at]).unwrap(),
            ["@tool", "a", "--delay", "2", "@other", "@", "--", &at]
        );
        let missing = expand(&["tool", "@missing"]).unwrap_err();
        assert!(missing.starts_with("@missing: No such file"), "{missing}");
        std::fs::write(&file, b"\xEF\xBB\xBF--quiet\n").unwrap();
        assert_eq!(expand(&["tool", &at]).unwrap(), ["tool", "--quiet"]);
        for other in ["a\0b".into(), "a".repeat(1 << 20)] {
            std::fs::write(&file, other).unwrap();
            assert!(expand(&["tool", &at]).unwrap_err().contains("is no text"));
        }
    }
}
