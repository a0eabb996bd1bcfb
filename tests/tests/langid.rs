//! `langid` in a pipe.

use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const SLOVENIAN: &str = "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice, ker so obdarjeni z razumom.";
const ENGLISH: &str = "When we came home late in the evening there was nobody in the house, so we made some tea and waited for the others.";

fn record(text: &str) -> String {
    format!("{{\"url\":\"http://a.test/1\",\"text\":\"{text}\",\"n\":1e5}}\n")
}

fn langid(args: &[&str], stdin: &str) -> ToolOutput {
    run_tool("langid", args, stdin)
}

#[test]
fn adds_the_language_and_the_label_and_keeps_the_rest() {
    let done = langid(&[], &record(SLOVENIAN)).expect_exit(0);
    assert!(
        done.stdout
            .contains("\"n\":1e5,\"langid\":{\"code\":\"slv\",\"script\":\"Latn\",\"score\":"),
        "{}",
        done.stdout
    );
    let record = &done.records()[0];
    assert_eq!(record["label"], "slv");
    assert_eq!(record["langid"]["top"][0][0], "slv");
    assert!(
        record["langid"]["top"]
            .as_array()
            .is_some_and(|top| (1..=5).contains(&top.len()))
    );
    assert!(record["langid"]["margin"].as_f64().is_some_and(|m| m > 0.0));
}

#[test]
fn passes_on_what_has_no_text_an_error_or_a_language_already() {
    let lines = "{\"n\":1}\n{\"text\":null}\n{\"text\":\"dan\",\"error\":{\"kind\":\"dns\"}}\n{\"text\":\"dan\",\"langid\":{}}\n";
    assert_eq!(langid(&[], lines).expect_exit(0).stdout, lines);
}

#[test]
fn force_replaces_in_place() {
    let line = format!("{{\"langid\":0,\"label\":\"x\",\"text\":\"{SLOVENIAN}\"}}\n");
    let done = langid(&["--force"], &line).expect_exit(0);
    assert!(
        done.stdout.starts_with("{\"langid\":{\"code\":\"slv\""),
        "{}",
        done.stdout
    );
    assert_eq!(done.records()[0]["label"], "slv");
}

#[test]
fn a_label_that_is_there_stays() {
    let line = format!("{{\"label\":\"on-topic\",\"text\":\"{SLOVENIAN}\"}}\n");
    assert_eq!(langid(&[], &line).records()[0]["label"], "on-topic");
}

#[test]
fn text_of_the_wrong_type_is_an_error_of_the_record() {
    let done = langid(&[], "{\"text\":3}\n").expect_exit(0);
    assert_eq!(done.records()[0]["error"]["kind"], "bad-field");
    assert!(done.records()[0].get("langid").is_none());
}

#[test]
fn what_is_no_language_is_und() {
    let record = &langid(&[], "{\"text\":\"12 345\"}\n").records()[0];
    assert_eq!(
        (&record["label"], &record["langid"]["score"]),
        (&"und".into(), &0.0.into())
    );
}

#[test]
fn a_line_that_is_no_record_is_left_out() {
    let done = langid(
        &[],
        &format!("{}[1]\n{}", record(SLOVENIAN), record(ENGLISH)),
    )
    .expect_exit(1);
    assert!(done.stderr.starts_with("langid: -:2: "), "{}", done.stderr);
    assert_eq!(done.records().len(), 2);
}

#[test]
fn plain_lines_come_out_with_code_and_score() {
    let done = langid(
        &["--lines", "--only", "sl,en"],
        &format!("{SLOVENIAN}\n{ENGLISH}\n"),
    )
    .expect_exit(0);
    let fields: Vec<Vec<&str>> = done
        .stdout
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(
        fields.iter().map(|f| (f[0], f[2])).collect::<Vec<_>>(),
        [("slv", SLOVENIAN), ("eng", ENGLISH)]
    );
    assert!(fields.iter().all(|f| {
        f[1].parse()
            .is_ok_and(|score: f64| (0.0..=1.0).contains(&score))
    }));
}

#[test]
fn languages_left_out_are_not_named() {
    let codes = |args: &[&str]| {
        langid(args, &record(SLOVENIAN)).expect_exit(0).records()[0]["langid"]["code"].clone()
    };
    assert_ne!(codes(&["--without", "slv"]), "slv");
    assert_eq!(codes(&["--only", "hrv,eng"]), "hrv");
}

