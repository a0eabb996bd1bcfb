//! Input as other programs write, cut and save it: nothing of it is lost without a word.

use forage_tests::archives::{warc_page, warc_record};
use forage_tests::closed_web::{pipeline_command, run_pipeline, web_folder};
use forage_tests::{ToolOutput, for_each_filter, run_bash, run_tool, temp_folder};
use std::fs;
use std::path::Path;
use std::process::Command;

const SLOVENIAN: &str = "Danes je lep dan, zato bomo šli na dolg sprehod do jezera in nazaj.";

fn run_in(folder: &Path, command: &str) -> ToolOutput {
    run_bash(&format!("cd '{}' && {command}", folder.display()), "")
}

fn write(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn every_tool_reports_an_array_without_an_end() {
    let record = r#"{"id":1,"url":"http://a.test/","text":"danes je lep dan","query":"a"}"#;
    for_each_filter(|filter| {
        for cut in [
            format!("[{record},"),
            format!("[{record}"),
            format!("[\n{record}\n,\n"),
        ] {
            let output = filter.run(&[], cut.clone()).expect_exit(1);
            let place = format!("{}: -:2: not JSON: the array has no end", filter.tool);
            assert!(output.stderr.contains(&place), "{}", output.stderr);
            filter.run(&["--strict"], cut).expect_exit(2);
        }
    });
}

#[test]
fn records_with_commas_and_other_separators_are_read() {
    let record = |id: u8| format!("{{\"id\":{id},\"text\":\"{SLOVENIAN}\"}}");
    for (separator, warns) in [
        ("", false),
        ("\r", false),
        ("\u{1e}", false),
        (",\n", true),
        ("\n,", true),
    ] {
        let input = [record(1), record(2), record(3)].join(separator);
        let output = run_tool("langid", [] as [&str; 0], input).expect_exit(0);
        assert_eq!(output.stdout.lines().count(), 3, "{separator:?}");
        let warning = "commas between records, as in a JSON array, were ignored with 2 records";
        assert_eq!(output.stderr.contains(warning), warns, "{}", output.stderr);
    }
    let input = format!("[{}]\n{}\nthe end", record(1), record(2));
    let output = run_tool("langid", [] as [&str; 0], input).expect_exit(1);
    assert_eq!(output.stdout.lines().count(), 2);
}

#[test]
fn a_file_that_is_not_read_completely_is_no_duplicate() {
    let dir = temp_folder();
    let record = format!("{{\"text\":\"{SLOVENIAN}\"}}\n");
    let with = |rest: &[u8]| [record.as_bytes(), rest].concat();
    write(
        dir.path(),
        &[
            ("a.jsonl", record.as_bytes()),
            ("cut.jsonl", &with(b"{\"text\":\"dan")),
            ("field.jsonl", &with(b"{\"body\":\"jutri bo dez\"}\n")),
            ("latin.jsonl", &with(b"{\"text\":\"\xe8ebela\"}\n")),
            (
                "failed.jsonl",
                &with(b"{\"error\":{\"tool\":\"x\",\"kind\":\"y\",\"message\":\"z\"}}\n"),
            ),
        ],
    );
    run_in(
        dir.path(),
        "gzip -k a.jsonl && head -c 40 a.jsonl.gz > cut.gz && cp a.jsonl whole.jsonl",
    )
    .expect_exit(0);
    let files = "cut.jsonl field.jsonl latin.jsonl cut.gz failed.jsonl a.jsonl.gz";
    let output = run_in(dir.path(), &format!("dedup --files a.jsonl {files}")).expect_exit(1);
    let status: Vec<&str> = output
        .stdout
        .lines()
        .map(|line| line.split('\t').nth(1).unwrap())
        .collect();
    assert_eq!(
        status,
        [
            "new", "unread", "unread", "unread", "unread", "exact", "exact"
        ]
    );
    for cause in [
        "cut.jsonl: 1 of 2 lines not records (line 2: not JSON",
        "field.jsonl: 1 of 2 lines without `text`; if the text is in `body`, use --text-field body",
        "latin.jsonl: 1 of 2 lines not records (line 2: invalid UTF-8",
        "cut.gz: cannot be read to its end",
    ] {
        assert!(output.stderr.contains(cause), "{cause}: {}", output.stderr);
    }
    run_in(dir.path(), "dedup --strict --files a.jsonl cut.jsonl").expect_exit(2);
    let output = run_in(dir.path(), "langid --files field.jsonl").expect_exit(0);
    assert!(output.stdout.contains("\tslv\t") && output.stderr.contains("the rest is read"));
    run_in(dir.path(), "langid --files cut.jsonl").expect_exit(1);
}

#[test]
fn all_archives_are_read_and_what_is_not_read_of_them_is_counted() {
    let dir = temp_folder();
    let body = format!("<p>{SLOVENIAN}</p>");
    let page = warc_page("http://a.test/", "", body.as_bytes());
    let http = "Content-Type: application/http\r\n";
    let relative = warc_record("response", "/a", http, b"HTTP/1.1 200 OK\r\n\r\na");
    let text = String::from_utf8(page.clone()).unwrap();
    let untyped = text.replace("WARC-Type: response\r\n", "");
    let nowhere = text.replace("WARC-Target-URI: <http://a.test/>\r\n", "");
    let dns = warc_record("response", "dns:a.test", "Content-Type: text/dns\r\n", b"a");
    let longer = text.replace("Content-Length: ", "Content-Length: 9");
    write(
        dir.path(),
        &[
            ("good.warc", &page),
            ("none.warc", b"no archive"),
            ("empty.warc", b""),
            (
                "odd.warc",
                &[
                    &relative,
                    untyped.as_bytes(),
                    nowhere.as_bytes(),
                    &dns,
                    &page,
                ]
                .concat(),
            ),
            ("longer.warc", &[longer.as_bytes(), &page].concat()),
        ],
    );
    let read = |files: &str| run_in(dir.path(), &format!("fetch-extract {files}"));
    let output =
        read("--from-warc none.warc good.warc lost.warc empty.warc odd.warc").expect_exit(1);
    assert_eq!(output.stdout.lines().count(), 2, "{}", output.stderr);
    for message in [
        "none.warc: no WARC record at byte 0",
        "lost.warc: No such file",
        "empty.warc: is empty",
        "odd.warc: 3 records not read: 1 whose URL is not absolute or not valid, 1 without WARC-Type, 1 without a URL",
        "2 of 5 archives not read to the end",
    ] {
        assert!(
            output.stderr.contains(message),
            "{message}: {}",
            output.stderr
        );
    }
    read("--from-warc none.warc lost.warc").expect_exit(2);
    let output = read("--strict --from-warc good.warc none.warc good.warc").expect_exit(2);
    assert_eq!(output.stdout.lines().count(), 1);
    let output = read("-v --from-warc longer.warc").expect_exit(0);
    assert!(
        output
            .stderr
            .contains("the record at byte 0 is not as long"),
        "{}",
        output.stderr
    );
    let marks: Vec<bool> = output
        .stdout
        .lines()
        .map(|line| line.contains("\"truncated\":true"))
        .collect();
    assert_eq!(marks, [true, false]);
}

#[test]
fn other_files_are_named_with_the_command_that_reads_them() {
    let dir = temp_folder();
    let utf16: Vec<u8> = SLOVENIAN
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    write(
        dir.path(),
        &[
            ("a.docx", b"PK\x03\x04\x14\0\n"),
            ("a.warc", b"WARC/1.0\r\n"),
            ("a.csv", b"id;besedilo\n1;danes\n"),
            ("a.txt", &utf16),
            ("a.rtf", b"{\\rtf1 Danes}"),
        ],
    );
    for (command, advice) in [
        ("langid a.docx", "use fetch-extract --html a.docx | langid"),
        (
            "fetch-extract a.warc",
            "use fetch-extract --from-warc a.warc",
        ),
        (
            "dedup a.csv",
            "mlr --icsv --ifs semicolon --ojsonl cat a.csv",
        ),
        ("dedup a.txt", "iconv -f UTF-16"),
        ("langid a.txt", "--files"),
        ("langid --files a.rtf", "RTF"),
        ("fetch-extract --html a.rtf", "RTF"),
        ("fetch-extract --html a.warc", "--from-warc"),
    ] {
        let output = run_in(dir.path(), command);
        assert!(
            output.stderr.contains(advice),
            "{command}: {}",
            output.stderr
        );
        assert!(
            !output.stdout.contains("text/plain"),
            "{command}: {}",
            output.stdout
        );
    }
}

/// Returns the command of a new run for a language.
fn new_run(out: &Path, target: &str, init: &str) -> Command {
    let web = web_folder();
    let engine = format!("index:{}", web.join("index").display());
    let mut command =
        pipeline_command("corpus-builder", &["--target", target, "--engine", &engine]);
    let file = |class: &str, name: &str| format!("{class}={}", web.join(name).display());
    command.args([
        "--init",
        &file(target, init),
        "--init",
        &file("eng", "eng.txt"),
    ]);
    command.args(["--docs", "1", "--out"]).arg(out);
    command
}

#[test]
fn a_misspelt_code_is_refused_and_a_new_one_is_not() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    for check in [false, true] {
        let mut command = new_run(&out, "slx", "slv.txt");
        command.args(check.then_some("--check"));
        let output = run_pipeline(command).expect_exit(2);
        assert!(output.stderr.contains("is slv meant?"), "{}", output.stderr);
        assert!(!out.exists());
    }
    let mut command = new_run(&out, "qaa", "slv.txt");
    command.arg("--check");
    let output = run_pipeline(command).expect_exit(0);
    let warning = "langid does not know qaa, and takes the document for slv";
    assert!(output.stderr.contains(warning), "{}", output.stderr);
    let mut command = new_run(&out, "slx", "slv.txt");
    command.args(["--check", "--force"]);
    run_pipeline(command).expect_exit(0);
    let output = run_tool("langid", ["--resolve", "zzx"], "").expect_exit(0);
    assert!(output.stderr.contains("no label zzx"), "{}", output.stderr);
    let output = run_tool("langid", ["--resolve", ""], "").expect_exit(2);
    assert!(!output.stderr.contains("is a name"), "{}", output.stderr);
}

