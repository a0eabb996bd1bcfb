//! Draws a chart: axes, a band and a line with markers for each line, and the names of the lines.

use super::axis_ticks::format_tick;
use super::frame::{ChartFrame, SIZE};
use super::label_layout::spread_labels;
use super::line_style::LineStyle;
use super::palette::{GRID, INK, LEADER, LIMIT};
use super::polyline::Polyline;
use super::svg::{Anchor, Colour, Svg, TextStyle};
use super::{Chart, ChartLine, LimitLine, MAX_LINES};

// All sizes are in pixels, and set by judgement.

/// Font size of the title.
pub(crate) const TITLE_SIZE: i32 = 32;
/// Font size of all other texts.
pub(crate) const TEXT_SIZE: i32 = 26;
/// Minimum distance between two names at the ends of lines.
const NAME_HEIGHT: i32 = 30;
/// Distance between an element and its text.
pub(crate) const GAP: i32 = 14;
/// Lengths of the dots of the limit line and of the gaps between them.
const LIMIT_DOTS: (f64, f64) = (5.0, 15.0);
/// Length of the sample of a line before its name.
const SAMPLE: i32 = 56;
/// Opacity of a band.
const BAND_OPACITY: f64 = 0.12;

/// An error of drawing a chart.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The chart would be empty.
    #[error("no line has two points")]
    NoLine,
    /// There are more lines than styles.
    #[error("{0} lines, but at most {MAX_LINES} can be distinguished")]
    TooManyLines(usize),
}

/// Draws a chart. Returns the SVG.
///
/// # Errors
/// Fails if no line has two points, or if there are more than [`MAX_LINES`] lines.
pub fn draw_chart(chart: &Chart) -> Result<String, ChartError> {
    if chart.lines.len() > MAX_LINES {
        return Err(ChartError::TooManyLines(chart.lines.len()));
    }
    if chart.lines.iter().all(|line| line.points.len() < 2) {
        return Err(ChartError::NoLine);
    }
    Ok(draw_elements(chart))
}

fn draw_elements(chart: &Chart) -> String {
    let mut svg = Svg::new(SIZE);
    let frame = ChartFrame::new(chart);
    draw_axes(&mut svg, &frame, chart);
    if let Some(limit) = &chart.limit {
        draw_limit(&mut svg, &frame, limit);
    }
    let lines: Vec<StyledLine> = styled_lines(&frame, chart);
    let heights = place_names(&lines);
    for line in &lines {
        draw_band(&mut svg, &frame, line);
    }
    // Leader lines are below the lines, so that they are not taken for parts of these.
    for (line, y) in lines.iter().zip(&heights) {
        draw_leader(&mut svg, line, *y);
    }
    for line in &lines {
        line.style.draw_line(&mut svg, &line.path);
    }
    for line in &lines {
        line.style.draw_markers(&mut svg, &line.path);
    }
    for (line, y) in lines.iter().zip(&heights) {
        draw_name(&mut svg, line, *y);
    }
    svg.finish()
}

/// A line with at least one point, and how it is drawn.
struct StyledLine<'a> {
    line: &'a ChartLine,
    style: LineStyle,
    path: Polyline,
}

impl StyledLine<'_> {
    /// Returns the pixel of its last point.
    fn end(&self) -> (i32, i32) {
        self.path.pixel_at(self.path.length())
    }
}

/// Returns the lines that have a point. A line without one keeps its style to itself, so that
/// charts of the same lines have the same styles.
fn styled_lines<'a>(frame: &ChartFrame, chart: &'a Chart) -> Vec<StyledLine<'a>> {
    let lines = chart.lines.iter().zip(LineStyle::all());
    lines
        .filter(|(line, _)| !line.points.is_empty())
        .map(|(line, style)| StyledLine {
            line,
            style,
            path: Polyline::new(
                line.points
                    .iter()
                    .map(|point| frame.to_pixel(point.x, point.y)),
            ),
        })
        .collect()
}

