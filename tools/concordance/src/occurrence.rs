//! The occurrences in a document, as they are written.

use crate::args::{Args, COLUMNS, Order};
use forage_cli::Output;
use forage_concordance::{Context, Layout, Matcher, SortKey};
use forage_record::Record;
use forage_run::Event;
use forage_text::normalise;

/// The columns of context on each side if the output is no terminal.
const CONTEXT_COLUMNS: usize = 40;

/// An occurrence as it is sorted and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key of its place in the output.
    pub key: Vec<u8>,
    /// The line, or the values of the columns of a table.
    pub cells: Vec<String>,
}

impl Row {
    /// Writes the row.
    pub fn write(&self, out: &mut Output) {
        if let [line] = self.cells.as_slice() {
            out.write_line(line);
            return;
        }
        let mut record = Record::new();
        for (column, cell) in COLUMNS.iter().zip(&self.cells) {
            record.set(column, cell);
        }
        out.write_record(&record);
    }
}

/// The way in which occurrences are shown.
#[derive(Debug)]
pub struct Occurrences {
    layout: Layout,
    order: Order,
    is_table: bool,
    has_source: bool,
}

impl Occurrences {
    /// Creates the way that the user requested, on a terminal of `terminal_columns`.
    pub fn new(args: &Args, terminal_columns: Option<usize>) -> Occurrences {
        let layout = match (args.context, terminal_columns) {
            (Some(columns), _) => Layout::with_context(columns.into()),
            (None, Some(columns)) if !args.tsv && !args.source => Layout::with_line(columns),
            (None, _) => Layout::with_context(CONTEXT_COLUMNS),
        };
        Occurrences {
            layout,
            order: args.sort,
            is_table: args.tsv,
            has_source: args.source,
        }
    }

    /// Returns the occurrences in a document; `None` if there are none.
    pub fn find(&self, matcher: &Matcher, event: &Event) -> Option<Vec<Row>> {
        let text = event.text();
        let text = normalise(&text);
        let mut rows = Vec::new();
        matcher.for_each_match(&text, |range| {
            rows.push(self.row(Context::new(&text, range, self.layout.columns), event));
        });
        (!rows.is_empty()).then_some(rows)
    }

    fn row(&self, context: Context, event: &Event) -> Row {
        let key = match self.order {
            Order::Right => SortKey::right(&context).into_bytes(),
            Order::Left => SortKey::left(&context).into_bytes(),
            Order::Document => Vec::new(),
        };
        let (id, url) = (event.id(), event.url());
        let cells = if self.is_table {
            let source = [id, url].map(|value| value.unwrap_or_default().into_owned());
            let Context { left, node, right } = context;
            source.into_iter().chain([left, node, right]).collect()
        } else {
            let source = self.has_source.then(|| url.or(id).unwrap_or_default());
            vec![self.layout.format(&context, source.as_deref())]
        };
        Row { key, cells }
    }
}
