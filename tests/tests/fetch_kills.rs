//! fetch-extract killed at arbitrary moments and restarted with --resume. The requests that the
//! server received show whether pages were lost or fetched twice.

use forage_tests::archives::{extract_archive, warc_page};
use forage_tests::events::{Gate, restore_sigint_for_children, wait_for};
use forage_tests::server::{HostRequest, HostResponse, HostServer, html, status};
use forage_tests::{run_bash, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const HOSTS: usize = 40;
const PAGES: usize = 12;
const KILLS: usize = 8;

/// Starts a server whose pages wait at a gate, so that the tool can be killed in the middle. Pages
/// of some hosts wait for others, so that pages do not finish in the order of the input.
fn start_server() -> (HostServer, Arc<Gate>) {
    let gate = Arc::<Gate>::default();
    let page_gate = gate.clone();
    let server = HostServer::start(move |host, path| {
        if path == "/robots.txt" {
            return status(404);
        }
        page_gate.wait_behind(if host.starts_with("h1") { 3 } else { 0 });
        html(format!(
            "<title>Potok</title><p>Stran {path} na {host} pripoveduje o potoku, ki teče skozi vas."
        ))
    });
    (server, gate)
}

/// Formats URLs as input records.
fn to_lines(urls: &[String]) -> String {
    urls.iter()
        .map(|url| format!("{{\"url\":\"{url}\"}}\n"))
        .collect()
}

fn all_urls() -> Vec<String> {
    (0..PAGES)
        .flat_map(|page| (0..HOSTS).map(move |host| format!("http://h{host}.test/{page}")))
        .collect()
}

/// Returns the URLs of all complete records.
fn written_urls(out: &Path) -> Vec<String> {
    let text = fs::read_to_string(out).unwrap_or_default();
    let complete_lines = text.rfind('\n').map_or("", |end| &text[..end]);
    let records = complete_lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

/// Counts the requests for each page, from request number `start`.
fn count_page_requests(server: &HostServer, start: usize) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    for request in server
        .requests()
        .into_iter()
        .skip(start)
        .filter(|request| request.path != "/robots.txt")
    {
        *counts
            .entry(format!("http://{}{}", request.host, request.path))
            .or_default() += 1;
    }
    counts
}

/// Returns the records of all complete pages in the archive, by URL.
fn read_archive(archive: &Path) -> HashMap<String, Value> {
    if !archive.exists() {
        return HashMap::new();
    }
    // For a truncated archive, the tool writes all complete records, and exits with 2.
    let records = run_tool(
        "fetch-extract",
        ["--from-warc".as_ref(), archive.as_os_str()],
        "",
    )
    .records();
    records
        .into_iter()
        .map(|record| (record["url"].as_str().unwrap().to_owned(), record))
        .collect()
}

/// Returns the command of a run that resumes `out`.
fn resume_command(server: &HostServer, urls: &Path, out: &Path, archive: &Path) -> Command {
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args([
            "--connect-to",
            &server.address.to_string(),
            "--delay",
            "0",
            "--jobs",
            "16",
            "--warc",
        ])
        .arg(archive);
    command
        .arg("--resume")
        .arg(out)
        .stdin(File::open(urls).unwrap());
    command
}

/// Runs the command to its end, or kills it as soon as the condition holds. Returns `true` if it
/// succeeded.
fn run_or_kill(
    mut command: Command,
    out: &Path,
    kill_condition: Option<impl FnMut() -> bool>,
) -> bool {
    let out_file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(out)
        .unwrap();
    let mut child = command.stdout(out_file).spawn().unwrap();
    if let Some(kill_condition) = kill_condition {
        wait_for("the moment of the kill", kill_condition);
        child.kill().unwrap();
    }
    child.wait().unwrap().success()
}

#[test]
fn kills_lose_no_url_and_repeat_no_written_or_archived_page() {
    let (server, gate) = start_server();
    let dir = temp_folder();
    let [input, out, archive] =
        ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
    let urls = all_urls();
    fs::write(&input, to_lines(&urls)).unwrap();
    for kill in 0..=KILLS {
        let written_before = written_urls(&out);
        let start = server.requests().len();
        let archived_before = read_archive(&archive);
        assert_eq!(
            written_before,
            urls[..written_before.len()],
            "the output is a prefix of the input"
        );
        // The kill comes after a pseudo-random number of page requests. The gate admits some more,
        // so that the tool is killed at full speed, but never all, so that the kill is not too
        // late.
        let pages_before_kill = 1 + kill * 7919 % 31;
        gate.admit(pages_before_kill + 20);
        if kill == KILLS {
            gate.open();
        }
        let is_kill_time = || count_page_requests(&server, start).len() >= pages_before_kill;
        let command = resume_command(&server, &input, &out, &archive);
        assert_eq!(
            run_or_kill(command, &out, (kill < KILLS).then_some(is_kill_time)),
            kill == KILLS
        );
        // Waits for the requests that were on their way during the kill.
        gate.open();
        server.wait_until_idle();
        let page_requests = count_page_requests(&server, start);
        let written_before = written_before.into_iter().collect::<HashSet<_>>();
        let repeated: Vec<&String> = page_requests
            .keys()
            .filter(|url| written_before.contains(*url) || archived_before.contains_key(*url))
            .collect();
        assert!(
            repeated.is_empty(),
            "run {kill} repeated requests for {repeated:?}"
        );
        assert!(
            page_requests.values().all(|&count| count == 1),
            "run {kill}: {page_requests:?}"
        );
    }
    assert_eq!(written_urls(&out), urls);
    let page_requests = count_page_requests(&server, 0);
    assert!(
        urls.iter().all(|url| page_requests.contains_key(url)) && page_requests.len() == urls.len()
    );

    // The archive has each page once, at the location in its record.
    let archive_records = read_archive(&archive);
    assert_eq!(archive_records.len(), urls.len());
    for line in fs::read_to_string(&out).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            archive_records.get(record["url"].as_str().unwrap()),
            Some(&record)
        );
    }
}

