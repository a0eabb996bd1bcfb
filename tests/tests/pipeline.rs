//! `pipelines/corpus-builder` on a small closed web: where it ends, what it finds, and that a run killed anywhere and
//! resumed ends as if it had not been.

use forage_tests::{Done, TOOLS, bin, bin_dir, finish, folder, root, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

const LANGUAGES: [&str; 5] = ["slv", "eng", "ces", "hrv", "srp"];

/// A folder with an index of demo-web's pages and a text to begin with in each language.
fn web() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipeline-web");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let engine = format!("index:{}", dir.join("index").display());
        run("search", ["--engine", &engine, "--add"], demo_web(&[])).exits(0);
        for language in LANGUAGES {
            fs::write(dir.join(format!("{language}.txt")), demo_web(&["seed", language])).unwrap();
        }
        dir
    })
}

fn demo_web(args: &[&str]) -> String {
    run("demo-web", args, "").exits(0).stdout
}

/// The pipeline, with the tools as they are built now.
fn pipeline(args: &[&str]) -> Command {
    TOOLS.iter().for_each(|tool| drop(bin(tool)));
    let mut command = Command::new(root().join("pipelines/corpus-builder"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin_dir()).chain(std::env::split_paths(&path))).unwrap();
    command.args(args).env("PATH", path);
    command
}

/// A new run that looks for Slovenian in the web.
fn new_run(out: &Path, more: &[&str]) -> Command {
    let web = web();
    let engine = format!("index:{}", web.join("index").display());
    let mut command = pipeline(&["--target", "slv", "--engine", &engine, "--out", out.to_str().unwrap()]);
    for language in LANGUAGES {
        command.args(["--init", &format!("{language}={}", web.join(format!("{language}.txt")).display())]);
    }
    command.args(more);
    command
}

fn resume(out: &Path, more: &[&str]) -> Command {
    pipeline(&[&["--resume", out.to_str().unwrap()], more].concat())
}

fn done(command: Command) -> Done {
    finish(command, "")
}

fn journal(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("journal.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(out: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap()
}

/// Documents that queries brought.
fn documents(journal: &[Value]) -> Vec<&Value> {
    let is_document =
        |record: &&Value| record["query"].is_object() && record["text"].is_string() && record["error"].is_null();
    journal.iter().filter(is_document).collect()
}

fn steps(journal: &[Value]) -> BTreeSet<u64> {
    journal.iter().filter_map(|record| record["query"]["step"].as_u64()).collect()
}

fn calls(journal: &[Value]) -> u64 {
    journal.iter().filter_map(|record| record["hit"]["calls"].as_u64()).sum()
}

/// What a kill must not change.
fn outcome(out: &Path) -> BTreeMap<String, String> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut files: BTreeMap<String, String> =
        ["journal.jsonl", "report.json"].map(|name| (name.to_owned(), read(&out.join(name)))).into();
    for entry in fs::read_dir(out.join("corpus")).expect("a corpus") {
        let path = entry.unwrap().path();
        files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), read(&path));
    }
    files
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, String>, expected: &BTreeMap<String, String>, what: &str) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (name, text) in expected {
        let same = text.lines().zip(found[name].lines()).take_while(|(a, b)| a == b).count();
        assert!(found[name] == *text, "{what}: {name} differs from line {} on", same + 1);
    }
}

#[test]
fn finds_slovenian_where_it_is_rare() {
    let dir = folder();
    let out = dir.path().join("run");
    let done = done(new_run(&out, &["--docs", "40"])).exits(0);
    let truth = demo_web(&["truth"]);
    let truth: HashMap<&str, &str> = truth.lines().filter_map(|line| line.split_once('\t')).collect();
    let journal = journal(&out);
    let documents = documents(&journal);
    assert_eq!(documents.len(), 40);
    let urls: BTreeSet<&str> = documents.iter().filter_map(|document| document["url"].as_str()).collect();
    let relevant = urls.iter().filter(|url| truth[*url] == "slv").count();
    assert!(relevant >= 36, "{relevant} of 40 are Slovenian\n{}", done.stderr);
    let corpus = fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let labelled = documents.iter().filter(|document| document["label"] == "slv").count();
    assert_eq!(corpus.lines().count(), labelled);
    assert!(fs::read_to_string(out.join("corpus/slv.txt")).unwrap().split("\n\n").count() >= labelled);
}

