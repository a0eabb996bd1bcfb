//! `searxng`, which sets up a private SearXNG: with the package searx of Debian, which
//! `tests/install-needs` installs, and with a checkout of SearXNG, if `SEARXNG_CHECKOUT` names one.

use forage_tests::closed_web::{pipeline_command, run_pipeline};
use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::open_web::percent_decode;
use forage_tests::searx::{debian_settings, settings};
use forage_tests::{ToolOutput, is_installed, project_root, run_tool, temp_folder, unused_port};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A private instance, which is stopped at the end of the test.
struct Instance {
    folder: PathBuf,
    port: u16,
}

impl Instance {
    fn run(&self, args: &[&str]) -> ToolOutput {
        let mut command = pipeline_command("searxng", args);
        command.arg("--dir").arg(&self.folder);
        run_pipeline(command)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.run(&["down", "--quiet"]);
    }
}

/// Responds as three engines: one that excludes, one that ignores exclusion terms, and one that
/// fails.
fn respond(request: &EngineRequest) -> EngineResponse {
    let (path, parameters) = request.target.split_once('?').unwrap();
    let query = percent_decode(parameters.split('&').next().unwrap());
    let excluded: Vec<&str> = query
        .split([' ', '+'])
        .filter_map(|word| word.strip_prefix('-'))
        .collect();
    let documents = (0..10).map(|n| {
        let time = if n % 2 == 0 { "noč" } else { "dan" };
        json!({"url": format!("http://p.test/{n}"), "title": "internet", "text": time})
    });
    let is_hit = |document: &Value| {
        path == "/ignoring" || !excluded.contains(&document["text"].as_str().unwrap())
    };
    match path {
        "/excluding" | "/ignoring" => {
            let hits: Vec<Value> = documents.filter(is_hit).collect();
            EngineResponse::ok(json!({"results": hits}).to_string())
                .with_header("Content-Type", "application/json")
        }
        _ => EngineResponse::status("500 Internal Server Error", ""),
    }
}

const ENGINES: [&str; 3] = ["excluding", "ignoring", "broken"];

/// Sets an instance up, tests its engines, searches with it and stops it.
fn assert_works(source: &str, settings: impl Fn(u16, &str) -> String) {
    let backend = EngineServer::start(|request, _| respond(request));
    let dir = temp_folder();
    let instance = Instance {
        folder: dir.path().join("searxng"),
        port: unused_port(),
    };
    let address = format!("searxng:http://127.0.0.1:{}", instance.port);
    let file = dir.path().join("settings.yml");
    fs::write(&file, settings(instance.port, &backend.address)).unwrap();
    let port = instance.port.to_string();
    let up = ["up", "--from", source, "--port", &port, "--settings"];
    let started = instance
        .run(&[&up[..], &[file.to_str().unwrap()]].concat())
        .expect_exit(0);
    assert_eq!(started.stdout, format!("{address}\n"));
    assert!(
        started.stderr.contains("searxng down"),
        "{}",
        started.stderr
    );
    let secret = instance.folder.join("secret");
    assert_eq!(fs::read_to_string(&secret).unwrap().trim().len(), 64);
    let mode = fs::metadata(&secret).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others can read it: {mode:o}");

    // The port is that of the last time.
    let again = instance.run(&["up"]).expect_exit(0);
    assert_eq!(again.stdout, started.stdout);
    assert!(again.stderr.contains("answers already"), "{}", again.stderr);
    let checked = instance.run(&["check", "--language", "sl"]).expect_exit(0);
    let mut verdicts: Vec<(&str, &str)> = checked
        .stdout
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[0], fields[1])
        })
        .collect();
    verdicts.sort_unstable();
    let engine = format!("{address}?engines=excluding&language=sl");
    assert_eq!(
        verdicts,
        [
            ("excludes", "excluding"),
            ("fails", "broken"),
            ("ignores", "ignoring"),
            ("use", &*engine),
        ],
        "{}",
        checked.stdout
    );
    assert!(
        checked.stdout.contains("cannot select pages in sl"),
        "{}",
        checked.stdout
    );
    let query = r#"{"query":{"include":["internet"],"exclude":["dan"]}}"#;
    let hits = run_tool("search", ["--engine", &engine, "--top", "5"], query)
        .expect_exit(0)
        .records();
    assert_eq!(hits.len(), 5);
    assert!(hits.iter().all(|hit| hit["hit"]["snippet"] == "noč"));

    instance.run(&["down"]).expect_exit(0);
    assert!(TcpStream::connect(("127.0.0.1", instance.port)).is_err());
    let stopped = instance.run(&["check"]).expect_exit(2).stderr;
    assert!(stopped.contains("start it with: searxng up"), "{stopped}");
    // It is started again as it was.
    let restarted = instance.run(&["up"]).expect_exit(0);
    assert_eq!(restarted.stdout, started.stdout);
}

#[test]
fn the_help_is_short_and_the_man_page_has_its_options() {
    let ask = |option: &str| run_pipeline(pipeline_command("searxng", &[option])).expect_exit(0);
    let help = ask("--help").stdout;
    assert_eq!(help, ask("-h").stdout);
    assert!(help.lines().count() <= 24 && help.lines().all(|line| line.len() <= 80));
    let page = fs::read_to_string(project_root().join("man/searxng.1")).unwrap();
    let page = page.replace("\\-", "-");
    let options = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('-'));
    let mut options: Vec<&str> = options.filter_map(|line| line.split(' ').next()).collect();
    options.sort_unstable();
    assert_eq!(
        options,
        [
            "-dir",
            "-from",
            "-language",
            "-port",
            "-settings",
            "V,",
            "h,",
            "q,"
        ]
    );
    for option in options {
        assert!(
            page.contains(&format!("fB-{}\\fR", option.trim_end_matches(','))),
            "{option}"
        );
    }
    let version = format!("searxng {} (records 4)\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ask("--version").stdout, version);
}

#[test]
fn the_package_of_debian_is_set_up_and_stopped() {
    if is_installed("searx-run") {
        let settings = |port, backend: &str| debian_settings(port, backend, &ENGINES);
        assert_works("searx", settings);
    }
}

#[test]
fn a_checkout_is_set_up_and_stopped() {
    match std::env::var("SEARXNG_CHECKOUT") {
        Ok(checkout) => assert_works(&checkout, |_, backend| settings(backend, &ENGINES)),
        Err(_) => eprintln!("NOT TESTED: SEARXNG_CHECKOUT is not set"),
    }
}

#[test]
fn what_cannot_be_set_up_is_refused() {
    let dir = temp_folder();
    let instance = Instance {
        folder: dir.path().join("searxng"),
        port: unused_port(),
    };
    let port = instance.port.to_string();
    for (args, message) in [
        (
            vec!["up", "--from", "/nowhere"],
            "is no checkout of SearXNG",
        ),
        (vec!["check"], "does not answer on"),
        (vec!["up", "--settings", "/nowhere"], "/nowhere"),
    ] {
        let stderr = instance
            .run(&[&args[..], &["--port", &port]].concat())
            .expect_exit(2)
            .stderr;
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
    for (args, message) in [
        (&["start"][..], "'start'"),
        (&["up", "--port", "0"], "is not a port"),
        (&[], "ACTION"),
    ] {
        let stderr = instance.run(args).expect_exit(2).stderr;
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
    let stderr = instance.run(&["down"]).expect_exit(0).stderr;
    assert!(stderr.contains("is not running"), "{stderr}");
}
