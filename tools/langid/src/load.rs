//! The models and profiles that the arguments select.

use crate::args::Args;
use anyhow::Context;
use forage_langid::{Identifier, Model, Prior, Profile};
use std::path::{Path, PathBuf};

/// The name of the built-in model on the command line.
const BUILTIN: &str = "builtin";

/// Returns an identifier with the models and profiles that the flags select, without the languages
/// of --without.
///
/// # Errors
/// Fails if a file cannot be read or is not of its kind, or if a language of --without is unknown.
pub fn load_identifier(args: &Args) -> anyhow::Result<Identifier> {
    let mut identifier = load_models(&args.models)?
        .with_method(args.evidence.method)
        .with_prior(load_prior(&args.prior)?);
    // Before the profiles are added: with --without and --profile, a language can be tested with a
    // profile other than the model's.
    let without = &args.evidence.without;
    identifier.exclude(without).context("--without")?;
    let profiles = args.profiles.iter().map(|path| load_profile(path));
    let profiles: Vec<Profile> = profiles.collect::<Result<_, _>>()?;
    identifier.add_profiles(&profiles)?;
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
    let first = match names.is_empty() || !builtin.is_empty() {
        true => None,
        false => models.next().transpose()?,
    };
    let mut identifier = Identifier::new(first.unwrap_or_else(Model::builtin));
    for model in models {
        identifier.add_model(model?);
    }
    Ok(identifier)
}

fn load_prior(path: &Path) -> anyhow::Result<Prior> {
    match path.to_str() {
        Some("web") => Ok(Prior::web()),
        Some("none") => Ok(Prior::none()),
        _ => {
            let read =
                || Ok::<_, anyhow::Error>(Prior::from_text(&std::fs::read_to_string(path)?)?);
            read().with_context(|| format!("--prior {}", path.display()))
        }
    }
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
