//! Lines of straight segments, and the parts of them that dashes and markers need.

/// A line of straight segments, in pixels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Polyline {
    vertices: Vec<(f64, f64)>,
    /// The length of the line up to each vertex.
    lengths: Vec<f64>,
}

impl Polyline {
    /// Returns the line through these pixels.
    pub(crate) fn new(pixels: impl IntoIterator<Item = (i32, i32)>) -> Self {
        let mut line = Polyline::default();
        for (x, y) in pixels {
            let vertex = (f64::from(x), f64::from(y));
            let added = line
                .vertices
                .last()
                .map_or(0.0, |last| (vertex.0 - last.0).hypot(vertex.1 - last.1));
            line.lengths.push(line.length() + added);
            line.vertices.push(vertex);
        }
        line
    }

    /// Returns the length of the line.
    pub(crate) fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Returns the pixels of all vertices.
    pub(crate) fn pixels(&self) -> Vec<(i32, i32)> {
        self.vertices.iter().copied().map(round_pixel).collect()
    }

    /// Returns the pixel at a distance from the start, which is clamped to the line.
    pub(crate) fn pixel_at(&self, distance: f64) -> (i32, i32) {
        let end = self
            .lengths
            .partition_point(|length| *length < distance)
            .min(self.vertices.len().saturating_sub(1));
        let start = end.saturating_sub(1);
        let Some((from, to)) = self.vertices.get(start).zip(self.vertices.get(end)) else {
            return (0, 0);
        };
        let segment = self.lengths[end] - self.lengths[start];
        let fraction = if segment > 0.0 {
            ((distance - self.lengths[start]) / segment).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let between = |a: f64, b: f64| a + (b - a) * fraction;
        round_pixel((between(from.0, to.0), between(from.1, to.1)))
    }

    /// Returns the pixels of the part between two distances from the start.
    pub(crate) fn part(&self, from: f64, to: f64) -> Vec<(i32, i32)> {
        let inner = self
            .vertices
            .iter()
            .zip(&self.lengths)
            .filter(|(_, length)| from < **length && **length < to)
            .map(|(vertex, _)| round_pixel(*vertex));
        std::iter::once(self.pixel_at(from))
            .chain(inner)
            .chain([self.pixel_at(to)])
            .collect()
    }

    /// Returns the dashes of the line: parts of the length `dash`, with gaps of the length `gap`
    /// between them.
    pub(crate) fn dashes(&self, dash: f64, gap: f64) -> Vec<Vec<(i32, i32)>> {
        let number = (self.length() / (dash + gap)).ceil() as usize;
        (0..number)
            .map(|index| index as f64 * (dash + gap))
            .map(|start| self.part(start, (start + dash).min(self.length())))
            .collect()
    }
}

fn round_pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::Polyline;

    fn corner() -> Polyline {
        Polyline::new([(0, 0), (10, 0), (10, 0), (10, 20)])
    }

    #[test]
    fn distances_are_measured_along_the_line() {
        assert_eq!(corner().length(), 30.0);
        let pixels = [-1.0, 4.0, 10.0, 25.0, 99.0].map(|distance| corner().pixel_at(distance));
        assert_eq!(pixels, [(0, 0), (4, 0), (10, 0), (10, 15), (10, 20)]);
    }

    #[test]
    fn dashes_follow_the_corners_of_the_line() {
        let expected = [
            vec![(0, 0), (8, 0)],
            vec![(10, 2), (10, 10)],
            vec![(10, 14), (10, 20)],
        ];
        assert_eq!(corner().dashes(8.0, 4.0), expected);
        assert_eq!(
            Polyline::new([(6, 0), (12, 0), (12, 9)]).dashes(8.0, 4.0),
            [vec![(6, 0), (12, 0), (12, 2)], vec![(12, 6), (12, 9)]]
        );
    }

    #[test]
    fn lines_without_length_have_no_dashes() {
        assert!(Polyline::new([]).dashes(8.0, 4.0).is_empty());
        assert!(Polyline::new([(5, 5)]).dashes(8.0, 4.0).is_empty());
        assert_eq!(Polyline::new([(5, 5)]).pixel_at(3.0), (5, 5));
        assert_eq!(Polyline::new([]).pixel_at(3.0), (0, 0));
    }
}
