//! `take-down`: what was removed is in no file of a run, and does not come back.

use forage_tests::closed_web::{
    new_run_command, pipeline_command, read_journal, resume_command, run_pipeline,
};
use forage_tests::events::{running_processes, wait_for};
use forage_tests::open_web::OpenWeb;
use forage_tests::{
    ToolOutput, copy_folder, project_root, run_bash, run_command, run_tool, temp_folder,
};
use serde_json::Value;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs `corpus-builder` on a web on loopback, for so many documents.
fn collect(out: &Path, docs: &str) -> OpenWeb {
    let web = OpenWeb::start();
    let args = web.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let more = ["--docs", docs, "--include", "or:3", "--quiet"];
    run_pipeline(new_run_command(out, &[&args[..], &more].concat())).expect_exit(0);
    web
}

/// Returns the command `take-down` with the tools and pipelines in its PATH.
fn take_down(args: &[&str]) -> Command {
    let pipeline = pipeline_command("corpus-builder", &[]);
    let path = pipeline
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then_some(value));
    let pipelines = project_root().join("pipelines");
    let path = std::env::join_paths(
        std::iter::once(pipelines).chain(std::env::split_paths(path.unwrap().unwrap())),
    )
    .unwrap();
    let mut command = Command::new(forage_tests::tool_path("take-down"));
    command.args(args).env("PATH", path);
    command
}

fn run_take_down(args: &[&str]) -> ToolOutput {
    run_command(take_down(args), "")
}

fn corpus(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("corpus/slv.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn string<'a>(record: &'a Value, key: &str) -> &'a str {
    record[key].as_str().unwrap()
}

/// Returns words in the middle of a document, which no other one has.
fn sentence(document: &Value, corpus: &[Value]) -> String {
    let words: Vec<&str> = string(document, "text").split_whitespace().collect();
    let count = |sentence: &String| {
        let texts = corpus.iter().map(|other| string(other, "text"));
        texts
            .filter(|text| text.contains(sentence.as_str()))
            .count()
    };
    let mut sentences = words.windows(5).map(|words| words.join(" "));
    sentences
        .find(|sentence| count(sentence) == 1)
        .expect("a sentence of its own")
}

/// Returns the files of a folder that have a text, as they are or decompressed.
fn files_with(folder: &Path, text: &str) -> String {
    let script = format!(
        r#"cd '{}' && find . -type f | sort | while IFS= read -r file; do
          {{ cat "$file"; gzip -dcq <"$file" 2>/dev/null
            [[ $file != *report-texts* ]] || grep -aoE '[A-Za-z0-9+/]{{60,}}={{0,2}}' "$file" |
              while IFS= read -r part; do base64 -d <<<"$part" | gzip -dcq; done
          }} | grep -aF -- '{text}' >/dev/null && echo "$file"
        done; true"#,
        folder.display()
    );
    run_bash(&script, "").expect_exit(0).stdout
}

#[test]
fn a_removed_document_is_in_no_file_and_never_comes_back() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    let web = collect(&run, "12");
    let before = corpus(&run);
    let (document, others) = (&before[2], before.len() - 1);
    let (url, sentence) = (string(document, "url"), sentence(document, &before));
    let files = files_with(&run, &sentence);
    for file in [
        "journal.jsonl",
        "pages.warc.gz",
        "corpus/slv.txt",
        "report-texts",
    ] {
        assert!(files.contains(file), "{file}: {files}");
    }
    let name = run.to_str().unwrap();
    let output = run_take_down(&[name, "--url", url, "--reason", "the publisher asks"]);
    let stderr = output.expect_exit(0).stderr;
    assert!(stderr.contains("1 document removed"), "{stderr}");
    assert_eq!(files_with(&run, &sentence), "");
    assert_eq!(corpus(&run).len(), others);
    let list = fs::read_to_string(run.join("taken-down.jsonl")).unwrap();
    assert!(
        list.contains(url) && list.contains("the publisher asks"),
        "{list}"
    );
    for file in ["report.html", "report.json", "stats.db", "seen.db"] {
        assert!(run.join(file).exists(), "{file}");
    }
    // The archive has all other pages, where the records say.
    let archive = run.join("pages.warc.gz");
    let args = ["--from-warc", archive.to_str().unwrap(), "--quiet"];
    let pages = run_tool("fetch-extract", args, "").expect_exit(0).records();
    let place = |record: &Value| {
        let fetch = &record["fetch"];
        (
            fetch["url"].to_string(),
            fetch["warc"]["offset"].to_string(),
        )
    };
    let pages: Vec<_> = pages.iter().map(place).collect();
    let kept = corpus(&run);
    assert!(kept.iter().all(|record| pages.contains(&place(record))));
    assert!(pages.iter().all(|(page, _)| !page.contains(url)));

    let asked = web.server.requests().len();
    run_pipeline(resume_command(&run, &["--docs", "20", "--quiet"])).expect_exit(0);
    let requests = web.server.requests();
    assert!(requests.len() > asked);
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let host = url.split('/').nth(2).unwrap();
    let is_page = |request: &forage_tests::engine_server::EngineRequest| {
        let mut headers = request.headers.iter();
        request.target == format!("/{path}")
            && headers.any(|(name, value)| name == "host" && value.starts_with(host))
    };
    assert!(!requests[asked..].iter().any(is_page));
    assert_eq!(files_with(&run, &sentence), "");
    assert!(corpus(&run).len() > others);
    assert!(
        corpus(&run)
            .iter()
            .all(|record| string(record, "url") != url)
    );
}

