//! Subtitles: WebVTT (W3C Recommendation), SubRip, and SubViewer as YouTube writes it.

use super::{FormatReader, LineReader, Pattern, end_line, pattern};
use html_escape::decode_html_entities;

/// The times of a cue, as in `00:01:02,500 --> 00:01:04,000`; hours and fractions may be absent. In
/// SubViewer, `0:01:02.500,0:01:04.000`.
static TIME: Pattern = Pattern::new(|| {
    pattern(
        r"^\s*(?:\d+:)+\d+(?:(?:[.,]\d+)?\s*-->\s*(?:\d+:)+\d+(?:[.,]\d+)?(?:\s|$)|\.\d+,(?:\d+:)+\d+\.\d+\s*$)",
    )
});

/// The beginning of a file: a cue, or the header of WebVTT and later a cue.
static START: Pattern = Pattern::new(|| {
    pattern(&format!(
        r"\A(?:\d+\s*\n)?(?:{TIME})|\AWEBVTT(?:[ \t].*)?\n(?s:.*)(?:{TIME})",
        TIME = TIME.as_str()
    ))
});

/// The first line of a block of WebVTT that is no cue.
static NO_CUE: Pattern = Pattern::new(|| pattern(r"^(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \t]|$)"));

/// A tag, also with the reading of ruby or the parentheses around it, and the commands of
/// SubStation Alpha, such as `{\an8}`.
static TAG: Pattern = Pattern::new(|| pattern(r"<r[tp]>[^<]*|</?[0-9A-Za-z][^>]*>|\{\\[^}]*\}"));

/// The time of a word.
static WORD_TIME: Pattern = Pattern::new(|| pattern(r"<\d"));

/// Reads the texts of cues, a line each.
#[derive(Debug, Default)]
struct SubtitleReader {
    is_webvtt: bool,
    /// True after the time of a cue; in WebVTT, up to the end of its block.
    is_in_cue: bool,
    /// True after the first line of a block.
    is_in_block: bool,
    /// A line that is the identifier of a cue if its time follows.
    held: Option<String>,
    /// True if lines roll up: a cue repeats the last line of the one before it, and marks the times
    /// of the words of its own, as captions of YouTube do.
    rolls_up: bool,
    last: String,
}

/// Returns a reader, if the lines are those of a format.
pub(super) fn open(head: &str) -> FormatReader {
    let is_webvtt = head.starts_with("WEBVTT");
    START.is_match(head).then(|| {
        Box::new(SubtitleReader {
            is_webvtt,
            ..SubtitleReader::default()
        }) as _
    })
}

impl SubtitleReader {
    /// Appends a line of a cue.
    fn push(&mut self, line: &str, text: &mut String) {
        if !self.is_in_cue {
            return;
        }
        self.rolls_up |= WORD_TIME.is_match(line);
        let line = TAG.replace_all(line, "");
        let line = decode_html_entities(line.trim());
        if line.is_empty() || self.rolls_up && self.last == line {
            return;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        text.push_str(&line);
        self.last = line.into_owned();
    }
}

impl LineReader for SubtitleReader {
    fn read_line(&mut self, line: &str, text: &mut String) {
        // A line with a blank is no blank line: captions of YouTube have one in a cue.
        let is_blank = line.is_empty();
        let line = line.trim();
        if TIME.is_match(line) {
            self.held = None;
            (self.is_in_cue, self.is_in_block) = (true, true);
            return end_line(text);
        }
        if let Some(held) = self.held.take() {
            self.push(&held, text);
        }
        if is_blank {
            end_line(text);
            self.is_in_block = false;
            // Cues of SubRip may have blank lines.
            self.is_in_cue &= !self.is_webvtt;
            return;
        }
        let is_block_start = !std::mem::replace(&mut self.is_in_block, true);
        let may_be_cue = is_block_start && !(self.is_webvtt && NO_CUE.is_match(line));
        if may_be_cue || line.bytes().all(|byte| byte.is_ascii_digit()) {
            self.held = Some(line.to_owned());
        } else {
            self.push(line, text);
        }
    }

    fn finish(&mut self, text: &mut String) {
        if let Some(held) = self.held.take() {
            self.push(&held, text);
        }
        end_line(text);
    }
}
