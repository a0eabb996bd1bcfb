//! `concordance`: occurrences in runs and files, in order, as lines and as a table.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn search(args: &[&str], records: &[Value]) -> ToolOutput {
    run_tool("concordance", args, lines(records))
}

#[test]
fn a_run_has_the_occurrences_of_its_relevant_documents() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    let step = json!({"number": 1, "target": "slv", "last": true});
    let records = [
        json!({"text": "Začetni dan.", "label": "slv"}),
        json!({"step": step, "url": "http://1.test/", "text": "Lep dan.\nVelik DAN", "label": "slv"}),
        json!({"step": step, "url": "http://2.test/", "text": "En dan dansk.", "label": "dan"}),
        json!({"step": step, "url": "http://3.test/", "text": "Dvojni dan", "label": "slv",
            "dedup": {"status": "near"}}),
        json!({"step": step, "url": "http://4.test/", "text": "Napačen dan", "label": "slv",
            "error": {"tool": "x", "kind": "timeout", "message": ""}}),
    ];
    fs::write(run.join("journal.jsonl"), lines(&records)).unwrap();
    let run = run.to_str().unwrap();
    for settings in ["", "target=slv\n"] {
        fs::write(dir.path().join("run/run.conf"), settings).unwrap();
        let args = ["--sort", "document", "--context", "7", "dan", run];
        let output = run_tool("concordance", args, "").expect_exit(0);
        assert_eq!(output.stdout, "    Lep  dan  . Velik\n. Velik  DAN\n");
    }
    let args = ["--target", "dan", "--context", "7", "dan", run];
    let output = run_tool("concordance", args, "").expect_exit(0);
    assert_eq!(output.stdout, "     En  dan  dansk.\n");
}

#[test]
fn lines_are_sorted_by_context_or_keep_the_order_of_documents() {
    let records = [
        json!({"text": "Je šel dan za dnem. On je dan čakal. Vsak dan cel, Dan Žan"}),
        json!({"text": "Res dan, ampak"}),
    ];
    let nodes = |args: &[&str], column: usize| -> Vec<String> {
        let args = [args, &["--tsv", "dan"]].concat();
        let table = search(&args, &records).expect_exit(0).stdout;
        let rows = table.lines().skip(1);
        let cell = |row: &str| row.split('\t').nth(column).unwrap_or_default().to_owned();
        rows.map(cell).collect()
    };
    let right = nodes(&["--context", "6"], 4);
    assert_eq!(right, [", ampa", "čakal.", "cel, D", "za dne", "Žan"]);
    let left = nodes(&["--sort", "left", "--context", "5"], 2);
    assert_eq!(left, ["cel,", "On je", "Res", "e šel", "Vsak"]);
    let document = nodes(&["--sort", "document", "--context", "3"], 4);
    assert_eq!(document, ["za", "čak", "cel", "Žan", ", a"]);
}

#[test]
fn each_occurrence_is_one_line_in_scripts_without_blanks_too() {
    let records = [json!({"id": "a", "url": "http://a.test/",
        "text": "这条小溪流过村庄，\n推动着一座水磨。\t村庄里的人都喜欢小溪。"})];
    let output = search(&["--context", "6", "村庄"], &records).expect_exit(0);
    assert_eq!(output.stdout, "溪流过  村庄  ， 推\n水磨。  村庄  里的人\n");
    let thai = [json!({"text": "ภาษาไทยเป็นภาษาที่คนไทยใช้"})];
    let output = search(&["--context", "4", "ไทย"], &thai).expect_exit(0);
    assert_eq!(output.stdout.lines().count(), 2, "{}", output.stdout);
}

#[test]
fn a_table_has_the_source_and_no_cell_with_a_line_end() {
    let records = [
        json!({"id": 7, "url": "http://a.test/", "text": "=a\tlep\r\ndan\\ b"}),
        json!({"text": "lep dan"}),
    ];
    let output = search(&["--tsv", "--sort", "document", "lep dan"], &records).expect_exit(0);
    assert_eq!(
        output.stdout,
        "id\turl\tleft\tmatch\tright\n7\thttp://a.test/\t=a\tlep dan\t\\\\ b\n\t\t\tlep dan\t\n"
    );
    assert!(
        output.stderr.contains("--defuse-formulas"),
        "{}",
        output.stderr
    );
    let args = ["--tsv", "--defuse-formulas", "lep dan"];
    let output = search(&args, &records[..1]).expect_exit(0);
    assert!(output.stdout.contains("\t'=a\t"), "{}", output.stdout);
    let output = search(&["--source", "--context", "4", "lep"], &records).expect_exit(0);
    assert_eq!(
        output.stdout,
        "  =a  lep  dan\\  http://a.test/\n      lep  dan\n"
    );
    let output = search(&["--tsv", "nič"], &records).expect_exit(0);
    assert_eq!(output.stdout, "id\turl\tleft\tmatch\tright\n");
}

