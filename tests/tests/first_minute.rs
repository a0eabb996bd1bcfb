//! What who tries a tool or a pipeline meets first: help that fits a screen, options from a file,
//! folders, one progress line on a terminal, and errors of one line.

use forage_tests::closed_web::{new_run_command, pipeline_command, web_folder};
use forage_tests::{PIPELINES, TOOLS, ToolOutput, run_bash, run_command, run_tool, temp_folder};
use std::fs;
use std::process::Command;

const SLOVENIAN: &str = "Danes je lep dan, zato gremo na sprehod po mestu in ob reki.";

fn ask_pipeline(name: &str, args: &[&str]) -> ToolOutput {
    run_command(pipeline_command(name, args), "")
}

/// Runs a command of bash on a terminal of 80 columns, and returns what it shows.
fn show_on_terminal(command: &Command) -> String {
    let quote = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap());
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(quote).collect();
    let path = command.get_envs().find(|(name, _)| *name == "PATH");
    let mut python = Command::new("python3");
    python.args([
        "-c",
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
        "bash",
        "-c",
        &format!("stty cols 80; {}", words.join(" ")),
    ]);
    if let Some((_, Some(path))) = path {
        python.env("PATH", path);
    }
    python.env("TERM", "xterm");
    run_command(python, "").expect_exit(0).stdout
}

#[test]
fn the_short_help_fits_a_screen() {
    let helps = TOOLS.iter().map(|tool| (*tool, run_tool(tool, ["-h"], "")));
    let pipelines = PIPELINES
        .iter()
        .map(|name| (*name, ask_pipeline(name, &["-h"])));
    for (name, help) in helps.chain(pipelines) {
        let help = help.expect_exit(0).stdout;
        assert!(
            help.contains("Usage: ") && help.contains("--help"),
            "{name}"
        );
        assert!(help.lines().count() <= 24, "{name} -h:\n{help}");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{name} -h: {line}");
        }
    }
}

#[test]
fn all_programs_have_a_short_option_of_their_version() {
    for tool in TOOLS {
        let version = run_tool(tool, ["-V"], "").expect_exit(0).stdout;
        assert!(version.starts_with(&format!("{tool} ")), "{version}");
    }
    for name in PIPELINES {
        let version = ask_pipeline(name, &["-V"]).expect_exit(0).stdout;
        assert!(version.starts_with(&format!("{name} ")), "{version}");
    }
}

#[test]
fn a_wrong_option_or_a_missing_file_is_one_line() {
    let assert_one_line = |name: &str, output: ToolOutput, part: &str| {
        let stderr = output.expect_exit(2).stderr;
        assert!(
            stderr.lines().count() == 1
                && stderr.starts_with(&format!("{name}: "))
                && stderr.contains(part),
            "{stderr}"
        );
    };
    for tool in TOOLS {
        let see = format!("see {tool} --help");
        assert_one_line(tool, run_tool(tool, ["--no-such-option"], ""), &see);
    }
    for name in PIPELINES {
        let see = format!("see {name} --help");
        assert_one_line(name, ask_pipeline(name, &["--no-such-option"]), &see);
        assert_one_line(name, ask_pipeline(name, &[]), "required");
    }
    // Created before the records are read.
    let folder = temp_folder();
    let judgements = folder.path().join("missing.tsv").display().to_string();
    for (tool, args) in [
        ("concordance", &["dan"][..]),
        ("quality", &[]),
        ("corpus-export", &["--out", "-"]),
        ("corpus-report", &[]),
        ("ngram-profile", &["--lang", "slv", "--out", "-"]),
        ("keywords", &[]),
        ("langid", &[]),
        ("langid", &["--lines"]),
        ("search", &["--engine", "index:missing"]),
        ("fetch-extract", &[]),
        ("dedup", &[]),
        ("topic-profile", &["--explain"]),
        ("sample", &["--share", "0.1"]),
        ("take-down", &[]),
        ("review-page", &["--judgements", &judgements]),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["missing.jsonl"]).collect();
        assert_one_line(tool, run_tool(tool, args, ""), "missing");
    }
}

