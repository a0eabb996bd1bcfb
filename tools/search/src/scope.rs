//! The hits that the user wants at all, from the options --hosts-allow, --hosts-deny, --per-host
//! and --known.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, UsedRecords};
use forage_engines::{HitCache, HitScope};
use forage_record::{Fetch, Record, field};
use forage_web::page_url::HostList;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Reads the scope, and adds the URLs of the known files to the cache, unless they are there.
///
/// # Errors
/// Fails if a file cannot be read, or the cache cannot be written.
pub(crate) fn read_scope(
    args: &Args,
    cache: &mut HitCache,
    io: &mut Io,
) -> anyhow::Result<HitScope> {
    let scope = &args.scope;
    for file in &scope.known {
        add_known_urls(file, args, cache, io)?;
    }
    cache.commit()?;
    let (allowed, denied) = (&scope.hosts.hosts_allow, &scope.hosts.hosts_deny);
    let denied = denied.as_deref().map(read_hosts).transpose()?;
    Ok(HitScope {
        allowed: allowed.as_deref().map(read_allowed).transpose()?,
        denied: denied.unwrap_or_default(),
        max_per_host: scope.per_host.map(|max| max.get()),
        excludes_known: !scope.known.is_empty(),
    })
}

/// Adds the URLs of a file of records. A file that was read in an earlier step and has gone since
/// is not missed.
fn add_known_urls(
    file: &Path,
    args: &Args,
    cache: &mut HitCache,
    io: &mut Io,
) -> anyhow::Result<()> {
    let name = file.display().to_string();
    let metadata = match std::fs::metadata(file) {
        Err(_) if cache.has_known_file(&name)? => return Ok(()),
        metadata => metadata.with_context(|| name.clone())?,
    };
    let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
    let stamp = format!("{} {seconds}.{nanoseconds:09}", metadata.len());
    let mut used = UsedRecords::default();
    cache.add_known_file(&name, &stamp, |add_url| {
        io.for_each_record(&args.input.with_file(file), |record| {
            let urls = urls_of(&record);
            used.count(urls.is_empty().then_some("without `url`"));
            for url in urls {
                add_url(&url)?;
            }
            Ok(())
        })
    })?;
    used.report(&format!("used as --known {name}"), &io.messages);
    Ok(())
}

/// Returns the URL of a record, and the one after redirects.
fn urls_of(record: &Record) -> Vec<String> {
    let fetched = record.view::<Fetch>(field::FETCH).ok().flatten();
    let url = record.string(field::URL).ok().flatten();
    let urls = url.map(|url| url.into_owned()).into_iter();
    urls.chain(fetched.and_then(|fetch| fetch.url)).collect()
}

/// Reads the hosts that are allowed, of which there must be some.
fn read_allowed(path: &Path) -> anyhow::Result<HostList> {
    let hosts = read_hosts(path)?;
    anyhow::ensure!(
        !hosts.is_empty(),
        "{}: has no host, so no hit could be returned; write one host per line",
        path.display()
    );
    Ok(hosts)
}

fn read_hosts(path: &Path) -> anyhow::Result<HostList> {
    let text = forage_cli::read_text_file(path)?;
    // The error starts with the number of the line.
    HostList::parse(&text).map_err(|e| anyhow::anyhow!("{}:{e}", path.display()))
}
