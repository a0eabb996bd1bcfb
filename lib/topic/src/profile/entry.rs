//! The entries of a topic profile.

use forage_langid::LanguageCode;

/// A class of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A stem.
    Term,
    /// Two adjacent stems.
    Pair,
    /// Three adjacent stems.
    Triple,
}

impl EntryKind {
    /// All classes, in the order of a file.
    pub const ALL: [EntryKind; 3] = [EntryKind::Term, EntryKind::Pair, EntryKind::Triple];

    /// Returns the name of the class in a file.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Term => "term",
            EntryKind::Pair => "pair",
            EntryKind::Triple => "triple",
        }
    }

    /// Returns the class with a name.
    pub fn from_name(name: &str) -> Option<EntryKind> {
        EntryKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the number of stems of an entry.
    pub fn stem_count(self) -> usize {
        self as usize + 1
    }
}

/// An entry of a topic profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileEntry {
    /// The class of the entry.
    pub kind: EntryKind,
    /// The stems, separated by blanks.
    pub stems: String,
    /// Number of occurrences in the core; at least 0.
    pub count: f64,
    /// Weight in the vector space model, greater than 0; `None` if the file has no fourth column.
    pub weight: Option<f64>,
}

impl ProfileEntry {
    /// Returns the weight of the entry in the vector space model: the given one, or else 1 + ln of
    /// the count.
    pub fn vector_weight(&self) -> f64 {
        self.weight
            .unwrap_or_else(|| 1.0 + libm::log(self.count.max(1.0)))
    }
}

/// The stems and collocations that characterise a subject (the *filter* of Kluev 2000).
#[derive(Debug, Clone, PartialEq)]
pub struct TopicProfile {
    /// The language by whose rules documents are split into words and stems.
    pub language: LanguageCode,
    /// The entries, in the order of the file; none occurs twice.
    pub entries: Vec<ProfileEntry>,
}

impl TopicProfile {
    /// Returns the entries of a class.
    pub fn entries_of(&self, kind: EntryKind) -> impl Iterator<Item = &ProfileEntry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }
}