#[test]
fn ends_exactly_at_each_limit() {
    let dir = folder();
    let run_to = |flag: &str, limit: u64| {
        let out = dir.path().join(flag);
        done(new_run(&out, &[flag, &limit.to_string()])).exits(0);
        (journal(&out), report(&out))
    };
    let (docs, reported) = run_to("--docs", 7);
    assert_eq!((documents(&docs).len(), &reported["documents"]), (7, &7.into()));
    let (queries, reported) = run_to("--queries", 5);
    assert_eq!((steps(&queries).len(), &reported["steps"]), (5, &5.into()));
    let (asked, reported) = run_to("--calls", 3);
    assert_eq!((calls(&asked), &reported["calls"]), (3, &3.into()));
}

#[test]
fn a_batch_takes_several_documents_a_step_and_exceeds_no_limit() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "12", "--batch", "5"])).exits(0);
    let journal = journal(&out);
    let mut per_step: BTreeMap<u64, usize> = BTreeMap::new();
    for document in documents(&journal) {
        *per_step.entry(document["query"]["step"].as_u64().unwrap()).or_default() += 1;
    }
    assert_eq!(per_step.values().sum::<usize>(), 12);
    assert!(per_step.values().all(|&n| n <= 5) && per_step.values().any(|&n| n > 1), "{per_step:?}");
}

#[test]
fn a_run_that_learns_brings_more_a_call_and_asks_for_nothing_twice() {
    let dir = folder();
    let go = |name: &str, how: &[&str]| {
        let out = dir.path().join(name);
        done(new_run(&out, &[&["--calls", "25", "--page-size", "5", "--batch", "5"], how].concat())).exits(0);
        report(&out)["PosCalls"].as_f64().unwrap()
    };
    let (auto, fixed) = (go("auto", &["--learn", "auto"]), go("fixed", &[]));
    assert!(auto > fixed, "{auto} documents a call against {fixed}");
    let asked = journal(&dir.path().join("auto"));
    let last: Vec<&Value> = asked.iter().filter(|record| record["hit"]["last"] == true).collect();
    assert!(last.iter().any(|record| record["hit"]["more"].is_string()));
    assert!(asked.iter().any(|record| record["query"]["path"].is_array()));
}

#[test]
fn a_run_until_coverage_ends_by_itself_and_says_how_much_it_has() {
    let dir = folder();
    let out = dir.path().join("run");
    let how = ["--learn", "auto", "--until-coverage", "0.8", "--batch", "5", "--max-pages", "4"];
    let ended = done(new_run(&out, &how)).exits(0);
    assert!(ended.stderr.contains("slv: covers 0."), "{}", ended.stderr);
    let (journal, report) = (journal(&out), report(&out));
    let coverage = &report["coverage"]["slv"];
    assert_eq!(coverage["collected"], report["relevant"]);
    assert!(coverage["share"]["low"].as_f64() <= coverage["share"]["value"].as_f64());
    let is_probe = |record: &&Value| record["query"]["learner"] == "probe";
    let probes: BTreeSet<&str> = journal.iter().filter(is_probe).filter_map(|r| r["query"]["id"].as_str()).collect();
    assert!(probes.len() >= 12 && Some(probes.len() as u64) >= coverage["probes"].as_u64(), "{}", probes.len());
    let truth = demo_web(&["truth"]);
    let all = truth.lines().filter(|line| line.ends_with("\tslv")).count() as u64;
    let found = report["relevant"].as_u64().unwrap();
    assert!(found * 10 >= all * 6, "{found} of {all} documents, and {coverage}");
}

