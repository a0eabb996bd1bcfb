//! The loop of sites.

use crate::files::check_readable;
use crate::initial::{Codes, fill_folder};
use crate::run::{
    Run, bare_fetch_command, fetch_command, require_contact, require_options, require_settings,
    set_filter_folder, try_filter, user_filter,
};
use crate::session::{ListedPage, Loop, Session, TriedEngine, host_of};
use crate::tools::{self, Line, line};
use crate::totals::Totals;
use anyhow::{Context, Result, bail, ensure};
use forage_web::page_url::HostList;
use std::collections::{BTreeMap, BTreeSet};

/// The sites of a run, in its folder.
const SITES: &str = "init/sites.txt";

/// Sites whose sitemaps one process reads. Set by judgement, not measured.
const SITES_PER_CALL: usize = 20;

/// A run that collects the pages of sites.
#[derive(Default)]
pub struct Sites {
    /// The addresses of a new run.
    given: Vec<String>,
    filter: Line,
}

impl Loop for Sites {
    fn check(&mut self, run: &mut Run) -> Result<()> {
        tools::require("fetch-extract dedup search update-stats corpus-export")?;
        if run.line.is_resumed {
            require_settings(run, &["target"])?;
        } else {
            require_options(&[
                ("--target", run.settings.is_set("target")),
                ("--sites", !run.line.values("sites").is_empty()),
            ])?;
            self.given = read_sites(run.line.values("sites"))?;
            if !run.settings.is_set("filter") {
                set_language(run)?;
            }
        }
        require_contact(run, "pages")?;
        tools::output(&bare_fetch_command(run)).map(drop)
    }

    fn start(&mut self, run: &mut Run) -> Result<()> {
        set_filter_folder(run)?;
        fill_folder(run, |new| {
            let seeds = self
                .given
                .iter()
                .map(|site| serde_json::json!({ "url": site }));
            let seeds: String = seeds.map(|seed| format!("{seed}\n")).collect();
            let hosts = self.given.iter().map(|site| host_in(site) + "\n");
            std::fs::write(new.join("seeds.jsonl"), seeds)?;
            std::fs::write(new.join("hosts.txt"), hosts.collect::<String>())?;
            Ok(std::fs::write(
                new.join("sites.txt"),
                self.given.join("\n") + "\n",
            )?)
        })
    }

    fn set_up(&mut self, run: &mut Run) -> Result<()> {
        self.filter = match run.settings.is_set("filter") {
            true => user_filter(run),
            false => line("langid", []),
        };
        let (mut scope, mut links) = (Line::new(), Line::new());
        if run.settings.is_set("links") {
            tools::require("frontier")?;
            let score = format!("langid.share.{}", run.settings.get("target"));
            scope = line(
                "--hosts-allow {} --score {}",
                [&run.file("init/hosts.txt"), &score],
            );
            links.push("--links".into());
        }
        run.write_args("fetch-extract", &fetch_command(run, &links)[1..])?;
        run.write_args("filter", &self.filter)?;
        run.write_args("frontier", &scope)
    }

    fn describe(&self, run: &Run) -> Result<String> {
        let pages = self.list_pages(run)?;
        let counts = sites_of(run)?.into_iter().zip(pages);
        let counts = counts.map(|(site, pages)| format!("{site} {}", pages.len()));
        Ok(format!("pages: {}", counts.collect::<Vec<_>>().join(", ")))
    }

    fn engines(&self, _run: &Run) -> Vec<TriedEngine> {
        Vec::new()
    }

    fn fetch(&self, run: &Run) -> Option<Line> {
        Some(fetch_command(run, &[]))
    }

    fn try_step(&self, session: &Session) -> Result<()> {
        try_filter(&session.run, &self.filter)
    }

    fn targets(&self, run: &Run) -> Vec<String> {
        vec![run.settings.get("target").to_owned()]
    }

    fn step_size(&self, run: &Run, totals: &Totals) -> u64 {
        let batch = run.settings.number("batch").unwrap_or(1);
        batch.min(totals.left("docs", &run.settings))
    }

    fn engine(&self) -> Option<Line> {
        None
    }

    fn list_pages(&self, run: &Run) -> Result<Vec<Vec<ListedPage>>> {
        let sites = sites_of(run)?;
        let hosts = HostList::parse(
            &sites
                .iter()
                .map(|site| host_in(site) + "\n")
                .collect::<String>(),
        );
        let hosts = hosts.map_err(|e| anyhow::anyhow!("{SITES}: {e}"))?;
        let mut listed = Vec::with_capacity(sites.len());
        for group in sites.chunks(SITES_PER_CALL) {
            listed.extend(list_pages(run, group, &hosts)?);
        }
        Ok(listed)
    }