#[test]
fn a_term_is_found_in_any_spelling_of_json_and_of_letters() {
    let input = "{\"text\":\"C\\u030cas in \\u010das\"}\n{\"text\":\"č\\u0061s; ČAS\"}\n";
    let output = run_tool("concordance", ["čas"], input).expect_exit(0);
    assert_eq!(output.stdout.lines().count(), 4, "{}", output.stdout);
    let output = run_tool("concordance", ["--regex", "čas"], input).expect_exit(0);
    assert_eq!(output.stdout.lines().count(), 4, "{}", output.stdout);
}

#[test]
fn a_file_that_has_grown_since_the_last_search_is_searched_as_it_is() {
    let dir = temp_folder();
    let file = dir.path().join("docs.jsonl");
    let path = file.to_str().unwrap();
    fs::write(&file, lines(&[json!({"text": "en dan"})])).unwrap();
    let count = || {
        let output = run_tool("concordance", ["dan", path], "");
        (output.stdout.lines().count(), output.exit_code)
    };
    assert_eq!(count(), (1, 0));
    // The last line is incomplete, as in the journal of a run that was killed.
    let grown = lines(&[json!({"text": "en dan"}), json!({"text": "dva dan"})]) + "{\"text\":\"x";
    fs::write(&file, grown).unwrap();
    assert_eq!(count(), (2, 1));
}

#[test]
fn a_document_of_two_inputs_is_searched_once() {
    let dir = temp_folder();
    let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
    fs::write(&a, lines(&[json!({"text": "Lep dan."})])).unwrap();
    fs::write(
        &b,
        lines(&[json!({"text": "Lep  dan."}), json!({"text": "dan"})]),
    )
    .unwrap();
    let args = ["dan", a.to_str().unwrap(), b.to_str().unwrap()];
    let output = run_tool("concordance", args, "").expect_exit(0);
    assert_eq!(output.stdout.lines().count(), 2);
    assert!(
        output.stderr.contains("1 document left out"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_target_without_documents_is_named_and_totals_are_counted() {
    let records = [
        json!({"text": "En dan.", "label": "slv"}),
        json!({"text": "Drugi dan.", "label": "dan"}),
    ];
    let output = search(
        &["--target", "hrv", "--target", "slv", "-v", "dan"],
        &records,
    );
    let output = output.expect_exit(0);
    assert_eq!(output.stdout.lines().count(), 1);
    for message in [
        "--target hrv: no document has this class",
        "1 occurrence in 1 document\n",
    ] {
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    assert!(!output.stderr.contains("--target slv"), "{}", output.stderr);
    let output = search(&["-v", "dan"], &records).expect_exit(0);
    let totals = "2 occurrences in 2 documents\n";
    assert!(output.stderr.contains(totals), "{}", output.stderr);
}

#[test]
fn bad_terms_and_input_are_reported() {
    for (args, message) in [
        (&["*"][..], "nothing to search for"),
        (&["--regex", "a("], "unclosed group"),
        (&["--journal", "a"], "use --target"),
    ] {
        let output = run_tool("concordance", args, "").expect_exit(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    let input = "{\"text\":\"dan\"}\nni zapis\n[1]\n{\"text\":\"dan\",}\n";
    let output = run_tool("concordance", ["dan"], input).expect_exit(1);
    assert_eq!(output.stdout.lines().count(), 1);
}

#[test]
fn the_output_does_not_depend_on_jobs_or_compression_and_a_closed_pipe_is_no_error() {
    let dir = temp_folder();
    let file = dir.path().join("docs.jsonl");
    let records: Vec<Value> = (0..3000)
        .map(|n| json!({"id": n, "text": format!("{} dan {n}", n * 7919 % 1000)}))
        .collect();
    fs::write(&file, lines(&records)).unwrap();
    let run = |args: &str| {
        let script = format!(
            "cd {}; gzip -c docs.jsonl > docs.gz; concordance {args}",
            dir.path().display()
        );
        run_bash(&script, "").expect_exit(0).stdout
    };
    let one = run("--jobs 1 dan docs.jsonl");
    assert_eq!(one.lines().count(), 3000);
    assert!(one == run("--jobs 4 dan docs.gz"));
    assert_eq!(
        run("--sort document dan docs.jsonl | head -n 1")
            .lines()
            .count(),
        1
    );
}
