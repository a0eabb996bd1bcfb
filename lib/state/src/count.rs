//! Counts and numbers of rows that are read from a state file.

use rusqlite::{Error, Result, Row};

/// The greatest count and row number that a file may have, 2⁵³: sums and differences of several do
/// not overflow. A greater one, or a negative one, is damage.
pub const MAX_COUNT: i64 = 1 << 53;

/// Returns a count, or the number of a row, from a column of a row.
///
/// # Errors
/// Fails if the value is not an integer from 0 to [`MAX_COUNT`], or is too large for the type.
pub fn read_count<T: TryFrom<i64>>(row: &Row, column: usize) -> Result<T> {
    let value: i64 = row.get(column)?;
    Some(value)
        .filter(|value| (0..=MAX_COUNT).contains(value))
        .and_then(|value| T::try_from(value).ok())
        .ok_or(Error::IntegralValueOutOfRange(column, value))
}

#[cfg(test)]
mod tests {
    use super::read_count;
    use rusqlite::Connection;

    #[test]
    fn a_count_that_cannot_be_one_is_an_error() {
        let db = Connection::open_in_memory().unwrap();
        let read = |value: &str| {
            db.query_row(&format!("SELECT {value}"), [], |row| {
                read_count::<u32>(row, 0)
            })
            .ok()
        };
        assert_eq!((read("0"), read("7")), (Some(0), Some(7)));
        for damaged in [
            "-1",
            "4294967296",
            "9223372036854775807",
            "NULL",
            "'7'",
            "1.5",
        ] {
            assert_eq!(read(damaged), None, "{damaged}");
        }
    }
}