#[test]
fn documents_are_named_by_host_id_and_list() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    let _web = collect(&run, "10");
    let before = corpus(&run);
    let name = run.to_str().unwrap();
    let list = dir.path().join("list.txt");
    fs::write(&list, format!("{}\n", string(&before[3], "url"))).unwrap();
    let host = string(&before[1], "url").split('/').nth(2).unwrap();
    for (option, value, document) in [
        ("--host", host, &before[1]),
        ("--id", string(&before[2], "id"), &before[2]),
        ("--file", list.to_str().unwrap(), &before[3]),
    ] {
        let sentence = sentence(document, &before);
        run_take_down(&[name, option, value, "--quiet"]).expect_exit(0);
        assert_eq!(files_with(&run, &sentence), "", "{option}");
    }
    let hosts = |run: &Path| {
        let hosts = corpus(run).into_iter();
        hosts
            .filter(|record| string(record, "url").contains(&format!("//{host}/")))
            .count()
    };
    assert_eq!(hosts(&run), 0);
    // Another run, whose owner is given the list.
    let other = dir.path().join("other");
    let _web = collect(&other, "10");
    let given = run.join("taken-down.jsonl");
    run_take_down(&[other.to_str().unwrap(), "--file", given.to_str().unwrap()]).expect_exit(0);
    let sentence = sentence(&before[2], &before);
    assert_eq!(files_with(&other, &sentence), "");
    let urls = |run: &Path| -> Vec<String> {
        corpus(run)
            .iter()
            .map(|record| string(record, "url").into())
            .collect()
    };
    assert_eq!(urls(&other), urls(&run));
    let reason = |run: &Path| fs::read_to_string(run.join("taken-down.jsonl")).unwrap();
    assert!(reason(&other).contains(string(&before[2], "id")));
}

#[test]
fn exports_of_several_runs_and_later_runs_leave_it_out() {
    let dir = temp_folder();
    let [run, old, later] = ["run", "old", "later"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&run, &["--docs", "8", "--quiet"])).expect_exit(0);
    copy_folder(&run, &old);
    let before = corpus(&run);
    let url = string(&before[0], "url");
    // Not from the index of all tests.
    let conf = fs::read_to_string(run.join("run.conf")).unwrap();
    let conf: Vec<&str> = conf.lines().collect();
    let index = conf
        .iter()
        .find_map(|line| line.strip_prefix("engine=index:"))
        .unwrap();
    let own = dir.path().join("index");
    copy_folder(Path::new(index), &own);
    let engine = format!("index:{}", own.display());
    let changed: String = conf
        .iter()
        .map(|line| {
            line.replace(
                &format!("engine=index:{index}"),
                &format!("engine={engine}"),
            ) + "\n"
        })
        .collect();
    fs::write(run.join("run.conf"), changed).unwrap();
    run_take_down(&[run.to_str().unwrap(), "--url", url, "--quiet"]).expect_exit(0);
    let dump = run_tool("search", ["--engine", &engine, "--dump"], "")
        .expect_exit(0)
        .stdout;
    assert!(!dump.contains(&format!("\"{url}\"")) && dump.contains(string(&before[1], "url")));
    let args = [
        "--format",
        "jsonl",
        "--out",
        "-",
        old.to_str().unwrap(),
        run.to_str().unwrap(),
    ];
    let exported = run_tool("corpus-export", args, "").expect_exit(0).records();
    assert_eq!(exported.len(), before.len() - 1);
    let known = ["--known", run.to_str().unwrap(), "--docs", "20", "--quiet"];
    run_pipeline(new_run_command(&later, &known)).expect_exit(0);
    assert!(
        corpus(&later)
            .iter()
            .all(|record| string(record, "url") != url)
    );
    let journal = read_journal(&later);
    assert!(
        journal
            .iter()
            .all(|record| record["text"] != before[0]["text"])
    );
}

