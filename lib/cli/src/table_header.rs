//! Tables (CSV, TSV) given as records: recognised by their header line.

use crate::plain_text_check::quote_for_shell;

/// Separators of fields, with the options of Miller for them.
const SEPARATORS: [(char, &str); 3] = [
    ('\t', "--itsv"),
    (',', "--icsv"),
    (';', "--icsv --ifs semicolon"),
];

/// A table, by its header.
#[derive(Debug)]
pub(crate) struct Table {
    separator: char,
    options: &'static str,
    columns: Vec<String>,
}

impl Table {
    /// Returns the table that a line is the header of: several names of columns. A text has blanks
    /// after its commas.
    pub(crate) fn of_header(line: &[u8]) -> Option<Table> {
        let line = str::from_utf8(line)
            .ok()?
            .trim_start_matches('\u{feff}')
            .trim_end();
        SEPARATORS.into_iter().find_map(|(separator, options)| {
            let columns: Vec<String> = line
                .split(separator)
                .map(|column| column.trim_matches('"').to_owned())
                .collect();
            let is_name = |name: &String| {
                let words = name.split(' ').count();
                !name.is_empty() && name.trim() == name && words <= 3 && name.chars().count() <= 40
            };
            let is_table = columns.len() > 1 && columns.iter().all(is_name);
            is_table.then_some(Table {
                separator,
                options,
                columns,
            })
        })
    }

    /// Returns a message with the command that makes records of the rows.
    pub(crate) fn describe(&self, file: &str) -> String {
        let Table {
            separator,
            options,
            columns,
        } = self;
        let format = if *separator == '\t' { "TSV" } else { "CSV" };
        let file = quote_for_shell(file);
        let delimiter = separator.escape_default();
        let names: Vec<&str> = columns.iter().take(9).map(String::as_str).collect();
        format!(
            "the input looks like {format} with the columns {}; make records of its rows with mlr \
             {options} --ojsonl cat {file}, or with python3 -c 'import csv,json,sys; [print(json.dumps(row)) \
             for row in csv.DictReader(open(sys.argv[1], encoding=\"utf-8-sig\"), delimiter=\"{delimiter}\")]' {file}",
            names.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn headers_of_tables_are_recognised() {
        for (line, options, columns) in [
            ("id,text", "--icsv", 2),
            (
                "\u{feff}\"id\";\"Besedilo strani\";lang\r",
                "--ifs semicolon",
                3,
            ),
            ("a\tb, c\td", "--itsv", 3),
        ] {
            let table = Table::of_header(line.as_bytes()).unwrap();
            assert_eq!(table.columns.len(), columns, "{line}");
            let message = table.describe("a b.csv");
            assert!(
                message.contains(options) && message.contains("'a b.csv'"),
                "{message}"
            );
        }
        for text in [
            "Danes",
            "Danes, jutri",
            "Danes je lep dan,zato gremo ven na sprehod",
            "a,,b",
            ",",
            "\u{80},",
        ] {
            assert!(Table::of_header(text.as_bytes()).is_none(), "{text}");
        }
        assert!(Table::of_header(b"\xe8,a").is_none());
    }
}