#[test]
fn a_named_profile_stays_known_without_its_language() {
    let dir = temp_folder();
    let profile = dir.path().join("slv.profile").display().to_string();
    run_tool(
        "ngram-profile",
        ["-q", "--lang", "slv", "--out", &profile],
        SLOVENIAN,
    )
    .expect_exit(0);
    let done = langid(
        &["--without", "slv", "--profile", &profile],
        &record(SLOVENIAN),
    )
    .expect_exit(0);
    assert_eq!(done.records()[0]["label"], "slv");
}

#[test]
fn an_unknown_language_stops_it_and_the_way_out_is_said() {
    for args in [["--only", "slv,qqq"], ["--without", "qqq"]] {
        let done = langid(&args, "").expect_exit(2);
        assert!(
            done.stderr.contains("qqq") && done.stderr.contains("--list"),
            "{}",
            done.stderr
        );
    }
    langid(&["--only", "slovenian"], "").expect_exit(2);
    langid(&["--method", "magic"], "").expect_exit(2);
}

#[test]
fn the_list_has_five_fields() {
    let done = langid(&["--list"], "").expect_exit(0);
    assert!(done.stdout.lines().count() > 1000);
    assert!(
        done.stdout
            .lines()
            .all(|line| line.split('\t').count() == 5)
    );
    assert!(done.stdout.contains("slv\tLatn\tSlovenian\t"));
}

#[test]
fn paragraphs_have_shares() {
    let text = format!("{}\\n{}", SLOVENIAN.repeat(2), ENGLISH.repeat(2));
    let share = langid(&["--paragraphs"], &record(&text)).records()[0]["langid"]["share"].clone();
    assert!(
        share["slv"].as_f64().is_some_and(|s| s > 0.3)
            && share["eng"].as_f64().is_some_and(|s| s > 0.3),
        "{share}"
    );
}

#[test]
fn the_output_is_the_same_for_any_number_of_threads() {
    let input: String = (0..2000)
        .map(|n| record(if n % 3 == 0 { ENGLISH } else { SLOVENIAN }))
        .collect();
    assert_eq!(
        langid(&["-j", "1"], &input).stdout,
        langid(&["-j", "8"], &input).stdout
    );
}

#[test]
fn a_text_is_answered_alike_after_any_other() {
    let empty = record("");
    let after = langid(
        &[],
        &format!("{}{empty}", record("Все люди рождаются свободными.")),
    )
    .records()[1]
        .clone();
    assert_eq!(after, langid(&[], &empty).records()[0]);
}

#[test]
fn at_least_one_language_must_be_left() {
    let done = langid(&["--only", "slv", "--without", "slv"], "").expect_exit(2);
    assert!(
        done.stderr.contains("no language is left"),
        "{}",
        done.stderr
    );
    let dir = temp_folder();
    let out = dir.path().join("p").display().to_string();
    run_tool("ngram-profile", ["--lang", "und", "--out", &out], SLOVENIAN).expect_exit(2);
    run_tool(
        "ngram-profile",
        ["--lang", "qaa", "--wordlist", "--out", &out],
        "je\t0\n",
    )
    .expect_exit(2);
}

#[test]
fn a_word_without_end_takes_no_memory_without_end() {
    let text = "a'".repeat(3_000_000);
    let done = langid(&[], &record(&text)).expect_exit(0);
    assert_eq!(done.records().len(), 1);
}

#[test]
fn a_profile_or_model_that_is_none_or_truncated_is_refused() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let profile = path("slv.profile");
    run_tool(
        "ngram-profile",
        ["-q", "--lang", "slv", "--out", &profile],
        SLOVENIAN,
    )
    .expect_exit(0);
    run_tool(
        "ngram-profile",
        ["-q", "--pack", &path(""), "--out", &path("my.model")],
        "",
    )
    .expect_exit(0);
    for (flag, name) in [("--profile", "slv.profile"), ("--model", "my.model")] {
        langid(&[flag, &path(name)], "").expect_exit(0);
        let whole = fs::read(path(name)).unwrap();
        for length in [0, 5, whole.len() / 2, whole.len() - 1] {
            fs::write(path("cut"), &whole[..length]).unwrap();
            let done = langid(&[flag, &path("cut")], "").expect_exit(2);
            assert!(done.stderr.contains("cut: "), "{}", done.stderr);
        }
        langid(&[flag, &path("missing")], "").expect_exit(2);
    }
    let newer =
        fs::read_to_string(&profile)
            .unwrap()
            .replacen("forage-profile 2", "forage-profile 9", 1);
    fs::write(path("newer"), newer).unwrap();
    assert!(
        langid(&["--profile", &path("newer")], "")
            .expect_exit(2)
            .stderr
            .contains("version 9")
    );
}

