//! `pipelines/dedup-at-scale`: the duplicates that one process finds, whatever the shards, and
//! whatever was interrupted. The engine is a program that does one task after another.

use forage_tests::closed_web::pipeline_command;
use forage_tests::{ToolOutput, is_installed, run_command, run_tool, temp_folder};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Numbers that are random enough (Numerical Recipes).
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }
}

/// Returns records of which many are copies, or resemble an earlier one to some degree.
fn corpus(seed: u32) -> Vec<String> {
    let mut random = Numbers(seed);
    let mut texts: Vec<Vec<String>> = Vec::new();
    (0..600)
        .map(|n| {
            let mut words: Vec<String> = match texts.len() {
                0..20 => Vec::new(),
                earlier => texts[random.below(earlier)].clone(),
            };
            if words.is_empty() || random.below(2) == 0 {
                let length = [0, 3, 30, 120][random.below(4)];
                words = (0..length)
                    .map(|_| format!("w{}", random.below(5000)))
                    .collect();
            }
            for _ in 0..[0, 1, 2, 5][random.below(4)].min(words.len()) {
                let place = random.below(words.len());
                words[place] = format!("w{}", random.below(5000));
            }
            let mut record = json!({"id": format!("é\t{n}"), "text": words.join(" ")});
            texts.push(words);
            match random.below(40) {
                0 => record = json!({"query": n}),
                1 => record["text"] = json!(7),
                2 => record["dedup"] = json!({"status": "near", "of": "x"}),
                3 => record["id"] = json!(null),
                4..12 => record["title"] = json!(format!("A title of item {}", n % 50)),
                _ => {}
            }
            format!("{record}\n")
        })
        .collect()
}

struct Shards {
    dir: tempfile::TempDir,
    records: Vec<String>,
}

impl Shards {
    fn new(records: Vec<String>, shards: usize) -> Shards {
        let dir = temp_folder();
        fs::create_dir(dir.path().join("in")).unwrap();
        for (n, shard) in records.chunks(records.len().div_ceil(shards)).enumerate() {
            let path = dir.path().join(format!("in/{n:02} 'x.jsonl"));
            fs::write(path, shard.concat()).unwrap();
        }
        Shards { dir, records }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, engine: &str, more: &[&str]) -> ToolOutput {
        self.run_to("out", engine, more)
    }

    fn run_to(&self, out: &str, engine: &str, more: &[&str]) -> ToolOutput {
        let (shards, out) = (self.path("in/*"), self.path(out));
        let fixed = ["--on", engine, "--in", shards.to_str().unwrap(), "--out"];
        let args = [&fixed[..], &[out.to_str().unwrap()], more].concat();
        let mut command = pipeline_command("dedup-at-scale", &args);
        command.current_dir(self.dir.path());
        run_command(command, "")
    }

    fn output(&self) -> String {
        self.output_in("out")
    }

    fn output_in(&self, out: &str) -> String {
        let mut files: Vec<PathBuf> = fs::read_dir(self.path(out))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files
            .iter()
            .map(|file| fs::read_to_string(file).unwrap())
            .collect()
    }

    fn expected(&self, options: &[&str]) -> String {
        run_tool("dedup", options, self.records.concat())
            .expect_exit(0)
            .stdout
    }

    /// Writes an engine: a program that does the tasks of the given numbers, one after another.
    fn engine(&self, name: &str, numbers: &str) -> String {
        let path = self.path(name);
        let script = format!("#!/bin/bash\nfor i in {numbers}; do \"$@\" \"$i\"; done\n");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        format!("./{name}")
    }

    fn any_engine(&self) -> String {
        self.engine("engine", "$(seq 0 $((${!#} - 1)))")
    }
}

