//! URLs as input: arguments, and lists of them (`--urls`).

use crate::args::Args;
use forage_cli::{Input, LineSource};
use forage_record::{Record, field};
use std::path::Path;

/// Returns the input of the tool: arguments that are URLs, and those of --urls, become records.
pub fn to_input(args: &Args) -> Input {
    let arguments = args.input.files.iter().map(|path| match as_url(path) {
        Some(url) => LineSource::Argument(record_line(url)),
        None => LineSource::File(path.clone()),
    });
    let lists = args
        .urls
        .iter()
        .map(|path| LineSource::List(path.clone(), convert_line));
    let sources: Vec<LineSource> = arguments.chain(lists).collect();
    let are_files = sources
        .iter()
        .all(|source| matches!(source, LineSource::File(_)));
    if are_files {
        return args.input.clone();
    }
    Input {
        files: Vec::new(),
        sources: Some(sources),
        ..args.input.clone()
    }
}

/// Returns an argument that is a URL.
fn as_url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let is_url = ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_url.then_some(text)
}

/// Converts a line of a list of URLs; ignores blank lines and comments. A line that is not UTF-8
/// stays as it is, and is reported as no record.
fn convert_line(line: Vec<u8>) -> Option<Vec<u8>> {
    match std::str::from_utf8(&line).map(str::trim) {
        Err(_) => Some(line),
        Ok("") => None,
        Ok(comment) if comment.starts_with('#') => None,
        Ok(url) => Some(record_line(url)),
    }
}

/// Returns the record of a URL, without a line feed.
fn record_line(url: &str) -> Vec<u8> {
    let mut record = Record::new();
    record.set(field::URL, &url);
    let mut line = Vec::new();
    record.write(&mut line);
    line.pop_if(|last| *last == b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::{as_url, convert_line};
    use std::path::Path;

    #[test]
    fn only_http_urls_are_no_files() {
        for (argument, is_url) in [
            ("http://a.test/", true),
            ("HTTPS://a.test/č", true),
            ("a.jsonl", false),
            ("./http://a.test/", false),
            ("ftp://a.test/", false),
            ("č", false),
        ] {
            assert_eq!(as_url(Path::new(argument)).is_some(), is_url, "{argument}");
        }
    }

    #[test]
    fn lines_of_a_list_become_records() {
        for (line, record) in [
            (
                " http://a.test/\"č ",
                Some(r#"{"url":"http://a.test/\"č"}"#),
            ),
            ("no url", Some(r#"{"url":"no url"}"#)),
            ("# http://a.test/", None),
            (" ", None),
        ] {
            let converted = convert_line(line.as_bytes().to_vec());
            assert_eq!(converted, record.map(|record| record.as_bytes().to_vec()));
        }
        assert_eq!(convert_line(vec![0xFF]), Some(vec![0xFF]));
    }
}
