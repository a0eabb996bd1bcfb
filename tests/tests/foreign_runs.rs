//! Run folders of somebody else: their settings are data.

use forage_tests::closed_web::{new_run_command, resume_command, run_pipeline};
use forage_tests::{copy_folder, temp_folder};
use std::fs;

#[test]
fn nothing_that_a_foreign_run_has_stored_is_executed() {
    let dir = temp_folder();
    let [ours, foreign, mark] = ["ours", "foreign", "mark"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(
        &ours,
        &["--docs", "2", "--filter", "langid"],
    ))
    .expect_exit(0);
    let settings = fs::read_to_string(ours.join("run.conf")).unwrap();
    let mark_path = mark.display();
    for (what, changed) in [
        ("a key", format!("{settings}x$(touch {mark_path})=1\n")),
        (
            "a subscript",
            format!("{settings}conf[$(touch {mark_path})]=1\n"),
        ),
        (
            "a value",
            settings.replace("seed=0", &format!("seed=a[$(touch {mark_path})]")),
        ),
        (
            "a time",
            settings.replace(
                "patience=3600",
                &format!("patience=a[$(touch {mark_path})]"),
            ),
        ),
        (
            "a class",
            settings.replace("init=slv", &format!("init=$(touch {mark_path})")),
        ),
        ("a file", settings.replace("=init/", "=init/../../")),
        (
            "a filter",
            settings.replace("filter=langid", &format!("filter=touch {mark_path}; cat")),
        ),
        (
            "an expansion",
            settings.replace(
                "filter=langid",
                &format!("filter=langid $(touch {mark_path})"),
            ),
        ),
        ("escapes", format!("{settings}target=\u{1b}]0;title\u{7}\n")),
    ] {
        assert_ne!(changed, settings, "{what}");
        copy_folder(&ours, &foreign);
        fs::write(foreign.join("run.conf"), changed).unwrap();
        let stderr = run_pipeline(resume_command(&foreign, &["--docs", "4"]))
            .expect_exit(2)
            .stderr;
        assert!(!mark.exists(), "{what}: {stderr}");
        assert!(!stderr.contains('\u{1b}'), "{what}: {stderr:?}");
    }
    // Our own filter is run; another command, if the user trusts the folder.
    copy_folder(&ours, &foreign);
    run_pipeline(resume_command(&foreign, &["--docs", "3"])).expect_exit(0);
    let command = format!("filter=touch {mark_path}; langid");
    fs::write(
        foreign.join("run.conf"),
        settings.replace("filter=langid", &command),
    )
    .unwrap();
    let stderr = run_pipeline(resume_command(&foreign, &["--docs", "4"]))
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("resume it with --trust"), "{stderr}");
    assert!(!mark.exists());
    let stderr = run_pipeline(resume_command(&foreign, &["--trust", "--docs", "4"]))
        .expect_exit(0)
        .stderr;
    assert!(mark.exists());
    assert!(stderr.contains("foreign --trust --docs N"), "{stderr}");
}
