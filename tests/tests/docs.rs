//! Runs the commands in README.md, docs/guide, tests/lab/README.md and forage(7), and compares their output with that
//! shown.
//!
//! In Markdown, a block ```` ```sh ```` is run, and a block ```` ```text ```` after it is its
//! output. In the man page, a display contains commands after `$ ` with their output below. The
//! blocks of a document run in order, in a copy of the folder that `make demo` creates, or in the
//! folder that an earlier block has changed to. Commands
//! that need the network, a program that may not be installed, or Cargo are marked `no-run`, and
//! listed here. `UPDATE=1` writes the current output to the documents.

use forage_tests::{
    ToolOutput, all_tools, project_root, run_command, temp_folder, tool_folder, tool_path,
};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The blocks that are not run: their document and first line.
const NOT_RUN: &[(&str, &str)] = &[
    ("README.md", CORPUS_BUILDER),
    (
        "README.md",
        "special-domain --sample article.html --engine gdelt: --engine mediawiki:https://en.wikinews.org \\",
    ),
    (
        "README.md",
        "fetch-extract --contact me@example.org --urls urls.txt | dedup | langid > documents.jsonl",
    ),
    (
        "README.md",
        "git clone --depth 1 https://example.org/forage && cd forage    # 41 MB; with its history, 180",
    ),
    ("README.md", "demo-web | search --engine index:web --add"),
    (
        "README.md",
        "python3 -m venv v && . v/bin/activate && pip install ./forage_*.whl   # for Python, too: python/README.md",
    ),
    ("README.md", "make demo"),
    ("docs/guide/README.md", "make demo && make"),
    (
        "docs/guide/cluster.md",
        "cluster --on parallel --in 'shards/*.jsonl.zst' --out slovenian -- \\",
    ),
    (
        "docs/guide/cluster.md",
        "cluster --on slurm --in 'slovenian/*' --out counted -- \\",
    ),
    ("docs/guide/cluster.md", "mkdir -p parts state"),
    (
        "docs/guide/cluster.md",
        r#"duckdb -c "COPY (SELECT url, text FROM 'fineweb/000.parquet') TO STDOUT (FORMAT json)" | zstd > shards/000.jsonl.zst"#,
    ),
    (
        "docs/guide/downloading.md",
        "export FORAGE_CONTACT=me@example.org",
    ),
    (
        "docs/guide/every-week.md",
        "sites --resume run --refresh 6d",
    ),
    (
        "docs/guide/files.md",
        "fetch-extract --contact me@example.org --urls urls.txt |",
    ),
    (
        "docs/guide/files.md",
        "fetch-extract --contact me@example.org --urls urls.txt | langid > pages.jsonl",
    ),
    (
        "docs/guide/focused-crawl.md",
        "review quakes --share 0.2 --rejected 0.1",
    ),
    (
        "docs/guide/language-identification.md",
        "parallel --pipe --keep-order langid < docs.jsonl > labelled.jsonl",
    ),
    ("docs/guide/living-web.md", CORPUS_BUILDER),
    ("docs/guide/living-web.md", "searxng up"),
    ("docs/guide/own-loop.md", "while IFS= read -r record; do"),
    ("docs/guide/results.md", "review slovenian"),
    (
        "docs/guide/scale.md",
        "tests/bench/scale/measure.py    # CPU time between four sizes",
    ),
    (
        "docs/guide/site.md",
        "sites --target slv --sites https://news.example.org sites.txt --contact me@example.org --out run",
    ),
    (
        "docs/guide/site.md",
        "echo '{\"query\": {\"include\": [], \"exclude\": []}}' |",
    ),
    (
        "docs/guide/special-domain.md",
        "special-domain --sample article.html --out gold --calls 500 --contact me@example.org --rules news \\",
    ),
    (
        "docs/guide/words.md",
        "make dictionary                           # from Debian's package mecab-ipadic, without root",
    ),
    (LAB, "make demo && make lab"),
];
/// The page on the laboratory.
const LAB: &str = "tests/lab/README.md";
/// The first line of the command that collects from the living web.
const CORPUS_BUILDER: &str =
    "corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --init hrv=hrv.txt \\";

/// A command in a document.
#[derive(Debug, PartialEq)]
struct CommandBlock {
    script: String,
    /// The lines of the document that show its output; `None` if it shows none.
    output: Option<Range<usize>>,
    is_run: bool,
}

#[test]
fn readme_shows_current_output() {
    check_document("README.md", parse_markdown, str::to_owned);
}

#[test]
fn the_tour_shows_current_output() {
    check_document("man/forage.7", parse_mdoc, |line| {
        let line = line.replace('\\', "\\e");
        if line.starts_with(['.', '\'']) {
            format!("\\&{line}")
        } else {
            line
        }
    });
}