/// Draws the title, the axis labels, the ticks with their numbers, and the grid.
fn draw_axes(svg: &mut Svg, frame: &ChartFrame, chart: &Chart) {
    let center_x = (ChartFrame::LEFT + ChartFrame::RIGHT) / 2;
    let center_y = (ChartFrame::TOP + ChartFrame::BOTTOM) / 2;
    svg.text(
        &chart.title,
        (ChartFrame::LEFT, ChartFrame::TOP / 2),
        text_style(TITLE_SIZE, INK, Anchor::Start),
    );
    svg.text(
        &chart.x_label,
        (center_x, SIZE.1 as i32 - GAP - TEXT_SIZE / 2),
        text_style(TEXT_SIZE, INK, Anchor::Middle),
    );
    svg.text(
        &chart.y_label,
        (GAP + TEXT_SIZE / 2, center_y),
        TextStyle {
            is_upright: true,
            ..text_style(TEXT_SIZE, INK, Anchor::Middle)
        },
    );
    for tick in 0..=frame.y.count() {
        let number = tick as f64 * frame.y.step;
        let y = frame.to_pixel(0.0, number).1;
        svg.path(&[(ChartFrame::LEFT, y), (ChartFrame::RIGHT, y)], GRID, 2);
        svg.text(
            &format_tick(number, frame.y.step),
            (ChartFrame::LEFT - GAP, y),
            text_style(TEXT_SIZE, INK, Anchor::End),
        );
    }
    for tick in 0..=frame.x.count() {
        let number = tick as f64 * frame.x.step;
        let x = frame.to_pixel(number, 0.0).0;
        svg.path(
            &[(x, ChartFrame::BOTTOM), (x, ChartFrame::BOTTOM + GAP / 2)],
            INK,
            2,
        );
        svg.text(
            &match chart.x_names.get(tick) {
                Some(name) => name.clone(),
                None => format_tick(number, frame.x.step),
            },
            (x, ChartFrame::BOTTOM + GAP + TEXT_SIZE / 2),
            text_style(TEXT_SIZE, INK, Anchor::Middle),
        );
    }
    svg.path(
        &[
            (ChartFrame::LEFT, ChartFrame::BOTTOM),
            (ChartFrame::RIGHT, ChartFrame::BOTTOM),
        ],
        INK,
        2,
    )
}

/// Draws the limit line, dotted, if it starts within the chart.
fn draw_limit(svg: &mut Svg, frame: &ChartFrame, limit: &LimitLine) {
    let y_at = |x: f64| limit.intercept + limit.slope * x;
    let is_inside = |x: f64| y_at(x) <= frame.y.end && y_at(x) >= 0.0;
    let end = if limit.slope > 0.0 {
        ((frame.y.end - limit.intercept) / limit.slope).min(frame.x.end)
    } else {
        frame.x.end
    };
    if !is_inside(end.max(0.0)) || !is_inside(0.0) {
        return;
    }
    let from = frame.to_pixel(0.0, y_at(0.0));
    let to = frame.to_pixel(end, y_at(end));
    let line = Polyline::new([from, to]);
    for dot in line.dashes(LIMIT_DOTS.0, LIMIT_DOTS.1) {
        svg.path(&dot, LIMIT, 3);
    }
    // The name is above the limit, where lines that stay below it leave space.
    let share = if limit.slope > 0.0 { 0.6 } else { 0.0 };
    let (x, y) = line.pixel_at(share * line.length());
    let (name_x, anchor) = if limit.slope > 0.0 {
        (x - GAP, Anchor::End)
    } else {
        (x + GAP, Anchor::Start)
    };
    svg.text(
        &limit.name,
        (name_x, y - TEXT_SIZE * 2 / 3),
        text_style(TEXT_SIZE, LIMIT, anchor),
    )
}

fn draw_band(svg: &mut Svg, frame: &ChartFrame, line: &StyledLine) {
    let points = &line.line.points;
    let upper_edge = points
        .iter()
        .map(|point| frame.to_pixel(point.x, point.high));
    let lower_edge = points
        .iter()
        .rev()
        .map(|point| frame.to_pixel(point.x, point.low));
    let edge: Vec<_> = upper_edge.chain(lower_edge).collect();
    svg.polygon(&edge, line.style.colour, BAND_OPACITY);
}

/// Returns the height at which the name of each line is drawn.
fn place_names(lines: &[StyledLine]) -> Vec<i32> {
    let wanted: Vec<f64> = lines
        .iter()
        .map(|line| f64::from(line.end().1 - ChartFrame::TOP))
        .collect();
    let positions = spread_labels(
        &wanted,
        f64::from(NAME_HEIGHT),
        f64::from(ChartFrame::BOTTOM - ChartFrame::TOP),
    );
    positions
        .into_iter()
        .map(|position| ChartFrame::TOP + position.round() as i32)
        .collect()
}

