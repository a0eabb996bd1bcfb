//! Messages about input that is not records: few, with the remedy and the count, in all tools.

use forage_tests::{for_each_filter, run_tool, temp_folder};
use std::fs;

/// Plain text of this many lines.
const LINES: usize = 100_000;

fn plain_text() -> String {
    "danes je lep dan\n".repeat(LINES)
}

#[test]
fn a_file_of_plain_text_gets_five_messages_a_hint_and_the_count() {
    for_each_filter(|filter| {
        let output = filter.run(&[], plain_text()).expect_exit(1);
        let lines: Vec<&str> = output.stderr.lines().collect();
        assert_eq!(lines.len(), 7, "{}", output.stderr);
        for (number, line) in (1..).zip(&lines[..5]) {
            let expected = format!("{}: -:{number}: not JSON: ", filter.tool);
            assert!(line.starts_with(&expected), "{line}");
        }
        assert!(lines[5].contains("looks like plain text"), "{}", lines[5]);
        assert_eq!(
            lines[6],
            format!(
                "{}: 100,000 lines are not records and were skipped, of which 5 are shown; \
                 -v shows all, --rejects FILE saves all",
                filter.tool
            )
        );
    });
}

#[test]
fn the_hint_names_what_the_tool_can_do() {
    for (tool, args, hint) in [
        ("langid", &[][..], "--lines"),
        (
            "keywords",
            &["--method", "statistical"],
            "jq -Rc '{text: .}'",
        ),
        ("frontier", &["--state"], "forage-records(5)"),
    ] {
        let dir = temp_folder();
        let state = dir.path().join("state.db");
        let state = (tool == "frontier").then(|| state.to_str().unwrap());
        let args = args.iter().copied().chain(state);
        let output = run_tool(tool, args, "danes je lep dan\n").expect_exit(1);
        assert!(output.stderr.contains(hint), "{tool}: {}", output.stderr);
    }
    let output = run_tool("langid", [] as [&str; 0], "[1,\n2]\n").expect_exit(1);
    assert!(output.stderr.contains("jq -c '.[]'"), "{}", output.stderr);
}

#[test]
fn a_damaged_line_among_records_gets_no_hint() {
    let output = run_tool("langid", [] as [&str; 0], "{\"text\":\"a\"}\nbroken\n").expect_exit(1);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}

#[test]
fn verbose_shows_all_lines_and_rejects_saves_all() {
    let dir = temp_folder();
    let rejects = dir.path().join("rejects");
    let text = "danes je lep dan\n".repeat(20);
    let verbose = run_tool("langid", ["-v"], &text).expect_exit(1);
    let shown = verbose.stderr.matches("; line skipped").count();
    assert!(
        shown == 20 && !verbose.stderr.contains("of which"),
        "{}",
        verbose.stderr
    );
    let saved = run_tool("langid", ["--rejects", rejects.to_str().unwrap()], &text).expect_exit(1);
    assert!(
        saved.stderr.contains("20 lines are not records") && !saved.stderr.contains("--rejects"),
        "{}",
        saved.stderr
    );
    assert_eq!(fs::read_to_string(rejects).unwrap(), text);
}

#[test]
fn lines_that_are_too_long_are_counted_too() {
    let text = format!("{}\n", "x".repeat(100)).repeat(8);
    let output = run_tool("langid", ["--lines", "--max-line", "50"], text).expect_exit(1);
    assert_eq!(output.stdout.lines().count(), 8);
    assert_eq!(output.stderr.lines().count(), 6, "{}", output.stderr);
    assert!(
        output
            .stderr
            .contains("8 lines were skipped, of which 5 are shown"),
        "{}",
        output.stderr
    );
}
