//! The answer of the linked web to a request: a page, a redirect, robots.txt, or 404.

use super::LinkedWeb;
use super::sites::{CALENDAR_HOST, PRINT_HOST, SITES};
use super::{calendar, print_path};
use forage_loopback::{Request, Response};

const HTML: &str = "text/html; charset=utf-8";

impl LinkedWeb {
    /// Returns the response to a request for any host of the web.
    pub(crate) fn answer(&self, request: &Request) -> Response {
        if request.method != "GET" {
            return error("405 Method Not Allowed");
        }
        let host = request.host.as_deref().unwrap_or_default();
        self.answer_get(host, &request.path)
    }

    fn answer_get(&self, host: &str, path: &str) -> Response {
        let url = format!("http://{host}{path}");
        if let Some(page) = self.pages.get(&url) {
            return Response::new("200 OK", HTML, page.html.as_str());
        }
        if let Some(target) = self.redirects.get(&url) {
            let mut response = error("301 Moved Permanently");
            response.headers += &format!("Location: {target}\r\n");
            return response;
        }
        let other_page = match host {
            PRINT_HOST if path == "/robots.txt" => {
                let rules = format!("User-agent: *\nDisallow: {}\n", print_path(""));
                return Response::new("200 OK", "text/plain", rules);
            }
            PRINT_HOST => self.print_versions.get(path).cloned(),
            CALENDAR_HOST => SITES
                .iter()
                .find(|site| site.host == host)
                .and_then(|site| calendar::format_month(site, path)),
            _ => None,
        };
        other_page.map_or_else(
            || error("404 Not Found"),
            |html| Response::new("200 OK", HTML, html),
        )
    }
}

fn error(status: &'static str) -> Response {
    Response::new(status, HTML, format!("<p>{status}</p>\n"))
}
