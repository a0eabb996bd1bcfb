//! Annotation of records with `keywords` and `keywords_method`.

use crate::args::{Args, Method};
use forage_cli::{Messages, Tool};
use forage_langid::{Identifier, LanguageCode, Scratch};
use forage_record::{BadField, ErrorKind, Keyphrase, KeywordsMethod, LangId, Record, field};
use forage_topic::keyphrases::{Article, KeyphraseExtractor, find_tagger, japanese};
use std::sync::{LazyLock, Once};

/// Identifies the language of records without `langid`. Loaded when the first one comes.
static IDENTIFIER: LazyLock<Identifier> = LazyLock::new(Identifier::builtin);

/// The keyphrases of a document, and how they were found.
type Extraction = (Vec<Keyphrase>, KeywordsMethod);

/// Annotates records, on one thread.
pub(crate) struct Annotator<'a> {
    args: &'a Args,
    messages: &'a Messages,
    extractor: KeyphraseExtractor,
    scratch: Scratch,
}

impl<'a> Annotator<'a> {
    pub(crate) fn new(args: &'a Args, messages: &'a Messages) -> Self {
        Annotator {
            args,
            messages,
            extractor: KeyphraseExtractor::default(),
            scratch: Scratch::default(),
        }
    }

    /// Adds the keyphrases to a record, or an error.
    pub(crate) fn annotate(&mut self, record: &mut Record) {
        if !record.should_add(field::KEYWORDS, self.args.force) {
            return;
        }
        match self.extract(record) {
            Ok(Some((keyphrases, method))) => {
                record.set(field::KEYWORDS, &keyphrases);
                record.set(field::KEYWORDS_METHOD, &method);
            }
            Ok(None) => {}
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
    }

    /// Returns the keyphrases of a record; `None` if it is no document, or the method that the user
    /// requires does not know its language.
    fn extract(&mut self, record: &Record) -> Result<Option<Extraction>, BadField> {
        let Some(text) = record.text()? else {
            return Ok(None);
        };
        let title = record.scalar(field::TITLE);
        let language = self.language(record, &text);
        let has_tagger = self.args.method != Method::Statistical && find_tagger(language).is_some();
        if !has_tagger {
            self.warn_if_dictionary_is_missing(language);
        }
        let method = match self.args.method {
            Method::Auto if has_tagger => KeywordsMethod::NounPhrases,
            Method::NounPhrases if !has_tagger => return Ok(None),
            Method::NounPhrases => KeywordsMethod::NounPhrases,
            Method::Auto | Method::Statistical => KeywordsMethod::Statistical,
        };
        let article = Article {
            title: title.as_deref(),
            text: &text,
        };
        let mut keyphrases = self.extractor.extract(article, language, method);
        keyphrases.truncate(self.args.top.unwrap_or(usize::MAX));
        Ok(Some((keyphrases, method)))
    }

    /// Warns, once per run, that a Japanese document has no noun phrases for lack of a dictionary.
    fn warn_if_dictionary_is_missing(&self, language: LanguageCode) {
        static WARNING: Once = Once::new();
        if self.args.method != Method::Statistical
            && language.as_str() == "jpn"
            && let Err(error) = japanese::tagger()
        {
            WARNING.call_once(|| {
                self.messages
                    .warn(format_args!("Japanese without noun phrases: {error}"));
            });
        }
    }

    /// Returns the language given by the user, else that of the record, else the identified one.
    fn language(&mut self, record: &Record, text: &str) -> LanguageCode {
        if let Some(code) = self.args.language.lang {
            return code;
        }
        // A code of another program may be no code of ours.
        let recorded = LangId::code_of(record).and_then(|code| code.parse().ok());
        recorded.unwrap_or_else(|| IDENTIFIER.identify_with(&mut self.scratch, text).code)
    }
}
