//! langid: plain lines as input, and the list of languages.

use forage_tests::{CoProcess, ToolOutput, run_tool, temp_folder, tool_path};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::process::Command;

const SLOVENIAN: &str = "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake \
                         pravice, ker so obdarjeni z razumom.";
const ENGLISH: &str = "When we came home late in the evening there was nobody in the house, so we \
                       made some tea and waited for the others.";

fn run_langid(args: &[&str], stdin: &str) -> ToolOutput {
    run_tool("langid", args, stdin)
}

#[test]
fn plain_lines_are_output_with_code_and_score() {
    let output = run_langid(
        &["--lines", "--only", "sl,en"],
        &format!("{SLOVENIAN}\n{ENGLISH}\n"),
    )
    .expect_exit(0);
    let fields: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(
        fields.iter().map(|f| (f[0], f[2])).collect::<Vec<_>>(),
        [("slv", SLOVENIAN), ("eng", ENGLISH)]
    );
    assert!(fields.iter().all(|f| {
        f[1].parse()
            .is_ok_and(|score: f64| (0.0..=1.0).contains(&score))
    }));
}

#[test]
fn the_list_has_twelve_fields() {
    let output = run_langid(&["--list"], "").expect_exit(0);
    assert!(output.stdout.lines().count() > 1000);
    assert!(
        output
            .stdout
            .lines()
            .all(|line| line.split('\t').count() == 12)
    );
    assert!(output.stdout.contains("slv\tLatn\tSlovenian\t"));
}

#[test]
fn the_list_shows_what_is_known_of_each_language() {
    let bosnian = &list_fields(&["--only", "bos"], 8..12)[1];
    assert!(
        bosnian[0].contains("law:") && bosnian[0].contains("news"),
        "{bosnian:?}"
    );
    let accuracy: f64 = bosnian[1].parse().unwrap();
    assert!((0.1..1.0).contains(&accuracy), "{bosnian:?}");
    assert!(bosnian[2].parse::<u32>().unwrap() > 100, "{bosnian:?}");
    let relatives: Vec<&str> = bosnian[3]
        .split(' ')
        .filter_map(|relative| relative.split(':').next())
        .collect();
    assert!(
        relatives.contains(&"hrv") && relatives.contains(&"srp"),
        "{bosnian:?}"
    );
    // Only n-grams are known of Bagri, and no texts to test it on.
    for fields in list_fields(&["--only", "bgq"], 8..12) {
        assert_eq!(
            (&fields[0][..], &fields[1][..], &fields[2][..]),
            ("n-grams", "", "")
        );
    }
}

#[test]
fn facts_are_of_the_built_in_model_alone() {
    let dir = temp_folder();
    let profile = dir.path().join("p").display().to_string();
    let args = ["-q", "--lang", "slv", "--out", &profile];
    run_tool("ngram-profile", args, SLOVENIAN).expect_exit(0);
    let mut lines = list_fields(&["--profile", &profile, "--only", "slv"], 8..12);
    lines.retain(|fields| fields.iter().all(String::is_empty));
    assert_eq!(lines.len(), 1);
}

/// Returns some fields of the list, for each line that `args` select.
fn list_fields(args: &[&str], range: Range<usize>) -> Vec<Vec<String>> {
    run_langid(&[&["--list"], args].concat(), "")
        .expect_exit(0)
        .stdout
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            fields[range.clone()]
                .iter()
                .map(ToString::to_string)
                .collect()
        })
        .collect()
}

#[test]
fn the_list_shows_the_codes_that_a_label_covers_and_the_labels_beside_it() {
    assert_eq!(list_fields(&["--only", "slv"], 5..8), [["sl", "", ""]]);
    assert_eq!(
        list_fields(&["--only", "nor"], 5..8),
        [["nb no nor no-bok", "nor", "nno"]]
    );
    assert_eq!(
        list_fields(&["--only", "est"], 5..8),
        [["et est", "est", "vro"]]
    );
    let chinese = &list_fields(&["--only", "cmn"], 5..8)[0];
    let has = |field: &str, code: &str| field.split(' ').any(|listed| listed == code);
    assert_eq!(chinese[1], "zho");
    assert!(has(&chinese[0], "zh") && has(&chinese[0], "cmn") && has(&chinese[2], "yue"));
    // A language without a label is not beside another one.
    assert_eq!(
        list_fields(&["--only", "nob", "--without", "nno"], 5..8),
        [["nb no nor no-bok", "nor", ""]]
    );
}