#[test]
fn finds_what_one_process_finds() {
    for (seed, shards, options) in [
        (1, 1, &["--threshold", "0.8"][..]),
        (2, 3, &["--threshold", "0.5", "--drop"]),
        (3, 8, &["--threshold", "0.95", "--titles"]),
    ] {
        let corpus = Shards::new(corpus(seed), shards);
        let said = corpus
            .run(&corpus.any_engine(), options)
            .expect_exit(0)
            .stderr;
        assert!(
            said.contains("documents are compared, in groups of at most"),
            "{said}"
        );
        assert!(corpus.output() == corpus.expected(options), "{options:?}");
    }
}

#[test]
fn gnu_parallel_finds_what_one_process_finds() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Shards::new(corpus(10), 40);
    let options = ["--threshold", "0.8", "--drop"];
    corpus.run("parallel", &options).expect_exit(0);
    let expected = corpus.expected(&options);
    assert!(corpus.output() == expected);

    fs::remove_file(corpus.path("out/17 'x.jsonl")).unwrap();
    let partitions = [&options[..], &["--partitions", "3"]].concat();
    let said = corpus.run("parallel", &partitions).expect_exit(0).stderr;
    assert!(said.contains("40 of 40 shards are done"), "{said}");
    assert!(corpus.output() == expected);
}

