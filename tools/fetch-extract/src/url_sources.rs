//! URLs as input: arguments, and lists of them (`--urls`).

use crate::args::Args;
use forage_cli::{Input, LineSource, ListLineError, is_web_url};
use forage_record::{Record, field};
use std::path::Path;

/// The remedy for a list that has records.
const RECORDS_REMEDY: &str =
    "has records, not URLs; leave out --urls, or convert it with jq -r .url";

/// Returns the input of the tool: arguments that are URLs, and those of --urls, become records.
///
/// # Errors
/// Fails if an argument is a URL of another scheme than http and https, or a folder without a file.
pub fn to_input(args: &Args) -> anyhow::Result<Input> {
    let mut sources = Vec::new();
    for path in &args.input.files {
        if let Some(url) = as_url(path) {
            sources.push(LineSource::Argument(record_line(url)));
        } else {
            refuse_other_scheme(path)?;
            let files = args.input.list_files(std::slice::from_ref(path))?;
            sources.extend(files.into_iter().map(LineSource::File));
        }
    }
    let lists = args.urls.iter();
    sources.extend(lists.map(|path| LineSource::List(path.clone(), convert_line)));
    let are_files = sources
        .iter()
        .all(|source| matches!(source, LineSource::File(_)));
    if are_files {
        return Ok(args.input.clone());
    }
    Ok(Input {
        files: Vec::new(),
        sources: Some(sources),
        ..args.input.clone()
    })
}

/// Fails if an argument is a URL that cannot be fetched, and not the path of a file.
fn refuse_other_scheme(path: &Path) -> anyhow::Result<()> {
    let scheme = path
        .to_str()
        .and_then(|text| Some(text.split_once("://")?.0));
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    if let Some(scheme) = scheme.filter(|scheme| is_scheme(scheme)) {
        anyhow::ensure!(
            path.exists(),
            "{}: the scheme {scheme} is not supported; only http and https are fetched",
            path.display()
        );
    }
    let is_host = path.to_str().is_some_and(|text| text.starts_with("www."));
    anyhow::ensure!(
        !is_host || path.exists(),
        "{}: no such file; the URL of a page begins with http:// or https://",
        path.display()
    );
    Ok(())
}

/// Returns an argument that is a URL.
fn as_url(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| is_web_url(text.as_bytes()))
}

/// Converts a line of a list of URLs; ignores blank lines and comments.
fn convert_line(line: Vec<u8>) -> Result<Option<Vec<u8>>, ListLineError> {
    let (cause, remedy) = match std::str::from_utf8(&line).map(str::trim) {
        Err(e) => (
            format!("invalid UTF-8 at byte {}", e.valid_up_to() + 1),
            None,
        ),
        Ok("") => return Ok(None),
        Ok(comment) if comment.starts_with('#') => return Ok(None),
        Ok(record) if record.starts_with('{') => {
            ("is a record, not a URL".to_owned(), Some(RECORDS_REMEDY))
        }
        Ok(url) => return Ok(Some(record_line(url))),
    };
    Err(ListLineError {
        cause,
        remedy,
        line,
    })
}

/// Returns the record of a URL, without a line feed.
fn record_line(url: &str) -> Vec<u8> {
    let mut record = Record::new();
    record.set(field::URL, &url);
    record.to_json().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{as_url, convert_line, refuse_other_scheme};
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
    fn only_a_file_may_have_another_scheme() {
        let refuses = |argument: &str| refuse_other_scheme(Path::new(argument)).is_err();
        assert!(refuses("ftp://a.test/x") && refuses("file:///etc/hosts"));
        assert!(refuses("www.example.org"));
        for file in ["a.jsonl", "./ftp://a.test/", "a b://c", "://"] {
            assert!(!refuses(file), "{file}");
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
            let converted = convert_line(line.as_bytes().to_vec()).unwrap();
            assert_eq!(converted, record.map(|record| record.as_bytes().to_vec()));
        }
        for (line, has_remedy) in [
            (&b"\xff"[..], false),
            (b" {\"url\":\"http://a.test/\"}", true),
        ] {
            let error = convert_line(line.to_vec()).unwrap_err();
            assert_eq!((&*error.line, error.remedy.is_some()), (line, has_remedy));
        }
    }
}
