//! `tests/lab/experiment` with `measure-run` and `report-runs`: runs, kills, resumes and reports a
//! grid of settings.

use forage_tests::closed_web::{pipeline_command, shared_folder};
use forage_tests::events::{block_calls, running_processes, wait_for};
use forage_tests::{ToolOutput, run_command, run_tool, temp_folder};
use serde_json::Value;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns a folder with the pages of demo-web, their index, and their languages.
fn web_folder() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("experiment-web");
        let pages = run_tool("demo-web", [""; 0], "").expect_exit(0).stdout;
        let engine = format!("index:{}", dir.join("index").display());
        run_tool("search", ["--engine", &engine, "--add"], &pages).expect_exit(0);
        fs::write(dir.join("docs.jsonl"), pages).unwrap();
        let truth = run_tool("demo-web", ["truth"], "").expect_exit(0).stdout;
        fs::write(dir.join("truth.tsv"), truth).unwrap();
        dir
    })
}

fn experiment_command(args: &[&str]) -> Command {
    let mut command = pipeline_command("experiment", args);
    command.current_dir(web_folder());
    command
}

/// Returns the command of a new experiment on the web.
fn new_experiment(out: &Path, extra_args: &[&str]) -> Command {
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
    let mut command = experiment_command(&args);
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
    command.arg("--out").arg(out).args(extra_args);
    command
}

fn read_results(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("results.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the folder of an experiment that was not interrupted.
fn undisturbed_experiment() -> &'static Path {
    static WHOLE: OnceLock<PathBuf> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let out = shared_folder("experiment");
        run_command(
            new_experiment(&out, &["--settings", "or:2,lta", "--jobs", "2"]),
            "",
        )
        .expect_exit(0);
        out
    })
}

#[test]
fn runs_measures_and_reports_a_grid() {
    let out = undisturbed_experiment();
    let results = read_results(out);
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
        "folders of finished runs are removed"
    );
}

#[test]
fn simulated_runs_have_the_same_results() {
    let dir = temp_folder();
    let out = dir.path().join("simulated");
    let args = ["--settings", "or:2,lta", "--simulate", "--keep"];
    run_command(new_experiment(&out, &args), "").expect_exit(0);
    assert_eq!(read_results(&out), read_results(undisturbed_experiment()));
    let journals = fs::read_dir(out.join("runs")).unwrap();
    assert!(
        journals
            .filter(|run| run.as_ref().unwrap().path().join("journal.jsonl").exists())
            .count()
            == 4,
        "--keep keeps the journals"
    );
}

#[test]
fn together_the_targets_take_turns_in_one_run() {
    let dir = temp_folder();
    let out = dir.path().join("together");
    let mut command = new_experiment(&out, &["--together", "--simulate"]);
    command.args([
        "--settings",
        "or:2",
        "--targets",
        "slv,hrv",
        "--queries",
        "7",
        "--calls",
        "100",
    ]);
    run_command(command, "").expect_exit(0);
    let results = read_results(&out);
    let targets: Vec<&str> = results
        .iter()
        .map(|run| run["target"].as_str().unwrap())
        .collect();
    assert_eq!(targets, ["hrv", "slv", "hrv", "slv"]);
    // Seven steps in turn; a turn may be an attempt, which is no step.
    let steps = |run: &Value| {
        let last = run["points"].as_array().unwrap().last().unwrap();
        last[0].as_u64().unwrap()
    };
    for together in results.chunks(2) {
        assert!(together.iter().map(steps).sum::<u64>() <= 7, "{together:?}");
        assert!(together.iter().all(|run| steps(run) > 0), "{together:?}");
    }
    for run in &results {
        let last = run["points"].as_array().unwrap().last().unwrap();
        assert_eq!(run["limits"], serde_json::json!({"steps": 3}));
        let (queries, precision) = (last[9].as_u64().unwrap(), last[10].as_u64().unwrap());
        assert!(queries > 0 && precision <= queries * 1_000_000, "{run}");
    }
}

