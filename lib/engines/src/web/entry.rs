//! What is known of an engine on the web before it is opened.

use crate::api_key::{ApiKey, KeyVariable};
use crate::web::address::EngineAddress;
use crate::web::{EngineAdapter, WebEngine};
use crate::{Engine, EngineCapabilities, HttpClient};
use url::Url;

/// Entry of an engine on the web in the registry.
#[derive(Debug)]
pub(crate) struct WebEngineEntry {
    /// Prefix of its `EngineSpec`, before the colon.
    pub prefix: &'static str,
    /// Name of the engine in messages.
    pub display_name: &'static str,
    /// Form of its `EngineSpec`.
    pub spec_form: &'static str,
    /// Options that can be set in the query part of its address, for users.
    pub options: &'static str,
    /// Address if the user gives none.
    pub default_address: DefaultAddress,
    /// Environment variable of its key; `None` if the engine takes no key.
    pub key_variable: Option<KeyVariable>,
    /// Supported parts of a query, and limits.
    pub capabilities: EngineCapabilities,
    /// Creates its adapter.
    pub new_adapter: NewAdapter,
}

/// Creates the adapter of an engine at an address, or returns what is wrong with the address.
type NewAdapter = fn(EngineAddress) -> Result<Box<dyn EngineAdapter>, String>;

/// Address of an engine if the user gives none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DefaultAddress {
    /// None: the user must give an address.
    None,
    /// A fixed address.
    Fixed(&'static str),
    /// An address derived from a language code, as for Wikipedias.
    ByLanguage(fn(&str) -> String),
}

impl WebEngineEntry {
    /// Checks an address for this engine.
    ///
    /// # Errors
    /// Fails if the adapter rejects the address. The error is the reason.
    pub fn check_address(&self, url: &Url) -> Result<(), String> {
        (self.new_adapter)(EngineAddress::new(url.clone())).map(drop)
    }

    /// Opens the engine at `url`. `find_key` returns the key in the environment variable with the
    /// given name.
    ///
    /// # Errors
    /// Fails if the engine requires a key and there is none, or if the adapter rejects the address.
    pub fn open(
        &'static self,
        url: Url,
        find_key: impl Fn(&str) -> Option<ApiKey>,
        http: HttpClient,
    ) -> Result<Box<dyn Engine>, String> {
        let mut address = EngineAddress::new(url);
        if let Some(variable) = self.key_variable {
            address.key = find_key(variable.name).map(|key| (variable.place, key));
            if variable.is_required && address.key.is_none() {
                return Err(format!(
                    "needs {} in the environment variable {}",
                    variable.content, variable.name
                ));
            }
        }
        let key = address.key.as_ref().map(|(_, key)| key.clone());
        let adapter = (self.new_adapter)(address)?;
        Ok(Box::new(WebEngine {
            adapter,
            entry: self,
            key,
            http,
        }))
    }
}
