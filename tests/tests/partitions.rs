//! A crawl in partitions: the script and the loop of docs/guide/cluster.md on the web of demo-web,
//! compared with a crawl by one process; and the division of a list by `fetch-extract --partition`.

use forage_tests::closed_web::run_demo_web;
use forage_tests::linked_web::LinkedWeb;
use forage_tests::server::{HostRequest, HostResponse, HostServer, html, redirect, status};
use forage_tests::{
    ToolOutput, pipeline_path, project_root, run_bash, run_tool, temp_folder, tool_folder,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// The pause between two requests to a host. Half of it is tested: the host store keeps times in
/// milliseconds of another clock.
const DELAY: Duration = Duration::from_millis(20);

/// The web of demo-web, behind a server that keeps the requests. The calendar has an end.
struct DemoWeb {
    _web: LinkedWeb,
    server: HostServer,
}

impl DemoWeb {
    fn start() -> DemoWeb {
        let web = LinkedWeb::start();
        let address = web.address.clone();
        let server = HostServer::start(move |host, path| {
            if path.starts_with("/calendar/") && !path.starts_with("/calendar/2026/") {
                return status(404);
            }
            HostResponse::Raw(pass_on(&address, host, path))
        });
        DemoWeb { _web: web, server }
    }

    /// Returns the requests for pages by their URLs.
    fn pages(&self) -> BTreeMap<String, usize> {
        let mut pages = BTreeMap::new();
        for HostRequest { host, path, .. } in self.server.requests() {
            if path != "/robots.txt" {
                *pages.entry(format!("http://{host}{path}")).or_default() += 1;
            }
        }
        pages
    }
}

/// Returns the response of another server.
fn pass_on(address: &str, host: &str, path: &str) -> Vec<u8> {
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    connection.read_to_end(&mut response).unwrap();
    response
}

/// Runs the tasks of a round at the same time, each in a process group of its own.
const ENGINE: &str = r#"#!/usr/bin/env bash
for ((part = 0; part < ${*: -1}; part++)); do setsid --wait "$@" "$part" & done
wait
"#;

/// The folder of a crawl, with the files of the guide.
struct Crawl(tempfile::TempDir);

impl Crawl {
    /// Writes the files of a crawl of a web. In the round `killed` of the partitions 2 and 7, the
    /// task is killed when two pages have been written.
    fn new(web: &DemoWeb, killed: usize) -> Crawl {
        let crawl = Crawl(temp_folder());
        let guide = fs::read_to_string(project_root().join("docs/guide/cluster.md")).unwrap();
        let section = guide.split("## A crawl in partitions").nth(1).unwrap();
        let block = |language: &str| {
            let start = section.split(&format!("```{language}\n")).nth(1).unwrap();
            start.split("```").next().unwrap().to_owned()
        };
        let seeds: String = run_demo_web(&["linked", "seeds"])
            .lines()
            .map(|url| format!("{}\n", json!({ "url": url })))
            .collect();
        crawl.write("seeds.jsonl", &seeds);
        crawl.write("crawl-round", &block("bash"));
        crawl.write("loop", &block("sh no-run").replace("slurm", "./engine"));
        crawl.write("engine", ENGINE);
        fs::create_dir(crawl.path().join("bin")).unwrap();
        let fetch = format!(
            r#"#!/usr/bin/env bash
fetch=(fetch-extract "$@" --connect-to {} --delay {} --contact "partition-${{SHARD-0}}@a.test")
PATH=${{PATH#*:}}
echo >>"runs-${{SHARD-0}}"
if [[ ,2,7, == *,${{SHARD-0}},* && $(wc -l <"runs-$SHARD") == {killed} ]]; then
  "${{fetch[@]}}" | (head -n 2; kill -9 0)
fi
exec "${{fetch[@]}}"
"#,
            web.server.address,
            DELAY.as_secs_f64(),
        );
        crawl.write("bin/fetch-extract", &fetch);
        crawl
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, script: &str) -> ToolOutput {
        let (dir, tools) = (self.path().display(), tool_folder());
        let pipelines = pipeline_path("cluster");
        let pipelines = pipelines.parent().unwrap().display();
        let path = format!("{dir}/bin:{}:{pipelines}:$PATH", tools.display());
        run_bash(&format!("cd '{dir}'; PATH={path}; {script}"), "")
    }

    /// Returns the records of all rounds.
    fn records(&self) -> Vec<Value> {
        let output = self.run("cat seeds.jsonl rounds/*/pages/* > all.jsonl; cat rounds/*/pages/*");
        output.expect_exit(0).records()
    }
}

fn urls(records: &[Value]) -> Vec<&str> {
    let mut urls: Vec<&str> = records.iter().map(|r| r["url"].as_str().unwrap()).collect();
    urls.sort_unstable();
    urls
}

/// Returns the URLs that a redirect leads to.
fn redirect_targets(records: &[Value]) -> BTreeSet<&str> {
    let redirected = records
        .iter()
        .filter(|record| record["fetch"]["url"] != record["url"]);
    redirected
        .filter_map(|record| record["fetch"]["url"].as_str())
        .collect()
}

/// Crawls the whole web without partitions.
const WHOLE: &str = r#"
frontier --state one.db --add seeds.jsonl
while frontier --state one.db --next 1000 >batch.jsonl; [[ -s batch.jsonl ]]; do
  fetch-extract --links <batch.jsonl | langid | frontier --state one.db --quiet >>one.jsonl
done
cat one.jsonl"#;

#[test]
fn ten_partitions_fetch_together_what_one_process_fetches() {
    let web = DemoWeb::start();
    let crawl = Crawl::new(&web, 0);
    let output = crawl.run("source ./loop").expect_exit(0);
    let records = crawl.records();
    let fetched = web.pages();
    assert!(records.len() > 900, "{}", output.stderr);

    // No URL is given twice. Pages are requested twice only where redirects lead to them.
    let given: BTreeSet<&str> = urls(&records).into_iter().collect();
    assert_eq!(given.len(), records.len());
    let targets = redirect_targets(&records);
    for (url, requests) in &fetched {
        assert!(
            *requests == 1 || targets.contains(url.as_str()),
            "{url}: {requests}"
        );
    }
    // Each host is asked by one partition, with its pauses, and once for its robots.txt.
    let mut partitions = BTreeMap::<String, BTreeSet<String>>::new();
    let mut robots = BTreeMap::<String, usize>::new();
    for HostRequest {
        host,
        path,
        header_block,
        ..
    } in web.server.requests()
    {
        let contact = header_block.split("partition-").nth(1).unwrap();
        let contact = contact.split('@').next().unwrap().to_owned();
        partitions.entry(host.clone()).or_default().insert(contact);
        *robots.entry(host).or_default() += usize::from(path == "/robots.txt");
    }
    assert!(
        partitions.values().all(|numbers| numbers.len() == 1),
        "{partitions:?}"
    );
    assert!(robots.values().all(|requests| *requests == 1), "{robots:?}");
    let used: BTreeSet<&String> = partitions.values().flatten().collect();
    assert!(used.len() >= 5, "{partitions:?}");
    for host in partitions
        .keys()
        .filter(|host| fetched.contains_key(&format!("http://{host}/")))
    {
        assert!(web.server.shortest_pause(host) >= DELAY / 2, "{host}");
    }

    // One process fetches the same.
    let one_web = DemoWeb::start();
    let one = Crawl::new(&one_web, 0);
    let whole = one.run(WHOLE).expect_exit(0).records();
    assert_eq!(urls(&records), urls(&whole));
    assert!(fetched.keys().eq(one_web.pages().keys()));

    // The same pages make frontiers of another number of partitions, in which no URL waits either.
    let script = "for k in 1 2 3; do
      frontier --state $k.db --partition $k/3 --rebuild all.jsonl &&
      frontier --state $k.db --partition $k/3 --report; done | jq -c '[.waiting, .given]'";
    let reports = crawl.run(script).expect_exit(0).stdout;
    let given = reports.lines().map(|line| {
        let number = line.strip_prefix("[0,").unwrap().strip_suffix(']').unwrap();
        number.parse::<usize>().unwrap()
    });
    assert_eq!(given.sum::<usize>(), records.len());
}

#[test]
fn a_partition_that_was_killed_loses_nothing() {
    let web = DemoWeb::start();
    let crawl = Crawl::new(&web, 3);
    let killed = crawl.run("source ./loop").expect_exit(1);
    for part in ["parts/2: failed", "parts/7: failed"] {
        assert!(killed.stderr.contains(part), "{}", killed.stderr);
    }
    let rounds = || {
        fs::read_dir(crawl.path().join("rounds/3/pages"))
            .unwrap()
            .count()
    };
    assert_eq!(rounds(), 8);
    crawl.run("source ./loop").expect_exit(0);
    assert_eq!(rounds(), 10);
    let records = crawl.records();
    let given: BTreeSet<&str> = urls(&records).into_iter().collect();
    assert_eq!(given.len(), records.len());
    let whole = Crawl::new(&web, 0).run(WHOLE).expect_exit(0).records();
    assert_eq!(urls(&records), urls(&whole));
}

#[test]
fn another_partition_than_that_of_the_file_is_refused() {
    let dir = temp_folder();
    let state = dir.path().join("frontier.db");
    let state = state.to_str().unwrap();
    let run = |tool: &str, args: &[&str]| {
        let state: &[&str] = if tool == "frontier" {
            &["--state", state]
        } else {
            &[]
        };
        run_tool(
            tool,
            [state, args].concat(),
            "{\"url\":\"http://a.test/\"}\n",
        )
    };
    for tool in ["frontier", "fetch-extract"] {
        for text in ["0/0", "0/10", "11/10", "x/y", "3", "3/", "-1/3", ""] {
            let refused = run(tool, &[&format!("--partition={text}")]).expect_exit(2);
            assert!(
                refused.stderr.contains("K from 1 to N"),
                "{}",
                refused.stderr
            );
        }
    }
    assert!(!Path::new(state).exists());
    run("frontier", &["--add", "--partition", "2/2"]).expect_exit(0);
    for other in [&["--partition", "1/2"][..], &["--partition", "2/3"], &[]] {
        for task in [&["--next", "3"][..], &["--report"], &["--add"], &[]] {
            let refused = run("frontier", &[task, other].concat()).expect_exit(2);
            let error = "frontier.db: was made with --partition 2/2, which must be given";
            assert!(refused.stderr.contains(error), "{}", refused.stderr);
        }
    }
    let given = run("frontier", &["--next", "3", "--partition", "2/2"]).expect_exit(0);
    assert_eq!(urls(&given.records()), ["http://a.test/"]);
    let whole = dir.path().join("whole.db");
    run_tool(
        "frontier",
        ["--add", "--state", whole.to_str().unwrap()],
        "{\"url\":\"http://a.test/\"}",
    );
    let args = [
        "--next",
        "3",
        "--partition",
        "2/2",
        "--state",
        whole.to_str().unwrap(),
    ];
    let refused = run_tool("frontier", args, "").expect_exit(2);
    assert!(refused.stderr.contains("was made without --partition"));
}

/// Pages of hosts of which, of two partitions, `b.test`, `c.test` and `h.test` are in the first.
fn start_web_with_redirects() -> HostServer {
    HostServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => forage_tests::server::status(404),
        ("a.test", "/") => redirect("http://www.a.test/x#y"),
        ("b.test", "/") => redirect("http://d.test/page#top"),
        ("c.test", "/") => html("<meta http-equiv=refresh content='0; url=http://e.test/'>"),
        ("h.test", "/") => redirect("http://c.test/page"),
        _ => html(format!(
            "<p>A page of {host} with a sentence that is long enough to be text."
        )),
    })
}

#[test]
fn a_list_is_divided_by_host() {
    let server = start_web_with_redirects();
    let list = "http://d.test/1\nhttp://b.test/2\nno url\nhttp://d.test/3\nHTTP://B.test:80/4\n\
                http://www.b.test/5\nhttps://d.test:8443/\n";
    let fetch = |partition: &str| {
        let args = ["--quiet", "--urls", "-", "--partition", partition];
        server.fetch(&args, list).expect_exit(0).records()
    };
    let [first, second] = [fetch("1/2"), fetch("2/2")];
    let hosts = |records: &[Value], host: &str| {
        let urls = urls(records).join(" ").to_lowercase();
        urls.matches(host).count()
    };
    assert_eq!((hosts(&first, "b.test"), hosts(&first, "d.test")), (3, 0));
    assert_eq!((hosts(&second, "b.test"), hosts(&second, "d.test")), (0, 3));
    assert_eq!(first.len() + second.len(), 7);
    assert_eq!(fetch("1/1").len(), 7);
}

#[test]
fn a_redirect_to_another_partition_is_left_to_that() {
    let server = start_web_with_redirects();
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let archive = archive.to_str().unwrap();
    let seeds = ["a", "b", "c", "h"].map(|host| format!("{{\"url\":\"http://{host}.test/\"}}\n"));
    let fetch = |args: &[&str]| {
        let args = [&["--quiet", "--links"], args].concat();
        server.fetch(&args, seeds.concat()).expect_exit(0).records()
    };
    let [b, c, h] = fetch(&["--partition", "1/2", "--warc", archive])
        .try_into()
        .unwrap();
    for (record, target) in [(&b, "http://d.test/page"), (&c, "http://e.test/")] {
        assert_eq!(record["error"]["kind"], "redirect", "{record}");
        let message = format!("redirects to {target}, which is of another partition");
        assert_eq!(record["error"]["message"], message);
        assert_eq!(record["links"], json!([{ "url": target, "text": "" }]));
    }
    assert_eq!(h["fetch"]["url"], "http://c.test/page");
    let requested: BTreeSet<String> = server.requests().into_iter().map(|r| r.host).collect();
    assert!(
        requested.iter().eq(["b.test", "c.test", "h.test"]),
        "{requested:?}"
    );
    let [a] = fetch(&["--partition", "2/2"]).try_into().unwrap();
    assert_eq!(a["fetch"]["url"], "http://www.a.test/x");

    // The archive has the same record.
    let args = ["--quiet", "--links", "--from-warc", archive];
    let archived = run_tool("fetch-extract", args, "").expect_exit(0).records();
    let of_b = archived
        .iter()
        .find(|record| record["url"] == "http://b.test/")
        .unwrap();
    assert_eq!((&of_b["links"], &of_b["error"]), (&b["links"], &b["error"]));

    // The frontier of the other partition gets the target, with the score of the redirect.
    let state = dir.path().join("2.db");
    let frontier = |args: &[&str], input: String| {
        let fixed = ["--state", state.to_str().unwrap(), "--partition", "2/2"];
        run_tool("frontier", [&fixed, args].concat(), input)
            .expect_exit(0)
            .records()
    };
    let mut judged = b.clone();
    judged["frontier"] = json!({ "score": 0.5, "depth": 3, "parents": 1 });
    frontier(&[], format!("{judged}\n"));
    let [target] = frontier(&["--next", "9"], String::new())
        .try_into()
        .unwrap();
    assert_eq!(target["url"], "http://d.test/page");
    assert_eq!(
        target["frontier"],
        json!({ "score": 0.5, "depth": 4, "parents": 1 })
    );
}

#[test]
fn a_file_that_lacks_earlier_steps_is_refused() {
    let dir = temp_folder();
    let run = |script: &str| {
        let script = format!(
            "cd '{}'; f='frontier --state x.db --partition 1/1'; {script}",
            dir.path().display()
        );
        run_bash(&script, "")
    };
    let seeds = "{\"url\":\"http://a.test/\"}";
    run(&format!("$f --add <<<'{seeds}'")).expect_exit(0);
    run("$f --from-step 1 --step 1 --next 5").expect_exit(0);
    let judged = r#"{"step":{"number":1,"last":true},"url":"http://a.test/","fetch":{},"topic":{"score":1},"links":[{"url":"http://b.test/"}]}"#;
    run(&format!("$f --from-step 1 <<<'{judged}'")).expect_exit(0);
    run("$f --from-step 2 --step 2 --next 5").expect_exit(0);
    let later = judged.replace("number\":1", "number\":4");
    for damage in ["true", "rm x.db*", ": > x.db; rm -f x.db-*"] {
        for command in [
            "$f --from-step 4 --step 4 --next 5".to_owned(),
            format!("$f --from-step 4 <<<'{later}'"),
        ] {
            let script = format!("{damage}; {command}");
            let stderr = run(&script).expect_exit(2).stderr;
            assert!(
                stderr.contains("lacks steps before 4"),
                "{script}: {stderr}"
            );
        }
    }
}
