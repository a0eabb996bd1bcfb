use super::{Record, RecordParseError};
use proptest::prelude::*;

fn parse(line: &str) -> Record {
    Record::parse(line.as_bytes().to_vec()).unwrap()
}

fn serialize(record: &Record) -> String {
    let mut out = Vec::new();
    record.write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_field_of_another_program_counts_as_absent_and_is_kept_under_another_name() {
    for (key, foreign, own) in [
        ("step", r#""news""#, r#"{"number":1}"#),
        ("step", r#"{"name":"x"}"#, r#"{"number":0,"target":"a"}"#),
        ("langid", r#""sl""#, r#"{"code":"slv"}"#),
        ("langid", r#"{"lang":"sl"}"#, r#"{ "code" : 1 }"#),
        ("dedup", "true", r#"{"status":"new"}"#),
        ("topic", "[1]", "{}"),
        ("fetch", "1.5e3", r#"{"status":200}"#),
        ("keywords", r#"["a","b"]"#, r#"[ ["a",1,"a"] ]"#),
        ("keywords", r#""a, b""#, "[]"),
        ("error", r#""timeout""#, r#"{"tool":"x","kind":"dns"}"#),
    ] {
        let mut record = parse(&format!(r#"{{"a":1,"{key}":{foreign},"b":2}}"#));
        assert!(
            !record.has_own_value(key) && record.should_add(key, false),
            "{key}"
        );
        if key != "keywords" {
            assert!(record.view::<serde_json::Value>(key).unwrap().is_none());
        }
        record.set(key, &7);
        assert_eq!(
            serialize(&record),
            format!("{{\"a\":1,\"foreign_{key}\":{foreign},\"b\":2,\"{key}\":7}}\n")
        );
        assert_eq!(record.moved_fields().collect::<Vec<_>>(), [key]);
        let record = parse(&format!(r#"{{"{key}":{own}}}"#));
        assert!(
            record.has_own_value(key) && !record.should_add(key, false),
            "{key} {own}"
        );
    }
    let mut record = parse(r#"{"foreign_langid":"x","langid":"sl"}"#);
    record.set("langid", &1);
    assert_eq!(
        serialize(&record),
        "{\"foreign_langid\":\"x\",\"foreign_langid_2\":\"sl\",\"langid\":1}\n"
    );
    let mut record = parse(r#"{"langid":null,"label":3}"#);
    assert!(record.should_add("langid", false));
    record.set("langid", &1);
    assert_eq!(serialize(&record), "{\"langid\":1,\"label\":3}\n");
    assert_eq!(record.scalar("label").as_deref(), Some("3"));
}

#[test]
fn the_text_is_read_from_another_field() {
    for (line, expected) in [
        (
            r#"{"a":1,"content":"b","c":2}"#,
            r#"{"a":1,"text":"b","c":2}"#,
        ),
        (r#"{"text":null,"content":"b"}"#, r#"{"text":"b"}"#),
        (
            r#"{"text":5,"content":"b"}"#,
            r#"{"foreign_text":5,"text":"b"}"#,
        ),
        (
            r#"{"foreign_text":1,"text":"a","foreign_text_2":2,"content":"b"}"#,
            r#"{"foreign_text":1,"foreign_text_3":"a","foreign_text_2":2,"text":"b"}"#,
        ),
        (r#"{"a":"text"}"#, r#"{"a":"text"}"#),
    ] {
        let mut record = parse(line);
        record.read_text_from("content");
        assert_eq!(serialize(&record), format!("{expected}\n"));
    }
    let mut record = parse(r#"{"text":"a"}"#);
    record.read_text_from("text");
    assert_eq!(record.text().unwrap().as_deref(), Some("a"));
}

#[test]
fn a_damaged_field_of_ours_is_no_field_of_another_program() {
    let record = parse(r#"{"step":{"number":"1"},"dedup":{"status":5}}"#);
    assert!(record.view::<crate::Step>("step").is_err());
    assert!(record.view::<crate::Dedup>("dedup").is_err());
}

#[test]
fn keeps_a_line_byte_for_byte() {
    for line in [
        r#"{}"#,
        r#"{ "a" : 1e5 , "b":[1, 2],"c":"\u00e9\/" }"#,
        r#"{"n":123456789012345678901234567890}"#,
    ] {
        assert_eq!(
            serialize(&parse(line)),
            line.trim_end_matches('}').to_owned() + "}\n"
        );
    }
}

#[test]
fn keeps_unpaired_surrogates_in_keys_and_values() {
    let mut record = parse(r#"{"\ud800":1,"a\"b":"\udfff","text":"Danes"}"#);
    assert_eq!(record.text().unwrap().as_deref(), Some("Danes"));
    record.set("text", &"x");
    record.set("\u{fffd}", &2);
    assert_eq!(
        serialize(&record),
        "{\"\\ud800\":1,\"a\\\"b\":\"\\udfff\",\"text\":\"x\",\"\u{fffd}\":2}\n"
    );
}

#[test]
fn reads_unpaired_surrogates_as_replacement_characters() {
    let line = r#"{"text":"lep \ud83d dan","a\udc00":1,"links":[{"url":"u","text":"\ud83d"}]}"#;
    let mut record = parse(line);
    assert!(record.has_unpaired_surrogate());
    assert_eq!(record.text().unwrap().as_deref(), Some("lep \u{fffd} dan"));
    assert_eq!(record.out_links().unwrap().unwrap()[0].text, "\u{fffd}");
    let path: crate::FieldPath = "links.0.text".parse().unwrap();
    assert_eq!(path.read_text(&record).as_deref(), Some("\u{fffd}"));
    assert_eq!(serialize(&record), format!("{line}\n"));
    record.set("label", &"slv");
    record.remove("a\u{fffd}");
    record.remove("links");
    assert_eq!(
        serialize(&record),
        "{\"text\":\"lep \\ud83d dan\",\"a\\udc00\":1,\"label\":\"slv\"}\n"
    );
    assert!(!parse(r#"{"\ud800":1,"text":"\ud83d\ude00"}"#).has_unpaired_surrogate());
}

#[test]
fn appends_an_added_field() {
    let mut record = parse(r#"{"text":"\u010das" }"#);
    record.set("label", &"slv");
    assert_eq!(
        serialize(&record),
        "{\"text\":\"\\u010das\" ,\"label\":\"slv\"}\n"
    );
    let mut empty = parse("{ }");
    empty.set("label", &"slv");
    assert_eq!(serialize(&empty), "{ \"label\":\"slv\"}\n");
}

#[test]
fn replaces_a_field_in_place_and_keeps_the_others_unchanged() {
    let mut record = parse(r#"{"a":1e5,"label":"x","k\u0062":"\u00e9"}"#);
    record.set("label", &"y");
    assert_eq!(
        serialize(&record),
        "{\"a\":1e5,\"label\":\"y\",\"k\\u0062\":\"\\u00e9\"}\n"
    );
    record.remove("a");
    assert_eq!(
        serialize(&record),
        "{\"label\":\"y\",\"k\\u0062\":\"\\u00e9\"}\n"
    );
}

#[test]
fn reads_an_escaped_key_and_the_last_of_repeated_keys() {
    let record = parse(r#"{"t\u0065xt":"a","text":"b"}"#);
    assert_eq!(record.text().unwrap().as_deref(), Some("b"));
    assert_eq!(
        parse(r#"{"t\u0065xt":"a"}"#).text().unwrap().as_deref(),
        Some("a")
    );
}

#[test]
fn the_longest_string_of_several_words_may_be_the_text() {
    for (line, name) in [
        (r#"{"id":"a b","body":"c d e","n":1}"#, Some("body")),
        (
            r#"{"url":"http://a.test/long/path","my \"text\"":"c d"}"#,
            Some(r#"my "text""#),
        ),
        (r#"{"a":" ","b":["c d"],"e":"f"}"#, None),
    ] {
        let record = Record::parse(line.as_bytes().to_vec()).unwrap();
        assert_eq!(record.longest_text_field().as_deref(), name);
    }
}

#[test]
fn distinguishes_absent_and_null_from_a_wrong_type() {
    assert!(parse("{}").text().unwrap().is_none());
    assert!(parse(r#"{"text":null}"#).text().unwrap().is_none());
    assert!(
        parse(r#"{"text":3}"#)
            .text()
            .unwrap_err()
            .to_string()
            .starts_with("`text` is invalid")
    );
    let record = parse(r#"{"query":["a",1],"sample":["a"]}"#);
    assert_eq!(record.view::<crate::Query>("query").unwrap(), None);
    assert!(record.view::<crate::Sample>("sample").is_err());
}

#[test]
fn an_error_describes_why_a_line_is_not_a_record() {
    let error = |line: &[u8]| Record::parse(line.to_vec()).unwrap_err().0;
    assert!(matches!(
        error(b"{\"a\":\"\xff\"}"),
        RecordParseError::Utf8(7)
    ));
    assert!(error(b"[1]").to_string().starts_with("not a JSON object: "));
    for (line, cause) in [
        (r#"{"a":NaN,"b":1}"#, "NaN at column 6"),
        (r#"{"a": [1, -Infinity]}"#, "Infinity at column"),
        (r#"{"č":Infinity}"#, "Infinity at column"),
        (r#"{"a":1} {"a":2}"#, "the second at column 9"),
        (r#"{"a":1}{"a":2}"#, "the second at column 8"),
    ] {
        let error = error(line.as_bytes()).to_string();
        assert!(error.contains(cause), "{line}: {error}");
    }
    for line in [
        "{\"a\":",
        "{} []",
        "{\"a\":\"\0\"}",
        "{\"\t\":1}",
        r#"{"\ud8":1}"#,
        "{1:1}",
        "[",
    ] {
        assert!(
            error(line.as_bytes()).to_string().starts_with("not JSON: "),
            "{line:?}"
        );
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<i64>().prop_map(Into::into),
        any::<bool>().prop_map(Into::into),
        ".{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::hash_map(".{0,6}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reading_and_writing_a_record_keeps_its_bytes(
        map in prop::collection::hash_map(".{0,8}", any_json(), 0..6)
    ) {
        let line = serde_json::to_string(&map).unwrap();
        prop_assert_eq!(serialize(&parse(&line)), line + "\n");
    }

    #[test]
    fn a_field_that_is_set_is_read_back(
        map in prop::collection::hash_map(".{0,8}", any_json(), 0..6),
        key in ".{1,8}",
        value in ".{0,20}"
    ) {
        let mut record = parse(&serde_json::to_string(&map).unwrap());
        record.set(&key, &value);
        let reread = parse(&serialize(&record));
        prop_assert_eq!(reread.get::<String>(&key).unwrap(), Some(value));
        for (other, json) in map.iter().filter(|(other, _)| **other != key) {
            let found = reread.get::<serde_json::Value>(other).unwrap();
            prop_assert_eq!(found.unwrap_or_default(), json.clone());
        }
    }

    #[test]
    fn arbitrary_bytes_never_cause_a_panic(line in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Record::parse(line);
    }
}
