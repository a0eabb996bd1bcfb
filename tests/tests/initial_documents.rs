//! Initial documents of corpus-builder: the codes of their languages, their formats and encodings,
//! and the comparison of their classes with the labels of langid, before an engine is called.

use forage_tests::closed_web::{
    new_run_command, pipeline_command, read_journal, read_report, run_demo_web, run_pipeline,
    web_folder,
};
use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use std::fs;
use std::path::Path;

/// Returns the engine of the closed web.
fn engine() -> String {
    format!("index:{}", web_folder().join("index").display())
}

/// Writes a text of the closed web in a language to a file; returns its name.
fn write_seed(folder: &Path, language: &str) -> String {
    let file = folder.join(format!("{language}.txt"));
    fs::write(&file, run_demo_web(&["seed", language])).unwrap();
    file.display().to_string()
}

/// Runs corpus-builder with these initial documents, to five documents.
fn run_builder(target: &str, inits: &[String], out: &Path, more: &[&str]) -> ToolOutput {
    let engine = engine();
    let mut args = vec!["--target", target, "--engine", &engine, "--docs", "5"];
    for init in inits {
        args.extend(["--init", init]);
    }
    args.extend(["--out", out.to_str().unwrap()]);
    args.extend(more);
    run_pipeline(pipeline_command("corpus-builder", &args))
}

/// Returns a text in windows-1250, which has the letters of Slovenian.
fn encode_windows_1250(text: &str) -> Vec<u8> {
    let letters = [
        ('š', 0x9a),
        ('Š', 0x8a),
        ('ž', 0x9e),
        ('Ž', 0x8e),
        ('č', 0xe8),
        ('Č', 0xc8),
    ];
    text.chars()
        .map(|c| {
            let known = letters.iter().find(|(letter, _)| *letter == c);
            known.map_or(if c.is_ascii() { c as u8 } else { b'?' }, |(_, byte)| *byte)
        })
        .collect()
}

#[test]
fn codes_that_users_type_become_the_labels_of_langid() {
    let dir = temp_folder();
    let english = format!("eng={}", write_seed(dir.path(), "eng"));
    for (code, label) in [("slo", "slk"), ("fil", "tgl"), ("SL", "slv")] {
        let out = dir.path().join(code);
        let init = format!("{code}={}", write_seed(dir.path(), label));
        let output = run_builder(code, &[init, english.clone()], &out, &[]).expect_exit(0);
        let told = format!("{code}: langid's label is {label}");
        assert_eq!(output.stderr.matches(&told).count(), 1, "{}", output.stderr);
        let corpus = fs::read_to_string(out.join(format!("corpus/{label}.jsonl"))).unwrap();
        assert!(corpus.lines().count() >= 3, "{code}: {corpus}");
    }
}

#[test]
fn a_macrolanguage_with_several_labels_is_refused_with_their_names() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let inits = [format!("hbs={}", write_seed(dir.path(), "hrv"))];
    for target in ["hbs", "hbs,slv"] {
        let stderr = run_builder(target, &inits, &out, &[]).expect_exit(2).stderr;
        assert!(
            stderr.starts_with("corpus-builder: ") && stderr.contains("bos, hrv, srp"),
            "{stderr}"
        );
        assert!(!stderr.contains("langid: --resolve"), "{stderr}");
    }
    assert!(!out.exists());
    let resolve = |code| run_tool("langid", ["--resolve", code], "");
    let named = resolve("tagalog").expect_exit(2).stderr;
    assert!(
        named.contains("\"tagalog\" is a name; its code is tgl"),
        "{named}"
    );
    assert!(
        resolve("hbs")
            .expect_exit(2)
            .stderr
            .contains("bos, hrv, srp")
    );
    let output = resolve("slo,hbs,Tagalog,nor").expect_exit(1);
    assert_eq!(
        output.stdout,
        "slo\tslk\tSlovak\t\nnor\tnob\tNorwegian Bokmål\tnno\n"
    );
    let messages: Vec<&str> = output.stderr.lines().collect();
    assert!(
        messages.len() == 2
            && messages[0].starts_with("langid: --resolve: ")
            && messages[0].contains("bos, hrv, srp")
            && messages[1] == "langid: --resolve: \"Tagalog\" is a name; its code is tgl",
        "{}",
        output.stderr
    );
    assert_eq!(
        resolve("slo,nor,xyz").expect_exit(0).stdout,
        "slo\tslk\tSlovak\t\nnor\tnob\tNorwegian Bokmål\tnno\nxyz\txyz\t(no code of ISO 639-3)\t\n"
    );
}

