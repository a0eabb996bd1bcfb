//! Files as input (`--files`), and lines of files that are not plain text.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

const SLOVENIAN: &str =
    "Čebela leti čez žito in išče šipek; življenje v gozdu je že od nekdaj skrivnostno.\n";
const ENGLISH: &str = "The bees of the old farm were looking for flowers in the morning.\n";
const PAGE: &str =
    "<!doctype html><html><body><p>Danes je lep dan in sonce sije.</p></body></html>";

/// Returns text in windows-1250, as far as the letters of the test need it.
fn windows_1250(text: &str) -> Vec<u8> {
    let letters = [('Č', 0xC8), ('č', 0xE8), ('š', 0x9A), ('ž', 0x9E)];
    text.chars()
        .map(|c| {
            letters
                .iter()
                .find(|(letter, _)| *letter == c)
                .map_or(c as u8, |(_, byte)| *byte)
        })
        .collect()
}

fn utf_16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn write_files(dir: &Path, files: &[(&str, &[u8])]) {
    for (name, content) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Runs a tool with paths that are relative to `dir`.
fn run_in<A: AsRef<OsStr>>(dir: &Path, tool: &str, args: &[A]) -> ToolOutput {
    let mut command = std::process::Command::new(forage_tests::tool_path(tool));
    command.args(args).current_dir(dir);
    forage_tests::run_command(command, "")
}

/// Returns the path and the code of each line.
fn codes(output: &ToolOutput) -> Vec<(String, String)> {
    output
        .stdout
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert!(
                fields.len() == 3 && fields[2].parse::<f64>().is_ok(),
                "{line}"
            );
            (fields[0].to_owned(), fields[1].to_owned())
        })
        .collect()
}

#[track_caller]
fn assert_codes(output: &ToolOutput, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(path, code)| ((*path).to_owned(), (*code).to_owned()))
        .collect();
    assert_eq!(codes(output), expected, "{}", output.stderr);
}

/// The message for a binary file in a folder.
const LEFT_OUT: &str = "langid: left out 1 file in folders: binary data or zip archives\n";

#[test]
fn each_file_is_a_document_in_any_encoding() {
    let dir = temp_folder();
    write_files(
        dir.path(),
        &[
            ("b c.txt", SLOVENIAN.as_bytes()),
            ("a.txt", ENGLISH.as_bytes()),
            ("old.txt", &windows_1250(SLOVENIAN)),
            ("wide.txt", &utf_16(SLOVENIAN)),
            ("empty.txt", b""),
        ],
    );
    let names = ["b c.txt", "a.txt", "old.txt", "wide.txt", "empty.txt"];
    let args = [&["--files"][..], &names].concat();
    let output = run_in(dir.path(), "langid", &args).expect_exit(0);
    assert_codes(
        &output,
        &[
            ("b c.txt", "slv"),
            ("a.txt", "eng"),
            ("old.txt", "slv"),
            ("wide.txt", "slv"),
            ("empty.txt", "und"),
        ],
    );
    assert_eq!(output.stderr, "");
}

