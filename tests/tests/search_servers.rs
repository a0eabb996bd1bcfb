//! `search` with real search servers on loopback: Xapian Omega, a CGI program, and searx, from
//! which SearXNG was made. `tests/install-needs` installs them; a test without its server says so.

use forage_tests::closed_web::{
    new_run_command, read_journal, retrieved_documents, run_demo_web, run_pipeline,
};
use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::open_web::{OpenWeb, percent_decode};
use forage_tests::searx::debian_settings;
use forage_tests::{ToolOutput, run_command, run_tool, temp_folder, unused_port};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const OMEGA: &str = "/usr/lib/cgi-bin/omega/omega";
const OMEGA_TEMPLATES: &str = "/usr/share/xapian-omega/templates";

/// Path, title and text of documents, and terms by which only this one is found.
const DOCUMENTS: &str = r#"
/ru?a=1&b=2 | Москва — столица | Река Москва течёт через весь город. | москва
/hi | भारत की राजधानी | नई दिल्ली भारत की राजधानी है। | भारत, दिल्ली
/ar | القاهرة عاصمة مصر | القاهرة هي عاصمة جمهورية مصر العربية. | القاهرة
/th | กรุงเทพมหานคร | กรุงเทพมหานคร เป็นเมืองหลวง | กรุงเทพมหานคร
/zh | 北京市 | 北京市 是中华人民共和国的首都。 | 北京市
/it | L'anno dell'acqua | L'acqua dell'oceano è un'altra cosa. | l'acqua
/sl | Noč & dan | Čapek & sin, AT&T: 3 > 2, "navedek". | čapek & sin, navedek
/%C4%8Daj?x=%2F |  | Stran brez naslova, o čaju. | čaju
/long | LONG | Dolg naslov je težava. | težava
/strong | 3 < 4 | Krepko besedilo, a < b, ni podčrtano. | krepko"#;

/// Returns the parts of each of `DOCUMENTS`.
fn single_documents() -> Vec<[String; 4]> {
    let lines = DOCUMENTS.trim().lines();
    let parts = lines.map(|line| line.replace("LONG", &"Naslov se ne konča, ".repeat(20)));
    parts
        .map(|line| {
            let parts: Vec<String> = line.split(" | ").map(|part| part.trim().into()).collect();
            parts.try_into().unwrap()
        })
        .collect()
}

/// The documents, and thirty that have a word in common.
fn documents() -> Vec<Value> {
    let single = single_documents().into_iter().map(|[path, title, text, _]| {
        json!({"url": format!("http://web.test{path}"), "title": title, "text": text})
    });
    let similar = (1..=30).map(|n| {
        let (url, title) = (format!("http://web.test/n/{n}"), format!("Stran {n}"));
        let text = format!("Množica ima člen {n}.{}", " dan".repeat(n % 7));
        json!({"url": url, "title": title, "text": text})
    });
    single.chain(similar).collect()
}

fn query(include: &[&str], exclude: &[&str]) -> String {
    json!({"query": {"include": include, "exclude": exclude}}).to_string()
}

fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    let fixed = ["--engine", spec, "--rate", "1000", "--patience", "0"];
    run_tool("search", [&fixed[..], args].concat(), queries)
}

fn urls(records: &[Value]) -> Vec<&str> {
    let urls = records.iter().filter_map(|record| record["url"].as_str());
    urls.collect()
}

/// Each document is found by its terms, with its URL and title as they are, and its text as
/// snippet, apart from an ellipsis.
fn check_documents(spec: &str) {
    for [path, title, text, terms] in single_documents() {
        let terms: Vec<&str> = terms.split(", ").collect();
        let records = search(spec, &["--top", "9"], &query(&terms, &[]))
            .expect_exit(0)
            .records();
        let [record] = records.as_slice() else {
            panic!("{path}: {records:?}")
        };
        assert_eq!(record["url"], format!("http://web.test{path}"));
        let hit = &record["hit"];
        let snippet = hit["snippet"].as_str().unwrap().trim_end_matches("...");
        assert_eq!((snippet, &hit["rank"]), (text.as_str(), &json!(1)));
        match title.as_str() {
            "" => assert!(hit.get("title").is_none(), "{hit}"),
            title => assert_eq!(hit["title"], title),
        }
    }
}

