//! What is generated from the definitions of the arguments: man pages, which are under version
//! control for review, completions and help texts.
//!
//! After a change of arguments, run `UPDATE=1 cargo test -p forage-tests --test programs generated`
//! and review the diff.

use forage_tests::closed_web::pipeline_command;
use forage_tests::{
    PIPELINES, TOOLS, all_tools, assert_file_is_current, project_root, run_command, run_tool,
};
use std::collections::BTreeMap;
use std::fs;

fn output(tool: &str, args: &[&str]) -> String {
    run_tool(tool, args, "").expect_exit(0).stdout
}

#[test]
fn man_pages_are_current() {
    for tool in TOOLS {
        let page = output(tool, &["--generate", "man"]);
        assert_headings_differ(tool, &page);
        assert_has_all_options(&page, &output(tool, &["--help"]));
        assert_file_is_current(&format!("man/{tool}.1"), &page);
    }
}

#[test]
fn completions_offer_documented_options_only() {
    for tool in all_tools() {
        let help = output(tool, &["--help"]);
        for (shell, mark) in [("zsh", "#compdef"), ("fish", "complete -c")] {
            let completions = output(tool, &["--generate", shell]);
            assert!(
                completions.contains(&format!("{mark} {tool}")),
                "{tool}: {shell}"
            );
        }
        let offered = output(tool, &["--generate", "bash"]);
        let offered = offered
            .split("opts=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        for flag in offered.split(' ').filter(|word| word.starts_with("--")) {
            assert!(
                help.contains(&format!(" {flag}")),
                "{tool}: {flag} is completed, but not in --help"
            );
        }
    }
}

#[test]
fn help_fits_a_terminal_of_80_columns() {
    for tool in all_tools() {
        for flag in ["-h", "--help"] {
            let help = output(tool, &[flag]);
            let first = help.lines().next().unwrap_or_default();
            assert!(
                (1..70).contains(&first.chars().count()),
                "{tool} {flag}: {first}"
            );
            for line in help.lines().filter(|line| !line.starts_with("Usage:")) {
                assert!(line.chars().count() <= 80, "{tool} {flag}: {line}");
            }
        }
    }
}

/// A longer line would be broken, and end in one that has a word.
#[test]
fn the_sections_of_the_help_are_written_for_80_columns() {
    let sections = all_tools().map(|tool| format!("tools/{tool}/src/sections.txt"));
    let of_pipelines = PIPELINES.map(|name| format!("tools/run-steps/src/sections/{name}.txt"));
    for path in sections.chain(of_pipelines) {
        let text = fs::read_to_string(project_root().join(&path)).unwrap_or_default();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{path}: {line}");
        }
    }
}

#[test]
fn the_long_help_has_all_sections() {
    for tool in all_tools() {
        let help = output(tool, &["--help"]);
        let adds = if [
            "ngram-profile",
            "report-runs",
            "concordance",
            "corpus-export",
            "corpus-report",
            "draw-documents",
            "simulate-run",
            "topic-profile",
        ]
        .contains(&tool)
        {
            "WRITES"
        } else {
            "ADDS"
        };
        let mut from = 0;
        for section in [
            "READS",
            adds,
            "MEMORY AND TIME",
            "EXIT STATUS",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            let at = help[from..].find(&format!("\n{section}\n"));
            from +=
                at.unwrap_or_else(|| panic!("{tool} --help: no {section}, or in the wrong order"));
        }
        let examples = &help[help.find("\nEXAMPLES\n").unwrap()..];
        assert!(
            examples.contains(&format!("{tool} ")),
            "{tool} --help: no example of the tool"
        );
    }
}

#[test]
fn examples_of_man_pages_fit_a_terminal_of_80_columns() {
    const MARGIN: usize = 7;
    for tool in all_tools() {
        let mut is_kept = false;
        for line in output(tool, &["--generate", "man"]).lines() {
            is_kept = if line.starts_with('.') {
                line == ".nf"
            } else {
                is_kept
            };
            let shown = line
                .replace("\\(aq", "'")
                .replace("\\-", "-")
                .replace("\\\\", "\\");
            let width = shown.chars().count();
            assert!(
                !is_kept || width + MARGIN <= 80,
                "{tool}.1: {} too wide: {shown}",
                width + MARGIN - 80
            );
        }
    }
}

