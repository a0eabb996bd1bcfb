//! `draw-documents`: the drawn documents, and refused arguments.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn draw_documents(dir: &Path, extra_args: &[&str], file: &str) -> ToolOutput {
    let paths = ["out", "truth.tsv"].map(|name| dir.join(name).display().to_string());
    let args = ["--out", &paths[0], "--truth", &paths[1], "--words", "2-4"];
    run_tool(
        "draw-documents",
        args.iter().chain(extra_args).chain(&[file]).copied(),
        "",
    )
}

#[test]
fn draws_a_document_per_class_and_seed_and_keeps_existing_files() {
    let dir = temp_folder();
    let web = dir.path().join("web.jsonl");
    let document =
        |n: usize| json!({"url": format!("http://{n}.test/"), "text": format!("beseda {n}")});
    fs::write(
        &web,
        (0..9)
            .map(|n| document(n).to_string() + "\n")
            .collect::<String>(),
    )
    .unwrap();
    let truth: String = (0..9)
        .map(|n| format!("http://{n}.test/\t{}\n", ["slv", "eng"][n % 2]))
        .collect();
    let truth = truth + "http://elsewhere.test/\thrv\n";
    fs::write(dir.path().join("truth.tsv"), truth).unwrap();
    let web = web.to_str().unwrap();
    let stderr = draw_documents(dir.path(), &["--class", "slv,eng", "--seed", "1,2"], web)
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains("slv-1.txt: 2 words of http://"), "{stderr}");
    let read_drawn = || {
        ["slv-1", "slv-2", "eng-1", "eng-2"]
            .map(|name| fs::read(dir.path().join(format!("out/{name}.txt"))).unwrap())
    };
    let first = read_drawn();
    let stderr = draw_documents(dir.path(), &["--class", "slv,eng", "--seed", "1,2"], web)
        .expect_exit(0)
        .stderr;
    assert!(stderr.contains("slv-1.txt: exists; kept"), "{stderr}");
    assert_eq!(read_drawn(), first);
    for (args, message) in [
        (["--class", "../slv"], "not a class"),
        (["--class", "tlh"], "truth.tsv: has no class tlh"),
        (["--class", "hrv"], "no document of hrv has 2-4 words"),
        (
            ["--class=slv", "--number=6"],
            "only 5 documents of slv with 2-4 words; --number 6 is more",
        ),
        (["--class=slv", "--seed=x"], "invalid digit"),
    ] {
        let stderr = draw_documents(dir.path(), &args, web).expect_exit(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
    draw_documents(dir.path(), &["--class", "slv", "--number", "4"], web).expect_exit(0);
    let several = fs::read_to_string(dir.path().join("out/slv-1.jsonl")).unwrap();
    let documents: Vec<Value> = several
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let urls: BTreeSet<&str> = documents
        .iter()
        .map(|document| document["url"].as_str().unwrap())
        .collect();
    assert_eq!((documents.len(), urls.len()), (4, 4), "without replacement");
    let text = documents[0]["text"].as_str().unwrap();
    assert_eq!(format!("{text}\n").as_bytes(), first[0], "the same first");
    let stderr = draw_documents(dir.path(), &["--class", "slv"], "-")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("-: not a regular file"), "{stderr}");
}
