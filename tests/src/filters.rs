//! The tools that pass records on, as a table: what each works on, needs, adds and remembers.

use crate::{Done, bin_dir, folder, run};
use std::path::Path;
use std::sync::Once;

/// A tool that passes records on.
pub struct Filter {
    /// Its name.
    pub tool: &'static str,
    /// The flag that names its state file.
    pub state: Option<&'static str>,
    /// What it works on, beside fields that it doesn't know.
    pub fields: &'static str,
    /// The fields that it needs: of the wrong type, they make an error record.
    pub needs: &'static [&'static str],
    /// What it adds, and a record that has it already.
    pub adds: Option<(&'static str, &'static str)>,
    /// Whether it takes `--jobs`.
    pub has_jobs: bool,
}

/// The filters among the tools.
pub const FILTERS: [Filter; 5] = [
    Filter {
        tool: "langid",
        state: None,
        fields: r#""text":"Danes je lep dan in sonce sije nad mestom.""#,
        needs: &["text"],
        adds: Some(("langid", r#""langid":{"code":"xxx"},"label":"xxx""#)),
        has_jobs: true,
    },
    Filter {
        tool: "dedup",
        state: Some("--index"),
        fields: r#""text":"Danes je lep dan in sonce sije nad mestom.""#,
        needs: &["text"],
        adds: Some(("dedup", r#""dedup":{"status":"exact","of":"xxx"}"#)),
        has_jobs: false,
    },
    Filter {
        tool: "fetch-extract",
        state: None,
        fields: r#""html":"<html><title>T</title><body><p>Danes je lep dan in sonce sije nad mestom.</p></body></html>""#,
        needs: &["url", "html"],
        adds: Some(("text", r#""id":"xxx","text":"xxx""#)),
        has_jobs: true,
    },
    Filter {
        tool: "update-stats",
        state: Some("--stats"),
        fields: r#""label":"slv","text":"Danes je lep dan in sonce sije nad mestom.""#,
        needs: &[],
        adds: None,
        has_jobs: false,
    },
    Filter {
        tool: "search",
        state: Some("--hits"),
        fields: r#""step":{"number":1,"target":"slv","last":true},"query":{"id":"q","include":["dan"],"exclude":[]}"#,
        needs: &["query"],
        adds: Some((
            "hit",
            r#""hit":{"engine":"xxx","calls":0},"url":"http://x.test/""#,
        )),
        has_jobs: false,
    },
];

impl Filter {
    /// Its arguments, with state of its own in `dir`.
    pub fn args(&self, dir: &Path) -> Vec<String> {
        let path = |name: &str| dir.join(name).to_str().expect("a path in UTF-8").to_owned();
        let mut args: Vec<String> = self
            .state
            .iter()
            .flat_map(|flag| [(*flag).to_owned(), path("state.db")])
            .collect();
        if self.tool == "search" {
            args.extend(["--engine".to_owned(), engine()]);
        }
        args
    }

    /// Runs it with fresh state.
    pub fn fresh(&self, more: &[&str], stdin: impl AsRef<[u8]>) -> Done {
        let dir = folder();
        let args = self.args(dir.path());
        run(
            self.tool,
            args.iter().map(String::as_str).chain(more.iter().copied()),
            stdin,
        )
    }

    /// A record, number `n`, with fields that no tool knows around those that this one works on.
    pub fn record(&self, n: usize) -> String {
        format!(r#"{{ "n":{n}, "a":1e5,{},{}}}"#, self.fields, UNKNOWN)
    }

    /// The first `n` of these.
    pub fn records(&self, n: usize) -> String {
        (0..n).map(|n| self.record(n) + "\n").collect()
    }
}

/// Values that a tool which re-encodes would spoil.
pub const UNKNOWN: &str =
    r#""big":123456789012345678901234567890,"esc":"\u00e9\/","a":-0.0,"z": [1, 2 ]"#;

/// Calls `rule` for each filter; what it prints stands in the output of a test that fails.
pub fn each(rule: impl Fn(&Filter)) {
    for filter in &FILTERS {
        eprintln!("filter: {}", filter.tool);
        rule(filter);
    }
}

/// An index with one document, the same in all tests, as its place stands in the output.
fn engine() -> String {
    static BUILT: Once = Once::new();
    let engine = format!(
        "index:{}",
        bin_dir()
            .with_file_name("tmp")
            .join("filters-index")
            .display()
    );
    BUILT.call_once(|| {
        let document = r#"{"url":"http://a.test/","text":"Danes je lep dan."}"#;
        run("search", ["--engine", &engine, "--add"], document).exits(0);
    });
    engine
}