#[test]
fn repeated_it_does_what_is_missing() {
    let corpus = Shards::new(corpus(6), 5);
    // As if half of the tasks were killed, in each phase.
    let half = corpus.engine("half", "$(seq 0 2 $((${!#} - 1)))");
    for _ in 0..3 {
        corpus.run(&half, &["--titles"]).expect_exit(1);
    }
    corpus
        .run(&corpus.any_engine(), &["--titles"])
        .expect_exit(0);
    let expected = corpus.expected(&["--titles"]);
    assert!(corpus.output() == expected);

    let signatures = fs::metadata(corpus.path("out.dedup/report"))
        .unwrap()
        .modified()
        .unwrap();
    fs::remove_file(corpus.path("out/03 'x.jsonl")).unwrap();
    corpus
        .run(&corpus.any_engine(), &["--titles"])
        .expect_exit(0);
    assert!(corpus.output() == expected);
    let again = fs::metadata(corpus.path("out.dedup/report"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(signatures, again);

    // All outputs are there: nothing is done, also without the intermediate files.
    fs::remove_dir_all(corpus.path("out.dedup")).unwrap();
    let none = corpus.engine("none", "");
    corpus.run(&none, &["--titles"]).expect_exit(0);
    // Those that are there may be of other shards.
    fs::remove_file(corpus.path("out/02 'x.jsonl")).unwrap();
    let said = corpus.run(&none, &["--titles"]).expect_exit(2).stderr;
    assert!(said.contains("whose intermediate files are gone"), "{said}");
}

#[test]
fn a_shard_that_has_changed_is_refused() {
    let corpus = Shards::new(corpus(9), 3);
    corpus.run(&corpus.any_engine(), &[]).expect_exit(0);
    let shard = corpus.path("in/01 'x.jsonl");
    let records = fs::read_to_string(&shard).unwrap();
    fs::write(&shard, records.replace("w1", "v1") + "{}\n").unwrap();
    fs::remove_dir_all(corpus.path("out")).unwrap();
    let said = corpus.run(&corpus.any_engine(), &[]).expect_exit(2).stderr;
    assert!(
        said.contains("x.jsonl: has changed; to begin again"),
        "{said}"
    );
    assert!(!corpus.path("out").exists());
}

#[test]
fn the_name_of_the_output_may_have_wildcards() {
    let corpus = Shards::new(corpus(10), 2);
    for out in ["y1", "y*", "x[1]?\\"] {
        corpus.run_to(out, &corpus.any_engine(), &[]).expect_exit(0);
        assert!(corpus.output_in(out) == corpus.expected(&[]), "{out}");
    }
}

#[test]
fn a_shard_that_is_not_records_is_named() {
    let mut records = corpus(7);
    records[400] = "{\"text\":\n".into();
    let corpus = Shards::new(records, 3);
    let said = corpus.run(&corpus.any_engine(), &[]).expect_exit(1).stderr;
    assert!(said.contains("02\\ \\'x.jsonl: failed"), "{said}");
    assert!(!corpus.path("out").exists());
    let shard = corpus.path("in/02 'x.jsonl");
    let text = fs::read_to_string(&shard).unwrap();
    fs::write(&shard, text.replace("{\"text\":\n", "{\"text\":\"\"}\n")).unwrap();
    corpus.run(&corpus.any_engine(), &[]).expect_exit(0);
}

#[test]
fn a_task_that_dies_leaves_nothing_that_counts() {
    let corpus = Shards::new(corpus(8), 3);
    // A `dedup` that ends early without a word, as one that is killed, at each of its first calls.
    let tool = forage_tests::tool_path("dedup");
    let script = format!(
        "#!/bin/bash\nif [ -e no-kill ] || [[ $* == *'/dev/null'* ]]; then exec '{0}' \"$@\"; fi\n\
         '{0}' \"$@\" | head -n 20; kill -9 $$\n",
        tool.display()
    );
    fs::create_dir(corpus.path("bin")).unwrap();
    fs::write(corpus.path("bin/dedup"), script).unwrap();
    fs::set_permissions(corpus.path("bin/dedup"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = || {
        let engine = corpus.any_engine();
        let (shards, out) = (corpus.path("in/*"), corpus.path("out"));
        let args = ["--on", &engine, "--in", shards.to_str().unwrap(), "--out"];
        let args = [&args[..], &[out.to_str().unwrap()]].concat();
        let mut command = pipeline_command("dedup-at-scale", &args);
        command.current_dir(corpus.dir.path());
        let path = std::env::var("PATH").unwrap_or_default();
        let tools = tool.parent().unwrap().display().to_string();
        let bin = corpus.path("bin").display().to_string();
        command.env("PATH", format!("{bin}:{tools}:{path}"));
        run_command(command, "")
    };
    run().expect_exit(1);
    assert!(!Path::exists(&corpus.path("out.dedup/tags/10")));
    fs::write(corpus.path("no-kill"), "").unwrap();
    run().expect_exit(0);
    assert!(corpus.output() == corpus.expected(&[]));
}

#[test]
fn other_options_need_other_intermediate_files() {
    let corpus = Shards::new(corpus(9), 2);
    let none = corpus.engine("none", "");
    corpus.run(&none, &[]).expect_exit(2);
    let said = corpus
        .run(&none, &["--threshold", "0.5"])
        .expect_exit(2)
        .stderr;
    assert!(said.contains("of other shards or options"), "{said}");
    let said = corpus
        .run(&none, &["--threshold", "7"])
        .expect_exit(2)
        .stderr;
    assert!(said.contains("from 0.1 to 1"), "{said}");
}

#[test]
fn dedup_refuses_what_is_not_of_its_phases() {
    let dir = temp_folder();
    let results = dir.path().join("results");
    fs::write(
        &results,
        "10000000002\t{\"status\":\"exact\",\"of\":null,\"resemblance\":1.0}\n",
    )
    .unwrap();
    let take = ["--take-results", results.to_str().unwrap()];
    let two = "{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    let taken = run_tool("dedup", take, two).expect_exit(0).stdout;
    assert!(
        taken.lines().nth(1).unwrap().contains("\"exact\""),
        "{taken}"
    );
    let refused = run_tool("dedup", take, "{\"text\":\"a\"}\n").expect_exit(2);
    assert!(
        refused.stderr.contains("result of record 2"),
        "{}",
        refused.stderr
    );
    run_tool("dedup", ["--results"], "1\tx\n").expect_exit(1);
    run_tool("dedup", ["--groups"], "no number\n").expect_exit(1);
    let groups = run_tool("dedup", ["--groups"], "a\t1\na\t2\nb\t3\nc\t2\nc\t4\n").expect_exit(0);
    assert_eq!(groups.stdout, "1\t1\n1\t2\n1\t4\n");
}