#[test]
fn the_short_help_is_shorter_and_names_the_defaults() {
    for tool in all_tools() {
        let short = output(tool, &["-h"]);
        let long = output(tool, &["--help"]);
        assert!(short.len() < long.len(), "{tool}");
        let shown = options_with_defaults(&short);
        let all = options_with_defaults(&long);
        for (option, has_default) in shown {
            // A description may name another option and its default.
            assert!(
                !has_default || all.get(&option) == Some(&true),
                "{tool}: the default of {option} is in one help only"
            );
        }
    }
}

/// Returns the options that a help lists, and whether it names their defaults.
fn options_with_defaults(help: &str) -> BTreeMap<String, bool> {
    let mut options = BTreeMap::new();
    let mut option = String::new();
    for line in help.lines() {
        let name = line.split_whitespace().find(|word| word.starts_with("--"));
        // A wrapped description, which is further to the right, may begin with another option.
        let starts = line.trim_start().starts_with('-') && !line.starts_with(&" ".repeat(12));
        if let Some(name) = name.filter(|_| starts) {
            option = name.to_owned();
        }
        let has_default = options.entry(option.clone()).or_default();
        // The default may be wrapped.
        *has_default |= line.contains("[default:");
    }
    options.remove("");
    options
}

#[test]
fn the_version_names_the_schema_of_the_records() {
    for tool in all_tools() {
        let version = output(tool, &["--version"]);
        assert_eq!(
            version,
            format!("{tool} {} (records 4)\n", env!("CARGO_PKG_VERSION"))
        );
    }
}

#[test]
fn pipelines_have_man_pages_and_short_messages_of_their_version() {
    for name in PIPELINES {
        let ask = |args: &[&str]| {
            let command = pipeline_command(name, args);
            run_command(command, "").expect_exit(0).stdout
        };
        for line in ask(&["--help"]).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let version = format!("{name} {} (records 4)\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(ask(&["--version"]), version);
        let page = ask(&["--generate", "man"]);
        assert_headings_differ(name, &page);
        assert_has_all_options(&page, &ask(&["--help"]));
        assert_file_is_current(&format!("man/{name}.1"), &page);
        assert!(
            ask(&["--generate", "bash"]).contains("--resume")
                != ["cluster", "dedup-at-scale", "review"].contains(&name)
        );
    }
    let page = output("run-steps", &["--generate", "man"]);
    assert_file_is_current("man/run-steps.1", &page);
}

/// Asserts that each option of a help is an entry of the man page, or is named there and an entry
/// of forage(7).
#[track_caller]
fn assert_has_all_options(page: &str, help: &str) {
    let page = page.replace("\\-", "-");
    let common = page.split(".SH \"COMMON OPTIONS\"").nth(1).unwrap();
    let common = common.split("\n.SH").next().unwrap();
    let tour = fs::read_to_string(project_root().join("man/forage.7")).unwrap();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    // The sections after the options may show others.
    let is_section =
        |line: &str| !line.contains([' ', ':']) && line.len() > 1 && line == line.to_uppercase();
    let lines = help.lines().take_while(|line| !is_section(line));
    let lines = lines.filter(|line| matches!(indentation(line), 2 | 6));
    let options = lines.filter_map(|line| {
        line.split([' ', '[', '.'])
            .find(|word| word.starts_with("--"))
    });
    for name in options.filter(|name| name.len() > 2) {
        let is_entry = page.contains(&format!("\\fB{name}\\fR"));
        let is_common =
            common.contains(&format!("{name}:")) || common.contains(&format!("{name},"));
        let is_described = tour.contains(&format!("Fl {}", &name[1..]));
        assert!(is_entry || is_common && is_described, "{name}: {page}");
    }
}

/// Asserts that a man page has no section twice.
#[track_caller]
fn assert_headings_differ(name: &str, page: &str) {
    let headings: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with(".SH "))
        .collect();
    for (at, heading) in headings.iter().enumerate() {
        assert!(!headings[..at].contains(heading), "{name}: {heading} twice");
    }
}

#[test]
fn an_unknown_format_is_refused() {
    let refused = run_tool("langid", ["--generate", "poem"], "").expect_exit(2);
    assert!(
        refused
            .stderr
            .contains("--generate takes man, bash, zsh or fish"),
        "{}",
        refused.stderr
    );
}