/// All pages have all hits in the order of the engine, each once.
fn check_pages(spec: &str, queries: &str) {
    let records = search(spec, &["--top", "100"], queries)
        .expect_exit(0)
        .records();
    let mut found = urls(&records);
    let ranks = records.iter().map(|record| record["hit"]["rank"].as_u64());
    assert!(ranks.eq((1..=30).map(Some)), "{records:?}");
    let first = search(spec, &["--top", "10"], queries).records();
    assert_eq!(
        (urls(&first), &first[9]["hit"]["more"]),
        (found[..10].to_vec(), &json!("pages"))
    );
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 30);
}

/// Asserts the kind of error of a query, which must not count as one without hits.
fn check_error(spec: &str, kind: &str) {
    let records = search(spec, &[], &query(&["dan"], &[])).records();
    assert_eq!(records[0]["error"]["kind"], kind, "{spec}: {records:?}");
}

fn is_installed(server: &str, package: &str) -> bool {
    let is_installed = Path::new(server).exists();
    if !is_installed {
        eprintln!("NOT TESTED: {package} is not installed; see tests/install-needs");
    }
    is_installed
}

/// Starts a server of Omega with an index of documents, and a description of it; `None` if Omega is
/// not installed. The server runs Omega for each request, as a web server does.
fn start_omega(documents: &[Value]) -> Option<EngineServer> {
    if !is_installed(OMEGA, "xapian-omega") {
        return None;
    }
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let lines = |document: &Value| {
        let field = |name: &str| {
            document[name]
                .as_str()
                .unwrap_or_default()
                .replace('\n', " ")
        };
        let (url, title, text) = (field("url"), field("title"), field("text"));
        format!("url={url}\ntitle={title}\ntext={text}\n\n")
    };
    fs::write(
        path("dump"),
        documents.iter().map(lines).collect::<String>(),
    )
    .unwrap();
    fs::write(
        path("script"),
        "url : field=url boolean=Q unique=Q\ntitle : field=title index=S index\n\
         text : index truncate=300 field=sample\n",
    )
    .unwrap();
    fs::write(
        path("omega.conf"),
        format!(
            "database_dir {}\ntemplate_dir {OMEGA_TEMPLATES}\n",
            path("")
        ),
    )
    .unwrap();
    let mut scriptindex = Command::new("scriptindex");
    scriptindex.args([path("default"), path("script"), path("dump")]);
    run_command(scriptindex, "").expect_exit(0);
    Some(EngineServer::start(move |request, _| {
        match request.target.split_once('?') {
            Some(("/omega", parameters)) => run_omega(dir.path(), parameters),
            None if request.target == "/" => EngineResponse::ok(
                "<html><link rel=search type='application/opensearchdescription+xml' href=osd.xml>",
            ),
            _ => EngineResponse::ok(omega_description(&request.target)),
        }
    }))
}

/// Returns the description that a site with Omega has, for the format that a path names.
fn omega_description(path: &str) -> String {
    let format = if path == "/osd.xml" {
        "opensearch"
    } else {
        &path[1..]
    };
    format!(
        "<?xml version='1.0'?>\n\
         <OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>\
         <ShortName>Omega</ShortName><Description>Pages</Description>\
         <Url type='application/rss+xml' indexOffset='0' template='/omega?P={{searchTerms}}\
         &amp;FMT={format}&amp;HITSPERPAGE={{count?}}&amp;TOPDOC={{startIndex?}}'/>\
         </OpenSearchDescription>"
    )
}

