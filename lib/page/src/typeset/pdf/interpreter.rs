//! Interpreter of the operators of a page (ISO 32000-1, 8 and 9), as far as they place text.

use super::budget::Budget;
use super::fonts::{CodeText, Fonts, PageFont};
use super::glyph::Glyph;
use super::layers::Layers;
use super::marked_content::{MarkedContent, decode_text_string};
use super::{WORK_PER_FORM, WORK_PER_GLYPH, filters};
use hayro_font::kurbo::{Affine, Point, Rect, Vec2};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_syntax::page::{Page, Resources};
use std::borrow::Cow;
use std::rc::Rc;

/// Deepest nesting of forms, and of saved states.
const MAX_FORM_DEPTH: usize = 24;
const MAX_STATES: usize = 1 << 12;
/// Flags of an annotation that is not shown: hidden, and not viewed.
const HIDDEN_FLAGS: u32 = 1 << 1 | 1 << 5;
/// Letters of India, Tibet and Southeast Asia, several of which are one cluster.
const CLUSTERED: fn(char) -> bool =
    |c| matches!(c, '\u{900}'..='\u{109F}' | '\u{1780}'..='\u{17FF}');
/// Greatest width of the glyphs of a cluster but the first, in font sizes.
const MAX_CLUSTER: f64 = 3.0;
/// Greatest font size of the text of a field or note without an appearance.
const MAX_VALUE_SIZE: f64 = 12.0;
/// The code whose advance includes the spacing of words.
const SPACE: u32 = 32;

/// What pages share.
pub(super) struct PageReader<'a> {
    pub fonts: Fonts<'a>,
    pub layers: Layers,
    /// Bounds what is decoded of fonts, and of pages.
    pub resources: Budget,
    pub work: Budget,
}

/// The glyphs of a page, in the order in which it draws them.
#[derive(Debug, Default)]
pub(super) struct PageText {
    pub glyphs: Vec<Glyph>,
    /// Number of glyphs whose text is unknown.
    pub unknown: usize,
    /// True if a content stream cannot be decoded.
    pub is_incomplete: bool,
}

impl<'a> PageReader<'a> {
    /// Returns the glyphs that a page and its annotations show.
    pub fn read(&mut self, page: &Page<'a>) -> PageText {
        let mut interpreter = Interpreter {
            reader: self,
            text: PageText::default(),
            marked: MarkedContent::default(),
            state: State::new(Affine::IDENTITY),
            saved: Vec::new(),
            form_depth: 0,
        };
        let content = interpreter.page_content(page.raw());
        interpreter.run(&content, page.resources());
        if let Some(annotations) = page.raw().get::<Array>("Annots") {
            for annotation in annotations.iter::<Dict>() {
                interpreter.draw_annotation(&annotation, page.resources());
            }
        }
        let shown = page.media_box();
        let shown = Rect::new(shown.x0, shown.y0, shown.x1, shown.y1);
        if !shown.is_zero_area() {
            let glyphs = &mut interpreter.text.glyphs;
            glyphs.retain(|glyph| shown.contains(glyph.middle()));
        }
        interpreter.text
    }
}

/// The state that determines where text is placed.
#[derive(Clone)]
struct State<'a> {
    transform: Affine,
    text_matrix: Affine,
    line_matrix: Affine,
    font: Option<Rc<PageFont<'a>>>,
    font_size: f64,
    character_spacing: f64,
    word_spacing: f64,
    scaling: f64,
    leading: f64,
    rise: f64,
}

impl State<'_> {
    fn new(transform: Affine) -> Self {
        State {
            transform,
            text_matrix: Affine::IDENTITY,
            line_matrix: Affine::IDENTITY,
            font: None,
            font_size: 0.0,
            character_spacing: 0.0,
            word_spacing: 0.0,
            scaling: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line_matrix *= Affine::translate((x, y));
        self.text_matrix = self.line_matrix;
    }

    /// Moves the current point, as the number in an array of strings does.
    fn adjust(&mut self, thousandths: f64) {
        let distance = -thousandths / 1000.0 * self.font_size;
        let is_vertical = self.font.as_ref().is_some_and(|font| font.is_vertical());
        let step = match is_vertical {
            true => (0.0, distance),
            false => (distance * self.scaling, 0.0),
        };
        self.text_matrix *= Affine::translate(step);
    }
}

struct Interpreter<'r, 'a> {
    reader: &'r mut PageReader<'a>,
    text: PageText,
    marked: MarkedContent,
    state: State<'a>,
    saved: Vec<State<'a>>,
    form_depth: usize,
}

