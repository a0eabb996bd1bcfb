//! Files that are not read as documents: pipes, devices and sockets, of which reading one may never
//! end, and the output of the tool.

use crate::output_guard::is_stdout;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The folders in which the open files of a process have names.
const DESCRIPTOR_FOLDERS: [&str; 2] = ["/dev/fd", "/proc/self/fd"];
/// The names of standard input.
const STDIN_PATHS: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Returns the reason why a file cannot be read as a document, if it is not regular or is the
/// output of the tool. A path that does not exist has no such reason.
pub(crate) fn describe_special_file(path: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(path).ok()?;
    let file_type = metadata.file_type();
    if is_stdout(&metadata) {
        Some("is the output")
    } else if file_type.is_file() || file_type.is_dir() {
        None
    } else if STDIN_PATHS.iter().any(|stdin| path == Path::new(stdin)) {
        Some("is not a regular file; use - to read standard input")
    } else if is_descriptor(path) {
        Some("is not a regular file; save the output of the command first, or pipe it to -")
    } else if file_type.is_fifo() {
        Some("is not a regular file; save it first")
    } else {
        Some("is not a regular file")
    }
}

/// Returns the reason why a file is not read as a whole, if there is one: it is a pipe, device or
/// socket, unless it is open already, as `/dev/stdin` and `<(command)` of a shell are.
pub(crate) fn find_refusal(path: &Path) -> Option<&'static str> {
    if is_descriptor(path) {
        None
    } else {
        describe_special_file(path)
    }
}

/// Returns `true` for a name of an open file of this process.
fn is_descriptor(path: &Path) -> bool {
    let is_in_folder = |folder| path.parent() == Some(Path::new(folder));
    path == Path::new(STDIN_PATHS[0]) || DESCRIPTOR_FOLDERS.into_iter().any(is_in_folder)
}

#[cfg(test)]
mod tests {
    use super::{describe_special_file, find_refusal};
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    #[test]
    fn only_regular_files_are_documents() {
        let dir = tempfile::tempdir().unwrap();
        let [file, socket, none] = ["file", "socket", "none"].map(|name| dir.path().join(name));
        std::fs::write(&file, "a").unwrap();
        let _listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(describe_special_file(&file), None);
        assert_eq!(describe_special_file(&none), None);
        for special in [&socket, Path::new("/dev/null")] {
            assert_eq!(
                describe_special_file(special),
                Some("is not a regular file")
            );
            assert!(find_refusal(special).is_some());
        }
        assert_eq!(find_refusal(&file), None);
    }
}
