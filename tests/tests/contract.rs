//! What every tool does: the filters as a table, and the rules that each of them keeps.
//!
//! A rule is one test over all filters, so that what holds for one holds for all; a failure names
//! the filter.

use forage_tests::events::TIMEOUT;
use forage_tests::{
    FILTERS, Filter, TOOLS, ToolOutput, UNKNOWN_FIELDS, for_each_filter, run_bash, run_tool,
    temp_folder, tool_path,
};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;

/// The numbers of the records that came out.
fn numbers(done: &ToolOutput) -> Vec<u64> {
    done.records()
        .iter()
        .filter_map(|record| record["n"].as_u64())
        .collect()
}

#[test]
fn keeps_unknown_fields_byte_for_byte_in_their_order() {
    for_each_filter(|filter| {
        let done = filter.run(&[], filter.record(7)).expect_exit(0);
        let mut rest = done.stdout.as_str();
        for part in [
            r#""n":7"#,
            r#""a":1e5"#,
            r#""big":123456789012345678901234567890"#,
            r#""esc":"\u00e9\/""#,
            "-0.0",
        ] {
            rest = rest
                .split_once(part)
                .unwrap_or_else(|| panic!("{part} is missing in {}", done.stdout))
                .1;
        }
        let (_, added) = rest.split_once("[1, 2 ]").expect("the list as it was");
        match filter.added_field {
            Some((key, _)) => assert!(
                added.contains(&format!(r#""{key}":"#)),
                "the key comes last: {}",
                done.stdout
            ),
            None => assert_eq!(done.stdout, filter.record(7) + "\n"),
        }
    });
}

#[test]
fn keeps_a_record_with_half_a_surrogate_pair_in_a_key() {
    for_each_filter(|filter| {
        let line = format!(r#"{{"\ud800":1,{}"#, &filter.record(7)[1..]);
        let done = filter.run(&[], &line).expect_exit(0);
        assert!(
            done.stdout.starts_with(r#"{"\ud800":1,"#) && done.stdout.contains(r#""n":7"#),
            "{}",
            done.stdout
        );
        assert_eq!(done.stderr, "");
    });
}

#[test]
fn reads_a_last_line_without_a_line_feed() {
    for_each_filter(|filter| {
        assert_eq!(
            numbers(&filter.run(&[], filter.records(3).trim_end()).expect_exit(0)),
            [0, 1, 2]
        )
    });
}

#[test]
fn passes_over_blank_lines_a_byte_order_mark_and_carriage_returns() {
    for_each_filter(|filter| {
        let plain = filter.run(&[], filter.records(3)).expect_exit(0);
        let input = format!(
            "\u{feff}{}\r\n\r\n \n{}\r\n\n{}",
            filter.record(0),
            filter.record(1),
            filter.record(2)
        );
        assert_eq!(filter.run(&[], input).expect_exit(0).stdout, plain.stdout);
    });
}

#[test]
fn several_files_are_one_stream_and_a_dash_is_standard_input() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let (a, b) = (dir.path().join("a.jsonl"), dir.path().join("b.jsonl"));
        fs::write(&a, filter.record(0)).unwrap();
        fs::write(&b, filter.record(2)).unwrap();
        let done = filter
            .run(
                &[a.to_str().unwrap(), "-", b.to_str().unwrap()],
                filter.record(1),
            )
            .expect_exit(0);
        assert_eq!(numbers(&done), [0, 1, 2]);
    });
}

#[test]
fn a_file_is_read_whose_name_is_not_utf8() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let file = dir.path().join(OsStr::from_bytes(b"\xff.jsonl"));
        fs::write(&file, filter.record(0)).unwrap();
        let args = filter.args(dir.path()).into_iter().map(OsString::from);
        // The name comes first, as arguments are looked at before they are parsed.
        let done = run_tool(
            filter.tool,
            iter::once(file.into_os_string()).chain(args),
            "",
        )
        .expect_exit(0);
        assert_eq!(numbers(&done), [0]);
    });
}

