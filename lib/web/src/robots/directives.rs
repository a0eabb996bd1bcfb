//! Robots directives, as in `X-Robots-Tag` header fields and `<meta>` tags: a list in which some
//! directives may apply to one robot only.
//!
//! The grammar is that of Google's documentation ("Robots meta tag specifications"): directives are
//! separated by commas, and those after the name of a robot and a colon apply to that robot. The
//! parser is more lenient, so that a wish of a page is not missed because of a semicolon.

/// Directives with a value after a colon. Any other word before a colon is the name of a robot.
const DIRECTIVES_WITH_VALUE: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];
/// Directives that are recognised also if they are separated by spaces only.
const DIRECTIVES: &str = "all none index noindex follow nofollow noarchive nocache nosnippet \
                          noimageindex notranslate noodp noai noimageai";

/// Returns the directives of a list that apply to all robots or to `agent`, in lower case.
pub fn parse_directives(list: &str, agent: &str) -> Vec<String> {
    let list = list.to_lowercase();
    let mut directives = Vec::new();
    let mut applies_to_agent = true;
    for part in list.split([',', ';']) {
        let mut part = part.trim();
        while let Some((name, rest)) = part
            .split_once(':')
            .filter(|(name, rest)| is_robot_name(name.trim()) && !is_number(rest.trim()))
        {
            applies_to_agent = matches_agent(name.trim(), agent);
            part = rest.trim();
        }
        if applies_to_agent {
            push_directives(part, &mut directives);
        }
    }
    directives
}

/// Adds a part of a list: one directive, or several that are separated by spaces.
fn push_directives(part: &str, to: &mut Vec<String>) {
    if part
        .split_whitespace()
        .any(|word| DIRECTIVES.split(' ').any(|directive| directive == word))
    {
        to.extend(part.split_whitespace().map(str::to_owned));
    } else if !part.is_empty() {
        to.push(part.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

/// Returns `true` if the text before a colon is the name of a robot, not a directive or part of a
/// date.
fn is_robot_name(word: &str) -> bool {
    !word.is_empty()
        && !word.contains(char::is_whitespace)
        && !DIRECTIVES_WITH_VALUE.contains(&word)
}

/// Returns `true` for a number, which is the value of a directive, also of one that is not known.
fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Returns `true` if a name, with or without a version, is `*` or that of `agent`.
fn matches_agent(name: &str, agent: &str) -> bool {
    let name = name.split('/').next().unwrap_or_default();
    name == "*" || name.eq_ignore_ascii_case(agent)
}

#[cfg(test)]
mod tests {
    use super::parse_directives;

    #[test]
    fn directives_after_a_name_apply_to_that_robot() {
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
            (
                "max-audio-preview: 5, noai",
                &["max-audio-preview: 5", "noai"],
            ),
            ("otherbot: max-audio-preview: -1, noai", &[]),
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
