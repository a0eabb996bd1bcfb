//! The engines on the web that there are: how a user names them, what they need, and which adapter
//! speaks to them.

use super::address::Base;
use super::{
    Adapter, Remote, brave, description, gdelt, marginalia, mediawiki, mojeek, opensearch,
    quickwit, searxng, solr, yacy,
};
use crate::{Abilities, Engine, Http, Key, KeyVariable};
use url::Url;

/// An engine on the web.
#[derive(Debug)]
pub(crate) struct Online {
    /// Its name in a [`crate::Spec`], before the colon.
    pub kind: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The form of its [`crate::Spec`].
    pub form: &'static str,
    /// What can be set in the query part of its address.
    pub options: &'static str,
    /// Where it lies if the user doesn't say.
    pub home: Home,
    /// Where its key comes from.
    pub key: Option<KeyVariable>,
    /// What it can express.
    pub abilities: Abilities,
    adapter: Make,
}

/// Makes an adapter for an engine at an address, or says what is wrong with that.
type Make = fn(Base, Option<Key>) -> Result<Box<dyn Adapter>, String>;

/// Where an engine lies if the user doesn't say.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Home {
    /// He must say.
    Unknown,
    /// Here.
    At(&'static str),
    /// At an address made of a language's code, as the Wikipedias do.
    OfLanguage(fn(&str) -> String),
}

/// The value of an `Authorization` header, for an engine behind a proxy that asks for one.
const fn authorization(name: &'static str) -> Option<KeyVariable> {
    Some(KeyVariable {
        name,
        is_needed: false,
        holds: "an Authorization header",
    })
}

const fn key(name: &'static str, is_needed: bool) -> Option<KeyVariable> {
    Some(KeyVariable {
        name,
        is_needed,
        holds: "an API key",
    })
}

/// Which fields of an own index hold what.
const FIELDS: &str =
    "url=FIELD, title=FIELD, text=FIELD: where an index keeps these [default: as named]";

