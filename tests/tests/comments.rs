//! Comments of readers, which `fetch-extract --comments` writes to a field of their own.

use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};

/// Returns a page with an article and two comments.
fn page() -> String {
    let article = "<p>The stream has its source above the village. ".repeat(12);
    format!(
        "<html><head><title>Stream</title></head><body><article><h1>Stream</h1>{article}</article>\
         <div id=comments><h3>2 comments</h3><ol class=commentlist>\
         <li class=comment id=comment-1><cite class=fn>Ana</cite>\
         <time datetime=2020-05-01>May</time><div class=comment-body><p>Is it deep?</div>\
         <ol class=children><li class=comment id=comment-2><cite class=fn>Bor</cite>\
         <div class=comment-body><p>Not in <b>summer</b>.</div></ol></ol>\
         <form><textarea></textarea><button>Send</button></form></div></body></html>"
    )
}

fn extract(arguments: &[&str], record: &Value) -> Value {
    let output = run_tool("fetch-extract", arguments, format!("{record}\n")).expect_exit(0);
    output.records().remove(0)
}

#[test]
fn comments_are_a_field_only_with_the_option() {
    let record = json!({"url": "https://vas.test/1", "html": page(), "x": 1});
    let without = extract(&[], &record);
    assert_eq!(without.get("comments"), None);
    let mut with = extract(&["--comments"], &record);
    assert_eq!(
        with["comments"],
        json!([
            {"text": "Is it deep?", "author": "Ana", "date": "2020-05-01"},
            {"text": "Not in summer.", "author": "Bor"}
        ])
    );
    // Otherwise the records are the same.
    if let Some(fields) = with.as_object_mut() {
        fields.remove("comments");
    }
    assert_eq!(with, without);
    let text = without["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("source above") && !text.contains("deep"),
        "{text}"
    );
}

#[test]
fn comments_are_read_whatever_the_method() {
    let record = json!({"url": "https://vas.test/1", "html": page()});
    let baseline = ["--extractor", "title-body-footer", "--comments"];
    assert_eq!(extract(&baseline, &record)["comments"][1]["author"], "Bor");
}

#[test]
fn a_page_without_comments_has_no_field_and_loses_an_old_one_with_force() {
    let html = page().replace("comment", "remark");
    let record = json!({"url": "https://vas.test/1", "html": html});
    assert_eq!(extract(&["--comments"], &record).get("comments"), None);
    let old = json!({"url": "https://vas.test/1", "html": html, "text": "Old",
        "comments": [{"text": "Old"}]});
    assert_eq!(
        extract(&["--comments", "--force"], &old).get("comments"),
        None
    );
    // Without --force, a record with a text is passed on as it is.
    assert_eq!(extract(&["--comments"], &old)["comments"], old["comments"]);
}

#[test]
fn reads_a_saved_page_with_comments_nested_10_000_deep() {
    let folder = temp_folder();
    let path = folder.path().join("page.html");
    let replies = "<div class=comment><p>And so on.".repeat(10_000);
    let html = format!("{}<div id=comments>{replies}", page());
    std::fs::write(&path, html).expect("the folder is writable");
    let path = path.to_str().expect("the path is UTF-8");
    let output = run_tool("fetch-extract", ["--comments", "--html", path], "").expect_exit(0);
    // The page is read without a tree.
    let record = &output.records()[0];
    assert_eq!(record.get("comments"), None);
    assert!(
        record["text"]
            .as_str()
            .is_some_and(|text| text.contains("And so on."))
    );
}

#[test]
fn other_tools_pass_comments_on_unchanged() {
    let comments = r#"[ {"text":"Deep?","author":"Ana"} ]"#;
    let line = format!(r#"{{"id":"1","text":"The stream.","comments":{comments}}}"#);
    let folder = temp_folder();
    let index = folder.path().join("seen.db");
    let index = index.to_str().expect("the path is UTF-8");
    let output = run_tool("dedup", ["--index", index], line + "\n").expect_exit(0);
    assert!(output.stdout.contains(comments), "{}", output.stdout);
}
