//! `frontier`: the order of URLs, hosts that are backed off, scope, steps that are repeated, and
//! rebuilding.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The frontier of a crawl in a folder of its own.
struct Crawl(tempfile::TempDir);

impl Crawl {
    /// Starts a crawl with these seeds.
    fn new(seeds: &[&str]) -> Crawl {
        let crawl = Crawl(temp_folder());
        let lines: Vec<Value> = seeds.iter().map(|url| json!({ "url": url })).collect();
        let added = crawl.run(&["--add"], &to_lines(&lines)).expect_exit(0);
        assert_eq!((added.stdout.as_str(), added.stderr.as_str()), ("", ""));
        crawl
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str], input: &str) -> ToolOutput {
        let state = self.path("frontier.db");
        run_tool(
            "frontier",
            [&["--state", text(&state)], args].concat(),
            input,
        )
    }

    fn judge(&self, records: &[Value]) {
        let lines = to_lines(records);
        let passed = self.run(&[], &lines).expect_exit(0);
        assert_eq!(
            (passed.stdout.as_str(), passed.stderr.as_str()),
            (lines.as_str(), "")
        );
    }

    fn next(&self, args: &[&str]) -> Vec<String> {
        let records = self.run(args, "").expect_exit(0).records();
        let url = |record: &Value| record["url"].as_str().unwrap().to_owned();
        records.iter().map(url).collect()
    }

    /// Returns the URLs that would be given next in an order, and changes nothing.
    fn next_in_order(&self, order: &str) -> Vec<String> {
        let copy = self.path("copy.db");
        fs::copy(self.path("frontier.db"), &copy).unwrap();
        let args = ["--state", text(&copy), "--next", "9", "--order", order];
        let records = run_tool("frontier", args, "").expect_exit(0).records();
        let url = |record: &Value| record["url"].as_str().unwrap().to_owned();
        records.iter().map(url).collect()
    }

    fn report(&self) -> Value {
        let report = self.run(&["--report"], "").expect_exit(0).stdout;
        serde_json::from_str(&report).unwrap()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn judged(url: &str, score: f64, links: &[&str]) -> Value {
    let named: Vec<(&str, &str)> = links.iter().map(|url| (*url, "")).collect();
    judged_with_texts(url, score, &named)
}

fn judged_with_texts(url: &str, score: f64, links: &[(&str, &str)]) -> Value {
    let link = |(url, text): &(&str, &str)| json!({ "url": url, "text": text });
    let links: Vec<Value> = links.iter().map(link).collect();
    json!({
        "url": url, "text": "x", "fetch": { "url": url, "status": 200 }, "links": links,
        "topic": { "score": score },
    })
}

fn dead(url: &str) -> Value {
    let error = json!({ "tool": "fetch-extract", "kind": "dns", "message": "" });
    json!({ "url": url, "error": error })
}

#[test]
fn a_batch_is_a_step_with_the_place_of_each_url() {
    let crawl = Crawl::new(&["http://s.test/", "http://t.test/#x"]);
    let first = crawl.run(&["--next", "5"], "").expect_exit(0);
    assert_eq!(
        first.stdout,
        concat!(
            r#"{"step":{"number":1,"target":"on-topic"},"url":"http://s.test/","#,
            r#""frontier":{"score":null,"depth":0,"parents":0}}"#,
            "\n",
            r#"{"step":{"number":1,"target":"on-topic","last":true},"url":"http://t.test/","#,
            r#""frontier":{"score":null,"depth":0,"parents":0}}"#,
            "\n"
        )
    );
    crawl.judge(&[
        judged("http://s.test/", 0.5, &["http://a.test/", "http://b.test/"]),
        judged("http://t.test/", 1.0, &["http://b.test/#y"]),
    ]);
    let args = ["--next", "1", "--step", "7", "--target", "news"];
    let second = crawl.run(&args, "").expect_exit(0).records();
    assert_eq!(
        second,
        [json!({
            "step": { "number": 7, "target": "news", "last": true }, "url": "http://b.test/",
            "frontier": { "score": 0.75, "depth": 1, "parents": 2 },
        })]
    );
    let third = crawl.run(&["--next", "1"], "").expect_exit(0).records();
    assert_eq!(
        (&third[0]["step"]["number"], &third[0]["url"]),
        (&json!(8), &json!("http://a.test/"))
    );
    assert_eq!(crawl.run(&["--next", "1"], "").expect_exit(0).stdout, "");
}

#[test]
fn a_page_is_connected_to_its_in_links_as_to_its_links() {
    let crawl = Crawl::new(&["http://s.test/", "http://t.test/"]);
    crawl.next(&["--next", "2"]);
    let mut first = judged("http://s.test/", 1.0, &["http://a.test/", "http://b.test/"]);
    // The second in-link is also a link, and was found in two spellings.
    first["in_links"] = json!([
        { "url": "http://c.test/", "title": "C" },
        { "url": "http://b.test/#x" },
        { "url": "ftp://d.test/" },
        { "url": "http://s.test/" },
    ]);
    let mut second = judged("http://t.test/", 0.5, &[]);
    second["in_links"] = json!([{ "url": "http://c.test/?utm_source=s" }]);
    crawl.judge(&[first, second]);
    let records = crawl.run(&["--next", "5"], "").expect_exit(0).records();
    let entries: Vec<Value> = records
        .iter()
        .map(|r| json!([r["url"], r["frontier"]["score"], r["frontier"]["parents"]]))
        .collect();
    assert_eq!(
        entries,
        [
            json!(["http://a.test/", 1.0, 1]),
            json!(["http://b.test/", 1.0, 1]),
            json!(["http://c.test/", 0.75, 2]),
        ]
    );
}

#[test]
fn the_links_of_a_page_that_says_nofollow_are_not_followed() {
    for (robots, is_followed) in [
        ("noindex, nofollow", false),
        ("none", false),
        ("noindex", true),
    ] {
        for option in [&[][..], &["--follow-nofollow"]] {
            let crawl = Crawl::new(&["http://a.test/"]);
            let mut page = judged("http://a.test/", 1.0, &["http://a.test/x"]);
            page["fetch"] = json!({"url": "http://a.test/", "robots": robots});
            page["in_links"] = json!([{"url": "http://a.test/in"}]);
            crawl.run(option, &to_lines(&[page])).expect_exit(0);
            let given = crawl.next(&["--next", "9"]);
            let has_link = given.contains(&"http://a.test/x".to_owned());
            assert_eq!(has_link, is_followed || !option.is_empty(), "{robots}");
            assert!(given.contains(&"http://a.test/in".to_owned()), "{robots}");
        }
    }
}

#[test]
fn in_links_of_the_wrong_type_make_the_page_an_error() {
    let crawl = Crawl::new(&["http://s.test/"]);
    let mut page = judged("http://s.test/", 1.0, &["http://a.test/"]);
    page["in_links"] = json!("http://b.test/");
    let passed = crawl.run(&[], &to_lines(&[page])).expect_exit(0).records();
    assert_eq!(passed[0]["error"]["kind"], "bad-field");
    assert_eq!(crawl.next(&["--next", "5"]), [""; 0]);
}

#[test]
fn a_seed_that_is_not_a_url_is_reported_with_its_line() {
    let crawl = Crawl(temp_folder());
    let deny = crawl.path("deny.txt");
    fs::write(&deny, "# no\nd.test\n").unwrap();
    let seeds = "{\"url\":\"http://a.test/\"}\n{\"url\":\"a.test\"}\n{\"url\":7}\n{}\n\
                 {\"url\":\"http://www.d.test/\"}\n";
    let args = ["--add", "--hosts-deny", text(&deny)];
    let output = crawl.run(&args, seeds).expect_exit(0);
    let places: Vec<&str> = output
        .stderr
        .lines()
        .map(|line| line.split(": ").nth(1).unwrap())
        .collect();
    assert_eq!(places, ["-:2", "-:3", "-:5"], "{}", output.stderr);
    let args = ["--add", "--hosts-allow", text(&deny)];
    fs::write(&deny, "a.test\nnot a host\n").unwrap();
    let output = crawl.run(&args, "").expect_exit(2);
    assert!(output.stderr.contains("deny.txt:2: "), "{}", output.stderr);
    assert_eq!(crawl.next(&["--next", "9"]), ["http://a.test/"]);
}

#[test]
fn a_field_of_the_wrong_type_makes_the_page_an_error_without_links() {
    let crawl = Crawl::new(&["http://s.test/"]);
    crawl.next(&["--next", "1"]);
    for wrong in [
        r#""links":7"#,
        r#""links":[{"url":"http://b.test/"},7]"#,
        r#""topic":{"score":"x"},"links":[{"url":"http://b.test/"}]"#,
        r#""fetch":{"url":5},"links":[{"url":"http://b.test/"}]"#,
    ] {
        let input = format!(r#"{{"url":"http://s.test/",{wrong}}}"#);
        let record = crawl.run(&[], &input).expect_exit(0).records().remove(0);
        assert_eq!(record["error"]["kind"], "bad-field", "{wrong}");
    }
    assert_eq!(crawl.report()["waiting"], 0);
}

#[test]
fn a_page_without_text_passes_on_the_score_with_which_it_was_given() {
    let crawl = Crawl::new(&[]);
    crawl.judge(&[
        judged("http://a.test/", 0.9, &["http://frames.test/"]),
        judged("http://b.test/", 0.5, &["http://b.test/1"]),
    ]);
    let mut frames = crawl.run(&["--next", "1"], "").expect_exit(0).records();
    assert_eq!(frames[0]["url"], "http://frames.test/");
    frames[0]["error"] = json!({ "tool": "fetch-extract", "kind": "no-text", "message": "" });
    frames[0]["links"] = json!([{ "url": "http://frames.test/menu", "text": "" }]);
    crawl.judge(&frames);
    assert_eq!(
        crawl.next(&["--next", "2"]),
        ["http://frames.test/menu", "http://b.test/1"]
    );
}

#[test]
fn the_score_of_a_page_is_in_any_field() {
    let crawl = Crawl::new(&[]);
    let page = |url: &str, share: f64, link: &str| {
        json!({"url": url, "text": "x", "langid": {"share": {"slv": share}},
               "links": [{"url": link, "text": ""}], "step": {"number": 1, "target": "slv"}})
    };
    let pages = [
        page("http://a.test/", 0.2, "http://a.test/low"),
        page("http://b.test/", 0.8, "http://b.test/high"),
        json!({"url": "http://c.test/", "text": "x", "label": "eng"}),
    ];
    let field = ["--score", "langid.share.slv"];
    let output = crawl.run(&field, &to_lines(&pages)).expect_exit(0);
    assert!(
        output
            .stderr
            .contains("http://c.test/: has no score, the number langid.share.slv"),
        "{}",
        output.stderr
    );
    let next = crawl.run(&["--next", "2"], "").expect_exit(0).records();
    let found: Vec<_> = next
        .iter()
        .map(|record| {
            (
                record["url"].as_str().unwrap(),
                record["frontier"]["score"].as_f64(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("http://b.test/high", Some(0.8)),
            ("http://a.test/low", Some(0.2))
        ]
    );
    let refused = crawl.run(&["--score", "langid..slv"], "").expect_exit(2);
    assert!(
        refused.stderr.contains("is not the name of a field"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_host_with_two_dead_links_is_due_after_20_urls_of_other_hosts() {
    let crawl = Crawl::new(&["http://s.test/"]);
    crawl.next(&["--next", "1"]);
    let dead_urls: Vec<String> = (0..5).map(|n| format!("http://dead.test/{n}")).collect();
    let other_urls: Vec<String> = (0..26).map(|n| format!("http://h{n}.test/")).collect();
    let links: Vec<&str> = dead_urls
        .iter()
        .chain(&other_urls)
        .map(String::as_str)
        .collect();
    crawl.judge(&[judged("http://s.test/", 1.0, &links)]);
    assert_eq!(crawl.next(&["--next", "2"]), dead_urls[..2]);
    crawl.judge(&[dead(&dead_urls[0]), dead(&dead_urls[1])]);
    assert_eq!(crawl.report()["backed_off"], 1);
    assert_eq!(crawl.next(&["--next", "19"]), other_urls[..19]);
    assert_eq!(crawl.next(&["--next", "1"]), other_urls[19..20]);
    // One URL of the host at a time.
    let next = [&dead_urls[2..3], &other_urls[20..22]].concat();
    assert_eq!(crawl.next(&["--next", "3"]), next);
    crawl.judge(&[dead(&dead_urls[2])]);
    // If nothing else waits, it is not waited for.
    assert_eq!(crawl.next(&["--next", "9"]), other_urls[22..]);
    assert_eq!(crawl.next(&["--next", "9"]), dead_urls[3..4]);
    // A live page ends the back-off.
    crawl.judge(&[judged(
        &dead_urls[3],
        1.0,
        &["http://dead.test/x", "http://dead.test/y"],
    )]);
    let freed = [&dead_urls[4], "http://dead.test/x", "http://dead.test/y"];
    assert_eq!(crawl.next(&["--next", "9"]), freed);
    assert_eq!(crawl.report()["dead_links"], 3);
}

#[test]
fn the_back_off_of_a_host_doubles_until_it_has_a_live_page() {
    let hosts = ["http://dead.test/", "http://live.test/"];
    let crawl = Crawl::new(&["http://s.test/", "http://live.test/start"]);
    crawl.next(&["--next", "2"]);
    let of = |host: &str| (0..4).map(|n| format!("{host}{n}")).collect::<Vec<_>>();
    let [dead_host, live_host] = hosts.map(of);
    let others: Vec<String> = (0..60).map(|n| format!("http://h{n}.test/")).collect();
    let links = [&dead_host[..], &live_host, &others].concat();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    crawl.judge(&[judged("http://live.test/start", 1.0, &[])]);
    crawl.judge(&[judged("http://s.test/", 1.0, &links)]);
    // Three dead links of each host; URLs of a host with a dead link are given one at a time.
    let next = |count: usize| crawl.next(&["--next", &count.to_string()]);
    let first = next(6);
    assert_eq!(first[..4], dead_host[..]);
    assert_eq!(first[4..], live_host[..2]);
    let dead_urls = [&dead_host[..3], &live_host[..2]].concat();
    crawl.judge(&dead_urls.iter().map(|url| dead(url)).collect::<Vec<_>>());
    assert_eq!(next(20), others[..20]);
    // The known host is due, the other one only after 40.
    let second = next(3);
    assert_eq!(second[0], live_host[2]);
    crawl.judge(&[dead(&live_host[2])]);
    assert_eq!(next(20), others[22..42]);
    assert_eq!(next(1), live_host[3..]);
}

#[test]
fn links_out_of_scope_and_of_traps_are_left_out_and_counted() {
    let crawl = Crawl::new(&["http://s.test/"]);
    crawl.next(&["--next", "1"]);
    let deny = crawl.path("deny.txt");
    fs::write(&deny, "d.test\n").unwrap();
    let long = format!("http://a.test/{}", "x".repeat(2000));
    let mut links: Vec<String> = (0..205).map(|n| format!("http://a.test/c?d={n}")).collect();
    for url in [
        "http://www.d.test/",
        "http://a.test/x/y/x/y/x/y",
        "http://a.test/p;jsessionid=12AB",
        "http://a.test/p",
        "mailto:x@a.test",
        &long,
    ] {
        links.push(url.into());
    }
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let page = to_lines(&[judged("http://s.test/", 1.0, &links)]);
    let scope = ["--hosts-deny", text(&deny), "--max-depth", "1"];
    crawl.run(&scope, &page).expect_exit(0);
    let deep = to_lines(&[judged("http://a.test/p", 1.0, &["http://a.test/deep"])]);
    crawl.run(&scope, &deep).expect_exit(0);
    let report = crawl.report();
    assert_eq!(
        report["left_out"],
        json!({ "scope": 1, "depth": 1, "length": 1, "repetition": 1, "queries": 5 })
    );
    assert_eq!(
        (&report["waiting"], &report["given"]),
        (&json!(200), &json!(2))
    );
    assert_eq!((&report["seeds"], &report["hosts"]), (&json!(1), &json!(2)));
    assert_eq!(
        crawl.next(&["--next", "9", "--per-host-step", "2"]).len(),
        2
    );
}

#[test]
fn an_order_is_chosen_for_each_batch() {
    let crawl = Crawl::new(&["http://s.test/1", "http://s.test/2", "http://s.test/3"]);
    crawl.next(&["--next", "3"]);
    let first = [
        ("http://a.test/x/1", "binary trees"),
        ("http://b.test/x/1", "cheap flights"),
    ];
    crawl.judge(&[judged_with_texts("http://s.test/1", 0.5, &first)]);
    assert_eq!(crawl.next(&["--next", "2"]).len(), 2);
    let later = [
        ("http://b.test/x/2", "flights"),
        ("http://a.test/x/2", "flights"),
        ("http://c.test/x/3", "trees"),
        ("http://d.test/x/4", "hotels"),
    ];
    crawl.judge(&[
        judged("http://a.test/x/1", 1.0, &[]),
        judged("http://b.test/x/1", 0.0, &[]),
        judged_with_texts("http://s.test/2", 0.5, &later[..3]),
        judged_with_texts("http://s.test/3", 0.6, &later[3..]),
    ]);
    let order = |order: &str| {
        let urls = crawl.next_in_order(order);
        urls.iter().map(|url| &url[7..8]).collect::<String>()
    };
    assert_eq!(order("mean"), "dbac");
    assert_eq!(order("breadth"), "bacd");
    assert_eq!(
        &order("anchor")[..2],
        "dc",
        "trees were good, flights were not"
    );
    assert_eq!(order("yield"), "adcb", "a.test was good, b.test was not");
}

#[test]
fn best_first_takes_the_best_parent_and_the_live_pages_of_the_directory() {
    let crawl = Crawl::new(&["http://s.test/1", "http://s.test/2", "http://s.test/3"]);
    crawl.next(&["--next", "3"]);
    let [a, b] = ["http://a.test/", "http://b.test/"];
    let gone = ["http://c.test/gone/1", "http://c.test/gone/2"];
    let live = ["http://c.test/live/1", "http://c.test/live/2"];
    crawl.judge(&[
        judged("http://s.test/1", 0.6, &[b, live[0], live[1]]),
        judged("http://s.test/2", 0.9, &[a, gone[0], gone[1]]),
        judged("http://s.test/3", 0.2, &[a]),
    ]);
    let by_mean = [gone[0], gone[1], b, live[0], live[1], a];
    assert_eq!(crawl.next_in_order("mean"), by_mean);
    let by_greatest = [a, gone[0], gone[1], b, live[0], live[1]];
    assert_eq!(crawl.next_in_order("best"), by_greatest);
    crawl.judge(&[dead(gone[0]), judged(live[0], 0.0, &[])]);
    assert_eq!(crawl.next_in_order("best"), [a, b, live[1], gone[1]]);
}

/// Returns the records of a crawl of a random web, step by step, with dead hosts, in two orders.
fn crawl_step(crawl: &Crawl, step: u64, batch: &str) -> String {
    let number = step.to_string();
    let order = if step.is_multiple_of(2) {
        "best"
    } else {
        "mean"
    };
    let args = ["--next", batch, "--step", &number, "--from-step", &number];
    let given = crawl
        .run(&[&args[..], &["--order", order]].concat(), "")
        .expect_exit(0)
        .records();
    let pages = given.into_iter().map(|mut record| {
        let url = record["url"].as_str().unwrap().to_owned();
        let hash = url.bytes().fold(step_seed(&url), |hash, byte| {
            hash * 31 % 9973 + u64::from(byte)
        });
        let page = if hash % 3 == 0 {
            let error = json!({ "tool": "fetch-extract", "kind": "http-status", "message": "" });
            json!({ "url": url, "error": error })
        } else {
            let link = |n: u64| format!("http://h{}.test/{}", (hash * n) % 12, (hash + n) % 90);
            let links: Vec<String> = (1..9).map(link).collect();
            let links: Vec<&str> = links.iter().map(String::as_str).collect();
            let mut page = judged(&url, (hash % 8) as f64 / 4.0, &links[..6]);
            page["in_links"] = links[4..].iter().map(|url| json!({ "url": url })).collect();
            page
        };
        for (key, value) in page.as_object().unwrap() {
            record[key] = value.clone();
        }
        record
    });
    let lines = to_lines(&pages.collect::<Vec<_>>());
    crawl
        .run(&["--from-step", &number], &lines)
        .expect_exit(0)
        .stdout
}

fn step_seed(url: &str) -> u64 {
    url.len() as u64
}

#[test]
fn a_state_that_was_killed_restored_or_rebuilt_gives_the_same_urls() {
    let seed = "http://h1.test/7";
    let whole = Crawl::new(&[seed]);
    let mut journal = vec![format!("{{\"url\":\"{seed}\"}}\n")];
    for step in 1..=30 {
        journal.push(crawl_step(&whole, step, "3"));
    }
    let other = Crawl::new(&[seed]);
    let state = text(&other.path("frontier.db")).to_owned();
    let journal_path = other.path("journal.jsonl");
    let rebuild = |args: &[&str]| {
        let args = [&["--rebuild", text(&journal_path)], args].concat();
        other.run(&args, "").expect_exit(0).stderr
    };
    for step in 1..=30_usize {
        let number = step.to_string();
        fs::write(&journal_path, journal[..step].concat()).unwrap();
        match step % 5 {
            // Killed after the URLs were given, and after some pages were applied.
            1 => drop(crawl_step(&other, step as u64, "5")),
            // An older copy is recognised and rebuilt.
            2 if step > 5 => {
                fs::copy(format!("{state}.old"), &state).unwrap();
                let _ = fs::remove_file(format!("{state}-wal"));
                assert!(rebuild(&["--if-behind", &number]).contains("lacks steps"));
            }
            3 => assert_eq!(rebuild(&[]), ""),
            4 => {
                assert_eq!(rebuild(&["--if-behind", &number]), "");
                fs::copy(&state, format!("{state}.old")).unwrap();
            }
            _ => {}
        }
        assert_eq!(
            crawl_step(&other, step as u64, "3"),
            journal[step],
            "step {step}"
        );
    }
}

#[test]
fn both_ends_of_a_pipe_can_be_the_same_frontier() {
    let crawl = Crawl::new(&["http://s.test/"]);
    let dir = crawl.0.path().display();
    let fetch = r#"jq -c '. + {links: [{url: (.url + "a"), text: ""}], topic: {score: 1}}'"#;
    for step in 1..6 {
        let from = if step % 2 == 0 {
            format!("--from-step {step}")
        } else {
            String::new()
        };
        let script = format!(
            "frontier --state {dir}/frontier.db --next 2 --step {step} {from} | {fetch} |
             frontier --state {dir}/frontier.db {from}"
        );
        let records = run_bash(&script, "").expect_exit(0).records();
        assert_eq!(records.len(), 1, "step {step}");
        assert_eq!(records[0]["url"].as_str().unwrap().len(), 13 + step);
    }
}

#[test]
fn an_output_that_breaks_off_loses_no_url() {
    let crawl = Crawl::new(&["http://s.test/"]);
    let dir = crawl.0.path().display();
    let script = format!("frontier --state {dir}/frontier.db --next 1 > /dev/full; echo $?");
    assert_eq!(run_bash(&script, "").expect_exit(0).stdout, "2\n");
    assert_eq!(crawl.next(&["--next", "1"]), ["http://s.test/"]);
}
