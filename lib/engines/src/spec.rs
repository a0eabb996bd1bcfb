//! The name by which a user selects an engine: `index:DIR`, `searxng:URL`, `brave:`.
//!
//! The part before the colon is the engine's prefix. A folder follows, or the address of the
//! engine. An engine with a well-known address needs none, but accepts another (a proxy, an own
//! instance). The query part of the address holds options of the engine. The address must not
//! contain a key, because it is written to each record.

use crate::index::{self, EmbeddedIndex, EmbeddedIndexError};
use crate::web::WEB_ENGINES;
use crate::web::entry::{DefaultAddress, WebEngineEntry};
use crate::{ApiKey, Engine, EngineCapabilities, HttpClient};
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// A parsed name of an engine.
#[derive(Debug)]
pub struct EngineSpec {
    text: String,
    location: EngineLocation,
}

#[derive(Debug)]
enum EngineLocation {
    Index(PathBuf),
    Web(&'static WebEngineEntry, Url),
}

/// Description of an engine for users.
pub struct EngineInfo {
    /// Form of its [`EngineSpec`].
    pub spec_form: &'static str,
    /// Options that can be set.
    pub options: &'static str,
    /// Environment variable of its key, and what that holds.
    pub key: String,
    /// Supported parts of a query, and limits.
    pub capabilities: EngineCapabilities,
}

/// Returns all engines, the embedded index first.
pub fn engines() -> impl Iterator<Item = EngineInfo> {
    let embedded_index = EngineInfo {
        spec_form: "index:DIR",
        options: "none; DIR is created by `search --add`; returns the text of documents",
        key: "none".into(),
        capabilities: index::CAPABILITIES,
    };
    std::iter::once(embedded_index).chain(WEB_ENGINES.iter().map(web_engine_info))
}

fn web_engine_info(entry: &WebEngineEntry) -> EngineInfo {
    let key = match entry.key_variable {
        Some(variable) if variable.is_required => {
            format!("{}: {}", variable.name, variable.content)
        }
        Some(variable) => format!("{}: {}, if required", variable.name, variable.content),
        None => "none".into(),
    };
    EngineInfo {
        spec_form: entry.spec_form,
        options: entry.options,
        key,
        capabilities: entry.capabilities,
    }
}

/// The reason why a text is not an [`EngineSpec`]. It contains the text without what may be a key.
#[derive(Debug, thiserror::Error)]
#[error("`{redacted_text}`{cause}")]
pub struct EngineSpecError {
    redacted_text: String,
    cause: String,
}

/// The reason why an engine cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenEngineError {
    /// The embedded index cannot be opened.
    #[error(transparent)]
    Index(#[from] EmbeddedIndexError),
    /// An engine on the web, named by its prefix, lacks something.
    #[error("{0}: {1}")]
    Web(&'static str, String),
}

impl FromStr for EngineSpec {
    type Err = EngineSpecError;

    fn from_str(text: &str) -> Result<Self, EngineSpecError> {
        let error = |cause| EngineSpecError {
            redacted_text: redact_address(text),
            cause,
        };
        let unknown = || {
            let forms: Vec<&str> = engines().map(|engine| engine.spec_form).collect();
            let hint = match cfg!(feature = "adapters") {
                true => "",
                false => "; `make` builds also those on the web",
            };
            error(format!(
                " is not an engine; engines are {}{hint}",
                forms.join(", ")
            ))
        };
        let (prefix, rest) = text.split_once(':').ok_or_else(unknown)?;
        let location = match (prefix, rest) {
            ("index", "") => return Err(error(": needs a folder, as in index:DIR".into())),
            ("index", folder) => EngineLocation::Index(folder.into()),
            _ => {
                let entry = WEB_ENGINES
                    .iter()
                    .find(|entry| entry.prefix == prefix)
                    .ok_or_else(unknown)?;
                let url =
                    parse_address(entry, rest).map_err(|cause| error(format!(": {cause}")))?;
                EngineLocation::Web(entry, url)
            }
        };
        Ok(EngineSpec {
            text: text.into(),
            location,
        })
    }
}

/// Parses the address of an engine on the web, which is the text after its prefix.
fn parse_address(entry: &WebEngineEntry, text: &str) -> Result<Url, String> {
    let address = match entry.default_address {
        DefaultAddress::Fixed(address) if text.is_empty() || text.starts_with('?') => {
            format!("{address}/{text}")
        }
        DefaultAddress::ByLanguage(address_of) if is_language_code(text) => address_of(text),
        _ => text.into(),
    };
    let prefix = entry.prefix;
    let url = Url::parse(&address).map_err(|e| match entry.default_address {
        DefaultAddress::ByLanguage(_) => format!(
            "needs a language code or a URL, as in {prefix}:sl or {prefix}:https://wiki.example \
             ({e})"
        ),
        _ => format!("needs a URL, as in {prefix}:http://localhost:8888 ({e})"),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "unsupported scheme {}:; use http: or https:",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "the address must not have a password, as it is written to each record; {}",
            key_advice(entry)
        ));
    }
    if let Some((name, _)) = url
        .query_pairs()
        .find(|(name, _)| is_secret_parameter(name))
    {
        return Err(format!(
            "the address must not have `{name}`, as it is written to each record; {}",
            key_advice(entry)
        ));
    }
    entry.check_address(&url)?;
    Ok(url)
}

fn is_secret_parameter(name: &str) -> bool {
    let name = name.to_lowercase();
    ["key", "api_key", "apikey", "token", "password"].contains(&name.as_str())
}

fn key_advice(entry: &WebEngineEntry) -> String {
    match entry.key_variable {
        Some(variable) => format!(
            "put {} into the environment variable {}",
            variable.content, variable.name
        ),
        None => "the engine needs no key".into(),
    }
}

/// Returns `true` for a language code as wikis use it, such as `sl` or `zh-min-nan`.
fn is_language_code(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase());
    text.len() >= 2 && text != "localhost" && text.split('-').all(is_part)
}