#[test]
fn a_signal_writes_finished_records_and_reports_how_to_resume() {
    restore_sigint_for_children();
    for (signal, exit_code) in [("-INT", 130), ("-TERM", 143)] {
        let (server, gate) = start_server();
        let dir = temp_folder();
        let urls = all_urls();
        let [input, out, archive] =
            ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
        fs::write(&input, to_lines(&urls)).unwrap();
        // Fewer than all pages, so that the tool cannot end before the signal.
        gate.admit(100);
        let mut interrupted = resume_command(&server, &input, &out, &archive);
        let mut child = interrupted
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child_stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        child_stdout.read_line(&mut text).unwrap();
        let kill_status = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(kill_status.success());
        child_stdout.read_to_string(&mut text).unwrap();
        fs::write(&out, &text).unwrap();
        let child_output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(child_output.stderr).unwrap();
        assert_eq!(child_output.status.code(), Some(exit_code), "{stderr}");
        let records = text.lines().count();
        assert!(
            text.ends_with('\n') && records < urls.len() && written_urls(&out) == urls[..records]
        );
        let s = if records == 1 { "" } else { "s" };
        let advice = "records that were not written can be fetched again";
        let (start_message, end_message) = stderr.split_once('\n').unwrap();
        assert!(
            start_message.ends_with("out.jsonl: does not exist yet; all records will be processed"),
            "{stderr}"
        );
        assert_eq!(
            end_message,
            format!("fetch-extract: interrupted after {records} record{s}; {advice}\n")
        );
        // The archive is complete, and may contain pages whose records were not written.
        let archive_records = run_tool(
            "fetch-extract",
            ["--from-warc".as_ref(), archive.as_os_str()],
            "",
        )
        .expect_exit(0)
        .records();
        assert!(archive_records.len() >= records);
        gate.open();
        assert!(run_or_kill(
            resume_command(&server, &input, &out, &archive),
            &out,
            None::<fn() -> bool>
        ));
        assert_eq!(written_urls(&out), urls);
    }
}