#[test]
fn the_guide_shows_current_output() {
    for page in guide_pages() {
        check_document(&page, parse_markdown, str::to_owned);
    }
}

#[test]
fn the_page_on_the_laboratory_shows_current_output() {
    check_document(LAB, parse_markdown, str::to_owned);
}

#[test]
fn blocks_that_are_not_run_are_listed() {
    let mut not_run = Vec::new();
    for document in markdown_documents()
        .into_iter()
        .chain(["man/forage.7".to_owned()])
    {
        let text = fs::read_to_string(project_root().join(&document)).unwrap();
        let blocks = if document.ends_with(".md") {
            parse_markdown(&text)
        } else {
            parse_mdoc(&text)
        };
        for block in blocks.into_iter().filter(|block| !block.is_run) {
            let first_line = block.script.lines().next().unwrap_or_default().to_owned();
            not_run.push((document.clone(), first_line));
        }
    }
    let expected = NOT_RUN
        .iter()
        .map(|&(document, line)| (document.to_owned(), line.to_owned()));
    assert_eq!(not_run, expected.collect::<Vec<_>>());
}

#[test]
fn links_refer_to_existing_files() {
    let root = project_root();
    let other_documents = [
        "ARCHITECTURE.md",
        "BENCHMARKS.md",
        "CONTRIBUTING.md",
        "docs/algorithms.md",
        "docs/experiments/autocor.md",
        "docs/experiments/corpusbuilder.md",
        "docs/experiments/focused-crawl.md",
        "docs/experiments/special-domain.md",
    ];
    for document in markdown_documents()
        .into_iter()
        .chain(other_documents.map(str::to_owned))
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
    for page in guide_pages()
        .iter()
        .filter(|page| !page.ends_with("/README.md"))
    {
        let name = page.rsplit('/').next().unwrap();
        assert!(readme.contains(&format!("]({page})")), "README.md: {page}");
        assert!(
            index.contains(&format!("]({name})")),
            "docs/guide/README.md: {name}"
        );
    }
}

/// Returns the pages of the guide, sorted by name.
fn guide_pages() -> Vec<String> {
    let mut pages: Vec<String> = fs::read_dir(project_root().join("docs/guide"))
        .unwrap()
        .map(|entry| format!("docs/guide/{}", entry.unwrap().file_name().display()))
        .collect();
    pages.sort();
    pages
}

/// Returns README.md, the pages of the guide, and the page on the laboratory.
fn markdown_documents() -> Vec<String> {
    let mut documents = vec!["README.md".to_owned()];
    documents.extend(guide_pages());
    documents.push(LAB.to_owned());
    documents
}

/// The transcript of `make demo` is an excerpt, in which `...` replaces omitted lines.
#[test]
fn the_transcript_is_an_excerpt_of_the_demo() {
    let text = fs::read_to_string(project_root().join("README.md")).unwrap();
    let block = parse_markdown(&text)
        .into_iter()
        .find(|block| block.script == "make demo\n")
        .unwrap();
    let Range { start, end } = block.output.unwrap();
    let shown = text.lines().take(end).skip(start);
    let stderr = &demo().1;
    let mut lines = stderr.lines();
    for line in shown.filter(|line| *line != "...") {
        assert!(
            lines.any(|other| other == line),
            "missing or in another position: {line}\n{stderr}"
        );
    }
}

/// Runs the blocks of a document and compares their output with what is shown.
fn check_document(
    document: &str,
    parse_blocks: fn(&str) -> Vec<CommandBlock>,
    escape_line: fn(&str) -> String,
) {
    let path = project_root().join(document);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let folder = demo_folder();
    let demo = folder.path().join("target/demo");
    let _server = ServerOfDocument(demo.join("focused-crawl/web.pid"));
    let mut working_folder = demo;
    let mut updated = String::new();
    let mut copied = 0;
    for block in parse_blocks(&text).into_iter().filter(|block| block.is_run) {
        let output = run_block(&block.script, &mut working_folder);
        assert_eq!(
            output.exit_code, 0,
            "{document}: {}\n{}{}",
            block.script, output.stdout, output.stderr
        );
        if let Some(shown) = block.output {
            append_lines(&lines[copied..shown.start], &mut updated);
            copied = shown.end;
            let output_lines: Vec<String> =
                output.stdout.trim_end().lines().map(escape_line).collect();
            append_lines(&output_lines, &mut updated);
        }
    }
    append_lines(&lines[copied..], &mut updated);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, updated).unwrap();
    } else if updated != text {
        let differs = |(a, b): &(&str, &str)| a != b;
        let (current, shown) = updated
            .lines()
            .zip(text.lines())
            .find(differs)
            .unwrap_or_default();
        panic!("{document} is stale; update it with UPDATE=1\nshown:  {shown}\noutput: {current}");
    }
}

/// The server that a document starts, and ends with its last block. This ends it after a failed
/// block, too. The document writes the process id to the file, and removes it at the end.
struct ServerOfDocument(PathBuf);

