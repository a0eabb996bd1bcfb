//! `corpus-report`: its numbers, damaged and foreign runs, and the page in a real browser.

use forage_tests::browser::Browser;
use forage_tests::closed_web::{
    new_run_command, read_journal, read_report, retrieved_documents, run_pipeline,
};
use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs the tool on a run, with the page in its folder, and returns the page.
fn report(run: &Path, exit_code: i32) -> String {
    let page = run.join("report.html");
    let args = ["--out", page.to_str().unwrap(), run.to_str().unwrap()];
    run_tool("corpus-report", args, "").expect_exit(exit_code);
    fs::read_to_string(page).unwrap()
}

/// Returns the number under a name among the key numbers of a page.
fn key_number(page: &str, name: &str) -> Option<u64> {
    let (_, rest) = page.split_once(&format!("<dt>{name}<dd>"))?;
    let number = rest.split('<').next()?.replace('\u{202f}', "");
    number.parse().ok()
}

/// Writes a run of some documents, and of other records.
fn write_run(folder: &Path, name: &str, records: &[Value]) -> PathBuf {
    let run = folder.join(name);
    fs::create_dir(&run).unwrap();
    fs::write(run.join("run.conf"), "target=slv\ncontact=me@a.test\n").unwrap();
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(run.join("journal.jsonl"), lines).unwrap();
    run
}

fn document(number: u64, url: &str, title: &str, text: &str, label: &str) -> Value {
    json!({
        "step": {"number": number, "target": "slv", "last": true},
        "query": {"id": format!("q{number}"), "include": ["beseda", "村庄"], "exclude": ["<b>no</b>"]},
        "url": url, "title": title, "text": text, "id": format!("{number:064}"),
        "hit": {"engine": "index:x", "rank": 1, "calls": 1, "outcome": "hit"},
        "fetch": {"url": url, "published": "2024-05-06", "optout": ["noai"],
            "licence": "https://creativecommons.org/licenses/by/4.0/"},
        "dedup": {"status": "new", "of": null}, "label": label,
        "langid": {"code": label, "score": 0.9, "margin": number as f64 / 10.0,
            "top": [[label, 0.9], ["hrv", 0.1]]},
    })
}

#[test]
fn the_page_of_a_run_has_the_numbers_of_its_journal_and_its_report() {
    let folder = temp_folder();
    let run = folder.path().join("run");
    let output = run_pipeline(new_run_command(&run, &["--docs", "40", "--batch", "5"]));
    let output = output.expect_exit(0);
    let last = output.stderr.lines().last().unwrap_or_default();
    assert!(
        last.ends_with(&format!("; report: {}/report.html", run.display())),
        "{last}"
    );
    let (page, figures) = (
        fs::read_to_string(run.join("report.html")).unwrap(),
        read_report(&run),
    );
    for (name, field) in [
        ("documents", "documents"),
        ("relevant", "relevant"),
        ("words in them", "words"),
        ("steps", "steps"),
        ("queries", "queries"),
        ("calls", "calls"),
    ] {
        assert_eq!(key_number(&page, name), figures[field].as_u64(), "{name}");
    }
    let journal = read_journal(&run);
    let documents = retrieved_documents(&journal);
    assert_eq!(key_number(&page, "documents"), Some(documents.len() as u64));
    let corpus = fs::read_to_string(run.join("corpus/slv.jsonl")).unwrap();
    assert_eq!(
        key_number(&page, "in the corpus"),
        Some(corpus.lines().count() as u64)
    );
    assert!(page.len() < 300_000 && page.matches("<svg").count() >= 6);
    fs::write(run.join("corpus/mine.jsonl"), "{}\n").unwrap();
    assert_eq!(report(&run, 0), page, "the bytes are reproducible");
    // Without its statistics, the page has those of the last report.
    fs::remove_file(run.join("stats.db")).unwrap();
    assert_eq!(report(&run, 0), page);
}

