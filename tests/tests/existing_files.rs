//! What is there is not replaced without being asked for: outputs, journals, databases, input that
//! is also the output.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const DOCS: &str = "{\"id\":\"1\",\"url\":\"http://a.test/1\",\"label\":\"slv\",\
    \"text\":\"Danes je lep dan in na nebu ni nobenega oblaka, zato gremo na izlet v gore.\"}\n";
const JOURNAL: &str = "{\"text\":\"a\",\"label\":\"slv\"}\n\
    {\"step\":{\"number\":1,\"target\":\"slv\",\"last\":true},\"text\":\"b\",\"label\":\"slv\"}\n";

fn run(folder: &Path, command: &str) -> ToolOutput {
    run_bash(&format!("cd '{}'; {command}", folder.display()), "")
}

/// Returns a folder with documents, a journal, notes, two databases and a compressed file.
fn folder_of_files() -> tempfile::TempDir {
    let dir = temp_folder();
    let write = |name: &str, content: &str| fs::write(dir.path().join(name), content).unwrap();
    write("docs.jsonl", DOCS);
    write("old.jsonl", "{\"text\":\"earlier export\"}\n");
    write("steps.jsonl", JOURNAL);
    write("notes.txt", "mine\nmine\n");
    write("words.tsv", "beseda\t3\n");
    write("a.pdf", "%PDF-1.4\n");
    run(
        dir.path(),
        "gzip -k notes.txt; dedup --index seen.db docs.jsonl",
    )
    .expect_exit(0);
    run(dir.path(), "update-stats --stats stats.db docs.jsonl").expect_exit(0);
    symlink("notes.txt", dir.path().join("link")).unwrap();
    dir
}

#[test]
fn an_output_replaces_no_file_of_another_kind_and_no_input() {
    let dir = folder_of_files();
    let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
    let foreign = [
        "notes.txt",
        "link",
        "seen.db",
        "stats.db",
        "steps.jsonl",
        "a.pdf",
        "notes.txt.gz",
    ];
    for command in [
        "corpus-export docs.jsonl --format jsonl --out",
        "corpus-export docs.jsonl --format text --out",
        "corpus-export docs.jsonl --target hrv --out",
        "ngram-profile docs.jsonl --lang slv --out",
        "ngram-profile --wordlist words.tsv --lang slv --out",
        "topic-profile docs.jsonl docs.jsonl docs.jsonl --lang eng --out",
        "langid docs.jsonl --rejects",
        "echo no record | langid --rejects",
    ] {
        for name in foreign.into_iter().chain(["docs.jsonl", "words.tsv"]) {
            let before = read(name);
            let output = run(dir.path(), &format!("{command} {name}")).expect_exit(2);
            assert!(
                output.stderr.contains(name),
                "{command} {name}: {}",
                output.stderr
            );
            assert!(read(name) == before, "{command} {name}");
        }
    }
    // An input stays, also with --force, under any name.
    for name in ["docs.jsonl", "./docs.jsonl"] {
        let command = format!("corpus-export docs.jsonl --force --out {name}");
        run(dir.path(), &command).expect_exit(2);
        let command = format!("corpus-export --force --out={name} < docs.jsonl");
        run(dir.path(), &command).expect_exit(2);
    }
    assert_eq!(read("docs.jsonl"), DOCS.as_bytes());
}

#[test]
fn a_hyphen_is_standard_output() {
    let dir = folder_of_files();
    for command in [
        "corpus-export docs.jsonl --format text --out -",
        "ngram-profile docs.jsonl --lang slv --out -",
        "topic-profile docs.jsonl docs.jsonl docs.jsonl --lang eng --out -",
        "echo no record | langid -q --rejects -",
    ] {
        let script = format!("{{ echo first; {command}; echo last; }} >all");
        run(dir.path(), &script).expect_exit(0);
        let all = fs::read_to_string(dir.path().join("all")).unwrap();
        let is_whole = all.starts_with("first\n") && all.ends_with("\nlast\n");
        assert!(is_whole && all.lines().count() > 2, "{command}: {all}");
        assert!(!dir.path().join("-").exists(), "{command}");
    }
}

#[test]
fn an_earlier_version_of_the_output_is_replaced_and_with_force_any_file() {
    let dir = folder_of_files();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    run(dir.path(), "corpus-export docs.jsonl --out old.jsonl").expect_exit(2);
    run(
        dir.path(),
        "corpus-export docs.jsonl --out old.jsonl --force",
    )
    .expect_exit(0);
    assert_eq!(read("old.jsonl"), DOCS);
    for _ in 0..2 {
        run(dir.path(), "corpus-export docs.jsonl --out old.jsonl").expect_exit(0);
        run(
            dir.path(),
            "corpus-export docs.jsonl --format text --out new.txt",
        )
        .expect_exit(0);
        run(
            dir.path(),
            "ngram-profile docs.jsonl --lang slv --out slv.profile",
        )
        .expect_exit(0);
    }
    let command = "corpus-export docs.jsonl --format text --force --out link";
    run(dir.path(), command).expect_exit(0);
    assert_eq!(read("notes.txt"), read("new.txt"));
    assert!(dir.path().join("link").is_symlink());
}

