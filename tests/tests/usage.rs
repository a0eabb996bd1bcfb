//! Arguments as users type them: numbers with suffixes, options of other programs, and help that
//! cannot be written.

use forage_tests::{all_tools, run_bash, run_tool};

#[test]
fn sizes_take_a_suffix() {
    let record = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(2000));
    for (limit, exit_code) in [("2k", 0), ("1K", 1), ("100M", 0), ("1G", 0), ("1000", 1)] {
        run_tool("langid", ["-q", "--max-line", limit], &record).expect_exit(exit_code);
    }
    for (limit, cause) in [
        ("10T", "32M or 1G"),
        ("1.5M", "32M or 1G"),
        ("99999999999G", "too large"),
    ] {
        let output = run_tool("langid", ["--max-line", limit], "").expect_exit(2);
        assert!(output.stderr.contains(cause), "{}", output.stderr);
    }
    let has_max_line = |tool: &&str| {
        let help = run_tool(tool, ["--help"], "").expect_exit(0);
        help.stdout.contains("--max-line")
    };
    let tools: Vec<&str> = all_tools().filter(has_max_line).collect();
    assert!(tools.len() > 8, "{tools:?}");
    let limits = tools.iter().map(|tool| (*tool, "--max-line"));
    for (tool, option) in limits.chain([("fetch-extract", "--max-bytes")]) {
        let output = run_tool(tool, [option, "0"], "").expect_exit(2);
        assert!(
            output.stderr.contains("greater than 0"),
            "{tool}: {}",
            output.stderr
        );
    }
}

#[test]
fn an_argument_that_must_be_utf8_is_named_with_its_option() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let raw = OsStr::from_bytes;
    // The name of a file may be any, so the second argument is the one to report.
    let args = [
        OsStr::new("--journal"),
        raw(b"\xfe.jsonl"),
        OsStr::new("--init"),
        raw(b"slv=caf\xe9.txt"),
    ];
    let output = run_tool("update-stats", args, "").expect_exit(2);
    assert!(
        output
            .stderr
            .starts_with("update-stats: --init slv=caf\u{fffd}.txt: is not UTF-8; if it names a file, rename it\n"),
        "{}",
        output.stderr
    );
    let output = run_tool("update-stats", [raw(b"--init=slv=\xe9")], "").expect_exit(2);
    assert!(
        output
            .stderr
            .starts_with("update-stats: --init=slv=\u{fffd}: is not UTF-8"),
        "{}",
        output.stderr
    );
    let output = run_tool("langid", [OsStr::new("--only"), raw(b"sl\xe9")], "").expect_exit(2);
    assert!(
        output
            .stderr
            .starts_with("langid: --only sl\u{fffd}: is not UTF-8"),
        "{}",
        output.stderr
    );
}

#[test]
fn misspelt_options_get_the_remedy() {
    for (tool, option, remedy) in [
        ("langid", "--modle=x", "'--model'"),
        ("dedup", "--treshold", "'--threshold'"),
        ("fetch-extract", "--url", "'--urls'"),
    ] {
        let output = run_tool(tool, [option, "x"], "").expect_exit(2);
        assert!(
            output.stderr.contains("tip: ") && output.stderr.contains(remedy),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn options_that_are_spelt_differently_are_not_suggested() {
    for (tool, option) in [
        ("langid", "--threads"),
        ("search", "--output"),
        ("langid", "--lang"),
        ("langid", "--encoding"),
        ("fetch-extract", "--user-agent"),
        ("search", "-x"),
    ] {
        let output = run_tool(tool, [option, "x"], "").expect_exit(2);
        assert!(
            output.stderr.contains("unexpected argument") && !output.stderr.contains("tip: "),
            "{}",
            output.stderr
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for tool in all_tools() {
        for flags in [
            "--help",
            "-h",
            "--version",
            "--generate man",
            "--generate zsh",
        ] {
            let full = run_bash(&format!("{tool} {flags} > /dev/full"), "").expect_exit(2);
            assert!(
                full.stderr
                    .starts_with(&format!("{tool}: standard output: "))
                    && full.stderr.lines().count() == 1,
                "{}",
                full.stderr
            );
            let closed = format!("{tool} {flags} | true; exit ${{PIPESTATUS[0]}}");
            assert_eq!(run_bash(&closed, "").expect_exit(0).stderr, "");
        }
    }
}