impl<'a> Interpreter<'_, 'a> {
    /// Returns the content streams of a page, as one.
    fn page_content(&mut self, page: &Dict<'a>) -> Vec<u8> {
        let streams = match page.get::<Array>("Contents") {
            Some(array) => array
                .iter::<Object>()
                .filter_map(Object::into_stream)
                .collect(),
            None => Vec::from_iter(page.get::<Stream>("Contents")),
        };
        let mut content = Vec::new();
        for stream in streams {
            content.extend_from_slice(&self.decode(&stream));
            // A token ends with its stream.
            content.push(b'\n');
        }
        content
    }

    fn decode(&mut self, stream: &Stream<'a>) -> Cow<'a, [u8]> {
        let content = filters::decode(stream, &mut self.reader.work);
        self.text.is_incomplete |= !content.is_whole;
        content.bytes
    }

    /// Interprets a content stream. The state is afterwards what it was before.
    fn run(&mut self, content: &[u8], resources: &Resources<'a>) {
        let saved = std::mem::take(&mut self.saved);
        let state = self.state.clone();
        let marked = self.marked.depth();
        let mut instructions = TypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            if !self.reader.work.spend(1) {
                break;
            }
            self.execute(&instruction, resources);
        }
        while self.marked.depth() > marked {
            self.end_marked_content();
        }
        self.saved = saved;
        self.state = state;
    }

    fn execute(&mut self, instruction: &TypedInstruction<'_, '_>, resources: &Resources<'a>) {
        use TypedInstruction as T;
        let state = &mut self.state;
        match instruction {
            T::SaveState(_) if self.saved.len() < MAX_STATES => self.saved.push(state.clone()),
            T::RestoreState(_) => {
                if let Some(saved) = self.saved.pop() {
                    *state = saved;
                }
            }
            T::Transform(m) => {
                state.transform *= Affine::new([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
            }
            T::SetGraphicsState(name) => self.set_graphics_state(name.0, resources),
            T::BeginText(_) => {
                (state.text_matrix, state.line_matrix) = (Affine::IDENTITY, Affine::IDENTITY);
            }
            T::SetTextMatrix(m) => {
                state.line_matrix = Affine::new([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                state.text_matrix = state.line_matrix;
            }
            T::TextFont(font) => {
                let dict = resources.get_font(&Name::new_unescaped(font.0));
                self.set_font(dict.as_ref(), font.1.as_f64());
            }
            T::CharacterSpacing(n) => state.character_spacing = n.0.as_f64(),
            T::WordSpacing(n) => state.word_spacing = n.0.as_f64(),
            T::HorizontalScaling(n) => state.scaling = n.0.as_f64() / 100.0,
            T::TextLeading(n) => state.leading = n.0.as_f64(),
            T::TextRise(n) => state.rise = n.0.as_f64(),
            T::NextLine(n) => state.move_line(n.0.as_f64(), n.1.as_f64()),
            T::NextLineAndSetLeading(n) => {
                state.leading = -n.1.as_f64();
                state.move_line(n.0.as_f64(), n.1.as_f64());
            }
            T::NextLineUsingLeading(_) => state.move_line(0.0, -state.leading),
            T::ShowText(text) => self.show(text.0),
            T::NextLineAndShowText(text) => {
                state.move_line(0.0, -state.leading);
                self.show(text.0);
            }
            T::ShowTextWithParameters(text) => {
                state.word_spacing = text.0.as_f64();
                state.character_spacing = text.1.as_f64();
                state.move_line(0.0, -state.leading);
                self.show(text.2);
            }
            T::ShowTexts(texts) => {
                for text in texts.0.iter::<Object>() {
                    match text {
                        Object::String(text) => self.show(&text),
                        Object::Number(number) => self.state.adjust(number.as_f64()),
                        _ => {}
                    }
                }
            }
            T::XObject(name) => {
                if let Some(form) = resources.get_x_object(&Name::new_unescaped(name.0)) {
                    self.draw_form(&form, resources);
                }
            }
            T::BeginMarkedContent(_) => self.marked.begin(false, None, self.text.glyphs.len()),
            T::BeginMarkedContentWithProperties(content) => {
                self.begin_marked_content(content.0, content.1, resources);
            }
            T::EndMarkedContent(_) => self.end_marked_content(),
            _ => {}
        }
    }

    fn set_graphics_state(&mut self, name: &[u8], resources: &Resources<'a>) {
        let state = resources.get_ext_g_state(&Name::new_unescaped(name));
        let font = state.and_then(|state| state.get::<Array<'a>>("Font"));
        let mut values = font.iter().flat_map(Array::iter::<Object<'a>>);
        if let (Some(Object::Dict(font)), Some(size)) = (values.next(), values.next()) {
            let size = size.into_f32().unwrap_or_default();
            self.set_font(Some(&font), size.into());
        }
    }

    fn set_font(&mut self, dict: Option<&Dict<'a>>, size: f64) {
        let PageReader {
            fonts, resources, ..
        } = &mut *self.reader;
        self.state.font = match dict {
            Some(dict) => fonts.load(dict, resources),
            None => fonts.default_font(),
        };
        self.state.font_size = size;
    }

    fn begin_marked_content(&mut self, tag: &[u8], value: &Object, resources: &Resources<'a>) {
        let count = self.text.glyphs.len();
        let (is_hidden, text) = match value {
            Object::Name(name) => {
                let is_hidden =
                    tag == b"OC" && self.reader.layers.is_hidden(&resources.properties, name);
                let properties = resources.properties.get::<Dict>(name.as_ref());
                (
                    is_hidden,
                    properties.and_then(|properties| actual_text(&properties)),
                )
            }
            Object::Dict(properties) => (false, actual_text(properties)),
            _ => (false, None),
        };
        self.marked.begin(is_hidden, text, count);
    }

    fn end_marked_content(&mut self) {
        self.marked.end(&mut self.text.glyphs);
    }

    fn draw_form(&mut self, form: &Stream<'a>, resources: &Resources<'a>) {
        let dict = form.dict();
        let is_form = dict
            .get::<Name>("Subtype")
            .is_none_or(|subtype| &*subtype == b"Form");
        if !is_form || self.reader.layers.is_hidden(dict, b"OC") {
            return;
        }
        if self.form_depth == MAX_FORM_DEPTH {
            self.text.is_incomplete = true;
            return;
        }
        if !self.reader.work.spend(WORK_PER_FORM) {
            return;
        }
        let content = self.decode(form);
        let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
        let matrix = dict
            .get::<[f64; 6]>("Matrix")
            .map_or(Affine::IDENTITY, Affine::new);
        let transform = self.state.transform;
        self.state.transform *= matrix;
        self.form_depth += 1;
        self.run(&content, own.as_ref().unwrap_or(resources));
        self.form_depth -= 1;
        self.state.transform = transform;
    }

    /// Draws the appearance of an annotation, such as the text of a field of a form (ISO 32000-1,
    /// 12.5.5).
    fn draw_annotation(&mut self, annotation: &Dict<'a>, resources: &Resources<'a>) {
        let flags = annotation.get::<u32>("F").unwrap_or(0);
        let subtype = annotation.get::<Name>("Subtype");
        if flags & HIDDEN_FLAGS != 0
            || subtype.as_deref() == Some(b"Popup")
            || self.reader.layers.is_hidden(annotation, b"OC")
        {
            return;
        }
        let Some([x0, y0, x1, y1]) = annotation.get::<[f64; 4]>("Rect") else {
            return;
        };
        let rect = Rect::new(x0, y0, x1, y1).abs();
        let count = self.text.glyphs.len();
        if let Some(form) = appearance(annotation) {
            self.draw_appearance(&form, rect, resources);
        }
        // Programs that fill in forms may leave the drawing to the viewer.
        if self.text.glyphs.len() == count {
            self.place_value(annotation, subtype.as_deref(), rect);
        }
    }

    fn draw_appearance(&mut self, form: &Stream<'a>, rect: Rect, resources: &Resources<'a>) {
        let dict = form.dict();
        let [x0, y0, x1, y1] = dict.get::<[f64; 4]>("BBox").unwrap_or([0.0, 0.0, 1.0, 1.0]);
        let matrix = dict
            .get::<[f64; 6]>("Matrix")
            .map_or(Affine::IDENTITY, Affine::new);
        let own = matrix.transform_rect_bbox(Rect::new(x0, y0, x1, y1).abs());
        let scale = |wanted: f64, own: f64| if own > 0.0 { wanted / own } else { 1.0 };
        let (x, y) = (
            scale(rect.width(), own.width()),
            scale(rect.height(), own.height()),
        );
        self.state = State::new(
            Affine::translate(rect.origin().to_vec2())
                * Affine::scale_non_uniform(x, y)
                * Affine::translate(-own.origin().to_vec2()),
        );
        self.draw_form(form, resources);
    }

    /// Places the text of a field of a form or of a note for which the document has no appearance:
    /// viewers draw these.
    fn place_value(&mut self, annotation: &Dict<'a>, subtype: Option<&[u8]>, rect: Rect) {
        let kind = annotation.get::<Name>("FT");
        let value = match (subtype, kind.as_deref()) {
            (Some(b"FreeText"), _) => annotation.get::<PdfString>("Contents"),
            (Some(b"Widget"), Some(b"Tx" | b"Ch")) => annotation.get::<PdfString>("V"),
            _ => None,
        };
        let text = value.map(|value| decode_text_string(&value));
        let text = text.unwrap_or_default();
        let size = (rect.height() / text.lines().count().max(1) as f64).min(MAX_VALUE_SIZE);
        for (line, number) in text.split(['\r', '\n']).zip(1..) {
            let start = Affine::translate((rect.x0, rect.y1 - size * f64::from(number)));
            let transform = start * Affine::scale(size);
            let advance = Vec2::new(rect.width() / size, 0.0);
            let glyph = Glyph::new(line.into(), transform, Point::ZERO, advance, false);
            self.text.glyphs.extend(glyph);
        }
    }

    /// Shows a string.
    fn show(&mut self, string: &[u8]) {
        let Some(font) = self.state.font.clone() else {
            self.text.unknown += usize::from(!string.is_empty());
            return;
        };
        let is_hidden = self.marked.is_hidden();
        let mut rest = string;
        while !rest.is_empty() && self.reader.work.spend(WORK_PER_GLYPH) {
            let (code, length) = font.first_code(rest);
            rest = &rest[length.clamp(1, rest.len())..];
            let advance = font.advance(code) * self.state.font_size;
            if !is_hidden {
                self.show_code(&font, font.text(code, length), advance);
            }
            self.move_by(advance, &font, code == SPACE && length == 1);
        }
    }

    fn show_code(&mut self, font: &PageFont, code: CodeText, advance: Vec2) {
        // Programs with HarfBuzz, such as fpdf2 2.8, state the text of a cluster at its first
        // glyph, and none for the others.
        let is_in_cluster = |text: &str| !code.is_stated && text.starts_with(CLUSTERED);
        let last = self.text.glyphs.last().map(|glyph| &*glyph.text);
        let cluster = last.filter(|last| !code.is_stated && last.chars().nth(1).is_some());
        match code.text {
            Some(text) if text.is_empty() || is_in_cluster(&text) => {
                self.widen_last(font, advance);
            }
            None if cluster.is_some() => self.widen_last(font, advance),
            Some(text) => self.text.glyphs.extend(self.place(font, text, advance)),
            None => self.text.unknown += 1,
        }
    }

    /// Adds the width of a glyph to that of the one before it.
    fn widen_last(&mut self, font: &PageFont, advance: Vec2) {
        let glyph = self.place(font, "".into(), advance);
        let last = self.text.glyphs.last_mut();
        if let Some((glyph, last)) = glyph.zip(last) {
            let end = (glyph.origin + glyph.advance - last.origin).dot(last.direction);
            let width = last.advance.hypot();
            if (width..=width + MAX_CLUSTER * last.width_size).contains(&end) {
                last.advance = end * last.direction;
            }
        }
    }

    /// Returns a glyph at the current point.
    fn place(&self, font: &PageFont, text: Rc<str>, advance: Vec2) -> Option<Glyph> {
        let state = &self.state;
        let size = state.font_size * font.size_factor;
        let scaling = Affine::scale_non_uniform(state.scaling, 1.0);
        let transform = state.transform * state.text_matrix * scaling * Affine::scale(size);
        let origin = Point::new(0.0, state.rise / size);
        let spacing = state.character_spacing / size;
        let glyph = Glyph::new(text, transform, origin, advance / size, font.is_vertical())?;
        Some(Glyph { spacing, ..glyph })
    }

    fn move_by(&mut self, advance: Vec2, font: &PageFont, is_space: bool) {
        let state = &mut self.state;
        let word_spacing = if is_space { state.word_spacing } else { 0.0 };
        let spacing = state.character_spacing + word_spacing;
        let step = match font.is_vertical() {
            true => (0.0, advance.y + spacing),
            false => ((advance.x + spacing) * state.scaling, 0.0),
        };
        state.text_matrix *= Affine::translate(step);
    }
}

/// Returns the text for which marked content stands (ISO 32000-1, 14.9.4).
fn actual_text(properties: &Dict) -> Option<String> {
    let text = properties.get::<PdfString>("ActualText")?;
    Some(decode_text_string(&text))
}

/// Returns the normal appearance of an annotation in its present state.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    match annotation.get::<Dict<'a>>("AP")?.get::<Object<'a>>("N")? {
        Object::Stream(form) => Some(form),
        Object::Dict(states) => states.get(&*annotation.get::<Name>("AS")?),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
