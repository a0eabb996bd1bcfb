//! A table of the tools that pass records through, with their fields and state.

use crate::{ToolOutput, run_tool, temp_folder, tool_folder};
use std::path::Path;
use std::sync::Once;

/// A tool that passes records through.
pub struct Filter {
    /// The name of the tool.
    pub tool: &'static str,
    /// The flag that names its state file.
    pub state_flag: Option<&'static str>,
    /// The fields of an input record, as JSON, without unknown fields.
    pub input_fields: &'static str,
    /// The fields that must have the right type; otherwise the tool sets `error`.
    pub checked_fields: &'static [&'static str],
    /// The field that the tool adds, and fields of a record that has it already.
    pub added_field: Option<(&'static str, &'static str)>,
    /// True if the tool has the option `--jobs`.
    pub has_jobs: bool,
}

/// All tools that pass records through.
pub const FILTERS: [Filter; 9] = [
    Filter {
        tool: "langid",
        state_flag: None,
        input_fields: r#""text":"Danes je lep dan in sonce sije nad mestom.""#,
        checked_fields: &["text"],
        added_field: Some(("langid", r#""langid":{"code":"xxx"},"label":"xxx""#)),
        has_jobs: true,
    },
    Filter {
        tool: "keywords",
        state_flag: None,
        input_fields: r#""title":"Oil","text":"The White House announced the crude oil price.""#,
        // Others are read from documents only.
        checked_fields: &["text"],
        added_field: Some((
            "keywords",
            r#""keywords":[{"phrase":"xxx","score":1.5,"key":"xxx"}],"keywords_method":"statistical""#,
        )),
        has_jobs: true,
    },
    Filter {
        tool: "quality",
        state_flag: None,
        input_fields: r#""text":"Danes je lep dan in sonce sije nad mestom.","label":"slv""#,
        checked_fields: &["text"],
        added_field: Some(("quality", r#""quality":{"reasons":["items"]}"#)),
        has_jobs: true,
    },
    Filter {
        tool: "dedup",
        state_flag: Some("--index"),
        input_fields: r#""text":"Danes je lep dan in sonce sije nad mestom.""#,
        checked_fields: &["text"],
        added_field: Some(("dedup", r#""dedup":{"status":"exact","of":"xxx"}"#)),
        has_jobs: false,
    },
    Filter {
        tool: "topic-filter",
        state_flag: None,
        input_fields: r#""keywords":[{"phrase":"Danes","score":1.5,"key":"danes"},["lep dan",1.0]]"#,
        checked_fields: &["keywords"],
        added_field: Some((
            "topic",
            r#""topic":{"score":1,"measure":"xxx"},"label":"xxx""#,
        )),
        has_jobs: true,
    },
    Filter {
        tool: "frontier",
        state_flag: Some("--state"),
        input_fields: concat!(
            r#""url":"http://a.test/","links":[{"url":"http://b.test/","text":"B"}],"#,
            r#""topic":{"score":0.5}"#
        ),
        checked_fields: &["url"],
        added_field: None,
        has_jobs: false,
    },
    Filter {
        tool: "fetch-extract",
        state_flag: None,
        input_fields: concat!(
            r#""html":"<html><title>T</title><body>"#,
            r#"<p>Danes je lep dan in sonce sije nad mestom.</p></body></html>""#
        ),
        checked_fields: &["url", "html"],
        added_field: Some(("text", r#""id":"xxx","text":"xxx""#)),
        has_jobs: true,
    },
    Filter {
        tool: "update-stats",
        state_flag: Some("--stats"),
        input_fields: r#""label":"slv","text":"Danes je lep dan in sonce sije nad mestom.""#,
        checked_fields: &[],
        added_field: None,
        has_jobs: false,
    },
    Filter {
        tool: "search",
        state_flag: Some("--hits"),
        input_fields: concat!(
            r#""step":{"number":1,"target":"slv","last":true},"#,
            r#""query":{"id":"q","include":["dan"],"exclude":[]}"#
        ),
        checked_fields: &["query"],
        added_field: Some((
            "hit",
            r#""hit":{"engine":"xxx","calls":0},"url":"http://x.test/""#,
        )),
        has_jobs: false,
    },
];

impl Filter {
    /// Returns the required arguments, with the state file in `dir`.
    pub fn args(&self, dir: &Path) -> Vec<String> {
        let path = |name: &str| dir.join(name).to_str().expect("a path in UTF-8").to_owned();
        let mut args: Vec<String> = self
            .state_flag
            .iter()
            .flat_map(|flag| [(*flag).to_owned(), path("state.db")])
            .collect();
        if self.tool == "search" {
            args.extend(["--engine".to_owned(), engine_spec()]);
        }
        if self.tool == "topic-filter" {
            let samples = path("samples.jsonl");
            std::fs::write(&samples, r#"{"id":"s","keywords":[["lep dan",1.0]]}"#)
                .expect("the samples are written");
            args.extend(["--samples".to_owned(), samples]);
        }
        args
    }

    /// Runs the tool with a new state file.
    pub fn run(&self, extra_args: &[&str], stdin: impl AsRef<[u8]>) -> ToolOutput {
        let dir = temp_folder();
        let args = self.args(dir.path());
        run_tool(
            self.tool,
            args.iter()
                .map(String::as_str)
                .chain(extra_args.iter().copied()),
            stdin,
        )
    }

    /// Returns input record `number`, with unknown fields before and after the input fields.
    pub fn record(&self, number: usize) -> String {
        format!(
            r#"{{ "n":{number}, "a":1e5,{},{}}}"#,
            self.input_fields, UNKNOWN_FIELDS
        )
    }

    /// Returns the first `count` input records, one per line.
    pub fn records(&self, count: usize) -> String {
        (0..count)
            .map(|number| self.record(number) + "\n")
            .collect()
    }
}

/// Fields whose values would change if a tool re-encoded them.
pub const UNKNOWN_FIELDS: &str =
    r#""big":123456789012345678901234567890,"esc":"\u00e9\/","a":-0.0,"z": [1, 2 ]"#;

/// Calls `check` for each filter. The output of a failed test contains the name of the filter.
pub fn for_each_filter(check: impl Fn(&Filter)) {
    for filter in &FILTERS {
        eprintln!("filter: {}", filter.tool);
        check(filter);
    }
}

/// Returns the engine of an index with one document. All tests share it, because its path appears
/// in the output.
fn engine_spec() -> String {
    static BUILT: Once = Once::new();
    let folder = tool_folder().with_file_name("tmp").join("filters-index");
    let engine = format!("index:{}", folder.display());
    BUILT.call_once(|| {
        // The folder may hold an index of an earlier build, with other terms.
        std::fs::remove_dir_all(&folder).ok();
        let document = r#"{"url":"http://a.test/","text":"Danes je lep dan."}"#;
        run_tool("search", ["--engine", &engine, "--add"], document).expect_exit(0);
    });
    engine
}
