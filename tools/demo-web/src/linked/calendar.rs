//! The calendar of one site: a page for each month, without an end, as on many real sites. A crawl
//! that follows all links never leaves it.

use super::html::{format_list, format_page};
use super::sites::{CALENDAR_HOST, Site, calendar_page};

/// The months of a year.
const MONTHS: &str = "January February March April May June July August September October November \
                      December";

/// Returns the page for a path such as `/calendar/2026/01`.
pub(crate) fn format_month(site: &Site, path: &str) -> Option<String> {
    let (year, month) = path.strip_prefix("/calendar/")?.split_once('/')?;
    let year: u32 = year.parse().ok()?;
    let month = month.parse::<usize>().ok()?.checked_sub(1)?;
    let title = format!("{} {year}", MONTHS.split(' ').nth(month)?);
    let (next_year, next_month) = match month {
        11 => (year.checked_add(1)?, 0),
        _ => (year, month + 1),
    };
    let (last_year, last_month) = match month {
        0 => (year.checked_sub(1)?, 11),
        _ => (year, month - 1),
    };
    let links = [
        (
            calendar_page(last_year, last_month),
            "Previous month".into(),
        ),
        (calendar_page(next_year, next_month), "Next month".into()),
    ];
    let main = format!(
        "<h1>{title}</h1>\n<p>There are no events in {title}.</p>\n{}",
        format_list(CALENDAR_HOST, &links)
    );
    Some(format_page(site, "eng", &title, &main))
}