#[test]
fn initial_documents_of_the_wrong_class_are_named_before_the_first_call() {
    let dir = temp_folder();
    let [slovenian, english] = ["slv", "eng"].map(|language| write_seed(dir.path(), language));
    let swapped = [format!("slv={english}"), format!("eng={slovenian}")];
    let out = dir.path().join("swapped");
    let stderr = run_builder("slv", &swapped, &out, &[])
        .expect_exit(2)
        .stderr;
    assert_eq!(
        stderr,
        format!(
            "corpus-builder: the files of --init slv={english} and --init eng={slovenian} are \
             swapped\ncorpus-builder: pages like these would get the same labels; give other \
             initial documents, or --force\n"
        )
    );
    assert!(!out.join("journal.jsonl").exists());
    run_builder("slv", &swapped, &out, &["--force"]).expect_exit(0);
    let wrong = [format!("sl={english}"), format!("ces={slovenian}")];
    let stderr = run_builder("sl", &wrong, &dir.path().join("wrong"), &[])
        .expect_exit(2)
        .stderr;
    for part in [
        format!("--init sl={english}: langid's label is eng, not slv"),
        format!("--init ces={slovenian}: langid's label is slv, not ces"),
    ] {
        assert!(stderr.contains(&part), "{part}: {stderr}");
    }
    // A document of another class that is in a third language does no harm.
    let third = [
        format!("slv={slovenian}"),
        format!("eng={}", write_seed(dir.path(), "ces")),
    ];
    let stderr = run_builder("slv", &third, &dir.path().join("third"), &[])
        .expect_exit(0)
        .stderr;
    assert!(
        stderr.contains("langid's label is ces, not eng"),
        "{stderr}"
    );
}

#[test]
fn pages_and_texts_in_old_encodings_are_read_as_fetched_pages_are() {
    let dir = temp_folder();
    let text = run_demo_web(&["seed", "slv"]);
    let paragraphs: String = text
        .lines()
        .map(|line| format!("<p>{line}</p>\n"))
        .collect();
    let files = [
        (
            "page.html",
            format!("<!doctype html><style>h1 {{color:red}}</style><body><h1>Dan</h1>{paragraphs}")
                .into_bytes(),
            "text/html, UTF-8",
        ),
        (
            "old.txt",
            encode_windows_1250(&text),
            "text/plain, windows-1250",
        ),
        (
            "wide.txt",
            std::iter::once(0xfeff)
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect(),
            "text/plain, UTF-16LE",
        ),
    ];
    let english = format!("eng={}", write_seed(dir.path(), "eng"));
    for (name, bytes, format) in files {
        let file = dir.path().join(name);
        fs::write(&file, bytes).unwrap();
        let out = dir.path().join(format!("{name}-run"));
        let inits = [format!("slv={}", file.display()), english.clone()];
        let stderr = run_builder("slv", &inits, &out, &[]).expect_exit(0).stderr;
        assert_eq!(
            stderr.contains(&format!("read as {format}")),
            !format.ends_with("UTF-8"),
            "{stderr}"
        );
        assert!(read_report(&out)["relevant"].as_u64() >= Some(4), "{name}");
        let journal = read_journal(&out);
        let terms: Vec<&str> = journal
            .iter()
            .filter_map(|record| record["query"]["include"].as_array())
            .flatten()
            .filter_map(|term| term.as_str())
            .collect();
        assert!(
            !terms
                .iter()
                .any(|term| ["h1", "style", "color"].contains(term))
        );
    }
    let program = std::env::current_exe().unwrap();
    let init = format!("slv={}", program.display());
    let output = run_tool("update-stats", ["--init", &init, "--init-records"], "");
    assert!(
        output
            .expect_exit(2)
            .stderr
            .contains("contains binary data (NUL)")
    );
}