fn run_omega(dir: &Path, parameters: &str) -> EngineResponse {
    let mut omega = Command::new(OMEGA);
    omega
        .env("OMEGA_CONFIG_FILE", dir.join("omega.conf"))
        .env("REQUEST_METHOD", "GET")
        .env("SCRIPT_NAME", "/omega")
        .env("QUERY_STRING", parameters);
    let output = run_command(omega, "").stdout;
    let (headers, body) = output.split_once("\n\n").unwrap();
    let media_type = headers.trim().strip_prefix("Content-Type: ").unwrap();
    EngineResponse::ok(body).with_header("Content-Type", media_type)
}

#[test]
fn omega_finds_documents_in_any_script_and_page_by_page() {
    let Some(server) = start_omega(&documents()) else {
        return;
    };
    let spec = format!("description:{}/osd.xml", server.address);
    check_documents(&spec);
    check_pages(&spec, &query(&["množica"], &[]));
    // Each of the three pages was requested once, the first one once more, and one after the last,
    // because the engine counts from 0, which not all do that say so.
    let pages = server
        .requests()
        .into_iter()
        .filter(|request| request.target.contains("mno%C5"));
    assert_eq!(pages.count(), 3 + 1 + 1);
    // The description is found by the page that links to it.
    check_documents(&format!("description:{}", server.address));
}

#[test]
fn hits_of_omega_with_excluded_terms_are_skipped_but_not_for_its_markup() {
    let Some(server) = start_omega(&documents()) else {
        return;
    };
    let spec = format!("description:{}/osd.xml", server.address);
    let find = |exclude| {
        let output = search(&spec, &["--top", "99"], &query(&["množica"], &[exclude]));
        urls(&output.expect_exit(0).records()).len()
    };
    assert_eq!([find("strong"), find("dan")], [30, 4]);
    let none = search(&spec, &[], &query(&["množica", "krepko"], &[])).records();
    assert_eq!(none[0]["hit"]["outcome"], "empty");
    assert_eq!(none[0]["hit"]["total"], 0);
}

#[test]
fn what_omega_cannot_answer_does_not_mean_no_hits() {
    let Some(server) = start_omega(&documents()) else {
        return;
    };
    // A web page of results, and one with the message that there is no such format.
    check_error(
        &format!("description:{}/query", server.address),
        "engine-down",
    );
    check_error(
        &format!("description:{}/none", server.address),
        "engine-down",
    );
    check_error(
        &format!("description:{}/omega?P=dan", server.address),
        "refused",
    );
    check_error("description:http://127.0.0.1:1/osd.xml", "engine-down");
}

#[test]
fn a_corpus_is_built_with_omega() {
    let pages = run_demo_web(&[]);
    let pages: Vec<Value> = pages
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let Some(server) = start_omega(&pages) else {
        return;
    };
    let web = OpenWeb::start();
    let dir = temp_folder();
    let out = dir.path().join("run");
    let [_, _, connect_to, host, ..] = web.args();
    let spec = format!("description:{}/osd.xml", server.address);
    let args = [
        "--engine",
        &spec,
        &connect_to,
        &host,
        "--rate",
        "1000",
        "--docs",
        "25",
    ];
    run_pipeline(new_run_command(&out, &args)).expect_exit(0);
    let journal = read_journal(&out);
    let documents = retrieved_documents(&journal);
    let relevant = documents
        .iter()
        .filter(|document| document["label"] == "slv")
        .count();
    assert!(
        documents.len() >= 20 && relevant * 2 > documents.len(),
        "{relevant} of {}",
        documents.len()
    );
    for document in documents {
        assert_eq!(document["hit"]["engine"], spec);
    }
}

/// An instance of searx, and the server that its engines ask.
struct Searx {
    process: Child,
    address: String,
    backend: EngineServer,
}

