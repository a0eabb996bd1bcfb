//! Web and mail addresses in a text. They are no words of its language.
//!
//! An address is found by a sign inside it:
//!
//! | sign | address |
//! |---|---|
//! | `://` after a scheme | a URL, up to a character that no URL has |
//! | `@` between ASCII letters or digits | a mail address or account, with the local part before it |
//! | `.` after `www` | a web address |
//! | `.` in a host name with a path: `example.travel/paris` | a web address |
//! | `.` before a top-level domain: `example.org`, `siol.si` | a host name |
//!
//! `konec.Danes` is a sentence that ends without a blank, `docker.yml` a file: of the last kind,
//! only the domains of countries and the most common others are known. Abbreviations (`e.g.`,
//! `m.in`) are no hosts, because their name has one letter.

use crate::scripts::is_unspaced;
use memchr::memchr3;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// Top-level domains of countries (IANA), between blanks.
const COUNTRY_DOMAINS: &str = "\
    ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo \
    br bs bt bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm \
    do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr \
    gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki \
    km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo \
    mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph \
    pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr \
    ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz \
    va vc ve vg vi vn vu wf ws ye yt za zm zw";

/// Generic top-level domains of host names without a path: those that are most common on the web,
/// and are no words.
const GENERIC_DOMAINS: [&str; 13] = [
    "com", "org", "net", "edu", "gov", "mil", "info", "biz", "mobi", "asia", "xyz", "app", "dev",
];

/// The top-level domains in which a name of one letter, or of digits, is a host: `x.com`,
/// `163.com`.
const OLDEST_DOMAINS: [&str; 3] = ["com", "org", "net"];

/// Returns the addresses in `text`, in order, as ranges of bytes. Runs in O(`text.len()`).
pub fn addresses(text: &str) -> Addresses<'_> {
    Addresses {
        text,
        end: 0,
        next: 0,
    }
}

/// Returns `text` with a line feed in place of each address, so that the words around it are not
/// adjacent; borrows it if there is none.
pub fn remove_addresses(text: &str) -> Cow<'_, str> {
    let mut remaining = String::new();
    let mut end = 0;
    for address in addresses(text) {
        remaining.push_str(&text[end..address.start]);
        remaining.push('\n');
        end = address.end;
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    remaining.push_str(&text[end..]);
    Cow::Owned(remaining)
}

/// Iterator over the addresses in a text; see [`addresses`].
#[derive(Debug, Clone)]
pub struct Addresses<'a> {
    text: &'a str,
    /// End of the last address. No address begins before it.
    end: usize,
    /// The byte at which the search goes on.
    next: usize,
}

impl Iterator for Addresses<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(offset) = memchr3(b'.', b':', b'@', self.text.as_bytes().get(self.next..)?) {
            let sign = self.next + offset;
            if !may_be_address(self.text.as_bytes(), sign) {
                self.next = sign + 1;
                continue;
            }
            match address_around(self.text, self.end, sign) {
                Ok(address) => {
                    self.end = address.end;
                    self.next = address.end;
                    return Some(address);
                }
                Err(next) => self.next = next,
            }
        }
        None
    }
}

/// Returns `false` for most signs that are no part of an address: the others have `//` after them,
/// or letters or digits on both sides.
#[inline]
fn may_be_address(bytes: &[u8], sign: usize) -> bool {
    let is_alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if bytes[sign] == b':' {
        bytes.get(sign + 1) == Some(&b'/')
    } else {
        is_alphanumeric(bytes.get(sign + 1)) && is_alphanumeric(bytes.get(sign.wrapping_sub(1)))
    }
}

