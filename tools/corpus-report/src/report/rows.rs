//! The documents of the table: all of them, or a random sample of a large run.

use crate::report::count::hash_of;
use crate::report::html::{escape, format_count, format_decimal, is_web_link, language_tag};
use crate::report::texts::TextPlace;
use forage_run::Event;
use std::fmt::Write;

/// Most documents in the table.
pub const MAX_ROWS: usize = 10_000;
/// Longest snippet in characters.
const MAX_SNIPPET: usize = 130;
/// Longest title in characters.
const MAX_TITLE: usize = 120;
/// Longest URL in characters that is part of the page.
const MAX_URL: usize = 500;

/// A document of the table.
#[derive(Debug)]
pub struct Row {
    sample_key: u64,
    step: u64,
    title: String,
    url: String,
    id: String,
    label: String,
    pub(crate) status: Status,
    include: Vec<String>,
    exclude: Vec<String>,
    snippet: String,
    margin: Option<f64>,
    words: u64,
    date: Option<String>,
    place: Option<TextPlace>,
}

/// What a document counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Relevant,
    Other,
    Duplicate,
}

impl Row {
    /// Creates the row of a document.
    pub(crate) fn new(
        event: &Event,
        key: (Status, u64),
        margin: Option<f64>,
        words: u64,
        date: Option<String>,
        place: Option<TextPlace>,
    ) -> Self {
        let url = event.url().unwrap_or_default();
        let id = event.id().unwrap_or_default();
        let query = event.query.clone().unwrap_or_default();
        let text = event.text();
        Row {
            sample_key: key.1,
            step: event.step_number(),
            title: first_chars(&event.title().unwrap_or_default(), MAX_TITLE),
            url: if url.len() > MAX_URL {
                String::new()
            } else {
                url.into_owned()
            },
            id: id.into_owned(),
            label: event.label.clone().unwrap_or_default(),
            status: key.0,
            snippet: snippet(&text, &query.include),
            include: query.include,
            exclude: query.exclude,
            margin,
            words,
            date,
            place,
        }
    }

    /// Returns `true` if the document was retrieved by terms.
    pub(crate) fn has_query(&self) -> bool {
        !(self.include.is_empty() && self.exclude.is_empty())
    }

    /// Returns the row in HTML on one line, with the name of its run, if there are several, and a
    /// snippet of at most `max_snippet` characters.
    pub(crate) fn render(
        &self,
        run: Option<&str>,
        has_queries: bool,
        max_snippet: usize,
    ) -> String {
        let mut html = format!("<tr class={}", ["r", "o", "d"][self.status as usize]);
        if let Some(place) = self.place {
            let _ = write!(html, " data-t={}.{}", place.file, place.index);
        }
        let _ = write!(html, "><td class=n>{}", self.step);
        if let Some(run) = run {
            let _ = write!(html, "<td>{}", escape(run));
        }
        let name = [&self.url, &self.id]
            .into_iter()
            .find(|name| !name.is_empty());
        let name = name.map_or("", String::as_str);
        let lang = language_tag(&self.label)
            .map(|tag| format!(" lang={tag}"))
            .unwrap_or_default();
        let title = match self.title.trim() {
            "" => escape(last_part(name)),
            title => escape(title),
        };
        let _ = write!(
            html,
            "<td><button type=button dir=auto{lang}>{title}</button>"
        );
        if is_web_link(&self.url) {
            let url = escape(&self.url);
            let _ = write!(
                html,
                "<a href=\"{url}\" rel=\"noopener noreferrer\">{}</a>",
                escape(shown_url(&self.url))
            );
        } else {
            let _ = write!(html, "<span>{}</span>", escape(name));
        }
        let snippet = first_chars(&self.snippet, max_snippet);
        if !snippet.is_empty() {
            let _ = write!(
                html,
                "<p dir=auto{lang}>{}",
                mark_terms(&snippet, &self.include)
            );
        }
        if has_queries {
            html += "<td class=q>";
            let signs = [("", &self.include), ("−", &self.exclude)];
            let terms = signs
                .iter()
                .flat_map(|(sign, terms)| terms.iter().map(move |term| (sign, term)));
            let terms: Vec<_> = terms
                .map(|(sign, term)| match *sign {
                    "" => format!("<b dir=auto>{}</b>", escape(term)),
                    sign => format!("{sign}<i dir=auto>{}</i>", escape(term)),
                })
                .collect();
            html += &terms.join(" ");
        }
        let margin = self.margin.map(|margin| format_decimal(margin, 2));
        // The words of duplicates are not counted.
        let words = (self.words > 0).then(|| format_count(self.words));
        let mut cell = |class: &str, text: &str| {
            let _ = write!(html, "<td class=\"{class}\">{}", escape(text));
        };
        cell("l", &self.label);
        cell("n m", &margin.unwrap_or_default());
        cell("n w", &words.unwrap_or_default());
        cell("n p", self.date.as_deref().unwrap_or_default());
        let _ = write!(
            html,
            "<td><label><input type=checkbox value=\"{}\">not this one</label>",
            escape(name)
        );
        html
    }
}

