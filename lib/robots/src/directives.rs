//! Directives for robots, as headers (`X-Robots-Tag`) and `<meta>` tags give them: a list, of which
//! parts may be meant for one robot alone.
//!
//! Google's documentation ("Robots meta tag specifications") has the grammar: parts are separated
//! by commas, and a name with a colon says whom those that follow are for. Pages are read more
//! leniently, as what they ask for should not fail by a semicolon.

/// Directives that have a value of their own behind a colon; any other word there is a robot's
/// name.
const WITH_VALUE: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];
/// Directives that need no comma to be told apart from others.
const WORDS: &str = "all none index noindex follow nofollow noarchive nocache nosnippet \
                     noimageindex notranslate noodp noai noimageai";

/// The directives of a list that are meant for everyone, or for `agent`, in lower case.
pub fn parse_directives(list: &str, agent: &str) -> Vec<String> {
    let list = list.to_lowercase();
    let (mut found, mut is_for_us) = (Vec::new(), true);
    for part in list.split([',', ';']) {
        let mut part = part.trim();
        while let Some((name, rest)) = part
            .split_once(':')
            .filter(|(name, _)| is_name(name.trim()))
        {
            is_for_us = is_of(name.trim(), agent);
            part = rest.trim();
        }
        if is_for_us {
            push_part(part, &mut found);
        }
    }
    found
}

/// Takes a part of a list: a directive, or several that nothing but spaces stand between.
fn push_part(part: &str, to: &mut Vec<String>) {
    if part
        .split_whitespace()
        .any(|word| WORDS.split(' ').any(|it| it == word))
    {
        to.extend(part.split_whitespace().map(str::to_owned));
    } else if !part.is_empty() {
        to.push(part.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

/// Whether what stands before a colon is a robot's name, and not a directive or a part of a date.
fn is_name(word: &str) -> bool {
    !word.is_empty() && !word.contains(char::is_whitespace) && !WITH_VALUE.contains(&word)
}

/// Whether a robot's name, with or without a version, is everyone's or that of `agent`.
fn is_of(name: &str, agent: &str) -> bool {
    let name = name.split('/').next().unwrap_or_default();
    name == "*" || name.eq_ignore_ascii_case(agent)
}

#[cfg(test)]
mod tests {
    use super::parse_directives;

    #[test]
    fn a_name_says_whom_the_directives_behind_it_are_for() {
        for (list, expected) in [
            ("NoIndex, NoAI", &["noindex", "noai"][..]),
            ("noindex, forage: noai", &["noindex", "noai"]),
            ("*: noai", &["noai"]),
            ("noindex, otherbot: nofollow", &["noindex"]),
            (
                "otherbot: noindex, nofollow, Forage/2: noai, noarchive",
                &["noai", "noarchive"],
            ),
            ("otherbot: forage: noai", &["noai"]),
            ("noindex; noai", &["noindex", "noai"]),
            ("noindex noai", &["noindex", "noai"]),
            ("max-snippet: 20, noai", &["max-snippet: 20", "noai"]),
            (
                "unavailable_after: Sat, 25 Jun 2030 15:00:00 GMT, noai",
                &["unavailable_after: sat", "25 jun 2030 15:00:00 gmt", "noai"],
            ),
            (" , :,, ", &[":"]),
        ] {
            assert_eq!(parse_directives(list, "forage"), expected, "{list}");
        }
    }
}
