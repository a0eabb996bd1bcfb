//! The files that the pages of a walk name, as an index of sitemaps does, in the order in which
//! they are requested: those of an index before those after the index.
//!
//! The pages in the cache name the same files again, so a walk in a later process goes on where the
//! one before it ended. Only the names are in memory, and each file is requested once, so that an
//! index that names itself has an end.

use std::collections::HashSet;

/// Files that may name each other: a site's robots.txt, an index, an index in it, a file, and
/// redirects to them. Sitemaps allow one index. Set by judgement, not measured.
const MAX_DEPTH: usize = 8;

/// Files to be requested.
#[derive(Default)]
pub(super) struct FileQueue {
    /// The files with their depths, the next one last.
    pending: Vec<(usize, String)>,
    /// All files so far.
    named: HashSet<String>,
    /// Depth of the file that was taken last.
    depth: usize,
}

impl FileQueue {
    /// Returns `true` if no file is left.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Takes the next file.
    pub fn take_next(&mut self) -> Option<String> {
        let (depth, file) = self.pending.pop()?;
        self.depth = depth;
        Some(file)
    }

    /// Adds the files that the last one names, if they are new. Returns `false` if they are too
    /// deep.
    pub fn add(&mut self, files: Vec<String>) -> bool {
        if self.depth >= MAX_DEPTH && !files.is_empty() {
            return false;
        }
        let depth = self.depth + 1;
        let start = self.pending.len();
        for file in files {
            if self.named.insert(file.clone()) {
                self.pending.push((depth, file));
            }
        }
        self.pending[start..].reverse();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{FileQueue, MAX_DEPTH};

    #[test]
    fn the_files_of_an_index_precede_those_after_it_and_each_is_taken_once() {
        let mut queue = FileQueue::default();
        let names = |text: &str| text.split(' ').map(str::to_owned).collect();
        assert!(queue.add(names("a b c b")));
        assert_eq!(queue.take_next().as_deref(), Some("a"));
        assert!(queue.add(names("a x y c")));
        let rest: Vec<String> = std::iter::from_fn(|| queue.take_next()).collect();
        assert_eq!(rest, ["x", "y", "b", "c"]);
    }

    #[test]
    fn files_that_name_new_files_without_end_have_one() {
        let mut queue = FileQueue::default();
        let mut depth = 0;
        while queue.add(vec![depth.to_string()]) {
            assert!(queue.take_next().is_some() && queue.is_empty());
            depth += 1;
        }
        assert_eq!(depth, MAX_DEPTH);
        assert!(queue.add(Vec::new()));
    }
}