/// All engines on the web, those for anybody's machine first.
pub(crate) static ONLINE: [Online; 11] = [
    Online {
        kind: "searxng",
        name: searxng::NAME,
        form: "searxng:URL",
        options: "SearXNG's own, as in ?engines=brave,mojeek&language=sl",
        home: Home::Unknown,
        key: authorization("SEARXNG_AUTHORIZATION"),
        abilities: searxng::ABILITIES,
        adapter: |base, key| Ok(Box::new(searxng::Searxng(base.authorized(key)))),
    },
    Online {
        kind: "mediawiki",
        name: mediawiki::NAME,
        form: "mediawiki:LANG or mediawiki:URL",
        options: "those of API:Search, as in ?srnamespace=0|14",
        home: Home::OfLanguage(|language| format!("https://{language}.wikipedia.org")),
        key: authorization("MEDIAWIKI_AUTHORIZATION"),
        abilities: mediawiki::ABILITIES,
        adapter: |base, key| Ok(Box::new(mediawiki::MediaWiki(base.authorized(key)))),
    },
    Online {
        kind: "brave",
        name: brave::NAME,
        form: "brave: or brave:URL",
        options: "Brave's own, as in brave:?country=SI&search_lang=sl",
        home: Home::At("https://api.search.brave.com"),
        key: key("BRAVE_API_KEY", true),
        abilities: brave::ABILITIES,
        adapter: |base, key| {
            Ok(Box::new(brave::Brave(
                base.with_key("x-subscription-token", key),
            )))
        },
    },
    Online {
        kind: "mojeek",
        name: mojeek::NAME,
        form: "mojeek: or mojeek:URL",
        options: "Mojeek's own, as in mojeek:?lb=SL&lbb=50",
        home: Home::At("https://api.mojeek.com"),
        key: key("MOJEEK_API_KEY", true),
        abilities: mojeek::ABILITIES,
        adapter: |base, key| Ok(Box::new(mojeek::Mojeek { base, key })),
    },
    Online {
        kind: "marginalia",
        name: marginalia::NAME,
        form: "marginalia: or marginalia:URL",
        options: "Marginalia's own, as in marginalia:?dc=2",
        home: Home::At("https://api2.marginalia-search.com"),
        key: key("MARGINALIA_API_KEY", false),
        abilities: marginalia::ABILITIES,
        adapter: |base, key| {
            let key = key.or_else(|| Key::new(marginalia::PUBLIC));
            Ok(Box::new(marginalia::Marginalia(
                base.with_key("api-key", key),
            )))
        },
    },
    Online {
        kind: "opensearch",
        name: opensearch::NAME,
        form: "opensearch:URL/INDEX",
        options: FIELDS,
        home: Home::Unknown,
        key: authorization("OPENSEARCH_AUTHORIZATION"),
        abilities: opensearch::ABILITIES,
        adapter: |base, key| Ok(Box::new(opensearch::OpenSearch::new(base.authorized(key))?)),
    },
    Online {
        kind: "quickwit",
        name: quickwit::NAME,
        form: "quickwit:URL/INDEX",
        options: FIELDS,
        home: Home::Unknown,
        key: authorization("QUICKWIT_AUTHORIZATION"),
        abilities: quickwit::ABILITIES,
        adapter: |base, key| Ok(Box::new(quickwit::Quickwit::new(base.authorized(key))?)),
    },
    Online {
        kind: "solr",
        name: solr::NAME,
        form: "solr:URL/solr/COLLECTION",
        options: "id=FIELD and url=FIELD, title=FIELD, text=FIELD: where it keeps these [default: as named]",
        home: Home::Unknown,
        key: authorization("SOLR_AUTHORIZATION"),
        abilities: solr::ABILITIES,
        adapter: |base, key| Ok(Box::new(solr::Solr::new(base.authorized(key)))),
    },
    Online {
        kind: "yacy",
        name: yacy::NAME,
        form: "yacy:URL",
        options: "YaCy's own, as in ?resource=local&lr=lang_sl",
        home: Home::Unknown,
        key: authorization("YACY_AUTHORIZATION"),
        abilities: yacy::ABILITIES,
        adapter: |base, key| Ok(Box::new(yacy::Yacy(base.authorized(key)))),
    },
    Online {
        kind: "gdelt",
        name: gdelt::NAME,
        form: "gdelt: or gdelt:URL",
        options: "GDELT's own, as in gdelt:?timespan=1w, and sourcelang=slovenian, sourcecountry=SI; 250 hits in one page",
        home: Home::At("https://api.gdeltproject.org"),
        key: None,
        abilities: gdelt::ABILITIES,
        adapter: |base, _| Ok(Box::new(gdelt::Gdelt::new(base))),
    },
    Online {
        kind: "description",
        name: description::NAME,
        form: "description:URL",
        options: "none; URL is an OpenSearch 1.1 description, or a page that links to one; RSS or Atom is asked for",
        home: Home::Unknown,
        key: authorization("DESCRIPTION_AUTHORIZATION"),
        abilities: description::ABILITIES,
        adapter: |base, key| Ok(Box::new(description::Described::new(base.authorized(key)))),
    },
];

impl Online {
    /// Looks at an address as this engine's.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, url: &Url) -> Result<(), String> {
        (self.adapter)(Base::new(url.clone()), None).map(drop)
    }

    /// The engine at `url`, with the key that `keys` has under the name of its variable.
    ///
    /// # Errors
    /// The variable, when there is no key and the engine can't be asked without; or what is wrong
    /// with the address.
    pub fn open(
        &'static self,
        url: Url,
        keys: impl Fn(&str) -> Option<Key>,
        http: Http,
    ) -> Result<Box<dyn Engine>, String> {
        let key = self.key.and_then(|variable| keys(variable.name));
        if let Some(variable) = self
            .key
            .filter(|variable| variable.is_needed && key.is_none())
        {
            return Err(format!(
                "needs {} in the environment variable {}",
                variable.holds, variable.name
            ));
        }
        let adapter = (self.adapter)(Base::new(url), key.clone())?;
        Ok(Box::new(Remote {
            adapter,
            online: self,
            key,
            http,
            caveat: None,
        }))
    }
}
