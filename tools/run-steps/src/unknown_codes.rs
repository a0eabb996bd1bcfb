//! Codes of languages that langid does not know: new languages, or misspelt codes of known ones.
//!
//! langid cannot tell them apart by its confidence, as it takes a new language for its closest
//! relative: of documents in Hassaniya, Silesian or Irish that it had not learned, it labelled 80 %
//! and more as Arabic, Polish or Scottish Gaelic with a score of 0.9. So confidence is a reason for
//! a warning only; with a code that differs in one letter, as `slx` from slv, it is one to refuse.

use crate::files::parse_record;
use crate::initial::Init;
use crate::run::Run;
use crate::tools::{self, Line};
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// The score from which langid is confident.
const CONFIDENT: f64 = 0.9;

/// Compares the initial documents of classes that langid does not know with its labels, before a
/// profile of such a class is used. `langid` is the command without profiles of the run.
///
/// # Errors
/// Fails if most documents of a class are labelled as a known language whose code is nearly the
/// same, unless `--force` is given.
pub fn check_unknown(run: &Run, inits: &[Init], unknown: &[String], langid: &Line) -> Result<()> {
    let mut is_wrong = false;
    for (init, copy) in inits.iter().zip(run.settings.list("init")) {
        if !unknown.contains(&init.class) {
            continue;
        }
        let file = copy.split_once('=').map_or("", |(_, file)| file);
        let mut command = langid.clone();
        command.extend(["--quiet".into(), "--force".into(), run.file(file)]);
        let Some(label) = Labelled::of_records(&tools::output(&command)?) else {
            continue;
        };
        let Labelled {
            code,
            documents,
            of,
            score,
        } = &label;
        let class = &init.class;
        let documents = match of {
            1 => "the document".to_owned(),
            _ => format!("{documents} of {of} documents"),
        };
        let found = format!(
            "--init {}: langid does not know {class}, and takes {documents} for {code} (score {score:.2})",
            init.given
        );
        if is_near(class, code) {
            is_wrong = true;
            run.console.say(format_args!("{found}; is {code} meant?"));
        } else {
            run.console.say(format_args!(
                "{found}; that is right for a language like {code}, and wrong if {code} is meant"
            ));
        }
    }
    if is_wrong && !run.line.has("force") {
        bail!("correct the code, or, if it is that of another language, use --force");
    }
    Ok(())
}

/// The language that most of some documents are confidently labelled as.
#[derive(Debug, PartialEq)]
struct Labelled {
    code: String,
    documents: usize,
    of: usize,
    /// The mean score.
    score: f64,
}

impl Labelled {
    fn of_records(records: &str) -> Option<Labelled> {
        let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut of = 0;
        for record in records.lines().map(parse_record) {
            of += 1;
            let (code, score) = (&record["langid"]["code"], &record["langid"]["score"]);
            let (Some(code), Some(score)) = (code.as_str(), score.as_f64()) else {
                continue;
            };
            if score >= CONFIDENT && code != "und" {
                scores.entry(code.to_owned()).or_default().push(score);
            }
        }
        let (code, scores) = scores.into_iter().max_by_key(|(_, scores)| scores.len())?;
        let documents = scores.len();
        (documents * 2 > of).then(|| Labelled {
            code,
            documents,
            of,
            score: scores.iter().sum::<f64>() / documents as f64,
        })
    }
}

/// Returns `true` if two codes of the same length differ in one letter, or in the order of their
/// letters.
fn is_near(one: &str, other: &str) -> bool {
    let sorted = |code: &str| {
        let mut letters: Vec<char> = code.chars().collect();
        letters.sort_unstable();
        letters
    };
    let differing = one
        .chars()
        .zip(other.chars())
        .filter(|(a, b)| a != b)
        .count();
    one.len() == other.len() && (differing <= 1 || sorted(one) == sorted(other))
}

#[cfg(test)]
mod tests {
    use super::{Labelled, is_near};

    #[test]
    fn a_slip_of_the_finger_is_near() {
        for (one, other) in [
            ("slx", "slv"),
            ("egn", "eng"),
            ("vsl", "slv"),
            ("zvl", "svl"),
        ] {
            assert!(is_near(one, other), "{one}");
        }
        for (one, other) in [
            ("mey", "ara"),
            ("szl", "pol"),
            ("orv", "chu"),
            ("qaa", "slv"),
            ("sl", "slv"),
        ] {
            assert!(!is_near(one, other), "{one}");
        }
    }

    #[test]
    fn most_documents_decide() {
        let records = |labels: &[(&str, f64)]| -> String {
            let record = |(code, score): &(&str, f64)| {
                format!("{{\"langid\":{{\"code\":\"{code}\",\"score\":{score}}}}}\n")
            };
            labels.iter().map(record).collect()
        };
        let labelled = Labelled::of_records(&records(&[("slv", 0.9), ("hrv", 1.0), ("slv", 1.0)]));
        let labelled = labelled.unwrap();
        assert_eq!(
            (&*labelled.code, labelled.documents, labelled.of),
            ("slv", 2, 3)
        );
        for labels in [
            &[("slv", 0.8)][..],
            &[("slv", 1.0), ("und", 0.0)],
            &[("und", 1.0)],
            &[],
        ] {
            assert_eq!(Labelled::of_records(&records(labels)), None);
        }
    }
}
