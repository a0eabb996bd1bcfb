//! What a run leaves when it ends or is interrupted, and what it does when its state is older than
//! its journal.

use forage_tests::closed_web::{
    assert_same_files, new_run_command, pipeline_command, read_journal, read_report,
    read_run_files, resume_command, retrieved_documents, run_pipeline, web_folder,
};
use forage_tests::events::restore_sigint_for_children;
use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The state files that have a WAL beside them.
fn wals(out: &Path) -> Vec<String> {
    let names = fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.ends_with("-wal") || name.ends_with("-shm"))
        .collect()
}

/// The URLs of the documents in a corpus, in its order.
fn corpus(out: &Path, target: &str) -> Vec<String> {
    let text = fs::read_to_string(out.join("corpus").join(format!("{target}.jsonl"))).unwrap();
    let url = |line| {
        serde_json::from_str::<Value>(line).unwrap()["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    text.lines().map(url).collect()
}

/// Asserts that no page is in the corpus twice.
#[track_caller]
fn assert_distinct(urls: &[String]) {
    assert_eq!(
        urls.iter().collect::<BTreeSet<_>>().len(),
        urls.len(),
        "{urls:?}"
    );
}

#[test]
fn a_finished_run_is_whole_in_its_files_alone() {
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&whole, &["--docs", "12"])).expect_exit(0);
    run_pipeline(new_run_command(&parts, &["--docs", "6"])).expect_exit(0);
    assert_eq!(wals(&parts), Vec::<String>::new());
    // A copy of what is there is the run.
    let copy = dir.path().join("copy");
    assert!(
        Command::new("cp")
            .arg("-r")
            .args([&parts, &copy])
            .status()
            .unwrap()
            .success()
    );
    for out in [parts, copy] {
        run_pipeline(resume_command(&out, &["--docs", "12"])).expect_exit(0);
        assert_same_files(
            &read_run_files(&out),
            &read_run_files(&whole),
            "resumed from its files",
        );
    }
}

#[test]
fn a_tool_that_ends_leaves_its_state_in_one_file() {
    let dir = temp_folder();
    let docs =
        json!({"id": "a", "url": "http://a.test/", "text": "dober dan je danes", "label": "slv"})
            .to_string();
    let query =
        json!({"step": {"number": 1, "target": "slv"}, "query": {"id": "q", "include": ["dan"], "exclude": []}})
            .to_string();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (seen, stats, hits, engine) = (
        path("seen.db"),
        path("stats.db"),
        path("hits.db"),
        path("web"),
    );
    let engine = format!("index:{engine}");
    run_tool("search", ["--engine", &engine, "--add"], &docs).expect_exit(0);
    let runs: [(&str, Vec<&str>, &str); 3] = [
        ("dedup", vec!["--index", &seen], &docs),
        ("update-stats", vec!["--stats", &stats], &docs),
        ("search", vec!["--engine", &engine, "--hits", &hits], &query),
    ];
    for (tool, args, stdin) in &runs {
        run_tool(tool, args, stdin).expect_exit(0);
        assert_eq!(wals(dir.path()), Vec::<String>::new(), "{tool}");
    }
    // Reading leaves nothing beside it either; and what was written is there.
    let report = run_tool("update-stats", ["--stats", &stats, "--report"], "")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], 1);
    assert_eq!(wals(dir.path()), Vec::<String>::new());
    assert_eq!(
        run_tool("dedup", &runs[0].1, &docs)
            .expect_exit(0)
            .records()[0]["dedup"]["status"],
        "exact"
    );
    assert_eq!(
        run_tool("search", &runs[2].1, &query)
            .expect_exit(0)
            .records()[0]["hit"]["outcome"],
        "exhausted"
    );
}

#[test]
fn state_that_is_behind_the_journal_is_rebuilt_from_it() {
    let dir = temp_folder();
    let whole = dir.path().join("whole");
    run_pipeline(new_run_command(&whole, &["--docs", "24", "--batch", "2"])).expect_exit(0);
    for files in [
        &["seen.db"][..],
        &["stats.db"],
        &["hits.db"],
        &["seen.db", "hits.db", "stats.db"],
    ] {
        let out = dir.path().join(files.join("-"));
        run_pipeline(new_run_command(&out, &["--docs", "6", "--batch", "2"])).expect_exit(0);
        let old: Vec<Vec<u8>> = files
            .iter()
            .map(|file| fs::read(out.join(file)).unwrap())
            .collect();
        run_pipeline(resume_command(&out, &["--docs", "18"])).expect_exit(0);
        for (file, old) in files.iter().zip(&old) {
            fs::write(out.join(file), old).unwrap();
        }
        let told = run_pipeline(resume_command(&out, &["--docs", "24"]))
            .expect_exit(0)
            .stderr;
        let is_told = |file: &str| told.contains(&format!("{file}: lacks steps of"));
        assert_eq!(
            [is_told("seen.db"), is_told("hits.db")],
            ["seen.db", "hits.db"].map(|file| files.contains(&file))
        );
        // Pages that hits.db has lost are paid for anew; the documents are the same.
        assert_eq!(corpus(&out, "slv"), corpus(&whole, "slv"), "{files:?}");
        assert_distinct(&corpus(&out, "slv"));
    }
}

