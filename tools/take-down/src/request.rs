//! What is to be removed, as the user gives it.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{GivenLine, Input, Io};
use forage_http::time::now_rfc3339;
use forage_record::Record;
use forage_run::{Event, TakenDown, describe_taken_down};
use forage_web::page_url::host_of;

/// Returns what the options name.
///
/// # Errors
/// Fails if a value is no URL or host, or a list cannot be read.
pub fn read(args: &Args, io: &mut Io) -> anyhow::Result<Vec<TakenDown>> {
    let new = TakenDown {
        reason: args.reason.clone(),
        at: Some(now_rfc3339()),
        ..TakenDown::default()
    };
    let mut entries = Vec::new();
    for url in &args.url {
        anyhow::ensure!(url.contains("://"), "--url {url}: is no URL");
        entries.push(named(url, &new));
    }
    for host in &args.host {
        let host = host_of(&format!("http://{host}/")).filter(|_| !host.contains('/'));
        let host = host.with_context(|| "--host: is no host, as in news.example")?;
        entries.push(TakenDown {
            host: Some(host),
            ..new.clone()
        });
    }
    for id in &args.id {
        anyhow::ensure!(!id.is_empty(), "--id: is empty");
        entries.push(TakenDown {
            id: Some(id.clone()),
            ..new.clone()
        });
    }
    if !args.file.is_empty() {
        let input = Input::from_files(args.file.clone());
        io.for_each_given(&input, "jq -r .url", |line| {
            entries.extend(match line {
                GivenLine::Text(line) if line.starts_with('{') => {
                    let record =
                        Record::parse(line.into_bytes()).map_err(|(e, _)| e.to_string())?;
                    Some(recorded(&record, &new)?)
                }
                GivenLine::Text(line) if line.trim().is_empty() => None,
                GivenLine::Text(line) => Some(named(line.trim(), &new)),
                GivenLine::Record(record) => Some(recorded(&record, &new)?),
            });
            Ok(())
        })?;
    }
    Ok(entries)
}

/// Returns the entry of a URL or an id.
fn named(name: &str, new: &TakenDown) -> TakenDown {
    let name_of = |is_url: bool| (name.contains("://") == is_url).then(|| name.to_owned());
    TakenDown {
        url: name_of(true),
        id: name_of(false),
        ..new.clone()
    }
}

/// Returns the entry of a record, or of a line of another list.
fn recorded(record: &Record, new: &TakenDown) -> Result<TakenDown, String> {
    let value = |name| record.scalar(name).map(String::from);
    let found = describe_taken_down(&Event::from_record(record), new);
    let entry = TakenDown {
        host: value("host"),
        digest: found.digest.or_else(|| value("digest")),
        reason: new.reason.clone().or_else(|| value("reason")),
        at: value("at").or(found.at),
        ..found
    };
    let keys = [&entry.url, &entry.host, &entry.id, &entry.digest];
    match keys.iter().all(|key| key.is_none()) {
        true => Err("has no url, host, id or digest".into()),
        false => Ok(entry),
    }
}
