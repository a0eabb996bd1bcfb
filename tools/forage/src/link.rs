//! `forage --link FOLDER`: the names of the tools as links to this program, and the pipelines.

use crate::TOOLS;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

macro_rules! pipelines {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../pipelines/", $name)))),*]
    };
}

/// The pipelines: name and script.
const PIPELINES: [(&str, &str); 9] = pipelines![
    "autocor",
    "cluster",
    "corpus-builder",
    "dedup-at-scale",
    "focused-crawl",
    "review",
    "searxng",
    "sites",
    "special-domain"
];

/// Writes links and pipelines into a folder, which is made if it is missing.
///
/// # Errors
/// Fails before it writes anything if a name is that of a file which is neither a link to a program
/// named `forage` nor a pipeline.
pub fn write_links(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let program = std::env::current_exe().context("the path of this program")?;
    for name in names() {
        let path = folder.join(name);
        ensure!(
            is_replaceable(&path, name),
            "{}: is another file; remove it, or choose another folder",
            path.display()
        );
    }
    // A link beside the program stays valid if both are moved.
    let is_beside = fs::canonicalize(folder)?.join("forage") == program;
    let target = if is_beside {
        Path::new("forage")
    } else {
        &program
    };
    for name in names() {
        let path = folder.join(name);
        let written = remove_existing(&path, script(name)).and_then(|()| match script(name) {
            Some(script) => fs::write(&path, script)
                .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o755))),
            None => symlink(target, &path),
        });
        written.with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn names() -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().map(|(name, _)| *name);
    tools.chain(PIPELINES.iter().map(|(name, _)| *name))
}

/// Returns `true` for the name of a pipeline.
pub fn is_pipeline(name: &OsStr) -> bool {
    name.to_str().and_then(script).is_some()
}

fn script(name: &str) -> Option<&'static str> {
    let pipeline = PIPELINES.iter().find(|(pipeline, _)| *pipeline == name)?;
    Some(pipeline.1)
}

fn is_replaceable(path: &Path, name: &str) -> bool {
    if let Ok(target) = fs::read_link(path) {
        return target.ends_with("forage") && !path.is_dir();
    }
    // The second line of a pipeline begins with its name.
    let is_pipeline = |text: String| {
        let mut lines = text.lines();
        lines
            .nth(1)
            .is_some_and(|line| line.starts_with(&format!("# {name}: ")))
    };
    !path.exists() || fs::read_to_string(path).is_ok_and(is_pipeline)
}

/// Removes a link, or the script that a pipeline had; another script, which the user may have
/// changed, is kept as NAME.old.
fn remove_existing(path: &Path, script: Option<&str>) -> std::io::Result<()> {
    match path.symlink_metadata() {
        Ok(file) if file.is_file() && fs::read(path)? != script.unwrap_or_default().as_bytes() => {
            fs::rename(path, path.with_extension("old"))
        }
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}