#[test]
fn keeps_the_order_with_any_number_of_jobs() {
    for filter in FILTERS.iter().filter(|filter| filter.has_jobs) {
        // Records of very different sizes, so that later ones are ready before earlier ones.
        let pad = |n: usize| {
            filter
                .record(n)
                .replacen("Danes", &"Danes ".repeat(1 + (n * 7919) % 60), 1)
                + "\n"
        };
        let input: String = (0..900).map(pad).collect();
        let one = filter.run(&["--jobs", "1"], &input).expect_exit(0);
        let eight = filter.run(&["--jobs", "8"], &input).expect_exit(0);
        assert_eq!(
            numbers(&eight),
            (0..900).collect::<Vec<_>>(),
            "{}",
            filter.tool
        );
        assert!(
            one.stdout == eight.stdout,
            "{}: the output depends on --jobs",
            filter.tool
        );
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for_each_filter(|filter| {
        let input = filter.records(50);
        let [once, again] = [0, 1].map(|_| filter.run(&[], &input).expect_exit(0).stdout);
        assert_eq!(once.lines().count(), 50);
        assert!(once == again);
    });
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
fn a_line_that_is_no_record_is_left_out_and_told_and_the_others_go_on() {
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
            let done = filter.run(&[], &input).expect_exit(1);
            assert_eq!(numbers(&done), [0, 1], "{name}");
            let place = format!("{}: -:2: ", filter.tool);
            assert!(
                done.stderr.lines().any(|said| said.starts_with(&place)),
                "{name}: {}",
                done.stderr
            );
        }
    });
}

#[test]
fn a_line_that_is_no_record_is_told_with_its_file() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let file = dir.path().join("docs.jsonl");
        fs::write(&file, filter.record(0) + "\n\nbroken\n").unwrap();
        let file = file.to_str().unwrap();
        let done = filter.run(&[file], "").expect_exit(1);
        assert!(
            done.stderr
                .contains(&format!("{}: {file}:3: ", filter.tool)),
            "{}",
            done.stderr
        );
    });
}

#[test]
fn a_line_that_is_too_long_is_left_out() {
    for_each_filter(|filter| {
        let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(700_000));
        let input = [&filter.record(0), &long, &filter.record(1)]
            .map(|line| format!("{line}\n"))
            .concat();
        let done = filter.run(&["--max-line", "2000"], input).expect_exit(1);
        assert_eq!(numbers(&done), [0, 1]);
        assert!(
            done.stderr.contains("-:2: ") && done.stderr.contains("--max-line"),
            "{}",
            done.stderr
        );
    });
}

#[test]
fn what_is_left_out_is_kept_with_rejects() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let kept = dir.path().join("rejects");
        let lines: Vec<&[u8]> = MALFORMED.iter().map(|(_, line)| *line).collect();
        let input = [
            filter.record(0).as_bytes(),
            b"\n",
            &lines.join(&b'\n'),
            b"\n",
        ]
        .concat();
        filter
            .run(&["--rejects", kept.to_str().unwrap()], input)
            .expect_exit(1);
        assert_eq!(
            fs::read(&kept).unwrap(),
            [lines.join(&b'\n').as_slice(), b"\n"].concat()
        );
    });
}

#[test]
fn a_line_that_is_too_long_is_kept_with_rejects_whole_and_in_its_place() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let kept = dir.path().join("rejects");
        // Before and after: a line that fits and is none, so that the order shows.
        let long = [600_000, 900_000].map(|size| "x".repeat(size) + "\r");
        let bad = [&"y".repeat(1500), &long[0], "z", &long[1], "{"].map(|line| format!("{line}\n"));
        let input = bad
            .iter()
            .flat_map(|line| [filter.record(0) + "\n", line.clone()])
            .collect::<String>();
        filter
            .run(
                &["--max-line", "2000", "--rejects", kept.to_str().unwrap()],
                input.trim_end(),
            )
            .expect_exit(1);
        assert!(
            fs::read_to_string(&kept).unwrap() == bad.concat(),
            "{}",
            filter.tool
        );
    });
}

