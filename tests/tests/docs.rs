//! The commands of README.md, docs/guide and forage(7) are run, and their output must be the output
//! shown.
//!
//! In Markdown a block ```` ```sh ```` is run, and a block ```` ```text ```` that follows it is
//! its output; in the man page a display holds commands after `$ ` with their output below. Blocks
//! of a document run in order, in one folder as `make demo` leaves it. What needs the outside (the
//! network, an installed search engine, Cargo) is marked `no-run`, and named here. `UPDATE=1` puts
//! what comes out into the documents.

use forage_tests::{
    TOOLS, ToolOutput, project_root, run_command, temp_folder, tool_folder, tool_path,
};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The blocks that are not run: their document and first line.
const NOT_RUN: [(&str, &str); 8] = [
    (
        "README.md",
        "make demo    # builds the tools and collects 60 documents",
    ),
    ("README.md", CORPUS_BUILDER),
    ("README.md", "make demo"),
    ("README.md", "make install PREFIX=$HOME/.local"),
    ("docs/guide/README.md", "make demo && make"),
    (
        "docs/guide/downloading.md",
        "export FORAGE_CONTACT=me@example.org",
    ),
    (
        "docs/guide/language-identification.md",
        "parallel --pipe --keep-order langid < docs.jsonl > labelled.jsonl",
    ),
    ("docs/guide/living-web.md", CORPUS_BUILDER),
];
/// The first line of the command that collects from the living web.
const CORPUS_BUILDER: &str =
    "corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --init hrv=hrv.txt \\";

/// A piece of a document that a reader may type.
#[derive(Debug, PartialEq)]
struct Block {
    script: String,
    /// The lines of the document that show its output; `None` if it shows none.
    output: Option<Range<usize>>,
    is_run: bool,
}

#[test]
fn readme_is_true() {
    check("README.md", markdown, str::to_owned);
}

#[test]
fn the_tour_is_true() {
    check("man/forage.7", mdoc, |line| {
        let line = line.replace('\\', "\\e");
        if line.starts_with(['.', '\'']) {
            format!("\\&{line}")
        } else {
            line
        }
    });
}

#[test]
fn guide_is_true() {
    for page in guide() {
        check(&page, markdown, str::to_owned);
    }
}

#[test]
fn blocks_that_are_not_run_are_named() {
    let mut not_run = Vec::new();
    for document in markdown_documents()
        .into_iter()
        .chain(["man/forage.7".to_owned()])
    {
        let text = fs::read_to_string(project_root().join(&document)).unwrap();
        let blocks = if document.ends_with(".md") {
            markdown(&text)
        } else {
            mdoc(&text)
        };
        for block in blocks.into_iter().filter(|block| !block.is_run) {
            let first_line = block.script.lines().next().unwrap_or_default().to_owned();
            not_run.push((document.clone(), first_line));
        }
    }
    let expected = NOT_RUN.map(|(document, line)| (document.to_owned(), line.to_owned()));
    assert_eq!(not_run, expected);
}

#[test]
fn links_lead_to_files() {
    let root = project_root();
    let more = [
        "ARCHITECTURE.md",
        "BENCHMARKS.md",
        "CONTRIBUTING.md",
        "docs/algorithms.md",
    ];
    for document in markdown_documents()
        .into_iter()
        .chain(more.map(str::to_owned))
    {
        let text = fs::read_to_string(root.join(&document)).unwrap();
        let folder = root.join(&document).parent().unwrap().to_owned();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = target.split('#').next().unwrap_or_default();
            let is_local = !file.is_empty() && !file.contains("://");
            assert!(
                !is_local || folder.join(file).exists(),
                "{document}: link to {target}, which does not exist"
            );
        }
    }
}

#[test]
fn readme_and_guide_list_every_page() {
    let [readme, index] = ["README.md", "docs/guide/README.md"]
        .map(|document| fs::read_to_string(project_root().join(document)).unwrap());
    for page in guide().iter().filter(|page| !page.ends_with("/README.md")) {
        let name = page.rsplit('/').next().unwrap();
        assert!(readme.contains(&format!("]({page})")), "README.md: {page}");
        assert!(
            index.contains(&format!("]({name})")),
            "docs/guide/README.md: {name}"
        );
    }
}

/// The pages of the guide, sorted by name.
fn guide() -> Vec<String> {
    let mut pages: Vec<String> = fs::read_dir(project_root().join("docs/guide"))
        .unwrap()
        .map(|entry| format!("docs/guide/{}", entry.unwrap().file_name().display()))
        .collect();
    pages.sort();
    pages
}

/// README.md and the pages of the guide.
fn markdown_documents() -> Vec<String> {
    let mut documents = vec!["README.md".to_owned()];
    documents.extend(guide());
    documents
}

/// The transcript of `make demo` is an excerpt: `...` stands for lines that are left out.
#[test]
fn the_transcript_is_that_of_the_demo() {
    let text = fs::read_to_string(project_root().join("README.md")).unwrap();
    let block = markdown(&text)
        .into_iter()
        .find(|block| block.script == "make demo\n")
        .unwrap();
    let Range { start, end } = block.output.unwrap();
    let shown = text.lines().take(end).skip(start);
    let said = &demo().1;
    let mut lines = said.lines();
    for line in shown.filter(|line| *line != "...") {
        assert!(
            lines.any(|said| said == line),
            "not said, or not at this place: {line}\n{said}"
        );
    }
}