impl Drop for Searx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Searx {
    /// Starts an instance with two engines: `pages`, and `broken`, which responds with status 500.
    /// `None` if searx is not installed.
    fn start() -> Option<Searx> {
        if !is_installed("/usr/bin/searx-run", "searx") {
            return None;
        }
        let backend = EngineServer::start(|request, _| respond_as_backend(request));
        let port = unused_port();
        let dir = temp_folder();
        let settings = dir.path().join("settings.yml");
        fs::write(
            &settings,
            debian_settings(port, &backend.address, &["pages", "broken"]),
        )
        .unwrap();
        let process = Command::new("searx-run")
            .env("SEARX_SETTINGS_PATH", &settings)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let address = format!("127.0.0.1:{port}");
        let mut searx = Searx {
            process,
            address,
            backend,
        };
        let start = Instant::now();
        while TcpStream::connect(&searx.address).is_err() {
            assert!(searx.process.try_wait().unwrap().is_none(), "searx ended");
            assert!(
                start.elapsed() < Duration::from_secs(300),
                "searx does not start"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(searx)
    }

    fn spec(&self, engines: &str) -> String {
        format!("searxng:http://{}/?engines={engines}", self.address)
    }
}

/// Responds with the documents that have all words and phrases of a query, and none with a minus
/// sign; ten per page.
fn respond_as_backend(request: &EngineRequest) -> EngineResponse {
    let Some(("/pages", parameters)) = request.target.split_once('?') else {
        return EngineResponse::status("500 Internal Server Error", "");
    };
    let (query, page) = parameters.split_once("&p=").unwrap();
    let page: usize = page.parse().unwrap();
    let query = percent_decode(&query["q=".len()..]);
    // A phrase is in quotation marks: every second part.
    let (phrases, words): (Vec<_>, Vec<_>) = query
        .split('"')
        .enumerate()
        .partition(|(index, _)| index % 2 == 1);
    let phrases: Vec<&str> = phrases.into_iter().map(|(_, phrase)| phrase).collect();
    let excluded = words
        .into_iter()
        .flat_map(|(_, words)| words.split_whitespace());
    let excluded: Vec<&str> = excluded
        .map(|word| word.strip_prefix('-').unwrap())
        .collect();
    let matches = |document: &Value| {
        let text = format!("{} {}", document["title"], document["text"]);
        let text = text.to_lowercase().replace("\\\"", "\"");
        phrases.iter().all(|phrase| text.contains(phrase))
            && !excluded.iter().any(|word| text.contains(word))
    };
    let results = documents()
        .into_iter()
        .filter(matches)
        .skip((page - 1) * 10)
        .take(10);
    let body = json!({"results": results.collect::<Vec<_>>()}).to_string();
    EngineResponse::ok(body).with_header("Content-Type", "application/json")
}

#[test]
fn searx_finds_documents_in_any_script_and_says_which_engine_failed() {
    let Some(mut searx) = Searx::start() else {
        return;
    };
    let pages = searx.spec("pages");
    check_documents(&pages);
    check_pages(&pages, &query(&["množica"], &[]));
    let excluding = query(&["množica", "ima člen"], &["dan"]);
    let records = search(&pages, &["--top", "99"], &excluding)
        .expect_exit(0)
        .records();
    assert_eq!(urls(&records).len(), 4);
    let targets = searx
        .backend
        .requests()
        .into_iter()
        .map(|request| percent_decode(&request.target));
    assert!(
        targets
            .into_iter()
            .any(|target| { target == r#"/pages?q="ima člen" "množica" -dan&p=1"# })
    );
    let none = search(&pages, &[], &query(&["množica", "krepko"], &[]))
        .expect_exit(0)
        .records();
    assert_eq!(none[0]["hit"]["outcome"], "empty");

    let output = search(
        &searx.spec("pages,broken"),
        &["--top", "5"],
        &query(&["množica"], &[]),
    );
    assert_eq!(urls(&output.records()).len(), 5);
    assert!(
        output.stderr.contains("hits are missing: broken: "),
        "{}",
        output.stderr
    );
    check_error(&searx.spec("broken"), "engine-down");
    searx.process.kill().unwrap();
    searx.process.wait().unwrap();
    check_error(&pages, "engine-down");
}
