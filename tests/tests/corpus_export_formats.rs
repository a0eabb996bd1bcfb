//! `corpus-export`: formats, filters, parts, and what is written beside the files.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns records of several hosts, with metadata of every kind.
fn records(count: usize) -> String {
    let titles = ["=1+1", "Naslov \"x\"", "", "<b>", "\u{1}c"];
    let record = |i: usize| {
        json!({
            "id": format!("id {i}"), "url": format!("http://host{}.test/{i}?a&b", i % 7),
            "title": titles[i % 5],
            "text": format!("Prvi odstavek {i}, št. {i}.\nDanes je \"lep\" dan & noč! Res <b>?\n\nKonec."),
            "label": "slv", "langid": {"code": "slv", "script": "Latn", "score": 0.9,
                "margin": (i % 10) as f64 / 10.0, "top": []},
            "fetch": {
                "published": "2024-05-06", "at": "2025-01-01T00:00:00Z",
                "optout": if i.is_multiple_of(3) { vec!["noai"] } else { vec![] },
                "licence": if i.is_multiple_of(2) { json!("https://creativecommons.org/licenses/by-sa/4.0/") } else { Value::Null },
            },
        })
    };
    (0..count).map(|i| format!("{}\n", record(i))).collect()
}

fn export(dir: &Path, out: &str, options: &[&str], stdin: &str) -> ToolOutput {
    let out = format!("{}/{out}", dir.display());
    run_tool("corpus-export", [&["--out", &out], options].concat(), stdin)
}

