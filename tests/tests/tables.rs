//! `--tsv`: records as tables, in all tools that write records.

use forage_tests::{for_each_filter, run_bash, run_tool, temp_folder};

const RECORD: &str = concat!(
    r#"{"url":"http://a.test/","text":"Danes je\tlep dan\nin sonce \\ sije nad mestom.","#,
    r#""query":{"include":["lep dan","sonce"],"exclude":[]},"n":1e5}"#,
    "\n"
);

#[test]
fn a_table_has_a_header_and_a_line_per_record() {
    let fields = "url,langid.code,query.include,query.exclude,n,none,text";
    let output = run_tool("langid", ["--tsv", fields], RECORD.repeat(2)).expect_exit(0);
    let row = "http://a.test/\tslv\tlep dan sonce\t\t1e5\t\t\
               Danes je\\tlep dan\\nin sonce \\\\ sije nad mestom.\n";
    let header = fields.replace(',', "\t");
    assert_eq!(output.stdout, format!("{header}\n{row}{row}"));
}

#[test]
fn all_tools_that_pass_records_on_write_tables() {
    for_each_filter(|filter| {
        let added = filter.added_field.map_or("n", |(key, _)| key);
        let fields = format!("n,{added}");
        let args = ["--tsv", fields.as_str()];
        let output = filter.run(&args, filter.records(300)).expect_exit(0);
        let lines: Vec<&str> = output.stdout.lines().collect();
        assert_eq!(lines[0], format!("n\t{added}"));
        assert_eq!(lines.len(), 301);
        for (number, line) in lines[1..].iter().enumerate() {
            let (n, added) = line.split_once('\t').expect("two fields");
            assert!(n == number.to_string() && !added.is_empty(), "{line}");
        }
        let empty = filter.run(&["--tsv", "url,a.b"], "").expect_exit(0);
        assert_eq!(empty.stdout, "url\ta.b\n");
    });
}

#[test]
fn names_are_trimmed_and_a_field_that_no_record_has_is_named_once() {
    let fields = "url, langid.code ,lable,langid.kode,query.none, error.kind";
    let output = run_tool("langid", ["--tsv", fields], RECORD.repeat(600)).expect_exit(0);
    assert_eq!(
        output.stdout.lines().next(),
        Some("url\tlangid.code\tlable\tlangid.kode\tquery.none\terror.kind")
    );
    assert_eq!(
        output.stderr,
        "langid: --tsv: no record has `lable`, `langid.kode` or `query.none`; the names of fields \
         are in forage-records(5)\n"
    );
    let one = format!("{{\"lable\":null}}\n{RECORD}");
    let output = run_tool("langid", ["--tsv", "url,lable"], one).expect_exit(0);
    assert!(!output.stderr.contains("lable"), "{}", output.stderr);
    let output = run_tool("langid", ["--tsv", "lable"], "").expect_exit(0);
    assert_eq!(output.stderr, "");
}

#[test]
fn control_characters_are_escaped_so_that_a_table_is_text() {
    let record = r#"{"id":"a\u0000b\u001b[1m\u007f\f","text":"Danes je lep dan."}"#;
    let output = run_tool("langid", ["--tsv", "id"], format!("{record}\n")).expect_exit(0);
    assert_eq!(output.stdout, "id\na\\x00b\\x1b[1m\\x7f\\x0c\n");
}

#[test]
fn a_name_of_a_field_that_is_empty_is_refused() {
    let output = run_tool("langid", ["--tsv", "url,,text"], "").expect_exit(2);
    assert!(output.stderr.contains("--tsv"), "{}", output.stderr);
}

#[test]
fn output_that_is_not_records_is_no_table() {
    let dir = temp_folder();
    let stats = dir.path().join("stats.db");
    let stats = stats.to_str().unwrap();
    run_tool("update-stats", ["--stats", stats], RECORD).expect_exit(0);
    let args = ["--stats", stats, "--report", "--tsv", "url"];
    let output = run_tool("update-stats", args, "").expect_exit(0);
    assert!(output.stdout.starts_with('{'), "{}", output.stdout);
    assert!(
        output.stderr.contains("--tsv is ignored"),
        "{}",
        output.stderr
    );
    for mode in ["--lines", "--list", "--files"] {
        run_tool("langid", [mode, "--tsv", "url"], "").expect_exit(2);
    }
}

#[test]
fn a_query_and_a_sample_are_tables_too() {
    let dir = temp_folder();
    let script = format!(
        "cd '{}' && \
         printf 'lep dan in sonce' > a && printf 'nice day and sun' > b && \
         update-stats --stats s.db --init slv=a --init eng=b < /dev/null && \
         gen-query --stats s.db --target slv --include tf:1 --exclude tf:0 --step 1 \
           --tsv step.number,query.include && \
         sample --share 1 --by label --tsv label,sample.group",
        dir.path().display()
    );
    let output = run_bash(
        &script,
        "{\"label\":\"x\",\"id\":\"1\",\"text\":\"lep dan\"}\n",
    )
    .expect_exit(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], "step.number\tquery.include", "{}", output.stdout);
    assert!(
        lines[1].starts_with("1\t") && lines[1].len() > 2,
        "{}",
        lines[1]
    );
    assert_eq!(lines[2], "label\tsample.group");
    assert!(
        lines[3].starts_with("x\t") && lines[3].len() > 2,
        "{}",
        output.stdout
    );
}
