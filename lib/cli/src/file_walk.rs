//! The files that paths on the command line stand for: files, and with `--recursive` the files in
//! folders.

use crate::file_problem::FileProblem;
use crate::special_file::describe_special_file;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder is not read, without the option.
pub(crate) const IS_A_FOLDER: &str = "is a folder; use --recursive to read the files in it";

/// A step of a walk.
#[derive(Debug)]
pub(crate) struct WalkedPath {
    pub(crate) path: PathBuf,
    /// True if the user named the path, false if it was found in a folder.
    pub(crate) is_named: bool,
    pub(crate) kind: WalkedKind,
}

/// The kind of a path.
#[derive(Debug)]
pub(crate) enum WalkedKind {
    /// A file to read.
    File,
    /// A path that cannot be read, with the cause.
    Failure(FileProblem, String),
    /// A folder that was named, after all files in it.
    FolderEnd,
}

impl WalkedKind {
    fn unreadable(cause: impl ToString) -> WalkedKind {
        WalkedKind::Failure(FileProblem::Unreadable, cause.to_string())
    }
}

/// An iterator over files: in the order of the arguments, and in a folder sorted by name. The end
/// of each named folder is a step of its own.
///
/// In a folder, hidden files, symbolic links and files that are not regular are left out. Memory
/// grows with the number of names in the folders that are open, not with that of all files.
#[derive(Debug)]
pub(crate) struct FileWalk {
    named: std::vec::IntoIter<PathBuf>,
    is_recursive: bool,
    /// The named folder that is being read.
    named_folder: Option<PathBuf>,
    /// The rest of each open folder, the innermost last; each in reverse order.
    open_folders: Vec<Vec<PathBuf>>,
}

impl FileWalk {
    /// Creates an iterator over `paths`, where `-` or an empty list is standard input.
    pub(crate) fn new(paths: &[PathBuf], is_recursive: bool) -> FileWalk {
        let mut named = paths.to_vec();
        if named.is_empty() {
            named.push("-".into());
        }
        FileWalk {
            named: named.into_iter(),
            is_recursive,
            named_folder: None,
            open_folders: Vec::new(),
        }
    }

    /// Returns a named path: a file to read, a failure, or `None` for a folder that was opened.
    fn visit_named(&mut self, path: PathBuf) -> Option<WalkedPath> {
        let kind = if path.as_os_str() != "-" && path.is_dir() {
            if self.is_recursive {
                match self.open_folder(&path) {
                    Ok(()) => {
                        self.named_folder = Some(path);
                        return None;
                    }
                    Err(e) => WalkedKind::unreadable(e),
                }
            } else {
                WalkedKind::unreadable(IS_A_FOLDER)
            }
        } else {
            match describe_special_file(&path) {
                Some(cause) => WalkedKind::Failure(FileProblem::NotRegular, cause.into()),
                None => WalkedKind::File,
            }
        };
        Some(WalkedPath {
            path,
            is_named: true,
            kind,
        })
    }

    /// Returns a path that was found in a folder: a file to read, a failure, or `None` for what is
    /// left out and for a folder that was opened.
    fn visit_found(&mut self, path: PathBuf) -> Option<WalkedPath> {
        let kind = match fs::symlink_metadata(&path) {
            Err(e) => WalkedKind::unreadable(e),
            Ok(metadata) if metadata.is_dir() => {
                WalkedKind::unreadable(self.open_folder(&path).err()?)
            }
            Ok(metadata) if metadata.is_file() => WalkedKind::File,
            Ok(_) => return None,
        };
        Some(WalkedPath {
            path,
            is_named: false,
            kind,
        })
    }

    /// Returns the end of the named folder after its last file.
    fn close_folder(&mut self) -> Option<WalkedPath> {
        self.open_folders.pop();
        if !self.open_folders.is_empty() {
            return None;
        }
        self.named_folder.take().map(|path| WalkedPath {
            path,
            is_named: true,
            kind: WalkedKind::FolderEnd,
        })
    }

    /// Opens a folder, whose files come next.
    fn open_folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                paths.push(entry.path());
            }
        }
        paths.sort_unstable_by(|a, b| b.cmp(a));
        self.open_folders.push(paths);
        Ok(())
    }
}

impl Iterator for FileWalk {
    type Item = WalkedPath;

    fn next(&mut self) -> Option<WalkedPath> {
        loop {
            let visited = match self.open_folders.last_mut() {
                Some(folder) => match folder.pop() {
                    Some(path) => self.visit_found(path),
                    None => self.close_folder(),
                },
                None => {
                    let path = self.named.next()?;
                    self.visit_named(path)
                }
            };
            if visited.is_some() {
                return visited;
            }
        }
    }
}

/// Returns the files in a folder, in the order of [`FileWalk`].
///
/// # Errors
/// Fails if a folder in it cannot be read, or if it has no file.
pub(crate) fn list_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for walked in FileWalk::new(&[folder.to_owned()], true) {
        match walked.kind {
            WalkedKind::File => files.push(walked.path),
            WalkedKind::Failure(_, cause) => anyhow::bail!("{}: {cause}", walked.path.display()),
            WalkedKind::FolderEnd => {}
        }
    }
    anyhow::ensure!(
        !files.is_empty(),
        "{}: has no file; hidden files, links and pipes are left out",
        folder.display()
    );
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{FileWalk, WalkedKind};
    use std::fs;

    #[test]
    fn folders_are_sorted_and_hidden_files_and_links_left_out() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("b/.git")).unwrap();
        for file in ["b/z", "b/a", "b/.hidden", "b/.git/config", "c", "a", ".x"] {
            fs::write(dir.path().join(file), file).unwrap();
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("b/loop")).unwrap();
        let names = |paths: &[&str], is_recursive| -> Vec<String> {
            let paths: Vec<_> = paths.iter().map(|path| dir.path().join(path)).collect();
            FileWalk::new(&paths, is_recursive)
                .map(|walked| {
                    let name = walked.path.strip_prefix(dir.path()).unwrap().display();
                    match walked.kind {
                        WalkedKind::File => name.to_string(),
                        WalkedKind::Failure(_, cause) => format!("{name} {cause:.11}"),
                        WalkedKind::FolderEnd => format!("{name}/"),
                    }
                })
                .collect()
        };
        assert_eq!(
            names(&["c", "", "b"], true),
            ["c", "a", "b/a", "b/z", "c", "/", "b/a", "b/z", "b/"]
        );
        assert_eq!(names(&[".x", "b"], false), [".x", "b is a folder"]);
    }

    #[test]
    fn no_path_is_standard_input() {
        let paths: Vec<_> = FileWalk::new(&[], true).map(|walked| walked.path).collect();
        assert_eq!(paths, [std::path::PathBuf::from("-")]);
    }
}
