//! `langid` on records and on plain lines.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::json;
use std::fs;

const SLOVENIAN: &str = "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake \
                         pravice, ker so obdarjeni z razumom.";
const ENGLISH: &str = "When we came home late in the evening there was nobody in the house, so we \
                       made some tea and waited for the others.";

fn text_record(text: &str) -> String {
    format!("{{\"url\":\"http://a.test/1\",\"text\":\"{text}\",\"n\":1e5}}\n")
}

fn run_langid(args: &[&str], stdin: &str) -> ToolOutput {
    run_tool("langid", args, stdin)
}

#[test]
fn adds_the_language_and_the_label_and_keeps_other_fields() {
    let output = run_langid(&[], &text_record(SLOVENIAN)).expect_exit(0);
    assert!(
        output
            .stdout
            .contains("\"n\":1e5,\"langid\":{\"code\":\"slv\",\"script\":\"Latn\",\"score\":"),
        "{}",
        output.stdout
    );
    let record = &output.records()[0];
    assert_eq!(record["label"], "slv");
    assert_eq!(record["langid"]["top"][0]["code"], "slv");
    assert!(
        record["langid"]["top"]
            .as_array()
            .is_some_and(|top| (1..=5).contains(&top.len()))
    );
    assert!(record["langid"]["margin"].as_f64().is_some_and(|m| m > 0.0));
}

#[test]
fn records_without_a_text_or_with_an_error_or_a_language_pass_through() {
    let lines = concat!(
        "{\"n\":1}\n",
        "{\"text\":null}\n",
        "{\"text\":\"dan\",\"error\":{\"tool\":\"x\",\"kind\":\"dns\"}}\n",
        "{\"text\":\"dan\",\"langid\":{\"code\":\"xxx\"}}\n"
    );
    assert_eq!(run_langid(&[], lines).expect_exit(0).stdout, lines);
}

#[test]
fn force_replaces_the_fields_in_place() {
    let line = format!("{{\"langid\":{{\"code\":0}},\"label\":\"x\",\"text\":\"{SLOVENIAN}\"}}\n");
    let output = run_langid(&["--force"], &line).expect_exit(0);
    assert!(
        output.stdout.starts_with("{\"langid\":{\"code\":\"slv\""),
        "{}",
        output.stdout
    );
    assert_eq!(output.records()[0]["label"], "slv");
}

#[test]
fn an_existing_label_is_kept() {
    let line = format!("{{\"label\":\"on-topic\",\"text\":\"{SLOVENIAN}\"}}\n");
    assert_eq!(run_langid(&[], &line).records()[0]["label"], "on-topic");
}

#[test]
fn a_text_of_the_wrong_type_causes_an_error_record() {
    let output = run_langid(&[], "{\"text\":3}\n").expect_exit(0);
    assert_eq!(output.records()[0]["error"]["kind"], "bad-field");
    assert!(output.records()[0].get("langid").is_none());
}

#[test]
fn text_without_a_language_is_und() {
    let record = &run_langid(&[], "{\"text\":\"12 345\"}\n").records()[0];
    assert_eq!(
        (&record["label"], &record["langid"]["score"]),
        (&"und".into(), &0.0.into())
    );
}

#[test]
fn a_line_that_is_not_a_record_is_skipped() {
    let output = run_langid(
        &[],
        &format!("{}[1]\n{}", text_record(SLOVENIAN), text_record(ENGLISH)),
    )
    .expect_exit(1);
    assert!(
        output.stderr.starts_with("langid: -:2: "),
        "{}",
        output.stderr
    );
    assert_eq!(output.records().len(), 2);
}

#[test]
fn excluded_languages_are_not_reported() {
    let codes = |args: &[&str]| {
        run_langid(args, &text_record(SLOVENIAN))
            .expect_exit(0)
            .records()[0]["langid"]["code"]
            .clone()
    };
    assert_ne!(codes(&["--without", "slv"]), "slv");
    assert_eq!(codes(&["--only", "hrv,eng"]), "hrv");
}

