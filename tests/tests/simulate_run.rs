//! simulate-run writes the journal of corpus-builder, byte for byte.

use forage_tests::closed_web::{new_run_command, run_pipeline, web_folder};
use forage_tests::{ToolOutput, run_command, temp_folder, tool_path};
use std::fs;
use std::process::Command;

/// Options of runs with each kind of strategy, each limit, and several targets.
const OPTIONS: [&str; 11] = [
    "--docs 30",
    "--include or:5 --exclude or:5 --recovery offsets:4 --max-pages 1 --page-size 3 --queries 60",
    "--include ptf:2 --exclude porh:1 --recovery none --queries 25 --seed 3",
    "--learn ltm --lengths di --queries 40",
    "--learn thompson --batch 5 --calls 12",
    "--learn auto --calls 20 --batch 20",
    "--learn like --docs 20 --probability tf",
    "--learn seedfinder --calls 9 --batch 4 --without deu",
    "--target slv,hrv --queries 24 --versus eng,ces --prune common --langid-method out-of-place",
    "--queries 40 --ascii-folding",
    "--target slv,hrv --docs 90 --batch auto --page-size 5",
];

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
    for (number, options) in (0..).zip(OPTIONS) {
        let out = dir.path().join(format!("run-{number}"));
        let words: Vec<&str> = options.split_whitespace().collect();
        run_pipeline(new_run_command(&out, &words)).expect_exit(0);
        let expected = fs::read_to_string(out.join("journal.jsonl")).unwrap();
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
