//! Draws a chart: its axes, a band and a line for each line, and their names.

use crate::frame::{Frame, SIZE};
use crate::labels::spread;
use crate::palette::{COLOURS, GRID, INK, LIMIT};
use crate::ticks::label;
use crate::{Chart, Line, MOST_LINES};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, TextStyle, WHITE};

/// Sizes of letters.
const TITLE: i32 = 32;
const LETTERS: i32 = 26;
/// Distance of two names at the ends of lines.
const NAME_HEIGHT: i32 = 30;
/// Between a thing and the letters that belong to it.
const GAP: i32 = 14;
/// Dashes of the limit, and between them.
const DASH: i32 = 12;
/// Fonts, of which every machine has one.
const FONT: &str = "Helvetica, Arial, DejaVu Sans, sans-serif";
/// How opaque a band is.
const BAND: f64 = 0.13;

/// Why a chart can't be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// Nothing would be seen.
    #[error("no line has two points")]
    NoLine,
    /// The colours would not do.
    #[error("{0} lines, of which no more than {MOST_LINES} can be told apart")]
    TooMany(usize),
    /// The library failed.
    #[error("drawing failed: {0}")]
    Drawing(String),
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws a chart; gives the SVG.
///
/// # Errors
/// When there is nothing to draw, or there are more lines than colours.
pub fn draw(chart: &Chart) -> Result<String, ChartError> {
    if chart.lines.len() > MOST_LINES {
        return Err(ChartError::TooMany(chart.lines.len()));
    }
    if chart.lines.iter().all(|line| line.points.len() < 2) {
        return Err(ChartError::NoLine);
    }
    let mut svg = String::new();
    let drawn = draw_on(
        &SVGBackend::with_string(&mut svg, SIZE).into_drawing_area(),
        chart,
    );
    drawn.map_err(|e| ChartError::Drawing(e.to_string()))?;
    Ok(svg)
}

fn draw_on(area: &Area, chart: &Chart) -> Drawn {
    let frame = Frame::of(chart);
    area.fill(&WHITE)?;
    draw_axes(area, &frame, chart)?;
    draw_limit(area, &frame, chart)?;
    let lines = || {
        chart
            .lines
            .iter()
            .zip(COLOURS)
            .filter(|(line, _)| !line.points.is_empty())
    };
    for (line, colour) in lines() {
        draw_band(area, &frame, line, colour)?;
    }
    for (line, colour) in lines() {
        let path: Vec<_> = line
            .points
            .iter()
            .map(|point| frame.place(point.x, point.y))
            .collect();
        let end = path.last().copied().unwrap_or_default();
        area.draw(&PathElement::new(path, colour.stroke_width(4)))?;
        area.draw(&Circle::new(end, 6, colour.filled()))?;
    }
    draw_names(area, &frame, chart)?;
    area.present()
}

/// The grid, the numbers, and what the axes are.
fn draw_axes(area: &Area, frame: &Frame, chart: &Chart) -> Drawn {
    let middle = (Frame::LEFT + Frame::RIGHT) / 2;
    write(
        area,
        &chart.title,
        (Frame::LEFT, Frame::TOP / 2),
        style(TITLE, INK, HPos::Left),
    )?;
    write(
        area,
        &chart.x,
        (middle, SIZE.1 as i32 - GAP - LETTERS / 2),
        style(LETTERS, INK, HPos::Center),
    )?;
    let upwards = style(LETTERS, INK, HPos::Center).transform(FontTransform::Rotate270);
    write(
        area,
        &chart.y,
        (GAP + LETTERS / 2, (Frame::TOP + Frame::BOTTOM) / 2),
        upwards,
    )?;
    for tick in 0..=frame.y.count() {
        let number = tick as f64 * frame.y.step;
        let at = frame.place(0.0, number).1;
        area.draw(&PathElement::new(
            vec![(Frame::LEFT, at), (Frame::RIGHT, at)],
            GRID.stroke_width(2),
        ))?;
        write(
            area,
            &label(number, frame.y.step),
            (Frame::LEFT - GAP, at),
            style(LETTERS, INK, HPos::Right),
        )?;
    }
    for tick in 0..=frame.x.count() {
        let number = tick as f64 * frame.x.step;
        let at = frame.place(number, 0.0).0;
        let mark = vec![(at, Frame::BOTTOM), (at, Frame::BOTTOM + GAP / 2)];
        area.draw(&PathElement::new(mark, INK.stroke_width(2)))?;
        let below = (at, Frame::BOTTOM + GAP + LETTERS / 2);
        write(
            area,
            &label(number, frame.x.step),
            below,
            style(LETTERS, INK, HPos::Center),
        )?;
    }
    let ground = vec![(Frame::LEFT, Frame::BOTTOM), (Frame::RIGHT, Frame::BOTTOM)];
    area.draw(&PathElement::new(ground, INK.stroke_width(2)))
}