#[test]
fn two_runs_are_compared_by_their_journals() {
    let dir = folder();
    let go = |seed: &str| {
        let out = dir.path().join(seed);
        done(new_run(
            &out,
            &["--docs", "30", "--batch", "5", "--seed", seed, "--include", "ptf:1", "--exclude", "or:2"],
        ))
        .exits(0);
        out.join("journal.jsonl").display().to_string()
    };
    let (one, two) = (go("1"), go("2"));
    let compared = run("update-stats", ["--compare", &one, &two], "").exits(0).records().remove(0);
    let found = |at: usize| compared["runs"][at]["documents"].as_u64().unwrap();
    let all = compared["documents"].as_u64().unwrap();
    assert!(all >= found(0).max(found(1)) && all <= found(0) + found(1), "{compared}");
    assert!(compared["chapman"]["low"].as_f64() >= Some(all as f64), "{compared}");
    assert!(compared["runs"][0]["ctf_ratio"].as_f64() > compared["runs"][0]["vocabulary"].as_f64(), "{compared}");
    let said = run("update-stats", ["--compare", "--target", "deu", &one], "").exits(2).stderr;
    assert!(said.contains("no relevant document of deu"), "{said}");
}

#[test]
fn a_learner_moves_towards_what_works_and_its_scores_are_a_fold_of_the_journal() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "60", "--learn", "ltm", "--lengths", "if:2,1"])).exits(0);
    let learned = &report(&out)["learners"]["slv"]["ltm/if:2,1"];
    let methods = learned["include-method"].as_object().unwrap();
    // What each method came to in the journal: its successes less its failures.
    let mut worth: HashMap<&str, i64> = methods.keys().map(|method| (method.as_str(), 0)).collect();
    let journal = journal(&out);
    for record in journal.iter().filter(|record| record["query"].is_object()) {
        let (method, length) = record["query"]["method"]["include"].as_str().unwrap().split_once(':').unwrap();
        assert!(length == "2" && record["query"]["learner"] == "ltm/if:2,1");
        *worth.get_mut(method).unwrap() += if record["label"] == "slv" { 1 } else { -1 };
    }
    let best = worth.iter().max_by_key(|(_, worth)| **worth).unwrap();
    let worst = worth.iter().min_by_key(|(_, worth)| **worth).unwrap();
    let p = |method: &str| methods[method].as_f64().unwrap();
    assert!(p(best.0) > 0.25 && p(best.0) > p(worst.0), "{worth:?} {methods:?}");
    let (stats, journal) = (dir.path().join("new.db"), out.join("journal.jsonl"));
    let args = ["--stats", stats.to_str().unwrap(), "--rebuild", journal.to_str().unwrap(), "--report"];
    assert_eq!(run("update-stats", args, "").exits(0).stdout, fs::read_to_string(out.join("report.json")).unwrap());
}

#[test]
fn a_bandit_learns_once_a_step_from_the_share_of_new_relevant_documents() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--queries", "20", "--batch", "4", "--learn", "thompson", "--lengths", "if:1,1"])).exits(0);
    let learned = &report(&out)["learners"]["slv"]["thompson/if:1,1/of=4"];
    let journal = journal(&out);
    for (method, tries) in learned["include-method tries"].as_object().unwrap() {
        let is_of = |record: &&Value| record["query"]["method"]["include"] == format!("{method}:1");
        let of: Vec<&Value> = journal.iter().filter(is_of).collect();
        let steps: BTreeSet<u64> = of.iter().filter_map(|record| record["query"]["step"].as_u64()).collect();
        let new = of.iter().filter(|record| record["label"] == "slv" && record["dedup"]["status"] == "new").count();
        assert_eq!(tries.as_u64().unwrap(), steps.len() as u64, "{method}: {learned}");
        let gain = learned["include-method gain"][method].as_f64().unwrap_or(0.0);
        assert!((gain * steps.len() as f64 - new as f64 / 4.0).abs() < 0.01, "{method}: {new} {learned}");
    }
}

