//! The file of sample articles.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{GivenFile, Io, Messages};
use forage_topic::samples::{Sample, SampleSet};
use std::path::Path;

/// Reads the samples of `--samples`; none without this option.
///
/// # Errors
/// As [`read_samples`].
pub(crate) fn read_given_samples(args: &Args, io: &Io) -> anyhow::Result<SampleSet> {
    let path = args.samples.as_ref();
    path.map_or_else(
        || Ok(SampleSet::default()),
        |path| read_samples(path, &io.messages),
    )
}

/// Reads the sample articles of a file.
///
/// # Errors
/// Fails if the file cannot be read, has no sample, or has a line that is not a record with
/// keyphrases: a sample that is left out would not be missed.
fn read_samples(path: &Path, messages: &Messages) -> anyhow::Result<SampleSet> {
    let name = path.display();
    let file = forage_cli::read_given_file(path).with_context(|| name.to_string())?;
    let GivenFile::Records(records) = file else {
        anyhow::bail!("{name}: has no sample article; samples are records, made with keywords")
    };
    let mut samples = Vec::new();
    for (number, record) in &records {
        let sample = Sample::from_record(record)
            .map_err(|cause| anyhow::anyhow!("{name}:{number}: {cause}"))?;
        if sample.keyphrases.is_empty() {
            messages.warn(format_args!(
                "{name}:{number}: the sample has no keyphrase; no document is similar to it"
            ));
        }
        samples.push(sample);
    }
    anyhow::ensure!(!samples.is_empty(), "{name}: has no sample article");
    Ok(SampleSet::new(samples))
}
