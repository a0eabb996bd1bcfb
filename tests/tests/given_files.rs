//! Files that users give are read by their content, whatever their names: compressed, as records in
//! any form, and as text in any encoding.

use forage_tests::{for_each_filter, gzip, run_tool, temp_folder};
use std::fs;
use std::path::Path;

const SLOVENIAN: &str = "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake \
                         pravice; šli so čez žito in iščejo šipek.";

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Returns text in ISO-8859-2, as far as the letters of the test need it.
fn latin2(text: &str) -> Vec<u8> {
    let to_byte = |c| match c {
        'š' => 0xB9,
        'č' => 0xE8,
        'ž' => 0xBE,
        _ => c as u8,
    };
    text.chars().map(to_byte).collect()
}

/// The forms of a file with one document.
fn forms() -> Vec<(&'static str, Vec<u8>)> {
    let record = format!("{{\"text\":\"{SLOVENIAN}\"}}");
    let escaped = record.replace('š', "\\u0161").replace('č', "\\u010d");
    let words = || SLOVENIAN.split(' ').zip(1..);
    let tokens: String = words().map(|(word, _)| format!("{word}\tN\n")).collect();
    let conllu: String = words()
        .map(|(word, n)| format!("{n}\t{word}\t_\tX\t_\t_\t0\troot\t_\t_\n"))
        .collect();
    vec![
        (
            "a.vert",
            format!("<?xml version=\"1.0\"?>\n<doc id=\"x\">\n<s>\n{tokens}</s>\n</doc>\n").into(),
        ),
        (
            "a.conllu",
            format!("# newdoc id = x\n# sent_id = x\n{conllu}\n").into(),
        ),
        (
            "wide.srt",
            utf16(&format!(
                "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>{SLOVENIAN}</i>\r\n"
            )),
        ),
        (
            "a.po.gz",
            gzip::stored(format!("msgid \"x\"\nmsgstr \"\"\n\"{SLOVENIAN}\"\n").as_bytes()),
        ),
        ("broken", SLOVENIAN.replace("dostoj", "dos-\ntoj").into()),
        ("text", SLOVENIAN.into()),
        ("utf-16", utf16(SLOVENIAN)),
        ("latin-2", latin2(SLOVENIAN)),
        ("a.jsonl", gzip::stored(SLOVENIAN.as_bytes())),
        ("latin-2.zst", gzip::zstd_stored(&latin2(SLOVENIAN))),
        ("seeds.ndjson", format!("{escaped}\n").into()),
        ("seeds.txt", format!("\u{feff}{record}").into()),
        ("seeds.json", format!("[\n  {record}\n]\n").into()),
        (
            "pretty",
            record
                .replace("{\"", "{\n  \"")
                .replace("\"}", "\"\n}")
                .into(),
        ),
        ("wide.json", utf16(&format!("[{escaped}]"))),
        ("records.gz", gzip::stored(record.as_bytes())),
        (
            "array.zst",
            gzip::zstd_stored(format!("[{record}]").as_bytes()),
        ),
    ]
}

fn write(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.display().to_string()
}

#[test]
fn a_profile_is_learned_from_any_form() {
    let dir = temp_folder();
    let out = dir.path().join("profile").display().to_string();
    let mut profiles = Vec::new();
    for (name, content) in forms() {
        let file = write(dir.path(), name, &content);
        run_tool("ngram-profile", ["--lang", "slv", "--out", &out, &file], "").expect_exit(0);
        let profile = fs::read_to_string(&out).unwrap();
        let is_learned = |line: &&str| !line.starts_with("source") && !line.starts_with("check");
        profiles.push((
            name,
            profile
                .lines()
                .filter(is_learned)
                .collect::<Vec<_>>()
                .join("\n"),
        ));
    }
    for (name, profile) in &profiles {
        assert!(profile == &profiles[0].1, "{name}: {profile}");
    }
}

