//! The schema of the records is what the tools write: no field more, none less, and none that the
//! manual leaves out.
//!
//! The validator below knows the part of JSON Schema 2020-12 that the schema uses, and refuses a
//! keyword that it doesn't know, so that nothing in the schema goes unchecked.

use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::{project_root, run_bash, run_command, run_tool, temp_folder, tool_path};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;

/// Fields that are in the schema though no tool writes them yet.
const NOT_WRITTEN: [&str; 5] = [
    "fetch.soft_404",
    "fetch.unchanged",
    "fetch.warc",
    "fetch.warc.file",
    "fetch.warc.offset",
];

const PAGE: &str = "<html lang=sl><head><title>Dan</title><meta name=robots content='noai'>\
    <link rel=license href='https://creativecommons.org/licenses/by/4.0/'><link rel=canonical href='/'>\
    <meta property='article:published_time' content='2026-01-02'></head><body><article>\
    <p>Danes je lep dan, zato gremo na sprehod do jezera in nazaj domov.</p>\
    <p><a rel=nofollow href='/b'>Druga stran</a> je za tiste, ki hodijo počasi in radi gledajo okrog.</p>\
    </article></body></html>";

#[test]
fn every_record_that_the_tools_write_is_valid_and_every_field_is_written() {
    let schema = schema();
    let mut written = BTreeSet::new();
    for record in records() {
        if let Err(why) = validate(&schema, &record, "") {
            panic!("{why}\n{record}");
        }
        collect(&schema, &record, "", &mut written);
    }
    let published: BTreeSet<String> = fields(&schema).into_iter().collect();
    let missing: Vec<&String> = published.difference(&written).collect();
    assert_eq!(
        missing,
        NOT_WRITTEN
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_manual_names_the_fields_of_the_schema_and_no_others() {
    let manual = fs::read_to_string(project_root().join("man/forage-records.5")).unwrap();
    let named: Vec<&str> = manual
        .lines()
        .filter_map(|line| line.strip_prefix(".It Va "))
        .collect();
    assert_eq!(
        named.iter().collect::<BTreeSet<_>>().len(),
        named.len(),
        "a field is named twice"
    );
    let mut published = fields(&schema());
    // Objects whose fields are named one by one have a section of their own instead.
    let manual_sections: Vec<&str> = manual
        .lines()
        .filter_map(|line| line.strip_prefix(".Ss "))
        .collect();
    published.retain(|field| {
        let is_section = manual_sections
            .iter()
            .any(|title| title.split([':', ',']).next() == Some(field));
        !is_section || named.contains(&field.as_str())
    });
    assert_eq!(
        named.into_iter().collect::<BTreeSet<_>>(),
        published.iter().map(String::as_str).collect()
    );
}

#[test]
fn the_manual_names_the_kinds_of_error() {
    let manual = fs::read_to_string(project_root().join("man/forage-records.5")).unwrap();
    let kinds = manual
        .split(".Sh KINDS OF ERROR")
        .nth(1)
        .unwrap()
        .split(".Sh ")
        .next()
        .unwrap();
    let named: Vec<&str> = kinds
        .lines()
        .filter_map(|line| line.strip_prefix(".It Cm "))
        .collect();
    let schema = schema();
    let published = schema
        .pointer("/properties/error/properties/kind/enum")
        .unwrap()
        .as_array()
        .unwrap();
    assert_eq!(
        named,
        published
            .iter()
            .map(|kind| kind.as_str().unwrap())
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let schema = schema();
    for (wrong, place) in [
        (r#"{"text":3}"#, ".text"),
        (r#"{"query":{"includes":[]}}"#, ".query.includes"),
        (r#"{"hit":{"engine":"x"}}"#, ".hit"),
        (r#"{"dedup":{"status":"newer","of":null}}"#, ".dedup.status"),
        (
            r#"{"langid":{"code":"slv","score":2,"margin":0,"top":[]}}"#,
            ".langid.score",
        ),
        (
            r#"{"langid":{"code":"slv","score":1,"margin":0,"top":[["slv","1"]]}}"#,
            ".langid.top[0][1]",
        ),
        (r#"{"hit":{"engine":"x","calls":-1}}"#, ".hit.calls"),
        (
            r#"{"langid":{"code":"Slov","score":1,"margin":0,"top":[]}}"#,
            ".langid.code",
        ),
    ] {
        let why = validate(&schema, &serde_json::from_str(wrong).unwrap(), "").unwrap_err();
        assert!(why.starts_with(&format!("{place}: ")), "{wrong}: {why}");
    }
    assert_eq!(
        validate(
            &schema,
            &serde_json::from_str(r#"{"mine":1,"text":null}"#).unwrap(),
            ""
        ),
        Ok(())
    );
}

fn schema() -> Value {
    serde_json::from_str(
        &fs::read_to_string(project_root().join("man/record.schema.json")).unwrap(),
    )
    .unwrap()
}

/// Records of all kinds, as the tools write them.
fn records() -> Vec<Value> {
    tool_path("demo-web");
    let folder = temp_folder();
    let at = folder.path().display();
    let host = serve(PAGE);
    // A small run; its corpus once more, with a word added, as twins; and paragraph by paragraph.
    let ran = run_bash(
        &format!(
            "set -e; PATH=$PWD/pipelines:$PATH; cd {at}
            for l in slv eng ces; do demo-web seed $l > $l.txt; done
            demo-web | search --engine index:web --add
            corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --engine index:web --docs 6 --out r -q
            cat r/journal.jsonl
            corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --engine index:web --out l -q \\
              --calls 30 --page-size 3 --batch 2 --learn auto --until-coverage 1
            cat l/journal.jsonl
            corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --engine index:web --out k -q \
              --docs 12 --batch 4 --learn like
            cat k/journal.jsonl
            corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --engine index:web --out m -q \
              --docs 6 --learn ltm
            cat m/journal.jsonl
            corpus-builder --target ces --init ces=ces.txt --init eng=eng.txt --engine index:web --queries 8 --out s -q
            cat s/journal.jsonl
            cat r/corpus/slv.jsonl | dedup --index twins.db --force > first.jsonl
            jq -c '.text += \" konec\"' first.jsonl | dedup --index twins.db --force | langid --paragraphs --force"
        ),
        "",
    );
    let mut all = ran.expect_exit(0).records();
    let pages = r#"{"url":"http://a.test/"}
{"url":"http://a.test/none"}
{"url":"ftp://a.test/"}"#;
    let connect = ["--connect-to", host.as_str(), "--delay", "0", "--links"];
    all.extend(
        run_tool("fetch-extract", connect, pages)
            .expect_exit(0)
            .records(),
    );
    let html = serde_json::json!({ "html": PAGE }).to_string();
    all.extend(
        run_tool("fetch-extract", ["--keep-html"], html)
            .expect_exit(0)
            .records(),
    );
    let query = r#"{"query":{"include":["je"],"exclude":[]}}"#;
    for flags in [
        ["--engine", "searxng:http://127.0.0.1:1"],
        ["--max-calls", "0"],
    ] {
        let index = format!("index:{at}/web");
        let engine = if flags[0] == "--engine" {
            vec![]
        } else {
            vec!["--engine", &index]
        };
        all.extend(
            run_tool("search", engine.into_iter().chain(flags), query)
                .expect_exit(0)
                .records(),
        );
    }
    all.extend(counted(query));
    all
}

/// What comes of an engine that counts.
fn counted(query: &str) -> Vec<Value> {
    let body = r#"{"response":{"status":"OK","head":{"results":7,"words":[{"full":"je","hits":9}]},
        "results":[{"url":"http://a.test/","title":"A","desc":"je"}]}}"#;
    let server = EngineServer::start(move |_, _| EngineResponse::ok(body));
    let mut command = Command::new(tool_path("search"));
    command
        .args(["--engine", &format!("mojeek:{}", server.address)])
        .env("MOJEEK_API_KEY", "x");
    run_command(command, query).expect_exit(0).records()
}

/// A server on loopback that has one page, at `/`, and lives as long as the test.
fn serve(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut to in listener.incoming().flatten() {
            let mut lines = BufReader::new(to.try_clone().unwrap())
                .lines()
                .map_while(Result::ok);
            let request = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let (status, body) = if request.starts_with("GET / ") {
                ("200 OK", page)
            } else {
                ("404 Not Found", "")
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\n");
            let _ = write!(
                to,
                "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    host
}

/// Names of all fields of a schema, those of inner objects after their object's name and a dot.
fn fields(schema: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let inner = schema.get("items").unwrap_or(schema);
    for (name, field) in inner
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        all.push(name.clone());
        all.extend(
            fields(field)
                .into_iter()
                .map(|inner| format!("{name}.{inner}")),
        );
    }
    all
}

/// Notes which fields of the schema a value has.
fn collect(schema: &Value, value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
        array
            .iter()
            .for_each(|item| collect(items, item, prefix, found));
    }
    for (name, field) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if let Some(value) = value.get(name).filter(|value| !value.is_null()) {
            found.insert(format!("{prefix}{name}"));
            collect(field, value, &format!("{prefix}{name}."), found);
        }
    }
}

/// Says where and why a value does not fit a schema.
fn validate(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "format" => true,
            "type" => list(wanted)
                .iter()
                .any(|name| is_of_type(value, name.as_str().expect("a type has a name"))),
            "enum" => list(wanted).contains(value),
            "minimum" => value.as_f64() >= wanted.as_f64() || !value.is_number(),
            "maximum" => value.as_f64() <= wanted.as_f64() || !value.is_number(),
            "pattern" => value
                .as_str()
                .is_none_or(|text| has_form(text, wanted.as_str().expect("a pattern"))),
            "minItems" => value
                .as_array()
                .is_none_or(|array| array.len() as u64 >= wanted.as_u64().expect("a number")),
            "maxItems" => value
                .as_array()
                .is_none_or(|array| array.len() as u64 <= wanted.as_u64().expect("a number")),
            "required" => {
                let has = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
                !value.is_object() || list(wanted).iter().all(has)
            }
            "items" => {
                for (n, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(wanted, item, &format!("{at}[{n}]"))?;
                }
                true
            }
            "prefixItems" => {
                for (n, (schema, item)) in list(wanted)
                    .iter()
                    .zip(value.as_array().into_iter().flatten())
                    .enumerate()
                {
                    validate(schema, item, &format!("{at}[{n}]"))?;
                }
                true
            }
            "properties" => {
                for (name, schema) in wanted.as_object().expect("properties are an object") {
                    if let Some(value) = value.get(name) {
                        validate(schema, value, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                validate_others(schema, wanted, value, at)?;
                true
            }
            other => panic!("the validator doesn't know the keyword {other}"),
        };
        if !fits {
            return Err(format!("{at}: is {value}, but {keyword} is {wanted}"));
        }
    }
    Ok(())
}

/// Checks the fields of an object that its schema does not name.
fn validate_others(schema: &Value, wanted: &Value, value: &Value, at: &str) -> Result<(), String> {
    let none = Map::new();
    let named = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    for (name, value) in value
        .as_object()
        .unwrap_or(&none)
        .iter()
        .filter(|(name, _)| !named.contains_key(*name))
    {
        match wanted {
            Value::Bool(true) => {}
            Value::Bool(false) => return Err(format!("{at}.{name}: is not in the schema")),
            schema => validate(schema, value, &format!("{at}.{name}"))?,
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

/// The five patterns of the schema.
fn has_form(text: &str, pattern: &str) -> bool {
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let is_lower = |c: char| c.is_ascii_lowercase();
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && text.chars().all(is_hex),
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}" => {
            let is_place = |(at, byte): (usize, u8)| {
                if at == 4 || at == 7 {
                    byte == b'-'
                } else {
                    byte.is_ascii_digit()
                }
            };
            text.len() >= 10 && text.bytes().take(10).enumerate().all(is_place)
        }
        "^[+-]." => text.len() > 1 && text.starts_with(['+', '-']),
        "^[a-z]{3}$" => text.len() == 3 && text.chars().all(is_lower),
        "^[A-Z][a-z]{3}$" => {
            text.len() == 4
                && text.starts_with(|c: char| c.is_ascii_uppercase())
                && text[1..].chars().all(is_lower)
        }
        other => panic!("the validator doesn't know the pattern {other}"),
    }
}
