//! fetch-extract killed at any moment and started again with --resume, held against what the server
//! saw.

use forage_tests::events::{Gate, restore_sigint_for_children, wait_for};
use forage_tests::server::{HostServer, html, status};
use forage_tests::{run_tool, temp_folder, tool_path};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const HOSTS: usize = 40;
const PAGES: usize = 12;
const KILLS: usize = 8;

/// A server, and the gate that its pages pass, so that there is a middle to be killed in. Those of
/// some hosts stay behind others, and so are not done in the order of the input.
fn server() -> (HostServer, Arc<Gate>) {
    let gate = Arc::<Gate>::default();
    let held = gate.clone();
    let server = HostServer::start(move |host, path| {
        if path == "/robots.txt" {
            return status(404);
        }
        held.wait_behind(if host.starts_with("h1") { 3 } else { 0 });
        html(format!(
            "<title>Potok</title><p>Stran {path} na {host} pripoveduje o potoku, ki teče skozi vas."
        ))
    });
    (server, gate)
}

/// The input of URLs.
fn lines(urls: &[String]) -> String {
    urls.iter()
        .map(|url| format!("{{\"url\":\"{url}\"}}\n"))
        .collect()
}

fn urls() -> Vec<String> {
    (0..PAGES)
        .flat_map(|page| (0..HOSTS).map(move |host| format!("http://h{host}.test/{page}")))
        .collect()
}

/// The URLs of the records that are whole.
fn written(out: &Path) -> Vec<String> {
    let text = fs::read_to_string(out).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let records = whole
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

/// How often each page was asked for in the requests from `start` on.
fn asked(server: &HostServer, start: usize) -> HashMap<String, u32> {
    let mut asked = HashMap::new();
    for seen in server
        .requests()
        .into_iter()
        .skip(start)
        .filter(|seen| seen.path != "/robots.txt")
    {
        *asked
            .entry(format!("http://{}{}", seen.host, seen.path))
            .or_default() += 1;
    }
    asked
}

/// The records of the pages that the archive holds whole, by URL.
fn archived(archive: &Path) -> HashMap<String, Value> {
    if !archive.exists() {
        return HashMap::new();
    }
    // Of an archive that breaks off, all records before that are there, and exit code 2.
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

/// The tool with this input, what was written and the archive.
fn command(server: &HostServer, urls: &Path, out: &Path, archive: &Path) -> Command {
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

/// Runs it until it ends, or until `moment`, when it is killed. Whether it ended well.
fn go_on(mut command: Command, out: &Path, moment: Option<impl FnMut() -> bool>) -> bool {
    let to = OpenOptions::new()
        .create(true)
        .append(true)
        .open(out)
        .unwrap();
    let mut child = command.stdout(to).spawn().unwrap();
    if let Some(moment) = moment {
        wait_for("it is time for the kill", moment);
        child.kill().unwrap();
    }
    child.wait().unwrap().success()
}

#[test]
fn no_url_is_lost_and_none_fetched_again_that_is_written_or_archived() {
    let ((server, gate), dir) = (server(), temp_folder());
    let [input, out, archive] =
        ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
    let urls = urls();
    fs::write(&input, lines(&urls)).unwrap();
    for kill in 0..=KILLS {
        let (done, start) = (written(&out), server.requests().len());
        let archived = archived(&archive);
        assert_eq!(
            done,
            urls[..done.len()],
            "what is written is the beginning of the input, in its order"
        );
        // Moments that are spread: when so many pages were asked for. The gate lets some more
        // through, so that the kill comes at full speed, and never all of them, so that it doesn't
        // come too late.
        let moment = 1 + kill * 7919 % 31;
        gate.admit(moment + 20);
        if kill == KILLS {
            gate.open();
        }
        let has_come = || asked(&server, start).len() >= moment;
        let command = command(&server, &input, &out, &archive);
        assert_eq!(
            go_on(command, &out, (kill < KILLS).then_some(has_come)),
            kill == KILLS
        );
        // What was on its way to the server when the tool was killed.
        gate.open();
        server.wait_until_idle();
        let (asked, done) = (
            asked(&server, start),
            done.into_iter().collect::<HashSet<_>>(),
        );
        let again: Vec<&String> = asked
            .keys()
            .filter(|url| done.contains(*url) || archived.contains_key(*url))
            .collect();
        assert!(again.is_empty(), "run {kill} asked again for {again:?}");
        assert!(
            asked.values().all(|&times| times == 1),
            "run {kill}: {asked:?}"
        );
    }
    assert_eq!(written(&out), urls);
    let asked = asked(&server, 0);
    assert!(urls.iter().all(|url| asked.contains_key(url)) && asked.len() == urls.len());

    // Each record lies in the archive where it says, and that holds each page once.
    let kept = archived(&archive);
    assert_eq!(kept.len(), urls.len());
    for line in fs::read_to_string(&out).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(kept.get(record["url"].as_str().unwrap()), Some(&record));
    }
}

#[test]
fn a_signal_lets_out_what_is_done_and_tells_how_to_go_on() {
    restore_sigint_for_children();
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let ((server, gate), dir, urls) = (server(), temp_folder(), urls());
        let [input, out, archive] =
            ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
        fs::write(&input, lines(&urls)).unwrap();
        // Not all pages: it can't end before the signal comes.
        gate.admit(100);
        let mut interrupted = command(&server, &input, &out, &archive);
        let mut child = interrupted
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut from, mut text) = (BufReader::new(child.stdout.take().unwrap()), String::new());
        from.read_line(&mut text).unwrap();
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        from.read_to_string(&mut text).unwrap();
        fs::write(&out, &text).unwrap();
        let done = child.wait_with_output().unwrap();
        let told = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{told}");
        let records = text.lines().count();
        assert!(text.ends_with('\n') && records < urls.len() && written(&out) == urls[..records]);
        let s = if records == 1 { "" } else { "s" };
        let how = "records that were not written can be fetched again";
        let (begun, ended) = told.split_once('\n').unwrap();
        assert!(
            begun.ends_with("out.jsonl: does not exist yet; all records will be processed"),
            "{told}"
        );
        assert_eq!(
            ended,
            format!("fetch-extract: interrupted after {records} record{s}; {how}\n")
        );
        // The archive is whole, and holds more than what is written, maybe.
        let kept = run_tool(
            "fetch-extract",
            ["--from-warc".as_ref(), archive.as_os_str()],
            "",
        )
        .expect_exit(0)
        .records();
        assert!(kept.len() >= records);
        gate.open();
        assert!(go_on(
            command(&server, &input, &out, &archive),
            &out,
            None::<fn() -> bool>
        ));
        assert_eq!(written(&out), urls);
    }
}