/// Runs the blocks of a document and compares their output with what is shown.
fn check(document: &str, blocks: fn(&str) -> Vec<Block>, written: fn(&str) -> String) {
    let path = project_root().join(document);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let folder = demo_folder();
    let mut found = String::new();
    let mut copied = 0;
    for block in blocks(&text).into_iter().filter(|block| block.is_run) {
        let done = shell(&block.script, &folder.path().join("target/demo"));
        assert_eq!(
            done.exit_code, 0,
            "{document}: {}\n{}{}",
            block.script, done.stdout, done.stderr
        );
        if let Some(output) = block.output {
            copy(&lines[copied..output.start], &mut found);
            copied = output.end;
            let came: Vec<String> = done.stdout.trim_end().lines().map(written).collect();
            copy(&came, &mut found);
        }
    }
    copy(&lines[copied..], &mut found);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, found).unwrap();
    } else if found != text {
        let differs = |(is, should): &(&str, &str)| is != should;
        let (comes, shown) = found
            .lines()
            .zip(text.lines())
            .find(differs)
            .unwrap_or_default();
        panic!("{document} is stale; UPDATE=1 mends it\nshows: {shown}\ncomes: {comes}");
    }
}

fn copy(lines: &[impl AsRef<str>], to: &mut String) {
    for line in lines {
        writeln!(to, "{}", line.as_ref()).unwrap();
    }
}

/// A folder of one's own as `make demo` leaves it.
fn demo_folder() -> TempDir {
    let folder = temp_folder();
    let copied = Command::new("cp")
        .arg("-R")
        .arg(demo().0.join("target"))
        .arg(folder.path())
        .status();
    assert!(copied.unwrap().success());
    folder
}

/// Returns the folder of the demo and its standard error. The demo is run once.
fn demo() -> &'static (PathBuf, String) {
    static DEMO: OnceLock<(PathBuf, String)> = OnceLock::new();
    DEMO.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
        fs::remove_dir_all(&folder).unwrap_or_default();
        let said = run_demo(&folder);
        (folder, said)
    })
}

/// Does what `make demo` does, and gives what it says.
fn run_demo(folder: &Path) -> String {
    let demo = folder.join("target/demo");
    fs::create_dir_all(&demo).unwrap();
    let make = "demo-web | search --engine index:web --add
        for l in slv eng ces hrv srp; do demo-web seed $l > $l.txt; done";
    shell(make, &demo).expect_exit(0);
    let run = "corpus-builder --target slv --engine index:target/demo/web \
        --init slv=target/demo/slv.txt --init eng=target/demo/eng.txt \
        --init ces=target/demo/ces.txt --init hrv=target/demo/hrv.txt \
        --init srp=target/demo/srp.txt --docs 60 --out target/demo/slovenian";
    shell(run, folder).expect_exit(0).stderr
}

/// Runs a piece of shell with tools and pipelines on the path.
fn shell(script: &str, folder: &Path) -> ToolOutput {
    for tool in TOOLS.iter().chain(&["demo-web"]) {
        tool_path(tool);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let ours = [tool_folder(), project_root().join("pipelines")];
    let path = std::env::join_paths(ours.into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-eu", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8");
    run_command(bash, "")
}

/// The blocks of a Markdown document.
fn markdown(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    let mut after_script = false;
    while at < lines.len() {
        let Some(info) = lines[at].strip_prefix("```") else {
            after_script &= lines[at].is_empty();
            at += 1;
            continue;
        };
        let start = at + 1;
        let end = start
            + lines[start..]
                .iter()
                .position(|line| *line == "```")
                .expect("a block ends");
        let mut words = info.split_whitespace();
        let is_script = words.next() == Some("sh");
        if is_script {
            let script = lines[start..end]
                .iter()
                .fold(String::new(), |script, line| script + line + "\n");
            blocks.push(Block {
                script,
                output: None,
                is_run: !words.any(|word| word == "no-run"),
            });
        } else if after_script && let Some(block) = blocks.last_mut() {
            block.output = Some(start..end);
        }
        after_script = is_script;
        at = end + 1;
    }
    blocks
}

/// The commands of a man page.
fn mdoc(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_run = true;
    let mut in_display = false;
    let mut goes_on = false;
    for (at, line) in lines.iter().enumerate() {
        match *line {
            ".\\\" no-run" => is_run = false,
            _ if line.starts_with(".Bd -literal") => in_display = true,
            ".Ed" => (in_display, is_run) = (false, true),
            _ if !in_display => {}
            _ if line.starts_with("$ ") || goes_on => {
                let read = plain(line);
                goes_on = read.ends_with(['\\', '|']);
                match read.strip_prefix("$ ") {
                    Some(command) => {
                        blocks.push(Block {
                            script: format!("{command}\n"),
                            output: Some(at + 1..at + 1),
                            is_run,
                        });
                    }
                    None => {
                        let block = blocks.last_mut().expect("a command that goes on has begun");
                        block.script += &format!("{read}\n");
                        block.output = Some(at + 1..at + 1);
                    }
                }
            }
            _ => {
                if let Some(output) = blocks.last_mut().and_then(|block| block.output.as_mut()) {
                    output.end = at + 1;
                }
            }
        }
    }
    blocks
}

/// A line of a display as it is printed.
fn plain(line: &str) -> String {
    line.replace("\\&", "")
        .replace("\\(aq", "'")
        .replace("\\(ga", "`")
        .replace("\\e", "\\")
}
