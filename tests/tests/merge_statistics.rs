//! `update-stats --merge`: the statistics of several people as one.

use forage_tests::{run_tool, temp_folder, tool_path};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns documents `from` to `to` with labels; each has words of its own and of its class.
fn documents(from: usize, to: usize) -> String {
    (from..to).fold(String::new(), |mut lines, i| {
        let (class, words) = [
            ("slv", "je lepa hiša"),
            ("eng", "a fine house"),
            ("hrv", "je lijepa kuća"),
            // ş is read as ș, and si is another word.
            ("ron", "fără casă si si şi şi"),
        ][i % 4];
        let rest = format!("b{} c{} d{} e{i}", i % 7, i % 11, i % 13);
        writeln!(
            lines,
            r#"{{"url":"http://{i}.test/","label":"{class}","text":"{words} {rest}"}}"#
        )
        .unwrap();
        lines
    })
}

fn count(stats: &Path, lines: &str) {
    run_tool("update-stats", ["--stats", stats.to_str().unwrap()], lines).expect_exit(0);
}

fn merge_args<'a>(stats: &'a Path, files: &'a [&Path]) -> Vec<&'a str> {
    let files = files.iter().map(|file| file.to_str().unwrap());
    ["--stats", stats.to_str().unwrap(), "--merge"]
        .into_iter()
        .chain(files)
        .collect()
}

/// Returns what gen-query selects with a method on both sides.
fn explain(stats: &Path, method: &str) -> String {
    let args = [
        "--stats",
        stats.to_str().unwrap(),
        "--target",
        "slv",
        "--include",
        method,
    ];
    let more = ["--exclude", method, "--step", "1", "-n", "3", "--explain"];
    run_tool("gen-query", args.into_iter().chain(more), "")
        .expect_exit(0)
        .stdout
}

#[test]
fn merged_statistics_select_what_those_that_were_counted_in_one_go_select() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name);
    let (a, b, c) = (documents(0, 150), documents(100, 260), documents(250, 400));
    for (name, lines) in [("a", &*a), ("b", &b), ("c", &c)] {
        count(&path(name), lines);
    }
    count(&path("whole"), &documents(200, 400));
    count(&path("whole"), &documents(0, 200));
    let (a, b, c) = (path("a"), path("b"), path("c"));
    for (name, files) in [("abc", [&*a, &b, &c]), ("cab", [&c, &a, &b])] {
        let merged = path(name);
        let output = run_tool("update-stats", merge_args(&merged, &files), "").expect_exit(0);
        assert!(output.stdout.is_empty());
        assert!(
            output.stderr.contains("400 documents") && output.stderr.contains("60 that"),
            "{}",
            output.stderr
        );
        assert!(output.stderr.contains("run history") && output.stderr.lines().count() == 1);
        for method in [
            "or:5", "tf:5", "rtfidf:5", "por:5", "porh:5", "ptf:5", "un:5", "co:3",
        ] {
            assert_eq!(
                explain(&merged, method),
                explain(&path("whole"), method),
                "{method}"
            );
        }
    }
    assert!(fs::read(path("abc")).unwrap() == fs::read(path("cab")).unwrap());
}

#[test]
fn a_merge_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name);
    let (a, b, out) = (path("a"), path("b"), path("out"));
    count(&a, &documents(0, 2000));
    count(&b, &documents(1000, 3000));
    count(&out, &documents(0, 3));
    let old = fs::read(&out).unwrap();
    let files = [&*a, &*b];
    for wait_for_file in [false, true, true] {
        let mut merge = Command::new(tool_path("update-stats"))
            .args(merge_args(&out, &files))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while wait_for_file
            && !path("out.forage-rebuild").exists()
            && merge.try_wait().unwrap().is_none()
        {}
        merge.kill().unwrap();
        merge.wait().unwrap();
        let now = fs::read(&out).unwrap();
        let is_old = now == old;
        if !is_old {
            assert!(explain(&out, "or:3").lines().count() >= 3);
        }
    }
    run_tool("update-stats", merge_args(&out, &files), "").expect_exit(0);
    run_tool("update-stats", merge_args(&path("new"), &[&b, &a]), "").expect_exit(0);
    assert!(fs::read(&out).unwrap() == fs::read(path("new")).unwrap());
    assert!(!path("out.forage-rebuild").exists());
}

#[test]
fn a_file_in_a_read_only_folder_is_merged_and_left_as_it_is() {
    let dir = temp_folder();
    let folder = dir.path().join("shared");
    fs::create_dir(&folder).unwrap();
    let (a, out) = (folder.join("a"), dir.path().join("out"));
    count(&a, &documents(0, 20));
    let before = fs::read(&a).unwrap();
    let set_mode = |mode| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(0o555);
    run_tool("update-stats", merge_args(&out, &[&a]), "").expect_exit(0);
    set_mode(0o755);
    assert!(fs::read(&a).unwrap() == before && fs::read_dir(&folder).unwrap().count() == 1);
}

#[test]
fn input_that_cannot_be_merged_is_refused_by_name() {
    let dir = temp_folder();
    let (letter, out) = (dir.path().join("letter"), dir.path().join("out"));
    fs::write(&letter, "no database\n".repeat(200)).unwrap();
    let stderr = run_tool("update-stats", merge_args(&out, &[&letter]), "")
        .expect_exit(2)
        .stderr;
    assert!(
        stderr.contains(letter.to_str().unwrap()) && !out.exists(),
        "{stderr}"
    );
    for option in [
        ["--journal", "j"],
        ["--init", "slv=x"],
        ["--from-step", "1"],
    ] {
        let files = [&*letter];
        let args = option.into_iter().chain(merge_args(&out, &files));
        run_tool("update-stats", args, "").expect_exit(2);
    }
}
