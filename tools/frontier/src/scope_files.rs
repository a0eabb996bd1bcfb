//! The scope of the crawl, from its files.

use crate::args::Args;
use crate::state_file::CrawlScope;
use forage_web::page_url::HostList;
use std::path::Path;

/// Reads the files of `--hosts-allow` and `--hosts-deny`.
pub(crate) fn read_scope(args: &Args) -> anyhow::Result<CrawlScope> {
    let scope = &args.scope;
    Ok(CrawlScope {
        max_depth: scope.max_depth,
        follows_nofollow: scope.follow_nofollow,
        allowed: scope
            .hosts
            .hosts_allow
            .as_deref()
            .map(read_list)
            .transpose()?,
        denied: match &scope.hosts.hosts_deny {
            Some(path) => read_list(path)?,
            None => HostList::default(),
        },
        partition: args.partition,
    })
}

fn read_list(path: &Path) -> anyhow::Result<HostList> {
    let text = forage_cli::read_text_file(path)?;
    // The error starts with the number of the line.
    HostList::parse(&text).map_err(|e| anyhow::anyhow!("{}:{e}", path.display()))
}
