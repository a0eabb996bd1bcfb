//! Where the Japanese dictionary is looked for.

use std::path::PathBuf;

/// The variable of the environment that names the dictionary.
const VARIABLE: &str = "FORAGE_DICTIONARY";
/// Where `make install` puts the dictionary, and where `make dictionary` builds it, relative to the
/// folder of the programs.
const PLACES: [&str; 2] = ["../share/forage/ipadic.dic", "../dictionary/ipadic.dic"];

/// Returns the path of the Japanese dictionary: `FORAGE_DICTIONARY` if it is set and not empty,
/// whether or not there is such a file; otherwise that of the file that `make install` has
/// installed or `make dictionary` has built for this program. `None` if there is none.
pub fn find_dictionary() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let mut paths = PLACES.iter().map(|place| folder.join(place));
    paths.find(|path| path.is_file())
}
