//! Where the pages of an engine begin. What a description declares may be wrong: it is learned from
//! the replies.

use crate::web::HitRange;

/// What the replies so far have shown of the pages of an engine.
#[derive(Debug, Default)]
pub(super) struct Paging {
    /// The query and range that were asked for last.
    asked: (String, HitRange),
    /// The query whose first page was returned last, and the URL of its first hit.
    first_hit: (String, String),
    /// The most hits on a first page; 0 before there was one.
    page_size: u32,
    /// The number of the first page.
    first_page: Option<u32>,
}

impl Paging {
    /// Returns the range to ask for next in order to get a page of a query, and the number of the
    /// engine's first page. It is the query's first or second page as long as these have to tell
    /// where the others begin.
    pub fn place(&mut self, query: &str, range: HitRange, by_number: bool) -> (HitRange, u32) {
        let is_number_unknown = by_number && self.first_page.is_none();
        let page = match is_number_unknown {
            _ if self.page_size == 0 => 1,
            true if self.first_hit.0 != query => 1,
            true => range.page.min(2),
            false => range.page,
        };
        let first_page = self.first_page.unwrap_or(0);
        let skipped = if by_number { 0 } else { first_page };
        let start = (page - 1).saturating_mul(self.page_size) + skipped;
        self.asked = (
            query.into(),
            HitRange {
                page,
                start,
                ..range
            },
        );
        (self.asked.1, first_page)
    }

    /// Takes note of a reply, and returns the range that it has.
    pub fn learn(&mut self, first_hit: &str, count: u32) -> HitRange {
        let (query, range) = &self.asked;
        if range.page == 1 {
            self.first_hit = (query.clone(), first_hit.into());
            self.page_size = self.page_size.max(count);
        } else if *query == self.first_hit.0 && !first_hit.is_empty() {
            // An engine that counts from 1 returns the first page again.
            let number = u32::from(first_hit == self.first_hit.1);
            self.first_page.get_or_insert(number);
        }
        *range
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{open_engine, query};
    use crate::{Engine, EngineRequest, EngineResponse, HttpClient};

    const HITS: u64 = 23;

    /// How an engine counts, and what it says of it.
    #[derive(Clone, Copy)]
    struct Counting {
        template: &'static str,
        /// Attributes of the template.
        declared: &'static str,
        /// Numbers of the first hit and of the first page.
        first: (u64, u64),
        max_page_size: u64,
        items_per_page: Option<u64>,
        /// `totalResults` for a page after this many hits that has this many.
        total: fn(u64, u64) -> Option<u64>,
    }

    const INDEX: &str = "s?q={searchTerms}&amp;start={startIndex?}&amp;n={count?}";
    const PAGE: &str = "s?q={searchTerms}&amp;page={startPage?}&amp;n={count?}";
    const COMMON: Counting = Counting {
        template: INDEX,
        declared: "",
        first: (1, 1),
        max_page_size: 10,
        items_per_page: None,
        total: |_, _| Some(HITS),
    };

    fn respond(counting: Counting, request: &EngineRequest) -> EngineResponse {
        let value = |name: &str| {
            let mut pairs = request.url.query_pairs();
            let value = pairs.find(|(other, _)| other == name)?.1;
            Some(value.parse::<u64>().unwrap())
        };
        let mut status = 200;
        let body = if request.url.path() == "/osd.xml" {
            let Counting {
                template, declared, ..
            } = counting;
            format!(
                r#"<OpenSearchDescription><Url type="application/rss+xml" {declared}
                template="{template}"/></OpenSearchDescription>"#
            )
        } else {
            let size = value("n").unwrap_or(10).min(counting.max_page_size);
            let (first_hit, first_page) = counting.first;
            let before = match (value("start"), value("page")) {
                (Some(start), _) if start < first_hit => {
                    status = 400;
                    0
                }
                (Some(start), _) => start - first_hit,
                (_, page) => page.unwrap_or(first_page).saturating_sub(first_page) * size,
            };
            let hits: Vec<u64> = (before..HITS.min(before + size)).collect();
            let items = hits
                .iter()
                .map(|n| format!("<item><link>http://{n}.test/</link></item>"));
            let total = (counting.total)(before, hits.len() as u64);
            let count = |name: &str, count: Option<u64>| {
                count.map_or(String::new(), |count| format!("<{name}>{count}</{name}>"))
            };
            let total = count("totalResults", total);
            let size = count("itemsPerPage", counting.items_per_page);
            let items: String = items.collect();
            format!("<rss><channel>{total}{size}{items}</channel></rss>")
        };
        EngineResponse {
            status,
            body: body.into(),
            ..EngineResponse::default()
        }
    }

    /// Walks through the pages of a query; if `is_resumed`, each page in a process of its own.
    fn count_hits(counting: Counting, size: u32, is_resumed: bool) -> usize {
        let open = || -> Box<dyn Engine> {
            let http: HttpClient = Box::new(move |request| Ok(respond(counting, request)));
            open_engine("description", "http://w.test/osd.xml", "", http)
        };
        let mut engine = open();
        let mut urls = std::collections::BTreeSet::new();
        for number in 1.. {
            if is_resumed {
                engine = open();
            }
            let page = engine
                .request_page(&query(&["dan"], &[]), number, size)
                .unwrap();
            let before = urls.len();
            urls.extend(page.hits.into_iter().map(|hit| hit.url));
            if !page.has_more || urls.len() == before {
                break;
            }
        }
        urls.len()
    }

    /// Each is what a server does: Kiwix 3.3.0 declares 0 and counts hits from 1; others give fewer
    /// hits per page than asked, or a total that is that of the page.
    #[test]
    fn no_hit_is_lost_however_an_engine_counts() {
        let mut tried = 0;
        for template in [INDEX, PAGE, "s?q={searchTerms}&amp;start={startIndex?}"] {
            for declared in [
                "",
                "indexOffset='0' pageOffset='0'",
                "indexOffset='1' pageOffset='1'",
            ] {
                for first in [(0, 0), (1, 1)] {
                    for (max_page_size, items_per_page) in [
                        (10, None),
                        (10, Some(10)),
                        (5, None),
                        (5, Some(5)),
                        (5, Some(10)),
                    ] {
                        let totals: [fn(u64, u64) -> Option<u64>; 7] = [
                            |_, _| Some(HITS),
                            |_, _| None,
                            |before, _| Some(HITS - before.min(HITS)),
                            |_, _| Some(0),
                            |_, _| Some(3),
                            |_, count| Some(count),
                            |_, count| Some(count + 1),
                        ];
                        // A page of 5 is known to be full only if the engine says so.
                        let is_full_known = max_page_size == 10 || items_per_page == Some(5);
                        for total in &totals[..if is_full_known { 7 } else { 2 }] {
                            let counting = Counting {
                                template,
                                declared,
                                first,
                                max_page_size,
                                items_per_page,
                                total: *total,
                            };
                            for is_resumed in [false, true] {
                                let hits = count_hits(counting, 10, is_resumed);
                                assert_eq!(
                                    hits as u64,
                                    HITS,
                                    "{template} {declared} {first:?} {max_page_size} \
                                     {items_per_page:?} {:?} {is_resumed}",
                                    total(0, 10)
                                );
                                tried += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(tried > 300, "{tried}");
    }

    #[test]
    fn pages_of_one_hit_do_not_overlap() {
        for first in [(0, 0), (1, 1)] {
            let counting = Counting { first, ..COMMON };
            assert_eq!(count_hits(counting, 1, false) as u64, HITS);
        }
    }
}