#[test]
fn a_contact_is_an_address() {
    let dir = temp_folder();
    let mut command = new_run(&dir.path().join("run"), "slv", "slv.txt");
    command.args(["--contact", "me", "--check"]);
    let output = run_pipeline(command).expect_exit(2);
    assert!(
        output.stderr.contains("neither a mail address nor"),
        "{}",
        output.stderr
    );
    let output = run_tool("fetch-extract", ["--contact", "me"], "").expect_exit(2);
    assert!(
        output.stderr.contains("neither a mail address nor"),
        "{}",
        output.stderr
    );
    let environment = run_bash("FORAGE_CONTACT=me fetch-extract", "").expect_exit(2);
    assert!(
        environment.stderr.contains("FORAGE_CONTACT"),
        "{}",
        environment.stderr
    );
}

#[test]
fn a_text_in_another_field_is_read_as_text() {
    let dir = temp_folder();
    let record = |n: u32, field: &str| {
        format!("{{\"url\":\"http://a.test/{n}\",\"{field}\":\"{SLOVENIAN}\",\"n\":1.50}}\n")
    };
    let own = record(1, "text") + &record(2, "text");
    write(
        dir.path(),
        &[
            ("own.jsonl", own.as_bytes()),
            (
                "other.jsonl",
                (record(1, "raw_content") + &record(2, "raw_content")).as_bytes(),
            ),
            (
                "mixed.jsonl",
                (record(1, "text") + &record(2, "raw_content")).as_bytes(),
            ),
        ],
    );
    for tool in ["langid", "dedup", "keywords", "fetch-extract"] {
        let expected = run_in(dir.path(), &format!("{tool} own.jsonl")).expect_exit(0);
        for file in ["own", "other", "mixed"] {
            let command = format!("{tool} --text-field raw_content {file}.jsonl");
            let output = run_in(dir.path(), &command).expect_exit(0);
            assert_eq!(output.stdout, expected.stdout, "{command}");
        }
    }
}
