//! Text files of hosts and users: robots.txt, tdmrep.json, site rules, topic profiles, lists of
//! URLs.

use super::{Target, choice, shape_of, shape_of_error};
use forage_extract::{ExtractionOptions, RuleSet, extract_page};
use forage_topic::profile::{ProfileScorer, TopicProfile};
use forage_web::page_url::{
    HostList, directory_of, host_key, host_of, normalise_url, strip_credentials,
};
use forage_web::robots::{
    PRODUCT_TOKEN, Reservations, RobotsTxt, is_url_allowed, parse_directives,
};

/// Paths and texts by which rules are tried.
const PATHS: [&str; 6] = [
    "/",
    "/a/b.html?q=1",
    "/%C5%A1ola",
    "/private/x.pdf",
    "/a$b*c",
    "*",
];

/// Robots.txt.
pub const ROBOTS: Target = Target {
    dictionary: &[
        "User-agent: *\n",
        "User-agent: forage\n",
        "Disallow: /",
        "Allow: /",
        "Crawl-delay: ",
        "*",
        "$",
        "%41",
        "%",
        "#",
        "Sitemap: ",
        "\r",
        "\u{FEFF}",
        "noai, unavailable_after: ",
    ],
    max_bytes: 512 << 10,
    test_inputs: 6000,
    ..Target::new("robots", "robots.txt, robots directives", run_robots)
};

/// The TDM file.
pub const TDMREP: Target = Target {
    dictionary: &[
        "{\"location\":\"/\",",
        "\"tdm-reservation\":1}",
        "\"tdm-policy\":\"",
        "[",
        "]",
        "*",
        "$",
        "%24",
        "%2A",
        "null",
    ],
    test_inputs: 10000,
    ..Target::new("tdmrep", "tdmrep.json", run_tdmrep)
};

/// Site rules. They are tried on a page.
pub const SITE_RULES: Target = Target {
    dictionary: &[
        "[[site]]\n",
        "host = \"a.test\"\n",
        "article = \"p\"\n",
        "start = \"h1\"\n",
        "end = \".x\"\n",
        "drop = [\"a\"]\n",
        "start_patterns = [\"(?i)a+\"]\n",
        "title = \"h1\"\n",
        "*",
        ":has(",
        ":not(",
        "> ",
        "~ ",
        "+ ",
        "[a^=b]",
        ":nth-child(2n+1)",
        "\"\"\"",
        "(a*)*$",
        "\\p{L}{1000}",
        "#",
    ],
    max_bytes: 16 << 10,
    test_inputs: 2000,
    ..Target::new(
        "site-rules",
        "site rules, applied to a page",
        run_site_rules,
    )
};

/// Topic profiles. They score a text.
pub const TOPIC_PROFILE: Target = Target {
    dictionary: &[
        "term\t",
        "pair\t",
        "triple\t",
        "# language: ",
        "eng",
        "jpn",
        "tha",
        "\t",
        " ",
        "graph",
        "inf",
    ],
    test_inputs: 10000,
    ..Target::new(
        "topic-profile",
        "topic profiles, which score a text",
        run_topic_profile,
    )
};

/// URLs and lists of hosts.
pub const URL: Target = Target {
    dictionary: &[
        "http://",
        "https://",
        "user:pw@",
        "[::1]",
        ":65536",
        "/../",
        "?utm_source=x",
        "&fbclid=",
        "%",
        "xn--",
        "。",
        "\u{AD}",
        "#",
        "//",
        "file:///",
        "data:,",
        "..",
        "@",
    ],
    max_bytes: 16 << 10,
    test_inputs: 8000,
    ..Target::new("url", "URLs and lists of hosts", run_url)
};

fn run_robots(input: &[u8]) -> u64 {
    let robots = RobotsTxt::parse(input, PRODUCT_TOKEN);
    let allowed = PATHS.iter().filter(|path| robots.allows(path)).count();
    let again = RobotsTxt::parse(robots.to_text().as_bytes(), PRODUCT_TOKEN);
    let changed = PATHS
        .iter()
        .find(|path| robots.allows(path) != again.allows(path));
    assert_eq!(changed, None, "the stored rules differ");
    let is_allowed = is_url_allowed(input, PRODUCT_TOKEN, "http://a.test/a/b.html?q=1");
    let directives = parse_directives(&String::from_utf8_lossy(input), PRODUCT_TOKEN);
    shape_of(
        "robots",
        &[
            allowed,
            robots.to_text().len(),
            usize::from(is_allowed),
            directives.len(),
            robots
                .crawl_delay()
                .map_or(0, |delay| delay.as_secs() as usize),
        ],
    )
}

fn run_tdmrep(input: &[u8]) -> u64 {
    let reservations = Reservations::parse(input);
    let reserved = |file: &Reservations| PATHS.map(|path| file.is_reserved(path));
    let again = Reservations::parse(reservations.to_text().as_bytes());
    assert_eq!(
        reserved(&reservations),
        reserved(&again),
        "the stored rules differ"
    );
    super::hash(&(
        reserved(&reservations),
        reservations.to_text().len().ilog2(),
    ))
}

fn run_site_rules(input: &[u8]) -> u64 {
    const PAGE: &str = "<html lang=en><h1 class=x>Water</h1><div id=main><p>The water is cold.\
        <p class=a>And clear.<a href=/x>More</a><ul><li>One<li>Two</ul></div><footer>End</footer>";
    let mut rules = RuleSet::default();
    if let Err(error) = rules.add_file(&String::from_utf8_lossy(input)) {
        return shape_of_error(error);
    }
    let options = ExtractionOptions {
        rules,
        ..ExtractionOptions::default()
    };
    let shapes = ["http://a.test/", "https://www.bbc.com/news/1"].map(|url| {
        let page = extract_page(PAGE.into(), Some(url), &options);
        shape_of(
            "rule",
            &[
                page.text.len(),
                page.fetch
                    .rule
                    .map_or(0, |rule| 1 + usize::from(rule.matched)),
            ],
        )
    });
    super::hash(&shapes)
}

fn run_topic_profile(input: &[u8]) -> u64 {
    let profile = match TopicProfile::parse(input) {
        Ok(profile) => profile,
        Err(error) => return shape_of_error(error.in_file("x")),
    };
    let again = TopicProfile::parse(profile.to_text().as_bytes());
    assert!(
        again.is_ok(),
        "the written profile cannot be read: {again:?}"
    );
    let scores =
        ProfileScorer::new(&profile).score("The shortest path in a weighted graph. 日本語");
    shape_of(
        &format!("{}", profile.language),
        &[
            profile.entries.len(),
            (scores.term * 8.0) as usize,
            (scores.vsm * 8.0) as usize,
        ],
    )
}

fn run_url(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let hosts = HostList::parse(&text);
    let (mut valid, mut listed) = (0, 0);
    for line in text.lines() {
        strip_credentials(line);
        directory_of(line);
        let host = host_of(line);
        let is_listed = host
            .zip(hosts.as_ref().ok())
            .is_some_and(|(host, list)| list.contains(&host));
        listed += usize::from(is_listed);
        if let Ok(url) = normalise_url(line) {
            valid += 1;
            host_key(&url);
            let again = normalise_url(url.as_str()).map(String::from);
            assert_eq!(
                again.as_deref(),
                Ok(url.as_str()),
                "normalisation is not idempotent"
            );
        }
    }
    shape_of(
        "url",
        &[valid, listed, usize::from(hosts.is_ok()), choice(input, 2)],
    )
}