#[test]
fn folders_are_read_with_recursive_only() {
    let dir = temp_folder();
    let text = SLOVENIAN.as_bytes();
    write_files(
        dir.path(),
        &[
            ("texts/b.txt", text),
            ("texts/a/z.txt", text),
            ("texts/.hidden", text),
            ("texts/data", b"\0\x01\x02"),
            ("other.txt", text),
        ],
    );
    let output = run_in(dir.path(), "langid", &["--files", "texts", "other.txt"]).expect_exit(1);
    assert_codes(&output, &[("other.txt", "slv")]);
    assert!(
        output
            .stderr
            .contains("texts: is a folder; use --recursive"),
        "{}",
        output.stderr
    );
    let all = [
        ("texts/a/z.txt", "slv"),
        ("texts/b.txt", "slv"),
        ("other.txt", "slv"),
    ];
    for jobs in ["1", "4"] {
        let args = ["--files", "-r", "--jobs", jobs, "texts", "other.txt"];
        let output = run_in(dir.path(), "langid", &args).expect_exit(0);
        assert_codes(&output, &all);
        assert_eq!(output.stderr, LEFT_OUT);
    }
    let named = ["--files", "texts/.hidden", "texts/data"];
    let output = run_in(dir.path(), "langid", &named).expect_exit(1);
    assert_codes(&output, &[("texts/.hidden", "slv"), ("texts/data", "und")]);
    assert_eq!(
        output.stderr,
        "langid: texts/data: is binary data, not text\n"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_reported_and_the_others_are_processed() {
    let dir = temp_folder();
    write_files(dir.path(), &[("a.txt", SLOVENIAN.as_bytes())]);
    let output = run_in(dir.path(), "langid", &["--files", "none", "a.txt"]).expect_exit(1);
    assert_codes(&output, &[("a.txt", "slv")]);
    assert!(
        output.stderr.starts_with("langid: none: No such file"),
        "{}",
        output.stderr
    );
    run_in(dir.path(), "langid", &["--files", "none"]).expect_exit(2);
    run_in(
        dir.path(),
        "langid",
        &["--files", "--strict", "none", "a.txt"],
    )
    .expect_exit(2);
    let many: Vec<String> = (0..30).map(|n| format!("none-{n}")).collect();
    let args: Vec<&str> = ["--files", "a.txt"]
        .into_iter()
        .chain(many.iter().map(String::as_str))
        .collect();
    let output = run_in(dir.path(), "langid", &args).expect_exit(1);
    assert!(
        output.stderr.lines().count() == 6
            && output
                .stderr
                .contains("30 files could not be read, of which 5 are shown"),
        "{}",
        output.stderr
    );
}

#[test]
fn pages_are_undetermined_with_a_command_that_reads_them() {
    let dir = temp_folder();
    for n in 0..7 {
        fs::write(dir.path().join(format!("p {n}.html")), PAGE).unwrap();
    }
    let output = run_in(dir.path(), "langid", &["--files", "-r", "."]).expect_exit(1);
    assert!(codes(&output).len() == 7 && codes(&output).iter().all(|(_, code)| code == "und"));
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 6, "{}", output.stderr);
    assert!(lines[5].contains("7 files are not plain text, of which 5 are shown"));
    let (_, command) = lines[0].split_once("; use ").unwrap();
    assert_eq!(command, "fetch-extract --html './p 0.html' | langid");
    let script = format!(
        "cd '{}' && {command} | jq -r .langid.code",
        dir.path().display()
    );
    assert_eq!(run_bash(&script, "").expect_exit(0).stdout, "slv\n");
}

#[test]
fn messages_are_grouped_by_kind_and_every_unread_file_sets_the_exit_code() {
    let dir = temp_folder();
    write_files(dir.path(), &[("a.txt", SLOVENIAN.as_bytes())]);
    let mut args = vec!["--files".to_owned(), "a.txt".to_owned()];
    for n in 0..7 {
        fs::write(dir.path().join(format!("{n}.html")), PAGE).unwrap();
        fs::write(dir.path().join(format!("{n}.bin")), b"a\0b").unwrap();
        args.extend([format!("{n}.html"), format!("{n}.bin"), format!("{n}.none")]);
    }
    for tool in ["langid", "dedup"] {
        let output = run_in(dir.path(), tool, &args).expect_exit(1);
        assert_eq!(output.stdout.lines().count(), 15, "{}", output.stdout);
        assert_eq!(output.stderr.lines().count(), 18, "{}", output.stderr);
        for count in ["could not be read", "are binary data", "are not plain text"] {
            let total = format!("7 files {count}, of which 5 are shown");
            assert!(output.stderr.contains(&total), "{}", output.stderr);
        }
        for unread in ["0.html", "0.bin"] {
            let output = run_in(dir.path(), tool, &["--files", "a.txt", unread]).expect_exit(1);
            assert_eq!(output.stdout.lines().count(), 2, "{}", output.stdout);
        }
    }
}

#[test]
fn a_folder_without_text_files_is_reported() {
    let dir = temp_folder();
    write_files(
        dir.path(),
        &[
            ("none/.hidden", SLOVENIAN.as_bytes()),
            ("none/deep/data", b"a\0b"),
            ("some/deep/a.txt", SLOVENIAN.as_bytes()),
        ],
    );
    fs::create_dir(dir.path().join("empty")).unwrap();
    let args = ["--files", "-r", "none", "some", "empty"];
    let output = run_in(dir.path(), "langid", &args).expect_exit(0);
    assert_codes(&output, &[("some/deep/a.txt", "slv")]);
    let reported = ["none", "empty"].map(|folder| {
        format!(
            "langid: {folder}: has no text file; hidden and binary files, links and pipes are left \
             out\n"
        )
    });
    assert_eq!(output.stderr, reported.concat() + LEFT_OUT);
}

#[test]
fn pipes_and_devices_are_refused_and_left_out_of_folders() {
    let dir = temp_folder();
    write_files(
        dir.path(),
        &[
            ("a.txt", SLOVENIAN.as_bytes()),
            ("page.html", PAGE.as_bytes()),
        ],
    );
    let script = |command: &str| {
        let script = format!("cd '{}' && {command}", dir.path().display());
        run_bash(&script, SLOVENIAN)
    };
    script("mkfifo pipe && mkdir texts && cp a.txt texts && mkfifo texts/pipe").expect_exit(0);
    for (file, cause) in [
        ("pipe", "pipe: is not a regular file; save it first"),
        ("/dev/null", "/dev/null: is not a regular file"),
        (
            "/dev/stdin",
            "/dev/stdin: is not a regular file; use - to read",
        ),
        (
            "<(cat a.txt)",
            "is not a regular file; save the output of the command first",
        ),
    ] {
        for tool in ["langid", "dedup"] {
            let output = script(&format!("{tool} --files {file} a.txt")).expect_exit(1);
            assert!(output.stdout.starts_with("a.txt\t"), "{}", output.stdout);
            assert!(output.stderr.contains(cause), "{}", output.stderr);
        }
    }
    let output = script("langid --files -r texts").expect_exit(0);
    assert_codes(&output, &[("texts/a.txt", "slv")]);
    assert_eq!(output.stderr, "");
    // Pages may be what an open descriptor has.
    let pages = "fetch-extract --html pipe none page.html . <(cat page.html) | jq -r .url";
    let output = script(pages).expect_exit(1);
    let urls: Vec<&str> = output.stdout.lines().collect();
    assert!(
        urls.len() == 2 && urls[0].ends_with("page.html") && urls[1].starts_with("file:///dev/fd/"),
        "{urls:?}"
    );
    let causes = [
        "pipe: is not a regular file; save it first",
        "none: No such file or directory (os error 2)",
        ".: is a folder; use --recursive to read the files in it",
    ];
    let causes = causes.map(|cause| format!("fetch-extract: {cause}\n"));
    assert_eq!(output.stderr, causes.concat());
    for none in ["none", "pipe none"] {
        script(&format!("fetch-extract --html {none}")).expect_exit(2);
    }
    // Pages on standard input have the same URL, and differ in id.
    let ids = "{ fetch-extract --html - < page.html; cat page.html | fetch-extract --html - page.html; \
               echo '<p>Jutri je spet dan in sonce sije.' | fetch-extract --html -; } | jq -r '.url, .id'";
    let output = script(ids).expect_exit(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], "file:///dev/stdin", "{lines:?}");
    assert!(
        lines[1] == lines[3] && lines[1] != lines[5] && lines[1] != lines[7],
        "{lines:?}"
    );
}