/// A kill at any moment leaves a run that the next command finishes.
#[test]
fn a_killed_removal_is_finished_by_the_next_command() {
    let dir = temp_folder();
    let [run, copy] = ["run", "copy"].map(|name| dir.path().join(name));
    let web = collect(&run, "8");
    let before = corpus(&run);
    let (url, sentence) = (string(&before[2], "url"), sentence(&before[2], &before));
    copy_folder(&run, &copy);
    let name = copy.to_str().unwrap();
    let start = Instant::now();
    run_take_down(&[name, "--url", url, "--quiet"]).expect_exit(0);
    let duration = start.elapsed();
    let mut unfinished = 0;
    for kill in 0..20_u32 {
        copy_folder(&run, &copy);
        // Most kills are in the part before the state is rebuilt.
        let delay = duration.mul_f64(f64::from(kill * kill) / 400.0);
        run_until_kill(take_down(&[name, "--url", url, "--quiet"]), delay);
        let pending = fs::metadata(copy.join("take-down.pending"));
        let is_pending = pending.is_ok_and(|file| file.len() > 0);
        unfinished += usize::from(is_pending);
        if is_pending && kill % 2 == 0 {
            // No tool reads a run that is half done.
            let args = ["--format", "jsonl", "--out", "-", name];
            let stderr = run_tool("corpus-export", args, "").expect_exit(2).stderr;
            assert!(stderr.contains("take-down"), "{stderr}");
            run_pipeline(resume_command(&copy, &["--docs", "8", "--quiet"])).expect_exit(0);
        } else {
            run_take_down(&[name, "--url", url, "--quiet"]).expect_exit(0);
            assert_eq!(corpus(&copy).len(), before.len() - 1, "kill {kill}");
        }
        assert_eq!(files_with(&copy, &sentence), "", "kill {kill}");
        assert!(
            corpus(&copy)
                .iter()
                .all(|record| string(record, "url") != url)
        );
    }
    eprintln!("{unfinished} of 20 kills were before the end of the removal");
    drop(web);
}

/// Starts a command in its own process group, and kills the group after `delay`.
fn run_until_kill(mut command: Command, delay: Duration) {
    let silenced = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = silenced.process_group(0).spawn().unwrap();
    std::thread::sleep(delay);
    let group = child.id();
    let _ = Command::new("kill")
        .args(["-9", "--", &format!("-{group}")])
        .stderr(Stdio::null())
        .status();
    child.wait().unwrap();
    wait_for("the end of all processes", || {
        running_processes(group).is_empty()
    });
}

#[test]
fn what_is_no_request_is_refused() {
    let dir = temp_folder();
    let none = dir.path().to_str().unwrap();
    let refused = |args: &[&str]| run_take_down(args).expect_exit(2).stderr;
    assert!(refused(&[none, "--id", "x"]).contains("is not the folder of a run"));
    let run: PathBuf = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    for file in ["run.conf", "journal.jsonl"] {
        fs::write(run.join(file), "").unwrap();
    }
    let run = run.to_str().unwrap();
    assert!(refused(&[run]).contains("nothing is to be finished"));
    assert!(refused(&[run, "--url", "article"]).contains("--url article: is no URL"));
    assert!(refused(&[run, "--host", "a/b"]).contains("--host"));
    assert!(!dir.path().join("run/take-down.pending").exists());
}

#[test]
fn documents_are_removed_from_an_index_and_a_duplicate_index() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let engine = format!("index:{}", path("index"));
    let records = r#"{"url":"http://a.test/","id":"a","text":"prvi dokument o lepem dnevu"}
{"url":"http://b.test/","id":"b","text":"drugi dokument o lepem dnevu"}
"#;
    run_tool("search", ["--engine", &engine, "--add"], records).expect_exit(0);
    let removed = run_tool("search", ["--engine", &engine, "--remove"], r#"{"id":"a"}"#);
    assert!(removed.expect_exit(0).stderr.contains("1 document removed"));
    let query = r#"{"query":{"include":["dokument"]}}"#;
    let hits = run_tool("search", ["--engine", &engine, "--top", "5"], query);
    let hits = hits.expect_exit(0).records();
    assert!(
        hits.len() == 1 && hits[0]["url"] == "http://b.test/",
        "{hits:?}"
    );
    assert_eq!(files_with(Path::new(&path("index")), "prvi"), "");
    let rest = r#"{"url":"http://b.test/"}"#;
    run_tool("search", ["--engine", &engine, "--remove"], rest).expect_exit(0);
    let dump = run_tool("search", ["--engine", &engine, "--dump"], "").expect_exit(0);
    assert_eq!(dump.stdout, "");

    let index = path("seen.db");
    run_tool("dedup", ["--index", &index], records).expect_exit(0);
    let removed = run_tool("dedup", ["--index", &index, "--remove"], r#"{"id":"a"}"#);
    assert!(
        removed
            .expect_exit(0)
            .stderr
            .contains("1 of 1 document removed")
    );
    let again = run_tool("dedup", ["--index", &index], records).expect_exit(0);
    let status: Vec<Value> = again
        .records()
        .iter()
        .map(|record| record["dedup"]["status"].clone())
        .collect();
    assert_eq!(status, ["new", "exact"]);
}
