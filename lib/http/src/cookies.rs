//! Cookies within one redirect chain: some sites send each reader to where he is, or to a page and
//! back, and give the page to those alone who bring the cookie that came with it. Nothing is kept
//! from one page to the next, so that no site can follow us.

use crate::page_url;
use reqwest::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

/// Cookies that are brought to a host at most, and bytes of one.
const MOST: usize = 50;
const LONGEST: usize = 4096;

/// What came on the way. Hosts get their own alone: of what is for others nothing is needed on so
/// short a way.
#[derive(Debug, Default)]
pub(crate) struct Cookies {
    all: Vec<Cookie>,
    /// How often something new came.
    changes: u32,
}

#[derive(Debug)]
struct Cookie {
    host: String,
    name: String,
    value: String,
    is_secure: bool,
}

impl Cookies {
    /// How often something new came: who is sent to the same page with something new may get
    /// another answer.
    pub const fn changes(&self) -> u32 {
        self.changes
    }

    /// Takes what an answer from `url` sets.
    pub fn store(&mut self, url: &Url, headers: &HeaderMap) {
        let host = page_url::host(url);
        for set in headers
            .get_all(SET_COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
        {
            let mut parts = set.split(';').map(str::trim);
            let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else {
                continue;
            };
            if name.is_empty() || set.len() > LONGEST {
                continue;
            }
            let is_secure = parts.any(|part| part.eq_ignore_ascii_case("secure"));
            let cookie = Cookie {
                host: host.clone(),
                name: name.into(),
                value: value.into(),
                is_secure,
            };
            let has_room = self.all.len() < MOST;
            match self
                .all
                .iter_mut()
                .find(|known| known.host == host && known.name == name)
            {
                Some(known) if known.value == value => continue,
                Some(known) => *known = cookie,
                None if has_room => self.all.push(cookie),
                None => continue,
            }
            self.changes += 1;
        }
    }

    /// Adds what goes to `url`.
    pub fn add_to(&self, url: &Url, headers: &mut HeaderMap) {
        let host = page_url::host(url);
        let is_for = |it: &&Cookie| it.host == host && (!it.is_secure || url.scheme() == "https");
        let pairs: Vec<String> = self
            .all
            .iter()
            .filter(is_for)
            .map(|it| format!("{}={}", it.name, it.value))
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
    use super::Cookies;
    use reqwest::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
    use url::Url;

    #[test]
    fn each_host_gets_its_own() {
        let [a, b] = ["http://a.test/", "https://b.test/"].map(|url| Url::parse(url).unwrap());
        let set = |values: &[&'static str]| -> HeaderMap {
            values
                .iter()
                .map(|value| (SET_COOKIE, HeaderValue::from_static(value)))
                .collect()
        };
        let mut cookies = Cookies::default();
        cookies.store(
            &a,
            &set(&["x=1; Path=/; HttpOnly", "=2", "none", "s=3; Secure"]),
        );
        cookies.store(&b, &set(&["y=1; SECURE", "y=2", "z=a=b"]));
        let changes = cookies.changes();
        cookies.store(&a, &set(&["x=1"]));
        assert_eq!((changes, cookies.changes()), (5, 5));
        let brought = |url: &Url| {
            let mut headers = HeaderMap::new();
            cookies.add_to(url, &mut headers);
            headers
                .get(COOKIE)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(brought(&a).as_deref(), Some("x=1"));
        assert_eq!(brought(&b).as_deref(), Some("y=2; z=a=b"));
        assert_eq!(brought(&Url::parse("https://c.b.test/").unwrap()), None);
    }
}
