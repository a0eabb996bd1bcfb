//! Releases of a corpus: `corpus-export --release`, and what programs read of them, as
//! tests/install-needs installs them: mlcroissant 1.1.1, cffconvert 2.0.0 and datasets 5.2.0.

use forage_tests::{project_root, run_bash, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a script in a folder.
fn run_in(folder: &Path, script: &str) -> forage_tests::ToolOutput {
    run_bash(&format!("cd {}\n{script}", folder.display()), "")
}

fn write_lines(path: &Path, records: &[Value]) {
    let lines = records.iter().map(|record| format!("{record}\n"));
    fs::write(path, lines.collect::<String>()).unwrap();
}

/// Returns the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

fn page(number: u32, text: &str) -> Value {
    let url = format!("http://h{}.test/{number}", number % 3);
    json!({"id": number.to_string(), "url": url, "text": text, "label": "slv",
        "fetch": {"licence": "https://creativecommons.org/licenses/by/4.0/", "digest": format!("d{number}")}})
}

#[test]
fn a_release_says_what_has_changed_and_has_the_same_bytes_anywhere() {
    let dir = temp_folder();
    let dir = dir.path();
    let text = |number| format!("Besedilo {number} je dobro. Res.");
    let pages: Vec<Value> = (1..=6).map(|n| page(n, &text(n))).collect();
    write_lines(&dir.join("one.jsonl"), &pages);
    let mut later = pages[1..].to_vec();
    later[0]["text"] = "Drugo besedilo.".into();
    later.push(page(7, "Novo besedilo."));
    write_lines(&dir.join("two.jsonl"), &later);
    fs::write(dir.join("own page.html"), "<p>Moje besedilo o dežju.").unwrap();
    let taken = json!({"url": "http://h0.test/3", "id": "other", "reason": "the\tpublisher asks"});
    let same_body = json!({"url": "", "id": "gone", "digest": "d4", "reason": "a copy"});
    write_lines(&dir.join("taken-down.jsonl"), &[taken, same_body]);
    let script = "set -e
        for f in one two; do
          fetch-extract -q --html \"$PWD/own page.html\" | jq -c '.label = \"slv\"' >> $f.jsonl
        done
        corpus-export --release 1.10 --format jsonl,vertical --out r1/ one.jsonl
        mkdir x
        corpus-export --release no --previous r1 --without taken-down.jsonl --out=r2 two.jsonl
        corpus-export --release no --previous $PWD/r1 --without $PWD/taken-down.jsonl \\
          --out=$PWD/x/other/ \"$PWD/two.jsonl\"
        cd r2; sha256sum --check --quiet manifest-sha256.txt; ls -A .. . | grep forage-new || true";
    let output = run_in(dir, script).expect_exit(0);
    assert_eq!(output.stdout, "");
    let summary = "since the earlier release: 1 document added, 1 changed, 3 removed\n";
    assert!(output.stderr.contains(summary), "{}", output.stderr);
    let [first, second, other] = ["r1", "r2", "x/other"].map(|name| files(&dir.join(name)));
    assert_eq!(second, other);
    let names: Vec<_> = first.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "CITATION.cff",
            "README.md",
            "changes.tsv",
            "croissant.json",
            "documents.tsv",
            "manifest-sha256.txt",
            "slv.jsonl",
            "slv.registry",
            "slv.vert"
        ]
    );
    let read = |files: &BTreeMap<String, String>, name: &str| files[name].clone();
    assert_eq!(
        read(&second, "changes.tsv"),
        "change\turl\treason\nchanged\thttp://h2.test/2\t\nadded\thttp://h1.test/7\t\n\
         removed\thttp://h1.test/1\tno longer in the corpus\n\
         removed\thttp://h0.test/3\tthe\\tpublisher asks\nremoved\thttp://h1.test/4\ta copy\n"
    );
    assert_eq!(read(&first, "changes.tsv").matches("\nadded\t").count(), 7);
    assert!(read(&second, "documents.tsv").contains("\nfile:own%20page.html\t"));
    let card = read(&second, "README.md");
    for part in [
        "---\npretty_name: \"Slovenian text corpus, release no\"\nlanguage:\n- \"sl\"\nlicense:\n",
        "configs:\n- {\"config_name\":\"slv\",\"data_files\":[{\"split\":\"train\",\"path\":\"slv.jsonl\"}]}\n",
        "\n# Slovenian text corpus, release no\n",
        "Web pages of 3 hosts, and 1 own document (local files",
        "--previous FOLDER --without taken-down.jsonl --out=FOLDER two.jsonl",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    assert!(read(&first, "CITATION.cff").contains("version: \"1.10\"\n"));
    for (name, content) in first.iter().chain(&second) {
        assert!(
            !content.contains(dir.to_str().unwrap()),
            "{name}: {content}"
        );
    }
    for line in read(&second, "slv.jsonl").lines() {
        let fields: Value = serde_json::from_str(line).unwrap();
        assert_eq!(fields.as_object().unwrap().len(), 14, "{line}");
    }
}