#[test]
fn an_initial_document_that_the_engine_returns_is_no_new_one() {
    let dir = temp_folder();
    // A page of the web is the initial document, so that the engine has it, too.
    let page =
        |url: &str, text: &str| json!({"url": url, "title": "", "text": text}).to_string() + "\n";
    let initial = fs::read_to_string(web_folder().join("slv.txt")).unwrap();
    let initial: String = initial
        .split_whitespace()
        .take(80)
        .collect::<Vec<_>>()
        .join(" ");
    let other: String = initial.split(' ').rev().collect::<Vec<_>>().join(" ");
    let engine = format!("index:{}", dir.path().join("web").display());
    let pages = page("http://initial.test/", &initial) + &page("http://other.test/", &other);
    run_tool("search", ["--engine", &engine, "--add"], pages).expect_exit(0);
    let (seed, out) = (dir.path().join("seed.txt"), dir.path().join("run"));
    fs::write(&seed, &initial).unwrap();
    let init = format!("slv={}", seed.display());
    let english = format!("eng={}", web_folder().join("eng.txt").display());
    let args = [
        "--target", "slv", "--engine", &engine, "--init", &init, "--init", &english, "--docs", "2",
    ];
    let out_arg = out.display().to_string();
    run_pipeline(pipeline_command(
        "corpus-builder",
        &[&args[..], &["--out", &out_arg]].concat(),
    ))
    .expect_exit(0);
    let journal = read_journal(&out);
    let status = |url: &str| {
        let document = retrieved_documents(&journal)
            .into_iter()
            .find(|document| document["url"] == url)
            .unwrap();
        document["dedup"]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (status("http://initial.test/"), status("http://other.test/")),
        ("exact".into(), "new".into())
    );
    assert_eq!(read_report(&out)["relevant"], 1);
    assert_eq!(corpus(&out, "slv"), ["http://other.test/"]);

    // The index that is rebuilt says the same of any document as the one that grew with the run.
    let journal = out.join("journal.jsonl");
    let rebuilt = dir.path().join("rebuilt.db");
    run_tool(
        "dedup",
        [
            "--index",
            rebuilt.to_str().unwrap(),
            "--rebuild",
            journal.to_str().unwrap(),
        ],
        "",
    )
    .expect_exit(0);
    let judge = |index: &Path| {
        run_tool(
            "dedup",
            ["--force", "--index", index.to_str().unwrap()],
            read(&journal),
        )
        .expect_exit(0)
    };
    assert_eq!(judge(&rebuilt).stdout, judge(&out.join("seen.db")).stdout);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_interrupted_run_writes_what_it_has_collected() {
    restore_sigint_for_children();
    // In a shell's pipe Ctrl-C ends the reader of the messages, too.
    for (signal, is_read) in [("-INT", true), ("-TERM", true), ("-INT", false)] {
        let dir = temp_folder();
        let out = dir.path().join("run");
        // The filter holds the fifth document back, when the journal has the initial ones and four
        // more.
        let held = dir.path().join("held");
        assert!(
            Command::new("mkfifo")
                .arg(&held)
                .status()
                .unwrap()
                .success()
        );
        let filter = format!(
            "while IFS= read -r line; do [[ $(wc -l < '{}') -lt 9 ]] || read -r < '{}'; \
             jq -c '.label = \"slv\"' <<< \"$line\"; done",
            out.join("journal.jsonl").display(),
            held.display()
        );
        let mut command = new_run_command(&out, &["--docs", "50", "--filter", &filter]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        // Opens when the filter reads from it.
        let _hold = fs::OpenOptions::new().write(true).open(&held).unwrap();
        if !is_read {
            child.stderr = None;
        }
        let group = format!("-{}", child.id());
        assert!(
            Command::new("kill")
                .args([signal, "--", &group])
                .status()
                .unwrap()
                .success()
        );
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{said}");
        let how = format!("continue with --resume {}", out.display());
        let tells_how = said.contains("interrupted; writing the documents collected so far")
            && said.contains(&how);
        assert!(tells_how || !is_read, "{said}");
        assert_eq!(
            (
                corpus(&out, "slv").len(),
                read_report(&out)["relevant"].as_u64()
            ),
            (4, Some(4))
        );
        assert_eq!(wals(&out), Vec::<String>::new());
    }
}

#[test]
fn the_databases_of_a_finished_run_are_read_where_nothing_can_be_written() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "5"])).expect_exit(0);
    for file in ["stats.db", "hits.db", "seen.db"] {
        // SQLite's header: 1 for a journal that is rolled back, 2 for a WAL, which reading has to
        // write.
        let header = fs::read(out.join(file)).unwrap()[18..20].to_vec();
        assert_eq!(header, [1, 1], "{file}");
    }
}