#[test]
fn pages_like_a_relevant_one_bring_more_of_them() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "40", "--batch", "4", "--max-pages", "1", "--learn", "like"])).exits(0);
    let journal = journal(&out);
    let is_relevant = |record: &&Value| record["label"] == "slv" && record["query"].is_object();
    let mut waiting: Vec<&str> =
        journal.iter().filter(is_relevant).filter_map(|record| record["url"].as_str()).collect();
    let mut asked: Vec<&str> = journal.iter().filter_map(|record| record["query"]["like"].as_str()).collect();
    asked.dedup();
    assert!(asked.len() > 1, "{asked:?}");
    waiting.truncate(asked.len());
    assert_eq!(asked, waiting);
    let relevant = report(&out)["relevant"].as_u64().unwrap();
    assert!(relevant > 20, "{relevant} of 40");
}

#[test]
fn seedfinder_asks_for_words_of_what_it_found() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "40", "--batch", "10", "--learn", "seedfinder"])).exits(0);
    let journal = journal(&out);
    let queries: BTreeSet<&str> = journal.iter().filter_map(|record| record["query"]["id"].as_str()).collect();
    let relevant = report(&out)["relevant"].as_u64().unwrap();
    assert!(queries.len() > 1 && relevant > 20, "{relevant} of 40 by {queries:?}");
}

#[test]
fn what_a_learner_can_not_do_is_told_before_there_is_a_run() {
    let dir = folder();
    let out = dir.path().join("run");
    for (args, why) in [
        (&["--learn", "like", "--engine", "searxng:http://127.0.0.1:1"][..], "can't be asked for pages like one"),
        (&["--learn", "ucb", "--lengths", "id"], "ucb learns from shares"),
        (&["--learn", "exp3", "--none-weight", "2"], "exp3 learns from what was gained alone"),
        (&["--learn", "seedfinder", "--prune", "common"], "--prune is for methods that select terms"),
        (&["--learn", "like", "--lengths", "ii"], "like and seedfinder learn neither"),
        (&["--learn", "thomson"], "a similar value exists: 'thompson'"),
    ] {
        let refused = done(new_run(&out, args)).exits(2);
        assert!(refused.stderr.contains(why), "{args:?}: {}", refused.stderr);
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let dir = folder();
    let go = |name: &str, seed: &str| {
        let out = dir.path().join(name);
        done(new_run(&out, &["--docs", "6", "--seed", seed, "--include", "ptf:2", "--exclude", "un:1"])).exits(0);
        outcome(&out)
    };
    let once = go("once", "7");
    assert_same(&go("again", "7"), &once, "the same seed");
    assert_ne!(go("other", "8")["journal.jsonl"], once["journal.jsonl"]);
}

#[test]
fn resume_goes_further_than_was_first_asked_as_if_it_had_been_asked_at_once() {
    let dir = folder();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    done(new_run(&whole, &["--docs", "9"])).exits(0);
    done(new_run(&parts, &["--docs", "4"])).exits(0);
    done(resume(&parts, &["--docs", "9"])).exits(0);
    assert_same(&outcome(&parts), &outcome(&whole), "in two parts");
    done(resume(&parts, &[])).exits(0);
    assert_same(&outcome(&parts), &outcome(&whole), "resumed at its end");
}

/// Kills whole runs and single processes of them, resumes, and compares with a run that was left in peace.
///
/// When to kill is told by how far the journal has come, not by the clock: so it is the same on any machine.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_and_resumed_ends_as_if_it_had_not_been() {
    survives_kills(10, &["--docs", "14", "--quiet"]);
}

#[cfg(target_os = "linux")]
#[test]
fn so_does_one_that_learns_and_takes_several_documents_a_step() {
    survives_kills(5, &["--docs", "40", "--quiet", "--learn", "auto", "--batch", "4", "--page-size", "4"]);
}

#[cfg(target_os = "linux")]
#[test]
fn so_does_one_that_probes() {
    survives_kills(3, &["--docs", "60", "--quiet", "--until-coverage", "0.9", "--batch", "4", "--page-size", "4"]);
}