#[test]
fn several_models_compete_and_the_programs_own_has_a_name() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let [sentence, other] = [
        "Blip blop zum falla neri bosko",
        "trakasti ulumo weri dan kolbi",
    ]
    .map(|s| s.repeat(20));
    for (code, text) in [("qaa", &sentence), ("qab", &other)] {
        fs::create_dir(path(code)).unwrap();
        run_tool(
            "ngram-profile",
            [
                "-q",
                "--lang",
                code,
                "--out",
                &path(&format!("{code}/x.profile")),
            ],
            text.as_str(),
        )
        .expect_exit(0);
        run_tool(
            "ngram-profile",
            [
                "-q",
                "--pack",
                &path(code),
                "--out",
                &path(&format!("{code}.model")),
            ],
            "",
        )
        .expect_exit(0);
    }
    let (one, two) = (path("qaa.model"), path("qab.model"));
    let told = |flags: &[&str]| -> Vec<String> {
        let lines = format!("{sentence}\n{other}\n{SLOVENIAN}\n");
        let done = langid(&[&["--lines"], flags].concat(), &lines).expect_exit(0);
        done.stdout
            .lines()
            .map(|line| line[..3].to_owned())
            .collect()
    };
    assert_eq!(
        told(&["--model", &one, "--model", "builtin", "--model", &two]),
        ["qaa", "qab", "slv"]
    );
    assert_eq!(
        told(&["--model", &one, "--model", &two])[..2],
        ["qaa", "qab"]
    );
    assert_eq!(
        langid(&["--list", "--model", &one, "--model", &two], "")
            .expect_exit(0)
            .stdout
            .lines()
            .count(),
        2
    );
}

#[test]
fn a_ruler_above_a_long_text_is_no_matter() {
    let text = format!("{} {}", "=".repeat(499), SLOVENIAN.repeat(200));
    assert_eq!(langid(&[], &record(&text)).records()[0]["label"], "slv");
}

#[test]
fn every_plain_line_is_answered() {
    let done = langid(
        &["--lines"],
        &format!("\u{feff}{SLOVENIAN}\r\n\n \t\n{ENGLISH}\n\n12"),
    )
    .expect_exit(0);
    let answers: Vec<Vec<&str>> = done
        .stdout
        .lines()
        .map(|line| line.splitn(3, '\t').collect())
        .collect();
    let found: Vec<(&str, &str)> = answers
        .iter()
        .map(|fields| (fields[0], fields[2]))
        .collect();
    let expected = [
        ("slv", SLOVENIAN),
        ("und", ""),
        ("und", " \t"),
        ("eng", ENGLISH),
        ("und", ""),
        ("und", "12"),
    ];
    assert_eq!(found, expected);
    assert!(
        done.stdout.lines().nth(1) == Some("und\t0\t"),
        "{}",
        done.stdout
    );
    let (dir, long) = (temp_folder(), "a".repeat(201));
    let rejects = dir.path().join("rejects").display().to_string();
    let flags = ["--lines", "--max-line", "200", "--rejects", &rejects];
    let done = langid(&flags, &format!("{SLOVENIAN}\n{long}\n{ENGLISH}\n")).expect_exit(1);
    assert_eq!(done.stdout.lines().nth(1), Some("und\t0\t"));
    assert_eq!(done.stdout.lines().count(), 3);
    assert_eq!(
        std::fs::read_to_string(rejects).unwrap(),
        format!("{long}\n")
    );
    assert!(
        done.stderr
            .contains("-:2: line of 201 bytes exceeds --max-line 200"),
        "{}",
        done.stderr
    );
    langid(&["--lines", "--max-line", "9", "--strict"], SLOVENIAN).expect_exit(2);
}

#[test]
fn plain_lines_of_a_co_process_are_answered_one_by_one() {
    let mut child = Command::new(tool_path("langid"))
        .arg("--lines")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    for (line, code) in [(SLOVENIAN, "slv"), ("", "und"), (ENGLISH, "eng")].repeat(3) {
        writeln!(to, "{line}").unwrap();
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(code), "{answer}");
    }
    drop(to);
    assert!(child.wait().unwrap().success());
}

