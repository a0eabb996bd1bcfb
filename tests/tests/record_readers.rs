//! The records of runs in programs that read JSON lines into tables, as tests/install-needs
//! installs them: pyarrow 26.0.1, polars 2.1.0, DuckDB 2.0.1 and Hugging Face's datasets 5.2.0.

use forage_tests::{project_root, run_bash, temp_folder};
use serde_json::Value;
use std::process::Command;

/// Prints the rows that each program reads, and the type of the values that lists of languages and
/// keyphrases have, given the files.
const READERS: &str = r"
import sys
import datasets, duckdb, polars, pyarrow.json

table = pyarrow.json.read_json(sys.argv[1])
print('pyarrow', table.num_rows, table['langid'][-1]['top'][0].as_py())
table = polars.read_ndjson(sys.argv[1], infer_schema_length=None)
print('polars', table.height, table['langid'][-1]['top'][0])
rows = duckdb.sql(f'SELECT langid.top[1] FROM read_json({sys.argv[1]!r}, sample_size=-1)').fetchall()
print('duckdb', len(rows), rows[-1][0])
folder = sys.argv[1] + '.cache'
table = datasets.load_dataset('json', data_files=sys.argv[1], split='train', cache_dir=folder)
print('datasets', table.num_rows, table[-1]['langid']['top'][0])
";

/// With the arrays of schema 3, pyarrow and datasets refused the file, since the items of an array
/// must have one type, and polars made strings of the numbers.
#[test]
fn the_journal_of_a_run_and_its_keyphrases_are_tables() {
    let packages = project_root().join("target/python/readers");
    if !packages.join("datasets").is_dir() {
        eprintln!("NOT TESTED: tests/install-needs installs what reads the records");
        return;
    }
    let dir = temp_folder();
    let script = format!(
        "set -e; PATH=$PWD/pipelines:$PATH; cd {}
        for l in slv eng; do demo-web seed $l > $l.txt; done
        demo-web | search --engine index:web --add
        corpus-builder --target slv --init slv=slv.txt --init eng=eng.txt --engine index:web -q \\
          --docs 20 --out run
        keywords run/journal.jsonl > all.jsonl
        tail -n 1 run/corpus/slv.jsonl | keywords >> all.jsonl
        wc -l < all.jsonl; jq -c '[.langid.top[0], (.keywords[0] | keys)]' all.jsonl | tail -n 1",
        dir.path().display()
    );
    let made = run_bash(&script, "").expect_exit(0).stdout;
    let (rows, last) = made.trim().split_once('\n').unwrap();
    let last = last.strip_suffix(r#",["key","phrase","score"]]"#).unwrap();
    let read = Command::new("python3")
        .args(["-c", READERS])
        .arg(dir.path().join("all.jsonl"))
        .env("PYTHONPATH", packages)
        .env("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success(), "{said}");
    let last: Value = serde_json::from_str(&last[1..]).unwrap();
    let score = last["score"].as_f64().unwrap();
    let expected: String = ["pyarrow", "polars", "duckdb", "datasets"]
        .map(|reader| format!("{reader} {rows} {{'code': 'slv', 'score': {score}}}\n"))
        .concat();
    assert_eq!(String::from_utf8_lossy(&read.stdout), expected, "{said}");
}
