//! Profiles of the classes of a run: when documents are counted, and what a repeated step removes.

use forage_record::Record;
use forage_run::{Event, Projection, ProjectionFile};
use langid::state_file::{ClassProfiles, ClassProfilesError};
use tempfile::TempDir;

const SLOVENIAN: &str = "danes je lep dan zato gremo na dolg sprehod okoli jezera";
const ENGLISH: &str = "today is a fine day so we go for a long walk around the lake";

fn apply(profiles: &mut ClassProfiles, json: &str) {
    let record = Record::parse(json.as_bytes().to_vec()).expect("a record");
    let event = Event::from_record(&record);
    profiles.apply(&event).expect("the file is written");
}

fn initial(label: &str, text: &str, more: &str) -> String {
    format!(r#"{{"label":"{label}","text":"{text}"{more}}}"#)
}

fn retrieved(step: u64, label: &str, text: &str, more: &str) -> String {
    let step = format!(r#","step":{{"number":{step},"target":"slv","last":true}}"#);
    initial(label, text, &(step + more))
}

fn new_profiles(folder: &TempDir) -> ClassProfiles {
    let mut profiles =
        ClassProfiles::open(&folder.path().join("profiles.db"), 0.03).expect("a new file");
    apply(&mut profiles, &initial("slv", SLOVENIAN, ""));
    apply(&mut profiles, &initial("eng", ENGLISH, ""));
    profiles
}

/// Returns the sizes of the samples of all profiles in words, by code.
fn sample_sizes(profiles: &ClassProfiles) -> Vec<(String, u64)> {
    let identifier = profiles.identifier().expect("the file is read");
    let size = |class: forage_langid::LanguageClass| (class.code.to_string(), class.sample_tokens);
    identifier.classes().map(size).collect()
}

fn sizes(eng: u64, slv: u64) -> Vec<(String, u64)> {
    vec![("eng".into(), eng), ("slv".into(), slv)]
}

#[test]
fn a_document_is_counted_when_the_next_step_begins() {
    let folder = TempDir::new().unwrap();
    let mut profiles = new_profiles(&folder);
    assert!(sample_sizes(&profiles).is_empty());
    profiles.prepare_step(1).unwrap();
    assert_eq!(sample_sizes(&profiles), sizes(15, 11));
    apply(&mut profiles, &retrieved(1, "slv", "lep dan", ""));
    assert_eq!(sample_sizes(&profiles), sizes(15, 11));
    profiles.prepare_step(2).unwrap();
    assert_eq!(sample_sizes(&profiles), sizes(15, 13));
}

#[test]
fn a_step_is_repeated_without_its_documents_unless_they_are_counted() {
    let folder = TempDir::new().unwrap();
    let mut profiles = new_profiles(&folder);
    apply(&mut profiles, &retrieved(1, "slv", "lep dan", ""));
    assert!(profiles.keep_steps_before(1).unwrap());
    profiles.prepare_step(2).unwrap();
    assert_eq!(sample_sizes(&profiles), sizes(15, 11));
    assert!(matches!(
        profiles.prepare_step(1),
        Err(ClassProfilesError::ContainsStep(_, 1))
    ));
    assert!(!profiles.keep_steps_before(1).unwrap());
    // Steps that the file lacks.
    assert!(!profiles.keep_steps_before(9).unwrap());
}

#[test]
fn duplicates_other_labels_and_small_margins_are_not_added() {
    let folder = TempDir::new().unwrap();
    let mut profiles = new_profiles(&folder);
    let langid = |margin: &str| {
        format!(r#","langid":{{"code":"slv","score":1,"margin":{margin},"top":[]}}"#)
    };
    let duplicate = r#","dedup":{"status":"near","of":"x"}"#;
    for record in [
        retrieved(1, "slv", "lep dan", duplicate),
        retrieved(1, "slv", "lep dan", &langid("0.0299")),
        retrieved(1, "hrv", "lijep dan", ""),
        retrieved(1, "und", "lep dan", ""),
    ] {
        apply(&mut profiles, &record);
    }
    profiles.prepare_step(2).unwrap();
    assert_eq!(sample_sizes(&profiles), sizes(15, 11));
    apply(
        &mut profiles,
        &retrieved(2, "slv", "lep dan", &langid("0.03")),
    );
    profiles.prepare_step(3).unwrap();
    assert_eq!(sample_sizes(&profiles), sizes(15, 13));
}

#[test]
fn an_initial_document_of_a_later_step_waits_for_it_and_survives_a_repeated_step() {
    let folder = TempDir::new().unwrap();
    let mut profiles = new_profiles(&folder);
    apply(
        &mut profiles,
        &initial("slv", "lep dan", r#","from_step":3"#),
    );
    for (step, words) in [(1, 11), (2, 11), (2, 11), (3, 13)] {
        profiles.prepare_step(step).unwrap();
        assert_eq!(sample_sizes(&profiles), sizes(15, words), "step {step}");
    }
}

#[test]
fn the_label_of_an_initial_document_is_a_language_code() {
    let folder = TempDir::new().unwrap();
    let mut profiles = new_profiles(&folder);
    for label in ["sl", "fil", "on-topic", "und"] {
        let json = initial(label, SLOVENIAN, "");
        let record = Record::parse(json.into_bytes()).unwrap();
        let error = profiles
            .apply_event(&Event::from_record(&record))
            .unwrap_err();
        assert!(error.to_string().contains(label), "{error}");
    }
}
