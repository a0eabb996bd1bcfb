//! The URLs of saved pages.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use url::Url;

/// The names of the files that the user gives. A page that is published has no path of the machine:
/// its name begins with the last part of the path that was given, or with as many parts as tell the
/// given paths apart.
#[derive(Debug)]
pub(crate) struct LocalNames {
    given: HashSet<PathBuf>,
    parts: usize,
}

impl LocalNames {
    /// Creates the names of files and of the files in folders.
    ///
    /// # Errors
    /// Fails if the working directory is unknown.
    pub(crate) fn new(given: &[PathBuf]) -> io::Result<Self> {
        let given = given.iter().map(std::path::absolute);
        let given = given.collect::<io::Result<HashSet<PathBuf>>>()?;
        let is_unique = |parts: &usize| {
            let ends = given.iter().map(|path| end_of(path, *parts));
            ends.collect::<HashSet<_>>().len() == given.len()
        };
        let parts = (1..).find(is_unique).unwrap_or(1);
        Ok(LocalNames { given, parts })
    }

    /// Returns the URL of a file: its name as a path from the root; or the path of a stream.
    ///
    /// # Errors
    /// Fails if the path cannot be converted.
    pub(crate) fn url(&self, path: &Path) -> io::Result<Url> {
        let mut path = match path.as_os_str() == "-" {
            true => PathBuf::from("/dev/stdin"),
            false => std::path::absolute(path)?,
        };
        let given = path.ancestors().find(|path| self.given.contains(*path));
        if let Some(given) = given.filter(|_| !path.starts_with("/dev")) {
            let length = path.components().count() - given.components().count() + self.parts;
            path = Path::new("/").join(end_of(&path, length));
        }
        Url::from_file_path(path)
            .map_err(|()| io::Error::other("its path cannot be converted to a URL"))
    }
}

/// Returns the last parts of an absolute path.
fn end_of(path: &Path, parts: usize) -> PathBuf {
    let names = path.components().skip(1);
    names
        .clone()
        .skip(names.count().saturating_sub(parts))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::LocalNames;

    #[test]
    fn a_page_has_the_end_of_its_path_that_tells_it_from_others() {
        for (given, found, url) in [
            (
                &["/home/me/a b.html"][..],
                "/home/me/a b.html",
                "/a%20b.html",
            ),
            (
                &["/home/me/texts", "/none"],
                "/home/me/texts/x/a.html",
                "/texts/x/a.html",
            ),
            (&["/d/1/a.html", "/d/2/a.html"], "/d/2/a.html", "/2/a.html"),
            (&["/a.html", "/d/a.html", "/a.html"], "/a.html", "/a.html"),
            (&["/a.html", "/d/a.html"], "/d/a.html", "/d/a.html"),
            (&["/", "/d"], "/d/x", "/d/x"),
            (&["-", "a"], "-", "/dev/stdin"),
            (&["/dev/fd/63"], "/dev/fd/63", "/dev/fd/63"),
        ] {
            let given: Vec<_> = given.iter().map(Into::into).collect();
            let names = LocalNames::new(&given).unwrap();
            assert_eq!(names.url(found.as_ref()).unwrap().path(), url, "{given:?}");
        }
    }
}