    fn advice(&self, run: &Run) -> String {
        let resume = format!("continue later with {} --refresh AGE", run.resumption());
        match run.settings.is_set("links") {
            true => resume,
            false => format!("{resume}; a site without a sitemap needs a run with --links"),
        }
    }
}

/// Returns the pages that each of some sites lists, on the hosts of the sites of the run. A site
/// without any is reported.
fn list_pages(run: &Run, sites: &[String], hosts: &HostList) -> Result<Vec<Vec<ListedPage>>> {
    // A site that is down does not hold up the others.
    let mut search = line("search --quiet --patience 0 --top 1000000000", []);
    for site in sites {
        search.extend([
            format!("--engine=sitemap:{site}"),
            format!("--engine=feed:{site}"),
        ]);
    }
    search.extend(run.settings.options(&["contact", "connect-to"]));
    search.extend(run.refresh());
    if !run.is_trial() {
        search.extend(line("--hits {}", [&run.file("hits.db")]));
    }
    let pause = run.settings.get("delay").parse::<f64>().unwrap_or(1.0);
    search.push(format!("--rate={}", 1.0 / pause.max(0.001)));
    let output = tools::filter(&search, b"{\"query\":{\"include\":[],\"exclude\":[]}}\n")?;
    let mut listed: Vec<Vec<ListedPage>> = sites.iter().map(|_| Vec::new()).collect();
    let mut causes = BTreeMap::new();
    for line in output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let record: serde_json::Value = serde_json::from_slice(line)?;
        let engine = record["hit"]["engine"].as_str().unwrap_or_default();
        let (kind, site) = engine.split_once(':').unwrap_or_default();
        if let Some(cause) = record["error"]["message"].as_str()
            && kind == "sitemap"
        {
            causes.insert(site.to_owned(), cause.to_owned());
        }
        let Some(url) = record["url"].as_str() else {
            continue;
        };
        let host = host_of(url);
        if let Some(number) = sites.iter().position(|listing| listing == site)
            && hosts.contains(host.split(':').next().unwrap_or_default())
        {
            let modified = record["hit"]["modified"].as_str().map(str::to_owned);
            listed[number].push(ListedPage {
                url: url.into(),
                modified,
            });
        }
    }
    for (site, _) in sites
        .iter()
        .zip(&listed)
        .filter(|(_, pages)| pages.is_empty())
    {
        let cause = causes.get(site).map_or("", String::as_str);
        let colon = if cause.is_empty() { "" } else { ": " };
        run.console.inform(format_args!(
            "{site}: no page in a sitemap or feed{colon}{cause}"
        ));
    }
    Ok(listed)
}

/// Returns the addresses of the sites of a run.
fn sites_of(run: &Run) -> Result<Vec<String>> {
    let path = run.path(SITES);
    let sites = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(sites.lines().map(str::to_owned).collect())
}

/// Returns the host of a site, without `www.`.
fn host_in(site: &str) -> String {
    let host = host_of(site);
    let host = host.split(':').next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

/// Returns the addresses that are given, alone or in files.
fn read_sites(given: &[String]) -> Result<Vec<String>> {
    let mut sites = BTreeSet::new();
    let mut ordered = Vec::new();
    for given in given {
        let is_address = given.contains("://");
        let lines = if is_address {
            given.clone()
        } else {
            check_readable("--sites ", given)?;
            forage_cli::read_text_file(given.as_ref())?
        };
        for (text, number) in lines.lines().map(str::trim).zip(1..) {
            let place = if is_address {
                String::new()
            } else {
                format!("{given}:{number}: ")
            };
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let address = forage_web::page_url::normalise_url(text);
            let address = address.map_err(|e| anyhow::anyhow!("--sites: {place}`{text}`: {e}"))?;
            if sites.insert(address.to_string()) {
                ordered.push(address.into());
            }
        }
    }
    ensure!(!ordered.is_empty(), "--sites: has no address");
    Ok(ordered)
}

/// Sets the label of langid for the language of the target.
fn set_language(run: &mut Run) -> Result<()> {
    let target = run.settings.get("target").to_owned();
    let codes = BTreeSet::from([target.clone()]);
    let codes = Codes::resolve(&codes, |message| run.console.inform(message))?;
    let label = codes.relabel(&target);
    let list = tools::output(&line("langid --list", []))?;
    let mut known = list.lines().filter_map(|line| line.split('\t').next());
    if !known.any(|code| code == label) {
        bail!("--target {target}: langid does not know it; label the documents with --filter");
    }
    run.settings.set("target", &label);
    Ok(())
}
