//! How a user names an engine: `index:DIR`, `searxng:URL`, `brave:`.
//!
//! Before the colon stands its kind; behind it a folder, or the address where the engine lies.
//! Engines that lie in one place for everybody need none, but can be given another (a proxy, an own
//! instance). The address may have a query part with options, and must not have a key in it,
//! because it stands in each record.

use crate::index::{self, Index, IndexError};
use crate::remote::registry::{Home, ONLINE, Online};
use crate::{Abilities, Engine, Http, Key};
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// An engine, named.
#[derive(Debug)]
pub struct Spec {
    given: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Index(PathBuf),
    Online(&'static Online, Url),
}

/// What a user should know of an engine before choosing it.
pub struct EngineInfo {
    /// The form of its [`Spec`].
    pub form: &'static str,
    /// What can be set.
    pub options: &'static str,
    /// The environment variable of its key, with what it holds.
    pub key: String,
    /// What it can express of a query.
    pub abilities: Abilities,
}

/// All engines, the embedded one first.
pub fn engines() -> impl Iterator<Item = EngineInfo> {
    let embedded = EngineInfo {
        form: "index:DIR",
        options: "none; DIR is made by `search --add`; gives the documents' text",
        key: "none".into(),
        abilities: index::ABILITIES,
    };
    std::iter::once(embedded).chain(ONLINE.iter().map(
        |Online {
             form,
             options,
             key,
             abilities,
             ..
         }| EngineInfo {
            form,
            options,
            key: key.map_or("none".into(), |key| {
                format!(
                    "{}: {}{}",
                    key.name,
                    key.holds,
                    if key.is_needed {
                        ""
                    } else {
                        ", if it asks for one"
                    }
                )
            }),
            abilities: *abilities,
        },
    ))
}

/// Why a text names no engine: what was given, without what may be a key, and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("`{given}`{cause}")]
pub struct SpecError {
    given: String,
    cause: String,
}

/// Why an engine can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The embedded index can't be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An engine on the web, by its kind, lacks something.
    #[error("{0}: {1}")]
    Online(&'static str, String),
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(given: &str) -> Result<Self, SpecError> {
        let fail = |cause| SpecError {
            given: without_credentials(given),
            cause,
        };
        let unknown = || {
            let known: Vec<&str> = engines().map(|engine| engine.form).collect();
            fail(format!(" names no engine; known are {}", known.join(", ")))
        };
        let (kind, place) = given.split_once(':').ok_or_else(unknown)?;
        let kind = match (kind, place) {
            ("index", "") => return Err(fail(": a folder must follow, as in index:DIR".into())),
            ("index", folder) => Kind::Index(folder.into()),
            _ => {
                let online = ONLINE
                    .iter()
                    .find(|online| online.kind == kind)
                    .ok_or_else(unknown)?;
                let url = online_at(online, place).map_err(|cause| fail(format!(": {cause}")))?;
                Kind::Online(online, url)
            }
        };
        Ok(Spec {
            given: given.into(),
            kind,
        })
    }
}

/// The address of an engine, from what follows its name.
fn online_at(online: &Online, place: &str) -> Result<Url, String> {
    let text = match online.home {
        Home::At(home) if place.is_empty() || place.starts_with('?') => format!("{home}/{place}"),
        Home::OfLanguage(home) if is_language(place) => home(place),
        _ => place.into(),
    };
    let kind = online.kind;
    let url = Url::parse(&text).map_err(|e| match online.home {
        Home::OfLanguage(_) => {
            let forms = format!("{kind}:sl, or a URL, as in {kind}:https://wiki.example");
            format!("a language's code must follow, as in {forms} ({e})")
        }
        _ => format!("a URL must follow, as in {kind}:http://localhost:8888 ({e})"),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{}: is not http: or https:", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "the address must not have a password, as it stands in each record; {}",
            advice(online)
        ));
    }
    let is_secret = |name: &str| ["key", "api_key", "apikey", "token", "password"].contains(&name);
    if let Some((name, _)) = url
        .query_pairs()
        .find(|(name, _)| is_secret(&name.to_lowercase()))
    {
        return Err(format!(
            "`{name}` must not be in the address, as it stands in each record; {}",
            advice(online)
        ));
    }
    online.check(&url)?;
    Ok(url)
}

fn advice(online: &Online) -> String {
    match online.key {
        Some(key) => format!(
            "put {} into the environment variable {}",
            key.holds, key.name
        ),
        None => "the engine needs no key".into(),
    }
}

/// Whether this is a code as wikis have for languages, such as `sl`, `zh-min-nan`.
fn is_language(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase());
    text.len() >= 2 && text != "localhost" && text.split('-').all(is_part)
}

/// What was given, up to where a secret may begin.
fn without_credentials(given: &str) -> String {
    let at_risk = given.contains('@') || given.contains('?');
    let end = given
        .find("//")
        .filter(|_| at_risk)
        .map_or(given.find('?').unwrap_or(given.len()), |at| at + 2);
    if at_risk {
        format!("{}…", &given[..end])
    } else {
        given.into()
    }
}

