//! langid: identify the language of each document.

mod annotate;
mod args;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_langid::{Identifier, LanguageClass, Model, Profile};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let identifier = load_identifier(&args)?;
    if args.list {
        list_classes(&identifier, io);
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

/// Returns an identifier with the models, profiles and languages that the flags select.
fn load_identifier(args: &Args) -> anyhow::Result<Identifier> {
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
    if !args.only.is_empty() {
        identifier.restrict_to(&args.only).context("--only")?;
    }
    anyhow::ensure!(
        identifier.classes().next().is_some(),
        "no language is left; check --only and --without"
    );
    Ok(identifier)
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

fn list_classes(identifier: &Identifier, io: &mut Io) {
    let mut classes: Vec<LanguageClass<'_>> = identifier.classes().collect();
    classes.sort_by_key(|class| (class.code, class.script));
    for LanguageClass {
        code,
        script,
        name,
        sample_tokens,
        source,
    } in classes
    {
        io.out.write_line(&format!(
            "{code}\t{script}\t{name}\t{sample_tokens}\t{source}"
        ));
    }
}