#[test]
fn files_of_several_forms_are_one_sample() {
    let dir = temp_folder();
    let out = dir.path().join("profile").display().to_string();
    let files: Vec<String> = forms()
        .iter()
        .map(|(name, content)| write(dir.path(), name, content))
        .collect();
    let mut args = vec!["--lang", "slv", "--out", &out];
    args.extend(files.iter().map(String::as_str));
    run_tool("ngram-profile", args, "").expect_exit(0);
    let profile = fs::read_to_string(&out).unwrap();
    let words = 19 * files.len();
    assert!(
        profile.contains(&format!("\nwords\t{words}\n")),
        "{profile:.300}"
    );
}

#[test]
fn initial_documents_are_read_in_any_form() {
    let dir = temp_folder();
    for (name, content) in forms() {
        let init = format!("slv={}", write(dir.path(), name, &content));
        let output = run_tool("update-stats", ["--init", &init, "--init-records"], "");
        let records = output.expect_exit(0).records();
        assert!(
            records.len() == 1 && records[0]["text"] == SLOVENIAN,
            "{name}: {records:?}"
        );
    }
}

#[test]
fn files_are_documents_in_any_form() {
    let dir = temp_folder();
    let mut args = vec!["--files".to_owned()];
    args.extend(
        forms()
            .iter()
            .map(|(name, content)| write(dir.path(), name, content)),
    );
    let output = run_tool("langid", &args, "").expect_exit(0);
    for line in output.stdout.lines() {
        assert_eq!(line.split('\t').nth(1), Some("slv"), "{line}");
    }
    let output = run_tool("dedup", &args, "").expect_exit(0);
    assert_eq!(
        output.stdout.matches("\texact\t").count(),
        args.len() - 2,
        "{}",
        output.stdout
    );
}

#[test]
fn a_word_list_is_read_in_any_encoding_and_compressed() {
    let dir = temp_folder();
    let out = dir.path().join("profile").display().to_string();
    let list = "je\t30\nšli\t4\nčez\t3\n";
    for (name, content) in [
        ("a.txt", list.as_bytes().to_vec()),
        ("utf-16", utf16(list)),
        ("latin-2", latin2(list)),
        ("a.gz", gzip::stored(list.as_bytes())),
    ] {
        let file = write(dir.path(), name, &content);
        let args = ["--wordlist", "--lang", "slv", "--out", &out, &file];
        run_tool("ngram-profile", args, "").expect_exit(0);
        let profile = fs::read_to_string(&out).unwrap();
        assert!(
            profile.contains("šli\t4\n") && profile.contains("words\t37\n"),
            "{name}"
        );
    }
    let records = write(dir.path(), "a.jsonl", b"{\"text\":\"je\"}\n");
    let args = ["--wordlist", "--lang", "slv", "--out", &out, &records];
    let output = run_tool("ngram-profile", args, "").expect_exit(2);
    assert!(
        output.stderr.contains("a.jsonl:1: is a record"),
        "{}",
        output.stderr
    );
}

#[test]
fn other_documents_are_refused_by_name() {
    let dir = temp_folder();
    let out = dir.path().join("profile").display().to_string();
    let page = "<!doctype html><body class=a><p>Danes je lep dan.";
    for (name, content, kind) in [
        ("page", page.into(), "is HTML"),
        ("page.txt.gz", gzip::stored(page.as_bytes()), "is HTML"),
        ("wide", utf16(page), "is HTML"),
        ("report.txt", b"%PDF-1.7\n1 0 obj".to_vec(), "is PDF"),
        (
            "program",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0".to_vec(),
            "is binary data",
        ),
    ] {
        let file = write(dir.path(), name, &content);
        for more in [&["--wordlist"][..], &[]] {
            let args = [&["--lang", "slv", "--out", &out, &file], more].concat();
            let stderr = run_tool("ngram-profile", args, "").expect_exit(2).stderr;
            assert!(
                stderr.contains(&format!("{file}: {kind}")),
                "{name}: {stderr}"
            );
        }
        assert!(!Path::new(&out).exists());
    }
}

#[test]
fn formats_with_other_markup_are_refused_by_name() {
    let dir = temp_folder();
    let usfm = write(
        dir.path(),
        "genesis.txt",
        b"\\id GEN - a\n\\c 1\n\\p\n\\v 1 Da.\n",
    );
    refused_by_name(&usfm, "USFM");
    let elan = "<?xml version=\"1.0\"?>\n<ANNOTATION_DOCUMENT AUTHOR=\"\"/>";
    refused_by_name(&write(dir.path(), "a.eaf", elan.as_bytes()), "ELAN");
}

