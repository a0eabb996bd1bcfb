//! `draw-documents`: what is drawn, and what is refused.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::json;
use std::fs;
use std::path::Path;

fn draw(dir: &Path, more: &[&str], file: &str) -> ToolOutput {
    let paths = ["out", "truth.tsv"].map(|name| dir.join(name).display().to_string());
    let args = ["--out", &paths[0], "--truth", &paths[1], "--words", "2-4"];
    run_tool(
        "draw-documents",
        args.iter().chain(more).chain(&[file]).copied(),
        "",
    )
}

#[test]
fn a_document_per_class_and_seed_is_drawn_and_one_that_is_there_is_kept() {
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
    let said = draw(dir.path(), &["--class", "slv,eng", "--seed", "1,2"], web)
        .expect_exit(0)
        .stderr;
    assert!(said.contains("slv-1.txt: 2 words of http://"), "{said}");
    let drawn = || {
        ["slv-1", "slv-2", "eng-1", "eng-2"]
            .map(|name| fs::read(dir.path().join(format!("out/{name}.txt"))).unwrap())
    };
    let first = drawn();
    let said = draw(dir.path(), &["--class", "slv,eng", "--seed", "1,2"], web)
        .expect_exit(0)
        .stderr;
    assert!(said.contains("slv-1.txt: exists; kept"), "{said}");
    assert_eq!(drawn(), first);
    for (args, why) in [
        (["--class", "../slv"], "not a class"),
        (["--class", "tlh"], "no document of tlh has 2-4 words"),
        (["--class=slv", "--seed=x"], "invalid digit"),
    ] {
        let refused = draw(dir.path(), &args, web).expect_exit(2).stderr;
        assert!(refused.contains(why), "{refused}");
    }
    let refused = draw(dir.path(), &["--class", "slv"], "-")
        .expect_exit(2)
        .stderr;
    assert!(refused.contains("-: not a regular file"), "{refused}");
}
