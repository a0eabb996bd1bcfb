//! Cookies within one redirect chain.
//!
//! Some sites redirect a first visit to another page and back, and serve the page only with the
//! cookie that was set on the way. Cookies are not kept from one page to the next, so that sites
//! cannot track the robot.

use crate::page_url;
use reqwest::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

/// Maximum number of cookies in a redirect chain, and maximum size of a cookie in bytes: the
/// minimum that user agents should support per domain and per cookie (RFC 6265, section 6.1).
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_BYTES: usize = 4096;

/// The cookies that a redirect chain has set. They are sent only to the host that set them;
/// `Domain` and `Path` are ignored, as they rarely matter within one chain.
#[derive(Debug, Default)]
pub(crate) struct CookieJar {
    cookies: Vec<Cookie>,
    changes: u32,
}

#[derive(Debug)]
struct Cookie {
    host: String,
    name: String,
    value: String,
    is_secure: bool,
}

impl CookieJar {
    /// Returns the number of times that a cookie was added or changed. After a change, a URL that
    /// was requested before may have another response.
    pub const fn changes(&self) -> u32 {
        self.changes
    }

    /// Stores the cookies that a response from `url` sets.
    pub fn store(&mut self, url: &Url, headers: &HeaderMap) {
        let host = page_url::host_key(url);
        for set_cookie in headers
            .get_all(SET_COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
        {
            let mut parts = set_cookie.split(';').map(str::trim);
            let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else {
                continue;
            };
            if name.is_empty() || set_cookie.len() > MAX_COOKIE_BYTES {
                continue;
            }
            let is_secure = parts.any(|part| part.eq_ignore_ascii_case("secure"));
            let cookie = Cookie {
                host: host.clone(),
                name: name.into(),
                value: value.into(),
                is_secure,
            };
            let is_full = self.cookies.len() >= MAX_COOKIES;
            match self
                .cookies
                .iter_mut()
                .find(|stored| stored.host == host && stored.name == name)
            {
                Some(stored) if stored.value == value => continue,
                Some(stored) => *stored = cookie,
                None if is_full => continue,
                None => self.cookies.push(cookie),
            }
            self.changes += 1;
        }
    }

    /// Adds the `Cookie` header field of a request for `url`, if there are cookies for it.
    pub fn add_to(&self, url: &Url, headers: &mut HeaderMap) {
        let host = page_url::host_key(url);
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .filter(|cookie| cookie.host == host && (!cookie.is_secure || url.scheme() == "https"))
            .map(|cookie| format!("{}={}", cookie.name, cookie.value))
            .collect();
        if let Some(value) = HeaderValue::from_str(&pairs.join("; "))
            .ok()
            .filter(|_| !pairs.is_empty())
        {
            headers.insert(COOKIE, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CookieJar;
    use reqwest::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
    use url::Url;

    #[test]
    fn sends_cookies_to_the_host_that_set_them() {
        let [a, b] = ["http://a.test/", "https://b.test/"].map(|url| Url::parse(url).unwrap());
        let set = |values: &[&'static str]| -> HeaderMap {
            values
                .iter()
                .map(|value| (SET_COOKIE, HeaderValue::from_static(value)))
                .collect()
        };
        let mut cookies = CookieJar::default();
        cookies.store(
            &a,
            &set(&["x=1; Path=/; HttpOnly", "=2", "none", "s=3; Secure"]),
        );
        cookies.store(&b, &set(&["y=1; SECURE", "y=2", "z=a=b"]));
        let changes = cookies.changes();
        cookies.store(&a, &set(&["x=1"]));
        assert_eq!((changes, cookies.changes()), (5, 5));
        let sent = |url: &Url| {
            let mut headers = HeaderMap::new();
            cookies.add_to(url, &mut headers);
            headers
                .get(COOKIE)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(sent(&a).as_deref(), Some("x=1"));
        assert_eq!(sent(&b).as_deref(), Some("y=2; z=a=b"));
        assert_eq!(sent(&Url::parse("https://c.b.test/").unwrap()), None);
    }
}
