use super::articles::{Article, Visibility, generate_articles};
use super::{LIST, LinkedWeb, NO_SUBJECT, generate_core, seeds};
use forage_loopback::Request;
use std::collections::{BTreeMap, BTreeSet};

/// Requests a page. Returns the status, the address of a redirect, and the body.
fn get(web: &LinkedWeb, url: &str) -> (String, Option<String>, String) {
    let (host, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .unwrap_or_else(|| panic!("{url}"));
    let response = web.answer(&Request {
        method: "GET".into(),
        path: format!("/{path}"),
        host: Some(host.into()),
        ..Request::default()
    });
    let target = response
        .headers
        .lines()
        .find_map(|line| line.strip_prefix("Location: ").map(str::to_owned));
    let status = response.status.split_once(' ').unwrap().0.to_owned();
    (status, target, String::from_utf8(response.body).unwrap())
}

/// Returns the absolute addresses of the links of a page.
fn link_urls(url: &str, html: &str) -> Vec<String> {
    let host = url.split('/').nth(2).unwrap();
    html.split("<a href=\"")
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0)
        .map(|link| match link.strip_prefix('/') {
            Some(path) => format!("http://{host}/{path}"),
            None => link.to_owned(),
        })
        .collect()
}

fn is_calendar(url: &str) -> bool {
    url.contains("/calendar/")
}

#[test]
fn the_linked_web_is_deterministic() {
    let mut hasher = blake3::Hasher::new();
    let web = LinkedWeb::generate();
    for (url, page) in &web.pages {
        hasher.update(format!("{url}\n{}\n{}\n", page.subject, page.html).as_bytes());
    }
    for (url, target) in web.redirects.iter().chain(&web.print_versions) {
        hasher.update(format!("{url}\n{target}\n").as_bytes());
    }
    // This changes only with the code of this module and of news.rs, the templates, or the versions
    // of the crates.
    assert_eq!(&hasher.finalize().to_hex()[..16], "bf1a70ce1c3b7a4a");
}

#[test]
fn every_page_can_be_reached_from_the_seeds() {
    let web = LinkedWeb::generate();
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    let mut waiting: Vec<String> = seeds().into();
    while let Some(url) = waiting.pop() {
        if is_calendar(&url) || !reached.insert(url.clone()) {
            continue;
        }
        let (status, target, body) = get(&web, &url);
        // Dead links are those that are meant to be dead.
        let is_meant = url.contains("/gone/") || url == "http://closed.test/";
        assert_eq!(status == "404", is_meant, "{url}: {status}");
        *statuses.entry(status).or_default() += 1;
        waiting.extend(target.into_iter().chain(link_urls(&url, &body)));
    }
    let unreached: Vec<&str> = web
        .truth()
        .map(|(url, ..)| url)
        .filter(|url| !reached.contains(*url))
        .collect();
    assert!(unreached.is_empty(), "{unreached:?}");
    assert!(statuses["301"] > 20 && statuses["404"] > 50, "{statuses:?}");
}

#[test]
fn each_subject_has_equally_many_pages_and_slovenian_is_among_the_languages() {
    let web = LinkedWeb::generate();
    let mut subjects: BTreeMap<&str, usize> = BTreeMap::new();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    let mut hosts: BTreeSet<&str> = BTreeSet::new();
    for (url, subject, language) in web.truth() {
        *subjects.entry(subject).or_default() += 1;
        hosts.insert(url.split('/').nth(2).unwrap());
        if subject != LIST {
            *languages.entry(language).or_default() += 1;
        }
    }
    assert_eq!(subjects.remove(NO_SUBJECT), Some(325));
    assert!(subjects.remove(LIST).unwrap() < 150);
    assert_eq!(subjects.len(), 12);
    assert!(subjects.values().all(|&n| n == 40), "{subjects:?}");
    assert_eq!(languages["slv"], 60);
    assert_eq!(languages.len(), 14, "{languages:?}");
    assert_eq!(hosts.len(), 21);
}