#[test]
fn what_is_no_run_is_refused_and_a_damaged_or_empty_one_is_shown() {
    let folder = temp_folder();
    let empty = write_run(folder.path(), "empty", &[]);
    assert!(report(&empty, 0).contains("no documents yet"));
    let good = document(1, "http://a.test/", "a", "Lepa beseda.", "slv");
    let damaged = write_run(folder.path(), "damaged", std::slice::from_ref(&good));
    let lines = format!("{good}\n{{\"step\": 3\nnot a record\n");
    fs::write(damaged.join("journal.jsonl"), lines).unwrap();
    let page = report(&damaged, 1);
    assert!(page.contains("damaged and not counted: 2.") && !page.contains("me@a.test"));
    let foreign = write_run(folder.path(), "foreign", &[json!({"a": 1})]);
    for (path, message) in [
        (foreign, "is not a journal"),
        (folder.path().join("none"), "no such file"),
        (folder.path().to_owned(), "there is no journal.jsonl"),
    ] {
        let output = run_tool("corpus-report", [&path], "").expect_exit(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
        assert!(output.stdout.is_empty());
    }
    let lost = folder.path().join("none/page.html");
    let args = ["--out", lost.to_str().unwrap(), empty.to_str().unwrap()];
    let stderr = run_tool("corpus-report", args, "").expect_exit(2).stderr;
    assert!(stderr.contains("/none does not exist"), "{stderr}");
    let note = folder.path().join("note.html");
    fs::write(&note, "mine").unwrap();
    let args = ["--out", note.to_str().unwrap(), empty.to_str().unwrap()];
    run_tool("corpus-report", args, "").expect_exit(2);
    assert_eq!(fs::read_to_string(&note).unwrap(), "mine");
}

#[test]
fn damaged_files_and_fields_are_reported() {
    let folder = temp_folder();
    let good = document(1, "http://a.test/", "a", "Lepa beseda.", "slv");
    let mut bad = document(2, "http://b.test/", "b", "Druga beseda.", "slv");
    bad["langid"] = json!({"code": 5});
    bad["fetch"] = json!("yesterday");
    bad["title"] = json!(["b"]);
    let run = write_run(folder.path(), "run", &[good, bad]);
    fs::write(run.join("run.conf"), "target=slv\n<html>\n").unwrap();
    fs::write(run.join("stats.db"), "no database").unwrap();
    fs::write(run.join("report.json"), "{\"documents\": ").unwrap();
    let output = run_tool("corpus-report", [&run], "").expect_exit(0);
    let fields = "fetch of 1, langid of 1, title of 1 records";
    let is_told = |text: &str| {
        ["run.conf: line 2 ", "stats.db: ", "report.json: ", fields]
            .iter()
            .all(|part| text.contains(part))
    };
    assert!(is_told(&output.stderr), "{}", output.stderr);
    assert!(is_told(&output.stdout) && !output.stdout.contains(folder.path().to_str().unwrap()));
    assert!(output.stdout.contains("There is no readable report of"));
    assert_eq!(key_number(&output.stdout, "documents"), Some(2));
    // The last report is shown instead of damaged statistics, and the page says so.
    fs::write(run.join("report.json"), "{\"documents\": 2}").unwrap();
    let page = run_tool("corpus-report", [&run], "").expect_exit(0).stdout;
    assert!(page.contains("Not read: stats.db: ") && !page.contains("report.json: "));
}

#[test]
fn several_runs_are_side_by_side_without_their_texts() {
    let folder = temp_folder();
    let runs = ["one", "two"].map(|name| {
        let documents = [document(
            1,
            &format!("http://{name}.test/"),
            name,
            "Beseda.",
            "slv",
        )];
        write_run(folder.path(), name, &documents)
    });
    let output = run_tool("corpus-report", runs.iter(), "").expect_exit(0);
    let page = output.stdout;
    assert!(page.contains("<h1><small>Corpus report</small> 2 runs</h1>"));
    assert!(page.contains("A title opens the excerpt") && !page.contains("A title opens the text"));
    assert!(!runs[0].join("report-texts").exists());
    let file = folder.path().join("both.html");
    fs::write(&file, page).unwrap();
    let browser = Browser::start();
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("!document.getElementById('controls').hidden");
    browser.evaluate("document.querySelectorAll('#docs tbody button')[1].click()");
    browser.wait_for(
        "document.getElementById('reader-text').textContent.includes('journal of two, step 1.')",
    );
    // Runs of one name are told apart by their folders.
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let other = write_run(&other, "one", &[]);
    let output = run_tool("corpus-report", [&runs[0], &other], "").expect_exit(0);
    assert!(output.stdout.contains("other/one</h2>"));
}

#[test]
fn the_table_is_searched_sorted_read_and_marked_by_keyboard_and_records_do_nothing() {
    let hostile =
        "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";
    let documents = [
        document(
            1,
            "javascript:document.title='run'//",
            hostile,
            hostile,
            "slv",
        ),
        document(
            2,
            "http://b.test/\"onclick=\"x",
            "Beseda",
            "Lepa beseda.\nDruga vrstica.",
            "slv",
        ),
        document(
            3,
            "http://c.test/",
            "村庄里",
            "这条小溪流过村庄，推动着一座水磨。",
            "zho",
        ),
        document(4, "http://d.test/", "שלום", "שלום עולם", "heb"),
    ];
    let folder = temp_folder();
    let run = write_run(folder.path(), "run <i>", &documents);
    let page = report(&run, 0);
    assert!(!page.contains("<img") && !page.contains("href=\"javascript:"));
    let browser = Browser::start();
    browser.open(&format!("file://{}", run.join("report.html").display()));
    browser.wait_for("!document.getElementById('controls').hidden");
    assert_ne!(browser.evaluate("document.title"), "run");
    let rows = "[...document.querySelectorAll('#docs tbody tr')]";
    let titles = || {
        browser.evaluate(&format!(
            "{rows}.map(r => r.querySelector('button').textContent)"
        ))
    };
    assert_eq!(titles().as_array().map(Vec::len), Some(4));
    assert_eq!(
        browser.evaluate("document.querySelectorAll('#docs a').length"),
        3
    );
    let languages = format!("{rows}.map(r => r.querySelector('button').lang)");
    assert_eq!(
        browser.evaluate(&languages),
        json!(["sl", "sl", "zh", "he"])
    );
    let marked = format!("{rows}[2].querySelector('mark').textContent");
    assert_eq!(browser.evaluate(&marked), "村庄");

    // Sorted by the margin, largest first.
    browser.evaluate("document.querySelectorAll('th button')[4].focus()");
    browser.press_key("\u{E007}");
    browser.press_key("\u{E007}");
    assert_eq!(titles()[0], "שלום");
    browser.evaluate("document.getElementById('find').focus()");
    "zzz"
        .chars()
        .for_each(|key| browser.press_key(&key.to_string()));
    assert_eq!(titles(), json!([]));
    (0..3).for_each(|_| browser.press_key("\u{E003}"));
    "lepa"
        .chars()
        .for_each(|key| browser.press_key(&key.to_string()));
    assert_eq!(titles(), json!(["Beseda"]));

    // Opened, read, marked and closed.
    browser.evaluate(&format!("{rows}[0].querySelector('button').focus()"));
    browser.press_key("\u{E007}");
    browser
        .wait_for("document.getElementById('reader-text').textContent.includes('Druga vrstica.')");
    let found = "document.querySelector('#reader-text mark').textContent";
    assert_eq!(browser.evaluate(found), "beseda");
    browser.press_key("x");
    browser.press_key("\u{E00C}");
    browser.wait_for("!document.getElementById('reader').open");
    browser.evaluate(
        "URL.createObjectURL = blob => { blob.text().then(text => document.body.dataset.saved = text); return '#'; }",
    );
    browser.evaluate("document.getElementById('save').focus()");
    browser.press_key("\u{E007}");
    browser.wait_for("document.body.dataset.saved");
    let saved = browser.evaluate("document.body.dataset.saved");
    assert_eq!(saved, "http://b.test/\"onclick=\"x\n");
}