#[cfg(target_os = "linux")]
#[test]
fn so_does_one_that_learns_methods_and_lengths() {
    survives_kills(5, &["--docs", "14", "--quiet", "--learn", "ltm", "--lengths", "ii", "--none-weight", "2"]);
}

#[cfg(target_os = "linux")]
#[test]
fn so_does_a_bandit() {
    survives_kills(4, &["--docs", "24", "--quiet", "--learn", "ucb", "--lengths", "di", "--batch", "3"]);
}

#[cfg(target_os = "linux")]
#[test]
fn so_do_the_baselines() {
    survives_kills(3, &["--docs", "30", "--quiet", "--learn", "like", "--batch", "3", "--page-size", "3"]);
    survives_kills(3, &["--docs", "30", "--quiet", "--learn", "seedfinder", "--batch", "4", "--page-size", "4"]);
}

#[cfg(target_os = "linux")]
fn survives_kills(trials: u64, args: &[&str]) {
    let dir = folder();
    let whole = dir.path().join("whole");
    done(new_run(&whole, args)).exits(0);
    let expected = outcome(&whole);
    let length = expected["journal.jsonl"].len() as f64;
    for trial in 0..trials {
        let out = dir.path().join(format!("trial-{trial}"));
        let resumed = || if out.join("run.conf").exists() { resume(&out, &[]) } else { new_run(&out, args) };
        // Moments spread over the run; two kills in each trial, of a single process and of all in turn. The last fifth
        // is left out: there the run could end before the kill comes.
        for kill in 0..2 {
            let journal = (length * 0.8 * (0.37 * (2 * trial + kill) as f64).fract()) as u64;
            let moment = Moment { journal, then: Duration::from_millis(trial * 7 % 40) };
            let met = kill_at(resumed(), &out, &moment, (trial + kill) % 2 == 0, trial as usize);
            assert!(met, "trial {trial}: the run ended before its journal had {journal} of {length} bytes");
        }
        done(resumed()).exits(0);
        assert_same(&outcome(&out), &expected, &format!("trial {trial}"));
    }
}

/// When a run is killed: a while after its journal has come to a number of bytes.
#[cfg(target_os = "linux")]
struct Moment {
    journal: u64,
    then: Duration,
}

/// Starts a command in a group of its own and kills one process of it, or all; what lives on goes a little later.
/// False when the command had ended before.
#[cfg(target_os = "linux")]
fn kill_at(mut command: Command, run: &Path, moment: &Moment, only_one: bool, choice: usize) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.process_group(0).spawn().unwrap();
    let group = child.id();
    let written = || fs::metadata(run.join("journal.jsonl")).map_or(0, |file| file.len());
    while written() < moment.journal && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(moment.then);
    let runs = child.try_wait().unwrap().is_none();
    let members = members(group);
    if runs && only_one && !members.is_empty() {
        send_kill(&members[choice % members.len()].to_string());
        std::thread::sleep(Duration::from_millis(80));
    }
    send_kill(&format!("-{group}"));
    child.wait().unwrap();
    while !self::members(group).is_empty() {
        std::thread::sleep(Duration::from_millis(2));
    }
    runs
}

#[cfg(target_os = "linux")]
fn send_kill(to: &str) {
    // It may be gone by now.
    let _ = Command::new("kill").args(["-9", "--", to]).stderr(Stdio::null()).status();
}

/// The living processes of a group.
#[cfg(target_os = "linux")]
fn members(group: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let belongs = |id: &u32| {
        let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // After the name, which may hold anything: state, parent, group.
        let fields: Vec<&str> = status.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        matches!(fields.as_slice(), [state, _, of, ..] if *of == group.to_string() && !matches!(*state, "Z" | "X"))
    };
    ids.filter(belongs).collect()
}

#[test]
fn a_folder_with_a_run_is_not_started_afresh() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "1"])).exits(0);
    let before = outcome(&out);
    let refused = done(new_run(&out, &["--docs", "2"])).exits(2);
    assert!(refused.stderr.contains("use --resume"), "{}", refused.stderr);
    assert_same(&outcome(&out), &before, "it is left as it was");
}

