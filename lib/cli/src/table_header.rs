//! Tables (CSV, TSV) given as records: recognised by their header line.

/// Separators of fields, with the options of Miller (`mlr`) for them.
const SEPARATORS: [(char, &str); 3] = [
    ('\t', "--itsv"),
    (',', "--icsv"),
    (';', "--icsv --ifs semicolon"),
];

/// Returns the options of Miller for the table that a line is the header of: several names of
/// columns. A text has blanks after its commas.
pub(crate) fn table_options(line: &[u8]) -> Option<&'static str> {
    let line = str::from_utf8(line).ok()?;
    let line = line.trim_start_matches('\u{feff}').trim_end();
    let is_name = |column: &str| {
        let name = column.trim_matches('"');
        let words = name.split(' ').count();
        !name.is_empty() && name.trim() == name && words <= 3 && name.chars().count() <= 40
    };
    let is_table = |separator| line.contains(separator) && line.split(separator).all(is_name);
    let table = SEPARATORS
        .into_iter()
        .find(|(separator, _)| is_table(*separator));
    table.map(|(_, options)| options)
}

#[cfg(test)]
mod tests {
    use super::table_options;

    #[test]
    fn headers_of_tables_are_recognised() {
        for (line, options) in [
            ("id,text", "--icsv"),
            (
                "\u{feff}\"id\";\"Besedilo strani\";lang\r",
                "--icsv --ifs semicolon",
            ),
            ("a\tb, c\td", "--itsv"),
        ] {
            assert_eq!(table_options(line.as_bytes()), Some(options), "{line}");
        }
        for text in [
            "Danes",
            "Danes, jutri",
            "Danes je lep dan,zato gremo ven na sprehod",
            "a,,b",
            ",",
            "\u{80},",
        ] {
            assert_eq!(table_options(text.as_bytes()), None, "{text}");
        }
        assert_eq!(table_options(b"\xe8,a"), None);
    }
}