#[test]
fn a_line_that_is_too_long_may_be_a_record() {
    let done = run_tool("langid", ["--max-line", "50"], "x".repeat(100)).expect_exit(1);
    assert!(
        !done.stderr.contains("not records") && !done.stderr.contains("--lines"),
        "{}",
        done.stderr
    );
    let done = run_tool("langid", ["--max-line", "50"], "Danes").expect_exit(1);
    assert!(done.stderr.contains("--lines"), "{}", done.stderr);
}

#[test]
fn rejects_never_empties_what_is_read() {
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
        for done in [
            filter.run(&["--rejects", file, file], ""),
            filter.run(&["--rejects", link, file], ""),
            run_bash(&redirected, ""),
        ] {
            let done = done.expect_exit(2);
            assert!(
                done.stderr.contains("--rejects") && done.stderr.contains("is read as input"),
                "{}",
                done.stderr
            );
            assert_eq!(fs::read_to_string(file).unwrap(), filter.record(0));
        }
    });
}

#[test]
fn strict_stops_at_the_first_line_that_is_no_record() {
    for_each_filter(|filter| {
        let input = format!("{}\nbroken\n{}\n", filter.record(0), filter.record(1));
        let done = filter.run(&["--strict"], input).expect_exit(2);
        assert_eq!(numbers(&done), [0], "what came before is answered");
        assert!(done.stderr.contains("-:2: "), "{}", done.stderr);
    });
}

