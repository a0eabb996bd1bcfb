//! A figure: a drawing with its title, a remark, and its numbers in a table.

use crate::report::html::{escape, format_count};

/// A figure of the page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figure {
    pub title: String,
    /// A sentence on what to see.
    pub note: String,
    pub svg: String,
    pub table: Table,
}

/// A table of numbers. The first column has names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: &[&str]) -> Self {
        Table {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn push<const N: usize>(&mut self, row: [String; N]) {
        self.rows.push(row.into());
    }

    /// Adds a row of cells, each with the name of its column.
    pub fn push_named<const N: usize>(&mut self, row: [(&str, String); N]) {
        self.columns = row.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.rows.push(row.map(|(_, cell)| cell).into());
    }

    /// Adds a row of counts.
    pub fn push_counts(&mut self, name: &str, counts: &[u64]) {
        let counts = counts.iter().map(|count| format_count(*count));
        self.rows
            .push([name.to_owned()].into_iter().chain(counts).collect());
    }

    /// Returns the table in HTML.
    pub fn render(&self, caption: &str) -> String {
        let header = |name: &String| format!("<th scope=col>{}", escape(name));
        let cell = |(index, text): (usize, &String)| match index {
            0 => format!("<th scope=row dir=auto>{}", escape(text)),
            _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '−') => {
                format!("<td class=n>{}", escape(text))
            }
            _ => format!("<td dir=auto>{}", escape(text)),
        };
        let row = |row: &Vec<String>| {
            format!(
                "<tr>{}\n",
                row.iter().enumerate().map(cell).collect::<String>()
            )
        };
        format!(
            "<table><caption>{}</caption><thead><tr>{}<tbody>{}</table>",
            escape(caption),
            self.columns.iter().map(header).collect::<String>(),
            self.rows.iter().map(row).collect::<String>()
        )
    }
}

impl Figure {
    /// Creates a figure whose drawing `draw` returns, given the title.
    pub fn new(
        title: impl Into<String>,
        note: impl Into<String>,
        table: Table,
        draw: impl FnOnce(&str) -> String,
    ) -> Self {
        let title = title.into();
        Figure {
            svg: draw(&title),
            note: note.into(),
            title,
            table,
        }
    }

    /// Returns the figure in HTML.
    pub fn render(&self) -> String {
        format!(
            "<figure><figcaption><b>{}</b> {}</figcaption>{}<details><summary>Numbers</summary>\
             <div class=scroll tabindex=0 role=region aria-label=\"Numbers: {0}\">{}</div></details></figure>\n",
            escape(&self.title),
            escape(&self.note),
            self.svg,
            self.table.render(&self.title)
        )
    }
}