#[test]
fn most_links_of_an_article_lead_to_its_subject_or_language() {
    let articles = generate_articles();
    let kind = |article: &Article| (article.page.language, article.subject);
    let links: Vec<bool> = articles
        .iter()
        .flat_map(|a| a.links.iter().map(move |&b| (a, b)))
        .map(|(a, b)| kind(a) == kind(&articles[b]))
        .collect();
    let share = links.iter().filter(|&&same| same).count() as f64 / links.len() as f64;
    assert!((0.55..0.75).contains(&share), "{share}");
}

#[test]
fn a_hidden_article_is_linked_by_one_article_of_another_kind() {
    let articles = generate_articles();
    for (index, hidden) in articles.iter().enumerate() {
        if hidden.visibility != Visibility::Hidden {
            continue;
        }
        let sources: Vec<&Article> = articles
            .iter()
            .filter(|article| article.links.contains(&index))
            .collect();
        assert_eq!(sources.len(), 1, "{}", hidden.page.url);
        assert!(
            sources[0].subject != hidden.subject
                || sources[0].page.language != hidden.page.language
        );
    }
    let count = |visibility| {
        articles
            .iter()
            .filter(|a| a.visibility == visibility && a.subject == Some("earthquakes"))
            .count()
    };
    assert_eq!(count(Visibility::Hidden), 6);
    assert_eq!(count(Visibility::Unlisted), 10);
}

#[test]
fn robots_txt_forbids_print_versions_which_exist() {
    let web = LinkedWeb::generate();
    let (_, _, robots) = get(&web, "http://evening-post.test/robots.txt");
    assert_eq!(robots, "User-agent: *\nDisallow: /print/\n");
    let path = web.print_versions.keys().next().unwrap();
    let (status, ..) = get(&web, &format!("http://evening-post.test{path}"));
    assert_eq!(status, "200");
    assert_eq!(get(&web, "http://courier.test/robots.txt").0, "404");
}

#[test]
fn the_calendar_has_no_end() {
    let web = LinkedWeb::generate();
    let mut url = "http://courier.test/calendar/2026/01".to_owned();
    for _ in 0..30 {
        let (status, _, body) = get(&web, &url);
        assert_eq!(status, "200");
        url = link_urls(&url, &body).pop().unwrap();
    }
    assert_eq!(url, "http://courier.test/calendar/2028/07");
    for path in [
        "",
        "x/01",
        "2026",
        "2026/0",
        "2026/13",
        "4294967295/12",
        "0/1",
    ] {
        let (status, ..) = get(&web, &format!("http://courier.test/calendar/{path}"));
        assert_eq!(status, "404", "{path}");
    }
}

#[test]
fn hosts_are_distinguished_and_only_get_is_answered() {
    let web = LinkedWeb::generate();
    assert_eq!(get(&web, "http://no.test/").0, "404");
    assert_eq!(get(&web, "http://start.test/").0, "200");
    let request = Request {
        method: "POST".into(),
        path: "/".into(),
        host: Some("start.test".into()),
        ..Request::default()
    };
    assert!(web.answer(&request).status.starts_with("405"));
}

#[test]
fn the_core_is_from_other_hosts_and_has_other_texts() {
    let core = generate_core("earthquakes").unwrap();
    assert_eq!(core.len(), 100);
    let hosts: BTreeSet<&str> = core
        .iter()
        .map(|page| page.url.split('/').nth(2).unwrap())
        .collect();
    assert_eq!(hosts.len(), 8);
    let articles = generate_articles();
    for page in &core {
        assert!(
            !hosts
                .iter()
                .any(|host| articles.iter().any(|a| a.site.host == *host))
        );
        assert!(
            articles
                .iter()
                .all(|article| article.page.text != page.text)
        );
    }
    let message = generate_core("knitting").unwrap_err().to_string();
    assert!(
        message.starts_with("knitting: not one of gold-mining, "),
        "{message}"
    );
}