#[test]
fn a_record_without_the_fields_is_passed_on_unchanged() {
    for_each_filter(|filter| {
        let nulls: Vec<String> = ["text", "url", "html", "query"]
            .map(|key| format!(r#""{key}": null"#))
            .into();
        let input = format!(
            "{{ }}\n{{\"n\": 1}}\n{{{}, {UNKNOWN_FIELDS}}}\n",
            nulls.join(" ,")
        );
        assert_eq!(filter.run(&[], &input).expect_exit(0).stdout, input);
    });
}

#[test]
fn that_no_record_had_a_text_is_said_once_at_the_end() {
    for filter in FILTERS
        .iter()
        .filter(|filter| ["langid", "dedup"].contains(&filter.tool))
    {
        let lacking = "{\"content\":\"Guten Morgen\"}\n".repeat(600);
        let done = filter.run(&[], &lacking).expect_exit(0);
        assert_eq!(done.stdout, lacking);
        assert_eq!(
            done.stderr,
            format!(
                "{}: no record has `text`; 600 records passed through unchanged\n",
                filter.tool
            )
        );
        assert_eq!(filter.run(&["--quiet"], &lacking).expect_exit(0).stderr, "");
        let answered = format!(r#"{{"{}":{{}}}}"#, filter.tool);
        for other in [filter.record(1), answered] {
            assert_eq!(
                filter
                    .run(&[], lacking.clone() + &other)
                    .expect_exit(0)
                    .stderr,
                "",
                "{other}"
            );
        }
        let neither = "{\"error\":{}}\n{\"hit\":{\"engine\":\"e\",\"outcome\":\"empty\"}}\n";
        assert_eq!(filter.run(&[], neither).expect_exit(0).stderr, "");
    }
}

#[test]
fn a_field_of_the_wrong_type_makes_an_error_record() {
    for_each_filter(|filter| {
        for key in filter.checked_fields {
            for value in ["3", "true", r#""\ud800""#] {
                let line = format!(r#"{{"n":1,"{key}":{value},{UNKNOWN_FIELDS}}}"#);
                let done = filter
                    .run(&[], format!("{line}\n{}", filter.record(2)))
                    .expect_exit(0);
                let (first, second) = done.stdout.split_once('\n').expect("two lines");
                assert!(second.contains(r#""n":2"#), "{line}");
                // Not parsed as a whole: half a surrogate pair is in it, as it came.
                let added = first
                    .strip_prefix(line.trim_end_matches('}'))
                    .expect("the line as it was, and more");
                let added = format!("{{{}", added.trim_start_matches(','));
                let error =
                    &serde_json::from_str::<serde_json::Value>(&added).expect("an error")["error"];
                assert_eq!(error["kind"], "bad-field", "{line}: {error}");
                assert_eq!(error["tool"], filter.tool);
                assert!(error["message"].as_str().unwrap().contains(key), "{error}");
            }
        }
    });
}

#[test]
fn a_record_with_an_error_is_passed_on_untouched() {
    for_each_filter(|filter| {
        let error = r#""error":{"tool":"x","kind":"strange","message":"z"}"#;
        let input = format!(
            "{{{},{UNKNOWN_FIELDS},{error}}}\n{{\"url\":\"http://a.test/\",{error}}}\n",
            filter.input_fields
        );
        assert_eq!(filter.run(&[], &input).expect_exit(0).stdout, input);
    });
}

#[test]
fn what_a_record_has_already_is_kept_unless_force_is_given() {
    for filter in &FILTERS {
        let Some((key, has)) = filter.added_field else {
            continue;
        };
        let input = format!("{{{},{has},{UNKNOWN_FIELDS}}}\n", filter.input_fields);
        assert_eq!(
            filter.run(&[], &input).expect_exit(0).stdout,
            input,
            "{}",
            filter.tool
        );
        let forced = filter.run(&["--force"], &input).expect_exit(0);
        assert!(
            !forced.stdout.contains("xxx"),
            "{}: {}",
            filter.tool,
            forced.stdout
        );
        let at = |part: &str| {
            forced
                .stdout
                .find(part)
                .unwrap_or_else(|| panic!("{part}: {}", forced.stdout))
        };
        assert!(
            at(&format!(r#""{key}":"#)) < at(r#""big":"#),
            "{}: replaced in place",
            filter.tool
        );
    }
}

#[test]
fn empty_input_gives_empty_output() {
    for_each_filter(|filter| {
        for input in ["", "\n\n"] {
            let done = filter.run(&[], input).expect_exit(0);
            assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
        }
    });
}

#[test]
fn an_unknown_flag_and_a_missing_file_are_told() {
    for tool in TOOLS {
        let done = run_tool(tool, ["--no-such-flag"], "").expect_exit(2);
        assert!(
            done.stderr.contains("--no-such-flag") && done.stdout.is_empty(),
            "{tool}: {}",
            done.stderr
        );
    }
    for_each_filter(|filter| {
        let done = filter.run(&["/no/such/file.jsonl"], "").expect_exit(2);
        assert!(
            done.stderr
                .contains(&format!("{}: /no/such/file.jsonl: ", filter.tool)),
            "{}",
            done.stderr
        );
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    });
}

#[test]
fn what_is_wrong_with_the_arguments_is_told_without_what_a_terminal_obeys() {
    let check = |tool, arg| {
        let done = run_tool(tool, [arg], "").expect_exit(2);
        assert!(
            !done.stderr.contains(|c: char| c.is_control() && c != '\n'),
            "{tool}: {:?}",
            done.stderr
        );
        assert!(
            done.stderr.starts_with(&format!("{tool}: ")) && !done.stderr.contains("\nbar"),
            "{}",
            done.stderr
        );
        assert!(
            done.stderr.contains(r"\u{9b}") && done.stderr.contains(r"\r"),
            "{}",
            done.stderr
        );
    };
    TOOLS
        .iter()
        .for_each(|tool| check(tool, "--x\rfoo\u{9b}31m\u{1b}[31m\nbar"));
    for_each_filter(|filter| check(filter.tool, "--max-line=1\nbar\u{9b}\r"));
}

#[test]
fn a_reader_that_goes_ends_a_tool_quietly() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let script = format!(
            r#"yes '{}' | head -n 6000 | {} {} | head -n 1 >/dev/null; exit ${{PIPESTATUS[2]}}"#,
            filter.record(0),
            filter.tool,
            filter.args(dir.path()).join(" ")
        );
        let done = run_bash(&script, "").expect_exit(0);
        assert_eq!(done.stderr, "");
    });
}

#[test]
fn a_full_disk_is_told_and_no_panic() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let script = format!(
            "{} {} >/dev/full",
            filter.tool,
            filter.args(dir.path()).join(" ")
        );
        let done = run_bash(&script, filter.records(2000)).expect_exit(2);
        assert!(
            done.stderr
                .starts_with(&format!("{}: standard output: ", filter.tool)),
            "{}",
            done.stderr
        );
        assert!(
            !done.stderr.contains("panic") && !done.stderr.contains("defect"),
            "{}",
            done.stderr
        );
    });
}

#[test]
fn a_co_process_is_answered_line_by_line() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let mut command = Command::new(tool_path(filter.tool));
        command
            .args(filter.args(dir.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut to_child = child.stdin.take().unwrap();
        let answers = lines_of(child.stdout.take().unwrap());
        for n in 0..3 {
            writeln!(to_child, "{}", filter.record(n)).unwrap();
            let answer = answers
                .recv_timeout(TIMEOUT)
                .expect("an answer while the input is open");
            assert!(answer.contains(&format!(r#""n":{n},"#)), "{answer}");
        }
        drop(to_child);
        assert!(child.wait().unwrap().success());
    });
}

/// The lines that come from a tool, as they come.
fn lines_of(from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            if sender.send(line.expect("a line")).is_err() {
                break;
            }
        }
    });
    lines
}

/// Bytes of the stream and what a tool may use for it: its own needs (update-stats names the most,
/// about 100 MB), and far from the whole stream.
const STREAM: usize = 320 << 20;
const MEMORY_KB: u64 = 180 << 10;

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    for filter in &FILTERS {
        let pad = "x".repeat(100_000);
        let used = peak_memory_kb(filter, STREAM / pad.len(), |n| {
            format!(
                "{{\"n\":{n},\"pad\":\"{pad}\",\"text\":\"{n} {n} {n} {n} {n} {n}\",\"label\":\"slv\"}}\n"
            )
        });
        assert!(
            used < MEMORY_KB,
            "{}: {used} kB for {STREAM} bytes",
            filter.tool
        );
    }
}

