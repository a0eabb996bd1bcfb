//! The arguments of the pipelines: options without a value, file names that look like options, and
//! messages that name what is missing.

use forage_tests::closed_web::{new_run_command, pipeline_command, run_pipeline, web_folder};
use forage_tests::temp_folder;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Runs a pipeline that has to refuse its arguments; returns its messages.
#[track_caller]
fn refusal(pipeline: &str, args: &[&str]) -> String {
    run_pipeline(pipeline_command(pipeline, args))
        .expect_exit(2)
        .stderr
}

#[test]
fn an_option_without_a_value_says_so_if_it_is_given_one() {
    for (pipeline, argument, option) in [
        ("corpus-builder", "--force=1", "--force"),
        ("corpus-builder", "--check-arguments=1", "--check-arguments"),
        ("corpus-builder", "--quiet=yes", "--quiet"),
        ("autocor", "--no-prune=1", "--no-prune"),
        ("special-domain", "--check=1", "--check"),
        ("focused-crawl", "--respect-optout=yes", "--respect-optout"),
        ("review", "--no-page=1", "--no-page"),
    ] {
        let stderr = refusal(pipeline, &[argument, "--out", "run"]);
        let start = format!("{pipeline}: unexpected value ");
        assert!(
            stderr.starts_with(&start) && stderr.contains(option),
            "{stderr}"
        );
    }
    let stderr = refusal("experiment", &["--simulate=1", "--out", "run"]);
    assert_eq!(stderr, "experiment: --simulate takes no value\n");
}

#[test]
fn a_check_and_a_dry_run_are_not_combined() {
    let args = ["--check", "--dry-run", "--out", "run"];
    assert_eq!(
        refusal("corpus-builder", &args),
        "corpus-builder: give one of --check, --dry-run\n"
    );
    let args = ["--check", "--check", "--out", "run"];
    assert!(!refusal("corpus-builder", &args).contains("give one of"));
}

#[test]
fn names_of_files_may_begin_with_hyphens() {
    let dir = temp_folder();
    fs::write(dir.path().join("--deny.txt"), "evil.test\n").unwrap();
    fs::write(
        dir.path().join("-known.jsonl"),
        "{\"url\":\"http://a.test/\",\"text\":\"danes je lep dan\"}\n",
    )
    .unwrap();
    let out = dir.path().join("run");
    let args = [
        "--hosts-deny=--deny.txt",
        "--known=-known.jsonl",
        "--docs=2",
    ];
    let mut command = new_run_command(&out, &args);
    command.current_dir(dir.path());
    run_pipeline(command).expect_exit(0);
    assert_eq!(
        fs::read_to_string(out.join("init/hosts-deny")).unwrap(),
        "evil.test\n"
    );
}

#[test]
fn autocor_takes_several_files_of_an_earlier_corpus() {
    let dir = temp_folder();
    let [first, second] = ["a", "b"].map(|name| {
        let file = dir.path().join(name);
        fs::write(&file, "{\"url\":\"http://a.test/\",\"text\":\"dan\"}\n").unwrap();
        file.display().to_string()
    });
    let web = web_folder();
    let init = |class: &str| format!("{class}={}", web.join(format!("{class}.txt")).display());
    let engine = format!("index:{}", web.join("index").display());
    let out = dir.path().join("run").display().to_string();
    let args = [
        "--targets",
        "slv",
        "--others",
        "eng",
        "--init",
        &init("slv"),
        "--init",
        &init("eng"),
        "--known",
        &first,
        &second,
        "--engine",
        &engine,
        "--check-arguments",
        "--out",
        &out,
    ];
    run_pipeline(pipeline_command("autocor", &args)).expect_exit(0);
}

