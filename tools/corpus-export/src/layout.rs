//! Which files an export has.

use crate::args::Args;
use crate::corpus_format::{Format, Part, file_name_of};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of the files of documents without a class.
const UNLABELLED: &str = "unlabelled";

/// The files of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// One file, in one format.
    File(PathBuf),
    /// A folder with a file per format and class, or per format and part.
    Files(PathBuf),
    /// A folder with a file per document.
    Documents(PathBuf),
}

impl Layout {
    /// Returns the layout that the arguments ask for.
    ///
    /// # Errors
    /// Fails if several files would be written to one.
    pub fn new(args: &Args) -> anyhow::Result<Layout> {
        check_corpus_of_run(args)?;
        check_extension(args)?;
        let out = &args.out;
        let formats = formats(args);
        let has_split = args.split.split.is_some();
        // A run writes jsonl and text, a file per class each.
        let has_file_per_document = args.format.len() == 1 && formats[0].has_file_per_document();
        let needs_folder = has_split || formats.len() > 1 || has_file_per_document;
        let is_folder = out.is_dir()
            || out.as_os_str().as_encoded_bytes().ends_with(b"/")
            || needs_folder && !is_taken(out) && out.extension().is_none() && out != Path::new("-");
        if is_folder {
            return Ok(match has_file_per_document {
                true => Layout::Documents(out.clone()),
                false => Layout::Files(out.clone()),
            });
        }
        anyhow::ensure!(
            formats.len() == 1,
            "--out {0}: is a file, which has one format; use {0}/ for a folder",
            out.display()
        );
        anyhow::ensure!(
            !has_split,
            "--out {0}: is a file, but --split writes several; use {0}/ for a folder",
            out.display()
        );
        Ok(Layout::File(match out == Path::new("-") {
            true => "/dev/stdout".into(),
            false => out.clone(),
        }))
    }

    /// Returns the folder of the files.
    pub fn folder(&self) -> &Path {
        match self {
            Layout::Files(folder) | Layout::Documents(folder) => folder,
            Layout::File(path) => match path.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            },
        }
    }

    /// Returns `true` if the files are part of a run, whose folder has all that is known of them.
    pub fn is_in_run(&self) -> bool {
        let is_run = |folder: &Path| folder.join("journal.jsonl").exists();
        let Ok(folder) = std::fs::canonicalize(self.folder()) else {
            return false;
        };
        folder.ancestors().take(2).any(is_run)
    }
}

/// Fails if the output would replace the corpus of a run by something else: what reads the folder
/// of a run takes the files of `corpus/` for all its documents.
fn check_corpus_of_run(args: &Args) -> anyhow::Result<()> {
    let Some(run) = run_of_corpus(&args.out) else {
        return Ok(());
    };
    let out = args.out.display();
    if let Some(option) = part_option(args) {
        anyhow::bail!(
            "--out {out}: has the whole corpus of the run {}, which {option} would replace by a part or \
             another form of it, also with --force; write to another folder",
            run.display()
        );
    }
    let is_run = |path: &PathBuf| {
        let path = std::fs::canonicalize(path);
        path.is_ok_and(|path| path == run || path == run.join("journal.jsonl"))
    };
    let inputs = &args.documents.input.files;
    anyhow::ensure!(
        args.force || inputs.len() == 1 && inputs.iter().all(is_run),
        "--out {out}: has the corpus of the run {}, which other input replaces only with --force",
        run.display()
    );
    Ok(())
}

/// Returns the run in whose folder `corpus` a path is; `None` if it is in no such folder.
fn run_of_corpus(path: &Path) -> Option<PathBuf> {
    // What does not exist yet is where its folder is.
    let mut existing = path;
    let path = loop {
        match std::fs::canonicalize(existing) {
            Ok(folder) => break folder.join(path.strip_prefix(existing).ok()?),
            Err(_) if existing.parent() == Some(Path::new("")) => {
                break std::fs::canonicalize(".").ok()?.join(path);
            }
            Err(_) => existing = existing.parent()?,
        }
    };
    let is_run =
        |folder: &&Path| folder.join("run.conf").exists() || folder.join("journal.jsonl").exists();
    let folders = path.ancestors().filter(|folder| folder.ends_with("corpus"));
    let mut runs = folders.filter_map(Path::parent).filter(is_run);
    runs.next().map(Path::to_owned)
}

/// Returns the first of the options with which not all documents are written as they are.
fn part_option(args: &Args) -> Option<&'static str> {
    let filter = &args.filter;
    let options = [
        (filter.licence.is_some(), "--licence"),
        (filter.no_optout, "--no-optout"),
        (filter.min_margin.is_some(), "--min-margin"),
        (!filter.without.is_empty(), "--without"),
        (filter.dedup_paragraphs, "--dedup-paragraphs"),
        (args.split.split.is_some(), "--split"),
    ];
    let given = options.into_iter().find(|(is_given, _)| *is_given);
    given.map(|(_, option)| option)
}

