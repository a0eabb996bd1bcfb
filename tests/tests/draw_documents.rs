//! `draw-documents`: the drawn documents, and refused arguments.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::json;
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
        (["--class", "tlh"], "no document of tlh has 2-4 words"),
        (["--class=slv", "--seed=x"], "invalid digit"),
    ] {
        let stderr = draw_documents(dir.path(), &args, web).expect_exit(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
    let stderr = draw_documents(dir.path(), &["--class", "slv"], "-")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("-: not a regular file"), "{stderr}");
}
