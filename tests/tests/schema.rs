//! The record schema, the manual and the output of the tools have the same fields.
//!
//! The validator below implements the part of JSON Schema 2020-12 that the schema uses. It panics
//! at an unknown keyword, so that all of the schema is checked. A crate for it would add dozens of
//! dependencies.

use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::{project_root, run_bash, run_command, run_tool, temp_folder, tool_path};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;

/// Fields of the schema that no tool writes in this test.
const NOT_WRITTEN: [&str; 22] = [
    "fetch.soft_404",
    "fetch.truncated",
    "fetch.unchanged",
    "fetch.warc",
    "fetch.warc.file",
    "fetch.warc.offset",
    "hit.alternates",
    "hit.licence",
    "hit.modified",
    "hit.unexcluded",
    "langid.font",
    "previous",
    "previous.at",
    "previous.away",
    "previous.id",
    "previous.label",
    "previous.target",
    "previous.warc",
    "previous.warc.file",
    "previous.warc.offset",
    "previous.words",
    "refresh",
];

const PAGE: &str = "<html lang=sl><head><title>Dan</title><meta name=robots content='noai'>\
    <link rel=license href='https://creativecommons.org/licenses/by/4.0/'>\
    <link rel=canonical href='/'>\
    <link rel=alternate hreflang=de href='/de'><meta name=author content='Ana Zgled'>\
    <meta property='og:site_name' content=Novice><meta property='article:section' content=Kraji>\
    <meta property='article:tag' content=mlini><meta name=description content='Lep dan.'>\
    <meta property='og:image' content='/dan.jpg'>\
    <meta property='article:modified_time' content='2026-01-03'>\
    <meta property='article:published_time' content='2026-01-02'></head><body><article>\
    <p>Danes je lep dan, zato gremo na sprehod do jezera in nazaj domov.</p>\
    <p><a rel=nofollow href='/b'>Druga stran</a> je za tiste, ki hodijo počasi \
    in radi gledajo okrog.</p>\
    </article></body></html>";

