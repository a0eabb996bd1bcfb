//! Tables of few rows for a terminal: aligned columns, whose cells are wrapped at blanks.

/// Blanks between two columns.
const GAP: usize = 2;

/// Formats rows of equal length as lines of at most `width` characters, if each column can have one.
pub(crate) fn format_table(rows: &[Vec<&str>], width: usize) -> Vec<String> {
    let widths = choose_widths(rows, width);
    let format_row = |row: &Vec<&str>| {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| wrap(cell, *width))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let format_line = |index: usize| {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let part = cell.get(index).map_or("", String::as_str);
                line += &format!("{part:width$}{:GAP$}", "");
            }
            line.trim_end().to_owned()
        };
        (0..height).map(format_line).collect::<Vec<_>>()
    };
    rows.iter().flat_map(format_row).collect()
}

/// Returns the widths of the columns: each has what its longest word needs, if that is possible, and
/// they share the rest equally, as far as they need it.
fn choose_widths(rows: &[Vec<&str>], width: usize) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let longest = |column: usize, length: fn(&str) -> usize| {
        let cells = rows.iter().map(|row| length(row[column]));
        cells.max().unwrap_or_default()
    };
    let needed: Vec<usize> = (0..columns)
        .map(|column| longest(column, |cell| cell.chars().count()))
        .collect();
    let width = width.saturating_sub(GAP * columns.saturating_sub(1));
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| longest(column, longest_word))
        .collect();
    if widths.iter().sum::<usize>() > width {
        widths.fill(1);
    }
    let mut rest = width.saturating_sub(widths.iter().sum());
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by_key(|&column| needed[column].saturating_sub(widths[column]));
    for (index, column) in order.into_iter().enumerate() {
        let missing = needed[column].saturating_sub(widths[column]);
        let share = missing.min(rest / (columns - index));
        widths[column] += share;
        rest -= share;
    }
    widths
}

fn longest_word(cell: &str) -> usize {
    let words = cell.split_whitespace().map(|word| word.chars().count());
    words.max().unwrap_or_default()
}

/// Breaks a text at blanks, and in a word that is longer than a line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let parts = text.split_whitespace().flat_map(|word| {
        let chars: Vec<char> = word.chars().collect();
        let parts = chars.chunks(width.max(1)).map(String::from_iter);
        parts.collect::<Vec<String>>()
    });
    for word in parts {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::format_table;

    #[test]
    fn columns_are_aligned_and_long_cells_wrapped() {
        let rows = [
            vec!["engine", "key", "capabilities"],
            vec!["index:DIR", "", "exact exclusion of words and phrases"],
            vec!["č:", "K", "words"],
        ];
        assert_eq!(
            format_table(&rows, 34),
            [
                "engine     key  capabilities",
                "index:DIR       exact exclusion of",
                "                words and phrases",
                "č:         K    words",
            ]
        );
        assert_eq!(format_table(&rows, 80).len(), 3);
        let narrow = format_table(&rows, 20);
        assert!(
            narrow.iter().all(|line| line.chars().count() <= 20),
            "{narrow:?}"
        );
        assert!(!format_table(&rows, 1).is_empty());
        assert!(format_table(&[], 80).is_empty());
    }
}