#[test]
fn the_reading_of_an_archive_is_resumed_where_the_output_ends() {
    let dir = temp_folder();
    let archive = dir.path().join("a.warc");
    // Some URLs occur twice, with different pages.
    let pages = (0..9).map(|n| {
        let body = format!("<p>Stran {n} pripoveduje o potoku, ki teče skozi vas.</p>");
        warc_page(&format!("http://a.test/{}", n % 7), "", body.as_bytes())
    });
    std::fs::write(&archive, pages.collect::<Vec<_>>().concat()).unwrap();
    let whole = extract_archive(&archive, &[]).expect_exit(0).stdout;
    assert_eq!(whole.lines().count(), 9);
    let out = dir.path().join("out.jsonl");
    for length in (0..=whole.len()).step_by(101).chain([whole.len()]) {
        // As after a kill: the last line may be cut.
        std::fs::write(&out, &whole.as_bytes()[..length]).unwrap();
        let args = ["--resume", out.to_str().unwrap()];
        let rest = extract_archive(&archive, &args).expect_exit(0).stdout;
        let kept = whole.as_bytes()[..length].iter().rposition(|&b| b == b'\n');
        let kept = kept.map_or("", |end| &whole[..=end]);
        assert!(kept.to_owned() + &rest == whole, "{length}: {rest}");
    }
}

#[test]
fn an_archived_page_is_not_fetched_again_on_resume() {
    let dir = temp_folder();
    let [first, second, out] =
        ["first.warc.gz", "second.warc.gz", "out.jsonl"].map(|name| dir.path().join(name));
    let [one, two, out_path] = [&first, &second, &out].map(|path| path.to_str().unwrap());
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        _ => {
            let name = path.trim_end_matches(char::is_numeric);
            let page = format!("<p>Stran {name} pripoveduje o potoku.</p>").repeat(100);
            let headers = "Content-Type: text/html\r\nETag: \"v1\"\r\n";
            HostResponse::Complete(200, headers.into(), page.into_bytes())
        }
    });
    let urls = [
        "http://a.test/1",
        "http://a.test/same1",
        "http://c.test/same2",
        "http://a.test/1",
    ];
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    server.fetch(&["--warc", one], lines.clone()).expect_exit(0);
    // The output file must be older than the records of the run.
    std::fs::write(&out, "").unwrap();
    let args = ["--earlier", one, "--warc", two];
    let output = server.fetch(&args, lines.clone()).expect_exit(0);
    let records = output.records();
    assert!(
        records
            .iter()
            .all(|record| record["fetch"]["unchanged"] == true),
        "{records:?}"
    );
    let requests = server.requests();
    let is_conditional = |request: &&HostRequest| {
        request
            .header_block
            .to_lowercase()
            .contains("if-none-match: \"v1\"")
    };
    assert_eq!(
        requests.iter().filter(is_conditional).count(),
        3,
        "also for revisit records"
    );

    // Simulates a kill after the first record.
    std::fs::write(&out, output.stdout.split_inclusive('\n').next().unwrap()).unwrap();
    let resumed = server
        .fetch(&[&args[..], &["--resume", out_path]].concat(), lines)
        .expect_exit(0);
    assert_eq!(server.requests().len(), requests.len());
    assert_eq!(resumed.records(), records[1..]);
}

#[test]
fn an_unwritable_archive_stops_the_run_without_losing_urls() {
    let dir = temp_folder();
    let [archive, out, urls] =
        ["pages.warc.gz", "out.jsonl", "urls.jsonl"].map(|name| dir.path().join(name));
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        path => html(format!("<title>Potok</title><p>Stran {}", path.repeat(300))),
    });
    let lines: String = (0..40)
        .map(|n| format!("{{\"url\":\"http://h{n}.test/{n}\"}}\n"))
        .collect();
    std::fs::write(&urls, &lines).unwrap();
    // A limit on the file size simulates a full disk. The shell ignores its signal.
    let resume_with_limit = |limit: &str| {
        let paths = [&archive, &out, &urls].map(|path| path.display().to_string());
        let [archive, out, urls] = paths.each_ref().map(String::as_str);
        let options = format!(
            "--connect-to {} --delay 0 --warc {archive} --resume {out}",
            server.address
        );
        run_bash(
            &format!("trap '' XFSZ; ({limit}; fetch-extract {options} < {urls}) | cat >> {out}"),
            "",
        )
    };
    let output = resume_with_limit("ulimit -f 8").expect_exit(2);
    assert!(
        output.stderr.contains("the archive cannot be written"),
        "{}",
        output.stderr
    );
    resume_with_limit("true").expect_exit(0);
    let text = std::fs::read_to_string(&out).unwrap();
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        records.len() == 40 && records.iter().all(|record| record["text"].is_string()),
        "{text}"
    );
    assert!(
        extract_archive(&archive, &[])
            .expect_exit(0)
            .records()
            .len()
            >= 40
    );
}
