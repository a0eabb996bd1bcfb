//! Dates with the name of a month, in many languages.

use chrono::NaiveDate;
use regex::Regex;
use std::sync::LazyLock;

/// Beginnings of the names of months, those of a month separated by blanks, in lower case. Of
/// several that fit, the longest counts. Polish and Croatian `listopada` is left out, as it is not
/// the same month.
const MONTHS: [&str; 12] = [
    "jan ene gen янв янц јан січ студз led sty sij ocak ιαν ian xan tammi jaan saus urtar қаң يناير जनवरी",
    "feb fév febr фев люты лют úno lut velj şub φεβ helmi veeb vasar otsa chwe فبراير फरवरी",
    "mar mär maart март марш мар бер сакав bře ožu μαρ maalis märts kov márc مارس मार्च",
    "apr avr abr апр кві крас dub kwi trav nis απρ huhti baland ápr أبريل ابريل अप्रैल",
    "mai may maj mei mag май мая мај трав máj maí svib květ mayıs μαΐ μάι μαι touko geg مايو मई",
    "jun juin giu июн јун юни чер чэр červ cze lipanj lipnj haz ιουν kesä birž juun jún يونيو जून",
    "jul juil lug июл јул юли лип ліп červenec července červenci lipiec lipca srpanj srpnj tem ιουλ heinä liep juul júl \
     يوليو जुलाई",
    "aug aoû aou ago авг сер жні srpen srpna sie kolov ağu αυγ elo rugp abu ágú أغسطس अगस्त",
    "sep set сен септ вер zář wrz ruj eyl σεπ syys rugs szept سبتمبر सितंबर",
    "oct okt ott out окт жов каст říj paź eki οκτ loka spal urri أكتوبر अक्टूबर",
    "nov нов ноя лис listopadu stud kas νοέ νοε marras lapk noi نوفمبر नवंबर",
    "dec déc dez dic des дек дец гру снеж pros gru aral δεκ joulu gruod dets abe ديسمبر दिसंबर",
];

/// The orders of day, name and year: as in `5 de marzo de 2024`, `marzo 5, 2024` and
/// `2024 m. kovo 5`.
static PATTERNS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?x) \b (?<day>[0-9]{1,2}) (?:er|st|nd|rd|th|ª|º)? [\s.,-]{0,3} (?:(?:de|di|of)\s+|d['’])?
          (?<name>\p{L}[\p{L}\p{M}]{2,}) [.,]? [\s-]{0,2} (?:(?:de|del)\s+)? (?<year>(?:19|20)[0-9]{2}) \b",
        r"(?x) \b (?<name>\p{L}[\p{L}\p{M}]{2,}) \.? \s+ (?<day>[0-9]{1,2}) (?:st|nd|rd|th)? \.? ,? \s+ (?:de\s+)?
          (?<year>(?:19|20)[0-9]{2}) \b",
        r"(?x) \b (?<year>(?:19|20)[0-9]{2}) \.? \s+ (?:m\.\s+)? (?<name>\p{L}[\p{L}\p{M}]{2,}) \s+
          (?<day>[0-9]{1,2}) \b",
    ]
    .map(|pattern| Regex::new(pattern).expect("a constant pattern is valid"))
});

/// Returns the first date of a text that has the name of a month.
pub(crate) fn find_date(text: &str) -> Option<NaiveDate> {
    let text = text.to_lowercase();
    PATTERNS.iter().find_map(|pattern| {
        let mut dates = pattern.captures_iter(&text).filter_map(|parts| {
            let month = month_number(&parts["name"])?;
            NaiveDate::from_ymd_opt(
                parts["year"].parse().ok()?,
                month,
                parts["day"].parse().ok()?,
            )
        });
        dates.next()
    })
}

/// Returns the number of the month with a name in lower case.
fn month_number(name: &str) -> Option<u32> {
    let beginnings = (1..).zip(MONTHS).flat_map(|(number, beginnings)| {
        beginnings
            .split_whitespace()
            .map(move |beginning| (number, beginning))
    });
    let fitting = beginnings.filter(|(_, beginning)| name.starts_with(beginning));
    let longest = fitting.max_by_key(|(_, beginning)| beginning.len());
    longest.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_in_many_languages() {
        for text in [
            "5. marec 2024",
            "Objavljeno 5. marca 2024 ob 10.15",
            "5 de marzo de 2024",
            "marzo 5, 2024",
            "le 5 mars 2024",
            "5. März 2024",
            "Dienstag, 5.März 2024",
            "5 марта 2024, 13:43",
            "5 березня 2024",
            "5. března 2024",
            "5. ožujka 2024.",
            "2024 m. kovo 5 d.",
            "2024. március 5.",
            "5 Mart 2024",
            "5 de março de 2024",
            "5 مارس 2024",
        ] {
            let date = find_date(text).map(|date| date.to_string());
            assert_eq!(date.as_deref(), Some("2024-03-05"), "{text}");
        }
        let july = [
            "1. července 2024",
            "1 lipca 2024",
            "1. srpnja 2024",
            "1 juillet 2024",
        ];
        for text in july {
            assert_eq!(
                find_date(text).map(|date| date.to_string()).as_deref(),
                Some("2024-07-01"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_word_that_is_no_month_makes_no_date() {
        for text in [
            "5 hiš 2024",
            "40. marec 2024",
            "marec 2024",
            "5 listopada 2024",
            "2024",
        ] {
            assert_eq!(find_date(text), None, "{text}");
        }
    }
}
