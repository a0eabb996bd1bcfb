//! What is to be removed, as the user gives it.

use crate::args::Args;
use anyhow::ensure;
use forage_cli::{GivenLine, Input, Io};
use forage_record::time::now_rfc3339;
use forage_record::{Record, field};
use forage_run::{Event, TakenDownList, taken_down_entry};
use forage_web::page_url::host_of;

/// Returns what the options name.
///
/// # Errors
/// Fails if a value is no URL or host, or a list cannot be read.
pub fn read(args: &Args, io: &mut Io) -> anyhow::Result<TakenDownList> {
    let mut new = Record::new();
    if let Some(reason) = &args.reason {
        new.set("reason", reason);
    }
    new.set("at", &now_rfc3339());
    let entry = |key: &str, value: &str| {
        let mut entry = new.clone();
        entry.set(key, &value);
        entry
    };
    let mut list = TakenDownList::default();
    for url in &args.url {
        ensure!(url.contains("://"), "--url {url}: is no URL");
        list.add(entry(field::URL, url));
    }
    for host in &args.host {
        let name = host_of(&format!("http://{host}/"));
        let name = name.filter(|_| !host.contains('/')).unwrap_or_default();
        ensure!(
            !name.is_empty(),
            "--host {host}: is no host, as in news.example"
        );
        list.add(entry("host", &name));
    }
    for id in &args.id {
        list.add(entry(field::ID, id));
    }
    if args.file.is_empty() {
        return Ok(list);
    }
    io.for_each_given(
        &Input::from_files(args.file.clone()),
        "jq -r .url",
        |line| {
            let record = match line {
                GivenLine::Text(line) if !line.starts_with('{') => {
                    let is_url = line.contains("://");
                    let key = if is_url { field::URL } else { field::ID };
                    entry(key, line.trim())
                }
                GivenLine::Text(line) => {
                    Record::parse(line.into()).map_err(|(e, _)| e.to_string())?
                }
                GivenLine::Record(record) => record,
            };
            // A line of another list, which keeps its reason and time, or any record.
            let mut named = taken_down_entry(&Event::from_record(&record), &record);
            for key in ["host", "digest", "reason", "at"] {
                let own = record.scalar(key).or_else(|| new.scalar(key));
                if let Some(value) = own.filter(|_| !named.has_field(key)) {
                    named.set(key, &value);
                }
            }
            list.add(named);
            Ok(())
        },
    )?;
    Ok(list)
}