/// What is at most possible, dashed, as far as it is on the chart.
fn draw_limit(area: &Area, frame: &Frame, chart: &Chart) -> Drawn {
    let Some(limit) = &chart.limit else {
        return Ok(());
    };
    let at = |x: f64| limit.start + limit.slope * x;
    let is_inside = |x: f64| at(x) <= frame.y.end && at(x) >= 0.0;
    let end = if limit.slope > 0.0 {
        ((frame.y.end - limit.start) / limit.slope).min(frame.x.end)
    } else {
        frame.x.end
    };
    if !is_inside(end.max(0.0)) || !is_inside(0.0) {
        return Ok(());
    }
    let (from, to) = (frame.place(0.0, at(0.0)), frame.place(end, at(end)));
    let length = f64::from(to.0 - from.0).hypot(f64::from(to.1 - from.1));
    let dashes = (length / f64::from(2 * DASH)).floor() as usize;
    let along = |part: f64| {
        let between = |a: i32, b: i32| a + (f64::from(b - a) * part).round() as i32;
        (between(from.0, to.0), between(from.1, to.1))
    };
    for dash in 0..dashes {
        let ends = [dash as f64, dash as f64 + 0.5].map(|at| along(at / dashes as f64));
        area.draw(&PathElement::new(ends.to_vec(), LIMIT.stroke_width(2)))?;
    }
    // Over it, where lines that stay under it leave room.
    let (x, y) = along(if limit.slope > 0.0 { 0.6 } else { 0.0 });
    let (beside, side) = if limit.slope > 0.0 {
        (x - GAP, HPos::Right)
    } else {
        (x + GAP, HPos::Left)
    };
    write(
        area,
        &limit.name,
        (beside, y - LETTERS * 2 / 3),
        style(LETTERS, LIMIT, side),
    )
}

fn draw_band(area: &Area, frame: &Frame, line: &Line, colour: RGBColor) -> Drawn {
    let above = line
        .points
        .iter()
        .map(|point| frame.place(point.x, point.high));
    let below = line
        .points
        .iter()
        .rev()
        .map(|point| frame.place(point.x, point.low));
    area.draw(&Polygon::new(
        above.chain(below).collect::<Vec<_>>(),
        colour.mix(BAND),
    ))
}

/// The names, each beside the end of its line. One that had to move is tied to it.
fn draw_names(area: &Area, frame: &Frame, chart: &Chart) -> Drawn {
    let ends = chart
        .lines
        .iter()
        .zip(COLOURS)
        .filter_map(|(line, colour)| {
            let last = line.points.last()?;
            Some((frame.place(last.x, last.y), &line.name, colour))
        });
    let ends: Vec<_> = ends.collect();
    let wanted: Vec<f64> = ends
        .iter()
        .map(|((_, y), ..)| f64::from(y - Frame::TOP))
        .collect();
    let places = spread(
        &wanted,
        f64::from(NAME_HEIGHT),
        f64::from(Frame::BOTTOM - Frame::TOP),
    );
    for ((end, name, colour), place) in ends.into_iter().zip(places) {
        let y = Frame::TOP + place.round() as i32;
        let tie = vec![
            (end.0 + GAP / 2, end.1),
            (Frame::RIGHT + GAP, y),
            (Frame::RIGHT + 2 * GAP, y),
        ];
        area.draw(&PathElement::new(tie, colour.mix(0.5).stroke_width(2)))?;
        write(
            area,
            name,
            (Frame::RIGHT + 5 * GAP / 2, y),
            style(LETTERS, colour, HPos::Left),
        )?;
    }
    Ok(())
}

fn write(area: &Area, text: &str, at: (i32, i32), style: TextStyle) -> Drawn {
    area.draw(&Text::new(text.to_owned(), at, style))
}

fn style(size: i32, colour: RGBColor, side: HPos) -> TextStyle<'static> {
    let color = colour.to_backend_color();
    TextStyle {
        color,
        pos: Pos::new(side, VPos::Center),
        font: (FONT, size).into_font(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ChartError, draw};
    use crate::{Chart, Limit, Line, Point};

    fn chart(lines: usize) -> Chart {
        let line = |n: usize| {
            let y = |x: f64| x * (n + 1) as f64;
            let points = [0.0, 10.0, 20.0].map(|x| Point {
                x,
                y: y(x),
                low: y(x) * 0.9,
                high: y(x) * 1.1,
            });
            Line {
                name: format!("line <{n}>"),
                points: points.into(),
            }
        };
        let limit = Some(Limit {
            name: "all".into(),
            slope: 1.0,
            start: 0.0,
        });
        Chart {
            title: "a & b".into(),
            x: "x".into(),
            y: "y".into(),
            lines: (0..lines).map(line).collect(),
            limit,
        }
    }

    #[test]
    fn each_line_has_a_band_a_path_and_a_name() {
        let svg = draw(&chart(3)).unwrap();
        assert_eq!(svg.matches("<polygon").count(), 3);
        assert!(
            (0..3).all(|n| svg.contains(&format!("line &lt;{n}&gt;"))),
            "{svg}"
        );
        assert!(svg.contains("a &amp; b") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn equal_charts_give_equal_bytes() {
        assert_eq!(draw(&chart(8)).unwrap(), draw(&chart(8)).unwrap());
    }

    #[test]
    fn what_cannot_be_seen_or_told_apart_is_not_drawn() {
        assert!(matches!(draw(&chart(0)), Err(ChartError::NoLine)));
        assert!(matches!(draw(&chart(9)), Err(ChartError::TooMany(9))));
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let point = |x, y| Point {
            x,
            y,
            low: f64::NEG_INFINITY,
            high: f64::NAN,
        };
        let points = vec![
            point(0.0, f64::NAN),
            point(-1.0, f64::INFINITY),
            point(1e300, 1e-300),
        ];
        let lines = vec![Line {
            name: String::new(),
            points,
        }];
        assert!(
            draw(&Chart {
                lines,
                ..Chart::default()
            })
            .is_ok()
        );
    }
}