#[test]
fn plain_lines_are_answered_alike_by_any_number_of_threads() {
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let text: String = (0..9000)
        .map(|n| format!("{n} {}\n", [SLOVENIAN, ENGLISH, ""][n % 3]))
        .collect();
    fs::write(path("one"), &text).unwrap();
    fs::write(path("two"), text.trim_end()).unwrap();
    let told = |jobs: &str| {
        langid(&["--lines", "-j", jobs, &path("one"), &path("two")], "")
            .expect_exit(0)
            .stdout
    };
    let one = told("1");
    assert_eq!(one.lines().count(), 18_000);
    let numbers = one.lines().map(|line| {
        line.split(['\t', ' '])
            .nth(2)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    });
    assert!(numbers.eq((0..9000).chain(0..9000)));
    assert!(one == told("3") && one == told("8"));
    langid(&["--lines", &path("one"), &path("missing")], "").expect_exit(2);
}

#[test]
fn an_address_has_no_say_and_no_more_than_itself() {
    let lines = "https://t.co/abc。今日はとても良い天気なので、湖まで散歩に行きました。\n你好 https://example.com/\n";
    let done = langid(&["--lines"], lines).expect_exit(0);
    assert_eq!(
        done.stdout
            .lines()
            .map(|line| &line[..3])
            .collect::<Vec<_>>(),
        ["jpn", "zho"]
    );
}

#[test]
fn a_page_that_is_mixed_has_its_shares_for_an_answer() {
    let lines = [
        "We walked to the lake and came back home in the evening.",
        "Wir gingen zum See und kamen am Abend wieder nach Hause.",
        "Nous avons marché jusqu'au lac et sommes rentrés le soir.",
        "Poszliśmy nad jezioro i wieczorem wróciliśmy do domu.",
        "Мы пошли на озеро и вечером вернулись домой.",
    ];
    let found = langid(&["--paragraphs"], &record(&lines.join("\\n")))
        .expect_exit(0)
        .records()[0]["langid"]
        .clone();
    assert_eq!(
        (&found["code"], &found["score"]),
        (&"und".into(), &0.0.into())
    );
    let shares = found["share"].as_object().expect("shares");
    assert_eq!(
        shares.keys().collect::<Vec<_>>(),
        ["deu", "eng", "fra", "pol", "rus"]
    );
    assert_eq!(found["top"].as_array().map(Vec::len), Some(5));
}

#[test]
fn code_addresses_numerals_misread_and_random_letters_are_und() {
    let lines = [
        "static int length(const char *s) { int n = 0; while (s[n] != 0) { n += 1; } return n; }",
        "SELECT term_id, SUM(tf) AS tf FROM seen WHERE (class_id = 1) GROUP BY term_id; DROP TABLE seen;",
        "ana@posta.si bor@naslov.si www.naslov.si/pot",
        "I II III IV V VI VII VIII IX X XI XII",
        "РњРѕСЃРєРІР° — СЃС‚РѕР»РёС†Р° Р РѕСЃСЃРёРё, РіРѕСЂРѕРґ РЅР° СЂРµРєРµ РњРѕСЃРєРІРµ",
        "τξβλ ρψδζη θκχωφ μνπγσ ξζψρλ βδτχκ φωηθμ γπνσζ",
        "뷁쮊 쒧뢟꽯 뙣쪩 윏뵓쿒 촭꿢 쇏",
    ];
    let done = langid(&["--lines"], &format!("{}\n", lines.join("\n"))).expect_exit(0);
    for line in done.stdout.lines() {
        assert!(line.starts_with("und\t"), "{line}");
    }
}

#[test]
fn forms_of_letters_and_entities_are_no_matter() {
    let lines = "Ｄａｎｅｓ　ｊｅ　ｌｅｐ　ｄａｎ，　ｚａｔｏ　ｇｒｅｍｏ　ｋ　ｊｅｚｅｒｕ\nDanes&nbsp;je&nbsp;lep&nbsp;dan,&nbsp;zato&nbsp;gremo&nbsp;k&nbsp;jezeru\n";
    let done = langid(&["--lines"], lines).expect_exit(0);
    assert_eq!(
        done.stdout
            .lines()
            .map(|line| &line[..3])
            .collect::<Vec<_>>(),
        ["slv", "slv"]
    );
}
