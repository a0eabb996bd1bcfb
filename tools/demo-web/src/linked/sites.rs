//! The sites of the linked web: their hosts, names and sections.

/// A site with articles.
#[derive(Debug)]
pub(crate) struct Site {
    /// The host, in a domain that is never resolved (RFC 6761, section 6.2).
    pub(crate) host: &'static str,
    pub(crate) name: &'static str,
    pub(crate) kind: SiteKind,
    pub(crate) sections: &'static [Section],
}

/// The kind of a site, which determines the directories of its articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteKind {
    /// Articles of all sections are in directories by month.
    News,
    /// Each section is a directory.
    Magazine,
}

/// A section of a site, with a page that lists its articles.
#[derive(Debug)]
pub(crate) struct Section {
    /// Its directory.
    pub(crate) path: &'static str,
    pub(crate) title: &'static str,
    /// ISO 639-3 code.
    pub(crate) language: &'static str,
    /// The subjects of its articles; none for a section with pages of the closed web.
    pub(crate) subjects: &'static [&'static str],
    /// The number of pages of the closed web.
    pub(crate) pages: usize,
}

impl Site {
    /// Returns the address of the front page.
    pub(crate) fn front_page(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// Returns the address of the list of a section.
    pub(crate) fn section_page(&self, section: &Section) -> String {
        format!("http://{}/{}/", self.host, section.path)
    }
}

/// The start page of the web, which links to all sites and redirects to some articles.
pub(crate) const PORTAL: &str = "start.test";

/// The directory of articles by subject and of sections by language.
pub(crate) const DIRECTORY: &str = "directory.test";

/// The site with a calendar, in which each page links to the next and the previous month.
pub(crate) const CALENDAR_HOST: &str = "courier.test";

/// Returns the address of a month, from 0, in the calendar.
pub(crate) fn calendar_page(year: u32, month: usize) -> String {
    format!("http://{CALENDAR_HOST}/calendar/{year}/{:02}", month + 1)
}

/// The site whose robots.txt forbids the print versions of its articles.
pub(crate) const PRINT_HOST: &str = "evening-post.test";

const fn news_section(
    path: &'static str,
    title: &'static str,
    subjects: &'static [&'static str],
) -> Section {
    Section {
        path,
        title,
        language: "eng",
        subjects,
        pages: 0,
    }
}

const fn language_section(
    path: &'static str,
    title: &'static str,
    language: &'static str,
    pages: usize,
) -> Section {
    Section {
        path,
        title,
        language,
        subjects: &[],
        pages,
    }
}

const fn site(
    host: &'static str,
    name: &'static str,
    kind: SiteKind,
    sections: &'static [Section],
) -> Site {
    Site {
        host,
        name,
        kind,
        sections,
    }
}

const NEWS_SECTIONS: &[Section] = &[
    news_section(
        "world",
        "World",
        &["elections", "fishing", "railways", "coffee-harvest"],
    ),
    news_section(
        "economy",
        "Economy",
        &["interest-rates", "home-prices", "oil-prices", "gold-mining"],
    ),
    news_section(
        "science",
        "Science and health",
        &["earthquakes", "influenza", "space-flight"],
    ),
    news_section("sport", "Sport", &["athletics"]),
];

/// The sites. Eight news sites have articles on all subjects, four magazines on some, and seven
/// sites pages in other languages.
pub(crate) static SITES: &[Site] = &[
    site(
        CALENDAR_HOST,
        "Daily Courier",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(PRINT_HOST, "Evening Post", SiteKind::News, NEWS_SECTIONS),
    site("meridian.test", "Meridian", SiteKind::News, NEWS_SECTIONS),
    site(
        "northern-star.test",
        "Northern Star",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(
        "harbour-news.test",
        "Harbour News",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(
        "capital-times.test",
        "Capital Times",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(
        "valley-gazette.test",
        "Valley Gazette",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(
        "island-herald.test",
        "Island Herald",
        SiteKind::News,
        NEWS_SECTIONS,
    ),
    site(
        "earth-and-sky.test",
        "Earth and Sky",
        SiteKind::Magazine,
        &[
            news_section("ground", "The ground", &["earthquakes"]),
            news_section("space", "Space", &["space-flight"]),
        ],
    ),
    site(
        "market-review.test",
        "Market Review",
        SiteKind::Magazine,
        &[
            news_section("money", "Money", &["interest-rates", "home-prices"]),
            news_section("resources", "Resources", &["oil-prices", "gold-mining"]),
        ],
    ),
    site(
        "harvest.test",
        "Harvest",
        SiteKind::Magazine,
        &[
            news_section("land", "The land", &["coffee-harvest"]),
            news_section("sea", "The sea", &["fishing"]),
        ],
    ),
    site(
        "body.test",
        "Body",
        SiteKind::Magazine,
        &[
            news_section("health", "Health", &["influenza"]),
            news_section("running", "Running", &["athletics"]),
        ],
    ),
    site(
        "novice.test",
        "Novice",
        SiteKind::Magazine,
        &[language_section("sl", "Slovenščina", "slv", 30)],
    ),
    site(
        "tednik.test",
        "Tednik",
        SiteKind::Magazine,
        &[
            language_section("sl", "Slovenščina", "slv", 15),
            language_section("hr", "Hrvatski", "hrv", 20),
        ],
    ),
    site(
        "glas.test",
        "Glas",
        SiteKind::Magazine,
        &[
            language_section("hr", "Hrvatski", "hrv", 20),
            language_section("bs", "Bosanski", "bos", 20),
            language_section("sr", "Српски", "srp", 20),
        ],
    ),
    site(
        "zpravy.test",
        "Zprávy",
        SiteKind::Magazine,
        &[
            language_section("cs", "Čeština", "ces", 25),
            language_section("sk", "Slovenčina", "slk", 25),
        ],
    ),
    site(
        "rundschau.test",
        "Rundschau",
        SiteKind::Magazine,
        &[
            language_section("de", "Deutsch", "deu", 25),
            language_section("nl", "Nederlands", "nld", 15),
        ],
    ),
    site(
        "giornale.test",
        "Giornale",
        SiteKind::Magazine,
        &[
            language_section("it", "Italiano", "ita", 20),
            language_section("pt", "Português", "por", 15),
            language_section("ro", "Română", "ron", 15),
        ],
    ),
    site(
        "forum.test",
        "Forum",
        SiteKind::News,
        &[
            language_section("sl", "Slovenščina", "slv", 15),
            language_section("hu", "Magyar", "hun", 15),
            language_section("pl", "Polski", "pol", 15),
            language_section("en", "English", "eng", 15),
        ],
    ),
];
