//! A drawing in SVG: rectangles, paths, polygons, circles and texts at whole pixels.

use std::fmt::{Display, Write};

/// A position in pixels.
pub(crate) type Pixel = (i32, i32);

/// Font families; every machine has one of them.
const FONT: &str = "Helvetica, Arial, DejaVu Sans, sans-serif";
/// The size of a text, which is its height in pixels, by that of its font.
const FONT_HEIGHT: f64 = 1.24;

/// A colour: red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub u8, pub u8, pub u8);

pub(crate) const WHITE: Colour = Colour(255, 255, 255);

impl Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// The side of its position on which a text is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is drawn: vertically centred on its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyle {
    pub size: i32,
    pub colour: Colour,
    pub anchor: Anchor,
    /// From the bottom to the top.
    pub is_upright: bool,
}

/// A drawing that is begun, on white.
#[derive(Debug)]
pub(crate) struct Svg(String);

impl Svg {
    pub(crate) fn new((width, height): (u32, u32)) -> Self {
        let mut svg = Svg(format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n"
        ));
        svg.rectangle((0, 0), (width as i32, height as i32), WHITE, 1.0);
        svg
    }

    pub(crate) fn rectangle(
        &mut self,
        (x, y): Pixel,
        (width, height): (i32, i32),
        fill: Colour,
        opacity: f64,
    ) {
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" opacity=\"{opacity}\" \
             fill=\"{fill}\" stroke=\"none\"/>"
        ));
    }

    pub(crate) fn path(&mut self, points: &[Pixel], stroke: Colour, width: u32) {
        self.element(format_args!(
            "<polyline fill=\"none\" opacity=\"1\" stroke=\"{stroke}\" stroke-width=\"{width}\" \
             points=\"{}\"/>",
            format_points(points)
        ));
    }

    pub(crate) fn polygon(&mut self, points: &[Pixel], fill: Colour, opacity: f64) {
        self.element(format_args!(
            "<polygon opacity=\"{opacity}\" fill=\"{fill}\" points=\"{}\"/>",
            format_points(points)
        ));
    }

    /// Draws a circle with an outline.
    pub(crate) fn circle(
        &mut self,
        (x, y): Pixel,
        radius: i32,
        fill: Colour,
        (outline, width): (Colour, u32),
    ) {
        let place = format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" opacity=\"1\"");
        self.element(format_args!(
            "{place} fill=\"{fill}\" stroke=\"none\" stroke-width=\"1\"/>"
        ));
        self.element(format_args!(
            "{place} fill=\"none\" stroke=\"{outline}\" stroke-width=\"{width}\"/>"
        ));
    }

    pub(crate) fn text(&mut self, text: &str, (x, y): Pixel, style: TextStyle) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turned = match style.is_upright {
            true => format!(" transform=\"rotate(270, {x}, {y})\""),
            false => String::new(),
        };
        let size = f64::from(style.size) / FONT_HEIGHT;
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{y}\" dy=\"0.5ex\" text-anchor=\"{anchor}\" font-family=\"{FONT}\" \
             font-size=\"{size}\" opacity=\"1\" fill=\"{}\"{turned}>\n{}\n</text>",
            style.colour,
            escape(text)
        ));
    }

    /// Returns the finished drawing.
    pub(crate) fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{element}");
    }
}

fn format_points(points: &[Pixel]) -> String {
    let mut text = String::new();
    for (x, y) in points {
        let _ = write!(text, "{x},{y} ");
    }
    text
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}
