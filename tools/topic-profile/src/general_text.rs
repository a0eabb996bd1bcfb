//! General text, with which the core is contrasted.

use crate::args::Args;
use forage_cli::{GivenLine, Input, Io, TextUse};
use forage_topic::profile::{CoreStatistics, GeneralText, WordCounts};

/// Returns the probabilities of words in the files of `--background`, or else what is built in for
/// the language of the core.
///
/// # Errors
/// Fails if a file cannot be read or has no words.
pub(crate) fn read(
    args: &Args,
    core: &mut CoreStatistics,
    io: &mut Io,
) -> anyhow::Result<GeneralText> {
    if args.background.is_empty() {
        let text = GeneralText::builtin(core.language());
        if !text.has_list() {
            io.messages.warn(format_args!(
                "there is no word list of the language {}; a --background of general texts in this \
                 language gives a much better profile",
                core.language()
            ));
        }
        return Ok(text);
    }
    let mut counts = WordCounts::default();
    let input = Input {
        files: args.background.clone(),
        rejects: None,
        text_use: TextUse::Sample,
        ..args.input.clone()
    };
    let command = "topic-profile --background - CORE";
    io.for_each_given(&input, command, |line| count_line(core, &mut counts, line))?;
    anyhow::ensure!(
        !counts.is_empty(),
        "--background: has no words other than stop words"
    );
    Ok(GeneralText::from_counts(counts))
}

/// Counts a line: a record with `text`, a word with its frequency, or plain text.
fn count_line(
    core: &mut CoreStatistics,
    counts: &mut WordCounts,
    line: GivenLine,
) -> Result<(), String> {
    let line = match line {
        GivenLine::Text(line) => line,
        GivenLine::Record(record) => {
            if let Ok(Some(text)) = record.text() {
                core.count_general_text(counts, &text);
            }
            return Ok(());
        }
    };
    let listed = line
        .split_once('\t')
        .and_then(|(word, count)| Some((word, count.trim().parse::<f64>().ok()?)));
    match listed {
        Some((word, count)) if count >= 0.0 && count.is_finite() => {
            core.count_general_word(counts, word, count);
        }
        Some(_) => return Err("the frequency is not a number of at least 0".into()),
        // A comment of a word list.
        None if line.starts_with('#') => {}
        None => core.count_general_text(counts, &line),
    }
    Ok(())
}
