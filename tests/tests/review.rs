//! `pipelines/review`: the page in a real browser, driven by keyboard, and the files it leaves.

use forage_tests::browser::Browser;
use forage_tests::closed_web::pipeline_command;
use forage_tests::events::restore_sigint_for_children;
use forage_tests::{run_command, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The title of all documents, which must be shown as it is.
const TITLE: &str = "<img src=x onerror=\"document.title='run'\"> & <b>title</b>";

/// A paragraph of all documents, which must be shown as it is.
const SCRIPT: &str = "<script>document.title='run'</script>";

/// Writes a run of 20 documents by the vector space model, 5 by the directory rule, and 4 undoubted
/// ones. A fifth of the first two groups has 5 documents.
fn write_run(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    fs::create_dir(&run).unwrap();
    let document = |id: usize, metrics: &[&str]| {
        json!({
            "step": {"number": id + 1, "target": "on-topic"}, "id": format!("d{id}"),
            "url": format!("http://a.test/{id}?a=1&b=2"), "title": TITLE,
            "text": format!("Prvi odstavek {id}.\nDrugi <i>odstavek</i>.\n{SCRIPT}"),
            "langid": {"code": "slv", "score": 1.0, "margin": 1.0, "top": []},
            "topic": {"score": 0.4, "metrics": metrics, "scores": {"vsm": 0.4}},
            "label": "on-topic",
        })
    };
    let journal: String = (0..29)
        .map(|id| match id {
            0..20 => document(id, &["vsm"]),
            20..25 => document(id, &["directory"]),
            _ => document(id, &["vsm", "term"]),
        })
        .map(|document| format!("{document}\n"))
        .collect();
    let core = json!({"id": "core", "text": "x", "label": "on-topic"});
    fs::write(run.join("journal.jsonl"), format!("{core}\n{journal}")).unwrap();
    run
}

/// A review that serves its page.
struct Review {
    process: Child,
    url: String,
}

impl Review {
    fn start(run: &Path) -> Review {
        Review::start_with(run, &[])
    }

    fn start_with(run: &Path, args: &[&str]) -> Review {
        restore_sigint_for_children();
        let args = [&["--quiet", "--no-open"], args].concat();
        let mut process = review_command(run, &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let stdout = process.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Review {
            process,
            url: url.trim_end().into(),
        }
    }

    /// Waits until the review ends. Returns its messages.
    fn wait(&mut self) -> String {
        let mut stderr = String::new();
        let mut pipe = self.process.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0), "{stderr}");
        stderr
    }

    fn interrupt(&self) {
        let pid = self.process.id().to_string();
        let killed = Command::new("kill").args(["-INT", &pid]).output().unwrap();
        assert!(killed.status.success(), "{killed:?}");
    }
}

impl Drop for Review {
    /// After a failed test, ends the server, too, which a kill of the script would leave.
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.interrupt();
        }
    }
}

fn read_verdicts(run: &Path) -> String {
    fs::read_to_string(run.join("review/judgements.tsv")).unwrap()
}

fn read_report(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("review/report.json")).unwrap()).unwrap()
}

fn shown_document(browser: &Browser) -> String {
    let number = browser.evaluate("document.querySelector('#text p').textContent.match(/\\d+/)[0]");
    format!("d{}", number.as_str().unwrap())
}

const BACKSPACE: &str = "\u{e003}";