#[test]
fn the_prior_decides_a_word_of_several_languages() {
    let dir = temp_folder();
    let file = dir.path().join("prior.tsv");
    let prior = file.display().to_string();
    // In Danish, Swedish and Norwegian alike.
    let codes = |prior: &str| {
        let args = ["--only", "dan,swe,nob", "--prior", prior];
        let record = &run_langid(&args, &text_record("hund"))
            .expect_exit(0)
            .records()[0];
        record["langid"]["code"].clone()
    };
    for code in ["dan", "swe", "nob"] {
        fs::write(&file, format!("# pages\n{code}\t1e15\n")).unwrap();
        assert_eq!(codes(&prior), code);
    }
    fs::write(&file, "dan 5\n").unwrap();
    let output = run_langid(&["--prior", &prior], "").expect_exit(2);
    assert!(output.stderr.contains("line 1"), "{}", output.stderr);
    let absent = dir.path().join("absent").display().to_string();
    let output = run_langid(&["--prior", &absent], "").expect_exit(2);
    assert!(output.stderr.contains(&absent), "{}", output.stderr);
}

#[test]
fn a_profile_is_used_even_if_its_language_is_excluded() {
    let dir = temp_folder();
    let profile = dir.path().join("slv.profile").display().to_string();
    run_tool(
        "ngram-profile",
        ["-q", "--lang", "slv", "--out", &profile],
        SLOVENIAN,
    )
    .expect_exit(0);
    let output = run_langid(
        &["--without", "slv", "--profile", &profile],
        &text_record(SLOVENIAN),
    )
    .expect_exit(0);
    assert_eq!(output.records()[0]["label"], "slv");
}

#[test]
fn an_unknown_language_is_refused_with_a_hint() {
    for args in [["--only", "slv,qqq"], ["--without", "qqq"]] {
        let output = run_langid(&args, "").expect_exit(2);
        assert!(
            output.stderr.contains("qqq") && output.stderr.contains("--list"),
            "{}",
            output.stderr
        );
    }
    run_langid(&["--only", "slovenian"], "").expect_exit(2);
    run_langid(&["--method", "magic"], "").expect_exit(2);
}

#[test]
fn paragraphs_have_shares() {
    let text = format!("{}\\n{}", SLOVENIAN.repeat(2), ENGLISH.repeat(2));
    let share =
        run_langid(&["--paragraphs"], &text_record(&text)).records()[0]["langid"]["share"].clone();
    assert!(
        share["slv"].as_f64().is_some_and(|s| s > 0.3)
            && share["eng"].as_f64().is_some_and(|s| s > 0.3),
        "{share}"
    );
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let input: String = (0..2000)
        .map(|n| text_record(if n % 3 == 0 { ENGLISH } else { SLOVENIAN }))
        .collect();
    assert_eq!(
        run_langid(&["-j", "1"], &input).stdout,
        run_langid(&["-j", "8"], &input).stdout
    );
}

#[test]
fn the_result_does_not_depend_on_earlier_texts() {
    let empty = text_record("");
    let after = run_langid(
        &[],
        &format!("{}{empty}", text_record("Все люди рождаются свободными.")),
    )
    .records()[1]
        .clone();
    assert_eq!(after, run_langid(&[], &empty).records()[0]);
}

