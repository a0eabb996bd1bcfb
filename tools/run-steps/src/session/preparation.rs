//! What comes before a run, or before the trial of one: its settings and its folder.

use super::{Loop, Session, trial};
use crate::child::is_interrupted;
use crate::folder::Folder;
use crate::folder_kind::describe_folder;
use crate::initial::Codes;
use crate::settings::Settings;
use crate::tools::Reported;
use anyhow::{Context, Result, bail, ensure};
use std::process::ExitCode;

impl Session {
    /// Checks the settings, and prepares the folder. Returns an exit code if there is no run.
    pub(super) fn prepare(&mut self, kind: &mut dyn Loop) -> Result<Option<ExitCode>> {
        self.read_settings()?;
        let age = self.run.settings.get("refresh");
        self.run.refresh = forage_cli::parse_age(age).ok();
        let is_trial = self.run.is_trial();
        let is_new_trial = is_trial && !self.run.line.is_resumed;
        // It is removed at the end of the trial.
        let scratch = is_new_trial.then(tempfile::tempdir).transpose()?;
        if let Some(scratch) = &scratch {
            self.run.folder = scratch.path().display().to_string();
        }
        kind.check(&mut self.run)?;
        if self.run.line.has("check-arguments") {
            return Ok(Some(ExitCode::SUCCESS));
        }
        let trusts = self.run.trusts();
        if is_trial {
            crate::folder::check_disk(&self.run)?;
            // It reports at once what a run would wait for.
            self.run.settings.set("patience", "none");
        } else if self.run.line.is_resumed {
            self.folder = Some(Folder::lock(self.run.folder.as_ref(), trusts)?);
        } else {
            self.folder = Some(Folder::start(self.run.folder.as_ref(), trusts)?);
        }
        if !self.run.line.is_resumed {
            kind.start(&mut self.run)?;
        }
        if !self.run.is_trial_of_existing() {
            let args = self.run.path("args");
            std::fs::create_dir_all(&args).with_context(|| args.display().to_string())?;
        }
        kind.set_up(&mut self.run)?;
        if !is_trial {
            return Ok(None);
        }
        trial::try_run(self, kind)?;
        ensure!(!is_interrupted(), Reported);
        Ok(Some(ExitCode::SUCCESS))
    }

    fn read_settings(&mut self) -> Result<()> {
        let run = &mut self.run;
        if run.folder.is_empty() {
            bail!("--out RUN is required, or --resume RUN; see --help");
        }
        if run.line.is_resumed {
            let path = run.path("run.conf");
            ensure!(path.is_file(), describe_folder(&run.folder, "run.conf"));
            crate::files::check_links(run.folder.as_ref(), run.trusts())?;
            crate::folder::finish_take_down(run.folder.as_ref())?;
            run.settings =
                Settings::read(&path, run.pipeline, run.trusts())?.with_defaults(run.pipeline);
            run.needs_trust = run.is_refused_without_trust();
            if run.line.has("resume-if-there") {
                let folder = &run.folder;
                run.console.inform(format_args!(
                    "{folder}: has a run, which goes on with these limits"
                ));
                let own = run.settings.clone();
                let given = run.line.settings.get("target").to_owned();
                if given != own.get("target")
                    && let Ok(labels) = Codes::relabel_all(&given)
                {
                    run.line.settings.set("target", &labels);
                }
                run.line.settings.remove_equal(&own, run.pipeline);
            }
            run.settings
                .replace_by(&run.line.settings, run.pipeline, &run.folder)
        } else {
            crate::folder::check_unused(run.folder.as_ref())?;
            run.settings = run.line.settings.with_defaults(run.pipeline);
            Ok(())
        }
    }
}
