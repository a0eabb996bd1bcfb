//! `topic-profile`, and `topic-filter --profile`.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Texts on one subject, each of another host.
const CORE: [&str; 4] = [
    "A binary search tree keeps its keys in order. The balanced binary search tree is fast.",
    "Shortest paths in a weighted graph are found by dynamic programming.",
    "Dynamic programming and the shortest path: a weighted graph, a binary search tree.",
    "Binary search trees and weighted graphs need dynamic programming of the shortest path.",
];

fn core() -> String {
    let records = (0..).zip(CORE).map(|(number, text)| {
        json!({"url": format!("http://c{number}.test/"), "text": text}).to_string() + "\n"
    });
    records.collect()
}

fn write_profile(folder: &Path, core: &str, args: &[&str]) -> String {
    let out = folder.join("filter.tsv");
    let mut all = vec!["--out", out.to_str().unwrap()];
    all.extend(args);
    run_tool("topic-profile", all, core).expect_exit(0);
    fs::read_to_string(out).unwrap()
}

/// Returns the stems of a class in a profile.
fn entries<'a>(profile: &'a str, class: &str) -> Vec<&'a str> {
    let lines = profile.lines().map(|line| line.split('\t'));
    lines
        .filter_map(|mut columns| (columns.next()? == class).then(|| columns.next())?)
        .collect()
}

#[test]
fn proposes_stems_and_collocations_of_the_core() {
    let folder = temp_folder();
    let profile = write_profile(folder.path(), &core(), &[]);
    assert!(profile.starts_with("# language: eng\nterm\t"), "{profile}");
    for term in ["graph", "tree", "dynam"] {
        assert!(entries(&profile, "term").contains(&term), "{term}");
    }
    for pair in ["weight graph", "shortest path", "dynam program"] {
        assert!(entries(&profile, "pair").contains(&pair), "{pair}");
    }
    assert_eq!(entries(&profile, "triple"), ["binari search tree"]);
    let line = profile.lines().find(|line| line.starts_with("triple"));
    let columns: Vec<&str> = line.unwrap().split('\t').collect();
    assert_eq!(columns[2], "4");
    assert!(columns[3].parse::<f64>().unwrap() > 0.0);
}

#[test]
fn explains_each_entry_by_its_spelling_and_its_statistics() {
    let output = run_tool("topic-profile", ["--explain", "-q"], core()).expect_exit(0);
    let header = "class\tstems\tspelling\tcount\tdocuments\thosts\tln odds\tweight\n";
    assert!(output.stdout.starts_with(header));
    let tree = "triple\tbinari search tree\tbinary search tree\t4\t3\t3\t";
    assert!(output.stdout.contains(tree), "{}", output.stdout);
}

#[test]
fn sizes_and_background_are_options() {
    let folder = temp_folder();
    let profile = write_profile(folder.path(), &core(), &["--terms", "2", "--pairs", "1"]);
    assert_eq!(entries(&profile, "term").len(), 2);
    assert_eq!(entries(&profile, "pair").len(), 1);
    // Records under any name; lines of a word list and of plain text.
    let records = folder.path().join("general.txt");
    let graphs = "{\"text\":\"graph graph graph graph graph graph\"}\n";
    fs::write(&records, graphs).unwrap();
    let lines = folder.path().join("words");
    fs::write(&lines, "tree\t9\nthe shortest path\n").unwrap();
    let [records, lines] = [&records, &lines].map(|file| file.to_str().unwrap());
    let background = ["--background", records, "--background", lines];
    let profile = write_profile(folder.path(), &core(), &background);
    let terms = entries(&profile, "term");
    assert!(
        terms.contains(&"dynam") && !terms.contains(&"graph"),
        "{terms:?}"
    );
}

