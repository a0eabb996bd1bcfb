//! What is generated from the definitions of the arguments: man pages, which are under version
//! control for review, completions and help texts.
//!
//! After a change of arguments, run `UPDATE=1 cargo test -p forage-tests --test generated` and
//! review the diff.

use forage_tests::{TOOLS, all_tools, assert_file_is_current, project_root, run_command, run_tool};
use std::process::Command;

fn output(tool: &str, args: &[&str]) -> String {
    run_tool(tool, args, "").expect_exit(0).stdout
}

#[test]
fn man_pages_are_current() {
    for tool in TOOLS {
        let page = output(tool, &["--generate", "man"]);
        assert_headings_differ(tool, &page);
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

#[test]
fn the_long_help_has_all_sections() {
    for tool in all_tools() {
        let help = output(tool, &["--help"]);
        let adds = if [
            "ngram-profile",
            "report-runs",
            "corpus-export",
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
        // The default may be wrapped.
        let defaults = |help: &str| {
            help.split_whitespace()
                .filter(|word| *word == "[default:")
                .count()
        };
        assert_eq!(
            defaults(&short),
            defaults(&long),
            "{tool}: a default is in one help only"
        );
    }
}

#[test]
fn the_version_names_the_schema_of_the_records() {
    for tool in all_tools() {
        let version = output(tool, &["--version"]);
        assert_eq!(
            version,
            format!("{tool} {} (records 3)\n", env!("CARGO_PKG_VERSION"))
        );
    }
}

#[test]
fn the_man_page_of_a_pipeline_is_its_help() {
    for name in [
        "autocor",
        "corpus-builder",
        "focused-crawl",
        "review",
        "special-domain",
    ] {
        let ask = |flag: &str| {
            let mut command = Command::new(project_root().join("pipelines").join(name));
            command.arg(flag);
            run_command(command, "").expect_exit(0).stdout
        };
        let help = ask("--help");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert_eq!(
            ask("--version"),
            format!("{name} {}\n", env!("CARGO_PKG_VERSION"))
        );
        let page = page_of_help(name, &help);
        assert_headings_differ(name, &page);
        assert!(!page.contains("\nExit: "), "{name}");
        assert_file_is_current(&format!("man/{name}.1"), &page);
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

/// Converts a help text to a man page. Its blocks are separated by blank lines: the description,
/// the indented usage, lists of options under headings, closing paragraphs, and an indented
/// example.
fn page_of_help(name: &str, help: &str) -> String {
    let escape = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(
        ".TH {} 1 \"\" \"Forage {version}\" Forage\n.SH NAME\n{name} \\- ",
        name.to_uppercase()
    );
    // Paragraphs of one section are joined, wherever they are in the help.
    let mut sections: Vec<(String, String)> = Vec::new();
    for (at, block) in help.trim_end().split("\n\n").enumerate() {
        let (heading, body) = match (at, block.split_once('\n')) {
            (0, _) => (None, escape(block)),
            (1, _) => (
                Some("SYNOPSIS".into()),
                format!(".nf\n{}\n.fi", escape(block)),
            ),
            (_, Some((heading, options))) if options.starts_with("  -") => (
                Some(escape(&heading.to_uppercase())),
                option_list(&escape(options)),
            ),
            _ if block.starts_with(' ') => (
                Some("EXAMPLE".into()),
                format!(".nf\n{}\n.fi", escape(block)),
            ),
            // The introduction of an example.
            _ if block.ends_with(':') => (Some("EXAMPLE".into()), escape(block)),
            _ if block.starts_with("Exit: ") => {
                (Some("EXIT STATUS".into()), exit_list(&escape(block)))
            }
            _ if block.split(' ').nth(1) == Some("holds") => (Some("FILES".into()), escape(block)),
            _ => (Some("NOTES".into()), escape(block)),
        };
        let Some(heading) = heading else {
            page += &format!("{body}\n");
            continue;
        };
        match sections.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, paragraphs)) => *paragraphs += &format!(".PP\n{body}\n"),
            None => sections.push((heading, format!("{body}\n"))),
        }
    }
    for (heading, body) in sections {
        page += &format!(".SH {heading}\n{body}");
    }
    page + ".SH SEE ALSO\n.BR forage (7),\n.BR gen\\-query (1),\n.BR update\\-stats (1)\n"
}

/// Converts a paragraph such as "Exit: 0 the run ended; 2 it could not run." to a list, and one
/// without codes to a sentence.
fn exit_list(paragraph: &str) -> String {
    let sentence = paragraph.replace('\n', " ");
    let sentence = sentence.trim_start_matches("Exit: ");
    if !sentence.starts_with(|c: char| c.is_ascii_digit()) {
        let (first, rest) = sentence.split_at(1);
        return first.to_uppercase() + rest;
    }
    let entry = |entry: &str| {
        let (code, meaning) = entry.split_once(' ').expect("a code and its meaning");
        assert!(code.parse::<u8>().is_ok(), "{entry}");
        format!(".TP\n\\fB{code}\\fR\n{meaning}\n")
    };
    let list: String = sentence
        .trim_end_matches('.')
        .split("; ")
        .map(entry)
        .collect();
    list.trim_end().to_owned()
}

/// Converts a list of options. Each is followed by two or more spaces and its description, which
/// may continue on indented lines.
fn option_list(options: &str) -> String {
    let line = |line: &str| match line.trim_start().split_once("  ") {
        Some((option, text)) => format!(".TP\n\\fB{option}\\fR\n{}\n", text.trim_start()),
        None if line.starts_with("  \\-") => format!(".TP\n\\fB{}\\fR\n", line.trim_start()),
        // A line that begins with a quotation mark or a dot would be a request.
        None if line.trim_start().starts_with(['\'', '.']) => format!("\\&{}\n", line.trim_start()),
        None => format!("{}\n", line.trim_start()),
    };
    options
        .lines()
        .map(line)
        .collect::<String>()
        .trim_end()
        .to_owned()
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