/// Checks that each tool that reads texts refuses a file by the name of its format, also if quiet.
fn refused_by_name(file: &str, format: &str) {
    let out = format!("{file}.out");
    let init = format!("slv={file}");
    for (tool, args, exit_code) in [
        ("update-stats", &["--init", &init, "--init-records"][..], 2),
        ("ngram-profile", &["--lang", "slv", "--out", &out, file], 2),
        ("topic-profile", &["--out", &out, file], 2),
        ("concordance", &["da", file], 2),
        (
            "corpus-export",
            &["-q", "--bare", "--format", "text", "--out", &out, file],
            2,
        ),
        ("langid", &["--files", file], 1),
    ] {
        let stderr = run_tool(tool, args, "").expect_exit(exit_code).stderr;
        let has_command = stderr.contains("make text of it with: p");
        assert!(
            has_command && stderr.contains(&format!("{file}: is {format}")),
            "{tool}: {stderr}"
        );
    }
}

#[test]
fn files_of_text_are_documents() {
    let dir = temp_folder();
    let mut args = vec![
        "--tsv".to_owned(),
        "dostojanstvo".to_owned(),
        "-r".to_owned(),
    ];
    args.push(dir.path().display().to_string());
    for (name, content) in forms() {
        write(dir.path(), name, &content);
    }
    let stdout = run_tool("concordance", &args, "").expect_exit(0).stdout;
    // A line each after the names of the columns, and the first form alone without `--repeats`.
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
}

#[test]
fn each_tool_opens_compressed_records_and_arrays() {
    let dir = temp_folder();
    for_each_filter(|filter| {
        let record = filter.record(1);
        let expected = filter.run(&[], format!("{record}\n{record}\n"));
        for (name, content) in [
            (
                "members",
                [gzip::stored(record.as_bytes()), gzip::stored(b"\n")]
                    .concat()
                    .repeat(2),
            ),
            (
                "zstd",
                gzip::zstd_stored(format!("{record}\n").as_bytes()).repeat(2),
            ),
            ("array", format!("[{record},\n {record}]").into()),
        ] {
            let file = write(dir.path(), name, &content);
            let output = filter.run(&[&file], "");
            assert_eq!(
                output.stdout, expected.stdout,
                "{} {name}: {}",
                filter.tool, output.stderr
            );
        }
    });
}

#[test]
fn a_damaged_archive_is_named() {
    let dir = temp_folder();
    let record = b"{\"text\":\"Danes je lep dan.\"}\n";
    let whole = gzip::stored(record);
    let file = write(dir.path(), "cut.gz", &whole[..whole.len() - 3]);
    let output = run_tool("langid", [&file], "").expect_exit(2);
    assert!(output.stderr.contains("cut.gz: "), "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 1);
}

#[test]
fn unpaired_surrogates_are_read_as_replacement_characters_and_counted_once() {
    let lines = [
        r#"{"id":"a","text":"Danes je lep dan \ud83d, zato bomo šli na sprehod do jezera."}"#,
        r#"{"id":"b","text":"Danes je \udc00\udc00 lep dan, zato bomo šli na sprehod."}"#,
        r#"{"id":"c","x\ud800":["\udfff"],"text":"Danes je lep dan 😀 \ud83d\ude00 in sonce."}"#,
        r#"{"id":"d","text":"Danes je zelo lep dan in sonce sije."}"#,
    ];
    let output = run_tool("langid", [""; 0], lines.join("\n")).expect_exit(0);
    for (record, line) in output.stdout.lines().zip(lines) {
        let passed_on = line.strip_suffix('}').unwrap();
        assert!(
            record.starts_with(passed_on) && record.contains(r#""label":"slv""#),
            "{record}"
        );
    }
    assert_eq!(
        output.stderr,
        "langid: unpaired surrogates, such as \\ud83d without its second half, were read as U+FFFD \
         in 3 records\n"
    );
    let table = run_tool("langid", ["--tsv", "text"], lines[0]).expect_exit(0);
    assert!(
        table.stdout.contains("lep dan \u{fffd}, zato"),
        "{}",
        table.stdout
    );
}