#[test]
fn an_initial_document_without_a_class_is_shown_with_the_likely_one() {
    for (pipeline, init, likely) in [
        ("corpus-builder", "texts/tgl-1.txt", "tgl=texts/tgl-1.txt"),
        ("corpus-builder", "words.txt", "CLASS=words.txt"),
        ("autocor", "tgl.txt", "tgl=tgl.txt"),
    ] {
        let target = if pipeline == "autocor" {
            "--targets"
        } else {
            "--target"
        };
        let args = [
            target, "tgl", "--init", init, "--engine", "index:x", "--out", "run",
        ];
        assert_eq!(
            refusal(pipeline, &args),
            format!("{pipeline}: --init {init}: the class is missing, as in --init {likely}\n")
        );
    }
}

#[test]
fn only_options_that_are_missing_are_named() {
    for (pipeline, args, message) in [
        (
            "corpus-builder",
            &["--target", "slv"][..],
            "--engine is required",
        ),
        (
            "corpus-builder",
            &["--engine", "index:x"],
            "--target is required",
        ),
        (
            "special-domain",
            &["--sample", "a.html"],
            "--engine is required",
        ),
        (
            "special-domain",
            &["--engine", "index:x"],
            "--sample is required",
        ),
        (
            "experiment",
            &["--settings", "or:1", "--targets", "slv"],
            "--engine is required",
        ),
    ] {
        let args = [args, &["--out", "run"]].concat();
        assert_eq!(
            refusal(pipeline, &args),
            format!("{pipeline}: {message}; see --help\n")
        );
    }
}

#[test]
fn messages_show_classes_as_they_were_typed() {
    let dir = temp_folder();
    let out = dir.path().join("run").display().to_string();
    let file = web_folder().join("slv.txt").display().to_string();
    let required = ["--engine", "index:x", "--quiet", "--out", &out];
    let [slovenian, croatian] = ["sl", "hr"].map(|code| format!("{code}={file}"));
    for (pipeline, args, message) in [
        (
            "corpus-builder",
            &["--target", "sl", "--init", "sl=missing.txt"][..],
            "--init sl=missing.txt: the file does not exist or cannot be read".to_owned(),
        ),
        (
            "corpus-builder",
            &["--target", "sl", "--init", &slovenian, "--init", &croatian],
            format!(
                "--init {slovenian} and --init {croatian}: two classes cannot have the same text"
            ),
        ),
        (
            "corpus-builder",
            &["--target", "sl", "--versus", "hr", "--init", &slovenian],
            "--init hr=FILE is required: at least one document or word list of each class".into(),
        ),
        (
            "autocor",
            &["--targets", "sl", "--others", "hr", "--init", &slovenian],
            "--init hr=FILE is required: at least one document of each language".into(),
        ),
        (
            "autocor",
            &["--targets", "sl", "--others", "slv", "--init", &slovenian],
            "slv: is given twice in --targets and --others, as sl".into(),
        ),
    ] {
        let args = [args, &required].concat();
        assert_eq!(refusal(pipeline, &args), format!("{pipeline}: {message}\n"));
    }
}

#[test]
fn an_older_bash_than_the_tests_were_run_with_is_refused() {
    let dir = temp_folder();
    let bash =
        "#!/bin/sh\ncase $1 in -c) printf 3.2.57; exit 1;; *) exec /bin/bash \"$@\";; esac\n";
    let mut command = pipeline_command("corpus-builder", &["--out", "run"]);
    fs::write(dir.path().join("bash"), bash).unwrap();
    fs::set_permissions(dir.path().join("bash"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let folders = [dir.path(), &forage_tests::tool_folder()].map(|dir| dir.display().to_string());
    command.env("PATH", format!("{}:{path}", folders.join(":")));
    let stderr = run_pipeline(command).expect_exit(2).stderr;
    assert_eq!(
        stderr,
        "corpus-builder: bash 3.2.57 is too old; install bash 4.4 or later\n"
    );
    let readme = fs::read_to_string(forage_tests::project_root().join("README.md")).unwrap();
    assert!(readme.contains("bash 4.4 or later"));
}
