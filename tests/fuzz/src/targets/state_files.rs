//! Files of states: where they are while they are read, and the damage that is done to them.

use super::Target;
use crate::mutation::{self, below, pick};
use forage_text::Random;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Calls a function with a file of this name that has these bytes. The folder is in memory, if the
/// system has such a file system, because SQLite waits until the disk has written.
pub(super) fn with_file<T>(bytes: &[u8], name: &str, run: impl FnOnce(&Path) -> T) -> T {
    let folder = FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let parent = if memory.is_dir() {
                memory.to_owned()
            } else {
                std::env::temp_dir()
            };
            tempfile::tempdir_in(parent).expect("a folder for the file")
        });
        folder.path().to_owned()
    });
    let path = folder.join(name);
    remove_database(&path);
    fs::write(&path, bytes).expect("the file is written");
    // Otherwise, all mutations would be refused alike.
    forage_state::renew_checksums(&path).expect("the file is written");
    run(&path)
}

/// Removes a database and SQLite's files beside it.
pub(super) fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(PathBuf::from(name));
    }
}

/// Changes bytes within the pages of a database, or values of its rows.
pub(super) fn mutate_state(
    target: &Target,
    input: &mut Vec<u8>,
    other: &[u8],
    random: &mut Random,
) {
    match below(random, 10) {
        0 => mutation::mutate(input, other, &[], target.max_bytes, random),
        1..4 => {
            for _ in 0..1 << below(random, 5) {
                match below(random, 3) {
                    0 => mutation::set_integer(input, random),
                    _ => mutation::flip_bit(input, random),
                }
            }
        }
        _ => {
            let changed = with_file(input, "mutated.db", |path| {
                // A file that SQLite refuses remains as it is.
                let _ = change_rows(path, random);
                fs::read(path).expect("the file is read")
            });
            *input = changed;
        }
    }
}

/// Changes the values of a few columns.
fn change_rows(path: &Path, random: &mut Random) -> rusqlite::Result<()> {
    let db = Connection::open(path)?;
    db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF;")?;
    let columns: Vec<(String, String)> = db
        .prepare("SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' ORDER BY 1, c.cid")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if columns.is_empty() {
        return Ok(());
    }
    for _ in 0..1 << below(random, 4) {
        let (table, column) = pick(random, &columns);
        // Errors are those of constraints.
        let _ = change_value(&db, table, column, random);
    }
    Ok(())
}

fn change_value(
    db: &Connection,
    table: &str,
    column: &str,
    random: &mut Random,
) -> rusqlite::Result<usize> {
    let skip = below(random, 30);
    let of_row = match below(random, 8) {
        0 => String::new(),
        _ => format!(
            " WHERE \"{column}\" IS (SELECT \"{column}\" FROM \"{table}\" LIMIT 1 OFFSET \
             {skip} % max(1, (SELECT count(*) FROM \"{table}\")))"
        ),
    };
    if below(random, 10) == 0 {
        return db.execute(&format!("DELETE FROM \"{table}\"{of_row}"), []);
    }
    let update = format!("UPDATE OR REPLACE \"{table}\" SET \"{column}\" = ");
    match below(random, 4) {
        0 => {
            let expressions = [
                "-{c}",
                "{c} + 1",
                "{c} - 1",
                "{c} * 1000",
                "CAST({c} AS TEXT)",
                "CAST({c} AS BLOB)",
                "substr({c}, 1, length({c}) / 2)",
                "{c} || {c}",
                "{c} || char(0)",
                "{c} / 3.0",
                "substr({c}, 2)",
                "random()",
                "replace({c}, 'e', '\"')",
                "zeroblob(length({c}))",
            ];
            let expression = pick(random, &expressions).replace("{c}", &format!("\"{column}\""));
            db.execute(&format!("{update}{expression}{of_row}"), [])
        }
        _ => {
            let value = random_value(random);
            db.execute(&format!("{update}?1{of_row}"), [value])
        }
    }
}

fn random_value(random: &mut Random) -> Value {
    let integers = [
        0,
        1,
        2,
        3,
        -1,
        255,
        1 << 31,
        (1 << 32) - 1,
        1 << 53,
        i64::MAX,
        i64::MAX - 1,
        i64::MIN,
    ];
    let reals = [
        0.0,
        -0.0,
        0.5,
        -1.0,
        1e-300,
        1e18,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    let texts = [
        "",
        "0",
        "x",
        "\0",
        "slv",
        "on-topic",
        "http://a.test/",
        "{}",
        "[]",
        "{\"url\":1}",
        "š\u{301}",
        "%",
        "9223372036854775808",
        "NaN",
        "or:3",
        "a b c",
    ];
    match below(random, 6) {
        0..3 => Value::Integer(*pick(random, &integers)),
        3 => Value::Real(*pick(random, &reals)),
        4 => Value::Text((*pick(random, &texts)).into()),
        _ => match below(random, 4) {
            0 => Value::Null,
            n => Value::Blob(vec![0xFF; n * 3]),
        },
    }
}
