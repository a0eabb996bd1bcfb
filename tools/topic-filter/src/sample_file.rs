//! The file of sample articles.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, Messages};
use forage_record::Record;
use forage_topic::samples::{Sample, SampleSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
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
    let file = File::open(path).with_context(|| name.to_string())?;
    let mut samples = Vec::new();
    for (line, number) in BufReader::new(file).split(b'\n').zip(1..) {
        let line = line.with_context(|| name.to_string())?;
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let record = Record::parse(line.trim_ascii_end().to_vec())
            .map_err(|(cause, _)| anyhow::anyhow!("{name}:{number}: {cause}"))?;
        let sample = Sample::from_record(&record)
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