#[test]
fn initial_documents_without_text_or_with_binary_data_are_refused() {
    let dir = temp_folder();
    let records = "\u{feff}{\"text\":\"Danes je lep dan.\"}\n";
    let late_nul = format!("{}\0", "Danes je lep dan. ".repeat(1000));
    for (name, content, cause) in [
        ("bom.jsonl", records, None),
        ("empty.jsonl", "", Some("has no text")),
        ("bom-only.jsonl", "\u{feff}\n", Some("has no text")),
        ("blank.jsonl", "{\"text\":\" \"}\n", Some("has no text")),
        ("empty.txt", "", Some("has no text")),
        ("blank.txt", "\u{feff} \n\t\n", Some("has no text")),
        (
            "blank.html",
            "<!doctype html><body> </body>",
            Some("has no text"),
        ),
        (
            "nul.txt",
            "Danes\0je lep dan.",
            Some("contains binary data (NUL)"),
        ),
        ("late.txt", &late_nul, Some("contains binary data (NUL)")),
        (
            "nul.jsonl",
            "{\"text\":\"Danes\\u0000je lep dan.\"}\n",
            Some("contains binary data (NUL)"),
        ),
    ] {
        let file = dir.path().join(name);
        fs::write(&file, content).unwrap();
        let init = format!("slv={}", file.display());
        let output = run_tool("update-stats", ["--init", &init, "--init-records"], "");
        let output = output.expect_exit(if cause.is_some() { 2 } else { 0 });
        match cause {
            None => assert_eq!(output.records().len(), 1, "{name}"),
            Some(cause) => assert!(
                output.stderr.contains(&format!("{name}: "))
                    && output.stderr.trim_end().ends_with(cause),
                "{name}: {}",
                output.stderr
            ),
        }
    }
}

#[test]
fn a_pipe_is_no_initial_document() {
    let dir = temp_folder();
    let pipe = dir.path().join("pipe");
    run_bash(&format!("mkfifo '{}'", pipe.display()), "").expect_exit(0);
    let english = format!("eng={}", write_seed(dir.path(), "eng"));
    for path in [pipe.to_str().unwrap(), "/dev/stdin"] {
        let inits = [format!("slv={path}"), english.clone()];
        let output = run_builder("slv", &inits, &dir.path().join("run"), &[]).expect_exit(2);
        assert!(
            output.stderr.contains(&format!(
                "--init slv={path}: is not a regular file; save it first"
            )),
            "{}",
            output.stderr
        );
    }
    let init = format!("slv={}", pipe.display());
    let output = run_tool("update-stats", ["--init", &init, "--init-records"], "");
    assert!(
        output
            .expect_exit(2)
            .stderr
            .contains("pipe: is not a regular file; save it first")
    );
    // The tool reads a document once, so one from standard input is possible.
    let init = ["--init", "slv=/dev/stdin", "--init-records"];
    let output = run_tool("update-stats", init, "Danes je lep dan.").expect_exit(0);
    assert_eq!(output.records().len(), 1);
}

#[test]
fn ten_words_are_an_initial_document() {
    let dir = temp_folder();
    let words = dir.path().join("words.txt");
    fs::write(&words, "ang\nng\nsa\nna\nmga\nay\nsi\nito\nkung\nhindi\n").unwrap();
    let inits = [
        format!("tgl={}", words.display()),
        format!("eng={}", write_seed(dir.path(), "eng")),
    ];
    let out = dir.path().join("run");
    run_builder("tgl", &inits, &out, &[]).expect_exit(0);
    assert_eq!(read_report(&out)["relevant"], 5);
}

#[test]
fn labels_of_documents_are_compared_with_their_languages() {
    let slovenian = run_demo_web(&["seed", "slv"]);
    let english = run_demo_web(&["seed", "eng"]);
    let record = |label: &str, text: &str| {
        format!("{}\n", serde_json::json!({"label": label, "text": text}))
    };
    let check = |records: &[String]| run_tool("langid", ["--check-labels"], records.concat());
    let records = [
        record("slv", &slovenian),
        record("slv", &english),
        record("slv", &english),
    ];
    let output = check(&records).expect_exit(1);
    assert_eq!(output.stdout, "slv\tdiffers\t3\t1\teng\t2\n");
    assert_eq!(
        check(&records[..1]).expect_exit(0).stdout,
        "slv\tagrees\t1\t1\t\t0\n"
    );
}

#[test]
fn the_run_of_a_resumed_folder_needs_no_original_files() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(&out, &["--docs", "3"])).expect_exit(0);
    let conf = fs::read_to_string(out.join("run.conf")).unwrap();
    let copies: Vec<&str> = conf
        .lines()
        .filter_map(|line| line.strip_prefix("init="))
        .collect();
    assert_eq!(copies.len(), 5);
    for copy in copies {
        let (class, file) = copy.split_once('=').unwrap();
        let record = fs::read_to_string(out.join(file)).unwrap();
        assert!(
            record.contains(&format!("\"label\":\"{class}\"")),
            "{record}"
        );
    }
}