#[test]
fn at_least_one_language_must_remain() {
    let output = run_langid(&["--only", "slv", "--without", "slv"], "").expect_exit(2);
    assert!(
        output.stderr.contains("no language is left"),
        "{}",
        output.stderr
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
fn a_very_long_word_is_processed() {
    let text = "a'".repeat(3_000_000);
    let output = run_langid(&[], &text_record(&text)).expect_exit(0);
    assert_eq!(output.records().len(), 1);
}

#[test]
fn invalid_and_truncated_profiles_and_models_are_refused() {
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
        run_langid(&[flag, &path(name)], "").expect_exit(0);
        let whole = fs::read(path(name)).unwrap();
        for length in [0, 5, whole.len() / 2, whole.len() - 1] {
            fs::write(path("cut"), &whole[..length]).unwrap();
            let output = run_langid(&[flag, &path("cut")], "").expect_exit(2);
            assert!(output.stderr.contains("cut: "), "{}", output.stderr);
        }
        run_langid(&[flag, &path("missing")], "").expect_exit(2);
    }
    let newer =
        fs::read_to_string(&profile)
            .unwrap()
            .replacen("forage-profile 2", "forage-profile 9", 1);
    fs::write(path("newer"), newer).unwrap();
    assert!(
        run_langid(&["--profile", &path("newer")], "")
            .expect_exit(2)
            .stderr
            .contains("version 9")
    );
}

#[test]
fn several_models_are_used_together_with_the_built_in_one() {
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
    let one = path("qaa.model");
    let two = path("qab.model");
    let identify_lines = |flags: &[&str]| -> Vec<String> {
        let lines = format!("{sentence}\n{other}\n{SLOVENIAN}\n");
        let output = run_langid(&[&["--lines"], flags].concat(), &lines).expect_exit(0);
        output
            .stdout
            .lines()
            .map(|line| line[..3].to_owned())
            .collect()
    };
    assert_eq!(
        identify_lines(&["--model", &one, "--model", "builtin", "--model", &two]),
        ["qaa", "qab", "slv"]
    );
    assert_eq!(
        identify_lines(&["--model", &one, "--model", &two])[..2],
        ["qaa", "qab"]
    );
    assert_eq!(
        run_langid(&["--list", "--model", &one, "--model", &two], "")
            .expect_exit(0)
            .stdout
            .lines()
            .count(),
        2
    );
}

#[test]
fn a_line_of_symbols_before_a_long_text_is_ignored() {
    let text = format!("{} {}", "=".repeat(499), SLOVENIAN.repeat(200));
    assert_eq!(
        run_langid(&[], &text_record(&text)).records()[0]["label"],
        "slv"
    );
}

#[test]
fn urls_are_ignored_but_adjacent_text_is_not() {
    let lines = "https://t.co/abc。今日はとても良い天気なので、湖まで散歩に行きました。\n\
                 你好 https://example.com/\n";
    let output = run_langid(&["--lines"], lines).expect_exit(0);
    assert_eq!(
        output
            .stdout
            .lines()
            .map(|line| &line[..3])
            .collect::<Vec<_>>(),
        ["jpn", "zho"]
    );
}

#[test]
fn a_mixed_page_is_und_and_has_shares() {
    let lines = [
        "We walked to the lake and came back home in the evening.",
        "Wir gingen zum See und kamen am Abend wieder nach Hause.",
        "Nous avons marché jusqu'au lac et sommes rentrés le soir.",
        "Poszliśmy nad jezioro i wieczorem wróciliśmy do domu.",
        "Мы пошли на озеро и вечером вернулись домой.",
    ];
    let found = run_langid(&["--paragraphs"], &text_record(&lines.join("\\n")))
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
fn code_urls_numerals_mojibake_and_random_letters_are_und() {
    let lines = [
        "static int length(const char *s) { int n = 0; while (s[n] != 0) { n += 1; } return n; }",
        "SELECT term_id, SUM(tf) AS tf FROM seen WHERE (class_id = 1) GROUP BY term_id; \
         DROP TABLE seen;",
        "ana@posta.si bor@naslov.si www.naslov.si/pot",
        "I II III IV V VI VII VIII IX X XI XII",
        "РњРѕСЃРєРІР° — СЃС‚РѕР»РёС†Р° Р РѕСЃСЃРёРё, РіРѕСЂРѕРґ РЅР° СЂРµРєРµ РњРѕСЃРєРІРµ",
        "τξβλ ρψδζη θκχωφ μνπγσ ξζψρλ βδτχκ φωηθμ γπνσζ",
        "뷁쮊 쒧뢟꽯 뙣쪩 윏뵓쿒 촭꿢 쇏",
    ];
    let output = run_langid(&["--lines"], &format!("{}\n", lines.join("\n"))).expect_exit(0);
    for line in output.stdout.lines() {
        assert!(line.starts_with("und\t"), "{line}");
    }
}

#[test]
fn full_width_letters_and_entities_are_normalised() {
    let lines = "Ｄａｎｅｓ　ｊｅ　ｌｅｐ　ｄａｎ，　ｚａｔｏ　ｇｒｅｍｏ　ｋ　ｊｅｚｅｒｕ\n\
                 Danes&nbsp;je&nbsp;lep&nbsp;dan,&nbsp;zato&nbsp;gremo&nbsp;k&nbsp;jezeru\n";
    let output = run_langid(&["--lines"], lines).expect_exit(0);
    assert_eq!(
        output
            .stdout
            .lines()
            .map(|line| &line[..3])
            .collect::<Vec<_>>(),
        ["slv", "slv"]
    );
}

#[test]
fn languages_that_nothing_tells_apart_are_alternatives() {
    let records = [
        "Ustani, stani na visoko i obazri se na istok!",
        "Tko je to vidio, neka dođe u tajništvo u siječnju.",
        SLOVENIAN,
    ]
    .map(text_record)
    .concat();
    let output = run_langid(&["--tsv", "label,langid.alternatives"], &records).expect_exit(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    let is_neutral = |line: &str| ["bos", "hrv", "srp"].iter().all(|code| line.contains(code));
    assert!(is_neutral(lines[1]), "{lines:?}");
    assert_eq!(lines[2..], ["hrv\t", "slv\t"]);
}

#[test]
fn a_text_in_no_known_language_has_the_nearest_ones() {
    let text = "Agidaw-gidaw, agidaw nagsayaw-sayaw an bukaw ngsirit-sirit an gitgit";
    let args = [
        "--without",
        "war,ceb,hil,tgl,bcl,ilo,pag",
        "--tsv",
        "label,langid.score,langid.top",
    ];
    for paragraphs in [None, Some("--paragraphs")] {
        let args: Vec<&str> = args.into_iter().chain(paragraphs).collect();
        let output = run_langid(&args, &text_record(text)).expect_exit(0);
        let line = output.stdout.lines().nth(1).unwrap();
        assert!(line.starts_with("und\t0.0\t[{\"code\":\""), "{line}");
    }
    let output = run_langid(&["--tsv", "label,langid.top"], &text_record("12 34")).expect_exit(0);
    assert_eq!(output.stdout, "label\tlangid.top\nund\t\n");
}

#[test]
fn codes_of_other_registries_have_labels_and_names() {
    for (given, label, name) in [
        // Retired codes of ISO 639-3, of which the last became a member of another language.
        ("mol", "ron", "Romanian"),
        ("kzj", "dtp", "Kadazan Dusun"),
        ("bqe", "eus", "Basque"),
        // Codes of Wikipedias, tags with a script or a region.
        ("zh-classical", "lzh", "Literary Chinese"),
        ("roa-rup", "rup", "Macedo-Romanian"),
        ("sr-Latn", "srp", "Serbian"),
        ("pt_BR", "por", "Portuguese"),
        ("jw", "jav", "Javanese"),
        ("simple", "eng", "English"),
        ("ca-valencia", "cat", "Catalan"),
        ("zgh", "zgh", "Standard Moroccan Tamazight"),
        ("ber", "ber", "Berber languages"),
        // No label: the name is that of ISO 639-3.
        ("nrm", "nrm", "Narom"),
        ("qaa", "qaa", "(reserved for local use)"),
        ("zzx", "zzx", "(no code of ISO 639-3)"),
    ] {
        let output = run_langid(&["--resolve", given], "").expect_exit(0);
        let expected = format!("{given}\t{label}\t{name}\t");
        assert!(output.stdout.starts_with(&expected), "{}", output.stdout);
    }
    let refused = |given| run_langid(&["--resolve", given], "").expect_exit(2).stderr;
    assert!(refused("eml").contains("choose one of its languages: egl, rgn"));
    // None of its two languages is a label.
    assert!(refused("kxu").ends_with("kxu is the code of a group of languages, and no label\n"));
    for (name, code) in [
        ("Montenegrin", "srp"),
        ("Moldovan", "ron"),
        ("Emilian-Romagnol", "eml"),
    ] {
        let expected = format!("is a name; its code is {code}");
        assert!(refused(name).contains(&expected), "{name}");
    }
    let listed = run_langid(&["--list", "--only", "sr-Latn,ca-valencia"], "").expect_exit(0);
    assert!(listed.stdout.starts_with("cat\t") && listed.stdout.contains("\nsrp\tLatn\t"));
}

#[test]
fn a_text_for_a_legacy_font_is_named_and_has_no_language() {
    let records: String = [
        "eSa ,d Hkkjrh; ukxfjd gwa vkSj eq>s vius ns'k ij xoZ gSA ;g gekjs fy, cgqr egRoiw.kZ gSA",
        "Avwg evsjv‡`‡k _vwK| †m Avgvi fvB| Avwg cÖwZw`b ¯‹z‡j hvB Ges evsjv cwo|",
        "ျမန္မာႏိုင္ငံသည္ အေရွ႕ေတာင္အာရွတြင္ တည္ရွိေသာ ႏိုင္ငံတစ္ခု ျဖစ္သည္။",
        SLOVENIAN,
    ]
    .map(text_record)
    .concat();
    for args in [
        &["--tsv", "label,langid.font"][..],
        &["--tsv", "label,langid.font", "--paragraphs"],
    ] {
        let output = run_langid(args, &records).expect_exit(0);
        assert_eq!(
            output.stdout,
            "label\tlangid.font\nund\tkruti-dev\nund\tbijoy\nund\tzawgyi\nslv\t\n"
        );
    }
}

#[test]
fn marks_names_and_addresses_do_not_decide() {
    let lines = [
        ("heb", "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ"),
        (
            "rus",
            "Мы пошли\u{301} на о\u{301}зеро и ве\u{301}чером верну\u{301}лись домо\u{301}й",
        ),
        (
            "jpn",
            "Visual Studio CodeでPythonとDjangoの環境を作るにはPyCharm Professionalも使えます",
        ),
        (
            "und",
            "info@company.com, sales@company.co.uk; john.smith@mail.example.org",
        ),
    ];
    let input: String = lines.iter().map(|(_, text)| format!("{text}\n")).collect();
    let output = run_langid(&["--lines"], &input).expect_exit(0);
    let codes: Vec<&str> = output.stdout.lines().map(|line| &line[..3]).collect();
    assert_eq!(codes, lines.map(|(code, _)| code));
}

#[test]
fn a_language_of_another_program_is_kept_and_reported() {
    let text = "Potok teče skozi vas in poganja mlin, ki stoji tam že več kot dvesto let.";
    let lines = [
        json!({"text": text, "langid": "sl"}),
        json!({"text": text, "langid": null}),
        json!({"text": text, "langid": {"lang": "sl"}, "label": 3}),
    ];
    let stdin: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = run_tool("langid", [""; 0], &stdin).expect_exit(0);
    let records = output.records();
    assert!(
        records
            .iter()
            .all(|record| record["langid"]["code"] == "slv")
    );
    assert_eq!(records[0]["foreign_langid"], "sl");
    assert!(records[1].get("foreign_langid").is_none());
    assert_eq!(records[2]["label"], 3);
    let message = "langid: 2 records with a `langid` of another program, which is now \
                   `foreign_langid`\n";
    assert_eq!(output.stderr, message);
}

#[test]
fn records_that_cannot_be_compared_with_their_label_are_counted() {
    let stdin = "{\"text\":\"a\",\"lang\":\"sl\"}\n{\"label\":\"slv\"}\n";
    let output = run_tool("langid", ["--check-labels"], stdin).expect_exit(0);
    assert_eq!(
        output.stderr,
        "langid: none of 2 records was compared: 1 without `label`, 1 without `text`\n"
    );
}
