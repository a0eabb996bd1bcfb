//! How a user names an engine: `index:DIR`, `searxng:URL`.

use crate::index::{Index, IndexError};
use crate::searxng::Searxng;
use crate::{Engine, Http};
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// An engine, named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    given: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Index(PathBuf),
    Searxng(Url),
}

/// What a user should know of an engine before choosing it.
#[derive(Debug, Clone, Copy)]
pub struct EngineInfo {
    /// The form of its [`Spec`].
    pub form: &'static str,
    /// What can be set.
    pub options: &'static str,
    /// The environment variable of its key.
    pub key: &'static str,
    /// What it can express of a query.
    pub expresses: &'static str,
}

/// All engines.
pub const ENGINES: [EngineInfo; 2] = [
    EngineInfo {
        form: "index:DIR",
        options: "none; DIR is made by `search --add`",
        key: "none",
        expresses: "required and excluded terms and phrases, exactly; exclusion alone; pages like one that it has; \
                    gives the documents' text",
    },
    EngineInfo {
        form: "searxng:URL",
        options: "any of SearXNG's own, as in searxng:http://localhost:8888?engines=brave,mojeek&language=sl",
        key: "none",
        expresses: "required terms and phrases; excluded ones as far as the engines behind it honour `-term`, hits are \
                    looked at once more; needs an inclusion term; no pages like one; pages as long as it likes",
    },
];

/// Why a text names no engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No engine of that name.
    #[error("`{given}` names no engine; known are {}", known())]
    Unknown {
        /// What was given.
        given: String,
    },
    /// The engine is known, what follows its name is not.
    #[error("`{given}`: {cause}")]
    Malformed {
        /// What was given.
        given: String,
        /// What is wrong with it.
        cause: String,
    },
}

fn known() -> String {
    ENGINES.map(|engine| engine.form).join(", ")
}

/// Why an engine can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The embedded index can't be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(given: &str) -> Result<Self, SpecError> {
        let malformed = |cause: String| SpecError::Malformed { given: given.into(), cause };
        let kind = match given.split_once(':') {
            Some(("index", "")) => return Err(malformed("a folder must follow, as in index:DIR".into())),
            Some(("index", folder)) => Kind::Index(folder.into()),
            Some(("searxng", url)) => Kind::Searxng(web_address(url).map_err(malformed)?),
            _ => return Err(SpecError::Unknown { given: given.into() }),
        };
        Ok(Spec { given: given.into(), kind })
    }
}

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|e| format!("a URL must follow, as in searxng:http://localhost:8888 ({e})"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        scheme => Err(format!("{scheme}: is not http: or https:")),
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
            Kind::Searxng(_) => None,
        }
    }

    /// One name for one engine, however it was spelt: what its hits are cached under. The embedded index goes by its
    /// absolute path.
    pub fn canonical(&self) -> String {
        match &self.kind {
            Kind::Index(folder) => {
                let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                format!("index:{}", absolute.display())
            }
            Kind::Searxng(url) => format!("searxng:{url}"),
        }
    }

    /// Makes the engine ready; nothing is asked yet. `http` is how engines on the web are asked.
    ///
    /// # Errors
    /// When the embedded index is missing or is none.
    pub fn open(&self, http: Http) -> Result<Box<dyn Engine>, OpenError> {
        Ok(match &self.kind {
            Kind::Index(folder) => Box::new(Index::open(folder)?),
            Kind::Searxng(base) => Box::new(Searxng::new(base.clone(), http)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Spec;

    fn error(given: &str) -> String {
        given.parse::<Spec>().unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_engine_is_answered_with_those_that_are_known() {
        assert_eq!(error("nonsense:"), "`nonsense:` names no engine; known are index:DIR, searxng:URL");
        assert_eq!(error("index"), "`index` names no engine; known are index:DIR, searxng:URL");
    }

    #[test]
    fn an_engine_without_its_place_is_told_what_is_missing() {
        assert_eq!(error("index:"), "`index:`: a folder must follow, as in index:DIR");
        assert!(error("searxng:localhost").contains("a URL must follow"));
        assert_eq!(error("searxng:ftp://a.test/"), "`searxng:ftp://a.test/`: ftp: is not http: or https:");
    }

    #[test]
    fn one_engine_spelt_in_two_ways_has_one_canonical_name() {
        let canonical = |given: &str| given.parse::<Spec>().unwrap().canonical();
        assert_eq!(canonical("searxng:HTTP://Localhost:80"), canonical("searxng:http://localhost/"));
        assert_eq!(canonical("index:."), canonical("index:./."));
    }
}
