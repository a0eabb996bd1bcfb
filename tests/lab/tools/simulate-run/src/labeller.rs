//! The labels of the documents of a run.

use crate::args::Args;
use crate::classifier::Classifier;
use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Scratch};
use forage_record::Record;
use forage_run::{Event, Projection};
use langid::state_file::ClassProfiles;

/// Labels the documents of a run, as langid does in corpus-builder.
pub struct Labeller {
    langid_args: langid::Args,
    identifier: Identifier,
    /// The profiles from which the identifier is made, if the run has its own.
    profiles: Option<ClassProfiles>,
    scratch: Scratch,
}

impl Labeller {
    /// Creates the labeller of a run without documents.
    ///
    /// # Errors
    /// Fails if langid does not accept its options, or cannot label documents with a class.
    pub fn new(args: &Args) -> anyhow::Result<Self> {
        let langid_args = args.langid_args()?;
        let profiles = match args.classifier {
            Classifier::Builtin => None,
            Classifier::Run { min_margin } => Some(ClassProfiles::in_memory(min_margin)?),
        };
        let identifier = match &profiles {
            None => langid::load_identifier(&langid_args)?,
            Some(profiles) => profiles.identifier()?,
        };
        let labeller = Labeller {
            langid_args,
            identifier,
            profiles,
            scratch: Scratch::default(),
        };
        labeller.check_classes(args)?;
        Ok(labeller)
    }

    /// Checks that documents can be labelled with the classes of the initial documents.
    fn check_classes(&self, args: &Args) -> anyhow::Result<()> {
        for init in &args.init {
            let file = init.path.display();
            let code: LanguageCode = init.class.parse().ok().with_context(|| {
                format!(
                    "--init {}={file}: langid labels a language with its ISO 639-3 code of three \
                     letters, as in slv",
                    init.class
                )
            })?;
            let is_known = self.profiles.is_some()
                || self.identifier.classes().any(|class| class.code == code);
            anyhow::ensure!(
                is_known,
                "--init {}={file}: langid does not know the language; corpus-builder learns it",
                init.class
            );
        }
        Ok(())
    }

    /// Learns from an initial document.
    ///
    /// # Errors
    /// Fails if the profiles cannot be updated.
    pub fn add_initial_document(&mut self, event: &Event) -> anyhow::Result<()> {
        match &mut self.profiles {
            Some(profiles) => profiles.apply(event).map_err(anyhow::Error::from_boxed),
            None => Ok(()),
        }
    }

    /// Labels a retrieved document by the documents of the steps before its own.
    ///
    /// # Errors
    /// Fails if the profiles cannot be updated.
    pub fn label_document(&mut self, record: &mut Record) -> anyhow::Result<()> {
        if let Some(profiles) = &mut self.profiles
            && profiles.advance_to(Event::from_record(record).step_number())?
        {
            self.identifier = profiles.identifier()?;
        }
        langid::annotate_record(
            &self.langid_args,
            &self.identifier,
            &mut self.scratch,
            record,
        );
        if let Some(profiles) = &mut self.profiles {
            profiles.apply_event(&Event::from_record(record))?;
        }
        Ok(())
    }
}
