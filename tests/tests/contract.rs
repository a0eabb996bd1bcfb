//! Rules that all tools follow. Each rule is a test over the table of filters, so that it holds for
//! all of them; a failure names the filter.

use forage_tests::{
    CoProcess, FILTERS, Filter, UNKNOWN_FIELDS, all_tools, for_each_filter, run_bash, run_tool,
    temp_folder, tool_path,
};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

#[test]
fn keeps_unknown_fields_byte_for_byte_in_their_order() {
    for_each_filter(|filter| {
        let output = filter.run(&[], filter.record(7)).expect_exit(0);
        let mut rest = output.stdout.as_str();
        for part in [
            r#""n":7"#,
            r#""a":1e5"#,
            r#""big":123456789012345678901234567890"#,
            r#""esc":"\u00e9\/""#,
            "-0.0",
        ] {
            rest = rest
                .split_once(part)
                .unwrap_or_else(|| panic!("{part} is missing in {}", output.stdout))
                .1;
        }
        let (_, added) = rest.split_once("[1, 2 ]").expect("the unchanged list");
        match filter.added_field {
            Some((key, _)) => assert!(
                added.contains(&format!(r#""{key}":"#)),
                "the added field is last: {}",
                output.stdout
            ),
            None => assert_eq!(output.stdout, filter.record(7) + "\n"),
        }
    });
}

#[test]
fn keeps_a_record_with_an_unpaired_surrogate_in_a_key() {
    for_each_filter(|filter| {
        let line = format!(r#"{{"\ud800":1,{}"#, &filter.record(7)[1..]);
        let output = filter.run(&[], &line).expect_exit(0);
        assert!(
            output.stdout.starts_with(r#"{"\ud800":1,"#) && output.stdout.contains(r#""n":7"#),
            "{}",
            output.stdout
        );
        assert_eq!(output.stderr, "");
    });
}

#[test]
fn reads_a_last_line_without_a_line_feed() {
    for_each_filter(|filter| {
        let output = filter.run(&[], filter.records(3).trim_end()).expect_exit(0);
        assert_eq!(output.numbers(), [0, 1, 2]);
    });
}

#[test]
fn ignores_blank_lines_byte_order_marks_and_carriage_returns() {
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
        let a = dir.path().join("a.jsonl");
        let b = dir.path().join("b.jsonl");
        fs::write(&a, filter.record(0)).unwrap();
        fs::write(&b, filter.record(2)).unwrap();
        let output = filter
            .run(
                &[a.to_str().unwrap(), "-", b.to_str().unwrap()],
                filter.record(1),
            )
            .expect_exit(0);
        assert_eq!(output.numbers(), [0, 1, 2]);
    });
}

#[test]
fn a_file_name_may_be_invalid_utf8() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let file = dir.path().join(OsStr::from_bytes(b"\xff.jsonl"));
        fs::write(&file, filter.record(0)).unwrap();
        let args = filter.args(dir.path()).into_iter().map(OsString::from);
        // The name is the first argument, which is checked for --generate before parsing.
        let output = run_tool(
            filter.tool,
            iter::once(file.into_os_string()).chain(args),
            "",
        )
        .expect_exit(0);
        assert_eq!(output.numbers(), [0]);
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
            eight.numbers(),
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

#[test]
fn a_record_without_the_fields_passes_through_unchanged() {
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
fn a_script_stops_if_too_many_records_have_no_result() {
    for filter in &FILTERS {
        let help = filter.run(&["--help"], "").stdout;
        if filter.added_field.is_some() && help.contains("--fail-above") {
            let failed = "{\"error\":{\"tool\":\"x\",\"kind\":\"y\",\"message\":\"z\"}}\n";
            let input = failed.repeat(3) + &filter.record(1);
            for (limit, exit_code) in [("0.75", 0), ("0.74", 1), ("0", 1), ("1", 0)] {
                let output = filter.run(&["--fail-above", limit], &input);
                let output = output.expect_exit(exit_code);
                assert!(output.stdout.starts_with(&failed.repeat(3)));
                let message = format!(
                    "{}: 3 of 4 records without a result, more than --fail-above {limit} permits\n",
                    filter.tool
                );
                let is_said = output.stderr.ends_with(&message);
                assert_eq!(is_said, exit_code == 1, "{}", output.stderr);
            }
        }
    }
}

#[test]
fn records_without_a_text_are_counted_at_the_end() {
    for filter in FILTERS
        .iter()
        .filter(|filter| ["langid", "dedup"].contains(&filter.tool))
    {
        let lacking = "{\"content\":\"Guten Morgen\"}\n".repeat(600);
        let output = filter.run(&[], &lacking).expect_exit(0);
        assert_eq!(output.stdout, lacking);
        let message = format!(
            "{}: none of 600 records has a result: 600 without `text`; ",
            filter.tool
        );
        assert!(output.stderr.starts_with(&message), "{}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert_eq!(filter.run(&["--quiet"], &lacking).expect_exit(0).stderr, "");
        let answered = format!(r#"{{"{}":{{"code":"x","status":"new"}}}}"#, filter.tool);
        for (other, message) in [
            (
                filter.record(1),
                "600 of 601 records without a result: 600 without `text`; ",
            ),
            (answered, "none of 601 records has a result: 1 with "),
        ] {
            let output = filter.run(&[], lacking.clone() + &other).expect_exit(0);
            let expected = format!("{}: {message}", filter.tool);
            assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
        }
        let no_hit = "{\"hit\":{\"engine\":\"e\",\"outcome\":\"empty\"}}\n";
        assert_eq!(filter.run(&[], no_hit).expect_exit(0).stderr, "");
    }
}

#[test]
fn a_field_of_the_wrong_type_causes_an_error_record() {
    for_each_filter(|filter| {
        for key in filter.checked_fields {
            for value in ["3", "true"] {
                let line = format!(r#"{{"n":1,"{key}":{value},{UNKNOWN_FIELDS}}}"#);
                let output = filter
                    .run(&[], format!("{line}\n{}", filter.record(2)))
                    .expect_exit(0);
                let (first, second) = output.stdout.split_once('\n').expect("two lines");
                assert!(second.contains(r#""n":2"#), "{line}");
                let added = first
                    .strip_prefix(line.trim_end_matches('}'))
                    .expect("the unchanged line and an addition");
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
fn a_record_with_an_error_passes_through_unchanged() {
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
fn an_existing_field_is_kept_without_force() {
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
        let position = |part: &str| {
            forced
                .stdout
                .find(part)
                .unwrap_or_else(|| panic!("{part}: {}", forced.stdout))
        };
        assert!(
            position(&format!(r#""{key}":"#)) < position(r#""big":"#),
            "{}: replaced in place",
            filter.tool
        );
    }
}

#[test]
fn empty_input_gives_empty_output() {
    for_each_filter(|filter| {
        for input in ["", "\n\n"] {
            let output = filter.run(&[], input).expect_exit(0);
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
        }
    });
}

#[test]
fn an_unknown_flag_and_a_missing_file_are_reported() {
    for tool in all_tools() {
        let output = run_tool(tool, ["--no-such-flag"], "").expect_exit(2);
        assert!(
            output.stderr.contains("--no-such-flag") && output.stdout.is_empty(),
            "{tool}: {}",
            output.stderr
        );
    }
    for_each_filter(|filter| {
        let output = filter.run(&["/no/such/file.jsonl"], "").expect_exit(2);
        assert!(
            output
                .stderr
                .contains(&format!("{}: /no/such/file.jsonl: ", filter.tool)),
            "{}",
            output.stderr
        );
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    });
}

#[test]
fn errors_in_the_arguments_contain_no_control_characters() {
    let assert_escaped = |tool, arg| {
        let output = run_tool(tool, [arg], "").expect_exit(2);
        assert!(
            !output
                .stderr
                .contains(|c: char| c.is_control() && c != '\n'),
            "{tool}: {:?}",
            output.stderr
        );
        assert!(
            output.stderr.starts_with(&format!("{tool}: ")) && !output.stderr.contains("\nbar"),
            "{}",
            output.stderr
        );
        assert!(
            output.stderr.contains(r"\u{9b}") && output.stderr.contains(r"\r"),
            "{}",
            output.stderr
        );
    };
    all_tools().for_each(|tool| assert_escaped(tool, "--x\rfoo\u{9b}31m\u{1b}[31m\nbar"));
    for_each_filter(|filter| assert_escaped(filter.tool, "--max-line=1\nbar\u{9b}\r"));
}

#[test]
fn a_closed_pipe_ends_a_tool_silently() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let script = format!(
            r#"yes '{}' | head -n 6000 | {} {} | head -n 1 >/dev/null; exit ${{PIPESTATUS[2]}}"#,
            filter.record(0),
            filter.tool,
            filter.args(dir.path()).join(" ")
        );
        let output = run_bash(&script, "").expect_exit(0);
        assert_eq!(output.stderr, "");
    });
}

#[test]
fn a_full_disk_is_reported_without_a_panic() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let script = format!(
            "{} {} >/dev/full",
            filter.tool,
            filter.args(dir.path()).join(" ")
        );
        let output = run_bash(&script, filter.records(2000)).expect_exit(2);
        assert!(
            output
                .stderr
                .starts_with(&format!("{}: standard output: ", filter.tool)),
            "{}",
            output.stderr
        );
        assert!(
            !output.stderr.contains("panic") && !output.stderr.contains("internal error"),
            "{}",
            output.stderr
        );
    });
}

#[test]
fn a_co_process_responds_line_by_line() {
    for_each_filter(|filter| {
        let dir = temp_folder();
        let mut command = Command::new(tool_path(filter.tool));
        command.args(filter.args(dir.path()));
        let mut process = CoProcess::start(command);
        for n in 0..3 {
            let line = process.ask(&filter.record(n));
            assert!(line.contains(&format!(r#""n":{n},"#)), "{line}");
        }
        process.end();
    });
}

/// Bytes of the input stream.
const STREAM: usize = 320 << 20;
/// Memory limit in kB: more than the state of any tool (about 100 MB for update-stats), and much
/// less than the stream.
const MEMORY_KB: u64 = 180 << 10;

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    for filter in &FILTERS {
        let pad = "x".repeat(100_000);
        let used = peak_memory_kb(filter, STREAM / pad.len(), |n| {
            let text = [n.to_string().as_str(); 6].join(" ");
            format!("{{\"n\":{n},\"pad\":\"{pad}\",\"text\":\"{text}\",\"label\":\"slv\"}}\n")
        });
        assert!(
            used < MEMORY_KB,
            "{}: {used} kB for {STREAM} bytes",
            filter.tool
        );
    }
}

/// Returns the peak memory of a filter that processes `records` records, in kB.
#[cfg(target_os = "linux")]
fn peak_memory_kb(filter: &Filter, records: usize, record: impl Fn(usize) -> String + Send) -> u64 {
    let dir = temp_folder();
    let mut command = Command::new(tool_path(filter.tool));
    command
        .args(filter.args(dir.path()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut child_stdin = child.stdin.take().unwrap();
    let mut output_lines = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    let used = std::thread::scope(|threads| {
        let writer = threads.spawn(move || {
            for n in 0..records {
                child_stdin.write_all(record(n).as_bytes()).unwrap();
            }
            child_stdin
        });
        let mut line = Vec::new();
        for _ in 0..records {
            line.clear();
            assert!(
                output_lines.read_until(b'\n', &mut line).unwrap() > 0,
                "{}: ended early",
                filter.tool
            );
        }
        // The status has the peak only while the tool runs, so the input is closed after reading
        // it.
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        drop(writer.join().unwrap());
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
fn progress_is_shown_in_plain_lines_unless_stderr_is_a_terminal() {
    for_each_filter(|filter| {
        let output = filter
            .run(&["--progress"], filter.records(3))
            .expect_exit(0);
        // On a slow machine there are lines before the last one, one per second.
        let (before, last) = output
            .stderr
            .trim_end()
            .rsplit_once('\n')
            .unwrap_or(("", output.stderr.trim_end()));
        let is_plain = |line: &str, records: &str| {
            line.starts_with(&format!("{}: {records} records, ", filter.tool))
        };
        assert!(is_plain(last, "3"), "{}", output.stderr);
        assert!(
            before
                .lines()
                .all(|line| ["0", "1", "2", "3"].iter().any(|n| is_plain(line, n))),
            "{}",
            output.stderr
        );
    });
}

#[test]
fn programs_contain_no_paths_of_the_machine_that_built_them() {
    let root = forage_tests::project_root();
    for tool in all_tools() {
        let program = fs::read(tool_path(tool)).unwrap();
        for path in [root.as_os_str().as_bytes(), b"/registry/src/"] {
            assert!(
                memchr::memmem::find(&program, path).is_none(),
                "{tool} contains {}: build it with .cargo/rustc-wrapper, after `cargo clean`",
                String::from_utf8_lossy(path)
            );
        }
    }
}