impl Status {
    fn of(event: &Event) -> Self {
        match event {
            _ if event.is_duplicate() => Status::Duplicate,
            _ if event.is_relevant() => Status::Relevant,
            _ => Status::Other,
        }
    }

    /// The stratum of the sample.
    fn stratum(self) -> usize {
        usize::from(self != Status::Relevant)
    }
}

/// The rows of a run. Of a large run, a random sample of the relevant and of the other documents,
/// by a hash of their names.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<Row>,
    /// Relevant and other documents so far.
    seen: [usize; 2],
    /// The largest key of each stratum that is still in the sample.
    max_keys: [u64; 2],
    /// True if a document was retrieved by terms.
    pub(crate) has_queries: bool,
}

impl Default for Rows {
    fn default() -> Self {
        Rows {
            rows: Vec::new(),
            seen: [0; 2],
            max_keys: [u64::MAX; 2],
            has_queries: false,
        }
    }
}

impl Rows {
    /// Counts a document, and returns its key if it is in the sample so far.
    pub(crate) fn draw(&mut self, event: &Event) -> Option<(Status, u64)> {
        let name = event.url().or_else(|| event.id()).unwrap_or_default();
        let key = hash_of(&name);
        let status = Status::of(event);
        self.seen[status.stratum()] += 1;
        (key <= self.max_keys[status.stratum()]).then_some((status, key))
    }

    /// Adds a document that was drawn.
    pub(crate) fn push(&mut self, row: Row) {
        self.has_queries |= row.has_query();
        self.rows.push(row);
        if self.rows.len() >= 2 * MAX_ROWS {
            self.sample(MAX_ROWS);
        }
    }

    /// Number of documents.
    pub(crate) fn seen(&self) -> usize {
        self.seen.iter().sum()
    }

    /// Keeps at most `limit` rows: half of them relevant, if there are as many. A stratum never
    /// gets more again, because the other one only grows.
    fn sample(&mut self, limit: usize) {
        let quota = |wanted: usize, others: usize| {
            wanted.min((limit / 2).max(limit.saturating_sub(others)))
        };
        let [relevant, others] = self.seen;
        let mut left = [quota(relevant, others), quota(others, relevant)];
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&index| self.rows[index].sample_key);
        let mut is_kept = vec![false; self.rows.len()];
        for index in order {
            let row = &self.rows[index];
            let left = &mut left[row.status.stratum()];
            is_kept[index] = *left > 0;
            if *left == 1 {
                self.max_keys[row.status.stratum()] = row.sample_key;
            }
            *left = left.saturating_sub(1);
        }
        let mut kept = is_kept.iter();
        self.rows.retain(|_| kept.next().copied().unwrap_or(true));
    }

    /// Returns at most `limit` rows, in the order of the journal.
    pub(crate) fn take(&mut self, limit: usize) -> &[Row] {
        if self.rows.len() > limit {
            self.sample(limit);
        }
        &self.rows
    }
}

/// Returns a part of a text around the first occurrence of a term, on one line.
fn snippet(text: &str, terms: &[String]) -> String {
    // The beginning of a long text is enough, and lower case may have another length.
    let text = &text[..text.floor_char_boundary(8_000)];
    let found = terms
        .iter()
        .filter_map(|term| find_term(text, term))
        .min_by_key(|range| range.start);
    let at = found.map_or(0, |range| range.start);
    let start = match text[..at].char_indices().rev().nth(MAX_SNIPPET / 5) {
        Some((index, _)) => text[index..at]
            .find(char::is_whitespace)
            .map_or(index, |blank| index + blank),
        None => 0,
    };
    let part: String = text[start..].chars().take(2 * MAX_SNIPPET).collect();
    let words: Vec<&str> = part.split_whitespace().collect();
    let prefix = if start > 0 { "…" } else { "" };
    first_chars(&format!("{prefix}{}", words.join(" ")), MAX_SNIPPET)
}