#[test]
fn what_is_missing_or_wrong_is_told_before_anything_is_made() {
    let dir = folder();
    let out = dir.path().join("run");
    let place = out.to_str().unwrap();
    let seed = web().join("slv.txt");
    let seed = format!("slv={}", seed.display());
    let cases: [(&[&str], &str); 9] = [
        (&[], "--out RUN is needed"),
        (&["--out", place], "--target and --engine are needed"),
        (&["--out", place, "--target", "slv"], "--target and --engine are needed"),
        (&["--out", place, "--target", "slv", "--engine", "index:x"], "--init slv=FILE is needed"),
        (&["--out", place, "--target", "hrv", "--engine", "index:x", "--init", &seed], "--init hrv=FILE is needed"),
        (&["--out", place, "--target", "slv", "--engine", "index:x", "--init", "slv=/no/file"], "/no/file"),
        (&["--out", place, "--target", "slv", "--engine", "index:x", "--init", &seed, "--docs", "x"], "--docs x"),
        (&["--out", place, "--colour", "red"], "no option --colour"),
        (&["--resume", place], "holds no run"),
    ];
    for (args, told) in cases {
        let refused = done(pipeline(args)).exits(2);
        assert!(refused.stderr.contains(told), "{args:?}: {}", refused.stderr);
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn a_learner_that_is_spelt_wrong_is_told_before_there_is_a_folder() {
    let dir = folder();
    let out = dir.path().join("run");
    let cases: [(&[&str], &str); 5] = [
        (&["--until-coverage", "90"], "a share is a number above 0, and at most 1"),
        (&["--learn", "ltx"], "[possible values: auto, ml, lta, ltm, fm, thompson, ucb, exp3, like, seedfinder]"),
        (&["--learn", "ltm", "--lengths", "i"], "there are ii, id, di, dd"),
        (&["--learn", "ltm", "--none-weight", "0"], "--none-weight"),
        (&["--lengths", "ii"], "--lengths and --none-weight are for --learn"),
    ];
    for (args, told) in cases {
        let refused = done(new_run(&out, args)).exits(2);
        assert!(refused.stderr.contains(told), "{args:?}: {}", refused.stderr);
        assert!(!out.exists(), "{args:?}");
    }
}

/// A language that nobody knows: Slovenian with each letter of the alphabet thirteen places on.
fn unknown_language(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}

#[test]
fn a_language_that_langid_does_not_know_is_learned_from_its_first_document() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (pages, truth) = (demo_web(&[]), demo_web(&["truth"]));
    let page = |(page, truth): (&str, &str)| {
        let mut page: Value = serde_json::from_str(page).unwrap();
        if truth.ends_with("\tslv") {
            page["text"] = unknown_language(page["text"].as_str().unwrap()).into();
        }
        format!("{page}\n")
    };
    let web: String = pages.lines().zip(truth.lines()).map(page).collect();
    let engine = format!("index:{}", path("web"));
    run("search", ["--engine", &engine, "--add"], web).exits(0);
    fs::write(path("qaa.txt"), unknown_language(&demo_web(&["seed", "slv"]))).unwrap();
    fs::write(path("eng.txt"), demo_web(&["seed", "eng"])).unwrap();
    let inits = [format!("qaa={}", path("qaa.txt")), format!("eng={}", path("eng.txt"))];
    let [out, limit] = [path("run"), "8".into()];
    let args = ["--target", "qaa", "--engine", &engine, "--init", &inits[0], "--init", &inits[1]];
    done(pipeline(&[&args, ["--docs", &limit, "--out", &out].as_slice()].concat())).exits(0);
    let journal = journal(Path::new(&out));
    let labels: Vec<&Value> = documents(&journal).into_iter().map(|document| &document["label"]).collect();
    let relevant = labels.iter().filter(|label| **label == "qaa").count();
    assert!(labels.len() == 8 && relevant >= 7, "{labels:?}");
}

#[test]
fn any_command_that_puts_a_label_is_a_filter() {
    let dir = folder();
    let out = dir.path().join("run");
    let filter =
        r#"jq -c 'if .text then .label = (if (.text | test("\\bje\\b")) then "slv" else "other" end) else . end'"#;
    done(new_run(&out, &["--docs", "6", "--filter", filter])).exits(0);
    let journal = journal(&out);
    for document in documents(&journal) {
        let has_word =
            document["text"].as_str().unwrap().split(|c: char| !c.is_alphanumeric()).any(|word| word == "je");
        assert_eq!(document["label"], if has_word { "slv" } else { "other" });
        assert!(document["langid"].is_null());
    }
}

#[test]
fn a_document_that_the_filter_leaves_without_a_label_was_retrieved() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "3", "--filter", "cat"])).exits(0);
    let report = report(&out);
    assert_eq!((&report["documents"], &report["relevant"]), (&3.into(), &0.into()));
}