#[test]
fn a_sample_is_judged_by_keyboard() {
    let folder = temp_folder();
    let run = write_run(folder.path());
    let mut review = Review::start(&run);
    let browser = Browser::start();
    let wait_for_judged = |n: usize| {
        browser.wait_for(&format!(
            "document.querySelector('#count').textContent === '{n} of 5 judged' && !isBusy"
        ))
    };
    browser.open(&review.url);
    wait_for_judged(0);

    // What comes from the web is shown as text.
    assert_eq!(
        browser.evaluate("document.querySelector('#title').textContent"),
        TITLE
    );
    assert_eq!(browser.evaluate("document.title"), "Review");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('#text p').length"),
        3
    );
    assert_eq!(
        browser.evaluate("document.querySelectorAll('main img, main i, main script').length"),
        0
    );
    let attribute = |id: &str, name: &str| {
        browser.evaluate(&format!(
            "document.querySelector('#{id}').getAttribute('{name}')"
        ))
    };
    assert_eq!(
        (attribute("text", "lang"), attribute("text", "dir")),
        (json!("sl"), json!("auto"))
    );
    let first = shown_document(&browser);
    assert_eq!(
        attribute("url", "href"),
        format!("http://a.test/{}?a=1&b=2", &first[1..])
    );
    assert!(
        attribute("url", "rel")
            .as_str()
            .unwrap()
            .contains("noreferrer")
    );

    // The metrics are hidden until they are requested.
    let are_hidden = || browser.evaluate("document.querySelector('#metrics').hidden");
    assert_eq!(are_hidden(), true);
    browser.press_key("m");
    assert_eq!(are_hidden(), false);

    // Each verdict is saved at once, and can be undone.
    browser.press_key("y");
    wait_for_judged(1);
    assert_eq!(read_verdicts(&run), format!("{first}\tyes\n"));
    assert_eq!(are_hidden(), true);
    let second = shown_document(&browser);
    browser.press_key("n");
    wait_for_judged(2);
    assert_eq!(read_verdicts(&run), format!("{first}\tyes\n{second}\tno\n"));
    browser.press_key("u");
    wait_for_judged(1);
    assert_eq!(shown_document(&browser), second);
    assert_eq!(read_verdicts(&run), format!("{first}\tyes\n"));
    browser.press_key(BACKSPACE);
    wait_for_judged(0);
    assert_eq!(shown_document(&browser), first);
    browser.press_key("y");
    wait_for_judged(1);

    // A skipped document comes again after the others, also if the page is opened again.
    browser.press_key(" ");
    browser.wait_for(&format!(
        "!document.querySelector('#text p').textContent.includes(' {}.') && !isBusy",
        &second[1..]
    ));
    browser.press_key("y");
    wait_for_judged(2);
    browser.open(&review.url);
    wait_for_judged(2);
    assert_eq!(shown_document(&browser), second);
    browser.press_key(" ");
    browser.wait_for(&format!(
        "!document.querySelector('#text p').textContent.includes(' {}.') && !isBusy",
        &second[1..]
    ));
    for judged in 3..=4 {
        browser.press_key("y");
        wait_for_judged(judged);
    }
    assert_eq!(shown_document(&browser), second);
    browser.press_key("n");
    wait_for_judged(5);

    // At the end, the page shows the groups, and Finish writes the results.
    assert_eq!(
        browser.evaluate("document.querySelector('#end').hidden"),
        false
    );
    let rows = browser
        .evaluate("[...document.querySelectorAll('#group-rows tr')].map(row => row.innerText)");
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    browser.evaluate("document.querySelector('#finish').click()");
    assert_eq!(review.wait(), "");
    assert_eq!(read_verdicts(&run).lines().count(), 5);
    let report = read_report(&run);
    assert_eq!(report["judged"]["documents"], 5);
    // Of four documents by the vector space model at least three are relevant.
    let accepted = fs::read_to_string(run.join("review/accepted.jsonl")).unwrap();
    assert_eq!(report["accepted"]["documents"], accepted.lines().count());
    assert!(!accepted.contains(&format!("\"{second}\"")) && accepted.contains("\"d25\""));
    assert!(run.join("review/accepted.txt").exists());
}

