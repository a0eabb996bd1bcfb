//! The occurrences in a document, as they are written.

use crate::args::{Args, COLUMNS, Order};
use crate::context::Context;
use crate::layout::Layout;
use crate::matcher::Matcher;
use crate::sort_key::SortKey;
use forage_cli::Output;
use forage_record::Record;
use forage_run::Event;
use forage_text::normalise;

/// The columns of context on each side if the output is no terminal.
const CONTEXT_COLUMNS: usize = 40;

/// An occurrence as it is sorted and written.
#[derive(Debug)]
pub struct Row {
    /// The key of its place in the output.
    pub key: Vec<u8>,
    /// The line, or the record of a row of a table.
    pub line: Vec<u8>,
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

    /// Writes the line of a row.
    ///
    /// # Errors
    /// Fails if it is no record in a table.
    pub fn write(&self, line: &[u8], out: &mut Output) -> anyhow::Result<()> {
        match self.is_table {
            true => out.write_record(&Record::parse(line.to_vec()).map_err(|(error, _)| error)?),
            false => out.write_line(str::from_utf8(line)?),
        }
        Ok(())
    }

    fn row(&self, context: Context, event: &Event) -> Row {
        let key = match self.order {
            Order::Right => SortKey::right(&context).into_bytes(),
            Order::Left => SortKey::left(&context).into_bytes(),
            Order::Document => Vec::new(),
        };
        let (id, url) = (event.id(), event.url());
        let line = if self.is_table {
            let [id, url] = [id, url].map(Option::unwrap_or_default);
            let Context { left, node, right } = &context;
            let mut record = Record::new();
            for (column, cell) in COLUMNS.iter().zip([&*id, &*url, left, node, right]) {
                record.set(column, &cell);
            }
            let mut line = Vec::new();
            record.write(&mut line);
            line.pop();
            line
        } else {
            let source = self.has_source.then(|| url.or(id).unwrap_or_default());
            self.layout.format(&context, source.as_deref()).into_bytes()
        };
        Row { key, line }
    }
}
