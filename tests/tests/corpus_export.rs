//! `corpus-export`: the documents of each corpus, and their files.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Returns a journal with an initial document, two documents in Slovenian, one in another language,
/// a duplicate and an error.
fn journal() -> String {
    let step = |number: u64| json!({"number": number, "target": "slv", "last": true});
    let records = [
        json!({"text": "prvi", "label": "slv"}),
        json!({"step": step(1), "url": "http://1.test/", "text": "dober dan\n", "label": "slv",
            "x": 1e2}),
        json!({"step": step(2), "url": "http://2.test/", "text": "good day", "label": "eng"}),
        json!({"step": step(3), "url": "http://3.test/", "text": "dober dan", "label": "slv",
            "dedup": {"status": "exact"}}),
        json!({"step": step(4), "url": "http://4.test/", "text": "noč", "label": "slv",
            "error": {"tool": "x", "kind": "timeout", "message": ""}}),
        json!({"step": step(5), "url": "http://5.test/", "text": "lahko noč", "label": "slv"}),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn export(args: &[&str], stdin: &str) -> ToolOutput {
    run_tool("corpus-export", args.iter().copied(), stdin)
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

#[test]
fn exports_the_documents_of_each_target_that_the_steps_of_a_run_retrieved() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    let out = format!("{}/", dir.path().join("out").display());
    fs::create_dir(&run).unwrap();
    fs::write(run.join("journal.jsonl"), journal()).unwrap();
    let args = [
        "--format",
        "jsonl,text",
        "--out",
        &out,
        run.to_str().unwrap(),
    ];
    let stderr = export(&args, "").expect_exit(0).stderr;
    assert!(
        stderr.contains("slv: 2 documents, 4 words in ")
            && stderr.contains("slv.txt and slv.jsonl"),
        "{stderr}"
    );
    assert_eq!(read(dir.path(), "out/slv.txt"), "dober dan\n\nlahko noč\n");
    let lines: Vec<String> = read(dir.path(), "out/slv.jsonl")
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        lines,
        [1, 5].map(|line| journal().lines().nth(line).unwrap().to_owned())
    );
    assert!(!dir.path().join("out/eng.jsonl").exists());
}

#[test]
fn exports_all_documents_of_other_records_to_one_file() {
    let dir = temp_folder();
    let out = dir.path().join("all.txt");
    export(
        &["--format", "text", "--out", out.to_str().unwrap()],
        &journal(),
    )
    .expect_exit(0);
    assert_eq!(
        read(dir.path(), "all.txt"),
        "prvi\n\ndober dan\n\ngood day\n\nlahko noč\n"
    );
    export(
        &[
            "--format",
            "text",
            "--target",
            "eng",
            "--force",
            "--out",
            out.to_str().unwrap(),
        ],
        &journal(),
    )
    .expect_exit(0);
    assert_eq!(read(dir.path(), "all.txt"), "good day\n");
}

/// Standard output is the descriptor of the process: what a group writes to one file follows, and a
/// socket, which cannot be opened by a path, is written as well.
#[test]
fn standard_output_is_shared_with_other_commands_of_a_group() {
    let dir = temp_folder();
    let input = dir.path().join("in.jsonl");
    fs::write(&input, journal()).unwrap();
    let (input, out) = (input.display(), dir.path().join("all.txt"));
    let group = |export: &str, all: &str| {
        let script = format!("{{ echo first; {export}; echo last; }} {all}");
        run_bash(&script, "").expect_exit(0).stdout
    };
    let texts = "first\nprvi\n\ndober dan\n\ngood day\n\nlahko noč\nlast\n";
    for path in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let export = format!("corpus-export --bare --format text --out {path} {input}");
        group(&export, &format!("> {}", out.display()));
        assert_eq!(read(dir.path(), "all.txt"), texts, "{path}");
        assert_eq!(group(&export, "| cat"), texts, "{path}");
    }
    let socket = format!(
        "import socket, subprocess, sys
ours, theirs = socket.socketpair()
args = ['corpus-export', '--bare', '--format', 'text', '--out', '-', '{input}']
subprocess.run(args, stdout=theirs, check=True)
theirs.close()
sys.stdout.buffer.write(ours.makefile('rb').read())"
    );
    let sent = run_bash(&format!("python3 -c \"{socket}\""), "").expect_exit(0);
    assert_eq!(sent.stdout, "prvi\n\ndober dan\n\ngood day\n\nlahko noč\n");
    // So is standard error, with --rejects.
    let all = out.display();
    let script =
        format!("{{ echo first; echo '[1]' | langid --rejects /dev/stderr -q; }} > {all} 2>&1");
    run_bash(&script, "");
    assert_eq!(read(dir.path(), "all.txt"), "first\n[1]\n");
}

