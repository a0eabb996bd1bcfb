//! Initial documents of a corpus, and the codes of languages that users type. They are checked, and
//! converted to records, before the first call to an engine.

use crate::files;
use crate::folder::remove;
use crate::run::Run;
use crate::settings::{Settings, is_file_name};
use crate::tools::{self, line};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// An initial document as it was given.
#[derive(Debug, Clone)]
pub struct Init {
    /// The argument, for messages.
    pub given: String,
    /// The label of the class.
    pub class: String,
    pub file: String,
}

impl Init {
    /// Parses `CLASS=FILE`.
    ///
    /// # Errors
    /// Fails without a class, and names the likely one, which is that of tgl.txt or tgl-1.txt.
    pub fn parse(given: &str) -> Result<Init> {
        let Some((class, file)) = given.split_once('=') else {
            let name = Path::new(given).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            let stem = name.split(['.', '-']).next().unwrap_or_default();
            let is_code =
                matches!(stem.len(), 2..=3) && stem.bytes().all(|b| b.is_ascii_lowercase());
            let likely = if is_code { stem } else { "CLASS" };
            bail!("--init {given}: the class is missing, as in --init {likely}={given}");
        };
        Ok(Init {
            given: given.into(),
            class: class.into(),
            file: file.into(),
        })
    }
}

/// The labels of langid for the codes that were given: `sl`, `slo` and `fil` become slv, slk and
/// tgl.
#[derive(Default)]
pub struct Codes {
    labels: BTreeMap<String, String>,
    /// The code that was typed for a label.
    typed: BTreeMap<String, String>,
}

impl Codes {
    /// Resolves codes by langid. `report` is called with what a code stands for.
    ///
    /// # Errors
    /// Fails for a code that is no language, or a group of languages without a label.
    pub fn resolve(codes: &BTreeSet<String>, report: impl Fn(String)) -> Result<Codes> {
        let mut resolved = Codes::default();
        if codes.is_empty() {
            return Ok(resolved);
        }
        let list: Vec<&str> = codes.iter().map(String::as_str).collect();
        let (code, table, messages) =
            tools::run_silently(&line("langid --resolve {}", [&list.join(",")]))?;
        if code != 0 {
            let message = messages.lines().next().unwrap_or_default();
            bail!("{}", message.trim_start_matches("langid: --resolve: "));
        }
        for row in table.lines() {
            let fields: Vec<&str> = row.split('\t').collect();
            let [given, label, rest @ ..] = &fields[..] else {
                continue;
            };
            let earlier = resolved.labels.insert((*given).into(), (*label).into());
            if earlier.is_some() || given == label {
                continue;
            }
            resolved.typed.insert((*label).into(), (*given).into());
            let name = rest.first().filter(|name| !name.is_empty());
            let mut message = format!("{given}: langid's label is {label}");
            message += &name.map_or(String::new(), |name| format!(" ({name})"));
            if let Some(others) = rest.get(1).filter(|others| !others.is_empty()) {
                message += "; other languages of the group have labels of their own: ";
                message += others;
            }
            report(message);
        }
        Ok(resolved)
    }

    /// Returns a list of codes, separated by commas, as the list of their labels.
    ///
    /// # Errors
    /// As [`Codes::resolve`].
    pub fn relabel_all(list: &str) -> Result<String> {
        let codes = list.split(',').map(str::to_owned).collect();
        Ok(Codes::resolve(&codes, |_| ())?.relabel(list))
    }

    /// Returns the label of a code.
    pub fn label<'a>(&'a self, code: &'a str) -> &'a str {
        self.labels.get(code).map_or(code, String::as_str)
    }

    /// Replaces the codes of a list, separated by commas, by their labels.
    pub fn relabel(&self, list: &str) -> String {
        let labels: Vec<&str> = list.split(',').map(|code| self.label(code)).collect();
        labels.join(",")
    }

    /// Returns the code that the user typed for a label.
    pub fn typed<'a>(&'a self, label: &'a str) -> &'a str {
        self.typed.get(label).map_or(label, String::as_str)
    }
}

/// Refuses a pipe or a device, which can be read only once. `place` is the option and its value.
fn check_regular(place: &str, path: &Path) -> Result<()> {
    let is_regular = !path.exists() || path.is_file();
    ensure!(is_regular, "{place}: is not a regular file; save it first");
    Ok(())
}

/// Checks the files of initial documents.
pub fn check_inits(inits: &[Init]) -> Result<()> {
    for (at, init) in inits.iter().enumerate() {
        let (given, path) = (&init.given, Path::new(&init.file));
        if !is_file_name(&init.class) {
            bail!("--init {given}: the name of a class has letters, digits and - _ . only");
        }
        ensure!(!path.is_dir(), "--init {given}: is a folder; name a file");
        // Initial documents are read more than once.
        check_regular(&format!("--init {given}"), path)?;
        let is_readable = File::open(path).is_ok();
        if !is_readable {
            bail!("--init {given}: the file does not exist or cannot be read");
        }
        for earlier in &inits[..at] {
            let earlier_path = Path::new(&earlier.file);
            ensure!(
                earlier.class == init.class || !files::have_same_content(earlier_path, path),
                "--init {} and --init {given}: two classes cannot have the same text",
                earlier.given
            );
        }
    }
    Ok(())
}

