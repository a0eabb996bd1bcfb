//! Whether pages can be fetched from the seeds of a crawl.

use crate::console::print_line;
use crate::files::{format_counts, parse_record};
use crate::run::Run;
use crate::tools;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};

/// The number of seeds that are fetched, each from another host: a seed may be a dead link. Chosen
/// by judgement.
const TRIED: usize = 3;

/// Fetches the first seeds, and reports how many could be fetched. Returns the records of those
/// that have a text.
///
/// # Errors
/// Fails if none of them could be fetched.
pub fn try_seeds(run: &Run, fetch: &[String]) -> Result<String> {
    let path = run.path("init/seeds.jsonl");
    let seeds = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut hosts = BTreeSet::new();
    let tried: Vec<&str> = seeds
        .lines()
        .filter(|seed| hosts.insert(host(parse_record(seed)["url"].as_str().unwrap_or_default())))
        .take(TRIED)
        .collect();
    let input = format!("{}\n", tried.join("\n"));
    let output = tools::filter(fetch, input.as_bytes())?;
    let mut fetched = String::new();
    let mut errors: BTreeMap<String, u64> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output).lines() {
        match parse_record(line)["error"]["kind"].as_str() {
            Some(kind) => *errors.entry(kind.to_owned()).or_default() += 1,
            None => fetched += &format!("{line}\n"),
        }
    }
    let errors = format_counts(errors);
    let (count, tried) = (fetched.lines().count(), tried.len());
    if count == 0 {
        bail!("--seeds: none of the {tried} that were tried could be fetched: {errors}");
    }
    let errors = match errors.as_str() {
        "" => String::new(),
        errors => format!(" ({errors})"),
    };
    print_line(format_args!(
        "seeds: {count} of {tried} that were tried could be fetched{errors}"
    ));
    Ok(fetched)
}

/// Returns the host of a URL, with its port.
fn host(url: &str) -> String {
    url.split('/').nth(2).unwrap_or_default().to_owned()
}
