//! What a folder is that was named as that of a run, and is none.

use std::path::Path;

/// Returns the message about a folder that is not that of a run, because it has no `missing` file.
pub fn describe_folder(folder: &str, missing: &str) -> String {
    let path = Path::new(folder);
    let cause = match describe_kind(path) {
        Some(kind) => kind,
        None => format!("is not a run folder (there is no {missing})"),
    };
    format!("{folder}: {cause}")
}

fn describe_kind(path: &Path) -> Option<String> {
    if !path.exists() {
        return Some("no such folder".into());
    }
    if !path.is_dir() {
        return Some("is a file; name the folder of a run".into());
    }
    let has = |name: &str| path.join(name).exists();
    if has("forage-index.json") {
        return Some(format!(
            "is an embedded index, not a run; --engine index:{} searches it",
            path.display()
        ));
    }
    if let Some(run) = path.parent().filter(|parent| is_run(parent)) {
        let part = match has("review.conf") {
            true => "is the review",
            false => "is a part",
        };
        return Some(format!("{part} of a run; name the run, {}", run.display()));
    }
    if has("journal.jsonl") {
        return None;
    }
    if has("counts.tsv") && has("engine.log") {
        return Some("is the log of cluster, not a run".into());
    }
    let runs = list_runs(path);
    match runs.as_slice() {
        [] => None,
        [run] => Some(format!("is not a run folder, but has one; name {run}")),
        runs => Some(format!(
            "is not a run folder, but has several; name one: {}",
            runs.join(", ")
        )),
    }
}

fn is_run(path: &Path) -> bool {
    path.join("run.conf").is_file()
}

/// Returns the runs in a folder; at most so many as a message can show.
fn list_runs(path: &Path) -> Vec<String> {
    const MAX_SHOWN: usize = 5;
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut runs: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| is_run(path))
        .map(|path| path.display().to_string())
        .collect();
    runs.sort();
    runs.truncate(MAX_SHOWN);
    runs
}

#[cfg(test)]
mod tests {
    use super::describe_folder;
    use std::fs;

    #[test]
    fn a_folder_that_is_no_run_is_described() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().display().to_string();
        for file in [
            "a/run.conf",
            "a/review/review.conf",
            "a/corpus/slv.jsonl",
            "b/run.conf",
            "index/forage-index.json",
            "pages.log/counts.tsv",
            "pages.log/engine.log",
            "journal/journal.jsonl",
            "empty/.x",
            "above/c/run.conf",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (folder, kind) in [
            ("missing", "no such folder".into()),
            ("a/run.conf", "is a file; name the folder of a run".into()),
            (
                "a/review",
                format!("is the review of a run; name the run, {root}/a"),
            ),
            (
                "a/corpus",
                format!("is a part of a run; name the run, {root}/a"),
            ),
            (
                "index",
                format!("is an embedded index, not a run; --engine index:{root}/index searches it"),
            ),
            ("pages.log", "is the log of cluster, not a run".into()),
            (
                "journal",
                "is not a run folder (there is no run.conf)".into(),
            ),
            ("empty", "is not a run folder (there is no run.conf)".into()),
            (
                "above",
                format!("is not a run folder, but has one; name {root}/above/c"),
            ),
            (
                ".",
                format!("is not a run folder, but has several; name one: {root}/./a, {root}/./b"),
            ),
        ] {
            let path = format!("{root}/{folder}");
            assert_eq!(
                describe_folder(&path, "run.conf"),
                format!("{path}: {kind}")
            );
        }
    }
}
