//! The pages on the experiments of the papers, docs/experiments: their findings, numbers, verdicts and
//! figures are those of the report that `tests/lab/report` writes from the stored results.
//!
//! A page has two tables. One has findings by id (`| id | finding | left | right | verdict |`), the
//! other the number of verdicts in each section of the report (`| section | confirmed | ... |`).
//! `UPDATE=1 cargo test -p forage-tests --test programs papers` completes rows of which only the first cell is
//! written, and writes current numbers, verdicts and figures.

use forage_tests::{project_root, run_command, temp_folder, tool_folder, tool_path};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The pages, and the report of each.
const PAGES: [(&str, &str); 4] = [
    ("corpusbuilder", "learned-queries"),
    ("autocor", "learned-queries"),
    ("special-domain", "special-domain"),
    ("focused-crawl", "focused-crawl"),
];
/// Number of words that a page may have.
const MAX_WORDS: usize = 1500;

/// The findings of a report.
#[derive(Default)]
struct Report {
    /// The finding, its left and right side and its verdict, by id.
    findings: BTreeMap<String, [String; 4]>,
    /// The heading of each section and the number of its verdicts of each kind, by number.
    sections: BTreeMap<String, (String, BTreeMap<String, usize>)>,
}

/// Returns the cells of a row of a table, or nothing if the line is none.
fn row_cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("| ")?.strip_suffix('|')?;
    Some(row.split(" |").map(str::trim).collect())
}

impl Report {
    fn read(path: &Path) -> Report {
        let text = fs::read_to_string(path).unwrap();
        let mut report = Report::default();
        let mut heading = "";
        let mut columns: Vec<&str> = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("### ") {
                heading = title;
            }
            let cells = row_cells(line).unwrap_or_default();
            match cells.first() {
                Some(&"id") => columns = cells,
                Some(id) if columns.first() == Some(&"id") => {
                    let cell = |name: &str| {
                        let at = columns.iter().position(|column| *column == name).unwrap();
                        cells[at].to_owned()
                    };
                    let finding = ["finding", "left", "right", "verdict"].map(cell);
                    let section = id.split('.').next().unwrap().to_owned();
                    let (_, verdicts) = report
                        .sections
                        .entry(section)
                        .or_insert_with(|| (heading.to_owned(), BTreeMap::new()));
                    let verdict = finding[3].trim_matches('*').to_owned();
                    *verdicts.entry(verdict).or_default() += 1;
                    report.findings.insert((*id).to_owned(), finding);
                }
                _ if !line.starts_with('|') => columns.clear(),
                _ => {}
            }
        }
        assert!(!report.findings.is_empty(), "{}", path.display());
        report
    }

    /// Returns the row of a finding on a page.
    fn finding_row(&self, id: &str) -> String {
        let finding = self.findings.get(id);
        let finding = finding.unwrap_or_else(|| panic!("there is no finding {id}"));
        format!("| {id} | {} |", finding.join(" | "))
    }

    /// Returns the row of a section on a page with the given kinds of verdicts.
    fn section_row(&self, cell: &str, kinds: &[&str]) -> String {
        let number = cell.split('.').next().unwrap();
        let section = self.sections.get(number);
        let (heading, verdicts) = section.unwrap_or_else(|| panic!("there is no section {number}"));
        let unknown = verdicts.keys().find(|kind| !kinds.contains(&kind.as_str()));
        assert_eq!(unknown, None, "the table has no column for a verdict");
        let counts = kinds.iter().map(|kind| verdicts.get(*kind).unwrap_or(&0));
        counts.fold(format!("| {number}. {heading} |"), |row, count| {
            format!("{row} {count} |")
        })
    }
}

/// Returns a page with current rows, and adds the sections that it has to `sections`.
fn current_page(page: &str, report: &Report, sections: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut columns: Vec<&str> = Vec::new();
    for line in page.lines() {
        let cells = row_cells(line).unwrap_or_default();
        let row = match (columns.first(), cells.first()) {
            (_, Some(&("id" | "section"))) => {
                columns = cells;
                line.to_owned()
            }
            (Some(&"id"), Some(id)) => report.finding_row(id),
            (Some(&"section"), Some(cell)) => {
                sections.push(cell.split('.').next().unwrap().to_owned());
                report.section_row(cell, &columns[1..])
            }
            _ => {
                if !line.starts_with('|') {
                    columns.clear();
                }
                line.to_owned()
            }
        };
        text += &(row + "\n");
    }
    text
}

#[test]
fn the_pages_have_the_findings_verdicts_and_figures_of_the_report() {
    let is_update = std::env::var_os("UPDATE").is_some();
    let dir = temp_folder();
    let reports = dir.path();
    tool_path("report-runs");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(tool_folder()).chain(std::env::split_paths(&path)))
            .unwrap();
    let mut command = Command::new(project_root().join("tests/lab/report"));
    command.arg(reports).env("PATH", path);
    run_command(command, "").expect_exit(0);

    let docs = project_root().join("docs/experiments");
    let mut sections: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut shown_figures = BTreeSet::new();
    for (name, report_name) in PAGES {
        let report = Report::read(&reports.join(report_name).with_extension("md"));
        let file = docs.join(name).with_extension("md");
        let page = fs::read_to_string(&file).unwrap();
        let of_report = sections.entry(report_name).or_default();
        let current = current_page(&page, &report, of_report);
        if is_update {
            fs::write(&file, &current).unwrap();
        } else {
            let differs = page.lines().zip(current.lines()).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{name}.md: written and current row");
        }
        let words = current.split_whitespace().count();
        assert!(words <= MAX_WORDS, "{name}.md has {words} words");
        let figures = current.split("](").skip(1);
        shown_figures.extend(
            figures
                .filter_map(|rest| rest.split(')').next())
                .filter(|target| target.ends_with(".svg"))
                .map(str::to_owned),
        );
    }
    for (report_name, mut shown) in sections {
        let report = Report::read(&reports.join(report_name).with_extension("md"));
        shown.sort();
        let all: Vec<String> = report.sections.into_keys().collect();
        assert_eq!(shown, all, "the sections of {report_name} on its pages");
    }
    for name in &shown_figures {
        let figure = fs::read_to_string(reports.join("figures").join(name)).unwrap();
        if is_update {
            fs::write(docs.join(name), &figure).unwrap();
        }
        let shown = fs::read_to_string(docs.join(name)).unwrap();
        assert!(figure == shown, "docs/experiments/{name} is stale");
    }
    let names = fs::read_dir(&docs).unwrap();
    let stored: BTreeSet<String> = names
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.ends_with(".svg"))
        .collect();
    assert_eq!(stored, shown_figures, "the figures in docs/experiments");
}
