//! `pipelines/experiment` with `measure-run` and `report-runs`: a grid that is run, killed, gone on
//! with and reported; and that docs/EXPERIMENTS.md says what docs/experiments/results.jsonl holds.

use forage_tests::closed_web::{pipeline_command, shared_folder};
use forage_tests::events::{block_calls, running_processes, wait_for};
use forage_tests::{ToolOutput, project_root, run_command, run_tool, temp_folder};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A folder with an index of demo-web's pages, the pages, and their languages.
fn web() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("experiment-web");
        let pages = run_tool("demo-web", [""; 0], "").expect_exit(0).stdout;
        let engine = format!("index:{}", dir.join("index").display());
        run_tool("search", ["--engine", &engine, "--add"], &pages).expect_exit(0);
        fs::write(dir.join("docs.jsonl"), pages).unwrap();
        fs::write(
            dir.join("truth.tsv"),
            run_tool("demo-web", ["truth"], "").expect_exit(0).stdout,
        )
        .unwrap();
        dir
    })
}

fn command(args: &[&str]) -> Command {
    let mut command = pipeline_command("experiment", args);
    command.current_dir(web());
    command
}

/// A new experiment in the web.
fn new(out: &Path, more: &[&str]) -> Command {
    let args = [
        "--engine",
        "index:index",
        "--documents",
        "docs.jsonl",
        "--truth",
        "truth.tsv",
        "--targets",
        "slv",
    ];
    let mut command = command(&args);
    command.args([
        "--versus",
        "eng",
        "--seeds",
        "1,2",
        "--calls",
        "2",
        "--batch",
        "5",
        "--init-words",
        "50-400",
    ]);
    command.arg("--out").arg(out).args(more);
    command
}

fn results(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("results.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An experiment that was not disturbed.
fn whole() -> &'static Path {
    static WHOLE: OnceLock<PathBuf> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let out = shared_folder("experiment");
        run_command(new(&out, &["--settings", "or:2,lta", "--jobs", "2"]), "").expect_exit(0);
        out
    })
}

#[test]
fn a_grid_is_run_measured_and_reported() {
    let out = whole();
    let results = results(out);
    assert_eq!(results.len(), 4);
    for run in &results {
        assert_eq!(
            (&run["limits"], &run["target"]),
            (&serde_json::json!({"calls": 2}), &"slv".into())
        );
        let last = run["points"].as_array().unwrap().last().unwrap();
        assert!(
            last[1].as_u64().unwrap() > 0 && last[4].as_u64().unwrap() <= 2,
            "{run}"
        );
        assert!(
            last[6].as_u64() > Some(0) || run["setting"] != "or:2",
            "{run}"
        );
        assert_eq!(
            run["learned"].get("lta/ii").is_some(),
            run["setting"] == "lta"
        );
    }
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(
        report.contains("4 runs of 2 settings") && report.contains("| `or:2` |"),
        "{report}"
    );
    assert!(
        fs::read_to_string(out.join("figures/calls-2-slv.svg"))
            .unwrap()
            .contains("lta")
    );
    assert_eq!(
        fs::read_dir(out.join("runs")).unwrap().count(),
        0,
        "what is not needed goes"
    );
}