#[test]
fn no_code_is_both_a_label_and_covered_by_another() {
    let lines = list_fields(&[], 0..12);
    let labels: BTreeSet<&str> = lines.iter().map(|fields| fields[0].as_str()).collect();
    for fields in &lines {
        let covered: Vec<&str> = fields[5]
            .split(' ')
            .filter(|code| !code.is_empty())
            .collect();
        assert!(
            covered.iter().all(|code| !labels.contains(code)),
            "{fields:?}"
        );
        let beside: BTreeSet<&str> = fields[7]
            .split(' ')
            .filter(|code| !code.is_empty())
            .collect();
        assert!(
            beside.is_subset(&labels) && !beside.contains(fields[0].as_str()),
            "{fields:?}"
        );
    }
}

#[test]
fn the_list_relates_the_languages_of_added_profiles() {
    let dir = temp_folder();
    let path = |code: &str| dir.path().join(code).display().to_string();
    for code in ["nrm", "gno"] {
        let args = ["-q", "--lang", code, "--out", &path(code)];
        run_tool("ngram-profile", args, SLOVENIAN).expect_exit(0);
    }
    let profiles = ["--profile", &path("gno"), "--profile", &path("nrm")];
    let list = |only: &str| list_fields(&[&profiles[..], &["--only", only]].concat(), 5..8);
    // Northern Gondi belongs to gon, which the model has; nrm belongs to no macrolanguage.
    assert_eq!(list("gno"), [["", "gon", "gon"]]);
    assert_eq!(list("gon")[0], ["", "gon", "gno"]);
    assert_eq!(list("nrm").last().unwrap(), &["", "", ""]);
}

#[test]
fn every_plain_line_has_an_output_line() {
    let output = run_langid(
        &["--lines"],
        &format!("\u{feff}{SLOVENIAN}\r\n\n \t\n{ENGLISH}\n\n12"),
    )
    .expect_exit(0);
    let output_lines: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.splitn(3, '\t').collect())
        .collect();
    let codes_and_texts: Vec<(&str, &str)> = output_lines
        .iter()
        .map(|fields| (fields[0], fields[2]))
        .collect();
    let expected = [
        ("slv", SLOVENIAN),
        ("und", ""),
        ("und", " \t"),
        ("eng", ENGLISH),
        ("und", ""),
        ("und", "12"),
    ];
    assert_eq!(codes_and_texts, expected);
    assert!(
        output.stdout.lines().nth(1) == Some("und\t0\t"),
        "{}",
        output.stdout
    );
    let dir = temp_folder();
    let long = "a".repeat(201);
    let rejects = dir.path().join("rejects").display().to_string();
    let flags = ["--lines", "--max-line", "200", "--rejects", &rejects];
    let output = run_langid(&flags, &format!("{SLOVENIAN}\n{long}\n{ENGLISH}\n")).expect_exit(1);
    assert_eq!(output.stdout.lines().nth(1), Some("und\t0\t"));
    assert_eq!(output.stdout.lines().count(), 3);
    assert_eq!(
        std::fs::read_to_string(rejects).unwrap(),
        format!("{long}\n")
    );
    assert!(
        output
            .stderr
            .contains("-:2: line of 201 bytes exceeds --max-line 200"),
        "{}",
        output.stderr
    );
    run_langid(&["--lines", "--max-line", "9", "--strict"], SLOVENIAN).expect_exit(2);
}

#[test]
fn a_co_process_responds_to_plain_lines_one_by_one() {
    let mut command = Command::new(tool_path("langid"));
    command.arg("--lines");
    let mut process = CoProcess::start(command);
    for (line, code) in [(SLOVENIAN, "slv"), ("", "und"), (ENGLISH, "eng")].repeat(3) {
        let answer = process.ask(line);
        assert!(answer.starts_with(code), "{answer}");
    }
    process.end();
}

#[test]
fn the_output_of_plain_lines_does_not_depend_on_the_number_of_threads() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let text: String = (0..9000)
        .map(|n| format!("{n} {}\n", [SLOVENIAN, ENGLISH, ""][n % 3]))
        .collect();
    fs::write(path("one"), &text).unwrap();
    fs::write(path("two"), text.trim_end()).unwrap();
    let identify_lines = |jobs: &str| {
        run_langid(&["--lines", "-j", jobs, &path("one"), &path("two")], "")
            .expect_exit(0)
            .stdout
    };
    let one = identify_lines("1");
    assert_eq!(one.lines().count(), 18_000);
    let numbers = one.lines().map(|line| {
        line.split(['\t', ' '])
            .nth(2)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    });
    assert!(numbers.eq((0..9000).chain(0..9000)));
    assert!(one == identify_lines("3") && one == identify_lines("8"));
    run_langid(&["--lines", &path("one"), &path("missing")], "").expect_exit(2);
}