#[test]
fn the_language_is_that_of_the_records_or_of_the_option() {
    let folder = temp_folder();
    let record = json!({"text": "dreves dreves iskanje iskanje", "langid": {"code": "slv"}});
    let core = format!("{record}\n{record}\n");
    let profile = write_profile(folder.path(), &core, &[]);
    assert!(profile.starts_with("# language: slv\n"), "{profile}");
    assert!(entries(&profile, "term").contains(&"dreves"));
    let profile = write_profile(folder.path(), &core, &["--lang", "und"]);
    assert!(profile.starts_with("# language: und\n"), "{profile}");
}

#[test]
fn a_core_without_documents_or_entries_leaves_no_file() {
    let folder = temp_folder();
    let out = folder.path().join("filter.tsv");
    for (core, cause) in [
        ("", "the core has no document"),
        (
            "{\"url\":\"http://a.test/\"}\n{\"text\":null}\n{\"text\":\" \"}\n",
            "no document",
        ),
        (
            "{\"text\":\"graph tree path\"}\n",
            "no word that occurs twice",
        ),
    ] {
        let output = run_tool("topic-profile", ["--out", out.to_str().unwrap()], core);
        assert!(output.expect_exit(2).stderr.contains(cause), "{cause}");
        assert!(!out.exists());
    }
}

#[test]
fn the_core_is_not_replaced_by_its_profile() {
    let folder = temp_folder();
    let path = folder.path().join("core.jsonl");
    fs::write(&path, core()).unwrap();
    let name = path.to_str().unwrap();
    let stderr = run_tool("topic-profile", ["--out", name, name], "")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("is read as input"), "{stderr}");
    assert_eq!(fs::read_to_string(&path).unwrap(), core());
}

#[test]
fn lines_that_are_no_records_are_reported_and_the_profile_is_written() {
    let folder = temp_folder();
    let out = folder.path().join("filter.tsv");
    let core = core().replacen('\n', "\n{broken\n", 1);
    let output = run_tool("topic-profile", ["--out", out.to_str().unwrap()], core);
    assert!(output.expect_exit(1).stderr.contains("-:2: "));
    assert!(out.exists());
}

/// Runs `topic-filter` with a profile of two terms, a pair and a triple.
fn judge(args: &[&str], input: &str) -> ToolOutput {
    let folder = temp_folder();
    let profile = folder.path().join("filter.tsv");
    let lines =
        "term\tgraph\t9\nterm\ttree\t4\npair\tweight graph\t3\ntriple\tbinari search tree\t2\n";
    fs::write(&profile, lines).unwrap();
    let thresholds = ["--thresholds", "vsm=0.6,passage=0.6,term=1,pair=1,triple=1"];
    let mut all = vec!["--profile", profile.to_str().unwrap()];
    if !args.contains(&"--fit") && !args.contains(&"--thresholds") {
        all.extend(thresholds);
    }
    all.extend(args);
    run_tool("topic-filter", all, input)
}

fn document(url: &str, text: &str) -> String {
    json!({"url": url, "text": text}).to_string() + "\n"
}

