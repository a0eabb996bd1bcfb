//! The frame of a chart: its axes, and the conversion of coordinates to pixels.

use super::Chart;
use super::axis_ticks::AxisTicks;

/// Width and height of a chart in pixels. Viewers scale the SVG. The resolution is high because
/// coordinates are rounded to whole pixels.
pub const SIZE: (u32, u32) = (1520, 880);

/// The rectangle in which lines are drawn, and its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChartFrame {
    pub(crate) x: AxisTicks,
    pub(crate) y: AxisTicks,
}

impl ChartFrame {
    // The margins hold the title at the top, the labels of the lines at the right, and the axis
    // labels at the bottom and at the left.
    pub(crate) const LEFT: i32 = 132;
    pub(crate) const TOP: i32 = 96;
    pub(crate) const RIGHT: i32 = SIZE.0 as i32 - 310;
    pub(crate) const BOTTOM: i32 = SIZE.1 as i32 - 112;

    /// Returns a frame that contains all points and bands of a chart.
    pub(crate) fn new(chart: &Chart) -> Self {
        let points = || chart.lines.iter().flat_map(|line| &line.points);
        let max_x = points().map(|point| point.x).fold(0.0, f64::max);
        let max_y = points()
            .map(|point| point.y.max(point.high))
            .fold(0.0, f64::max);
        let x = if chart.x_names.is_empty() {
            AxisTicks::new(max_x, false)
        } else {
            AxisTicks {
                end: chart.x_names.len().saturating_sub(1).max(1) as f64,
                step: 1.0,
            }
        };
        ChartFrame {
            x,
            y: AxisTicks::new(max_y, true),
        }
    }

    /// Returns the pixel of a point. Coordinates beyond the axes are clamped.
    pub(crate) fn to_pixel(self, x: f64, y: f64) -> (i32, i32) {
        let fraction = |number: f64, end: f64| (number / end).clamp(0.0, 1.0);
        let right = f64::from(Self::RIGHT - Self::LEFT) * fraction(x, self.x.end);
        let up = f64::from(Self::BOTTOM - Self::TOP) * fraction(y, self.y.end);
        (
            Self::LEFT + right.round() as i32,
            Self::BOTTOM - up.round() as i32,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, ChartLine, ChartPoint};
    use super::ChartFrame;

    #[test]
    fn all_points_and_bands_are_in_the_frame() {
        let point = |x, y, high| ChartPoint {
            x,
            y,
            low: 0.0,
            high,
        };
        let line = ChartLine {
            name: "a".into(),
            points: vec![point(0.0, 0.0, 0.0), point(600.0, 1900.0, 2010.0)],
        };
        let frame = ChartFrame::new(&Chart {
            lines: vec![line],
            ..Chart::default()
        });
        assert_eq!((frame.x.end, frame.y.end), (600.0, 2500.0));
        assert_eq!(
            frame.to_pixel(0.0, 0.0),
            (ChartFrame::LEFT, ChartFrame::BOTTOM)
        );
        assert_eq!(
            frame.to_pixel(600.0, 2500.0),
            (ChartFrame::RIGHT, ChartFrame::TOP)
        );
        assert_eq!(
            frame.to_pixel(1e9, f64::INFINITY),
            (ChartFrame::RIGHT, ChartFrame::TOP)
        );
    }
}
