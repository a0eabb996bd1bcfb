//! What an engine can express of a query, and what it asks of those who ask.

use std::fmt;
use std::time::Duration;

/// What an engine can express, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// How far exclusion terms can be relied on.
    pub exclusion: Exclusion,
    /// Whether a query must have an inclusion term.
    pub needs_inclusion: bool,
    /// Whether a term of several words is a phrase; otherwise its words are asked for one by one.
    pub phrase: bool,
    /// Whether it can be asked for documents that are like one that it has.
    pub like: bool,
    /// Most hits a page that can be asked for; none where the engine decides.
    pub page_size: Option<u32>,
    /// Rank of the last hit that it gives for a query, whatever there is; none where no limit is
    /// known.
    pub deepest: Option<u32>,
    /// The longest query that it takes.
    pub longest: Longest,
    /// Time that it wants between two calls.
    pub pause: Duration,
}

/// How far an engine's exclusion can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// No hit ever contains an excluded term.
    Exact,
    /// It is asked for, but what lies behind may pass over it: hits are looked at once more.
    Unsure,
    /// It can't be asked for: hits whose title or snippet hold an excluded term are skipped.
    Absent,
}

/// The longest query that an engine takes. Exclusion terms beyond it are left out, and hits looked
/// at instead; a query that is too long without them is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Longest {
    /// Characters, as the query is written.
    pub characters: Option<usize>,
    /// Words, by white space.
    pub words: Option<usize>,
}

impl Abilities {
    /// Required words and phrases, exclusion that hits are looked at for once more, and no limit:
    /// what engines on the web have in common.
    pub const COMMON: Abilities = Abilities {
        exclusion: Exclusion::Unsure,
        needs_inclusion: true,
        phrase: true,
        like: false,
        page_size: None,
        deepest: None,
        longest: Longest {
            characters: None,
            words: None,
        },
        pause: Duration::ZERO,
    };

    /// The names of what some strategies need of an engine, and this one can, between blanks:
    /// `exclusion`, `exclusion-alone` (a query without an inclusion term), `like`.
    pub fn names(&self) -> String {
        let excludes = self.exclusion != Exclusion::Absent;
        let all = [
            (excludes, "exclusion"),
            (!self.needs_inclusion, "exclusion-alone"),
            (self.like, "like"),
        ];
        all.iter()
            .filter(|(can, _)| *can)
            .map(|(_, name)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Longest {
    /// Why the written query is too long, if it is.
    pub fn excess(&self, query: &str) -> Option<String> {
        let over = |found: usize, most: Option<usize>, unit| {
            most.filter(|&most| found > most)
                .map(|most| format!("{found} {unit}, and {most} are the most"))
        };
        over(query.chars().count(), self.characters, "characters")
            .or_else(|| over(query.split_whitespace().count(), self.words, "words"))
    }
}

impl fmt::Display for Abilities {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.phrase {
            "words and phrases"
        } else {
            "words; a phrase is asked for as its words"
        })?;
        f.write_str(match self.exclusion {
            Exclusion::Exact => "; excludes exactly",
            Exclusion::Unsure => "; excludes, and hits are looked at once more",
            Exclusion::Absent => "; can't exclude: hits that show an excluded term are skipped",
        })?;
        f.write_str(if self.needs_inclusion {
            "; needs an inclusion term"
        } else {
            "; exclusion alone"
        })?;
        if self.like {
            f.write_str("; pages like one that it has")?;
        }
        match self.page_size {
            Some(u32::MAX) => {}
            Some(most) => write!(f, "; pages of at most {most}")?,
            None => f.write_str("; pages as long as it likes")?,
        }
        let limits = [
            (self.deepest.map(u64::from), "hits a query"),
            (
                self.longest.characters.map(|most| most as u64),
                "characters",
            ),
            (self.longest.words.map(|most| most as u64), "words"),
        ];
        for (most, unit) in limits
            .into_iter()
            .filter_map(|(most, unit)| Some((most?, unit)))
        {
            write!(f, "; at most {most} {unit}")?;
        }
        if self.pause > Duration::ZERO {
            write!(f, "; a call each {} s", self.pause.as_secs_f32())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Abilities, Exclusion, Longest};
    use std::time::Duration;

    #[test]
    fn abilities_are_told_with_their_limits() {
        let told = Abilities {
            exclusion: Exclusion::Absent,
            page_size: Some(20),
            deepest: Some(200),
            longest: Longest {
                characters: Some(400),
                words: Some(50),
            },
            pause: Duration::from_millis(1500),
            ..Abilities::COMMON
        };
        assert_eq!(
            told.to_string(),
            "words and phrases; can't exclude: hits that show an excluded term are skipped; needs an inclusion term; \
             pages of at most 20; at most 200 hits a query; at most 400 characters; at most 50 words; a call each 1.5 s"
        );
    }

    #[test]
    fn a_query_is_too_long_by_characters_or_by_words() {
        let longest = Longest {
            characters: Some(5),
            words: Some(2),
        };
        assert_eq!(longest.excess("čšž a"), None);
        assert_eq!(
            longest.excess("čšž ab").as_deref(),
            Some("6 characters, and 5 are the most")
        );
        assert_eq!(
            longest.excess("a b c").as_deref(),
            Some("3 words, and 2 are the most")
        );
    }
}
