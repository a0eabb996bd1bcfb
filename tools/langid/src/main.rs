//! langid: say in which language each document is.
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
    let identifier = identifier(&args)?;
    if args.list {
        list(&identifier, io);
        Ok(())
    } else if args.lines {
        annotate::lines(&args, &identifier, io)
    } else {
        annotate::documents(&args, &identifier, io)?;
        if io.malformed_lines() > 0 {
            io.messages
                .warn("lines that are not records were left out; plain text is read with --lines");
        }
        Ok(())
    }
}

/// What the model that comes with the program is called.
const BUILTIN: &str = "builtin";

/// What is known, by the flags.
fn identifier(args: &Args) -> anyhow::Result<Identifier> {
    let mut identifier = models(&args.models)?.with_method(args.method);
    // Profiles that are named stay known: so a language can be tried with another profile than its
    // own.
    identifier.exclude(&args.without).context("--without")?;
    let profile =
        |path| Profile::from_text(&read(path)?).with_context(|| path.display().to_string());
    let profiles: Vec<Profile> = args
        .profiles
        .iter()
        .map(|path| profile(path))
        .collect::<Result<_, _>>()?;
    identifier.add_profiles(&profiles)?;
    if !args.only.is_empty() {
        identifier.restrict_to(&args.only).context("--only")?;
    }
    let nobody = identifier.classes().next().is_none();
    anyhow::ensure!(
        !nobody,
        "no language is left to choose from, by --only and --without"
    );
    Ok(identifier)
}

/// The models that are named; the one that comes with the program is first, as others are known
/// besides.
fn models(named: &[PathBuf]) -> anyhow::Result<Identifier> {
    let (builtin, files): (Vec<&PathBuf>, Vec<_>) =
        named.iter().partition(|name| name.as_os_str() == BUILTIN);
    let model = |path: &&PathBuf| {
        Model::from_bytes(&read(path)?).with_context(|| path.display().to_string())
    };
    let mut models = files.iter().map(model);
    let first = if named.is_empty() || !builtin.is_empty() {
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

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

fn list(identifier: &Identifier, io: &mut Io) {
    let mut all: Vec<LanguageClass<'_>> = identifier.classes().collect();
    all.sort_by_key(|known| (known.code, known.script));
    for LanguageClass {
        code,
        script,
        name,
        words,
        source,
    } in all
    {
        io.out
            .write_line(&format!("{code}\t{script}\t{name}\t{words}\t{source}"));
    }
}
