use super::{HostState, HostStore};
use crate::robots_rules::RobotsRules;
use crate::tdm_reservations::TdmReservations;
use crate::{FetchError, TimeLimit};
use forage_record::ErrorKind;
use std::time::Duration;

#[test]
fn creates_the_file_on_first_use_and_leaves_other_files_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts.db");
    drop(HostStore::new(&path));
    assert!(!path.exists());
    std::fs::write(&path, "something else").unwrap();
    assert!(HostStore::new(&path).open().is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "something else");
}

#[test]
fn state_outlives_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts.db");
    let rules = RobotsRules::from_file(
        b"User-agent: *\nDisallow: /x*y$\nAllow: /\xc5\xa1\nCrawl-delay: 2.5",
    );
    let overloaded = RobotsRules::DisallowAll {
        status: 429,
        max_age: Duration::from_secs(77),
    };
    let dead = FetchError::Repeated {
        kind: ErrorKind::Dns,
        message: "no address".into(),
    };
    let reservations = TdmReservations::from_file(br#"[{"location":"/x*$","tdm-reservation":1}]"#);
    {
        let store = HostStore::new(&path);
        store.save_host(
            "a.test",
            &HostState {
                delay: Duration::from_secs(590),
                ..HostState::default()
            },
        );
        store.save_host(
            "dead.test",
            &HostState {
                back_off: Some((Duration::from_secs(590), dead.clone())),
                ..HostState::default()
            },
        );
        store.save_robots_rules("http://a.test", &rules);
        store.save_robots_rules("http://b.test", &overloaded);
        store.save_robots_rules(
            "http://slow.test",
            &RobotsRules::Unreachable(FetchError::Timeout(
                TimeLimit::Response,
                Duration::from_secs(3),
            )),
        );
        store.save_robots_rules(
            "http://refused.test",
            &RobotsRules::Unreachable(FetchError::Connect("refused".into())),
        );
        store.save_reservations("http://a.test", &reservations);
        store.save_reservations("http://b.test", &TdmReservations::NoFile);
    }
    let store = HostStore::new(&path);
    let delay = store.load_host("a.test").unwrap().delay;
    // Some time has passed; the margin is wide, for a machine under load.
    assert!(
        delay > Duration::from_secs(100) && delay <= Duration::from_secs(590),
        "{delay:?}"
    );
    assert_eq!(store.load_host("b.test"), None);
    assert_eq!(
        store.load_host("dead.test").unwrap().back_off.unwrap().1,
        dead
    );
    assert_eq!(store.load_robots_rules("http://a.test").unwrap().0, rules);
    assert_eq!(
        store.load_robots_rules("http://b.test").unwrap().0,
        overloaded
    );
    let Some((RobotsRules::Unreachable(timeout), _)) = store.load_robots_rules("http://slow.test")
    else {
        panic!()
    };
    assert_eq!(
        (timeout.kind(), timeout.to_string()),
        (ErrorKind::Timeout, "no complete response within 3 s".into())
    );
    assert!(
        store.load_robots_rules("http://refused.test").is_none(),
        "a failure that costs no time is not stored"
    );
    assert!(
        store.load_robots_rules("http://c.test").is_none()
            && store.load_reservations("http://c.test").is_none()
    );
    assert_eq!(
        store.load_reservations("http://a.test").unwrap().0,
        reservations
    );
    assert_eq!(
        store.load_reservations("http://b.test").unwrap().0,
        TdmReservations::NoFile
    );
}

#[test]
fn keeps_the_back_off_times_of_version_2() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts.db");
    let since_1970 = std::time::UNIX_EPOCH.elapsed().unwrap();
    let later = since_1970.as_millis() as i64 + 60_000;
    let old = format!(
        "CREATE TABLE host (name TEXT PRIMARY KEY, next INTEGER NOT NULL,
            failures INTEGER NOT NULL, closed INTEGER, kind TEXT, told TEXT) WITHOUT ROWID;
        CREATE TABLE robots (x); CREATE TABLE tdm (x);
        INSERT INTO host VALUES ('a.test', 1, 3, {later}, '\"timeout\"', 'too slow');
        PRAGMA user_version = 2; PRAGMA application_id = {}",
        super::HOST_STORE.application_id
    );
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(&old)
        .unwrap();
    let host = HostStore::new(&path).load_host("a.test").unwrap();
    assert_eq!(host.failures, 3);
    assert!(host.back_off.is_some(), "{host:?}");
}

#[test]
fn recreates_a_file_of_an_earlier_version_and_reports_a_damaged_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hosts.db");
    let old = "CREATE TABLE host (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE robots (x); CREATE TABLE tdm (x); PRAGMA user_version = 1;";
    let old = format!(
        "{old} PRAGMA application_id = {}",
        super::HOST_STORE.application_id
    );
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(&old)
        .unwrap();
    for _ in 0..2 {
        let store = HostStore::new(&path);
        store.save_host(
            "a.test",
            &HostState {
                failures: 2,
                ..HostState::default()
            },
        );
        assert_eq!(store.load_host("a.test").unwrap().failures, 2);
    }
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let message = HostStore::new(&path).open().unwrap_err().to_string();
    assert!(
        message.contains("damaged; delete it") && !message.contains("journal"),
        "{message}"
    );
}
