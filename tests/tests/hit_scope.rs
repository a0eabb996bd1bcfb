//! The hits that a user wants at all: hosts that are allowed, denied or limited, and what an earlier
//! corpus has.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_run_files, resume_command, retrieved_documents,
    run_pipeline,
};
use forage_tests::open_web::OpenWeb;
use forage_tests::{run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Returns the URLs that `search` returns for `dan` from an index of four pages on three hosts.
fn find(folder: &Path, more: &[&str]) -> Vec<String> {
    let engine = format!("index:{}", folder.join("index").display());
    if !folder.join("index").exists() {
        let pages: String = [
            "http://a.test/1",
            "http://a.test/2",
            "http://www.b.test/1",
            "http://c.test/1",
        ]
        .iter()
        .enumerate()
        .map(|(n, url)| format!("{{\"url\":\"{url}\",\"text\":\"dan {n}\"}}\n"))
        .collect();
        run_tool("search", ["--engine", &engine, "--add"], pages).expect_exit(0);
    }
    let args = [&["--engine", &engine, "--next", "10"], more].concat();
    let query = "{\"query\":{\"include\":[\"dan\"]}}\n";
    let output = run_tool("search", args, query).expect_exit(0);
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].clone();
    output
        .stdout
        .lines()
        .filter_map(|line| url(line).as_str().map(str::to_owned))
        .collect()
}

#[test]
fn hosts_are_allowed_denied_and_limited() {
    let dir = temp_folder();
    let list = |name: &str, text: &str| {
        let file = dir.path().join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let allowed = list("allowed", "# ours\nA.test\nb.test\n");
    let denied = list("denied", "a.test\n");
    let find = |more: &[&str]| find(dir.path(), more);
    assert_eq!(find(&[]).len(), 4);
    assert_eq!(
        find(&["--hosts-allow", &allowed]),
        ["http://a.test/1", "http://a.test/2", "http://www.b.test/1"]
    );
    assert_eq!(
        find(&["--hosts-allow", &allowed, "--hosts-deny", &denied]),
        ["http://www.b.test/1"]
    );
    assert_eq!(
        find(&["--per-host", "1"]),
        ["http://a.test/1", "http://c.test/1", "http://www.b.test/1"]
    );
    let wrong = list("wrong", "a.test\n\nevil/\n");
    let engine = format!("index:{}", dir.path().join("index").display());
    let args = ["--engine", &engine, "--hosts-deny", &wrong];
    let stderr = run_tool("search", args, "").expect_exit(2).stderr;
    assert!(
        stderr.contains("wrong:3: `evil/` is not a host name"),
        "{stderr}"
    );
}

#[test]
fn a_run_without_a_hit_on_an_allowed_host_is_stopped() {
    let web = OpenWeb::start();
    let dir = temp_folder();
    let hosts = dir.path().join("hosts");
    let name = hosts.display().to_string();
    for (list, message) in [
        ("# nothing\n", "has no host, so no hit could be returned"),
        (
            "nowhere.test\n",
            "start a new run with other lists of hosts",
        ),
    ] {
        fs::write(&hosts, list).unwrap();
        let out = dir.path().join("run");
        let args = web.args();
        let args = args.iter().map(String::as_str);
        let args: Vec<&str> = args.chain(["--hosts-allow", &name]).collect();
        let stderr = run_pipeline(new_run_command(&out, &args))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{stderr}");
        assert!(web.count_calls() <= 60, "{}", web.count_calls());
    }
}

#[test]
fn hits_of_earlier_steps_count_towards_the_limit_of_a_host() {
    let dir = temp_folder();
    let hits = dir.path().join("hits.db").display().to_string();
    let step = |more: &[&str]| find(dir.path(), &[&["--hits", &hits], more].concat());
    assert_eq!(step(&["--per-host", "1"]).len(), 3);
    assert_eq!(step(&["--per-host", "1"]), [""; 0]);
    assert_eq!(step(&["--per-host", "2"]), ["http://a.test/2"]);
}

#[test]
fn known_urls_are_read_once_and_skipped_in_any_spelling() {
    let dir = temp_folder();
    let known = dir.path().join("known.jsonl");
    let lines = [
        "{\"url\":\"HTTP://A.test/1#top\"}",
        "{\"url\":\"http://other.test/\",\"fetch\":{\"url\":\"http://c.test/1\"}}",
        "{\"text\":\"no url\"}",
    ];
    fs::write(&known, lines.join("\n")).unwrap();
    let name = known.display().to_string();
    let hits = dir.path().join("hits.db").display().to_string();
    let find = || find(dir.path(), &["--hits", &hits, "--known", &name]);
    assert_eq!(find(), ["http://a.test/2", "http://www.b.test/1"]);
    // A file that was read before need not be there any more.
    fs::remove_file(&known).unwrap();
    assert_eq!(find(), [""; 0]);
}

#[test]
fn dedup_compares_with_the_index_of_an_earlier_corpus() {
    let dir = temp_folder();
    let [old, new] = ["old.db", "new.db"].map(|name| dir.path().join(name).display().to_string());
    let text = "danes je lep dan in mi gremo na dolg sprehod do jezera in nazaj";
    let record = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    run_tool("dedup", ["--index", &old], record("old", text)).expect_exit(0);
    let before = fs::read(&old).unwrap();
    let input = record("same", text) + &record("other", "nekaj drugega");
    let output = run_tool("dedup", ["--index", &new, "--against", &old], input).expect_exit(0);
    let lines: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["dedup"]["status"], "exact");
    assert_eq!(lines[0]["dedup"]["of"], "old");
    assert_eq!(lines[1]["dedup"]["status"], "new");
    assert_eq!(fs::read(&old).unwrap(), before);
    let missing = ["--index", &new, "--against", "no.db"];
    run_tool("dedup", missing, "").expect_exit(2);
}