#[test]
fn a_release_replaces_nothing_else_and_is_compared_with_a_release_alone() {
    let dir = temp_folder();
    let dir = dir.path();
    write_lines(&dir.join("in.jsonl"), &[page(1, "Besedilo.")]);
    let script = "set -e
        mkdir full; touch full/x none.jsonl
        corpus-export --release 0 --out r0/ none.jsonl
        corpus-export --release 1 --previous r0 --out r1/ in.jsonl
        corpus-export --release 2 --previous r1 --out r2/ none.jsonl
        cat r1/changes.tsv r2/changes.tsv; cp -r r1 before; set +e
        corpus-export --release 1 --out r1/ in.jsonl; corpus-export --release 1 --force --out full in.jsonl
        corpus-export --release 1 --out in.jsonl in.jsonl; corpus-export --release 1 --out - in.jsonl
        corpus-export --release 1 --previous full --out new in.jsonl
        sed -i 2s/.test// r1/documents.tsv; sed -i 2s/\\\\t//g r2/documents.tsv
        corpus-export --release 1 --previous r1 --out r1 --force in.jsonl; tail -n +2 r1/changes.tsv
        printf 'x\\n' > r2/documents.tsv; corpus-export --release 3 --previous r2 --out new in.jsonl
        ls -A";
    let output = run_in(dir, script).expect_exit(0);
    let added = "added\thttp://h1.test/1\t\n";
    let expected = format!(
        "change\turl\treason\n{added}change\turl\treason\nremoved\thttp://h1.test/1\tno longer in the corpus\n\
         {added}removed\thttp://h1/1\tno longer in the corpus\n\
         before\nfull\nin.jsonl\nnone.jsonl\nr0\nr1\nr2\n"
    );
    assert_eq!(output.stdout, expected, "{}", output.stderr);
    for cause in [
        "r1: is an earlier export, and is not replaced without --force",
        "full: is not empty, and no earlier export; name another folder",
        "in.jsonl: Not a directory",
        "--out -: a release is a folder",
        "--previous: full/documents.tsv: No such file or directory",
        "r2/documents.tsv:1: is no line of a table of documents",
    ] {
        assert!(output.stderr.contains(cause), "{cause}: {}", output.stderr);
    }
}

/// The input is a pipe that has not ended when the export is killed.
#[test]
fn a_killed_export_leaves_no_release() {
    let dir = temp_folder();
    let dir = dir.path();
    write_lines(&dir.join("in.jsonl"), &[page(1, "Besedilo.")]);
    let script = "set -e
        corpus-export --release 1 --out r1 in.jsonl; cp -r r1 before; mkfifo pipe
        for out in r1 r2; do
          corpus-export --release 2 --force --out $out < pipe & exec 3> pipe
          cat in.jsonl >&3; until ls -d .$out.forage-new*; do sleep 0.01; done
          kill -9 $!; wait $! || true; exec 3>&-
        done > /dev/null
        diff -r r1 before; test ! -e r2
        corpus-export --release 2 --out r2 in.jsonl; cd r2; sha256sum -c --quiet manifest-sha256.txt";
    run_in(dir, script).expect_exit(0);
}

/// Prints the documents of each configuration and split that `datasets` loads, those of each record
/// set that mlcroissant reads, and fails if one of the descriptions is not valid.
const READERS: &str = r"
import sys
import cffconvert, datasets, mlcroissant, yaml

release = sys.argv[1]
datasets.disable_progress_bars()
for name in datasets.get_dataset_config_names(release):
    for split, rows in datasets.load_dataset(release, name, cache_dir=release + '.cache').items():
        print('datasets', name, split, len(rows), rows[0]['id'], sorted(set(rows['label'])))