impl Drop for ServerOfDocument {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(&self.0) {
            // If it cannot be run, the server stays, but the result of the test is the same.
            let _ = Command::new("kill").arg(pid.trim()).status();
        }
    }
}

fn append_lines(lines: &[impl AsRef<str>], to: &mut String) {
    for line in lines {
        writeln!(to, "{}", line.as_ref()).unwrap();
    }
}

/// Copies the folder of the demo.
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
        let stderr = run_demo(&folder);
        (folder, stderr)
    })
}

/// Runs the commands of `make demo`, and returns its standard error.
fn run_demo(folder: &Path) -> String {
    let demo = folder.join("target/demo");
    fs::create_dir_all(&demo).unwrap();
    let make = "demo-web | search --engine index:web --add
        for l in slv $(demo-web contrast slv); do demo-web seed $l > $l.txt; done";
    run_shell(make, &demo).expect_exit(0);
    let run = "corpus-builder --target slv --engine index:target/demo/web \
        --init slv=target/demo/slv.txt --init eng=target/demo/eng.txt \
        --init ces=target/demo/ces.txt --init hrv=target/demo/hrv.txt \
        --init srp=target/demo/srp.txt --docs 60 --out target/demo/slovenian";
    run_shell(run, folder).expect_exit(0).stderr
}

/// Runs a block, and sets the folder in which it ends, where the next one of the document begins.
fn run_block(script: &str, folder: &mut PathBuf) -> ToolOutput {
    let end = temp_folder();
    let end = end.path().join("folder");
    let output = run_shell(&format!("{script}\npwd > '{}'\n", end.display()), folder);
    if let Ok(path) = fs::read_to_string(&end) {
        *folder = path.trim_end().into();
    }
    output
}

/// Runs a bash script with the tools and pipelines in PATH.
fn run_shell(script: &str, folder: &Path) -> ToolOutput {
    for tool in all_tools().chain(["demo-web"]) {
        tool_path(tool);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let scripts = ["pipelines", "tests/lab"].map(|folder| project_root().join(folder));
    let folders = std::iter::once(tool_folder()).chain(scripts);
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-eu", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8");
    run_command(bash, "")
}

/// Returns the command blocks of a Markdown document.
fn parse_markdown(text: &str) -> Vec<CommandBlock> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks: Vec<CommandBlock> = Vec::new();
    let mut index = 0;
    let mut after_script = false;
    while index < lines.len() {
        let Some(info) = lines[index].strip_prefix("```") else {
            after_script &= lines[index].is_empty();
            index += 1;
            continue;
        };
        let start = index + 1;
        let end = start
            + lines[start..]
                .iter()
                .position(|line| *line == "```")
                .expect("the end of the block");
        let mut words = info.split_whitespace();
        let is_script = words.next() == Some("sh");
        if is_script {
            let script = lines[start..end]
                .iter()
                .fold(String::new(), |script, line| script + line + "\n");
            blocks.push(CommandBlock {
                script,
                output: None,
                is_run: !words.any(|word| word == "no-run"),
            });
        } else if after_script && let Some(block) = blocks.last_mut() {
            block.output = Some(start..end);
        }
        after_script = is_script;
        index = end + 1;
    }
    blocks
}

/// Returns the commands of a man page.
fn parse_mdoc(text: &str) -> Vec<CommandBlock> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks: Vec<CommandBlock> = Vec::new();
    let mut is_run = true;
    let mut in_display = false;
    let mut is_continued = false;
    for (index, line) in lines.iter().enumerate() {
        match *line {
            ".\\\" no-run" => is_run = false,
            _ if line.starts_with(".Bd -literal") => in_display = true,
            ".Ed" => (in_display, is_run) = (false, true),
            _ if !in_display => {}
            _ if line.starts_with("$ ") || is_continued => {
                let command_line = unescape_mdoc(line);
                is_continued = command_line.ends_with(['\\', '|']);
                match command_line.strip_prefix("$ ") {
                    Some(command) => {
                        blocks.push(CommandBlock {
                            script: format!("{command}\n"),
                            output: Some(index + 1..index + 1),
                            is_run,
                        });
                    }
                    None => {
                        let block = blocks.last_mut().expect("the start of the command");
                        block.script += &format!("{command_line}\n");
                        block.output = Some(index + 1..index + 1);
                    }
                }
            }
            _ => {
                if let Some(output) = blocks.last_mut().and_then(|block| block.output.as_mut()) {
                    output.end = index + 1;
                }
            }
        }
    }
    blocks
}

/// Returns a line of a display as it is printed.
fn unescape_mdoc(line: &str) -> String {
    line.replace("\\&", "")
        .replace("\\(aq", "'")
        .replace("\\(ga", "`")
        .replace("\\e", "\\")
}
