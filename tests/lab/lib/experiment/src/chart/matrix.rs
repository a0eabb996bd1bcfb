//! Matrices of shares as SVG: a cell is the darker the greater its share, which it shows in per cent.

use super::ChartError;
use super::drawing::{GAP, TEXT_SIZE, TITLE_SIZE, text_style};
use super::frame::SIZE;
use super::palette::{COLOURS, INK};
use super::svg::{Anchor, Svg, WHITE};

// All sizes are in pixels, and set by judgement.

/// Width and height of a cell.
const CELL: (i32, i32) = (62, 46);
/// Distance between two matrices.
const MATRIX_GAP: i32 = 50;
/// Minimum share whose number is white, on a dark cell.
const DARK_SHARE: f64 = 0.6;
/// Minimum share that is shown: less is rounded to 0 %.
const SHOWN_SHARE: f64 = 0.005;

/// A matrix of shares.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The names of the rows, beside them.
    pub row_names: Vec<String>,
    /// The names of the columns, above them.
    pub column_names: Vec<String>,
    /// The shares, 0 to 1, by row and column.
    pub rows: Vec<Vec<f64>>,
}

impl Matrix {
    /// Returns its width and height in pixels, with the names.
    fn size(&self) -> (i32, i32) {
        let pixels = |number: usize, size: i32| (number as i32 + 1) * size;
        (
            pixels(self.column_names.len(), CELL.0),
            pixels(self.rows.len(), CELL.1),
        )
    }
}

/// Draws matrices from left to right, and in further rows where a row is full. Returns the SVG.
///
/// # Errors
/// Fails if there is no matrix.
pub fn draw_matrices(title: &str, matrices: &[Matrix]) -> Result<String, ChartError> {
    if matrices.is_empty() {
        return Err(ChartError::NoLine);
    }
    let (places, height) = place(matrices);
    let mut svg = Svg::new((SIZE.0, height as u32));
    svg.text(
        title,
        (GAP, 2 * GAP),
        text_style(TITLE_SIZE, INK, Anchor::Start),
    );
    for (matrix, place) in matrices.iter().zip(places) {
        draw_matrix(&mut svg, matrix, place);
    }
    Ok(svg.finish())
}

/// Returns the place of the upper left corner of each matrix, and the height of all.
fn place(matrices: &[Matrix]) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut y, mut row_height) = (GAP, 4 * GAP, 0);
    let mut places = Vec::new();
    for (width, height) in matrices.iter().map(Matrix::size) {
        if x > GAP && x + width > SIZE.0 as i32 {
            (x, y, row_height) = (GAP, y + row_height + MATRIX_GAP, 0);
        }
        places.push((x, y));
        x += width + MATRIX_GAP;
        row_height = row_height.max(height);
    }
    (places, y + row_height + GAP)
}

fn draw_matrix(svg: &mut Svg, matrix: &Matrix, (left, top): (i32, i32)) {
    let corner = |row: usize, column: usize| {
        (
            left + (column as i32 + 1) * CELL.0,
            top + (row as i32 + 1) * CELL.1,
        )
    };
    let center = |(x, y): (i32, i32)| (x + CELL.0 / 2, y + CELL.1 / 2);
    let ink = text_style(TEXT_SIZE, INK, Anchor::Middle);
    for (column, name) in matrix.column_names.iter().enumerate() {
        let (x, y) = center(corner(0, column));
        svg.text(name, (x, y - CELL.1), ink);
    }
    for (row, (name, shares)) in matrix.row_names.iter().zip(&matrix.rows).enumerate() {
        let (x, y) = center(corner(row, 0));
        svg.text(name, (x - CELL.0, y), ink);
        for (column, share) in shares.iter().enumerate() {
            let (x, y) = corner(row, column);
            if *share > 0.0 {
                let size = (CELL.0 - 2, CELL.1 - 2);
                svg.rectangle((x, y), size, COLOURS[0], share.min(1.0));
            }
            if *share >= SHOWN_SHARE {
                let ink = if *share >= DARK_SHARE { WHITE } else { INK };
                let number = format!("{:.0}", 100.0 * share);
                let style = text_style(TEXT_SIZE, ink, Anchor::Middle);
                svg.text(&number, center((x, y)), style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Matrix, draw_matrices, place};

    fn matrix(size: usize) -> Matrix {
        let names: Vec<String> = (0..size).map(|n| format!("l{n}")).collect();
        Matrix {
            row_names: names.clone(),
            column_names: names,
            rows: vec![vec![0.25; size]; size],
        }
    }

    #[test]
    fn each_share_has_a_cell_with_its_number() {
        let svg = draw_matrices("a & b", &[matrix(3)]).unwrap();
        assert_eq!(svg.lines().filter(|line| *line == "25").count(), 9);
        // The background is a rectangle, too.
        assert_eq!(svg.matches("<rect").count(), 10);
        assert!(svg.contains("a &amp; b"));
        assert!(draw_matrices("", &[]).is_err());
    }

    #[test]
    fn matrices_that_do_not_fit_begin_a_new_row() {
        let (places, height) = place(&[matrix(10), matrix(10), matrix(10)]);
        assert!(places[0].1 == places[1].1 && places[1].0 > places[0].0);
        assert!(places[2].0 == places[0].0 && places[2].1 > places[1].1);
        assert!(height > places[2].1);
    }
}