#[test]
fn an_interrupted_review_writes_its_results_and_continues() {
    let folder = temp_folder();
    let run = write_run(folder.path());
    let mut review = Review::start(&run);
    let sample = fs::read_to_string(run.join("review/sample.jsonl")).unwrap();
    let mut second = pipeline_command("review", &["--no-open"]);
    second.arg(&run);
    let stderr = run_command(second, "").expect_exit(2).stderr;
    assert!(stderr.contains("is in use by another pipeline"), "{stderr}");
    review.interrupt();
    assert_eq!(review.wait(), "");
    assert_eq!(read_report(&run)["accepted"]["documents"], 4);
    fs::write(run.join("review/judgements.tsv"), "d20\tyes\nd21\tyes\n").unwrap();
    let mut command = pipeline_command("review", &["--no-page", "--quiet"]);
    command.arg(&run);
    run_command(command, "").expect_exit(0);
    assert_eq!(read_report(&run)["accepted"]["documents"], 4 + 5);
    assert_eq!(
        fs::read_to_string(run.join("review/sample.jsonl")).unwrap(),
        sample
    );
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = temp_folder();
    let run = write_run(folder.path());
    let review = |args: &[&str]| {
        let mut command = pipeline_command("review", args);
        command.arg(&run);
        run_command(command, "")
    };
    let stderr = review(&["--no-page", "--share", "2"]).expect_exit(2).stderr;
    assert!(
        stderr.contains("not a share above 0 and at most 1"),
        "{stderr}"
    );
    review(&["--no-page", "-q", "--share", "0.5"]).expect_exit(0);
    let drawn = fs::read_to_string(run.join("review/sample.jsonl")).unwrap();
    assert_eq!(drawn.lines().count(), 10 + 3);
    let stderr = review(&["--no-page", "--share", "0.2"])
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("the sample is drawn already"), "{stderr}");
    review(&["--no-page", "-q", "--limit", "0.5"]).expect_exit(0);
    for (args, message) in [
        (&["--colour", "red"][..], "unexpected argument '--colour'"),
        (&["other"], "unexpected argument"),
        (&["--seed"], "is not a run folder"),
    ] {
        let stderr = review(args).expect_exit(2).stderr;
        assert!(stderr.contains(message) || args[0] == "--seed", "{stderr}");
    }
    let refused = || {
        let command = pipeline_command("review", &[folder.path().to_str().unwrap()]);
        run_command(command, "").expect_exit(2).stderr
    };
    let stderr = refused();
    assert!(stderr.contains("is not a run folder"), "{stderr}");
    fs::write(folder.path().join("journal.jsonl"), "").unwrap();
    let stderr = refused();
    assert!(stderr.contains("journal.jsonl is empty"), "{stderr}");
}

/// Words of which texts in a language are made.
const WORDS: [(&str, &str); 2] = [
    (
        "slv",
        "danes je lep sončen dan zato gremo vsi skupaj na dolg sprehod ob reki",
    ),
    (
        "hrv",
        "danas je lijep sunčan dan pa idemo svi zajedno u dugu šetnju uz rijeku",
    ),
];

/// Writes a run that looks for Slovenian and Croatian: 12 documents of each, and 6 in English, of
/// three hosts. Its last line is incomplete, as while the run goes on.
fn write_language_run(folder: &Path) -> PathBuf {
    let run = folder.join("languages");
    fs::create_dir(&run).unwrap();
    let document = |n: usize, label: &str, words: &str| {
        let target = WORDS[n % 2].0;
        json!({
            "step": {"number": n + 1, "target": target}, "id": format!("{label}{n}"),
            "url": format!("http://{}.test/{n}", n % 3), "title": format!("{label} {n}"),
            "text": format!("{words} {n}.\n").repeat(4), "label": label,
            "langid": {"code": label, "score": 0.9, "margin": 0.1 * n as f64,
                       "top": [[label, 0.9], ["slv", 0.05]]},
        })
    };
    let mut journal: String = WORDS
        .iter()
        .map(|(label, words)| format!("{}\n", json!({"text": words, "label": label})))
        .collect();
    for n in 0..12 {
        for (label, words) in WORDS {
            journal += &format!("{}\n", document(n, label, words));
        }
        if n < 6 {
            journal += &format!("{}\n", document(n, "eng", "this is a page in English"));
        }
    }
    fs::write(run.join("journal.jsonl"), journal + "{\"step\":{\"numb").unwrap();
    run
}

fn review_command(run: &Path, args: &[&str]) -> Command {
    let mut command = pipeline_command("review", args);
    command.arg(run);
    command
}

