//! The rule files of `--rules`, and warnings about rules that match nothing.

use anyhow::Context;
use forage_cli::Messages;
use forage_page::{ExtractedPage, NEWS_RULES, RuleSet};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The name of the built-in rules, for news sites.
const NEWS_NAME: &str = "news";

/// Reads the rules of files, of all files of a folder whose names end in `.toml`, in the order of
/// their names, and the built-in rules of news sites for the name `news`.
///
/// # Errors
/// Fails if a file cannot be read or has an error, naming file and line, or if a folder has none.
pub fn read_rules(paths: &[PathBuf]) -> anyhow::Result<RuleSet> {
    let mut rules = RuleSet::default();
    for path in paths {
        if path.as_os_str() == NEWS_NAME {
            add_rules(&mut rules, NEWS_NAME, NEWS_RULES)?;
            continue;
        }
        for file in rule_files(path).with_context(|| format!("--rules {}", path.display()))? {
            let content = std::fs::read_to_string(&file)
                .with_context(|| format!("--rules {}", file.display()))?;
            add_rules(&mut rules, &file.display().to_string(), &content)?;
        }
    }
    Ok(rules)
}

fn add_rules(rules: &mut RuleSet, name: &str, content: &str) -> anyhow::Result<()> {
    rules
        .add_file(content)
        .map_err(|e| anyhow::anyhow!("{name}:{}: {e}", e.line))
}

/// Returns the file itself, or the rule files of a folder.
fn rule_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(file);
        }
    }
    anyhow::ensure!(!files.is_empty(), "the folder has no file *.toml");
    files.sort();
    Ok(files)
}

/// Warns about each rule that matches nothing on a page, once per host.
#[derive(Debug)]
pub struct UnmatchedRuleWarnings {
    messages: Messages,
    /// The hosts of the rules that were reported.
    hosts: Mutex<HashSet<String>>,
}

impl UnmatchedRuleWarnings {
    /// Creates an empty list of reported hosts.
    pub fn new(messages: Messages) -> Self {
        UnmatchedRuleWarnings {
            messages,
            hosts: Mutex::default(),
        }
    }

    /// Warns if a document has a rule that does not match, and the host of the rule is new.
    pub fn check_document(&self, document: &ExtractedPage) {
        let Some(rule) = document.fetch.rule.as_ref().filter(|rule| !rule.matched) else {
            return;
        };
        let mut hosts = self.hosts.lock();
        if hosts.insert(rule.host.clone()) {
            self.messages.warn(format_args!(
                "{}: the site rule matches nothing on some pages, which are extracted without it; \
                 has the site been redesigned",
                rule.host
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read_rules, rule_files};
    use std::fs;

    #[test]
    fn a_folder_stands_for_its_rule_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.toml", "a.toml", "c.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let files = rule_files(folder.path()).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap()).collect();
        assert_eq!(names, ["a.toml", "b.toml"]);
        assert!(read_rules(&[folder.path().to_owned(), "news".into()]).is_ok());
    }

    #[test]
    fn an_error_names_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_rules(&[folder.path().to_owned()]).is_err());
        let file = folder.path().join("a.toml");
        fs::write(&file, "\n[[site]]\nhost = 1\n").unwrap();
        let message = format!("{:#}", read_rules(std::slice::from_ref(&file)).unwrap_err());
        assert!(
            message.starts_with(&format!("{}:3: ", file.display())),
            "{message}"
        );
    }
}