/// Returns the first occurrence of a term as a word, case aside.
fn find_term(text: &str, term: &str) -> Option<std::ops::Range<usize>> {
    let first = term.chars().next()?;
    let lower: Vec<char> = term.chars().flat_map(char::to_lowercase).collect();
    let mut before = None;
    for (start, c) in text.char_indices() {
        let is_start = match c.is_ascii() {
            true => Some(c.to_ascii_lowercase()) == lower.first().copied(),
            false => c == first || c.to_lowercase().next() == lower.first().copied(),
        };
        if is_start && !before.is_some_and(|c: char| c.is_alphanumeric() && !is_unspaced(c)) {
            let mut rest = text[start..].char_indices();
            let mut wanted = lower.iter().copied().peekable();
            let mut end = start;
            while wanted.peek().is_some() {
                let Some((offset, c)) = rest.next() else {
                    break;
                };
                if !c.to_lowercase().all(|c| wanted.next() == Some(c)) {
                    end = start;
                    break;
                }
                end = start + offset + c.len_utf8();
            }
            let is_whole = wanted.peek().is_none() && end > start;
            let after = text[end..].chars().next();
            if is_whole && !after.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c)) {
                return Some(start..end);
            }
        }
        before = Some(c);
    }
    None
}

/// Returns `true` for characters of scripts that do not separate words.
fn is_unspaced(c: char) -> bool {
    forage_text::contains_unspaced_script(c.encode_utf8(&mut [0; 4]))
}

/// Escapes a text, and marks the terms in it.
fn mark_terms(text: &str, terms: &[String]) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some(range) = terms
        .iter()
        .filter_map(|term| find_term(rest, term))
        .min_by_key(|range| range.start)
    {
        let (before, found) = rest[..range.end].split_at(range.start);
        let _ = write!(html, "{}<mark>{}</mark>", escape(before), escape(found));
        rest = &rest[range.end..];
    }
    html + &escape(rest)
}

/// Returns the first characters of a text, with an ellipsis if it is longer.
fn first_chars(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some(_) if max == 0 => String::new(),
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches('…')),
        None => text.to_owned(),
    }
}

/// Returns a URL without its scheme.
pub(crate) fn shown_url(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// Returns the last part of a path that is not empty.
fn last_part(url: &str) -> &str {
    shown_url(url)
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::{MAX_ROWS, Row, Rows, Status, find_term, first_chars, mark_terms, snippet};
    use forage_record::Record;
    use forage_run::Event;

    fn terms(terms: &[&str]) -> Vec<String> {
        terms.iter().map(|term| term.to_string()).collect()
    }

    #[test]
    fn terms_are_marked_as_whole_words_whatever_their_case() {
        assert_eq!(
            mark_terms("Se <b> seli, SE.", &terms(&["se"])),
            "<mark>Se</mark> &lt;b&gt; seli, <mark>SE</mark>."
        );
        assert_eq!(find_term("推动着一座水磨", "一座"), Some(9..15));
        assert_eq!(find_term("İstanbul", "istanbul"), None);
        assert_eq!(find_term("", "a"), None);
        assert_eq!(find_term("ab", ""), None);
    }

    #[test]
    fn a_snippet_is_around_the_first_term() {
        let text = format!("{} Tukaj je iskana beseda.\nIn konec.", "uvod ".repeat(80));
        let found = snippet(&text, &terms(&["manjka", "iskana"]));
        assert!(
            found.starts_with('…') && found.contains("je iskana beseda. In konec."),
            "{found}"
        );
        assert!(snippet(&text, &[]).starts_with("uvod uvod"));
        assert_eq!(first_chars("čaj in", 3), "čaj…");
    }

    #[test]
    fn of_a_large_run_a_sample_is_kept_of_which_half_is_relevant() {
        let mut rows = Rows::default();
        for number in 0..30_000 {
            let label = if number % 3 == 0 { "slv" } else { "hrv" };
            let json = format!(
                r#"{{"step":{{"number":{number},"target":"slv"}},"text":"","id":"{number}","label":"{label}"}}"#
            );
            let record = Record::parse(json.into_bytes()).unwrap();
            let event = Event::from_record(&record);
            if let Some(key) = rows.draw(&event) {
                rows.push(Row::new(&event, key, None, 0, None, None));
            }
        }
        assert_eq!(rows.seen(), 30_000);
        let kept = rows.take(MAX_ROWS);
        let relevant = kept.iter().filter(|row| row.status == Status::Relevant);
        assert_eq!((kept.len(), relevant.count()), (MAX_ROWS, MAX_ROWS / 2));
        assert!(kept.is_sorted_by_key(|row| row.step));
        // Drawn from all of the run.
        let early = kept.iter().filter(|row| row.step < 15_000).count();
        assert!(early.abs_diff(MAX_ROWS / 2) < MAX_ROWS / 20, "{early}");
    }

    proptest::proptest! {
        #[test]
        fn no_text_and_no_term_breaks_the_marking(text: String, term: String) {
            let all = terms(&[&term]);
            let _ = mark_terms(&snippet(&text, &all), &all);
        }
    }
}