#[test]
fn a_path_never_breaks_the_table() {
    let dir = temp_folder();
    write_files(dir.path(), &[("a\tb\nc\\d", SLOVENIAN.as_bytes())]);
    let output = run_in(dir.path(), "langid", &["--files", "-r", "."]).expect_exit(0);
    assert_codes(&output, &[(r"./a\tb\nc\\d", "slv")]);
}

#[test]
fn only_the_beginning_of_a_long_file_is_read_and_a_dash_is_standard_input() {
    let text = ENGLISH.to_owned() + &SLOVENIAN.repeat(1000);
    let limit = ENGLISH.len().to_string();
    let output = run_tool("langid", ["--files", "--max-line", &limit, "-"], &text).expect_exit(0);
    assert_codes(&output, &[("-", "eng")]);
    let output = run_tool("langid", ["--files"], &text).expect_exit(0);
    assert_codes(&output, &[("-", "slv")]);
}

#[test]
fn lines_are_read_in_any_encoding_and_of_other_files_with_one_warning() {
    let dir = temp_folder();
    let text = SLOVENIAN.repeat(3);
    write_files(
        dir.path(),
        &[
            ("good.txt", text.as_bytes()),
            ("old.txt", &windows_1250(&text)),
            ("wide.txt", &utf_16(&text)),
            ("page.html", PAGE.as_bytes()),
            ("report.pdf", b"%PDF-1.7\n1 0 obj\n"),
        ],
    );
    let args = [
        "--lines",
        "good.txt",
        "old.txt",
        "wide.txt",
        "page.html",
        "report.pdf",
    ];
    let output = run_in(dir.path(), "langid", &args).expect_exit(0);
    let read = output
        .stdout
        .lines()
        .filter(|line| line.starts_with("slv\t"));
    assert!(read.count() >= 9, "{}", output.stdout);
    let warnings: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{}", output.stderr);
    for (warning, start) in warnings.iter().zip([
        "langid: page.html: is HTML, not plain text; use ",
        "langid: report.pdf: is PDF, not plain text; use ",
    ]) {
        assert!(warning.starts_with(start), "{warning}");
    }
    // The remedy works.
    let (_, command) = warnings[0].split_once("; use ").unwrap();
    let script = format!("cd '{}' && {command}", dir.path().display());
    let output = run_bash(&script, "").expect_exit(0);
    assert!(
        output.stdout.starts_with("slv\t") && output.stderr.is_empty(),
        "{command}: {}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn duplicates_among_files_are_found_without_an_index() {
    let dir = temp_folder();
    let words = |n: usize| (0..n).map(|i| format!("beseda{i} ")).collect::<String>();
    let near = words(400).replacen("beseda7 ", "druga ", 1);
    write_files(
        dir.path(),
        &[
            ("a b.txt", words(400).as_bytes()),
            ("copy.txt", &utf_16(&words(400))),
            ("near.txt", near.as_bytes()),
            ("other.txt", ENGLISH.as_bytes()),
            ("page.html", PAGE.as_bytes()),
        ],
    );
    let output = run_in(dir.path(), "dedup", &["--files", "-r", "."]).expect_exit(1);
    let rows: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(rows[0], ["./a b.txt", "new", "", ""]);
    assert_eq!(rows[1], ["./copy.txt", "exact", "./a b.txt", "1"]);
    assert_eq!(rows[2][..3], ["./near.txt", "near", "./a b.txt"]);
    let resemblance: f64 = rows[2][3].parse().unwrap();
    assert!((0.95..1.0).contains(&resemblance), "{resemblance}");
    assert_eq!(rows[3], ["./other.txt", "new", "", ""]);
    assert_eq!(rows[4], ["./page.html", "unread", "", ""]);
    assert!(
        output.stderr.contains("fetch-extract --html ./page.html |"),
        "{}",
        output.stderr
    );
    let strict = ["--files", "--threshold", "1", "a b.txt", "near.txt"];
    let output = run_in(dir.path(), "dedup", &strict).expect_exit(0);
    assert_eq!(output.stdout, "a b.txt\tnew\t\t\nnear.txt\tnew\t\t\n");
}

#[test]
fn long_files_with_the_same_beginning_are_no_duplicates() {
    let dir = temp_folder();
    write_files(
        dir.path(),
        &[
            ("a.txt", format!("{ENGLISH}{SLOVENIAN}").as_bytes()),
            (
                "b.txt",
                format!("{ENGLISH}{SLOVENIAN}{SLOVENIAN}").as_bytes(),
            ),
            ("c.txt", ENGLISH.as_bytes()),
        ],
    );
    let limit = ENGLISH.len().to_string();
    let args = ["--files", "--max-line", &limit, "a.txt", "b.txt", "c.txt"];
    let output = run_in(dir.path(), "dedup", &args).expect_exit(1);
    assert_eq!(
        output.stdout,
        "a.txt\tunread\t\t\nb.txt\tunread\t\t\nc.txt\tnew\t\t\n"
    );
    let warning = |tool: &str, file: &str, rest: &str| {
        format!("{tool}: {file}: is longer than --max-line {limit}{rest}\n")
    };
    let unread = " and is not read; raise --max-line";
    assert_eq!(
        output.stderr,
        ["a.txt", "b.txt"]
            .map(|file| warning("dedup", file, unread))
            .concat()
    );
    // The language of a text is that of its beginning.
    let output = run_in(dir.path(), "langid", &args[..4]).expect_exit(0);
    assert_codes(&output, &[("a.txt", "eng")]);
    let part = "; only its beginning is read";
    assert_eq!(output.stderr, warning("langid", "a.txt", part));
}

#[test]
fn an_index_keeps_the_files_of_earlier_runs() {
    let dir = temp_folder();
    write_files(
        dir.path(),
        &[("a.txt", ENGLISH.as_bytes()), ("b.txt", ENGLISH.as_bytes())],
    );
    let run = |file: &str| {
        run_in(
            dir.path(),
            "dedup",
            &["--index", "seen.db", "--files", file],
        )
        .expect_exit(0)
        .stdout
    };
    assert_eq!(run("a.txt"), "a.txt\tnew\t\t\n");
    assert_eq!(run("b.txt"), "b.txt\texact\ta.txt\t1\n");
    let record = format!("{{\"id\":\"c\",\"text\":{:?}}}\n", ENGLISH.trim());
    let output = run_tool(
        "dedup",
        ["--index", dir.path().join("seen.db").to_str().unwrap()],
        record,
    )
    .expect_exit(0);
    assert!(
        output.stdout.contains(r#""of":"a.txt""#),
        "{}",
        output.stdout
    );
}