#[test]
fn a_run_by_regions_ends_although_an_earlier_corpus_has_most_of_the_target() {
    let dir = temp_folder();
    let first = dir.path().join("first");
    run_pipeline(new_run_command(&first, &["--docs", "50", "--batch", "10"])).expect_exit(0);
    let known = first.display().to_string();
    let out = dir.path().join("run");
    let args = ["--learn", "auto", "--batch", "10", "--known", &known];
    let limit = ["--queries", "400"];
    let stderr = run_pipeline(new_run_command(&out, &[&args[..], &limit].concat()))
        .expect_exit(0)
        .stderr;
    let reasons = [": no query is left", "are estimated to be left;"];
    assert!(
        reasons.iter().any(|reason| stderr.contains(reason)),
        "{stderr}"
    );
    assert!(!stderr.contains("recommended"), "{stderr}");
    assert!(corpus_urls(&out).is_disjoint(&corpus_urls(&first)));
}

/// Returns the number of documents by host.
fn documents_by_host(out: &Path) -> BTreeMap<String, usize> {
    let mut hosts = BTreeMap::new();
    for document in retrieved_documents(&read_journal(out)) {
        let url = document["url"].as_str().unwrap();
        let host = url.split('/').nth(2).unwrap().to_owned();
        *hosts.entry(host).or_default() += 1;
    }
    hosts
}

fn corpus_urls(out: &Path) -> BTreeSet<String> {
    let corpus = fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    corpus
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].to_string())
        .collect()
}

#[test]
fn a_run_skips_an_earlier_corpus_and_limits_hosts_also_when_it_is_resumed() {
    let dir = temp_folder();
    let first = dir.path().join("first");
    run_pipeline(new_run_command(&first, &["--docs", "20", "--batch", "5"])).expect_exit(0);
    let known = first.display().to_string();
    let args = ["--batch", "5", "--known", &known, "--per-host", "1"];
    let run = |name: &str, docs: &str| {
        let out = dir.path().join(name);
        let args = [&["--docs", docs], &args[..]].concat();
        run_pipeline(new_run_command(&out, &args)).expect_exit(0);
        out
    };
    let whole = run("whole", "20");
    assert!(
        documents_by_host(&whole)
            .values()
            .all(|documents| *documents == 1)
    );
    assert!(corpus_urls(&whole).is_disjoint(&corpus_urls(&first)));
    let parts = run("parts", "10");
    run_pipeline(resume_command(&parts, &["--docs", "20"])).expect_exit(0);
    assert_eq!(read_run_files(&parts), read_run_files(&whole));
}

#[test]
fn a_check_accepts_an_earlier_corpus_and_refuses_what_is_none() {
    let dir = temp_folder();
    let first = dir.path().join("first");
    run_pipeline(new_run_command(&first, &["--docs", "5"])).expect_exit(0);
    let known = first.display().to_string();
    let plain = dir.path().join("plain.txt");
    fs::write(&plain, "danes je lep dan\n").unwrap();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--known", &known, "--check"])).expect_exit(0);
    for (args, message) in [
        (
            &["--known", "--docs", "5"][..],
            "a value is required for '--known",
        ),
        (&["--known", plain.to_str().unwrap()], "is not a record"),
    ] {
        let stderr = run_pipeline(new_run_command(&out, args))
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
}

#[test]
fn an_earlier_corpus_that_has_changed_or_is_gone_is_noticed_before_the_first_step() {
    let dir = temp_folder();
    let known = dir.path().join("known.jsonl");
    let file = known.display().to_string();
    fs::write(&known, "").unwrap();
    let out = dir.path().join("run");
    let resume = |docs: &str| run_pipeline(resume_command(&out, &["--docs", docs]));
    let stderr = run_pipeline(new_run_command(&out, &["--docs", "3", "--known", &file]))
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains("recommended: --learn auto"), "{stderr}");
    assert!(
        stderr.contains(&format!("--known {file}: has no records")),
        "{stderr}"
    );
    let change = |text: &str| {
        fs::write(&known, text).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        let changed = fs::File::options().append(true).open(&known).unwrap();
        changed.set_modified(later).unwrap();
    };
    let steps = || retrieved_documents(&read_journal(&out)).len();
    change("no record\n");
    let stderr = resume("6").expect_exit(2).stderr;
    assert!(
        stderr.contains("has changed since the run read it"),
        "{stderr}"
    );
    assert!(stderr.contains("is not a record"), "{stderr}");
    assert_eq!(steps(), 3);
    // The documents of the new version are skipped, too.
    let all = dir.path().join("all");
    run_pipeline(new_run_command(&all, &["--docs", "12"])).expect_exit(0);
    change(&fs::read_to_string(all.join("corpus/slv.jsonl")).unwrap());
    resume("6").expect_exit(0);
    let before = corpus_urls(&out).intersection(&corpus_urls(&all)).count();
    assert_eq!(before, 3);
    // A file that is gone has been read; without the index that was made of it, it is missed.
    fs::remove_file(&known).unwrap();
    resume("7").expect_exit(0);
    fs::remove_file(out.join("known.db")).unwrap();
    for args in [&["--docs", "8"][..], &["--check"]] {
        let stderr = run_pipeline(resume_command(&out, args))
            .expect_exit(2)
            .stderr;
        assert_eq!(
            stderr,
            format!(
                "corpus-builder: --known {file}: does not exist any more, or cannot be read; \
                 restore it, or start a new run\n"
            )
        );
    }
    assert_eq!(steps(), 7);
}
