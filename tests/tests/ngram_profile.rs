//! `ngram-profile`: samples, word lists, merging and packing.

use forage_tests::{run_tool, temp_folder};
use std::fs;

const SLOVENIAN: &str = "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake \
                         pravice, ker so obdarjeni z razumom.";

#[test]
fn text_and_records_give_the_same_profile() {
    let dir = temp_folder();
    let [a, b] = ["a", "b"].map(|name| dir.path().join(name).display().to_string());
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &a],
        format!("{SLOVENIAN}\n{SLOVENIAN}\n"),
    )
    .expect_exit(0);
    let record = format!("{{\"text\":\"{SLOVENIAN}\"}}\n");
    let records = format!(
        "{record}{{\"text\":null}}\n{{\"text\":\"other\",\"error\":{{\"tool\":\"x\",\"kind\":\"dns\"}}}}\n{record}"
    );
    run_tool("ngram-profile", ["--lang", "sl", "--out", &b], records).expect_exit(0);
    assert_eq!(
        fs::read_to_string(a).unwrap(),
        fs::read_to_string(b).unwrap()
    );
}

#[test]
fn several_files_are_one_sample() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("one.txt"), "danes je lep dan\n").unwrap();
    fs::write(path("two.txt"), "jutri bo dež\n").unwrap();
    run_tool(
        "ngram-profile",
        [
            "--lang",
            "slv",
            "--out",
            &path("p"),
            &path("one.txt"),
            &path("two.txt"),
        ],
        "",
    )
    .expect_exit(0);
    let profile = fs::read_to_string(path("p")).unwrap();
    assert!(profile.starts_with(
        "forage-profile 2\ncode\tslv\nscript\tLatn\nname\tSlovenian\n\
         source\tone.txt two.txt\nwords\t7\n"
    ));
}

#[test]
fn a_merged_profile_equals_the_profile_of_all_samples() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("one"), "-"],
        "danes je lep dan\n",
    )
    .expect_exit(0);
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("two"), "-"],
        "jutri bo dež, danes je dan\n",
    )
    .expect_exit(0);
    run_tool(
        "ngram-profile",
        [
            "--merge",
            "--lang",
            "slv",
            "--out",
            &path("merged"),
            &path("one"),
            &path("two"),
        ],
        "",
    )
    .expect_exit(0);
    let text = "danes je lep dan\njutri bo dež, danes je dan\n";
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("both")],
        text,
    )
    .expect_exit(0);
    let without = |name: &str, fields: &[&str]| -> Vec<String> {
        let file = fs::read_to_string(path(name)).unwrap();
        file.lines()
            .filter(|line| !fields.iter().any(|field| line.starts_with(field)))
            .map(String::from)
            .collect()
    };
    let differing = ["source", "check"];
    assert_eq!(without("merged", &differing), without("both", &differing));
    fs::write(path("none"), "x").unwrap();
    let output = run_tool(
        "ngram-profile",
        [
            "--merge",
            "--lang",
            "slv",
            "--out",
            &path("m"),
            &path("none"),
        ],
        "",
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("none: not an n-gram profile"),
        "{}",
        output.stderr
    );
}

#[test]
fn word_frequencies_count_as_repetitions() {
    let dir = temp_folder();
    let [words, text] = ["words", "text"].map(|name| dir.path().join(name).display().to_string());
    let list = "Form\tFrequency\n# a comment\nje\t3\ndan\t1\n";
    run_tool(
        "ngram-profile",
        ["--wordlist", "--lang", "slv", "--out", &words],
        list,
    )
    .expect_exit(0);
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &text],
        "je je dan je",
    )
    .expect_exit(0);
    assert_eq!(
        fs::read_to_string(words).unwrap(),
        fs::read_to_string(text).unwrap()
    );
}

#[test]
fn a_summary_is_reported_unless_quiet() {
    let dir = temp_folder();
    let out = dir.path().join("p").display().to_string();
    let output =
        run_tool("ngram-profile", ["--lang", "slv", "--out", &out], SLOVENIAN).expect_exit(0);
    for part in [
        "17 words",
        "distinct n-grams",
        "alphabet: o e i a n j s d r v k m b t u z c l p",
        "frequent n-grams: ",
        "nearest known language: slv",
    ] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    assert_eq!(output.stdout, "");
    assert_eq!(
        run_tool(
            "ngram-profile",
            ["-q", "--lang", "slv", "--out", &out],
            SLOVENIAN
        )
        .expect_exit(0)
        .stderr,
        ""
    );
}