#[test]
fn a_killed_experiment_is_resumed_with_the_same_results() {
    let dir = temp_folder();
    let out = dir.path().join("killed");
    let mut killed = new_experiment(&out, &["--settings", "or:2,lta", "--quiet"]);
    // Only the first run can finish, so the experiment is killed in the middle.
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
    wait_for("the end of the first run", || cell.exists());
    let group = format!("-{}", child.id());
    assert!(
        Command::new("kill")
            .args(["-KILL", "--", &group])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    wait_for("the end of all processes", || {
        running_processes(child.id()).is_empty()
    });
    let modified_before = fs::metadata(&cell).unwrap().modified().unwrap();
    let output =
        run_command(experiment_command(&["--out", out.to_str().unwrap()]), "").expect_exit(0);
    assert!(
        !output.stderr.contains("run 1 of 4"),
        "a finished run is not repeated: {}",
        output.stderr
    );
    assert_eq!(
        fs::metadata(&cell).unwrap().modified().unwrap(),
        modified_before
    );
    assert_eq!(read_results(&out), read_results(undisturbed_experiment()));
}

#[test]
fn settings_can_be_added_but_limits_cannot_be_changed() {
    let dir = temp_folder();
    let out = dir.path().join("extended");
    let file = dir.path().join("settings.tsv");
    fs::write(
        &file,
        "# name, options\n\nor:2\t--include or:2 --exclude or:2\n\
         short\t--include or:1 --exclude or:0",
    )
    .unwrap();
    run_command(
        new_experiment(&out, &["--settings", "or:2", "--seeds", "1"]),
        "",
    )
    .expect_exit(0);
    let output = run_command(
        experiment_command(&[
            "--out",
            out.to_str().unwrap(),
            "--settings",
            file.to_str().unwrap(),
        ]),
        "",
    )
    .expect_exit(0);
    assert!(
        output.stderr.contains("run 2 of 2: short slv 1") && !output.stderr.contains("run 1"),
        "{}",
        output.stderr
    );
    assert_eq!(read_results(&out).len(), 2);
    let output = run_command(
        experiment_command(&["--out", out.to_str().unwrap(), "--calls", "3"]),
        "",
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("--calls 3: the experiment in") && output.stderr.contains("has 2"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_invalid_setting_is_refused_before_any_run_and_a_setting_keeps_its_options() {
    let dir = temp_folder();
    let out = dir.path().join("half");
    let output = run_command(
        new_experiment(&out, &["--settings", "or:2,orr:2", "--seeds", "1"]),
        "",
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("setting orr:2: ")
            && output.stderr.contains("'orr:2' for '--include"),
        "{}",
        output.stderr
    );
    assert!(!out.join("experiment.conf").exists());
    let file = dir.path().join("settings");
    let run_with_settings = |line: &str, code: i32| {
        fs::write(&file, line).unwrap();
        run_command(
            new_experiment(
                &out,
                &["--settings", file.to_str().unwrap(), "--seeds", "1"],
            ),
            "",
        )
        .expect_exit(code)
        .stderr
    };
    run_with_settings("# one\n \na\t--include or:2 --exclude or:2\r\n", 0);
    let output = run_with_settings("a\t--include un:2 --exclude un:2\n", 2);
    assert!(
        output.contains("was `--include or:2 --exclude or:2` in earlier runs"),
        "{output}"
    );
    assert!(
        run_with_settings("b --include un:2\n", 2)
            .contains("settings:1: `b --include un:2`: expected a name, a tab")
    );
    assert!(run_with_settings("\nb\t--learn auto --out x\n", 2).contains("settings:2: b: "));
}

#[test]
fn missing_files_and_invalid_options_are_refused_before_any_run() {
    let dir = temp_folder();
    let assert_refused = |extra_args: &[&str], message: &str| {
        let output =
            run_command(new_experiment(&dir.path().join("x"), extra_args), "").expect_exit(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    };
    assert_refused(&["--settings", "or:1,or:1"], "or:1 is given twice");
    assert_refused(&["--settings", "or:1", "--seeds", "one"], "--seeds one");
    assert_refused(
        &["--settings", "or:1", "--truth", "no.tsv"],
        "--truth no.tsv: no such file",
    );
    assert_refused(
        &["--settings", "or:1", "--init", "."],
        "give only one of them",
    );
    assert_refused(
        &["--settings", "or:1", "--colour", "red"],
        "--colour is not an option",
    );
    assert_refused(
        &["--settings", "or:1", "--targets", "xxx"],
        "truth.tsv: has no class xxx",
    );
    for (args, message) in [
        (
            ["--settings", "bad/nofile"],
            "bad/nofile: no such file, and setting bad/nofile: ",
        ),
        (
            ["--settings", "or:1,/no/file"],
            "no such file, and `/no/file` is not a setting",
        ),
        (
            ["--batch", "Auto"],
            "--batch Auto: is neither auto nor a number",
        ),
        (
            ["--langid-method", "out-of-place"],
            "options of corpus-builder go into a file of --settings",
        ),
    ] {
        assert_refused(&[&["--settings", "or:1"], &args[..]].concat(), message);
    }
    assert!(
        !dir.path().join("x/init").exists(),
        "settings are checked before documents are drawn"
    );
}

#[test]
fn a_setting_can_begin_with_several_documents_and_learn_its_classifier() {
    let dir = temp_folder();
    let out = dir.path().join("rounds");
    let file = dir.path().join("settings.tsv");
    let run = |options: &str, args: &[&str]| {
        fs::write(&file, format!("rounds\t{options}\n")).unwrap();
        let args = [
            &["--settings", file.to_str().unwrap(), "--init-docs", "3"],
            args,
        ]
        .concat();
        run_command(new_experiment(&out, &args), "")
    };
    let refused = run("--include or:2 --exclude or:2 --rate 3", &["--simulate"]);
    let stderr = refused.expect_exit(2).stderr;
    assert!(
        stderr.contains("setting rounds: unexpected argument '--rate'"),
        "{stderr}"
    );
    let options = "--include or:2 --exclude or:2 --seeds-per-round 1 --classifier run:0";
    run(options, &["--simulate", "--keep"]).expect_exit(0);
    let journal = fs::read_to_string(out.join("runs/rounds,slv,1/journal.jsonl")).unwrap();
    let waiting = |line: &&str| line.contains("\"from_step\":");
    assert_eq!(journal.lines().take(6).filter(waiting).count(), 4);
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    let row = format!("| `rounds` | `{options}` |");
    assert!(report.contains(&row), "{report}");
}

fn measure_run(seed: u64) -> ToolOutput {
    let journal = concat!(
        r#"{"step":{"number":1,"target":"slv"},"query":{"id":"q"},"url":"http://a/","#,
        r#""hit":{"engine":"x","calls":1},"text":"a","label":"slv"}"#
    );
    run_tool(
        "measure-run",
        ["--setting", "a", "--seed", &seed.to_string()],
        journal,
    )
}

#[test]
fn a_journal_without_steps_and_an_invalid_truth_file_are_refused() {
    let output = run_tool(
        "measure-run",
        [""; 0],
        r#"{"text":"initial","label":"slv"}"#,
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("no record has a `step`"),
        "{}",
        output.stderr
    );
    let dir = temp_folder();
    let truth = dir.path().join("truth.tsv");
    for (text, message) in [
        ("http://a/\tslv\nhttp://b/ hrv\n", ":2: is not"),
        ("", "has no lines"),
    ] {
        fs::write(&truth, text).unwrap();
        let output =
            run_tool("measure-run", ["--truth", truth.to_str().unwrap()], "{}").expect_exit(2);
        assert!(
            output.stderr.contains("truth.tsv") && output.stderr.contains(message),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn a_line_that_is_not_a_run_is_skipped_and_reported() {
    let dir = temp_folder();
    let report = |input: &str, extra_args: &[&str]| {
        let out = dir.path().join("report.md");
        run_tool(
            "report-runs",
            [&["--out", out.to_str().unwrap()], extra_args].concat(),
            input,
        )
    };
    let one = measure_run(1).expect_exit(0).stdout;
    let two = measure_run(2).expect_exit(0).stdout;
    let findings = dir.path().join("f.tsv");
    let write_findings = |lines: &str| {
        fs::write(
            &findings,
            format!("finding\tleft\trelation\tright\n{lines}\n"),
        )
        .unwrap()
    };
    write_findings(
        "All are relevant\ta PosDocs calls=1\t>=\t1\nAll are found\ta recall calls=1\t>=\t1",
    );
    let options = ["--findings", findings.to_str().unwrap()];
    report(&format!("{one}\n{two}"), &options).expect_exit(0);
    let text = fs::read_to_string(dir.path().join("report.md")).unwrap();
    let finding_line = |finding: &str| {
        text.lines()
            .find(|line| line.contains(finding))
            .unwrap()
            .to_owned()
    };
    assert!(text.contains("2 runs of 1 settings"), "{text}");
    assert!(
        finding_line("All are relevant")
            .ends_with("| 1.000 | 1 | 0.000 | 2 of 2 (1) | undecided |"),
        "{text}"
    );
    assert!(
        finding_line("All are found").ends_with("| 0 of 2 (0) | not tested |"),
        "{text}"
    );
    let output = report(&format!("{one}{one}x\n"), &options).expect_exit(1);
    assert!(
        output.stderr.contains("-:2: a second run of a") && output.stderr.contains("-:3: "),
        "{}",
        output.stderr
    );
    assert!(
        report("", &options)
            .expect_exit(2)
            .stderr
            .contains("no run to report on")
    );
    write_findings("All are found\ta recal calls=1\t>=\t1");
    assert!(
        report(&one, &options)
            .expect_exit(2)
            .stderr
            .contains("f.tsv: line 2: `recal` is not a quantity")
    );
}