/// The most memory that a filter had while it answered `records` records, in kB.
#[cfg(target_os = "linux")]
fn peak_memory_kb(filter: &Filter, records: usize, record: impl Fn(usize) -> String + Send) -> u64 {
    let dir = temp_folder();
    let mut command = Command::new(tool_path(filter.tool));
    command
        .args(filter.args(dir.path()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to_child = child.stdin.take().unwrap();
    let mut answers = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    let used = std::thread::scope(|threads| {
        let feeder = threads.spawn(move || {
            for n in 0..records {
                to_child.write_all(record(n).as_bytes()).unwrap();
            }
            to_child
        });
        let mut line = Vec::new();
        for _ in 0..records {
            line.clear();
            assert!(
                answers.read_until(b'\n', &mut line).unwrap() > 0,
                "{}: ended early",
                filter.tool
            );
        }
        // The tool waits for more: now its status tells the peak, and only then its input is
        // closed.
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        drop(feeder.join().unwrap());
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("the peak");
        peak.trim().trim_end_matches("kB").trim().parse().unwrap()
    });
    assert!(child.wait().unwrap().success());
    used
}

#[test]
fn quiet_says_nothing_of_lines_left_out() {
    for_each_filter(|filter| {
        assert_eq!(
            filter.run(&["--quiet"], "broken\n").expect_exit(1).stderr,
            ""
        )
    });
}

#[test]
fn progress_is_told_in_plain_lines_where_stderr_is_no_terminal() {
    for_each_filter(|filter| {
        let done = filter
            .run(&["--progress"], filter.records(3))
            .expect_exit(0);
        // On a slow machine there is a line a second before the last one.
        let (before, last) = done
            .stderr
            .trim_end()
            .rsplit_once('\n')
            .unwrap_or(("", done.stderr.trim_end()));
        let is_plain = |line: &str, records: &str| {
            line.starts_with(&format!("{}: {records} records, ", filter.tool))
        };
        assert!(is_plain(last, "3"), "{}", done.stderr);
        assert!(
            before
                .lines()
                .all(|line| ["0", "1", "2", "3"].iter().any(|n| is_plain(line, n))),
            "{}",
            done.stderr
        );
    });
}