#[test]
fn an_initial_record_of_an_earlier_run_is_an_initial_document_like_others() {
    let dir = temp_folder();
    let [init, stats, journal, index] =
        ["init.jsonl", "stats.db", "journal.jsonl", "seen.db"].map(|name| dir.path().join(name));
    let earlier = [
        json!({"dedup": {"status": "exact", "of": "x"}}),
        json!({"error": {"tool": "fetch-extract", "kind": "timeout", "message": "x"}}),
    ];
    let texts = ["prva beseda o vremenu", "druga beseda o mestu"];
    let record = |(text, mut record): (&str, Value)| {
        record["text"] = text.into();
        record.to_string() + "\n"
    };
    fs::write(
        &init,
        texts
            .into_iter()
            .zip(earlier)
            .map(record)
            .collect::<String>(),
    )
    .unwrap();
    let [stats, journal, index] = [&stats, &journal, &index].map(|path| path.to_str().unwrap());
    let init = format!("slv={}", init.display());
    run_tool(
        "update-stats",
        ["--stats", stats, "--journal", journal, "--init", &init],
        "",
    )
    .expect_exit(0);
    run_tool("dedup", ["--index", index, "--rebuild", journal], "").expect_exit(0);
    for text in texts {
        let judged = run_tool(
            "dedup",
            ["--index", index],
            json!({"text": text}).to_string(),
        )
        .expect_exit(0)
        .records();
        assert_eq!(judged[0]["dedup"]["status"], "exact");
    }
    let report = run_tool("update-stats", ["--stats", stats, "--report"], "")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], 2);
}

#[test]
fn a_journal_of_an_earlier_schema_is_refused_and_stays() {
    let step = json!({"number": 1, "target": "slv", "last": true});
    for (schema, record) in [
        (1, json!({"query": {"id": "q", "step": 1, "target": "slv"}})),
        (
            2,
            json!({"step": step, "hit": {"engine": "e", "calls": 1, "left": 2}}),
        ),
        (
            2,
            json!({"step": step, "query": {"id": "q", "strategy": {"name": "regions", "path": []}}}),
        ),
    ] {
        assert_refused(record, &format!("schema {schema}"));
    }
}

/// Asserts that all tools refuse a journal of this record, with `text` and `label`, by `message`.
fn assert_refused(mut record: Value, message: &str) {
    record["text"] = json!("dober dan");
    record["label"] = json!("slv");
    let dir = temp_folder();
    let [old, stats, index, hits, out] =
        ["old.jsonl", "stats.db", "seen.db", "hits.db", "out.jsonl"]
            .map(|name| dir.path().join(name));
    let lines = record.to_string() + "\n";
    fs::write(&old, &lines).unwrap();
    let [stats, index, hits, out] =
        [&stats, &index, &hits, &out].map(|path| path.to_str().unwrap());
    let journal = old.to_str().unwrap();
    let text = dir.path().join("slv.txt");
    fs::write(&text, "dober dan").unwrap();
    let initial = format!("slv={}", text.display());
    let calls: [(&str, &[&str]); 7] = [
        ("update-stats", &["--stats", stats, "--rebuild", journal]),
        (
            "update-stats",
            &["--stats", stats, "--journal", journal, "--next-step"],
        ),
        (
            "update-stats",
            &[
                "--stats",
                stats,
                "--journal",
                journal,
                "--from-step",
                "0",
                "--init",
                &initial,
            ],
        ),
        ("dedup", &["--index", index, "--rebuild", journal]),
        ("search", &["--hits", hits, "--rebuild", journal]),
        ("corpus-export", &["--journal", "--out", out, journal]),
        ("measure-run", &[journal]),
    ];
    for (tool, args) in calls {
        let refused = run_tool(tool, args, "").expect_exit(2).stderr;
        assert!(refused.contains(message), "{tool} {args:?}: {refused}");
    }
    assert_eq!(read(&old), lines);
}