#[test]
fn nothing_is_rebuilt_from_a_file_that_is_no_journal() {
    let dir = folder_of_files();
    for (name, content) in [
        ("empty", ""),
        ("other", "{\"a\":1}\n"),
        ("plain", "root:x:0\n"),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    for tool in [
        "dedup --index seen.db",
        "update-stats --stats stats.db",
        "search --hits hits.db",
        "frontier --state frontier.db",
        "langid --state profiles.db",
        "topic-filter --feedback topic.db",
        "topic-filter --state samples.db",
    ] {
        let rebuild = |journal: &str| run(dir.path(), &format!("{tool} --rebuild {journal}"));
        rebuild("steps.jsonl").expect_exit(0);
        let file = tool.rsplit(' ').next().unwrap();
        let content = || {
            run(dir.path(), &format!("sqlite3 {file} .dump"))
                .expect_exit(0)
                .stdout
        };
        let before = content();
        for journal in ["empty", "other", "plain", ".", "missing", "/dev/null"] {
            let stderr = rebuild(journal).expect_exit(2).stderr;
            assert!(stderr.contains(journal), "{tool} {journal}: {stderr}");
            assert!(content() == before, "{tool} {journal}");
        }
        rebuild("steps.jsonl other").expect_exit(2);
    }
}

#[test]
fn a_file_that_is_no_journal_keeps_its_last_line() {
    let dir = temp_folder();
    for (content, exit_code) in [
        ("{\"a\":1}\n{\"b\":2}", 2),
        ("{\"a\":1}\n{\"b\":", 2),
        ("{\"text\":\"a\"}\n{\"text\":", 0),
    ] {
        let path = dir.path().join("file.json");
        fs::write(&path, content).unwrap();
        for step in ["--next-step", "--from-step 0"] {
            let _ = fs::remove_file(dir.path().join("stats.db"));
            let command = format!("update-stats --stats stats.db --journal file.json {step}");
            let output = run(dir.path(), &format!("{command} < /dev/null"));
            let expected = if step == "--next-step" { exit_code } else { 2 };
            output.expect_exit(expected);
            assert_eq!(fs::read_to_string(&path).unwrap(), content, "{step}");
        }
    }
}

#[test]
fn input_that_is_also_the_output_is_refused() {
    let dir = temp_folder();
    let path = dir.path().join("a.jsonl");
    for command in [
        "langid a.jsonl >> a.jsonl",
        "langid < a.jsonl >> a.jsonl",
        "cat b.jsonl | langid - ./a.jsonl >> a.jsonl",
        "dedup --index seen.db a.jsonl >> a.jsonl",
        "fetch-extract a.jsonl >> a.jsonl",
        "langid --lines a.jsonl >> a.jsonl",
        "langid --files a.jsonl >> a.jsonl",
        "fetch-extract --html a.jsonl >> a.jsonl",
    ] {
        fs::write(&path, DOCS).unwrap();
        fs::write(dir.path().join("b.jsonl"), DOCS).unwrap();
        let output = run(dir.path(), &format!("timeout 20 {command}")).expect_exit(2);
        assert!(
            output.stderr.contains("the output"),
            "{command}: {}",
            output.stderr
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), DOCS, "{command}");
    }
    for input in ["a.jsonl", "< a.jsonl", "b.jsonl ./a.jsonl", "link.jsonl"] {
        fs::write(&path, DOCS).unwrap();
        let command = format!(
            "ln -sf a.jsonl link.jsonl; update-stats --stats s.db --journal a.jsonl {input}"
        );
        let output = run(dir.path(), &command).expect_exit(2);
        let name = if input.starts_with('<') {
            "-"
        } else {
            input.rsplit(' ').next().unwrap()
        };
        assert!(
            output
                .stderr
                .contains(&format!("{name}: the input is also the journal")),
            "{input}: {}",
            output.stderr
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), DOCS, "{input}");
    }
    // To resume a list, the tool reads what it has written before it appends.
    fs::write(&path, DOCS).unwrap();
    let command = "fetch-extract --resume a.jsonl b.jsonl >> a.jsonl";
    run(dir.path(), command).expect_exit(0);
    assert!(
        run_tool("langid", [&path], "")
            .expect_exit(0)
            .stdout
            .contains("slv")
    );
}