/// Converts the initial documents to records in the run folder, so that the run can be repeated
/// without the original files, and all tools read them alike. A page or a text in an old encoding
/// is read as fetched pages are.
pub fn copy_inits(run: &mut Run, inits: &[Init]) -> Result<()> {
    let mut copies = Vec::new();
    fill_folder(run, |new| {
        for (at, init) in inits.iter().enumerate() {
            let name = format!("{at}-{}.jsonl", init.class);
            let argument = format!("{}={}", init.class, init.file);
            let mut read = line("update-stats --init {} --init-records", [&argument]);
            read.extend(run.text_field());
            ensure!(
                tools::run_to(&new.join(&name), &read)?.success(),
                tools::Reported
            );
            report_encoding(run, init, &new.join(&name))?;
            copies.push(format!("{}=init/{name}", init.class));
        }
        Ok(())
    })?;
    // A filter that a failed start has learned is from other documents.
    remove(&run.path("filter"));
    *run.settings.list_mut("init") = copies;
    Ok(())
}

/// Fills the folder of what a run starts from, in place of that of a failed start.
pub fn fill_folder(run: &Run, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let new = run.path("init.new");
    remove(&new);
    fs::create_dir(&new).with_context(|| new.display().to_string())?;
    fill(&new)?;
    remove(&run.path("init"));
    Ok(fs::rename(&new, run.path("init"))?)
}

fn report_encoding(run: &Run, init: &Init, records: &Path) -> Result<()> {
    let mut first = String::new();
    BufReader::new(File::open(records)?).read_line(&mut first)?;
    let record = files::parse_record(&first);
    let format = |name: &str| record["fetch"][name].as_str().unwrap_or_default();
    let (given, media_type, charset) = (&init.given, format("media_type"), format("charset"));
    if !matches!(charset, "" | "UTF-8") {
        let message = format!("--init {given}: read as {media_type}, {charset}");
        run.console.say(message);
    }
    Ok(())
}

/// What langid says of an initial document that it takes for another language.
struct Difference {
    class: String,
    other: String,
    given: String,
    message: String,
}

/// Compares the classes of the initial documents with the labels that langid gives them, before an
/// engine is called for nothing. Those of `unknown` classes, whose profiles are learned from these
/// documents, are not compared.
///
/// # Errors
/// Fails if a document of a target is in another language, or one of another class in the language
/// of a target, unless `--force` is given.
pub fn check_labels(
    run: &Run,
    inits: &[Init],
    filter: &[String],
    targets: &[String],
    unknown: &[String],
) -> Result<()> {
    let mut differences = Vec::new();
    for (init, copy) in inits.iter().zip(run.settings.list("init")) {
        if unknown.contains(&init.class) {
            continue;
        }
        let file = copy.split_once('=').map_or("", |(_, file)| file);
        let mut check = filter.to_vec();
        check.extend(["--check-labels".into(), run.file(file)]);
        let (status, row) = tools::run(&check)?;
        if !matches!(status.code(), Some(0 | 1)) {
            bail!(tools::Reported);
        }
        differences.extend(compare(run, init, row.trim_end(), targets));
    }
    let is_wrong = report_differences(run, differences, targets);
    ensure!(
        !is_wrong || run.line.has("force"),
        "pages like these would get the same labels; give other initial documents, or --force"
    );
    Ok(())
}

/// Reads the row that langid writes of an initial document.
fn compare(run: &Run, init: &Init, row: &str, targets: &[String]) -> Option<Difference> {
    let fields: Vec<&str> = row.split('\t').collect();
    let [_, verdict, documents, _, other, others] = fields[..] else {
        return None;
    };
    match verdict {
        "agrees" => None,
        "differs" => {
            let several = match documents {
                "1" => String::new(),
                _ => format!(" for {others} of {documents} documents"),
            };
            let Init { given, class, .. } = init.clone();
            Some(Difference {
                message: format!("--init {given}: langid's label is {other}{several}, not {class}"),
                class,
                other: other.into(),
                given,
            })
        }
        _ if targets.contains(&init.class) => {
            run.console.say(format_args!(
                "--init {}: langid does not recognise {} in it; if it is not {1}, the run will \
                 find little",
                init.given, init.class
            ));
            None
        }
        _ => None,
    }
}

/// Reports differences; returns whether one concerns a target. Two documents that langid labels
/// with the class of each other are reported as one.
fn report_differences(run: &Run, mut differences: Vec<Difference>, targets: &[String]) -> bool {
    let mut is_wrong = false;
    while !differences.is_empty() {
        let mut difference = differences.remove(0);
        let swapped = differences
            .iter()
            .position(|later| later.class == difference.other && later.other == difference.class);
        if let Some(at) = swapped {
            let later = differences.remove(at);
            difference.message = format!(
                "the files of --init {} and --init {} are swapped",
                difference.given, later.given
            );
        }
        if targets.contains(&difference.class) || targets.contains(&difference.other) {
            is_wrong = true;
        } else {
            difference.message += "; the words are contrasted with the target all the same";
        }
        run.console.say(&difference.message);
    }
    is_wrong
}

/// Returns the options of files of hosts that are given.
fn given_host_lists(run: &Run) -> impl Iterator<Item = &'static str> {
    let options = ["hosts-allow", "hosts-deny"].into_iter();
    options.filter(|option| run.settings.is_set(option))
}

/// Checks the files of hosts, and copies them into a folder of the run.
pub fn copy_host_lists(run: &Run, folder: &Path) -> Result<()> {
    for option in given_host_lists(run) {
        let path = run.settings.get(option);
        check_regular(&format!("--{option} {path}"), path.as_ref())?;
        files::check_readable(&format!("--{option} "), path)?;
        fs::copy(path, folder.join(option)).with_context(|| format!("--{option} {path}"))?;
    }
    Ok(())
}

/// Returns the settings with the copies of the files of hosts.
pub fn with_copies(run: &Run) -> Settings {
    let mut settings = run.settings.clone();
    for option in given_host_lists(run) {
        settings.set(option, &run.file(&format!("init/{option}")));
    }
    settings
}
