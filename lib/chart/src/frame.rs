//! Where on the drawing a point of a chart lies.

use crate::Chart;
use crate::ticks::{Ticks, ticks};

/// Width and height of the drawing. It is scaled to where it is shown; the pixels are fine, as
/// lines go through whole ones.
pub(crate) const SIZE: (u32, u32) = (1440, 880);

/// The rectangle in which lines are drawn, and its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) x: Ticks,
    pub(crate) y: Ticks,
}

impl Frame {
    // With room for the title, for names to the right, and for numbers below and to the left.
    pub(crate) const LEFT: i32 = 132;
    pub(crate) const TOP: i32 = 96;
    pub(crate) const RIGHT: i32 = SIZE.0 as i32 - 230;
    pub(crate) const BOTTOM: i32 = SIZE.1 as i32 - 112;

    /// Of a chart: so large that all of its points and bands are in it.
    pub(crate) fn of(chart: &Chart) -> Self {
        let points = || chart.lines.iter().flat_map(|line| &line.points);
        Frame {
            x: ticks(points().map(|point| point.x).fold(0.0, f64::max), false),
            y: ticks(
                points()
                    .map(|point| point.y.max(point.high))
                    .fold(0.0, f64::max),
                true,
            ),
        }
    }

    /// The pixel of a point.
    pub(crate) fn place(&self, x: f64, y: f64) -> (i32, i32) {
        let part = |number: f64, end: f64| (number / end).clamp(0.0, 1.0);
        let right = f64::from(Self::RIGHT - Self::LEFT) * part(x, self.x.end);
        let up = f64::from(Self::BOTTOM - Self::TOP) * part(y, self.y.end);
        (
            Self::LEFT + right.round() as i32,
            Self::BOTTOM - up.round() as i32,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Frame;
    use crate::{Chart, Line, Point};

    #[test]
    fn all_points_and_bands_are_in_the_frame() {
        let point = |x, y, high| Point {
            x,
            y,
            low: 0.0,
            high,
        };
        let line = Line {
            name: "a".into(),
            points: vec![point(0.0, 0.0, 0.0), point(600.0, 1900.0, 2010.0)],
        };
        let frame = Frame::of(&Chart {
            lines: vec![line],
            ..Chart::default()
        });
        assert_eq!((frame.x.end, frame.y.end), (600.0, 2500.0));
        assert_eq!(frame.place(0.0, 0.0), (Frame::LEFT, Frame::BOTTOM));
        assert_eq!(frame.place(600.0, 2500.0), (Frame::RIGHT, Frame::TOP));
        assert_eq!(frame.place(1e9, f64::INFINITY), (Frame::RIGHT, Frame::TOP));
    }
}
