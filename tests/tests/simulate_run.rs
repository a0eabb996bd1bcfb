//! simulate-run writes the journal of corpus-builder, byte for byte.

use forage_tests::closed_web::{new_run_command, run_demo_web, run_pipeline, web_folder};
use forage_tests::{ToolOutput, run_command, temp_folder, tool_path};
use std::fs;
use std::process::Command;

/// Options of runs with each kind of strategy and classifier, each limit, several targets, and initial
/// documents that are counted later.
const OPTIONS: [&str; 13] = [
    "--docs 30",
    "--include or:5 --exclude or:5 --recovery offsets:4 --max-pages 1 --page-size 3 --queries 60",
    "--include ptf:2 --exclude porh:1 --recovery none --queries 25 --seed 3",
    "--learn ltm --lengths di --queries 40",
    "--learn fm --batch 5 --calls 12",
    "--learn auto --calls 20 --batch 20",
    "--learn like --docs 20 --probability tf",
    "--learn seedfinder --calls 9 --batch 4 --without deu",
    "--target slv,hrv --queries 24 --versus eng,ces --prune common --langid-method out-of-place",
    "--queries 40 --ascii-folding",
    "--target slv,hrv --docs 90 --batch auto --page-size 5",
    "--classifier run --docs 40 --batch 3",
    "--target slv,hrv --classifier run:0 --seeds-per-round 1 --init slv=more-slv.jsonl \
     --init hrv=more-hrv.jsonl --init eng=more-eng.jsonl --versus eng --prune common --batch 10 \
     --queries 40 --seed 2",
];

/// Writes files with several initial documents, next to those of [`new_run_command`].
fn write_more_initial_documents() {
    let pages = run_demo_web(&[]);
    let truth = run_demo_web(&["truth"]);
    for language in ["slv", "hrv", "eng"] {
        let documents: Vec<&str> = pages
            .lines()
            .zip(truth.lines())
            .filter_map(|(page, truth)| truth.ends_with(language).then_some(page))
            .take(5)
            .collect();
        let path = web_folder().join(format!("more-{language}.jsonl"));
        fs::write(path, documents.join("\n")).unwrap();
    }
}

/// Runs simulate-run on the closed web, with the initial documents of [`new_run_command`].
fn simulate(options: &str) -> ToolOutput {
    let mut command = Command::new(tool_path("simulate-run"));
    command.current_dir(web_folder());
    let engine = format!("index:{}", web_folder().join("index").display());
    command.args(["--target", "slv", "--engine", &engine]);
    for language in ["slv", "eng", "ces", "hrv", "srp"] {
        command.args(["--init", &format!("{language}={language}.txt")]);
    }
    command.args(options.split_whitespace());
    run_command(command, "")
}

#[test]
fn writes_the_journal_of_corpus_builder() {
    let dir = temp_folder();
    write_more_initial_documents();
    for (number, options) in (0..).zip(OPTIONS) {
        let out = dir.path().join(format!("run-{number}"));
        let words: Vec<&str> = options.split_whitespace().collect();
        let mut builder = new_run_command(&out, &words);
        builder.current_dir(web_folder());
        let ended = run_pipeline(builder);
        let expected = fs::read_to_string(out.join("journal.jsonl")).unwrap();
        // The run whose queries have no hits ends without a document.
        ended.expect_exit(i32::from(!expected.contains("\"dedup\":")));
        let simulated = simulate(options).expect_exit(0).stdout;
        let steps = expected.lines().filter(|line| line.contains("\"step\":"));
        assert!(steps.count() > 5, "{options}: has hardly any steps");
        assert!(
            simulated == expected,
            "{options}: the first difference is in line {:?}",
            simulated
                .lines()
                .zip(expected.lines())
                .position(|(one, other)| one != other)
        );
    }
}

#[test]
fn refuses_what_needs_other_processes() {
    for (options, message) in [
        (
            "--engine searxng:http://127.0.0.1:9",
            "only an embedded index",
        ),
        ("--engine index:missing", "missing"),
        ("--target tgl", "--init tgl=FILE is required"),
        ("--init qaa=slv.txt", "langid does not know the language"),
        ("--without slv", "langid does not know the language"),
        ("--langid-method words", "invalid value 'words'"),
        ("--include or:0 --exclude or:0", "a query needs a term"),
        ("--lengths ii", "--learn"),
        ("--versus eng,xxx", "--init xxx=FILE is required"),
        ("--classifier run:2", "a MARGIN from 0 to 1"),
        (
            "--classifier run --without deu",
            "cannot be combined with --classifier run",
        ),
        ("--classifier run --init x1=slv.txt", "three letters"),
    ] {
        let output = simulate(options).expect_exit(2);
        assert!(
            output.stderr.contains(message),
            "{options}: {}",
            output.stderr
        );
        assert_eq!(output.stdout, "", "{options}");
    }
}