#[test]
fn a_file_is_replaced_atomically() {
    let dir = temp_folder();
    let out = dir.path().join("all.jsonl");
    fs::write(&out, "before").unwrap();
    export(
        &["--strict", "--out", out.to_str().unwrap()],
        &(journal() + "no record\n"),
    )
    .expect_exit(2);
    assert_eq!(read(dir.path(), "all.jsonl"), "before");
    let output = export(
        &["--format", "jsonl,text", "--out", out.to_str().unwrap()],
        &journal(),
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("is a file, which has one format"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_output_without_documents_is_an_empty_file() {
    let dir = temp_folder();
    let out = dir.path().join("none.jsonl");
    let stderr = export(&["--out", out.to_str().unwrap()], "{\"a\":1}\n")
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains("no documents for "), "{stderr}");
    assert_eq!(read(dir.path(), "none.jsonl"), "");
}

#[test]
fn pipes_and_devices_are_written_directly() {
    let dir = temp_folder();
    let output = export(&["--out", "-"], "{\"text\":\"a\"}\n").expect_exit(0);
    assert_eq!(output.stdout, "{\"text\":\"a\"}\n");
    let head = run_bash(
        "yes '{\"text\":\"a\"}' | head -100000 | corpus-export --out - | head -1; \
         echo ${PIPESTATUS[2]}",
        "",
    );
    assert_eq!(head.expect_exit(0).stdout, "{\"text\":\"a\"}\n0\n");
    // Through a link, so that a bug would destroy the link, not the device.
    let full = dir.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let output = export(&["--out", full.to_str().unwrap()], &journal()).expect_exit(2);
    assert!(
        output.stderr.contains("full: No space left on device"),
        "{}",
        output.stderr
    );
    assert!(full.is_symlink());
}

#[test]
fn documents_without_a_class_have_their_own_file() {
    let dir = temp_folder();
    let out = format!("{}/", dir.path().display());
    export(
        &["--out", &out],
        "{\"text\":\"a\"}\n{\"text\":\"b\",\"label\":\"unlabelled\"}\n",
    )
    .expect_exit(0);
    assert_eq!(read(dir.path(), "unlabelled.jsonl"), "{\"text\":\"a\"}\n");
}

#[test]
fn the_targets_of_a_run_are_read_from_its_settings() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    let out = format!("{}/", dir.path().join("out").display());
    fs::create_dir(&run).unwrap();
    fs::write(run.join("run.conf"), "seed=0\ntarget=slv,eng\n").unwrap();
    fs::write(run.join("journal.jsonl"), journal()).unwrap();
    export(
        &[
            "--format",
            "text,text",
            "--out",
            &out,
            run.to_str().unwrap(),
        ],
        "",
    )
    .expect_exit(0);
    // The document was retrieved before any step for English.
    assert_eq!(read(dir.path(), "out/eng.txt"), "good day\n");
    assert_eq!(read(dir.path(), "out/slv.txt"), "dober dan\n\nlahko noč\n");
}

#[test]
fn a_step_of_another_program_is_none_and_what_is_left_out_is_counted() {
    let dir = temp_folder();
    let out = dir.path().join("corpus.jsonl");
    let lines = [
        json!({"text": "Potok v vasi.", "step": "news"}),
        json!({"text": "Drugi zapis.", "step": 5}),
        json!({"text": "Tretji zapis.", "step": {"name": "crawl"}}),
        json!({"content": "Četrti."}),
        json!({"text": 5}),
        json!({"text": "Peti.", "dedup": {"status": "exact"}}),
    ];
    let stdin: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let stderr = export(&["--out", out.to_str().unwrap()], &stdin)
        .expect_exit(0)
        .stderr;
    let expected = "corpus-export: 3 of 6 records not exported: 1 duplicate, 1 with a \
                    `text` that is not a string, 1 without `text`\n";
    assert!(stderr.starts_with(expected), "{stderr}");
    assert_eq!(read(dir.path(), "corpus.jsonl").lines().count(), 3);
}

/// Writes records with these texts to a file, and returns its path.
fn write_texts(dir: &Path, name: &str, label: &str, texts: &[&str]) -> String {
    let record = |(i, text): (usize, &&str)| {
        let url = format!("http://{name}.test/{i}");
        format!("{}\n", json!({"url": url, "text": text, "label": label}))
    };
    let path = dir.join(name);
    fs::write(
        &path,
        texts.iter().enumerate().map(record).collect::<String>(),
    )
    .unwrap();
    path.display().to_string()
}

#[test]
fn a_document_of_several_inputs_is_exported_once_and_named() {
    let dir = temp_folder();
    let a = write_texts(dir.path(), "a", "slv", &["dober dan", "noč", "noč"]);
    let texts = ["Dober  dan", "jutro", "jutro", "noč"];
    let b = write_texts(dir.path(), "b", "hrv", &texts);
    let c = write_texts(dir.path(), "c", "hrv", &["jutro", "pozdrav"]);
    let output = export(&["--format", "text", "--out", "-", &a, &b, &c], "").expect_exit(0);
    assert_eq!(
        output.stdout,
        "dober dan\n\nnoč\n\nnoč\n\njutro\n\njutro\n\npozdrav\n"
    );
    for expected in [
        "b: 2 documents left out, because an earlier input has the text: \
         http://b.test/0, http://b.test/3\n",
        "c: 1 document left out, because an earlier input has the text: http://c.test/0\n",
        "hrv: 3 documents, 3 words",
        "slv: 3 documents, 4 words",
    ] {
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    // A document that is not exported from one input is from another.
    let hrv = ["--target", "hrv", "--format", "text", "--out", "-"];
    let output = export(&[&hrv[..], &[&a, &b]].concat(), "").expect_exit(0);
    assert_eq!(output.stdout, "Dober  dan\n\njutro\n\njutro\n\nnoč\n");
}

#[test]
fn of_many_repeated_documents_five_are_named_and_all_with_v() {
    let dir = temp_folder();
    let texts = ["ena", "dve", "tri", "štiri", "pet", "šest", "sedem"];
    let a = write_texts(dir.path(), "a", "slv", &texts);
    let b = write_texts(dir.path(), "b", "slv", &texts);
    let args = ["--out", "-", &a, &b];
    let output = export(&args, "").expect_exit(0);
    assert_eq!(output.records().len(), 7);
    assert!(
        output
            .stderr
            .contains("b.test/4 and 2 more, which -v names\n")
            && !output.stderr.contains("b.test/5"),
        "{}",
        output.stderr
    );
    let verbose = export(&[&["-v"], &args[..]].concat(), "").expect_exit(0);
    assert!(
        verbose
            .stderr
            .contains("http://b.test/6: is in an earlier input\n"),
        "{}",
        verbose.stderr
    );
}

#[test]
fn two_runs_are_exported_as_one() {
    let dir = temp_folder();
    let runs = ["mine", "yours"].map(|name| dir.path().join(name));
    for run in &runs {
        fs::create_dir(run).unwrap();
        fs::write(run.join("journal.jsonl"), journal()).unwrap();
    }
    let args = ["--out", "-", runs[0].to_str().unwrap()];
    let one = export(&args, "").expect_exit(0);
    let both = export(&[&args[..], &[runs[1].to_str().unwrap()]].concat(), "").expect_exit(0);
    assert_eq!(both.stdout, one.stdout);
    assert!(
        both.stderr.contains("3 another version of the page"),
        "{}",
        both.stderr
    );
}

#[test]
fn of_several_runs_the_corpus_has_the_latest_version_of_each_class() {
    let dir = temp_folder();
    let fetched = |url: &str, at: &str, text: &str, label: &str| {
        json!({"step": {"number": 1, "target": "slv", "last": true}, "url": url, "text": text,
            "label": label, "fetch": {"url": url, "at": at}})
    };
    let (early, late) = ("2026-01-05T00:00:00Z", "2026-01-12T00:00:00Z");
    let (a, b) = ("http://a.test/", "http://b.test/");
    let mine = [
        fetched(a, early, "staro", "slv"),
        fetched(b, early, "ostane", "slv"),
    ];
    let yours = [
        fetched(a, late, "novo", "slv"),
        fetched(b, late, "x", "eng"),
    ];
    let runs = [("mine", mine), ("yours", yours)].map(|(name, records)| {
        let run = dir.path().join(name);
        fs::create_dir(&run).unwrap();
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(run.join("journal.jsonl"), lines).unwrap();
        run.to_str().unwrap().to_owned()
    });
    for order in [[0, 1], [1, 0]] {
        let [first, second] = order.map(|run| runs[run].as_str());
        let args = [
            "--target", "slv", "--format", "jsonl", "--bare", "--out", "-",
        ];
        let exported = export(&[&args[..], &[first, second]].concat(), "").records();
        let mut texts: Vec<_> = exported.iter().map(|record| &record["text"]).collect();
        texts.sort_by_key(|text| text.to_string());
        assert_eq!(texts, ["novo", "ostane"]);
    }
}

#[test]
fn the_corpus_of_a_run_is_not_replaced_by_a_part_of_it() {
    let dir = temp_folder();
    let (run, other) = (dir.path().join("run"), dir.path().join("other"));
    for run in [&run, &other] {
        fs::create_dir(run).unwrap();
        fs::write(run.join("run.conf"), "target=slv\n").unwrap();
        fs::write(run.join("journal.jsonl"), journal()).unwrap();
    }
    let (run_path, other) = (run.to_str().unwrap(), other.to_str().unwrap());
    let folder = format!("{run_path}/corpus/");
    let file = format!("{run_path}/corpus/slv.jsonl");
    export(&["--out", &folder, run_path], "").expect_exit(0);
    let whole = read(&run, "corpus/slv.jsonl");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    for options in [
        &["--no-optout"][..],
        &["--min-margin", "0.9"],
        &["--licence", "none", "--force"],
        &["--without", "/dev/null"],
        &["--dedup-paragraphs"],
        &["--split", "80,20"],
    ] {
        for out in [&folder, &file, &format!("{}/new/", link.display())] {
            let args = [&["--out", out], options, &[run_path]].concat();
            let stderr = export(&args, "").expect_exit(2).stderr;
            let expected = format!(
                "the whole corpus of the run {run_path}, which {}",
                options[0]
            );
            assert!(stderr.contains(&expected), "{stderr}");
        }
    }
    // Other input, which may be a part, needs --force, as in pipelines.
    let stderr = export(&["--out", &file, other], "").expect_exit(2).stderr;
    assert!(stderr.contains("only with --force"), "{stderr}");
    let piped = ["--journal", "--out", &folder];
    export(&piped, &journal()).expect_exit(2);
    assert_eq!(read(&run, "corpus/slv.jsonl"), whole);
    export(&[&["--force"], &piped[..]].concat(), &journal()).expect_exit(0);
    export(&["--out", &folder, run_path], "").expect_exit(0);
    // Elsewhere in the folder of a run, filters are free.
    let sure = format!("{run_path}/sure/");
    export(&["--no-optout", "--out", &sure, run_path], "").expect_exit(0);
}

#[test]
fn a_list_of_documents_to_leave_out_may_mix_names_and_records() {
    let dir = temp_folder();
    let input: String = (1..=4)
        .map(|n| {
            format!("{{\"id\":\"{n}\",\"url\":\"http://a.test/{n}\",\"text\":\"Text {n}.\"}}\n")
        })
        .collect();
    let list = dir.path().join("list");
    let out = dir.path().join("out.jsonl");
    let (list_path, out_path) = (list.to_str().unwrap(), out.to_str().unwrap());
    fs::write(&list, "1\n{\"id\":\"2\"}\nHTTP://A.test:80/3\nnothing\n").unwrap();
    let output = export(&["--without", list_path, "--out", out_path], &input).expect_exit(0);
    let kept = fs::read_to_string(&out).unwrap();
    assert!(
        kept.lines().count() == 1 && kept.contains("Text 4"),
        "{kept}"
    );
    assert!(
        output.stderr.contains("3 documents listed by --without")
            && output
                .stderr
                .contains("nothing for 1 of 4 entries of --without"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_refused_file_leaves_the_others_as_they_were() {
    let input = "{\"text\":\"A.\",\"label\":\"hrv\"}\n{\"text\":\"B.\",\"label\":\"slv\"}\n";
    for (format, taken) in [("jsonl", "slv.jsonl"), ("vertical", "slv.registry")] {
        let dir = temp_folder();
        fs::write(dir.path().join(taken), "mine\n").unwrap();
        let out = format!("{}/", dir.path().display());
        let stderr = export(&["--format", format, "--out", &out], input)
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(taken), "{stderr}");
        let names = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(names, 1, "{format}");
        assert_eq!(read(dir.path(), taken), "mine\n");
    }
}

#[test]
fn the_format_follows_from_the_name_of_the_output() {
    let dir = temp_folder();
    let input = "{\"text\":\"A.\",\"label\":\"slv\"}\n";
    let path = |name: &str| dir.path().join(name).display().to_string();
    export(&["--out", &path("a.csv")], input).expect_exit(0);
    assert!(read(dir.path(), "a.csv").starts_with("\u{feff}id,url"));
    export(&["--format", "wordlist", "--out", &path("w.tsv")], input).expect_exit(0);
    for options in [
        &["--format", "csv", "--out", &path("b.jsonl")][..],
        &["--out", &path("b.jsonl.gz")],
        &["--min-margin", "90", "--out", &path("b.jsonl")],
        &["--split", "80,30", "--out", &path("b")],
    ] {
        export(options, input).expect_exit(2);
    }
    assert!(!dir.path().join("b.jsonl").exists() && !dir.path().join("b").exists());
}
