//! Input that is not records: skipped, saved with --rejects, and reported in few messages with the
//! remedy and the count, by all tools.

use forage_tests::{for_each_filter, run_bash, run_tool, temp_folder};
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
fn rejects_may_be_a_pipe() {
    let dir = temp_folder();
    for tool in ["langid", "quality", "keywords --lang slv"] {
        let script = format!(
            "cd {} && rm -f pipe && mkfifo pipe && {{ timeout 100 cat pipe >saved & }}
             timeout 100 {tool} -q --rejects pipe; code=$?; wait; cat saved; exit $code",
            dir.path().display()
        );
        let output = run_bash(&script, "danes\n[1]\n").expect_exit(1);
        assert_eq!(output.stdout, "danes\n[1]\n", "{tool}");
    }
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

/// Lines that are not records.
const MALFORMED: [(&str, &[u8]); 8] = [
    ("broken JSON", br#"{"text": "x"#),
    ("a second value", br#"{"text": "x"} {}"#),
    ("an array", b"[1,2]"),
    ("a number", b"7"),
    ("no JSON at all", b"Danes je lep dan."),
    ("invalid UTF-8", b"{\"text\": \"\xff\xfe\"}"),
    ("NUL", b"{\"text\": \"a\0b\"}"),
    ("a control character", b"{\"text\": \"a\x01b\"}"),
];

#[test]
fn a_line_that_is_not_a_record_is_skipped_and_reported() {
    for_each_filter(|filter| {
        for (name, line) in MALFORMED {
            let input = [
                filter.record(0).as_bytes(),
                b"\n",
                line,
                b"\n",
                filter.record(1).as_bytes(),
                b"\n",
            ]
            .concat();
            let output = filter.run(&[], &input).expect_exit(1);
            assert_eq!(output.numbers(), [0, 1], "{name}");
            let place = format!("{}: -:2: ", filter.tool);
            assert!(
                output
                    .stderr
                    .lines()
                    .any(|message| message.starts_with(&place)),
                "{name}: {}",
                output.stderr
            );
        }
    });
}

#[test]
fn the_report_of_a_skipped_line_names_its_file() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let file = dir.path().join("docs.jsonl");
        fs::write(&file, filter.record(0) + "\n\nbroken\n").unwrap();
        let file = file.to_str().unwrap();
        let output = filter.run(&[file], "").expect_exit(1);
        assert!(
            output
                .stderr
                .contains(&format!("{}: {file}:3: ", filter.tool)),
            "{}",
            output.stderr
        );
    });
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    for_each_filter(|filter| {
        let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(700_000));
        let input = [&filter.record(0), &long, &filter.record(1)]
            .map(|line| format!("{line}\n"))
            .concat();
        let output = filter.run(&["--max-line", "2000"], input).expect_exit(1);
        assert_eq!(output.numbers(), [0, 1]);
        assert!(
            output.stderr.contains("-:2: ") && output.stderr.contains("--max-line"),
            "{}",
            output.stderr
        );
    });
}

#[test]
fn skipped_lines_are_saved_with_rejects() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let rejects = dir.path().join("rejects");
        let lines: Vec<&[u8]> = MALFORMED.iter().map(|(_, line)| *line).collect();
        let input = [
            filter.record(0).as_bytes(),
            b"\n",
            &lines.join(&b'\n'),
            b"\n",
        ]
        .concat();
        filter
            .run(&["--rejects", rejects.to_str().unwrap()], input)
            .expect_exit(1);
        assert_eq!(
            fs::read(&rejects).unwrap(),
            [lines.join(&b'\n').as_slice(), b"\n"].concat()
        );
    });
}

#[test]
fn long_lines_are_saved_with_rejects_completely_and_in_order() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let rejects = dir.path().join("rejects");
        // Short malformed lines between the long ones show the order.
        let long = [600_000, 900_000].map(|size| "x".repeat(size) + "\r");
        let bad = [&"y".repeat(1500), &long[0], "z", &long[1], "{"].map(|line| format!("{line}\n"));
        let input = bad
            .iter()
            .flat_map(|line| [filter.record(0) + "\n", line.clone()])
            .collect::<String>();
        filter
            .run(
                &["--max-line", "2000", "--rejects", rejects.to_str().unwrap()],
                input.trim_end(),
            )
            .expect_exit(1);
        assert!(
            fs::read_to_string(&rejects).unwrap() == bad.concat(),
            "{}",
            filter.tool
        );
    });
}

#[test]
fn a_line_that_is_too_long_may_be_a_record() {
    let output = run_tool("langid", ["--max-line", "50"], "x".repeat(100)).expect_exit(1);
    assert!(
        !output.stderr.contains("not records") && !output.stderr.contains("--lines"),
        "{}",
        output.stderr
    );
    let output = run_tool("langid", ["--max-line", "50"], "Danes").expect_exit(1);
    assert!(output.stderr.contains("--lines"), "{}", output.stderr);
}

#[test]
fn rejects_never_truncates_an_input_file() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let [file, link] = ["docs.jsonl", "link.jsonl"].map(|name| dir.path().join(name));
        fs::write(&file, filter.record(0)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let [file, link] = [&file, &link].map(|path| path.to_str().unwrap());
        let redirected = format!(
            "{} {} --rejects {link} <{file}",
            filter.tool,
            filter.args(dir.path()).join(" ")
        );
        for output in [
            filter.run(&["--rejects", file, file], ""),
            filter.run(&["--rejects", link, file], ""),
            run_bash(&redirected, ""),
        ] {
            let output = output.expect_exit(2);
            assert!(
                output.stderr.contains("--rejects")
                    && output.stderr.contains("is read by this command"),
                "{}",
                output.stderr
            );
            assert_eq!(fs::read_to_string(file).unwrap(), filter.record(0));
        }
    });
}

#[test]
fn strict_stops_at_the_first_line_that_is_not_a_record() {
    for_each_filter(|filter| {
        let input = format!("{}\nbroken\n{}\n", filter.record(0), filter.record(1));
        let output = filter.run(&["--strict"], input).expect_exit(2);
        assert_eq!(output.numbers(), [0], "earlier records are written");
        assert!(output.stderr.contains("-:2: "), "{}", output.stderr);
    });
}

#[test]
fn quiet_does_not_report_skipped_lines() {
    for_each_filter(|filter| {
        assert_eq!(
            filter.run(&["--quiet"], "broken\n").expect_exit(1).stderr,
            ""
        )
    });
}
