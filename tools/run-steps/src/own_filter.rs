//! Which commands of a foreign run folder may be run as its filter.

use crate::pipeline::has_word;

/// The commands that a stored filter may run: they read records and write records.
const FILTERS: &str = "langid topic-filter keywords";
/// Options of these with which they would write to files of any name.
const WRITING_OPTIONS: [&str; 4] = ["--rejects", "--state", "--feedback", "--generate"];
/// Options of these whose value may be the next word. Any other word could name a file whose
/// records the run would search for.
const VALUE_OPTIONS: &str = "\
    --lang --only --without --method --min-margin --profile --fit --recognise --samples \
    --thresholds --labels --only-label";

/// Returns `true` for a command that consists of our own filters, without a file of records, an
/// output, or anything that a shell would expand or redirect.
pub fn is_own_command(command: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " |_./,:=%+@-".contains(c);
    let is_own = |filter: &str| {
        let words: Vec<&str> = filter.split_whitespace().collect();
        let writes = |word: &str| {
            WRITING_OPTIONS
                .iter()
                .any(|option| word.starts_with(option))
        };
        let is_option = |word: &str| word.starts_with('-') && word.len() > 1 && !writes(word);
        let may_follow = |option: &str, word: &str| {
            is_option(word) || has_word(VALUE_OPTIONS, option) && !word.starts_with('-')
        };
        words.first().is_some_and(|name| has_word(FILTERS, name))
            && words.windows(2).all(|pair| may_follow(pair[0], pair[1]))
    };
    command.is_empty() || command.chars().all(is_plain) && command.split('|').all(is_own)
}

#[cfg(test)]
mod tests {
    use super::is_own_command;

    #[test]
    fn our_own_filters_are_recognised() {
        for command in [
            "",
            "langid",
            "langid --paragraphs",
            "langid | topic-filter --quiet --only-label slv --profile f.tsv --fit core.jsonl",
        ] {
            assert!(is_own_command(command), "{command}");
        }
        for command in [
            "touch a",
            "langid; touch a",
            "langid > a",
            "langid $(touch a)",
            "langid `touch a`",
            "langid & touch a",
            "langid || touch a",
            "langid\ntouch a",
            "./langid",
            "PATH=/tmp langid",
            "langid --rejects a",
            "topic-filter --state=a",
            "langid docs.jsonl -",
            "langid -q docs.jsonl",
            "langid --paragraphs /dev/stdin",
            "topic-filter --profile f.tsv core.jsonl",
            "langid |",
            "jq .",
        ] {
            assert!(!is_own_command(command), "{command}");
        }
    }
}