/// Returns the text of a spec up to the first place where a secret may begin.
fn redact_address(text: &str) -> String {
    let may_have_secret = text.contains('@') || text.contains('?');
    if !may_have_secret {
        return text.into();
    }
    let end = text.find("//").map_or_else(
        || text.find('?').unwrap_or(text.len()),
        |index| index + "//".len(),
    );
    format!("{}…", &text[..end])
}

impl EngineSpec {
    /// Returns the spec as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the folder of the embedded index; `None` for an engine on the web.
    pub fn index_folder(&self) -> Option<&PathBuf> {
        match &self.location {
            EngineLocation::Index(folder) => Some(folder),
            EngineLocation::Web(..) => None,
        }
    }

    /// Returns the kinds of query that the engine supports, and its limits. Opens and requests
    /// nothing.
    pub fn capabilities(&self) -> EngineCapabilities {
        match &self.location {
            EngineLocation::Index(_) => index::CAPABILITIES,
            EngineLocation::Web(entry, _) => entry.capabilities,
        }
    }

    /// Returns the name under which the engine's hits are cached: the same for all spellings of a
    /// spec. The embedded index is named by its absolute path.
    pub fn canonical_name(&self) -> String {
        match &self.location {
            EngineLocation::Index(folder) => {
                let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                format!("index:{}", absolute.display())
            }
            EngineLocation::Web(entry, url) => format!("{}:{url}", entry.prefix),
        }
    }

    /// Returns the server that is called: scheme, host and port, the same for all engines on it.
    /// The embedded index has its canonical name.
    pub fn server_name(&self) -> String {
        match &self.location {
            EngineLocation::Index(_) => self.canonical_name(),
            EngineLocation::Web(_, url) => url.origin().ascii_serialization(),
        }
    }