/// Returns the address that has its `.`, `:` or `@` at byte `sign`, and does not begin before
/// `min_start`; if there is none, the byte at which the search goes on.
fn address_around(text: &str, min_start: usize, sign: usize) -> Result<Range<usize>, usize> {
    let (before, after) = (&text[min_start..sign], &text[sign + 1..]);
    let start_of = |is_part: fn(char) -> bool| min_start + before.trim_end_matches(is_part).len();
    match text.as_bytes()[sign] {
        b':' if after.starts_with("//") => {
            let start = start_of(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            Ok(start..end_of_url(text, sign + 1))
        }
        // Not directly after another address.
        _ if before.is_empty() => Err(sign + 1),
        b'@' => {
            let host = end_of_host(text, sign + 1);
            Ok(start_of(is_local_part)..end_with_path(text, host))
        }
        b'.' => {
            let (start, end) = (start_of(is_host_character), end_of_host(text, sign + 1));
            if is_web_address(text, start..end) {
                Ok(start..end_with_path(text, end))
            } else {
                // No other full stop of the name makes it an address.
                Err(end)
            }
        }
        _ => Err(sign + 1),
    }
}

/// Returns `true` if the name at `range`, which has a full stop, is that of a host.
fn is_web_address(text: &str, range: Range<usize>) -> bool {
    let is_part_of_word = |c: Option<char>| {
        c.is_some_and(|c| c == '_' || c == '@' || c.is_alphanumeric() && !continues_directly(c))
    };
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let name = &text[range];
    let is_www = name
        .get(..4)
        .is_some_and(|www| www.eq_ignore_ascii_case("www."));
    !is_part_of_word(before.chars().next_back())
        && !is_part_of_word(after.chars().next())
        && (is_www || is_host_name(name, has_path(after)))
}

/// Returns `true` if `host`, which has a full stop, is the name of a host rather than an
/// abbreviation, a number, a file or two words.
fn is_host_name(host: &str, has_path: bool) -> bool {
    let mut labels = host.rsplit('.');
    let domain = labels.next().unwrap_or_default();
    let name = labels.next().unwrap_or_default();
    if domain.len() < 2 || !domain.bytes().all(|b| b.is_ascii_alphabetic()) || name.is_empty() {
        return false;
    }
    let domain = domain.to_ascii_lowercase();
    let is_usual_name = name.len() > 1 && name.contains(|c: char| c.is_ascii_alphabetic());
    let may_be_host = is_usual_name || has_path || OLDEST_DOMAINS.contains(&&*domain);
    let is_domain = has_path || is_country(&domain) || GENERIC_DOMAINS.contains(&&*domain);
    may_be_host && is_domain && !is_sentence_end(host)
}

/// Returns `true` if `domain`, in small letters, is the top-level domain of a country.
fn is_country(domain: &str) -> bool {
    let countries = COUNTRY_DOMAINS.as_bytes().chunks(3);
    domain.len() == 2
        && countries
            .map(|country| &country[..2])
            .any(|c| c == domain.as_bytes())
}

/// Returns `true` if the last full stop may end a sentence that no blank follows: `dan.To`.
fn is_sentence_end(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(before, after)| {
        before.ends_with(|c: char| c.is_ascii_lowercase())
            && after.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

fn has_path(after_host: &str) -> bool {
    after_host
        .strip_prefix('/')
        .is_some_and(|path| path.starts_with(|c: char| c.is_alphanumeric()))
}

fn is_host_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.' || c == '-'
}

/// Returns `true` for a character of the local part of a mail address, with the letters of RFC
/// 6531.
fn is_local_part(c: char) -> bool {
    is_host_character(c) || "_%+".contains(c) || is_unescaped_letter(c)
}

/// Returns the end of the host name that continues at byte `start`; a full stop at its end belongs
/// to the sentence.
fn end_of_host(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let length = rest.find(|c| !is_host_character(c)).unwrap_or(rest.len());
    start + rest[..length].trim_end_matches(['.', '-']).len()
}

/// Returns the end of the address whose host ends at byte `host_end`.
fn end_with_path(text: &str, host_end: usize) -> usize {
    if text[host_end..].starts_with(['/', '?', '#', ':']) {
        end_of_url(text, host_end)
    } else {
        host_end
    }
}

/// Returns the end of the URL that continues at byte `start`: before the first character that no
/// URL has, and before punctuation at its end, which belongs to the sentence.
fn end_of_url(text: &str, start: usize) -> usize {
    let may_continue = |c: char| {
        c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c) || is_unescaped_letter(c)
    };
    let rest = &text[start..];
    let length = rest.find(|c| !may_continue(c)).unwrap_or(rest.len());
    start
        + rest[..length]
            .trim_end_matches(|c| ".,:;!?'()[]".contains(c))
            .len()
}

/// Returns `true` for the letters that many addresses have unescaped (RFC 3987).
fn is_unescaped_letter(c: char) -> bool {
    !c.is_ascii() && (c.is_alphanumeric() || is_combining_mark(c)) && !continues_directly(c)
}

/// Returns `true` for letters that may follow an address without a blank: those of scripts without
/// blanks, Tibetan, and Hangul, whose particles follow a word directly.
fn continues_directly(c: char) -> bool {
    is_unspaced(c)
        || matches!(c, '\u{f00}'..='\u{fff}' | '\u{1100}'..='\u{11ff}' | '\u{3105}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use super::addresses;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<&str> {
        addresses(text).map(|range| &text[range]).collect()
    }

    /// Checks that the text is one address, also in a sentence.
    fn check(address: &str) {
        assert_eq!(found(address), [address]);
        for (before, after) in [
            ("glej ", ", danes"),
            ("(", ")"),
            ("今日", "は"),
            ("<", ">"),
            ("см. ", "."),
        ] {
            let text = format!("{before}{address}{after}");
            assert_eq!(found(&text), [address], "{text}");
        }
    }

    #[test]
    fn web_and_mail_addresses_are_found() {
        for address in [
            "http://t.co/a_b?c=d&e=(f)#g",
            "https://sl.wikipedia.org/wiki/Šmarna_gora",
            "HTTPS://EXAMPLE.COM",
            "ftp://user:secret@host/file",
            "svn+ssh://host",
            "www.slov.si/pot",
            "WWW.SLOV.SI",
            "www.museum",
            "example.org",
            "example.org/path",
            "EXAMPLE.ORG",
            "mail.example.co.uk",
            "x.com",
            "163.com",
            "example.travel/paris",
            "t.me/kanal",
            "example.com:8080/a",
            "ana@posta.si",
            "jane.doe@example.com",
            "jane_doe+list@mail.example.org",
            "user@host",
            "john.smith@example.com?subject=a",
        ] {
            check(address);
        }
        assert_eq!(
            found("a@b.si,c@d.si e@f.si"),
            ["a@b.si", "c@d.si", "e@f.si"]
        );
        assert_eq!(
            found("https://t.co/a。siol.net は"),
            ["https://t.co/a", "siol.net"]
        );
        assert_eq!(found("기자zozo@donga.com입니다"), ["zozo@donga.com"]);
    }

    #[test]
    fn words_abbreviations_numbers_and_files_are_none() {
        for text in [
            "",
            "Danes je lep dan.Jutri bo dež. Res?",
            "lep dan.To je res",
            "e.g. i.e. d.o.o. s.r.o m.in. z.B. Ph.D. p.m. U.S.A. T.J.",
            "docker-compose.yml readme.txt node.js 3.14 12.5.2024 192.168.0.1",
            "12:30, 1:2, ura: ob 8.30",
            "@ana, a @ b, R&D, #tema, 5@",
            "微信关注@abc",
            "a..b . .a a. .com",
            "col.legi il.lusió",
            "он.ru_",
            "www. in www",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    proptest! {
        #[test]
        fn addresses_are_in_order_and_at_character_boundaries(
            text in "([a-cA-C.:/@w\u{410}日é -]|com|www\\.|://){0,40}"
        ) {
            let mut end = 0;
            for range in addresses(&text) {
                prop_assert!(end <= range.start && range.start < range.end);
                prop_assert!(text.get(range.clone()).is_some());
                end = range.end;
            }
        }

        #[test]
        fn an_address_is_found_in_any_text_between_blanks(
            before in "[a-z.:@/ А-я]{0,20}", after in "[a-z.:@/ А-я]{0,20}"
        ) {
            let text = format!("{before} http://example.org/a ana@example.org {after}");
            let found = found(&text);
            prop_assert!(found.contains(&"http://example.org/a"));
            prop_assert!(found.contains(&"ana@example.org"));
        }
    }
}