#[test]
fn options_can_be_in_a_file() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let options = path("options");
    fs::write(
        &options,
        "# the languages\n--only slv,hrv\n--jobs=1\n\n--lines\n",
    )
    .unwrap();
    let at = format!("@{options}");
    let output = run_tool("langid", [&*at, "-"], SLOVENIAN).expect_exit(0);
    assert!(output.stdout.starts_with("slv\t"), "{}", output.stdout);

    let missing = run_tool("langid", ["@missing"], "").expect_exit(2).stderr;
    assert!(
        missing.starts_with("langid: @missing: No such file") && missing.lines().count() == 1,
        "{missing}"
    );

    // Options after the file replace those in it.
    fs::write(&options, "--docs 3\n--seed 7\n--quiet\n").unwrap();
    let out = dir.path().join("run");
    let command = new_run_command(&out, &[&at, "--docs", "2"]);
    run_command(command, "").expect_exit(0);
    let settings = fs::read_to_string(out.join("run.conf")).unwrap();
    assert!(
        settings.contains("\ndocs=2\n") && settings.contains("\nseed=7\n"),
        "{settings}"
    );
}

#[test]
fn files_in_folders_are_read_on_request() {
    let dir = temp_folder();
    let folder = dir.path().join("records");
    fs::create_dir_all(folder.join("more")).unwrap();
    // Texts that read the same would be exported once.
    let record = |id: usize| {
        let place = ["", "most", "park", "grad", "trg"][id];
        format!("{{\"id\":\"{id}\",\"text\":\"{SLOVENIAN} Tam je {place}.\"}}\n")
    };
    fs::write(folder.join("b.jsonl"), record(2)).unwrap();
    fs::write(folder.join("a.jsonl"), record(1)).unwrap();
    fs::write(folder.join("more/c.jsonl"), record(3)).unwrap();
    fs::write(folder.join(".hidden"), record(4)).unwrap();
    let folder = folder.to_str().unwrap();
    let refused = run_tool("langid", [folder], "").expect_exit(2).stderr;
    assert!(
        refused.contains("is a folder; use --recursive"),
        "{refused}"
    );
    let ids = |output: ToolOutput| -> Vec<String> {
        let records = output.expect_exit(0).records();
        let ids = records
            .iter()
            .map(|record| record["id"].as_str().unwrap().to_owned());
        ids.collect()
    };
    assert_eq!(ids(run_tool("langid", ["-r", folder], "")), ["1", "2", "3"]);
    let exported = run_tool("corpus-export", ["-r", "-q", "--out", "-", folder], "");
    assert_eq!(ids(exported), ["1", "2", "3"]);
    // It reads the records twice.
    let sample = ["-r", "-q", "--share", "1", "--by", "text", folder];
    assert_eq!(ids(run_tool("sample", sample, "")).len(), 3);
    let lines = run_tool("concordance", ["-r", "-q", "mestu", folder], "").expect_exit(0);
    assert_eq!(lines.stdout.lines().count(), 3, "{}", lines.stdout);

    fs::create_dir(dir.path().join("pages")).unwrap();
    let page = format!("<title>Dan</title><article><p>{SLOVENIAN}</article>");
    fs::write(dir.path().join("pages/a.html"), page).unwrap();
    let pages = dir.path().join("pages").display().to_string();
    let read = run_tool("fetch-extract", ["-r", "--progress", "--html", &pages], "");
    assert_eq!(read.records()[0]["title"], "Dan");
    assert!(read.stderr.contains("1 files"), "{}", read.stderr);
    fs::remove_file(dir.path().join("pages/a.html")).unwrap();
    let empty = run_tool("langid", ["-r", &pages], "").expect_exit(2).stderr;
    assert!(
        empty.contains("pages: has no file; hidden files"),
        "{empty}"
    );
}

#[test]
fn a_name_that_is_no_code_gets_the_codes_of_similar_names() {
    for (name, codes) in [
        ("Sorbian", "dsb (Lower Sorbian), hsb (Upper Sorbian)"),
        ("Slovenain", "slv (Slovenian)"),
        ("Croatian", "its code is hrv"),
    ] {
        let output = run_tool("langid", ["--resolve", name], "").expect_exit(2);
        assert!(
            output.stderr.trim_end().ends_with(codes) && output.stderr.lines().count() == 1,
            "{}",
            output.stderr
        );
    }
}

