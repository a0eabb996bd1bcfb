//! `--rebuild`: derives the state files and the results of a run from its journal again, as the end
//! of a session does.

use crate::command_line::CommandLine;
use crate::console::Console;
use crate::pipeline::Pipeline;
use crate::pipelines::PIPELINES;
use crate::run::Run;
use crate::settings::Settings;
use crate::{new_loop, session, tools};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Rebuilds the run in a folder, whose pipeline its settings tell.
///
/// # Errors
/// Fails if the folder has no run of a pipeline that is installed, or the run could not be resumed.
pub fn rebuild(folder: &Path) -> Result<()> {
    let conf = folder.join("run.conf");
    let mut pipelines = PIPELINES.iter();
    // The first one that knows all settings: others have more.
    let pipeline = pipelines.find(|pipeline| Settings::read(&conf, pipeline, true).is_ok());
    let pipeline = pipeline.with_context(|| format!("{}: is no run", folder.display()))?;
    let script =
        find_script(pipeline).with_context(|| format!("{}: is not on the PATH", pipeline.name))?;
    let folder = folder.to_string_lossy();
    let args = [pipeline.name, "--resume", &folder];
    let matches = pipeline.command(pipeline.name).try_get_matches_from(args)?;
    let line = CommandLine::new(pipeline, &script, &matches)?;
    let run = Run {
        pipeline,
        console: Console::new(pipeline.name, true),
        folder: line.folder.clone(),
        settings: Settings::default(),
        is_bash: crate::is_bash(&script),
        needs_trust: false,
        refresh: None,
        line,
    };
    session::rebuild(run, new_loop(pipeline.name))
}

/// Returns the script of a pipeline: on the PATH, or of the checkout that the program is built in.
fn find_script(pipeline: &Pipeline) -> Option<PathBuf> {
    tools::find(pipeline.name).or_else(|| {
        let program = std::env::current_exe().ok()?;
        let script = program.ancestors().nth(3)?.join("pipelines");
        Some(script.join(pipeline.name)).filter(|script| script.is_file())
    })
}