/// Exports records to a file, and returns it.
fn exported(options: &[&str], stdin: &str) -> String {
    let dir = temp_folder();
    export(dir.path(), "c.x", options, stdin).expect_exit(0);
    fs::read_to_string(dir.path().join("c.x")).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.into_iter().collect()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_format_has_the_url_of_each_document() {
    for format in [
        "jsonl", "csv", "tsv", "markdown", "vertical", "tei", "conllu",
    ] {
        let text = exported(&["--format", format], &records(10));
        for i in 0..10 {
            let url = format!("http://host{}.test/{i}?a&b", i % 7);
            let escaped = url.replace('&', "&amp;");
            assert!(
                text.contains(&url) || text.contains(&escaped),
                "{format} {url}"
            );
        }
    }
    let dir = temp_folder();
    export(dir.path(), "c.txt", &["--format", "text"], &records(10)).expect_exit(0);
    let text = fs::read_to_string(dir.path().join("c.txt")).unwrap();
    let table = fs::read_to_string(dir.path().join("c.documents.tsv")).unwrap();
    let text: Vec<&str> = text.lines().collect();
    assert_eq!(text.iter().filter(|line| line.is_empty()).count(), 9);
    for (i, row) in table.lines().skip(1).enumerate() {
        let cells: Vec<&str> = row.split('\t').collect();
        assert_eq!(cells[2], format!("http://host{}.test/{i}?a&b", i % 7));
        let line: usize = cells[0].parse().unwrap();
        assert_eq!(text[line - 1], format!("Prvi odstavek {i}, št. {i}."));
    }
    export(
        dir.path(),
        "c.parquet",
        &["--format", "parquet"],
        &records(10),
    )
    .expect_exit(0);
    let parquet = fs::read(dir.path().join("c.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    export(
        dir.path(),
        "c.parquet",
        &["--format", "parquet"],
        &records(3),
    )
    .expect_exit(0);
    export(dir.path(), "c.txt", &["--format", "parquet"], &records(3)).expect_exit(2);
}

#[test]
fn a_folder_of_texts_has_a_file_per_document_and_a_table() {
    let dir = temp_folder();
    let stdin = records(5) + &records(1).replace("\"slv\"", "\"../x\"") + "{\"text\":\"a\"}\n";
    export(dir.path(), "texts", &["--format", "text"], &stdin).expect_exit(0);
    let folder = dir.path().join("texts");
    let files = [
        "%2E%2E%2Fx",
        "README.md",
        "documents.tsv",
        "slv",
        "unlabelled",
    ];
    assert_eq!(names(&folder), files);
    assert_eq!(names(&folder.join("slv"))[0], "id%200.txt");
    assert_eq!(names(&folder.join("%2E%2E%2Fx")), ["id%200-2.txt"]);
    let table = fs::read_to_string(folder.join("documents.tsv")).unwrap();
    for row in table.lines().skip(1) {
        let file = row.split('\t').next().unwrap();
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert_eq!(table.lines().count(), 8);
    // As a folder of another user would be read.
    let mode = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).unwrap().permissions().mode()
    };
    assert_eq!(mode(&folder), mode(&folder.join("slv")));

    let again = export(dir.path(), "texts", &["--format", "text"], &stdin).expect_exit(2);
    assert!(
        again.stderr.contains("is not replaced without --force"),
        "{}",
        again.stderr
    );
    let force = ["--format", "markdown", "--force"];
    export(dir.path(), "texts", &force, &records(1)).expect_exit(0);
    assert_eq!(names(&folder), ["README.md", "documents.tsv", "slv"]);
    assert_eq!(names(&folder.join("slv")), ["id%200.md"]);
    assert_eq!(names(dir.path()), ["texts"]);

    fs::write(dir.path().join("note"), "mine").unwrap();
    let other = export(dir.path(), "./", &force, &records(1)).expect_exit(2);
    assert!(
        other.stderr.contains("is not empty, and no earlier export"),
        "{}",
        other.stderr
    );
    assert_eq!(names(dir.path()), ["note", "texts"]);
}

#[test]
fn filters_leave_documents_out_and_say_how_many() {
    let ids = |options: &[&str]| {
        let text = exported(options, &records(20));
        let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].to_string();
        text.lines().map(id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--no-optout"]).len(), 13);
    assert_eq!(ids(&["--licence", "CC-BY-SA"]).len(), 10);
    assert_eq!(ids(&["--licence", "CC-BY OR none"]).len(), 10);
    assert_eq!(ids(&["--min-margin", "0.5"]).len(), 10);
    let dir = temp_folder();
    let list = dir.path().join("marks");
    let list_name = list.display().to_string();
    fs::write(
        &list,
        "id 1\n\nhttp://host2.test/2?a&b\nhttp://nowhere.test/\n",
    )
    .unwrap();
    assert_eq!(ids(&["--without", &list_name]).len(), 18);
    let marks = [
        json!({"id": "id 1", "url": "http://host2.test/2?a&b"}),
        json!({"url": "http://host3.test/3?a&b"}),
    ];
    fs::write(&list, format!("{}\n{}\n", marks[0], marks[1])).unwrap();
    let kept = ids(&["--without", &list_name]);
    assert!(
        kept.len() == 18 && kept.contains(&"\"id 2\"".to_owned()),
        "{kept:?}"
    );

    let options = [
        "--no-optout",
        "--min-margin",
        "0.5",
        "--without",
        &list_name,
    ];
    let output = export(dir.path(), "c.jsonl", &options, &records(20)).expect_exit(0);
    let message =
        "left out: 7 documents below the margin, or without one, 7 documents with an opt-out";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    let card = fs::read_to_string(dir.path().join("c.jsonl.README.md")).unwrap();
    assert!(
        card.contains("7 documents with an opt-out") && !card.contains("noai"),
        "{card}"
    );
}

#[test]
fn a_list_of_documents_that_is_missing_or_damaged_is_reported() {
    let dir = temp_folder();
    let missing = dir.path().join("no").display().to_string();
    let output = export(dir.path(), "c.jsonl", &["--without", &missing], &records(1));
    assert!(output.expect_exit(2).stderr.contains("no: "));
    let list = dir.path().join("marks");
    fs::write(&list, "{\"id\":\"id 0\"}\n{\"x\":1}\n").unwrap();
    let list = list.display().to_string();
    let output = export(dir.path(), "c.jsonl", &["--without", &list], &records(1)).expect_exit(1);
    assert!(
        output
            .stderr
            .contains("marks:2: has neither `id` nor `url`"),
        "{}",
        output.stderr
    );
    assert_eq!(lines(&dir.path().join("c.jsonl")).len(), 0);
    for options in [
        ["--split", "1"],
        ["--licence", ","],
        ["--order", "0"],
        ["--min-freq", "0"],
    ] {
        export(dir.path(), "d", &options, "").expect_exit(2);
    }
}

/// Returns the hosts of each part.
fn hosts(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let host = |record: &Value| {
        let url = record["url"].as_str().unwrap().to_owned();
        url.split('/').nth(2).unwrap().to_owned()
    };
    let of_part = |name: &str| {
        (
            name.to_owned(),
            lines(&folder.join(name)).iter().map(host).collect(),
        )
    };
    ["train.jsonl", "dev.jsonl", "test.jsonl"]
        .map(of_part)
        .into()
}

#[test]
fn parts_share_no_host_and_no_text() {
    let dir = temp_folder();
    // A text of host 0 on another host.
    let copy = records(1).replace("host0", "copy");
    let stdin = records(70) + &copy;
    let split = ["--split", "60,20,20", "--seed", "3"];
    let output = export(dir.path(), "parts", &split, &stdin).expect_exit(0);
    let folder = dir.path().join("parts");
    assert_eq!(
        names(&folder),
        ["README.md", "dev.jsonl", "test.jsonl", "train.jsonl"]
    );
    let parts = hosts(&folder);
    let all: usize = parts.values().map(BTreeSet::len).sum();
    assert!(
        all == 7 && parts.values().all(|part| !part.is_empty()),
        "{parts:?}"
    );
    let documents = |name: &str| lines(&folder.join(name)).len();
    assert_eq!([documents("train.jsonl"), documents("dev.jsonl")], [40, 20]);
    for part in [
        "1 document with the text of another host",
        "train: 40 documents of 4 hosts (57.1 %)",
    ] {
        assert!(output.stderr.contains(part), "{}", output.stderr);
    }
    // The order of the input does not matter, the seed does.
    let mut reversed: Vec<&str> = stdin.lines().rev().skip(1).collect();
    reversed.push("");
    export(dir.path(), "again", &split, &reversed.join("\n")).expect_exit(0);
    assert_eq!(hosts(&dir.path().join("again")), parts);
    let seeds = ["1", "2", "4", "5"].map(|seed| {
        export(
            dir.path(),
            seed,
            &["--split", "60,20,20", "--seed", seed],
            &stdin,
        )
        .expect_exit(0);
        hosts(&dir.path().join(seed))
    });
    assert!(seeds.iter().any(|other| *other != parts));
}

#[test]
fn few_hosts_still_fill_all_parts() {
    let dir = temp_folder();
    let three: Vec<String> = records(21)
        .lines()
        .enumerate()
        .filter(|(i, _)| i % 7 < 3)
        .map(|(_, line)| line.to_owned())
        .collect();
    export(
        dir.path(),
        "parts",
        &["--split", "98,1,1"],
        &three.join("\n"),
    )
    .expect_exit(0);
    assert!(
        hosts(&dir.path().join("parts"))
            .values()
            .all(|part| part.len() == 1)
    );
    let texts = ["--split", "80,20", "--format", "text"];
    export(dir.path(), "texts", &texts, &three.join("\n")).expect_exit(0);
    assert_eq!(
        names(&dir.path().join("texts")),
        ["README.md", "documents.tsv", "test", "train"]
    );
    let file = export(dir.path(), "c.jsonl", &["--split", "80,20"], "").expect_exit(2);
    assert!(
        file.stderr
            .contains("is a file, but --split writes several"),
        "{}",
        file.stderr
    );
}

#[test]
fn repeated_paragraphs_are_removed() {
    let menu = "Domov Novice O nas Kontakt Piškotki Prijava";
    let document =
        |i: u64, text: &str| json!({"id": i.to_string(), "text": text}).to_string() + "\n";
    let marked = json!({"text": "ena\ndve", "dedup": {"status": "new", "of": null,
        "repeated": [{"paragraph": 0, "share": 1.0}]}})
    .to_string()
        + "\n";
    let own =
        |i: u64| format!("{menu}\nTo je besedilo številka {i} z besedami a{i} b{i} c{i} d{i}.");
    let stdin = document(1, &own(1)) + &document(2, &own(2)) + &document(3, menu) + &marked;
    let dir = temp_folder();
    let output = export(dir.path(), "c.jsonl", &["--dedup-paragraphs"], &stdin).expect_exit(0);
    let kept = lines(&dir.path().join("c.jsonl"));
    let texts: Vec<&str> = kept
        .iter()
        .map(|record| record["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, [&own(1), own(2).split('\n').nth(1).unwrap(), "dve"]);
    assert_eq!(kept[2]["dedup"], json!({"status": "new", "of": null}));
    assert!(
        output
            .stderr
            .contains("1 document of which all repeats earlier text, 3 paragraphs"),
        "{}",
        output.stderr
    );
}

#[test]
fn word_lists_and_ngrams_are_counted() {
    let stdin = "{\"text\":\"Lep dan. Lep dan!\"}\n{\"text\":\"Noč in dan\"}\n";
    let words = exported(&["--format", "wordlist"], stdin);
    assert_eq!(words.lines().nth(1), Some("dan\t3\t2\t0.0952"));
    let ngrams = exported(
        &["--format", "ngrams", "--order", "2", "--min-freq", "2"],
        stdin,
    );
    assert_eq!(ngrams, "ngram\tfrequency\tdocuments\nlep dan\t2\t1\n");
}

#[test]
fn a_card_is_written_beside_files_but_not_in_runs_and_pipes() {
    let dir = temp_folder();
    export(dir.path(), "c.vert", &["--format", "vertical"], &records(3)).expect_exit(0);
    assert_eq!(
        names(dir.path()),
        ["c.registry", "c.vert", "c.vert.README.md"]
    );
    let bare = temp_folder();
    export(
        bare.path(),
        "c.vert",
        &["--format", "vertical", "--bare"],
        &records(3),
    )
    .expect_exit(0);
    assert_eq!(names(bare.path()), ["c.vert"]);

    let run = temp_folder();
    let step = json!({"number": 1, "target": "slv", "last": true});
    let journal = json!({"step": step, "url": "http://a.test/", "text": "Dan", "label": "slv"});
    fs::write(run.path().join("journal.jsonl"), format!("{journal}\n")).unwrap();
    fs::write(
        run.path().join("run.conf"),
        "target=slv\ncontact=me@a.test\nwords=\ninclude=or:3\n",
    )
    .unwrap();
    let path = run.path().display().to_string();
    export(
        run.path(),
        "corpus/",
        &["--format", "jsonl,text", &path],
        "",
    )
    .expect_exit(0);
    assert_eq!(names(&run.path().join("corpus")), ["slv.jsonl", "slv.txt"]);
    let out = temp_folder();
    export(out.path(), "c.jsonl", &[&path], "").expect_exit(0);
    let card = fs::read_to_string(out.path().join("c.jsonl.README.md")).unwrap();
    assert!(
        card.contains("target=slv\ninclude=or:3\n```") && !card.contains("me@"),
        "{card}"
    );
    // A card of an earlier export is replaced, another file is kept.
    export(out.path(), "c.jsonl", &[&path], "").expect_exit(0);
    fs::write(out.path().join("c.jsonl.README.md"), "mine").unwrap();
    let output = export(out.path(), "c.jsonl", &["--force", &path], "").expect_exit(0);
    assert!(
        output.stderr.contains("is not a data card"),
        "{}",
        output.stderr
    );
    assert_eq!(
        fs::read(out.path().join("c.jsonl.README.md")).unwrap(),
        b"mine"
    );

    let folder = out.path().display();
    let piped = run_bash(
        &format!(
            "cd {folder} && corpus-export --format vertical --out - < /dev/stdin | head -1; ls"
        ),
        records(2),
    );
    let stdout = piped.expect_exit(0).stdout;
    assert!(
        stdout.starts_with("<doc id=\"id 0\"") && stdout.lines().count() == 3,
        "{stdout}"
    );
}

#[test]
fn a_full_disk_leaves_no_half_file() {
    let dir = temp_folder();
    for format in ["csv", "tei", "parquet", "conllu", "wordlist"] {
        let full = dir.path().join("full");
        let _ = fs::remove_file(&full);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let output = export(dir.path(), "full", &["--format", format], &records(50)).expect_exit(2);
        assert!(
            output.stderr.contains("No space left on device"),
            "{format}: {}",
            output.stderr
        );
    }
    // A limit of the size of files, as a disk that fills up.
    for format in ["csv", "parquet", "text"] {
        let path: PathBuf = dir.path().join(format!("limited-{format}.x"));
        let command = format!(
            "trap '' XFSZ; ulimit -f 8; corpus-export --format {format} --out {}",
            path.display()
        );
        let output = run_bash(&command, records(3000)).expect_exit(2);
        assert!(
            output.stderr.contains("limited"),
            "{format}: {}",
            output.stderr
        );
    }
    assert_eq!(names(dir.path()), ["full"]);
}

#[test]
fn several_formats_are_written_in_one_pass() {
    let dir = temp_folder();
    let all = "jsonl,text,csv,tsv,markdown,vertical,tei,conllu,parquet,wordlist,ngrams";
    export(dir.path(), "all", &["--format", all], &records(3)).expect_exit(0);
    assert_eq!(
        names(&dir.path().join("all")),
        [
            "README.md",
            "slv.conllu",
            "slv.csv",
            "slv.jsonl",
            "slv.md",
            "slv.ngrams.tsv",
            "slv.parquet",
            "slv.registry",
            "slv.tsv",
            "slv.txt",
            "slv.vert",
            "slv.words.tsv",
            "slv.xml",
        ]
    );
}