#[test]
fn a_sample_without_letters_is_refused_without_output() {
    let dir = temp_folder();
    let out = dir.path().join("p");
    for sample in ["", "1 2 3\n", "{\"n\":1}\n"] {
        let output = run_tool(
            "ngram-profile",
            ["--lang", "slv", "--out", &out.display().to_string()],
            sample,
        )
        .expect_exit(2);
        assert!(output.stderr.contains("no letters"), "{}", output.stderr);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn unreadable_input_and_unwritable_output_are_reported() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let output = run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("no/such/folder/p")],
        SLOVENIAN,
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("folder/p: the folder") && output.stderr.contains("does not exist"),
        "{}",
        output.stderr
    );
    run_tool(
        "ngram-profile",
        ["--lang", "slovenian", "--out", &path("p")],
        SLOVENIAN,
    )
    .expect_exit(2);
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("p"), &path("missing")],
        "",
    )
    .expect_exit(2);
    run_tool(
        "ngram-profile",
        ["--pack", &path(""), "--out", &path("m")],
        "",
    )
    .expect_exit(2);
    fs::write(path("bad.profile"), "x").unwrap();
    let output = run_tool(
        "ngram-profile",
        ["--pack", &path(""), "--out", &path("m")],
        "",
    )
    .expect_exit(2);
    assert!(
        output.stderr.contains("bad.profile: not an n-gram profile"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_packed_model_contains_its_profiles() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for (code, text) in [
        ("slv", SLOVENIAN),
        ("eng", "All human beings are born free and equal."),
    ] {
        run_tool(
            "ngram-profile",
            [
                "-q",
                "--lang",
                code,
                "--out",
                &path(&format!("{code}.profile")),
            ],
            text,
        )
        .expect_exit(0);
    }
    run_tool(
        "ngram-profile",
        ["--pack", &path(""), "--out", &path("m")],
        "",
    )
    .expect_exit(0);
    let list = run_tool("langid", ["--model", &path("m"), "--list"], "")
        .expect_exit(0)
        .stdout;
    assert_eq!(
        list,
        "eng\tLatn\tEnglish\t8\t-\ten aex yib simple\t\t\t\t\t\t\nslv\tLatn\tSlovenian\t17\t-\tsl\t\t\t\t\t\t\n"
    );
    let line = format!("{{\"text\":\"{SLOVENIAN}\"}}\n");
    assert_eq!(
        run_tool("langid", ["--model", &path("m")], line).records()[0]["label"],
        "slv"
    );
}

#[test]
fn a_damaged_first_record_is_skipped() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let record = format!("{{\"text\":\"{SLOVENIAN}\"}}\n");
    run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("whole")],
        record.as_str(),
    )
    .expect_exit(0);
    let damaged = format!("{{\"text\":\"broken\n{record}");
    let output = run_tool(
        "ngram-profile",
        ["--lang", "slv", "--out", &path("damaged")],
        damaged,
    )
    .expect_exit(1);
    assert!(
        output.stderr.starts_with("ngram-profile: -:1: "),
        "{}",
        output.stderr
    );
    assert_eq!(
        fs::read_to_string(path("whole")).unwrap(),
        fs::read_to_string(path("damaged")).unwrap()
    );
}

#[test]
fn a_word_list_may_have_decimal_frequencies_and_skipped_lines_are_reported() {
    let dir = temp_folder();
    let [decimal, whole] =
        ["decimal", "whole"].map(|name| dir.path().join(name).display().to_string());
    let learn = |out: &str, list: &str| {
        run_tool(
            "ngram-profile",
            ["--wordlist", "--lang", "slv", "--out", out],
            list,
        )
    };
    let stderr = learn(&decimal, "word\tfrequency\nje\t3.0\ndan\t1e0\nlep\t0.4\n")
        .expect_exit(0)
        .stderr;
    assert!(
        stderr.contains("counted 1 word with a frequency below 1 as one")
            && !stderr.contains("skipped"),
        "{stderr}"
    );
    let stderr = learn(&whole, "je\t3\ndan\t1\nlep\t1\nje 5\nni\tx\n")
        .expect_exit(0)
        .stderr;
    assert!(
        stderr.contains("skipped 2 lines without the form \"word, tab, frequency\"")
            && stderr.contains("the first is \"je 5\""),
        "{stderr}"
    );
    assert_eq!(
        fs::read_to_string(&decimal).unwrap(),
        fs::read_to_string(&whole).unwrap()
    );
    let stderr = learn(&whole, "je 5\ndan 3\n").expect_exit(2).stderr;
    assert!(
        stderr.contains("no line has the form \"word, tab, frequency\"; the first is \"je 5\""),
        "{stderr}"
    );
    learn(&whole, "je\t99999999999999999999\n").expect_exit(0);
}

#[test]
fn merged_profiles_are_checked_and_may_be_standard_input() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for (code, name, text) in [
        ("slv", "one", SLOVENIAN),
        ("srp", "two", "Сва људска бића рађају се слободна."),
    ] {
        run_tool(
            "ngram-profile",
            ["-q", "--lang", code, "--out", &path(name)],
            text,
        )
        .expect_exit(0);
    }
    let one = path("one");
    let two = path("two");
    let merge = |files: [&str; 2]| {
        let args = [
            "--merge",
            "--lang",
            "slv",
            "--out",
            &path("merged"),
            files[0],
            files[1],
        ];
        run_tool("ngram-profile", args, fs::read_to_string(&one).unwrap())
            .expect_exit(0)
            .stderr
    };
    let stderr = merge(["-", &two]);
    assert!(
        stderr.contains("two: is a profile of srp, merged into one of slv"),
        "{stderr}"
    );
    assert!(
        stderr.contains("two: has words in Cyrl, which were not counted; most words are in Latn"),
        "{stderr}"
    );
    let stderr = merge(["-", &one]);
    assert!(
        !stderr.contains("merged into") && !stderr.contains("not counted"),
        "{stderr}"
    );
}

#[cfg(unix)]
#[test]
fn a_symlink_is_followed_and_a_device_is_kept() {
    let dir = temp_folder();
    let [link, target] = ["link", "target"].map(|name| dir.path().join(name));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let learn = |out: &str| {
        run_tool(
            "ngram-profile",
            ["-q", "--lang", "slv", "--out", out],
            "Danes je lep dan.\n",
        )
        .expect_exit(0)
    };
    learn(link.to_str().unwrap());
    assert!(link.is_symlink() && target.metadata().unwrap().len() > 0);
    learn("/dev/null");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}