croissant = mlcroissant.Dataset(release + '/croissant.json')
for records in croissant.metadata.record_sets:
    print('mlcroissant', records.uuid, sum(1 for _ in croissant.records(records.uuid)))
cffconvert.Citation(open(release + '/CITATION.cff').read()).validate()
card = yaml.safe_load(open(release + '/README.md').read().split('---')[1])
print(card['language'], card['license'], card['size_categories'], card['pretty_name'])
";

#[test]
fn programs_read_releases_with_late_fields_and_odd_classes() {
    let python = project_root().join("target/python");
    if !python.join("release-readers/mlcroissant").is_dir()
        || !python.join("readers/datasets").is_dir()
    {
        eprintln!("NOT TESTED: tests/install-needs installs what reads releases");
        return;
    }
    let dir = temp_folder();
    let dir = dir.path();
    // More than the 10 MB from which `datasets` takes types.
    let filler = "Besedilo o lepem vremenu. ".repeat(90);
    let records = (0..6000_u32).map(|number| {
        let class = ["no", "web-dev", "čeština"][number as usize % 3];
        let mut record = page(number, &format!("{number} {filler}"));
        record["id"] = format!("{number:05}").into();
        record["label"] = class.into();
        record["fetch"] = json!({"at": "2026-01-02T03:04:05Z"});
        if number > 5900 {
            record["fetch"] =
                json!({"licence": "CC0-1.0", "published": "2024-05", "optout": ["noai"]});
            record["langid"] = json!({"code": "nob", "score": 1, "margin": 0.5});
        } else if class == "web-dev" {
            record["fetch"] = json!({"published": "2024-05-01"});
        }
        record
    });
    write_lines(&dir.join("in.jsonl"), &records.collect::<Vec<_>>());
    let script = "corpus-export --release 1.10 --out jsonl/ in.jsonl
        head -n 90 in.jsonl > few.jsonl
        for format in csv tsv parquet; do
          corpus-export --release 1.10 --format $format,text --target no,web-dev,none --out $format/ few.jsonl
        done
        corpus-export --release 1.10 --split 50,25,25 --out split/ few.jsonl";
    run_in(dir, script).expect_exit(0);
    let read = |release: &str| {
        let paths = [python.join("release-readers"), python.join("readers")];
        let read = Command::new("python3")
            .args(["-X", "utf8", "-c", READERS])
            .arg(dir.join(release))
            .env("PYTHONPATH", std::env::join_paths(paths).unwrap())
            .env("HF_HUB_OFFLINE", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success(), "{release}: {said}");
        String::from_utf8(read.stdout).unwrap()
    };
    assert_eq!(
        read("jsonl"),
        "datasets no train 2000 00000 ['no']\n\
         datasets web-dev train 2000 00001 ['web-dev']\n\
         datasets čeština train 2000 00002 ['čeština']\n\
         mlcroissant no 2000\nmlcroissant web-dev 2000\nmlcroissant čeština 2000\n\
         ['nb'] ['other'] ['1K<n<10K'] Norwegian Bokmål text corpus, release 1.10\n"
    );
    for release in ["csv", "tsv", "parquet"] {
        let read = read(release);
        let ids = if release == "parquet" {
            ["00000", "00001"]
        } else {
            ["0", "1"]
        };
        let expected = format!(
            "datasets no train 30 {} ['no']\ndatasets web-dev train 30 {} ['web-dev']\n\
             mlcroissant no 30\nmlcroissant web-dev 30\n\
             ['nb'] ['unknown'] ['n<1K'] Norwegian Bokmål text corpus, release 1.10\n",
            ids[0], ids[1]
        );
        assert_eq!(read, expected, "{release}");
    }
    let read = read("split");
    let lines: Vec<&str> = read
        .lines()
        .map(|line| line.split(" ['").next().unwrap())
        .collect();
    let splits = ["train", "validation", "test"];
    for (line, split) in lines.iter().zip(splits) {
        assert!(
            line.starts_with(&format!("datasets default {split} 30 ")),
            "{read}"
        );
    }
    assert!(
        lines[3..6].iter().all(|line| line.ends_with(" 30")),
        "{read}"
    );
}