#[test]
fn a_run_in_languages_is_asked_for_each_of_them() {
    let folder = temp_folder();
    let run = write_language_run(folder.path());
    let mut review = Review::start(&run);
    let browser = Browser::start();
    browser.open(&review.url);
    let text = |id: &str| {
        let text = browser.evaluate(&format!("document.querySelector('#{id}').textContent"));
        text.as_str().unwrap().to_owned()
    };
    // The answers of one who knows the languages, and takes two documents for wrong.
    for judged in 0..30 {
        browser.wait_for(&format!(
            "document.querySelector('#count').textContent === '{judged} of 30 judged' && !isBusy"
        ));
        let title = text("title");
        let question = text("question");
        let expected = match title.split(' ').next().unwrap() {
            "hrv" => "Is this Croatian?",
            _ => "Is this Slovenian?",
        };
        assert_eq!(question, expected, "{title}");
        assert!(!text("help").contains("topic") && !text("end").contains("topic"));
        let is_right = !title.starts_with("eng") && title != "slv 0" && title != "slv 7";
        browser.press_key(if is_right { "y" } else { "n" });
    }
    browser.wait_for("!document.querySelector('#end').hidden && !isBusy");
    assert!(text("group-rows").contains("rejected, slv, near threshold"));
    browser.evaluate("document.querySelector('#finish').click()");
    review.wait();
    let report = read_report(&run);
    let estimate = |class: usize| &report["classes"][class]["filter"]["precision"]["estimate"];
    assert_eq!((estimate(0), estimate(1)), (&json!(1.0), &json!(0.8333)));
    assert_eq!(report["recall"]["recall"]["estimate"], 1.0);
    let accepted = fs::read_to_string(run.join("review/accepted.jsonl")).unwrap();
    assert_eq!(accepted.lines().count(), 22);
    for language in ["slv", "hrv"] {
        let profile = fs::read_to_string(run.join(format!("review/{language}.profile")));
        assert!(profile.unwrap().contains(language));
    }
}

#[test]
fn people_share_a_sample_and_are_compared() {
    let folder = temp_folder();
    let run = write_language_run(folder.path());
    let results = |args: &[&str]| {
        let args = [&["--no-page"], args].concat();
        run_command(review_command(&run, &args), "")
            .expect_exit(0)
            .stderr
    };
    results(&[]);
    let judge = |name: &str, verdicts: &str| {
        fs::write(run.join(format!("review/{name}")), verdicts).unwrap();
    };
    judge(
        "judgements-ana.tsv",
        "slv1\tyes\nslv2\tyes\nhrv1\tyes\neng1\tno\n",
    );
    judge(
        "judgements-ben.tsv",
        "slv1\tyes\nslv2\tno\nhrv1\tyes\neng1\tno\nslv3\tyes\n",
    );
    let messages = results(&["--as", "ben"]);
    for message in [
        "review: ana and ben agree on 3 of 4 documents; Cohen's kappa 0.50",
        "count as nonrelevant: 1, listed in report.json",
        "review: slv: a filter from the documents judged relevant: langid --profile ",
        "review: slv: it accepts 2 of 2 documents judged relevant and ",
        "review: slv: langid knows it from more texts",
    ] {
        assert!(messages.contains(message), "{message}: {messages}");
    }
    let report = read_report(&run);
    assert_eq!(report["disagreements"][0]["id"], "slv2");
    assert_eq!(report["disagreements"][0]["url"], "http://2.test/2");
    // A file that somebody has damaged is named, and stays.
    judge("judgements-ana.tsv", "slv1\tyes\nslv2 \u{fffd}\n");
    let args = ["--no-page", "--quiet"];
    let stderr = run_command(review_command(&run, &args), "")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("judgements-ana.tsv:2: "), "{stderr}");
    let name = ["--no-page", "--as", "../ana"];
    let stderr = run_command(review_command(&run, &name), "")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("is not a name"), "{stderr}");
}

#[test]
fn a_person_has_verdicts_of_their_own() {
    let folder = temp_folder();
    let run = write_language_run(folder.path());
    fs::create_dir_all(run.join("review")).unwrap();
    fs::write(run.join("review/judgements.tsv"), "slv1\tyes\n").unwrap();
    let mut review = Review::start_with(&run, &["--as", "ana"]);
    let browser = Browser::start();
    browser.open(&review.url);
    browser
        .wait_for("document.querySelector('#count').textContent === '0 of 30 judged' && !isBusy");
    browser.press_key("y");
    browser
        .wait_for("document.querySelector('#count').textContent === '1 of 30 judged' && !isBusy");
    review.interrupt();
    review.wait();
    let own = fs::read_to_string(run.join("review/judgements-ana.tsv")).unwrap();
    assert_eq!(own.lines().count(), 1);
    assert_eq!(read_verdicts(&run), "slv1\tyes\n");
}
