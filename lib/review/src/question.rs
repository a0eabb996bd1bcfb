//! What people are asked about a document: what the run has looked for.

use foldhash::HashMap;
use forage_langid::{Identifier, LanguageCode, language_name};
use forage_record::{Keyphrase, KeywordsMethod, LangId, field};
use forage_run::Event;
use forage_topic::keyphrases::{Article, KeyphraseExtractor};
use std::collections::BTreeMap;

/// The terms in a question about a subject.
const TERMS: usize = 6;
/// The keyphrases of an initial document that are counted.
const KEYPHRASES: usize = 30;
/// The initial documents of a class that are read: a core has 100 to 150.
const INITIAL_DOCUMENTS: u64 = 200;
/// Characters of a longer text that are read.
const TEXT_BYTES: usize = 20_000;
/// The label that a run gives to documents on its subject if the user does not name it.
const UNNAMED: &str = "on-topic";

/// The kind of a class, and the question about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// True if the class is a language.
    pub is_language: bool,
    /// True if it is one of the built-in model of `langid`.
    pub is_known: bool,
    /// The question, such as "Is this Slovenian?".
    pub text: String,
}

/// The questions about the classes of a run.
#[derive(Debug, Default)]
pub struct Questions {
    classes: BTreeMap<String, ClassEvidence>,
    extractor: KeyphraseExtractor,
    identifier: Option<Identifier>,
}

/// What is known of a class.
#[derive(Debug, Default)]
struct ClassEvidence {
    /// True if `langid` has labelled a document with it.
    is_by_langid: bool,
    /// True if a topic filter has.
    is_by_topic: bool,
    initial_documents: u64,
    phrases: HashMap<String, Phrase>,
}

/// A keyphrase of the initial documents.
#[derive(Debug)]
struct Phrase {
    spelling: String,
    documents: u64,
    score: f64,
}

impl Questions {
    /// Notes a retrieved document with its class.
    pub fn add_document(&mut self, event: &Event, class: &str) {
        let record = event.record();
        let has_topic = record.has_own_value(field::TOPIC);
        let langid: Option<LangId> = record.view(field::LANGID).ok().flatten();
        // A damaged `langid` is one all the same.
        let has_langid = record.has_value(field::LANGID);
        let is_language = has_langid && langid.is_none_or(|langid| langid.code == class);
        if !self.classes.contains_key(class) {
            self.classes.insert(class.into(), ClassEvidence::default());
        }
        if let Some(evidence) = self.classes.get_mut(class) {
            evidence.is_by_topic |= has_topic;
            evidence.is_by_langid |= is_language;
        }
    }

    /// Notes an initial document. Those of a language have no terms in a question.
    pub fn add_initial(&mut self, event: &Event) {
        let Some(class) = event.label.as_deref() else {
            return;
        };
        let is_known_language = class
            .parse()
            .is_ok_and(|code| language_name(code).is_some());
        let evidence = self.classes.entry(class.into()).or_default();
        if is_known_language || evidence.initial_documents >= INITIAL_DOCUMENTS {
            return;
        }
        evidence.initial_documents += 1;
        for (key, phrase, score) in keyphrases(event, &mut self.extractor, &mut self.identifier) {
            let entry = evidence.phrases.entry(key).or_insert_with(|| Phrase {
                spelling: phrase.clone(),
                documents: 0,
                score: 0.0,
            });
            // A term has a capital letter at the start of a sentence.
            if phrase.chars().all(|c| !c.is_uppercase()) {
                entry.spelling = phrase;
            }
            entry.documents += 1;
            entry.score += score;
        }
    }

    /// Returns the question about a class.
    pub fn about(&self, class: &str) -> Question {
        let none = ClassEvidence::default();
        let evidence = self.classes.get(class).unwrap_or(&none);
        let code: Option<LanguageCode> = class.parse().ok().filter(|_| !evidence.is_by_topic);
        let name = code.and_then(language_name);
        let is_known = name.is_some();
        let is_language = is_known || (code.is_some() && evidence.is_by_langid);
        let text = if is_language {
            format!(
                "Is this {}?",
                name.unwrap_or_else(|| format!("in the language {class}"))
            )
        } else {
            let terms = evidence.best_terms().join(", ");
            match (class, terms.as_str()) {
                (UNNAMED, "") => "Is it about the subject of the run?".into(),
                (UNNAMED, terms) => format!("Is it about {terms} …?"),
                (_, "") => format!("Is it about {class}?"),
                (_, terms) => format!("Is it about {class} ({terms} …)?"),
            }
        };
        Question {
            is_language,
            is_known,
            text,
        }
    }
}

