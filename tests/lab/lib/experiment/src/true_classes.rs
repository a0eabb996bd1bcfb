//! The true classes of the documents of a closed web.

use foldhash::HashMap;

/// The true class of each document, by URL. There are few classes, so each URL is stored with a
/// class index.
#[derive(Debug, Default)]
pub struct TrueClasses {
    names: Vec<String>,
    /// Number of documents, by class index.
    counts: Vec<u64>,
    index_by_url: HashMap<String, u16>,
}

impl TrueClasses {
    /// Parses a line `url<TAB>class` and adds the document.
    ///
    /// # Errors
    /// Fails if the line has another form, if the URL has a different class already, or if there
    /// are more than 65,536 classes.
    pub fn add_line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8")?;
        let (url, class) = line.split_once('\t').ok_or("is not \"url, tab, class\"")?;
        let class = class.trim();
        if url.is_empty() || class.is_empty() || class.contains('\t') {
            return Err("is not \"url, tab, class\"".into());
        }
        let index = self.find_or_add_class(class)?;
        match self.index_by_url.get(url) {
            None => {
                self.index_by_url.insert(url.to_owned(), index);
                self.counts[usize::from(index)] += 1;
                Ok(())
            }
            Some(&previous) if previous == index => Ok(()),
            Some(&previous) => Err(format!(
                "{url} is {} in an earlier line",
                self.names[usize::from(previous)]
            )),
        }
    }

    /// Returns the index of a class.
    fn find_or_add_class(&mut self, name: &str) -> Result<u16, String> {
        if let Some(index) = self.index_of(name) {
            return Ok(index as u16);
        }
        let next = u16::try_from(self.names.len()).map_err(|_| "more than 65,535 classes")?;
        self.names.push(name.to_owned());
        self.counts.push(0);
        Ok(next)
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Returns the class of a document; `None` if it is unknown.
    pub fn class(&self, url: &str) -> Option<&str> {
        self.index_by_url
            .get(url)
            .map(|&index| self.names[usize::from(index)].as_str())
    }

    /// Returns the number of documents of a class.
    pub fn documents_of_class(&self, class: &str) -> u64 {
        self.index_of(class).map_or(0, |index| self.counts[index])
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.index_by_url.len()
    }
}

#[cfg(test)]
mod tests {
    use super::TrueClasses;

    #[test]
    fn a_url_has_one_class_and_is_counted_once() {
        let mut truth = TrueClasses::default();
        for line in [
            "http://a/\tslv",
            "http://b/\tslv",
            "http://a/\tslv",
            "http://c/\thrv",
        ] {
            truth.add_line(line.as_bytes()).unwrap();
        }
        assert!(
            truth
                .add_line(b"http://a/\thrv")
                .unwrap_err()
                .contains("is slv")
        );
        assert_eq!(
            (
                truth.documents_of_class("slv"),
                truth.documents_of_class("hrv"),
                truth.documents_of_class("eng")
            ),
            (2, 1, 0)
        );
        assert_eq!(truth.class("http://a/"), Some("slv"));
        assert_eq!(truth.class("http://d/"), None);
    }

    #[test]
    fn refuses_malformed_lines() {
        let mut truth = TrueClasses::default();
        for line in [
            &b"http://a/ slv"[..],
            b"\tslv",
            b"http://a/\t",
            b"http://a/\tslv\thrv",
            b"\xff\tslv",
        ] {
            assert!(truth.add_line(line).is_err(), "{line:?}");
        }
    }
}
