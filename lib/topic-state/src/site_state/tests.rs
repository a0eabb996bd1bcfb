use super::*;
use forage_record::Record;
use rusqlite::Connection;

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
    assert!(!state.is_relevant("http://a.test/x/3", 0.65).unwrap());
    apply(
        &mut state,
        2,
        "http://a.test/x/4",
        r#"["collocation","passage"]"#,
    );
    assert!(state.is_relevant("http://a.test/x/3", 0.65).unwrap());
    assert!(!state.is_relevant("http://a.test/y/4", 0.65).unwrap());
    state.remove_pages_from(2).unwrap();
    assert!(!state.is_relevant("http://a.test/x/3", 0.65).unwrap());
}

#[test]
fn an_archive_by_date_has_no_subject() {
    let mut state = SiteState::in_memory(1).unwrap();
    for directory in ["http://a.test/2026/03/", "http://a.test/python3/"] {
        apply(&mut state, 1, &format!("{directory}1"), r#"["term","vsm"]"#);
    }
    assert!(!state.is_relevant("http://a.test/2026/03/2", 0.65).unwrap());
    assert!(state.is_relevant("http://a.test/python3/2", 0.65).unwrap());
}

fn state_with_core() -> SiteState {
    SiteState::in_memory(3).unwrap().with_core("t")
}

#[test]
fn a_directory_of_several_subjects_is_not_relevant() {
    let mut state = state_with_core();
    let url = |page: u32| format!("http://a.test/news/{page}");
    for page in 1..=6 {
        apply(&mut state, 1, &url(page), r#"["term","vsm"]"#);
    }
    assert!(state.is_relevant(&url(0), 0.65).unwrap());
    for page in 7..=20 {
        apply(&mut state, 2, &url(page), r#"["directory"]"#);
    }
    assert!(!state.is_relevant(&url(0), 0.65).unwrap());
    // It is looked at again: what it brings later counts.
    for page in 21..=40 {
        apply(&mut state, 3, &url(page), r#"["vsm"]"#);
    }
    assert!(state.is_relevant(&url(0), 0.65).unwrap());
}

#[test]
fn the_core_counts_for_its_hosts() {
    let mut state = state_with_core();
    for page in 1..=3 {
        let json = format!(r#"{{"url":"http://a.test/{page}/","text":"x","label":"t"}}"#);
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }
    assert!(state.is_relevant("http://a.test/z/1", 0.65).unwrap());
    assert!(!state.is_relevant("http://b.test/z/1", 0.65).unwrap());
    for page in 1..=9 {
        apply(&mut state, 1, &format!("http://a.test/y/{page}"), "[]");
    }
    assert!(!state.is_relevant("http://a.test/z/1", 0.65).unwrap());
}

#[test]
fn scores_are_forgotten_with_their_step() {
    let mut state = SiteState::in_memory(3).unwrap();
    for step in 1..=2 {
        let json = format!(
            r#"{{"step":{{"number":{step},"target":"t","last":true}},"url":"http://a.test/{step}","text":"x","topic":{{"metrics":[],"scores":{{"vsm":0.1}}}}}}"#
        );
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }
    assert_eq!(state.scores().page_count(), 2);
    state.remove_pages_from(2).unwrap();
    assert_eq!(state.scores().page_count(), 1);
}

#[test]
fn the_share_of_undoubted_pages_of_a_host_is_known_after_five() {
    let mut state = SiteState::in_memory(3).unwrap();
    let share = |state: &SiteState| state.undoubted_share("http://a.test/z").unwrap();
    for page in 1..=4 {
        let metrics = if page == 1 {
            r#"["vsm","term"]"#
        } else {
            r#"["vsm","directory"]"#
        };
        apply(&mut state, page, &format!("http://a.test/{page}"), metrics);
        assert_eq!(share(&state), None);
    }
    apply(&mut state, 5, "http://a.test/5", "[]");
    assert_eq!(share(&state), Some(1.0 / 15.0));
    apply(&mut state, 6, "http://b.test/6", "[]");
    apply(&mut state, 6, "http://a.test/6", r#"["term","vsm"]"#);
    assert_eq!(share(&state), Some(2.0 / 16.0));
    state.remove_pages_from(6).unwrap();
    assert_eq!(share(&state), Some(1.0 / 15.0));
}

fn state_with_thresholds() -> SiteState {
    let thresholds = "vsm=0.2,passage=0.2,term=1,pair=1,triple=1"
        .parse()
        .unwrap();
    SiteState::in_memory(3).unwrap().with_thresholds(thresholds)
}

/// Applies five pages of a host with these cosines, and returns its share.
fn share_of_pages(state: &mut SiteState, vsm: f64, topic: &str) -> Option<f64> {
    for page in 1..=5 {
        let json = format!(
            r#"{{"url":"http://a.test/{page}","text":"x","topic":{{{topic},"scores":{{"vsm":{vsm},"passage":0.4}}}}}}"#
        );
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }
    state.undoubted_share("http://a.test/6").unwrap()
}

#[test]
fn a_near_miss_does_not_count_for_its_host() {
    for (vsm, share) in [(0.2, 0.0), (0.24, 0.0), (0.26, 1.0 / 3.0)] {
        let mut state = state_with_thresholds();
        let topic = r#""metrics":["vsm","passage"]"#;
        assert_eq!(share_of_pages(&mut state, vsm, topic), Some(share), "{vsm}");
        assert!(state.is_relevant("http://a.test/6", 0.65).unwrap());
    }
}

#[test]
fn a_host_is_counted_by_the_same_thresholds_if_they_were_raised() {
    let mut state = state_with_thresholds();
    let topic = r#""metrics":[],"threshold_factor":2"#;
    assert_eq!(share_of_pages(&mut state, 0.26, topic), Some(1.0 / 3.0));
    assert!(!state.is_relevant("http://a.test/6", 0.65).unwrap());
}

#[test]
fn a_file_of_version_2_is_emptied_to_be_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sites.db");
    let mut state = SiteState::open(&path, 1).unwrap();
    apply(&mut state, 3, "http://a.test/x/1", r#"["term","vsm"]"#);
    state.save().unwrap();
    assert!(!state.lacks_steps_before(4));
    drop(state);
    let db = Connection::open(&path).unwrap();
    let old = "DROP TABLE site; DROP TABLE score; CREATE TABLE undoubted (directory BLOB);
               PRAGMA user_version = 2";
    db.execute_batch(old).unwrap();
    drop(db);
    let state = SiteState::open(&path, 1).unwrap();
    assert!(state.lacks_steps_before(4));
    assert!(!state.is_relevant("http://a.test/x/2", 0.65).unwrap());
}

#[test]
fn the_final_url_decides() {
    let mut state = SiteState::in_memory(1).unwrap();
    let json = r#"{"url":"http://a.test/old/1","text":"x","fetch":{"url":"http://a.test/new/1"},"topic":{"metrics":["term","vsm"]}}"#;
    let record = Record::parse(json.into()).unwrap();
    state.apply_event(&Event::from_record(&record)).unwrap();
    assert!(state.is_relevant("http://a.test/new/2", 0.65).unwrap());
    assert!(!state.is_relevant("http://a.test/old/2", 0.65).unwrap());
}
