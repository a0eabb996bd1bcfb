//! Settings of searx and SearXNG whose engines ask a server on loopback.

use serde_json::{Value, json};

/// Returns engines with these names, which ask the path of their name.
fn engines(backend: &str, names: &[&str]) -> Vec<Value> {
    let engine = |name: &&str| {
        json!({
            "name": name, "engine": "json_engine", "shortcut": name, "categories": "general",
            "paging": true, "enable_http": true, "results_query": "results", "url_query": "url",
            "title_query": "title", "content_query": "text",
            "search_url": format!("{backend}/{name}?q={{query}}&p={{pageno}}"),
        })
    };
    names.iter().map(engine).collect()
}

/// Returns settings for SearXNG without the engines of its default settings. JSON is YAML.
pub fn settings(backend: &str, names: &[&str]) -> String {
    json!({
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": ["html", "json"]},
        "server": {"secret_key": "replaced", "limiter": false},
        "engines": engines(backend, names),
    })
    .to_string()
}

/// Returns settings for the version in Debian, which has no default settings.
pub fn debian_settings(port: u16, backend: &str, names: &[&str]) -> String {
    json!({
        "general": {"debug": false, "instance_name": "searx"},
        "brand": {
            "git_url": "", "git_branch": "", "issue_url": "", "docs_url": "",
            "public_instances": "", "wiki_url": "", "twitter_url": "",
        },
        "search": {
            "safe_search": 0, "autocomplete": "", "default_lang": "",
            "ban_time_on_fail": 0, "max_ban_time_on_fail": 0,
        },
        "server": {
            "bind_address": "127.0.0.1", "port": port, "secret_key": "forage", "base_url": false,
            "image_proxy": false, "http_protocol_version": "1.0", "method": "GET",
            "default_http_headers": {},
        },
        "ui": {
            "static_path": "/usr/share/python3-searx/static",
            "templates_path": "/usr/share/python3-searx/templates",
            "default_theme": "oscar", "default_locale": "",
            "theme_args": {"oscar_style": "logicodev"},
        },
        "outgoing": {"request_timeout": 300.0, "useragent_suffix": ""},
        "locales": {"en": "English"},
        "doi_resolvers": {"x": "http://127.0.0.1/"}, "default_doi_resolver": "x",
        "engines": engines(backend, names),
    })
    .to_string()
}
