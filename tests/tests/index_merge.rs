//! `search --merge`: the documents of several embedded indexes in one.

use crate::state_files::set_segmentation_version;
use forage_tests::{run_command, run_tool, temp_folder, tool_path};
use serde_json::json;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns documents that link to each other, whose texts have `word`.
fn documents(numbers: Range<usize>, word: &str) -> String {
    let document = |i: usize| {
        let text = (0..i % 7 + 1).map(|k| format!("{word} beseda{}{k}", i * 31 % 400));
        let record = json!({
            "url": format!("http://{i}.test/"),
            "text": text.collect::<Vec<_>>().join(" "),
            "links": [{"url": format!("http://{}.test/", i % 5), "text": ""}],
        });
        format!("{record}\n")
    };
    numbers.map(document).collect()
}

fn search(folder: &Path, args: &[&str], stdin: &str) -> String {
    let mut command = Command::new(tool_path("search"));
    command.current_dir(folder).args(args);
    run_command(command, stdin).expect_exit(0).stdout
}

fn failure(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(tool_path("search"));
    command.current_dir(folder).args(args);
    run_command(command, "").expect_exit(2).stderr
}

fn add(folder: &Path, index: &str, documents: &str) {
    let spec = format!("index:{index}");
    search(folder, &["--engine", &spec, "--add"], documents);
}

/// Returns the documents of an index, and its hits for words and for links.
fn content(folder: &Path, index: &str) -> [String; 2] {
    let spec = format!("index:{index}");
    let queries = [
        json!({"query": {"include": ["je"], "exclude": ["beseda310"]}}),
        json!({"query": {"include": ["bo"]}}),
        json!({"query": {"links_to": "http://3.test/"}}),
        json!({"query": {"like": "http://9.test/"}}),
    ];
    let queries = queries.map(|query| format!("{query}\n")).concat();
    [
        search(folder, &["--engine", &spec, "--dump"], ""),
        search(folder, &["--engine", &spec, "--top", "60"], &queries).replace(&spec, ""),
    ]
}

#[test]
fn a_merged_index_finds_what_one_of_all_documents_finds() {
    let dir = temp_folder();
    let folder = dir.path();
    let parts = [
        documents(0..60, "je"),
        documents(40..90, "je"),
        // Other texts at the same URLs.
        documents(80..120, "bo"),
    ];
    for (part, name) in parts.iter().zip(["a", "b", "c"]) {
        add(folder, name, part);
    }
    add(folder, "whole", &parts.concat());
    let expected = content(folder, "whole");
    let merge = ["--engine", "index:new", "--merge", "a", "index:b", "c"];
    let output = {
        let mut command = Command::new(tool_path("search"));
        command.current_dir(folder).args(merge);
        run_command(command, "").expect_exit(0)
    };
    assert_eq!(output.stdout, "");
    assert!(
        output
            .stderr
            .contains("index:new: 120 documents; 30 replaced by one with the same URL"),
        "{}",
        output.stderr
    );
    assert_eq!(content(folder, "new"), expected);
    let before = content(folder, "b");
    search(folder, &["--engine", "index:a", "--merge", "b", "c"], "");
    assert_eq!(content(folder, "a"), expected);
    assert_eq!(content(folder, "b"), before);
    // Once more changes nothing.
    search(folder, &["--engine", "index:a", "--merge", "b", "c"], "");
    assert_eq!(content(folder, "a"), expected);
}

#[test]
fn what_is_no_index_of_this_version_is_refused_and_nothing_is_created() {
    let dir = temp_folder();
    let folder = dir.path();
    add(folder, "a", &documents(0..3, "je"));
    fs::write(folder.join("file"), "no index").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    fs::write(folder.join("folder/meta.json"), "{}").unwrap();
    add(folder, "other", &documents(0..3, "je"));
    set_segmentation_version(&folder.join("other"), 1);
    for (other, message) in [
        ("file", "is not an index of Forage"),
        ("folder", "is not an index of Forage"),
        ("missing", "no index"),
        ("other", "has terms of segmentation version 1"),
    ] {
        let stderr = failure(folder, &["--engine", "index:new", "--merge", "a", other]);
        assert!(
            stderr.contains(other) && stderr.contains(message),
            "{stderr}"
        );
        assert!(!folder.join("new").exists());
    }
    let itself = failure(folder, &["--engine", "index:a", "--merge", "./a"]);
    assert!(itself.contains("is the index itself"), "{itself}");
    run_tool("search", ["--engine", "mojeek:", "--merge", "a"], "").expect_exit(2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_merge_or_one_on_a_full_disk_leaves_the_index_as_it_was_or_complete() {
    let dir = temp_folder();
    let folder = dir.path();
    add(folder, "a", &documents(0..300, "je"));
    for (name, first) in [("b", 200), ("c", 2000), ("d", 4000)] {
        add(folder, name, &documents(first..first + 1500, "bo"));
    }
    let before = content(folder, "a");
    // A limit on the file size simulates a full disk.
    let script = "trap '' XFSZ; ulimit -f 20; exec \"$0\" --engine index:a --merge b c d";
    let mut limited = Command::new("bash");
    limited
        .current_dir(folder)
        .args(["-c", script])
        .arg(tool_path("search"));
    run_command(limited, "").expect_exit(2);
    assert_eq!(content(folder, "a"), before);
    let all: [&str; 4] = ["a", "b", "c", "d"];
    let arguments = [&["--engine", "index:whole", "--merge"][..], &all].concat();
    search(folder, &arguments, "");
    let after = content(folder, "whole");
    let merge = ["--engine", "index:a", "--merge", "b", "c", "d"];
    for trial in 0..16 {
        let mut command = Command::new(tool_path("search"));
        command.current_dir(folder).args(merge);
        let mut process = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(trial * 5));
        process.kill().unwrap();
        process.wait().unwrap();
        let found = content(folder, "a");
        assert!(found == before || found == after, "trial {trial}");
    }
    search(folder, &merge, "");
    assert_eq!(content(folder, "a"), after);
    // What the killed merges had copied is removed.
    let files = fs::read_dir(folder.join("a")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let segments = names.filter(|name| name.contains(".segment")).count();
    assert!(segments <= 3, "{segments}");
}
