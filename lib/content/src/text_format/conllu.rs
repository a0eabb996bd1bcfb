//! CoNLL-U, CoNLL-U Plus and CoNLL-X: a token per line, a blank line after each sentence.

use super::{FormatReader, LineReader, Pattern, end_line, nearly_all, pattern};

/// The first token of a sentence, which may be part of one with a form of its own.
static START: Pattern = Pattern::new(|| pattern(r"\A(?:#.*\n)*(?:1|1-\d+|\d+\.\d+)\t"));

/// A token, which a row of a table with numbered rows is not: a form, the names of a tag and a
/// relation, the number of a head; or other columns of which some are empty, as in the task of
/// 2009.
static TOKEN: Pattern = Pattern::new(|| {
    pattern(
        r"^\d+(?:[-.]\d+)?\t[^\t]+\t[^\t]*\t[^\t\d][^\t]*\t[^\t]*\t[^\t]*\t(?:_|\d+)\t[^\t\d][^\t]*\t[^\t]*\t[^\t]*$|^\d+\t[^\t]+\t(?:.*\t)?_\t(?:.*\t)?_(?:\t.*)?$",
    )
});

/// Reads the forms of tokens: those of words that are written as one, once.
#[derive(Debug, Default)]
struct ConlluReader {
    /// The columns of ID, FORM and MISC.
    columns: [usize; 3],
    /// The text of the sentence by its comment.
    comment: String,
    /// The text of the sentence by its forms.
    forms: String,
    /// The last word of the multiword token whose form was read.
    last_covered: u64,
    /// True if paragraphs are marked: a line is one, else a sentence.
    has_paragraphs: bool,
}

/// Returns a reader, if the lines are those of the format.
pub(super) fn open(head: &str) -> FormatReader {
    let mut lines = head.lines();
    let columns = match lines.next()?.strip_prefix("# global.columns = ") {
        Some(names) => {
            let column = |name| names.split_whitespace().position(|column| column == name);
            let misc = column("MISC").unwrap_or(usize::MAX);
            [column("ID")?, column("FORM")?, misc]
        }
        None => {
            let mut tokens = head.lines().filter(|line| !line.starts_with('#'));
            let is_conllu = START.is_match(head) && nearly_all(&mut tokens, |l| TOKEN.is_match(l));
            is_conllu.then_some([0, 1, 9])?
        }
    };
    Some(Box::new(ConlluReader {
        columns,
        ..ConlluReader::default()
    }))
}

impl ConlluReader {
    fn read_token(&mut self, line: &str) {
        let cell = |column| line.split('\t').nth(column).unwrap_or_default();
        let [id, form, misc] = self.columns.map(cell);
        let mut words = id.split('-').map_while(|number| number.parse().ok());
        // An empty node, such as 1.1, has no form in the text.
        let Some(word) = words.next() else { return };
        match words.next() {
            Some(last) => self.last_covered = last,
            None if word <= self.last_covered => return,
            None => {}
        }
        self.forms.push_str(form);
        let is_joined = misc.split('|').any(|value| value == "SpaceAfter=No");
        self.forms.push_str(if is_joined { "" } else { " " });
    }

    /// Appends the sentence. Where the comment has the forms, it has the blanks of the text, too:
    /// converters write `SpaceAfter` with other errors than `text`.
    fn end_sentence(&mut self, text: &mut String) {
        let ink = |text: &str| text.split_whitespace().collect::<String>();
        let sentence = match ink(&self.comment) == ink(&self.forms) {
            true => &self.comment,
            false => &self.forms,
        };
        if !sentence.is_empty() {
            text.push_str(sentence.trim());
            text.push(if self.has_paragraphs { ' ' } else { '\n' });
        }
        self.comment.clear();
        self.forms.clear();
        self.last_covered = 0;
    }
}

impl LineReader for ConlluReader {
    fn read_line(&mut self, line: &str, text: &mut String) {
        if line.trim().is_empty() {
            return self.end_sentence(text);
        }
        let Some(comment) = line.strip_prefix('#').filter(|_| self.forms.is_empty()) else {
            return self.read_token(line);
        };
        let comment = comment.trim_start();
        if let Some(sentence) = comment.strip_prefix("text = ") {
            self.comment = sentence.to_owned();
        } else if comment.starts_with("newpar") || comment.starts_with("newdoc") {
            self.has_paragraphs = true;
            end_line(text);
        }
    }

    fn finish(&mut self, text: &mut String) {
        self.end_sentence(text);
    }
}