#[test]
fn a_record_whose_step_can_not_be_read_is_no_initial_document() {
    let dir = temp_folder();
    let [journal, stats] = ["journal.jsonl", "stats.db"].map(|name| dir.path().join(name));
    let records = [
        json!({"text": "dober dan", "label": "slv"}),
        json!({"step": {"number": "1"}, "text": "b", "label": "slv"}),
    ];
    fs::write(
        &journal,
        records.map(|record| record.to_string() + "\n").concat(),
    )
    .unwrap();
    let [journal, stats] = [&journal, &stats].map(|path| path.to_str().unwrap());
    run_tool("update-stats", ["--stats", stats, "--rebuild", journal], "").expect_exit(0);
    let report = &run_tool("update-stats", ["--stats", stats, "--report"], "")
        .expect_exit(0)
        .records()[0];
    assert_eq!(report["classes"]["slv"]["documents"], 1);
}

#[test]
fn a_resume_that_has_nothing_left_to_do_writes_the_corpus() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "5"])).expect_exit(0);
    let expected = read_run_files(&out);
    fs::remove_dir_all(out.join("corpus")).unwrap();
    fs::remove_file(out.join("report.json")).unwrap();
    run_pipeline(resume_command(&out, &[])).expect_exit(0);
    assert_same_files(&read_run_files(&out), &expected, "written by the resume");
}

#[test]
fn a_document_joins_the_corpus_of_its_own_language_whichever_query_brought_it() {
    let dir = temp_folder();
    let [journal, stats, corpus_dir] =
        ["journal.jsonl", "stats.db", "corpus"].map(|name| dir.path().join(name));
    let record = |step: u64, target: &str, label: &str, status: &str| {
        let query = json!({"id": format!("q{step}"), "include": [label], "exclude": []});
        let step_of_target = json!({"number": step, "target": target, "last": true});
        let hit = json!({"engine": "x", "calls": 1, "outcome": "hit"});
        json!({"url": format!("http://{step}.test/"), "text": format!("beseda {step}"), "label": label,
            "dedup": {"status": status}, "step": step_of_target, "query": query, "hit": hit})
        .to_string()
            + "\n"
    };
    let initial = json!({"text": "prva beseda", "label": "ceb"}).to_string() + "\n";
    // A document of a target whose own queries come later; one of a class that is no target; a
    // duplicate.
    let records = initial
        + &record(1, "tgl", "ceb", "new")
        + &record(2, "tgl", "tgl", "new")
        + &record(3, "ceb", "ceb", "new")
        + &record(4, "ceb", "tgl", "new")
        + &record(5, "ceb", "eng", "new")
        + &record(6, "ceb", "tgl", "near")
        + &record(7, "ceb", "bcl", "new");
    let stats_args = [
        "--stats",
        stats.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
    ];
    run_tool("update-stats", stats_args, records).expect_exit(0);
    let folder = format!("{}/", corpus_dir.display());
    let to_corpus = [
        "--journal",
        "--format",
        "jsonl,text",
        "--target",
        "tgl,ceb,bcl",
        "--out",
        &folder,
    ];
    let said = run_tool(
        "corpus-export",
        to_corpus.iter().chain(&[journal.to_str().unwrap()]),
        "",
    )
    .expect_exit(0)
    .stderr;
    let urls = |target| corpus(dir.path(), target);
    assert_eq!(urls("ceb"), ["http://1.test/", "http://3.test/"]);
    assert_eq!(urls("tgl"), ["http://2.test/", "http://4.test/"]);
    // No query has asked for it yet.
    assert_eq!(urls("bcl"), ["http://7.test/"]);
    assert!(!corpus_dir.join("eng.jsonl").exists());
    assert!(
        said.contains("ceb: 1 document retrieved by queries for other targets"),
        "{said}"
    );
    let to_report = [
        "--stats",
        stats.to_str().unwrap(),
        "--report",
        "--target",
        "tgl,ceb,bcl",
    ];
    let report = run_tool("update-stats", to_report, "")
        .expect_exit(0)
        .records();
    let counted = |target: &str| report[0]["targets"][target]["from_other_targets"].clone();
    assert_eq!([counted("ceb"), counted("tgl"), counted("bcl")], [1, 1, 1]);
    assert_eq!(
        (
            &report[0]["from_other_targets"],
            &report[0]["targets"]["eng"]
        ),
        (&json!(3), &Value::Null)
    );
}
