//! The engines on the web: their prefixes, keys and options, and their adapters.

mod brave;
mod description;
mod feed;
mod gdelt;
mod marginalia;
mod mediawiki;
mod mojeek;
mod opensearch;
mod quickwit;
mod searxng;
mod sitemap;
mod solr;
mod yacy;

use crate::api_key::{KeyPlace, KeyVariable};
use crate::web::entry::{DefaultAddress, WebEngineEntry};

/// Returns the variable of an `Authorization` header, for an engine behind a proxy that requires
/// one.
const fn authorization_variable(name: &'static str) -> Option<KeyVariable> {
    Some(KeyVariable {
        name,
        is_required: false,
        content: "an Authorization header",
        place: KeyPlace::Header("authorization"),
    })
}

const fn api_key_variable(
    name: &'static str,
    is_required: bool,
    place: KeyPlace,
) -> Option<KeyVariable> {
    Some(KeyVariable {
        name,
        is_required,
        content: "an API key",
        place,
    })
}

/// Options of an index of the user's own.
const FIELD_OPTIONS: &str = "url=FIELD, title=FIELD, text=FIELD: fields of the index \
                             [default: url, title, text]";

/// All engines on the web, in the order in which users see them.
pub(crate) static WEB_ENGINES: [WebEngineEntry; 13] = [
    WebEngineEntry {
        prefix: "searxng",
        display_name: searxng::NAME,
        spec_form: "searxng:URL",
        options: "those of SearXNG, as in ?engines=brave,mojeek&language=sl",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("SEARXNG_AUTHORIZATION"),
        capabilities: searxng::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(searxng::SearxngAdapter(address))),
    },
    WebEngineEntry {
        prefix: "mediawiki",
        display_name: mediawiki::NAME,
        spec_form: "mediawiki:LANG or mediawiki:URL",
        options: "those of API:Search, as in ?srnamespace=0|14",
        default_address: DefaultAddress::ByLanguage(|language| {
            format!("https://{language}.wikipedia.org")
        }),
        key_variable: authorization_variable("MEDIAWIKI_AUTHORIZATION"),
        capabilities: mediawiki::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(mediawiki::MediaWikiAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "brave",
        display_name: brave::NAME,
        spec_form: "brave: or brave:URL",
        options: "those of Brave, as in brave:?country=SI&search_lang=sl",
        default_address: DefaultAddress::Fixed("https://api.search.brave.com"),
        key_variable: api_key_variable(
            "BRAVE_API_KEY",
            true,
            KeyPlace::Header("x-subscription-token"),
        ),
        capabilities: brave::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(brave::BraveAdapter(address))),
    },
    WebEngineEntry {
        prefix: "mojeek",
        display_name: mojeek::NAME,
        spec_form: "mojeek: or mojeek:URL",
        options: "those of Mojeek, as in mojeek:?lb=SL&lbb=50",
        default_address: DefaultAddress::Fixed("https://api.mojeek.com"),
        key_variable: api_key_variable("MOJEEK_API_KEY", true, KeyPlace::Parameter("api_key")),
        capabilities: mojeek::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(mojeek::MojeekAdapter(address))),
    },
    WebEngineEntry {
        prefix: "marginalia",
        display_name: marginalia::NAME,
        spec_form: "marginalia: or marginalia:URL",
        options: "those of Marginalia, as in marginalia:?dc=2",
        default_address: DefaultAddress::Fixed("https://api2.marginalia-search.com"),
        key_variable: api_key_variable("MARGINALIA_API_KEY", false, marginalia::KEY_PLACE),
        capabilities: marginalia::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(marginalia::MarginaliaAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "opensearch",
        display_name: opensearch::NAME,
        spec_form: "opensearch:URL/INDEX",
        options: FIELD_OPTIONS,
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("OPENSEARCH_AUTHORIZATION"),
        capabilities: opensearch::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(opensearch::OpenSearchAdapter::new(address)?)),
    },
    WebEngineEntry {
        prefix: "quickwit",
        display_name: quickwit::NAME,
        spec_form: "quickwit:URL/INDEX",
        options: FIELD_OPTIONS,
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("QUICKWIT_AUTHORIZATION"),
        capabilities: quickwit::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(quickwit::QuickwitAdapter::new(address)?)),
    },
    WebEngineEntry {
        prefix: "solr",
        display_name: solr::NAME,
        spec_form: "solr:URL/solr/COLLECTION",
        options: "id=FIELD, url=FIELD, title=FIELD, text=FIELD: fields of the index \
                  [default: id, url, title, text]",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("SOLR_AUTHORIZATION"),
        capabilities: solr::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(solr::SolrAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "yacy",
        display_name: yacy::NAME,
        spec_form: "yacy:URL",
        options: "those of YaCy, as in ?resource=local&lr=lang_sl",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("YACY_AUTHORIZATION"),
        capabilities: yacy::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(yacy::YacyAdapter(address))),
    },
    WebEngineEntry {
        prefix: "gdelt",
        display_name: gdelt::NAME,
        spec_form: "gdelt: or gdelt:URL",
        options: "those of GDELT, as in gdelt:?timespan=1w, and sourcelang=slovenian, \
                  sourcecountry=SI; one page of 250 hits",
        default_address: DefaultAddress::Fixed("https://api.gdeltproject.org"),
        key_variable: None,
        capabilities: gdelt::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(gdelt::GdeltAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "description",
        display_name: description::NAME,
        spec_form: "description:URL",
        options: "none; URL is an OpenSearch 1.1 description with results as RSS or Atom, or a \
                  page that links to one",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("DESCRIPTION_AUTHORIZATION"),
        capabilities: description::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(description::DescriptionAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "feed",
        display_name: feed::NAME,
        spec_form: "feed:URL",
        options: "none; URL is a feed in RSS, Atom or JSON Feed, or a page that links to some; \
                  each is requested once for all queries",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("FEED_AUTHORIZATION"),
        capabilities: feed::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(feed::FeedAdapter::new(address))),
    },
    WebEngineEntry {
        prefix: "sitemap",
        display_name: sitemap::NAME,
        spec_form: "sitemap:URL",
        options: "none; URL is a sitemap, an index of sitemaps, or a site whose robots.txt names \
                  them; each file is requested once for all queries, when its hits are due",
        default_address: DefaultAddress::None,
        key_variable: authorization_variable("SITEMAP_AUTHORIZATION"),
        capabilities: sitemap::CAPABILITIES,
        new_adapter: |address| Ok(Box::new(sitemap::SitemapAdapter(address))),
    },
];
