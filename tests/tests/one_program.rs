//! `forage`, all tools in one program: by its first argument, and through links.

use forage_tests::{
    TOOLS, ToolOutput, project_root, run_command, run_tool, temp_folder, tool_path,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

fn run_forage(args: &[&str], stdin: &str) -> ToolOutput {
    run_tool("forage", args, stdin)
}

#[test]
fn a_tool_is_run_by_its_name_and_through_a_link() {
    let dir = temp_folder();
    let record = r#"{"text": "Danes je lep dan za sprehod ob jezeru."}"#;
    let expected = run_tool("langid", [""; 0], record).expect_exit(0).stdout;
    let by_name = run_forage(&["langid"], record).expect_exit(0).stdout;
    let link = dir.path().join("langid");
    symlink(tool_path("forage"), &link).unwrap();
    let by_link = run_command(Command::new(&link), record)
        .expect_exit(0)
        .stdout;
    assert!(expected.contains(r#""label":"slv""#), "{expected}");
    assert_eq!([by_name, by_link], [expected.clone(), expected]);
}

#[test]
fn all_tools_are_in_the_program() {
    let help = run_forage(&["--help"], "").expect_exit(0).stdout;
    for tool in TOOLS {
        assert!(
            help.contains(&format!("  {tool} ")),
            "{tool}: not in {help}"
        );
        let own = run_tool(tool, ["--help"], "").expect_exit(0).stdout;
        assert_eq!(run_forage(&[tool, "--help"], "").expect_exit(0).stdout, own);
    }
}

#[test]
fn the_version_names_the_commit_and_the_model() {
    let version = run_forage(&["langid", "--version"], "")
        .expect_exit(0)
        .stdout;
    assert!(version.starts_with("langid "), "{version}");
    assert!(
        version.contains("; commit ") && version.contains(", model "),
        "{version}"
    );
}

#[test]
fn what_is_no_tool_is_refused() {
    for args in [&[][..], &["langit"], &["--lines"], &["no/langid"]] {
        let output = run_forage(args, "").expect_exit(2);
        assert!(
            !output.stderr.is_empty() && output.stdout.is_empty(),
            "{args:?}"
        );
    }
    let output = run_forage(&["langit"], "").expect_exit(2);
    assert!(output.stderr.contains("langid"), "{}", output.stderr);
}

/// PDFs are read by another process of the program, which is not called by the name of a tool.
#[test]
fn a_pdf_is_read_through_a_link() {
    let dir = temp_folder();
    let link = dir.path().join("fetch-extract");
    symlink(tool_path("forage"), &link).unwrap();
    let pdf = project_root().join("tests/fuzz/seeds/pdf/truetype.pdf");
    let mut command = Command::new(&link);
    command.arg("--html").arg(&pdf);
    let through_link = run_command(command, "").expect_exit(0).stdout;
    let expected = run_tool("fetch-extract", ["--html".as_ref(), pdf.as_os_str()], "")
        .expect_exit(0)
        .stdout;
    assert!(expected.contains("text"), "{expected}");
    assert_eq!(through_link, expected);
}

#[test]
fn links_and_pipelines_are_written_but_replace_no_other_file() {
    let dir = temp_folder();
    let folder = dir.path().join("bin");
    let args = ["--link", folder.to_str().unwrap()];
    let langid = folder.join("langid");
    for _ in 0..2 {
        run_forage(&args, "").expect_exit(0);
        let output = run_command(Command::new(&langid), r#"{"text": "Danes je lep dan."}"#);
        assert!(output.expect_exit(0).stdout.contains("slv"));
    }
    for entry in fs::read_dir(project_root().join("pipelines")).unwrap() {
        let name = entry.unwrap().file_name();
        let is_script = !name.to_string_lossy().contains('.');
        assert_eq!(folder.join(&name).exists(), is_script, "{name:?}");
    }
    let mut command = Command::new(folder.join("corpus-builder"));
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    command.arg("--version").env("PATH", path);
    run_command(command, "").expect_exit(0);

    // A pipeline that was changed is kept beside the new one.
    let pipeline = folder.join("review");
    fs::write(&pipeline, "#!/bin/sh\n# review: mine\n").unwrap();
    run_forage(&args, "").expect_exit(0);
    assert!(
        fs::read_to_string(pipeline.with_extension("old"))
            .unwrap()
            .ends_with("mine\n")
    );
    assert!(
        fs::read_to_string(&pipeline)
            .unwrap()
            .starts_with("#!/usr/bin/env bash")
    );
    assert!(!folder.join("cluster.old").exists());
    run_forage(&[&args[..], &["langid"]].concat(), "").expect_exit(2);
    let output = run_forage(&["review", "--help"], "").expect_exit(2);
    assert!(output.stderr.contains("is a pipeline"), "{}", output.stderr);

    // A later link is not written either.
    fs::remove_file(folder.join("search")).unwrap();
    fs::remove_file(&langid).unwrap();
    fs::write(&langid, "other").unwrap();
    let output = run_forage(&args, "").expect_exit(2);
    assert!(
        output.stderr.contains("langid: is another file"),
        "{}",
        output.stderr
    );
    assert_eq!(fs::read(&langid).unwrap(), b"other");
    assert!(!folder.join("search").exists());
}