impl Spec {
    /// The name as the user gave it.
    pub fn as_str(&self) -> &str {
        &self.given
    }

    /// The folder of the embedded index, if that is what is named.
    pub fn index_folder(&self) -> Option<&PathBuf> {
        match &self.kind {
            Kind::Index(folder) => Some(folder),
            Kind::Online(..) => None,
        }
    }

    /// What the engine can express of a query; nothing is opened or asked.
    pub fn abilities(&self) -> Abilities {
        match &self.kind {
            Kind::Index(_) => index::ABILITIES,
            Kind::Online(online, _) => online.abilities,
        }
    }

    /// One name for one engine, however it was spelt: what its hits are cached under. The embedded
    /// index goes by its absolute path.
    pub fn canonical(&self) -> String {
        match &self.kind {
            Kind::Index(folder) => {
                let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                format!("index:{}", absolute.display())
            }
            Kind::Online(online, url) => format!("{}:{url}", online.kind),
        }
    }

    /// Makes the engine ready; nothing is asked yet. `http` is how engines on the web are asked,
    /// `keys` gives the key under the name of an environment variable.
    ///
    /// # Errors
    /// When the embedded index is missing or is none, or the engine needs a key and there is none.
    pub fn open(
        &self,
        http: Http,
        keys: impl Fn(&str) -> Option<Key>,
    ) -> Result<Box<dyn Engine>, OpenError> {
        match &self.kind {
            Kind::Index(folder) => Ok(Box::new(Index::open(folder)?)),
            Kind::Online(online, url) => online
                .open(url.clone(), keys, http)
                .map_err(|cause| OpenError::Online(online.kind, cause)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Spec, engines};
    use crate::{Http, Key};

    fn error(given: &str) -> String {
        given.parse::<Spec>().unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_engine_is_answered_with_those_that_are_known() {
        for given in ["nonsense:", "index", "nonsense:http://x.test"] {
            let error = error(given);
            assert!(
                error.starts_with(&format!(
                    "`{given}` names no engine; known are index:DIR, searxng:URL, "
                )),
                "{error}"
            );
        }
    }

    #[test]
    fn an_engine_without_its_place_is_told_what_is_missing() {
        assert_eq!(
            error("index:"),
            "`index:`: a folder must follow, as in index:DIR"
        );
        assert!(
            error("mediawiki:")
                .contains("a language's code must follow, as in mediawiki:sl, or a URL")
        );
        assert!(error("searxng:localhost").contains("a URL must follow"));
        assert_eq!(
            error("searxng:ftp://a.test/"),
            "`searxng:ftp://a.test/`: ftp: is not http: or https:"
        );
        assert!(error("opensearch:http://a.test/").contains("an index must follow"));
        assert!(error("quickwit:http://a.test").contains("an index must follow"));
    }

    #[test]
    fn an_address_with_a_secret_is_refused_without_repeating_it() {
        for given in [
            "solr:http://u:s3cret@a.test/solr/x",
            "mojeek:?api_key=s3cret",
            "brave:http://a.test/?Token=s3cret",
        ] {
            let error = error(given);
            assert!(
                error.contains("environment variable") && !error.contains("s3cret"),
                "{error}"
            );
            let misspelt = format!("x{given}").parse::<Spec>().unwrap_err().to_string();
            assert!(!misspelt.contains("s3cret"), "{misspelt}");
        }
    }

    #[test]
    fn one_engine_spelt_in_two_ways_has_one_canonical_name() {
        let canonical = |given: &str| given.parse::<Spec>().unwrap().canonical();
        assert_eq!(
            canonical("searxng:HTTP://Localhost:80"),
            canonical("searxng:http://localhost/")
        );
        assert_eq!(canonical("index:."), canonical("index:./."));
        assert_eq!(
            canonical("brave:?country=SI"),
            "brave:https://api.search.brave.com/?country=SI"
        );
        assert_eq!(
            canonical("mediawiki:zh-min-nan"),
            canonical("mediawiki:https://zh-min-nan.wikipedia.org/")
        );
    }

    #[test]
    fn a_key_that_is_needed_is_asked_for_by_its_variable() {
        let open = |given: &str, key: Option<&'static str>| {
            let http: Http = Box::new(|_| Err("not asked".into()));
            given
                .parse::<Spec>()
                .unwrap()
                .open(http, move |_| Key::new(key?))
                .map(drop)
                .map_err(|e| e.to_string())
        };
        let needed = "brave: needs an API key in the environment variable BRAVE_API_KEY";
        assert_eq!(open("brave:http://a.test/", None), Err(needed.into()));
        assert_eq!(open("brave:", Some("x")), Ok(()));
        assert_eq!(open("marginalia:", None), Ok(()));
    }

    #[test]
    fn every_engine_is_listed_once_by_the_name_that_it_is_given() {
        let forms: Vec<&str> = engines().map(|engine| engine.form).collect();
        assert_eq!((forms.len(), forms[0]), (12, "index:DIR"));
        for form in &forms[1..] {
            let kind = form.split(':').next().unwrap();
            assert!(
                !error(&format!("{kind}:ftp://x")).contains("names no engine"),
                "{form}"
            );
        }
    }
}
