//! The files of a finished or interrupted run, and state files that are older than the journal.

use forage_tests::closed_web::{
    assert_same_files, new_run_command, pipeline_command, read_journal, read_report,
    read_run_files, resume_command, retrieved_documents, run_pipeline, web_folder,
};
use forage_tests::events::restore_sigint_for_children;
use forage_tests::{copy_folder, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the WAL and shared-memory files in a run folder.
fn wal_files(out: &Path) -> Vec<String> {
    let names = fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.ends_with("-wal") || name.ends_with("-shm"))
        .collect()
}

/// Returns the URLs of a corpus, in its order.
fn corpus_urls(out: &Path, target: &str) -> Vec<String> {
    let text = fs::read_to_string(out.join("corpus").join(format!("{target}.jsonl"))).unwrap();
    let url = |line| {
        serde_json::from_str::<Value>(line).unwrap()["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    text.lines().map(url).collect()
}

/// Asserts that the URLs are unique.
#[track_caller]
fn assert_distinct(urls: &[String]) {
    assert_eq!(
        urls.iter().collect::<BTreeSet<_>>().len(),
        urls.len(),
        "{urls:?}"
    );
}

#[test]
fn a_finished_run_is_complete_without_wal_files() {
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&whole, &["--docs", "12"])).expect_exit(0);
    run_pipeline(new_run_command(&parts, &["--docs", "6"])).expect_exit(0);
    assert_eq!(wal_files(&parts), Vec::<String>::new());
    // A copy of the folder can be resumed.
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
fn a_tool_merges_the_wal_of_its_state_file() {
    let dir = temp_folder();
    let docs =
        json!({"id": "a", "url": "http://a.test/", "text": "dober dan je danes", "label": "slv"})
            .to_string();
    let query = json!({
        "step": {"number": 1, "target": "slv"},
        "query": {"id": "q", "include": ["dan"], "exclude": []},
    })
    .to_string();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let [seen, stats, hits, engine] = ["seen.db", "stats.db", "hits.db", "web"].map(path);
    let engine = format!("index:{engine}");
    run_tool("search", ["--engine", &engine, "--add"], &docs).expect_exit(0);
    let runs: [(&str, Vec<&str>, &str); 3] = [
        ("dedup", vec!["--index", &seen], &docs),
        ("update-stats", vec!["--stats", &stats], &docs),
        ("search", vec!["--engine", &engine, "--hits", &hits], &query),
    ];
    for (tool, args, stdin) in &runs {
        run_tool(tool, args, stdin).expect_exit(0);
        assert_eq!(wal_files(dir.path()), Vec::<String>::new(), "{tool}");
    }
    // A reader creates no files either, and the written data is complete.
    let report = run_tool("update-stats", ["--stats", &stats, "--report"], "")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], 1);
    assert_eq!(wal_files(dir.path()), Vec::<String>::new());
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
fn state_files_that_lack_steps_are_rebuilt_from_the_journal() {
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
        let old_content: Vec<Vec<u8>> = files
            .iter()
            .map(|file| fs::read(out.join(file)).unwrap())
            .collect();
        run_pipeline(resume_command(&out, &["--docs", "18"])).expect_exit(0);
        for (file, old_content) in files.iter().zip(&old_content) {
            fs::write(out.join(file), old_content).unwrap();
        }
        let stderr = run_pipeline(resume_command(&out, &["--docs", "24"]))
            .expect_exit(0)
            .stderr;
        let is_reported = |file: &str| stderr.contains(&format!("{file}: lacks steps of"));
        assert_eq!(
            [is_reported("seen.db"), is_reported("hits.db")],
            ["seen.db", "hits.db"].map(|file| files.contains(&file))
        );
        // Pages that hits.db lacks are requested again; the documents are the same.
        assert_eq!(
            corpus_urls(&out, "slv"),
            corpus_urls(&whole, "slv"),
            "{files:?}"
        );
        assert_distinct(&corpus_urls(&out, "slv"));
    }
}

#[test]
fn an_initial_document_that_the_engine_returns_is_a_duplicate() {
    let dir = temp_folder();
    // The initial document is a page of the index.
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
    let seed = dir.path().join("seed.txt");
    let out = dir.path().join("run");
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
    assert_eq!(corpus_urls(&out, "slv"), ["http://other.test/"]);

    // A rebuilt index gives the same results as the one of the run.
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
    let run_dedup = |index: &Path| {
        run_tool(
            "dedup",
            ["--force", "--index", index.to_str().unwrap()],
            read_file(&journal),
        )
        .expect_exit(0)
    };
    assert_eq!(
        run_dedup(&rebuilt).stdout,
        run_dedup(&out.join("seen.db")).stdout
    );
}