/// Draws a thin line from the end of a line to its name at the height `y`.
fn draw_leader(svg: &mut Svg, line: &StyledLine, y: i32) {
    let (end_x, end_y) = line.end();
    let leader = [(end_x + GAP, end_y), (ChartFrame::RIGHT + 3 * GAP / 2, y)];
    svg.path(&leader, LEADER, 1);
}

/// Draws the name of a line at the right, at the height `y`, after a sample of the line with a
/// marker.
fn draw_name(svg: &mut Svg, line: &StyledLine, y: i32) {
    let start = ChartFrame::RIGHT + 2 * GAP;
    let sample = [(start, y), (start + SAMPLE, y)];
    line.style.draw_line(svg, &Polyline::new(sample));
    line.style.draw_marker(svg, (start + SAMPLE / 2, y));
    svg.text(
        &line.line.name,
        (start + SAMPLE + GAP / 2, y),
        text_style(TEXT_SIZE, INK, Anchor::Start),
    )
}

/// Returns a text style that is vertically centred, and anchored horizontally at `anchor`.
pub(crate) fn text_style(size: i32, colour: Colour, anchor: Anchor) -> TextStyle {
    TextStyle {
        size,
        colour,
        anchor,
        is_upright: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, ChartLine, ChartPoint, LimitLine};
    use super::{ChartError, draw_chart};

    fn chart(lines: usize) -> Chart {
        let line = |n: usize| {
            let y = |x: f64| x * (n + 1) as f64;
            let points = [0.0, 10.0, 20.0].map(|x| ChartPoint {
                x,
                y: y(x),
                low: y(x) * 0.9,
                high: y(x) * 1.1,
            });
            ChartLine {
                name: format!("line <{n}>"),
                points: points.into(),
            }
        };
        let limit = Some(LimitLine {
            name: "all".into(),
            slope: 1.0,
            intercept: 0.0,
        });
        Chart {
            title: "a & b".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            lines: (0..lines).map(line).collect(),
            limit,
            ..Chart::default()
        }
    }

    #[test]
    fn each_line_has_a_band_a_path_markers_and_a_name() {
        let svg = draw_chart(&chart(3)).unwrap();
        assert_eq!(svg.matches(r#"opacity="0.12""#).count(), 3);
        let of_colour = |colour: &str, element: &str| {
            svg.lines()
                .filter(|line| line.starts_with(element) && line.contains(colour))
                .count()
        };
        // A path and the sample beside the name; two markers or more, and one in the sample.
        assert_eq!(of_colour("#0072B2", "<polyline"), 2);
        assert!(of_colour("#0072B2", "<circle") > 2);
        assert!(
            (0..3).all(|n| svg.contains(&format!("line &lt;{n}&gt;"))),
            "{svg}"
        );
        assert!(svg.contains("a &amp; b") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn equal_charts_result_in_equal_bytes() {
        assert_eq!(
            draw_chart(&chart(8)).unwrap(),
            draw_chart(&chart(8)).unwrap()
        );
    }

    #[test]
    fn the_x_axis_has_names_instead_of_numbers() {
        let names = ["one", "two", "three"].map(str::to_owned).to_vec();
        let named = Chart {
            x_names: names,
            ..chart(1)
        };
        let is_in = |svg: String, text: &str| svg.lines().any(|line| line == text);
        assert!(
            ["one", "two", "three"]
                .iter()
                .all(|name| is_in(draw_chart(&named).unwrap(), name))
        );
        assert!(!is_in(draw_chart(&named).unwrap(), "2"));
    }

    #[test]
    fn refuses_charts_without_lines_or_with_too_many() {
        assert!(matches!(draw_chart(&chart(0)), Err(ChartError::NoLine)));
        assert!(matches!(
            draw_chart(&chart(9)),
            Err(ChartError::TooManyLines(9))
        ));
    }

    #[test]
    fn draws_numbers_that_are_not_finite() {
        let point = |x, y| ChartPoint {
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
        let lines = vec![ChartLine {
            name: String::new(),
            points,
        }];
        assert!(
            draw_chart(&Chart {
                lines,
                ..Chart::default()
            })
            .is_ok()
        );
    }
}