#[test]
fn a_run_whose_hits_are_lost_takes_no_page_twice() {
    let dir = folder();
    let out = dir.path().join("run");
    done(new_run(&out, &["--docs", "5"])).exits(0);
    for file in ["hits.db", "hits.db-wal", "hits.db-shm"] {
        // The last two are there only while the file is in use.
        let _ = fs::remove_file(out.join(file));
    }
    let told = done(resume(&out, &["--docs", "10"])).exits(0).stderr;
    assert!(told.contains("hits.db is gone"), "{told}");
    let journal = journal(&out);
    let urls: BTreeSet<&str> = documents(&journal).iter().filter_map(|document| document["url"].as_str()).collect();
    assert_eq!(urls.len(), 10);
}

#[test]
fn help_tells_how_to_begin() {
    let help = done(pipeline(&["--help"])).exits(0).stdout;
    assert!(help.lines().all(|line| line.chars().count() <= 80));
    for option in ["--target", "--init", "--engine", "--out", "--resume", "--docs", "--queries", "--calls", "--batch"] {
        assert!(help.contains(option), "{option}");
    }
}

/// autocor, with the tools as they are built now.
fn autocor(args: &[&str]) -> Command {
    let mut command = pipeline(&[]);
    let mut autocor = Command::new(root().join("pipelines/autocor"));
    autocor.args(args).envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command = autocor;
    command
}

#[test]
fn autocor_collects_languages_in_turn_and_tells_what_is_missing() {
    let (web, dir) = (web(), folder());
    let out = dir.path().join("run");
    let (engine, out_name) = (format!("index:{}", web.join("index").display()), out.display().to_string());
    let inits: Vec<String> = ["slv", "ces", "eng"]
        .iter()
        .map(|l| format!("--init={l}={}", web.join(l).with_extension("txt").display()))
        .collect();
    let inits: Vec<&str> = inits.iter().flat_map(|init| init.splitn(2, '=')).collect();
    let how = ["--targets", "slv,ces", "--others", "eng", "--engine", &engine, "--out", &out_name, "--queries", "20"];
    done(autocor(&[&how[..], &inits].concat())).exits(0);
    let targets: Vec<String> = journal(&out)
        .iter()
        .filter(|record| record["hit"]["last"] == true)
        .map(|record| record["query"]["target"].as_str().unwrap().into())
        .collect();
    assert_eq!(targets, ["slv", "ces"].repeat(10));
    let found = |name: &str| outcome(&out)[name].lines().count();
    assert!(found("slv.jsonl") > 5 && found("ces.jsonl") > 1, "{} and {}", found("slv.jsonl"), found("ces.jsonl"));
    done(autocor(&["--resume", &out_name, "--queries", "22"])).exits(0);
    let missing = done(autocor(&["--targets", "slv", "--others", "hun", inits[0], inits[1]])).exits(2);
    assert!(missing.stderr.contains("--init hun=FILE is needed"), "{}", missing.stderr);
}
