//! The true classes of a closed web's documents.

use foldhash::HashMap;

/// Class by URL. Classes are few, so each URL keeps a number.
#[derive(Debug, Default)]
pub struct Truth {
    classes: Vec<String>,
    counts: Vec<u64>,
    of: HashMap<String, u16>,
}

impl Truth {
    /// Reads a line `url<TAB>class`.
    ///
    /// # Errors
    /// When it is not that, when the URL has another class already, or with more than 65,535
    /// classes.
    pub fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8")?;
        let (url, class) = line.split_once('\t').ok_or("is not \"url, tab, class\"")?;
        let class = class.trim();
        if url.is_empty() || class.is_empty() || class.contains('\t') {
            return Err("is not \"url, tab, class\"".into());
        }
        let number = self.number(class)?;
        match self.of.insert(url.to_owned(), number) {
            None => self.counts[usize::from(number)] += 1,
            Some(before) if before == number => {}
            Some(before) => {
                self.of.insert(url.to_owned(), before);
                return Err(format!(
                    "{url} is {} in a line before",
                    self.classes[usize::from(before)]
                ));
            }
        }
        Ok(())
    }

    fn number(&mut self, class: &str) -> Result<u16, String> {
        if let Some(at) = self.classes.iter().position(|known| known == class) {
            return Ok(at as u16);
        }
        let next = u16::try_from(self.classes.len()).map_err(|_| "more than 65,535 classes")?;
        self.classes.push(class.to_owned());
        self.counts.push(0);
        Ok(next)
    }

    /// The class of a document.
    pub fn class(&self, url: &str) -> Option<&str> {
        self.of
            .get(url)
            .map(|&number| self.classes[usize::from(number)].as_str())
    }

    /// How many documents are of a class.
    pub fn count(&self, class: &str) -> u64 {
        self.classes
            .iter()
            .position(|known| known == class)
            .map_or(0, |at| self.counts[at])
    }

    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Truth;

    #[test]
    fn a_url_has_one_class_and_counts_once() {
        let mut truth = Truth::default();
        for line in [
            "http://a/\tslv",
            "http://b/\tslv",
            "http://a/\tslv",
            "http://c/\thrv",
        ] {
            truth.add(line.as_bytes()).unwrap();
        }
        assert!(truth.add(b"http://a/\thrv").unwrap_err().contains("is slv"));
        assert_eq!(
            (truth.count("slv"), truth.count("hrv"), truth.count("eng")),
            (2, 1, 0)
        );
        assert_eq!(truth.class("http://a/"), Some("slv"));
        assert_eq!(truth.class("http://d/"), None);
    }

    #[test]
    fn what_is_no_line_of_it_is_refused() {
        let mut truth = Truth::default();
        for line in [
            &b"http://a/ slv"[..],
            b"\tslv",
            b"http://a/\t",
            b"http://a/\tslv\thrv",
            b"\xff\tslv",
        ] {
            assert!(truth.add(line).is_err(), "{line:?}");
        }
    }
}