fn metrics(record: &Value) -> Vec<&str> {
    let metrics = record["topic"]["metrics"].as_array().unwrap();
    metrics.iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn metrics_vote_and_the_votes_decide_about_the_label() {
    let input = document("http://a.test/1", "A weighted graph of houses and rivers.")
        + &document("http://a.test/2", "graph tree")
        + &document("http://a.test/3", "Houses and rivers.");
    let records = judge(&[], &input).expect_exit(0).records();
    assert_eq!(metrics(&records[0]), ["collocation"]);
    assert_eq!(metrics(&records[1]), ["term", "vsm", "passage"]);
    assert_eq!(metrics(&records[2]), [""; 0]);
    let labels: Vec<&Value> = records.iter().map(|record| &record["label"]).collect();
    assert_eq!(labels, ["on-topic", "on-topic", "off-topic"]);
    let scores = &records[0]["topic"]["scores"];
    assert_eq!(
        (&scores["pair"], &scores["term"]),
        (&json!(1.0), &json!(0.5))
    );
    // The score is 1 at the threshold of the cosine.
    let score = records[1]["topic"]["score"].as_f64().unwrap();
    let vsm = records[1]["topic"]["scores"]["vsm"].as_f64().unwrap();
    assert!((score - vsm / 0.6).abs() < 1e-8);
}

#[test]
fn a_directory_with_undoubtedly_relevant_pages_votes_for_its_other_pages() {
    let other = "Houses and rivers.";
    let pages = |count: usize| -> String {
        (0..count)
            .map(|number| document(&format!("http://a.test/x/{number}"), "graph tree"))
            .collect()
    };
    let last = |count: usize, url: &str, args: &[&str]| {
        let input = pages(count) + &document(url, other);
        let records = judge(args, &input).expect_exit(0).records();
        metrics(records.last().unwrap()).join(" ")
    };
    assert_eq!(last(2, "http://a.test/x/z?a=/y/", &[]), "");
    assert_eq!(last(3, "http://a.test/x/z?a=/y/", &[]), "directory");
    assert_eq!(last(3, "http://a.test/y/z", &[]), "");
    assert_eq!(
        last(1, "http://a.test/x/z", &["--directory", "1"]),
        "directory"
    );
    assert_eq!(last(9, "http://a.test/x/z", &["--directory", "0"]), "");
}

#[test]
fn thresholds_of_a_host_follow_from_its_other_pages() {
    let folder = temp_folder();
    let core = folder.path().join("core.jsonl");
    let text = |others: usize| format!("graph {}", "house river ".repeat(others));
    let pages = |host: &str, others: &[usize]| -> String {
        let page =
            |(n, others): (usize, &usize)| document(&format!("http://{host}/{n}/"), &text(*others));
        others.iter().enumerate().map(page).collect()
    };
    let both = document("http://c.test/t", "graph tree");
    fs::write(&core, both + &pages("c.test", &[0, 1, 1, 1, 2, 2, 2, 3])).unwrap();
    let fit = ["--fit", core.to_str().unwrap(), "--recognise", "0.5"];
    let factor = |before: &str| {
        let input = before.to_owned() + &document("http://a.test/x", "graph");
        let records = judge(&fit, &input).expect_exit(0).records();
        records.last().unwrap()["topic"]["threshold_factor"].as_f64()
    };
    assert_eq!(factor(""), None);
    let misses = [2, 3, 4, 5, 6, 8, 9, 12, 16, 20].repeat(3);
    let near = factor(&pages("a.test", &misses)).unwrap();
    // On a host of other subjects, nothing is near.
    let others: String = (0..30)
        .map(|n| document(&format!("http://a.test/{n}/"), "Houses and rivers."))
        .collect();
    let far = factor(&others).unwrap();
    assert!(far < 1.0 && far < near, "{far} {near}");
}

#[test]
fn directories_are_kept_in_a_state_and_forgotten_with_their_step() {
    let folder = temp_folder();
    let state = folder.path().join("directories.db");
    let state = state.to_str().unwrap();
    let page = |step: u64, number: u64, text: &str| {
        let step = json!({"number": step, "target": "on-topic", "last": true});
        let url = format!("http://a.test/x/{number}");
        json!({"step": step, "url": url, "text": text}).to_string() + "\n"
    };
    let votes = |step: u64, input: &str| {
        let from_step = step.to_string();
        let args = [
            "--state",
            state,
            "--directory",
            "2",
            "--from-step",
            &from_step,
        ];
        let records = judge(&args, input).expect_exit(0).records();
        metrics(records.last().unwrap()).join(" ")
    };
    votes(1, &page(1, 1, "graph tree"));
    votes(2, &page(2, 2, "graph tree"));
    assert_eq!(votes(3, &page(3, 3, "Houses.")), "directory");
    // The second step is repeated without an undoubtedly relevant page.
    votes(2, &page(2, 2, "Rivers."));
    assert_eq!(votes(3, &page(3, 3, "Houses.")), "");
    // A state rebuilt from the journal gives the same votes.
    let journal = folder.path().join("journal.jsonl");
    let judged = [page(1, 1, "graph tree"), page(2, 2, "graph tree")].concat();
    fs::write(&journal, judge(&[], &judged).expect_exit(0).stdout).unwrap();
    let rebuild = ["--state", state, "--rebuild", journal.to_str().unwrap()];
    judge(&rebuild, "").expect_exit(0);
    assert_eq!(votes(3, &page(3, 3, "Houses.")), "directory");
}

#[test]
fn thresholds_are_fitted_to_a_core_and_can_be_printed() {
    let folder = temp_folder();
    let core = folder.path().join("core.jsonl");
    let texts = [
        "graph tree",
        "graph tree house",
        "graph house river",
        "house",
    ];
    let lines: String = texts.map(|text| document("http://c.test/", text)).concat();
    fs::write(&core, &lines).unwrap();
    let fit = ["--fit", core.to_str().unwrap(), "--recognise", "0.5"];
    let records = judge(&fit, &lines).expect_exit(0).records();
    let recognised: Vec<bool> = records.iter().map(|r| !metrics(r).is_empty()).collect();
    assert_eq!(recognised, [true, true, false, false]);
    let printed = judge(&[&fit[..], &["--print-thresholds"]].concat(), "").expect_exit(0);
    assert!(printed.stdout.starts_with("vsm=0."), "{}", printed.stdout);
    let empty = folder.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let output = judge(&["--fit", empty.to_str().unwrap()], &lines).expect_exit(2);
    assert!(
        output.stderr.contains("has no document"),
        "{}",
        output.stderr
    );
}

#[test]
fn bad_profiles_and_options_are_refused() {
    let folder = temp_folder();
    let profile = folder.path().join("filter.tsv");
    let refuse = |lines: &str, thresholds: &str| {
        fs::write(&profile, lines).unwrap();
        let args = [
            "--profile",
            profile.to_str().unwrap(),
            "--thresholds",
            thresholds,
        ];
        run_tool("topic-filter", args, "").expect_exit(2).stderr
    };
    let good = "vsm=0.1,term=0.1,pair=0.1,triple=0.1";
    for (lines, cause) in [
        (
            "term\tgraph\t1\nterm graph 3\n",
            "filter.tsv:2: `term graph 3` is no class",
        ),
        ("# nothing\n", "filter.tsv: has no entries"),
    ] {
        let stderr = refuse(lines, good);
        assert!(stderr.contains(cause), "{stderr}");
    }
    for thresholds in ["vsm=x", "vsm=0.2,colour=3", "vsm=-1", "vsm=0.1"] {
        let stderr = refuse("term\tgraph\t1\n", thresholds);
        assert!(stderr.contains("--thresholds"), "{stderr}");
    }
    let without = run_tool("topic-filter", ["--profile", profile.to_str().unwrap()], "");
    assert!(without.expect_exit(2).stderr.contains("--fit"));
    for share in ["0", "1.5", "x"] {
        let args = ["--profile", "f", "--fit", "c", "--recognise", share];
        let stderr = run_tool("topic-filter", args, "").expect_exit(2).stderr;
        assert!(stderr.contains("--recognise"), "{stderr}");
    }
}

#[test]
fn records_without_text_pass_unchanged_and_wrong_types_are_errors() {
    let input = "{\"url\":\"http://a.test/\"}\n{\"text\":null,\"n\":1.0}\n{\"text\":3}\n";
    let output = judge(&[], input).expect_exit(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[..2], input.lines().collect::<Vec<_>>()[..2]);
    assert!(lines[2].contains("\"kind\":\"bad-field\""));
}

#[test]
fn only_documents_with_a_label_are_judged() {
    let labelled = |label: &str| {
        json!({"url": "http://a.test/", "text": "graph tree", "label": label}).to_string() + "\n"
    };
    let input = labelled("slv") + &labelled("hrv") + &document("http://a.test/2", "graph tree");
    let output = judge(&["--only-label", "slv"], &input).expect_exit(0);
    let records = output.records();
    assert_eq!(records[0]["label"], "on-topic");
    let others: Vec<&str> = output.stdout.lines().skip(1).collect();
    assert_eq!(others, input.lines().skip(1).collect::<Vec<_>>());
}

/// Returns the journal of a crawl with four initial documents and three steps of recommended pages,
/// a rejected page and a duplicate each.
fn crawl_journal() -> String {
    let mut journal = core().replace("{\"text\"", "{\"label\":\"on-topic\",\"text\"");
    for step in 1..=3 {
        for (page, text) in CORE.iter().enumerate() {
            let record = json!({
                "step": {"number": step, "target": "on-topic"},
                "url": format!("http://h{page}.test/{step}"),
                "text": format!("{text} Hash tables and linked lists of step {step}: hash tables."),
                "label": if page == 3 { "off-topic" } else { "on-topic" },
                "dedup": {"status": "new"},
            });
            journal += &format!("{record}\n");
        }
        let duplicate = json!({
            "step": {"number": step, "target": "on-topic", "last": true}, "text": CORE[0],
            "url": "http://d.test/", "label": "on-topic", "dedup": {"status": "exact"},
        });
        journal += &format!("{duplicate}\n");
    }
    journal
}

#[test]
fn a_variable_part_comes_from_the_recommended_documents_of_a_journal() {
    let folder = temp_folder();
    let profile = write_profile(folder.path(), &core(), &["--terms", "10"]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("journal.jsonl"), crawl_journal()).unwrap();
    let (levels, permanent, journal) = (path("levels"), path("filter.tsv"), path("journal.jsonl"));
    let update = |args: &[&str]| {
        let all = ["--update", &levels, "--profile", &permanent];
        run_tool("topic-profile", [&all, args].concat(), "")
    };
    let output = update(&["--every", "100", &journal]).expect_exit(0);
    assert_eq!(output.stdout, format!("{permanent}\n"));
    let output = update(&["--every", "4", &journal]).expect_exit(0);
    // Whole steps of three recommended documents count: 6, then 9.
    assert_eq!(output.stdout, format!("{levels}/000000009.tsv\n"));
    assert!(
        output.stderr.contains("3 recommended documents of 3 hosts"),
        "{}",
        output.stderr
    );
    let updated = fs::read_to_string(format!("{levels}/000000006.tsv")).unwrap();
    let variable = updated.strip_prefix(&profile).unwrap();
    assert!(
        variable.starts_with("# variable part: 6 documents\n"),
        "{variable}"
    );
    let terms = entries(variable, "term");
    assert!(!terms.is_empty() && terms.len() <= 3, "{variable}");
    assert!(
        terms
            .iter()
            .all(|term| !entries(&profile, "term").contains(term))
    );
    // A damaged profile is written again.
    let damaged = format!("{levels}/000000006.tsv");
    fs::write(&damaged, &updated[..updated.len() - 9]).unwrap();
    update(&["--every", "4", &journal]).expect_exit(0);
    assert_eq!(fs::read_to_string(&damaged).unwrap(), updated);
    // topic-filter reads it.
    let mut args = vec!["--profile".to_owned(), format!("{levels}/000000006.tsv")];
    args.extend(["--thresholds", "vsm=1,term=1,pair=1,triple=1"].map(String::from));
    run_tool("topic-filter", args, "").expect_exit(0);
}

#[test]
fn an_update_needs_a_permanent_part() {
    let folder = temp_folder();
    let bad = folder.path().join("bad.tsv");
    fs::write(&bad, "term\tgraph\tmany\n").unwrap();
    let levels = folder.path().join("levels");
    let args = [
        "--update",
        levels.to_str().unwrap(),
        "--profile",
        bad.to_str().unwrap(),
    ];
    let stderr = run_tool("topic-profile", args, "").expect_exit(2).stderr;
    assert!(stderr.contains("bad.tsv:1: the count `many`"), "{stderr}");
    assert!(!levels.exists());
}
