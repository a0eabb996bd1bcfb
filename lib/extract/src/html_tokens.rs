//! The tokens of a page for the tree builder of html5ever, from the tokenizer of html5gum, which
//! takes a fraction of the time of html5ever's own.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, LocalName, QualName, ns};
use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Span, State, Tokenizer};
use std::borrow::Cow;
use std::convert::Infallible;

/// Maximum number of attributes of a tag; if it has more, all are dropped. Each is compared with
/// all before it.
pub(crate) const MAX_ATTRIBUTES: usize = 1000;

/// Sends the tokens of a page to a tree builder, without comments.
pub(crate) fn send_tokens(html: &str, sink: &impl TokenSink) {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let writer = TokenWriter {
        sink,
        tag: None,
        attributes: 0,
        is_repeated: false,
        next_state: None,
    };
    let emitter = TreeEmitter(CallbackEmitter::new(writer));
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    sink.end();
}

struct TokenWriter<'a, S> {
    sink: &'a S,
    /// The start tag that is being read.
    tag: Option<Tag>,
    /// Number of its attributes so far, with those that it has had before.
    attributes: usize,
    /// True if it has had the current attribute before; the first one counts.
    is_repeated: bool,
    /// The state in which the content of the last start tag is read.
    next_state: Option<State>,
}

impl<S: TokenSink> TokenWriter<'_, S> {
    fn send(&mut self, token: Token) {
        self.next_state = match self.sink.process_token(token, 0) {
            TokenSinkResult::Plaintext => Some(State::PlainText),
            TokenSinkResult::RawData(RawKind::Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(RawKind::Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(_) => Some(State::ScriptData),
            _ => None,
        };
    }

    fn send_text(&mut self, text: &[u8]) {
        for (index, part) in text.split(|&byte| byte == 0).enumerate() {
            if index > 0 {
                self.send(Token::NullCharacterToken);
            }
            if !part.is_empty() {
                self.send(Token::CharacterTokens(tendril(part)));
            }
        }
    }
}

impl<S: TokenSink> Callback<Infallible, ()> for TokenWriter<'_, S> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.attributes = 0;
                self.tag = Some(tag(TagKind::StartTag, name));
            }
            CallbackEvent::AttributeName { name } => {
                self.attributes += 1;
                self.is_repeated = true;
                if let Some(tag) = &mut self.tag
                    && self.attributes <= MAX_ATTRIBUTES
                {
                    let name = QualName::new(None, ns!(), local_name(name));
                    self.is_repeated = tag.attrs.iter().any(|other| other.name == name);
                    if !self.is_repeated {
                        let value = StrTendril::new();
                        tag.attrs.push(Attribute { name, value });
                    }
                }
            }
            CallbackEvent::AttributeValue { value } => {
                let attributes = self.tag.as_mut().map(|tag| &mut tag.attrs);
                let attribute = attributes.and_then(|attributes| attributes.last_mut());
                if let Some(attribute) = attribute.filter(|_| !self.is_repeated) {
                    attribute.value = tendril(value);
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some(mut tag) = self.tag.take() {
                    if self.attributes > MAX_ATTRIBUTES {
                        tag.attrs.clear();
                    }
                    self.send(Token::TagToken(Tag {
                        self_closing,
                        ..tag
                    }));
                }
            }
            CallbackEvent::EndTag { name } => {
                self.tag = None;
                self.send(Token::TagToken(tag(TagKind::EndTag, name)));
            }
            CallbackEvent::String { value } => self.send_text(value),
            CallbackEvent::Doctype {
                name,
                public_identifier,
                system_identifier,
                force_quirks,
            } => self.send(Token::DoctypeToken(Doctype {
                name: (!name.is_empty()).then(|| tendril(name)),
                public_id: public_identifier.map(tendril),
                system_id: system_identifier.map(tendril),
                force_quirks,
            })),
            CallbackEvent::Comment { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}

/// Emits the tokens, and tells the tokenizer what the tree builder knows.
struct TreeEmitter<'a, S: TokenSink>(CallbackEmitter<TokenWriter<'a, S>>);

impl<S: TokenSink> ForwardingEmitter for TreeEmitter<'_, S> {
    type Token = Infallible;

    fn inner(&mut self) -> &mut impl Emitter<Token = Infallible> {
        &mut self.0
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn emit_eof(&mut self) {
        self.0.emit_eof();
        self.0.callback_mut().send(Token::EOFToken);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let _ = self.0.emit_current_tag();
        self.0.callback_mut().next_state.take()
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        let sink = self.0.callback_mut().sink;
        sink.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn tag(kind: TagKind, name: &[u8]) -> Tag {
    Tag {
        kind,
        name: local_name(name),
        self_closing: false,
        attrs: Vec::new(),
        had_duplicate_attributes: false,
    }
}

/// Returns the text of bytes of a text. They are valid UTF-8, but the tokenizer does not say so;
/// the check of valid text is several times faster than a lossy decoding.
fn decoded(text: &[u8]) -> Cow<'_, str> {
    str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

fn tendril(text: &[u8]) -> StrTendril {
    StrTendril::from_slice(&decoded(text))
}

fn local_name(name: &[u8]) -> LocalName {
    LocalName::from(&*decoded(name))
}

#[cfg(test)]
mod tests {
    use super::MAX_ATTRIBUTES;
    use crate::tree_limits::parse_within_limits;

    fn html(page: &str) -> String {
        let document = parse_within_limits(page).unwrap();
        document.select("body").inner_html().to_string()
    }

    #[test]
    fn tags_texts_and_raw_texts_are_those_of_the_standard() {
        for (page, expected) in [
            ("\u{feff}<!DOCTYPE html><p>a<p>b", "<p>a</p><p>b</p>"),
            (
                "<P Class=x class=y ID>&amp;&nbsp;č\r\nd</P>",
                "<p class=\"x\" id=\"\">&amp;&nbsp;č\nd</p>",
            ),
            (
                "<textarea><b></textarea><script>'</p>'<!--</script>c",
                "<textarea>&lt;b&gt;</textarea><script>'</p>'<!--</script>c",
            ),
            (
                "<svg><title><b>x</b></title><![CDATA[<i>]]></svg>",
                "<svg><title><b>x</b></title>&lt;i&gt;</svg>",
            ),
            ("a\0b<!-- <p> -->c</a b=c>d", "abcd"),
            ("<plaintext><b>", "<plaintext><b></plaintext>"),
        ] {
            assert_eq!(html(page), expected, "{page}");
        }
    }

    #[test]
    fn drops_the_attributes_of_a_tag_with_too_many() {
        let attributes = |count: usize| (0..count).map(|n| format!(" a{n}=1")).collect::<String>();
        let most = format!("<p{}>x", attributes(MAX_ATTRIBUTES));
        assert!(html(&most).len() >= most.len());
        assert_eq!(
            html(&format!("<p{} b=1>x", attributes(MAX_ATTRIBUTES))),
            "<p>x</p>"
        );
        assert_eq!(html(&format!("<p{}>x", " a".repeat(9000))), "<p>x</p>");
    }
}