/// Returns `true` if there is a file, a pipe or a link at the path.
fn is_taken(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Returns the formats, sorted: without --format that of the extension of the output, if it has
/// one.
pub fn formats(args: &Args) -> Vec<Format> {
    if args.format.is_empty() {
        return vec![format_of_extension(&args.out).unwrap_or(Format::Jsonl)];
    }
    let formats: BTreeSet<Format> = args.format.iter().copied().collect();
    formats.into_iter().collect()
}

/// Returns the format of which files have the extension of this path.
fn format_of_extension(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?;
    let mut formats = Format::value_variants().iter().copied();
    formats.find(|format| format.extension() == extension)
}

/// Fails if the name of the output says that it has other content than it would.
fn check_extension(args: &Args) -> anyhow::Result<()> {
    let out = args.out.display();
    let compressed = args
        .out
        .extension()
        .filter(|extension| *extension == "gz" || *extension == "zst");
    anyhow::ensure!(
        compressed.is_none(),
        "--out {out}: nothing is compressed; use --out - and pipe it through gzip or zstd"
    );
    let ([format], Some(of_name)) = (&args.format[..], format_of_extension(&args.out)) else {
        return Ok(());
    };
    // Lists of words are tables as well.
    let of_format = format.extension();
    anyhow::ensure!(
        of_format.ends_with(of_name.extension()),
        "--out {out}: has the extension of another format; use .{of_format}, or leave --format out"
    );
    Ok(())
}

/// Returns the name of the files of a class or part without extension. Names are unique: all of a
/// class that would be taken for one without a class is percent-encoded.
pub fn base_name(class: &str, part: Option<Part>) -> String {
    match (part, class) {
        (Some(part), _) => part.name().into(),
        (None, "") => UNLABELLED.into(),
        // Names of files that are beside those of classes.
        (None, UNLABELLED | "README") => class.bytes().map(|b| format!("%{b:02X}")).collect(),
        (None, class) => file_name_of(class).replace('.', "%2E"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, base_name};
    use crate::args::Args;
    use crate::corpus_format::Part;
    use clap::Parser;
    use std::path::Path;

    fn layout(dir: &Path, options: &[&str]) -> anyhow::Result<Layout> {
        let out = dir.join(options[0]).display().to_string();
        let out = out + if options[0].ends_with('/') { "/" } else { "" };
        let args = [&["corpus-export", "--out", &out], &options[1..]].concat();
        Layout::new(&Args::try_parse_from(args).unwrap())
    }

    #[test]
    fn a_path_is_a_folder_if_it_is_one_or_several_files_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        std::fs::create_dir(dir.join("there")).unwrap();
        std::fs::write(dir.join("taken"), "").unwrap();
        let files = |name: &str| Layout::Files(dir.join(name));
        let text = ["--format", "text"];
        let both = ["--format", "jsonl,text"];
        let split = ["--split", "80,10,10"];
        for (name, options, expected) in [
            ("a", &[][..], Layout::File(dir.join("a"))),
            ("a/", &[], files("a/")),
            ("there", &[], files("there")),
            ("a", &text, Layout::Documents(dir.join("a"))),
            ("there", &text, Layout::Documents(dir.join("there"))),
            ("a.txt", &text, Layout::File(dir.join("a.txt"))),
            ("taken", &text, Layout::File(dir.join("taken"))),
            ("a", &both, files("a")),
            ("a/", &["--format", "text,text"], files("a/")),
            ("a", &split, files("a")),
            (
                "a",
                &[&text[..], &split].concat(),
                Layout::Documents(dir.join("a")),
            ),
        ] {
            let options = [&[name], options].concat();
            assert_eq!(layout(dir, &options).unwrap(), expected, "{options:?}");
        }
        for options in [
            &["a.x", both[0], both[1]][..],
            &["a.x", split[0], split[1]],
            &["taken", both[0], both[1]],
        ] {
            assert!(layout(dir, options).is_err(), "{options:?}");
        }
    }

    #[test]
    fn each_class_has_a_unique_file_name() {
        let name = |class| base_name(class, None);
        assert_eq!(name("slv"), "slv");
        assert_eq!(name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(name("a.b"), name("a b"));
        assert_ne!(name(""), name("unlabelled"));
        assert_ne!(name("README"), "README");
        assert_eq!(base_name("slv", Some(Part::Dev)), "dev");
    }
}