fn read_file(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_interrupted_run_writes_its_corpus_and_report() {
    restore_sigint_for_children();
    // Ctrl-C in a shell also ends the process that reads the messages from a pipe.
    for (signal, has_reader) in [("-INT", true), ("-TERM", true), ("-INT", false)] {
        let dir = temp_folder();
        let out = dir.path().join("run");
        // The filter blocks at the fifth document, when the journal has five initial documents and
        // four retrieved ones.
        let fifo = dir.path().join("held");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        let filter = format!(
            "while IFS= read -r line; do [[ $(wc -l < '{}') -lt 9 ]] || read -r < '{}'; \
             jq -c '.label = \"slv\"' <<< \"$line\"; done",
            out.join("journal.jsonl").display(),
            fifo.display()
        );
        let mut command = new_run_command(&out, &["--docs", "50", "--filter", &filter]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        // Blocks until the filter opens the pipe.
        let _fifo_writer = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
        if !has_reader {
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
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        let advice = format!("continue with --resume {}", out.display());
        let reports_advice = stderr.contains("interrupted; writing the documents collected so far")
            && stderr.contains(&advice);
        assert!(reports_advice || !has_reader, "{stderr}");
        assert_eq!(
            (
                corpus_urls(&out, "slv").len(),
                read_report(&out)["relevant"].as_u64()
            ),
            (4, Some(4))
        );
        assert_eq!(wal_files(&out), Vec::<String>::new());
    }
}

#[test]
fn the_databases_of_a_finished_run_can_be_read_from_a_read_only_file_system() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "5"])).expect_exit(0);
    for file in ["stats.db", "hits.db", "seen.db"] {
        // The file format versions in SQLite's header: 1 for a rollback journal, 2 for a WAL, which
        // readers have to write.
        let header = fs::read(out.join(file)).unwrap()[18..20].to_vec();
        assert_eq!(header, [1, 1], "{file}");
    }
}

#[test]
fn resuming_a_finished_run_writes_the_corpus() {
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
fn a_document_belongs_to_the_corpus_of_its_language_whatever_query_retrieved_it() {
    let dir = temp_folder();
    let [journal, stats, corpus_dir] =
        ["journal.jsonl", "stats.db", "corpus"].map(|name| dir.path().join(name));
    let record = |step: u64, target: &str, label: &str, status: &str| {
        let query = json!({"id": format!("q{step}"), "include": [label], "exclude": []});
        let step_of_target = json!({"number": step, "target": target, "last": true});
        let hit = json!({"engine": "x", "calls": 1, "outcome": "hit"});
        json!({
            "url": format!("http://{step}.test/"),
            "text": format!("beseda {step}"),
            "label": label,
            "dedup": {"status": status},
            "step": step_of_target,
            "query": query,
            "hit": hit,
        })
        .to_string()
            + "\n"
    };
    let initial = json!({"text": "prva beseda", "label": "ceb"}).to_string() + "\n";
    // The records include a document of a target before its own queries, one of a class that is not
    // a target, and a duplicate.
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
    let export_args = [
        "--journal",
        "--format",
        "jsonl,text",
        "--target",
        "tgl,ceb,bcl",
        "--out",
        &folder,
    ];
    let stderr = run_tool(
        "corpus-export",
        export_args.iter().chain(&[journal.to_str().unwrap()]),
        "",
    )
    .expect_exit(0)
    .stderr;
    let urls = |target| corpus_urls(dir.path(), target);
    assert_eq!(urls("ceb"), ["http://1.test/", "http://3.test/"]);
    assert_eq!(urls("tgl"), ["http://2.test/", "http://4.test/"]);
    // No query was for this target.
    assert_eq!(urls("bcl"), ["http://7.test/"]);
    assert!(!corpus_dir.join("eng.jsonl").exists());
    assert!(
        stderr.contains("ceb: 1 document retrieved by queries for other targets"),
        "{stderr}"
    );
    let report_args = [
        "--stats",
        stats.to_str().unwrap(),
        "--report",
        "--target",
        "tgl,ceb,bcl",
    ];
    let report = run_tool("update-stats", report_args, "")
        .expect_exit(0)
        .records();
    let from_other_targets =
        |target: &str| report[0]["targets"][target]["from_other_targets"].clone();
    assert_eq!(
        [
            from_other_targets("ceb"),
            from_other_targets("tgl"),
            from_other_targets("bcl")
        ],
        [1, 1, 1]
    );
    assert_eq!(
        (
            &report[0]["from_other_targets"],
            &report[0]["targets"]["eng"]
        ),
        (&json!(3), &Value::Null)
    );
}

#[test]
fn a_changed_byte_in_a_file_of_a_run_is_reported() {
    let dir = temp_folder();
    let whole = dir.path().join("whole");
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&whole, &["--docs", "12"])).expect_exit(0);
    for name in ["journal.jsonl", "stats.db", "seen.db", "hits.db"] {
        for part in [3, 2] {
            copy_folder(&whole, &out);
            // In a text, or in a page of a database.
            let mut changed = fs::read(out.join(name)).unwrap();
            let at = changed.len() / part;
            changed[at] = if changed[at] == b'a' { b'e' } else { b'a' };
            fs::write(out.join(name), &changed).unwrap();
            if name == "stats.db" {
                let stats = out.join(name).display().to_string();
                let args = ["--stats", &stats, "--target", "slv"];
                run_tool("gen-query", args, "").expect_exit(2);
            }
            let stderr = run_pipeline(resume_command(&out, &["--docs", "13"]))
                .expect_exit(2)
                .stderr;
            let place = format!("{}: ", out.join(name).display());
            assert!(stderr.contains(&place), "{name}: {stderr}");
            assert!(fs::read(out.join(name)).unwrap() == changed, "{name}");
            fs::remove_dir_all(&out).unwrap();
        }
    }
    // As it was, the run can be resumed.
    copy_folder(&whole, &out);
    run_pipeline(resume_command(&out, &["--docs", "13"])).expect_exit(0);
}