#[test]
fn all_written_records_are_valid_and_contain_all_fields_of_the_schema() {
    let schema = read_schema();
    let mut written = BTreeSet::new();
    for record in write_records() {
        if let Err(message) = validate(&schema, &record, "") {
            panic!("{message}\n{record}");
        }
        collect_fields(&schema, &record, "", &mut written);
    }
    let published: BTreeSet<String> = field_names(&schema).into_iter().collect();
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
fn the_manual_describes_exactly_the_fields_of_the_schema() {
    let manual = fs::read_to_string(project_root().join("man/forage-records.5")).unwrap();
    let named: Vec<&str> = manual
        .lines()
        .filter_map(|line| line.strip_prefix(".It Va "))
        .collect();
    assert_eq!(
        named.iter().collect::<BTreeSet<_>>().len(),
        named.len(),
        "a field is described twice"
    );
    let mut published = field_names(&read_schema());
    // Objects whose fields are described separately have their own section instead.
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
fn the_manual_lists_the_kinds_of_error() {
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
    let schema = read_schema();
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
fn the_validator_finds_errors() {
    let schema = read_schema();
    for (record, path) in [
        (r#"{"text":3}"#, ".text"),
        (r#"{"query":{"includes":[]}}"#, ".query.includes"),
        (r#"{"hit":{"engine":"x"}}"#, ".hit"),
        (r#"{"dedup":{"status":"newer","of":null}}"#, ".dedup.status"),
        (
            r#"{"langid":{"code":"slv","score":2,"margin":0,"top":[]}}"#,
            ".langid.score",
        ),
        (
            r#"{"langid":{"code":"slv","score":1,"margin":0,"top":[{"code":"slv","score":"1"}]}}"#,
            ".langid.top[0].score",
        ),
        (r#"{"hit":{"engine":"x","calls":-1}}"#, ".hit.calls"),
        (
            r#"{"langid":{"code":"Slov","score":1,"margin":0,"top":[]}}"#,
            ".langid.code",
        ),
    ] {
        let message = validate(&schema, &serde_json::from_str(record).unwrap(), "").unwrap_err();
        assert!(
            message.starts_with(&format!("{path}: ")),
            "{record}: {message}"
        );
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

fn read_schema() -> Value {
    serde_json::from_str(
        &fs::read_to_string(project_root().join("man/record.schema.json")).unwrap(),
    )
    .unwrap()
}

/// Runs the tools and returns records of all kinds.
fn write_records() -> Vec<Value> {
    tool_path("demo-web");
    let folder = temp_folder();
    let dir = folder.path().display();
    let host = serve_page(PAGE);
    // Small runs with several strategies, and a corpus with near-duplicates and paragraphs.
    let output = run_bash(
        &format!(
            "set -e; PATH=$PWD/pipelines:$PATH; cd {dir}
            for l in slv eng ces; do demo-web seed $l > $l.txt; done
            demo-web | search --engine index:web --add
            slovenian='--target slv --init slv=slv.txt --init eng=eng.txt --engine index:web -q'
            corpus-builder $slovenian --docs 6 --out r
            cat r/journal.jsonl
            corpus-builder $slovenian --out l \\
              --calls 30 --page-size 3 --batch 2 --learn auto --until-coverage 1
            cat l/journal.jsonl
            corpus-builder $slovenian --out k --docs 12 --batch 4 --learn like
            cat k/journal.jsonl
            corpus-builder $slovenian --out m --docs 6 --learn ltm
            cat m/journal.jsonl
            corpus-builder --target ces --init ces=ces.txt --init eng=eng.txt --engine index:web \\
              --queries 8 --out s -q --init eng=slv.txt --seeds-per-round 1 --ascii-folding
            cat s/journal.jsonl
            cat r/corpus/slv.jsonl | dedup --index duplicates.db --force > first.jsonl
            jq -c '.text += \" konec\"' first.jsonl | dedup --index duplicates.db --paragraphs --force |
              langid --paragraphs --force | quality
            demo-web news | search --engine index:news --add
            demo-web news --sample earthquakes > sample.html
            special-domain --sample sample.html --engine index:news -q --out n \\
              --learn samples --threshold 0.3 --calls 30
            cat n/journal.jsonl
            head -n 1 n/journal.jsonl > sample.jsonl
            topic-filter --samples sample.jsonl --all-measures sample.jsonl
            echo '{{\"url\":\"http://a.test/\"}}' | frontier --state frontier.db --add
            page='{{\"url\":\"http://a.test/\",\"topic\":{{\"score\":1}},'
            page+='\"links\":[{{\"url\":\"http://b.test/\",\"text\":\"\"}}]}}'
            echo \"$page\" | frontier --state frontier.db
            target='{{\"url\":\"http://b.test/\",\"text\":\"dan\",\"label\":\"on-topic\"}}'
            jq -c '.text = \"dan\" | .title = \"A\"' <<<\"$page\" |
              search --engine index:links --add
            echo \"$target\" | search --in-links --engine index:links
            echo '{{\"query\":{{\"links_to\":\"http://b.test/\"}}}}' |
              search --engine index:links
            frontier --state frontier.db --next 1
            topic-profile --out f.tsv r/corpus/slv.jsonl -q
            jq -c 'del(.label)' first.jsonl |
              topic-filter --profile f.tsv --fit r/corpus/slv.jsonl -q
            jq -cn 'range(11) | {{url: (\"http://t.test/\" + tostring), text: \"x\"}}' |
              topic-filter --profile f.tsv --fit r/corpus/slv.jsonl -q
            sample --share 0.2 --by label r/journal.jsonl
            url=$(head -n 1 r/corpus/slv.jsonl | jq -r .url)
            take-down r --url \"$url\" --reason x -q
            cat r/journal.jsonl"
        ),
        "",
    );
    let mut records = output.expect_exit(0).records();
    let pages = r#"{"url":"http://a.test/"}
{"url":"http://a.test/none"}
{"url":"ftp://a.test/"}"#;
    let connect = ["--connect-to", host.as_str(), "--delay", "0", "--links"];
    records.extend(
        run_tool("fetch-extract", connect, pages)
            .expect_exit(0)
            .records(),
    );
    let html = serde_json::json!({ "html": PAGE }).to_string();
    records.extend(
        run_tool("fetch-extract", ["--keep-html"], html)
            .expect_exit(0)
            .records(),
    );
    let article = "<p>Danes je lep dan, zato gremo na sprehod do jezera. ".repeat(8);
    let comment = "<li class=comment><b class=fn>Ana</b> <time datetime=2026-01-03></time><p>Res.";
    let html = format!("<article><h1>Dan</h1>{article}</article><ol id=comments>{comment}</ol>");
    let page = serde_json::json!({ "html": html }).to_string();
    records.extend(
        run_tool("fetch-extract", ["--comments", "--structure"], page)
            .expect_exit(0)
            .records(),
    );
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, "[[site]]\nhost = 'a.test'\narticle = 'article'\n").unwrap();
    let page = serde_json::json!({ "url": "http://a.test/", "html": PAGE }).to_string();
    records.extend(
        run_tool("fetch-extract", ["--rules", rules.to_str().unwrap()], page)
            .expect_exit(0)
            .records(),
    );
    let query = r#"{"query":{"include":["je"],"exclude":[]}}"#;
    for flags in [
        ["--engine", "searxng:http://127.0.0.1:1"],
        ["--max-calls", "0"],
    ] {
        let index = format!("index:{dir}/web");
        let engine = if flags[0] == "--engine" {
            vec![]
        } else {
            vec!["--engine", &index]
        };
        records.extend(
            run_tool("search", engine.into_iter().chain(flags), query)
                .expect_exit(0)
                .records(),
        );
    }
    records.extend(records_with_counts(query));
    records
}

/// Returns the records of an engine that reports document frequencies.
fn records_with_counts(query: &str) -> Vec<Value> {
    let body = r#"{"response":{"status":"OK","head":{"results":7,"words":[{"full":"je","hits":9}]},
        "results":[{"url":"http://a.test/","title":"A","desc":"je"}]}}"#;
    let server = EngineServer::start(move |_, _| EngineResponse::ok(body));
    let mut command = Command::new(tool_path("search"));
    command
        .args(["--engine", &format!("mojeek:{}", server.address)])
        .env("MOJEEK_API_KEY", "x");
    run_command(command, query).expect_exit(0).records()
}

/// Starts a server on loopback with one page, at `/`. Returns its host and port.
fn serve_page(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut lines = BufReader::new(connection.try_clone().unwrap())
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
            let status_and_type =
                format!("HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\n");
            let _ = write!(
                connection,
                "{status_and_type}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    host
}

/// Returns the names of all fields of a schema, with the path for fields of inner objects.
fn field_names(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let inner = schema.get("items").unwrap_or(schema);
    for (name, field) in inner
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        names.push(name.clone());
        names.extend(
            field_names(field)
                .into_iter()
                .map(|inner| format!("{name}.{inner}")),
        );
    }
    names
}

/// Collects the fields of the schema that a value has.
fn collect_fields(schema: &Value, value: &Value, prefix: &str, names: &mut BTreeSet<String>) {
    if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
        array
            .iter()
            .for_each(|item| collect_fields(items, item, prefix, names));
    }
    for (name, field) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if let Some(value) = value.get(name).filter(|value| !value.is_null()) {
            names.insert(format!("{prefix}{name}"));
            collect_fields(field, value, &format!("{prefix}{name}."), names);
        }
    }
}

/// Validates a value at `path` against a schema. The error has the path and the cause.
fn validate(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    for (keyword, expected) in schema.as_object().expect("the schema is an object") {
        let is_valid = match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "format" => true,
            "type" => as_list(expected)
                .iter()
                .any(|name| is_of_type(value, name.as_str().expect("the name of a type"))),
            "enum" => as_list(expected).contains(value),
            "minimum" => value.as_f64() >= expected.as_f64() || !value.is_number(),
            "maximum" => value.as_f64() <= expected.as_f64() || !value.is_number(),
            "pattern" => value
                .as_str()
                .is_none_or(|text| matches_pattern(text, expected.as_str().expect("a pattern"))),
            "minItems" => value
                .as_array()
                .is_none_or(|array| array.len() as u64 >= expected.as_u64().expect("a number")),
            "maxItems" => value
                .as_array()
                .is_none_or(|array| array.len() as u64 <= expected.as_u64().expect("a number")),
            "required" => {
                let is_present = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
                !value.is_object() || as_list(expected).iter().all(is_present)
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(expected, item, &format!("{path}[{index}]"))?;
                }
                true
            }
            "properties" => {
                for (name, schema) in expected.as_object().expect("properties are an object") {
                    if let Some(value) = value.get(name) {
                        validate(schema, value, &format!("{path}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                validate_others(schema, expected, value, path)?;
                true
            }
            other => panic!("unknown keyword {other}"),
        };
        if !is_valid {
            return Err(format!("{path}: {value} violates {keyword} {expected}"));
        }
    }
    Ok(())
}

/// Validates the fields of an object that its schema does not list.
fn validate_others(
    schema: &Value,
    expected: &Value,
    value: &Value,
    path: &str,
) -> Result<(), String> {
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
        match expected {
            Value::Bool(true) => {}
            Value::Bool(false) => return Err(format!("{path}.{name}: is not in the schema")),
            schema => validate(schema, value, &format!("{path}.{name}"))?,
        }
    }
    Ok(())
}

fn as_list(value: &Value) -> &[Value] {
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
        other => panic!("unknown type {other}"),
    }
}

/// Returns `true` if the text matches one of the five patterns of the schema.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let is_lower = |c: char| c.is_ascii_lowercase();
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && text.chars().all(is_hex),
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}" => {
            let is_date_char = |(index, byte): (usize, u8)| {
                if index == 4 || index == 7 {
                    byte == b'-'
                } else {
                    byte.is_ascii_digit()
                }
            };
            text.len() >= 10 && text.bytes().take(10).enumerate().all(is_date_char)
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