#[test]
fn what_was_killed_goes_on_and_ends_as_if_it_had_not_been() {
    let dir = temp_folder();
    let out = dir.path().join("killed");
    let mut killed = new(&out, &["--settings", "or:2,lta", "--quiet"]);
    // The first run ends, and no other one: it is met in the middle.
    let condition = r#"case "$*" in *"--setting or:2 --seed 1 "*) false ;; *) true ;; esac"#;
    block_calls(
        &mut killed,
        &dir.path().join("bin"),
        "measure-run",
        condition,
    );
    let mut child = killed
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let cell = out.join("cells/or:2,slv,1.jsonl");
    wait_for("one run has ended", || cell.exists());
    let group = format!("-{}", child.id());
    assert!(
        Command::new("kill")
            .args(["-KILL", "--", &group])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    wait_for("all processes are gone", || {
        running_processes(child.id()).is_empty()
    });
    let before = fs::metadata(&cell).unwrap().modified().unwrap();
    let done = run_command(command(&["--out", out.to_str().unwrap()]), "").expect_exit(0);
    assert!(
        !done.stderr.contains("run 1 of 4"),
        "a run that has ended is not repeated: {}",
        done.stderr
    );
    assert_eq!(fs::metadata(&cell).unwrap().modified().unwrap(), before);
    assert_eq!(results(&out), results(whole()));
}

#[test]
fn settings_can_be_added_and_limits_not_changed() {
    let dir = temp_folder();
    let out = dir.path().join("grown");
    let file = dir.path().join("settings.tsv");
    fs::write(&file, "# name, options\n\nor:2\t--include or:2 --exclude or:2\nshort\t--include or:1 --exclude or:0")
        .unwrap();
    run_command(new(&out, &["--settings", "or:2", "--seeds", "1"]), "").expect_exit(0);
    let done = run_command(
        command(&[
            "--out",
            out.to_str().unwrap(),
            "--settings",
            file.to_str().unwrap(),
        ]),
        "",
    )
    .expect_exit(0);
    assert!(
        done.stderr.contains("run 2 of 2: short slv 1") && !done.stderr.contains("run 1"),
        "{}",
        done.stderr
    );
    assert_eq!(results(&out).len(), 2);
    let done = run_command(
        command(&["--out", out.to_str().unwrap(), "--calls", "3"]),
        "",
    )
    .expect_exit(2);
    assert!(
        done.stderr.contains("--calls 3: the experiment in") && done.stderr.contains("has 2"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_setting_that_is_none_is_told_before_any_is_run_and_one_means_the_same_for_ever() {
    let dir = temp_folder();
    let out = dir.path().join("half");
    let done =
        run_command(new(&out, &["--settings", "or:2,orr:2", "--seeds", "1"]), "").expect_exit(2);
    assert!(
        done.stderr.contains("setting orr:2: ") && done.stderr.contains("'orr:2' for '--include"),
        "{}",
        done.stderr
    );
    assert!(!out.join("experiment.conf").exists());
    let file = dir.path().join("settings");
    let with = |line: &str, code: i32| {
        fs::write(&file, line).unwrap();
        run_command(
            new(
                &out,
                &["--settings", file.to_str().unwrap(), "--seeds", "1"],
            ),
            "",
        )
        .expect_exit(code)
        .stderr
    };
    with("# one\n \na\t--include or:2 --exclude or:2\r\n", 0);
    let done = with("a\t--include un:2 --exclude un:2\n", 2);
    assert!(
        done.contains("was `--include or:2 --exclude or:2` when it was run"),
        "{done}"
    );
    assert!(
        with("b --include un:2\n", 2).contains("settings:1: `b --include un:2`: a name, a tab")
    );
    assert!(with("\nb\t--learn auto --out x\n", 2).contains("settings:2: b: "));
}

#[test]
fn what_is_missing_or_misspelt_is_told_before_anything_is_run() {
    let dir = temp_folder();
    let told = |more: &[&str], what: &str| {
        let done = run_command(new(&dir.path().join("x"), more), "").expect_exit(2);
        assert!(done.stderr.contains(what), "{}", done.stderr);
    };
    told(&["--settings", "or:1,or:1"], "or:1 is there twice");
    told(&["--settings", "or:1", "--seeds", "one"], "--seeds one");
    told(
        &["--settings", "or:1", "--truth", "no.tsv"],
        "--truth no.tsv: there is no such file",
    );
    told(
        &["--settings", "or:1", "--init", "."],
        "one of them is enough",
    );
    told(
        &["--settings", "or:1", "--colour", "red"],
        "no option --colour",
    );
    told(
        &["--settings", "or:1", "--targets", "xxx"],
        "no document of xxx has 50-400 words",
    );
}

fn measured(seed: u64) -> ToolOutput {
    let journal = r#"{"step":{"number":1,"target":"slv"},"query":{"id":"q"},"url":"http://a/","hit":{"engine":"x","calls":1},"text":"a","label":"slv"}"#;
    run_tool(
        "measure-run",
        ["--setting", "a", "--seed", &seed.to_string()],
        journal,
    )
}

#[test]
fn a_journal_without_a_step_and_a_bad_truth_are_told() {
    let done = run_tool(
        "measure-run",
        [""; 0],
        r#"{"text":"initial","label":"slv"}"#,
    )
    .expect_exit(2);
    assert!(
        done.stderr.contains("no record has a `step`"),
        "{}",
        done.stderr
    );
    let dir = temp_folder();
    let truth = dir.path().join("truth.tsv");
    for (text, what) in [
        ("http://a/\tslv\nhttp://b/ hrv\n", ":2: is not"),
        ("", "has no lines"),
    ] {
        fs::write(&truth, text).unwrap();
        let done =
            run_tool("measure-run", ["--truth", truth.to_str().unwrap()], "{}").expect_exit(2);
        assert!(
            done.stderr.contains("truth.tsv") && done.stderr.contains(what),
            "{}",
            done.stderr
        );
    }
}

#[test]
fn a_line_that_is_no_run_is_left_out_and_told() {
    let dir = temp_folder();
    let report = |input: &str, more: &[&str]| {
        let out = dir.path().join("report.md");
        run_tool(
            "report-runs",
            [&["--out", out.to_str().unwrap()], more].concat(),
            input,
        )
    };
    let (one, two) = (
        measured(1).expect_exit(0).stdout,
        measured(2).expect_exit(0).stdout,
    );
    let findings = dir.path().join("f.tsv");
    let table = |lines: &str| {
        fs::write(
            &findings,
            format!("finding\tleft\trelation\tright\n{lines}\n"),
        )
        .unwrap()
    };
    table("All are relevant\ta PosDocs calls=1\t>=\t1\nAll are found\ta recall calls=1\t>=\t1");
    let with = ["--findings", findings.to_str().unwrap()];
    report(&format!("{one}\n{two}"), &with).expect_exit(0);
    let text = fs::read_to_string(dir.path().join("report.md")).unwrap();
    let judged = |finding: &str| {
        text.lines()
            .find(|line| line.contains(finding))
            .unwrap()
            .to_owned()
    };
    assert!(text.contains("2 runs of 1 settings"), "{text}");
    assert!(
        judged("All are relevant").ends_with("| 1.000 | 1 | 1.00 | 1 × 2 | holds |"),
        "{text}"
    );
    assert!(
        judged("All are found").ends_with("| not measured |"),
        "{text}"
    );
    let done = report(&format!("{one}{one}x\n"), &with).expect_exit(1);
    assert!(
        done.stderr.contains("-:2: a second run of a") && done.stderr.contains("-:3: "),
        "{}",
        done.stderr
    );
    assert!(
        report("", &with)
            .expect_exit(2)
            .stderr
            .contains("no run to report on")
    );
    table("All are found\ta recal calls=1\t>=\t1");
    assert!(
        report(&one, &with)
            .expect_exit(2)
            .stderr
            .contains("f.tsv: line 2: `recal` is not a quantity")
    );
}

#[test]
fn the_document_says_what_the_results_hold() {
    let docs = project_root().join("docs");
    let dir = temp_folder();
    let out = if std::env::var_os("UPDATE").is_some() {
        docs.clone()
    } else {
        dir.path().to_owned()
    };
    let source = |name: &str| docs.join("experiments").join(name).display().to_string();
    let [introduction, findings, results] =
        ["introduction.md", "findings.tsv", "results.jsonl"].map(source);
    let file = out.join("EXPERIMENTS.md").display().to_string();
    let text = ["--introduction", &introduction, "--findings", &findings];
    run_tool(
        "report-runs",
        [
            &text[..],
            &["--figures", "experiments", "--out", &file, &results],
        ]
        .concat(),
        "",
    )
    .expect_exit(0);
    let same = |name: &str| {
        let [now, kept] =
            [&out, &docs].map(|folder| fs::read_to_string(folder.join(name)).unwrap_or_default());
        assert!(
            now == kept,
            "docs/{name} is stale; UPDATE=1 cargo test --workspace --test experiment writes it"
        );
    };
    same("EXPERIMENTS.md");
    let figures = |folder: &Path| -> BTreeSet<String> {
        let names = fs::read_dir(folder.join("experiments"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.ends_with(".svg"))
            .collect()
    };
    assert_eq!(figures(&out), figures(&docs));
    figures(&out)
        .iter()
        .for_each(|name| same(&format!("experiments/{name}")));
}
