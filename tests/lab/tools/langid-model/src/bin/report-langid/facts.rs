//! The facts that `langid --list` shows of each class.

use crate::results::{Class, MIN_TEXTS, ResultLine, SENTENCE, accuracy_by};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of relatives of a language.
const MAX_RELATIVES: usize = 3;
/// Minimum share of the sentences of a language that are taken for one in a relative. Set by
/// judgement.
const MIN_CONFUSED_SHARE: f64 = 0.005;
/// Minimum number of such sentences.
const MIN_CONFUSED: u64 = 2;

/// Returns a line per class: code, script, kinds, accuracy on sentences of sources that were left
/// out, number of these sentences, relatives. Of a class with fewer than
/// [`MIN_TEXTS`], the accuracy and their number are empty.
///
/// The relatives are the languages that most of the sentences were taken for, each with the share
/// of these, and then the nearest ones by the model.
pub fn format_facts(classes: &[Class<'_>], results: &[ResultLine<'_>]) -> String {
    let sentences = || results.iter().filter(|line| line.length == SENTENCE);
    let accuracies = accuracy_by(sentences(), |line| (line.code, line.script));
    let answers = accuracy_by(sentences(), |line| (line.code, line.script, line.answer));
    let mut confusions: BTreeMap<_, Vec<(&str, u64)>> = BTreeMap::new();
    for ((code, script, answer), accuracy) in answers {
        if answer != code && answer != "und" {
            let of_class = confusions.entry((code, script)).or_default();
            of_class.push((answer, accuracy.texts));
        }
    }
    let line = |class: &Class<'_>| {
        let key = (class.code, class.script);
        let accuracy = accuracies
            .get(&key)
            .filter(|accuracy| accuracy.texts >= MIN_TEXTS);
        let tested = accuracy.map_or_else(
            || "\t".to_owned(),
            |accuracy| format!("{:.3}\t{}", accuracy.share(), accuracy.texts),
        );
        let confused = accuracy.and_then(|_| confusions.get(&key));
        let confused = confused.map_or(&[][..], Vec::as_slice);
        let texts = accuracy.map_or(0, |accuracy| accuracy.texts);
        let relatives = format_relatives(confused, texts, class.nearest);
        format!(
            "{}\t{}\t{}\t{tested}\t{relatives}\n",
            class.code, class.script, class.kinds
        )
    };
    classes.iter().map(line).collect()
}

/// Returns the relatives, separated by blanks: `hrv:0.21 srp:0.04 slv`.
fn format_relatives(confused: &[(&str, u64)], texts: u64, nearest: &str) -> String {
    let mut confused = confused.to_vec();
    confused.sort_by_key(|(_, number)| Reverse(*number));
    let share = |number: u64| number as f64 / texts.max(1) as f64;
    confused.retain(|(_, number)| *number >= MIN_CONFUSED && share(*number) >= MIN_CONFUSED_SHARE);
    let is_confused = |code: &&str| confused.iter().any(|(other, _)| other == code);
    let others = nearest
        .split(' ')
        .filter(|code| !code.is_empty() && !is_confused(code));
    let relatives = confused
        .iter()
        .map(|(code, number)| format!("{code}:{:.2}", share(*number)))
        .chain(others.map(str::to_owned));
    relatives.take(MAX_RELATIVES).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::format_facts;
    use crate::results::{Class, read_results};

    #[test]
    fn relatives_are_those_of_the_results_then_those_of_the_model() {
        let line = |answer: &str, texts: u64| {
            format!("A\tnews\tbos\tLatn\t900\tsentence\t{answer}\t{texts}\n")
        };
        let text = line("bos", 50)
            + &line("srp", 20)
            + &line("hrv", 24)
            + &line("und", 5)
            + &line("ces", 1)
            + "A\tnews\tbos\tLatn\t900\t1\tpol\t100\n\
                       A\tnews\txyz\tLatn\t900\tsentence\tpol\t19\n";
        let class = |code, nearest| Class {
            code,
            script: "Latn",
            sources: "A",
            kinds: "law:45 news",
            nearest,
        };
        let classes = [class("bos", "hrv srp slv"), class("xyz", "bos")];
        assert_eq!(
            format_facts(&classes, &read_results(&text).unwrap()),
            "bos\tLatn\tlaw:45 news\t0.500\t100\thrv:0.24 srp:0.20 slv\n\
             xyz\tLatn\tlaw:45 news\t\t\tbos\n"
        );
    }
}
