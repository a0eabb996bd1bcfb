//! A small web for `focused-crawl`: hosts with pages on trees and graphs, and on cooking, redirects,
//! dead links, and pages that robots.txt forbids.

use crate::server::{HostResponse, html, ok, redirect, status};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Number of hosts.
pub const HOSTS: usize = 3;
/// Pages of a host; those with an even number are on the subject.
pub const PAGES: usize = 16;

/// Texts on the subject.
pub const SUBJECT: [&str; 3] = [
    "A binary search tree keeps its keys in order. The balanced binary search tree is fast.",
    "Shortest paths in a weighted graph are found by dynamic programming over its vertices.",
    "Dynamic programming and the shortest path: a weighted graph, a binary search tree.",
];

const COOKING: &str = "Boil the water and add the onions, then the carrots and some salt. Bake \
                       the bread until it is brown.";

/// Returns the URL of a page.
pub fn page_url(host: usize, page: usize) -> String {
    let folder = if page.is_multiple_of(2) { "on" } else { "off" };
    format!("http://h{host}.test/{folder}/{page}.html")
}

/// Responds as the hosts do.
pub fn respond(host: &str, path: &str) -> HostResponse {
    if path == "/robots.txt" {
        return ok("text/plain", b"User-agent: *\nDisallow: /private/\n");
    }
    let host: usize = host
        .trim_start_matches('h')
        .trim_end_matches(".test")
        .parse()
        .unwrap_or(9);
    let name = path.rsplit('/').next().unwrap_or_default();
    let number = name.trim_end_matches(".html").parse::<usize>();
    match (path.split('/').nth(1), number) {
        (Some("move"), _) => redirect(&page_url(host, 0)),
        (Some("private"), _) => html("<p>private</p>"),
        (Some("on" | "off"), Ok(page)) if host < HOSTS && page < PAGES => {
            html(page_html(host, page))
        }
        _ => status(404),
    }
}

fn page_html(host: usize, page: usize) -> String {
    let subject = if page.is_multiple_of(2) {
        SUBJECT.join(" ")
    } else {
        COOKING.into()
    };
    // Words of its own make the page no near duplicate.
    let own: Vec<String> = (0..40).map(|n| format!("w{host}x{page}x{n}")).collect();
    let text = format!("{subject} {}.", own.join(" "));
    let mut links: Vec<String> = [2 * page + 1, 2 * page + 2, page + 3]
        .map(|next| page_url(host, next))
        .into();
    if page.is_multiple_of(4) {
        links.extend([
            page_url((host + 1) % HOSTS, 0),
            format!("http://h{host}.test/move/{page}"),
            format!("http://h{host}.test/private/{page}"),
            format!("http://dead{page}.test/"),
        ]);
    }
    let links: String = links
        .iter()
        .map(|link| format!("<p><a href=\"{link}\">more</a></p>"))
        .collect();
    format!(
        "<title>Page {page}</title><article><p>{text}</p>\
         </article>{links}"
    )
}

/// Writes the core and the seeds to a folder.
pub fn write_initial_files(folder: &Path) {
    let core: String = (0..6)
        .map(|n| {
            json!({"url": format!("http://c{n}.test/"), "text": SUBJECT[n % 3]}).to_string() + "\n"
        })
        .collect();
    fs::write(folder.join("core.jsonl"), core).unwrap();
    let seeds = format!(
        "# start\n{}\nno url\n{{broken\n{}\n",
        page_url(0, 0),
        page_url(1, 1)
    );
    fs::write(folder.join("seeds.txt"), seeds).unwrap();
}