    /// Opens the engine. Sends no request.
    ///
    /// `http` is the client for engines on the web. `find_key` returns the key in the environment
    /// variable with the given name.
    ///
    /// # Errors
    /// Fails if the embedded index is missing or cannot be read, or if the engine requires a key
    /// and there is none.
    pub fn open(
        &self,
        http: HttpClient,
        find_key: impl Fn(&str) -> Option<ApiKey>,
    ) -> Result<Box<dyn Engine>, OpenEngineError> {
        match &self.location {
            EngineLocation::Index(folder) => Ok(Box::new(EmbeddedIndex::open(folder)?)),
            EngineLocation::Web(entry, url) => entry
                .open(url.clone(), find_key, http)
                .map_err(|cause| OpenEngineError::Web(entry.prefix, cause)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineSpec, engines};
    use crate::{ApiKey, HttpClient, MEANINGS};

    fn error(spec: &str) -> String {
        spec.parse::<EngineSpec>().unwrap_err().to_string()
    }

    #[test]
    fn error_for_an_unknown_engine_lists_the_engines() {
        for spec in ["nonsense:", "index", "nonsense:http://x.test"] {
            let error = error(spec);
            assert!(
                error.starts_with(&format!(
                    "`{spec}` is not an engine; engines are index:DIR, searxng:URL, "
                )),
                "{error}"
            );
        }
    }

    #[test]
    fn error_for_a_missing_address_shows_the_expected_form() {
        assert_eq!(error("index:"), "`index:`: needs a folder, as in index:DIR");
        assert!(
            error("mediawiki:")
                .contains("needs a language code or a URL, as in mediawiki:sl or mediawiki:https:")
        );
        assert!(error("searxng:localhost").contains("needs a URL"));
        assert_eq!(
            error("searxng:ftp://a.test/"),
            "`searxng:ftp://a.test/`: unsupported scheme ftp:; use http: or https:"
        );
        assert!(error("opensearch:http://a.test/").contains("must end with an index"));
        assert!(error("quickwit:http://a.test").contains("must end with an index"));
    }

    #[test]
    fn refuses_an_address_with_a_secret_without_showing_the_secret() {
        for spec in [
            "solr:http://u:s3cret@a.test/solr/x",
            "mojeek:?api_key=s3cret",
            "brave:http://a.test/?Token=s3cret",
        ] {
            let error = error(spec);
            assert!(
                error.contains("environment variable") && !error.contains("s3cret"),
                "{error}"
            );
            let unknown = format!("x{spec}")
                .parse::<EngineSpec>()
                .unwrap_err()
                .to_string();
            assert!(!unknown.contains("s3cret"), "{unknown}");
        }
    }

    #[test]
    fn all_spellings_of_a_spec_have_one_canonical_name() {
        let canonical = |spec: &str| spec.parse::<EngineSpec>().unwrap().canonical_name();
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
    fn engines_on_one_server_share_its_name() {
        let server = |spec: &str| spec.parse::<EngineSpec>().unwrap().server_name();
        assert_eq!(
            server("searxng:HTTP://Localhost:80/x?language=sl"),
            server("feed:http://localhost/rss")
        );
        assert_ne!(server("mediawiki:sl"), server("mediawiki:en"));
    }

    #[test]
    fn engines_are_paced_unless_they_are_an_index_of_the_user() {
        for engine in engines() {
            let prefix = engine.spec_form.split(':').next().unwrap();
            let is_own = ["index", "opensearch", "quickwit", "solr"].contains(&prefix);
            let interval = engine.capabilities.call_interval;
            assert_eq!(interval.as_secs() == 0, is_own, "{prefix}: {interval:?}");
        }
    }

    #[test]
    fn the_guide_has_the_meanings_that_are_declared() {
        let mut declared = vec![format!("|{MEANINGS}|"), "|---".repeat(10) + "|"];
        for engine in engines() {
            for row in engine.capabilities.meanings {
                assert_eq!(row.split('|').count(), 10, "{row}");
                let row = format!("|{row}|");
                if !declared.contains(&row) {
                    declared.push(row);
                }
            }
        }
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/guide/living-web.md"
        );
        let guide = std::fs::read_to_string(path).unwrap();
        let table = guide
            .lines()
            .skip_while(|line| !line.starts_with("|server|"));
        let table: Vec<&str> = table.take_while(|line| !line.is_empty()).collect();
        assert_eq!(table, declared);
    }

    #[test]
    fn error_for_a_missing_key_names_its_variable() {
        let open = |spec: &str, key: Option<&'static str>| {
            let http: HttpClient = Box::new(|_| Err("no request expected".into()));
            spec.parse::<EngineSpec>()
                .unwrap()
                .open(http, move |_| ApiKey::new(key?))
                .map(drop)
                .map_err(|e| e.to_string())
        };
        let missing_key = "brave: needs an API key in the environment variable BRAVE_API_KEY";
        assert_eq!(open("brave:http://a.test/", None), Err(missing_key.into()));
        assert_eq!(open("brave:", Some("x")), Ok(()));
        assert_eq!(open("marginalia:", None), Ok(()));
    }

    #[test]
    fn lists_each_engine_under_its_prefix() {
        let forms: Vec<&str> = engines().map(|engine| engine.spec_form).collect();
        assert_eq!((forms.len(), forms[0]), (14, "index:DIR"));
        for form in &forms[1..] {
            let prefix = form.split(':').next().unwrap();
            assert!(
                !error(&format!("{prefix}:ftp://x")).contains("is not an engine"),
                "{form}"
            );
        }
    }
}
