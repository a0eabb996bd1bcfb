use super::*;
use forage_record::Record;
use forage_run::ProjectionFile;

fn apply(state: &mut SiteState, step: u64, url: &str, metrics: &str) {
    let json = format!(
        r#"{{"step":{{"number":{step},"target":"t","last":true}},"url":"{url}","text":"x","topic":{{"metrics":{metrics}}}}}"#
    );
    let record = Record::parse(json.into_bytes()).unwrap();
    state.apply_event(&Event::from_record(&record)).unwrap();
}

#[test]
fn a_directory_is_relevant_after_enough_undoubted_pages() {
    let mut state = SiteState::in_memory(2).unwrap();
    apply(&mut state, 1, "http://a.test/x/1", r#"["term","vsm"]"#);
    apply(&mut state, 1, "http://a.test/x/2", r#"["vsm","directory"]"#);
    apply(&mut state, 1, "http://a.test/y/3", r#"["term","vsm"]"#);
    assert!(!state.is_relevant("http://a.test/x/3").unwrap());
    apply(
        &mut state,
        2,
        "http://a.test/x/4",
        r#"["collocation","passage"]"#,
    );
    assert!(state.is_relevant("http://a.test/x/3").unwrap());
    assert!(!state.is_relevant("http://a.test/y/4").unwrap());
    state.remove_from(2).unwrap();
    assert!(!state.is_relevant("http://a.test/x/3").unwrap());
}

#[test]
fn an_archive_by_date_has_no_subject() {
    let mut state = SiteState::in_memory(1).unwrap();
    for directory in ["http://a.test/2026/03/", "http://a.test/python3/"] {
        apply(&mut state, 1, &format!("{directory}1"), r#"["term","vsm"]"#);
    }
    assert!(!state.is_relevant("http://a.test/2026/03/2").unwrap());
    assert!(state.is_relevant("http://a.test/python3/2").unwrap());
}

/// Returns a state with a core, the cosines of which are .01 to 1; the threshold is about .35.
fn state_with_core() -> SiteState {
    let core: Vec<MetricScores> = (1..=100)
        .map(|rank| MetricScores {
            vsm: f64::from(rank) / 100.0,
            ..MetricScores::default()
        })
        .collect();
    let fit = CoreFit::new(&core, 0.65);
    SiteState::in_memory(3).unwrap().with_core(fit, "t")
}

#[test]
fn a_directory_of_several_subjects_is_not_relevant() {
    let mut state = state_with_core();
    let url = |page: u32| format!("http://a.test/news/{page}");
    for page in 1..=6 {
        apply(&mut state, 1, &url(page), r#"["term","vsm"]"#);
    }
    assert!(state.is_relevant(&url(0)).unwrap());
    for page in 7..=20 {
        apply(&mut state, 2, &url(page), r#"["directory"]"#);
    }
    assert!(!state.is_relevant(&url(0)).unwrap());
    // It is looked at again: what it brings later counts.
    for page in 21..=40 {
        apply(&mut state, 3, &url(page), r#"["vsm"]"#);
    }
    assert!(state.is_relevant(&url(0)).unwrap());
}

#[test]
fn the_core_counts_for_its_hosts() {
    let mut state = state_with_core();
    for page in 1..=3 {
        let json = format!(r#"{{"url":"http://a.test/{page}/","text":"x","label":"t"}}"#);
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }
    assert!(state.is_relevant("http://a.test/z/1").unwrap());
    assert!(!state.is_relevant("http://b.test/z/1").unwrap());
    for page in 1..=9 {
        apply(&mut state, 1, &format!("http://a.test/y/{page}"), "[]");
    }
    assert!(!state.is_relevant("http://a.test/z/1").unwrap());
}

#[test]
fn a_small_directory_is_judged_by_its_host() {
    let mut state = state_with_core();
    let other = "http://a.test/z/1";
    for page in 1..=3 {
        assert!(!state.is_relevant(other).unwrap());
        let url = format!("http://a.test/x{page}/1");
        apply(&mut state, 1, &url, r#"["term","vsm"]"#);
    }
    assert!(state.is_relevant(other).unwrap());
    for page in 1..=20 {
        apply(&mut state, 2, &format!("http://a.test/y/{page}"), "[]");
    }
    assert!(!state.is_relevant(other).unwrap());
    state.remove_from(2).unwrap();
    assert!(state.is_relevant(other).unwrap());
}

#[test]
fn only_what_a_step_brings_is_written() {
    let mut state = state_with_core();
    let bytes = |state: &SiteState| {
        let sql = "SELECT sum(length(scores)) FROM site WHERE step = 2";
        let sum = state
            .file
            .run(|db| db.query_row(sql, [], |row| row.get::<_, i64>(0)));
        sum.unwrap()
    };
    apply_scores(
        &mut state,
        1,
        "a.test",
        (0..90).map(|n| f64::from(n) * 0.01),
    );
    apply_scores(&mut state, 2, "a.test", [0.2, 0.2].into_iter());
    // A bin of the host, and one of all hosts.
    assert_eq!(bytes(&state), 2 * 10);
}

/// Applies pages of a host, with these cosines.
fn apply_scores(state: &mut SiteState, step: u64, host: &str, cosines: impl Iterator<Item = f64>) {
    for (page, vsm) in cosines.enumerate() {
        let json = format!(
            r#"{{"step":{{"number":{step},"target":"t","last":true}},"url":"http://{host}/{step}/{page}","text":"x","topic":{{"metrics":[],"scores":{{"vsm":{vsm}}}}}}}"#
        );
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }
}

#[test]
fn thresholds_of_a_host_follow_from_its_judged_pages() {
    let mut state = state_with_core();
    let factor = |state: &mut SiteState, host| {
        let factors = state.factors(&format!("http://{host}/")).unwrap();
        assert!(factors.vote <= factors.undoubted);
        factors.vote
    };
    assert_eq!(factor(&mut state, "a.test"), 1.0);
    // A newspaper: nothing but its pages on the subject is near the thresholds.
    let others = || (0..60).map(|n| f64::from(n) * 0.0005);
    apply_scores(&mut state, 1, "paper.test", others().chain([0.5, 0.6]));
    assert!(factor(&mut state, "paper.test") < 0.8);
    // A manual: near misses, of which some reach the thresholds.
    let misses = || (0..60).map(|n| 0.1 + f64::from(n) * 0.0045);
    apply_scores(&mut state, 2, "manual.test", misses());
    let raised = factor(&mut state, "manual.test");
    assert!(raised > 1.1, "{raised}");
    assert!(factor(&mut state, "paper.test") < 0.8);
    // It is looked at again: what it brings later counts.
    apply_scores(
        &mut state,
        3,
        "manual.test",
        (0..60).map(|n| 0.5 + f64::from(n) * 0.005),
    );
    assert!(factor(&mut state, "manual.test") < raised);
    state.remove_from(3).unwrap();
    assert_eq!(factor(&mut state, "manual.test"), raised);
    state.remove_from(1).unwrap();
    assert_eq!(factor(&mut state, "paper.test"), 1.0);
}

#[test]
fn given_thresholds_are_those_of_all_hosts() {
    let mut state = SiteState::in_memory(3).unwrap();
    apply_scores(
        &mut state,
        1,
        "a.test",
        (0..60).map(|n| f64::from(n) * 0.005),
    );
    assert_eq!(
        state.factors("http://a.test/").unwrap(),
        ThresholdFactors::ONE
    );
}

/// The file format before.
const SITE_FILE_KIND_2: StateFileKind = StateFileKind {
    version: 2,
    schema: &[
        "CREATE TABLE undoubted (directory BLOB NOT NULL, step INTEGER NOT NULL, pages INTEGER NOT NULL,
         PRIMARY KEY (directory, step)) WITHOUT ROWID;
         CREATE INDEX undoubted_step ON undoubted (step);
         CREATE TABLE host (host BLOB NOT NULL, step INTEGER NOT NULL, judged INTEGER NOT NULL,
         undoubted INTEGER NOT NULL, PRIMARY KEY (host, step)) WITHOUT ROWID;
         CREATE INDEX host_step ON host (step);",
        LAST_STEP_TABLE,
    ],
    upgrades: &[],
    ..SITE_FILE_KIND
};

#[test]
fn a_file_of_version_2_is_emptied_to_be_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sites.db");
    let mut file = StepFile::open(&path, &SITE_FILE_KIND_2).unwrap();
    file.begin().unwrap();
    file.advance_to(3);
    file.run(|db| db.execute("INSERT INTO host VALUES (x'00', 3, 1, 1)", []))
        .unwrap();
    file.commit().unwrap();
    assert!(!file.lacks_steps_before(4));
    drop(file);
    let mut state = SiteState::open(&path, 1).unwrap();
    assert!(state.lacks_steps_before(4));
    apply(&mut state, 3, "http://a.test/x/1", r#"["term","vsm"]"#);
    state.save().unwrap();
    assert!(!state.lacks_steps_before(4));
    assert!(state.is_relevant("http://a.test/x/2").unwrap());
}

#[test]
fn the_final_url_decides() {
    let mut state = SiteState::in_memory(1).unwrap();
    let json = r#"{"url":"http://a.test/old/1","text":"x","fetch":{"url":"http://a.test/new/1"},"topic":{"metrics":["term","vsm"]}}"#;
    let record = Record::parse(json.into()).unwrap();
    state.apply_event(&Event::from_record(&record)).unwrap();
    assert!(state.is_relevant("http://a.test/new/2").unwrap());
    assert!(!state.is_relevant("http://a.test/old/2").unwrap());
}