impl ClassEvidence {
    /// Returns the best phrases of the initial documents; of several documents those that recur, if
    /// some do.
    fn best_terms(&self) -> Vec<&str> {
        let recurring = || self.phrases.values().filter(|phrase| phrase.documents > 1);
        let least = if recurring().count() > 1 { 2 } else { 1 };
        let phrases = self.phrases.iter();
        let mut phrases: Vec<(&String, &Phrase)> = phrases
            .filter(|(_, phrase)| phrase.documents >= least)
            .collect();
        phrases.sort_by(|(key, phrase), (other_key, other)| {
            other
                .score
                .total_cmp(&phrase.score)
                .then(key.cmp(other_key))
        });
        let mut terms: Vec<&str> = Vec::new();
        for (_, Phrase { spelling, .. }) in phrases {
            // Of "survey" and "geological survey", one says enough.
            let is_new = |term: &&str| !term.contains(spelling) && !spelling.contains(*term);
            if terms.len() < TERMS && terms.iter().all(is_new) {
                terms.push(spelling);
            }
        }
        terms
    }
}

/// Returns the best keyphrases of a document, as key, phrase, and score.
fn keyphrases(
    event: &Event,
    extractor: &mut KeyphraseExtractor,
    identifier: &mut Option<Identifier>,
) -> Vec<(String, String, f64)> {
    let (title, text) = (event.title(), event.text());
    let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
    let langid: Option<LangId> = event.record().view(field::LANGID).ok().flatten();
    let code = langid.and_then(|langid| langid.code.parse().ok());
    let code = code.unwrap_or_else(|| {
        let identifier = identifier.get_or_insert_with(Identifier::builtin);
        identifier.identify(text).code
    });
    let article = Article {
        title: title.as_deref(),
        text,
    };
    // By the contrast to general text, in any language.
    let found = extractor.extract(article, code, KeywordsMethod::Statistical);
    let found = found.into_iter().take(KEYPHRASES);
    found
        .map(|Keyphrase { phrase, key, score }| (key, phrase, score))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Questions;
    use forage_record::Record;
    use forage_run::Event;

    fn ask(class: &str, initial: &[&str], documents: &[&str]) -> (bool, String) {
        let mut questions = Questions::default();
        for (json, is_initial) in initial
            .iter()
            .map(|json| (json, true))
            .chain(documents.iter().map(|json| (json, false)))
        {
            let record = Record::parse(json.as_bytes().to_vec()).unwrap();
            let event = Event::from_record(&record);
            match is_initial {
                true => questions.add_initial(&event),
                false => questions.add_document(&event, event.label.as_deref().unwrap()),
            }
        }
        let question = questions.about(class);
        (question.is_language, question.text)
    }

    #[test]
    fn a_language_is_asked_for_by_its_name() {
        let initial = r#"{"text":"Danes je lep dan.","label":"slv"}"#;
        let asked = ask("slv", &[initial], &[]);
        assert_eq!(asked, (true, "Is this Slovenian?".into()));
        let document =
            r#"{"text":"x","label":"qab","langid":{"code":"qab","score":1,"margin":1,"top":[]}}"#;
        let asked = ask("qab", &[], &[document]);
        assert_eq!(asked, (true, "Is this in the language qab?".into()));
        let damaged = r#"{"text":"x","label":"qab","langid":{"code":5}}"#;
        assert_eq!(ask("qab", &[], &[damaged]), asked);
    }

    #[test]
    fn a_subject_is_asked_for_by_the_terms_of_its_initial_documents() {
        let initial = [
            r#"{"text":"The earthquake shook the volcano. Seismic waves of the earthquake.","label":"on-topic"}"#,
            r#"{"text":"An earthquake on the island: seismic stations recorded it.","label":"on-topic"}"#,
        ];
        let (is_language, text) = ask("on-topic", &initial, &[]);
        assert_eq!(
            (is_language, text.as_str()),
            (false, "Is it about earthquake, seismic …?")
        );
        let (_, text) = ask("quakes", &[&initial[0].replace("on-topic", "quakes")], &[]);
        assert!(text.starts_with("Is it about quakes ("), "{text}");
    }

    #[test]
    fn a_subject_that_is_called_like_a_language_is_no_language() {
        // `tea` is the code of Temiar.
        let document = r#"{"text":"x","label":"tea","topic":{"score":1.0}}"#;
        let asked = ask("tea", &[], &[document]);
        assert_eq!(asked, (false, "Is it about tea?".into()));
        let asked = ask("on-topic", &[], &[]);
        assert_eq!(asked, (false, "Is it about the subject of the run?".into()));
    }
}