#[test]
fn a_folder_that_is_no_run_is_described() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    let path = |name: &str| dir.path().join(name).display().to_string();
    run_command(new_run_command(&run, &["--docs", "2", "--quiet"]), "").expect_exit(0);
    run_command(
        pipeline_command("review", &["--no-page", "--quiet", &path("run")]),
        "",
    );
    let web = web_folder().join("index").display().to_string();
    for (pipeline, folder, part) in [
        (
            "corpus-builder",
            path("run/review"),
            "is the review of a run; name the run, ",
        ),
        (
            "corpus-builder",
            path("run/corpus"),
            "is a part of a run; name the run, ",
        ),
        ("corpus-builder", path("missing"), "no such folder"),
        ("corpus-builder", path("run/run.conf"), "is a file"),
        ("corpus-builder", web, "is an embedded index"),
        ("corpus-builder", path("."), "has one; name "),
        (
            "focused-crawl",
            path("run"),
            "is a run of corpus-builder; resume it by corpus-builder",
        ),
    ] {
        let refused = ask_pipeline(pipeline, &["--resume", &folder]).expect_exit(2);
        assert!(
            refused.stderr.contains(part) && refused.stderr.lines().count() == 1,
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_terminal_shows_one_line_of_progress_and_a_pipe_a_line_per_document() {
    let dir = temp_folder();
    let documents = |text: &str| text.matches("PosDocs ").count();
    let run = |name: &str, args: &[&str]| {
        let args: Vec<&str> = ["--docs", "4"].iter().chain(args).copied().collect();
        new_run_command(&dir.path().join(name), &args)
    };
    let piped = run_command(run("piped", &[]), "").expect_exit(0).stderr;
    let terminal = show_on_terminal(&run("terminal", &[]));
    let verbose = show_on_terminal(&run("verbose", &["--verbose"]));
    // The end of the run has one line of figures, too.
    assert!(documents(&piped) > 4, "{piped}");
    assert_eq!(documents(&verbose), documents(&piped), "{verbose}");
    assert_eq!(documents(&terminal), 1, "{terminal}");
    assert!(
        !piped.contains('\x1b') && !verbose.contains("\x1b[K"),
        "{verbose}"
    );
    let steps: Vec<&str> = terminal.split("\r\x1b[K").collect();
    assert!(
        steps[1].starts_with("step 1: 0 of 4 documents, 0 in the corpus"),
        "{terminal}"
    );
    assert!(
        steps.iter().any(|step| step.starts_with("step 3: ")),
        "{terminal}"
    );
    let journal = |name: &str| fs::read(dir.path().join(name).join("journal.jsonl")).unwrap();
    assert_eq!(journal("terminal"), journal("piped"));
}

#[test]
fn the_engines_are_an_aligned_table_on_a_terminal() {
    let piped = run_tool("search", ["--engines"], "").expect_exit(0).stdout;
    assert!(
        piped.lines().all(|line| line.matches('\t').count() == 3),
        "{piped}"
    );
    let mut command = Command::new(forage_tests::tool_path("search"));
    command.arg("--engines");
    let shown = show_on_terminal(&command);
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let column = lines[0].find("CAPABILITIES").unwrap();
    assert!(
        lines[0].starts_with("ENGINE") && !shown.contains('\t'),
        "{shown}"
    );
    assert!(lines.len() > piped.lines().count(), "{shown}");
    for line in &lines {
        assert!(line.chars().count() <= 80, "{line}");
        let cell = line.get(column - 2..column).unwrap_or("  ");
        assert_eq!(cell, "  ", "{line}");
    }
}

#[test]
fn completions_of_pipelines_have_options_and_files() {
    for name in PIPELINES {
        let completions = ask_pipeline(name, &["--generate", "bash"])
            .expect_exit(0)
            .stdout;
        let dir = temp_folder();
        fs::write(dir.path().join("completions"), &completions).unwrap();
        fs::write(dir.path().join("my-file"), "").unwrap();
        let complete = |words: &str, previous: &str, current: &str| {
            let script = format!(
                "cd '{}'; . ./completions
                COMP_WORDS=({name} {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
                function=$(complete -p {name} | grep -o -- '-F [^ ]*' | cut -d ' ' -f 2)
                $function {name} '{current}' '{previous}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                dir.path().display()
            );
            run_bash(&script, "").expect_exit(0).stdout
        };
        let start = match name {
            "review" => "--no",
            _ => "--o",
        };
        let options = complete(start, name, start);
        assert!(
            options.lines().all(|word| word.starts_with(start)),
            "{name}: {options}"
        );
        assert!(!options.trim().is_empty(), "{name}");
        // Bash adds the folders itself.
        let of_out = completions.split("--out)\n").nth(1).unwrap_or("plusdirs");
        let of_out = of_out.split("return 0").next().unwrap_or_default();
        assert!(of_out.contains("plusdirs"), "{name}: {of_out}");
        if name == "focused-crawl" {
            let files = complete("--seeds my-f", "--seeds", "my-f");
            assert_eq!(files.trim(), "my-file");
        }
    }
}
