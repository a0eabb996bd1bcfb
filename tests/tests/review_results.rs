//! `pipelines/review` without its page: samples without a document, and filters from verdicts.

use forage_tests::closed_web::pipeline_command;
use forage_tests::{run_command, temp_folder};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

fn review_command(run: &Path, args: &[&str]) -> Command {
    let mut command = pipeline_command("review", args);
    command.arg(run);
    command
}

#[test]
fn a_sample_without_a_document_is_an_error_and_not_kept() {
    let folder = temp_folder();
    let run = folder.path().join("rejected");
    fs::create_dir(&run).unwrap();
    let document = |n: usize| {
        json!({"step": {"number": n + 1, "target": "on-topic"}, "id": format!("d{n}"),
               "text": "x", "topic": {"score": 0.1, "metrics": []}, "label": "off-topic"})
    };
    let journal: String = (0..5).map(|n| format!("{}\n", document(n))).collect();
    fs::write(run.join("journal.jsonl"), journal).unwrap();
    let stderr = run_command(review_command(&run, &["--no-open"]), "")
        .expect_exit(2)
        .stderr;
    let message = "has no document to judge; if it has documents that were rejected, --rejected";
    assert!(stderr.contains(message), "{stderr}");
    run_command(review_command(&run, &["--no-page", "--rejected", "1"]), "").expect_exit(0);
    let sample = fs::read_to_string(run.join("review/sample.jsonl")).unwrap();
    assert_eq!(sample.lines().count(), 5);
}

#[test]
fn a_filter_is_made_from_the_verdicts_on_a_subject() {
    let folder = temp_folder();
    let run = folder.path().join("news");
    fs::create_dir(&run).unwrap();
    let quake = "A strong earthquake shook the coast. Seismologists measured the earthquake.";
    let other = "The council raised the fares of buses. Passengers of the buses complained.";
    let document = |n: usize, text: &str, label: &str, score: f64| {
        json!({"step": {"number": n + 1, "target": "on-topic"}, "id": format!("d{n}"),
               "url": format!("http://{}.test/{n}", n % 3), "text": format!("{text} {n}"),
               "topic": {"score": score, "measure": "feedback"}, "label": label})
    };
    let sample = json!({"text": quake, "label": "on-topic"});
    let mut journal = format!("{sample}\n");
    for n in 0..12 {
        let (text, label) = if n < 6 {
            (quake, "on-topic")
        } else {
            (other, "off-topic")
        };
        journal += &format!("{}\n", document(n, text, label, 1.0 - n as f64 / 12.0));
    }
    fs::write(run.join("journal.jsonl"), journal).unwrap();
    run_command(review_command(&run, &["--no-page", "--quiet"]), "").expect_exit(0);
    let sample = fs::read_to_string(run.join("review/sample.jsonl")).unwrap();
    assert!(
        sample.contains("\"question\":\"Is it about earthquake"),
        "{sample}"
    );
    let verdicts: String = (0..12)
        .map(|n| format!("d{n}\t{}\n", if n < 6 { "yes" } else { "no" }))
        .collect();
    fs::write(run.join("review/judgements.tsv"), verdicts).unwrap();
    let stderr = run_command(review_command(&run, &["--no-page"]), "")
        .expect_exit(0)
        .stderr;
    let filter = "topic-filter --profile ";
    assert!(
        stderr.contains(filter) && stderr.contains("on-topic-core.jsonl"),
        "{stderr}"
    );
    let tried = "it accepts 6 of 6 documents judged relevant and 0 of 6 others";
    assert!(stderr.contains(tried), "{stderr}");
}
