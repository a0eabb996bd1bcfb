//! langid: identify the language of each document. A library as well, so that simulate-run labels
//! documents in the same way.

mod annotate;
mod args;
mod list;
mod state;

pub use annotate::annotate_record;
use anyhow::Context;
pub use args::Args;
use forage_cli::Io;
use forage_langid::{Identifier, Model, Profile};
use list::LabelCoverage;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the tool with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some(path) = &args.state {
        return state::run(&args, path, io);
    }
    let mut identifier = load_identifier(&args)?;
    // Before the candidates are restricted, so that --only does not hide which other languages the
    // models distinguish from the listed ones.
    let coverage = args.list.then(|| LabelCoverage::new(&identifier));
    restrict_candidates(&mut identifier, &args)?;
    if let Some(coverage) = coverage {
        list::list_classes(&identifier, &coverage, io);
        Ok(())
    } else if args.lines {
        annotate::annotate_lines(&args, &identifier, io)
    } else {
        annotate::annotate_records(&args, &identifier, io)?;
        if io.malformed_lines() > 0 {
            io.messages
                .warn("skipped lines that are not records; use --lines for plain text");
        }
        Ok(())
    }
}

/// The name of the built-in model on the command line.
const BUILTIN: &str = "builtin";

/// Returns an identifier with the models and profiles that the flags select, without the languages
/// of --without.
pub fn load_identifier(args: &Args) -> anyhow::Result<Identifier> {
    let mut identifier = load_models(&args.models)?.with_method(args.method);
    // Before the profiles are added: with --without and --profile, a language can be tested with a
    // profile other than the model's.
    identifier.exclude(&args.without).context("--without")?;
    let profiles: Vec<Profile> = args
        .profiles
        .iter()
        .map(|path| load_profile(path))
        .collect::<Result<_, _>>()?;
    identifier.add_profiles(&profiles)?;
    Ok(identifier)
}

/// Restricts the candidates to the languages of --only, if there are any.
fn restrict_candidates(identifier: &mut Identifier, args: &Args) -> anyhow::Result<()> {
    if !args.only.is_empty() {
        identifier.restrict_to(&args.only).context("--only")?;
    }
    anyhow::ensure!(
        identifier.classes().next().is_some(),
        "no language is left; check --only and --without"
    );
    Ok(())
}

/// Returns an identifier with these models, or with the built-in one if none is named.
///
/// The built-in model comes first, because the identifier treats models that are added to it as
/// expected languages.
fn load_models(names: &[PathBuf]) -> anyhow::Result<Identifier> {
    let (builtin, files): (Vec<&PathBuf>, Vec<_>) =
        names.iter().partition(|name| name.as_os_str() == BUILTIN);
    let mut models = files.iter().map(|path| load_model(path));
    let first = if names.is_empty() || !builtin.is_empty() {
        None
    } else {
        models.next().transpose()?
    };
    let mut identifier = Identifier::new(first.unwrap_or_else(Model::builtin));
    for model in models {
        identifier.add_model(model?);
    }
    Ok(identifier)
}

fn load_model(path: &Path) -> anyhow::Result<Model> {
    Model::from_bytes(&read_file(path)?).with_context(|| path.display().to_string())
}

fn load_profile(path: &Path) -> anyhow::Result<Profile> {
    Profile::from_text(&read_file(path)?).with_context(|| path.display().to_string())
}

fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}
